//! `explain`: explains names and lines.

use std::io::{self, IsTerminal, Read};
use std::path::PathBuf;

use super::args::{AnswerFormat, ExplainArguments, Inputs};
use super::failure::{Failure, PathAsked};
use super::sources::{self, LogOutcome};
use super::streams::{Destination, Messages, Streams};
use super::system::{self, Machine};
use super::{Ending, pages, patterns, settings};
use crate::diagnosis::choice::Choice;
use crate::explain::{self, Answer, NameAnswer, lines::Explained};
use crate::input::{InputError, STANDARD_INPUT};
use crate::pattern::Patterns;
use crate::record::Options;
use crate::report::explain as told;

/// Maximum number of bytes of lines to explain.
const MOST: u64 = 1 << 20;

pub(super) fn explain(
    arguments: &ExplainArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let mut patterns = patterns::loaded(&arguments.more.patterns)?;
    // Programs get the same answer on every machine.
    let machine = match arguments.answer.format() {
        AnswerFormat::Page(_) => Machine::Own(None),
        AnswerFormat::Json => Machine::Unknown,
    };
    system::assume(&mut patterns, arguments.distro.distro.as_ref(), &machine);
    let patterns = patterns;
    let asked = Asked::of(&arguments.subjects, |text| explain::is_name(text, &patterns));
    if arguments.subjects.iter().any(|subject| subject.trim().is_empty()) {
        return Err(Failure::NothingAsked);
    }
    if asked.piped && asked.names.is_empty() && asked.lines.is_empty() {
        // Without arguments on a terminal, the user sees no prompt and would wait.
        if arguments.subjects.is_empty() && io::stdin().is_terminal() {
            return Err(Failure::NothingAsked);
        }
    }
    let mut complete = true;
    let mut answer = Answer { names: Vec::new(), lines: None };
    for name in &asked.names {
        let name = NameAnswer::of(name, &patterns);
        if name.subjects.is_empty() {
            complete = false;
            streams.messages.tell(&unknown(&name));
        }
        answer.names.push(name);
    }
    if let Some(failure) = asked.lines.iter().find_map(|line| PathAsked::Explain.of(line)) {
        return Err(failure);
    }
    let mut text = asked.lines.join("\n").into_bytes();
    if asked.piped {
        complete &= piped(&mut text, &mut streams.messages)?;
    }
    if !text.is_empty() {
        let explained = read(&text, &patterns)?;
        let parts = asked.lines.iter().filter(|_| !explained.is_understood());
        let parts = parts.map(|line| NameAnswer::of(line, &patterns));
        let parts: Vec<_> = parts.filter(|part| !part.subjects.is_empty()).collect();
        complete &= explained.is_understood() || !parts.is_empty();
        answer.lines = parts.is_empty().then_some(explained);
        answer.names.extend(parts);
    }
    let ExplainArguments { answer: how, quiet, .. } = arguments;
    let to = Destination::of_answer(how, &[])?;
    let look = how.look();
    streams.write_to(to, |out| match how.format() {
        AnswerFormat::Page(format) => {
            pages::write(&told::document(&answer), format, *quiet, look, out)
        }
        AnswerFormat::Json => told::json::write(&answer, &patterns.digest, out),
    })?;
    if let Some(lines) = answer.lines.as_ref().filter(|lines| !lines.is_understood()) {
        streams.messages.tell(&Failure::NotExplained { unknown: lines.has_unknown() });
    }
    Ok(Ending::of(complete, false))
}

/// A name that is unknown, or that of a file.
fn unknown(NameAnswer { query, near, .. }: &NameAnswer<'_>) -> Failure {
    let unknown = || Failure::UnknownName { id: query.clone(), near: near.clone() };
    PathAsked::Explain.of(query).unwrap_or_else(unknown)
}

/// The arguments, by kind.
struct Asked<'a> {
    names: Vec<&'a str>,
    lines: Vec<&'a str>,
    /// Whether lines come from standard input, too.
    piped: bool,
}

impl<'a> Asked<'a> {
    /// `is_known` is whether a text with spaces is a name.
    fn of(subjects: &'a [String], is_known: impl Fn(&str) -> bool) -> Self {
        let mut asked = Self { names: Vec::new(), lines: Vec::new(), piped: subjects.is_empty() };
        for subject in subjects {
            match subject.as_str() {
                "-" => asked.piped = true,
                name if is_name(name) || is_known(name) => asked.names.push(name),
                line => asked.lines.push(line),
            }
        }
        asked
    }
}

/// Whether it is a name: a line of a log contains spaces, or at least a colon.
fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    !text.is_empty() && text.chars().all(part)
}

/// Adds standard input; returns false if it was cut.
fn piped(text: &mut Vec<u8>, messages: &mut Messages<'_>) -> Result<bool, Failure> {
    let inputs = Inputs { files: vec![PathBuf::from("-")], ..Inputs::default() };
    let mut cut = false;
    let surveyed = sources::each(&inputs, &mut Choice::default(), messages, &mut |source, _| {
        if !text.is_empty() {
            text.push(b'\n');
        }
        let before = text.len() as u64;
        let read = source.reader.take(MOST + 1).read_to_end(text);
        let failed = |error| InputError::from_read(&source.name, error);
        read.map_err(failed)?;
        if text.len() as u64 - before > MOST {
            text.truncate(text.iter().rposition(|byte| *byte == b'\n').unwrap_or(0));
            cut = true;
        }
        Ok(LogOutcome { of_use: true, cut: None })
    })?;
    if cut {
        messages.tell(&Failure::TooMuch { name: STANDARD_INPUT.to_owned() });
    }
    Ok(surveyed.complete && !cut)
}

fn read<'p>(text: &[u8], patterns: &'p Patterns) -> Result<Explained<'p>, Failure> {
    let options = Options { reference: settings::saved(None).local, ..Options::default() };
    let failed = |error| InputError::from_read("these lines", error);
    Explained::read(text, options, patterns).map_err(|error| failed(error).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lines_and_the_pipe_are_distinguished() {
        let subjects = ["page-fault", "GPU reset begin!", "-", "STATUS:0x1"].map(str::to_owned);
        let asked = Asked::of(&subjects, |_| false);
        assert_eq!(asked.names, ["page-fault"]);
        assert_eq!(asked.lines, ["GPU reset begin!", "STATUS:0x1"]);
        assert!(asked.piped);
        let asked = |subjects| Asked::of(subjects, |text| text.starts_with("GPU"));
        assert!(asked(&[]).piped && !asked(&subjects[..2]).piped);
        assert_eq!(asked(&subjects[..2]).names, ["page-fault", "GPU reset begin!"]);
    }
}
