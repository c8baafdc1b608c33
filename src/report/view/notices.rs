//! What is worth knowing and no failure: what every boot says again is told once.

use crate::diagnosis::{Diagnosis, Notice};

/// A notice with the number of times that the log has it.
#[derive(Debug)]
pub(in crate::report) struct NoticeView<'r> {
    /// Whether it is of use only to those who worry about its lines.
    pub(in crate::report) benign: bool,
    /// What it is; of several, the first.
    pub(in crate::report) diagnosis: &'r Diagnosis,
    /// How often the log has it.
    pub(in crate::report) times: usize,
}

/// The notices, each once.
pub(super) fn told(notices: &[Notice]) -> Vec<NoticeView<'_>> {
    let mut told: Vec<NoticeView<'_>> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for notice in notices {
        let summary = notice.diagnosis.summary.as_str();
        let place = *places.entry((notice.device, summary)).or_insert(told.len());
        if let Some(known) = told.get_mut(place) {
            known.times += 1;
        } else {
            told.push(NoticeView { benign: notice.benign, diagnosis: &notice.diagnosis, times: 1 });
        }
    }
    told
}
