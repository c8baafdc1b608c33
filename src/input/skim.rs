//! Skips lines without any of a few search words, block by block. Independent of the meaning of
//! lines.

use std::cell::OnceCell;
use std::io::{self, Read};
use std::ops::Range;

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, Input, Match, MatchKind, Span};
use memchr::{memchr_iter, memchr3, memmem, memrchr};

use super::text::{LINE_LIMIT, Lines};
use crate::value::PciAddress;

/// Precedes kernel messages in a log of many programs.
const KERNEL: &[u8; 9] = b" kernel: ";

/// Words that are searched for at once.
#[derive(Debug)]
pub struct Words {
    all: Vec<String>,
    /// The search automaton, built for the first long input; `None` if there are too many words.
    search: OnceCell<Option<Search>>,
    /// Drivers of other GPUs. Words after such a driver's name and device do not count: its lines,
    /// which may come in thousands, only show that there is such a driver.
    others: Vec<String>,
}

#[derive(Debug)]
enum Search {
    /// One for each [`PACKED`] words.
    Packed(Vec<Searcher>),
    Automaton(AhoCorasick),
}

/// The number of words that a packed search takes. Building two of them costs a tenth of what building an automaton does.
const PACKED: usize = 64;

impl Search {
    fn new(words: &[String]) -> Option<Self> {
        // Without vector instructions there is no packed search.
        let packed: Option<Vec<Searcher>> = words.chunks(PACKED).map(Searcher::new).collect();
        packed.map(Self::Packed).or_else(|| {
            let mut builder = AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostFirst).build(words).ok().map(Self::Automaton)
        })
    }
}

/// Statistics about skipped lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skimmed {
    /// Their number.
    pub lines: u64,
    /// The number of kernel lines among them; 0 if not requested.
    pub of_kernel: u64,
    /// Whether one of them is from another GPU's driver.
    pub of_another: bool,
}

impl Words {
    /// Searches for `words`, except in lines of the drivers `others`; `None` if `words` is empty.
    #[must_use]
    pub fn new<'w>(
        words: impl IntoIterator<Item = &'w str>,
        others: impl IntoIterator<Item = &'w str>,
    ) -> Option<Self> {
        let words = words.into_iter().filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_owned).collect();
        let others = others.into_iter().map(str::to_owned).collect();
        (!words.is_empty()).then(|| Self { all: words, search: OnceCell::new(), others })
    }

    /// The positions of the first match and of the first match that does not count. The latter is
    /// determined only for one machine's `dmesg`, because in other logs the driver cannot be
    /// recognised here.
    fn find(&self, lines: &[u8], dmesg: bool) -> (Option<usize>, Option<usize>) {
        let (mut from, mut another) = (0, None);
        while let Some(found) = self.first(lines, Span::from(from..lines.len())) {
            if !dmesg || !self.is_of_another(lines.get(..found.start()).unwrap_or_default()) {
                return (Some(found.start()), another);
            }
            another = another.or(Some(found.start()));
            from = found.end();
        }
        (None, another)
    }

    /// Whether `text` holds one of them. Where they are too many to be searched for, it may.
    pub(crate) fn are_in(&self, text: &[u8]) -> bool {
        self.first(text, Span::from(0..text.len())).is_some()
    }

    /// The place of the first of them in `text`.
    pub(crate) fn found_in(&self, text: &str) -> Option<Range<usize>> {
        let found = self.first(text.as_bytes(), Span::from(0..text.len()))?.range();
        text.get(found.clone()).is_some().then_some(found)
    }

    fn first(&self, lines: &[u8], span: Span) -> Option<Match> {
        match self.search.get_or_init(|| Search::new(&self.all)) {
            Some(Search::Packed(packed)) => {
                let found = packed.iter().filter_map(|packed| packed.find_in(lines, span));
                found.min_by_key(Match::start)
            }
            Some(Search::Automaton(automaton)) => automaton.find(Input::new(lines).span(span)),
            // Then every line is read.
            None => (!span.is_empty()).then(|| Match::must(0, span.start..span.start + 1)),
        }
    }

    /// Whether the text before a word is the prefix of another GPU's driver: `[  12.345678] i915
    /// 0000:00:02.0: `.
    fn is_of_another(&self, before: &[u8]) -> bool {
        let line = before.get(line_of(before, before.len())..).unwrap_or_default();
        let Some(Ok(line)) = line.strip_suffix(b": ").map(str::from_utf8) else { return false };
        let mut parts = line.rsplitn(3, ' ');
        let device = parts.next().unwrap_or_default().parse::<PciAddress>();
        let name = parts.next().unwrap_or_default();
        device.is_ok()
            && self.others.iter().any(|other| other == name)
            && parts.next().is_some_and(is_time)
    }
}

/// Whether this is the complete prefix of a message in dmesg.
fn is_time(text: &str) -> bool {
    let time = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let is_of_time = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b' ');
    time.is_some_and(|time| time.bytes().all(is_of_time))
}

/// Counts kernel lines in a log of many programs.
#[derive(Debug)]
pub struct OfKernel {
    name: memmem::Finder<'static>,
    /// The column of the last match, which is likely to be the same in the next line.
    column: usize,
    count: u64,
}

impl Default for OfKernel {
    fn default() -> Self {
        Self { name: memmem::Finder::new(KERNEL), column: 0, count: 0 }
    }
}

impl OfKernel {
    /// Counts the kernel lines in `lines`; returns the total number of lines.
    fn count(&mut self, lines: &[u8]) -> u64 {
        let (mut begin, mut unseen, mut all) = (0, 0, 0);
        for newline in memchr_iter(b'\n', lines) {
            let line = lines.get(begin..newline).unwrap_or_default();
            if line.get(self.column..).and_then(<[u8]>::first_chunk) == Some(KERNEL) {
                self.count += 1;
                if unseen < begin {
                    self.look_for(lines.get(unseen..begin).unwrap_or_default());
                }
                unseen = newline + 1;
            }
            begin = newline + 1;
            all += 1;
        }
        self.look_for(lines.get(unseen..).unwrap_or_default());
        all
    }

    /// Counts matches in any column.
    fn look_for(&mut self, lines: &[u8]) {
        for at in self.name.find_iter(lines) {
            self.column = at - line_of(lines, at);
            self.count += 1;
        }
    }

    /// The count since the last call.
    fn take(&mut self) -> u64 {
        std::mem::take(&mut self.count)
    }
}

impl<R: Read> Lines<R> {
    /// Whether the input is longer than `size` bytes, so that it should be skimmed. Reads as far as
    /// necessary.
    ///
    /// # Errors
    ///
    /// Those of the reader.
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

    /// Skips whole lines without any of `words`, up to the first one with a word or the last line.
    /// `of_kernel` counts kernel lines if several programs print; in `dmesg` all lines are the
    /// kernel's.
    ///
    /// # Errors
    ///
    /// Those of the reader. Lines before the error are returned by the following calls.
    pub fn skim(
        &mut self,
        words: &Words,
        mut of_kernel: Option<&mut OfKernel>,
    ) -> io::Result<Skimmed> {
        let mut skimmed = Skimmed::default();
        if !self.begins_line() {
            return Ok(skimmed);
        }
        loop {
            let waiting = self.whole_lines();
            let (found, another) = words.find(waiting, of_kernel.is_none());
            let end = found.unwrap_or(waiting.len());
            // Lines with other line ends or control characters are read one by one.
            let odd = memchr3(b'\r', 0, 0x1B, waiting.get(..end).unwrap_or_default());
            // The last line is always returned, because it shows when the log ends.
            let over = line_of(waiting, odd.or(found).unwrap_or(end.saturating_sub(1)));
            let passed = waiting.get(..over).unwrap_or_default();
            skimmed.of_another |= another.is_some_and(|at| at < over);
            let lines = match &mut of_kernel {
                Some(of_kernel) => of_kernel.count(passed),
                None => memchr_iter(b'\n', passed).count() as u64,
            };
            let stuck = waiting.len() - over > LINE_LIMIT || waiting.is_empty();
            skimmed.lines += lines;
            self.step_over(over, lines);
            if odd.or(found).is_some() || stuck || self.has_ended() {
                skimmed.of_kernel = of_kernel.map_or(0, OfKernel::take);
                return Ok(skimmed);
            }
            self.read_on()?;
        }
    }
}

/// The start of the line with the byte at `at`.
fn line_of(lines: &[u8], at: usize) -> usize {
    memrchr(b'\n', lines.get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_more_words_than_one_search_takes_is_found() {
        let all: Vec<String> =
            (0..2 * PACKED + 3).map(|number| format!("word-{number}.")).collect();
        let words = Words::new(all.iter().map(String::as_str), []).unwrap();
        for (text, want) in [
            ("word-130. and word-2.", Some(0..9)),
            ("a word-2. and word-130.", Some(2..9)),
            ("word-99 word-131.", None),
        ] {
            assert_eq!(words.found_in(text), want, "{text}");
        }
    }
}
