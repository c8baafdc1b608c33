//! Finds out whether a log names an AMD GPU where nothing that its driver printed is recognised,
//! and which other driver of such GPUs prints into it.

use std::collections::BTreeSet;
use std::ops::Range;

use super::complaint::Complaint;
use super::traceback::{TracebackSearch, Unfinished};
use crate::input::Words;
use crate::pattern::hardware::{KernelNames, UncoveredDriver};
use crate::value::Mention;

/// Longer names are not shown whole, in bytes.
const LONGEST: usize = 40;

/// A line that names an AMD GPU or a driver of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sighting {
    /// Which line.
    pub(crate) line: u64,
    /// The word that only such lines contain.
    pub(crate) word: String,
}

/// What an input has that has no message of the kernel or of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instead {
    /// In a text that names an AMD GPU, the line that tells the most about a failure.
    pub(crate) named: Option<Sighting>,
    /// A Python traceback without its last line, which names the error.
    pub(crate) traceback: Option<Unfinished>,
}

/// A driver of AMD GPUs whose messages are not in the catalogue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncovered {
    /// Its name.
    pub(crate) driver: String,
    /// What it is, in a few words.
    pub(crate) is: String,
    /// The number of its lines.
    pub(crate) lines: u64,
    /// The number of them that report an error of a GPU.
    pub(crate) errors: u64,
    /// The first of these.
    pub(crate) first_error: Option<Complaint>,
}

impl Uncovered {
    fn new(driver: &UncoveredDriver) -> Self {
        let (driver, is) = (driver.name.clone(), driver.is.clone());
        Self { driver, is, lines: 0, errors: 0, first_error: None }
    }
}

/// How much a line tells about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    /// It names an AMD GPU.
    Name,
    /// The same, and reports an error.
    Error,
    /// It has the name or the words of a failure of a GPU.
    Failure,
}

/// Searches lines.
#[derive(Debug)]
pub(super) struct SightingSearch {
    /// Words of lines that name an AMD GPU.
    gpu: Option<Words>,
    /// Names and words of failures.
    failures: Option<Words>,
}

impl SightingSearch {
    pub(super) fn new(names: &KernelNames) -> Self {
        Self {
            gpu: Words::new(names.gpu_words().map(String::as_str), []),
            failures: Words::new(names.failure_words().map(String::as_str), []),
        }
    }

    /// The word of a line that tells the most, and how much it tells.
    fn of(&self, text: &str) -> Option<(Weight, Range<usize>)> {
        let found = |words: &Option<Words>| words.as_ref()?.found_in(text);
        let failure = found(&self.failures).map(|found| (Weight::Failure, found));
        failure.or_else(|| {
            let weight = if reports_an_error(text) { Weight::Error } else { Weight::Name };
            Some((weight, found(&self.gpu)?))
        })
    }
}

/// The first line that names an AMD GPU, and lines of drivers that are not in the catalogue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sightings {
    /// The first line that names an AMD GPU.
    pub(crate) first: Option<Sighting>,
    /// The first of the lines that tell the most about a failure.
    strongest: Option<(Weight, Sighting)>,
    /// What the input has of a Python traceback.
    traceback: TracebackSearch,
    /// The number of such lines, up to one more than is needed, and how many of them AMD's
    /// management tools print on any machine.
    named: [u64; 2],
    /// The drivers that are not in the catalogue, in the order of their first lines.
    pub(crate) uncovered: Vec<Uncovered>,
    /// What any line tells about the machine or the work.
    pub(crate) mentions: BTreeSet<Mention>,
    /// Whether lines were skipped that were not searched for such words.
    pub(crate) are_partial: bool,
}

impl Sightings {
    /// Searches a line. With `is_no_log`, nothing that was read so far can be judged, and the line
    /// that says the most is sought.
    pub(super) fn see(&mut self, search: &SightingSearch, line: u64, text: &str, is_no_log: bool) {
        let sighting = |found| Sighting { line, word: whole(text, found).to_owned() };
        let [lines, of_tools] = self.named;
        // The last of them can still turn out to be of a tool.
        if lines <= of_tools + 1
            && let Some(found) = search.gpu.as_ref().and_then(|words| words.found_in(text))
        {
            self.named = [lines + 1, of_tools];
            self.first.get_or_insert_with(|| sighting(found));
        }
        if is_no_log {
            self.traceback.see(line, text);
        }
        let known = self.strongest.as_ref().map(|(weight, _)| *weight);
        if !is_no_log || known == Some(Weight::Failure) {
            return;
        }
        let found = search.of(text).filter(|(weight, _)| Some(*weight) > known);
        if let Some((weight, found)) = found {
            self.strongest = Some((weight, sighting(found)));
        }
    }

    /// In a text that names an AMD GPU, the line that tells the most about a failure.
    fn strongest(&self) -> Option<&Sighting> {
        let strongest = self.strongest.as_ref().map(|(_, sighting)| sighting);
        self.first.as_ref().map(|first| strongest.unwrap_or(first))
    }

    /// What an input without a message has: the line that tells the most about a failure, and a
    /// traceback without its last line.
    pub(crate) fn instead(&self) -> Instead {
        Instead { named: self.strongest().cloned(), traceback: self.traceback.unfinished() }
    }

    /// Records that a tool prints `text`, which was searched last, on machines of any vendor.
    pub(super) fn see_tool(&mut self, search: &SightingSearch, text: &str) {
        let [_, of_tools] = &mut self.named;
        let found = search.gpu.as_ref().and_then(|words| words.found_in(text));
        *of_tools += u64::from(found.is_some());
    }

    /// Whether an AMD GPU is named by more than what its tools print on any machine.
    pub(crate) const fn is_named_apart(&self) -> bool {
        let [lines, of_tools] = self.named;
        lines > of_tools
    }

    /// Counts a line of `driver`.
    pub(super) fn count(
        &mut self,
        driver: &UncoveredDriver,
        (line, text): (u64, &str),
        is_error: bool,
    ) {
        let index = self.uncovered.iter().position(|known| known.driver == driver.name);
        let index = index.unwrap_or_else(|| {
            self.uncovered.push(Uncovered::new(driver));
            self.uncovered.len() - 1
        });
        let Some(known) = self.uncovered.get_mut(index) else { return };
        known.lines += 1;
        if is_error && !driver.beside {
            known.errors += 1;
            known.first_error.get_or_insert_with(|| Complaint { line, text: text.to_owned() });
        }
    }

    /// Whether errors of such a driver are in the log, which cannot be judged.
    pub(crate) fn are_unjudged(&self) -> bool {
        self.uncovered.iter().any(|one| one.errors > 0)
    }

    /// Whether no line that was read names an AMD GPU or is of a driver of one.
    pub(crate) const fn are_none(&self) -> bool {
        self.first.is_none() && self.uncovered.is_empty() && !self.are_partial
    }
}

/// Whether a line of a driver that is not in the catalogue reports an error, by its words: few
/// forms of a log have levels.
pub(super) fn reports_an_error(text: &str) -> bool {
    const WORDS: [&str; 14] = [
        "*ERROR*",
        "rror:",
        " error ",
        "Fatal",
        "ailed",
        " fault ",
        "stalled",
        "lockup",
        "timed out",
        "timedout",
        "timeout",
        "SOFT_RESET=",
        "softreset",
        "disabling GPU acceleration",
    ];
    WORDS.iter().any(|word| text.contains(word))
}

/// The name that a word in `text` is a part of, at this place.
fn whole(text: &str, found: Range<usize>) -> &str {
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let before = text.get(..found.start).unwrap_or_default();
    let behind = text.get(found.end..).unwrap_or_default();
    let start = before.trim_end_matches(is_of_name).len();
    let end = text.len() - behind.trim_start_matches(is_of_name).len();
    // A mark with which the word begins is no part of a name.
    let is_name = text[found.clone()].starts_with(is_of_name);
    let start = if is_name { start } else { found.start };
    let name = text.get(start..end).filter(|name| name.len() <= LONGEST);
    name.unwrap_or(&text[found]).trim_start_matches('-')
}
