//! Finds a sentence of the driver in a person's prose: in a title, in quotes, at the end of a remark. One that the
//! person denies or asks others for does not count, nor does one in source code. Independent of envelopes.

/// The number of bytes of a line that are searched.
const HEAD: usize = 600;
/// Punctuation of the person after the driver's sentence.
const ENDS: &[char] = &['.', ',', ';', ':', '?', '!', ')', ']', '"', '\'', '`', '*', '”', '’'];
/// The maximum number of them to remove.
const MOST_ENDS: usize = 4;
/// Words before the sentence that say that it was not printed, or not here.
const DENIALS: [&str; 11] = [
    "not ",
    "n't ",
    "no ",
    "never ",
    "without ",
    "instead of ",
    "unlike ",
    "if you ",
    "do you ",
    "did you ",
    "whether ",
];

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
            return (!denies(before) && !is_code(before)).then_some((before, sentence));
        }
    }
    None
}

/// `text`, and the same with less and less punctuation at its end.
fn ends(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text), |text| text.trim_end().strip_suffix(ENDS)).take(MOST_ENDS)
}

/// Whether the text before a sentence denies it.
fn denies(before: &str) -> bool {
    let before = before.to_lowercase();
    let is_word = |at: usize, denial: &str| {
        denial.starts_with("n'") || !before[..at].ends_with(char::is_alphanumeric)
    };
    DENIALS.iter().any(|denial| before.match_indices(denial).any(|(at, _)| is_word(at, denial)))
}

/// Whether the text before a sentence is source code: it contains a format of `printf`.
fn is_code(before: &str) -> bool {
    let conversion = |(at, _): (usize, &str)| {
        before[at + 1..].starts_with(|next: char| next.is_ascii_alphanumeric() || next == '#')
    };
    before.match_indices('%').any(conversion)
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
            ("know `amdgpu: ring gfx timeout`", Some("amdgpu: ring gfx timeout")),
        ] {
            let sentence = sentence_in(text, begins, is_message).map(|(_, sentence)| sentence);
            assert_eq!(sentence, found, "{text}");
        }
    }
}
