//! Reports on many inputs: a row for each.

use super::Report;
use super::view::PartView;
use super::words::{verdict_state, verdict_tone};
use crate::diagnosis::verdict::Verdict;
use crate::document::counts::several;
use crate::document::{Banner, Block, Column, Document, Table, Text, Tone, prose};
use crate::input::called;

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
    let columns = ["Result", "Diagnosis", "GPU", "Fingerprint", "Log"].map(Column::words).to_vec();
    let rows = views.iter().map(row).collect();
    let table = Table { name: "The logs".to_owned(), columns, rows, one_line: true };
    let remarks = views
        .iter()
        .filter(|view| !view.is_whole)
        .map(|view| prose(Text::toned(Tone::Quiet, &*view.reading)));
    let hint = prose(Text::toned(
        Tone::Quiet,
        "A log alone shows its first screen; -v shows all reports.",
    ));
    let blocks = [banner, table.into()].into_iter().chain(remarks).chain([hint]).collect();
    Document { title: format!("Reports on {} logs", views.len()), blocks, foot: None }
}

fn row(view: &PartView<'_>) -> Vec<Text> {
    let result = |text: &str| Text::toned(verdict_tone(view.verdict), text);
    let Some(worst) = view.worst() else {
        let problem = view.notices.iter().map(|notice| notice.diagnosis.id.as_str()).next();
        let problem = problem.filter(|_| view.verdict == Verdict::Warning).unwrap_or_default();
        let none = Text::default;
        let state = result(view.state);
        return vec![state, problem.into(), none(), none(), called(view.name).into()];
    };
    let gpu = worst.finding.incident.device.map(|device| device.to_string()).unwrap_or_default();
    let more = match view.incidents.len() {
        1 => String::new(),
        all => format!(" (of {all})"),
    };
    let id = worst.finding.diagnoses.first().map_or("unknown", |head| head.id.as_str());
    vec![
        result(&worst.state),
        format!("{id}{more}").into(),
        gpu.into(),
        worst.finding.fingerprint.as_str().into(),
        called(view.name).into(),
    ]
}
