//! The result of a comparison in one to a few sentences.

use super::Compared;
use super::words::{suspect, title};
use crate::compare::{
    ComparedVerdict, Comparison, FirmwareRow, GpuPair, IncidentRow, Presence, Silence,
};
use crate::document::counts::several;

/// Maximum number of suspects in the result.
const NAMED: usize = 4;

/// The result in one to a few sentences.
pub(in crate::report) fn answer(compared: &Compared<'_>) -> String {
    let comparison = compared.comparison;
    let mut sentences = vec![what(comparison)];
    if comparison.verdict == ComparedVerdict::NewFailure {
        sentences.extend(doubt(comparison));
    }
    if has_more(comparison) {
        sentences.push(in_question(comparison));
    } else if comparison.verdict == ComparedVerdict::Different {
        sentences.extend(changed(comparison));
    }
    sentences.join(" ")
}

/// The result in a few words.
pub(super) fn state(comparison: &Comparison<'_>) -> String {
    match comparison.verdict {
        ComparedVerdict::NewFailure => {
            let new = new_failures(comparison).count();
            format!("Worse: {}", several(new, "new failure"))
        }
        ComparedVerdict::WorseFailure => "Worse: no recovery".to_owned(),
        ComparedVerdict::KnownFailure => "Same failure in both".to_owned(),
        ComparedVerdict::Different if has_more(comparison) => {
            "New warning, no new failure".to_owned()
        }
        ComparedVerdict::Different => "Not worse".to_owned(),
        ComparedVerdict::Same => "No difference".to_owned(),
    }
}

/// Whether BAD has an incident that GOOD does not have, or a worse outcome.
pub(super) fn has_more(comparison: &Comparison<'_>) -> bool {
    let new = |row: &IncidentRow<'_>| row.presence() == Presence::New;
    comparison.verdict.is_worse() || comparison.incidents.iter().any(new)
}

fn new_failures<'c, 'l>(
    comparison: &'c Comparison<'l>,
) -> impl Iterator<Item = &'c IncidentRow<'l>> {
    let new = |row: &&IncidentRow<'_>| row.presence() == Presence::New && row.is_failure();
    comparison.incidents.iter().filter(new)
}

/// The title of the first incident.
fn first<'c, 'l: 'c>(rows: impl Iterator<Item = &'c IncidentRow<'l>>) -> String {
    rows.take(1).filter_map(IncidentRow::first).map(title).collect()
}

fn what(comparison: &Comparison<'_>) -> String {
    let rows = |presence: Presence| {
        comparison.incidents.iter().filter(move |row| row.presence() == presence)
    };
    let gone = match rows(Presence::Gone).count() {
        0 => String::new(),
        1 => "; 1 failure of GOOD is gone".to_owned(),
        count => format!("; {count} failures of GOOD are gone"),
    };
    match comparison.verdict {
        ComparedVerdict::NewFailure => {
            let first = first(new_failures(comparison));
            match new_failures(comparison).count() {
                1 => format!("BAD has 1 failure that GOOD does not have: {first}."),
                count => {
                    format!("BAD has {count} failures that GOOD does not have; the first: {first}.")
                }
            }
        }
        ComparedVerdict::WorseFailure => {
            let title = first(comparison.incidents.iter().filter(|row| row.is_worse));
            format!("Both have this failure, but in BAD the GPU did not recover: {title}.")
        }
        ComparedVerdict::KnownFailure => {
            let first = first(rows(Presence::Both));
            match rows(Presence::Both).count() {
                1 => format!("The failure in BAD is also in GOOD: {first}{gone}."),
                count => format!(
                    "All {count} failures in BAD are also in GOOD; the first: {first}{gone}."
                ),
            }
        }
        ComparedVerdict::Different => {
            match (rows(Presence::New).count(), rows(Presence::Gone).count()) {
                (0, 0) => "No failure in BAD, and none in GOOD.".to_owned(),
                (0, _) => format!(
                    "No failure in BAD, but one in GOOD. Perhaps GOOD and BAD are swapped: {}.",
                    first(rows(Presence::Gone))
                ),
                (1, _) => format!("Only BAD has this: {}.", first(rows(Presence::New))),
                (count, _) => format!(
                    "Only BAD has {count} incidents, none of them a failure; the first: {}.",
                    first(rows(Presence::New))
                ),
            }
        }
        ComparedVerdict::Same => "The logs show no difference and no failure.".to_owned(),
    }
}

/// Reasons to doubt that the failure is new.
fn doubt(comparison: &Comparison<'_>) -> Option<String> {
    let first = new_failures(comparison).next()?;
    if first.same_head_in_good == 0 {
        let why = silence(first.silence)?;
        return Some(format!("Its absence from GOOD proves little: {why}."));
    }
    let incidents = several(first.same_head_in_good, "incident");
    Some(format!("GOOD has {incidents} with the same diagnosis and a different course."))
}

/// The differences, the first ones by name.
fn differing(comparison: &Comparison<'_>) -> Vec<String> {
    let mut named: Vec<String> = comparison.suspects().take(NAMED).map(suspect).collect();
    let more = comparison.suspects().skip(NAMED).count();
    named.extend((more > 0).then(|| format!("{more} more")));
    named
}

/// The suspects.
fn in_question(comparison: &Comparison<'_>) -> String {
    match (differing(comparison).as_slice(), alike_in_both(comparison).as_slice()) {
        ([], []) => "These logs do not show what else differs.".to_owned(),
        ([], known) => format!("These logs show no difference in {}.", enumerated(known)),
        ([one], _) => format!(
            "Possible cause among the differences: {one}. A difference alone does not prove a cause."
        ),
        (all, _) => format!(
            "Possible causes among the differences: {}. A difference alone does not prove a cause.",
            enumerated(all)
        ),
    }
}

/// The properties that both logs have and that can be compared.
fn alike_in_both(comparison: &Comparison<'_>) -> Vec<String> {
    let Comparison { kernel, options, gpus, .. } = comparison;
    let both = |row: &FirmwareRow<'_>| row.version.good.is_some() && row.version.bad.is_some();
    let known = [
        ("kernel", kernel.good.is_some() && kernel.bad.is_some()),
        ("firmware", gpus.iter().flat_map(|pair| &pair.firmware).any(both)),
        ("parameters", options.is_some()),
        ("GPUs", gpus.iter().any(GpuPair::is_one_chip)),
    ];
    known.into_iter().filter(|(_, known)| *known).map(|(what, _)| what.to_owned()).collect()
}

/// The differences, if none led to a failure.
fn changed(comparison: &Comparison<'_>) -> Option<String> {
    let named = differing(comparison);
    (!named.is_empty()).then(|| format!("Differences: {}.", enumerated(&named)))
}

/// `a, b and c`.
fn enumerated(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{} and {last}", one.join(", ")),
        names => names.concat(),
    }
}

/// Why the absence in the other log proves nothing; `None` if it does prove something.
const fn silence(silence: Silence) -> Option<&'static str> {
    match silence {
        Silence::Proves => None,
        Silence::Gaps => Some("GOOD's log is incomplete"),
        Silence::EndsBefore => Some("GOOD's log ends before that time of its boot"),
        Silence::BeginsLater => Some("GOOD's log begins after that time of its boot"),
        Silence::Untimed => Some("the logs do not show how long each boot had been running"),
    }
}
