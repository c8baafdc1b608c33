//! Problems that hardware, bus, display and kernel report. Closed sets.

use super::words::words;

words! {
    /// How bad an error is that the hardware found in itself.
    pub(crate) RasKind {
        /// Data is lost.
        Uncorrectable,
        /// Nothing is lost.
        Correctable,
        /// Found, but not used yet: data that nobody has read.
        Deferred,
        /// Data that was marked as lost has been made, or was used.
        Poison,
    }
}

words! {
    /// How bad an error of the PCI bus is, as the kernel's AER driver prints it.
    pub(crate) AerSeverity {
        /// Repaired by the hardware.
        Corrected,
        /// A transaction was lost; the link works.
        NonFatal,
        /// The link is not reliable any more.
        Fatal,
    }
}

impl AerSeverity {
    /// Parses the words that kernels have printed: `Corrected`, `Correctable`,
    /// `Uncorrectable (Non-Fatal)`, `Uncorrected (Fatal)` (`drivers/pci/pcie/aer.c`).
    pub(crate) fn printed(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        if text.starts_with("correct") {
            Some(Self::Corrected)
        } else if text.contains("non-fatal") {
            Some(Self::NonFatal)
        } else {
            text.contains("fatal").then_some(Self::Fatal)
        }
    }
}

words! {
    /// What a display update waited for in vain.
    pub(crate) DisplayWait {
        /// The scan-out of the new picture.
        FlipDone,
        /// The update before this one.
        Commit,
        /// The clean-up of an update.
        CleanupDone,
        /// The programming of the hardware.
        HwDone,
        /// The next vertical blank.
        Vblank,
        /// The rendering of the picture.
        Fences,
    }
}

words! {
    /// How the kernel notices that a processor is stuck.
    pub(crate) LockupKind {
        /// The scheduler has not run on it.
        Soft,
        /// Not even interrupts run on it.
        Hard,
        /// A pool of kernel workers does not get on.
        Workqueue,
        /// It does not pass the points that RCU waits for.
        Rcu,
    }
}

words! {
    /// The two ends of something that takes a while.
    pub(crate) Phase {
        /// It begins.
        Begin,
        /// It is over.
        End,
    }
}

words! {
    /// What the display firmware's interface answers: `enum dmub_status` of
    /// `drivers/gpu/drm/amd/display/dmub/dmub_srv.h`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) DmubStatus {
        /// It worked.
        Ok = 0,
        /// There is no display firmware.
        NoContext = 1,
        /// The firmware does not take commands any more.
        QueueFull = 2,
        /// The firmware did not answer in time.
        Timeout = 3,
        /// The command was wrong.
        Invalid = 4,
        /// The hardware failed.
        HardwareFailure = 5,
        /// The display hardware is powered down.
        PoweredDown = 6,
    }
}

words! {
    /// What the PCI core tells a driver: `pci_channel_state_t` of `include/linux/pci.h`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) PciChannel {
        /// The device can still be reached.
        Normal = 1,
        /// Access to the device is blocked until it is reset.
        Frozen = 2,
        /// The device is gone for good.
        Dead = 3,
    }
}

words! {
    /// What a wave did: `SQ_INTERRUPT_ERROR_TYPE` of `drivers/gpu/drm/amd/amdkfd/kfd_int_process_v*.c`.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) ShaderErrorKind {
        /// Data was lost in the shader's memory.
        UncorrectableData = 0,
        /// It ran into an instruction that does not exist.
        IllegalInstruction = 1,
        /// It accessed memory that it may not.
        MemoryViolation = 2,
        /// An error was found by parity.
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
        assert_eq!(ShaderErrorKind::from_repr(2), Some(ShaderErrorKind::MemoryViolation));
    }
}
