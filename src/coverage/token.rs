//! A C tokenizer that is total: every byte of any text belongs to exactly one token.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Whitespace, and line ends escaped by a backslash.
    Blank,
    /// The end of a line.
    Newline,
    /// A comment of either form.
    Comment,
    /// An identifier or a keyword.
    Word,
    Number,
    /// A string literal with its quotes.
    Text,
    /// A character literal with its quotes.
    Character,
    /// Any other character.
    Mark,
    /// `#if` and variants: whether the following code is compiled depends on the configuration.
    If,
    /// `#else`, `#elif`: the following code replaces the preceding branch.
    Else,
    /// `#endif`.
    EndIf,
    /// The result of `#` on a macro argument: text without quotes.
    Plain,
}

/// A token and its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub kind: Kind,
    pub text: &'t str,
    /// The index of the file.
    pub file: usize,
    /// The offset of its first byte.
    pub at: usize,
    /// Its line number, from 1.
    pub line: usize,
}

impl Token<'_> {
    /// Whether it is this punctuation.
    pub(crate) fn is(&self, mark: &str) -> bool {
        self.kind == Kind::Mark && self.text == mark
    }

    /// The offset after its last byte.
    pub(crate) const fn end(&self) -> usize {
        self.at + self.text.len()
    }
}

/// The tokens of a text, in order.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'t> {
    text: &'t str,
    file: usize,
    at: usize,
    line: usize,
}

impl<'t> Tokens<'t> {
    /// The tokens of `text`, from the file with index `file`.
    pub(crate) const fn new(file: usize, text: &'t str) -> Self {
        Self { text, file, at: 0, line: 1 }
    }
}

impl<'t> Iterator for Tokens<'t> {
    type Item = Token<'t>;

    fn next(&mut self) -> Option<Token<'t>> {
        let rest = self.text.get(self.at..)?;
        let (kind, length) = first(rest)?;
        let text = rest.get(..length)?;
        let token = Token { kind, text, file: self.file, at: self.at, line: self.line };
        self.at += length;
        self.line += text.bytes().filter(|byte| *byte == b'\n').count();
        Some(token)
    }
}

/// The kind and length of the token at the beginning of `rest`.
fn first(rest: &str) -> Option<(Kind, usize)> {
    let c = rest.chars().next()?;
    Some(match c {
        '\n' => (Kind::Newline, 1),
        '"' => (Kind::Text, quoted(rest, '"')),
        '\'' => (Kind::Character, quoted(rest, '\'')),
        '/' if rest.starts_with("//") => (Kind::Comment, line(rest)),
        '/' if rest.starts_with("/*") => {
            let end = rest.get(2..).and_then(|inner| inner.find("*/"));
            (Kind::Comment, end.map_or(rest.len(), |end| end + 4))
        }
        '0'..='9' => (Kind::Number, run(rest, |c| c.is_ascii_alphanumeric() || "._".contains(c))),
        c if is_word(c) => (Kind::Word, run(rest, is_word)),
        c if continued(rest) > 0 || is_blank(c) => (Kind::Blank, blanks(rest)),
        c => (Kind::Mark, c.len_utf8()),
    })
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\u{b}' | '\u{c}')
}

fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

/// The length of a backslash and the line end after it.
fn continued(text: &str) -> usize {
    let Some(rest) = text.strip_prefix('\\') else { return 0 };
    let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    if rest[blank..].starts_with('\n') { blank + 2 } else { 0 }
}

fn blanks(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let more = run(rest, is_blank).max(continued(rest));
        if more == 0 {
            return length;
        }
        length += more;
    }
}

/// The length of a literal; without a closing quote it ends with its line, as in prose after
/// `#error`.
fn quoted(text: &str, quote: char) -> usize {
    let mut at = 1;
    loop {
        let rest = &text[at..];
        let Some(c) = rest.chars().next() else { return at };
        at += match c {
            '\n' => return at,
            '\\' => match continued(rest) {
                0 => 1 + rest.chars().nth(1).filter(|c| *c != '\n').map_or(0, char::len_utf8),
                length => length,
            },
            c if c == quote => return at + 1,
            c => c.len_utf8(),
        };
    }
}

/// The length of a line comment.
fn line(text: &str) -> usize {
    let mut length = 0;
    loop {
        let rest = &text[length..];
        let Some(end) = rest.find('\n') else { return text.len() };
        let before = rest[..end].trim_end_matches([' ', '\t', '\r']);
        if !before.ends_with('\\') {
            return length + end;
        }
        length += end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds_and_texts(text: &str) -> Vec<(Kind, &str)> {
        let all = Tokens::new(0, text);
        all.filter(|token| token.kind != Kind::Blank).map(|t| (t.kind, t.text)).collect()
    }

    #[test]
    fn what_looks_like_something_else_is_not_taken_for_it() {
        use Kind::{Character, Comment, Mark, Newline, Number, Text, Word};
        for (text, want) in [
            (r#""a // b /* c""#, vec![(Text, r#""a // b /* c""#)]),
            (r#"/* "a */ b"#, vec![(Comment, r#"/* "a */"#), (Word, "b")]),
            ("// it's\nx", vec![(Comment, "// it's"), (Newline, "\n"), (Word, "x")]),
            ("// a \\\nb\nx", vec![(Comment, "// a \\\nb"), (Newline, "\n"), (Word, "x")]),
            (r#"'"' "'""#, vec![(Character, "'\"'"), (Text, r#""'""#)]),
            (r#""a\"b" c"#, vec![(Text, r#""a\"b""#), (Word, "c")]),
            (r#""a\\" c"#, vec![(Text, r#""a\\""#), (Word, "c")]),
            ("\"a\\\n b\" c", vec![(Text, "\"a\\\n b\""), (Word, "c")]),
            ("don't\nx", vec![(Word, "don"), (Character, "'t"), (Newline, "\n"), (Word, "x")]),
            ("a \\\n b", vec![(Word, "a"), (Word, "b")]),
            ("0x1fUL+2", vec![(Number, "0x1fUL"), (Mark, "+"), (Number, "2")]),
            ("é\\", vec![(Mark, "é"), (Mark, "\\")]),
            ("/* no end", vec![(Comment, "/* no end")]),
        ] {
            assert_eq!(kinds_and_texts(text), want, "{text}");
        }
    }

    #[test]
    fn lines_are_counted_in_comments_and_strings_too() {
        let text = "a /*\n*/ \"\\\n\" \\\n b\nc";
        let lines: Vec<_> = Tokens::new(0, text)
            .filter(|token| token.kind == Kind::Word)
            .map(|token| (token.text, token.line))
            .collect();
        assert_eq!(lines, [("a", 1), ("b", 4), ("c", 5)]);
    }

    proptest! {
        /// Tokenizing any text ends, and the tokens cover all of it.
        #[test]
        fn tokens_cover_their_text(text in "(\\PC|[\"'\\\\/*#\n\r\t a(]){0,200}") {
            let mut at = 0;
            for token in Tokens::new(0, &text) {
                prop_assert_eq!(token.at, at);
                prop_assert!(!token.text.is_empty());
                prop_assert_eq!(token.line, 1 + text[..at].matches('\n').count());
                at = token.end();
            }
            prop_assert_eq!(at, text.len());
        }
    }
}
