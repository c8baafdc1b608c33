//! Reports on many inputs: a row for each.

use std::cmp::Reverse;

use super::Report;
use super::view::PartView;
use super::words::{verdict_state, verdict_tone};
use crate::diagnosis::verdict::Verdict;
use crate::document::counts::several;
use crate::document::{Banner, Block, Column, Document, Piece, Table, Text, Tone, prose};
use crate::input::{called, file_and_machine};
use crate::pattern::signature::Severity;

/// The rows, and how to see more.
pub(super) fn document(report: &Report) -> Document {
    let views: Vec<PartView<'_>> = report.parts.iter().map(PartView::new).collect();
    let hint = if are_one_file(&views) {
        "-v shows the report on each machine."
    } else {
        "Give one log to see its report; -v shows all."
    };
    let hint = prose(Text::toned(Tone::Quiet, hint));
    let overview = overview(report, &views, |_| None);
    let blocks = overview.into_iter().chain([hint]).collect();
    Document::new(title(&views), blocks)
}

/// The title of reports on several inputs.
pub(super) fn title(views: &[PartView<'_>]) -> String {
    format!("Reports on {} logs", views.len())
}

/// The result for all inputs, and a row for each, the worst first; `link` is the anchor of the
/// report on one.
pub(super) fn overview(
    report: &Report,
    views: &[PartView<'_>],
    link: impl Fn(usize) -> Option<String>,
) -> Vec<Block> {
    let failed = views.iter().filter(|view| view.verdict == Verdict::Failure).count();
    let state = match failed {
        0 => verdict_state(report.verdict()).to_owned(),
        failed => format!("Failures in {failed} of {}", several(views.len(), "log")),
    };
    let folder = common_folder(views.iter().map(|view| view.name));
    let banner = Block::Banner(Banner {
        tone: verdict_tone(report.verdict()),
        state,
        about: Vec::from_iter((!folder.is_empty()).then(|| called(folder))),
        headline: Text::default(),
        lead: Vec::new(),
    });
    let columns = vec![
        Column::words("Result"),
        Column::words("Diagnosis"),
        Column::words("GPU").spare(),
        Column::codes("Fingerprint"),
        Column::words("Log"),
    ];
    let mut worst_first: Vec<(usize, &PartView<'_>)> = views.iter().enumerate().collect();
    worst_first.sort_by_key(|(_, view)| Reverse(badness(view)));
    let rows = worst_first.into_iter().map(|(at, view)| {
        let words = called(view.name.strip_prefix(folder).unwrap_or(view.name));
        let log = match link(at) {
            Some(anchor) => Piece::Reference { anchor, words }.into(),
            None => Text::from(words),
        };
        row(view).into_iter().chain([log]).collect()
    });
    vec![banner, Table::of_lines("The logs", columns, rows).into()]
}

/// Whether the logs are those of several machines in one file.
fn are_one_file(views: &[PartView<'_>]) -> bool {
    // A browser numbers what it saves again: `dmesg (1)`.
    let is_name = |machine: &str| !machine.bytes().all(|byte| byte.is_ascii_digit());
    let parts = views.iter().map(|view| file_and_machine(view.name));
    let mut files =
        parts.map(|part| part.filter(|(_, machine)| is_name(machine)).map(|(file, _)| file));
    let first = files.next().flatten();
    first.is_some() && files.all(|file| file == first)
}

/// How bad a log is: its verdict, its worst incident, and whether that is over.
fn badness(view: &PartView<'_>) -> (Verdict, Option<Severity>, bool) {
    let worst = view.worst().map(|worst| worst.finding);
    let is_open = worst.is_some_and(|worst| worst.incident.outcome.is_usable() != Some(true));
    (view.verdict, worst.map(|worst| worst.severity), is_open)
}

/// The directory, with its `/`, that contains all of `names`.
pub(super) fn common_folder<'n>(mut names: impl Iterator<Item = &'n str>) -> &'n str {
    let folder = |path: &'n str| path.rfind('/').map_or("", |end| path.split_at(end + 1).0);
    let first = folder(names.next().unwrap_or_default());
    names.fold(first, |mut common, name| {
        while !name.starts_with(common) {
            common = folder(common.trim_end_matches('/'));
        }
        common
    })
}

/// The cells before the name.
fn row(view: &PartView<'_>) -> [Text; 4] {
    let result = |text: &str| Text::toned(verdict_tone(view.verdict), text);
    let Some(worst) = view.worst() else {
        let problem = view.notices.iter().map(|notice| notice.diagnosis.id.as_str()).next();
        let problem = problem.filter(|_| view.verdict == Verdict::Warning).unwrap_or_default();
        return [result(view.state), problem.into(), Text::default(), Text::default()];
    };
    let gpu = worst.finding.incident.device.map(|device| device.to_string()).unwrap_or_default();
    let more = match view.incidents.len() {
        1 => String::new(),
        all => format!(" (of {all})"),
    };
    let id = worst.finding.diagnoses.first().map_or("unknown", |head| head.id.as_str());
    let fingerprint = worst.finding.fingerprint.as_str();
    [result(&worst.state), format!("{id}{more}").into(), gpu.into(), fingerprint.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_all_names_begin_with_is_said_once() {
        for (names, want) in [
            (&["/var/log/a.log", "/var/log/old/b.log"][..], "/var/log/"),
            (&["logs/a.log", "logs-old/b.log"], ""),
            (&["logs/one/a.log", "logs/two/a.log"], "logs/"),
            (&["a.log", "/b.log"], ""),
            (&["/a.log", "/b/c.log"], "/"),
        ] {
            assert_eq!(common_folder(names.iter().copied()), want, "{names:?}");
        }
    }
}
