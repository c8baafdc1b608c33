//! Deserialises pattern files key by key, so that one run reports all mistakes and not only the
//! first.
//!
//! [`record!`] defines a struct together with its keys. Unknown keys are mistakes. A value that
//! cannot be read is reported and replaced by a placeholder, so that the rest of its table is
//! checked, too; files with mistakes are rejected, so placeholders are never used.

use std::cell::RefCell;
use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::source::{FileSpan, Name, Noun, Sources, hint};

/// The value of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node<'t> {
    /// The key; for an item of a list, the key of the list.
    pub key: &'t str,
    /// The location of the key.
    pub key_place: FileSpan,
    /// The location of the value.
    pub place: FileSpan,
    pub value: &'t DeValue<'t>,
    /// The files being loaded.
    pub sources: &'t Sources<'t>,
}

impl<'t> Node<'t> {
    /// Reports a mistake in the value.
    pub(crate) fn mistake(&self, what: impl Into<String>) {
        self.sources.mistake(self.place, what, None);
    }

    /// Reports a mistake in the value, with a hint.
    pub(crate) fn mistake_with_hint(&self, what: impl Into<String>, hint: impl Into<String>) {
        self.sources.mistake(self.place, what, Some(hint.into()));
    }

    /// Reports that the value has the wrong type.
    pub(crate) fn wrong_type<T>(&self, wanted: &str) -> Option<T> {
        let is = self.value.type_str();
        self.mistake(format!("`{}` must be {wanted}, this is {is}", self.key));
        None
    }

    /// Its text, if it is one.
    pub(crate) fn text(&self) -> Option<&'t str> {
        self.value.as_str()
    }

    /// The items of a list; a single value is a list with one item.
    pub(crate) fn items(&self) -> Vec<Self> {
        let Some(list) = self.value.as_array() else { return vec![*self] };
        let file = self.place.file;
        let item = |item: &'t Spanned<DeValue<'t>>| {
            let place = FileSpan::new(file, &item.span());
            Self { place, value: item.get_ref(), ..*self }
        };
        list.iter().map(item).collect()
    }

    pub(crate) fn table(&self) -> Option<Table<'t>> {
        let table = self.value.as_table()?;
        Some(Table {
            sources: self.sources,
            place: self.place,
            entries: table,
            asked: RefCell::default(),
        })
    }

    /// Records that the value refers to a name that another entry must define.
    pub(crate) fn uses(&self, noun: Noun, name: &str) {
        let name = Name { noun, text: name.to_owned(), place: self.place };
        self.sources.used.borrow_mut().push(name);
    }
}

/// A table, and which of its keys were read.
#[derive(Debug)]
pub(crate) struct Table<'t> {
    /// The files being loaded.
    pub sources: &'t Sources<'t>,
    /// The location of the table.
    pub place: FileSpan,
    entries: &'t DeTable<'t>,
    asked: RefCell<BTreeSet<&'static str>>,
}

impl<'t> Table<'t> {
    /// The root table of file number `file`.
    pub(crate) fn root(sources: &'t Sources<'t>, file: usize, table: &'t DeTable<'t>) -> Self {
        Self {
            sources,
            place: FileSpan::new(file, &(0..0)),
            entries: table,
            asked: RefCell::default(),
        }
    }

    /// The text of its file.
    pub(crate) fn text(&self) -> Option<&'t str> {
        self.sources.files.get(self.place.file).map(|file| file.text.as_str())
    }

    /// Whether one of the keys is there.
    pub(crate) fn has_one_of(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.entries.contains_key(*key))
    }

    /// Whether it has no keys.
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Reports a mistake in the table as a whole.
    pub(crate) fn mistake(&self, what: impl Into<String>) {
        self.sources.mistake(self.place, what, None);
    }

    /// Reports a mistake in the value of an existing key, if `is_wrong`.
    pub(crate) fn mistake_at(&self, key: &'static str, is_wrong: bool, what: impl Into<String>) {
        if let Some(node) = self.get(key).filter(|_| is_wrong) {
            node.mistake(what);
        }
    }

    /// The value of a key.
    pub(crate) fn get(&self, key: &'static str) -> Option<Node<'t>> {
        self.asked.borrow_mut().insert(key);
        let (name, value) = self.entries.get_key_value(key)?;
        Some(self.node(name, value))
    }

    /// The items of the list with this key, without reporting a wrong type.
    pub(crate) fn items(&self, key: &'static str) -> Vec<Node<'t>> {
        self.get(key).map_or_else(Vec::new, |node| node.items())
    }

    /// The tables in the list with this key, without reporting a wrong type.
    pub(crate) fn tables(&self, key: &'static str) -> Vec<Table<'t>> {
        self.items(key).iter().filter_map(Node::table).collect()
    }

    /// The records in the tables with this key, each with its table.
    pub(crate) fn entries_of<T: Record>(&self, key: &'static str) -> Vec<(Table<'t>, T)> {
        let read = |table: Table<'t>| {
            let entry = T::from_table(&table);
            (table, entry)
        };
        self.tables(key).into_iter().map(read).collect()
    }

    /// The tables in the list with this key; reports a wrong type.
    pub(crate) fn list(&self, key: &'static str) -> Vec<Table<'t>> {
        let table = |node: &Node<'t>| node.table().or_else(|| node.wrong_type("a table"));
        self.items(key).iter().filter_map(table).collect()
    }

    /// Reads the table as a record that owns all of its keys.
    pub(crate) fn read<T: Record>(&self) -> T {
        let found = T::from_table(self);
        self.finish();
        found
    }

    /// Appends the records in the tables with this key to `known`.
    pub(crate) fn collect<T: FromToml>(&self, key: &'static str, known: &mut Vec<T>) {
        known.extend(self.field::<Vec<T>>(key).into_iter().flatten());
    }

    /// All keys and values, for tables with arbitrary keys.
    pub(crate) fn entries(&self) -> Vec<Node<'t>> {
        self.entries.iter().map(|(name, value)| self.node(name, value)).collect()
    }

    fn node(
        &self,
        name: &'t Spanned<toml::de::DeString<'t>>,
        value: &'t Spanned<DeValue<'t>>,
    ) -> Node<'t> {
        let place = |span| FileSpan::new(self.place.file, &span);
        Node {
            key: name.get_ref(),
            key_place: place(name.span()),
            place: place(value.span()),
            value: value.get_ref(),
            sources: self.sources,
        }
    }

    /// Reads the value of a key; `None` after a mistake.
    pub(crate) fn field<T: FromToml>(&self, key: &'static str) -> Option<T> {
        match self.get(key) {
            Some(node) => T::from_toml(&node),
            None => T::absent().or_else(|| {
                self.require(key);
                None
            }),
        }
    }

    /// As [`Self::field`], but the key is mandatory and its list not empty.
    pub(crate) fn required<T: FromToml>(&self, key: &'static str) -> Option<T> {
        self.require(key);
        self.get(key).and_then(|node| T::from_toml(&node))
    }

    /// Reports a missing key or an empty list.
    pub(crate) fn require(&self, key: &'static str) {
        match self.get(key) {
            None => self.mistake(format!("`{key}` is missing")),
            Some(node) if node.items().is_empty() => node.mistake(format!("`{key}` is empty")),
            Some(_) => {}
        }
    }

    /// As [`Self::field`], with a default for a missing key.
    pub(crate) fn default<T: FromToml>(&self, key: &'static str, value: T) -> Option<T> {
        self.get(key).map_or(Some(value), |node| T::from_toml(&node))
    }

    /// An optional text, trimmed.
    #[allow(clippy::option_option, reason = "whether it could be read, and whether it is there")]
    pub(crate) fn trimmed(&self, key: &'static str) -> Option<Option<String>> {
        Some(self.field::<Option<String>>(key)?.map(|text| text.trim().to_owned()))
    }

    /// Records the name that this entry defines.
    pub(crate) fn gives(&self, noun: Noun, key: &'static str) {
        for node in self.items(key) {
            if let Some(name) = node.text() {
                let name = Name { noun, text: name.to_owned(), place: node.place };
                self.sources.given.borrow_mut().push(name);
            }
        }
    }

    /// Records the names of other entries that a key refers to.
    pub(crate) fn uses(&self, noun: Noun, key: &'static str) {
        for node in self.items(key) {
            if let Some(name) = node.text() {
                node.uses(noun, name);
            }
        }
    }

    /// Reports every key that was not read.
    pub(crate) fn finish(&self) {
        let asked = self.asked.borrow();
        for node in self.entries().iter().filter(|node| !asked.contains(node.key)) {
            let what = format!("`{}` means nothing here", node.key);
            let hint = hint(node.key, asked.iter().copied());
            self.sources.mistake(node.key_place, what, Some(hint));
        }
    }
}

/// A type that can be read from a value in a pattern file.
pub(crate) trait FromToml: Sized {
    /// Reads a value; `None` after a mistake.
    fn from_toml(node: &Node<'_>) -> Option<Self>;

    /// The default for a missing key; `None` if the key is mandatory.
    fn absent() -> Option<Self> {
        None
    }

    /// The placeholder for a value that could not be read.
    fn placeholder() -> Self;
}

/// A type that is read from the keys of a table.
pub(crate) trait Record: Sized {
    /// Reads the keys, and checks them together.
    fn from_table(table: &Table<'_>) -> Self;
}

/// Defines a struct that is read from the keys of a table.
///
/// `field: Type as "key" = mode`: the key is named like the field, unless it is given. Without a
/// mode the key is optional if its type has a default; `required` rejects missing keys and empty
/// lists, `default(value)` gives the default, `trimmed` trims a text, `inline` reads a struct from
/// the keys of the same table, and `later` is filled in from other tables. `check` after the struct
/// calls its method `check`, which compares several keys.
macro_rules! record {
    (
        $(#[$outer:meta])*
        $vis:vis struct $Name:ident {
            $(
                $(#[$inner:meta])*
                $field_vis:vis $field:ident: $Type:ty
                    $(as $key:literal)? $(= $mode:ident $(($default:expr))?)?
            ),* $(,)?
        }
        $($check:ident)?
    ) => {
        $(#[$outer])*
        $vis struct $Name { $( $(#[$inner])* $field_vis $field: $Type, )* }

        impl $crate::pattern::document::Record for $Name {
            fn from_table(table: &$crate::pattern::document::Table<'_>) -> Self {
                let found = Self { $(
                    $field: $crate::pattern::document::read_field!(
                        table, $field $(as $key)?, $($mode $(($default))?)?
                    ),
                )* };
                $( found.$check(table); )?
                found
            }
        }

        impl $crate::pattern::document::FromToml for $Name {
            fn from_toml(node: &$crate::pattern::document::Node<'_>) -> Option<Self> {
                $crate::pattern::document::read_record(node)
            }

            fn placeholder() -> Self {
                Self { $( $field: $crate::pattern::document::placeholder!($($mode)?), )* }
            }
        }
    };
}

/// Reads one field of a record: its value or a placeholder.
macro_rules! read_field {
    ($table:ident, $field:ident, $($mode:tt)*) => {
        $crate::pattern::document::read_field!($table, $field as (stringify!($field)), $($mode)*)
    };
    ($table:ident, $field:ident as $key:tt, later) => { Default::default() };
    ($table:ident, $field:ident as $key:tt, inline) => {
        $crate::pattern::document::Record::from_table($table)
    };
    ($table:ident, $field:ident as $key:tt, ) => {
        $crate::pattern::document::filled($table.field($key))
    };
    ($table:ident, $field:ident as $key:tt, $mode:ident $(($default:expr))?) => {
        $crate::pattern::document::filled($table.$mode($key $(, $default)?))
    };
}

/// The placeholder for one field of a record.
macro_rules! placeholder {
    (later) => {
        Default::default()
    };
    ($($mode:ident)?) => {
        $crate::pattern::document::FromToml::placeholder()
    };
}

pub(crate) use {placeholder, read_field, record};

/// A value or its placeholder.
pub(crate) fn filled<T: FromToml>(value: Option<T>) -> T {
    value.unwrap_or_else(T::placeholder)
}

/// Reads a record from a value that must be a table.
pub(crate) fn read_record<T: Record>(node: &Node<'_>) -> Option<T> {
    node.table().map_or_else(|| node.wrong_type("a table"), |table| Some(table.read()))
}
