//! What hardware, bus, display and kernel say of their own troubles. Closed sets.

use super::words::words;

words! {
    /// How bad an error is that the hardware found in itself.
    RasKind {
        /// Data is lost.
        Uncorrectable = "uncorrectable",
        /// Nothing is lost.
        Correctable = "correctable",
        /// Found, but not used yet: data that nobody has read.
        Deferred = "deferred",
        /// Data that was marked as lost has been made, or was used.
        Poison = "poison",
    }
}

words! {
    /// How bad an error of the PCI bus is, as the kernel's AER driver prints it.
    AerSeverity {
        /// Repaired by the hardware.
        Corrected = "corrected",
        /// A transaction was lost; the link works.
        NonFatal = "non-fatal",
        /// The link is not reliable any more.
        Fatal = "fatal",
    }
}

impl AerSeverity {
    /// Reads the words that kernels have printed: `Corrected`, `Correctable`,
    /// `Uncorrectable (Non-Fatal)`, `Uncorrected (Fatal)` (`drivers/pci/pcie/aer.c`).
    #[must_use]
    pub fn printed(text: &str) -> Option<Self> {
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
    DisplayWait {
        /// The scan-out of the new picture.
        FlipDone = "flip-done",
        /// The update before this one.
        Commit = "commit",
        /// The clean-up of an update.
        CleanupDone = "cleanup-done",
        /// The programming of the hardware.
        HwDone = "hw-done",
        /// The next vertical blank.
        Vblank = "vblank",
        /// The rendering of the picture.
        Fences = "fences",
    }
}

words! {
    /// How the kernel notices that a processor is stuck.
    LockupKind {
        /// The scheduler has not run on it.
        Soft = "soft",
        /// Not even interrupts run on it.
        Hard = "hard",
        /// A pool of kernel workers does not get on.
        Workqueue = "workqueue",
        /// It does not pass the points that RCU waits for.
        Rcu = "rcu",
    }
}

words! {
    /// The two ends of something that takes a while.
    Phase {
        /// It begins.
        Begin = "begin",
        /// It is over.
        End = "end",
    }
}

/// Defines an enumeration that the driver prints as a number.
macro_rules! numbered {
    ($(#[$outer:meta])* $Name:ident { $( $(#[$inner:meta])* $number:literal $Value:ident = $word:literal, )* }) => {
        words! {
            $(#[$outer])*
            $Name { $( $(#[$inner])* $Value = $word, )* }
        }

        impl $Name {
            /// The value with this number.
            #[must_use]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number { $($number => Some(Self::$Value),)* _ => None }
            }

            /// The number that the driver prints.
            #[must_use]
            pub const fn number(self) -> u32 {
                match self { $(Self::$Value => $number,)* }
            }
        }
    };
}

numbered! {
    /// What the display firmware's interface answers: `enum dmub_status` of
    /// `drivers/gpu/drm/amd/display/dmub/dmub_srv.h`.
    DmubStatus {
        /// It worked.
        0 Ok = "ok",
        /// There is no display firmware.
        1 NoContext = "no-context",
        /// The firmware does not take commands any more.
        2 QueueFull = "queue-full",
        /// The firmware did not answer in time.
        3 Timeout = "timeout",
        /// The command was wrong.
        4 Invalid = "invalid",
        /// The hardware failed.
        5 HardwareFailure = "hardware-failure",
        /// The display hardware is powered down.
        6 PoweredDown = "powered-down",
    }
}

numbered! {
    /// What the PCI core tells a driver: `pci_channel_state_t` of `include/linux/pci.h`.
    PciChannel {
        /// The device can still be reached.
        1 Normal = "normal",
        /// Access to the device is blocked until it is reset.
        2 Frozen = "frozen",
        /// The device is gone for good.
        3 Dead = "dead",
    }
}

numbered! {
    /// What a wave did: `SQ_INTERRUPT_ERROR_TYPE` of `drivers/gpu/drm/amd/amdkfd/kfd_int_process_v*.c`.
    ShaderErrorKind {
        /// Data was lost in the shader's memory.
        0 EdcFatal = "uncorrectable-data",
        /// It ran into an instruction that does not exist.
        1 IllegalInstruction = "illegal-instruction",
        /// It accessed memory that it may not.
        2 MemoryViolation = "memory-violation",
        /// An error was found by parity.
        3 EdcDetected = "parity-error",
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
            let status = DmubStatus::from_number(number).unwrap();
            assert_eq!(
                (status.number(), DmubStatus::read(&status.to_string())),
                (number, Some(status))
            );
        }
        assert_eq!(DmubStatus::from_number(7), None);
        assert_eq!(ShaderErrorKind::from_number(2), Some(ShaderErrorKind::MemoryViolation));
    }
}
