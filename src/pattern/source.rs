//! Pattern files as text, and mistakes in them with location and hint.

use std::cell::RefCell;
use std::fmt;
use std::ops::Range;

use strum::IntoStaticStr;

use crate::value::KernelVersion;

/// A pattern file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path as shown to users; built-in files are below `patterns/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A location in one of the files being loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileSpan {
    pub file: usize,
    /// The offset of the first byte.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl FileSpan {
    /// A range of bytes in file number `file`.
    pub(crate) const fn new(file: usize, span: &Range<usize>) -> Self {
        Self { file, start: span.start, end: span.end }
    }
}

/// A mistake in a pattern file.
///
/// Prints like compiler errors: message, location, the line with the text underlined, hint.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mistake {
    /// The file.
    pub(crate) path: String,
    /// The line number, from 1.
    pub(crate) line: usize,
    /// The column in characters, from 1.
    pub(crate) column: usize,
    /// The message, in one sentence without a full stop.
    pub(crate) what: String,
    /// What to write instead, if known.
    pub(crate) hint: Option<String>,
    text: String,
    width: usize,
}

impl Mistake {
    fn new(file: &SourceFile, place: FileSpan, what: String, hint: Option<String>) -> Self {
        let start = floor(&file.text, place.start);
        let end = floor(&file.text, place.end).max(start);
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

/// The nearest character boundary at or before `at`.
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
        // The marks are aligned only if the same tabs precede them.
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

/// The kinds of names in pattern files. The words appear in error messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Noun {
    Message,
    Signature,
    /// A piece of advice.
    Advice,
    /// A machine state, a known kernel, a known firmware.
    State,
    Tracker,
    /// A term of the glossary.
    Term,
    /// A parameter of amdgpu.
    Parameter,
    /// A chip, by its gfx target or a pattern of targets.
    Chip,
    /// A family of chips.
    Family,
    Distribution,
}

/// A name, its kind and its location.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    /// Its kind.
    pub noun: Noun,
    /// The name as written.
    pub text: String,
    /// Its location.
    pub place: FileSpan,
}

/// The files being loaded, the mistakes found so far, and the names to be resolved when all files
/// are read.
#[derive(Debug)]
pub(crate) struct Sources<'f> {
    pub files: &'f [SourceFile],
    /// The kernel series in which hardware tables were checked: the last list that was read.
    pub checked: RefCell<Vec<KernelVersion>>,
    /// Names that entries define.
    pub given: RefCell<Vec<Name>>,
    /// Names that entries refer to.
    pub used: RefCell<Vec<Name>>,
    mistakes: RefCell<Vec<Mistake>>,
}

impl<'f> Sources<'f> {
    /// No mistake has been found in `files` yet.
    pub(crate) fn new(files: &'f [SourceFile], checked: &[KernelVersion]) -> Self {
        Self {
            files,
            checked: RefCell::new(checked.to_vec()),
            given: RefCell::default(),
            used: RefCell::default(),
            mistakes: RefCell::default(),
        }
    }

    /// Reports a mistake, optionally with a hint.
    pub(crate) fn mistake(&self, place: FileSpan, what: impl Into<String>, hint: Option<String>) {
        let Some(file) = self.files.get(place.file) else {
            unreachable!("places are made of the files that are loaded");
        };
        self.mistakes.borrow_mut().push(Mistake::new(file, place, what.into(), hint));
    }

    /// All mistakes, ordered by file and line.
    pub(crate) fn into_mistakes(self) -> Vec<Mistake> {
        let mut mistakes = self.mistakes.into_inner();
        mistakes.sort();
        mistakes.dedup();
        mistakes
    }
}

/// `did you mean …`, if one of `known` is similar to `word`; otherwise lists all of them.
pub(crate) fn hint<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let all = || format!("known here: {}", known.join(", "));
    suggestion(word, known.iter().copied()).unwrap_or_else(all)
}

/// `did you mean …`, if one of `known` is similar to `word`.
pub(crate) fn suggestion<'k>(
    word: &str,
    known: impl IntoIterator<Item = &'k str>,
) -> Option<String> {
    nearest(word, known).map(|candidate| format!("did you mean `{candidate}`?"))
}

/// The one of `known` that is most similar to `word`, if it is similar enough.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let limit = (word.len() / 3).max(1);
    known
        .into_iter()
        .map(|candidate| (strsim::levenshtein(word, candidate), candidate))
        .filter(|(far, _)| *far <= limit)
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::pattern::Patterns;

    /// The mistakes of a pattern file that extends `patterns`, with their lines.
    pub(crate) fn mistakes(patterns: &Patterns, text: &str) -> Vec<String> {
        let file = SourceFile { path: "own.toml".to_owned(), text: text.to_owned() };
        let found = patterns.extended(&[file]).err().unwrap_or_default();
        found.iter().map(|one| format!("{}: {}", one.line, one.what)).collect()
    }

    #[test]
    fn a_mistake_points_at_its_text() {
        let files =
            [SourceFile { path: "a.toml".into(), text: "id = 1\n\tname = \"é\"\n".into() }];
        let sources = Sources::new(&files, &[]);
        let at = files[0].text.find("\"é\"").unwrap();
        let hint = Some("did you mean `e`?".to_owned());
        sources.mistake(FileSpan::new(0, &(at..at + 4)), "no such name", hint);
        let mistakes = sources.into_mistakes();
        assert_eq!((mistakes[0].line, mistakes[0].column), (2, 9));
        let printed = mistakes[0].to_string();
        assert_eq!(
            printed,
            "no such name\n --> a.toml:2:9\n  |\n2 | \tname = \"é\"\n  | \t       ^^^\n  = did you mean `e`?"
        );
    }

    #[test]
    fn a_position_past_the_end_or_inside_a_character_is_moved() {
        let files = [SourceFile { path: "a.toml".into(), text: "é".into() }];
        for span in [0..1, 1..9, 7..9] {
            let sources = Sources::new(&files, &[]);
            sources.mistake(FileSpan::new(0, &span), "wrong", None);
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
