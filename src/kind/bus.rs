//! The PCI bus and the IOMMU.

use super::row::prelude::*;
use crate::value::{AerSeverity, Errno, Hex, PciAddress, PciChannel, Text, Words};

rows! {
    /// The GPU does not respond on the bus.
    DeviceLost: Failure { class: Loss,
        mark: Lost, begins: true, opens: UnlessInferred, leaves: Stuck, recovery: LosesTheGpu,
        subject: LostDevice, owner: Nobody, work: Unclear, proves: Loss, causes: NOTHING,
    } {
        /// The power state that it did not leave.
        state: Text,
        /// What it did not answer after: `resume`, `bus reset`.
        moment: Text,
    }
    /// The PCI core reports a device error to the driver, or starts a recovery step.
    PciErrorState: Failure { class: Loss,
        mark: Failure, begins: true, opens: UnlessNormal, leaves: Unclear, recovery: GivesUpIfDead,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: BUS_ERROR,
    } {
        /// The channel state that the driver receives.
        channel: PciChannel,
    }
    /// A step of PCI error recovery.
    PciRecovery: Step {
        mark: None, opens: IfStepFailed, recovery: PerStepField, subject: BusRepair, proves: Nothing,
    } {
        /// The step: `slot-reset`, `resume`, `succeeded`, `failed`.
        step: Text,
        /// The error.
        errno: Errno,
    }
    /// Advanced error reporting (AER) of the PCI bus.
    PcieError: Failure { class: Bus,
        mark: Failure, begins: false, opens: UnlessCorrected, leaves: Unclear, recovery: Nothing,
        subject: BusError, owner: Nobody, work: Unclear, proves: Identity, causes: NOTHING,
    } {
        /// The device that the report is about, if the line names one.
        source: PciAddress,
        /// The severity.
        severity: AerSeverity,
        /// The layer: `Physical Layer`, `Data Link Layer`, `Transaction Layer`.
        layer: Text,
        /// The role of the device: `Receiver ID`, `Requester ID` …
        agent: Text,
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// The error bits.
        status: Hex,
        /// The mask of error bits that are not reported.
        mask: Hex,
        /// The names of the bits.
        bits: Words,
    }
    /// The machine's firmware reports a hardware error to the kernel (APEI), as servers do.
    FirmwareError: Failure { class: Bus,
        mark: Failure, begins: false, opens: UnlessCorrected, leaves: Unclear, recovery: Nothing,
        subject: BusError, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// The severity.
        severity: AerSeverity,
        /// What kind of part it is of: `PCIe error`, `memory error` …
        section: Text,
        /// The device that detected it.
        source: PciAddress,
    }
    /// The same, as the firmware kept it from an earlier boot (BERT).
    FirmwareRecord: Context { recovery: Nothing, subject: BusError, proves: Nothing } {
        /// The severity.
        severity: AerSeverity,
        /// What kind of part it is of.
        section: Text,
        /// The device that detected it.
        source: PciAddress,
    }
    /// The PCI bus lists an AMD display device.
    PciDevice: Context { recovery: Nothing, subject: BusDevice, proves: Identity } {
        /// PCI vendor.
        vendor: Hex,
        /// PCI device.
        device: Hex,
        /// PCI class.
        class: Hex,
    }
    /// The buses below a bridge, as a port is.
    PciBridge: Context { recovery: Nothing, subject: BusDevice, proves: Nothing } {
        /// The bus at its lower end.
        first: Hex,
        /// The last bus below it; `None` if it is the first.
        last: Hex,
    }
    /// A port cut its link to contain an error (DPC).
    PcieContained: Failure { class: Loss,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: BusError, owner: Nobody, work: Unclear, proves: Nothing, causes: BUS_ERROR,
    } {
        /// The device that the error came from.
        source: PciAddress,
        /// The trigger status.
        status: Hex,
    }
    /// A slot or link went down or came up.
    PcieSlot: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// The slot.
        slot: Text,
        /// `link-down` or `card-gone`.
        what: Text,
    }
    /// A device did not change its power state.
    PowerStateRefused: Aftermath { class: Loss,
        opens: Never, recovery: Nothing, subject: BusDevice, proves: Nothing, causes: LOSS,
    } {
        /// The state in which it remains.
        state: Text,
    }
    /// No address range could be assigned to an address window (BAR) of a device, at least at
    /// first.
    BarUnassigned: Context { recovery: Nothing, subject: BusDevice, proves: Nothing } {
        /// The window's number.
        bar: u32,
    }
    /// The PCIe link is slower or narrower than the device supports.
    LinkLimited: Context { recovery: Nothing, subject: BusDevice, proves: Nothing } {
        /// The speed of the link, such as `16.0 GT/s PCIe`.
        speed: Text,
        /// The number of lanes of the link.
        lanes: u32,
        /// The device that limits the link.
        at: PciAddress,
        /// The speed that the device supports.
        capable_speed: Text,
        /// The number of lanes that the device supports.
        capable_lanes: u32,
    }
    /// The IOMMU stopped an access or could not serve a device.
    IommuFault: Failure { class: Iommu,
        mark: Fault, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: BusError, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The device that made the access.
        source: PciAddress,
        /// The event's name: `IO_PAGE_FAULT` …
        name: Text,
        /// The IOMMU's domain.
        domain: Hex,
        /// The address.
        address: Hex,
        /// The process address space.
        pasid: Hex,
        /// The event's flags.
        flags: Hex,
        /// What it tried, from the flags: `read`, `write` or `interrupt`.
        access: Text,
    }
}
