//! Who wrote an input: whether the journal was running yet, and whether two kernels write into one file of
//! numbered records.

use super::Origin;
use super::draft::Draft;

/// How far the numbers of records may go on behind others.
const AHEAD: u64 = 1000;

/// Whether the journal can have been running yet: before that, the first process writes into the
/// kernel's buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BeforeJournald {
    kernel: bool,
    /// A program printed something that can only have come by the journal.
    others: bool,
}

impl BeforeJournald {
    /// Looks at a record of the journal; whether a program wrote it into the kernel's buffer.
    pub(super) fn buffers(&mut self, draft: &Draft<&str>) -> bool {
        match draft.origin {
            Origin::Kernel => {
                self.others &= !draft.message.starts_with("Linux version ");
                self.kernel = true;
                true
            }
            Origin::Program { name: "systemd", pid: Some(1) } => self.kernel && !self.others,
            // What journalctl calls a program that gave no name, as programs do there.
            Origin::Program { name: "unknown", pid: None } => true,
            Origin::Program { .. } => {
                self.others = true;
                false
            }
            Origin::Unstated => false,
        }
    }
}

/// The numbers of records of /dev/kmsg.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    last: Option<u64>,
    /// The number before they fell.
    high: Option<u64>,
}

impl Numbers {
    /// Takes the number of a record; the one before, and whether the numbers go on from where they were
    /// before they fell: then two senders write into one file.
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
