//! How an incident ended, in a sentence for whoever was using the GPU.

use std::borrow::Cow;

use super::state::ending;
use super::time::moment;
use crate::diagnosis::aftermath::{Aftermath, Last, NamedReset};
use crate::event::Observed;
use crate::value::{FailureClass, Named, Outcome};

/// How it ended if the kernel stopped: what it printed, and whether that names the failure.
pub(super) fn panicked(class: Option<FailureClass>, panic: &Observed) -> String {
    let reason = panic.event.text("reason").map(|reason| format!(": {}", Named(reason)));
    let at = format!("panic, line {}{}", panic.line(), reason.unwrap_or_default());
    match class {
        Some(FailureClass::Crash) => format!("The machine stopped ({at}) and needs a restart."),
        Some(FailureClass::Task) => {
            format!("The kernel then stopped ({at}), and the machine needs a restart.")
        }
        _ => format!(
            "The kernel then stopped ({at}), and the machine needs a restart. The log does not \
             connect that with the GPU."
        ),
    }
}

/// How it ended if the GPU began to fail again at the end of the log: the driver saves the state of
/// a GPU only for a job that timed out, or for a reset.
pub(super) fn fails_again(dump: &Observed) -> String {
    let time = moment(&dump.stamp).map(|time| format!(", {time}")).unwrap_or_default();
    format!(
        "The driver recovered the GPU, but it began to fail again (line {}{time}): the driver saved \
         its state, and the log ends there.",
        dump.line()
    )
}

/// What lines before the failure show, each in a sentence.
pub(super) fn before(after: Aftermath) -> impl Iterator<Item = String> {
    let saved = after.saved.map(|line| {
        format!(
            "The driver had already begun to save the GPU's state (line {line}): a job had timed out, or a \
             reset had begun, in lines that are not in this log."
        )
    });
    let port = after.port.map(|line| {
        format!(
            "Shortly before, a PCI Express port reported an error that was not corrected (line \
             {line}). If the GPU is below that port, this may be the cause."
        )
    });
    saved.into_iter().chain(port)
}

/// What the kernel reports after the failure, in a sentence.
pub(super) fn behind(after: Aftermath) -> Option<String> {
    after.lockup.map(|line| {
        format!(
            "The kernel then reported a CPU that is stuck (line {line}); the log does not connect \
             that with the GPU."
        )
    })
}

/// How it ended, and what that means for whoever was using the GPU.
pub(super) fn consequence(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> Cow<'static, str> {
    if let Some(line) = crash_to_name(class, outcome, after) {
        return format!(
            "While the driver was resetting the GPU, the kernel crashed in the driver (line {line}). \
             The log does not show that the reset ended."
        )
        .into();
    }
    let said = match outcome {
        Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost | Outcome::None
            if matches!(class, Some(FailureClass::Start)) =>
        {
            ending(class, outcome, after)
        }
        Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost
            if after.comes_back =>
        {
            "The driver recovered the GPU, but the failure comes back within minutes. Programs that \
             were using it may have lost their work."
        }
        Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost => {
            let lost = lost(class, outcome, after).unwrap_or_default().into();
            let error = after.error.map_or_else(String::new, |line| {
                format!("Errors of the driver follow it (first in line {line}).")
            });
            let mut said = vec![back(outcome, after).to_owned(), lost, error];
            said.retain(|sentence| !sentence.is_empty());
            return said.join(" ").into();
        }
        Outcome::Failed => failed(class, outcome, after),
        Outcome::NeverCompleted => match after.last {
            Last::BegunAgain => {
                "A recovery failed, and the log does not show how the next one ended. You probably \
                 need to reboot."
            }
            _ => "The log does not show how the recovery ended. You probably need to reboot.",
        },
        Outcome::Hung => still_stuck(class, after.last),
        Outcome::None
            if matches!(class, Some(FailureClass::OutOfMemory | FailureClass::Passthrough)) =>
        {
            ending(class, outcome, after)
        }
        Outcome::None => "The GPU itself kept working and needed no reset.",
        Outcome::Unknown => open(class, outcome, after),
    };
    said.into()
}

/// The line of a crash in a reset without an end, where the first diagnosis is not about it.
const fn crash_to_name(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> Option<u64> {
    let is_open = matches!(outcome, Outcome::NeverCompleted | Outcome::Unknown | Outcome::Hung)
        && matches!(after.last, Last::Begun);
    if is_open && !matches!(class, Some(FailureClass::Crash)) { after.crash } else { None }
}

/// The same in fewer words, for a screen that is too small for all of them.
pub(super) fn in_short(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> Option<String> {
    let starts = matches!(class, Some(FailureClass::Start));
    let is_short = outcome != Outcome::VramLost || after.comes_back || starts;
    (!is_short)
        .then(|| format!("{} Programs that used it have probably crashed.", back(outcome, after)))
}

/// How it came back.
const fn back(outcome: Outcome, after: Aftermath) -> &'static str {
    if matches!(after.last, Last::SetUpAgain) {
        return "The reset failed. The driver was started again later, and the GPU works again.";
    }
    match (after.reset, outcome) {
        (NamedReset::Failed, _) => "A later reset succeeded, and the GPU works again.",
        (NamedReset::Begun, _) => "The reset succeeded and the GPU works again.",
        (NamedReset::None, Outcome::VramLost) => "The driver reset the GPU and it works again.",
        (NamedReset::None, _) => "The driver recovered the GPU.",
    }
}

/// What was lost on the way. That nothing was is said only of a repair that leaves other programs
/// alone, and if the log covers the time in which they would have complained.
const fn lost(
    class: Option<FailureClass>,
    outcome: Outcome,
    after: Aftermath,
) -> Option<&'static str> {
    // Only compute cards and workstations report such errors.
    let is_for_work = matches!(class, Some(FailureClass::Hardware));
    Some(match outcome {
        Outcome::VramLost if after.screen && !is_for_work => {
            "Everything in video memory was lost, so games and other GPU programs have probably \
             crashed; perhaps your desktop too."
        }
        Outcome::VramLost => {
            "Everything in its memory was lost, so the programs that were using it have probably \
             crashed."
        }
        Outcome::RecoveredContextLost if after.screen => {
            "Programs that were using it lost their work and may have crashed; perhaps your \
             desktop too."
        }
        Outcome::RecoveredContextLost => {
            "Programs that were using it lost their work and may have crashed."
        }
        Outcome::Recovered if after.stays_quiet => "No sign that other programs lost work.",
        Outcome::Recovered
        | Outcome::Failed
        | Outcome::NeverCompleted
        | Outcome::Hung
        | Outcome::None
        | Outcome::Unknown => return None,
    })
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
        Some(FailureClass::Passthrough) => ending(class, outcome, after),
        _ => "The GPU did not recover and cannot be used until a reboot.",
    }
}

const fn still_stuck(class: Option<FailureClass>, last: Last) -> &'static str {
    match (class, last) {
        (Some(FailureClass::Task | FailureClass::Crash), _) => {
            "The log shows no recovery: what is stuck may stay so until a reboot."
        }
        (_, Last::Success | Last::StuckAgain) => {
            "The driver reported success, but the GPU got stuck again."
        }
        (_, Last::StuckElsewhere) => {
            "The driver recovered one part of the GPU; another one had hung as well, and the log \
             shows no recovery of that."
        }
        (
            _,
            Last::Nothing
            | Last::Begun
            | Last::PartFailed
            | Last::BegunAgain
            | Last::HardwareDone
            | Last::SetUpAgain
            | Last::FaultedSince,
        ) => "The log shows no recovery, so the GPU may still be stuck.",
    }
}

/// Where the log does not show how it ended.
const fn open(class: Option<FailureClass>, outcome: Outcome, after: Aftermath) -> &'static str {
    match (after.last, class) {
        (Last::StuckAgain, _) => {
            "The driver recovered the GPU, but it then got stuck again, and the log does not show \
             how that ended."
        }
        (Last::StuckElsewhere, _) => {
            "The driver recovered one part of the GPU; another one had hung as well, and the log \
             does not show how that ended."
        }
        (Last::FaultedSince, Some(FailureClass::Fault)) => {
            "The driver had recovered a part of the GPU before the page fault; the log does not show \
             whether the GPU works since then."
        }
        (Last::FaultedSince, _) => {
            "The driver recovered a part of the GPU. A page fault followed, and the log does not \
             show whether the GPU works since then."
        }
        (Last::HardwareDone, Some(FailureClass::Loss)) => {
            "The driver reports that it reset the GPU. The log ends before the GPU works again."
        }
        (Last::HardwareDone, _) if after.vram_lost => {
            "The GPU was reset and lost the contents of its video memory. The log ends before the \
             driver has it working again."
        }
        (Last::HardwareDone, _) => {
            "The GPU was reset. The log ends before the driver has it working again."
        }
        (Last::Begun, _) if !matches!(after.reset, NamedReset::None) => {
            "The log does not show the result of the reset."
        }
        (Last::PartFailed, _) => {
            "A reset of only a part of the GPU failed, and the log does not show what the driver \
             did then."
        }
        (Last::Begun, _) => "The driver began a reset, and the log does not show its result.",
        (Last::Nothing | Last::Success | Last::SetUpAgain, Some(FailureClass::Display)) => {
            "The log does not show whether the screen came back."
        }
        (Last::Nothing | Last::Success | Last::SetUpAgain, Some(FailureClass::Task)) => {
            "The log does not show whether that ended."
        }
        (Last::Nothing | Last::Success | Last::SetUpAgain | Last::BegunAgain, _) => {
            ending(class, outcome, after)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Aftermath = Aftermath {
        screen: true,
        last: Last::Nothing,
        reset: NamedReset::None,
        comes_back: false,
        stays_quiet: false,
        vram_lost: false,
        error: None,
        panic: None,
        lockup: None,
        crash: None,
        dump: None,
        saved: None,
        port: None,
    };

    #[test]
    fn a_failure_that_comes_back_is_not_over() {
        for outcome in [Outcome::Recovered, Outcome::RecoveredContextLost, Outcome::VramLost] {
            let said = |comes_back| consequence(None, outcome, Aftermath { comes_back, ..NOTHING });
            assert!(!said(false).contains("comes back"), "{outcome:?}");
            assert!(said(true).contains("comes back"), "{outcome:?}");
        }
    }

    #[test]
    fn that_nothing_was_lost_needs_a_log_that_goes_on() {
        let said = |stays_quiet| {
            consequence(None, Outcome::Recovered, Aftermath { stays_quiet, ..NOTHING })
        };
        assert!(said(true).ends_with("No sign that other programs lost work."));
        assert_eq!(said(false), "The driver recovered the GPU.");
    }

    #[test]
    fn a_crash_in_a_reset_is_named_once() {
        let after = Aftermath { last: Last::Begun, crash: Some(15), ..NOTHING };
        let said = |class| consequence(Some(class), Outcome::Unknown, after);
        assert!(said(FailureClass::Hang).contains("crashed in the driver (line 15)"));
        assert!(!said(FailureClass::Crash).contains("crashed"));
    }

    #[test]
    fn a_reset_without_a_result_is_named() {
        let said =
            |class, last| consequence(class, Outcome::Unknown, Aftermath { last, ..NOTHING });
        for class in [None, Some(FailureClass::Hang), Some(FailureClass::Task)] {
            assert!(said(class, Last::Begun).starts_with("The driver began a reset,"), "{class:?}");
            assert!(!said(class, Last::Nothing).contains("began"), "{class:?}");
            assert!(said(class, Last::PartFailed).contains("only a part of the GPU failed"));
        }
    }
}
