//! TOML tables read key by key, so that one run finds every mistake and not only the first.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::source::{At, Place, Sources, suggestion};

/// A key, and its text or texts where it has some.
pub type NamedTexts = (At<String>, Option<Vec<At<String>>>);

/// A TOML table of which each key is asked for once; what was never asked for is a mistake.
#[derive(Debug)]
pub struct Fields<'t> {
    table: &'t DeTable<'t>,
    place: Place,
    asked: BTreeSet<&'static str>,
}

impl<'t> Fields<'t> {
    /// The table at `span` of file number `file`.
    #[must_use]
    pub const fn new(table: &'t DeTable<'t>, file: usize, span: Range<usize>) -> Self {
        Self { table, place: Place { file, span }, asked: BTreeSet::new() }
    }

    /// Where the table stands.
    #[must_use]
    pub const fn place(&self) -> &Place {
        &self.place
    }

    fn at(&self, span: Range<usize>) -> Place {
        Place { file: self.place.file, span }
    }

    fn get(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.asked.insert(key);
        self.table.get(key)
    }

    /// The value of `key` as `read` understands it; a mistake that wants `what` where it does not.
    fn read<T>(
        &mut self,
        sources: &mut Sources<'_>,
        key: &'static str,
        what: &str,
        read: impl FnOnce(&'t DeValue<'t>) -> Option<T>,
    ) -> Option<At<T>> {
        let found = self.get(key)?;
        let place = self.at(found.span());
        match read(found.get_ref()) {
            Some(value) => Some(At { value, place }),
            None => {
                let is = found.get_ref().type_str();
                sources.mistake(&place, format!("`{key}` must be {what}, this is {is}"));
                None
            }
        }
    }

    /// Text.
    pub fn text(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Option<At<String>> {
        self.read(sources, key, "text", |value| value.as_str().map(str::to_owned))
    }

    /// Text that must be there and not empty.
    pub fn required_text(
        &mut self,
        sources: &mut Sources<'_>,
        key: &'static str,
    ) -> Option<At<String>> {
        let found = self.text(sources, key);
        self.require(sources, key, found.is_some());
        if let Some(text) = found.as_ref().filter(|text| text.value.trim().is_empty()) {
            sources.mistake(&text.place, format!("`{key}` is empty"));
        }
        found
    }

    /// Notes a mistake where `key` is missing altogether.
    pub fn require(&self, sources: &mut Sources<'_>, key: &str, read: bool) {
        if !read && self.table.get(key).is_none() {
            sources.mistake(&self.place, format!("`{key}` is missing"));
        }
    }

    /// A whole number.
    pub fn integer(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Option<At<i64>> {
        self.read(sources, key, "a whole number", integer)
    }

    /// A number, whole or not.
    pub fn number(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Option<At<f64>> {
        self.read(sources, key, "a number", |value| {
            value.as_float().map_or_else(
                // Small whole numbers only: confidences and the like.
                || integer(value).and_then(|n| i32::try_from(n).ok()).map(f64::from),
                |float| float.as_str().replace('_', "").parse().ok(),
            )
        })
    }

    /// `true` or `false`; false where it is not said.
    pub fn flag(&mut self, sources: &mut Sources<'_>, key: &'static str) -> bool {
        self.read(sources, key, "true or false", DeValue::as_bool).is_some_and(|flag| flag.value)
    }

    /// One text or a list of texts.
    pub fn texts(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Vec<At<String>> {
        let found = self.get(key);
        found.and_then(|found| self.read_texts(sources, key, found)).unwrap_or_default()
    }

    /// For tables whose keys are free: each key, and its text or texts where it has some.
    pub fn all_texts(&self, sources: &mut Sources<'_>) -> Vec<NamedTexts> {
        let entry = |(key, value): (&'t Spanned<toml::de::DeString<'t>>, _)| {
            let name = key.get_ref().clone().into_owned();
            let texts = self.read_texts(sources, &name, value);
            (At { value: name, place: self.at(key.span()) }, texts)
        };
        self.table.iter().map(entry).collect()
    }

    fn read_texts(
        &self,
        sources: &mut Sources<'_>,
        key: &str,
        found: &Spanned<DeValue<'_>>,
    ) -> Option<Vec<At<String>>> {
        let place = self.at(found.span());
        match found.get_ref() {
            DeValue::String(text) => Some(vec![At { value: text.clone().into_owned(), place }]),
            DeValue::Array(list) => Some(self.list_of_texts(sources, key, list)),
            other => {
                let is = other.type_str();
                sources.mistake(&place, format!("`{key}` must be text or a list, this is {is}"));
                None
            }
        }
    }

    fn list_of_texts(
        &self,
        sources: &mut Sources<'_>,
        key: &str,
        list: &DeArray<'_>,
    ) -> Vec<At<String>> {
        let mut texts = Vec::new();
        for item in list {
            let place = self.at(item.span());
            match item.get_ref().as_str() {
                Some(text) => texts.push(At { value: text.to_owned(), place }),
                None => sources.mistake(&place, format!("`{key}` holds something that is no text")),
            }
        }
        texts
    }

    /// A table in this table.
    pub fn table(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Option<Fields<'t>> {
        let found = self.read(sources, key, "a table", DeValue::as_table)?;
        Some(Fields { table: found.value, place: found.place, asked: BTreeSet::new() })
    }

    /// A list of tables: `[[key]]`.
    pub fn tables(&mut self, sources: &mut Sources<'_>, key: &'static str) -> Vec<Fields<'t>> {
        let Some(list) = self.read(sources, key, "a list of tables", DeValue::as_array) else {
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in list.value {
            let place = self.at(item.span());
            match item.get_ref().as_table() {
                Some(table) => tables.push(Fields { table, place, asked: BTreeSet::new() }),
                None => sources.mistake(&place, format!("`{key}` must hold tables")),
            }
        }
        tables
    }

    /// The value of `key` as it stands, for values of which several shapes are good.
    pub fn value(&mut self, key: &'static str) -> Option<At<&'t DeValue<'t>>> {
        let found = self.get(key)?;
        Some(At { value: found.get_ref(), place: self.at(found.span()) })
    }

    /// All keys of the table with their values, for tables whose keys are free.
    #[must_use]
    pub fn entries(&self) -> Vec<(At<String>, At<&'t DeValue<'t>>)> {
        let entry = |(key, value): (&'t Spanned<_>, &'t Spanned<DeValue<'t>>)| {
            let name: &toml::de::DeString<'_> = key.get_ref();
            let key = At { value: name.clone().into_owned(), place: self.at(key.span()) };
            (key, At { value: value.get_ref(), place: self.at(value.span()) })
        };
        self.table.iter().map(entry).collect()
    }

    /// Reports every key that was not asked for.
    pub fn finish(self, sources: &mut Sources<'_>) {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if self.asked.contains(name) {
                continue;
            }
            let place = self.at(key.span());
            let what = format!("`{name}` means nothing here");
            match suggestion(name, self.asked.iter().copied()) {
                Some(hint) => sources.mistake_with_hint(&place, what, hint),
                None => sources.mistake_with_hint(
                    &place,
                    what,
                    format!("known here: {}", list(&self.asked)),
                ),
            }
        }
    }
}

fn list(words: &BTreeSet<&'static str>) -> String {
    words.iter().copied().collect::<Vec<_>>().join(", ")
}

/// A whole number in any of TOML's bases.
#[must_use]
pub fn integer(value: &DeValue<'_>) -> Option<i64> {
    let found = value.as_integer()?;
    i64::from_str_radix(&found.as_str().replace('_', ""), found.radix()).ok()
}

/// Parses one file; `None` where it is no TOML, which is noted.
#[must_use]
pub fn parse<'t>(sources: &mut Sources<'t>, file: usize) -> Option<Spanned<DeTable<'t>>> {
    let text = &sources.files().get(file)?.text;
    let (table, errors) = DeTable::parse_recoverable(text);
    let is_toml = errors.is_empty();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        sources.mistake(&Place { file, span }, error.message().trim().to_owned());
    }
    // What follows from a mistake in writing is no mistake of its own.
    is_toml.then_some(table)
}
