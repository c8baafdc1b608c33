//! Prefixes that no program wrote completely: remains and additions of lists, tables, chats,
//! viewers or people before a message. Parsed word by word, in any order, and learned from earlier
//! lines.

use super::draft::Draft;
use super::envelope::{Priority, angle, caller};
use super::flow::Time;
use super::scan::Scan;
use super::{LogFormat, Origin, Wall, stamp};
use crate::value::{Micros, PciAddress};

/// Maximum number of bytes and words of a prefix.
const HEAD: usize = 120;
const WORDS: usize = 10;

/// A line without its prefix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pasted<'a> {
    pub(super) wall: Option<Wall>,
    /// The kernel's time.
    pub(super) clock: Option<Micros>,
    pub(super) priority: Option<Priority>,
    /// Whether `kernel:` precedes the message.
    pub(super) is_kernel: bool,
    /// The words of the prefix.
    pub(super) shape: Vec<Word>,
    pub(super) rest: &'a str,
}

/// A kind of word in a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A date or a time of day.
    Time,
    /// Seconds since boot.
    Clock,
    /// `<6>`.
    Priority,
    /// The processor or thread that printed it.
    Caller,
    /// `kernel:`.
    Tag,
    /// A bullet, a bar, a quote mark.
    Mark(char),
    /// A line number, or the end of a time.
    Counter,
    /// `kernel` without a colon, a facility, a level.
    Weak,
    /// The name of a machine or container.
    Name,
}

impl<'a> Pasted<'a> {
    /// Parses a prefix. `begins` returns whether a text begins with words that only the kernel
    /// prints; `known` is the prefix of earlier lines. `None` if there is no prefix, or if nothing
    /// shows that the line is the kernel's.
    pub(super) fn read(
        line: &'a str,
        known: Option<&[Word]>,
        begins: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        let mut found = Self { rest: line, ..Self::default() };
        for _ in 0..WORDS {
            if line.len() - found.rest.len() > HEAD {
                return None;
            }
            // A message may begin like an uninformative word, but not like an informative one.
            if found.word(Self::known_word) {
                continue;
            }
            if found.ends(known, &begins) {
                found.take_second_tag();
                return Some(found);
            }
            let weak = found.word(|_, scan| scan.attempt(weak_tag).map(|()| Word::Weak));
            if !weak && !found.name() && !found.remark() {
                return None;
            }
        }
        None
    }

    /// Whether the prefix is more than a mark, a number or a name.
    pub(super) fn is_telling(&self) -> bool {
        self.is_kernel || self.wall.is_some() || self.clock.is_some() || self.priority.is_some()
    }

    /// The record.
    pub(super) fn draft(&self) -> Draft<&'a str> {
        let time = Time { monotonic: self.clock, wall: self.wall, ..Time::default() };
        let origin = if self.is_kernel { Origin::Kernel } else { Origin::Unstated };
        let bare = Draft::new(LogFormat::Text, time, origin, self.rest);
        Draft { priority: self.priority, buffered: true, ..bare }
    }

    /// Whether a message follows.
    fn ends(&self, known: Option<&[Word]>, begins: &impl Fn(&str) -> bool) -> bool {
        if self.shape.is_empty() {
            return false;
        }
        let learned = || {
            let mut ahead = self.clone();
            let tagged = ahead.name() && tag(&mut Scan::new(ahead.rest));
            known == Some(self.shape.as_slice()) && !self.rest.is_empty() && !tagged
        };
        // `kernel: 6.12.3` is what people write about their machine.
        let tagged = self.is_kernel && self.rest.contains(' ');
        tagged || begins(self.rest) || learned()
    }

    /// `host kernel: ` after `kernel: `, if a viewer put its own tag before a line of the journal.
    fn take_second_tag(&mut self) {
        let mut inner = Self { rest: self.rest, ..Self::default() };
        if !self.is_kernel || !inner.name() {
            return;
        }
        let mut scan = Scan::new(inner.rest);
        if tag(&mut scan) {
            self.rest = scan.rest().trim_start_matches(' ');
        }
    }

    /// Takes the next word if `read` recognises it.
    fn word(&mut self, read: impl Fn(&mut Self, &mut Scan<'a>) -> Option<Word>) -> bool {
        let mut scan = Scan::new(self.rest);
        scan.blanks();
        let Some(word) = read(self, &mut scan) else { return false };
        self.shape.push(word);
        self.rest = scan.rest().trim_start_matches([' ', '\t']);
        true
    }

    /// A time, a number, a mark, or `kernel:`.
    fn known_word(&mut self, scan: &mut Scan<'a>) -> Option<Word> {
        // The address of a device begins like a line number and a time.
        let word = scan.rest().split(' ').next().unwrap_or_default();
        if word.trim_end_matches(':').parse::<PciAddress>().is_ok() {
            return None;
        }
        if self.wall.is_none()
            && let Some(wall) = scan.attempt(stamp::loose).or_else(|| group(scan, stamp::loose))
        {
            self.wall = Some(wall);
            let _ = scan.eat(b':') || scan.eat(b',') || scan.eat(b';');
            return Some(Word::Time);
        }
        if let Some(clock) = group(scan, seconds) {
            self.clock = self.clock.or(Some(clock));
            return Some(Word::Clock);
        }
        if let Some(priority) = angle(scan) {
            self.priority = Some(priority);
            return Some(Word::Priority);
        }
        if caller(scan) || group(scan, |scan| scan.number(9)).is_some() {
            return Some(Word::Caller);
        }
        if tag(scan) {
            self.is_kernel = true;
            return Some(Word::Tag);
        }
        mark(scan).or_else(|| counter(scan))
    }

    /// Takes a short remark with a colon before the driver's name: `It says: `.
    fn remark(&mut self) -> bool {
        let Some((remark, rest)) = self.rest.split_once(": ") else { return false };
        let is_part = |c: char| c.is_alphabetic() || matches!(c, ' ' | '\'' | '’');
        let names = ["amdgpu ", "amdgpu: ", "[drm"].iter().any(|name| rest.starts_with(name));
        if self.shape.len() > 1 || remark.len() > 40 || !remark.chars().all(is_part) || !names {
            return false;
        }
        self.shape.push(Word::Name);
        self.rest = rest;
        true
    }

    /// Takes a word that may be the name of a machine or container. The second of two names is the
    /// first word of the message; after a bar, as in `docker compose logs`, another name may
    /// follow.
    fn name(&mut self) -> bool {
        let (word, rest) = self.rest.split_once(' ').unwrap_or((self.rest, ""));
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".-_/@*".contains(&byte);
        let named = !word.is_empty() && word.len() <= 64 && word.bytes().all(is_part);
        let first = !self.shape.contains(&Word::Name) || self.shape.ends_with(&[Word::Mark('|')]);
        if !first || !named || rest.is_empty() {
            return false;
        }
        self.shape.push(Word::Name);
        self.rest = rest.trim_start();
        true
    }
}

/// The content of brackets or parentheses.
fn group<'a, T>(scan: &mut Scan<'a>, read: impl Fn(&mut Scan<'a>) -> Option<T>) -> Option<T> {
    scan.attempt(|scan| {
        let end = match scan.peek()? {
            b'[' => b']',
            b'(' => b')',
            _ => return None,
        };
        scan.skip_ascii(1);
        scan.blanks();
        let found = read(scan)?;
        scan.blanks();
        scan.expect(end)?;
        Some(found)
    })
}

/// `41.2`, with fewer decimals than the kernel prints.
fn seconds(scan: &mut Scan) -> Option<Micros> {
    let seconds = scan.number(9)?;
    scan.expect(b'.')?;
    Some(Micros(seconds * 1_000_000 + scan.fraction()?))
}

/// `kernel:`, `kernel[1234]:`, and its variants in the journal of containers.
fn tag(scan: &mut Scan) -> bool {
    let read = |scan: &mut Scan| {
        let name = ["kernel", "journal"].iter().find(|name| scan.rest().starts_with(**name))?;
        scan.skip(name);
        if scan.eat(b'[') {
            scan.number(10)?;
            scan.expect(b']')?;
        }
        scan.expect(b':')?;
        matches!(scan.peek(), None | Some(b' ')).then_some(())
    };
    scan.attempt(read).is_some()
}

/// `kernel`, `[kernel]`, `kern.err`, `E`: proves nothing alone.
fn weak_tag(scan: &mut Scan) -> Option<()> {
    let word = scan.word();
    let inner = word.strip_prefix('[').and_then(|word| word.strip_suffix(']')).unwrap_or(word);
    let level = inner.len() == 1 && inner.bytes().all(|byte| b"VDIWEFN".contains(&byte));
    let pair = inner.split_once('.').is_some_and(|(facility, level)| {
        Priority::named(facility, level).is_some_and(Priority::is_kernel)
    });
    (inner == "kernel" || level || pair).then_some(())
}

/// A bullet, a bar, an opening quote mark, the beginning of bold text that goes on in later lines.
fn mark(scan: &mut Scan) -> Option<Word> {
    if scan.rest().strip_prefix("**").is_some_and(|text| text.starts_with(char::is_alphanumeric)) {
        scan.skip("**");
        return Some(Word::Mark('*'));
    }
    let first = scan.rest().chars().next()?;
    let second = scan.rest().get(first.len_utf8()..)?;
    let apart = second.starts_with([' ', '\t']);
    let known = match first {
        '-' | '*' | '+' | '~' | '|' | '>' | '#' | '=' => apart,
        '"' | '\'' | '`' | '“' | '„' | '«' | '»' | '›' | '•' | '·' | '–' | '—' | '◦' | '▪'
        | '→' => true,
        _ => false,
    };
    if !known {
        return None;
    }
    scan.skip(&scan.rest()[..first.len_utf8()]);
    Some(Word::Mark(first))
}

/// `6131:`, `3)`, `#17`, `T39596;`, and the end of a cut time: `0000]`.
fn counter(scan: &mut Scan) -> Option<Word> {
    scan.attempt(|scan| {
        let marked = scan.eat(b'#') || scan.eat(b'T');
        scan.number(12)?;
        let decimals = |scan: &mut Scan| {
            scan.expect(b'.')?;
            scan.number(12)
        };
        let cut = scan.attempt(decimals).is_some();
        let cell = |scan: &mut Scan| scan.rest().starts_with(" | ").then(|| scan.skip(" |"));
        let end = scan.eat(b']')
            || !cut && b":.)|;".iter().any(|mark| scan.eat(*mark))
            || !cut && scan.attempt(cell).is_some();
        // `914 x `: how often a line came.
        let times = |scan: &mut Scan| scan.rest().starts_with(" x ").then(|| scan.skip(" x"));
        let apart = matches!(scan.peek(), Some(b'\t'))
            || end
            || marked && scan.peek() == Some(b' ')
            || !cut && scan.attempt(times).is_some();
        (apart || cut && end).then_some(Word::Counter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_a_device_is_no_line_number_with_a_time() {
        let begins = |text: &str| text.starts_with("amdgpu");
        for (line, rest, is_timed) in [
            ("**amdgpu 0000:03:00.0: amdgpu: text", "amdgpu 0000:03:00.0: amdgpu: text", false),
            ("6131:03:00:01 amdgpu 0000:03:00.0: text", "amdgpu 0000:03:00.0: text", true),
        ] {
            let found = Pasted::read(line, None, begins).unwrap();
            assert_eq!((found.rest, found.wall.is_some()), (rest, is_timed), "{line}");
        }
        assert_eq!(Pasted::read("host 0000:03:00.0: amdgpu: text", None, begins), None);
    }
}
