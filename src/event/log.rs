//! One input read to its end: its events, boots and GPUs.

use std::io::{self, Read};

use super::Observed;
use super::device::{Census, Device};
use super::kinds::Event;
use super::recognise::{Recognised, Recogniser};
use crate::input::Lines;
use crate::pattern::Patterns;
use crate::record::{self, Reading, Stamp};
use crate::value::{KernelVersion, Micros, PciAddress};

/// A failure event of one GPU this close before lets a line without a device be that GPU's, where no
/// other GPU failed.
const NEAR: Micros = Micros::seconds(10);

/// What one boot's lines say of the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Boot {
    /// The boot's id in the journal.
    pub boot_id: Option<String>,
    /// The kernel's release.
    pub kernel: Option<String>,
    /// The kernel's command line.
    pub command_line: Option<String>,
    /// The first record's time.
    pub first: Stamp,
    /// The last record's time.
    pub last: Stamp,
    /// Whether the log has the beginning of the boot.
    pub from_start: bool,
}

impl Boot {
    /// The kernel's version, where the log has the release.
    #[must_use]
    pub fn version(&self) -> Option<KernelVersion> {
        self.kernel.as_deref()?.parse().ok()
    }
}

/// A log, understood as far as single events go.
#[derive(Debug)]
pub struct Log {
    /// How it was read.
    pub reading: Reading,
    /// Its boots, in the order of the lines.
    pub boots: Vec<Boot>,
    /// Its GPUs.
    pub devices: Vec<Device>,
    /// Its events.
    pub events: Vec<Observed>,
    /// Events beyond the number that is kept.
    pub dropped_events: u64,
    /// Records that name the driver.
    pub driver_records: u64,
    /// Whether nearly every kernel line names the driver: the log went through a filter.
    pub filtered: bool,
    /// The driver's lines that no message matches.
    pub unknown_driver_lines: u64,
}

impl Log {
    /// Reads `lines` to their end.
    ///
    /// # Errors
    /// What the reader returns.
    pub fn read<R: Read>(lines: &mut Lines<R>, patterns: &Patterns) -> io::Result<Self> {
        let mut recogniser = Recogniser::new(patterns);
        let reading = record::read(lines, |record| recogniser.see(record))?;
        Ok(Self::assembled(reading, recogniser.finish(), patterns))
    }

    fn assembled(reading: Reading, recognised: Recognised, patterns: &Patterns) -> Self {
        let Recognised { mut events, facts, kernel_records, driver_records, .. } = recognised;
        let starts: Vec<u64> = reading.boots.iter().map(|boot| boot.first_sequence).collect();
        let boot_of =
            |sequence: u64| starts.partition_point(|start| *start <= sequence).saturating_sub(1);
        for observed in &mut events {
            observed.boot = boot_of(observed.sequence);
        }
        let mut census = Census::new(&patterns.hardware, &facts.by_boot(boot_of));
        // Programs name GPUs that the driver's lines may not show.
        for observed in &events {
            census.learn_name(observed);
        }
        attribute(&mut events, &census);
        for observed in &events {
            census.learn(observed);
        }
        census.learn_functions(&facts, boot_of);
        let devices = census.finish();
        super::fault::complete(&mut events, &devices, &patterns.hardware);
        super::recognise::explain(&mut events, patterns);
        Self {
            boots: boots(&reading, &events),
            devices,
            events,
            dropped_events: recognised.dropped_events,
            driver_records,
            // A handful of lines is an excerpt, however it was made.
            filtered: kernel_records >= 20 && driver_records * 20 >= kernel_records * 19,
            unknown_driver_lines: recognised.unknown_driver_lines,
            reading,
        }
    }

    /// Whether the kernel, or the driver in text without envelopes, says anything in this log.
    #[must_use]
    pub const fn has_kernel_messages(&self) -> bool {
        self.reading.kernel_records > 0 || self.driver_records > 0
    }

    /// Whether lines of `boot` are missing.
    #[must_use]
    pub fn has_holes(&self, boot: usize) -> bool {
        let start = |boot: usize| self.reading.boots.get(boot).map(|boot| boot.first_sequence);
        let from = start(boot).unwrap_or(0);
        let to = start(boot + 1).unwrap_or(u64::MAX);
        self.dropped_events > 0
            || self
                .reading
                .holes
                .iter()
                .any(|hole| hole.hides_anything() && (from..to).contains(&hole.sequence))
    }

    /// The GPU at `address` in `boot`.
    #[must_use]
    pub fn device(&self, boot: usize, address: Option<PciAddress>) -> Option<&Device> {
        self.devices.iter().find(|device| device.boot == boot && device.address == address)
    }
}

/// Gives lines without a device the only GPU that they can be about.
fn attribute(events: &mut [Observed], census: &Census<'_>) {
    let mut failing: Vec<(usize, PciAddress, Stamp)> = Vec::new();
    for observed in events {
        if let Some(device) = observed.device {
            failing.retain(|(boot, other, _)| *boot == observed.boot && *other != device);
            if observed.event.kind().part() != super::kinds::Part::Context {
                failing.push((observed.boot, device, observed.stamp));
            }
            continue;
        }
        if let Event::GpuName(named) = &observed.event {
            observed.device = named.pci_address;
        }
        let only = census.only(observed.boot).or_else(|| {
            failing.retain(|(_, _, stamp)| {
                stamp.elapsed(&observed.stamp).is_some_and(|span| span <= NEAR)
            });
            match failing[..] {
                [(_, device, _)] => Some(device),
                _ => None,
            }
        });
        if observed.device.is_none() {
            observed.device = only.filter(|_| belongs_to_a_gpu(&observed.event));
            observed.inferred = observed.device.is_some();
        }
    }
}

/// Whether an event without a device is about some GPU at all.
fn belongs_to_a_gpu(event: &Event) -> bool {
    !matches!(event, Event::KernelBanner(_) | Event::CommandLine(_) | Event::UnknownParameter(_))
}

fn boots(reading: &Reading, events: &[Observed]) -> Vec<Boot> {
    let boot = |(index, boot): (usize, &record::Boot)| {
        let mut known = Boot {
            boot_id: boot.boot_id.clone(),
            first: boot.first,
            last: boot.last,
            from_start: boot.from_banner,
            ..Boot::default()
        };
        for observed in events.iter().filter(|observed| observed.boot == index) {
            match &observed.event {
                Event::KernelBanner(banner) => known.kernel.clone_from(&banner.release),
                Event::CommandLine(line) => known.command_line.clone_from(&line.text),
                _ => {}
            }
        }
        known
    };
    reading.boots.iter().enumerate().map(boot).collect()
}
