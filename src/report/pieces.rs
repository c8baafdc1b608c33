//! The sections of a report: evidence, advice, timeline of events, meaning.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use super::certainty::Statements;
use super::commands::{Alternative, Typed, typed};
use super::view::{Ends, Evidence as Proof, IncidentView, NoticeView, Row, Telling, quotes};
use super::words::{role_tone, role_word, same_as_after, standing, trust};
use crate::diagnosis::Diagnosis;
use crate::diagnosis::action::{Action, Urgent};
use crate::diagnosis::destination::Destination;
use crate::document::counts::{any, joined, several, sign};
use crate::document::{
    Block, Column, Evidence, Fact, Frame, Item, List, Section, Table, Text, Tone, phases, prose,
    section,
};
use crate::event::log::Log;
use crate::event::unknown::{Unknown, Unknowns};
use crate::pattern::signature::{Role, Severity};
use crate::record::OWN_QUOTE;
use crate::value::{Level, Named};

/// How much of an incident is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    /// Rows of the timeline.
    pub(super) rows: Ends,
    /// Visible actions; the others are collapsed.
    pub(super) actions: usize,
    /// Quoted lines for each diagnosis.
    pub(super) quotes: Ends,
    /// Notices.
    pub(super) notices: usize,
    /// Shapes of unknown lines.
    pub(super) shapes: usize,
    /// Whether the format can collapse sections.
    pub(super) folds: bool,
    /// Whether it is a page for reading: lines that show what happened are quoted without the names
    /// of driver and GPU, and reasons are collapsed.
    pub(super) page: bool,
}

/// The sections about an incident below its banner.
pub(super) fn incident(incident: &IncidentView<'_>, scale: &Scale) -> Vec<Block> {
    let steps = now(incident, scale).into_iter().chain(later(incident, scale)).collect();
    incident_blocks(incident, scale, evidence(incident, scale), steps)
}

/// The same, if its actions are those of incident `number`.
pub(super) fn incident_as_after(
    incident: &IncidentView<'_>,
    scale: &Scale,
    number: usize,
) -> Vec<Block> {
    incident_blocks(incident, scale, evidence(incident, scale), vec![same_steps(number)])
}

/// What belongs directly below the result: what to do now, and the lines that show what happened.
pub(super) fn urgent(incident: &IncidentView<'_>, scale: &Scale) -> Vec<Block> {
    now(incident, scale).into_iter().chain([evidence(incident, scale)]).collect()
}

/// The sections about an incident without what [`urgent`] shows; `same` is the number of an earlier
/// one with the same actions.
pub(super) fn incident_after_urgent(
    incident: &IncidentView<'_>,
    scale: &Scale,
    same: Option<usize>,
) -> Vec<Block> {
    let has_now = !incident.now().is_empty();
    let above = if has_now { WITH_NOW_ABOVE } else { LINES_ABOVE };
    let steps = match same {
        Some(number) => Some(same_steps(number)),
        None => later(incident, scale),
    };
    incident_blocks(incident, scale, prose(above), steps.into_iter().collect())
}

const WITH_NOW_ABOVE: &str =
    "What to do now, and the lines that show it, are at the beginning of this report.";
const LINES_ABOVE: &str = "The lines that show it are at the beginning of this report.";

fn same_steps(number: usize) -> Block {
    Section::new("What to do", vec![prose(same_as_after(number))]).into()
}

fn incident_blocks(
    incident: &IncidentView<'_>,
    scale: &Scale,
    evidence: Block,
    steps: Vec<Block>,
) -> Vec<Block> {
    let mut blocks = vec![Block::Facts(incident.facts.clone()), evidence];
    blocks.extend(steps);
    blocks.push(course(&incident.rows, scale));
    blocks.push(meaning(incident, scale));
    blocks.extend(unsaid(&incident.unsaid));
    blocks.push(report_it(incident.tracker, &incident.finding.fingerprint));
    blocks
}

/// The evidence of the first diagnosis.
fn evidence(incident: &IncidentView<'_>, scale: &Scale) -> Block {
    let quote = |line: &Telling<'_>| if scale.page { line.bare() } else { line.whole() };
    let quotes = incident.quotes.iter().map(quote).collect();
    let how = incident.statements.first().map(|known| prose(known.line()));
    let lines = Block::Evidence(Evidence { quotes, brief: false, more: 0 });
    Section::new(OWN_QUOTE, [lines].into_iter().chain(how).collect()).into()
}

/// What to do now.
fn now(incident: &IncidentView<'_>, scale: &Scale) -> Option<Block> {
    let now = incident.now();
    let item = |urgent: &Urgent<'_>| match urgent {
        Urgent::ByOutcome => Item::new(incident.at_once.unwrap_or_default()),
        Urgent::Advice(action) => step(action, scale),
    };
    let items: Vec<Item> = now.iter().map(item).collect();
    section("Now", vec![List { first: None, items }.into()])
}

/// What to try.
fn later(incident: &IncidentView<'_>, scale: &Scale) -> Option<Block> {
    let later = incident.later();
    let shown = later.len().min(scale.actions);
    let (first, rest) = later.split_at(shown);
    let list = |first: usize, actions: &[&Action]| {
        let items = actions.iter().map(|action| step(action, scale)).collect();
        Block::from(List { first: Some(first), items })
    };
    if first.is_empty() {
        return None;
    }
    let mut body = vec![list(1, first)];
    if !rest.is_empty() {
        let more = Section::new(format!("{} more", rest.len()), vec![list(shown + 1, rest)]);
        body.push(more.framed(Frame::Folded).into());
    }
    Some(Section::new(incident.to_try(), body).into())
}

/// An action; commands for many distributions, and on a page the reasons, are collapsed.
pub(super) fn step(action: &Action, scale: &Scale) -> Item {
    let advice = &action.advice;
    let mut body = match Typed::of(advice) {
        Typed::Nothing => Vec::new(),
        Typed::Same(text) => vec![Block::Command(text)],
        Typed::ByDistribution(all) if scale.page => {
            let explain = Text::code(format!("amdtriage explain {}", advice.id));
            let here = prose(Text::from("On the machine itself: ").and(explain));
            all.into_iter().map(alternative).chain([here]).collect()
        }
        Typed::ByDistribution(_) if scale.folds => {
            let body = vec![Block::Command(typed(&advice.commands))];
            let title = "Commands, for each distribution";
            vec![Section::new(title, body).framed(Frame::Folded).into()]
        }
        Typed::ByDistribution(_) => {
            let explain =
                format!("# commands for each distribution\namdtriage explain {}", advice.id);
            vec![Block::Command(explain)]
        }
    };
    let said = [("Why", &advice.why), ("Risk", &advice.risk)];
    let said = said.into_iter().filter(|(_, text)| !text.is_empty());
    let said = said.map(|(label, text)| Fact::new(label, text));
    let check = Fact::new("Check", Text::from(&advice.verify));
    let source = Fact::new("Source", &advice.source);
    let facts = Block::Facts(said.chain([check, source]).collect());
    body.push(if scale.page {
        Section::new("Why, risk, check", vec![facts]).framed(Frame::Folded).into()
    } else {
        facts
    });
    Item {
        title: format!("{}{}", advice.summary, standing(action.standing)).into(),
        tag: Some(trust(advice.trust).to_owned()),
        body,
    }
}

/// The commands for one of several distributions.
fn alternative(Alternative { names, text }: Alternative) -> Block {
    let command = Block::Command(text);
    match names {
        Some(names) => Section::new(names, vec![command]).framed(Frame::Choice).into(),
        None => command,
    }
}

/// The timeline of events.
fn course(rows: &[Row], scale: &Scale) -> Block {
    let note = effects_come_first(rows).then(|| prose(EFFECTS_FIRST));
    let table = Block::from(course_table(rows, scale.rows));
    Section::new("Course of events", [table].into_iter().chain(note).collect()).into()
}

/// Why effects can precede their cause.
const EFFECTS_FIRST: &str = "The cause is not in the first row: the driver reports a part that does not respond only \
                             after a wait, and other parts may report the effects before.";

/// Whether an effect is in an earlier row than the cause.
fn effects_come_first(rows: &[Row]) -> bool {
    let first = |role: Role| rows.iter().position(|row| row.role == Some(role));
    let cause = first(Role::RootCause);
    first(Role::Consequence).zip(cause).is_some_and(|(effect, cause)| effect < cause)
}

/// The timeline without a heading.
pub(super) fn course_table(rows: &[Row], ends: Ends) -> Table {
    let row = |row: &Row| {
        let count = match row.count {
            0 | 1 => Text::default(),
            count => Text::strong(format!("{count}×")).and(" "),
        };
        let varied = if row.varied { ", and similar ones" } else { "" };
        let what = count.and(row.means.as_str()).and(varied);
        vec![row.since().into(), row.lines().into(), what, part(row)]
    };
    let (first, hidden, last) = ends.split(rows);
    let gap = (hidden > 0).then(|| {
        let text = format!("{hidden} rows are left out");
        vec!["…".into(), Text::default(), text.into(), Text::default()]
    });
    let columns = vec![
        Column::numbers("Since first"),
        Column::numbers("Lines"),
        Column::words("What"),
        Column::words("Part"),
    ];
    let rows = first.iter().map(row).chain(gap).chain(last.iter().map(row)).collect();
    Table { name: "Course of events".to_owned(), columns, rows, one_line: false }
}

/// The part that a row plays: that of the diagnosis that it proves, else its place in a recovery.
fn part(row: &Row) -> Text {
    match (row.role, row.mark) {
        (Some(role), _) => Text::toned(role_tone(role), role_word(role)),
        (None, Some(mark)) => Text::toned(Tone::Quiet, phases::shown(mark).word),
        (None, None) => Text::default(),
    }
}

/// The explanations of all diagnoses, beginning with the one in the headline.
fn meaning(incident: &IncidentView<'_>, scale: &Scale) -> Block {
    let diagnoses = &incident.finding.diagnoses;
    let mut body = Vec::new();
    if diagnoses.is_empty() {
        body.push(prose(incident.unexplained));
    }
    let proofs = incident.statements.iter().zip(&incident.evidence);
    let all = diagnoses.iter().zip(proofs).enumerate();
    body.extend(all.map(|(place, (diagnosis, (statements, evidence)))| {
        Block::from(diagnosis_section(diagnosis, statements, evidence, place, scale))
    }));
    Section::new("What it means", body).into()
}

fn diagnosis_section(
    diagnosis: &Diagnosis,
    statements: &Statements,
    evidence: &Proof<'_>,
    place: usize,
    scale: &Scale,
) -> Section {
    let role = Text::toned(role_tone(diagnosis.role), role_word(diagnosis.role));
    let title = role.and(format!(": {} (", diagnosis.title));
    let title = title.and(Text::code(&*diagnosis.id)).and(")");
    let mut body = vec![prose(&diagnosis.summary)];
    // The statements about the first one are shown above.
    if place > 0 || scale.folds {
        body.push(prose(Text::from(statements.line())));
    }
    if scale.folds && !evidence.shown.is_empty() {
        let title = format!("{OWN_QUOTE}: {}", several(evidence.all, "event"));
        body.push(Section::new(title, vec![quoted(evidence)]).framed(Frame::Folded).into());
    } else if place > 0 && !evidence.shown.is_empty() {
        body.push(Section::new(OWN_QUOTE, vec![quoted_briefly(evidence, scale)]).into());
    }
    let reasons = reasons(diagnosis);
    if scale.folds {
        let title = "Reasons, and background";
        body.push(Section::new(title, reasons).framed(Frame::Folded).into());
    } else {
        body.extend(reasons);
    }
    Section::new(title, body).framed(Frame::Card)
}

fn quoted(evidence: &Proof<'_>) -> Block {
    let more = evidence.all.saturating_sub(evidence.shown.len());
    let quotes = evidence.shown.iter().flat_map(|observed| quotes(observed)).collect();
    Block::Evidence(Evidence { quotes, brief: false, more })
}

fn quoted_briefly(evidence: &Proof<'_>, scale: &Scale) -> Block {
    let (first, _, last) = scale.quotes.split(&evidence.shown);
    let more = evidence.all.saturating_sub(first.len() + last.len());
    let quotes = first.iter().chain(last).flat_map(|observed| quotes(observed)).collect();
    Block::Evidence(Evidence { quotes, brief: false, more })
}

fn reasons(diagnosis: &Diagnosis) -> Vec<Block> {
    let paragraphs = diagnosis.explain.split("\n\n").filter(|text| !text.trim().is_empty());
    let mut blocks: Vec<Block> =
        paragraphs.map(|text| prose(joined(text.split_whitespace(), " "))).collect();
    if !diagnosis.reasons.is_empty() {
        let each = diagnosis.reasons.iter();
        let each = each.map(|reason| format!("({}) {}", sign(reason.by), reason.because));
        blocks.push(List::of(each).into());
    }
    if !diagnosis.references.is_empty() {
        let each = diagnosis.references.iter().map(Text::address);
        blocks.push(List::of(each).into());
    }
    blocks
}

fn unsaid(unsaid: &[&str]) -> Option<Block> {
    let list = || List::of(unsaid.iter().copied());
    (!unsaid.is_empty())
        .then(|| Section::new("What the log does not show", vec![list().into()]).into())
}

fn report_it(tracker: Option<&Destination>, fingerprint: &str) -> Block {
    let place = tracker.map(|tracker| {
        let before = if tracker.own { "the program's own tracker, then " } else { "" };
        Fact::new("Tracker", Text::from(before).and(Text::address(&*tracker.address)))
    });
    let known = Text::code(fingerprint).and(" (the same bug has the same one, on any machine)");
    let facts = place.into_iter().chain([Fact::new("Fingerprint", known)]).collect();
    Section::new("Where to report it", vec![Block::Facts(facts)]).into()
}

/// Notices of what is wrong with a GPU that did not fail, below `title`.
pub(super) fn problems(
    title: &str,
    notices: &[NoticeView<'_>],
    log: &Log,
    scale: &Scale,
) -> Option<Block> {
    let wrong = notices.iter().take(scale.notices).filter(|notice| is_problem(notice));
    section(title, wrong.map(|one| notice(one, log, scale, Frame::Plain).into()).collect())
}

fn is_problem(notice: &NoticeView<'_>) -> bool {
    notice.diagnosis.severity >= Severity::Warning
}

/// The other notices; harmless ones collapsed or counted.
pub(super) fn notices(
    notices: &[NoticeView<'_>],
    log: &Log,
    scale: &Scale,
    harmless: bool,
) -> Option<Block> {
    let shown = notices.iter().take(scale.notices).filter(|notice| !is_problem(notice));
    let (benign, telling): (Vec<_>, Vec<_>) = shown.partition(|notice| notice.benign);
    let card = |one: &&NoticeView<'_>| notice(one, log, scale, Frame::Folded).into();
    let mut body: Vec<Block> = telling.iter().map(card).collect();
    let ids: BTreeSet<&str> = benign.iter().map(|one| one.diagnosis.id.as_str()).collect();
    if harmless && !benign.is_empty() {
        let each = benign.iter().map(card).collect();
        let title = several(benign.len(), "harmless notice");
        body.push(Section::new(title, each).framed(Frame::Folded).into());
    } else if let Some(ids) = any(ids, ", ") {
        body.push(prose(format!("Harmless: {ids} (--all shows more)")));
    }
    let more = notices.len().saturating_sub(scale.notices);
    body.extend((more > 0).then(|| prose(format!("{more} more are in JSON."))));
    section("Also noted, no failure", body)
}

/// A notice; `steps` is the frame of what to do about it.
fn notice(notice: &NoticeView<'_>, log: &Log, scale: &Scale, steps: Frame) -> Section {
    let NoticeView { diagnosis, times, statements, .. } = notice;
    let mut body = vec![prose(&diagnosis.summary), prose(statements.line())];
    if *times > 1 {
        body.push(prose(format!("The log has this {times} times; this is the first.")));
    }
    let evidence = Proof::new(diagnosis, log);
    if scale.folds && !evidence.shown.is_empty() {
        let title = format!("{OWN_QUOTE}: {}", several(evidence.all, "event"));
        body.push(Section::new(title, vec![quoted(&evidence)]).framed(Frame::Folded).into());
    } else if !evidence.shown.is_empty() {
        body.push(Section::new(OWN_QUOTE, vec![quoted_briefly(&evidence, scale)]).into());
    }
    if !diagnosis.actions.is_empty() {
        body.push(
            Section::new("What to do", vec![steps_of(&diagnosis.actions, scale)])
                .framed(steps)
                .into(),
        );
    }
    let title = Text::from(format!("{} (", diagnosis.title));
    let title = title.and(Text::code(&*diagnosis.id)).and(")");
    Section::new(title, body).framed(Frame::Card)
}

/// Actions as numbered steps.
fn steps_of<'a>(
    actions: impl IntoIterator<Item = &'a (impl Borrow<Action> + 'a)>,
    scale: &Scale,
) -> Block {
    let items = actions.into_iter().map(|action| step(action.borrow(), scale)).collect();
    List { first: Some(1), items }.into()
}

/// The driver's lines without a known message.
pub(super) fn unknown(unknown: &Unknowns, scale: &Scale) -> Option<Block> {
    if unknown.is_empty() {
        return None;
    }
    let shapes = unknown.by_level();
    let row = |one: &&Unknown| {
        let level = one.level.map_or("-", Level::name);
        let function = one.function.as_ref().map(|name| format!(" in {}()", Named(name)));
        let text = Text::code(&*one.body).and(function.unwrap_or_default());
        vec![level.into(), one.count.to_string().into(), one.line.to_string().into(), text]
    };
    let columns = vec![
        Column::words("Level"),
        Column::numbers("Lines"),
        Column::numbers("First"),
        Column::words("Text"),
    ];
    let rows = shapes.iter().take(scale.shapes).map(row).collect();
    let table =
        Table { name: "Lines without a known meaning".to_owned(), columns, rows, one_line: false };
    let beyond = shapes.len().saturating_sub(scale.shapes) as u64 + unknown.beyond();
    let more = (beyond > 0).then(|| prose("Lines of further shapes are left out here."));
    let body: Vec<Block> = [table.into()].into_iter().chain(more).collect();
    let summary = match unknown.errors() {
        0 => format!("{}, no errors among them", several(shapes.len(), "kind of line")),
        errors => format!("{}, {errors} lines of errors", several(shapes.len(), "kind of line")),
    };
    let body = if scale.folds {
        vec![Section::new(summary, body).framed(Frame::Folded).into()]
    } else {
        body
    };
    Some(Section::new("Lines of the driver without a known meaning", body).into())
}
