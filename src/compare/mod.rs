//! Compares two boots: what is in the bad one and not in the good one.
//!
//! The conclusions about two logs are compared, never their texts. "Not in the log" is
//! distinguished from "the log shows that it did not happen": see [`Silence`] and [`Doubt`].

pub(crate) mod chosen;
mod events;
mod failures;
mod gpus;
pub(crate) mod machine;
mod settings;
mod silence;

use serde::Serialize;

use crate::diagnosis::Conclusions;
use crate::event::device::Device;
use crate::event::log::{Boot, Log};
use crate::event::unknown::Unknown;
use crate::pattern::machine::Compared;
use crate::value::Micros;

pub(crate) use events::{Count, EventRow, Presence, Trend};
pub(crate) use failures::{IncidentRow, NoticeRow};
pub(crate) use gpus::{FirmwareRow, GpuMatch, GpuPair};
pub(crate) use machine::{Machine, MachineChange, MachineFact};
pub(crate) use settings::{Driver, OptionChange, Setting};
pub(crate) use silence::{Doubt, Extent, Silence};

/// One boot of a log.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'l> {
    pub log: &'l Log,
    /// The conclusions about it.
    pub conclusions: &'l Conclusions,
    pub boot: usize,
    /// The facts about the machine, if a bundle contains them.
    pub machine: Option<&'l Machine>,
}

impl<'l> Side<'l> {
    /// What the log says of the boot.
    pub(crate) fn known(&self) -> Option<&'l Boot> {
        self.log.boots.get(self.boot)
    }

    /// The GPUs of the boot.
    fn devices(&self) -> impl Iterator<Item = &'l Device> + use<'l> {
        let boot = self.boot;
        self.log.devices.iter().filter(move |device| device.boot == boot)
    }
}

/// A fact of both sides, as far as their logs have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Pair_{T}"))]
pub(crate) struct GoodBad<T> {
    /// What the good one says.
    pub good: Option<T>,
    /// What the bad one says.
    pub bad: Option<T>,
}

impl<T> GoodBad<T> {
    /// Applies `read` to both.
    pub(crate) fn map<U>(self, read: impl Fn(T) -> U) -> GoodBad<U> {
        GoodBad { good: self.good.map(&read), bad: self.bad.map(&read) }
    }
}

impl<T: PartialEq> GoodBad<T> {
    /// Both values, if they differ.
    pub(crate) fn change(&self) -> Option<(&T, &T)> {
        self.good.as_ref().zip(self.bad.as_ref()).filter(|(good, bad)| good != bad)
    }
}

/// The result of a comparison, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ComparedVerdict {
    /// The bad boot has a failure that the good one does not have.
    NewFailure,
    /// Both have the same failures, but the bad one did not recover from one.
    WorseFailure,
    /// The good boot has all failures of the bad one.
    KnownFailure,
    /// The bad boot has no failure; something else differs.
    Different,
    /// Nothing differs.
    Same,
}

impl ComparedVerdict {
    /// Whether something fails in the bad boot that did not in the good one.
    pub(crate) const fn is_worse(self) -> bool {
        matches!(self, Self::NewFailure | Self::WorseFailure)
    }
}

/// A difference that may have to do with a failure. None of them is proven to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suspect<'c, 'l> {
    /// The kernel release.
    Kernel(&'l str, &'l str),
    /// The origin of the driver.
    Driver(&'c Driver<'l>, &'c Driver<'l>),
    /// The version of a firmware of a GPU.
    Firmware(&'c FirmwareRow<'l>, &'l str, &'l str),
    /// A word of the kernel command line that concerns a GPU.
    Option(&'c OptionChange),
    /// A GPU that is new, or at another address.
    Gpu(&'c GpuPair<'l>),
    /// Software or firmware of the machine, from a bundle.
    Machine(&'c MachineChange),
}

/// The comparison of two boots.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison<'l> {
    /// The result.
    pub verdict: ComparedVerdict,
    /// How much of its boot the good log covers.
    pub good: Extent,
    /// How much of its boot the bad log covers.
    pub bad: Extent,
    /// The kernel release.
    pub kernel: GoodBad<&'l str>,
    /// The version of amdgpu's user space interface.
    pub interface: GoodBad<[u32; 3]>,
    /// The origin of the driver.
    pub driver: GoodBad<Driver<'l>>,
    /// The words of the kernel command line that differ, those that concern a GPU first; `None` if
    /// a log has no command line.
    pub options: Option<Vec<OptionChange>>,
    /// The differences between the machines when the bundles were made; `None` unless both inputs
    /// are bundles with facts.
    pub machine: Option<Vec<MachineChange>>,
    pub gpus: Vec<GpuPair<'l>>,
    /// The incidents by bug: new ones first, then those of both boots, then those that are gone.
    pub incidents: Vec<IncidentRow<'l>>,
    /// The notices by signature, in the same order.
    pub notices: Vec<NoticeRow<'l>>,
    /// The distinct events: new ones first, failures before setup, in order of first appearance.
    pub events: Vec<EventRow<'l>>,
    /// The driver lines without a known message that the good log does not have, errors first;
    /// `None` if that cannot be decided.
    pub unknown: Option<Vec<&'l Unknown>>,
}

/// Compares two boots.
pub(crate) fn compare<'l>(good: Side<'l>, bad: Side<'l>, known: &Compared) -> Comparison<'l> {
    let extents = (Extent::of(good), Extent::of(bad));
    let held = |read: fn(&'l Boot) -> Option<&'l str>| GoodBad {
        good: good.known().and_then(read),
        bad: bad.known().and_then(read),
    };
    let mut comparison = Comparison {
        verdict: ComparedVerdict::Same,
        kernel: held(|boot| boot.kernel.as_deref()),
        interface: GoodBad {
            good: good.known().and_then(|boot| boot.interface),
            bad: bad.known().and_then(|boot| boot.interface),
        },
        driver: GoodBad {
            good: good.known().and_then(Driver::of),
            bad: bad.known().and_then(Driver::of),
        },
        options: settings::options(held(|boot| boot.command_line.as_deref()), known),
        machine: good.machine.zip(bad.machine).map(|(good, bad)| Machine::changes(good, bad)),
        gpus: gpus::paired(good, bad),
        incidents: failures::incidents(good, bad, &extents),
        notices: failures::notices(good, bad),
        events: events::rows(good, bad, &extents),
        unknown: failures::unknown(good, bad),
        good: extents.0,
        bad: extents.1,
    };
    comparison.verdict = comparison.judged();
    comparison
}

impl<'l> Comparison<'l> {
    fn judged(&self) -> ComparedVerdict {
        let fails = |row: &&IncidentRow<'_>| row.is_failure();
        let mut failing = self.incidents.iter().filter(fails).peekable();
        let new = |row: &IncidentRow<'_>| row.presence() == Presence::New;
        if failing.clone().any(new) {
            ComparedVerdict::NewFailure
        } else if self.incidents.iter().any(|row| row.is_worse) {
            ComparedVerdict::WorseFailure
        } else if failing.peek().is_some() {
            ComparedVerdict::KnownFailure
        } else if self.differs() {
            ComparedVerdict::Different
        } else {
            ComparedVerdict::Same
        }
    }

    /// Whether there is any difference that the logs can show.
    fn differs(&self) -> bool {
        let both = |presence: Presence| presence == Presence::Both;
        self.suspects().next().is_some()
            || self.interface.change().is_some()
            || self.options.as_ref().is_some_and(|options| !options.is_empty())
            || self.gpus.iter().any(GpuPair::differs)
            || self.incidents.iter().any(|row| !both(row.presence()))
            || self.notices.iter().any(|row| !both(row.presence()))
            || self.events.iter().any(EventRow::is_significant)
            || self.unknown.as_ref().is_some_and(|unknown| !unknown.is_empty())
    }

    /// What may have caused a new failure, the most significant first.
    pub(crate) fn suspects(&self) -> impl Iterator<Item = Suspect<'_, 'l>> {
        let kernel = self.kernel.change().map(|(good, bad)| Suspect::Kernel(good, bad));
        let driver = self.driver.change().map(|(good, bad)| Suspect::Driver(good, bad));
        let firmware = self.gpus.iter().filter(|pair| pair.is_one_chip());
        let firmware = firmware.flat_map(|pair| &pair.firmware).filter_map(|row| {
            row.version.change().map(|(good, bad)| Suspect::Firmware(row, good, bad))
        });
        let options = self.options.iter().flatten().filter(|option| option.is_of_a_gpu());
        // A fact that only one log has may have been printed before the other one begins.
        let whole = self.good.is_from_start() && self.bad.is_from_start();
        let moved = self.gpus.iter().filter(move |pair| match pair.tie {
            GpuMatch::Same => false,
            GpuMatch::Moved | GpuMatch::Replaced => true,
            GpuMatch::Gone | GpuMatch::Appeared => whole,
        });
        let chain = kernel.into_iter().chain(driver).chain(firmware);
        let machine = self.machine.iter().flatten().map(Suspect::Machine);
        chain.chain(options.map(Suspect::Option)).chain(moved.map(Suspect::Gpu)).chain(machine)
    }

    /// The lengths of both logs, for comparing counts; `None` if one has no times.
    pub(crate) fn lengths(&self) -> Option<(Micros, Micros)> {
        self.good.lasts.zip(self.bad.lasts)
    }
}

#[cfg(test)]
mod tests;
