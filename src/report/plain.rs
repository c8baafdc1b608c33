//! Writes a log of any format in one that people know and that reads back equal: dmesg's, or
//! syslog's if the log has times of day.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::time::{Fraction, printed};
use crate::record::{Dated, LogFormat, NonRecord, Origin, Record, SkipReason, Stamp, Wall};
use crate::value::{Level, Micros};

/// The placeholder for the machine's name.
const HOST: &str = "localhost";
/// The separator between two boots, as journalctl prints it.
pub(crate) const REBOOT: &str = "-- Reboot --";

/// Writes the records of one log, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct LogWriter {
    /// The start of elapsed times: the time of the first record.
    zero: Option<Wall>,
    /// The elapsed time of the previous record.
    passed: Micros,
}

impl LogWriter {
    /// The lines of a record with line ends, and the beginning of a placeholder for it.
    pub(crate) fn lines(&mut self, record: &Record<'_>) -> (String, String) {
        let day = day(self.wall(&record.stamp));
        let delta = self.delta(record);
        let mut text = String::new();
        let front = head(record, day.as_deref(), &delta);
        for line in record.message.split('\n') {
            let line = harmless(line.strip_suffix('\r').unwrap_or(line));
            let _ = writeln!(text, "{front}{line}");
        }
        // Marks a cut line as a pager does.
        if record.cut {
            text.insert(text.len() - 1, '>');
        }
        let origin = Origin::Program { name: env!("CARGO_PKG_NAME"), pid: Some(0) };
        let ours = Record { origin, buffered: false, level: None, ..*record };
        (text, head(&ours, day.as_deref(), ""))
    }

    /// The time of a record; if only the elapsed time is known, counted from the first record.
    fn wall(&mut self, stamp: &Stamp) -> Option<Wall> {
        match (stamp.wall, stamp.passed, self.zero) {
            (Some(wall), Some(passed), _) => {
                self.zero = Some(Wall { local: wall.local.since(passed), ..wall });
                Some(wall)
            }
            (None, Some(passed), Some(zero)) if stamp.monotonic.is_none() => {
                Some(Wall { local: zero.local.plus(passed), ..zero })
            }
            (wall, ..) => wall,
        }
    }

    /// The time since the previous record, as `dmesg -d` prints it, if the log has no other time.
    fn delta(&mut self, record: &Record<'_>) -> String {
        let Some(passed) = record.stamp.passed else { return String::new() };
        let since = passed.since(std::mem::replace(&mut self.passed, passed)).0.max(0);
        if record.form != LogFormat::DmesgDelta || record.stamp.monotonic.is_some() {
            return String::new();
        }
        format!("[<{:>5}.{:06}>] ", since / 1_000_000, since % 1_000_000)
    }
}

/// The line of a log that is not a record but is needed to read the following ones.
pub(crate) fn passed(passed: &NonRecord<&str>) -> Option<String> {
    (passed.why == SkipReason::ListHeader).then(|| format!("{}\n", passed.text))
}

/// The placeholder, after `head`, for `count` lines that were not printed by the kernel.
pub(crate) fn withheld(head: &str, count: u64) -> String {
    let lines = if count == 1 { "line that is" } else { "lines that are" };
    format!("{head}{count} {lines} not the kernel's, left out here\n")
}

/// The placeholder for `count` lines that were left out because of the size limit. It is read back
/// as a gap.
pub(crate) fn missing(count: u64) -> String {
    format!("Missed {count} kernel messages: left out here so that the file stays small\n")
}

/// Control characters in the notation of /dev/kmsg, because the text may be shown on a terminal.
fn harmless(line: &str) -> Cow<'_, str> {
    let steers = |c: char| c.is_control() && c != '\t';
    if !line.contains(steers) {
        return Cow::Borrowed(line);
    }
    let mut text = String::with_capacity(line.len());
    for c in line.chars() {
        if steers(c) {
            let _ = write!(text, "\\x{:02x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// The part before the text.
fn head(record: &Record<'_>, day: Option<&str>, delta: &str) -> String {
    let clock = record.stamp.monotonic.map(|time| {
        let micros = time.0.max(0);
        format!("[{:>5}.{:06}] ", micros / 1_000_000, micros % 1_000_000)
    });
    let clock = clock.unwrap_or_default();
    let tag = tag(record);
    let kernel = record.buffered || record.origin == Origin::Kernel;
    match day {
        _ if record.process.is_some() => String::new(),
        Some(day) if kernel => {
            let level = record.level.map(|level| format!("kern.{} ", word(level)));
            format!("{day} {HOST} {}kernel: {clock}{tag}", level.unwrap_or_default())
        }
        Some(day) if record.origin == Origin::Unstated => format!("{day} {HOST} "),
        Some(day) => format!("{day} {HOST} {tag}"),
        None if record.form == LogFormat::JournalShortMonotonic && !clock.is_empty() => {
            let kernel = if kernel { "kernel: " } else { "" };
            format!("{clock}{HOST} {kernel}{tag}")
        }
        None if clock.is_empty() => format!("{delta}{tag}"),
        None => {
            let level = record.level.map(|level| format!("kern  :{:<6}: ", word(level)));
            format!("{}{clock}{tag}", level.unwrap_or_default())
        }
    }
}

/// The program's name before its text.
fn tag(record: &Record<'_>) -> String {
    match record.origin {
        Origin::Program { name, pid: Some(pid) } => format!("{name}[{pid}]: "),
        Origin::Program { name, pid: None } => format!("{name}: "),
        Origin::Kernel | Origin::Unstated => String::new(),
    }
}

/// The time of day, no more precise than in the log.
fn day(wall: Option<Wall>) -> Option<String> {
    let wall = wall?;
    let fraction = Fraction::shown_by(wall);
    if wall.dated == Dated::Printed {
        let text = printed(wall, fraction)?;
        return Some(text.strip_suffix('Z').map(|text| format!("{text}+00:00")).unwrap_or(text));
    }
    let time = chrono::DateTime::from_timestamp_micros(wall.local.0)?;
    let time = match fraction {
        Fraction::None => time.format("%b %e %H:%M:%S"),
        Fraction::Micros => time.format("%b %e %H:%M:%S%.6f"),
    };
    Some(time.to_string())
}

/// The level as dmesg and syslog write it.
const fn word(level: Level) -> &'static str {
    ["emerg", "alert", "crit", "err", "warn", "notice", "info", "debug"][level as usize]
}
