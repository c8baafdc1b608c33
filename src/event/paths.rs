//! The ports between a GPU and the processor, as far as the log names them: the error of a link on
//! that path is one of the GPU's link.

use std::collections::BTreeMap;

use super::Observed;
use super::census::Census;
use crate::kind::Event;
use crate::value::PciAddress;

/// The GPU below each port, by boot; `None` if there are several.
#[derive(Debug)]
pub(super) struct Paths(BTreeMap<(usize, PciAddress), Option<PciAddress>>);

impl Paths {
    /// The slowest link of a GPU's path names the device at its lower end.
    ///
    /// Source: `pcie_bandwidth_available()` of `drivers/pci/pci.c`, which reads the link status of
    /// the GPU and of each bridge above it.
    pub(super) fn of(events: &[Observed], census: &Census<'_>) -> Self {
        let mut ports = BTreeMap::new();
        for observed in events {
            let Event::LinkLimited(link) = &observed.event else { continue };
            let gpu = observed.device.or(observed.printed);
            let gpu = gpu.filter(|address| census.knows(observed.boot, *address));
            if let (Some(gpu), Some(port)) = (gpu, link.at) {
                let below = ports.entry((observed.boot, port)).or_insert(Some(gpu));
                *below = below.filter(|known| *known == gpu);
            }
        }
        Self(ports)
    }

    /// The GPU below `port`.
    pub(super) fn gpu(&self, boot: usize, port: PciAddress) -> Option<PciAddress> {
        self.0.get(&(boot, port)).copied().flatten()
    }
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
        ] {
            assert_eq!(gpu(&text).as_deref(), want, "{text}");
        }
    }
}
