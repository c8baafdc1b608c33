//! Finds a message in what a person wrote: in a title, in quotes, in the middle of a sentence.
//! Distinguishes messages that were printed from text about messages.

mod code;
mod mention;

pub(super) use self::mention::Judge;
use super::envelope::{Driver, Envelope};
use super::gate::Prefilter;
use super::landmark;
use super::tail;
use crate::pattern::Patterns;
use crate::pattern::hardware::KernelNames;
use crate::pattern::later::Lazy;
use crate::pattern::matcher::Matcher;
use crate::pattern::message::{Message, Printer};
use crate::pattern::prose::Prose;
use crate::record::Said;
use crate::value::Level;

/// The beginnings of the driver's messages, as people quote them.
const NAMES: [&str; 8] = ["amdgpu", RADV, "[drm", "drm:", "drm ERROR :", "drmn", "*ERROR* ", "kfd"];
/// How Mesa's Vulkan driver begins.
const RADV: &str = "radv/amdgpu: ";
/// Maximum number of places of a line where a message may begin.
const PLACES: usize = 16;
/// Maximum number of brackets of a line with which a message may begin.
const BRACKETS: usize = 4;
/// Minimum length of a message without the driver's name, in bytes.
const LEAST: usize = 18;
/// The names of the driver and its GPUs.
const OURS: [&str; 3] = ["amdgpu", "amd", "radeon"];
/// Minimum length of a message that counts without a word such as `prints` before it, in bytes.
const LONG: usize = 32;
/// Pairs of quotes. Some languages end with what others begin with.
const QUOTES: [(char, &[char]); 14] = [
    ('"', &['"']),
    ('\'', &['\'']),
    ('`', &['`', '\'']),
    ('“', &['”']),
    ('„', &['“', '”', '"']),
    ('”', &['”']),
    ('‘', &['’']),
    ('‚', &['‘', '’']),
    ('«', &['»']),
    ('»', &['«']),
    ('‹', &['›']),
    ('「', &['」']),
    ('『', &['』']),
    ('<', &['>']),
];

/// What is needed to read prose.
#[derive(Debug)]
pub(super) struct Reader<'p> {
    matcher: Matcher<'p>,
    words: &'p Lazy<Vec<Prose>>,
    names: &'p KernelNames,
}

/// A message in a line.
struct Place<'t> {
    before: &'t str,
    message: &'t str,
    behind: &'t str,
    /// Whether the driver's device or function stands before it.
    is_firm: bool,
    /// Whether other drivers print it, too.
    is_shared: bool,
    /// Whether the driver's name does not stand before it.
    is_bare: bool,
}

impl<'t> Place<'t> {
    /// A message that nothing else begins or ends like.
    const fn certain(before: &'t str, message: &'t str, behind: &'t str) -> Self {
        Self { before, message, behind, is_firm: true, is_shared: false, is_bare: false }
    }
}

impl<'p> Reader<'p> {
    pub(super) fn new(patterns: &'p Patterns) -> Self {
        let (words, names) = (&patterns.prose, &patterns.hardware.names);
        Self { matcher: patterns.matcher(), words, names }
    }

    /// What a person's line says of a message, behind a line that announces it or nothing. `gate`
    /// tells which lines may hold one.
    pub(super) fn said<'t>(
        &self,
        introduction: &str,
        text: &'t str,
        gate: &Prefilter<'_>,
    ) -> Said<'t> {
        // The end of the last message that is only mentioned.
        let (mut mentioned, judge) = (0, || Judge::new(self.words));
        for place in self.places(text, gate).filter(|place| !place.message.is_empty()) {
            let Place { before, message, behind, .. } = place;
            // The driver's name is in its line twice.
            if before.len() < mentioned {
                continue;
            }
            if judge().is_mention(before, message, behind)
                || judge().is_introduced(introduction, before)
                || self.is_anothers(&place)
            {
                mentioned = before.len() + message.len();
                continue;
            }
            let cut = || tail::without(text).any(|head| head.len() == message.len());
            // A line of the driver. What follows a message with a name is cut off when it is
            // recognised.
            if before.is_empty() && (behind.trim().is_empty() || !place.is_bare && cut()) {
                return Said::Nothing;
            }
            // Without values it may be an ordinary phrase.
            let is_certain = !place.is_bare
                || message.len() >= LONG && has_values(message)
                || before.trim_end().ends_with("amdgpu");
            if !is_certain && !judge().is_reported(before, behind) {
                continue;
            }
            // A title of a change in the driver goes on, too.
            if !goes_on(behind) || place.is_firm || judge().goes_on(behind) {
                return Said::Message { before, message, behind };
            }
        }
        if mentioned > 0 { Said::Mention } else { Said::Nothing }
    }

    /// The message of a failure with which a title begins, alone or before what a person adds.
    /// `is_sure` tells that the title is of a report; else it needs values, which the headings of
    /// documentation do not have.
    pub(super) fn titled<'t>(
        &self,
        introduction: &str,
        title: &'t str,
        is_sure: bool,
        gate: &Prefilter<'_>,
    ) -> Option<&'t str> {
        let has_number = |head: &str| head.contains(|c: char| c.is_ascii_digit());
        let is_printed = |head: &str| head.len() >= LONG && has_number(head);
        let of_program =
            |head: &str| (is_sure || is_printed(head)) && self.is_failure_of_program(head);
        let of_driver = |head: &str| is_printed(head) && self.is_of_driver(head);
        let (may_be_program, may_be_bare) =
            (gate.may_be_of_a_program(title), gate.may_be_bare(title));
        let is_message =
            |head: &&str| may_be_program && of_program(head) || may_be_bare && of_driver(head);
        if !may_be_program && !may_be_bare {
            return None;
        }
        let message = tail::in_prose(title).find(is_message)?;
        let behind = title.get(message.len()..)?;
        let judge = Judge::new(self.words);
        let is_talk =
            judge.is_mention("", message, behind) || judge.is_introduced(introduction, "");
        (!is_talk && (!goes_on(behind) || judge.goes_on(behind))).then_some(message)
    }

    /// Whether a text is what a program prints when it fails.
    fn is_failure_of_program(&self, text: &str) -> bool {
        let found = self.matcher.find(text, &[Printer::Program], false);
        found.is_some_and(|found| found.message.level.is_some_and(|level| level <= Level::Warning))
    }

    /// Whether a text is a message that only the driver prints.
    fn is_of_driver(&self, text: &str) -> bool {
        let found = self.matcher.find(text, &Printer::IN_PROSE, false);
        found.is_some_and(|found| {
            let from = &found.message.from;
            let is_own = Printer::DRIVER.iter().any(|printer| from.contains(printer));
            is_own && !found.message.shared
        })
    }

    /// The messages in a line.
    fn places<'t>(&self, text: &'t str, gate: &Prefilter<'_>) -> impl Iterator<Item = Place<'t>> {
        let named = named(text).take(PLACES).filter_map(|at| self.of_driver(text, at));
        let of_programs = gate.may_be_of_a_program(text);
        let inside = of_programs.then(|| self.inside(text)).flatten();
        let of_program = openings(text).take(PLACES).filter(move |_| of_programs);
        let by_program =
            of_programs.then(|| self.starts(text, &[Printer::Program])).into_iter().flatten();
        let bare = gate.may_be_bare(text).then(|| self.starts(text, &Printer::IN_PROSE));
        named
            .chain(self.crash(text))
            .chain(of_program.filter_map(|at| self.of_program(text, at, true)))
            .chain(inside)
            .chain(by_program.filter_map(|at| self.by_program(text, at)))
            .chain(bare.into_iter().flatten().filter_map(|at| self.bare(text, at)))
    }

    /// Where a message of `printers` without a name may begin: at a word with which one begins, at
    /// a bracket, in quotes.
    fn starts(&self, text: &str, printers: &[Printer]) -> Vec<usize> {
        let begins = |at: &usize| self.matcher.begins(&text[*at..], printers);
        let brackets = words(text).filter(|at| text[*at..].starts_with('[')).take(BRACKETS);
        let mut starts: Vec<usize> = words(text).filter(begins).take(PLACES).collect();
        starts.extend(brackets.chain(openings(text).take(PLACES)));
        starts.sort_unstable();
        starts.dedup();
        starts
    }

    /// The message behind the driver's name at `at`.
    fn of_driver<'t>(&self, text: &'t str, at: usize) -> Option<Place<'t>> {
        let (before, rest) = text.split_at_checked(at)?;
        if rest.starts_with(RADV) {
            return self.of_program(text, at, false);
        }
        let envelope = Envelope::open(rest);
        if !matches!(envelope.driver, Driver::Amdgpu | Driver::Drm | Driver::Ttm) {
            return None;
        }
        let (lead, body) = rest.split_at_checked(rest.len() - envelope.body.len())?;
        let printers = envelope.driver.printers();
        let mut is_shared = false;
        let mut is_message = |head: &str| {
            let found = self.matcher.find(head, printers, false);
            let of_core = |message: &Message| message.from.contains(&Printer::Drm);
            is_shared = found.as_ref().is_some_and(|found| of_core(found.message));
            found.is_some()
        };
        let end =
            heads(before, body).find(|head| is_message(head)).map(str::len).or_else(|| {
                // Mesa's OpenGL driver begins with the name, too.
                let of_program = |head: &&str| self.is_of_program(head, false);
                heads(before, rest)
                    .find(of_program)
                    .map(|head| head.len().saturating_sub(lead.len()))
            })?;
        let (message, behind) = rest.split_at_checked(lead.len() + end)?;
        let is_firm = envelope.device.is_some() || envelope.function.is_some();
        Some(Place {
            before,
            message,
            behind,
            is_firm,
            is_shared: is_shared && envelope.driver == Driver::Drm,
            is_bare: false,
        })
    }

    /// The place in the driver where the kernel crashed: `RIP: 0010:amdgpu_x+0x1/0x2 [amdgpu]`.
    fn crash<'t>(&self, text: &'t str) -> Option<Place<'t>> {
        const MODULE: &str = " [amdgpu]";
        let (before, rest) = text.split_at_checked(text.find("RIP")?)?;
        let (message, behind) = rest.split_at_checked(rest.find(MODULE)? + MODULE.len())?;
        self.matcher.find(message, &[Printer::Kernel], false)?;
        Some(Place::certain(before, message, behind))
    }

    /// The message of a program that may stand anywhere in a line.
    fn inside<'t>(&self, text: &'t str) -> Option<Place<'t>> {
        let found = self.matcher.find(text, &[Printer::Program], true)?;
        let at = text.find(found.text()).filter(|_| found.message.anywhere)?;
        let (before, rest) = text.split_at_checked(at)?;
        let (message, behind) = rest.split_at_checked(found.text().len())?;
        // Behind the remains of a progress bar, the line is read as it is.
        let is_apart = before.is_empty() || before.ends_with(": ") || ends_with_quote(before);
        let place = Place::certain(before, message, behind);
        (is_apart || Judge::new(self.words).is_mention(before, message, behind)).then_some(place)
    }

    /// The message of a program that begins at `at`; with `anywhere`, one that may stand anywhere
    /// in a line.
    fn of_program<'t>(&self, text: &'t str, at: usize, anywhere: bool) -> Option<Place<'t>> {
        let (before, rest) = text.split_at_checked(at)?;
        let message = heads(before, rest).find(|head| self.is_of_program(head, anywhere))?;
        Some(Place::certain(before, message, rest.get(message.len()..)?))
    }

    /// The message of a program with the values that it printed, in the middle of a sentence. Those
    /// that may stand anywhere in a line are found as they are.
    fn by_program<'t>(&self, text: &'t str, at: usize) -> Option<Place<'t>> {
        let (before, rest) = text.split_at_checked(at)?;
        let is_message = |head: &&str| {
            let found = self.matcher.find(head, &[Printer::Program], false);
            found.is_some_and(|found| {
                let is_failure = found.message.level.is_some_and(|level| level <= Level::Warning);
                is_failure && !found.message.anywhere
            })
        };
        let is_printed =
            |head: &&str| head.len() >= LONG && has_values(head) || is_name_of_cpp(head);
        let message = self.spoken(before, rest, &[Printer::Program]);
        let message = message.filter(is_printed).find(is_message)?;
        let behind = rest.get(message.len()..)?;
        Some(Place { is_bare: true, ..Place::certain(before, message, behind) })
    }

    /// The message of the driver without its name. What other drivers print, too, counts where the
    /// line names ours.
    fn bare<'t>(&self, text: &'t str, at: usize) -> Option<Place<'t>> {
        let (before, rest) = text.split_at_checked(at)?;
        let is_message = |head: &&str| {
            let found = self.matcher.find(head, &Printer::IN_PROSE, false);
            found.is_some_and(|found| {
                let from = &found.message.from;
                let is_own = Printer::DRIVER.iter().any(|printer| from.contains(printer));
                is_own && !found.message.shared || names_ours(text)
            })
        };
        let message = self.spoken(before, rest, &Printer::IN_PROSE);
        let message = message.filter(|head| head.len() >= LEAST).find(is_message)?;
        let behind = rest.get(message.len()..)?;
        Some(Place { is_bare: true, ..Place::certain(before, message, behind) })
    }

    /// The beginnings of `rest` that may be a message without a name: what is in quotes, and what
    /// ends with a word where a message begins.
    fn spoken<'t>(
        &self,
        before: &'t str,
        rest: &'t str,
        printers: &[Printer],
    ) -> impl Iterator<Item = &'t str> {
        let begins = rest.starts_with('[') || self.matcher.begins(rest, printers);
        inside(before, rest).chain(begins.then(|| tail::in_prose(rest)).into_iter().flatten())
    }

    fn is_of_program(&self, text: &str, anywhere: bool) -> bool {
        let found = self.matcher.find(text, &[Printer::Program], false);
        found.is_some_and(|found| !anywhere || found.message.anywhere)
    }

    /// Whether a message that several drivers print is said of another driver, or the name of one
    /// is right before a message without a name.
    fn is_anothers(&self, place: &Place<'_>) -> bool {
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let label = place.before.trim_end().strip_suffix(':').unwrap_or_default();
        let name = label.rsplit(|c| !is_of_name(c)).next().unwrap_or_default();
        if place.is_bare && self.names.is_another_driver(name) {
            return true;
        }
        let mut words = { place.before.split(|c| !is_of_name(c)) }
            .chain(place.behind.split(|c| !is_of_name(c)))
            .filter(|word| !word.is_empty());
        let ours = |word: &str| OURS.iter().any(|name| word.eq_ignore_ascii_case(name));
        place.is_shared
            && !words.clone().any(ours)
            && words.any(|word| {
                let word = word.to_ascii_lowercase();
                let driver = word.split('_').next().unwrap_or_default();
                self.names.is_another_driver(&word) || self.names.is_another_driver(driver)
            })
    }
}

/// Where the driver's name stands in a line.
fn named(text: &str) -> impl Iterator<Item = usize> {
    let ends_name = |before: &str| {
        before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/' | '.'))
    };
    let mut places: Vec<usize> = NAMES
        .iter()
        .flat_map(|name| memchr::memmem::find_iter(text.as_bytes(), name))
        .filter(|at| text.get(..*at).is_some_and(|before| !ends_name(before)))
        .filter(|at| {
            text.get(*at..)
                .is_some_and(|rest| rest.starts_with(RADV) || landmark::prefix(rest).is_some())
        })
        .collect();
    places.sort_unstable();
    places.into_iter()
}

/// Where a quotation, or what a colon announces, begins.
fn openings(text: &str) -> impl Iterator<Item = usize> {
    let is_opening = |at: &usize| {
        let before = &text[..*at];
        before.ends_with(": ") || before.ends_with("] ") || ends_with_quote(before)
    };
    text.char_indices().map(|(at, _)| at).filter(is_opening)
}

/// Where the words of a line begin. In Chinese and Japanese no space stands before a foreign word.
fn words(text: &str) -> impl Iterator<Item = usize> {
    let begins = |(at, c): &(usize, char)| {
        let before = text[..*at].chars().next_back();
        (c.is_ascii_alphanumeric() || *c == '[')
            && before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[') || !c.is_ascii())
    };
    text.char_indices().filter(begins).map(|(at, _)| at)
}

/// Whether a text without the driver's name has what people do not write: values, or the marks of a
/// program.
fn has_values(text: &str) -> bool {
    text.contains(|c: char| c.is_ascii_digit() || "=_([".contains(c))
}

/// Whether a text is the name of a type in a namespace, such as `vk::DeviceLostError`.
fn is_name_of_cpp(text: &str) -> bool {
    text.contains("::")
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b":_".contains(&byte))
}

/// Whether a line names AMD's driver or GPUs.
fn names_ours(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| OURS.iter().any(|name| word.eq_ignore_ascii_case(name)))
}

/// Whether a sentence goes on behind a message without a mark.
fn goes_on(behind: &str) -> bool {
    behind.starts_with(' ') && behind.trim_start().starts_with(char::is_alphanumeric)
}

fn ends_with_quote(before: &str) -> bool {
    before.chars().next_back().is_some_and(|last| closing(last).is_some())
}

/// The marks that close a quotation.
fn closing(opening: char) -> Option<&'static [char]> {
    QUOTES.iter().find(|(mark, _)| *mark == opening).map(|(_, closing)| *closing)
}

/// The beginnings of `rest` that may be a message: what is in quotes, or what ends with a word.
fn heads<'t>(before: &str, rest: &'t str) -> impl Iterator<Item = &'t str> {
    inside(before, rest).chain(tail::in_prose(rest))
}

/// What stands in the quotes that end `before`.
fn inside<'t>(before: &str, rest: &'t str) -> impl Iterator<Item = &'t str> {
    let opening = before.trim_end().chars().next_back();
    let closing = opening.and_then(closing).unwrap_or_default();
    rest.match_indices(closing).take(2).map(|(at, _)| rest[..at].trim_end())
}

#[cfg(test)]
mod tests;
