//! How time passes between lines, and over an input. Knows no form.

use chrono::{DateTime, Datelike};

use super::{Stamp, Wall};
use crate::value::Micros;

/// What the time fields of one line say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Time {
    pub(super) monotonic: Option<Micros>,
    pub(super) wall: Option<Wall>,
    /// What passed since the line before, where the line says only that.
    pub(super) delta: Option<Micros>,
    /// How many records are missing before this one, by its number.
    pub(super) lost: Option<u64>,
}

/// The year that stands for "not known": a leap year, so that every day exists.
pub(super) const NO_YEAR: i32 = 1972;
pub(super) const DAY: i64 = 86_400 * 1_000_000;
const LEAP_YEAR: i64 = 366 * DAY;

/// Where the date of a [`Wall`] comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dated {
    /// The log prints year, month and day.
    Printed,
    /// The log prints month and day; the year is the latest that is not after the log was saved.
    Inferred,
    /// The log does not print it, or not all of it.
    #[default]
    Unknown,
}

impl Time {
    /// The microseconds from this to a later line's, on a clock that both have.
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
    /// Read from a clock that counts from 1970 in UTC.
    pub(super) fn universal(micros: i64) -> Self {
        Self { local: Micros(micros), offset: Some(0), dated: Dated::Printed }
    }

    /// Whether nothing of a day was printed.
    fn is_time_of_day(self) -> bool {
        self.dated == Dated::Unknown && (0..DAY).contains(&self.local.0)
    }

    /// On the clock of UTC where the zone is known, else as printed.
    fn utc(self) -> Micros {
        Micros(self.local.0 - i64::from(self.offset.unwrap_or(0)) * 1_000_000)
    }
}

/// How time passes over an input: each line's time, made into one that never falls.
#[derive(Debug, Default)]
pub(super) struct Flow {
    /// The wall clock of the line before.
    last: Option<Micros>,
    passed: Micros,
    /// Steps forward and back, to tell the order that the input is in.
    forward: u64,
    back: u64,
    monotonic: Option<Micros>,
    /// When the log was saved, on the local clock: no line is later.
    pub(super) reference: Option<Micros>,
    /// The time of the line before, where its year was inferred.
    year: Option<Micros>,
    /// The day of that line as printed, and how far its year is from the one that stands for it.
    shift: Option<(i64, Micros)>,
    /// The time of day of the line before as printed, and with its year.
    printed: Option<(Micros, Wall)>,
}

impl Flow {
    /// The stamp of a line that says `time`.
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
            // Fractions of a second are in some lines and not in others.
            if time.monotonic.is_none() && !(-1_000_000..0).contains(&span) {
                self.step(span);
            }
            // A line or two out of order is no clock that was set: time then goes on from the later.
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
        Stamp { monotonic: time.monotonic, wall, passed }
    }

    fn step(&mut self, span: i64) {
        self.forward += u64::from(span > 0);
        self.back += u64::from(span < 0);
    }

    /// Whether the records run from the newest to the oldest, for the most part, with so many steps
    /// back at least.
    pub(super) fn runs_backward(&self, least: u32) -> bool {
        self.back > self.forward && self.back >= u64::from(least)
    }

    /// The time with its year, where it has month and day and the time of saving is known.
    ///
    /// The first line is of the latest year in which it is not later than the log was saved. A date that
    /// falls begins the next year, unless that would be later than the log was saved; then it is a step
    /// back.
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
        // 29 February is in leap years only.
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
            // The year of the line before, or the next one; never later than the last.
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

/// The time from one time of day to another, of which one at least has no day: less than half a day.
fn of_a_day(span: Micros) -> i64 {
    let rest = span.0.rem_euclid(DAY);
    if rest > DAY / 2 { rest - DAY } else { rest }
}

/// Without a year, January after December is no step back, and December after January is one.
fn span(span: Micros, wall: Wall) -> i64 {
    match span.0 {
        span if wall.dated != Dated::Unknown => span,
        span if span < -LEAP_YEAR / 2 => span + LEAP_YEAR,
        span if span > LEAP_YEAR / 2 => span - LEAP_YEAR,
        span => span,
    }
}
