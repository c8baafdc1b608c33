//! What a person types who writes pattern files.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Format, INPUT, Inputs, ListFormat, OUTPUT, When};

/// What to do with pattern files.
#[derive(Debug, Subcommand)]
pub(crate) enum PatternCommand {
    /// List the signatures, the advice or the kinds of events
    #[command(after_help = "Examples:\n  \
        amdtriage patterns list\n  \
        amdtriage patterns list kinds\n  \
        amdtriage patterns list --patterns mine --format ndjson")]
    List(PatternListArguments),
    /// Say why a signature does or does not match a log, step by step
    ///
    /// For each incident (or, for a signature of scope boot, for each boot and GPU): the lines that
    /// match each step, or what the step lacks; what must not come and did, did not, or nobody can tell;
    /// then how sure it is, whether another signature silences it, where it stands among the diagnoses,
    /// and which actions are left out. The first reason stands first.
    ///
    /// Exit status: 0 the question was answered, whatever the answer, 2 the job could not be done.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns explain reset-never-completed dmesg.txt\n  \
        amdtriage patterns explain own-hang --patterns mine kern.log\n  \
        amdtriage patterns explain vram-lost --format json dmesg.txt")]
    Explain(WhyArguments),
    /// Run the fixtures of pattern files
    ///
    /// A fixture is a .log file that begins with a header: what must be said of it, and why it is there.
    /// Each is diagnosed with the built-in patterns and the .toml files of the folders, and what is said
    /// is compared with the header. Without DIR these are the files of the configuration folder
    /// (~/.config/amdtriage/patterns).
    ///
    /// Exit status: 0 all fixtures pass, 1 some fail, 2 the job could not be done.
    #[command(after_help = "A fixture, mine/own-hang/hit-plain.log:\n  \
        # kernel: 6.8\n  \
        # gpu: gfx1100\n  \
        # says: own-hang\n  \
        # why: the shortest log of it\n\n  \
        [  100.000000] amdgpu 0000:03:00.0: amdgpu: ...\n\n\
        Examples:\n  \
        amdtriage patterns test mine")]
    Test(TestArguments),
    /// Look for what is wrong with pattern files beyond what keeps them from being loaded
    ///
    /// Steps that can never match, signatures that silence each other, advice that nothing uses, texts
    /// that name what need not be there, missing references and fixtures. Errors are what cannot be
    /// meant; warnings what may be. Without DIR the built-in patterns are looked at, without fixtures.
    ///
    /// Exit status: 0 nothing found, 1 something found, 2 the job could not be done, such as a file that
    /// does not load.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns lint mine\n  \
        amdtriage patterns lint --format ndjson mine")]
    Lint(LintArguments),
    /// Hold the messages against a kernel's source
    ///
    /// Lists what the amdgpu driver, TTM, the GPU scheduler and the DRM core of a kernel can print as a
    /// warning or worse and no message matches, the messages that this kernel does not print, those that
    /// are not marked as shared though other parts of the kernel have their words, the anchors of pattern files
    /// that do not hold, and how many of its warnings are messages. The source is read, not compiled.
    Coverage(CoverageArguments),
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What goes wrong.
    Signatures,
    /// What to do.
    Advice,
    /// The kinds of events that messages become and signatures look for.
    Kinds,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub(crate) struct PatternListArguments {
    /// What to list
    #[arg(value_enum, default_value_t = Listed::Signatures, value_name = "WHAT")]
    pub what: Listed,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// What to write
    #[arg(long, default_value = "table", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Arguments of the question why a signature matches.
#[derive(Debug, Args)]
pub(crate) struct WhyArguments {
    /// The signature
    #[arg(value_name = "ID")]
    pub id: String,

    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// What to write
    #[arg(long, default_value = "human", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: Format,

    /// Colour the page
    #[arg(long, default_value = "auto", value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,
}

/// Arguments of the run of fixtures.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// Folders with pattern files and fixtures
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
}

/// Arguments of the search for mistakes.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// Folders with pattern files and fixtures
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,

    /// What to write
    #[arg(long, default_value = "table", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}

/// Arguments of the comparison with a kernel.
#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    /// The root of a kernel source tree
    #[arg(long, value_name = "DIR")]
    pub kernel: PathBuf,

    /// Add the pattern files of a folder (repeatable)
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub patterns: Vec<PathBuf>,

    /// What to write
    #[arg(long, default_value = "table", value_name = "FORMAT", help_heading = OUTPUT)]
    pub format: ListFormat,
}
