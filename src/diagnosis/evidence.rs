//! The events that prove a diagnosis.

use std::rc::Rc;

use crate::event::Observed;

use super::reach::{Group, Reach, Remembered};
use super::sequence::Match;
use super::survey::Stream;

/// The number of events at either end that a step with the reach of the whole boot keeps as
/// evidence, in addition to the incident's own: otherwise each of thousands of incidents would keep
/// the events of all others.
pub(super) const AROUND: usize = 64;

/// The evidence for these steps, as sorted indices into the log's events, and the total number of
/// events: `own` are the incident's; of many others, the first and last [`AROUND`] are kept.
pub(super) fn evidence(
    found: &Match<'_>,
    wanted: impl Fn(&str) -> bool,
    own: &[usize],
    stream: Stream<'_>,
) -> (Vec<usize>, usize) {
    let mut near = Vec::new();
    let mut reaches: Vec<Rc<Reach>> = Vec::new();
    for (_, group) in found.steps.iter().filter(|(name, _)| wanted(name)) {
        match group {
            Group::Own(events) => {
                let position = |observed: &&Observed| stream.log().position(observed.sequence);
                near.extend(events.iter().filter_map(position));
            }
            Group::Boot(_, reach) => reaches.push(Rc::clone(reach)),
        }
    }
    near.sort_unstable();
    near.dedup();
    let fresh = Remembered::default();
    let whole = stream.remembered().unwrap_or(&fresh).union(&reaches);
    bounded(near, whole.events(), own)
}

/// The events in `near` and `whole`, and their number; of those not in `own`, only the first and
/// last. Only the ends of `whole` are examined.
fn bounded(near: Vec<usize>, whole: &[usize], own: &[usize]) -> (Vec<usize>, usize) {
    let is_far = |at: &usize| whole.binary_search(at).is_ok();
    let all = whole.len() + near.iter().filter(|at| !is_far(at)).count();
    let mut shown = near;
    // This many events at each end include enough that are not the incident's own.
    let edge = AROUND + own.len();
    if whole.len() > 2 * edge {
        shown.extend(own.iter().copied().filter(is_far));
        shown.extend(whole.iter().take(edge));
        shown.extend(whole.iter().rev().take(edge));
    } else {
        shown.extend(whole);
    }
    shown.sort_unstable();
    shown.dedup();
    let is_own = |at: &usize| own.binary_search(at).is_ok();
    let around = shown.iter().filter(|at| !is_own(at)).count();
    if around > 2 * AROUND {
        let mut place = 0;
        shown.retain(|at| {
            let kept = is_own(at);
            place += usize::from(!kept);
            kept || place <= AROUND || place > around - AROUND
        });
        shown.shrink_to_fit();
    }
    (shown, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same result by examining everything.
    fn plainly(near: &[usize], whole: &[usize], own: &[usize]) -> (Vec<usize>, usize) {
        let mut all: Vec<usize> = near.iter().chain(whole).copied().collect();
        all.sort_unstable();
        all.dedup();
        let others: Vec<usize> = all.iter().copied().filter(|at| !own.contains(at)).collect();
        let ends = others.iter().take(AROUND).chain(others.iter().rev().take(AROUND));
        let ends: Vec<usize> = ends.copied().collect();
        let shown = all.iter().copied().filter(|at| own.contains(at) || ends.contains(at));
        (shown.collect(), all.len())
    }

    #[test]
    fn the_ends_are_the_same_as_if_all_were_looked_at() {
        let every = |step: usize, until: usize| (0..until).step_by(step).collect::<Vec<_>>();
        for whole in [vec![], every(1, 10), every(1, 128), every(1, 129), every(2, 900)] {
            for own in [vec![], vec![3, 4, 5], every(1, 70), (400..500).collect()] {
                for near in [vec![], vec![4], own.clone(), every(3, 900)] {
                    let want = plainly(&near, &whole, &own);
                    assert_eq!(bounded(near.clone(), &whole, &own), want, "{near:?} {own:?}");
                }
            }
        }
    }
}
