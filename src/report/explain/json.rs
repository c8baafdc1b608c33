//! The result of `explain` as one JSON document, with an object for each argument.

mod objects;

use std::io;

use serde::Serialize;

use self::objects::{
    ActionObject, AdviceObject, Asked, EventObject, Explanation, FieldObject, FindingObject,
    KernelObject, KindObject, LineKind, LineObject, MessageObject, Origin, PlaceObject,
    PrintedObject, SignatureObject, StepObject, TermObject, UnknownObject, UseObject, ValueObject,
    ValueType,
};
use super::words;
use crate::diagnosis::action::CommandObject;
use crate::diagnosis::confidence::Counted;
use crate::event::Observed;
use crate::explain::lines::{By, EventFacts, Explained, Item, LineSource, What};
use crate::explain::{
    AdviceEntry, Answer, FindingEntry, KindEntry, MessageEntry, NameAnswer, SignatureEntry,
    Subject, TermEntry, Use, ValueEntry,
};
use crate::kind::FieldDefinition;
use crate::pattern::advice::Advice;
use crate::pattern::message::Message;
use crate::pattern::signature::{Action, Signature, Step};
use crate::report::json::{Head, single, whole};
use crate::value::field::FieldKind;

/// Writes the document; `patterns` is the digest of the patterns.
pub(crate) fn write(
    answer: &Answer<'_>,
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut explanations: Vec<Explanation<'_>> = answer.names.iter().flat_map(entries).collect();
    if let Some(lines) = &answer.lines {
        explanations.extend(lines.items.iter().map(|item| line(item, lines)));
    }
    whole(&ExplainDocument { head: Head::new(patterns), explanations }, out)
}

/// The meaning of names and of log lines.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Explain"))]
pub(in crate::report) struct ExplainDocument<'a> {
    #[serde(flatten)]
    head: Head<'a>,
    /// One entry for each thing with the given name, or for each line.
    explanations: Vec<Explanation<'a>>,
}

/// The explanations of a name: at least one.
fn entries<'a>(NameAnswer { query, subjects, near }: &'a NameAnswer<'_>) -> Vec<Explanation<'a>> {
    let query = Some(query.as_str());
    let unknown = Asked { query, of: UnknownObject { near } };
    let unknown = subjects.is_empty().then_some(Explanation::Unknown(unknown));
    subjects.iter().map(|one| subject(one, query)).chain(unknown).collect()
}

fn subject<'a>(subject: &'a Subject<'_>, query: Option<&'a str>) -> Explanation<'a> {
    match subject {
        Subject::Term(TermEntry { term, .. }) => {
            let of = TermObject {
                id: &term.id,
                name: &term.name,
                means: &term.means,
                signatures: &term.signatures,
                advice: &term.advice,
                source: &term.source,
            };
            Explanation::Term(Asked { query, of })
        }
        Subject::Kind(entry) => Explanation::Kind(Asked { query, of: kind(entry) }),
        Subject::Message(MessageEntry { message: of, uses }) => {
            Explanation::Message(Asked { query, of: message(of, uses) })
        }
        Subject::Signature(entry) => {
            Explanation::Signature(Box::new(Asked { query, of: signature(entry) }))
        }
        Subject::Advice(entry) => Explanation::Advice(Asked { query, of: advice(entry) }),
        Subject::Finding(entry) => Explanation::Finding(Asked { query, of: finding(entry) }),
        Subject::Value(ValueEntry { text, readings }) => {
            Explanation::Value(Asked { query, of: ValueObject { value: text, readings } })
        }
    }
}

fn finding<'a>(FindingEntry { about, actions }: &'a FindingEntry<'_>) -> FindingObject<'a> {
    FindingObject {
        id: &about.id,
        title: &about.title,
        severity: about.severity,
        summary: words::template(&about.summary),
        actions: actions.iter().map(|advice| action(advice, None)).collect(),
        source: &about.source,
        references: &about.references,
        checked: about.checked.as_ref(),
        unverified: about.unverified,
    }
}

fn kind<'a>(KindEntry { kind, messages, uses: of }: &'a KindEntry<'_>) -> KindObject<'a> {
    KindObject {
        id: *kind,
        about: kind.about(),
        part: kind.part(),
        fields: kind.fields().iter().map(field).collect(),
        messages: messages.iter().map(|of| message(of, &[])).collect(),
        signatures: uses(of),
    }
}

fn field(field: &FieldDefinition) -> FieldObject {
    let (of, words) = match field.kind {
        FieldKind::Word(words) => (ValueType::Word, Some(words)),
        FieldKind::WordOrNumber(words) => (ValueType::WordOrNumber, Some(words)),
        FieldKind::Number => (ValueType::Number, None),
        FieldKind::Text => (ValueType::Text, None),
        FieldKind::Name => (ValueType::Name, None),
        FieldKind::Stack => (ValueType::Stack, None),
        FieldKind::Derived => (ValueType::Derived, None),
    };
    FieldObject { name: field.name, about: field.about, holds: field.kind.name(), of, words }
}

fn message<'a>(message: &'a Message, of: &[Use<'a>]) -> MessageObject<'a> {
    MessageObject {
        id: &message.id,
        means: words::template(&message.means),
        events: &message.kinds,
        level: message.level,
        from: &message.from,
        formats: message.formats(),
        kernel: kernel(message),
        kernel_range: kernel_range(message),
        source: &message.source,
        source_place: source_place(message),
        joins: message.joins,
        samples: &message.samples,
        signatures: uses(of),
    }
}

fn kernel(message: &Message) -> Option<String> {
    message.kernel.map(|range| words::kernels(Some(range)))
}

fn kernel_range(message: &Message) -> Option<KernelObject> {
    let [from, to] = words::ends(message.kernel?);
    Some(KernelObject { from, to })
}

/// The file and function, if the source has nothing else.
fn source_place(message: &Message) -> Option<PlaceObject<'_>> {
    let (file, function) = match message.source.split_once(' ') {
        Some((file, function)) => (file, Some(function)),
        None => (message.source.as_str(), None),
    };
    let is_name = |name: &str| name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    (file.contains('/') && function.is_none_or(is_name)).then_some(PlaceObject { file, function })
}

fn uses<'a>(uses: &[Use<'a>]) -> Vec<UseObject<'a>> {
    let object = |&Use { signature, step, place }: &Use<'a>| UseObject {
        id: &signature.id,
        title: &signature.title,
        step,
        place,
    };
    uses.iter().map(object).collect()
}

fn signature<'a>(entry: &'a SignatureEntry<'_>) -> SignatureObject<'a> {
    let signature: &Signature = entry.signature;
    let reasons = signature.confidence.reasons.iter();
    let nevers = signature.nevers.iter().map(|never| StepObject {
        name: &never.name,
        events: never.wanted.all_kinds(),
        optional: false,
        words: words::never(never),
    });
    SignatureObject {
        id: &signature.id,
        title: &signature.title,
        severity: signature.severity,
        role: &signature.roles,
        layer: &signature.layers,
        status: signature.status,
        applies: words::applies(&signature.applies),
        summary: words::template(&signature.text.summary),
        explain: words::template(&signature.text.explain),
        steps: signature.steps.iter().map(step).collect(),
        never: nevers.collect(),
        unless: &signature.unless,
        fallback: signature.fallback,
        certainty: signature.certainty,
        less_certain: signature.less_certain.iter().map(words::condition).collect(),
        unjudged_if: signature.unjudged_if.as_ref().map(words::condition),
        cause: signature.cause,
        cause_candidates: &signature.candidates,
        cause_shown: signature.shown.as_ref().map(words::template),
        match_score: signature.confidence.base,
        reasons: reasons
            .map(|reason| Counted { by: reason.by, because: reason.because.clone() })
            .collect(),
        not_shown: signature.unsaid.iter().map(|one| words::template(&one.text)).collect(),
        actions: entry.actions.iter().map(|(act, advice)| action(advice, Some(act))).collect(),
        references: &signature.references,
    }
}

fn step(step: &Step) -> StepObject<'_> {
    StepObject {
        name: &step.name,
        events: step.wanted.all_kinds(),
        optional: step.optional,
        words: words::step(step),
    }
}

fn action<'a>(advice: &'a Advice, action: Option<&Action>) -> ActionObject<'a> {
    ActionObject {
        id: &advice.id,
        summary: &advice.summary,
        commands: advice.commands.iter().flat_map(CommandObject::of).collect(),
        phase: advice.phase,
        when: action.and_then(|action| action.when.as_ref()).map(words::condition),
        why: &advice.why,
        risk: &advice.risk,
        verify: advice.verify.to_string(),
        trust: advice.trust,
        source: &advice.source,
    }
}

fn advice<'a>(
    AdviceEntry { advice, signatures, has_others: _ }: &'a AdviceEntry<'_>,
) -> AdviceObject<'a> {
    AdviceObject {
        advice: action(advice, None),
        sets: advice.sets.as_ref().map(|sets| format!("{}={}", sets.parameter, sets.value)),
        removes: advice.removes.as_deref(),
        while_running: advice.while_running,
        classes: &advice.classes,
        not_when: advice.not_when.iter().map(words::condition).collect(),
        signatures: signatures.iter().map(|one| one.id.as_str()).collect(),
    }
}

fn line<'a>(item: &'a Item<'_>, explained: &'a Explained<'_>) -> Explanation<'a> {
    let said = item.printed.level;
    let (is, message, shape, level) = match &item.what {
        What::Event(facts) => {
            let observed = &explained.log.events[facts.index];
            let of = event(item, observed, facts);
            return Explanation::Event(Box::new(Asked { query: None, of }));
        }
        What::Other => (LineKind::Other, None, None, said),
        What::Continues(message) => (LineKind::Continuation, Some(*message), None, said),
        What::Bare(message) => (LineKind::BareText, Some(*message), None, said),
        What::Unknown { shape, level } => (LineKind::Unknown, None, Some(shape.as_str()), *level),
    };
    let of = LineObject {
        line: item.line,
        is,
        message: message.map(|message| message.id.as_str()),
        means: message.map(|message| words::template(&message.means)),
        shape,
        level,
        printed_by: printed(&item.printed),
        text: &item.text,
    };
    Explanation::Line(Asked { query: None, of })
}

fn event<'a>(
    item: &'a Item<'_>,
    observed: &'a Observed,
    facts: &'a EventFacts<'_>,
) -> EventObject<'a> {
    let kind = observed.event.kind();
    EventObject {
        event: single(observed),
        means: observed.means(),
        about: kind.about(),
        part: kind.part(),
        printed_by: printed(&item.printed),
        kernel: facts.message.and_then(kernel),
        kernel_range: facts.message.and_then(kernel_range),
        source: facts.message.map(|message| message.source.as_str()),
        source_place: facts.message.and_then(source_place),
        signatures: uses(&facts.uses),
    }
}

fn printed(printed: &LineSource) -> PrintedObject<'_> {
    let (origin, program, pid) = match &printed.by {
        By::Kernel => (Origin::Kernel, None, None),
        By::Program(name, pid) => (Origin::Program, Some(name.as_str()), *pid),
        By::Unstated => (Origin::Unstated, None, None),
        By::Listing => (Origin::ProcessListing, None, None),
    };
    let function = printed.function.as_deref();
    PrintedObject { origin, program, pid, function, words: words::printed(printed) }
}
