//! What was found in a log when it was learnt, kept so that redacting it need not search again.

use super::found::{PrivateValue, Seen};
use super::recent::hash;

/// Maximum number of bytes of the findings of all logs. Each line of a busy `kern.log` takes about twelve.
pub(super) const ROOM: usize = 10 << 20;

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
        let kept = (mark(line), seen);
        let bytes = std::mem::take(&mut self.bytes);
        self.bytes = postcard::to_extend(&kept, bytes)
            .unwrap_or_else(|_| unreachable!("a vector grows, and all of a finding has a form"));
        *room = room.saturating_sub(self.bytes.len() - before);
    }

    /// What was found in the next line, if it is this one.
    pub(super) fn next(&mut self, line: &str) -> Option<Seen> {
        let rest = self.bytes.get(self.read..).filter(|rest| !rest.is_empty())?;
        let ((mark, seen), rest) = postcard::take_from_bytes::<(Mark, Seen)>(rest).ok()?;
        // After a line that is not the expected one, no further findings are used.
        let fits = |found: &PrivateValue| line.get(found.range.clone()).is_some();
        let is_same = mark == self::mark(line) && seen.found.iter().all(fits);
        self.read = self.bytes.len() - if is_same { rest.len() } else { 0 };
        is_same.then_some(seen)
    }
}

/// Four bytes suffice: both lines are from the same file, so that nobody gains from two with the same mark.
fn mark(line: &str) -> Mark {
    let [.., a, b, c, d] = hash(line.as_bytes(), 0).to_le_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::super::{Options, Redactor};
    use super::*;

    #[test]
    fn what_was_found_is_told_line_by_line_until_one_differs() {
        let redactor = Redactor::new(&crate::builtin::patterns(), Options::default());
        let lines =
            ["from 93.184.216.34 port 22", "", "eth0: 0a:1b:2c:3d:4e:5f", "x %6Aohn@a.example"];
        let mut findings = Findings::default();
        let mut room = ROOM;
        for line in lines {
            findings.keep(line, &redactor.look(line), &mut room);
        }
        assert!(room < ROOM);
        for line in &lines[..3] {
            assert_eq!(findings.next(line), Some(redactor.look(line)), "{line}");
        }
        assert_eq!(findings.next("another"), None);
        assert_eq!(findings.next(lines[3]), None);
    }
}
