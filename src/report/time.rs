//! Times in reports.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset, SecondsFormat};
use serde::Serialize;

use crate::document::counts::{any, seconds, span};
use crate::record::clock::Clock;
use crate::record::{Dated, LogFormat, Precision, Record, Stamp, Wall};
use crate::value::Micros;

/// The zone in which times of day are shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Zone {
    /// As the log prints them: the same on every machine.
    #[default]
    AsPrinted,
    Utc,
    /// A zone, given by its offset in seconds at a time in UTC.
    Other(fn(Micros) -> Option<i32>),
}

impl Zone {
    /// The same time in this zone. A time whose zone the log does not show stays unchanged.
    pub(crate) fn of(self, wall: Wall) -> Wall {
        let known = wall.offset.filter(|_| wall.dated == Dated::Printed);
        let east = |seconds: i32| Micros::seconds(i64::from(seconds));
        let Some(utc) = known.map(|offset| wall.local.since(east(offset))) else { return wall };
        let offset = match self {
            Self::AsPrinted => return wall,
            Self::Utc => Some(0),
            Self::Other(zone) => zone(utc),
        };
        let moved = |offset| Wall { local: utc.plus(east(offset)), offset: Some(offset), ..wall };
        offset.map_or(wall, moved)
    }
}

/// The precision of a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fraction {
    /// Seconds.
    None,
    /// Microseconds.
    Micros,
}

impl Fraction {
    /// The precision of a time in the log.
    pub(super) const fn shown_by(wall: Wall) -> Self {
        if wall.local.0 % 1_000_000 == 0 { Self::None } else { Self::Micros }
    }
}

/// The precision of one input's times, in the order of its lines: a time that happens to be a whole
/// second is written like the others.
#[derive(Debug, Default)]
pub(super) struct Fractions {
    /// Formats that occur with and without fractions, and have them in this input.
    seen: BTreeSet<LogFormat>,
}

impl Fractions {
    pub(super) fn of(&mut self, record: &Record<'_>) -> Fraction {
        let always = matches!(
            record.form,
            LogFormat::DmesgIso
                | LogFormat::JournalShortUnix
                | LogFormat::JournalExport
                | LogFormat::JournalJson
                | LogFormat::Logcat
        );
        if always || self.seen.contains(&record.form) {
            return Fraction::Micros;
        }
        let shown = record.stamp.wall.map_or(Fraction::None, Fraction::shown_by);
        if shown == Fraction::Micros {
            self.seen.insert(record.form);
        }
        shown
    }
}

/// A time on each clock of the log; wall-clock time only if date and zone are known.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Time {
    /// Microseconds since the start of the kernel.
    pub(super) monotonic_us: Option<i64>,
    /// The wall-clock time (RFC 3339); null if the log does not print both date and zone.
    #[cfg_attr(test, schemars(extend("format" = "date-time")))]
    pub(super) wall: Option<String>,
}

impl Time {
    pub(super) fn certain(stamp: &Stamp) -> Self {
        Self::new(stamp, stamp.wall.map_or(Fraction::None, Fraction::shown_by))
    }

    fn new(stamp: &Stamp, fraction: Fraction) -> Self {
        let zoned = stamp.wall.filter(|wall| wall.offset.is_some());
        Self {
            monotonic_us: stamp.monotonic.map(|time| time.0),
            wall: zoned.and_then(|wall| printed(wall, fraction)),
        }
    }
}

/// The time of a record, including local time without a zone, and its origin.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct RecordTime {
    #[serde(flatten)]
    time: Time,
    /// The printed local time, without a zone.
    local: Option<String>,
    /// The clock of `monotonic_us`, or else of the wall-clock time; null if it is unknown.
    clock: Option<Clock>,
    /// The origin of the year; null if there is none.
    year: Option<Year>,
}

/// The origin of a year.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum Year {
    /// The log prints it.
    Printed,
    /// Inferred from the file's modification time.
    Inferred,
}

impl RecordTime {
    pub(super) fn new(stamp: &Stamp, clock: Option<Clock>, fraction: Fraction) -> Self {
        Self {
            time: Time::new(stamp, fraction),
            local: stamp.wall.and_then(|wall| local(wall, fraction)),
            clock,
            year: stamp.wall.and_then(|wall| match wall.dated {
                Dated::Printed => Some(Year::Printed),
                Dated::Inferred => Some(Year::Inferred),
                Dated::Unknown => None,
            }),
        }
    }
}

/// A time for people: seconds since boot, else the time of day as the log prints it.
pub(super) fn moment(stamp: &Stamp) -> Option<String> {
    let wall = stamp.wall.or(stamp.anchor);
    let of_day = || wall.and_then(|wall| of_log(wall, Fraction::shown_by(wall)));
    stamp.monotonic.map(|time| time.to_string()).or_else(of_day)
}

/// The same as it was read, with `~` before an inferred year, with this precision of a time of day.
pub(super) fn moment_read(stamp: &Stamp, fraction: Fraction) -> Option<String> {
    let of_day = || {
        let wall = stamp.wall?;
        let mark = if wall.dated == Dated::Inferred { "~" } else { "" };
        printed(wall, fraction).or_else(|| Some(format!("{mark}{}", local(wall, fraction)?)))
    };
    stamp.monotonic.map(|time| time.to_string()).or_else(of_day)
}

/// The time of day without its date.
pub(super) fn time_of_day(stamp: &Stamp) -> Option<String> {
    let wall = stamp.wall.or(stamp.anchor)?;
    let text = to_its_unit(wall, local(wall, Fraction::shown_by(wall))?);
    Some(text.split_once('T').map_or(text.as_str(), |(_, time)| time).to_owned())
}

/// A time without the seconds that the log does not print.
fn to_its_unit(wall: Wall, text: String) -> String {
    match (wall.precision, text.strip_suffix(":00")) {
        (Precision::Minute, Some(minute)) => minute.to_owned(),
        (Precision::Minute | Precision::Second, _) => text,
    }
}

/// A short time: the time of day, else the time since boot.
pub(super) fn in_short(stamp: &Stamp, zone: Zone) -> Option<String> {
    let since_boot = || {
        let time = stamp.monotonic.filter(|time| time.0 >= 0)?;
        Some(format!("{} after boot", span(time)))
    };
    of_day(stamp, zone).or_else(since_boot)
}

/// The start of an incident, for the head of a report: time of day and seconds since boot, as far
/// as known.
pub(super) fn when(stamp: &Stamp, zone: Zone) -> Option<String> {
    let since_boot = stamp
        .monotonic
        .filter(|time| time.0 >= 0)
        .map(|time| format!("{} after boot (at {} s)", span(time), seconds(time)));
    any(of_day(stamp, zone).into_iter().chain(since_boot), ", ")
}

/// The time of day in `zone`, in seconds.
fn of_day(stamp: &Stamp, zone: Zone) -> Option<String> {
    let text = of_log(zone.of(stamp.wall.or(stamp.anchor)?), Fraction::None)?;
    Some(text.replace('T', " "))
}

/// The wall-clock time as the log prints it: without a year that only follows from when the file
/// was saved, which may be years after the failure.
fn of_log(wall: Wall, fraction: Fraction) -> Option<String> {
    let shown = printed(wall, fraction).or_else(|| local(wall, fraction))?;
    let shown = to_its_unit(wall, shown);
    let day = DateTime::from_timestamp_micros(wall.local.0)?.format("%b %-d");
    Some(match (wall.dated, shown.split_once('T')) {
        (Dated::Inferred | Dated::Unknown, Some((_, clock))) => format!("{day} {clock}"),
        (Dated::Printed, _) | (_, None) => shown,
    })
}

/// The wall clock time, if the log prints dates, with the zone if it prints one.
pub(super) fn printed(wall: Wall, fraction: Fraction) -> Option<String> {
    if wall.dated != Dated::Printed {
        return None;
    }
    let text = local(wall, fraction)?;
    Some(match wall.offset {
        Some(0) => text + "Z",
        offset => {
            let zone = offset.and_then(FixedOffset::east_opt).map(|zone| zone.to_string());
            text + &zone.unwrap_or_default()
        }
    })
}

/// The time without zone, with the known part of the date: `2026-03-04T18:35:23`, `03-04T18:35:23`,
/// `18:35:23`.
pub(super) fn local(wall: Wall, fraction: Fraction) -> Option<String> {
    let time = DateTime::from_timestamp_micros(wall.local.0)?;
    let digits = match fraction {
        Fraction::None => SecondsFormat::Secs,
        Fraction::Micros => SecondsFormat::Micros,
    };
    let text = time.to_rfc3339_opts(digits, true);
    let whole = text.trim_end_matches('Z');
    let known = match wall.dated {
        Dated::Printed | Dated::Inferred => whole,
        // A clock without a date counts from the start of 1970; a date without a year is stored in
        // 1972.
        Dated::Unknown if whole.starts_with("1970-01-01T") => whole.split_once('T')?.1,
        Dated::Unknown => whole.split_once('-')?.1,
    };
    Some(known.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Lines;
    use crate::record::{Options, Read, read};

    #[test]
    fn no_more_of_a_date_is_shown_than_is_known() {
        let wall = |seconds: i64, offset, dated| Wall {
            local: Micros(seconds * 1_000_000 + 550_444),
            offset,
            dated,
            precision: Precision::Second,
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
            assert_eq!(local(wall, Fraction::Micros).as_deref(), Some(want));
            assert_eq!(printed(wall, Fraction::Micros).as_deref(), zoned);
        }
    }

    #[test]
    fn a_zone_moves_what_has_one() {
        let precision = Precision::Second;
        let wall = |local: i64, offset, dated| Wall {
            local: Micros::seconds(local),
            offset,
            dated,
            precision,
        };
        let shown = |zone: Zone, wall| {
            let stamp = Stamp { wall: Some(wall), ..Stamp::default() };
            when(&stamp, zone).unwrap()
        };
        let printed = wall(1_772_649_323, Some(3600), Dated::Printed);
        let nepal = Zone::Other(|_| Some(20_700));
        assert_eq!(shown(Zone::AsPrinted, printed), "2026-03-04 18:35:23+01:00");
        assert_eq!(shown(Zone::Utc, printed), "2026-03-04 17:35:23Z");
        assert_eq!(shown(nepal, printed), "2026-03-04 23:20:23+05:45");
        // The zone of these is unknown.
        for (offset, dated) in
            [(None, Dated::Printed), (None, Dated::Inferred), (None, Dated::Unknown)]
        {
            let wall = wall(66_923, offset, dated);
            assert_eq!(shown(Zone::Utc, wall), shown(Zone::AsPrinted, wall));
        }
    }

    #[test]
    fn a_year_that_the_log_does_not_print_is_not_shown() {
        for (dated, seconds, want) in [
            (Dated::Printed, 1_772_649_323, "2026-03-04 18:35:23"),
            (Dated::Inferred, 1_772_649_323, "Mar 4 18:35:23"),
            (Dated::Unknown, 68_582_123, "Mar 4 18:35:23"),
            (Dated::Unknown, 66_923, "18:35:23"),
        ] {
            let precision = Precision::Second;
            let wall = Wall { local: Micros::seconds(seconds), offset: None, dated, precision };
            let stamp = Stamp { wall: Some(wall), ..Stamp::default() };
            let shown = [
                when(&stamp, Zone::AsPrinted),
                in_short(&stamp, Zone::AsPrinted),
                moment(&stamp).map(|text| text.replace('T', " ")),
            ];
            assert_eq!(shown, [0; 3].map(|_| Some(want.to_owned())), "{dated:?}");
        }
    }

    /// `dmesg -H` prints a minute once, and differences behind it.
    #[test]
    fn no_seconds_are_shown_that_the_log_does_not_print() {
        let log = "[Apr18 16:00] usb 1-1: a\n[ +10,214451] usb 1-1: b\n";
        let mut found = Vec::new();
        let done = read(&mut Lines::new(log.as_bytes()), Options::default(), |read| {
            if let Read::Record(record) = read {
                found.push([when(&record.stamp, Zone::AsPrinted), time_of_day(&record.stamp)]);
            }
        });
        assert!(done.is_ok());
        let want = ["Apr 18 16:00", "16:00"].map(|text| Some(text.to_owned()));
        assert_eq!(found, [want.clone(), want]);
    }

    #[test]
    fn all_times_of_a_form_have_the_same_fraction() {
        let times = |log: &str| {
            let (mut fractions, mut found) = (Fractions::default(), Vec::new());
            let options = Options { as_it_comes: true, ..Options::default() };
            let done = read(&mut Lines::new(log.as_bytes()), options, |read| {
                if let Read::Record(record) = read {
                    let fraction = fractions.of(record);
                    found.push(local(record.stamp.wall.unwrap(), fraction).unwrap());
                }
            });
            assert!(done.is_ok());
            found
        };
        let iso =
            |time: &str| format!("2026-03-04T18:35:{time}+01:00 host kernel: usb 1-1: text\n");
        let day = "2026-03-04T18:35:";
        assert_eq!(times(&(iso("23") + &iso("24"))), [format!("{day}23"), format!("{day}24")]);
        assert_eq!(
            times(&(iso("23.550000") + &iso("24.000000"))),
            [format!("{day}23.550000"), format!("{day}24.000000")]
        );
        let entry = |time: u64| {
            format!(
                "{{\"MESSAGE\":\"a\",\"_TRANSPORT\":\"kernel\",\"__REALTIME_TIMESTAMP\":\"{time}\"}}\n"
            )
        };
        let found = times(&(entry(1_772_649_323_000_000) + &entry(1_772_649_323_500_000)));
        assert_eq!(found, [format!("{day}23.000000"), format!("{day}23.500000")]);
    }
}
