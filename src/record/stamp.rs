//! Clocks: the ways in which a time of day is printed, and how time passes between two of them.
//! Knows no envelope: where a time stands in a line is for the readers of forms.

use chrono::{DateTime, Datelike, NaiveDate};

use super::scan::Scan;
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
const NO_YEAR: i32 = 1972;
const DAY: i64 = 86_400 * 1_000_000;
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
            Some(span(second.utc().since(first.utc()), second))
        };
        kernel().or_else(wall).or(later.delta.map(|delta| delta.0))
    }
}

impl Wall {
    /// Read from a clock that counts from 1970 in UTC.
    pub(super) fn universal(micros: i64) -> Self {
        Self { local: Micros(micros), offset: Some(0), dated: Dated::Printed }
    }

    /// On the clock of UTC where the zone is known, else as printed.
    fn utc(self) -> Micros {
        Micros(self.local.0 - i64::from(self.offset.unwrap_or(0)) * 1_000_000)
    }
}

/// A day as far as it is printed, with a time of day in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    clock: i64,
}

impl Parts {
    /// `None` if there is no such day.
    fn wall(self) -> Option<Wall> {
        let number = |part: Option<i64>| part.and_then(|part| u32::try_from(part).ok());
        let year = self.year.and_then(|year| i32::try_from(year).ok());
        let date = match (number(self.month), number(self.day)) {
            (Some(month), Some(day)) => {
                NaiveDate::from_ymd_opt(year.unwrap_or(NO_YEAR), month, day)?
            }
            // Without a month the day means nothing: the clock is all there is.
            _ => NaiveDate::default(),
        };
        let whole = self.year.is_some() && self.month.is_some() && self.day.is_some();
        let dated = if whole { Dated::Printed } else { Dated::Unknown };
        let days = i64::from(date.to_epoch_days());
        Some(Wall { local: Micros(days * DAY + self.clock), offset: None, dated })
    }
}

/// `HH:MM:SS`, with or without a fraction, as microseconds since midnight.
pub(super) fn clock(scan: &mut Scan) -> Option<i64> {
    let &[h1, h0, b':', m1, m0, b':', s1, s0] = scan.peek_chunk()? else { return None };
    if ![h1, h0, m1, m0, s1, s0].iter().all(u8::is_ascii_digit) {
        return None;
    }
    let pair = |tens: u8, ones: u8| i64::from(tens - b'0') * 10 + i64::from(ones - b'0');
    let (hours, minutes, seconds) = (pair(h1, h0), pair(m1, m0), pair(s1, s0));
    // 60 is a leap second.
    if hours > 23 || minutes > 59 || seconds > 60 {
        return None;
    }
    scan.skip_ascii(8);
    Some(((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction(scan))
}

/// What stands behind the seconds, in microseconds; 0 if nothing does.
pub(super) fn fraction(scan: &mut Scan) -> i64 {
    let mut ahead = *scan;
    let fraction = if ahead.eat(b'.') { ahead.fraction() } else { None };
    if fraction.is_some() {
        *scan = ahead;
    }
    fraction.unwrap_or(0)
}

/// `2026-11-19`.
fn date(scan: &mut Scan) -> Option<Parts> {
    let year = scan.number(4).filter(|&year| year >= 1970)?;
    scan.expect(b'-')?;
    let month = scan.pair().filter(|month| (1..=12).contains(month))?;
    scan.expect(b'-')?;
    let day = scan.pair().filter(|day| (1..=31).contains(day))?;
    Some(Parts { year: Some(year), month: Some(month), day: Some(day), clock: 0 })
}

/// The mark before the fraction of a second tells who wrote an ISO time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Comma,
    Other,
}

/// `2026-11-19T10:33:00.204097+01:00`, with any of the offset spellings, or none.
pub(super) fn iso(scan: &mut Scan) -> Option<(Wall, Mark)> {
    let mut parts = date(scan)?;
    if !scan.eat(b'T') {
        scan.expect(b' ')?;
    }
    parts.clock = clock(scan)?;
    let mut mark = Mark::Other;
    if scan.eat(b',') {
        mark = Mark::Comma;
        parts.clock += scan.fraction()?;
    }
    let offset = match scan.peek() {
        Some(b'Z') => {
            scan.expect(b'Z')?;
            Some(0)
        }
        Some(sign @ (b'+' | b'-')) => Some(offset(scan, sign)?),
        _ => None,
    };
    Some((Wall { offset, ..parts.wall()? }, mark))
}

/// `+01:00` or `+0100`, in seconds.
fn offset(scan: &mut Scan, sign: u8) -> Option<i32> {
    scan.expect(sign)?;
    let hours = scan.pair().filter(|&hours| hours < 24)?;
    scan.eat(b':');
    let minutes = scan.pair().filter(|&minutes| minutes < 60)?;
    let seconds = i32::try_from((hours * 60 + minutes) * 60).ok()?;
    Some(if sign == b'-' { -seconds } else { seconds })
}

/// `Thu 2026-11-19 10:33:00 CET`, the day of the week in any language.
pub(super) fn full(scan: &mut Scan) -> Option<Wall> {
    let weekday = scan.word();
    if weekday.len() > 16 || weekday.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    scan.expect(b' ')?;
    let mut parts = date(scan)?;
    scan.expect(b' ')?;
    parts.clock = clock(scan)?;
    scan.expect(b' ')?;
    let zone = scan.word();
    if zone.is_empty()
        || zone.len() > 6
        || !zone.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-".contains(&byte))
    {
        return None;
    }
    // Any other name of a zone can mean several.
    let offset = matches!(zone, "UTC" | "GMT").then_some(0);
    Some(Wall { offset, ..parts.wall()? })
}

/// `1795080780.204097`: seconds since 1970 in UTC.
pub(super) fn unix(scan: &mut Scan) -> Option<Wall> {
    let seconds =
        scan.number(11).filter(|seconds| (1_000_000_000..10_000_000_000).contains(seconds))?;
    scan.expect(b'.')?;
    Some(Wall::universal(seconds * 1_000_000 + scan.fraction()?))
}

/// `Nov 19 10:33:00`, as C programs print it.
pub(super) fn short(scan: &mut Scan) -> Option<Wall> {
    short_parts(scan)?.wall()
}

fn short_parts(scan: &mut Scan) -> Option<Parts> {
    let name = scan.rest().as_bytes().get(..4)?;
    let month = match name {
        b"Jan " => 1,
        b"Feb " => 2,
        b"Mar " => 3,
        b"Apr " => 4,
        b"May " => 5,
        b"Jun " => 6,
        b"Jul " => 7,
        b"Aug " => 8,
        b"Sep " => 9,
        b"Oct " => 10,
        b"Nov " => 11,
        b"Dec " => 12,
        _ => return None,
    };
    scan.word();
    scan.blanks();
    let day = scan.number(2).filter(|day| (1..=31).contains(day))?;
    scan.expect(b' ')?;
    let clock = clock(scan)?;
    Some(Parts { year: None, month: Some(month), day: Some(day), clock })
}

/// A date in words of some language, up to its time of day: `nov. 18 21:15:03`,
/// `Thu Nov 19 10:33:01 2026`. At least a day of the month is there, and one word.
pub(super) fn worded(scan: &mut Scan) -> Option<Wall> {
    let mut parts = Parts::default();
    let mut words = 0;
    let mut found = None;
    for _ in 0..4 {
        let mut ahead = *scan;
        found = clock(&mut ahead);
        if found.is_some() {
            *scan = ahead;
            break;
        }
        let word = scan.word();
        if word.len() > 24 || word.contains([':', '-', '/', '=']) {
            return None;
        }
        words += usize::from(word.contains(char::is_alphabetic));
        parts.note(word);
        scan.blanks();
    }
    parts.clock = found?;
    parts.day.filter(|_| words > 0 && matches!(scan.peek(), Some(b' ') | None))?;
    let mut ahead = *scan;
    if ahead.eat(b' ') {
        let year = ahead.number(4).filter(|&year| year >= 1970);
        if year.is_some() && matches!(ahead.peek(), Some(b' ') | None) {
            parts.year = year;
            *scan = ahead;
        }
    }
    parts.wall()
}

/// What stands in the brackets of `dmesg -T` and of the anchors of `dmesg -H`, in any language:
/// a time of day, and of the day what can be made out.
pub(super) fn bracketed(inside: &str) -> Option<(Wall, Precision)> {
    if let Some(wall) = ctime(inside) {
        return Some((wall, Precision::Second));
    }
    let mut parts = Parts::default();
    let mut found = None;
    for word in inside.split([' ', ',']).filter(|word| !word.is_empty()) {
        if word.as_bytes().get(2) == Some(&b':') {
            found = Some(time_of_day(word, &mut parts)?);
        } else {
            parts.note(word);
        }
    }
    parts.day?;
    Some((parts.wall()?, found?))
}

/// `Thu Nov 19 10:33:00 2026`, as C programs print it.
fn ctime(inside: &str) -> Option<Wall> {
    let mut scan = Scan::new(inside.get(4..).filter(|_| inside.as_bytes().get(3) == Some(&b' '))?);
    let parts = short_parts(&mut scan)?;
    scan.expect(b' ')?;
    let year = scan.number(4).filter(|&year| year >= 1970 && scan.rest().is_empty())?;
    Parts { year: Some(year), ..parts }.wall()
}

/// `11-19 10:33:10.443`, as logcat prints it.
pub(super) fn logcat(scan: &mut Scan) -> Option<Wall> {
    let month = scan.pair()?;
    scan.expect(b'-')?;
    let day = scan.pair()?;
    scan.expect(b' ')?;
    let clock = clock(scan)?;
    Parts { year: None, month: Some(month), day: Some(day), clock }.wall()
}

/// How fine a time in brackets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    Minute,
    Second,
}

fn time_of_day(word: &str, parts: &mut Parts) -> Option<Precision> {
    let mut scan = Scan::new(word);
    if let Some(clock) = clock(&mut scan) {
        parts.clock = clock;
        return scan.rest().is_empty().then_some(Precision::Second);
    }
    let mut scan = Scan::new(word);
    let hours = scan.pair().filter(|&hours| hours < 24)?;
    scan.expect(b':')?;
    let minutes = scan.pair().filter(|&minutes| minutes < 60)?;
    parts.clock = (hours * 60 + minutes) * 60 * 1_000_000;
    scan.rest().is_empty().then_some(Precision::Minute)
}

impl Parts {
    /// Takes what one word says about the day: `19`, `19.`, `2026`, `Nov`, `Nov19`, `19nov.`,
    /// `11月`, `11月19`, or the name of a day of the week, which says nothing.
    fn note(&mut self, word: &str) {
        let word = word.trim_end_matches(',');
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let lead = digits(word);
        let (number, rest) = word.split_at(lead);
        if let Some(after) = rest.strip_prefix(['月', '월']) {
            self.month = number.parse().ok().filter(|month| (1..=12).contains(month));
            self.note_number(after.trim_end_matches(['日', '일']));
        } else if lead > 0 {
            self.note_number(number);
            self.note_name(rest.trim_start_matches('.'));
        } else {
            let name = word.trim_end_matches(|c: char| c.is_ascii_digit());
            self.note_name(name);
            self.note_number(word.get(name.len()..).unwrap_or_default());
        }
    }

    fn note_number(&mut self, number: &str) {
        match (number.len(), number.parse()) {
            (1 | 2, Ok(day)) if (1..=31).contains(&day) => self.day = Some(day),
            (4, Ok(year)) if year >= 1970 => self.year = Some(year),
            _ => {}
        }
    }

    /// The last name wins: a day of the week comes first and may look like a month (`mar.`).
    fn note_name(&mut self, name: &str) {
        self.month = month(name).or(self.month);
    }
}

/// The number of a month by its name, short or long, in the languages of most reports.
fn month(name: &str) -> Option<i64> {
    let name = name.trim_end_matches('.').to_lowercase();
    Some(match name.as_str() {
        "jan" | "january" | "januar" | "janv" | "ene" | "gen" | "sty" | "янв" | "oca" | "led"
        | "jän" | "tammi" | "січ" => 1,
        "feb" | "february" | "februar" | "févr" | "fév" | "fev" | "lut" | "фев" | "şub" | "úno"
        | "helmi" | "febr" | "лют" => 2,
        "mar" | "march" | "märz" | "mär" | "mrz" | "mars" | "mrt" | "мар" | "бře" | "bře"
        | "maalis" | "márc" | "març" | "mac" | "бер" => 3,
        "apr" | "april" | "avr" | "avril" | "abr" | "kwi" | "апр" | "nis" | "dub" | "huhti"
        | "ápr" | "кві" => 4,
        "may" | "mai" | "maj" | "mag" | "mei" | "май" | "мая" | "kvě" | "touko" | "máj"
        | "maig" | "тра" => 5,
        "jun" | "june" | "juni" | "juin" | "giu" | "cze" | "июн" | "haz" | "čen" | "kesä"
        | "jún" | "juny" | "чер" => 6,
        "jul" | "july" | "juli" | "juil" | "lug" | "lip" | "июл" | "tem" | "čec" | "heinä"
        | "júl" | "лип" => 7,
        "aug" | "august" | "août" | "ago" | "sie" | "авг" | "ağu" | "srp" | "elo" | "agu"
        | "ogos" | "сер" => 8,
        "sep" | "sept" | "september" | "set" | "wrz" | "сен" | "eyl" | "zář" | "syys" | "szept"
        | "вер" => 9,
        "oct" | "october" | "okt" | "oktober" | "ott" | "out" | "paź" | "окт" | "eki" | "říj"
        | "loka" | "жов" => 10,
        "nov" | "november" | "lis" | "ноя" | "kas" | "marras" | "лис" => 11,
        "dec" | "december" | "dez" | "dezember" | "déc" | "dic" | "des" | "dis" | "gru" | "дек"
        | "ara" | "pro" | "joulu" | "гру" => 12,
        _ => return None,
    })
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
    reference: Option<Micros>,
    /// The time of the line before, where its year was inferred.
    year: Option<Micros>,
    /// The day of that line as printed, and how far its year is from the one that stands for it.
    shift: Option<(i64, Micros)>,
    /// The time of day of the line before as printed, and with its year.
    printed: Option<(Micros, Wall)>,
    /// Lines were passed since the last stamp, the last with this clock.
    advanced: bool,
    clock: Option<Micros>,
}

impl Flow {
    pub(super) fn set_reference(&mut self, reference: Option<Micros>) {
        self.reference = reference;
    }

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
            let span = self.last.map_or(0, |last| span(now.since(last), wall));
            if time.monotonic.is_none() {
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

    /// Whether [`Self::advance`] can take a line with this time of day, as printed.
    pub(super) fn can_advance(&self, local: Option<Micros>) -> bool {
        match (local, self.printed) {
            (None, None) => true,
            (Some(local), Some((before, wall))) => {
                // After a line out of order the time goes on from the later one.
                self.last == Some(wall.utc())
                    && local >= before
                    && local.0.div_euclid(DAY) == before.0.div_euclid(DAY)
            }
            _ => false,
        }
    }

    /// Lets the time of a line pass as [`Self::stamp`] does, without a stamp.
    pub(super) fn advance(&mut self, clock: Option<Micros>, local: Option<Micros>) {
        self.advanced = true;
        if let Some(now) = clock {
            self.step(self.monotonic.map_or(0, |before| now.since(before).0));
        }
        self.monotonic = clock.or(self.monotonic);
        if let (Some(local), Some((before, wall))) = (local, &mut self.printed) {
            let span = local.since(*before);
            *before = local;
            wall.local = wall.local.plus(span);
            self.last = self.last.map(|last| last.plus(span));
            self.passed = self.passed.plus(span);
            if clock.is_none() {
                self.step(span.0);
            }
        }
        self.clock = clock;
    }

    /// The stamp of the last line that [`Self::advance`] took since the last stamp.
    pub(super) fn settled(&mut self) -> Option<Stamp> {
        let wall = self.printed.map(|(_, wall)| wall);
        let stamp = Stamp { monotonic: self.clock, wall, passed: wall.map(|_| self.passed) };
        std::mem::take(&mut self.advanced).then_some(stamp)
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

/// Without a year, January after December is no step back, and December after January is one.
fn span(span: Micros, wall: Wall) -> i64 {
    match span.0 {
        span if wall.dated != Dated::Unknown => span,
        span if span < -LEAP_YEAR / 2 => span + LEAP_YEAR,
        span if span > LEAP_YEAR / 2 => span - LEAP_YEAR,
        span => span,
    }
}
