//! Sentences about a comparison.

use std::collections::BTreeSet;

use super::{Compared, Named};
use crate::compare::chosen::{Chosen, Why};
use crate::compare::{
    ComparedVerdict, Comparison, Doubt, Driver, EventRow, Extent, FirmwareRow, GpuPair,
    IncidentRow, MachineChange, MachineFact, OptionChange, Presence, Setting, Silence, Suspect,
    Tie,
};
use crate::diagnosis::Finding;
use crate::document::counts::{joined, several, span};
use crate::event::device::Device;
use crate::incident::outcome::Outcome;
use crate::input::called;
use crate::pattern::instruction::Instruction;
use crate::pattern::machine::PackageKind;
use crate::report::words::{dotted, gpu};
use crate::value;

/// Maximum number of suspects in the result.
const NAMED: usize = 4;

/// The selected boot of a log, and why.
pub(in crate::report) fn side(side: &Named<'_>) -> String {
    let boot = boot(side.chosen, side.part.log.boots.len());
    let name = called(&side.part.name);
    match side.others {
        0 => format!("{name}, {boot}"),
        others => {
            format!("{name} (of {} logs, the one with most driver lines), {boot}", others + 1)
        }
    }
}

/// The number of the boot and of all boots, and why it was selected.
fn boot(chosen: Chosen, count: usize) -> String {
    let place = chosen.boot + 1;
    match chosen.why {
        Why::Only => "its only boot".to_owned(),
        Why::Asked(number) if count == 1 => format!("boot {number}, as requested"),
        Why::Asked(_) => format!("boot {place} of {count}, as requested"),
        Why::LastWithout => format!("boot {place} of {count}, the last one without an incident"),
        Why::LastWith => format!("boot {place} of {count}, the last one with an incident"),
        Why::Last => format!("boot {place} of {count}: no other fits better"),
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
        Tie::Same => None,
        Tie::Moved => Some(format!("at {bad} in BAD, the same chip at {good} in GOOD")),
        Tie::Replaced => Some("another chip than in GOOD".to_owned()),
        Tie::Gone => Some("only in GOOD".to_owned()),
        Tie::Appeared => Some("only in BAD".to_owned()),
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

/// Why the absence in the other log proves nothing; `None` if it does prove something.
const fn silence(silence: Silence) -> Option<&'static str> {
    match silence {
        Silence::Proves => None,
        Silence::Gaps => Some("GOOD's log is incomplete"),
        Silence::EndsBefore => Some("GOOD's log ends before that time of its boot"),
        Silence::BeginsLater => Some("GOOD's log begins after that time of its boot"),
        Silence::Untimed => Some("the logs do not show how long each boot had been running"),
    }
}

/// The number of messages of one log at times that the other one does not cover.
fn beyond(comparison: &Comparison<'_>) -> Vec<String> {
    let mut told = Vec::new();
    for (presence, here, there) in [(Presence::New, "BAD", "GOOD"), (Presence::Gone, "GOOD", "BAD")]
    {
        for (silence, why) in [
            (Silence::EndsBefore, "after the end of"),
            (Silence::BeginsLater, "before the beginning of"),
        ] {
            let fits = |row: &&EventRow<'_>| row.presence() == presence && row.silence == silence;
            let count = comparison.events.iter().filter(fits).count();
            if count > 0 {
                let kinds = several(count, "kind");
                told.push(format!(
                    "{kinds} of messages only in {here}, at a time {why} {there}'s log: this proves nothing about {there}."
                ));
            }
        }
    }
    told
}

/// The result in one to a few sentences.
pub(in crate::report) fn answer(compared: &Compared<'_>) -> String {
    let comparison = compared.comparison;
    let mut sentences = vec![what(comparison)];
    if comparison.verdict == ComparedVerdict::NewFailure {
        sentences.extend(doubt(comparison));
    }
    if has_more(comparison) {
        sentences.push(in_question(comparison));
    } else if comparison.verdict == ComparedVerdict::Different {
        sentences.extend(changed(comparison));
    }
    sentences.join(" ")
}

/// Whether BAD has an incident that GOOD does not have, or a worse outcome.
fn has_more(comparison: &Comparison<'_>) -> bool {
    let new = |row: &IncidentRow<'_>| row.presence() == Presence::New;
    comparison.verdict.is_worse() || comparison.incidents.iter().any(new)
}

fn new_failures<'c, 'l>(
    comparison: &'c Comparison<'l>,
) -> impl Iterator<Item = &'c IncidentRow<'l>> {
    let new = |row: &&IncidentRow<'_>| row.presence() == Presence::New && row.is_failure();
    comparison.incidents.iter().filter(new)
}

/// The title of the first incident.
fn first<'c, 'l: 'c>(rows: impl Iterator<Item = &'c IncidentRow<'l>>) -> String {
    rows.take(1).filter_map(IncidentRow::first).map(title).collect()
}

fn what(comparison: &Comparison<'_>) -> String {
    let rows = |presence: Presence| {
        comparison.incidents.iter().filter(move |row| row.presence() == presence)
    };
    let gone = match rows(Presence::Gone).count() {
        0 => String::new(),
        1 => "; 1 failure of GOOD is gone".to_owned(),
        count => format!("; {count} failures of GOOD are gone"),
    };
    match comparison.verdict {
        ComparedVerdict::NewFailure => {
            let first = first(new_failures(comparison));
            match new_failures(comparison).count() {
                1 => format!("BAD has 1 failure that GOOD does not have: {first}."),
                count => {
                    format!("BAD has {count} failures that GOOD does not have; the first: {first}.")
                }
            }
        }
        ComparedVerdict::WorseFailure => {
            let title = first(comparison.incidents.iter().filter(|row| row.is_worse));
            format!("Both have this failure, but in BAD the GPU did not recover: {title}.")
        }
        ComparedVerdict::KnownFailure => {
            let first = first(rows(Presence::Both));
            match rows(Presence::Both).count() {
                1 => format!("The failure in BAD is also in GOOD: {first}{gone}."),
                count => format!(
                    "All {count} failures in BAD are also in GOOD; the first: {first}{gone}."
                ),
            }
        }
        ComparedVerdict::Different => {
            match (rows(Presence::New).count(), rows(Presence::Gone).count()) {
                (0, 0) => "No failure in BAD, and none in GOOD.".to_owned(),
                (0, _) => format!(
                    "No failure in BAD, but one in GOOD. Perhaps GOOD and BAD are swapped: {}.",
                    first(rows(Presence::Gone))
                ),
                (count, _) => format!(
                    "BAD has no failure that GOOD does not have, but {} of lower severity: {}.",
                    several(count, "incident"),
                    first(rows(Presence::New))
                ),
            }
        }
        ComparedVerdict::Same => "The logs show no difference and no failure.".to_owned(),
    }
}

/// Reasons to doubt that the failure is new.
fn doubt(comparison: &Comparison<'_>) -> Option<String> {
    let first = new_failures(comparison).next()?;
    if first.kin == 0 {
        let why = silence(first.silence)?;
        return Some(format!("Its absence from GOOD proves little: {why}."));
    }
    let incidents = several(first.kin, "incident");
    Some(format!("GOOD has {incidents} with the same diagnosis and a different course."))
}

/// The differences, the first ones by name.
fn differing(comparison: &Comparison<'_>) -> Vec<String> {
    let mut named: Vec<String> = comparison.suspects().take(NAMED).map(suspect).collect();
    let more = comparison.suspects().skip(NAMED).count();
    named.extend((more > 0).then(|| format!("{more} more")));
    named
}

/// The suspects.
fn in_question(comparison: &Comparison<'_>) -> String {
    match (differing(comparison).as_slice(), told_alike(comparison).as_slice()) {
        ([], []) => "These logs do not show what else differs.".to_owned(),
        ([], known) => format!("These logs show no difference in {}.", enumerated(known)),
        ([one], _) => format!(
            "Possible cause among the differences: {one}. A difference alone does not prove a cause."
        ),
        (all, _) => format!(
            "Possible causes among the differences: {}. A difference alone does not prove a cause.",
            enumerated(all)
        ),
    }
}

/// The properties that both logs have and that can be compared.
fn told_alike(comparison: &Comparison<'_>) -> Vec<String> {
    let Comparison { kernel, options, gpus, .. } = comparison;
    let both = |row: &FirmwareRow<'_>| row.version.good.is_some() && row.version.bad.is_some();
    let known = [
        ("kernel", kernel.good.is_some() && kernel.bad.is_some()),
        ("firmware", gpus.iter().flat_map(|pair| &pair.firmware).any(both)),
        ("parameters", options.is_some()),
        ("GPUs", gpus.iter().any(GpuPair::is_one_chip)),
    ];
    known.into_iter().filter(|(_, known)| *known).map(|(what, _)| what.to_owned()).collect()
}

/// The differences, if none led to a failure.
fn changed(comparison: &Comparison<'_>) -> Option<String> {
    let named = differing(comparison);
    (!named.is_empty()).then(|| format!("Differences: {}.", enumerated(&named)))
}

/// `a, b and c`.
fn enumerated(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{} and {last}", one.join(", ")),
        names => names.concat(),
    }
}

const fn doubtful(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Filtered => "was filtered: what is missing may have been filtered out",
        Doubt::Holes => "reports gaps: what is missing may have been there",
        Doubt::StartsLate => "does not have the beginning of the boot",
        Doubt::Stopped => "was not read to its end",
        Doubt::Forgotten => "has more events than are kept, so counts are too small",
        Doubt::Undiagnosed => "has more incidents than are diagnosed, so some are not compared",
        Doubt::Timeless => "has no times",
    }
}

/// What cannot be decided, and why.
pub(in crate::report) fn gaps(compared: &Compared<'_>) -> Vec<String> {
    let comparison = compared.comparison;
    let mut gaps = Vec::new();
    if comparison.machine.is_some() {
        gaps.push(
            "Packages and similar facts are those at the time each archive was made, which may be in a later boot."
                .to_owned(),
        );
    }
    for (name, extent) in [("GOOD", &comparison.good), ("BAD", &comparison.bad)] {
        gaps.extend(extent.doubts.iter().map(|doubt| format!("{name} {}.", doubtful(*doubt))));
    }
    let lacks = |good: bool, bad: bool| match (good, bad) {
        (true, true) => None,
        (false, true) => Some("GOOD"),
        (true, false) => Some("BAD"),
        (false, false) => Some("neither"),
    };
    let kernel = &comparison.kernel;
    let known = |side: &Named<'_>| {
        let boot = side.part.log.boots.get(side.chosen.boot);
        boot.is_some_and(|boot| boot.command_line.is_some())
    };
    for (what, side) in [
        ("the kernel's release", lacks(kernel.good.is_some(), kernel.bad.is_some())),
        ("the kernel command line", lacks(known(&compared.good), known(&compared.bad))),
    ] {
        gaps.extend(side.map(|side| match side {
            "neither" => format!("Neither log has {what}."),
            side => format!("The log of {side} does not have {what}."),
        }));
    }
    let told = |row: &FirmwareRow<'_>| row.version.good.is_some() && row.version.bad.is_some();
    if !comparison.gpus.iter().flat_map(|pair| &pair.firmware).any(told) {
        gaps.push("No firmware version is in both logs.".to_owned());
    }
    gaps.extend(beyond(comparison));
    if comparison.unknown.is_none() {
        gaps.push(
            "Lines without a known meaning cannot be assigned to a boot in this log.".to_owned(),
        );
    }
    if let (false, Some((good, bad))) =
        (comparison.verdict == ComparedVerdict::Same, comparison.lengths())
        && (good.0 < bad.0 / 4 || bad.0 < good.0 / 4)
    {
        gaps.push(format!(
            "GOOD covers {}, BAD {}: a rare message may be missing from the shorter one by chance.",
            span(good),
            span(bad)
        ));
    }
    gaps
}

/// Something that can be reverted, in the order of the advice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lever {
    Kernel,
    Driver,
    Firmware,
    Option,
    Software,
    Gpu,
}

impl Lever {
    const fn of(suspect: &Suspect<'_, '_>) -> Self {
        match suspect {
            Suspect::Kernel(..) => Self::Kernel,
            Suspect::Firmware(..) => Self::Firmware,
            Suspect::Option(_) => Self::Option,
            Suspect::Driver(..) => Self::Driver,
            Suspect::Gpu(_) => Self::Gpu,
            Suspect::Machine(change) => match change.fact {
                MachineFact::Firmware(..) | MachineFact::Package(PackageKind::Firmware, _) => {
                    Self::Firmware
                }
                MachineFact::Package(PackageKind::Kernel, _) => Self::Kernel,
                MachineFact::Package(..)
                | MachineFact::VideoBios(_)
                | MachineFact::Rocm
                | MachineFact::Bios
                | MachineFact::Distribution => Self::Software,
            },
        }
    }

    const fn advice(self) -> &'static str {
        match self {
            Self::Kernel => {
                "Boot the kernel of GOOD and change nothing else. If the failure does not return, report \
                 it as a regression with both releases; `amdtriage explain bisect` says how."
            }
            Self::Driver => {
                "Boot with the driver of GOOD: with AMD's package (DKMS) or without it, as it was there."
            }
            Self::Firmware => {
                "Install the firmware package of GOOD, under the kernel of BAD; `amdtriage explain \
                 fw-rollback` says how."
            }
            Self::Option => "Boot BAD with the kernel parameters of GOOD.",
            Self::Software => {
                "Install the versions that GOOD had of the other packages that differ, one after the other."
            }
            Self::Gpu => "Put the card back into its old slot, and check the slot and the cables.",
        }
    }
}

/// What to do if something became worse.
pub(in crate::report) fn steps(comparison: &Comparison<'_>) -> Vec<Instruction> {
    if !has_more(comparison) {
        return Vec::new();
    }
    let all: Vec<Lever> = comparison.suspects().map(|suspect| Lever::of(&suspect)).collect();
    let levers: BTreeSet<Lever> = all.iter().copied().collect();
    let options = all.iter().filter(|lever| **lever == Lever::Option).count();
    let several = (levers.len() > 1 || options > 1).then_some(
        "Change one thing back at a time and repeat what made it fail. If you change several at once, \
         you cannot know which one helped.",
    );
    let last = if levers.is_empty() {
        "Check what a kernel log does not show: the versions of Mesa, ROCm, the firmware package and the \
         BIOS, and which programs ran. Also check whether GOOD still works when it runs longer."
    } else {
        "Try each state more than once: an intermittent failure can also stay away by chance."
    };
    let texts = several.into_iter().chain(levers.into_iter().map(Lever::advice)).chain([last]);
    texts.filter_map(|text| Instruction::parse(text).ok()).collect()
}
