//! The compiled rules of `patterns/redaction/`: where private values occur, and what only looks
//! private.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use regex::bytes::Regex;

use super::needles::Needles;
use super::recent::Recent;
use super::shape::Domains;
use super::stamp::Stamps;
use crate::pattern::Patterns;
use crate::pattern::expression::compiled;
use crate::pattern::glob::Glob;
use crate::pattern::privacy::PrivateRule;
use crate::value::{PrivateKind, Text, Token};

#[derive(Debug)]
struct Rule {
    kind: PrivateKind,
    find: String,
    /// Compiled at first use.
    expression: OnceLock<Regex>,
    /// The text that each match ends with, and what was found in the last line with that text.
    ends: Option<(Finder<'static>, RefCell<Head>)>,
    local: bool,
    rare: bool,
    /// The texts, by their numbers, of which a line must contain none.
    unless: Vec<usize>,
}

/// The beginning of a line that a rule was applied to, and the values found in it.
#[derive(Debug, Default)]
struct Head {
    text: Vec<u8>,
    found: Vec<Range<usize>>,
}

/// The values of a kind that identify nobody, in small letters.
#[derive(Clone, Debug, Default)]
struct Public {
    whole: HashSet<Text>,
    /// Those with a `*`.
    open: Vec<Glob>,
}

/// A value that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) kind: PrivateKind,
    pub(super) range: Range<usize>,
    pub(super) local: bool,
    /// Whether it is kept if it is a common word.
    pub(super) rare: bool,
}

#[derive(Debug)]
pub(super) struct Rules {
    all: Vec<Rule>,
    /// Search for the texts that lines must contain for rules and exceptions to apply.
    near: Needles,
    /// What each of these texts decides on.
    decisions: Vec<Decision>,
    /// One entry for each kind.
    public: Vec<Public>,
    pub(super) domains: Domains,
    /// The words of the messages that the catalogue knows.
    words: HashSet<String>,
    /// Judgements on recent values.
    judged: RefCell<Recent<Judgement>>,
    /// What [`Self::near`] gave last, whose memory the next one uses.
    spare: RefCell<Near>,
}

/// What is known of a value without its line.
#[derive(Clone, Copy, Debug)]
struct Judgement {
    public: bool,
    rare: bool,
}

/// What it decides on that a line contains a text.
#[derive(Clone, Debug, Default)]
struct Decision {
    /// These rules apply.
    rules: Vec<usize>,
    /// Values of these kinds are not recognised by their shape.
    plain: Kinds,
    /// Some rules do not apply.
    prevents: bool,
}

/// The texts that lines must or must not contain, in small letters, numbered in the order in which
/// they were given.
#[derive(Debug, Default)]
struct Texts {
    numbers: HashMap<String, usize>,
    decisions: Vec<Decision>,
}

/// The rules and exceptions that apply to a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Near {
    rules: Vec<usize>,
    /// The texts that prevent rules.
    unless: Vec<usize>,
    plain: Kinds,
}

/// A set of kinds: one bit each.
#[derive(Clone, Copy, Debug, Default)]
struct Kinds(u32);

impl Texts {
    /// The number of a text, and what it decides on.
    fn add(&mut self, text: &str) -> (usize, &mut Decision) {
        let next = self.decisions.len();
        let number = *self.numbers.entry(text.to_ascii_lowercase()).or_insert(next);
        if number == next {
            self.decisions.push(Decision::default());
        }
        (number, &mut self.decisions[number])
    }

    /// The search for them.
    fn needles(&self) -> Needles {
        let mut texts = vec![""; self.decisions.len()];
        self.numbers.iter().for_each(|(text, &number)| texts[number] = text);
        Needles::new(texts)
    }
}

impl Kinds {
    const fn of(kind: PrivateKind) -> Self {
        const { assert!(PrivateKind::ALL.len() <= 32) };
        Self(1 << kind as u32)
    }

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn has(self, kind: PrivateKind) -> bool {
        self.0 & Self::of(kind).0 != 0
    }
}

impl Near {
    fn clear(&mut self) {
        self.rules.clear();
        self.unless.clear();
        self.plain = Kinds::default();
    }

    /// Whether values of this kind are not recognised by their shape.
    pub(super) fn is_plain(&self, kind: PrivateKind) -> bool {
        self.plain.has(kind)
    }
}

impl Rule {
    fn new(rule: &PrivateRule, unless: Vec<usize>) -> Self {
        let finder = |ends: &String| Finder::new(ends).into_owned();
        let ends = rule.ends.as_ref().map(|ends| (finder(ends), RefCell::default()));
        let PrivateRule { kind, local, rare, .. } = *rule;
        let (find, expression) = (rule.find.clone(), OnceLock::new());
        Self { kind, find, expression, ends, local, rare, unless }
    }

    /// Calls `found` with the range of each value that the expression finds. Lines that begin like
    /// the last one are not searched again.
    fn places(&self, text: &[u8], found: &mut dyn FnMut(Range<usize>)) {
        let Some((ends, head)) = &self.ends else { return self.search(text, found) };
        let Some(last) = ends.find_iter(text).last() else { return };
        let end = last + ends.needle().len();
        let head = &mut *head.borrow_mut();
        if !is_alike(&head.text, &text[..end]) {
            head.text.clear();
            head.text.extend_from_slice(&text[..end]);
            head.found.clear();
            self.search(&head.text, &mut |place| head.found.push(place));
        }
        head.found.iter().cloned().for_each(found);
    }

    fn search(&self, text: &[u8], found: &mut dyn FnMut(Range<usize>)) {
        let checked = || unreachable!("it compiled when its file was read");
        let expression =
            self.expression.get_or_init(|| compiled(&self.find).unwrap_or_else(|_| checked()));
        // Most lines with a word of a rule do not match, and this allocates nothing.
        if !expression.is_match(text) {
            return;
        }
        for captures in expression.captures_iter(text) {
            captures.iter().skip(1).flatten().for_each(|group| found(group.range()));
        }
    }
}

/// Adds an item to a short list, once.
fn add<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

/// Whether two texts differ only in the values of their digits.
fn is_alike(text: &[u8], other: &[u8]) -> bool {
    let kind = |byte: u8| if byte.is_ascii_digit() { b'0' } else { byte };
    let same = |(&a, &b): (&u8, &u8)| kind(a) == kind(b);
    // Without an early exit, which would prevent vector instructions.
    text.len() == other.len() && text.iter().zip(other).fold(true, |all, pair| all & same(pair))
}

impl Rules {
    pub(super) fn new(patterns: &Patterns) -> Self {
        let (mut texts, mut rules) = (Texts::default(), Vec::new());
        for rule in &patterns.privacy.rules {
            for near in &rule.near {
                texts.add(near).1.rules.push(rules.len());
            }
            let mut prevent = |unless: &String| {
                let (number, decision) = texts.add(unless);
                decision.prevents = true;
                number
            };
            let unless = rule.unless.iter().map(&mut prevent).collect();
            rules.push(Rule::new(rule, unless));
        }
        let mut public = vec![Public::default(); PrivateKind::ALL.len()];
        for list in &patterns.privacy.public {
            let kinds = if list.kinds.is_empty() { PrivateKind::ALL } else { &list.kinds };
            for &kind in kinds {
                for value in &list.values {
                    public[kind as usize].add(value);
                }
                for line in &list.lines {
                    let plain = &mut texts.add(line).1.plain;
                    *plain = plain.and(Kinds::of(kind));
                }
            }
        }
        let domains = Domains::new(&patterns.privacy.domains);
        let (near, words) = (texts.needles(), words(patterns));
        let (judged, spare) = (RefCell::default(), RefCell::default());
        let decisions = texts.decisions;
        Self { all: rules, near, decisions, public, domains, words, judged, spare }
    }

    /// The rules and exceptions that apply to a line.
    pub(super) fn near(&self, text: &[u8], stamps: &Stamps) -> Near {
        let mut near = self.spare.take();
        near.clear();
        self.near.find(text, stamps, &mut |number, _| {
            let &Decision { ref rules, plain, prevents } = &self.decisions[number];
            for rule in rules {
                add(&mut near.rules, *rule);
            }
            near.plain = near.plain.and(plain);
            if prevents {
                add(&mut near.unless, number);
            }
        });
        near.rules.sort_unstable();
        let prevented =
            |rule: &usize| self.all[*rule].unless.iter().any(|unless| near.unless.contains(unless));
        near.rules.retain(|rule| !prevented(rule));
        near
    }

    /// Takes back what is not needed any more.
    pub(super) fn reuse(&self, near: Near) {
        self.spare.replace(near);
    }

    /// Calls `found` with each value that a rule finds.
    pub(super) fn find(&self, near: &Near, text: &[u8], found: &mut dyn FnMut(Hit)) {
        for rule in near.rules.iter().map(|&rule| &self.all[rule]) {
            let Rule { kind, local, rare, .. } = *rule;
            rule.places(text, &mut |range| found(Hit { kind, range, local, rare }));
        }
    }

    /// Whether a value tells of nobody.
    pub(super) fn is_public(&self, kind: PrivateKind, value: &str) -> bool {
        self.judgement(kind, value).public
    }

    /// Whether a value is so rare a word that it is the same thing wherever it stands.
    pub(super) fn is_rare(&self, kind: PrivateKind, value: &str) -> bool {
        self.judgement(kind, value).rare
    }

    /// Whether it is a word that logs use.
    pub(super) fn is_common(&self, word: &str) -> bool {
        self.words.contains(&word.to_ascii_lowercase())
    }

    fn judgement(&self, kind: PrivateKind, value: &str) -> Judgement {
        if let Some(known) = self.judged.borrow().get(kind, value) {
            return known;
        }
        let (public, rare) = (self.identifies_nobody(kind, value), self.is_no_word(kind, value));
        let judgement = Judgement { public, rare };
        self.judged.borrow_mut().put(kind, value, judgement);
        judgement
    }

    fn identifies_nobody(&self, kind: PrivateKind, value: &str) -> bool {
        let value = value.trim();
        value.is_empty()
            || has_token(value)
            || is_nothing(kind, value)
            || self.public[kind as usize].has(value)
    }

    /// Whether a value has some length and is no word that logs use.
    fn is_no_word(&self, kind: PrivateKind, value: &str) -> bool {
        use PrivateKind::{Domain, Email, Host, Ipv4, Ipv6, Mac, Secret, Serial, Ssid, Usb, User};
        let shortest = match kind {
            Mac | Ipv4 | Ipv6 | Email => return true,
            Host | User => 3,
            Ssid | Domain => 4,
            Serial | Usb | Secret => 6,
            _ => 5,
        };
        let digits = value.bytes().filter(u8::is_ascii_digit).count();
        if value.len() < shortest || (digits == value.len() && digits < 10) {
            return false;
        }
        // Four digits of a dump.
        let dump = matches!(value.len(), 4 | 8)
            && value.bytes().all(|byte| byte.is_ascii_hexdigit())
            && digits > 0;
        !dump && !self.words.contains(&value.to_ascii_lowercase())
    }
}

/// Whether it contains a token.
fn has_token(value: &str) -> bool {
    let bytes = value.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| bytes.get(at..).and_then(Token::at).is_some())
}

/// Whether firmware and drivers print it if they know nothing, or it is the address of a device.
fn is_nothing(kind: PrivateKind, value: &str) -> bool {
    use PrivateKind::{Disk, Serial, Usb};
    let mut letters = value.bytes().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    if kind != PrivateKind::Secret && letters.all(|byte| byte == b'0') {
        return true;
    }
    // The index of a string in a device's descriptor.
    if matches!(kind, Serial | Usb | Disk) && value.len() < 3 {
        return true;
    }
    let device = value.parse::<crate::value::PciAddress>().is_ok();
    device || value.starts_with("0x") && !matches!(kind, PrivateKind::Secret | Serial | Disk)
}

impl Public {
    fn add(&mut self, value: &Glob) {
        let value = Glob::new(&value.text().to_ascii_lowercase());
        if value.is_open() {
            self.open.push(value);
        } else {
            self.whole.insert(value.text().into());
        }
    }

    fn has(&self, value: &str) -> bool {
        let mut value = Text::from(value);
        value.make_ascii_lowercase();
        self.whole.contains(&value) || self.open.iter().any(|open| open.matches(&value))
    }
}

/// The words that kernels and drivers print. They are not searched for in all text, even if
/// somebody has such a name.
fn words(patterns: &Patterns) -> HashSet<String> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let samples = patterns.messages.iter().flat_map(|message| &message.samples);
    let words = samples.flat_map(|sample| sample.split(|c| !is_word(c)));
    let mut words: HashSet<String> = words.map(str::to_ascii_lowercase).collect();
    words.remove("");
    let common = patterns.privacy.common.iter().flat_map(|common| &common.words);
    words.extend(common.map(|word| word.to_ascii_lowercase()));
    words
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PIECES: [&str; 14] = [
        "Mar 04 18:20:10",
        "2026-03-04T18:20:14.318225+01:00",
        "[    4.318225 <    4.318225 >]",
        "1772644814.318225",
        " CET",
        " tower",
        " rig7",
        " a.b",
        " kernel:",
        " kern.info kernel:",
        " systemd[1]: ",
        " Web Content[17]: ",
        " x",
        "7",
    ];

    #[test]
    fn lines_that_begin_alike_are_searched_as_others_are() {
        let rules = Rules::new(&crate::builtin::patterns());
        let pieces = prop::collection::vec(prop::sample::select(&PIECES[..]), 1..8);
        proptest!(|(pieces in pieces, digit in "[0-9]")| {
            let line = pieces.concat();
            let other = line.replace(|c: char| c.is_ascii_digit(), &digit);
            for rule in rules.all.iter().filter(|rule| rule.ends.is_some()) {
                for line in [&line, &other, &line] {
                    let (mut want, mut found) = (Vec::new(), Vec::new());
                    rule.search(line.as_bytes(), &mut |place| want.push(place));
                    rule.places(line.as_bytes(), &mut |place| found.push(place));
                    prop_assert_eq!(found, want, "{}", line);
                }
            }
        });
    }
}
