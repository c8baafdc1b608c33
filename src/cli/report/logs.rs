//! The logs of the bundle: read once to learn private values, redacted, and reduced to the boots
//! concerned; then read again, so that the report is based on what is in the bundle.

use std::borrow::{Borrow, BorrowMut};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::ops::RangeInclusive;

use crate::bundle::{
    Class, Decision, Entry, KeptParts, LogTrimmer, Member, Mentioned, Packed, Spool, packed,
};
use crate::cli::args::Inputs;
use crate::cli::failure::Failure;
use crate::cli::logs::options;
use crate::cli::progress;
use crate::cli::sources::{self, LogOutcome, Role};
use crate::cli::streams::Messages;
use crate::diagnosis::choice::Choice;
use crate::diagnosis::conclusions;
use crate::diagnosis::verdict::Verdict;
use crate::event::log::Log;
use crate::event::recognise::Recogniser;
use crate::input::{Lines, Source, Utf8};
use crate::inquiry::InputName;
use crate::pattern::Patterns;
use crate::record::{self, Boot, LogFormat, Options, Origin, Read as Event, ReadStats, Visit};
use crate::redact::{Redactor, stream};
use crate::report::ReportPart;
use crate::report::plain::{self, LogWriter};
use crate::report::ticket::QuotedLine;
use crate::temporary::Temporary;
use crate::value::Micros;

/// Maximum size of all logs in a bundle before compression, in bytes.
pub(super) const LIMIT: u64 = 48 << 20;
/// The size that each of many logs gets in any case, in bytes.
pub(super) const LEAST: u64 = 256 << 10;
/// Number of lines to quote before the first line of a failure.
const BEFORE: u64 = 20;
/// Number of lines to quote from its first line on.
const BEHIND: u64 = 60;
/// Number of lines to quote around its last line.
const ENDING: u64 = 3;
/// Maximum length of a quoted line, in characters.
const QUOTED: usize = 400;
/// Maximum number of evidence events of an incident: the first and last of a storm.
const PROOF: usize = 2_000;

/// All logs as read.
#[derive(Default)]
pub(super) struct Collected {
    pub(super) logs: Vec<Raw>,
    /// False if something could not be read.
    pub(super) complete: bool,
}

/// A log as read.
pub(super) struct Raw {
    name: String,
    spool: Spool,
    boots: Vec<Boot>,
    options: Options,
}

/// Reads the inputs.
pub(super) fn collect(
    inputs: &Inputs,
    choice: &mut Choice,
    patterns: &Patterns,
    redactor: &mut Redactor,
    messages: &mut Messages<'_>,
) -> Result<Collected, Failure> {
    let mut logs = Vec::new();
    let watched = progress::is_wanted(false);
    let surveyed = sources::each(inputs, choice, messages, &mut |source, role| {
        let options = options(inputs.form.input_format, &source).0;
        let source = if watched { progress::watched(source) } else { source };
        let (raw, of_use, cut) = spooled(source, options, patterns, redactor, role)?;
        logs.extend(raw);
        Ok(LogOutcome { of_use, cut })
    })?;
    Ok(Collected { logs, complete: surveyed.complete })
}

type Spooled = (Option<Raw>, bool, Option<Failure>);

/// Reads one log. An input that is not a log is not used to learn private values.
fn spooled(
    source: Source<'_>,
    options: Options,
    patterns: &Patterns,
    redactor: &mut Redactor,
    role: Role,
) -> Result<Spooled, Failure> {
    let (input, _, reader) = InputName::of(source);
    let mut copy = BufWriter::new(Temporary::new().map_err(Failure::Spool)?);
    let mut lines = Lines::new(Tap { reader, copy: &mut copy });
    let spool = Spool::new().map_err(Failure::Spool)?;
    let mut collector = Collector {
        spool,
        recogniser: Recogniser::new(patterns),
        plain: LogWriter::default(),
        enveloped: false,
        stored: Ok(()),
    };
    let reading = record::read_wanted(&mut lines, options, &mut collector);
    let Collector { spool, recogniser, enveloped, stored, .. } = collector;
    stored.map_err(Failure::Spool)?;
    let mut reading = reading.map_err(|error| input.failed(error))?;
    let cut = input.cut_in_order(&mut reading)?.map(Failure::from);
    let name = input.name;
    let found = recogniser.finish();
    let is_log = reading.kernel_records > 0 || found.driver_records > 0 || !found.events.is_empty();
    if !is_log {
        return match cut {
            Some(failure) if role == Role::Asked => Err(failure),
            _ if role == Role::Asked => {
                Err(Failure::NoKernelLog { name, said: false, has: found.sightings.instead() })
            }
            cut => Ok((None, false, cut)),
        };
    }
    redactor.learn(&name);
    learn(copy, redactor).map_err(Failure::Spool)?;
    let spool = settled(spool, &reading, enveloped).map_err(Failure::Spool)?;
    let raw = Raw { name, spool, boots: reading.boots, options };
    Ok((Some(raw), true, cut))
}

/// A reader that copies what it reads.
struct Tap<'a, R> {
    reader: R,
    copy: &'a mut BufWriter<Temporary>,
}

impl<R: Read> Read for Tap<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.copy.write_all(buffer.get(..count).unwrap_or_default())?;
        Ok(count)
    }
}

/// Learns private values from all lines of the input, including names that occur only in envelopes.
fn learn(copy: BufWriter<Temporary>, redactor: &mut Redactor) -> io::Result<()> {
    stream::learn(redactor, BufReader::new(Utf8::new(rewound(copy)?))).map(drop)
}

/// Collects all records.
struct Collector<'p> {
    spool: Spool,
    recogniser: Recogniser<'p>,
    plain: LogWriter,
    /// Whether a record had an envelope with sender or time.
    enveloped: bool,
    stored: io::Result<()>,
}

impl Collector<'_> {
    fn store(&mut self, read: Event<'_>) -> io::Result<()> {
        let entry = match read {
            Event::Record(record) => {
                let program = matches!(record.origin, Origin::Program { .. }) && !record.buffered;
                let bare = record.origin == Origin::Unstated && record.form == LogFormat::Text;
                self.enveloped |= !bare;
                let (text, head) = self.plain.lines(record);
                // Text around a pasted log does not belong to it; if nothing has an envelope, all
                // lines may belong to it.
                let around = bare && !self.enveloped;
                Entry {
                    sequence: record.sequence,
                    class: match (program, around) {
                        (true, _) => Class::Program,
                        (_, true) => Class::Around,
                        _ => Class::Kernel,
                    },
                    text,
                    stead: (program || around).then_some(head),
                }
            }
            Event::Passed(passed) => match plain::passed(&passed) {
                Some(text) => Entry { sequence: u64::MAX, class: Class::Kernel, text, stead: None },
                None => return Ok(()),
            },
            Event::Hole(_) => return Ok(()),
        };
        self.spool.push(&entry)
    }
}

impl Visit for Collector<'_> {
    fn see(&mut self, read: Event<'_>) {
        if self.stored.is_ok() {
            self.stored = self.store(read);
        }
        self.recogniser.see(read);
    }

    fn prefix(&self, text: &str) -> Option<usize> {
        self.recogniser.prefix(text)
    }

    fn is_kernel_text(&self, text: &str) -> bool {
        self.recogniser.is_kernel_text(text)
    }

    fn is_unfinished(&self, text: &str) -> bool {
        self.recogniser.is_unfinished(text)
    }

    fn message(&self, text: &str) -> bool {
        self.recogniser.message(text)
    }

    fn is_done(&self) -> bool {
        self.stored.is_err()
    }
}

/// Applies what is known only after the whole log was read: repeated records are included once, and
/// if no record has an envelope, all lines are records.
fn settled(mut spool: Spool, reading: &ReadStats, enveloped: bool) -> io::Result<Spool> {
    let mut kept = Spool::new()?;
    spool.each(|mut entry| {
        entry.class = match entry.class {
            Class::Around if enveloped => Class::Program,
            Class::Around => Class::Kernel,
            class => class,
        };
        if reading.is_excerpt(entry.sequence) { Ok(()) } else { kept.push(&entry) }
    })?;
    Ok(kept)
}

impl Raw {
    /// Its redacted entries, and their whole text.
    fn redacted(&mut self, redactor: &mut Redactor) -> io::Result<(Spool, File)> {
        let mut spool = Spool::new()?;
        let mut text = BufWriter::new(Temporary::new()?);
        let mut boots = self.boots.iter().skip(1).peekable();
        self.spool.each(|mut entry| {
            while let Some(boot) = boots
                .next_if(|boot| boot.first_sequence <= entry.sequence && entry.sequence != u64::MAX)
            {
                if boot.certain {
                    entry.text.insert_str(0, &format!("{}\n", plain::REBOOT));
                }
            }
            let entry = Entry { text: redacted(&entry.text, redactor), ..entry };
            text.write_all(entry.text.as_bytes())?;
            spool.push(&entry)
        })?;
        Ok((spool, rewound(text)?))
    }
}

/// The written data, from its beginning.
fn rewound(written: BufWriter<Temporary>) -> io::Result<File> {
    written.into_inner().map_err(io::IntoInnerError::into_error)?.rewound()
}

/// A whole redacted log.
pub(super) struct Clean {
    name: String,
    spool: Spool,
    /// The sequence number of the first record of each boot, in the original log.
    starts: Vec<u64>,
    options: Options,
    /// The analysis.
    pub(super) part: ReportPart,
}

impl Clean {
    /// Redacts `raw` and analyses the result.
    pub(super) fn made(
        mut raw: Raw,
        patterns: &Patterns,
        redactor: &mut Redactor,
    ) -> Result<Self, Failure> {
        let (spool, file) = raw.redacted(redactor).map_err(Failure::Spool)?;
        let options = Options { only: None, as_it_comes: false, ..raw.options };
        let name = redactor.redact(&raw.name).into_owned();
        let part = part(name.clone(), BufReader::new(file), options, patterns)?;
        let starts = raw.boots.iter().map(|boot| boot.first_sequence).collect();
        Ok(Self { name, spool, starts, options, part })
    }

    /// Whether its analysis finds no log in it: records may be of a text about a log.
    pub(super) fn is_no_log(&self) -> bool {
        self.part.verdict() == Verdict::NoKernelLog
    }

    /// What is said if it is no log.
    pub(super) fn refused(&self) -> Failure {
        let has = self.part.log.sightings.instead();
        Failure::NoKernelLog { name: self.name.clone(), said: false, has }
    }

    /// The log of the bundle: the boots concerned, compressed, and analysed again as `name`.
    pub(super) fn kept(
        mut self,
        name: &str,
        limit: u64,
        patterns: &Patterns,
    ) -> Result<Kept, Failure> {
        let chosen = chosen(&self.part, std::mem::take(&mut self.starts), limit);
        let mut writer = Writer::new(&chosen);
        self.spool
            .each(|entry| {
                writer.trimmer.decide(&entry);
                Ok(())
            })
            .map_err(Failure::Spool)?;
        writer.trimmer.measured();
        self.spool.each(|entry| writer.write(&entry)).map_err(Failure::Spool)?;
        let (content, told, mentioned) = writer.finish().map_err(Failure::Spool)?;
        let reader = flate2::read::GzDecoder::new(content.as_slice());
        let part = part(name.to_owned(), reader, self.options, patterns)?;
        let what = format!("the kernel's log{told}");
        let origin = self.name;
        let member = Member { name: name.to_owned(), what, origin, content, is_page: false };
        Ok(Kept { member, mentioned, part })
    }
}

/// Redacts lines.
fn redacted(text: &str, redactor: &mut Redactor) -> String {
    let mut clean = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        clean.push_str(&redactor.redact(line));
        clean.push_str(end);
    }
    clean
}

/// A log in the bundle.
pub(super) struct Kept {
    pub(super) member: Member,
    pub(super) mentioned: Mentioned,
    pub(super) part: ReportPart,
}

impl Kept {
    /// The lines around the start of a failure.
    pub(super) fn lines(&self, finding: usize) -> io::Result<Vec<QuotedLine>> {
        let log = &self.part.log;
        let Some(finding) = self.part.conclusions.findings.get(finding) else {
            return Ok(Vec::new());
        };
        let events = finding.incident.events.iter().filter_map(|at| log.events.get(*at));
        let marked: std::collections::BTreeSet<u64> =
            events.flat_map(|event| event.lines().map(|(line, _)| line)).collect();
        let (Some(first), Some(last)) = (marked.first().copied(), marked.last().copied()) else {
            return Ok(Vec::new());
        };
        // Its last lines show how it ended.
        let begin = first.saturating_sub(BEFORE)..=first + BEHIND;
        let end = last.saturating_sub(ENDING)..=last + ENDING;
        let wanted = |number: &u64| begin.contains(number) || end.contains(number);
        let reader = flate2::read::GzDecoder::new(self.member.content.as_slice());
        let mut lines = Lines::new(BufReader::new(reader));
        let mut quoted = Vec::new();
        while let Some(line) = lines.next()? {
            if line.number > last + BEHIND {
                break;
            }
            if wanted(&line.number) {
                let mut text: String = line.text.chars().take(QUOTED).collect();
                if text.len() < line.text.len() {
                    text.push_str(" [cut]");
                }
                quoted.push(QuotedLine {
                    number: line.number,
                    text,
                    marked: marked.contains(&line.number),
                });
            }
        }
        Ok(quoted)
    }
}

fn part(
    name: String,
    reader: impl Read,
    options: Options,
    patterns: &Patterns,
) -> Result<ReportPart, Failure> {
    let mut lines = Lines::new(reader);
    let log = Log::read(&mut lines, options, patterns).map_err(Failure::Spool)?;
    let conclusions = conclusions(&log, patterns);
    Ok(ReportPart::new(name, None, log, conclusions))
}

/// What to keep of a log: the boots with shown failures, else the last shown boot.
fn chosen(part: &ReportPart, starts: Vec<u64>, limit: u64) -> KeptParts {
    let log = &part.log;
    let findings = &part.conclusions.findings;
    let mut boots: std::collections::BTreeSet<usize> =
        findings.iter().map(|finding| finding.incident.boot).collect();
    if boots.is_empty() {
        boots.extend(part.last_boot());
    }
    // If the redacted log has a different number of boots, they cannot be matched.
    if log.boots.len() != starts.len() {
        boots = (0..starts.len()).collect();
    }
    let lines = |event: &crate::event::Observed| event.first_line()..=event.last_line();
    let programs = log.events.iter().filter(|event| event.program.is_some()).map(lines);
    let mut evidence: Vec<RangeInclusive<u64>> = programs.collect();
    let mut incidents = Vec::new();
    for finding in findings {
        let events = &finding.incident.events;
        let behind = events.len().saturating_sub(PROOF / 2).max(PROOF / 2);
        let first = events.iter().take(PROOF / 2);
        let last = events.get(behind..).unwrap_or_default();
        evidence.extend(first.chain(last).filter_map(|at| log.events.get(*at)).map(lines));
        let begin = events.first().and_then(|at| log.events.get(*at));
        let end = events.last().and_then(|at| log.events.get(*at));
        incidents.extend(begin.zip(end).map(|(begin, end)| begin.first_line()..=end.last_line()));
    }
    let incidents = merged(incidents);
    KeptParts { boots, starts, evidence: merged(evidence), incidents, limit }
}

/// Merges overlapping ranges and sorts them.
fn merged(mut ranges: Vec<RangeInclusive<u64>>) -> Vec<RangeInclusive<u64>> {
    ranges.sort_by_key(|range| (*range.start(), *range.end()));
    let mut merged: Vec<RangeInclusive<u64>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start() <= last.end() => {
                *last = *last.start()..=*last.end().max(range.end());
            }
            _ => merged.push(range),
        }
    }
    merged
}

/// Writes the kept lines, with notes where lines are missing.
struct Writer<'c> {
    trimmer: LogTrimmer<'c>,
    out: Packed,
    mentioned: Mentioned,
    /// The number of program lines left out since the last line, and their placeholder.
    withheld: (u64, String),
    /// The number of lines left out because of the size limit.
    missing: u64,
    all_withheld: u64,
    all_missing: u64,
    other_boots: u64,
}

impl<'c> Writer<'c> {
    fn new(chosen: &'c KeptParts) -> Self {
        Self {
            trimmer: LogTrimmer::new(chosen),
            out: packed(),
            mentioned: Mentioned::default(),
            withheld: (0, String::new()),
            missing: 0,
            all_withheld: 0,
            all_missing: 0,
            other_boots: 0,
        }
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let lines = entry.lines();
        match self.trimmer.decide(entry) {
            Decision::Kept => {
                self.catch_up()?;
                if entry.class == Class::Kernel {
                    entry.text.lines().for_each(|line| self.mentioned.learn(line));
                }
                self.out.write_all(entry.text.as_bytes())
            }
            Decision::Withheld => {
                let stead = entry.stead.clone().unwrap_or_default();
                self.withheld = (self.withheld.0 + lines, stead);
                Ok(())
            }
            Decision::OtherBoot => {
                self.other_boots += lines;
                Ok(())
            }
            Decision::TooMuch => {
                self.missing += lines;
                Ok(())
            }
        }
    }

    /// Writes the notes about lines left out before the next line.
    fn catch_up(&mut self) -> io::Result<()> {
        if self.missing > 0 {
            self.all_missing += self.missing;
            let line = plain::missing(std::mem::take(&mut self.missing));
            self.out.write_all(line.as_bytes())?;
        }
        let (count, stead) = std::mem::take(&mut self.withheld);
        if count > 0 {
            self.all_withheld += count;
            self.out.write_all(plain::withheld(&stead, count).as_bytes())?;
        }
        Ok(())
    }

    fn finish(mut self) -> io::Result<(Vec<u8>, String, Mentioned)> {
        self.catch_up()?;
        let mut told = String::new();
        for (count, what) in [
            (self.other_boots, "lines of boots that have nothing to do with it left out"),
            (self.all_withheld, "lines of programs left out"),
            (self.all_missing, "lines in the middle left out for their length"),
        ] {
            if count > 0 {
                // Writing to a string cannot fail.
                let _ = write!(told, "; {count} {what}");
            }
        }
        Ok((self.out.finish()?, told, self.mentioned))
    }
}

/// The time of the end of a log in seconds since 1970, if known.
pub(super) fn ended(part: &ReportPart) -> Option<u64> {
    let walls = part.log.boots.iter().filter_map(|boot| boot.last.wall);
    let of_utc = |wall: record::Wall| {
        let offset = Micros::seconds(i64::from(wall.offset.unwrap_or(0)));
        u64::try_from(wall.local.since(offset).0 / 1_000_000).ok()
    };
    walls.filter_map(of_utc).max()
}

impl Borrow<ReportPart> for Clean {
    fn borrow(&self) -> &ReportPart {
        &self.part
    }
}

impl BorrowMut<ReportPart> for Clean {
    fn borrow_mut(&mut self) -> &mut ReportPart {
        &mut self.part
    }
}
