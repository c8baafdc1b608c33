//! Which kernels have something, known from a number of checked kernel series.

use serde::{Deserialize, Serialize};

use crate::pattern::document::{FromToml, Node, Record, Table, read_record};
use crate::value::KernelVersion;

/// The kernel series that have something. Series between the last checked one without it and the
/// first one with it, and likewise at the end, were not checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    /// The last checked series without it, before it was added.
    pub absent: Option<KernelVersion>,
    /// The first checked series that has it.
    pub since: Option<KernelVersion>,
    /// The last checked series with it.
    pub until: Option<KernelVersion>,
    /// The first checked series without it, after it was removed.
    pub gone: Option<KernelVersion>,
}

impl Span {
    /// Whether `kernel` has it; `None` if that was not checked, or if the kernel is unknown and
    /// kernels differ.
    pub(crate) fn holds(&self, kernel: Option<KernelVersion>) -> Option<bool> {
        let Some(kernel) = kernel.map(series) else {
            return (self.absent.is_none() && self.until.is_none()).then_some(true);
        };
        if self.absent.is_some_and(|absent| kernel <= absent)
            || self.gone.is_some_and(|gone| kernel >= gone)
        {
            return Some(false);
        }
        let looked_at = self.since.is_none_or(|since| kernel >= since)
            && self.until.is_none_or(|until| kernel <= until);
        looked_at.then_some(true)
    }

    /// Whether some kernel is in both spans.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let ends_before = |a: &Self, b: &Self| match (a.until, b.since) {
            (Some(until), Some(since)) => until < since,
            _ => false,
        };
        !ends_before(self, other) && !ends_before(other, self)
    }

    /// In words: `6.16 and later`, `5.10 to 6.15`; `None` if every checked kernel has it.
    pub(crate) fn words(&self) -> Option<String> {
        let since = self.since.filter(|_| self.absent.is_some());
        Some(match (since, self.until) {
            (None, None) => return None,
            (Some(since), None) => format!("{} and later", series_name(since)),
            (None, Some(until)) => format!("up to {}", series_name(until)),
            (Some(since), Some(until)) if since == until => series_name(since),
            (Some(since), Some(until)) => {
                format!("{} to {}", series_name(since), series_name(until))
            }
        })
    }
}

/// Reads `since`, `until`, `absent` and `gone`; missing ones follow from the checked series.
impl Record for Span {
    fn from_table(table: &Table<'_>) -> Self {
        let checked = table.sources.checked.borrow();
        let version = |key| table.field::<Option<KernelVersion>>(key).flatten().map(series);
        let (since, until) = (version("since"), version("until"));
        let (absent, gone) = (version("absent"), version("gone"));
        let before = |since| checked.iter().rev().find(|series| **series < since).copied();
        let after = |until| checked.iter().find(|series| **series > until).copied();
        let span = Self {
            absent: absent.or_else(|| since.and_then(before)),
            since: since.or_else(|| checked.first().copied()),
            until,
            gone: gone.or_else(|| until.and_then(after)),
        };
        if span.absent >= span.since && span.absent.is_some() {
            table.mistake("`absent` must be older than `since`");
        }
        if span.until.is_some() && span.until < span.since {
            table.mistake("`until` is older than `since`");
        }
        if gone.is_some() && span.gone <= span.until {
            table.mistake("`gone` must be newer than `until`");
        }
        span
    }
}

impl FromToml for Span {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        read_record(node)
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

/// A series in its usual form: 6.8, not 6.8.0.
fn series_name(kernel: KernelVersion) -> String {
    let text = kernel.to_string();
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

/// The series of a release: 6.8 for 6.8.12.
fn series(kernel: KernelVersion) -> KernelVersion {
    let text = kernel.to_string();
    let series = text.rsplit_once('.').and_then(|(series, _)| series.parse().ok());
    series.unwrap_or(kernel)
}

/// Reads `checked`, the kernel series in which the following spans were determined.
pub(super) fn read_checked(table: &Table<'_>) {
    let found: Vec<KernelVersion> = table.field("checked").unwrap_or_default();
    let mut found: Vec<KernelVersion> = found.into_iter().map(series).collect();
    if !found.is_empty() {
        found.sort_unstable();
        found.dedup();
        table.sources.checked.replace(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_between_checked_kernels_is_not_known() {
        let v = |text: &str| text.parse::<KernelVersion>().ok();
        let span = Span { absent: v("4.16"), since: v("5.4"), until: v("6.19"), gone: v("7.2") };
        for (kernel, holds) in [
            ("4.15", Some(false)),
            ("4.16.3", Some(false)),
            ("4.19", None),
            ("5.4.300", Some(true)),
            ("6.19.12", Some(true)),
            ("7.0.1", None),
            ("7.2.13", Some(false)),
        ] {
            assert_eq!(span.holds(v(kernel)), holds, "{kernel}");
        }
        assert_eq!(span.holds(None), None);
        let still = Span { since: v("4.16"), ..Span::default() };
        assert_eq!(still.holds(None), Some(true));
        assert_eq!(still.holds(v("4.4")), None);
    }
}
