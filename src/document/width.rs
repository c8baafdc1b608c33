//! The width of text in terminal columns: a Chinese character has two, a combining mark none.

use unicode_width::UnicodeWidthStr;

/// The width of `text` in columns.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// `text` padded on the right to `width` columns.
pub(crate) fn left(text: &str, width: usize) -> String {
    format!("{text}{}", blanks(text, width))
}

/// `text` padded on the left to `width` columns.
pub(crate) fn right(text: &str, width: usize) -> String {
    format!("{}{text}", blanks(text, width))
}

fn blanks(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_take_two_columns_and_marks_none() {
        for (text, width) in [("", 0), ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("ü", 1)] {
            assert_eq!(columns(text), width, "{text}");
        }
        assert_eq!(left("漢", 4) + "|", "漢  |");
        assert_eq!(right("漢", 4), "  漢");
        assert_eq!(left("longer", 3), "longer");
    }
}
