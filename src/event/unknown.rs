//! The driver's lines without a message, grouped by shape.
//!
//! The shape is the likely format, so that it is easy to turn into a message in
//! `patterns/messages`.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;

use super::envelope::{Driver, Envelope};
use super::shape::shape;
use crate::record::Record;
use crate::value::Level;

/// Maximum number of shapes; more of them are not meaningful.
const MOST_SHAPES: usize = 500;
/// Maximum length of a line to consider, in bytes.
const LONGEST: usize = 600;
/// Lines of the driver of one shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UnknownLine"))]
pub(crate) struct Unknown {
    /// Their common format, in the syntax of pattern files, with a conversion for each value.
    pub(crate) shape: String,
    /// The sender of the first line.
    #[serde(skip)]
    pub(crate) driver: Driver,
    /// The driver's function that printed it, if the prefix names it.
    #[serde(skip)]
    pub(crate) function: Option<String>,
    /// The most severe level among them; null if neither the log nor the prefix states one.
    pub(crate) level: Option<Level>,
    /// The number of lines.
    pub(crate) count: u64,
    /// The number of the first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) line: u64,
    /// The index of that record, from 0.
    #[serde(skip)]
    pub(crate) sequence: u64,
    /// The text of the first line, without time and host.
    pub(crate) text: String,
    /// The same without the driver's prefixes.
    #[serde(skip)]
    pub(crate) body: String,
}

impl Unknown {
    /// Whether it is an error.
    #[must_use]
    pub(crate) fn is_error(&self) -> bool {
        self.level.is_some_and(|level| level <= Level::Error)
    }
}

/// All shapes of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unknowns {
    shapes: Vec<Unknown>,
    /// The index of each shape.
    places: BTreeMap<String, usize>,
    /// The same by the text with its numbers normalised, for lines that occur thousands of times.
    quick: BTreeMap<String, usize>,
    /// A buffer for the normalised text.
    key: String,
    beyond: u64,
}

impl Unknowns {
    /// Adds a line without a message.
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

    /// The index of a line's shape; beyond the end if there is no room.
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

    /// Removes lines with only a prefix of the DRM core: in a log without an AMD GPU they are
    /// another driver's.
    pub(super) fn keep_own(&mut self) {
        self.shapes.retain(|known| known.driver == Driver::Amdgpu);
        self.places.clear();
        self.quick.clear();
    }

    /// The shapes by level, most severe first, and in the order of the log within a level; errors
    /// and worse levels count as one. Lines without a level are last.
    #[must_use]
    pub(crate) fn by_level(&self) -> Vec<&Unknown> {
        let mut all: Vec<&Unknown> = self.shapes.iter().collect();
        all.sort_by_key(|known| known.level.map_or(u8::MAX, |level| level.max(Level::Error) as u8));
        all
    }

    /// The number of error lines.
    #[must_use]
    pub(crate) fn errors(&self) -> u64 {
        self.shapes.iter().filter(|known| known.is_error()).map(|known| known.count).sum()
    }

    /// The number of error lines with the driver's own prefix.
    #[must_use]
    pub(crate) fn own_errors(&self) -> u64 {
        let own = self.shapes.iter().filter(|known| known.driver == Driver::Amdgpu);
        own.filter(|known| known.is_error()).map(|known| known.count).sum()
    }

    /// The first error line.
    #[must_use]
    pub(crate) fn first_error(&self) -> Option<&Unknown> {
        self.shapes.iter().filter(|known| known.is_error()).min_by_key(|known| known.sequence)
    }

    /// The number of lines with further shapes.
    #[must_use]
    pub(crate) const fn beyond(&self) -> u64 {
        self.beyond
    }

    /// Whether one of the driver's own shapes that first appears in these records may be an error.
    #[must_use]
    pub(crate) fn may_complain(&self, records: Range<u64>) -> bool {
        let loud = |known: &Unknown| known.level.is_none_or(|level| level <= Level::Warning);
        let own = self.shapes.iter().filter(|known| known.driver == Driver::Amdgpu);
        own.filter(|known| records.contains(&known.sequence)).any(loud)
    }

    /// Whether every line is known.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }
}

fn loudest(one: Option<Level>, other: Option<Level>) -> Option<Level> {
    one.into_iter().chain(other).min()
}

/// The level of a line: from the log, and at least an error if its prefix says so.
#[must_use]
pub(crate) fn level(record: &Record<'_>, envelope: &Envelope<'_>) -> Option<Level> {
    let message = record.message;
    let prefix = message.get(..message.len().saturating_sub(envelope.body.len()));
    let error = prefix.is_some_and(|prefix| prefix.contains("*ERROR*")).then_some(Level::Error);
    loudest(record.level, error)
}

/// Normalises each number in `body` to one digit.
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

/// The first line of `text`, cut at the maximum length.
fn first_line(text: &str) -> &str {
    let line = text.trim().lines().next().unwrap_or_default().trim_end();
    let mut end = line.len().min(LONGEST);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    line.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;

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
    fn lines_that_differ_only_in_numbers_have_one_shape() {
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
