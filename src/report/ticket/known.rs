//! Facts for a ticket: from the machine if it was read, else from its log.

use crate::document::counts::any;
use crate::pattern::tracker::Value;
use crate::report::words;

use super::Ticket;

impl Ticket<'_> {
    /// A fact, if known.
    pub(super) fn known(&self, value: Value) -> Option<String> {
        let told = || self.host?.values.get(&value).cloned();
        let own = || self.logged(value);
        match value {
            // The log is from the boot that failed, which may differ from the machine's current
            // one.
            Value::Kernel => match (own(), told()) {
                (Some(own), Some(told)) if told.starts_with(&own) => Some(told),
                (own, told) => own.or(told),
            },
            Value::Driver => own().or_else(told),
            // The machine has more details about a GPU, if it is the same one.
            Value::Gpu => match (own(), told()) {
                (Some(own), Some(told)) => {
                    let address = self.device().and_then(|device| device.address);
                    let same = address.is_some_and(|address| told.contains(&address.to_string()));
                    Some(if same { told } else { own })
                }
                (own, told) => own.or(told),
            },
            _ => told().or_else(own),
        }
    }

    /// The fact in the log.
    fn logged(&self, value: Value) -> Option<String> {
        match value {
            Value::Gpu => {
                let device = self.device()?;
                let id = device.pci_id.map(|id| format!(" [{id}]")).unwrap_or_default();
                Some(format!("{}{id}", words::gpu_among(&self.part?.log.devices, device)))
            }
            Value::Kernel => {
                let boot = self.boot()?.1;
                boot.kernel.clone().or_else(|| boot.told_kernel.clone())
            }
            Value::Driver => words::driver(self.boot()?.1),
            Value::Firmware => words::firmware(self.device()?),
            Value::Cpu => self.mentioned.cpu.clone(),
            Value::Board => self.mentioned.board.clone(),
            Value::Memory => {
                let gib = self.mentioned.memory_kib?.div_ceil(1 << 20);
                Some(format!("{gib} GiB"))
            }
            Value::Parameters => {
                let line = self.boot()?.1.command_line.as_deref()?;
                let ours = |word: &&str| {
                    ["amdgpu.", "ttm.", "drm.", "amd_iommu", "iommu", "pci=", "pcie_"]
                        .iter()
                        .any(|begin| word.starts_with(begin))
                };
                let none = || "none on the kernel's command line".to_owned();
                Some(any(line.split_whitespace().filter(ours), " ").unwrap_or_else(none))
            }
            _ => None,
        }
    }
}
