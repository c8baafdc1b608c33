//! The first screen, in 24 lines of 80 columns: what happened, whether it is over, the lines that
//! show it, what to do now, what to try, and what is not known.

use std::collections::HashMap;

use super::commands::Typed;
use super::incidents::{self, Gpus};
use super::view::{IncidentView, NoticeView, PartView, Problem, TO_TRY};
use super::whole::{banner, banner_of_several, quiet_banner};
use super::words::{trust, verdict_state, verdict_tone};
use crate::diagnosis::action::{Action, Urgent};
use crate::document::counts::{any, distinct, joined, several};
use crate::document::shell::folded;
use crate::document::terminal::{self, Look};
use crate::document::{
    Banner, Block, Column, Document, Evidence, Fact, Item, List, Section, Table, Text, Tone, prose,
};
use crate::input::called;
use crate::pattern::advice::Advice;
use crate::pattern::signature::Severity;
use crate::value::DistributionFamily;

/// The height of a terminal, without a line for the prompt.
const LINES: usize = 23;

/// How much of an incident is shown.
#[derive(Clone, Copy, Debug)]
struct Richness {
    quotes: usize,
    /// The number of things to try.
    steps: usize,
    /// The number of those that are shown with commands; for the others, a reference is shown.
    commands: usize,
    /// The most lines of commands that are shown for one of them.
    lines: usize,
    /// The number of rows in a table of incidents.
    rows: usize,
    /// Whether secondary remarks are shown.
    remarks: bool,
}

/// From most to least; the first that fits is used.
const RICHNESS: [Richness; 13] = [
    Richness { quotes: 3, steps: 3, commands: 3, lines: 8, rows: 8, remarks: true },
    Richness { quotes: 3, steps: 3, commands: 3, lines: 3, rows: 8, remarks: true },
    Richness { quotes: 3, steps: 3, commands: 3, lines: 3, rows: 8, remarks: false },
    Richness { quotes: 3, steps: 3, commands: 1, lines: 8, rows: 6, remarks: false },
    Richness { quotes: 3, steps: 3, commands: 1, lines: 3, rows: 6, remarks: false },
    Richness { quotes: 2, steps: 3, commands: 1, lines: 3, rows: 5, remarks: false },
    Richness { quotes: 2, steps: 2, commands: 1, lines: 3, rows: 4, remarks: false },
    Richness { quotes: 2, steps: 1, commands: 1, lines: 3, rows: 4, remarks: false },
    Richness { quotes: 3, steps: 1, commands: 0, lines: 0, rows: 3, remarks: false },
    Richness { quotes: 2, steps: 1, commands: 0, lines: 0, rows: 3, remarks: false },
    Richness { quotes: 2, steps: 0, commands: 0, lines: 0, rows: 2, remarks: false },
    Richness { quotes: 1, steps: 1, commands: 0, lines: 0, rows: 2, remarks: false },
    Richness { quotes: 1, steps: 0, commands: 0, lines: 0, rows: 2, remarks: false },
];

/// The first screen for an input, with as much as fits.
pub(super) fn document(view: &PartView<'_>, look: Look) -> Document {
    let fits = |document: &Document| terminal::text(document, look).lines().count() <= LINES;
    let mut all = RICHNESS.iter().map(|richness| card(view, *richness));
    let last = || card(view, RICHNESS[RICHNESS.len() - 1]);
    all.find(fits).unwrap_or_else(last)
}

fn card(view: &PartView<'_>, richness: Richness) -> Document {
    let mut blocks = Vec::new();
    match (view.incidents.as_slice(), &view.quiet) {
        ([only], _) => {
            blocks.push(Block::Banner(banner(only)));
            blocks.append(&mut incident(only, richness));
        }
        ([], Some(quiet)) => {
            let banner = quiet
                .problem
                .as_ref()
                .map_or_else(|| quiet_banner(view, quiet), |problem| problem_banner(problem, view));
            blocks.push(Block::Banner(banner));
            blocks.extend(quiet.evidence().map(Block::Evidence));
            blocks.extend(quiet.problem.iter().flat_map(|problem| of_problem(problem, richness)));
            blocks.extend(quiet.about.iter().take(richness.rows).cloned().map(Block::Facts));
        }
        (all, _) => {
            let worst = view.worst().unwrap_or_else(|| unreachable!("there are several incidents"));
            blocks.push(Block::Banner(Banner {
                lead: Vec::new(),
                headline: Text::default(),
                ..banner_of_several(view)
            }));
            blocks.push(table(all, worst, richness.rows));
            let title = Text::strong(format!("{}. {}", worst.number, worst.title));
            let lead = worst.lead();
            blocks.push(prose(lead.into_iter().fold(title, |text, one| text.and(" ").and(one))));
            blocks.append(&mut incident(worst, richness));
        }
    }
    blocks.extend(noted(view, richness));
    blocks.extend(view.remark.as_deref().map(prose));
    if richness.remarks || !view.is_whole {
        blocks.push(prose(Text::toned(Tone::Quiet, &*view.reading_in_short)));
    }
    let more = !view.incidents.is_empty() || !view.notices.is_empty();
    blocks.extend(more.then(|| hints(view)));
    Document { title: called(view.name), blocks, foot: None }
}

/// The banner of a problem: what is wrong, said once.
fn problem_banner(problem: &Problem, view: &PartView<'_>) -> Banner {
    Banner {
        tone: verdict_tone(view.verdict),
        state: format!("{}, no GPU failure", verdict_state(view.verdict)),
        about: problem.gpu.iter().cloned().collect(),
        headline: problem.summary.as_str().into(),
        lead: problem.beside.iter().map(|text| text.as_str().into()).collect(),
    }
}

/// The part below the result of an incident.
fn incident(incident: &IncidentView<'_>, richness: Richness) -> Vec<Block> {
    let shown = incident.quotes.iter().filter(|line| line.rank < richness.quotes);
    let quotes = shown.map(|line| line.brief()).collect();
    let mut blocks = vec![Block::Evidence(Evidence { quotes, brief: true, more: 0 })];
    let now = incident.now().into_iter().flat_map(|urgent| match urgent {
        Urgent::ByOutcome => vec![incident.at_once.unwrap_or_default().into()],
        Urgent::Advice(action) => at_once(action, richness),
    });
    let label = |at: usize| if at == 0 { "Now" } else { "" };
    let mut now: Vec<Fact> = now.enumerate().map(|(at, text)| Fact::new(label(at), text)).collect();
    // If there is no room for the list, its first step is shown.
    let first = incident.later().into_iter().find(|action| action.is_new());
    now.extend(first.filter(|_| richness.steps == 0).map(|action| {
        let id = Text::code(format!("amdtriage explain {}", action.advice.id));
        Fact::new("Try", Text::from(format!("{}: ", action.advice.summary)).and(id))
    }));
    blocks.extend((!now.is_empty()).then_some(Block::Facts(now)));
    blocks.extend(to_try(incident.to_try(), incident.later(), richness));
    blocks.push(prose(known(incident, richness)));
    blocks
}

/// The part below the result if nothing failed but a problem was found.
fn of_problem(problem: &Problem, richness: Richness) -> impl Iterator<Item = Block> {
    let quotes = problem.quotes.iter().take(richness.quotes).cloned().collect();
    let lines = Block::Evidence(Evidence { quotes, brief: true, more: 0 });
    let steps = to_try(TO_TRY, problem.actions.iter().collect(), richness);
    [lines].into_iter().chain(steps)
}

/// The actions to try, with a heading, and a reference to the commands that do not fit.
fn to_try(heading: &'static str, all: Vec<&Action>, richness: Richness) -> Option<Block> {
    let new = all.into_iter().filter(|action| action.is_new()).take(richness.steps);
    let steps: Vec<(&Action, Option<String>)> = new
        .enumerate()
        .map(|(at, action)| {
            (action, command(action, richness.lines).filter(|_| at < richness.commands))
        })
        .collect();
    let without = steps
        .iter()
        .filter(|(action, shown)| shown.is_none() && !action.advice.commands.is_empty());
    let without: Vec<&Advice> = without.map(|(action, _)| &*action.advice).collect();
    let items: Vec<Item> =
        steps.iter().map(|(action, shown)| step(action, shown.clone())).collect();
    if items.is_empty() {
        return None;
    }
    let mut body = vec![Block::from(List { first: Some(1), items })];
    body.extend((!without.is_empty()).then(|| prose(where_commands_are(&without))));
    Some(Section::new(heading, body).into())
}

/// A reference to the commands of `advice`.
fn where_commands_are(advice: &[&Advice]) -> Text {
    if advice.iter().any(|one| matches!(Typed::of(one), Typed::ByDistribution(_))) {
        let names = " (or fedora, arch, debian, ...)";
        return Text::from("For the commands, add ").and(Text::code("--distro ubuntu")).and(names);
    }
    let ids = joined(advice.iter().map(|one| &one.id), " ");
    Text::from("Commands: ").and(Text::code(format!("amdtriage explain {ids}")))
}

/// What to do now, and on a line of its own, to be copied, the command if that is one line.
fn at_once(action: &Action, richness: Richness) -> Vec<Text> {
    let summary = format!("{}.", action.advice.summary.trim_end_matches('.'));
    let explain = || Text::code(format!("amdtriage explain {}", action.advice.id));
    let [first, rest @ ..] = action.advice.commands.as_slice() else { return vec![summary.into()] };
    let plain = first.comment.is_none() && first.is_for(DistributionFamily::Any);
    if !plain || first.text.contains('\n') || first.text.len() > BESIDE {
        return vec![Text::from(format!("{summary} How: ")).and(explain())];
    }
    let mut lines = vec![summary.into(), Text::code(&*first.text)];
    if !rest.is_empty() && richness.remarks {
        lines.push(Text::from("If that fails: ").and(explain()));
    }
    lines
}

/// A thing to try.
fn step(action: &Action, command: Option<String>) -> Item {
    Item {
        title: action.advice.summary.as_str().into(),
        tag: Some(trust(action.advice.trust).to_owned()),
        body: command.map(Block::Command).into_iter().collect(),
    }
}

/// The commands, if they are the same for every distribution and have at most `lines` lines.
fn command(action: &Action, lines: usize) -> Option<String> {
    let Typed::Same(text) = Typed::of(&action.advice) else { return None };
    let fits = |line: &str| folded(line, ROOM).iter().all(|part| part.chars().count() <= ROOM);
    let shown: usize = text.lines().map(|line| folded(line, ROOM).len()).sum();
    (shown <= lines && text.lines().all(fits)).then_some(text)
}

/// Maximum length of a command next to a sentence.
const BESIDE: usize = 50;
/// The columns for a command of a step.
const ROOM: usize = 74;

/// How the diagnosis is known, and what is not known.
fn known(incident: &IncidentView<'_>, richness: Richness) -> Text {
    let mut text = Text::default();
    let mut diagnoses = incident.finding.diagnoses.iter();
    match (diagnoses.next(), incident.statements.first()) {
        (Some(head), Some(statements)) => {
            text = text.and(Text::strong(&*head.id)).and(format!(": {}", statements.line()));
        }
        _ => text = text.and(incident.unexplained),
    }
    let others = distinct(diagnoses.map(|other| other.id.as_str()));
    if richness.remarks && !others.is_empty() {
        text = text.and(format!(" Also matched: {}.", joined(others, ", ")));
    }
    text
}

/// The incidents; equal ones once, with their number.
fn table(incidents: &[IncidentView<'_>], worst: &IncidentView<'_>, most: usize) -> Block {
    let mut groups: Vec<(&IncidentView<'_>, usize)> = Vec::new();
    let mut places = HashMap::new();
    let mut place_of_worst = 0;
    for incident in incidents {
        let found = incident.finding;
        let same = (&found.fingerprint, found.incident.device, &incident.state);
        let at = *places.entry(same).or_insert(groups.len());
        if at == groups.len() {
            groups.push((incident, 0));
        }
        groups[at].1 += 1;
        if incident.number == worst.number {
            place_of_worst = at;
        }
    }
    // The incident shown below is always in the table, however short it is.
    groups.swap(place_of_worst, place_of_worst.min(most.saturating_sub(1)));
    let gpus = Gpus::of(incidents);
    let row = |(incident, times): &(&IncidentView<'_>, usize)| {
        let times = if *times > 1 { format!("{times}×") } else { String::new() };
        let mut row = incidents::cells(incident, gpus);
        row.extend([times.into(), Text::toned(incident.tone, &*incident.state)]);
        row
    };
    let hidden = groups.len().saturating_sub(most);
    let gap = (hidden > 0).then(|| {
        let mut row = incidents::gap(gpus);
        row.extend([Text::default(), format!("{hidden} more (-v)").into()]);
        row
    });
    let mut columns = incidents::columns("", gpus);
    columns.extend([Column::numbers(""), Column::words("What")]);
    let rows = groups.iter().take(most).map(row).chain(gap).collect();
    Table { name: "Incidents".to_owned(), columns, rows, one_line: false }.into()
}

/// Notices: problems by name, the others counted.
fn noted(view: &PartView<'_>, richness: Richness) -> Option<Block> {
    let is_told = |one: &NoticeView<'_>| {
        view.notices.iter().any(|other| one.diagnosis.is_told_by(other.diagnosis))
    };
    let problems = view
        .notices
        .iter()
        .filter(|notice| notice.diagnosis.severity >= Severity::Warning && !is_told(notice));
    let headline = view.quiet.as_ref().map_or("", |quiet| quiet.answer.as_str());
    let titles = problems.map(|notice| notice.diagnosis.title.as_str());
    let titles = distinct(titles.filter(|title| !headline.contains(title.trim_end_matches('.'))));
    let all = any(titles.into_iter().take(richness.rows), "; ")?;
    Some(prose(format!("Also noted: {all}.")))
}

/// References to further output.
fn hints(view: &PartView<'_>) -> Block {
    let notes =
        view.notices.iter().filter(|one| one.diagnosis.severity < Severity::Warning).count();
    let details = match notes {
        0 => "details".to_owned(),
        notes => format!("details and {}", several(notes, "note")),
    };
    let pairs = [
        ("-v", details.as_str()),
        ("--format html", "page"),
        ("sudo amdtriage report", "bug report"),
    ];
    prose(pairs.into_iter().fold(Text::default(), |text, (command, what)| {
        let gap = if text.is_empty() { "" } else { "; " };
        text.and(gap).and(Text::code(command)).and(Text::toned(Tone::Quiet, format!(": {what}")))
    }))
}
