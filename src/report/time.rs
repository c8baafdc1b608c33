//! A moment as machines read it.

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;

use super::clock::Clock;
use crate::record::{Dated, Stamp, Wall};

/// A moment on each clock that the log shows: of the wall clock only what has date and zone.
#[derive(Serialize)]
pub(super) struct Time {
    monotonic_us: Option<i64>,
    wall: Option<String>,
}

impl Time {
    pub(super) fn certain(stamp: &Stamp) -> Self {
        let zoned = stamp.wall.filter(|wall| wall.offset.is_some());
        Self { monotonic_us: stamp.monotonic.map(|time| time.0), wall: zoned.and_then(printed) }
    }
}

/// The moment of a record, with what the log prints without zone and where it comes from.
#[derive(Serialize)]
pub(super) struct RecordTime {
    #[serde(flatten)]
    time: Time,
    /// The time of day as it is printed, without zone.
    local: Option<String>,
    clock: Option<&'static str>,
    year: Option<&'static str>,
}

impl RecordTime {
    pub(super) fn new(stamp: &Stamp, clock: Option<Clock>) -> Self {
        Self {
            time: Time::certain(stamp),
            local: stamp.wall.and_then(local),
            clock: clock.map(Clock::name),
            year: stamp.wall.and_then(|wall| match wall.dated {
                Dated::Printed => Some("printed"),
                Dated::Inferred => Some("inferred"),
                Dated::Unknown => None,
            }),
        }
    }
}

/// The wall clock where the log prints a date, with the zone where it prints one.
pub(super) fn printed(wall: Wall) -> Option<String> {
    if wall.dated != Dated::Printed {
        return None;
    }
    let text = local(wall)?;
    Some(match wall.offset {
        Some(0) => text + "Z",
        offset => {
            let zone = offset.and_then(FixedOffset::east_opt).map(|zone| zone.to_string());
            text + &zone.unwrap_or_default()
        }
    })
}

/// The time of day without zone, with as much of the date as is known: `2026-03-04T18:35:23`,
/// `03-04T18:35:23`, `18:35:23`.
pub(super) fn local(wall: Wall) -> Option<String> {
    let time = DateTime::from_timestamp_micros(wall.local.0)?;
    let text = time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
    let whole = text.trim_end_matches('Z');
    let known = match wall.dated {
        Dated::Printed | Dated::Inferred => whole,
        // A clock without a date counts from the beginning of 1970; a date without a year is 1972's.
        Dated::Unknown if whole.starts_with("1970-01-01T") => whole.split_once('T')?.1,
        Dated::Unknown => whole.split_once('-')?.1,
    };
    Some(known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Micros;

    #[test]
    fn no_more_of_a_date_is_shown_than_is_known() {
        let wall = |seconds: i64, offset, dated| Wall {
            local: Micros(seconds * 1_000_000 + 550_444),
            offset,
            dated,
        };
        for (wall, want, zoned) in [
            (
                wall(1_772_649_323, Some(3600), Dated::Printed),
                "2026-03-04T18:35:23.550444",
                Some("2026-03-04T18:35:23.550444+01:00"),
            ),
            (
                wall(1_772_649_323, Some(0), Dated::Printed),
                "2026-03-04T18:35:23.550444",
                Some("2026-03-04T18:35:23.550444Z"),
            ),
            (wall(1_772_649_323, None, Dated::Inferred), "2026-03-04T18:35:23.550444", None),
            (wall(68_582_123, None, Dated::Unknown), "03-04T18:35:23.550444", None),
            (wall(66_923, None, Dated::Unknown), "18:35:23.550444", None),
        ] {
            assert_eq!(local(wall).as_deref(), Some(want));
            assert_eq!(printed(wall).as_deref(), zoned);
        }
    }
}
