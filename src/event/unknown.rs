//! The driver's lines that no message matches, grouped by what is the same in all of them.
//!
//! Each group has the format that its lines seem to be printed with, so that it is one step away
//! from a message in `patterns/messages`.

use std::collections::BTreeMap;

use serde::Serialize;

use super::envelope::{Driver, Envelope};
use crate::record::Record;
use crate::value::{Level, PciAddress};

/// So many shapes are kept: more say that something prints nonsense.
const MOST_SHAPES: usize = 500;
/// So many bytes of a line are looked at.
const LONGEST: usize = 600;
/// What stands in for a value that is text, until the format is written.
const TEXT: char = '\u{1}';

/// Lines of the driver of one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UnknownLine"))]
pub struct Unknown {
    /// What never changes in them, as a format of pattern files: a conversion for each value.
    pub shape: String,
    /// Who printed the first.
    #[serde(skip)]
    pub driver: Driver,
    /// The driver's function that printed it, where its prefix says so.
    #[serde(skip)]
    pub function: Option<String>,
    /// The loudest level of them, where the log or the prefix tells.
    pub level: Option<Level>,
    /// How many lines.
    pub count: u64,
    /// The first of them.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub line: u64,
    /// Which record that is, counted from 0.
    #[serde(skip)]
    pub sequence: u64,
    /// Its text without time and host.
    pub text: String,
    /// Its text without the driver's prefixes, too.
    #[serde(skip)]
    pub body: String,
}

impl Unknown {
    /// Whether the driver says that something went wrong.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.level.is_some_and(|level| level <= Level::Error)
    }
}

/// All shapes of one log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unknowns {
    shapes: Vec<Unknown>,
    /// Where each shape stands.
    places: BTreeMap<String, usize>,
    /// The same by the text of a line with its numbers alike, for lines that come in thousands.
    quick: BTreeMap<String, usize>,
    /// The text of the line at hand with its numbers alike.
    key: String,
    beyond: u64,
}

impl Unknowns {
    /// Notes a line that no message matches.
    pub(super) fn add(&mut self, record: &Record<'_>, envelope: &Envelope<'_>) {
        if !matches!(envelope.driver, Driver::Amdgpu | Driver::Drm | Driver::Ttm) {
            return;
        }
        let body = first_line(envelope.body);
        if body.is_empty() {
            return;
        }
        with_numbers_alike(body, &mut self.key);
        let place = self.quick.get(&self.key).copied();
        let place = place.unwrap_or_else(|| self.place(record, envelope, body));
        let Some(known) = self.shapes.get_mut(place) else {
            self.beyond += 1;
            return;
        };
        known.count += 1;
        known.level = loudest(known.level, level(record, envelope));
    }

    /// Where the shape of a line stands; behind the last one where there is no room for it.
    fn place(&mut self, record: &Record<'_>, envelope: &Envelope<'_>, body: &str) -> usize {
        let shape = shape(body);
        let known = self.places.get(&shape).copied();
        let place = known.unwrap_or(self.shapes.len());
        if known.is_none() && self.shapes.len() < MOST_SHAPES {
            self.places.insert(shape.clone(), place);
            self.shapes.push(Unknown {
                shape,
                driver: envelope.driver,
                function: envelope.function.map(str::to_owned),
                level: None,
                count: 0,
                line: record.line,
                sequence: record.sequence,
                text: first_line(record.message).to_owned(),
                body: body.to_owned(),
            });
        }
        if self.quick.len() < 4 * MOST_SHAPES && place < MOST_SHAPES {
            self.quick.insert(self.key.clone(), place);
        }
        place
    }

    /// Forgets the lines of which only a prefix of the DRM core says whose they are: in a log without
    /// an AMD GPU they are another driver's.
    pub(super) fn keep_own(&mut self) {
        self.shapes.retain(|known| known.driver == Driver::Amdgpu);
        self.places.clear();
        self.quick.clear();
    }

    /// The shapes, loudest first, as they come in the log where they are equally loud; errors and worse
    /// count as one. What has no level comes last.
    #[must_use]
    pub fn by_level(&self) -> Vec<&Unknown> {
        let mut all: Vec<&Unknown> = self.shapes.iter().collect();
        all.sort_by_key(|known| known.level.map_or(u8::MAX, |level| level.max(Level::Error) as u8));
        all
    }

    /// How many lines say that something went wrong.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.shapes.iter().filter(|known| known.is_error()).map(|known| known.count).sum()
    }

    /// Lines of further shapes than are kept.
    #[must_use]
    pub const fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Whether every line is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }
}

fn loudest(one: Option<Level>, other: Option<Level>) -> Option<Level> {
    one.into_iter().chain(other).min()
}

/// How loud a line is: as the log says, and at least an error where its prefix calls it one.
#[must_use]
pub fn level(record: &Record<'_>, envelope: &Envelope<'_>) -> Option<Level> {
    let message = record.message;
    let prefix = message.get(..message.len().saturating_sub(envelope.body.len()));
    let error = prefix.is_some_and(|prefix| prefix.contains("*ERROR*")).then_some(Level::Error);
    loudest(record.level, error)
}

/// Writes `body` with one digit for each number: what differs in numbers alone has one shape.
fn with_numbers_alike(body: &str, key: &mut String) {
    key.clear();
    let mut rest = body;
    while let Some(at) = rest.bytes().position(|byte| byte.is_ascii_digit()) {
        let (before, number) = rest.split_at(at);
        key.push_str(before);
        rest = match number.strip_prefix("0x") {
            Some(hexadecimal) => {
                key.push_str("0x0");
                hexadecimal.trim_start_matches(|c: char| c.is_ascii_hexdigit())
            }
            None => {
                key.push('0');
                number.trim_start_matches(|c: char| c.is_ascii_digit())
            }
        };
    }
    key.push_str(rest);
}

/// The first line of `text`, cut where nobody reads on.
fn first_line(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.get(..end).unwrap_or_default()
}

/// The format that `body` seems to be printed with: names in quotes, of processes and of rings,
/// numbers and addresses become conversions.
#[must_use]
pub fn shape(body: &str) -> String {
    let body = with_quotes_replaced(body);
    let words: Vec<&str> = body.split_whitespace().collect();
    let mut shape = String::with_capacity(body.len());
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !shape.is_empty() {
            shape.push(' ');
        }
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        match before.and_then(|before| name_length(before, &words[at..])) {
            Some(length) => {
                let end = words.get(at + length - 1).map_or("", |last| closing(last));
                shape.push_str("%{_:s}");
                push_literal(&mut shape, end);
                at += length;
            }
            None => {
                push_word(&mut shape, word);
                at += 1;
            }
        }
    }
    shape
}

/// How many of `words` are a name, which stands behind the word `before`.
fn name_length(before: &str, words: &[&str]) -> Option<usize> {
    match before.trim_start_matches('(').to_ascii_lowercase().as_str() {
        // The name of a process may hold blanks; its id tells where it ends.
        "process" | "thread" | "task" => {
            words.iter().take(6).position(|word| *word == "pid").filter(|length| *length > 0)
        }
        "comm" | "comm:" => Some(1),
        "ring" => {
            words.first().filter(|word| word.contains(|c: char| c.is_ascii_digit())).map(|_| 1)
        }
        _ => None,
    }
    .filter(|length| words.get(length - 1).is_some_and(|last| !is_number(last)))
}

fn is_number(word: &str) -> bool {
    word.trim_matches(|c: char| c.is_ascii_punctuation()).chars().all(|c| c.is_ascii_digit())
}

/// The punctuation that ends a word.
fn closing(word: &str) -> &str {
    let core = word.trim_end_matches([')', ']', '>', '}', ',', '.', ';', ':', '!', '?', '"', '\'']);
    word.get(core.len()..).unwrap_or_default()
}

/// What stands in quotes becomes one value. An apostrophe inside a word is none.
fn with_quotes_replaced(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['\'', '"', '`']) {
        let (before, quoted) = rest.split_at(open);
        let mark = quoted.chars().next().unwrap_or('"');
        let closing = if mark == '`' { ['`', '\''] } else { [mark, mark] };
        let begins = before.is_empty() || before.ends_with([' ', '(', '[', '=', ':', ',']);
        replaced.push_str(before);
        replaced.push(mark);
        let inside = &quoted[1..];
        rest = match inside.find(closing).filter(|end| begins && *end > 0) {
            Some(end) => {
                replaced.push(TEXT);
                replaced.push_str(&inside[end..=end]);
                &inside[end + 1..]
            }
            None => inside,
        };
    }
    replaced + rest
}

fn push_word(shape: &mut String, word: &str) {
    let bare = word.trim_start_matches(['(', '[', '<', '{', '"', '\'']);
    let end = closing(bare);
    let core = &bare[..bare.len() - end.len()];
    if core.parse::<PciAddress>().is_ok() || is_ring(core) || is_file(core) {
        push_literal(shape, &word[..word.len() - bare.len()]);
        shape.push_str("%{_:s}");
        push_literal(shape, end);
    } else {
        push_values(shape, word);
    }
}

/// `gfx_0.0.0`, `vcn_unified_0`; a function such as `mes_v11_0_submit` is none.
fn is_ring(word: &str) -> bool {
    const BEGINNINGS: [&str; 8] = ["gfx_", "comp_", "sdma", "vcn_", "jpeg_", "kiq_", "mes_", "vpe"];
    BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
        && word.ends_with(|c: char| c.is_ascii_digit())
        && !word.contains("_v")
}

fn is_file(word: &str) -> bool {
    let firmware = word.rsplit_once('.').is_some_and(|(_, ending)| ending == "bin");
    word.contains('/') && (word.starts_with('/') || firmware)
}

/// Writes a word with its numbers as conversions.
fn push_values(shape: &mut String, word: &str) {
    let mut rest = word;
    // What stands before a number decides whether it is one.
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let signed = first == '-'
            && !before.is_ascii_alphanumeric()
            && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        let start = usize::from(signed);
        let length = rest[start..].find(|c| !part(c)).unwrap_or(rest.len() - start);
        if length == 0 {
            if first == TEXT {
                shape.push_str("%{_:s}");
            } else {
                push_literal(shape, &rest[..first.len_utf8()]);
            }
            before = first;
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (token, behind) = rest.split_at(start + length);
        push_token(shape, token);
        before = token.chars().next_back().unwrap_or(' ');
        rest = behind;
    }
}

/// Writes letters and digits that stand together.
fn push_token(shape: &mut String, token: &str) {
    const UNITS: [&str; 22] = [
        "", "B", "K", "KB", "KiB", "M", "MB", "MiB", "G", "GB", "GiB", "ns", "us", "ms", "s", "x",
        "V", "mV", "W", "C", "MHz", "Mhz",
    ];
    let hexadecimal = |text: &str| text.chars().all(|c| c.is_ascii_hexdigit());
    let digits = |text: &str| text.chars().any(|c| c.is_ascii_digit());
    if token.strip_prefix("0x").is_some_and(|number| !number.is_empty() && hexadecimal(number)) {
        shape.push_str("0x%{_:x}");
        return;
    }
    let unsigned = token.trim_start_matches('-');
    let unit = unsigned.trim_start_matches(|c: char| c.is_ascii_digit());
    let padded = unsigned.len() >= 8 && unsigned.starts_with('0');
    if hexadecimal(token) && digits(token) && (token.len() >= 6 && !unit.is_empty() || padded) {
        shape.push_str("%{_:x}");
    } else if unit.len() < unsigned.len() && UNITS.contains(&unit) {
        shape.push_str("%{_:d}");
        shape.push_str(unit);
    } else {
        push_literal(shape, token);
    }
}

fn push_literal(shape: &mut String, text: &str) {
    for c in text.chars() {
        if c == '%' {
            shape.push('%');
        }
        shape.push(c);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;
    use crate::pattern::format::Format;

    #[test]
    fn what_changes_becomes_a_conversion() {
        for (body, want) in [
            ("failed to frob vcn_unified_0 (-22)", "failed to frob %{_:s} (%{_:d})"),
            ("VRAM: 24560M 0x0000008000000000 used", "VRAM: %{_:d}M 0x%{_:x} used"),
            ("can't open 'my file', 7 times", "can't open '%{_:s}', %{_:d} times"),
            (
                "fault of process my game pid 7 thread a:b pid 8",
                "fault of process %{_:s} pid %{_:d} thread %{_:s} pid %{_:d}",
            ),
            ("failed to process irq 5", "failed to process irq %{_:d}"),
            ("ring 3 and ring gfx0 at 9%", "ring %{_:d} and ring %{_:s} at %{_:d}%%"),
            ("0000:03:00.0: loaded amdgpu/gc_11.bin", "%{_:s}: loaded %{_:s}"),
            ("DMUB version=0x07002d00 of DCN3_2", "DMUB version=0x%{_:x} of DCN3_2"),
            ("key 00000000deadbeef, face 4b3f9c1e", "key %{_:x}, face %{_:x}"),
            ("seq=5,link 3.2", "seq=%{_:d},link %{_:d}.%{_:d}"),
            ("", ""),
        ] {
            assert_eq!(shape(body), want, "{body}");
        }
    }

    /// Whatever a line holds, its shape is a format and matches it.
    #[test]
    fn a_shape_matches_its_line() {
        for body in [
            "failed to frob vcn_unified_0 (-22), 50% of 'a b' \"c\" `d'",
            "Ünïcode 'ü' 0x12 % %% ''",
            "-- -5 --5 1-2-3 a-1 [drm] {x} <7>",
            "comm: (x) process a b c pid 3 task pid 4",
            "'",
        ] {
            let format = Format::parse(&shape(body)).unwrap();
            assert!(format.can_print(body), "{body}: {}", shape(body));
        }
    }

    #[test]
    fn lines_of_one_shape_are_counted_loudest_first() {
        let log = log("\
<6>[    1.000000] amdgpu 0000:03:00.0: amdgpu: frobbing block 3
<6>[    1.000001] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
<3>[    1.000002] amdgpu 0000:03:00.0: amdgpu: cannot frob 5
<6>[    1.000003] amdgpu 0000:03:00.0: amdgpu: frobbing block 4
<6>[    1.000004] [drm:amdgpu_frob [amdgpu]] *ERROR* lost 7 frobs
[    1.000005] [TTM] a pool of 12 frobs
");
        let all = log.unknown.by_level();
        let told: Vec<_> =
            all.iter().map(|u| (u.shape.as_str(), u.level, u.count, u.line)).collect();
        assert_eq!(
            told,
            [
                ("cannot frob %{_:d}", Some(Level::Error), 1, 3),
                ("lost %{_:d} frobs", Some(Level::Error), 1, 5),
                ("frobbing block %{_:d}", Some(Level::Info), 2, 1),
                ("a pool of %{_:d} frobs", None, 1, 6),
            ]
        );
        assert_eq!(log.unknown.errors(), 2);
        assert_eq!(all[1].function.as_deref(), Some("amdgpu_frob"));
    }

    #[test]
    fn lines_that_differ_in_numbers_alone_are_alike() {
        let mut key = String::new();
        with_numbers_alike("a 12 of 0x00ff3c, b3c -5", &mut key);
        assert_eq!(key, "a 0 of 0x0, b0c -0");
    }

    #[test]
    fn lines_without_an_amd_gpu_are_another_drivers() {
        assert!(log("[    1.000000] [drm] *ERROR* frob 1\n").unknown.is_empty());
    }

    #[test]
    fn shapes_have_a_limit() {
        let line = |n: usize| {
            let letter = |n: usize| char::from(b'a' + u8::try_from(n % 26).unwrap_or(0));
            let word: String = [n / 676, n / 26, n].map(letter).iter().collect();
            format!("[    1.000000] amdgpu 0000:03:00.0: amdgpu: frob {word}\n")
        };
        let text: String = (0..MOST_SHAPES + 7).map(line).collect();
        let log = log(&text);
        assert_eq!((log.unknown.by_level().len(), log.unknown.beyond()), (MOST_SHAPES, 7));
    }
}
