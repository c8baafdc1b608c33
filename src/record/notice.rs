//! Lines by which a log reports missing lines: then the absence of a line proves nothing.

use serde::Serialize;

use super::Stamp;

/// What caused missing lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[serde(into = "&'static str")]
pub enum HoleKind {
    /// `N callbacks suppressed`: the kernel's own rate limit (`lib/ratelimit.c`).
    #[strum(serialize = "left out by the kernel's rate limit")]
    RateLimit,
    /// `** N printk messages dropped **`: the console was too slow (`kernel/printk/printk.c`).
    #[strum(serialize = "dropped by a slow console")]
    Dropped,
    /// `Missed N kernel messages`, `/dev/kmsg buffer overrun`: the journal was too slow.
    #[strum(serialize = "by the log's own count")]
    Overrun,
    /// The end of a record, or all of its text, is missing: cut by a pager, a lost packet, or `[76B
    /// blob data]` from journalctl.
    #[strum(serialize = "not whole")]
    Cut,
    /// `Suppressed N messages from`: the rate limit of the journal or of a syslog daemon.
    #[strum(serialize = "left out by a log daemon's rate limit")]
    Daemon,
    /// A fence, heading or prompt between two records: several excerpts were pasted.
    #[strum(serialize = "between two excerpts")]
    Parted,
}

/// A place where lines are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hole {
    /// The index of the record that reports the gap.
    #[serde(skip)]
    pub sequence: u64,
    /// The line that reports the gap, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: u64,
    /// The time of that record.
    #[serde(skip)]
    pub stamp: Stamp,
    /// The number of missing lines; null if the log does not state it.
    pub lost: Option<u64>,
    /// The cause of the gap.
    #[serde(skip)]
    pub kind: HoleKind,
}

impl Hole {
    /// Whether any line may be missing. A rate limit only drops repetitions of one message.
    #[must_use]
    pub const fn hides_anything(&self) -> bool {
        !matches!(self.kind, HoleKind::RateLimit)
    }
}

/// A statement of a message about other messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Notice {
    /// Some are missing.
    Missing(HoleKind, Option<u64>),
    /// The previous one was repeated this many times.
    Repeated(u64),
}

/// Parses a notice. Called for every message, so it checks both ends first.
pub(super) fn read(message: &str) -> Option<Notice> {
    if message.ends_with('d') && message.ends_with(" callbacks suppressed") {
        let (before, _) = message.rsplit_once(" callbacks suppressed")?;
        let count = before.rsplit([' ', ':']).next()?.parse().ok()?;
        return Some(Notice::Missing(HoleKind::RateLimit, Some(count)));
    }
    let number = |text: &str| text.split(' ').next()?.parse().ok();
    let missing = |before: &str, behind: &str, kind| {
        let rest = message.strip_prefix(before).filter(|rest| rest.contains(behind))?;
        Some(Notice::Missing(kind, number(rest)))
    };
    match message.as_bytes().first()? {
        b'*' => missing("** ", "messages dropped", HoleKind::Dropped),
        b'p' => missing("printk: ", " messages suppressed", HoleKind::RateLimit),
        b'M' => missing("Missed ", "kernel messages", HoleKind::Overrun),
        b'S' => missing("Suppressed ", " messages from ", HoleKind::Daemon),
        b'[' => {
            // Journald writes `B`, `K`, `M` or `G` after the number.
            let size = message.strip_prefix('[')?.strip_suffix(" blob data]")?;
            let number = size.strip_suffix(['B', 'K', 'M', 'G'])?;
            let plain = |byte: u8| byte.is_ascii_digit() || byte == b'.';
            (!number.is_empty() && number.bytes().all(plain))
                .then_some(Notice::Missing(HoleKind::Cut, None))
        }
        b'/' => message
            .starts_with("/dev/kmsg buffer overrun")
            .then_some(Notice::Missing(HoleKind::Overrun, None)),
        b'm' => Some(Notice::Repeated(number(message.strip_prefix("message repeated ")?)?)),
        b'l' => Some(Notice::Repeated(number(message.strip_prefix("last message repeated ")?)?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_say_how_much_is_missing() {
        let missing = |kind, count| Some(Notice::Missing(kind, count));
        for (message, want) in [
            (
                "amdgpu_irq_dispatch: 4096 callbacks suppressed",
                missing(HoleKind::RateLimit, Some(4096)),
            ),
            (
                "amdgpu 0000:03:00.0: f: 36 callbacks suppressed",
                missing(HoleKind::RateLimit, Some(36)),
            ),
            ("** 27 printk messages dropped ** ", missing(HoleKind::Dropped, Some(27))),
            ("printk: 3 messages suppressed.", missing(HoleKind::RateLimit, Some(3))),
            ("Missed 51 kernel messages", missing(HoleKind::Overrun, Some(51))),
            ("/dev/kmsg buffer overrun, some messages lost.", missing(HoleKind::Overrun, None)),
            ("Suppressed 12 messages from app.service", missing(HoleKind::Daemon, Some(12))),
            ("message repeated 4 times: [[ 2659.443127] text]", Some(Notice::Repeated(4))),
            ("last message repeated 2 times", Some(Notice::Repeated(2))),
            ("[76B blob data]", missing(HoleKind::Cut, None)),
            ("[1.2K blob data]", missing(HoleKind::Cut, None)),
            ("[drm] 76B blob data]", None),
            ("many callbacks suppressed", None),
            ("Missed the point", None),
            ("", None),
        ] {
            assert_eq!(read(message), want, "{message}");
        }
    }
}
