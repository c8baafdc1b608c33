//! What the object is made of.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::host::about::{Database, Unit};
use crate::pattern::machine::PackageKind;
use crate::report::word::Word;
use crate::value::{GfxTarget, PciAddress, PciId};

/// A machine, as a bug report tells of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct HostFactsObject<'f> {
    /// Distribution, kernel, processor, memory, board.
    pub(super) system: SystemFactsObject<'f>,
    /// Packages that concern a GPU.
    pub(super) packages: PackagesObject<'f>,
    /// The compute stack.
    pub(super) rocm: RocmObject<'f>,
    /// The nodes of the compute driver that are GPUs; null where they could not be read.
    pub(super) kfd: Option<Vec<NodeObject>>,
    /// The GPUs of AMD.
    pub(super) gpus: Vec<GpuFactsObject<'f>>,
    /// Files that the driver loads into a GPU.
    pub(super) firmware_files: FirmwareFilesObject<'f>,
    /// The session that the report was made in.
    pub(super) session: SessionObject<'f>,
    /// The process that was asked for; null for none.
    pub(super) failing_process: Option<ProcessObject<'f>>,
    /// Files of the bundle that hold a text as it is.
    pub(super) attachments: Vec<AttachmentObject<'f>>,
    /// What could not be had.
    pub(super) not_had: Vec<LackObject>,
}

/// The machine as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct SystemFactsObject<'f> {
    /// The distribution.
    pub(super) distribution: Option<DistributionObject<'f>>,
    /// The kernel's release.
    pub(super) kernel: Option<&'f str>,
    /// When and how the kernel was built.
    pub(super) build: Option<&'f str>,
    /// What kind of processor the kernel is for.
    pub(super) architecture: Option<&'f str>,
    /// The processor.
    pub(super) processor: Option<ProcessorObject<'f>>,
    /// Memory in bytes.
    pub(super) memory_bytes: Option<u64>,
    /// Swap in bytes.
    pub(super) swap_bytes: Option<u64>,
    /// The board and its firmware.
    pub(super) board: BoardObject<'f>,
    /// What the kernel's taint says.
    pub(super) taint: Option<Vec<TaintObject<'f>>>,
}

/// A distribution.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct DistributionObject<'f> {
    /// What it calls itself.
    pub(super) name: &'f str,
    /// Its short name.
    pub(super) id: Option<&'f str>,
    /// What it is built on.
    pub(super) like: &'f [String],
    /// Its version.
    pub(super) version: Option<&'f str>,
    /// Its variant.
    pub(super) variant: Option<&'f str>,
}

/// A processor.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct ProcessorObject<'f> {
    /// Its name.
    pub(super) model: Option<&'f str>,
    /// How many threads run at once.
    pub(super) threads: usize,
}

/// A board and its firmware.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct BoardObject<'f> {
    /// Who built the machine.
    pub(super) vendor: Option<&'f str>,
    /// What it is sold as.
    pub(super) product: Option<&'f str>,
    /// The board.
    pub(super) board: Option<&'f str>,
    /// The version of its firmware.
    pub(super) bios_version: Option<&'f str>,
    /// The date of its firmware, as its maker writes it.
    pub(super) bios_date: Option<&'f str>,
}

/// A bit of the kernel's taint.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct TaintObject<'f> {
    /// The bit.
    pub(super) bit: u8,
    /// Its letter.
    pub(super) letter: &'f str,
    /// What it means.
    pub(super) meaning: &'f str,
}

/// Packages.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct PackagesObject<'f> {
    /// Whose files they are read of.
    pub(super) database: Option<Word<Database>>,
    /// What is installed; null where that could not be read.
    pub(super) installed: Option<Vec<PackageObject<'f>>>,
    /// What became of them lately, the newest last; null where no log of that could be read.
    pub(super) changes: Option<Vec<ChangeObject<'f>>>,
}

/// An installed package.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct PackageObject<'f> {
    /// What it has to do with a GPU.
    pub(super) kind: Word<PackageKind>,
    /// Its name.
    pub(super) name: &'f str,
    /// Its version.
    pub(super) version: &'f str,
    /// The day on which this version was installed.
    pub(super) installed: Option<String>,
}

/// What became of a package.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct ChangeObject<'f> {
    /// When, as the package manager's log has it.
    pub(super) when: &'f str,
    /// What the package has to do with a GPU.
    pub(super) kind: Word<PackageKind>,
    /// Its name.
    pub(super) name: &'f str,
    /// The version before; null where it was not installed.
    pub(super) from: Option<&'f str>,
    /// The version after; null where it was taken off.
    pub(super) to: Option<&'f str>,
}

/// The compute stack.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct RocmObject<'f> {
    /// What is installed below `/opt`.
    pub(super) installations: Option<Vec<InstallationObject<'f>>>,
    /// Files through which programs reach a GPU.
    pub(super) devices: Vec<DeviceFileObject<'f>>,
    /// Groups that may use them.
    pub(super) groups: Vec<GroupObject>,
}

/// An installation of the compute stack.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct InstallationObject<'f> {
    /// Where it is.
    pub(super) folder: &'f str,
    /// Its version.
    pub(super) version: Option<&'f str>,
    /// What its matrix library has code for.
    pub(super) gfx_targets: Option<Vec<GfxTarget>>,
}

/// A file through which programs reach a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct DeviceFileObject<'f> {
    /// Its path.
    pub(super) path: &'f str,
    /// Its rights, in octal digits; null where it is not there or could not be looked at.
    pub(super) mode: Option<String>,
    /// The name of its group, where it is one of those that are expected.
    pub(super) group: Option<&'f str>,
    /// Whether whoever made the report may use it.
    pub(super) usable: Option<bool>,
}

/// A group that may open a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct GroupObject {
    /// Its name.
    pub(super) name: &'static str,
    /// Whether whoever made the report is in it; null where that is not known.
    pub(super) member: Option<bool>,
}

/// A node of the compute driver.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct NodeObject {
    /// Its number.
    pub(super) number: u32,
    /// The PCI function that it is.
    pub(super) pci_address: Option<PciAddress>,
    /// Its instruction set.
    pub(super) gfx_target: Option<GfxTarget>,
    /// The version of its compute firmware.
    pub(super) firmware: Option<u32>,
    /// The version of its copy engines' firmware.
    pub(super) sdma_firmware: Option<u32>,
    /// How many SIMD units it has.
    pub(super) simds: Option<u32>,
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct GpuFactsObject<'f> {
    /// Where it sits.
    pub(super) pci_address: PciAddress,
    /// What it is.
    pub(super) pci_id: PciId,
    /// Its revision.
    pub(super) revision: Option<u8>,
    /// Its board.
    pub(super) board: Option<PciId>,
    /// What it is sold as.
    pub(super) name: Option<String>,
    /// Its chip.
    pub(super) asic: Option<&'f str>,
    /// Its instruction set.
    pub(super) gfx_target: Option<GfxTarget>,
    /// The driver that it is bound to.
    pub(super) driver: Option<&'f str>,
    /// The name of its own firmware in flash.
    pub(super) vbios: Option<&'f str>,
    /// The versions of the firmware that the driver loaded, by block, in hexadecimal.
    pub(super) firmware: Option<BTreeMap<&'f str, String>>,
    /// Whether it was awake.
    pub(super) awake: Option<bool>,
    /// The number of its card.
    pub(super) card: Option<u32>,
    /// The number of its render node.
    pub(super) render: Option<u32>,
    /// Its blocks.
    pub(super) blocks: Option<Vec<BlockObject<'f>>>,
    /// Its own memory.
    pub(super) vram: Option<UsageObject>,
    /// What of it the processor sees.
    pub(super) visible_vram: Option<UsageObject>,
    /// What of the machine's memory it can use.
    pub(super) gtt: Option<UsageObject>,
    /// Who made its memory.
    pub(super) vram_vendor: Option<&'f str>,
    /// Clocks, power states and limits, by the driver's files; null for one that was not read.
    pub(super) states: BTreeMap<&'static str, Option<&'f str>>,
    /// The table of overdrive, where the driver has one.
    pub(super) overdrive: Option<&'f str>,
    /// Its sensors.
    pub(super) sensors: Option<Vec<SensorObject<'f>>>,
    /// Errors that it counted, by the driver's files.
    pub(super) errors: Option<&'f BTreeMap<String, String>>,
    /// Places for displays.
    pub(super) connectors: Option<Vec<ConnectorObject<'f>>>,
}

/// A block of a chip.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct BlockObject<'f> {
    /// Its name.
    pub(super) name: &'f str,
    /// The die that it is on.
    pub(super) die: u32,
    /// Which one of its kind.
    pub(super) instance: u32,
    /// Its version.
    pub(super) version: String,
}

/// How much there is, and how much is in use.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct UsageObject {
    /// All, in bytes.
    pub(super) total_bytes: Option<u64>,
    /// In use, in bytes.
    pub(super) used_bytes: Option<u64>,
}

/// What a sensor shows.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct SensorObject<'f> {
    /// The file.
    pub(super) file: &'f str,
    /// What it is called.
    pub(super) label: Option<&'f str>,
    /// What it shows.
    pub(super) value: i64,
    /// In what.
    pub(super) unit: Word<Unit>,
}

/// A place for a display.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct ConnectorObject<'f> {
    /// Its name.
    pub(super) name: &'f str,
    /// Whether a display is there.
    pub(super) status: Option<&'f str>,
    /// Whether a picture is sent to it.
    pub(super) enabled: Option<&'f str>,
    /// Whether the display is to be on.
    pub(super) dpms: Option<&'f str>,
    /// The mode that the display likes best.
    pub(super) mode: Option<&'f str>,
}

/// Firmware files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct FirmwareFilesObject<'f> {
    /// Files that somebody put over the distribution's.
    pub(super) overlay: Vec<FirmwareFileObject<'f>>,
    /// The files of the chips that are there.
    pub(super) of_chips: Option<Vec<FirmwareFileObject<'f>>>,
    /// What the machine starts with.
    pub(super) initramfs: Option<FirmwareFileObject<'f>>,
}

/// A file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct FirmwareFileObject<'f> {
    /// Its path.
    pub(super) path: &'f str,
    /// Its length in bytes.
    pub(super) bytes: u64,
    /// When it was written, in seconds since 1970.
    pub(super) modified: i64,
    /// SHA-256 of what is in it.
    pub(super) sha256: Option<&'f str>,
}

/// A session.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct SessionObject<'f> {
    /// Its kind: `wayland`, `x11`, `tty`.
    pub(super) kind: Option<&'f str>,
    /// The desktop.
    pub(super) desktop: Option<&'f str>,
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct ProcessObject<'f> {
    /// Its number.
    pub(super) id: u32,
    /// Its name.
    pub(super) name: Option<&'f str>,
    /// Variables that steer the driver, by name; null for a value that may be a secret.
    pub(super) variables: Option<&'f BTreeMap<String, Option<String>>>,
}

/// A file of the bundle.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct AttachmentObject<'f> {
    /// Its name.
    pub(super) name: &'f str,
    /// The file or command that it came from.
    pub(super) origin: &'f str,
    /// Its length in bytes; null where it could not be had.
    pub(super) bytes: Option<usize>,
    /// Whether it is only the beginning.
    pub(super) cut: bool,
}

/// Something that could not be had.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct LackObject {
    /// What.
    pub(super) what: String,
    /// The file or command that it would have come from.
    pub(super) origin: String,
    /// Why, in one word.
    pub(super) why: &'static str,
    /// Why, in words.
    pub(super) reason: String,
    /// What would help.
    pub(super) help: Option<String>,
}
