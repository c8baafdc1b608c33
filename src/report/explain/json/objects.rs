//! The objects of an explanation in JSON.

use serde::Serialize;

use crate::decode::Interpretation;
use crate::diagnosis::action::CommandObject;
use crate::diagnosis::confidence::Counted;
use crate::explain::UsePlace;
use crate::kind::{Kind, Part};
use crate::pattern::advice::Trust;
use crate::pattern::machine::DayChecked;
use crate::pattern::message::Printer;
use crate::pattern::signature::{Cause, Certainty, Layer, Role, Severity, Status};
use crate::report::json;
use crate::value::{AdvicePhase, HardwareClass, Level};

/// An explanation, and the name that it answers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Asked{T}"))]
pub(super) struct Asked<'a, T> {
    /// The name as given; null for a line of a log.
    pub(super) query: Option<&'a str>,
    #[serde(flatten)]
    pub(super) of: T,
}

/// A name that is unknown.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct UnknownObject<'a> {
    /// Names that may be meant, the nearest first.
    pub(super) near: &'a [String],
}

/// An explanation.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum Explanation<'a> {
    Term(Asked<'a, TermObject<'a>>),
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

/// A term of the field.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct TermObject<'a> {
    /// The stable identifier.
    pub(super) id: &'a str,
    /// The term as people write it.
    pub(super) name: &'a str,
    /// Its meaning in one sentence.
    pub(super) means: &'a str,
    /// The signatures to read on.
    pub(super) signatures: &'a [String],
    /// The advice to read on.
    pub(super) advice: &'a [String],
    /// The source of the meaning.
    pub(super) source: &'a str,
}

/// A value that a log prints.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ValueObject<'a> {
    /// The value as given.
    pub(super) value: &'a str,
    /// The possible readings, most likely first.
    pub(super) readings: &'a [Interpretation],
}

/// A kind of event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KindEntry"))]
pub(super) struct KindObject<'a> {
    /// The kind.
    pub(super) id: Kind,
    /// What it reports.
    pub(super) about: &'static str,
    /// The part that it plays in an incident.
    pub(super) part: Part,
    /// The fields that its lines may contain.
    pub(super) fields: Vec<FieldObject>,
    /// The messages that produce such an event.
    pub(super) messages: Vec<MessageObject<'a>>,
    /// The signatures that look for it.
    pub(super) signatures: Vec<UseObject<'a>>,
}

/// A field of a kind of event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FieldDefinition"))]
pub(super) struct FieldObject {
    /// The name of the field.
    pub(super) name: &'static str,
    /// The meaning of the field.
    pub(super) about: &'static str,
    /// The type of its values, in words.
    pub(super) holds: &'static str,
    /// The type of its values, as a word that does not change.
    #[serde(rename = "type")]
    pub(super) of: ValueType,
    /// The possible words; null if its values are not words.
    pub(super) words: Option<&'static [&'static str]>,
}

/// The type of the values of a field.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum ValueType {
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
pub(super) struct PlaceObject<'a> {
    /// The path of the file from the root of the source.
    pub(super) file: &'a str,
    /// The function; null if none is given.
    pub(super) function: Option<&'a str>,
}

/// A range of kernel versions.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "KernelVersions"))]
pub(super) struct KernelObject {
    /// The first version; null if it has no beginning.
    pub(super) from: Option<String>,
    /// The last version, with all of its patch levels unless it names one; null if it has no end.
    pub(super) to: Option<String>,
}

/// A message of the kernel or a program.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct MessageObject<'a> {
    /// The stable identifier.
    pub(super) id: &'a str,
    /// An explanation of its meaning.
    pub(super) means: String,
    /// The kinds of event that it becomes.
    pub(super) events: &'a [Kind],
    /// The log level in the source; null if the catalogue does not state it.
    pub(super) level: Option<Level>,
    /// The printers: parts of the kernel, or programs.
    pub(super) from: &'a [Printer],
    /// Its formats, as in the source, with placeholders for values.
    pub(super) formats: Vec<&'a str>,
    /// The kernel versions that have it, in words; null for all known ones.
    pub(super) kernel: Option<String>,
    /// The same; null for all known ones.
    pub(super) kernel_range: Option<KernelObject>,
    /// The place in the kernel source.
    pub(super) source: &'a str,
    /// The same, if it is one file.
    pub(super) source_place: Option<PlaceObject<'a>>,
    /// Whether it only continues an event.
    pub(super) joins: bool,
    /// Sample lines.
    pub(super) samples: &'a [String],
    /// The signatures that look for its kinds of event.
    pub(super) signatures: Vec<UseObject<'a>>,
}

/// A signature that looks for an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct UseObject<'a> {
    /// The signature.
    pub(super) id: &'a str,
    /// The title.
    pub(super) title: &'a str,
    /// The first of its steps, or of the events that must not occur, that accepts the event.
    pub(super) step: &'a str,
    /// The use that the signature makes of the event.
    pub(super) place: UsePlace,
}

/// A known failure.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct SignatureObject<'a> {
    /// The stable identifier.
    pub(super) id: &'a str,
    /// The title.
    pub(super) title: &'a str,
    /// The severity.
    pub(super) severity: Severity,
    /// Its possible roles, most likely first.
    pub(super) role: &'a [Role],
    /// The layers in which the cause may be, most likely first.
    pub(super) layer: &'a [Layer],
    /// Its maturity.
    pub(super) status: Status,
    /// The GPUs and kernels that it applies to, in words.
    pub(super) applies: String,
    /// What happened.
    pub(super) summary: String,
    /// An explanation of its meaning.
    pub(super) explain: String,
    /// The events that must occur, in this order.
    pub(super) steps: Vec<StepObject<'a>>,
    /// What must not occur.
    pub(super) never: Vec<StepObject<'a>>,
    /// Signatures that take precedence.
    pub(super) unless: &'a [String],
    /// Whether it only restates a line, and is used if no other signature matches.
    pub(super) fallback: bool,
    /// The certainty of a complete match.
    pub(super) certainty: Certainty,
    /// Conditions, each of which lowers the certainty by one word.
    pub(super) less_certain: Vec<String>,
    /// The condition under which a log with nothing worse is not judged; null if there is none.
    pub(super) unjudged_if: Option<String>,
    /// Whether its cause is known, unless a condition decides otherwise.
    pub(super) cause: Cause,
    /// Possible causes.
    pub(super) cause_candidates: &'a [String],
    /// What a log shows as the cause; null if none does, or if the diagnosis itself is the cause.
    pub(super) cause_shown: Option<String>,
    /// The match score before any reason applies, from 0 to 1. It is not a probability.
    pub(super) match_score: f64,
    /// What changes the match score.
    pub(super) reasons: Vec<Counted>,
    /// Questions that a log cannot answer.
    pub(super) not_shown: Vec<String>,
    /// What to do.
    pub(super) actions: Vec<ActionObject<'a>>,
    /// URLs of the sources.
    pub(super) references: &'a [String],
}

/// An event that a signature looks for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SignatureStep"))]
pub(super) struct StepObject<'a> {
    /// The name of the step.
    pub(super) name: &'a str,
    /// The kinds of event that it can be.
    pub(super) events: Vec<Kind>,
    /// Whether it may be missing.
    pub(super) optional: bool,
    /// What is looked for, in words.
    pub(super) words: String,
}

/// Advice, and when it is given.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "AdviceText"))]
pub(super) struct ActionObject<'a> {
    /// The stable identifier.
    pub(super) id: &'a str,
    /// The action in one line.
    pub(super) summary: &'a str,
    /// The commands, by family of distributions.
    pub(super) commands: Vec<CommandObject>,
    /// The phase in which the action is useful.
    pub(super) phase: AdvicePhase,
    /// When it is given, in words; null for always.
    pub(super) when: Option<String>,
    /// The reason why it may help.
    pub(super) why: &'a str,
    /// Its risks and costs.
    pub(super) risk: &'a str,
    /// How to check that it took effect.
    pub(super) verify: String,
    /// The quality of its source.
    pub(super) trust: Trust,
    /// The source of the advice.
    pub(super) source: &'a str,
}

/// A piece of advice.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct AdviceObject<'a> {
    #[serde(flatten)]
    pub(super) advice: ActionObject<'a>,
    /// The parameter that it sets, and its value.
    pub(super) sets: Option<String>,
    /// The parameter that it removes.
    pub(super) removes: Option<&'a str>,
    /// Whether it is useful only until the machine is rebooted.
    pub(super) while_running: bool,
    /// The hardware classes that it is for; empty for all.
    pub(super) classes: &'a [HardwareClass],
    /// Conditions, any of which suppresses it.
    pub(super) not_when: Vec<String>,
    /// The signatures that give it.
    pub(super) signatures: Vec<&'a str>,
}

/// A finding of `check`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PossibleFinding"))]
pub(super) struct FindingObject<'a> {
    /// The stable identifier.
    pub(super) id: &'a str,
    /// The title.
    pub(super) title: &'a str,
    /// The severity.
    pub(super) severity: Severity,
    /// A description of the finding.
    pub(super) summary: String,
    /// What to do.
    pub(super) actions: Vec<ActionObject<'a>>,
    /// The source of the rule.
    pub(super) source: &'a str,
    /// URLs with more information.
    pub(super) references: &'a [String],
    /// The date of the last comparison with its sources; null if it makes no claim about versions.
    pub(super) checked: Option<&'a DayChecked>,
    /// Whether its sources could not be reached then.
    pub(super) unverified: bool,
}

/// An event of the lines.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExplainedEvent"))]
pub(super) struct EventObject<'a> {
    #[serde(flatten)]
    pub(super) event: json::EventObject<'a>,
    /// An explanation of its meaning.
    pub(super) means: String,
    /// What its kind reports.
    pub(super) about: &'static str,
    /// The part that it plays in an incident.
    pub(super) part: Part,
    /// The sender.
    pub(super) printed_by: PrintedObject<'a>,
    /// The kernel versions that have the message, in words; null for all known ones.
    pub(super) kernel: Option<String>,
    /// The same; null for all known ones.
    pub(super) kernel_range: Option<KernelObject>,
    /// The place in the source of the message that begins the event; null if no message does.
    pub(super) source: Option<&'a str>,
    /// The same, if it is one file.
    pub(super) source_place: Option<PlaceObject<'a>>,
    /// The signatures that look for such an event.
    pub(super) signatures: Vec<UseObject<'a>>,
}

/// The sender of a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct PrintedObject<'a> {
    /// The kind of sender.
    pub(super) origin: Origin,
    /// The name of the program; null for the kernel, or if not stated.
    pub(super) program: Option<&'a str>,
    /// The process id of the program; null if not stated.
    pub(super) pid: Option<u32>,
    /// The driver's function; null if the prefix does not name it.
    pub(super) function: Option<&'a str>,
    /// The sender in words, for people; the other members say the same.
    pub(super) words: String,
}

/// The kind of sender of a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum Origin {
    Kernel,
    Program,
    Unstated,
    ProcessListing,
}

/// A line that does not begin an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ExplainedLine"))]
pub(super) struct LineObject<'a> {
    /// The line number, from 1.
    pub(super) line: u64,
    /// The class of the line.
    pub(super) is: LineKind,
    /// The id of its message; null if it has none.
    pub(super) message: Option<&'a str>,
    /// The meaning of the message; null if there is none.
    pub(super) means: Option<String>,
    /// The format that an unknown line of the driver seems to have.
    pub(super) shape: Option<&'a str>,
    /// The log level; null if not stated.
    pub(super) level: Option<Level>,
    /// The sender.
    pub(super) printed_by: PrintedObject<'a>,
    /// The text without time and sender.
    pub(super) text: &'a str,
}

/// The class of a line that does not begin an event.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(super) enum LineKind {
    /// It continues an event whose first line is missing.
    Continuation,
    /// The text of a message without the prefix that would prove it to be one.
    BareText,
    /// A line of the driver that no message matches.
    Unknown,
    /// Unrelated to the driver.
    Other,
}
