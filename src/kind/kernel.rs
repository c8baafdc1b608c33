//! The rest of the kernel: tasks, processors, the machine.

use super::row::prelude::*;
use crate::value::{Frames, Hex, LockupKind, Text, Words};

rows! {
    /// The kernel reports a task that has not run for a long time.
    HungTask: Failure { class: Task,
        mark: Failure, begins: false, opens: Always, leaves: Asleep, recovery: Nothing,
        subject: Task, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// For how long, in seconds.
        seconds: u64 [Seconds],
        /// Its state letter.
        state: Text,
        /// The work queue that a kernel worker serves.
        queue: Text,
        /// The function that a kernel worker runs.
        work: Text,
        /// The module that this function is in.
        module: Text,
        /// The kernel stack.
        stack: Frames,
        /// The kernel release, if the report states it.
        release: Text,
    }
    /// A task in uninterruptible sleep, in a process listing or a dump of blocked tasks.
    BlockedTask: Failure { class: Task,
        mark: Failure, begins: false, opens: Always, leaves: AsleepInCrowds, recovery: Nothing,
        subject: Task, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// The task state, such as `D`.
        state: Text,
        /// The kernel function in which it waits.
        wait_channel: Text,
        /// The work queue that a kernel worker serves.
        queue: Text,
        /// The function that a kernel worker runs.
        work: Text,
        /// The module that this function is in.
        module: Text,
        /// The kernel stack.
        stack: Frames,
    }
    /// The module loader ignored a driver option that does not exist.
    UnknownParameter: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// The module.
        module: Text,
        /// The option.
        parameter: Text,
    }
    /// The kernel command line.
    CommandLine: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// All of it.
        text: Text,
        /// Its words.
        words: Words,
        /// Options of amdgpu that this kernel's driver does not have.
        no_such: Words,
        /// Power features that `amdgpu.ppfeaturemask` enables in addition to the defaults.
        power_added: Words,
        /// Power features that `amdgpu.ppfeaturemask` disables.
        power_removed: Words,
        /// Display features that `amdgpu.dcdebugmask` disables.
        display_off: Words,
        /// Bits of these masks that this kernel does not have.
        without_effect: Words,
    }
    /// The kernel reports its release.
    KernelBanner: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// The release.
        release: Text,
    }
    /// The kernel prints the machine's vendor, model and BIOS.
    MachineName: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// Vendor, model, board and BIOS.
        text: Text,
    }
    /// A CPU is stuck in the kernel (lockup).
    Lockup: Failure { class: Crash,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Task, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The kind of lockup.
        kind: LockupKind,
        /// The processor.
        cpu: u32,
        /// For how long, in seconds.
        seconds: u64 [Seconds],
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// The work queue that a kernel worker serves.
        queue: Text,
        /// The function that a kernel worker runs.
        work: Text,
        /// The module that this function is in.
        module: Text,
        /// The kernel stack.
        stack: Frames,
        /// The kernel release, if the report states it.
        release: Text,
    }
    /// A kernel oops, bug or warning with a stack trace.
    KernelOops: Failure { class: Crash,
        mark: Failure, begins: false, opens: IfCrashed, leaves: Unclear, recovery: Nothing,
        subject: Task, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The kind: `null-pointer`, `page-fault`, `general-protection`, `stack-overflow`, `bug`, `panic`; `warning`,
        /// `memory-check` or `allocation`, after which the kernel goes on; none if the line that states it is missing.
        what: Text,
        /// The kernel's number of the crash in this boot; warnings are not numbered.
        number: u32,
        /// A line near the end of a report, which shows that it is of a crash where its first lines
        /// are missing:
        /// `fault-place`, `fault-address` or `summary`, `recursive` where the kernel crashed again while it ended the
        /// task, or `null-address` among the registers, which a warning prints as well.
        ending: Text,
        /// `yes` for the mark with which only a crash and a warning end.
        closed: Text,
        /// `yes` if a line states the place itself: a call trace alone begins with the function that had called it.
        placed: Text,
        /// What the kernel was reporting, by its own functions in the stack: `warning` or `crash`.
        reported: Text,
        /// The work queue that the kernel worker serves which ran.
        queue: Text,
        /// The function that it ran.
        work: Text,
        /// The module that this function is in, or in which a memory checker found an access.
        module: Text,
        /// The address.
        address: Hex,
        /// The source file.
        file: Text,
        /// The line in it.
        source_line: u32,
        /// The processor.
        cpu: u32,
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// The kernel stack.
        stack: Frames,
        /// The kernel release, if the report states it.
        release: Text,
        /// What a warning says in its own words, in the line before its place.
        words: Text,
        /// That line.
        words_line: u64,
        /// The flags that mark the kernel, as printed: `G        W  OE`.
        taint: Text,
        /// `warning` or `crash`: the flags say that there was one before, and the log does not have it.
        earlier: Text,
        /// `suspend` or `hibernation` that had ended right before.
        sleep: Text,
        /// The line in which it ended.
        sleep_line: u64,
    }
    /// The kernel stops.
    KernelPanic: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// The reason, as printed.
        reason: Text,
        /// The kernel release, if the report states it.
        release: Text,
    }
    /// A work item occupies a CPU for a long time.
    WorkerBusy: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// Its function.
        function: Text,
        /// For how long, in microseconds.
        microseconds: u64 [Microseconds],
        /// The number of times so far.
        times: u64,
    }
    /// A person or a part of the kernel asked for the places of processors or tasks: stacks follow.
    BacktraceRequested: Context { recovery: Nothing, subject: Machine, proves: Nothing } {}
    /// The kernel no longer reports stuck tasks.
    HungTasksSilenced: Context { recovery: Nothing, subject: Machine, proves: Nothing } {}
}

/// Whether a report of this kind (`what`) is of a crash: after a warning, after what a memory checker
/// found, and after an allocation for which no memory was free, the kernel goes on.
pub(crate) fn is_of_a_crash(what: &str) -> bool {
    !matches!(what, "warning" | "memory-check" | "allocation")
}
