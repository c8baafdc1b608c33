//! The default command: the report on what happened to the GPU.

use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use super::args::{ReportArguments, ReportFormat};
use super::failure::Failure;
use super::logs::Inquiry;
use super::streams::{Destination, Streams};
use super::{Ending, choice, follow, patterns, settings, sources, system, usage};
use crate::diagnosis::verdict::Verdict;
use crate::report::text::{self, TextOptions};
use crate::report::time::Zone;
use crate::report::{Report, json};

pub(super) fn run(
    mut arguments: ReportArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    if let Some(failure) = command_meant(&arguments.inputs.files) {
        return Err(failure);
    }
    if let Some(stays) = follow::begun(&mut arguments, &mut streams.messages)? {
        return follow::pipe(&arguments, stays, streams);
    }
    let arguments = &arguments;
    let ReportArguments { inputs, answer, .. } = arguments;
    let mut to = Destination::of_answer(answer, &inputs.read())?;
    if arguments.quiet {
        to = to.unpaged();
    }
    // Not freed, because the program ends next.
    let mut patterns = ManuallyDrop::new(patterns::loaded(&inputs.more.patterns)?);
    system::assume(
        &mut patterns,
        arguments.distro.distro.as_ref(),
        &sources::machine(&arguments.inputs),
    );
    let mut choice = arguments.certainty.choice(&arguments.part);
    let (inputs, messages) = (&arguments.inputs, &mut streams.messages);
    let mut inquiry = Inquiry::read(inputs, &mut choice, arguments.quiet, &patterns, messages)?;
    if inquiry.parts.is_empty() {
        return Ok(Ending::CouldNot);
    }
    inquiry.complete &= choice::narrow(&mut inquiry.parts, &choice, messages)?;
    for part in &mut inquiry.parts {
        part.show_in(zone(arguments));
    }
    inquiry.tell_what_is_no_log(inputs, messages);
    let Inquiry { parts, complete, unread, .. } = inquiry;
    // Not freed: deallocating a large log takes time for nothing.
    let report = ManuallyDrop::new(Report { patterns: patterns.digest.clone(), parts, unread });
    // The problem with such an input has been reported.
    if !is_silent(arguments, &report) {
        streams.write_to(to, |out| write(&report, arguments, out))?;
    }
    Ok(Ending::of(complete, arguments.fail_on.fails(report.verdict())))
}

/// The failure that the first of `files` does not exist and is similar to a command's name, or that
/// another one is a command.
fn command_meant(files: &[PathBuf]) -> Option<Failure> {
    // What commands there are takes longer to say than a short log takes to be read.
    let missing = files.iter().enumerate().filter(|(_, file)| !file.exists());
    let mut missing = missing.filter_map(|(at, file)| Some((at, file.to_str()?)));
    let meant = |(at, word): (usize, &str)| match at {
        0 => Some((word.to_owned(), usage::command_meant(word)?)),
        _ => usage::is_command(word).then(|| (word.to_owned(), vec![word.to_owned()])),
    };
    let (word, path) = missing.find_map(meant)?;
    let again = usage::with_command_first(&word, &path);
    Some(Failure::NoSuchCommand { word, meant_name: path.join(" "), again })
}

/// The zone of printed times: a machine's log has UTC, but people expect local time.
fn zone(arguments: &ReportArguments) -> Zone {
    match arguments.zone.zone() {
        Zone::AsPrinted if sources::reads_machine(&arguments.inputs) => {
            Zone::Other(settings::offset)
        }
        zone => zone,
    }
}

/// Whether a report for people would only repeat the messages.
fn is_silent(arguments: &ReportArguments, report: &Report) -> bool {
    arguments.answer.format() == ReportFormat::Human && report.verdict() == Verdict::NoKernelLog
}

fn write(report: &Report, arguments: &ReportArguments, out: &mut dyn Write) -> io::Result<()> {
    let &ReportArguments { events, unknown, .. } = arguments;
    let include = json::Include { events, unknown };
    match arguments.answer.format() {
        ReportFormat::Json => json::write(report, include, out),
        ReportFormat::Ndjson => json::ndjson::write(report, include, out),
        ReportFormat::Markdown => text::write_markdown(report, out),
        ReportFormat::Html => text::write_html(report, out),
        ReportFormat::Human if arguments.quiet => text::write_line(report, out),
        ReportFormat::Human => {
            let &ReportArguments { verbose, all, timeline, .. } = arguments;
            let wanted = TextOptions { verbose, all, unknown, timeline };
            text::write(report, wanted, arguments.answer.look(), out)
        }
    }
}
