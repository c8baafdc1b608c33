//! What a kernel log says about the machine, for logs of machines that cannot be read directly.

use memchr::memmem;

/// Facts about a machine from its kernel log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mentioned {
    /// The processor: `smpboot: CPU0: … (family: …` (`arch/x86/kernel/cpu/common.c`,
    /// `print_cpu_info`).
    pub cpu: Option<String>,
    /// Manufacturer, product, board and BIOS: `DMI: …` (`drivers/firmware/dmi_scan.c`).
    pub board: Option<String>,
    /// Memory in KiB: the second number of `Memory: 32000000K/33000000K available`
    /// (`mm/mm_init.c`).
    pub memory_kib: Option<u64>,
}

impl Mentioned {
    /// These facts, completed with those of `other`.
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            cpu: self.cpu.or(other.cpu),
            board: self.board.or(other.board),
            memory_kib: self.memory_kib.or(other.memory_kib),
        }
    }

    /// Reads a line of the kernel; the last occurrence of a fact counts.
    pub(crate) fn learn(&mut self, line: &str) {
        if let Some(rest) = text_after(line, "smpboot: CPU0: ") {
            let name = rest.split(" (family:").next().unwrap_or_default().trim();
            self.cpu = Some(name.to_owned()).filter(|name| !name.is_empty());
        } else if let Some(rest) =
            text_after(line, "] DMI: ").or_else(|| text_after(line, "kernel: DMI: "))
        {
            self.board = Some(rest.trim().to_owned()).filter(|text| text.contains(','));
        } else if let Some(rest) = text_after(line, "Memory: ")
            && let Some((_, rest)) = rest.split_once("K/")
            && let Some((number, _)) = rest.split_once("K available")
        {
            self.memory_kib = number.parse().ok().or(self.memory_kib);
        }
    }
}

fn text_after<'l>(line: &'l str, what: &str) -> Option<&'l str> {
    let at = memmem::find(line.as_bytes(), what.as_bytes())?;
    line.get(at + what.len()..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_names_its_machine() {
        let mut mentioned = Mentioned::default();
        for line in [
            "[    0.000000] DMI: ACME B550/B550, BIOS F17 05/19/2024",
            "[    0.041244] Memory: 32731208K/33481028K available (18432K kernel code, 2870K rwdata)",
            "[    0.241244] smpboot: CPU0: AMD Ryzen 7 5800X 8-Core Processor (family: 0x19, model: 0x21, stepping: 0x0)",
            "[    0.300000] ACPI: DMI: no table",
            "[    9.300000] Memory: full",
        ] {
            mentioned.learn(line);
        }
        assert_eq!(
            mentioned,
            Mentioned {
                cpu: Some("AMD Ryzen 7 5800X 8-Core Processor".to_owned()),
                board: Some("ACME B550/B550, BIOS F17 05/19/2024".to_owned()),
                memory_kib: Some(33_481_028),
            }
        );
    }
}
