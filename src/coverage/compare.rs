//! Which messages of the catalogue a format of the kernel is.

use std::collections::{BTreeMap, BTreeSet};

use super::format::{Shape, example};
use crate::event::envelope::Envelope;
use crate::pattern::Patterns;
use crate::pattern::form::{self, Form};
use crate::pattern::matcher::Matcher;
use crate::pattern::message::{Message, Printer};

/// Who prints what a kernel's source holds.
const PRINTERS: [Printer; 4] = [Printer::Amdgpu, Printer::Drm, Printer::Ttm, Printer::Kernel];
/// What a text in a message may be: a ring, a word, a number, a request.
const TEXTS: [&str; 4] = ["gfx_0.0.0", "word", "7", "ADD_QUEUE"];

/// Something that a message can look like.
#[derive(Debug)]
struct Look {
    message: usize,
    shape: Shape,
    /// How many letters the words of its literal text have.
    letters: usize,
    /// Whether it is a line with values, not a format.
    is_sample: bool,
}

/// The messages that a kernel prints, ready to be compared with its formats.
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
        for form in &definition.forms {
            match format_of(form) {
                Some(format) => self.look(message, Shape::of_format(format), false),
                // An expression has no text to compare; the samples stand for it.
                None => has_expression = true,
            }
        }
        for sample in definition.samples.iter().filter(|_| has_expression) {
            self.look(message, Shape::of_text(sample), true);
        }
    }

    fn look(&mut self, message: usize, shape: Shape, is_sample: bool) {
        let words = shape.words();
        let look = Look { message, letters: letters(&words), shape, is_sample };
        for word in words {
            self.by_word.entry(word).or_default().push(self.looks.len());
        }
        self.looks.push(look);
    }

    /// The messages that `format` can be, by what both say.
    pub(crate) fn alike(&self, format: &str) -> BTreeSet<usize> {
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
        // Comparing letter by letter is for those that have words in common.
        let near = looks.filter(|(look, shared)| {
            let most = if look.is_sample { own } else { own.max(look.letters) };
            shared * 5 >= most * 2
        });
        near.filter(|(look, _)| is_alike(&shape, look)).map(|(look, _)| look.message).collect()
    }

    /// The messages that amdtriage takes an example of `format` for.
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

/// The format that a form is; `None` where it is a regular expression.
fn format_of(form: &Form) -> Option<&str> {
    match &form.shape {
        form::Shape::Format { text, .. } => Some(text),
        form::Shape::Regex { .. } => None,
    }
}

fn letters(words: &[String]) -> usize {
    words.iter().map(String::len).sum()
}

/// Values are taken for whatever the other side has in their place, so enough of the text has to be
/// the same: half of it, or more where that is only a word (`%s failed`).
fn is_alike(format: &Shape, look: &Look) -> bool {
    const SEVERAL_WORDS: usize = 12;
    let most = format.literals().max(look.shape.literals());
    format.common(&look.shape).is_some_and(|common| {
        let enough = if common < SEVERAL_WORDS { most * 7 } else { most * 5 };
        common > 0 && common * 10 >= enough
    })
}

/// The lines that a format prints, without blanks around them and without what amdtriage takes off
/// the front of a message.
pub(crate) fn lines(format: &str) -> Vec<String> {
    let lines = format.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.map(|line| Envelope::open(line).body.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The messages of the built-in catalogue that a format is.
    fn ids(format: &str) -> Vec<String> {
        let patterns = crate::builtin::patterns();
        let catalogue = Catalogue::new(&patterns, |_| true);
        let lines = lines(format);
        let of_line = |line: &String| {
            let mut found = catalogue.alike(line);
            found.extend(catalogue.recognised(line));
            found
        };
        let found: BTreeSet<usize> = lines.iter().flat_map(of_line).collect();
        found.iter().filter_map(|at| Some(patterns.messages.get(*at)?.id.clone())).collect()
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
