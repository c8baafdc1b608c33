//! `rows`: each log is read, written and dropped before the next one.

mod writer;

use std::io::{self, BufRead, Read as _};
use std::mem::ManuallyDrop;
use std::path::Path;

use data_encoding::BASE64_MIME_PERMISSIVE;
use serde::Deserialize;

use super::args::{InputFormat, RowArguments};
use super::failure::Failure;
use super::logs::options;
use super::output::Target;
use super::streams::{Destination, Streams};
use super::{Ending, patterns, progress};
use memchr::memmem;
use writer::{RowLayout, Writer};

use crate::bundle;
use crate::input::{self, Found, InputError};
use crate::inquiry::of_machines;
use crate::pattern::Patterns;
use crate::report::rows::Row;
use crate::report::status::InputStatus;

/// Maximum length of a frame in bytes; the log in it is held in memory.
const LONGEST_FRAME: u64 = 1 << 30;

pub(super) fn run(arguments: &RowArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    streams.messages.set_quiet(arguments.quiet.quiet);
    let form = RowLayout::asked(arguments)?;
    let target = {
        let read = arguments.read();
        arguments.file.path().map(|path| Target::new(path, &read)).transpose()?
    };
    // Not freed, because the program ends next.
    let patterns = ManuallyDrop::new(patterns::loaded(&arguments.more.patterns)?);
    let dash = Path::new("-");
    let said = arguments.input.input_format;
    streams.give(Destination::to(target), |out, messages| {
        let mut out = form.writer(out).map_err(Failure::Output)?;
        if !arguments.no_types {
            out.types(&patterns.digest).map_err(Failure::Output)?;
        }
        let mut rows = Rows { said, patterns: &patterns, out, written: false };
        if arguments.files.is_empty() {
            progress::wait_for_input(messages);
            rows.standard_input()?;
        }
        for path in &arguments.files {
            if path == dash { rows.standard_input() } else { rows.path(path) }?;
        }
        rows.out.finish().map_err(Failure::Output)
    })?;
    Ok(Ending::Fine)
}

/// A file with its name, on one line.
#[derive(Deserialize)]
struct Frame {
    key: String,
    data_b64: String,
}

/// The rows of a run.
struct Rows<'r> {
    said: Option<InputFormat>,
    patterns: &'r Patterns,
    out: Writer<'r>,
    /// Whether the current input has a row.
    written: bool,
}

impl Rows<'_> {
    /// Writes the rows of a file, or of all files in a directory or an archive.
    fn path(&mut self, path: &Path) -> Result<(), Failure> {
        self.written = false;
        input::each(path, &mut |found| self.found(found, None))?;
        self.ensure_row(&path.display().to_string())
    }

    /// Writes a row for an input in which no log was found.
    fn ensure_row(&mut self, key: &str) -> Result<(), Failure> {
        if self.written { Ok(()) } else { self.unread(key, InputStatus::Empty, "no-logs") }
    }

    /// Writes the rows of standard input: a log, an archive, or frames.
    fn standard_input(&mut self) -> Result<(), Failure> {
        let failed = |error| InputError::from_read(input::STANDARD_INPUT, error);
        let mut line = Vec::new();
        let first = io::stdin().lock().fill_buf().map(|bytes| bytes.first().copied());
        match first {
            // The possible first bytes of frames: a brace, whitespace, or a byte order mark.
            Ok(Some(b'{' | b' ' | b'\t' | b'\r' | b'\n' | 0xef)) => {
                if let Err(error) = line_of_standard_input(&mut line) {
                    return self.failed(input::STANDARD_INPUT, &failed(error).into());
                }
                if is_of_frames(&line) {
                    return self.frames(line);
                }
            }
            Ok(_) => {}
            Err(error) => return self.failed(input::STANDARD_INPUT, &failed(error).into()),
        }
        let within = format!("{}:", input::STANDARD_INPUT);
        self.written = false;
        input::stdin(&line, &mut |found| self.found(found, Some(&within)))?;
        self.ensure_row(input::STANDARD_INPUT)
    }

    /// Writes the rows of frames, whose first line was read.
    fn frames(&mut self, mut line: Vec<u8>) -> Result<(), Failure> {
        for number in 1.. {
            if line.is_empty() {
                break;
            }
            if !line.trim_ascii().is_empty() {
                self.frame(number, &line)?;
            }
            let read = line_of_standard_input(&mut line);
            read.map_err(|error| InputError::from_read(input::STANDARD_INPUT, error))?;
        }
        Ok(())
    }

    fn frame(&mut self, number: usize, line: &[u8]) -> Result<(), Failure> {
        let broken = |key: String, error| (key, InputStatus::Unreadable, error);
        let read = if line.len() as u64 > LONGEST_FRAME {
            Err(broken(format!("frame {number}"), "frame-too-long"))
        } else {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            let frame = serde_json::from_slice::<Frame>(line);
            let frame = frame.map_err(|_| broken(format!("frame {number}"), "frame-damaged"));
            frame.and_then(|Frame { key, data_b64 }| {
                match BASE64_MIME_PERMISSIVE.decode(data_b64.as_bytes()) {
                    Ok(bytes) => Ok((key, bytes)),
                    Err(_) => Err(broken(key, "frame-damaged")),
                }
            })
        };
        match read {
            Ok((key, bytes)) => {
                self.written = false;
                input::named(&key, None, bytes.as_slice(), &mut |found| self.found(found, None))?;
                self.ensure_row(&key)
            }
            Err((key, status, error)) => self.unread(&key, status, error),
        }
    }

    /// Writes the rows of a log; a common prefix of names is omitted.
    fn found(&mut self, found: Found<'_>, within: Option<&str>) -> Result<(), Failure> {
        let key = |name: &str| {
            let inner = within.and_then(|within| name.strip_prefix(within));
            inner.unwrap_or(name).to_owned()
        };
        let source = match found.source {
            Ok(source) if found.member && bundle::is_about_a_log(&source.name) => return Ok(()),
            Ok(source) => source,
            Err(error) => return self.failed(&key(error.input()), &error.into()),
        };
        self.written = true;
        let key = key(&source.name);
        let options = options(self.said, &source).0;
        let read = match of_machines(source, options, self.patterns) {
            Ok(read) => read,
            Err(failure) => return self.failed(&key, &failure.into()),
        };
        for one in read {
            match one {
                Ok((part, _)) => Row::of(&key, &part, &self.patterns.digest)
                    .try_for_each(|row| self.out.row(&row))
                    .map_err(Failure::Output)?,
                Err(failure) => self.failed(&key, &failure.into())?,
            }
        }
        self.out.end_of_log().map_err(Failure::Output)
    }

    fn failed(&mut self, key: &str, failure: &Failure) -> Result<(), Failure> {
        let status = match failure {
            Failure::Input(error) => InputStatus::of_error(error),
            _ => InputStatus::Unreadable,
        };
        self.unread(key, status, &failure.code())
    }

    fn unread(&mut self, key: &str, status: InputStatus, error: &str) -> Result<(), Failure> {
        self.written = true;
        let row = Row::unread(key, status, error, &self.patterns.digest);
        self.out.row(&row).and_then(|()| self.out.end_of_log()).map_err(Failure::Output)
    }
}

/// Whether a first line is a frame, intact or damaged. No log in JSON has both names.
fn is_of_frames(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_start();
    let has = |name: &[u8]| memmem::find(line, name).is_some();
    line.starts_with(b"{") && has(b"\"data_b64\"") && has(b"\"key\"")
}

/// Reads the next line into `line`, cut at the maximum length.
fn line_of_standard_input(line: &mut Vec<u8>) -> io::Result<()> {
    line.clear();
    let mut input = io::stdin().lock();
    (&mut input).take(LONGEST_FRAME + 1).read_until(b'\n', line)?;
    if line.len() as u64 > LONGEST_FRAME && !line.ends_with(b"\n") {
        input.skip_until(b'\n')?;
    }
    Ok(())
}
