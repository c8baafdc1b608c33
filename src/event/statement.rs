//! What a line of a program states, and who states it: `[tag] program: part: statement`.

use crate::pattern::hardware::ProgramWords;

/// A program's name before a colon has so many words at most.
const NAME_WORDS: usize = 4;
/// A verdict such as `failed` stands behind so many words at most.
const SUBJECT_WORDS: usize = 6;
/// The name stands within so many words behind a level.
const FIRST_WORDS: usize = 2;

/// The statement of a line that reports a failure.
#[derive(Debug)]
pub(super) struct Statement {
    /// Whether what stands before it is as programs print it.
    pub(super) is_shown: bool,
}

impl Statement {
    /// The failure that a line states, if it is one; `names` finds the software's names.
    pub(super) fn read(
        line: &str,
        words: &ProgramWords<'_>,
        names: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let (mut rest, mut is_shown) = (line, false);
        loop {
            rest = rest.trim_start();
            if let Some((tag, behind)) = tag(rest) {
                if is_progress(tag) {
                    return None;
                }
                let is_level = words.levels.contains(&tag);
                if is_level && names(&first_words(behind)) {
                    return Some(Self { is_shown: true });
                }
                is_shown |=
                    is_level || tag.contains(|c: char| c.is_ascii_digit() || "@/".contains(c));
                rest = behind;
                continue;
            }
            if states_a_failure(rest, words) {
                return Some(Self { is_shown });
            }
            let (sender, behind) = rest.split_once(": ").filter(|(name, _)| is_sender(name))?;
            let is_level = words.levels.contains(&sender);
            let ends_so =
                sender.rsplit(' ').next().is_some_and(|word| words.levels.contains(&word));
            let is_named = names(&format!("{sender}: "));
            if ends_so && !is_level && is_named || is_level && names(&first_words(behind)) {
                return Some(Self { is_shown: true });
            }
            is_shown |= is_level
                || is_named
                || sender.contains(|c: char| c.is_ascii_digit() || "_./".contains(c));
            rest = behind;
        }
    }
}

/// Whether a text begins as a failure does, or says of its first words that they failed.
fn states_a_failure(text: &str, words: &ProgramWords<'_>) -> bool {
    let closed = format!("{text}.");
    let verdict = words.verdicts.iter().filter_map(|verdict| closed.find(verdict)).min();
    words.beginnings.iter().any(|beginning| text.starts_with(beginning))
        || verdict.and_then(|at| text.get(..at)).is_some_and(|subject| {
            subject.split_whitespace().count() <= SUBJECT_WORDS
                && !subject.contains(['=', '"'])
                && !subject.contains(": ")
                && !subject.ends_with(['-', ','])
        })
}

/// The tag at the start of a text, and what follows it: `[h264_amf @ 0x55]`, `(EE)`, `[error]`.
fn tag(text: &str) -> Option<(&str, &str)> {
    let mut pairs = [('[', ']'), ('(', ')')].into_iter();
    pairs.find_map(|(open, close)| text.strip_prefix(open)?.split_once(close))
}

/// Whether a tag counts the steps of a work: `12/30`, ` 12%`.
fn is_progress(tag: &str) -> bool {
    tag.contains(['/', '%']) && tag.bytes().all(|byte| b"0123456789/% ".contains(&byte))
}

/// Whether the name of a program, of a part of it, or a level may be this text.
fn is_sender(name: &str) -> bool {
    name.split_whitespace().count() <= NAME_WORDS
        && name.chars().all(|c| c.is_alphanumeric() || " ._-/()[]@+:".contains(c))
}

fn first_words(text: &str) -> String {
    let words = text.split_whitespace().take(FIRST_WORDS);
    words.flat_map(|word| [word, " "]).collect()
}
