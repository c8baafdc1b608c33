//! Searches a text for many strings at once, ignoring the case of letters.
//!
//! Up to 255 strings, as of the names in an ordinary log, are found by two bytes of each that are rare
//! in logs, so that a position in a text costs one lookup in a table ([`few`]). More strings have too
//! many pairs of bytes for that, and are found by their first four bytes ([`many`]).

mod few;
mod group;
mod head;
mod many;
mod marks;

use std::collections::BTreeMap;
use std::ops::Range;

use super::stamp::Stamps;
use few::Few;
use many::Many;

/// Minimum length of a string.
const SHORTEST: usize = 2;

/// The strings, numbered in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Needles(Search);

#[derive(Debug, Default)]
enum Search {
    #[default]
    Nothing,
    Few(Few),
    Many(Many),
}

/// A string.
#[derive(Debug)]
struct Needle {
    /// In small letters.
    text: Vec<u8>,
    /// The numbers of the strings that are this one.
    numbers: Vec<usize>,
}

/// Receives the number and the place of each string that is found.
type Found<'f> = &'f mut dyn FnMut(usize, Range<usize>);

impl Needles {
    /// Searches for `texts`. Those of less than two bytes are found nowhere.
    pub(super) fn new<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Self {
        let needles = needles(texts);
        if needles.is_empty() {
            return Self::default();
        }
        Self(Few::new(needles).map_or_else(|all| Search::Many(Many::new(all)), Search::Few))
    }

    /// Calls `found` with the number and the place of each string that begins outside of the times
    /// in a line.
    pub(super) fn find(&self, line: &[u8], stamps: &Stamps, found: Found<'_>) {
        match &self.0 {
            Search::Nothing => {}
            Search::Few(few) => few.find(line, stamps, found),
            Search::Many(many) => many.find(line, stamps, found),
        }
    }
}

impl Needle {
    /// Calls `found` for a place at which it begins.
    fn tell(&self, at: usize, found: Found<'_>) {
        self.numbers.iter().for_each(|&number| found(number, at..at + self.text.len()));
    }
}

/// The different strings, in the order of the alphabet.
fn needles<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Vec<Needle> {
    let mut all: BTreeMap<Vec<u8>, Vec<usize>> = BTreeMap::new();
    for (number, text) in texts.into_iter().enumerate() {
        let text = text.as_ref();
        if text.len() >= SHORTEST {
            all.entry(text.to_ascii_lowercase()).or_default().push(number);
        }
    }
    all.into_iter().map(|(text, numbers)| Needle { text, numbers }).collect()
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
            needles in prop::collection::vec("[aAb:é\0]{0,7}|[aA]{8,11}", 0..12), line in "[aAbB:é\0]{0,20}[aA]{0,14}[aAb]{0,9}",
        ) {
            for search in [
                Needles::new(&needles),
                Needles(Search::Many(Many::new(super::needles(&needles)))),
            ] {
                let mut found = Vec::new();
                search.find(line.as_bytes(), &Stamps::default(), &mut |number, range| {
                    found.push((number, range));
                });
                // Those in one place are told in the order of their numbers.
                found.sort_by_key(|(_, range)| (range.start, range.end));
                prop_assert_eq!(found, plain(&needles, &line));
            }
        }
    }
    proptest! {
        #[test]
        fn what_begins_in_a_time_is_not_found(
            needles in prop::collection::vec("[a: 1.]{2,7}|kernel|rnel", 0..12),
            line in "(Mar  4 18:20:14|2026-03-04T18:20:14Z) a?11 kernel: \\[ {0,3}1\\.11\\][a: 1.]{0,14}",
        ) {
            let stamps = Stamps::of(line.as_bytes());
            prop_assert!(stamps.head() > 0);
            let mut want = plain(&needles, &line);
            want.retain(|(_, range)| !stamps.contain(range.start));
            for search in [
                Needles::new(&needles),
                Needles(Search::Many(Many::new(super::needles(&needles)))),
            ] {
                let mut found = Vec::new();
                search.find(line.as_bytes(), &stamps, &mut |number, range| {
                    found.push((number, range));
                });
                found.sort_by_key(|(_, range)| (range.start, range.end));
                prop_assert_eq!(&found, &want);
            }
        }
    }
}
