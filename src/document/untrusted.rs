//! The door through which log text reaches a terminal.
//!
//! A log is written by whoever names a process or plugs in a monitor.

use std::fmt::{self, Write as _};

/// Text from a log, made harmless: control characters (escape sequences begin with one), marks that
/// reorder text and characters without width are shown as `\u{…}`; a tab becomes a blank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untrusted<'a>(pub &'a str);

/// Whether `c` does something else than to show itself.
#[must_use]
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\t' => f.write_char(' ')?,
                c if is_harmful(c) => write!(f, "{}", c.escape_unicode())?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        for (text, want) in [
            ("plain, Grüße 漢字", "plain, Grüße 漢字"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\tb\rc\0", "a b\\u{d}c\\u{0}"),
            ("\u{202e}txt\u{200b}", "\\u{202e}txt\\u{200b}"),
            ("\u{9b}31m", "\\u{9b}31m"),
        ] {
            assert_eq!(Untrusted(text).to_string(), want);
        }
    }
}
