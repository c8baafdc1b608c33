//! Tasks in uninterruptible sleep that wait for a GPU.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::{Judge, Occurrence};
use crate::host::{Gpu, Host, Task};
use crate::pattern::machine::Condition;
use crate::value::Named;

/// Maximum number of tasks to name.
const NAMED: usize = 3;
/// Maximum number of tasks to show as evidence.
const SHOWN: usize = 8;

/// Whether tasks that wait for a GPU can wait for an amdgpu GPU. Several drivers share TTM, so
/// without an amdgpu GPU they wait for another driver's.
pub(super) fn may_be_ours(host: &Host) -> bool {
    host.gpus.as_ref().map_or(true, |gpus| gpus.iter().any(Gpu::is_driven))
}

/// The tasks that wait for an amdgpu GPU.
pub(crate) fn of_a_gpu(host: &Host) -> Vec<&Task> {
    let ours = may_be_ours(host);
    let waiting = host.tasks.iter().flat_map(|tasks| &tasks.waiting);
    waiting.filter(|task| ours && task.tie.is_some()).collect()
}

impl Judge<'_> {
    pub(super) fn tasks(&mut self) {
        let tasks = of_a_gpu(self.host);
        self.add_counted(Condition::TasksWait, tasks.len(), &found(&tasks));
        for state in self.states(Condition::ResetWaits) {
            let resets = |task: &&&Task| state.values.iter().any(|name| begins(task, name));
            let workers: Vec<&Task> = tasks.iter().filter(resets).copied().collect();
            if workers.len() >= state.at_least {
                self.add(&state.about, found(&workers));
            }
        }
        if let Ok(count) = self.host.kernel.hung_tasks {
            let path = "/proc/sys/kernel/hung_task_detect_count";
            let found = Occurrence::default().value("count", count).evidence(path, count);
            self.add_counted(Condition::HungTasks, usize::try_from(count).unwrap_or(0), &found);
        }
    }
}

/// Whether the work queue of a worker, or a function on its stack, begins with `name`.
fn begins(task: &Task, name: &str) -> bool {
    let stack = task.stack.iter().flat_map(|stack| &stack.0);
    task.queue().is_some_and(|queue| queue.starts_with(name))
        || stack.into_iter().any(|frame| frame.function.starts_with(name))
}

fn found(tasks: &[&Task]) -> Occurrence {
    let mut names: Vec<String> = tasks
        .iter()
        .take(NAMED)
        .map(|task| format!("{} ({})", Named(&task.name), task.id))
        .collect();
    if tasks.len() > NAMED {
        names.push(format!("{} more", tasks.len() - NAMED));
    }
    let channels: BTreeSet<&str> =
        tasks.iter().filter_map(|task| task.wait_channel.as_ref().ok()?.as_deref()).collect();
    let channels: Vec<String> =
        channels.into_iter().take(NAMED).map(|channel| Named(channel).to_string()).collect();
    let watched = tasks.iter().map(|task| task.watched).min().unwrap_or_default();
    let seconds = (!watched.is_zero()).then(|| format!("{:.1}", watched.as_secs_f64()));
    let found = Occurrence::default()
        .value("count", tasks.len())
        .value("tasks", names.join(", "))
        .value_if_known("where", (!channels.is_empty()).then(|| channels.join(", ")))
        .value_if_known("seconds", seconds);
    tasks.iter().take(SHOWN).fold(found, |found, task| with_evidence(found, task))
}

fn with_evidence(found: Occurrence, task: &Task) -> Occurrence {
    let mut value = format!("{} D", Named(&task.name));
    if let Ok(Some(channel)) = &task.wait_channel {
        let _ = write!(value, ", waits in {}", Named(channel));
    }
    if let Some(stack) = task.stack.as_ref().ok().filter(|stack| !stack.0.is_empty()) {
        let _ = write!(value, ", stack {stack}");
    }
    found.evidence(format!("{}/stat", task.folder()), value)
}
