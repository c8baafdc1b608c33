//! Matches signatures with incidents and ranks the diagnoses: what failed first, how, and what
//! followed from it.
//!
//! `sequence` matches one signature, `silence` drops diagnoses that others replace, `rank` orders
//! the rest, `port` adds an error of the bus before the failure, `action` selects advice, `verdict`
//! gives the result for the log, `choice` restricts what is shown, and `why` explains a match or a
//! failed one.

mod absence;
pub(crate) mod action;
pub(crate) mod aftermath;
mod built;
pub(crate) mod certainty;
pub mod choice;
pub(crate) mod confidence;
pub(crate) mod destination;
mod evidence;
mod finding;
mod hits;
mod port;
pub(crate) mod rank;
pub(crate) mod reach;
pub(crate) mod run;
pub(crate) mod sequence;
mod silence;
mod survey;
mod unused;
pub(crate) mod verdict;
pub mod why;
mod words;
mod work;

use std::collections::BTreeSet;

use crate::event::log::Log;
use crate::incident::fingerprint::fingerprint;
use crate::incident::{Incident, incidents};
use crate::kind::Part;
use crate::pattern::Patterns;
use crate::pattern::signature::{Certainty, Layer, Role, Scope, Severity};
use crate::value::{Cause, FailureClass, PciAddress};

use action::{Action, gather_what_is_urgent};
use aftermath::Aftermath;
use built::build;
use certainty::{KnownCause, suspect_the_first};
use confidence::{Circumstances, Counted};
use destination::Destination;
pub use finding::Finding;
pub(crate) use finding::Owner;
use finding::{owner, severity};
use hits::{Hit, MatchTarget, hits};
use run::Run;
use survey::{Stream, Survey};

/// Maximum number of incidents of a log to diagnose; of more, the first and the last ones.
const MOST_INCIDENTS: usize = 2_000;

/// A signature that matched an incident.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts")]
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
    /// Whether the program fails in the same way at each start, so that it is no help to restart
    /// it.
    pub(crate) repeats: bool,
    /// Whether it sums up what failed before it.
    pub(crate) sums_up: bool,
    /// Whether a log in which it is the worst is not judged: lines that name what it is a part of
    /// are missing.
    pub(crate) leaves_unjudged: bool,
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
    /// The lines that decide, to quote first: one for each step that asks for it.
    pub(crate) telling: Vec<usize>,
    /// Recommended actions.
    pub actions: Vec<Action>,
    /// URLs for further reading.
    pub(crate) references: Vec<String>,
}

impl Diagnosis {
    /// Whether the GPU may be unusable because of it.
    pub(crate) fn may_stop_the_gpu(&self) -> bool {
        let of_use = matches!(
            self.class,
            Some(FailureClass::Start | FailureClass::Loss | FailureClass::Passthrough)
        );
        of_use || self.severity >= Severity::Error
    }

    /// Whether the log does not show its cause.
    pub(crate) fn is_unexplained(&self) -> bool {
        self.cause.cause == Cause::NotInLog && self.role != Role::Context
    }

    /// Whether it leaves open what became of the GPU, or why.
    pub(crate) fn leaves_open(&self) -> bool {
        self.may_stop_the_gpu() || self.is_unexplained()
    }

    /// Whether `other` reports the same fact as its reason: its lines are among those that decide
    /// there. Of two that report each other's, one remains.
    pub(crate) fn is_told_by(&self, other: &Self) -> bool {
        let is_weaker = (self.severity, &other.id) < (other.severity, &self.id);
        self.id != other.id
            && self.severity <= other.severity
            && self.rests_on(other)
            && (is_weaker || !other.rests_on(self))
    }

    /// Whether its lines are evidence of `other`, and one of them decides there.
    fn rests_on(&self, other: &Self) -> bool {
        self.proof.iter().any(|at| other.telling.contains(at))
            && self.proof.iter().all(|at| other.evidence.binary_search(at).is_ok())
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

    /// Whether lines of the log state it, and it is not marked as harmless.
    pub(crate) fn is_stated(&self) -> bool {
        !self.benign && self.diagnosis.certainty == Certainty::Stated
    }
}

/// All conclusions from one log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conclusions {
    /// The incidents, in order.
    pub findings: Vec<Finding>,
    /// The rest.
    pub notices: Vec<Notice>,
    /// Error lines of the driver that neither an incident nor a notice has as evidence, as indices
    /// into the log's events.
    pub(crate) unused_errors: Vec<usize>,
    /// The number of incidents that were not diagnosed because there are too many.
    pub(crate) left_out: usize,
    /// Signatures that could not be matched with an incident because it has too many events.
    pub(crate) not_evaluated: Vec<String>,
}

impl Conclusions {
    /// Removes the notes about no GPU in particular whose lines decide in a diagnosis of one: lines
    /// that name none are judged apart.
    fn drop_what_is_told(&mut self) {
        let findings = &self.findings;
        let is_told = |notice: &Notice| {
            notice.device.is_none() && is_told_of_a_gpu(&notice.diagnosis, findings)
        };
        self.notices.retain(|notice| !is_told(notice));
    }
}

/// Whether a diagnosis of an incident of a GPU reports the same.
fn is_told_of_a_gpu(diagnosis: &Diagnosis, findings: &[Finding]) -> bool {
    let of_gpus = findings.iter().filter(|finding| finding.incident.device.is_some());
    of_gpus.flat_map(|finding| &finding.diagnoses).any(|one| diagnosis.is_told_by(one))
}

/// Draws the conclusions from `log`.
#[must_use]
pub fn conclusions(log: &Log, patterns: &Patterns) -> Conclusions {
    let survey = Survey::new(log, &patterns.hardware.names);
    let mut conclusions = conclusions_of_incidents(&survey, patterns);
    let explained = explained(&conclusions.findings, log);
    for (boot, device) in survey.by_device.keys() {
        let stream = survey.stream(*boot, *device);
        boot_notices(stream, patterns, &explained, &mut conclusions);
    }
    conclusions.drop_what_is_told();
    conclusions.notices.sort_by(|a, b| {
        let key = |notice: &Notice| (notice.boot, notice.diagnosis.evidence.first().copied());
        key(a).cmp(&key(b))
    });
    conclusions.not_evaluated.sort();
    conclusions.not_evaluated.dedup();
    conclusions.unused_errors = conclusions.find_unused_errors(log);
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
    let hits = hits(patterns, ground, stream, &events, &mut conclusions.not_evaluated);
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
    if let (Some(line), Some(first)) = (aftermath.port, diagnoses.first_mut()) {
        port::suspect(first, line, patterns, stream);
    }
    let proof = diagnoses.first().map(|head| head.proof.as_slice()).unwrap_or_default();
    let proof: Run<'_> = log.at(proof).collect();
    conclusions.findings.push(Finding {
        severity: severity(log, &incident, &diagnoses).max(aftermath.least_severity()),
        fingerprint: fingerprint(log, &incident),
        owner: owner(&events, &proof, patterns),
        aftermath,
        diagnoses,
        unsure: 0,
        incident,
    });
}

fn boot_notices(
    stream: Stream<'_>,
    patterns: &Patterns,
    explained: &BTreeSet<usize>,
    conclusions: &mut Conclusions,
) {
    let (boot, device, events) = (stream.boot, stream.device, stream.events());
    let conditions = stream.circumstances(events, None);
    let diagnosed = diagnosed(conclusions, boot, device);
    for hit in hits(patterns, MatchTarget::Boot, stream, events, &mut conclusions.not_evaluated) {
        // It was reported for an incident already.
        if hit.signature.scope == Scope::Either && diagnosed.contains(&hit.signature.id) {
            continue;
        }
        let diagnosis = diagnosis_of_boot(&hit, patterns, &conditions, stream);
        if is_a_failure_that_is_explained(&diagnosis, stream.log(), explained) {
            continue;
        }
        let benign = hit.signature.harmless;
        conclusions.notices.push(Notice::new(boot, device, benign, diagnosis));
    }
}

/// The diagnosis of a signature that matched all events of a GPU in one boot.
fn diagnosis_of_boot(
    hit: &Hit<'_>,
    patterns: &Patterns,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Diagnosis {
    let role = hit.signature.roles.first().copied().unwrap_or(Role::Context);
    build(&[], patterns, hit, role, conditions, stream)
}

/// The events that the diagnoses of incidents have as evidence, and the steps of their recoveries.
fn explained(findings: &[Finding], log: &Log) -> BTreeSet<usize> {
    let diagnoses = findings.iter().flat_map(|finding| &finding.diagnoses);
    let evidence = diagnoses.flat_map(|diagnosis| diagnosis.evidence.iter().copied());
    let is_step =
        |at: &usize| log.events.get(*at).is_some_and(|seen| seen.event.kind().part() == Part::Step);
    let events = findings.iter().flat_map(|finding| finding.incident.events.iter().copied());
    evidence.chain(events.filter(is_step)).collect()
}

/// Whether a problem is a failure or a step of a recovery, and all its events are `explained`.
fn is_a_failure_that_is_explained(
    problem: &Diagnosis,
    log: &Log,
    explained: &BTreeSet<usize>,
) -> bool {
    problem.severity >= Severity::Warning
        && log
            .at(&problem.proof)
            .all(|seen| matches!(seen.event.kind().part(), Part::Failure | Part::Step))
        && problem.proof.iter().all(|at| explained.contains(at))
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

    /// The driver reports that it gives up after the part because of which it does.
    #[test]
    fn what_failed_before_the_start_was_given_up_is_no_effect_of_it() {
        let conclusions = concluded("\
[    4.386285] amdgpu 0000:06:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring kiq_0.2.1.0 test failed (-110)
[    4.395919] [drm:amdgpu_gfx_enable_kcq [amdgpu]] *ERROR* KCQ enable failed
[    4.402025] [drm:amdgpu_device_init [amdgpu]] *ERROR* hw_init of IP block <gfx_v9_0> failed -110
[    4.410033] amdgpu 0000:06:00.0: amdgpu: amdgpu_device_ip_init failed
[    4.416486] amdgpu 0000:06:00.0: amdgpu: Fatal error during GPU init
");
        let [only] = conclusions.findings.as_slice() else { panic!("one incident") };
        let queue = only.diagnoses.iter().find(|one| one.id == "kiq-timeout").unwrap();
        assert_eq!(only.diagnoses[0].id, "init-failure");
        assert_eq!(queue.role, Role::Mechanism);
        assert_eq!(queue.cause.candidates, Vec::<String>::new());
    }

    #[test]
    fn a_part_that_fails_is_named_unless_the_whole_gpu_is_reset_for_it() {
        const VIDEO: &str =
            "[  100.0] amdgpu 0000:03:00.0: amdgpu: VCN[0] is not responding, giving up!!!\n";
        const RING: &str = "[  100.5] amdgpu 0000:03:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring gfx_0.0.0 test failed (-110)\n";
        const CONTROL: &str = "[  100.5] amdgpu 0000:03:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring kiq_0.2.1.0 test failed (-110)\n";
        const MEMORY: &str = "[  100.0] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!\n";
        const RESET: &str = "\
[  101.0] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  101.5] amdgpu 0000:03:00.0: amdgpu: MODE1 reset
[  102.0] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";
        for (lines, class) in [
            (VIDEO.to_owned(), FailureClass::Video),
            (RING.to_owned(), FailureClass::Ring),
            (CONTROL.to_owned(), FailureClass::Hang),
            (format!("{VIDEO}{RESET}"), FailureClass::Hang),
            (format!("{RING}{RESET}"), FailureClass::Hang),
            (format!("{MEMORY}{RING}"), FailureClass::Ring),
        ] {
            let log = log(&lines);
            let conclusions = conclusions(&log, &crate::builtin::patterns());
            let [only] = conclusions.findings.as_slice() else { panic!("{lines}") };
            assert_eq!(only.class(&log), Some(class), "{lines}");
        }
    }

    /// By default no wait of the driver is so long that a report could precede its cause by it.
    #[test]
    fn what_came_long_before_the_cause_is_no_effect_of_it() {
        let roles = |seconds: u32| {
            let text = format!(
                "\
[ 1000.000000] amdgpu: amdgpu_amdkfd_restore_userptr_worker: Failed to resume KFD
[ {}.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:173 vmid:9 pasid:32788)
[ {}.000004] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007f2c14a93000 from client 10
[ {}.000005] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00941B5B
",
                1000 + seconds,
                1000 + seconds,
                1000 + seconds
            );
            let conclusions = concluded(&text);
            let [only] = conclusions.findings.as_slice() else { panic!("one incident") };
            only.diagnoses.iter().map(|one| (one.id.clone(), one.role)).collect::<Vec<_>>()
        };
        let want = |role| {
            let fault = ("sdma-page-fault".to_owned(), Role::RootCause);
            [fault, ("kfd-queue-evict-failed".to_owned(), role)]
        };
        assert_eq!(roles(9), want(Role::Consequence));
        assert_eq!(roles(81), want(Role::Context));
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
