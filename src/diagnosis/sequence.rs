//! Matches one signature with a sequence of events: ordered steps, limits, and events that must not
//! occur.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::event::Observed;
use crate::event::log::Log;
use crate::pattern::signature::{Count, EventMatcher, IfUnknown, Never, Signature, Step};
use crate::value::Micros;

pub(crate) use super::absence::Absence;
use super::absence::{Judged, judged};
use super::reach::{Group, Remembered};
use super::run::Run;

/// The number of comparisons after which a search gives up. An ordinary incident needs some
/// hundred; only a storm of almost matching events exceeds the limit.
const BUDGET: u32 = 400_000;

/// A match of a signature.
#[derive(Clone, Debug, Default)]
pub(crate) struct Match<'l> {
    /// The events of each step that matched, by step name; the first one determines the order of
    /// steps.
    pub steps: BTreeMap<&'l str, Group<'l>>,
    /// The result for each `never`, and how long the log continues after its step.
    pub nevers: BTreeMap<&'l str, (Absence, Option<Micros>)>,
    /// Whether a limit could not be checked because lines have no time.
    pub untimed: bool,
}

/// The result of a search.
#[derive(Clone, Debug)]
pub(crate) enum Search<'l> {
    Found(Box<Match<'l>>),
    /// No match.
    Absent,
    /// Undecided: there are too many events.
    GaveUp,
}

/// What a signature is matched with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scene<'l> {
    /// The log, to see what follows the last event.
    pub log: &'l Log,
    pub boot: usize,
    /// The events to search for steps, in order.
    pub events: &'l Run<'l>,
    /// The events to search for a `never`: those of the device, also after the incident.
    pub beyond: &'l Run<'l>,
    /// The events of the boot that name no GPU.
    pub around: &'l Run<'l>,
    /// Results shared with other incidents; only for unmodified signatures.
    pub remembered: Option<&'l Remembered>,
}

/// Matches `signature` with `scene`.
pub(crate) fn search<'l>(signature: &'l Signature, scene: Scene<'l>) -> Search<'l> {
    let mut mandatory = Vec::new();
    for step in signature.steps.iter().filter(|step| step.is_placed()) {
        let candidates = scene.events.fitting(&step.wanted);
        if candidates.is_empty() {
            return Search::Absent;
        }
        mandatory.push((step, candidates.into()));
    }
    let mut search =
        Searching { signature, scene, mandatory, optional: BTreeMap::new(), budget: BUDGET };
    match search.place(&mut Vec::new()) {
        Some(found) => Search::Found(Box::new(found)),
        None if search.budget == 0 => Search::GaveUp,
        None => Search::Absent,
    }
}

pub(super) fn is(wanted: &EventMatcher, observed: &Observed) -> bool {
    wanted.accepts(&observed.event, Some(observed.of_a_gpu))
}

/// Whether the fields that `step` ties to another step's event are known, and equal or different as
/// demanded.
fn is_tied(step: &Step, reference: &Observed, observed: &Observed) -> bool {
    let are_equal = |field: &String| {
        let (one, other) = (observed.event.field(field), reference.event.field(field));
        one.zip(other).map(|(one, other)| one == other)
    };
    step.same.iter().all(|field| are_equal(field) == Some(true))
        && step.differs.iter().all(|field| are_equal(field) == Some(false))
}

/// Whether a signature may match given this result for a `never`.
pub(super) fn allows_match(absence: Absence, unknown: &IfUnknown, found: &Match<'_>) -> bool {
    match (absence, unknown) {
        (Absence::Refuted, _) | (Absence::Unknown, IfUnknown::Reject) => false,
        (Absence::Unknown, IfUnknown::Needs(step)) => found.steps.contains_key(step.as_str()),
        (Absence::Shown, _) | (Absence::Unknown, IfUnknown::Accept) => true,
    }
}

struct Searching<'l> {
    signature: &'l Signature,
    scene: Scene<'l>,
    /// The steps with a place in the order, and the events that each may be.
    mandatory: Vec<(&'l Step, Rc<[usize]>)>,
    /// The candidates for each optional step, cached: a storm has thousands of placements of the
    /// mandatory steps, and each needs them.
    optional: BTreeMap<&'l str, Rc<[usize]>>,
    budget: u32,
}

impl<'l> Searching<'l> {
    /// Places the remaining mandatory steps, earliest candidates first, with backtracking.
    fn place(&mut self, placed: &mut Vec<Placed>) -> Option<Match<'l>> {
        let Some((step, choices)) = self.mandatory.get(placed.len()).cloned() else {
            return self.complete(placed);
        };
        let anchor = self.anchor(step, placed);
        // Skips candidates on the wrong side of the anchor.
        let side = anchor.map(|anchor| match step.window.before {
            Some(_) => 0..choices.partition_point(|choice| *choice < anchor),
            None => choices.partition_point(|choice| *choice <= anchor)..choices.len(),
        });
        for at in side.unwrap_or(0..choices.len()) {
            let candidate = choices[at];
            self.budget = self.budget.checked_sub(1)?;
            match self.fit(step, anchor, candidate) {
                Fit::No => continue,
                Fit::TooLate => break,
                Fit::Yes => {}
            }
            if self.group(step, anchor, &choices[at..], Size::Enough).is_none() {
                continue;
            }
            placed.push(Placed { first: candidate, at, anchor });
            let found = self.place(placed);
            if found.is_some() {
                return found;
            }
            placed.pop();
        }
        None
    }

    /// The event that a step is placed relative to.
    fn anchor(&self, step: &Step, placed: &[Placed]) -> Option<usize> {
        let index = match step.window.anchor() {
            Some(name) => self.mandatory.iter().position(|(other, _)| other.name == name)?,
            None => placed.len().checked_sub(1)?,
        };
        placed.get(index).map(|placed| placed.first)
    }

    fn fit(&self, step: &Step, anchor: Option<usize>, candidate: usize) -> Fit {
        #[cfg(test)]
        super::run::tests::LOOKED.set(super::run::tests::LOOKED.get() + 1);
        let events = self.scene.events;
        let Some(anchor) = anchor else { return Fit::Yes };
        let (Some(reference), Some(observed)) = (events.get(anchor), events.get(candidate)) else {
            return Fit::No;
        };
        let before = step.window.before.is_some();
        if (before && candidate >= anchor) || (!before && candidate <= anchor) {
            return Fit::No;
        }
        let span = if before {
            observed.stamp.elapsed(&reference.stamp)
        } else {
            reference.stamp.elapsed(&observed.stamp)
        };
        let outside = step.window.within.zip(span).is_some_and(|(limit, span)| span > limit);
        match (outside, before) {
            (true, false) => return Fit::TooLate,
            (true, true) => return Fit::No,
            (false, _) => {}
        }
        if is_tied(step, reference, observed) { Fit::Yes } else { Fit::No }
    }

    /// The first candidate and all later ones that belong to the same step; `None` if there are
    /// fewer than the step needs.
    fn group(
        &mut self,
        step: &Step,
        anchor: Option<usize>,
        choices: &[usize],
        size: Size,
    ) -> Option<Vec<usize>> {
        let first = *choices.first()?;
        let Count { min, within } = step.count.unwrap_or(Count { min: 1, within: None });
        let start = self.scene.events.get(first)?.stamp;
        let mut group = Vec::new();
        for &choice in choices {
            self.budget = self.budget.saturating_sub(1);
            let observed = self.scene.events.get(choice)?;
            let span = start.elapsed(&observed.stamp);
            let inside = within.zip(span).is_none_or(|(limit, span)| span <= limit);
            // The limit applies to the required events; later ones still belong to the step.
            if group.len() < min && !inside {
                break;
            }
            match self.fit(step, anchor, choice) {
                Fit::Yes => group.push(choice),
                Fit::No => {}
                Fit::TooLate => break,
            }
            if size == Size::Enough && group.len() >= min {
                break;
            }
        }
        (group.len() >= min).then_some(group)
    }

    /// All mandatory steps are placed: matches optional steps, and checks the nevers.
    fn complete(&mut self, placed: &[Placed]) -> Option<Match<'l>> {
        let mut found = Match { steps: BTreeMap::new(), nevers: BTreeMap::new(), untimed: false };
        // Only their first events matter for the rest.
        for ((step, _), placed) in self.mandatory.iter().zip(placed) {
            found.steps.insert(&step.name, self.observed(&[placed.first]));
        }
        for step in self.signature.steps.iter().filter(|step| step.whole_boot) {
            match self.remembered(step) {
                Some(group) => found.steps.insert(&step.name, group),
                None if step.optional => continue,
                None => return None,
            };
        }
        // A refutation that does not depend on optional steps makes searching for them unnecessary.
        let nevers = || self.signature.nevers.iter();
        if !self.nevers_allow(nevers().filter(|never| self.is_settled(never)), &mut found) {
            return None;
        }
        for step in self.signature.steps.iter().filter(|step| step.optional && !step.whole_boot) {
            if let Some(group) = self.optional(step, &found) {
                found.steps.insert(&step.name, self.observed(&group));
            }
        }
        let nevers = self.signature.nevers.iter();
        if !self.nevers_allow(nevers.filter(|never| !self.is_settled(never)), &mut found) {
            return None;
        }
        for (index, placed) in placed.iter().enumerate() {
            let (step, choices) = self.mandatory.get(index).cloned()?;
            let group = self.group(step, placed.anchor, &choices[placed.at..], Size::Whole)?;
            found.steps.insert(&step.name, self.observed(&group));
        }
        found.untimed = self.is_untimed(&found);
        Some(found)
    }

    /// Whether a `never` does not depend on optional steps.
    fn is_settled(&self, never: &Never) -> bool {
        let anchor = never.window.anchor().and_then(|name| self.signature.step(name));
        anchor.is_some_and(|step| !step.optional || step.whole_boot)
            && !matches!(never.unknown, IfUnknown::Needs(_))
    }

    /// Whether no `never` excludes the match; records their results.
    fn nevers_allow(
        &self,
        mut nevers: impl Iterator<Item = &'l Never>,
        found: &mut Match<'l>,
    ) -> bool {
        nevers.all(|never| {
            let Judged { absence, seen, .. } = judged(self.signature, never, found, self.scene);
            let bearable = allows_match(absence, &never.unknown, found);
            if bearable {
                found.nevers.insert(&never.name, (absence, seen));
            }
            bearable
        })
    }

    /// The events of a step with the reach of the whole boot: the first sufficient run, and all
    /// later ones.
    fn in_the_boot(&self, step: &Step) -> Option<Vec<&'l Observed>> {
        let Scene { beyond, around, .. } = self.scene;
        let all = beyond.that_are(&step.wanted).chain(around.that_are(&step.wanted));
        let mut all: Vec<&Observed> = all.collect();
        all.sort_by_key(|observed| observed.sequence);
        let Count { min, within } = step.count.unwrap_or(Count { min: 1, within: None });
        let close = |run: &&[&Observed]| match run {
            [first, .., last] => within
                .zip(first.stamp.elapsed(&last.stamp))
                .is_none_or(|(limit, span)| span <= limit),
            _ => true,
        };
        let start = all.windows(min).position(|run| close(&run))?;
        all.drain(..start);
        Some(all)
    }

    /// The same, computed once for all incidents of a GPU in one boot.
    fn remembered(&self, step: &Step) -> Option<Group<'l>> {
        let log = self.scene.log;
        let fresh = Remembered::default();
        let remembered = self.scene.remembered.unwrap_or(&fresh);
        let name = (self.signature.id.as_str(), step.name.as_str());
        let reach = remembered.step(log, name, || self.in_the_boot(step))?;
        Some(Group::Boot(log, reach))
    }

    fn observed(&self, group: &[usize]) -> Group<'l> {
        Group::Own(
            group.iter().filter_map(|index| self.scene.events.get(*index).copied()).collect(),
        )
    }

    fn optional(&mut self, step: &'l Step, found: &Match<'l>) -> Option<Vec<usize>> {
        let anchor = match step.window.anchor() {
            Some(name) => {
                let first = found.steps.get(name)?.first()?.sequence;
                Some(self.scene.events.binary_search_by_key(&first, |o| o.sequence).ok()?)
            }
            None => None,
        };
        let events = self.scene.events;
        let fitting = || events.fitting(&step.wanted).into();
        let all = Rc::clone(self.optional.entry(&step.name).or_insert_with(fitting));
        let fits = |choice: &usize| self.fit(step, anchor, *choice) == Fit::Yes;
        let mut choices: Vec<usize> = all.iter().copied().filter(fits).collect();
        // Without a place, `same` refers to the first mandatory step, on either side of it.
        let first =
            self.mandatory.first().and_then(|(step, _)| found.steps.get(step.name.as_str()));
        if let Some(first) = first.and_then(Group::first).filter(|_| anchor.is_none()) {
            choices.retain(|at| events.get(*at).is_some_and(|o| is_tied(step, first, o)));
        }
        (0..choices.len()).find_map(|at| self.group(step, anchor, &choices[at..], Size::Whole))
    }

    fn is_untimed(&self, found: &Match<'l>) -> bool {
        let limited = self.signature.steps.iter().any(|step| step.window.within.is_some());
        limited && found.steps.values().any(Group::has_timeless)
    }
}

/// The placement of a mandatory step.
#[derive(Clone, Copy)]
struct Placed {
    /// Its first event.
    first: usize,
    /// The index of that event among its candidates.
    at: usize,
    /// The event that it is placed relative to.
    anchor: Option<usize>,
}

/// How many events of a step to collect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// As many as required.
    Enough,
    /// All of them.
    Whole,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fit {
    Yes,
    No,
    /// Too late, as is every later one.
    TooLate,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;
    use crate::pattern::Patterns;
    use crate::pattern::source::SourceFile;

    const HEAD: &str = r#"
id = "test-signature"
title = "A test"
severity = "error"
certainty = "stated"
cause = "not-in-log"
role = "mechanism"
status = "experimental"
layer = ["kernel"]
blame = 60
[confidence]
base = 0.9
[text]
summary = "s"
explain = "e"
"#;

    const BEGIN: &str = "[[step]]\nname = \"begin\"\nevent = \"reset-begin\"\n";
    const NO_END: &str = "[[never]]\nname = \"end\"\nevent = [\"reset-succeeded\", \"reset-failed\"]\nafter = \"begin\"\nwithin = \"60s\"\n";

    fn patterns(rest: &str) -> Patterns {
        let file = SourceFile { path: "test.toml".into(), text: format!("{HEAD}{rest}") };
        Patterns::default().extended(&[file]).unwrap_or_else(|mistakes| {
            panic!("{}", mistakes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
        })
    }

    /// The number of matches of the first step and the result for the first `never`; `None` without
    /// a match.
    fn found(rest: &str, lines: &[(f64, &str)]) -> Option<(usize, Option<Absence>)> {
        let print = |(at, text): &(f64, &str)| {
            let driver = if text.starts_with("**") { "" } else { "amdgpu 0000:03:00.0: amdgpu: " };
            format!("[{at:12.6}] {driver}{text}\n")
        };
        let log = log(&lines.iter().map(print).collect::<String>());
        let patterns = patterns(rest);
        let (events, around): (Run<'_>, _) = (log.events.iter().collect(), Run::default());
        let scene = Scene {
            log: &log,
            boot: 0,
            events: &events,
            beyond: &events,
            around: &around,
            remembered: None,
        };
        match search(&patterns.signatures[0], scene) {
            Search::Found(found) => {
                let first = patterns.signatures[0].steps.first().unwrap();
                let times = found.steps.get(first.name.as_str()).map_or(0, Group::times);
                Some((times, found.nevers.values().next().map(|(absence, _)| *absence)))
            }
            Search::Absent => None,
            Search::GaveUp => panic!("gave up"),
        }
    }

    #[test]
    fn absence_has_three_answers() {
        let signature = format!("{BEGIN}{NO_END}");
        let begin = (100.0, "GPU reset begin!");
        let other = |at| (at, "SMU is initialized successfully!");
        let hole = (120.0, "** 27 printk messages dropped **");
        for (lines, want) in [
            (vec![begin, other(160.000_001)], Some(Absence::Shown)),
            (vec![begin, other(160.0)], Some(Absence::Unknown)),
            (vec![begin], Some(Absence::Unknown)),
            (vec![begin, (160.0, "GPU reset(1) succeeded!")], None),
            (vec![begin, (160.000_001, "GPU reset(1) succeeded!")], Some(Absence::Shown)),
            (vec![begin, hole, other(300.0)], Some(Absence::Unknown)),
            (vec![begin, (170.0, hole.1), other(300.0)], Some(Absence::Shown)),
        ] {
            assert_eq!(found(&signature, &lines).and_then(|found| found.1), want, "{lines:?}");
        }
    }

    #[test]
    fn an_unknown_absence_counts_only_if_the_signature_accepts_it() {
        let stuck = "[[step]]\nname = \"stuck\"\nevent = \"ring-timeout\"\noptional = true\n";
        let begin = (100.0, "GPU reset begin!");
        let timeout = (90.0, "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3");
        for (rule, lines, matches) in [
            ("unknown = \"accept\"\n", vec![begin], true),
            ("unknown = \"reject\"\n", vec![begin], false),
            ("unknown = { needs = \"stuck\" }\n", vec![begin], false),
            ("unknown = { needs = \"stuck\" }\n", vec![timeout, begin], true),
        ] {
            let signature = format!("{BEGIN}{stuck}{NO_END}{rule}");
            assert_eq!(found(&signature, &lines).is_some(), matches, "{rule} {lines:?}");
        }
    }

    #[test]
    fn a_second_start_may_match_where_the_first_does_not() {
        let signature = format!("{BEGIN}{NO_END}");
        let lines = [
            (100.0, "GPU reset begin!"),
            (101.0, "GPU reset(1) succeeded!"),
            (200.0, "GPU reset begin!"),
            (300.0, "SMU is initialized successfully!"),
        ];
        assert_eq!(found(&signature, &lines), Some((1, Some(Absence::Shown))));
    }

    #[test]
    fn steps_keep_their_order_and_their_limits() {
        let then = |rule: &str| {
            format!(
                "[[step]]\nname = \"a\"\nevent = \"ring-timeout\"\n[[step]]\nname = \"b\"\nevent = \"reset-begin\"\n{rule}"
            )
        };
        let timeout = |at| (at, "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3");
        let begin = |at| (at, "GPU reset begin!");
        for (rule, lines, matches) in [
            ("", vec![timeout(10.0), begin(11.0)], true),
            ("", vec![begin(10.0), timeout(11.0)], false),
            ("", vec![timeout(10.0), begin(10.0)], true),
            ("within = \"5s\"\n", vec![timeout(10.0), begin(15.0)], true),
            ("within = \"5s\"\n", vec![timeout(10.0), begin(15.000_001)], false),
            ("within = \"5s\"\n", vec![timeout(10.0), timeout(12.0), begin(16.0)], true),
            ("before = \"a\"\n", vec![begin(10.0), timeout(11.0)], true),
            ("before = \"a\"\nwithin = \"2s\"\n", vec![begin(10.0), timeout(13.0)], false),
        ] {
            assert_eq!(found(&then(rule), &lines).is_some(), matches, "{rule} {lines:?}");
        }
    }

    #[test]
    fn a_clock_that_falls_a_little_does_not_undo_the_order_of_lines() {
        let signature = format!(
            "{BEGIN}[[step]]\nname = \"end\"\nevent = \"reset-succeeded\"\nwithin = \"1s\"\n"
        );
        let lines = [(100.0, "GPU reset begin!"), (99.9, "GPU reset(1) succeeded!")];
        assert!(found(&signature, &lines).is_some());
    }

    #[test]
    fn a_count_has_a_window_of_its_own() {
        let three = "[[step]]\nname = \"a\"\nevent = \"ring-timeout\"\ncount = { min = 3, within = \"10s\" }\n";
        let timeouts = |times: &[f64]| {
            let timeout = |at: &f64| (*at, "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3");
            times.iter().map(timeout).collect::<Vec<_>>()
        };
        assert_eq!(found(three, &timeouts(&[1.0, 20.0, 25.0, 30.0])), Some((3, None)));
        assert_eq!(found(three, &timeouts(&[1.0, 9.0, 20.0, 28.0])), None);
        assert_eq!(found(three, &timeouts(&[1.0, 5.0, 11.0, 40.0])), Some((4, None)));
    }

    #[test]
    fn same_ties_a_field_to_the_step_before() {
        let signature = "[[step]]\nname = \"a\"\nevent = \"ring-timeout\"\n[[step]]\nname = \"b\"\nevent = \"ring-reset-failed\"\nsame = [\"ring\"]\n";
        let timeout = (10.0, "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3");
        assert!(found(signature, &[timeout, (11.0, "Ring gfx_0.0.0 reset failed")]).is_some());
        assert!(found(signature, &[timeout, (11.0, "Ring sdma0 reset failed")]).is_none());
    }
}
