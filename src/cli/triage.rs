//! The default command: the report on what happened to the GPU.

use std::io::{self, Write};
use std::mem::ManuallyDrop;

use super::args::{Inputs, ReportArguments, ReportFormat};
use super::failure::Failure;
use super::logs::Inquiry;
use super::output::Target;
use super::streams::Streams;
use super::{Ending, choice, follow, patterns, settings, sources, system};
use crate::diagnosis::verdict::Verdict;
use crate::report::text::{self, Wanted};
use crate::report::time::Zone;
use crate::report::{Report, json};

pub(super) fn run(
    mut arguments: ReportArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    if let Some(stays) = follow::begun(&mut arguments)? {
        return follow::pipe(&arguments, stays, streams);
    }
    let arguments = &arguments;
    let Inputs { files, patterns, .. } = &arguments.inputs;
    let target = arguments.output.as_deref().map(|path| Target::new(path, files)).transpose()?;
    // The program ends with these, too.
    let mut patterns = ManuallyDrop::new(patterns::loaded(patterns)?);
    system::assume(&mut patterns, arguments.distro.distro, &sources::machine(&arguments.inputs));
    let mut choice = arguments.choice.choice();
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
    let Inquiry { parts, complete, .. } = inquiry;
    // To give back each piece of a large log would be work for nobody.
    let report = ManuallyDrop::new(Report { patterns: patterns.digest.clone(), parts });
    // What there is to say of such an input has just been said.
    if !is_silent(arguments, &report) {
        streams.write_to(target, |out| write(&report, arguments, out))?;
    }
    Ok(Ending::of(complete, arguments.fail_on.fails(report.verdict())))
}

/// The zone to show times of day in: a machine's own log tells them in UTC, and nobody reads its clocks so.
fn zone(arguments: &ReportArguments) -> Zone {
    match arguments.zone() {
        Zone::AsPrinted if sources::reads_machine(&arguments.inputs) => {
            Zone::Other(settings::offset)
        }
        zone => zone,
    }
}

/// Whether a report for people would say no more than what the messages have said.
fn is_silent(arguments: &ReportArguments, report: &Report) -> bool {
    arguments.format == ReportFormat::Human && report.verdict() == Verdict::NoKernelLog
}

fn write(report: &Report, arguments: &ReportArguments, out: &mut dyn Write) -> io::Result<()> {
    let &ReportArguments { events, unknown, .. } = arguments;
    let include = json::Include { events, unknown };
    match arguments.format {
        ReportFormat::Json => json::write(report, include, out),
        ReportFormat::Ndjson => json::ndjson::write(report, include, out),
        ReportFormat::Markdown => text::write_markdown(report, out),
        ReportFormat::Html => text::write_html(report, out),
        ReportFormat::Human if arguments.quiet => text::write_line(report, out),
        ReportFormat::Human => {
            let &ReportArguments { color, verbose, all, timeline, .. } = arguments;
            let look = settings::look(color.in_a_file(arguments.output.is_some()));
            text::write(report, Wanted { verbose, all, unknown, timeline }, look, out)
        }
    }
}
