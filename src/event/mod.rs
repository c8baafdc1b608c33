//! Turns records into typed events: what the driver, the kernel and GPU programs report.
//!
//! Independent of signatures. Produces [`Observed`] events: recognises messages, joins those of
//! several lines, computes fields that no line prints, and collects the GPUs of each boot.

mod access;
mod adjacent;
mod amid_reset;
mod asleep;
mod attribute;
mod awake;
mod by_device;
pub(crate) mod census;
pub(crate) mod complaint;
mod completion;
pub(crate) mod device;
pub(crate) mod envelope;
mod facts;
mod fill;
pub(crate) mod freebsd;
mod gate;
mod lacking;
pub(crate) mod landmark;
mod marked;

pub(crate) mod budget;
pub mod log;
mod meaning;
mod mention;
mod paths;
mod prose;
pub mod recognise;
mod saved_crash;
mod setup;
pub(crate) mod shape;
pub(crate) mod sighting;
pub use sighting::Instead;
pub(crate) mod space;
mod sparse;
mod statement;
mod tail;
mod title;
mod told;
pub(crate) mod traceback;
pub(crate) mod unknown;

use std::cmp::Ordering;
use std::rc::Rc;

use crate::record::Stamp;
use crate::value::{Level, Mention, PciAddress, Text};

use crate::kind::{Event, Owner};
use crate::pattern::message::{Message, Printer};
use crate::pattern::template::Template;

/// The stable name of a message, and what is known of it. All lines of a message share one copy.
#[derive(Clone, Debug)]
pub(crate) struct MessageName(Rc<KnownMessage>);

#[derive(Debug)]
struct KnownMessage {
    name: Text,
    /// Its meaning.
    means: Option<Template>,
    /// Whether only programs print it.
    is_of_a_program: bool,
    /// Words of it, of which each of its lines holds one.
    words: Vec<Text>,
}

impl MessageName {
    /// The name.
    #[must_use]
    pub(crate) fn as_str(&self) -> &str {
        &self.0.name
    }

    /// Whether only programs print it.
    #[must_use]
    pub(crate) fn is_of_a_program(&self) -> bool {
        self.0.is_of_a_program
    }

    /// Words of it, of which each of its lines holds one.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.words.iter().map(AsRef::as_ref)
    }

    /// The meaning of its events, as a sentence with placeholders for values.
    fn means(&self) -> Option<&Template> {
        self.0.means.as_ref()
    }
}

impl PartialEq for MessageName {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for MessageName {}

impl PartialOrd for MessageName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for MessageName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl From<&str> for MessageName {
    fn from(name: &str) -> Self {
        let name = name.into();
        Self(Rc::new(KnownMessage { name, means: None, is_of_a_program: false, words: Vec::new() }))
    }
}

impl From<&Message> for MessageName {
    fn from(message: &Message) -> Self {
        Self(Rc::new(KnownMessage {
            name: message.id.as_str().into(),
            means: Some(message.means.clone()),
            is_of_a_program: message.from.iter().all(|printer| *printer == Printer::Program),
            words: message.forms.iter().map(|form| form.literal.as_str().into()).collect(),
        }))
    }
}

impl serde::Serialize for MessageName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A line that continues an event and is worth quoting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QuotedLine {
    /// The line number, from 1.
    pub(crate) line: u64,
    /// The text without its envelope.
    pub(crate) text: Rc<str>,
    /// The field that makes it worth quoting.
    pub(crate) field: Text,
}

/// An event, and where it was observed.
#[allow(clippy::struct_excessive_bools, reason = "independent facts about one line")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    /// The typed event.
    pub(crate) event: Event,
    /// The message that began it.
    pub(crate) message: MessageName,
    /// The line that began it.
    pub(crate) begins: u64,
    /// Every further line that belongs to it, with its message.
    pub(crate) joined: Vec<(u64, MessageName)>,
    /// The most informative of them.
    pub(crate) quoted: Vec<QuotedLine>,
    /// The index of the record that began it, from 0.
    pub(crate) sequence: u64,
    /// The index of its boot.
    pub(crate) boot: usize,
    /// The time of the line that began it.
    pub(crate) stamp: Stamp,
    /// The log level: from the log, or else from the kernel's source.
    pub(crate) level: Option<Level>,
    /// The GPU.
    pub(crate) device: Option<PciAddress>,
    /// Whether the GPU was inferred, because no other one is possible.
    pub(crate) inferred: bool,
    /// The device that the line names, which may be a port or another driver's.
    pub(crate) printed: Option<PciAddress>,
    /// Whether other drivers print such lines, too, and this one does not name its driver.
    pub(crate) shared: bool,
    /// Whether programs print it on GPUs of any vendor, so that it counts only in a log that shows
    /// an AMD GPU.
    pub(crate) of_any_vendor: bool,
    /// What the log must mention for that, if naming an AMD GPU is not enough.
    pub(crate) needs: Option<Mention>,
    /// Whether the line begins with amdgpu's name, with or without a device.
    pub(crate) names_driver: bool,
    /// Whether it is about an AMD GPU: tasks get stuck and buses fail for many reasons.
    pub(crate) of_a_gpu: bool,
    /// Whether a person quotes it in a sentence or a heading, and no line of a log has it.
    pub(crate) in_prose: bool,
    /// The program that printed it; `None` for the kernel.
    pub(crate) program: Option<Box<Program>>,
    /// The first line without its envelope of time and host.
    pub(crate) text: Rc<str>,
}

impl Observed {
    /// Whether it is a program's statement, which does not show what the GPU and its driver did.
    pub(crate) fn is_stated_by_a_program(&self) -> bool {
        self.program.is_some()
            || self.message.is_of_a_program()
            || self.event.columns().owner == Owner::Program
    }

    /// Whether it is a row of a process list.
    pub(crate) fn is_listed_process(&self) -> bool {
        self.message.as_str() == recognise::LISTED_PROCESS
    }

    /// Every line that belongs to it, with its message.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (u64, &MessageName)> {
        let joined = self.joined.iter().map(|(line, name)| (*line, name));
        std::iter::once((self.begins, &self.message)).chain(joined)
    }

    /// The number of the line that began it, from 1.
    #[must_use]
    pub(crate) const fn line(&self) -> u64 {
        self.begins
    }

    /// The number of its first line in the input. In a reversed input this is not the line that
    /// began it.
    #[must_use]
    pub(crate) fn first_line(&self) -> u64 {
        self.lines().map(|(line, _)| line).min().unwrap_or(0)
    }

    /// The number of its last line in the input.
    #[must_use]
    pub(crate) fn last_line(&self) -> u64 {
        self.lines().map(|(line, _)| line).max().unwrap_or(0)
    }
}

/// The program that printed a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Program {
    /// Its identifier.
    pub(crate) name: String,
    /// The process id.
    pub(crate) pid: Option<u32>,
}
