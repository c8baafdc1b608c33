//! Single facts: from the machine where it was asked, else from its log.

use crate::pattern::tracker::Value;
use crate::report::words;

use super::Ticket;

impl Ticket<'_> {
    /// A fact, if it is known.
    pub(super) fn known(&self, value: Value) -> Option<String> {
        // The log is of the boot that failed, which may be another one than the machine's.
        let first = match value {
            Value::Kernel | Value::Gpu | Value::Driver => self.logged(value),
            _ => None,
        };
        first.or_else(|| self.host?.values.get(&value).cloned()).or_else(|| self.logged(value))
    }

    /// What the log says.
    fn logged(&self, value: Value) -> Option<String> {
        match value {
            Value::Gpu => self.device().map(|device| {
                let id = device.pci_id.map(|id| format!(" [{id}]")).unwrap_or_default();
                format!("{}{id}", words::gpu(device))
            }),
            Value::Kernel => self.boot()?.1.kernel.clone(),
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
                let words: Vec<&str> = line.split_whitespace().filter(ours).collect();
                let none = || "none on the kernel's command line".to_owned();
                Some(if words.is_empty() { none() } else { words.join(" ") })
            }
            _ => None,
        }
    }
}
