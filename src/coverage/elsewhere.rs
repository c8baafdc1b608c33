//! Finds messages whose words also occur in other parts of the kernel: such a line without a prefix
//! is not known to be the driver's.

use std::fs;
use std::path::Path;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use serde::Serialize;

use super::format::pieces;
use super::literal::decoded;
use super::macros::constant;
use super::token::{Kind, Tokens};
use super::tree::{self, DRIVER, Unread, is_read};
use crate::event::envelope::Envelope;
use crate::pattern::Patterns;
use crate::pattern::form::Shape;
use crate::pattern::message::{Message, Printer};

/// A message that is not said to be shared, and one of the places that say it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct SharedWords {
    /// Its id.
    pub message: String,
    /// The format whose words occur there.
    pub format: String,
    /// The file, from the tree's root.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    /// The value.
    pub text: String,
}

/// A format and its literal parts, in order, with whitespace collapsed.
struct SearchedFormat<'p> {
    message: &'p Message,
    format: &'p str,
    parts: Vec<String>,
    /// Whether it begins and ends with literal text.
    fixed: [bool; 2],
}

/// Searches the C files below `root` for the words of messages that are not marked as shared. The
/// directories of the code that prints a message are skipped: the driver's, and for messages of the
/// core also the core's. Regular expressions are not searched for.
pub(crate) fn search(
    root: &Path,
    patterns: &Patterns,
    unread: &mut Vec<Unread>,
) -> Vec<SharedWords> {
    let wanted: Vec<SearchedFormat<'_>> = patterns.messages.iter().flat_map(wanted).collect();
    // The longest literal part of each format is the search key.
    let keys = wanted.iter().map(|one| one.parts.iter().max_by_key(|part| part.len()));
    let automaton = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(keys.map(|key| key.map_or("", String::as_str)));
    // Construction fails only beyond a number of states that no catalogue reaches.
    let Ok(automaton) = automaton else { return Vec::new() };
    let mut search = Search { wanted, automaton, found: Vec::new() };
    search.found.resize_with(search.wanted.len(), || None);
    search.folder(root, "", tree::DEEPEST, unread);
    // Each message once, with the first of its formats.
    let mut found: Vec<SharedWords> = search.found.into_iter().flatten().collect();
    found.dedup_by(|later, first| later.message == first.message);
    found
}

/// The formats of a message that is recognised without a prefix.
fn wanted(message: &Message) -> impl Iterator<Item = SearchedFormat<'_>> {
    let of_drivers = [Printer::Amdgpu, Printer::Drm, Printer::Ttm];
    let is_told = !message.shared && message.from.iter().any(|one| of_drivers.contains(one));
    let forms = message.forms.iter().filter(move |_| is_told);
    let mut formats: Vec<&str> = forms
        .filter_map(|form| match &form.shape {
            Shape::Format { text, .. } => Some(text.as_str()),
            Shape::Regex { .. } => None,
        })
        .collect();
    formats.dedup();
    let wanted = move |format| SearchedFormat::new(message, format);
    formats.into_iter().map(wanted).filter(|wanted| !wanted.parts.is_empty())
}

/// The texts between the conversions of a format, including spaces around them.
fn parts(format: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for (piece, conversion) in pieces(format) {
        match parts.last_mut() {
            Some(part) if conversion.is_none() => part.push_str(piece),
            _ => parts.push(String::new()),
        }
    }
    let last = parts.len().saturating_sub(1);
    let ended = parts.iter().enumerate().map(|(at, part)| {
        let part = folded(part);
        let part = if at == 0 { part.trim_start() } else { part.as_str() };
        (if at == last { part.trim_end() } else { part }).to_owned()
    });
    ended.filter(|part| !part.is_empty()).collect()
}

/// `text` with whitespace collapsed to single spaces.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_whitespace() {
            folded.push(c);
        } else if !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    folded
}

impl<'p> SearchedFormat<'p> {
    fn new(message: &'p Message, format: &'p str) -> Self {
        let pieces = pieces(format);
        let fixed =
            [pieces.first(), pieces.last()].map(|end| end.is_some_and(|end| end.1.is_none()));
        Self { message, format, parts: parts(format), fixed }
    }

    /// Whether the file `path` belongs to the code that prints the message.
    fn is_at_home(&self, path: &str) -> bool {
        let core = [Printer::Drm, Printer::Ttm];
        let of_core = self.message.from.iter().any(|printer| core.contains(printer));
        let below = path.strip_prefix(DRIVER).is_some_and(|rest| rest.starts_with('/'));
        below || of_core && (is_read(path) || path.starts_with("include/drm/"))
    }

    /// Whether `text` contains all parts in order, as separate words, and otherwise only a prefix,
    /// punctuation and values.
    fn stands_in(&self, text: &str) -> bool {
        let [begins, ends] = self.fixed;
        let first = self.parts.first().map_or("", String::as_str);
        let mut starts = text.match_indices(first).map(|(at, _)| text.split_at(at));
        starts.any(|(before, text)| {
            let clean =
                !begins || before.is_empty() || PREFIX_ENDS.iter().any(|end| before.ends_with(end));
            let apart = is_apart(before.chars().next_back(), first.chars().next());
            let behind = (clean && apart).then(|| self.rest_after_parts(text)).flatten();
            behind.is_some_and(|behind| !ends || !has_words(behind))
        })
    }

    /// The rest of `text` after the last part.
    fn rest_after_parts<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.parts.iter().enumerate().try_fold(text, |rest, (index, part)| {
            // Between two parts a conversion prints at least one character.
            let found = rest.match_indices(part.as_str());
            let mut found = found.filter(|(at, _)| index == 0 || *at > 0);
            found.find_map(|(at, _)| {
                let (before, behind) = (rest.get(..at)?, rest.get(at + part.len()..)?);
                let apart = is_apart(before.chars().next_back(), part.chars().next())
                    && is_apart(part.chars().next_back(), behind.chars().next());
                apart.then_some(behind)
            })
        })
    }
}

/// The ends of prefixes that drivers or devices print.
const PREFIX_ENDS: [&str; 4] = [": ", "] ", ") ", "%s "];

/// Whether a format has letters outside its conversions.
fn has_words(format: &str) -> bool {
    let text = |(piece, conversion): &(&str, Option<_>)| {
        conversion.is_none() && piece.contains(char::is_alphabetic)
    };
    pieces(format).iter().any(text)
}

/// Whether there is a word boundary between two characters.
fn is_apart(one: Option<char>, other: Option<char>) -> bool {
    let is_letter = |c: Option<char>| c.is_some_and(char::is_alphabetic);
    !(is_letter(one) && is_letter(other))
}

struct Search<'p> {
    wanted: Vec<SearchedFormat<'p>>,
    automaton: AhoCorasick,
    /// The first place where each format was found.
    found: Vec<Option<SharedWords>>,
}

impl Search<'_> {
    /// Searches a directory, file by file in the order of names, without following links.
    fn folder(&mut self, root: &Path, folder: &str, depth: usize, unread: &mut Vec<Unread>) {
        let entries =
            fs::read_dir(root.join(folder)).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => return unread.push(Unread::new(folder, &error)),
        };
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let path =
                if folder.is_empty() { name.into_owned() } else { format!("{folder}/{name}") };
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth > 0 && !tree::is_left_out(&path) && path != DRIVER {
                self.folder(root, &path, depth - 1, unread);
            } else if kind.is_file() && tree::is_code(&path) {
                match tree::text(&entry.path(), tree::LARGEST_FILE) {
                    Ok(text) => self.file(&path, &text),
                    Err(error) => unread.push(Unread::new(&path, &error)),
                }
            }
        }
    }

    fn file(&mut self, path: &str, text: &str) {
        let mut joined = String::new();
        let mut begin = 0;
        for token in Tokens::new(0, text) {
            match token.kind {
                Kind::Text => {
                    if joined.is_empty() {
                        begin = token.line;
                    }
                    joined.push_str(&decoded(token.text));
                }
                Kind::Blank | Kind::Newline | Kind::Comment => {}
                Kind::Word if constant(token.text).is_some() => {
                    joined.push_str(constant(token.text).unwrap_or_default());
                }
                _ if joined.is_empty() => {}
                _ => self.literal(path, begin, &std::mem::take(&mut joined)),
            }
        }
        self.literal(path, begin, &joined);
    }

    /// Searches for the formats in the text of a literal, which may have several lines.
    fn literal(&mut self, path: &str, line: usize, text: &str) {
        for text in text.lines().map(|line| folded(line.trim())) {
            for hit in self.automaton.find_overlapping_iter(&text) {
                let at = hit.pattern().as_usize();
                let (Some(wanted), Some(slot)) = (self.wanted.get(at), self.found.get_mut(at))
                else {
                    continue;
                };
                if slot.is_none() && !wanted.is_at_home(path) && wanted.stands_in(&text) {
                    *slot = Some(SharedWords {
                        message: wanted.message.id.clone(),
                        format: wanted.format.to_owned(),
                        path: path.to_owned(),
                        line,
                        text: Envelope::open(&text).body.to_owned(),
                    });
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stands(format: &str, text: &str) -> bool {
        let patterns = crate::builtin::patterns();
        let message = patterns.messages.get(0).unwrap();
        SearchedFormat::new(message, format).stands_in(text)
    }

    #[test]
    fn the_words_of_a_format_stand_in_another_one() {
        for (format, text, want) in [
            (
                "failed to wait for %{_:s}: %{errno:d}",
                "wl%d: failed to wait for resume: %ld.",
                true,
            ),
            ("ring %{ring:s} timeout", "no packets during keepalive timeout", false),
            ("ring %{ring:s} timeout", "dp mon ring purge timeout", false),
            ("ring %{ring:s} timeout", "radeon: ring %d timeout (%d)", true),
            ("Failed to map Queue", "Failed to map Queue Controller area.", false),
            ("%{error:s} detected", "undetected", false),
            ("a  %{n:d}  b", "a %u b", true),
            ("b %{n:d} a", "a %u b", false),
            ("no parser %{errno:d}!", "no parser !", false),
            ("ring %{ring:s} test failed", "ib ring test failed (%d).", false),
            ("100%% of %{n:d}", "100%% of it", true),
        ] {
            assert_eq!(stands(format, text), want, "{format} in {text}");
        }
    }
}
