//! Chips by PCI id and by gfx target.

use super::asked::Asked;
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, joined, listed};
use crate::pattern::hardware::{Chip, Fit, GfxPattern, Silicon};
use crate::value::{DeviceKind, GfxTarget, PciId, unique};

const CHIP_SOURCE: &str = "drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c pciidlist, drivers/gpu/drm/amd/amdkfd/kfd_device.c, libdrm data/amdgpu.ids";

/// AMD's PCI vendor id.
const AMD: u16 = 0x1002;

/// Reads `1002:744c`, `0x744c` and `0x1002:0x744c` in either order.
pub(super) fn read_pci_id(asked: &Asked, context: &Context<'_>) -> Option<Ranked> {
    let id = pci_id(&asked.text).or_else(|| pci_id(&asked.value))?;
    let chip = context.hardware.chip_by_pci(id)?;
    let mut fields =
        vec![Detail::new("pci id", id.to_string()), Detail::new("chip", chip.asic.clone())];
    fields.extend(about(chip));
    if let Some(device) = chip.device(id).filter(|device| !device.names.is_empty()) {
        fields.push(Detail::new("sold as", device.names.join(", ")));
    }
    let several = chip.gfx.len() > 1;
    let reading = Interpretation {
        assumes: (!asked.text.contains(':')).then(|| "that the vendor is AMD, 1002".to_owned()),
        notes: several
            .then(|| "the id alone does not decide which gfx target it is".to_owned())
            .into_iter()
            .collect(),
        ..Interpretation::new(Kind::PciId, format!("{id}: {}", chip.asic), fields, CHIP_SOURCE)
    };
    Some((0, reading))
}

fn pci_id(text: &str) -> Option<PciId> {
    let lower = text.trim_matches(['[', ']']).to_ascii_lowercase();
    let four = |part: &str| {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let hexadecimal = digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
        hexadecimal.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
    };
    match lower.split_once(':') {
        None => Some(PciId { vendor: AMD, device: four(&lower)? }),
        Some((first, second)) => match (four(first)?, four(second)?) {
            // `Add GPU node [0x744c:0x1002]` has the vendor second.
            (device, AMD) => Some(PciId { vendor: AMD, device }),
            (vendor, device) => Some(PciId { vendor, device }),
        },
    }
}

fn about(chip: &Chip) -> Vec<Detail> {
    let targets: Vec<String> = chip.gfx.iter().map(ToString::to_string).collect();
    let kind = match chip.kind {
        DeviceKind::Dgpu => "a card",
        DeviceKind::Apu => "part of a processor",
    };
    let mut parts =
        vec![Detail::new("gfx target", listed(&targets, "or")), Detail::new("kind", kind)];
    if !chip.gc.is_empty() {
        parts.push(Detail::new("graphics block", format!("GC {}", listed(&chip.gc, "or"))));
    }
    if !chip.code_names.is_empty() {
        parts.push(Detail::new("also called", chip.code_names.join(", ")));
    }
    parts
}

/// Parses `gfx1100`, `gfx11`, and the values of `HSA_OVERRIDE_GFX_VERSION` and
/// `gfx_target_version`.
pub(super) fn read_target(asked: &Asked, context: &Context<'_>, cause: Cause) -> Option<Ranked> {
    let value = asked.value.to_ascii_lowercase();
    let written = value.parse::<GfxPattern>().ok();
    let forced = GfxTarget::from_override(&value);
    let counted = value
        .parse()
        .ok()
        .and_then(GfxTarget::from_version)
        .filter(|_| cause != Cause::Shape || value.len() > 4);
    let target = || forced.or(counted)?.to_string().parse().ok();
    let pattern = written.or_else(target)?;
    let fits = |chip: &&Chip| {
        chip.gfx.iter().any(|target| pattern.fit(Silicon::Target(*target)) == Fit::Yes)
    };
    let chips: Vec<&Chip> = context.hardware.chips.iter().filter(fits).collect();
    if chips.is_empty() {
        return None;
    }
    let mut names: Vec<String> = chips.iter().map(|chip| chip.asic.clone()).collect();
    names.dedup();
    let mut reading = Interpretation::new(
        Kind::GfxTarget,
        format!("{pattern}: {}", listed(&names, "and")),
        chips.into_iter().map(chip_line).collect(),
        CHIP_SOURCE,
    );
    if asked.key.as_ref().is_some_and(|key| key.ends_with("hsa_override_gfx_version")) {
        reading.notes.push("ROCm takes every GPU for this chip, whichever it is: code made for it can fault or hang on another one".to_owned());
    }
    Some((0, reading))
}

fn chip_line(chip: &Chip) -> Detail {
    let targets: Vec<String> = chip.gfx.iter().map(ToString::to_string).collect();
    let names = unique(chip.devices.iter().flat_map(|device| &device.names));
    let part = Detail::new(chip.asic.clone(), listed(&targets, "or"));
    if names.is_empty() { part } else { part.means(joined(names)) }
}
