//! What was found in a log while it was shown, kept so that writing it need not look again.

use super::found::{PrivateValue, Seen};

/// How many bytes are kept of all logs together. Each line of a busy `kern.log` takes about twelve.
pub(super) const ROOM: usize = 10 << 20;

/// What was found in the lines of a log, in their order. What there was no room for is looked for again.
#[derive(Debug, Default)]
pub struct Findings {
    bytes: Vec<u8>,
    /// How many of them were asked for.
    read: usize,
}

/// What tells whether a line is the one that was shown.
type Mark = [u8; 4];

impl Findings {
    /// Keeps what was found in a line, and takes what that needs from the room.
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
        // Behind a line that changed nothing is certain.
        let fits = |found: &PrivateValue| line.get(found.range.clone()).is_some();
        let is_same = mark == self::mark(line) && seen.found.iter().all(fits);
        self.read = self.bytes.len() - if is_same { rest.len() } else { 0 };
        is_same.then_some(seen)
    }
}

/// A line that was shown differs from others in its mark; nobody chooses lines to be like it, as both are of one file.
fn mark(line: &str) -> Mark {
    let (eights, rest) = line.as_bytes().as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let mixed = |mark: u64, eight: &[u8; 8]| {
        (mark.rotate_left(5) ^ u64::from_le_bytes(*eight)).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    let mark = eights.iter().chain([&last]).fold(line.len() as u64, mixed);
    let [.., a, b, c, d] = mark.to_le_bytes();
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
