//! Where bugs are reported, and what is asked for there: `patterns/trackers/*.toml`. What can be told of a
//! bug is one of a closed list; in which order and under which headings is data.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::signature::{Layer, named};
use super::signature_file::{one_of, word};
use super::source::{At, Sources};

/// A place where bugs are reported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tracker {
    /// Its stable name: `drm-amd`.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Where a report is begun.
    pub file_at: String,
    /// Where to look for the same bug; `{words}` stands for what is looked for.
    pub search: String,
    /// How the attachment gets there, in a sentence.
    pub attach: String,
    /// The layers whose bugs are taken there.
    pub layers: Vec<Layer>,
    /// Labels, components or tags that a report gets.
    pub labels: Vec<String>,
    /// What to know before filing there.
    pub notes: Vec<String>,
    /// Whether the text is shown as it is typed, and no Markdown is understood.
    pub plain: bool,
    /// A description has at most so many characters.
    pub characters: usize,
    /// A file has at most so many MiB.
    pub attachment_mib: u64,
    /// Where that is known from.
    pub source: String,
    /// What is asked for, in order.
    pub sections: Vec<Section>,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// Its heading as the tracker has it.
    pub heading: String,
    /// How deep the heading is, 2 to 4.
    pub level: usize,
    /// What only a person can tell.
    pub ask: Option<String>,
    /// What is told.
    pub content: Option<Content>,
    /// Single facts, one a line.
    pub fields: Vec<Field>,
}

/// A fact with the tracker's name for it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// What the tracker calls it.
    pub label: String,
    /// What it is.
    pub value: Value,
}

named! {
    /// What a section tells.
    Content {
        /// What happened, how often, and since when.
        Summary = "summary",
        /// What broke first, what followed, and how sure that is.
        Diagnosis = "diagnosis",
        /// The lines around the first failure.
        Evidence = "evidence",
        /// Versions and settings as a table.
        Versions = "versions",
        /// How to bring it about.
        Steps = "steps",
        /// Since which version it happens.
        Regression = "regression",
        /// What was tried already.
        Tried = "tried",
        /// The files of the bundle.
        Attachments = "attachments",
        /// What is not known, or makes the report less useful.
        Gaps = "gaps",
        /// How to find the same bug.
        Duplicates = "duplicates",
        /// The agents that `rocminfo` lists.
        RocmInfo = "rocminfo",
        /// The head of a mail to Debian.
        DebianHead = "debian-head",
        /// The quick action by which GitLab gives labels.
        QuickLabels = "quick-labels",
    }
}

named! {
    /// A single fact.
    Value {
        /// The processor.
        Cpu = "cpu",
        /// The GPU that failed, with its PCI ids.
        Gpu = "gpu",
        /// The machine's memory.
        Memory = "memory",
        /// The board and its firmware.
        Board = "board",
        /// The displays that are connected.
        Displays = "displays",
        /// How they are connected.
        Connections = "connections",
        /// The distribution.
        Distribution = "distribution",
        /// The kernel.
        Kernel = "kernel",
        /// Whether it is the distribution's.
        CustomKernel = "custom-kernel",
        /// Where the driver comes from.
        Driver = "driver",
        /// The package of firmware files, and the versions in use.
        Firmware = "firmware",
        /// Mesa.
        Mesa = "mesa",
        /// ROCm.
        Rocm = "rocm",
        /// The desktop and the kind of session.
        Desktop = "desktop",
        /// The X server.
        XServer = "x-server",
        /// Parameters of the driver that are not as they come.
        Parameters = "parameters",
        /// What taints the kernel.
        Taint = "taint",
        /// Only a person knows.
        FillIn = "fill-in",
    }
}

impl Tracker {
    /// Where to look for a bug with these words in it.
    #[must_use]
    pub fn search_for(&self, words: &str) -> String {
        let mut encoded = String::new();
        for byte in words.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                    encoded.push(byte.into());
                }
                b' ' => encoded.push('+'),
                byte => {
                    // Writing to a string does not fail.
                    let _ = write!(encoded, "%{byte:02X}");
                }
            }
        }
        self.search.replace("{words}", &encoded)
    }

    /// Reads an entry. A mistake drops it.
    pub(super) fn read(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<At<Self>> {
        let place = fields.place().clone();
        let mut text = |key| fields.required_text(sources, key);
        let (id, name, source) = (text("id"), text("name"), text("source"));
        let (file_at, search, attach) = (text("file_at"), text("search"), text("attach"));
        let layers = fields.texts(sources, "layers");
        let labels = plain(fields.texts(sources, "labels"));
        let notes = plain(fields.texts(sources, "notes"));
        let layers = layers
            .iter()
            .filter_map(|text| one_of(sources, text, Layer::names(), Layer::read))
            .collect();
        let shown_as_it_is = fields.flag(sources, "plain");
        let characters = positive(sources, &mut fields, "characters");
        let attachment_mib = positive(sources, &mut fields, "attachment_mib");
        let sections = fields.tables(sources, "section");
        let sections: Vec<Section> =
            sections.into_iter().filter_map(|section| read_section(sources, section)).collect();
        fields.require(sources, "section", !sections.is_empty());
        fields.finish(sources);
        if let Some(search) = search.as_ref().filter(|text| !text.value.contains("{words}")) {
            sources.mistake(&search.place, "`search` has no `{words}`");
        }
        let value = Self {
            id: id?.value,
            name: name?.value,
            file_at: file_at?.value,
            search: search?.value,
            attach: attach?.value,
            layers,
            labels,
            notes,
            plain: shown_as_it_is,
            characters: usize::try_from(characters?).ok()?,
            attachment_mib: attachment_mib?,
            source: source?.value,
            sections,
        };
        Some(At { value, place })
    }
}

fn plain(texts: Vec<At<String>>) -> Vec<String> {
    texts.into_iter().map(|text| text.value).collect()
}

fn positive(sources: &mut Sources<'_>, fields: &mut Fields<'_>, key: &'static str) -> Option<u64> {
    let found = fields.integer(sources, key);
    fields.require(sources, key, found.is_some());
    let found = found?;
    let number = u64::try_from(found.value).ok().filter(|number| *number > 0);
    if number.is_none() {
        sources.mistake(&found.place, format!("`{key}` must be at least 1"));
    }
    number
}

fn read_section(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Section> {
    let heading = fields.required_text(sources, "heading");
    let level = fields.integer(sources, "level");
    let ask = fields.text(sources, "ask");
    let content = fields.text(sources, "content");
    let content = content.map(|text| one_of(sources, &text, Content::NAMES, Content::read));
    let all = fields.tables(sources, "fields");
    let all: Vec<Field> = all.into_iter().filter_map(|one| read_field(sources, one)).collect();
    let place = fields.place().clone();
    fields.finish(sources);
    if let Some(level) = level.as_ref().filter(|level| !(2..=4).contains(&level.value)) {
        sources.mistake(&level.place, "`level` is 2, 3 or 4");
    }
    if ask.is_none() && content.is_none() && all.is_empty() {
        sources.mistake(&place, "a section has `content`, `fields` or at least `ask`");
    }
    let level = level.and_then(|level| usize::try_from(level.value).ok()).unwrap_or(2);
    let content = match content {
        Some(content) => Some(content?),
        None => None,
    };
    let ask = ask.map(|text| text.value);
    Some(Section { heading: heading?.value, level, ask, content, fields: all })
}

fn read_field(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Field> {
    let label = fields.required_text(sources, "label");
    let value = word(sources, &mut fields, "value", Value::NAMES, Value::read);
    fields.finish(sources);
    Some(Field { label: label?.value, value: value? })
}

#[cfg(test)]
mod tests {
    use crate::builtin;

    #[test]
    fn words_are_looked_for_as_an_address_takes_them() {
        let patterns = builtin::patterns();
        let tracker = patterns.tracker("drm-amd").unwrap();
        let address = tracker.search_for("gfx1100 mes <&\"#");
        assert!(address.ends_with("gfx1100+mes+%3C%26%22%23"), "{address}");
    }

    /// Whatever layer is to blame, there is one place to go to, and programs have their own.
    #[test]
    fn each_layer_has_one_tracker() {
        let patterns = builtin::patterns();
        for layer in super::Layer::names() {
            let takers = patterns
                .trackers
                .iter()
                .filter(|one| one.layers.iter().any(|taken| taken.name() == *layer));
            let wanted = usize::from(*layer != "application");
            assert_eq!(takers.count(), wanted, "{layer}");
        }
    }
}
