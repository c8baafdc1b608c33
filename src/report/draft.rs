//! A draft of a message in a pattern file, with TODO for what its author must decide.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use crate::document::counts::joined;
use crate::document::untrusted::is_harmful;
use crate::value::Level;

/// The number of words from a line in the id of its message.
const ID_WORDS: usize = 6;

/// An incomplete `[[message]]`.
#[derive(Debug)]
pub(super) struct Draft<'d> {
    /// An unused id.
    pub id: String,
    pub level: Option<Level>,
    /// Its printer, as TOML.
    pub printer: &'static str,
    /// Its format, with a name or `_` for each value.
    pub format: &'d str,
    /// Whether others may print the same words.
    pub is_shared: bool,
    pub source: String,
    /// A sample line, if known.
    pub sample: Option<&'d str>,
}

impl fmt::Display for Draft<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "[[message]]\nid     = {}", quoted(&self.id))?;
        f.write_str(
            "event  = \"TODO\"  # a kind of event; name the values of the format after its fields\n",
        )?;
        match self.level {
            Some(level) => writeln!(f, "level  = \"{}\"", level.name())?,
            None => {
                f.write_str(
                    "# level = \"error\"  # TODO: see the source; the log does not show it\n",
                )?;
            }
        }
        writeln!(f, "from   = {}\nformat = {}", self.printer, quoted(self.format))?;
        if self.is_shared {
            f.write_str("shared = true  # TODO: remove if nothing else prints these words\n")?;
        }
        let sample = quoted(self.sample.unwrap_or("TODO"));
        writeln!(f, "means  = \"TODO\"\nsource = {}\nsample = [{sample}]", quoted(&self.source))
    }
}

/// The first words of a shape that are not values.
pub(super) fn words(shape: &str) -> String {
    let mut literal = String::new();
    for (index, piece) in shape.split("%{").enumerate() {
        let piece = if index == 0 { piece } else { piece.split_once('}').map_or("", |(_, r)| r) };
        literal.push_str(piece);
        literal.push(' ');
    }
    let words = literal.split(|c: char| !c.is_ascii_alphanumeric());
    let words =
        words.filter(|word| word.len() > 1 && !word.starts_with(|c: char| c.is_ascii_digit()));
    joined(words.take(ID_WORDS).map(str::to_ascii_lowercase), "-")
}

/// An unused id.
pub(super) fn free(id: String, taken: &mut BTreeSet<String>) -> String {
    let candidates = std::iter::once(id.clone()).chain((2..).map(|n| format!("{id}-{n}")));
    let free = candidates.into_iter().find(|candidate| !taken.contains(candidate));
    let free = free.unwrap_or(id);
    taken.insert(free.clone());
    free
}

/// A TOML basic string without harmful characters.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(c);
            }
            c if is_harmful(c) => {
                // Writing to a string cannot fail.
                let _ = write!(quoted, "\\U{:08X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_words_of_the_line() {
        assert_eq!(words("failed to frob %{_:s} (0x%{_:x})"), "failed-to-frob");
        assert_eq!(words("%{_:d} of %{_:d}"), "of");
        assert_eq!(words("%{_:d}: %{_:x}"), "");
        let mut taken = BTreeSet::from(["frob".to_owned()]);
        assert_eq!(free("frob".to_owned(), &mut taken), "frob-2");
        assert_eq!(free("frob".to_owned(), &mut taken), "frob-3");
    }

    #[test]
    fn strings_are_toml_and_harmless() {
        let text = "a \"b\" \\ \u{1b}[31m ü";
        let toml = format!("x = {}", quoted(text));
        assert!(!toml.contains(is_harmful), "{toml}");
        let table: toml::Table = toml::from_str(&toml).unwrap();
        assert_eq!(table["x"].as_str(), Some(text));
    }
}
