//! Decodes numbers and words that the driver prints, by the hardware tables.
//!
//! Independent of the log that a value is from, and claims nothing beyond the tables: what they do
//! not decide stays undecided. [`readings`] returns every possible reading of a text, the likeliest
//! first.

mod asked;
pub(crate) mod busy;
mod chip;
mod client;
pub(crate) mod cross_check;
mod enumerated;
mod fault_status;
mod kind;
mod mask;
pub(crate) mod params;
pub(crate) mod vm_fault;
mod word;

use serde::Serialize;

use crate::pattern::hardware::{EnumerationKind, Hardware, Silicon};
use crate::value::{Hub, KernelVersion, unique};

use asked::Asked;
pub(crate) use kind::Kind;

/// What is known about a value in addition to its text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'c> {
    /// The hardware tables.
    pub hardware: &'c Hardware,
    /// The chip.
    pub silicon: Silicon<'c>,
    pub kernel: Option<KernelVersion>,
    /// The hub of a page fault.
    pub hub: Option<Hub>,
    /// The register that was printed before the value.
    pub register: Option<&'c str>,
}

/// One way to read a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Interpretation {
    /// The kind of value.
    pub kind: Kind,
    /// The meaning in one sentence without a full stop.
    pub summary: String,
    /// The assumption of this reading, if the value alone does not imply it.
    pub assumes: Option<String>,
    /// Its parts.
    pub fields: Vec<Detail>,
    /// What to keep in mind.
    pub notes: Vec<String>,
    /// The source of the facts.
    pub source: String,
}

impl Interpretation {
    /// A reading without assumptions and notes.
    fn new(
        kind: Kind,
        summary: impl Into<String>,
        fields: Vec<Detail>,
        source: impl Into<String>,
    ) -> Self {
        let (assumes, notes) = (None, Vec::new());
        Self { kind, summary: summary.into(), assumes, fields, notes, source: source.into() }
    }
}

/// A part of a value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PartOfValue"))]
pub(crate) struct Detail {
    /// The name.
    pub name: String,
    /// Where it is, for parts of a register.
    pub bits: Option<String>,
    /// Its value.
    pub value: String,
    /// What that means.
    pub text: Option<String>,
}

impl Detail {
    fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), ..Self::default() }
    }

    fn means(self, text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), ..self }
    }
}

/// Why a kind is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    /// The user named the kind.
    Said,
    /// The text before the value names the kind.
    Printed,
    /// The value has a matching shape.
    Shape,
}

/// A reading with its rank: lower is likelier.
type Ranked = (u8, Interpretation);

/// Why a value cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// The value is not known.
    Value,
    /// It is not a value of the kind that was named or that precedes it.
    OfKind(Kind),
    /// It is a register that the chip does not have.
    NotOnChip(Kind),
}

/// All readings of `text`, the likeliest first; `kind` is the kind that the user names. Fails if
/// there is none.
pub(crate) fn readings(
    text: &str,
    kind: Option<Kind>,
    context: &Context<'_>,
) -> Result<Vec<Interpretation>, Unknown> {
    let asked = Asked::read(text).ok_or(Unknown::Value)?;
    let is_other = |key: &str| OTHERS.iter().any(|name| ends(key, name));
    if kind.is_none() && asked.key.as_deref().is_some_and(is_other) {
        return Err(Unknown::Value);
    }
    // Only a status word has a register before it.
    let kind = kind.or(context.register.map(|_| Kind::FaultStatus));
    if let Some(kind) = kind {
        let found = sorted(read_as(kind, &asked, context, Cause::Said));
        return if found.is_empty() { Err(Unknown::OfKind(kind)) } else { Ok(found) };
    }
    let printed = printed_kinds(&asked, context);
    let read = |kind: &Kind| read_as(*kind, &asked, context, Cause::Printed);
    let found = sorted(printed.iter().flat_map(read).collect());
    if !found.is_empty() {
        return Ok(found);
    }
    // A register that was named and that this chip does not have is not read as something else.
    if let [kind @ Kind::Word(word)] = printed[..] {
        let missing = asked.long().is_some() && word::is_missing(word, context);
        return Err(if missing { Unknown::NotOnChip(kind) } else { Unknown::OfKind(kind) });
    }
    let open = Kind::ALL.iter().filter(|kind| is_open(**kind, &asked));
    let read = |kind: &Kind| read_as(*kind, &asked, context, Cause::Shape);
    let found = sorted(open.flat_map(read).collect());
    match (found.is_empty(), printed.first()) {
        (false, _) => Ok(found),
        (true, Some(kind)) => Err(Unknown::OfKind(*kind)),
        (true, None) => Err(Unknown::Value),
    }
}

/// Whether a value can be of a kind that the words before it do not name. Words that no table has
/// say that a number is something else; only an error has a sign, and `status` is often all that
/// was copied of a register's name.
fn is_open(kind: Kind, asked: &Asked) -> bool {
    let (Some(key), Some(number)) = (asked.key.as_deref(), asked.number()) else { return true };
    match kind {
        Kind::Value(EnumerationKind::Errno) => number.value < 0,
        Kind::FaultStatus => ends(key, "status") || ends(key, "fault"),
        _ => false,
    }
}

fn sorted(mut found: Vec<Ranked>) -> Vec<Interpretation> {
    // The sort is stable: kinds of one rank stay in the order of the list of kinds.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, reading)| reading).collect()
}

fn read_as(kind: Kind, asked: &Asked, context: &Context<'_>, cause: Cause) -> Vec<Ranked> {
    let one = match kind {
        Kind::FaultStatus => return fault_status::read(asked, context, cause),
        Kind::FaultClient => return client::read_fault_client(asked, context, cause),
        Kind::Word(kind) => return word::read(kind, asked, context, cause),
        Kind::Value(kind) => return enumerated::read(kind, asked, context, cause),
        Kind::InterruptClient => client::read_interrupt_client(asked, context, cause),
        Kind::Ring => word::read_ring(asked, context),
        Kind::PciId => chip::read_pci_id(asked, context),
        Kind::GfxTarget => chip::read_target(asked, context, cause),
        Kind::Parameter => mask::read_parameter(asked, context, cause),
        Kind::Ppfeaturemask | Kind::Dcdebugmask => mask::read_mask(kind, asked, context, cause),
    };
    one.into_iter().collect()
}

/// Keys whose kind the tables do not give.
const PRINTED: [(&str, Kind); 13] = [
    ("fault status", Kind::FaultStatus),
    ("ring", Kind::Ring),
    ("client", Kind::InterruptClient),
    ("client_id", Kind::InterruptClient),
    ("unhandled client id", Kind::InterruptClient),
    ("consumed by client", Kind::InterruptClient),
    ("client id", Kind::FaultClient),
    ("cid", Kind::FaultClient),
    ("pci id", Kind::PciId),
    ("device", Kind::PciId),
    ("hsa_override_gfx_version", Kind::GfxTarget),
    ("gfx_target_version", Kind::GfxTarget),
    ("gfx", Kind::GfxTarget),
];

/// Keys that end with a known name but are something else: PSP firmware responses have no table.
const OTHERS: [&str; 1] = ["fw resp"];

/// The kinds that the key of the value names. If one name ends with another, the longer one counts:
/// `queue type` is not `type`.
fn printed_kinds(asked: &Asked, context: &Context<'_>) -> Vec<Kind> {
    if asked.bracket.is_some() && asked.value.eq_ignore_ascii_case("misc") {
        return vec![Kind::Value(EnumerationKind::MesMisc)];
    }
    let Some(key) = asked.key.as_deref() else { return bracket_kinds(asked, context) };
    if is_fault_register(key) {
        return vec![Kind::FaultStatus];
    }
    let hardware = context.hardware;
    let words = hardware.bitfields.iter().map(|one| (&one.printed, Kind::Word(one.kind)));
    let values = hardware.enumerations.iter().map(|one| (&one.printed, Kind::Value(one.kind)));
    let listed =
        words.chain(values).flat_map(|(names, kind)| names.iter().map(move |n| (&**n, kind)));
    let all = PRINTED.iter().copied().chain(listed);
    let named: Vec<(&str, Kind)> = all.filter(|(name, _)| ends(key, name)).collect();
    let longest = named.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let named = named.into_iter().filter(|(name, _)| name.len() == longest);
    // The meaning of a parameter's value is part of the parameter.
    if mask::is_parameter(key, context) {
        vec![Kind::Parameter]
    } else {
        unique(named.map(|(_, kind)| kind))
    }
}

/// A name with a number in brackets is a client, or the number's key: `TCP (0x8)`, `state(2)`.
fn bracket_kinds(asked: &Asked, context: &Context<'_>) -> Vec<Kind> {
    if asked.number_in_bracket().is_none() || asked.number().is_some() {
        return Vec::new();
    }
    let key = asked.value.to_ascii_lowercase();
    let listed = context.hardware.enumerations.iter();
    let mut kinds: Vec<Kind> = listed
        .filter(|enumeration| enumeration.printed.iter().any(|name| ends(&key, name)))
        .map(|enumeration| Kind::Value(enumeration.kind))
        .collect();
    let tables = &context.hardware.clients;
    if tables.iter().any(|table| !table.ids(&asked.value).is_empty()) {
        kinds.insert(0, Kind::FaultClient);
    }
    kinds
}

/// Whether `key` ends with `name` as whole words.
fn ends(key: &str, name: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_';
    key.strip_suffix(name).is_some_and(|rest| !(rest.ends_with(inside) && name.starts_with(inside)))
}

fn is_fault_register(key: &str) -> bool {
    key.contains("protection_fault_status")
}

/// The name of `number`, if all tables of the kind have the same one entry for it on any chip.
fn name_of(kind: EnumerationKind, number: i64, context: &Context<'_>) -> Option<String> {
    let mut entries = context.hardware.enumerations_of(kind).flat_map(|e| e.numbered(number));
    let first = entries.next()?;
    let text = format!("{}: {}", first.name, first.means);
    entries.next().is_none().then_some(text)
}

/// Values separated by commas: `gfx10*, gfx11*`.
fn joined<T: ToString>(all: impl IntoIterator<Item = T>) -> String {
    all.into_iter().map(|one| one.to_string()).collect::<Vec<_>>().join(", ")
}

/// Words in a list: `a, b or c`.
fn listed(words: &[String], last: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., end] => format!("{} {last} {end}", most.join(", ")),
    }
}

#[cfg(test)]
mod tests;
