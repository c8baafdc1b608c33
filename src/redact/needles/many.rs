//! The search for any number of strings: by the first bytes of each, four, or two of a shorter one.

use super::super::stamp::Stamps;
use super::group::Group;
use super::marks::{AT_ONCE, Marks, Starts, window};
use super::{Found, Needle, SHORTEST};

/// Number of first bytes by which a string is found.
pub(super) const LONG: usize = 4;
/// The same for shorter strings.
pub(super) const SHORT: usize = SHORTEST;

/// The strings.
#[derive(Debug)]
pub(super) struct Many {
    marks: Box<Marks>,
    long: Group<LONG>,
    short: Group<SHORT>,
}

impl Many {
    /// Of strings in the order of the alphabet.
    pub(super) fn new(needles: Vec<Needle>) -> Self {
        let is_long = |needle: &Needle| needle.text.len() >= LONG;
        let (long, short) = needles.into_iter().partition(is_long);
        let (long, short) = (Group::new(long), Group::new(short));
        Self { marks: Marks::of(long.texts(), short.texts()), long, short }
    }

    pub(super) fn find(&self, line: &[u8], stamps: &Stamps, found: Found<'_>) {
        for part in stamps.outside(line.len()) {
            let mut from = part.start;
            while from < part.end {
                let mut hits = self.marks.hits(&line[from..]);
                while hits != 0 {
                    let at = from + hits.trailing_zeros() as usize;
                    if at < part.end {
                        self.compare(line, at, found);
                    }
                    hits &= hits - 1;
                }
                from += AT_ONCE;
            }
        }
    }

    /// Calls `found` with the strings that begin at a position in a line.
    #[inline]
    fn compare(&self, line: &[u8], at: usize, found: Found<'_>) {
        let (text, window) = (&line[at..], window(&line[at..]));
        let Starts { long, short } = self.marks.starts(window);
        let mut tell = |needle: &Needle| needle.tell(at, found);
        if long {
            self.long.compare(window, text, &mut tell);
        }
        if short {
            self.short.compare(window, text, &mut tell);
        }
    }
}
