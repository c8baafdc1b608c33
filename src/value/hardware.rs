//! Capabilities of a chip, classes of machines, and owners of address spaces.

use super::words::words;

words! {
    /// Something that a chip has, or has not.
    pub(crate) ChipFact {
        /// It draws: it has a graphics pipeline.
        Graphics,
        /// It has a display engine.
        Display,
        /// It has memory of its own.
        OwnMemory,
        /// It neither draws nor shows anything: it is made for computing alone.
        Accelerator,
        /// It can be divided into several GPUs.
        Partitions,
        /// Its copy engines use the memory path of the video engines (`mmhub`).
        CopiesOverMmhub,
    }
}

words! {
    /// The class of hardware that advice may be for.
    pub(crate) HardwareClass {
        /// A card in a desktop machine.
        DesktopCard,
        /// Any GPU of a laptop.
        Laptop,
        /// Any GPU of a handheld console.
        Handheld,
        /// The graphics of a processor in any other machine.
        Apu,
        /// A chip that is made for computing alone.
        Accelerator,
    }
}

words! {
    /// The form of a machine.
    pub(crate) MachineForm {
        /// A mainboard that is sold by itself, or a machine that stands on a desk.
        Desktop,
        /// A laptop.
        Laptop,
        /// A handheld console.
        Handheld,
    }
}

words! {
    /// Who gives a GPU address space (vmid) to work.
    pub(crate) AddressSpace {
        /// Nobody: it is the one of driver and firmware.
        System,
        /// The driver, to each job that comes through its own rings: drawing, video.
        Jobs,
        /// The compute driver, to the process whose queues run: ROCm, OpenCL.
        Compute,
    }
}
