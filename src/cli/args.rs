//! The command line. Help, man pages and shell completions are generated from this definition.

mod bundle;
mod check;
mod choice;
mod decode;
mod diff;
mod distro;
mod explain;
mod fail_on;
mod follow;
mod inputs;
mod known;
mod lists;
mod machine;
mod output;
mod patterns;
mod redact;
mod report;
mod rows;
mod run;
mod schema;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

pub(crate) use bundle::BundleArguments;
pub(crate) use check::{CheckArguments, ExitAs};
pub(crate) use choice::{CertaintyArguments, PartArguments};
pub(crate) use decode::DecodeArguments;
pub(crate) use diff::DiffArguments;
pub(crate) use distro::DistroArguments;
pub(crate) use explain::ExplainArguments;
pub(crate) use fail_on::FailOn;
pub(crate) use follow::{FollowArguments, On};
pub(crate) use inputs::{InputFormat, InputFormatArguments, Inputs, PatternArguments};
pub(crate) use lists::{EventArguments, RecordArguments};
pub(crate) use machine::MachineArguments;
pub(crate) use output::{
    AnswerArguments, AnswerFormat, CheckFormat, DraftFormat, FileArguments, FormatArguments,
    Formats, ListFormat, PageArguments, PageFormat, QuietArguments, ReportFormat, RowFormat,
    StreamFormat, When,
};
pub(crate) use patterns::{
    CoverageArguments, LintArguments, Listed, PatternCommand, PatternListArguments, TestArguments,
    WhyArguments,
};
pub(crate) use redact::RedactArguments;
pub(crate) use report::ReportArguments;
pub(crate) use rows::RowArguments;
pub(crate) use run::RunArguments;
pub(crate) use schema::SchemaArguments;

/// Headings in a command's help.
const INPUT: &str = "Input";
const SHOW: &str = "Selection";
const OUTPUT: &str = "Output";

/// The version, the commit where it is known, and the digest of what is built in.
fn long_version() -> String {
    let commit = option_env!("AMDTRIAGE_COMMIT").map(|commit| format!("commit   {commit}\n"));
    let (version, patterns) = (env!("CARGO_PKG_VERSION"), env!("AMDTRIAGE_PATTERNS"));
    format!("{version}\n{}patterns {patterns}", commit.unwrap_or_default())
}

/// Diagnose AMD GPU failures from Linux kernel logs
///
/// Reads logs from dmesg, journalctl, syslog, or pasted into a bug report, and reports what failed
/// first, what the driver did about it, whether the GPU recovered, which lines prove it, and what
/// to do next. Without FILE, reads standard input if it is not a terminal, else this machine's
/// current boot.
///
/// Exit status: 0 no failure was found; 1 a failure was found (see --fail-on); 2 an input could not
/// be read, or the command line is wrong.
#[derive(Debug, Parser)]
#[command(
    name = "amdtriage",
    version,
    long_version = long_version(),
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        sudo amdtriage                     this machine's current boot\n  \
        sudo amdtriage --boot -1           the boot before, after a hard hang\n  \
        dmesg | amdtriage                  a pipe\n  \
        amdtriage kern.log report.txt      saved logs, one report for each\n  \
        amdtriage sosreport.tar.xz         all kernel logs in an archive\n  \
        sudo amdtriage --root /mnt         a machine whose disk is mounted at /mnt\n  \
        amdtriage -o report.txt dmesg.txt  write the report to a file\n  \
        amdtriage --format json dmesg.txt  for programs\n  \
        amdtriage explain page-fault       look up a name, or a line of a log"
)]
pub(crate) struct Arguments {
    /// Instead of a report.
    #[command(subcommand)]
    pub command: Option<Command>,

    /// What to report on.
    #[command(flatten)]
    pub report: ReportArguments,
}

/// What to do instead of a report.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the records of a log, one per line
    ///
    /// Shows each record with its time, level and source, as amdtriage reads it. With --verbose,
    /// also the lines that are not records, with the reason.
    ///
    /// Exit status: 0 all inputs were read; 2 an input could not be read.
    #[command(after_help = "Examples:\n  \
        amdtriage records dmesg.txt\n  \
        amdtriage records --since -10min --format ndjson kern.log\n  \
        amdtriage records -v pasted.txt")]
    Records(RecordArguments),
    /// List the GPU events in a log, one per line
    ///
    /// With --unknown, lists instead the driver's lines that match no message of the catalogue: one
    /// line for each shape, with printf conversions in place of values, errors first. With --format
    /// toml, each becomes a `[[message]]` of a pattern file, with TODO where its author has to
    /// decide.
    ///
    /// Exit status: 0 all inputs were read; 2 an input could not be read.
    #[command(after_help = "Examples:\n  \
        amdtriage events dmesg.txt\n  \
        amdtriage events --kind page-fault --kind ring-timeout dmesg.txt\n  \
        amdtriage events --device 0000:03:00.0 --format ndjson dmesg.txt\n  \
        amdtriage events --unknown dmesg.txt\n  \
        amdtriage events --unknown --format toml -o mine.toml dmesg.txt")]
    Events(EventArguments),
    /// Print flat rows for DuckDB, Polars or Spark
    ///
    /// One row for each log, with what became of it, and one for each incident in it. All rows have
    /// the same columns with the same types, and null where a value does not apply or the log does
    /// not tell it. The first row, `types`, only shows the types, so that DuckDB and Polars need no
    /// schema (see --no-types). Each log is read, written and forgotten before the next, so that
    /// memory stays flat over any number of logs. A log that cannot be read is a row with a status,
    /// not an error.
    ///
    /// Exit status: 0 the rows were written; 2 the rows were not written, or not all.
    #[command(after_help = "Examples:\n  \
        amdtriage rows logs/*.gz > rows.ndjson\n  \
        tar -c logs | amdtriage rows -o rows.ndjson\n  \
        duckdb -c \"SELECT diagnosis, count(*) FROM 'rows.ndjson' WHERE row='incident' GROUP BY ALL\"")]
    Rows(RowArguments),
    /// Explain a name, or a line of a log
    ///
    /// A name is an event kind (page-fault), a message (mes-no-response-named), a signature
    /// (gfx11-mes-hang), a piece of advice (fw-update), or a finding of check (gpu-tasks-stuck). An
    /// argument with blanks is a line of a log: the explanation gives its meaning, its values, the
    /// place in the kernel's source, and the signatures that use it. Several lines are read as one
    /// log. Without arguments, or with `-`, lines are read from standard input.
    ///
    /// Exit status: 0 everything was explained; 2 a name is unknown, or no line could be explained.
    #[command(after_help = "Examples:\n  \
        amdtriage explain page-fault\n  \
        amdtriage explain gfx11-mes-hang fw-update\n  \
        amdtriage explain 'amdgpu 0000:03:00.0: amdgpu: GPU reset begin!'\n  \
        dmesg | tail -n 20 | amdtriage explain")]
    Explain(ExplainArguments),
    /// Check this machine's GPU health now
    ///
    /// Reads /proc and /sys and reports: tasks stuck on a GPU; driver, link, power state and
    /// firmware of each GPU; crash dumps that will soon be deleted; parameters in force and those
    /// requested; kernels and firmware with known faults; mixed drivers; whether logs survive a
    /// reboot. It also reads the log of this boot, as amdtriage without a command does. Changes
    /// nothing, wakes no sleeping GPU, and gives up on a file that does not answer within two
    /// seconds. Reports what it has no permission to read.
    ///
    /// Exit status: 0 nothing wrong was found; 1 a failure was found (see --fail-on), also one in
    /// the log that is over; 2 too little could be read. With --short or --exit, the exit status is
    /// that of a monitoring plugin.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage check\n  \
        sudo amdtriage check --save-coredumps .\n  \
        amdtriage check --root sosreport-host-2026-11-20\n  \
        amdtriage check --short              for Nagios, Icinga, Checkmk\n  \
        amdtriage check --short --exit npd   for node-problem-detector\n  \
        amdtriage check --format prometheus --output /var/lib/prometheus/node-exporter/amdtriage.prom")]
    Check(CheckArguments),
    /// Decode a value from a log: a register, an error code, a mask
    ///
    /// Exit status: 0 the value was decoded; 2 nothing is known about the value.
    Decode(DecodeArguments),
    /// Watch a log and report GPU failures live
    ///
    /// Follows standard input if it is not a terminal, else this machine: the journal, or the
    /// kernel ring buffer. A file is followed as it grows, also through log rotation; a journal
    /// file or a directory of them is followed as journalctl does. Lines that exist at the start
    /// are read to learn about the machine, but only new ones are reported (see --from-start).
    ///
    /// Events are shown at once. An incident is shown as soon as it is identified, again if that
    /// changes, and in full once it is over. A reset that does not finish within 60 s is reported
    /// as such.
    ///
    /// Exit status: 0 no failure was reported; 1 a failure was reported; 2 the log could not be
    /// followed. The command ends with its input, or with Ctrl+C.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage follow                        this machine\n  \
        ssh box dmesg -w | amdtriage follow          another machine\n  \
        amdtriage follow /var/log/kern.log           a file, through log rotation\n  \
        amdtriage follow --quiet --exec 'notify-send -u critical GPU'\n  \
        amdtriage follow --format ndjson --cursor-file /var/lib/amdtriage/cursor --this-machine\n  \
        amdtriage follow --print-unit | sudo tee /etc/systemd/system/amdtriage.service")]
    Follow(FollowArguments),
    /// Run a command and report GPU failures during its run
    ///
    /// The command keeps the terminal, its signals and its exit status. Afterwards, amdtriage
    /// reports what the kernel logged from the start of the command until shortly after its end,
    /// and whether the log names one of its processes. The report goes to standard error, or to a
    /// file.
    ///
    /// Exit status: that of the command (128 plus the signal number if a signal ended it); 126 the
    /// command could not be run; 127 the command was not found. With --gate: 1 the command
    /// succeeded but a GPU failed; 2 the log could not be read. With --retry-safe: 75 the command
    /// failed, a GPU failed, and all GPUs are usable again.
    #[command(after_help = "Examples:\n  \
        amdtriage run -- python3 train.py\n  \
        amdtriage run --gate -- ./run-tests     for CI: fail if a GPU failed\n  \
        amdtriage run --format json -o gpu.json -- make check\n  \
        amdtriage run --retry-safe -- ./job || [ $? -ne 75 ] || ./job")]
    Run(RunArguments),
    /// Create a bug report archive
    ///
    /// The archive contains the report, formatted for the tracker; the kernel log of the boots
    /// concerned; the diagnosis as HTML and JSON; facts about this machine; and a list with the
    /// origin of each file, or the reason why it is missing. Private data (names of hosts, users
    /// and networks, addresses, serial numbers, keys and more) is replaced by tokens such as
    /// <host-1>. If a second search finds any of it left, nothing is written. Nothing is sent
    /// anywhere.
    ///
    /// With FILE, the archive is made from these logs alone.
    ///
    /// Exit status: 0 the archive was written; 2 no archive was written, or a log could not be read
    /// in full.
    #[command(after_help = "Examples:\n  \
        sudo amdtriage report                       after a crash; includes the previous boot\n  \
        amdtriage report --dry-run                  list what the archive would contain\n  \
        amdtriage report dmesg.txt -o report.tar.gz from a saved log\n  \
        amdtriage report --stdout --for rocm dmesg.txt | less")]
    Report(BundleArguments),
    /// Remove private data from a log
    ///
    /// Names of machines and people, addresses, serial numbers, identifiers of disks, machines and
    /// boots, names of networks, volumes, files and devices, passwords and keys are replaced by
    /// tokens such as <host-1>, also where they are encoded. Equal values get equal tokens. What a
    /// diagnosis needs is kept: PCI addresses, registers, kernel addresses, firmware versions,
    /// times. Lines are otherwise unchanged, and amdtriage reads the result as it reads the
    /// original.
    ///
    /// The result is searched again before it is written. If private data is left, nothing is
    /// written, and its kind and line are reported. Review the result before you share it.
    ///
    /// Exit status: 0 the log was written; 2 nothing was written. With --check: 0 no private data
    /// was found; 1 private data was found; 2 the log could not be read.
    #[command(after_help = "Examples:\n  \
        journalctl -k -b | amdtriage redact > dmesg.txt\n  \
        amdtriage redact -o public.log --map private.map kern.log\n  \
        amdtriage redact --check dmesg.txt")]
    Redact(RedactArguments),
    /// Compare a good boot with a bad one
    ///
    /// Finds what changed when an update broke a machine: kernel, driver, firmware, kernel
    /// parameters, GPUs, failures and messages. Lines are compared by meaning; times, processes and
    /// addresses do not count. The report says what a log cannot show because it ends early, has
    /// gaps or was filtered. A difference is not called the cause.
    ///
    /// GOOD and BAD are files, journals, directories, archives (also those of amdtriage report), or
    /// `-`. With one of them, two of its boots are compared; with none, two boots of this machine's
    /// journal.
    ///
    /// Exit status: 0 BAD has no failure that GOOD does not have; 1 BAD has such a failure, or a
    /// GPU is gone; 2 the logs could not be compared.
    #[command(after_help = "Examples:\n  \
        amdtriage diff old.log new.log               two logs\n  \
        amdtriage diff good.tar.gz bad.tar.gz        two archives\n  \
        amdtriage diff kern.log --good -2 --bad 0    two boots of one log\n  \
        sudo amdtriage diff --good -1 --bad 0        this machine, the boot before and this one\n  \
        amdtriage diff --format markdown -o regression.md old.log new.log")]
    Diff(DiffArguments),
    /// List, test and debug pattern files
    ///
    /// Pattern files are the knowledge of amdtriage: messages, signatures, advice and more. Those
    /// that are built in can be extended by files of your own.
    ///
    /// Exit status: 0 the command succeeded; 1 test or lint found a mistake; 2 pattern files or
    /// logs could not be read.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns list\n  \
        amdtriage patterns explain vram-lost dmesg.txt\n  \
        amdtriage patterns test mine\n  \
        amdtriage patterns lint mine")]
    #[command(subcommand)]
    Patterns(PatternCommand),
    /// Print the JSON Schema of an output format
    ///
    /// Exit status: 0 the schema was written; 2 the schema was not written.
    #[command(after_help = "Examples:\n  \
        amdtriage schema > report.schema.json\n  \
        amdtriage schema records")]
    Schema(SchemaArguments),
    /// Generate shell completions
    ///
    /// Exit status: 0 the completions were written; 2 the completions were not written.
    #[command(after_help = "Examples:\n  \
        amdtriage completions bash > ~/.local/share/bash-completion/completions/amdtriage\n  \
        amdtriage completions zsh > ~/.zfunc/_amdtriage\n  \
        amdtriage completions fish > ~/.config/fish/completions/amdtriage.fish\n\n\
        zsh reads ~/.zfunc if ~/.zshrc has fpath+=(~/.zfunc) before compinit.")]
    Completions(CompletionArguments),
    /// Print the manual page, or write all of them to a directory
    ///
    /// Exit status: 0 the pages were written; 2 the pages were not written.
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

    /// Where they go.
    #[command(flatten)]
    pub file: FileArguments,
}

/// Arguments of man pages.
#[derive(Debug, Args)]
pub(crate) struct ManArguments {
    /// Write the pages of all commands and of pattern files to a directory
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub dir: Option<PathBuf>,

    /// Where the page goes.
    #[command(flatten)]
    pub file: FileArguments,
}
