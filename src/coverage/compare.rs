//! Matches formats of the kernel with the messages of the catalogue.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{Shape, example};
use crate::event::envelope::Envelope;
use crate::pattern::Patterns;
use crate::pattern::form::{self, Form};
use crate::pattern::matcher::Matcher;
use crate::pattern::message::{Message, Printer};

/// The sources of messages that are printed by the kernel.
const PRINTERS: [Printer; 4] = [Printer::Amdgpu, Printer::Drm, Printer::Ttm, Printer::Kernel];
/// Texts to try for a `%s` in a message: a ring, a word, a number, a request.
const TEXTS: [&str; 4] = ["gfx_0.0.0", "word", "7", "ADD_QUEUE"];

/// One form of a message.
#[derive(Debug)]
struct Look {
    message: usize,
    /// The index of its form; `None` for a sample line with values, as opposed to a format.
    form: Option<usize>,
    shape: Shape,
    /// The number of letters in the words of its literal text.
    letters: usize,
}

/// A message that a format of the kernel can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Likeness {
    /// Its index.
    pub message: usize,
    /// Its form with the same literal text; `None` if the texts differ in a part that one of them
    /// leaves to a conversion.
    pub same: Option<usize>,
}

/// The messages that a kernel prints, prepared for comparison with its formats.
#[derive(Debug)]
pub(crate) struct Catalogue<'p> {
    matcher: Matcher<'p>,
    looks: Vec<Look>,
    by_word: BTreeMap<String, Vec<usize>>,
}

impl<'p> Catalogue<'p> {
    /// The messages of `patterns` for which `of_interest` holds.
    pub(crate) fn new(patterns: &'p Patterns, of_interest: impl Fn(usize) -> bool) -> Self {
        let mut catalogue =
            Self { matcher: patterns.matcher(), looks: Vec::new(), by_word: BTreeMap::new() };
        for (at, message) in patterns.messages.iter().enumerate() {
            let is_kernels = message.from.iter().any(|printer| PRINTERS.contains(printer));
            if is_kernels && of_interest(at) {
                catalogue.add(at, message);
            }
        }
        catalogue
    }

    fn add(&mut self, message: usize, definition: &Message) {
        let mut has_expression = false;
        for (at, form) in definition.forms.iter().enumerate() {
            match format_of(form) {
                Some(format) => self.look(message, Some(at), Shape::of_format(format)),
                // A regular expression has no text to compare; the samples are used instead.
                None => has_expression = true,
            }
        }
        for sample in definition.samples.iter().filter(|_| has_expression) {
            self.look(message, None, Shape::of_text(sample));
        }
    }

    fn look(&mut self, message: usize, form: Option<usize>, shape: Shape) {
        let words = shape.words();
        let look = Look { message, form, letters: letters(&words), shape };
        for word in words {
            self.by_word.entry(word).or_default().push(self.looks.len());
        }
        self.looks.push(look);
    }

    /// The messages that `format` can be, judged by the literal texts.
    pub(crate) fn alike(&self, format: &str) -> BTreeSet<Likeness> {
        let shape = Shape::of_format(format);
        let words = shape.words();
        let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
        for word in &words {
            for at in self.by_word.get(word).into_iter().flatten() {
                *shared.entry(*at).or_default() += word.len();
            }
        }
        let own = letters(&words);
        let looks =
            shared.into_iter().filter_map(|(at, shared)| Some((self.looks.get(at)?, shared)));
        // Only forms with common words are compared letter by letter.
        let near = looks.filter(|(look, shared)| {
            let most = if look.form.is_none() { own } else { own.max(look.letters) };
            shared * 5 >= most * 2
        });
        near.filter_map(|(look, _)| likeness(&shape, look)).collect()
    }

    /// The messages that match an example line of `format`.
    pub(crate) fn recognised(&self, format: &str) -> BTreeSet<usize> {
        let texts = if format.contains('%') { &TEXTS[..] } else { &TEXTS[..1] };
        let mut found = BTreeSet::new();
        for text in texts {
            let line = example(format, text);
            found.extend(self.matcher.all(Envelope::open(&line).body, &PRINTERS));
        }
        found
    }
}

/// The format of a form; `None` for a regular expression.
fn format_of(form: &Form) -> Option<&str> {
    match &form.shape {
        form::Shape::Format { text, .. } => Some(text),
        form::Shape::Regex { .. } => None,
    }
}

fn letters(words: &[String]) -> usize {
    words.iter().map(String::len).sum()
}

/// Conversions match anything in their place, so enough of the literal text must agree: half of it,
/// or more if there is only a word (`%s failed`).
fn likeness(format: &Shape, look: &Look) -> Option<Likeness> {
    const SEVERAL_WORDS: usize = 12;
    let literals = [format.literals(), look.shape.literals()];
    let most = literals[0].max(literals[1]);
    let common = format.common(&look.shape)?;
    let enough = if common < SEVERAL_WORDS { most * 7 } else { most * 5 };
    let is_same = literals == [common; 2];
    (common > 0 && common * 10 >= enough)
        .then(|| Likeness { message: look.message, same: look.form.filter(|_| is_same) })
}

/// The lines that a format prints, trimmed, without the prefixes that amdtriage removes from
/// messages.
pub(crate) fn lines(format: &str) -> Vec<String> {
    let lines = format.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| Envelope::open(line).body.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of the built-in catalogue that match a format.
    fn ids(format: &str) -> Vec<String> {
        let patterns = crate::builtin::patterns();
        let catalogue = Catalogue::new(&patterns, |_| true);
        let lines = lines(format);
        let of_line = |line: &String| {
            let alike = catalogue.alike(line).into_iter().map(|like| like.message);
            alike.chain(catalogue.recognised(line)).collect::<BTreeSet<usize>>()
        };
        let found: BTreeSet<usize> = lines.iter().flat_map(of_line).collect();
        found.iter().filter_map(|at| Some(patterns.messages.get(*at)?.id.clone())).collect()
    }

    #[test]
    fn equal_text_differs_from_similar_text() {
        let patterns = crate::builtin::patterns();
        let catalogue = Catalogue::new(&patterns, |_| true);
        let is_same = |format| catalogue.alike(format).iter().any(|like| like.same.is_some());
        assert!(is_same("ring %s timeout, signaled seq=%u, emitted seq=%u"));
        assert!(!is_same("ring gfx timeout, signaled seq=%u, emitted seq=%u"));
    }

    #[test]
    fn formats_are_found_in_the_catalogue() {
        for (format, id) in [
            ("ring %s timeout, signaled seq=%u, emitted seq=%u\n", "ring-timeout"),
            ("[drm] ring %s timeout, but soft recovered\n", "ring-timeout-soft-recovered"),
            ("amdgpu: GPU reset(%d) succeeded!\n", "gpu-reset-succeeded-count"),
            ("GPU reset begin!\n", "gpu-reset-begin"),
            ("MES failed to respond to msg=%s\n", "mes-no-response-named"),
            ("\t MORE_FAULTS: 0x%lx\n", "gpuvm-fault-more"),
        ] {
            assert!(ids(format).iter().any(|found| found == id), "{format}: {:?}", ids(format));
        }
        for format in ["%s failed\n", "%s", "%s: %d\n", "", "a text of nobody's\n"] {
            assert_eq!(ids(format), Vec::<String>::new(), "{format}");
        }
    }
}
