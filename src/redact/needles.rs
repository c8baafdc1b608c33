//! Many texts that are looked for at once, in any case of their letters.
//!
//! Of each text the four bytes that the fewest lines have, or two of a short one, stand in a table of bits. A place
//! in a line costs a look into the table, and only where a bit is set are texts compared.

use std::cmp::Ordering;
use std::ops::Range;

/// So many bytes of a text stand in the table, and so many of one that has no more than three.
const WINDOW: usize = 4;
const PAIR: usize = 2;
/// How many bits there are for each text.
const BITS: usize = 64;

/// The texts, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Needles {
    long: Group,
    short: Group,
}

/// Texts whose windows have one length.
#[derive(Debug, Default)]
struct Group {
    /// One bit for each hash that a window has; a power of two.
    table: Vec<u64>,
    /// How far a hash is shifted to become a place in the table.
    shift: u32,
    /// In the order of their tails.
    needles: Vec<Needle>,
}

/// Texts that are the same from their windows on.
#[derive(Debug)]
struct Needle {
    /// From the window on, in small letters.
    tail: Vec<u8>,
    /// What stands before it, in small letters, and the number of the text.
    heads: Vec<(Vec<u8>, usize)>,
    /// The longest other tail that this one begins with.
    shorter: Option<usize>,
}

impl Needles {
    /// What finds `texts`. Those of less than two bytes are found nowhere.
    pub(super) fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let (mut long, mut short) = (Vec::new(), Vec::new());
        for (number, text) in texts.into_iter().enumerate() {
            let text = text.as_ref().to_ascii_lowercase();
            match text.len() {
                0..PAIR => {}
                PAIR..WINDOW => short.push((rarest(&text, PAIR), text, number)),
                _ => long.push((rarest(&text, WINDOW), text, number)),
            }
        }
        Self { long: Group::new(long, WINDOW), short: Group::new(short, PAIR) }
    }

    /// Calls `found` with the number and the place of each text in a line.
    pub(super) fn find(&self, line: &[u8], found: &mut dyn FnMut(usize, Range<usize>)) {
        if self.long.needles.is_empty() && self.short.needles.is_empty() {
            return;
        }
        for (at, window) in line.windows(WINDOW).enumerate() {
            let window = [window[0], window[1], window[2], window[3]];
            if self.long.may_hold(folded(window)) {
                self.long.compare(line, at, found);
            }
            if self.short.may_hold(folded([window[0], window[1], 0, 0])) {
                self.short.compare(line, at, found);
            }
        }
        for at in line.len().saturating_sub(WINDOW - 1)..line.len().saturating_sub(PAIR - 1) {
            if self.short.may_hold(folded([line[at], line[at + 1], 0, 0])) {
                self.short.compare(line, at, found);
            }
        }
    }
}

impl Group {
    /// Of texts with the places of their windows and their numbers.
    fn new(texts: Vec<(usize, Vec<u8>, usize)>, window: usize) -> Self {
        let bits = (texts.len() * BITS).next_power_of_two().max(64);
        let (table, shift) = (vec![0; bits / 64], u64::BITS - bits.trailing_zeros());
        let mut group = Self { table, shift, needles: Vec::new() };
        let mut parts: Vec<(Vec<u8>, usize, Vec<u8>)> = Vec::with_capacity(texts.len());
        for (at, mut text, number) in texts {
            let tail = text.split_off(at);
            parts.push((tail, number, text));
        }
        parts.sort();
        for (tail, number, head) in parts {
            match group.needles.last_mut() {
                Some(last) if last.tail == tail => last.heads.push((head, number)),
                _ => group.push(Needle { tail, heads: vec![(head, number)], shorter: None }, window),
            }
        }
        group
    }

    fn push(&mut self, mut needle: Needle, window: usize) {
        let mut bytes = [0; WINDOW];
        bytes[..window].copy_from_slice(&needle.tail[..window]);
        let (word, bit) = self.cell(folded(bytes));
        self.table[word] |= bit;
        // Whatever it begins with stands before it: the last one, or what that begins with.
        let mut before = self.needles.len().checked_sub(1);
        while let Some(at) = before.filter(|&at| !needle.tail.starts_with(&self.needles[at].tail)) {
            before = self.needles[at].shorter;
        }
        needle.shorter = before;
        self.needles.push(needle);
    }

    fn cell(&self, window: u32) -> (usize, u64) {
        let hash = u64::from(window).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift;
        (usize::try_from(hash >> 6).unwrap_or_default(), 1 << (hash & 63))
    }

    #[inline]
    fn may_hold(&self, window: u32) -> bool {
        let (word, bit) = self.cell(window);
        self.table.get(word).is_some_and(|word| word & bit != 0)
    }

    /// Calls `found` with the texts whose windows begin at a place. All tails that stand there begin the last tail
    /// that is not behind what stands there.
    fn compare(&self, line: &[u8], at: usize, found: &mut dyn FnMut(usize, Range<usize>)) {
        let rest = &line[at..];
        let last = self.needles.partition_point(|it| order(&it.tail, rest) != Ordering::Greater);
        let mut next = last.checked_sub(1);
        let Some(last) = next.map(|last| &self.needles[last]) else { return };
        let same = last.tail.iter().zip(rest).take_while(|(a, b)| **a == b.to_ascii_lowercase());
        let same = same.count();
        while let Some(needle) = next.map(|next| &self.needles[next]) {
            next = needle.shorter;
            if needle.tail.len() > same {
                continue;
            }
            for (head, number) in &needle.heads {
                let start = at.checked_sub(head.len());
                if let Some(start) = start.filter(|&it| line[it..at].eq_ignore_ascii_case(head)) {
                    found(*number, start..at + needle.tail.len());
                }
            }
        }
    }
}

/// How a tail in small letters and what stands in a line are ordered: a tail is not behind what begins with it.
fn order(tail: &[u8], rest: &[u8]) -> Ordering {
    let rest = rest.get(..tail.len()).unwrap_or(rest);
    tail.iter().copied().cmp(rest.iter().map(u8::to_ascii_lowercase))
}

/// Four bytes as one number, the same for small letters and capitals.
const fn folded(window: [u8; WINDOW]) -> u32 {
    u32::from_le_bytes(window) | 0x2020_2020
}

/// Where the window of a text begins that the fewest lines have, as far as its letters tell.
fn rarest(text: &[u8], window: usize) -> usize {
    let rarity = |byte: &u8| match byte {
        b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' | b'd' | b' ' | b'0' => 0,
        b'a'..=b'z' | b'1'..=b'9' | b':' => 1,
        _ => 3,
    };
    let sums = text.windows(window).map(|window| window.iter().map(rarity).sum::<u32>());
    // The first of those that are as rare.
    sums.enumerate().min_by_key(|(_, sum)| std::cmp::Reverse(*sum)).map_or(0, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn plain(needles: &[String], line: &str) -> Vec<(usize, Range<usize>)> {
        let line = line.to_ascii_lowercase();
        let mut list = Vec::new();
        for (number, needle) in needles.iter().enumerate().filter(|(_, text)| text.len() >= PAIR) {
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
