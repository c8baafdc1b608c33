//! Narrows what was concluded to what somebody wants to see.

use std::collections::BTreeSet;
use std::io::Write;

use super::failure::Failure;
use super::tell;
use crate::diagnosis::choice::{Choice, Missing, Window};
use crate::report::Part;
use crate::value::PciAddress;

/// Narrows all `parts`; false where one cannot be, of which nothing is shown then.
///
/// # Errors
/// Where none of them has what was chosen.
pub(super) fn narrow(
    parts: &mut [Part],
    choice: &Choice,
    messages: &mut impl Write,
) -> Result<bool, Failure> {
    if choice.is_everything() {
        return Ok(true);
    }
    let windows: Vec<Result<Window, Missing>> =
        parts.iter().map(|part| choice.within(&part.log)).collect();
    if windows.iter().all(Result::is_err) {
        let names = parts.iter().map(|part| part.name.as_str());
        let missing = names.zip(windows).filter_map(|(name, window)| Some((name, window.err()?)));
        let failures: Vec<Failure> =
            missing.map(|(name, missing)| failure(name, missing, choice)).collect();
        return failures.into_iter().reduce(worse).map_or(Ok(true), Err);
    }
    let mut complete = true;
    for (part, window) in parts.iter_mut().zip(windows) {
        let window = window.unwrap_or_else(|missing| {
            // That a GPU or boot is in another log is what was to be expected.
            if matches!(missing, Missing::Clock { .. }) {
                complete = false;
                tell(&failure(&part.name, missing, choice), messages);
            }
            Window::nothing()
        });
        part.narrow(window);
    }
    Ok(complete)
}

fn failure(name: &str, missing: Missing, choice: &Choice) -> Failure {
    let name = name.to_owned();
    match (missing, choice) {
        (Missing::Boot { count }, &Choice { boot: Some(number), .. }) => {
            Failure::NoSuchBoot { number, count }
        }
        (Missing::Device { known }, &Choice { device: Some(address), .. }) => {
            Failure::NoSuchDevice { address, known }
        }
        (Missing::Clock { moment, clock }, _) => Failure::NoSuchClock { name, moment, clock },
        (Missing::Boot { .. } | Missing::Device { .. }, _) => {
            unreachable!("only what was chosen is missing")
        }
    }
}

/// Of two inputs that have not what was chosen, what there is in both.
fn worse(one: Failure, other: Failure) -> Failure {
    let both = |mut one: BTreeSet<PciAddress>, other| {
        one.extend::<BTreeSet<PciAddress>>(other);
        one
    };
    match (one, other) {
        (Failure::NoSuchDevice { address, known }, Failure::NoSuchDevice { known: other, .. }) => {
            Failure::NoSuchDevice { address, known: both(known, other) }
        }
        (Failure::NoSuchBoot { number, count }, Failure::NoSuchBoot { count: other, .. }) => {
            Failure::NoSuchBoot { number, count: count.max(other) }
        }
        (one, _) => one,
    }
}
