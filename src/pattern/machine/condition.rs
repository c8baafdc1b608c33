//! The facts of a machine that can be checked: a closed set.

use crate::value::words;

words! {
    /// The fact that is checked.
    pub(crate) Condition {
        /// Tasks that wait for a GPU in state D.
        TasksWait,
        /// A worker that resets a GPU waits in state D.
        ResetWaits,
        /// The kernel has counted tasks that slept for minutes.
        HungTasks,
        /// Reading a file of a GPU's driver does not finish.
        FilesHang,
        /// There are fewer AMD GPUs than expected.
        GpusMissing,
        /// There are more AMD GPUs than expected.
        GpusMore,
        /// A GPU does not answer on the bus.
        GpuGone,
        /// A GPU could not be powered off or on.
        PowerError,
        /// A GPU has no driver.
        NoDriver,
        /// A GPU has no driver because the configuration prevents it.
        HeldOff,
        /// A card's link has fewer lanes than both of its ends.
        NarrowLink,
        /// Device coredumps are pending.
        DumpWaits,
        /// Crash records of the kernel are pending.
        RecordsWait,
        /// A parameter is set that the driver does not have.
        UnknownParameter,
        /// A parameter is configured with a value other than the current one.
        OtherValue,
        /// The current value of a parameter is one of `values`.
        Parameter,
        /// A mask sets or clears bits other than the driver's default.
        Mask,
        /// The kernel is tainted with one of `flags`.
        Tainted,
        /// AMD's package is installed, but the kernel's own driver is loaded.
        DkmsBeside,
        /// The driver of AMD's package is loaded.
        DkmsRuns,
        /// The journal does not survive a reboot.
        LogLost,
    }
}

impl Condition {
    /// The placeholders that a summary may use.
    pub(crate) const fn values(self) -> &'static [&'static str] {
        match self {
            Self::TasksWait | Self::ResetWaits => &["count", "tasks", "where", "seconds"],
            Self::GpusMissing | Self::GpusMore => &["count", "expected"],
            Self::HungTasks => &["count"],
            Self::FilesHang => &["device", "name", "paths"],
            Self::GpuGone | Self::PowerError | Self::NoDriver => &["device", "name"],
            Self::HeldOff => &["device", "name", "place"],
            Self::NarrowLink => &["device", "name", "port", "slot", "width", "lanes"],
            Self::DumpWaits => &["count", "device", "paths"],
            Self::RecordsWait => &["count", "place"],
            Self::UnknownParameter => &["parameter", "place", "instead", "note"],
            Self::OtherValue => &["parameter", "place", "wanted", "value"],
            Self::Parameter => &["parameter", "value", "place", "note"],
            Self::Mask => &["parameter", "value", "added", "cleared", "note"],
            Self::Tainted => &["letters", "meanings"],
            Self::DkmsBeside => &["version", "kernel"],
            Self::DkmsRuns => &["version"],
            Self::LogLost => &[],
        }
    }

    /// Whether `at_least` applies.
    pub(super) const fn counts(self) -> bool {
        matches!(self, Self::TasksWait | Self::ResetWaits | Self::HungTasks)
    }
}
