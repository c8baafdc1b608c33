//! What the tables of incidents have in common, on the first screen and in the whole report.

use super::view::IncidentView;
use crate::document::counts::distinct;
use crate::document::{Column, Text};

/// What a table shows where the lines have no time.
const NO_TIME: &str = "no time in log";

/// Whether incidents are of several GPUs, so that rows have to name them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gpus {
    One,
    Several,
}

impl Gpus {
    pub(super) fn of(incidents: &[IncidentView<'_>]) -> Self {
        let gpus = distinct(incidents.iter().map(|one| one.finding.incident.device));
        if gpus.len() > 1 { Self::Several } else { Self::One }
    }
}

/// The first columns: the number of an incident, when it began, and of which GPU it is.
pub(super) fn columns(number: &'static str, gpus: Gpus) -> Vec<Column> {
    let start = [Column::numbers(number), Column::words("When")];
    start.into_iter().chain((gpus == Gpus::Several).then_some(Column::words("GPU"))).collect()
}

/// The first cells of `incident`.
pub(super) fn cells(incident: &IncidentView<'_>, gpus: Gpus) -> Vec<Text> {
    let address = incident.finding.incident.device.map(|device| device.to_string());
    let address = address.unwrap_or_default();
    let address = address.strip_prefix("0000:").unwrap_or(&address);
    let when = incident.when.clone().unwrap_or_else(|| NO_TIME.to_owned());
    let start = [incident.number.to_string(), when];
    let gpu = (gpus == Gpus::Several).then(|| address.to_owned());
    start.into_iter().chain(gpu).map(Text::from).collect()
}

/// The first cells of the row that stands for further incidents, with their number in words.
pub(super) fn gap(gpus: Gpus, hidden: String) -> Vec<Text> {
    let gpu = (gpus == Gpus::Several).then(Text::default);
    ["…".into(), hidden.into()].into_iter().chain(gpu).collect()
}
