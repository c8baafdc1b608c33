//! Lines that hold none of a few words, stepped over block by block. Knows nothing of what a line says.

use std::io::{self, Read};

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr_iter, memchr3, memmem, memrchr};

use super::text::{LINE_LIMIT, Lines};

/// Words to be looked for in a block at once.
#[derive(Debug)]
pub struct Words {
    search: Search,
    /// What marks a line of the kernel in a log of many programs.
    kernel: memmem::Finder<'static>,
}

#[derive(Debug)]
enum Search {
    Packed(Searcher),
    Automaton(AhoCorasick),
}

/// Lines that were stepped over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skimmed {
    /// How many.
    pub lines: u64,
    /// How often the name of the kernel stands in them as who printed a line.
    pub of_kernel: u64,
}

impl Words {
    /// What finds `words`; `None` if they are none or too many.
    #[must_use]
    pub fn new<'w>(words: impl IntoIterator<Item = &'w str>) -> Option<Self> {
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return None;
        }
        let automaton =
            || AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(&words);
        // Without vector instructions there is no packed search.
        let search = match Searcher::new(&words) {
            Some(packed) => Search::Packed(packed),
            None => Search::Automaton(automaton().ok()?),
        };
        Some(Self { search, kernel: memmem::Finder::new(b" kernel: ") })
    }

    /// Where the first of them begins.
    fn find(&self, bytes: &[u8]) -> Option<usize> {
        match &self.search {
            Search::Packed(packed) => packed.find(bytes).map(|found| found.start()),
            Search::Automaton(automaton) => automaton.find(bytes).map(|found| found.start()),
        }
    }
}

impl<R: Read> Lines<R> {
    /// Whether the input is longer than `size` bytes, so that it is to be skimmed. Reads on until that is
    /// known.
    ///
    /// # Errors
    ///
    /// What the reader reports.
    pub(crate) fn is_longer_than(&mut self, size: usize) -> io::Result<bool> {
        while self.waiting() <= size {
            if self.has_ended() {
                return Ok(false);
            }
            self.read_on()?;
        }
        self.begin_skimming();
        Ok(true)
    }

    /// Steps over whole lines that hold none of `words`, up to the first that does, or to the last there is.
    ///
    /// # Errors
    ///
    /// What the reader reports. What came before the failure is given out by the calls that follow.
    pub fn skim(&mut self, words: &Words) -> io::Result<Skimmed> {
        let mut skimmed = Skimmed::default();
        if !self.begins_line() {
            return Ok(skimmed);
        }
        loop {
            let waiting = self.whole_lines();
            let found = words.find(waiting);
            let end = found.unwrap_or(waiting.len());
            // What ends a line in other ways, or is no text, is for those who read each line.
            let odd = memchr3(b'\r', 0, 0x1B, waiting.get(..end).unwrap_or_default());
            // The last line is given out, whatever it holds: it says when the log ends.
            let over = line_of(waiting, odd.or(found).unwrap_or(end.saturating_sub(1)));
            let passed = waiting.get(..over).unwrap_or_default();
            skimmed.of_kernel += words.kernel.find_iter(passed).count() as u64;
            let lines = memchr_iter(b'\n', passed).count() as u64;
            let stuck = waiting.len() - over > LINE_LIMIT || waiting.is_empty();
            skimmed.lines += lines;
            self.step_over(over, lines);
            if odd.or(found).is_some() || stuck || self.has_ended() {
                return Ok(skimmed);
            }
            self.read_on()?;
        }
    }
}

/// Where the line begins that has the byte at `at`.
fn line_of(lines: &[u8], at: usize) -> usize {
    memrchr(b'\n', lines.get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1)
}
