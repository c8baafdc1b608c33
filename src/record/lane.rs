//! The quick way for what most lines of most logs are: a record in the form of the record before, of
//! which nothing is wanted but that it was there and when.
//!
//! It reads just the lines that it would read as the forms themselves do, and leaves all others to
//! them. Whether a record is wanted, its visitor says.

use super::envelope::{Envelope, identified, kernel_time};
use super::scan::{Scan, cut};
use super::stamp;
use super::{Form, Origin};
use crate::value::Micros;

/// A line that the quick way can read. Its times are plain numbers, since nothing else is done with
/// them but counting on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brief<'a> {
    /// The kernel's clock.
    pub(super) clock: Option<Micros>,
    /// The clock on the wall, as printed, see [`super::Wall::local`].
    pub(super) local: Option<Micros>,
    /// The program that printed it, or the kernel.
    pub(super) program: Option<(&'a str, Option<u32>)>,
    pub(super) message: &'a str,
}

impl<'a> Brief<'a> {
    /// Who printed it.
    #[inline]
    pub(super) fn origin(&self) -> Origin<'a> {
        match self.program {
            Some((name, pid)) => Origin::Program { name, pid },
            None => Origin::Kernel,
        }
    }
}

/// What the last record taught about the lines that follow.
#[derive(Debug, Default)]
pub(super) struct Lane {
    form: Option<Form>,
    /// What stands before the time of day: `Nov 19 ` or `2026-11-19T`.
    date: String,
    /// Midnight of that day, on the clock as printed.
    midnight: Option<Micros>,
    /// What stands behind the time of day: `+01:00 host ` or ` host `.
    behind: String,
    /// The time of the line before to the second, as printed and as a number.
    second: ([u8; 8], i64),
}

impl Lane {
    /// Learns from a line that was read as `envelope`, and stood in the input just so.
    pub(super) fn learn(&mut self, line: &str, envelope: &Envelope<'_>) {
        if envelope.priority.is_some() {
            self.form = None;
            return;
        }
        match envelope.form {
            Form::Dmesg => self.form = Some(Form::Dmesg),
            form
            @ (Form::JournalShort | Form::JournalShortIso | Form::Syslog | Form::SyslogIso) => {
                let known = self.form == Some(form) && line.starts_with(&self.date);
                if !known {
                    self.form = self.learn_day(line, envelope).map(|()| form);
                }
            }
            _ => self.form = None,
        }
    }

    fn learn_day(&mut self, line: &str, envelope: &Envelope<'_>) -> Option<()> {
        let wall = envelope.time.wall?;
        let length =
            if matches!(envelope.form, Form::JournalShort | Form::Syslog) { 7 } else { 11 };
        let (date, rest) = line.split_at_checked(length)?;
        let mut scan = Scan::new(rest);
        let clock = stamp::clock(&mut scan)?;
        let (zone, rest) = cut(scan.rest())?;
        let (host, _) = cut(rest)?;
        let behind = scan.rest().get(..zone.len() + host.len() + 2)?;
        date.clone_into(&mut self.date);
        behind.clone_into(&mut self.behind);
        self.midnight = Some(Micros(wall.local.0 - clock));
        Some(())
    }

    /// The form of the lines that can be read.
    pub(super) fn form(&self) -> Option<Form> {
        self.form
    }

    /// Reads a line.
    #[inline]
    pub(super) fn read<'a>(&mut self, line: &'a str) -> Option<Brief<'a>> {
        let form = self.form?;
        let brief = if form == Form::Dmesg {
            let (clock, message) = stamped(line)?;
            Brief { clock: Some(clock), local: None, program: None, message }
        } else {
            let (local, rest) = self.dated(line)?;
            let (clock, program, message) = printed(rest, form)?;
            Brief { clock, local: Some(local), program, message }
        };
        let last = brief.message.as_bytes().last()?;
        let plain = !matches!(last, b'>' | b'=') && !super::held::is_encoded(brief.message);
        (plain && super::notice::read(brief.message).is_none()).then_some(brief)
    }

    /// `Nov 19 10:33:00 host `.
    #[inline]
    fn dated<'a>(&mut self, line: &'a str) -> Option<(Micros, &'a str)> {
        let mut scan = Scan::new(line.strip_prefix(&*self.date)?);
        let printed: [u8; 8] = *scan.peek_chunk()?;
        let clock = if printed == self.second.0 {
            scan.skip_ascii(8);
            self.second.1 + stamp::fraction(&mut scan)
        } else {
            let clock = stamp::clock(&mut scan)?;
            self.second = (printed, clock - clock.rem_euclid(1_000_000));
            clock
        };
        let rest = scan.rest().strip_prefix(&*self.behind)?;
        Some((Micros(self.midnight?.0 + clock), rest))
    }
}

/// The kernel's clock, the program that printed, and the message.
type Printed<'a> = (Option<Micros>, Option<(&'a str, Option<u32>)>, &'a str);

/// `kernel: text`, `kernel: [ 2649.203914] text`, `name[7]: text`.
#[inline]
fn printed(rest: &str, form: Form) -> Option<Printed<'_>> {
    let stamps = matches!(form, Form::Syslog | Form::SyslogIso);
    match rest.strip_prefix("kernel: ") {
        Some(rest) if stamps => stamped(rest).map(|(clock, message)| (Some(clock), None, message)),
        // A time here would make another form of it.
        Some(message) if message.starts_with(['[', ' ']) || message.starts_with("klogd") => None,
        Some(message) => Some((None, None, message)),
        None => match identified(rest)? {
            (Origin::Program { name, pid }, message) if name != "kernel" => {
                Some((None, Some((name, pid)), message))
            }
            _ => None,
        },
    }
}

/// `[ 2649.203914] text` of the kernel's own.
#[inline]
fn stamped(line: &str) -> Option<(Micros, &str)> {
    let mut scan = Scan::new(line);
    let clock = kernel_time(&mut scan)?;
    let message = scan.rest().strip_prefix(' ')?;
    // Another group of brackets may be a second time or a caller; `name[7]: ` is a program's.
    let first = message.bytes().take(64).position(|byte| b"[ :<".contains(&byte))?;
    let journal = match message.as_bytes().get(first) {
        Some(b'[') => first > 0 || !is_word_in_brackets(message),
        Some(b':') => message.starts_with("kernel:"),
        Some(b' ') => first == 0 || is_journal(message),
        _ => true,
    };
    if journal {
        return None;
    }
    super::reader::inner_time(message).is_none().then_some((clock, message))
}

/// `[UFW BLOCK] text`: neither a time, which has a colon, nor a caller, which has no blank inside.
fn is_word_in_brackets(message: &str) -> bool {
    let inside = message.get(1..).and_then(|rest| rest.split_once(']')).map(|(inside, _)| inside);
    inside.is_some_and(|inside| {
        inside.starts_with(|c: char| c.is_ascii_uppercase())
            && inside.contains(' ')
            && !inside.contains([':', '.', '<'])
    })
}

/// Whether a host and a tag may stand before the text.
fn is_journal(message: &str) -> bool {
    let Some((_, rest)) = cut(message) else { return false };
    rest.starts_with("kernel: ") || cut(rest).is_some_and(|(word, _)| word.ends_with("]:"))
}
