//! Resets and other recoveries, and what they leave behind.

use super::row::prelude::*;
use crate::value::field::FaultStatus;
use crate::value::{Errno, Hex, Hub, Phase, Phrase, ResetMethod, ResetSource, Ring, Text, Words};

rows! {
    /// The waves of a stuck job were killed and its ring went on.
    SoftRecovered: Failure { class: Hang,
        mark: Back, begins: false, opens: Always, leaves: Unclear, recovery: SucceedsInPart,
        subject: Gpu, owner: Nobody, work: Drawing, proves: Nothing, causes: HANG,
    } {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring begins.
    RingResetBegin: Failure { class: Hang,
        mark: Reset, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: HANG,
    } {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring worked.
    RingResetSucceeded: Step {
        mark: Some(Milestone::Back), opens: Always, recovery: SucceedsInPart, subject: Gpu, proves: Nothing,
    } {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring did not work; a reset of the whole GPU follows.
    RingResetFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: HANG,
    } {
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// An IP block is hung.
    IpBlockHung: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Generation, causes: TROUBLE,
    } {
        /// The IP block.
        ip: Text,
    }
    /// A reset of single IP blocks begins.
    SoftResetBegin: Step {
        mark: Some(Milestone::Reset), opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {
        /// The IP block.
        ip: Text,
    }
    /// A reset of single IP blocks worked.
    SoftResetSucceeded: Step {
        mark: Some(Milestone::Back), opens: Never, recovery: SucceedsInPart, subject: Gpu, proves: Nothing,
    } {
        /// The IP block.
        ip: Text,
    }
    /// A reset of single IP blocks did not help; a reset of the whole GPU follows.
    SoftResetFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: HANG,
    } {
        /// The IP block.
        ip: Text,
        /// The error.
        errno: Errno,
    }
    /// A command processor could not be stopped.
    CpHaltFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// What was tried: `halt` or `unhalt`.
        action: Text,
    }
    /// A reset of the whole GPU begins.
    ResetBegin: Failure { class: Reset,
        mark: Reset, begins: false, opens: Always, leaves: Unclear, recovery: Begins, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE_OR_ORDER,
    } {
        /// The source of the request (6.18 and later).
        source: ResetSource,
    }
    /// The driver will reset the GPU as a part of setting it up.
    InitReset: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// The reset method.
    ResetMethodChosen: Step {
        mark: Some(Milestone::Reset), opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {
        /// The method.
        method: ResetMethod,
        /// The controller that carries it out: `smu` or `psp`.
        controller: Text,
        /// `system-sleep` where the driver puts the GPU to sleep with it.
        during: Text,
    }
    /// The hardware reset itself returned an error.
    ResetMethodFailed: Failure { class: Reset,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: GivesUp,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The method.
        method: ResetMethod,
        /// The error.
        errno: Errno,
    }
    /// The hardware was reset and the driver begins to initialize it again.
    ResetHardwareDone: Step {
        mark: Some(Milestone::Reset), opens: Always, recovery: InProgress, subject: Gpu, proves: Nothing,
    } {}
    /// Video memory has lost its contents.
    VramLost: Step {
        mark: None, opens: Always, recovery: LosesMemory, subject: Gpu, proves: Nothing,
    } {}
    /// A reset of the whole GPU is complete.
    ResetSucceeded: Step {
        mark: Some(Milestone::Back), opens: Always, recovery: Succeeds, subject: Gpu, proves: Nothing,
    } {
        /// The number of recoveries of this device since the driver was loaded: resets of the GPU,
        /// and also soft recoveries and resets of single rings.
        count: u32,
    }
    /// A reset of the whole GPU ended with an error.
    ResetFailed: Failure { class: Reset,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: Fails, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The number of recoveries of this device since the driver was loaded: resets of the GPU,
        /// and also soft recoveries and resets of single rings.
        count: u32,
        /// The error.
        errno: Errno,
    }
    /// The module vendor-reset resets a GPU before a virtual machine gets it.
    VendorReset: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// What it does, or what it found.
        step: Text,
        /// What the last step returned; that the reset worked is not said by it.
        errno: Errno,
    }
    /// The module vendor-reset could not reset a GPU.
    VendorResetFailed: Failure { class: Reset,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: Fails, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// What the last step returned, if the line states it.
        errno: Errno,
    }
    /// A device that is given to a virtual machine did not come back from its reset.
    PassthroughLost: Failure { class: Passthrough,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: Fails,
        subject: PassedDevice, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// The kind of reset: `bus reset`, `FLR` …
        after: Text,
        /// The power state that it did not leave.
        state: Text,
    }
    /// A device that is given to a virtual machine does not respond yet after its reset, or does
    /// again.
    PassthroughWait: Context { recovery: Nothing, subject: PassedDevice, proves: Nothing } {
        /// `waiting` or `ready`.
        step: Text,
        /// The kind of reset: `bus reset`, `FLR` …
        after: Text,
    }
    /// The stuck job finished after all, and no hardware reset was done.
    ResetSkipped: Step {
        mark: None, opens: Always, recovery: Skips, subject: Gpu, proves: Nothing,
    } {}
    /// The driver would reset the GPU, but recovery is disabled.
    RecoveryDisabled: Failure { class: Hang,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: IsSwitchedOff,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {}
    /// The driver notifies programs about the state of the device after a hang.
    DeviceWedged: Step {
        mark: None, opens: IfRecoveryNeeded, recovery: ExternalRecovery, subject: Gpu, proves: Nothing,
    } {
        /// The recovery that is needed, in the kernel's words.
        recovery: Text,
    }
    /// The driver has saved the GPU's state for developers.
    CoredumpCreated: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {
        /// The path from which it can be read.
        path: Text,
    }
    /// A message about how a recovery is carried out, or why it is not.
    RecoveryNote: Step {
        mark: None, opens: Never, recovery: InProgressIfRestoring, subject: Gpu, proves: Nothing,
    } {
        /// The ring.
        ring: Ring,
        /// The job.
        job: Hex,
        /// The result in the driver's words.
        result: Text,
        /// The error.
        errno: Errno,
    }
    /// A step of a reset of the whole GPU failed.
    ResetStepFailed: Failure { class: Reset,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The error.
        errno: Errno,
    }
    /// The driver restarts the machine or stops all GPU work without a reset, to contain a hardware
    /// error.
    EmergencyRestart: Failure { class: Hardware,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// `restart`, `jobs-stop` or `locked`.
        action: Text,
    }
    /// The driver collects the state of the chip for a saved crash.
    StateDump: Step { mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// `begin` or `end`.
        phase: Phase,
    }
    /// What a saved crash says of the GPU's state.
    SavedCrash: Aftermath { class: Hang, opens: Always, recovery: Nothing, subject: Gpu, proves: SavedCrash, causes: TROUBLE } {
        /// The kernel.
        kernel: Text,
        /// The process that submitted the work.
        process: Text,
        /// Its process id; that of the thread which submitted the work, where the dump has one
        /// only.
        pid: u32,
        /// The name of the thread.
        thread: Text,
        /// The id of the process's address space.
        pasid: u32,
        /// The address space that the work had.
        vmid: u32,
        /// The ring that timed out.
        ring: Ring,
        /// What kind of ring it is, in words: from its name.
        engine: Phrase,
        /// What the driver was doing: `timeout` where it had not reset anything yet.
        phase: Text,
        /// The last page fault, in words.
        fault: Phrase,
        /// The address of the last page fault.
        address: Hex,
        /// The status register of the last page fault; none where it is 0 and says nothing.
        status: FaultStatus,
        /// The hub of the last page fault.
        hub: Hub,
        /// The chip's PCI device number.
        chip: u32,
        /// The version of the graphics block.
        graphics: Text,
        /// The driver's graphics block: `gfx_v11_0`.
        block: Text,
        /// The version of the power firmware (SMU).
        smu: Hex,
        /// Versions of other firmware, as the dump has them.
        firmware: Words,
        /// Status registers and their values.
        registers: Words,
        /// Which blocks of the graphics core were busy, as those registers say.
        busy: Words,
        /// `lost` where video memory lost its contents.
        vram: Text,
    }
}
