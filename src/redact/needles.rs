//! Searches a text for many strings at once, ignoring the case of letters.
//!
//! A string is found by its first bytes: four, or two of a shorter one. One bit tells whether any
//! string begins with them, so that a position in a text costs two lookups in small tables, and
//! strings are compared only where a bit is set.

use std::ops::Range;

use super::stamp::Stamps;

/// Number of first bytes by which a string is found.
const LONG: usize = 4;
/// The same for shorter strings, and the minimum length of a string.
const SHORT: usize = 2;
/// Number of buckets, into which first bytes are hashed.
const BUCKETS: usize = 1 << 13;
/// The bit that tells small letters from capitals.
const CASE: u8 = 0x20;
/// Number of words of 64 bits in a set of first bytes.
const WORDS: usize = 1 << 10;
/// Number of first bytes that are compared at once.
const HEAD: usize = 8;

/// The strings, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// `None` if there are no strings.
    marks: Option<Box<Marks>>,
    long: Group<LONG>,
    short: Group<SHORT>,
}

/// The first bytes of all strings, as bit sets.
#[derive(Debug)]
struct Marks {
    long: [u64; WORDS],
    short: [u64; WORDS],
}

/// Where the sets have first bytes. The bit is the same in both, so that one shift reads both.
struct Mark {
    long: usize,
    short: usize,
    bit: u32,
}

/// Strings that are found by the same number of first bytes.
#[derive(Debug, Default)]
struct Group<const FIRST: usize> {
    /// In the order of their buckets, then of the alphabet.
    needles: Vec<Needle>,
    /// One for each needle: apart from them, so that most comparisons touch little memory.
    keys: Vec<Key>,
    /// Where the needles of each bucket begin, and where the last ones end.
    buckets: Vec<u32>,
}

#[derive(Debug)]
struct Needle {
    /// In small letters.
    text: Vec<u8>,
    /// The numbers of the strings that are this one.
    numbers: Vec<usize>,
}

/// What most comparisons with a needle need.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// Its first bytes as [`head`] gives them.
    head: u64,
    /// The bits of `head` that are its own: a shorter needle has zeros behind it.
    own: u64,
    /// The longest other needle that it begins with.
    shorter: Option<u32>,
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

    /// Calls `found` with the number and the place of each string that begins outside of the times
    /// of a line.
    pub(super) fn find(
        &self,
        line: &[u8],
        stamps: &Stamps,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        let Some(marks) = self.marks.as_deref() else { return };
        let mut at = |position: usize, window: u32| {
            if marks.have(window) {
                self.compare(marks, window, line, position, found);
            }
        };
        for part in stamps.outside(line.len()) {
            let windows = line[part.start..line.len().min(part.end + LONG - 1)].windows(LONG);
            // The last positions, at which fewer bytes follow.
            let last = part.start + windows.len()..part.end;
            for (position, first) in (part.start..).zip(windows) {
                at(position, window(first));
            }
            for position in last {
                at(position, window(&line[position..]));
            }
        }
    }

    /// Calls `found` with the strings that begin at a position in a line; its first bytes are
    /// `window`.
    #[inline(never)]
    fn compare(
        &self,
        marks: &Marks,
        window: u32,
        line: &[u8],
        at: usize,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        let mut tell = |needle: &Needle| {
            needle.numbers.iter().for_each(|&number| found(number, at..at + needle.text.len()));
        };
        if marks.have_long(window) {
            self.long.compare(window, &line[at..], &mut tell);
        }
        if marks.have_short(window) {
            self.short.compare(window, &line[at..], &mut tell);
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
            let mark = Mark::of(window(&needle.text));
            marks.long[mark.long] |= 1 << mark.bit;
        }
        for needle in &short.needles {
            let mark = Mark::of(window(&needle.text));
            marks.short[mark.short] |= 1 << mark.bit;
        }
        Some(marks)
    }

    /// Whether a string may begin with these bytes.
    #[inline]
    fn have(&self, window: u32) -> bool {
        let Mark { long, short, bit } = Mark::of(window);
        (self.long[long] | self.short[short]) >> bit & 1 == 1
    }

    /// The same for strings of [`LONG`] bytes or more.
    fn have_long(&self, window: u32) -> bool {
        let Mark { long, bit, .. } = Mark::of(window);
        self.long[long] >> bit & 1 == 1
    }

    /// The same for shorter strings.
    fn have_short(&self, window: u32) -> bool {
        let Mark { short, bit, .. } = Mark::of(window);
        self.short[short] >> bit & 1 == 1
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
fn mixed(window: u32) -> u32 {
    window.wrapping_mul(0x9E37_79B1)
}

impl<const FIRST: usize> Group<FIRST> {
    fn new(texts: Vec<(Vec<u8>, usize)>) -> Self {
        if texts.is_empty() {
            return Self::default();
        }
        let bucket = |text: &[u8]| Self::bucket(window(text));
        let part = |(text, number): (Vec<u8>, usize)| (bucket(&text), text, number);
        let mut parts: Vec<_> = texts.into_iter().map(part).collect();
        parts.sort_unstable();
        let mut group = Self { buckets: vec![0], ..Self::default() };
        for (bucket, text, number) in parts {
            while group.buckets.len() <= bucket {
                group.buckets.push(group.end());
            }
            match group.needles.last_mut() {
                Some(last) if last.text == text => last.numbers.push(number),
                _ => group.push(text, number),
            }
        }
        group.buckets.resize(BUCKETS + 1, group.end());
        group
    }

    /// The position behind the last needle. What is searched for is a few megabytes at most.
    fn end(&self) -> u32 {
        u32::try_from(self.needles.len()).unwrap_or(u32::MAX)
    }

    /// Adds a needle.
    fn push(&mut self, text: Vec<u8>, number: usize) {
        // Whatever it begins with stands before it: the last one, or what that begins with.
        let mut shorter = self.end().checked_sub(1);
        while let Some(at) = shorter.map(|at| at as usize)
            && !text.starts_with(&self.needles[at].text)
        {
            shorter = self.keys[at].shorter;
        }
        let own = match text.len() {
            length @ 0..HEAD => !(u64::MAX >> (8 * length)),
            HEAD.. => u64::MAX,
        };
        self.keys.push(Key { head: head(&text), own, shorter });
        self.needles.push(Needle { text, numbers: vec![number] });
    }

    /// The bucket of first bytes.
    fn bucket(window: u32) -> usize {
        let of_short = (window & 0xFFFF) >> 3;
        (if FIRST == SHORT { of_short } else { mixed(window) >> 19 }) as usize
    }

    /// Calls `tell` with the needles that a text begins with; its first bytes are `window`.
    fn compare(&self, window: u32, text: &[u8], tell: &mut impl FnMut(&Needle)) {
        let bucket = Self::bucket(window);
        let (first, end) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        let (keys, head) = (&self.keys[first..end], head(text));
        // All needles that the text begins with begin the last one that is not behind it in the
        // alphabet.
        let mut count = keys.partition_point(|key| key.head < head);
        count += match keys[count..].partition_point(|key| key.head == head) {
            // One with the same first bytes need not be compared: shorter ones that begin the text
            // begin it, too.
            few @ ..=1 => few,
            many => {
                let same = &self.needles[first + count..][..many];
                same.partition_point(|needle| !is_behind(&needle.text, text))
            }
        };
        let mut next = (count > 0).then(|| first + count - 1);
        let mut begins = false;
        while let Some(at) = next {
            let (key, needle) = (self.keys[at], &self.needles[at]);
            // Once one of them begins the text, all that it begins with do.
            begins = begins || (key.head ^ head) & key.own == 0 && begins_with(text, &needle.text);
            if begins {
                tell(needle);
            }
            next = key.shorter.map(|shorter| shorter as usize);
        }
    }
}

/// Whether a text begins with a string in small letters, if their first [`HEAD`] bytes are the same.
fn begins_with(text: &[u8], small: &[u8]) -> bool {
    let rest = small.get(HEAD..).unwrap_or_default();
    text.len() >= small.len()
        && text[small.len() - rest.len()..][..rest.len()].eq_ignore_ascii_case(rest)
}

/// Whether a string in small letters is behind a text in the alphabet, if their first [`HEAD`] bytes are the same.
fn is_behind(small: &[u8], text: &[u8]) -> bool {
    let text = text.iter().skip(HEAD).map(u8::to_ascii_lowercase);
    small.iter().copied().skip(HEAD).gt(text)
}

/// The first bytes of a text as one number that is the same in either case.
#[inline]
fn window(text: &[u8]) -> u32 {
    let first = match text.first_chunk::<LONG>() {
        Some(first) => u32::from_le_bytes(*first),
        None => text.iter().rev().fold(0, |first, &byte| first << 8 | u32::from(byte)),
    };
    first | u32::from_le_bytes([CASE; LONG])
}

/// The first bytes of a text in small letters, as a number that is ordered as they are.
#[inline]
fn head(text: &[u8]) -> u64 {
    let first = text.first_chunk::<HEAD>().copied().unwrap_or_else(|| {
        let mut first = [0; HEAD];
        first.iter_mut().zip(text).for_each(|(to, &from)| *to = from);
        first
    });
    small(u64::from_be_bytes(first))
}

/// Eight bytes with small letters instead of capitals.
#[inline]
fn small(bytes: u64) -> u64 {
    let all = |byte| u64::from_ne_bytes([byte; 8]);
    let low = bytes & all(0x7F);
    // The highest bit of each byte tells whether it is at least `A`, or more than `Z`.
    let (from_a, above_z) = (low + all(0x80 - b'A'), low + all(0x7F - b'Z'));
    let capitals = (from_a ^ above_z) & !bytes & all(0x80);
    bytes | capitals >> 2
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

    #[test]
    fn capitals_become_small_letters() {
        for byte in 0..=u8::MAX {
            let bytes = [byte, b'Z', 0, 0xFF, b'A', byte, b'@', b'['];
            let want = u64::from_be_bytes(bytes.map(|byte| byte.to_ascii_lowercase()));
            assert_eq!(small(u64::from_be_bytes(bytes)), want);
        }
    }

    proptest! {
        #[test]
        fn what_a_plain_search_finds_is_found(
            needles in prop::collection::vec("[aAb:é\0]{0,7}|[aA]{8,11}", 0..12), line in "[aAbB:é\0]{0,20}[aA]{0,14}[aAb]{0,9}",
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
