//! The GPUs: AMD's PCI functions for display or compute, with or without a driver.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::value::{PciAddress, PciId};

use super::files::Refusal;
use super::json::OrNull;
use super::link::Link;
use super::reader::{Fact, Reader, Unread, if_there};

/// The directory of PCI functions.
const DEVICES: &str = "/sys/bus/pci/devices";
/// The vendor id of AMD's GPUs. AMD's CPUs have 0x1022.
pub(super) const AMD: u16 = 0x1002;

/// Whether a GPU is powered. Source: `Documentation/ABI/testing/sysfs-devices-power`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr, strum::EnumString,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Runtime {
    /// Active.
    Active,
    /// Suspended, because it is not in use.
    Suspended,
    /// Between these states.
    #[strum(to_string = "changing", serialize = "suspending", serialize = "resuming")]
    Changing,
    /// The kernel does not suspend it.
    Unsupported,
    /// Suspending or resuming failed, and the kernel has given up.
    Error,
}

/// A GPU. Its JSON lacks the address and ids, because every document states them itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Gpu {
    /// The PCI address.
    #[serde(skip)]
    pub address: PciAddress,
    /// The PCI vendor and device id.
    #[serde(skip)]
    pub id: PciId,
    /// The PCI subsystem vendor and device id, which identify the board.
    #[serde(skip)]
    pub board: Fact<PciId>,
    /// The driver in use; null if there is none.
    #[serde(with = "OrNull::<Option<String>>")]
    pub driver: Fact<Option<String>>,
    /// Whether it is an SR-IOV virtual function, meant for a virtual machine.
    #[serde(skip)]
    pub is_virtual: bool,
    /// Whether the machine's firmware used it as the boot display.
    #[serde(rename = "boot_display")]
    pub is_boot_display: Option<bool>,
    /// The runtime power state.
    #[serde(with = "OrNull::<Runtime>")]
    pub runtime: Fact<Runtime>,
    /// The PCI power state: `D0`, `D3hot`, `D3cold`.
    #[serde(with = "OrNull::<String>")]
    pub power_state: Fact<String>,
    /// Whether it responds on the bus; a lost device reads as all ones.
    #[serde(with = "OrNull::<bool>")]
    pub answers: Fact<bool>,
    /// The PCIe link between the card and the machine.
    #[serde(with = "OrNull::<Link>")]
    pub link: Fact<Link>,
    /// The PCI reset methods: `bus`, `pm`, `flr`, `device_specific`.
    #[serde(with = "OrNull::<Vec<String>>")]
    pub reset_methods: Fact<Vec<String>>,
    /// The supported resets, by block: `gfx_reset_mask` and others, in newer kernels
    /// (`amdgpu_gfx.c`, `amdgpu_sdma.c`).
    pub resets: BTreeMap<String, String>,
    /// The size of its video memory in bytes (`amdgpu_vram_mgr.c`); for an APU, the memory that the
    /// firmware reserves.
    #[serde(with = "OrNull::<u64>")]
    pub vram_bytes: Fact<u64>,
    /// The version of the video BIOS.
    #[serde(with = "OrNull::<String>")]
    pub vbios: Fact<String>,
    /// The versions of the loaded firmware, by block, as the driver numbers them
    /// (`amdgpu_ucode.c`, `fw_attrs`). Missing blocks, for which the driver reports 0, are omitted.
    #[serde(serialize_with = "hexadecimal_versions")]
    #[cfg_attr(test, schemars(with = "Option<BTreeMap<String, String>>"))]
    pub firmware: Fact<BTreeMap<String, u32>>,
}

impl Gpu {
    /// Whether it is bound to amdgpu.
    pub(crate) fn is_driven(&self) -> bool {
        self.driver.as_ref().is_ok_and(|driver| driver.as_deref() == Some("amdgpu"))
    }

    /// Whether it can be read without waking it or delaying its suspend.
    pub(crate) fn is_awake(&self) -> bool {
        is_awake(&self.runtime, &self.power_state)
    }

    /// Whether it is a GPU to be driven here, as opposed to one reserved for a virtual machine or
    /// the second function of a card.
    pub(crate) fn is_whole(&self) -> bool {
        !self.is_virtual && self.address.to_string().ends_with(".0")
    }

    pub(super) fn read(reader: &mut Reader<'_>, address: PciAddress, id: PciId) -> Self {
        let folder = format!("{DEVICES}/{address}");
        let at = |name: &str| format!("{folder}/{name}");
        let runtime = reader.value(&at("power/runtime_status"));
        // Files that access the GPU's registers would wake a suspended GPU or race with its
        // suspend; data that the kernel has cached can be read at any time.
        let power_state = reader.text(&at("power_state"));
        let awake = is_awake(&runtime, &power_state);
        let asleep = |name: &str| Unread::new(at(name), Refusal::Asleep);
        Self {
            address,
            id,
            board: pci_id(reader, &at("subsystem_vendor"), &at("subsystem_device")),
            driver: if_there(reader.link_name(&at("driver"))),
            is_virtual: reader.link(&at("physfn")).is_ok(),
            is_boot_display: reader.read(&at("boot_vga"), flag).ok(),
            power_state,
            answers: if awake { answers(reader, &at("config")) } else { Err(asleep("config")) },
            link: if awake {
                Link::read(reader, address)
            } else {
                Err(asleep("current_link_width"))
            },
            reset_methods: reader
                .text(&at("reset_method"))
                .map(|text| text.split_whitespace().map(str::to_owned).collect()),
            resets: resets(reader, &folder),
            vram_bytes: reader.value(&at("mem_info_vram_total")),
            vbios: reader.text(&at("vbios_version")),
            firmware: firmware(reader, &at("fw_version")),
            runtime,
        }
    }
}

fn hexadecimal_versions<S: Serializer>(
    firmware: &Fact<BTreeMap<String, u32>>,
    to: S,
) -> Result<S::Ok, S::Error> {
    let Ok(firmware) = firmware else { return to.serialize_none() };
    to.collect_map(firmware.iter().map(|(block, version)| (block, format!("{version:#010x}"))))
}

fn is_awake(runtime: &Fact<Runtime>, power_state: &Fact<String>) -> bool {
    matches!(
        runtime,
        Ok(Runtime::Active | Runtime::Unsupported) | Err(Unread { why: Refusal::Missing, .. })
    ) && power_state.as_deref() != Ok("D3cold")
}

/// Whether the GPU at this address is awake now.
pub(super) fn is_awake_now(reader: &mut Reader<'_>, address: PciAddress) -> bool {
    let folder = format!("{DEVICES}/{address}");
    let runtime = reader.value(&format!("{folder}/power/runtime_status"));
    is_awake(&runtime, &reader.text(&format!("{folder}/power_state")))
}

/// All GPUs, sorted by address.
pub(super) fn read(reader: &mut Reader<'_>) -> Fact<Vec<Gpu>> {
    let mut gpus = Vec::new();
    for address in reader.sorted::<PciAddress>(DEVICES)? {
        let at = |name: &str| format!("{DEVICES}/{address}/{name}");
        let Ok(class) = reader.read(&at("class"), hexadecimal) else { continue };
        let Ok(id) = pci_id(reader, &at("vendor"), &at("device")) else { continue };
        // Display controllers and processing accelerators. Source: include/linux/pci_ids.h.
        if id.vendor == AMD && (class >> 16 == 0x03 || class >> 8 == 0x1200) {
            gpus.push(Gpu::read(reader, address, id));
        }
    }
    Ok(gpus)
}

/// Parses a number as sysfs prints those of PCI: `0x030000`.
pub(super) fn hexadecimal(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x")?;
    u32::from_str_radix(digits, 16).ok().filter(|_| !digits.starts_with('+'))
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "0" => Some(false),
        "1" => Some(true),
        _ => None,
    }
}

pub(super) fn pci_id(reader: &mut Reader<'_>, vendor: &str, device: &str) -> Fact<PciId> {
    let short = |text: &str| u16::try_from(hexadecimal(text)?).ok();
    Ok(PciId { vendor: reader.read(vendor, short)?, device: reader.read(device, short)? })
}

/// Whether the device responds: reads vendor and device id from the configuration space, which
/// every user may read.
fn answers(reader: &mut Reader<'_>, path: &str) -> Fact<bool> {
    let bytes = reader.bytes(path)?;
    let id = bytes.get(..4).ok_or_else(|| Unread::new(path, Refusal::Malformed))?;
    Ok(id != [0xff; 4])
}

fn resets(reader: &mut Reader<'_>, folder: &str) -> BTreeMap<String, String> {
    let blocks = ["gfx", "compute", "sdma", "vcn", "jpeg", "vpe"];
    let read = |block: &str| {
        Some((block.to_owned(), reader.text(&format!("{folder}/{block}_reset_mask")).ok()?))
    };
    blocks.into_iter().filter_map(read).collect()
}

fn firmware(reader: &mut Reader<'_>, folder: &str) -> Fact<BTreeMap<String, u32>> {
    let mut versions = BTreeMap::new();
    for name in reader.names(folder)? {
        let Some(block) = name.strip_suffix("_fw_version") else { continue };
        let version = reader.read(&format!("{folder}/{name}"), hexadecimal);
        // The version is 0 for a block that the chip does not have, or whose firmware the driver
        // does not load.
        if let Some(version) = version.ok().filter(|version| *version != 0) {
            versions.insert(block.to_owned(), version);
        }
    }
    Ok(versions)
}
