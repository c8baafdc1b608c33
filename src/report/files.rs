//! Many inputs: a row each.

use super::Report;
use super::view::PartView;
use super::words::{verdict_state, verdict_tone};
use crate::document::counts::several;
use crate::document::{Banner, Block, Column, Document, Table, Text, Tone, prose};
use crate::diagnosis::verdict::Verdict;

/// The rows, and how to see more.
pub(super) fn document(report: &Report) -> Document {
    let views: Vec<PartView<'_>> = report.parts.iter().map(PartView::new).collect();
    let failed = views.iter().filter(|view| view.verdict == Verdict::Failure).count();
    let state = match failed {
        0 => verdict_state(report.verdict()).to_owned(),
        failed => format!("Failures in {failed} of {}", several(views.len(), "log")),
    };
    let banner = Block::Banner(Banner {
        tone: verdict_tone(report.verdict()),
        state,
        about: Vec::new(),
        headline: Text::default(),
        lead: Vec::new(),
    });
    let columns = vec![
        Column::words("Log"),
        Column::words("GPU"),
        Column::words("Diagnosis"),
        Column::words("Fingerprint"),
        Column::words("Result"),
    ];
    let table = Table {
        name: "The logs".to_owned(),
        columns,
        rows: views.iter().map(row).collect(),
    };
    let remarks = views.iter().filter(|view| !view.is_whole).map(|view| {
        prose(Text::toned(Tone::Quiet, &*view.reading))
    });
    let hint = prose(Text::toned(Tone::Quiet, "A log alone shows its first screen; -v shows all reports."));
    let blocks = [banner, table.into()].into_iter().chain(remarks).chain([hint]).collect();
    Document { title: format!("Reports on {} logs", views.len()), blocks, foot: None }
}

fn row(view: &PartView<'_>) -> Vec<Text> {
    let result = |text: &str| Text::toned(verdict_tone(view.verdict), text);
    let Some(worst) = view.worst() else {
        let problem = view.notices.iter().map(|notice| notice.diagnosis.id.as_str()).next();
        let problem = problem.filter(|_| view.verdict == Verdict::Warning).unwrap_or_default();
        let none = Text::default;
        return vec![view.name.into(), none(), problem.into(), none(), result(verdict_state(view.verdict))];
    };
    let gpu = worst.finding.incident.device.map(|device| device.to_string()).unwrap_or_default();
    let more = match view.incidents.len() {
        1 => String::new(),
        all => format!(" (of {all})"),
    };
    let id = worst.finding.diagnoses.first().map_or("unknown", |head| head.id.as_str());
    vec![
        view.name.into(),
        gpu.into(),
        format!("{id}{more}").into(),
        worst.finding.fingerprint.as_str().into(),
        result(&worst.state),
    ]
}
