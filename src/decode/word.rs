//! Ring names, and words with several fields.

use super::asked::Asked;
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, joined, name_of};
use crate::pattern::hardware::{Bitfield, BitfieldKind, Fit};
use crate::value::Ring;

/// Reads `gfx_0.0.0`.
pub(super) fn read_ring(asked: &Asked, context: &Context<'_>) -> Option<Ranked> {
    let value = asked.value.trim_matches(['<', '>']);
    let mut forms = context.hardware.rings.iter();
    let (form, numbers) = forms.find_map(|form| Some((form, form.numbers(value)?)))?;
    let part = |(name, number): (&str, u32)| Detail::new(name, number.to_string());
    let mut fields = vec![Detail::new("engine", Ring(value.into()).kind().to_string())];
    fields.extend(numbers.into_iter().map(part));
    let summary = format!("ring {value}: {}", form.means);
    let source = format!("drivers/gpu/drm/amd/{}", form.source);
    Some((0, Interpretation::new(Kind::Ring, summary, fields, source)))
}

/// Reads a word with fields.
pub(super) fn read(
    kind: BitfieldKind,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Vec<Ranked> {
    match kind {
        BitfieldKind::RingByte => read_ring_byte(asked, context, cause),
        BitfieldKind::SqInterrupt => read_sq_interrupt(asked, context, cause),
        BitfieldKind::SqWaveStatus
        | BitfieldKind::SqWaveTrapsts
        | BitfieldKind::SqWaveExcpFlagPriv
        | BitfieldKind::SqWaveExcpFlagUser
        | BitfieldKind::SqWaveStatePriv
        | BitfieldKind::GrbmStatus
        | BitfieldKind::GrbmStatus2
        | BitfieldKind::GrbmStatus3
        | BitfieldKind::GrbmStatusSe
        | BitfieldKind::CpStat
        | BitfieldKind::CpBusyStat
        | BitfieldKind::CpStalledStat1
        | BitfieldKind::CpStalledStat2
        | BitfieldKind::CpStalledStat3
        | BitfieldKind::CpCpcStatus
        | BitfieldKind::CpCpcBusyStat
        | BitfieldKind::CpCpcStalledStat1
        | BitfieldKind::CpCpfStatus
        | BitfieldKind::CpCpfBusyStat
        | BitfieldKind::CpCpfStalledStat1
        | BitfieldKind::SdmaStatus
        | BitfieldKind::AcaStatus
        | BitfieldKind::AcaIpid
        | BitfieldKind::AcaMisc0
        | BitfieldKind::AcaSynd
        | BitfieldKind::RasBootStatus => read_register(kind, asked, context, cause),
    }
}

/// Whether the chip does not have this register.
pub(super) fn is_missing(kind: BitfieldKind, context: &Context<'_>) -> bool {
    context.hardware.bitfields(kind).all(|layout| layout.fit_of_chip(context.silicon) == Fit::No)
}

/// Reads a register whose name is given. A bare number is not read as one, because it could be any
/// register. Fields that are 0 are omitted.
fn read_register(
    kind: BitfieldKind,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Vec<Ranked> {
    let Some(words) = asked.long().filter(|_| cause != Cause::Shape) else { return Vec::new() };
    let mut found: Vec<(Interpretation, Vec<String>)> = Vec::new();
    for layout in context.hardware.bitfields(kind) {
        let fit = layout.fit(context.silicon, &words);
        if fit == Fit::No || (layout.words == 1 && words[1] != 0) {
            continue;
        }
        let summary = format!("{} {}", layout.title, asked.value.to_ascii_lowercase());
        let mut reading = reading(Kind::Word(kind), summary, layout, &words, context);
        reading.fields.retain(|field| field.value != "0");
        reading.notes.push("fields that are 0 are left out".to_owned());
        let chips = layout.gfx.iter().filter(|_| fit != Fit::Yes).map(ToString::to_string);
        // Most generations have the same fields at the same positions.
        match found.iter_mut().find(|(other, _)| other.fields == reading.fields) {
            Some((_, same)) => same.extend(chips),
            None => found.push((reading, chips.collect())),
        }
    }
    let assumed = |(reading, chips): (Interpretation, Vec<String>)| {
        let assumes = (!chips.is_empty()).then(|| format!("a chip of {}", joined(&chips)));
        (0, Interpretation { assumes, ..reading })
    };
    found.into_iter().map(assumed).collect()
}

/// Reads `ring:24`.
fn read_ring_byte(asked: &Asked, context: &Context<'_>, cause: Cause) -> Vec<Ranked> {
    let number = asked.number().filter(|number| (0..256).contains(&number.value));
    let Some(word) = number.and_then(super::asked::Number::word) else { return Vec::new() };
    if cause == Cause::Shape {
        // A bare number can be anything, and this reading says little.
        return Vec::new();
    }
    let layouts = context.hardware.bitfields(BitfieldKind::RingByte);
    let one = |layout| {
        let summary =
            format!("ring byte {word} (0x{word:02x}): no ring, but a byte of the interrupt");
        (0, reading(Kind::Word(BitfieldKind::RingByte), summary, layout, &[word], context))
    };
    layouts.map(one).collect()
}

/// Reads the words of a shader interrupt.
fn read_sq_interrupt(asked: &Asked, context: &Context<'_>, cause: Cause) -> Vec<Ranked> {
    let Some(words) = asked.registers().filter(|words| words.len() <= 2) else {
        return Vec::new();
    };
    // A single word is more likely to be something else.
    if cause == Cause::Shape && words.len() == 1 {
        return Vec::new();
    }
    let mut found = Vec::new();
    for layout in context.hardware.bitfields(BitfieldKind::SqInterrupt) {
        let fit = layout.fit(context.silicon, &words);
        if fit == Fit::No {
            continue;
        }
        let error = layout.encoding_of(&words) == Some(2);
        let what = if error { "an error" } else { "a message of a shader" };
        let summary = format!("shader interrupt: {what}");
        let rank = u8::from(!error);
        let kind = Kind::Word(BitfieldKind::SqInterrupt);
        let mut reading = reading(kind, summary, layout, &words, context);
        reading.assumes = (fit != Fit::Yes).then(|| format!("a chip of {}", joined(&layout.gfx)));
        if words.len() < layout.words {
            reading.notes.push("the second word is missing and counted as 0".to_owned());
        }
        found.push((rank, reading));
    }
    found
}

fn reading(
    kind: Kind,
    summary: String,
    layout: &Bitfield,
    words: &[u32],
    context: &Context<'_>,
) -> Interpretation {
    let encoding = layout.encoding_of(words);
    let there = |wanted: Option<u32>| wanted.is_none() || wanted == encoding;
    let several = layout.words > 1;
    let shown = layout.fields.iter().filter(|field| there(field.encoding));
    let fields = shown.map(|field| {
        let value = field.of(words);
        let named = field.values.and_then(|kind| name_of(kind, i64::from(value), context));
        let means = field.means.as_deref().map(|means| match means.strip_prefix("1: ") {
            Some(set) if value == 1 => set,
            _ => means,
        });
        let place = if several {
            format!("{}, {}", field.word, field.bits)
        } else {
            field.bits.to_string()
        };
        Detail {
            bits: Some(place),
            text: named.or_else(|| means.map(str::to_owned)),
            ..Detail::new(field.name.clone(), value.to_string())
        }
    });
    let mut notes: Vec<String> = layout.note.iter().cloned().collect();
    if several {
        notes.push("bits: the word, counted from 0, and the bits in it".to_owned());
    }
    let source = format!("drivers/gpu/drm/amd/{}", layout.source);
    Interpretation { notes, ..Interpretation::new(kind, summary, fields.collect(), source) }
}
