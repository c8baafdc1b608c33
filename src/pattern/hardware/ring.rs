//! The names of rings.

use serde::{Deserialize, Serialize};

use crate::pattern::document::{Table, record};

record! {
    /// A form of ring names, with placeholders for numbers: `gfx_{me}.{pipe}.{queue}`.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct RingForm {
        /// The form.
        pub name: String,
        /// The purpose of such a ring.
        pub means: String,
        /// The source of the form.
        pub source: String,
    }
    check
}

impl RingForm {
    /// The numbers in `ring` by placeholder name, if it has this form.
    pub(crate) fn numbers(&self, ring: &str) -> Option<Vec<(&str, u32)>> {
        let mut numbers = Vec::new();
        let mut rest = ring;
        let mut form = self.name.as_str();
        while let Some((literal, behind)) = form.split_once('{') {
            let (name, next) = behind.split_once('}')?;
            rest = rest.strip_prefix(literal)?;
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            numbers.push((name, rest.get(..end)?.parse().ok()?));
            rest = rest.get(end..)?;
            form = next;
        }
        (rest == form).then_some(numbers)
    }

    fn check(&self, table: &Table<'_>) {
        table.mistake_at("name", !is_form(&self.name), "a placeholder is a word in braces, {pipe}");
    }
}

fn is_form(name: &str) -> bool {
    let mut parts = name.split('{');
    let first = parts.next().unwrap_or_default();
    !first.contains('}')
        && parts.all(|part| {
            part.split_once('}').is_some_and(|(word, rest)| !word.is_empty() && !rest.contains('}'))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_name_is_split_into_numbers() {
        let form = |name: &str| RingForm {
            name: name.to_owned(),
            means: String::new(),
            source: String::new(),
        };
        let graphics = form("gfx_{me}.{pipe}.{queue}");
        assert_eq!(graphics.numbers("gfx_0.1.2"), Some(vec![("me", 0), ("pipe", 1), ("queue", 2)]));
        for other in ["gfx", "gfx_0.1", "gfx_0.1.2.3", "gfx_a.1.2", "gfx_0.1.99999999999", "é"] {
            assert_eq!(graphics.numbers(other), None, "{other}");
        }
        assert_eq!(form("vpe").numbers("vpe"), Some(vec![]));
        assert_eq!(form("sdma{engine}").numbers("sdma"), None);
        assert!(is_form("a_{b}.{c}") && !is_form("a_{b") && !is_form("a}") && !is_form("{}"));
    }
}
