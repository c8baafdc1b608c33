//! Lazily deserialised parts of the patterns: a log uses few of 1,500 messages, and most logs need
//! no signature.

use std::ops::{Deref, DerefMut};
use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::document::{FromToml, Node};

/// A lazily deserialised part of the patterns.
#[derive(Clone, Debug)]
pub struct Lazy<T> {
    /// The bytes that the build script stored; empty if it was read from files.
    stored: &'static [u8],
    value: OnceLock<Box<T>>,
}

impl<T: Deserialize<'static>> Lazy<T> {
    const fn stored(stored: &'static [u8]) -> Self {
        Self { stored, value: OnceLock::new() }
    }

    fn read(&self) -> T {
        match postcard::from_bytes(self.stored) {
            Ok(value) => value,
            Err(error) => unreachable!("the build script wrote what this cannot read: {error}"),
        }
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self { stored: &[], value: OnceLock::from(Box::new(value)) }
    }
}

impl<T: Default> Default for Lazy<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

impl<T: Deserialize<'static>> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.get_or_init(|| Box::new(self.read()))
    }
}

impl<T: Deserialize<'static>> DerefMut for Lazy<T> {
    fn deref_mut(&mut self) -> &mut T {
        let value = self.value.take().unwrap_or_else(|| Box::new(self.read()));
        let _ = self.value.set(value);
        match self.value.get_mut() {
            Some(value) => value,
            None => unreachable!("it was set above"),
        }
    }
}

impl<'a, T> IntoIterator for &'a Lazy<Vec<T>>
where
    Vec<T>: Deserialize<'static>,
{
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: FromToml> FromToml for Lazy<T> {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        T::from_toml(node).map(Self::from)
    }

    fn absent() -> Option<Self> {
        T::absent().map(Self::from)
    }

    fn placeholder() -> Self {
        Self::from(T::placeholder())
    }
}

impl<T: Deserialize<'static> + PartialEq> PartialEq for Lazy<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Deserialize<'static> + Eq> Eq for Lazy<T> {}

impl<T: Deserialize<'static> + Serialize> Serialize for Lazy<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = postcard::to_stdvec(&**self).map_err(serde::ser::Error::custom)?;
        serializer.serialize_bytes(&stored)
    }
}

impl<'de: 'static, T: Deserialize<'static>> Deserialize<'de> for Lazy<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'static [u8]>::deserialize(deserializer).map(Self::stored)
    }
}

/// A list whose entries are deserialised one by one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound(
    serialize = "T: Deserialize<'static> + Serialize",
    deserialize = "'de: 'static, T: Deserialize<'static>"
))]
pub struct LazyList<T: Deserialize<'static>>(Vec<Lazy<T>>);

impl<T: Deserialize<'static>> Default for LazyList<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Deserialize<'static>> LazyList<T> {
    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + Clone {
        self.0.iter().map(Deref::deref)
    }

    /// Their number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entry at `at`.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<&T> {
        self.0.get(at).map(Deref::deref)
    }

    pub(super) fn push(&mut self, entry: T) {
        self.0.push(Lazy::from(entry));
    }
}
