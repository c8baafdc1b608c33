//! Module parameters, including those that are masks.

use super::asked::Asked;
use super::enumerated::part;
use super::params::{MaskReading, mask_reading};
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, joined};
use crate::pattern::hardware::{Entry, EnumerationKind, Fit, MaskBit, Parameter};

const SOURCE: &str = "drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c";
const MASK_SOURCE: &str =
    "drivers/gpu/drm/amd/include/amd_shared.h; drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c";

/// Whether `key` is a parameter, or has the form of one.
pub(super) fn is_parameter(key: &str, context: &Context<'_>) -> bool {
    key.starts_with("amdgpu.") || context.hardware.parameter(key).is_some()
}

/// Reads `amdgpu.runpm=0`; also a name without a value if the user says that it is a parameter.
pub(super) fn read_parameter(asked: &Asked, context: &Context<'_>, cause: Cause) -> Option<Ranked> {
    let value = asked.key.is_some().then_some(asked.value.as_str());
    let name = asked.key.as_deref().unwrap_or(&asked.value);
    let plain = name.strip_prefix("amdgpu.").unwrap_or(name);
    let Some(parameter) = context.hardware.parameter(plain) else {
        let written = name.starts_with("amdgpu.") && name.len() > "amdgpu.".len();
        return written.then(|| (0, unknown(plain)));
    };
    // `reset`, `test` and the like are also ordinary words.
    if cause == Cause::Shape && name == plain && parameter.mask.is_none() {
        return Some((6, about(parameter, None, context)));
    }
    let mask = value.and_then(|value| mask_reading(parameter, value, context.kernel));
    let kind = match parameter.name.as_str() {
        "ppfeaturemask" => Kind::Ppfeaturemask,
        "dcdebugmask" => Kind::Dcdebugmask,
        _ => Kind::Parameter,
    };
    Some(match mask {
        Some(mask) => (0, of_mask(kind, parameter, &mask, context)),
        None => (0, about(parameter, value, context)),
    })
}

fn unknown(name: &str) -> Interpretation {
    let summary = format!("amdgpu.{name}: no checked kernel has this parameter");
    let note = "the driver loads all the same, says unknown parameter and ignores it";
    let notes = vec![note.to_owned()];
    Interpretation { notes, ..Interpretation::new(Kind::Parameter, summary, Vec::new(), SOURCE) }
}

fn about(parameter: &Parameter, value: Option<&str>, context: &Context<'_>) -> Interpretation {
    let name = &parameter.name;
    let shown = value.map(|value| format!("={value}")).unwrap_or_default();
    let exists = parameter.exists_in(context.kernel);
    let state = match (parameter.never, exists) {
        (true, _) => "no kernel has this parameter; it is ignored",
        (false, Some(true)) => "a parameter of the driver",
        (false, Some(false)) => "this kernel does not have the parameter; it is ignored",
        (false, None) => "a parameter that not every kernel has",
    };
    let mut fields = Vec::new();
    if !parameter.never {
        fields.extend(parameter.span.words().map(|words| Detail::new("kernels", words)));
    }
    fields.extend(parameter.instead.as_ref().map(|instead| Detail::new("meant", instead.clone())));
    fields.extend(value_parts(parameter, value, context));
    let summary = format!("amdgpu.{name}{shown}: {state}");
    Interpretation {
        assumes: exists.is_none().then(|| "a kernel that has it: --kernel decides".to_owned()),
        notes: parameter.note.iter().cloned().collect(),
        ..Interpretation::new(Kind::Parameter, summary, fields, SOURCE)
    }
}

/// The name of the value, for the parameter whose values are an enumeration.
fn value_parts(parameter: &Parameter, value: Option<&str>, context: &Context<'_>) -> Vec<Detail> {
    let number = value.filter(|_| parameter.name == "reset_method");
    let Some(number) = number.and_then(|value| value.parse().ok()) else { return Vec::new() };
    let tables = context.hardware.enumerations_of(EnumerationKind::ResetMethod);
    let entries = tables.flat_map(|table| table.numbered(number).map(move |entry| (table, entry)));
    let fit = |entry: &Entry| entry.fit(context.silicon, context.kernel);
    let some = entries.filter(|(_, entry)| fit(entry) != Fit::No);
    some.map(|(table, entry)| part(table, entry, fit(entry) != Fit::Yes)).collect()
}

/// Reads a bare number as a mask.
pub(super) fn read_mask(
    kind: Kind,
    asked: &Asked,
    context: &Context<'_>,
    cause: Cause,
) -> Option<Ranked> {
    let parameter = context.hardware.parameter(kind.name())?;
    let mask = mask_reading(parameter, &asked.value, context.kernel)?;
    if cause == Cause::Shape && !looks_like_mask(kind, asked, &mask) {
        return None;
    }
    let rank = match (cause, kind) {
        (Cause::Shape, Kind::Ppfeaturemask) => 0,
        (Cause::Shape, _) => 3,
        _ => 0,
    };
    Some((rank, of_mask(kind, parameter, &mask, context)))
}

/// Masks of power features have nearly all bits set, those of display debug options few.
fn looks_like_mask(kind: Kind, asked: &Asked, mask: &MaskReading<'_>) -> bool {
    let Some(number) = asked.number().filter(|number| number.prefixed) else { return false };
    match kind {
        Kind::Ppfeaturemask => number.digits == 8 && mask.value >= 0xfff0_0000,
        _ => {
            let few = mask.value.count_ones() <= 4;
            number.digits < 8 && mask.unnamed == 0 && mask.value >= 0x10 && few
        }
    }
}

fn of_mask(
    kind: Kind,
    parameter: &Parameter,
    mask: &MaskReading<'_>,
    context: &Context<'_>,
) -> Interpretation {
    let mut fields = vec![Detail::new("value", format!("0x{:x}", mask.value))];
    fields.extend(mask.default.map(|default| Detail::new("default", format!("0x{default:x}"))));
    let does = |bit: &MaskBit| bit.does.as_ref().map(|does| format!(": {does}"));
    let kernels = |bit: &MaskBit| bit.span.words().map(|words| format!("; kernels: {words}"));
    let switched =
        |bits: &[&MaskBit], value: &str, text: &str, more: fn(&MaskBit) -> Option<String>| {
            let part = |bit: &&MaskBit| Detail {
                bits: Some(bit_numbers(bit.bit)),
                ..Detail::new(bit.name.clone(), value)
                    .means(format!("{text}{}", more(bit).unwrap_or_default()))
            };
            bits.iter().map(part).collect::<Vec<_>>()
        };
    fields.extend(switched(&mask.added, "1", "switched on", does));
    fields.extend(switched(&mask.cleared, "0", "switched off", does));
    fields.extend(switched(&mask.without_effect, "1", "no effect on this kernel", kernels));
    if mask.unnamed != 0 {
        let text = "bits that differ from the default and have no name in any checked kernel";
        fields.push(Detail::new("unnamed", format!("0x{:x}", mask.unnamed)).means(text));
    }
    let changed = mask.added.len() + mask.cleared.len();
    let summary = match (mask.default, changed) {
        (None, _) => "what the driver uses without it was not checked for this kernel".to_owned(),
        (Some(default), _) if default == mask.value => "this is the default".to_owned(),
        (Some(_), 0) => "nothing with a name differs from the default".to_owned(),
        (Some(_), 1) => "one setting differs from the default".to_owned(),
        (Some(_), changed) => format!("{changed} settings differ from the default"),
    };
    let summary = format!("amdgpu.{}=0x{:x}: {summary}", parameter.name, mask.value);
    Interpretation {
        assumes: context.kernel.is_none().then(|| "a current kernel: --kernel decides".to_owned()),
        notes: parameter.note.iter().cloned().collect(),
        ..Interpretation::new(kind, summary, fields, MASK_SOURCE)
    }
}

/// The numbers of the bits of a mask entry, which may have two: `4`, `6, 4`.
fn bit_numbers(mask: u32) -> String {
    let set = (0..u32::BITS).rev().filter(|bit| mask >> bit & 1 == 1);
    joined(set)
}
