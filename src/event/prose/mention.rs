//! Whether a message in a person's text was printed, or is talked about: denied, asked for, explained, noted as changed.

use super::code;
use crate::pattern::prose::{Place, Prose};

/// The ends of sentences before a message: an earlier denial is about something else.
const SENTENCE_ENDS: [&str; 5] = [". ", "? ", "! ", "; ", ", "];
/// What ends the sentence behind a message.
const BREAKS: [&str; 15] =
    [". ", "? ", "! ", "; ", ", ", ": ", " - ", " -- ", " – ", " — ", " (", " [", " <", "→", "|"];
/// So many bytes beside a message are compared.
const BESIDE: usize = 300;
/// So many words behind a negation it can be said of.
const NEAR: usize = 4;

/// Judges by the words of the pattern files.
pub(in crate::event) struct Judge<'w> {
    words: &'w [Prose],
}

impl<'w> Judge<'w> {
    pub(in crate::event) const fn new(words: &'w [Prose]) -> Self {
        Self { words }
    }

    /// Whether what stands around a message shows that it was not printed here.
    pub(super) fn is_mention(&self, before: &str, message: &str, behind: &str) -> bool {
        if code::is_code(self, before, behind) || code::has_placeholder(self, message, behind) {
            return true;
        }
        let (before, behind) = (last(before), first(behind));
        let (clause, next) = (self.clause(&before), self.next_clause(&behind));
        self.denies(clause)
            || self.has(Place::Asked, clause)
            || self.is_example(&before)
            || self.begins(Place::Change, clause)
            || self.begins(Place::Condition, clause) && !self.has(Place::FirstPerson, clause)
            || self.has(Place::NoLongerPrinted, next)
            || self.has(Place::Explained, next)
            || self.has(Place::Explaining, clause)
                && !self.has(Place::FirstPerson, clause)
                && !self.has(Place::FirstPerson, next)
    }

    /// Whether the writer says of a message that it was printed, or speaks of himself.
    pub(super) fn is_reported(&self, before: &str, behind: &str) -> bool {
        let (before, behind) = (last(before), first(behind));
        let (clause, next) = (self.clause(&before), self.next_clause(&behind));
        let says = self.of(Place::Reported).filter(|word| !word.is_ascii());
        self.has(Place::Reported, clause)
            || self.has(Place::FirstPerson, clause)
            || self.has(Place::FirstPerson, next)
            || says.into_iter().any(|word| clause.contains(word))
    }

    /// Whether the line before a message announces an example, what messages mean, or a list of strings.
    pub(super) fn is_introduced(&self, introduction: &str, before: &str) -> bool {
        let line = last(introduction);
        if line.starts_with('|') {
            return line.split('|').any(|cell| self.is_one(Place::Heading, cell.trim()));
        }
        if code::is_list(&line) {
            return code::is_string(before);
        }
        let Some(line) = line.trim_end().strip_suffix(':') else { return false };
        let clause = self.clause(line);
        let is_talk = self.has(Place::Explaining, clause)
            || self.is_example(line)
            || self.comes_last(Place::Denied, clause);
        is_talk && !self.has(Place::FirstPerson, line) || self.denies_lines(clause)
    }

    /// Whether a sentence can go on like this behind a message.
    pub(super) fn goes_on(&self, behind: &str) -> bool {
        let behind = first(behind);
        let word = behind.split_whitespace().next().unwrap_or_default();
        self.is_one(Place::GoesOn, word.trim_end_matches(|c: char| !c.is_alphanumeric()))
    }

    /// Whether a word is one of those for a place.
    pub(super) fn is_one(&self, place: Place, word: &str) -> bool {
        self.of(place).any(|known| known == word)
    }

    fn of(&self, place: Place) -> impl Iterator<Item = &'w str> {
        let words = self.words.iter().filter(move |words| words.place == place);
        words.flat_map(|words| words.words.iter().map(String::as_str))
    }

    /// Whether a text, in lower case, has one of the words for a place.
    pub(in crate::event) fn has(&self, place: Place, text: &str) -> bool {
        self.positions(place, text).next().is_some()
    }

    /// Where the words for a place stand in a text.
    fn positions(&self, place: Place, text: &str) -> impl Iterator<Item = usize> {
        let is_whole = move |at: usize, word: &str| {
            let begins = word.starts_with("n't") || !text[..at].ends_with(char::is_alphanumeric);
            let behind = &text[at + word.len()..];
            begins && (word.ends_with('?') || !behind.starts_with(char::is_alphanumeric))
        };
        self.of(place).flat_map(move |word| {
            let found = text.match_indices(word).map(|(at, _)| at);
            found.filter(move |at| is_whole(*at, word))
        })
    }

    /// Whether the text before a message denies it, or asks others for it.
    fn denies(&self, clause: &str) -> bool {
        self.comes_last(Place::Negated, clause) || self.comes_last(Place::Denied, clause)
    }

    /// Whether a word for a place has no word behind it that says the opposite.
    fn comes_last(&self, place: Place, clause: &str) -> bool {
        let seen = self.positions(Place::Seen, clause).max();
        self.positions(place, clause).any(|at| seen.is_none_or(|seen| seen < at))
    }

    /// Whether a sentence denies the lines behind it: `there are no such lines`, `dmesg does not show this`, `no more`.
    /// What else a person denies before a log is the failure itself, or beside the point: `no picture after resume`.
    fn denies_lines(&self, clause: &str) -> bool {
        let seen = self.positions(Place::Seen, clause).max();
        let negated = self.positions(Place::Negated, clause);
        let mut negated = negated.filter(|at| seen.is_none_or(|seen| seen < *at));
        negated.any(|at| {
            let (before, behind) = clause.split_at(at);
            // The negation itself is the first word.
            let next: Vec<&str> = words(behind).skip(1).collect();
            let is = |place: Place| move |word: &&str| self.is_one(place, word);
            let (near, shown) = (next.iter().take(NEAR), next.iter().position(is(Place::Shown)));
            let of_lines = near.clone().position(is(Place::Line)).is_some_and(|line| {
                !near.take(line).any(|word| is(Place::Other)(word))
                    && !self.has(Place::FirstPerson, clause)
            });
            let ends = |from: usize| next[from..].iter().all(is(Place::Behind));
            let has_none =
                next.is_empty() && words(before).last().as_ref().is_some_and(is(Place::Shown));
            has_none
                || self.of(Place::Alike).any(|word| clause.trim_end().ends_with(word))
                || of_lines
                || shown.is_some_and(|shown| shown < NEAR && ends(shown + 1))
                || ends(0) && words(before).count() < NEAR && !next.is_empty()
        })
    }

    /// Whether the text before a message introduces an example.
    fn is_example(&self, before: &str) -> bool {
        let before = before.trim_end_matches(|c: char| !c.is_alphanumeric());
        self.of(Place::Example).any(|word| before.ends_with(word))
    }

    /// Whether the first word of a sentence is one for a place, behind bullets and `[tags]`.
    fn begins(&self, place: Place, clause: &str) -> bool {
        let is_mark = |c: char| !c.is_alphanumeric() && c != '[';
        let mut text = clause.trim_start_matches(is_mark);
        while let Some((_, rest)) = text.strip_prefix('[').and_then(|text| text.split_once(']')) {
            text = rest.trim_start_matches(is_mark);
        }
        text.split_whitespace().next().is_some_and(|word| self.is_one(place, word))
    }

    /// The sentence, or part of one, before a message.
    fn clause<'t>(&self, before: &'t str) -> &'t str {
        let clause = self.last_clause(before);
        // `not recognized (amdgpu: …)`: the message is why, and what is denied is something else.
        let is_aside = clause.ends_with('(')
            && ![Place::Reported, Place::Seen, Place::FirstPerson, Place::Asked]
                .iter()
                .any(|place| self.has(*place, clause));
        if is_aside { "" } else { clause }
    }

    fn last_clause<'t>(&self, before: &'t str) -> &'t str {
        let ends = SENTENCE_ENDS.iter().filter_map(|end| Some(before.rfind(end)? + end.len()));
        let goes_on = |at: usize| self.of(Place::Colon).any(|word| before[..at].ends_with(word));
        let mut colons = before.rmatch_indices(": ").filter(|(at, _)| !goes_on(*at));
        let colon = colons.next().map(|(at, colon)| at + colon.len());
        &before[ends.chain(colon).max().unwrap_or(0)..]
    }

    /// The same behind a message.
    fn next_clause<'t>(&self, behind: &'t str) -> &'t str {
        let breaks = BREAKS.iter().filter_map(|mark| {
            // A question is known by its mark.
            Some(behind.find(mark)? + usize::from(*mark == "? "))
        });
        let joints = self.positions(Place::ComparisonEnd, behind);
        &behind[..breaks.chain(joints).min().unwrap_or(behind.len())]
    }
}

/// The end of a text, in lower case.
fn last(text: &str) -> String {
    let mut from = text.len().saturating_sub(BESIDE);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    plain(&text[from..])
}

/// The beginning of a text without the marks that close a quotation, in lower case.
fn first(text: &str) -> String {
    let mut end = text.len().min(BESIDE);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let is_mark =
        |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !".,;:?!(|-–—=[<→".contains(c);
    plain(text[..end].trim_start_matches(is_mark))
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace('’', "'")
}

/// The words of a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty())
}
