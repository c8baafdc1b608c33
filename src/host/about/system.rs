//! Distribution, kernel, processor, memory and board.

use serde::{Serialize, Serializer};

use crate::host::Host;
use crate::host::files::Refusal;
use crate::host::json::OrNull;
use crate::host::kernel::OsRelease;
use crate::host::reader::{Fact, Reader, Unread, value_after};
use crate::pattern::machine::Taint;

/// Maximum size of `/proc/cpuinfo` in bytes; enough for a thousand CPUs.
const PROCESSORS: usize = 4 << 20;

/// The CPU, from `/proc/cpuinfo`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Processor {
    /// The model name; null if the architecture does not report one.
    pub model: Option<String>,
    /// The number of hardware threads.
    pub threads: usize,
}

/// The main memory, from `/proc/meminfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// Total memory in bytes.
    pub total: u64,
    /// Swap in bytes; `None` if the kernel does not report it.
    pub swap: Option<u64>,
}

/// The board and its firmware, from `/sys/class/dmi/id`. The serial numbers there are not read
/// here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Board {
    /// The vendor of the machine; null if unknown.
    #[serde(with = "OrNull::<String>")]
    pub vendor: Fact<String>,
    /// The product name of the machine; null if unknown.
    #[serde(with = "OrNull::<String>")]
    pub product: Fact<String>,
    /// The board.
    #[serde(rename = "board", with = "OrNull::<String>")]
    pub name: Fact<String>,
    /// The version of the firmware (BIOS); null if unknown.
    #[serde(with = "OrNull::<String>")]
    pub bios_version: Fact<String>,
    /// The date of the firmware, as the vendor writes it: `11/28/2025`; null if unknown.
    #[serde(with = "OrNull::<String>")]
    pub bios_date: Fact<String>,
}

/// The machine as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SystemFacts"))]
pub(crate) struct System {
    /// The distribution; null without os-release(5).
    #[serde(rename = "distribution", with = "OrNull::<OsRelease>")]
    pub release: Fact<OsRelease>,
    /// The kernel's release, `uname -r`.
    #[serde(with = "OrNull::<String>")]
    pub kernel: Fact<String>,
    /// When and how the kernel was built, `uname -v`: `#1 SMP PREEMPT_DYNAMIC Debian 6.12.48-1
    /// (…)`.
    #[serde(with = "OrNull::<String>")]
    pub build: Fact<String>,
    /// `uname -m`: `x86_64`. Source: `/proc/sys/kernel/arch`, from 6.1 on.
    #[serde(with = "OrNull::<String>")]
    pub architecture: Fact<String>,
    /// The CPU; null if it could not be read.
    #[serde(with = "OrNull::<Processor>")]
    pub processor: Fact<Processor>,
    /// The main memory.
    #[serde(flatten, serialize_with = "sizes")]
    #[cfg_attr(test, schemars(with = "Sizes"))]
    pub memory: Fact<Memory>,
    /// The board.
    pub board: Board,
    /// The kernel's taint flags; empty for an untainted kernel. An unknown flag has the letter `?`.
    #[serde(with = "OrNull::<Vec<Taint>>")]
    pub taint: Fact<Vec<Taint>>,
}

/// The machine's memory, in the form for JSON.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Sizes {
    /// The main memory in bytes; null if unknown.
    memory_bytes: Option<u64>,
    /// The swap space in bytes; null if unknown.
    swap_bytes: Option<u64>,
}

fn sizes<S: Serializer>(memory: &Fact<Memory>, to: S) -> Result<S::Ok, S::Error> {
    let memory = memory.as_ref().ok();
    let sizes = Sizes {
        memory_bytes: memory.map(|memory| memory.total),
        swap_bytes: memory.and_then(|memory| memory.swap),
    };
    sizes.serialize(to)
}

impl System {
    pub(super) fn read(reader: &mut Reader<'_>, host: &Host, taints: &[Taint]) -> Self {
        Self {
            release: host.kernel.distribution.clone(),
            kernel: host.kernel.release.clone(),
            build: build(reader),
            architecture: architecture(reader),
            processor: reader.long_text("/proc/cpuinfo", PROCESSORS).and_then(|text| {
                processor(&text).ok_or_else(|| Unread::new("/proc/cpuinfo", Refusal::Malformed))
            }),
            memory: reader.read("/proc/meminfo", memory),
            board: Board::read(reader),
            taint: host.kernel.tainted.clone().map(|bits| flags(bits, taints)),
        }
    }
}

impl Board {
    fn read(reader: &mut Reader<'_>) -> Self {
        let mut text = |name: &str| reader.text(&format!("/sys/class/dmi/id/{name}"));
        Self {
            vendor: text("sys_vendor"),
            product: text("product_name"),
            name: text("board_name"),
            bios_version: text("bios_version"),
            bios_date: text("bios_date"),
        }
    }
}

/// The kernel's build, from its own file or from the end of `/proc/version`.
fn build(reader: &mut Reader<'_>) -> Fact<String> {
    reader.text("/proc/sys/kernel/version").or_else(|unread| {
        let behind = |text: &str| text.find(" #").map(|at| text[at + 1..].to_owned());
        reader.read("/proc/version", behind).map_err(|_| unread)
    })
}

/// The architecture. Kernels before 6.1 have no file for it; then it is inferred from
/// `/proc/cpuinfo`.
fn architecture(reader: &mut Reader<'_>) -> Fact<String> {
    reader.text("/proc/sys/kernel/arch").or_else(|unread| {
        let text = reader.long_text("/proc/cpuinfo", PROCESSORS)?;
        let words = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.split_once(':'));
            lines.find(|(name, _)| name.trim() == key).map(|(_, value)| value)
        };
        if words("flags").is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "lm")) {
            Ok("x86_64".to_owned())
        } else if words("CPU architecture").is_some_and(|number| number.trim() == "8") {
            Ok("aarch64".to_owned())
        } else {
            Err(unread)
        }
    })
}

fn processor(text: &str) -> Option<Processor> {
    let mut model = None;
    let mut threads = 0;
    for (name, value) in text.lines().filter_map(|line| line.split_once(':')) {
        match name.trim() {
            "processor" => threads += 1,
            "model name" if model.is_none() => model = Some(value.trim().to_owned()),
            _ => {}
        }
    }
    (threads > 0).then_some(Processor { model, threads })
}

fn memory(text: &str) -> Option<Memory> {
    let value = |key: &str| {
        let kibibytes: u64 = value_after(text, key)?.strip_suffix("kB")?.trim().parse().ok()?;
        kibibytes.checked_mul(1024)
    };
    Some(Memory { total: value("MemTotal:")?, swap: value("SwapTotal:") })
}

fn flags(bits: u64, taints: &[Taint]) -> Vec<Taint> {
    let named = |bit: u8| {
        taints.iter().find(|taint| taint.bit == bit).cloned().unwrap_or_else(|| Taint {
            bit,
            letter: "?".to_owned(),
            meaning: format!("bit {bit}, which is not known here"),
        })
    };
    (0..64).filter(|bit| bits >> bit & 1 == 1).map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_counted() {
        let text = "processor\t: 0\nmodel name\t: A  B\nprocessor\t: 1\nmodel name\t: A  B\n";
        let found = processor(text).unwrap();
        assert_eq!((found.model.as_deref(), found.threads), (Some("A  B"), 2));
        assert_eq!(processor("vendor_id : x"), None);
    }

    #[test]
    fn memory_is_in_bytes() {
        let read = memory("MemTotal:       65716412 kB\nMemFree: 1 kB\nSwapTotal:      0 kB\n");
        assert_eq!(read, Some(Memory { total: 65_716_412 * 1024, swap: Some(0) }));
        assert_eq!(memory("MemTotal: 99999999999999999999 kB"), None);
        assert_eq!(memory(&format!("MemTotal: {} kB", u64::MAX)), None);
    }

    #[test]
    fn an_unknown_taint_bit_is_reported() {
        let taints = &crate::builtin::patterns().machines.taints;
        let letters: String =
            flags(1 << 12 | 1 << 60, taints).into_iter().map(|it| it.letter).collect();
        assert_eq!(letters, "O?");
    }
}
