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

/// The outcome in a sentence.
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
            "The GPU is out of use until the machine is started again."
        }
        (Outcome::Failed, Some(FailureClass::Loss)) => {
            "The GPU did not come back; it needs at least a reboot."
        }
        (Outcome::Failed, Some(FailureClass::Hardware)) => "The GPU is out of use.",
        (Outcome::Failed, _) => "The GPU did not recover and needs a reboot.",
        (Outcome::NeverCompleted, _) => {
            "The driver began to recover the GPU, and the log shows no end of that; expect to need a reboot."
        }
        (Outcome::Hung, Some(FailureClass::Task | FailureClass::Crash)) => {
            "The log shows no recovery; what is stuck stays so until a reboot."
        }
        (Outcome::Hung, _) => "The log shows no recovery.",
        (Outcome::None, _) => "The GPU itself kept working.",
        (Outcome::Unknown, _) => "The log does not show what came of it.",
    }
}

/// What to do now, if no advice says it.
pub(super) const fn at_once(class: Option<FailureClass>, outcome: Outcome) -> Option<&'static str> {
    match (outcome, class) {
        (Outcome::Failed, Some(FailureClass::Heat)) => {
            Some("Let the machine cool down, and see that its fans turn.")
        }
        (Outcome::Failed, Some(FailureClass::Start | FailureClass::Hardware))
        | (
            Outcome::Recovered
            | Outcome::RecoveredContextLost
            | Outcome::VramLost
            | Outcome::None
            | Outcome::Unknown,
            _,
        ) => None,
        (Outcome::Failed | Outcome::NeverCompleted, _) => {
            Some("Save your work if you still can, then reboot.")
        }
        (Outcome::Hung, _) => Some("If the screen or a program is stuck, reboot."),
    }
}
