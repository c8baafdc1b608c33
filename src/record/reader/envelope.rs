//! Lines with an envelope, and further records within them.

use super::super::draft::Draft;
use super::super::envelope::{Context, kernel_time};
use super::super::flow::Time;
use super::super::kmsg::Header;
use super::super::scan::Scan;
use super::super::{LogFormat, Origin, Visit, dmesg, syslog};
use super::Reader;
use crate::value::Micros;

impl Reader {
    /// Reads a line with an envelope, and every further record in it.
    pub(super) fn enveloped<'a>(
        &mut self,
        number: u64,
        text: &'a str,
        indent: usize,
        mut draft: Draft<&'a str>,
        visit: &mut impl Visit,
    ) {
        if let Some(header) = draft.header {
            return self.numbered(number, text, indent, draft, &header, visit);
        }
        if self.held.try_append_record(&draft, visit) {
            return;
        }
        self.listing = None;
        self.end_paragraph_before(&draft, visit);
        self.form = draft.form;
        self.track_adjacent(&draft, visit);
        self.flush_held(visit);
        self.machines.turn_to(&draft, visit);
        if draft.form.is_journal() {
            draft.buffered |= self.machines.speaker().early.buffers(&draft);
        }
        if self.host.is_empty() && draft.form == LogFormat::JournalShortMonotonic {
            self.host.push_str(draft.host.unwrap_or_default());
        }
        while let Some((message, inner)) = self.split(&draft) {
            draft.message = message;
            self.hold(number, text, indent, &draft, visit);
            draft = inner;
        }
        self.hold(number, text, indent, &draft, visit);
    }

    /// Reads a record of `/dev/kmsg`, or one that continues the previous record.
    fn numbered(
        &mut self,
        number: u64,
        text: &str,
        indent: usize,
        mut draft: Draft<&str>,
        header: &Header,
        visit: &mut impl Visit,
    ) {
        self.gap = None;
        if self.held.try_continue(header, draft.message) {
            return;
        }
        let (before, returned) = self.numbers.take(header.sequence);
        if returned {
            self.machines.speaker().account.boots.note_return();
        }
        let missing = before.and_then(|before| header.sequence.checked_sub(before + 1));
        draft.time.lost = missing.filter(|missing| *missing > 0);
        self.end_paragraph(None, visit);
        self.listing = None;
        self.form = LogFormat::Kmsg;
        self.hold(number, text, indent, &draft, visit);
        self.held.note_fragment(header);
    }

    /// Counts adjacent records of dmesg, and passes on the empty record that an empty line between
    /// two of them is.
    fn track_adjacent(&mut self, draft: &Draft<&str>, visit: &mut impl Visit) {
        let gap = self.gap.take();
        if !draft.form.is_dmesg() {
            return;
        }
        self.together += u32::from(self.held.is_open());
        let near = || self.held.time().until(&draft.time).is_some_and(|span| span < 1_000_000);
        if let Some(line) = gap.filter(|_| near()) {
            self.flush_held(visit);
            self.bare(line, "", visit);
        }
    }

    /// The start of a second record within a message: two processors on one console, or a paste
    /// without line ends.
    fn split<'a>(&self, draft: &Draft<&'a str>) -> Option<(&'a str, Draft<&'a str>)> {
        if draft.form == LogFormat::Syslog && draft.priority.is_some() {
            return self.stream(draft.message);
        }
        // Output of programs may contain anything.
        let kernel = draft.buffered && draft.origin == Origin::Kernel;
        let outer = draft.time.monotonic.filter(|_| kernel)?;
        let (at, clock) = inner_time(draft.message)?;
        let span = clock.since(outer).0;
        // A distant time is a quotation.
        if !(-5_000_000..3_600_000_000).contains(&span)
            || draft.message.starts_with("message repeated")
        {
            return None;
        }
        let (message, rest) = draft.message.split_at_checked(at)?;
        let context = Context { form: LogFormat::Dmesg, host: &self.host };
        let inner = dmesg::read(rest, context)?;
        let time = Time { wall: draft.time.wall, ..inner.time };
        Some((message.trim_end(), Draft { form: draft.form, time, ..inner }))
    }

    /// The start of the next record in a stream without line ends: `text<6>Nov 19 …` (RFC 3164).
    fn stream<'a>(&self, message: &'a str) -> Option<(&'a str, Draft<&'a str>)> {
        let context = Context { form: LogFormat::Syslog, host: &self.host };
        memchr::memchr_iter(b'<', message.as_bytes()).find_map(|at| {
            let (before, rest) = message.split_at_checked(at)?;
            // Only `<13>` and the name of a month are worth parsing.
            let end = rest.bytes().take(5).position(|byte| byte == b'>')?;
            rest.as_bytes().get(end + 1).filter(|byte| !byte.is_ascii_digit())?;
            let inner =
                syslog::read(rest, context).filter(|inner| inner.form == LogFormat::Syslog)?;
            Some((before, inner))
        })
    }
}

/// The first `[ktime]` that is not at the start.
pub(in crate::record) fn inner_time(text: &str) -> Option<(usize, Micros)> {
    memchr::memchr_iter(b'[', text.as_bytes()).filter(|&at| at > 0).find_map(|at| {
        // One byte excludes most brackets.
        let digit =
            text.as_bytes().get(at + 1).is_some_and(|byte| *byte == b' ' || byte.is_ascii_digit());
        let found = kernel_time(&mut Scan::new(text.get(at..).filter(|_| digit)?))?;
        Some((at, found))
    })
}
