//! The times that a line begins with: a third of the bytes of an ordinary `kern.log`. Nothing in
//! them is private, and they are never replaced, so that neither shapes nor known values are looked
//! for in them.

use std::ops::Range;

/// Where a line has its times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stamps {
    /// Length of the time at the beginning; what follows it is a blank or a bracket.
    head: usize,
    /// The kernel's own time in brackets, behind the name of the machine and `kernel:`.
    kernel: Range<usize>,
}

impl Stamps {
    /// Those of a whole line.
    pub(super) fn of(line: &[u8]) -> Self {
        match date(line) {
            Some(head) => Self { head, kernel: kernel(line, head).unwrap_or(0..0) },
            None => Self { head: seconds(line).unwrap_or(0), kernel: 0..0 },
        }
    }

    /// Where the text begins that is searched.
    pub(super) fn head(&self) -> usize {
        self.head
    }

    /// The same for the text behind the first time.
    pub(super) fn behind_head(&self) -> Self {
        let moved = |at: usize| at.saturating_sub(self.head);
        Self { head: 0, kernel: moved(self.kernel.start)..moved(self.kernel.end) }
    }

    /// Whether a time is at this position.
    pub(super) fn contain(&self, at: usize) -> bool {
        at < self.head || self.kernel.contains(&at)
    }

    /// The positions in a text of this length at which no time is.
    pub(super) fn outside(&self, length: usize) -> [Range<usize>; 2] {
        if self.kernel.is_empty() {
            return [self.head..length, length..length];
        }
        [self.head..self.kernel.start, self.kernel.end..length]
    }
}

/// The length of a date and time.
fn date(line: &[u8]) -> Option<usize> {
    match line.first()? {
        b'0'..=b'9' => iso(line),
        b'A'..=b'Z' => bsd(line),
        _ => None,
    }
}

/// The length of `digits`, in which `0` stands for any digit, if the text begins so.
fn like(text: &[u8], digits: &[u8]) -> Option<usize> {
    let fits = |(&byte, &sample): (&u8, &u8)| {
        (byte == sample) | ((sample == b'0') & byte.is_ascii_digit())
    };
    // Without an early exit, which would prevent vector instructions.
    let fits = |text: &[u8]| text.iter().zip(digits).fold(true, |all, pair| all & fits(pair));
    text.get(..digits.len()).is_some_and(fits).then_some(digits.len())
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// `2026-03-04T18:20:14.318225+01:00`, with a blank behind it.
fn iso(line: &[u8]) -> Option<usize> {
    let mut end = like(line, b"0000-00-00T00:00:00")?;
    if matches!(line.get(end), Some(b'.' | b',')) {
        end += 1 + count_digits(&line[end + 1..]);
    }
    end += match line.get(end)? {
        b'Z' => 1,
        b'+' | b'-' => {
            let zone = &line[end + 1..];
            1 + like(zone, b"00:00").or_else(|| like(zone, b"0000"))?
        }
        _ => 0,
    };
    (line.get(end) == Some(&b' ')).then_some(end)
}

/// `Mar  4 18:20:14`, with a blank behind it.
fn bsd(line: &[u8]) -> Option<usize> {
    let [a, b, c, b' ', day, ..] = line else { return None };
    let month = a.is_ascii_uppercase() && b.is_ascii_lowercase() && c.is_ascii_lowercase();
    let end = 5 + like(line.get(5..)?, b"0 00:00:00")?;
    let day = *day == b' ' || day.is_ascii_digit();
    (month && day && line.get(end) == Some(&b' ')).then_some(end)
}

/// `[    4.318225`, with `]` behind it.
fn seconds(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"[")?;
    let blanks = inner.iter().take_while(|byte| **byte == b' ').count();
    let whole = count_digits(&inner[blanks..]);
    let point = blanks + whole;
    (whole > 0 && inner.get(point) == Some(&b'.')).then_some(())?;
    let fraction = count_digits(&inner[point + 1..]);
    let end = point + 1 + fraction;
    (fraction > 0 && inner.get(end) == Some(&b']')).then_some(1 + end)
}

/// The time in ` tower kernel: [    4.318225] text`, behind a head of this length.
fn kernel(line: &[u8], head: usize) -> Option<Range<usize>> {
    let name = line.get(head + 1..)?;
    let host = memchr::memchr(b' ', name)?;
    let start = head + 1 + host + name[host..].strip_prefix(b" kernel: ").map(|_| 9)?;
    let length = seconds(&line[start..])?;
    Some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_at_the_beginning_of_lines() {
        for (line, head, kernel) in [
            ("2026-03-04T18:20:14.318225+01:00 tower kernel: [    4.318225] x", 32, Some(13)),
            ("2026-03-04T18:20:14Z tower kernel: x", 20, None),
            ("2026-03-04T18:20:14,318+0100 x", 28, None),
            ("Mar  4 18:20:14 tower kernel: [77.1] x", 15, Some(5)),
            ("Mar 14 18:20:14 tower systemd[1]: x", 15, None),
            ("[    4.318225] usb 1-2: x", 13, None),
        ] {
            let stamps = Stamps::of(line.as_bytes());
            assert_eq!(stamps.head(), head, "{line}");
            let length = stamps.kernel.len();
            assert_eq!((length > 0).then_some(length), kernel, "{line}");
            assert!(stamps.contain(0) && !stamps.contain(line.len() - 1), "{line}");
        }
    }

    #[test]
    fn other_text_is_no_time() {
        for line in [
            "",
            "2026-03-04T18:20:14.318225+01:00:aa x",
            "2026-03-04",
            "2026-03-04T18:20:14",
            "[drm] x",
            "[  1 2.3] x",
            "[    4.318225",
            "[4.3.2.1] x",
            "Mar 4 18:20:14 x",
            "MAR 14 18:20:14 x",
        ] {
            assert_eq!(Stamps::of(line.as_bytes()), Stamps::default(), "{line}");
        }
    }
}
