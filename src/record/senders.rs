//! Who wrote an input: whether journald was running yet, and whether two kernels write into one
//! file of numbered records.

use super::Origin;
use super::draft::Draft;

/// Maximum gap between the sequence numbers of one sender.
const AHEAD: u64 = 1000;

/// Whether journald may already be running: before that, systemd writes to the kernel's ring
/// buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BeforeJournald {
    kernel: bool,
    /// Whether a program printed something that must have come through journald.
    others: bool,
}

impl BeforeJournald {
    /// Handles a record of the journal; returns whether a program wrote it to the kernel's ring
    /// buffer.
    pub(super) fn buffers(&mut self, draft: &Draft<&str>) -> bool {
        match draft.origin {
            Origin::Kernel => {
                self.others &= !draft.message.starts_with("Linux version ");
                self.kernel = true;
                true
            }
            Origin::Program { name: "systemd", pid: Some(1) } => self.kernel && !self.others,
            // journalctl's name for programs without a name.
            Origin::Program { name: "unknown", pid: None } => true,
            Origin::Program { .. } => {
                self.others = true;
                false
            }
            Origin::Unstated => false,
        }
    }
}

/// Sequence numbers of /dev/kmsg records.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: Option<u64>,
    /// The number before they decreased.
    high: Option<u64>,
}

impl Numbers {
    /// Takes a sequence number; returns the previous one, and whether the numbers continue from
    /// before they decreased: then two senders write into one file.
    pub(super) fn take(&mut self, now: u64) -> (Option<u64>, bool) {
        let before = self.last.replace(now);
        let Some(last) = before else { return (before, false) };
        if now < last {
            self.high = Some(last);
            return (before, false);
        }
        let returned = self
            .high
            .is_some_and(|high| last < high && (1..=AHEAD).contains(&now.saturating_sub(high)));
        (before, returned)
    }
}
