//! Machine names, as the kernel prints them, of laptops and handhelds.

use serde::{Deserialize, Serialize};

use super::ChipFacts;
use crate::pattern::document::record;
use crate::pattern::glob::Glob;
use crate::value::{ChipFact, DeviceKind, HardwareClass, MachineForm};

record! {
    /// Names of machines of one form.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Model {
        /// The form.
        pub form: MachineForm,
        /// The names; `*` matches any characters.
        pub names: Vec<Glob> = required,
        /// Their source.
        pub source: String,
    }
}

/// The form of the machine with this name; `None` if no entry or contradicting ones match.
pub(super) fn form_of(models: &[Model], name: &str) -> Option<MachineForm> {
    let has_name = |model: &&Model| model.names.iter().any(|glob| glob.matches(name));
    let mut forms = models.iter().filter(has_name).map(|model| model.form);
    let first = forms.next()?;
    forms.all(|other| other == first).then_some(first)
}

/// The possible hardware classes of a GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Classes(u8);

impl Default for Classes {
    fn default() -> Self {
        Self::among(HardwareClass::ALL)
    }
}

impl Classes {
    fn among(classes: &[HardwareClass]) -> Self {
        Self(classes.iter().fold(0, |bits, class| bits | 1 << *class as u8))
    }

    /// An accelerator, for certain.
    pub(crate) fn accelerator() -> Self {
        Self::among(&[HardwareClass::Accelerator])
    }

    /// The classes that chip and machine do not rule out.
    pub(crate) fn of(
        facts: ChipFacts,
        kind: Option<DeviceKind>,
        machine: Option<MachineForm>,
    ) -> Self {
        use HardwareClass::{Accelerator, Apu, DesktopCard, Handheld, Laptop};
        let accelerator = facts.get(ChipFact::Accelerator);
        if accelerator == Some(true) {
            return Self::accelerator();
        }
        let elsewhere: &[HardwareClass] = match (machine, kind) {
            (Some(MachineForm::Laptop), _) => &[Laptop],
            (Some(MachineForm::Handheld), _) => &[Handheld],
            (Some(MachineForm::Desktop), Some(DeviceKind::Dgpu)) => &[DesktopCard],
            (Some(MachineForm::Desktop), Some(DeviceKind::Apu)) => &[Apu],
            (Some(MachineForm::Desktop), None) => &[DesktopCard, Apu],
            (None, Some(DeviceKind::Dgpu)) => &[DesktopCard, Laptop],
            (None, Some(DeviceKind::Apu)) => &[Apu, Laptop, Handheld],
            (None, None) => &[DesktopCard, Laptop, Handheld, Apu],
        };
        let perhaps: &[HardwareClass] = if accelerator.is_none() { &[Accelerator] } else { &[] };
        Self::among(&[elsewhere, perhaps].concat())
    }

    /// Whether it may be of one of these classes.
    pub(crate) fn may_be(self, wanted: &[HardwareClass]) -> bool {
        self.0 & Self::among(wanted).0 != 0
    }

    /// Whether it is certainly of one of these classes.
    pub(crate) fn is(self, wanted: &[HardwareClass]) -> bool {
        self.0 & !Self::among(wanted).0 == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_ruled_out_by_proof_only() {
        use HardwareClass::{Accelerator, Apu, DesktopCard, Handheld, Laptop};
        let nothing = ChipFacts::default();
        for (kind, machine, may, is) in [
            (None, None, &[Accelerator][..], &[][..]),
            (Some(DeviceKind::Dgpu), None, &[Laptop], &[DesktopCard, Laptop, Accelerator]),
            (
                Some(DeviceKind::Apu),
                Some(MachineForm::Handheld),
                &[Handheld],
                &[Handheld, Accelerator],
            ),
            (Some(DeviceKind::Apu), Some(MachineForm::Desktop), &[Apu], &[Apu, Accelerator]),
        ] {
            let classes = Classes::of(nothing, kind, machine);
            assert!(classes.may_be(may), "{kind:?} {machine:?}");
            assert_eq!(classes.is(is), !is.is_empty(), "{kind:?} {machine:?}");
        }
        let laptop = Classes::of(nothing, Some(DeviceKind::Dgpu), Some(MachineForm::Laptop));
        assert!(!laptop.may_be(&[DesktopCard, Handheld, Apu]));
    }
}
