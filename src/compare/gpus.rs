//! Matches the GPUs of two boots.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde::Serialize;

use super::{GoodBad, Side};
use crate::event::device::Device;
use crate::value::{PciAddress, PciId};

/// How two GPUs belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GpuTie"))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum GpuMatch {
    /// The same address.
    Same,
    /// The same chip at another address.
    Moved,
    /// The same address with another chip in it.
    Replaced,
    /// Only the good log names it.
    Gone,
    /// Only the bad log names it.
    Appeared,
}

/// A firmware of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FirmwarePair"))]
pub(crate) struct FirmwareRow<'l> {
    /// The block that it runs on, as the log calls it.
    pub block: &'l str,
    /// Its version, as printed.
    #[serde(flatten)]
    pub version: GoodBad<&'l str>,
}

/// A GPU that is in both boots, or in one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GpuPair<'l> {
    /// Why the two are considered the same GPU.
    pub tie: GpuMatch,
    pub good: Option<&'l Device>,
    pub bad: Option<&'l Device>,
    /// Firmware versions by block.
    pub firmware: Vec<FirmwareRow<'l>>,
}

impl<'l> GpuPair<'l> {
    fn new(tie: GpuMatch, good: Option<&'l Device>, bad: Option<&'l Device>) -> Self {
        let versions = |device: Option<&'l Device>| device.map(|device| &device.firmware);
        let (of_good, of_bad) = (versions(good), versions(bad));
        let blocks: BTreeSet<&'l str> = [of_good, of_bad]
            .into_iter()
            .flatten()
            .flat_map(BTreeMap::keys)
            .map(String::as_str)
            .collect();
        let version = |all: Option<&'l BTreeMap<String, String>>, block: &str| {
            all.and_then(|all| all.get(block)).map(String::as_str)
        };
        let firmware = blocks.into_iter().map(|block| FirmwareRow {
            block,
            version: GoodBad { good: version(of_good, block), bad: version(of_bad, block) },
        });
        Self { tie, good, bad, firmware: firmware.collect() }
    }

    fn held<T>(&self, read: impl Fn(&'l Device) -> Option<T>) -> GoodBad<T> {
        GoodBad { good: self.good.and_then(&read), bad: self.bad.and_then(&read) }
    }

    /// Its PCI address.
    pub(crate) fn address(&self) -> GoodBad<PciAddress> {
        self.held(|device| device.address)
    }

    pub(crate) fn pci_id(&self) -> GoodBad<PciId> {
        self.held(|device| device.pci_id)
    }

    /// Its video memory in MiB.
    pub(crate) fn vram(&self) -> GoodBad<u64> {
        self.held(|device| device.vram_mib)
    }

    /// Whether both are the same chip, as far as the logs show.
    pub(crate) const fn is_one_chip(&self) -> bool {
        matches!(self.tie, GpuMatch::Same | GpuMatch::Moved)
    }

    /// Whether anything differs.
    pub(crate) fn differs(&self) -> bool {
        self.tie != GpuMatch::Same
            || self.pci_id().change().is_some()
            || self.vram().change().is_some()
            || self.firmware.iter().any(|row| row.version.change().is_some())
    }
}

/// Whether two GPUs have the same chip; `None` if the logs do not show it.
fn is_one_chip(one: &Device, other: &Device) -> Option<bool> {
    let ids = one.pci_id.zip(other.pci_id).map(|(one, other)| one == other);
    let chips = || Some(one.asic.as_ref()? == other.asic.as_ref()?);
    let targets = || Some(one.target? == other.target?);
    let others = || {
        Some(false).filter(|_| {
            one.generation.zip(other.generation).is_some_and(|(one, other)| one != other)
        })
    };
    ids.or_else(chips).or_else(targets).or_else(others)
}

/// What identifies a chip if its address changed.
fn identity(device: &Device) -> Option<(Option<PciId>, Option<&str>)> {
    let identity = (device.pci_id, device.asic.as_deref());
    (identity != (None, None)).then_some(identity)
}

/// The pairs, in the order of addresses in the bad boot; GPUs that are gone follow.
pub(super) fn paired<'l>(good: Side<'l>, bad: Side<'l>) -> Vec<GpuPair<'l>> {
    let mut left: BTreeMap<Option<PciAddress>, &'l Device> =
        good.devices().map(|device| (device.address, device)).collect();
    let alone = left.len() == 1 && bad.devices().nth(1).is_none();
    let mut pairs: Vec<(Option<PciAddress>, GpuPair<'l>)> = Vec::new();
    let mut unpaired: Vec<&'l Device> = Vec::new();
    for device in bad.devices() {
        let here = left.get(&device.address).copied();
        // If one of the two has no address, the only GPUs of the boots correspond.
        let only = || {
            left.values()
                .next()
                .copied()
                .filter(|other| alone && (other.address.is_none() || device.address.is_none()))
        };
        let other = here.or_else(only);
        match other.filter(|other| is_one_chip(other, device) != Some(false)) {
            Some(other) => {
                left.remove(&other.address);
                pairs.push((
                    device.address,
                    GpuPair::new(GpuMatch::Same, Some(other), Some(device)),
                ));
            }
            None => unpaired.push(device),
        }
    }
    let mut elsewhere: BTreeMap<_, VecDeque<&'l Device>> = BTreeMap::new();
    for device in left.values().filter(|device| device.address.is_some()) {
        if let Some(identity) = identity(device) {
            elsewhere.entry(identity).or_default().push_back(device);
        }
    }
    unpaired.retain(|device| {
        let found = identity(device).filter(|_| device.address.is_some());
        let moved = found.and_then(|found| elsewhere.get_mut(&found)?.pop_front());
        if let Some(other) = moved {
            left.remove(&other.address);
            pairs.push((device.address, GpuPair::new(GpuMatch::Moved, Some(other), Some(device))));
        }
        moved.is_none()
    });
    for device in unpaired {
        let pair = match left.remove(&device.address) {
            Some(other) => GpuPair::new(GpuMatch::Replaced, Some(other), Some(device)),
            None => GpuPair::new(GpuMatch::Appeared, None, Some(device)),
        };
        pairs.push((device.address, pair));
    }
    pairs.sort_by_key(|(address, _)| *address);
    let gone = left.into_values().map(|device| GpuPair::new(GpuMatch::Gone, Some(device), None));
    pairs.into_iter().map(|(_, pair)| pair).chain(gone).collect()
}
