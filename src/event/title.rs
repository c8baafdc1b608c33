//! Finds the title of a report, which repeats a line of the log below it and reports nothing more.

use super::Observed;

/// Maximum number of lines above a log that are compared with it.
const TITLES: usize = 4;

/// The sequence numbers of events above a log that a later line of it reports with a time and in
/// the same words.
pub(super) fn titles(events: &[Observed]) -> Vec<u64> {
    let is_timed = |seen: &Observed| !seen.stamp.is_timeless();
    let Some(first) = events.iter().position(is_timed).filter(|first| *first <= TITLES) else {
        return Vec::new();
    };
    let (above, log) = events.split_at(first);
    let is_repeated = |title: &&Observed| {
        log.iter().any(|line| {
            is_timed(line) && line.event == title.event && line.text.ends_with(&*title.text)
        })
    };
    above.iter().filter(is_repeated).map(|title| title.sequence).collect()
}
