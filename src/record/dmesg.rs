//! The formats of `dmesg`: any of its options for time, level and caller, and the raw buffer.

use super::draft::Draft;
use super::envelope::{Context, Priority, angle, buffer_origin, caller, kernel_time};
use super::flow::Time;
use super::scan::Scan;
use super::stamp::{self, Mark, Precision};
use super::{LogFormat, syslog};
use crate::value::Micros;

/// Maximum length of text in brackets that can be a time.
const TIME_LIMIT: usize = 48;

/// Reads a line of the kernel's ring buffer.
pub(super) fn read<'a>(line: &'a str, context: Context) -> Option<Draft<&'a str>> {
    let mut scan = Scan::new(line);
    let raw = angle(&mut scan);
    let priority = raw.or_else(|| decoded(&mut scan));
    let mut time = Time::default();
    let mut form = None;
    // With several options for the time, there is one group for each.
    while let Some(found) = group(&mut scan, &mut time, form) {
        form = form.or(Some(found));
        scan.eat(b' ');
    }
    // Vendor kernels print the processor first, `[ 0]`, without a space before it.
    if time.monotonic.is_some() && !line[..line.len() - scan.rest().len()].ends_with(' ') {
        processor(&mut scan);
    }
    if caller(&mut scan) {
        scan.eat(b' ');
        // Without a time, a level or a caller must prove that this is not ordinary text.
        form = form.or(Some(LogFormat::Dmesg));
    }
    let form = match (form, raw, priority) {
        (_, Some(_), _) => LogFormat::Raw,
        (Some(form), ..) => form,
        (None, _, Some(_)) => LogFormat::Dmesg,
        (None, ..) => return None,
    };
    if time.monotonic.is_some()
        && priority.is_none()
        && let Some(found) = syslog::monotonic(scan.rest(), time, context)
    {
        return Some(found);
    }
    let (origin, message) = buffer_origin(priority, scan.rest());
    Some(Draft { priority, buffered: true, ..Draft::new(form, time, origin, message) })
}

/// `[ 0] `.
fn processor(scan: &mut Scan) {
    scan.attempt(|scan| {
        scan.expect(b'[')?;
        scan.blanks();
        scan.number(4)?;
        scan.expect(b']')?;
        scan.expect(b' ')
    });
}

/// `kern  :err   : `, from `dmesg -x`.
fn decoded(scan: &mut Scan) -> Option<Priority> {
    let line = scan.rest();
    if !line.starts_with(|c: char| c.is_ascii_lowercase()) {
        return None;
    }
    let (facility, rest) = line.get(..24).unwrap_or(line).split_once(':')?;
    let (level, _) = rest.split_once(':')?;
    let priority = Priority::named(facility.trim_end(), level.trim_end())?;
    let behind = &line[facility.len() + level.len() + 2..];
    *scan = Scan::new(behind.strip_prefix(' ')?);
    Some(priority)
}

/// The next group of time, unless `time` has it already.
fn group(scan: &mut Scan, time: &mut Time, form: Option<LogFormat>) -> Option<LogFormat> {
    match scan.peek() {
        Some(b'[') => bracket(scan, time, form),
        Some(b'1'..=b'2') if time.wall.is_none() => {
            // The space after it makes it a field.
            let is_field = |scan: &Scan, mark| mark == Mark::Comma && scan.peek() == Some(b' ');
            time.wall = Some(scan.attempt(|scan| {
                let (wall, mark) = stamp::iso(scan)?;
                is_field(scan, mark).then_some(wall)
            })?);
            Some(LogFormat::DmesgIso)
        }
        _ => None,
    }
}

fn bracket(scan: &mut Scan, time: &mut Time, form: Option<LogFormat>) -> Option<LogFormat> {
    if time.monotonic.is_none()
        && let Some(clock) = kernel_time(scan)
    {
        time.monotonic = Some(clock);
        return Some(LogFormat::Dmesg);
    }
    let mut ahead = *scan;
    ahead.expect(b'[')?;
    if let Some(found) =
        kernel_clock(&mut ahead, time).or_else(|| difference(&mut ahead, time, form))
    {
        *scan = ahead;
        return Some(found);
    }
    // `[drm` begins half of all texts, and is not a time.
    let dated = time.wall.is_some() && form != Some(LogFormat::DmesgReltime);
    if dated || scan.rest().starts_with("[drm") {
        return None;
    }
    let rest = scan.rest().get(1..)?;
    let end = memchr::memchr(b']', rest.as_bytes()).filter(|&end| end <= TIME_LIMIT)?;
    let inside = rest.get(..end).filter(|inside| inside.contains(':'))?;
    let (date, delta) = match inside.split_once(" <") {
        Some((date, delta)) => (date, Some(angled(&mut Scan::new(delta))?)),
        None => (inside, None),
    };
    let wall = stamp::bracketed(date)?;
    time.wall = Some(wall);
    time.delta = time.delta.or(delta);
    *scan = Scan::new(rest.get(end + 1..)?);
    Some(match wall.precision {
        Precision::Minute => LogFormat::DmesgReltime,
        Precision::Second => LogFormat::DmesgCtime,
    })
}

/// `2649.203914]`, optionally with the difference to the previous line:
/// `2649.203914 <   10.239189>]` by dmesg, `2649.203914 <   10.239189 >]` by journalctl.
fn kernel_clock(scan: &mut Scan, time: &mut Time) -> Option<LogFormat> {
    if time.monotonic.is_some() {
        return None;
    }
    let (clock, form) = scan.attempt(|scan| {
        let clock = scan.seconds()?;
        if scan.eat(b']') {
            return Some((clock, LogFormat::Dmesg));
        }
        scan.expect(b' ')?;
        let form = if scan.eat(b'<') {
            angled(scan)?;
            LogFormat::DmesgDelta
        } else {
            // Without a previous line, journalctl prints spaces.
            (scan.blanks() >= 12).then_some(LogFormat::Dmesg)?
        };
        scan.expect(b']')?;
        Some((clock, form))
    })?;
    time.monotonic = Some(clock);
    Some(form)
}

/// The part after `<`: `    0.187241>` or `   10.239189 >` or `   10.239189*>`.
fn angled(scan: &mut Scan) -> Option<Micros> {
    let delta = signed(scan)?;
    if !scan.eat(b'*') {
        scan.eat(b' ');
    }
    scan.expect(b'>')?;
    Some(delta)
}

fn signed(scan: &mut Scan) -> Option<Micros> {
    scan.blanks();
    let negative = scan.eat(b'-');
    if !negative {
        scan.eat(b'+');
    }
    let Micros(size) = scan.seconds()?;
    Some(Micros(if negative { -size } else { size }))
}

/// `<    0.187241>]` or `  +0.187241]`.
fn difference(scan: &mut Scan, time: &mut Time, form: Option<LogFormat>) -> Option<LogFormat> {
    if time.delta.is_some() && form != Some(LogFormat::DmesgReltime) {
        return None;
    }
    let (delta, form) = scan.attempt(|scan| {
        let found = if scan.eat(b'<') {
            (angled(scan)?, LogFormat::DmesgDelta)
        } else {
            // A sign distinguishes a difference from a clock.
            scan.rest().trim_start().starts_with(['+', '-']).then_some(())?;
            (signed(scan)?, LogFormat::DmesgReltime)
        };
        scan.expect(b']')?;
        Some(found)
    })?;
    time.delta = Some(delta);
    Some(form)
}
