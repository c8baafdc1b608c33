//! Words of closed sets, as JSON has them.

use serde::{Serialize, Serializer};

use super::reading::loss;
use crate::compare::chosen::Why as ChosenBy;
use crate::compare::{
    Doubt, Silence, Standing as ComparedStanding, Tie as GpuTie, Trend, Verdict as ComparedVerdict,
};
use crate::diagnosis::action::Standing;
use crate::diagnosis::verdict::Verdict;
use crate::event::device::ChipEvidence;
use crate::health::MachineVerdict;
use crate::host::about::{Database, Unit};
use crate::host::{Journal, Runtime, Tie};
use crate::input::Compression;
use crate::kind::{Kind, Part};
use crate::live::State;
use crate::pattern::advice::Trust;
use crate::pattern::machine::Concern;
use crate::pattern::machine::PackageKind;
use crate::pattern::signature::{Layer, Role, Severity};
use crate::record::clock::Clock;
use crate::record::{Form, HoleKind, Why};
use crate::report::compare::json::SuspectKind;
use crate::value::{Level, Outcome};

/// A set of values that have one word each.
pub(super) trait Closed: Copy + 'static {
    /// What the set is called in the schema.
    #[cfg(test)]
    const NAME: &'static str;

    /// All values.
    #[cfg(test)]
    const ALL: &'static [Self];

    /// The word of a value.
    fn word(self) -> &'static str;
}

/// A value that is written as its word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<T>(pub(super) T);

impl<T: Closed> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

macro_rules! closed {
    ($($Type:ident by $word:expr, { $($Value:ident),* })*) => { $(
        impl Closed for $Type {
            #[cfg(test)]
            const NAME: &'static str = stringify!($Type);

            #[cfg(test)]
            const ALL: &'static [Self] = {
                // A value that is missing below does not compile.
                const fn _is_listed(value: $Type) {
                    match value { $($Type::$Value => (),)* }
                }
                &[$(Self::$Value),*]
            };

            fn word(self) -> &'static str {
                $word(self)
            }
        }
    )* };
}

closed! {
    Verdict by Self::name, { NoKernelLog, Clean, Warning, Failure }
    MachineVerdict by Self::name, { Clean, Warning, Unknown, Failure }
    Journal by Into::into, { Persistent, Volatile, Off, Absent }
    Runtime by Into::into, { Active, Suspended, Changing, Unsupported, Error }
    Tie by Into::into, { Queue, Stack, WaitChannel, Name, OpenDevice }
    Database by Into::into, { Dpkg, Pacman, Rpm, Apk, Portage }
    PackageKind by Self::name, {
        Firmware, Driver, Mesa, Vulkan, Libdrm, Rocm, Desktop, Xorg, Kernel
    }
    Unit by Into::into, { MilliCelsius, MicroWatt, Rpm, MilliVolt, Hertz }
    Severity by Self::name, { Info, Warning, Error, Critical }
    Role by Self::name, { RootCause, Mechanism, Consequence, Context }
    Outcome by Self::name, {
        Recovered, RecoveredContextLost, VramLost, Failed, NeverCompleted, Hung, None, Unknown
    }
    Trust by Self::name, { A, B, C }
    Standing by Into::into, { Suggested, AlreadyActive, NoEffect }
    Layer by Self::name, { Application, Mesa, Rocm, Firmware, Kernel, Hardware, Settings }
    Level by Self::name, { Emergency, Alert, Critical, Error, Warning, Notice, Info, Debug }
    Form by Self::name, {
        Dmesg, DmesgCtime, DmesgIso, DmesgDelta, DmesgReltime, Raw, JournalShort, JournalShortIso,
        JournalShortFull, JournalShortMonotonic, JournalShortUnix, JournalVerbose, JournalExport,
        JournalJson, DmesgJson, Kmsg, Logcat, Syslog, SyslogIso, ProcessListing, Text
    }
    State by Into::into, { Open, Revised, Closed }
    Compression by Self::name, { Gzip, Zstd, Xz, Bzip2 }
    ChipEvidence by Self::name, {
        PciId, CodeName, Target, ProductName, FirmwareFile, IpBlock, DriverFunction, RegisterName
    }
    Clock by <&str>::from, { Kernel, Received, Derived }
    Why by Self::words, {
        Surroundings, Marker, QuotedAgain, ListHeader, PartHeader, Structure, Damaged
    }
    ComparedVerdict by Self::name, { NewFailure, WorseFailure, KnownFailure, Different, Same }
    ComparedStanding by Self::name, { New, Both, Gone }
    Doubt by Self::name, {
        Filtered, Holes, StartsLate, Stopped, Forgotten, Undiagnosed, Timeless
    }
    Silence by Self::name, { Proves, Gaps, BeginsLater, EndsBefore, Untimed }
    Trend by Self::name, { More, Less, Alike, Unclear }
    GpuTie by Self::name, { Same, Moved, Replaced, Gone, Appeared }
    Concern by Self::name, { Gpu, Other, Private, Trivial }
    SuspectKind by Self::name, { Kernel, Driver, Firmware, Parameter, Gpu, Machine }
    Part by Self::name, { Failure, Step, Aftermath, Context }
    HoleKind by loss, { RateLimit, Dropped, Overrun, Cut, Daemon }
}

impl Closed for ChosenBy {
    #[cfg(test)]
    const NAME: &'static str = "ChosenBy";

    #[cfg(test)]
    const ALL: &'static [Self] = &[
        Self::Only,
        Self::Asked(crate::diagnosis::choice::BootNumber(0)),
        Self::LastWithout,
        Self::LastWith,
        Self::Last,
    ];

    fn word(self) -> &'static str {
        self.name()
    }
}

impl Closed for Kind {
    #[cfg(test)]
    const NAME: &'static str = "Kind";

    #[cfg(test)]
    const ALL: &'static [Self] = Self::ALL;

    fn word(self) -> &'static str {
        self.name()
    }
}
