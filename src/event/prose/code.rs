//! Whether the text around a message is source code, a rule that looks for the message, or a command.

use super::mention::Judge;
use crate::pattern::prose::Place;

/// The marks around strings.
const STRINGS: [char; 3] = ['"', '\'', '`'];
/// What stands in templates.
const TEMPLATES: [&str; 3] = ["{{ ", "${", "$("];
/// Maximum number of options and their values between a command and its argument.
const OPTIONS: usize = 6;

/// Whether a message is a part of code.
pub(super) fn is_code(judge: &Judge<'_>, before: &str, behind: &str) -> bool {
    let before = without_stamp(before);
    let start = before.trim_start();
    let code = before.trim_end_matches(STRINGS);
    has_conversion(before)
        || start.starts_with("//")
        || start.starts_with("/*")
        || start.starts_with("#define ")
        || code.ends_with('{')
        || (code.ends_with('[') && !code.trim_end_matches('[').ends_with(':'))
        || code.ends_with("~ ")
        || (code.ends_with('=') && !is_printed(judge, code))
        || code.ends_with("= ")
        || is_argument_of_function(before)
        || is_compared(before, behind)
        || is_rule(judge, before)
        || is_argument(judge, before)
        || behind.trim_start_matches(STRINGS).starts_with(" = ")
        || is_item(before, behind)
        || TEMPLATES.iter().any(|mark| behind.contains(mark))
}

/// `PATTERNS = [`: whether a line of code begins a list.
pub(super) fn is_list(line: &str) -> bool {
    line.contains('=') && line.trim_end().ends_with(['[', '(', '{'])
}

/// Whether a string begins behind a text.
pub(super) fn is_string(before: &str) -> bool {
    before.ends_with(STRINGS)
}

/// Whether a text contains a format of `printf`.
fn has_conversion(text: &str) -> bool {
    let conversion = |(at, _): (usize, &str)| {
        let is_percentage = text[..at].ends_with(|c: char| c.is_ascii_digit() || c == '/');
        let rest =
            text[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || "#.-l".contains(c));
        let mut letters = rest.chars().take_while(char::is_ascii_alphabetic);
        let first = letters.next().is_some_and(|letter| "diusxpcX".contains(letter));
        !is_percentage && first && letters.next().is_none()
    };
    text.match_indices('%').any(conversion)
}

/// A text without the kernel's time at its end: `log = "[  100.000000] `.
fn without_stamp(text: &str) -> &str {
    let stamp = text.trim_end().strip_suffix(']').and_then(|text| text.rsplit_once('['));
    let is_time = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b' '));
    stamp.filter(|(_, inside)| is_time(inside)).map_or(text, |(before, _)| before)
}

/// `seq=<N>`, `seq=*`, `seq=N,`, `0000:<bus>:00.0`, `allocate ... MiB`: whether values of a message are left open.
pub(super) fn has_placeholder(message: &str, behind: &str) -> bool {
    let near = behind.split(['"', '`', ';']).next().unwrap_or_default();
    let is_open = |text: &str| {
        let mut letters = text.chars();
        let first = letters.next();
        first.is_some_and(|c| "<*%{…$".contains(c))
            || text.starts_with("..")
            || first.is_some_and(|c| c.is_ascii_uppercase())
                && !letters.next().is_some_and(char::is_alphanumeric)
    };
    let is_name = |text: &str| {
        let name = text.split_once('>').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase()))
    };
    message.contains(" ... ")
        || near.match_indices('=').any(|(at, _)| is_open(&near[at + 1..]))
        || message.match_indices('<').any(|(at, _)| is_name(&message[at + 1..]))
}

/// `{ "…", EV_RESET },`, `"…";`, `"…" OR "…"`, `log = "…\n"`: a string of a program.
fn is_item(before: &str, behind: &str) -> bool {
    let code = before.trim_end_matches(STRINGS);
    let is_closed = code.len() < before.len() && behind.starts_with(STRINGS);
    let next = behind.trim_start_matches(STRINGS);
    is_closed
        && (code.trim_end().ends_with('{') || next.starts_with(';') || next.starts_with(" OR "))
        || behind.starts_with("\\n\"") && code.trim_end().ends_with(['=', '(', ','])
}

/// `msg="…"`: the key of what a program printed.
fn is_printed(judge: &Judge<'_>, code: &str) -> bool {
    let key = code.trim_end_matches('=').rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    key.is_some_and(|key| judge.is_one(Place::Printed, &key.to_ascii_lowercase()))
}

/// `name(`, `name(a, "`: an open parenthesis directly behind a word.
fn is_argument_of_function(before: &str) -> bool {
    let Some(open) = before.rfind('(') else { return false };
    let (name, arguments) = before.split_at(open);
    let called = name.ends_with(|c: char| c.is_ascii_alphanumeric() || "_!".contains(c));
    called && !arguments.contains(')')
}

/// `[[ $line == *"…"* ]]`, `*"…"*)`, `if "…" in line`.
fn is_compared(before: &str, behind: &str) -> bool {
    let is_glob = ["*\"", "*'"].iter().any(|mark| before.ends_with(mark))
        && (behind.contains("]]") || behind.starts_with("\"*)") || behind.starts_with("'*)"));
    let code = before.trim_end_matches(STRINGS);
    let word = code.split_whitespace().next_back().filter(|_| code.len() < before.len());
    let is_condition = matches!(word, Some("if" | "elif" | "and" | "or" | "not" | "assert"))
        && behind.trim_start_matches(STRINGS).starts_with(" in ");
    is_glob || is_condition
}

/// `pattern: "…"`, `{"regex": ".*…"}`, `contains, "…"`: a key of what a program looks for.
fn is_rule(judge: &Judge<'_>, before: &str) -> bool {
    let text = before.trim_end_matches(|c: char| ".*^/<>[".contains(c) || STRINGS.contains(&c));
    let marks = |c: char| ":=~|,".contains(c) || STRINGS.contains(&c) || c == ' ';
    let key = text.trim_end_matches(marks);
    let is_marked = text[key.len()..].contains([':', '=', ',', '~']);
    let word = key.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    (is_marked || before.ends_with('>')) && judge.is_one(Place::Rule, &word.to_ascii_lowercase())
}

/// Whether a command that searches or prints stands before a message, with nothing but options between.
fn is_argument(judge: &Judge<'_>, before: &str) -> bool {
    let text = before.trim_end_matches(|c: char| "/^.*".contains(c) || STRINGS.contains(&c));
    // A colon announces what a command printed.
    if text.trim_end().ends_with(':') {
        return false;
    }
    let mut words = text.split_whitespace().rev().take(OPTIONS).peekable();
    while let Some(word) = words.next() {
        let command = word.trim_start_matches(|c: char| STRINGS.contains(&c) || "$(|".contains(c));
        if judge.is_one(Place::Command, &command.to_ascii_lowercase()) {
            return true;
        }
        let is_value = words.peek().is_some_and(|option| option.starts_with('-'));
        if !word.starts_with('-') && !is_value {
            return false;
        }
    }
    false
}
