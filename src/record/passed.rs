//! Lines that are no records, and why.

/// Why a line is no record and no part of one.
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
    /// What surrounds a pasted log: a fence, a heading, a prompt, the status line of a pager.
    #[strum(serialize = "around a pasted log")]
    Surroundings,
    /// What journalctl or logcat prints between records.
    #[strum(serialize = "between records")]
    Marker,
    /// An answer quotes a record that is there already.
    #[strum(serialize = "quoted again")]
    QuotedAgain,
    /// A person talks about a message that was not printed here.
    #[strum(serialize = "talk about a message")]
    Mention,
    /// The header of a list of processes.
    #[strum(serialize = "header of a process list")]
    ListHeader,
    /// The line that begins or ends a part of a crash saved by pstore.
    #[strum(serialize = "header of a saved crash")]
    PartHeader,
    /// A bracket of a JSON document, a field that is not needed.
    #[strum(serialize = "structure of a document")]
    Structure,
    /// It begins like a JSON object or a journal entry and is none.
    #[strum(serialize = "damaged")]
    Damaged,
}

impl SkipReason {
    /// Whether text of the log is lost with the line.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Damaged)
    }
}

/// A line that is no record; `S` holds the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonRecord<S> {
    /// Which line, counted from 1.
    pub line: u64,
    /// The text of the line.
    pub text: S,
    /// The reason why it is not a record.
    pub why: SkipReason,
}
