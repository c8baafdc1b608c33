//! Lines to records, one at a time: asks each form in turn, joins what one record is, and keeps
//! account of everything else.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read};

use super::boots::{Boot, Boots};
use super::envelope::{Context, Envelope, kernel_time};
use super::held::Held;
use super::listing::{self, Columns};
use super::notice::{self, Hole, HoleKind, Notice};
use super::stamp::{Flow, Time};
use super::wrapper::{self, Unwrapped};
use super::{Form, Origin, Process, Record, Stamp, dmesg, syslog};
use crate::input::{Line, Lines, Skipped};

/// How many quoted records are remembered; no mail has more.
const QUOTED_LIMIT: usize = 100_000;
/// A machine that is booted ten times a day fills this in 27 years.
const BOOT_LIMIT: usize = 100_000;
/// Lines that are missing somewhere: a log with more of them proves nothing.
const HOLE_LIMIT: usize = 500_000;

/// What was read, apart from the records themselves.
#[derive(Debug, Default)]
pub struct Reading {
    /// The form of most records.
    pub form: Form,
    /// How many lines the input has.
    pub lines: u64,
    /// How many bytes were read, unpacked.
    pub bytes: u64,
    /// How many records there are.
    pub records: u64,
    /// How many of them are lines of the kernel's own buffer, whoever wrote them.
    pub kernel_records: u64,
    /// How many records are processes.
    pub processes: u64,
    /// How many more times records came than they are listed: `message repeated N times`.
    pub repeats: u64,
    /// How many records were left out because an answer quotes them again.
    pub quoted_again: u64,
    /// What could not be used.
    pub skipped: Skipped,
    /// The boots, in the order of the input.
    pub boots: Vec<Boot>,
    /// Where lines are missing, in the order of the input.
    pub holes: Vec<Hole>,
    /// Whether the input runs from the newest record to the oldest.
    pub reversed: bool,
    /// Whether the last line may be cut off.
    pub cut: bool,
    /// Why reading stopped early, if it did; what came before is in.
    pub stopped: Option<io::Error>,
}

/// Reads all records of an input, in the order of its lines.
///
/// # Errors
///
/// If not a single line could be read. A failure further on ends the reading, see
/// [`Reading::stopped`].
pub fn read(
    lines: &mut Lines<impl Read>,
    mut visit: impl FnMut(&Record<'_>),
) -> io::Result<Reading> {
    let mut reader = Reader::new();
    let mut stopped = None;
    loop {
        match lines.next() {
            Ok(Some(line)) => reader.line(&line, &mut visit),
            Ok(None) => break,
            Err(error) => stopped = Some(error),
        }
        if reader.account.is_full() {
            stopped = Some(io::Error::other("more boots or holes than any log has"));
            break;
        }
    }
    let mut reading = reader.finish(&mut visit);
    reading.bytes = lines.bytes();
    reading.skipped = lines.skipped();
    match stopped {
        Some(error) if reading.lines == 0 => Err(error),
        stopped => Ok(Reading { stopped, ..reading }),
    }
}

/// Reads records from lines that are handed in one by one, for an input that still grows.
#[derive(Debug, Default)]
pub struct Reader {
    form: Form,
    host: String,
    listing: Option<Columns>,
    held: Held,
    flow: Flow,
    account: Account,
    /// Where a line is put together if a character has to be replaced.
    clean: String,
    /// The first records, by time and text, and how deep each is quoted.
    quoted: HashMap<u64, usize>,
}

/// What is counted on the way.
#[derive(Debug, Default)]
struct Account {
    reading: Reading,
    boots: Boots,
    forms: [u64; Form::ALL.len()],
}

impl Account {
    /// Whether what is kept per boot and per hole would grow beyond bounds.
    fn is_full(&self) -> bool {
        self.boots.count() >= BOOT_LIMIT || self.reading.holes.len() >= HOLE_LIMIT
    }

    /// Counts a record and hands it on.
    fn give(
        &mut self,
        mut record: Record<'_>,
        form: Form,
        buffer: bool,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        let reading = &mut self.reading;
        record.sequence = reading.records;
        record.buffered = buffer;
        reading.records += 1;
        reading.kernel_records += u64::from(buffer);
        reading.processes += u64::from(record.process.is_some());
        if let Some(count) = self.forms.get_mut(form as usize) {
            *count += 1;
        }
        if record.cut {
            let Record { sequence, line, stamp, .. } = record;
            reading.holes.push(Hole { sequence, line, stamp, lost: None, kind: HoleKind::Cut });
        }
        match notice::read(record.message) {
            Some(Notice::Missing(kind, lost)) => {
                let Record { sequence, line, stamp, .. } = record;
                reading.holes.push(Hole { sequence, line, stamp, lost, kind });
            }
            Some(Notice::Repeated(count)) => {
                reading.repeats = reading.repeats.saturating_add(count);
            }
            None => {}
        }
        self.boots.record(&record);
        visit(&record);
    }
}

impl Reader {
    /// Knows nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next line. A record is handed on as soon as the line behind it shows that it is
    /// complete, or by [`Self::flush`].
    pub fn line(&mut self, line: &Line<'_>, visit: &mut impl FnMut(&Record<'_>)) {
        self.account.reading.lines = line.number;
        self.account.reading.cut = !line.whole;
        let mut clean = std::mem::take(&mut self.clean);
        let unwrapped = wrapper::unwrapped(line.text, &mut clean);
        self.unwrapped(line.number, &unwrapped, visit);
        self.clean = clean;
    }

    /// Hands on the record that waits for its next line, if there is one.
    pub fn flush(&mut self, visit: &mut impl FnMut(&Record<'_>)) {
        let form = self.held.form;
        let buffer = self.held.buffer;
        if let Some(record) = self.held.take() {
            self.account.give(record, form, buffer, visit);
        }
    }

    /// Ends the input. `bytes` and `skipped` are for the one who has the lines to fill in.
    pub fn finish(mut self, visit: &mut impl FnMut(&Record<'_>)) -> Reading {
        self.flush(visit);
        let Account { mut reading, boots, forms } = self.account;
        let by_count = |(count, form): (&u64, Form)| (*count, std::cmp::Reverse(form));
        // Prose around a log outnumbers it easily, so text wins only where there is nothing else.
        reading.form = forms
            .iter()
            .zip(Form::ALL)
            .filter(|(count, form)| **count > 0 && *form != Form::Text)
            .max_by_key(|&found| by_count(found))
            .map_or(Form::Text, |(_, form)| form);
        reading.reversed = self.flow.is_reversed();
        reading.boots = boots.finish(reading.reversed, reading.records);
        reading
    }

    fn unwrapped(
        &mut self,
        number: u64,
        line: &Unwrapped<'_>,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        let &Unwrapped { text, indent, quotes } = line;
        if let Some(envelope) = self.envelope(text) {
            if self.is_quoted_again(quotes, &envelope) {
                self.account.reading.quoted_again += 1;
                return self.held.close();
            }
            return self.enveloped(number, text, indent, envelope, visit);
        }
        if text.trim().is_empty() || self.marker(text, visit) || wrapper::is_furniture(text) {
            return self.held.close();
        }
        if self.held.continues(text, indent) {
            return;
        }
        let inside =
            wrapper::without_prefix(text).find_map(|inner| Some((inner, self.envelope(inner)?)));
        if let Some((inner, envelope)) = inside {
            return self.enveloped(number, inner, indent, envelope, visit);
        }
        self.flush(visit);
        if self.listed(number, text, visit) {
            return;
        }
        self.text(number, text, quotes, visit);
    }

    /// Whether a record stands here only because an answer quotes what stands here already.
    fn is_quoted_again(&mut self, quotes: usize, envelope: &Envelope<'_>) -> bool {
        if quotes == 0 && self.quoted.len() >= QUOTED_LIMIT {
            return false;
        }
        if (envelope.time.monotonic, envelope.time.wall) == (None, None) {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        (envelope.time.monotonic, envelope.time.wall.map(|wall| wall.local), envelope.message)
            .hash(&mut hasher);
        let key = hasher.finish();
        let known = match self.quoted.get(&key) {
            Some(known) => *known,
            None if self.quoted.len() >= QUOTED_LIMIT => return false,
            None => *self.quoted.entry(key).or_insert(quotes),
        };
        quotes > 0 && known != quotes
    }

    /// Asks the forms, by how the line begins.
    fn envelope<'a>(&self, text: &'a str) -> Option<Envelope<'a>> {
        let context = Context { form: self.form, host: &self.host };
        match text.as_bytes().first()? {
            b'[' => dmesg::read(text, context),
            b'<' => syslog::read(text, context).or_else(|| dmesg::read(text, context)),
            // The mark behind the seconds of an ISO time tells them apart.
            b'0'..=b'9' if text.as_bytes().get(19) == Some(&b',') => dmesg::read(text, context),
            b'0'..=b'9' | b'A'..=b'Z' => syslog::read(text, context),
            b'a'..=b'z' | 0x80.. => {
                dmesg::read(text, context).or_else(|| syslog::read(text, context))
            }
            _ => None,
        }
    }

    /// Takes a line with an envelope, and every further record that begins inside it.
    fn enveloped<'a>(
        &mut self,
        number: u64,
        text: &'a str,
        indent: usize,
        mut envelope: Envelope<'a>,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        self.listing = None;
        self.form = envelope.form;
        if self.host.is_empty() && envelope.form == Form::JournalShortMonotonic {
            let before = text.get(..text.len() - envelope.message.len()).unwrap_or_default();
            self.host.push_str(syslog::host(before));
        }
        while let Some((message, inner)) = self.split(&envelope) {
            envelope.message = message;
            self.hold(number, text, indent, &envelope, visit);
            envelope = inner;
        }
        self.hold(number, text, indent, &envelope, visit);
    }

    fn hold(
        &mut self,
        number: u64,
        text: &str,
        indent: usize,
        envelope: &Envelope<'_>,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        self.flush(visit);
        let stamp = self.flow.stamp(&envelope.time);
        self.held.put(number, text, indent, envelope, stamp);
    }

    /// Where a second record begins inside a message: two processors on one console, or a paste
    /// without its line ends.
    fn split<'a>(&self, envelope: &Envelope<'a>) -> Option<(&'a str, Envelope<'a>)> {
        if envelope.form == Form::Syslog && envelope.priority.is_some() {
            return self.stream(envelope.message);
        }
        let outer = envelope.time.monotonic.filter(|_| envelope.buffer)?;
        let (at, clock) = inner_time(envelope.message)?;
        let span = clock.since(outer).0;
        // A time far away is quoted, not printed.
        if !(-5_000_000..3_600_000_000).contains(&span)
            || envelope.message.starts_with("message repeated")
        {
            return None;
        }
        let (message, rest) = envelope.message.split_at_checked(at)?;
        let context = Context { form: Form::Dmesg, host: &self.host };
        let inner = dmesg::read(rest, context)?;
        let time = Time { wall: envelope.time.wall, ..inner.time };
        Some((message.trim_end(), Envelope { form: envelope.form, time, ..inner }))
    }

    /// Where the next record of a stream without line ends begins: `text<6>Nov 19 …` (RFC 3164).
    fn stream<'a>(&self, message: &'a str) -> Option<(&'a str, Envelope<'a>)> {
        let context = Context { form: Form::Syslog, host: &self.host };
        memchr::memchr_iter(b'<', message.as_bytes()).find_map(|at| {
            let (before, rest) = message.split_at_checked(at)?;
            // `<13>` and the name of a month: anything else is not worth a reading of the rest.
            let end = rest.bytes().take(5).position(|byte| byte == b'>')?;
            rest.as_bytes().get(end + 1).filter(|byte| !byte.is_ascii_digit())?;
            let inner = syslog::read(rest, context).filter(|inner| inner.form == Form::Syslog)?;
            Some((before, inner))
        })
    }

    /// What journalctl prints between records: `-- Boot 0123… --`, `-- No entries --`.
    fn marker(&mut self, text: &str, visit: &mut impl FnMut(&Record<'_>)) -> bool {
        let Some(inner) =
            text.strip_prefix("-- ").and_then(|rest| rest.trim_end().strip_suffix("--"))
        else {
            return text.starts_with("-- cursor: ");
        };
        let inner = inner.trim_end();
        let boot = inner.strip_prefix("Boot ").map(Some).or((inner == "Reboot").then_some(None));
        if let Some(boot_id) = boot {
            self.flush(visit);
            self.account.boots.marker(boot_id);
        }
        true
    }

    /// A header or a row of `ps`.
    fn listed(&mut self, number: u64, text: &str, visit: &mut impl FnMut(&Record<'_>)) -> bool {
        if let Some(columns) = Columns::of(text) {
            self.listing = Some(columns);
            return true;
        }
        let row =
            self.listing.and_then(|columns| columns.row(text)).or_else(|| listing::bare_row(text));
        let Some(process) = row else {
            self.listing = None;
            return false;
        };
        self.form = Form::ProcessListing;
        self.plain(number, text, Some(process), visit);
        true
    }

    /// A line without an envelope; it may end in a record all the same, where a console prints
    /// behind a prompt.
    fn text(
        &mut self,
        number: u64,
        text: &str,
        quotes: usize,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        let context = Context { form: Form::Dmesg, host: &self.host };
        let behind = inner_time(text).and_then(|(at, _)| text.split_at_checked(at));
        if let Some((before, rest)) = behind
            && let Some(envelope) = dmesg::read(rest, context)
        {
            if !self.is_quoted_again(quotes, &envelope) {
                self.plain(number, before, None, visit);
                self.enveloped(number, rest, 0, envelope, visit);
            }
            return;
        }
        self.held.note(text);
        self.plain(number, text, None, visit);
    }

    fn plain(
        &mut self,
        line: u64,
        message: &str,
        process: Option<Process<'_>>,
        visit: &mut impl FnMut(&Record<'_>),
    ) {
        let form = if process.is_some() { Form::ProcessListing } else { Form::Text };
        let (stamp, origin) = (Stamp::default(), Origin::Unstated);
        let message = message.trim_end();
        let record = Record {
            sequence: 0,
            line,
            stamp,
            level: None,
            origin,
            buffered: false,
            cut: false,
            message,
            process,
        };
        self.account.give(record, form, false, visit);
    }
}

/// The first `[ktime]` that is not at the beginning.
fn inner_time(text: &str) -> Option<(usize, crate::value::Micros)> {
    memchr::memchr_iter(b'[', text.as_bytes()).filter(|&at| at > 0).find_map(|at| {
        // Most brackets are told by one byte.
        let digit =
            text.as_bytes().get(at + 1).is_some_and(|byte| *byte == b' ' || byte.is_ascii_digit());
        let found = kernel_time(&mut super::scan::Scan::new(text.get(at..).filter(|_| digit)?))?;
        Some((at, found))
    })
}
