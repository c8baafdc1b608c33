//! What was read of an input, and what of it could not be used, in one sentence.

use crate::record::{Direction, Why};
use crate::report::ReportPart;
use crate::report::reading::{ReadingSentence, around};

pub(super) fn sentence(part: &ReportPart) -> String {
    let log = &part.log;
    let reading = &log.reading;
    let mut sentence = ReadingSentence::new(&part.name, reading);
    if log.boots.len() > 1 {
        sentence.part(&format!("{} boots", log.boots.len()));
    }
    sentence.count(around(reading), "lines around the log");
    sentence.count(reading.lost_lines(), "lines not readable");
    sentence.count(reading.passed_over(Why::QuotedAgain), "records that an answer quotes again");
    let excerpts = reading.excerpts.iter().map(|range| range.end - range.start).sum();
    sentence.count(excerpts, "records of an excerpt, which stand in the log as a whole, too");
    sentence.missing(reading);
    sentence.count(log.dropped_events, "events beyond what is kept");
    sentence.count(part.conclusions.left_out as u64, "incidents left out in the middle");
    if let Some(left_out) = part.left_out {
        sentence.count(left_out.boots as u64, "boots not chosen");
        sentence.count(left_out.incidents as u64, "incidents not chosen");
        sentence.count(left_out.diagnoses as u64, "diagnoses less certain than asked for");
        sentence.count(left_out.notices as u64, "notices not chosen");
    }
    sentence.count(log.unknown_driver_lines, "driver lines without a known meaning");
    let not_evaluated = part.conclusions.not_evaluated.len() as u64;
    sentence.count(not_evaluated, "signatures not evaluated: too many events");
    if reading.direction == Direction::Reversed {
        sentence.remark("newest first, turned round");
    }
    // Only what happened is shown with times.
    if !part.conclusions.findings.is_empty() {
        sentence.derived(reading.form);
    }
    if log.filtered {
        sentence.remark("it went through a filter, so that what is absent proves nothing");
    }
    sentence.end(reading)
}
