//! Why a run could not do its job: a message, and what to type next.

mod words;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use super::output::NotAFile;
use super::report::private::Left;
use crate::coverage::tree::NotATree;
use crate::diagnosis::choice::{BootNumber, Clock, Moment};
use crate::document::counts::shortened;
use crate::host::Why;
use crate::input::{Hint, InputError, PrintCommand};
use crate::pattern::source::Mistake;
use crate::value::{PciAddress, PrivateKind};

pub(super) use words::first;
use words::{
    another_time, as_kind, boots, joined, kept, left, listed, meant, of_boot, only, opened, stored,
    unclean,
};

/// Why a run could not do its job.
#[derive(Debug, thiserror::Error, strum::EnumProperty)]
#[allow(missing_docs, reason = "the sentence says what its fields are")]
pub enum Failure {
    /// An input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Nothing in the input is a kernel log.
    #[error("{name}: no kernel message and no message of a GPU program found")]
    #[strum(props(command = "sudo dmesg | amdtriage"))]
    NoKernelLog {
        name: String,
        /// Whether somebody said what it is.
        said: bool,
    },
    /// Something private is left in what was to be given away.
    #[error("something private would be left: {}; nothing was written", unclean(left))]
    #[strum(props(
        advice = "amdtriage report FILE works once FILE is rid of the lines that are named"
    ))]
    Unclean { left: Vec<Left> },
    /// There is no such tracker.
    #[error("{name} is no tracker that is known here: {}", known.join(", "))]
    NoSuchTracker { name: String, known: Vec<String>, meant: Option<String> },
    /// No file in the input is a log of the format that somebody said.
    #[error("{name} is {what} without logs of that format")]
    NoLogsOfFormat { name: String, what: &'static str },
    /// The input begins in the order of time and mostly runs against it: its order tells nothing.
    #[error("{name} runs forward and backward in time, so that its order tells nothing")]
    Directionless { name: String, printed_by: Option<PrintCommand> },
    /// The input goes to and fro between boots or machines.
    #[error("{name} mixes the lines of several boots or machines, so that its order tells nothing")]
    #[strum(props(command = "journalctl -k -b | amdtriage"))]
    Interleaved { name: String },
    /// The input runs from the newest record to the oldest and is too long to be turned round.
    #[error("{name} runs from newest to oldest, and only its newest 256 MiB were read")]
    NewestOnly { name: String, printed_by: Option<PrintCommand> },
    /// Reading ended before the input did; what came before is in the report.
    #[error("{name} was not read to its end: {said}")]
    Stopped { name: String, said: String, printed_by: Option<PrintCommand> },
    /// A folder of pattern files could not be read.
    #[error("cannot read the pattern folder {}: {source}", path.display())]
    #[strum(props(advice = "amdtriage --patterns DIR wants a folder with .toml files"))]
    PatternFolder { path: PathBuf, source: io::Error },
    /// There is no folder with pattern files.
    #[error("no folder was given, and there is none with pattern files in the configuration")]
    #[strum(props(command = "amdtriage patterns test --help"))]
    NoPatternFolder,
    /// A folder has no fixtures.
    #[error("no fixture is in {}", path.display())]
    #[strum(props(command = "amdtriage patterns test --help"))]
    NoFixtures { path: PathBuf },
    /// The header of a fixture has a mistake.
    #[error("{}: {what}", path.display())]
    #[strum(props(command = "amdtriage patterns test --help"))]
    Fixture { path: PathBuf, what: String },
    /// A folder is no kernel source tree.
    #[error("{} is no kernel source tree: {lacks}", path.display())]
    #[strum(props(
        advice = "amdtriage patterns coverage --kernel DIR wants the folder that a linux-*.tar.xz unpacks to"
    ))]
    NotAKernelTree { path: PathBuf, lacks: NotATree },
    /// Pattern files have mistakes.
    #[error("{}", listed(.0))]
    #[strum(props(advice = "patterns/README.md in amdtriage's source describes the files"))]
    Patterns(Vec<Mistake>),
    /// Nothing has the name that is to be explained.
    #[error("nothing is called {id}{}", meant(.near))]
    #[strum(props(advice = "amdtriage events FILE names the events of a log"))]
    UnknownName { id: String, near: Vec<String> },
    /// There is no such signature.
    #[error("there is no signature {id}{}", meant(near.as_slice()))]
    #[strum(props(command = "amdtriage patterns list"))]
    NoSignature { id: String, near: Option<String> },
    /// There is nothing to explain.
    #[error("nothing to explain was given")]
    #[strum(props(command = "amdtriage explain page-fault"))]
    NothingAsked,
    /// No line has a known meaning.
    #[error("none of these lines has a known meaning")]
    #[strum(props(advice = "amdtriage explain wants whole lines, as dmesg prints them"))]
    NotExplained {
        /// Whether some of them are the driver's.
        unknown: bool,
    },
    /// There is more to explain than anybody would read.
    #[error("{name} is too long to be explained line by line: only its beginning was")]
    #[strum(props(advice = "amdtriage events FILE lists all events of a log"))]
    TooMuch { name: String },
    /// A value is nothing that can be decoded.
    #[error("nothing is known of `{}`{}", shortened(value, 40), as_kind(*kind))]
    #[strum(props(command = "amdtriage decode --help"))]
    Undecodable { value: String, kind: Option<&'static str> },
    /// Two boots are to be compared, and the log has one.
    #[error("{name} has one boot, and two are compared")]
    #[strum(props(advice = "amdtriage diff GOOD BAD compares two files"))]
    OneBoot { name: String },
    /// A boot is to be compared with itself.
    #[error("GOOD and BAD are the same boot of {name}")]
    #[strum(props(command = "amdtriage diff --good -1 --bad 0"))]
    SameBoot { name: String },
    /// Both sides of a comparison are to come through the same pipe.
    #[error("GOOD and BAD cannot both be standard input")]
    #[strum(props(advice = "amdtriage diff GOOD BAD compares two files"))]
    OnePipe,
    /// No input has the boot that is to be shown.
    #[error("there is no boot {number}: {}", boots(*count))]
    NoSuchBoot { number: BootNumber, count: usize },
    /// This machine's journal does not have the boot that is to be read.
    #[error("this machine's journal has no boot {number}: {}{}", stored(*count), kept(*count, *persistent))]
    #[strum(props(command = "amdtriage explain journal-persistent"))]
    BootNotStored {
        number: BootNumber,
        count: usize,
        /// Whether boots outlive the machine's being switched off.
        persistent: bool,
    },
    /// Parts of this machine's log are closed to this user.
    #[error("no permission to read {}", joined(names))]
    Closed {
        names: Vec<String>,
        /// Whether the kernel's buffer is closed to ordinary users.
        restricted: bool,
        /// What was typed, where root may read more.
        again: Option<String>,
    },
    /// This machine has no log.
    #[error("this machine has no kernel log to read: no journal, no /dev/kmsg, no dmesg")]
    #[strum(props(advice = "amdtriage FILE reads a log saved elsewhere"))]
    NoLogHere,
    /// A disk has no journal.
    #[error("journalctl finds no journal on the disk at {}", path.display())]
    #[strum(props(advice = "ls var/log/journal on that disk shows whether it has one"))]
    NoJournalAt { path: PathBuf },
    /// No input names the GPU that is to be shown.
    #[error("no line{} is about a GPU {address}{}", of_boot(*boot), only(known))]
    #[strum(props(advice = "without --device amdtriage shows what is about any GPU"))]
    NoSuchDevice { address: PciAddress, boot: Option<BootNumber>, known: BTreeSet<PciAddress> },
    /// An input does not show the clock that a time is of.
    #[error("{name} prints no {clock}, which `{moment}` could be compared with")]
    NoSuchClock { name: String, moment: Moment, clock: Clock },
    /// An input begins later, or ends earlier, than what is to be shown.
    #[error("{name} has nothing from the time that --since and --until choose")]
    #[strum(props(advice = "amdtriage events FILE shows when something happened in it"))]
    NoSuchTime { name: String },
    /// What is to be shown ends before it begins.
    #[error("--since {since} is later than --until {until}")]
    Reversed { since: Moment, until: Moment },
    /// What is to be run is no command.
    #[error("`{text}` is no command with its arguments")]
    #[strum(props(command = "amdtriage follow --exec '/usr/bin/logger -t amdtriage'"))]
    NotACommand { text: String },
    /// A log whose lines have no names cannot be followed from where somebody stopped.
    #[error("{name} is no journal: there is no place in it that a cursor file could remember")]
    #[strum(props(advice = "amdtriage follow without --cursor-file reads it"))]
    NoCursor { name: String },
    /// A cursor file cannot be read or written.
    #[error("cannot use the cursor file {}: {source}", path.display())]
    #[strum(props(
        advice = "--cursor-file wants a file in a folder that you may write to; a damaged one can be deleted"
    ))]
    CursorFile { path: PathBuf, source: io::Error },
    /// A command cannot be run.
    #[error("cannot run {text}: {source}")]
    #[strum(props(advice = "amdtriage run -- COMMAND runs what runs without amdtriage"))]
    NotRun { text: String, source: io::Error },
    /// No unit can be written that starts this program.
    #[error("cannot name this program in a unit: {0}")]
    #[strum(props(advice = "amdtriage follow --print-unit works from a folder with a plain name"))]
    Unit(io::Error),
    /// Signals cannot be waited for.
    #[error("cannot wait for signals: {0}")]
    Signals(io::Error),
    /// A report cannot be written to a file.
    #[error("cannot write {}: {source}", path.display())]
    #[strum(props(
        advice = "--output FILE wants a folder that is there and that you may write to"
    ))]
    OutputFile { path: PathBuf, source: io::Error },
    /// A report is not to be written there.
    #[error("{} {why}", path.display())]
    OutputRefused { path: PathBuf, why: NotAFile },
    /// What stands for the root of a machine is no folder.
    #[error("{} is no folder with the files of a machine", path.display())]
    #[strum(props(
        advice = "amdtriage check --root DIR wants the folder that a sosreport unpacks to"
    ))]
    NotAMachine { path: PathBuf },
    /// The process that reads a machine's files cannot be started.
    #[error("cannot start the process that reads /proc and /sys: {0}")]
    NoReader(io::Error),
    /// A crash dump could not be read.
    #[error("cannot read {path}: {why}")]
    #[strum(props(command = "sudo amdtriage check --save-coredumps ."))]
    Dump { path: String, why: Why },
    /// A redacted log still has private values.
    #[error("something private would be left: {}; nothing was written", left(places))]
    #[strum(props(
        advice = "amdtriage redact works without the lines that are named; tell the authors of amdtriage"
    ))]
    PrivateLeft { places: Vec<(PrivateKind, u64)> },
    /// A log has more private values than can be told apart.
    #[error("the log has more than {limit} private values; nothing was written")]
    #[strum(props(command = "journalctl -k -b | amdtriage redact"))]
    TooPrivate { limit: usize },
    /// What was read could not be kept.
    #[error("cannot use a temporary file: {0}")]
    #[strum(props(advice = "TMPDIR=DIR amdtriage writes it to a folder that has room"))]
    Spool(io::Error),
    /// Writing failed.
    #[error("cannot write the report: {0}")]
    Output(io::Error),
}

impl Failure {
    /// What to do next: what only this case tells, or else what its variant says.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        let again = |printed_by: &Option<PrintCommand>, filter: &str| {
            Some(format!("{} | amdtriage", printed_by.as_ref()?.through(filter)))
        };
        let advice = |text: &str| Some(Hint::Advice(text.to_owned()));
        Some(Hint::Command(match self {
            Self::Input(error) => return error.hint(),
            Self::NoKernelLog { said: true, .. } | Self::NoLogsOfFormat { .. } => {
                return advice("without --input-format amdtriage reads each line as what it is");
            }
            Self::Directionless { printed_by, .. } => again(printed_by, "tail -n 1000")?,
            Self::NewestOnly { printed_by, .. } => again(printed_by, "tac")?,
            Self::Stopped { printed_by, .. } => again(printed_by, "tail -n 100000")?,
            Self::UnknownName { near, .. } if !near.is_empty() => {
                format!("amdtriage explain {}", near.first()?)
            }
            Self::NotExplained { unknown: true } => {
                return advice(
                    "amdtriage events --unknown --format toml FILE makes messages of them",
                );
            }
            Self::NoSuchBoot { count, .. } => format!("amdtriage --boot {}", (*count).max(1)),
            Self::BootNotStored { persistent: true, .. } => "journalctl --list-boots".to_owned(),
            Self::Closed { names, restricted, again } => {
                return Some(opened(names, *restricted, again.as_deref()));
            }
            Self::NoSuchDevice { known, .. } if !known.is_empty() => {
                format!("amdtriage --device {}", known.first()?)
            }
            Self::NoSuchClock { clock, .. } => return Some(another_time(*clock)),
            Self::Reversed { since, until } => {
                format!("amdtriage --since '{until}' --until '{since}'")
            }
            Self::OutputRefused { why, .. } => return Hint::of(why),
            Self::NoSuchTracker { meant, .. } => {
                format!("amdtriage report --for {}", meant.as_deref().unwrap_or("drm-amd"))
            }
            variant => return Hint::of(variant),
        }))
    }
}
