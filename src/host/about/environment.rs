//! The environment of a process that failed: only variables that control the user space driver.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::json::OrNull;
use crate::host::reader::{Fact, Reader};
use crate::pattern::machine::Collected;

/// Maximum size of an environment in bytes.
const LIMIT: usize = 2 << 20;
/// Words in a variable's name that make its value secret.
const SECRET: [&str; 5] = ["TOKEN", "SECRET", "PASS", "API_KEY", "CREDENTIAL"];

/// A process that failed and still runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FailingProcess {
    /// The process id.
    pub id: u32,
    /// The name, from `/proc/PID/comm`; null if it could not be read.
    #[serde(with = "OrNull::<String>")]
    pub name: Fact<String>,
    /// The variables by name; null for a value that may be a secret.
    #[serde(with = "OrNull::<BTreeMap<String, Option<String>>>")]
    pub variables: Fact<BTreeMap<String, Option<String>>>,
}

impl FailingProcess {
    pub(super) fn read(reader: &mut Reader<'_>, collected: &Collected, id: u32) -> Self {
        let environment = reader.long(&format!("/proc/{id}/environ"), LIMIT);
        Self {
            id,
            name: reader.text(&format!("/proc/{id}/comm")),
            variables: environment.map(|(bytes, _)| variables(&bytes, collected)),
        }
    }
}

/// Parses `NAME=value` entries that end with NUL. The first of two entries with the same name
/// counts, as in getenv(3).
fn variables(bytes: &[u8], collected: &Collected) -> BTreeMap<String, Option<String>> {
    let mut found = BTreeMap::new();
    for entry in bytes.split(|byte| *byte == 0) {
        let text = String::from_utf8_lossy(entry);
        let Some((name, value)) = text.split_once('=') else { continue };
        if collected.has_variable(name) && !found.contains_key(name) {
            let secret = SECRET.iter().any(|word| name.to_ascii_uppercase().contains(word));
            found.insert(name.to_owned(), (!secret).then(|| value.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(bytes: &[u8]) -> Vec<(String, Option<String>)> {
        variables(bytes, &crate::builtin::patterns().machines.collected).into_iter().collect()
    }

    #[test]
    fn only_listed_variables_are_reported() {
        let bytes = b"HOME=/home/ada\0HSA_OVERRIDE_GFX_VERSION=10.3.0\0HSA_OVERRIDE_GFX_VERSION=9\0\
                      OLLAMA_API_KEY=sk-1\0AWS_SECRET=x\0HSA_X=\xff\0noise\0=\0HIP_VISIBLE_DEVICES=";
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            listed(bytes),
            [
                ("HIP_VISIBLE_DEVICES".to_owned(), text("")),
                ("HSA_OVERRIDE_GFX_VERSION".to_owned(), text("10.3.0")),
                ("HSA_X".to_owned(), text("\u{fffd}")),
                ("OLLAMA_API_KEY".to_owned(), None),
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn unlisted_names_are_never_reported(bytes: Vec<u8>, name in "[A-Z_]{0,12}") {
            let mut all = bytes;
            all.extend(name.bytes().chain(*b"=x\0"));
            let collected = &crate::builtin::patterns().machines.collected;
            for (name, _) in listed(&all) {
                assert!(collected.has_variable(&name));
            }
        }
    }
}
