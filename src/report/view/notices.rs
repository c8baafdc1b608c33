//! Notices; those that every boot repeats are shown once.

use std::collections::BTreeMap;

use crate::diagnosis::{Diagnosis, Notice};
use crate::event::log::Log;
use crate::report::certainty::Statements;

/// A notice, and how often it is in the log.
#[derive(Debug)]
pub(in crate::report) struct NoticeView<'r> {
    /// Whether it is useful only to readers who worry about its lines.
    pub(in crate::report) benign: bool,
    /// Whether lines of the log state it, and it is not marked as harmless.
    pub(in crate::report) is_stated: bool,
    /// The diagnosis; of several, the first.
    pub(in crate::report) diagnosis: &'r Diagnosis,
    /// How it is known, and what is known about its cause.
    pub(in crate::report) statements: Statements,
    /// The number of occurrences in the log.
    pub(in crate::report) times: usize,
}

pub(super) fn once_each<'r>(notices: &'r [Notice], log: &Log) -> Vec<NoticeView<'r>> {
    let mut views: Vec<NoticeView<'r>> = Vec::new();
    let mut places = BTreeMap::new();
    for notice in notices {
        let Notice { device, benign, diagnosis, .. } = notice;
        let place = *places.entry((device, &diagnosis.summary)).or_insert(views.len());
        match views.get_mut(place) {
            Some(known) => known.times += 1,
            None => {
                let statements = Statements::of_notice(notice, log);
                let (benign, is_stated) = (*benign, notice.is_stated());
                views.push(NoticeView { benign, is_stated, diagnosis, statements, times: 1 });
            }
        }
    }
    views
}
