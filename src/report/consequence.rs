//! How an incident ended, in a sentence for whoever was using the GPU.

use super::state::ending;
use crate::diagnosis::aftermath::{Aftermath, Last};
use crate::value::{FailureClass, Outcome};

/// How it ended, and what that means for whoever was using the GPU.
pub(super) const fn consequence(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> &'static str {
    if after.panicked {
        return match class {
            Some(FailureClass::Crash) => "The machine stopped (panic) and needs a restart.",
            _ => "The kernel then stopped (panic): the machine needs a restart.",
        };
    }
    match outcome {
        Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost
            if after.comes_back =>
        {
            "The driver recovered the GPU, but the failure comes back within minutes. Programs that \
             were using it may have lost their work."
        }
        Outcome::Recovered => match class {
            Some(FailureClass::Reset) => "The reset completed and the GPU works again.",
            _ => {
                "The driver recovered the GPU and it works again. The log does not show that other \
                 programs lost work."
            }
        },
        Outcome::RecoveredContextLost => context_lost(after.screen),
        Outcome::VramLost => memory_lost(after.screen),
        Outcome::Failed => failed(class, outcome, after),
        Outcome::NeverCompleted => match after.last {
            Last::BegunAgain => {
                "A recovery failed, and the log does not show how the next one ended. You probably \
                 need to reboot."
            }
            _ => "The log does not show how the recovery ended. You probably need to reboot.",
        },
        Outcome::Hung => still_stuck(class, after.last),
        Outcome::None => "The GPU itself kept working and needed no reset.",
        Outcome::Unknown => open(class, outcome, after),
    }
}

const fn context_lost(screen: bool) -> &'static str {
    if screen {
        "The driver recovered the GPU and it works again. Programs that were using it lost their \
         work and may have crashed; perhaps your desktop too."
    } else {
        "The driver recovered the GPU and it works again. Programs that were using it lost their \
         work and may have crashed."
    }
}

const fn memory_lost(screen: bool) -> &'static str {
    if screen {
        "The driver reset the GPU and it works again. Everything in video memory was lost, so games \
         and other GPU programs have probably crashed; perhaps your desktop too."
    } else {
        "The driver reset the GPU and it works again. Everything in its memory was lost, so the \
         programs that were using it have probably crashed."
    }
}

const fn failed(class: Option<FailureClass>, outcome: Outcome, after: Aftermath) -> &'static str {
    match class {
        Some(FailureClass::Start) if after.screen => {
            "The GPU cannot be used in this boot: programs do not find it, and a screen connected to \
             it stays dark or at a low resolution."
        }
        Some(FailureClass::Start) => {
            "The GPU cannot be used in this boot: programs do not find it."
        }
        Some(FailureClass::Heat | FailureClass::Hardware) => ending(class, outcome, after),
        _ if matches!(after.last, Last::Success) => {
            "The driver reported success, but the GPU did not work afterwards and needs a reboot."
        }
        Some(FailureClass::Loss) => {
            "Programs that were using it have failed, and it needs at least a reboot."
        }
        _ => "The GPU did not recover and cannot be used until a reboot.",
    }
}

const fn still_stuck(class: Option<FailureClass>, last: Last) -> &'static str {
    match (class, last) {
        (Some(FailureClass::Task | FailureClass::Crash), _) => {
            "The log shows no recovery: what is stuck stays stuck until a reboot."
        }
        (_, Last::Success | Last::StuckAgain) => {
            "The driver reported success, but the GPU got stuck again."
        }
        (_, Last::Nothing | Last::Begun | Last::BegunAgain | Last::HardwareDone) => {
            "The log shows no recovery, so the GPU may still be stuck."
        }
    }
}

/// Where the log does not show how it ended.
const fn open(class: Option<FailureClass>, outcome: Outcome, after: Aftermath) -> &'static str {
    match (after.last, class) {
        (Last::StuckAgain, _) => {
            "The driver recovered the GPU, but it then got stuck again, and the log does not show \
             how that ended."
        }
        (Last::HardwareDone, _) => {
            "The hardware was reset, and the log does not show that the driver set it up again."
        }
        (Last::Begun | Last::BegunAgain, _) if after.is_reset_named => {
            "The log does not show the result of the reset."
        }
        (Last::Begun | Last::BegunAgain, _) => {
            "The driver began a reset, and the log does not show its result."
        }
        (Last::Nothing | Last::Success, Some(FailureClass::Start)) => {
            "The log does not show whether the GPU started after all."
        }
        (Last::Nothing | Last::Success, Some(FailureClass::Display)) => {
            "The log does not show whether the screen came back."
        }
        (Last::Nothing | Last::Success, Some(FailureClass::Task)) => {
            "The log does not show whether the tasks went on."
        }
        (Last::Nothing | Last::Success, _) => ending(class, outcome, after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Aftermath = Aftermath {
        screen: true,
        last: Last::Nothing,
        is_reset_named: false,
        comes_back: false,
        panicked: false,
    };

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
