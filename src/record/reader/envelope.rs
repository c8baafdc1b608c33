//! Lines with an envelope, and the records that begin inside them.

use super::super::envelope::{Context, Envelope, kernel_time};
use super::super::flow::Time;
use super::super::scan::Scan;
use super::super::{Family, Form, Origin, Visit, dmesg, syslog};
use super::Reader;
use crate::value::Micros;

impl Reader {
    /// Asks the forms, by how the line begins.
    pub(super) fn envelope<'a>(&self, text: &'a str) -> Option<Envelope<'a>> {
        let context = Context { form: self.form, host: &self.host };
        match self.options.only {
            None => {}
            Some(Family::Dmesg) => return dmesg::read(text, context),
            Some(Family::Syslog) => {
                let monotonic =
                    || dmesg::read(text, context).filter(|envelope| envelope.form.is_journal());
                return syslog::read(text, context).or_else(monotonic);
            }
            Some(Family::Logcat) => return syslog::logcat(text),
            Some(_) => return None,
        }
        match text.as_bytes().first()? {
            b'[' => dmesg::read(text, context),
            b'<' => syslog::read(text, context).or_else(|| dmesg::read(text, context)),
            // The mark behind the seconds of an ISO time tells them apart.
            b'0'..=b'9' if text.as_bytes().get(19) == Some(&b',') => dmesg::read(text, context),
            b'0'..=b'9' if text.as_bytes().get(2) == Some(&b'-') => syslog::logcat(text),
            b'0'..=b'9' | b'A'..=b'Z' => syslog::read(text, context),
            b'a'..=b'z' | 0x80.. => {
                dmesg::read(text, context).or_else(|| syslog::read(text, context))
            }
            _ => None,
        }
    }

    /// Takes a line with an envelope, and every further record that begins inside it.
    pub(super) fn enveloped<'a>(
        &mut self,
        number: u64,
        text: &'a str,
        indent: usize,
        mut envelope: Envelope<'a>,
        visit: &mut impl Visit,
    ) {
        self.listing = None;
        self.end_paragraph_before(&envelope, visit);
        self.form = envelope.form;
        if self.senders.host(text, &envelope) {
            self.account.boots.note_return();
        }
        if envelope.form.is_journal() {
            envelope.buffer |= self.early.buffers(&envelope);
        }
        self.beside(&envelope, visit);
        if self.host.is_empty() && envelope.form == Form::JournalShortMonotonic {
            let before = &text[..text.len() - envelope.message.len()];
            self.host.push_str(syslog::host(before));
        }
        while let Some((message, inner)) = self.split(&envelope) {
            envelope.message = message;
            self.hold(number, text, indent, &envelope, visit);
            envelope = inner;
        }
        self.hold(number, text, indent, &envelope, visit);
    }

    /// Counts how the records of dmesg follow each other, and hands on the one without text that an
    /// empty line between two of them is.
    fn beside(&mut self, envelope: &Envelope<'_>, visit: &mut impl Visit) {
        let gap = self.gap.take();
        if !envelope.form.is_dmesg() {
            return;
        }
        self.together += u32::from(self.held.is_open());
        let near = || self.held.time().until(&envelope.time).is_some_and(|span| span < 1_000_000);
        if let Some(line) = gap.filter(|_| near()) {
            self.flush_held(visit);
            self.bare(line, "", visit);
        }
    }

    /// Where a second record begins inside a message: two processors on one console, or a paste
    /// without its line ends.
    fn split<'a>(&self, envelope: &Envelope<'a>) -> Option<(&'a str, Envelope<'a>)> {
        if envelope.form == Form::Syslog && envelope.priority.is_some() {
            return self.stream(envelope.message);
        }
        // What a program writes may look like anything.
        let kernel = envelope.buffer && envelope.origin == Origin::Kernel;
        let outer = envelope.time.monotonic.filter(|_| kernel)?;
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
}

/// The first `[ktime]` that is not at the beginning.
pub(in crate::record) fn inner_time(text: &str) -> Option<(usize, Micros)> {
    memchr::memchr_iter(b'[', text.as_bytes()).filter(|&at| at > 0).find_map(|at| {
        // One byte rules most brackets out.
        let digit =
            text.as_bytes().get(at + 1).is_some_and(|byte| *byte == b' ' || byte.is_ascii_digit());
        let found = kernel_time(&mut Scan::new(text.get(at..).filter(|_| digit)?))?;
        Some((at, found))
    })
}
