//! Matches signatures with incidents and ranks the diagnoses: what failed first, how, and what
//! followed from it.
//!
//! `sequence` matches one signature, `silence` drops diagnoses that others replace, `rank` orders
//! the rest, `action` selects advice, `verdict` gives the result for the log, `choice` restricts
//! what is shown, and `why` explains a match or a failed one.

mod absence;
pub(crate) mod action;
pub(crate) mod aftermath;
pub(crate) mod certainty;
pub mod choice;
pub(crate) mod confidence;
pub(crate) mod destination;
mod evidence;
pub(crate) mod rank;
pub(crate) mod reach;
pub(crate) mod run;
pub(crate) mod sequence;
mod silence;
mod survey;
pub(crate) mod verdict;
pub mod why;
mod words;
mod work;

use std::collections::BTreeSet;

use serde::Serialize;

use crate::event::Observed;
use crate::event::log::Log;
use crate::incident::fingerprint::fingerprint;
use crate::incident::{Incident, incidents};
use crate::kind::{self, Kind, Milestone};
use crate::pattern::Patterns;
use crate::pattern::constraint::Known;
use crate::pattern::signature::{AsNotice, Certainty, Layer, Role, Scope, Severity, Signature};
use crate::record::Level;
use crate::value::{FailureClass, Outcome, PciAddress};

use action::{Action, actions, gather_what_is_urgent, in_order};
use aftermath::Aftermath;
use certainty::{KnownCause, cause, certainty, suspect_the_first};
use confidence::{Circumstances, Counted, confidence, fits, holds};
use destination::Destination;
use evidence::evidence;
use run::Run;
use sequence::{Match, Scene, Search, search};
use silence::silencers;
use survey::{Stream, Survey};

/// Maximum number of incidents of a log to diagnose; of more, the first and the last ones.
const MOST_INCIDENTS: usize = 2_000;

/// A signature that matched an incident.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    /// The signature's id.
    pub id: String,
    pub(crate) title: String,
    /// Its role in the incident.
    pub role: Role,
    /// Its severity.
    pub severity: Severity,
    /// The class of failure; `None` if its lines show none.
    pub(crate) class: Option<FailureClass>,
    /// Whether it only repeats what a line says, because no other signature explains the incident.
    pub(crate) fallback: bool,
    /// The certainty.
    pub certainty: Certainty,
    /// What is known about its cause.
    pub(crate) cause: KnownCause,
    /// How well the lines fit the signature, from 0 to 1. Not a probability.
    pub match_score: f64,
    /// The reasons that changed the score.
    pub(crate) reasons: Vec<Counted>,
    /// What happened, in a few sentences.
    pub(crate) summary: String,
    /// What this log says about it, for the first screen.
    pub(crate) detail: Option<String>,
    /// An explanation of its meaning.
    pub(crate) explain: String,
    /// Questions that the log does not answer.
    pub(crate) unsaid: Vec<String>,
    /// The layers in which the cause may be, most likely first.
    pub(crate) layers: Vec<Layer>,
    /// Where to report it.
    pub(crate) destination: Option<Destination>,
    /// The evidence, as indices into the log's events; of many events outside the incident, only
    /// the first and the last.
    pub(crate) evidence: Vec<usize>,
    /// The number of events that are evidence.
    pub(crate) evidence_events: usize,
    /// The part of the evidence without which the signature would not match.
    pub(crate) proof: Vec<usize>,
    /// Recommended actions.
    pub actions: Vec<Action>,
    /// URLs for further reading.
    pub(crate) references: Vec<String>,
}

/// A process that used the GPU; not necessarily at fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Owner {
    /// The process name, which the kernel truncates to 15 bytes.
    pub name: String,
    /// The process id.
    pub pid: Option<u32>,
    /// The name of the thread that submitted the work.
    pub thread: Option<String>,
    /// Whether it shows the desktop, so that the session ends with it.
    #[serde(skip)]
    pub is_desktop: bool,
    /// How the line that names it is about it.
    #[serde(skip)]
    pub by: kind::Owner,
}

/// An incident with its diagnoses.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The incident.
    pub incident: Incident,
    /// The highest severity of its diagnoses; from its events, if no signature matched.
    pub(crate) severity: Severity,
    /// A hash that is equal for the same bug.
    pub fingerprint: String,
    /// The process whose work failed.
    pub(crate) owner: Option<Owner>,
    /// What is known of the recovery besides the outcome.
    pub(crate) aftermath: Aftermath,
    /// The diagnoses; the one that failed first comes first.
    pub diagnoses: Vec<Diagnosis>,
    /// The number of diagnoses that were left out because of the user's minimum certainty.
    pub(crate) unsure: usize,
}

impl Finding {
    /// The class of failure: that of its first diagnosis, else that of its first event with one.
    pub(crate) fn class(&self, log: &Log) -> Option<FailureClass> {
        let said = self.diagnoses.iter().find_map(|diagnosis| diagnosis.class);
        let seen = || log.at(&self.incident.events).find_map(|seen| seen.event.class());
        let class = said.or_else(seen);
        match class {
            Some(FailureClass::Program | FailureClass::OutOfMemory | FailureClass::Queue) => {
                self.gravest_step(log).or(class)
            }
            _ => class,
        }
    }

    /// What the GPU did, where that outranks a program's failure: it hung, or was reset.
    fn gravest_step(&self, log: &Log) -> Option<FailureClass> {
        let seen = || log.at(&self.incident.events).map(|seen| &seen.event);
        let hangs = seen().any(|event| event.class() == Some(FailureClass::Hang));
        let is_reset = || seen().any(|event| event.columns().mark == Some(Milestone::Reset));
        hangs.then_some(FailureClass::Hang).or_else(|| is_reset().then_some(FailureClass::Reset))
    }

    /// Whether the log leaves open how it ended because only programs report it.
    pub(crate) fn is_only_told_by_programs(&self, log: &Log) -> bool {
        self.incident.outcome == Outcome::Unknown
            && log.at(&self.incident.events).all(Observed::is_stated_by_a_program)
    }

    /// The actions, each once, most important first.
    #[must_use]
    pub fn actions(&self) -> Vec<&Action> {
        in_order(&self.diagnoses)
    }
}

/// Something worth knowing that is not a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub(crate) boot: usize,
    /// The GPU.
    pub(crate) device: Option<PciAddress>,
    /// Whether it is useful only to readers who worry about its lines.
    pub(crate) benign: bool,
    /// The signature that matched.
    pub diagnosis: Diagnosis,
}

impl Notice {
    const fn new(
        boot: usize,
        device: Option<PciAddress>,
        benign: bool,
        diagnosis: Diagnosis,
    ) -> Self {
        Self { boot, device, benign, diagnosis }
    }
}

/// All conclusions from one log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusions {
    /// The incidents, in order.
    pub findings: Vec<Finding>,
    /// The rest.
    pub notices: Vec<Notice>,
    /// The number of incidents that were not diagnosed because there are too many.
    pub(crate) left_out: usize,
    /// Signatures that could not be matched with an incident because it has too many events.
    pub(crate) not_evaluated: Vec<String>,
}

/// Draws the conclusions from `log`.
#[must_use]
pub fn conclusions(log: &Log, patterns: &Patterns) -> Conclusions {
    let survey = Survey::new(log, &patterns.hardware.names);
    let mut conclusions = conclusions_of_incidents(&survey, patterns);
    for (boot, device) in survey.by_device.keys() {
        boot_notices(survey.stream(*boot, *device), patterns, &mut conclusions);
    }
    conclusions.notices.sort_by(|a, b| {
        let key = |notice: &Notice| (notice.boot, notice.diagnosis.evidence.first().copied());
        key(a).cmp(&key(b))
    });
    conclusions.not_evaluated.sort();
    conclusions.not_evaluated.dedup();
    conclusions
}

/// The conclusions from the incidents, without notices.
fn conclusions_of_incidents(survey: &Survey<'_>, patterns: &Patterns) -> Conclusions {
    let mut conclusions = Conclusions::default();
    let incidents = incidents(survey.log);
    let all = incidents.len();
    for (place, incident) in incidents.into_iter().enumerate() {
        if is_diagnosed(place, all) {
            diagnose(survey, patterns, incident, &mut conclusions);
        } else {
            conclusions.left_out += 1;
        }
    }
    aftermath::mark_series(survey.log, &mut conclusions.findings);
    conclusions
}

/// Whether the incident with index `place` of `all` is diagnosed.
const fn is_diagnosed(place: usize, all: usize) -> bool {
    place < MOST_INCIDENTS / 2 || place + MOST_INCIDENTS / 2 >= all
}

/// A signature that matched, before the diagnoses of an incident are ordered.
#[derive(Clone)]
pub(crate) struct Hit<'l> {
    pub signature: &'l Signature,
    pub found: Match<'l>,
}

fn diagnose(
    survey: &Survey<'_>,
    patterns: &Patterns,
    incident: Incident,
    conclusions: &mut Conclusions,
) {
    let log = survey.log;
    let stream = survey.stream(incident.boot, incident.device);
    let events: Run<'_> = log.at(&incident.events).collect();
    let ground = MatchTarget::of(&incident);
    let hits = hits(patterns, ground, stream, &events, conclusions);
    let conditions = stream.circumstances(&events, Some(incident.outcome));
    let order = rank::ranked(&hits, &conditions);
    let built = |(index, role): (usize, Role)| {
        let hit = hits.get(index)?;
        Some((hit, build(&incident.events, patterns, hit, role, &conditions, stream)))
    };
    let built = order.into_iter().filter_map(built);
    if incident.is_granted_request() {
        let notices = built.map(|(hit, diagnosis)| {
            Notice::new(incident.boot, incident.device, hit.signature.harmless, diagnosis)
        });
        conclusions.notices.extend(notices);
        return;
    }
    let mut diagnoses: Vec<Diagnosis> = built.map(|(_, diagnosis)| diagnosis).collect();
    suspect_the_first(&mut diagnoses);
    gather_what_is_urgent(&mut diagnoses);
    let aftermath = Aftermath::of(&incident, &diagnoses, log);
    conclusions.findings.push(Finding {
        severity: severity(log, &incident, &diagnoses).max(aftermath.least_severity()),
        fingerprint: fingerprint(log, &incident),
        owner: owner(&events, patterns),
        aftermath,
        diagnoses,
        unsure: 0,
        incident,
    });
}

/// The highest severity of the diagnoses; if a failure remains that none of them covers, the
/// severity that the kernel gives it.
fn severity(log: &Log, incident: &Incident, diagnoses: &[Diagnosis]) -> Severity {
    let explained: BTreeSet<usize> =
        diagnoses.iter().flat_map(|diagnosis| diagnosis.evidence.iter().copied()).collect();
    let left = incident.events.iter().filter(|at| !explained.contains(at));
    let known = !diagnoses.is_empty();
    let counts = |observed: &&Observed| !known || observed.event.columns().begins;
    let left = left.filter_map(|at| log.events.get(*at)).filter(counts);
    let loud = |observed: &Observed| observed.level.is_some_and(|level| level <= Level::Error);
    let of_the_rest =
        left.map(|observed| if loud(observed) { Severity::Error } else { Severity::Warning });
    let worst = diagnoses.iter().map(|diagnosis| diagnosis.severity).chain(of_the_rest).max();
    worst.unwrap_or(Severity::Warning)
}

/// What signatures are matched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchTarget {
    /// An incident.
    Incident,
    /// A granted request: a reset that someone requested and that worked.
    Request,
    /// All events of a GPU in one boot.
    Boot,
}

impl MatchTarget {
    const fn of(incident: &Incident) -> Self {
        if incident.is_granted_request() { Self::Request } else { Self::Incident }
    }

    fn suits(self, signature: &Signature) -> bool {
        let of_incidents = signature.scope != Scope::Boot;
        match self {
            Self::Incident => of_incidents && signature.notice != AsNotice::Only,
            Self::Request => of_incidents && signature.notice != AsNotice::Never,
            Self::Boot => signature.scope != Scope::Incident,
        }
    }
}

/// The signatures that match and are not suppressed.
fn hits<'l>(
    patterns: &'l Patterns,
    against: MatchTarget,
    stream: Stream<'l>,
    events: &'l Run<'l>,
    conclusions: &mut Conclusions,
) -> Vec<Hit<'l>> {
    let (known, scene) = (stream.known(), stream.scene(events));
    let mut hits = matching(patterns, against, known, scene, &mut conclusions.not_evaluated);
    let silent: Vec<bool> = hits.iter().map(|hit| !silencers(hit, &hits).is_empty()).collect();
    let loud = hits.drain(..).zip(silent).filter(|(_, silent)| !silent);
    loud.map(|(hit, _)| hit).collect()
}

/// The signatures that match.
fn matching<'l>(
    patterns: &'l Patterns,
    against: MatchTarget,
    known: Known,
    scene: Scene<'l>,
    not_evaluated: &mut Vec<String>,
) -> Vec<Hit<'l>> {
    let mut hits = Vec::new();
    for signature in patterns.signatures.iter() {
        if !against.suits(signature) || !signature.applies.allows(known) {
            continue;
        }
        match search(signature, scene) {
            Search::Found(found) => hits.push(Hit { signature, found: *found }),
            Search::Absent => {}
            Search::GaveUp => not_evaluated.push(signature.id.clone()),
        }
    }
    hits
}

fn boot_notices(stream: Stream<'_>, patterns: &Patterns, conclusions: &mut Conclusions) {
    let (boot, device, events) = (stream.boot, stream.device, stream.events());
    let conditions = stream.circumstances(events, None);
    let diagnosed = diagnosed(conclusions, boot, device);
    for hit in hits(patterns, MatchTarget::Boot, stream, events, conclusions) {
        // It was reported for an incident already.
        if hit.signature.scope == Scope::Either && diagnosed.contains(&hit.signature.id) {
            continue;
        }
        let role = hit.signature.roles.first().copied().unwrap_or(Role::Context);
        let diagnosis = build(&[], patterns, &hit, role, &conditions, stream);
        let benign = hit.signature.harmless;
        conclusions.notices.push(Notice::new(boot, device, benign, diagnosis));
    }
}

/// The ids of all diagnoses of a GPU's incidents in one boot.
fn diagnosed(
    conclusions: &Conclusions,
    boot: usize,
    device: Option<PciAddress>,
) -> BTreeSet<String> {
    let here =
        |finding: &&Finding| finding.incident.boot == boot && finding.incident.device == device;
    let findings = conclusions.findings.iter().filter(here);
    findings.flat_map(|finding| &finding.diagnoses).map(|diagnosis| diagnosis.id.clone()).collect()
}

fn build(
    own: &[usize],
    patterns: &Patterns,
    hit: &Hit<'_>,
    role: Role,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Diagnosis {
    let Hit { signature, found } = hit;
    let (shown, evidence_events) = evidence(found, |_| true, own, stream);
    let is_mandatory = |name: &str| signature.step(name).is_some_and(|step| !step.optional);
    let (proof, _) = evidence(found, is_mandatory, own, stream);
    let (match_score, reasons) = confidence(&signature.confidence, found, conditions);
    let shown_stream = Stream { device: device_of(&proof, stream), ..stream };
    let stream = Stream { device: shown_stream.device.or(stream.device), ..stream };
    let value = |path: &str| words::value(path, found, shown_stream);
    Diagnosis {
        id: signature.id.clone(),
        title: signature.title.clone(),
        role,
        severity: severity_of(hit, conditions),
        class: signature.class.or_else(|| class_of(&proof, stream)),
        fallback: signature.fallback,
        certainty: certainty(signature, found, conditions),
        cause: cause(signature, found, conditions, value),
        match_score,
        reasons,
        summary: signature.text.summary.filled(value),
        detail: signature.text.detail.as_ref().map(|text| text.filled(value)),
        explain: signature.text.explain.filled(value),
        unsaid: signature
            .unsaid
            .iter()
            .filter(|unsaid| fits(unsaid.when.as_ref(), found, conditions))
            .map(|unsaid| unsaid.text.filled(value))
            .collect(),
        layers: signature.layers.clone(),
        destination: Destination::of(&signature.layers, patterns),
        evidence: shown,
        evidence_events,
        proof,
        actions: actions(signature, patterns, found, conditions, stream),
        references: signature.references.clone(),
    }
}

/// The class of failure of the first event of its proof.
fn class_of(proof: &[usize], stream: Stream<'_>) -> Option<FailureClass> {
    stream.survey.log.at(proof).find_map(|observed| observed.event.class())
}

/// The GPU of a diagnosis: of several that fail together, the one that its proof names; `None` if
/// the proof names none. The alarm of a memory error reaches all GPUs of a hive; whose error it is
/// was decided for the incident.
fn device_of(proof: &[usize], stream: Stream<'_>) -> Option<PciAddress> {
    let log = stream.log();
    let is_alarm = |observed: &Observed| observed.event.kind() == Kind::RasError;
    if stream.device.is_some() && log.at(proof).all(is_alarm) {
        return stream.device;
    }
    let mut named = log.at(proof).filter_map(|observed| observed.device);
    let mut gpus =
        log.devices.iter().filter(|gpu| gpu.boot == stream.boot && gpu.address.is_some());
    match named.next() {
        Some(first) if named.all(|device| device == first) => Some(first),
        None if gpus.nth(1).is_some() => None,
        _ => stream.device,
    }
}

/// The severity in these circumstances.
fn severity_of(hit: &Hit<'_>, conditions: &Circumstances) -> Severity {
    let Hit { signature, found } = hit;
    let mut other = signature.severity_if.iter();
    other
        .find(|other| holds(&other.when, found, conditions))
        .map_or(signature.severity, |other| other.severity)
}

/// The owner of the work that failed first, if a line names one.
fn owner(events: &[&Observed], patterns: &Patterns) -> Option<Owner> {
    let mut owner = events.iter().find_map(|observed| {
        let event = &observed.event;
        let by = event.columns().owner;
        match by {
            kind::Owner::Nobody => None,
            kind::Owner::Process | kind::Owner::AddressSpace => Some(Owner {
                name: event.text("process")?.to_owned(),
                pid: event.get("pid").copied(),
                thread: event.text("thread").map(str::to_owned),
                is_desktop: false,
                by,
            }),
            kind::Owner::Program => {
                let program = observed.program.as_ref()?;
                let name = program.name.clone();
                Some(Owner { name, pid: program.pid, thread: None, is_desktop: false, by })
            }
        }
    })?;
    owner.is_desktop = patterns.hardware.names.is_a_desktop(&owner.name);
    Some(owner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::action::ActionStatus;
    use crate::event::log::tests::log;

    fn concluded(text: &str) -> Conclusions {
        conclusions(&log(text), &crate::builtin::patterns())
    }

    fn ids(finding: &Finding) -> Vec<&str> {
        finding.diagnoses.iter().map(|diagnosis| diagnosis.id.as_str()).collect()
    }

    #[test]
    fn the_first_failure_is_the_first_diagnosis() {
        let conclusions = concluded("\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 7 thread game:cs0 pid 8)
[   10.000003] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000201000 from client 0x1b (UTCL2)
[   20.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   20.000001] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[   20.500000] amdgpu 0000:03:00.0: amdgpu: MODE1 reset
[   21.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset succeeded, trying to resume
[   21.000001] [drm] VRAM is lost due to GPU reset!
[   21.500000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
");
        let [only] = conclusions.findings.as_slice() else { panic!("one incident") };
        assert_eq!(ids(only), ["gfx-page-fault", "ring-timeout-reset", "vram-lost"]);
        let roles: Vec<Role> = only.diagnoses.iter().map(|diagnosis| diagnosis.role).collect();
        assert_eq!(roles, [Role::RootCause, Role::Mechanism, Role::Consequence]);
        assert_eq!(only.owner.as_ref().map(|owner| owner.name.as_str()), Some("game"));
    }

    #[test]
    fn incidents_do_not_each_keep_what_proves_all_of_them() {
        let lines = |at: usize| {
            format!(
                "\
[{:8}.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[{:8}.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[{:8}.200000] amdgpu 0000:03:00.0: amdgpu: GPU reset({at}) succeeded!
",
                at * 20,
                at * 20,
                at * 20
            )
        };
        let conclusions = concluded(&(0..400).map(lines).collect::<String>());
        assert_eq!(conclusions.findings.len(), 400);
        let diagnoses = || conclusions.findings.iter().flat_map(|finding| &finding.diagnoses);
        assert!(diagnoses().any(|diagnosis| diagnosis.evidence_events >= 400));
        assert!(diagnoses().all(|diagnosis| diagnosis.evidence.len() <= 2 * evidence::AROUND + 3));
    }

    #[test]
    fn active_advice_is_last_and_marked() {
        let text = |line: &str| {
            format!("\
[    0.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91
[    0.000000] Command line: BOOT_IMAGE=/vmlinuz {line}
[   20.000000] [drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* MES failed to response msg=3
[   21.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
")
        };
        let standing = |line: &str| {
            let conclusions = concluded(&text(line));
            let actions = &conclusions.findings[0].diagnoses[0].actions;
            let last = actions.last().map(|action| (action.advice.id.clone(), action.standing));
            let cwsr =
                actions.iter().find(|action| action.advice.id == "cwsr0").map(|a| a.standing);
            (last, cwsr)
        };
        assert_eq!(standing("quiet").1, Some(ActionStatus::Suggested));
        let (last, cwsr) = standing("amdgpu.cwsr_enable=0");
        assert_eq!(cwsr, Some(ActionStatus::AlreadyActive));
        assert_eq!(last.map(|last| last.0).as_deref(), Some("cwsr0"));
        assert_eq!(
            standing("amdgpu.cwsr_enable=0 amdgpu.cwsr_enable=1").1,
            Some(ActionStatus::Suggested)
        );
    }

    #[test]
    fn a_fingerprint_forgets_the_machine_and_the_moment() {
        let text = "\
[   20.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   20.000001] amdgpu 0000:03:00.0: amdgpu: Process information: process game pid 7 thread game:cs0 pid 8
[   20.000002] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
";
        let print = |text: &str| concluded(text).findings[0].fingerprint.clone();
        let elsewhere =
            text.replace("03:00", "c4:00").replace("20.0", "777.0").replace(" 7 ", " 99 ");
        assert_eq!(print(text), print(&elsewhere));
        assert_ne!(print(text), print(&text.replace("gfx_0.0.0", "sdma0")));
    }
}
