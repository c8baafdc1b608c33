//! The order in which the diagnoses of an incident are shown: cause before consequence.

use crate::pattern::signature::Role;
use crate::record::Stamp;
use crate::value::Micros;

use super::Hit;
use super::confidence::{Circumstances, holds};

/// Causes that begin within this span are ordered by the order of blame, not by time.
const TOGETHER: Micros = Micros::seconds(2);

/// Where a diagnosis begins.
#[derive(Clone, Copy)]
struct Start {
    sequence: u64,
    stamp: Stamp,
    /// How much later the line is than what it reports.
    lead: Micros,
}

/// The order of `hits` and the part each plays in it.
#[must_use]
pub(crate) fn ranked(hits: &[Hit<'_>], conditions: &Circumstances) -> Vec<(usize, Role)> {
    let starts: Vec<Start> = hits.iter().map(start).collect();
    let Some(head) = head(hits, &starts) else { return Vec::new() };
    let mut order: Vec<usize> = (0..hits.len()).filter(|index| *index != head).collect();
    order.sort_by_key(|index| {
        (role(hits, *index, false), sequence(&starts, *index), blame(hits, *index))
    });
    order.insert(0, head);
    lead_over(hits, &mut order, conditions);
    order
        .iter()
        .enumerate()
        .map(|(place, index)| (*index, role(hits, *index, place == 0)))
        .collect()
}

/// Why one diagnosis stands before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Its signature leads over the other one, or over one that stands between them.
    Leads,
    /// The part that it plays, and the other one's.
    Role(Role, Role),
    /// It begins so much earlier; in an earlier line where that cannot be told.
    Earlier(Option<Micros>),
    /// Both begin together, and its number of blame is lower than the other one's.
    Blame(i64, i64),
}

/// Why the hit at `first` stands before the one at `second`, both of which [`ranked`] put in order.
pub(crate) fn ahead(
    hits: &[Hit<'_>],
    (first, second): (usize, usize),
    conditions: &Circumstances,
) -> Ahead {
    let starts: Vec<Start> = hits.iter().map(start).collect();
    let leads_over = |a: usize, b: usize| {
        hits.get(a).zip(hits.get(b)).is_some_and(|(a, b)| {
            let fits = |when: &Option<_>| {
                when.as_ref().is_none_or(|when| holds(when, &a.found, conditions))
            };
            let mut leads = a.signature.leads.iter();
            leads.any(|lead| lead.over == b.signature.id && fits(&lead.when))
        })
    };
    if leads_over(first, second) {
        return Ahead::Leads;
    }
    let is_head = head(hits, &starts) == Some(first);
    let roles = (role(hits, first, is_head), role(hits, second, is_head));
    let span = starts.get(first).zip(starts.get(second)).and_then(|(a, b)| between(a, b));
    let together = span.is_some_and(|span| span.0.abs() <= TOGETHER.0);
    let (lower, higher) = (blame(hits, first), blame(hits, second));
    let sooner = earlier(&starts, first, second).is_lt();
    match (roles.0.cmp(&roles.1), is_head) {
        (std::cmp::Ordering::Less, _) => Ahead::Role(roles.0, roles.1),
        (std::cmp::Ordering::Greater, _) => Ahead::Leads,
        (std::cmp::Ordering::Equal, true) if together && lower < higher => {
            Ahead::Blame(lower, higher)
        }
        (std::cmp::Ordering::Equal, true) => Ahead::Earlier(span),
        (std::cmp::Ordering::Equal, false) => {
            match sequence(&starts, first).cmp(&sequence(&starts, second)) {
                std::cmp::Ordering::Less => Ahead::Earlier(span.filter(|_| sooner)),
                std::cmp::Ordering::Equal if lower < higher => Ahead::Blame(lower, higher),
                std::cmp::Ordering::Equal => Ahead::Earlier(None),
                std::cmp::Ordering::Greater => Ahead::Leads,
            }
        }
    }
}

fn start(hit: &Hit<'_>) -> Start {
    let mandatory = hit.signature.steps.iter().filter(|step| !step.optional && !step.whole_boot);
    let first = mandatory
        .filter_map(|step| hit.found.steps.get(step.name.as_str())?.first())
        .min_by_key(|observed| observed.sequence);
    Start {
        sequence: first.map_or(u64::MAX, |observed| observed.sequence),
        stamp: first.map(|observed| observed.stamp).unwrap_or_default(),
        lead: hit.signature.lead,
    }
}

fn role(hits: &[Hit<'_>], index: usize, leads: bool) -> Role {
    let roles = hits.get(index).map(|hit| hit.signature.roles.as_slice()).unwrap_or_default();
    match roles {
        [first, ..] if leads => *first,
        [_, second, ..] => *second,
        // What stands before it may be no cause of it, but it came first.
        [] | [Role::RootCause] => Role::Context,
        [only] => *only,
    }
}

fn blame(hits: &[Hit<'_>], index: usize) -> i64 {
    hits.get(index).map_or(i64::MAX, |hit| hit.signature.blame)
}

fn sequence(starts: &[Start], index: usize) -> u64 {
    starts.get(index).map_or(u64::MAX, |start| start.sequence)
}

/// What broke first: of the diagnoses that can be a cause, or of all where none can, the earliest;
/// among those that begin together, the one nearest to the cause.
fn head(hits: &[Hit<'_>], starts: &[Start]) -> Option<usize> {
    let first_role = |index: &usize| role(hits, *index, true);
    let best = (0..hits.len()).map(|index| first_role(&index)).min()?;
    let contenders = || (0..hits.len()).filter(|index| first_role(index) == best);
    let earliest = contenders().min_by(|a, b| earlier(starts, *a, *b))?;
    let together = |index: &usize| {
        starts.get(earliest).zip(starts.get(*index)).is_some_and(|(first, other)| {
            between(first, other).is_some_and(|span| span.0.abs() <= TOGETHER.0)
                || *index == earliest
        })
    };
    contenders()
        .filter(together)
        .min_by_key(|index| (blame(hits, *index), sequence(starts, *index)))
}

fn earlier(starts: &[Start], a: usize, b: usize) -> std::cmp::Ordering {
    let (Some(first), Some(second)) = (starts.get(a), starts.get(b)) else {
        return a.cmp(&b);
    };
    match between(first, second) {
        Some(span) if span.0 != 0 => 0.cmp(&span.0),
        _ => first.sequence.cmp(&second.sequence),
    }
}

/// From what `first` reports to what `second` reports; `None` where only the order of lines is known.
fn between(first: &Start, second: &Start) -> Option<Micros> {
    let span = if first.sequence <= second.sequence {
        first.stamp.elapsed(&second.stamp)?
    } else {
        Micros(-second.stamp.elapsed(&first.stamp)?.0)
    };
    Some(Micros(span.0 - second.lead.0 + first.lead.0))
}

/// Moves each diagnosis that leads over another one before it.
fn lead_over(hits: &[Hit<'_>], order: &mut Vec<usize>, conditions: &Circumstances) {
    // Each pass can move each diagnosis once; a circle of leads ends with the passes.
    for _ in 0..order.len() {
        let mut moved = false;
        for (index, hit) in hits.iter().enumerate() {
            for lead in &hit.signature.leads {
                let applies =
                    lead.when.as_ref().is_none_or(|when| holds(when, &hit.found, conditions));
                let other = hits.iter().position(|other| other.signature.id == lead.over);
                let Some(other) = other.filter(|_| applies) else { continue };
                let place = |wanted| order.iter().position(|index| *index == wanted);
                if let (Some(from), Some(to)) = (place(index), place(other))
                    && from > to
                {
                    order.remove(from);
                    order.insert(to, index);
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
}
