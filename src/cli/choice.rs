//! Restricts conclusions to the user's selection.

use std::borrow::BorrowMut;

use super::failure::Failure;
use super::streams::Messages;
use crate::diagnosis::choice::{Choice, Missing, Window};
use crate::report::ReportPart;

/// Restricts all `parts`; returns false if one of them has nothing selected, which is then removed.
/// Fails if that is true for all.
pub(super) fn narrow<P: BorrowMut<ReportPart>>(
    parts: &mut Vec<P>,
    choice: &Choice,
    messages: &mut Messages<'_>,
) -> Result<bool, Failure> {
    within(parts, choice, messages, ReportPart::narrow)
}

/// Calls `take` with each of `parts`, restricted as by [`narrow`].
pub(super) fn within<P: BorrowMut<ReportPart>>(
    parts: &mut Vec<P>,
    choice: &Choice,
    messages: &mut Messages<'_>,
    mut take: impl FnMut(&mut ReportPart, Window),
) -> Result<bool, Failure> {
    if choice.is_everything() {
        return Ok(true);
    }
    let windows: Vec<Result<Window, Missing>> =
        parts.iter().map(|part| choice.within(&part.borrow().log)).collect();
    if windows.iter().all(Result::is_err) {
        let names = parts.iter().map(|part| part.borrow().name.as_str());
        let missing = names.zip(windows).filter_map(|(name, window)| Some((name, window.err()?)));
        let failures = missing.map(|(name, missing)| failure(name, missing));
        return failures.reduce(worse).map_or(Ok(true), Err);
    }
    let mut complete = true;
    let mut windows = windows.into_iter();
    parts.retain_mut(|part| {
        let part = part.borrow_mut();
        let Some(window) = windows.next() else { return true };
        match window.or_else(|missing| elsewhere(missing, part, choice)) {
            Ok(window) => take(part, window),
            Err(missing) => {
                complete = false;
                messages.tell(&failure(&part.name, missing));
                return false;
            }
        }
        true
    });
    Ok(complete)
}

/// The restriction of an input without anything selected, if another input has it: that is normal
/// if the GPU, boot or time is in another log.
fn elsewhere(missing: Missing, part: &ReportPart, choice: &Choice) -> Result<Window, Missing> {
    match missing {
        Missing::Device { known, .. } if known.is_empty() => choice.within_nameless(&part.log),
        Missing::Device { .. } | Missing::Boot { .. } | Missing::Time => Ok(Window::nothing()),
        Missing::Clock { .. } | Missing::Reversed { .. } => Err(missing),
    }
}

/// Why an input has nothing selected.
pub(super) fn failure(name: &str, missing: Missing) -> Failure {
    let name = name.to_owned();
    match missing {
        Missing::Boot { number, count } => Failure::NoSuchBoot { number, count },
        Missing::Device { address, boot, known } => Failure::NoSuchDevice { address, boot, known },
        Missing::Clock { moment, clock } => Failure::NoSuchClock { name, moment, clock },
        Missing::Time => Failure::NoSuchTime { name },
        Missing::Reversed { since, until } => Failure::Reversed { since, until },
    }
}

/// Combines the failures of two inputs; the result lists what exists in both.
fn worse(one: Failure, other: Failure) -> Failure {
    match (one, other) {
        (
            Failure::NoSuchDevice { address, boot, mut known },
            Failure::NoSuchDevice { known: other, .. },
        ) => {
            known.extend(other);
            Failure::NoSuchDevice { address, boot, known }
        }
        (Failure::NoSuchBoot { number, count }, Failure::NoSuchBoot { count: other, .. }) => {
            Failure::NoSuchBoot { number, count: count.max(other) }
        }
        (one, _) => one,
    }
}
