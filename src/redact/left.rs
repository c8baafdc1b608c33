//! The second look: finds in what was redacted whatever should be gone.
//!
//! It decodes whole texts instead of following each byte, and asks no rule.

use super::{Kind, Redactor, shape, tokens, views};

/// Something private that is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leftover {
    /// What it is. Its value is not told.
    pub kind: Kind,
    /// Where its first byte stands in the line, counted from 0.
    pub column: usize,
}

pub(super) fn find(redactor: &Redactor, line: &str) -> Vec<Leftover> {
    let mut list = Vec::new();
    let tokens = tokens(line);
    for view in views(line) {
        let near = redactor.rules.near(&view.text);
        let mut push = |kind, range: std::ops::Range<usize>| {
            let place = view.place(&range);
            let is_token =
                tokens.iter().any(|token| token.start <= place.start && place.end <= token.end);
            if !place.is_empty() && !is_token {
                list.push(Leftover { kind, column: place.start });
            }
        };
        redactor.words.find(&view.text, &mut |word| {
            if let Some(value) = redactor.values.all().get(word.value) {
                push(value.kind, word.range);
            }
        });
        shape::find(&view.text, &mut |kind, range| {
            let value = String::from_utf8_lossy(view.text.get(range.clone()).unwrap_or_default());
            if !near.is_plain(kind) && !redactor.rules.is_public(kind, &value) {
                push(kind, range);
            }
        });
    }
    list.sort_unstable();
    list.dedup();
    list
}
