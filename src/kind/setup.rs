//! Setting up: the chip, its blocks and its firmware.

use super::row::prelude::*;
use crate::value::{Errno, Hex, IpVersion, PciAddress, Phase, Ring, Text};

rows! {
    /// An IP block could not be brought up or down.
    IpBlockFailed: Failure { class: Start,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: GivesUpIfStarting,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Generation, causes: RESET_OR_LOSS,
    } {
        /// The IP block.
        ip: Text,
        /// The step of its life: `hw_init`, `suspend`, `resume` …
        phase: Text,
        /// The error.
        errno: Errno,
        /// `system-sleep` where the lines before or after it show that the whole machine was going
        /// to sleep or waking up, `reset` where they show that the GPU was being reset; no line
        /// says it by itself.
        during: Text,
    }
    /// The driver reports the chip that it initializes.
    GpuIdentity: Context { recovery: Nothing, subject: Gpu, proves: Identity } {
        /// The code name, or `IP DISCOVERY` where the chip describes itself.
        chip: Text,
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// PCI revision.
        revision: Hex,
        /// `dgpu` or `apu`.
        kind: Text,
    }
    /// The driver lists a block of the chip.
    IpBlock: Context { recovery: Nothing, subject: Gpu, proves: Generation } {
        /// The block's implementation: `gfx_v11_0`.
        name: Text,
    }
    /// The driver reports the amount of video memory.
    VramSize: Context { recovery: Nothing, subject: Gpu, proves: MemorySize } {
        /// In MiB.
        mib: u64 [MiB],
    }
    /// The driver could not initialize the GPU.
    InitFailed: Failure { class: Start,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp,
        subject: GpuInText, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The driver.
        driver: Text,
        /// The device, where the line names it inside.
        at: PciAddress,
        /// The error.
        errno: Errno,
    }
    /// The kernel refused to load the driver's module, because the module does not fit the kernel.
    ModuleRefused: Failure { class: Start,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// The module.
        module: Text,
        /// The function or variable that the kernel does not have as the module needs it.
        symbol: Text,
        /// What does not fit: `symbol`, `symbol-version`, `kernel-version` or `signature`.
        reason: Text,
        /// The error.
        errno: Errno,
    }
    /// The IP discovery table of the chip cannot be read or has unknown contents.
    DiscoveryFailed: Failure { class: Start,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The IP block.
        ip: Text,
        /// Its version as one number: `major << 16 | minor << 8 | revision` in older kernels,
        /// `major << 24 | minor << 16 | revision << 8` in newer ones.
        version: IpVersion,
        /// The checksum that was found.
        found: Hex,
        /// The checksum that was expected.
        expected: Hex,
        /// The error.
        errno: Errno,
    }
    /// A firmware file could not be loaded. Some are optional.
    FirmwareMissing: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: FirmwareFile,
    } {
        /// The file.
        file: Text,
        /// The error.
        errno: Errno,
        /// The IP block whose setup fails in the next line, if the file is one of that block.
        stops: Text,
    }
    /// A firmware file was loaded.
    FirmwareLoaded: Context { recovery: Nothing, subject: Gpu, proves: FirmwareFile } {
        /// The file.
        file: Text,
    }
    /// A firmware file was looked for in one of several places, and is not there.
    FirmwareTried: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The file.
        file: Text,
    }
    /// Firmware that was loaded does not start.
    FirmwareFailed: Failure { class: Start,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The firmware.
        name: Text,
        /// The error.
        errno: Errno,
    }
    /// The security processor (PSP), which loads all other firmware, failed.
    PspFailed: Failure { class: Start,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// What it could not load.
        name: Text,
        /// The error.
        errno: Errno,
    }
    /// The security processor (PSP) refused a command. Some refusals are usual.
    PspCommandFailed: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing,
    } {
        /// The command, by name.
        command: Text,
        /// The command, by number.
        number: Hex,
        /// Its answer.
        status: Hex,
        /// The firmware that it should have loaded, by name.
        name: Text,
        /// That firmware, by number.
        firmware: Hex,
    }
    /// An optional part of the security firmware is not there.
    OptionalFirmwareAbsent: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// Which.
        name: Text,
    }
    /// A firmware's version.
    FirmwareVersion: Context { recovery: Nothing, subject: Gpu, proves: Firmware } {
        /// The firmware: `dmub`, `vcn` …
        name: Text,
        /// Its version as one number.
        version: Hex,
        /// First part of the encoder's version.
        major: u32,
        /// Second part of the encoder's version.
        minor: u32,
        /// The revision.
        revision: u32,
        /// Which of several engines.
        instance: u32,
    }
    /// An IP block is ready, or wakes up.
    BlockReady: Context { recovery: TakesTheGpuBackIfPowered, subject: Gpu, proves: Nothing } {
        /// The IP block.
        ip: Text,
        /// `begin` or `end`.
        phase: Phase,
    }
    /// A DRM driver has initialized a device.
    DriverReady: Context { recovery: TakesTheGpuBack, subject: GpuInText, proves: Nothing } {
        /// The driver.
        driver: Text,
        /// First part of its interface version.
        major: u32,
        /// Second part.
        minor: u32,
        /// Third part.
        patch: u32,
        /// The device.
        at: PciAddress,
        /// The number of the device node.
        node: u32,
    }
    /// The video BIOS.
    VideoBios: Context { recovery: Nothing, subject: Gpu, proves: VideoBios } {
        /// Where it was found: `VFCT`, `ROM` …
        found_in: Text,
        /// Its part number.
        part: Text,
    }
    /// The kind of video memory.
    VramType: Context { recovery: Nothing, subject: Gpu, proves: MemoryType } {
        /// The width of its bus, in bits.
        bits: u32 [Bits],
        /// `GDDR6`, `HBM`, `DDR5` …
        memory: Text,
    }
    /// The number of active shader units.
    ShaderUnits: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// Shader engines.
        engines: u32,
        /// Shader arrays in each.
        arrays: u32,
        /// Compute units in each array.
        units: u32,
        /// Compute units that are in use, in all.
        active: u32,
    }
    /// The bus does not support atomic operations of the GPU on system memory.
    AtomicsUnsupported: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// A note of the driver, mostly from initialization.
    SetupNote: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The ring.
        ring: Ring,
        /// Another ring.
        other_ring: Ring,
        /// An address or offset.
        address: Hex,
        /// The last address.
        end: Hex,
        /// A size, in the unit that the sentence names.
        size: u64,
        /// A number, named by the sentence.
        number: u32,
        /// The error.
        errno: Errno,
    }
    /// The driver releases the GPU, because it is unloaded or the GPU is taken from it.
    DriverReleased: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// A virtual function cannot use what its host's driver writes about the GPU: it is damaged, or
    /// cannot be read.
    HostMessageInvalid: Aftermath { class: Start, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The size that the message states; 0xffffffff is what a read without an answer returns.
        size: Hex,
    }
    /// The driver is not the kernel's own but a package (DKMS).
    DriverPackage: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The version.
        version: Text,
    }
    /// A driver option that is wrong, out of range, out of date or dangerous.
    ParameterProblem: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The module.
        module: Text,
        /// The option.
        parameter: Text,
        /// Its value.
        value: Text,
        /// The IP block that it switches off.
        ip: Text,
    }
}
