//! Why a run could not do its job: a message, and what to type next.

mod words;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use super::output::NotAFile;
use super::report::private::Left;
use crate::coverage::tree::NotATree;
use crate::diagnosis::choice::{BootNumber, Clock, Moment};
use crate::host::Why;
use crate::input::{InputError, PrintCommand};
use crate::pattern::source::Mistake;
use crate::value::{PciAddress, PrivateKind};

use words::{
    another_name, as_kind, boots, joined, kept, left, listed, meant, of_boot, only, opened,
    shortened, stored, unclean,
};

/// Why a run could not do its job.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// An input could not be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Nothing in the input is a kernel log.
    #[error("{name}: no kernel message and no message of a GPU program found")]
    NoKernelLog {
        /// What the input is called.
        name: String,
        /// Whether somebody said what it is.
        said: bool,
    },
    /// Something private is left in what was to be given away.
    #[error("{}; nothing was written", unclean(left))]
    Unclean {
        /// What and where.
        left: Vec<Left>,
    },
    /// There is no such tracker.
    #[error("{name} is no tracker that is known here: {}", known.join(", "))]
    NoSuchTracker {
        /// What was asked for.
        name: String,
        /// Those that there are.
        known: Vec<String>,
        /// The one that was meant, perhaps.
        meant: Option<String>,
    },
    /// No file in the input is a log of the format that somebody said.
    #[error("{name} is {what} without logs of that format")]
    NoLogsOfFormat {
        /// What the input is called.
        name: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// The input begins in the order of time and mostly runs against it: its order tells nothing.
    #[error("{name} runs forward and backward in time, so that its order tells nothing")]
    Directionless {
        /// What the input is called.
        name: String,
        /// What prints it.
        printed_by: Option<PrintCommand>,
    },
    /// The input goes to and fro between boots or machines.
    #[error("{name} mixes the lines of several boots or machines, so that its order tells nothing")]
    Interleaved {
        /// What the input is called.
        name: String,
    },
    /// The input runs from the newest record to the oldest and is too long to be turned round.
    #[error("{name} runs from newest to oldest, and only its newest 256 MiB were read")]
    NewestOnly {
        /// What the input is called.
        name: String,
        /// What prints it.
        printed_by: Option<PrintCommand>,
    },
    /// Reading ended before the input did; what came before is in the report.
    #[error("{name} was not read to its end: {said}")]
    Stopped {
        /// What the input is called.
        name: String,
        /// What the reader said.
        said: String,
        /// What prints it.
        printed_by: Option<PrintCommand>,
    },
    /// A folder of pattern files could not be read.
    #[error("cannot read the pattern folder {}: {source}", path.display())]
    PatternFolder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is no folder with pattern files.
    #[error("no folder was given, and there is none with pattern files in the configuration")]
    NoPatternFolder,
    /// A folder has no fixtures.
    #[error("no fixture is in {}", path.display())]
    NoFixtures {
        /// The folder.
        path: PathBuf,
    },
    /// The header of a fixture has a mistake.
    #[error("{}: {what}", path.display())]
    Fixture {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// A folder is no kernel source tree.
    #[error("{} is no kernel source tree: {lacks}", path.display())]
    NotAKernelTree {
        /// The folder.
        path: PathBuf,
        /// What was looked for.
        lacks: NotATree,
    },
    /// Pattern files have mistakes.
    #[error("{}", listed(.0))]
    Patterns(Vec<Mistake>),
    /// Nothing has the name that is to be explained.
    #[error("nothing is called {id}{}", meant(.near))]
    UnknownName {
        /// The name.
        id: String,
        /// Names that may have been meant.
        near: Vec<String>,
    },
    /// There is no such signature.
    #[error("there is no signature {id}{}", meant(near.as_slice()))]
    NoSignature {
        /// The name.
        id: String,
        /// The one that may have been meant.
        near: Option<String>,
    },
    /// There is nothing to explain.
    #[error("nothing to explain was given")]
    NothingAsked,
    /// No line has a known meaning.
    #[error("none of these lines has a known meaning")]
    NotExplained {
        /// Whether some of them are the driver's.
        unknown: bool,
    },
    /// There is more to explain than anybody would read.
    #[error("{name} is too long to be explained line by line: only its beginning was")]
    TooMuch {
        /// What the input is called.
        name: String,
    },
    /// A value is nothing that can be decoded.
    #[error("nothing is known of {}{}", shortened(value), as_kind(*kind))]
    Undecodable {
        /// The value.
        value: String,
        /// What it was taken for.
        kind: Option<&'static str>,
    },
    /// Two boots are to be compared, and the log has one.
    #[error("{name} has one boot, and two are compared")]
    OneBoot {
        /// What the input is called.
        name: String,
    },
    /// A boot is to be compared with itself.
    #[error("GOOD and BAD are the same boot of {name}")]
    SameBoot {
        /// What the input is called.
        name: String,
    },
    /// Both sides of a comparison are to come through the same pipe.
    #[error("GOOD and BAD cannot both be standard input")]
    OnePipe,
    /// No input has the boot that is to be shown.
    #[error("there is no boot {number}: {}", boots(*count))]
    NoSuchBoot {
        /// Its number.
        number: BootNumber,
        /// How many boots there are.
        count: usize,
    },
    /// This machine's journal does not have the boot that is to be read.
    #[error("this machine's journal has no boot {number}: {}{}", stored(*count), kept(*count, *persistent))]
    BootNotStored {
        /// Its number.
        number: BootNumber,
        /// How many boots there are.
        count: usize,
        /// Whether boots outlive the machine's being switched off.
        persistent: bool,
    },
    /// Parts of this machine's log are closed to this user.
    #[error("no permission to read {}", joined(names))]
    Closed {
        /// What they are called.
        names: Vec<String>,
        /// Whether the kernel's buffer is closed to ordinary users.
        restricted: bool,
        /// What was typed, where root may read more.
        again: Option<String>,
    },
    /// This machine has no log.
    #[error("this machine has no kernel log to read: no journal, no /dev/kmsg, no dmesg")]
    NoLogHere,
    /// A disk has no journal.
    #[error("journalctl finds no journal on the disk at {}", path.display())]
    NoJournalAt {
        /// Where it is mounted.
        path: PathBuf,
    },
    /// No input names the GPU that is to be shown.
    #[error("no line{} is about a GPU {address}{}", of_boot(*boot), only(known))]
    NoSuchDevice {
        /// Its address.
        address: PciAddress,
        /// The boot in which it was looked for, if not in all of them.
        boot: Option<BootNumber>,
        /// Those that are named.
        known: BTreeSet<PciAddress>,
    },
    /// An input does not show the clock that a time is of.
    #[error("{name} prints no {}, which `{moment}` could be compared with", clock.words())]
    NoSuchClock {
        /// What the input is called.
        name: String,
        /// The time that somebody typed.
        moment: Moment,
        /// The clock.
        clock: Clock,
    },
    /// An input begins later, or ends earlier, than what is to be shown.
    #[error("{name} has nothing from the time that --since and --until choose")]
    NoSuchTime {
        /// What the input is called.
        name: String,
    },
    /// What is to be shown ends before it begins.
    #[error("--since {since} is later than --until {until}")]
    Reversed {
        /// The beginning.
        since: Moment,
        /// The end.
        until: Moment,
    },
    /// What is to be run is no command.
    #[error("`{text}` is no command with its arguments")]
    NotACommand {
        /// What was given.
        text: String,
    },
    /// A log whose lines have no names cannot be followed from where somebody stopped.
    #[error("{name} is no journal: there is no place in it that a cursor file could remember")]
    NoCursor {
        /// What the input is called.
        name: String,
    },
    /// A cursor file cannot be read or written.
    #[error("cannot use the cursor file {}: {source}", path.display())]
    CursorFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A command cannot be run.
    #[error("cannot run {text}: {source}")]
    NotRun {
        /// The command, as it is typed.
        text: String,
        /// Why.
        source: io::Error,
    },
    /// No unit can be written that starts this program.
    #[error("cannot name this program in a unit: {0}")]
    Unit(io::Error),
    /// Signals cannot be waited for.
    #[error("cannot wait for signals: {0}")]
    Signals(io::Error),
    /// A report cannot be written to a file.
    #[error("cannot write {}: {source}", path.display())]
    OutputFile {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A report is not to be written there.
    #[error("{} {}", path.display(), why.words())]
    OutputRefused {
        /// The path.
        path: PathBuf,
        /// Why not.
        why: NotAFile,
    },
    /// What stands for the root of a machine is no folder.
    #[error("{} is no folder with the files of a machine", path.display())]
    NotAMachine {
        /// The path.
        path: PathBuf,
    },
    /// The process that reads a machine's files cannot be started.
    #[error("cannot start the process that reads /proc and /sys: {0}")]
    NoReader(io::Error),
    /// A crash dump could not be read.
    #[error("cannot read {path}: {why}")]
    Dump {
        /// The file.
        path: String,
        /// Why.
        why: Why,
    },
    /// A redacted log still has private values.
    #[error("{}; nothing was written", left(places))]
    PrivateLeft {
        /// What was found, with its line in the output.
        places: Vec<(PrivateKind, u64)>,
    },
    /// A log has more private values than can be told apart.
    #[error("the log has more than {limit} private values; nothing was written")]
    TooPrivate {
        /// How many can be.
        limit: usize,
    },
    /// What was read could not be kept.
    #[error("cannot use a temporary file: {0}")]
    Spool(io::Error),
    /// Writing failed.
    #[error("cannot write the report: {0}")]
    Output(io::Error),
}

impl Failure {
    /// What to type next.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Input(error) => error.hint(),
            Self::NoKernelLog { said: true, .. } | Self::NoLogsOfFormat { .. } => Some(
                "amdtriage without --input-format, which reads each line as what it is".to_owned(),
            ),
            Self::NoKernelLog { .. } => Some(
                "sudo dmesg | amdtriage, or journalctl -k -b | amdtriage, reads this machine's log"
                    .to_owned(),
            ),
            Self::Directionless { printed_by, .. } => {
                let end = printed_by.as_ref()?.through("tail -n 1000");
                Some(format!("{end} | amdtriage, which reads the end of it alone"))
            }
            Self::Interleaved { .. } => Some(
                "journalctl -k -b | amdtriage, or grep one host's lines out of the file".to_owned(),
            ),
            Self::NewestOnly { printed_by, .. } => {
                let turned = printed_by.as_ref()?.through("tac");
                Some(format!("{turned} | amdtriage reads all of it, oldest line first"))
            }
            Self::Stopped { printed_by, .. } => {
                let end = printed_by.as_ref()?.through("tail -n 100000");
                Some(format!("{end} | amdtriage reads the end of it"))
            }
            Self::PatternFolder { .. } => {
                Some("amdtriage --patterns DIR wants a folder with .toml files".to_owned())
            }
            Self::NoPatternFolder | Self::NoFixtures { .. } | Self::Fixture { .. } => {
                Some("amdtriage patterns test --help, which shows a fixture".to_owned())
            }
            Self::NotAKernelTree { .. } => Some(
                "amdtriage patterns coverage --kernel DIR wants the folder that a linux-*.tar.xz unpacks to"
                    .to_owned(),
            ),
            Self::Patterns(_) => {
                Some("cat patterns/README.md in amdtriage's source describes the files".to_owned())
            }
            Self::UnknownName { near, .. } => Some(match near.first() {
                Some(name) => format!("amdtriage explain {name}"),
                None => "amdtriage events FILE, which names the events of a log".to_owned(),
            }),
            Self::NoSignature { .. } => {
                Some("amdtriage patterns list, which names all signatures".to_owned())
            }
            Self::NothingAsked => Some("amdtriage explain page-fault".to_owned()),
            Self::NotExplained { unknown: true } => Some(
                "amdtriage events --unknown --format toml FILE, which makes messages of them"
                    .to_owned(),
            ),
            Self::NotExplained { unknown: false } => {
                Some("amdtriage explain with whole lines, as dmesg prints them".to_owned())
            }
            Self::TooMuch { .. } => {
                Some("amdtriage events FILE, which lists all events of a log".to_owned())
            }
            Self::Undecodable { .. } => Some(
                "amdtriage decode --help, which lists what can be decoded: status words, requests, \
                 sources, errors, rings, clients, masks, PCI ids, gfx targets"
                    .to_owned(),
            ),
            Self::NoSuchBoot { count, .. } => Some(format!(
                "amdtriage --boot {}, which is the last; 1 is the first",
                (*count).max(1)
            )),
            Self::BootNotStored { .. }
            | Self::Closed { .. }
            | Self::NoLogHere
            | Self::NoJournalAt { .. } => self.machine_hint(),
            Self::NoSuchDevice { known, .. } => Some(match known.first() {
                Some(address) => format!("amdtriage --device {address}"),
                None => "amdtriage without --device".to_owned(),
            }),
            Self::NoSuchClock { clock, .. } => Some(
                match clock {
                    Clock::SinceBoot => "amdtriage --since with a time of day, as the report shows it",
                    Clock::Zone => "amdtriage --since with a date without a zone",
                    Clock::Date => "amdtriage --since 18:35, or with seconds since boot: 913.5s",
                    Clock::TimeOfDay => "amdtriage --since 913.5s, in seconds since boot",
                    Clock::Any => "amdtriage without --since and --until",
                }
                .to_owned(),
            ),
            Self::NoSuchTime { .. } => Some(
                "amdtriage events FILE, which shows when something happened in it".to_owned(),
            ),
            Self::Reversed { since, until } => {
                Some(format!("amdtriage --since '{until}' --until '{since}'"))
            }
            Self::OutputFile { .. } => Some(
                "amdtriage --output FILE in a folder that is there and that you may write to".to_owned(),
            ),
            Self::OutputRefused { why, .. } => Some(another_name(*why).to_owned()),
            Self::Output(_) => None,
            live => live.hint_beside_a_machine(),
        }
    }

    /// The same for what goes on beside a running machine.
    fn hint_beside_a_machine(&self) -> Option<String> {
        match self {
            Self::NotACommand { .. } => Some(
                "amdtriage follow --exec '/usr/bin/logger -t amdtriage', words quoted as for a shell"
                    .to_owned(),
            ),
            Self::Unit(_) => Some("amdtriage follow --print-unit from a folder with a plain name".to_owned()),
            Self::NotRun { .. } => Some("amdtriage run -- COMMAND, as it runs without amdtriage".to_owned()),
            Self::NoCursor { .. } => Some("amdtriage follow without --cursor-file".to_owned()),
            Self::CursorFile { .. } => Some(
                "amdtriage follow --cursor-file FILE in a folder that you may write to; a damaged FILE can be \
                 deleted"
                    .to_owned(),
            ),
            Self::OneBoot { .. } | Self::OnePipe => {
                Some("amdtriage diff GOOD BAD with two files".to_owned())
            }
            Self::SameBoot { .. } => Some("amdtriage diff --good -1 --bad 0".to_owned()),
            Self::NotAMachine { .. } => Some(
                "amdtriage check --root DIR with the folder that a sosreport unpacks to".to_owned(),
            ),
            Self::Unclean { .. } => {
                Some("amdtriage report FILE, with FILE rid of the lines that are named".to_owned())
            }
            Self::NoSuchTracker { meant, .. } => {
                let one = meant.as_deref().unwrap_or("drm-amd");
                Some(format!("amdtriage report --for {one}"))
            }
            Self::PrivateLeft { .. } => Some(
                "amdtriage redact without the lines that are named, and tell the authors of amdtriage".to_owned(),
            ),
            Self::TooPrivate { .. } => {
                Some("journalctl -k -b | amdtriage redact, which has the kernel's lines alone".to_owned())
            }
            Self::Spool(_) => Some("TMPDIR=DIR amdtriage with a folder that has room".to_owned()),
            Self::Dump { .. } => {
                Some("sudo amdtriage check --save-coredumps DIR".to_owned())
            }
            _ => None,
        }
    }

    /// What gives more of a machine's own log.
    fn machine_hint(&self) -> Option<String> {
        let text = match self {
            Self::BootNotStored { persistent: true, .. } => {
                "journalctl --list-boots, which shows those that there are"
            }
            Self::BootNotStored { persistent: false, .. } => {
                "amdtriage explain journal-persistent, which says how later boots are kept"
            }
            Self::Closed { names, restricted, again } => {
                return Some(opened(names, *restricted, again.as_deref()));
            }
            Self::NoJournalAt { .. } => {
                "ls var/log/journal on that disk, which shows whether it has one"
            }
            Self::NoLogHere => "amdtriage FILE, with a log saved elsewhere",
            _ => return None,
        };
        Some(text.to_owned())
    }
}
