//! A record on its way: what a line says of itself, before its place among the others is known. Every
//! envelope is read into one, and what waits for another line is kept as one.

use super::boots::BootKey;
use super::envelope::Priority;
use super::flow::Time;
use super::kmsg::Header;
use super::{Form, MESSAGE_LIMIT, Origin, Process, scan};
use crate::value::PciAddress;

/// What a line says, with its text as `S`: a part of the line, or its own where it is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Draft<S> {
    pub(super) line: u64,
    pub(super) form: Form,
    pub(super) time: Time,
    pub(super) priority: Option<Priority>,
    pub(super) origin: Origin<S>,
    /// The machine by its name, and by the id that the journal gives it.
    pub(super) host: Option<S>,
    pub(super) machine: Option<S>,
    /// Whether the line is one of the kernel's own buffer.
    pub(super) buffered: bool,
    /// The device that printed it, where the form carries that beside the text.
    pub(super) device: Option<PciAddress>,
    /// Whether the end of the text is missing.
    pub(super) cut: bool,
    /// The end of the line.
    pub(super) message: S,
    /// Where it stands among the records of /dev/kmsg.
    pub(super) header: Option<Header>,
    /// The row of a process listing, if the line is one.
    pub(super) process: Option<Process<S>>,
    /// The boot that the input itself says it is of.
    pub(super) boot: BootKey,
}

impl<'a> Draft<&'a str> {
    /// A line that says no more than this; the kernel's are of its buffer.
    pub(super) fn new(form: Form, time: Time, origin: Origin<&'a str>, message: &'a str) -> Self {
        let buffered = origin == Origin::Kernel;
        Self { form, time, origin, buffered, message, ..Self::default() }
    }

    /// A line of the kernel's buffer without an envelope.
    pub(super) fn bare(message: &'a str) -> Self {
        Self { buffered: true, ..Self::plain(message) }
    }

    /// A line of whoever.
    pub(super) fn plain(message: &'a str) -> Self {
        Self::new(Form::Text, Time::default(), Origin::Unstated, message)
    }

    /// The same where it stands, no longer than a record may be.
    pub(super) fn at(self, line: u64, boot: BootKey) -> Self {
        let message = scan::head(self.message, MESSAGE_LIMIT);
        let cut = self.cut || message.len() < self.message.len();
        Self { line, cut, message, boot, ..self }
    }

    /// The same with text of its own.
    pub(super) fn kept(&self) -> Draft<String> {
        self.with(|text| (*text).to_owned())
    }
}

impl Draft<String> {
    /// The same for whoever reads it.
    pub(super) fn borrowed(&self) -> Draft<&str> {
        self.with(String::as_str)
    }
}

impl<S> Draft<S> {
    /// The same with other text.
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
        let &Self { line, form, time, priority, buffered, device, cut, header, boot, .. } = self;
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
            message: text(&self.message),
            header,
            process,
            boot,
        }
    }
}
