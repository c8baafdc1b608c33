//! The clients that page faults and interrupts identify by number.

use super::asked::{Asked, Number};
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, joined};
use crate::pattern::hardware::{ClientTable, EnumerationKind, GfxPattern, Numbering};
use crate::value::{Hub, unique};

/// A client's name, and the chips on which it has that name.
pub(super) struct ClientName {
    pub(super) name: Option<String>,
    pub(super) gfx: Vec<GfxPattern>,
    source: Vec<String>,
}

impl ClientName {
    /// The chips as text: `gfx10*, gfx11*`.
    pub(super) fn chips(&self) -> String {
        let mut chips: Vec<String> = self.gfx.iter().map(ToString::to_string).collect();
        chips.sort_by_key(|chip| (chip.len(), chip.clone()));
        chips.dedup();
        joined(chips)
    }
}

/// All names of a client on the chips that are possible; `within` restricts them further.
pub(super) fn names(
    context: &Context<'_>,
    numbering: Numbering,
    within: &[GfxPattern],
    id: u16,
    write: bool,
) -> Vec<ClientName> {
    let near = |table: &&ClientTable| {
        within.is_empty() || table.gfx.iter().any(|a| within.iter().any(|b| a.meets(b)))
    };
    let tables = context.hardware.clients.iter();
    let mut found: Vec<ClientName> = Vec::new();
    for table in tables
        .filter(|table| table.numbering == numbering && table.may_hold(context.silicon))
        .filter(near)
    {
        let name = table.name(id, write).map(str::to_owned);
        match found.iter_mut().find(|named| named.name == name) {
            Some(named) => {
                named.gfx.extend(table.gfx.iter().cloned());
                named.source.extend(table.source.iter().cloned());
            }
            None => {
                let (gfx, source) = (table.gfx.clone(), table.source.clone());
                found.push(ClientName { name, gfx, source });
            }
        }
    }
    found
}

/// The function of a block of the chip.
pub(super) fn engine(name: &str, context: &Context<'_>) -> Option<String> {
    let mut tables = context.hardware.enumerations_of(EnumerationKind::Engine);
    tables.find_map(|table| table.named(name).next().map(|entry| entry.means.clone()))
}

fn parts(named: &[ClientName], id: u16, context: &Context<'_>) -> Vec<Detail> {
    let known = named.iter().filter_map(|named| Some((named, named.name.clone()?)));
    known
        .map(|(one, name)| {
            let engine = engine(&name, context);
            let chips = (named.len() > 1).then(|| format!("chips: {}", one.chips()));
            let text: Vec<String> = [engine, chips].into_iter().flatten().collect();
            let part = Detail::new(name, format!("0x{id:x}"));
            if text.is_empty() { part } else { part.means(text.join("; ")) }
        })
        .collect()
}

fn source(named: &[ClientName]) -> String {
    let sources = named.iter().filter(|one| one.name.is_some()).flat_map(|one| &one.source);
    format!("drivers/gpu/drm/amd/amdgpu: {}", joined(unique(sources)))
}

/// The distinct names.
fn all_names(named: &[ClientName]) -> String {
    joined(unique(named.iter().filter_map(|one| one.name.as_deref())))
}

/// Reads `client 27` and `client 0x1b (UTCL2)`.
pub(super) fn read_interrupt_client(
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Option<Ranked> {
    // A word of eight digits is a register.
    let short = |number: &Number| cause != Cause::Shape || number.digits <= 4;
    let id = u16::try_from(asked.number().filter(short)?.value).ok()?;
    let named = names(context, Numbering::Ih, &[], id, false);
    if named.iter().all(|named| named.name.is_none()) {
        return None;
    }
    let mut notes = vec![
        "who raised the interrupt, not the engine at fault: that is the UTCL2 client in the status word".to_owned(),
    ];
    let without = named.iter().filter(|one| one.name.is_none()).map(ClientName::chips);
    notes.extend(without.map(|chips| format!("no client of that number on {chips}")));
    let is_named = asked.bracket.as_deref().is_some_and(|printed| {
        named.iter().any(|one| one.name.as_deref().is_some_and(|name| name.contains(printed)))
    });
    let rank = if is_named || cause != Cause::Shape { 0 } else { 5 };
    let summary = format!("interrupt client {id} (0x{id:x}): {}", all_names(&named));
    let fields = parts(&named, id, context);
    let reading = Interpretation {
        assumes: (named.len() > 1).then(|| "a chip that has it: --gfx decides".to_owned()),
        notes,
        ..Interpretation::new(Kind::InterruptClient, summary, fields, source(&named))
    };
    Some((rank, reading))
}

/// Reads the client of a page fault, by number or by name, for each hub.
pub(super) fn read_fault_client(asked: &Asked, context: &Context<'_>, cause: Cause) -> Vec<Ranked> {
    let bracket = asked.number_in_bracket().filter(|_| cause != Cause::Shape);
    let number = asked.number().or(bracket);
    // Ids are printed in hexadecimal; a bare word of eight digits is a register.
    let number = number.filter(|number| cause != Cause::Shape || (number.hex && number.digits < 4));
    let ids: Vec<(u16, Hub)> = match number {
        Some(number) => {
            let Ok(id) = u16::try_from(number.value) else { return Vec::new() };
            [Hub::Gfx, Hub::Mm].map(|hub| (id, hub)).to_vec()
        }
        None => ids_of(asked, context),
    };
    let wanted = |hub: &Hub| context.hub.is_none_or(|known| known == *hub);
    let ids = ids.into_iter().filter(|(_, hub)| wanted(hub));
    let rank = if cause == Cause::Shape && number.is_some() { 2 } else { 0 };
    let mut found: Vec<Ranked> =
        ids.filter_map(|(id, hub)| Some((rank, fault_client(id, hub, asked, context)?))).collect();
    // The name identifies the hub.
    if found.iter().any(|(_, reading)| reading.notes.is_empty()) {
        found.retain(|(_, reading)| reading.notes.is_empty());
    }
    found
}

/// The ids to which the tables give the name.
fn ids_of(asked: &Asked, context: &Context<'_>) -> Vec<(u16, Hub)> {
    let name = asked.whole().unwrap_or_else(|| asked.value.clone());
    let of_hub = |hub: Hub| {
        let tables = context.hardware.clients.iter();
        let tables = tables
            .filter(move |table| table.numbering == hub.into() && table.may_hold(context.silicon));
        tables.flat_map(|table| table.ids(&name)).map(move |id| (id, hub))
    };
    let found = unique([Hub::Gfx, Hub::Mm].into_iter().flat_map(of_hub));
    // A name with many numbers is meaningless without its chip.
    if found.len() > 4 { Vec::new() } else { found }
}

/// Whether this is the requested name: `TCP`, `SQC (data)`.
fn is_asked(name: &str, asked: &Asked) -> bool {
    name.eq_ignore_ascii_case(&asked.value)
        || asked.whole().is_some_and(|whole| name.eq_ignore_ascii_case(&whole))
}

/// A note if the name and the number in the log do not belong together.
fn other_name(fields: &[(Detail, bool)], asked: &Asked, named: bool) -> Option<String> {
    let known = fields.iter().any(|(part, _)| is_asked(&part.name, asked));
    let unnamed = asked.value.eq_ignore_ascii_case("unknown");
    (named && !known && !unnamed)
        .then(|| format!("the log calls it {}, which is another client", asked.value))
}

fn fault_client(id: u16, hub: Hub, asked: &Asked, context: &Context<'_>) -> Option<Interpretation> {
    let (mut fields, mut named) = (Vec::new(), Vec::new());
    let bracket = asked.number_in_bracket();
    let numbered = asked.number().is_some() || bracket.is_some();
    for write in [false, true] {
        let mut directed = names(context, hub.into(), &[], id, write);
        // A requested name excludes chips on which the number has another name.
        if !numbered {
            directed.retain(|one| one.name.as_deref().is_some_and(|name| is_asked(name, asked)));
        }
        for part in parts(&directed, id, context) {
            let known = fields.iter().any(|(known, _): &(Detail, bool)| *known == part);
            if !known {
                fields.push((part, write));
            }
        }
        named.extend(directed);
    }
    if fields.is_empty() {
        return None;
    }
    let several = fields.len() > 1;
    let direction = |(part, write): (Detail, bool)| {
        let word = if write { "writes" } else { "reads" };
        let mm = hub == Hub::Mm && several;
        if mm { Detail { bits: Some(word.to_owned()), ..part } } else { part }
    };
    let hub_words = match hub {
        Hub::Gfx => "the graphics hub (gfxhub)",
        Hub::Mm => "the multimedia hub (mmhub)",
    };
    let summary = format!("page-fault client 0x{id:x} of {hub}: {}", all_names(&named));
    let notes = other_name(&fields, asked, bracket.is_some()).into_iter().collect();
    let fields = fields.into_iter().map(direction).collect();
    Some(Interpretation {
        assumes: context.hub.is_none().then(|| format!("a page fault of {hub_words}")),
        notes,
        ..Interpretation::new(Kind::FaultClient, summary, fields, source(&named))
    })
}
