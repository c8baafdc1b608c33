//! Lines around a log and between its records, and prefixes of `grep` and of container tools.
//! Independent of envelopes.

use super::order;
use crate::value::Token;

/// The output stream of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stream {
    #[default]
    Out,
    Error,
}

/// A line of a container's log, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) stream: Stream,
    pub(super) text: &'a str,
    /// Whether the next line of its stream does not continue it.
    pub(super) whole: bool,
}

/// A line of a container's log, `2026-11-19T09:33:30.000000000Z stdout F text`; `P` marks a partial
/// line.
pub(super) fn container(line: &str) -> Option<Part<'_>> {
    let shaped = line.as_bytes().get(4) == Some(&b'-') && line.as_bytes().get(10) == Some(&b'T');
    let (_, rest) = line.split_once(' ').filter(|(time, _)| shaped && time.len() <= 40)?;
    let (stream, rest) = match rest.strip_prefix("stdout ") {
        Some(rest) => (Stream::Out, rest),
        None => (Stream::Error, rest.strip_prefix("stderr ")?),
    };
    let (tag, text) = rest.split_once(' ').unwrap_or((rest, ""));
    matches!(tag, "F" | "P").then_some(Part { stream, text, whole: tag == "F" })
}

/// `Panic#1 Part3`, the header of a part of a crash in pstore (`fs/pstore/platform.c`).
pub(super) fn part(text: &str) -> Option<order::Part> {
    const REASONS: &str = "Panic Oops Emergency Shutdown Restart Halt Poweroff Unknown Unload";
    let (crash, part) = text.trim_end().split_once(" Part")?;
    let (reason, count) = crash.split_once('#')?;
    let number = part.parse().ok()?;
    let known = REASONS.split(' ').any(|known| known == reason)
        && count.bytes().all(|byte| byte.is_ascii_digit());
    known.then(|| order::Part { crash: crash.to_owned(), number })
}

/// The first or last line of a ramoops log (`fs/pstore/ram.c`, `ram_core.c`).
pub(super) fn is_of_ramoops(text: &str) -> bool {
    text == "No errors detected"
        || text.ends_with(" unrecoverable blocks")
        || text.strip_prefix("====").is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_digit()) && rest.ends_with(['C', 'D'])
        })
}

/// Whether the text is printed between records by the program that prints them.
pub(super) fn is_marker(text: &str) -> bool {
    text.starts_with("--------- beginning of ") || text.starts_with("--------- switch to ")
}

/// Maximum length of dots that stand for lines, in bytes.
const LONGEST_OMISSION: usize = 16;

/// Whether the text is not from a log: a code fence, a prompt, the status line of a pager.
pub(super) fn is_furniture(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'`') => text.starts_with("```"),
        Some(b'~') => text.starts_with("~~~") || text == "~",
        // A heading, a comment, the prompt of root.
        Some(b'#') => matches!(text.as_bytes().get(1), None | Some(b'#' | b' ')),
        Some(b'$') => text.len() == 1 || text.starts_with("$ "),
        Some(b'-') => text == "--",
        Some(b'(') => text == "(END)" || is_omission(text),
        Some(b'l') => {
            text.starts_with("lines ")
                && text.contains('-')
                && text.trim_end().ends_with(|c: char| c == ')' || c.is_ascii_digit())
        }
        Some(_) => is_omission(text) || is_prompt(text),
        None => true,
    }
}

/// `…`, `[...]`, `(…)`, `<...>`: where a person left lines out.
fn is_omission(text: &str) -> bool {
    if text.len() > LONGEST_OMISSION {
        return false;
    }
    let dots = text.trim_matches(['[', ']', '(', ')', '<', '>']);
    !dots.is_empty() && dots.chars().all(|c| matches!(c, '.' | '…' | ' '))
}

/// `user@host:~$ dmesg`, `[user@host ~]$ dmesg`, `[sudo] password for user:`.
fn is_prompt(text: &str) -> bool {
    if text.starts_with("[sudo] password for ") {
        return true;
    }
    // Few texts have an `@`, and prompts have it early.
    if memchr::memchr(b'@', text.as_bytes()).is_none_or(|at| at > 64) {
        return false;
    }
    let Some((head, _)) = text.split_once(['$', '#', '%']) else { return false };
    let bracketed = head.strip_prefix('[');
    let Some((user, place)) = bracketed.unwrap_or(head).split_once('@') else { return false };
    let word = |text: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        // Or its token after `amdtriage redact`.
        !text.is_empty() && text.bytes().all(is_part) || Token::is(text)
    };
    let host = place.split_once([':', ' ', ']']).map_or(place, |(host, _)| host);
    word(user) && word(host) && (bracketed.is_some() || place.contains(':'))
}

/// The text without the prefix of a search or of a container tool: `1041:`, `kern.log.1:`,
/// `kern.log.1-`, `logger-1  | `. Only for lines that cannot be read otherwise; of several results,
/// one may have a record.
pub(super) fn without_prefix(text: &str) -> impl Iterator<Item = &str> {
    named(text).into_iter().chain(numbered(text)).chain(dashes(text))
}

/// `17  [ 2649.203914] …`, from `cat -n` and web pages.
fn numbered(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let mark = rest.strip_prefix(['.', ')', '|']).unwrap_or(rest);
    let inner = mark.trim_start_matches([' ', '\t', '|']);
    (rest.len() < text.len() && inner.len() < rest.len()).then_some(inner)
}

fn head(text: &str) -> &str {
    text.get(..96).unwrap_or(text)
}

fn named(text: &str) -> Option<&str> {
    let head = head(text);
    if let Some((name, _)) = head.split_once(" | ") {
        let name = name.trim_end();
        if !name.is_empty() && !name.contains(' ') {
            return text.split_once(" | ").map(|(_, rest)| rest);
        }
    }
    let end = head.find([':', ' '])?;
    let rest = text.get(end..)?.strip_prefix(':').filter(|_| end > 0)?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    // `grep -Hn` prints both.
    match rest.as_bytes().get(digits) {
        Some(b':' | b'-') if digits > 0 => rest.get(digits + 1..),
        _ => Some(rest),
    }
}

/// Context lines of grep have a dash, `kern.log.1-Nov 19 …`, `1040-[ 2649.203914] …`, and the
/// file's name may contain dashes, too.
fn dashes(text: &str) -> impl Iterator<Item = &str> {
    let head = head(text);
    let name = head.split_once([':', ' ']).map_or(head, |(name, _)| name);
    name.match_indices('-').filter(|(at, _)| *at > 0).filter_map(|(at, _)| text.get(at + 1..))
}

#[cfg(test)]
mod tests {
    use super::super::unquote::unquoted;
    use super::*;

    #[test]
    fn what_is_no_log_is_left_out() {
        for line in [
            "```text",
            "~~~",
            "~",
            "(END)",
            "lines 1-23/23 (END)",
            "user@host:~$ sudo dmesg",
            "# dmesg",
            "--",
            "[user@host ~]$ dmesg",
            "[sudo] password for user: ",
            "</code></pre>",
            "> ```",
            "<details>",
            "…",
            "[...]",
            "(…)",
        ] {
            assert!(is_furniture(unquoted(line, &mut String::new()).text), "{line}");
        }
        for line in ["lines of text", "--foo", "a@b costs 5$", "...and then", "mail me@example.org"]
        {
            assert!(!is_furniture(unquoted(line, &mut String::new()).text), "{line}");
        }
    }

    #[test]
    fn prefixes_of_tools_are_taken_off() {
        for (line, want) in [
            ("1041:[    1.0] text", Some("[    1.0] text")),
            ("kern.log.1:Nov 19", Some("Nov 19")),
            ("kern.log.1:17:Nov 19", Some("Nov 19")),
            ("kern.log.1-Nov 19", Some("Nov 19")),
            ("logger-1  | [    1.0] text", Some("[    1.0] text")),
            ("plain text", None),
        ] {
            assert_eq!(without_prefix(line).next(), want, "{line}");
        }
    }
}
