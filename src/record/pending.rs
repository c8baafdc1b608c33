//! The record that is held back because the next line may continue it. Independent of envelopes.

use super::boots::BootKey;
use super::draft::Draft;
use super::flow::Time;
use super::kmsg::{self, Header};
use super::scan::unescaped;
use super::{LogFormat, Visit};
use crate::input::plain_text;

/// Maximum width of a text that a mail program wraps.
const WRAP_LIMIT: usize = 100;

/// Minimum length of a wrapped line.
const WRAPPED: usize = 40;

/// Maximum length of a driver's line that may be continued.
const BEGINNING: usize = 400;

/// Minimum indentation of a continuation line.
pub(super) const BELOW: usize = 8;

/// Maximum length of a record of several lines, in bytes.
pub(super) const JOIN_LIMIT: usize = 64 << 10;

/// The transfer encoding of the input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Encoding {
    #[default]
    Plain,
    /// A line of this record looks like quoted-printable.
    Suspected,
    /// The input is a raw mail body in quoted-printable (RFC 2045, 6.7).
    Printable,
}

/// The held record, and what decides whether the next line continues it.
#[derive(Debug, Default)]
pub(super) struct PendingRecord {
    record: Draft<String>,
    state: State,
    /// The last fragment of a /dev/kmsg record: its number and the offset of the next one.
    piece: Option<(u64, usize)>,
    /// The last property line of such a record, which a fragment may have cut.
    detail: String,
    /// The column of the message.
    width: usize,
    /// The length of its last line; of one in quoted-printable, with all its parts.
    length: usize,
    /// The length of its last line as it is in the input.
    last: usize,
    /// The longest line of the input so far.
    longest: usize,
    /// The number of lines of that length.
    as_long: usize,
    /// The number of lines that were wrapped earlier, between two words.
    broken_before: usize,
    /// Whether the last line ends with a space.
    ends_blank: bool,
    encoding: Encoding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No record is held.
    #[default]
    Empty,
    /// The next line may continue it.
    Open,
    /// No further line can continue it.
    Closed,
}

impl PendingRecord {
    /// Holds a record; the previous one has been taken.
    pub(super) fn put(&mut self, line: u64, text: &str, indent: usize, draft: &Draft<&str>) {
        let whole = uncut(draft.message, draft.form);
        self.record = Draft { message: whole, ..*draft }.at(line, BootKey::default()).kept();
        self.record.cut |= draft.message.ends_with('>') && whole.len() < draft.message.len();
        self.state = State::Open;
        self.piece = None;
        self.detail.clear();
        if self.encoding == Encoding::Suspected {
            self.encoding = Encoding::Plain;
        }
        self.width = indent + text.len().saturating_sub(draft.message.len());
        self.measure(text);
    }

    /// Records the length of the last line.
    fn measure(&mut self, text: &str) {
        (self.length, self.last) = (text.len(), text.len());
        if self.length > self.longest {
            (self.longest, self.as_long) = (self.length, 0);
        }
        self.as_long += usize::from(self.length == self.longest);
        self.ends_blank = text.ends_with([' ', '\t']);
    }

    /// The format of the last record.
    pub(super) fn form(&self) -> LogFormat {
        self.record.form
    }

    /// The first line of the held record.
    pub(super) fn line(&self) -> Option<u64> {
        (self.state != State::Empty).then_some(self.record.line)
    }

    /// Whether the next line may continue the record.
    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Whether the lines of this input were not wrapped: some are longer than mail programs allow.
    pub(super) fn is_whole(&self) -> bool {
        self.longest > WRAP_LIMIT && self.encoding != Encoding::Printable
    }

    /// The time of the record.
    pub(super) fn time(&self) -> &Time {
        &self.record.time
    }

    /// Records which fragment of a /dev/kmsg record is held.
    pub(super) fn note_fragment(&mut self, header: &Header) {
        let next = self.record.message.len();
        self.piece = header.offset.map(|_| (header.sequence, next));
    }

    /// Adds a fragment of the same /dev/kmsg record.
    pub(super) fn try_continue(&mut self, header: &Header, text: &str) -> bool {
        if self.state != State::Open || self.record.form != LogFormat::Kmsg {
            return false;
        }
        let joins = match (header.offset, self.piece) {
            (Some(offset), Some((sequence, next))) if sequence == header.sequence => {
                let offset = offset as usize;
                self.record.cut |= offset != next;
                self.piece = Some((sequence, offset.saturating_add(text.len())));
                true
            }
            _ => header.follows,
        };
        if joins && !self.detail.is_empty() {
            self.detail.push_str(text);
            self.learn_detail();
        } else if joins && self.record.message.len() <= JOIN_LIMIT {
            self.record.message.push_str(text);
        } else if joins {
            self.record.cut = true;
        }
        joins
    }

    /// Adds a property line of a /dev/kmsg record.
    pub(super) fn detail(&mut self, text: &str, indent: usize) -> bool {
        let known = match kmsg::detail(text) {
            Some((key, _)) => indent > 0 || matches!(key, "SUBSYSTEM" | "DEVICE"),
            None => indent > 0 && self.piece.is_some(),
        };
        if self.state != State::Open || !known {
            return false;
        }
        if let Some((_, next)) = &mut self.piece {
            // The line break and the space before it count, too.
            *next += text.len() + indent + 1;
        }
        text.clone_into(&mut self.detail);
        self.learn_detail();
        true
    }

    fn learn_detail(&mut self) {
        if let Some(("DEVICE", name)) = kmsg::detail(&self.detail) {
            self.record.device = super::envelope::device(name);
        }
    }

    /// Whether the text contains more than a driver's prefix: a message below such a prefix belongs
    /// to its line.
    pub(super) fn has_text(&self, visit: &impl Visit) -> bool {
        let message = self.record.message.as_str();
        let behind = visit.prefix(message).and_then(|length| message.get(length..));
        !behind.unwrap_or(message).trim().is_empty()
    }

    /// Ends the record: what follows does not belong to it.
    pub(super) fn close(&mut self) {
        if self.state == State::Open {
            self.state = State::Closed;
        }
    }

    /// Checks a complete line for indications about the others.
    pub(super) fn note(&mut self, text: &str) {
        if text.starts_with("Content-Transfer-Encoding: quoted-printable") {
            self.encoding = Encoding::Printable;
        }
    }

    /// Adds a line without an envelope if it continues the record.
    ///
    /// Continuation lines of a message are indented below the first. A line that a mail program
    /// wrapped has the maximum length: the next word did not fit. A complete message of the driver
    /// is not wrapped.
    pub(super) fn try_append_line(
        &mut self,
        text: &str,
        indent: usize,
        visit: &impl Visit,
    ) -> bool {
        if !self.is_open() || self.record.message.len() > JOIN_LIMIT {
            return false;
        }
        let first = text.find(' ').unwrap_or(text.len());
        if indent >= BELOW && indent + 2 >= self.width {
            self.record.message.push('\n');
            let beyond = indent.saturating_sub(self.width);
            self.record.message.extend(std::iter::repeat_n(' ', beyond));
        } else if self.soft_break() {
            if self.encoding == Encoding::Plain {
                self.encoding = Encoding::Suspected;
            }
            self.record.message.pop();
            self.record.message.extend(std::iter::repeat_n(' ', indent));
            self.record.message.push_str(text);
            // The wrapped line has the length of both parts.
            self.length += text.len();
            self.last = indent + text.len();
            return true;
        } else if indent == 0
            && self.is_wrapped(first)
            && text.len() <= WRAP_LIMIT
            && !self.is_complete_without(text, visit)
        {
            self.join(false);
        } else {
            return false;
        }
        self.record.message.push_str(text);
        self.measure(text);
        true
    }

    /// Whether the record is a message of the driver, but not with `text` appended.
    fn is_complete_without(&self, text: &str, visit: &impl Visit) -> bool {
        let message = &self.record.message;
        message.len() <= BEGINNING
            && !visit.is_unfinished(message)
            && visit.is_unfinished(&format!("{message} {text}"))
    }

    /// Adds a record if the held one is only a driver's prefix: the message begins with a line
    /// feed, and the console prints each of its lines with the same time.
    pub(super) fn try_append_record(&mut self, draft: &Draft<&str>, visit: &impl Visit) -> bool {
        let may_be = self.is_open()
            && draft.message.starts_with(' ')
            && draft.form == self.record.form
            && draft.time == self.record.time
            && draft.host == self.record.host.as_deref();
        if !may_be {
            return false;
        }
        let prefix = format!("{}\n", self.record.message.trim_end());
        if visit.prefix(&prefix) != Some(prefix.len()) {
            return false;
        }
        self.record.message = prefix;
        self.record.message.push_str(draft.message);
        true
    }

    /// Adds a line without an envelope if the record is a truncated line of the driver.
    pub(super) fn try_append_rest(
        &mut self,
        text: &str,
        indent: usize,
        visit: &impl Visit,
    ) -> bool {
        let may_be = self.is_open()
            && indent <= 1
            && self.longest <= WRAP_LIMIT
            && text.len() <= WRAP_LIMIT
            && self.record.message.len() <= BEGINNING
            && visit.is_unfinished(&self.record.message);
        if may_be {
            self.join(indent > 0);
            self.record.message.push_str(text);
            self.measure(text);
        }
        may_be
    }

    /// Adds the space where a line was wrapped, unless lines are cut at a fixed length.
    fn join(&mut self, begins_blank: bool) {
        let at_the_edge = self.length == self.longest && self.as_long > 1;
        self.broken_before += usize::from(self.length < self.longest && !self.ends_blank);
        let glued = at_the_edge && self.broken_before == 0 && !self.ends_blank && !begins_blank;
        if !glued && !self.record.message.ends_with(' ') {
            self.record.message.push(' ');
        }
    }

    /// Whether the last line ends with the soft line break of quoted-printable.
    fn soft_break(&self) -> bool {
        self.record.message.ends_with('=')
            && (self.encoding == Encoding::Printable || (70..=76).contains(&self.last))
    }

    fn is_wrapped(&self, next_word: usize) -> bool {
        self.longest <= WRAP_LIMIT
            && self.length >= WRAPPED
            && self.length + 1 + next_word > self.longest.max(66)
    }

    /// Takes the record; its sequence number is set later.
    pub(super) fn take(&mut self, boot: BootKey) -> Option<Draft<&str>> {
        if std::mem::take(&mut self.state) == State::Empty {
            return None;
        }
        // Without the mail's header, only an encoded `=` proves the encoding.
        let proven = match self.encoding {
            Encoding::Plain => is_encoded(&self.record.message),
            Encoding::Suspected => self.record.message.contains("=3D"),
            Encoding::Printable => false,
        };
        if proven {
            self.encoding = Encoding::Printable;
        }
        if self.encoding == Encoding::Printable
            && let Some(text) = unescaped(&self.record.message, "=")
        {
            self.record.message = text;
        }
        if self.record.form == LogFormat::Kmsg
            && let Some(text) = unescaped(&self.record.message, kmsg::ESCAPE)
        {
            self.record.message = plain_text(text.into()).into_owned();
        }
        Some(self.record.borrowed().at(self.record.line, boot))
    }
}

/// Removes the mark for a cut line of a pager, and netconsole's properties if a syslog daemon wrote
/// them after the text.
fn uncut(message: &str, form: LogFormat) -> &str {
    let said = match form {
        LogFormat::Kmsg => message.find(" SUBSYSTEM="),
        _ => memchr::memchr(b'#', message.as_bytes())
            .filter(|&at| message[at..].starts_with("#012 SUBSYSTEM=")),
    };
    if let Some(at) = said {
        return message[..at].trim_end();
    }
    match message.strip_suffix('>') {
        Some(cut) if !cut.contains('<') && !cut.ends_with(['-', '=']) => cut,
        _ => message,
    }
}

/// Whether each of several `=` in a text is encoded. A single one may precede a hexadecimal number.
fn is_encoded(message: &str) -> bool {
    let mut marks = memchr::memchr_iter(b'=', message.as_bytes()).peekable();
    if marks.peek().is_none() {
        return false;
    }
    let encoded = |at: usize| message.as_bytes().get(at + 1..at + 3) == Some(b"3D");
    marks.clone().count() > 1 && marks.all(encoded)
}
