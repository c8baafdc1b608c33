//! Why a run failed: a message, and a hint for what to type next.

mod hint;
mod path_asked;
mod words;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use super::output::NotAFile;
use super::report::private::Left;
use crate::coverage::tree::NotATree;
use crate::diagnosis::choice::{BootNumber, Clock, Moment};
use crate::document::counts::shortened;
use crate::event::sighting::Instead;
use crate::host::Refusal;
use crate::input::{self, InputError};
use crate::inquiry::LogFailure;
use crate::pattern::source::Mistake;
use crate::value::{PciAddress, PrivateKind};

pub use path_asked::PathAsked;
use words::{
    as_kind, boots, joined, kept, left, listed, meant, no_command, no_kernel_log, of_boot, only,
    stored, unclean,
};
pub(super) use words::{first, plainly};

/// Why a run failed.
#[derive(Debug, thiserror::Error, strum::EnumProperty, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence says what its fields are")]
pub enum Failure {
    /// An input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A log could not be read in order, or not to its end.
    #[error(transparent)]
    Log(LogFailure),
    /// An argument is not a file but similar to a command's name.
    #[error("{}", no_command(word, meant_name))]
    NoSuchCommand { word: String, meant_name: String, again: String },
    /// `dmesg` printed nothing into the pipe, because it needs more privileges.
    #[error("standard input is empty: dmesg prints nothing here without root")]
    #[strum(props(command = "sudo amdtriage"))]
    NothingFromDmesg,
    /// No input is a kernel log.
    #[error("{}", no_kernel_log(name, has))]
    NoKernelLog {
        name: String,
        /// Whether the user gave the format.
        said: bool,
        /// What it has instead.
        has: Instead,
    },
    /// Private data is left in a redacted log.
    #[error("private data would be left: {}; nothing was written", unclean(left))]
    #[strum(props(
        advice = "remove the lines that are named from FILE, then run amdtriage report FILE"
    ))]
    Unclean { left: Vec<Left> },
    /// There is no such tracker.
    #[error("unknown tracker `{name}`; known: {}", known.join(", "))]
    NoSuchTracker { name: String, known: Vec<String>, meant: Option<String> },
    /// No file in the input is a log of the format that the user gave.
    #[error("{called} is {what} without logs of that format", called = input::called(.name))]
    NoLogsOfFormat { name: String, what: &'static str },
    /// A directory of pattern files could not be read.
    #[error("cannot read the pattern directory {}: {}", path.display(), plainly(source))]
    PatternFolder { path: PathBuf, source: io::Error },
    /// There is no directory of pattern files.
    #[error("no DIR was given, and ~/.config/amdtriage/patterns does not exist")]
    #[strum(props(command = "amdtriage patterns test --help"))]
    NoPatternFolder,
    /// A directory has no fixtures.
    #[error("no fixtures in {}", path.display())]
    #[strum(props(command = "amdtriage patterns test --help"))]
    NoFixtures { path: PathBuf },
    /// The header of a fixture has a mistake.
    #[error("{}: {what}", path.display())]
    #[strum(props(command = "amdtriage patterns test --help"))]
    Fixture { path: PathBuf, what: String },
    /// A directory is not a kernel source tree.
    #[error("{} is not a kernel source tree: {lacks}", path.display())]
    NotAKernelTree { path: PathBuf, lacks: NotATree },
    /// Pattern files have mistakes.
    #[error("{}", listed(.0))]
    #[strum(props(command = "man 5 amdtriage-patterns"))]
    Patterns(Vec<Mistake>),
    /// The name to explain does not exist.
    #[error("unknown name `{id}`{}", meant(.near))]
    #[strum(props(command = "amdtriage patterns list"))]
    UnknownName { id: String, near: Vec<String> },
    /// There is no such signature.
    #[error("unknown signature `{id}`{}", meant(near.as_slice()))]
    #[strum(props(command = "amdtriage patterns list signatures"))]
    NoSignature { id: String, near: Option<String> },
    /// A path was given to a command that does not read files.
    #[error("{path} is a {what}; {asked}")]
    PathAsked { path: String, what: &'static str, asked: PathAsked },
    /// There is nothing to explain.
    #[error("nothing to explain: give a name, or a line of a log")]
    #[strum(props(command = "amdtriage explain page-fault"))]
    NothingAsked,
    /// No line has a known meaning.
    #[error("no known meaning for any of these lines")]
    #[strum(props(command = "dmesg | tail -n 20 | amdtriage explain"))]
    NotExplained {
        /// Whether some of them are from the driver.
        unknown: bool,
    },
    /// The input is too long to explain.
    #[error("{called} is too long: only its beginning was explained", called = input::called(.name))]
    TooMuch { name: String },
    /// A value cannot be decoded.
    #[error("cannot decode `{}`{}", shortened(value, 40), as_kind(*kind))]
    #[strum(props(command = "amdtriage decode --help"))]
    Undecodable { value: String, kind: Option<&'static str> },
    /// The chip does not have the register to decode.
    #[error("cannot decode `{}` as {kind}: this chip has no such register", shortened(value, 40))]
    NotOnChip { value: String, kind: &'static str },
    /// Two boots are needed, and the log has one.
    #[error("cannot compare: {called} has only one boot", called = input::called(.name))]
    OneBoot { name: String },
    /// Both selected boots are the same.
    #[error("GOOD and BAD are the same boot of {called}", called = input::called(.name))]
    #[strum(props(command = "amdtriage diff --good -1 --bad 0"))]
    SameBoot { name: String },
    /// Both sides of a comparison come from standard input.
    #[error("GOOD and BAD cannot both be standard input")]
    OnePipe,
    /// No input has the selected boot.
    #[error("no boot {number}: {}", boots(*count))]
    NoSuchBoot { number: BootNumber, count: usize },
    /// This machine's journal does not have the selected boot.
    #[error("no boot {number} in this machine's journal: {}{}", stored(*count), kept(*count, *persistent))]
    #[strum(props(command = "amdtriage explain journal-persistent"))]
    BootNotStored {
        number: BootNumber,
        count: usize,
        /// Whether the journal is persistent.
        persistent: bool,
    },
    /// This user may not read parts of this machine's log.
    #[error("cannot read {}: permission denied", joined(names))]
    Closed {
        names: Vec<String>,
        /// Whether the kernel's ring buffer is restricted.
        restricted: bool,
        /// The command line, if root could read more.
        again: Option<String>,
    },
    /// This machine has no log.
    #[error("this machine has no kernel log: no journal, no /dev/kmsg, no dmesg")]
    #[strum(props(advice = "amdtriage FILE reads a log saved elsewhere"))]
    NoLogHere,
    /// A directory has no journal.
    #[error("no journal on the disk at {}", path.display())]
    NoJournalAt { path: PathBuf },
    /// A directory to follow has no journal file.
    #[error("{} has no journal files", path.display())]
    #[strum(props(command = "amdtriage follow"))]
    NoJournalFiles { path: PathBuf },
    /// No input names the selected GPU.
    #[error("no line{} concerns a GPU {address}{}", of_boot(*boot), only(known))]
    NoSuchDevice { address: PciAddress, boot: Option<BootNumber>, known: BTreeSet<PciAddress> },
    /// An input does not have the clock of the selected time.
    #[error("cannot select `{moment}`: {called} has no {clock}", called = input::called(.name))]
    NoSuchClock { name: String, moment: Moment, clock: Clock },
    /// An input begins later or ends earlier than the selected time.
    #[error("{called} has no lines between --since and --until", called = input::called(.name))]
    NoSuchTime { name: String },
    /// The selected time ends before it starts.
    #[error("--since {since} is later than --until {until}")]
    Reversed { since: Moment, until: Moment },
    /// The command to run is not a valid command line.
    #[error("cannot run `{text}`: not a command line")]
    #[strum(props(command = "amdtriage follow --exec '/usr/bin/logger -t amdtriage'"))]
    NotACommand { text: String },
    /// The command to run does not exist.
    #[error("cannot run `{program}`: no such program")]
    NoSuchProgram { program: String },
    /// The command to run is a file that may not be executed.
    #[error("cannot run `{program}`: not executable")]
    NotExecutable { program: String },
    /// There is an option in place of a command.
    #[error("unknown option `{option}`")]
    #[strum(props(command = "amdtriage run --help"))]
    UnknownOption { option: String },
    /// A log without cursors cannot be continued.
    #[error("--cursor-file needs a journal or a file, and {called} is neither", called = input::called(.name))]
    NoCursor { name: String },
    /// A cursor file cannot be read or written.
    #[error("cannot use the cursor file {}: {}", path.display(), plainly(source))]
    #[strum(props(
        advice = "--cursor-file takes a file in a directory that you may write to; a damaged one can be deleted"
    ))]
    CursorFile { path: PathBuf, source: io::Error },
    /// A command cannot be run.
    #[error("cannot run {text}: {}", plainly(source))]
    NotRun { text: String, source: io::Error },
    /// A service could not access this program.
    #[error("cannot write a unit for {program}: a service does not see the directories of users")]
    #[strum(props(command = "sudo install amdtriage /usr/local/bin/"))]
    UnitOfAUser { program: String },
    /// A unit that starts this program cannot be written.
    #[error("cannot write the path of this program into a unit: {0}")]
    #[strum(props(advice = "install amdtriage under a path without blanks or special characters"))]
    Unit(io::Error),
    /// Signals cannot be handled.
    #[error("cannot wait for signals: {0}")]
    Signals(io::Error),
    /// A report cannot be written to a file.
    #[error("cannot write {}: {}", path.display(), plainly(source))]
    #[strum(props(advice = "choose a path in an existing directory that you may write to"))]
    OutputFile { path: PathBuf, source: io::Error },
    /// The output path was rejected.
    #[error("cannot write {}: {why}", path.display())]
    OutputRefused { path: PathBuf, why: NotAFile },
    /// This build does not support columnar formats.
    #[error("cannot write {encoding}: this program was built without the feature `columns`")]
    NoColumns { encoding: &'static str },
    /// Binary output to a terminal.
    #[error("cannot write {encoding} to a terminal: it is not text")]
    BinaryOnTerminal { encoding: &'static str },
    /// The root of a machine is not a directory.
    #[error("{} is not a directory with the files of a machine", path.display())]
    NotAMachine { path: PathBuf },
    /// The process that reads a machine's files cannot be started.
    #[error("cannot start the process that reads /proc and /sys: {0}")]
    NoReader(io::Error),
    /// A crash dump could not be read.
    #[error("cannot read {path}: {why}")]
    #[strum(props(command = "sudo amdtriage check --save-coredumps ."))]
    Dump { path: String, why: Refusal },
    /// Private data is left after redaction.
    #[error("private data would be left: {}; nothing was written", left(places))]
    #[strum(props(
        advice = "remove the lines that are named, and please report this as a bug of amdtriage"
    ))]
    PrivateLeft { places: Vec<(PrivateKind, u64)> },
    /// A temporary file could not be written or read.
    #[error("cannot use a temporary file: {0}")]
    Spool(io::Error),
    /// Output failed.
    #[error("cannot write the output: {0}")]
    Output(io::Error),
}

impl From<LogFailure> for Failure {
    fn from(failure: LogFailure) -> Self {
        match failure {
            LogFailure::Input(error) => Self::Input(error),
            other => Self::Log(other),
        }
    }
}

impl Failure {
    /// A short code for programs: `not-found`, `directionless`.
    #[must_use]
    pub fn code(&self) -> String {
        match self {
            Self::Input(error) => error.code(),
            Self::Log(failure) => failure.code(),
            other => <&str>::from(other).to_owned(),
        }
    }
}
