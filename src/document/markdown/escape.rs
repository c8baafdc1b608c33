//! Escapes log text for Markdown, for GitHub, GitLab and Discourse alike.

use std::fmt::{self, Write as _};

use crate::document::untrusted::Untrusted;

/// Inserted to prevent a tracker from making a link; renders as nothing.
const SPLIT: &str = "<!-- -->";

/// Text within a paragraph. It contains no markup, HTML tag, mention, issue reference or link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inline<'t>(pub(crate) &'t str);

/// A code span. `|` is escaped so that it does not end a table cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Code<'t>(pub(crate) &'t str);

/// Lines in a code block, whose fence is longer than any in the lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fenced<'t> {
    /// The lines.
    pub(crate) text: &'t str,
    /// The language tag: `sh`, `text`.
    pub(crate) language: &'static str,
    /// Written before each line.
    pub(crate) indent: &'t str,
}

impl fmt::Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = Untrusted(self.0).to_string();
        let mut chars = text.char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, next)| *next);
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' | '!' | '^' => {
                    f.write_char('\\')?;
                    f.write_char(c)?;
                }
                c => f.write_char(c)?,
            }
            if refers(c, next) || begins_a_link(&text[at..]) {
                f.write_str(SPLIT)?;
            }
        }
        Ok(())
    }
}

/// Mentions and references of various trackers: `@name`, `#1`, `!1`, `~label`, `&1`, `%1`, `$1`,
/// `^alert`.
fn refers(c: char, next: Option<char>) -> bool {
    matches!(c, '@' | '#' | '!' | '~' | '&' | '%' | '$' | '^' | ':')
        && next.is_some_and(|next| next.is_alphanumeric() || (c == '~' && next == '"'))
        // Times and addresses in a log have many colons between digits.
        && (c != ':' || next.is_some_and(char::is_alphabetic))
}

/// Whether `rest` begins with the part of a URL that is split.
fn begins_a_link(rest: &str) -> bool {
    rest.starts_with("://") || rest.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("www."))
}

impl fmt::Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&fenced(&Untrusted(self.0).to_string().replace('|', "\\|")))
    }
}

/// A code span outside tables.
pub(super) fn code(text: &str) -> String {
    fenced(&Untrusted(text).to_string())
}

fn fenced(text: &str) -> String {
    let fence = "`".repeat(longest_run(text) + 1);
    let pad =
        if text.starts_with('`') || text.ends_with('`') || text.is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

impl fmt::Display for Fenced<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text, language, indent } = self;
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        writeln!(f, "{indent}{fence}{language}")?;
        for line in text.lines() {
            writeln!(f, "{indent}{}", Untrusted(line))?;
        }
        writeln!(f, "{indent}{fence}")
    }
}

/// The length of the longest run of backticks.
fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_markup_gets_through() {
        for (text, want) in [
            ("plain text, 88 % of it.", "plain text, 88 % of it."),
            ("0000:0c:00.0 at 12:00:01", "0000:0c:00.0 at 12:00:01"),
            ("a_b *c* `d`", "a\\_b \\*c\\* \\`d\\`"),
            ("<script>&amp;", "&lt;script&gt;&amp;<!-- -->amp;"),
            ("[x](y) ![z](w)", "\\[x\\](y) \\!\\[z\\](w)"),
            ("@octocat #12 !3", "@<!-- -->octocat \\#<!-- -->12 \\!<!-- -->3"),
            ("https://evil.example", "https:<!-- -->//evil.example"),
            ("www.evil.example", "w<!-- -->ww.evil.example"),
            (":bomb:", ":<!-- -->bomb:"),
            ("a\nb\u{1b}[31m", "a\\\\u{a}b\\\\u{1b}\\[31m"),
            ("| - |", "\\| - \\|"),
        ] {
            assert_eq!(Inline(text).to_string(), want);
        }
    }

    #[test]
    fn code_is_closed_by_nothing_in_it() {
        assert_eq!(Code("a|b").to_string(), "`a\\|b`");
        assert_eq!(Code("`").to_string(), "`` ` ``");
        assert_eq!(Code("a``b").to_string(), "```a``b```");
    }

    #[test]
    fn a_fence_is_longer_than_those_in_the_text() {
        let text = "one\n```\n</details>\n````text\n";
        let fenced = Fenced { text, language: "text", indent: "" }.to_string();
        assert!(fenced.starts_with("`````text\none\n```\n"), "{fenced}");
        assert!(fenced.ends_with("\n`````\n"), "{fenced}");
        let fenced = Fenced { text: "a\u{1b}b", language: "sh", indent: "   " }.to_string();
        assert_eq!(fenced, "   ```sh\n   a\\u{1b}b\n   ```\n");
    }
}
