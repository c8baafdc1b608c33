//! The name below a mail or a comment: in the line of the closing formula, or in one of the next two.

use std::collections::HashSet;
use std::ops::Range;

use crate::pattern::privacy::Closing;

/// Number of lines with text in which the name may stand.
const LINES: u8 = 1;
/// Maximum length of a line with a name.
const LONGEST: usize = 48;
/// Maximum number of words of a name.
const WORDS: usize = 4;

/// The closing formulas, in small letters.
#[derive(Debug, Default)]
pub(super) struct Closings {
    all: HashSet<String>,
    longest: usize,
}

/// Whether a name is due.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Signature {
    lines: u8,
}

impl Closings {
    pub(super) fn new(listed: &[Closing]) -> Self {
        let phrases = listed.iter().flat_map(|one| &one.phrases);
        let all: HashSet<String> = phrases.map(|phrase| phrase.to_lowercase()).collect();
        let longest = all.iter().map(String::len).max().unwrap_or(0);
        Self { all, longest }
    }

    fn has(&self, text: &str) -> bool {
        text.len() <= self.longest && self.all.contains(&text.to_lowercase())
    }
}

impl Signature {
    /// Goes on to a line, and returns where it has a name.
    pub(super) fn follow(&mut self, line: &str, closings: &Closings) -> Option<Range<usize>> {
        if line.len() > closings.longest + LONGEST {
            self.lines = 0;
            return None;
        }
        let text = line.trim();
        if closings.has(text.trim_end_matches([',', '.', '!', ' '])) {
            self.lines = LINES;
            return None;
        }
        let behind = text.split_once(", ").filter(|(phrase, _)| closings.has(phrase));
        let due = behind.map_or((self.lines > 0).then_some(text), |(_, name)| Some(name));
        if !text.is_empty() {
            self.lines = self.lines.saturating_sub(1);
        }
        let name = due?.trim_start_matches(['-', '–', '—', ' ']).trim_end_matches(['.', ' ']);
        let start = name.as_ptr().addr() - line.as_ptr().addr();
        is_name(name).then_some(start..start + name.len())
    }
}

/// Whether a text is one to four words with capitals.
fn is_name(text: &str) -> bool {
    let is_part = |c: char| c.is_alphabetic() || matches!(c, '.' | '\'' | '’' | '-');
    let is_word = |word: &str| {
        word.starts_with(char::is_uppercase) && word.chars().all(is_part) && word.len() > 1
    };
    let mut words = text.split(' ');
    (3..=LONGEST).contains(&text.len())
        && words.clone().count() <= WORDS
        && words.all(is_word)
        && text.contains(char::is_lowercase)
}
