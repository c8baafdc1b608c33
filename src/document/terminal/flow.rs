//! Wraps text into lines.

use owo_colors::Style;

use super::{inked, style};
use crate::document::shell::folded;
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
            Piece::Plain(_) | Piece::Address(_) | Piece::Reference { .. } => None,
            Piece::Strong(_) | Piece::Code(_) => Some(Style::new().bold()),
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
    kept_together(chunks)
}

/// Words that stay on one line with the number after them.
const NUMBERED: [&str; 4] = ["line", "lines", "pid", "step"];
/// Units, which stay on one line with the number before them.
const UNITS: [&str; 10] = ["s", "ms", "min", "h", "d", "KiB", "MiB", "GiB", "columns", "times"];

/// Joins what is read as one: `3 min 37 s`, `line 16`.
fn kept_together(chunks: Vec<Chunk>) -> Vec<Chunk> {
    let mut kept: Vec<Chunk> = Vec::new();
    for chunk in chunks {
        match kept.last_mut().filter(|last| is_one(last, &chunk)) {
            Some(last) => {
                let style = last.last().and_then(|(_, style)| *style);
                last.push((" ".to_owned(), style));
                last.extend(chunk);
            }
            None => kept.push(chunk),
        }
    }
    kept
}

/// Whether `before` and `after` are read as one.
fn is_one(before: &Chunk, after: &Chunk) -> bool {
    let whole = |chunk: &Chunk| chunk.iter().map(|(part, _)| part.as_str()).collect::<String>();
    let (before, after) = (whole(before), whole(after));
    let bare = |text: &str| text.trim_matches(|c: char| c.is_ascii_punctuation()).to_owned();
    let last = before.rsplit(' ').next().unwrap_or_default();
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let ends = before.ends_with([',', '.', ';', ':', ')']);
    let quantity = is_number(last) && UNITS.contains(&bare(&after).as_str());
    let more = before.contains(' ') && UNITS.contains(&last) && is_number(&after);
    let numbered = NUMBERED.contains(&bare(last).as_str()) && is_number(&after);
    !ends && (quantity || more || numbered)
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
    let (mut line, mut runs) = (Line::default(), Vec::new());
    let chunks = chunks.iter().flat_map(|chunk| fitting(chunk, width));
    for chunk in chunks {
        let wide = chunk_width(&chunk);
        if line.width > 0 && line.width + 1 + wide > width {
            lines.push(line.shown(&runs, colour));
            (line, runs) = (Line::default(), Vec::new());
        }
        if line.width > 0 {
            let next = chunk.first().and_then(|(_, style)| *style);
            let style =
                runs.last().and_then(|(_, style)| *style).filter(|last| next == Some(*last));
            extend(&mut runs, " ", style);
            line.width += 1;
        }
        for (part, style) in &chunk {
            extend(&mut runs, part, *style);
        }
        line.width += wide;
    }
    lines.push(line.shown(&runs, colour));
    lines
}

/// A chunk, or if it is a command that is too wide, the lines as which it can still be copied.
fn fitting(chunk: &Chunk, width: usize) -> Vec<Chunk> {
    let is_command = |(part, _): &(String, Option<Style>)| part.trim().contains(' ');
    let folds = chunk_width(chunk) > width && chunk.iter().any(is_command);
    if !folds {
        return vec![chunk.clone()];
    }
    let style = chunk.iter().find_map(|(_, style)| *style);
    let whole: String = chunk.iter().map(|(part, _)| part.as_str()).collect();
    folded(&whole, width).into_iter().map(|line| vec![(line, style)]).collect()
}

/// Appends `part`, to the last run if that has the same style: an escape sequence for every word
/// makes output longer than its text.
fn extend(runs: &mut Chunk, part: &str, style: Option<Style>) {
    match runs.last_mut().filter(|(_, last)| *last == style) {
        Some((run, _)) => run.push_str(part),
        None => runs.push((part.to_owned(), style)),
    }
}

impl Line {
    /// The same line with the text of `runs`.
    fn shown(mut self, runs: &Chunk, colour: bool) -> Self {
        for (run, style) in runs {
            self.plain.push_str(run);
            self.shown.push_str(&inked(run, style.filter(|_| colour)));
        }
        self
    }
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
            let rest = text.get(at..).unwrap_or(text);
            // Where the rest does not fill the line, it begins before.
            let rest = if columns(rest) < room { end_of(text, room) } else { rest };
            format!("…{}", cut(sentences(rest, room), room))
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
        let command = Text::from("Commands: ").and(Text::code("amdtriage explain kfd-access x"));
        let lines = filled(&chunks(&command), 28, false);
        assert_eq!(lines, ["Commands:", "amdtriage explain \\", "  kfd-access x"]);
    }

    #[test]
    fn a_quantity_and_a_numbered_word_are_never_broken() {
        let text =
            "MES hung (line 16) over 3 min 37 s, then python (pid 700) was 4.0 s late, 2 h on";
        let lines = filled(&chunks(&text.into()), 9, false);
        for whole in ["(line 16)", "3 min 37 s,", "(pid 700)", "4.0 s", "2 h"] {
            assert!(lines.iter().any(|line| line.contains(whole)), "{whole}: {lines:?}");
        }
        let lines = filled(&chunks(&"in line, 3 s".into()), 1, false);
        assert_eq!(lines, ["in", "line,", "3 s"]);
    }

    #[test]
    fn a_run_of_words_has_one_escape_sequence() {
        let text = Text::toned(crate::document::Tone::Quiet, "Read: dmesg, 3 lines")
            .and(" and ")
            .and(Text::toned(crate::document::Tone::Quiet, ""));
        let [line] = filled(&chunks(&text), 80, true).try_into().expect("one line");
        assert_eq!(line.matches('\u{1b}').count(), 2, "{line:?}");
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
        assert!(kept.contains("HSA_STATUS_ERROR_MEMORY_APERTURE"), "{kept}");
        assert!((50..=60).contains(&columns(&kept)), "{kept}");
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
