//! The compute driver (KFD) and ROCm.

use super::row::prelude::*;
use crate::value::{Errno, GfxTarget, Hex, MemorySize, Text};

rows! {
    /// The compute driver (KFD) could not evict, restore, suspend or remove queues.
    KfdQueueFailed: Failure { class: Queue,
        mark: Failure, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Other, proves: Nothing, causes: TROUBLE,
    } {
        /// The attempted operation.
        action: Text,
        /// The queue.
        queue: u32,
        /// The process address space.
        pasid: u32,
        /// The process id.
        pid: u32,
    }
    /// The compute hardware scheduler (chips without MES) did not preempt its queues.
    HwsHang: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: Stuck, recovery: Nothing, subject: Gpu,
        owner: Nobody, work: Other, proves: Nothing, causes: TROUBLE,
    } {}
    /// The ROCm runtime ends a program because the GPU reported an access to unmapped memory.
    RocrMemoryFault: Failure { class: Fault,
        mark: Fault, begins: true, opens: Always, leaves: Working, recovery: Nothing, subject: Gpu,
        owner: Program, work: Other, proves: Nothing, causes: FAULT,
    } {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// The address.
        address: Hex,
        /// The runtime's reason.
        reason: Text,
    }
    /// The ROCm runtime ends a program because its GPU was reset or has a memory error.
    RocrHwException: Failure { class: Program,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: LosesContexts,
        subject: Gpu, owner: Program, work: Other, proves: Nothing, causes: HANG_OR_RESET,
    } {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// `GPU Hang` or `ECC`.
        reason: Text,
    }
    /// The ROCm runtime ends a program that freed memory while the GPU still used it.
    RocrMemoryInUse: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Program, work: Other, proves: Nothing, causes: NOTHING,
    } {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// The address.
        address: Hex,
        /// The runtime's reason.
        reason: Text,
    }
    /// The ROCm runtime reports an error of a queue or a program.
    HsaError: Failure { class: Program,
        mark: Failure, begins: true, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Program, work: Other, proves: Nothing, causes: TROUBLE,
    } {
        /// The name of the status.
        status: Text,
        /// The runtime's description of it.
        reason: Text,
        /// The call of HIP that failed.
        call: Text,
        /// The memory that it could not get.
        requested: MemorySize [Bytes],
        /// The memory that was free.
        free: MemorySize [Bytes],
        /// All memory of the GPU.
        capacity: MemorySize [Bytes],
        /// How much the program allowed itself.
        limit: MemorySize [Bytes],
    }
    /// AMD's management tool or library (amd-smi) could not do what it was asked for.
    ManagementFailed: Failure { class: Program,
        mark: Failure, begins: true, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The name of the status.
        status: Text,
        /// What the tool says about it.
        reason: Text,
    }
    /// An inference server's helper process died: while it probed the GPU, or at work.
    RunnerCrash: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Program, work: Other, proves: Nothing, causes: TROUBLE,
    } {
        /// The server's description of the failure.
        error: Text,
        /// What the process was for, if not for probing the GPU.
        work: Text,
    }
    /// A library has no code for this GPU.
    LibraryLacksTarget: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {
        /// The requested target.
        target: GfxTarget,
        /// The library.
        library: Text,
        /// The call of HIP that failed.
        call: Text,
    }
    /// An environment variable makes ROCm treat the GPU as another chip.
    GfxOverride: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The target that is forced.
        target: GfxTarget,
    }
    /// A compute queue is reported as hung.
    QueueHung: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: Stuck, recovery: Nothing, subject: Gpu,
        owner: Nobody, work: Other, proves: Nothing, causes: TROUBLE,
    } {
        /// Its doorbell.
        doorbell: Hex,
        /// Its pipe.
        pipe: u32,
        /// Its number on the pipe.
        queue: u32,
        /// Its kind: 0 compute, 1 SDMA.
        queue_type: u32,
    }
    /// A compute queue has been reset, and its process has lost its work.
    QueueReset: Failure { class: Hang,
        mark: Back, begins: true, opens: Always, leaves: Working, recovery: SucceedsInPart,
        subject: Gpu, owner: Process, work: Other, proves: Nothing, causes: HANG,
    } {
        /// The queue.
        queue: u32,
        /// The process address space.
        pasid: u32,
        /// The process.
        process: Text,
        /// The process id.
        pid: u32,
        /// The thread.
        thread: Text,
        /// Its thread id.
        tid: u32,
    }
    /// All waves of a process are killed.
    WavesReset: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {}
    /// The compute driver could not carry out a request of a process.
    KfdProcessFailed: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The process id.
        pid: u32,
        /// The process address space.
        pasid: u32,
        /// The kind of queue.
        queue_type: u32,
        /// Their number.
        total: u32,
        /// What it got none of: `queue`, `copy-queue`, `address-space`, `visible-memory` (video
        /// memory that the CPU can access).
        resource: Text,
        /// The error.
        errno: Errno,
    }
    /// The compute driver reports to a process that its work failed.
    KfdSignal: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The signal that it gets; none if it gets none.
        signal: Text,
        /// The process.
        process: Text,
        /// The process id.
        pid: u32,
        /// The process address space.
        pasid: u32,
    }
    /// A GPU cannot be used for compute (ROCm).
    KfdUnavailable: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: CodeName,
    } {
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// The reason: `atomics`, `unsupported`, `errors`, `no-drm-node` …
        reason: Text,
        /// The chip.
        asic: Text,
        /// The version of its graphics block.
        gc_version: Hex,
        /// The firmware version it has.
        firmware: u32,
        /// The firmware version that does not need PCIe atomics.
        firmware_needed: u32,
        /// The error.
        errno: Errno,
    }
    /// Compute programs wait for each other: more queues than the chip can hold.
    KfdOversubscribed: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The resource that is exhausted.
        reason: Text,
    }
    /// The compute driver has a node for a device.
    KfdNode: Context { recovery: TakesTheGpuBack, subject: Gpu, proves: Identity } {
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// `dgpu`, `apu` or `cpu`.
        kind: Text,
        /// The node.
        node: u32,
        /// The partition.
        partition: u32,
        /// Their number.
        count: u32,
        /// Its memory, in MiB.
        mib: u64 [MiB],
    }
}
