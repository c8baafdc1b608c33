//! What people and trackers put before a message in a title or a list: the marks of a heading, of
//! an item and of bold text, tags and labels.

/// The labels before a title.
const LABELS: [&str; 7] = ["title", "subject", "summary", "bug", "issue", "bug report", "problem"];
/// Maximum length of a label or a tag, in bytes.
const LONGEST: usize = 24;
/// Maximum number of marks, tags and labels before a message.
const MOST: usize = 4;

/// A text behind such marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Heading<'a> {
    /// The text.
    pub(super) text: &'a str,
    /// Whether it is a heading or has a label, and no tag: documentation and people's texts have
    /// them anywhere.
    pub(super) is_of_section: bool,
}

impl<'a> Heading<'a> {
    /// The text of a line without what stands before it; `None` if nothing does.
    pub(super) fn of(line: &'a str) -> Option<Self> {
        let mut text = line;
        let (mut is_heading, mut is_tagged) = (false, false);
        for _ in 0..MOST {
            let (tag, label) = (tag(text), label(text));
            is_tagged |= tag.is_some();
            is_heading |= text.starts_with('#') || label.is_some();
            let Some(inner) = tag.or(label).or_else(|| mark(text)) else { break };
            text = inner.trim_start();
        }
        let is_of_section = is_heading && !is_tagged;
        (text.len() < line.len()).then_some(Self { text, is_of_section })
    }
}

/// The text behind `# `, `- `, `1. ` or `**`.
fn mark(text: &str) -> Option<&str> {
    if let Some(inner) = text.strip_prefix("**").or_else(|| text.strip_prefix("__")) {
        return Some(inner).filter(|inner| inner.starts_with(char::is_alphanumeric));
    }
    let hashes = text.trim_start_matches('#');
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = if hashes.len() < text.len() {
        hashes
    } else if digits.len() < text.len() {
        digits.strip_prefix(['.', ')'])?
    } else {
        text.strip_prefix(['-', '*', '+', '•'])?
    };
    behind.starts_with(' ').then_some(behind)
}

/// The text behind `[Bug]: ` or `[ROCm] `.
fn tag(text: &str) -> Option<&str> {
    let (name, behind) = text.strip_prefix('[')?.split_once(']')?;
    let is_part = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '/');
    let is_tag = !name.is_empty() && name.len() <= LONGEST && name.chars().all(is_part);
    let behind = behind.strip_prefix(':').unwrap_or(behind);
    behind.strip_prefix(' ').filter(|_| is_tag)
}

/// The text behind `Title: `.
fn label(text: &str) -> Option<&str> {
    let (name, behind) = text.split_once(": ").filter(|(name, _)| name.len() <= LONGEST)?;
    LABELS.iter().any(|label| name.eq_ignore_ascii_case(label)).then_some(behind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_before_a_title_is_taken_off() {
        for (line, want) in [
            ("# text", Some(("text", true))),
            ("### text", Some(("text", true))),
            ("# [Bug]: text", Some(("text", false))),
            ("[Issue] text", Some(("text", false))),
            ("Title: text", Some(("text", true))),
            ("## Bug: text", Some(("text", true))),
            ("- text", Some(("text", false))),
            ("1. **text", Some(("text", false))),
            ("2) text", Some(("text", false))),
            ("**text", Some(("text", false))),
            ("text", None),
            ("#include <x.h>", None),
            ("*ERROR* text", None),
            ("** 12 printk messages dropped **", None),
            ("[    1.0] text", None),
            ("[drm] text", Some(("text", false))),
            ("-text", None),
            ("1.5 text", None),
            ("Note: text", None),
        ] {
            let found = Heading::of(line).map(|found| (found.text, found.is_of_section));
            assert_eq!(found, want, "{line}");
        }
    }
}
