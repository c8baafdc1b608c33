//! A record without borrowed parts, for whoever has to keep one.

use super::boots::BootKey;
use super::flow::Time;
use super::order::Draft;
use super::{Form, Level, Origin, Process, Record};
use crate::value::PciAddress;

/// What a draft says, in buffers that are used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Owned {
    pub(super) line: u64,
    pub(super) form: Form,
    pub(super) time: Time,
    pub(super) device: Option<PciAddress>,
    pub(super) cut: bool,
    pub(super) message: String,
    buffered: bool,
    level: Option<Level>,
    origin: OwnedOrigin,
    /// The program, if it is one.
    name: String,
    process: Option<Box<OwnedProcess>>,
}

#[derive(Clone, Copy, Debug, Default)]
enum OwnedOrigin {
    Kernel,
    Program(Option<u32>),
    #[default]
    Unstated,
}

#[derive(Debug)]
struct OwnedProcess {
    pid: u32,
    state: String,
    wait_channel: Option<String>,
    command: String,
}

impl Owned {
    /// Takes over what a draft says, but for its boot.
    pub(super) fn set(&mut self, draft: &Draft<'_>) {
        let &Draft { record, time, .. } = draft;
        let Record { line, form, device, cut, buffered, level, .. } = record;
        self.name.clear();
        let origin = match record.origin {
            Origin::Kernel => OwnedOrigin::Kernel,
            Origin::Unstated => OwnedOrigin::Unstated,
            Origin::Program { name, pid } => {
                self.name.push_str(name);
                OwnedOrigin::Program(pid)
            }
        };
        self.message.clear();
        self.message.push_str(record.message);
        let process = record.process.map(|process| {
            Box::new(OwnedProcess {
                pid: process.pid,
                state: process.state.to_owned(),
                wait_channel: process.wait_channel.map(str::to_owned),
                command: process.command.to_owned(),
            })
        });
        let (name, message) = (std::mem::take(&mut self.name), std::mem::take(&mut self.message));
        *self =
            Self { line, form, time, device, cut, message, buffered, level, origin, name, process };
    }

    /// The draft again.
    pub(super) fn draft(&self, boot: BootKey) -> Draft<'_> {
        let &Self { line, form, time, device, cut, buffered, level, .. } = self;
        let origin = match self.origin {
            OwnedOrigin::Kernel => Origin::Kernel,
            OwnedOrigin::Unstated => Origin::Unstated,
            OwnedOrigin::Program(pid) => Origin::Program { name: &self.name, pid },
        };
        let process = self.process.as_deref().map(|process| Process {
            pid: process.pid,
            state: &process.state,
            wait_channel: process.wait_channel.as_deref(),
            command: &process.command,
        });
        let bare = Record::bare(line, &self.message);
        let record = Record { form, level, origin, buffered, device, cut, process, ..bare };
        Draft { record, time, boot }
    }
}
