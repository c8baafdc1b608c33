//! Finds a sentence of the driver in a person's prose: in a title, in quotes, at the end of a remark. One that the
//! person denies or asks others for does not count, nor does one in source code. Independent of envelopes.

/// The number of bytes of a line that are searched.
const HEAD: usize = 600;
/// Punctuation of the person after the driver's sentence.
const ENDS: &[char] = &['.', ',', ';', ':', '?', '!', ')', ']', '"', '\'', '`', '*', '”', '’'];
/// The maximum number of them to remove.
const MOST_ENDS: usize = 4;
/// Words before the sentence that say that it was not printed, not here, or that it is asked for.
const DENIALS: [&str; 24] = [
    "not",
    "n't",
    "cannot",
    "no",
    "never",
    "nothing",
    "without",
    "instead of",
    "unlike",
    "if you",
    "if your",
    "if the",
    "do you",
    "did you",
    "have you",
    "has anyone",
    "did anyone",
    "does anyone",
    "anyone else",
    "whether",
    "what does",
    "search for",
    "look for",
    "lines like",
];
/// What ends the text before an example.
const EXAMPLES: [&str; 3] = ["example", "e.g", "such as"];
/// The ends of the person's earlier sentences, whose denials are about something else.
const SENTENCE_ENDS: [&str; 5] = [". ", "? ", "! ", "; ", ", "];
/// Words before a colon after which the sentence goes on: `I don't see: …`.
const GO_ON: [&str; 10] =
    ["see", "find", "get", "have", "contain", "show", "for", "like", "example", "search"];
/// Commands whose argument a quoted sentence may be.
const COMMANDS: [&str; 9] =
    ["grep", "egrep", "rg", "awk", "sed", "echo", "logger", "printf", "explain"];

/// The text before the driver's sentence in `text`, and the sentence. `begins` says whether a text begins with the name
/// of the driver, `is_message` whether it is a complete message of the driver.
pub(super) fn sentence_in(
    text: &str,
    begins: impl Fn(&str) -> bool,
    is_message: impl Fn(&str) -> bool,
) -> Option<(&str, &str)> {
    let starts = text.char_indices().take_while(|(at, _)| *at < HEAD);
    let starts =
        starts.filter(|(_, c)| matches!(c, ' ' | '"' | '\'' | '`' | '“' | '‘' | '(' | '*'));
    for (at, mark) in starts {
        let (before, rest) = text.split_at(at + mark.len_utf8());
        if !begins(rest) {
            continue;
        }
        let inside = match mark {
            '"' | '\'' | '`' => rest.split_once(mark),
            '“' => rest.split_once('”'),
            '‘' => rest.split_once('’'),
            '(' => rest.split_once(')'),
            _ => None,
        };
        let quoted = inside.map(|(inside, _)| inside);
        if let Some(sentence) = quoted.into_iter().chain(ends(rest)).find(|one| is_message(one)) {
            return (!is_mention(before)).then_some((before, sentence));
        }
    }
    None
}

/// `text`, and the same with less and less punctuation at its end.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text), |text| text.trim_end().strip_suffix(ENDS)).take(MOST_ENDS + 1)
}

/// Whether the text before a sentence shows that the driver did not print it here.
pub(super) fn is_mention(before: &str) -> bool {
    denies(before) || is_example(before) || is_code(before) || is_argument(before)
}

/// Whether the text before a sentence denies it, or asks for it.
fn denies(before: &str) -> bool {
    let before = before.to_lowercase().replace('’', "'");
    let ends = SENTENCE_ENDS.iter().filter_map(|end| Some(before.rfind(end)? + end.len()));
    let colons = before.rmatch_indices(": ").map(|(at, colon)| (at, at + colon.len()));
    let mut colons =
        colons.filter(|(at, _)| !GO_ON.iter().any(|word| before[..*at].ends_with(word)));
    let colon = colons.next().map(|(_, end)| end);
    let sentence = &before[ends.chain(colon).max().unwrap_or(0)..];
    let is_word = |at: usize, denial: &str| {
        let begins = denial.starts_with("n'") || !sentence[..at].ends_with(char::is_alphanumeric);
        begins && !sentence[at + denial.len()..].starts_with(char::is_alphanumeric)
    };
    DENIALS.iter().any(|denial| sentence.match_indices(denial).any(|(at, _)| is_word(at, denial)))
}

/// Whether the text before a sentence introduces an example.
fn is_example(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    EXAMPLES.iter().any(|example| before.ends_with(example))
}

/// Whether the text before a sentence is source code: it contains a format of `printf`, or ends with what stands before
/// a string.
fn is_code(before: &str) -> bool {
    let conversion = |(at, _): (usize, &str)| {
        let is_percentage = before[..at].ends_with(|c: char| c.is_ascii_digit() || c == '/');
        let rest =
            before[at + 1..].trim_start_matches(|c: char| c.is_ascii_digit() || "#.-l".contains(c));
        let mut letters = rest.chars().take_while(char::is_ascii_alphabetic);
        let first = letters.next().is_some_and(|letter| "diusxpcX".contains(letter));
        !is_percentage && first && letters.next().is_none()
    };
    let code = before.trim_end_matches(['"', '\'', '`']);
    let called = code.strip_suffix('(');
    before.match_indices('%').any(conversion)
        || code.ends_with(['[', '{', '='])
        || code.ends_with("= ")
        || called
            .is_some_and(|name| name.ends_with(|c: char| c.is_alphanumeric() || "_!".contains(c)))
}

/// Whether a command that searches or prints stands before a sentence.
fn is_argument(before: &str) -> bool {
    let words = before.trim_end_matches(['"', '\'', '`']).split_whitespace().rev();
    let mut words = words.skip_while(|word| word.starts_with('-'));
    words.next().is_some_and(|word| COMMANDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_the_driver_is_found_in_prose() {
        let begins = |text: &str| text.starts_with("amdgpu: ") || text.starts_with("[drm] ");
        let is_message = |text: &str| {
            let text = text.trim_start_matches("amdgpu: ").trim_start_matches("[drm] ");
            text == "GPU reset begin!" || text == "ring gfx timeout"
        };
        for (text, found) in [
            ("Is it broken? amdgpu: GPU reset begin!", Some("amdgpu: GPU reset begin!")),
            ("it says `amdgpu: ring gfx timeout`, then stops", Some("amdgpu: ring gfx timeout")),
            ("dmesg (\"amdgpu: ring gfx timeout\") is full", Some("amdgpu: ring gfx timeout")),
            ("the last line is [drm] ring gfx timeout.", Some("[drm] ring gfx timeout")),
            ("“amdgpu: ring gfx timeout” after a notice", Some("amdgpu: ring gfx timeout")),
            ("amdgpu: ring gfx timeout", None),
            ("I do not see amdgpu: ring gfx timeout", None),
            ("it doesn't print `amdgpu: ring gfx timeout` any more", None),
            ("Do you have `amdgpu: ring gfx timeout` in the log?", None),
            ("ring of the amdgpu: it timed out", None),
            ("dev_err(dev, \"ring %s timeout\\n\", amdgpu: ring gfx timeout", None),
            ("at 100% load: amdgpu: ring gfx timeout", Some("amdgpu: ring gfx timeout")),
            ("at 100%CPU: amdgpu: ring gfx timeout", Some("amdgpu: ring gfx timeout")),
            (
                "It can't be the RAM. dmesg says amdgpu: ring gfx timeout",
                Some("amdgpu: ring gfx timeout"),
            ),
            ("Not the CPU, but amdgpu: ring gfx timeout", Some("amdgpu: ring gfx timeout")),
            ("no display after resume: amdgpu: ring gfx timeout", Some("amdgpu: ring gfx timeout")),
            ("I don't see: amdgpu: ring gfx timeout", None),
            ("I don’t see `amdgpu: ring gfx timeout`", None),
            ("Has anyone seen `amdgpu: ring gfx timeout`?", None),
            ("journalctl -k | grep -c 'amdgpu: ring gfx timeout'", None),
            ("assert!(text.contains(\"amdgpu: ring gfx timeout\"));", None),
            ("patterns = [\"amdgpu: ring gfx timeout\"]", None),
            ("For example, `amdgpu: ring gfx timeout`", None),
            ("know `amdgpu: ring gfx timeout`", Some("amdgpu: ring gfx timeout")),
        ] {
            let sentence = sentence_in(text, begins, is_message).map(|(_, sentence)| sentence);
            assert_eq!(sentence, found, "{text}");
        }
    }
}
