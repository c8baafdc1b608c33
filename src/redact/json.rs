//! The texts in a line of JSON with their names. Rules apply to each text separately, so that a word at the end of one
//! does not explain the next.

use std::ops::Range;

/// A text in a line of JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// Its name, with escapes.
    pub(super) name: Range<usize>,
    /// The content of its quotes, or a list of numbers with its brackets.
    pub(super) value: Range<usize>,
}

/// Whether a line is JSON, or a part of it.
pub(super) fn is_json(line: &str) -> bool {
    let line = line.trim_start_matches([' ', '\t', '\u{1E}', ',', '[', '}']);
    let line = line.strip_prefix("data: ").unwrap_or(line);
    let line = line.strip_prefix('{').unwrap_or(line).trim_start_matches([' ', '\t']);
    let Some(name) = line.strip_prefix('"') else { return false };
    name.split_once('"').is_some_and(|(name, rest)| {
        !name.contains(' ') && rest.trim_start_matches([' ', '\t']).starts_with(':')
    })
}

/// The texts in a line that [`is_json`].
pub(super) fn texts(line: &str) -> Vec<Text> {
    let bytes = line.as_bytes();
    let mut list: Vec<Text> = Vec::new();
    let mut name = 0..0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                let end = string(bytes, at + 1);
                let value = at + 1..end;
                at = end + 1;
                let behind = bytes.iter().skip(at);
                let blanks = behind.clone().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                if bytes.get(at + blanks) == Some(&b':') {
                    name = value;
                    at += blanks + 1;
                } else {
                    list.push(Text { name: name.clone(), value });
                }
            }
            b'[' => {
                let inside = &bytes[at + 1..];
                let is_number =
                    |byte: &u8| byte.is_ascii_digit() || matches!(byte, b',' | b' ' | b'\t');
                let length = inside.iter().take_while(|byte| is_number(byte)).count();
                if length > 0 {
                    let closed = usize::from(inside.get(length) == Some(&b']'));
                    list.push(Text { name: name.clone(), value: at..at + 1 + length + closed });
                }
                at += 1 + length;
            }
            _ => at += 1,
        }
    }
    list
}

/// The end of a text; `start` is after its first quote.
fn string(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(line: &str) -> Vec<(&str, &str)> {
        texts(line).into_iter().map(|text| (&line[text.name], &line[text.value])).collect()
    }

    #[test]
    fn texts_are_told_apart() {
        let line = r#"{"a":"x \"y\\","b" : ["p","q"],"m":[72, 101,9],"n":7,"c":"cut"#;
        assert!(is_json(line));
        let want =
            [("a", r#"x \"y\\"#), ("b", "p"), ("b", "q"), ("m", "[72, 101,9]"), ("c", "cut")];
        assert_eq!(parts(line), want);
        assert!(
            is_json("\t\"_HOSTNAME\" : \"tower\",")
                && is_json("data: {\"a\":1}")
                && is_json("      },{\"a\":1")
        );
        for no in ["plain", "{so it goes}", "\"quoted words\": said", "[    0.1] x", "[1,2]", ""] {
            assert!(!is_json(no), "{no}");
        }
        for odd in ["\"", "\"\\", "{\"a\":\"", "{\"a\":["] {
            texts(odd);
        }
    }
}
