//! A log that grows, told as it grows.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, UNIX_EPOCH};

use super::args::{FollowArguments, Format, InputFormat, On, ReportArguments};
use super::bookmark::{Bookmark, Silence};
use super::failure::Failure;
use super::hook::{Hook, Trouble};
use super::machine::closed;
use super::notify::Manager;
use super::output::Target;
use super::signals::{self, Hangup};
use super::sources::reads_machine;
use super::streams::{Messages, Streams};
use super::system::Machine;
use super::watch::{Listener, Stopped, Watch};
use super::{Ending, patterns, progress, settings, system};
use crate::diagnosis::verdict::Verdict;
use crate::document::terminal::Look;
use crate::input::live::{self, Feed, Head, JournalFrom, Mark};
use crate::input::{self, InputError, RING_BUFFER, STANDARD_INPUT, THIS_BOOT, ThisMachine, Unread};
use crate::live::{NewEvent, Session, Telling};
use crate::pattern::Patterns;
use crate::pattern::signature::Severity;
use crate::record::{HoleKind, Options};
use crate::report::text::{self, Wanted};
use crate::report::time::Zone;
use crate::report::{Report, ReportPart, json, listing, live as told};
use crate::value::PciAddress;

/// Without news a cursor file is written so often.
const SELDOM: Duration = Duration::from_secs(10);

/// The unit for systemd: it may read the logs and write its cursor, and nothing else.
const UNIT: &str = include_str!("../../contrib/systemd/amdtriage.service");
/// The program that it starts.
const INSTALLED: &str = "/usr/bin/amdtriage";
/// Folders that the unit does not see, or that do not outlive a login.
const OF_USERS: [&str; 5] = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"];

pub(super) struct Followed {
    pub(super) name: String,
    pub(super) feed: Feed,
    /// Whether it can be read on from where somebody stopped.
    has_places: bool,
}

impl Followed {
    /// What was opened under this name.
    fn opened(name: &str, feed: io::Result<Feed>) -> Result<Self, Failure> {
        let feed = feed.map_err(|error| InputError::from_read(name, error))?;
        let has_places = feed.has_places;
        Ok(Self { name: name.to_owned(), feed, has_places })
    }

    /// A file, behind what was read of it before.
    pub(super) fn file(path: &Path, from: Option<&Bookmark>) -> Result<Self, Failure> {
        let from = from.map(Bookmark::left_off);
        Self::opened(&path.display().to_string(), live::file(path, from))
    }

    /// Standard input, of which `head` was read already.
    fn standard_input(head: Vec<u8>) -> Result<Self, Failure> {
        Self::opened(STANDARD_INPUT, live::standard_input(head))
    }
}

/// Follows what was asked for, up to its end or a signal.
pub(super) fn run(
    arguments: &FollowArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    if arguments.print_unit {
        return unit(streams);
    }
    let mut known = patterns::loaded(&arguments.more.patterns)?;
    let limit = Duration::from_secs(arguments.exec_timeout);
    let hook = arguments.exec.as_deref().map(|command| Hook::new(command, limit)).transpose()?;
    let cursor = arguments.cursor_file.as_deref();
    let cursor = cursor.map(|path| Target::new(path, arguments.file.as_slice()));
    let cursor = cursor.transpose()?.map(Target::secret);
    let stored = cursor.as_ref().map(|file| stored_place(file, arguments, &mut streams.messages));
    let stored = stored.transpose()?.flatten();
    let Followed { name, feed, has_places } = followed(arguments, stored.as_ref())?;
    let machine = match name.as_str() {
        THIS_BOOT | RING_BUFFER => Machine::Own(None),
        _ => Machine::Unknown,
    };
    system::assume(&mut known, arguments.distro.distro, &machine);
    if cursor.is_some() && !has_places {
        return Err(Failure::NoCursor { name });
    }
    signals::heed(feed.sender(), Hangup::Reloads).map_err(Failure::Signals)?;
    streams.messages.say(&format!("following {}", input::called(&name)));
    let silence = match stored {
        Some(place) => Silence::up_to(place),
        // What comes through a pipe is new to whoever asks for it.
        None if arguments.from_start || name == STANDARD_INPUT => Silence::Nothing,
        None => Silence::Beginning,
    };
    let options = options(arguments.input.input_format);
    let session = Session::new(options, &known);
    let look = settings::look(arguments.color);
    let mut teller = Teller {
        format: arguments.form.format,
        device: arguments.device,
        quiet: arguments.quiet,
        in_full: true,
        on: arguments.on,
        hook,
        cursor,
        manager: Manager::new(settings::notify_socket().as_deref(), settings::is_watched()),
        ..Teller::new(look, arguments.all, streams)
    };
    teller.manager.tell("READY=1");
    let age = age_of(arguments.file.as_deref());
    let watch = Watch::new(name, feed, session, silence).since(age).shown_in(zone(arguments));
    let mut rest = watch.rest();
    let followed = loop {
        let mut watch = rest.by(&known);
        match watch.run(&mut teller) {
            Ok(Stopped::ForPatterns) => rest = watch.rest(),
            ended => break ended,
        }
        if let Some(mut patterns) = teller.reloaded(&arguments.more.patterns) {
            system::assume(&mut patterns, arguments.distro.distro, &machine);
            known = patterns;
        }
    };
    teller.finish();
    followed?;
    Ok(match teller.worst {
        Some(severity) if severity >= Severity::Error => Ending::FailureFound,
        _ => Ending::Fine,
    })
}

/// In which zone times are told; programs get those of the log.
fn zone(arguments: &FollowArguments) -> Zone {
    match arguments.form.format {
        Format::Human => arguments.zone.zone(),
        Format::Ndjson
        | Format::Json
        | Format::Markdown
        | Format::Html
        | Format::Toml
        | Format::Prometheus
        | Format::Parquet
        | Format::Arrow => Zone::AsPrinted,
    }
}

/// How a log that grows is read: what comes without a year is of now.
pub(super) fn options(said: Option<InputFormat>) -> Options {
    let only = said.map(InputFormat::family);
    Options { only, reference: settings::saved(None).local, ..Options::default() }
}

/// Whether standard input is a pipe in which nothing comes for now, and what came before; what there is of
/// another one goes to where the rest will be read. Programs wait for the end: what they get is one report.
pub(super) fn begun(
    arguments: &mut ReportArguments,
    messages: &mut Messages<'_>,
) -> Result<Option<Vec<u8>>, Failure> {
    let ReportArguments { inputs, part, certainty, answer, quiet, .. } = &*arguments;
    let plain = inputs.files.is_empty()
        && answer.format() == Format::Human
        && answer.file.output.is_none()
        && !quiet
        && certainty.choice(part).is_everything()
        && !reads_machine(inputs);
    if !plain {
        return Ok(None);
    }
    let failed = |error| InputError::from_read(STANDARD_INPUT, error);
    progress::wait_for_input(messages);
    Ok(match live::head_of_standard_input().map_err(failed)? {
        Head::Stays(head) => Some(head),
        Head::Begun(head) => {
            arguments.inputs.head = head;
            None
        }
    })
}

/// Follows a pipe of which `head` was read, and ends with the report if the pipe does.
pub(super) fn pipe(
    arguments: &ReportArguments,
    head: Vec<u8>,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let mut patterns = patterns::loaded(&arguments.inputs.more.patterns)?;
    system::assume(&mut patterns, arguments.distro.distro, &Machine::Unknown);
    let Followed { name, feed, .. } = Followed::standard_input(head)?;
    signals::heed(feed.sender(), Hangup::Ends).map_err(Failure::Signals)?;
    streams.messages.say(
        "standard input is still open: showing events as they come; Ctrl+C or its end prints the report",
    );
    let options = options(arguments.inputs.form.input_format);
    let look = settings::look(arguments.answer.page.color);
    let mut teller = Teller::new(look, arguments.all, streams);
    let session = Session::new(options, &patterns);
    let mut watch = Watch::new(name, feed, session, Silence::Nothing);
    watch.run(&mut teller)?;
    let report =
        Report { patterns: patterns.digest.clone(), parts: watch.into_parts(), unread: Vec::new() };
    let &ReportArguments { verbose, all, unknown, timeline, .. } = arguments;
    let wanted = Wanted { verbose, all, unknown, timeline };
    streams.write(|out| text::write(&report, wanted, look, out))?;
    let verdict = report.verdict();
    Ok(Ending::of(verdict != Verdict::NoKernelLog, arguments.fail_on.fails(verdict)))
}

/// Writes a unit that runs this very program.
fn unit(streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let program = std::env::current_exe().map_err(Failure::Unit)?;
    // A blank or a sign of systemd's own would have to be written in another way.
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let program = program.to_str().filter(|path| path.chars().all(plain));
    let program = program.ok_or_else(|| Failure::Unit(io::ErrorKind::InvalidFilename.into()))?;
    if OF_USERS.iter().any(|folder| program.starts_with(folder)) {
        return Err(Failure::UnitOfAUser { program: program.to_owned() });
    }
    streams.write(|out| write!(out, "{}", UNIT.replace(INSTALLED, program)))?;
    Ok(Ending::Fine)
}

/// Opens what is to be followed.
fn followed(arguments: &FollowArguments, from: Option<&Bookmark>) -> Result<Followed, Failure> {
    let dash = Path::new("-");
    match arguments.file.as_deref() {
        None if !arguments.this_machine && !io::stdin().is_terminal() => {
            Followed::standard_input(Vec::new())
        }
        Some(path) if path == dash => Followed::standard_input(Vec::new()),
        None => this_machine(from),
        Some(path) if is_a_journal(path) => {
            journal(&path.display().to_string(), Some(path.to_owned()), from)
        }
        Some(path) => Followed::file(path, from),
    }
}

fn is_a_journal(path: &Path) -> bool {
    path.is_dir() || path.extension().is_some_and(|end| end == "journal")
}

/// This machine's journal, where it shows kernel messages, else the kernel's own buffer.
pub(super) fn this_machine(from: Option<&Bookmark>) -> Result<Followed, Failure> {
    if live::journal_shows_the_kernel() {
        return journal(THIS_BOOT, None, from);
    }
    match live::ring_buffer() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Err(nothing_is_open()),
        feed => Followed::opened(RING_BUFFER, feed),
    }
}

/// Neither the journal nor the ring buffer may be read.
fn nothing_is_open() -> Failure {
    let machine = ThisMachine::new(None);
    let journal = machine.stored_boots().unread.filter(Unread::is_closed);
    let journal = journal.map(|unread| unread.name);
    closed(&machine, journal.into_iter().chain([RING_BUFFER.to_owned()]).collect())
}

fn journal(
    name: &str,
    place: Option<PathBuf>,
    from: Option<&Bookmark>,
) -> Result<Followed, Failure> {
    let cursor = from.map(|from| from.begin.cursor.clone()).filter(|cursor| !cursor.is_empty());
    let followed =
        Followed::opened(name, live::journal(&JournalFrom { place, cursor, after: None }))?;
    Ok(Followed { has_places: true, ..followed })
}

/// What a cursor file holds; nothing where there is none yet.
fn stored_place(
    file: &Target<'_>,
    arguments: &FollowArguments,
    messages: &mut Messages<'_>,
) -> Result<Option<Bookmark>, Failure> {
    /// A place in a journal needs far less.
    const MOST: u64 = 64 << 10;
    let failed = |source| Failure::CursorFile { path: file.path().to_owned(), source };
    let Some(text) = file.content(MOST).map_err(failed)? else { return Ok(None) };
    let name = file.path().display();
    let Ok(place) = serde_json::from_slice::<Bookmark>(&text) else {
        messages.say(&format!("{name} is damaged and starts anew; some news may be repeated"));
        return Ok(None);
    };
    let in_files = arguments.file.as_deref().is_some_and(|path| !is_a_journal(path));
    if place.is_of_files() == in_files {
        return Ok(Some(place));
    }
    messages.say(&format!("{name} is of another log and starts anew"));
    Ok(None)
}

/// How long ago a file was written.
fn age_of(file: Option<&Path>) -> Duration {
    let written = file.and_then(|path| path.metadata().ok()).and_then(|file| file.modified().ok());
    let written = written.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    written.map_or(Duration::ZERO, |at| settings::since_1970().saturating_sub(at))
}

/// What a cursor file holds, and since when.
#[derive(Default)]
struct Stored {
    place: Bookmark,
    at: Option<Instant>,
    /// Whether it could not be written the last time.
    failing: bool,
}

/// Tells people and programs what is new.
struct Teller<'a, 's> {
    format: Format,
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
    fn new(look: Look, all: bool, streams: &'a mut Streams<'s>) -> Self {
        Self {
            format: Format::Human,
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
            (Format::Ndjson, false) => json::live::write_event(part, new, &mut self.streams.out),
            (Format::Human, false) => {
                told::write_event(part, new, self.all, self.look, &mut self.streams.out)
            }
            (
                Format::Json
                | Format::Markdown
                | Format::Html
                | Format::Toml
                | Format::Prometheus
                | Format::Parquet
                | Format::Arrow,
                false,
            ) => self.format.is_refused(),
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
            Format::Ndjson => json::live::write_incident(part, telling, &mut self.streams.out),
            Format::Human => {
                told::write_incident(part, telling, self.in_full, self.look, &mut self.streams.out)
            }
            Format::Json
            | Format::Markdown
            | Format::Html
            | Format::Toml
            | Format::Prometheus
            | Format::Parquet
            | Format::Arrow => self.format.is_refused(),
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
    fn reloaded(&mut self, folders: &[PathBuf]) -> Option<Patterns> {
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

    fn finish(&mut self) {
        self.manager.tell("STOPPING=1");
        if let Some(hook) = self.hook.take() {
            self.tell_troubles(hook.finish());
        }
    }

    /// Tells what a hook did not do, to programs as well.
    fn tell_troubles(&mut self, troubles: Vec<Trouble>) {
        for trouble in troubles {
            if self.format == Format::Ndjson {
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
        if self.format == Format::Human && machine.is_some() && self.speaker != machine {
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
            0 => "no failure is in what is there already; what comes is told".to_owned(),
            1 => "1 incident is in what is there already; only what comes is told".to_owned(),
            _ => format!("{found} incidents are in what is there already; only what comes is told"),
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
        let micros = u64::try_from(settings::since_1970().as_micros()).unwrap_or(u64::MAX);
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
