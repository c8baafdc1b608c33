//! The first screen, in 24 lines: what happened, whether it is over, the lines that
//! show it, what to do now, what to try, and what is not known.

mod again;
mod richness;
mod steps;
mod table;

use std::collections::BTreeSet;

use super::view::{IncidentView, NoticeView, PartView, Problem, Quiet, TO_TRY};
use super::whole::{banner, banner_of_several, quiet_banner};
use super::words::{verdict_state, verdict_tone};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::Urgent;
use crate::document::counts::{any, distinct, joined, several};
use crate::document::terminal::{self, Look};
use crate::document::width::columns;
use crate::document::{Banner, Block, Document, Evidence, Fact, Text, Tone, prose};
use crate::input::called;
use crate::pattern::signature::Severity;

use again::Again;
use richness::{Richness, levels};
use steps::{at_once, first_to_try, to_try};
use table::{are_equal, table};

/// The height of a terminal, without a line for the prompt.
const LINES: usize = 23;

/// The first screen for an input, with as much as fits; where nothing fits, with what is not too
/// high.
pub(super) fn document(view: &PartView<'_>, look: Look) -> Document {
    let mut rendered = levels().map(|richness| {
        let document = card(view, richness);
        let text = terminal::text(&document, Look { colour: false, ..look });
        let is_low = text.lines().count() <= LINES;
        let is_narrow = text.lines().all(|line| columns(line) <= terminal::width(look));
        (document, is_low, is_narrow)
    });
    let mut low = None;
    let mut least = Document::default();
    for (document, is_low, is_narrow) in rendered.by_ref() {
        match (is_low, is_narrow) {
            (true, true) => return document,
            (true, false) => low = low.or(Some(document)),
            (false, _) => least = document,
        }
    }
    low.unwrap_or(least)
}

fn card(view: &PartView<'_>, richness: Richness) -> Document {
    let again = Again::of(view.name, view.system);
    let mut blocks = match (view.incidents.as_slice(), &view.quiet) {
        ([only], _) => {
            let (about, lead) = (about(only, richness), lead(only, richness));
            let banner = Banner { about, lead, ..banner(only) };
            let mut blocks = vec![Block::Banner(banner)];
            blocks.append(&mut incident(only, richness, &again));
            blocks
        }
        ([], Some(quiet)) => of_quiet(view, quiet, richness, &again),
        (all, _) => of_several(view, all, richness, &again),
    };
    blocks.extend(noted(view, richness));
    blocks.extend(view.remark.as_deref().map(prose));
    let reading = richness.remarks || (!view.is_whole && !richness.terse);
    blocks.extend(reading.then(|| prose(Text::toned(Tone::Quiet, &*view.reading_in_short))));
    let more = !view.incidents.is_empty() || !view.notices.is_empty();
    blocks.extend(more.then(|| hints(view, richness, &again)));
    let document = Document::new(called(view.name), blocks);
    Document { tight: !richness.gaps, ..document }
}

/// The GPU of an incident, its time, and how long it lasted, if there is room for that.
fn about(incident: &IncidentView<'_>, richness: Richness) -> Vec<String> {
    if richness.terse { incident.about_in_short() } else { incident.about() }
}

/// What a log says about an incident after its title, and the outcome.
fn lead(incident: &IncidentView<'_>, richness: Richness) -> Vec<Text> {
    if richness.terse { incident.lead_in_short() } else { incident.lead() }
}

/// The contents for a log without an incident.
fn of_quiet(
    view: &PartView<'_>,
    quiet: &Quiet,
    richness: Richness,
    again: &Again<'_>,
) -> Vec<Block> {
    let problem = quiet.problem.as_ref();
    let banner =
        problem.map_or_else(|| quiet_banner(view, quiet), |problem| problem_banner(problem, view));
    let mut blocks = vec![Block::Banner(banner)];
    blocks.extend(quiet.evidence().map(Block::Evidence));
    blocks.extend(problem.into_iter().flat_map(|problem| of_problem(problem, richness, again)));
    // What to try matters more than what is in the machine.
    let about = richness.remarks || problem.is_none();
    let about = quiet.about.iter().take(if about { richness.rows } else { 0 });
    blocks.extend(about.cloned().map(Block::Facts));
    blocks
}

/// The contents for several incidents: all of them in a table, and the worst.
fn of_several(
    view: &PartView<'_>,
    all: &[IncidentView<'_>],
    richness: Richness,
    again: &Again<'_>,
) -> Vec<Block> {
    let worst = view.worst().unwrap_or_else(|| unreachable!("there are several incidents"));
    let whole = Banner { about: about(worst, richness), ..banner_of_several(view) };
    // The banner says as much as a table of one row.
    let equal = richness.terse && are_equal(all);
    let state =
        if equal { format!("{}, all alike: {}", view.counted, worst.state) } else { whole.state };
    let banner = Banner { state, lead: Vec::new(), headline: Text::default(), ..whole };
    let mut blocks = vec![Block::Banner(banner)];
    blocks.extend((!equal).then(|| table(all, worst, richness.rows)));
    let title = Text::strong(format!("{}. {}", worst.number, worst.title));
    let lead = lead(worst, richness);
    blocks.push(prose(lead.into_iter().fold(title, |text, one| text.and(" ").and(one))));
    blocks.append(&mut incident(worst, richness, again));
    blocks
}

/// The banner of a problem: what is wrong, said once.
fn problem_banner(problem: &Problem, view: &PartView<'_>) -> Banner {
    let reservation = match (problem.is_unexplained, problem.may_stop_the_gpu) {
        (true, _) => ", cause not in this log",
        (false, true) => "",
        (false, false) => ", no GPU failure",
    };
    Banner {
        tone: verdict_tone(view.verdict),
        state: format!("{}{reservation}", verdict_state(view.verdict)),
        about: problem.gpu.iter().cloned().collect(),
        headline: problem.summary.as_str().into(),
        lead: problem.beside.iter().map(|text| text.as_str().into()).collect(),
    }
}

/// The part below the result of an incident.
fn incident(incident: &IncidentView<'_>, richness: Richness, again: &Again<'_>) -> Vec<Block> {
    let shown = incident.quotes.iter().filter(|line| line.rank < richness.quotes);
    let quotes = shown.map(|line| line.brief()).collect();
    let mut blocks = vec![Block::Evidence(Evidence { quotes, brief: true, more: 0 })];
    let now = incident.now().into_iter().flat_map(|urgent| match urgent {
        Urgent::ByOutcome => vec![incident.at_once.unwrap_or_default().into()],
        Urgent::Advice(action) => at_once(action, richness, again),
    });
    let label = |at: usize| if at == 0 { "Now" } else { "" };
    let mut now: Vec<Fact> = now.enumerate().map(|(at, text)| Fact::new(label(at), text)).collect();
    // If there is no room for the list, its first step is shown.
    let later = incident.later();
    now.extend(first_to_try(later.clone(), again).filter(|_| richness.steps == 0));
    blocks.extend((!now.is_empty()).then_some(Block::Facts(now)));
    blocks.extend(to_try(incident.to_try(), later, richness, again));
    blocks.push(prose(known(incident, richness)));
    blocks
}

/// The part below the result if nothing failed but a problem was found.
fn of_problem(problem: &Problem, richness: Richness, again: &Again<'_>) -> Vec<Block> {
    let quotes = problem.quotes.iter().take(richness.quotes).cloned().collect();
    let lines = Block::Evidence(Evidence { quotes, brief: true, more: 0 });
    let actions: Vec<_> = problem.actions.iter().collect();
    let first = first_to_try(actions.clone(), again).filter(|_| richness.steps == 0);
    let steps = to_try(TO_TRY, actions, richness, again);
    let first = first.map(|first| Block::Facts(vec![first]));
    [lines].into_iter().chain(first).chain(steps).collect()
}

/// How the diagnosis is known, and what is not known.
fn known(incident: &IncidentView<'_>, richness: Richness) -> Text {
    let mut text = Text::default();
    let mut diagnoses = incident.finding.diagnoses.iter();
    match (diagnoses.next(), incident.statements.first()) {
        (Some(head), Some(statements)) => {
            let said = match (richness.terse, richness.gaps) {
                (true, false) => statements.certainty.clone(),
                (true, true) => statements.in_short(),
                (false, _) => statements.line(),
            };
            text = text.and(Text::strong(&*head.id)).and(format!(": {said}"));
        }
        _ => text = text.and(incident.unexplained),
    }
    let others = distinct(diagnoses.map(|other| other.id.as_str()));
    if richness.remarks && !others.is_empty() {
        text = text.and(format!(" Also matched: {}.", joined(others, ", ")));
    }
    text
}

/// Notices: problems by name, and if nothing failed what the log states; the others are counted.
fn noted(view: &PartView<'_>, richness: Richness) -> Vec<Block> {
    let is_told = |one: &NoticeView<'_>| {
        view.notices.iter().any(|other| one.diagnosis.is_told_by(other.diagnosis))
    };
    let problems = view.notices.iter().filter(|notice| {
        let is_wanted = notice.diagnosis.severity >= Severity::Warning
            || (view.quiet.is_some() && notice.is_stated);
        is_wanted && !is_told(notice)
    });
    let headline = view.quiet.as_ref().map_or("", |quiet| quiet.answer.as_str());
    let is_said = |one: &Diagnosis| headline.contains(one.title.trim_end_matches('.'));
    let mut known = BTreeSet::new();
    let all: Vec<&Diagnosis> = { problems.map(|notice| notice.diagnosis) }
        .filter(|one| !is_said(one) && known.insert(one.title.as_str()))
        .take(richness.rows)
        .collect();
    let Some(titles) = any(all.iter().map(|one| one.title.as_str()), "; ") else {
        return Vec::new();
    };
    // Where it is all that there is to say, the reader asks about it.
    let is_all = view.quiet.as_ref().is_some_and(|quiet| quiet.problem.is_none());
    let more = (is_all && richness.remarks).then(|| {
        prose(format!("More: amdtriage explain {}", joined(all.iter().map(|one| &*one.id), " ")))
    });
    [prose(format!("Also noted: {titles}."))].into_iter().chain(more).collect()
}

/// References to further output.
fn hints(view: &PartView<'_>, richness: Richness, again: &Again<'_>) -> Block {
    let notes =
        view.notices.iter().filter(|one| one.diagnosis.severity < Severity::Warning).count();
    let details = match notes {
        0 => "details".to_owned(),
        notes => format!("details and {}", several(notes, "note")),
    };
    let report = again.report();
    let pairs = [("-v", &*details), ("--format html", "page"), (&*report, "bug report")];
    let pairs = pairs.into_iter().take(richness.references);
    prose(pairs.fold(Text::default(), |text, (command, what)| {
        let gap = if text.is_empty() { "" } else { "; " };
        text.and(gap).and(Text::code(command)).and(Text::toned(Tone::Quiet, format!(": {what}")))
    }))
}
