//! The first bytes of many strings, as bit sets: which positions of a text need a comparison.

use super::many::{LONG, SHORT};

/// The bit that tells small letters from capitals.
const CASE: u8 = 0x20;
/// Number of words of 64 bits in a set of first bytes.
const WORDS: usize = 1 << 10;
/// Number of positions that are looked up together, and of the bytes that their first bytes span.
pub(super) const AT_ONCE: usize = 8;
const SPAN: usize = 12;

/// The sets. The first two are looked up at every position, the third only where one of these has
/// a bit.
#[derive(Debug)]
pub(super) struct Marks {
    long: [u64; WORDS],
    /// Two bytes of each short string.
    short: [u64; WORDS],
    /// The first bytes of all strings, of short ones all bytes, at places that are independent of
    /// those in the other sets.
    again: [u64; WORDS],
}

/// Where the first two sets have first bytes. The bit is the same in both, so that one shift reads
/// both.
struct Mark {
    long: usize,
    short: usize,
    bit: u32,
}

/// Whether strings may begin with some bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Starts {
    pub(super) long: bool,
    pub(super) short: bool,
}

impl Marks {
    /// Of strings of [`LONG`] bytes or more, and of shorter ones.
    pub(super) fn of<'n>(
        long: impl Iterator<Item = &'n [u8]>,
        short: impl Iterator<Item = &'n [u8]>,
    ) -> Box<Self> {
        let mut marks = Box::new(Self { long: [0; WORDS], short: [0; WORDS], again: [0; WORDS] });
        for text in long {
            let mark = Mark::of(window(text));
            marks.long[mark.long] |= 1 << mark.bit;
            marks.add(window(text));
        }
        for text in short {
            let mark = Mark::of(window(text));
            marks.short[mark.short] |= 1 << mark.bit;
            marks.add(first(window(text), text.len()));
        }
        marks
    }

    /// The positions, of the first [`AT_ONCE`] of a text, at which a string may begin: one bit
    /// each.
    #[inline]
    pub(super) fn hits(&self, text: &[u8]) -> u64 {
        match text.first_chunk() {
            Some(span) => self.hits_in(span),
            None => self.last_hits(text),
        }
    }

    /// The same for the last bytes of a text.
    #[inline(never)]
    fn last_hits(&self, text: &[u8]) -> u64 {
        let mut span = [0; SPAN];
        span.iter_mut().zip(text).for_each(|(to, &from)| *to = from);
        self.hits_in(&span)
    }

    #[inline]
    fn hits_in(&self, span: &[u8; SPAN]) -> u64 {
        let (low, high) = (span.first_chunk::<8>(), span.last_chunk::<8>());
        let [low, high] = [low, high].map(|half| half.map_or(0, |half| folded(*half)));
        let hits = (0..4).fold(0, |hits, at| hits | self.hit(low >> (8 * at)) << at);
        (0..4).fold(hits, |hits, at| hits | self.hit(high >> (8 * at)) << (at + 4))
    }

    /// 1 if a string may begin with the first bytes of these.
    #[inline]
    fn hit(&self, bytes: u64) -> u64 {
        let [a, b, c, d, ..] = bytes.to_le_bytes();
        let Mark { long, short, bit } = Mark::of(u32::from_le_bytes([a, b, c, d]));
        (self.long[long] | self.short[short]) >> bit & 1
    }

    /// Whether strings may begin with these bytes, less often in vain.
    #[inline]
    pub(super) fn starts(&self, window: u32) -> Starts {
        let Mark { long, short, bit } = Mark::of(window);
        let is = |bits: u64| bits >> bit & 1 == 1;
        Starts {
            long: is(self.long[long]) && self.has(window),
            short: is(self.short[short])
                && (SHORT..LONG).any(|length| self.has(first(window, length))),
        }
    }

    fn add(&mut self, bytes: u32) {
        let (word, bit) = place(bytes);
        self.again[word] |= 1 << bit;
    }

    #[inline]
    fn has(&self, bytes: u32) -> bool {
        let (word, bit) = place(bytes);
        self.again[word] >> bit & 1 == 1
    }
}

impl Mark {
    #[inline]
    fn of(window: u32) -> Self {
        let mixed = mixed(window);
        // The lowest 16 bits depend on two bytes only, and differ for any two of these.
        let short = mixed as usize % WORDS;
        Self { long: (mixed >> 22) as usize, short, bit: mixed >> 10 & 63 }
    }
}

/// A product whose highest bits depend on all first bytes.
#[inline]
pub(super) fn mixed(window: u32) -> u32 {
    window.wrapping_mul(0x9E37_79B1)
}

/// The word and the bit of first bytes in the third set.
#[inline]
fn place(bytes: u32) -> (usize, u32) {
    let mixed = bytes.wrapping_mul(0x85EB_CA6B);
    ((mixed >> 22) as usize, mixed >> 16 & 63)
}

/// The first bytes of a text as one number that is the same in either case.
#[inline]
pub(super) fn window(text: &[u8]) -> u32 {
    let first = match text.first_chunk::<LONG>() {
        Some(first) => u32::from_le_bytes(*first),
        None => text.iter().rev().fold(0, |first, &byte| first << 8 | u32::from(byte)),
    };
    first & u32::from_le_bytes([!CASE; LONG])
}

/// Eight bytes as one number that is the same in either case.
#[inline]
fn folded(bytes: [u8; 8]) -> u64 {
    u64::from_le_bytes(bytes) & u64::from_le_bytes([!CASE; 8])
}

/// The first `length` bytes of a window.
#[inline]
fn first(window: u32, length: usize) -> u32 {
    window & u32::MAX >> (8 * (LONG - length))
}
