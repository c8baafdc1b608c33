//! Signatures: sequences of events that are known to be one failure.

use serde::{Deserialize, Serialize};

use super::citation::Citation;
use super::constraint::{Applies, Condition, Test};
use super::document::{FromToml, Node, record};
use super::signature_check::check_share;
use super::source_anchor::SourceAnchor;
use super::template::Template;
use crate::kind::{Event, Kind};
pub(crate) use crate::value::{Cause, Certainty, FailureClass, Layer, Role, Severity};
use crate::value::{Micros, words};

words! {
    /// How well a signature is proven.
    pub Status {
        /// By logs of two kernel generations at least.
        Stable,
        /// Not yet.
        Experimental,
    }
}

words! {
    /// What a signature is matched against.
    pub(crate) Scope {
        /// The events of one incident.
        Incident,
        /// All events of one device in one boot; what matches is a notice.
        Boot,
        /// The events of one incident; in a boot with none that it fits, those of the boot.
        Either,
    }
}

words! {
    /// Whether a signature of incidents becomes a notice where the incident turns out to be none: a reset that
    /// somebody asked for.
    pub(crate) AsNotice {
        /// It does not.
        Never,
        /// It does; of other incidents it is a diagnosis.
        Also,
        /// It does, and of other incidents it is not said.
        Only,
    }
}

record! {
    /// A span measured from another step.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Window {
        /// The step that this one must follow; `None` for the mandatory one before it.
        pub after: Option<String>,
        /// The step that this one must precede.
        pub before: Option<String>,
        /// How far apart the two may be.
        pub within: Option<Micros>,
    }
    check
}

impl Window {
    /// The step that this window is measured from, where it names one.
    pub(crate) fn anchor(&self) -> Option<&str> {
        self.after.as_deref().or(self.before.as_deref())
    }
}

record! {
    /// How many events make a step.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Count {
        /// At least so many.
        pub min: usize,
        /// All of them within this span.
        pub within: Option<Micros>,
    }
    check
}

/// What one event must be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Wanted {
    pub kinds: Vec<Kind>,
    /// With these fields.
    pub tests: Vec<(String, Test)>,
    /// Or one of these instead.
    pub or: Vec<Wanted>,
}

impl Wanted {
    /// Whether `event` is what is wanted.
    pub(crate) fn accepts(&self, event: &Event) -> bool {
        let passes = |(field, test): &(String, Test)| test.passes(event.field(field).as_ref());
        (self.kinds.contains(&event.kind()) && self.tests.iter().all(passes))
            || self.or.iter().any(|other| other.accepts(event))
    }

    /// What is wanted, and each alternative to it.
    pub(crate) fn parts(&self) -> Vec<&Self> {
        std::iter::once(self).chain(self.or.iter().flat_map(Self::parts)).collect()
    }

    pub(crate) fn all_kinds(&self) -> Vec<Kind> {
        let alternatives = self.or.iter().flat_map(Self::all_kinds);
        self.kinds.iter().copied().chain(alternatives).collect()
    }
}

record! {
    /// One step of a sequence.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Step {
        /// Its name in the signature.
        pub name: String,
        /// The event.
        pub wanted: Wanted = inline,
        /// Whether the signature matches without it.
        pub optional: bool,
        /// When.
        pub window: Window = inline,
        /// How often.
        pub count: Option<Count>,
        /// Whether events of the whole boot count, and not only those of the incident.
        pub whole_boot: bool as "reach" = whole_boot,
        /// Fields that must be equal to those of the step it follows.
        pub same: Vec<String>,
    }
}

impl Step {
    /// Whether it has to be among the events of the incident, in the order of the file.
    pub(crate) const fn is_placed(&self) -> bool {
        !self.optional && !self.whole_boot
    }
}

/// What to make of a `never` of which nobody can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum IfUnknown {
    /// The signature may still match.
    #[default]
    Accept,
    /// It does not match.
    Reject,
    /// It matches only where this optional step did.
    Needs(String),
}

record! {
    /// Something that must not come.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Never {
        /// Its name in the signature.
        pub name: String,
        /// The event.
        pub wanted: Wanted = inline,
        /// When it must not come.
        pub window: Window = inline,
        /// What if the log cannot tell.
        pub unknown: IfUnknown = default(IfUnknown::Accept),
    }
    check
}

record! {
    /// A reason for which the lines fit better or worse.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub(crate) struct Reason {
        /// When it counts.
        pub when: Condition,
        /// How much is added; negative where they fit worse.
        pub by: f64,
        /// The reason in words.
        pub because: String,
    }
    check
}

/// How well the lines fit a signature; measures no probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Confidence {
    /// With nothing for or against it, 0 to 1.
    pub base: f64,
    /// What changes it.
    pub reasons: Vec<Reason>,
}

/// `raise` and `lower`, in which the numbers have no sign.
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
    /// What is known of the cause under a condition.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct CauseIf {
        /// The condition.
        pub when: Condition,
        /// What is known of it then.
        pub cause: Cause,
        /// What comes into question then.
        pub candidates: Vec<String>,
    }
    check
}

record! {
    /// How bad it is under a condition.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct SeverityIf {
        /// The condition.
        pub when: Condition,
        /// How bad it is then.
        pub severity: Severity,
    }
}

record! {
    /// What a diagnosis says.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct Texts {
        /// What happened, in one to three sentences.
        pub summary: Template,
        /// What the log says of it, for the first screen: between the title and how it ended.
        pub detail: Option<Template>,
        /// What it means.
        pub explain: Template,
    }
}

record! {
    /// A diagnosis that this one is shown before.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Lead {
        /// The other signature.
        pub over: String,
        /// Only if this holds.
        pub when: Option<Condition>,
    }
}

record! {
    /// Advice that fits a signature.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Action {
        /// Which advice.
        pub advice: String as "use",
        /// Only if this holds.
        pub when: Option<Condition>,
    }
}

record! {
    /// A question that the log cannot answer.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct Unsaid {
        /// In words.
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
        /// Its stable name.
        pub id: String,
        /// Whether it takes the place of the signature that has had this name so far.
        pub(crate) replaces: bool,
        /// Its name for people.
        pub(crate) title: String,
        /// How bad it is.
        pub(crate) severity: Severity,
        /// How bad it is under a condition; the first that holds counts.
        pub(crate) severity_if: Vec<SeverityIf>,
        /// How it is known when the signature matches whole.
        pub(crate) certainty: Certainty,
        /// Under each of these conditions it is known one word less surely.
        pub(crate) less_certain: Vec<Condition>,
        /// What is known of the cause.
        pub(crate) cause: Cause,
        /// What comes into question as the cause.
        pub(crate) candidates: Vec<String>,
        /// What is known of the cause under a condition; the first that holds counts.
        pub(crate) cause_if: Vec<CauseIf>,
        /// Its part: the first, or the second where another diagnosis explains it.
        pub(crate) roles: Vec<Role> as "role" = required,
        /// How well it is proven.
        pub status: Status,
        /// Where the cause sits, most likely first.
        pub(crate) layers: Vec<Layer> as "layer" = required,
        /// The order of blame among those that begin together; lower is nearer to the cause.
        pub(crate) blame: i64,
        /// What it is matched against.
        pub(crate) scope: Scope = default(Scope::Incident),
        /// Whether it becomes a notice where the incident turns out to be none.
        pub(crate) notice: AsNotice = default(AsNotice::Never),
        /// Whether what it says is of use only to those who worry about its lines.
        pub(crate) harmless: bool,
        /// What kind of failure it is, where its first line does not say.
        pub(crate) class: Option<FailureClass>,
        /// Whether it only says what a line says, for incidents of which no other signature knows more.
        pub fallback: bool,
        /// How much later its first line is printed than what that line reports happened.
        pub(crate) lead: Micros = default(Micros::default()),
        /// For which GPUs.
        pub(crate) applies: Applies = default(Applies::default()),
        /// The steps, in order.
        pub(crate) steps: Vec<Step> as "step" = required,
        /// What must not come.
        pub(crate) nevers: Vec<Never> as "never",
        /// More specific signatures that silence it.
        pub(crate) unless: Vec<String>,
        /// Diagnoses that it is shown before.
        pub(crate) leads: Vec<Lead>,
        /// How well the lines fit.
        pub(crate) confidence: Confidence,
        /// What it says.
        pub(crate) text: Texts,
        /// What the log cannot tell.
        pub(crate) unsaid: Vec<Unsaid>,
        /// What to do, in order.
        pub(crate) actions: Vec<Action> as "action",
        /// Where to read on.
        pub references: Vec<String>,
        /// Where in the kernel's source its claims stand.
        pub(crate) anchors: Vec<SourceAnchor>,
        /// What the comments of its file cite.
        pub(crate) cited: Vec<Citation> = later,
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
