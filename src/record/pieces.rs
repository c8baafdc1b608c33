//! Splits a line with several records, if a chat or bug tracker has removed line ends. Independent
//! of envelopes: a callback recognises the start of a record.

use memchr::memchr3_iter;

/// The kind of record that begins at a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    /// A record of the kernel, with seconds since boot or with a date.
    Kernel { dated: bool },
    /// A record of a program, with arbitrary text.
    Program { dated: bool },
    /// A driver's prefix.
    Words,
}

/// What begins in a line, and the length of its prefix in bytes.
pub(super) type Header = (Start, usize);

/// Minimum length of a text with two records.
const SHORTEST: usize = 48;
/// Maximum number of records that a program quotes in one of its own lines.
const QUOTED: usize = 3;

/// Whether a line may contain a second record: a fast check.
pub(super) fn may_hold_several(line: &str) -> bool {
    let bytes = line.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    // A device address has four digits before its first colon.
    let is_clock = |at: usize| {
        let two = |at: usize| digit(at) && digit(at + 1);
        at >= 2
            && two(at - 2)
            && two(at + 1)
            && bytes.get(at + 3) == Some(&b':')
            && two(at + 4)
            && !(at >= 3 && bytes[at - 3].is_ascii_alphanumeric())
    };
    let is_stamp = |at: usize| digit(at + 1) || bytes.get(at + 1) == Some(&b' ');
    let is_device = |at: usize| at > 1 && digit(at - 1) && bytes[at - 2] == b'.';
    let is_kmsg = |at: usize| at > 1 && matches!(bytes[at - 1], b'-' | b'c' | b'+');
    if bytes.len() < SHORTEST {
        return false;
    }
    let (mut clocks, mut brackets, mut stamps, mut devices, mut of_kmsg) = (0, 0, 0, 0, 0);
    for at in memchr3_iter(b':', b'[', b';', bytes) {
        match bytes[at] {
            b':' => {
                clocks += usize::from(is_clock(at));
                devices += usize::from(is_device(at));
            }
            b'[' => {
                brackets += 1;
                stamps += usize::from(is_stamp(at));
            }
            _ => of_kmsg += usize::from(is_kmsg(at)),
        }
    }
    brackets > 2 || [clocks, stamps, devices, of_kmsg].iter().any(|count| *count > 1)
}

/// Splits `line`; without a second record the result is the whole line. `start` recognises
/// beginnings.
pub(super) fn pieces<'a>(line: &'a str, start: impl Fn(&'a str) -> Option<Header>) -> Vec<&'a str> {
    let found = starts(line, start);
    let is_record = |(_, kind): &(usize, Start)| *kind != Start::Words;
    let records = found.iter().filter(|found| is_record(found)).count();
    let joined = match found.iter().find(|found| is_record(found)) {
        Some((_, Start::Program { .. })) => records > QUOTED,
        // Two times in seconds since boot are distinguished by how close they are.
        Some((_, Start::Kernel { dated })) => records > if *dated { 1 } else { 2 },
        Some((_, Start::Words)) | None => false,
    };
    if joined {
        cut(line, &found.into_iter().filter(is_record).map(|(at, _)| at).collect::<Vec<_>>())
    } else if records > 0 || found.len() < 2 {
        vec![line]
    } else {
        cut(line, &found.into_iter().map(|(at, _)| at).collect::<Vec<_>>())
    }
}

/// The beginnings in a line.
fn starts<'a>(line: &'a str, start: impl Fn(&'a str) -> Option<Header>) -> Vec<(usize, Start)> {
    let mut found: Vec<(usize, Start)> = Vec::new();
    let mut end = 0;
    for at in words(line) {
        let Some((kind, length)) = start(&line[at..]) else { continue };
        match found.last_mut() {
            // The last word of a text may look like the name of a day before a date.
            Some(last)
                if at < end
                    && at + length == end
                    && last.1 == kind
                    && matches!(
                        kind,
                        Start::Kernel { dated: true } | Start::Program { dated: true }
                    ) =>
            {
                *last = (at, kind);
            }
            Some(_) if at < end => {}
            Some(_) | None => {
                found.push((at, kind));
                end = at + length;
            }
        }
    }
    found
}

/// The starts of words, and of numbers in angle brackets, which follow without a space in a syslog
/// stream.
fn words(line: &str) -> impl Iterator<Item = usize> {
    let digit = |at: usize| line.as_bytes().get(at).is_some_and(u8::is_ascii_digit);
    let behind = |at: usize| line.as_bytes().get(at + 1).is_some_and(|byte| *byte != b' ');
    let begins = (!line.starts_with(' ')).then_some(0);
    let starts = line.bytes().enumerate().filter_map(move |(at, byte)| match byte {
        b' ' | b'\t' | b'`' | b'|' => behind(at).then_some(at + 1),
        b'<' => (at > 0 && digit(at + 1)).then_some(at),
        _ => None,
    });
    begins.into_iter().chain(starts)
}

/// The text before the first start, each record, and the text after a quotation.
fn cut<'a>(line: &'a str, starts: &[usize]) -> Vec<&'a str> {
    let first = starts.first().copied().unwrap_or(0);
    let (before, rest) = line.split_at(first);
    let quoted = before.ends_with('`');
    let end = rest.rfind('`').filter(|_| quoted).unwrap_or(rest.len());
    let mut pieces = Vec::with_capacity(starts.len() + 2);
    pieces.push(before.trim_end_matches(['`', ' ']));
    let ends = starts.iter().skip(1).map(|at| at - first).chain([end]);
    for (at, to) in starts.iter().zip(ends) {
        let record = rest.get(at - first..to.max(at - first)).unwrap_or_default();
        // A code fence ends the log; prose follows.
        let (record, prose) = record.split_once("```").unwrap_or((record, ""));
        pieces.extend([record.trim_end(), prose.trim()]);
    }
    pieces.push(rest[end..].trim_matches(['`', ' ']));
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str) -> Option<Header> {
        Some(match text.as_bytes() {
            [b'[', ..] => (Start::Kernel { dated: false }, 4),
            [b'2', b'0', _, _, b' ', b'[', ..] => (Start::Kernel { dated: true }, 9),
            [b'2', b'0', ..] => (Start::Kernel { dated: true }, 5),
            // Also accepted by the parser of dates in any language.
            [b'x', b' ', b'2', b'0', ..] => (Start::Kernel { dated: true }, 7),
            [b'p', b'[', ..] => (Start::Program { dated: false }, 6),
            _ if text.starts_with("amdgpu: ") => (Start::Words, 8),
            _ => return None,
        })
    }

    #[test]
    fn a_line_is_cut_where_records_begin() {
        for (line, want) in [
            ("[1] a [2] b [3] amdgpu: c", &["[1] a", "[2] b", "[3] amdgpu: c"][..]),
            ("log: `[1] a [2] b [3] c` please", &["log:", "[1] a", "[2] b", "[3] c", "please"]),
            ("2026 a 2026 b", &["2026 a", "2026 b"]),
            ("2026 a x 2026 b", &["2026 a x", "2026 b"]),
            ("2026 [1] a 2026 [2] b", &["2026 [1] a", "2026 [2] b"]),
            ("amdgpu: a amdgpu: b", &["amdgpu: a", "amdgpu: b"]),
            // Two may be from two processors, or one may quote the other.
            ("[1] a [2] b", &["[1] a [2] b"]),
            ("p[1]: 2026 a 2026 b", &["p[1]: 2026 a 2026 b"]),
            ("amdgpu: a", &["amdgpu: a"]),
            ("nothing at all", &["nothing at all"]),
        ] {
            assert_eq!(pieces(line, start), want, "{line}");
        }
    }
}
