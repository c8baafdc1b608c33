//! printf formats with named conversions, as pattern files write them, and the text they match.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::value::field::Conversion;

/// Part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Blank,
    Literal(String),
    Capture { field: Option<String>, conversion: Conversion, prefix: bool, padded: bool },
}

/// A format as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    parts: Vec<Part>,
}

/// Why a text is no format, and which bytes of it are to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotAFormat {
    /// The bytes.
    pub span: Range<usize>,
    /// The reason, in one sentence without full stop.
    pub what: String,
}

/// What a conversion captures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture {
    /// The event's field; `None` for what is not kept.
    pub field: Option<String>,
    /// How the text is read.
    pub conversion: Conversion,
}

impl Format {
    /// Reads a format.
    ///
    /// # Errors
    /// Where a conversion has no name or is none of printf's.
    pub fn parse(text: &str) -> Result<Self, NotAFormat> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let rest = &text[at..];
            let next = rest.find('%').unwrap_or(rest.len());
            push_literal(&mut parts, &rest[..next]);
            at += next;
            if at == text.len() {
                break;
            }
            if text[at..].starts_with("%%") {
                push_literal(&mut parts, "%");
                at += 2;
                continue;
            }
            let (capture, length) = capture(&text[at..])
                .map_err(|what| NotAFormat { span: at..(at + 2).min(text.len()), what })?;
            parts.push(capture);
            at += length;
        }
        Ok(Self { parts })
    }

    /// The conversions, in order.
    #[must_use]
    pub fn captures(&self) -> Vec<Capture> {
        let capture = |part: &Part| match part {
            Part::Capture { field, conversion, .. } => {
                Some(Capture { field: field.clone(), conversion: *conversion })
            }
            Part::Blank | Part::Literal(_) => None,
        };
        self.parts.iter().filter_map(capture).collect()
    }

    /// The literal text at the very start, up to the first blank; empty where it begins with a
    /// conversion.
    #[must_use]
    pub fn lead(&self) -> &str {
        match self.parts.iter().find(|part| !matches!(part, Part::Blank)) {
            Some(Part::Literal(text)) => text,
            _ => "",
        }
    }

    /// The longest text that stands in every match as it is written. It holds no blank, because
    /// blanks are folded and unfolded on the way to us.
    #[must_use]
    pub fn literal(&self) -> &str {
        let literals = self.parts.iter().filter_map(|part| match part {
            Part::Literal(text) => Some(text.as_str()),
            Part::Blank | Part::Capture { .. } => None,
        });
        literals.max_by_key(|text| text.len()).unwrap_or("")
    }

    /// The regular expression of what the format can print, with one group a conversion. Fields of
    /// which `is_word` holds are one word.
    #[must_use]
    pub fn expression(&self, is_word: impl Fn(&str) -> bool) -> String {
        let mut expression = String::from("^[ \\t]*");
        let mut parts = self.parts.as_slice();
        if let Some((Part::Blank, rest)) = parts.split_first() {
            parts = rest;
        }
        let mut index = 0;
        while index < parts.len() {
            index += write(&mut expression, &parts[index..], &is_word);
        }
        expression.push_str("[ \\t]*$");
        expression
    }
}

/// Writes the first part, or the first few where they depend on each other; returns how many.
fn write(expression: &mut String, parts: &[Part], is_word: &impl Fn(&str) -> bool) -> usize {
    match parts {
        // A name that is empty leaves the blanks on both sides, or only one of them where
        // somebody's tool folds blanks.
        [Part::Blank, Part::Capture { conversion: Conversion::Text, .. }, Part::Blank, _, ..] => {
            expression.push_str("[ \\t]+(?:(.*?)[ \\t]+)?");
            3
        }
        [Part::Blank, _, ..] => {
            expression.push_str("[ \\t]+");
            1
        }
        [Part::Literal(text), ..] => {
            expression.push_str(&regex::escape(text));
            1
        }
        [Part::Capture { field, conversion, prefix, padded }, rest @ ..] => {
            let word = field.as_deref().is_some_and(is_word);
            if *padded {
                expression.push_str("[ ]*");
            }
            if *prefix {
                expression.push_str("(?:0x)?");
            }
            expression.push_str(match conversion {
                // A reporter may have struck a number out.
                Conversion::Decimal => "(-?[0-9]+|[xX*?#]+)",
                Conversion::Hexadecimal => "([0-9a-fA-F]+|[xX*?#]+)",
                Conversion::Text if word => "([A-Za-z][A-Za-z0-9_-]*)",
                Conversion::Text if rest.is_empty() => "(.*)",
                Conversion::Text => "(.*?)",
            });
            1
        }
        [Part::Blank] | [] => 1,
    }
}

fn push_literal(parts: &mut Vec<Part>, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.starts_with([' ', '\t']);
        let end = rest.find(|c| matches!(c, ' ' | '\t') != blank).unwrap_or(rest.len());
        match (blank, parts.last_mut()) {
            (true, Some(Part::Blank)) => {}
            (true, _) => parts.push(Part::Blank),
            (false, Some(Part::Literal(before))) => before.push_str(&rest[..end]),
            (false, _) => parts.push(Part::Literal(rest[..end].to_owned())),
        }
        rest = &rest[end..];
    }
}

/// Reads the `%{name:conversion}` at the start of `text`; returns it and its length.
fn capture(text: &str) -> Result<(Part, usize), String> {
    let inner = text
        .strip_prefix("%{")
        .ok_or("a conversion needs the name of its field, as in %{ring:s}; a percent sign is %%")?;
    let end = inner.find('}').ok_or("this conversion has no closing brace")?;
    let (name, conversion) =
        inner[..end].split_once(':').ok_or("a conversion is written %{name:conversion}")?;
    let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.is_empty() || !name.chars().all(valid) {
        return Err(format!("`{name}` is no field name"));
    }
    let flags = conversion.trim_start_matches(['-', '+', ' ', '#', '0']);
    let prefix = conversion[..conversion.len() - flags.len()].contains('#');
    let zero = conversion[..conversion.len() - flags.len()].contains('0');
    let bare = flags.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '*'));
    let padded = bare.len() < flags.len() && !zero;
    let letters = bare.trim_start_matches(['h', 'l', 'L', 'z', 'j', 't']);
    let conversion = match letters {
        "d" | "i" | "u" => Conversion::Decimal,
        "x" | "X" | "p" => Conversion::Hexadecimal,
        "s" | "c" => Conversion::Text,
        other if other.starts_with('p') => Conversion::Text,
        _ => return Err(format!("`{conversion}` is no printf conversion")),
    };
    let field = (name != "_").then(|| name.to_owned());
    Ok((Part::Capture { field, conversion, prefix, padded }, end + 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matched(format: &str, text: &str) -> Option<Vec<String>> {
        let format = Format::parse(format).unwrap();
        let expression = regex::Regex::new(&format.expression(|field| field == "opcode")).unwrap();
        let captures = expression.captures(text)?;
        let group = |group: Option<regex::Match<'_>>| group.map_or("", |m| m.as_str()).to_owned();
        Some(captures.iter().skip(1).map(group).collect())
    }

    #[test]
    fn formats_read_what_printf_writes() {
        for (format, text, want) in [
            ("ring %{ring:s} timeout", "ring gfx_0.0.0 timeout", &["gfx_0.0.0"][..]),
            ("STATUS:0x%{status:08X}", "STATUS:0x00000B3A", &["00000B3A"]),
            ("begin!. Source:  %{source:d}", "begin!. Source: 5", &["5"]),
            ("vmid:%{vmid:u} pasid:%{pasid:u}", "vmid:x pasid:xxxx", &["x", "xxxx"]),
            ("\t RW: 0x%{rw:lx}", "     RW: 0x1", &["1"]),
            ("100%% of %{_:s}", "100% of it", &["it"]),
            ("failed %{errno:d}", "failed -62 ", &["-62"]),
            ("msg=%{opcode:s}", "msg=REMOVE_QUEUE", &["REMOVE_QUEUE"]),
        ] {
            assert_eq!(matched(format, text).unwrap(), want, "{format}");
        }
        assert_eq!(matched("ring %{ring:s} timeout", "a ring gfx timeout"), None);
        assert_eq!(matched("msg=%{opcode:s}", "msg=MISC (QUERY_STATUS)"), None);
    }

    #[test]
    fn a_process_name_may_be_empty_or_hold_blanks() {
        let format = "for process %{process:s} pid %{pid:d} thread %{thread:s} pid %{tid:d}";
        for (text, want) in [
            ("for process  pid 0 thread  pid 0", ["", "0", "", "0"]),
            ("for process pid 0 thread pid 0", ["", "0", "", "0"]),
            (
                "for process RDD Process pid 7 thread a:cs0 pid 8",
                ["RDD Process", "7", "a:cs0", "8"],
            ),
        ] {
            assert_eq!(matched(format, text).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn what_is_no_format_is_said() {
        for (format, span) in
            [("ring %s", 5..7), ("%{ring}", 0..2), ("%{ring:q}", 0..2), ("%{a:s", 0..2)]
        {
            assert_eq!(Format::parse(format).unwrap_err().span, span, "{format}");
        }
    }

    #[test]
    fn literals_are_taken_from_what_never_changes() {
        let format = Format::parse("MES failed to respond to msg=%{opcode:s}").unwrap();
        assert_eq!(format.lead(), "MES");
        assert_eq!(format.literal(), "respond");
    }
}
