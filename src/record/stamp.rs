//! Formats of dates and times. Independent of envelopes, which determine where a time is in a line.

use chrono::NaiveDate;

use super::Wall;
use super::flow::{DAY, Dated, NO_YEAR};
use super::scan::Scan;
use crate::value::Micros;

/// The known parts of a date, with a time of day in microseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    clock: i64,
}

impl Parts {
    /// `None` if the date does not exist.
    fn wall(self) -> Option<Wall> {
        let number = |part: Option<i64>| part.and_then(|part| u32::try_from(part).ok());
        let year = self.year.and_then(|year| i32::try_from(year).ok());
        let date = match (number(self.month), number(self.day)) {
            (Some(month), Some(day)) => {
                NaiveDate::from_ymd_opt(year.unwrap_or(NO_YEAR), month, day)?
            }
            // Without a month the day is meaningless: only the time is used.
            _ => NaiveDate::default(),
        };
        let whole = self.year.is_some() && self.month.is_some() && self.day.is_some();
        let dated = if whole { Dated::Printed } else { Dated::Unknown };
        let days = i64::from(date.to_epoch_days());
        let local = Micros(days * DAY + self.clock);
        Some(Wall { local, offset: None, dated, precision: Precision::Second })
    }
}

/// `HH:MM:SS`, with or without a fraction, in microseconds since midnight.
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

/// The fraction after the seconds in microseconds; 0 without one.
pub(super) fn fraction(scan: &mut Scan) -> i64 {
    let read = |scan: &mut Scan| {
        scan.expect(b'.')?;
        scan.fraction()
    };
    scan.attempt(read).unwrap_or(0)
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

/// The mark before the fraction of a second, which shows the writer of an ISO time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Comma,
    Other,
}

/// `2026-11-19T10:33:00.204097+01:00`, with any notation of the offset, or none.
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
        Some(b'Z') => scan.eat(b'Z').then_some(0),
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

/// `Thu 2026-11-19 10:33:00 CET`, with the day of the week in any language.
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
    // Other zone names are ambiguous.
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

/// `Nov 19 10:33:00`, in the C locale.
pub(super) fn short(scan: &mut Scan) -> Option<Wall> {
    short_parts(scan)?.wall()
}

fn short_parts(scan: &mut Scan) -> Option<Parts> {
    const NAMES: [&str; 12] = [
        "Jan ", "Feb ", "Mar ", "Apr ", "May ", "Jun ", "Jul ", "Aug ", "Sep ", "Oct ", "Nov ",
        "Dec ",
    ];
    let name = scan.rest().get(..4)?;
    let month = (1..).zip(NAMES).find(|(_, known)| *known == name)?.0;
    scan.word();
    scan.blanks();
    let day = scan.number(2).filter(|day| (1..=31).contains(day))?;
    scan.expect(b' ')?;
    let clock = clock(scan)?;
    Some(Parts { year: None, month: Some(month), day: Some(day), clock })
}

/// A date with words of any language, up to its time of day: `nov. 18 21:15:03`,
/// `Thu Nov 19 10:33:01 2026`. Requires at least a day of the month and one word.
pub(super) fn worded(scan: &mut Scan) -> Option<Wall> {
    let mut parts = Parts::default();
    let mut words = 0;
    let mut found = None;
    for _ in 0..4 {
        found = scan.attempt(clock);
        if found.is_some() {
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
    parts.year = scan
        .attempt(|scan| {
            scan.expect(b' ')?;
            let year = scan.number(4).filter(|&year| year >= 1970)?;
            matches!(scan.peek(), Some(b' ') | None).then_some(year)
        })
        .or(parts.year);
    parts.wall()
}

/// The content of brackets in `dmesg -T` and of the anchors of `dmesg -H`, in any language: a time
/// of day, and the recognised parts of the date.
pub(super) fn bracketed(inside: &str) -> Option<Wall> {
    if let Some(wall) = ctime(inside) {
        return Some(wall);
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
    Some(Wall { precision: found?, ..parts.wall()? })
}

/// `Thu Nov 19 10:33:00 2026`, in the C locale.
fn ctime(inside: &str) -> Option<Wall> {
    let mut scan = Scan::new(inside.get(4..).filter(|_| inside.as_bytes().get(3) == Some(&b' '))?);
    let parts = short_parts(&mut scan)?;
    scan.expect(b' ')?;
    let year = scan.number(4).filter(|&year| year >= 1970 && scan.rest().is_empty())?;
    Parts { year: Some(year), ..parts }.wall()
}

/// A time of day with any date before it, as viewers, chats and web consoles print it:
/// `10:46:51`, `10:46`, `2026/05/03 10:13:07,123`, `12/04/2026 10:46:51 AM`, `May-03 10:13:07`.
///
/// In `12/04` the month is ambiguous, so such a date is ignored.
pub(super) fn loose(scan: &mut Scan) -> Option<Wall> {
    let mut parts = Parts::default();
    for _ in 0..4 {
        if let Some(clock) = scan.attempt(loose_clock) {
            parts.clock = clock;
            let known = parts.day.is_some() && parts.month.is_some();
            return if known { parts.wall() } else { Parts { clock, ..Parts::default() }.wall() };
        }
        let word = scan.rest().split([' ', 'T', '_']).next()?;
        let date = word.trim_end_matches(',');
        if date.len() > 16 || !parts.note_date(date) {
            return None;
        }
        scan.skip(word);
        scan.blanks();
        let _ = scan.eat(b'T') || scan.eat(b'_');
    }
    None
}

/// `10:46:51`, `9:05`, optionally with a fraction, a zone and AM or PM.
fn loose_clock(scan: &mut Scan) -> Option<i64> {
    let hours = scan.number(2).filter(|&hours| hours < 24)?;
    scan.expect(b':')?;
    let minutes = scan.pair().filter(|&minutes| minutes < 60)?;
    let seconds = scan.attempt(|scan| {
        scan.expect(b':')?;
        scan.pair().filter(|&seconds| seconds <= 60)
    });
    if scan.peek().is_some_and(|byte| byte == b':' || byte.is_ascii_alphanumeric() && byte != b'Z')
    {
        return None;
    }
    // The device `13:00.0`.
    let device =
        |text: &[u8]| matches!(text, [b'.', b'0'..=b'7', b':' | b' ', ..] | [b'.', b'0'..=b'7']);
    if seconds.is_none() && device(scan.rest().as_bytes()) {
        return None;
    }
    let fraction = scan.attempt(|scan| {
        let _ = scan.eat(b'.') || scan.expect(b',').is_some();
        scan.fraction()
    });
    let sign = scan.peek().filter(|byte| matches!(byte, b'+' | b'-'));
    if let Some(sign) = sign {
        scan.attempt(|scan| offset(scan, sign));
    }
    scan.eat(b'Z');
    let half = scan.attempt(|scan| {
        scan.expect(b' ')?;
        match scan.word() {
            "AM" | "am" => Some(if hours == 12 { -12 } else { 0 }),
            "PM" | "pm" => Some(if hours < 12 { 12 } else { 0 }),
            _ => None,
        }
    });
    let hours = hours + half.unwrap_or(0);
    let seconds = (hours * 60 + minutes) * 60 + seconds.unwrap_or(0);
    Some(seconds * 1_000_000 + fraction.unwrap_or(0))
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

/// The smallest unit of a time of day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `10:46`.
    Minute,
    /// `10:46:51`, with or without a fraction.
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
    /// Interprets a word of a date: `19`, `19.`, `2026`, `Nov`, `Nov19`, `19nov.`,
    /// `11月`, `11月19`, or the name of a day of the week, which is ignored.
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
            self.note_number(&word[name.len()..]);
        }
    }

    /// Interprets a date in one word, or a word of one, in any order; returns false if it is
    /// neither.
    fn note_date(&mut self, word: &str) -> bool {
        let part = |part: &str| {
            let name = part.trim_end_matches('.');
            !part.is_empty()
                && (part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit())
                    || month(name).is_some()
                    || is_weekday(name))
        };
        let pieces: Vec<&str> = word.split(['-', '/', '.', ',']).collect();
        if pieces.len() > 3 || !pieces.iter().all(|piece| part(piece)) {
            return false;
        }
        match pieces[..] {
            // With the year first, the month is next.
            [year, month, day] if year.len() == 4 => {
                self.year = year.parse().ok();
                self.month = month.parse().ok().filter(|month| (1..=12).contains(month));
                self.day = day.parse().ok();
            }
            _ => pieces.iter().for_each(|piece| self.note(piece)),
        }
        true
    }

    fn note_number(&mut self, number: &str) {
        match (number.len(), number.parse()) {
            (1 | 2, Ok(day)) if (1..=31).contains(&day) => self.day = Some(day),
            (4, Ok(year)) if year >= 1970 => self.year = Some(year),
            _ => {}
        }
    }

    /// The last name counts: a day of the week comes first and may look like a month (`mar.`).
    fn note_name(&mut self, name: &str) {
        self.month = month(name).or(self.month);
    }
}

/// Names of months, short or long, in the languages of most reports.
const MONTHS: [&str; 12] = [
    "jan january januar janv ene gen sty янв oca led jän tammi січ",
    "feb february februar févr fév fev lut фев şub úno helmi febr лют",
    "mar march märz mär mrz mars mrt мар бře bře maalis márc març mac бер",
    "apr april avr avril abr kwi апр nis dub huhti ápr кві",
    "may mai maj mag mei май мая kvě touko máj maig тра",
    "jun june juni juin giu cze июн haz čen kesä jún juny чер",
    "jul july juli juil lug lip июл tem čec heinä júl лип",
    "aug august août ago sie авг ağu srp elo agu ogos сер",
    "sep sept september set wrz сен eyl zář syys szept вер",
    "oct october okt oktober ott out paź окт eki říj loka жов",
    "nov november lis ноя kas marras лис",
    "dec december dez dezember déc dic des dis gru дек ara pro joulu гру",
];

/// Whether the word is an English day of the week.
fn is_weekday(name: &str) -> bool {
    const NAMES: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    NAMES.iter().any(|known| name.starts_with(known)) && name.len() <= 9
}

/// The number of a month with this name.
fn month(name: &str) -> Option<i64> {
    let name = name.trim_end_matches('.').to_lowercase();
    let is_called = |names: &str| names.split(' ').any(|known| known == name);
    (1..).zip(MONTHS).find(|(_, names)| is_called(names)).map(|(number, _)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_no_time_of_day() {
        let of = |text| loose(&mut Scan::new(text)).is_some();
        for text in ["13:00:01 x", "13:00:01.1 x", "13:00 x", "9:05 x", "09:05.250 x"] {
            assert!(of(text), "{text}");
        }
        for text in ["13:00.0: x", "13:00.0 x", "04:00.7"] {
            assert!(!of(text), "{text}");
        }
    }
}
