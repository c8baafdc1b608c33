//! The closed set of things a log can report, each with its typed fields.
//!
//! A new message is a line in `patterns/messages`; only a new *kind* of thing is an entry here.
//! Every field is optional, because no message carries all of them and a reporter may have struck
//! some out; none is ever filled by guessing.

use crate::value::field::{Conversion, FaultStatus, Field, FieldKind, Shape, Slot, Value};
use crate::value::{
    AerSeverity, DisplayWait, DmubStatus, Errno, Frames, GfxTarget, Hex, Hub, LockupKind,
    MesOpcode, PciChannel, Phase, RasKind, ResetMethod, ResetSource, Ring, ShaderErrorKind, Text,
    UnmapRequest, Words,
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

impl Part {
    /// The word used in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failure => "failure",
            Self::Step => "step",
            Self::Aftermath => "aftermath",
            Self::Context => "context",
        }
    }
}

/// A field of an event kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDefinition {
    /// Its name in pattern files and JSON.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// How JSON shows it.
    pub shape: Shape,
    /// What it means: the doc comment of its definition.
    pub about: &'static str,
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

            /// What events of this kind report: the doc comment of its definition.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$Kind => const { concat!($($doc),*).trim_ascii() },)* }
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
                    Self::$Kind => const { &[$(
                        FieldDefinition {
                            name: stringify!($field),
                            kind: <$Type as Field>::KIND,
                            shape: <$Type as Field>::SHAPE,
                            about: concat!($($field_doc),*).trim_ascii(),
                        },
                    )*] },
                )* }
            }

            /// Where the field `name` stands among [`Self::fields`].
            #[must_use]
            pub fn place(self, name: &str) -> Option<usize> {
                self.fields().iter().position(|field| field.name == name)
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

            /// The field at `place` of [`Kind::fields`], whatever its type.
            pub fn slot(&mut self, place: usize) -> Option<&mut dyn Slot> {
                match self { $(
                    Self::$Kind(event) => {
                        let slots: &[fn(&mut $Kind) -> &mut dyn Slot] =
                            const { &[$(|event| &mut event.$field),*] };
                        slots.get(place).map(|slot| slot(event))
                    }
                )* }
            }
        }
    };
}

impl Event {
    /// Reads `text` into the field `name`. False where the text is no value of its type.
    pub fn set(&mut self, name: &str, text: &str, conversion: Conversion) -> bool {
        let slot = self.kind().place(name).and_then(|place| self.slot(place));
        slot.is_some_and(|slot| slot.set(text, conversion))
    }
}

kinds! {
    /// A GPU access to an address without a valid mapping, or one that its mapping forbids.
    Failure PageFault = "page-fault" {
        /// The translation hub.
        hub: Hub,
        /// `retry` or `no-retry` (gfx9).
        retry: Text,
        /// The interrupt's source number.
        src_id: u32,
        /// The `ring:` byte of the interrupt; no ring number, and opaque.
        ring_byte: u32,
        /// The address space; 0 is the driver's and the firmware's own.
        vmid: u32,
        /// The process address space number; 0 where none owns the access.
        pasid: u32,
        /// The process that owns the address space, cut to 15 bytes by the kernel.
        process: Text,
        /// Its process id.
        pid: u32,
        /// The thread that submitted the work.
        thread: Text,
        /// Its thread id.
        tid: u32,
        /// The faulting address, page aligned.
        address: Hex,
        /// The faulting page number (gfx8 and older).
        page: u64,
        /// The interrupt's client number; not the engine.
        ih_client: u32,
        /// The interrupt client's name (gfx9, gfx10).
        ih_client_name: Text,
        /// The status register's name.
        register: Text,
        /// The status register.
        status: FaultStatus,
        /// The engine that made the access, as the driver names it.
        client: Text,
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
        access: Text,
        /// The protection bits (gfx8 and older).
        protections: Hex,
        /// The memory client's number (gfx8 and older).
        memory_client: u32,
        /// The interrupt's data word (gfx8 and older).
        src_data: Hex,
        /// The die that reported the fault.
        die: Text,
        /// What the printed lines say differently from the status register.
        disagrees: crate::value::Disagreements,
    }
    /// The scheduler firmware (MES) did not answer a request in time.
    Failure MesTimeout = "mes-timeout" {
        /// The request.
        opcode: MesOpcode,
        /// The sub-operation of a `MISC` request.
        operation: Text,
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
        process: Text,
        /// Its process id.
        pid: u32,
        /// The thread that submitted the job.
        thread: Text,
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
        ip: Text,
    }
    /// A reset of single IP blocks begins.
    Step SoftResetBegin = "soft-reset-begin" {
        /// The IP block.
        ip: Text,
    }
    /// A reset of single IP blocks worked.
    Step SoftResetSucceeded = "soft-reset-succeeded" {
        /// The IP block.
        ip: Text,
    }
    /// A reset of single IP blocks did not help; a reset of the whole GPU follows.
    Failure SoftResetFailed = "soft-reset-failed" {
        /// The IP block.
        ip: Text,
        /// The error.
        errno: Errno,
    }
    /// A command processor could not be stopped.
    Failure CpHaltFailed = "cp-halt-failed" {
        /// What was tried: `halt` or `unhalt`.
        action: Text,
    }
    /// A reset of the whole GPU begins.
    Failure ResetBegin = "reset-begin" {
        /// Who asked for it (6.18 and later).
        source: ResetSource,
        /// `reset`, or `jobs stop` for an emergency restart.
        action: Text,
    }
    /// How the hardware is reset.
    Step ResetMethodChosen = "reset-method" {
        /// The method.
        method: ResetMethod,
        /// The controller that carries it out: `smu` or `psp`.
        controller: Text,
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
        recovery: Text,
    }
    /// The driver has saved the GPU's state for developers.
    Step CoredumpCreated = "coredump-created" {
        /// Where it can be read.
        path: Text,
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
        ip: Text,
        /// The step of its life: `hw_init`, `suspend`, `resume` …
        phase: Text,
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
        message: Text,
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
        what: Text,
    }
    /// The compute driver (KFD) could not evict, restore, suspend or remove queues.
    Failure KfdQueueFailed = "kfd-queue-failed" {
        /// What it tried.
        action: Text,
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
        /// The number of the synchronisation object that was waited for.
        syncobj: u32,
        /// The point of its timeline.
        point: u64,
    }
    /// A program reports that its GPU context is lost.
    Aftermath ContextLost = "context-lost" {
        /// Whether the driver holds this context responsible: `innocent`, `guilty` or `unknown`.
        guilt: Text,
        /// The error.
        errno: Errno,
    }
    /// The kernel reports a task that has not run for a long time.
    Failure HungTask = "hung-task" {
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// For how long, in seconds.
        seconds: u64,
        /// Its state letter.
        state: Text,
        /// The work queue that a kernel worker serves.
        queue: Text,
        /// The function that a kernel worker runs.
        work: Text,
        /// Where it waits.
        stack: Frames,
    }
    /// A task in uninterruptible sleep, in a process listing or a dump of blocked tasks.
    Failure BlockedTask = "blocked-task" {
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// Its state, `D` first.
        state: Text,
        /// What the kernel says it waits in.
        wait_channel: Text,
        /// The work queue that a kernel worker serves.
        queue: Text,
        /// The function that a kernel worker runs.
        work: Text,
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
        reason: Text,
    }
    /// The ROCm runtime ends a program because its GPU was reset or has a memory error.
    Failure RocrHwException = "rocr-hw-exception" {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// `GPU Hang` or `ECC`.
        reason: Text,
    }
    /// The ROCm runtime reports an error of a queue or a program.
    Failure HsaError = "hsa-error" {
        /// The name of the status.
        status: Text,
        /// What the runtime says about it.
        reason: Text,
    }
    /// An inference server's helper process died while it probed the GPU.
    Failure RunnerCrash = "runner-crash" {
        /// The server's word for what happened.
        error: Text,
    }
    /// A library has no code for this GPU.
    Step LibraryLacksTarget = "library-lacks-target" {
        /// The target that it was asked for.
        target: GfxTarget,
        /// The library.
        library: Text,
    }
    /// The environment makes ROCm believe that the GPU is another chip.
    Context GfxOverride = "gfx-override" {
        /// The target that is forced.
        target: GfxTarget,
    }
    /// The module loader ignored a driver option that does not exist.
    Context UnknownParameter = "unknown-parameter" {
        /// The module.
        module: Text,
        /// The option.
        parameter: Text,
    }
    /// The kernel's command line.
    Context CommandLine = "command-line" {
        /// All of it.
        text: Text,
        /// Its words.
        words: Words,
        /// Options of amdgpu that this kernel's driver does not have.
        no_such: Words,
        /// Power features that `amdgpu.ppfeaturemask` adds to the driver's own choice.
        power_added: Words,
        /// Power features that `amdgpu.ppfeaturemask` takes away.
        power_removed: Words,
        /// What `amdgpu.dcdebugmask` switches off in the display driver.
        display_off: Words,
        /// Bits of these masks that this kernel does not have.
        without_effect: Words,
    }
    /// The kernel says which release it is.
    Context KernelBanner = "kernel-banner" {
        /// The release.
        release: Text,
    }
    /// The driver says which chip it initialises.
    Context GpuIdentity = "gpu-identity" {
        /// The code name, or `IP DISCOVERY` where the chip describes itself.
        chip: Text,
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// PCI revision.
        revision: Hex,
        /// `dgpu` or `apu`.
        kind: Text,
    }
    /// The driver lists a block of the chip.
    Context IpBlock = "ip-block" {
        /// The block's implementation: `gfx_v11_0`.
        name: Text,
    }
    /// The driver says how much video memory there is.
    Context VramSize = "vram-size" {
        /// In MiB.
        mib: u64,
    }
    /// A program names the GPU that it uses.
    Context GpuName = "gpu-name" {
        /// The marketing name.
        name: Text,
        /// The code name that the driver reports.
        code_name: Text,
        /// Where it sits.
        pci_address: crate::value::PciAddress,
        /// The target.
        target: GfxTarget,
    }
    /// Overclocking controls are switched on.
    Context OverdriveEnabled = "overdrive-enabled" {}

    // Memory.
    /// Stale translations could not be thrown away.
    Failure TlbFlushFailed = "tlb-flush-failed" {
        /// The process address space.
        pasid: u32,
        /// The error.
        errno: Errno,
    }
    /// A page fault that the driver could not serve.
    Context PageFaultUnhandled = "page-fault-unhandled" {
        /// The error.
        errno: Errno,
    }
    /// Page faults are not reported any more, because a program asked for sparse memory.
    Context PageFaultsOff = "page-faults-off" {}
    /// A buffer could not be mapped, moved, pinned or given back.
    Aftermath BufferError = "buffer-error" {
        /// The kernel's handle of the buffer or context.
        buffer: Hex,
        /// The first GPU address.
        start: Hex,
        /// The last GPU address.
        end: Hex,
        /// The first address of what is in the way.
        other_start: Hex,
        /// The last address of what is in the way.
        other_end: Hex,
        /// The process.
        pid: u32,
        /// The error.
        errno: Errno,
    }
    /// There was not enough memory for the GPU's work.
    Failure OutOfMemory = "out-of-memory" {
        /// How much was wanted, in pages of 4 KiB.
        pages: u64,
        /// How much was wanted, in MiB.
        mib: u64,
        /// The buffer that found no place.
        buffer: Hex,
        /// The memory pool that was tried: 0 system, 1 GTT, 2 VRAM.
        pool: u32,
        /// The error.
        errno: Errno,
    }
    /// The kernel ended a process because the machine ran out of memory.
    Context OomKill = "oom-kill" {
        /// The process.
        process: Text,
        /// Its process id.
        pid: u32,
        /// Why: `Out of memory`, `Memory cgroup out of memory` …
        reason: Text,
        /// Its virtual memory, in KiB.
        total_kib: u64,
        /// Its private resident memory, in KiB.
        anon_kib: u64,
    }
    /// How much system memory the GPU may use.
    Context GttSize = "gtt-size" {
        /// In MiB.
        mib: u64,
    }

    // Rings, jobs, the scheduler and the kernel's own queues.
    /// A step that says how a recovery is carried out, or that it is not.
    Step RecoveryNote = "recovery-note" {
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
    Failure ResetStepFailed = "reset-step-failed" {
        /// The error.
        errno: Errno,
    }
    /// The driver restarts the machine or gives the GPU up to contain a memory error.
    Failure EmergencyRestart = "emergency-restart" {}
    /// An interrupt was missed: a timer found work that had finished unnoticed.
    Aftermath FenceFallback = "fence-fallback" {
        /// The ring.
        ring: Ring,
    }
    /// The driver's own control queue (KIQ), through which it reaches the command processors, failed.
    Failure KiqFailed = "kiq-failed" {
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
    /// Work could not be handed to a ring.
    Aftermath JobFailed = "job-failed" {
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// The driver collects the state of the chip for a saved crash.
    Step StateDump = "state-dump" {
        /// `begin` or `end`.
        phase: Phase,
    }
    /// A command stream did something that the command processor does not allow.
    Failure IllegalCommand = "illegal-command" {
        /// What: `register`, `instruction` or `opcode`.
        what: Text,
    }
    /// Shader code did something illegal; the wave that did it is named.
    Failure ShaderError = "shader-error" {
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
    /// The scheduler of the kernel met something that should not happen.
    Aftermath SchedulerError = "scheduler-error" {
        /// What: `killed-entity`, `ring-not-ready`, `teardown`, `fence-callback`.
        what: Text,
        /// The ring.
        ring: Ring,
        /// The error.
        errno: Errno,
    }
    /// MES, the scheduler firmware, could not be set up or does not know a request.
    Failure MesFailed = "mes-failed" {
        /// The sub-operation.
        operation: u32,
        /// The error.
        errno: Errno,
    }
    /// A queue that a program feeds by itself could not be mapped, evicted, restored or reset.
    Failure UserQueueFailed = "user-queue-failed" {
        /// The queue.
        queue: u32,
        /// The fence's context.
        context: u64,
        /// The fence's number.
        fence: u64,
        /// The error.
        errno: Errno,
    }
    /// More interrupts came than the driver took; some are lost.
    Aftermath InterruptOverflow = "interrupt-overflow" {
        /// Where the chip writes.
        write_pointer: Hex,
        /// Where the driver reads.
        read_pointer: Hex,
        /// The KFD node.
        node: u32,
    }
    /// A register did not take the value that the driver waited for.
    Aftermath RegisterTimeout = "register-timeout" {
        /// The block's instance.
        instance: u32,
        /// The register.
        register: Text,
        /// The value that was waited for.
        expected: Hex,
        /// The value that it had.
        actual: Hex,
    }
    /// A copy engine did not stop or start as it was told.
    Failure SdmaFailed = "sdma-failed" {
        /// The engine.
        instance: u32,
        /// The engines, one bit each.
        mask: Hex,
    }
    /// The video engine's own processor does not answer.
    Failure VideoNotResponding = "video-not-responding" {
        /// The engine.
        instance: u32,
        /// `retry` or `given-up`.
        phase: Text,
    }
    /// A block's power could not be switched.
    Aftermath PowerGatingFailed = "power-gating-failed" {
        /// The IP block.
        ip: Text,
        /// `enable` or `disable`.
        action: Text,
    }

    // The compute driver.
    /// A compute queue is reported as hung.
    Failure QueueHung = "queue-hung" {
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
    Aftermath QueueReset = "queue-reset" {
        /// The queue.
        queue: u32,
        /// The process address space.
        pasid: u32,
        /// The process.
        process: Text,
        /// Its process id.
        pid: u32,
        /// The thread.
        thread: Text,
        /// Its thread id.
        tid: u32,
    }
    /// The waves of a process are killed.
    Step WavesReset = "waves-reset" {}
    /// The compute driver could not do what a process asked for.
    Aftermath KfdProcessFailed = "kfd-process-failed" {
        /// The process.
        pid: u32,
        /// The process address space.
        pasid: u32,
        /// The kind of queue.
        queue_type: u32,
        /// How many there are.
        total: u32,
        /// The error.
        errno: Errno,
    }
    /// The compute driver tells a process that its work failed.
    Aftermath KfdSignal = "kfd-signal" {
        /// The signal; none where the process did not handle the failure itself.
        signal: Text,
        /// The process.
        process: Text,
        /// Its process id.
        pid: u32,
        /// The process address space.
        pasid: u32,
    }
    /// A GPU is of no use for compute (ROCm).
    Step KfdUnavailable = "kfd-unavailable" {
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// Why: `atomics`, `unsupported`, `errors`, `no-drm-node` …
        reason: Text,
        /// The chip.
        asic: Text,
        /// The version of its graphics block.
        gc_version: Hex,
        /// The firmware version it has.
        firmware: u32,
        /// The firmware version that does without PCIe atomics.
        firmware_needed: u32,
        /// The error.
        errno: Errno,
    }
    /// Compute programs wait for each other: more queues than the chip can hold.
    Context KfdOversubscribed = "kfd-oversubscribed" {
        /// What there is too much of.
        reason: Text,
    }
    /// The compute driver has a node for a device.
    Context KfdNode = "kfd-node" {
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
        /// How many there are.
        count: u32,
        /// Its memory, in MiB.
        mib: u64,
    }

    // Errors that the hardware finds in itself.
    /// The GPU reports an error in its memory or in its logic.
    Failure RasError = "ras-error" {
        /// How bad.
        kind: RasKind,
        /// The block: `umc`, `sdma`, `gfx`, `athub` …
        block: Text,
        /// How many.
        count: u64,
        /// The package.
        socket: u32,
        /// The die.
        die: u32,
        /// The memory controller.
        instance: u32,
        /// Its channel.
        channel: u32,
        /// The physical address.
        address: Hex,
        /// The interrupt's client.
        client: u32,
        /// The number that the lines of one event share.
        event_id: u64,
    }
    /// How many errors of a block have been counted, or were corrected without harm.
    Context RasTotal = "ras-total" {
        /// How bad.
        kind: RasKind,
        /// The block.
        block: Text,
        /// How many.
        count: u64,
        /// The package.
        socket: u32,
        /// The die.
        die: u32,
    }
    /// An error as the hardware's banks hold it (ACA, MCA).
    Aftermath RasBank = "ras-bank" {
        /// The bank.
        index: u32,
        /// How many there are.
        total: u32,
        /// The status register.
        status: Hex,
        /// The address register.
        address: Hex,
        /// The first miscellaneous register.
        misc: Hex,
        /// The register that says which block it is.
        ipid: Hex,
        /// The syndrome register.
        syndrome: Hex,
    }
    /// Pages of video memory are known to be bad.
    Context BadPages = "bad-pages" {
        /// How many.
        pages: u32,
        /// From how many on the GPU is to be replaced.
        threshold: u32,
        /// The error of reading their table.
        errno: Errno,
    }
    /// The GPU has so many bad pages, or such errors, that it is not used any more.
    Failure GpuRetired = "gpu-retired" {
        /// How many bad pages.
        pages: u32,
        /// From how many on the GPU is to be replaced.
        threshold: u32,
    }
    /// The links between GPUs (XGMI) report an error or could not be set up.
    Failure XgmiFailed = "xgmi-failed" {
        /// The GPU's number in its hive.
        node: Hex,
        /// The hive.
        hive: Hex,
        /// The error.
        errno: Errno,
    }
    /// A link between GPUs (XGMI, WAFL) reports an error; corrected ones are reported in the same words.
    Aftermath XgmiError = "xgmi-error" {
        /// The error as the hardware names it.
        error: Text,
    }
    /// A GPU belongs to a hive of linked GPUs.
    Context XgmiNode = "xgmi-node" {
        /// The GPU's number in its hive.
        node: u32,
        /// The hive.
        hive: Hex,
    }

    // The bus.
    /// The GPU does not answer on the bus.
    Failure DeviceLost = "device-lost" {
        /// The power state that it should have left.
        state: Text,
    }
    /// The PCI core tells the driver of an error of its device, or takes a step to repair it.
    Failure PciErrorState = "pci-error-state" {
        /// What the driver is told.
        channel: PciChannel,
    }
    /// A step of the repair of a PCI error.
    Step PciRecovery = "pci-recovery" {
        /// The step: `slot-reset`, `resume`, `succeeded`, `failed`.
        step: Text,
        /// The error.
        errno: Errno,
    }
    /// Advanced error reporting (AER) of the PCI bus.
    Failure PcieError = "pcie-error" {
        /// The device that the report is about, where the line names one.
        source: crate::value::PciAddress,
        /// How bad.
        severity: AerSeverity,
        /// The layer: `Physical Layer`, `Data Link Layer`, `Transaction Layer`.
        layer: Text,
        /// What part the device played: `Receiver ID`, `Requester ID` …
        agent: Text,
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// The error bits.
        status: Hex,
        /// Which of them are not reported.
        mask: Hex,
        /// The names of the bits.
        bits: Words,
    }
    /// The bus lists a display device of AMD's.
    Context PciDevice = "pci-device" {
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// PCI class.
        class: Hex,
    }
    /// A port cut its link to contain an error (DPC).
    Failure PcieContained = "pcie-contained" {
        /// The device that the error came from.
        source: crate::value::PciAddress,
        /// The trigger status.
        status: Hex,
    }
    /// A slot or link went down, or came back.
    Context PcieSlot = "pcie-slot" {
        /// The slot.
        slot: Text,
        /// `link-down` or `card-gone`.
        what: Text,
    }
    /// A device did not change its power state.
    Aftermath PowerStateRefused = "power-state-refused" {
        /// The state that it stays in.
        state: Text,
    }
    /// The PCIe link is slower or narrower than the device could have it.
    Context LinkLimited = "link-limited" {
        /// The speed that limits, as `16.0 GT/s PCIe`.
        speed: Text,
        /// How many lanes.
        lanes: u32,
        /// The device that limits.
        at: crate::value::PciAddress,
        /// The speed that the device could have.
        capable_speed: Text,
        /// The lanes that it could have.
        capable_lanes: u32,
    }
    /// The IOMMU stopped an access or could not serve a device.
    Failure IommuFault = "iommu-fault" {
        /// The device whose access it was.
        source: crate::value::PciAddress,
        /// The event's name: `IO_PAGE_FAULT` …
        name: Text,
        /// The IOMMU's domain.
        domain: Hex,
        /// The address.
        address: Hex,
        /// The process address space.
        pasid: Hex,
        /// The event's flags.
        flags: Hex,
    }

    // Heat and power.
    /// The GPU is too hot.
    Failure OverTemperature = "over-temperature" {
        /// Who noticed: `software`, `hardware`.
        noticed_by: Text,
    }
    /// The driver shuts the machine down, so that the GPU takes no damage.
    Failure ThermalShutdown = "thermal-shutdown" {
        /// Who noticed: `software`, `hardware`.
        noticed_by: Text,
    }
    /// The GPU runs slower to stay within its limits.
    Context Throttled = "throttled" {
        /// The limits.
        reasons: Text,
    }
    /// A note about heat.
    Context ThermalNote = "thermal-note" {
        /// The limit, in degrees Celsius.
        limit: u32,
        /// By how much it was moved.
        offset: i32,
        /// The interrupt's source.
        source: u32,
    }
    /// How the GPU is powered down when it has nothing to do.
    Context RuntimePm = "runtime-pm" {
        /// `BACO`, `BAMACO`, `BOCO`, `none` or `off`.
        method: Text,
    }
    /// A power setting that does not work or costs energy.
    Context PowerNote = "power-note" {
        /// The error.
        errno: Errno,
    }
    /// The machine goes to sleep or wakes up.
    Context SystemSleep = "system-sleep" {
        /// `begin` or `end`.
        phase: Phase,
        /// `s2idle` or `deep`.
        kind: Text,
    }
    /// The device could not be put to sleep or woken up.
    Failure DeviceSleepFailed = "device-sleep-failed" {
        /// What failed: `suspend`, `resume async`, a function.
        action: Text,
        /// The error.
        errno: Errno,
    }

    // Setting up.
    /// The driver could not take the GPU into service.
    Failure InitFailed = "init-failed" {
        /// The driver.
        driver: Text,
        /// The device, where the line names it inside.
        at: crate::value::PciAddress,
        /// The error.
        errno: Errno,
    }
    /// The table in which the chip describes itself cannot be read, or holds what the driver does not
    /// know.
    Failure DiscoveryFailed = "discovery-failed" {
        /// The IP block.
        ip: Text,
        /// Its version as one number: `major << 16 | minor << 8 | revision` in older kernels,
        /// `major << 24 | minor << 16 | revision << 8` in newer ones.
        version: Hex,
        /// The checksum that was found.
        found: Hex,
        /// The checksum that was expected.
        expected: Hex,
        /// The error.
        errno: Errno,
    }
    /// A firmware file could not be loaded. Some are optional.
    Step FirmwareMissing = "firmware-missing" {
        /// The file.
        file: Text,
        /// The error.
        errno: Errno,
    }
    /// Firmware that was loaded does not start.
    Failure FirmwareFailed = "firmware-failed" {
        /// The firmware.
        name: Text,
        /// The error.
        errno: Errno,
    }
    /// The security processor (PSP), which loads all other firmware, failed.
    Failure PspFailed = "psp-failed" {
        /// What it could not load.
        name: Text,
        /// The error.
        errno: Errno,
    }
    /// The security processor (PSP) refused a command. Some refusals are usual.
    Step PspCommandFailed = "psp-command-failed" {
        /// The command, by name.
        command: Text,
        /// The command, by number.
        number: Hex,
        /// Its answer.
        status: Hex,
        /// The firmware that it should have loaded, by name.
        name: Text,
        /// That firmware, by number.
        firmware: Hex,
    }
    /// An optional part of the security firmware is not there.
    Context OptionalFirmwareAbsent = "optional-firmware-absent" {
        /// Which.
        name: Text,
    }
    /// A firmware's version.
    Context FirmwareVersion = "firmware-version" {
        /// The firmware: `dmub`, `vcn` …
        name: Text,
        /// Its version as one number.
        version: Hex,
        /// First part of the encoder's version.
        major: u32,
        /// Second part of the encoder's version.
        minor: u32,
        /// The revision.
        revision: u32,
        /// Which of several engines.
        instance: u32,
    }
    /// An IP block is ready, or wakes up.
    Context BlockReady = "block-ready" {
        /// The IP block.
        ip: Text,
        /// `begin` or `end`.
        phase: Phase,
    }
    /// A DRM driver has taken a device into service.
    Context DriverReady = "driver-ready" {
        /// The driver.
        driver: Text,
        /// First part of its interface version.
        major: u32,
        /// Second part.
        minor: u32,
        /// Third part.
        patch: u32,
        /// The device.
        at: crate::value::PciAddress,
        /// The number of the device node.
        node: u32,
    }
    /// The display driver says which display hardware there is.
    Context DisplayCore = "display-core" {
        /// Its version.
        version: Text,
        /// The hardware: `DCN 3.2`.
        hardware: Text,
    }
    /// The video BIOS.
    Context VideoBios = "video-bios" {
        /// Where it was found: `VFCT`, `ROM` …
        found_in: Text,
        /// Its part number.
        part: Text,
    }
    /// The kind of video memory.
    Context VramType = "vram-type" {
        /// The width of its bus, in bits.
        bits: u32,
        /// `GDDR6`, `HBM`, `DDR5` …
        memory: Text,
    }
    /// How many shader units are in use.
    Context ShaderUnits = "shader-units" {
        /// Shader engines.
        engines: u32,
        /// Shader arrays in each.
        arrays: u32,
        /// Compute units in each array.
        units: u32,
        /// Compute units that are in use, in all.
        active: u32,
    }
    /// The bus does not let the GPU do atomic operations on system memory.
    Context AtomicsUnsupported = "atomics-unsupported" {}
    /// A note of the driver while it sets the GPU up.
    Context SetupNote = "setup-note" {
        /// The ring.
        ring: Ring,
        /// Another ring.
        other_ring: Ring,
        /// An address or offset.
        address: Hex,
        /// The last address.
        end: Hex,
        /// A size, in the unit that the sentence names.
        size: u64,
        /// A number, named by the sentence.
        number: u32,
        /// The error.
        errno: Errno,
    }
    /// The machine.
    Context MachineName = "machine-name" {
        /// Maker, model, board and BIOS.
        text: Text,
    }
    /// The driver is not the kernel's own but a package (DKMS).
    Context DriverPackage = "driver-package" {
        /// Its version.
        version: Text,
    }
    /// A driver option that is wrong, out of range, out of date or dangerous.
    Context ParameterProblem = "parameter-problem" {
        /// The module.
        module: Text,
        /// The option.
        parameter: Text,
        /// Its value.
        value: Text,
        /// The IP block that it switches off.
        ip: Text,
    }

    // The display.
    /// The display did not finish an update in time.
    Failure DisplayTimeout = "display-timeout" {
        /// What was waited for.
        wait: DisplayWait,
        /// The object: `crtc`, `connector`, `plane`.
        object: Text,
        /// Its number.
        id: u32,
        /// Its name.
        name: Text,
    }
    /// The display firmware (DMUB) does not work.
    Failure DmubFailed = "dmub-failed" {
        /// The status.
        status: DmubStatus,
        /// The driver's function that noticed.
        function: Text,
        /// The error.
        errno: Errno,
    }
    /// A link to a display could not be trained at the first attempt, or not at all.
    Failure LinkTraining = "link-training" {
        /// The link.
        link: u32,
        /// Which attempt.
        attempt: u32,
        /// Of how many.
        attempts: u32,
        /// The rate, as a number of the driver.
        rate: u32,
        /// How many lanes.
        lanes: u32,
        /// The reason, as a number of the driver.
        reason: u32,
        /// The driver's function.
        function: Text,
    }
    /// A display's description (EDID) could not be read.
    Context EdidFailed = "edid-failed" {
        /// The connector.
        connector: Text,
        /// The status.
        status: u32,
    }
    /// A note of the display driver. Many of them are usual.
    Context DisplayNote = "display-note" {
        /// The driver's function.
        function: Text,
        /// The line of its source file.
        source_line: u32,
        /// A time, in microseconds.
        microseconds: u32,
        /// How often it tried.
        tries: u32,
        /// The link.
        link: u32,
        /// The error.
        errno: Errno,
    }

    // The rest of the kernel.
    /// A processor is stuck in the kernel.
    Failure Lockup = "lockup" {
        /// How it was noticed.
        kind: LockupKind,
        /// The processor.
        cpu: u32,
        /// For how long, in seconds.
        seconds: u64,
        /// The task.
        task: Text,
        /// Its id.
        pid: u32,
        /// Where it is.
        stack: Frames,
    }
    /// The kernel made a mistake and says where.
    Failure KernelOops = "kernel-oops" {
        /// What: `null-pointer`, `page-fault`, `general-protection`, `warning`.
        what: Text,
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
        /// Where it happened, and how it got there.
        stack: Frames,
    }
    /// The kernel stops.
    Context KernelPanic = "kernel-panic" {
        /// Why.
        reason: Text,
    }
    /// A work item keeps a processor busy for long.
    Context WorkerBusy = "worker-busy" {
        /// Its function.
        function: Text,
        /// For how long, in microseconds.
        microseconds: u64,
        /// How often so far.
        times: u64,
    }
    /// The kernel will not report stuck tasks any more.
    Context HungTasksSilenced = "hung-tasks-silenced" {}

    // Programs.
    /// Where the journal keeps what it is told.
    Context JournalStorage = "journal-storage" {
        /// `flush` where it is told to go over to the disk, `memory` or `disk` where it says what it
        /// writes to.
        place: Text,
        /// The folder.
        path: Text,
    }
    /// A compositor waits for the display in vain.
    Aftermath PageflipTimeout = "pageflip-timeout" {
        /// The driver that it blames.
        driver: Text,
    }
    /// A browser's GPU process ended.
    Aftermath GpuProcessExit = "gpu-process-exit" {
        /// Its exit code.
        exit_code: u32,
    }
    /// The program that draws the desktop ended, or its clients say that it is gone.
    Aftermath SessionLost = "session-lost" {
        /// The program, where it is named.
        program: Text,
        /// Its process id.
        pid: u32,
        /// How it is known: `crash`, `service` or `clients`.
        how: Text,
    }
    /// A program got no GPU context.
    Aftermath ContextRefused = "context-refused" {
        /// The error.
        errno: Errno,
    }
    /// The ROCm runtime ends a program that gave memory back while the GPU still used it.
    Failure RocrMemoryInUse = "rocr-memory-in-use" {
        /// The runtime's number of the GPU.
        node: u32,
        /// The runtime's handle of the GPU.
        agent: Hex,
        /// The address.
        address: Hex,
        /// The runtime's reason.
        reason: Text,
    }

    // A saved crash (devcoredump) as text.
    /// What a saved crash says of the GPU's state.
    Aftermath SavedCrash = "saved-crash" {
        /// The kernel.
        kernel: Text,
        /// The process that submitted the work.
        process: Text,
        /// Its process id.
        pid: u32,
        /// The ring that timed out.
        ring: Ring,
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
        /// The version of the power firmware (SMU).
        smu: Hex,
        /// `lost` where video memory lost its contents.
        vram: Text,
    }
}
