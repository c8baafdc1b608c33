//! `follow`: reports on a growing log.

mod name;
mod source;
mod teller;
mod unit;

use std::time::Duration;

pub(super) use self::source::{Followed, this_machine};
use self::source::{age_of, followed, stored_place};
use self::teller::Teller;
use super::args::{FollowArguments, InputFormat, ReportArguments, ReportFormat, StreamFormat};
use super::bookmark::{Bookmark, Silence};
use super::failure::Failure;
use super::hook::Hook;
use super::output::Target;
use super::signals::{self, Hangup};
use super::sources::reads_machine;
use super::streams::{Messages, Streams};
use super::system::Machine;
use super::watch::{Stopped, Watch};
use super::{Ending, patterns, progress, settings, system};
use crate::diagnosis::verdict::Verdict;
use crate::input::live::{self, Head};
use crate::input::{self, InputError, RING_BUFFER, STANDARD_INPUT, THIS_BOOT};
use crate::live::Session;
use crate::pattern::Patterns;
use crate::pattern::signature::Severity;
use crate::record::Options;
use crate::report::Report;
use crate::report::text::{self, TextOptions};
use crate::report::time::Zone;

/// Follows the log until its end or a signal.
pub(super) fn run(
    arguments: &FollowArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    if arguments.print_unit {
        return unit::write(streams);
    }
    let (known, broken) = patterns::loaded_without_broken(&arguments.more.patterns)?;
    let limit = Duration::from_secs(arguments.exec_timeout);
    let hook = arguments.exec.as_deref().map(|command| Hook::new(command, limit)).transpose()?;
    let cursor = arguments.cursor_file.as_deref();
    let cursor = cursor.map(|path| Target::new(path, arguments.file.as_slice()));
    let cursor = cursor.transpose()?.map(Target::secret);
    let stored = cursor.as_ref().map(|file| stored_place(file, arguments)).transpose()?;
    let (stored, why_anew) = stored.unwrap_or_default();
    let followed = followed(arguments, stored.as_ref())?;
    if cursor.is_some() && !followed.has_places {
        return Err(Failure::NoCursor { name: followed.name });
    }
    signals::install_handlers(followed.feed.sender(), Hangup::Reloads).map_err(Failure::Signals)?;
    streams.messages.say(&format!("following {}", input::called(&followed.name)));
    let mut teller = Teller::asked(arguments, hook, cursor, streams);
    teller.begin();
    if let Some(text) = &why_anew {
        teller.notice(text);
    }
    for failure in &broken {
        teller.tell(failure, "going on without it");
    }
    let silence = silence(arguments, stored, &followed.name);
    let watched = watched(arguments, followed, silence, known, &mut teller);
    teller.finish();
    watched?;
    Ok(match teller.worst() {
        Some(severity) if severity >= Severity::Error => Ending::FailureFound,
        _ => Ending::Fine,
    })
}

/// What counts as reported already.
fn silence(arguments: &FollowArguments, stored: Option<Bookmark>, name: &str) -> Silence {
    match stored {
        Some(place) => Silence::up_to(place),
        // Everything from a pipe is new.
        None if arguments.from_start || name == STANDARD_INPUT => Silence::Nothing,
        None => Silence::Beginning,
    }
}

/// Watches a log until its end; `known` are the patterns until they are reloaded.
fn watched(
    arguments: &FollowArguments,
    followed: Followed,
    silence: Silence,
    mut known: Patterns,
    teller: &mut Teller<'_, '_>,
) -> Result<Stopped, Failure> {
    let Followed { name, feed, .. } = followed;
    let machine = match name.as_str() {
        THIS_BOOT | RING_BUFFER => Machine::Own(None),
        _ => Machine::Unknown,
    };
    system::assume(&mut known, arguments.distro.distro.as_ref(), &machine);
    let session = Session::new(options(arguments.input.input_format), &known);
    let age = age_of(arguments.file.as_deref());
    let watch = Watch::new(name, feed, session, silence).since(age).shown_in(zone(arguments));
    let mut rest = watch.suspend();
    loop {
        let mut watch = rest.by(&known);
        match watch.run(teller) {
            Ok(Stopped::ForPatterns) => rest = watch.suspend(),
            ended => return ended,
        }
        if let Some(mut patterns) = teller.reloaded(&arguments.more.patterns) {
            system::assume(&mut patterns, arguments.distro.distro.as_ref(), &machine);
            known = patterns;
        }
    }
}

/// The zone of printed times; programs get those of the log.
fn zone(arguments: &FollowArguments) -> Zone {
    match arguments.form.format {
        StreamFormat::Human => arguments.zone.zone(),
        StreamFormat::Ndjson => Zone::AsPrinted,
    }
}

/// How a growing log is read: times without a year are recent.
pub(super) fn options(said: Option<InputFormat>) -> Options {
    let only = said.map(InputFormat::family);
    Options { only, reference: settings::saved(None).local, ..Options::default() }
}

/// Whether standard input is a pipe that is idle for now, with what was read of it; other input is
/// buffered for reading from the start. Programs get one report at the end, so nothing is followed
/// for them.
pub(super) fn begun(
    arguments: &mut ReportArguments,
    messages: &mut Messages<'_>,
) -> Result<Option<Vec<u8>>, Failure> {
    let ReportArguments { inputs, part, certainty, answer, quiet, .. } = &*arguments;
    let plain = inputs.files.is_empty()
        && answer.format() == ReportFormat::Human
        && answer.file.path().is_none()
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

/// Follows a pipe of which `head` was read, and ends with the report if the pipe ends.
pub(super) fn pipe(
    arguments: &ReportArguments,
    head: Vec<u8>,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let mut patterns = patterns::loaded(&arguments.inputs.more.patterns)?;
    system::assume(&mut patterns, arguments.distro.distro.as_ref(), &Machine::Unknown);
    let Followed { name, feed, .. } = Followed::standard_input(head)?;
    signals::install_handlers(feed.sender(), Hangup::Ends).map_err(Failure::Signals)?;
    streams.messages.say(
        "standard input is still open: showing events as they come; Ctrl+C or its end prints the report",
    );
    let options = options(arguments.inputs.form.input_format);
    let look = settings::look(arguments.answer.page.color);
    let mut teller = Teller::new(look, arguments.all, streams);
    let session = Session::new(options, &patterns);
    let mut watch = Watch::new(name, feed, session, Silence::Nothing);
    watch.run(&mut teller)?;
    teller.finish();
    let report =
        Report { patterns: patterns.digest.clone(), parts: watch.into_parts(), unread: Vec::new() };
    let &ReportArguments { verbose, all, unknown, timeline, .. } = arguments;
    let wanted = TextOptions { verbose, all, unknown, timeline };
    streams.write(|out| text::write(&report, wanted, look, out))?;
    let verdict = report.verdict();
    Ok(Ending::of(verdict != Verdict::NoKernelLog, arguments.fail_on.fails(verdict)))
}
