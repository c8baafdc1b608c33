//! The status of an input.

use super::ReportPart;
use crate::diagnosis::verdict::Verdict;
use crate::input::InputError;
use crate::value::words;

words! {
    /// The result of reading an input.
    pub(crate) InputStatus {
        /// It was read completely.
        Whole,
        /// It was read in part.
        Partial,
        /// It could not be read.
        Unreadable,
        /// It is empty.
        Empty,
        /// It was read and contains no kernel log.
        NoKernelLog,
    }
}

impl InputStatus {
    /// The status of an input that was read.
    pub(crate) fn of(part: &ReportPart) -> Self {
        match (part.verdict(), &part.trouble) {
            (Verdict::NoKernelLog, _) => Self::NoKernelLog,
            (_, Some(_)) => Self::Partial,
            (_, None) => Self::Whole,
        }
    }

    /// The status of an input that could not be read.
    pub(crate) fn of_error(error: &InputError) -> Self {
        if error.is_empty() {
            Self::Empty
        } else if error.is_no_log() {
            Self::NoKernelLog
        } else {
            Self::Unreadable
        }
    }
}

/// An input that could not be read.
#[derive(Clone, Debug)]
pub struct Unread {
    /// The name.
    pub(crate) name: String,
    pub(crate) status: InputStatus,
    /// The reason, as a code.
    pub(crate) error: String,
}

impl Unread {
    /// Describes the error.
    pub(crate) fn of(error: &InputError) -> Self {
        let status = InputStatus::of_error(error);
        Self { name: error.input().to_owned(), status, error: error.code() }
    }
}
