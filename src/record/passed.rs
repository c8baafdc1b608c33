//! Lines that are not records, and why.

/// Why a line is not part of a record.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    strum::EnumCount,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[cfg_attr(test, derive(strum::VariantNames))]
#[serde(into = "&'static str")]
pub enum SkipReason {
    /// Text around a pasted log: a fence, a heading, a prompt, the status line of a pager.
    #[strum(serialize = "around a pasted log")]
    Surroundings,
    /// A separator that journalctl or logcat prints between records.
    #[strum(serialize = "between records")]
    Marker,
    /// A reply that quotes a record that is already in the input.
    #[strum(serialize = "quoted again")]
    QuotedAgain,
    /// Prose about a message that was not printed here.
    #[strum(serialize = "talk about a message")]
    Mention,
    /// The header of a list of processes.
    #[strum(serialize = "header of a process list")]
    ListHeader,
    /// The line that begins or ends a part of a crash saved by pstore.
    #[strum(serialize = "header of a saved crash")]
    PartHeader,
    /// A bracket of a JSON document, or a field that is not needed.
    #[strum(serialize = "structure of a document")]
    Structure,
    /// It begins like a JSON object or a journal entry but is not valid.
    #[strum(serialize = "damaged")]
    Damaged,
}

impl SkipReason {
    /// Whether skipping the line loses text of the log.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Damaged)
    }
}

/// A line that is not a record; `S` is the type of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonRecord<S> {
    /// The line number, from 1.
    pub line: u64,
    /// The text of the line.
    pub text: S,
    /// The reason why it is not a record.
    pub why: SkipReason,
}
