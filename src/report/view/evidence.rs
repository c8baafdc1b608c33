//! The lines that prove a diagnosis.

use crate::diagnosis::Diagnosis;
use crate::event::Observed;
use crate::event::log::Log;

/// So many events are given as evidence: of a storm, the first and the last of them.
const SHOWN: (usize, usize) = (48, 16);

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
        let (first, last) = SHOWN;
        let all = diagnosis.evidence.len();
        let few = all <= first + last;
        let kept = |place: usize| few || place < first || place >= all - last;
        let shown = diagnosis.evidence.iter().enumerate().filter(|(place, _)| kept(*place));
        Self {
            shown: shown.filter_map(|(_, index)| log.events.get(*index)).collect(),
            all: diagnosis.evidence_events,
        }
    }
}
