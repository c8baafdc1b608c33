//! Matches truncated messages, whose end is missing because a terminal or a column was too narrow.
//!
//! A text that ends after a whole word may be a different message, so it counts only if it is long,
//! or if a mark shows that it was truncated.

use super::step::{Span, Step};

/// Minimum number of literal letters and digits for a truncated message to be recognised.
const TELLING: usize = 10;
/// The same if it ends after a whole word and nothing shows that it was truncated.
const TELLING_AT_WORD: usize = 15;
/// The same if the line names the function that printed it.
const TELLING_WITH_FUNCTION: usize = 3;
/// Maximum number of attempts for one text.
const MOST_TRIES: usize = 2000;

/// Where a text may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Within a word.
    InWord,
    /// Anywhere, although nothing shows that the text was truncated.
    Unmarked,
    /// Anywhere, because a truncation mark follows.
    Marked,
    /// Anywhere, also within a value: the line names the function that printed it, which prints few
    /// messages.
    OfFunction,
}

/// The number of literal letters and digits of `steps` in the text, if the text ends as `end` says;
/// captures are stored in `spans`.
pub(super) fn begins(steps: &[Step], text: &str, end: End, spans: &mut [Span]) -> Option<usize> {
    let mut beginning = Beginning { text: text.as_bytes(), end, spans, tries: 0 };
    let least = match end {
        End::InWord | End::Marked => TELLING,
        End::Unmarked => TELLING_AT_WORD,
        End::OfFunction => TELLING_WITH_FUNCTION,
    };
    beginning.rest(steps, 0, 0).filter(|letters| *letters >= least)
}

/// Whether every text that `longer` matches begins like the texts that `shorter` matches.
pub(super) fn is_beginning(shorter: &[Step], longer: &[Step]) -> bool {
    let start = longer.get(..shorter.len()).unwrap_or_default();
    let (Some((Step::Literal(last), before)), Some((Step::Literal(next), same))) =
        (shorter.split_last(), start.split_last())
    else {
        return false;
    };
    next.starts_with(last.as_str())
        && before.iter().zip(same).all(|(one, other)| are_alike(one, other))
}

/// Whether two steps match the same, regardless of what follows.
fn are_alike(one: &Step, other: &Step) -> bool {
    match (one, other) {
        (Step::Run(one), Step::Run(other)) => {
            (one.class, one.optional, one.capture) == (other.class, other.optional, other.capture)
        }
        _ => one == other,
    }
}

/// A match in progress.
struct Beginning<'a> {
    text: &'a [u8],
    end: End,
    spans: &'a mut [Span],
    tries: usize,
}

impl Beginning<'_> {
    fn rest(&mut self, steps: &[Step], at: usize, letters: usize) -> Option<usize> {
        self.tries += 1;
        let (step, behind) = steps.split_first().filter(|_| self.tries <= MOST_TRIES)?;
        let text = self.text.get(at..)?;
        match step {
            Step::Literal(literal) => match compared(literal.as_bytes(), text, self.end) {
                Compared::Whole(length) => {
                    self.rest(behind, at + length, letters + letters_of(literal.as_bytes()))
                }
                Compared::Cut => Some(letters + letters_of(text)),
                Compared::Different => None,
            },
            Step::Run(run) => {
                let length = match run.class.run(text) {
                    Some((_, most)) => most,
                    None if run.optional => 0,
                    None => return None,
                };
                self.note(run.capture, at, at + length);
                self.rest(behind, at + length, letters)
            }
            Step::Prefix => {
                let length = if text.starts_with(b"0x") { 2 } else { 0 };
                self.rest(behind, at + length, letters)
            }
            Step::Text(capture) => {
                self.value(at, *capture, letters, |one, end| one.rest(behind, end, letters))
            }
            Step::Name(capture) => self.value(at, *capture, letters, |one, end| {
                let blanks =
                    one.text.get(end..)?.iter().take_while(|byte| is_blank(**byte)).count();
                (blanks > 0).then(|| one.rest(behind, end + blanks, letters))?
            }),
            Step::Begin(_) | Step::End(_) => self.rest(behind, at, letters),
            Step::Rest(_) => None,
        }
    }

    /// Matches a value that ends at the first position from which the rest matches.
    fn value(
        &mut self,
        at: usize,
        capture: usize,
        letters: usize,
        rest: impl Fn(&mut Self, usize) -> Option<usize>,
    ) -> Option<usize> {
        let found = (at + 1..self.text.len()).find_map(|end| Some((rest(self, end)?, end)));
        let (letters, end) = found.or_else(|| self.cut_value(at, letters))?;
        self.note(Some(capture), at, end);
        Some(letters)
    }

    /// A value that the text ends in: a word, which is the only one of the text that may be cut.
    fn cut_value(&self, at: usize, letters: usize) -> Option<(usize, usize)> {
        let word = self.text.get(at..).filter(|word| !word.is_empty())?;
        let may_end = self.end == End::OfFunction && !word.contains(&b' ');
        may_end.then_some((letters, self.text.len()))
    }

    fn note(&mut self, capture: Option<usize>, from: usize, to: usize) {
        if let Some(span) = capture.and_then(|capture| self.spans.get_mut(capture)) {
            *span = Some((from, to));
        }
    }
}

/// The result of comparing the beginning of a text with a literal.
enum Compared {
    /// The whole literal matches this many bytes.
    Whole(usize),
    /// The text ends in the literal, where it may.
    Cut,
    Different,
}

fn compared(literal: &[u8], text: &[u8], end: End) -> Compared {
    let mut at = 0;
    for (place, byte) in literal.iter().enumerate() {
        match text.get(at) {
            Some(blank) if is_blank(*byte) && is_blank(*blank) => {
                at += text[at..].iter().take_while(|byte| is_blank(**byte)).count();
            }
            Some(same) if same == byte => at += 1,
            Some(_) => return Compared::Different,
            None => {
                let inside = byte.is_ascii_alphanumeric()
                    && place
                        .checked_sub(1)
                        .is_some_and(|last| literal[last].is_ascii_alphanumeric());
                let may_end = match end {
                    End::InWord => inside,
                    End::Unmarked | End::Marked | End::OfFunction => true,
                };
                return if may_end { Compared::Cut } else { Compared::Different };
            }
        }
    }
    Compared::Whole(at)
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn letters_of(text: &[u8]) -> usize {
    text.iter().filter(|byte| byte.is_ascii_alphanumeric()).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::format::Format;

    fn steps(format: &str) -> Vec<Step> {
        Format::parse(format).unwrap().steps(|_| None)
    }

    #[test]
    fn a_text_that_ends_inside_a_word_begins_a_message() {
        let timeout =
            "ring %{ring:s} timeout, signaled seq=%{signaled:u}, emitted seq=%{emitted:u}";
        for (format, text, begins_it) in [
            (timeout, "ring gfx_0.0.0 timeout, signaled se", true),
            (timeout, "ring gfx_0.0.0 timeout, signaled seq=12, emi", true),
            (timeout, "ring gfx timeou", true),
            (timeout, "ring  gfx   timeou", true),
            // A text of whole words may be a different message.
            (timeout, "ring gfx_0.0.0 timeout", false),
            (timeout, "ring gfx_0.0.0 timeout, signaled seq=12", false),
            (timeout, "ring gf", false),
            (timeout, "ring gfx test faile", false),
            ("GPU reset begin!", "GPU reset begi", true),
            ("GPU reset begin!", "GPU reset begin", false),
            ("GPU reset begin!", "GPU reset bug", false),
        ] {
            let mut spans = vec![None; 3];
            let found = begins(&steps(format), text, End::InWord, &mut spans);
            assert_eq!(found.is_some(), begins_it, "{text}");
            if begins_it && text.starts_with("ring gfx ") {
                assert_eq!(spans[0], Some((5, 8)), "{text}");
            }
        }
    }

    #[test]
    fn a_long_text_may_end_after_a_word() {
        let timeout =
            "ring %{ring:s} timeout, signaled seq=%{signaled:u}, emitted seq=%{emitted:u}";
        for (text, begins_it) in [
            ("ring gfx_0.0.0 timeout, signaled seq=12", true),
            ("ring gfx_0.0.0 timeout, signaled", true),
            ("ring gfx_0.0.0 timeout", false),
            ("ring gfx_0.0.0 timeout, signaled by", false),
        ] {
            let found = begins(&steps(timeout), text, End::Unmarked, &mut [None; 3]);
            assert_eq!(found.is_some(), begins_it, "{text}");
        }
    }

    #[test]
    fn a_marked_text_may_end_after_a_word() {
        let timeout =
            "ring %{ring:s} timeout, signaled seq=%{signaled:u}, emitted seq=%{emitted:u}";
        for (text, begins_it) in [
            ("ring gfx_0.0.0 timeout, signaled seq=12, emitted", true),
            ("ring gfx_0.0.0 timeout, signaled seq=12", true),
            ("ring gfx_0.0.0 timeout, signaled seq=12, lost", false),
            ("ring gf", false),
        ] {
            let found = begins(&steps(timeout), text, End::Marked, &mut [None; 3]);
            assert_eq!(found.is_some(), begins_it, "{text}");
        }
    }

    #[test]
    fn the_message_of_a_named_function_may_end_in_a_value() {
        let timeout = "ring %{ring:s} timeout, signaled seq=%{signaled:u}";
        for (text, begins_it) in [
            ("ring gfx_0.0", true),
            ("ring gfx_0.0.0 ti", true),
            ("ring gfx_0.0.0 ", true),
            ("ring gfx_0.0.0 is gone", false),
            ("rin test", false),
        ] {
            let found = begins(&steps(timeout), text, End::OfFunction, &mut [None; 3]);
            assert_eq!(found.is_some(), begins_it, "{text}");
        }
    }

    #[test]
    fn one_message_may_be_the_beginning_of_others() {
        let least = steps("ring %{ring:s} timeout");
        assert!(is_beginning(&least, &steps("ring %{ring:s} timeout, but soft recovered")));
        assert!(!is_beginning(&least, &steps("ring %{ring:s} test failed (%{errno:d})")));
        assert!(!is_beginning(&steps("ring %{ring:s} timeout, but soft recovered"), &least));
    }
}
