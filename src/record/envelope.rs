//! Parts that several envelopes share.

use super::scan::Scan;
use super::{Level, LogFormat, Origin};
use crate::value::{Micros, PciAddress};

/// Facility and level, with syslog's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Priority {
    /// 0 is the kernel.
    pub(super) facility: u8,
    pub(super) level: Level,
}

/// Context from earlier lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// The format of the previous line.
    pub(super) form: LogFormat,
    /// The host in the kernel's lines; empty if unknown.
    pub(super) host: &'a str,
}

impl Priority {
    /// Parses the number in `<30>`.
    pub(super) fn of(number: i64) -> Option<Self> {
        let number = u8::try_from(number).ok().filter(|&number| number < 24 << 3)?;
        Some(Self { facility: number >> 3, level: Level::ALL[usize::from(number & 7)] })
    }

    /// Parses the names, `kern` and `err`.
    pub(super) fn named(facility: &str, level: &str) -> Option<Self> {
        const FACILITIES: [&str; 12] = [
            "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron",
            "authpriv", "ftp",
        ];
        let known = FACILITIES.iter().position(|&name| name == facility);
        let local =
            || facility.strip_prefix("local").or(facility.strip_prefix("res"))?.parse().ok();
        let facility = known.or_else(local).and_then(|facility| u8::try_from(facility).ok())?;
        Some(Self { facility, level: level_named(level)? })
    }

    pub(super) fn is_kernel(self) -> bool {
        self.facility == 0
    }

    /// Whether the facility is one of `local0` to `local7`, which a forwarder puts in place of the
    /// original one.
    pub(super) fn is_local(self) -> bool {
        self.facility >= 16
    }
}

fn level_named(name: &str) -> Option<Level> {
    Some(match name {
        "emerg" | "panic" => Level::Emergency,
        "alert" => Level::Alert,
        "crit" => Level::Critical,
        "err" | "error" => Level::Error,
        "warn" | "warning" => Level::Warning,
        "notice" => Level::Notice,
        "info" => Level::Info,
        "debug" => Level::Debug,
        _ => return None,
    })
}

/// A device in the notation of kernel and journal: `+pci:0000:03:00.0`.
pub(super) fn device(name: &str) -> Option<PciAddress> {
    name.strip_prefix("+pci:")?.parse().ok()
}

/// `<30>` at the beginning.
pub(super) fn angle(scan: &mut Scan) -> Option<Priority> {
    scan.attempt(|scan| {
        scan.expect(b'<')?;
        let number = scan.number(3)?;
        scan.expect(b'>')?;
        Priority::of(number)
    })
}

/// `[    C3]` or `[ T312]`: the processor or thread that printed a line (`kernel/printk/printk.c`).
pub(super) fn caller(scan: &mut Scan) -> bool {
    let read = |scan: &mut Scan| {
        scan.expect(b'[')?;
        scan.blanks();
        let marked = scan.eat(b'T') || scan.eat(b'C');
        scan.number(10).filter(|_| marked)?;
        scan.expect(b']')
    };
    scan.attempt(read).is_some()
}

/// `[ 2649.203914]` with exactly six decimals.
pub(super) fn kernel_time(scan: &mut Scan) -> Option<Micros> {
    scan.attempt(|scan| {
        scan.expect(b'[')?;
        scan.blanks();
        let seconds = scan.number(12)?;
        scan.expect(b'.')?;
        let fraction = scan.six()?;
        scan.expect(b']')?;
        Some(Micros(seconds * 1_000_000 + fraction))
    })
}

/// The sender of a line in the kernel's ring buffer, and the rest of the text.
///
/// Programs write to it, too, as `systemd[1]: text`. The facility decides if it is printed, else
/// the form of the text.
pub(super) fn buffer_origin(priority: Option<Priority>, text: &str) -> (Origin<&str>, &str) {
    if priority.is_some_and(Priority::is_kernel) {
        return (Origin::Kernel, text);
    }
    match identified(text) {
        Some((origin, rest)) if priority.is_some() || !is_of_kernel(rest) => (origin, rest),
        _ if priority.is_some() => (Origin::Program { name: "unknown", pid: None }, text),
        _ => (Origin::Kernel, text),
    }
}

/// Text that the kernel itself prints after `name[pid]: ` when a program is killed.
fn is_of_kernel(text: &str) -> bool {
    ["segfault at ", "unhandled ", "bad frame in ", "syscall "]
        .iter()
        .any(|begin| text.starts_with(begin))
}

/// `name[pid]: text`.
pub(super) fn identified(text: &str) -> Option<(Origin<&str>, &str)> {
    // The first word excludes most texts.
    let end =
        text.bytes().take(64).position(|byte| byte == b'[' || byte == b' ' || byte == b':')?;
    let name = text.get(..end).filter(|name| !name.is_empty())?;
    let mut scan = Scan::new(text.get(end..)?);
    scan.expect(b'[')?;
    let pid = scan.number(10)?;
    scan.expect(b']')?;
    scan.expect(b':')?;
    let pid = u32::try_from(pid).ok()?;
    let rest = scan.rest();
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    Some((Origin::Program { name, pid: Some(pid) }, rest))
}
