//! The clients that page faults and interrupts identify by number.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::silicon::{GfxPattern, Silicon, may_hold};
use crate::pattern::document::{FromToml, Node, Table, record};
use crate::pattern::source_anchor::SourceAnchor;
use crate::value::{Hub, unique, words};

words! {
    /// What the numbers of a table count.
    pub(crate) Numbering {
        /// UTCL2 clients of the graphics hub.
        Gfxhub,
        /// UTCL2 clients of the multimedia hub.
        Mmhub,
        /// Clients of the interrupt handler.
        Ih,
    }
}

impl From<Hub> for Numbering {
    fn from(hub: Hub) -> Self {
        match hub {
            Hub::Gfx => Self::Gfxhub,
            Hub::Mm => Self::Mmhub,
        }
    }
}

record! {
    /// The client names of some chips.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct ClientTable {
        /// The numbering that it uses.
        pub numbering: Numbering as "hub",
        /// The chips that it applies to.
        pub gfx: Vec<GfxPattern> = required,
        /// The files and tables of the driver that contain the names.
        pub source: Vec<String> = required,
        /// The source as anchors, for checking.
        pub anchors: Vec<SourceAnchor>,
        any: ClientNames,
        read: ClientNames,
        write: ClientNames,
    }
    check
}

/// Client names by number, in files a list of `0x1f NAME`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ClientNames(BTreeMap<u16, String>);

impl ClientTable {
    /// The client's name; some ids have different names for reads and writes, or a name for only
    /// one.
    pub(crate) fn name(&self, id: u16, write: bool) -> Option<&str> {
        let directed = if write { &self.write } else { &self.read };
        directed.0.get(&id).or_else(|| self.any.0.get(&id)).map(String::as_str)
    }

    /// Whether the table may apply to a chip.
    pub(crate) fn may_hold(&self, silicon: Silicon<'_>) -> bool {
        may_hold(&self.gfx, silicon)
    }

    /// The ids with this name, ignoring case, for reads or writes.
    pub(crate) fn ids(&self, name: &str) -> Vec<u16> {
        let all = self.any.0.iter().chain(&self.read.0).chain(&self.write.0);
        let named = all.filter(|(_, known)| known.eq_ignore_ascii_case(name));
        let ids: BTreeSet<u16> = named.map(|(id, _)| *id).collect();
        ids.into_iter().collect()
    }

    fn check(&self, table: &Table<'_>) {
        if [&self.any, &self.read, &self.write].iter().all(|names| names.0.is_empty()) {
            table.mistake("the table names no client");
        }
        for node in table.items("read").iter().chain(&table.items("write")) {
            if let Some((id, _)) = client(node).filter(|(id, _)| self.any.0.contains_key(id)) {
                node.mistake(format!("client 0x{id:x} has a name already"));
            }
        }
    }
}

/// Parses `0x1f NAME`.
fn client<'t>(node: &Node<'t>) -> Option<(u16, &'t str)> {
    let (id, name) = node.text()?.split_once(' ')?;
    Some((u16::from_str_radix(id.strip_prefix("0x")?, 16).ok()?, name))
}

impl FromToml for ClientNames {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let mut names = BTreeMap::new();
        for node in node.items() {
            match client(&node) {
                None => node.mistake("a client is a number and a name, like `0x8 TCP`"),
                Some((id, _)) if names.contains_key(&id) => {
                    node.mistake(format!("client 0x{id:x} has a name already"));
                }
                Some((id, name)) => {
                    names.insert(id, name.to_owned());
                }
            }
        }
        Some(Self(names))
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

/// The names in the tables that may apply to the chip, or to one of `within`, if there are any.
fn names<'t>(
    tables: &'t [ClientTable],
    numbering: Numbering,
    (silicon, within): (Silicon<'_>, &[&GfxPattern]),
    id: u16,
    write: bool,
) -> impl Iterator<Item = Option<&'t str>> {
    let is_near = |table: &&ClientTable| {
        within.is_empty() || table.gfx.iter().any(|own| within.iter().any(|one| own.meets(one)))
    };
    let fits = |table: &&ClientTable| table.numbering == numbering && table.may_hold(silicon);
    let fitting: Vec<&ClientTable> = tables.iter().filter(fits).filter(is_near).collect();
    fitting.into_iter().map(move |table| table.name(id, write))
}

/// The different names.
pub(super) fn possible<'t>(
    tables: &'t [ClientTable],
    numbering: Numbering,
    chips: (Silicon<'_>, &[&GfxPattern]),
    id: u16,
    write: bool,
) -> Vec<&'t str> {
    unique(names(tables, numbering, chips, id, write).flatten())
}

/// The name on which all of them agree.
pub(super) fn agreed<'t>(
    tables: &'t [ClientTable],
    numbering: Numbering,
    chips: (Silicon<'_>, &[&GfxPattern]),
    id: u16,
    write: bool,
) -> Option<&'t str> {
    let mut names = names(tables, numbering, chips, id, write);
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}
