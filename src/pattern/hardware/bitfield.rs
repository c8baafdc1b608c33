//! Words of interrupts that hold several fields.

use serde::{Deserialize, Serialize};

use super::chip::parsed;
use super::enumeration::{EnumerationKind, read_kind};
use super::fault::Bits;
use super::silicon::{Fit, GfxPattern, Silicon, best_fit};
use crate::pattern::fields::Fields;
use crate::pattern::source::{At, Sources};

/// What a word with several fields is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BitfieldKind {
    /// The ring byte of an interrupt.
    RingByte,
    /// The words of a shader interrupt.
    SqInterrupt,
}

/// The layout of one or two words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bitfield {
    /// What the words are.
    pub kind: BitfieldKind,
    /// The chips that have it so; all, where none is listed.
    pub gfx: Vec<GfxPattern>,
    /// How many words it has.
    pub words: usize,
    /// The values of the field `encoding` for which it holds; all, where none is listed.
    pub encoding: Vec<u32>,
    /// What is true of all values.
    pub note: Option<String>,
    /// Where the layout is from.
    pub source: String,
    /// The fields, the lowest first.
    pub fields: Vec<WordField>,
}

/// A field of such words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordField {
    /// Its name.
    pub name: String,
    /// Which word it is in.
    pub word: usize,
    /// Its bits there.
    pub bits: Bits,
    /// What it is.
    pub means: Option<String>,
    /// The enumeration that its values are of.
    pub values: Option<EnumerationKind>,
    /// It is there only where the field `encoding` has this value.
    pub encoding: Option<u32>,
}

impl WordField {
    /// Its value; words that are missing are 0.
    #[must_use]
    pub fn of(&self, words: &[u32]) -> u32 {
        self.bits.of(words.get(self.word).copied().unwrap_or_default())
    }

    fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>, words: usize) -> Option<Self> {
        let name = fields.required_text(sources, "name");
        let bits = fields.required_text(sources, "bits");
        let bits = bits.and_then(|text| parsed(sources, std::slice::from_ref(&text)).pop());
        let word = count(sources, &mut fields, "word").unwrap_or_default();
        if word >= words {
            sources.mistake(fields.place(), format!("there are {words} words, counted from 0"));
        }
        let means = fields.text(sources, "means").map(|text| text.value);
        let values = read_kind(sources, &mut fields, "values");
        let encoding = count(sources, &mut fields, "encoding");
        fields.finish(sources);
        let encoding = encoding.and_then(|value| u32::try_from(value).ok());
        Some(Self { name: name?.value, word, bits: bits?, means, values, encoding })
    }
}

impl Bitfield {
    /// Whether words of a chip may have this layout, by the chip and by what they say themselves.
    #[must_use]
    pub fn fit(&self, silicon: Silicon<'_>, words: &[u32]) -> Fit {
        let encoding = self.encoding_of(words);
        if encoding
            .is_some_and(|value| !self.encoding.is_empty() && !self.encoding.contains(&value))
        {
            return Fit::No;
        }
        best_fit(&self.gfx, silicon)
    }

    /// The value of the field `encoding`, if there is one.
    #[must_use]
    pub fn encoding_of(&self, words: &[u32]) -> Option<u32> {
        self.fields.iter().find(|field| field.name == "encoding").map(|field| field.of(words))
    }

    pub(super) fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Self> {
        let kind = fields.required_text(sources, "kind");
        let kind = kind.and_then(|text| read_bitfield_kind(sources, &text));
        let gfx = fields.texts(sources, "gfx");
        let words = count(sources, &mut fields, "words");
        fields.require(sources, "words", words.is_some());
        let encoding = read_encodings(sources, &mut fields);
        let note = fields.text(sources, "note").map(|text| text.value);
        let source = fields.required_text(sources, "source");
        let mut found = Vec::new();
        for table in fields.tables(sources, "fields") {
            let place = table.place().clone();
            let Some(field) = WordField::read(sources, table, words.unwrap_or(1)) else { continue };
            let meets = |other: &&WordField| {
                // Two that are never there together may share their bits.
                let together = field.encoding.is_none()
                    || other.encoding.is_none()
                    || field.encoding == other.encoding;
                let shared = other.bits.mask() & field.bits.mask() != 0;
                other.word == field.word && shared && together
            };
            if let Some(other) = found.iter().find(meets) {
                sources.mistake(&place, format!("`{}` overlaps `{}`", field.bits, other.name));
            }
            found.push(field);
        }
        fields.require(sources, "fields", !found.is_empty());
        fields.finish(sources);
        let gfx = parsed(sources, &gfx);
        let source = source?.value;
        Some(Self { kind: kind?, gfx, words: words?, encoding, note, source, fields: found })
    }
}

fn read_bitfield_kind(sources: &mut Sources<'_>, text: &At<String>) -> Option<BitfieldKind> {
    match text.value.as_str() {
        "ring-byte" => Some(BitfieldKind::RingByte),
        "sq-interrupt" => Some(BitfieldKind::SqInterrupt),
        other => {
            let what = format!("`kind` is ring-byte or sq-interrupt, not `{other}`");
            sources.mistake(&text.place, what);
            None
        }
    }
}

/// Reads a small number.
fn count(sources: &mut Sources<'_>, fields: &mut Fields<'_>, key: &'static str) -> Option<usize> {
    let found = fields.integer(sources, key)?;
    let value = usize::try_from(found.value).ok().filter(|value| *value < 32);
    if value.is_none() {
        sources.mistake(&found.place, format!("`{key}` must be from 0 to 31"));
    }
    value
}

/// Reads a list of values of the field `encoding`.
fn read_encodings(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Vec<u32> {
    let Some(found) = fields.value("encoding") else { return Vec::new() };
    let items = found.value.as_array().map(|list| list.iter().map(toml::Spanned::get_ref));
    let read = |items: Vec<_>| -> Option<Vec<u32>> {
        let one = |item| crate::pattern::fields::integer(item).and_then(|n| u32::try_from(n).ok());
        items.into_iter().map(one).collect()
    };
    let values = items.and_then(|items| read(items.collect()));
    if values.is_none() {
        sources.mistake(&found.place, "`encoding` must be a list of numbers");
    }
    values.unwrap_or_default()
}
