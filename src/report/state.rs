//! The state of an incident in a few words, its ending in a short sentence, and what to do where no
//! advice says it. The wording depends on the class of failure.

use crate::diagnosis::aftermath::{Aftermath, Last};
use crate::value::{FailureClass, Outcome};

/// The failure, for the first words of a report: `GPU hang`. A start that failed is one only if the
/// GPU remained out of use.
pub(super) const fn failure(class: Option<FailureClass>, outcome: Outcome) -> &'static str {
    match class {
        Some(FailureClass::Start) => match outcome {
            Outcome::Failed => "GPU did not start",
            Outcome::Recovered
            | Outcome::RecoveredContextLost
            | Outcome::VramLost
            | Outcome::None => "GPU started after an error",
            Outcome::NeverCompleted | Outcome::Hung | Outcome::Unknown => "GPU start failure",
        },
        Some(FailureClass::Hang) => "GPU hang",
        Some(FailureClass::Fault) => "GPU page fault",
        Some(FailureClass::Program) => "GPU program failed",
        Some(FailureClass::Queue) => "GPU queue failed",
        Some(FailureClass::Ring) => "GPU ring failed",
        Some(FailureClass::Video) => "Video engine failure",
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
        Some(FailureClass::Passthrough) => "GPU not reset for a virtual machine",
        None => "GPU failure",
    }
}

/// The outcome, for the first words; empty if the failure implies it.
pub(super) const fn result(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> &'static str {
    match (outcome, class) {
        (_, Some(FailureClass::Crash)) if after.panic.is_some() => "machine stopped",
        (
            Outcome::Recovered
            | Outcome::RecoveredContextLost
            | Outcome::VramLost
            | Outcome::None
            | Outcome::Failed,
            Some(FailureClass::Start),
        )
        | (Outcome::Failed, Some(FailureClass::Loss | FailureClass::Heat))
        | (_, Some(FailureClass::Passthrough))
        | (Outcome::Unknown, Some(FailureClass::OutOfMemory)) => "",
        (Outcome::VramLost, Some(FailureClass::Reset)) => "video memory lost",
        (Outcome::Recovered | Outcome::RecoveredContextLost, Some(FailureClass::Reset)) => {
            "completed"
        }
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _) => "recovered",
        (Outcome::Failed, _) => "not recovered",
        (Outcome::NeverCompleted | Outcome::Unknown, _)
            if matches!(after.last, Last::BegunAgain) =>
        {
            "recovery failed"
        }
        (Outcome::Unknown, _) if matches!(after.last, Last::StuckAgain) => "fails again",
        (Outcome::Unknown, _) if matches!(after.last, Last::StuckElsewhere) => "recovered in part",
        (Outcome::NeverCompleted, _) => "no end of the recovery seen",
        (Outcome::Hung, _) => "no recovery seen",
        (Outcome::None, Some(FailureClass::OutOfMemory)) => "no hang seen",
        (Outcome::None, _) => "GPU still works",
        (Outcome::Unknown, Some(FailureClass::Heat)) => "no shutdown seen",
        (Outcome::Unknown, _) => "outcome not in the log",
    }
}

/// The outcome in a sentence that is short enough for one line with the title.
pub(super) const fn ending(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> &'static str {
    match (outcome, class) {
        (_, Some(FailureClass::Crash)) if after.panic.is_some() => "The machine stopped.",
        (
            Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost | Outcome::None,
            Some(FailureClass::Start),
        ) => "The GPU started all the same.",
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
        (Outcome::Failed | Outcome::Unknown | Outcome::None, Some(FailureClass::Passthrough)) => {
            "The GPU may not work in the virtual machine, or the machine may not start."
        }
        (Outcome::Failed, _) => "The GPU did not recover and needs a reboot.",
        (Outcome::NeverCompleted | Outcome::Unknown, _)
            if matches!(after.last, Last::BegunAgain) =>
        {
            "A recovery failed, and the log does not show how the next one ended."
        }
        (Outcome::NeverCompleted, _) => "The log does not show how the recovery ended.",
        (Outcome::Hung, _) => "The log shows no recovery.",
        (Outcome::None | Outcome::Unknown, Some(FailureClass::OutOfMemory)) => {
            "The log shows no hang or reset afterwards."
        }
        (Outcome::None, _) => "The GPU itself kept working.",
        (Outcome::Unknown, Some(FailureClass::Crash)) => {
            "The log does not show whether the machine went on."
        }
        (Outcome::Unknown, Some(FailureClass::Heat)) => {
            "The log does not show that the machine was shut down."
        }
        (Outcome::Unknown, Some(FailureClass::Start)) => {
            "The log does not show whether the GPU started after all."
        }
        (Outcome::Unknown, Some(FailureClass::Bus | FailureClass::Iommu)) => {
            "The log does not show whether the GPU went on working."
        }
        (Outcome::Unknown, _) => "The log does not show whether the GPU recovered.",
    }
}

/// What to do now, if no advice says it.
pub(super) const fn at_once(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> Option<&'static str> {
    match (outcome, class) {
        (Outcome::Failed | Outcome::Unknown, Some(FailureClass::Hardware)) => {
            Some("Have the GPU checked before you rely on its results.")
        }
        (_, Some(FailureClass::Crash)) if after.panic.is_some() => {
            Some("Restart the machine, if it did not do so itself.")
        }
        (Outcome::Failed | Outcome::Unknown, Some(FailureClass::Heat)) => {
            Some("Let the machine cool down, and check that its fans turn.")
        }
        (
            Outcome::None,
            Some(
                FailureClass::Program
                | FailureClass::Queue
                | FailureClass::Fault
                | FailureClass::OutOfMemory,
            ),
        ) => Some("Restart the program that failed."),
        (
            Outcome::Recovered
            | Outcome::RecoveredContextLost
            | Outcome::VramLost
            | Outcome::Failed
            | Outcome::Unknown,
            Some(FailureClass::Start),
        )
        | (Outcome::Unknown, Some(FailureClass::Bus | FailureClass::Iommu))
        | (Outcome::Failed | Outcome::Unknown, Some(FailureClass::Passthrough))
        | (Outcome::None, _) => None,
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _)
            if after.comes_back =>
        {
            Some("The failure comes back: stop what uses the GPU, or reboot.")
        }
        (Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost, _)
            if after.screen =>
        {
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
            Some(
                FailureClass::Program
                | FailureClass::Queue
                | FailureClass::Fault
                | FailureClass::OutOfMemory,
            ),
        ) => Some("Restart the program that failed. If it gets stuck again, reboot."),
        (Outcome::Unknown, Some(FailureClass::Crash)) => {
            Some("Save your work, then reboot: a kernel is not reliable after a crash.")
        }
        (Outcome::Hung | Outcome::Unknown, _) if after.screen => {
            Some("If the screen or a program is stuck, reboot.")
        }
        (Outcome::Hung | Outcome::Unknown, _) => Some("If a program is stuck, reboot."),
    }
}

/// What is known where only programs report a failure: they do not know what the GPU did.
pub(super) const fn of_a_program(class: Option<FailureClass>, windows: bool) -> &'static str {
    match class {
        _ if windows => {
            "This comes from a program on Windows; what its driver did is not in this log."
        }
        Some(FailureClass::OutOfMemory) => {
            "The program did not get this memory; nothing here shows a fault of the GPU."
        }
        _ => "This comes from the program; the log has no kernel lines about it.",
    }
}

/// What to do then, if no advice says it.
pub(super) const fn after_a_program(class: Option<FailureClass>) -> Option<&'static str> {
    match class {
        Some(
            FailureClass::Program
            | FailureClass::Queue
            | FailureClass::Fault
            | FailureClass::OutOfMemory,
        ) => Some("Restart the program that failed."),
        _ => None,
    }
}
