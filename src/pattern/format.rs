//! printf formats with named conversions, and the texts that they match.

use std::ops::Range;

use super::step::{Class, Run, Step};
use crate::value::field::Conversion;

/// A part of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    Blank,
    Literal(String),
    Capture(PrintedValue),
    /// A conversion that prints only these parts.
    Bound(PrintedValue, Vec<Segment>),
}

/// A conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PrintedValue {
    capture: Capture,
    prefix: bool,
    padded: bool,
}

/// A format as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    parts: Vec<Segment>,
}

/// Why a text is not a format, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotAFormat {
    /// The bytes at fault.
    pub span: Range<usize>,
    /// The reason, in one sentence without a full stop.
    pub what: String,
}

/// The capture of a conversion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Capture {
    /// The event's field; `None` if the text is dropped.
    pub field: Option<String>,
    /// How to parse the text.
    pub conversion: Conversion,
}

impl Format {
    /// Parses a format. Fails if a conversion has no name or is not one of printf's.
    pub(crate) fn parse(text: &str) -> Result<Self, NotAFormat> {
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
    pub(crate) fn captures(&self) -> impl Iterator<Item = &Capture> {
        self.parts.iter().filter_map(|part| match part {
            Segment::Capture(printed) | Segment::Bound(printed, _) => Some(&printed.capture),
            Segment::Blank | Segment::Literal(_) => None,
        })
    }

    /// Restricts the conversions called `name` to the text `value`.
    pub(crate) fn bind(&mut self, name: &str, value: &str) {
        for part in &mut self.parts {
            if let Segment::Capture(printed) = part
                && printed.capture.field.as_deref() == Some(name)
            {
                let mut parts = Vec::new();
                push_literal(&mut parts, value);
                *part = Segment::Bound(printed.clone(), parts);
            }
        }
    }

    /// The literal prefix of every match. A space in it matches any run of spaces and tabs.
    pub(crate) fn prefix(&self) -> String {
        let mut prefix = String::new();
        for part in &self.parts {
            match part {
                // Leading spaces are optional.
                Segment::Blank if prefix.is_empty() => {}
                Segment::Blank => prefix.push(' '),
                Segment::Literal(text) => prefix.push_str(text),
                Segment::Bound(PrintedValue { prefix: false, padded: false, .. }, parts) => {
                    prefix.extend(parts.iter().map(|part| part.fixed().unwrap_or(" ")));
                }
                Segment::Capture(_) | Segment::Bound(..) => return prefix,
            }
        }
        // Trailing spaces are optional, too.
        prefix.truncate(prefix.trim_end_matches(' ').len());
        prefix
    }

    /// The longest literal without spaces that every match contains; spaces may be collapsed or
    /// expanded before a log reaches us.
    pub(crate) fn literal(&self) -> &str {
        let parts = self.parts.iter().flat_map(|part| match part {
            Segment::Bound(_, parts) => parts.as_slice(),
            other => std::slice::from_ref(other),
        });
        parts.filter_map(Segment::fixed).max_by_key(|text| text.len()).unwrap_or("")
    }

    /// Whether the format can print `text`, whatever its values.
    #[cfg(test)]
    pub(crate) fn can_print(&self, text: &str) -> bool {
        let mut spans = vec![super::step::Span::default(); self.captures().count()];
        super::step::matches(&self.steps(|_| None), text, &mut spans)
    }

    /// The steps for matching a text. `class` says what the text of a field consists of, if it
    /// cannot be any text.
    pub(super) fn steps(&self, class: impl Fn(&str) -> Option<Class>) -> Vec<Step> {
        let mut writer = Writer { steps: Vec::new(), captures: 0 };
        let mut parts = self.parts.as_slice();
        if let Some((Segment::Blank, rest)) = parts.split_first() {
            parts = rest;
        }
        writer.run(Class::Blank, true, None);
        while !parts.is_empty() {
            let written = writer.write(parts, &class);
            parts = parts.get(written..).unwrap_or_default();
        }
        let mut steps = writer.steps;
        for at in 0..steps.len() {
            let (now, behind) = steps.split_at_mut(at + 1);
            if let Some(Step::Run(run)) = now.last_mut() {
                run.firm = is_firm(run.class, behind);
            }
        }
        steps
    }
}

impl Segment {
    /// Its literal text; `None` for spaces and conversions.
    fn fixed(&self) -> Option<&str> {
        match self {
            Self::Literal(text) => Some(text),
            Self::Blank | Self::Capture(_) | Self::Bound(..) => None,
        }
    }
}

/// Whether nothing that follows can begin with a byte of the class.
fn is_firm(class: Class, behind: &[Step]) -> bool {
    let blanks = matches!(class, Class::Blank | Class::Padding);
    let behind = behind.iter().find(|step| !matches!(step, Step::Begin(_) | Step::End(_)));
    match behind {
        None => true,
        Some(Step::Literal(text)) => !text.bytes().next().is_some_and(|byte| class.has(byte)),
        Some(Step::Run(run)) if blanks => !matches!(run.class, Class::Blank | Class::Padding),
        Some(Step::Run(run)) => run.class == Class::Blank && !run.optional,
        Some(Step::Prefix) => blanks,
        Some(Step::Text(_) | Step::Rest(_) | Step::Name(_) | Step::Begin(_) | Step::End(_)) => {
            false
        }
    }
}

/// Steps under construction.
struct Writer {
    steps: Vec<Step>,
    captures: usize,
}

impl Writer {
    fn run(&mut self, class: Class, optional: bool, capture: Option<usize>) {
        self.steps.push(Step::Run(Run { class, optional, capture, firm: false }));
    }

    /// Writes the steps of the first part, or of the first few if they depend on each other;
    /// returns their number.
    fn write(&mut self, parts: &[Segment], class: &impl Fn(&str) -> Option<Class>) -> usize {
        match parts {
            [Segment::Blank, Segment::Capture(printed), Segment::Blank, _, ..]
                if printed.capture.conversion == Conversion::Text
                    && printed.capture.field.as_deref().and_then(class) != Some(Class::Name) =>
            {
                self.run(Class::Blank, false, None);
                let capture = self.capture();
                self.steps.push(Step::Name(capture));
                return 3;
            }
            [Segment::Blank, Segment::Literal(text), ..] => {
                self.literal(" ");
                self.literal(text);
                return 2;
            }
            [Segment::Blank, _, ..] => self.run(Class::Blank, false, None),
            [Segment::Literal(text), ..] => self.literal(text),
            [Segment::Capture(printed), rest @ ..] => self.conversion(printed, rest, class),
            [Segment::Bound(printed, parts), ..] => {
                self.lead_in(printed);
                let capture = self.capture();
                self.steps.push(Step::Begin(capture));
                for part in parts {
                    self.literal(part.fixed().unwrap_or(" "));
                }
                self.steps.push(Step::End(capture));
            }
            [Segment::Blank] | [] => {}
        }
        1
    }

    fn conversion(
        &mut self,
        printed: &PrintedValue,
        rest: &[Segment],
        class: &impl Fn(&str) -> Option<Class>,
    ) {
        self.lead_in(printed);
        let capture = self.capture();
        let Capture { field, conversion } = &printed.capture;
        match conversion {
            // A reporter may have replaced the digits.
            Conversion::Decimal => self.run(Class::Decimal, false, Some(capture)),
            Conversion::Hexadecimal => self.run(Class::Hexadecimal, false, Some(capture)),
            Conversion::Text => match field.as_deref().and_then(class) {
                Some(class) => self.run(class, false, Some(capture)),
                None if rest.is_empty() => self.steps.push(Step::Rest(capture)),
                None => self.steps.push(Step::Text(capture)),
            },
        }
    }

    /// The optional text before a conversion's digits.
    fn lead_in(&mut self, printed: &PrintedValue) {
        if printed.padded {
            self.run(Class::Padding, true, None);
        }
        if printed.prefix {
            self.steps.push(Step::Prefix);
        }
    }

    fn literal(&mut self, text: &str) {
        match self.steps.last_mut() {
            Some(Step::Literal(before)) => before.push_str(text),
            _ => self.steps.push(Step::Literal(text.to_owned())),
        }
    }

    fn capture(&mut self) -> usize {
        self.captures += 1;
        self.captures - 1
    }
}

fn push_literal(parts: &mut Vec<Segment>, text: &str) {
    let mut rest = text;
    while !rest.is_empty() {
        let blank = rest.starts_with([' ', '\t']);
        let end = rest.find(|c| matches!(c, ' ' | '\t') != blank).unwrap_or(rest.len());
        match (blank, parts.last_mut()) {
            (true, Some(Segment::Blank)) => {}
            (true, _) => parts.push(Segment::Blank),
            (false, Some(Segment::Literal(before))) => before.push_str(&rest[..end]),
            (false, _) => parts.push(Segment::Literal(rest[..end].to_owned())),
        }
        rest = &rest[end..];
    }
}

/// Parses the `%{name:conversion}` at the start of `text`; returns it with its length.
fn capture(text: &str) -> Result<(Segment, usize), String> {
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
    let capture = Capture { field, conversion };
    Ok((Segment::Capture(PrintedValue { capture, prefix, padded }), end + 3))
}

#[cfg(test)]
mod tests;
