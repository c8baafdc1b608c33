//! The topology of the compute driver: its nodes, some of which are GPUs.

use serde::Serialize;

use crate::host::reader::{Fact, Reader, if_there, value_after};
use crate::value::{GfxTarget, PciAddress};

/// The directory of the nodes. Source: `drivers/gpu/drm/amd/amdkfd/kfd_topology.c`.
const NODES: &str = "/sys/class/kfd/kfd/topology/nodes";

/// A node that is a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Node {
    /// Its number, by which runtimes and fault messages call it.
    pub number: u32,
    /// The PCI function that it is.
    #[serde(rename = "pci_address")]
    pub address: Option<PciAddress>,
    /// The gfx target that the driver reports to the runtime.
    #[serde(rename = "gfx_target")]
    pub target: Option<GfxTarget>,
    /// The version of the compute microcode (MEC).
    pub firmware: Option<u32>,
    /// The version of the copy engines' microcode.
    pub sdma_firmware: Option<u32>,
    /// How many SIMD units compute.
    pub simds: Option<u32>,
}

/// All GPU nodes; empty without the compute driver.
pub(super) fn read(reader: &mut Reader<'_>) -> Fact<Vec<Node>> {
    let mut nodes = Vec::new();
    for number in if_there(reader.sorted(NODES))?.unwrap_or_default() {
        let text = reader.text(&format!("{NODES}/{number}/properties"))?;
        nodes.extend(node(number, &text));
    }
    Ok(nodes)
}

/// CPUs are nodes, too; they have no SIMD units.
fn node(number: u32, text: &str) -> Option<Node> {
    let short = |key| value_after(text, &format!("{key} "))?.parse::<u32>().ok();
    let simds = short("simd_count");
    let target = short("gfx_target_version").filter(|version| *version != 0);
    if simds.unwrap_or_default() == 0 && target.is_none() {
        return None;
    }
    Some(Node {
        number,
        address: short("location_id").and_then(|at| address(short("domain").unwrap_or(0), at)),
        target: target.and_then(GfxTarget::from_version),
        firmware: short("fw_version"),
        sdma_firmware: short("sdma_fw_version"),
        simds,
    })
}

/// `PCI_DEVID` of include/linux/pci.h: the bus, five bits of device, three of function. For
/// partitions the lowest byte also contains the partition's number, so the function differs from
/// the card's.
fn address(domain: u32, location: u32) -> Option<PciAddress> {
    let (bus, device, function) = (location >> 8 & 0xff, location >> 3 & 0x1f, location & 7);
    format!("{domain:04x}:{bus:02x}:{device:02x}.{function}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_a_gpu_if_it_computes() {
        let text = "cpu_cores_count 0\nsimd_count 240\nlocation_id 2304\ndomain 1\n\
                    gfx_target_version 90006\nfw_version 472\nsdma_fw_version 145\nunique_id 1\n";
        let node = node(2, text).unwrap();
        let address = node.address.map(|address| address.to_string());
        let target = node.target.map(|target| target.to_string());
        assert_eq!((address.as_deref(), target.as_deref()), (Some("0001:09:00.0"), Some("gfx906")));
        assert_eq!((node.firmware, node.sdma_firmware), (Some(472), Some(145)));
        assert_eq!(super::node(0, "cpu_cores_count 32\nsimd_count 0\n"), None);
    }

    #[test]
    fn targets_count_in_decimal() {
        for (version, want) in [
            (90_010, Some("gfx90a")),
            (110_501, Some("gfx1151")),
            (0, Some("gfx000")),
            (991_616, None),
        ] {
            let read = GfxTarget::from_version(version).map(|target| target.to_string());
            assert_eq!(read.as_deref(), want, "{version}");
        }
    }
}
