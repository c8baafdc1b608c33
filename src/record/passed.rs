//! Lines that are no records, and why.

/// Why a line is no record and no part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// What surrounds a pasted log: a fence, a heading, a prompt, the status line of a pager.
    Surroundings,
    /// What journalctl or logcat prints between records.
    Marker,
    /// An answer quotes a record that is there already.
    QuotedAgain,
    /// The header of a list of processes.
    ListHeader,
    /// The line that begins or ends a part of a crash saved by pstore.
    PartHeader,
    /// A bracket of a JSON document, a field that is not needed.
    Structure,
    /// It begins like a JSON object or a journal entry and is none.
    Damaged,
}

impl Why {
    /// All of them, in the order of declaration.
    pub const ALL: [Self; 7] = [
        Self::Surroundings,
        Self::Marker,
        Self::QuotedAgain,
        Self::ListHeader,
        Self::PartHeader,
        Self::Structure,
        Self::Damaged,
    ];

    /// The reason in words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Surroundings => "around a pasted log",
            Self::Marker => "between records",
            Self::QuotedAgain => "quoted again",
            Self::ListHeader => "header of a process list",
            Self::PartHeader => "header of a saved crash",
            Self::Structure => "structure of a document",
            Self::Damaged => "damaged",
        }
    }

    /// Whether text of the log is lost with the line.
    #[must_use]
    pub const fn is_loss(self) -> bool {
        matches!(self, Self::Damaged)
    }
}

/// A line that is no record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed<'a> {
    /// Which line, counted from 1.
    pub line: u64,
    /// The line.
    pub text: &'a str,
    /// Why it is none.
    pub why: Why,
}
