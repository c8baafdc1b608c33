//! Sentences with placeholders: `{ring}`; `{source:because of %}`, whose words are left out if the
//! value is unknown; and `{!source:for no reason given}`, whose words appear only then.

use serde::{Deserialize, Serialize};

use super::document::{FromToml, Node};
use super::later::Lazy;

/// A sentence with placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Template {
    parts: Lazy<Vec<Segment>>,
}

/// Why a text is no template.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotATemplate {
    #[error("a brace in this text has no partner")]
    LoneBrace,
    /// The value would follow the words without a blank.
    #[error("words around a value need `%` where it goes, or `?` before its name to omit it")]
    NoPlace,
}

impl FromToml for Template {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let wrong = |error: NotATemplate| node.mistake(error.to_string());
        Self::parse(&String::from_toml(node)?).map_err(wrong).ok()
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Segment {
    Text(String),
    Slot { path: String, before: String, after: String },
}

impl Template {
    /// Parses a sentence. Fails if a brace is unpaired, or if a value has words but
    /// no place among them.
    pub(crate) fn parse(text: &str) -> Result<Self, NotATemplate> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < text.len() {
            let Some(open) = text[at..].find(['{', '}']).map(|found| at + found) else {
                parts.push(Segment::Text(text[at..].to_owned()));
                break;
            };
            if open > at {
                parts.push(Segment::Text(text[at..open].to_owned()));
            }
            let close = text[open..].find('}').map(|found| open + found).filter(|end| *end > open);
            let close = close.ok_or(NotATemplate::LoneBrace)?;
            let (path, around) =
                text[open + 1..close].split_once(':').unwrap_or((&text[open + 1..close], "%"));
            if !around.contains('%') && !path.starts_with(['!', '?']) {
                return Err(NotATemplate::NoPlace);
            }
            let (before, after) = around.split_once('%').unwrap_or((around, ""));
            parts.push(Segment::Slot {
                path: path.trim().to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
            });
            at = close + 1;
        }
        Ok(Self { parts: parts.into() })
    }

    /// The sentence with `…` for each placeholder.
    pub(crate) fn words(&self) -> String {
        let mut words = String::new();
        for part in &self.parts {
            match part {
                Segment::Text(text) => words.push_str(text),
                Segment::Slot { before, after, .. } => {
                    words.extend([before.as_str(), "…", after.as_str()]);
                }
            }
        }
        words
    }

    /// The names of all placeholders.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Segment::Slot { path, .. } => Some(path.trim_start_matches(['!', '?'])),
            Segment::Text(_) => None,
        })
    }

    /// The names of placeholders that leave a gap in the sentence if unknown, because no words
    /// belong to them.
    pub(crate) fn bare(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Segment::Slot { path, before, after } if before.is_empty() && after.is_empty() => {
                Some(path.as_str()).filter(|path| !path.starts_with(['!', '?']))
            }
            Segment::Slot { .. } | Segment::Text(_) => None,
        })
    }

    /// The sentence with the values from `value`.
    pub(crate) fn filled(&self, value: impl Fn(&str) -> Option<String>) -> String {
        let mut sentence = String::new();
        for part in &self.parts {
            match part {
                Segment::Text(text) => sentence.push_str(text),
                Segment::Slot { path, before, after } => {
                    let shown = if let Some(path) = path.strip_prefix('!') {
                        value(path).is_none().then(String::new)
                    } else if let Some(path) = path.strip_prefix('?') {
                        value(path).map(|_| String::new())
                    } else {
                        value(path)
                    };
                    if let Some(shown) = shown {
                        sentence.extend([before, &shown, after].map(String::as_str));
                    }
                }
            }
        }
        tidy(&sentence)
    }
}

/// Removes double spaces, and spaces before a full stop, that a missing value leaves.
fn tidy(sentence: &str) -> String {
    let mut tidied = String::with_capacity(sentence.len());
    for c in sentence.trim().chars() {
        if matches!(c, ' ' | '.' | ',' | ';') && tidied.ends_with(' ') {
            tidied.pop();
        }
        tidied.push(c);
    }
    tidied
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_value_is_omitted_with_its_words() {
        let template = Template::parse("Reset of {device}{source: because of %} began.").unwrap();
        let known = |path: &str| (path == "device").then(|| "0000:03:00.0".to_owned());
        assert_eq!(template.filled(known), "Reset of 0000:03:00.0 began.");
        assert_eq!(
            template.filled(|path| Some(path.to_owned())),
            "Reset of device because of source began."
        );
        assert_eq!(template.filled(|_| None), "Reset of began.");
        let otherwise = Template::parse("{a:It is %.}{!a:It is not known.}").unwrap();
        assert_eq!(otherwise.filled(|_| None), "It is not known.");
        assert_eq!(otherwise.filled(|_| Some("5".to_owned())), "It is 5.");
        let known = Template::parse("Done{?a:, and told}.").unwrap();
        assert_eq!(known.filled(|_| None), "Done.");
        assert_eq!(known.filled(|_| Some("5".to_owned())), "Done, and told.");
        assert_eq!(known.paths().collect::<Vec<_>>(), ["a"]);
        let bare = Template::parse("{a} {b:of %} {!c:x} {?d:y} {e:%}").unwrap();
        assert_eq!(bare.bare().collect::<Vec<_>>(), ["a", "e"]);
    }

    #[test]
    fn a_value_with_words_has_its_place_among_them() {
        assert_eq!(Template::parse("{a.line: It was seen.}"), Err(NotATemplate::NoPlace));
        assert!(Template::parse("{?a.line: It was seen.}{!a.line: It was not seen.}").is_ok());
    }

    #[test]
    fn braces_have_partners() {
        assert_eq!(Template::parse("a {b"), Err(NotATemplate::LoneBrace));
        assert_eq!(Template::parse("a } b"), Err(NotATemplate::LoneBrace));
    }
}
