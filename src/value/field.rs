//! The fields of events: what a type needs to be one ([`Field`]), and a field with its type erased
//! ([`Slot`]). `types` has the types.

mod types;

use std::any::Any;
use std::fmt;

use super::{Errno, Hex};

pub(crate) use types::FaultStatus;

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
    /// A name without blanks.
    Name,
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
            Self::Text | Self::Name | Self::Word(_) | Self::Stack => {
                matches!(conversion, Conversion::Text)
            }
            Self::WordOrNumber(_) => !matches!(conversion, Conversion::Hexadecimal),
            Self::Derived => false,
        }
    }

    /// A description, for errors in pattern files.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Text => "text",
            Self::Name => "a name without blanks",
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
    fn in_words(&self) -> String {
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
        self.as_ref().map(T::in_words)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
