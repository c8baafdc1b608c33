//! Lines without envelopes, from `dmesg -t` or `journalctl -o cat`: some of its lines decide
//! whether the kernel printed a paragraph. Independent of formats.

use crate::value::PciAddress;

/// Maximum number of lines to examine.
const LOOKED_AT: usize = 50;

/// An uninterrupted run of lines without envelopes.
#[derive(Debug, Default)]
pub(super) struct Paragraph {
    /// Lines whose sender is not decided yet.
    waiting: Vec<(u64, String)>,
    kernel: usize,
    decided: Option<bool>,
    /// The empty line between this paragraph and the previous one, if that was the kernel's.
    gap: Option<u64>,
}

impl Paragraph {
    /// Adds a line; returns whether the run is the kernel's, once that is known.
    pub(super) fn line(&mut self, number: u64, text: &str) -> Option<bool> {
        if self.decided.is_none() {
            self.kernel += usize::from(begins_like_the_kernel(text));
            if self.kernel > 1 || text.starts_with("Linux version ") {
                self.decided = Some(true);
            } else if self.waiting.len() >= LOOKED_AT {
                self.decided = Some(false);
            }
        }
        if self.decided.is_none() {
            self.waiting.push((number, text.to_owned()));
        }
        self.decided
    }

    /// Whether the run is certainly the kernel's.
    pub(super) fn is_kernels(&self) -> bool {
        self.decided == Some(true)
    }

    /// The lines that waited for the decision.
    pub(super) fn take_waiting(&mut self) -> Vec<(u64, String)> {
        std::mem::take(&mut self.waiting)
    }

    /// The waiting line, if it is the only one and `fits`.
    pub(super) fn take_only(&mut self, fits: impl Fn(&str) -> bool) -> Option<(u64, String)> {
        match self.waiting.as_slice() {
            [(_, text)] if fits(text) => self.waiting.pop(),
            _ => None,
        }
    }

    /// The empty line between this paragraph of the kernel and the previous one.
    pub(super) fn take_gap(&mut self) -> Option<u64> {
        self.gap.take()
    }

    /// Whether nothing has been seen since the last end.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty() && self.decided.is_none() && self.gap.is_none()
    }

    /// Ends the run; `gap` is the empty line that ended it, if one did.
    pub(super) fn end(&mut self, gap: Option<u64>) {
        let gap = gap.filter(|_| self.decided == Some(true));
        *self = Self { gap, ..Self::default() };
    }
}

/// Whether a line begins in a way that only the kernel prints.
fn begins_like_the_kernel(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("amdgpu ") {
        let address = rest.split_once(": ").map(|(address, _)| address);
        return address.and_then(PciAddress::as_written).is_some();
    }
    ["[drm] ", "[drm:", "Linux version "].iter().any(|begin| text.starts_with(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_lines_of_the_kernel_decide() {
        let mut run = Paragraph::default();
        assert_eq!(run.line(1, "usb 1-1: new device"), None);
        assert_eq!(run.line(2, "amdgpu 0000:03:00.0: amdgpu: MODE1 reset"), None);
        assert_eq!(run.line(3, "[drm] text"), Some(true));
        assert_eq!(run.take_waiting().len(), 2);
        run.end(Some(4));
        assert_eq!((run.line(5, "prose"), run.take_gap()), (None, Some(4)));
        run.end(None);
        for line in 0..LOOKED_AT as u64 {
            assert_eq!(run.line(line, "amdgpu: The CS has been rejected"), None);
        }
        assert_eq!(run.line(99, "prose"), Some(false));
    }
}
