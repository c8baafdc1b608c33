//! JSON that preserves the order of keys, which is part of the contract.

use std::fmt;
use std::ops::Index;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// A JSON value. A duplicate key in an object is an error.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub(crate) fn read(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// The elements of a list; empty for other values.
    pub(crate) fn list(&self) -> &[Self] {
        if let Self::List(list) = self { list } else { &[] }
    }

    /// The keys of an object, in their order.
    pub(crate) fn keys(&self) -> Vec<&str> {
        let Self::Object(members) = self else { return Vec::new() };
        members.iter().map(|(key, _)| key.as_str()).collect()
    }

    pub(crate) fn text(&self) -> &str {
        if let Self::Text(text) = self { text } else { panic!("{self:?} is no text") }
    }

    pub(crate) fn number(&self) -> f64 {
        if let Self::Number(number) = self { *number } else { panic!("{self:?} is no number") }
    }

    /// A number that counts something.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "counts in tests are small; a sign or fraction would fail the comparison"
    )]
    pub(crate) fn count(&self) -> usize {
        let number = self.number();
        assert!(number >= 0.0 && number.fract() == 0.0, "{number} counts nothing");
        number as usize
    }

    pub(crate) fn is_null(&self) -> bool {
        *self == Self::Null
    }

    /// The texts of `key` in all elements of this list.
    pub(crate) fn each(&self, key: &str) -> Vec<&str> {
        self.list().iter().map(|element| element[key].text()).collect()
    }

    /// The ids of all diagnoses of all incidents of a report.
    pub(crate) fn diagnosed(&self) -> Vec<&str> {
        self["incidents"]
            .list()
            .iter()
            .flat_map(|incident| incident["diagnoses"].each("id"))
            .collect()
    }

    /// The outcomes of all incidents of a report.
    pub(crate) fn outcomes(&self) -> Vec<&str> {
        self["incidents"].each("outcome")
    }

    /// The diagnosis or notice with this id.
    #[track_caller]
    pub(crate) fn diagnosis(&self, id: &str) -> &Self {
        let incidents = self["incidents"].list().iter();
        incidents
            .flat_map(|incident| incident["diagnoses"].list())
            .find(|diagnosis| diagnosis["id"].text() == id)
            .unwrap_or_else(|| panic!("{id} is not among {:?}", self.diagnosed()))
    }
}

impl Index<&str> for Json {
    type Output = Self;

    #[track_caller]
    fn index(&self, key: &str) -> &Self {
        let Self::Object(members) = self else { panic!("no object, so no `{key}`: {self:?}") };
        let member = members.iter().find(|(name, _)| name == key);
        member.map_or_else(|| panic!("no `{key}` among {:?}", self.keys()), |(_, value)| value)
    }
}

impl Index<usize> for Json {
    type Output = Self;

    #[track_caller]
    fn index(&self, at: usize) -> &Self {
        let list = self.list();
        list.get(at).unwrap_or_else(|| panic!("no element {at} among {}", list.len()))
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

#[allow(clippy::cast_precision_loss, reason = "tests compare no number above 2^53")]
impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Flag(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = sequence.next_element()? {
            list.push(element);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members: Vec<(String, Json)> = Vec::new();
        while let Some((key, value)) = map.next_entry::<String, Json>()? {
            if members.iter().any(|(known, _)| *known == key) {
                return Err(A::Error::custom(format!("the key {key} comes twice")));
            }
            members.push((key, value));
        }
        Ok(Json::Object(members))
    }
}
