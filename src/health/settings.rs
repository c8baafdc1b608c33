//! Driver parameters: their configured and current values, and their meaning.

use std::collections::BTreeMap;

use super::{Judge, Occurrence};
use crate::decode::params::{MaskReading, kernel_number, named_mask_reading};
use crate::host::Setting;
use crate::pattern::machine::{Condition, State};

impl<'j> Judge<'j> {
    pub(super) fn settings(&mut self) {
        // The last setting of a name counts.
        let module = &self.host.module;
        let last: BTreeMap<&str, &Setting> =
            module.settings.iter().map(|setting| (setting.name.as_str(), setting)).collect();
        let mut wanted: Vec<&Setting> = Vec::new();
        for setting in &module.settings {
            if self.has_parameter(&setting.name) == Some(false) {
                self.unknown(setting);
            } else if last.get(setting.name.as_str()).is_some_and(|one| *one == setting) {
                wanted.push(setting);
            }
        }
        for setting in wanted {
            self.other_value(setting);
        }
        self.values(&last);
        self.masks();
    }

    /// Whether the driver has a parameter. A loaded module lists all it has; the table applies to
    /// the kernel's own driver.
    pub(super) fn has_parameter(&self, name: &str) -> Option<bool> {
        let module = &self.host.module;
        if module.parameters.contains_key(name) {
            return Some(true);
        }
        let kernel = self.host.kernel.version();
        let known = self.patterns.hardware.parameter(name);
        let by_table = known.and_then(|parameter| parameter.exists_in(kernel));
        match by_table {
            Some(exists) => Some(exists),
            None if !module.parameters.is_empty() => Some(false),
            None => None,
        }
    }

    fn unknown(&mut self, setting: &Setting) {
        let known = self.patterns.hardware.parameter(&setting.name);
        let instead = known.and_then(|parameter| parameter.instead.clone());
        let found = self
            .of_parameter(&setting.name)
            .value("place", &setting.place)
            .value_if_known("instead", instead)
            .evidence(setting.place.to_string(), written(setting));
        self.add_all(Condition::UnknownParameter, &found);
    }

    fn of_parameter(&self, name: &str) -> Occurrence {
        let note = self.patterns.hardware.parameter(name).and_then(|it| it.note.as_ref());
        Occurrence::default().named("parameter", name).value_if_known("note", note)
    }

    fn other_value(&mut self, setting: &Setting) {
        let value = self.host.module.value(&setting.name);
        let Some((wanted, value)) = setting.value.as_deref().zip(value) else { return };
        if same(wanted, value) {
            return;
        }
        let found = self
            .of_parameter(&setting.name)
            .value("place", &setting.place)
            .named("wanted", wanted)
            .named("value", value)
            .evidence(setting.place.to_string(), written(setting))
            .evidence(in_force(&setting.name), value);
        self.add_all(Condition::OtherValue, &found);
    }

    /// The states about a parameter with this condition, each with the current value.
    fn parameters(&self, when: Condition) -> Vec<(&'j State, &'j str, &'j str)> {
        let module = &self.host.module;
        let in_force = |state: &'j State| {
            let name = state.parameter.as_deref()?;
            Some((state, name, module.value(name)?))
        };
        self.states(when).filter_map(in_force).collect()
    }

    fn values(&mut self, last: &BTreeMap<&str, &Setting>) {
        for (state, name, value) in self.parameters(Condition::Parameter) {
            if state.values.iter().any(|one| same(one, value)) {
                let found = self
                    .of_parameter(name)
                    .named("value", value)
                    .value_if_known("place", last.get(name).map(|setting| &setting.place))
                    .evidence(in_force(name), value);
                self.add(&state.about, found);
            }
        }
    }

    fn masks(&mut self) {
        let kernel = self.host.kernel.version();
        for (state, name, value) in self.parameters(Condition::Mask) {
            let mask = named_mask_reading(&self.patterns.hardware, name, value, kernel);
            let Some(mask) = mask else { continue };
            let (added, cleared) = changed(&mask, &state.flags);
            if added.is_some() || cleared.is_some() {
                let found = self
                    .of_parameter(name)
                    .value("value", format!("{:#x}", mask.value))
                    .value_if_known("added", added)
                    .value_if_known("cleared", cleared)
                    .evidence(in_force(name), value);
                self.add(&state.about, found);
            }
        }
    }
}

/// The names of the bits that were added and cleared, restricted to `flags` if it is not empty.
fn changed(mask: &MaskReading<'_>, flags: &[String]) -> (Option<String>, Option<String>) {
    let counts = |name: &String| flags.is_empty() || flags.contains(name);
    let names = |bits: &[&crate::pattern::hardware::MaskBit]| {
        let names: Vec<&str> = bits
            .iter()
            .map(|bit| &bit.name)
            .filter(|name| counts(name))
            .map(String::as_str)
            .collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    (names(&mask.added), names(&mask.cleared))
}

fn in_force(name: &str) -> String {
    format!("/sys/module/amdgpu/parameters/{name}")
}

fn written(setting: &Setting) -> String {
    match &setting.value {
        Some(value) => format!("{}={value}", setting.name),
        None => setting.name.clone(),
    }
}

/// Whether two texts are the same value of a parameter. The kernel accepts numbers in several bases
/// and prints them in one; it prints switches as `Y` or `N`.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.trim_matches('"') == other.trim_matches('"'),
    }
}

/// A 32-bit number; -1 has all bits set.
fn number(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "y" | "yes" | "on" | "true" => return Some(1),
        "n" | "no" | "off" | "false" => return Some(0),
        _ => {}
    }
    match text.strip_prefix('-') {
        Some(digits) => kernel_number(digits).map(u32::wrapping_neg),
        None => kernel_number(&text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_the_kernel_reads_them() {
        for (one, other, want) in [
            ("0xffffffff", "4294967295", true),
            ("-1", "4294967295", true),
            ("0x10", "16", true),
            ("020", "16", true),
            ("1", "Y", true),
            ("0", "N", true),
            ("10000,60000", "10000,60000", true),
            ("10000", "2000", false),
            ("", "(null)", false),
            ("0x", "0", false),
            ("+1", "1", false),
        ] {
            assert_eq!(same(one, other), want, "{one} {other}");
        }
    }
}
