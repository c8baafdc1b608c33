//! What a person types. Help, man page and completions come from here and from nowhere else.

use std::path::PathBuf;
use std::str::FromStr;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::decode::Kind;
use crate::pattern::hardware::Silicon;
use crate::record::Family;
use crate::value::{GfxGeneration, GfxTarget, Hub, KernelVersion, NotAGfxTarget};

/// Says what happened to the AMD GPU, from the kernel's log
///
/// Reads logs of any origin (dmesg, journalctl, syslog, text pasted into a bug report) and says what
/// broke first, what the driver did about it, whether the GPU survived, how sure that is, which lines
/// prove it, and what to do next. Without FILE it reads what comes through a pipe, or else this
/// machine's current boot.
///
/// Exit status: 0 nothing wrong found, 1 a failure was diagnosed, 2 the job could not be done.
#[derive(Debug, Parser)]
#[command(
    name = "amdtriage",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:\n  \
        sudo amdtriage                     this machine's current boot\n  \
        dmesg | amdtriage                  the same, through a pipe\n  \
        journalctl -k -b -1 | amdtriage    the last boot's, after a hard hang\n  \
        amdtriage kern.log report.txt      saved logs, one report each\n  \
        amdtriage sosreport.tar.xz         all kernel logs in an archive\n  \
        amdtriage --format json dmesg.txt  for programs"
)]
pub struct Arguments {
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
pub struct ReportArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, value_enum, default_value_t = Format::Human, value_name = "FORMAT")]
    pub format: Format,

    /// Include every typed event in JSON
    #[arg(long)]
    pub events: bool,

    /// Show harmless notices, too
    #[arg(long)]
    pub all: bool,

    /// One line an input
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Reasons for the certainty, all actions, references
    #[arg(short, long)]
    pub verbose: bool,

    /// Colour the report
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
}

/// Where to read, and with which knowledge.
#[derive(Debug, Args)]
pub struct Inputs {
    /// Logs, journal files, archives or folders of them; `-` is standard input
    ///
    /// Each may be packed with gzip, zstd, xz or bzip2, and stand in a tar archive. Without any,
    /// standard input is read where it is no terminal, else this machine's current boot: its journal,
    /// or the kernel's ring buffer.
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,

    /// What all inputs are, where their lines do not tell
    ///
    /// Nobody has to say it: each line is read as what it looks like. What is said here holds for all
    /// lines of all inputs but journal files, and what does not fit it is text without a time.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR")]
    pub patterns: Vec<PathBuf>,
}

/// What to do instead of a report.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// List the log as it was read, one record a line
    Records(RecordArguments),
    /// List the typed events, one a line
    Events(ListArguments),
    /// Say what a value out of a log means
    Decode(DecodeArguments),
    /// Print the man page
    Man,
}

/// Arguments of `decode`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
        amdtriage decode GCVM_L2_PROTECTION_FAULT_STATUS:0x00801031\n  \
        amdtriage decode 0x00801031 --gfx gfx1100\n  \
        amdtriage decode 'MISC (WAIT_REG_MEM)'\n  \
        amdtriage decode msg=3\n  \
        amdtriage decode 'Source: 5'\n  \
        amdtriage decode -110\n  \
        amdtriage decode amdgpu.ppfeaturemask=0xffffffff --kernel 6.12\n  \
        amdtriage decode 5 --as reset-source")]
pub struct DecodeArguments {
    /// What stands in the log, with or without what stands before it
    ///
    /// Where the value alone does not say what it is, all that it can be is shown, the likeliest
    /// first. Exit status 2 where nothing is known of it.
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true)]
    pub value: Vec<String>,

    /// The chip: gfx1100, or gfx11 for a whole generation
    #[arg(long, value_name = "TARGET")]
    pub gfx: Option<Gfx>,

    /// The kernel: 6.12
    #[arg(long, value_name = "VERSION")]
    pub kernel: Option<KernelVersion>,

    /// What the value is
    #[arg(long = "as", value_enum, value_name = "KIND")]
    pub kind: Option<Kind>,

    /// The hub of a page fault
    #[arg(long, value_enum, value_name = "HUB")]
    pub hub: Option<HubName>,

    /// The register that stands before a status word
    #[arg(long, value_name = "NAME")]
    pub register: Option<String>,

    /// What to write
    #[arg(long, value_enum, default_value_t = DecodeFormat::Human, value_name = "FORMAT")]
    pub format: DecodeFormat,

    /// Colour the text
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR")]
    pub patterns: Vec<PathBuf>,
}

/// A chip or a generation of chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gfx {
    /// One target.
    Target(GfxTarget),
    /// A whole generation.
    Generation(GfxGeneration),
}

impl FromStr for Gfx {
    type Err = NotAGfxTarget;

    fn from_str(text: &str) -> Result<Self, NotAGfxTarget> {
        let generation =
            |digits: &str| digits.parse().ok().filter(|major| (6..=12).contains(major));
        let digits = text.strip_prefix("gfx").ok_or(NotAGfxTarget)?;
        match generation(digits) {
            Some(major) => Ok(Self::Generation(GfxGeneration(major))),
            None => text.parse().map(Self::Target),
        }
    }
}

impl From<Gfx> for Silicon<'_> {
    fn from(gfx: Gfx) -> Self {
        match gfx {
            Gfx::Target(target) => target.into(),
            Gfx::Generation(generation) => generation.into(),
        }
    }
}

/// A hub by its name in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HubName {
    /// Graphics and compute.
    #[value(name = "gfxhub", alias = "gfxhub0")]
    Gfx,
    /// Video and display.
    #[value(name = "mmhub", aliases = ["mmhub0", "mmhub1"])]
    Mm,
}

impl From<HubName> for Hub {
    fn from(name: HubName) -> Self {
        match name {
            HubName::Gfx => Self::Gfx,
            HubName::Mm => Self::Mm,
        }
    }
}

/// The form in which a value is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DecodeFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, value_enum, default_value_t = ListFormat::Table, value_name = "FORMAT")]
    pub format: ListFormat,
}

/// Arguments of the list of records.
#[derive(Debug, Args)]
pub struct RecordArguments {
    /// Where to read and what to write.
    #[command(flatten)]
    pub list: ListArguments,

    /// Also lines that are no records, and why; what was read
    #[arg(short, long)]
    pub verbose: bool,

    /// Colour the table
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN")]
    pub color: When,
}

/// What an input is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
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
    #[must_use]
    pub const fn family(self) -> Family {
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

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Human,
    /// One JSON document.
    Json,
}

/// The form of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// For people.
    #[value(alias = "human")]
    Table,
    /// One JSON object a line.
    Ndjson,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// On a terminal, unless `NO_COLOR` is set.
    Auto,
    /// In any case.
    Always,
    /// Not at all.
    Never,
}
