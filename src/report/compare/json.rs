//! A comparison as one JSON document: `null` for values that are not in a log.

use std::io;

use serde::Serialize;

use super::{Compared, ComparedSide};
use crate::compare::chosen::SelectionReason;
use crate::compare::{
    ComparedVerdict, Comparison, Count, Doubt, Driver, EventRow, Extent, FirmwareRow, GoodBad,
    GpuMatch, GpuPair, IncidentRow, MachineChange, NoticeRow, OptionChange, Presence, Silence,
    Suspect, Trend,
};
use crate::diagnosis::Finding;
use crate::event::device::Device;
use crate::event::log::Log;
use crate::event::unknown::Unknown;
use crate::incident::outcome::Outcome;
use crate::kind::{Kind, Part};
use crate::pattern::signature::Severity;
use crate::report::json::{Head, whole};
use crate::value::{Micros, PciAddress, PciId};

/// Writes the document.
pub(crate) fn write(compared: &Compared<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    whole(&document(compared), out)
}

/// The differences between two boots.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Diff"))]
pub(in crate::report) struct DiffDocument<'c> {
    #[serde(flatten)]
    head: Head<'c>,
    /// The verdict.
    verdict: ComparedVerdict,
    /// The answer in a few sentences.
    answer: String,
    /// The good boot.
    good: SideObject<'c>,
    /// The bad boot.
    bad: SideObject<'c>,
    /// What differs and may have to do with a failure; none of it is proven to be its cause.
    suspects: Vec<SuspectObject>,
    /// The differences, by section.
    differences: DifferencesObject<'c>,
    /// The failures, each bug once: those that are new first.
    incidents: Vec<IncidentPairObject<'c>>,
    /// What cannot be compared, and why.
    not_told: Vec<String>,
}

/// One side of a comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideObject<'c> {
    /// The name of the input.
    name: &'c str,
    /// The number of other logs of the input, which were not compared.
    other_logs: usize,
    /// Which boot of the log, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    boot: usize,
    /// How many boots the log has.
    boots: usize,
    /// Why this boot was selected.
    chosen: SelectionReason,
    /// The kernel release, as `uname -r` prints it; null if the log does not state it.
    kernel: Option<&'c str>,
    /// The time from the first record of the boot to the last, in seconds; null if unknown.
    seconds: Option<f64>,
    /// The time of the first record, in seconds since the kernel started; null if unknown.
    begins: Option<f64>,
    /// The time of the last record, in seconds since the kernel started; null if unknown.
    ends: Option<f64>,
    /// Why the log may be incomplete.
    doubts: Vec<Doubt>,
}

/// Something that may have to do with a failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SuspectObject {
    /// What differs: kernel, driver, firmware, parameter, GPU or machine.
    kind: SuspectKind,
    /// The reason in words.
    text: String,
}

/// What differs.
#[derive(Clone, Copy, Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(in crate::report) enum SuspectKind {
    Kernel,
    Driver,
    Firmware,
    Parameter,
    Gpu,
    Machine,
}

/// The differences, by section.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DifferencesObject<'c> {
    /// The kernel release; null on a side whose log does not state it.
    kernel: GoodBad<&'c str>,
    /// The version of amdgpu's user space interface, such as `3.61.0`; null if not stated.
    interface: GoodBad<String>,
    /// Who built the driver: the kernel's own, or a package; null if unknown.
    driver: GoodBad<String>,
    /// Words of the kernel command line that differ, those of a GPU first; null if a log has none.
    parameters: Option<&'c [OptionChange]>,
    /// Differences between the machines when the bundles were created; null unless both inputs are
    /// bundles that contain these facts.
    machine: Option<Vec<MachineChangeObject<'c>>>,
    /// The GPUs.
    gpus: Vec<GpuPairObject<'c>>,
    /// The events, one entry for equal ones, new ones first.
    events: Vec<EventPairObject<'c>>,
    /// The notices, one entry for each signature.
    notices: Vec<NoticePairObject<'c>>,
    /// Unrecognized lines of the driver that only the bad log has; null if they cannot be compared.
    unknown: Option<&'c [&'c Unknown]>,
}

/// Software or firmware of the machine that differs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MachineChangeObject<'c> {
    /// The component, in words.
    what: String,
    #[serde(flatten)]
    held: &'c GoodBad<String>,
}

/// A GPU of both boots, or of one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuPairObject<'c> {
    /// How the GPU of one boot was matched with that of the other.
    tie: GpuMatch,
    /// The PCI address.
    pci_address: GoodBad<PciAddress>,
    /// The PCI vendor and device id.
    pci_id: GoodBad<PciId>,
    /// The public name of the chip.
    asic: GoodBad<&'c str>,
    /// The product name; null if unknown.
    name: GoodBad<&'c str>,
    /// Video memory in MiB.
    vram_mib: GoodBad<u64>,
    /// Firmware versions.
    firmware: &'c [FirmwareRow<'c>],
}

/// Equal events of both boots.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EventPairObject<'c> {
    /// The kind of event.
    kind: Kind,
    /// The part that it plays in an incident.
    part: Part,
    /// The other fields in which the events agree, such as parts of the chip or errors.
    marks: Vec<MarkObject<'c>>,
    /// The meaning of the first of them.
    means: Option<String>,
    /// Which side has it.
    standing: Presence,
    /// The events in the good boot.
    good: &'c Count<'c>,
    /// The events in the bad boot.
    bad: &'c Count<'c>,
    /// If only one has it, what its absence in the other one proves; null if both have it.
    silence: Option<Silence>,
    /// If both have it, the change in number and in rate per hour; otherwise null.
    trend: Option<Trend>,
}

/// A field in which equal events agree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MarkObject<'c> {
    /// The name of the field; rings are compared by engine only.
    field: &'static str,
    /// The value of the field.
    value: &'c str,
}

/// Notices that are worth knowing but are not failures.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NoticePairObject<'c> {
    /// The id of the signature.
    id: &'c str,
    /// The title of the signature.
    title: &'c str,
    /// The severity.
    severity: Severity,
    /// Which side has it.
    standing: Presence,
    /// The number of notices in the good boot.
    good: usize,
    /// The number of notices in the bad boot.
    bad: usize,
}

/// One bug with its incidents.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct IncidentPairObject<'c> {
    /// The fingerprint of the first incident of `bad`, or else of `good`. The same bug has the same
    /// fingerprint on every machine.
    fingerprint: &'c str,
    /// The title of the first diagnosis; null if there is none.
    title: Option<&'c str>,
    /// The ids of its diagnoses, what failed first at the start.
    diagnoses: Vec<&'c str>,
    /// The severity.
    severity: Severity,
    /// Which side has it.
    standing: Presence,
    /// The number of incidents of the good boot with the same first diagnosis and another course.
    same_diagnosis_in_good: usize,
    /// Whether the GPU always recovered in the good boot, and failed to in the bad one.
    worse: bool,
    /// If only one has it, what its absence in the other one proves; null if both have it.
    silence: Option<Silence>,
    /// The incidents of the good boot.
    good: Vec<OccurrenceObject>,
    /// The incidents of the bad boot.
    bad: Vec<OccurrenceObject>,
}

/// One incident.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OccurrenceObject {
    /// The GPU that failed first; null if no line names one.
    device: Option<PciAddress>,
    /// The number of its first line, from 1.
    line: Option<u64>,
    /// The result of the recovery.
    outcome: Outcome,
}

fn document<'c>(compared: &Compared<'c>) -> DiffDocument<'c> {
    let comparison = compared.comparison;
    DiffDocument {
        head: Head::new(compared.patterns),
        verdict: comparison.verdict,
        answer: super::answer::answer(compared),
        good: side(&compared.good, &comparison.good, comparison.kernel.good),
        bad: side(&compared.bad, &comparison.bad, comparison.kernel.bad),
        suspects: comparison.suspects().map(suspect).collect(),
        differences: differences(comparison),
        incidents: comparison.incidents.iter().map(|row| incident(row, compared)).collect(),
        not_told: super::gaps::gaps(compared),
    }
}

#[allow(clippy::cast_precision_loss, reason = "no boot lasts 285 years")]
fn seconds(span: Micros) -> f64 {
    span.0 as f64 / 1e6
}

fn side<'c>(side: &ComparedSide<'c>, extent: &Extent, kernel: Option<&'c str>) -> SideObject<'c> {
    SideObject {
        name: &side.part.name,
        other_logs: side.others,
        boot: side.chosen.boot + 1,
        boots: side.part.log.boots.len(),
        chosen: side.chosen.why,
        kernel,
        seconds: extent.lasts.map(seconds),
        begins: extent.begins.map(seconds),
        ends: extent.ends.map(seconds),
        doubts: extent.doubts.clone(),
    }
}

fn suspect(suspect: Suspect<'_, '_>) -> SuspectObject {
    let kind = match suspect {
        Suspect::Kernel(..) => SuspectKind::Kernel,
        Suspect::Driver(..) => SuspectKind::Driver,
        Suspect::Firmware(..) => SuspectKind::Firmware,
        Suspect::Option(_) => SuspectKind::Parameter,
        Suspect::Gpu(_) => SuspectKind::Gpu,
        Suspect::Machine(_) => SuspectKind::Machine,
    };
    SuspectObject { kind, text: super::words::suspect(suspect) }
}

fn differences<'c>(comparison: &'c Comparison<'c>) -> DifferencesObject<'c> {
    let interface = |[major, minor, patch]: [u32; 3]| format!("{major}.{minor}.{patch}");
    let driver = |driver: Driver<'_>| super::words::driver(&driver);
    DifferencesObject {
        kernel: comparison.kernel,
        interface: comparison.interface.map(interface),
        driver: comparison.driver.map(driver),
        parameters: comparison.options.as_deref(),
        machine: comparison.machine.as_ref().map(|all| all.iter().map(machine).collect()),
        gpus: comparison.gpus.iter().map(gpu).collect(),
        events: comparison.events.iter().map(event).collect(),
        notices: comparison.notices.iter().map(notice).collect(),
        unknown: comparison.unknown.as_deref(),
    }
}

fn machine(change: &MachineChange) -> MachineChangeObject<'_> {
    MachineChangeObject { what: super::words::machine(change).0, held: &change.held }
}

fn gpu<'c>(pair: &'c GpuPair<'c>) -> GpuPairObject<'c> {
    let text = |read: fn(&Device) -> Option<&str>| GoodBad {
        good: pair.good.and_then(read),
        bad: pair.bad.and_then(read),
    };
    GpuPairObject {
        tie: pair.tie,
        pci_address: pair.address(),
        pci_id: pair.pci_id(),
        asic: text(|device| device.asic.as_deref()),
        name: text(|device| device.name.as_deref()),
        vram_mib: pair.vram(),
        firmware: &pair.firmware,
    }
}

fn event<'c>(row: &'c EventRow<'c>) -> EventPairObject<'c> {
    let both = row.presence() == Presence::Both;
    let marks = row.likeness.marks.iter();
    EventPairObject {
        kind: row.likeness.kind,
        part: row.likeness.kind.part(),
        marks: marks.map(|(field, value)| MarkObject { field, value }).collect(),
        means: row.first().map(crate::event::Observed::means),
        standing: row.presence(),
        good: &row.good,
        bad: &row.bad,
        silence: (!both).then_some(row.silence),
        trend: both.then_some(row.trend),
    }
}

fn notice<'c>(row: &NoticeRow<'c>) -> NoticePairObject<'c> {
    let diagnosis = &row.first.diagnosis;
    NoticePairObject {
        id: &diagnosis.id,
        title: &diagnosis.title,
        severity: diagnosis.severity,
        standing: row.presence(),
        good: row.good,
        bad: row.bad,
    }
}

fn incident<'c>(row: &'c IncidentRow<'c>, compared: &Compared<'c>) -> IncidentPairObject<'c> {
    let none = || unreachable!("a row has an incident of one side at least");
    let first = row.first().unwrap_or_else(none);
    let both = row.presence() == Presence::Both;
    let severities = row.bad.iter().chain(&row.good).map(|finding| finding.severity);
    IncidentPairObject {
        fingerprint: &first.fingerprint,
        title: first.diagnoses.first().map(|diagnosis| diagnosis.title.as_str()),
        diagnoses: first.diagnoses.iter().map(|diagnosis| diagnosis.id.as_str()).collect(),
        severity: severities.fold(first.severity, Severity::max),
        standing: row.presence(),
        same_diagnosis_in_good: row.same_head_in_good,
        worse: row.is_worse,
        silence: (!both).then_some(row.silence),
        good: occurrences(&row.good, &compared.good.part.log),
        bad: occurrences(&row.bad, &compared.bad.part.log),
    }
}

fn occurrences(findings: &[&Finding], log: &Log) -> Vec<OccurrenceObject> {
    let of = |finding: &&Finding| {
        let first = finding.incident.events.first().and_then(|at| log.events.get(*at));
        OccurrenceObject {
            device: finding.incident.device,
            line: first.map(crate::event::Observed::line),
            outcome: finding.incident.outcome,
        }
    };
    findings.iter().map(of).collect()
}
