//! The passing of time between lines and over an input. Independent of formats.

use chrono::{DateTime, Datelike};

use super::{Precision, Stamp, Wall};
use crate::value::Micros;

/// The time fields of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) monotonic: Option<Micros>,
    pub(super) wall: Option<Wall>,
    /// The time since the previous line, if that is all the line has.
    pub(super) delta: Option<Micros>,
    /// The number of records missing before this one, from its sequence number.
    pub(super) lost: Option<u64>,
}

/// The placeholder for an unknown year: a leap year, so that every date exists.
pub(super) const NO_YEAR: i32 = 1972;
pub(super) const DAY: i64 = 86_400 * 1_000_000;
const LEAP_YEAR: i64 = 366 * DAY;

/// The origin of the date of a [`Wall`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dated {
    /// The log prints year, month and day.
    Printed,
    /// The log prints month and day; the year is the latest one that is not after the log was
    /// saved.
    Inferred,
    /// The log does not print a complete date.
    #[default]
    Unknown,
}

impl Time {
    /// The time from this to a later line in microseconds, on a common clock.
    pub(super) fn until(&self, later: &Self) -> Option<i64> {
        let kernel = || Some(later.monotonic?.since(self.monotonic?).0);
        let wall = || {
            let (first, second) = (self.wall?, later.wall?);
            let between = second.utc().since(first.utc());
            let same = first.is_time_of_day() == second.is_time_of_day();
            Some(if same { span(between, second) } else { of_a_day(between) })
        };
        kernel().or_else(wall).or(later.delta.map(|delta| delta.0))
    }
}

impl Wall {
    /// A time in microseconds since 1970 in UTC.
    pub(super) fn universal(micros: i64) -> Self {
        let (offset, precision) = (Some(0), Precision::Second);
        Self { local: Micros(micros), offset, dated: Dated::Printed, precision }
    }

    /// Whether no part of a date was printed.
    fn is_time_of_day(self) -> bool {
        self.dated == Dated::Unknown && (0..DAY).contains(&self.local.0)
    }

    /// In UTC if the zone is known, else as printed.
    fn utc(self) -> Micros {
        Micros(self.local.0 - i64::from(self.offset.unwrap_or(0)) * 1_000_000)
    }
}

/// Converts times of an input to a time that never decreases.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The wall clock of the previous line.
    last: Option<Micros>,
    passed: Micros,
    /// Numbers of steps forward and back, to detect the order of the input.
    forward: u64,
    back: u64,
    monotonic: Option<Micros>,
    /// When the log was saved, in local time: no line is later.
    pub(super) reference: Option<Micros>,
    /// The time of the previous line with an inferred year.
    year: Option<Micros>,
    /// The date of that line as printed, and the offset from the placeholder's year to its year.
    shift: Option<(i64, Micros)>,
    /// The previous time as printed, and with its year.
    printed: Option<(Micros, Wall)>,
    /// The wall clock time of the last line that has one.
    anchor: Option<Wall>,
}

impl Flow {
    /// The stamp of a line with these times.
    pub(super) fn stamp(&mut self, time: &Time) -> Stamp {
        if let Some(now) = time.monotonic {
            self.step(self.monotonic.map_or(0, |before| now.since(before).0));
            self.monotonic = Some(now);
        }
        let wall = time.wall.map(|wall| self.dated(wall));
        self.printed = time.wall.map(|wall| wall.local).zip(wall);
        let mut passed = None;
        if let Some(wall) = wall {
            let now = wall.utc();
            let span = match self.last {
                Some(last) if wall.is_time_of_day() || (0..DAY).contains(&last.0) => {
                    of_a_day(now.since(last))
                }
                Some(last) => span(now.since(last), wall),
                None => 0,
            };
            // Some lines have fractions of a second and others do not.
            if time.monotonic.is_none() && !(-1_000_000..0).contains(&span) {
                self.step(span);
            }
            // A few lines out of order do not mean that the clock was set: time continues from the
            // later one.
            let jitter = (-5_000_000..0).contains(&span);
            self.last = if jitter { self.last } else { Some(now) };
            self.passed = self.passed.plus(Micros(span.max(0)));
            passed = Some(self.passed);
        } else if let Some(delta) = time.delta {
            let forward = Micros(delta.0.max(0));
            self.last = self.last.map(|last| last.plus(forward));
            self.passed = self.passed.plus(forward);
            passed = Some(self.passed);
        }
        let has_only_a_difference = wall.is_none() && time.monotonic.is_none() && passed.is_some();
        let anchor = self.anchor.filter(|_| has_only_a_difference);
        self.anchor = wall.or(self.anchor);
        Stamp { monotonic: time.monotonic, wall, anchor, passed }
    }

    fn step(&mut self, span: i64) {
        self.forward += u64::from(span > 0);
        self.back += u64::from(span < 0);
    }

    /// Whether most steps are backward, and at least `least`: newest records first.
    pub(super) fn runs_backward(&self, least: u32) -> bool {
        self.back > self.forward && self.back >= u64::from(least)
    }

    /// Adds the year to a time with month and day, if the time of saving is known.
    ///
    /// The first line is in the latest year in which it is not later than the time of saving. A
    /// date that decreases begins the next year, unless that would be later than the time of
    /// saving; then it is a step back.
    fn dated(&mut self, wall: Wall) -> Wall {
        let (Dated::Unknown, Some(reference)) = (wall.dated, self.reference) else { return wall };
        let day = wall.local.0.div_euclid(DAY);
        if let Some((known, shift)) = self.shift
            && known == day
        {
            let local = wall.local.plus(shift);
            self.year = Some(local);
            return Wall { local, dated: Dated::Inferred, ..wall };
        }
        let Some(printed) = DateTime::from_timestamp_micros(wall.local.0) else { return wall };
        if printed.year() != NO_YEAR {
            return wall;
        }
        // 29 February exists only in leap years.
        let of = |year: i32| {
            let local = (0..8).find_map(|back| printed.with_year(year - back))?;
            Some(Micros(local.timestamp_micros()))
        };
        let limit = Micros(reference.0.saturating_add(DAY));
        let Some(latest) =
            of(year_of(limit)).filter(|last| *last <= limit).or(of(year_of(limit) - 1))
        else {
            return wall;
        };
        let local = match self.year {
            // The year of the previous line, or the next one; never after the time of saving.
            Some(before) => {
                let same = of(year_of(before));
                let falls = same.is_some_and(|same| before.since(same).0 > DAY);
                let next = of(year_of(before) + 1).filter(|next| falls && *next <= limit);
                next.or(same).filter(|local| *local <= limit).unwrap_or(latest)
            }
            None => latest,
        };
        self.year = Some(local);
        self.shift = Some((day, local.since(wall.local)));
        Wall { local, dated: Dated::Inferred, ..wall }
    }
}

fn year_of(time: Micros) -> i32 {
    DateTime::from_timestamp_micros(time.0).map_or(NO_YEAR, |time| time.year())
}

/// The difference of two times, at least one of which has no date: less than half a day.
fn of_a_day(span: Micros) -> i64 {
    let rest = span.0.rem_euclid(DAY);
    if rest > DAY / 2 { rest - DAY } else { rest }
}

/// Without a year, January after December is not a step back, and December after January is one.
fn span(span: Micros, wall: Wall) -> i64 {
    match span.0 {
        span if wall.dated != Dated::Unknown => span,
        span if span < -LEAP_YEAR / 2 => span + LEAP_YEAR,
        span if span > LEAP_YEAR / 2 => span - LEAP_YEAR,
        span => span,
    }
}
