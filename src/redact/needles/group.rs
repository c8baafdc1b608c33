//! Strings that are found by the same number of first bytes, and their comparison with a text.

use std::ops::Range;

use super::Needle;
use super::head::{HEAD, begins_with, head, is_behind};
use super::many::SHORT;
use super::marks::{mixed, window};

/// Number of buckets, into which first bytes are hashed.
const BUCKETS: usize = 1 << 13;
/// Number of needles up to which each one in a bucket is compared.
const FEW: usize = 24;

/// Strings that are found by the same number of first bytes.
#[derive(Debug, Default)]
pub(super) struct Group<const FIRST: usize> {
    /// In the order of their buckets, then of the alphabet.
    needles: Vec<Needle>,
    /// One for each needle: apart from them, so that most comparisons touch little memory.
    keys: Vec<Key>,
    /// Where the needles of each bucket begin, and where the last ones end.
    buckets: Vec<u32>,
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

impl<const FIRST: usize> Group<FIRST> {
    /// Of strings in the order of the alphabet.
    pub(super) fn new(mut needles: Vec<Needle>) -> Self {
        // Stable: in each bucket they stay in that order.
        needles.sort_by_key(|needle| Self::bucket(window(&needle.text)));
        let mut group = Self { buckets: vec![0], ..Self::default() };
        for needle in needles {
            let bucket = Self::bucket(window(&needle.text));
            while group.buckets.len() <= bucket {
                group.buckets.push(group.end());
            }
            group.push(needle);
        }
        group.buckets.resize(BUCKETS + 1, group.end());
        group
    }

    /// The strings.
    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.needles.iter().map(|needle| needle.text.as_slice())
    }

    /// The position behind the last needle. What is searched for is a few megabytes at most.
    fn end(&self) -> u32 {
        u32::try_from(self.needles.len()).unwrap_or(u32::MAX)
    }

    /// Adds a needle.
    fn push(&mut self, needle: Needle) {
        let text = &needle.text;
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
        self.keys.push(Key { head: head(text), own, shorter });
        self.needles.push(needle);
    }

    /// The bucket of first bytes.
    fn bucket(window: u32) -> usize {
        let of_short = (window & 0xFFFF) >> 3;
        (if FIRST == SHORT { of_short } else { mixed(window) >> 19 }) as usize
    }

    /// Calls `tell` with the needles that a text begins with; its first bytes are `window`.
    #[inline(never)]
    pub(super) fn compare(&self, window: u32, text: &[u8], tell: &mut impl FnMut(&Needle)) {
        let bucket = Self::bucket(window);
        let (first, end) = (self.buckets[bucket] as usize, self.buckets[bucket + 1] as usize);
        let head = head(text);
        if end - first > FEW {
            return self.search(first..end, head, text, tell);
        }
        for (at, key) in (first..).zip(&self.keys[first..end]) {
            if key.begins(head) && begins_with(text, &self.needles[at].text) {
                tell(&self.needles[at]);
            }
        }
    }

    /// The same for many needles.
    #[inline(never)]
    fn search(&self, bucket: Range<usize>, head: u64, text: &[u8], tell: &mut impl FnMut(&Needle)) {
        let (first, keys) = (bucket.start, &self.keys[bucket]);
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
            begins = begins || key.begins(head) && begins_with(text, &needle.text);
            if begins {
                tell(needle);
            }
            next = key.shorter.map(|shorter| shorter as usize);
        }
    }
}

impl Key {
    /// Whether a text with this head begins with the first bytes of the needle.
    fn begins(self, head: u64) -> bool {
        (self.head ^ head) & self.own == 0
    }
}
