//! Records to events: what the driver, the kernel and GPU programs report, each with typed fields.
//!
//! This module has never heard of signatures. It turns text into [`Observed`] events, joins what is
//! printed over several lines, and finds out which GPUs there are.

mod attribute;
mod by_device;
pub(crate) mod census;
mod completion;
pub(crate) mod device;
pub(crate) mod envelope;
mod facts;
mod fill;
pub(crate) mod gate;
pub(crate) mod landmark;

pub mod budget;
pub mod log;
mod meaning;
pub mod recognise;
mod setup;
pub(crate) mod shape;
mod sparse;
pub(crate) mod unknown;

use std::cmp::Ordering;
use std::rc::Rc;

use crate::record::Stamp;
use crate::value::{Level, PciAddress, Text};

use crate::kind::Event;
use crate::pattern::message::Message;
use crate::pattern::template::Template;

/// Where an input stands among several, counted from 0.
pub type Input = usize;

/// The stable name of a message, and what it means. All lines of a message share one copy of it.
#[derive(Clone, Debug)]
pub struct MessageName(Rc<(Text, Option<Template>)>);

impl MessageName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.0
    }

    /// What its events mean, as a sentence with places for their values.
    fn means(&self) -> Option<&Template> {
        self.0.1.as_ref()
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
        Self(Rc::new((name.into(), None)))
    }
}

impl From<&Message> for MessageName {
    fn from(message: &Message) -> Self {
        Self(Rc::new((message.id.as_str().into(), Some(message.means.clone()))))
    }
}

impl serde::Serialize for MessageName {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// An event, and where it was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// What.
    pub event: Event,
    /// The message that began it.
    pub message: MessageName,
    /// The line that began it.
    pub begins: u64,
    /// Every further line that belongs to it, with its message.
    pub joined: Vec<(u64, MessageName)>,
    /// Which record began it, counted from 0.
    pub sequence: u64,
    /// Which boot.
    pub boot: usize,
    /// When.
    pub stamp: Stamp,
    /// How loud: as the log says, else as the kernel's source has it.
    pub level: Option<Level>,
    /// The GPU.
    pub device: Option<PciAddress>,
    /// Whether the GPU is not in the line, but the only one that it can be.
    pub inferred: bool,
    /// The device that the line names, which may be a port or another driver's.
    pub printed: Option<PciAddress>,
    /// Whether other drivers print such a line, too, and it does not say which one did.
    pub shared: bool,
    /// Whether it is about a GPU of ours: tasks get stuck and buses fail for many reasons.
    pub of_a_gpu: bool,
    /// The program that printed it, where one did.
    pub program: Option<Box<Program>>,
    /// The first line without its envelope of time and host.
    pub text: Rc<str>,
}

impl Observed {
    /// Every line that belongs to it, with its message.
    pub fn lines(&self) -> impl Iterator<Item = (u64, &MessageName)> {
        let joined = self.joined.iter().map(|(line, name)| (*line, name));
        std::iter::once((self.begins, &self.message)).chain(joined)
    }

    /// The first line as the input has them, counted from 1. In an input that runs backward it is not
    /// the one that began the event.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.lines().map(|(line, _)| line).min().unwrap_or(0)
    }

    /// The last line as the input has them.
    #[must_use]
    pub fn last_line(&self) -> u64 {
        self.lines().map(|(line, _)| line).max().unwrap_or(0)
    }
}

/// The program that printed a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its identifier.
    pub name: String,
    /// Its process id.
    pub pid: Option<u32>,
}
