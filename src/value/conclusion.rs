//! Properties of conclusions: how a failure ended, how severe it is, what caused it.

use super::words::words;

words! {
    /// The outcome of an incident.
    pub Outcome {
        /// Recovered: the ring, queue or GPU works again, and no line reports lost work.
        Recovered,
        /// Recovered, but contexts, processes or sessions were killed.
        RecoveredContextLost,
        /// Recovered, but the contents of video memory were lost.
        VramLost,
        /// A reset or recovery failed, by its own message.
        Failed,
        /// A recovery began and no end of it is in the log, although the log continues.
        NeverCompleted,
        /// No recovery was tried.
        Hung,
        /// No recovery was needed.
        None,
        /// Unknown, because the log ends too early.
        Unknown,
    }
}

impl Outcome {
    /// Whether what was reset works again.
    pub(crate) const fn is_back(self) -> bool {
        matches!(self, Self::Recovered | Self::RecoveredContextLost | Self::VramLost)
    }

    /// Whether the GPU is usable afterwards; `None` if the log does not show it.
    pub(crate) const fn is_usable(self) -> Option<bool> {
        match self {
            Self::Recovered | Self::RecoveredContextLost | Self::VramLost | Self::None => {
                Some(true)
            }
            Self::Failed | Self::NeverCompleted | Self::Hung => Some(false),
            Self::Unknown => None,
        }
    }
}

words! {
    /// What a failure is, in the terms in which people speak of it.
    pub(crate) FailureClass {
        /// Work on the GPU does not end.
        Hang,
        /// An access to memory went wrong.
        Fault,
        /// A program's work failed.
        Program,
        /// The driver could not handle a queue of a program.
        Queue,
        /// A ring failed its test; the others may work.
        Ring,
        /// The engine for video does not work; the rest of the GPU may.
        Video,
        /// The GPU could not be taken into service.
        Start,
        /// It did not go to sleep or wake up.
        Sleep,
        /// It is gone from the bus.
        Loss,
        /// The bus has errors.
        Bus,
        /// The IOMMU blocked an access of it to system memory.
        Iommu,
        /// Its hardware reports errors.
        Hardware,
        /// It has no memory left.
        OutOfMemory,
        /// A display does not work.
        Display,
        /// Its power controller does not obey.
        Power,
        /// It is too hot.
        Heat,
        /// A task waits for it without an end.
        Task,
        /// The kernel itself failed.
        Crash,
        /// It was reset, and the log does not show why.
        Reset,
        /// It could not be reset for a virtual machine.
        Passthrough,
    }
}

words! {
    /// How bad it is.
    pub Severity {
        /// Informational.
        Info,
        /// Warning: something was or may be lost.
        Warning,
        /// Error: something failed.
        Error,
        /// Critical: the GPU is unusable.
        Critical,
    }
}

words! {
    /// The certainty of a diagnosis, weakest first.
    pub Certainty {
        /// Suspected: it rests on versions, or on lines that have other explanations.
        Suspected,
        /// Inferred from several lines.
        Inferred,
        /// Stated literally by the log.
        Stated,
    }
}

words! {
    /// Whether the cause of a failure is known.
    pub Cause {
        /// The log shows it.
        Known,
        /// It is one of several candidates.
        Candidates,
        /// This log does not show it.
        NotInLog,
    }
}

words! {
    /// The role of a diagnosis in its incident, in the order of presentation.
    pub Role {
        /// Root cause: what failed first.
        RootCause,
        /// Mechanism: how it failed.
        Mechanism,
        /// Consequence for other components.
        Consequence,
        /// Context: worth knowing in addition.
        Context,
    }
}

words! {
    /// The layer that most likely contains the cause, which determines where to report it.
    pub(crate) Layer {
        /// The program that used the GPU.
        Application,
        /// The graphics libraries.
        Mesa,
        /// The compute libraries.
        Rocm,
        /// The GPU's firmware.
        Firmware,
        /// The driver.
        Kernel,
        /// The card, its power supply or its bus.
        Hardware,
        /// A setting of this machine.
        Settings,
    }
}

words! {
    /// The quality of the evidence for advice.
    pub(crate) Trust in "UPPERCASE" {
        /// Documented by maintainers, the vendor or the kernel.
        A,
        /// Reproduced by several users.
        B,
        /// One report.
        C,
    }
}
