//! The columns of the table of kinds: every decision that the program makes by the kind of an
//! event.
//!
//! A decision that depends on the event's fields has a column value of its own; the code that reads
//! the column implements it.

use crate::value::field::{FieldKind, Shape, Slot};
use crate::value::{FailureClass, words};

use super::cause::Causes;

words! {
    /// The part of an event in an incident.
    pub(crate) Part {
        /// A failure: opens an incident.
        Failure,
        /// A step of a recovery: belongs to an open incident and opens none.
        Step,
        /// A consequence of a recovery: opens an incident only if no recovery is near.
        Aftermath,
        /// Facts about the machine or its setup: not a sign of failure.
        Context,
    }
}

words! {
    /// A mark on the timeline. If several share a position, the last in this order is shown.
    pub(crate) Milestone {
        /// A program's access or work went wrong.
        Fault,
        /// Something stopped working.
        Failure,
        /// A reset began.
        Reset,
        /// The driver reports that what was reset works again.
        Back,
        /// The driver reports that it does not.
        Lost,
    }
}

/// Whether an event opens an incident if none is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// Opens one.
    Always,
    /// Never opens one; joins an open one.
    Never,
    /// Unless the hardware repaired the error, or the bad data has not been read yet.
    UnlessRepaired,
    /// Unless the SMU read the request and rejected it, which shows that it is alive.
    UnlessRefused,
    /// Unless it is one of the first attempts: the driver retries, and reports if all of them fail.
    AfterRetries,
    /// Unless the driver is still retrying.
    UnlessRetried,
    /// Unless the error was corrected, or its severity is missing.
    UnlessCorrected,
    /// Unless the PCI channel state is `normal`.
    UnlessNormal,
    /// Only if the kernel says that it crashed: after a warning it continues, and it prints stacks
    /// for many reasons.
    IfCrashed,
    /// Unless the GPU is only inferred: a port that leads to another device is not a lost GPU.
    UnlessInferred,
    /// Unless the GPU only may not sleep while it is idle: it uses more power and works.
    UnlessAwake,
    /// Only if this step failed.
    IfStepFailed,
    /// Only if the kernel says that the GPU must be recovered by something else.
    IfRecoveryNeeded,
    /// Only with the error number of a lost context, as opposed to an invalid request.
    IfCanceled,
    /// Only if it names amdgpu and no driver of another GPU.
    IfOurs,
}

/// How an event changes the state of the recovery that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// No change.
    Nothing,
    /// A reset of the whole GPU begins.
    Begins,
    /// A reset of the whole GPU is in progress. The one that the driver does during setup has
    /// neither a start nor an end in the log.
    InProgress,
    /// The same, if the driver restores memory.
    InProgressIfRestoring,
    /// The current reset turned out to be unnecessary.
    Skips,
    /// The whole GPU works again.
    Succeeds,
    /// A ring or block works again. Within a reset, or after a failed one, that does not show that
    /// the GPU works.
    SucceedsInPart,
    /// The GPU was not recovered.
    Fails,
    /// A ring failed its test: a reset that reports success did not succeed. A few compute rings
    /// that fail are only out of use.
    FailsItsTest,
    /// The recovery from a PCI error succeeds or fails, depending on the field `step`.
    PerStepField,
    /// A part of the GPU does not work: if it recurs after a reset, the reset did not succeed
    /// although it reports so.
    PartFailed,
    /// The same, if the event names the ring.
    ShowsADeadPartIfRing,
    /// The GPU does not answer.
    LosesTheGpu,
    /// The driver uses a GPU again that was lost, given up or not recovered.
    TakesTheGpuBack,
    /// The same, if the block that is ready is the SMU.
    TakesTheGpuBackIfPowered,
    /// The GPU is out of service: it could not be started, was retired, or the machine is shutting
    /// down.
    GivesUp,
    /// The same, unless the device failed to suspend: then it continues to work.
    OutOfServiceUnlessSuspending,
    /// The same, if the block could not be started or resumed.
    GivesUpIfStarting,
    /// The same, if the connection to the device is dead.
    GivesUpIfDead,
    /// Video memory is lost.
    LosesMemory,
    /// Contexts are lost.
    LosesContexts,
    /// Contexts are lost, if the error number is that of a lost context.
    LosesContextsIfCanceled,
    /// Recovery is switched off.
    IsSwitchedOff,
    /// The driver does not recover the GPU, if the kernel says that something else must.
    ExternalRecovery,
}

/// What an event says about the state of the GPU if no recovery follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Nothing certain.
    Unclear,
    /// A program's work failed, and the GPU survives that.
    Working,
    /// Work that the driver gave up on hangs.
    Stuck,
    /// The same, unless the last job is complete when it is reported: then it was only late.
    StuckUnlessDone,
    /// The same from the second event on: a single one occurs in normal operation.
    StuckIfRepeated,
    /// The kernel reports a hung task.
    Asleep,
    /// Tasks hang if several are found asleep: a single one may sleep for a moment.
    AsleepInCrowds,
}

/// What an event is about, if its line has no prefix that names a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// A GPU.
    Gpu,
    /// A GPU; the field `at` may name it.
    GpuInText,
    /// A GPU that a program uses; the field `pci_address` may name it.
    GpuOfProgram,
    /// A task or the kernel itself; it belongs to a GPU if the thing it waits for does.
    Task,
    /// The machine.
    Machine,
    /// The PCI device that the prefix names.
    BusDevice,
    /// A PCI device: the one in the field `source`, else the one that the prefix names.
    BusError,
    /// The device that the prefix names, or the only GPU.
    LostDevice,
    /// The device that the prefix names, which a virtual machine gets; not necessarily a GPU.
    PassedDevice,
    /// The device whose error the port reported last; not necessarily a GPU.
    BusRepair,
}

/// The process whose work failed; it is not necessarily at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Not in the event.
    Nobody,
    /// The process in its fields, whose job it was.
    Process,
    /// The process in its fields, in whose address space it happened.
    AddressSpace,
    /// The program that printed it.
    Program,
}

/// Whose work an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// The event does not show it.
    Unclear,
    /// A program's that may draw.
    Drawing,
    /// A compute program's, or the kernel's own.
    Other,
    /// The address space and the process in its fields show it.
    ByAddressSpace,
    /// The ring and the process in its fields show it.
    ByRing,
}

/// What an event proves about its GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing.
    Nothing,
    /// Its PCI id, code name, and whether it is discrete.
    Identity,
    /// Its code name.
    CodeName,
    /// Its generation, from the name of an IP block.
    Generation,
    /// Its generation, from the name of a register.
    RegisterName,
    /// The chip or its generation, from the name of a firmware file.
    FirmwareFile,
    /// The size of its memory.
    MemorySize,
    /// The type of its memory.
    MemoryType,
    /// The version of its SMU firmware.
    SmuVersion,
    /// The version of a firmware.
    Firmware,
    /// Its video BIOS.
    VideoBios,
    /// That it no longer responds.
    Loss,
    /// Its product name, as a program prints it.
    Name,
    /// The contents of a saved crash record.
    SavedCrash,
}

/// The unit of a field's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Bytes.
    Bytes,
    /// 1,024 bytes.
    KiB,
    /// 1,024 KiB.
    MiB,
    /// Pages of 4 KiB.
    Pages,
    /// Microseconds.
    Microseconds,
    /// Seconds.
    Seconds,
    /// Degrees Celsius.
    Celsius,
    /// Bits.
    Bits,
}

/// A field of an event kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FieldDefinition {
    /// Its name in pattern files and JSON. Renaming one breaks users.
    pub name: &'static str,
    /// The type of its values.
    pub kind: FieldKind,
    /// Its representation in JSON.
    pub shape: Shape,
    /// The unit, for numbers that have one.
    pub unit: Option<Unit>,
    /// Its meaning, for users: the doc comment of the field.
    pub about: &'static str,
}

/// Every decision that the program makes by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The part that such an event plays in an incident.
    pub part: Part,
    /// The mark in the timeline; `None` if it has none.
    pub mark: Option<Milestone>,
    /// Whether it is a failure of its own, as opposed to a step of another failure.
    pub begins: bool,
    /// Whether it opens an incident.
    pub opens: Opens,
    /// What it says about the state of the GPU if no recovery follows.
    pub leaves: Leaves,
    /// How it changes the state of a recovery.
    pub recovery: Effect,
    /// What it is about.
    pub subject: Subject,
    /// The process whose work failed.
    pub owner: Owner,
    /// What kind of work that was.
    pub work: Work,
    /// What it proves about the GPU.
    pub proves: Proof,
    /// What can have caused it.
    pub causes: Causes,
    /// The class of failure that it is a sign of; `None` if it is not a sign of failure.
    pub class: Option<FailureClass>,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What such an event reports, for users: the doc comment of the row.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [FieldDefinition],
    /// The decisions made by it.
    pub columns: Columns,
}

/// The fields of an event of any kind, by their index in [`Row::fields`].
pub(super) trait Payload {
    /// The field at `place`.
    fn slot(&self, place: usize) -> Option<&dyn Slot>;

    /// The field at `place`, to be filled.
    fn slot_mut(&mut self, place: usize) -> Option<&mut dyn Slot>;

    /// The size of the fields in bytes, without the heap.
    fn size(&self) -> usize;
}

/// The columns that each part needs. Events of other parts than `Failure` leave no damage, and
/// steps belong to a recovery, so these columns are filled in.
macro_rules! columns {
    (Failure {
        class: $class:ident, mark: $mark:ident, begins: $begins:literal, opens: $opens:ident, leaves: $leaves:ident,
        recovery: $recovery:ident, subject: $subject:ident, owner: $owner:ident,
        work: $work:ident, proves: $proves:ident, causes: $causes:ident $(,)?
    }) => {
        Columns {
            begins: $begins,
            leaves: Leaves::$leaves,
            owner: Owner::$owner,
            work: Work::$work,
            causes: $causes,
            class: Some(FailureClass::$class),
            ..columns!(Step {
                mark: Some(Milestone::$mark), opens: $opens, recovery: $recovery,
                subject: $subject, proves: $proves
            })
        }
        .of(Part::Failure)
    };
    (Step {
        mark: $mark:expr, opens: $opens:ident, recovery: $recovery:ident, subject: $subject:ident,
        proves: $proves:ident $(,)?
    }) => {
        Columns {
            part: Part::Step,
            mark: $mark,
            begins: false,
            opens: Opens::$opens,
            leaves: Leaves::Unclear,
            recovery: Effect::$recovery,
            subject: Subject::$subject,
            owner: Owner::Nobody,
            work: Work::Unclear,
            proves: Proof::$proves,
            causes: NOTHING,
            class: None,
        }
    };
    (Aftermath {
        class: $class:ident, opens: $opens:ident, recovery: $recovery:ident, subject: $subject:ident,
        proves: $proves:ident, causes: $causes:ident $(,)?
    }) => {
        Columns {
            part: Part::Aftermath,
            causes: $causes,
            class: Some(FailureClass::$class),
            ..columns!(Step {
                mark: None, opens: $opens, recovery: $recovery, subject: $subject, proves: $proves
            })
        }
    };
    (Context { $($columns:tt)* }) => {
        columns!(Step { mark: None, opens: Never, $($columns)* }).of(Part::Context)
    };
}

/// Defines the types of event kinds with their fields, and their rows.
macro_rules! rows {
    ($(
        $(#[doc = $doc:literal])*
        $Kind:ident: $part:ident $columns:tt {
            $( $(#[doc = $field_doc:literal])* $field:ident: $Type:ty $([$unit:ident])?, )*
        }
    )*) => { $(
        $(#[doc = $doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct $Kind { $( $(#[doc = $field_doc])* pub(crate) $field: Option<$Type>, )* }

        impl $Kind {
            // Fails to compile if the kind is missing from `kinds!` in `kind/mod.rs`.
            const _LISTED: Kind = Kind::$Kind;

            /// The description of this kind.
            pub(crate) const ROW: Row = Row {
                about: concat!($($doc),*).trim_ascii(),
                fields: &[$(
                    FieldDefinition {
                        name: stringify!($field),
                        kind: <$Type as Field>::KIND,
                        shape: <$Type as Field>::SHAPE,
                        unit: [$(Some(Unit::$unit),)? None][0],
                        about: concat!($($field_doc),*).trim_ascii(),
                    },
                )*],
                columns: columns!($part $columns),
            };
        }

        impl Payload for $Kind {
            fn slot(&self, place: usize) -> Option<&dyn Slot> {
                let slots: &[fn(&$Kind) -> &dyn Slot] = const { &[$(|event| &event.$field),*] };
                slots.get(place).map(|slot| slot(self))
            }

            fn slot_mut(&mut self, place: usize) -> Option<&mut dyn Slot> {
                let slots: &[fn(&mut $Kind) -> &mut dyn Slot] =
                    const { &[$(|event| &mut event.$field),*] };
                slots.get(place).map(|slot| slot(self))
            }

            fn size(&self) -> usize {
                size_of::<Self>()
            }
        }
    )* };
}

pub(super) use {columns, rows};

impl Columns {
    /// The same columns for another part.
    pub(super) const fn of(self, part: Part) -> Self {
        Self { part, ..self }
    }
}

/// Imports for the files with rows.
pub(super) mod prelude {
    pub(in crate::kind) use super::super::Kind;
    pub(in crate::kind) use super::super::cause::*;
    pub(in crate::kind) use super::{
        Columns, Effect, FieldDefinition, Leaves, Milestone, Opens, Owner, Part, Payload, Proof,
        Row, Subject, Unit, Work, columns, rows,
    };
    pub(in crate::kind) use crate::value::FailureClass;
    pub(in crate::kind) use crate::value::field::{Field, Slot};
}
