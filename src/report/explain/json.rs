//! The result of `explain` as one JSON document, with an object for each argument.

use std::io;

use serde::Serialize;

use super::words;
use crate::decode::Interpretation;
use crate::diagnosis::action::CommandObject;
use crate::diagnosis::confidence::Counted;
use crate::event::Observed;
use crate::explain::lines::{By, EventFacts, Explained, Item, LineSource, What};
use crate::explain::{
    AdviceEntry, Answer, FindingEntry, KindEntry, MessageEntry, NameAnswer, SignatureEntry, Subject,
    Use, UsePlace, ValueEntry,
};
use crate::kind::{FieldDefinition, Kind, Part};
use crate::pattern::advice::{Advice, Trust};
use crate::pattern::machine::DayChecked;
use crate::pattern::message::{Message, Printer};
use crate::pattern::signature::{
    Action, Cause, Certainty, Layer, Role, Severity, Signature, Status, Step,
};
use crate::report::json::{self, Head, single, whole};
use crate::value::field::FieldKind;
use crate::value::{AdvicePhase, HardwareClass, Level};

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

/// An explanation, and the name that it answers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Asked{T}"))]
struct Asked<'a, T> {
    /// The name as given; null for a line of a log.
    query: Option<&'a str>,
    #[serde(flatten)]
    of: T,
}

/// A name that is unknown.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnknownObject<'a> {
    /// Names that may be meant, the nearest first.
    near: &'a [String],
}

/// An explanation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
enum Explanation<'a> {
    Kind(Asked<'a, KindObject<'a>>),
    Message(Asked<'a, MessageObject<'a>>),
    Signature(Box<Asked<'a, SignatureObject<'a>>>),
    Advice(Asked<'a, AdviceObject<'a>>),
    Finding(Asked<'a, FindingObject<'a>>),
    Value(Asked<'a, ValueObject<'a>>),
    Event(Box<Asked<'a, EventObject<'a>>>),
    Line(Asked<'a, LineObject<'a>>),
    Unknown(Asked<'a, UnknownObject<'a>>),
}

/// A value that a log prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ValueObject<'a> {
    /// The value as given.
    value: &'a str,
    /// The possible readings, most likely first.
    readings: &'a [Interpretation],
}

/// A kind of event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KindEntry"))]
struct KindObject<'a> {
    /// The kind.
    id: Kind,
    /// What it reports.
    about: &'static str,
    /// The part that it plays in an incident.
    part: Part,
    /// The fields that its lines may contain.
    fields: Vec<FieldObject>,
    /// The messages that produce such an event.
    messages: Vec<MessageObject<'a>>,
    /// The signatures that look for it.
    signatures: Vec<UseObject<'a>>,
}

/// A field of a kind of event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FieldDefinition"))]
struct FieldObject {
    /// The name of the field.
    name: &'static str,
    /// The meaning of the field.
    about: &'static str,
    /// The type of its values, in words.
    holds: &'static str,
    /// The type of its values, as a word that does not change.
    #[serde(rename = "type")]
    of: ValueType,
    /// The possible words; null if its values are not words.
    words: Option<&'static [&'static str]>,
}

/// The type of the values of a field.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum ValueType {
    Number,
    Text,
    Name,
    Stack,
    /// Computed from other fields.
    Derived,
    /// One of `words`.
    Word,
    /// One of `words`, or a number.
    WordOrNumber,
}

/// A place in the source.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SourcePlace"))]
struct PlaceObject<'a> {
    /// The path of the file from the root of the source.
    file: &'a str,
    /// The function; null if none is given.
    function: Option<&'a str>,
}

/// A range of kernel versions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KernelVersions"))]
struct KernelObject {
    /// The first version; null if it has no beginning.
    from: Option<String>,
    /// The last version, with all of its patch levels unless it names one; null if it has no end.
    to: Option<String>,
}

/// A message of the kernel or a program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MessageObject<'a> {
    /// The stable identifier.
    id: &'a str,
    /// An explanation of its meaning.
    means: String,
    /// The kinds of event that it becomes.
    events: &'a [Kind],
    /// The log level in the source; null if the catalogue does not state it.
    level: Option<Level>,
    /// The printers: parts of the kernel, or programs.
    from: &'a [Printer],
    /// Its formats, as in the source, with placeholders for values.
    formats: Vec<&'a str>,
    /// The kernel versions that have it, in words; null for all known ones.
    kernel: Option<String>,
    /// The same; null for all known ones.
    kernel_range: Option<KernelObject>,
    /// The place in the kernel source.
    source: &'a str,
    /// The same, if it is one file.
    source_place: Option<PlaceObject<'a>>,
    /// Whether it only continues an event.
    joins: bool,
    /// Sample lines.
    samples: &'a [String],
    /// The signatures that look for its kinds of event.
    signatures: Vec<UseObject<'a>>,
}

/// A signature that looks for an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UseObject<'a> {
    /// The signature.
    id: &'a str,
    /// The title.
    title: &'a str,
    /// The first of its steps, or of the events that must not occur, that accepts the event.
    step: &'a str,
    /// The use that the signature makes of the event.
    place: UsePlace,
}

/// A known failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SignatureObject<'a> {
    /// The stable identifier.
    id: &'a str,
    /// The title.
    title: &'a str,
    /// The severity.
    severity: Severity,
    /// Its possible roles, most likely first.
    role: &'a [Role],
    /// The layers in which the cause may be, most likely first.
    layer: &'a [Layer],
    /// Its maturity.
    status: Status,
    /// The GPUs and kernels that it applies to, in words.
    applies: String,
    /// What happened.
    summary: String,
    /// An explanation of its meaning.
    explain: String,
    /// The events that must occur, in this order.
    steps: Vec<StepObject<'a>>,
    /// What must not occur.
    never: Vec<StepObject<'a>>,
    /// Signatures that take precedence.
    unless: &'a [String],
    /// Whether it only restates a line, and is used if no other signature matches.
    fallback: bool,
    /// The certainty of a complete match.
    certainty: Certainty,
    /// Conditions, each of which lowers the certainty by one word.
    less_certain: Vec<String>,
    /// Whether its cause is known, unless a condition decides otherwise.
    cause: Cause,
    /// Possible causes.
    cause_candidates: &'a [String],
    /// What a log shows as the cause; null if none does, or if the diagnosis itself is the cause.
    cause_shown: Option<String>,
    /// The match score before any reason applies, from 0 to 1. It is not a probability.
    match_score: f64,
    /// What changes the match score.
    reasons: Vec<Counted>,
    /// Questions that a log cannot answer.
    not_shown: Vec<String>,
    /// What to do.
    actions: Vec<ActionObject<'a>>,
    /// URLs of the sources.
    references: &'a [String],
}

/// An event that a signature looks for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SignatureStep"))]
struct StepObject<'a> {
    /// The name of the step.
    name: &'a str,
    /// The kinds of event that it can be.
    events: Vec<Kind>,
    /// Whether it may be missing.
    optional: bool,
    /// What is looked for, in words.
    words: String,
}

/// Advice, and when it is given.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "AdviceText"))]
struct ActionObject<'a> {
    /// The stable identifier.
    id: &'a str,
    /// The action in one line.
    summary: &'a str,
    /// The commands, by family of distributions.
    commands: Vec<CommandObject>,
    /// The phase in which the action is useful.
    phase: AdvicePhase,
    /// When it is given, in words; null for always.
    when: Option<String>,
    /// The reason why it may help.
    why: &'a str,
    /// Its risks and costs.
    risk: &'a str,
    /// How to check that it took effect.
    verify: String,
    /// The quality of its source.
    trust: Trust,
    /// The source of the advice.
    source: &'a str,
}

/// A piece of advice.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AdviceObject<'a> {
    #[serde(flatten)]
    advice: ActionObject<'a>,
    /// The parameter that it sets, and its value.
    sets: Option<String>,
    /// The parameter that it removes.
    removes: Option<&'a str>,
    /// Whether it is useful only until the machine is rebooted.
    while_running: bool,
    /// The hardware classes that it is for; empty for all.
    classes: &'a [HardwareClass],
    /// Conditions, any of which suppresses it.
    not_when: Vec<String>,
    /// The signatures that give it.
    signatures: Vec<&'a str>,
}

/// A finding of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PossibleFinding"))]
struct FindingObject<'a> {
    /// The stable identifier.
    id: &'a str,
    /// The title.
    title: &'a str,
    /// The severity.
    severity: Severity,
    /// A description of the finding.
    summary: String,
    /// What to do.
    actions: Vec<ActionObject<'a>>,
    /// The source of the rule.
    source: &'a str,
    /// URLs with more information.
    references: &'a [String],
    /// The date of the last comparison with its sources; null if it makes no claim about versions.
    checked: Option<&'a DayChecked>,
    /// Whether its sources could not be reached then.
    unverified: bool,
}

/// An event of the lines.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExplainedEvent"))]
struct EventObject<'a> {
    #[serde(flatten)]
    event: json::EventObject<'a>,
    /// An explanation of its meaning.
    means: String,
    /// What its kind reports.
    about: &'static str,
    /// The part that it plays in an incident.
    part: Part,
    /// The sender.
    printed_by: PrintedObject<'a>,
    /// The kernel versions that have the message, in words; null for all known ones.
    kernel: Option<String>,
    /// The same; null for all known ones.
    kernel_range: Option<KernelObject>,
    /// The place in the source of the message that begins the event; null if no message does.
    source: Option<&'a str>,
    /// The same, if it is one file.
    source_place: Option<PlaceObject<'a>>,
    /// The signatures that look for such an event.
    signatures: Vec<UseObject<'a>>,
}

/// The sender of a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PrintedObject<'a> {
    /// The kind of sender.
    origin: Origin,
    /// The name of the program; null for the kernel, or if not stated.
    program: Option<&'a str>,
    /// The process id of the program; null if not stated.
    pid: Option<u32>,
    /// The driver's function; null if the prefix does not name it.
    function: Option<&'a str>,
    /// The sender in words, for people; the other members say the same.
    words: String,
}

/// The kind of sender of a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum Origin {
    Kernel,
    Program,
    Unstated,
    ProcessListing,
}

/// A line that does not begin an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExplainedLine"))]
struct LineObject<'a> {
    /// The line number, from 1.
    line: u64,
    /// The class of the line.
    is: LineKind,
    /// The id of its message; null if it has none.
    message: Option<&'a str>,
    /// The meaning of the message; null if there is none.
    means: Option<String>,
    /// The format that an unknown line of the driver seems to have.
    shape: Option<&'a str>,
    /// The log level; null if not stated.
    level: Option<Level>,
    /// The sender.
    printed_by: PrintedObject<'a>,
    /// The text without time and sender.
    text: &'a str,
}

/// The class of a line that does not begin an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
enum LineKind {
    /// It continues an event whose first line is missing.
    Continuation,
    /// The text of a message without the prefix that would prove it to be one.
    BareText,
    /// A line of the driver that no message matches.
    Unknown,
    /// Unrelated to the driver.
    Other,
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

fn advice<'a>(AdviceEntry { advice, signatures }: &'a AdviceEntry<'_>) -> AdviceObject<'a> {
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
