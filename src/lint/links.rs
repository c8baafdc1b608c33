//! Signatures that suppress or outrank each other in a cycle, and advice that is not used.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{Issue, LintLevel, Spot, Subject};
use crate::pattern::signature::{Scope, Signature};

pub(super) fn look(subject: &Subject<'_>, found: &mut Vec<Issue>) {
    let all = &subject.patterns.signatures;
    let unless = |signature: &Signature| signature.unless.clone();
    circles(subject, LintLevel::Error, ("unless", "keep each other still"), &unless, found);
    let leads = |signature: &Signature| {
        // A conditional `leads` may keep a cycle from closing.
        let leads = signature.leads.iter().filter(|lead| lead.when.is_none());
        leads.map(|lead| lead.over.clone()).collect()
    };
    circles(subject, LintLevel::Error, ("leads", "each lead over the next one"), &leads, found);
    for signature in subject.signatures() {
        let leads = signature.leads.iter().map(|lead| ("leads", &lead.over));
        for (key, other) in signature.unless.iter().map(|id| ("unless", id)).chain(leads) {
            let other = all.iter().find(|known| known.id == *other);
            if let Some(other) = other.filter(|other| !meet(signature.scope, other.scope)) {
                let what = format!(
                    "`{key}` names `{}`, whose scope is {}: the two are never compared",
                    other.id,
                    other.scope.name()
                );
                let spot = Spot::Key(key);
                found.push(Issue::new(LintLevel::Warning, "dead-link", &signature.id, spot, what));
            }
        }
    }
    let of_signatures = all.iter().flat_map(|one| &one.actions).map(|action| &action.advice);
    let used = of_signatures.chain(subject.patterns.machines.advice());
    let used: BTreeSet<&str> = used.map(String::as_str).collect();
    for advice in subject.patterns.advice.iter().skip(subject.known_advice) {
        if !used.contains(advice.id.as_str()) {
            let what = "no signature and no state of a machine gives this advice";
            found.push(Issue::new(LintLevel::Warning, "unused", &advice.id, Spot::Whole, what));
        }
    }
}

/// Whether signatures of two scopes are compared with the same events.
fn meet(one: Scope, other: Scope) -> bool {
    one == other || one == Scope::Either || other == Scope::Either
}

/// Reports each cycle once, at its first signature.
fn circles(
    subject: &Subject<'_>,
    gravity: LintLevel,
    (key, what): (&'static str, &str),
    next: &dyn Fn(&Signature) -> Vec<String>,
    found: &mut Vec<Issue>,
) {
    let all = &subject.patterns.signatures;
    let edges: BTreeMap<&str, Vec<String>> =
        all.iter().map(|one| (one.id.as_str(), next(one))).collect();
    let mut told: BTreeSet<Vec<String>> = BTreeSet::new();
    for signature in subject.signatures() {
        let Some(circle) = circle(&signature.id, &edges) else { continue };
        let mut members = circle.clone();
        members.sort();
        if told.insert(members) {
            let sentence = if circle.len() == 1 {
                format!("`{key}` names the signature itself")
            } else {
                format!("these signatures {what}: {}", circle.join(", "))
            };
            found.push(Issue::new(gravity, "circle", &signature.id, Spot::Key(key), sentence));
        }
    }
}

/// The shortest path from `id` back to itself.
fn circle(id: &str, edges: &BTreeMap<&str, Vec<String>>) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![id.to_owned()]]);
    let mut seen: BTreeSet<String> = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        let next = way.last().and_then(|last| edges.get(last.as_str()));
        for other in next.into_iter().flatten() {
            if other == id {
                return Some(way);
            }
            if seen.insert(other.clone()) {
                ways.push_back(way.iter().chain([other]).cloned().collect());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_cycle_is_reported() {
        let to = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>();
        let edges = BTreeMap::from([
            ("a", to(&["b", "d"])),
            ("b", to(&["c"])),
            ("c", to(&["a"])),
            ("d", to(&["a", "d"])),
            ("e", to(&["a"])),
        ]);
        for (id, want) in [
            ("a", Some(to(&["a", "d"]))),
            ("b", Some(to(&["b", "c", "a"]))),
            ("d", Some(to(&["d"]))),
            ("e", None),
            ("f", None),
        ] {
            assert_eq!(circle(id, &edges), want, "{id}");
        }
    }
}
