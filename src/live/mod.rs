//! Analyses a growing log and reports what is new as early as possible.
//!
//! The input is lines; the output is each event, and each incident when it opens, when its
//! conclusions change, and when it closes. Time advances while no line comes, so that something
//! that does not happen in time is noticed.

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
pub(crate) use ledger::{IncidentUpdate, State};

/// Maximum number of events to keep. Beyond it, the first ones (which identify the GPUs) and the
/// last ones are kept and the others are only counted.
const MOST_EVENTS: usize = 12_000;
const FIRST_EVENTS: usize = 1_000;
const LAST_EVENTS: usize = 6_000;
/// Maximum number of gaps in the log to remember.
const MOST_HOLES: usize = 1_000;

/// The current conclusions about a machine, and what is new.
#[derive(Debug)]
pub(crate) struct News {
    /// The machine, by index.
    pub machine: usize,
    /// Its log so far.
    pub log: Log,
    /// The conclusions about it.
    pub conclusions: Conclusions,
    /// The events that are new or have grown.
    pub events: Vec<NewEvent>,
    /// The incidents to report.
    pub updates: Vec<IncidentUpdate>,
}

/// An event to report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NewEvent {
    /// Its index in the events of the log.
    pub place: usize,
    /// Whether it was reported before and a later line extends it.
    pub again: bool,
}

/// Follows one log, in which several machines may write.
#[derive(Debug)]
pub(crate) struct Session<'p> {
    patterns: &'p Patterns,
    recognisers: Recognisers<'p>,
    state: SessionState,
}

/// A session without its patterns, while they are reloaded.
#[derive(Debug)]
pub(crate) struct SuspendedSession {
    recognised: AllProgress,
    state: SessionState,
}

/// The state of a session.
#[derive(Debug)]
struct SessionState {
    reader: Reader,
    /// What was reported of each machine.
    reports: Vec<MachineReports>,
    /// The number of incidents so far.
    numbered: usize,
    /// The current time, monotonic. The clocks of several machines are not compared, because they
    /// may differ.
    now: Duration,
    /// The time since the last line.
    waited: Duration,
    /// Whether the last line is held back, because the next one may continue it.
    waiting: bool,
    /// Whether lines came since news were last taken.
    fresh: bool,
}

/// What was reported of a machine.
#[derive(Debug, Default)]
struct MachineReports {
    events: AnnouncedEvents,
    ledger: IncidentLedger,
    /// Its number of records when news were last taken.
    records: u64,
    /// When its last line came, in the session's time.
    spoke: Duration,
}

impl<'p> Session<'p> {
    /// A session that has read nothing.
    pub(crate) fn new(options: Options, patterns: &'p Patterns) -> Self {
        let options = Options { as_it_comes: true, ..options };
        Self {
            patterns,
            recognisers: Recognisers::new(patterns),
            state: SessionState {
                reader: Reader::of_machines(options),
                reports: vec![MachineReports::default()],
                numbered: 0,
                now: Duration::ZERO,
                waited: Duration::ZERO,
                waiting: false,
                fresh: false,
            },
        }
    }

    /// Detaches the patterns. The last line is taken as complete.
    pub(crate) fn suspend(mut self) -> SuspendedSession {
        self.pause();
        SuspendedSession { recognised: self.recognisers.progress(), state: self.state }
    }

    /// Takes the next line.
    pub(crate) fn line(&mut self, line: &Line<'_>) {
        self.state.reader.line(line, &mut self.recognisers);
        self.state.waited = Duration::ZERO;
        (self.state.fresh, self.state.waiting) = (true, true);
        // During a burst of lines, news are not taken earlier than this.
        if self.recognisers.all().iter().any(|one| one.count() > 4 * MOST_EVENTS) {
            self.forget();
        }
    }

    /// Whether a length-prefixed value follows, see [`Reader::wants_binary`].
    pub(crate) fn wants_binary(&self) -> bool {
        self.state.reader.wants_binary()
    }

    /// Takes such a value.
    pub(crate) fn binary(&mut self, value: Option<&str>) {
        self.state.reader.binary(value);
    }

    /// Whether the last line is part of an incomplete entry.
    pub(crate) fn is_inside_entry(&self) -> bool {
        self.state.reader.is_inside_entry()
    }

    /// The number of lines so far.
    pub(crate) fn lines(&self) -> u64 {
        self.state.reader.lines()
    }

    /// Whether the conclusions cover exactly the lines before this one.
    pub(crate) fn has_come_to(&self, line: u64) -> bool {
        self.state.reader.has_come_to(line)
    }

    /// Whether the last line is held back, because the next one may continue it.
    pub(crate) fn holds_a_line(&self) -> bool {
        self.state.waiting
    }

    /// Takes the last line as complete, because none followed at once.
    pub(crate) fn pause(&mut self) {
        self.state.reader.flush(&mut self.recognisers);
        self.state.waiting = false;
    }

    /// Advances the time to `now` (monotonic), `time` after the last line.
    pub(crate) fn waited(&mut self, time: Duration, now: Duration) {
        (self.state.waited, self.state.now) = (time, now);
    }

    /// Whether something may be new: lines came, or an incident may change as time passes.
    pub(crate) fn may_have_news(&self) -> bool {
        self.state.fresh || self.has_open_incidents()
    }

    /// Whether an incident is still open.
    pub(crate) fn has_open_incidents(&self) -> bool {
        self.state.reports.iter().any(|told| told.ledger.is_waiting())
    }

    /// The numbers of the incidents that were reported and are not over, in order.
    pub(crate) fn open_incidents(&self) -> Vec<usize> {
        let mut open: Vec<usize> =
            self.state.reports.iter().flat_map(|told| told.ledger.open()).collect();
        open.sort_unstable();
        open
    }

    /// The number of machines seen in the log.
    pub(crate) fn machines(&self) -> usize {
        self.recognisers.all().len()
    }

    /// Whether there are more machines than can be followed; the others are not reported.
    pub(crate) fn has_too_many_machines(&self) -> bool {
        self.state.reader.has_too_many_machines()
    }

    /// The news of each machine that wrote lines or has an incident that may change with time. With
    /// `silent`, everything is recorded as reported.
    pub(crate) fn news(&mut self, silent: bool) -> Vec<News> {
        self.state.fresh = self.state.waiting;
        self.state.reports.resize_with(self.machines(), MachineReports::default);
        let due = |(machine, told): (usize, &MachineReports)| {
            let spoke = self.state.reader.records(machine) != told.records;
            (machine == 0 || spoke || told.ledger.is_waiting()).then_some(machine)
        };
        let due: Vec<usize> = self.state.reports.iter().enumerate().filter_map(due).collect();
        let news = due.into_iter().map(|machine| self.news_of(machine, silent)).collect();
        if self.recognisers.all().iter().any(|one| one.count() > MOST_EVENTS) {
            self.forget();
        }
        news
    }

    /// The news of a machine.
    fn news_of(&mut self, machine: usize, silent: bool) -> News {
        let recogniser = &self.recognisers.all()[machine];
        let mut log = Log::so_far(&mut self.state.reader, machine, recogniser, self.patterns);
        let told = &mut self.state.reports[machine];
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
        News { machine, log, conclusions, events, updates: tellings }
    }

    /// The final news at the end of the input: every incident is closed.
    pub(crate) fn end(&mut self) -> Vec<News> {
        self.last_news(IncidentLedger::end)
    }

    /// The final news when reading stops while the log goes on: every incident is reported, and
    /// open ones stay open.
    pub(crate) fn stop(&mut self) -> Vec<News> {
        self.last_news(IncidentLedger::stop)
    }

    fn last_news(&mut self, end: fn(&mut IncidentLedger)) -> Vec<News> {
        self.pause();
        self.state.reports.resize_with(self.machines(), MachineReports::default);
        self.state.reports.iter_mut().for_each(|told| end(&mut told.ledger));
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

impl SuspendedSession {
    /// Continues with `patterns`. Conclusions from earlier lines count as reported: old news are
    /// not repeated.
    pub(crate) fn by(self, patterns: &Patterns) -> Session<'_> {
        let Self { recognised, state } = self;
        let mut session = Session { patterns, recognisers: recognised.by(patterns), state };
        session.news(true);
        session
    }
}

/// `stamp` plus `time`, on each of its clocks.
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
        anchor: stamp.anchor,
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

        /// The news this many seconds after the last line.
        fn after(&mut self, seconds: u64) -> Vec<(usize, State, Option<Outcome>)> {
            self.session.pause();
            let time = Duration::from_secs(seconds);
            self.session.waited(time, time);
            let news = self.session.news(false);
            let told = news.iter().flat_map(|news| news.updates.iter().map(move |one| (news, one)));
            told.map(|(news, one)| {
                let finding = news.conclusions.findings.get(one.finding);
                (one.number, one.state, finding.map(|it| it.incident.outcome))
            })
            .collect()
        }
    }

    #[test]
    fn a_recovery_without_end_is_reported_by_the_clock() {
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

    /// The incidents to act on, this many seconds after the last line.
    fn alarms(live: &mut Live<'_>, seconds: u64) -> Vec<(usize, State)> {
        live.session.pause();
        let time = Duration::from_secs(seconds);
        live.session.waited(time, time);
        called(&live.session.news(false))
    }

    fn called(news: &[News]) -> Vec<(usize, State)> {
        let updates = news.iter().flat_map(|news| &news.updates).filter(|one| one.is_alarm);
        updates.map(|one| (one.number, one.state)).collect()
    }

    /// Somebody who has to act does not wait until nothing more can happen.
    #[test]
    fn an_alarm_is_raised_when_a_gpu_does_not_come_back_and_once() {
        let patterns = patterns();
        for lines in [&[TIMEOUT, BEGIN][..], &[TIMEOUT]] {
            let mut live = Live::new(&patterns);
            for (at, text) in (0_u8..).zip(lines) {
                live.ours(10.0 + f64::from(at), text);
            }
            assert_eq!(alarms(&mut live, 3), []);
            assert_eq!(alarms(&mut live, 61), [(1, State::Revised)]);
            assert_eq!(alarms(&mut live, 301), []);
            assert_eq!(called(&live.session.end()), []);
        }
        // One that recovered is over soon.
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        assert_eq!(alarms(&mut live, 3), []);
        assert_eq!(alarms(&mut live, 61), [(1, State::Revised)]);
        live.ours(90.0, "GPU reset(1) succeeded!");
        assert_eq!(alarms(&mut live, 6), [(1, State::Closed)], "it came back after all");
    }

    #[test]
    fn an_alarm_is_raised_for_what_is_open_at_the_end() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        assert_eq!(live.after(3).len(), 1);
        let news = live.session.stop();
        assert_eq!(called(&news), [(1, State::Open)]);
        assert!(news.iter().flat_map(|news| &news.updates).all(|one| !one.is_news));
        assert_eq!(called(&live.session.stop()), []);
    }

    /// A revision for something small must not hide the news that matter most.
    #[test]
    fn a_gpu_that_does_not_come_back_is_reported_whatever_came_before() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        assert_eq!(live.after(3).len(), 1);
        live.ours(13.5, "MES failed to respond to msg=REMOVE_QUEUE");
        live.ours(14.0, BEGIN);
        assert_eq!(live.after(3).first().map(|told| told.1), Some(State::Revised));
        let told = [(1, State::Revised, Some(Outcome::NeverCompleted))];
        assert_eq!(live.after(61), told);
        assert_eq!(live.after(62), []);
    }

    #[test]
    fn a_line_in_time_changes_the_outcome() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        live.after(0);
        live.ours(12.0, "GPU reset(1) succeeded!");
        // It is revised once, after things have settled.
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
        let mut live = Live { session: session.suspend().by(&patterns[1]), number };
        assert_eq!(live.after(0), []);
        live.ours(12.0, "GPU reset(2) succeeded!");
        assert_eq!(live.after(6), [(2, State::Closed, Some(Outcome::Recovered))]);
        live.ours(90.0, TIMEOUT);
        assert_eq!(live.after(3).first().map(|told| (told.0, told.1)), Some((3, State::Open)));
    }

    #[test]
    fn existing_lines_count_as_reported() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        live.ours(10.0, TIMEOUT);
        live.ours(10.5, BEGIN);
        live.session.pause();
        let news = live.session.news(true);
        assert!(news.iter().all(|news| news.events.is_empty() && news.updates.is_empty()));
        assert_eq!(live.after(0), []);
        live.ours(12.0, "GPU reset(1) succeeded!");
        assert_eq!(live.after(6), [(1, State::Closed, Some(Outcome::Recovered))]);
    }

    /// A reset of the first machine does not belong to the second one.
    #[test]
    fn machines_that_write_into_one_log_have_incidents_of_their_own() {
        let patterns = patterns();
        let mut live = Live::new(&patterns);
        // Their clocks are in different zones, and one is years ahead.
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
        // The third machine continues to write.
        live.line(&written(20, "node3", "SMU is initialized successfully!"));
        live.session.pause();
        live.session.waited(Duration::ZERO, Duration::from_secs(6));
        let news = live.session.news(false);
        let told: Vec<_> = news
            .iter()
            .flat_map(|news| {
                let host = news.log.reading.host.clone().unwrap();
                news.updates.iter().map(move |one| {
                    let outcome = news.conclusions.findings[one.finding].incident.outcome;
                    (host.clone(), one.number, one.state, outcome)
                })
            })
            .collect();
        // The first machine's incident is unchanged: its reset has a minute left.
        assert_eq!(told, [("node2".to_owned(), 2, State::Closed, Outcome::Recovered)]);
        assert_eq!(live.session.machines(), 3);
        let closed: Vec<_> =
            live.session.end().iter().flat_map(|news| news.updates.clone()).collect();
        assert_eq!(
            closed.iter().map(|one| (one.number, one.state)).collect::<Vec<_>>(),
            [(1, State::Closed)]
        );
    }

    #[test]
    fn a_storm_is_reported_in_full_and_kept_in_part() {
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
                states.extend(news.updates.iter().map(|told| (told.number, told.state)));
                assert_eq!(news.log.boots[0].kernel.as_deref(), Some("6.8.0-90-generic"));
            }
        }
        assert_eq!(events, 30_001);
        assert_eq!(states, [(1, State::Open)], "it is one incident, and goes on");
        assert!(live.session.recognisers.all()[0].count() <= MOST_EVENTS);
    }
}
