//! The ports between a GPU and the processor, as far as the log names them: the error of a link on
//! that path is one of the GPU's link.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::Observed;
use super::census::Census;
use crate::kind::{Event, PciBridge};
use crate::value::{Hex, PciAddress};

/// Of more bridges than a machine has, none is used.
const MOST_BRIDGES: usize = 4096;

/// What the log shows below the ports of each boot.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    /// The GPU below each port; `None` if there are several.
    gpus: BTreeMap<(usize, PciAddress), Option<PciAddress>>,
    /// The buses below each port.
    buses: BTreeMap<(usize, PciAddress), RangeInclusive<u8>>,
}

impl Paths {
    /// Reads the buses below each bridge, and the slowest link of a GPU's path, whose line names the
    /// device at its lower end.
    ///
    /// Source: `pcie_bandwidth_available()` of `drivers/pci/pci.c`, which reads the link status of
    /// the GPU and of each bridge above it.
    pub(super) fn of(events: &[Observed], census: &Census<'_>) -> Self {
        let mut paths = Self::default();
        for observed in events {
            let boot = observed.boot;
            if let (Event::PciBridge(bridge), Some(port)) = (&observed.event, observed.printed)
                && let Some(buses) = buses(bridge)
            {
                paths.buses.insert((boot, port), buses);
            }
            let Event::LinkLimited(link) = &observed.event else { continue };
            let gpu = observed.device.or(observed.printed);
            let gpu = gpu.filter(|address| census.knows(boot, *address));
            if let (Some(gpu), Some(port)) = (gpu, link.at) {
                lead(&mut paths.gpus, (boot, port), gpu);
            }
        }
        if paths.buses.len() > MOST_BRIDGES {
            paths.buses.clear();
        }
        for ((boot, port), buses) in &paths.buses {
            for gpu in census.addresses(*boot).filter(|gpu| is_below(*port, buses, *gpu)) {
                if !paths.branches(*boot, *port, gpu) {
                    lead(&mut paths.gpus, (*boot, *port), gpu);
                }
            }
        }
        paths
    }

    /// Whether other devices than `gpu` may be below `port`: a bridge there leads elsewhere.
    fn branches(&self, boot: usize, port: PciAddress, gpu: PciAddress) -> bool {
        let Some(buses) = self.buses.get(&(boot, port)) else { return true };
        let mut bridges = self.buses.iter().filter(|((of, _), _)| *of == boot);
        bridges.any(|((_, bridge), behind)| {
            is_below(port, buses, *bridge) && !is_below(*bridge, behind, gpu)
        })
    }

    /// The GPU below `port`.
    pub(super) fn gpu(&self, boot: usize, port: PciAddress) -> Option<PciAddress> {
        self.gpus.get(&(boot, port)).copied().flatten()
    }

    /// Whether the log shows that `gpu` is not below `port`.
    pub(crate) fn lead_past(&self, boot: usize, port: PciAddress, gpu: PciAddress) -> bool {
        self.buses.get(&(boot, port)).is_some_and(|buses| !is_below(port, buses, gpu))
    }
}

/// The buses below a bridge; `None` before it is set up, when it says bus 0.
fn buses(bridge: &PciBridge) -> Option<RangeInclusive<u8>> {
    let number = |hex: &Hex| u8::try_from(hex.value).ok();
    let first = number(bridge.first.as_ref()?)?;
    (first != 0).then(|| first..=bridge.last.as_ref().and_then(number).unwrap_or(first))
}

fn is_below(port: PciAddress, buses: &RangeInclusive<u8>, gpu: PciAddress) -> bool {
    let ((domain, _), (same, bus)) = (port.bus(), gpu.bus());
    domain == same && buses.contains(&bus)
}

/// Notes that `gpu` is below a port of a boot.
fn lead(
    gpus: &mut BTreeMap<(usize, PciAddress), Option<PciAddress>>,
    port: (usize, PciAddress),
    gpu: PciAddress,
) {
    let below = gpus.entry(port).or_insert(Some(gpu));
    *below = below.filter(|known| *known == gpu);
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;
    use crate::kind::Kind;

    const LINK: &str = "[    0.510001] pci 0000:06:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x4 link at 0000:05:00.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)\n";
    const SAME: &str = "[    0.510002] pci 0000:07:00.0: 63.008 Gb/s available PCIe bandwidth, limited by 16.0 GT/s PCIe x4 link at 0000:05:00.0 (capable of 252.048 Gb/s with 16.0 GT/s PCIe x16 link)\n";
    const READY: &str = "[    3.612304] [drm] Initialized amdgpu 3.57.0 20150101 for 0000:06:00.0 on minor 0\n\
         [    3.712304] [drm] Initialized amdgpu 3.57.0 20150101 for 0000:07:00.0 on minor 1\n";
    const ERROR: &str = "[ 1043.621387] pcieport 0000:05:00.0: PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer, (Receiver ID)\n";

    fn gpu(text: &str) -> Option<String> {
        let log = log(text);
        let error = log.events.iter().find(|seen| seen.event.kind() == Kind::PcieError).unwrap();
        error.device.map(|device| device.to_string())
    }

    #[test]
    fn the_error_of_a_port_is_of_the_gpu_whose_path_the_log_shows() {
        for (text, want) in [
            (format!("{LINK}{READY}{ERROR}"), Some("0000:06:00.0")),
            (format!("{LINK}{SAME}{READY}{ERROR}"), None),
            (format!("{READY}{ERROR}"), None),
            (
                format!("[    0.410001] pci 0000:05:00.0: PCI bridge to [bus 06]\n{READY}{ERROR}"),
                Some("0000:06:00.0"),
            ),
            (
                format!(
                    "[    0.410001] pci 0000:05:00.0: PCI bridge to [bus 06-07]\n{READY}{ERROR}"
                ),
                None,
            ),
            (
                format!("[    0.410001] pci 0000:05:00.0: PCI bridge to [bus 08]\n{READY}{ERROR}"),
                None,
            ),
        ] {
            assert_eq!(gpu(&text).as_deref(), want, "{text}");
        }
    }
}
