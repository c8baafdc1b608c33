//! What a person types. Help, man page and completions come from here and from nowhere else.

mod bundle;
mod check;
mod choice;
mod decode;
mod diff;
mod distro;
mod fail_on;
mod follow;
mod machine;
mod patterns;
mod redact;
mod run;
mod schema;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use super::settings;
use crate::kind::Kind;
use crate::pattern::source::suggestion;
use crate::record::Family;
use crate::report::time::Zone;
use crate::value::{NotAPciAddress, PciAddress};

pub(crate) use bundle::BundleArguments;
pub(crate) use check::{CheckArguments, CheckFormat, ExitAs};
pub(crate) use choice::ChoiceArguments;
pub(crate) use decode::DecodeArguments;
pub(crate) use diff::{DiffArguments, DiffFormat};
pub(crate) use distro::DistroArguments;
pub(crate) use fail_on::FailOn;
pub(crate) use follow::{FollowArguments, FollowFormat, On};
pub(crate) use machine::MachineArguments;
pub(crate) use patterns::{
    CoverageArguments, LintArguments, Listed, PatternCommand, PatternListArguments, TestArguments,
    WhyArguments,
};
pub(crate) use redact::RedactArguments;
pub(crate) use run::RunArguments;
pub(crate) use schema::SchemaArguments;

/// The parts of a command's help.
const INPUT: &str = "Input";
const SHOW: &str = "What to show";
const OUTPUT: &str = "Output";

/// Says what happened to the AMD GPU, from the kernel's log
///
/// Reads logs of any origin (dmesg, journalctl, syslog, text pasted into a bug report) and says what
/// broke first, what the driver did about it, whether the GPU survived, how sure that is, which lines
/// prove it, and what to do next. Without FILE it reads what comes through a pipe, or else this
/// machine's current boot.
///
/// Exit status: 0 nothing wrong found, 1 a failure was diagnosed (--fail-on), 2 the job could not be done.
#[derive(Debug, Parser)]
#[command(
    name = "amdtriage",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        sudo amdtriage                     this machine's current boot\n  \
        dmesg | amdtriage                  the same, through a pipe\n  \
        sudo amdtriage --boot -1           the boot before it, after a hard hang\n  \
        sudo amdtriage --root /mnt         the machine whose disk is mounted there\n  \
        amdtriage kern.log report.txt      saved logs, one report each\n  \
        amdtriage sosreport.tar.xz         all kernel logs in an archive\n  \
        amdtriage --boot -1 kern.log       the boot before the last one in a log\n  \
        amdtriage -o report.txt dmesg.txt  into a file, whole or not at all\n  \
        amdtriage explain page-fault       what a name or a line of a log means\n  \
        amdtriage --format json dmesg.txt  for programs\n  \
        amdtriage --format html dmesg.txt > report.html  for a browser"
)]
pub(crate) struct Arguments {
    /// Instead of a report.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// What to report on.
    #[command(flatten)]
    pub report: ReportArguments,
}

/// Arguments of the default command.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct ReportArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What of it to show.
    #[command(flatten)]
    pub choice: ChoiceArguments,

    /// The form of the report
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ReportFormat,

    /// Write the report to a file instead of standard output
    ///
    /// The file gets its name once it is whole, and until then what was there stays. Nothing is written
    /// through a symbolic link or to a device (for those there is the shell's `>`), nor over one of the
    /// logs. Colours are written only with --color always.
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// What makes the exit status 1
    #[arg(long, value_enum, default_value_t = FailOn::Failure, value_name = "VERDICT")]
    #[arg(help_heading = OUTPUT)]
    pub fail_on: FailOn,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// Include every typed event in JSON
    #[arg(long, help_heading = SHOW)]
    pub events: bool,

    /// List the driver's lines that have no known meaning, too, errors first
    #[arg(long, help_heading = SHOW)]
    pub unknown: bool,

    /// Show the log's course as a picture also where there is one incident
    #[arg(long, help_heading = SHOW)]
    pub timeline: bool,

    /// Show harmless notices, too
    #[arg(long, help_heading = SHOW)]
    pub all: bool,

    /// Answer in one line for each input
    #[arg(short, long, conflicts_with = "verbose", help_heading = SHOW)]
    pub quiet: bool,

    /// Add what speaks for each diagnosis, all actions and references
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// Show times of day in UTC, where the log tells their zone
    ///
    /// Without it they are shown as the log prints them, so that the same log gives the same report on
    /// every machine. JSON has the log's own times in any case.
    #[arg(long, conflicts_with = "local", help_heading = OUTPUT)]
    pub utc: bool,

    /// Show times of day in this machine's zone (TZ), where the log tells theirs
    #[arg(long, help_heading = OUTPUT)]
    pub local: bool,

    /// When to colour the report
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

impl ReportArguments {
    /// The zone to show times of day in.
    pub(crate) fn zone(&self) -> Zone {
        match (self.utc, self.local) {
            (true, _) => Zone::Utc,
            (false, true) => Zone::Other(settings::offset),
            (false, false) => Zone::AsPrinted,
        }
    }
}

/// Where to read, and with which knowledge.
#[derive(Debug, Default, Args)]
pub(crate) struct Inputs {
    /// Logs, journal files, archives or folders of them; `-` is standard input
    ///
    /// Each may be packed with gzip, zstd, xz or bzip2, and stand in a tar archive. Without any,
    /// standard input is read where it is no terminal, else this machine's current boot: its journal,
    /// or the kernel's ring buffer. Where the boot before did not end with a shutdown, or had a failure,
    /// it is read, too, with what was saved of its crash (pstore).
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// Which machine's own log.
    #[command(flatten)]
    pub machine: MachineArguments,

    /// Read all inputs in this format, where their lines do not tell it
    ///
    /// Nobody has to say it: each line is read as what it looks like. What is said here holds for all
    /// lines of all inputs but journal files, and what does not fit it is text without a time.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = INPUT)]
    pub input_format: Option<InputFormat>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// What was read of standard input to see whether it ends.
    #[arg(skip)]
    pub head: Vec<u8>,
}

/// What to do instead of a report.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the log as it was read, one record a line
    Records(RecordArguments),
    /// List the typed events, one a line
    ///
    /// With --unknown instead what was not understood: the driver's lines that no message matches, one
    /// line for each shape, values replaced by printf conversions, errors first. As `toml` each is a
    /// `[[message]]` for a pattern file, in which TODO stands for what only its author knows.
    #[command(after_help = "Examples:\n  \
        amdtriage events dmesg.txt\n  \
        amdtriage events --kind page-fault --kind ring-timeout dmesg.txt\n  \
        amdtriage events --device 0000:03:00.0 --format ndjson dmesg.txt\n  \
        amdtriage events --unknown dmesg.txt\n  \
        amdtriage events --unknown --format toml dmesg.txt > mine.toml")]
    Events(EventArguments),
    /// Say what a name or a line of a log means
    ///
    /// A name is a kind of event (page-fault), a message (mes-no-response-named), a signature
    /// (gfx11-mes-hang), a piece of advice (fw-update) or what check may find (gpu-tasks-stuck). Anything with blanks is a line of a log, read
    /// as a log is: what it means, its values, the kernel's source, and the signatures that look for it.
    /// Several lines are one log. Without an argument, or with `-`, lines come from standard input.
    ///
    /// Exit status: 0 something was explained, 2 a name does not exist or no line could be explained.
    #[command(after_help = "Examples:\n  \
        amdtriage explain page-fault\n  \
        amdtriage explain gfx11-mes-hang fw-update\n  \
        amdtriage explain 'amdgpu 0000:03:00.0: amdgpu: GPU reset begin!'\n  \
        dmesg | tail -n 20 | amdtriage explain")]
    Explain(ExplainArguments),
    /// Say how this machine is now, also where its log has no failure
    ///
    /// Reads /proc and /sys: tasks that wait for a GPU and cannot be killed; each GPU with its driver,
    /// link, power state and firmware; crash dumps that are about to vanish; parameters in force and
    /// those that somebody wanted; kernel and firmware with a known fault; a mixture of drivers; whether
    /// the log of a boot survives it. It also reads this boot's log, as amdtriage without a command does.
    /// Nothing is changed, no GPU is woken that is powered off, and a file whose reading hangs is given
    /// up after two seconds. What the rights do not suffice for is said, with what would help.
    ///
    /// Exit status: 0 nothing wrong found, 1 a failure was found, 2 too little could be read. With
    /// --short that of a monitoring plugin: see --exit.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage check\n  \
        sudo amdtriage check --save-coredumps .\n  \
        amdtriage check --root sosreport-host-2026-11-20\n  \
        amdtriage check --short              for Nagios, Icinga, Checkmk\n  \
        amdtriage check --short --exit npd   for node-problem-detector\n  \
        amdtriage check --format prometheus --output /var/lib/prometheus/node-exporter/amdtriage.prom")]
    Check(CheckArguments),
    /// Say what a value out of a log means
    Decode(DecodeArguments),
    /// Tell what happens to the GPU while it happens
    ///
    /// Follows standard input where it is no terminal, else this machine: its journal, or the kernel's
    /// ring buffer. A file is followed as it grows, also when it is rotated; a journal file or a folder of
    /// them is followed as journalctl does. What is there at the beginning is read for what it tells of
    /// the machine; told is what comes.
    ///
    /// Each event is told at once. An incident is told when it is clear what it is, once more if that
    /// changes, and in full when it is over: with what follows from a time that passes, such as a reset of
    /// which no end is seen within 60 s.
    ///
    /// Exit status, at the end of the input or after Ctrl+C: 0 nothing wrong was told, 1 a failure was, 2
    /// the job could not be done.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage follow                        this machine\n  \
        ssh box dmesg -w | amdtriage follow          another one\n  \
        amdtriage follow /var/log/kern.log           a file, through its rotations\n  \
        amdtriage follow --quiet --exec 'notify-send -u critical GPU'\n  \
        amdtriage follow --format ndjson --cursor-file /var/lib/amdtriage/cursor --this-machine\n  \
        amdtriage follow --print-unit | sudo tee /etc/systemd/system/amdtriage.service")]
    Follow(FollowArguments),
    /// Run a command and say what the GPU did meanwhile
    ///
    /// The command has this terminal, its signals and its exit status; what is said afterwards goes to
    /// standard error, or to a file. Told is what the kernel's log has of the time from the command's
    /// start to shortly after its end, and whether it names one of the command's processes.
    ///
    /// Exit status: the command's own (128 and the signal where one ended it). With --gate 1 where the
    /// command succeeded and a GPU failed, and 2 where the log could not be read.
    #[command(after_help = "Examples:\n  \
        amdtriage run -- python3 train.py\n  \
        amdtriage run --gate -- ./run-tests                     for CI: fails if the GPU did\n  \
        amdtriage run --format json -o gpu.json -- make check\n  \
        amdtriage run --retry-safe -- ./job || [ $? -ne 75 ] || ./job")]
    Run(RunArguments),
    /// Make the attachment for a bug report
    ///
    /// One archive with what upstream asks for: the report as the tracker wants it, ready to be pasted; the
    /// kernel's log of the boots concerned; the diagnosis for browsers and programs; what this machine says
    /// of itself; and where each file comes from, or why it could not be had. What is private (names of
    /// hosts, users and networks, addresses, serial numbers, keys and others) is replaced by tokens such as
    /// <host-1>, and nothing is written where a second look finds any of it left. Nothing is sent anywhere.
    ///
    /// Of FILE the report is made from these logs alone. Exit status: 0 it was made, 2 it was not, or not
    /// all of the logs could be read.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage report                       after a crash, also of the boot before\n  \
        amdtriage report --dry-run                  what would be in it\n  \
        amdtriage report dmesg.txt -o report.tar.gz from a saved log\n  \
        amdtriage report --stdout --for rocm dmesg.txt | less")]
    Report(BundleArguments),
    /// Take out of a log what tells of you or of this machine
    ///
    /// Names of machines and people, addresses, serial numbers, ids of disks, machines and boots, names of
    /// networks, volumes, files and devices, passwords and keys are replaced by tokens such as <host-1>, also
    /// where they are encoded; the same value has the same token everywhere. What a failure of the GPU is
    /// told by stays: PCI addresses, registers, kernel addresses, firmware versions, times. Each line comes
    /// out as it came in but for tokens, and amdtriage reads the log as before.
    ///
    /// All is looked through again before any of it is written; if something private is left, nothing is,
    /// and kind and line are said. Look through it yourself, too: no program knows all that is private to
    /// you.
    ///
    /// Exit status: 0 the log was written, 2 the job could not be done. With --check 0 nothing private was
    /// found, 1 something was.
    #[command(after_help = "Examples:\n  \
        journalctl -k -b | amdtriage redact > dmesg.txt\n  \
        amdtriage redact -o public.log --map private.map kern.log\n  \
        amdtriage redact --check dmesg.txt")]
    Redact(RedactArguments),
    /// Say what a bad boot has that a good one has not
    ///
    /// For what worked before an update: kernel, driver, firmware, kernel parameters, GPUs, failures and
    /// messages of two boots are held against each other. Compared is what the lines mean: times,
    /// processes and addresses make no difference. What a log cannot tell, because it ends early, has holes or
    /// went through a filter, is said; no difference is called the cause.
    ///
    /// GOOD and BAD are read as logs are elsewhere: files, journals, folders, archives such as those of
    /// amdtriage report, `-`. With one of them, or none (this machine's journal), two boots of it are compared.
    ///
    /// Exit status: 0 nothing fails in BAD that did not fail in GOOD, 1 something does, or a GPU does not come
    /// back any more, 2 the job could not be done.
    #[command(after_help = "Examples:\n  \
        amdtriage diff old.log new.log               two logs\n  \
        amdtriage diff good.tar.gz bad.tar.gz        two archives\n  \
        amdtriage diff kern.log --good -2 --bad 0    two boots of one log\n  \
        sudo amdtriage diff --good -1 --bad 0        this machine, the boot before and this one\n  \
        amdtriage diff --format markdown old.log new.log > regression.md")]
    Diff(DiffArguments),
    /// For people who write pattern files
    #[command(subcommand)]
    Patterns(PatternCommand),
    /// Print the JSON Schema of what is written for programs
    Schema(SchemaArguments),
    /// Print what completes commands and options in a shell
    #[command(after_help = "Examples:\n  \
        amdtriage completions bash > ~/.local/share/bash-completion/completions/amdtriage\n  \
        amdtriage completions zsh > ~/.zfunc/_amdtriage\n  \
        amdtriage completions fish > ~/.config/fish/completions/amdtriage.fish\n\n\
        zsh looks into ~/.zfunc where ~/.zshrc says fpath+=(~/.zfunc) before compinit.")]
    Completions(CompletionArguments),
    /// Print the man page, or write all of them to a folder
    #[command(after_help = "Examples:\n  \
        amdtriage man | man -l -\n  \
        amdtriage man --dir pages")]
    Man(ManArguments),
}

/// Arguments of completions.
#[derive(Debug, Args)]
pub(crate) struct CompletionArguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    pub shell: Shell,
}

/// Arguments of man pages.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write the pages of all commands and of pattern files to a folder
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, default_value = "table", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Arguments of the list of events.
#[derive(Debug, Args)]
pub(crate) struct EventArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, default_value = "table", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: EventFormat,

    /// Only events of this kind (repeatable)
    #[arg(long, value_name = "KIND", value_parser = kind, conflicts_with = "unknown")]
    #[arg(help_heading = SHOW)]
    pub kind: Vec<Kind>,

    /// Only events of the GPU with this PCI address
    #[arg(long, value_name = "BDF", value_parser = device, conflicts_with = "unknown")]
    #[arg(help_heading = SHOW)]
    pub device: Option<PciAddress>,

    /// The driver's lines that have no known meaning, instead of events
    #[arg(long, required_if_eq("format", "toml"), help_heading = SHOW)]
    pub unknown: bool,
}

/// The kind that somebody names.
fn kind(text: &str) -> Result<Kind, String> {
    let known = || Kind::ALL.iter().map(|kind| kind.name());
    Kind::read(text).ok_or_else(|| {
        let hint =
            suggestion(text, known()).unwrap_or_else(|| "see amdtriage events FILE".to_owned());
        format!("no kind of event; {hint}")
    })
}

/// A PCI address; the domain of most machines need not be said.
fn device(text: &str) -> Result<PciAddress, String> {
    let read = text.parse().or_else(|_| format!("0000:{text}").parse());
    read.map_err(|error: NotAPciAddress| error.to_string())
}

/// Arguments of the list of records.
#[derive(Debug, Args)]
pub(crate) struct RecordArguments {
    /// Where to read and what to write.
    #[command(flatten)]
    pub list: ListArguments,

    /// Also lines that are no records, and why; what was read
    #[arg(short, long, help_heading = SHOW)]
    pub verbose: bool,

    /// Colour the table
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// Arguments of explanations.
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Names, or lines of a log in quotes; `-` reads lines from standard input
    #[arg(value_name = "ID|LINE")]
    pub subjects: Vec<String>,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: Format,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// Colour the page
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// What an input is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// dmesg with any options but -J, /proc/kmsg, a serial console, pstore.
    Dmesg,
    /// /dev/kmsg, netconsole in its extended form.
    Kmsg,
    /// The short forms of journalctl, files of syslog daemons (`syslog` means the same).
    #[value(alias = "syslog")]
    Journal,
    /// journalctl -o json and its kin, dmesg -J.
    Json,
    /// journalctl -o export.
    Export,
    /// journalctl -o verbose.
    Verbose,
    /// logcat -b kernel.
    Logcat,
    /// Messages and nothing else: dmesg -t, journalctl -o cat.
    Text,
}

impl InputFormat {
    /// What readers of lines call it.
    pub(crate) const fn family(self) -> Family {
        match self {
            Self::Dmesg => Family::Dmesg,
            Self::Kmsg => Family::Kmsg,
            Self::Journal => Family::Syslog,
            Self::Json => Family::Json,
            Self::Export => Family::Export,
            Self::Verbose => Family::Verbose,
            Self::Logcat => Family::Logcat,
            Self::Text => Family::Text,
        }
    }
}

/// The form of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object a line, the summary last.
    Ndjson,
    /// A page to paste into a tracker.
    Markdown,
    /// A page for a browser, complete in itself: it has everything, loads nothing and runs no script.
    Html,
}

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// For people.
    #[value(alias = "human")]
    Table,
    /// One JSON object a line.
    Ndjson,
}

/// The form of a list of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EventFormat {
    /// For people.
    #[value(alias = "human")]
    Table,
    /// One JSON object a line.
    Ndjson,
    /// The beginning of a pattern file, of lines that are not known.
    Toml,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}

impl When {
    /// What it means where the text goes to a file, perhaps.
    pub(crate) fn in_a_file(self, file: bool) -> Self {
        if file && self == Self::Auto { Self::Never } else { self }
    }
}
