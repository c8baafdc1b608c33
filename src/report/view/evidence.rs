//! The lines that prove a diagnosis.

use super::Ends;
use crate::diagnosis::Diagnosis;
use crate::event::Observed;
use crate::event::log::Log;

/// So many events are given as evidence: of a storm, the first and the last of them.
const SHOWN: Ends = Ends { first: 48, last: 16 };

/// What proves one diagnosis.
#[derive(Debug)]
pub(in crate::report) struct Evidence<'r> {
    /// The events that are shown.
    pub(in crate::report) shown: Vec<&'r Observed>,
    /// How many there are.
    pub(in crate::report) all: usize,
}

impl<'r> Evidence<'r> {
    /// What proves `diagnosis`.
    pub(in crate::report) fn new(diagnosis: &Diagnosis, log: &'r Log) -> Self {
        let (first, _, last) = SHOWN.split(&diagnosis.evidence);
        let shown = first.iter().chain(last);
        Self {
            shown: shown.map(|index| &log.events[*index]).collect(),
            all: diagnosis.evidence_events,
        }
    }
}
