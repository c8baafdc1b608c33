//! Parameters: what somebody set, what is in force, and what it does.

use std::collections::BTreeMap;

use super::{Evidence, Found, Judge};
use crate::decode::params::{MaskReading, named_mask_reading};
use crate::host::Setting;
use crate::pattern::machine::Condition;

impl Judge<'_> {
    pub(super) fn settings(&mut self) {
        // The last one of a name counts.
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

    /// Whether the driver has a parameter. A loaded one shows all it has; what the table knows holds for
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

    fn note(&self, name: &str) -> Option<String> {
        self.patterns.hardware.parameter(name)?.note.clone()
    }

    fn unknown(&mut self, setting: &Setting) {
        let known = self.patterns.hardware.parameter(&setting.name);
        let instead = known.and_then(|parameter| parameter.instead.clone());
        let (place, note) = (setting.place.to_string(), self.note(&setting.name));
        self.add_all(Condition::UnknownParameter, || Found {
            device: None,
            values: vec![
                ("parameter", Some(setting.name.clone())),
                ("place", Some(place.clone())),
                ("instead", instead.clone()),
                ("note", note.clone()),
            ],
            evidence: vec![Evidence::new(place.clone(), written(setting))],
        });
    }

    fn other_value(&mut self, setting: &Setting) {
        let (Some(wanted), Some(value)) = (&setting.value, self.host.module.value(&setting.name))
        else {
            return;
        };
        if same(wanted, value) {
            return;
        }
        let path = in_force(&setting.name);
        self.add_all(Condition::OtherValue, || Found {
            device: None,
            values: vec![
                ("parameter", Some(setting.name.clone())),
                ("place", Some(setting.place.to_string())),
                ("wanted", Some(wanted.clone())),
                ("value", Some(value.to_owned())),
            ],
            evidence: vec![
                Evidence::new(setting.place.to_string(), written(setting)),
                Evidence::new(path.clone(), value),
            ],
        });
    }

    fn values(&mut self, last: &BTreeMap<&str, &Setting>) {
        for state in self.states(Condition::Parameter) {
            let Some(name) = &state.parameter else { continue };
            let Some(value) = self.host.module.value(name) else { continue };
            if !state.values.iter().any(|one| same(one, value)) {
                continue;
            }
            let place = last.get(name.as_str()).map(|setting| setting.place.to_string());
            let found = Found {
                device: None,
                values: vec![
                    ("parameter", Some(name.clone())),
                    ("value", Some(value.to_owned())),
                    ("place", place),
                    ("note", self.note(name)),
                ],
                evidence: vec![Evidence::new(in_force(name), value)],
            };
            self.add(&state.about, found);
        }
    }

    fn masks(&mut self) {
        for state in self.states(Condition::Mask) {
            let Some(name) = &state.parameter else { continue };
            let Some(value) = self.host.module.value(name) else { continue };
            let kernel = self.host.kernel.version();
            let Some(mask) = named_mask_reading(&self.patterns.hardware, name, value, kernel)
            else {
                continue;
            };
            let (added, cleared) = changed(&mask, &state.flags);
            if added.is_none() && cleared.is_none() {
                continue;
            }
            let found = Found {
                device: None,
                values: vec![
                    ("parameter", Some(name.clone())),
                    ("value", Some(format!("{:#x}", mask.value))),
                    ("added", added),
                    ("cleared", cleared),
                    ("note", self.note(name)),
                ],
                evidence: vec![Evidence::new(in_force(name), value)],
            };
            self.add(&state.about, found);
        }
    }
}

/// The names of the bits that were added and cleared; of those that count where only some do.
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

/// A setting as it is written.
fn written(setting: &Setting) -> String {
    match &setting.value {
        Some(value) => format!("{}={value}", setting.name),
        None => setting.name.clone(),
    }
}

/// Whether two texts are the same value of a parameter. The kernel reads numbers in several bases and
/// prints them in one, and prints a switch as `Y` or `N`.
pub(super) fn same(one: &str, other: &str) -> bool {
    match (number(one), number(other)) {
        (Some(one), Some(other)) => one == other,
        _ => one.trim_matches('"') == other.trim_matches('"'),
    }
}

/// A number of 32 bits, of which -1 is all ones.
fn number(text: &str) -> Option<u32> {
    let text = text.trim().to_ascii_lowercase();
    match text.as_str() {
        "y" | "yes" | "on" | "true" => return Some(1),
        "n" | "no" | "off" | "false" => return Some(0),
        _ => {}
    }
    let (negative, digits) =
        text.strip_prefix('-').map_or((false, text.as_str()), |rest| (true, rest));
    let (digits, radix) = match digits.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => (&digits[1..], 8),
        None => (digits, 10),
    };
    let plain = digits.starts_with(|c: char| c.is_ascii_hexdigit());
    let value = u32::from_str_radix(digits, radix).ok().filter(|_| plain)?;
    Some(if negative { value.wrapping_neg() } else { value })
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
