//! Signatures: sequences of events that are known to be one failure.

use serde::{Deserialize, Serialize};

use super::constraint::{Applies, Condition, Test};
use super::template::Template;
use crate::kind::{Event, Kind};
use crate::value::Micros;
pub use crate::value::{Layer, Role, Severity};

/// A word that stands for a value in pattern files and JSON.
macro_rules! named {
    ($(#[$outer:meta])* $Name:ident { $( $(#[$inner:meta])* $Value:ident = $word:literal, )* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum $Name { $( $(#[$inner])* #[serde(rename = $word)] $Value, )* }

        impl $Name {
            /// All values.
            pub const ALL: &'static [Self] = &[$(Self::$Value),*];

            /// All words.
            pub const NAMES: &'static [&'static str] = &[$($word),*];

            /// The value with this word.
            #[must_use]
            pub fn read(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$Value),)* _ => None }
            }

            /// The word.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$Value => $word,)* }
            }
        }
    };
}
pub(super) use named;

named! {
    /// How well a signature is proven.
    Status {
        /// By logs of two kernel generations at least.
        Stable = "stable",
        /// Not yet.
        Experimental = "experimental",
    }
}

named! {
    /// What a signature is matched against.
    Scope {
        /// The events of one incident.
        Incident = "incident",
        /// All events of one device in one boot; what matches is a notice.
        Boot = "boot",
        /// The events of one incident; in a boot with none that it fits, those of the boot.
        Either = "either",
    }
}

/// A span measured from another step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The step that this one must follow; `None` for the mandatory one before it.
    pub after: Option<String>,
    /// The step that this one must precede.
    pub before: Option<String>,
    /// How far apart the two may be.
    pub within: Option<Micros>,
}

/// How many events make a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// At least so many.
    pub min: usize,
    /// All of them within this span.
    pub within: Option<Micros>,
}

/// What one event must be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// One of these kinds.
    pub kinds: Vec<Kind>,
    /// With these fields.
    pub tests: Vec<(String, Test)>,
    /// Or one of these instead.
    pub or: Vec<Wanted>,
}

impl Wanted {
    /// Whether `event` is what is wanted.
    #[must_use]
    pub fn accepts(&self, event: &Event) -> bool {
        let passes = |(field, test): &(String, Test)| test.passes(event.field(field).as_ref());
        (self.kinds.contains(&event.kind()) && self.tests.iter().all(passes))
            || self.or.iter().any(|other| other.accepts(event))
    }

    /// All kinds that are wanted.
    #[must_use]
    pub fn all_kinds(&self) -> Vec<Kind> {
        let alternatives = self.or.iter().flat_map(|other| other.kinds.iter().copied());
        self.kinds.iter().copied().chain(alternatives).collect()
    }
}

/// One step of a sequence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name in the signature.
    pub name: String,
    /// The event.
    pub wanted: Wanted,
    /// Whether the signature matches without it.
    pub optional: bool,
    /// When.
    pub window: Window,
    /// How often.
    pub count: Option<Count>,
    /// Whether events of the whole boot count, and not only those of the incident.
    pub whole_boot: bool,
    /// Fields that must be equal to those of the step it follows.
    pub same: Vec<String>,
}

/// What to make of a `never` of which nobody can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IfUnknown {
    /// The signature may still match.
    #[default]
    Accept,
    /// It does not match.
    Reject,
    /// It matches only where this optional step did.
    Needs(String),
}

/// Something that must not come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Never {
    /// Its name in the signature.
    pub name: String,
    /// The event.
    pub wanted: Wanted,
    /// When it must not come.
    pub window: Window,
    /// What if the log cannot tell.
    pub unknown: IfUnknown,
}

/// A reason to be more or less sure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// When it counts.
    pub when: Condition,
    /// How much is added; negative where the conclusion becomes less certain.
    pub by: f64,
    /// The reason in words.
    pub because: String,
}

/// How sure a match is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Confidence {
    /// With nothing for or against it, 0 to 1.
    pub base: f64,
    /// What changes it.
    pub reasons: Vec<Reason>,
}

/// A diagnosis that this one is shown before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lead {
    /// The other signature.
    pub over: String,
    /// Only if this holds.
    pub when: Option<Condition>,
}

/// Advice that fits a signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Which advice.
    pub advice: String,
    /// Only if this holds.
    pub when: Option<Condition>,
}

/// A question that the log cannot answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsaid {
    /// In words.
    pub text: Template,
    /// Only if this holds.
    pub when: Option<Condition>,
}

/// A known failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signature {
    /// Its stable name.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// How bad it is under a condition; the first that holds counts.
    pub severity_if: Vec<(Condition, Severity)>,
    /// Its part: the first, or the second where another diagnosis explains it.
    pub roles: Vec<Role>,
    /// How well it is proven.
    pub status: Status,
    /// Where the cause sits, most likely first.
    pub layers: Vec<Layer>,
    /// The order of blame among those that begin together; lower is nearer to the cause.
    pub blame: i64,
    /// What it is matched against.
    pub scope: Scope,
    /// Whether it becomes a notice where the incident turns out to be none.
    pub notice: bool,
    /// How much later its first line is printed than what that line reports happened.
    pub lead: Micros,
    /// For which GPUs.
    pub applies: Applies,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What must not come.
    pub nevers: Vec<Never>,
    /// More specific signatures that silence it.
    pub unless: Vec<String>,
    /// Diagnoses that it is shown before.
    pub leads: Vec<Lead>,
    /// How sure a match is.
    pub confidence: Confidence,
    /// What happened, in one to three sentences.
    pub summary: Template,
    /// What it means.
    pub explain: Template,
    /// What the log cannot tell.
    pub unsaid: Vec<Unsaid>,
    /// What to do, in order.
    pub actions: Vec<Action>,
    /// Where to read on.
    pub references: Vec<String>,
}

impl Signature {
    /// The step called `name`.
    #[must_use]
    pub fn step(&self, name: &str) -> Option<&Step> {
        self.steps.iter().find(|step| step.name == name)
    }
}
