//! The columns of the table of kinds: all that the program decides by the kind of an event.
//!
//! A column that depends on what an event's fields say has a value for that; what it means is written
//! where the column is read, and nowhere else.

use crate::value::field::{FieldKind, Shape, Slot};
use crate::value::{FailureClass, words};

use super::cause::Causes;

words! {
    /// What part an event plays in an incident.
    pub(crate) Part {
        /// Something broke: opens an incident.
        Failure,
        /// A step of a recovery: belongs to an open incident and opens none.
        Step,
        /// What a recovery left behind: opens an incident only where no recovery is in sight.
        Aftermath,
        /// Who and what: says nothing of a failure.
        Context,
    }
}

words! {
    /// A mark on a line of time. Of several in one place, the last of these says most: how it ended.
    pub(crate) Milestone {
        /// A program's access or work went wrong.
        Fault,
        /// Something stopped working.
        Failure,
        /// A reset began.
        Reset,
        /// What was reset works again, by the driver's word.
        Back,
        /// It does not, by the driver's word.
        Lost,
    }
}

/// Whether an event opens an incident where none is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// It does.
    Always,
    /// It only belongs to one.
    Never,
    /// Not where the hardware repaired the error, or nobody has read the bad data yet.
    UnlessRepaired,
    /// Not where the SMU has read the request and refused it: it is alive.
    UnlessRefused,
    /// Not at the first attempts: the driver tries again, and says so if that was in vain.
    AfterRetries,
    /// Not while the driver tries again.
    UnlessRetried,
    /// Not where the error was corrected, or does not say how bad it is.
    UnlessCorrected,
    /// Not where the PCI channel is said to be normal.
    UnlessNormal,
    /// Only where the kernel says that it crashed: it goes on after a warning, and prints a stack for many
    /// reasons.
    IfCrashed,
    /// Not where the GPU is only inferred: a port that leads elsewhere is no lost GPU.
    UnlessInferred,
    /// Only where it is the step that failed.
    IfStepFailed,
    /// Only where the kernel says that something else has to bring the GPU back.
    IfRecoveryNeeded,
    /// Only with the error that a lost context gives, as opposed to a request that was wrong.
    IfCanceled,
    /// Only where it blames amdgpu, and no driver of another GPU.
    IfOurs,
}

/// What an event says of the recovery that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing.
    Nothing,
    /// A reset of the whole GPU begins.
    Begins,
    /// A reset of the whole GPU is half way. One that the driver begins by itself, to set the GPU up, has
    /// neither begin nor end in the log.
    IsHalfWay,
    /// The reset that runs was not needed after all.
    Skips,
    /// The whole GPU is back.
    Succeeds,
    /// A ring or block is back, which inside a reset or after one that failed is no sign of health.
    SucceedsInPart,
    /// The GPU did not come back.
    Fails,
    /// A ring did not pass its test, so that a reset that says it succeeded did not.
    FailsItsTest,
    /// The repair of a PCI error succeeds or fails, as the field `step` says.
    AsItsStepSays,
    /// A part of the GPU does not work: a reset that says it succeeded did not, where that comes again.
    ShowsADeadPart,
    /// The same, where it names the ring.
    ShowsADeadPartIfRing,
    /// The GPU does not answer.
    LosesTheGpu,
    /// The driver has taken a GPU into service that was lost, given up or did not come back.
    TakesTheGpuBack,
    /// The same, if the block that is ready is the power controller.
    TakesTheGpuBackIfPowered,
    /// The GPU is not used any more: it could not be started, is withdrawn, or the machine is switched off.
    GivesUp,
    /// The same, unless the device could not be put to sleep: then it goes on working.
    GivesUpUnlessFallingAsleep,
    /// The same, if the block could not be started or woken up.
    GivesUpIfStarting,
    /// Video memory is lost.
    LosesMemory,
    /// Contexts are lost.
    LosesContexts,
    /// Contexts are lost if the error is the one that a lost context gives.
    LosesContextsIfCanceled,
    /// Recovery is switched off.
    IsSwitchedOff,
    /// The driver does not bring the GPU back, if the kernel says that something else has to.
    LeavesItToOthers,
}

/// What an event says of the GPU where no recovery follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Leaves {
    /// Nothing.
    Unclear,
    /// A program's work failed, and the GPU survives that.
    Working,
    /// Work that the driver gave up hangs.
    Stuck,
    /// The same, unless the last job is done by the time of the report: then it was late.
    StuckUnlessDone,
    /// The same from the second event on: one is said now and then, and all goes on.
    StuckIfRepeated,
    /// A task hangs, by the kernel's word.
    Asleep,
    /// Tasks hang where several are found asleep: one may sleep for a moment.
    AsleepInCrowds,
}

/// What an event is about, where its line has no prefix that names a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// Some GPU.
    Gpu,
    /// Some GPU; the field `at` may say which.
    GpuInText,
    /// A GPU that a program uses; the field `pci_address` may say which.
    GpuOfProgram,
    /// A task or the kernel itself: of a GPU if what it waits for is.
    Task,
    /// The machine.
    Machine,
    /// The device on the bus that the prefix names.
    BusDevice,
    /// A device on the bus: the one in the field `source`, else the one that the prefix names.
    BusError,
    /// The device that the prefix names, or the only GPU there is.
    LostDevice,
    /// The device whose error the port reported last, which may be any.
    BusRepair,
}

/// Whose work failed; not proven guilty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// It does not say.
    Nobody,
    /// The process in its fields.
    Process,
    /// The program that printed it.
    Program,
}

/// What an event proves of its GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing.
    Nothing,
    /// Its PCI id, its code name, whether it is a card.
    Identity,
    /// Its generation, by the name of a block.
    Generation,
    /// Its generation, by the name of a register.
    RegisterName,
    /// The chip or its generation, by the name of a firmware file.
    FirmwareFile,
    /// How much memory it has.
    MemorySize,
    /// What memory it has.
    MemoryType,
    /// The version of its power firmware.
    SmuVersion,
    /// The version of a firmware.
    Firmware,
    /// Its video BIOS.
    VideoBios,
    /// That it does not answer any more.
    Loss,
    /// Its name, by the word of a program.
    Name,
    /// What a saved crash says of it.
    SavedCrash,
}

/// The unit of a field's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
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
    /// Its name in pattern files and JSON.
    pub name: &'static str,
    /// What it holds.
    pub kind: FieldKind,
    /// How JSON shows it.
    pub shape: Shape,
    /// What it counts, where it is a number with a unit.
    pub unit: Option<Unit>,
    /// What it means: the doc comment of its definition.
    pub about: &'static str,
}

/// What the program decides by a kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    /// The part in an incident.
    pub part: Part,
    /// The mark on a line of time; `None` for what is told but marks nothing.
    pub mark: Option<Milestone>,
    /// Whether it is a failure in its own right, and more than a step of another one.
    pub begins: bool,
    /// Whether it opens an incident.
    pub opens: Opens,
    /// What it says of the GPU where no recovery follows.
    pub leaves: Leaves,
    /// What it says of a recovery.
    pub recovery: Effect,
    /// What it is about.
    pub subject: Subject,
    /// Whose work failed.
    pub owner: Owner,
    /// What it proves of the GPU.
    pub proves: Proof,
    /// What can have caused it.
    pub causes: Causes,
    /// What kind of failure it is a sign of; `None` for what is no sign of one.
    pub class: Option<FailureClass>,
}

/// A kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// What events of this kind report: the doc comment of its definition.
    pub about: &'static str,
    /// Its fields.
    pub fields: &'static [FieldDefinition],
    /// What is decided by it.
    pub columns: Columns,
}

/// The fields of an event, whatever its kind: by their place in [`Row::fields`].
pub(super) trait Payload {
    /// The field at `place`.
    fn slot(&self, place: usize) -> Option<&dyn Slot>;

    /// The field at `place`, to be filled.
    fn slot_mut(&mut self, place: usize) -> Option<&mut dyn Slot>;

    /// How many bytes they take.
    fn size(&self) -> usize;
}

/// The columns that a part has, each of which must be there; what is no failure breaks nothing, and a step
/// follows from the recovery that it belongs to.
macro_rules! columns {
    (Failure {
        class: $class:ident, mark: $mark:ident, begins: $begins:literal, opens: $opens:ident, leaves: $leaves:ident,
        recovery: $recovery:ident, subject: $subject:ident, owner: $owner:ident,
        proves: $proves:ident, causes: $causes:ident $(,)?
    }) => {
        Columns {
            begins: $begins,
            leaves: Leaves::$leaves,
            owner: Owner::$owner,
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

/// Defines the fields of kinds, and their rows.
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
            // Does not compile for a kind that is missing in the list of `kind/mod.rs`.
            const _LISTED: Kind = Kind::$Kind;

            /// What is known of all events of this kind.
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
    /// The same for another part.
    pub(super) const fn of(self, part: Part) -> Self {
        Self { part, ..self }
    }
}

/// What the files of rows need.
pub(super) mod prelude {
    pub(in crate::kind) use super::super::Kind;
    pub(in crate::kind) use super::super::cause::*;
    pub(in crate::kind) use super::{
        Columns, Effect, FieldDefinition, Leaves, Milestone, Opens, Owner, Part, Payload, Proof,
        Row, Subject, Unit, columns, rows,
    };
    pub(in crate::kind) use crate::value::FailureClass;
    pub(in crate::kind) use crate::value::field::{Field, Slot};
}
