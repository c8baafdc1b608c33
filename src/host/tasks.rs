//! Tasks in uninterruptible sleep (state D), and what connects them with a GPU.

use std::thread;
use std::time::Duration;

use serde::{Serialize, Serializer};

use procfs_core::FromRead;
use procfs_core::process::{Stat, StatFlags};

use crate::pattern::hardware::KernelNames;
use crate::value::{Frame, Frames};

use super::Watch;
use super::files::Refusal;
use super::json::OrNull;
use super::reader::{Fact, Reader, Unread, value_after};

/// Maximum number of tasks to read.
const TASKS: usize = 1 << 16;
/// Maximum number of open files of a process to read.
const OPEN_FILES: usize = 256;
/// Maximum number of tasks in state D to examine.
const CLOSELY: usize = 1024;

/// The relation of a task to an AMD GPU.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Tie {
    /// The work queue of a kernel worker.
    #[serde(rename = "work-queue")]
    #[strum(serialize = "work-queue")]
    Queue,
    /// A function on its kernel stack.
    Stack,
    /// The function that it waits in.
    WaitChannel,
    /// It is a thread of the driver.
    Name,
    /// It waits for a fence and has an AMD GPU open.
    OpenDevice,
}

/// A task in uninterruptible sleep (state D).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Task {
    /// The thread id.
    pub id: u32,
    /// The id of the process that the thread belongs to.
    pub process: u32,
    /// Its name; for a kernel worker, including the work queue: `kworker/u49:9+ttm`.
    pub name: String,
    /// Whether it is a kernel thread.
    #[serde(skip)]
    pub of_kernel: bool,
    /// The function that it waits in; null if there is none or the kernel does not reveal it.
    /// Source: `/proc/PID/wchan` (`fs/proc/base.c`, `proc_pid_wchan`).
    #[serde(with = "OrNull::<Option<String>>")]
    pub wait_channel: Fact<Option<String>>,
    /// Its kernel stack, innermost function first; only root may read it.
    #[serde(serialize_with = "functions")]
    #[cfg_attr(test, schemars(with = "Option<Vec<String>>"))]
    pub stack: Fact<Frames>,
    /// The relation to an AMD GPU; null if none is known.
    pub tie: Option<Tie>,
    /// How long it was observed to wait without running, in milliseconds; 0 if it was read once.
    #[serde(rename = "watched_ms", serialize_with = "milliseconds")]
    #[cfg_attr(test, schemars(with = "u64"))]
    pub watched: Duration,
    /// Its number of voluntary context switches at the first reading.
    #[serde(skip)]
    switches: Option<u64>,
}

fn functions<S: Serializer>(stack: &Fact<Frames>, to: S) -> Result<S::Ok, S::Error> {
    let Ok(stack) = stack else { return to.serialize_none() };
    to.collect_seq(stack.0.iter().map(|frame| &frame.function))
}

fn milliseconds<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
    time.as_millis().serialize(to)
}

impl Task {
    /// Its directory in `/proc`.
    pub(crate) fn folder(&self) -> String {
        if self.id == self.process {
            format!("/proc/{}", self.id)
        } else {
            format!("/proc/{}/task/{}", self.process, self.id)
        }
    }

    /// The work queue of a kernel worker: `ttm` of `kworker/u49:9+ttm`. With `-` in place of `+`
    /// the worker is idle (`kernel/workqueue.c`, `wq_worker_comm`).
    pub(crate) fn queue(&self) -> Option<&str> {
        let (_, queue) = self.name.split_once('+')?;
        (self.of_kernel && self.name.starts_with("kworker/")).then_some(queue)
    }
}

/// The tasks of a machine, and those found in state D.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Tasks {
    /// The number of tasks, including threads.
    pub seen: usize,
    /// Whether kernel threads are among them. A container does not show any.
    #[serde(skip)]
    pub of_kernel: bool,
    /// Those that were in state D at each reading, by id.
    pub waiting: Vec<Task>,
    /// Whether a limit on the number of tasks was reached.
    #[serde(skip)]
    pub cut: bool,
}

impl Tasks {
    pub(super) fn read(reader: &mut Reader<'_>, names: &KernelNames, watch: Watch) -> Fact<Self> {
        let mut found = Self::default();
        for process in reader.sorted("/proc")? {
            found.add_process(reader, process);
        }
        if found.seen == 0 {
            return Err(Unread::new("/proc", Refusal::Missing));
        }
        found.cut |= found.waiting.len() > CLOSELY;
        found.waiting.truncate(CLOSELY);
        for task in &mut found.waiting {
            look_closely(reader, task);
        }
        if let Watch::For(pauses) = watch {
            for pause in pauses {
                found.watch(reader, pause);
            }
        }
        for task in &mut found.waiting {
            task.tie = tie(reader, names, task);
        }
        Ok(found)
    }

    fn add_process(&mut self, reader: &mut Reader<'_>, process: u32) {
        // Tasks that end meanwhile are ignored.
        let Some(stat) = stat(reader, &format!("/proc/{process}/stat")) else { return };
        if stat.num_threads <= 1 {
            self.add(&stat, process);
            return;
        }
        let threads: Vec<u32> = reader.sorted(&format!("/proc/{process}/task")).unwrap_or_default();
        if threads.is_empty() {
            self.add(&stat, process);
        }
        for thread in threads {
            if let Some(stat) = self::stat(reader, &format!("/proc/{process}/task/{thread}/stat")) {
                self.add(&stat, process);
            }
        }
    }

    fn add(&mut self, stat: &Stat, process: u32) {
        let Ok(id) = u32::try_from(stat.pid) else { return };
        if self.seen >= TASKS {
            self.cut = true;
            return;
        }
        self.seen += 1;
        let of_kernel = stat.flags & StatFlags::PF_KTHREAD.bits() != 0;
        self.of_kernel |= of_kernel;
        if stat.state != 'D' {
            return;
        }
        let unread = |file: &str| Unread::new(format!("/proc/{id}/{file}"), Refusal::Missing);
        self.waiting.push(Task {
            id,
            process,
            name: stat.comm.clone(),
            of_kernel,
            wait_channel: Err(unread("wchan")),
            stack: Err(unread("stack")),
            tie: None,
            watched: Duration::ZERO,
            switches: None,
        });
    }

    /// Keeps only the tasks that have not run during `pause`.
    fn watch(&mut self, reader: &mut Reader<'_>, pause: Duration) {
        if self.waiting.is_empty() {
            return;
        }
        thread::sleep(pause);
        self.waiting.retain_mut(|task| {
            let folder = task.folder();
            let waits =
                stat(reader, &format!("{folder}/stat")).is_some_and(|stat| stat.state == 'D');
            let same = wait_channel(reader, &folder) == task.wait_channel
                && switches(reader, &folder) == task.switches;
            task.watched += pause;
            waits && same
        });
    }
}

/// Parses a task's `stat`; `None` if it has another form. The parentheses are checked first,
/// because procfs-core panics without them.
fn stat(reader: &mut Reader<'_>, path: &str) -> Option<Stat> {
    let bytes = reader.bytes(path).ok()?;
    let line = String::from_utf8_lossy(&bytes);
    let line = line.trim();
    let (open, close) = (line.find('(')?, line.rfind(')')?);
    let (before, behind) = (line.get(..open)?, line.get(close + 1..)?);
    (before.ends_with(' ') && open < close && behind.starts_with(' ')).then_some(())?;
    Stat::from_read(bytes.as_slice()).ok()
}

fn look_closely(reader: &mut Reader<'_>, task: &mut Task) {
    let folder = task.folder();
    task.wait_channel = wait_channel(reader, &folder);
    task.switches = switches(reader, &folder);
    task.stack = reader.text(&format!("{folder}/stack")).map(|text| frames(&text));
}

/// The function that a task waits in. `0` means that the caller may not know it, or that the task
/// is running.
fn wait_channel(reader: &mut Reader<'_>, folder: &str) -> Fact<Option<String>> {
    let text = reader.text(&format!("{folder}/wchan"))?;
    Ok(Some(text).filter(|text| !text.is_empty() && text != "0"))
}

fn switches(reader: &mut Reader<'_>, folder: &str) -> Option<u64> {
    let text = reader.text(&format!("{folder}/status")).ok()?;
    value_after(&text, "voluntary_ctxt_switches:")?.parse().ok()
}

/// Parses `[<0>] dma_fence_default_wait+0x1d5/0x260` lines.
fn frames(text: &str) -> Frames {
    let frame = |line: &str| Frame::read(line.split_once("] ").map_or(line, |(_, frame)| frame));
    Frames(text.lines().filter_map(frame).collect())
}

fn tie(reader: &mut Reader<'_>, names: &KernelNames, task: &Task) -> Option<Tie> {
    let stack = task.stack.as_ref().ok();
    let channel = task.wait_channel.as_ref().ok().and_then(Option::as_deref);
    if stack.is_some_and(|stack| names.are_anothers(stack)) {
        return None;
    }
    let ours = |name: Option<&str>| names.are_of_a_gpu(None, &[name]);
    let functions = || stack.iter().flat_map(|stack| &stack.0).map(|frame| frame.function.as_str());
    if ours(task.queue()) {
        Some(Tie::Queue)
    } else if names.are_of_a_gpu(stack, &[]) {
        Some(Tie::Stack)
    } else if ours(channel) {
        Some(Tie::WaitChannel)
    } else if task.of_kernel && ours(Some(&task.name)) {
        Some(Tie::Name)
    } else if functions().chain(channel).any(|name| names.is_a_fence(name))
        && has_gpu_open(reader, task.process)
    {
        Some(Tie::OpenDevice)
    } else {
        None
    }
}

/// Whether a process has a device of amdgpu or amdkfd open, as far as that can be read.
fn has_gpu_open(reader: &mut Reader<'_>, process: u32) -> bool {
    let files = reader.entries(&format!("/proc/{process}/fd"));
    files.iter().take(OPEN_FILES).any(|file| {
        match reader.link(&format!("/proc/{process}/fd/{file}")) {
            Ok(target) if target == "/dev/kfd" => true,
            // `fdinfo` names the driver: Documentation/gpu/drm-usage-stats.rst.
            Ok(target) if target.starts_with("/dev/dri/") => reader
                .text(&format!("/proc/{process}/fdinfo/{file}"))
                .is_ok_and(|text| value_after(&text, "drm-driver:") == Some("amdgpu")),
            _ => false,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::files::{Answer, Files, Question};

    /// The same text for every file.
    struct Same(&'static [u8]);

    impl Files for Same {
        fn ask(&mut self, _: &Question) -> Answer {
            Answer::Bytes(self.0.to_vec())
        }
    }

    #[test]
    fn malformed_stat_files_are_not_tasks() {
        for no in [
            &b""[..],
            b"(",
            b")",
            b"()",
            b")(",
            b"(a) D",
            b"1 (a)",
            b"1 (a) ",
            b"1 (a) D",
            b"1 (a)\xc3\xa9 D 2 3",
            b"1 (\xff\xfe) D 1 1 1",
            "\u{e9}(a) D 1".as_bytes(),
            "1 (a) \u{e9}".as_bytes(),
            b"\0\0\0",
        ] {
            assert!(stat(&mut Reader::new(&mut Same(no)), "/proc/1/stat").is_none(), "{no:?}");
        }
    }

    proptest::proptest! {
        /// No text around parentheses and spaces makes the parser panic.
        #[test]
        fn no_text_makes_the_parser_panic(text in "[() 0-9D\u{e9}-]{0,40}|(?s).{0,20}") {
            let bytes: &'static [u8] = Box::leak(text.into_bytes().into_boxed_slice());
            let _ = stat(&mut Reader::new(&mut Same(bytes)), "/proc/1/stat");
        }
    }

    #[test]
    fn a_stack_is_read_line_by_line() {
        let text = "[<0>] dma_fence_default_wait+0x1d5/0x260\n[<0>] ttm_bo_delayed_delete+0x2b/0x90 [ttm]\n";
        let names: Vec<String> = frames(text).0.into_iter().map(|frame| frame.function).collect();
        assert_eq!(names, ["dma_fence_default_wait", "ttm_bo_delayed_delete"]);
    }
}
