//! A log that still grows: what is new in it, as soon as that is known.
//!
//! Lines go in as they come. What comes out is each event, and for each incident when it is told first,
//! when what is known of it changes, and when it is closed. The clock goes on while no line comes, so that
//! what does not happen in time is seen, too.

mod ledger;

use std::time::Duration;

use crate::diagnosis::{Conclusions, conclusions};
use crate::event::log::Log;
use crate::event::recognise::{AllProgress, Recognisers};
use crate::input::Line;
use crate::pattern::Patterns;
use crate::record::{Options, Reader, Stamp};
use crate::value::Micros;

use ledger::{AnnouncedEvents, IncidentLedger};
pub(crate) use ledger::{State, Telling};

/// So many events are kept at most. Of more, the first ones, in which the GPUs introduce themselves, and
/// the last ones remain, and the others are counted.
const MOST_EVENTS: usize = 12_000;
const FIRST_EVENTS: usize = 1_000;
const LAST_EVENTS: usize = 6_000;
/// So many places where lines are missing are remembered.
const MOST_HOLES: usize = 1_000;

/// What is known of a machine at one moment, and what of it is new.
#[derive(Debug)]
pub(crate) struct News {
    /// The machine, by a number of its own.
    pub machine: usize,
    /// Its log up to now.
    pub log: Log,
    /// What follows from it.
    pub conclusions: Conclusions,
    /// The events that are new or say more than before, as indices into those of the log.
    pub events: Vec<NewEvent>,
    /// What is to be told of incidents.
    pub tellings: Vec<Telling>,
}

/// An event to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NewEvent {
    /// Its place among the events of the log.
    pub place: usize,
    /// Whether it was told before, and a line that came later says more of it.
    pub again: bool,
}

/// Watches one log, into which several machines may write.
#[derive(Debug)]
pub(crate) struct Session<'p> {
    patterns: &'p Patterns,
    recognisers: Recognisers<'p>,
    state: Standing,
}

/// A session between two sets of patterns.
#[derive(Debug)]
pub(crate) struct Interlude {
    recognised: AllProgress,
    state: Standing,
}

/// How far a session has come.
#[derive(Debug)]
struct Standing {
    reader: Reader,
    /// What was told of each machine.
    told: Vec<Told>,
    /// How many incidents have a number.
    numbered: usize,
    /// Our own time. The clocks of several machines are not compared: one may be of another zone, or wrong.
    now: Duration,
    /// The time that passed since the last line came.
    waited: Duration,
    /// Whether the last line waits for the next one, which may belong to it.
    waiting: bool,
    /// Whether lines came of which no news was told.
    fresh: bool,
}

/// What was told of a machine.
#[derive(Debug, Default)]
struct Told {
    events: AnnouncedEvents,
    ledger: IncidentLedger,
    /// How many records it had when news were told last.
    records: u64,
    /// When it spoke last, in our own time.
    spoke: Duration,
}

impl<'p> Session<'p> {
    /// Nothing was read yet.
    pub(crate) fn new(options: Options, patterns: &'p Patterns) -> Self {
        let options = Options { as_it_comes: true, ..options };
        Self {
            patterns,
            recognisers: Recognisers::new(patterns),
            state: Standing {
                reader: Reader::of_machines(options),
                told: vec![Told::default()],
                numbered: 0,
                now: Duration::ZERO,
                waited: Duration::ZERO,
                waiting: false,
                fresh: false,
            },
        }
    }

    /// Lays the patterns down. The last line is complete.
    pub(crate) fn interlude(mut self) -> Interlude {
        self.pause();
        Interlude { recognised: self.recognisers.progress(), state: self.state }
    }

    /// Takes the next line.
    pub(crate) fn line(&mut self, line: &Line<'_>) {
        self.state.reader.line(line, &mut self.recognisers);
        self.state.waited = Duration::ZERO;
        (self.state.fresh, self.state.waiting) = (true, true);
        // In a storm nobody asks for news before this.
        if self.recognisers.all().iter().any(|one| one.count() > 4 * MOST_EVENTS) {
            self.forget();
        }
    }

    /// Whether a value with its length before it follows, see [`Reader::wants_binary`].
    pub(crate) fn wants_binary(&self) -> bool {
        self.state.reader.wants_binary()
    }

    /// Takes that value.
    pub(crate) fn binary(&mut self, value: Option<&str>) {
        self.state.reader.binary(value);
    }

    /// Whether the last line is a part of something that is not complete yet.
    pub(crate) fn is_inside_entry(&self) -> bool {
        self.state.reader.is_inside_entry()
    }

    /// How many lines came.
    pub(crate) fn lines(&self) -> u64 {
        self.state.reader.lines()
    }

    /// Whether what is known follows from the lines before this one, and from no other.
    pub(crate) fn has_come_to(&self, line: u64) -> bool {
        self.state.reader.has_come_to(line)
    }

    /// Whether the last line waits for the next one, which may belong to it.
    pub(crate) fn holds_a_line(&self) -> bool {
        self.state.waiting
    }

    /// Nothing more belongs to the last line: no other came right behind it.
    pub(crate) fn pause(&mut self) {
        self.state.reader.flush(&mut self.recognisers);
        self.state.waiting = false;
    }

    /// It is `now`, by any clock that goes evenly, and so much time has passed since the last line.
    pub(crate) fn waited(&mut self, time: Duration, now: Duration) {
        (self.state.waited, self.state.now) = (time, now);
    }

    /// Whether something may be new: lines came, or an incident waits for the clock.
    pub(crate) fn may_have_news(&self) -> bool {
        self.state.fresh || self.has_open_incidents()
    }

    /// Whether an incident is not over.
    pub(crate) fn has_open_incidents(&self) -> bool {
        self.state.told.iter().any(|told| told.ledger.is_waiting())
    }

    /// How many machines write into the log, as far as that is known.
    pub(crate) fn machines(&self) -> usize {
        self.recognisers.all().len()
    }

    /// Whether there are more than can be told apart: of the others nothing is told.
    pub(crate) fn has_too_many_machines(&self) -> bool {
        self.state.reader.has_too_many_machines()
    }

    /// What is new of each machine of which lines came, or of which an incident waits for the clock. What was told
    /// before, up to `silent`, is passed over: it counts as told.
    pub(crate) fn news(&mut self, silent: bool) -> Vec<News> {
        self.state.fresh = self.state.waiting;
        self.state.told.resize_with(self.machines(), Told::default);
        let due = |(machine, told): (usize, &Told)| {
            let spoke = self.state.reader.records(machine) != told.records;
            (machine == 0 || spoke || told.ledger.is_waiting()).then_some(machine)
        };
        let due: Vec<usize> = self.state.told.iter().enumerate().filter_map(due).collect();
        let news = due.into_iter().map(|machine| self.news_of(machine, silent)).collect();
        if self.recognisers.all().iter().any(|one| one.count() > MOST_EVENTS) {
            self.forget();
        }
        news
    }

    /// What is new of a machine.
    fn news_of(&mut self, machine: usize, silent: bool) -> News {
        let recogniser = &self.recognisers.all()[machine];
        let mut log = Log::so_far(&mut self.state.reader, machine, recogniser, self.patterns);
        let told = &mut self.state.told[machine];
        let records = self.state.reader.records(machine);
        if told.records != records {
            (told.records, told.spoke) =
                (records, self.state.now.saturating_sub(self.state.waited));
        }
        let waited = self.state.now.saturating_sub(told.spoke);
        if let Some(boot) = log.boots.last_mut() {
            boot.last = later(&boot.last, waited);
        }
        let events = told.events.news(&log);
        let conclusions = conclusions(&log, self.patterns);
        let numbered = &mut self.state.numbered;
        let tellings = told.ledger.compare(&log, &conclusions, numbered, waited, silent);
        let events = if silent { Vec::new() } else { events };
        News { machine, log, conclusions, events, tellings }
    }

    /// What is left to tell at the end of the input: every incident is closed.
    pub(crate) fn end(&mut self) -> Vec<News> {
        self.pause();
        self.state.told.resize_with(self.machines(), Told::default);
        self.state.told.iter_mut().for_each(|told| told.ledger.end());
        self.news(false)
    }

    fn forget(&mut self) {
        for recogniser in self.recognisers.all_mut() {
            if recogniser.count() > MOST_EVENTS {
                recogniser.forget(FIRST_EVENTS, LAST_EVENTS);
            }
        }
        self.state.reader.forget_holes(MOST_HOLES);
    }
}

impl Interlude {
    /// Goes on by `patterns`. What follows from them of lines that came before counts as told: the news of last
    /// week are no news.
    pub(crate) fn by(self, patterns: &Patterns) -> Session<'_> {
        let Self { recognised, state } = self;
        let mut session = Session { patterns, recognisers: recognised.by(patterns), state };
        session.news(true);
        session
    }
}

/// `stamp` after `time` has passed, on each of its clocks.
fn later(stamp: &Stamp, time: Duration) -> Stamp {
    let time = Micros(i64::try_from(time.as_micros()).unwrap_or(i64::MAX));
    let wall = stamp.wall.map(|mut wall| {
        wall.local = wall.local.plus(time);
        wall
    });
    Stamp {
        monotonic: stamp.monotonic.map(|it| it.plus(time)),
        passed: stamp.passed.map(|it| it.plus(time)),
        wall,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtin::patterns;
    use crate::incident::outcome::Outcome;

    const A: &str = "amdgpu 0000:03:00.0: amdgpu: ";
    const BEGIN: &str = "GPU reset begin!";
    const TIMEOUT: &str = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";

    struct Live<'p> {
        session: Session<'p>,
        number: u64,
    }

    impl<'p> Live<'p> {
        fn new(patterns: &'p Patterns) -> Self {
            Self { session: Session::new(Options::default(), patterns), number: 0 }
        }

        fn line(&mut self, text: &str) {
            self.number += 1;
            self.session.line(&Line { number: self.number, text, whole: true });
        }

        fn ours(&mut self, at: f64, text: &str) {
            self.line(&format!("[{at:12.6}] {A}{text}"));
        }

        /// What is new so long after the last line.
        fn after(&mut self, seconds: u64) -> Vec<(usize, State, Option<Outcome>)> {
            self.session.pause();
            let time = Duration::from_secs(seconds);
            self.session.waited(time, time);
            let news = self.session.news(false);
            let told =
                news.iter().flat_map(|news| news.tellings.iter().map(move |one| (news, one)));
            told.map(|(news, one)| {
                let finding = news.conclusions.findings.get(one.finding);
                (one.number, one.state, finding.map(|it| it.incident.outcome))
            })
            .collect()
        }
    }

    #[test]
    fn the_clock_tells_what_does_not_happen() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        assert_eq!(live.after(0), [(1, State::Open, Some(Outcome::Unknown))]);
        assert_eq!(live.after(59), []);
        assert_eq!(live.after(61), [(1, State::Revised, Some(Outcome::NeverCompleted))]);
        assert_eq!(live.after(200), []);
        assert_eq!(live.after(301), [(1, State::Closed, Some(Outcome::NeverCompleted))]);
        assert!(!live.session.may_have_news());
        assert_eq!(live.after(10_000), []);
    }

    #[test]
    fn a_line_that_comes_in_time_changes_the_end() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        live.after(0);
        live.ours(12.0, "GPU reset(1) succeeded!");
        // It is revised once, and not before the dust has settled.
        assert_eq!(live.after(0), []);
        assert_eq!(live.after(3), [(1, State::Revised, Some(Outcome::Recovered))]);
        assert_eq!(live.after(6), [(1, State::Closed, Some(Outcome::Recovered))]);
        live.ours(60.0, "[drm:x [amdgpu]] *ERROR* Failed to initialize parser -125!");
        let lost = Some(Outcome::RecoveredContextLost);
        assert_eq!(live.after(0), []);
        assert!(live.session.may_have_news(), "it is told without another line");
        assert_eq!(live.after(3), [(1, State::Revised, lost)], "what was left behind is told");
        assert!(!live.session.may_have_news());
        live.ours(90.0, TIMEOUT);
        assert_eq!(live.after(3).first().map(|told| (told.0, told.1)), Some((2, State::Open)));
    }

    #[test]
    fn patterns_that_are_loaded_again_go_on_with_what_is_open() {
        let patterns = [patterns(), patterns()];
        let mut live = Live::new(&patterns[0]);
        live.ours(1.0, TIMEOUT);
        live.ours(1.5, BEGIN);
        live.ours(2.0, "GPU reset(1) succeeded!");
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        assert_eq!(live.after(0).len(), 2);
        let Live { session, number } = live;
        let mut live = Live { session: session.interlude().by(&patterns[1]), number };
        assert_eq!(live.after(0), []);
        live.ours(12.0, "GPU reset(2) succeeded!");
        assert_eq!(live.after(6), [(2, State::Closed, Some(Outcome::Recovered))]);
        live.ours(90.0, TIMEOUT);
        assert_eq!(live.after(3).first().map(|told| (told.0, told.1)), Some((3, State::Open)));
    }

    #[test]
    fn what_was_read_in_silence_counts_as_told() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        live.session.pause();
        let news = live.session.news(true);
        assert!(news.iter().all(|news| news.events.is_empty() && news.tellings.is_empty()));
        assert_eq!(live.after(0), []);
        live.ours(12.0, "GPU reset(1) succeeded!");
        assert_eq!(live.after(6), [(1, State::Closed, Some(Outcome::Recovered))]);
    }

    /// The first machine's reset is not the second one's.
    #[test]
    fn machines_that_write_into_one_log_have_incidents_of_their_own() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        // Their clocks are of different zones, and one is years ahead.
        let written = |second: u32, host: &str, text: &str| {
            let date = match host {
                "node1" => "2026-03-04T10",
                "node2" => "2026-03-04T18",
                _ => "2036-01-01T00",
            };
            format!("{date}:00:{second:02}.000000+00:00 {host} kernel: {A}{text}")
        };
        for (second, host, text) in [
            (1, "node1", "SMU is initialized successfully!"),
            (2, "node2", "SMU is initialized successfully!"),
            (3, "node3", "SMU is initialized successfully!"),
            (10, "node1", TIMEOUT),
            (11, "node2", TIMEOUT),
            (12, "node1", BEGIN),
            (13, "node2", BEGIN),
            (14, "node2", "GPU reset(1) succeeded!"),
        ] {
            live.line(&written(second, host, text));
        }
        live.session.pause();
        assert_eq!(live.session.news(true).len(), 3);
        // The third machine goes on to write.
        live.line(&written(20, "node3", "SMU is initialized successfully!"));
        live.session.pause();
        live.session.waited(Duration::ZERO, Duration::from_secs(6));
        let news = live.session.news(false);
        let told: Vec<_> = news
            .iter()
            .flat_map(|news| {
                let host = news.log.reading.host.clone().unwrap();
                news.tellings.iter().map(move |one| {
                    let outcome = news.conclusions.findings[one.finding].incident.outcome;
                    (host.clone(), one.number, one.state, outcome)
                })
            })
            .collect();
        // The first is where it was: its reset has a minute left.
        assert_eq!(told, [("node2".to_owned(), 2, State::Closed, Outcome::Recovered)]);
        assert_eq!(live.session.machines(), 3);
        let closed: Vec<_> =
            live.session.end().iter().flat_map(|news| news.tellings.clone()).collect();
        assert_eq!(
            closed.iter().map(|one| (one.number, one.state)).collect::<Vec<_>>(),
            [(1, State::Closed)]
        );
    }

    #[test]
    fn a_storm_is_told_whole_and_kept_in_part() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.line("[    1.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91");
        let (mut events, mut states) = (0, Vec::new());
        for at in 0..30_000_u32 {
            live.ours(10.0 + f64::from(at) / 1000.0, "ring gfx_0.0.0 timeout, but soft recovered");
            if at % 1_000 == 999 {
                live.session.pause();
                let news = live.session.news(false).remove(0);
                events += news.events.len();
                states.extend(news.tellings.iter().map(|told| (told.number, told.state)));
                assert_eq!(news.log.boots[0].kernel.as_deref(), Some("6.8.0-90-generic"));
            }
        }
        assert_eq!(events, 30_001);
        assert_eq!(states, [(1, State::Open)], "it is one incident, and goes on");
        assert!(live.session.recognisers.all()[0].count() <= MOST_EVENTS);
    }
}
