//! Explains a name from the pattern files, or single lines of a log.
//!
//! Collects what different pattern files say about it; [`crate::report`] formats it.

pub(crate) mod lines;

use crate::decode::{Context, Interpretation, readings};
use crate::kind::{Event, Kind};
use crate::pattern::Patterns;
use crate::pattern::advice::Advice;
use crate::pattern::hardware::Silicon;
use crate::pattern::machine::About;
use crate::pattern::message::Message;
use crate::pattern::signature::{Action, EventMatcher, Signature, Step};
use crate::pattern::source::nearest;
use crate::pattern::term::Term;
use crate::value::unique;

/// Maximum number of suggestions for an unknown name.
const OFFERED: usize = 3;
/// Maximum number of messages of whose lines a text is a part.
const HOLDING: usize = 5;

/// The explanations of everything that was asked.
#[derive(Debug)]
pub(crate) struct Answer<'p> {
    /// The names, in the order given.
    pub names: Vec<NameAnswer<'p>>,
    pub lines: Option<lines::Explained<'p>>,
}

/// What is known about a name.
#[derive(Debug)]
pub(crate) struct NameAnswer<'p> {
    /// The name as given.
    pub query: String,
    /// The things that it refers to; none if it is unknown.
    pub subjects: Vec<Subject<'p>>,
    /// Names that may be meant by an unknown one.
    pub near: Vec<String>,
}

impl<'p> NameAnswer<'p> {
    /// What `query` refers to, in any case of letters and with spaces for hyphens: terms and names,
    /// else messages of whose lines it is a part.
    pub(crate) fn of(query: &str, patterns: &'p Patterns) -> Self {
        let lower = as_name(query);
        let mut subjects: Vec<_> = terms(&lower, patterns).collect();
        let same = named(query, patterns);
        let same = if same.is_empty() { named(&lower, patterns) } else { same };
        // What a term means matters more than the numbers that have its name.
        let is_new = |one: &Subject<'_>| subjects.is_empty() || !one.is_value();
        let same: Vec<_> = same.into_iter().filter(is_new).collect();
        subjects.extend(same);
        let dashed = lower.replace('_', "-");
        if subjects.is_empty() && !names(patterns).contains(&dashed.as_str()) {
            subjects = holding(query, patterns);
        }
        let near = if subjects.is_empty() { near(query, patterns) } else { Vec::new() };
        let near = near.into_iter().map(str::to_owned).collect();
        Self { query: query.to_owned(), subjects, near }
    }
}

/// A text as a name: in lower case, with hyphens for spaces.
fn as_name(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join("-").to_ascii_lowercase()
}

/// Whether `text`, which may have spaces, is a name or a term.
pub(crate) fn is_name(text: &str, patterns: &Patterns) -> bool {
    let name = as_name(text);
    terms(&name, patterns).next().is_some() || names(patterns).contains(&name.as_str())
}

/// The terms called `name`.
fn terms<'p>(name: &str, patterns: &'p Patterns) -> impl Iterator<Item = Subject<'p>> {
    let called = patterns.glossary.iter().filter(move |term| term.is_called(name));
    called.map(|term| {
        let signature = |id: &String| patterns.signatures.iter().find(|one| one.id == *id);
        let signatures = term.signatures.iter().filter_map(signature).collect();
        let advice = term.advice.iter().filter_map(|id| patterns.advice(id)).collect();
        Subject::Term(TermEntry { term, signatures, advice })
    })
}

/// What a name refers to.
#[derive(Clone, Debug)]
pub(crate) enum Subject<'p> {
    /// A term of the glossary.
    Term(TermEntry<'p>),
    /// A kind of event.
    Kind(KindEntry<'p>),
    /// A message of the kernel or a program.
    Message(MessageEntry<'p>),
    /// A signature.
    Signature(SignatureEntry<'p>),
    /// A piece of advice.
    Advice(AdviceEntry<'p>),
    /// A finding of `check`.
    Finding(FindingEntry<'p>),
    /// A value that logs print: an error number, a register.
    Value(ValueEntry),
}

impl Subject<'_> {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Term(entry) => &entry.term.name,
            Self::Kind(entry) => entry.kind.name(),
            Self::Message(entry) => &entry.message.id,
            Self::Signature(entry) => &entry.signature.id,
            Self::Advice(entry) => &entry.advice.id,
            Self::Finding(entry) => &entry.about.id,
            Self::Value(entry) => &entry.text,
        }
    }

    const fn is_message(&self) -> bool {
        matches!(self, Self::Message(_))
    }

    const fn is_value(&self) -> bool {
        matches!(self, Self::Value(_))
    }
}

/// A term of the glossary.
#[derive(Clone, Debug)]
pub(crate) struct TermEntry<'p> {
    pub term: &'p Term,
    /// The signatures to read on.
    pub signatures: Vec<&'p Signature>,
    /// The advice to read on.
    pub advice: Vec<&'p Advice>,
}

/// A kind of event.
#[derive(Clone, Debug)]
pub(crate) struct KindEntry<'p> {
    pub kind: Kind,
    /// The messages that begin or continue such an event.
    pub messages: Vec<&'p Message>,
    /// The signatures that require it.
    pub uses: Vec<Use<'p>>,
}

#[derive(Clone, Debug)]
pub(crate) struct MessageEntry<'p> {
    pub message: &'p Message,
    /// The signatures that require its kinds of event.
    pub uses: Vec<Use<'p>>,
}

#[derive(Clone, Debug)]
pub(crate) struct SignatureEntry<'p> {
    pub signature: &'p Signature,
    /// The actions that it recommends, in order.
    pub actions: Vec<(&'p Action, Advice)>,
}

/// A piece of advice.
#[derive(Clone, Debug)]
pub(crate) struct AdviceEntry<'p> {
    pub advice: Box<Advice>,
    /// The signatures that recommend it.
    pub signatures: Vec<&'p Signature>,
    /// Whether it has commands for other distributions, which are left out.
    pub has_others: bool,
}

/// A finding of `check`: a state, or a kernel or firmware with a known fault.
#[derive(Clone, Debug)]
pub(crate) struct FindingEntry<'p> {
    /// What is said of it.
    pub about: &'p About,
    /// The recommended advice.
    pub actions: Vec<Advice>,
}

/// A value and its possible meanings.
#[derive(Clone, Debug)]
pub(crate) struct ValueEntry {
    /// The text as given.
    pub text: String,
    /// All readings, the likeliest first.
    pub readings: Vec<Interpretation>,
}

/// What an event is for a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum UsePlace {
    /// It has to be there.
    Step,
    /// It says more where it is there.
    OptionalStep,
    /// It must not come.
    Never,
}

/// A signature that refers to an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'p> {
    pub signature: &'p Signature,
    /// The name of the first step or never that the event fits.
    pub step: &'p str,
    /// Whether that is a step or a never.
    pub place: UsePlace,
}

/// Everything that is called `id`.
pub(crate) fn named<'p>(id: &str, patterns: &'p Patterns) -> Vec<Subject<'p>> {
    // The GPU is unknown, and the machine on which a command will be typed may be.
    let filled = |advice: &Advice, system| advice.filled(None, &patterns.distributions, system);
    let system = patterns.distributions.assumed();
    let spelled = |advice: &Advice| filled(advice, system);
    let kind = Kind::read(id).map(|kind| Subject::Kind(kind_entry(kind, patterns)));
    let messages = patterns.messages.iter().filter(|message| message.id == id).map(|message| {
        let uses = uses(patterns, |wanted| shares_kind(wanted, &message.kinds));
        Subject::Message(MessageEntry { message, uses })
    });
    let signatures = patterns.signatures.iter().filter(|signature| signature.id == id);
    let signatures = signatures.map(|signature| {
        let with_advice =
            |action: &'p Action| Some((action, spelled(patterns.advice(&action.advice)?)));
        let actions = signature.actions.iter().filter_map(with_advice).collect();
        Subject::Signature(SignatureEntry { signature, actions })
    });
    let advice = patterns.advice(id).map(|advice| {
        let gives = |signature: &&Signature| signature.actions.iter().any(|a| a.advice == id);
        let signatures = patterns.signatures.iter().filter(gives).collect();
        let spelled = spelled(advice);
        let has_others = filled(advice, None).commands.len() > spelled.commands.len();
        Subject::Advice(AdviceEntry { advice: spelled.into(), signatures, has_others })
    });
    let findings = patterns.machines.abouts().filter(|about| about.id == id).map(|about| {
        let actions =
            about.advice.iter().filter_map(|id| patterns.advice(id)).map(spelled).collect();
        Subject::Finding(FindingEntry { about, actions })
    });
    let named = kind.into_iter().chain(messages).chain(signatures).chain(advice).chain(findings);
    let named: Vec<_> = named.collect();
    if named.is_empty() { value(id, patterns).into_iter().collect() } else { named }
}

/// A shorter text is part of too many lines.
const SHORTEST_PART: usize = 10;

/// The messages of whose lines `text` is a part, as people remember them: `HIP out of memory`.
pub(crate) fn holding<'p>(text: &str, patterns: &'p Patterns) -> Vec<Subject<'p>> {
    let wanted = plain(text);
    if wanted.len() < SHORTEST_PART {
        return Vec::new();
    }
    let holds = |message: &&Message| message.samples.iter().any(|s| plain(s).contains(&wanted));
    let found = patterns.messages.iter().filter(holds).take(HOLDING);
    found.flat_map(|message| named(&message.id, patterns)).filter(Subject::is_message).collect()
}

/// A line in lower case, with every number as one `0`.
fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    for c in line.trim().to_lowercase().chars() {
        let c = if c.is_ascii_digit() { '0' } else { c };
        if !(c == '0' && plain.ends_with('0')) {
            plain.push(c);
        }
    }
    plain
}

/// The readings of `text`: a number, the name of an error.
fn value<'p>(text: &str, patterns: &'p Patterns) -> Option<Subject<'p>> {
    let (hardware, silicon) = (&patterns.hardware, Silicon::default());
    let context = Context { hardware, silicon, kernel: None, hub: None, register: None };
    let readings = readings(text, None, &context).ok()?;
    Some(Subject::Value(ValueEntry { text: text.to_owned(), readings }))
}

fn kind_entry(kind: Kind, patterns: &Patterns) -> KindEntry<'_> {
    KindEntry {
        kind,
        messages: patterns.messages.iter().filter(|m| m.kinds.contains(&kind)).collect(),
        uses: uses(patterns, |wanted| wanted.all_kinds().contains(&kind)),
    }
}

fn shares_kind(wanted: &EventMatcher, kinds: &[Kind]) -> bool {
    kinds.iter().any(|kind| wanted.all_kinds().contains(kind))
}

/// The signatures that `event` fits, including its fields.
fn uses_of<'p>(event: &Event, patterns: &'p Patterns) -> Vec<Use<'p>> {
    uses(patterns, |wanted| wanted.accepts(event, None))
}

/// The signatures with a demand that `fits`: mandatory steps first, then optional steps, then
/// nevers.
fn uses(patterns: &Patterns, fits: impl Fn(&EventMatcher) -> bool) -> Vec<Use<'_>> {
    let of = |signature| use_of(signature, &fits);
    let mut uses: Vec<Use<'_>> = patterns.signatures.iter().filter_map(of).collect();
    // Fallbacks come last.
    uses.sort_by_key(|one| (one.place as u8, one.signature.fallback));
    uses
}

fn use_of<'p>(signature: &'p Signature, fits: &impl Fn(&EventMatcher) -> bool) -> Option<Use<'p>> {
    // Optional steps of a fallback only add detail and do not count.
    let counts = |step: &&Step| !(signature.fallback && step.optional);
    let steps = signature.steps.iter().filter(counts).map(|step| {
        let place = if step.optional { UsePlace::OptionalStep } else { UsePlace::Step };
        (place, step.name.as_str(), &step.wanted)
    });
    let nevers = signature.nevers.iter();
    let nevers = nevers.map(|never| (UsePlace::Never, never.name.as_str(), &never.wanted));
    let fitting = steps.chain(nevers).filter(|(_, _, wanted)| fits(wanted));
    let (place, step, _) = fitting.min_by_key(|(place, _, _)| *place as u8)?;
    Some(Use { signature, step, place })
}

/// All names that can be explained.
pub(crate) fn names(patterns: &Patterns) -> Vec<&str> {
    let mut all: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    all.extend(patterns.signatures.iter().map(|signature| signature.id.as_str()));
    all.extend(patterns.messages.iter().map(|message| message.id.as_str()));
    all.extend(patterns.advice.iter().map(|advice| advice.id.as_str()));
    all.extend(patterns.machines.abouts().map(|about| about.id.as_str()));
    all.extend(patterns.glossary.iter().map(|term| term.id.as_str()));
    all
}

/// Suggestions for the unknown name `id`: names that begin with it as a word, names with a similar
/// spelling, and names that contain it.
pub(crate) fn near<'p>(id: &str, patterns: &'p Patterns) -> Vec<&'p str> {
    let all = names(patterns);
    let word = as_name(id).replace('_', "-");
    let first = format!("{word}-");
    let begun = all.iter().copied().filter(|known| *known == word || known.starts_with(&first));
    let mut begun: Vec<&str> = begun.collect();
    begun.sort_by_key(|known| *known != word);
    let closest = nearest(&word, all.iter().copied());
    let holding = all.iter().copied().filter(|known| word.len() > 2 && known.contains(&word));
    let mut near = unique(begun.into_iter().chain(closest).chain(holding));
    near.truncate(OFFERED);
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_stands_for_something() {
        let patterns = crate::builtin::patterns();
        let kinds = Kind::ALL.iter().map(|kind| kind.name());
        let messages = patterns.messages.iter().map(|message| message.id.as_str());
        let signatures = patterns.signatures.iter().map(|signature| signature.id.as_str());
        let advice = patterns.advice.iter().map(|advice| advice.id.as_str());
        let findings = patterns.machines.abouts().map(|about| about.id.as_str());
        for term in &patterns.glossary {
            assert!(!NameAnswer::of(&term.name, &patterns).subjects.is_empty(), "{}", term.name);
        }
        for id in kinds.chain(messages).chain(signatures).chain(advice).chain(findings) {
            assert!(!named(id, &patterns).is_empty(), "{id}");
        }
        assert!(named("ring-timeout", &patterns).len() > 1);
        assert!(named("no-such-thing", &patterns).is_empty());
    }

    #[test]
    fn every_kind_and_field_says_what_it_is() {
        for kind in Kind::ALL {
            assert!(kind.about().ends_with('.'), "{}: {}", kind.name(), kind.about());
            for field in kind.fields() {
                assert!(field.about.ends_with(['.', '…']), "{} of {}", field.name, kind.name());
            }
        }
    }

    #[test]
    fn what_has_to_be_there_comes_first() {
        let patterns = crate::builtin::patterns();
        let Subject::Kind(entry) = &named("reset-succeeded", &patterns)[0] else {
            panic!("a kind")
        };
        assert!(entry.uses.is_sorted_by_key(|one| one.place as u8));
        assert!(entry.uses.iter().any(|one| one.place == UsePlace::Never));
    }

    #[test]
    fn a_part_of_a_line_finds_its_message() {
        let patterns = crate::builtin::patterns();
        for (text, id) in [
            ("HIP out of memory", "torch-out-of-memory"),
            ("memory access fault by gpu node-2", "rocr-memory-fault"),
            ("VK_ERROR_DEVICE_LOST", "vulkan-device-lost"),
        ] {
            let found = holding(text, &patterns);
            let is = |one: &Subject<'_>| matches!(one, Subject::Message(e) if e.message.id == id);
            assert!(found.iter().any(is), "{text}");
        }
        assert!(
            holding("reset", &patterns).is_empty() && holding("no such line", &patterns).is_empty()
        );
    }

    #[test]
    fn near_names_are_offered() {
        let patterns = crate::builtin::patterns();
        assert_eq!(near("pagefault", &patterns)[0], "page-fault");
        assert_eq!(near("Ring_Timeout", &patterns)[0], "ring-timeout");
        assert!(near("mes-rem", &patterns).contains(&"mes-remove-queue-timeout"));
        for (name, found, offered) in
            [("PAGE-FAULT", Some("page-fault"), None), ("page_fault", None, Some("page-fault"))]
        {
            let answer = NameAnswer::of(name, &patterns);
            assert_eq!(answer.subjects.first().map(Subject::name), found, "{name}");
            assert_eq!(answer.near.first().map(String::as_str), offered, "{name}");
        }
        assert_eq!(near("xyzzy", &patterns), [""; 0]);
        assert_eq!(near("kern", &patterns)[0], "kern-update", "a whole word comes first");
    }

    #[test]
    fn the_words_of_a_report_are_terms_or_names() {
        let patterns = crate::builtin::patterns();
        for (word, name) in [
            ("SMU", "SMU"),
            ("PSP", "PSP"),
            ("VRAM", "VRAM"),
            ("DMUB", "DMUB"),
            ("GTT", "GTT"),
            ("fence", "fence"),
            ("ring", "ring"),
            ("firmware", "firmware"),
            ("MES", "MES"),
            ("GPU hang", "GPU hang"),
            ("IP block", "IP block"),
            ("ring timeout", "ring-timeout"),
            ("Page fault", "page-fault"),
        ] {
            let answer = NameAnswer::of(word, &patterns);
            assert_eq!(answer.subjects.first().map(Subject::name), Some(name), "{word}");
            assert!(is_name(word, &patterns), "{word}");
        }
        assert!(!is_name("GPU reset begin!", &patterns));
        let is_advice = |one: &Subject<'_>| one.name() == "psu";
        assert!(!NameAnswer::of("PSP", &patterns).subjects.iter().any(is_advice));
    }
}
