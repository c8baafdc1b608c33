//! The EDID of a monitor as `xrandr --verbose` and `edid-decode` dump it: 16 bytes a row below a heading. It tells which
//! modes a monitor has, so that only its serial numbers are replaced.

use super::{Kind, Place};
use crate::value::Token;

/// Bytes in a row.
const ROW: usize = 16;
/// Where the serial number stands (VESA E-EDID, 3.4).
const SERIAL: std::ops::Range<usize> = 12..16;
/// What comes before the text of a descriptor that holds a serial number (3.10.3), and the length of that text.
const MARK: [u8; 5] = [0, 0, 0, 0xFF, 0];
const TEXT: usize = 13;

/// A dump, up to the current row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::redact) struct Edid {
    /// Number of bytes in the rows.
    length: usize,
    /// The last bytes.
    last: [u8; 5],
    /// Number of bytes that the text of a serial number still has.
    text: usize,
}

impl Edid {
    /// The dump that a line belongs to or begins, after the one that the last line belongs to.
    pub(in crate::redact) fn next(
        last: Option<Self>,
        line: &str,
        places: &mut Vec<Place>,
    ) -> Option<Self> {
        Self::begun(line).or_else(|| last?.row(line, places))
    }

    /// From the heading.
    fn begun(line: &str) -> Option<Self> {
        let head = line.trim_start().strip_prefix("EDID")?;
        let is_heading = head.trim_end() == ":" || head.trim_end().ends_with("(hex):");
        is_heading.then(Self::default)
    }

    pub(in crate::redact) fn has_rows(&self) -> bool {
        self.length > 0
    }

    /// Goes on by a row; `None` if the dump has ended. A row with a token was redacted before.
    fn row(mut self, line: &str, places: &mut Vec<Place>) -> Option<Self> {
        let row = line.trim();
        let start = line.len() - line.trim_start().len();
        if row.contains('<') {
            let rest = row.split('<').skip(1).map(|part| format!("<{part}"));
            rest.map(|part| Token::at(part.as_bytes())).collect::<Option<Vec<_>>>()?;
            return Some(Self { length: self.length + ROW, ..Self::default() });
        }
        let is_row =
            start > 0 && row.len() == 2 * ROW && row.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_row.then_some(())?;
        for at in 0..ROW {
            let digits = start + 2 * at..start + 2 * at + 2;
            let byte = u8::from_str_radix(&line[digits.clone()], 16).ok()?;
            if SERIAL.contains(&self.length) || self.text > 0 {
                match places.last_mut().filter(|last| last.range.end == digits.start) {
                    Some(last) => last.range.end = digits.end,
                    None => places.push(Place { kind: Kind::Serial, range: digits, local: true }),
                }
            }
            self.text = self.text.saturating_sub(1);
            self.length += 1;
            self.last.rotate_left(1);
            self.last[4] = byte;
            if self.last == MARK && self.length > MARK.len() {
                self.text = TEXT;
            }
        }
        Some(self)
    }
}
