//! Makes log text safe to show. All log text that reaches a terminal passes through here.
//!
//! Anyone who can name a process or plug in a monitor can write into a log.

use std::fmt::{self, Write as _};

use unicode_width::UnicodeWidthChar as _;

/// Text from a log, made harmless: control characters (which begin escape sequences), marks that
/// reorder text and invisible characters are shown as `\u{…}`; a tab becomes a space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Untrusted<'a>(pub &'a str);

/// Maximum number of combining marks on a letter; more would cover the lines above and below.
const MARKS: usize = 3;

/// Whether `c` does something other than display itself: control, reorder, or be invisible
/// (Unicode's property `Default_Ignorable_Code_Point`, line separators, annotation marks and the
/// Braille blank).
#[must_use]
pub fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

impl fmt::Display for Untrusted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut marks = 0;
        for c in self.0.chars() {
            marks = if c.width() == Some(0) { marks + 1 } else { 0 };
            match c {
                '\t' => f.write_char(' ')?,
                c if is_harmful(c) || marks > MARKS => write!(f, "{}", c.escape_unicode())?,
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
            ("a\u{3164}b\u{fe0f}\u{e0100}", "a\\u{3164}b\\u{fe0f}\\u{e0100}"),
            ("e\u{301}\u{302}\u{303}\u{304}x\u{301}", "e\u{301}\u{302}\u{303}\\u{304}x\u{301}"),
        ] {
            assert_eq!(Untrusted(text).to_string(), want);
        }
    }
}
