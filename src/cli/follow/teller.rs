//! Reports what is new in a growing log: to people, to programs and to a hook.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cli::args::{FollowArguments, On, StreamFormat};
use crate::cli::bookmark::{Bookmark, micros};
use crate::cli::failure::Failure;
use crate::cli::follow::name::FileName;
use crate::cli::hook::{Hook, Subject, Trouble};
use crate::cli::notify::Manager;
use crate::cli::output::Target;
use crate::cli::streams::Streams;
use crate::cli::watch::Listener;
use crate::cli::{patterns, settings};
use crate::document::counts::joined;
use crate::document::terminal::Look;
use crate::input::live::Mark;
use crate::live::{IncidentUpdate, NewEvent};
use crate::pattern::Patterns;
use crate::pattern::signature::Severity;
use crate::record::HoleKind;
use crate::report::json::live::LiveHook;
use crate::report::live::{self as told, EventLines};
use crate::report::{ReportPart, json, listing};
use crate::value::PciAddress;

/// The interval for writing the cursor file if there are no news.
const SELDOM: Duration = Duration::from_secs(10);

/// The time without an event after which the number of repeated ones is shown.
const QUIET: Duration = Duration::from_secs(2);

/// The content of the cursor file, and when it was written.
#[derive(Default)]
struct Stored {
    place: Bookmark,
    at: Option<Instant>,
    /// Whether the last write failed.
    failing: bool,
}

/// Reports news to people and programs.
pub(super) struct Teller<'a, 's> {
    format: StreamFormat,
    /// The selected GPU.
    device: Option<PciAddress>,
    look: Look,
    /// Whether events that only describe the machine are reported, too.
    all: bool,
    quiet: bool,
    /// Whether incidents are reported in full when they are over; otherwise a report follows.
    in_full: bool,
    on: On,
    hook: Option<Hook>,
    /// The command of the hook.
    command: String,
    /// The name of the log, if it is a file.
    file: Option<FileName>,
    cursor: Option<Target<'a>>,
    /// The content of the cursor file.
    stored: Stored,
    manager: Manager,
    worst: Option<Severity>,
    /// The incidents that count for the exit status and are not over; none if a report follows.
    open: BTreeSet<usize>,
    /// The number of lost lines, for each machine if there are several.
    lost: BTreeMap<Option<usize>, u64>,
    /// The machine of the last report, if there are several.
    speaker: Option<usize>,
    /// The lines of events for people, and when the last event came.
    lines: EventLines,
    last: Option<Instant>,
    streams: &'a mut Streams<'s>,
}

impl<'a, 's> Teller<'a, 's> {
    /// Reports everything to a person, but incidents that are over not in full.
    pub(super) fn new(look: Look, all: bool, streams: &'a mut Streams<'s>) -> Self {
        Self {
            format: StreamFormat::Human,
            device: None,
            look,
            all,
            quiet: false,
            in_full: false,
            on: On::Incident,
            hook: None,
            command: String::new(),
            file: None,
            cursor: None,
            stored: Stored::default(),
            manager: Manager::new(None, false),
            worst: None,
            open: BTreeSet::new(),
            lost: BTreeMap::new(),
            speaker: None,
            lines: EventLines::default(),
            last: None,
            streams,
        }
    }

    /// Reports what the arguments select, and incidents that are over in full.
    pub(super) fn asked(
        arguments: &FollowArguments,
        hook: Option<Hook>,
        cursor: Option<Target<'a>>,
        streams: &'a mut Streams<'s>,
    ) -> Self {
        Self {
            format: arguments.form.format,
            device: arguments.device,
            quiet: arguments.quiet,
            in_full: true,
            on: arguments.on,
            hook,
            command: arguments.exec.clone().unwrap_or_default(),
            file: arguments.file.as_deref().and_then(FileName::of),
            cursor,
            manager: Manager::new(settings::notify_socket().as_deref(), settings::is_watched()),
            ..Self::new(settings::look(arguments.color), arguments.all, streams)
        }
    }

    /// Announces that everything needed is open.
    pub(super) fn begin(&mut self) {
        self.manager.tell("READY=1");
    }

    /// The highest severity reported so far.
    pub(super) const fn worst(&self) -> Option<Severity> {
        self.worst
    }

    /// Whether to report something about these GPUs, or about none.
    fn wants(&self, mut about: impl Iterator<Item = PciAddress> + Clone) -> bool {
        self.device.is_none_or(|device| {
            about.clone().next().is_none() || about.any(|address| address == device)
        })
    }

    fn event(&mut self, part: &ReportPart, new: NewEvent) -> io::Result<()> {
        let device = part.log.events.get(new.place).and_then(|observed| observed.device);
        if !self.wants(device.into_iter()) {
            return Ok(());
        }
        if self.on == On::Event {
            self.call(part, None, |json| json::live::write_event(part, new, json));
        }
        match (self.format, self.quiet) {
            (_, true) => Ok(()),
            (StreamFormat::Ndjson, false) => {
                json::live::write_event(part, new, &mut self.streams.out)
            }
            (StreamFormat::Human, false) => {
                self.last = Some(Instant::now());
                self.lines.add(part, new, self.all, self.look, &mut self.streams.out)
            }
        }
    }

    fn incident(&mut self, part: &ReportPart, telling: IncidentUpdate) -> io::Result<()> {
        let finding = part.conclusions.findings.get(telling.finding);
        let devices = finding.map(|finding| finding.incident.devices.as_slice());
        if !self.wants(devices.unwrap_or_default().iter().copied()) {
            return Ok(());
        }
        self.worst = self.worst.max(finding.map(|finding| finding.severity));
        if telling.over || !self.in_full {
            self.open.remove(&telling.number);
        } else {
            self.open.insert(telling.number);
        }
        let calls = match self.on {
            On::Incident => telling.is_alarm,
            On::Diagnosis => telling.is_news,
            On::Event => false,
        };
        if calls {
            let number = Some(telling.number);
            self.call(part, number, |json| json::live::write_incident(part, telling, json));
        }
        if !telling.is_news {
            return Ok(());
        }
        match self.format {
            StreamFormat::Ndjson => {
                json::live::write_incident(part, telling, &mut self.streams.out)
            }
            StreamFormat::Human => {
                self.lines.end(self.look, &mut self.streams.out)?;
                told::write_incident(part, telling, self.in_full, self.look, &mut self.streams.out)
            }
        }
    }

    /// Runs the hook.
    fn call(
        &mut self,
        part: &ReportPart,
        incident: Option<usize>,
        write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>,
    ) {
        let Some(hook) = &mut self.hook else { return };
        let mut json = Vec::new();
        // Writing to memory cannot fail.
        if write(&mut json).is_ok() {
            hook.call(Subject { incident, host: part.log.reading.host.clone() }, json);
        }
    }

    /// Reloads the patterns; `None` if they have mistakes, which are reported.
    pub(super) fn reloaded(&mut self, folders: &[PathBuf]) -> Option<Patterns> {
        match patterns::loaded(folders) {
            Ok(patterns) => {
                self.notice("the patterns were loaded again");
                Some(patterns)
            }
            Err(failure) => {
                self.tell(&failure, "going on with the patterns that were loaded before");
                None
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.streams.messages.say(text);
    }

    /// Says something about the log or the files of this program, to programs as well.
    pub(super) fn notice(&mut self, text: &str) {
        self.write_notice(text);
        self.say(text);
    }

    /// Reports a failure that does not end the watch, to programs as well.
    pub(super) fn tell(&mut self, failure: &Failure, then: &str) {
        self.write_notice(&format!("{failure}; {then}"));
        self.streams.messages.tell(failure);
        self.say(then);
    }

    fn write_notice(&mut self, text: &str) {
        if self.format == StreamFormat::Ndjson {
            // If nobody reads the output any more, this is not needed.
            let _ = json::live::write_notice(text, &mut self.streams.out)
                .and_then(|()| self.streams.out.flush());
        }
    }

    /// Reports how many lines the kernel or a daemon has lost so far.
    fn say_what_is_lost(&mut self, part: &ReportPart, machine: Option<usize>) {
        let lost = part.log.reading.holes.iter().filter(|hole| hole.kind == HoleKind::Overrun);
        let lost: u64 = lost.filter_map(|hole| hole.lost).sum();
        // Of many gaps some are forgotten, so the count may shrink.
        let before = self.lost.insert(machine, lost).unwrap_or_default();
        if lost > before {
            let of = if machine.is_some() { format!("{}: ", part.name) } else { String::new() };
            let more = lost - before;
            self.notice(&format!("{of}{more} records were overwritten before they could be read"));
        }
    }

    pub(super) fn finish(&mut self) {
        self.manager.tell("STOPPING=1");
        // If nobody reads the output any more, this is not needed.
        let _ = self
            .lines
            .end(self.look, &mut self.streams.out)
            .and_then(|()| self.streams.out.flush());
        if let Some(hook) = self.hook.take() {
            self.tell_troubles(hook.finish());
        }
    }

    /// Reports failures of the hook, to programs as well.
    fn tell_troubles(&mut self, troubles: Vec<Trouble>) {
        for trouble in troubles {
            if self.format == StreamFormat::Ndjson {
                // If nobody reads the output any more, this is not needed.
                let error = trouble.error.to_string();
                let object = LiveHook {
                    incident: trouble.subject.incident,
                    host: trouble.subject.host.as_deref(),
                    command: &self.command,
                    error: &error,
                };
                let _ = json::live::write_trouble(object, &mut self.streams.out)
                    .and_then(|()| self.streams.out.flush());
            }
            self.say(&format!("--exec: {trouble}"));
        }
    }
}

impl Listener for Teller<'_, '_> {
    fn news(
        &mut self,
        part: &ReportPart,
        machine: Option<usize>,
        events: &[NewEvent],
        tellings: &[IncidentUpdate],
    ) -> Result<(), Failure> {
        if self.format == StreamFormat::Human && machine.is_some() && self.speaker != machine {
            let counted = self.lines.end(self.look, &mut self.streams.out);
            counted.map_err(Failure::Output)?;
            if !self.quiet || tellings.iter().any(|one| one.is_news) {
                self.speaker = machine;
                listing::heading(&part.name, false, &mut self.streams.out)
                    .map_err(Failure::Output)?;
            }
        }
        let told = events.iter().try_for_each(|new| self.event(part, *new));
        told.and_then(|()| tellings.iter().try_for_each(|one| self.incident(part, *one)))
            .and_then(|()| self.streams.out.flush())
            .map_err(Failure::Output)?;
        self.say_what_is_lost(part, machine);
        Ok(())
    }

    fn mark(&mut self, mark: &Mark) {
        match mark {
            Mark::Rotated => {
                self.notice("the file was replaced by a new one; reading that from the start");
                if self.file.as_mut().is_some_and(FileName::has_skipped_a_file) {
                    self.notice(
                        "a file that had the name in between is not there any more, or is compressed; its lines are lost",
                    );
                }
            }
            Mark::Truncated => self.notice(
                "the file was truncated; reading it from the start. Lines written just before may be lost",
            ),
            Mark::Interrupted(why) => {
                let why = if why.is_empty() { "without a message" } else { why };
                self.notice(&format!("journalctl ended ({why}); starting it again"));
            }
            Mark::Resumed => self.notice("journalctl runs again, after the last entry"),
            Mark::Lost => self.notice(
                "a file that was read before is not there any more; lines written to it since then are lost",
            ),
            Mark::CaughtUp
            | Mark::Remembered
            | Mark::Read { .. }
            | Mark::Left { .. }
            | Mark::Reload
            | Mark::Stop => {}
        }
    }

    fn look(&mut self) {
        self.manager.ping_watchdog();
        if self.last.is_some_and(|last| last.elapsed() >= QUIET) {
            self.last = None;
            // If nobody reads the output any more, the next event ends the run.
            let _ = self
                .lines
                .write_counts(self.look, &mut self.streams.out)
                .and_then(|()| self.streams.out.flush());
        }
        if let Some(text) = self.file.as_mut().and_then(FileName::change) {
            self.notice(text);
        }
        if let Some(hook) = &self.hook {
            let troubles = hook.troubles();
            self.tell_troubles(troubles);
        }
    }

    fn left_open(&mut self, incidents: &[usize]) {
        let shown: Vec<&usize> = incidents.iter().filter(|one| self.open.contains(one)).collect();
        let numbers = joined(&shown, ", ");
        match shown.len() {
            0 => {}
            1 => self.notice(&format!("stopped while incident {numbers} is open")),
            _ => self.notice(&format!("stopped while incidents {numbers} are open")),
        }
    }

    fn too_many_machines(&mut self) {
        self.notice("more machines write into this log than the 64 that are kept apart; the others are not watched");
    }

    fn caught_up(&mut self, found: usize, _: u64) {
        let told = match found {
            0 => "no failure in the existing lines; new ones are reported as they occur".to_owned(),
            1 => "1 incident in the existing lines; only new ones are reported".to_owned(),
            _ => format!("{found} incidents in the existing lines; only new ones are reported"),
        };
        self.say(&told);
    }

    fn reported(&mut self, place: &Bookmark, news: bool) {
        let Stored { place: before, at, .. } = &self.stored;
        // Without news, reading the last entries again has no effect.
        let due = news || at.is_none_or(|at| at.elapsed() >= SELDOM);
        let Some(file) = self.cursor.as_ref().filter(|_| due && (news || place != before)) else {
            return;
        };
        let micros = micros(settings::since_1970());
        let told = Bookmark { told: micros, ..place.clone() };
        let stored = file.replaced(|out| {
            serde_json::to_writer(&mut *out, &told)?;
            out.write_all(b"\n")
        });
        self.stored.at = Some(Instant::now());
        // A full disk must not end the watch. The file keeps the earlier position; the next attempt
        // is made with the next news.
        let (told, failing) = match stored {
            Ok(()) => {
                self.stored.place = place.clone();
                (self.stored.failing.then(|| "the cursor file is written again".to_owned()), false)
            }
            Err(source) => {
                let failure = Failure::CursorFile { path: file.path().to_owned(), source };
                let text = format!("{failure}; going on without it, and trying again");
                ((!self.stored.failing).then_some(text), true)
            }
        };
        self.stored.failing = failing;
        if let Some(text) = told {
            self.notice(&text);
        }
    }
}
