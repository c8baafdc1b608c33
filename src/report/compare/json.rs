//! A comparison as one JSON document: `null` for what a log does not tell.

use std::io;

use serde::Serialize;

use super::{Compared, Named};
use crate::compare::chosen::Why;
use crate::compare::{
    Comparison, Doubt, Driver, EventRow, Extent, GpuPair, Held, IncidentRow, MachineChange,
    NoticeRow, OptionChange, Setting, Silence, Standing, Suspect, Tie, Trend, Verdict,
};
use crate::diagnosis::Finding;
use crate::event::device::Device;
use crate::event::log::Log;
use crate::event::unknown::Unknown;
use crate::incident::outcome::Outcome;
use crate::kind::{Kind, Part as EventPart};
use crate::pattern::machine::Concern;
use crate::pattern::signature::Severity;
use crate::report::json::{SCHEMA_VERSION, Tool, whole};
use crate::report::word::Word;
use crate::value::{Level, Micros, PciAddress, PciId};

/// Writes the document.
///
/// # Errors
/// What the writer returns.
pub fn write(compared: &Compared<'_>, out: &mut impl io::Write) -> io::Result<()> {
    whole(&document(compared), out)
}

/// What one boot has that another one has not.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Diff"))]
pub(in crate::report) struct DiffDocument<'c> {
    /// Rises only with a change that breaks programs.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    schema_version: u32,
    /// What wrote it.
    tool: Tool<'c>,
    /// The answer in one word.
    verdict: Word<Verdict>,
    /// The answer in a few sentences.
    answer: String,
    /// The boot that went well.
    good: SideObject<'c>,
    /// The boot that is held against it.
    bad: SideObject<'c>,
    /// What differs and may have to do with a failure; none of it is proven to be its cause.
    suspects: Vec<SuspectObject>,
    /// What both logs say of the machine, and what happened in them.
    differences: DifferencesObject<'c>,
    /// The failures, each bug once: those that are new first.
    incidents: Vec<IncidentPairObject<'c>>,
    /// What cannot be told, and why.
    not_told: Vec<String>,
}

/// One side of a comparison.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SideObject<'c> {
    /// The log.
    name: &'c str,
    /// How many other logs of the input were passed over for it.
    other_logs: usize,
    /// Which boot of the log, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    boot: usize,
    /// How many boots the log has.
    boots: usize,
    /// Why it is this boot.
    chosen: Word<Why>,
    /// The kernel's release.
    kernel: Option<&'c str>,
    /// From the first record of the boot to the last, in seconds.
    seconds: Option<f64>,
    /// When the first record was printed, in seconds since the kernel began.
    begins: Option<f64>,
    /// When the last record was printed, in seconds since the kernel began.
    ends: Option<f64>,
    /// Why the log may lack what happened.
    doubts: Vec<Word<Doubt>>,
}

/// Something that may have to do with a failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SuspectObject {
    /// What it is.
    kind: Word<SuspectKind>,
    /// In words.
    text: String,
}

/// What a suspect is.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) enum SuspectKind {
    Kernel,
    Driver,
    Firmware,
    Parameter,
    Gpu,
    Machine,
}

impl SuspectKind {
    /// The word used in JSON.
    pub(in crate::report) const fn name(self) -> &'static str {
        match self {
            Self::Kernel => "kernel",
            Self::Driver => "driver",
            Self::Firmware => "firmware",
            Self::Parameter => "parameter",
            Self::Gpu => "gpu",
            Self::Machine => "machine",
        }
    }
}

/// What both logs say, section by section.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DifferencesObject<'c> {
    /// The kernel's release.
    kernel: PairObject<&'c str>,
    /// The version of amdgpu's interface.
    interface: PairObject<String>,
    /// Whose driver it is.
    driver: PairObject<String>,
    /// Words of the kernel command line that differ, those of a GPU first; null where a log has none.
    parameters: Option<Vec<ParameterObject<'c>>>,
    /// What differs in the machines, as they were when the bundles were made; null where not both inputs are
    /// bundles that say it.
    machine: Option<Vec<MachineChangeObject<'c>>>,
    /// The GPUs.
    gpus: Vec<GpuPairObject<'c>>,
    /// The events, each thing once: new ones first.
    events: Vec<EventPairObject<'c>>,
    /// What is worth knowing and no failure, each signature once.
    notices: Vec<NoticePairObject<'c>>,
    /// The driver's lines without a known meaning that the good log has not; null where that cannot be told.
    unknown: Option<Vec<UnknownLineObject<'c>>>,
}

/// A fact of both sides; null where a log does not tell it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PairObject<T> {
    /// In the good one.
    good: Option<T>,
    /// In the bad one.
    bad: Option<T>,
}

impl<T> PairObject<T> {
    fn of<S>(held: Held<S>, tell: impl Fn(S) -> T) -> Self {
        Self { good: held.good.map(&tell), bad: held.bad.map(&tell) }
    }
}

/// Software or firmware of the machine that differs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MachineChangeObject<'c> {
    /// What it is, in words.
    what: String,
    /// In the good one.
    good: Option<&'c str>,
    /// In the bad one.
    bad: Option<&'c str>,
}

/// A word of the kernel command line that differs.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ParameterObject<'c> {
    /// What it is called, `-` as `_`.
    name: &'c str,
    /// What it is about.
    concern: Word<Concern>,
    /// What the good one has; null for a word without a value.
    good: Vec<Option<&'c str>>,
    /// What the bad one has. Values that tell of somebody's disks or networks are `…`.
    bad: Vec<Option<&'c str>>,
}

/// A GPU of both sides, or of one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuPairObject<'c> {
    /// How the two belong together.
    tie: Word<Tie>,
    /// Where it sits.
    pci_address: PairObject<PciAddress>,
    /// Vendor and device.
    pci_id: PairObject<PciId>,
    /// The silicon's public name.
    asic: PairObject<&'c str>,
    /// The product.
    name: PairObject<&'c str>,
    /// Video memory in MiB.
    vram_mib: PairObject<u64>,
    /// Firmware versions.
    firmware: Vec<FirmwarePairObject<'c>>,
}

/// The version of a firmware.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FirmwarePairObject<'c> {
    /// The block that it runs on.
    block: &'c str,
    /// In the good one, as printed.
    good: Option<&'c str>,
    /// In the bad one, as printed.
    bad: Option<&'c str>,
}

/// How often a side has something, and where first.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CountObject {
    /// How often.
    count: u64,
    /// The first line, counted from 1.
    line: Option<u64>,
}

/// One thing that events report.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct EventPairObject<'c> {
    /// The kind of event.
    kind: Word<Kind>,
    /// The part that it plays in an incident.
    part: Word<EventPart>,
    /// What else makes events the same thing: parts of the chip, errors.
    marks: Vec<MarkObject<'c>>,
    /// What the first of them means.
    means: Option<&'c str>,
    /// Which side has it.
    standing: Word<Standing>,
    /// In the good one.
    good: CountObject,
    /// In the bad one.
    bad: CountObject,
    /// Where only one has it, what it proves that the other has not; null where both have it.
    silence: Option<Word<Silence>>,
    /// Where both have it, how often by number and by hour; null where only one has it.
    trend: Option<Word<Trend>>,
}

/// A field in which events of one thing agree.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MarkObject<'c> {
    /// The field; of a ring only its engine counts.
    field: &'static str,
    /// Its value.
    value: &'c str,
}

/// What is worth knowing and no failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NoticePairObject<'c> {
    /// The signature.
    id: &'c str,
    /// Its title.
    title: &'c str,
    /// How bad it is.
    severity: Word<Severity>,
    /// Which side has it.
    standing: Word<Standing>,
    /// How often the good one has it.
    good: usize,
    /// How often the bad one has it.
    bad: usize,
}

/// A line of the driver without a known meaning.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnknownLineObject<'c> {
    /// What is the same in all of its kind: a format.
    shape: &'c str,
    /// How loud, where the log tells.
    level: Option<Word<Level>>,
    /// How often the log has it.
    count: u64,
    /// The first line, counted from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The text of the first.
    text: &'c str,
}

/// One bug with its incidents.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct IncidentPairObject<'c> {
    /// The same for the same bug in other runs and on other machines: that of the first incident of `bad`,
    /// or else of `good`.
    fingerprint: &'c str,
    /// The title of its first diagnosis; null where there is none.
    title: Option<&'c str>,
    /// The ids of its diagnoses, what broke first ahead.
    diagnoses: Vec<&'c str>,
    /// How bad it is.
    severity: Word<Severity>,
    /// Which side has it.
    standing: Word<Standing>,
    /// How many incidents the good one has with the same first diagnosis and another course.
    same_diagnosis_in_good: usize,
    /// Whether the GPU always came back in the good one, and once did not in the bad one.
    worse: bool,
    /// Where only one has it, what it proves that the other has not; null where both have it.
    silence: Option<Word<Silence>>,
    /// The incidents of the good one.
    good: Vec<OccurrenceObject>,
    /// The incidents of the bad one.
    bad: Vec<OccurrenceObject>,
}

/// One incident.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct OccurrenceObject {
    /// The GPU that failed first; null where no line names one.
    device: Option<PciAddress>,
    /// The first line, counted from 1.
    line: Option<u64>,
    /// How it ended.
    outcome: Word<Outcome>,
}

fn document<'c>(compared: &Compared<'c>) -> DiffDocument<'c> {
    let comparison = compared.comparison;
    DiffDocument {
        schema_version: SCHEMA_VERSION,
        tool: Tool::new(compared.patterns),
        verdict: Word(comparison.verdict),
        answer: super::words::answer(compared),
        good: side(&compared.good, &comparison.good, comparison.kernel.good),
        bad: side(&compared.bad, &comparison.bad, comparison.kernel.bad),
        suspects: comparison.suspects().map(suspect).collect(),
        differences: differences(comparison),
        incidents: comparison.incidents.iter().map(|row| incident(row, compared)).collect(),
        not_told: super::words::gaps(compared),
    }
}

#[allow(clippy::cast_precision_loss, reason = "no boot lasts 285 years")]
fn seconds(span: Micros) -> f64 {
    span.0 as f64 / 1e6
}

fn side<'c>(side: &Named<'c>, extent: &Extent, kernel: Option<&'c str>) -> SideObject<'c> {
    SideObject {
        name: &side.part.name,
        other_logs: side.others,
        boot: side.chosen.boot + 1,
        boots: side.part.log.boots.len(),
        chosen: Word(side.chosen.why),
        kernel,
        seconds: extent.lasts.map(seconds),
        begins: extent.begins.map(seconds),
        ends: extent.ends.map(seconds),
        doubts: extent.doubts.iter().copied().map(Word).collect(),
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
    SuspectObject { kind: Word(kind), text: super::words::suspect(suspect) }
}

fn differences<'c>(comparison: &'c Comparison<'c>) -> DifferencesObject<'c> {
    let interface = |[major, minor, patch]: [u32; 3]| format!("{major}.{minor}.{patch}");
    let driver = |driver: Driver<'_>| super::words::driver(&driver);
    let options = comparison.options.as_ref();
    DifferencesObject {
        kernel: PairObject::of(comparison.kernel, |release| release),
        interface: PairObject::of(comparison.interface, interface),
        driver: PairObject::of(comparison.driver, driver),
        parameters: options.map(|options| options.iter().map(parameter).collect()),
        machine: comparison.machine.as_ref().map(|all| all.iter().map(machine).collect()),
        gpus: comparison.gpus.iter().map(gpu).collect(),
        events: comparison.events.iter().map(event).collect(),
        notices: comparison.notices.iter().map(notice).collect(),
        unknown: comparison
            .unknown
            .as_ref()
            .map(|unknown| unknown.iter().map(|line| line_object(line)).collect()),
    }
}

fn machine(change: &MachineChange) -> MachineChangeObject<'_> {
    MachineChangeObject {
        what: super::words::machine(change).0,
        good: change.held.good.as_deref(),
        bad: change.held.bad.as_deref(),
    }
}

fn parameter(change: &OptionChange) -> ParameterObject<'_> {
    fn told(settings: &[Setting]) -> Vec<Option<&str>> {
        let told = settings.iter().map(|setting| match setting {
            Setting::Flag => None,
            Setting::Value(value) => Some(value.as_str()),
            Setting::Private => Some("…"),
        });
        told.collect()
    }
    ParameterObject {
        name: &change.name,
        concern: Word(change.concern),
        good: told(&change.good),
        bad: told(&change.bad),
    }
}

fn gpu<'c>(pair: &'c GpuPair<'c>) -> GpuPairObject<'c> {
    let text = |read: fn(&Device) -> Option<&str>| PairObject {
        good: pair.good.and_then(read),
        bad: pair.bad.and_then(read),
    };
    GpuPairObject {
        tie: Word(pair.tie),
        pci_address: PairObject::of(pair.address(), |address| address),
        pci_id: PairObject::of(pair.pci_id(), |id| id),
        asic: text(|device| device.asic.as_deref()),
        name: text(|device| device.name.as_deref()),
        vram_mib: PairObject::of(pair.vram(), |mib| mib),
        firmware: pair
            .firmware
            .iter()
            .map(|row| FirmwarePairObject {
                block: row.block,
                good: row.version.good,
                bad: row.version.bad,
            })
            .collect(),
    }
}

fn event<'c>(row: &'c EventRow<'c>) -> EventPairObject<'c> {
    let both = row.standing() == Standing::Both;
    let count = |count: &crate::compare::Count<'_>| CountObject {
        count: count.count,
        line: count.first.map(crate::event::Observed::line),
    };
    let marks = row.likeness.marks.iter();
    EventPairObject {
        kind: Word(row.likeness.kind),
        part: Word(row.likeness.kind.part()),
        marks: marks.map(|(field, value)| MarkObject { field, value }).collect(),
        means: row.first().map(|observed| observed.means.as_str()),
        standing: Word(row.standing()),
        good: count(&row.good),
        bad: count(&row.bad),
        silence: (!both).then_some(Word(row.silence)),
        trend: both.then_some(Word(row.trend)),
    }
}

fn notice<'c>(row: &NoticeRow<'c>) -> NoticePairObject<'c> {
    let diagnosis = &row.first.diagnosis;
    NoticePairObject {
        id: &diagnosis.id,
        title: &diagnosis.title,
        severity: Word(diagnosis.severity),
        standing: Word(row.standing()),
        good: row.good,
        bad: row.bad,
    }
}

fn line_object(unknown: &Unknown) -> UnknownLineObject<'_> {
    UnknownLineObject {
        shape: &unknown.shape,
        level: unknown.level.map(Word),
        count: unknown.count,
        line: unknown.line,
        text: &unknown.text,
    }
}

fn incident<'c>(row: &'c IncidentRow<'c>, compared: &Compared<'c>) -> IncidentPairObject<'c> {
    let first = row.first();
    let both = row.standing() == Standing::Both;
    let diagnoses = first.map(|finding| finding.diagnoses.as_slice()).unwrap_or_default();
    let all = || row.bad.iter().chain(&row.good);
    IncidentPairObject {
        fingerprint: first.map(|finding| finding.fingerprint.as_str()).unwrap_or_default(),
        title: diagnoses.first().map(|diagnosis| diagnosis.title.as_str()),
        diagnoses: diagnoses.iter().map(|diagnosis| diagnosis.id.as_str()).collect(),
        severity: Word(all().map(|finding| finding.severity).max().unwrap_or(Severity::Warning)),
        standing: Word(row.standing()),
        same_diagnosis_in_good: row.kin,
        worse: row.is_worse,
        silence: (!both).then_some(Word(row.silence)),
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
            outcome: Word(finding.incident.outcome),
        }
    };
    findings.iter().map(of).collect()
}
