//! Searches a text for many strings at once, ignoring the case of letters.
//!
//! A string is found by its first bytes: four, or two of a shorter one. One bit tells whether any string begins with
//! them, so that a position in a text costs two lookups in small tables, and strings are compared only where a bit
//! is set.

use std::ops::Range;

use super::stamp::Stamps;

/// Number of first bytes by which a string is found.
const LONG: usize = 4;
/// The same for shorter strings, and the minimum length of a string.
const SHORT: usize = 2;
/// Number of hashes of first bytes.
const HASHES: usize = 1 << 16;
/// Number of hashes that belong to a bucket.
const BUCKET: usize = 8;
/// The bit that tells small letters from capitals, in each byte.
const CASE: u32 = 0x2020_2020;
/// Number of words of 64 bits with one bit for each hash.
const WORDS: usize = HASHES / 64;
/// The size up to which all strings of a bucket are compared.
const FEW: usize = 8;

/// The strings, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// `None` if there are no strings.
    marks: Option<Box<Marks>>,
    long: Group<LONG>,
    short: Group<SHORT>,
}

/// The hashes of the first bytes of all strings, as bit sets.
#[derive(Debug)]
struct Marks {
    long: [u64; WORDS],
    short: [u64; WORDS],
}

/// Strings that are found by the same number of first bytes.
#[derive(Debug, Default)]
struct Group<const FIRST: usize> {
    /// In the order of their buckets, then of the alphabet.
    needles: Vec<Needle>,
    /// Where the needles of each bucket begin, and where the last ones end.
    buckets: Vec<usize>,
    /// The length of the longest one.
    longest: usize,
}

#[derive(Debug)]
struct Needle {
    /// In small letters.
    text: Vec<u8>,
    /// The first bytes as [`window`] gives them.
    window: u32,
    /// The numbers of the strings that are this one.
    numbers: Vec<usize>,
    /// The longest other needle that this one begins with.
    shorter: Option<usize>,
}

impl Needles {
    /// Searches for `texts`. Those of less than two bytes are found nowhere.
    pub(super) fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (number, text) in texts.into_iter().enumerate() {
            let text = text.as_ref().to_ascii_lowercase();
            match text.len() {
                0..SHORT => {}
                SHORT..LONG => short.push((text, number)),
                LONG.. => long.push((text, number)),
            }
        }
        let (long, short) = (Group::new(long), Group::new(short));
        Self { marks: Marks::of(&long, &short), long, short }
    }

    /// Calls `found` with the number and the place of each string that begins outside of the times of a line.
    pub(super) fn find(
        &self,
        line: &[u8],
        stamps: &Stamps,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        let Some(marks) = self.marks.as_deref() else { return };
        let mut at = |position: usize, window: u32| {
            if marks.has_long(window) {
                self.long.compare(window, line, position, found);
            }
            if marks.has_short(window) {
                self.short.compare(window, line, position, found);
            }
        };
        for part in stamps.outside(line.len()) {
            let end = line.len().min(part.end + LONG - 1);
            for (offset, first) in line[part.start..end].windows(LONG).enumerate() {
                let window = window(first);
                if marks.has_long(window) | marks.has_short(window) {
                    at(part.start + offset, window);
                }
            }
            // The last positions, at which fewer bytes follow.
            for position in part.end.min((end + 1).saturating_sub(LONG)).max(part.start)..part.end {
                at(position, window(&line[position..]));
            }
        }
    }
}

impl Marks {
    fn of(long: &Group<LONG>, short: &Group<SHORT>) -> Option<Box<Self>> {
        if long.needles.is_empty() && short.needles.is_empty() {
            return None;
        }
        let mut marks = Box::new(Self { long: [0; WORDS], short: [0; WORDS] });
        for needle in &long.needles {
            set(&mut marks.long, Group::<LONG>::hash(needle.window));
        }
        for needle in &short.needles {
            set(&mut marks.short, Group::<SHORT>::hash(needle.window));
        }
        Some(marks)
    }

    /// Whether a string of [`LONG`] bytes or more may begin with these bytes.
    #[inline]
    fn has_long(&self, window: u32) -> bool {
        has(&self.long, Group::<LONG>::hash(window))
    }

    /// Whether a shorter string may begin with these bytes.
    #[inline]
    fn has_short(&self, window: u32) -> bool {
        has(&self.short, Group::<SHORT>::hash(window))
    }
}

/// Whether a hash is in a set. The remainder makes it clear to the compiler that the index is in bounds.
#[inline]
fn has(set: &[u64; WORDS], hash: usize) -> bool {
    set[hash / 64 % WORDS] >> (hash % 64) & 1 == 1
}

fn set(set: &mut [u64; WORDS], hash: usize) {
    set[hash / 64 % WORDS] |= 1 << (hash % 64);
}

impl<const FIRST: usize> Group<FIRST> {
    fn new(texts: Vec<(Vec<u8>, usize)>) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let bucket = |text: &[u8]| Self::hash(window(text)) / BUCKET;
        let part = |(text, number): (Vec<u8>, usize)| (bucket(&text), text, number);
        let mut parts: Vec<_> = texts.into_iter().map(part).collect();
        parts.sort_unstable();
        let mut group = Self { needles: Vec::new(), buckets: vec![0], longest: 0 };
        for (bucket, text, number) in parts {
            while group.buckets.len() <= bucket {
                group.buckets.push(group.needles.len());
            }
            match group.needles.last_mut() {
                Some(last) if last.text == text => last.numbers.push(number),
                _ => group.push(text, number),
            }
        }
        group.buckets.resize(HASHES / BUCKET + 1, group.needles.len());
        group
    }

    /// Adds a needle.
    fn push(&mut self, text: Vec<u8>, number: usize) {
        self.longest = self.longest.max(text.len());
        let window = window(&text);
        // Whatever it begins with stands before it: the last one, or what that begins with.
        let mut shorter = self.needles.len().checked_sub(1);
        while let Some(at) = shorter.filter(|&at| !text.starts_with(&self.needles[at].text)) {
            shorter = self.needles[at].shorter;
        }
        self.needles.push(Needle { text, window, numbers: vec![number], shorter });
    }

    /// A number for the first bytes in a window.
    #[inline]
    fn hash(window: u32) -> usize {
        if FIRST == SHORT {
            return (window & 0xFFFF) as usize;
        }
        (window.wrapping_mul(0x9E37_79B1) >> 16) as usize
    }

    /// Calls `found` with the strings that begin at a position in a line; its first bytes are `window`.
    #[inline(never)]
    fn compare(
        &self,
        window: u32,
        line: &[u8],
        at: usize,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        let rest = &line[at..];
        let bucket = Self::hash(window) / BUCKET;
        let (first, end) = (self.buckets[bucket], self.buckets[bucket + 1]);
        let mut tell = |needle: &Needle| {
            needle.numbers.iter().for_each(|&number| found(number, at..at + needle.text.len()));
        };
        if end - first <= FEW {
            let first_bytes = u32::MAX >> (8 * (LONG - FIRST));
            for needle in &self.needles[first..end] {
                let alike = (needle.window ^ window) & first_bytes == 0;
                if alike && begins_with(rest, &needle.text) {
                    tell(needle);
                }
            }
            return;
        }
        // All strings that begin here begin the last one that is not behind the text in the alphabet.
        let rest = rest[..rest.len().min(self.longest)].to_ascii_lowercase();
        let count = self.needles[first..end].partition_point(|needle| *needle.text <= *rest);
        let mut next = (first + count).checked_sub(1).filter(|&last| last >= first);
        while let Some(needle) = next.map(|next| &self.needles[next]) {
            next = needle.shorter;
            if rest.starts_with(&needle.text) {
                tell(needle);
            }
        }
    }
}

/// Whether a text begins with a string in small letters.
fn begins_with(text: &[u8], small: &[u8]) -> bool {
    text.get(..small.len()).is_some_and(|text| text.eq_ignore_ascii_case(small))
}

/// The first bytes of a text as one number that is the same in either case.
#[inline]
fn window(text: &[u8]) -> u32 {
    let first = text.first_chunk::<LONG>().copied();
    let first = first.unwrap_or_else(|| {
        let mut first = [0; LONG];
        first[..text.len()].copy_from_slice(text);
        first
    });
    u32::from_le_bytes(first) | CASE
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(needles: &[String], line: &str) -> Vec<(usize, Range<usize>)> {
        let line = line.to_ascii_lowercase();
        let mut list = Vec::new();
        for (number, needle) in needles.iter().enumerate().filter(|(_, text)| text.len() >= SHORT) {
            let needle = needle.to_ascii_lowercase();
            let bytes = line.as_bytes().windows(needle.len()).enumerate();
            let places = bytes.filter(|(_, part)| *part == needle.as_bytes());
            list.extend(places.map(|(at, part)| (number, at..at + part.len())));
        }
        list.sort_by_key(|(number, range)| (range.start, range.end, *number));
        list
    }

    proptest! {
        #[test]
        fn what_a_plain_search_finds_is_found(
            needles in prop::collection::vec("[aAb:é]{0,7}", 0..12), line in "[aAbB:é]{0,40}",
        ) {
            let mut found = Vec::new();
            Needles::new(&needles).find(line.as_bytes(), &Stamps::default(), &mut |number, range| {
                found.push((number, range));
            });
            // Those in one place are told in the order of their numbers.
            found.sort_by_key(|(_, range)| (range.start, range.end));
            prop_assert_eq!(found, plain(&needles, &line));
        }
    }
}
