//! Reads a machine's own log: the selected boots, the ring buffer if the journal does not contain
//! kernel messages, and saved crashes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::failure::Failure;
use super::sources::{LogOutcome, Role, Survey};
use super::{patterns, settings};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::conclusions;
use crate::document::counts::several;
use crate::event::log::Log;
use crate::event::sighting::Instead;
use crate::input::{
    self, KernelBuffer, Lines, SavedCrash, Segment, Source, StoredBoots, ThisMachine, Unread,
    WhyUnread,
};
use crate::record::{Options, Trace};
use crate::value::Micros;

/// Maximum number of crashes to show whose boot is not in the journal.
const STRAYS: usize = 8;

/// What to read of a machine.
pub(super) struct Asked<'a> {
    pub(super) all_boots: bool,
    /// The selection of boots and times; the parts that are applied while reading are removed.
    pub(super) choice: &'a mut Choice,
    /// Additional pattern files.
    pub(super) patterns: &'a [PathBuf],
}

/// The boots to read, by index in the journal. The index after the last one is a boot of a kernel
/// without a journal.
struct Extent {
    places: Range<usize>,
    /// Whether nothing was selected, so that the previous boot is included if it did not end
    /// normally.
    usual: bool,
}

/// The state of reading a machine.
struct Look<'a> {
    machine: &'a ThisMachine,
    stored: StoredBoots,
    /// The index of the current boot.
    this: usize,
    /// Whether the journal contains only the user's own entries, if any.
    closed: bool,
    traces: BTreeMap<usize, Trace>,
    /// The continuation of boots whose journal ends early.
    more: BTreeMap<usize, Vec<u8>>,
    /// What was not read.
    unread: Vec<Unread>,
    /// A journal that was read and has no kernel message.
    useless: Option<String>,
}

impl Survey<'_, '_, '_> {
    /// Reads the log of a machine.
    pub(super) fn machine(
        &mut self,
        machine: &ThisMachine,
        asked: Asked<'_>,
    ) -> Result<(), Failure> {
        let mut stored = machine.stored_boots();
        let unread: Vec<Unread> = stored.unread.take().into_iter().collect();
        let closed = unread.iter().any(Unread::is_closed);
        let this = stored.this.unwrap_or(stored.all.len());
        let traces = BTreeMap::new();
        let more = BTreeMap::new();
        let mut look = Look { machine, stored, this, closed, traces, more, unread, useless: None };
        let Asked { all_boots, choice, patterns } = asked;
        self.broken(&mut look)?;
        look.localise(choice);
        let mut extent = look.extent(all_boots, choice)?;
        choice.boot = None;
        if all_boots && look.stored.all.len() < 2 && !look.stored.persistent && !closed {
            self.messages.say(
                "no earlier boot is stored; to keep them: amdtriage explain journal-persistent",
            );
        }
        let strays = self.crashes(&mut look, &extent, all_boots);
        if extent.usual
            && let Some(why) = look.why_previous(patterns)?
        {
            self.messages.say(&format!("also reading the boot before: {why}"));
            extent.places.start = look.this - 1;
        }
        let mut read = false;
        for crash in strays {
            self.announce(&crash.name);
            let taken = crash.open().map_err(Failure::from);
            match taken.and_then(|source| (self.take)(source, Role::Member)) {
                Ok(LogOutcome { of_use, cut }) => {
                    self.cut(of_use, cut);
                    read |= of_use;
                }
                // Corrupt saved crashes stay on disk permanently and must not cause a failure each
                // time.
                Err(failure @ Failure::Input(_)) => self.messages.tell(&failure),
                Err(failure) => self.failed(failure, true)?,
            }
        }
        read |= self.boots(&mut look, &extent)?;
        self.account(look, read)
    }

    /// Reports why the journal cannot be read, unless privileges are missing.
    fn broken(&mut self, look: &mut Look<'_>) -> Result<(), Failure> {
        for unread in std::mem::take(&mut look.unread) {
            match unread.why {
                WhyUnread::Failed(error) => self.failed(error.into(), true)?,
                _ => look.unread.push(unread),
            }
        }
        Ok(())
    }

    /// Adds saved crashes to their boots; returns those without a boot.
    fn crashes(
        &mut self,
        look: &mut Look<'_>,
        extent: &Extent,
        all_boots: bool,
    ) -> Vec<SavedCrash> {
        let chosen = !extent.usual && !all_boots;
        let input::SavedCrashes { all, closed } = look.machine.saved_crashes();
        let closed = closed.into_iter().map(|name| Unread { name, why: WhyUnread::NoRight });
        look.unread.extend(closed);
        let (mut strays, mut old) = (Vec::new(), 0_usize);
        for crash in all {
            match look.joined(&crash, extent) {
                Some(0) => {}
                Some(count) => {
                    let lines = several(count, "line");
                    self.messages.say(&format!(
                        "{}: {lines} that the journal of its boot lacks",
                        crash.name
                    ));
                }
                None if chosen => {}
                None if !all_boots && look.is_old(&crash) => old += 1,
                None => strays.push(crash),
            }
        }
        // Without a journal the newest one is taken as the previous boot's.
        if !all_boots {
            let known = strays.iter().filter(|crash| crash.at.is_some()).count();
            let passed = known.saturating_sub(1).max(strays.len().saturating_sub(STRAYS));
            old += passed;
            strays.drain(..passed);
        }
        if old > 0 {
            let what = if old == 1 {
                "1 older saved crash".to_owned()
            } else {
                format!("{old} older saved crashes")
            };
            self.messages.say(&format!("{what} not read; to read them: amdtriage --all-boots"));
        }
        strays
    }

    /// Reads the boots of `extent`; returns whether anything was useful.
    fn boots(&mut self, look: &mut Look<'_>, extent: &Extent) -> Result<bool, Failure> {
        let count = look.stored.all.len();
        let Range { start, end } = extent.places.clone();
        let this_alone = start == look.this;
        let mut read = false;
        // If the journal contains only a user's own entries, the kernel's ring buffer is everything
        // there is.
        if this_alone && look.closed && self.buffer(look)? {
            return Ok(true);
        }
        if start < end.min(count) {
            let name = look.name(start..end.min(count));
            self.announce(&name);
            let segments = look.segments(start..end.min(count));
            read = self.journal(look, &name, segments)?;
            look.useless = Some(name).filter(|_| !read);
        }
        let has_this = (start..end).contains(&look.this);
        let missing = if read { end > count } else { has_this };
        if missing && has_this && !(this_alone && look.closed) {
            read |= self.buffer(look)?;
        }
        Ok(read)
    }

    fn journal(
        &mut self,
        look: &Look<'_>,
        name: &str,
        segments: Vec<Segment>,
    ) -> Result<bool, Failure> {
        let log = look.machine.journal(name, segments).map_err(Failure::from);
        match log.and_then(|log| (self.take)(log, Role::Machine)) {
            Ok(LogOutcome { of_use, cut }) => {
                self.cut(of_use, cut);
                return Ok(of_use);
            }
            // There is nothing to read.
            Err(Failure::Input(error)) if error.is_no_journal() => {}
            Err(failure) => self.failed(failure, true)?,
        }
        Ok(false)
    }

    fn buffer(&mut self, look: &mut Look<'_>) -> Result<bool, Failure> {
        let KernelBuffer { source, unread } = look.machine.kernel_buffer();
        let Some(source) = source else {
            look.unread.extend(unread);
            return Ok(false);
        };
        self.announce(&source.name);
        let LogOutcome { of_use, cut } = (self.take)(source, Role::Asked)?;
        self.cut(of_use, cut);
        Ok(true)
    }

    /// Reports what this user may not read; fails if that is everything.
    fn account(&mut self, look: Look<'_>, read: bool) -> Result<(), Failure> {
        let (shut, other): (Vec<_>, Vec<_>) = look.unread.into_iter().partition(Unread::is_closed);
        let failed = other.into_iter().find_map(|unread| match unread.why {
            WhyUnread::Failed(error) => Some(error),
            _ => None,
        });
        if !shut.is_empty() {
            let names = shut.into_iter().map(|unread| unread.name).collect();
            let failure = closed(look.machine, names);
            if !read {
                return Err(failure);
            }
            self.messages.tell(&failure);
        }
        match failed {
            _ if read => Ok(()),
            Some(error) => Err(error.into()),
            // The failure was reported already.
            None if !self.complete => Ok(()),
            None => Err(match (look.useless, look.machine.root()) {
                (Some(name), _) => {
                    Failure::NoKernelLog { name, said: self.said, has: Instead::default() }
                }
                (None, Some(path)) => Failure::NoJournalAt { path: path.to_owned() },
                (None, None) => Failure::NoLogHere,
            }),
        }
    }

    fn announce(&mut self, name: &str) {
        self.messages.say(&format!("reading {}", input::called(name)));
    }
}

/// The failure that parts of a machine's log are restricted.
pub(super) fn closed(machine: &ThisMachine, names: Vec<String>) -> Failure {
    let again = (!input::is_root()).then(settings::command_line);
    Failure::Closed { names, restricted: machine.is_restricted(), again }
}

impl Look<'_> {
    /// The time of the first journal entry of a boot.
    fn first(&self, place: usize) -> Option<Micros> {
        self.stored.all.get(place)?.first
    }

    /// The time of the last entry, in UTC.
    fn end(&self) -> Option<Micros> {
        self.stored.all.iter().rev().find_map(|boot| boot.last)
    }

    /// Interprets times without a zone in this machine's zone.
    fn localise(&self, choice: &mut Choice) {
        let Some(end) = self.end() else { return };
        for moment in [&mut choice.since, &mut choice.until].into_iter().flatten() {
            *moment = moment.zoned(end, settings::offset);
        }
    }

    /// The selected boots.
    fn extent(&self, all_boots: bool, choice: &Choice) -> Result<Extent, Failure> {
        let count = self.stored.all.len();
        let only = |place: usize| Extent { places: place..place + 1, usual: false };
        let end = count.max(self.this + 1);
        if all_boots {
            return Ok(Extent { places: 0..end, usual: false });
        }
        if let Some(number) = choice.boot {
            let place = match usize::try_from(number.0) {
                Ok(place @ 1..) => Some(place - 1).filter(|place| *place < count),
                _ => usize::try_from(number.0.unsigned_abs())
                    .ok()
                    .and_then(|back| self.this.checked_sub(back)),
            };
            return match place {
                Some(place) => Ok(only(place)),
                None if self.closed => Err(self.refusal()),
                None => {
                    let persistent = self.stored.persistent;
                    Err(Failure::BootNotStored { number, count, persistent })
                }
            };
        }
        Ok(self.overlapping(choice).unwrap_or(Extent {
            places: self.this..self.this + 1,
            usual: choice.since.is_none() && choice.until.is_none(),
        }))
    }

    /// The boots that overlap the selected time; conclusions are drawn from whole boots.
    fn overlapping(&self, choice: &Choice) -> Option<Extent> {
        let end = self.end()?;
        let since = choice.since.as_ref().and_then(|since| since.universal(end)).map(|it| it.0);
        let until = choice.until.as_ref().and_then(|until| until.universal(end)).map(|it| it.1);
        let all = &self.stored.all;
        let begun = |until: Micros| {
            all.iter().take_while(|it| it.first.is_none_or(|at| at < until)).count()
        };
        let behind = match until.map(begun) {
            Some(0) | None => all.len().max(self.this + 1),
            Some(behind) if behind == all.len() => behind.max(self.this + 1),
            Some(behind) => behind,
        };
        // The list of boots has a resolution of seconds.
        let over = |at: Micros| {
            all.iter()
                .take_while(|it| it.last.is_some_and(|last| last.plus(Micros::seconds(1)) < at))
                .count()
        };
        let start = match (since, until) {
            (Some(since), _) => over(since).min(behind - 1),
            (None, Some(_)) => behind - 1,
            (None, None) => return None,
        };
        Some(Extent { places: start..behind, usual: false })
    }

    fn refusal(&self) -> Failure {
        let names = self.unread.iter().filter(|it| it.is_closed()).map(|it| it.name.clone());
        closed(self.machine, names.collect())
    }

    /// The name for the journal of these boots.
    fn name(&self, places: Range<usize>) -> String {
        let is_this = |place| self.stored.this == Some(place);
        let which = match places.len() {
            1 if is_this(places.start) && self.machine.runs() => {
                return input::THIS_BOOT.to_owned();
            }
            1 if is_this(places.start) => return input::LAST_BOOT.to_owned(),
            1 if places.start + 1 == self.this => "the boot before".to_owned(),
            1 => format!("boot {}", places.start + 1),
            2 if is_this(places.start + 1) => "this boot and of the one before".to_owned(),
            count if count == self.stored.all.len() => "all boots".to_owned(),
            count => format!("{count} boots"),
        };
        format!("{}{which}", input::JOURNAL_OF)
    }

    /// The boots as segments, cut where a boot has a continuation.
    fn segments(&mut self, places: Range<usize>) -> Vec<Segment> {
        if places == (0..self.stored.all.len()) && self.more.is_empty() {
            return vec![Segment::default()];
        }
        let mut segments = vec![Segment::default()];
        for place in places {
            let Some(boot) = self.stored.all.get(place) else { continue };
            let more = self.more.remove(&place).unwrap_or_default();
            let ends = !more.is_empty();
            if let Some(segment) = segments.last_mut() {
                segment.boots.push(boot.id.clone());
                segment.more = more;
            }
            if ends {
                segments.push(Segment::default());
            }
        }
        segments.retain(|segment| !segment.boots.is_empty());
        segments
    }

    /// The journal of one boot.
    fn boot(&self, place: usize) -> Option<Source<'static>> {
        let id = self.stored.all.get(place)?.id.clone();
        let segment = Segment { boots: vec![id], more: Vec::new() };
        // Errors are reported when it is read.
        self.machine.journal(input::THIS_BOOT, vec![segment]).ok()
    }

    /// The trace of a boot.
    fn trace(&mut self, place: usize) -> Option<&mut Trace> {
        if !self.traces.contains_key(&place) {
            let mut lines = Lines::new(self.boot(place)?.reader);
            let trace = Trace::read(&mut lines, Options::default()).ok()?;
            self.traces.insert(place, trace);
        }
        self.traces.get_mut(&place)
    }

    /// Why the previous boot is included although it was not selected, if so.
    fn why_previous(&mut self, folders: &[PathBuf]) -> Result<Option<&'static str>, Failure> {
        let Some(place) = self.this.checked_sub(1).filter(|_| !self.closed) else {
            return Ok(None);
        };
        if self.more.contains_key(&place) {
            return Ok(Some("a crash of it was saved"));
        }
        match self.trace(place) {
            None => return Ok(None),
            Some(trace) if !trace.is_orderly() => return Ok(Some("it shows no shutdown")),
            Some(_) => {}
        }
        let Some(source) = self.boot(place) else { return Ok(None) };
        let patterns = patterns::loaded(folders)?;
        let read = Log::read(&mut Lines::new(source.reader), Options::default(), &patterns);
        let failed = read.is_ok_and(|log| !conclusions(&log, &patterns).findings.is_empty());
        Ok(failed.then_some("a GPU failed in it"))
    }

    /// The number of lines that a crash adds to its boot; `None` if its boot is not in `extent`.
    fn joined(&mut self, crash: &SavedCrash, extent: &Extent) -> Option<usize> {
        let by_time = crash.at.and_then(|at| self.place_at(at));
        let previous = self.this.checked_sub(1);
        // A crash without a time is from the previous boot, or older.
        let place = match (crash.at, extent.usual, extent.places.len()) {
            (Some(_), ..) => by_time?,
            (None, false, 1) => extent.places.start,
            (None, ..) => previous?,
        };
        let usual = extent.usual && Some(place) == previous;
        if !(usual || extent.places.contains(&place)) || self.closed {
            return None;
        }
        let id = self.stored.all.get(place)?.id.clone();
        let trace = self.trace(place)?;
        let mut lines = Lines::new(crash.open().ok()?.reader);
        let kinship = trace.kinship(&mut lines, Options::default(), &id).ok()?;
        if !kinship.same.unwrap_or(by_time.is_some()) {
            return None;
        }
        // A second crash repeats the content of the first one.
        trace.go_on(&kinship.more).ok()?;
        self.more.entry(place).or_default().extend(kinship.more);
        Some(kinship.count)
    }

    /// The boot that ran at a time, or ended before it: the next one had not begun.
    fn place_at(&self, at: Micros) -> Option<usize> {
        let begun = |place: &usize| self.first(*place).is_some_and(|first| first <= at);
        (0..self.stored.all.len()).rev().find(begun)
    }

    /// Whether a crash is older than the previous boot. If the journal does not have that boot,
    /// crashes from it were moved into place at the start of this boot, or earlier.
    fn is_old(&self, crash: &SavedCrash) -> bool {
        let (at, begun) = match self.this.checked_sub(1) {
            Some(previous) => (crash.at.or(crash.latest), self.first(previous)),
            None => (crash.moved, self.first(self.this).or_else(|| self.machine.began())),
        };
        at.zip(begun).is_some_and(|(at, begun)| at < begun)
    }
}

#[cfg(test)]
mod tests;
