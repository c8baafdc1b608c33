//! What is worth knowing and no failure: what every boot says again is told once.

use std::collections::BTreeMap;

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

pub(super) fn once_each(notices: &[Notice]) -> Vec<NoticeView<'_>> {
    let mut views: Vec<NoticeView<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for Notice { device, benign, diagnosis, .. } in notices {
        let place = *places.entry((device, &diagnosis.summary)).or_insert(views.len());
        match views.get_mut(place) {
            Some(known) => known.times += 1,
            None => views.push(NoticeView { benign: *benign, diagnosis, times: 1 }),
        }
    }
    views
}
