//! Tells what is new in a log that grows: to people, to programs and to a hook.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::cli::args::{FollowArguments, ListFormat, On};
use crate::cli::bookmark::{Bookmark, micros};
use crate::cli::failure::Failure;
use crate::cli::hook::{Hook, Trouble};
use crate::cli::notify::Manager;
use crate::cli::output::Target;
use crate::cli::streams::Streams;
use crate::cli::watch::Listener;
use crate::cli::{patterns, settings};
use crate::document::terminal::Look;
use crate::input::live::Mark;
use crate::live::{NewEvent, Telling};
use crate::pattern::Patterns;
use crate::pattern::signature::Severity;
use crate::record::HoleKind;
use crate::report::{ReportPart, json, listing, live as told};
use crate::value::PciAddress;

/// Without news a cursor file is written so often.
const SELDOM: Duration = Duration::from_secs(10);

/// What a cursor file holds, and since when.
#[derive(Default)]
struct Stored {
    place: Bookmark,
    at: Option<Instant>,
    /// Whether it could not be written the last time.
    failing: bool,
}

/// Tells people and programs what is new.
pub(super) struct Teller<'a, 's> {
    format: ListFormat,
    /// The GPU that is told about, if it is one.
    device: Option<PciAddress>,
    look: Look,
    /// Whether events that only introduce a machine are told, too.
    all: bool,
    quiet: bool,
    /// Whether an incident that is over is told in full; if not, a report will.
    in_full: bool,
    on: On,
    hook: Option<Hook>,
    cursor: Option<Target<'a>>,
    /// What the cursor file holds.
    stored: Stored,
    manager: Manager,
    worst: Option<Severity>,
    /// How many lines are missing, of each machine where there are several.
    lost: BTreeMap<Option<usize>, u64>,
    /// The machine that was told of last, where there are several.
    speaker: Option<usize>,
    streams: &'a mut Streams<'s>,
}

impl<'a, 's> Teller<'a, 's> {
    /// Tells a person all there is, and of an incident that is over no more than that.
    pub(super) fn new(look: Look, all: bool, streams: &'a mut Streams<'s>) -> Self {
        Self {
            format: ListFormat::Human,
            device: None,
            look,
            all,
            quiet: false,
            in_full: false,
            on: On::Incident,
            hook: None,
            cursor: None,
            stored: Stored::default(),
            manager: Manager::new(None, false),
            worst: None,
            lost: BTreeMap::new(),
            speaker: None,
            streams,
        }
    }

    /// Tells what was asked for, and of an incident that is over all there is.
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
            cursor,
            manager: Manager::new(settings::notify_socket().as_deref(), settings::is_watched()),
            ..Self::new(settings::look(arguments.color), arguments.all, streams)
        }
    }

    /// Says that all that is needed is open.
    pub(super) fn begin(&mut self) {
        self.manager.tell("READY=1");
    }

    /// How bad the worst of what was told is.
    pub(super) const fn worst(&self) -> Option<Severity> {
        self.worst
    }

    /// Whether what is about these GPUs, or about none that is named, is told.
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
            self.call(|json| json::live::write_event(part, new, json));
        }
        match (self.format, self.quiet) {
            (_, true) => Ok(()),
            (ListFormat::Ndjson, false) => {
                json::live::write_event(part, new, &mut self.streams.out)
            }
            (ListFormat::Human, false) => {
                told::write_event(part, new, self.all, self.look, &mut self.streams.out)
            }
        }
    }

    fn incident(&mut self, part: &ReportPart, telling: Telling) -> io::Result<()> {
        let finding = part.conclusions.findings.get(telling.finding);
        let devices = finding.map(|finding| finding.incident.devices.as_slice());
        if !self.wants(devices.unwrap_or_default().iter().copied()) {
            return Ok(());
        }
        self.worst = self.worst.max(finding.map(|finding| finding.severity));
        // Who acted on an incident that was over has to learn what it turned out to be.
        if self.on == On::Diagnosis || (self.on == On::Incident && telling.over) {
            self.call(|json| json::live::write_incident(part, telling, json));
        }
        match self.format {
            ListFormat::Ndjson => json::live::write_incident(part, telling, &mut self.streams.out),
            ListFormat::Human => {
                told::write_incident(part, telling, self.in_full, self.look, &mut self.streams.out)
            }
        }
    }

    fn call(&mut self, write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) {
        let Some(hook) = &mut self.hook else { return };
        let mut json = Vec::new();
        // Writing to memory does not fail.
        if write(&mut json).is_ok() {
            hook.call(json);
        }
    }

    /// The patterns, loaded again; nothing where they have mistakes, which are told.
    pub(super) fn reloaded(&mut self, folders: &[PathBuf]) -> Option<Patterns> {
        match patterns::loaded(folders) {
            Ok(patterns) => {
                self.say("the patterns were loaded again");
                Some(patterns)
            }
            Err(failure) => {
                self.streams.messages.tell(&failure);
                self.say("going on with the patterns that were loaded before");
                None
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.streams.messages.say(text);
    }

    /// Says how many lines the kernel or a daemon has lost by now.
    fn say_what_is_lost(&mut self, part: &ReportPart, machine: Option<usize>) {
        let lost = part.log.reading.holes.iter().filter(|hole| hole.kind == HoleKind::Overrun);
        let lost: u64 = lost.filter_map(|hole| hole.lost).sum();
        // Of many places where lines are missing some are forgotten.
        let before = self.lost.insert(machine, lost).unwrap_or_default();
        if lost > before {
            let of = if machine.is_some() { format!("{}: ", part.name) } else { String::new() };
            let more = lost - before;
            self.say(&format!("{of}{more} records were overwritten before they could be read"));
        }
    }

    pub(super) fn finish(&mut self) {
        self.manager.tell("STOPPING=1");
        if let Some(hook) = self.hook.take() {
            self.tell_troubles(hook.finish());
        }
    }

    /// Tells what a hook did not do, to programs as well.
    fn tell_troubles(&mut self, troubles: Vec<Trouble>) {
        for trouble in troubles {
            if self.format == ListFormat::Ndjson {
                // Who does not read any more has no use for it.
                let _ = json::live::write_trouble(&trouble.to_string(), &mut self.streams.out)
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
        tellings: &[Telling],
    ) -> Result<(), Failure> {
        if self.format == ListFormat::Human && machine.is_some() && self.speaker != machine {
            self.speaker = machine;
            let heading = (!self.quiet).then_some(&part.name);
            heading
                .map_or(Ok(()), |name| listing::heading(name, false, &mut self.streams.out))
                .map_err(Failure::Output)?;
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
            Mark::Rotated => self.say("the file was replaced by a new one; reading that from the start"),
            Mark::Truncated => self.say(
                "the file was truncated; reading it from the start. Lines written just before may be lost",
            ),
            Mark::Interrupted(why) => {
                let why = if why.is_empty() { "without a message" } else { why };
                self.say(&format!("journalctl ended ({why}); starting it again"));
            }
            Mark::Resumed => self.say("journalctl runs again, after the last entry"),
            Mark::Lost => self.say(
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
        self.manager.is_alive();
        if let Some(hook) = &self.hook {
            let troubles = hook.troubles();
            self.tell_troubles(troubles);
        }
    }

    fn too_many_machines(&mut self) {
        self.say("more machines write into this log than the 64 that are kept apart; the others are not watched");
    }

    fn caught_up(&mut self, found: usize, _: u64) {
        let told = match found {
            0 => "no failure in the existing lines; new ones are reported as they occur".to_owned(),
            1 => "1 incident in the existing lines; only new ones are reported".to_owned(),
            _ => format!("{found} incidents in the existing lines; only new ones are reported"),
        };
        self.say(&told);
    }

    fn told(&mut self, place: &Bookmark, news: bool) {
        let Stored { place: before, at, .. } = &self.stored;
        // Where nothing was told, to read the last entries once more costs nothing.
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
        // A disk that is full is no reason to stop watching. Written before, the file says where to go on; the
        // next try is made with the next news.
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
            self.say(&text);
        }
    }
}
