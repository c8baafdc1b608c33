//! Decides what the absence of something in a log proves.

use super::Side;
use crate::record::Stamp;
use crate::value::Micros;

/// Why the absence of a line in this log proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Doubt {
    /// The log was filtered: nearly every line names the driver.
    Filtered,
    /// The log itself reports missing lines.
    Holes,
    /// The log does not contain the start of the boot.
    StartsLate,
    /// The log was not read to its end.
    Stopped,
    /// The log has more events than the limit.
    Forgotten,
    /// The log has more incidents than the limit.
    Undiagnosed,
    /// Its lines have no times.
    Timeless,
}

/// What it proves if a log contains no such event around one time of its boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Silence {
    /// The log is complete and continues past that time: the event did not occur.
    Proves,
    /// Lines of the log are missing, filtered or unread, at unknown times.
    Gaps,
    /// The log begins after that time.
    BeginsLater,
    /// The log ends before that time.
    EndsBefore,
    /// The logs have no clock in common.
    Untimed,
}

/// How much of a boot a log covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The time from the first record to the last.
    pub lasts: Option<Micros>,
    /// The time from the start of the kernel to the first record.
    pub begins: Option<Micros>,
    /// The time from the start of the kernel to the last record.
    pub ends: Option<Micros>,
    /// Why events of the boot may be missing.
    pub doubts: Vec<Doubt>,
}

impl Extent {
    pub(super) fn of(side: Side<'_>) -> Self {
        let Side { log, conclusions, boot, .. } = side;
        let known = side.known();
        let from_start = known.is_some_and(|known| known.from_start);
        let lasts = known.and_then(|known| known.first.elapsed(&known.last));
        let begins = known.and_then(|known| since_boot(side, &known.first));
        let ends = known.and_then(|known| since_boot(side, &known.last));
        let doubts = [
            (Doubt::Filtered, log.filtered),
            (Doubt::StartsLate, !from_start),
            (Doubt::Holes, log.dropped_events == 0 && log.has_holes(boot)),
            (Doubt::Stopped, log.reading.stopped.is_some()),
            (Doubt::Forgotten, log.dropped_events > 0),
            (Doubt::Undiagnosed, conclusions.left_out > 0),
            (Doubt::Timeless, lasts.is_none()),
        ];
        let doubts = doubts.into_iter().filter(|(_, holds)| *holds).map(|(doubt, _)| doubt);
        Self { lasts, begins, ends, doubts: doubts.collect() }
    }

    /// What it proves that this log lacks an event that the other one has at the time `at` since
    /// boot.
    pub(crate) fn silence(&self, at: Option<Micros>) -> Silence {
        match (at, self.begins, self.ends) {
            (Some(at), Some(begins), _) if at < begins => Silence::BeginsLater,
            (Some(at), _, Some(ends)) if at > ends => Silence::EndsBefore,
            _ if self.has_gaps() => Silence::Gaps,
            (Some(_), Some(_), Some(_)) => Silence::Proves,
            _ => Silence::Untimed,
        }
    }

    /// Whether it contains the start of the boot.
    pub(crate) fn is_from_start(&self) -> bool {
        !self.doubts.contains(&Doubt::StartsLate)
    }

    /// Whether records may be missing at any time.
    fn has_gaps(&self) -> bool {
        self.doubts.iter().any(|doubt| match doubt {
            Doubt::Filtered
            | Doubt::Holes
            | Doubt::Stopped
            | Doubt::Forgotten
            | Doubt::Undiagnosed => true,
            Doubt::StartsLate | Doubt::Timeless => false,
        })
    }

    /// Whether its counts are comparable with another log's.
    pub(crate) fn is_whole(&self) -> bool {
        self.doubts.is_empty()
    }
}

/// The time from the start of the kernel to a record. In a log without the kernel's clock it is
/// counted from the kernel's first line.
pub(super) fn since_boot(side: Side<'_>, stamp: &Stamp) -> Option<Micros> {
    let known = side.known()?;
    stamp.monotonic.or_else(|| known.first.elapsed(stamp).filter(|_| known.from_start))
}
