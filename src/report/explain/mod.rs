//! Explanations for people: a section for each name or line.

pub(crate) mod json;
mod lines;
pub(super) mod words;

use super::commands::typed;
use super::decode;
use super::words::{tone, trust};
use crate::document::counts::{any, joined, sign};
use crate::document::{Block, Document, Fact, Item, List, Section, Text, facts, prose, section};
use crate::explain::{
    AdviceEntry, Answer, FindingEntry, KindEntry, MessageEntry, SignatureEntry, Subject, TermEntry,
    Use, ValueEntry,
};
use crate::pattern::advice::Advice;
use crate::pattern::constraint::Condition;
use crate::pattern::message::Message;
use crate::pattern::signature::{Signature, Unsaid};

/// The explanations as a document.
pub(crate) fn document(answer: &Answer<'_>) -> Document {
    let subject = |subject: &Subject<'_>| match subject {
        Subject::Term(entry) => term(entry),
        Subject::Kind(entry) => kind(entry),
        Subject::Message(entry) => message(entry),
        Subject::Signature(entry) => signature(entry),
        Subject::Advice(entry) => advice(entry),
        Subject::Finding(entry) => of_a_machine(entry),
        Subject::Value(ValueEntry { text, readings }) => {
            named(text, "a value", decode::document(readings).blocks)
        }
    };
    let subjects = answer.names.iter().flat_map(|name| &name.subjects);
    let subjects = subjects.map(|one| Block::from(subject(one)));
    let lines = answer.lines.iter().flat_map(lines::explained);
    Document::new(title(answer), subjects.chain(lines).collect())
}

/// The names that are explained, or that there are only lines.
fn title(answer: &Answer<'_>) -> String {
    let known = answer.names.iter().filter_map(|name| name.subjects.first());
    any(known.map(Subject::name), ", ").unwrap_or_else(|| "Lines of a log".to_owned())
}

/// The section for a name of this type.
fn named(id: &str, what: &str, body: impl IntoIterator<Item = Block>) -> Section {
    Section::new(Text::code(id).and(format!(": {what}")), body.into_iter().collect())
}

/// A list of names with descriptions.
fn rows(title: &str, rows: impl IntoIterator<Item = (String, String)>) -> Option<Block> {
    let facts = rows.into_iter().map(|(name, text)| Fact::new(name, text)).collect();
    section(title, vec![Block::Facts(facts)])
}

fn uses(title: &str, uses: &[Use<'_>]) -> Option<Block> {
    rows(
        title,
        uses.iter().map(|Use { signature, step, place }| {
            let text = format!("{} ({} step {step})", signature.title, words::place(*place));
            (signature.id.clone(), text)
        }),
    )
}

fn term(entry: &TermEntry<'_>) -> Section {
    let TermEntry { term, signatures, advice } = entry;
    let signatures = signatures.iter().map(|one| (one.id.clone(), one.title.clone()));
    let advice = advice.iter().map(|one| (one.id.clone(), one.summary.clone()));
    let parts = [rows("Signatures", signatures), rows("Advice", advice)];
    let body = [prose(Text::marked(&term.means))].into_iter().chain(parts.into_iter().flatten());
    named(&term.name, "a term", body)
}

fn kind(entry: &KindEntry<'_>) -> Section {
    let kind = entry.kind;
    let field = |field: &crate::kind::FieldDefinition| {
        let holds = words::holds(field.kind);
        let about = field.about.to_owned();
        let text = if holds.is_empty() { about } else { format!("{about} ({holds})") };
        Fact::new(field.name, Text::marked(&text))
    };
    let fields = section("Fields", vec![Block::Facts(kind.fields().iter().map(field).collect())]);
    let items = entry.messages.iter().map(|message| printed_as(message)).collect();
    let messages = section("Messages of this kind", vec![List { first: None, items }.into()]);
    let about = [prose(Text::marked(kind.about())), facts([("part", words::part(kind.part()))])];
    let uses = uses("Signatures that look for it", &entry.uses);
    named(
        kind.name(),
        "a kind of event",
        about.into_iter().chain(fields).chain(messages).chain(uses),
    )
}

/// A message in the list of a kind.
fn printed_as(message: &Message) -> Item {
    let joins = if message.joins && !message.alone { " (continues an event)" } else { "" };
    let formats = message.formats().into_iter().map(prose);
    let kernels = words::kernels(message.kernel);
    let source = prose(format!("kernels: {kernels}; {}", message.source));
    Item { body: formats.chain([source]).collect(), ..Item::new(format!("{}{joins}", message.id)) }
}

fn message(entry: &MessageEntry<'_>) -> Section {
    let message = entry.message;
    let kinds = message.kinds.iter().map(|kind| kind.name());
    let part = message.kinds.first().map(|kind| words::part(kind.part()).to_owned());
    let level = message.level.map_or("not known", crate::value::Level::name);
    let printers = message.from.iter().map(|from| words::printer(*from));
    let constants = message.constants.iter();
    let constants = constants.map(|(name, value)| format!("{name} = {value}"));
    let mut about = vec![
        ("event", joined(kinds, " or ")),
        ("part", part.unwrap_or_default()),
        ("level", level.to_owned()),
        ("printer", joined(printers, ", ")),
    ];
    about.extend(lines::source(message));
    about.push(("reading", reading(message)));
    about.push(("sets", joined(constants, ", ")));
    let formats = message.formats().into_iter().map(prose);
    let samples = message.samples.iter().map(prose);
    let blocks = [prose(words::template(&message.means)), facts(about)].into_iter();
    let printed = section("Printed as", formats.collect());
    let samples = section("For example", samples.collect());
    let uses = uses("Signatures that look for such an event", &entry.uses);
    named(&message.id, "a message", blocks.chain(printed).chain(samples).chain(uses))
}

fn signature(entry: &SignatureEntry<'_>) -> Section {
    let signature = entry.signature;
    let explain = words::template(&signature.text.explain);
    let summary = words::template(&signature.text.summary);
    let steps = signature.steps.iter().map(|step| (step.name.clone(), words::step(step)));
    let nevers = signature.nevers.iter().map(|never| (never.name.clone(), words::never(never)));
    let title = Text::toned(tone(signature.severity), &*signature.title);
    let actions = entry.actions.iter();
    let parts = [
        section("What it means", explain.split("\n\n").map(prose).collect()),
        advised(actions.map(|(action, advice)| (action.when.as_ref(), advice))),
        Some(signature_facts(signature)),
        section("Summary in a report", vec![prose(summary)]),
        rows("What it looks for, in this order", steps),
        rows("What must not occur", nevers),
        certainty(signature),
        cause(signature),
        unsaid_by(signature),
        read_on(&signature.references),
    ];
    let head = [prose(title)];
    named(&signature.id, "a signature", head.into_iter().chain(parts.into_iter().flatten()))
}

fn signature_facts(signature: &Signature) -> Block {
    let severities = signature.severity_if.iter();
    let severities = severities
        .map(|other| format!("{} where {}", other.severity.name(), words::condition(&other.when)));
    let severity = std::iter::once(signature.severity.name().to_owned()).chain(severities);
    let roles = signature.roles.iter().map(|role| role.name());
    facts([
        ("severity", joined(severity, "; ")),
        ("role", joined(roles, ", or where another diagnosis explains it ")),
        ("layer", joined(signature.layers.iter().map(|layer| layer.name()), ", ")),
        ("status", words::status(signature.status).to_owned()),
        ("not judged", unjudged(signature)),
        ("applies", words::applies(&signature.applies)),
        ("looks at", words::scope(signature.scope).to_owned()),
        ("suppressed", silencers(signature)),
    ])
}

/// When a log with nothing worse is not judged.
fn unjudged(signature: &Signature) -> String {
    let when = signature.unjudged_if.as_ref().map(words::condition);
    when.map(|when| format!("a log with nothing worse, where {when}")).unwrap_or_default()
}

fn certainty(signature: &Signature) -> Option<Block> {
    let mut body = vec![prose(words::certainty(signature.certainty))];
    if !signature.less_certain.is_empty() {
        let conditions = joined(signature.less_certain.iter().map(words::condition), ", or ");
        body.push(prose(format!("One level less certain where {conditions}.")));
    }
    let reasons = signature.confidence.reasons.iter();
    let reasons = reasons.map(|reason| format!("({}) {}", sign(reason.by), reason.because));
    body.push(List::of(reasons).into());
    section("How it is known", body)
}

fn cause(signature: &Signature) -> Option<Block> {
    let shown = signature.shown.as_ref();
    let first = prose(words::cause(signature.cause, &signature.candidates, shown));
    let others = signature.cause_if.iter().map(|other| {
        let when = words::condition(&other.when);
        let cause = words::cause(other.cause, &other.candidates, other.shown.as_ref());
        prose(format!("Where {when}: {cause}"))
    });
    section("Its cause", [first].into_iter().chain(others).collect())
}

fn unsaid_by(signature: &Signature) -> Option<Block> {
    let text = |unsaid: &Unsaid| {
        let when = unsaid.when.as_ref();
        let when = when.map(|when| format!(" (where {})", words::condition(when)));
        format!("{}{}", words::template(&unsaid.text), when.unwrap_or_default())
    };
    let list = List::of(signature.unsaid.iter().map(text));
    section("What a log does not show", vec![list.into()])
}

/// The actions, each with its condition.
fn advised<'p>(
    actions: impl IntoIterator<Item = (Option<&'p Condition>, &'p Advice)>,
) -> Option<Block> {
    let item = |(when, advice): (Option<&Condition>, &Advice)| {
        let when = when.map(|when| prose(format!("only where {}", words::condition(when))));
        let Advice { id, summary, trust: founded, .. } = advice;
        Item {
            title: Text::from(format!("{summary} (")).and(Text::code(&**id)).and(")"),
            tag: Some(trust(*founded).to_owned()),
            body: when.into_iter().collect(),
        }
    };
    let items = actions.into_iter().map(item).collect();
    section("What to do", vec![List { first: Some(1), items }.into()])
}

fn read_on(references: &[String]) -> Option<Block> {
    let list = List::of(references.iter().map(Text::address));
    section("References", vec![list.into()])
}

fn of_a_machine(entry: &FindingEntry<'_>) -> Section {
    let FindingEntry { about, actions } = entry;
    let blocks = [prose(&about.title), prose(words::template(&about.summary))];
    let source = [("severity", about.severity.name()), ("source", &*about.source)];
    let unverified = if about.unverified { ", and could not be verified" } else { "" };
    let checked = about.checked.as_ref().map(|day| format!("{day}{unverified}"));
    let checked = checked.as_deref().map(|text| ("checked", text));
    let known = facts(source.into_iter().chain(checked));
    let blocks = blocks.into_iter().chain([known]);
    let advised = advised(actions.iter().map(|advice| (None, advice)));
    let rest = advised.into_iter().chain(read_on(&about.references));
    named(&about.id, "what amdtriage check may find", blocks.chain(rest))
}

fn advice(entry: &AdviceEntry<'_>) -> Section {
    let advice = &entry.advice;
    let sets = advice.sets.as_ref();
    let sets = sets.map(|sets| format!("{}={}", sets.parameter, sets.value));
    let only = if advice.while_running { "while the boot that failed still runs" } else { "" };
    let ruled_out = advice.not_when.iter().map(|one| match one {
        Condition::Not(wanted) => format!("given only where {}", words::condition(wanted)),
        other => format!("not given where {}", words::condition(other)),
    });
    let known: [(&'static str, Text); 11] = [
        ("why", (&advice.why).into()),
        ("risk", (&advice.risk).into()),
        ("check", (&advice.verify).into()),
        ("trust", trust(advice.trust).into()),
        ("source", (&advice.source).into()),
        ("sets", sets.unwrap_or_default().into()),
        ("removes", advice.removes.clone().unwrap_or_default().into()),
        ("phase", words::phase(advice.phase).into()),
        ("only", only.into()),
        ("classes", joined(advice.classes.iter().map(|class| class.name()), ", ").into()),
        ("but", joined(ruled_out, "; ").into()),
    ];
    let commands = Block::Command(typed(&advice.commands));
    let others = format!("amdtriage explain --distro any {}", advice.id);
    let others = Text::from("Other distributions: ").and(Text::code(others));
    let others = entry.has_others.then(|| prose(others));
    let commands = section("Commands", [commands].into_iter().chain(others).collect());
    let signatures = any(entry.signatures.iter().map(|one| one.id.as_str()), ", ");
    let signatures =
        signatures.and_then(|ids| section("Signatures that advise it", vec![prose(ids)]));
    let parts = [commands, Some(facts(known)), signatures];
    let head = [prose(Text::strong(&*advice.summary))];
    named(&advice.id, "advice", head.into_iter().chain(parts.into_iter().flatten()))
}

/// How the lines of a message are combined.
fn reading(message: &Message) -> String {
    let joins = match (message.joins, message.alone) {
        (true, false) => Some("continues an event that has begun; ignored without one"),
        (true, true) => Some("continues an event that has begun, or begins one"),
        (false, _) => None,
    };
    let keeps = (message.keeps > 0).then_some("more lines of the same block follow it");
    let anywhere = message.anywhere.then_some("may occur inside a line");
    joined(joins.into_iter().chain(keeps).chain(anywhere), "; ")
}

fn silencers(signature: &Signature) -> String {
    if signature.fallback {
        return "where any other signature explains the failure".to_owned();
    }
    let others = any(&signature.unless, ", ");
    others.map(|others| format!("where one of these matches: {others}")).unwrap_or_default()
}
