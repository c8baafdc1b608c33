//! Lines that hold none of a few words, stepped over block by block. Knows nothing of what a line says.

use std::cell::OnceCell;
use std::io::{self, Read};

use aho_corasick::packed::Searcher;
use aho_corasick::{AhoCorasick, Input, Match, MatchKind, Span};
use memchr::{memchr_iter, memchr3, memmem, memrchr};

use super::text::{LINE_LIMIT, Lines};
use crate::value::PciAddress;

/// What stands before a message of the kernel in a log of many programs.
const KERNEL: &str = " kernel: ";

/// Words to be looked for in a block at once.
#[derive(Debug)]
pub struct Words {
    all: Vec<String>,
    /// What finds them, built for the first long input; `None` where they are too many.
    search: OnceCell<Option<Search>>,
    /// Drivers of other GPUs. What stands behind the name of one and its device is none of the words: that
    /// there is such a driver is all that its lines tell, and where they come, they come in thousands.
    others: Vec<String>,
}

#[derive(Debug)]
enum Search {
    Packed(Searcher),
    Automaton(AhoCorasick),
}

impl Search {
    fn new(words: &[String]) -> Option<Self> {
        // Without vector instructions there is no packed search.
        Searcher::new(words).map(Self::Packed).or_else(|| {
            let mut builder = AhoCorasick::builder();
            builder.match_kind(MatchKind::LeftmostFirst).build(words).ok().map(Self::Automaton)
        })
    }
}

/// Lines that were stepped over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Skimmed {
    /// How many.
    pub lines: u64,
    /// How often the name of the kernel stands in them as who printed a line; none where that was not asked.
    pub of_kernel: u64,
    /// Whether another GPU's driver printed one of them.
    pub of_another: bool,
}

impl Words {
    /// Any of `words`, but not in lines of the drivers that are called `others`; `None` if they are none.
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

    /// Where the first of them begins, and where the first that does not count, of one machine's `dmesg`:
    /// in other logs it is not known here whose drivers print.
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

    fn first(&self, lines: &[u8], span: Span) -> Option<Match> {
        match self.search.get_or_init(|| Search::new(&self.all)) {
            Some(Search::Packed(packed)) => packed.find_in(lines, span),
            Some(Search::Automaton(automaton)) => automaton.find(Input::new(lines).span(span)),
            // Then each line is read.
            None => (!span.is_empty()).then(|| Match::must(0, span.start..span.start + 1)),
        }
    }

    /// Whether what stands before a word is the beginning of a line of another GPU's driver, and nothing
    /// else: `[  12.345678] i915 0000:00:02.0: `.
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

/// Whether this is all that stands before a message in dmesg.
fn is_time(text: &str) -> bool {
    let time = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let is_of_time = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b' ');
    time.is_some_and(|time| time.bytes().all(is_of_time))
}

/// Counts lines of the kernel in a log of many programs.
#[derive(Debug)]
pub struct OfKernel {
    name: memmem::Finder<'static>,
    /// Where its name stood in a line: in the next one most likely there, too.
    column: usize,
    count: u64,
}

impl Default for OfKernel {
    fn default() -> Self {
        Self { name: memmem::Finder::new(KERNEL), column: 0, count: 0 }
    }
}

impl OfKernel {
    /// Counts those among `lines`; how many lines there are in all.
    fn count(&mut self, lines: &[u8]) -> u64 {
        let (mut begin, mut unseen, mut all) = (0, 0, 0);
        for newline in memchr_iter(b'\n', lines) {
            let line = lines.get(begin..newline).unwrap_or_default();
            if line.get(self.column..).is_some_and(|rest| rest.starts_with(KERNEL.as_bytes())) {
                self.count += 1;
                self.look_for(lines.get(unseen..begin).unwrap_or_default());
                unseen = newline + 1;
            }
            begin = newline + 1;
            all += 1;
        }
        self.look_for(lines.get(unseen..).unwrap_or_default());
        all
    }

    /// Counts where the name may stand anywhere.
    fn look_for(&mut self, lines: &[u8]) {
        for at in self.name.find_iter(lines) {
            self.column = at - line_of(lines, at);
            self.count += 1;
        }
    }

    /// What was counted since this was asked last.
    fn take(&mut self) -> u64 {
        std::mem::take(&mut self.count)
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
    /// `of_kernel` counts the lines of the kernel, where several programs print; in `dmesg` each is one.
    ///
    /// # Errors
    ///
    /// What the reader reports. What came before the failure is given out by the calls that follow.
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
            // What ends a line in other ways, or is no text, is for those who read each line.
            let odd = memchr3(b'\r', 0, 0x1B, waiting.get(..end).unwrap_or_default());
            // The last line is given out, whatever it holds: it says when the log ends.
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

/// Where the line begins that has the byte at `at`.
fn line_of(lines: &[u8], at: usize) -> usize {
    memrchr(b'\n', lines.get(..at).unwrap_or_default()).map_or(0, |newline| newline + 1)
}
