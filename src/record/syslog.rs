//! Formats with host and tag: the short formats of `journalctl`, and files of syslog daemons.

use super::draft::Draft;
use super::envelope::{Context, Priority, angle, buffer_origin, caller, identified, kernel_time};
use super::flow::Time;
use super::scan::{Scan, cut};
use super::stamp::{self, Mark};
use super::{Level, LogFormat, Origin};
use crate::value::{Micros, Token};

/// The notation of a line's time, which determines half of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Short,
    Worded,
    Iso,
    Full,
    Unix,
}

/// Reads a line with a time of day, host and tag.
pub(super) fn read<'a>(line: &'a str, context: Context) -> Option<Draft<&'a str>> {
    let mut scan = Scan::new(line);
    let priority = angle(&mut scan);
    if priority.is_some() && scan.rest().starts_with("1 ") {
        return structured(Scan::new(scan.rest().get(2..)?), priority);
    }
    let (wall, style) = wall(&mut scan)?;
    scan.expect(b' ')?;
    let time = Time { wall: Some(wall), ..Time::default() };
    let tail = tail(scan.rest(), time, priority, context)?;
    // An unknown word may be a month; then the rest must look as expected.
    if style == Style::Worded && tail.origin == Origin::Unstated {
        return None;
    }
    let daemon = matches!(context.form, LogFormat::Syslog | LogFormat::SyslogIso) && !tail.buffered;
    let stamped = tail.time.monotonic.is_some() || priority.is_some() || daemon;
    let form = match (style, stamped) {
        (Style::Short | Style::Worded, false) => LogFormat::JournalShort,
        (Style::Short | Style::Worded, true) => LogFormat::Syslog,
        (Style::Iso, false) => LogFormat::JournalShortIso,
        (Style::Iso, true) => LogFormat::SyslogIso,
        (Style::Full, _) => LogFormat::JournalShortFull,
        (Style::Unix, _) => LogFormat::JournalShortUnix,
    };
    Some(Draft { form, ..tail })
}

/// Reads a line of `logcat -b kernel -v threadtime`: time, process, thread, level, text.
pub(super) fn logcat(line: &str) -> Option<Draft<&str>> {
    let mut scan = Scan::new(line);
    let wall = stamp::logcat(&mut scan)?;
    let mut number = || {
        (scan.blanks() > 0).then_some(())?;
        scan.number(10)
    };
    let (pid, _thread) = (number()?, number()?);
    scan.expect(b' ')?;
    let level = match scan.word() {
        "V" | "D" => Level::Debug,
        "I" => Level::Info,
        "W" => Level::Warning,
        "E" => Level::Error,
        "F" => Level::Critical,
        _ => return None,
    };
    scan.eat(b' ');
    let (origin, message) = match pid {
        // Buffers of programs have a tag before the text.
        0 => (Origin::Kernel, scan.rest()),
        pid => {
            let (name, text) = scan.rest().split_once(": ")?;
            (Origin::Program { name: name.trim_end(), pid: u32::try_from(pid).ok() }, text)
        }
    };
    let time = Time { wall: Some(wall), ..Time::default() };
    let bare = Draft::new(LogFormat::Logcat, time, origin, message);
    let priority = Priority { facility: u8::from(!bare.buffered), level };
    Some(Draft { priority: Some(priority), ..bare })
}

/// Whether a time of day, `10:33:00`, is near the start: a fast check.
fn has_clock(text: &str) -> bool {
    let head = text.as_bytes().get(..48).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b':', head).any(|at| {
        let digit = |at: usize| head.get(at).is_some_and(u8::is_ascii_digit);
        digit(at + 1) && digit(at + 2) && head.get(at + 3) == Some(&b':')
    })
}

fn wall(scan: &mut Scan) -> Option<(super::Wall, Style)> {
    let start = *scan;
    let mut attempt = |read: fn(&mut Scan) -> Option<super::Wall>, style| {
        scan.attempt(read).map(|wall| (wall, style))
    };
    if start.peek()?.is_ascii_digit() {
        let iso = |scan: &mut Scan| {
            stamp::iso(scan).filter(|(_, mark)| *mark == Mark::Other).map(|found| found.0)
        };
        return attempt(iso, Style::Iso).or_else(|| attempt(stamp::unix, Style::Unix)).or_else(
            || has_clock(start.rest()).then(|| attempt(stamp::worded, Style::Worded)).flatten(),
        );
    }
    if !has_clock(start.rest()) {
        return None;
    }
    attempt(stamp::short, Style::Short)
        .or_else(|| attempt(stamp::full, Style::Full))
        .or_else(|| attempt(stamp::worded, Style::Worded))
}

/// Reads the part after the time in brackets of `journalctl -o short-monotonic`: host and tag.
///
/// `amdgpu 0000:03:00.0: text` has the same shape, so the tag must be `kernel` or have a process
/// id, or the host must be the one of earlier kernel lines.
pub(super) fn monotonic<'a>(rest: &'a str, time: Time, context: Context) -> Option<Draft<&'a str>> {
    let form = LogFormat::JournalShortMonotonic;
    if let Some(message) = rest.strip_prefix("kernel: ") {
        return Some(Draft::new(form, time, Origin::Kernel, message));
    }
    let (host, rest) = cut(rest).filter(|(host, _)| is_host(host))?;
    let known = host == context.host;
    let (origin, message) = match rest.strip_prefix("kernel: ") {
        Some(message) => (Origin::Kernel, message),
        // The search for a tag is only worthwhile if it can succeed.
        None if known || cut(rest).is_some_and(|(word, _)| word.ends_with("]:")) => tag(rest)
            .filter(|found| known || matches!(found.0, Origin::Program { pid: Some(_), .. }))?,
        None => return None,
    };
    Some(Draft { host: Some(host), ..Draft::new(form, time, origin, message) })
}

/// Whether the word can be the name of a machine, or its token after `amdtriage redact`; a driver's
/// name with its colon cannot.
fn is_host(word: &str) -> bool {
    is_name(word) || Token::is(word) || is_masked(word)
}

/// Whether the word has the letters and the length of a machine's name.
fn is_name(word: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_*".contains(&byte);
    !word.is_empty() && word.len() <= 64 && word.bytes().all(is_part)
}

/// Whether a person put the word in place of a machine's name: `[HOST]`, `<hostname>`. A time in
/// brackets has no letter, and a program may put the level there.
fn is_masked(word: &str) -> bool {
    const OTHERS: [&str; 18] = [
        "trace", "debug", "info", "notice", "warn", "warning", "err", "error", "crit", "critical",
        "alert", "emerg", "fatal", "fine", "verbose", "kernel", "drm", "amdgpu",
    ];
    let between = |open, close| word.strip_prefix(open)?.strip_suffix(close);
    between('[', ']').or_else(|| between('<', '>')).is_some_and(|name| {
        let is_other = OTHERS.iter().any(|other| name.eq_ignore_ascii_case(other));
        let has_letter = name.bytes().any(|byte| byte.is_ascii_alphabetic());
        let is_phrase = !name.contains(' ') || name.to_ascii_lowercase().contains("host");
        has_letter && name.split(' ').all(is_name) && is_phrase && !is_other
    })
}

/// Everything after the time: host, facility and level, tag, and the kernel's prefix.
fn tail<'a>(
    rest: &'a str,
    time: Time,
    priority: Option<Priority>,
    context: Context,
) -> Option<Draft<&'a str>> {
    // The form of nearly every line of the kernel.
    if priority.is_none()
        && let Some((host, text)) = cut(rest)
        && let Some(text) = text.strip_prefix("kernel: ")
        && is_host(host)
        && pair(host).is_none()
        && !is_of_klogd(text)
    {
        return Some(Draft { host: Some(host), ..buffered(text, time, None) });
    }
    let mut priority = priority;
    let bare = Draft::new(context.form, time, Origin::Unstated, rest);
    let bare = Draft { priority, ..bare };
    let rest = rest.trim_start_matches(' ');
    if let Some(found) = masked(rest, time, bare) {
        return Some(found);
    }
    // A container's log driver adds a time, and no host, to each line of the ring buffer.
    if rest.starts_with('[') {
        return Some(buffered(rest, time, priority))
            .filter(|found| found.time.monotonic.is_some())
            .or(Some(bare));
    }
    let (first, behind) = rest.split_once(' ').unwrap_or((rest, ""));
    let mut text = behind.trim_start_matches(' ');
    let mut host = Some(first);
    // `kern.err:` of socklog, which has no host.
    if let Some(named) = first.strip_suffix(':').and_then(pair) {
        (priority, host) = (Some(named), None);
        if named.is_kernel() {
            return Some(buffered(text, time, priority));
        }
    } else if first.ends_with(':') && first.len() > 1 || first.contains('[') {
        (text, host) = (rest, None);
    } else if let Some(named) = text.split_once(' ').and_then(|(word, _)| pair(word)) {
        priority = Some(named);
        text = text.split_once(' ').map_or("", |(_, rest)| rest);
    } else if let Some(named) = pair(first) {
        (priority, host) = (Some(named), None);
        // A template may put the host after it.
        if let Some((word, rest)) = cut(text).filter(|(word, _)| is_host(word)) {
            (text, host) = (rest, Some(word));
        }
    }
    let host = host.filter(|host| is_host(host));
    if text.starts_with('[') {
        return Some(Draft { host, ..buffered(text, time, priority) })
            .filter(|found| found.time.monotonic.is_some())
            .or(Some(bare));
    }
    let Some((origin, message)) = tag(text) else { return Some(bare) };
    if is_of_klogd(message) {
        let origin = Origin::Program { name: "klogd", pid: None };
        return Some(Draft { priority, origin, host, message, ..bare });
    }
    if origin == Origin::Kernel {
        return Some(Draft { host, ..buffered(message, time, priority) });
    }
    Some(Draft { priority, origin, host, message, ..bare })
}

/// The line of a machine whose name is masked, if a tag shows that it is one: `[drm]` may stand in its
/// place.
fn masked<'a>(rest: &'a str, time: Time, bare: Draft<&'a str>) -> Option<Draft<&'a str>> {
    let close = match rest.as_bytes().first()? {
        b'[' => "] ",
        b'<' => "> ",
        _ => return None,
    };
    let end = rest.find(close)? + 1;
    let (host, text) = rest.split_at_checked(end).filter(|(host, _)| is_masked(host))?;
    let text = text.trim_start_matches(' ');
    let named = text.split_once(' ').and_then(|(word, text)| Some((pair(word)?, text)));
    let (priority, text) = named.map_or((bare.priority, text), |(level, text)| (Some(level), text));
    let (origin, message) = tag(text)?;
    let host = Some(host);
    match origin {
        Origin::Kernel => Some(Draft { host, ..buffered(message, time, priority) }),
        Origin::Program { pid: Some(_), .. } => {
            Some(Draft { priority, origin, host, message, ..bare })
        }
        Origin::Program { pid: None, .. } | Origin::Unstated => None,
    }
}

/// Messages of busybox' klogd itself, under the kernel's name.
fn is_of_klogd(message: &str) -> bool {
    message.starts_with("klogd")
        && (message.starts_with("klogd started: ") || message == "klogd: exiting")
}

/// `kern.err`.
fn pair(word: &str) -> Option<Priority> {
    let (facility, level) = word.split_once('.')?;
    Priority::named(facility, level)
}

/// `kernel: text` or `name[pid]: text` or `name: text`. A name may contain a space if a process id
/// follows.
fn tag(text: &str) -> Option<(Origin<&str>, &str)> {
    if let Some(rest) = text.strip_prefix("kernel:") {
        return Some((Origin::Kernel, rest.strip_prefix(' ').unwrap_or(rest)));
    }
    if let Some((origin, rest)) = identified(text) {
        let kernel = matches!(origin, Origin::Program { name: "kernel", .. });
        return Some((if kernel { Origin::Kernel } else { origin }, rest));
    }
    let window = text.get(..64).unwrap_or(text);
    let mut from = 0;
    while let Some(found) = memchr::memchr(b':', window.as_bytes().get(from..)?) {
        let end = from + found;
        from = end + 1;
        if !matches!(text.as_bytes().get(end + 1), None | Some(b' ')) {
            continue;
        }
        let message = text.get(end + 2..).unwrap_or("");
        let head = text.get(..end)?;
        if let Some((name, pid)) = head.strip_suffix(']').and_then(|head| head.rsplit_once('[')) {
            let pid = pid.parse().ok()?;
            return Some((Origin::Program { name, pid: Some(pid) }, message));
        }
        return (!head.is_empty() && !head.contains(' '))
            .then_some((Origin::Program { name: head, pid: None }, message));
    }
    None
}

/// The text of a line from the kernel's ring buffer as a daemon stored it, with or without
/// `[ktime]`.
fn buffered(text: &str, time: Time, priority: Option<Priority>) -> Draft<&str> {
    let mut scan = Scan::new(text);
    let told = priority.filter(|priority| !priority.is_local());
    let Some(monotonic) = kernel_time(&mut scan).or_else(|| damaged(&mut scan)) else {
        let text = if caller(&mut scan) { scan.rest().trim_start_matches(' ') } else { text };
        // A daemon that removed its time also removed the names of programs.
        let origin = match told {
            Some(told) if !told.is_kernel() => buffer_origin(Some(told), text).0,
            _ => Origin::Kernel,
        };
        let bare = Draft::new(LogFormat::JournalShort, time, origin, text);
        return Draft { priority, buffered: true, ..bare };
    };
    let mut ahead = scan;
    ahead.eat(b' ');
    if caller(&mut ahead) {
        scan = ahead;
    }
    scan.eat(b' ');
    let (origin, message) = buffer_origin(told, scan.rest());
    let time = Time { monotonic: Some(monotonic), ..time };
    let bare = Draft::new(LogFormat::Syslog, time, origin, message);
    Draft { priority, buffered: true, ..bare }
}

/// `   3.402118] `: syslog-ng takes the bracket and the space of a program's line as a header.
fn damaged(scan: &mut Scan) -> Option<Micros> {
    scan.attempt(|scan| {
        let seconds = scan.seconds()?;
        scan.expect(b']')?;
        (scan.peek() == Some(b' ')).then_some(seconds)
    })
}

/// RFC 5424 after `<30>1 `: time, host, application, process, message id, structured data.
fn structured(mut scan: Scan<'_>, priority: Option<Priority>) -> Option<Draft<&str>> {
    let wall = if scan.eat(b'-') { None } else { Some(stamp::iso(&mut scan)?.0) };
    let mut word = || {
        scan.expect(b' ')?;
        Some(scan.word())
    };
    let [host, name, pid, _kind] = [word()?, word()?, word()?, word()?];
    let pid = pid.parse().ok();
    scan.expect(b' ')?;
    structured_data(&mut scan)?;
    scan.eat(b' ');
    let text = scan.rest().trim_start_matches('\u{FEFF}');
    let time = Time { wall, ..Time::default() };
    let form = LogFormat::SyslogIso;
    let host = Some(host).filter(|host| is_host(host) && *host != "-");
    if name == "kernel" {
        // rsyslog writes the space after a tag here, too.
        let text = text.strip_prefix(' ').unwrap_or(text);
        return Some(Draft { form, host, ..buffered(text, time, priority) });
    }
    let origin = Origin::Program { name, pid };
    Some(Draft { priority, host, ..Draft::new(form, time, origin, text) })
}

/// `-`, or groups in brackets with quoted values of any content.
fn structured_data(scan: &mut Scan) -> Option<()> {
    if scan.eat(b'-') {
        return Some(());
    }
    while scan.peek() == Some(b'[') {
        let mut quoted = false;
        let mut escaped = false;
        let end = scan.rest().bytes().position(|byte| {
            let closes = byte == b']' && !quoted;
            quoted ^= byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            closes
        })?;
        *scan = Scan::new(scan.rest().get(end + 1..)?);
        // A time in brackets is the message, after another space.
        if scan.peek() != Some(b'[') {
            return Some(());
        }
    }
    None
}
