//! Pattern files as text, and the mistakes found in them: where, what, and what to write instead.

use std::fmt;
use std::ops::Range;

/// A pattern file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path as people should see it; for built-in files below `patterns/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A place in one of the files that are being loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which file.
    pub file: usize,
    /// Which bytes of it.
    pub span: Range<usize>,
}

/// A value and the place where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// The place.
    pub place: Place,
}

/// Something in a pattern file that is wrong.
///
/// Prints as compilers print: the sentence, the place, the line with the text underlined, a hint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The file.
    pub path: String,
    /// The line, counted from 1.
    pub line: usize,
    /// The column in characters, counted from 1.
    pub column: usize,
    /// What is wrong, in one sentence without full stop.
    pub what: String,
    /// What to write instead, where that can be told.
    pub hint: Option<String>,
    text: String,
    width: usize,
}

impl Mistake {
    fn new(file: &SourceFile, span: &Range<usize>, what: String, hint: Option<String>) -> Self {
        let start = floor(&file.text, span.start);
        let end = floor(&file.text, span.end).max(start);
        let line_start = file.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = file.text[start..].find('\n').map_or(file.text.len(), |at| start + at);
        Self {
            path: file.path.clone(),
            line: file.text[..start].matches('\n').count() + 1,
            column: file.text[line_start..start].chars().count() + 1,
            what,
            hint,
            text: file.text[line_start..line_end].trim_end().to_owned(),
            width: file.text[start..end.min(line_end).max(start)].chars().count().max(1),
        }
    }
}

/// The nearest place at or before `at` that does not split a character.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let gutter = " ".repeat(number.len());
        // Tabs keep their width above the marks only if the marks are led by the same tabs.
        let lead: String = self
            .text
            .chars()
            .take(self.column - 1)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        writeln!(f, "{}", self.what)?;
        writeln!(f, "{gutter}--> {}:{}:{}", self.path, self.line, self.column)?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{number} | {}", self.text)?;
        write!(f, "{gutter} | {lead}{}", "^".repeat(self.width))?;
        match &self.hint {
            Some(hint) => write!(f, "\n{gutter} = {hint}"),
            None => Ok(()),
        }
    }
}

/// The files being loaded and the mistakes found so far.
#[derive(Debug)]
pub struct Sources<'f> {
    files: &'f [SourceFile],
    mistakes: Vec<Mistake>,
}

impl<'f> Sources<'f> {
    /// No mistake has been found in `files` yet.
    #[must_use]
    pub const fn new(files: &'f [SourceFile]) -> Self {
        Self { files, mistakes: Vec::new() }
    }

    /// The files.
    #[must_use]
    pub const fn files(&self) -> &'f [SourceFile] {
        self.files
    }

    /// Notes a mistake.
    pub fn mistake(&mut self, place: &Place, what: impl Into<String>) {
        self.add(place, what.into(), None);
    }

    /// Notes a mistake and what to write instead.
    pub fn mistake_with_hint(
        &mut self,
        place: &Place,
        what: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.add(place, what.into(), Some(hint.into()));
    }

    fn add(&mut self, place: &Place, what: String, hint: Option<String>) {
        if let Some(file) = self.files.get(place.file) {
            self.mistakes.push(Mistake::new(file, &place.span, what, hint));
        }
    }

    /// All mistakes, ordered by file and line.
    #[must_use]
    pub fn into_mistakes(mut self) -> Vec<Mistake> {
        self.mistakes.sort();
        self.mistakes.dedup();
        self.mistakes
    }
}

/// `did you mean …`, where one of `known` is close to `word`.
#[must_use]
pub fn suggestion<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(word, known).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// The one of `known` that is closest to `word`, if it is close.
#[must_use]
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let limit = (word.len() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(far, _)| *far <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

/// How many characters have to be changed, added or taken away.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let changed = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_points_at_its_text() {
        let files =
            [SourceFile { path: "a.toml".into(), text: "id = 1\n\tname = \"é\"\n".into() }];
        let mut sources = Sources::new(&files);
        let at = files[0].text.find("\"é\"").unwrap();
        sources.mistake_with_hint(
            &Place { file: 0, span: at..at + 4 },
            "no such name",
            "did you mean `e`?",
        );
        let mistakes = sources.into_mistakes();
        assert_eq!((mistakes[0].line, mistakes[0].column), (2, 9));
        let printed = mistakes[0].to_string();
        assert_eq!(
            printed,
            "no such name\n --> a.toml:2:9\n  |\n2 | \tname = \"é\"\n  | \t       ^^^\n  = did you mean `e`?"
        );
    }

    #[test]
    fn a_place_behind_the_end_or_inside_a_character_is_moved() {
        let files = [SourceFile { path: "a.toml".into(), text: "é".into() }];
        for span in [0..1, 1..9, 7..9] {
            let mut sources = Sources::new(&files);
            sources.mistake(&Place { file: 0, span }, "wrong");
            assert_eq!(sources.into_mistakes().len(), 1);
        }
    }

    #[test]
    fn near_words_are_suggested() {
        let known = ["ring-timeout", "reset-begin"];
        assert_eq!(suggestion("ring-timout", known).unwrap(), "did you mean `ring-timeout`?");
        assert_eq!(suggestion("page-fault", known), None);
    }
}
