//! Matches texts with a prepared format, step by step.
//!
//! The result equals that of the regular expression `^[ \t]*…[ \t]*$` in which a space is `[ \t]+`
//! and a conversion is a group: `(.*?)` for text, digits for numbers. A test compares the two.

use memchr::{memchr, memchr2, memmem};

use super::prefix::rest_after;

/// A step: what a text must contain at some position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// This text. A space in it matches any run of spaces and tabs; it does not end with a space.
    Literal(String),
    /// As many bytes of a class as possible, or fewer if the rest needs them.
    Run(Run),
    /// An optional `0x`.
    Prefix,
    /// The shortest possible text.
    Text(usize),
    /// The text up to the end.
    Rest(usize),
    /// A text and the spaces after it, or nothing: an empty name leaves the spaces on both sides,
    /// or only one of them if a tool collapsed spaces.
    Name(usize),
    /// The start of a value with a fixed text.
    Begin(usize),
    /// The end of such a value.
    End(usize),
}

/// A run of bytes of one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) class: Class,
    /// Whether it may be empty.
    pub(super) optional: bool,
    pub(super) capture: Option<usize>,
    /// Whether the next step cannot begin with a byte of the class, so that only the longest run
    /// can match.
    pub(super) firm: bool,
}

impl Step {
    /// Whether it begins with mandatory spaces.
    fn begins_blank(&self) -> bool {
        match self {
            Self::Literal(text) => text.starts_with(' '),
            Self::Run(run) => run.class == Class::Blank && !run.optional,
            _ => false,
        }
    }
}

/// A class of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Spaces and tabs.
    Blank,
    /// Spaces.
    Padding,
    /// Decimal digits with a sign, or what a reporter replaced them with.
    Decimal,
    /// Hexadecimal digits, or what a reporter replaced them with.
    Hexadecimal,
    Word,
    /// What names of rings consist of: `gfx_0.0.0`. Some functions print them in angle brackets.
    Name,
}

impl Class {
    /// Whether `byte` can continue a run of this class.
    pub(super) fn has(self, byte: u8) -> bool {
        match self {
            Self::Blank => matches!(byte, b' ' | b'\t'),
            Self::Padding => byte == b' ',
            Self::Decimal => byte.is_ascii_digit() || is_placeholder_digit(byte),
            Self::Hexadecimal => byte.is_ascii_hexdigit() || is_placeholder_digit(byte),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Name => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'<' | b'>')
            }
        }
    }

    /// The minimum and maximum length of a run at the beginning of `text`; `None` if there is none.
    pub(super) fn run(self, text: &[u8]) -> Option<(usize, usize)> {
        let first = *text.first()?;
        let (least, most) = match self {
            Self::Blank => (1, count(text, 0, |byte| matches!(byte, b' ' | b'\t'))),
            Self::Padding => (1, count(text, 0, |byte| byte == b' ')),
            Self::Decimal | Self::Hexadecimal if is_placeholder_digit(first) => {
                (1, count(text, 0, is_placeholder_digit))
            }
            Self::Decimal => {
                let sign = usize::from(first == b'-');
                (sign + 1, count(text, sign, |byte| byte.is_ascii_digit()))
            }
            Self::Hexadecimal => (1, count(text, 0, |byte| byte.is_ascii_hexdigit())),
            Self::Word if first.is_ascii_alphabetic() => {
                (1, count(text, 1, |byte| Self::Word.has(byte)))
            }
            Self::Word => return None,
            Self::Name => (1, count(text, 0, |byte| Self::Name.has(byte))),
        };
        (least <= most).then_some((least, most))
    }
}

/// The end of the bytes with `has` that begin at `from`.
fn count(text: &[u8], from: usize, has: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| has(**byte)).count()
}

/// Whether reporters use this byte in place of a digit.
fn is_placeholder_digit(byte: u8) -> bool {
    matches!(byte, b'x' | b'X' | b'Y' | b'Z' | b'*' | b'?' | b'#')
}

/// The range of a capture; `None` if an empty name captured nothing.
pub(super) type Span = Option<(usize, usize)>;

/// Whether `text` matches `steps`; stores its captures in `spans`.
pub(super) fn matches(steps: &[Step], text: &str, spans: &mut [Span]) -> bool {
    matches_after(FREE, (0, 0), steps, text, spans)
}

/// As [`matches`], if the first two of `steps` are known to match up to `end`.
pub(super) fn matches_rest(end: usize, steps: &[Step], text: &str, spans: &mut [Span]) -> bool {
    matches_after(FREE, (2, end), steps, text, spans)
}

/// As [`matches`], from this step and position, remembering failures after `free` attempts.
pub(super) fn matches_after(
    free: usize,
    (step, at): (usize, usize),
    steps: &[Step],
    text: &str,
    spans: &mut [Span],
) -> bool {
    let text = text.as_bytes();
    let mut attempt =
        Attempt { steps, text, spans, free, tries: 0, failed_ranges: Vec::new(), blanks: (0, 0) };
    let matches = attempt.rest(step, at);
    debug_assert!(attempt.tries <= free + 2 * steps.len() * (text.len() + 1), "too many tries");
    matches
}

/// Up to this number of attempts, remembering failures costs more than it saves.
const FREE: usize = 64;

/// A match in progress.
struct Attempt<'a> {
    steps: &'a [Step],
    text: &'a [u8],
    spans: &'a mut [Span],
    free: usize,
    tries: usize,
    /// For each step the range of positions from which it fails, `from..to`; empty until many
    /// attempts were made. No failure is tried twice, so hostile texts take time in proportion to
    /// their length.
    failed_ranges: Vec<(usize, usize)>,
    /// The run of spaces that was measured last.
    blanks: (usize, usize),
}

impl Attempt<'_> {
    /// Whether the text from `at` matches the steps from `step`.
    fn rest(&mut self, mut step: usize, mut at: usize) -> bool {
        let steps = self.steps;
        while let Some(now) = steps.get(step) {
            match now {
                Step::Literal(literal) => {
                    let Some(end) = self.literal(literal, at) else { return false };
                    at = end;
                }
                Step::Run(run) if run.firm && self.tries <= self.free => {
                    match run.class.run(self.from(at)) {
                        Some((_, most)) => {
                            self.set(run.capture, at, at + most);
                            at += most;
                        }
                        None if run.optional => {}
                        None => return false,
                    }
                }
                Step::Run(run) => return self.run(step, *run, at),
                Step::Prefix if self.from(at).starts_with(b"0x") => {
                    return self.rest(step + 1, at + 2) || self.rest(step + 1, at);
                }
                Step::Prefix => {}
                Step::Text(capture) => return self.text(step, *capture, at),
                Step::Rest(capture) => {
                    if self.is_failed(step, at) {
                        return false;
                    }
                    if let Some(newline) = memchr(b'\n', self.from(at)) {
                        self.mark_failed(step, at, at + newline + 1);
                        return false;
                    }
                    self.set(Some(*capture), at, self.text.len());
                    at = self.text.len();
                }
                Step::Name(capture) => return self.name(step, *capture, at),
                Step::Begin(capture) => self.set(Some(*capture), at, at),
                Step::End(capture) => {
                    if let Some(Some((_, end))) = self.spans.get_mut(*capture) {
                        *end = at;
                    }
                }
            }
            step += 1;
        }
        self.from(at).iter().all(|byte| Class::Blank.has(*byte))
    }

    /// The end of the literal that begins at `at`.
    fn literal(&mut self, literal: &str, at: usize) -> Option<usize> {
        let (literal, at) = match literal.strip_prefix(' ') {
            // The same run of spaces may be reached from each of them.
            Some(literal) if self.tries > self.free => match self.blanks(at) {
                0 => return None,
                blanks => (literal, at + blanks),
            },
            _ => (literal, at),
        };
        rest_after(self.from(at), literal.as_bytes()).map(|rest| self.text.len() - rest.len())
    }

    /// Matches a run, some bytes of which may belong to the rest.
    fn run(&mut self, step: usize, run: Run, at: usize) -> bool {
        let (dead_from, dead_to) = self.failed_range(step);
        if (dead_from..dead_to).contains(&at) {
            return false;
        }
        // In a run whose later bytes already failed as a start, only the first byte is new.
        let pair = self.text.get(at..at + 2).and_then(|pair| run.class.run(pair));
        let (least, end) = match pair {
            Some((least, 2)) if dead_from == at + 1 && dead_from < dead_to => (least, dead_to),
            _ => match run.class.run(self.from(at)) {
                Some((least, most)) => (least, at + most),
                None if run.optional => (0, at),
                None => return false,
            },
        };
        let least = if run.optional { at } else { at + least };
        // Positions that a later start of the same run has tried need not be tried again.
        let untried = if dead_to == end && dead_from > at { dead_from } else { end };
        let first = if run.firm { end } else { least };
        for end in (first..=untried).rev() {
            self.tries += 1;
            if self.rest(step + 1, end) {
                self.set(run.capture, at, end);
                return true;
            }
        }
        self.remember(step, |dead| *dead = (at, end));
        false
    }

    /// Matches text up to the first position from which the rest matches.
    fn text(&mut self, step: usize, capture: usize, at: usize) -> bool {
        let (_, dead_to) = self.failed_range(step);
        let before_blanks = self.steps.get(step + 1).is_some_and(Step::begins_blank);
        // It does not extend beyond the end of a line, which was not reached so far.
        let (mut from, mut checked) = (at, at);
        loop {
            if self.is_failed(step, from) {
                self.mark_failed(step, at, dead_to);
                return false;
            }
            let next = self.next(step + 1, from);
            let line = self.text.get(checked..next.unwrap_or(self.text.len())).unwrap_or_default();
            if let Some(newline) = memchr(b'\n', line) {
                self.mark_failed(step, at, checked + newline + 1);
                return false;
            }
            let Some(end) = next else {
                self.mark_failed(step, at, self.text.len() + 1);
                return false;
            };
            self.tries += 1;
            if self.rest(step + 1, end) {
                self.set(Some(capture), at, end);
                return true;
            }
            checked = end;
            // If spaces fail, they fail from each of them.
            from = end + if before_blanks { self.blanks(end) } else { 1 };
        }
    }

    /// The next position from `from` where `step` may begin.
    fn next(&self, step: usize, from: usize) -> Option<usize> {
        let rest = self.text.get(from..)?;
        let found = match self.steps.get(step) {
            Some(step) if step.begins_blank() => memchr2(b' ', b'\t', rest)?,
            Some(Step::Literal(literal)) if self.tries > self.free => {
                memmem::find(rest, literal.split(' ').next()?.as_bytes())?
            }
            Some(Step::Literal(literal)) => memchr(*literal.as_bytes().first()?, rest)?,
            Some(_) => 0,
            None => rest.iter().rposition(|byte| !Class::Blank.has(*byte)).map_or(0, |at| at + 1),
        };
        Some(from + found)
    }

    /// Matches a name and the spaces after it, or neither.
    fn name(&mut self, step: usize, capture: usize, at: usize) -> bool {
        let (dead_from, dead_to) = self.failed_range(step);
        let mut from = at;
        let limit = loop {
            if self.is_failed(step, from) {
                break dead_to;
            }
            let found = memchr2(b' ', b'\t', self.from(from));
            let end = found.map_or(self.text.len(), |found| from + found);
            let line = self.text.get(from..end).unwrap_or_default();
            if let Some(newline) = memchr(b'\n', line) {
                break from + newline + 1;
            }
            if found.is_none() {
                break end + 1;
            }
            let last = end + self.blanks(end);
            // Positions that a longer name has tried need not be tried again.
            let tried = end < dead_from && dead_from < last && dead_from < dead_to;
            for behind in (end + 1..=if tried { dead_from } else { last }).rev() {
                self.tries += 1;
                if self.rest(step + 1, behind) {
                    self.set(Some(capture), at, end);
                    return true;
                }
            }
            from = last;
        };
        self.mark_failed(step, at, limit);
        if let Some(span) = self.spans.get_mut(capture) {
            *span = None;
        }
        self.rest(step + 1, at)
    }

    /// The number of spaces and tabs.
    fn blanks(&mut self, at: usize) -> usize {
        let (from, to) = self.blanks;
        let joins = at + 1 == from && self.text.get(at).is_some_and(|byte| Class::Blank.has(*byte));
        if joins {
            self.blanks.0 = at;
        } else if !(from..to).contains(&at) {
            let blanks = self.from(at).iter().take_while(|byte| Class::Blank.has(**byte)).count();
            self.blanks = (at, at + blanks);
        }
        self.blanks.1 - at
    }

    fn from(&self, at: usize) -> &[u8] {
        self.text.get(at..).unwrap_or_default()
    }

    fn set(&mut self, capture: Option<usize>, from: usize, to: usize) {
        if let Some(span) = capture.and_then(|capture| self.spans.get_mut(capture)) {
            *span = Some((from, to));
        }
    }

    fn failed_range(&self, step: usize) -> (usize, usize) {
        self.failed_ranges.get(step).copied().unwrap_or_default()
    }

    fn is_failed(&self, step: usize, at: usize) -> bool {
        let (from, to) = self.failed_range(step);
        (from..to).contains(&at)
    }

    /// Records that `step` fails from all positions in `from..to`.
    fn mark_failed(&mut self, step: usize, from: usize, to: usize) {
        self.remember(step, |dead| {
            let meet = from <= dead.1 && dead.0 <= to;
            *dead = if meet { (from.min(dead.0), to.max(dead.1)) } else { (from, to) };
        });
    }

    fn remember(&mut self, step: usize, note: impl FnOnce(&mut (usize, usize))) {
        if self.tries > self.free && self.failed_ranges.is_empty() {
            self.failed_ranges.resize(self.steps.len(), (0, 0));
        }
        if let Some(dead) = self.failed_ranges.get_mut(step) {
            note(dead);
        }
    }
}
