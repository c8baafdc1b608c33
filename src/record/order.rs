//! Puts records in chronological order: reverses a journal printed newest first, and sorts the
//! parts of a saved crash. Independent of formats.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::boots::BootKey;
use super::draft::Draft;
use super::flow::Time;
use super::passed::{NonRecord, SkipReason};
use super::wording::runs_backward;

/// The number of clock steps that determine the order of an input.
pub(super) const STEPS: u32 = 32;
/// Maximum number of records to examine for that.
const PROBED: usize = 4096;
/// Maximum size of text to keep for reversing, in bytes; the newest records come first and are
/// included.
const KEPT_LIMIT: usize = 256 << 20;
/// Estimated size of a kept record without its text.
const OVERHEAD: usize = 256;

/// The order of an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Oldest record first.
    #[default]
    Forward,
    /// Newest record first; the records were reversed.
    Reversed,
    /// Boots or machines alternate: the order is unknown.
    Interleaved,
    /// Ascending first and then mostly descending: the order is meaningless.
    Mixed,
}

/// An output item: a record, or another line.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item<S> {
    Draft(Draft<S>),
    NonRecord(NonRecord<S>),
}

/// A part of a crash in pstore: `Panic#1 Part3`. Part 1 is the newest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) crash: String,
    pub(super) number: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    /// The order is not known yet.
    #[default]
    Probing,
    Forward,
    Reversed,
    Parts,
}

/// The crash and the part; the part with the highest number is the oldest.
type CrashPart = (usize, Reverse<u32>);

/// Passes records on, or keeps them until their order is known.
#[derive(Debug, Default)]
pub(super) struct Order {
    mode: Mode,
    /// Kept items, with their place in saved crashes.
    kept: Vec<(CrashPart, Item<String>)>,
    bytes: usize,
    last: Option<(BootKey, Time)>,
    forward: u32,
    back: u32,
    /// The crashes seen so far, by order, and the current part.
    crashes: HashMap<String, usize>,
    place: CrashPart,
    reversed: bool,
    keeps_nothing: bool,
}

impl Order {
    /// Keeps nothing back.
    pub(super) fn as_it_comes() -> Self {
        Self { mode: Mode::Forward, keeps_nothing: true, ..Self::default() }
    }

    /// Whether the records were reversed.
    pub(super) fn is_reversed(&self) -> bool {
        self.reversed
    }

    /// Whether records are passed on directly.
    pub(super) fn is_forward(&self) -> bool {
        self.mode == Mode::Forward
    }

    /// Whether the limit of kept records is reached.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > KEPT_LIMIT
    }

    /// Takes the next item, and passes on what is ready.
    pub(super) fn pass(&mut self, out: Item<&str>, give: &mut impl FnMut(Item<&str>)) {
        if self.mode == Mode::Forward {
            return give(out);
        }
        if self.mode == Mode::Probing
            && let Item::Draft(draft) = &out
        {
            self.watch(draft);
        }
        let kept = out.kept();
        self.bytes += kept.size();
        self.kept.push((self.place, kept));
        match self.mode {
            Mode::Probing if self.forward + self.back >= STEPS || self.kept.len() >= PROBED => {
                self.decide(give);
            }
            Mode::Parts if self.is_full() => self.end_parts(give),
            _ => {}
        }
    }

    /// Begins a part of a saved crash.
    pub(super) fn part(&mut self, part: Part, give: &mut impl FnMut(Item<&str>)) {
        if self.keeps_nothing {
            return;
        }
        if self.mode == Mode::Probing {
            self.decide(give);
        }
        if self.mode == Mode::Forward {
            self.mode = Mode::Parts;
        }
        let next = self.crashes.len();
        let crash = *self.crashes.entry(part.crash).or_insert(next);
        self.place = (crash, Reverse(part.number));
    }

    /// Passes on all kept items at the end of the input.
    pub(super) fn finish(&mut self, give: &mut impl FnMut(Item<&str>)) {
        match self.mode {
            Mode::Probing => self.decide(give),
            Mode::Parts => self.end_parts(give),
            Mode::Forward | Mode::Reversed => {}
        }
        if self.mode == Mode::Reversed {
            self.kept.reverse();
            self.release(give);
        }
    }

    /// Counts the clock's steps; the start of a boot is not a step.
    fn watch(&mut self, draft: &Draft<&str>) {
        if draft.message.starts_with("Linux version ") {
            self.last = None;
            return;
        }
        let before = self.last.replace((draft.boot, draft.time));
        let step = before
            .filter(|(boot, _)| *boot == draft.boot)
            .and_then(|(_, before)| before.until(&draft.time));
        match step {
            Some(step) if step > 0 => self.forward += 1,
            Some(step) if step < 0 => self.back += 1,
            // A line without a time does not hide a step.
            None if draft.time == Time::default() => self.last = before,
            _ => {}
        }
    }

    /// A single line out of order is normal, so one step back proves nothing; then the wording
    /// decides.
    fn decide(&mut self, give: &mut impl FnMut(Item<&str>)) {
        let untold = self.forward == 0 && self.back <= 1;
        let by_words = untold && runs_backward(self.timed());
        if by_words || (self.back > self.forward && self.back > 1) {
            self.mode = Mode::Reversed;
            self.reversed = true;
        } else {
            self.mode = Mode::Forward;
            self.release(give);
        }
    }

    /// The texts of the kept records that have a time.
    fn timed(&self) -> impl Iterator<Item = &str> {
        self.kept.iter().filter_map(|(_, kept)| match kept {
            Item::Draft(draft) if draft.time != Time::default() => Some(draft.message.as_str()),
            Item::Draft(_) | Item::NonRecord(_) => None,
        })
    }

    /// Passes on the parts of each crash, oldest first. A second crash repeats the content of the
    /// first.
    fn end_parts(&mut self, give: &mut impl FnMut(Item<&str>)) {
        self.kept.sort_by_key(|(place, _)| *place);
        let mut given = HashSet::new();
        for (_, kept) in &mut self.kept {
            if let Item::Draft(draft) = kept
                && draft.time.monotonic.is_some()
                && !given.insert((draft.time.monotonic, draft.message.clone()))
            {
                let (line, text) = (draft.line, std::mem::take(&mut draft.message));
                *kept = Item::NonRecord(NonRecord { line, text, why: SkipReason::QuotedAgain });
            }
        }
        self.release(give);
        self.crashes.clear();
        self.place = CrashPart::default();
        self.mode = Mode::Forward;
    }

    fn release(&mut self, give: &mut impl FnMut(Item<&str>)) {
        self.bytes = 0;
        for (_, kept) in std::mem::take(&mut self.kept) {
            give(kept.borrowed());
        }
    }
}

impl Item<&str> {
    /// The same with owned text.
    pub(super) fn kept(&self) -> Item<String> {
        match self {
            Self::Draft(draft) => Item::Draft(draft.kept()),
            Self::NonRecord(NonRecord { line, text, why }) => {
                Item::NonRecord(NonRecord { line: *line, text: (*text).to_owned(), why: *why })
            }
        }
    }
}

impl Item<String> {
    /// The same with borrowed text.
    pub(super) fn borrowed(&self) -> Item<&str> {
        match self {
            Self::Draft(draft) => Item::Draft(draft.borrowed()),
            Self::NonRecord(NonRecord { line, text, why }) => {
                Item::NonRecord(NonRecord { line: *line, text, why: *why })
            }
        }
    }

    /// Its size in bytes.
    fn size(&self) -> usize {
        OVERHEAD
            + match self {
                Self::Draft(draft) => draft.message.len(),
                Self::NonRecord(passed) => passed.text.len(),
            }
    }
}
