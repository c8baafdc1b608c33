//! Values of the driver's enumerations.

use std::fmt::Write as _;

use super::asked::{Asked, Number};
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, ends, joined, listed};
use crate::pattern::hardware::{Entry, Enumeration, EnumerationKind, Fit};

/// Reads a value of the enumerations of a kind.
pub(super) fn read(
    kind: EnumerationKind,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Vec<Ranked> {
    let tables = context.hardware.enumerations_of(kind);
    let mut found: Vec<(bool, Ranked)> =
        tables.filter_map(|table| read_in(table, asked, context, cause)).collect();
    // An entry of other chips or kernels is not a reading if this one has an entry.
    if found.iter().any(|(here, _)| *here) {
        found.retain(|(here, _)| *here);
    }
    found.into_iter().map(|(_, ranked)| ranked).collect()
}

/// Reads a value of one table; the flag is whether the chip and the kernel have it.
fn read_in(
    table: &Enumeration,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Option<(bool, Ranked)> {
    let here = |entries: &[&Entry]| {
        entries.iter().any(|entry| entry.fit(context.silicon, context.kernel) != Fit::No)
    };
    if let Some(entries) = named(table, asked) {
        return Some((here(&entries), (0, reading(table, &entries, context))));
    }
    let bracket = asked.number_in_bracket().filter(|_| cause != Cause::Shape);
    let is_bare = |key: &str| table.bare_hex.iter().any(|name| ends(key, name));
    let number = match asked.key.as_deref() {
        Some(key) if is_bare(key) => Number::hexadecimal(&asked.value),
        _ => asked.number().or(bracket),
    };
    if table.bits {
        let words = asked.registers();
        let word = words.as_ref().and_then(|words| words.first().copied());
        let word = word.or_else(|| number.filter(|_| cause == Cause::Said)?.word())?;
        let mask = words.and_then(|words| words.get(1).copied());
        return bits(table, word, mask, asked, context, cause).map(|ranked| (true, ranked));
    }
    let number = number.filter(|_| !(table.never_bare && cause == Cause::Shape))?;
    if cause != Cause::Said && number.hex != table.hex && (table.hex || cause == Cause::Shape) {
        return None;
    }
    let entries = numbered(table, number.value);
    if entries.is_empty() {
        // A bare number that no table lists is not read as an answer of the SMU.
        let other = table.other.as_ref().filter(|_| cause != Cause::Shape)?;
        return Some((false, (0, unlisted(table, number, other))));
    }
    let rank = rank(table.kind, number, &entries, cause);
    Some((here(&entries), (rank, reading(table, &entries, context))))
}

/// The values that the text names: `REMOVE_QUEUE`, `MISC (WAIT_REG_MEM)`, `ETIME` with a sign.
fn named<'t>(table: &'t Enumeration, asked: &Asked) -> Option<Vec<&'t Entry>> {
    let whole = asked.whole();
    let inner = asked.bracket.as_deref().filter(|_| {
        table.kind == EnumerationKind::MesMisc && asked.value.eq_ignore_ascii_case("misc")
    });
    let value = asked.value.trim_start_matches('-');
    let names = [whole.as_deref(), inner, Some(value), Some(asked.text.as_str())];
    names.into_iter().flatten().find_map(|name| {
        let name = name.strip_prefix("EC_").unwrap_or(name);
        let entries: Vec<&Entry> =
            table.entries.iter().filter(|entry| entry.name.eq_ignore_ascii_case(name)).collect();
        (!entries.is_empty()).then_some(entries)
    })
}

/// The values with a number; error numbers occur with and without their sign.
fn numbered(table: &Enumeration, number: i64) -> Vec<&Entry> {
    let entries: Vec<&Entry> = table.numbered(number).collect();
    if entries.is_empty() && table.kind == EnumerationKind::Errno {
        return number.checked_neg().into_iter().flat_map(|other| table.numbered(other)).collect();
    }
    entries
}

/// The rank of a reading of a bare number: errors have a sign; answers of the SMU have one digit
/// less than a status word.
fn rank(kind: EnumerationKind, number: Number, entries: &[&Entry], cause: Cause) -> u8 {
    let exact = entries.iter().any(|entry| entry.number == Some(number.value));
    match (kind, cause) {
        (_, Cause::Said | Cause::Printed) => 0,
        (EnumerationKind::Errno, _) if exact => 0,
        (EnumerationKind::Errno, _) if number.value > 30 => 1,
        (EnumerationKind::SmuResponse, _) => 1,
        _ => 4,
    }
}

fn reading(table: &Enumeration, entries: &[&Entry], context: &Context<'_>) -> Interpretation {
    let fit = |entry: &&&Entry| entry.fit(context.silicon, context.kernel);
    let some: Vec<&Entry> = entries.iter().filter(|entry| fit(entry) != Fit::No).copied().collect();
    let elsewhere = some.is_empty();
    let shown = if elsewhere { entries } else { &some[..] };
    let with_place = |entry: &&Entry| shown.len() > 1 || fit(&entry) != Fit::Yes;
    let fields = shown.iter().map(|entry| part(table, entry, with_place(entry))).collect();
    let mut notes: Vec<String> = shown.iter().flat_map(|entry| entry.places.clone()).collect();
    notes.extend(table.note.clone());
    Interpretation {
        assumes: (shown.len() > 1 && !elsewhere).then(|| depends(shown)),
        notes,
        ..of_table(table, summary(table, shown, elsewhere), fields)
    }
}

/// A reading with the note of its table.
fn of_table(table: &Enumeration, summary: String, fields: Vec<Detail>) -> Interpretation {
    let notes = table.note.iter().cloned().collect();
    Interpretation {
        notes,
        ..Interpretation::new(Kind::Value(table.kind), summary, fields, &table.source)
    }
}

fn summary(table: &Enumeration, shown: &[&Entry], elsewhere: bool) -> String {
    let numbers = shown.first().and_then(|entry| shown_number(table, entry));
    let same = shown.iter().all(|entry| shown_number(table, entry) == numbers);
    let mut names: Vec<String> = shown.iter().map(|entry| entry.name.clone()).collect();
    names.dedup();
    let mut text = table.title.clone();
    if let Some(number) = numbers.filter(|_| same) {
        let _ = write!(text, " {number}");
    }
    let place = if elsewhere { "not on this chip and kernel, elsewhere " } else { "" };
    let _ = write!(text, ": {place}{}", listed(&names, "or"));
    text
}

fn shown_number(table: &Enumeration, entry: &Entry) -> Option<String> {
    let number = entry.number?;
    Some(match (table.bits, table.hex) {
        (true, _) => format!("bit {number}"),
        (false, true) => format!("0x{number:02x}"),
        (false, false) => number.to_string(),
    })
}

/// Describes what the reading depends on.
fn depends(shown: &[&Entry]) -> String {
    let chip = shown.iter().any(|entry| !entry.gfx.is_empty());
    let kernel = shown.iter().any(|entry| entry.span.words().is_some());
    match (chip, kernel) {
        (true, true) => "one of these by chip and kernel: --gfx and --kernel decide",
        (true, false) => "one of these by chip: --gfx decides",
        (false, true) => "one of these by kernel: --kernel decides, where the kernel was checked",
        (false, false) => "one of these",
    }
    .to_owned()
}

/// A value; with `with_place` also the chips and kernels that have it.
pub(super) fn part(table: &Enumeration, entry: &Entry, with_place: bool) -> Detail {
    let number = shown_number(table, entry).unwrap_or_default();
    let mut text = entry.means.clone();
    if with_place {
        let chips = (!entry.gfx.is_empty()).then(|| format!("chips: {}", joined(&entry.gfx)));
        let kernels = entry.span.words().map(|words| format!("kernels: {words}"));
        for place in [chips, kernels].into_iter().flatten() {
            let _ = write!(text, "; {place}");
        }
    }
    Detail::new(entry.name.clone(), number).means(text)
}

fn unlisted(table: &Enumeration, number: Number, other: &str) -> Interpretation {
    let shown = if table.hex { format!("0x{:x}", number.value) } else { number.value.to_string() };
    let summary = format!("{} {shown}: none of those that have a name", table.title);
    of_table(table, summary, vec![Detail::new("value", shown).means(other)])
}

/// Reads a word whose bits have names. A bare word counts only if all of its set bits have a name.
fn bits(
    table: &Enumeration,
    word: u32,
    mask: Option<u32>,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Option<Ranked> {
    let entry = |bit: u32| {
        let mut entries = table.numbered(i64::from(bit));
        entries.find(|entry| entry.fit(context.silicon, context.kernel) != Fit::No)
    };
    let set: Vec<u32> = (0..u32::BITS).filter(|bit| word >> bit & 1 == 1).collect();
    let unnamed = set.iter().filter(|bit| entry(**bit).is_none()).count();
    if cause != Cause::Said && (unnamed > 0 || set.is_empty()) {
        return None;
    }
    let prefixed = asked.words().any(|word| Number::read(word).is_some_and(|n| n.prefixed));
    // These words are printed without `0x`, and errors occur one or two at a time.
    if cause == Cause::Shape && prefixed && (set.len() > 2 || mask.is_some()) {
        return None;
    }
    let field = |bit: &u32| {
        let (name, means) = entry(*bit).map_or(("no name", ""), |it| (&it.name, &it.means));
        let masked = mask.is_some_and(|mask| mask >> bit & 1 == 1);
        let masked =
            if masked { "; masked, so that it is neither printed nor reported" } else { "" };
        let text = format!("{means}{masked}");
        Detail {
            bits: Some(bit.to_string()),
            text: Some(text).filter(|text| !text.is_empty()),
            ..Detail::new(name, "1")
        }
    };
    let fields: Vec<Detail> = set.iter().map(field).collect();
    let names: Vec<String> = fields.iter().map(|field| field.name.clone()).collect();
    let names = if names.is_empty() { "no error".to_owned() } else { listed(&names, "and") };
    let rank = if cause == Cause::Shape && prefixed { 3 } else { 0 };
    let reading = Interpretation {
        assumes: (cause != Cause::Said).then(|| severity(table.kind).to_owned()),
        ..of_table(table, format!("{}: {names}", table.title), fields)
    };
    Some((rank, reading))
}

/// Distinguishes the two status words.
const fn severity(kind: EnumerationKind) -> &'static str {
    match kind {
        EnumerationKind::AerCorrectable => "the error before it has severity=Correctable",
        _ => "the error before it has severity=Uncorrectable",
    }
}
