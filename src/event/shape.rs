//! Infers the format of a line: values become conversions.

use crate::value::PciAddress;

/// The placeholder for a text value while the format is built.
const TEXT: char = '\u{1}';

/// The likely format of `body`: quoted names, names of processes and rings, numbers and addresses
/// become conversions.
#[must_use]
pub(crate) fn shape(body: &str) -> String {
    let body = with_quotes_replaced(body);
    let words: Vec<&str> = body.split_whitespace().collect();
    let mut shape = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !shape.is_empty() {
            shape.push(' ');
        }
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        match before.and_then(|before| name_length(before, &words[at..])) {
            Some(length) => {
                let end = words.get(at + length - 1).map_or("", |last| closing(last));
                shape.push_str("%{_:s}");
                push_literal(&mut shape, end);
                at += length;
            }
            None => {
                push_word(&mut shape, word);
                at += 1;
            }
        }
    }
    shape
}

/// The number of `words` that are a name, given the word before them.
fn name_length(before: &str, words: &[&str]) -> Option<usize> {
    match before.trim_start_matches('(').to_ascii_lowercase().as_str() {
        // The name of a process may contain spaces; its id shows where it ends.
        "process" | "thread" | "task" => {
            words.iter().take(6).position(|word| *word == "pid").filter(|length| *length > 0)
        }
        "comm" | "comm:" => Some(1),
        "ring" => {
            words.first().filter(|word| word.contains(|c: char| c.is_ascii_digit())).map(|_| 1)
        }
        _ => None,
    }
    .filter(|length| words.get(length - 1).is_some_and(|last| !is_number(last)))
}

fn is_number(word: &str) -> bool {
    word.trim_matches(|c: char| c.is_ascii_punctuation()).chars().all(|c| c.is_ascii_digit())
}

/// The punctuation at the end of a word.
fn closing(word: &str) -> &str {
    let core = word.trim_end_matches([')', ']', '>', '}', ',', '.', ';', ':', '!', '?', '"', '\'']);
    word.get(core.len()..).unwrap_or_default()
}

/// Replaces quoted text by a value. An apostrophe within a word is not a quote.
fn with_quotes_replaced(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['\'', '"', '`']) {
        let (before, quoted) = rest.split_at(open);
        let mark = quoted.chars().next().unwrap_or('"');
        let closing = if mark == '`' { ['`', '\''] } else { [mark, mark] };
        let begins = before.is_empty() || before.ends_with([' ', '(', '[', '=', ':', ',']);
        replaced.push_str(before);
        replaced.push(mark);
        let inside = &quoted[1..];
        rest = match inside.find(closing).filter(|end| begins && *end > 0) {
            Some(end) => {
                replaced.push(TEXT);
                replaced.push_str(&inside[end..=end]);
                &inside[end + 1..]
            }
            None => inside,
        };
    }
    replaced + rest
}

fn push_word(shape: &mut String, word: &str) {
    let bare = word.trim_start_matches(['(', '[', '<', '{', '"', '\'']);
    let end = closing(bare);
    let core = &bare[..bare.len() - end.len()];
    if core.parse::<PciAddress>().is_ok() || is_ring(core) || is_file(core) {
        push_literal(shape, &word[..word.len() - bare.len()]);
        shape.push_str("%{_:s}");
        push_literal(shape, end);
    } else {
        push_values(shape, word);
    }
}

/// `gfx_0.0.0`, `vcn_unified_0`, but not a function such as `mes_v11_0_submit`.
fn is_ring(word: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["gfx_", "comp_", "sdma", "vcn_", "jpeg_", "kiq_", "mes_", "vpe"];
    BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
        && word.ends_with(|c: char| c.is_ascii_digit())
        && !word.contains("_v")
}

fn is_file(word: &str) -> bool {
    let firmware = word.rsplit_once('.').is_some_and(|(_, ending)| ending == "bin");
    word.contains('/') && (word.starts_with('/') || firmware)
}

/// Appends a word with its numbers as conversions.
fn push_values(shape: &mut String, word: &str) {
    let mut rest = word;
    // The character before a number decides whether it is one.
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let signed = first == '-'
            && !before.is_ascii_alphanumeric()
            && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let start = usize::from(signed);
        let length = rest[start..].find(|c| !part(c)).unwrap_or(rest.len() - start);
        if length == 0 {
            if first == TEXT {
                shape.push_str("%{_:s}");
            } else {
                push_literal(shape, &rest[..first.len_utf8()]);
            }
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, behind) = rest.split_at(start + length);
        push_token(shape, token);
        before = token.chars().next_back().unwrap_or(' ');
        rest = behind;
    }
}

/// Appends adjacent letters and digits.
fn push_token(shape: &mut String, token: &str) {
    const UNITS: [&str; 22] = [
        "", "B", "K", "KB", "KiB", "M", "MB", "MiB", "G", "GB", "GiB", "ns", "us", "ms", "s", "x",
        "V", "mV", "W", "C", "MHz", "Mhz",
    ];
    let hexadecimal = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    let digits = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    if token.strip_prefix("0x").is_some_and(|number| !number.is_empty() && hexadecimal(number)) {
        shape.push_str("0x%{_:x}");
        return;
    }
    let unsigned = token.trim_start_matches('-');
    let unit = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let padded = unsigned.len() >= 8 && unsigned.starts_with('0');
    if hexadecimal(token) && digits(token) && (token.len() >= 6 && !unit.is_empty() || padded) {
        shape.push_str("%{_:x}");
    } else if unit.len() < unsigned.len() && UNITS.contains(&unit) {
        shape.push_str("%{_:d}");
        shape.push_str(unit);
    } else {
        push_literal(shape, token);
    }
}

fn push_literal(shape: &mut String, text: &str) {
    for c in text.chars() {
        if c == '%' {
            shape.push('%');
        }
        shape.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::format::Format;

    #[test]
    fn what_changes_becomes_a_conversion() {
        for (body, want) in [
            ("failed to frob vcn_unified_0 (-22)", "failed to frob %{_:s} (%{_:d})"),
            ("VRAM: 24560M 0x0000008000000000 used", "VRAM: %{_:d}M 0x%{_:x} used"),
            ("can't open 'my file', 7 times", "can't open '%{_:s}', %{_:d} times"),
            (
                "fault of process my game pid 7 thread a:b pid 8",
                "fault of process %{_:s} pid %{_:d} thread %{_:s} pid %{_:d}",
            ),
            ("failed to process irq 5", "failed to process irq %{_:d}"),
            ("ring 3 and ring gfx0 at 9%", "ring %{_:d} and ring %{_:s} at %{_:d}%%"),
            ("0000:03:00.0: loaded amdgpu/gc_11.bin", "%{_:s}: loaded %{_:s}"),
            ("DMUB version=0x07002d00 of DCN3_2", "DMUB version=0x%{_:x} of DCN3_2"),
            ("key 00000000deadbeef, face 4b3f9c1e", "key %{_:x}, face %{_:x}"),
            ("seq=5,link 3.2", "seq=%{_:d},link %{_:d}.%{_:d}"),
            ("", ""),
        ] {
            assert_eq!(shape(body), want, "{body}");
        }
    }

    /// The shape of any line is a valid format that matches it.
    #[test]
    fn a_shape_matches_its_line() {
        for body in [
            "failed to frob vcn_unified_0 (-22), 50% of 'a b' \"c\" `d'",
            "Ünïcode 'ü' 0x12 % %% ''",
            "-- -5 --5 1-2-3 a-1 [drm] {x} <7>",
            "comm: (x) process a b c pid 3 task pid 4",
            "'",
        ] {
            let format = Format::parse(&shape(body)).unwrap();
            assert!(format.can_print(body), "{body}: {}", shape(body));
        }
    }
}
