//! Tables that programs print under a heading: `NAME  READY  NODE`. What stands in a column is
//! known by its heading.

use std::ops::Range;

use memchr::memmem;

use super::{Kind, Place};
use crate::pattern::privacy::PrivateColumn;

/// Minimum number of columns of a table.
const FEWEST: usize = 2;
/// Maximum number of columns: each heading is compared with all others.
const MOST: usize = 64;

/// Number of lines that are no rows after which a table has ended.
const STRANGERS: usize = 2;

/// Maximum length of a cell that is private, in bytes: that of a DNS name.
const LONGEST_VALUE: usize = 253;
/// Maximum length of a row, in bytes: a longer line is no row of a table.
const LONGEST: usize = 4096;

/// The headings that are known.
#[derive(Debug, Default)]
pub(super) struct Headings(Vec<PrivateColumn>);

/// A column with private values; positions are counted in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Column {
    kind: Kind,
    start: usize,
    end: usize,
    /// Where the next column begins.
    next: usize,
}

/// The columns of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    private: Vec<Column>,
    /// Where the headings stand, counted in characters.
    headings: Vec<Range<usize>>,
    /// Whether tabs divide the columns, so that they are not aligned.
    has_tabs: bool,
    /// Number of lines since the last row.
    strangers: usize,
}

impl Headings {
    pub(super) fn new(listed: &[PrivateColumn]) -> Self {
        Self(listed.to_vec())
    }

    /// The columns of a table, if the line is its heading.
    pub(super) fn read(&self, line: &str) -> Option<Columns> {
        if line.len() > LONGEST {
            return None;
        }
        // Few lines begin with a capital and have another one behind two blanks.
        let first = line.trim_start_matches([' ', '|']).as_bytes().first()?;
        first.is_ascii_uppercase().then_some(())?;
        memmem::find(line.as_bytes(), b"  ").or_else(|| line.find('\t'))?;
        let words = words(line);
        let is_heading = |(_, word): &(usize, &str)| {
            !word.starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit())
        };
        let is_table = (FEWEST..=MOST).contains(&words.len());
        (is_table && words.iter().all(is_heading)).then_some(())?;
        let has = |name: &str| words.iter().any(|(_, word)| word.eq_ignore_ascii_case(name));
        let column = |(index, &(start, word)): (usize, &(usize, &str))| {
            let is_this = |listed: &&PrivateColumn| {
                let with = listed.with.is_empty() || listed.with.iter().any(|name| has(name));
                with && listed.names.iter().any(|name| name.eq_ignore_ascii_case(word))
            };
            let kind = self.0.iter().find(is_this)?.kind;
            let next = words.get(index + 1).map_or(usize::MAX, |(next, _)| *next);
            Some(Column { kind, start, end: start + word.chars().count(), next })
        };
        let columns: Vec<Column> = words.iter().enumerate().filter_map(column).collect();
        let headings = words.iter().map(|&(start, word)| start..start + word.chars().count());
        (!columns.is_empty()).then(|| Columns {
            private: columns,
            headings: headings.collect(),
            has_tabs: line.contains('\t'),
            strangers: 0,
        })
    }
}

impl Columns {
    /// Adds the cells of a row that are private. Returns whether the table goes on.
    pub(super) fn row(&mut self, line: &str, places: &mut Vec<Place>) -> bool {
        if line.len() <= LONGEST && (self.has_tabs || self.is_row(line)) {
            self.strangers = 0;
            self.cells(line, places);
        } else {
            self.strangers += 1;
        }
        self.strangers < STRANGERS
    }

    /// Whether at least half of the columns that the line reaches begin or end where their headings
    /// do.
    fn is_row(&self, line: &str) -> bool {
        let chars: Vec<char> = line.trim_end().chars().collect();
        let is_blank = |at: usize| chars.get(at).is_none_or(|c| c.is_whitespace() || *c == '|');
        let is_aligned = |heading: &&Range<usize>| {
            let &Range { start, end } = *heading;
            is_blank(start - 1) || is_blank(end) && !is_blank(end - 1)
        };
        let others = self.headings.iter().skip(1);
        let reached: Vec<_> = others.filter(|heading| heading.start < chars.len()).collect();
        let aligned = reached.iter().copied().filter(is_aligned).count();
        aligned > 0 && aligned * 2 >= reached.len()
    }

    fn cells(&self, line: &str, places: &mut Vec<Place>) {
        let chars: Vec<(usize, char)> = line.char_indices().collect();
        let is_blank = |at: usize| chars.get(at).is_none_or(|(_, c)| c.is_whitespace());
        let byte = |at: usize| chars.get(at).map_or(line.len(), |(byte, _)| *byte);
        for &Column { kind, start, end, next } in &self.private {
            let Some(first) = (start..end).find(|&at| !is_blank(at)) else { continue };
            // A number that is set to the right begins before its heading.
            let first = (0..=first).rev().find(|&at| at == 0 || is_blank(at - 1)).unwrap_or(first);
            // The words of a title have single blanks between them.
            let whole = first == start && matches!(kind, Kind::Ssid | Kind::Volume);
            let ends = |at: usize| is_blank(at) && (!whole || is_blank(at + 1) || at + 1 >= next);
            let last = (first..chars.len()).find(|&at| ends(at)).unwrap_or(chars.len());
            let text = &line[byte(first)..byte(last)];
            if is_value(text) {
                places.push(Place { kind, range: byte(first)..byte(last), local: false });
            }
        }
    }
}

/// The words of a heading, with their positions: those with a single blank between them are one.
fn words(line: &str) -> Vec<(usize, &str)> {
    let mut words = Vec::new();
    let (mut at, mut rest) = (0, line);
    while !rest.is_empty() {
        let skipped = rest.trim_start_matches([' ', '\t', '|']);
        at += rest[..rest.len() - skipped.len()].chars().count();
        let end = skipped.find(['\t', ' ']).unwrap_or(skipped.len());
        if end > 0 {
            words.push((at, &skipped[..end]));
        }
        at += skipped[..end].chars().count();
        rest = &skipped[end..];
    }
    words
}

/// Whether a cell holds something, and no number.
fn is_value(text: &str) -> bool {
    (2..=LONGEST_VALUE).contains(&text.len())
        && text.chars().any(char::is_alphanumeric)
        && !text.starts_with(['<', '(', '/'])
        && !text.bytes().all(|byte| byte.is_ascii_digit() || b".:-".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_no_headings_and_no_rows() {
        let patterns = crate::builtin::patterns();
        let headings = Headings::new(&patterns.privacy.columns);
        let line = |count: usize| format!("NAME  NODE{}", " IP".repeat(count - 2));
        assert!(headings.read(&line(MOST)).is_some());
        assert!(headings.read(&line(MOST + 1)).is_none());

        let mut columns = headings.read("NAME  NODE  IP").expect("a heading");
        for (length, found) in [(20, 1), (LONGEST_VALUE + 1, 0), (LONGEST + 1, 0)] {
            let mut places = Vec::new();
            columns.row(&format!("pod   {}", "b".repeat(length)), &mut places);
            assert_eq!(places.len(), found, "{length}");
        }
    }

    #[test]
    fn other_lines_are_no_rows_and_end_the_table() {
        let patterns = crate::builtin::patterns();
        let headings = Headings::new(&patterns.privacy.columns);
        let mut columns =
            headings.read("NAME        READY   STATUS    RESTARTS").expect("a heading");
        let mut row = |line: &str| {
            let mut places = Vec::new();
            (columns.row(line, &mut places), places.len())
        };
        assert_eq!(row("trainer-0   1/1     Running          3"), (true, 1));
        assert_eq!(row("BOOT_IMAGE=/vmlinuz-6.12.9 root=/dev/nvme0n1p2 ro quiet"), (true, 0));
        assert_eq!(row("trainer-1   1/1     Running          0"), (true, 1));
        assert_eq!(row("Capabilities:"), (true, 0));
        assert_eq!(row("Asset Tag: none"), (false, 0));
    }
}
