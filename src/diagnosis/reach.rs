//! Caches lookups that are equal for every incident of a GPU in one boot: a log may have thousands
//! of incidents, and a boot hundreds of thousands of events.

use std::cell::{OnceCell, RefCell};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::Event;

/// Events of a whole boot, with cached lookups.
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// Sorted indices into the log's events.
    events: Vec<usize>,
    timeless: OnceCell<bool>,
    process: OnceCell<Option<String>>,
    /// The first known value of each field.
    said: RefCell<BTreeMap<String, Option<String>>>,
}

impl Reach {
    fn new(log: &Log, events: &[&Observed]) -> Self {
        let position = |observed: &&Observed| log.position(observed.sequence);
        Self { events: events.iter().filter_map(position).collect(), ..Self::default() }
    }

    /// Sorted indices into the log's events.
    pub(super) fn events(&self) -> &[usize] {
        &self.events
    }
}

/// The events of a step that matched, in order.
#[derive(Clone, Debug)]
pub(crate) enum Group<'l> {
    /// Events of the incident.
    Own(Vec<&'l Observed>),
    /// Events of the whole boot, shared by all its incidents.
    Boot(&'l Log, Rc<Reach>),
}

impl<'l> Group<'l> {
    /// The number of events.
    pub(crate) fn times(&self) -> usize {
        match self {
            Self::Own(events) => events.len(),
            Self::Boot(_, reach) => reach.events.len(),
        }
    }

    fn get(&self, place: usize) -> Option<&'l Observed> {
        match self {
            Self::Own(events) => events.get(place).copied(),
            Self::Boot(log, reach) => log.events.get(*reach.events.get(place)?),
        }
    }

    /// The first event, which determines the order of steps.
    pub(crate) fn first(&self) -> Option<&'l Observed> {
        self.get(0)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &'l Observed> {
        (0..self.times()).filter_map(|place| self.get(place))
    }

    /// Whether `event` is one of them.
    pub(super) fn has(&self, event: &Observed) -> bool {
        let (mut from, mut to) = (0, self.times());
        while from < to {
            let middle = from + (to - from) / 2;
            match self.get(middle).map(|observed| observed.sequence.cmp(&event.sequence)) {
                Some(Ordering::Equal) => return true,
                Some(Ordering::Less) => from = middle + 1,
                Some(Ordering::Greater) | None => to = middle,
            }
        }
        false
    }

    /// Whether one of them has no time.
    pub(super) fn has_timeless(&self) -> bool {
        let look = || self.iter().any(|observed| observed.stamp.is_timeless());
        match self {
            Self::Own(_) => look(),
            Self::Boot(_, reach) => *reach.timeless.get_or_init(look),
        }
    }

    /// The value of `field` in words, from the first event, or the first that has it and may be
    /// about the same thing: a sentence must not combine the ring of one event with the process of
    /// another. A read and a write of the same address are no access of one kind.
    pub(super) fn field_in_words(&self, field: &str) -> Option<String> {
        let first = self.first()?;
        let of_it = |observed: &&Observed| is_about_the_same(&first.event, &observed.event, field);
        let are_mixed = || {
            let mut values =
                self.iter().filter(of_it).filter_map(|observed| observed.event.field(field));
            let first = values.next();
            values.any(|value| Some(value) != first)
        };
        let look = || match field {
            "tried" if are_mixed() => None,
            _ => {
                self.iter().filter(of_it).find_map(|observed| observed.event.field_in_words(field))
            }
        };
        let Self::Boot(_, reach) = self else { return look() };
        reach.said.borrow_mut().entry(field.to_owned()).or_insert_with(look).clone()
    }

    /// The process from the first event that names one.
    pub(super) fn process(&self) -> Option<String> {
        let look = || self.iter().find_map(process);
        match self {
            Self::Own(_) => look(),
            Self::Boot(_, reach) => reach.process.get_or_init(look).clone(),
        }
    }
}

/// Whether no field that both events have differs, so that `wanted` may be taken from either. The
/// kind of an access belongs to its address.
fn is_about_the_same(first: &Event, other: &Event, wanted: &str) -> bool {
    const WHAT: [&str; 9] =
        ["ring", "vmid", "pasid", "process", "pid", "hub", "queue", "connector", "function"];
    const OF_THE_ACCESS: [&str; 3] = ["tried", "null", "emptied"];
    let address = OF_THE_ACCESS.contains(&wanted).then_some("address");
    // A status that was read as 0 says nothing about an access whose status is known.
    let status = (wanted == "emptied").then_some("status");
    WHAT.into_iter().chain(address).chain(status).all(|field| {
        first.field(field).zip(other.field(field)).is_none_or(|(one, another)| one == another)
    })
}

fn process(observed: &Observed) -> Option<String> {
    let name = observed.event.field_in_words("process")?;
    let pid = observed.event.field("pid");
    Some(pid.map_or_else(|| name.clone(), |pid| format!("{name} (pid {pid})")))
}

/// The ids of a signature and of a step or never.
type Name = (String, String);

/// Results for a GPU's boot that its incidents share. All lookups must use the same patterns,
/// because the keys are names.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    steps: RefCell<BTreeMap<Name, Option<Rc<Reach>>>>,
    nevers: RefCell<BTreeMap<Name, Rc<Reach>>>,
    unions: RefCell<Vec<Union>>,
}

/// Several sets of events, and their union.
type Union = (Vec<Rc<Reach>>, Rc<Reach>);

impl Remembered {
    /// The events of the step `name`, computed by `look` at the first lookup.
    pub(super) fn step<'l>(
        &self,
        log: &Log,
        (signature, name): (&str, &str),
        look: impl FnOnce() -> Option<Vec<&'l Observed>>,
    ) -> Option<Rc<Reach>> {
        let key = (signature.to_owned(), name.to_owned());
        let found = || look().map(|events| Rc::new(Reach::new(log, &events)));
        self.steps.borrow_mut().entry(key).or_insert_with(found).clone()
    }

    /// The events that `name` excludes, computed by `look` at the first lookup.
    pub(super) fn never<'l>(
        &self,
        log: &Log,
        (signature, name): (&str, &str),
        look: impl FnOnce() -> Vec<&'l Observed>,
    ) -> Rc<Reach> {
        let key = (signature.to_owned(), name.to_owned());
        let found = || Rc::new(Reach::new(log, &look()));
        Rc::clone(self.nevers.borrow_mut().entry(key).or_insert_with(found))
    }

    /// The union of `reaches`.
    pub(super) fn union(&self, reaches: &[Rc<Reach>]) -> Rc<Reach> {
        if let [only] = reaches {
            return Rc::clone(only);
        }
        let same = |known: &[Rc<Reach>]| {
            known.len() == reaches.len() && known.iter().zip(reaches).all(|(a, b)| Rc::ptr_eq(a, b))
        };
        let mut unions = self.unions.borrow_mut();
        if let Some((_, all)) = unions.iter().find(|(known, _)| same(known)) {
            return Rc::clone(all);
        }
        let mut events: Vec<usize> =
            reaches.iter().flat_map(|reach| &reach.events).copied().collect();
        events.sort_unstable();
        events.dedup();
        let all = Rc::new(Reach { events, ..Reach::default() });
        unions.push((reaches.to_vec(), Rc::clone(&all)));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;

    #[test]
    fn what_is_known_is_not_looked_for_again() {
        let log = log("\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   11.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
");
        let all: Vec<&Observed> = log.events.iter().collect();
        let remembered = Remembered::default();
        let of = |name: &str, events: &[&Observed]| {
            remembered.step(&log, ("id", name), || Some(events.to_vec())).unwrap()
        };
        let (first, both) = (of("first", &all[..1]), of("both", &all));
        assert!(Rc::ptr_eq(&first, &of("first", &[])));
        let union = remembered.union(&[Rc::clone(&first), Rc::clone(&both)]);
        assert_eq!(union.events(), [0, 1]);
        assert!(Rc::ptr_eq(&union, &remembered.union(&[Rc::clone(&first), both])));
        assert!(Rc::ptr_eq(&first, &remembered.union(&[Rc::clone(&first)])));
        let (own, boot) = (Group::Own(all[..1].to_vec()), Group::Boot(&log, first));
        assert_eq!(boot.field_in_words("ring"), own.field_in_words("ring"));
        assert_eq!((boot.field_in_words("ring"), boot.times()), (Some("gfx_0.0.0".to_owned()), 1));
    }
}
