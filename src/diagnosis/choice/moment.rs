//! Points in time as the user types them, compared with the clocks of a log.

use std::fmt;
use std::str::FromStr;

use chrono::NaiveDate;

use crate::event::log::Log;
use crate::record::{Dated, Stamp, Wall};
use crate::value::Micros;

const SECOND: i64 = 1_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A point in time as typed; prints itself in the same form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    text: String,
    point: Point,
    /// The length of the smallest typed unit.
    unit: Micros,
}

/// What a point in time refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    /// A date and time as the log prints it; with the offset from UTC in seconds if a zone was
    /// given.
    Date { local: Micros, offset: Option<i32> },
    /// A time on the day on which the log ends.
    OfDay(Micros),
    /// A time after the start of the boot.
    SinceBoot(Micros),
    /// A time before the end of the log.
    Back(Micros),
}

/// The clock that a point in time needs. Its text says what the log does not print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
pub enum Clock {
    /// Dates with a year.
    #[strum(serialize = "dates")]
    Date,
    /// Dates with a zone.
    #[strum(serialize = "dates with a zone")]
    Zone,
    /// The time of day.
    #[strum(serialize = "times of day")]
    TimeOfDay,
    /// Seconds since boot.
    #[strum(serialize = "seconds since boot")]
    SinceBoot,
    /// Any clock that shows elapsed time.
    #[strum(serialize = "times")]
    Any,
}

/// The text is not a point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "not a time, which looks like 2026-03-04, '2026-03-04 18:35', 18:35:23, 913.5s since boot, or \
     -10min before the end of the log"
)]
pub struct NotAMoment;

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Moment {
    type Err = NotAMoment;

    fn from_str(text: &str) -> Result<Self, NotAMoment> {
        let (point, unit) = read(text.trim()).ok_or(NotAMoment)?;
        Ok(Self { text: text.trim().to_owned(), point, unit: Micros(unit) })
    }
}

/// Parses a point in time, with the length of its smallest unit.
fn read(text: &str) -> Option<(Point, i64)> {
    if let Some(span) = text.strip_prefix('-') {
        return Some((Point::Back(Micros(span_of(span)?)), 1));
    }
    if let Some((date, rest)) = text.split_at_checked(10)
        && let Some(days) = days(date)
    {
        return of_date(days, rest);
    }
    if text.contains(':') {
        let (clock, unit) = clock(text)?;
        return Some((Point::OfDay(Micros(clock)), unit));
    }
    let number = text.strip_prefix('+').unwrap_or(text);
    let (seconds, unit) = seconds(number.strip_suffix('s').unwrap_or(number).trim_end())?;
    Some((Point::SinceBoot(Micros(seconds)), unit))
}

/// Parses `2026-03-04` to microseconds since 1970.
fn days(text: &str) -> Option<i64> {
    let fits = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().filter(|_| fits)?;
    Some(i64::from(date.to_epoch_days()) * DAY)
}

/// Parses the rest after a date: nothing, or a time of day and optionally a zone.
fn of_date(days: i64, rest: &str) -> Option<(Point, i64)> {
    let date = |clock: i64, offset| Point::Date { local: Micros(days + clock), offset };
    let Some(rest) = rest.strip_prefix([' ', 'T']) else {
        return rest.is_empty().then(|| (date(0, None), DAY));
    };
    let (rest, offset) = match rest.find(['Z', '+', '-']) {
        Some(at) => (rest.get(..at)?, Some(offset(rest.get(at..)?)?)),
        None => (rest, None),
    };
    let (clock, unit) = clock(rest)?;
    Some((date(clock, offset), unit))
}

/// Parses `Z`, `+01:00` or `+0100` to seconds.
fn offset(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, number) = text.split_at_checked(1)?;
    let number = number.replace(':', "");
    let (hours, minutes) = number.split_at_checked(2)?;
    let (hours, minutes) = (digits(hours)?, digits(minutes).filter(|_| minutes.len() == 2)?);
    let seconds = i32::try_from((hours * 60 + minutes) * 60).ok().filter(|it| *it < 86_400)?;
    Some(if sign == "-" { -seconds } else { seconds })
}

/// Parses `18:35`, `18:35:23` or `18:35:23.5`, with the length of its smallest unit.
fn clock(text: &str) -> Option<(i64, i64)> {
    let mut parts = text.splitn(3, ':');
    let pair = |part: &str| digits(part).filter(|_| part.len() == 2);
    let hours = pair(parts.next()?).filter(|hours| *hours < 24)?;
    let minutes = pair(parts.next()?).filter(|minutes| *minutes < 60)?;
    let (seconds, unit) = match parts.next() {
        Some(text) => seconds(text).filter(|(seconds, _)| *seconds < 61 * SECOND)?,
        None => (0, MINUTE),
    };
    Some((hours * HOUR + minutes * MINUTE + seconds, unit))
}

/// Parses `913` or `913.5`, with the length of its smallest unit: 0.1 s for `913.5`.
fn seconds(text: &str) -> Option<(i64, i64)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let unit = 10_i64.checked_pow(u32::try_from(6_usize.checked_sub(fraction.len())?).ok()?)?;
    let part = if fraction.is_empty() { 0 } else { digits(fraction)? * unit };
    let empty = text.ends_with('.');
    Some((digits(whole).filter(|_| !empty)?.checked_mul(SECOND)?.checked_add(part)?, unit))
}

/// Parses `10min`, `1h30min`, `90s`.
fn span_of(text: &str) -> Option<i64> {
    let (mut all, mut rest) = (0_i64, text);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, behind) = rest.split_at_checked(end)?;
        let end = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at_checked(end)?;
        all = all.checked_add(digits(number)?.checked_mul(unit_of(unit)?)?)?;
        rest = behind.trim_start();
    }
    (!text.is_empty()).then_some(all)
}

fn unit_of(name: &str) -> Option<i64> {
    Some(match name {
        "s" | "sec" => SECOND,
        "m" | "min" => MINUTE,
        "h" => HOUR,
        "d" => DAY,
        _ => return None,
    })
}

/// Parses decimal digits without a sign.
fn digits(text: &str) -> Option<i64> {
    let fits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| fits)
}

/// A point in time on a clock of one log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limit {
    at: At,
    unit: Micros,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Local(Micros),
    Universal(Micros),
    SinceBoot(Micros),
    /// A time before a line of a boot.
    Before {
        end: Stamp,
        boot: usize,
        span: Micros,
    },
}

impl Moment {
    /// Resolves the point for `log`; `boot` is the last boot that counts.
    pub(super) fn within(&self, log: &Log, boot: usize) -> Result<Limit, Clock> {
        let end = log.boots.get(boot).map(|boot| boot.last).unwrap_or_default();
        let at = match self.point {
            Point::Date { local, offset: None } => has(log, Clock::Date).map(|()| At::Local(local)),
            Point::Date { local, offset: Some(east) } => has(log, Clock::Zone)
                .map(|()| At::Universal(Micros(local.0 - i64::from(east) * SECOND))),
            Point::OfDay(clock) => {
                let wall = end.wall.or_else(|| stamps(log).filter_map(|it| it.wall).last());
                let day = wall.map(|wall| wall.local.0.div_euclid(DAY) * DAY);
                day.map(|day| At::Local(Micros(day + clock.0))).ok_or(Clock::TimeOfDay)
            }
            Point::SinceBoot(time) => has(log, Clock::SinceBoot).map(|()| At::SinceBoot(time)),
            Point::Back(_) if end.is_timeless() => Err(Clock::Any),
            Point::Back(span) => Ok(At::Before { end, boot, span }),
        };
        at.map(|at| Limit { at, unit: self.unit })
    }
}

/// The offset of a zone from UTC in seconds, at a time in UTC.
pub(crate) type Zone = fn(Micros) -> Option<i32>;

impl Moment {
    /// Resolves the point for a log that ends at `end` in UTC and prints times of day in `zone`.
    pub(crate) fn zoned(&self, end: Micros, zone: Zone) -> Self {
        let date = |local: Micros| {
            // Local time is close to UTC, and offsets change rarely, so a second lookup is exact.
            let near = zone(local).unwrap_or(0);
            let offset = zone(Micros(local.0 - i64::from(near) * SECOND));
            Point::Date { local, offset }
        };
        let point = match self.point {
            Point::Date { local, offset: None } => date(local),
            Point::OfDay(clock) => {
                let last = end.0 + i64::from(zone(end).unwrap_or(0)) * SECOND;
                let today = last.div_euclid(DAY) * DAY + clock.0;
                // Shortly after midnight, 23:50 means the day before.
                date(Micros(if today > last { today - DAY } else { today }))
            }
            point => point,
        };
        Self { point, ..self.clone() }
    }

    /// The start and end in UTC of what was typed, for a log that ends at `end`. `None` if it
    /// refers to a boot's own clock.
    pub(crate) fn universal(&self, end: Micros) -> Option<(Micros, Micros)> {
        let at = match self.point {
            Point::Date { local, offset } => {
                Micros(local.0.saturating_sub(i64::from(offset.unwrap_or(0)) * SECOND))
            }
            Point::Back(span) => end.since(span),
            Point::OfDay(_) | Point::SinceBoot(_) => return None,
        };
        Some((at, at.plus(self.unit)))
    }

    /// The same for the start of a period: shortly after midnight, 23:50 means the day before, if
    /// the log reaches back that far.
    pub(super) fn beginning(&self, log: &Log, boot: usize) -> Result<Limit, Clock> {
        let limit = self.within(log, boot)?;
        let (Point::OfDay(_), At::Local(at)) = (self.point, limit.at) else { return Ok(limit) };
        let walls = || stamps(log).filter_map(|stamp| stamp.wall).map(|wall| wall.local);
        let before = Micros(at.0 - DAY);
        let is_over = walls().max().is_some_and(|last| last < at);
        let is_known = walls().min().is_some_and(|first| first <= before);
        Ok(if is_over && is_known { Limit { at: At::Local(before), ..limit } } else { limit })
    }
}

/// The usable times of a log.
fn stamps(log: &Log) -> impl Iterator<Item = &Stamp> {
    let boots = log.boots.iter().flat_map(|boot| [&boot.first, &boot.last]);
    boots.chain(log.events.iter().map(|observed| &observed.stamp))
}

fn has(log: &Log, clock: Clock) -> Result<(), Clock> {
    let shows = |stamp: &Stamp| match clock {
        Clock::Date => stamp.wall.is_some_and(is_dated),
        Clock::Zone => stamp.wall.is_some_and(|wall| is_dated(wall) && wall.offset.is_some()),
        Clock::TimeOfDay => stamp.wall.is_some(),
        Clock::SinceBoot => stamp.monotonic.is_some(),
        Clock::Any => !stamp.is_timeless(),
    };
    if stamps(log).any(shows) { Ok(()) } else { Err(clock) }
}

fn is_dated(wall: Wall) -> bool {
    wall.dated != Dated::Unknown
}

impl Limit {
    /// Whether something with this time is at or after this point. Without a time on this clock it
    /// is not known to be earlier.
    pub(super) fn begins_before(&self, boot: usize, stamp: &Stamp) -> bool {
        self.since(boot, stamp).is_none_or(|since| since >= 0)
    }

    /// Whether something with this time is at or before this point, including the smallest unit.
    pub(super) fn ends_after(&self, boot: usize, stamp: &Stamp) -> bool {
        self.since(boot, stamp).is_none_or(|since| since < self.unit.0)
    }

    /// Whether this point is later than another one on the same clock.
    pub(super) fn is_behind(&self, other: Self) -> bool {
        match (self.at, other.at) {
            (At::Local(this), At::Local(that))
            | (At::Universal(this), At::Universal(that))
            | (At::SinceBoot(this), At::SinceBoot(that)) => this.since(that).0 >= other.unit.0,
            (At::Before { span: this, .. }, At::Before { span: that, .. }) => this < that,
            _ => false,
        }
    }

    /// The time from this point to `stamp`, in microseconds.
    fn since(&self, boot: usize, stamp: &Stamp) -> Option<i64> {
        match self.at {
            At::Local(at) => Some(stamp.wall?.local.since(at).0),
            At::Universal(at) => {
                let wall = stamp.wall?;
                let utc = wall.local.0 - i64::from(wall.offset?) * SECOND;
                Some(Micros(utc).since(at).0)
            }
            At::SinceBoot(at) => Some(stamp.monotonic?.since(at).0),
            At::Before { end, boot: last, span } if boot == last => {
                Some(span.since(stamp.elapsed(&end)?).0)
            }
            // Each boot has its own kernel clock.
            At::Before { end, boot: last, span } => {
                let passed = end.passed.zip(stamp.passed);
                let back = passed.map(|(end, then)| end.since(then));
                let far = if boot < last { i64::MIN } else { i64::MAX };
                Some(back.map_or(far, |back| span.since(back).0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_makes_times_of_day_universal() {
        // 2026-03-05 00:10 at UTC+1.
        let end = Micros(1_772_665_800 * SECOND);
        let zone: Zone = |_| Some(3600);
        for (text, want) in [
            ("2026-03-04 18:35", Some("2026-03-04 17:35Z")),
            ("2026-03-04 18:35Z", Some("2026-03-04 18:35Z")),
            ("00:05", Some("2026-03-04 23:05Z")),
            ("23:50", Some("2026-03-04 22:50Z")),
            ("-10min", Some("2026-03-04 23:00Z")),
            ("913.5s", None),
        ] {
            let known = text.parse::<Moment>().unwrap().zoned(end, zone).universal(end);
            let want = want.map(|text| text.parse::<Moment>().unwrap().universal(end).unwrap().0);
            assert_eq!(known.map(|(at, _)| at), want, "{text}");
        }
    }

    fn point(text: &str) -> Option<(Point, i64)> {
        text.parse::<Moment>().ok().map(|moment| (moment.point, moment.unit.0))
    }

    #[test]
    fn a_moment_is_read_as_people_write_it() {
        let date = |local: i64, offset| Point::Date { local: Micros(local), offset };
        let day = 1_772_582_400 * SECOND;
        let evening = day + 18 * HOUR + 35 * MINUTE;
        for (text, want, unit) in [
            ("2026-03-04", date(day, None), DAY),
            ("2026-03-04 18:35", date(evening, None), MINUTE),
            ("2026-03-04T18:35:23", date(evening + 23 * SECOND, None), SECOND),
            ("2026-03-04 18:35:23+01:00", date(evening + 23 * SECOND, Some(3600)), SECOND),
            ("2026-03-04 18:35-0930", date(evening, Some(-34_200)), MINUTE),
            ("2026-03-04T18:35:23.550444Z", date(evening + 23_550_444, Some(0)), 1),
            ("18:35", Point::OfDay(Micros(18 * HOUR + 35 * MINUTE)), MINUTE),
            ("00:00:07.5", Point::OfDay(Micros(7_500_000)), 100_000),
            ("913.5s", Point::SinceBoot(Micros(913_500_000)), 100_000),
            ("+913.5", Point::SinceBoot(Micros(913_500_000)), 100_000),
            (" 18233.500 s", Point::SinceBoot(Micros(18_233_500_000)), 1_000),
            ("0", Point::SinceBoot(Micros(0)), SECOND),
            ("-10min", Point::Back(Micros(10 * MINUTE)), 1),
            ("-1h30m", Point::Back(Micros(90 * MINUTE)), 1),
            ("-2d 3h", Point::Back(Micros(51 * HOUR)), 1),
        ] {
            assert_eq!(point(text), Some((want, unit)), "{text}");
        }
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in [
            "",
            "-",
            "+",
            "s",
            ".",
            "1.",
            ".5",
            "yesterday",
            "2026-02-30",
            "2026-13-01",
            "2026-3-4",
            "2026-03-04 18",
            "24:00",
            "18:60",
            "18:35:61",
            "1:2",
            "-10",
            "-min",
            "-10parsecs",
            "-10min5",
            "1.2345678",
            "99999999999999999999",
            "2026-03-04 18:35+25:00",
            "2026-03-04 18:35 CET",
            "März",
            "20260304ä",
            "-9999999999999999d",
        ] {
            assert_eq!(text.parse::<Moment>(), Err(NotAMoment), "{text}");
        }
    }

    #[test]
    fn the_last_unit_counts_whole() {
        let limit = |text: &str| {
            let moment: Moment = text.parse().unwrap();
            let Point::SinceBoot(at) = moment.point else { panic!("{text}") };
            Limit { at: At::SinceBoot(at), unit: moment.unit }
        };
        let at = |micros| Stamp { monotonic: Some(Micros(micros)), ..Stamp::default() };
        for (text, micros, since, until) in [
            ("913.5s", 913_499_999, false, true),
            ("913.5s", 913_500_000, true, true),
            ("913.5s", 913_599_999, true, true),
            ("913.5s", 913_600_000, true, false),
            ("913s", 913_999_999, true, true),
        ] {
            let limit = limit(text);
            assert_eq!(limit.begins_before(0, &at(micros)), since, "{text} {micros}");
            assert_eq!(limit.ends_after(0, &at(micros)), until, "{text} {micros}");
        }
        // A record without such a time may be from any.
        assert!(limit("1s").begins_before(0, &Stamp::default()));
        assert!(limit("1s").ends_after(0, &Stamp::default()));
    }
}
