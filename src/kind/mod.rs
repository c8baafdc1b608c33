//! The event kinds: the closed set of things that a log can report. Each is a row with its typed
//! fields and with every decision that the program makes by kind.
//!
//! A new message is an entry in `patterns/messages`; only a new *kind* is a row, in the file of its
//! subject, and a name in the list `kinds!` below. The compiler reports a row without one of its
//! columns ([`Columns`]) or without its name in the list. The doc comments of rows and fields are
//! shown to users (`amdtriage explain`, JSON Schema).
//!
//! All fields are optional, because no message carries all of them and people redact logs; none is
//! ever filled by guessing.

mod bus;
mod cause;
mod compute;
mod display;
mod engine;
mod kernel;
mod memory;
mod power;
mod program;
mod ras;
mod recovery;
mod row;
mod setup;

use crate::value::field::{Conversion, Field, Slot, Value};
use crate::value::{FailureClass, Text};

pub(crate) use bus::*;
pub(crate) use compute::*;
pub(crate) use display::*;
pub(crate) use engine::*;
pub(crate) use kernel::*;
pub(crate) use memory::*;
pub(crate) use power::*;
pub(crate) use program::*;
pub(crate) use ras::*;
pub(crate) use recovery::*;
use row::Payload;
pub(crate) use row::{
    Columns, Effect, FieldDefinition, Leaves, Milestone, Opens, Owner, Part, Proof, Row, Subject,
    Work,
};
pub(crate) use setup::*;

macro_rules! kinds {
    ($( $(#[$meta:meta])* $Kind:ident, )*) => {
        /// A kind of event. Its name is used in pattern files and JSON: renaming one breaks users.
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
            strum::EnumString, strum::IntoStaticStr, strum::VariantArray,
        )]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        pub enum Kind { $( #[doc = concat!("[`struct@", stringify!($Kind), "`]")] $(#[$meta])* $Kind, )* }

        impl Kind {
            /// The row of the table.
            pub(crate) const fn row(self) -> &'static Row {
                match self { $(Self::$Kind => const { &$Kind::ROW },)* }
            }
        }

        /// One thing that a log reports.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Event { $( #[doc = concat!("[`struct@", stringify!($Kind), "`]")] $Kind(Box<$Kind>), )* }

        impl Event {
            /// An event of `kind` with no field set.
            pub(crate) fn empty(kind: Kind) -> Self {
                match kind { $(Kind::$Kind => Self::$Kind(Box::default()),)* }
            }

            /// The kind.
            pub(crate) const fn kind(&self) -> Kind {
                match self { $(Self::$Kind(_) => Kind::$Kind,)* }
            }

            fn payload(&self) -> &dyn Payload {
                match self { $(Self::$Kind(fields) => &**fields,)* }
            }

            fn payload_mut(&mut self) -> &mut dyn Payload {
                match self { $(Self::$Kind(fields) => &mut **fields,)* }
            }
        }
    };
}

kinds! {
    PageFault, MesTimeout, MesRequestFailed, MesUnrecoverable, MesRingFull, RingTimeout,
    SoftRecovered, RingResetBegin, RingResetSucceeded, RingResetFailed, IpBlockHung,
    SoftResetBegin, SoftResetSucceeded, SoftResetFailed, CpHaltFailed, ResetBegin,
    #[strum(serialize = "reset-method")]
    #[serde(rename = "reset-method")]
    ResetMethodChosen, ResetMethodFailed, ResetHardwareDone, VramLost, ResetSucceeded,
    ResetFailed, VendorReset, VendorResetFailed, PassthroughLost, PassthroughWait, ResetSkipped, RecoveryDisabled, DeviceWedged, CoredumpCreated, RingTestFailed,
    IpBlockFailed, SmuVersions, SmuMismatch, SmuNoAnswer, SmuFailure, KfdQueueFailed, HwsHang,
    SubmissionRejected, ContextLost, HungTask, BlockedTask, RocrMemoryFault, RocrHwException,
    HsaError, ManagementFailed, RunnerCrash, LibraryLacksTarget, GfxOverride, UnknownParameter, CommandLine,
    KernelBanner, GpuIdentity, IpBlock, VramSize, GpuName, OverdriveEnabled, TlbFlushFailed,
    PageFaultUnhandled, PageFaultsOff, BufferError, OutOfMemory, OomKill, GttSize, RecoveryNote,
    ResetStepFailed, EmergencyRestart, FenceFallback, KiqFailed, JobFailed, StateDump,
    IllegalCommand, ShaderError, SchedulerError, MesFailed, UserQueueFailed, InterruptOverflow,
    RegisterTimeout, SdmaFailed, VideoNotResponding, PowerGatingFailed, QueueHung, QueueReset,
    WavesReset, KfdProcessFailed, KfdSignal, KfdUnavailable, KfdOversubscribed, KfdNode, RasError,
    RasTotal, RasBank, BadPages, GpuRetired, XgmiFailed, XgmiError, XgmiNode, DeviceLost,
    PciErrorState, PciRecovery, PcieError, FirmwareError, FirmwareRecord, PciDevice, PciBridge, PcieContained, PcieSlot, PowerStateRefused,
    BarUnassigned, LinkLimited, IommuFault, OverTemperature, ThermalShutdown, Throttled, ThermalNote, RuntimePm,
    PowerNote, SystemSleep, DeviceSleepFailed, InitFailed, DiscoveryFailed, FirmwareMissing, FirmwareLoaded, FirmwareTried,
    FirmwareFailed, PspFailed, PspCommandFailed, OptionalFirmwareAbsent, FirmwareVersion,
    BlockReady, DriverReady, DisplayCore, VideoBios, VramType, ShaderUnits, AtomicsUnsupported,
    SetupNote, DriverReleased, MachineName, DriverPackage, ParameterProblem, DisplayTimeout, DmubFailed,
    LinkTraining, EdidFailed, DisplayNote, Lockup, KernelOops, KernelPanic, WorkerBusy,
    BacktraceRequested, HungTasksSilenced, ProgramNote, JournalStorage, PageflipTimeout, GpuProcessExit, LibraryCrash, SessionLost,
    GpuNotOpened, ContextRefused, ResetRequested, RocrMemoryInUse, SavedCrash, InitReset,
    ModuleRefused, CommunicationFailed, HostMessageInvalid, XServerRefused, UserDriverStopped,
    VideoCallFailed,
}

impl Kind {
    /// All kinds, in the order of the list.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// The stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The kind with this name.
    pub(crate) fn read(name: &str) -> Option<Self> {
        name.parse().ok()
    }

    /// What events of this kind report, for users.
    pub(crate) const fn about(self) -> &'static str {
        self.row().about
    }

    /// The part that events of this kind play in an incident.
    pub(crate) const fn part(self) -> Part {
        self.row().columns.part
    }

    /// How events of this kind change the state of a recovery.
    pub(crate) const fn recovery(self) -> Effect {
        self.row().columns.recovery
    }

    /// The fields that events of this kind have.
    pub(crate) const fn fields(self) -> &'static [FieldDefinition] {
        self.row().fields
    }

    /// The index of the field `name` in [`Self::fields`].
    pub(crate) fn place(self, name: &str) -> Option<usize> {
        self.fields().iter().position(|field| field.name == name)
    }
}

impl Event {
    /// The columns of its kind.
    pub(crate) const fn columns(&self) -> &'static Columns {
        &self.kind().row().columns
    }

    /// The class of failure that it is a sign of. The driver resumes a block with the same message
    /// after system sleep, after runtime power-off of an idle GPU, and in a reset, and tests its
    /// rings after each of them.
    pub(crate) fn class(&self) -> Option<FailureClass> {
        if let Self::IpBlockFailed(failed) = self
            && matches!(failed.phase.as_deref(), Some("suspend" | "resume"))
        {
            let asleep = failed.during.as_deref() == Some("system-sleep");
            return asleep.then_some(FailureClass::Sleep);
        }
        if let Self::RingTestFailed(failed) = self
            && failed.during.is_some()
        {
            return Some(FailureClass::Sleep);
        }
        // The runtime gives the same report of an access and of an error of the memory itself.
        let is_of_the_runtime = matches!(self, Self::RocrMemoryFault(_) | Self::RocrHwException(_));
        if is_of_the_runtime && self.text("reason").is_some_and(|reason| reason.contains("ECC")) {
            return Some(FailureClass::Hardware);
        }
        self.columns().class
    }

    fn named(&self, name: &str) -> Option<&dyn Slot> {
        self.payload().slot(self.kind().place(name)?)
    }

    /// The field `name`; `None` if the kind has no such field of this type, or if it is not in the
    /// log.
    pub(crate) fn get<T: Field>(&self, name: &str) -> Option<&T> {
        self.named(name)?.as_any().downcast_ref::<Option<T>>()?.as_ref()
    }

    /// The text field `name`.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.get::<Text>(name).map(Text::as_str)
    }

    /// The value of the field `name`; `None` if the kind has no such field, or if it is not in the
    /// log.
    pub(crate) fn field(&self, name: &str) -> Option<Value> {
        self.named(name)?.value()
    }

    /// The value of the field with this index in [`Kind::fields`].
    #[must_use]
    pub(crate) fn value(&self, place: usize) -> Option<Value> {
        self.payload().slot(place)?.value()
    }

    /// The value of the field `name` in words, for people.
    pub(crate) fn field_in_words(&self, name: &str) -> Option<String> {
        self.named(name)?.said()
    }

    /// The size of its fields in bytes, without the heap.
    #[must_use]
    pub fn size(&self) -> usize {
        self.payload().size()
    }

    /// The field with this index in [`Kind::fields`].
    pub(crate) fn slot(&mut self, place: usize) -> Option<&mut dyn Slot> {
        self.payload_mut().slot_mut(place)
    }

    /// Parses `text` into the field `name`. False if the text is not a value of its type.
    pub(crate) fn set(&mut self, name: &str, text: &str, conversion: Conversion) -> bool {
        let slot = self.kind().place(name).and_then(|place| self.slot(place));
        slot.is_some_and(|slot| slot.set(text, conversion))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A column that depends on fields is used only for kinds that have these fields.
    #[test]
    fn columns_find_the_fields_that_they_read() {
        type Holds = fn(&Columns) -> bool;
        let reads: [(Holds, &[&str]); 24] = [
            (|it| it.opens == Opens::UnlessRepaired, &["kind", "count"]),
            (|it| it.opens == Opens::UnlessRefused, &["response"]),
            (|it| it.opens == Opens::UnlessAwake, &["what"]),
            (|it| it.opens == Opens::AfterRetries, &["attempt"]),
            (|it| it.opens == Opens::UnlessRetried, &["phase"]),
            (|it| it.opens == Opens::UnlessCorrected, &["severity"]),
            (|it| it.opens == Opens::UnlessNormal, &["channel"]),
            (|it| it.opens == Opens::IfCrashed, &["what", "number", "ending"]),
            (|it| it.opens == Opens::IfCanceled, &["errno"]),
            (|it| it.opens == Opens::IfOurs, &["driver"]),
            (|it| it.opens == Opens::IfStepFailed, &["step"]),
            (|it| it.recovery == Effect::PerStepField, &["step"]),
            (|it| it.recovery == Effect::OutOfServiceUnlessSuspending, &["action"]),
            (|it| it.recovery == Effect::GivesUpIfStarting, &["phase"]),
            (|it| it.recovery == Effect::GivesUpIfDead, &["channel"]),
            (|it| it.recovery == Effect::LosesContextsIfCanceled, &["errno"]),
            (|it| it.leaves == Leaves::StuckUnlessDone, &["signaled", "emitted"]),
            (|it| it.subject == Subject::GpuInText, &["at"]),
            (|it| it.subject == Subject::GpuOfProgram, &["pci_address"]),
            (|it| it.subject == Subject::BusError, &["source"]),
            (|it| it.owner == Owner::Process, &["process", "pid", "thread"]),
            (|it| it.proves == Proof::Identity, &["vendor", "device"]),
            (|it| it.proves == Proof::CodeName, &["asic"]),
            (|it| it.proves == Proof::SmuVersion, &["fw_version"]),
        ];
        for (holds, fields) in reads {
            let kinds = Kind::ALL.iter().filter(|kind| holds(&kind.row().columns));
            assert!(kinds.clone().count() > 0, "{fields:?}");
            for (kind, field) in kinds.flat_map(|kind| fields.iter().map(move |it| (kind, it))) {
                assert!(kind.place(field).is_some(), "{kind:?} {field}");
            }
        }
    }

    #[test]
    fn fields_are_found_by_name_and_type() {
        let mut event = Event::empty(Kind::RingTimeout);
        assert!(event.set("signaled", "7", Conversion::Decimal));
        assert!(!event.set("nonsense", "7", Conversion::Decimal));
        assert_eq!(event.get::<u64>("signaled"), Some(&7));
        assert_eq!((event.get::<u32>("signaled"), event.get::<u64>("emitted")), (None, None));
        assert_eq!(event.field("signaled"), Some(Value::Number(7)));
        assert_eq!(Kind::read("reset-method"), Some(Kind::ResetMethodChosen));
        assert_eq!(Kind::ResetMethodChosen.name(), "reset-method");
    }
}
