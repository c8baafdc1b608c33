//! The closed set of things a log can report, each with its typed fields.
//!
//! A new message is a line in `patterns/messages`; only a new *kind* of thing is an entry here.
//! Every field is optional, because no message carries all of them and a reporter may have struck
//! some out; none is ever filled by guessing.

use crate::value::field::{Conversion, FaultStatus, Field, FieldKind, Value};
use crate::value::{
    Errno, Frames, GfxTarget, Hex, Hub, MesOpcode, ResetMethod, ResetSource, Ring, UnmapRequest,
};

/// What part an event plays in an incident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Something broke: opens an incident.
    Failure,
    /// A step of a recovery: belongs to an open incident and opens none.
    Step,
    /// What a recovery left behind: opens an incident only where no recovery is in sight.
    Aftermath,
    /// Who and what: says nothing of a failure.
    Context,
}

/// A field of an event kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Its name in pattern files and JSON.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
}

macro_rules! kinds {
    ($(
        $(#[doc = $doc:literal])*
        $part:ident $Kind:ident = $name:literal {
            $( $(#[doc = $field_doc:literal])* $field:ident: $Type:ty, )*
        }
    )*) => {
        /// A kind of event. Its name is used in pattern files and JSON: renaming one breaks users.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Kind { $( $(#[doc = $doc])* $Kind, )* }

        impl Kind {
            /// All kinds, in the order of their definition.
            pub const ALL: &'static [Self] = &[$(Self::$Kind),*];

            /// The stable name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Kind => $name,)* }
            }

            /// The kind with this name.
            #[must_use]
            pub fn read(name: &str) -> Option<Self> {
                match name { $($name => Some(Self::$Kind),)* _ => None }
            }

            /// The part that events of this kind play in an incident.
            #[must_use]
            pub const fn part(self) -> Part {
                match self { $(Self::$Kind => Part::$part,)* }
            }

            /// The fields that events of this kind have.
            #[must_use]
            pub const fn fields(self) -> &'static [FieldDefinition] {
                match self { $(
                    Self::$Kind => &[$(
                        FieldDefinition { name: stringify!($field), kind: <$Type as Field>::KIND },
                    )*],
                )* }
            }
        }

        impl serde::Serialize for Kind {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> serde::Deserialize<'de> for Kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                Self::read(&name).ok_or_else(|| serde::de::Error::custom("no such event kind"))
            }
        }

        $(
            $(#[doc = $doc])*
            #[derive(Clone, Debug, Default, PartialEq, Eq)]
            pub struct $Kind { $( $(#[doc = $field_doc])* pub $field: Option<$Type>, )* }
        )*

        /// One thing that a log reports.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event { $( $(#[doc = $doc])* $Kind(Box<$Kind>), )* }

        impl Event {
            /// An event of `kind` of which nothing is known yet.
            #[must_use]
            pub fn empty(kind: Kind) -> Self {
                match kind { $(Kind::$Kind => Self::$Kind(Box::default()),)* }
            }

            /// The kind.
            #[must_use]
            pub const fn kind(&self) -> Kind {
                match self { $(Self::$Kind(_) => Kind::$Kind,)* }
            }

            /// The value of the field `name`; `None` where the kind has no such field or the log
            /// does not tell.
            #[must_use]
            pub fn field(&self, name: &str) -> Option<Value> {
                match self { $(
                    #[allow(unused_variables, reason = "some kinds have no fields")]
                    Self::$Kind(event) => match name {
                        $(stringify!($field) => event.$field.as_ref().map(Field::value),)*
                        _ => None,
                    },
                )* }
            }

            /// The value of the field `name` in words for people.
            #[must_use]
            pub fn said(&self, name: &str) -> Option<String> {
                match self { $(
                    #[allow(unused_variables, reason = "some kinds have no fields")]
                    Self::$Kind(event) => match name {
                        $(stringify!($field) => event.$field.as_ref().map(Field::said),)*
                        _ => None,
                    },
                )* }
            }

            /// Reads `text` into the field `name`. False where the text is no value of its type.
            pub fn set(&mut self, name: &str, text: &str, conversion: Conversion) -> bool {
                match self { $(
                    #[allow(unused_variables, reason = "some kinds have no fields")]
                    Self::$Kind(event) => match name {
                        $(stringify!($field) => {
                            event.$field = <$Type as Field>::read(text, conversion);
                            event.$field.is_some()
                        })*
                        _ => false,
                    },
                )* }
            }

            /// Takes over the fields of a later line of the same event. False, and nothing changed,
            /// where the kinds differ or the line says something again: then it is another event.
            pub fn absorb(&mut self, later: Self) -> bool {
                match (self, later) {
                    $(
                    #[allow(unused_variables, reason = "some kinds have no fields")]
                    (Self::$Kind(event), Self::$Kind(later)) => {
                        let takes = true $(&& later.$field.as_ref().is_none_or(|value| {
                            Field::takes(event.$field.as_ref(), value)
                        }))*;
                        if takes {
                            $(if let Some(value) = later.$field {
                                Field::absorb(&mut event.$field, value);
                            })*
                        }
                        takes
                    } )*
                    _ => false,
                }
            }
        }
    };
}

kinds! {
    /// A GPU access to an address without a valid mapping, or one that its mapping forbids.
    Failure PageFault = "page-fault" {
        /// The translation hub.
        hub: Hub,
        /// `retry` or `no-retry` (gfx9).
        retry: String,
        /// The interrupt's source number.
        src_id: u32,
        /// The `ring:` byte of the interrupt; no ring number, and opaque.
        ring_byte: u32,
        /// The address space; 0 is the driver's and the firmware's own.
        vmid: u32,
        /// The process address space number; 0 where none owns the access.
        pasid: u32,
        /// The process that owns the address space, cut to 15 bytes by the kernel.
        process: String,
        /// Its process id.
        pid: u32,
        /// The thread that submitted the work.
        thread: String,
        /// Its thread id.
        tid: u32,
        /// The faulting address, page aligned.
        address: Hex,
        /// The faulting page number (gfx8 and older).
        page: u64,
        /// The interrupt's client number; not the engine.
        ih_client: u32,
        /// The interrupt client's name (gfx9, gfx10).
        ih_client_name: String,
        /// The status register's name.
        register: String,
        /// The status register.
        status: FaultStatus,
        /// The engine that made the access, as the driver names it.
        client: String,
        /// The engine's UTCL2 client number.
        cid: u32,
        /// More faults followed.
        more_faults: u32,
        /// The page-table walker's code.
        walker_error: u32,
        /// What was not allowed: bit 0 not valid, 1 read, 2 write, 3 execute.
        permission_faults: u32,
        /// No mapping at all levels.
        mapping_error: u32,
        /// 1 for a write.
        rw: u32,
        /// `read` or `write` in words (gfx8 and older).
        access: String,
        /// The protection bits (gfx8 and older).
        protections: Hex,
        /// The memory client's number (gfx8 and older).
        memory_client: u32,
        /// The interrupt's data word (gfx8 and older).
        src_data: Hex,
        /// The die that reported the fault.
        die: String,
        /// What the printed lines say differently from the status register.
        disagrees: crate::value::Disagreements,
    }
    /// The scheduler firmware (MES) did not answer a request in time.
    Failure MesTimeout = "mes-timeout" {
        /// The request.
        opcode: MesOpcode,
        /// The sub-operation of a `MISC` request.
        operation: String,
        /// 0 the scheduler, 1 the kernel interface queue (gfx12).
        pipe: u32,
        /// The accelerator die.
        xcc: u32,
    }
    /// What the driver could not do because MES did not answer.
    Failure MesRequestFailed = "mes-request-failed" {
        /// What was asked for.
        request: UnmapRequest,
        /// The queue's doorbell.
        doorbell: Hex,
        /// The queue's number.
        queue: u32,
        /// The error.
        errno: Errno,
    }
    /// The compute driver gives MES up and asks for a GPU reset.
    Failure MesUnrecoverable = "mes-unrecoverable" {}
    /// The ring buffer of MES is full: nothing takes requests from it.
    Failure MesRingFull = "mes-ring-full" {
        /// 0 the scheduler, 1 the kernel interface queue.
        pipe: u32,
        /// The accelerator die.
        xcc: u32,
    }
    /// Work on a ring did not finish in time.
    Failure RingTimeout = "ring-timeout" {
        /// The ring.
        ring: Ring,
        /// The last job that finished.
        signaled: u64,
        /// The last job that was submitted.
        emitted: u64,
        /// The process that submitted the stuck job; not proven guilty.
        process: String,
        /// Its process id.
        pid: u32,
        /// The thread that submitted the job.
        thread: String,
        /// Its thread id.
        tid: u32,
    }
    /// The waves of a stuck job were killed and its ring went on.
    Failure SoftRecovered = "soft-recovered" {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring begins.
    Failure RingResetBegin = "ring-reset-begin" {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring worked.
    Step RingResetSucceeded = "ring-reset-succeeded" {
        /// The ring.
        ring: Ring,
    }
    /// A reset of one ring did not work; a reset of the whole GPU follows.
    Failure RingResetFailed = "ring-reset-failed" {
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// An IP block does not get on with its work.
    Failure IpBlockHung = "ip-block-hung" {
        /// The IP block.
        ip: String,
    }
    /// A reset of single IP blocks begins.
    Step SoftResetBegin = "soft-reset-begin" {
        /// The IP block.
        ip: String,
    }
    /// A reset of single IP blocks worked.
    Step SoftResetSucceeded = "soft-reset-succeeded" {
        /// The IP block.
        ip: String,
    }
    /// A reset of single IP blocks did not help; a reset of the whole GPU follows.
    Failure SoftResetFailed = "soft-reset-failed" {
        /// The IP block.
        ip: String,
        /// The error.
        errno: Errno,
    }
    /// A command processor could not be stopped.
    Failure CpHaltFailed = "cp-halt-failed" {
        /// What was tried: `halt` or `unhalt`.
        action: String,
    }
    /// A reset of the whole GPU begins.
    Failure ResetBegin = "reset-begin" {
        /// Who asked for it (6.18 and later).
        source: ResetSource,
        /// `reset`, or `jobs stop` for an emergency restart.
        action: String,
    }
    /// How the hardware is reset.
    Step ResetMethodChosen = "reset-method" {
        /// The method.
        method: ResetMethod,
        /// The controller that carries it out: `smu` or `psp`.
        controller: String,
    }
    /// The hardware reset itself returned an error.
    Failure ResetMethodFailed = "reset-method-failed" {
        /// The method.
        method: ResetMethod,
        /// The error.
        errno: Errno,
    }
    /// The hardware has been reset and the driver begins to set it up again; half way.
    Step ResetHardwareDone = "reset-hardware-done" {}
    /// Video memory has lost its contents.
    Step VramLost = "vram-lost" {}
    /// A reset of the whole GPU is complete.
    Step ResetSucceeded = "reset-succeeded" {
        /// How many resets of this device have been counted since boot.
        count: u32,
    }
    /// A reset of the whole GPU ended with an error.
    Failure ResetFailed = "reset-failed" {
        /// How many resets of this device have been counted since boot.
        count: u32,
        /// The error.
        errno: Errno,
    }
    /// The stuck job finished after all, and no hardware reset was done.
    Step ResetSkipped = "reset-skipped" {}
    /// The driver would reset the GPU, but recovery is switched off.
    Failure RecoveryDisabled = "recovery-disabled" {}
    /// What the driver tells programs about the device after a hang.
    Step DeviceWedged = "device-wedged" {
        /// What is needed now, in the kernel's words.
        recovery: String,
    }
    /// The driver has saved the GPU's state for developers.
    Step CoredumpCreated = "coredump-created" {
        /// Where it can be read.
        path: String,
    }
    /// A ring does not carry out a test command.
    Failure RingTestFailed = "ring-test-failed" {
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// An IP block could not be brought up or down.
    Failure IpBlockFailed = "ip-block-failed" {
        /// The IP block.
        ip: String,
        /// The step of its life: `hw_init`, `suspend`, `resume` …
        phase: String,
        /// The error.
        errno: Errno,
    }
    /// The interface numbers of power firmware (SMU) and driver.
    Context SmuVersions = "smu-versions" {
        /// The interface number that the driver was built for.
        driver_if: Hex,
        /// The interface number that the firmware reports.
        fw_if: Hex,
        /// The firmware's program number.
        fw_program: u32,
        /// The firmware's version.
        fw_version: Hex,
        /// First part of the version.
        major: u32,
        /// Second part.
        minor: u32,
        /// Third part.
        debug: u32,
    }
    /// The driver notes that the two interface numbers differ.
    Context SmuMismatch = "smu-mismatch" {}
    /// The power-management controller (SMU) does not answer, or answers with an error.
    Failure SmuNoAnswer = "smu-no-answer" {
        /// The message, by name.
        message: String,
        /// The message, by number.
        index: u32,
        /// The message register.
        message_register: Hex,
        /// The message's argument.
        parameter: Hex,
        /// The answer register.
        response: Hex,
    }
    /// Something that the driver could not do because of the power-management controller.
    Failure SmuFailure = "smu-failure" {
        /// What it was.
        what: String,
    }
    /// The compute driver (KFD) could not evict, restore, suspend or remove queues.
    Failure KfdQueueFailed = "kfd-queue-failed" {
        /// What it tried.
        action: String,
        /// The queue.
        queue: u32,
        /// The process address space.
        pasid: u32,
        /// The process.
        pid: u32,
    }
    /// The compute hardware scheduler (chips without MES) did not preempt its queues.
    Failure HwsHang = "hws-hang" {}
    /// A submission was refused because its context died in a hang or reset (-125), or for another
    /// reason that `errno` names.
    Aftermath SubmissionRejected = "submission-rejected" {
        /// The error; -125 for a lost context.
        errno: Errno,
    }
    /// A program reports that its GPU context is lost.
    Aftermath ContextLost = "context-lost" {
        /// Whether the driver holds this context responsible: `innocent`, `guilty` or `unknown`.
        guilt: String,
        /// The error.
        errno: Errno,
    }
    /// The kernel reports a task that has not run for a long time.
    Failure HungTask = "hung-task" {
        /// The task.
        task: String,
        /// Its id.
        pid: u32,
        /// For how long, in seconds.
        seconds: u64,
        /// Its state letter.
        state: String,
        /// The work queue that a kernel worker serves.
        queue: String,
        /// The function that a kernel worker runs.
        work: String,
        /// Where it waits.
        stack: Frames,
    }
    /// A task in uninterruptible sleep, in a process listing or a dump of blocked tasks.
    Failure BlockedTask = "blocked-task" {
        /// The task.
        task: String,
        /// Its id.
        pid: u32,
        /// Its state, `D` first.
        state: String,
        /// What the kernel says it waits in.
        wait_channel: String,
        /// The work queue that a kernel worker serves.
        queue: String,
        /// The function that a kernel worker runs.
        work: String,
        /// Where it waits.
        stack: Frames,
    }
    /// The ROCm runtime ends a program because the GPU reported an access to unmapped memory.
    Failure RocrMemoryFault = "rocr-memory-fault" {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// The address.
        address: Hex,
        /// The runtime's reason.
        reason: String,
    }
    /// The ROCm runtime ends a program because its GPU was reset or has a memory error.
    Failure RocrHwException = "rocr-hw-exception" {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// `GPU Hang` or `ECC`.
        reason: String,
    }
    /// The ROCm runtime reports an error of a queue or a program.
    Failure HsaError = "hsa-error" {
        /// The name of the status.
        status: String,
        /// What the runtime says about it.
        reason: String,
    }
    /// An inference server's helper process died while it probed the GPU.
    Failure RunnerCrash = "runner-crash" {
        /// The server's word for what happened.
        error: String,
    }
    /// A library has no code for this GPU.
    Step LibraryLacksTarget = "library-lacks-target" {
        /// The target that it was asked for.
        target: GfxTarget,
        /// The library.
        library: String,
    }
    /// The environment makes ROCm believe that the GPU is another chip.
    Context GfxOverride = "gfx-override" {
        /// The target that is forced.
        target: GfxTarget,
    }
    /// The module loader ignored a driver option that does not exist.
    Context UnknownParameter = "unknown-parameter" {
        /// The module.
        module: String,
        /// The option.
        parameter: String,
    }
    /// The kernel's command line.
    Context CommandLine = "command-line" {
        /// All of it.
        text: String,
    }
    /// The kernel says which release it is.
    Context KernelBanner = "kernel-banner" {
        /// The release.
        release: String,
    }
    /// The driver says which chip it initialises.
    Context GpuIdentity = "gpu-identity" {
        /// The code name, or `IP DISCOVERY` where the chip describes itself.
        chip: String,
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// PCI revision.
        revision: Hex,
    }
    /// The driver lists a block of the chip.
    Context IpBlock = "ip-block" {
        /// The block's implementation: `gfx_v11_0`.
        name: String,
    }
    /// The driver says how much video memory there is.
    Context VramSize = "vram-size" {
        /// In MiB.
        mib: u64,
    }
    /// A program names the GPU that it uses.
    Context GpuName = "gpu-name" {
        /// The marketing name.
        name: String,
        /// The code name that the driver reports.
        code_name: String,
        /// Where it sits.
        pci_address: crate::value::PciAddress,
        /// The target.
        target: GfxTarget,
    }
    /// Overclocking controls are switched on.
    Context OverdriveEnabled = "overdrive-enabled" {}
}
