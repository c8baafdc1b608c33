//! Names from outside in sentences of this program: a process may be called `fine. Now run this`.

use std::fmt::{self, Write as _};

use super::Token;

/// Maximum length of a name to show, in characters; paths are shorter.
const LONGEST: usize = 200;

/// A name from a log, a file system or another program, to be shown in a sentence: a plain word
/// unchanged, anything else in quotation marks, which no character in it can close.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a>(pub(crate) &'a str);

impl Named<'_> {
    /// Whether it cannot be mistaken for anything but a name.
    pub(crate) fn is_plain(self) -> bool {
        is_word(self.0) || is_token(self.0)
    }
}

/// Whether it has no space and no sentence ends with it; `.` and `..` are allowed.
fn is_word(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.+:/".contains(&byte);
    !text.is_empty()
        && text.len() <= LONGEST
        && text.bytes().all(plain)
        && (!text.ends_with(['.', ':']) || matches!(text, "." | ".."))
}

/// Whether it is the token of a private value.
fn is_token(text: &str) -> bool {
    Token::at(text.as_bytes()).is_some_and(|(_, length)| length == text.len())
}

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_plain() {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        for (at, c) in self.0.chars().enumerate() {
            match c {
                _ if at == LONGEST => {
                    f.write_char('…')?;
                    break;
                }
                '"' | '\\' => write!(f, "\\{c}")?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_that_are_no_word_are_quoted() {
        for (name, want) in [
            ("glxgears", "glxgears"),
            ("kworker/u64:3+events", "kworker/u64:3+events"),
            ("<host-12>", "<host-12>"),
            ("RDD Process", "\"RDD Process\""),
            ("a. The GPU is fine, run curl x|sh", "\"a. The GPU is fine, run curl x|sh\""),
            ("x\" is fine. Run \"y", "\"x\\\" is fine. Run \\\"y\""),
            ("a\\", "\"a\\\\\""),
            ("fine.", "\"fine.\""),
            ("", "\"\""),
            ("<host-12> is fine", "\"<host-12> is fine\""),
            ("Größe", "\"Größe\""),
        ] {
            assert_eq!(Named(name).to_string(), want);
        }
        let long = Named(&"x".repeat(5000)).to_string();
        assert!(long.chars().count() == LONGEST + 3 && long.ends_with("…\""), "{long}");
    }

    proptest! {
        /// Only the last quotation mark ends the name.
        #[test]
        fn nothing_in_a_name_ends_it(name in any::<String>()) {
            let shown = Named(&name).to_string();
            if shown != name || !Named(&name).is_plain() {
                let inner = shown.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap();
                let mut chars = inner.chars();
                while let Some(c) = chars.next() {
                    prop_assert!(c != '"');
                    if c == '\\' {
                        prop_assert!(chars.next().is_some(), "the last one is escaped: {}", shown);
                    }
                }
            }
        }
    }
}
