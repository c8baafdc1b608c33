//! Arguments for `patterns`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::known::signatures;
use super::output::{AnswerFormat, DraftFormat, ListFormat, PageFormat};
use super::{
    AnswerArguments, INPUT, Inputs, PartArguments, PatternArguments, QuietArguments, SHOW,
};

/// What to do with pattern files.
#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub(crate) enum PatternCommand {
    /// List signatures, advice, event kinds, or everything
    ///
    /// Exit status: 0 the list was written; 2 a pattern file could not be loaded.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns list\n  \
        amdtriage patterns list kinds\n  \
        amdtriage patterns list --patterns mine --format ndjson")]
    List(PatternListArguments),
    /// Explain step by step why a signature matches a log, or does not
    ///
    /// For each incident (for a signature of scope boot, each boot and GPU): the lines that match
    /// each step, or what a step lacks; what must not follow, and whether it did; then the
    /// certainty, whether another signature suppresses this one, its rank among the diagnoses, and
    /// the actions left out.
    ///
    /// Exit status: 0 the question was answered, either way; 2 it could not be answered.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns explain reset-never-completed dmesg.txt\n  \
        amdtriage patterns explain own-hang --patterns mine kern.log\n  \
        amdtriage patterns explain vram-lost --format json dmesg.txt")]
    Explain(WhyArguments),
    /// Run the fixtures of pattern files
    ///
    /// A fixture is a .log file with a header that states the expected diagnosis and the reason for
    /// the fixture. Each is diagnosed with the built-in patterns and the .toml files of the
    /// directories, and the result is compared with the header. Without DIR, runs the fixtures in
    /// ~/.config/amdtriage/patterns.
    ///
    /// Exit status: 0 all fixtures pass; 1 some fail; 2 a file could not be read or loaded.
    #[command(after_help = "A fixture, mine/own-hang/hit-plain.log:\n  \
        # kernel: 6.8\n  \
        # gpu: gfx1100\n  \
        # says: own-hang\n  \
        # why: the shortest log of it\n\n  \
        [  100.000000] amdgpu 0000:03:00.0: amdgpu: ...\n\n\
        Examples:\n  \
        amdtriage patterns test mine")]
    Test(TestArguments),
    /// Find mistakes in pattern files that load
    ///
    /// Reports steps that can never match, signatures that suppress each other, unused advice,
    /// texts that name what need not exist, missing references and missing fixtures. An error
    /// cannot be intended; a warning may be. Without DIR, checks the built-in patterns, without
    /// fixtures.
    ///
    /// Exit status: 0 nothing was found; 1 something was found; 2 a file could not be read or
    /// loaded.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns lint mine\n  \
        amdtriage patterns lint --format ndjson mine")]
    Lint(LintArguments),
    /// Compare the message catalogue with a kernel tree
    ///
    /// Lists warnings and errors that amdgpu, TTM, the GPU scheduler and the DRM core can print and
    /// no message matches; messages that this kernel does not print; messages that are not marked
    /// as shared although other parts of the kernel print the same words; source references that
    /// are wrong; and the share of warnings that the catalogue covers. The source is read, not
    /// compiled. With --format toml, each warning without a message becomes a `[[message]]` of a
    /// pattern file, with TODO where its author has to decide.
    ///
    /// Exit status: 0 the comparison was made; 2 the kernel tree could not be read.
    #[command(after_help = "Examples:\n  \
        amdtriage patterns coverage --kernel linux-6.12\n  \
        amdtriage patterns coverage --kernel linux-6.12 --format ndjson -o coverage.ndjson\n  \
        amdtriage patterns coverage --kernel linux-6.12 --format toml -o mine.toml")]
    Coverage(CoverageArguments),
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Listed {
    /// What can go wrong
    Signatures,
    /// What to do about it
    Advice,
    /// Event kinds, which messages become and signatures look for
    Kinds,
    /// All of these
    All,
}

/// Arguments of the lists.
#[derive(Debug, Args)]
pub(crate) struct PatternListArguments {
    /// What to list [default: all, or signatures with --format ndjson]
    #[arg(value_enum, value_name = "WHAT")]
    pub what: Option<Listed>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Print names only
    #[arg(short, long, conflicts_with = "format", help_heading = SHOW)]
    pub quiet: bool,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<ListFormat>,
}

/// Arguments of the question why a signature matches.
#[derive(Debug, Args)]
pub(crate) struct WhyArguments {
    /// The signature
    #[arg(value_name = "ID", value_parser = signatures(), hide_possible_values = true)]
    pub id: String,

    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which part of the log to explain.
    #[command(flatten)]
    pub part: PartArguments,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<AnswerFormat>,
}

/// Arguments of the run of fixtures.
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// Directories with pattern files and fixtures
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<PageFormat>,
}

/// Arguments of the search for mistakes.
#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// Directories with pattern files and fixtures
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    pub folders: Vec<PathBuf>,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<ListFormat>,
}

/// Arguments of the comparison with a kernel.
#[derive(Debug, Args)]
pub(crate) struct CoverageArguments {
    /// The root of a kernel source tree
    #[arg(long, value_name = "DIR", value_hint = clap::ValueHint::DirPath, help_heading = INPUT)]
    pub kernel: PathBuf,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<DraftFormat>,
}
