//! Facts about chips, by family, and what several chips have in common.

use serde::{Deserialize, Serialize};

use crate::pattern::document::{Table, record};
use crate::pattern::source::{Noun, hint};
use crate::value::{AddressSpace, ChipFact, DeviceKind};

record! {
    /// Facts that the chips of a family share; `None` if not known.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Family {
        /// The name by which chips refer to it.
        pub name: String,
        /// The first vmid of the compute driver.
        pub first_compute_vmid: Option<u32>,
        /// Whether `amdgpu.user_queue=2` leaves all vmids but 0 to compute.
        pub user_queues_take_all: Option<bool>,
        /// Whether it has a graphics pipeline.
        pub graphics: Option<bool>,
        /// Whether it has a display engine.
        pub display: Option<bool>,
        /// Whether the chip can be divided into several GPUs.
        pub partitions: Option<bool>,
        /// Whether the copy engines use the hub of the video engines.
        pub copies_over_mmhub: Option<bool>,
        /// The facts that are explicitly unknown.
        pub unknown: Vec<String>,
        /// The sources of the facts.
        pub source: Vec<String> = required,
    }
    check
}

impl Family {
    /// The names of the facts, and whether each is given.
    fn given_facts(&self) -> [(&'static str, bool); 6] {
        [
            ("first_compute_vmid", self.first_compute_vmid.is_some()),
            ("user_queues_take_all", self.user_queues_take_all.is_some()),
            ("graphics", self.graphics.is_some()),
            ("display", self.display.is_some()),
            ("partitions", self.partitions.is_some()),
            ("copies_over_mmhub", self.copies_over_mmhub.is_some()),
        ]
    }

    /// Each fact must be given or listed as unknown.
    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::Family, "name");
        let told = self.given_facts();
        for (name, told) in told {
            let is_unknown = self.unknown.iter().any(|unknown| unknown == name);
            if told && is_unknown {
                table.mistake_at(
                    name,
                    true,
                    format!("`{name}` is given and also listed as unknown"),
                );
            } else if !told && !is_unknown {
                table.mistake(format!(
                    "`{name}` is missing; list it in `unknown` if it is not known"
                ));
            }
        }
        for node in table.items("unknown") {
            let Some(text) = node.text() else { continue };
            let names = || told.iter().map(|(name, _)| *name);
            if !names().any(|name| name == text) {
                node.mistake_with_hint(format!("`{text}` is no fact"), hint(text, names()));
            }
        }
    }
}

/// The lowest and highest possible number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bounds {
    least: u32,
    most: u32,
}

impl Bounds {
    fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// The facts about a chip, or those common to all possible chips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ChipFacts {
    /// The facts that are true, one bit each.
    holds: u8,
    /// The facts that are false.
    fails: u8,
    /// The first vmid of the compute driver.
    first_compute: Option<Bounds>,
    /// The same with `amdgpu.user_queue=2`.
    first_compute_with_user_queues: Option<Bounds>,
}

const fn bit(fact: ChipFact) -> u8 {
    1 << fact as u8
}

impl ChipFacts {
    /// The facts about a chip of this family and kind.
    pub(super) fn of(family: Option<&Family>, kind: DeviceKind) -> Self {
        let mut facts = Self::default().with(ChipFact::OwnMemory, Some(kind == DeviceKind::Dgpu));
        let Some(family) = family else { return facts };
        let accelerator = match (family.graphics, family.display) {
            (Some(true), _) | (_, Some(true)) => Some(false),
            (Some(false), Some(false)) => Some(true),
            (None | Some(false), None) | (None, Some(false)) => None,
        };
        facts = facts
            .with(ChipFact::Graphics, family.graphics)
            .with(ChipFact::Display, family.display)
            .with(ChipFact::Accelerator, accelerator)
            .with(ChipFact::Partitions, family.partitions)
            .with(ChipFact::CopiesOverMmhub, family.copies_over_mmhub);
        let first = family.first_compute_vmid;
        facts.first_compute = first.map(|first| Bounds { least: first, most: first });
        facts.first_compute_with_user_queues = first.map(|first| Bounds {
            least: if family.user_queues_take_all == Some(false) { first } else { 1 },
            most: if family.user_queues_take_all == Some(true) { 1 } else { first },
        });
        facts
    }

    fn with(mut self, fact: ChipFact, answer: Option<bool>) -> Self {
        match answer {
            Some(true) => self.holds |= bit(fact),
            Some(false) => self.fails |= bit(fact),
            None => {}
        }
        self
    }

    /// The same, if the kernel reports the kind of the GPU.
    pub(crate) fn of_kind(self, kind: Option<DeviceKind>) -> Self {
        let told = self.get(ChipFact::OwnMemory).is_some();
        self.with(ChipFact::OwnMemory, kind.filter(|_| !told).map(|kind| kind == DeviceKind::Dgpu))
    }

    /// Whether the chip has this; `None` if unknown.
    pub(crate) const fn get(self, fact: ChipFact) -> Option<bool> {
        if self.holds & bit(fact) != 0 {
            Some(true)
        } else if self.fails & bit(fact) != 0 {
            Some(false)
        } else {
            None
        }
    }

    /// The facts common to all; none if there are none.
    pub(super) fn agreed(mut all: impl Iterator<Item = Self>) -> Self {
        let Some(first) = all.next() else { return Self::default() };
        let both = |one: Option<Bounds>, other: Option<Bounds>| Some(one?.or(other?));
        all.fold(first, |one, other| Self {
            holds: one.holds & other.holds,
            fails: one.fails & other.fails,
            first_compute: both(one.first_compute, other.first_compute),
            first_compute_with_user_queues: both(
                one.first_compute_with_user_queues,
                other.first_compute_with_user_queues,
            ),
        })
    }

    /// The owner of `vmid`; `None` if it depends on the chip and the chip is not known well enough.
    /// `user_queues`: the driver has no queues of its own (`amdgpu.user_queue=2`).
    pub(crate) fn address_space(self, vmid: u32, user_queues: bool) -> Option<AddressSpace> {
        if vmid == 0 {
            return Some(AddressSpace::System);
        }
        let first =
            if user_queues { self.first_compute_with_user_queues } else { self.first_compute }?;
        if vmid < first.least {
            Some(AddressSpace::Jobs)
        } else if vmid >= first.most {
            Some(AddressSpace::Compute)
        } else {
            None
        }
    }
}
