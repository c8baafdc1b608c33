//! The types that event fields have: how each is parsed and shown.

use std::str::FromStr;

use super::{Conversion, Field, FieldKind, Shape, Value};
use crate::value::{
    AddressSpace, AerSeverity, DisplayWait, DmubStatus, EdidStatus, Errno, FaultBits, Frame,
    Frames, GfxTarget, Hex, Hub, IpVersion, LockupKind, MesOpcode, Micros, Named, PciAddress,
    PciChannel, Phase, Phrase, RasKind, ResetMethod, ResetSource, Ring, ShaderErrorKind, Text,
    UnmapRequest, Words,
};

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

    fn in_words(&self) -> String {
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

    fn in_words(&self) -> String {
        Named(self).to_string()
    }
}

impl Field for Ring {
    const KIND: FieldKind = FieldKind::Name;
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

    fn in_words(&self) -> String {
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
    EdidStatus: WordOrNumber, |text| numbered(text, Self::from_repr);
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

    fn in_words(&self) -> String {
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

    fn in_words(&self) -> String {
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
