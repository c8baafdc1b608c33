//! The clock of a printed time.
//!
//! | clock | printed by | meaning |
//! | --- | --- | --- |
//! | the kernel's | `[secs.usecs]` of dmesg, syslog files and consoles, `/dev/kmsg`, `_SOURCE_MONOTONIC_TIMESTAMP` of a journal | when printk received the message; starts near 0 at boot |
//! | reception | the time of day of journalctl, of a syslog daemon, of a container's log and of logcat | when a daemon read the message: everything before the daemon started has almost the same time |
//! | derived | `dmesg -T`, `--time-format=iso` and `-H` | now minus uptime plus the kernel's time, when dmesg ran; the uptime does not include suspend, so times before the last resume are late by the time suspended since |
//!
//! `journalctl -o short-monotonic` prints the kernel's clock up to systemd 256.0 and reception
//! since 256.1 (systemd issue 34250). The kernel's first line shows which it is: its kernel time is
//! 0, and journald does not run that early. Lines of programs have the time of reception in both.

use super::{LogFormat, Origin, Record};
use crate::value::Micros;

/// A clock that a time was read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Clock {
    /// The kernel's printk clock.
    Kernel,
    /// The clock of the daemon that stored the record.
    Received,
    /// Wall-clock time that dmesg computed from the kernel's clock.
    Derived,
}

impl Clock {
    /// The clock of the times of day in a format.
    const fn of_day(form: LogFormat) -> Option<Self> {
        match form {
            LogFormat::Dmesg
            | LogFormat::DmesgCtime
            | LogFormat::DmesgIso
            | LogFormat::DmesgDelta
            | LogFormat::DmesgReltime
            | LogFormat::Raw
            | LogFormat::DmesgJson
            | LogFormat::Kmsg => Some(Self::Derived),
            LogFormat::JournalShort
            | LogFormat::JournalShortIso
            | LogFormat::JournalShortFull
            | LogFormat::JournalShortMonotonic
            | LogFormat::JournalShortUnix
            | LogFormat::JournalVerbose
            | LogFormat::JournalExport
            | LogFormat::JournalJson
            | LogFormat::Logcat
            | LogFormat::Syslog
            | LogFormat::SyslogIso
            | LogFormat::Csv => Some(Self::Received),
            LogFormat::ProcessListing | LogFormat::Text => None,
        }
    }
}

/// The program and option that write a format with derived times.
pub(crate) const fn deriving(form: LogFormat) -> Option<&'static str> {
    match form {
        LogFormat::DmesgCtime => Some("dmesg -T"),
        LogFormat::DmesgIso => Some("dmesg --time-format=iso"),
        LogFormat::DmesgReltime => Some("dmesg -H"),
        _ => None,
    }
}

/// The kernel's first line is not later than this on its own clock.
const BEGINNING: Micros = Micros::seconds(1);

/// The clocks of one input's records, to be called in the order of lines.
#[derive(Debug, Default)]
pub(crate) struct Clocks {
    /// The clock of short-monotonic, once a kernel's first line has shown it.
    monotonic: Option<Clock>,
}

impl Clocks {
    /// The clock of the best time of a record: seconds since boot if present, else the time of day.
    /// `None` if it has neither, or if it is unknown.
    pub(crate) fn of(&mut self, record: &Record<'_>) -> Option<Clock> {
        let Some(time) = record.stamp.monotonic else {
            return record.stamp.wall.and_then(|_| Clock::of_day(record.form));
        };
        if record.form != LogFormat::JournalShortMonotonic {
            return Some(Clock::Kernel);
        }
        if !record.buffered {
            return Some(Clock::Received);
        }
        if record.origin == Origin::Kernel && record.message.starts_with("Linux version ") {
            let told = if time > BEGINNING { Clock::Received } else { Clock::Kernel };
            self.monotonic = self.monotonic.or(Some(told));
        }
        self.monotonic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Lines;
    use crate::record::{Options, Read, read};

    /// The clock of each record of a log.
    fn clocks(log: &str) -> Vec<Option<Clock>> {
        let mut clocks = Clocks::default();
        let mut found = Vec::new();
        let options = Options { as_it_comes: true, ..Options::default() };
        let done = read(&mut Lines::new(log.as_bytes()), options, |read| {
            if let Read::Record(record) = read {
                found.push(clocks.of(record));
            }
        });
        assert!(done.is_ok());
        found
    }

    #[test]
    fn each_format_has_its_clock() {
        for (line, clock) in [
            ("[  913.550444] usb 1-1: text", Some(Clock::Kernel)),
            ("6,12,913550444,-;usb 1-1: text", Some(Clock::Kernel)),
            ("Mar  4 18:35:23 host kernel: [  913.550444] usb 1-1: text", Some(Clock::Kernel)),
            ("[Wed Mar  4 18:35:23 2026] usb 1-1: text", Some(Clock::Derived)),
            ("2026-03-04T18:35:23,550444+01:00 usb 1-1: text", Some(Clock::Derived)),
            ("[Mar 4 18:35] usb 1-1: text", Some(Clock::Derived)),
            ("[  +0.000019] usb 1-1: text", None),
            ("[  913.550444] [Wed Mar  4 18:35:23 2026] usb 1-1: text", Some(Clock::Kernel)),
            ("Mar 04 18:35:23 host kernel: usb 1-1: text", Some(Clock::Received)),
            ("1772645723.550444 host kernel: usb 1-1: text", Some(Clock::Received)),
            ("03-04 18:35:23.550     0     0 E usb 1-1: text", Some(Clock::Received)),
            (
                r#"{"MESSAGE":"a","_TRANSPORT":"kernel","__REALTIME_TIMESTAMP":"1"}"#,
                Some(Clock::Received),
            ),
            ("usb 1-1: text", None),
        ] {
            assert_eq!(clocks(line), [clock], "{line}");
        }
    }

    #[test]
    fn the_kernels_first_line_decides_the_clock_of_short_monotonic() {
        let log = |start: &str| {
            let line = |time: &str, rest: &str| format!("[ {time}] host {rest}\n");
            line(start, "kernel: Linux version 6.14.2 (builder@forge)")
                + &line("   4.318225", "kernel: usb 1-1: text")
                + &line("   4.318226", "sshd[7]: text")
        };
        let (kernel, received) = (Some(Clock::Kernel), Some(Clock::Received));
        assert_eq!(clocks(&log("   0.000000")), [kernel, kernel, received]);
        assert_eq!(clocks(&log("   3.400000")), [received, received, received]);
        let whole = log("   0.000000");
        let (_, excerpt) = whole.split_once('\n').unwrap();
        assert_eq!(clocks(excerpt), [None, received]);
    }
}
