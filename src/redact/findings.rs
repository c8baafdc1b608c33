//! What was found in a log when it was learnt, kept so that redacting it need not search again.
//!
//! Most lines of a log have a finding, so that a general serialiser would take a twentieth of the
//! time: here each is a few bytes.

use super::Kind;
use super::found::{PrivateValue, Seen};
use super::recent::hash;

/// Maximum number of bytes of the findings of all logs. Each line of a busy `kern.log` takes about twelve.
pub(super) const ROOM: usize = 10 << 20;

/// The bits of a line's or a value's first byte.
const PLAIN: u8 = 1;
const LOCAL: u8 = 1;
const ARRAY: u8 = 2;
const DECODED: u8 = 4;
/// Stands for a line whose findings have no form here. It is searched again.
const UNKEPT: u8 = u8::MAX;

/// What was found in the lines of a log, in order. Lines for which there was no room are searched again.
#[derive(Debug, Default)]
pub struct Findings {
    bytes: Vec<u8>,
    /// Number of bytes that were read.
    read: usize,
}

/// Part of a line's hash, which tells whether it is the line that was learnt.
type Mark = [u8; 4];

impl Findings {
    /// Keeps what was found in a line, and subtracts its size from the room.
    pub(super) fn keep(&mut self, line: &str, seen: &Seen, room: &mut usize) {
        let before = self.bytes.len();
        self.bytes.extend(mark(line));
        let first = self.bytes.len();
        if write(seen, &mut self.bytes).is_none() {
            self.bytes.truncate(first);
            self.bytes.push(UNKEPT);
        }
        *room = room.saturating_sub(self.bytes.len() - before);
    }

    /// What was found in the next line, if it is this one.
    pub(super) fn next(&mut self, line: &str) -> Option<Seen> {
        let mut rest = self.bytes.get(self.read..).filter(|rest| !rest.is_empty())?;
        let is_same = take(&mut rest) == Some(mark(line));
        let is_kept = rest.first() != Some(&UNKEPT);
        let seen = if is_kept { read(&mut rest) } else { take::<1>(&mut rest).and(None) };
        let fits = |found: &PrivateValue| line.get(found.range.clone()).is_some();
        let fits = |seen: &Seen| seen.found.iter().all(fits);
        // After a line that is not the expected one, no further findings are used.
        let goes_on = is_same && (!is_kept || seen.as_ref().is_some_and(fits));
        self.read = self.bytes.len() - if goes_on { rest.len() } else { 0 };
        seen.filter(|_| goes_on)
    }
}

/// Four bytes suffice: both lines are from the same file, so that nobody gains from two with the same mark.
fn mark(line: &str) -> Mark {
    let [.., a, b, c, d] = hash(line.as_bytes(), 0).to_le_bytes();
    [a, b, c, d]
}

/// `None` if there is more than the form has room for.
fn write(seen: &Seen, out: &mut Vec<u8>) -> Option<()> {
    let count = u8::try_from(seen.found.len()).ok().filter(|count| *count < UNKEPT >> 1)?;
    out.push(count << 1 | if seen.is_plain { PLAIN } else { 0 });
    for found in &seen.found {
        let PrivateValue { ref range, kind, ref value, known: _, local, array } = *found;
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        let decoded = flag(value.is_some(), DECODED);
        let [start, length] = [range.start, range.len()].map(|number| u16::try_from(number).ok());
        let ([a, b], [c, d]) = (start?.to_le_bytes(), length?.to_le_bytes());
        let flags = flag(local, LOCAL) | flag(array, ARRAY) | decoded;
        out.extend([kind as u8, flags, a, b, c, d]);
        if let Some(value) = value {
            out.extend(u16::try_from(value.len()).ok()?.to_le_bytes());
            out.extend(value.as_bytes());
        }
    }
    Some(())
}

fn read(rest: &mut &[u8]) -> Option<Seen> {
    let [first] = take(rest)?;
    let found = (0..first >> 1).map(|_| read_value(rest)).collect::<Option<_>>()?;
    Some(Seen { found, is_plain: first & PLAIN != 0 })
}

fn read_value(rest: &mut &[u8]) -> Option<PrivateValue> {
    let [kind, flags, a, b, c, d] = take(rest)?;
    let [start, length] = [[a, b], [c, d]].map(|bytes| usize::from(u16::from_le_bytes(bytes)));
    let value = if flags & DECODED == 0 {
        None
    } else {
        let length = u16::from_le_bytes(take(rest)?);
        let (value, behind) = rest.split_at_checked(usize::from(length))?;
        *rest = behind;
        Some(std::str::from_utf8(value).ok()?.to_owned())
    };
    let kind = *Kind::ALL.get(usize::from(kind))?;
    let (local, array) = (flags & LOCAL != 0, flags & ARRAY != 0);
    Some(PrivateValue { range: start..start + length, kind, value, known: None, local, array })
}

/// Takes the next bytes.
fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (bytes, behind) = rest.split_first_chunk()?;
    *rest = behind;
    Some(*bytes)
}

#[cfg(test)]
mod tests {
    use super::super::stamp::Stamps;
    use super::super::{Options, Redactor};
    use super::*;

    #[test]
    fn what_was_found_is_told_line_by_line_until_one_differs() {
        let redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
        let look = |line: &str| redactor.look(line, &Stamps::of(line.as_bytes()));
        let lines =
            ["from 93.184.216.34 port 22", "", "eth0: 0a:1b:2c:3d:4e:5f", "x %6Aohn@a.example"];
        let mut findings = Findings::default();
        let mut room = ROOM;
        for line in lines {
            findings.keep(line, &look(line), &mut room);
        }
        assert!(room < ROOM);
        for line in &lines[..3] {
            assert_eq!(findings.next(line), Some(look(line)), "{line}");
        }
        assert_eq!(findings.next("another"), None);
        assert_eq!(findings.next(lines[3]), None);
    }

    #[test]
    fn a_line_with_too_many_findings_is_searched_again() {
        let redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
        let look = |line: &str| redactor.look(line, &Stamps::of(line.as_bytes()));
        let many = "from 93.184.216.34 ".repeat(200);
        let far = format!("{}from 93.184.216.34 ", "x ".repeat(1 << 16));
        let lines = ["from 93.184.216.34", &many, "to 93.184.216.35", &far, "%6Aohn@a.example"];
        let mut findings = Findings::default();
        let mut room = ROOM;
        for line in lines {
            findings.keep(line, &look(line), &mut room);
        }
        for (line, is_kept) in lines.into_iter().zip([true, false, true, false, true]) {
            assert_eq!(findings.next(line), is_kept.then(|| look(line)));
        }
    }
}
