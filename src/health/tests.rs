//! Simulated machines, whose files change between reads.

use std::collections::BTreeMap;
use std::time::Duration;

use super::*;
use crate::builtin;
use crate::host::{Answer, Files, Question, Refusal, Watch};
use crate::pattern::machine::{Condition, GAPS};

/// Files whose text advances with each read, up to the last one; `!` is refused.
#[derive(Default)]
struct Memory {
    files: BTreeMap<String, Vec<&'static str>>,
    links: BTreeMap<String, &'static str>,
}

impl Memory {
    fn file(mut self, path: &str, texts: &[&'static str]) -> Self {
        self.files.insert(path.to_owned(), texts.iter().rev().copied().collect());
        self
    }

    /// A task with these states, one for each read.
    fn task(self, id: u32, name: &str, states: &[char], switches: &[&'static str]) -> Self {
        let stat = |state: &char| -> &'static str {
            // A kernel worker thread.
            let line = format!(
                "{id} ({name}) {state} 2 0 0 0 -1 69238880 0 0 0 0 0 1 0 0 0 -20 1 0 3600 0 0 0 0 0 0 0 0 \
                 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0 0 0 0 0 0 0 0 0"
            );
            Box::leak(line.into_boxed_str())
        };
        let lines: Vec<&'static str> = states.iter().map(stat).collect();
        self.file(&format!("/proc/{id}/stat"), &lines)
            .file(&format!("/proc/{id}/status"), switches)
            .file(&format!("/proc/{id}/stack"), &["!"])
    }

    /// A GPU with our driver, at 0000:03:00.0.
    fn gpu(mut self) -> Self {
        let folder = "/sys/bus/pci/devices/0000:03:00.0";
        self.links.insert(format!("{folder}/driver"), "../../../bus/pci/drivers/amdgpu");
        self.file(&format!("{folder}/vendor"), &["0x1002"])
            .file(&format!("{folder}/device"), &["0x744c"])
            .file(&format!("{folder}/class"), &["0x030000"])
    }

    fn answered(&mut self, path: &str) -> Answer {
        let Some(texts) = self.files.get_mut(path) else {
            return Answer::Refused(Refusal::Missing);
        };
        let text = if texts.len() > 1 { texts.pop() } else { texts.last().copied() };
        match text {
            Some("!") => Answer::Refused(Refusal::Denied),
            Some("…") => Answer::Refused(Refusal::TimedOut),
            text => Answer::Bytes(text.unwrap_or_default().into()),
        }
    }
}

impl Files for Memory {
    fn ask(&mut self, question: &Question) -> Answer {
        match question {
            Question::Read { path, .. } => self.answered(path),
            Question::Link(path) => {
                self.links.get(path).map_or(Answer::Refused(Refusal::Missing), |target| {
                    Answer::Target((*target).to_owned())
                })
            }
            Question::List(path) => {
                let below = format!("{path}/");
                let inside = self.files.keys().filter_map(|file| file.strip_prefix(&below));
                let mut names: Vec<String> =
                    inside.map(|rest| rest.split('/').next().unwrap_or(rest).to_owned()).collect();
                names.dedup();
                if names.is_empty() {
                    Answer::Refused(Refusal::Missing)
                } else {
                    Answer::Names(names)
                }
            }
            // `check` asks for neither.
            Question::Status(_) | Question::Run(_) => unreachable!("{question:?}"),
        }
    }
}

const SHORT: Watch = Watch::For([Duration::from_millis(1), Duration::from_millis(2)]);

fn health(mut files: Memory, watch: Watch) -> Health {
    let patterns = builtin::patterns();
    judged(&Host::read(&mut files, &patterns.hardware, watch), &patterns, None)
}

fn ids(health: &Health) -> Vec<&str> {
    health.findings.iter().map(|finding| finding.id.as_str()).collect()
}

const STILL: &[&str] = &["voluntary_ctxt_switches:\t7"];

#[test]
fn a_task_counts_that_waits_each_time_and_does_not_run() {
    for (states, switches, counts) in [
        (&['D'][..], STILL, true),
        (&['D', 'S'], STILL, false),
        (&['D', 'D', 'R'], STILL, false),
        (&['S', 'D'], STILL, false),
        (&['D'], &["voluntary_ctxt_switches:\t7", "voluntary_ctxt_switches:\t8"], false),
    ] {
        let machine = || Memory::default().gpu().task(50, "kworker/u8:1+ttm", states, switches);
        let found = health(machine(), SHORT);
        let want: &[&str] = if counts { &["gpu-tasks-wait"] } else { &[] };
        assert_eq!(ids(&found), want, "{states:?} {switches:?}");
        // A single look cannot tell.
        let found = health(machine(), Watch::Once);
        assert_eq!(ids(&found).len(), usize::from(states[0] == 'D'), "{states:?}");
    }
}

#[test]
fn three_workers_are_a_failure_and_a_worker_without_work_is_none() {
    let mut machine = Memory::default().gpu().task(9, "kworker/u8:9-ttm", &['D'], STILL);
    for id in 50..53 {
        machine = machine.task(id, "kworker/u8:1+ttm", &['D'], STILL);
    }
    let found = health(machine, SHORT);
    assert_eq!((ids(&found), found.verdict), (vec!["gpu-tasks-stuck"], MachineVerdict::Failure));
    assert!(found.findings[0].summary.starts_with("3 tasks"), "{}", found.findings[0].summary);
    // The other task cannot be judged; root could judge it.
    let gap = found.not_judged.iter().find(|gap| gap.id == "wait-reason").unwrap();
    assert_eq!(gap.why, "1 task in state D; /proc/9/stack: only root may read it");
    assert_eq!(gap.command.as_deref(), Some("sudo amdtriage check"));
}

#[test]
fn a_driver_that_does_not_answer_is_a_failure_where_the_machine_runs() {
    let config = "/sys/bus/pci/devices/0000:03:00.0/config";
    let machine =
        || Memory::default().gpu().file(config, &["…"]).task(2, "kthreadd", &['S'], STILL);
    let found = health(machine(), SHORT);
    assert_eq!((ids(&found), found.verdict), (vec!["gpu-files-hang"], MachineVerdict::Failure));
    let found = health(machine(), Watch::Once);
    assert!(found.findings.is_empty() && found.not_judged.iter().any(|gap| gap.id == "hung"));
}

#[test]
fn a_machine_without_files_is_not_judged() {
    let found = health(Memory::default(), SHORT);
    assert_eq!((found.verdict, found.findings.len()), (MachineVerdict::Unknown, 0));
    let gaps: Vec<&str> = found.not_judged.iter().map(|gap| gap.id.as_str()).collect();
    assert_eq!(gaps, ["tasks", "gpus", "kernel"]);
}

/// Every condition and every gap has texts in the pattern files.
#[test]
fn every_condition_and_every_gap_has_its_words() {
    let machines = builtin::patterns().machines;
    for &condition in Condition::ALL {
        let there = machines.states.iter().any(|state| state.when == condition);
        assert!(there, "no state has when = {}", condition.name());
    }
    for gap in GAPS {
        assert!(machines.gap(gap).is_some(), "{gap}");
    }
}
