//! Text and lists of words.

use std::fmt;

/// Text from the log. Up to 24 bytes, which most names fit, are stored inline.
pub(crate) type Text = compact_str::CompactString;

/// One line of a kernel stack: `amdgpu_job_timedout+0x10/0x20 [amdgpu]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The function, without offset and compiler suffix.
    pub function: String,
    /// The module of the function, if the log names one.
    pub module: Option<String>,
}

impl Frame {
    /// Parses a stack line; `None` if the text is not a frame.
    ///
    /// Lines that begin with `?` are addresses that the unwinder found on the stack and does not
    /// trust, so they are ignored.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        // Kernels up to 4.9 and LoongArch's print the address first, `[<ffffffffc0a51234>] `,
        // POWER's that of the stack as well.
        let text = without_address(without_address(text));
        let (symbol, rest) = text.split_once('+')?;
        let (offsets, module) = rest.split_once(' ').map_or((rest, None), |(o, m)| (o, Some(m)));
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        if symbol.is_empty() || !symbol.chars().all(name) || !are_offsets(offsets) {
            return None;
        }
        let module =
            module.and_then(|part| part.trim().strip_prefix('[')?.split([']', ' ']).next());
        let function = symbol.split_once('.').map_or(symbol, |(function, _)| function);
        Some(Self { function: function.to_owned(), module: module.map(str::to_owned) })
    }
}

/// Whether a text is `0x10/0x20`, on FreeBSD `0x10`, or what people leave of it: `...`,
/// `0x.../0x...`.
fn are_offsets(text: &str) -> bool {
    let hex = |part: &str| {
        let digits = part.strip_prefix("0x");
        digits.is_some_and(|it| !it.is_empty() && it.bytes().all(|b| b.is_ascii_hexdigit()))
    };
    let left_out = |part: &str| matches!(part.strip_prefix("0x").unwrap_or(part), "..." | "…");
    let (offset, size) = text.split_once('/').unwrap_or((text, "0x0"));
    (hex(offset) || left_out(offset)) && (hex(size) || left_out(size))
}

/// A stack line without one address in brackets before it.
fn without_address(text: &str) -> &str {
    let is_address = |inside: &str| {
        let inside = inside.strip_prefix('<').and_then(|it| it.strip_suffix('>')).unwrap_or(inside);
        inside.len() >= 8 && inside.bytes().all(|b| b.is_ascii_hexdigit())
    };
    let parts = text.strip_prefix('[').and_then(|rest| rest.split_once("] "));
    parts.filter(|(inside, _)| is_address(inside)).map_or(text, |(_, rest)| rest.trim_start())
}

/// The frame of FreeBSD's entry from a trap (sys/amd64/amd64/exception.S).
const TRAP: &str = "calltrap";

/// A kernel stack, innermost function first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frames(pub Vec<Frame>);

impl Frames {
    /// The frames of the GPU driver, innermost first. If the driver is built into the kernel, no
    /// frame names its module.
    pub(crate) fn of_the_driver(&self) -> impl Iterator<Item = &Frame> {
        let is_ours = |frame: &&Frame| match frame.module.as_deref() {
            Some(module) => matches!(module, "amdgpu" | "amdkfd"),
            None => frame.function.starts_with("amdgpu_"),
        };
        self.0.iter().filter(is_ours)
    }

    /// The innermost function of the driver, by which bugs in it are known. FreeBSD names no
    /// modules, but the frame that the processor's trap interrupted is known there.
    pub(crate) fn site(&self) -> Option<&Frame> {
        let mut after_the_trap = self.0.iter().skip_while(|frame| frame.function != TRAP).skip(1);
        after_the_trap.next().or_else(|| self.of_the_driver().next())
    }

    /// Where a crash happened: the driver's innermost function, and before it the function of
    /// another module that it called; without a function of the driver, the innermost one, if it is
    /// of a module. Functions of the kernel itself may only print the stack.
    pub(crate) fn crash_site(&self) -> Option<String> {
        let site = self.site();
        let inner = self.0.first().filter(|inner| inner.module.is_some() && Some(*inner) != site);
        match (inner, site) {
            (Some(inner), Some(site)) => {
                Some(format!("{}, called from {}", inner.function, site.function))
            }
            (Some(only), None) | (None, Some(only)) => Some(only.function.clone()),
            (None, None) => None,
        }
    }
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, frame) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { " < " };
            write!(f, "{gap}{}", frame.function)?;
        }
        Ok(())
    }
}

/// Words of this program about a value; shown in a sentence without quotation marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase(pub String);

/// Names that an event collects line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words(pub Vec<String>);

/// The distinct items, each at its first position.
pub(crate) fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut unique, one| {
        if !unique.contains(&one) {
            unique.push(one);
        }
        unique
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_without_offsets_and_suffixes() {
        let read = Frame::read("  amdgpu_vm_fini.part.0+0x1a/0x40 [amdgpu 3c1f]").unwrap();
        assert_eq!(read.function, "amdgpu_vm_fini");
        assert_eq!(read.module.as_deref(), Some("amdgpu"));
        assert_eq!(Frame::read("schedule+0x5e/0xd0").unwrap().module, None);
        let old = Frame::read(" [<ffffffffc0a51234>] amdgpu_cs_ioctl+0x1a/0x40 [amdgpu]").unwrap();
        assert_eq!((&*old.function, old.module.as_deref()), ("amdgpu_cs_ioctl", Some("amdgpu")));
        assert_eq!(Frame::read("amdgpu_irq_put+0x1a3").unwrap().function, "amdgpu_irq_put");
        for short in ["+...", "+0x.../0x...", "+0x…/0x…", "+0x1a/0x..."] {
            let read = Frame::read(&format!(" amdgpu_irq_put{short} [amdgpu]")).unwrap();
            assert_eq!(
                (&*read.function, read.module.as_deref()),
                ("amdgpu_irq_put", Some("amdgpu"))
            );
        }
        let power = "[c000000004b3f5d0] [c00800000f1c1234] amdgpu_irq_put+0x1a/0x40 [amdgpu] (P)";
        let power = Frame::read(power).unwrap();
        assert_eq!((&*power.function, power.module.as_deref()), ("amdgpu_irq_put", Some("amdgpu")));
    }

    #[test]
    fn a_crash_happened_in_the_frame_that_the_trap_interrupted() {
        let stack = |names: &[&str]| {
            let frame = |name: &&str| Frame { function: (*name).to_owned(), module: None };
            Frames(names.iter().map(frame).collect())
        };
        let site = |names: &[&str]| stack(names).site().map(|frame| frame.function.clone());
        let trapped = ["vpanic", "trap", "calltrap", "dml2_validate", "amdgpu_dm_atomic_check"];
        assert_eq!(site(&trapped).as_deref(), Some("dml2_validate"));
        assert_eq!(site(&["panic", "amdgpu_irq_put"]).as_deref(), Some("amdgpu_irq_put"));
        assert_eq!(site(&["trap", "calltrap"]), None);
    }

    #[test]
    fn a_crash_in_a_module_that_the_driver_calls_is_named_with_its_caller() {
        let site = |lines: &[&str]| {
            Frames(lines.iter().filter_map(|line| Frame::read(line)).collect()).crash_site()
        };
        let ours = "amdgpu_fence_driver_sw_fini+0x154/0x19c [amdgpu]";
        let scheduler = "drm_sched_fini+0xd0/0x100 [gpu_sched]";
        let both = "drm_sched_fini, called from amdgpu_fence_driver_sw_fini";
        assert_eq!(site(&[scheduler, ours]).as_deref(), Some(both));
        assert_eq!(site(&[ours, scheduler]).as_deref(), Some("amdgpu_fence_driver_sw_fini"));
        let bulk = "ttm_lru_bulk_move_tail+0x14c/0x1c0 [ttm]";
        assert_eq!(site(&[bulk]).as_deref(), Some("ttm_lru_bulk_move_tail"));
        assert_eq!(site(&["mutex_lock+0x1/0x2", bulk]), None);
        let printed = site(&["dump_stack_lvl+0x1/0x2", ours]);
        assert_eq!(printed.as_deref(), Some("amdgpu_fence_driver_sw_fini"));
        assert_eq!(site(&[scheduler]).as_deref(), Some("drm_sched_fini"));
    }

    #[test]
    fn what_the_unwinder_does_not_trust_is_no_frame() {
        for no in [
            "? schedule+0x5e/0xd0",
            "[<ffffffff81a51234>] ? schedule+0x5e/0xd0",
            "<TASK>",
            "Call Trace:",
            "foo+0x/0x1",
            "a b+0x1/0x2",
            "",
        ] {
            assert_eq!(Frame::read(no), None, "{no}");
        }
    }
}
