//! Arguments for `decode`.

use std::str::FromStr;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};

use super::known::parameters;
use super::output::AnswerFormat;
use super::{AnswerArguments, INPUT, PatternArguments, SHOW};
use crate::decode::Kind;
use crate::pattern::hardware::Silicon;
use crate::value::{GfxGeneration, GfxTarget, Hub, KernelVersion, NotAGfxTarget};

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
pub(crate) struct DecodeArguments {
    /// A value from a log, with or without the text before it
    ///
    /// If a value can mean several things, all are shown, the most likely first.
    #[arg(value_name = "VALUE", required = true, allow_negative_numbers = true)]
    #[arg(value_parser = parameters(), hide_possible_values = true)]
    pub value: Vec<String>,

    /// The chip (gfx1100) or the generation (gfx11)
    #[arg(long, value_name = "TARGET", help_heading = INPUT)]
    pub gfx: Option<Gfx>,

    /// The kernel version: 6.12
    #[arg(long, value_name = "VERSION", help_heading = INPUT)]
    pub kernel: Option<KernelVersion>,

    /// What the value is
    #[arg(long = "as", value_enum, value_name = "KIND", help_heading = INPUT)]
    pub kind: Option<Kind>,

    /// The hub of a page fault
    #[arg(long, value_enum, value_name = "HUB", help_heading = INPUT)]
    pub hub: Option<HubName>,

    /// The register whose status this is
    #[arg(long, value_name = "NAME", help_heading = INPUT)]
    pub register: Option<String>,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// Print the first line of each answer
    #[arg(short, long, conflicts_with = "format", help_heading = SHOW)]
    pub quiet: bool,

    /// In which form, where to, and how it looks.
    #[command(flatten)]
    pub answer: AnswerArguments<AnswerFormat>,
}

/// A chip or a generation of chips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gfx {
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
pub(crate) enum HubName {
    /// Graphics and compute
    #[value(name = "gfxhub", alias = "gfxhub0")]
    Gfx,
    /// Video and display
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

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        Self::ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.name()).help(self.about()))
    }
}
