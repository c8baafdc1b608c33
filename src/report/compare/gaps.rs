//! What a comparison cannot decide, and why.

use super::{Compared, ComparedSide};
use crate::compare::{
    ComparedVerdict, Comparison, Doubt, EventRow, FirmwareRow, Presence, Silence,
};
use crate::document::counts::span;

const fn doubtful(doubt: Doubt) -> &'static str {
    match doubt {
        Doubt::Filtered => "was filtered: what is missing may have been filtered out",
        Doubt::Holes => "reports gaps: what is missing may have been there",
        Doubt::StartsLate => "does not have the beginning of the boot",
        Doubt::Stopped => "was not read to its end",
        Doubt::Forgotten => "has more events than are kept, so counts are too small",
        Doubt::Undiagnosed => "has more incidents than are diagnosed, so some are not compared",
        Doubt::Timeless => "has no times",
    }
}

/// What cannot be decided, and why.
pub(in crate::report) fn gaps(compared: &Compared<'_>) -> Vec<String> {
    let comparison = compared.comparison;
    let mut gaps = Vec::new();
    if comparison.machine.is_some() {
        gaps.push(
            "Packages and similar facts are those at the time each archive was made, which may be in a later boot."
                .to_owned(),
        );
    }
    for (name, extent) in [("GOOD", &comparison.good), ("BAD", &comparison.bad)] {
        gaps.extend(extent.doubts.iter().map(|doubt| format!("{name} {}.", doubtful(*doubt))));
    }
    let lacks = |good: bool, bad: bool| match (good, bad) {
        (true, true) => None,
        (false, true) => Some("GOOD"),
        (true, false) => Some("BAD"),
        (false, false) => Some("neither"),
    };
    let kernel = &comparison.kernel;
    let known = |side: &ComparedSide<'_>| {
        let boot = side.part.log.boots.get(side.chosen.boot);
        boot.is_some_and(|boot| boot.command_line.is_some())
    };
    for (what, side) in [
        ("the kernel's release", lacks(kernel.good.is_some(), kernel.bad.is_some())),
        ("the kernel command line", lacks(known(&compared.good), known(&compared.bad))),
    ] {
        gaps.extend(side.map(|side| match side {
            "neither" => format!("Neither log has {what}."),
            side => format!("The log of {side} does not have {what}."),
        }));
    }
    let told = |row: &FirmwareRow<'_>| row.version.good.is_some() && row.version.bad.is_some();
    if !comparison.gpus.iter().flat_map(|pair| &pair.firmware).any(told) {
        gaps.push("No firmware version is in both logs.".to_owned());
    }
    gaps.extend(beyond(comparison));
    if comparison.unknown.is_none() {
        gaps.push(
            "Lines without a known meaning cannot be assigned to a boot in this log.".to_owned(),
        );
    }
    if let (false, Some((good, bad))) =
        (comparison.verdict == ComparedVerdict::Same, comparison.lengths())
        && (good.0 < bad.0 / 4 || bad.0 < good.0 / 4)
    {
        gaps.push(format!(
            "GOOD covers {}, BAD {}: a rare message may be missing from the shorter one by chance.",
            span(good),
            span(bad)
        ));
    }
    gaps
}

/// The number of messages of one log at times that the other one does not cover.
fn beyond(comparison: &Comparison<'_>) -> Vec<String> {
    let mut told = Vec::new();
    for (presence, here, there) in [(Presence::New, "BAD", "GOOD"), (Presence::Gone, "GOOD", "BAD")]
    {
        for (silence, why) in
            [(Silence::EndsBefore, "ends before"), (Silence::BeginsLater, "begins after")]
        {
            let fits = |row: &&EventRow<'_>| row.presence() == presence && row.silence == silence;
            let count = comparison.events.iter().filter(fits).count();
            let messages = match count {
                0 => continue,
                1 => format!("1 kind of message in {here}, so its"),
                count => format!("{count} kinds of messages in {here}, so their"),
            };
            told.push(format!("{there}'s log {why} {messages} absence proves nothing."));
        }
    }
    told
}
