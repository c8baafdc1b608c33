//! Wraps text into lines.

use owo_colors::{OwoColorize, Style};

use super::style;
use crate::document::text::{Piece, Text};
use crate::document::untrusted::Untrusted;
use crate::document::width::columns;

/// A unit that stays on one line: parts of words, each with its style.
pub(super) type Chunk = Vec<(String, Option<Style>)>;

/// Splits `text` where a line may end: at words, and around code together with the characters next
/// to it.
pub(super) fn chunks(text: &Text) -> Vec<Chunk> {
    split(text, |piece| matches!(piece, Piece::Code(_) | Piece::Address(_)))
}

/// Splits `text` at words, also within code: for the narrow columns of a table.
pub(super) fn words(text: &Text) -> Vec<Chunk> {
    split(text, |_| false)
}

fn split(text: &Text, stays_whole: impl Fn(&Piece) -> bool) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut glued = false;
    for piece in text.pieces() {
        let words = Untrusted(piece.words()).to_string();
        let style = match piece {
            Piece::Plain(_) | Piece::Code(_) | Piece::Address(_) | Piece::Reference { .. } => None,
            Piece::Strong(_) => Some(Style::new().bold()),
            Piece::Toned(tone, _) => Some(style(*tone)),
        };
        let whole = stays_whole(piece);
        let parts: Vec<&str> =
            if whole { vec![words.as_str()] } else { words.split_whitespace().collect() };
        let follows = glued && (whole || !words.starts_with(char::is_whitespace));
        for (index, part) in parts.into_iter().enumerate() {
            let part = (part.to_owned(), style);
            match chunks.last_mut().filter(|_| follows && index == 0) {
                Some(last) => last.push(part),
                None => chunks.push(vec![part]),
            }
        }
        if !words.is_empty() {
            glued = !words.ends_with(char::is_whitespace);
        }
    }
    chunks
}

/// Fills lines with `chunks`; a line exceeds `width` only if a single chunk does.
pub(super) fn filled(chunks: &[Chunk], width: usize, colour: bool) -> Vec<String> {
    filled_lines(chunks, width, colour).into_iter().map(|line| line.shown).collect()
}

/// A line as it is shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) shown: String,
    /// The same without colours.
    pub(super) plain: String,
    /// Its width in columns.
    pub(super) width: usize,
}

/// As [`filled`], with the widths of the lines.
pub(super) fn filled_lines(chunks: &[Chunk], width: usize, colour: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut line = Line::default();
    for chunk in chunks {
        let wide = chunk_width(chunk);
        if line.width > 0 && line.width + 1 + wide > width {
            lines.push(std::mem::take(&mut line));
        }
        if line.width > 0 {
            line.shown.push(' ');
            line.plain.push(' ');
            line.width += 1;
        }
        for (part, style) in chunk {
            line.plain.push_str(part);
            match style.filter(|_| colour) {
                Some(style) => line.shown.push_str(&part.style(style).to_string()),
                None => line.shown.push_str(part),
            }
        }
        line.width += wide;
    }
    lines.push(line);
    lines
}

/// The width of `chunk` in columns.
pub(super) fn chunk_width(chunk: &Chunk) -> usize {
    chunk.iter().map(|(part, _)| columns(part)).sum()
}

/// Fills lines of at most `width` columns with `words`; one that is longer is broken, after
/// punctuation if possible.
pub(super) fn broken(words: Vec<Chunk>, width: usize, colour: bool) -> Vec<Line> {
    let mut fitting = Vec::new();
    for word in words {
        if chunk_width(&word) <= width {
            fitting.push(word);
            continue;
        }
        let style = word.iter().find_map(|(_, style)| *style);
        let word: String = word.into_iter().map(|(part, _)| part).collect();
        let mut rest = word.as_str();
        while !rest.is_empty() {
            let (part, after) = rest.split_at(break_in(rest, width));
            fitting.push(vec![(part.to_owned(), style)]);
            rest = after;
        }
    }
    filled_lines(&fitting, width, colour)
}

/// Where to break `word` so that its first part fits `width` columns: at least one character.
fn break_in(word: &str, width: usize) -> usize {
    let fits = start_of(word, width).len();
    if fits == word.len() {
        return fits;
    }
    let after = word.get(..fits).and_then(|start| start.rfind(['/', '-', '_', ',', '=', ':']));
    let least = word.chars().next().map_or(0, char::len_utf8);
    after.map_or(fits, |at| at + 1).max(least)
}

/// As much of `text` as fits `width` columns, marked where it was cut. The end of a line stays,
/// because register values, names and error codes stand there.
pub(super) fn cut(text: &str, width: usize) -> String {
    if columns(text) <= width {
        return text.to_owned();
    }
    let tail = if width < WITH_AN_END { "" } else { end_of(text, width * 2 / 5) };
    let head = start_of(text, width.saturating_sub(columns(tail) + 1));
    format!("{}…{tail}", if tail.is_empty() { head } else { head.trim_end() })
}

/// As [`cut`], and so that the first part of `keep` is seen, and as many others as possible.
pub(super) fn cut_around(text: &str, keep: &[String], width: usize) -> String {
    let from = |at: usize| match at {
        0 => cut(sentences(text, width), width),
        at => {
            let room = width.saturating_sub(1);
            format!("…{}", cut(sentences(text.get(at..).unwrap_or(text), room), room))
        }
    };
    let seen = |shown: &String| {
        let mut each = keep.iter().map(|part| shown.contains(part.as_str()));
        let first = each.next().unwrap_or_default();
        (first, each.filter(|is_seen| *is_seen).count())
    };
    let begins = keep.iter().filter_map(|part| text.find(part.as_str()));
    let all = std::iter::once(0).chain(begins).map(from);
    // The first of equals.
    all.reduce(|best, other| if seen(&other) > seen(&best) { other } else { best })
        .unwrap_or_default()
}

/// The first sentences of a text that is more than twice as long as `width`, if they fill half of
/// it: its end is far from what it is about.
pub(super) fn sentences(text: &str, width: usize) -> &str {
    if columns(text) <= 2 * width {
        return text;
    }
    let ends = text.match_indices(". ").map(|(at, _)| text.split_at(at + 1).0);
    let fitting = ends.take_while(|head| columns(head) <= width).last();
    fitting.filter(|head| columns(head) >= width / 2).unwrap_or(text)
}

/// In fewer columns, only the beginning of a line is shown.
const WITH_AN_END: usize = 40;

/// As much of the beginning of `text` as fits `width` columns.
fn start_of(text: &str, width: usize) -> &str {
    let mut used = 0;
    let over = text.char_indices().find(|(_, c)| {
        used += columns(c.encode_utf8(&mut [0; 4]));
        used > width
    });
    text.split_at(over.map_or(text.len(), |(at, _)| at)).0
}

/// As many words of the end of `text`, with the space before them, as fit `width` columns; a part of
/// a word that is longer.
fn end_of(text: &str, width: usize) -> &str {
    let mut used = 0;
    let within = text.char_indices().rev().take_while(|(_, c)| {
        used += columns(c.encode_utf8(&mut [0; 4]));
        used <= width
    });
    let end = text.split_at(within.last().map_or(text.len(), |(at, _)| at)).1;
    end.find(' ').map_or(end, |space| end.split_at(space).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::instruction::Instruction;

    #[test]
    fn a_command_is_never_wrapped() {
        let sentence = "Then look: (`cat /proc/cmdline | wc -l`), and `uname -r` prints 6.8";
        let sentence = Text::from(&Instruction::parse(sentence).unwrap());
        let lines = filled(&chunks(&sentence), 33, false);
        let want = ["Then look:", "(cat /proc/cmdline | wc -l), and", "uname -r prints 6.8"];
        assert_eq!(lines, want);
    }

    #[test]
    fn what_is_cut_fits_and_shows_it() {
        for (text, width, want) in [
            ("short", 5, "short"),
            ("longer", 5, "long…"),
            ("漢字漢字", 5, "漢字…"),
            ("ab", 0, "…"),
        ] {
            assert_eq!(cut(text, width), want);
        }
    }

    #[test]
    fn what_decides_stays_in_a_line_that_is_cut() {
        let line = "Callback: Queue 0x7fc220400000 aborting with error : HSA_STATUS_ERROR_MEMORY_APERTURE: too far. code: 0x29";
        let keep = ["HSA_STATUS_ERROR_MEMORY_APERTURE".to_owned(), "aborting with".to_owned()];
        let kept = cut_around(line, &keep, 60);
        assert!(kept.starts_with("…HSA_STATUS_ERROR_MEMORY_APERTURE"), "{kept}");
        assert!(columns(&kept) <= 60, "{kept}");
        let wide = cut_around(line, &keep, 90);
        assert!(keep.iter().all(|part| wide.contains(part.as_str())), "{wide}");
        assert_eq!(cut_around(line, &[], 60), cut(line, 60));
        assert_eq!(cut_around("short", &keep, 60), "short");
    }

    #[test]
    fn the_end_of_a_line_stays() {
        let line = "ring gfx_0.0.0 timeout, signaled seq=18220914, emitted seq=18220916";
        for (width, want) in
            [(50, "ring gfx_0.0.0 timeout, signale… emitted seq=18220916"), (67, line)]
        {
            let kept = cut(line, width);
            assert!(columns(&kept) <= width, "{kept}");
            assert!(kept == want || kept.ends_with("… seq=18220916"), "{kept}");
        }
        let address = format!("unable to handle page fault at{}", "0".repeat(60));
        assert!(cut(&address, 50).ends_with("00"));
    }
}
