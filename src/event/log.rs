//! The events, boots and GPUs of an input that was read to its end.

use std::io::{self, Read};

use super::Observed;
use super::access::tell_access;
use super::adjacent::attribute_adjacent;
use super::amid_reset::attribute_amid_reset;
use super::attribute::{Ours, attribute, crowded, judge};
use super::budget::Gap;
use super::census::Census;
use super::complaint::Complaints;
use super::device::Device;
use super::freebsd::note_ignored;
use super::lacking::tell_lacking;
use super::landmark;
use super::marked::tell_earlier;
use super::paths::Paths;
use super::recognise::{CutOff, Recognised, Recogniser, Recognisers};
use super::setup::attribute_setup;
use super::sighting::Sightings;
use super::title::repeated;
use super::told::Told;
use super::unknown::Unknowns;
use crate::input::Lines;
use crate::kind::{Event, Kind};
use crate::pattern::Patterns;
use crate::pattern::distribution::System;
use crate::pattern::hardware::Classes;
use crate::record::{self, Options, ReadStats, Reader, Stamp};
use crate::value::{KernelVersion, MachineForm, Mention, Micros, PciAddress, Text};

/// What the lines of a boot show about the kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_field_names, reason = "the journal and JSON call it so")]
pub(crate) struct Boot {
    /// The boot's id in the journal.
    pub(crate) boot_id: Option<String>,
    /// The kernel release.
    pub(crate) kernel: Option<String>,
    /// The kernel release in the text around the log, if no line of the kernel states it.
    pub(crate) told_kernel: Option<String>,
    /// The kernel command line.
    pub(crate) command_line: Option<String>,
    /// The form of the machine, if its name shows it.
    pub(crate) form: Option<MachineForm>,
    /// The distribution, if it was assumed, or if lines or the text around the log show it.
    pub(crate) system: Option<System>,
    /// The version of amdgpu's user space interface: `[3, 61, 0]`.
    pub(crate) interface: Option<[u32; 3]>,
    /// The driver package (DKMS) that replaces the kernel's amdgpu, if the log shows one.
    pub(crate) package: Option<DriverPackage>,
    /// The time of the first record.
    pub(crate) first: Stamp,
    /// The time of the last record.
    pub(crate) last: Stamp,
    /// Whether the log contains the start of the boot.
    pub(crate) from_start: bool,
    /// Whether hardware errors come with the details of banks (ACA, MCA), which only accelerators
    /// of MI300 and later report: `smu_v13_0_6_ppt.c` alone reads them.
    pub(crate) has_banks: bool,
}

/// A driver from a package.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DriverPackage {
    /// Its version, if the log shows it.
    pub(crate) version: Option<String>,
}

impl Boot {
    /// Whether the driver leaves all of the GPU's queues to programs (`amdgpu.user_queue=2`).
    #[must_use]
    pub(crate) fn has_user_queues_only(&self) -> bool {
        let words = self.command_line.iter().flat_map(|line| line.split_whitespace());
        // A later word overrides an earlier one.
        words.filter_map(|word| word.strip_prefix("amdgpu.user_queue=")).next_back() == Some("2")
    }

    /// Whether the command line enables overdrive: bit `PP_OVERDRIVE_MASK`, which is off by
    /// default.
    #[must_use]
    pub(crate) fn asks_for_overdrive(&self) -> bool {
        const OVERDRIVE: u32 = 0x4000;
        let words = self.command_line.iter().flat_map(|line| line.split_whitespace());
        let mut masks = words.filter_map(|word| word.strip_prefix("amdgpu.ppfeaturemask="));
        let mask = masks.next_back().and_then(|mask| {
            let digits = mask.strip_prefix("0x").map(|digits| u32::from_str_radix(digits, 16));
            digits.unwrap_or_else(|| mask.parse()).ok()
        });
        mask.is_some_and(|mask| mask & OVERDRIVE != 0)
    }

    /// The kernel's version, if the log shows the release.
    #[must_use]
    pub(crate) fn version(&self) -> Option<KernelVersion> {
        self.kernel.as_deref()?.parse().ok()
    }
}

/// In an unfiltered log of this many kernel lines, at least one in twenty is another driver's.
const LONG_ENOUGH: u64 = 20;

/// A log with its events, before they are grouped.
#[derive(Debug)]
pub struct Log {
    /// Statistics of reading.
    pub(crate) reading: ReadStats,
    /// Its boots, in the order of lines.
    pub(crate) boots: Vec<Boot>,
    /// Its GPUs.
    pub(crate) devices: Vec<Device>,
    /// Its events.
    pub(crate) events: Vec<Observed>,
    /// What is below its ports.
    pub(crate) paths: Paths,
    /// The number of events that were not kept.
    pub(crate) dropped_events: u64,
    /// Where events were dropped.
    pub(crate) gap: Option<Gap>,
    /// The number of records that name the driver.
    pub(crate) driver_records: u64,
    /// The number of kernel records that name the driver's source or module.
    pub(crate) source_records: u64,
    /// Whether a driver of other GPUs printed something.
    pub(crate) has_other_drivers: bool,
    /// What else shows that the log is about an AMD GPU.
    pub(crate) sightings: Sightings,
    /// Lines of programs that report a failure that is not known.
    pub(crate) complaints: Complaints,
    /// The number of records that name the driver and a device but were not attributed to it.
    pub(crate) unattributed: u64,
    /// Whether nearly every kernel line names the driver, so that the log was filtered.
    pub(crate) filtered: bool,
    /// The number of the driver's lines without a message.
    pub(crate) unknown_driver_lines: u64,
    /// These lines and those of the DRM core and memory manager, by shape.
    pub(crate) unknown: Unknowns,
    /// The kernel's last line, if it may be an error of the driver whose end is missing.
    pub(crate) cut_off: Option<CutOff>,
}

impl Log {
    /// Reads `lines` to their end.
    ///
    /// # Errors
    /// What the reader returns.
    pub fn read<R: Read>(
        lines: &mut Lines<R>,
        options: Options,
        patterns: &Patterns,
    ) -> io::Result<Self> {
        let mut recogniser = Recogniser::new(patterns);
        let reading = record::read_wanted(lines, options, &mut recogniser)?;
        Ok(Self::assembled(reading, recogniser.finish(), patterns))
    }

    /// The same for an input with several machines: a log for each machine with messages of the
    /// kernel or a program, and at least one.
    ///
    /// # Errors
    /// What the reader returns.
    pub(crate) fn read_machines<R: Read>(
        lines: &mut Lines<R>,
        options: Options,
        patterns: &Patterns,
    ) -> io::Result<Vec<Self>> {
        let mut recognisers = Recognisers::new(patterns);
        let readings = record::read_machines(lines, options, &mut recognisers)?;
        let read = readings.into_iter().zip(recognisers.finish());
        let mut logs: Vec<Self> = read
            .map(|(reading, recognised)| Self::assembled(reading, recognised, patterns))
            .collect();
        let first = logs.iter().position(Self::has_content).unwrap_or_default();
        let mut place = 0..;
        logs.retain(|log| place.next() == Some(first) || log.has_content());
        Ok(logs)
    }

    /// The log of a growing input so far.
    #[must_use]
    pub(crate) fn so_far(
        reader: &mut Reader,
        machine: usize,
        recogniser: &Recogniser<'_>,
        patterns: &Patterns,
    ) -> Self {
        Self::assembled(reader.so_far(machine), recogniser.so_far(), patterns)
    }

    fn assembled(reading: ReadStats, recognised: Recognised, patterns: &Patterns) -> Self {
        let Recognised { mut events, facts, kernel_records, driver_records, .. } = recognised;
        // Repeated excerpts count once.
        events.retain(|observed| !reading.is_excerpt(observed.sequence));
        let repeated = repeated(&events);
        events.retain(|observed| !repeated.contains(&observed.sequence));
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
            census.learn_listed(observed);
        }
        let prints = driver_records > 0 || !census.has_only_listed();
        attribute_setup(&mut events, &facts);
        let crowded = crowded(&events, &facts, &starts, patterns);
        attribute_adjacent(&mut events);
        let paths = Paths::of(&events, &census);
        attribute(&mut events, &census, &paths, &crowded);
        census.add_listed(&events);
        for observed in &events {
            census.learn(observed);
        }
        census.learn_functions(&facts, boot_of);
        let devices = census.finish();
        let sightings = &recognised.sightings;
        let ours = Ours {
            is_named: sightings.first.is_some(),
            is_named_apart: sightings.is_named_apart(),
            prints,
            mentions: &sightings.mentions,
        };
        judge(&mut events, &crowded, ours, patterns);
        attribute_amid_reset(&mut events);
        let mut boots = boots(&reading, &events, patterns);
        for (sequence, ()) in facts.packages.iter() {
            if let Some(boot) = boots.get_mut(boot_of(*sequence)) {
                boot.package.get_or_insert_default();
            }
        }
        complete_from_text(&mut boots, &recognised.told, &reading, patterns);
        super::completion::complete(&mut events, &devices, &boots, &patterns.hardware);
        note_ignored(&mut events, &boots);
        tell_access(&mut events);
        tell_lacking(&mut events, &patterns.hardware.names);
        tell_earlier(&mut events, &recognised.reports, &starts);
        let mut unknown = recognised.unknown;
        if !prints {
            unknown.keep_own();
        }
        Self {
            boots,
            devices,
            events,
            paths,
            dropped_events: recognised.dropped_events,
            gap: recognised.gap,
            driver_records,
            source_records: recognised.source_records,
            has_other_drivers: facts.has_others(0, u64::MAX),
            complaints: recognised.complaints.beside(&recognised.sightings),
            sightings: recognised.sightings,
            unattributed: recognised.unattributed,
            // A few lines are an excerpt in any case.
            filtered: kernel_records >= LONG_ENOUGH && driver_records * 20 >= kernel_records * 19,
            unknown_driver_lines: recognised.unknown_driver_lines,
            unknown,
            cut_off: recognised.cut_off,
            reading,
        }
    }

    /// Whether the log contains anything that can be judged, or that should be.
    #[must_use]
    pub(crate) fn has_content(&self) -> bool {
        self.has_kernel_messages() || !self.events.is_empty() || self.complaints.count > 0
    }

    /// Whether the log contains messages of the kernel, or of the driver without envelopes.
    #[must_use]
    pub(crate) const fn has_kernel_messages(&self) -> bool {
        self.reading.kernel_records > 0
            || self.driver_records > 0
            || !self.sightings.uncovered.is_empty()
    }

    /// The first report of a program that GPUs of all vendors can cause, if nothing shows that it
    /// was an AMD GPU.
    #[must_use]
    pub(crate) fn of_any_vendor(&self) -> Option<&Observed> {
        let fails = |seen: &&Observed| seen.event.kind() != Kind::ProgramNote;
        self.events.iter().filter(fails).find(|seen| seen.of_any_vendor && !seen.of_a_gpu)
    }

    /// Whether any line tells this about the machine or the work.
    #[must_use]
    pub(crate) fn mentions(&self, what: Mention) -> bool {
        self.sightings.mentions.contains(&what)
    }

    /// Whether it is of programs alone, which ran on Windows.
    #[must_use]
    pub(crate) fn is_of_windows(&self) -> bool {
        self.mentions(Mention::Windows) && !self.has_kernel_messages()
    }

    /// Whether nothing in the log is of an AMD GPU or names one.
    #[must_use]
    pub(crate) fn has_no_gpu(&self) -> bool {
        self.has_no_driver() && self.sightings.are_none()
    }

    /// Whether it has a line of a DRM driver of FreeBSD with a message of amdgpu, some of which
    /// radeon prints, too.
    #[must_use]
    pub(crate) fn is_of_a_freebsd_driver(&self) -> bool {
        let is_one = |seen: &Observed| {
            seen.shared && seen.of_a_gpu && seen.program.is_none() && seen.text.starts_with("drmn")
        };
        self.events.iter().any(is_one)
    }

    /// Whether it has a message of a DRM driver that is not named: `[drm] text`.
    #[must_use]
    pub(crate) fn is_of_an_unnamed_driver(&self) -> bool {
        let is_one = |seen: &Observed| seen.shared && seen.text.trim_start().starts_with("[drm]");
        self.events.iter().any(is_one)
    }

    /// Whether the log shows no GPU, and no line is of amdgpu or about its code.
    #[must_use]
    pub(crate) const fn has_no_driver(&self) -> bool {
        self.devices.is_empty() && self.driver_records + self.source_records == 0
    }

    /// Whether the input was read to its end, including every line that names the driver.
    #[must_use]
    pub(crate) const fn is_whole(&self) -> bool {
        self.reading.stopped.is_none() && !self.reading.damaged && self.unattributed == 0
    }

    /// Whether the log was filtered, or is too short to decide.
    #[must_use]
    pub(crate) const fn may_be_filtered(&self) -> bool {
        self.filtered || self.reading.kernel_records < LONG_ENOUGH
    }

    /// Whether the log contains everything from the kernel in `boot`, from its first line. A short
    /// excerpt may begin with that line, too.
    #[must_use]
    pub(crate) fn is_complete(&self, boot: usize) -> bool {
        const FEWEST: u64 = 200;
        let boots = u64::try_from(self.boots.len()).unwrap_or(u64::MAX);
        self.boots.get(boot).is_some_and(|boot| boot.from_start)
            && self.reading.kernel_records >= FEWEST.saturating_mul(boots)
            && !self.filtered
            && self.is_whole()
            && !self.has_holes(boot)
    }

    /// Whether lines of `boot` are missing.
    #[must_use]
    pub(crate) fn has_holes(&self, boot: usize) -> bool {
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

    /// Whether the log continues beyond `limit` after record `sequence`, printed at `since`.
    #[must_use]
    pub(crate) fn coverage(
        &self,
        boot: usize,
        sequence: u64,
        since: &Stamp,
        limit: Micros,
    ) -> Coverage {
        let end = self.reading.boots.get(boot + 1).map_or(u64::MAX, |next| next.first_sequence);
        let broken = self.reading.holes.iter().any(|hole| {
            let near = since.elapsed(&hole.stamp).is_none_or(|span| span <= limit);
            hole.hides_anything() && (sequence..end).contains(&hole.sequence) && near
        });
        let broken = broken || self.gap.is_some_and(|gap| gap.hides(sequence, since, limit, end));
        if broken {
            Coverage::Broken
        } else if self.is_followed(boot) || self.lasts_beyond(boot, since, limit) {
            Coverage::Past
        } else {
            Coverage::Ends
        }
    }

    /// Whether the log of the boot continues after an event for as long as a job may take before it
    /// counts as hung, or another boot follows. Without times, the following text proves nothing:
    /// it may belong to the event, be truncated, or be a person's.
    ///
    /// Source: `amdgpu_device_get_job_timeout_settings()` of `amdgpu_device.c`; the limit of
    /// compute jobs on rings is longer, and queues of compute programs have none.
    pub(crate) fn continues_after(&self, observed: &Observed) -> bool {
        const JOB_TIMEOUT: Micros = Micros::seconds(10);
        self.is_followed(observed.boot)
            || self.lasts_beyond(observed.boot, &observed.stamp, JOB_TIMEOUT)
    }

    /// Whether the boot has lines later than `limit` after a line of it.
    pub(crate) fn lasts_beyond(&self, boot: usize, since: &Stamp, limit: Micros) -> bool {
        let lasts = self.boots.get(boot).and_then(|boot| since.elapsed(&boot.last));
        lasts.is_some_and(|span| span > limit)
    }

    /// Whether another boot is known to have followed.
    #[must_use]
    pub(crate) fn is_followed(&self, boot: usize) -> bool {
        self.reading.boots.get(boot + 1).is_some_and(|next| next.certain)
    }

    /// The number of boots that may be excerpts of another one: only their clock, which falls, tells
    /// them apart.
    #[must_use]
    pub(crate) fn uncertain_boots(&self) -> usize {
        self.reading.boots.iter().skip(1).filter(|boot| !boot.certain).count()
    }

    /// Whether `boot` is known to be another one than its neighbours.
    #[must_use]
    pub(crate) fn is_boot_certain(&self, boot: usize) -> bool {
        let is_certain = |at: usize| self.reading.boots.get(at).is_none_or(|boot| boot.certain);
        (boot == 0 || is_certain(boot)) && is_certain(boot + 1)
    }

    /// The GPU at `address` in `boot`.
    #[must_use]
    pub(crate) fn device(&self, boot: usize, address: Option<PciAddress>) -> Option<&Device> {
        let key = (boot, address);
        let found = self.devices.binary_search_by_key(&key, |device| (device.boot, device.address));
        self.devices.get(found.ok()?)
    }

    /// The classes of hardware that the GPU at `address` in `boot` may belong to.
    #[must_use]
    pub(crate) fn classes(&self, boot: usize, address: Option<PciAddress>) -> Classes {
        let Some(device) = self.device(boot, address) else { return Classes::default() };
        let boot = self.boots.get(boot);
        if device.target.is_none() && boot.is_some_and(|boot| boot.has_banks) {
            return Classes::accelerator();
        }
        Classes::of(device.facts, device.kind, boot.and_then(|boot| boot.form))
    }

    /// The events with these indices.
    #[must_use]
    pub(crate) fn at<'l>(
        &'l self,
        indices: &[usize],
    ) -> impl DoubleEndedIterator<Item = &'l Observed> {
        indices.iter().filter_map(|at| self.events.get(*at))
    }

    /// The index of the event that record `sequence` began.
    #[must_use]
    pub(crate) fn position(&self, sequence: u64) -> Option<usize> {
        self.events.binary_search_by_key(&sequence, |observed| observed.sequence).ok()
    }
}

/// Whether a log shows what follows one of its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// It continues beyond the limit, or another boot follows.
    Past,
    /// It ends earlier.
    Ends,
    /// Lines before the limit are missing.
    Broken,
}

fn boots(reading: &ReadStats, events: &[Observed], patterns: &Patterns) -> Vec<Boot> {
    let boot = |boot: &record::Boot| Boot {
        boot_id: boot.boot_id.clone(),
        first: boot.first,
        last: boot.last,
        from_start: boot.from_banner,
        ..Boot::default()
    };
    let mut boots: Vec<Boot> = reading.boots.iter().map(boot).collect();
    let mut banners: Vec<Option<&str>> = vec![None; boots.len()];
    for observed in events {
        let Some(known) = boots.get_mut(observed.boot) else { continue };
        let event = &observed.event;
        if let Event::KernelBanner(banner) = event {
            known.kernel = banner.release.as_ref().map(Text::to_string);
            if let Some(line) = banners.get_mut(observed.boot) {
                *line = Some(&observed.text);
            }
        } else if let Some(release) = event.text("release") {
            // If the kernel's first line is missing, crash reports contain the release.
            known.kernel.get_or_insert_with(|| release.to_owned());
        }
        if let Event::CommandLine(line) = event {
            known.command_line = line.text.as_ref().map(Text::to_string);
        }
        if let Event::MachineName(machine) = event {
            let form = machine.text.as_deref().and_then(|name| patterns.hardware.form_of(name));
            known.form = known.form.or(form);
        }
        if let Event::RasBank(bank) = event {
            known.has_banks |= bank.ipid.is_some();
        }
        if let Event::DriverReady(ready) = event
            && ready.driver.as_deref() == Some("amdgpu")
        {
            let version = ready.major.zip(ready.minor).zip(ready.patch);
            known.interface = version.map(|((major, minor), patch)| [major, minor, patch]);
        }
        if let Event::DriverPackage(package) = event {
            let version = package.version.as_ref().map(Text::to_string);
            let told = known.package.get_or_insert_default();
            told.version = version.or(told.version.take());
        }
        if let Some(version) = event.text("file").and_then(landmark::package_version) {
            let told = known.package.get_or_insert_default();
            told.version.get_or_insert_with(|| version.to_owned());
        }
    }
    // A saved crash contains the release of its kernel, which is used if the log has no other.
    for observed in events {
        if let Event::SavedCrash(crash) = &observed.event
            && let Some(known) = boots.get_mut(observed.boot)
            && let Some(kernel) = &crash.kernel
        {
            known.kernel.get_or_insert_with(|| kernel.to_string());
        }
    }
    for (boot, banner) in boots.iter_mut().zip(banners) {
        let image = boot.command_line.as_deref().and_then(release_of_image);
        boot.kernel = boot.kernel.take().or_else(|| image.map(str::to_owned));
        let (release, line) = (boot.kernel.as_deref(), boot.command_line.as_deref());
        boot.system = patterns.distributions.of_kernel(release, banner, line);
    }
    for observed in events {
        if let Some(known) = boots.get_mut(observed.boot)
            && known.system.is_none()
        {
            known.system = patterns.distributions.of_driver_line(&observed.text);
        }
    }
    boots
}

/// The release in the name of the file that the boot loader loaded: `BOOT_IMAGE=/vmlinuz-6.1.0`.
fn release_of_image(command_line: &str) -> Option<&str> {
    let mut words = command_line.split(' ');
    let file = words.find_map(|word| word.strip_prefix("BOOT_IMAGE="))?;
    let (_, release) = file.rsplit_once("/vmlinuz-")?;
    release.starts_with(|c: char| c.is_ascii_digit()).then_some(release)
}

/// Adds what the text around the log says of the machine, and what the machine's name shows.
fn complete_from_text(boots: &mut [Boot], told: &Told, reading: &ReadStats, patterns: &Patterns) {
    let distributions = &patterns.distributions;
    let by_host = || distributions.of_host(reading.host.as_deref()?);
    let system = told.system(distributions).or_else(by_host);
    for boot in boots.iter_mut().filter(|boot| boot.system.is_none()) {
        boot.system.clone_from(&system);
    }
    // Of several boots, each may be of another kernel.
    if let [boot] = boots
        && boot.kernel.is_none()
    {
        boot.told_kernel = told.kernel().map(str::to_owned);
    }
}

#[cfg(test)]
pub(crate) mod tests;
