//! `redact`: removes private data from logs.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::args::RedactArguments;
use super::failure::Failure;
use super::open_files::allow_many;
use super::output::pair;
use super::streams::{Destination, Messages, Streams};
use super::{Ending, patterns, progress};
use crate::document::untrusted::Untrusted;
use crate::input::{self, Found, InputError, Lines, Utf8};
use crate::redact::stream::{self, LineLeftover};
use crate::redact::{Findings, Kind, Options, Redactor};
use crate::report::redact as report;
use crate::temporary::Temporary;

/// Maximum number of places with private data to report.
const NAMED: usize = 100;
/// Number of bytes that are read or written at once.
const BLOCK: usize = 256 << 10;

/// A decompressed log in an unnamed file.
struct Kept {
    name: String,
    file: File,
    findings: Findings,
}

/// Redacts all inputs, in two passes, and verifies the result in a third one.
pub(super) fn run(
    arguments: &RedactArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let RedactArguments { files, file, map, .. } = arguments;
    allow_many();
    streams.messages.set_quiet(arguments.quiet.quiet);
    let (target, map) = pair(file.path(), map.as_deref(), files)?;
    let patterns = patterns::loaded(&arguments.more.patterns)?;
    let mut redactor =
        Redactor::new(&patterns, Options { drop_process_names: arguments.drop_process_names });
    let mut logs = kept(arguments, &mut streams.messages)?;
    for log in &mut logs {
        let findings = stream::learn(&mut redactor, log.again()?);
        log.findings = findings.map_err(|error| log.unread(error))?;
    }
    if arguments.check {
        return check(&mut redactor, &mut logs, streams);
    }
    let mut redacted = redacted(&mut redactor, &mut logs)?;
    // The token map is written first: without it tokens could not be resolved.
    if let Some(map) = map {
        map.replace(|file| report::write_map(&redactor.mapping(), file))?;
    }
    // A file gets the log unchanged; a terminal gets no control characters.
    let on_terminal = target.is_none() && io::stdout().is_terminal();
    streams.write_to(Destination::to(target), |out| {
        redacted.rewind()?;
        let mut log = BufReader::with_capacity(BLOCK, &mut redacted);
        if on_terminal { shown(log, out) } else { io::copy(&mut log, out).map(drop) }
    })?;
    streams.messages.say(&report::summary(&redactor.counts()));
    if let Some(excess) = report::excess(&redactor.excess()) {
        streams.messages.say(&excess);
    }
    Ok(Ending::Fine)
}

/// Shows the log on a terminal.
fn shown(log: impl BufRead, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new(log);
    while let Some(line) = lines.next()? {
        writeln!(out, "{}", Untrusted(line.text))?;
    }
    Ok(())
}

/// All redacted logs, concatenated and verified.
fn redacted(redactor: &mut Redactor, logs: &mut [Kept]) -> Result<File, Failure> {
    let mut spool = Temporary::new().map_err(Failure::Spool)?;
    let mut written = BufWriter::with_capacity(BLOCK, &mut spool);
    let count = logs.len();
    for (at, log) in logs.iter_mut().enumerate() {
        let findings = std::mem::take(&mut log.findings);
        stream::redact(redactor, findings, log.again()?, &mut written).map_err(Failure::Spool)?;
        // The next log begins on a new line.
        if at + 1 < count && !log.ends_a_line().map_err(Failure::Spool)? {
            written.write_all(b"\n").map_err(Failure::Spool)?;
        }
    }
    written.flush().map_err(Failure::Spool)?;
    drop(written);
    let mut spool = spool.rewound().map_err(Failure::Spool)?;
    let mut places = Vec::new();
    let mut found = |place: LineLeftover| {
        if places.len() < NAMED {
            places.push((place.left.kind, place.line));
        }
    };
    let reader = BufReader::with_capacity(BLOCK, &mut spool);
    stream::leftovers(redactor, reader, &mut found).map_err(Failure::Spool)?;
    if places.is_empty() { Ok(spool) } else { Err(Failure::PrivateLeft { places }) }
}

/// Reports what would be replaced.
fn check(
    redactor: &mut Redactor,
    logs: &mut [Kept],
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let mut ending = Ending::Fine;
    for log in logs {
        let mut lines: Vec<(u64, Vec<Kind>)> = Vec::new();
        let mut found = |place: LineLeftover| match lines.last_mut() {
            Some((line, kinds)) if *line == place.line => kinds.push(place.left.kind),
            _ => lines.push((place.line, vec![place.left.kind])),
        };
        let reader = log.again()?;
        stream::private(redactor, reader, &mut found).map_err(|error| log.unread(error))?;
        for (line, mut kinds) in lines {
            ending = Ending::FailureFound;
            kinds.sort_unstable();
            kinds.dedup();
            streams.write(|out| report::write_place(&log.name, line, &kinds, out))?;
        }
    }
    Ok(ending)
}

impl Kept {
    /// Reads it from its beginning.
    fn again(&mut self) -> Result<BufReader<&File>, Failure> {
        self.file.rewind().map_err(Failure::Spool)?;
        Ok(BufReader::with_capacity(BLOCK, &self.file))
    }

    /// Whether it ends with a line break.
    fn ends_a_line(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() == 0 {
            return Ok(true);
        }
        self.file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        self.file.read_exact(&mut last)?;
        Ok(last == *b"\n")
    }

    fn unread(&self, error: io::Error) -> Failure {
        InputError::from_read(&self.name, error).into()
    }
}

/// Decompresses all inputs. If one cannot be read, the run fails: a partial log was not requested.
fn kept(arguments: &RedactArguments, messages: &mut Messages<'_>) -> Result<Vec<Kept>, Failure> {
    let dash = |file: &PathBuf| file == Path::new("-");
    if arguments.files.is_empty() || arguments.files.iter().any(dash) {
        progress::wait_for_input(messages);
    }
    let mut logs = Vec::new();
    let mut take = |found: Found<'_>| {
        let source = match found.source {
            Ok(source) => source,
            Err(error) if found.member && error.is_no_log() => {
                messages.tell(&error.into());
                return Ok(());
            }
            Err(error) => return Err(Failure::from(error)),
        };
        let mut file = Temporary::new().map_err(Failure::Spool)?;
        let mut blocks = BufWriter::with_capacity(BLOCK, &mut file);
        let copied = io::copy(&mut Utf8::new(source.reader), &mut blocks);
        let flushed = copied.and_then(|_| blocks.flush());
        flushed.map_err(|error| InputError::from_read(&source.name, error))?;
        drop(blocks);
        let file = file.rewound().map_err(Failure::Spool)?;
        logs.push(Kept { name: source.name, file, findings: Findings::default() });
        Ok(())
    };
    if arguments.files.is_empty() {
        input::stdin(&[], &mut take)?;
    }
    for file in &arguments.files {
        if file == Path::new("-") {
            input::stdin(&[], &mut take)?;
        } else {
            input::each(file, &mut take)?;
        }
    }
    Ok(logs)
}
