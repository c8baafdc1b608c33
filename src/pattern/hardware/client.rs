//! The engines that page faults and interrupts name by number.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::chip::parsed;
use super::silicon::{GfxPattern, Silicon, may_hold};
use crate::pattern::fields::Fields;
use crate::pattern::source::{At, Sources};
use crate::value::Hub;

/// What the numbers of a table count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbering {
    /// UTCL2 clients of the graphics hub.
    Gfxhub,
    /// UTCL2 clients of the multimedia hub.
    Mmhub,
    /// Clients of the interrupt handler.
    #[serde(rename = "ih")]
    Interrupt,
}

impl From<Hub> for Numbering {
    fn from(hub: Hub) -> Self {
        match hub {
            Hub::Gfx => Self::Gfxhub,
            Hub::Mm => Self::Mmhub,
        }
    }
}

/// The client names of some chips.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientTable {
    /// What its numbers count.
    pub numbering: Numbering,
    /// The chips that it holds for.
    pub gfx: Vec<GfxPattern>,
    /// The files and tables of the driver that the names are from.
    pub source: Vec<String>,
    any: BTreeMap<u16, String>,
    read: BTreeMap<u16, String>,
    write: BTreeMap<u16, String>,
}

impl ClientTable {
    /// The client's name; some ids name one client for reads and another, or none, for writes.
    #[must_use]
    pub fn name(&self, id: u16, write: bool) -> Option<&str> {
        let directed = if write { &self.write } else { &self.read };
        directed.get(&id).or_else(|| self.any.get(&id)).map(String::as_str)
    }

    /// Whether the table may hold for a chip.
    #[must_use]
    pub fn may_hold(&self, silicon: Silicon<'_>) -> bool {
        may_hold(&self.gfx, silicon)
    }

    /// The ids that have this name, in any case, for reads or writes.
    #[must_use]
    pub fn ids(&self, name: &str) -> Vec<u16> {
        let all = self.any.iter().chain(&self.read).chain(&self.write);
        let named = all.filter(|(_, known)| known.eq_ignore_ascii_case(name));
        let ids: BTreeSet<u16> = named.map(|(id, _)| *id).collect();
        ids.into_iter().collect()
    }

    pub(super) fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Self> {
        let hub = fields.required_text(sources, "hub");
        let numbering = hub.and_then(|text| read_numbering(sources, &text));
        let gfx = fields.texts(sources, "gfx");
        fields.require(sources, "gfx", !gfx.is_empty());
        let gfx = parsed(sources, &gfx);
        let source = fields.texts(sources, "source");
        fields.require(sources, "source", !source.is_empty());
        let none = BTreeMap::new();
        let any = read_names(sources, &mut fields, "any", &none);
        let read = read_names(sources, &mut fields, "read", &any);
        let write = read_names(sources, &mut fields, "write", &any);
        if any.is_empty() && read.is_empty() && write.is_empty() {
            sources.mistake(fields.place(), "the table names no client");
        }
        fields.finish(sources);
        let source = source.into_iter().map(|text| text.value).collect();
        Some(Self { numbering: numbering?, gfx, source, any, read, write })
    }
}

fn read_numbering(sources: &mut Sources<'_>, text: &At<String>) -> Option<Numbering> {
    match text.value.as_str() {
        "gfxhub" => Some(Numbering::Gfxhub),
        "mmhub" => Some(Numbering::Mmhub),
        "ih" => Some(Numbering::Interrupt),
        other => {
            sources.mistake(&text.place, format!("`hub` is gfxhub, mmhub or ih, not `{other}`"));
            None
        }
    }
}

/// A number in hexadecimal with `0x`, as the tables have it.
fn number(text: &str) -> Option<u16> {
    u16::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

/// Reads a list of `0x1f NAME`.
fn read_names(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    key: &'static str,
    undirected: &BTreeMap<u16, String>,
) -> BTreeMap<u16, String> {
    let mut names = BTreeMap::new();
    for text in fields.texts(sources, key) {
        let split = text.value.split_once(' ');
        let read = split.and_then(|(id, name)| Some((number(id)?, name)));
        match read {
            None => sources.mistake(&text.place, "a client is a number and a name, like `0x8 TCP`"),
            Some((id, _)) if names.contains_key(&id) || undirected.contains_key(&id) => {
                sources.mistake(&text.place, format!("client 0x{id:x} has a name already"));
            }
            Some((id, name)) => {
                names.insert(id, name.to_owned());
            }
        }
    }
    names
}

/// The name on which all tables agree that may hold for the chip.
pub(super) fn agreed<'t>(
    tables: &'t [ClientTable],
    numbering: Numbering,
    silicon: Silicon<'_>,
    id: u16,
    write: bool,
) -> Option<&'t str> {
    let mut names = tables
        .iter()
        .filter(|table| table.numbering == numbering && may_hold(&table.gfx, silicon))
        .map(|table| table.name(id, write));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}
