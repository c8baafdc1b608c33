//! Which message a text is: the forms that begin as it does, or of which it has a literal, and then
//! each form step by step.

use std::mem;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use super::anchor::Anchors;
use super::cut::{self, End};
use super::form::{Form, How, Pattern};
use super::later::Each;
use super::mark::Marks;
use super::message::{Message, Printer};
use super::prefix::Prefixes;
use super::setting::Settings;
use super::step::{self, Span};
use crate::value::field::Conversion;

/// A beginning of fewer bytes is that of many other texts, too.
pub(super) const KEY: usize = 3;

/// So many sentences may a message be long that ends in the middle of a line.
const SENTENCES: usize = 6;

/// All messages, ready to be looked up.
#[derive(Clone, Copy, Debug)]
pub struct Matcher<'m> {
    messages: &'m Each<Message>,
    index: &'m Index,
}

/// Where to look for which message. It takes longer to build than a small log takes to be read, so
/// one serves all logs, and that of the built-in patterns comes with them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Index {
    /// All forms, in the order in which they are tried.
    forms: Vec<Entry>,
    prefixes: Prefixes,
    /// Forms that begin with a value: tried on every text that holds their literal. The driver's, the
    /// kernel's and those of programs are looked for each on their own.
    anchors: [(Printers, Anchors); 3],
    kernel: Marks,
    program: Marks,
    bare: Marks,
}

/// A form by its place, ready to be compared once that was needed.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    message: usize,
    form: usize,
    from: Printers,
    #[serde(skip)]
    pattern: OnceLock<Option<Pattern>>,
}

/// A set of printers, one bit each.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Printers(u32);

impl Printers {
    fn new(printers: &[Printer]) -> Self {
        Self(printers.iter().fold(0, |all, printer| all | 1 << (*printer as u32)))
    }

    /// Of what stands behind the prefix of a driver or of a bus; of the core of the kernel; of programs.
    fn classes() -> [Self; 3] {
        use Printer::{Amdgpu, Drm, Iommu, Kernel, Pci, Program, Ttm};
        [&[Amdgpu, Drm, Ttm, Pci, Iommu][..], &[Kernel], &[Program]].map(Self::new)
    }

    const fn meet(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// A message found in a text.
#[derive(Clone, Debug)]
pub(crate) struct Found<'m, 't> {
    pub message: &'m Message,
    /// Which of all messages it is.
    pub place: usize,
    settings: &'m [Settings],
    text: &'t str,
    room: Room,
}

/// Where captures are noted. Who looks for many messages hands the same one on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Room(Vec<Span>);

impl Found<'_, '_> {
    /// What it says of an event of the kind at `kind` of the message's kinds: the place of each
    /// field, its text, how to read that. No field comes twice.
    pub(crate) fn values(
        &self,
        kind: usize,
    ) -> impl Iterator<Item = (usize, &str, Conversion)> + Clone {
        Settings::values(self.settings.get(kind), self.text, &self.room.0)
    }

    pub(crate) fn into_room(self) -> Room {
        self.room
    }
}

impl Index {
    /// Sorts `messages`; their forms are made ready when first needed.
    pub(crate) fn new(messages: &Each<Message>) -> Self {
        let places = messages.iter().enumerate().flat_map(|(message, definition)| {
            let forms = definition.forms.iter().enumerate();
            forms.map(move |(form, of)| (turn(definition, of), message, form, of))
        });
        let mut places: Vec<_> = places.collect();
        places.sort_by_key(|(turn, ..)| *turn);
        let of = |wanted: fn(Turn) -> bool| {
            let numbered = (0..).zip(&places).filter(move |(_, (turn, ..))| wanted(*turn));
            numbered.map(|(place, (_, _, _, form))| (*form, place))
        };
        let led = of(|turn| turn != Turn::Floating).map(|(form, at)| (form.prefix.as_str(), at));
        let prefixes = Prefixes::new(led.collect());
        let entry = |(_, message, form, _): &(Turn, usize, usize, &Form)| Entry {
            message: *message,
            form: *form,
            from: messages.get(*message).map_or(Printers(0), |of| Printers::new(&of.from)),
            pattern: OnceLock::new(),
        };
        let forms: Vec<Entry> = places.iter().map(entry).collect();
        let anchors = Printers::classes().map(|class| {
            let is_of = |at: u32| forms.get(at as usize).is_some_and(|form| form.from.meet(class));
            let anchored = of(|turn| turn == Turn::Floating).filter(|(_, at)| is_of(*at));
            (class, Anchors::new(anchored.map(|(form, at)| (form.literal.as_str(), at))))
        });
        Self {
            forms,
            prefixes,
            anchors,
            kernel: Marks::new(messages, Printer::Kernel, |message| {
                message.from.contains(&Printer::Amdgpu) && !message.shared
            }),
            program: Marks::new(messages, Printer::Program, |_| false),
            bare: Marks::new(messages, Printer::Amdgpu, |_| false),
        }
    }
}

impl Index {
    /// The places of the forms whose literal `text` has, of those that may be of `printers`.
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

    /// The places of the forms that begin as `text` does, and the longest of these beginnings.
    fn begun(&self, text: &str) -> (&[u32], Start) {
        let bare = without_lead(text);
        let found = self.prefixes.of(bare);
        let end = text.len() - bare.len() + found.end;
        // What follows a prefix that ends with a blank may want the blanks.
        let beginning = text.get(..end).unwrap_or_default().trim_end_matches([' ', '\t']);
        (found.places, Start { length: found.longest, end: beginning.len() })
    }
}

/// The beginning of a text that a prefix of this length is.
#[derive(Clone, Copy, Debug)]
struct Start {
    length: usize,
    /// Where it ends, without blanks at its end.
    end: usize,
}

/// When a form is tried: the more of its beginning is fixed, the earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    /// Begins with a text of its own.
    Led,
    /// Begins with a text that many others begin with, too.
    Bracketed,
    /// Begins with a value, or anywhere.
    Floating,
}

fn turn(message: &Message, form: &Form) -> Turn {
    match form.lead().len() {
        _ if message.anywhere => Turn::Floating,
        0 => Turn::Floating,
        1..KEY => Turn::Bracketed,
        _ => Turn::Led,
    }
}

impl<'m> Matcher<'m> {
    /// Looks `messages` up in the index that was built of them.
    pub(crate) fn new(messages: &'m Each<Message>, index: &'m Index) -> Self {
        Self { messages, index }
    }

    /// What all messages of the core of the kernel have, and how those of the driver begin that nobody else prints.
    pub(crate) fn kernel(&self) -> &'m Marks {
        &self.index.kernel
    }

    /// What all messages of the driver have.
    #[must_use]
    pub(crate) fn bare(&self) -> &'m Marks {
        &self.index.bare
    }

    /// What all messages of programs have.
    pub(crate) fn program(&self) -> &'m Marks {
        &self.index.program
    }

    /// The message that `text` is, if one of `printers` prints it so. `inside` allows messages that
    /// may stand in the middle of a line.
    pub(crate) fn find<'t>(
        &self,
        text: &'t str,
        printers: &[Printer],
        inside: bool,
    ) -> Option<Found<'m, 't>> {
        self.find_with(&mut Room::default(), text, printers, inside)
    }

    /// As [`Self::find`], with room that is there already; what is found takes it along.
    pub(crate) fn find_with<'t>(
        &self,
        Room(spans): &mut Room,
        text: &'t str,
        printers: &[Printer],
        inside: bool,
    ) -> Option<Found<'m, 't>> {
        // What another driver prints is nothing of ours.
        if printers.is_empty() {
            return None;
        }
        let printers = Printers::new(printers);
        let index = self.index;
        let (places, start) = index.begun(text);
        let mut try_at =
            |place: &u32, start| self.tried(*place, text, start, printers, inside, spans);
        let found = places.iter().find_map(|place| try_at(place, Some(start)));
        let (candidate, text) = found.or_else(|| {
            let anchored = index.anchored(text, printers);
            anchored.iter().find_map(|place| try_at(place, None))
        })?;
        let Candidate { message, entry, pattern, .. } = candidate;
        let room = Room(mem::take(spans));
        Some(Found { message, place: entry.message, settings: &pattern.settings, text, room })
    }

    /// The message that `text` begins and of which the end is missing. Where it begins several, it is the one that
    /// says the least, if all others go on with it.
    pub(crate) fn begun<'t>(
        &self,
        text: &'t str,
        end: End,
        printers: &[Printer],
    ) -> Option<Found<'m, 't>> {
        let printers = Printers::new(printers);
        let mut found: Vec<(usize, Candidate<'m>, Vec<Span>)> = Vec::new();
        let places = self.index.prefixes.meeting(without_lead(text));
        let entries = places.iter().filter_map(|place| self.index.forms.get(*place as usize));
        for entry in entries.filter(|entry| entry.from.meet(printers)) {
            let Some(candidate) = self.candidate(entry) else { continue };
            let How::Steps(steps) = &candidate.pattern.how else { continue };
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
        let room = Room(spans);
        Some(Found { message, place: entry.message, settings: &pattern.settings, text, room })
    }

    /// The indices of all messages that match `text`, for checking samples.
    pub(crate) fn all(&self, text: &str, printers: &[Printer]) -> Vec<usize> {
        let printers = Printers::new(printers);
        let mut spans = Vec::new();
        let anchored = self.index.anchored(text, printers);
        let (places, _) = self.index.begun(text);
        let mut found: Vec<usize> = { places.iter().chain(&anchored) }
            .filter_map(|place| self.tried(*place, text, None, printers, true, &mut spans))
            .map(|(candidate, _)| candidate.entry.message)
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The form at `place` and the part of `text` that it is, if it is.
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

    /// A form with its message, ready to be compared.
    fn candidate(&self, entry: &'m Entry) -> Option<Candidate<'m>> {
        let message = self.messages.get(entry.message)?;
        let form = message.forms.get(entry.form)?;
        let new = || Pattern::new(&form.shape, &message.kinds, &message.constants);
        let pattern = entry.pattern.get_or_init(new).as_ref()?;
        Some(Candidate { entry, message, form, pattern })
    }
}

/// `text` without the blanks that it begins with.
fn without_lead(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

impl Pattern {
    /// Whether `text` is of this form, which may be known to begin as it does up to some place.
    fn matches(&self, text: &str, known: Option<usize>, spans: &mut Vec<Span>) -> bool {
        spans.clear();
        spans.resize(self.captures, None);
        match (&self.how, known.filter(|_| self.led)) {
            (How::Steps(steps), Some(end)) => step::matches_behind(end, steps, text, spans),
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

/// A form that a text may have.
#[derive(Clone, Copy)]
struct Candidate<'m> {
    entry: &'m Entry,
    message: &'m Message,
    form: &'m Form,
    pattern: &'m Pattern,
}

impl Candidate<'_> {
    /// Whether whatever is of the other form begins as what is of this one.
    fn begins(&self, other: &Self) -> bool {
        let (How::Steps(own), How::Steps(others)) = (&self.pattern.how, &other.pattern.how) else {
            return false;
        };
        cut::is_beginning(own, others)
    }

    /// The part of `text` that is the message: all of it, or with `inside` its end.
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
        // Behind something else on the same line, such as a progress bar.
        let rest = text.get(text.find(lead).filter(|at| *at > 0)?..)?;
        if self.pattern.matches(rest, None, spans) {
            return Some(rest);
        }
        // Something else may stand behind it, too, where line ends were lost.
        let ends = rest.match_indices(". ").take(SENTENCES).map(|(at, _)| &rest[..=at]);
        ends.into_iter().find(|sentence| self.pattern.matches(sentence, None, spans))
    }
}
