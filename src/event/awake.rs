//! Detects crashes of the kernel right after the machine has slept: memory and hardware have then
//! been put back to where they were, which is where such bugs show.

use super::Observed;
use crate::kind::Event;
use crate::record::Stamp;
use crate::value::{Micros, Phase, Text};

/// Maximum time from the end of the sleep to the crash. Where lines have no time, nothing else may
/// be between them.
const SOON: Micros = Micros::seconds(60);

/// The end of a sleep: boot, line, time, and which kind of sleep.
struct End {
    boot: usize,
    line: u64,
    stamp: Stamp,
    kind: &'static str,
    /// Whether it is the last event so far.
    is_last: bool,
}

/// Sets `sleep` and `sleep_line` in crashes.
pub(super) fn tell_awakening(events: &mut [Observed]) {
    let mut end: Option<End> = None;
    for observed in events {
        let line = observed.line();
        if let Event::SystemSleep(sleep) = &observed.event {
            let kind = match sleep.kind.as_deref() {
                Some("disk") => "hibernation",
                Some(_) | None => "suspend",
            };
            let (boot, stamp) = (observed.boot, observed.stamp);
            let is_over = sleep.phase == Some(Phase::End);
            end = is_over.then_some(End { boot, line, stamp, kind, is_last: true });
            continue;
        }
        if let Event::KernelOops(oops) = &mut observed.event {
            let before = end.as_ref().filter(|end| {
                let span = end.stamp.elapsed(&observed.stamp);
                end.boot == observed.boot && span.map_or(end.is_last, |span| span <= SOON)
            });
            oops.sleep = before.map(|end| Text::const_new(end.kind));
            oops.sleep_line = before.map(|end| end.line);
        }
        if let Some(end) = &mut end {
            end.is_last = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;
    use crate::kind::Kind;

    const CRASH: &str = "BUG: kernel NULL pointer dereference, address: 0000000000000090\n";

    /// What the log says of a sleep before its crash.
    fn slept(text: &str) -> Option<String> {
        let log = log(text);
        let crash = log.events.iter().find(|seen| seen.event.kind() == Kind::KernelOops).unwrap();
        crash.event.text("sleep").map(str::to_owned)
    }

    #[test]
    fn a_crash_soon_after_a_sleep_is_told() {
        let timed = |end: &str, at: u32| format!("[  211.000001] {end}\n[  {at}.000001] {CRASH}");
        let hibernated = "PM: hibernation: hibernation exit";
        for (text, expected) in [
            (timed(hibernated, 222), Some("hibernation")),
            (timed("PM: suspend exit", 222), Some("suspend")),
            (timed(hibernated, 622), None),
            (timed("PM: suspend entry (deep)", 222), None),
            (format!("    {hibernated}\n    {CRASH}"), Some("hibernation")),
        ] {
            assert_eq!(slept(&text).as_deref(), expected, "{text}");
        }
    }
}
