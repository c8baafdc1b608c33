//! The search for a few hundred strings: by two bytes of each.

use std::ops::Range;

use super::super::stamp::Stamps;
use super::{Found, Needle, SHORTEST};

/// Maximum number of strings: their buckets have numbers of one byte.
const MOST: usize = u8::MAX as usize;
/// Maximum number of strings that are found by the same two bytes.
const FULL: usize = 16;
/// Number of bytes of a string among which are those that it is found by.
const REACH: usize = 10;
/// Number of positions that are looked up together, and of the bytes that these need.
const AT_ONCE: usize = 8;
const SPAN: usize = 9;
/// The bit that tells small letters from capitals.
const CASE: u8 = 0x20;
/// Number of bytes by which most comparisons are decided.
const WINDOW: usize = 4;

/// The most common bytes of logs in small letters, the most common one first.
const COMMON: &[u8] = b" 0xe:ardsntim1uopg.l2c34f[]hk58b-6v_7y9w#,=()/+q";
/// For each byte how rare it is.
const RARITY: [usize; 256] = {
    let mut rarity = [COMMON.len(); 256];
    let mut rank = 0;
    while rank < COMMON.len() {
        rarity[COMMON[rank] as usize] = rank;
        rank += 1;
    }
    rarity
};

/// Strings, each with a key in the bucket of two of its bytes.
#[derive(Debug)]
pub(super) struct Few {
    /// For each two bytes the number of their bucket, from 1; 0 if no string is found by them. Of
    /// its 64 KiB, text touches what is between the letters and signs of ASCII.
    table: Box<[u8; 1 << 16]>,
    buckets: Vec<Vec<Key>>,
    /// The most bytes of a string before those by which it is found.
    reach: usize,
    needles: Vec<Needle>,
}

/// What most comparisons with a string need.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// The bytes by which it is found and those behind them, as [`window`] gives them.
    window: u32,
    /// The bits of `window` that belong to the string.
    own: u32,
    /// Number of bytes before those.
    before: usize,
    needle: usize,
}

impl Few {
    /// Gives the strings back if they are too many.
    pub(super) fn new(needles: Vec<Needle>) -> Result<Self, Vec<Needle>> {
        let Ok(table) = vec![0; 1 << 16].into_boxed_slice().try_into() else {
            unreachable!("it has this length");
        };
        let mut few = Self { table, buckets: Vec::new(), reach: 0, needles };
        let fits = few.needles.len() <= MOST && (0..few.needles.len()).all(|at| few.add(at));
        if fits { Ok(few) } else { Err(few.needles) }
    }

    /// Adds the key of a string to a bucket. Returns whether one had room for it.
    fn add(&mut self, needle: usize) -> bool {
        let text = &self.needles[needle].text;
        let pairs = text[..text.len().min(REACH)].windows(SHORTEST).enumerate();
        let is_full = |pair: &[u8]| {
            let bucket = usize::from(self.table[place(pair)]).checked_sub(1);
            bucket.is_some_and(|bucket| self.buckets[bucket].len() >= FULL)
        };
        let rarity =
            |pair: &[u8]| pair.iter().map(|&byte| RARITY[usize::from(byte)]).sum::<usize>();
        let with_room = pairs.filter(|(_, pair)| !is_full(pair));
        let Some((before, pair)) = with_room.max_by_key(|(_, pair)| rarity(pair)) else {
            return false;
        };
        let rest = &text[before..];
        let own = window(&[u8::MAX; WINDOW][..rest.len().min(WINDOW)]);
        let key = Key { window: window(rest), own, before, needle };
        self.reach = self.reach.max(before);
        let bucket = self.table[place(pair)];
        match usize::from(bucket).checked_sub(1) {
            Some(bucket) => self.buckets[bucket].push(key),
            None => {
                let pair = [pair[0], pair[1]];
                self.buckets.push(vec![key]);
                let number = u8::try_from(self.buckets.len()).unwrap_or(u8::MAX);
                for first in [pair[0], pair[0].to_ascii_uppercase()] {
                    for second in [pair[1], pair[1].to_ascii_uppercase()] {
                        self.table[place(&[first, second])] = number;
                    }
                }
            }
        }
        true
    }

    pub(super) fn find(&self, line: &[u8], stamps: &Stamps, found: Found<'_>) {
        for part in stamps.outside(line.len()) {
            let mut at = part.start;
            // A string that begins in this part may be found by bytes behind it.
            let end = if part.is_empty() { at } else { line.len().min(part.end + self.reach) };
            while at < end {
                // The last span overlaps the one before it.
                let any = match line[at.min(line.len().saturating_sub(SPAN))..].first_chunk() {
                    Some(span) => self.has_any(span),
                    None => true,
                };
                if any {
                    self.compare(line, at, &part, found);
                }
                at += AT_ONCE;
            }
        }
    }

    /// Whether the first positions of a text have bytes by which strings are found.
    #[inline]
    fn has_any(&self, span: &[u8; SPAN]) -> bool {
        (0..AT_ONCE).fold(0, |any, at| any | self.table[place(&[span[at], span[at + 1]])]) != 0
    }

    /// Calls `found` with the strings that are found by the bytes at the next positions, and begin
    /// in a part of the line.
    #[inline(never)]
    fn compare(&self, line: &[u8], from: usize, part: &Range<usize>, found: Found<'_>) {
        for at in from..line.len().min(from + AT_ONCE) {
            let rest = &line[at..];
            let second = rest.get(1).copied().unwrap_or(0);
            let bucket = self.table[place(&[rest[0], second])];
            let Some(bucket) = usize::from(bucket).checked_sub(1) else { continue };
            let window = window(rest);
            for key in &self.buckets[bucket] {
                if (key.window ^ window) & key.own == 0 {
                    self.compare_one(line, at, *key, part, found);
                }
            }
        }
    }

    fn compare_one(&self, line: &[u8], at: usize, key: Key, part: &Range<usize>, found: Found<'_>) {
        let needle = &self.needles[key.needle];
        let Some(start) = at.checked_sub(key.before).filter(|start| part.contains(start)) else {
            return;
        };
        let text = line.get(start..start + needle.text.len());
        if text.is_some_and(|text| text.eq_ignore_ascii_case(&needle.text)) {
            needle.tell(start, found);
        }
    }
}

/// Where the table has two bytes.
#[inline]
fn place(pair: &[u8]) -> usize {
    usize::from(u16::from_le_bytes([pair[0], pair[1]]))
}

/// The first bytes of a text as one number that is the same in either case.
#[inline]
fn window(text: &[u8]) -> u32 {
    let first = match text.first_chunk::<WINDOW>() {
        Some(first) => u32::from_le_bytes(*first),
        None => text.iter().rev().fold(0, |first, &byte| first << 8 | u32::from(byte)),
    };
    first & u32::from_le_bytes([!CASE; WINDOW])
}
