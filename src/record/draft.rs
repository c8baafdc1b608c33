//! A record under construction: what a line contains, before its place among others is known. Every
//! envelope is parsed to a draft, and a record that may continue is kept as one.

use super::boots::BootKey;
use super::envelope::Priority;
use super::flow::Time;
use super::kmsg::Header;
use super::{LogFormat, MESSAGE_LIMIT, Origin, Process, scan};
use crate::value::PciAddress;

/// The contents of a line; `S` is its text, borrowed or owned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft<S> {
    pub(super) line: u64,
    pub(super) form: LogFormat,
    pub(super) time: Time,
    pub(super) priority: Option<Priority>,
    pub(super) origin: Origin<S>,
    /// The machine's name, and its id from the journal.
    pub(super) host: Option<S>,
    pub(super) machine: Option<S>,
    /// Whether the line is from the kernel's ring buffer.
    pub(super) buffered: bool,
    /// The device that printed it, if the format has it separately.
    pub(super) device: Option<PciAddress>,
    /// Whether the end of the text is missing.
    pub(super) cut: bool,
    /// Whether a person quotes it in a sentence or a heading.
    pub(super) quoted: bool,
    /// The message.
    pub(super) message: S,
    /// Its header in /dev/kmsg format.
    pub(super) header: Option<Header>,
    /// The row of a process listing, if the line is one.
    pub(super) process: Option<Process<S>>,
    /// The boot that it belongs to according to the input.
    pub(super) boot: BootKey,
}

impl<'a> Draft<&'a str> {
    /// A draft with only these contents; records of the kernel are from its ring buffer.
    pub(super) fn new(
        form: LogFormat,
        time: Time,
        origin: Origin<&'a str>,
        message: &'a str,
    ) -> Self {
        let buffered = origin == Origin::Kernel;
        Self { form, time, origin, buffered, message, ..Self::default() }
    }

    /// A line of the kernel's ring buffer without an envelope.
    pub(super) fn bare(message: &'a str) -> Self {
        Self { buffered: true, ..Self::plain(message) }
    }

    /// A line of unknown origin without an envelope.
    pub(super) fn plain(message: &'a str) -> Self {
        Self::new(LogFormat::Text, Time::default(), Origin::Unstated, message)
    }

    /// The same with its position, cut to the maximum length of a record.
    pub(super) fn at(self, line: u64, boot: BootKey) -> Self {
        let message = scan::head(self.message, MESSAGE_LIMIT);
        let cut = self.cut || message.len() < self.message.len();
        Self { line, cut, message, boot, ..self }
    }

    /// The same with owned text.
    pub(super) fn kept(&self) -> Draft<String> {
        self.with(|text| (*text).to_owned())
    }
}

impl Draft<String> {
    /// The same with borrowed text.
    pub(super) fn borrowed(&self) -> Draft<&str> {
        self.with(String::as_str)
    }
}

impl<S> Draft<S> {
    /// The same with converted text.
    fn with<'s, T>(&'s self, text: impl Fn(&'s S) -> T) -> Draft<T> {
        let origin = match &self.origin {
            Origin::Kernel => Origin::Kernel,
            Origin::Program { name, pid } => Origin::Program { name: text(name), pid: *pid },
            Origin::Unstated => Origin::Unstated,
        };
        let process = self.process.as_ref().map(|process| Process {
            pid: process.pid,
            state: text(&process.state),
            wait_channel: process.wait_channel.as_ref().map(&text),
            command: text(&process.command),
        });
        let &Self {
            line, form, time, priority, buffered, device, cut, quoted, header, boot, ..
        } = self;
        Draft {
            line,
            form,
            time,
            priority,
            origin,
            host: self.host.as_ref().map(&text),
            machine: self.machine.as_ref().map(&text),
            buffered,
            device,
            cut,
            quoted,
            message: text(&self.message),
            header,
            process,
            boot,
        }
    }
}
