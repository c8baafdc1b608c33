//! Records of `talosctl dmesg`, which has names for facility and level, and a time of its own.

use super::LogFormat;
use super::draft::Draft;
use super::envelope::{Priority, buffer_origin};
use super::flow::Time;
use super::scan::Scan;
use super::stamp;

/// Reads `host: kern:    info: [2026-11-19T10:33:00.203914313Z]: text`; the host may be missing.
pub(super) fn read(line: &str) -> Option<Draft<&str>> {
    let (head, rest) = line.split_once(": [")?;
    let (clock, text) = rest.split_once("]: ").or_else(|| Some((rest.strip_suffix("]:")?, "")))?;
    let (before, level) = head.rsplit_once(':')?;
    let (host, facility) =
        before.rsplit_once(": ").map_or((None, before), |(host, facility)| (Some(host), facility));
    if host.is_some_and(|host| host.contains(' ')) {
        return None;
    }
    let priority = Priority::named(facility, level.trim_start())?;
    let mut scan = Scan::new(clock);
    let (wall, _) = stamp::iso(&mut scan)?;
    if !scan.rest().is_empty() {
        return None;
    }
    let time = Time { wall: Some(wall), ..Time::default() };
    let (origin, message) = buffer_origin(Some(priority), text);
    let bare = Draft::new(LogFormat::DmesgIso, time, origin, message);
    Some(Draft { host, priority: Some(priority), buffered: true, ..bare })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Origin;
    use crate::value::Level;

    #[test]
    fn host_level_and_time_are_read() {
        let line = "node1: kern: warning: [2026-11-19T10:33:00.203914313Z]: amdgpu: text";
        let draft = read(line).unwrap();
        assert_eq!((draft.host, draft.message), (Some("node1"), "amdgpu: text"));
        assert_eq!(draft.priority.map(|priority| priority.level), Some(Level::Warning));
        assert_eq!(draft.origin, Origin::Kernel);
        assert!(draft.time.wall.is_some());
        assert!(read("kern:    info: [2026-11-19T10:33:00.203914313Z]: text").is_some());
        for no in [
            "a b: kern: info: [2026-11-19T10:33:00Z]: text",
            "x: [drm]: text",
            "kern: info: [1]: x",
        ] {
            assert!(read(no).is_none(), "{no}");
        }
    }
}
