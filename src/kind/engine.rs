//! Engines, rings, the scheduler and its firmware.

use super::row::prelude::*;
use crate::value::{Errno, Hex, MesOpcode, Ring, ShaderErrorKind, Text, UnmapRequest};

rows! {
    /// The scheduler firmware (MES) did not answer a request in time. Kernels since 6.10 print the
    /// same if it answered without carrying out the request.
    MesTimeout: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: PartFailed,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The request.
        opcode: MesOpcode,
        /// The sub-operation of a `MISC` request.
        operation: Text,
        /// 0 the scheduler, 1 the kernel interface queue (gfx12).
        pipe: u32,
        /// The accelerator die.
        xcc: u32,
    }
    /// An operation that failed because MES did not respond.
    MesRequestFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The requested operation.
        request: UnmapRequest,
        /// The queue's doorbell.
        doorbell: Hex,
        /// The queue's number.
        queue: u32,
        /// The error.
        errno: Errno,
    }
    /// The compute driver considers MES unrecoverable and requests a GPU reset.
    MesUnrecoverable: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {}
    /// The MES ring buffer is full: requests are no longer processed.
    MesRingFull: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: PartFailed,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// 0 the scheduler, 1 the kernel interface queue.
        pipe: u32,
        /// The accelerator die.
        xcc: u32,
    }
    /// MES, the scheduler firmware, could not be initialized or does not support a request.
    MesFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The sub-operation.
        operation: u32,
        /// The error.
        errno: Errno,
    }
    /// Work on a ring did not finish in time.
    RingTimeout: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: StuckUnlessDone, recovery: Nothing,
        subject: Gpu, owner: Process, work: ByRing, proves: Nothing, causes: TROUBLE,
    } {
        /// The ring.
        ring: Ring,
        /// The last job that finished.
        signaled: u64,
        /// The last job that was submitted.
        emitted: u64,
        /// `yes` where both are the same: all submitted work had finished when this was printed.
        finished: Text,
        /// The process that submitted the stuck job; not proven guilty.
        process: Text,
        /// The process id.
        pid: u32,
        /// The thread that submitted the job.
        thread: Text,
        /// Its thread id.
        tid: u32,
    }
    /// A ring test failed.
    RingTestFailed: Failure { class: Ring,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: FailsItsTest,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
        /// `system-sleep` where the lines before or after it show that the machine was waking up.
        during: Text,
    }
    /// An interrupt was missed: a timer found completed work (fence fallback).
    FenceFallback: Aftermath { class: Hang, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The ring.
        ring: Ring,
    }
    /// The kernel interface queue (KIQ), with which the driver controls the command processors,
    /// failed.
    KiqFailed: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: PartFailed,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// What it did not do: `fence`, `register`, `flush`, `resources`, `queue-enable`,
        /// `queue-disable`, `readers`.
        what: Text,
        /// The register.
        register: Hex,
        /// The register that was waited for.
        waited: Hex,
        /// The error.
        errno: Errno,
    }
    /// A job could not be prepared, submitted or preempted.
    JobFailed: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: RESET } {
        /// Why, where the driver says it: `ring-off`, the ring is switched off.
        what: Text,
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// A command stream did something that the command processor does not allow.
    IllegalCommand: Failure { class: Program,
        mark: Fault, begins: true, opens: Always, leaves: Unclear, recovery: Nothing, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// What: `register`, `instruction` or `opcode`.
        what: Text,
    }
    /// Shader code did something illegal; the wave that did it is named.
    ShaderError: Failure { class: Program,
        mark: Fault, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// What it did.
        kind: ShaderErrorKind,
        /// The detail word.
        detail: Hex,
        /// The shader engine (gfx9, gfx10).
        se: u32,
        /// The shader array.
        sh: u32,
        /// 1 where the wave ran the trap handler.
        privileged: u32,
        /// The wave.
        wave: u32,
        /// The SIMD unit.
        simd: u32,
        /// The compute unit (gfx9).
        cu: u32,
        /// The work-group processor (gfx10 and later).
        wgp: u32,
    }
    /// The GPU scheduler of the kernel reports an inconsistency.
    SchedulerError: Aftermath { class: Program, opens: Never, recovery: ShowsADeadPartIfRing, subject: Gpu, proves: Nothing, causes: RESET } {
        /// What: `killed-entity`, `ring-not-ready`, `teardown`, `fence-callback`.
        what: Text,
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// A user queue could not be mapped, evicted, restored or reset.
    UserQueueFailed: Failure { class: Queue,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Drawing, proves: Nothing, causes: TROUBLE,
    } {
        /// The queue.
        queue: u32,
        /// The fence's context.
        context: u64,
        /// The fence's number.
        fence: u64,
        /// The error.
        errno: Errno,
    }
    /// Interrupt ring overflow: interrupts were lost.
    InterruptOverflow: Aftermath { class: Hang,
        opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE,
    } {
        /// Where the chip writes.
        write_pointer: Hex,
        /// Where the driver reads.
        read_pointer: Hex,
        /// The KFD node.
        node: u32,
    }
    /// A register did not reach the expected value in time.
    RegisterTimeout: Aftermath { class: Hang, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The block's instance.
        instance: u32,
        /// The register.
        register: Text,
        /// The value that was waited for.
        expected: Hex,
        /// The value that it had.
        actual: Hex,
    }
    /// A copy engine (SDMA) did not stop or start as requested.
    SdmaFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The engine.
        instance: u32,
        /// The engines, one bit each.
        mask: Hex,
    }
    /// The processor of the video engine does not respond.
    VideoNotResponding: Failure { class: Video,
        mark: Failure, begins: true, opens: UnlessRetried, leaves: Stuck, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The engine.
        instance: u32,
        /// `retry` or `given-up`.
        phase: Text,
    }
    /// A submission was refused because its context died in a hang or reset (-125), or for another
    /// reason that `errno` names.
    SubmissionRejected: Aftermath { class: Program,
        opens: IfCanceled, recovery: LosesContextsIfCanceled, subject: Gpu, proves: Nothing, causes: RESET,
    } {
        /// The error; -125 for a lost context.
        errno: Errno,
        /// The number of the synchronisation object that was waited for.
        syncobj: u32,
        /// The point of its timeline.
        point: u64,
    }
    /// A program reports that its GPU context is lost.
    ContextLost: Aftermath { class: Program,
        opens: Always, recovery: LosesContexts, subject: Gpu, proves: Nothing, causes: RESET,
    } {
        /// What the program was told of its context: `guilty` (its job hung), `innocent` (its job
        /// was cancelled), `unknown`, or `not-said` where it does not say that the context is lost.
        guilt: Text,
        /// The error.
        errno: Errno,
        /// The address of the page fault that Mesa names as its reason.
        address: Hex,
        /// The call of HIP that reported it.
        call: Text,
    }
}
