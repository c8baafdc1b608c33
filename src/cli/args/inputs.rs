//! Arguments for the logs to read, and their format.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{INPUT, MachineArguments};
use crate::record::FormatFamily;

/// Where to read, and with which knowledge.
#[derive(Debug, Default, Args)]
pub(crate) struct Inputs {
    /// Logs, journal files, archives, or directories of them; `-` is standard input
    ///
    /// Files may be compressed with gzip, zstd, xz or bzip2, and may be in a tar archive. Without
    /// FILE, amdtriage reads standard input if it is not a terminal, else this machine's current
    /// boot: the journal, or the kernel ring buffer. If the previous boot did not end with a
    /// shutdown, or had a failure, it is read as well, with what was saved of its crash (pstore).
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// Which machine's own log.
    #[command(flatten)]
    pub machine: MachineArguments,

    /// In which format.
    #[command(flatten)]
    pub form: InputFormatArguments,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// What was read of standard input to see whether it ends.
    #[arg(skip)]
    pub head: Vec<u8>,
}

impl Inputs {
    /// Everything that is read, which must not be overwritten: files, folders, another machine's
    /// root.
    pub(crate) fn read(&self) -> Vec<PathBuf> {
        self.files.iter().chain(&self.machine.root).chain(&self.more.patterns).cloned().collect()
    }
}

/// More knowledge than what is built in.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct PatternArguments {
    /// Also load the pattern files in a directory (repeatable)
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,
}

/// The format of what is read.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct InputFormatArguments {
    /// Assume this log format for lines that do not show theirs
    ///
    /// Rarely needed: the format is detected line by line. The option applies to all lines of all
    /// inputs except journal files; a line that does not fit the format is text without a time.
    #[arg(long, value_enum, value_name = "FORMAT", help_heading = INPUT)]
    pub input_format: Option<InputFormat>,
}

/// What an input is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InputFormat {
    /// dmesg with any options except -J, /proc/kmsg, a serial console, pstore
    Dmesg,
    /// /dev/kmsg, extended netconsole
    Kmsg,
    /// Short journalctl formats, files of syslog daemons (alias: syslog)
    #[value(alias = "syslog")]
    Journal,
    /// journalctl -o json and its variants, dmesg -J
    Json,
    /// journalctl -o export
    Export,
    /// journalctl -o verbose
    Verbose,
    /// logcat -b kernel
    Logcat,
    /// Bare messages: dmesg -t, journalctl -o cat
    Text,
}

impl InputFormat {
    /// What readers of lines call it.
    pub(crate) const fn family(self) -> FormatFamily {
        match self {
            Self::Dmesg => FormatFamily::Dmesg,
            Self::Kmsg => FormatFamily::Kmsg,
            Self::Journal => FormatFamily::Syslog,
            Self::Json => FormatFamily::Json,
            Self::Export => FormatFamily::Export,
            Self::Verbose => FormatFamily::Verbose,
            Self::Logcat => FormatFamily::Logcat,
            Self::Text => FormatFamily::Text,
        }
    }
}
