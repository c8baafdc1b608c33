//! The values that an event's fields hold: how each is read from a message, compared and printed.

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use super::{
    AddressSpace, AerSeverity, DisplayWait, DmubStatus, Errno, FaultBits, Frame, Frames, GfxTarget,
    Hex, Hub, IpVersion, LockupKind, MesOpcode, Micros, Named, PciAddress, PciChannel, Phase,
    Phrase, RasKind, ResetMethod, ResetSource, Ring, ShaderErrorKind, Text, UnmapRequest, Words,
};

/// What a printf conversion says about the text it produced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Conversion {
    /// `%d`, `%i`, `%u`: decimal digits.
    Decimal,
    /// `%x` in all its forms: hexadecimal digits.
    Hexadecimal,
    /// `%s` and the pointer conversions that print words.
    Text,
}

/// What a field can hold, for checking pattern files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Number,
    /// Free text.
    Text,
    Word(&'static [&'static str]),
    /// One of these words, or a number that has no word.
    WordOrNumber(&'static [&'static str]),
    /// A kernel stack: its functions.
    Stack,
    /// What the program concludes; no message fills it.
    Derived,
}

impl FieldKind {
    /// Whether a message may fill the field with this conversion.
    pub(crate) const fn accepts(self, conversion: Conversion) -> bool {
        match self {
            Self::Number => !matches!(conversion, Conversion::Text),
            Self::Text | Self::Word(_) | Self::Stack => matches!(conversion, Conversion::Text),
            Self::WordOrNumber(_) => !matches!(conversion, Conversion::Hexadecimal),
            Self::Derived => false,
        }
    }

    /// In words, for a mistake in a pattern file.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "text",
            Self::Word(_) => "one of a few words",
            Self::WordOrNumber(_) => "one of a few words or a number",
            Self::Stack => "a kernel stack",
            Self::Derived => "a conclusion",
        }
    }
}

/// How the values of a field are written in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Number,
    /// Hexadecimal digits behind `0x`, as text.
    Hex,
    /// A number; as hexadecimal digits where it is too large for a signed one of 64 bits.
    NumberOrHex,
    /// A page fault's status register: the printed word and what its bits say.
    FaultStatus,
    Text,
    Word(&'static [&'static str]),
    /// One of these words, or the digits of a number that has no word.
    WordOrNumber(&'static [&'static str]),
    /// Several texts.
    List,
    /// Where a status register and the printed lines differ.
    Disagreements,
}

/// A field's value, free of its type: what signatures compare, texts show and JSON prints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number that people read in decimal.
    Number(i64),
    /// A number that people read in hexadecimal.
    Hex(Hex),
    /// A register, and what its bits say where that is known.
    Register(Hex, Vec<(&'static str, Value)>),
    /// An error number.
    Errno(Errno),
    /// A word of a closed set.
    Word(String),
    /// Text from the log.
    Text(String),
    /// Several words from the log.
    List(Vec<String>),
    /// Several things with the same named values.
    Records(Vec<Vec<(&'static str, Value)>>),
}

impl Value {
    /// The number to compare with, if the value has one.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Hex(hex) | Self::Register(hex, _) => i64::try_from(hex.value).ok(),
            Self::Errno(errno) => Some(i64::from(errno.0)),
            Self::Word(_) | Self::Text(_) | Self::List(_) | Self::Records(_) => None,
        }
    }

    /// The words to compare with.
    pub(crate) fn words(&self) -> &[String] {
        match self {
            Self::Word(word) | Self::Text(word) => std::slice::from_ref(word),
            Self::List(words) => words,
            Self::Number(_)
            | Self::Hex(_)
            | Self::Register(..)
            | Self::Errno(_)
            | Self::Records(_) => &[],
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Hex(hex) | Self::Register(hex, _) => write!(f, "{hex}"),
            Self::Errno(errno) => write!(f, "{errno}"),
            Self::Word(text) | Self::Text(text) => f.write_str(text),
            Self::List(words) => f.write_str(&words.join(", ")),
            Self::Records(records) => {
                for (index, value) in records.iter().flatten().enumerate() {
                    let gap = if index == 0 { "" } else { ", " };
                    write!(f, "{gap}{} {}", value.0, value.1)?;
                }
                Ok(())
            }
        }
    }
}

/// A type that an event's field may have.
pub(crate) trait Field: Sized + Clone + PartialEq + 'static {
    /// What it holds.
    const KIND: FieldKind;

    /// How [`Field::value`] is written in JSON.
    const SHAPE: Shape;

    /// Reads what a conversion produced; `None` where the text is no such value (a number that a
    /// reporter replaced by `xxx`).
    fn read(text: &str, conversion: Conversion) -> Option<Self>;

    /// The value without its type.
    fn value(&self) -> Value;

    /// The value in words for people; a name that somebody else chose as [`Named`] shows it.
    fn said(&self) -> String {
        self.value().to_string()
    }

    /// Whether a later line of the same event may say this, too. It may not where the field says
    /// something else already: then the line belongs to another event. An empty field takes anything.
    fn takes(slot: Option<&Self>, later: &Self) -> bool {
        slot.is_none_or(|known| known == later)
    }

    /// Adds what a later line of the same event says.
    fn absorb(slot: &mut Option<Self>, later: Self) {
        if slot.is_none() {
            *slot = Some(later);
        }
    }
}

/// A field of an event without its type: what lines fill.
pub(crate) trait Slot {
    /// Reads `text` into it. False, and nothing in it, where the text is no value of its type.
    fn set(&mut self, text: &str, conversion: Conversion) -> bool;

    /// Whether it takes what a later line of the same event says.
    fn takes(&self, text: &str, conversion: Conversion) -> bool;

    /// Adds what a later line of the same event says.
    fn absorb(&mut self, text: &str, conversion: Conversion);

    /// The value, if there is one.
    fn value(&self) -> Option<Value>;

    /// The value in words for people.
    fn said(&self) -> Option<String>;

    /// The `Option` of the field's type.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Field> Slot for Option<T> {
    fn set(&mut self, text: &str, conversion: Conversion) -> bool {
        *self = T::read(text, conversion);
        self.is_some()
    }

    fn takes(&self, text: &str, conversion: Conversion) -> bool {
        // Most fields are empty, which needs no text to be read twice.
        let Some(known) = self else { return true };
        T::read(text, conversion).is_none_or(|later| T::takes(Some(known), &later))
    }

    fn absorb(&mut self, text: &str, conversion: Conversion) {
        if let Some(later) = T::read(text, conversion) {
            T::absorb(self, later);
        }
    }

    fn value(&self) -> Option<Value> {
        self.as_ref().map(T::value)
    }

    fn said(&self) -> Option<String> {
        self.as_ref().map(T::said)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Regular expressions capture hexadecimal numbers with their prefix.
fn number(text: &str, conversion: Conversion) -> Option<u64> {
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    match conversion {
        Conversion::Hexadecimal => u64::from_str_radix(text, 16).ok(),
        Conversion::Decimal | Conversion::Text => text.parse().ok(),
    }
}

impl Field for u64 {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::NumberOrHex;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        number(text, conversion)
    }

    fn value(&self) -> Value {
        i64::try_from(*self)
            .map_or_else(|_| Value::Hex(Hex { value: *self, digits: 16 }), Value::Number)
    }
}

impl Field for u32 {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::Number;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        number(text, conversion).and_then(|found| Self::try_from(found).ok())
    }

    fn value(&self) -> Value {
        Value::Number(i64::from(*self))
    }
}

impl Field for i32 {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::Number;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok()
    }

    fn value(&self) -> Value {
        Value::Number(i64::from(*self))
    }
}

impl Field for Hex {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::Hex;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        let length = text.strip_prefix("0x").unwrap_or(text).len();
        let digits = u8::try_from(length.min(16)).ok()?;
        number(text, conversion).map(|value| Self { value, digits })
    }

    fn value(&self) -> Value {
        Value::Hex(*self)
    }
}

impl Field for IpVersion {
    const KIND: FieldKind = Hex::KIND;
    const SHAPE: Shape = Hex::SHAPE;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        Hex::read(text, conversion).map(Self)
    }

    fn said(&self) -> String {
        self.to_string()
    }

    fn value(&self) -> Value {
        Value::Hex(self.0)
    }
}

impl Field for Errno {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::Number;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn value(&self) -> Value {
        Value::Errno(*self)
    }
}

impl Field for Micros {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::Number;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn value(&self) -> Value {
        Value::Number(self.0)
    }
}

impl Field for Text {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Text;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self::new(text))
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }

    fn said(&self) -> String {
        Named(self).to_string()
    }
}

impl Field for Ring {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Text;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        let name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
        let text = text.trim_matches(['<', '>']);
        (!text.is_empty() && text.bytes().all(name)).then(|| Self(Text::new(text)))
    }

    fn value(&self) -> Value {
        Value::Text(self.0.to_string())
    }
}

impl Field for Frames {
    const KIND: FieldKind = FieldKind::Stack;
    const SHAPE: Shape = Shape::List;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        Frame::read(text).map(|frame| Self(vec![frame]))
    }

    fn value(&self) -> Value {
        Value::List(self.0.iter().map(|frame| frame.function.clone()).collect())
    }

    fn takes(_: Option<&Self>, _: &Self) -> bool {
        true
    }

    /// A stack grows line by line, up to a depth that no real one reaches.
    fn absorb(slot: &mut Option<Self>, later: Self) {
        const DEEPEST: usize = 128;
        let frames = slot.get_or_insert_with(|| Self(Vec::new()));
        if frames.0.len() < DEEPEST {
            frames.0.extend(later.0);
        }
    }
}

impl Field for ResetSource {
    const KIND: FieldKind = FieldKind::WordOrNumber(Self::names());
    const SHAPE: Shape = Shape::Word(Self::names());

    fn read(text: &str, _: Conversion) -> Option<Self> {
        numbered(text, Self::from_repr)
    }

    fn said(&self) -> String {
        self.because().to_owned()
    }

    fn value(&self) -> Value {
        Value::Word(self.to_string())
    }
}

/// Fields that are one word of a closed set, read as the function says.
macro_rules! word_fields {
    ($($Type:ty: $Kind:ident, $read:expr;)*) => { $(
        impl Field for $Type {
            const KIND: FieldKind = FieldKind::$Kind(Self::names());
            const SHAPE: Shape = Shape::Word(Self::names());

            fn read(text: &str, _: Conversion) -> Option<Self> {
                let read: fn(&str) -> Option<Self> = $read;
                read(text)
            }

            fn value(&self) -> Value {
                Value::Word(self.to_string())
            }
        }
    )* };
}

/// The value that is printed as its number, or as its word.
fn numbered<T: FromStr>(text: &str, from_number: fn(u32) -> Option<T>) -> Option<T> {
    text.parse().map_or_else(|_| text.parse().ok(), from_number)
}

word_fields! {
    ResetMethod: Word, Self::read;
    UnmapRequest: Word, Self::read;
    Hub: Word, Self::read;
    AddressSpace: Word, Self::read;
    DisplayWait: Word, Self::read;
    LockupKind: Word, Self::read;
    Phase: Word, Self::read;
    RasKind: Word, Self::read;
    DmubStatus: WordOrNumber, |text| numbered(text, Self::from_repr);
    PciChannel: WordOrNumber, |text| numbered(text, Self::from_repr);
    ShaderErrorKind: WordOrNumber, |text| numbered(text, Self::from_repr);
}

impl Field for AerSeverity {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Word(Self::names());

    fn read(text: &str, _: Conversion) -> Option<Self> {
        Self::printed(text)
    }

    fn value(&self) -> Value {
        Value::Word(self.to_string())
    }
}

impl Field for Phrase {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Text;

    /// No line holds one.
    fn read(_: &str, _: Conversion) -> Option<Self> {
        None
    }

    fn value(&self) -> Value {
        Value::Text(self.0.clone())
    }

    fn said(&self) -> String {
        self.0.clone()
    }
}

impl Field for Words {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::List;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        <Text as Field>::read(text, conversion).map(|word| Self(vec![word.into()]))
    }

    fn value(&self) -> Value {
        Value::List(self.0.clone())
    }

    fn said(&self) -> String {
        let said: Vec<String> = self.0.iter().map(|word| Named(word).to_string()).collect();
        said.join(", ")
    }

    fn takes(_: Option<&Self>, _: &Self) -> bool {
        true
    }

    /// Grows line by line, up to more than any report has.
    fn absorb(slot: &mut Option<Self>, later: Self) {
        const MOST: usize = 64;
        let words = slot.get_or_insert_with(Self::default);
        if words.0.len() < MOST {
            words.0.extend(later.0);
        }
    }
}

impl Field for MesOpcode {
    const KIND: FieldKind = FieldKind::WordOrNumber(Self::names());
    const SHAPE: Shape = Shape::WordOrNumber(Self::names());

    fn read(text: &str, _: Conversion) -> Option<Self> {
        Self::read(text)
    }

    fn value(&self) -> Value {
        Value::Word(self.to_string())
    }
}

impl Field for PciAddress {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Text;

    /// Reads `0000:03:00.0`, and `03:00.0`, which is of the first segment.
    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok().or_else(|| format!("0000:{text}").parse().ok())
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

impl Field for GfxTarget {
    const KIND: FieldKind = FieldKind::Text;
    const SHAPE: Shape = Shape::Text;

    /// Reads `gfx906`, and the `9.0.6` of an override.
    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok().or_else(|| Self::from_override(text))
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// A page fault's status register with what its bits mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultStatus {
    /// The register as printed.
    pub raw: u32,
    /// Its fields; `None` until the layout is known, and for values that mean nothing.
    pub decoded: Option<FaultBits>,
}

impl Field for FaultStatus {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::FaultStatus;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        u32::read(text, conversion).map(|raw| Self { raw, decoded: None })
    }

    /// A fault has one status; the same value again is the next fault's.
    fn takes(slot: Option<&Self>, _: &Self) -> bool {
        slot.is_none()
    }

    fn value(&self) -> Value {
        let bits = self.decoded.as_ref().map(FaultBits::values).unwrap_or_default();
        Value::Register(Hex::register(self.raw), bits)
    }
}
