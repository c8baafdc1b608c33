//! The driver's enumerations: names and meanings of numbers and words.

use serde::{Deserialize, Serialize};

use super::silicon::{Fit, GfxPattern, Silicon, best_fit};
use super::span::Span;
use crate::pattern::document::{Table, record};
use crate::pattern::source_anchor::SourceAnchor;
use crate::value::{KernelVersion, comment_of, words};

words! {
    /// The enumeration that a table defines. Its name is used on the command line and in JSON. The
    /// order is that of the probability for a bare number.
    #[derive(strum::EnumMessage)]
    pub(crate) EnumerationKind {
        /// Who asked for a GPU reset: `Source: 5`.
        ResetSource,
        /// What MES, the scheduler firmware, was asked for: `msg=3`.
        MesOpcode,
        /// What a MISC request to MES asks for: `MISC (WAIT_REG_MEM)`.
        MesMisc,
        /// An error number: `-110`, `ETIME`.
        Errno,
        /// A status of the display firmware: `status=3`.
        DmubStatus,
        /// How the hardware is reset: `amdgpu.reset_method=4`.
        ResetMethod,
        /// An answer of the power controller: `resp=0xff`.
        SmuResponse,
        /// Corrected errors of the PCI Express link: `status/mask=00000040/0000e000`.
        AerCorrectable,
        /// Uncorrected errors of the PCI Express link: `status/mask=00004000/00000000`.
        AerUncorrectable,
        /// What programs are told to do with a device: `wedged: rebind`.
        Wedged,
        /// The type of a shader error: `err_type 2`.
        SqError,
        /// What sent a shader interrupt.
        SqEncoding,
        /// A queue of the compute driver: `create queue type 1`.
        QueueType,
        /// A queue as ROCm asks for it: `queue_type=2`.
        IoctlQueueType,
        /// A ring's type: `ring type 2`.
        RingType,
        /// An event of the compute driver: `event 9`.
        SmiEvent,
        /// Why queues were evicted: `trigger 2`.
        EvictionTrigger,
        /// Why memory moved: `trigger 1`.
        MigrationTrigger,
        /// Why memory was unmapped: `trigger 0`.
        UnmapTrigger,
        /// What a debugger is told: `exception 5`.
        DebugException,
        /// Whether the device can be reached: `state(2)`.
        PciChannelState,
        /// A block of the chip, as page faults name it: `CPC`, `SQC (data)`.
        Engine,
        /// A message to the power controller: `SMN_C2PMSG_66:0x00000012`.
        SmuMessage,
        /// A status of the security processor: `response status is (0xFFFF000A)`.
        PspStatus,
        /// A command to the security processor: `LOAD_IP_FW(0x6)`.
        PspCommand,
        /// A status of the error reporting program: `ras status = 0xA003`.
        RasTaStatus,
        /// A command to the error reporting program: `Invalid ras cmd id: 3`.
        RasTaCommand,
        /// A status of the RAP program: `RAP TA initialize fail (-22) status 7.`
        RapStatus,
        /// A status of the secure display program: `Failed to parse status: 9`.
        SecureDisplayStatus,
        /// A block that reports errors: `ras inject block 3`.
        RasBlock,
        /// A kind of hardware error: `driver do not support type 0x4`.
        RasErrorType,
        /// A hardware error event: `failed mark ras event (2)`.
        RasEvent,
        /// An event inside the error reporting: `Invalid ras notify event:9`.
        RasNotifyEvent,
        /// A logged hardware error: `Unprocessed trace event: 4`.
        RasLogEvent,
        /// The block of an error record: `hwid:0x096`.
        McaHardware,
        /// An error code of the power controller: `ErrorInformation` of an error record.
        SmuErrorCode,
        /// An error code of a compute die: `ErrorInformation` of an error record.
        XcdErrorCode,
        /// The source of an interrupt: `src_id:0`.
        InterruptSource,
        /// An error of HIP, as programs print it: `hipErrorLaunchFailure`.
        HipError,
        /// A status of the ROCm runtime: `HSA_STATUS_ERROR_OUT_OF_RESOURCES`.
        HsaStatus,
    }
}

impl EnumerationKind {
    /// What it is, in a few words.
    pub(crate) fn about(self) -> &'static str {
        comment_of(&self)
    }
}

record! {
    /// One enumeration.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Enumeration {
        /// The kind of the enumeration.
        pub kind: EnumerationKind,
        /// The name for one of its values.
        pub title: String,
        /// The text before a value in a log, in lower case.
        pub printed: Vec<String>,
        /// Whether its numbers are printed in hexadecimal.
        pub hex: bool,
        /// The names in `printed` after which the number is hexadecimal even without `0x`.
        pub bare_hex: Vec<String>,
        /// Whether its numbers are bits of a word.
        pub bits: bool,
        /// Whether a number without a key is never decoded as one of these.
        pub never_bare: bool,
        /// The meaning of numbers that are not listed.
        pub other: Option<String>,
        /// A note about all values.
        pub note: Option<String>,
        /// The source of the table.
        pub source: String,
        /// The source as anchors, for checking.
        pub anchors: Vec<SourceAnchor>,
        /// Its values.
        pub entries: Vec<Entry> = required,
    }
    check
}

record! {
    /// One value of an enumeration.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Entry {
        /// Its number; `None` for words.
        pub number: Option<i64>,
        /// Its printed name.
        pub name: String,
        /// An explanation of its meaning.
        pub means: String,
        /// Its meaning in particular places of a log.
        pub places: Vec<String>,
        /// The chips that have it; empty for all.
        pub gfx: Vec<GfxPattern>,
        /// The kernels that have it.
        pub span: Span = inline,
    }
}

impl Entry {
    /// Whether a chip and a kernel have it.
    pub(crate) fn fit(&self, silicon: Silicon<'_>, kernel: Option<KernelVersion>) -> Fit {
        match (best_fit(&self.gfx, silicon), self.span.holds(kernel)) {
            (Fit::No, _) | (_, Some(false)) => Fit::No,
            (Fit::Yes, Some(true)) => Fit::Yes,
            _ => Fit::Perhaps,
        }
    }

    /// Whether one number or word can refer to both.
    fn collides(&self, other: &Self) -> bool {
        let same = match (self.number, other.number) {
            (None, None) => self.name == other.name,
            (a, b) => a == b,
        };
        let one_chip = self.gfx.is_empty()
            || other.gfx.is_empty()
            || self.gfx.iter().any(|a| other.gfx.iter().any(|b| a.meets(b)));
        same && one_chip && self.span.meets(&other.span)
    }
}

impl Enumeration {
    /// The values with this name, ignoring case.
    pub(crate) fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Entry> {
        self.entries.iter().filter(move |entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The values with this number.
    pub(crate) fn numbered(&self, number: i64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.number == Some(number))
    }

    fn check(&self, table: &Table<'_>) {
        let entries: Vec<(Table<'_>, Entry)> = table.entries_of("entries");
        for (index, (place, entry)) in entries.iter().enumerate() {
            let mut earlier = entries.iter().take(index).map(|(_, other)| other);
            if let Some(other) = earlier.find(|other| other.collides(entry)) {
                let what = entry.number.map_or_else(|| entry.name.clone(), |n| n.to_string());
                place.mistake(format!("{what} is {} already", other.name));
            }
            if self.bits && entry.number.is_none_or(|bit| !(0..32).contains(&bit)) {
                place.mistake("`number` must be a bit from 0 to 31");
            }
        }
    }
}
