//! Reads a growing log, driven by lines and by time.

use std::io;
use std::time::{Duration, Instant};

use super::bookmark::{Bookmark, Silence, micros};
use super::failure::Failure;
use super::settings;
use crate::input::live::{Feed, FilePlace, Mark, Waited};
use crate::input::{InputError, Line, Lines};
use crate::inquiry::name_of;
use crate::live::{IncidentUpdate, NewEvent, News, Session, SuspendedSession};
use crate::pattern::Patterns;
use crate::report::ReportPart;
use crate::report::time::Zone;

/// Lines of one event follow each other within this time.
const TOGETHER: Duration = Duration::from_millis(5);
/// How long the rest of an entry may take.
const REST: Duration = Duration::from_secs(1);
/// The interval of time checks while an incident is open, unless each check takes long.
const TICK: Duration = Duration::from_millis(250);
const REST_SHARE: u32 = 20;
/// The minimum interval for saving the position while lines come without a pause.
const STORM: Duration = Duration::from_secs(1);
/// The minimum interval for looking for news while lines come without a pause.
const PACE: Duration = Duration::from_millis(100);
/// Reading gets at least this multiple of the time that looking for news takes.
const SHARE: u32 = 4;

/// Receives news about a log.
pub(super) trait Listener {
    /// There are news about a machine; `part` is everything known about it. `machine` is its index
    /// if there are several.
    fn news(
        &mut self,
        part: &ReportPart,
        machine: Option<usize>,
        events: &[NewEvent],
        updates: &[IncidentUpdate],
    ) -> Result<(), Failure>;

    /// The existing log was read, with this number of incidents and records; none of it is
    /// reported.
    fn caught_up(&mut self, _incidents: usize, _records: u64) {}

    /// Something happened to the log itself.
    fn mark(&mut self, _: &Mark) {}

    /// Everything up to this position was reported; `news`: whether there was anything.
    fn reported(&mut self, _: &Bookmark, _news: bool) {}

    /// Called at least every second.
    fn look(&mut self) {}

    /// The user ends the run while these incidents are open; they were reported.
    fn left_open(&mut self, _incidents: &[usize]) {}

    /// There are more machines than can be followed; called once.
    fn too_many_machines(&mut self) {}
}

/// Why a watch stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// The log has ended, or the user ended the run.
    Over,
    /// The patterns are to be reloaded; everything read was reported.
    ForPatterns,
}

/// Follows a log until its end.
pub(super) struct Watch<'p> {
    session: Session<'p>,
    state: WatchState,
}

/// A watch without its patterns, while they are reloaded.
pub(super) struct SuspendedWatch {
    session: SuspendedSession,
    state: WatchState,
}

impl SuspendedWatch {
    /// Continues with `patterns`.
    pub(super) fn by(self, patterns: &Patterns) -> Watch<'_> {
        Watch { session: self.session.by(patterns), state: self.state }
    }
}

/// The state of a watch.
struct WatchState {
    name: String,
    lines: Lines<Feed>,
    silence: Silence,
    place: Bookmark,
    begun: Instant,
    /// The time of the last line.
    last: Instant,
    /// The next time to look for news if lines come without a pause.
    next: Instant,
    /// The interval of time checks.
    tick: Duration,
    /// The age of the last existing line at the start.
    age: Duration,
    /// The zone of printed times.
    zone: Zone,
    /// The last call of [`Listener::look`].
    looked: Instant,
    /// Whether the listener knows that there are too many machines.
    is_full: bool,
    /// Whether lines came since the last position in a file.
    is_behind_a_place: bool,
    /// Whether there were news since the last position that could be saved.
    has_new_news: bool,
    /// The time of the last saved position.
    remembered: Instant,
    /// The line after a position in a file that is to be saved although there is no pause.
    due: Option<u64>,
}

impl<'p> Watch<'p> {
    pub(super) fn new(name: String, feed: Feed, session: Session<'p>, silence: Silence) -> Self {
        let now = Instant::now();
        let lines = Lines::live(feed);
        let state = WatchState {
            name,
            lines,
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
            remembered: now,
            due: None,
        };
        Self { session, state }
    }

    /// Detaches the patterns.
    pub(super) fn suspend(self) -> SuspendedWatch {
        SuspendedWatch { session: self.session.suspend(), state: self.state }
    }

    /// Sets the age of the last existing line.
    pub(super) fn since(mut self, age: Duration) -> Self {
        self.state.age = age;
        self
    }

    /// Sets the zone of printed times.
    pub(super) fn shown_in(mut self, zone: Zone) -> Self {
        self.state.zone = zone;
        self
    }

    /// Reads until the end of the input, or until the user ends the run or reloads the patterns.
    pub(super) fn run(&mut self, listener: &mut impl Listener) -> Result<Stopped, Failure> {
        loop {
            match self.state.lines.next() {
                Ok(Some(line)) => {
                    let ends_entry = line.text.is_empty();
                    if self.state.silence.ends_before(line.text) {
                        // The line borrows what catching up modifies, so it is copied.
                        let Line { number, text, whole } = line;
                        let text = text.to_owned();
                        self.catch_up(listener);
                        let line = Line { number, text: &text, whole };
                        take(&mut self.session, &mut self.state.place, &line);
                    } else {
                        take(&mut self.session, &mut self.state.place, &line);
                    }
                    self.state.last = Instant::now();
                    self.state.is_behind_a_place = self.state.place.is_of_files();
                    if ends_entry {
                        self.reach_end_of_entry();
                    }
                }
                Ok(None) => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    match self.wait(listener)? {
                        None => {
                            self.remember_in_a_storm(listener)?;
                            continue;
                        }
                        // The log continues, and with it open incidents.
                        Some(Stopped::Over) => {
                            self.tell(listener)?;
                            if self.state.silence == Silence::Nothing {
                                let news = self.session.stop();
                                self.hand_on_all(news, listener)?;
                                listener.left_open(&self.session.open_incidents());
                            }
                            return Ok(Stopped::Over);
                        }
                        Some(Stopped::ForPatterns) => {
                            self.session.pause();
                            self.tell(listener)?;
                            return Ok(Stopped::ForPatterns);
                        }
                    }
                }
                Err(error) => {
                    self.tell(listener)?;
                    return Err(InputError::from_read(&self.state.name, error).into());
                }
            }
            if self.session.wants_binary() {
                self.binary()?;
            }
            if self.is_at_the_place() {
                self.catch_up(listener);
            }
            self.remember_in_a_storm(listener)?;
            if self.state.last.duration_since(self.state.looked) >= REST {
                self.look(listener);
            }
            if self.state.last >= self.state.next {
                self.tell(listener)?;
            }
        }
        let news = self.session.end();
        self.hand_on_all(news, listener)?;
        self.look(listener);
        Ok(Stopped::Over)
    }

    /// The final state of each machine.
    pub(super) fn into_parts(mut self) -> Vec<ReportPart> {
        let several = self.session.machines() > 1;
        let part = |News { log, conclusions, .. }| {
            let name = name_of(&self.state.name, &log, several);
            ReportPart::new(name, None, log, conclusions)
        };
        self.session.end().into_iter().map(part).collect()
    }

    fn binary(&mut self) -> Result<(), Failure> {
        self.state.lines.reader_mut().wants_rest = true;
        let value = self.state.lines.binary();
        self.state.lines.reader_mut().wants_rest = false;
        let value = value.map_err(|error| InputError::from_read(&self.state.name, error))?;
        self.session.binary(value.as_deref());
        Ok(())
    }

    /// Waits for the next line, a time check, or a reason to stop.
    fn wait(&mut self, listener: &mut impl Listener) -> Result<Option<Stopped>, Failure> {
        let idle = self.state.last.elapsed();
        let inside = self.session.is_inside_entry() && idle < REST;
        let time = match self.session.may_have_news() {
            true if inside => REST.saturating_sub(idle),
            true if idle < TOGETHER => TOGETHER.saturating_sub(idle),
            true => self.state.tick,
            false => REST,
        };
        self.look(listener);
        match self.state.lines.reader_mut().wait(time) {
            Waited::Ready => {}
            Waited::Nothing => {
                if self.session.may_have_news() {
                    self.tell(listener)?;
                }
            }
            Waited::Mark(mark) => {
                listener.mark(&mark);
                return Ok(self.handle_mark(&mark, listener));
            }
        }
        Ok(None)
    }

    /// Handles an event between two lines; returns whether it ends the watch.
    fn handle_mark(&mut self, mark: &Mark, listener: &mut impl Listener) -> Option<Stopped> {
        match mark {
            Mark::Read { file, place } => self.reach(*file, place, listener),
            Mark::Left { file } => self.state.place.mark_closed(*file),
            Mark::Remembered => {
                if let Silence::UpToMark { stored, .. } = self.state.silence {
                    self.state.place.last.stored = stored;
                }
                self.catch_up(listener);
            }
            Mark::CaughtUp if self.state.silence != Silence::Nothing => self.catch_up(listener),
            Mark::CaughtUp
            | Mark::Lost
            | Mark::Rotated
            | Mark::Truncated
            | Mark::Interrupted(_)
            | Mark::Resumed => {}
            Mark::Reload => return Some(Stopped::ForPatterns),
            Mark::Stop => return Some(Stopped::Over),
        }
        None
    }

    /// All lines of a file before this position have come.
    fn reach(&mut self, file: u64, place: &FilePlace, listener: &mut impl Listener) {
        self.state.place.reach(file, place);
        self.state.is_behind_a_place = false;
        if self.state.silence == Silence::Nothing {
            self.state.place.last.stored =
                micros(settings::since_1970().saturating_sub(self.state.last.elapsed()));
        }
        if self.state.has_new_news {
            self.remember(listener, false);
        }
        self.state.due = self.is_late().then(|| self.session.lines() + 1);
    }

    /// An entry of a journal is complete: no later line belongs to it.
    fn reach_end_of_entry(&mut self) {
        let WatchState { place, silence, .. } = &self.state;
        let has_cursor = !place.is_of_files() && !place.last.cursor.is_empty();
        if has_cursor && *silence == Silence::Nothing && self.is_late() {
            self.state.due = Some(self.session.lines() + 1);
        }
    }

    /// Whether news was reported whose position is to be saved by now, although no pause has come.
    fn is_late(&self) -> bool {
        self.state.has_new_news && self.state.remembered.elapsed() >= STORM
    }

    /// The last line before a position may continue after it, which only a pause or the next line
    /// shows. If the current line is that next line, everything before it is reported, and the
    /// position is saved.
    fn remember_in_a_storm(&mut self, listener: &mut impl Listener) -> Result<(), Failure> {
        let Some(next) = self.state.due else { return Ok(()) };
        if self.session.has_come_to(next) {
            self.tell(listener)?;
            // Looking took so long that the line after the position was reported, too; then the
            // next position is saved.
            if self.session.has_come_to(next) && self.state.has_new_news {
                self.save_reported_position(listener);
            }
        } else if self.session.lines() < next {
            return Ok(());
        }
        self.state.due = None;
        Ok(())
    }

    /// Passes the position up to which everything was reported to the listener, which saves it.
    fn save_reported_position(&mut self, listener: &mut impl Listener) {
        self.state.remembered = Instant::now();
        self.state.place.forget_files(self.session.has_open_incidents());
        listener.reported(&self.state.place, std::mem::take(&mut self.state.has_new_news));
    }

    fn look(&mut self, listener: &mut impl Listener) {
        self.state.looked = Instant::now();
        listener.look();
        if !self.state.is_full && self.session.has_too_many_machines() {
            self.state.is_full = true;
            listener.too_many_machines();
        }
    }

    /// Whether the last entry reported by the previous run has come.
    fn is_at_the_place(&self) -> bool {
        let Silence::UpTo(entry, _) = &self.state.silence else { return false };
        !self.session.is_inside_entry() && self.state.place.last.cursor == entry.cursor
    }

    /// Marks everything read so far as reported.
    fn catch_up(&mut self, listener: &mut impl Listener) {
        self.session.pause();
        let now = settings::since_1970();
        let stored = Duration::from_micros(self.state.place.last.stored);
        if !stored.is_zero() {
            self.state.age = now.saturating_sub(stored);
        }
        // Time has passed since the last existing line, and what resulted from that was reported,
        // too.
        let told = match &self.state.silence {
            Silence::UpTo(_, told) | Silence::UpToMark { told, .. } => {
                Duration::from_micros(*told).saturating_sub(stored)
            }
            Silence::Beginning | Silence::Nothing => self.state.age,
        };
        self.session.waited(told, self.state.begun.elapsed() + told);
        self.state.last = self.state.last.checked_sub(self.state.age).unwrap_or(self.state.last);
        let before = self.session.news(true);
        let incidents = before.iter().map(|news| news.conclusions.findings.len()).sum();
        listener.caught_up(incidents, before.iter().map(|news| news.log.reading.records).sum());
        self.state.silence = Silence::Nothing;
        if stored.is_zero() {
            self.state.place.last.stored = micros(now.saturating_sub(self.state.age));
        }
        self.remember(listener, false);
    }

    /// Passes the current position to the listener, if the log has positions.
    fn remember(&mut self, listener: &mut impl Listener, news: bool) {
        self.state.has_new_news |= news;
        let held = self.session.is_inside_entry() || self.session.holds_a_line();
        let has_places = self.state.place.is_of_files() || !self.state.place.last.cursor.is_empty();
        if held
            || self.state.is_behind_a_place
            || !has_places
            || self.state.silence != Silence::Nothing
        {
            return;
        }
        self.save_reported_position(listener);
    }

    fn tell(&mut self, listener: &mut impl Listener) -> Result<(), Failure> {
        let begin = Instant::now();
        if self.state.silence != Silence::Nothing {
            self.state.next = begin + PACE;
            return Ok(());
        }
        let idle = self.state.last.elapsed();
        if idle >= TOGETHER && !(self.session.is_inside_entry() && idle < REST) {
            self.session.pause();
        }
        self.session.waited(idle, self.state.begun.elapsed() + self.state.age);
        let news = self.session.news(false);
        self.hand_on_all(news, listener)?;
        let took = begin.elapsed();
        self.state.next = Instant::now() + PACE.max(took * SHARE);
        self.state.tick = TICK.max(took * REST_SHARE);
        Ok(())
    }

    fn hand_on_all(
        &mut self,
        news: Vec<News>,
        listener: &mut impl Listener,
    ) -> Result<(), Failure> {
        let is_new = |news: &News| !news.events.is_empty() || !news.updates.is_empty();
        let any = news.iter().any(is_new);
        news.into_iter().filter(is_new).try_for_each(|one| self.report_news(one, listener))?;
        self.remember(listener, any);
        Ok(())
    }

    fn report_news(&self, news: News, listener: &mut impl Listener) -> Result<(), Failure> {
        let News { log, conclusions, events, updates: tellings, machine } = news;
        let name = name_of(&self.state.name, &log, self.session.machines() > 1);
        let mut part = ReportPart::new(name, None, log, conclusions);
        for stamp in part.log.events.iter_mut().map(|observed| &mut observed.stamp) {
            stamp.wall = stamp.wall.map(|wall| self.state.zone.of(wall));
        }
        part.show_in(self.state.zone);
        let machine = (self.session.machines() > 1).then_some(machine);
        listener.news(&part, machine, &events, &tellings)
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
    use std::fs::OpenOptions;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::thread;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::builtin;
    use crate::input::live;

    /// What was reported, and the places stored meanwhile.
    #[derive(Default)]
    struct Heard {
        events: usize,
        /// The number of the entry of each place, and how many events had been reported by then.
        places: Vec<(usize, usize)>,
    }

    impl Listener for Heard {
        fn news(
            &mut self,
            _: &ReportPart,
            _: Option<usize>,
            events: &[NewEvent],
            _: &[IncidentUpdate],
        ) -> Result<(), Failure> {
            self.events += events.iter().filter(|event| !event.again).count();
            Ok(())
        }

        fn reported(&mut self, place: &Bookmark, _: bool) {
            self.places.push((place.last.cursor.parse().unwrap(), self.events));
        }
    }

    /// Entries of a journal without a pause, each of them an event.
    fn write_storm(path: PathBuf, lasts: Duration) -> thread::JoinHandle<()> {
        thread::spawn(move || {
            let mut pipe = OpenOptions::new().write(true).open(path).unwrap();
            let begun = Instant::now();
            for number in 1_u64.. {
                if begun.elapsed() > lasts {
                    break;
                }
                let at = number * 1_000;
                let entry = format!(
                    "__CURSOR={number}\n__REALTIME_TIMESTAMP={at}\n_TRANSPORT=kernel\nMESSAGE=amdgpu 0000:03:00.0: \
                     amdgpu: ring gfx_0.0.0 timeout, signaled seq={number}, emitted seq={number}\n\n"
                );
                pipe.write_all(entry.as_bytes()).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
        })
    }

    fn pipe(folder: &Path) -> PathBuf {
        let path = folder.join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        path
    }

    /// Before, the place in a journal was stored at the first pause only: a run that was killed in
    /// a storm repeated all of it.
    #[test]
    fn the_place_in_a_journal_is_stored_while_entries_come_without_a_pause() {
        let folder = tempfile::tempdir().unwrap();
        let path = pipe(folder.path());
        let storm = write_storm(path.clone(), STORM * 4);
        let patterns = builtin::patterns();
        let session = Session::new(crate::record::Options::default(), &patterns);
        let feed = live::file(&path, None).unwrap();
        let mut watch = Watch::new("journal".to_owned(), feed, session, Silence::Nothing);
        let mut heard = Heard::default();
        watch.run(&mut heard).unwrap();
        storm.join().unwrap();
        assert!(heard.places.len() >= 3, "{:?}", heard.places);
        for (entry, reported) in heard.places {
            assert_eq!(
                reported, entry,
                "all events up to the place were reported, and no later one"
            );
        }
    }
}
