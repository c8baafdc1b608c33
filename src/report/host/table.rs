//! Hardware and software as a table for trackers.

use crate::document::counts::{any, joined};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{HostFacts, MissingFact, help};
use crate::document::{Block, Fact, List, markdown, prose};
use crate::host::about::{Connector, Details, Package};
use crate::host::{Gpu, Setting};
use crate::pattern::machine::PackageKind;

/// Maximum number of package versions in a row.
const VERSIONS: usize = 6;
/// Maximum number of packages of one version to name.
const NAMED: usize = 3;

#[derive(Default)]
struct Rows(Vec<Fact>);

impl Rows {
    /// Adds a row if it has a value.
    fn add(&mut self, label: &str, text: impl Into<Option<String>>) {
        if let Some(text) = text.into().filter(|text| !text.is_empty()) {
            self.0.push(Fact::new(label, text));
        }
    }
}

/// All rows with a value.
fn rows(facts: HostFacts<'_>) -> Vec<Fact> {
    let mut rows = Rows::default();
    rows.add("Kernel", kernel(facts));
    rows.add("Kernel packages", packages(facts, PackageKind::Kernel));
    rows.add("Driver", driver(facts));
    rows.add("Driver packages", packages(facts, PackageKind::Driver));
    rows.add("Distribution", distribution(facts));
    rows.add("CPU", processor(facts));
    rows.add("Memory", memory(facts));
    rows.add("Board", board(facts));
    rows.add("BIOS", bios(facts));
    let several = facts.gpus().count() > 1;
    for (gpu, details) in facts.gpus() {
        let of = |what: &str| {
            if several { format!("{what} of {}", gpu.address) } else { what.to_owned() }
        };
        rows.add("GPU", name(facts, gpu, details));
        rows.add(&of("Chip"), chip(facts, gpu, details));
        rows.add(&of("VBIOS"), gpu.vbios.clone().ok());
        rows.add(&of("VRAM"), vram(gpu, details));
        rows.add(&of("Firmware versions"), firmware(gpu));
        rows.add(&of("Overdrive"), overdrive(details));
        rows.add(&of("Displays"), displays(details));
    }
    rows.add("Firmware package", packages(facts, PackageKind::Firmware));
    rows.add("Firmware overlay", overlay(facts));
    rows.add("Mesa", packages(facts, PackageKind::Mesa));
    rows.add("Vulkan", packages(facts, PackageKind::Vulkan));
    rows.add("libdrm", packages(facts, PackageKind::Libdrm));
    rows.add("ROCm", rocm(facts));
    rows.add("Desktop and session", desktop(facts));
    rows.add("X server", packages(facts, PackageKind::Xorg));
    rows.add("Driver parameters", parameters(facts));
    rows.add("Taint", taint(facts));
    rows.0
}

/// Redacts a text.
pub(crate) type Clean<'c> = dyn FnMut(&str) -> String + 'c;

/// The table, and the missing facts, as Markdown. Text is redacted before it is escaped, because
/// private values would not be found afterwards.
#[must_use]
pub fn markdown(facts: HostFacts<'_>, clean: &mut Clean<'_>) -> String {
    let mut clean = |text: String| clean(&text);
    let fact = |Fact { label, text }| Fact::new(clean(label), clean(text.to_string()));
    let mut blocks = vec![Block::Facts(rows(facts).into_iter().map(fact).collect())];
    let missing: Vec<String> = missing(facts).into_iter().map(clean).collect();
    if !missing.is_empty() {
        blocks.extend([prose("Not known:"), List::of(missing).into()]);
    }
    markdown::text(&blocks, 1)
}

/// The missing facts, grouped by reason.
fn missing(facts: HostFacts<'_>) -> Vec<String> {
    let mut groups: Vec<(MissingFact, Vec<String>)> = Vec::new();
    for lack in facts.lacks() {
        let same = |(one, _): &&mut (MissingFact, Vec<String>)| {
            one.why == lack.why && one.help == lack.help
        };
        match groups.iter_mut().find(same) {
            Some((_, names)) => names.push(lack.what),
            None => groups.push((lack.clone(), vec![lack.what])),
        }
    }
    let line = |(lack, names): (MissingFact, Vec<String>)| {
        let helps = lack.help.map(|helps| format!("; {}", help(helps))).unwrap_or_default();
        format!("{}: {}{helps}", names.join(", "), lack.why)
    };
    groups.into_iter().map(line).collect()
}

pub(super) fn kernel(facts: HostFacts<'_>) -> String {
    let system = &facts.about.system;
    let parts = [system.kernel.as_deref(), system.build.as_deref(), system.architecture.as_deref()];
    joined(parts.into_iter().flatten(), " ")
}

pub(super) fn driver(facts: HostFacts<'_>) -> Option<String> {
    let module = &facts.host.module;
    let mut text = match (&module.loaded, &module.version) {
        (Err(_), _) => return None,
        (Ok(false), _) => "amdgpu is not loaded".to_owned(),
        (Ok(true), Ok(Some(version))) => format!("amdgpu {version}, AMD's own package"),
        (Ok(true), _) => "amdgpu of the kernel".to_owned(),
    };
    let others = module.dkms.as_deref().unwrap_or_default();
    if !others.is_empty() {
        let _ = write!(text, "; DKMS has {}", others.join(", "));
    }
    Some(text)
}

pub(super) fn distribution(facts: HostFacts<'_>) -> Option<String> {
    let release = facts.about.system.release.as_ref().ok()?;
    let name = release.name.to_ascii_lowercase();
    let variant = release.variant.as_deref().filter(|it| !name.contains(&it.to_ascii_lowercase()));
    let variant = variant.map(|variant| format!(" ({variant})"));
    Some(format!("{}{}", release.name, variant.unwrap_or_default()))
}

pub(super) fn processor(facts: HostFacts<'_>) -> Option<String> {
    let processor = facts.about.system.processor.as_ref().ok()?;
    let model = processor.model.as_deref().unwrap_or("unknown");
    let plural = if processor.threads == 1 { "" } else { "s" };
    Some(format!("{model}, {} thread{plural}", processor.threads))
}

pub(super) fn memory(facts: HostFacts<'_>) -> Option<String> {
    let memory = facts.about.system.memory.as_ref().ok()?;
    let swap = match memory.swap {
        None => String::new(),
        Some(0) => ", no swap".to_owned(),
        Some(bytes) => format!(", swap {}", size(bytes)),
    };
    Some(format!("{}{swap}", size(memory.total)))
}

/// A size in GiB with one decimal; below 1 GiB in MiB.
fn size(bytes: u64) -> String {
    let tenths = bytes / (1 << 20) * 10 / 1024;
    if tenths < 10 {
        format!("{} MiB", bytes / (1 << 20))
    } else {
        format!("{}.{} GiB", tenths / 10, tenths % 10)
    }
}

pub(super) fn board(facts: HostFacts<'_>) -> String {
    let board = &facts.about.system.board;
    let mut parts: Vec<&str> = Vec::new();
    for part in [&board.vendor, &board.product, &board.name].into_iter().flatten() {
        if !part.is_empty() && !parts.contains(&part.as_str()) {
            parts.push(part);
        }
    }
    parts.join(" / ")
}

pub(super) fn bios(facts: HostFacts<'_>) -> Option<String> {
    let board = &facts.about.system.board;
    let version = board.bios_version.as_deref().ok()?;
    let date = board.bios_date.as_deref().map(|date| format!(" of {date}"));
    Some(format!("{version}{}", date.unwrap_or_default()))
}

/// `Radeon RX 7900 XTX at 0000:03:00.0, [1002:744c] (rev c8), subsystem [1002:0e3b]`
pub(super) fn name(facts: HostFacts<'_>, gpu: &Gpu, details: &Details) -> String {
    let name = facts.product(gpu).unwrap_or_else(|| "unknown to amdtriage".to_owned());
    let mut text = format!("{name} at {}, [{}]", gpu.address, gpu.id);
    if let Ok(revision) = &details.revision {
        let _ = write!(text, " (rev {revision:02x})");
    }
    if let Ok(board) = gpu.board {
        let _ = write!(text, ", subsystem [{board}]");
    }
    match &gpu.driver {
        Ok(Some(driver)) if driver == "amdgpu" => {}
        Ok(Some(driver)) => {
            let _ = write!(text, ", driven by {driver}");
        }
        Ok(None) => text.push_str(", without a driver"),
        Err(_) => {}
    }
    text
}

pub(super) fn chip(facts: HostFacts<'_>, gpu: &Gpu, details: &Details) -> String {
    let mut parts = Vec::new();
    parts.extend(facts.chip(gpu).map(|chip| chip.asic.clone()));
    parts.extend(facts.target(gpu).map(|target| target.to_string()));
    for (block, name) in [("GC", "GC"), ("DMU", "DCN"), ("MP0", "PSP"), ("MP1", "SMU")] {
        if let Some([major, minor, revision]) = details.block(block) {
            parts.push(format!("{name} {major}.{minor}.{revision}"));
        }
    }
    parts.join(", ")
}

fn vram(gpu: &Gpu, details: &Details) -> Option<String> {
    let mut text = size(*gpu.vram_bytes.as_ref().ok()?);
    let memory = &details.memory;
    if let Ok(vendor) = &memory.vendor {
        let _ = write!(text, " of {vendor}");
    }
    if let Ok(used) = &memory.vram.used {
        let _ = write!(text, ", {} in use", size(*used));
    }
    if let Ok(total) = &memory.gtt.total {
        let _ = write!(text, "; GTT {}", size(*total));
    }
    Some(text)
}

pub(super) fn firmware(gpu: &Gpu) -> Option<String> {
    let versions = gpu.firmware.as_ref().ok()?;
    let versions = versions.iter().map(|(block, version)| format!("{block} {version:#010x}"));
    Some(joined(versions, ", "))
}

fn overdrive(details: &Details) -> Option<String> {
    match &details.overdrive {
        Ok(None) => None,
        Ok(Some(_)) => Some("allowed (the driver has pp_od_clk_voltage)".to_owned()),
        Err(_) => Some("allowed; its table was not read".to_owned()),
    }
}

pub(super) fn displays(details: &Details) -> Option<String> {
    let connectors = details.connectors.as_ref().ok()?;
    let display = |connector: &Connector| {
        let mode = connector.mode.as_ref().ok().and_then(Option::as_deref);
        let mode = mode.map(|mode| format!(" {mode}")).unwrap_or_default();
        let off = connector.enabled.as_deref() == Ok("disabled");
        format!("{}{mode}{}", connector.name, if off { " (off)" } else { "" })
    };
    let shown = connectors.iter().filter(|it| it.is_connected()).map(display);
    Some(any(shown, ", ").unwrap_or_else(|| "none connected".to_owned()))
}

/// The number of connected displays by type of connector.
pub(super) fn connections(facts: HostFacts<'_>) -> Option<String> {
    let connectors = facts.gpus().flat_map(|(_, details)| details.connectors.iter().flatten());
    let kinds: BTreeSet<&str> = connectors
        .filter(|connector| connector.is_connected())
        .map(|connector| connector.name.rsplit_once('-').map_or(connector.name.as_str(), |it| it.0))
        .collect();
    any(kinds, ", ")
}

/// Packages of a kind, grouped by version: `25.2.6-1 (mesa-libgl, mesa-vulkan-drivers; installed
/// 2026-11-02)`.
pub(super) fn packages(facts: HostFacts<'_>, kind: PackageKind) -> String {
    let mut versions: BTreeMap<&str, Vec<&Package>> = BTreeMap::new();
    for package in facts.about.packages.of(kind) {
        versions.entry(&package.version).or_default().push(package);
    }
    let mut told: Vec<(usize, String)> =
        versions.iter().map(|(version, all)| (all.len(), one_version(version, all))).collect();
    // The version of most packages is the relevant one.
    told.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let more = told.len().saturating_sub(VERSIONS);
    let mut told: Vec<String> = told.into_iter().take(VERSIONS).map(|(_, text)| text).collect();
    if more > 0 {
        told.push(format!("{more} more"));
    }
    told.join("; ")
}

fn one_version(version: &str, all: &[&Package]) -> String {
    let mut names: Vec<&str> =
        all.iter().take(NAMED).map(|package| package.name.as_str()).collect();
    names.dedup();
    if all.len() > NAMED {
        names.push("…");
    }
    let installed = all.iter().filter_map(|package| package.installed).max();
    let installed = installed.map(|day| format!(", installed {day}")).unwrap_or_default();
    format!("{version} ({}{installed})", names.join(", "))
}

fn overlay(facts: HostFacts<'_>) -> Option<String> {
    let files = &facts.about.firmware_files.overlay;
    match files.len() {
        0 => None,
        1 => Some("1 file in /lib/firmware/updates overrides the package".to_owned()),
        count => Some(format!("{count} files in /lib/firmware/updates override the package")),
    }
}

pub(super) fn rocm(facts: HostFacts<'_>) -> String {
    let installations = facts.about.rocm.installations.as_deref().unwrap_or_default();
    let mut parts: Vec<String> = installations
        .iter()
        .map(|one| match &one.version {
            Ok(version) => format!("{version} in {}", one.folder),
            Err(_) => one.folder.clone(),
        })
        .collect();
    parts.extend(Some(packages(facts, PackageKind::Rocm)).filter(|text| !text.is_empty()));
    parts.join("; ")
}

pub(super) fn desktop(facts: HostFacts<'_>) -> String {
    let session = &facts.about.session;
    let mut parts: Vec<String> = session.desktop.iter().chain(&session.kind).cloned().collect();
    parts.extend(Some(packages(facts, PackageKind::Desktop)).filter(|text| !text.is_empty()));
    parts.join(", ")
}

/// Configured parameters; the last setting of a name counts.
pub(super) fn parameters(facts: HostFacts<'_>) -> Option<String> {
    let module = &facts.host.module;
    facts.host.kernel.command_line.as_ref().ok()?;
    let last: BTreeMap<&str, &Setting> =
        module.settings.iter().map(|setting| (setting.name.as_str(), setting)).collect();
    let set = last.into_iter().map(|(name, setting)| {
        let wanted = setting.value.as_deref().unwrap_or("1");
        format!("{name}={wanted} ({})", setting.place)
    });
    Some(any(set, ", ").unwrap_or_else(|| "none set".to_owned()))
}

pub(super) fn taint(facts: HostFacts<'_>) -> Option<String> {
    let flags = facts.about.system.taint.as_ref().ok()?;
    let bits = facts.host.kernel.tainted.as_ref().ok()?;
    let flags = flags.iter().map(|flag| format!("{} ({})", flag.letter, flag.meaning));
    Some(any(flags, ", ").map_or_else(|| "none".to_owned(), |flags| format!("{bits}: {flags}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_short() {
        for (bytes, want) in [
            (0, "0 MiB"),
            (512 << 20, "512 MiB"),
            (1 << 30, "1.0 GiB"),
            (25_753_026_560, "23.9 GiB"),
            (u64::MAX, "17179869183.9 GiB"),
        ] {
            assert_eq!(size(bytes), want);
        }
    }
}
