//! Signatures: known failures as sequences of events.

use serde::{Deserialize, Serialize};

use super::citation::Citation;
use super::constraint::{Applies, Condition, Test};
use super::document::{FromToml, Node, record};
use super::later::Lazy;
use super::signature_check::check_share;
use super::source_anchor::SourceAnchor;
use super::template::Template;
use crate::kind::{Event, Kind};
pub(crate) use crate::value::{Cause, Certainty, FailureClass, Layer, Role, Severity};
use crate::value::{Micros, words};

words! {
    /// The maturity of a signature.
    pub Status {
        /// Stable: proven by logs of at least two kernel generations.
        Stable,
        /// Experimental.
        Experimental,
    }
}

words! {
    /// What a signature is matched against.
    pub(crate) Scope {
        /// The events of one incident.
        Incident,
        /// All events of one device in one boot; a match is a notice.
        Boot,
        /// The events of one incident; in a boot without a matching incident, those of the boot.
        Either,
    }
}

words! {
    /// Whether a signature of incidents is reported as a notice if the incident is not a failure: a
    /// requested reset that succeeded.
    pub(crate) AsNotice {
        /// Not reported then.
        Never,
        /// Reported as a notice then, and as a diagnosis of other incidents.
        Also,
        /// Reported as a notice then, and not reported of other incidents.
        Only,
    }
}

record! {
    /// A time window relative to another step.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Window {
        /// The step that must precede this one; `None` for the mandatory step before it.
        pub after: Option<String>,
        /// The step that must follow this one.
        pub before: Option<String>,
        /// The maximum distance between the two.
        pub within: Option<Micros>,
    }
    check
}

impl Window {
    /// The step that this window refers to, if it names one.
    pub(crate) fn anchor(&self) -> Option<&str> {
        self.after.as_deref().or(self.before.as_deref())
    }
}

record! {
    /// The number of events that a step needs.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Count {
        /// The minimum number.
        pub min: usize,
        /// The time span that must contain all of them.
        pub within: Option<Micros>,
    }
    check
}

/// A demand on one event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EventMatcher {
    pub kinds: Vec<Kind>,
    /// Conditions on fields.
    pub tests: Vec<(String, Test)>,
    /// Whether it is an event of an AMD GPU or its driver; `None` for both.
    pub of_a_gpu: Option<bool>,
    /// Alternatives.
    pub or: Vec<EventMatcher>,
}

impl EventMatcher {
    /// Whether `event` meets the demand or one of its alternatives. `of_a_gpu`: whether it is of an
    /// AMD GPU or its driver; `None` if that is unknown.
    pub(crate) fn accepts(&self, event: &Event, of_a_gpu: Option<bool>) -> bool {
        let passes = |(field, test): &(String, Test)| test.passes(event.field(field).as_ref());
        let whose = self.of_a_gpu.is_none() || of_a_gpu.is_none() || self.of_a_gpu == of_a_gpu;
        (self.kinds.contains(&event.kind()) && whose && self.tests.iter().all(passes))
            || self.or.iter().any(|other| other.accepts(event, of_a_gpu))
    }

    /// The demand itself and its alternatives.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.or.iter().flat_map(Self::parts)).collect()
    }

    pub(crate) fn all_kinds(&self) -> Vec<Kind> {
        let alternatives = self.or.iter().flat_map(Self::all_kinds);
        self.kinds.iter().copied().chain(alternatives).collect()
    }
}

record! {
    /// A step of a sequence.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Step {
        /// Its name in the signature.
        pub name: String,
        /// The demand on its event.
        pub wanted: EventMatcher = inline,
        /// Whether the signature can match without it.
        pub optional: bool,
        /// Its time window.
        pub window: Window = inline,
        /// The required number of events.
        pub count: Option<Count>,
        /// Whether events of the whole boot count, as opposed to those of the incident.
        pub whole_boot: bool as "reach" = whole_boot,
        /// Fields that must equal those of the preceding step.
        pub same: Vec<String>,
        /// Fields that must be known and differ from those of the preceding step.
        pub differs: Vec<String>,
        /// Whether its line is quoted right after the one that failed, where there is room for few.
        pub quoted: bool,
    }
}

impl Step {
    /// The fields that are compared with those of another step.
    pub(crate) fn tied(&self) -> impl Iterator<Item = &String> {
        self.same.iter().chain(&self.differs)
    }

    /// Whether its event must be in the incident, in the order of the file.
    pub(crate) const fn is_placed(&self) -> bool {
        !self.optional && !self.whole_boot
    }
}

/// How an undecidable `never` affects the match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum IfUnknown {
    /// The signature may still match.
    #[default]
    Accept,
    /// It does not match.
    Reject,
    /// It matches only if this optional step matched.
    Needs(String),
}

record! {
    /// An event that must not occur.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Never {
        /// Its name in the signature.
        pub name: String,
        /// The demand on the event.
        pub wanted: EventMatcher = inline,
        /// The time window in which it must not occur.
        pub window: Window = inline,
        /// The result if the log cannot decide.
        pub unknown: IfUnknown = default(IfUnknown::Accept),
    }
    check
}

record! {
    /// A condition that changes the match score.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Reason {
        /// When it counts.
        pub when: Condition,
        /// The change of the score; negative if the match is worse.
        pub by: f64,
        /// The reason in words.
        pub because: String,
    }
    check
}

/// The match score: how well the lines fit a signature. Not a probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Confidence {
    /// The score without any reason, from 0 to 1.
    pub base: f64,
    /// What changes it.
    pub reasons: Vec<Reason>,
}

/// Reads `raise` and `lower`, whose numbers have no sign.
impl FromToml for Confidence {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        let Some(table) = node.table() else { return node.wrong_type("a table") };
        let base = table.field("base");
        if let Some(base) = base {
            check_share(&table, "base", base);
        }
        let mut reasons: Vec<Reason> = table.field("raise").unwrap_or_default();
        let lower: Vec<Reason> = table.field("lower").unwrap_or_default();
        reasons.extend(lower.into_iter().map(|reason| Reason { by: -reason.by, ..reason }));
        table.finish();
        Some(Self { base: base?, reasons })
    }

    fn placeholder() -> Self {
        Self { base: 0.0, reasons: Vec::new() }
    }
}

record! {
    /// The cause under a condition.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct CauseIf {
        /// The condition.
        pub when: Condition,
        /// What is known about the cause then.
        pub cause: Cause,
        /// The possible causes then.
        pub candidates: Vec<String>,
        /// What the log shows as the cause then.
        pub shown: Option<Template>,
    }
    check
}

record! {
    /// The severity under a condition.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct SeverityIf {
        /// The condition.
        pub when: Condition,
        /// The severity then.
        pub severity: Severity,
    }
}

record! {
    /// The texts of a diagnosis.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct Texts {
        /// The summary, in one to three sentences.
        pub summary: Template,
        /// What this log says about it, for the first screen: after the title and before the
        /// outcome.
        pub detail: Option<Template>,
        /// An explanation of its meaning.
        pub explain: Template,
    }
}

record! {
    /// A diagnosis that this one outranks.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Lead {
        /// The other signature.
        pub over: String,
        /// Only if this holds.
        pub when: Option<Condition>,
        /// Only if the other one begins at most this long before this one.
        pub within: Option<Micros>,
    }
}

record! {
    /// Recommended advice.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Action {
        /// Which advice.
        pub advice: String as "use",
        /// Only if this holds.
        pub when: Option<Condition>,
    }
}

record! {
    /// A question that the log does not answer.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct Unsaid {
        /// The question.
        pub text: Template,
        /// Only if this holds.
        pub when: Option<Condition>,
    }
}

record! {
    /// A known failure.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub struct Signature {
        /// The stable identifier.
        pub id: String,
        /// Whether it replaces the signature that has had this id so far.
        pub(crate) replaces: bool,
        /// Its title.
        pub(crate) title: String,
        /// The severity.
        pub(crate) severity: Severity,
        /// The severity under conditions; the first that holds counts.
        pub(crate) severity_if: Vec<SeverityIf>,
        /// Where this holds, a log with nothing worse is not judged: its lines are a part of
        /// something that only others name.
        pub(crate) unjudged_if: Option<Condition>,
        /// The certainty if all of the signature matches.
        pub(crate) certainty: Certainty,
        /// If one of these conditions holds, the certainty is one word lower.
        pub(crate) less_certain: Vec<Condition>,
        /// Whether the cause is known.
        pub(crate) cause: Cause,
        /// The possible causes.
        pub(crate) candidates: Lazy<Vec<String>>,
        /// What the log shows as the cause; `None` if that is the diagnosis itself.
        pub(crate) shown: Option<Template>,
        /// The cause under conditions; the first that holds counts.
        pub(crate) cause_if: Lazy<Vec<CauseIf>>,
        /// Its role; the second applies if another diagnosis explains it.
        pub(crate) roles: Vec<Role> as "role" = required,
        /// Its maturity.
        pub status: Status,
        /// The layers in which the cause may be, most likely first.
        pub(crate) layers: Vec<Layer> as "layer" = required,
        /// The rank among diagnoses that begin together; lower is closer to the cause.
        pub(crate) blame: i64,
        /// The events that it is matched with.
        pub(crate) scope: Scope = default(Scope::Incident),
        /// Whether it becomes a notice if its incident turns out not to be one.
        pub(crate) notice: AsNotice = default(AsNotice::Never),
        /// Whether it is useful only to readers who worry about its lines.
        pub(crate) harmless: bool,
        /// Whether the program fails in the same way at each start.
        pub(crate) repeats: bool,
        /// Whether it sums up what failed before: the driver gives up because a part failed.
        pub(crate) sums_up: bool,
        /// The class of failure, if the first line of the evidence does not show it.
        pub(crate) class: Option<FailureClass>,
        /// Whether it is a fallback.
        pub fallback: bool,
        /// The delay between what its first line reports and the line itself.
        pub(crate) lead: Micros = default(Micros::default()),
        /// The GPUs and kernels that it applies to.
        pub(crate) applies: Applies = default(Applies::default()),
        /// The steps, in order.
        pub(crate) steps: Vec<Step> as "step" = required,
        /// Events that must not occur.
        pub(crate) nevers: Vec<Never> as "never",
        /// More specific signatures that suppress it.
        pub(crate) unless: Vec<String>,
        /// Diagnoses that it outranks.
        pub(crate) leads: Vec<Lead>,
        /// The match score.
        pub(crate) confidence: Lazy<Confidence>,
        /// The texts of its diagnoses.
        pub(crate) text: Lazy<Texts>,
        /// Questions that the log does not answer.
        pub(crate) unsaid: Lazy<Vec<Unsaid>>,
        /// Recommended advice, in order.
        pub(crate) actions: Lazy<Vec<Action>> as "action",
        /// URLs for further reading.
        pub references: Lazy<Vec<String>>,
        /// The places in the kernel's source that support it.
        pub(crate) anchors: Lazy<Vec<SourceAnchor>>,
        /// What the comments in its file cite.
        pub(crate) cited: Lazy<Vec<Citation>> = later,
    }
    check
}

impl FromToml for IfUnknown {
    fn from_toml(node: &Node<'_>) -> Option<Self> {
        if let Some(needs) = node.table() {
            let step = needs.field("needs").map(Self::Needs);
            needs.finish();
            return step;
        }
        match node.text() {
            Some("accept") => Some(Self::Accept),
            Some("reject") => Some(Self::Reject),
            Some(_) | None => {
                node.mistake("`unknown` is accept, reject or { needs = \"STEP\" }");
                None
            }
        }
    }

    fn placeholder() -> Self {
        Self::Accept
    }
}

impl Signature {
    /// The step called `name`.
    pub(crate) fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}
