//! What people, pages and programs put behind a message, or lose of its end: none of the driver's own messages goes on so.

/// So many ends are tried.
const TRIED: usize = 12;

/// How long a count is at most, with its brackets.
const LONGEST_COUNT: usize = 20;

/// Marks with which something begins that is not the message's: an arrow, a remark, a tag, a quote, an escape.
const MARKS: [char; 13] = ['<', '|', '"', '`', '*', '\\', '#', '←', '…', '”', '“', '»', '}'];
/// Two marks with which a remark begins.
const REMARKS: [&str; 4] = ["--", "//", "->", "..."];
/// What sentences of the driver end in.
const ENDS: [char; 2] = ['!', '.'];

/// The beginnings of a text that may be a whole message, the longest first.
pub(super) fn without(text: &str) -> impl Iterator<Item = &str> {
    // Behind the last word any sign may be one of somebody else's.
    let words = text.rfind(char::is_alphanumeric).unwrap_or(0);
    let is_cut =
        move |at: usize, c: char| !c.is_whitespace() && (at > words || is_tail(c, &text[at..]));
    let cuts = text.char_indices().rev().filter(move |(at, c)| is_cut(*at, *c));
    cuts.map(|(at, _)| text[..at].trim_end()).filter(|head| !head.is_empty()).take(TRIED)
}

/// Texts that a message was whose last sign is lost.
pub(super) fn closed(text: &str) -> impl Iterator<Item = String> {
    let is_open = text.ends_with(|c: char| c.is_ascii_alphanumeric());
    ENDS.into_iter().filter(move |_| is_open).map(move |end| format!("{text}{end}"))
}

/// Whether a text that begins with `first` may stand behind a message.
fn is_tail(first: char, text: &str) -> bool {
    MARKS.contains(&first) || REMARKS.iter().any(|mark| text.starts_with(mark)) || is_count(text)
}

/// `(x3)`, `[2]`, `(3 times)`: how often a viewer saw a line.
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
    fn what_is_behind_a_message_is_cut_off() {
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
        ] {
            let text = format!("{message}{tail}");
            assert!(without(&text).any(|head| head == message), "{tail}");
        }
        assert_eq!(without("GPU reset").collect::<Vec<_>>(), [""; 0]);
        assert_eq!(without("ring gfx timeout, but soft recovered").count(), 0);
        assert_eq!(without(&"* ".repeat(1000)).count(), TRIED);
        assert_eq!(without(&format!("ring {}b", ":".repeat(1000))).count(), 0);
        assert!(closed("GPU reset begin").any(|text| text == message));
        assert_eq!(closed("GPU reset begin!").count(), 0);
    }
}
