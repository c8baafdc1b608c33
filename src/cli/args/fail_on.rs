//! Arguments for the findings that make a run fail.

use clap::ValueEnum;

use crate::diagnosis::verdict::Verdict;

/// What makes the exit status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailOn {
    /// A GPU failure
    Failure,
    /// Also a warning
    Warning,
    /// Nothing
    Never,
}

impl FailOn {
    /// Whether a log with this verdict makes the run fail.
    pub(crate) const fn fails(self, verdict: Verdict) -> bool {
        match verdict {
            Verdict::Failure => matches!(self, Self::Failure | Self::Warning),
            Verdict::Warning => matches!(self, Self::Warning),
            Verdict::NoKernelLog | Verdict::Clean | Verdict::Incomplete => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_fails_for_its_verdicts() {
        let all = [
            Verdict::NoKernelLog,
            Verdict::Clean,
            Verdict::Incomplete,
            Verdict::Warning,
            Verdict::Failure,
        ];
        for (on, want) in [
            (FailOn::Failure, [false, false, false, false, true]),
            (FailOn::Warning, [false, false, false, true, true]),
            (FailOn::Never, [false; 5]),
        ] {
            assert_eq!(all.map(|verdict| on.fails(verdict)), want, "{on:?}");
        }
    }
}
