//! The driver's enumerations: what a number or a word of a log is called and what it means.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::chip::parsed;
use super::silicon::{Fit, GfxPattern, Silicon, best_fit};
use super::span::Span;
use crate::pattern::fields::Fields;
use crate::pattern::source::Sources;
use crate::value::KernelVersion;

/// Defines the kinds of enumerations with their names.
macro_rules! kinds {
    ($( $(#[doc = $doc:literal])* $Kind:ident = $name:literal, )*) => {
        /// Which enumeration a table holds. Its name is used on the command line and in JSON.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub enum EnumerationKind { $( $(#[doc = $doc])* $Kind, )* }

        impl EnumerationKind {
            /// All kinds, those first of which a bare number is likeliest.
            pub const ALL: &'static [Self] = &[$(Self::$Kind),*];

            /// Its name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Kind => $name,)* }
            }

            /// What it is, in a few words.
            #[must_use]
            pub fn about(self) -> &'static str {
                let doc = match self { $(Self::$Kind => concat!($($doc),*),)* };
                doc.trim().trim_end_matches('.')
            }
        }
    };
}

kinds! {
    /// Who asked for a GPU reset: `Source: 5`.
    ResetSource = "reset-source",
    /// What MES, the scheduler firmware, was asked for: `msg=3`.
    MesOpcode = "mes-opcode",
    /// What a MISC request to MES asks for: `MISC (WAIT_REG_MEM)`.
    MesMisc = "mes-misc",
    /// An error number: `-110`, `ETIME`.
    Errno = "errno",
    /// A status of the display firmware: `status=3`.
    DmubStatus = "dmub-status",
    /// How the hardware is reset: `amdgpu.reset_method=4`.
    ResetMethod = "reset-method",
    /// An answer of the power controller: `resp=0xff`.
    SmuResponse = "smu-response",
    /// Corrected errors of the PCI Express link: `status/mask=00000040/0000e000`.
    AerCorrectable = "aer-correctable",
    /// Uncorrected errors of the PCI Express link: `status/mask=00004000/00000000`.
    AerUncorrectable = "aer-uncorrectable",
    /// What programs are told to do with a device: `wedged: rebind`.
    Wedged = "wedged",
    /// The type of a shader error: `err_type 2`.
    ShaderError = "sq-error",
    /// What sent a shader interrupt.
    ShaderEncoding = "sq-encoding",
    /// A queue of the compute driver: `create queue type 1`.
    QueueType = "queue-type",
    /// A queue as ROCm asks for it: `queue_type=2`.
    IoctlQueueType = "ioctl-queue-type",
    /// A ring's type: `ring type 2`.
    RingType = "ring-type",
    /// An event of the compute driver: `event 9`.
    SmiEvent = "smi-event",
    /// Why queues were evicted: `trigger 2`.
    EvictionTrigger = "eviction-trigger",
    /// Why memory moved: `trigger 1`.
    MigrationTrigger = "migration-trigger",
    /// Why memory was unmapped: `trigger 0`.
    UnmapTrigger = "unmap-trigger",
    /// What a debugger is told: `exception 5`.
    DebugException = "debug-exception",
    /// Whether the device can be reached: `state(2)`.
    PciChannelState = "pci-channel-state",
    /// A block of the chip, as page faults name it: `CPC`, `SQC (data)`.
    Engine = "engine",
}

/// The text names no kind of enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no kind of enumeration")]
pub struct NotAnEnumerationKind;

impl FromStr for EnumerationKind {
    type Err = NotAnEnumerationKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().find(|kind| kind.name() == text).copied().ok_or(NotAnEnumerationKind)
    }
}

impl fmt::Display for EnumerationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl TryFrom<String> for EnumerationKind {
    type Error = NotAnEnumerationKind;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<EnumerationKind> for String {
    fn from(kind: EnumerationKind) -> Self {
        kind.name().to_owned()
    }
}

/// One enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enumeration {
    /// Which one.
    pub kind: EnumerationKind,
    /// What a value of it is called.
    pub title: String,
    /// What stands before a value in a log, in lower case.
    pub printed: Vec<String>,
    /// Whether its numbers are printed in hexadecimal.
    pub hex: bool,
    /// Whether its numbers are bits of a word.
    pub bits: bool,
    /// What a number says that is not listed.
    pub other: Option<String>,
    /// What is true of all values.
    pub note: Option<String>,
    /// Where the table is from.
    pub source: String,
    /// Its values.
    pub entries: Vec<Entry>,
}

/// One value of an enumeration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number; words have none.
    pub number: Option<i64>,
    /// Its name as it is printed.
    pub name: String,
    /// What it means.
    pub means: String,
    /// What it says in single places of a log.
    pub places: Vec<String>,
    /// The chips that have it; all, where none is listed.
    pub gfx: Vec<GfxPattern>,
    /// The kernels that have it.
    pub span: Span,
}

impl Entry {
    /// Whether a chip and a kernel have it.
    #[must_use]
    pub fn fit(&self, silicon: Silicon<'_>, kernel: Option<KernelVersion>) -> Fit {
        match (best_fit(&self.gfx, silicon), self.span.holds(kernel)) {
            (Fit::No, _) | (_, Some(false)) => Fit::No,
            (Fit::Yes, Some(true)) => Fit::Yes,
            _ => Fit::Perhaps,
        }
    }

    fn read(
        sources: &mut Sources<'_>,
        mut fields: Fields<'_>,
        checked: &[KernelVersion],
    ) -> Option<Self> {
        let number = fields.integer(sources, "number").map(|number| number.value);
        let name = fields.required_text(sources, "name");
        let means = fields.required_text(sources, "means");
        let places = fields.texts(sources, "places");
        let gfx = fields.texts(sources, "gfx");
        let span = Span::read(sources, &mut fields, checked);
        fields.finish(sources);
        Some(Self {
            number,
            name: name?.value,
            means: means?.value,
            places: places.into_iter().map(|place| place.value).collect(),
            gfx: parsed(sources, &gfx),
            span,
        })
    }

    /// Whether both can be meant by one number or word.
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
    /// The values with this name, in any case.
    pub fn named<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Entry> {
        self.entries.iter().filter(move |entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// The values with this number.
    pub fn numbered(&self, number: i64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.number == Some(number))
    }

    pub(super) fn read(
        sources: &mut Sources<'_>,
        mut fields: Fields<'_>,
        checked: &[KernelVersion],
    ) -> Option<Self> {
        let kind = read_kind(sources, &mut fields, "kind");
        fields.require(sources, "kind", kind.is_some());
        let title = fields.required_text(sources, "title");
        let source = fields.required_text(sources, "source");
        let printed = fields.texts(sources, "printed");
        let mut found = Self {
            kind: kind?,
            title: title?.value,
            printed: printed.into_iter().map(|key| key.value).collect(),
            hex: fields.flag(sources, "hex"),
            bits: fields.flag(sources, "bits"),
            other: fields.text(sources, "other").map(|text| text.value),
            note: fields.text(sources, "note").map(|text| text.value),
            source: source?.value,
            entries: Vec::new(),
        };
        for table in fields.tables(sources, "entries") {
            found.read_entry(sources, table, checked);
        }
        fields.require(sources, "entries", !found.entries.is_empty());
        fields.finish(sources);
        Some(found)
    }

    fn read_entry(
        &mut self,
        sources: &mut Sources<'_>,
        table: Fields<'_>,
        checked: &[KernelVersion],
    ) {
        let place = table.place().clone();
        let Some(entry) = Entry::read(sources, table, checked) else { return };
        if let Some(other) = self.entries.iter().find(|other| other.collides(&entry)) {
            let what = entry.number.map_or_else(|| entry.name.clone(), |n| n.to_string());
            sources.mistake(&place, format!("{what} is {} already", other.name));
        }
        if self.bits && entry.number.is_none_or(|bit| !(0..32).contains(&bit)) {
            sources.mistake(&place, "`number` must be a bit from 0 to 31");
        }
        self.entries.push(entry);
    }
}

/// Reads the name of a kind of enumeration.
pub(super) fn read_kind(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    key: &'static str,
) -> Option<EnumerationKind> {
    let text = fields.text(sources, key)?;
    let kind = text.value.parse();
    if kind.is_err() {
        let names: Vec<_> = EnumerationKind::ALL.iter().map(|kind| kind.name()).collect();
        let what = format!("`{}` is no kind of enumeration", text.value);
        sources.mistake_with_hint(&text.place, what, format!("known are {}", names.join(", ")));
    }
    kind.ok()
}
