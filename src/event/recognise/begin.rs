//! Begins or continues an event with a message.

use std::rc::Rc;

use super::Recogniser;
use crate::event::fill::{absorbed, filled};
use crate::event::{MessageName, Observed, Program, QuotedLine};
use crate::kind::{Event, Kind};
use crate::pattern::matcher::Found;
use crate::record::Record;
use crate::value::{Level, Mention, PciAddress};

/// Maximum number of records between two lines of an event.
pub(super) const JOIN_RECORDS: u64 = 48;
/// The same for a saved crash, whose lines are separated by register dumps.
const DUMP_RECORDS: u64 = 20_000;
/// The same for messages that only a saved crash contains, after its ring dumps with a line for
/// each word.
const RING_RECORDS: u64 = 4_000_000;
/// Maximum number of records between the lines of an event of which the later ones lack the device.
const NEXT_RECORDS: u64 = 24;
/// Maximum number of open events of a device to search for the one that a line continues.
const JOIN_EVENTS: usize = 6;
/// Maximum number of quoted continuation lines of an event.
const MOST_QUOTED: usize = 8;

/// The attribution of a line.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one line")]
pub(super) struct Attribution {
    /// The GPU.
    pub(super) device: Option<PciAddress>,
    /// The device that the line names.
    pub(super) printed: Option<PciAddress>,
    /// Whether other drivers print such lines, too.
    pub(super) shared: bool,
    /// Whether programs print it on GPUs of any vendor.
    pub(super) of_any_vendor: bool,
    /// What the log must mention to show an AMD GPU.
    pub(super) needs: Option<Mention>,
    /// Whether the line begins with amdgpu's name.
    pub(super) names_driver: bool,
    /// Whether the line proves nothing unless it continues an event.
    pub(super) continues: bool,
    /// Whether the line names the driver's source or module.
    pub(super) of_source: bool,
    /// The number that the lines of one RAS event share.
    pub(super) event_id: Option<u64>,
}

/// The message that began an event.
pub(super) struct BeginningMessage {
    pub(super) name: MessageName,
    pub(super) level: Option<Level>,
    pub(super) text: Rc<str>,
}

/// What the events of a message share.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) name: MessageName,
    /// The text of the last one.
    pub(super) text: Rc<str>,
    /// The number of events.
    pub(super) times: usize,
}

impl Known {
    /// Returns `text`, sharing the previous event's text if equal, as is common in a storm.
    fn text(&mut self, text: &str) -> Rc<str> {
        if *self.text != *text {
            self.text = text.into();
        }
        Rc::clone(&self.text)
    }
}

/// Whether a line states the release of the kernel.
fn states_a_release(found: &Found<'_, '_>) -> bool {
    let release = found.message.kinds.first().and_then(|kind| kind.place("release"));
    release.is_some_and(|release| found.values(0).any(|(place, ..)| place == release))
}

impl Recogniser<'_> {
    /// Begins or continues an event.
    pub(super) fn take(
        &mut self,
        record: &Record<'_>,
        place: Attribution,
        program: Option<Box<Program>>,
        found: &Found<'_, '_>,
    ) {
        self.gate.keep(found.message.keeps);
        self.since = 0;
        if found.message.joins {
            if let Some(index) = self.join(record, place, found) {
                if states_a_release(found) {
                    self.result.told.see_build(self.distributions, record.message);
                }
                let name = self.known(found).map(|known| known.name.clone());
                if let Some(observed) = self.result.events.get_mut(index) {
                    observed.joined.extend(name.map(|name| (record.line, name)));
                    if let Some(field) = &found.message.quoted
                        && observed.quoted.len() < MOST_QUOTED
                    {
                        let (line, text) = (record.line, record.message.into());
                        observed.quoted.push(QuotedLine { line, text, field: field.into() });
                        self.budget.quote(record.message);
                    }
                    self.budget.join();
                }
                return;
            }
            // A step of a call trace in the driver begins an event: the log does not have the first
            // lines of the trace.
            let begins = found.message.alone || place.of_source;
            if !begins || place.continues {
                return;
            }
        }
        let Some(kind) = found.message.kinds.first() else { return };
        if self.refuse_minor(found, *kind) || self.refuse_event(record) {
            return;
        }
        let mut event = filled(*kind, found);
        let quoted = self.tell_words(&mut event, record);
        if let Event::RasError(error) = &mut event {
            error.event_id = error.event_id.or(place.event_id);
        }
        let level = record.level.or(found.message.level);
        let Some(known) = self.known(found) else { return };
        let printed =
            BeginningMessage { name: known.name.clone(), level, text: known.text(record.message) };
        self.begin(record, place, program, event, printed);
        if let Some(begun) = self.result.events.last_mut() {
            begun.quoted.extend(quoted);
        }
    }

    /// The shared data of a message.
    pub(super) fn known(&mut self, found: &Found<'_, '_>) -> Option<&mut Known> {
        let new = || Known { name: found.message.into(), text: Rc::default(), times: 0 };
        self.known.get_mut(found.place).map(|known| known.get_or_insert_with(new))
    }

    pub(super) fn begin(
        &mut self,
        record: &Record<'_>,
        place: Attribution,
        program: Option<Box<Program>>,
        event: Event,
        printed: BeginningMessage,
    ) {
        let index = self.result.events.len();
        // A line about the journal is complete; several of them must not close what is open.
        if event.kind() != Kind::JournalStorage {
            self.begun.change(place.printed, |begun| {
                if begun.len() == JOIN_EVENTS {
                    begun.pop_front();
                }
                begun.push_back((index, record.sequence));
            });
        }
        self.named = place.device.map(|device| (device, record.sequence)).or(self.named);
        self.result.facts.begin(record.sequence, &event);
        let observed = Observed {
            begins: record.line,
            joined: Vec::new(),
            quoted: Vec::new(),
            message: printed.name,
            sequence: record.sequence,
            boot: 0,
            stamp: record.stamp,
            level: printed.level,
            device: place.device,
            inferred: false,
            printed: place.printed,
            shared: place.shared,
            of_any_vendor: place.of_any_vendor,
            needs: place.needs,
            names_driver: place.names_driver,
            of_a_gpu: true,
            in_prose: record.quoted,
            program,
            text: printed.text,
            event,
        };
        self.budget.add(&observed);
        self.result.events.push(observed);
    }

    /// The device of the last line of an event that has one, if the record closely follows it.
    pub(super) fn device_before(&self, record: &Record<'_>) -> Option<PciAddress> {
        let (device, last) = self.named?;
        (record.sequence.saturating_sub(last) <= NEXT_RECORDS).then_some(device)
    }

    /// Adds a line to the event that it continues; returns the event's index. Old kernels print the
    /// last line of a page fault without the device, in words that other drivers have, too, and
    /// people remove the device from lines that continue one.
    fn join(
        &mut self,
        record: &Record<'_>,
        place: Attribution,
        found: &Found<'_, '_>,
    ) -> Option<usize> {
        let before = self.device_before(record);
        let before = before.filter(|_| place.printed.is_none());
        self.join_of(record, place.printed, found)
            .or_else(|| before.and_then(|device| self.join_of(record, Some(device), found)))
    }

    /// Adds a line to the event of the device that it continues.
    fn join_of(
        &mut self,
        record: &Record<'_>,
        printed: Option<PciAddress>,
        found: &Found<'_, '_>,
    ) -> Option<usize> {
        for (index, last) in self.begun.get_mut(printed)?.iter_mut().rev() {
            let Some(observed) = self.result.events.get_mut(*index) else { continue };
            let is_dump = observed.event.kind() == Kind::SavedCrash;
            let reach = match (is_dump, found.message.shared) {
                (true, false) => RING_RECORDS,
                (true, true) => DUMP_RECORDS,
                (false, _) => JOIN_RECORDS,
            };
            if record.sequence.saturating_sub(*last) > reach {
                continue;
            }
            if absorbed(&mut observed.event, found) {
                *last = record.sequence;
                self.named = printed.map(|device| (device, record.sequence)).or(self.named);
                return Some(*index);
            }
            // A field of the current dump is not one that an earlier dump lacked.
            if is_dump && found.message.kinds.contains(&Kind::SavedCrash) {
                return None;
            }
        }
        None
    }
}
