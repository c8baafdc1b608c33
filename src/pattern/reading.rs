//! Reads values in pattern files that are not records: texts, numbers, lists, words of enums.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

use strum::VariantArray;
use toml::de::DeValue;

use super::constraint::KernelRange;
use super::document::{FromToml, Node};
use super::glob::Glob;
use super::hardware::{BitfieldKind, Bits, EnumerationKind, Numbering, Permission};
use super::machine::{Concern, Condition, DayChecked, FirmwareVersion, PackageKind};
use super::message::Printer;
use super::prose::Place;
use super::signature::{AsNotice, Scope, Status};
use super::source::hint;
use super::tracker::{Content, Value};
use crate::value::{
    AdvicePhase, Cause, Certainty, DeviceKind, DistributionFamily, FailureClass, GfxTarget,
    HardwareClass, Hub, KernelVersion, Layer, Level, MachineForm, Mention, Micros, PciId,
    PrivateKind, Role, Severity, Trust,
};

/// An integer in any of TOML's bases.
pub(crate) fn integer(value: &DeValue<'_>) -> Option<i64> {
    let found = value.as_integer()?;
    i64::from_str_radix(&found.as_str().replace('_', ""), found.radix()).ok()
}

impl FromToml for String {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let Some(text) = node.text() else { return node.wrong_type("text") };
        if text.trim().is_empty() {
            node.mistake(format!("`{}` is empty", node.key));
        }
        Some(text.to_owned())
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

impl FromToml for bool {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        node.value.as_bool().or_else(|| node.wrong_type("true or false"))
    }

    fn absent() -> Option<Self> {
        Some(false)
    }

    fn placeholder() -> Self {
        false
    }
}

impl FromToml for f64 {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let float =
            node.value.as_float().and_then(|float| float.as_str().replace('_', "").parse().ok());
        // Only small integers, such as confidences.
        let whole = || integer(node.value).and_then(|n| i32::try_from(n).ok()).map(Self::from);
        float.or_else(whole).or_else(|| node.wrong_type("a number"))
    }

    fn placeholder() -> Self {
        0.0
    }
}

/// Reads an integer from 0 to `most`; `most` is used in the error message.
fn number<T: TryFrom<i64>>(node: &Node<'_>, most: impl Display) -> Option<T> {
    let Some(number) = integer(node.value) else { return node.wrong_type("a whole number") };
    let read = T::try_from(number).ok();
    if read.is_none() {
        node.mistake(format!("`{}` must be from 0 to {most}", node.key));
    }
    read
}

macro_rules! numbers {
    ($($Number:ty),*) => { $(
        impl FromToml for $Number {
            fn from_toml(node: &Node<'_>) -> Option<Self> {
                number(node, format_args!("0x{:x}", <$Number>::MAX))
            }

            fn placeholder() -> Self {
                0
            }
        }
    )* };
}
numbers!(u8, u32, u64, usize, i64);

impl<T: FromToml> FromToml for Option<T> {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        T::from_toml(node).map(Some)
    }

    fn absent() -> Option<Self> {
        Some(None)
    }

    fn placeholder() -> Self {
        None
    }
}

/// A single value or a list; values that cannot be read are left out.
impl<T: FromToml> FromToml for Vec<T> {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        Some(node.items().iter().filter_map(T::from_toml).collect())
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

/// A table with arbitrary keys.
impl<T: FromToml> FromToml for BTreeMap<String, T> {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let Some(table) = node.table() else { return node.wrong_type("a table") };
        let entry = |node: &Node<'_>| Some((node.key.to_owned(), T::from_toml(node)?));
        Some(table.entries().iter().filter_map(entry).collect())
    }

    fn absent() -> Option<Self> {
        Some(Self::new())
    }

    fn placeholder() -> Self {
        Self::new()
    }
}

/// Reads one of a set of words.
pub(crate) fn word<T: Copy>(
    node: &Node<'_>,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Option<T> {
    let Some(text) = node.text() else { return node.wrong_type("text") };
    let found = all.iter().find(|one| name(**one) == text).copied();
    if found.is_none() {
        let what = format!("`{text}` is no value of `{}`", node.key);
        node.mistake_with_hint(what, hint(text, all.iter().map(|one| name(*one))));
    }
    found
}

/// Implements [`FromToml`] for enums with words.
macro_rules! words_read {
    ($($Word:ty),* $(,)?) => { $(
        impl FromToml for $Word {
            fn from_toml(node: &Node<'_>) -> Option<Self> {
                word(node, Self::VARIANTS, Self::name)
            }

            fn placeholder() -> Self {
                Self::VARIANTS[0]
            }
        }
    )* };
}

/// Reads a text that is parsed by `FromStr`.
pub(crate) fn parsed<T: FromStr<Err: Display>>(node: &Node<'_>) -> Option<T> {
    let Some(text) = node.text() else { return node.wrong_type("text") };
    text.parse().map_err(|error| node.mistake(format!("`{text}` is {error}"))).ok()
}

/// Implements [`FromToml`] for types that are parsed from text, each with a placeholder.
macro_rules! texts_read {
    ($($Parsed:ty: $example:literal),* $(,)?) => { $(
        impl FromToml for $Parsed {
            fn from_toml(node: &Node<'_>) -> Option<Self> {
                parsed(node)
            }

            fn placeholder() -> Self {
                let Ok(example) = $example.parse() else { unreachable!("{} is one", $example) };
                example
            }
        }
    )* };
}

impl FromToml for Glob {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        String::from_toml(node).map(|text| Self::new(&text))
    }

    fn placeholder() -> Self {
        Self::new("")
    }
}

/// A duration: `500ms`, `60s`, `5min`.
impl FromToml for Micros {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let text = String::from_toml(node)?;
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = match &text[digits.len()..] {
            "ms" => Some(1_000),
            "s" => Some(1_000_000),
            "min" => Some(60_000_000),
            _ => None,
        };
        let number = digits.parse::<i64>().ok().filter(|number| (0..1_000_000).contains(number));
        let found = unit.zip(number).map(|(unit, number)| Self(number * unit));
        if found.is_none() {
            node.mistake("a span is written as 500ms, 60s or 5min");
        }
        found
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

impl FromToml for KernelRange {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let wrong = |shape: &str| node.mistake(shape);
        String::from_toml(node)?.parse().map_err(wrong).ok()
    }

    fn placeholder() -> Self {
        Self::default()
    }
}

texts_read! {
    Bits: "0",
    DayChecked: "2026-01-01",
    FirmwareVersion: "0x0",
    GfxTarget: "gfx900",
    KernelVersion: "1.0",
    PciId: "1002:0000",
}

words_read! {
    AdvicePhase, AsNotice, BitfieldKind, Cause, Certainty, Concern, Condition, Content, DeviceKind, DistributionFamily, FailureClass,
    EnumerationKind, HardwareClass, Layer, Level, MachineForm, Mention, Numbering, PackageKind, Permission, Place, Printer, PrivateKind,
    Role, Scope, Severity, Status,
    Trust, Value,
}

impl FromToml for Hub {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let name = |hub| match hub {
            Self::Gfx => "gfxhub",
            Self::Mm => "mmhub",
        };
        word(node, &[Self::Gfx, Self::Mm], name)
    }

    fn placeholder() -> Self {
        Self::Gfx
    }
}
