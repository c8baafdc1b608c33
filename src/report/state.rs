//! The state of an incident in a few words, and its ending in a sentence. The wording depends on
//! the class of failure.

use crate::value::{FailureClass, Outcome};

/// The failure, for the first words of a report: `GPU hang`.
pub(super) const fn failure(class: Option<FailureClass>) -> &'static str {
    match class {
        Some(FailureClass::Hang) => "GPU hang",
        Some(FailureClass::Fault) => "GPU page fault",
        Some(FailureClass::Program) => "GPU program failed",
        Some(FailureClass::Start) => "GPU did not start",
        Some(FailureClass::Sleep) => "GPU sleep or wake failure",
        Some(FailureClass::Loss) => "GPU lost",
        Some(FailureClass::Bus) => "PCIe error",
        Some(FailureClass::Iommu) => "IOMMU fault",
        Some(FailureClass::Hardware) => "GPU hardware error",
        Some(FailureClass::OutOfMemory) => "Out of memory",
        Some(FailureClass::Display) => "Display failure",
        Some(FailureClass::Power) => "Power controller failure",
        Some(FailureClass::Heat) => "GPU overheated",
        Some(FailureClass::Task) => "Task stuck",
        Some(FailureClass::Crash) => "Kernel crash",
        Some(FailureClass::Reset) => "GPU reset",
        None => "GPU failure",
    }
}

/// The outcome, for the first words; empty if the failure implies it.
pub(super) const fn result(class: Option<FailureClass>, outcome: Outcome) -> &'static str {
    match (outcome, class) {
        (
            Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost,
            Some(FailureClass::Reset),
        ) => "completed",
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _) => "recovered",
        (Outcome::Failed, Some(FailureClass::Start | FailureClass::Loss | FailureClass::Heat)) => {
            ""
        }
        (Outcome::Failed, _) => "not recovered",
        (Outcome::NeverCompleted, _) => "no end of the recovery seen",
        (Outcome::Hung, _) => "no recovery seen",
        (Outcome::None, _) => "GPU still works",
        (Outcome::Unknown, _) => "outcome not in the log",
    }
}

/// The outcome in a sentence that is short enough for one line with the title.
pub(super) const fn ending(class: Option<FailureClass>, outcome: Outcome) -> &'static str {
    match (outcome, class) {
        (Outcome::Recovered, Some(FailureClass::Reset)) => "The reset completed.",
        (Outcome::Recovered, _) => "The driver recovered the GPU.",
        (Outcome::RecoveredContextLost, _) => {
            "The driver recovered the GPU; programs that were using it lost their work."
        }
        (Outcome::VramLost, _) => "The driver recovered the GPU; video memory was lost.",
        (Outcome::Failed, Some(FailureClass::Start)) => "The GPU cannot be used in this boot.",
        (Outcome::Failed, Some(FailureClass::Heat)) => {
            "The GPU cannot be used until the machine is started again."
        }
        (Outcome::Failed, Some(FailureClass::Loss)) => "The GPU needs at least a reboot.",
        (Outcome::Failed, Some(FailureClass::Hardware)) => "The GPU cannot be used.",
        (Outcome::Failed, _) => "The GPU did not recover and needs a reboot.",
        (Outcome::NeverCompleted, _) => {
            "The driver began to recover the GPU, but the log shows no end of it."
        }
        (Outcome::Hung, _) => "The log shows no recovery.",
        (Outcome::None, _) => "The GPU itself kept working.",
        (Outcome::Unknown, Some(FailureClass::Crash)) => {
            "The log does not show whether the machine went on."
        }
        (Outcome::Unknown, _) => "The log does not show whether the GPU recovered.",
    }
}

/// What the driver says of a recovery last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// Nothing.
    Nothing,
    /// It begins, and the log shows no result of it.
    Begun,
    /// The hardware was reset, and the driver begins to set it up again.
    HardwareDone,
    /// It succeeded.
    Success,
    /// It succeeded, and work then got stuck again.
    StuckAgain,
}

/// What is known of a GPU and its recovery besides how that ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aftermath {
    /// A screen may be connected to it.
    pub(super) screen: bool,
    /// What the driver says of the recovery last.
    pub(super) last: Last,
    /// The same GPU fails in the same way in other incidents shortly before or after.
    pub(super) comes_back: bool,
    /// The kernel stopped.
    pub(super) panicked: bool,
}

/// How it ended, and what that means for whoever was using the GPU.
pub(super) const fn consequence(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> &'static str {
    match (outcome, class) {
        _ if after.panicked => "The kernel then stopped (panic): the machine needs a restart.",
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _)
            if after.comes_back =>
        {
            "The driver recovered the GPU, but the failure comes back within minutes. Programs that \
             were using it may have lost their work."
        }
        (Outcome::Recovered, Some(FailureClass::Reset)) => {
            "The reset completed and the GPU works again."
        }
        (Outcome::Recovered, _) => {
            "The driver recovered the GPU and it works again. The log does not show that other \
             programs lost work."
        }
        (Outcome::RecoveredContextLost, _) if after.screen => {
            "The driver recovered the GPU and it works again. Programs that were using it lost their \
             work and may have crashed; perhaps your desktop too."
        }
        (Outcome::RecoveredContextLost, _) => {
            "The driver recovered the GPU and it works again. Programs that were using it lost their \
             work and may have crashed."
        }
        (Outcome::VramLost, _) if after.screen => {
            "The driver reset the GPU and it works again. Everything in video memory was lost, so \
             games and other GPU programs have probably crashed; perhaps your desktop too."
        }
        (Outcome::VramLost, _) => {
            "The driver reset the GPU and it works again. Everything in its memory was lost, so the \
             programs that were using it have probably crashed."
        }
        (Outcome::Failed, Some(FailureClass::Start)) if after.screen => {
            "The GPU cannot be used in this boot: programs do not find it, and a screen connected to \
             it stays dark or at a low resolution."
        }
        (Outcome::Failed, Some(FailureClass::Start)) => {
            "The GPU cannot be used in this boot: programs do not find it."
        }
        (Outcome::Failed, Some(FailureClass::Heat | FailureClass::Hardware)) => {
            ending(class, outcome)
        }
        (Outcome::Failed, _) if matches!(after.last, Last::Success) => {
            "The driver reported success, but the GPU did not work afterwards and needs a reboot."
        }
        (Outcome::Failed, Some(FailureClass::Loss)) => {
            "Programs that were using it have failed, and it needs at least a reboot."
        }
        (Outcome::Failed, _) => "The GPU did not recover and cannot be used until a reboot.",
        (Outcome::NeverCompleted, _) => {
            "The driver began to recover the GPU, but the log shows no end of it. You probably need \
             to reboot."
        }
        (Outcome::Hung, Some(FailureClass::Task | FailureClass::Crash)) => {
            "The log shows no recovery: what is stuck stays stuck until a reboot."
        }
        (Outcome::Hung, _) if matches!(after.last, Last::Success | Last::StuckAgain) => {
            "The driver reported success, but the GPU got stuck again."
        }
        (Outcome::Hung, _) => "The log shows no recovery, so the GPU may still be stuck.",
        (Outcome::None, _) => "The GPU itself kept working and needed no reset.",
        (Outcome::Unknown, _) if matches!(after.last, Last::StuckAgain) => {
            "The driver recovered the GPU, but it then got stuck again, and the log does not show \
             how that ended."
        }
        (Outcome::Unknown, _) if matches!(after.last, Last::HardwareDone) => {
            "The hardware was reset, and the log does not show that the driver set it up again."
        }
        (Outcome::Unknown, _) if matches!(after.last, Last::Begun) => {
            "The driver began a reset, and the log does not show its result."
        }
        (Outcome::Unknown, Some(FailureClass::Start)) => {
            "The log does not show whether the GPU started after all."
        }
        (Outcome::Unknown, Some(FailureClass::Display)) => {
            "The log does not show whether the screen came back."
        }
        (Outcome::Unknown, Some(FailureClass::Task)) => {
            "The log does not show whether the tasks went on."
        }
        (Outcome::Unknown, Some(FailureClass::Crash)) => {
            "The log does not show whether the machine went on."
        }
        (Outcome::Unknown, _) => "The log does not show whether the GPU recovered.",
    }
}

/// What to do now, if no advice says it.
pub(super) const fn at_once(
    class: Option<FailureClass>,
    outcome: Outcome,
    screen: bool,
) -> Option<&'static str> {
    match (outcome, class) {
        (Outcome::Failed, Some(FailureClass::Heat)) => {
            Some("Let the machine cool down, and check that its fans turn.")
        }
        (
            Outcome::None,
            Some(FailureClass::Program | FailureClass::Fault | FailureClass::OutOfMemory),
        ) => Some("Restart the program that failed."),
        (
            Outcome::Failed | Outcome::Unknown,
            Some(FailureClass::Start | FailureClass::Hardware),
        )
        | (Outcome::Recovered, Some(FailureClass::Reset))
        | (Outcome::None, _) => None,
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _) if screen => {
            Some("Restart what crashed. Screen frozen or black: log in again, or reboot.")
        }
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _) => {
            Some("Restart what crashed.")
        }
        (Outcome::Failed | Outcome::NeverCompleted, _) => {
            Some("Save your work if you still can, then reboot.")
        }
        (
            Outcome::Unknown,
            Some(FailureClass::Program | FailureClass::Fault | FailureClass::OutOfMemory),
        ) => Some("Restart the program that failed. If it gets stuck again, reboot."),
        (Outcome::Hung | Outcome::Unknown, _) => {
            Some("If the screen or a program is still stuck, reboot.")
        }
    }
}

/// What is known where only programs report a failure: they do not know what the GPU did.
pub(super) const fn of_a_program(class: Option<FailureClass>) -> &'static str {
    match class {
        Some(FailureClass::OutOfMemory) => {
            "The program did not get this memory; nothing here shows a fault of the GPU."
        }
        _ => "Only a program reports it; no line here shows what the GPU and its driver did.",
    }
}

/// What to do then, if no advice says it.
pub(super) const fn after_a_program(class: Option<FailureClass>) -> Option<&'static str> {
    match class {
        Some(FailureClass::Program | FailureClass::Fault | FailureClass::OutOfMemory) => {
            Some("Restart the program that failed.")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Aftermath =
        Aftermath { screen: true, last: Last::Nothing, comes_back: false, panicked: false };

    #[test]
    fn a_failure_that_comes_back_is_not_over() {
        for outcome in [Outcome::Recovered, Outcome::RecoveredContextLost, Outcome::VramLost] {
            let said = |comes_back| consequence(None, outcome, Aftermath { comes_back, ..NOTHING });
            assert!(said(false).contains("works again"), "{outcome:?}");
            assert!(!said(true).contains("works again"), "{outcome:?}");
        }
    }

    #[test]
    fn a_reset_without_a_result_is_named() {
        let said =
            |class, last| consequence(class, Outcome::Unknown, Aftermath { last, ..NOTHING });
        for class in [None, Some(FailureClass::Hang), Some(FailureClass::Task)] {
            assert!(said(class, Last::Begun).starts_with("The driver began a reset,"), "{class:?}");
            assert!(!said(class, Last::Nothing).contains("began"), "{class:?}");
        }
    }
}
