//! Facts about a log that many diagnoses need, collected once.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::{Boot, Coverage, Log};
use crate::kind::{Event, Kind, Subject, is_of_a_crash};
use crate::pattern::advice::Advice;
use crate::pattern::constraint::{Known, LogCondition};
use crate::pattern::distribution::{Distributions, System};
use crate::pattern::hardware::KernelNames;
use crate::value::{
    DeviceKind, DistributionFamily, GfxTarget, HardwareClass, KernelVersion, Mention, Micros,
    Outcome, PciAddress,
};

use super::confidence::Circumstances;
use super::reach::Remembered;
use super::run::Run;
use super::sequence::Scene;
use super::work::is_without_graphics;

/// How long a log should continue after an incident's last line to show what followed.
const ENDS_EARLY: Micros = Micros::seconds(60);

/// How long the kernel keeps a coredump: `DEVCD_TIMEOUT` of `include/linux/devcoredump.h`.
const LONG: Micros = Micros::seconds(300);

/// Advice filled in for a GPU on a distribution, by its id.
type Filled = BTreeMap<(Option<PciAddress>, Option<System>, String), Rc<Advice>>;

/// A log, indexed for the lookups of every incident.
#[derive(Debug)]
pub(super) struct Survey<'l> {
    pub(super) log: &'l Log,
    names: &'l KernelNames,
    /// The events of each GPU in each boot, and those without a GPU.
    pub(super) by_device: BTreeMap<(usize, Option<PciAddress>), Run<'l>>,
    /// Cached lookups that their incidents share.
    remembered: BTreeMap<(usize, Option<PciAddress>), Remembered>,
    /// The value of `HSA_OVERRIDE_GFX_VERSION`, by boot.
    overrides: BTreeMap<usize, Option<GfxTarget>>,
    /// The number of GPUs in each boot.
    gpus: BTreeMap<usize, usize>,
    ignored: BTreeSet<(usize, &'l str)>,
    /// The boots in which the driver reports overdrive, or the command line enables it.
    overdriven: BTreeSet<usize>,
    /// Advice filled in for each GPU, shared by thousands of incidents.
    advice: RefCell<Filled>,
    /// The events of a GPU without any.
    nothing: Run<'l>,
}

impl<'l> Survey<'l> {
    /// Indexes `log`.
    pub(super) fn new(log: &'l Log, names: &'l KernelNames) -> Self {
        let mut survey = Self {
            log,
            names,
            by_device: BTreeMap::new(),
            remembered: BTreeMap::new(),
            overrides: BTreeMap::new(),
            gpus: BTreeMap::new(),
            ignored: BTreeSet::new(),
            overdriven: BTreeSet::new(),
            advice: RefCell::default(),
            nothing: Run::default(),
        };
        let mut by_device: BTreeMap<_, Vec<&Observed>> = BTreeMap::new();
        for observed in log.events.iter().filter(|observed| !is_about_another_device(observed)) {
            let boot = observed.boot;
            by_device.entry((boot, observed.device)).or_default().push(observed);
            match &observed.event {
                Event::GfxOverride(forced) => {
                    survey.overrides.entry(boot).or_insert(forced.target);
                }
                Event::UnknownParameter(unknown) => {
                    let name = unknown.parameter.as_deref();
                    survey.ignored.extend(name.map(|name| (boot, name)));
                }
                Event::OverdriveEnabled(_) => {
                    survey.overdriven.insert(boot);
                }
                _ => {}
            }
        }
        let boots = log.boots.iter().enumerate();
        let told = boots.filter(|(_, boot)| boot.asks_for_overdrive()).map(|(place, _)| place);
        survey.overdriven.extend(told);
        let sorted = by_device.into_iter().map(|(key, events)| (key, Run::new(events)));
        survey.by_device = sorted.collect();
        let remembered = survey.by_device.keys().map(|key| (*key, Remembered::default()));
        survey.remembered = remembered.collect();
        for device in log.devices.iter().filter(|device| device.address.is_some()) {
            *survey.gpus.entry(device.boot).or_default() += 1;
        }
        survey
    }

    /// The events of a GPU in a boot.
    pub(super) const fn stream(&'l self, boot: usize, device: Option<PciAddress>) -> Stream<'l> {
        Stream { survey: self, boot, device }
    }

    fn events(&self, boot: usize, device: Option<PciAddress>) -> &Run<'l> {
        self.by_device.get(&(boot, device)).unwrap_or(&self.nothing)
    }

    /// Advice filled in for a GPU in a boot.
    pub(super) fn advice(
        &self,
        advice: &Advice,
        stream: Stream<'_>,
        distributions: &Distributions,
    ) -> Rc<Advice> {
        let (device, boot) = (stream.device, stream.in_log());
        let system = boot.and_then(|boot| boot.system.as_ref());
        let mut known = self.advice.borrow_mut();
        let filled = || {
            let mut filled = advice.filled(device, distributions, system);
            if self.log.is_of_windows() {
                filled.commands.clear();
            }
            Rc::new(filled)
        };
        let key = (device, system.cloned(), advice.id.clone());
        Rc::clone(known.entry(key).or_insert_with(filled))
    }

    /// Whether the driver ignored the parameter `name` in a boot because it does not have it.
    pub(super) fn ignores(&self, boot: usize, name: &str) -> bool {
        self.ignored.contains(&(boot, name))
    }
}

/// One GPU in one boot, or the events of a boot that name no GPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream<'l> {
    pub(super) survey: &'l Survey<'l>,
    pub(super) boot: usize,
    pub(super) device: Option<PciAddress>,
}

impl<'l> Stream<'l> {
    pub(super) const fn log(self) -> &'l Log {
        self.survey.log
    }

    /// Its events, in order.
    pub(super) fn events(self) -> &'l Run<'l> {
        self.survey.events(self.boot, self.device)
    }

    /// Cached lookups that its incidents share.
    pub(super) fn remembered(self) -> Option<&'l Remembered> {
        self.survey.remembered.get(&(self.boot, self.device))
    }

    /// The scene for signatures whose steps are searched for in `events`.
    pub(super) fn scene(self, events: &'l Run<'l>) -> Scene<'l> {
        let nothing = &self.survey.nothing;
        let nameless = self.device.is_some().then(|| self.survey.events(self.boot, None));
        let around = nameless.unwrap_or(nothing);
        let (log, boot, beyond) = (self.log(), self.boot, self.events());
        Scene { log, boot, events, beyond, around, remembered: self.remembered() }
    }

    /// The boot.
    pub(super) fn in_log(self) -> Option<&'l Boot> {
        self.log().boots.get(self.boot)
    }

    pub(super) fn kernel(self) -> Option<KernelVersion> {
        self.in_log()?.version()
    }

    /// What the log shows about the GPU.
    pub(super) fn gpu(self) -> Option<&'l Device> {
        self.log().device(self.boot, self.device)
    }

    /// The properties of the GPU that decide whether a signature applies.
    pub(super) fn known(self) -> Known {
        self.gpu().map_or_else(Known::default, |gpu| Known {
            target: gpu.target,
            generation: gpu.generation,
            kind: gpu.kind,
            facts: gpu.facts,
            classes: self.log().classes(self.boot, self.device),
        })
    }

    /// The chip of `HSA_OVERRIDE_GFX_VERSION`.
    pub(super) fn forced_chip(self) -> Option<GfxTarget> {
        self.survey.overrides.get(&self.boot).copied().flatten()
    }

    /// Whether a line names a built-in panel, or the machine is of a kind that has one.
    fn may_have_panel(self) -> bool {
        let known = self.known();
        self.log().mentions(Mention::Panel)
            || known.kind == Some(DeviceKind::Apu)
            || known.classes.is(&[HardwareClass::Laptop, HardwareClass::Handheld])
    }

    fn is_freebsd(self) -> bool {
        let system = self.in_log().and_then(|boot| boot.system.as_ref());
        system.is_some_and(|system| system.family == DistributionFamily::Freebsd)
    }

    /// The circumstances of conclusions about some of its events.
    pub(super) fn circumstances(
        self,
        events: &[&Observed],
        outcome: Option<Outcome>,
    ) -> Circumstances {
        let log = self.log();
        let coverage = |limit| {
            let last = events.last();
            last.map(|last| log.coverage(self.boot, last.sequence, &last.stamp, limit))
        };
        let ends = coverage(ENDS_EARLY) == Some(Coverage::Ends);
        let known = self.gpu().is_some_and(|gpu| gpu.generation.is_some());
        let is_unnamed = |observed: &&Observed| observed.shared && observed.device.is_none();
        let several = self.survey.gpus.get(&self.boot).is_some_and(|gpus| *gpus > 1);
        let names = |seen: &&Observed| seen.device.is_some() && !seen.inferred;
        let checks = [
            (LogCondition::LogHasHoles, log.has_holes(self.boot)),
            // A program's output begins with the program.
            (
                LogCondition::LogStartsLate,
                log.has_kernel_messages() && !self.in_log().is_some_and(|boot| boot.from_start),
            ),
            (LogCondition::LogEndsEarly, ends),
            (LogCondition::LogFiltered, log.filtered),
            (LogCondition::GpuUnknown, !known),
            (
                LogCondition::DriverUnnamed,
                !events.is_empty()
                    && events.iter().all(is_unnamed)
                    && log.sightings.first.is_none(),
            ),
            (
                LogCondition::OnlyPrograms,
                !events.is_empty() && events.iter().all(|seen| seen.is_stated_by_a_program()),
            ),
            (LogCondition::NoGraphics, is_without_graphics(events, self.survey.names)),
            (LogCondition::NoDump, is_without_dump(events, self.kernel())),
            (LogCondition::Freebsd, self.is_freebsd()),
            (LogCondition::Windows, log.is_of_windows()),
            (LogCondition::Wsl, log.mentions(Mention::Wsl)),
            (LogCondition::Guest, log.mentions(Mention::Guest)),
            (LogCondition::GuestReported, log.mentions(Mention::GuestReported)),
            (LogCondition::Crashed, events.iter().any(|seen| is_crash(seen))),
            (LogCondition::NoPanel, !self.may_have_panel()),
            (
                LogCondition::RocmNamed,
                log.mentions(Mention::Rocm) && events.iter().all(|seen| names_nobody(seen)),
            ),
            (LogCondition::NoVulkanModels, !log.mentions(Mention::VulkanModels)),
            (LogCondition::NoTimes, events.iter().all(|observed| observed.stamp.is_timeless())),
            (
                LogCondition::DeviceInferred,
                events.iter().any(|seen| seen.inferred) && (several || !events.iter().any(names)),
            ),
            (LogCondition::Overridden, self.survey.overrides.contains_key(&self.boot)),
            (LogCondition::SeveralGpus, several),
            (LogCondition::LogComplete, log.is_complete(self.boot)),
            (LogCondition::SeveralBoots, log.boots.len() > 1),
            (LogCondition::DriverPackage, self.in_log().is_some_and(|boot| boot.package.is_some())),
            (LogCondition::VirtualFunction, self.gpu().is_some_and(|gpu| gpu.virtual_function)),
            (LogCondition::OverdriveOn, self.survey.overdriven.contains(&self.boot)),
            (LogCondition::LongAgo, coverage(LONG) == Some(Coverage::Past)),
        ];
        let holding = checks.into_iter().filter(|(_, holds)| *holds);
        Circumstances {
            log: holding.map(|(condition, _)| condition).collect(),
            gpu: self.known(),
            kernel: self.kernel(),
            outcome,
        }
    }
}

/// Whether nothing shows that the driver saved the state of the GPU: it says so (newer drivers), or
/// it is one that does that (6.1 and later were checked), and came as far as that.
fn is_without_dump(events: &[&Observed], kernel: Option<KernelVersion>) -> bool {
    const SINCE: KernelVersion = KernelVersion::new(6, 1, 0);
    let has = |kind: Kind| events.iter().any(|seen| seen.event.kind() == kind);
    if has(Kind::CoredumpCreated) {
        return false;
    }
    // Older drivers do not announce it.
    let does = has(Kind::StateDump) || kernel.is_some_and(|kernel| kernel >= SINCE);
    !does || !events.iter().any(|seen| follows_a_dump(seen))
}

/// Whether an event does not name the program whose work failed.
fn names_nobody(seen: &Observed) -> bool {
    seen.event.field("process").is_none()
}

/// Whether this is a crash of the kernel, and no warning.
fn is_crash(seen: &Observed) -> bool {
    seen.event.kind() == Kind::KernelOops && seen.event.text("what").is_none_or(is_of_a_crash)
}

/// Whether the driver has saved the state of the GPU when it prints this: from 6.11 on it does so
/// when a job times out, which it announces, and before that once the hardware was reset.
///
/// Source: `amdgpu_job_core_dump` of `amdgpu_job.c`, `amdgpu_do_asic_reset` of `amdgpu_device.c`.
fn follows_a_dump(seen: &Observed) -> bool {
    matches!(
        seen.event,
        Event::StateDump(_)
            | Event::CoredumpCreated(_)
            | Event::ResetHardwareDone(_)
            | Event::ResetSucceeded(_)
    )
}

/// Whether a line of the bus is about a device that is no GPU of amdgpu: nothing that happens to it
/// says anything about one.
fn is_about_another_device(seen: &Observed) -> bool {
    let is_of_a_device = seen.event.columns().subject == Subject::BusDevice;
    is_of_a_device && seen.device.is_none() && seen.printed.is_some()
}
