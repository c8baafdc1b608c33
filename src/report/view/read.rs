//! What was read of an input, and what of it could not be used, in one sentence.

use crate::record::{Direction, Why};
use crate::report::Part;
use crate::report::reading::{Told, around};

pub(super) fn told(part: &Part) -> String {
    let log = &part.log;
    let reading = &log.reading;
    let mut told = Told::new(&part.name, reading);
    if log.boots.len() > 1 {
        told.part(&format!("{} boots", log.boots.len()));
    }
    told.count(around(reading), "lines around the log");
    told.count(reading.lost_lines(), "lines not readable");
    told.count(reading.passed_over(Why::QuotedAgain), "records that an answer quotes again");
    let excerpts = reading.excerpts.iter().map(|range| range.end - range.start).sum();
    told.count(excerpts, "records of an excerpt, which stand in the log as a whole, too");
    told.missing(reading);
    told.count(log.dropped_events, "events beyond what is kept");
    told.count(part.conclusions.left_out as u64, "incidents left out in the middle");
    if let Some(left_out) = part.left_out {
        told.count(left_out.boots as u64, "boots not chosen");
        told.count(left_out.incidents as u64, "incidents not chosen");
        told.count(left_out.diagnoses as u64, "diagnoses less certain than asked for");
        told.count(left_out.notices as u64, "notices not chosen");
    }
    told.count(log.unknown_driver_lines, "driver lines without a known meaning");
    let not_evaluated = part.conclusions.not_evaluated.len() as u64;
    told.count(not_evaluated, "signatures not evaluated: too many events");
    if reading.direction == Direction::Reversed {
        told.remark("newest first, turned round");
    }
    // Only what happened is shown with times.
    if !part.conclusions.findings.is_empty() {
        told.derived(reading.form);
    }
    if log.filtered {
        told.remark("it went through a filter, so that what is absent proves nothing");
    }
    told.end(reading)
}
