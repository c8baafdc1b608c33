//! Where a message ends in a text: what people, web pages and programs append to it, or the end
//! that they remove.

/// Maximum number of ends to try.
const TRIED: usize = 12;
/// The same where the ends of words count.
const TRIED_IN_PROSE: usize = 60;
/// Maximum length of a message in a person's text.
const LONGEST: usize = 600;

/// Maximum length of a repeat count, including brackets.
const LONGEST_COUNT: usize = 20;

/// The start of appended text: an arrow, a remark, a tag, a quote, an escape. No message of the
/// driver continues with these.
const MARKS: [char; 13] = ['<', '|', '"', '`', '*', '\\', '#', '←', '…', '”', '“', '»', '}'];
/// The start of a remark, with two characters.
const REMARKS: [&str; 4] = ["--", "//", "->", "..."];
/// The ends of the driver's sentences.
const ENDS: [char; 2] = ['!', '.'];
/// The ends of sentences, after which a person may have written another one.
const SENTENCE_ENDS: [char; 4] = ['.', '!', '?', ';'];

/// The prefixes of a text that may be a whole message, longest first.
pub(super) fn without(text: &str) -> impl Iterator<Item = &str> {
    // After the last word any punctuation may be appended.
    let words = text.rfind(char::is_alphanumeric).unwrap_or(0);
    let is_cut = move |at: usize, c: char| {
        !c.is_whitespace() && (at > words || is_tail(c, &text[at..]) || is_aside(text, at, c))
    };
    let cuts = text.char_indices().rev().filter(move |(at, c)| is_cut(*at, *c));
    cuts.map(|(at, _)| text[..at].trim_end()).filter(|head| !head.is_empty()).take(TRIED)
}

/// The beginnings of a person's text that may be a whole message, longest first: up to any mark,
/// and up to any word, as the person's own sentence may go on.
pub(super) fn in_prose(text: &str) -> impl Iterator<Item = &str> {
    let inside = |before: &str, behind: &str| {
        // `0000:03:00.0`, `seq=1`, `isn't`
        before.ends_with(char::is_alphanumeric) && behind.starts_with(char::is_alphanumeric)
    };
    let ends = text.char_indices().filter(|(_, c)| !c.is_alphanumeric()).filter(move |(at, c)| {
        let (before, behind) = (&text[..*at], &text[at + c.len_utf8()..]);
        !before.is_empty()
            && !before.ends_with(char::is_whitespace)
            && (c.is_whitespace() || !inside(before, behind))
    });
    let mut ends: Vec<usize> = { ends.map(|(at, _)| at).take_while(|at| *at <= LONGEST) }
        .chain((text.len() <= LONGEST).then_some(text.len()))
        .take(TRIED_IN_PROSE)
        .collect();
    ends.reverse();
    ends.into_iter().map(|at| &text[..at])
}

/// Messages whose last character may be missing in this text.
pub(super) fn closed(text: &str) -> impl Iterator<Item = String> {
    let is_open = text.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, ')' | ']'));
    ENDS.into_iter().filter(move |_| is_open).map(move |end| format!("{text}{end}"))
}

/// Whether a text that begins with `first` can be appended to a message.
fn is_tail(first: char, text: &str) -> bool {
    MARKS.contains(&first) || REMARKS.iter().any(|mark| text.starts_with(mark)) || is_count(text)
}

/// Whether a remark in brackets, after a dash, or in another sentence begins or a sentence ends at
/// `at`.
fn is_aside(text: &str, at: usize, c: char) -> bool {
    let (before, behind) = (&text[..at], &text[at + c.len_utf8()..]);
    let after_blank = before.ends_with(' ');
    match c {
        '(' | '[' => after_blank,
        '-' => after_blank && behind.starts_with(' '),
        _ if SENTENCE_ENDS.contains(&c) => behind.starts_with(' '),
        _ => after_blank && before.trim_end().ends_with(SENTENCE_ENDS),
    }
}

/// `(x3)`, `[2]`, `(3 times)`: the repeat count of a log viewer.
fn is_count(text: &str) -> bool {
    if text.len() > LONGEST_COUNT {
        return false;
    }
    let inside = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
        .or_else(|| text.strip_prefix('[')?.strip_suffix(']'));
    let number = |inside: &str| {
        let digits = inside.trim_end_matches(" times").trim_matches(['x', '×']);
        !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    inside.is_some_and(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_after_a_message_is_removed() {
        let message = "GPU reset begin!";
        for tail in [
            " <-- here",
            "\"",
            ".",
            "`",
            " |",
            ",",
            ")",
            "'",
            ";",
            "…",
            "*",
            "\\",
            "!!",
            "</td>",
            " (x3)",
            " [...]",
            " <---- FREEZE",
            "\\r\\n\"}",
            " -- and then it froze",
            "**",
            " # 2",
            " (3 times)",
            " “",
            " (RX 6800)",
            " [RX 6800]",
            " - help",
            " Then the screen was black.",
            ". What can I do?",
        ] {
            let text = format!("{message}{tail}");
            assert!(without(&text).any(|head| head == message), "{tail}");
        }
        assert_eq!(without("GPU reset").collect::<Vec<_>>(), [""; 0]);
        assert_eq!(without("ring gfx timeout, but soft recovered").count(), 0);
        assert_eq!(without(&"* ".repeat(1000)).count(), TRIED);
        assert_eq!(without(&format!("ring {}b", ":".repeat(1000))).count(), 0);
        let heads: Vec<&str> = in_prose("ring gfx timeout, seq=1 (RX 6800) then").collect();
        assert_eq!(heads[heads.len() - 3..], ["ring gfx timeout", "ring gfx", "ring"]);
        assert_eq!(heads[0], "ring gfx timeout, seq=1 (RX 6800) then");
        assert_eq!(in_prose(&"a ".repeat(1000)).count(), TRIED_IN_PROSE);
        assert!(closed("GPU reset begin").any(|text| text == message));
        assert_eq!(closed("GPU reset begin!").count(), 0);
    }
}
