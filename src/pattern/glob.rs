//! Patterns for names, with `*` for any characters.

use serde::{Deserialize, Serialize};

/// A pattern for names, with `*` for any characters; a pattern of only stars is literal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Glob(String);

impl Glob {
    /// Parses a pattern; every text is one.
    pub(crate) fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The pattern as written.
    pub(crate) fn text(&self) -> &str {
        &self.0
    }

    /// Whether it matches more than one name.
    pub(crate) fn is_open(&self) -> bool {
        self.0.contains('*') && self.0.bytes().any(|byte| byte != b'*')
    }

    /// Whether `name` matches.
    pub(crate) fn matches(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        // Most names do not begin so, and nothing else is asked of them.
        let Some(mut left) = name.strip_prefix(first) else { return false };
        if !self.is_open() {
            return self.0 == name;
        }
        let mut parts = rest.split('*').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return left.ends_with(part);
            }
            // The first occurrence is sufficient, because it leaves the longest rest.
            let Some(at) = left.find(part) else { return false };
            left = &left[at + part.len()..];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        for (pattern, name, want) in [
            ("mesa", "mesa", true),
            ("mesa", "mesa-utils", false),
            ("mesa-*", "mesa-vulkan-drivers", true),
            ("mesa-*", "mesa-", true),
            ("mesa-*", "mesa", false),
            ("mesa*-git", "mesa-tkg-git", true),
            ("mesa*-git", "mesa-tkg", false),
            ("a*b*c", "aXbXc", true),
            ("a*b*c", "acb", false),
            ("*amdgpu", "xf86-amdgpu", true),
            ("**", "**", true),
            ("**", "mesa", false),
        ] {
            assert_eq!(Glob::new(pattern).matches(name), want, "{pattern} {name}");
        }
    }
}
