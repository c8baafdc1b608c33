//! The evidence of a diagnosis.

use super::Ends;
use crate::diagnosis::Diagnosis;
use crate::event::Observed;
use crate::event::log::Log;

/// Number of events to show; of a storm, the first and last.
const SHOWN: Ends = Ends { first: 48, last: 16 };

/// The evidence of one diagnosis.
#[derive(Debug)]
pub(in crate::report) struct Evidence<'r> {
    /// The shown events.
    pub(in crate::report) shown: Vec<&'r Observed>,
    /// The total number of events.
    pub(in crate::report) all: usize,
}

impl<'r> Evidence<'r> {
    /// The evidence of `diagnosis`.
    pub(in crate::report) fn new(diagnosis: &Diagnosis, log: &'r Log) -> Self {
        Self::of(&diagnosis.evidence, diagnosis.evidence_events, log)
    }

    /// The part of it that proves `diagnosis`; what else it takes into account is mostly the
    /// evidence of others.
    pub(in crate::report) fn proof(diagnosis: &Diagnosis, log: &'r Log) -> Self {
        let Diagnosis { proof, evidence, .. } = diagnosis;
        if proof.is_empty() || proof.len() == evidence.len() {
            return Self::new(diagnosis, log);
        }
        Self::of(proof, proof.len(), log)
    }

    fn of(events: &[usize], all: usize, log: &'r Log) -> Self {
        let (first, _, last) = SHOWN.split(events);
        let shown = first.iter().chain(last);
        Self { shown: shown.map(|index| &log.events[*index]).collect(), all }
    }
}
