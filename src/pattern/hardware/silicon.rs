//! A GPU's graphics core, as far as it is known, and patterns for it: `gfx1100`, `gfx115*`,
//! `gfx11`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::pattern::document::{FromToml, Node};
use crate::pattern::glob::Glob;
use crate::pattern::reading::parsed;
use crate::pattern::source::Noun;
use crate::value::{GfxGeneration, GfxTarget};

/// A GPU's graphics core, as far as it is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Silicon<'c> {
    /// Nothing.
    #[default]
    Unknown,
    /// The generation, as in `gfx_v11_0`.
    Generation(GfxGeneration),
    /// The exact target.
    Target(GfxTarget),
    /// One of these targets: a PCI id that several chips share.
    OneOf(&'c [GfxTarget]),
}

impl From<GfxTarget> for Silicon<'_> {
    fn from(target: GfxTarget) -> Self {
        Self::Target(target)
    }
}

impl From<GfxGeneration> for Silicon<'_> {
    fn from(generation: GfxGeneration) -> Self {
        Self::Generation(generation)
    }
}

/// Whether a pattern matches a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// It does.
    Yes,
    /// The chip is not known well enough.
    Perhaps,
    /// It does not.
    No,
}

/// A gfx target, or all targets with a prefix: `gfx1100`, `gfx115*`, `gfx11*`. `gfx11` is a chip
/// whose generation alone is known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct GfxPattern {
    glob: Glob,
    generation: GfxGeneration,
}

/// The text is not a pattern for gfx targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a gfx target or pattern, which look like gfx1100, gfx115* or gfx11")]
pub(crate) struct NotAGfxPattern;

impl GfxPattern {
    /// The generation of all its targets.
    pub(crate) const fn generation(&self) -> GfxGeneration {
        self.generation
    }

    /// Whether the pattern matches a chip.
    pub(crate) fn fit(&self, silicon: Silicon<'_>) -> Fit {
        match silicon {
            Silicon::Generation(generation) if generation != self.generation => Fit::No,
            Silicon::Generation(generation) if self.glob.matches(&generation.to_string()) => {
                Fit::Yes
            }
            Silicon::Unknown | Silicon::Generation(_) => Fit::Perhaps,
            Silicon::Target(target) => self.fit(Silicon::OneOf(&[target])),
            Silicon::OneOf(targets) => {
                match targets.iter().filter(|target| self.holds(**target)).count() {
                    0 => Fit::No,
                    all if all == targets.len() => Fit::Yes,
                    _ => Fit::Perhaps,
                }
            }
        }
    }

    /// Whether some chip matches both patterns.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.glob.matches(other.glob.text()) || other.glob.matches(self.glob.text())
    }

    /// Whether the target matches the pattern.
    pub(crate) fn holds(&self, target: GfxTarget) -> bool {
        self.glob.matches(&target.to_string())
    }
}

/// The number of digits of the generation: one for 6 to 9, two for later ones.
fn major_digits(digits: &str) -> usize {
    if digits.starts_with(['6', '7', '8', '9']) { 1 } else { 2 }
}

/// The best fit of `patterns`; an empty list fits all chips.
pub(in crate::pattern) fn best_fit(patterns: &[GfxPattern], silicon: Silicon<'_>) -> Fit {
    let fits = || patterns.iter().map(|pattern| pattern.fit(silicon));
    if patterns.is_empty() || fits().any(|fit| fit == Fit::Yes) {
        Fit::Yes
    } else if fits().any(|fit| fit == Fit::Perhaps) {
        Fit::Perhaps
    } else {
        Fit::No
    }
}

/// Whether any of `patterns` may match `silicon`.
pub(super) fn may_hold(patterns: &[GfxPattern], silicon: Silicon<'_>) -> bool {
    patterns.iter().any(|pattern| pattern.fit(silicon) != Fit::No)
}

impl FromStr for GfxPattern {
    type Err = NotAGfxPattern;

    fn from_str(text: &str) -> Result<Self, NotAGfxPattern> {
        let digits = text.strip_prefix("gfx").ok_or(NotAGfxPattern)?;
        let (digits, star) = digits.strip_suffix('*').map_or((digits, false), |d| (d, true));
        if !digits.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'a'..=b'f')) {
            return Err(NotAGfxPattern);
        }
        let major = digits.get(..major_digits(digits)).ok_or(NotAGfxPattern)?;
        let generation = GfxGeneration(major.parse().map_err(|_| NotAGfxPattern)?);
        let minor_digits = digits.len() - major.len();
        // A complete target has two digits after the generation.
        if minor_digits > 2 || (!star && minor_digits == 1) || (star && minor_digits == 2) {
            return Err(NotAGfxPattern);
        }
        Ok(Self { glob: Glob::new(text), generation })
    }
}

impl fmt::Display for GfxPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.glob.text())
    }
}

impl FromToml for GfxPattern {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let pattern: Self = parsed(node)?;
        node.uses(Noun::Chip, pattern.glob.text());
        Some(pattern)
    }

    fn placeholder() -> Self {
        Self { glob: Glob::new("gfx*"), generation: GfxGeneration(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_holds_for_what_begins_like_it() {
        let target = |text: &str| Silicon::Target(text.parse().unwrap());
        let generation = |n| Silicon::Generation(GfxGeneration(n));
        for (pattern, silicon, fit) in [
            ("gfx1100", target("gfx1100"), Fit::Yes),
            ("gfx1100", target("gfx1101"), Fit::No),
            ("gfx1100", generation(11), Fit::Perhaps),
            ("gfx1100", generation(10), Fit::No),
            ("gfx11*", target("gfx1151"), Fit::Yes),
            ("gfx11", generation(11), Fit::Yes),
            ("gfx115*", generation(11), Fit::Perhaps),
            ("gfx115*", target("gfx1103"), Fit::No),
            ("gfx9*", target("gfx90c"), Fit::Yes),
            ("gfx9*", target("gfx950"), Fit::Yes),
            ("gfx9*", target("gfx1010"), Fit::No),
            ("gfx9*", Silicon::Unknown, Fit::Perhaps),
        ] {
            assert_eq!(pattern.parse::<GfxPattern>().unwrap().fit(silicon), fit, "{pattern}");
        }
    }

    #[test]
    fn one_of_several_targets_fits_only_if_all_do() {
        let targets = ["gfx902".parse().unwrap(), "gfx909".parse().unwrap()];
        for (pattern, fit) in [("gfx902", Fit::Perhaps), ("gfx90*", Fit::Yes), ("gfx10*", Fit::No)]
        {
            let pattern: GfxPattern = pattern.parse().unwrap();
            assert_eq!(pattern.fit(Silicon::OneOf(&targets)), fit, "{pattern}");
        }
    }

    #[test]
    fn patterns_read_what_they_print() {
        for good in ["gfx1100", "gfx115*", "gfx11*", "gfx90c", "gfx9*"] {
            assert_eq!(good.parse::<GfxPattern>().unwrap().to_string(), good);
        }
        for bad in
            ["gfx", "gfx*", "gfx1*", "gfx1100*", "gfx110", "gfx11000", "11*", "gfx1é", "gfxa*"]
        {
            assert_eq!(bad.parse::<GfxPattern>(), Err(NotAGfxPattern), "{bad}");
        }
    }
}
