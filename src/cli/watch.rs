//! Reads a log that grows, by its lines and by the clock.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::settings;
use crate::event::log::Log;
use crate::input::live::{Feed, FilePlace, LeftOff, Mark, Waited};
use crate::input::{InputError, Line, Lines};
use crate::live::{NewEvent, News, Session, Telling};
use crate::report::ReportPart;
use crate::report::time::Zone;

/// Lines that belong together come faster one after another.
const TOGETHER: Duration = Duration::from_millis(5);
/// Of so many machines it is remembered where their boots began.
const MACHINES: usize = 64;
/// So many files are read again at most because an incident began in one of them.
const FILES: usize = 16;
/// How long the rest of an entry may be on its way.
const REST: Duration = Duration::from_secs(1);
/// How often the clock is looked at while an incident is open, unless each look takes long.
const TICK: Duration = Duration::from_millis(250);
const REST_SHARE: u32 = 20;
/// While lines come without a pause, what is new is looked for so often at most.
const PACE: Duration = Duration::from_millis(100);
/// And so many times as long is read as looking takes.
const SHARE: u32 = 4;

/// Who wants to know what is new.
pub(super) trait Listener {
    /// Something is new of a machine; `part` is all that is known of it. Its number, where there are several.
    fn news(
        &mut self,
        part: &ReportPart,
        machine: Option<usize>,
        events: &[NewEvent],
        tellings: &[Telling],
    ) -> Result<(), Failure>;

    /// So many incidents and records are in what was there before; nothing of it is told.
    fn caught_up(&mut self, _incidents: usize, _records: u64) {}

    /// Something happened to the log itself.
    fn mark(&mut self, _: &Mark) {}

    /// What was read up to this place has been told; `news` says whether anything was.
    fn told(&mut self, _: &Bookmark, _news: bool) {}

    /// Time has passed: called at least every second.
    fn look(&mut self) {}

    /// More machines write into the log than can be told apart; called once.
    fn too_many_machines(&mut self) {}
}

/// How much of a log counts as told already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    Nothing,
    /// What is there at the beginning.
    Beginning,
    /// The entries of a journal up to this one, and what the clock brought up to a time in microseconds
    /// since 1970.
    UpTo(Entry, u64),
    /// The lines of files up to [`Mark::Remembered`].
    UpToMark {
        /// When the last of them came, in microseconds since 1970.
        stored: u64,
        /// Up to when the clock was told, likewise.
        told: u64,
    },
}

impl Silence {
    /// What was told of a log of which `place` was remembered.
    pub(super) fn up_to(place: Bookmark) -> Self {
        if place.is_of_files() {
            return Self::UpToMark { stored: place.last.stored, told: place.told };
        }
        Self::UpTo(place.last, place.told)
    }

    /// Whether this line begins an entry behind the one up to which all was told, which the journal need
    /// not have any more.
    fn ends_before(&self, line: &str) -> bool {
        let Self::UpTo(entry, _) = self else { return false };
        let cursor = line.strip_prefix("__CURSOR=");
        cursor.and_then(stored).is_some_and(|stored| stored > entry.stored)
    }
}

/// When the entry with this cursor was stored, in microseconds since 1970: the field `t`, in hexadecimal
/// (`sd_journal_get_cursor()` of systemd's `src/libsystemd/sd-journal/sd-journal.c`).
fn stored(cursor: &str) -> Option<u64> {
    let field = cursor.split(';').find_map(|field| field.strip_prefix("t="))?;
    u64::from_str_radix(field, 16).ok()
}

/// An entry of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Entry {
    /// What journalctl calls it.
    pub(super) cursor: String,
    /// When it was stored, in microseconds since 1970.
    pub(super) stored: u64,
}

/// Where in a journal, or in the files of a log, reading stands. The entries of files have no cursors.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Bookmark {
    /// The first entry of the boots that are being read.
    pub(super) begin: Entry,
    /// The entry that was read last.
    pub(super) last: Entry,
    /// The boot of each machine, by the machine's id, and its first entry.
    #[serde(default)]
    pub(super) boots: BTreeMap<String, (String, Entry)>,
    /// Up to when the clock was told, in microseconds since 1970.
    #[serde(default)]
    pub(super) told: u64,
    /// How far the files of a log were read, in the order in which they had its name: those that are being read, and
    /// those in which an incident began that is not over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) files: BTreeMap<u64, FilePlace>,
    /// Those of them that are not read any more.
    #[serde(skip)]
    pub(super) left: BTreeSet<u64>,
    /// The boot and the machine of the entry at hand.
    #[serde(skip)]
    pub(super) at_hand: (Option<String>, String),
}

impl Bookmark {
    /// Whether it is one of a log in files.
    pub(super) fn is_of_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Where the files of a log were left off.
    pub(super) fn left_off(&self) -> LeftOff {
        LeftOff { places: self.files.values().cloned().collect(), at: self.told }
    }

    /// Drops the files of which nothing is needed any more; while an incident is open, those are few.
    fn forget_files(&mut self, an_incident_is_open: bool) {
        let Self { files, left, .. } = self;
        files.retain(|file, _| an_incident_is_open || !left.contains(file));
        while files.len() > FILES {
            files.pop_first();
        }
        left.retain(|file| files.contains_key(file));
    }

    /// Takes note of a line of an entry in its export form.
    fn see(&mut self, line: &str) {
        if let Some(cursor) = line.strip_prefix("__CURSOR=") {
            cursor.clone_into(&mut self.last.cursor);
            self.at_hand = (None, String::new());
        } else if let Some(stored) = line.strip_prefix("__REALTIME_TIMESTAMP=") {
            self.last.stored = stored.parse().unwrap_or_default();
        } else if let Some(boot) = line.strip_prefix("_BOOT_ID=") {
            self.at_hand.0 = Some(boot.to_owned());
        } else if let Some(machine) = line.strip_prefix("_MACHINE_ID=") {
            machine.clone_into(&mut self.at_hand.1);
        } else if line.is_empty() {
            self.end_entry();
        }
    }

    /// The entry at hand is complete: the order of its fields is nobody's promise.
    fn end_entry(&mut self) {
        let (boot, machine) = std::mem::take(&mut self.at_hand);
        let Some(boot) = boot else { return };
        if self.boots.get(&machine).is_some_and(|(known, _)| *known == boot)
            || (self.boots.len() >= MACHINES && !self.boots.contains_key(&machine))
        {
            return;
        }
        self.boots.insert(machine, (boot, self.last.clone()));
        let begins = self.boots.values().map(|(_, begin)| begin);
        if let Some(first) = begins.min_by_key(|begin| begin.stored) {
            self.begin = first.clone();
        }
    }
}

/// Follows a log up to its end.
pub(super) struct Watch<'p> {
    name: String,
    lines: Lines<Feed>,
    session: Session<'p>,
    silence: Silence,
    place: Bookmark,
    begun: Instant,
    /// When the last line came.
    last: Instant,
    /// When what is new is looked for next, though lines come without a pause.
    next: Instant,
    /// How often the clock is looked at.
    tick: Duration,
    /// How long ago the last line was written that is there at the beginning.
    age: Duration,
    /// In which zone times of day are told.
    zone: Zone,
    /// When the listener was last told that time has passed.
    looked: Instant,
    /// Whether it knows that there are too many machines.
    is_full: bool,
    /// Whether lines came since the last place in a file.
    is_behind_a_place: bool,
    /// Whether news were told since the last place that could be remembered.
    has_new_news: bool,
}

impl<'p> Watch<'p> {
    pub(super) fn new(name: String, feed: Feed, session: Session<'p>, silence: Silence) -> Self {
        let now = Instant::now();
        let lines = Lines::live(feed);
        Self {
            name,
            lines,
            session,
            silence,
            place: Bookmark::default(),
            begun: now,
            last: now,
            next: now + PACE,
            tick: TICK,
            age: Duration::ZERO,
            zone: Zone::AsPrinted,
            looked: now,
            is_full: false,
            is_behind_a_place: false,
            has_new_news: false,
        }
    }

    /// The last line that is there was written so long ago.
    pub(super) fn since(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// Times of day are told in `zone`.
    pub(super) fn shown_in(mut self, zone: Zone) -> Self {
        self.zone = zone;
        self
    }

    /// Reads up to the end of the input, or until somebody asks for the end.
    pub(super) fn run(&mut self, listener: &mut impl Listener) -> Result<(), Failure> {
        loop {
            match self.lines.next() {
                Ok(Some(line)) => {
                    if self.silence.ends_before(line.text) {
                        // The line lies in what catching up changes.
                        let Line { number, text, whole } = line;
                        let text = text.to_owned();
                        self.catch_up(listener);
                        let line = Line { number, text: &text, whole };
                        take(&mut self.session, &mut self.place, &line);
                    } else {
                        take(&mut self.session, &mut self.place, &line);
                    }
                    self.last = Instant::now();
                    self.is_behind_a_place = self.place.is_of_files();
                }
                Ok(None) => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if self.wait(listener)? {
                        // The log goes on, and with it what is open.
                        return self.tell(listener);
                    }
                    continue;
                }
                Err(error) => {
                    self.tell(listener)?;
                    return Err(InputError::from_read(&self.name, error).into());
                }
            }
            if self.session.wants_binary() {
                self.binary()?;
            }
            if self.is_at_the_place() {
                self.catch_up(listener);
            }
            if self.last.duration_since(self.looked) >= REST {
                self.look(listener);
            }
            if self.last >= self.next {
                self.tell(listener)?;
            }
        }
        let news = self.session.end();
        self.hand_on_all(news, listener)
    }

    /// What is known in the end of each machine.
    pub(super) fn into_parts(mut self) -> Vec<ReportPart> {
        let several = self.session.machines() > 1;
        let part = |News { log, conclusions, .. }| {
            let name = name_of(&self.name, &log, several);
            ReportPart::new(name, None, log, conclusions)
        };
        self.session.end().into_iter().map(part).collect()
    }

    fn binary(&mut self) -> Result<(), Failure> {
        self.lines.reader_mut().wants_rest = true;
        let value = self.lines.binary();
        self.lines.reader_mut().wants_rest = false;
        let value = value.map_err(|error| InputError::from_read(&self.name, error))?;
        self.session.binary(value.as_deref());
        Ok(())
    }

    /// Waits for the next line, or for what the clock brings; true where it is over.
    fn wait(&mut self, listener: &mut impl Listener) -> Result<bool, Failure> {
        let idle = self.last.elapsed();
        let inside = self.session.is_inside_entry() && idle < REST;
        let time = match self.session.may_have_news() {
            true if inside => REST.saturating_sub(idle),
            true if idle < TOGETHER => TOGETHER.saturating_sub(idle),
            true => self.tick,
            false => REST,
        };
        self.look(listener);
        match self.lines.reader_mut().wait(time) {
            Waited::Ready => {}
            Waited::Nothing => {
                if self.session.may_have_news() {
                    self.tell(listener)?;
                }
            }
            Waited::Mark(mark) => {
                self.heed(&mark, listener);
                listener.mark(&mark);
                return Ok(mark == Mark::Stop);
            }
        }
        Ok(false)
    }

    /// What happened to the log, between two lines of it.
    fn heed(&mut self, mark: &Mark, listener: &mut impl Listener) {
        match mark {
            Mark::Read { file, place } => self.reach(*file, place, listener),
            Mark::Left { file } => drop(self.place.left.insert(*file)),
            Mark::Remembered => {
                if let Silence::UpToMark { stored, .. } = self.silence {
                    self.place.last.stored = stored;
                }
                self.catch_up(listener);
            }
            Mark::CaughtUp if self.silence != Silence::Nothing => self.catch_up(listener),
            Mark::CaughtUp
            | Mark::Lost
            | Mark::Rotated
            | Mark::Truncated
            | Mark::Interrupted(_)
            | Mark::Resumed
            | Mark::Stop => {}
        }
    }

    /// All lines of a file have come that stand before this place.
    fn reach(&mut self, file: u64, place: &FilePlace, listener: &mut impl Listener) {
        self.place.files.insert(file, place.clone());
        self.is_behind_a_place = false;
        if self.silence == Silence::Nothing {
            self.place.last.stored =
                micros(settings::since_1970().saturating_sub(self.last.elapsed()));
        }
        if self.has_new_news {
            self.remember(listener, false);
        }
    }

    fn look(&mut self, listener: &mut impl Listener) {
        self.looked = Instant::now();
        listener.look();
        if !self.is_full && self.session.has_too_many_machines() {
            self.is_full = true;
            listener.too_many_machines();
        }
    }

    /// Whether the entry has come up to which everything was told before.
    fn is_at_the_place(&self) -> bool {
        let Silence::UpTo(entry, _) = &self.silence else { return false };
        !self.session.is_inside_entry() && self.place.last.cursor == entry.cursor
    }

    /// Counts what was read up to here as told.
    fn catch_up(&mut self, listener: &mut impl Listener) {
        self.session.pause();
        let now = settings::since_1970();
        let stored = Duration::from_micros(self.place.last.stored);
        if !stored.is_zero() {
            self.age = now.saturating_sub(stored);
        }
        // The clock went on since the last line that is there, and up to then it was told, too.
        let told = match &self.silence {
            Silence::UpTo(_, told) | Silence::UpToMark { told, .. } => {
                Duration::from_micros(*told).saturating_sub(stored)
            }
            Silence::Beginning | Silence::Nothing => self.age,
        };
        self.session.waited(told, self.begun.elapsed() + told);
        self.last = self.last.checked_sub(self.age).unwrap_or(self.last);
        let before = self.session.news(true);
        let incidents = before.iter().map(|news| news.conclusions.findings.len()).sum();
        listener.caught_up(incidents, before.iter().map(|news| news.log.reading.records).sum());
        self.silence = Silence::Nothing;
        if stored.is_zero() {
            self.place.last.stored = micros(now.saturating_sub(self.age));
        }
        self.remember(listener, false);
    }

    /// Says which place was reached, where the log has places.
    fn remember(&mut self, listener: &mut impl Listener, news: bool) {
        self.has_new_news |= news;
        let held = self.session.is_inside_entry() || self.session.holds_a_line();
        let has_places = self.place.is_of_files() || !self.place.last.cursor.is_empty();
        if held || self.is_behind_a_place || !has_places || self.silence != Silence::Nothing {
            return;
        }
        self.place.forget_files(self.session.has_open_incidents());
        listener.told(&self.place, std::mem::take(&mut self.has_new_news));
    }

    fn tell(&mut self, listener: &mut impl Listener) -> Result<(), Failure> {
        let begin = Instant::now();
        if self.silence != Silence::Nothing {
            self.next = begin + PACE;
            return Ok(());
        }
        let idle = self.last.elapsed();
        if idle >= TOGETHER && !(self.session.is_inside_entry() && idle < REST) {
            self.session.pause();
        }
        self.session.waited(idle, self.begun.elapsed() + self.age);
        let news = self.session.news(false);
        self.hand_on_all(news, listener)?;
        let took = begin.elapsed();
        self.next = Instant::now() + PACE.max(took * SHARE);
        self.tick = TICK.max(took * REST_SHARE);
        Ok(())
    }

    fn hand_on_all(
        &mut self,
        news: Vec<News>,
        listener: &mut impl Listener,
    ) -> Result<(), Failure> {
        let is_new = |news: &News| !news.events.is_empty() || !news.tellings.is_empty();
        let any = news.iter().any(is_new);
        news.into_iter().filter(is_new).try_for_each(|one| self.hand_on(one, listener))?;
        self.remember(listener, any);
        Ok(())
    }

    fn hand_on(&self, news: News, listener: &mut impl Listener) -> Result<(), Failure> {
        let News { log, conclusions, events, tellings, machine } = news;
        let name = name_of(&self.name, &log, self.session.machines() > 1);
        let mut part = ReportPart::new(name, None, log, conclusions);
        for stamp in part.log.events.iter_mut().map(|observed| &mut observed.stamp) {
            stamp.wall = stamp.wall.map(|wall| self.zone.of(wall));
        }
        part.show_in(self.zone);
        let machine = (self.session.machines() > 1).then_some(machine);
        listener.news(&part, machine, &events, &tellings)
    }
}

/// A time as it is stored.
fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// What the log of one of several machines is called.
fn name_of(name: &str, log: &Log, several: bool) -> String {
    let machine = log.reading.host.as_ref().or(log.reading.machine_id.as_ref());
    match machine.filter(|_| several) {
        Some(machine) => format!("{name} ({machine})"),
        None => name.to_owned(),
    }
}

fn take(session: &mut Session<'_>, place: &mut Bookmark, line: &Line<'_>) {
    if line.text.is_empty() || line.text.starts_with('_') {
        place.see(line.text);
    }
    session.line(line);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restart reads from where the oldest boot begins that goes on: an incident may be open in each of them.
    #[test]
    fn the_boots_of_several_machines_begin_where_the_first_does() {
        let mut place = Bookmark::default();
        let mut entry = |cursor: u64, machine: &str, boot: &str| {
            for line in [
                format!("__CURSOR={cursor}"),
                format!("__REALTIME_TIMESTAMP={cursor}"),
                format!("_BOOT_ID={boot}"),
                format!("_MACHINE_ID={machine}"),
                String::new(),
            ] {
                place.see(&line);
            }
            place.begin.cursor.clone()
        };
        assert_eq!(entry(1, "a", "a1"), "1");
        assert_eq!(entry(2, "b", "b1"), "1");
        assert_eq!(entry(3, "a", "a1"), "1");
        assert_eq!(entry(4, "a", "a2"), "2");
        assert_eq!(entry(5, "b", "b2"), "4");
    }

    /// What was stored before files had places is read, and a journal's place says nothing of files.
    #[test]
    fn places_of_journals_are_stored_as_before() {
        let text = r#"{"begin":{"cursor":"a","stored":1},"last":{"cursor":"b","stored":2},"boots":{},"told":3}"#;
        let place: Bookmark = serde_json::from_str(text).unwrap();
        assert!(!place.is_of_files());
        assert_eq!(serde_json::to_string(&place).unwrap(), text);
    }

    /// An incident began in a file that was rotated away since; without it, nobody knows what the rest of it is.
    #[test]
    fn a_file_is_remembered_as_long_as_an_incident_in_it_is_open() {
        let text = r#"{"device":1,"inode":2,"start":0,"head_length":0,"head":"","offset":3}"#;
        let file: FilePlace = serde_json::from_str(text).unwrap();
        let files = (0..40).map(|number| (number, file.clone())).collect();
        let mut place = Bookmark { files, left: (0..38).collect(), ..Bookmark::default() };
        place.forget_files(true);
        assert_eq!(place.files.keys().copied().collect::<Vec<_>>(), (24..40).collect::<Vec<_>>());
        place.forget_files(false);
        assert_eq!(place.files.keys().copied().collect::<Vec<_>>(), [38, 39]);
    }

    #[test]
    fn a_place_that_is_gone_is_known_by_its_time() {
        let cursor = "s=a1;i=1;b=aa;m=f4240;t=64b9fe69a0240;x=da";
        assert_eq!(stored(cursor), Some(1_772_000_001_000_000));
        let entry = |stored| Silence::UpTo(Entry { cursor: "gone".to_owned(), stored }, 0);
        let line = format!("__CURSOR={cursor}");
        assert!(entry(1_772_000_000_999_999).ends_before(&line));
        assert!(!entry(1_772_000_001_000_000).ends_before(&line));
        assert!(!entry(0).ends_before("MESSAGE=t=64b9fe69a0240"));
        assert!(!Silence::Beginning.ends_before(&line));
    }
}
