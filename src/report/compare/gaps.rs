//! What a comparison cannot decide, and why.

use super::{Compared, ComparedSide};
use crate::compare::{
    ComparedVerdict, Comparison, Doubt, EventRow, Extent, FirmwareRow, Presence, Silence,
};
use crate::document::counts::span;
use crate::event::log::Boot;

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
        let side = if name == "GOOD" { &compared.good } else { &compared.bad };
        gaps.extend(extent.doubts.iter().map(|doubt| {
            let lost = if *doubt == Doubt::StartsLate { lost_with_the_start(side) } else { "" };
            format!("{name} {}{lost}.", doubtful(*doubt))
        }));
    }
    gaps.extend(lacking(compared));
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

/// What the lines at the start of a boot would show, and no other line does.
fn lost_with_the_start(side: &ComparedSide<'_>) -> &'static str {
    let boot = side.part.log.boots.get(side.chosen.boot);
    match boot.map(|boot| (boot.kernel.is_some(), boot.command_line.is_some())) {
        Some((true, true)) => "",
        Some((true, false)) => ", and so no kernel command line",
        Some((false, true)) => ", and so no kernel release",
        Some((false, false)) | None => ", and so neither the kernel's release nor its command line",
    }
}

/// The logs that lack the kernel's release or command line, if their doubts do not say so.
fn lacking(compared: &Compared<'_>) -> Vec<String> {
    let comparison = compared.comparison;
    let sides =
        [("GOOD", &compared.good, &comparison.good), ("BAD", &compared.bad, &comparison.bad)];
    let boot = |side: &ComparedSide<'_>| side.part.log.boots.get(side.chosen.boot).cloned();
    let lacks = |what: &str, has: &dyn Fn(&Boot) -> bool| {
        let without =
            sides.iter().filter(|(_, side, _)| !boot(side).is_some_and(|boot| has(&boot)));
        let without: Vec<_> = without.collect();
        let told = |extent: &Extent| extent.doubts.contains(&Doubt::StartsLate);
        match without.as_slice() {
            [_, _] if without.iter().any(|(.., extent)| !told(extent)) => {
                Some(format!("Neither log has {what}."))
            }
            [(name, _, extent)] if !told(extent) => {
                Some(format!("The log of {name} does not have {what}."))
            }
            _ => None,
        }
    };
    let kernel = lacks("the kernel's release", &|boot| boot.kernel.is_some());
    let line = lacks("the kernel command line", &|boot| boot.command_line.is_some());
    kernel.into_iter().chain(line).collect()
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
