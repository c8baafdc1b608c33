//! Steps and nevers that can never match, or that are placed relative to something that never
//! occurs.

use super::dead::{ProducedFields, contradiction};
use super::{Issue, LintLevel, Spot};
use crate::kind::Kind;
use crate::pattern::constraint::Condition;
use crate::pattern::signature::{EventMatcher, IfUnknown, Scope, Signature, Step};

pub(super) fn look(signature: &Signature, printed: &ProducedFields, found: &mut Vec<Issue>) {
    for (index, step) in signature.steps.iter().enumerate() {
        let in_incident = signature.scope == Scope::Incident && !step.whole_boot;
        let spot = Spot::Table("step", index);
        let gravity = if step.optional { LintLevel::Warning } else { LintLevel::Error };
        let what = format!("step `{}`", step.name);
        events(signature, (&what, spot), gravity, &step.wanted, (printed, in_incident), found);
        placed(signature, index, step, found);
    }
    for (index, never) in signature.nevers.iter().enumerate() {
        let spot = Spot::Table("never", index);
        let what = format!("`{}`", never.name);
        events(
            signature,
            (&what, spot),
            LintLevel::Warning,
            &never.wanted,
            (printed, false),
            found,
        );
        if let IfUnknown::Needs(name) = &never.unknown
            && signature.step(name).is_some_and(|step| !step.optional)
        {
            let what = format!("`{}` needs step `{name}`, which is always there", never.name);
            found.push(Issue::new(LintLevel::Warning, "always-so", &signature.id, spot, what));
        }
    }
    for name in conditions(signature).into_iter().filter_map(unknown) {
        let never = signature.nevers.iter().position(|never| never.name == *name);
        let rejects = |at: &usize| signature.nevers[*at].unknown == IfUnknown::Reject;
        if let Some(index) = never.filter(rejects) {
            let what = format!(
                "the condition `unknown {name}` is never true: where it is unknown whether `{name}` \
                 occurred, the signature does not match"
            );
            let spot = Spot::Table("never", index);
            found.push(Issue::new(LintLevel::Warning, "never-holds", &signature.id, spot, what));
        }
    }
}

/// Reports demands that no event can meet.
fn events(
    signature: &Signature,
    (what, spot): (&str, Spot),
    gravity: LintLevel,
    wanted: &EventMatcher,
    (printed, in_incident): (&ProducedFields, bool),
    found: &mut Vec<Issue>,
) {
    let mut alive = false;
    let mut dead: Vec<String> = Vec::new();
    for one in std::iter::once(wanted).chain(&wanted.or) {
        if let Some(field) = contradiction(one) {
            dead.push(format!("what it wants of `{field}` contradicts itself"));
            continue;
        }
        let of = |kind: &Kind| printed.never(*kind, one, in_incident);
        let reasons: Vec<Option<String>> = one.kinds.iter().map(of).collect();
        alive |= reasons.iter().any(Option::is_none);
        dead.extend(reasons.into_iter().flatten());
    }
    if dead.is_empty() {
        return;
    }
    dead.dedup();
    let reasons = dead.join("; ");
    let (gravity, rule, what) = if alive {
        (LintLevel::Warning, "partly-dead", format!("a part of {what} can never match: {reasons}"))
    } else {
        (gravity, "never-matches", format!("{what} can never match: {reasons}"))
    };
    found.push(Issue::new(gravity, rule, &signature.id, spot, what));
}

/// Reports placements that have no effect, or refer to something that never occurs.
fn placed(signature: &Signature, index: usize, step: &Step, found: &mut Vec<Issue>) {
    let spot = Spot::Table("step", index);
    let mut say = |gravity, rule, what: String| {
        found.push(Issue::new(gravity, rule, &signature.id, spot, what));
    };
    let name = &step.name;
    let other = step.window.after.as_ref().or(step.window.before.as_ref());
    let place = other.and_then(|other| signature.steps.iter().position(|s| s.name == *other));
    if let Some((at, other)) = place.and_then(|at| Some((at, signature.steps.get(at)?))) {
        if at == index {
            say(LintLevel::Error, "circle", format!("step `{name}` is tied to itself"));
        } else if step.optional && leads_back(signature, index) {
            let what = format!("step `{name}` is placed by `{}`, and that by it", other.name);
            say(LintLevel::Error, "circle", what);
        } else if step.optional && other.optional && !other.whole_boot && at > index {
            let what = format!(
                "step `{name}` is never there: it is placed by `{}`, which is optional and looked \
                 for later",
                other.name
            );
            say(LintLevel::Error, "never-matches", what);
        } else if other.whole_boot && !step.whole_boot {
            let what = format!(
                "step `{name}` is placed by `{}`, which reaches over the boot and has no place",
                other.name
            );
            say(LintLevel::Error, "no-place", what);
        }
        return;
    }
    let mandatory = |other: &&Step| !other.optional && !other.whole_boot;
    let is_first = signature.steps.iter().find(mandatory).is_some_and(|first| first.name == *name);
    let unplaced = (step.optional || is_first) && !step.whole_boot;
    if unplaced && step.window.within.is_some() {
        let what = format!("`within` of step `{name}` is measured from nothing");
        say(LintLevel::Warning, "no-place", what);
    }
    for (key, fields) in [("same", &step.same), ("differs", &step.differs)] {
        if is_first && !fields.is_empty() {
            let what = format!("`{key}` of step `{name}` is tied to nothing");
            say(LintLevel::Warning, "no-place", what);
        }
    }
}

/// Whether following the placement of optional steps leads back to the step at `index`.
fn leads_back(signature: &Signature, index: usize) -> bool {
    let mut at = index;
    for _ in 0..signature.steps.len() {
        let step = signature.steps.get(at);
        let named = step.and_then(|s| s.window.after.as_ref().or(s.window.before.as_ref()));
        let next = named.and_then(|name| signature.steps.iter().position(|s| s.name == *name));
        match next {
            Some(next) if next == index => return true,
            Some(next) => at = next,
            None => return false,
        }
    }
    false
}

fn conditions(signature: &Signature) -> Vec<&Condition> {
    let reasons = signature.confidence.reasons.iter().map(|reason| &reason.when);
    let actions = signature.actions.iter().filter_map(|action| action.when.as_ref());
    let unsaid = signature.unsaid.iter().filter_map(|unsaid| unsaid.when.as_ref());
    let leads = signature.leads.iter().filter_map(|lead| lead.when.as_ref());
    let severity = signature.severity_if.iter().map(|other| &other.when);
    let cause = signature.cause_if.iter().map(|other| &other.when);
    let certainty = &signature.less_certain;
    let unjudged = signature.unjudged_if.as_ref();
    reasons
        .chain(actions)
        .chain(unsaid)
        .chain(leads)
        .chain(severity)
        .chain(cause)
        .chain(certainty)
        .chain(unjudged)
        .collect()
}

/// The never that a condition refers to.
fn unknown(condition: &Condition) -> Option<&String> {
    match condition {
        Condition::Unknown(name) => Some(name),
        Condition::All(all) => all.iter().find_map(unknown),
        _ => None,
    }
}
