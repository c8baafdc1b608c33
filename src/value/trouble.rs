//! Problems that hardware, bus, display and kernel report. Closed sets.

use super::words::words;

words! {
    /// The severity of an error that the hardware detected in itself (RAS).
    pub(crate) RasKind {
        /// Data is lost.
        Uncorrectable,
        /// Nothing is lost.
        Correctable,
        /// Detected in data that has not been read yet.
        Deferred,
        /// Data marked as lost (poison) was created or consumed.
        Poison,
    }
}

words! {
    /// The severity of an error of the PCI bus, as the kernel's AER driver prints it.
    pub(crate) AerSeverity {
        /// Corrected by the hardware.
        Corrected,
        /// A transaction was lost; the link works.
        NonFatal,
        /// The link is no longer reliable.
        Fatal,
    }
}

impl AerSeverity {
    /// Parses the words that kernels have printed: `Corrected`, `Correctable`,
    /// `Uncorrectable (Non-Fatal)`, `Uncorrected (Fatal)` (`drivers/pci/pcie/aer.c`), and
    /// `recoverable` of the firmware (`drivers/firmware/efi/cper.c`).
    pub(crate) fn printed(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text.starts_with("correct") {
            Some(Self::Corrected)
        } else if text.contains("non-fatal") || text == "recoverable" {
            Some(Self::NonFatal)
        } else {
            text.contains("fatal").then_some(Self::Fatal)
        }
    }
}

words! {
    /// What a display update waited for until its timeout.
    pub(crate) DisplayWait {
        /// The scan-out of the new frame (flip).
        FlipDone,
        /// The previous update.
        Commit,
        /// The cleanup of an update.
        CleanupDone,
        /// The programming of the hardware.
        HwDone,
        /// The next vertical blank.
        Vblank,
        /// The rendering of the frame.
        Fences,
    }
}

words! {
    /// The kind of lockup that the kernel detected.
    pub(crate) LockupKind {
        /// The scheduler does not run on the CPU (soft lockup).
        Soft,
        /// The CPU does not even handle interrupts (hard lockup).
        Hard,
        /// A pool of kernel workers makes no progress.
        Workqueue,
        /// The CPU does not reach a quiescent state (RCU stall).
        Rcu,
    }
}

words! {
    /// The start and the end of an operation.
    pub(crate) Phase {
        /// The operation starts.
        Begin,
        /// The operation has ended.
        End,
    }
}

words! {
    /// The status of the display firmware's interface: `enum dmub_status` of
    /// `drivers/gpu/drm/amd/display/dmub/dmub_srv.h`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) DmubStatus {
        /// Success.
        Ok = 0,
        /// There is no display firmware.
        NoContext = 1,
        /// The firmware no longer accepts commands.
        QueueFull = 2,
        /// The firmware did not respond in time.
        Timeout = 3,
        /// The command was invalid.
        Invalid = 4,
        /// The hardware failed.
        HardwareFailure = 5,
        /// The display hardware is powered down.
        PoweredDown = 6,
    }
}

words! {
    /// What reading a monitor's description gave: `enum dc_edid_status` of
    /// `drivers/gpu/drm/amd/display/dc/dc_types.h`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) EdidStatus {
        /// It was read.
        Ok = 0,
        /// The display driver was called without an output.
        BadInput = 1,
        /// The monitor did not respond.
        NoResponse = 2,
        /// What it sent is damaged.
        BadChecksum = 3,
        /// It is the one that was read before.
        TheSame = 4,
        /// The driver uses a description of its own.
        FallBack = 5,
        /// Some of its blocks are valid.
        PartialValid = 6,
    }
}

words! {
    /// The channel state that the PCI core reports to a driver: `pci_channel_state_t` of
    /// `include/linux/pci.h`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) PciChannel {
        /// The device is reachable.
        Normal = 1,
        /// Access to the device is blocked until it is reset.
        Frozen = 2,
        /// The device is permanently lost.
        Dead = 3,
    }
}

words! {
    /// The error of a shader wave: `SQ_INTERRUPT_ERROR_TYPE` of
    /// `drivers/gpu/drm/amd/amdkfd/kfd_int_process_v*.c`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) ShaderErrorKind {
        /// Data was lost in the shader's memory.
        UncorrectableData = 0,
        /// It executed an invalid instruction.
        IllegalInstruction = 1,
        /// It accessed memory without permission.
        MemoryViolation = 2,
        /// A parity error was detected.
        ParityError = 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn severities_of_the_bus_are_read_in_all_wordings() {
        for (text, severity) in [
            ("Corrected", AerSeverity::Corrected),
            ("Correctable", AerSeverity::Corrected),
            ("Uncorrected (Non-Fatal)", AerSeverity::NonFatal),
            ("Uncorrectable (Non-Fatal)", AerSeverity::NonFatal),
            ("Uncorrected (Fatal)", AerSeverity::Fatal),
            ("recoverable", AerSeverity::NonFatal),
        ] {
            assert_eq!(AerSeverity::printed(text), Some(severity), "{text}");
        }
        assert_eq!(AerSeverity::printed("unknown"), None);
    }

    #[test]
    fn numbers_and_words_of_a_value_belong_together() {
        for number in 0..=6 {
            let status = DmubStatus::from_repr(number).unwrap();
            assert_eq!((status as u32, DmubStatus::read(status.name())), (number, Some(status)));
        }
        assert_eq!(DmubStatus::from_repr(7), None);
        assert_eq!(EdidStatus::from_repr(2), EdidStatus::read("no-response"));
        assert_eq!(ShaderErrorKind::from_repr(2), Some(ShaderErrorKind::MemoryViolation));
    }
}
