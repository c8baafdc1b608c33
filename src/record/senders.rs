//! Who wrote an input: whether the journal was running yet, and whether several machines write into one
//! file. Knows no form.

use super::draft::Draft;
use super::flow::Time;
use super::{Origin, syslog};

/// How many machines are told apart.
const HOSTS: usize = 16;
/// Lines of two machines that are this close, in microseconds, are written side by side.
const TOGETHER: i64 = 60_000_000;
/// How far the numbers of records may go on behind others.
const AHEAD: u64 = 1000;

/// Whether the journal can have been running yet: before that, the first process writes into the
/// kernel's buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Early {
    kernel: bool,
    /// A program printed something that can only have come by the journal.
    others: bool,
}

impl Early {
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

/// The machines that an input names, and the numbers of records of /dev/kmsg.
#[derive(Debug, Default)]
pub(super) struct Senders {
    /// With the time of the last line of each, the last one last.
    hosts: Vec<(String, Time)>,
    sequence: Option<u64>,
    /// The number before they fell.
    high: Option<u64>,
}

impl Senders {
    /// Takes the number of a record; the one before, and whether the numbers go on from where they were
    /// before they fell: then two senders write into one file.
    pub(super) fn sequence(&mut self, now: u64) -> (Option<u64>, bool) {
        let before = self.sequence.replace(now);
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

    /// Takes a line; whether it is one of the kernel's of a machine that lines stood beside before
    /// another's came.
    pub(super) fn host(&mut self, text: &str, draft: &Draft<&str>) -> bool {
        if draft.origin != Origin::Kernel || !draft.form.names_host() {
            return false;
        }
        let before = &text[..text.len() - draft.message.len()];
        let (host, time) = (syslog::host(before), draft.time);
        match self.hosts.iter().position(|(known, _)| known == host) {
            _ if host.is_empty() => false,
            Some(known) if known + 1 == self.hosts.len() => {
                self.hosts[known].1 = time;
                false
            }
            Some(known) => {
                let (host, seen) = self.hosts.remove(known);
                self.hosts.push((host, time));
                // A machine is called otherwise while it boots, but not to and fro.
                seen.until(&time).is_some_and(|span| span.abs() < TOGETHER)
            }
            None => {
                if self.hosts.len() < HOSTS {
                    self.hosts.push((host.to_owned(), time));
                }
                false
            }
        }
    }
}
