//! Reads from the marks of the kernel (taint flags) that it warned or crashed before the first
//! report of a log.

use super::Observed;
use super::recognise::Reports;
use crate::kind::{Event, Kind};
use crate::value::Text;

/// Sets `earlier` in the first report of each boot, whose first record `starts` has.
///
/// The kernel prints its marks within a report and adds that of the report itself afterwards: `W`
/// for a warning (`__warn()`), `D` for a crash (`oops_end()`).
pub(super) fn tell_earlier(events: &mut [Observed], reports: &Reports, starts: &[u64]) {
    let mut reported = None;
    for observed in events {
        if observed.event.kind() != Kind::KernelOops
            || reported.replace(observed.boot) == Some(observed.boot)
        {
            continue;
        }
        let first = starts.get(observed.boot).copied().unwrap_or_default();
        if !reports.has_one(first, observed.sequence)
            && let Event::KernelOops(oops) = &mut observed.event
        {
            oops.earlier = oops.taint.as_deref().and_then(earlier).map(Text::const_new);
        }
    }
}

/// What the flags are evidence of.
fn earlier(flags: &str) -> Option<&'static str> {
    if flags.contains('D') { Some("crash") } else { flags.contains('W').then_some("warning") }
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;

    const PLACE: &str = "WARNING: CPU: 3 PID: 99 at drivers/gpu/drm/amd/amdgpu/amdgpu_irq.c:655 amdgpu_irq_put+0xa8/0xc0 [amdgpu]";

    /// `earlier` of the last report in the log.
    fn told(lines: &[&str]) -> Option<String> {
        let timed = |(at, line): (usize, &&str)| format!("[  100.00000{at}] {line}\n");
        let log = log(&lines.iter().enumerate().map(timed).collect::<String>());
        log.events.last().unwrap().event.text("earlier").map(str::to_owned)
    }

    fn marks(flags: &str) -> String {
        format!("CPU: 3 PID: 99 Comm: game {flags} 6.12.10 #1")
    }

    #[test]
    fn marks_of_the_first_report_show_an_earlier_one() {
        for (flags, expected) in [
            ("Tainted: G        W  OE     ", Some("warning")),
            ("Tainted: G      D W  OE     ", Some("crash")),
            ("Tainted: G           OE     ", None),
            ("Not tainted", None),
        ] {
            assert_eq!(told(&[PLACE, &marks(flags)]).as_deref(), expected, "{flags}");
        }
    }

    #[test]
    fn a_report_before_it_explains_its_marks() {
        let marked = marks("Tainted: G        W  OE     ");
        let other = "BUG: scheduling while atomic: game/99/0x00000002";
        let filler = ["usb 1-3: new device"; 7];
        let after = |first: &[&str]| told(&[first, &filler, &[PLACE, marked.as_str()]].concat());
        assert_eq!(after(&[]).as_deref(), Some("warning"));
        assert_eq!(after(&[other]), None);
        assert_eq!(after(&[PLACE, &marks("Not tainted")]), None);
    }
}
