//! Bug trackers and what each asks for: `patterns/trackers/*.toml`. The contents of a report form a
//! closed set in Rust; their order and headings are data.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::document::{Table, record};
use super::reading::integer;
use super::source::Noun;
use crate::value::{Layer, words};

record! {
    /// A bug tracker.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Tracker {
        /// Its stable name: `drm-amd`.
        pub id: String,
        /// The name.
        pub name: String,
        /// Its URL for a new report.
        pub file_at: String,
        /// Its URL for searching; `{words}` is a placeholder for the search words.
        pub search: String,
        /// How to attach the archive, in a sentence.
        pub attach: String,
        /// The layers whose bugs it accepts.
        pub layers: Vec<Layer>,
        /// Labels, components or tags for the report.
        pub labels: Vec<String>,
        /// What to know before filing there.
        pub notes: Vec<String>,
        /// Whether it shows plain text and does not render Markdown.
        pub plain: bool,
        /// Maximum length of a description in characters.
        pub characters: usize,
        /// Maximum size of an attachment in MiB.
        pub attachment_mib: u64,
        /// The source of these facts.
        pub source: String,
        /// The sections of a report, in order.
        pub sections: Vec<Section> as "section" = required,
    }
    check
}

record! {
    /// A part of a report.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Section {
        /// Its heading as in the tracker.
        pub heading: String,
        /// The heading level, 2 to 4.
        pub level: usize = default(2),
        /// A question that only the reporter can answer.
        pub ask: Option<String>,
        /// Its content.
        pub content: Option<Content>,
        /// Individual facts, one a line.
        pub fields: Vec<Field>,
    }
    check
}

record! {
    /// A fact with the tracker's name for it.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Field {
        /// The tracker's name for it.
        pub label: String,
        /// The fact.
        pub value: Value,
    }
}

words! {
    /// The content of a section.
    pub(crate) Content {
        /// What happened, how often, and since when.
        Summary,
        /// What broke first, what followed, and how sure that is.
        Diagnosis,
        /// The lines around the first failure.
        Evidence,
        /// Versions and settings as a table.
        Versions,
        /// How to bring it about.
        Steps,
        /// Since which version it happens.
        Regression,
        /// What was tried already.
        Tried,
        /// The files of the bundle.
        Attachments,
        /// What is not known, or makes the report less useful.
        Gaps,
        /// How to find the same bug.
        Duplicates,
        /// The agents that `rocminfo` lists.
        Rocminfo,
        /// The head of a mail to Debian.
        DebianHead,
        /// The quick action by which GitLab gives labels.
        QuickLabels,
    }
}

words! {
    /// A single fact.
    pub(crate) Value {
        /// The processor.
        Cpu,
        /// The GPU that failed, with its PCI ids.
        Gpu,
        /// The machine's memory.
        Memory,
        /// The board and its firmware.
        Board,
        /// The displays that are connected.
        Displays,
        /// How they are connected.
        Connections,
        /// The distribution.
        Distribution,
        /// The kernel.
        Kernel,
        /// Whether it is the distribution's.
        CustomKernel,
        /// Where the driver comes from.
        Driver,
        /// The package of firmware files, and the versions in use.
        Firmware,
        /// Mesa.
        Mesa,
        /// ROCm.
        Rocm,
        /// The desktop and the kind of session.
        Desktop,
        /// The X server.
        XServer,
        /// Parameters of the driver that are not as they come.
        Parameters,
        /// What taints the kernel.
        Taint,
        /// Only a person knows.
        FillIn,
    }
}

impl Tracker {
    /// The URL for searching for these words.
    pub(crate) fn search_for(&self, words: &str) -> String {
        let mut encoded = String::new();
        for byte in words.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => {
                    encoded.push(byte.into());
                }
                b' ' => encoded.push('+'),
                byte => {
                    // Writing to a string cannot fail.
                    let _ = write!(encoded, "%{byte:02X}");
                }
            }
        }
        self.search.replace("{words}", &encoded)
    }

    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Tracker, "id");
        table.mistake_at("search", !self.search.contains("{words}"), "`search` has no `{words}`");
        for key in ["characters", "attachment_mib"] {
            if let Some(number) = table.get(key).filter(|node| integer(node.value) == Some(0)) {
                number.mistake(format!("`{key}` must be at least 1"));
            }
        }
    }
}

impl Section {
    fn check(&self, table: &Table<'_>) {
        table.mistake_at("level", !(2..=4).contains(&self.level), "`level` is 2, 3 or 4");
        if !table.has_one_of(&["ask", "content", "fields"]) {
            table.mistake("a section has `content`, `fields` or at least `ask`");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::builtin;

    #[test]
    fn search_words_are_encoded_for_the_url() {
        let patterns = builtin::patterns();
        let tracker = patterns.tracker("drm-amd").unwrap();
        let address = tracker.search_for("gfx1100 mes <&\"#");
        assert!(address.ends_with("gfx1100+mes+%3C%26%22%23"), "{address}");
    }

    /// Each layer has exactly one tracker, and programs have their own.
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
