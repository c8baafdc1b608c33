//! A moment as machines read it.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;

use crate::record::{Dated, Stamp};

/// A moment on each clock that the log shows.
#[derive(Serialize)]
pub(super) struct Time {
    monotonic_us: Option<i64>,
    wall: Option<String>,
}

impl Time {
    /// The moment as it was printed: without a zone where the log has none.
    pub(super) fn printed(stamp: &Stamp) -> Self {
        Self { monotonic_us: stamp.monotonic.map(|time| time.0), wall: wall(stamp) }
    }

    /// The moment where it is one: the wall clock only with date and zone.
    pub(super) fn certain(stamp: &Stamp) -> Self {
        let zoned = stamp.wall.is_some_and(|wall| wall.offset.is_some());
        Self { wall: wall(stamp).filter(|_| zoned), ..Self::printed(stamp) }
    }
}

/// The wall clock where the log prints a date.
pub(super) fn wall(stamp: &Stamp) -> Option<String> {
    let wall = stamp.wall.filter(|wall| wall.dated == Dated::Printed)?;
    let local = DateTime::from_timestamp_micros(wall.local.0)?;
    let text = local.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    Some(match wall.offset {
        Some(0) => text,
        offset => {
            let zone = offset.and_then(FixedOffset::east_opt).map(|zone| zone.to_string());
            format!("{}{}", text.trim_end_matches('Z'), zone.unwrap_or_default())
        }
    })
}
