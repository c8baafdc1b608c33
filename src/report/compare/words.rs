//! Words for the parts of a comparison.

use super::ComparedSide;
use crate::compare::chosen::{SelectedBoot, SelectionReason};
use crate::compare::{
    Doubt, Driver, Extent, FirmwareRow, GpuMatch, GpuPair, MachineChange, MachineFact,
    OptionChange, Setting, Suspect,
};
use crate::diagnosis::Finding;
use crate::document::counts::{joined, span};
use crate::event::device::Device;
use crate::incident::outcome::Outcome;
use crate::input::called;
use crate::report::words::{dotted, gpu};
use crate::value;

/// The selected boot of a log in `folder`, and why.
pub(in crate::report) fn side(side: &ComparedSide<'_>, folder: &str) -> String {
    let boot = boot(side.chosen, side.part.log.boots.len());
    let name = &side.part.name;
    let name = called(name.strip_prefix(folder).unwrap_or(name));
    match side.others {
        0 => format!("{name}, {boot}"),
        others => {
            format!("{name} (of {} logs, the one with most driver lines), {boot}", others + 1)
        }
    }
}

/// The number of the boot and of all boots, and why it was selected.
fn boot(chosen: SelectedBoot, count: usize) -> String {
    let place = chosen.boot + 1;
    match chosen.why {
        SelectionReason::Only => "its only boot".to_owned(),
        SelectionReason::Asked(number) if count == 1 => format!("boot {number}, as requested"),
        SelectionReason::Asked(_) => format!("boot {place} of {count}, as requested"),
        SelectionReason::LastWithout => {
            format!("boot {place} of {count}, the last one without an incident")
        }
        SelectionReason::LastWith => {
            format!("boot {place} of {count}, the last one with an incident")
        }
        SelectionReason::Last => format!("boot {place} of {count}: no other fits better"),
    }
}

/// The length of a boot in a log.
pub(super) fn length(extent: &Extent) -> String {
    let Some(lasts) = extent.lasts else { return "not in this log".to_owned() };
    let late = extent.doubts.contains(&Doubt::StartsLate);
    let begins = extent.begins.filter(|_| late).map(|begins| format!(", from {} on", span(begins)));
    let begins = match (begins, late) {
        (Some(begins), _) => begins,
        (None, true) => ", without the beginning".to_owned(),
        (None, false) => String::new(),
    };
    format!("{}{begins}", span(lasts))
}

/// A GPU, or that there is none.
pub(super) fn gpu_of(device: Option<&Device>) -> String {
    device.map_or_else(|| "not named".to_owned(), gpu)
}

/// A firmware version in its usual form.
pub(super) fn version(block: &str, version: &str) -> String {
    if block == "smu" { dotted(version) } else { value::Named(version).to_string() }
}

/// `MES firmware 0x6e → 0x82`.
fn firmware(row: &FirmwareRow<'_>, good: &str, bad: &str) -> String {
    let what = match row.block {
        "vbios" => "VBIOS".to_owned(),
        block => format!("{} firmware", value::Named(&block.to_uppercase())),
    };
    format!("{what} {} → {}", version(row.block, good), version(row.block, bad))
}

pub(super) fn driver(driver: &Driver<'_>) -> String {
    match driver {
        Driver::Own => "the kernel's own".to_owned(),
        Driver::Package(Some(version)) => format!("AMD's package (DKMS) {}", value::Named(version)),
        Driver::Package(None) => "AMD's package (DKMS)".to_owned(),
    }
}

/// `amdgpu.dc=0 added`.
pub(super) fn option(change: &OptionChange) -> String {
    let name = value::Named(&change.name).to_string();
    let words = |settings: &[Setting]| {
        let words = settings.iter().map(|setting| match setting {
            Setting::Flag => name.clone(),
            Setting::Value(value) => format!("{name}={}", value::Named(value)),
            Setting::Private => format!("{name}=…"),
        });
        joined(words, " ")
    };
    match (change.good.as_slice(), change.bad.as_slice()) {
        ([], bad) => format!("{} added", words(bad)),
        (good, []) => format!("{} removed", words(good)),
        (good, bad) if words(good) == words(bad) => format!("{name} has another value"),
        (good, bad) => format!("{} → {}", words(good), words(bad)),
    }
}

/// What happened to a GPU whose address changed.
pub(super) fn tie(pair: &GpuPair<'_>) -> Option<String> {
    let address = |device: Option<&Device>| {
        let address = device.and_then(|device| device.address);
        address.map_or_else(|| "without an address".to_owned(), |address| address.to_string())
    };
    let (good, bad) = (address(pair.good), address(pair.bad));
    match pair.tie {
        GpuMatch::Same => None,
        GpuMatch::Moved => Some(format!("at {bad} in BAD, the same chip at {good} in GOOD")),
        GpuMatch::Replaced => Some("another chip than in GOOD".to_owned()),
        GpuMatch::Gone => Some("only in GOOD".to_owned()),
        GpuMatch::Appeared => Some("only in BAD".to_owned()),
    }
}

/// What differs in the machine: `package mesa` and `25.1 → 25.2`.
pub(super) fn machine(change: &MachineChange) -> (String, String) {
    let label = match &change.fact {
        MachineFact::Firmware(address, block) => {
            format!("GPU {address} {} firmware", value::Named(&block.to_uppercase()))
        }
        MachineFact::VideoBios(address) => format!("GPU {address} VBIOS"),
        MachineFact::Package(kind, name) => {
            format!("{} package {}", kind.name(), value::Named(name))
        }
        MachineFact::Rocm => "ROCm".to_owned(),
        MachineFact::Bios => "BIOS".to_owned(),
        MachineFact::Distribution => "distribution".to_owned(),
    };
    let told = |text: &Option<String>| {
        text.as_deref().map(|text| value::Named(text).to_string()).unwrap_or_default()
    };
    (label, format!("{} → {}", told(&change.held.good), told(&change.held.bad)))
}

/// `GPU 0000:03:00.0`.
pub(super) fn label(pair: &GpuPair<'_>) -> String {
    let address = pair.address().bad.or(pair.address().good);
    address.map_or_else(|| "GPU".to_owned(), |address| format!("GPU {address}"))
}

pub(super) fn suspect(suspect: Suspect<'_, '_>) -> String {
    match suspect {
        Suspect::Kernel(good, bad) => {
            format!("kernel {} → {}", value::Named(good), value::Named(bad))
        }
        Suspect::Driver(good, bad) => format!("driver {} → {}", driver(good), driver(bad)),
        Suspect::Firmware(row, good, bad) => firmware(row, good, bad),
        Suspect::Option(change) => option(change),
        Suspect::Machine(change) => {
            let (label, text) = machine(change);
            format!("{label} {text}")
        }
        Suspect::Gpu(pair) => format!("{} ({})", label(pair), tie(pair).unwrap_or_default()),
    }
}

pub(super) fn title(finding: &Finding) -> String {
    let first = finding.diagnoses.first();
    first.map_or_else(
        || "something failed that no signature explains".to_owned(),
        |first| format!("{} ({})", first.title.trim_end_matches('.'), first.id),
    )
}

/// The outcome of an incident in a few words.
pub(super) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Recovered => "recovered",
        Outcome::RecoveredContextLost => "recovered, programs lost work",
        Outcome::VramLost => "recovered, video memory lost",
        Outcome::Failed => "not recovered",
        Outcome::NeverCompleted => "no end of the recovery seen",
        Outcome::Hung => "no recovery seen",
        Outcome::None => "kept working",
        Outcome::Unknown => "outcome not in the log",
    }
}
