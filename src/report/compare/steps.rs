//! What to do if the bad boot is worse.

use std::collections::BTreeSet;

use super::answer::has_more;
use crate::compare::{Comparison, MachineFact, Suspect};
use crate::pattern::instruction::Instruction;
use crate::pattern::machine::PackageKind;

/// Something that can be reverted, in the order of the advice.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reversible {
    Kernel,
    Driver,
    Firmware,
    Option,
    Software,
    Gpu,
}

impl Reversible {
    const fn of(suspect: &Suspect<'_, '_>) -> Self {
        match suspect {
            Suspect::Kernel(..) => Self::Kernel,
            Suspect::Firmware(..) => Self::Firmware,
            Suspect::Option(_) => Self::Option,
            Suspect::Driver(..) => Self::Driver,
            Suspect::Gpu(_) => Self::Gpu,
            Suspect::Machine(change) => match change.fact {
                MachineFact::Firmware(..) | MachineFact::Package(PackageKind::Firmware, _) => {
                    Self::Firmware
                }
                MachineFact::Package(PackageKind::Kernel, _) => Self::Kernel,
                MachineFact::Package(..)
                | MachineFact::VideoBios(_)
                | MachineFact::Rocm
                | MachineFact::Bios
                | MachineFact::Distribution => Self::Software,
            },
        }
    }

    const fn advice(self) -> &'static str {
        match self {
            Self::Kernel => {
                "Boot the kernel of GOOD and change nothing else. If the failure does not return, report \
                 it as a regression with both releases; `amdtriage explain bisect` says how."
            }
            Self::Driver => {
                "Boot with the driver of GOOD: with AMD's package (DKMS) or without it, as it was there."
            }
            Self::Firmware => {
                "Install the firmware package of GOOD, under the kernel of BAD; `amdtriage explain \
                 fw-rollback` says how."
            }
            Self::Option => "Boot BAD with the kernel parameters of GOOD.",
            Self::Software => {
                "Install the versions that GOOD had of the other packages that differ, one after the other."
            }
            Self::Gpu => "Put the card back into its old slot, and check the slot and the cables.",
        }
    }
}

/// What to do if something became worse.
pub(in crate::report) fn steps(comparison: &Comparison<'_>) -> Vec<Instruction> {
    if !has_more(comparison) {
        return Vec::new();
    }
    let all: Vec<Reversible> =
        comparison.suspects().map(|suspect| Reversible::of(&suspect)).collect();
    let levers: BTreeSet<Reversible> = all.iter().copied().collect();
    let options = all.iter().filter(|lever| **lever == Reversible::Option).count();
    let several = (levers.len() > 1 || options > 1).then_some(
        "Change one thing back at a time and repeat what made it fail. If you change several at once, \
         you cannot know which one helped.",
    );
    let last = if levers.is_empty() {
        "Check what a kernel log does not show: the versions of Mesa, ROCm, the firmware package and the \
         BIOS, and which programs ran. Also check whether GOOD still works when it runs longer."
    } else {
        "Try each state more than once: an intermittent failure can also stay away by chance."
    };
    let texts = several.into_iter().chain(levers.into_iter().map(Reversible::advice)).chain([last]);
    texts.filter_map(|text| Instruction::parse(text).ok()).collect()
}
