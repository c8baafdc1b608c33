//! Attributes lines to a GPU that name no device, or a device that is not the driver's.

use std::collections::{BTreeMap, BTreeSet};

use super::Observed;
use super::census::{Census, is_about_some_gpu};
use super::facts::Facts;
use super::landmark;
use super::paths::Paths;
use crate::kind::{Event, Kind, Part, Proof, Subject};
use crate::pattern::Patterns;
use crate::record::Stamp;
use crate::value::{Mention, Micros, PciAddress};

/// Maximum time after a GPU's failure event within which a line without a device is attributed to
/// that GPU, if no other GPU failed.
const NEAR: Micros = Micros::seconds(10);

/// The boots in which drivers of other GPUs are active.
pub(super) fn crowded(
    events: &[Observed],
    facts: &Facts,
    starts: &[u64],
    patterns: &Patterns,
) -> BTreeSet<usize> {
    let names = &patterns.hardware.names;
    let is_another = |driver: &str| names.is_another_driver(&driver.replace('-', "_"));
    let of_another = |event: &Event| {
        event.kind() == Kind::DriverReady && event.text("driver").is_some_and(is_another)
    };
    let ready = events.iter().filter(|observed| of_another(&observed.event));
    let boots = 0..starts.len();
    let next = |boot: usize| starts.get(boot + 1).copied().unwrap_or(u64::MAX);
    let printed = boots.filter(|boot| facts.has_others(starts[*boot], next(*boot)));
    let outputs = events.iter().filter(|o| o.shared && names_another_drivers_output(&o.event));
    ready.chain(outputs).map(|observed| observed.boot).chain(printed).collect()
}

/// Attributes lines without a device to the only possible GPU.
pub(super) fn attribute(
    events: &mut [Observed],
    census: &Census<'_>,
    paths: &Paths,
    crowded: &BTreeSet<usize>,
) {
    // The last GPU with a failure, and the last other one.
    let mut failing: [Option<(usize, PciAddress, Stamp)>; 2] = [None, None];
    // The last GPU that a line names: the driver sets up and describes one GPU after the other.
    let mut named: Option<(usize, PciAddress)> = None;
    let mut reports = BusReports::default();
    for observed in events {
        observed.device = observed.device.or_else(|| named_inside(observed, census, paths));
        reports.see(observed);
        if let Some(device) = observed.device {
            named = Some((observed.boot, device));
            if observed.event.kind().part() != Part::Context {
                let [last, other] = failing;
                let is_new = last.is_none_or(|(_, last, _)| last != device);
                failing = [
                    Some((observed.boot, device, observed.stamp)),
                    if is_new { last } else { other },
                ];
            }
            continue;
        }
        let elsewhere = |address: PciAddress| !census.knows(observed.boot, address);
        let of_others = crowded.contains(&observed.boot) || observed.printed.is_some_and(elsewhere);
        if (observed.shared && of_others)
            || names_another_drivers_output(&observed.event)
            || reports.are_of_another_device(observed)
        {
            continue;
        }
        // A port has errors of its own, and other devices below it: its recovery concerns a GPU
        // only if one has failed.
        let by_failure_only = observed.event.columns().subject == Subject::BusRepair
            && observed.printed.is_some_and(elsewhere);
        let the_only = census.only(observed.boot).filter(|_| !by_failure_only);
        let only = the_only.or_else(|| reports.gpu(observed)).or_else(|| {
            let near = failing.iter().flatten().filter(|(boot, _, stamp)| {
                let span = stamp.elapsed(&observed.stamp);
                *boot == observed.boot && span.is_some_and(|span| span <= NEAR)
            });
            let is_passed = |device: &PciAddress| {
                observed.event.columns().proves != Proof::Nothing
                    && named != Some((observed.boot, *device))
            };
            match near.collect::<Vec<_>>()[..] {
                [(_, device, _)] => Some(*device).filter(|device| !is_passed(device)),
                _ => None,
            }
        });
        observed.device = only.filter(|_| is_about_some_gpu(&observed.event));
        observed.inferred = observed.device.is_some();
    }
}

/// The device whose error each PCI port reported last; the port's recovery messages refer to it.
#[derive(Debug, Default)]
struct BusReports {
    boot: usize,
    /// Whether the last report of each port was about a device other than an AMD GPU.
    of_others: BTreeMap<Option<PciAddress>, bool>,
    /// The GPU of the last report of each port.
    gpus: BTreeMap<Option<PciAddress>, PciAddress>,
}

impl BusReports {
    fn see(&mut self, observed: &Observed) {
        if observed.boot != self.boot {
            *self = Self { boot: observed.boot, ..Self::default() };
        }
        let Event::PcieError(error) = &observed.event else { return };
        if error.source.is_some() {
            // A port may report an error of its own link, which may lead to a GPU.
            let another = observed.device.is_none() && error.source != observed.printed;
            self.of_others.insert(observed.printed, another);
            match observed.device {
                Some(gpu) => self.gpus.insert(observed.printed, gpu),
                None => self.gpus.remove(&observed.printed),
            };
        }
    }

    /// The GPU that is being recovered: the kernel may report the result as late as a minute after.
    fn gpu(&self, observed: &Observed) -> Option<PciAddress> {
        let is_repair = observed.event.columns().subject == Subject::BusRepair;
        self.gpus.get(&observed.printed).copied().filter(|_| is_repair)
    }

    fn are_of_another_device(&self, observed: &Observed) -> bool {
        observed.event.columns().subject == Subject::BusRepair
            && self.of_others.get(&observed.printed).is_some_and(|another| *another)
    }
}

/// Whether a line of the DRM core names an output in the style of i915 and xe (`pipe A`) or nouveau
/// (`head-0`). amdgpu uses the default names of the core, such as `crtc-0`.
///
/// Source: `intel_crtc_init()` of `drivers/gpu/drm/i915/display/intel_crtc.c`, `nv50_head_create()`
/// of `drivers/gpu/drm/nouveau/dispnv50/head.c`, `__drm_crtc_init_with_planes()` of
/// `drivers/gpu/drm/drm_crtc.c`.
fn names_another_drivers_output(event: &Event) -> bool {
    let Event::DisplayTimeout(timeout) = event else { return false };
    let name = timeout.name.as_deref().filter(|_| timeout.object.as_deref() == Some("crtc"));
    name.is_some_and(|name| name.starts_with("pipe ") || name.starts_with("head-"))
}

/// The GPU named in the text of a line that the driver did not print.
fn named_inside(observed: &Observed, census: &Census<'_>, paths: &Paths) -> Option<PciAddress> {
    let gpu = |address: Option<PciAddress>| {
        address.filter(|address| census.knows(observed.boot, *address))
    };
    let field = |name: &str| observed.event.get::<PciAddress>(name).copied();
    match observed.event.columns().subject {
        Subject::GpuOfProgram => field("pci_address"),
        Subject::GpuInText => gpu(field("at")),
        Subject::BusError => {
            let end = field("source").or(observed.printed);
            let above = || paths.gpu(observed.boot, end?);
            gpu(field("source")).or_else(|| gpu(observed.printed)).or_else(above)
        }
        Subject::BusDevice | Subject::LostDevice | Subject::PassedDevice => gpu(observed.printed),
        Subject::Gpu | Subject::Task | Subject::Machine | Subject::BusRepair => None,
    }
}

/// Why a program found no GPU, where modprobe found no module of the driver.
const NO_MODULE: &str = "no-module";

/// How a log shows that an AMD GPU is in the machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ours<'l> {
    /// Whether any line names one, or the software for it.
    pub(super) is_named: bool,
    /// Whether a line does so that AMD's management tools do not print on other machines, too.
    pub(super) is_named_apart: bool,
    /// Whether its driver prints into the log.
    pub(super) prints: bool,
    /// What its lines mention.
    pub(super) mentions: &'l BTreeSet<Mention>,
}

impl Ours<'_> {
    /// Whether the X server loads its driver for AMD GPUs and does not draw with it.
    fn has_x_driver_only(self) -> bool {
        self.mentions.contains(&Mention::XDriver) && !self.mentions.contains(&Mention::XDraws)
    }

    /// Whether lines name GPUs of other vendors only.
    fn is_anothers(self) -> bool {
        self.mentions.contains(&Mention::AnotherVendor) && !self.is_named
    }

    /// Whether an event that programs report on GPUs of any vendor is about an AMD GPU here. `None`
    /// for kinds that do not depend on it.
    fn shows(self, kind: Kind, needs: Option<Mention>, is_of_rocm: bool) -> Option<bool> {
        let is_another = self.mentions.contains(&Mention::AnotherVendor);
        if let Some(needed) = needs {
            return Some((is_of_rocm || self.mentions.contains(&needed)) && !is_another);
        }
        let each = [
            // CUDA's programs print it, too; those of ROCm name the GPU's target.
            (Kind::HsaError, is_of_rocm),
            (Kind::ContextLost, self.is_named),
            (Kind::GpuNotOpened, self.is_named),
            (Kind::VideoCallFailed, self.is_named),
            (Kind::OutOfMemory, self.is_named),
            // Its drivers for other GPUs print it, too.
            (Kind::XServerRefused, self.has_x_driver_only()),
            (Kind::CommunicationFailed, self.is_named),
            (Kind::RunnerCrash, self.is_named),
            (Kind::ProgramNote, self.is_named),
            // Programs that measure GPUs ask AMD's tools on machines of any vendor.
            (Kind::KfdUnavailable, self.is_named_apart),
            (Kind::ManagementFailed, self.is_named_apart),
            // On each machine that has a screen, desktops print it.
            (Kind::DisplayNote, self.prints),
        ];
        let (_, is_shown) = each.into_iter().find(|(of, _)| *of == kind)?;
        Some(is_shown && !is_another)
    }
}

/// Decides for each event whether it is about an AMD GPU.
pub(super) fn judge(
    events: &mut [Observed],
    crowded: &BTreeSet<usize>,
    ours: Ours<'_>,
    patterns: &Patterns,
) {
    let names = &patterns.hardware.names;
    let names_a_target =
        |seen: &Observed| matches!(&seen.event, Event::GpuName(gpu) if gpu.target.is_some());
    let has_rocm = events.iter().any(names_a_target);
    let running = runs_until(events);
    for observed in events {
        let event = &observed.event;
        // What programs say of a GPU whose vendor they do not name.
        observed.of_any_vendor |=
            observed.shared && observed.message.is_of_a_program() && ours.is_anothers();
        // Only a program on an AMD GPU calls HIP.
        let is_of_rocm = has_rocm || event.text("call").is_some();
        let of_programs = ours.shows(event.kind(), observed.needs, is_of_rocm);
        let of_programs = of_programs.filter(|_| observed.of_any_vendor);
        observed.of_a_gpu = match event.columns().subject {
            // The module was loaded after all, by another attempt.
            Subject::Gpu if event.kind() == Kind::ModuleRefused => {
                running.get(&observed.boot).is_none_or(|last| *last < observed.sequence)
            }
            // Tools that collect what a machine has look for the module on each machine.
            Subject::Gpu
                if event.kind() == Kind::KfdUnavailable
                    && event.text("reason") == Some(NO_MODULE) =>
            {
                ours.prints || !ours.mentions.contains(&Mention::AnotherVendor)
            }
            Subject::Gpu if of_programs.is_some() => {
                of_programs == Some(true) && !crowded.contains(&observed.boot)
            }
            Subject::Task => {
                let file = event.text("file").is_some_and(landmark::is_driver_source);
                let beside =
                    ["wait_channel", "queue", "work", "module"].map(|name| event.text(name));
                let shared = event.get("stack").is_some_and(|stack| names.are_shared(stack));
                let alone = ours.prints && !crowded.contains(&observed.boot);
                file || names.are_of_a_gpu(event.get("stack"), &beside) || shared && alone
            }
            Subject::BusError | Subject::PassedDevice => observed.device.is_some(),
            Subject::LostDevice => observed.device.is_some() || observed.names_driver,
            // The driver's messages name no device; those of a port name the port.
            Subject::BusRepair => {
                observed.device.is_some() || (observed.printed.is_none() && !observed.shared)
            }
            Subject::Gpu
            | Subject::GpuInText
            | Subject::GpuOfProgram
            | Subject::Machine
            | Subject::BusDevice => {
                !observed.shared
                    || !names_another_drivers_output(event)
                        && (observed.device.is_some() || !crowded.contains(&observed.boot))
            }
        };
        // The attribution to the only GPU was wrong.
        if !observed.of_a_gpu && observed.inferred {
            observed.device = None;
            observed.inferred = false;
        }
    }
}

/// The last event of each boot that the running driver printed about its GPU.
fn runs_until(events: &[Observed]) -> BTreeMap<usize, u64> {
    let is_of_the_driver = |seen: &&Observed| {
        let is_of_a_device = seen.device.is_some() && !seen.inferred && seen.names_driver;
        seen.program.is_none()
            && (is_of_a_device || matches!(seen.event.kind(), Kind::DriverReady))
            && seen.event.columns().subject == Subject::Gpu
            && !seen.shared
    };
    events.iter().filter(is_of_the_driver).map(|seen| (seen.boot, seen.sequence)).collect()
}
