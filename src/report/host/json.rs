//! What a bug report says of a machine, as a JSON object: `null` for what is unknown; why it is, says
//! the list of what could not be had.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::{HostFacts, Lack, help};
use crate::host::about::{
    Attachment, Change, Connector, Database, Details, DeviceFile, FailingProcess, FirmwareFile,
    FirmwareFiles, Installation, IpBlock, Membership, Node, Package, Packages, Rocm, Sensor,
    System, Unit, Usage,
};
use crate::host::{Fact, Gpu};
use crate::pattern::hardware::Chip;
use crate::pattern::machine::{PackageKind, Taint};
use crate::report::json::whole;
use crate::report::word::Word;
use crate::value::{GfxTarget, PciAddress, PciId};

/// Writes the object.
///
/// # Errors
/// What the writer returns.
pub fn write(facts: HostFacts<'_>, out: &mut impl io::Write) -> io::Result<()> {
    whole(&object(facts), out)
}

/// A machine, as a bug report tells of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct HostFactsObject<'f> {
    /// Distribution, kernel, processor, memory, board.
    system: SystemFactsObject<'f>,
    /// Packages that concern a GPU.
    packages: PackagesObject<'f>,
    /// The compute stack.
    rocm: RocmObject<'f>,
    /// The nodes of the compute driver that are GPUs; null where they could not be read.
    kfd: Option<Vec<NodeObject>>,
    /// The GPUs of AMD.
    gpus: Vec<GpuFactsObject<'f>>,
    /// Files that the driver loads into a GPU.
    firmware_files: FirmwareFilesObject<'f>,
    /// The session that the report was made in.
    session: SessionObject<'f>,
    /// The process that was asked for; null for none.
    failing_process: Option<ProcessObject<'f>>,
    /// Files of the bundle that hold a text as it is.
    attachments: Vec<AttachmentObject<'f>>,
    /// What could not be had.
    not_had: Vec<LackObject>,
}

/// The machine as a whole.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SystemFactsObject<'f> {
    /// The distribution.
    distribution: Option<DistributionObject<'f>>,
    /// The kernel's release.
    kernel: Option<&'f str>,
    /// When and how the kernel was built.
    build: Option<&'f str>,
    /// What kind of processor the kernel is for.
    architecture: Option<&'f str>,
    /// The processor.
    processor: Option<ProcessorObject<'f>>,
    /// Memory in bytes.
    memory_bytes: Option<u64>,
    /// Swap in bytes.
    swap_bytes: Option<u64>,
    /// The board and its firmware.
    board: BoardObject<'f>,
    /// What the kernel's taint says.
    taint: Option<Vec<TaintObject<'f>>>,
}

/// A distribution.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DistributionObject<'f> {
    /// What it calls itself.
    name: &'f str,
    /// Its short name.
    id: Option<&'f str>,
    /// What it is built on.
    like: &'f [String],
    /// Its version.
    version: Option<&'f str>,
    /// Its variant.
    variant: Option<&'f str>,
}

/// A processor.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProcessorObject<'f> {
    /// Its name.
    model: Option<&'f str>,
    /// How many threads run at once.
    threads: usize,
}

/// A board and its firmware.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BoardObject<'f> {
    /// Who built the machine.
    vendor: Option<&'f str>,
    /// What it is sold as.
    product: Option<&'f str>,
    /// The board.
    board: Option<&'f str>,
    /// The version of its firmware.
    bios_version: Option<&'f str>,
    /// The date of its firmware, as its maker writes it.
    bios_date: Option<&'f str>,
}

/// A bit of the kernel's taint.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaintObject<'f> {
    /// The bit.
    bit: u8,
    /// Its letter.
    letter: &'f str,
    /// What it means.
    meaning: &'f str,
}

/// Packages.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PackagesObject<'f> {
    /// Whose files they are read of.
    database: Option<Word<Database>>,
    /// What is installed; null where that could not be read.
    installed: Option<Vec<PackageObject<'f>>>,
    /// What became of them lately, the newest last; null where no log of that could be read.
    changes: Option<Vec<ChangeObject<'f>>>,
}

/// An installed package.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct PackageObject<'f> {
    /// What it has to do with a GPU.
    kind: Word<PackageKind>,
    /// Its name.
    name: &'f str,
    /// Its version.
    version: &'f str,
    /// The day on which this version was installed.
    installed: Option<String>,
}

/// What became of a package.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChangeObject<'f> {
    /// When, as the package manager's log has it.
    when: &'f str,
    /// What the package has to do with a GPU.
    kind: Word<PackageKind>,
    /// Its name.
    name: &'f str,
    /// The version before; null where it was not installed.
    from: Option<&'f str>,
    /// The version after; null where it was taken off.
    to: Option<&'f str>,
}

/// The compute stack.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RocmObject<'f> {
    /// What is installed below `/opt`.
    installations: Option<Vec<InstallationObject<'f>>>,
    /// Files through which programs reach a GPU.
    devices: Vec<DeviceFileObject<'f>>,
    /// Groups that may use them.
    groups: Vec<GroupObject>,
}

/// An installation of the compute stack.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct InstallationObject<'f> {
    /// Where it is.
    folder: &'f str,
    /// Its version.
    version: Option<&'f str>,
    /// What its matrix library has code for.
    gfx_targets: Option<Vec<GfxTarget>>,
}

/// A file through which programs reach a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DeviceFileObject<'f> {
    /// Its path.
    path: &'f str,
    /// Its rights, in octal digits; null where it is not there or could not be looked at.
    mode: Option<String>,
    /// The name of its group, where it is one of those that are expected.
    group: Option<&'f str>,
    /// Whether whoever made the report may use it.
    usable: Option<bool>,
}

/// A group that may open a GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GroupObject {
    /// Its name.
    name: &'static str,
    /// Whether whoever made the report is in it; null where that is not known.
    member: Option<bool>,
}

/// A node of the compute driver.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NodeObject {
    /// Its number.
    number: u32,
    /// The PCI function that it is.
    pci_address: Option<PciAddress>,
    /// Its instruction set.
    gfx_target: Option<GfxTarget>,
    /// The version of its compute firmware.
    firmware: Option<u32>,
    /// The version of its copy engines' firmware.
    sdma_firmware: Option<u32>,
    /// How many SIMD units it has.
    simds: Option<u32>,
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuFactsObject<'f> {
    /// Where it sits.
    pci_address: PciAddress,
    /// What it is.
    pci_id: PciId,
    /// Its revision.
    revision: Option<u8>,
    /// Its board.
    board: Option<PciId>,
    /// What it is sold as.
    name: Option<String>,
    /// Its chip.
    asic: Option<&'f str>,
    /// Its instruction set.
    gfx_target: Option<GfxTarget>,
    /// The driver that it is bound to.
    driver: Option<&'f str>,
    /// The name of its own firmware in flash.
    vbios: Option<&'f str>,
    /// The versions of the firmware that the driver loaded, by block, in hexadecimal.
    firmware: Option<BTreeMap<&'f str, String>>,
    /// Whether it was awake.
    awake: Option<bool>,
    /// The number of its card.
    card: Option<u32>,
    /// The number of its render node.
    render: Option<u32>,
    /// Its blocks.
    blocks: Option<Vec<BlockObject<'f>>>,
    /// Its own memory.
    vram: Option<UsageObject>,
    /// What of it the processor sees.
    visible_vram: Option<UsageObject>,
    /// What of the machine's memory it can use.
    gtt: Option<UsageObject>,
    /// Who made its memory.
    vram_vendor: Option<&'f str>,
    /// Clocks, power states and limits, by the driver's files; null for one that was not read.
    states: BTreeMap<&'static str, Option<&'f str>>,
    /// The table of overdrive, where the driver has one.
    overdrive: Option<&'f str>,
    /// Its sensors.
    sensors: Option<Vec<SensorObject<'f>>>,
    /// Errors that it counted, by the driver's files.
    errors: Option<&'f BTreeMap<String, String>>,
    /// Places for displays.
    connectors: Option<Vec<ConnectorObject<'f>>>,
}

/// A block of a chip.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct BlockObject<'f> {
    /// Its name.
    name: &'f str,
    /// The die that it is on.
    die: u32,
    /// Which one of its kind.
    instance: u32,
    /// Its version.
    version: String,
}

/// How much there is, and how much is in use.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UsageObject {
    /// All, in bytes.
    total_bytes: Option<u64>,
    /// In use, in bytes.
    used_bytes: Option<u64>,
}

/// What a sensor shows.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SensorObject<'f> {
    /// The file.
    file: &'f str,
    /// What it is called.
    label: Option<&'f str>,
    /// What it shows.
    value: i64,
    /// In what.
    unit: Word<Unit>,
}

/// A place for a display.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ConnectorObject<'f> {
    /// Its name.
    name: &'f str,
    /// Whether a display is there.
    status: Option<&'f str>,
    /// Whether a picture is sent to it.
    enabled: Option<&'f str>,
    /// Whether the display is to be on.
    dpms: Option<&'f str>,
    /// The mode that the display likes best.
    mode: Option<&'f str>,
}

/// Firmware files.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FirmwareFilesObject<'f> {
    /// Files that somebody put over the distribution's.
    overlay: Vec<FirmwareFileObject<'f>>,
    /// The files of the chips that are there.
    of_chips: Option<Vec<FirmwareFileObject<'f>>>,
    /// What the machine starts with.
    initramfs: Option<FirmwareFileObject<'f>>,
}

/// A file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FirmwareFileObject<'f> {
    /// Its path.
    path: &'f str,
    /// Its length in bytes.
    bytes: u64,
    /// When it was written, in seconds since 1970.
    modified: i64,
    /// SHA-256 of what is in it.
    sha256: Option<&'f str>,
}

/// A session.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SessionObject<'f> {
    /// Its kind: `wayland`, `x11`, `tty`.
    kind: Option<&'f str>,
    /// The desktop.
    desktop: Option<&'f str>,
}

/// A process.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ProcessObject<'f> {
    /// Its number.
    id: u32,
    /// Its name.
    name: Option<&'f str>,
    /// Variables that steer the driver, by name; null for a value that may be a secret.
    variables: Option<&'f BTreeMap<String, Option<String>>>,
}

/// A file of the bundle.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct AttachmentObject<'f> {
    /// Its name.
    name: &'f str,
    /// The file or command that it came from.
    origin: &'f str,
    /// Its length in bytes; null where it could not be had.
    bytes: Option<usize>,
    /// Whether it is only the beginning.
    cut: bool,
}

/// Something that could not be had.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LackObject {
    /// What.
    what: String,
    /// The file or command that it would have come from.
    origin: String,
    /// Why, in one word.
    why: &'static str,
    /// Why, in words.
    reason: String,
    /// What would help.
    help: Option<String>,
}

/// The object.
pub(in crate::report) fn object(facts: HostFacts<'_>) -> HostFactsObject<'_> {
    let about = facts.about;
    HostFactsObject {
        system: system(&about.system),
        packages: packages(&about.packages),
        rocm: rocm(&about.rocm),
        kfd: about.kfd.as_ref().ok().map(|nodes| nodes.iter().map(node).collect()),
        gpus: facts.gpus().map(|(one, details)| gpu(facts, one, details)).collect(),
        firmware_files: firmware_files(&about.firmware_files),
        session: SessionObject {
            kind: about.session.kind.as_deref(),
            desktop: about.session.desktop.as_deref(),
        },
        failing_process: about.failing_process.as_ref().map(process),
        attachments: about.attachments.iter().map(attachment).collect(),
        not_had: facts.lacks().into_iter().map(lack).collect(),
    }
}

fn text(fact: &Fact<String>) -> Option<&str> {
    fact.as_deref().ok()
}

fn list<'f, T, U>(fact: &'f Fact<Vec<T>>, one: impl Fn(&'f T) -> U) -> Option<Vec<U>> {
    fact.as_ref().ok().map(|all| all.iter().map(one).collect())
}

fn system(system: &System) -> SystemFactsObject<'_> {
    let (release, processor) = (system.release.as_ref().ok(), system.processor.as_ref().ok());
    let memory = system.memory.as_ref().ok();
    SystemFactsObject {
        distribution: release.map(|release| DistributionObject {
            name: &release.name,
            id: release.id.as_deref(),
            like: &release.like,
            version: release.version.as_deref(),
            variant: release.variant.as_deref(),
        }),
        kernel: text(&system.kernel),
        build: text(&system.build),
        architecture: text(&system.architecture),
        processor: processor.map(|processor| ProcessorObject {
            model: processor.model.as_deref(),
            threads: processor.threads,
        }),
        memory_bytes: memory.map(|memory| memory.total),
        swap_bytes: memory.and_then(|memory| memory.swap),
        board: BoardObject {
            vendor: text(&system.board.vendor),
            product: text(&system.board.product),
            board: text(&system.board.board),
            bios_version: text(&system.board.bios_version),
            bios_date: text(&system.board.bios_date),
        },
        taint: list(&system.taint, taint),
    }
}

fn taint(taint: &Taint) -> TaintObject<'_> {
    TaintObject { bit: taint.bit, letter: &taint.letter, meaning: &taint.meaning }
}

fn packages(packages: &Packages) -> PackagesObject<'_> {
    PackagesObject {
        database: packages.database.map(Word),
        installed: list(&packages.installed, package),
        changes: list(&packages.changes, change),
    }
}

fn package(package: &Package) -> PackageObject<'_> {
    PackageObject {
        kind: Word(package.kind),
        name: &package.name,
        version: &package.version,
        installed: package.installed.map(|day| day.to_string()),
    }
}

fn change(change: &Change) -> ChangeObject<'_> {
    ChangeObject {
        when: &change.when,
        kind: Word(change.kind),
        name: &change.name,
        from: change.from.as_deref(),
        to: change.to.as_deref(),
    }
}

fn rocm(rocm: &Rocm) -> RocmObject<'_> {
    RocmObject {
        installations: list(&rocm.installations, installation),
        devices: rocm.devices.iter().map(device_file).collect(),
        groups: rocm.memberships.iter().map(group).collect(),
    }
}

fn installation(one: &Installation) -> InstallationObject<'_> {
    InstallationObject {
        folder: &one.folder,
        version: text(&one.version),
        gfx_targets: one.targets.as_ref().ok().map(|targets| targets.iter().copied().collect()),
    }
}

fn device_file(file: &DeviceFile) -> DeviceFileObject<'_> {
    let status = file.status.as_ref().ok();
    DeviceFileObject {
        path: &file.path,
        mode: status.map(|status| format!("{:04o}", status.mode)),
        group: file.group.as_deref(),
        usable: status.map(|status| status.usable),
    }
}

const fn group(group: &Membership) -> GroupObject {
    GroupObject { name: group.group, member: group.member }
}

const fn node(node: &Node) -> NodeObject {
    NodeObject {
        number: node.number,
        pci_address: node.address,
        gfx_target: node.target,
        firmware: node.firmware,
        sdma_firmware: node.sdma_firmware,
        simds: node.simds,
    }
}

fn gpu<'f>(facts: HostFacts<'f>, gpu: &'f Gpu, details: Option<&'f Details>) -> GpuFactsObject<'f> {
    let memory = details.map(|details| &details.memory);
    let firmware = gpu.firmware.as_ref().ok();
    let version =
        |(block, version): (&'f String, &u32)| (block.as_str(), format!("{version:#010x}"));
    let states = details.into_iter().flat_map(|details| &details.states);
    GpuFactsObject {
        pci_address: gpu.address,
        pci_id: gpu.id,
        revision: details.and_then(|details| details.revision.clone().ok()),
        board: gpu.board.clone().ok(),
        name: facts.product(gpu),
        asic: facts.chip(gpu).map(|chip: &Chip| chip.asic.as_str()),
        gfx_target: facts.target(gpu),
        driver: gpu.driver.as_ref().ok().and_then(Option::as_deref),
        vbios: text(&gpu.vbios),
        firmware: firmware.map(|firmware| firmware.iter().map(version).collect()),
        awake: details.map(|details| details.awake),
        card: details.and_then(|details| details.card),
        render: details.and_then(|details| details.render),
        blocks: details.and_then(|details| list(&details.blocks, block)),
        vram: memory.and_then(|memory| usage(&memory.vram)),
        visible_vram: memory.and_then(|memory| usage(&memory.visible)),
        gtt: memory.and_then(|memory| usage(&memory.gtt)),
        vram_vendor: memory.and_then(|memory| text(&memory.vendor)),
        states: states.map(|(name, state)| (*name, text(state))).collect(),
        overdrive: details
            .and_then(|details| details.overdrive.as_ref().ok())
            .and_then(Option::as_deref),
        sensors: details.and_then(|details| list(&details.sensors, sensor)),
        errors: details.and_then(|details| details.errors.as_ref().ok()).and_then(Option::as_ref),
        connectors: details.and_then(|details| list(&details.connectors, connector)),
    }
}

fn block(block: &IpBlock) -> BlockObject<'_> {
    let [major, minor, revision] = block.version;
    BlockObject {
        name: &block.name,
        die: block.die,
        instance: block.instance,
        version: format!("{major}.{minor}.{revision}"),
    }
}

fn usage(usage: &Usage) -> Option<UsageObject> {
    let (total, used) = (usage.total.as_ref().ok(), usage.used.as_ref().ok());
    (total.is_some() || used.is_some())
        .then(|| UsageObject { total_bytes: total.copied(), used_bytes: used.copied() })
}

fn sensor(sensor: &Sensor) -> SensorObject<'_> {
    SensorObject {
        file: &sensor.file,
        label: sensor.label.as_deref(),
        value: sensor.value,
        unit: Word(sensor.unit),
    }
}

fn connector(connector: &Connector) -> ConnectorObject<'_> {
    ConnectorObject {
        name: &connector.name,
        status: text(&connector.status),
        enabled: text(&connector.enabled),
        dpms: text(&connector.dpms),
        mode: connector.mode.as_ref().ok().and_then(Option::as_deref),
    }
}

fn firmware_files(files: &FirmwareFiles) -> FirmwareFilesObject<'_> {
    let initramfs = files.initramfs.as_ref().ok();
    FirmwareFilesObject {
        overlay: files.overlay.iter().map(firmware_file).collect(),
        of_chips: list(&files.of_chips, firmware_file),
        initramfs: initramfs.map(|file| FirmwareFileObject {
            path: &file.path,
            bytes: file.size,
            modified: file.modified,
            sha256: None,
        }),
    }
}

fn firmware_file(file: &FirmwareFile) -> FirmwareFileObject<'_> {
    FirmwareFileObject {
        path: &file.path,
        bytes: file.size,
        modified: file.modified,
        sha256: file.sha256.as_deref(),
    }
}

fn process(process: &FailingProcess) -> ProcessObject<'_> {
    ProcessObject {
        id: process.id,
        name: text(&process.name),
        variables: process.variables.as_ref().ok(),
    }
}

fn attachment(attachment: &Attachment) -> AttachmentObject<'_> {
    AttachmentObject {
        name: &attachment.name,
        origin: &attachment.origin,
        bytes: attachment.content.as_ref().ok().map(Vec::len),
        cut: attachment.cut,
    }
}

fn lack(lack: Lack) -> LackObject {
    let Lack { what, origin, why, help: helps } = lack;
    LackObject { what, origin, why: why.name(), reason: why.to_string(), help: helps.map(help) }
}
