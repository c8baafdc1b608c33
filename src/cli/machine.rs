//! How a machine's own log is read: which boots, where the journal does not show them, and what was
//! saved of their crashes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::failure::Failure;
use super::sources::{Role, Survey, Taken};
use super::{patterns, settings};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::conclusions;
use crate::document::counts::several;
use crate::event::log::Log;
use crate::input::{
    self, KernelBuffer, Lines, SavedCrash, Segment, Source, StoredBoots, ThisMachine, Unread,
    WhyUnread,
};
use crate::record::{Options, Trace};
use crate::value::Micros;

/// How many crashes that are of no boot in the journal are shown.
const STRAYS: usize = 8;

/// What is asked of a machine.
pub(super) struct Asked<'a> {
    pub(super) all_boots: bool,
    /// Boot, since and until; what the reading itself chooses is taken out.
    pub(super) choice: &'a mut Choice,
    /// More pattern files, which know more failures.
    pub(super) patterns: &'a [PathBuf],
}

/// Which boots are read, by their places among those that the journal has. The one behind the last is
/// that of a kernel whose journal is not there.
struct Extent {
    places: Range<usize>,
    /// Nothing was asked for, so that the boot before belongs to it where it did not end well.
    usual: bool,
}

/// A machine while it is read.
struct Look<'a> {
    machine: &'a ThisMachine,
    stored: StoredBoots,
    /// The place of the boot that runs.
    this: usize,
    /// Whether a user's own entries are all that the journal shows, if any.
    closed: bool,
    traces: BTreeMap<usize, Trace>,
    /// What goes on where the journal of a boot ends.
    more: BTreeMap<usize, Vec<u8>>,
    /// What is not read.
    unread: Vec<Unread>,
    /// A journal that was read and has no message of the kernel's.
    useless: Option<String>,
}

impl Survey<'_, '_, '_> {
    /// Reads what is asked of a machine.
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
                Ok(Taken { of_use, cut }) => {
                    self.cut(of_use, cut);
                    read |= of_use;
                }
                // What no firmware unpacks stays there for good, and is no reason to fail each time.
                Err(failure @ Failure::Input(_)) => self.messages.tell(&failure),
                Err(failure) => self.failed(failure, true)?,
            }
        }
        read |= self.boots(&mut look, &extent)?;
        self.account(look, read)
    }

    /// Says why the journal cannot be read, if it is not for lack of rights.
    fn broken(&mut self, look: &mut Look<'_>) -> Result<(), Failure> {
        for unread in std::mem::take(&mut look.unread) {
            match unread.why {
                WhyUnread::Failed(error) => self.failed(error.into(), true)?,
                _ => look.unread.push(unread),
            }
        }
        Ok(())
    }

    /// Joins the saved crashes to their boots, and hands back those that are of none.
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
        // Without a journal nobody knows which of them is the last boot's: it is the newest.
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

    /// Reads the boots of `extent`; whether anything was of use.
    fn boots(&mut self, look: &mut Look<'_>, extent: &Extent) -> Result<bool, Failure> {
        let count = look.stored.all.len();
        let Range { start, end } = extent.places.clone();
        let this_alone = start == look.this;
        let mut read = false;
        // What the kernel itself keeps is all, where the journal shows a user's own entries alone.
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
            Ok(Taken { of_use, cut }) => {
                self.cut(of_use, cut);
                return Ok(of_use);
            }
            // There is nothing to be read.
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
        let Taken { of_use, cut } = (self.take)(source, Role::Asked)?;
        self.cut(of_use, cut);
        Ok(true)
    }

    /// Says what is closed to this user, or fails where that is all there is.
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
            // What failed has been said.
            None if !self.complete => Ok(()),
            None => Err(match (look.useless, look.machine.root()) {
                (Some(name), _) => Failure::NoKernelLog { name, said: self.said },
                (None, Some(path)) => Failure::NoJournalAt { path: path.to_owned() },
                (None, None) => Failure::NoLogHere,
            }),
        }
    }

    fn announce(&mut self, name: &str) {
        self.messages.say(&format!("reading {}", input::called(name)));
    }
}

/// That parts of a machine's log are closed to this user.
pub(super) fn closed(machine: &ThisMachine, names: Vec<String>) -> Failure {
    let again = (!input::is_root()).then(settings::command_line);
    Failure::Closed { names, restricted: machine.is_restricted(), again }
}

impl Look<'_> {
    /// When the journal of a boot begins.
    fn first(&self, place: usize) -> Option<Micros> {
        self.stored.all.get(place)?.first
    }

    /// When the last entry was stored, in UTC.
    fn end(&self) -> Option<Micros> {
        self.stored.all.iter().rev().find_map(|boot| boot.last)
    }

    /// Times without a zone are those of this machine.
    fn localise(&self, choice: &mut Choice) {
        let Some(end) = self.end() else { return };
        for moment in [&mut choice.since, &mut choice.until].into_iter().flatten() {
            *moment = moment.zoned(end, settings::offset);
        }
    }

    /// Which boots are asked for.
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

    /// The boots that fall into a time; conclusions are drawn from whole ones.
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
        // The list knows seconds alone.
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

    /// What the journal of some boots is called.
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

    /// The boots, cut where something goes on behind one of them.
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
        // What is wrong with it is said when it is read.
        self.machine.journal(input::THIS_BOOT, vec![segment]).ok()
    }

    /// What is remembered of a boot.
    fn trace(&mut self, place: usize) -> Option<&mut Trace> {
        if !self.traces.contains_key(&place) {
            let mut lines = Lines::new(self.boot(place)?.reader);
            let trace = Trace::read(&mut lines, Options::default()).ok()?;
            self.traces.insert(place, trace);
        }
        self.traces.get_mut(&place)
    }

    /// Why the boot before the one that runs is to be read although nobody asked for it, if it is.
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

    /// How many lines a crash adds to the boot that it is of; `None` where it is of none of `extent`.
    fn joined(&mut self, crash: &SavedCrash, extent: &Extent) -> Option<usize> {
        let by_time = crash.at.and_then(|at| self.place_at(at));
        let previous = self.this.checked_sub(1);
        // What has no time is the last boot's, or older.
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
        // A second crash repeats what the first one saved.
        trace.go_on(&kinship.more).ok()?;
        self.more.entry(place).or_default().extend(kinship.more);
        Some(kinship.count)
    }

    /// The boot that ran at a time, or ended before it: the next one has not begun.
    fn place_at(&self, at: Micros) -> Option<usize> {
        let begun = |place: &usize| self.first(*place).is_some_and(|first| first <= at);
        (0..self.stored.all.len()).rev().find(begun)
    }

    /// Whether a crash is from before the boot that ran last. Where the journal does not have that one, the
    /// crash was moved to where it is when this boot began, or else earlier.
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
