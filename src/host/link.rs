//! The PCI Express link between a card and the machine.

use serde::Serialize;

use crate::value::PciAddress;

use super::gpu::{AMD, pci_id};
use super::reader::{Fact, Reader};

/// AMD's ids of the upstream and downstream ports of the switch that cards have before the GPU: Vega 10, Navi, Vega 20
/// and MI100. The link below it is inside the card and always at its maximum. Source: pci.ids; 14a0 and 14a1 as
/// `lspci` shows them on users' Radeon VII and MI100.
const OF_THE_CARD: [u16; 6] = [0x1470, 0x1471, 0x1478, 0x1479, 0x14a0, 0x14a1];

/// Width and speed of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Rate {
    /// The number of lanes.
    pub width: u32,
    /// The speed of each lane in MT/s: 2500 to 64000.
    #[serde(rename = "speed_mt_s")]
    pub speed: u32,
}

/// A link, as its lower end reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Link {
    /// The lower end: the card's own switch, or without one the GPU.
    pub port: PciAddress,
    /// The upper end: a port of the CPU, the chipset or a switch; null if unknown.
    pub slot: Option<PciAddress>,
    /// The current width and speed. An idle GPU reduces the speed to save power.
    pub now: Rate,
    /// The maximum of the lower end.
    #[serde(rename = "port_max")]
    pub most: Rate,
    /// The maximum of the upper end; null if unknown.
    #[serde(rename = "slot_max")]
    pub slot_most: Option<Rate>,
}

impl Link {
    /// The number of lanes that both ends support.
    pub(crate) fn lanes(&self) -> u32 {
        let slot = self.slot_most.map_or(u32::MAX, |most| most.width);
        self.most.width.min(slot)
    }

    /// Reads the link of the card with this GPU.
    pub(super) fn read(reader: &mut Reader<'_>, gpu: PciAddress) -> Fact<Self> {
        let mut way = way(&reader.link(&folder(gpu)).unwrap_or_default(), gpu);
        let mut port = gpu;
        let mut slot = way.pop();
        while let Some(above) = slot.filter(|above| is_of_the_card(reader, *above)) {
            port = above;
            slot = way.pop();
        }
        Ok(Self {
            port,
            now: rate(reader, port, "current")?,
            most: rate(reader, port, "max")?,
            slot,
            slot_most: slot.and_then(|slot| rate(reader, slot, "max").ok()),
        })
    }
}

fn folder(address: PciAddress) -> String {
    format!("/sys/bus/pci/devices/{address}")
}

/// The bridges above a function, the nearest last:
/// `../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:02:00.0/0000:03:00.0`.
pub(super) fn way(target: &str, of: PciAddress) -> Vec<PciAddress> {
    target.split('/').filter_map(|name| name.parse().ok()).filter(|found| *found != of).collect()
}

fn is_of_the_card(reader: &mut Reader<'_>, bridge: PciAddress) -> bool {
    let folder = folder(bridge);
    pci_id(reader, &format!("{folder}/vendor"), &format!("{folder}/device"))
        .is_ok_and(|id| id.vendor == AMD && OF_THE_CARD.contains(&id.device))
}

fn rate(reader: &mut Reader<'_>, of: PciAddress, which: &str) -> Fact<Rate> {
    let folder = folder(of);
    let width = format!("{folder}/{which}_link_width");
    // Without a link the width is 0, and 63 if the register reads as all ones.
    let lanes = |text: &str| text.parse().ok().filter(|width| (1..=32).contains(width));
    let speed_path = format!("{folder}/{which}_link_speed");
    Ok(Rate { width: reader.read(&width, lanes)?, speed: reader.read(&speed_path, speed)? })
}

/// Parses `16.0 GT/s PCIe`, before 5.10 `16 GT/s`, to MT/s. Source: drivers/pci/probe.c
/// `pci_speed_string`.
fn speed(text: &str) -> Option<u32> {
    let (number, unit) = text.split_once(' ')?;
    let (whole, part) = number.split_once('.').unwrap_or((number, "0"));
    let (whole, part): (u32, u32) = (whole.parse().ok()?, part.parse().ok()?);
    (unit.starts_with("GT/s") && part < 10 && whole < 1000).then_some(whole * 1000 + part * 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_read_as_the_kernel_prints_them() {
        for (text, want) in [
            ("16.0 GT/s PCIe", Some(16_000)),
            ("2.5 GT/s PCIe", Some(2_500)),
            ("8 GT/s", Some(8_000)),
            ("Unknown", None),
            ("16.0 MB/s", None),
            ("-1.0 GT/s", None),
        ] {
            assert_eq!(speed(text), want, "{text}");
        }
    }

    #[test]
    fn the_way_to_a_gpu_is_in_its_link() {
        let gpu = "0000:03:00.0".parse().unwrap();
        let target = "../../../devices/pci0000:00/0000:00:01.1/0000:01:00.0/0000:03:00.0";
        let way: Vec<String> = way(target, gpu).iter().map(ToString::to_string).collect();
        assert_eq!(way, ["0000:00:01.1", "0000:01:00.0"]);
    }
}
