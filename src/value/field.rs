//! The types of event fields: how each is parsed from a message, compared and printed.

use std::any::Any;
use std::fmt;
use std::str::FromStr;

use super::{
    AddressSpace, AerSeverity, DisplayWait, DmubStatus, Errno, FaultBits, Frame, Frames, GfxTarget,
    Hex, Hub, IpVersion, LockupKind, MesOpcode, Micros, Named, PciAddress, PciChannel, Phase,
    Phrase, RasKind, ResetMethod, ResetSource, Ring, ShaderErrorKind, Text, UnmapRequest, Words,
};

/// The printf conversion that produced a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Conversion {
    /// `%d`, `%i`, `%u`: decimal digits.
    Decimal,
    /// `%x` in all its forms: hexadecimal digits.
    Hexadecimal,
    /// `%s` and the pointer conversions that print words.
    Text,
}

/// The type of a field, for checking pattern files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldKind {
    Number,
    /// Free text.
    Text,
    Word(&'static [&'static str]),
    /// One of these words, or a number without a word.
    WordOrNumber(&'static [&'static str]),
    /// The functions of a kernel stack.
    Stack,
    /// A conclusion of the program; no message fills it.
    Derived,
}

impl FieldKind {
    /// Whether a message may fill the field from this conversion.
    pub(crate) const fn accepts(self, conversion: Conversion) -> bool {
        match self {
            Self::Number => !matches!(conversion, Conversion::Text),
            Self::Text | Self::Word(_) | Self::Stack => matches!(conversion, Conversion::Text),
            Self::WordOrNumber(_) => !matches!(conversion, Conversion::Hexadecimal),
            Self::Derived => false,
        }
    }

    /// A description, for errors in pattern files.
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

/// The representation of a field in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Number,
    /// Text with hexadecimal digits after `0x`.
    Hex,
    /// A number; hexadecimal text if it exceeds a signed 64-bit number.
    NumberOrHex,
    /// A page fault's status register: the printed word and its fields.
    FaultStatus,
    Text,
    Word(&'static [&'static str]),
    /// One of these words, or the digits of a number without a word.
    WordOrNumber(&'static [&'static str]),
    /// Several texts.
    List,
    /// Differences between a status register and the printed lines.
    Disagreements,
}

/// The value of any field: signatures compare it, texts show it, JSON contains it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A number that is shown in decimal.
    Number(i64),
    /// A number that is shown in hexadecimal.
    Hex(Hex),
    /// A register, with its fields if they are known.
    Register(Hex, Vec<(&'static str, Value)>),
    /// An error number.
    Errno(Errno),
    /// A word of a closed set.
    Word(String),
    /// Text from the log.
    Text(String),
    /// Several words from the log.
    List(Vec<String>),
    /// Several entries with the same named values.
    Records(Vec<Vec<(&'static str, Value)>>),
}

impl Value {
    /// The number for comparisons, if the value has one.
    pub(crate) fn number(&self) -> Option<i64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Hex(hex) | Self::Register(hex, _) => i64::try_from(hex.value).ok(),
            Self::Errno(errno) => Some(i64::from(errno.0)),
            Self::Word(_) | Self::Text(_) | Self::List(_) | Self::Records(_) => None,
        }
    }

    /// The words for comparisons.
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

/// A type of event field.
pub(crate) trait Field: Sized + Clone + PartialEq + 'static {
    /// The type, for checking pattern files.
    const KIND: FieldKind;

    /// The representation of [`Field::value`] in JSON.
    const SHAPE: Shape;

    /// Parses the text of a conversion; `None` if it is not such a value (a reporter may have
    /// replaced a number by `xxx`).
    fn read(text: &str, conversion: Conversion) -> Option<Self>;

    /// The value as any type.
    fn value(&self) -> Value;

    /// The value in words, for people; names from outside are shown by [`Named`].
    fn said(&self) -> String {
        self.value().to_string()
    }

    /// Whether a later line of the same event may contain this value. If the field has another
    /// value already, the line belongs to another event. An empty field accepts any value.
    fn takes(slot: Option<&Self>, later: &Self) -> bool {
        slot.is_none_or(|known| known == later)
    }

    /// Adds the value from a later line of the same event.
    fn absorb(slot: &mut Option<Self>, later: Self) {
        if slot.is_none() {
            *slot = Some(later);
        }
    }
}

/// A field of an event with its type erased, to be filled from lines.
pub(crate) trait Slot {
    /// Parses `text` into the field. Returns false and leaves it empty if the text is not a value
    /// of its type.
    fn set(&mut self, text: &str, conversion: Conversion) -> bool;

    /// Whether the field accepts the value from a later line of the same event.
    fn takes(&self, text: &str, conversion: Conversion) -> bool;

    /// Adds the value from a later line of the same event.
    fn absorb(&mut self, text: &str, conversion: Conversion);

    /// The value, if set.
    fn value(&self) -> Option<Value>;

    /// The value in words, for people.
    fn said(&self) -> Option<String>;

    /// The field as `Option<T>` of its type.
    fn as_any(&self) -> &dyn Any;
}

impl<T: Field> Slot for Option<T> {
    fn set(&mut self, text: &str, conversion: Conversion) -> bool {
        *self = T::read(text, conversion);
        self.is_some()
    }

    fn takes(&self, text: &str, conversion: Conversion) -> bool {
        // Most fields are empty, and then the text need not be parsed twice.
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

    /// A stack grows line by line, up to a limit beyond any real stack.
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

/// Defines fields with one word of a closed set; the given function parses them.
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

/// A value that is printed as its number or as its word.
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

    /// No message contains it.
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

    /// Grows line by line, up to a limit beyond any real report.
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

    /// Parses `0000:03:00.0`, and `03:00.0` in segment 0.
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

    /// Parses `gfx906`, and the `9.0.6` of an override.
    fn read(text: &str, _: Conversion) -> Option<Self> {
        text.parse().ok().or_else(|| Self::from_override(text))
    }

    fn value(&self) -> Value {
        Value::Text(self.to_string())
    }
}

/// A page fault's status register and its decoded fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FaultStatus {
    /// The register as printed.
    pub raw: u32,
    /// Its fields; `None` until the layout is known, and if the register holds no information.
    pub decoded: Option<FaultBits>,
}

impl Field for FaultStatus {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = Shape::FaultStatus;

    fn read(text: &str, conversion: Conversion) -> Option<Self> {
        u32::read(text, conversion).map(|raw| Self { raw, decoded: None })
    }

    /// A fault has one status; a second one, even if equal, belongs to the next fault.
    fn takes(slot: Option<&Self>, _: &Self) -> bool {
        slot.is_none()
    }

    fn value(&self) -> Value {
        let bits = self.decoded.as_ref().map(FaultBits::values).unwrap_or_default();
        Value::Register(Hex::register(self.raw), bits)
    }
}
