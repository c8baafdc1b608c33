//! A sentence about what was read of an input, and what was unusable.

use crate::record::{Direction, SkipReason as Why};
use crate::report::ReportPart;
use crate::report::reading::{ReadingSentence, around};

/// The sentence, with the name of the input if given.
pub(super) fn sentence(part: &ReportPart, name: Option<&str>) -> String {
    let log = &part.log;
    let reading = &log.reading;
    let mut sentence = ReadingSentence::new(name, reading);
    if log.boots.len() > 1 {
        let maybe = match log.uncertain_boots() {
            0 => String::new(),
            some if some + 1 == log.boots.len() => ", or excerpts of one".to_owned(),
            1 => " (1 of them may be an excerpt of another)".to_owned(),
            some => format!(" ({some} of them may be excerpts of others)"),
        };
        sentence.part(&format!("{} boots{maybe}", log.boots.len()));
    }
    sentence.count(around(reading), "lines ignored (not log lines)");
    sentence.count(reading.lost_lines(), "unreadable lines");
    sentence
        .count(reading.passed_over(Why::QuotedAgain), "records ignored (quoted again in a reply)");
    let excerpts = reading.excerpts.iter().map(|range| range.end - range.start).sum();
    sentence.count(excerpts, "records of an excerpt that the whole log repeats");
    sentence.missing(reading);
    sentence.count(log.dropped_events, "events not kept");
    sentence.count(part.conclusions.left_out as u64, "incidents left out in the middle");
    if let Some(left_out) = part.left_out {
        sentence.count(left_out.boots as u64, "boots not chosen");
        sentence.count(left_out.incidents as u64, "incidents not chosen");
        sentence.count(left_out.diagnoses as u64, "diagnoses less certain than requested");
        sentence.count(left_out.notices as u64, "notices not chosen");
    }
    // Error lines are counted in the result or in a remark.
    let rest = log.unknown_driver_lines.saturating_sub(log.unknown.own_errors());
    let what = match log.unknown.errors() {
        0 => "driver lines without a known meaning",
        _ => "other driver lines without a known meaning",
    };
    sentence.count(rest, what);
    let not_evaluated = part.conclusions.not_evaluated.len() as u64;
    sentence.count(not_evaluated, "signatures not evaluated: too many events");
    if reading.direction == Direction::Reversed {
        sentence.remark("newest first, reversed");
    }
    // Times are shown only for events that happened.
    if !part.conclusions.findings.is_empty() {
        sentence.derived(reading.form);
    }
    if log.filtered {
        sentence.remark("filtered log: missing lines prove nothing");
    }
    if let Some(why) = &part.cut {
        sentence.remark(&format!("the rest was not read, because {why}"));
    }
    sentence.end(reading)
}
