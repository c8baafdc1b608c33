//! What a bug report says of a machine, as a JSON object: `null` for what is unknown; why it is, says
//! the list of what could not be had.

mod types;

use std::io;

use super::{HostFacts, Lack, help};
use crate::host::about::{
    Attachment, Change, Connector, Details, DeviceFile, FailingProcess, FirmwareFile,
    FirmwareFiles, Installation, IpBlock, Membership, Node, Package, Packages, Rocm, Sensor,
    System, Usage,
};
use crate::host::{Fact, Gpu};
use crate::pattern::hardware::Chip;
use crate::pattern::machine::Taint;
use crate::report::json::whole;
use crate::report::word::Word;

pub(in crate::report) use types::HostFactsObject;
use types::{
    AttachmentObject, BlockObject, BoardObject, ChangeObject, ConnectorObject, DeviceFileObject,
    DistributionObject, FirmwareFileObject, FirmwareFilesObject, GpuFactsObject, GroupObject,
    InstallationObject, LackObject, NodeObject, PackageObject, PackagesObject, ProcessObject,
    ProcessorObject, RocmObject, SensorObject, SessionObject, SystemFactsObject, TaintObject,
    UsageObject,
};

/// Writes the object.
///
/// # Errors
/// What the writer returns.
pub fn write(facts: HostFacts<'_>, out: &mut impl io::Write) -> io::Result<()> {
    whole(&object(facts), out)
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
    LackObject { what, origin, why: (&why).into(), reason: why.to_string(), help: helps.map(help) }
}
