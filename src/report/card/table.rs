//! The table of several incidents.

use std::collections::HashMap;

use crate::document::counts::distinct;
use crate::document::{Block, Column, Table, Text};
use crate::report::incidents::{self, Gpus};
use crate::report::view::IncidentView;
use crate::value::PciAddress;

/// Equal incidents: the first of them, and their number.
type Group<'v, 'r> = (&'v IncidentView<'r>, usize);

/// The incidents; equal ones once, with their number.
pub(super) fn table<'v>(
    incidents: &'v [IncidentView<'_>],
    worst: &'v IncidentView<'_>,
    most: usize,
) -> Block {
    let groups = groups(incidents);
    let shown = shown(&groups, worst, most);
    let gpus = Gpus::of(incidents);
    let row = |(incident, times): &Group<'_, '_>| {
        let times = if *times > 1 { format!("{times}×") } else { String::new() };
        let mut row = incidents::cells(incident, gpus);
        row.extend([times.into(), Text::toned(incident.tone, &*incident.state)]);
        row
    };
    let hidden = groups.len().saturating_sub(shown.len());
    let gap = (hidden > 0).then(|| {
        let mut row = incidents::gap(gpus, format!("{hidden} more (-v)"));
        row.extend([Text::default(), Text::default()]);
        row
    });
    let mut columns = incidents::columns("", gpus);
    columns.extend([Column::numbers(""), Column::words("What")]);
    let rows = shown.iter().map(|at| row(&groups[*at])).chain(gap).collect();
    Table { name: "Incidents".to_owned(), columns, rows, one_line: false }.into()
}

/// Whether all incidents are equal, so that a table has one row.
pub(super) fn are_equal(incidents: &[IncidentView<'_>]) -> bool {
    groups(incidents).len() == 1
}

fn groups<'v, 'r>(incidents: &'v [IncidentView<'r>]) -> Vec<Group<'v, 'r>> {
    let mut groups: Vec<Group<'v, 'r>> = Vec::new();
    let mut places = HashMap::new();
    for incident in incidents {
        let found = incident.finding;
        let same = (&found.fingerprint, found.incident.device, &incident.state);
        let at = *places.entry(same).or_insert(groups.len());
        if at == groups.len() {
            groups.push((incident, 0));
        }
        groups[at].1 += 1;
    }
    groups
}

/// The indexes of about `most` of `groups`: that of the incident shown below, one of each GPU, and
/// the first of the others. A row that is not shown takes the place of several.
fn shown(groups: &[Group<'_, '_>], worst: &IncidentView<'_>, most: usize) -> Vec<usize> {
    let key = |incident: &IncidentView<'_>| {
        (incident.finding.fingerprint.clone(), incident.finding.incident.device)
    };
    let worst =
        groups.iter().position(|(first, _)| key(first) == key(worst) && first.state == worst.state);
    let gpus = distinct(groups.iter().map(|(first, _)| first.finding.incident.device));
    let of_gpu = |gpu| groups.iter().position(|(it, _)| it.finding.incident.device == gpu);
    let is_of_worst = |gpu: &Option<PciAddress>| {
        worst.is_some_and(|at| groups[at].0.finding.incident.device == *gpu)
    };
    let others = gpus.into_iter().filter(|gpu| !is_of_worst(gpu)).filter_map(of_gpu);
    let by_use = distinct(worst.into_iter().chain(others).chain(0..groups.len()));
    let most = if groups.len() == most + 1 { most + 1 } else { most };
    let mut shown: Vec<usize> = by_use.into_iter().take(most).collect();
    shown.sort_unstable();
    shown
}
