//! The functions of the web page: files in, a report on all of them in each format out; or redacted
//! files.
//!
//! Nothing here opens files or asks for the time.

use std::io::{self, BufReader, Read, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::builtin;
use crate::bundle;
use crate::input::{self, Found, InputError, Source, Utf8};
use crate::inquiry::{self, LogFailure, Parts};
use crate::pattern::Patterns;
use crate::record;
use crate::redact::{self, Findings, Redactor, stream};
use crate::report::status::Unread;
use crate::report::{Report, json, redact as told, text};
use crate::value::Micros;

/// A file that the user chose, or a text that they pasted.
#[derive(Clone, Debug)]
pub struct ChosenFile {
    /// Its name.
    pub name: String,
    /// Its modification time, in microseconds since 1970 UTC; for a text, now.
    pub modified: i64,
    /// The offset of the browser's zone from UTC at that time, in seconds.
    pub offset: i32,
}

/// Maximum number of logs in a report; browsers cannot show more.
const LOGS: usize = 200;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFormat {
    /// JSON, as with `--format json`.
    Json,
    /// A separate HTML document.
    Html,
    /// Markdown for a tracker.
    Markdown,
}

/// The report on everything read so far.
#[derive(Debug)]
pub struct Page {
    patterns: Patterns,
    report: Report,
    /// Messages about inputs that could not be read to their end.
    said: Vec<String>,
    /// Whether logs were left out because there are too many.
    is_cut: bool,
}

impl Default for Page {
    fn default() -> Self {
        Self::new()
    }
}

impl Page {
    /// An empty report.
    #[must_use]
    pub fn new() -> Self {
        let patterns = builtin::patterns();
        let digest = patterns.digest.clone();
        let report = Report { patterns: digest, parts: Vec::new(), unread: Vec::new() };
        Self { patterns, report, said: Vec::new(), is_cut: false }
    }

    /// Reads a file, or all logs in it.
    pub fn read(&mut self, chosen: &ChosenFile, reader: impl Read) {
        let before = self.said.len();
        let mut of_use = false;
        let visited = each(chosen, reader, &mut |source, member| {
            of_use |= self.found(source, member, chosen);
            Ok(())
        });
        if let Err(error) = visited {
            self.failed(&error.into());
        }
        if !of_use && self.said.len() == before {
            let name = chosen.name.clone();
            self.failed(&InputError::NoLogs { name, what: "an archive" }.into());
        }
    }

    /// Adds a log; returns false if it is not worth a message.
    fn found(
        &mut self,
        source: Result<Source<'_>, InputError>,
        member: bool,
        chosen: &ChosenFile,
    ) -> bool {
        if self.report.parts.len() >= LOGS {
            if !std::mem::replace(&mut self.is_cut, true) {
                self.said.push(format!("Only the first {LOGS} logs are in the report."));
            }
            return true;
        }
        let source = match source {
            Ok(source) => source,
            Err(error) => {
                self.failed(&error.into());
                return false;
            }
        };
        let options = record::Options {
            reference: chosen.local(source.modified),
            ..record::Options::default()
        };
        match inquiry::parts(source, !member, options, &self.patterns) {
            Ok(Parts { of_use, cut, .. }) => {
                let found = !of_use.is_empty();
                self.report.parts.extend(of_use);
                if let Some(cut) = cut.filter(|cut| found || matches!(cut, LogFailure::Input(_))) {
                    self.say(&cut);
                }
                found
            }
            Err(LogFailure::Input(error)) if member && error.is_no_log() => false,
            Err(failure) => {
                self.failed(&failure);
                false
            }
        }
    }

    fn failed(&mut self, failure: &LogFailure) {
        if let LogFailure::Input(error) = failure {
            self.report.unread.push(Unread::of(error));
        }
        self.say(failure);
    }

    fn say(&mut self, failure: &LogFailure) {
        let journal = |error: &InputError| match error {
            InputError::NoJournalctl { name } => Some(name.clone()),
            InputError::Member { source, .. } => Some(source.input().to_owned())
                .filter(|_| matches!(**source, InputError::NoJournalctl { .. })),
            _ => None,
        };
        let name = match failure {
            LogFailure::Input(error) => journal(error),
            _ => None,
        };
        // Hints for the command line are useless here.
        self.said.push(match name {
            Some(name) => format!(
                "{name} is a binary journal, which a browser cannot read. On a machine with systemd: \
                 journalctl -k -b -1 -o export > journal.export"
            ),
            None => failure.to_string(),
        });
    }

    /// The messages about inputs, one sentence each.
    #[must_use]
    pub fn messages(&self) -> &[String] {
        &self.said
    }

    /// Whether the report is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.report.parts.is_empty()
    }

    /// Writes the report.
    ///
    /// # Errors
    /// What the writer returns.
    pub fn write(&self, form: PageFormat, out: &mut dyn Write) -> io::Result<()> {
        match form {
            PageFormat::Json => json::write(&self.report, json::Include::default(), out),
            PageFormat::Html => text::write_html(&self.report, out),
            PageFormat::Markdown => text::write_markdown(&self.report, out),
        }
    }
}

impl ChosenFile {
    /// When the file, or its member written at `modified`, was saved: microseconds since
    /// 1970-01-01T00:00:00 in the browser's zone.
    fn local(&self, modified: Option<SystemTime>) -> Option<Micros> {
        let since = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let written = since.and_then(|since| i64::try_from(since.as_micros()).ok());
        written.unwrap_or(self.modified).checked_add(i64::from(self.offset) * 1_000_000).map(Micros)
    }

    fn written(&self) -> Option<SystemTime> {
        let since = Duration::from_micros(u64::try_from(self.modified).ok()?);
        UNIX_EPOCH.checked_add(since)
    }
}

/// Handles a log; the flag is whether it is a file in an archive.
type Take<'a> = dyn FnMut(Result<Source<'_>, InputError>, bool) -> Result<(), InputError> + 'a;

/// Passes each log in a file to `take`.
fn each(chosen: &ChosenFile, reader: impl Read, take: &mut Take<'_>) -> Result<(), InputError> {
    input::named(&chosen.name, chosen.written(), reader, &mut |found| match found {
        Found { member: true, source: Ok(source) } if bundle::is_about_a_log(&source.name) => {
            Ok(())
        }
        Found { member: true, source: Err(error) } if error.is_no_log() => Ok(()),
        Found { member, source } => take(source, member),
    })
}

/// Redacts files: all of them are read first, then each is written.
#[derive(Debug)]
pub struct Redaction {
    redactor: Redactor,
}

impl Default for Redaction {
    fn default() -> Self {
        Self::new()
    }
}

impl Redaction {
    /// Without any private values.
    #[must_use]
    pub fn new() -> Self {
        Self { redactor: Redactor::new(&builtin::patterns(), redact::Options::default()) }
    }

    /// Learns the private values in a file; returns false if it is not a log, such as a picture.
    ///
    /// # Errors
    /// If it cannot be read to its end, or has more private values than can be distinguished.
    pub fn learn(&mut self, chosen: &ChosenFile, reader: impl Read) -> Result<bool, String> {
        let redactor = &mut self.redactor;
        let learnt = each(chosen, reader, &mut |source, _| {
            let source = source?;
            let lines = BufReader::new(Utf8::new(source.reader));
            stream::learn(redactor, lines)
                .map(drop)
                .map_err(|error| InputError::from_read(&source.name, error))
        });
        match learnt {
            Err(error) if error.is_no_log() => return Ok(false),
            learnt => learnt.map_err(|error| error.to_string())?,
        }
        Ok(true)
    }

    /// Writes each log in a file, decompressed and redacted, and marks its end.
    /// The output must be verified with [`Self::left`] before it is given away.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn write<W: Write>(
        &mut self,
        chosen: &ChosenFile,
        reader: impl Read,
        out: &mut W,
        ended: &mut dyn FnMut(&mut W) -> io::Result<()>,
    ) -> Result<(), String> {
        let redactor = &mut self.redactor;
        let written = each(chosen, reader, &mut |source, _| {
            let source = source?;
            let lines = BufReader::new(Utf8::new(source.reader));
            let written = stream::redact(redactor, Findings::default(), lines, &mut *out);
            let written = written.and_then(|()| ended(out));
            written.map_err(|error| InputError::from_read(&source.name, error))
        });
        written.map_err(|error| error.to_string())
    }

    /// A warning about logs with very many private values: that some share a token.
    #[must_use]
    pub fn excess(&self) -> Option<String> {
        told::excess(&self.redactor.excess())
    }

    /// Verifies the output; returns the lines with private values.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn left(&self, reader: impl Read) -> Result<Vec<u64>, String> {
        let mut lines = Vec::new();
        let mut found = |place: stream::LineLeftover| lines.push(place.line);
        stream::leftovers(&self.redactor, BufReader::new(reader), &mut found)
            .map_err(|error| error.to_string())?;
        lines.dedup();
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &[u8] = include_bytes!("../fixtures/formats/dmesg.log");

    fn chosen(name: &str) -> ChosenFile {
        ChosenFile { name: name.to_owned(), modified: 1_767_225_600_000_000, offset: 0 }
    }

    fn written(page: &Page, form: PageFormat) -> String {
        let mut out = Vec::new();
        page.write(form, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_log_has_a_report_in_each_form() {
        let mut page = Page::new();
        page.read(&chosen("dmesg.log"), LOG);
        assert_eq!(page.messages(), [""; 0]);
        for (form, begin) in [
            (PageFormat::Json, "{"),
            (PageFormat::Html, "<!DOCTYPE html>"),
            (PageFormat::Markdown, "## "),
        ] {
            let text = written(&page, form);
            assert!(text.starts_with(begin), "{form:?}: {text}");
            assert!(text.contains("dmesg.log"), "{form:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_said_and_in_the_report() {
        let mut page = Page::new();
        page.read(&chosen("empty.log"), &b""[..]);
        page.read(&chosen("picture.png"), &b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0"[..]);
        assert!(page.is_empty());
        assert!(
            page.messages().iter().any(|said| said == "empty.log is empty"),
            "{:?}",
            page.messages()
        );
        assert!(written(&page, PageFormat::Json).contains("picture.png"));
    }

    #[test]
    fn what_is_private_is_neither_written_nor_left() {
        let log = b"[    1.000000] r8169 0000:04:00.0 eth0: 00:11:22:33:44:55\n";
        let mut redaction = Redaction::new();
        assert!(redaction.learn(&chosen("a"), &log[..]).unwrap());
        let (mut out, mut logs) = (Vec::new(), 0);
        let mut ended = |_: &mut Vec<u8>| {
            logs += 1;
            Ok(())
        };
        redaction.write(&chosen("a"), &log[..], &mut out, &mut ended).unwrap();
        assert_eq!(logs, 1);
        assert!(!redaction.learn(&chosen("empty"), &b""[..]).unwrap());
        assert!(String::from_utf8_lossy(&out).contains("<mac-1>"), "{out:?}");
        assert_eq!(redaction.left(out.as_slice()).unwrap(), [0; 0]);
        assert_eq!(redaction.left(&log[..]).unwrap(), [1]);
        assert_eq!(redaction.excess(), None);
    }

    #[test]
    fn what_shares_a_token_is_said() {
        let address =
            |n: usize| format!("[ 1.0] x: from 10.{}.{}.{}\n", n >> 16, n >> 8 & 255, n & 255);
        let log: String = (0..Redactor::LIMIT + 2).map(address).collect();
        let mut redaction = Redaction::new();
        assert!(redaction.learn(&chosen("a"), log.as_bytes()).unwrap());
        let written =
            redaction.write(&chosen("a"), log.as_bytes(), &mut io::sink(), &mut |_| Ok(()));
        written.unwrap();
        let said = redaction.excess().unwrap();
        assert!(said.contains("<ipv4-more>"), "{said}");
    }
}
