//! Records to events, one record at a time: gate, envelope, message, joining of lines.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use super::budget::{Budget, Gap, is_aside};
use super::by_device::ByDevice;
use super::census::Facts;
use super::envelope::{Driver, Envelope};
use super::fill::{absorbed, filled, worker_queue};
use super::gate::Gate;
use super::landmark;
use super::unknown::Unknowns;
use super::{MessageName, Observed, Program};
use crate::input::Words;
use crate::kind::{Event, Kind};
use crate::pattern::Patterns;
use crate::pattern::hardware::KernelNames;
use crate::pattern::matcher::{Found, Matcher, Room};
use crate::pattern::message::Printer;
use crate::record::{Origin, Process, Read, Record, Visit};
use crate::value::field::Conversion;
use crate::value::{Level, PciAddress};

/// How many records may lie between two lines of one event.
const JOIN_RECORDS: u64 = 48;
/// The same in a saved crash, between whose lines stands what rings hold.
const DUMP_RECORDS: u64 = 20_000;
/// So many records behind one of an event may belong to it.
const BEHIND: u32 = 1;
/// How many begun events of one device are looked through for the one that a line continues.
const JOIN_EVENTS: usize = 6;
/// Of each message so many events are kept when others like them are forgotten.
const KEPT_OF_EACH: usize = 200;

/// What a log says about GPUs.
#[derive(Debug, Default)]
pub struct Recognised {
    /// The events, in the order of their first lines.
    pub events: Vec<Observed>,
    /// What is known of each GPU.
    pub facts: Facts,
    /// Kernel records, and how many of them name the driver.
    pub kernel_records: u64,
    /// See `kernel_records`.
    pub driver_records: u64,
    /// Records that name the driver and one of its devices, and are not its own.
    pub unattributed: u64,
    /// Events beyond the number that is kept.
    pub dropped_events: u64,
    /// Where those are missing, besides what is beside the point.
    pub gap: Option<Gap>,
    /// The driver's lines that no message matches.
    pub unknown_driver_lines: u64,
    /// The same, and those of the DRM core and memory manager, by their shape.
    pub unknown: Unknowns,
}

/// Turns records into events.
#[derive(Debug)]
pub struct Recogniser<'p> {
    matcher: Matcher<'p>,
    words: Option<Words>,
    /// How many records came since the last one of an event.
    since: u32,
    gate: Gate<'p>,
    kernel_names: &'p KernelNames,
    /// The last few events of each device, newest last: index and the last record that joined.
    begun: ByDevice<Option<PciAddress>, VecDeque<(usize, u64)>>,
    /// The messages that were found, by their place.
    known: Vec<Option<Known>>,
    /// The last record of which nothing but words was left that only the driver prints.
    bare: Option<u64>,
    /// Where the captures of the line at hand are noted.
    room: Room,
    budget: Budget,
    result: Recognised,
}

impl Visit for Recogniser<'_> {
    fn see(&mut self, read: Read<'_>) {
        if let Some(record) = read.record() {
            self.record(record);
        }
    }

    fn words(&self) -> Option<&Words> {
        self.words.as_ref()
    }

    fn wants_next(&self) -> bool {
        self.gate.is_open() || self.since <= BEHIND
    }

    fn prefix(&self, text: &str) -> Option<usize> {
        landmark::prefix(text)
    }

    fn landmark(&self, text: &str) -> bool {
        landmark::begins(self.matcher, text)
    }

    fn skimmed(&mut self, of_kernel: u64) {
        self.result.kernel_records += of_kernel;
    }
}

impl<'p> Recogniser<'p> {
    /// A recogniser for the messages of `patterns`.
    #[must_use]
    pub fn new(patterns: &'p Patterns) -> Self {
        Self {
            matcher: patterns.matcher(),
            words: Words::new(patterns.words.iter().map(String::as_str)),
            since: 0,
            gate: Gate::new(patterns.matcher()),
            kernel_names: &patterns.hardware.names,
            begun: ByDevice::default(),
            known: vec![None; patterns.messages.len()],
            bare: None,
            room: Room::default(),
            budget: Budget::default(),
            result: Recognised::default(),
        }
    }

    /// Looks at the next record.
    fn record(&mut self, record: &Record<'_>) {
        self.result.kernel_records += u64::from(record.origin == Origin::Kernel);
        if let Some(process) = &record.process {
            self.see_process(record, process);
            return;
        }
        self.since = self.since.saturating_add(1);
        if !self.gate.passes(record.origin, record.message) {
            return;
        }
        match record.origin {
            Origin::Program { .. } => self.see_program(record),
            Origin::Kernel => {
                self.see_kernel(record);
            }
            Origin::Unstated => {
                if !self.see_kernel(record) {
                    self.see_program(record);
                }
            }
        }
    }

    /// What was found up to here, of an input that still grows; the lines that are not known are left out.
    #[must_use]
    pub fn so_far(&self) -> Recognised {
        let Recognised { events, facts, unknown: _, .. } = &self.result;
        Recognised {
            events: events.clone(),
            facts: facts.clone(),
            unknown: Unknowns::default(),
            ..self.result
        }
    }

    /// How many events are kept.
    #[must_use]
    pub fn count(&self) -> usize {
        self.result.events.len()
    }

    /// Forgets of the events between the `first` and the `last` ones what was said over and over, and counts
    /// it: of each message some are kept, so that what happens rarely is never forgotten.
    pub fn forget(&mut self, first: usize, last: usize) {
        let end = self.result.events.len().saturating_sub(last);
        if first >= end {
            return;
        }
        let from = self.result.events.get(end).map_or(u64::MAX, |observed| observed.sequence);
        self.thin(|at, times, _| at < first || at >= end || times <= KEPT_OF_EACH);
        self.result.facts.forget(from);
        self.result.unknown = Unknowns::default();
    }

    /// Forgets of what is beside the point all but the first of each message; where that is not much, of all
    /// that is said over and over what stands in the middle. How a log begins and how it ends is kept.
    fn make_room(&mut self) {
        let before = self.result.events.len();
        self.budget.is_tight = true;
        self.thin(|_, times, observed| times <= KEPT_OF_EACH || !is_aside(observed.event.kind()));
        if self.budget.recount(&self.result.events, before) {
            return;
        }
        let before = self.result.events.len();
        let (first, end) = (before / 4, before - before / 4);
        let mut gap = self.result.gap;
        self.thin(|at, times, observed| {
            let keeps = at < first || at >= end || times <= KEPT_OF_EACH;
            if !keeps {
                gap = Some(Gap::with(gap, observed.sequence, observed.stamp));
            }
            keeps
        });
        self.result.gap = gap;
        let helped = self.budget.recount(&self.result.events, before);
        self.budget.is_bare = !helped;
    }

    /// Forgets the events that are not kept, by their place, how often their message has come by then, and
    /// what they are.
    fn thin(&mut self, mut keep: impl FnMut(usize, usize, &Observed) -> bool) {
        let mut said: BTreeMap<MessageName, usize> = BTreeMap::new();
        // Where each event stands afterwards.
        let mut places: Vec<Option<usize>> = Vec::with_capacity(self.result.events.len());
        let (mut at, mut kept) = (0, 0);
        self.result.events.retain(|observed| {
            let times = said.entry(observed.message.clone()).or_default();
            *times += 1;
            let keeps = keep(at, *times, observed);
            places.push(keeps.then_some(kept));
            at += 1;
            kept += usize::from(keeps);
            keeps
        });
        self.result.dropped_events += (at - kept) as u64;
        let moved = |(index, last): (usize, u64)| Some(((*places.get(index)?)?, last));
        self.begun.each(|begun| *begun = begun.drain(..).filter_map(moved).collect());
    }

    /// What was found.
    #[must_use]
    pub fn finish(self) -> Recognised {
        self.result
    }

    fn see_kernel(&mut self, record: &Record<'_>) -> bool {
        let mut envelope = Envelope::open(record.message);
        let ours = envelope.driver == Driver::Amdgpu;
        // Beside a text without a device stands the device of whichever driver printed it.
        let beside = record.device.filter(|device| ours || self.result.facts.knows(*device));
        envelope.device = envelope.device.or(beside);
        if envelope.device.is_some_and(|device| !self.result.facts.has_room(device)) {
            self.result.driver_records += u64::from(ours);
            self.result.dropped_events += 1;
            return true;
        }
        let names = || !ours && landmark::names_device(record.message);
        self.result.unattributed += u64::from(names());
        if ours {
            self.result.driver_records += 1;
            self.result.facts.see(record.sequence, envelope.device);
        }
        self.result.facts.see(record.sequence, initialised(envelope.body));
        self.learn_function(record.sequence, &envelope);
        let (body, printers) = (envelope.body, envelope.driver.printers());
        let Some(found) = self.found(record, body, printers, &envelope) else {
            self.result.unknown_driver_lines += u64::from(ours);
            self.result.unknown.add(record, &envelope);
            return false;
        };
        let device = envelope.device.filter(|_| ours || beside.is_some());
        let from = &found.message.from;
        let bare = envelope.driver == Driver::None && !from.contains(&Printer::Kernel);
        let of_core = || [Printer::Drm, Printer::Ttm].iter().any(|core| from.contains(core));
        let place = Place {
            device,
            printed: envelope.device.or(record.device),
            shared: matches!(envelope.driver, Driver::Drm | Driver::Ttm) || bare && of_core(),
            continues: bare && found.message.shared && !self.is_beside_bare(record),
            event_id: envelope.event_id,
        };
        self.take(record, place, None, &found);
        self.room = found.into_room();
        true
    }

    /// The message that a line of the kernel is. Of a line without any envelope it is enough that nobody
    /// but the driver prints it; what others print, too, is the driver's behind such a line.
    fn found<'t>(
        &mut self,
        record: &Record<'_>,
        body: &'t str,
        printers: &[Printer],
        envelope: &Envelope<'_>,
    ) -> Option<Found<'p, 't>> {
        let found = self.matcher.find_with(&mut self.room, body, printers, false);
        if found.is_some() || record.origin != Origin::Unstated || envelope.driver != Driver::None {
            return found;
        }
        let bare = self.matcher.find_with(&mut self.room, body, &landmark::BARE, false)?;
        if !bare.message.shared {
            self.bare = Some(record.sequence);
        }
        (bare.message.joins || self.is_beside_bare(record)).then_some(bare)
    }

    /// Whether such a line was the driver's a moment ago.
    fn is_beside_bare(&self, record: &Record<'_>) -> bool {
        self.bare.is_some_and(|last| record.sequence.saturating_sub(last) <= JOIN_RECORDS)
    }

    /// What the names of the driver and the function that printed a line prove.
    fn learn_function(&mut self, sequence: u64, envelope: &Envelope<'_>) {
        let facts = &mut self.result.facts;
        let another = |name: &str| self.kernel_names.is_another_driver(&name.replace('-', "_"));
        if envelope.driver == Driver::Other && envelope.named.is_some_and(another) {
            facts.see_another_driver(sequence);
            return;
        }
        let Some(function) = envelope.function else { return };
        if envelope.driver == Driver::Other {
            facts.see_another_driver(sequence);
            return;
        }
        if let Some(generation) = self.kernel_names.generation_of(function) {
            facts.learn(sequence, envelope.device, generation);
        }
        if function.starts_with("xgpu_") {
            facts.learn_virtual(sequence, envelope.device);
        }
    }

    fn see_program(&mut self, record: &Record<'_>) {
        let unstated = record.origin == Origin::Unstated;
        let (text, printers) = (record.message, &[Printer::Program]);
        let found = self.matcher.find_with(&mut self.room, text, printers, unstated);
        let Some(found) = found else { return };
        let program = match record.origin {
            Origin::Program { name, pid } => Some(Box::new(Program { name: name.to_owned(), pid })),
            Origin::Kernel | Origin::Unstated => None,
        };
        // Mesa's winsys says whose it is; desktops and other programs lose a context of any driver.
        let loss = found.message.kinds.first() == Some(&Kind::ContextLost);
        let shared = loss && !text.contains("amdgpu");
        self.take(record, Place { shared, ..Place::default() }, program, &found);
        self.room = found.into_room();
    }

    fn take(
        &mut self,
        record: &Record<'_>,
        place: Place,
        program: Option<Box<Program>>,
        found: &Found<'_, '_>,
    ) {
        self.gate.keep(found.message.keeps);
        self.since = 0;
        if found.message.joins {
            if let Some(index) = self.join(record, place, found) {
                let name = self.known(found).map(|known| known.name.clone());
                if let Some(observed) = self.result.events.get_mut(index) {
                    observed.joined.extend(name.map(|name| (record.line, name)));
                    self.budget.join();
                }
                return;
            }
            if !found.message.alone || place.continues {
                return;
            }
        }
        let Some(kind) = found.message.kinds.first() else { return };
        if self.is_one_too_many(found, *kind) || self.is_full(record) {
            return;
        }
        let mut event = filled(*kind, found);
        if let Event::RasError(error) = &mut event {
            error.event_id = error.event_id.or(place.event_id);
        }
        let level = record.level.or(found.message.level);
        let Some(known) = self.known(found) else { return };
        let printed = Printed { name: known.name.clone(), level, text: known.text(record.message) };
        self.begin(record, place, program, event, printed);
    }

    /// Whether there is no room for another event that is beside the point; then that one is counted.
    fn is_one_too_many(&mut self, found: &Found<'_, '_>, kind: Kind) -> bool {
        let Some(known) = self.known(found) else { return false };
        known.times += 1;
        let is_repeated = known.times > KEPT_OF_EACH;
        let surplus = is_repeated && self.budget.is_tight && is_aside(kind);
        self.result.dropped_events += u64::from(surplus);
        surplus
    }

    /// Whether there is no room for another event; then that one is counted.
    fn is_full(&mut self, record: &Record<'_>) -> bool {
        if self.budget.is_spent(self.result.events.len()) && !self.budget.is_bare {
            self.make_room();
        }
        let full = self.budget.is_spent(self.result.events.len());
        if full {
            self.result.dropped_events += 1;
            self.result.gap = Some(Gap::with(self.result.gap, record.sequence, record.stamp));
        }
        full
    }

    /// The message that was found, as its events share it.
    fn known(&mut self, found: &Found<'_, '_>) -> Option<&mut Known> {
        let new = || Known { name: found.message.into(), text: Rc::default(), times: 0 };
        self.known.get_mut(found.place).map(|known| known.get_or_insert_with(new))
    }

    fn begin(
        &mut self,
        record: &Record<'_>,
        place: Place,
        program: Option<Box<Program>>,
        event: Event,
        printed: Printed,
    ) {
        let index = self.result.events.len();
        self.begun.change(place.printed, |begun| {
            if begun.len() == JOIN_EVENTS {
                begun.pop_front();
            }
            begun.push_back((index, record.sequence));
        });
        self.result.facts.begin(record.sequence, &event);
        let observed = Observed {
            begins: record.line,
            joined: Vec::new(),
            message: printed.name,
            sequence: record.sequence,
            boot: 0,
            stamp: record.stamp,
            level: printed.level,
            device: place.device,
            inferred: false,
            printed: place.printed,
            shared: place.shared,
            of_a_gpu: true,
            program,
            text: printed.text,
            event,
        };
        self.budget.add(&observed);
        self.result.events.push(observed);
    }

    /// Adds what the line says to the event that it continues, and returns which one that is.
    fn join(&mut self, record: &Record<'_>, place: Place, found: &Found<'_, '_>) -> Option<usize> {
        for (index, last) in self.begun.get_mut(place.printed)?.iter_mut().rev() {
            let Some(observed) = self.result.events.get_mut(*index) else { continue };
            let is_dump = observed.event.kind() == Kind::SavedCrash;
            let reach = if is_dump { DUMP_RECORDS } else { JOIN_RECORDS };
            if record.sequence.saturating_sub(*last) > reach {
                continue;
            }
            if absorbed(&mut observed.event, found) {
                *last = record.sequence;
                return Some(*index);
            }
        }
        None
    }

    /// A process in uninterruptible sleep is an event; whether it matters to a GPU is for later.
    fn see_process(&mut self, record: &Record<'_>, process: &Process<&str>) {
        if !process.state.starts_with('D') || self.is_full(record) {
            return;
        }
        let task = process.command.trim_matches(['[', ']']);
        let mut event = Event::empty(Kind::BlockedTask);
        let mut set = |name: &str, text: &str| event.set(name, text, Conversion::Text);
        set("task", task);
        set("state", process.state);
        set("pid", &process.pid.to_string());
        if let Some(channel) = process.wait_channel {
            set("wait_channel", channel);
        }
        if let Some(queue) = worker_queue(task) {
            set("queue", queue);
        }
        let text = record.message.into();
        let printed = Printed { name: LISTED_PROCESS.into(), level: None, text };
        self.begin(record, Place::default(), None, event, printed);
    }
}

/// What a row of a process listing is called, in place of a message id.
const LISTED_PROCESS: &str = "process-listing";

/// Whose a line is.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The GPU.
    device: Option<PciAddress>,
    /// The device that the line names.
    printed: Option<PciAddress>,
    /// Whether other drivers print such lines, too.
    shared: bool,
    /// Whether its words prove nothing where they go on with no event.
    continues: bool,
    /// The number that the lines of one memory error share.
    event_id: Option<u64>,
}

/// The message that began an event.
struct Printed {
    name: MessageName,
    level: Option<Level>,
    text: Rc<str>,
}

/// What the events of a message share.
#[derive(Clone, Debug)]
struct Known {
    name: MessageName,
    /// The text of the last of them.
    text: Rc<str>,
    /// How many there were.
    times: usize,
}

impl Known {
    /// `text`, which is that of the event before surprisingly often: a storm repeats itself.
    fn text(&mut self, text: &str) -> Rc<str> {
        if *self.text != *text {
            self.text = text.into();
        }
        Rc::clone(&self.text)
    }
}

/// The GPU in `Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1` (`drivers/gpu/drm/drm_drv.c`).
fn initialised(body: &str) -> Option<PciAddress> {
    let rest = body.strip_prefix("Initialized amdgpu ")?;
    rest.split_once(" for ")?.1.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Read as _;
    use std::path::Path;

    use super::*;
    use crate::input::{self, Lines};
    use crate::record::{self, Options, Reading};

    fn recognised(log: &[u8], patterns: &Patterns, gate: bool) -> Recognised {
        let mut recogniser = Recogniser::new(patterns);
        let see = |read: crate::record::Read<'_>| {
            let Some(record) = read.record() else { return };
            if !gate {
                recogniser.gate.keep(1);
            }
            recogniser.record(record);
        };
        crate::record::read(&mut Lines::new(log), Options::default(), see).unwrap();
        recogniser.finish()
    }

    /// What every log below a folder holds, unpacked.
    fn logs(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let mut logs = Vec::new();
        let Ok(()) = input::each::<Infallible>(folder, &mut |found| {
            if let Ok(mut source) = found.source {
                let mut log = Vec::new();
                if source.reader.read_to_end(&mut log).is_ok() {
                    logs.push((source.name, log));
                }
            }
            Ok(())
        });
        logs
    }

    /// A log with each of its lines many times that holds none of the words.
    fn with_noise(log: &[u8], words: &[String]) -> Option<Vec<u8>> {
        let log = std::str::from_utf8(log).ok()?;
        let lines = log.split_inclusive('\n').flat_map(|line| {
            // What a line without a time says depends on those around it.
            let timed = line.starts_with('[') || line.contains(" kernel: ");
            let noise = timed && !words.iter().any(|word| line.contains(word.as_str()));
            std::iter::repeat_n(line, if noise { 30 } else { 1 })
        });
        Some(lines.collect::<String>().into_bytes())
    }

    /// Lines that hold none of the words change nothing, whether they are read or stepped over.
    #[test]
    fn what_is_stepped_over_changes_nothing() {
        let patterns = crate::builtin::patterns();
        let mut skimmed = 0;
        for (name, log) in logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"))) {
            let Some(text) = with_noise(&log, &patterns.words) else { continue };
            let read = |skim_beyond: usize| {
                let mut recogniser = Recogniser::new(&patterns);
                let options = Options { skim_beyond, ..Options::default() };
                let reading =
                    record::read_wanted(&mut Lines::new(&*text), options, &mut recogniser).unwrap();
                (recogniser.finish(), reading)
            };
            let (quick, slow) = (read(0), read(usize::MAX));
            skimmed += quick.1.skimmed;
            let told = |(found, reading): &(Recognised, Reading)| {
                let starts: Vec<u64> =
                    reading.boots.iter().map(|boot| boot.first_sequence).collect();
                let Reading { lines, records, kernel_records, form, direction, .. } = reading;
                format!(
                    "{lines} {records} {kernel_records} {form} {direction:?} {starts:?} {} {} {:?}",
                    found.kernel_records, found.driver_records, found.events
                )
            };
            assert_eq!(told(&quick), told(&slow), "{name}");
        }
        assert!(skimmed > 1000, "{skimmed}");
    }

    #[test]
    fn the_gate_holds_nothing_back() {
        let patterns = crate::builtin::patterns();
        let logs = logs(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures")));
        assert!(logs.len() > 100, "{}", logs.len());
        for (name, log) in &logs {
            let with = recognised(log, &patterns, true);
            let without = recognised(log, &patterns, false);
            assert_eq!(with.events, without.events, "{name}");
            assert_eq!(with.driver_records, without.driver_records, "{name}");
            assert_eq!(with.unknown_driver_lines, without.unknown_driver_lines, "{name}");
        }
    }
}
