//! Orders the diagnoses of an incident: causes before consequences.

use std::cmp::Ordering;

use crate::event::Observed;
use crate::incident::cause::{can_cause, is_report_of_a_program};
use crate::pattern::signature::{Lead, Role};
use crate::record::Stamp;
use crate::value::Micros;

use super::confidence::{Circumstances, fits};
use super::hits::Hit;

/// Causes that begin within this time are ordered by `blame` and not by time.
const TOGETHER: Micros = Micros::seconds(2);
/// The same in lines, where they have no times.
const TOGETHER_IN_LINES: u64 = 8;

/// What is reported longer before a cause than this is not called its consequence: it is the longest
/// time, unless a parameter changes it, after which the driver reports that something does not
/// respond, a compute job.
///
/// Source: `amdgpu_device_get_job_timeout_settings` of `amdgpu_device.c`.
const LONGEST_WAIT: Micros = Micros::seconds(60);

/// A hit, and its first event.
struct Contender<'h> {
    index: usize,
    hit: &'h Hit<'h>,
    /// The first event without which it would not match.
    first: Option<&'h Observed>,
}

/// The order of `hits`, and the role of each.
pub(crate) fn ranked(hits: &[Hit<'_>], conditions: &Circumstances) -> Vec<(usize, Role)> {
    let all = contenders(hits);
    let Some(head) = head(&all) else { return Vec::new() };
    let mut order: Vec<&Contender<'_>> = all.iter().filter(|one| one.index != head.index).collect();
    order.sort_by_key(|one| (one.role(false), one.sequence(), one.blame()));
    order.insert(0, head);
    lead_over(&all, &mut order, conditions);
    let Some(first) = order.first() else { return Vec::new() };
    order.iter().map(|one| (one.index, one.role_after(first))).collect()
}

/// Why one diagnosis comes before another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ahead {
    /// Its signature `leads` over the other one, or over one between them.
    Leads,
    /// Its role, and the other one's.
    Role(Role, Role),
    /// It begins earlier by this time; `None` if only the order of lines is known.
    Earlier(Option<Micros>),
    /// The other one is a program's report of it.
    IsReported,
    /// Both begin together, and its `blame` is lower than the other one's.
    Blame(i64, i64),
}

/// Why the hit at `first` comes before the one at `second`, in an order by [`ranked`].
pub(crate) fn ahead(
    hits: &[Hit<'_>],
    (first, second): (usize, usize),
    conditions: &Circumstances,
) -> Ahead {
    let all = contenders(hits);
    let [one, other] = [first, second].map(|index| match all.get(index) {
        Some(contender) => contender,
        None => unreachable!("both indices come from the order of these hits"),
    });
    if one.leads_over(other, conditions) {
        return Ahead::Leads;
    }
    if other.reports(one) {
        return Ahead::IsReported;
    }
    let is_head = head(&all).is_some_and(|head| head.index == first);
    let roles =
        (one.role(is_head), if is_head { other.role_after(one) } else { other.role(false) });
    let span = one.until(other);
    let blame = (one.blame(), other.blame());
    let by_blame = (blame.0 < blame.1).then_some(Ahead::Blame(blame.0, blame.1));
    match (roles.0.cmp(&roles.1), is_head, one.sequence().cmp(&other.sequence())) {
        (Ordering::Less, ..) => Ahead::Role(roles.0, roles.1),
        (Ordering::Greater, ..) | (Ordering::Equal, false, Ordering::Greater) => Ahead::Leads,
        (Ordering::Equal, true, _) => {
            by_blame.filter(|_| one.begins_together_with(other)).unwrap_or(Ahead::Earlier(span))
        }
        (Ordering::Equal, false, Ordering::Less) => {
            Ahead::Earlier(span.filter(|_| one.begins(other).is_lt()))
        }
        (Ordering::Equal, false, Ordering::Equal) => by_blame.unwrap_or(Ahead::Earlier(None)),
    }
}

fn contenders<'h>(hits: &'h [Hit<'h>]) -> Vec<Contender<'h>> {
    let contender = |(index, hit): (usize, &'h Hit<'h>)| {
        let mandatory = hit.signature.steps.iter().filter(|step| step.is_placed());
        let first = mandatory
            .filter_map(|step| hit.found.steps.get(step.name.as_str())?.first())
            .min_by_key(|observed| observed.sequence);
        Contender { index, hit, first }
    };
    hits.iter().enumerate().map(contender).collect()
}

impl Contender<'_> {
    fn role(&self, leads: bool) -> Role {
        match self.hit.signature.roles.as_slice() {
            [first, ..] if leads => *first,
            [_, second, ..] => *second,
            // An earlier diagnosis need not be a cause of it, but it came first.
            [] | [Role::RootCause] => Role::Context,
            [only] => *only,
        }
    }

    fn sequence(&self) -> u64 {
        self.first.map_or(u64::MAX, |observed| observed.sequence)
    }

    fn stamp(&self) -> Stamp {
        self.first.map(|observed| observed.stamp).unwrap_or_default()
    }

    fn blame(&self) -> i64 {
        self.hit.signature.blame
    }

    /// Whether its signature `leads` over that of `other`.
    fn leads_over(&self, other: &Self, conditions: &Circumstances) -> bool {
        let is_in_time = |lead: &Lead| {
            lead.within.is_none_or(|limit| other.until(self).is_some_and(|span| span.0 <= limit.0))
        };
        let mut leads = self.hit.signature.leads.iter();
        leads.any(|lead| {
            lead.over == other.hit.signature.id
                && fits(lead.when.as_ref(), &self.hit.found, conditions)
                && is_in_time(lead)
        })
    }

    /// The time from what this one reports to what `other` reports; `None` if only the order of
    /// lines is known. A line may report something older than itself.
    fn until(&self, other: &Self) -> Option<Micros> {
        let span = if self.sequence() <= other.sequence() {
            self.stamp().elapsed(&other.stamp())?
        } else {
            Micros(-other.stamp().elapsed(&self.stamp())?.0)
        };
        Some(Micros(span.0 - other.hit.signature.lead.0 + self.hit.signature.lead.0))
    }

    /// Whether it is only a program's report of a failure that `other` shows in the kernel: such a
    /// report comes after its subject, wherever its line is.
    fn reports(&self, other: &Self) -> bool {
        self.first.zip(other.first).is_some_and(|(report, cause)| {
            is_report_of_a_program(report)
                && !is_report_of_a_program(cause)
                && can_cause(cause.event.kind(), report)
        })
    }

    /// Its role behind `head`, or as the head.
    fn role_after(&self, head: &Self) -> Role {
        let role = self.role(self.index == head.index);
        let is_too_early = || self.until(head).is_some_and(|span| span.0 > LONGEST_WAIT.0);
        let is_summed_up = || head.hit.signature.sums_up && self.begins(head) == Ordering::Less;
        match role {
            Role::Consequence if self.index != head.index && is_too_early() => Role::Context,
            Role::Consequence if self.index != head.index && is_summed_up() => Role::Mechanism,
            Role::RootCause | Role::Mechanism | Role::Consequence | Role::Context => role,
        }
    }

    /// The order of the beginnings of both.
    fn begins(&self, other: &Self) -> Ordering {
        match self.until(other) {
            Some(span) if span.0 != 0 => 0.cmp(&span.0),
            _ => self.sequence().cmp(&other.sequence()),
        }
    }

    /// Without times, the lines of a start that the driver gives up stand together.
    fn begins_together_with(&self, other: &Self) -> bool {
        self.until(other).map_or_else(
            || {
                let lines = self.sequence().abs_diff(other.sequence());
                other.hit.signature.sums_up && lines <= TOGETHER_IN_LINES
            },
            |span| span.0.abs() <= TOGETHER.0,
        )
    }
}

/// The first failure: of the possible causes (or of all, if there is none), the earliest; among
/// those that begin together, the one with the lowest `blame`.
fn head<'c, 'h>(all: &'c [Contender<'h>]) -> Option<&'c Contender<'h>> {
    let best = all.iter().map(|one| one.role(true)).min()?;
    let is_report = |one: &&Contender<'_>| all.iter().any(|other| one.reports(other));
    let (reports, others): (Vec<_>, Vec<_>) =
        all.iter().filter(|one| one.role(true) == best).partition(is_report);
    let contenders = if others.is_empty() { reports } else { others };
    let earliest = *contenders.iter().min_by(|a, b| a.begins(b))?;
    contenders
        .into_iter()
        .filter(|one| one.index == earliest.index || earliest.begins_together_with(one))
        .min_by_key(|one| (one.blame(), one.sequence()))
}

/// Moves each diagnosis before those that it `leads` over.
fn lead_over<'c>(
    all: &[Contender<'_>],
    order: &mut Vec<&'c Contender<'c>>,
    conditions: &Circumstances,
) {
    // Each pass can move each diagnosis once; the number of passes limits cycles.
    for _ in 0..order.len() {
        let mut moved = false;
        for one in all {
            for other in all.iter().filter(|other| one.leads_over(other, conditions)) {
                let place = |of: &Contender<'_>| order.iter().position(|it| it.index == of.index);
                if let (Some(from), Some(to)) = (place(one), place(other))
                    && from > to
                {
                    let leading = order.remove(from);
                    order.insert(to, leading);
                    moved = true;
                }
            }
        }
        if !moved {
            break;
        }
    }
}
