//! The record that waits for the next line, which may be a part of it. Knows no envelope.

use super::boots::BootKey;
use super::draft::Draft;
use super::flow::Time;
use super::kmsg::{self, Header};
use super::scan::unescaped;
use super::{Form, Visit};
use crate::input::plain_text;

/// The widest line of a text that may have been wrapped by a mail program.
const WRAP_LIMIT: usize = 100;

/// The shortest line that a mail program breaks.
const WRAPPED: usize = 40;

/// How long a line of the driver is at most that may be the beginning of one.
const BEGINNING: usize = 400;

/// How far a line of a record is indented at least that is not its first.
pub(super) const BELOW: usize = 8;

/// How long a record of several lines may become.
pub(super) const JOIN_LIMIT: usize = 64 << 10;

/// How the input writes characters that a mail cannot carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Encoding {
    #[default]
    Plain,
    /// A line of this record looks as if broken by quoted-printable.
    Suspected,
    /// The input is the raw body of a mail (RFC 2045, 6.7).
    Printable,
}

/// The record that waits, and what tells whether the next line belongs to it.
#[derive(Debug, Default)]
pub(super) struct PendingRecord {
    record: Draft<String>,
    state: State,
    /// The piece of a record of /dev/kmsg that came last: its number and where the next begins.
    piece: Option<(u64, usize)>,
    /// The line below such a record that came last, which a piece may have cut.
    detail: String,
    /// How far to the right the message begins.
    width: usize,
    /// The length of the last line of it.
    length: usize,
    /// The longest line of the input so far.
    longest: usize,
    /// How many lines are as long.
    as_long: usize,
    /// How many lines were broken before that, between two words.
    broken_before: usize,
    /// Whether the last line ends in a blank.
    ends_blank: bool,
    encoding: Encoding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// No record is held.
    #[default]
    Empty,
    /// The next line may belong to it.
    Open,
    /// No further line can belong to it.
    Closed,
}

impl PendingRecord {
    /// Holds the record of a line; the one before has been taken.
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

    /// Notes how long the last line was.
    fn measure(&mut self, text: &str) {
        self.length = text.len();
        if self.length > self.longest {
            (self.longest, self.as_long) = (self.length, 0);
        }
        self.as_long += usize::from(self.length == self.longest);
        self.ends_blank = text.ends_with([' ', '\t']);
    }

    /// The form of the record that came last.
    pub(super) fn form(&self) -> Form {
        self.record.form
    }

    /// The first line of the record that waits.
    pub(super) fn line(&self) -> Option<u64> {
        (self.state != State::Empty).then_some(self.record.line)
    }

    /// Whether a record waits for its next line.
    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    /// Whether no mail program broke the lines of this input: some are longer than it would leave them.
    pub(super) fn is_whole(&self) -> bool {
        self.longest > WRAP_LIMIT && self.encoding != Encoding::Printable
    }

    /// The time of the record.
    pub(super) fn time(&self) -> &Time {
        &self.record.time
    }

    /// Notes which piece of a record of /dev/kmsg is held.
    pub(super) fn is_piece(&mut self, header: &Header) {
        let next = self.record.message.len();
        self.piece = header.offset.map(|_| (header.sequence, next));
    }

    /// Takes a record of /dev/kmsg that goes on the one before.
    pub(super) fn goes_on(&mut self, header: &Header, text: &str) -> bool {
        if self.state != State::Open || self.record.form != Form::Kmsg {
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

    /// Takes a line below a record of /dev/kmsg that says more about it.
    pub(super) fn detail(&mut self, text: &str, indent: usize) -> bool {
        let known = match kmsg::detail(text) {
            Some((key, _)) => indent > 0 || matches!(key, "SUBSYSTEM" | "DEVICE"),
            None => indent > 0 && self.piece.is_some(),
        };
        if self.state != State::Open || !known {
            return false;
        }
        if let Some((_, next)) = &mut self.piece {
            // The line end and the blank before it count, too.
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

    /// Whether anything stands in it behind the name of a driver: a message that begins below such a name
    /// is a part of its line.
    pub(super) fn says_something(&self, visit: &impl Visit) -> bool {
        let message = self.record.message.as_str();
        let behind = visit.prefix(message).and_then(|length| message.get(length..));
        !behind.unwrap_or(message).trim().is_empty()
    }

    /// Something stands behind the record that is no part of it.
    pub(super) fn close(&mut self) {
        if self.state == State::Open {
            self.state = State::Closed;
        }
    }

    /// Looks at a line that is a record of its own for what it says about the others.
    pub(super) fn note(&mut self, text: &str) {
        if text.starts_with("Content-Transfer-Encoding: quoted-printable") {
            self.encoding = Encoding::Printable;
        }
    }

    /// Takes a line without an envelope if it is a part of the record.
    ///
    /// A message of several lines is printed with the later ones below the first. A line that a mail
    /// program broke is as long as it may be: the first word behind did not fit.
    pub(super) fn continues(&mut self, text: &str, indent: usize) -> bool {
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
            // The line that was broken is as long as both parts.
            self.length += text.len();
            return true;
        } else if indent == 0 && self.is_wrapped(first) && text.len() <= WRAP_LIMIT {
            self.join(false);
        } else {
            return false;
        }
        self.record.message.push_str(text);
        self.measure(text);
        true
    }

    /// Takes a line without an envelope if the record is a line of the driver that was broken somewhere.
    pub(super) fn is_finished_by(&mut self, text: &str, indent: usize, visit: &impl Visit) -> bool {
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

    /// Puts a blank where a line was broken, unless lines end wherever they are as long as all others.
    fn join(&mut self, begins_blank: bool) {
        let at_the_edge = self.length == self.longest && self.as_long > 1;
        self.broken_before += usize::from(self.length < self.longest && !self.ends_blank);
        let glued = at_the_edge && self.broken_before == 0 && !self.ends_blank && !begins_blank;
        if !glued && !self.record.message.ends_with(' ') {
            self.record.message.push(' ');
        }
    }

    /// Whether the last line ends in the mark that a mail's encoding puts where it breaks a line.
    fn soft_break(&self) -> bool {
        self.record.message.ends_with('=')
            && (self.encoding == Encoding::Printable || (70..=76).contains(&self.length))
    }

    fn is_wrapped(&self, next_word: usize) -> bool {
        self.longest <= WRAP_LIMIT
            && self.length >= WRAPPED
            && self.length + 1 + next_word > self.longest.max(66)
    }

    /// Gives the record away; its sequence is for the one who counts.
    pub(super) fn take(&mut self, boot: BootKey) -> Option<Draft<&str>> {
        if std::mem::take(&mut self.state) == State::Empty {
            return None;
        }
        // Without the mail's header, only an encoded `=` proves that the rest is encoded, too.
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
        if self.record.form == Form::Kmsg
            && let Some(text) = unescaped(&self.record.message, kmsg::ESCAPE)
        {
            self.record.message = plain_text(text.into()).into_owned();
        }
        Some(self.record.borrowed().at(self.record.line, boot))
    }
}

/// Without the mark by which a pager shows that a line goes on beyond the screen, and without what
/// netconsole says of the device, where a syslog daemon wrote it behind the text.
fn uncut(message: &str, form: Form) -> &str {
    let said = match form {
        Form::Kmsg => message.find(" SUBSYSTEM="),
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

/// Whether each of several `=` in a text is encoded. One alone may stand before a number in hexadecimal.
fn is_encoded(message: &str) -> bool {
    let mut marks = memchr::memchr_iter(b'=', message.as_bytes()).peekable();
    if marks.peek().is_none() {
        return false;
    }
    let encoded = |at: usize| message.as_bytes().get(at + 1..at + 3) == Some(b"3D");
    marks.clone().count() > 1 && marks.all(encoded)
}
