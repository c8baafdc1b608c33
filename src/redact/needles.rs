//! Many texts that are looked for at once, in any case of their letters.
//!
//! What each text begins with has a mark in a table: four bytes, or all of a shorter one. A place in a line costs a
//! look into the table for each of these lengths, and only where a mark is are texts compared.

use std::ops::Range;

/// So many bytes of a text have a mark at most, and at least.
const LONGEST: usize = 4;
const SHORTEST: usize = 2;
/// How many places the table has: one for each hash.
const PLACES: usize = 1 << 16;
/// So many of them belong to a bucket.
const BUCKET: usize = 8;

/// The texts, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Needles {
    /// For each hash which groups have a beginning with it; nothing where there are no texts.
    table: Option<Box<[u8; PLACES]>>,
    fours: Group<4>,
    threes: Group<3>,
    twos: Group<2>,
}

/// Texts of which so many bytes have a mark.
#[derive(Debug, Default)]
struct Group<const WINDOW: usize> {
    /// In the order of their buckets, then of the alphabet.
    needles: Vec<Needle>,
    /// Where the needles of each bucket begin, and where the last end.
    buckets: Vec<usize>,
}

#[derive(Debug)]
struct Needle {
    /// In small letters.
    text: Vec<u8>,
    /// The numbers of the texts that are this one.
    numbers: Vec<usize>,
    /// The longest other text that this one begins with.
    shorter: Option<usize>,
}

impl Needles {
    /// What finds `texts`. Those of less than two bytes are found nowhere.
    pub(super) fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let (mut fours, mut threes, mut twos) = (Vec::new(), Vec::new(), Vec::new());
        for (number, text) in texts.into_iter().enumerate() {
            let text = text.as_ref().to_ascii_lowercase();
            match text.len() {
                0..SHORTEST => {}
                SHORTEST => twos.push((text, number)),
                3 => threes.push((text, number)),
                LONGEST.. => fours.push((text, number)),
            }
        }
        let mut table: Option<Box<[u8; PLACES]>> = None;
        if !(fours.is_empty() && threes.is_empty() && twos.is_empty()) {
            table = vec![0; PLACES].try_into().ok();
        }
        let (fours, threes, twos) = (Group::new(fours), Group::new(threes), Group::new(twos));
        if let Some(table) = &mut table {
            fours.mark(table);
            threes.mark(table);
            twos.mark(table);
        }
        Self { table, fours, threes, twos }
    }

    /// Calls `found` with the number and the place of each text in a line.
    pub(super) fn find(&self, line: &[u8], found: &mut dyn FnMut(usize, Range<usize>)) {
        let Some(table) = &self.table else { return };
        let line = &*line.to_ascii_lowercase();
        for at in 0..line.len() {
            let window = window(&line[at..]);
            let marks = table[place::<4>(window)] & Group::<4>::MARK
                | table[place::<3>(window)] & Group::<3>::MARK
                | table[place::<2>(window)] & Group::<2>::MARK;
            if marks & Group::<4>::MARK != 0 {
                self.fours.compare(window, line, at, found);
            }
            if marks & Group::<3>::MARK != 0 {
                self.threes.compare(window, line, at, found);
            }
            if marks & Group::<2>::MARK != 0 {
                self.twos.compare(window, line, at, found);
            }
        }
    }
}

impl<const WINDOW: usize> Group<WINDOW> {
    /// What stands in the table for what a text of the group begins with.
    const MARK: u8 = 1 << WINDOW;

    fn new(texts: Vec<(Vec<u8>, usize)>) -> Self {
        let bucket = |text: &[u8]| place::<WINDOW>(window(text)) / BUCKET;
        let part = |(text, number): (Vec<u8>, usize)| (bucket(&text), text, number);
        let mut parts: Vec<_> = texts.into_iter().map(part).collect();
        parts.sort_unstable();
        let mut group = Self { needles: Vec::new(), buckets: vec![0] };
        for (bucket, text, number) in parts {
            while group.buckets.len() <= bucket {
                group.buckets.push(group.needles.len());
            }
            match group.needles.last_mut() {
                Some(last) if last.text == text => last.numbers.push(number),
                _ => group.push(text, number),
            }
        }
        group.buckets.resize(PLACES / BUCKET + 1, group.needles.len());
        group
    }

    fn mark(&self, table: &mut [u8; PLACES]) {
        for needle in &self.needles {
            table[place::<WINDOW>(window(&needle.text))] |= Self::MARK;
        }
    }

    fn push(&mut self, text: Vec<u8>, number: usize) {
        // Whatever it begins with stands before it: the last one, or what that begins with.
        let mut shorter = self.needles.len().checked_sub(1);
        while let Some(at) = shorter.filter(|&at| !text.starts_with(&self.needles[at].text)) {
            shorter = self.needles[at].shorter;
        }
        self.needles.push(Needle { text, numbers: vec![number], shorter });
    }

    /// Calls `found` with the texts that begin at a place in a line in small letters, whose first bytes are `window`.
    #[inline(never)]
    fn compare(
        &self,
        window: u32,
        line: &[u8],
        at: usize,
        found: &mut dyn FnMut(usize, Range<usize>),
    ) {
        let rest = &line[at..];
        let bucket = place::<WINDOW>(window) / BUCKET;
        let (first, end) = (self.buckets[bucket], self.buckets[bucket + 1]);
        // All that stand there begin the last one that is not behind what stands there.
        let count = self.needles[first..end].partition_point(|needle| *needle.text <= *rest);
        let mut next = (first + count).checked_sub(1).filter(|&last| last >= first);
        while let Some(Needle { text, numbers, shorter }) = next.map(|next| &self.needles[next]) {
            next = *shorter;
            if rest.starts_with(text) {
                for &number in numbers {
                    found(number, at..at + text.len());
                }
            }
        }
    }
}

/// What a text begins with, as one number.
#[inline]
fn window(text: &[u8]) -> u32 {
    let first = text.first_chunk::<LONGEST>().copied();
    u32::from_le_bytes(first.unwrap_or_else(|| {
        let mut first = [0; LONGEST];
        first[..text.len()].copy_from_slice(text);
        first
    }))
}

/// Where in the table a window stands, of which so many bytes count.
#[inline]
fn place<const WINDOW: usize>(window: u32) -> usize {
    let bytes = window << (8 * (LONGEST - WINDOW));
    (bytes.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(needles: &[String], line: &str) -> Vec<(usize, Range<usize>)> {
        let line = line.to_ascii_lowercase();
        let mut list = Vec::new();
        for (number, needle) in
            needles.iter().enumerate().filter(|(_, text)| text.len() >= SHORTEST)
        {
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
            Needles::new(&needles).find(line.as_bytes(), &mut |number, range| {
                found.push((number, range));
            });
            // Those in one place are told in the order of their numbers.
            found.sort_by_key(|(_, range)| (range.start, range.end));
            prop_assert_eq!(found, plain(&needles, &line));
        }
    }
}
