//! Finds the message that a text is: candidates by prefix or literal, then each candidate's form
//! step by step.

use std::mem;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::anchor::LiteralIndex;
use super::cut::{self, End};
use super::form::{Form, How, Pattern};
use super::later::LazyList;
use super::mark::PrefilterLiterals;
use super::message::{Message, Printer};
use super::prefix::Prefixes;
use super::setting::Settings;
use super::step::{self, Span};
use crate::value::field::Conversion;

/// Shorter prefixes are not distinctive, in bytes.
pub(super) const KEY: usize = 3;

/// Maximum number of sentences in a message that ends within a line.
const SENTENCES: usize = 6;

/// The messages with their index.
#[derive(Clone, Copy, Debug)]
pub struct Matcher<'m> {
    messages: &'m LazyList<Message>,
    index: &'m Index,
}

/// The index for finding messages. Building it takes longer than reading a small log, so it is
/// shared by all logs, and that of the built-in patterns is stored with them.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Index {
    /// All forms, in the order in which they are tried.
    forms: Vec<Entry>,
    prefixes: Prefixes,
    /// Forms that begin with a value: tried on every text that contains their literal. Separate for
    /// messages of the driver, of the kernel and of programs.
    anchors: [(Printers, LiteralIndex); 3],
    kernel: PrefilterLiterals,
    program: PrefilterLiterals,
    bare: PrefilterLiterals,
}

/// A form, compiled at first use.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    message: usize,
    form: usize,
    from: Printers,
    #[serde(skip)]
    pattern: OnceLock<Option<Box<Pattern>>>,
}

/// A set of printers, one bit each.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Printers(u32);

impl Printers {
    fn new(printers: &[Printer]) -> Self {
        Self(printers.iter().fold(0, |all, printer| all | 1 << (*printer as u32)))
    }

    /// Drivers and buses with a prefix; the core of the kernel; programs.
    fn classes() -> [Self; 3] {
        use Printer::{Amdgpu, Drm, Iommu, Kernel, Passthrough, Pci, Program, Ttm, VendorReset};
        let prefixed = &[Amdgpu, Drm, Ttm, Pci, Iommu, VendorReset, Passthrough][..];
        [prefixed, &[Kernel], &[Program]].map(Self::new)
    }

    const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A message found in a text.
#[derive(Clone, Debug)]
pub(crate) struct Found<'m, 't> {
    pub message: &'m Message,
    /// The index of the message.
    pub place: usize,
    settings: &'m [Settings],
    text: &'t str,
    room: CaptureBuffer,
}

/// A buffer for captures, reused between searches.
#[derive(Clone, Debug, Default)]
pub(crate) struct CaptureBuffer(Vec<Span>);

impl Found<'_, '_> {
    /// The field values for an event of the message's kind number `kind`: index of the field, its
    /// text, and how to parse it. Each field occurs once.
    pub(crate) fn values(
        &self,
        kind: usize,
    ) -> impl Iterator<Item = (usize, &str, Conversion)> + Clone {
        Settings::values(self.settings.get(kind), self.text, &self.room.0)
    }

    /// The part of the text that is the message.
    pub(crate) fn text(&self) -> &str {
        self.text
    }

    pub(crate) fn into_room(self) -> CaptureBuffer {
        self.room
    }
}

impl Index {
    /// Builds the index of `messages`; forms are compiled at first use.
    pub(crate) fn new(messages: &LazyList<Message>) -> Self {
        let places = messages.iter().enumerate().flat_map(|(message, definition)| {
            let forms = definition.forms.iter().enumerate();
            forms.map(move |(form, of)| (turn(definition, of), message, form, of))
        });
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|(turn, ..)| *turn);
        let of = |wanted: fn(Priority) -> bool| {
            let numbered = (0..).zip(&places).filter(move |(_, (turn, ..))| wanted(*turn));
            numbered.map(|(place, (_, _, _, form))| (*form, place))
        };
        let led =
            of(|turn| turn != Priority::Anywhere).map(|(form, at)| (form.prefix.as_str(), at));
        let prefixes = Prefixes::new(led.collect());
        let entry = |(_, message, form, _): &(Priority, usize, usize, &Form)| Entry {
            message: *message,
            form: *form,
            from: messages.get(*message).map_or(Printers(0), |of| Printers::new(&of.from)),
            pattern: OnceLock::new(),
        };
        let forms: Vec<Entry> = places.iter().map(entry).collect();
        let anchors = Printers::classes().map(|class| {
            let is_of = |at: u32| forms.get(at as usize).is_some_and(|form| form.from.meet(class));
            let anchored = of(|turn| turn == Priority::Anywhere).filter(|(_, at)| is_of(*at));
            (class, LiteralIndex::new(anchored.map(|(form, at)| (form.literal.as_str(), at))))
        });
        Self {
            forms,
            prefixes,
            anchors,
            kernel: PrefilterLiterals::new(messages, &[Printer::Kernel], |message| {
                message.from.contains(&Printer::Amdgpu) && !message.shared
            }),
            program: PrefilterLiterals::new(messages, &[Printer::Program], |_| false),
            bare: PrefilterLiterals::new(messages, &Printer::IN_PROSE, |_| false),
        }
    }
}

impl Index {
    /// The indices of forms of `printers` whose literal occurs in `text`.
    fn anchored(&self, text: &str, printers: Printers) -> Vec<u32> {
        let mut classes = self.anchors.iter().filter(|(class, _)| class.meet(printers));
        let mut found = classes.next().map(|(_, anchors)| anchors.of(text)).unwrap_or_default();
        let alone = found.len();
        classes.for_each(|(_, anchors)| found.extend(anchors.of(text)));
        if found.len() > alone {
            found.sort_unstable();
            found.dedup();
        }
        found
    }

    /// The indices of forms whose prefix `text` begins with, and the longest of these prefixes.
    fn begun(&self, text: &str) -> (impl Iterator<Item = u32> + Clone + '_, Start) {
        let bare = without_lead(text);
        let found = self.prefixes.of(bare);
        let end = text.len() - bare.len() + found.end;
        // A form whose prefix ends with a space may need these spaces.
        let beginning = text.get(..end).unwrap_or_default().trim_end_matches([' ', '\t']);
        let start = Start { length: found.longest, end: beginning.len() };
        (self.prefixes.places(found), start)
    }
}

/// The part of a text that a prefix matched.
#[derive(Clone, Copy, Debug)]
struct Start {
    length: usize,
    /// Its end, without trailing spaces.
    end: usize,
}

/// The order in which forms are tried: more specific prefixes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Priority {
    /// Begins with a distinctive literal.
    Prefix,
    /// Begins with a literal that many texts begin with.
    ShortPrefix,
    /// Begins with a value, or anywhere in a line.
    Anywhere,
}

fn turn(message: &Message, form: &Form) -> Priority {
    match form.lead().len() {
        _ if message.anywhere => Priority::Anywhere,
        0 => Priority::Anywhere,
        1..KEY => Priority::ShortPrefix,
        _ => Priority::Prefix,
    }
}

impl<'m> Matcher<'m> {
    /// Combines `messages` with the index that was built from them.
    pub(crate) fn new(messages: &'m LazyList<Message>, index: &'m Index) -> Self {
        Self { messages, index }
    }

    /// The prefilter for messages of the core of the kernel, and for those of the driver that
    /// nobody else prints.
    pub(crate) fn kernel(&self) -> &'m PrefilterLiterals {
        &self.index.kernel
    }

    /// The prefilter for messages of the driver.
    #[must_use]
    pub(crate) fn bare(&self) -> &'m PrefilterLiterals {
        &self.index.bare
    }

    /// Whether a text begins with the fixed beginning of a message of `printers`, and holds its
    /// rarest words, too. Expressions, which programs' messages often are, have no fixed beginning,
    /// so for these the beginning of any message counts.
    pub(crate) fn begins(&self, text: &str, printers: &[Printer]) -> bool {
        let (mut places, start) = self.index.begun(text);
        let of_programs = printers == [Printer::Program];
        let printers = Printers::new(printers);
        let literal = |entry: &Entry| {
            let form = self.messages.get(entry.message)?.forms.get(entry.form)?;
            Some(form.literal.as_str())
        };
        let mut holds = || {
            places.any(|place| {
                let entry = self.index.forms.get(place as usize);
                entry.filter(|entry| entry.from.meet(printers)).is_some_and(|entry| {
                    literal(entry).is_some_and(|literal| text.contains(literal))
                })
            })
        };
        start.length >= KEY && (of_programs || holds())
    }

    /// The prefilter for messages of programs.
    pub(crate) fn program(&self) -> &'m PrefilterLiterals {
        &self.index.program
    }

    /// The message that `text` is, if one of `printers` prints it. `inside` allows messages in the
    /// middle of a line.
    pub(crate) fn find<'t>(
        &self,
        text: &'t str,
        printers: &[Printer],
        inside: bool,
    ) -> Option<Found<'m, 't>> {
        self.find_with(&mut CaptureBuffer::default(), text, printers, inside)
    }

    /// As [`Self::find`], with an existing buffer, which is moved into the result.
    pub(crate) fn find_with<'t>(
        &self,
        CaptureBuffer(spans): &mut CaptureBuffer,
        text: &'t str,
        printers: &[Printer],
        inside: bool,
    ) -> Option<Found<'m, 't>> {
        // Another driver's output is never a message.
        if printers.is_empty() {
            return None;
        }
        let printers = Printers::new(printers);
        let index = self.index;
        let (mut places, start) = index.begun(text);
        let mut try_at = |place, start| self.tried(place, text, start, printers, inside, spans);
        let found = places.find_map(|place| try_at(place, Some(start)));
        let (candidate, text) = found.or_else(|| {
            let mut anchored = index.anchored(text, printers).into_iter();
            anchored.find_map(|place| try_at(place, None))
        })?;
        let Candidate { message, entry, pattern, .. } = candidate;
        let room = CaptureBuffer(mem::take(spans));
        Some(Found { message, place: entry.message, settings: &pattern.settings, text, room })
    }

    /// Whether `text` can be the beginning of a message that `is_wanted`, truncated anywhere.
    pub(crate) fn may_begin(
        &self,
        text: &str,
        printers: &[Printer],
        is_wanted: impl Fn(&Message) -> bool,
    ) -> bool {
        let printers = Printers::new(printers);
        let places = self.index.prefixes.meeting(without_lead(text));
        let entries = places.iter().filter_map(|place| self.index.forms.get(*place as usize));
        let candidates = entries.filter(|entry| entry.from.meet(printers));
        candidates.filter_map(|entry| self.candidate(entry)).any(|candidate| {
            let How::Steps(steps) = &candidate.pattern.how else { return false };
            let mut spans = vec![None; candidate.pattern.captures];
            is_wanted(candidate.message)
                && cut::begins(steps, text, End::OfFunction, &mut spans).is_some()
        })
    }

    /// The message whose truncated form `text` is, if it is one of `function` where that is given.
    /// If it may be several, the shortest, provided that all others continue it.
    pub(crate) fn begun<'t>(
        &self,
        text: &'t str,
        (end, function): (End, Option<&str>),
        printers: &[Printer],
    ) -> Option<Found<'m, 't>> {
        let printers = Printers::new(printers);
        let mut found: Vec<(usize, Candidate<'m>, Vec<Span>)> = Vec::new();
        let places = self.index.prefixes.meeting(without_lead(text));
        let entries = places.iter().filter_map(|place| self.index.forms.get(*place as usize));
        for entry in entries.filter(|entry| entry.from.meet(printers)) {
            let Some(candidate) = self.candidate(entry) else { continue };
            let How::Steps(steps) = &candidate.pattern.how else { continue };
            if function.is_some_and(|name| !candidate.message.is_of_function(name)) {
                continue;
            }
            let mut spans = vec![None; candidate.pattern.captures];
            let Some(letters) = cut::begins(steps, text, end, &mut spans) else { continue };
            found.push((letters, candidate, spans));
        }
        let most = found.iter().map(|(letters, ..)| *letters).max()?;
        found.retain(|(letters, ..)| *letters == most);
        let kind = |one: &Candidate<'_>| one.message.kinds.first().copied();
        let least = found.iter().position(|(_, least, _)| {
            found.iter().all(|(_, other, _)| kind(other) == kind(least) || least.begins(other))
        })?;
        let (_, candidate, spans) = found.swap_remove(least);
        let Candidate { message, entry, pattern, .. } = candidate;
        let room = CaptureBuffer(spans);
        Some(Found { message, place: entry.message, settings: &pattern.settings, text, room })
    }

    /// The indices of all messages that match `text`, for checking samples.
    pub(crate) fn all(&self, text: &str, printers: &[Printer]) -> Vec<usize> {
        let printers = Printers::new(printers);
        let mut spans = Vec::new();
        let anchored = self.index.anchored(text, printers);
        let (places, _) = self.index.begun(text);
        let mut found: Vec<usize> = { places.chain(anchored) }
            .filter_map(|place| self.tried(place, text, None, printers, true, &mut spans))
            .map(|(candidate, _)| candidate.entry.message)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Matches the form at `place`; returns the part of `text` that is the message.
    fn tried<'t>(
        &self,
        place: u32,
        text: &'t str,
        start: Option<Start>,
        printers: Printers,
        inside: bool,
        spans: &mut Vec<Span>,
    ) -> Option<(Candidate<'m>, &'t str)> {
        let entry = self.index.forms.get(place as usize)?;
        if !entry.from.meet(printers) {
            return None;
        }
        let candidate = self.candidate(entry)?;
        candidate.part(text, start, inside, spans).map(|text| (candidate, text))
    }

    /// A form with its message, compiled.
    fn candidate(&self, entry: &'m Entry) -> Option<Candidate<'m>> {
        let message = self.messages.get(entry.message)?;
        let form = message.forms.get(entry.form)?;
        let new = || Pattern::new(&form.shape, &message.kinds, &message.constants).map(Box::new);
        let pattern = entry.pattern.get_or_init(new).as_deref()?;
        Some(Candidate { entry, message, form, pattern })
    }
}

/// `text` without leading spaces.
fn without_lead(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

impl Pattern {
    /// Matches `text`, whose beginning may be known to match up to some position.
    fn matches(&self, text: &str, known: Option<usize>, spans: &mut Vec<Span>) -> bool {
        spans.clear();
        spans.resize(self.captures, None);
        match (&self.how, known.filter(|_| self.led)) {
            (How::Steps(steps), Some(end)) => step::matches_rest(end, steps, text, spans),
            (How::Steps(steps), None) => step::matches(steps, text, spans),
            (How::Regex(regex), _) => {
                let Some(captures) = regex.captures(text.as_bytes()) else { return false };
                for (span, group) in spans.iter_mut().zip(captures.iter().skip(1)) {
                    *span = group.map(|group| (group.start(), group.end()));
                }
                true
            }
        }
    }
}

/// A form that may match.
#[derive(Clone, Copy)]
struct Candidate<'m> {
    entry: &'m Entry,
    message: &'m Message,
    form: &'m Form,
    pattern: &'m Pattern,
}

impl Candidate<'_> {
    /// Whether every text of the other form begins like one of this form.
    fn begins(&self, other: &Self) -> bool {
        let (How::Steps(own), How::Steps(others)) = (&self.pattern.how, &other.pattern.how) else {
            return false;
        };
        cut::is_beginning(own, others)
    }

    /// The part of `text` that is the message: all of it, or with `inside` a later part.
    fn part<'t>(
        &self,
        text: &'t str,
        start: Option<Start>,
        inside: bool,
        spans: &mut Vec<Span>,
    ) -> Option<&'t str> {
        let start = start.filter(|start| start.length == self.form.prefix.len());
        if self.pattern.matches(text, start.map(|start| start.end), spans) {
            return Some(text);
        }
        if !inside || !self.message.anywhere {
            return None;
        }
        let lead = Some(self.form.lead()).filter(|lead| !lead.is_empty())?;
        // After something else on the same line, such as a progress bar.
        let rest = text.get(text.find(lead).filter(|at| *at > 0)?..)?;
        if self.pattern.matches(rest, None, spans) {
            return Some(rest);
        }
        // Something else may follow if line ends were lost.
        let ends = rest.match_indices(". ").take(SENTENCES).map(|(at, _)| &rest[..=at]);
        ends.into_iter().find(|sentence| self.pattern.matches(sentence, None, spans))
    }
}
