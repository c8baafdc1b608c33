//! Capabilities of a chip, classes of machines, and owners of address spaces.

use super::words::words;

words! {
    /// A capability of a chip.
    pub(crate) ChipFact {
        /// It has a graphics pipeline.
        Graphics,
        /// It has a display engine.
        Display,
        /// It has dedicated video memory.
        OwnMemory,
        /// It has neither graphics nor display: it is only for compute.
        Accelerator,
        /// It can be partitioned into several GPUs.
        Partitions,
        /// Its copy engines use the memory path of the video engines (`mmhub`).
        CopiesOverMmhub,
    }
}

words! {
    /// A class of hardware, for which advice may be.
    pub(crate) HardwareClass {
        /// A card in a desktop machine.
        DesktopCard,
        /// Any GPU of a laptop.
        Laptop,
        /// Any GPU of a handheld console.
        Handheld,
        /// An integrated GPU (APU) in any other machine.
        Apu,
        /// A chip that is only for compute.
        Accelerator,
    }
}

words! {
    /// The kind of a machine.
    pub(crate) MachineForm {
        /// A desktop machine, or a mainboard.
        Desktop,
        /// A laptop.
        Laptop,
        /// A handheld console.
        Handheld,
    }
}

words! {
    /// Who assigns a GPU address space (vmid) to work.
    pub(crate) AddressSpace {
        /// It is reserved for driver and firmware.
        System,
        /// The driver, to each job on its own rings: graphics, video.
        Jobs,
        /// The compute driver, to the process that owns the running queues: ROCm, OpenCL.
        Compute,
    }
}

words! {
    /// What a line of any kind, also one that a person wrote, tells about the machine or the work.
    pub(crate) Mention {
        /// A built-in panel.
        Panel,
        /// A program for language models that computes with Vulkan as well as with ROCm.
        VulkanModels,
        /// ROCm.
        Rocm,
        /// The system is Windows.
        Windows,
        /// The system is the Windows Subsystem for Linux (WSL).
        Wsl,
        /// The machine is a virtual one, as the kernel prints it.
        Guest,
        /// The same, as people say it, who may mean something else.
        GuestReported,
        /// A GPU of another vendor.
        AnotherVendor,
        /// The output of a build, of tests or of a package manager, or changes of code.
        Build,
        /// A program uses HIP, ROCm's programming interface, although it prints CUDA's words.
        Hip,
        /// The X server loads its driver for AMD GPUs.
        XDriver,
        /// The X server draws with its driver for AMD GPUs.
        XDraws,
    }
}
