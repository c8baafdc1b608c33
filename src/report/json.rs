//! The report as JSON, to the letter of the contract: keys in its order, `null` for what is unknown.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::time::Time;
use super::unknown::UnknownObject;
use super::untrusted::is_harmful;
use super::{Part, Report};
use crate::diagnosis::action::Action;
use crate::diagnosis::choice::LeftOut;
use crate::diagnosis::{Diagnosis, Finding, Notice};
use crate::event::device::Device;
use crate::event::kinds::Event;
use crate::event::log::{Boot, Log};
use crate::event::{MessageName, Observed};
use crate::record::Direction;
use crate::value::DeviceKind;
use crate::value::field::Value;

/// Rises only with a change that breaks programs.
pub(super) const SCHEMA_VERSION: u32 = 1;

/// What a document has that not everybody wants.
#[derive(Clone, Copy, Debug, Default)]
pub struct Include {
    /// Every event.
    pub events: bool,
    /// The driver's lines without a known meaning.
    pub unknown: bool,
}

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, include: Include, out: &mut impl io::Write) -> io::Result<()> {
    whole(&document(report, include), out)
}

/// Writes one document.
pub(super) fn whole(document: &impl Serialize, out: &mut impl io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Harmless::default());
    document.serialize(&mut serializer)?;
    writeln!(out)
}

/// The event of a log that is the only input.
pub(super) fn single(observed: &Observed) -> EventObject<'_> {
    event(observed, &Base { input: 0, boot: 0 })
}

/// Writes every event of `report`, one object a line.
///
/// # Errors
/// What the writer returns.
pub fn write_events(report: &Report, out: &mut impl io::Write) -> io::Result<()> {
    all_events(report).try_for_each(|event| line(&event, out))
}

/// Writes one object on a line of its own.
pub(super) fn line(object: &impl Serialize, out: &mut impl io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Plain);
    object.serialize(&mut serializer)?;
    writeln!(out)
}

/// Pretty JSON in which no character can steer the terminal that shows it.
#[derive(Default)]
struct Harmless<'i> {
    pretty: serde_json::ser::PrettyFormatter<'i>,
}

/// The same on one line.
struct Plain;

fn write_harmless<W: ?Sized + io::Write>(out: &mut W, fragment: &str) -> io::Result<()> {
    let mut rest = fragment;
    while let Some(at) = rest.find(is_harmful) {
        out.write_all(&rest.as_bytes()[..at])?;
        let Some(c) = rest[at..].chars().next() else { break };
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}

impl serde_json::ser::Formatter for Plain {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_harmless(out, text)
    }
}

/// Forwards everything but text to the pretty formatter.
macro_rules! forward {
    ($($name:ident($($argument:ident: $Type:ty),*);)*) => { $(
        fn $name<W: ?Sized + io::Write>(&mut self, out: &mut W $(, $argument: $Type)*) -> io::Result<()> {
            self.pretty.$name(out $(, $argument)*)
        }
    )* };
}

impl serde_json::ser::Formatter for Harmless<'_> {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_harmless(out, text)
    }

    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }
}

#[derive(Serialize)]
struct Document<'r> {
    schema_version: u32,
    tool: Tool<'r>,
    verdict: &'static str,
    inputs: Vec<InputObject<'r>>,
    boots: Vec<BootObject<'r>>,
    devices: Vec<DeviceObject<'r>>,
    incidents: Vec<IncidentObject<'r>>,
    notices: Vec<NoticeObject<'r>>,
    events: Vec<EventObject<'r>>,
    not_evaluated: Vec<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Vec<UnknownObject<'r>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
}

#[derive(Serialize)]
pub(super) struct Tool<'r> {
    name: &'static str,
    version: &'static str,
    patterns: &'r str,
}

impl<'r> Tool<'r> {
    pub(super) const fn new(patterns: &'r str) -> Self {
        Self { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION"), patterns }
    }
}

#[derive(Serialize)]
struct InputObject<'r> {
    name: &'r str,
    format: &'static str,
    compression: Option<&'static str>,
    bytes: u64,
    lines: u64,
    records: u64,
    skipped_lines: u64,
    skipped_bytes: u64,
    dropped_events: u64,
    unknown_driver_lines: u64,
    left_out_incidents: usize,
    holes: Vec<HoleObject>,
}

#[derive(Serialize)]
struct HoleObject {
    line: u64,
    lost: Option<u64>,
}

#[derive(Serialize)]
struct BootObject<'r> {
    index: usize,
    input: usize,
    boot_id: Option<&'r str>,
    kernel: Option<&'r str>,
    command_line: Option<&'r str>,
    first: Time,
    last: Time,
}

#[derive(Serialize)]
struct DeviceObject<'r> {
    boot: usize,
    pci_address: Option<String>,
    pci_id: Option<String>,
    asic: Option<&'r str>,
    name: Option<&'r str>,
    gfx_target: Option<String>,
    gfx_generation: Option<String>,
    gfx_evidence: Option<&'static str>,
    vram_mib: Option<u64>,
    firmware: &'r BTreeMap<String, String>,
    gfx_candidates: Vec<String>,
    kind: Option<DeviceKind>,
    memory: Option<&'r str>,
    virtual_function: bool,
    lost_line: Option<u64>,
}

#[derive(Serialize)]
struct Position {
    input: usize,
    line: u64,
    time: Time,
}

#[derive(Serialize)]
struct OwnerObject<'r> {
    name: &'r str,
    pid: Option<u32>,
    thread: Option<&'r str>,
}

#[derive(Serialize)]
struct IncidentObject<'r> {
    id: usize,
    boot: usize,
    device: Option<String>,
    devices: Vec<String>,
    severity: &'static str,
    first: Option<Position>,
    last: Option<Position>,
    outcome: &'static str,
    fingerprint: &'r str,
    process: Option<OwnerObject<'r>>,
    diagnoses: Vec<DiagnosisObject<'r>>,
}

#[derive(Serialize)]
struct NoticeObject<'r> {
    id: &'r str,
    device: Option<String>,
    severity: &'static str,
    boot: usize,
    title: &'r str,
    role: &'static str,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

#[derive(Serialize)]
struct DiagnosisObject<'r> {
    id: &'r str,
    title: &'r str,
    role: &'static str,
    severity: &'static str,
    #[serde(flatten)]
    rest: DiagnosisRest<'r>,
}

#[derive(Serialize)]
struct DiagnosisRest<'r> {
    confidence: f64,
    summary: &'r str,
    evidence: Vec<EvidenceObject<'r>>,
    actions: Vec<ActionObject<'r>>,
    references: &'r [String],
    explain: &'r str,
    not_shown: &'r [String],
    reasons: Vec<ReasonObject<'r>>,
    layers: Vec<&'static str>,
    evidence_events: usize,
}

#[derive(Serialize)]
struct ReasonObject<'r> {
    by: f64,
    because: &'r str,
}

#[derive(Serialize)]
struct EvidenceObject<'r> {
    event: &'static str,
    input: usize,
    line: u64,
    last_line: u64,
    text: &'r str,
}

#[derive(Serialize)]
struct ActionObject<'r> {
    summary: &'r str,
    command: Option<&'r str>,
    why: &'r str,
    risk: &'r str,
    verify: &'r str,
    trust: &'static str,
    status: &'static str,
    id: &'r str,
    source: &'r str,
}

#[derive(Serialize)]
pub(super) struct EventObject<'r> {
    event: &'static str,
    message: &'r str,
    messages: Vec<(u64, &'r MessageName)>,
    input: usize,
    line: u64,
    lines: [u64; 2],
    boot: usize,
    time: Time,
    level: Option<&'static str>,
    device: Option<String>,
    device_inferred: bool,
    fields: FieldsObject<'r>,
    text: &'r str,
}

struct FieldsObject<'r>(&'r Event);

impl Serialize for FieldsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for definition in self.0.kind().fields() {
            if let Some(value) = self.0.field(definition.name) {
                map.serialize_entry(definition.name, &ValueObject(&value))?;
            }
        }
        map.end()
    }
}

struct ValueObject<'v>(&'v Value);

impl Serialize for ValueObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => serializer.serialize_i64(*number),
            Value::Errno(errno) => serializer.serialize_i32(errno.0),
            Value::Hex(hex) => serializer.collect_str(hex),
            Value::Word(text) | Value::Text(text) => serializer.serialize_str(text),
            Value::List(words) => words.serialize(serializer),
            Value::Records(records) => {
                serializer.collect_seq(records.iter().map(|values| NamedValues(values)))
            }
            Value::Register(raw, bits) => {
                let mut map = serializer.serialize_map(Some(bits.len() + 1))?;
                map.serialize_entry("raw", &raw.to_string())?;
                for (name, value) in bits {
                    map.serialize_entry(name, &ValueObject(value))?;
                }
                map.end()
            }
        }
    }
}

struct NamedValues<'v>(&'v [(&'static str, Value)]);

impl Serialize for NamedValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (*name, ValueObject(value))))
    }
}

/// Where the boots of an input stand among those of all inputs.
struct Base {
    input: usize,
    boot: usize,
}

fn bases(report: &Report) -> impl Iterator<Item = (Base, &Part)> {
    report.parts.iter().enumerate().scan(0, |boot, (input, part)| {
        let base = Base { input, boot: *boot };
        *boot += part.log.boots.len();
        Some((base, part))
    })
}

fn document(report: &Report, include: Include) -> Document<'_> {
    let mut document = Document {
        schema_version: SCHEMA_VERSION,
        tool: Tool::new(&report.patterns),
        verdict: report.verdict().name(),
        inputs: report.parts.iter().map(input).collect(),
        boots: Vec::new(),
        devices: Vec::new(),
        incidents: Vec::new(),
        notices: Vec::new(),
        events: Vec::new(),
        not_evaluated: Vec::new(),
        unknown: include.unknown.then(|| super::unknown::objects(report).collect()),
        left_out: report.left_out(),
    };
    for (base, part) in bases(report) {
        document.boots.extend(part.boots().map(|(index, known)| boot(known, index, &base)));
        document.devices.extend(part.devices().map(|known| device(known, &base)));
        for finding in &part.conclusions.findings {
            let id = document.incidents.len() + 1;
            document.incidents.push(incident(finding, id, &part.log, &base));
        }
        let notices = part.conclusions.notices.iter();
        document.notices.extend(notices.map(|known| notice(known, &part.log, &base)));
        document.not_evaluated.extend(part.conclusions.not_evaluated.iter().map(String::as_str));
    }
    if include.events {
        document.events = all_events(report).collect();
    }
    document
}

fn all_events(report: &Report) -> impl Iterator<Item = EventObject<'_>> {
    bases(report).flat_map(|(base, part)| part.events().map(move |observed| event(observed, &base)))
}

fn input(part: &Part) -> InputObject<'_> {
    let reading = &part.log.reading;
    InputObject {
        name: &part.name,
        format: reading.form.name(),
        compression: part.compression.map(crate::input::Compression::name),
        bytes: reading.bytes,
        lines: reading.lines,
        records: reading.records,
        skipped_lines: reading.skipped_lines(),
        skipped_bytes: reading.skipped.bytes,
        dropped_events: part.log.dropped_events,
        unknown_driver_lines: part.log.unknown_driver_lines,
        left_out_incidents: part.conclusions.left_out,
        holes: reading
            .holes
            .iter()
            .map(|hole| HoleObject { line: hole.line, lost: hole.lost })
            .collect(),
    }
}

fn boot<'r>(known: &'r Boot, index: usize, base: &Base) -> BootObject<'r> {
    BootObject {
        index: base.boot + index,
        input: base.input,
        boot_id: known.boot_id.as_deref(),
        kernel: known.kernel.as_deref(),
        command_line: known.command_line.as_deref(),
        first: Time::certain(&known.first),
        last: Time::certain(&known.last),
    }
}

fn device<'r>(known: &'r Device, base: &Base) -> DeviceObject<'r> {
    DeviceObject {
        boot: base.boot + known.boot,
        pci_address: known.address.map(|address| address.to_string()),
        pci_id: known.pci_id.map(|id| id.to_string()),
        asic: known.asic.as_deref(),
        name: known.name.as_deref(),
        gfx_target: known.target.map(|target| target.to_string()),
        gfx_generation: known.generation.map(|generation| generation.to_string()),
        gfx_evidence: known.evidence.map(crate::event::device::ChipEvidence::name),
        vram_mib: known.vram_mib,
        firmware: &known.firmware,
        gfx_candidates: known.candidates.iter().map(ToString::to_string).collect(),
        kind: known.kind,
        memory: known.memory.as_deref(),
        virtual_function: known.virtual_function,
        lost_line: known.lost,
    }
}

fn incident<'r>(finding: &'r Finding, id: usize, log: &'r Log, base: &Base) -> IncidentObject<'r> {
    let incident = &finding.incident;
    let event = |index: Option<&usize>| index.and_then(|index| log.events.get(*index));
    let position = |observed: &Observed, line: u64| Position {
        input: base.input,
        line,
        time: Time::certain(&observed.stamp),
    };
    let turned = log.reading.direction == Direction::Reversed;
    let begin = |observed: &Observed| {
        if turned { observed.last_line() } else { observed.line() }
    };
    // What was joined last need not belong to the event that began last.
    let all = || incident.events.iter().filter_map(|at| log.events.get(*at));
    let last_line =
        if turned { all().map(Observed::line).min() } else { all().map(Observed::last_line).max() };
    IncidentObject {
        id,
        boot: base.boot + incident.boot,
        device: incident.device.map(|device| device.to_string()),
        devices: incident.devices.iter().map(ToString::to_string).collect(),
        severity: finding.severity.name(),
        first: event(incident.events.first()).map(|observed| position(observed, begin(observed))),
        last: event(incident.events.last())
            .map(|observed| position(observed, last_line.unwrap_or_default())),
        outcome: incident.outcome.name(),
        fingerprint: &finding.fingerprint,
        process: finding.owner.as_ref().map(|owner| OwnerObject {
            name: &owner.name,
            pid: owner.pid,
            thread: owner.thread.as_deref(),
        }),
        diagnoses: finding.diagnoses.iter().map(|known| diagnosis(known, log, base)).collect(),
    }
}

fn diagnosis<'r>(known: &'r Diagnosis, log: &'r Log, base: &Base) -> DiagnosisObject<'r> {
    DiagnosisObject {
        id: &known.id,
        title: &known.title,
        role: known.role.name(),
        severity: known.severity.name(),
        rest: rest(known, log, base),
    }
}

fn notice<'r>(notice: &'r Notice, log: &'r Log, base: &Base) -> NoticeObject<'r> {
    let known = &notice.diagnosis;
    NoticeObject {
        id: &known.id,
        device: notice.device.map(|device| device.to_string()),
        severity: known.severity.name(),
        boot: base.boot + notice.boot,
        title: &known.title,
        role: known.role.name(),
        rest: rest(known, log, base),
    }
}

fn rest<'r>(known: &'r Diagnosis, log: &'r Log, base: &Base) -> DiagnosisRest<'r> {
    DiagnosisRest {
        confidence: known.confidence,
        summary: &known.summary,
        evidence: evidence(known, log, base),
        actions: actions(known),
        references: &known.references,
        explain: &known.explain,
        not_shown: &known.unsaid,
        reasons: reasons(known),
        layers: known.layers.iter().map(|layer| layer.name()).collect(),
        evidence_events: known.evidence_events,
    }
}

fn reasons(known: &Diagnosis) -> Vec<ReasonObject<'_>> {
    known.reasons.iter().map(|r| ReasonObject { by: r.by, because: &r.because }).collect()
}

/// So many events are given as evidence: of a storm, the first and the last of them.
const EVIDENCE: (usize, usize) = (48, 16);

fn evidence<'r>(known: &Diagnosis, log: &'r Log, base: &Base) -> Vec<EvidenceObject<'r>> {
    let (first, last) = EVIDENCE;
    let all = known.evidence.len();
    let shown = known.evidence.iter().enumerate();
    let shown =
        shown.filter(|(place, _)| all <= first + last || *place < first || *place >= all - last);
    shown
        .filter_map(|(_, index)| log.events.get(*index))
        .map(|observed| EvidenceObject {
            event: observed.event.kind().name(),
            input: base.input,
            line: observed.line(),
            last_line: observed.last_line(),
            text: &observed.text,
        })
        .collect()
}

fn actions(known: &Diagnosis) -> Vec<ActionObject<'_>> {
    known.actions.iter().map(action).collect()
}

fn action(action: &Action) -> ActionObject<'_> {
    ActionObject {
        summary: &action.advice.summary,
        command: action.advice.command.as_deref(),
        why: &action.advice.why,
        risk: &action.advice.risk,
        verify: &action.advice.verify,
        trust: action.advice.trust.name(),
        status: action.standing.name(),
        id: &action.advice.id,
        source: &action.advice.source,
    }
}

fn event<'r>(observed: &'r Observed, base: &Base) -> EventObject<'r> {
    EventObject {
        event: observed.event.kind().name(),
        message: observed.message.as_str(),
        messages: observed.lines().collect(),
        input: base.input,
        line: observed.line(),
        lines: [observed.line(), observed.last_line()],
        boot: base.boot + observed.boot,
        time: Time::certain(&observed.stamp),
        level: observed.level.map(crate::value::Level::name),
        device: observed.device.map(|device| device.to_string()),
        device_inferred: observed.inferred,
        fields: FieldsObject(&observed.event),
        text: &observed.text,
    }
}
