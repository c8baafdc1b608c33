//! Finds what the text around a log only repeats: the title of a report, and sentences about a line
//! of the log.

use super::Observed;

/// Maximum number of lines above a log that are compared with it.
const TITLES: usize = 4;
/// Maximum number of quoted messages that are compared with it.
const QUOTED: usize = 64;

/// The sequence numbers of events that a line of the log reports, too: those above the log in the
/// same words and with a time, and those that a person quotes.
pub(super) fn repeated(events: &[Observed]) -> Vec<u64> {
    let quoted = events.iter().filter(|observed| observed.in_prose).take(QUOTED);
    let quoted = quoted.filter(|quoted| events.iter().any(|line| is_of(line, quoted)));
    let quoted = quoted.map(|quoted| quoted.sequence);
    titles(events).into_iter().chain(quoted).collect()
}

/// Whether a line of the log reports what `quoted` says: the same kind of event, of no other ring or
/// block.
fn is_of(line: &Observed, quoted: &Observed) -> bool {
    let differs = |field: &str| {
        let (own, other) = (quoted.event.field(field), line.event.field(field));
        own.is_some() && other.is_some() && own != other
    };
    !line.in_prose
        && line.event.kind() == quoted.event.kind()
        && !["ring", "ip", "phase", "program"].iter().any(|field| differs(field))
}

/// The events above a log that a later line of it reports with a time and in the same words.
fn titles(events: &[Observed]) -> Vec<u64> {
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
