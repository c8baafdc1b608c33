//! What could not be judged, why, and what the user can do about it.

use super::tasks::{may_be_ours, of_a_gpu};
use super::{NotJudged, reasons};
use crate::host::{Fact, Gpu, Host, Refusal, Task, Unread, Watch};
use crate::pattern::Patterns;
use crate::pattern::machine::Gap;
use crate::value::DeviceKind;

/// Everything that could not be judged.
pub(super) fn found(host: &Host, patterns: &Patterns) -> Vec<NotJudged> {
    let mut gaps = Gaps { patterns, found: Vec::new() };
    gaps.of_tasks(host);
    gaps.of_gpus(host);
    gaps.of_settings(host);
    gaps.add_unread("kernel", [unread(&host.kernel.release), unread(&host.kernel.tainted)]);
    gaps.add_unread("journal", [unread(&host.saved.journal)]);
    if !host.hung.is_empty() {
        gaps.add("hung", reasons(&host.hung));
    }
    gaps.found
}

/// Text of a gap from the pattern files, with the reason filled in.
pub(crate) fn not_judged(patterns: &Patterns, id: &str, why: String) -> Option<NotJudged> {
    let Gap { id, what, command } = patterns.machines.gap(id)?.clone();
    Some(NotJudged { id, what, why, command })
}

fn unread<T>(fact: &Fact<T>) -> Option<&Unread> {
    fact.as_ref().err()
}

struct Gaps<'p> {
    patterns: &'p Patterns,
    found: Vec<NotJudged>,
}

impl Gaps<'_> {
    fn add(&mut self, id: &str, why: impl Into<String>) {
        self.found.extend(not_judged(self.patterns, id, why.into()));
    }

    fn add_unread<'u>(&mut self, id: &str, unread: impl IntoIterator<Item = Option<&'u Unread>>) {
        let all: Vec<&Unread> = unread.into_iter().flatten().collect();
        if !all.is_empty() {
            self.add(id, reasons(all));
        }
    }

    fn of_tasks(&mut self, host: &Host) {
        let tasks = match &host.tasks {
            Ok(tasks) => tasks,
            Err(unread) => return self.add("tasks", reasons([unread])),
        };
        if tasks.cut {
            self.add("tasks-cut", format!("{} tasks were looked at", tasks.seen));
        }
        if !tasks.of_kernel {
            self.add("kernel-tasks", format!("{} seen", counted(tasks.seen, "task")));
        }
        if host.watch == Watch::Once && !of_a_gpu(host).is_empty() {
            self.add("one-look", "these files show one moment");
        }
        // If there is no amdgpu GPU, no task waits for one.
        if !may_be_ours(host) {
            return;
        }
        // Nothing that could be read connects these tasks with a GPU.
        let dark = |task: &&Task| {
            task.tie.is_none() && task.stack.is_err() && !matches!(task.wait_channel, Ok(Some(_)))
        };
        let dark: Vec<&Task> = tasks.waiting.iter().filter(dark).collect();
        if let Some(first) = dark.first() {
            let why = unread(&first.stack).map(|unread| reasons([unread])).unwrap_or_default();
            self.add("wait-reason", format!("{} in state D; {why}", counted(dark.len(), "task")));
        }
    }

    fn of_gpus(&mut self, host: &Host) {
        let gpus = match &host.gpus {
            Ok(gpus) => gpus,
            Err(unread) => return self.add("gpus", reasons([unread])),
        };
        let asleep =
            |gpu: &&Gpu| unread(&gpu.link).is_some_and(|unread| unread.why == Refusal::Asleep);
        let sleeping: Vec<String> =
            gpus.iter().filter(asleep).map(|gpu| gpu.address.to_string()).collect();
        if !sleeping.is_empty() {
            self.add("gpu-asleep", format!("{}: {}", sleeping.join(", "), Refusal::Asleep));
        }
        let links =
            gpus.iter().filter(|gpu| self.has_a_link(gpu)).filter_map(|gpu| unread(&gpu.link));
        let links: Vec<_> =
            links.filter(|unread| unread.why != Refusal::Asleep).map(Some).collect();
        self.add_unread("gpu-link", links);
        let driven = gpus.iter().filter(|gpu| gpu.is_driven());
        let firmware: Vec<_> = driven.map(|gpu| unread(&gpu.firmware)).collect();
        self.add_unread("firmware", firmware);
    }

    /// An integrated GPU has no link.
    fn has_a_link(&self, gpu: &Gpu) -> bool {
        let chip = self.patterns.hardware.chip_by_pci(gpu.id);
        gpu.is_whole() && chip.is_none_or(|chip| chip.kind != DeviceKind::Apu)
    }

    fn of_settings(&mut self, host: &Host) {
        let unread: Vec<_> = host.module.parameters.values().map(unread).collect();
        self.add_unread("parameters", unread);
    }
}

fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
