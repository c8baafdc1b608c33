//! Explanations for programs: one document, an object for each thing that was asked.

use std::io;

use serde::Serialize;

use super::words;
use crate::event::Observed;
use crate::explain::lines::{By, EventFacts, Explained, Item, Printed, What};
use crate::explain::{
    AdviceEntry, Answer, FindingEntry, KindEntry, MessageEntry, SignatureEntry, Subject, Use,
};
use crate::kind::FieldDefinition;
use crate::pattern::advice::Advice;
use crate::pattern::message::{Message, Printer};
use crate::pattern::signature::{Action, Signature};
use crate::report::json::{self, SCHEMA_VERSION, Tool, single, whole};
use crate::value::Level;
use crate::value::field::FieldKind;

/// Writes what was asked; `patterns` is the digest of the patterns.
///
/// # Errors
/// What the writer returns.
pub fn write(answer: &Answer<'_>, patterns: &str, out: &mut impl io::Write) -> io::Result<()> {
    let mut explanations: Vec<Explanation<'_>> = answer.subjects.iter().map(subject).collect();
    if let Some(lines) = &answer.lines {
        explanations.extend(lines.items.iter().map(|item| line(item, lines)));
    }
    let document =
        Document { schema_version: SCHEMA_VERSION, tool: Tool::new(patterns), explanations };
    whole(&document, out)
}

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    tool: Tool<'a>,
    explanations: Vec<Explanation<'a>>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Explanation<'a> {
    Kind(KindObject<'a>),
    Message(MessageObject<'a>),
    Signature(Box<SignatureObject<'a>>),
    Advice(AdviceObject<'a>),
    Finding(FindingObject<'a>),
    Event(Box<EventObject<'a>>),
    Line(LineObject<'a>),
}

#[derive(Serialize)]
struct KindObject<'a> {
    id: &'static str,
    about: &'static str,
    part: &'static str,
    fields: Vec<FieldObject>,
    messages: Vec<MessageObject<'a>>,
    signatures: Vec<UseObject<'a>>,
}

#[derive(Serialize)]
struct FieldObject {
    name: &'static str,
    about: &'static str,
    holds: &'static str,
    words: Option<&'static [&'static str]>,
}

#[derive(Serialize)]
struct MessageObject<'a> {
    id: &'a str,
    means: String,
    events: Vec<&'static str>,
    level: Option<&'static str>,
    from: Vec<&'static str>,
    formats: Vec<&'a str>,
    kernel: Option<String>,
    source: &'a str,
    joins: bool,
    samples: &'a [String],
    signatures: Vec<UseObject<'a>>,
}

#[derive(Serialize)]
struct UseObject<'a> {
    id: &'a str,
    title: &'a str,
    step: &'a str,
    place: &'static str,
}

#[derive(Serialize)]
struct SignatureObject<'a> {
    id: &'a str,
    title: &'a str,
    severity: &'static str,
    role: Vec<&'static str>,
    layer: Vec<&'static str>,
    status: &'static str,
    applies: String,
    summary: String,
    explain: String,
    steps: Vec<StepObject<'a>>,
    never: Vec<StepObject<'a>>,
    unless: &'a [String],
    confidence: f64,
    reasons: Vec<ReasonObject<'a>>,
    not_shown: Vec<String>,
    actions: Vec<ActionObject<'a>>,
    references: &'a [String],
}

#[derive(Serialize)]
struct StepObject<'a> {
    name: &'a str,
    events: Vec<&'static str>,
    optional: bool,
    words: String,
}

#[derive(Serialize)]
struct ReasonObject<'a> {
    by: f64,
    because: &'a str,
}

#[derive(Serialize)]
struct ActionObject<'a> {
    id: &'a str,
    summary: &'a str,
    command: Option<&'a str>,
    when: Option<String>,
    why: &'a str,
    risk: &'a str,
    verify: String,
    trust: &'static str,
    source: &'a str,
}

#[derive(Serialize)]
struct AdviceObject<'a> {
    #[serde(flatten)]
    advice: ActionObject<'a>,
    sets: Option<String>,
    now: bool,
    signatures: Vec<&'a str>,
}

#[derive(Serialize)]
struct FindingObject<'a> {
    id: &'a str,
    title: &'a str,
    severity: &'static str,
    summary: String,
    actions: Vec<ActionObject<'a>>,
    source: &'a str,
    references: &'a [String],
}

#[derive(Serialize)]
struct EventObject<'a> {
    #[serde(flatten)]
    event: json::EventObject<'a>,
    means: &'a str,
    about: &'static str,
    part: &'static str,
    printed_by: PrintedObject<'a>,
    kernel: Option<String>,
    source: Option<&'a str>,
    signatures: Vec<UseObject<'a>>,
}

#[derive(Serialize)]
struct PrintedObject<'a> {
    origin: &'static str,
    program: Option<&'a str>,
    pid: Option<u32>,
    function: Option<&'a str>,
    words: String,
}

#[derive(Serialize)]
struct LineObject<'a> {
    line: u64,
    is: &'static str,
    message: Option<&'a str>,
    means: Option<String>,
    shape: Option<&'a str>,
    level: Option<&'static str>,
    printed_by: PrintedObject<'a>,
    text: &'a str,
}

fn subject<'a>(subject: &'a Subject<'_>) -> Explanation<'a> {
    match subject {
        Subject::Kind(entry) => Explanation::Kind(kind(entry)),
        Subject::Message(MessageEntry { message: of, uses }) => {
            Explanation::Message(message(of, uses))
        }
        Subject::Signature(entry) => Explanation::Signature(Box::new(signature(entry))),
        Subject::Advice(entry) => Explanation::Advice(advice(entry)),
        Subject::Finding(entry) => Explanation::Finding(finding(entry)),
    }
}

fn finding<'a>(entry: &'a FindingEntry<'_>) -> FindingObject<'a> {
    let FindingEntry { about, actions } = entry;
    FindingObject {
        id: &about.id,
        title: &about.title,
        severity: about.severity.name(),
        summary: words::template(&about.summary),
        actions: actions.iter().map(|advice| action(advice, None)).collect(),
        source: &about.source,
        references: &about.references,
    }
}

fn kind<'a>(entry: &'a KindEntry<'_>) -> KindObject<'a> {
    KindObject {
        id: entry.kind.name(),
        about: entry.kind.about(),
        part: entry.kind.part().name(),
        fields: entry.kind.fields().iter().map(field).collect(),
        messages: entry.messages.iter().map(|of| message(of, &[])).collect(),
        signatures: uses(&entry.uses),
    }
}

fn field(field: &FieldDefinition) -> FieldObject {
    let words = match field.kind {
        FieldKind::Word(words) | FieldKind::WordOrNumber(words) => Some(words),
        FieldKind::Number | FieldKind::Text | FieldKind::Stack | FieldKind::Derived => None,
    };
    FieldObject { name: field.name, about: field.about, holds: field.kind.name(), words }
}

fn message<'a>(message: &'a Message, of: &[Use<'a>]) -> MessageObject<'a> {
    MessageObject {
        id: &message.id,
        means: words::template(&message.means),
        events: message.kinds.iter().map(|kind| kind.name()).collect(),
        level: message.level.map(Level::name),
        from: message.from.iter().map(|from| Printer::name(*from)).collect(),
        formats: message.formats(),
        kernel: kernel(message),
        source: &message.source,
        joins: message.joins,
        samples: &message.samples,
        signatures: uses(of),
    }
}

fn kernel(message: &Message) -> Option<String> {
    message.kernel.map(|range| words::kernels(Some(range)))
}

fn uses<'a>(uses: &[Use<'a>]) -> Vec<UseObject<'a>> {
    let object = |one: &Use<'a>| UseObject {
        id: &one.signature.id,
        title: &one.signature.title,
        step: one.step,
        place: one.place.into(),
    };
    uses.iter().map(object).collect()
}

fn signature<'a>(entry: &'a SignatureEntry<'_>) -> SignatureObject<'a> {
    let Signature { steps, nevers, confidence, .. } = entry.signature;
    let signature = entry.signature;
    SignatureObject {
        id: &signature.id,
        title: &signature.title,
        severity: signature.severity.name(),
        role: signature.roles.iter().map(|role| role.name()).collect(),
        layer: signature.layers.iter().map(|layer| layer.name()).collect(),
        status: signature.status.name(),
        applies: words::applies(&signature.applies),
        summary: words::template(&signature.text.summary),
        explain: words::template(&signature.text.explain),
        steps: steps.iter().map(step).collect(),
        never: nevers
            .iter()
            .map(|never| StepObject {
                name: &never.name,
                events: never.wanted.all_kinds().iter().map(|kind| kind.name()).collect(),
                optional: false,
                words: words::never(never),
            })
            .collect(),
        unless: &signature.unless,
        confidence: confidence.base,
        reasons: confidence
            .reasons
            .iter()
            .map(|reason| ReasonObject { by: reason.by, because: &reason.because })
            .collect(),
        not_shown: signature.unsaid.iter().map(|one| words::template(&one.text)).collect(),
        actions: entry.actions.iter().map(|(act, advice)| action(advice, Some(act))).collect(),
        references: &signature.references,
    }
}

fn step(step: &crate::pattern::signature::Step) -> StepObject<'_> {
    StepObject {
        name: &step.name,
        events: step.wanted.all_kinds().iter().map(|kind| kind.name()).collect(),
        optional: step.optional,
        words: words::step(step),
    }
}

fn action<'a>(advice: &'a Advice, action: Option<&Action>) -> ActionObject<'a> {
    ActionObject {
        id: &advice.id,
        summary: &advice.summary,
        command: advice.command.as_deref(),
        when: action.and_then(|action| action.when.as_ref()).map(words::condition),
        why: &advice.why,
        risk: &advice.risk,
        verify: advice.verify.to_string(),
        trust: advice.trust.name(),
        source: &advice.source,
    }
}

fn advice<'a>(entry: &'a AdviceEntry<'_>) -> AdviceObject<'a> {
    let sets = entry.advice.sets.as_ref();
    AdviceObject {
        advice: action(entry.advice, None),
        sets: sets.map(|sets| format!("{}={}", sets.parameter, sets.value)),
        now: entry.advice.now,
        signatures: entry.signatures.iter().map(|one| one.id.as_str()).collect(),
    }
}

fn line<'a>(item: &'a Item<'_>, explained: &'a Explained<'_>) -> Explanation<'a> {
    if let What::Event(facts) = &item.what
        && let Some(observed) = explained.log.events.get(facts.index)
    {
        return Explanation::Event(Box::new(event(item, observed, facts)));
    }
    let said = item.printed.level;
    let (is, message, shape, level) = match &item.what {
        What::Event(_) | What::Other => ("other", None, None, said),
        What::Continues(message) => ("continuation", Some(*message), None, said),
        What::Bare(message) => ("bare-text", Some(*message), None, said),
        What::Unknown { shape, level } => ("unknown", None, Some(shape.as_str()), *level),
    };
    Explanation::Line(LineObject {
        line: item.line,
        is,
        message: message.map(|message| message.id.as_str()),
        means: message.map(|message| words::template(&message.means)),
        shape,
        level: level.map(Level::name),
        printed_by: printed(&item.printed),
        text: &item.text,
    })
}

fn event<'a>(
    item: &'a Item<'_>,
    observed: &'a Observed,
    facts: &'a EventFacts<'_>,
) -> EventObject<'a> {
    let kind = observed.event.kind();
    EventObject {
        event: single(observed),
        means: &observed.means,
        about: kind.about(),
        part: kind.part().name(),
        printed_by: printed(&item.printed),
        kernel: facts.message.and_then(kernel),
        source: facts.message.map(|message| message.source.as_str()),
        signatures: uses(&facts.uses),
    }
}

fn printed(printed: &Printed) -> PrintedObject<'_> {
    let (origin, program, pid) = match &printed.by {
        By::Kernel => ("kernel", None, None),
        By::Program(name, pid) => ("program", Some(name.as_str()), *pid),
        By::Unstated => ("unstated", None, None),
        By::Listing => ("process-listing", None, None),
    };
    let function = printed.function.as_deref();
    PrintedObject { origin, program, pid, function, words: words::printed(printed) }
}
