//! Properties of conclusions: how a failure ended, how severe it is, what caused it.

use super::words::words;

words! {
    /// How an incident ended.
    pub Outcome {
        /// The ring, queue or GPU came back and nothing says that work was lost.
        Recovered,
        /// It came back, but contexts, processes or sessions were killed.
        RecoveredContextLost,
        /// It came back with video memory lost.
        VramLost,
        /// A reset or recovery says that it failed.
        Failed,
        /// A recovery began and has no end although the log goes on.
        NeverCompleted,
        /// No recovery was tried.
        Hung,
        /// None was needed.
        None,
        /// The log ends too early to tell.
        Unknown,
    }
}

impl Outcome {
    /// Whether what was reset works again.
    pub(crate) const fn is_back(self) -> bool {
        matches!(self, Self::Recovered | Self::RecoveredContextLost | Self::VramLost)
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
    }
}

words! {
    /// How bad it is.
    pub Severity {
        /// Good to know.
        Info,
        /// Something was lost, or may be.
        Warning,
        /// Something broke.
        Error,
        /// The GPU is out of use.
        Critical,
    }
}

words! {
    /// How a diagnosis is known, the weakest first.
    pub Certainty {
        /// From versions, or from lines that have other explanations, too.
        Suspected,
        /// From several lines together.
        Inferred,
        /// The log says it in so many words.
        Stated,
    }
}

words! {
    /// What is known of the cause of what a diagnosis says.
    pub Cause {
        /// It is in the log.
        Known,
        /// It is one of several, which are named.
        Candidates,
        /// It is not in this log.
        NotInLog,
    }
}

words! {
    /// The part that a diagnosis plays in its incident, in the order in which they are shown.
    pub Role {
        /// What broke first.
        RootCause,
        /// How it failed.
        Mechanism,
        /// What that did to others.
        Consequence,
        /// Worth knowing beside it.
        Context,
    }
}

words! {
    /// Where the cause most likely sits, which decides where to report it.
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
        /// The card, its power or its bus.
        Hardware,
        /// A setting of this machine.
        Settings,
    }
}

words! {
    /// How well a piece of advice is founded.
    pub(crate) Trust in "UPPERCASE" {
        /// Maintainers, vendor or kernel documentation.
        A,
        /// Reproduced by several users.
        B,
        /// One report.
        C,
    }
}
