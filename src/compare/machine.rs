//! The facts about the machine in a bundle: `host.json`, as `amdtriage report` writes it.
//!
//! They describe the machine at the time of the report, possibly in a later boot than the compared
//! one.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::GoodBad;
use crate::pattern::machine::PackageKind;
use crate::value::PciAddress;

/// A fact about a machine that is not in the kernel log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MachineFact {
    /// The version of a firmware of the GPU at an address, by block: `mes`.
    Firmware(PciAddress, String),
    /// The GPU's video BIOS.
    VideoBios(PciAddress),
    Package(PackageKind, String),
    /// The newest ROCm installation.
    Rocm,
    /// The version of the system firmware.
    Bios,
    Distribution,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Machine {
    facts: BTreeMap<MachineFact, String>,
}

/// A fact that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MachineChange {
    pub fact: MachineFact,
    /// The values of both.
    pub held: GoodBad<String>,
}

/// The parts of the document that are compared. Everything else is ignored: another version may
/// have written it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    system: System,
    packages: Packages,
    rocm: Rocm,
    gpus: Vec<Gpu>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct System {
    distribution: Option<NameOnly>,
    board: Board,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct NameOnly {
    name: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Board {
    bios_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Packages {
    installed: Option<Vec<Package>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Package {
    kind: String,
    name: String,
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Rocm {
    installations: Option<Vec<Installation>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Installation {
    version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gpu {
    pci_address: Option<PciAddress>,
    vbios: Option<String>,
    firmware: Option<BTreeMap<String, String>>,
}

impl Machine {
    /// Parses the document; `None` if it is not one.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        // serde would also accept a list for a structure with optional fields.
        let object = text.trim_ascii_start().starts_with(b"{").then_some(text)?;
        let Written { system, packages, rocm, gpus } = serde_json::from_slice(object).ok()?;
        let mut facts = BTreeMap::new();
        for package in packages.installed.unwrap_or_default() {
            if let Some(kind) = PackageKind::read(&package.kind) {
                facts.insert(MachineFact::Package(kind, package.name), package.version);
            }
        }
        for Gpu { pci_address, vbios, firmware } in gpus {
            let Some(address) = pci_address else { continue };
            facts.extend(vbios.map(|version| (MachineFact::VideoBios(address), version)));
            let blocks = firmware.unwrap_or_default().into_iter();
            facts.extend(
                blocks.map(|(block, version)| (MachineFact::Firmware(address, block), version)),
            );
        }
        let installed = rocm.installations.unwrap_or_default();
        let newest = installed.into_iter().filter_map(|one| one.version).max();
        facts.extend(newest.map(|version| (MachineFact::Rocm, version)));
        facts.extend(system.board.bios_version.map(|version| (MachineFact::Bios, version)));
        let distribution = system.distribution.and_then(|it| it.name);
        facts.extend(distribution.map(|name| (MachineFact::Distribution, name)));
        Some(Self { facts })
    }

    /// The facts that both have with different values.
    pub(super) fn changes(good: &Self, bad: &Self) -> Vec<MachineChange> {
        let both = good.facts.iter().filter_map(|(fact, good)| {
            let bad = bad.facts.get(fact).filter(|bad| *bad != good)?;
            let held = GoodBad { good: Some(good.clone()), bad: Some(bad.clone()) };
            Some(MachineChange { fact: fact.clone(), held })
        });
        both.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_found_and_what_one_lacks_is_not_made_up() {
        let read = |text: &str| Machine::read(text.as_bytes());
        let good = read(
            r#"{"gpus": [{"pci_address": "0000:03:00.0", "firmware": {"mes": "0x6e", "smc": "1"}}],
            "packages": {"installed": [{"kind": "mesa", "name": "mesa", "version": "25.1"},
            {"kind": "new-kind", "name": "x", "version": "1"}]}, "later": [1], "system": {"board": {}}}"#,
        );
        let bad = read(
            r#"{"gpus": [{"pci_address": "0000:03:00.0", "firmware": {"mes": "0x82"}}],
            "packages": {"installed": [{"kind": "mesa", "name": "mesa", "version": "25.2"}]}}"#,
        );
        let (good, bad) = (good.unwrap(), bad.unwrap());
        let changes = Machine::changes(&good, &bad);
        let facts: Vec<&MachineFact> = changes.iter().map(|change| &change.fact).collect();
        let address = "0000:03:00.0".parse().unwrap();
        let mes = MachineFact::Firmware(address, "mes".to_owned());
        let mesa = MachineFact::Package(PackageKind::Mesa, "mesa".to_owned());
        assert_eq!(facts, [&mes, &mesa]);
        assert!(Machine::changes(&good, &good).is_empty());
        for text in ["", "[]", "null", "{\"gpus\": 1}", "\u{0}"] {
            assert!(read(text).is_none(), "{text}");
        }
        assert_eq!(read("{}"), Some(Machine::default()));
    }
}
