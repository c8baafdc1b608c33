//! Summary of a boot's log, to determine how the boot ended and whether a saved crash belongs to
//! it.

use std::collections::HashSet;
use std::io;

use super::echo::{BOOTED, key};
use super::{Options, Origin, Read, Record, read};
use crate::input::Lines;
use crate::value::Micros;

/// Maximum number of records to remember; the end of a longer log is compared only by its clock.
const LIMIT: usize = 500_000;
/// Maximum size of the continuation from a saved crash, in bytes.
const MORE_LIMIT: usize = 16 << 20;

/// Summary of a boot's log.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    seen: HashSet<u64>,
    /// The kernel time of its last record.
    last: Option<Micros>,
    orderly: bool,
}

/// A saved crash compared with the log of a boot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinship {
    /// Whether it is from that boot: its records are in the log, as opposed to other records at
    /// these times. `None` if nothing can be compared.
    pub same: Option<bool>,
    /// The entries after the log's last one, in export format.
    pub more: Vec<u8>,
    /// Their number.
    pub count: usize,
}

impl Trace {
    /// Reads the log of one boot.
    ///
    /// # Errors
    ///
    /// If not a single line could be read.
    pub fn read(lines: &mut Lines<impl io::Read>, options: Options) -> io::Result<Self> {
        let mut trace = Self::default();
        trace.take(lines, options)?;
        Ok(trace)
    }

    /// Adds what [`Self::kinship`] found after the end.
    ///
    /// # Errors
    ///
    /// If not a single line could be read.
    pub fn go_on(&mut self, more: &[u8]) -> io::Result<()> {
        if more.is_empty() {
            return Ok(());
        }
        self.take(&mut Lines::new(more), Options::default())
    }

    fn take(&mut self, lines: &mut Lines<impl io::Read>, options: Options) -> io::Result<()> {
        let see = |read: Read<'_>| read.record().into_iter().for_each(|record| self.see(record));
        read(lines, options, see).map(drop)
    }

    fn see(&mut self, record: &Record<'_>) {
        // journald of the initramfs ends, too, and then another one starts.
        let journald = matches!(record.origin, Origin::Program { name: "systemd-journald", .. });
        if journald && record.message == "Journal started" {
            self.orderly = false;
        }
        self.orderly |= ends(record);
        let Some((clock, hash)) = known_by(record) else { return };
        self.last = self.last.max(Some(clock));
        if self.seen.len() < LIMIT {
            self.seen.insert(hash);
        }
    }

    /// Whether the machine was shut down, as its last messages show.
    #[must_use]
    pub const fn is_orderly(&self) -> bool {
        self.orderly
    }

    /// Compares a saved crash with this boot, whose journal id is `boot_id`.
    ///
    /// # Errors
    ///
    /// If not a single line could be read.
    pub fn kinship(
        &self,
        crash: &mut Lines<impl io::Read>,
        options: Options,
        boot_id: &str,
    ) -> io::Result<Kinship> {
        let (mut compared, mut shared) = (0_usize, 0_usize);
        let mut kinship = Kinship::default();
        read(crash, options, |read| {
            let Some(record) = read.record() else { return };
            let Some((clock, hash)) = known_by(record) else { return };
            if self.last.is_some_and(|last| clock <= last) {
                let telling = usize::from(clock >= BOOTED);
                compared += telling;
                shared += telling * usize::from(self.seen.contains(&hash));
            } else if kinship.more.len() < MORE_LIMIT {
                write_entry(record, clock, boot_id, &mut kinship.more);
                kinship.count += 1;
            }
        })?;
        kinship.same = (compared > 0).then_some(shared * 2 >= compared);
        Ok(kinship)
    }
}

/// The time of a record in the kernel's ring buffer, and a key that identifies it.
fn known_by(record: &Record<'_>) -> Option<(Micros, u64)> {
    let clock = record.stamp.monotonic.filter(|_| record.buffered)?;
    Some((clock, key(clock, record.message)))
}

/// Whether a record is one of the last messages of a shutdown: of journald
/// (src/journal/journald-server.c), systemd (src/core/main.c, units/*.target), its last program
/// (src/shutdown/shutdown.c), or the kernel (kernel/reboot.c).
fn ends(record: &Record<'_>) -> bool {
    let message = record.message;
    let name = match record.origin {
        Origin::Program { name, .. } => name,
        Origin::Kernel => "kernel",
        Origin::Unstated => return false,
    };
    let any = |words: &[&str]| words.iter().any(|word| message.starts_with(word));
    match name {
        "systemd-journald" => message == "Journal stopped",
        "systemd-shutdown" => true,
        "kernel" => any(&[
            "reboot: Restarting system",
            "reboot: Power down",
            "reboot: Power off",
            "reboot: System halted",
            "kexec_core: Starting new kernel",
        ]),
        "systemd" => any(&[
            "Shutting down.",
            "Reached target reboot.target",
            "Reached target poweroff.target",
            "Reached target halt.target",
            "Reached target kexec.target",
            "Reached target System Reboot",
            "Reached target System Power Off",
            "Reached target System Halt",
            "Reached target Reboot",
            "Reached target Power-Off",
        ]),
        _ => false,
    }
}

/// Writes a record as an entry of the journal.
fn write_entry(record: &Record<'_>, clock: Micros, boot_id: &str, out: &mut Vec<u8>) {
    let mut line = |name: &str, value: &dyn std::fmt::Display| {
        out.extend_from_slice(format!("{name}={value}\n").as_bytes());
    };
    line("_BOOT_ID", &boot_id);
    line("_TRANSPORT", &"kernel");
    line("_SOURCE_MONOTONIC_TIMESTAMP", &clock.0);
    if let Some(level) = record.level {
        line("PRIORITY", &(level as u8));
    }
    match record.origin {
        Origin::Program { name, pid } => {
            line("SYSLOG_IDENTIFIER", &name);
            if let Some(pid) = pid {
                line("SYSLOG_PID", &pid);
            }
        }
        Origin::Kernel | Origin::Unstated => line("SYSLOG_IDENTIFIER", &"kernel"),
    }
    // A repeated field continues.
    for text in record.message.split('\n') {
        line("MESSAGE", &text);
    }
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOT: &str = "a1a1a1a1a1a14a1a8a1aa1a1a1a1a1a1";
    const LOG: &str = "\
[    0.000000] Linux version 6.14.2 (builder@forge)
[    4.318225] [drm] Initialized amdgpu 3.61.0 for 0000:2d:00.0 on minor 1
[  913.550412] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
";

    fn lines(text: &str) -> Lines<&[u8]> {
        Lines::new(text.as_bytes())
    }

    fn kinship(crash: &str) -> Kinship {
        let trace = Trace::read(&mut lines(LOG), Options::default()).unwrap();
        trace.kinship(&mut lines(crash), Options::default(), BOOT).unwrap()
    }

    #[test]
    fn a_saved_crash_continues_the_log() {
        let crash = "Panic#1 Part1
<3>[  913.550412] amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=2
<6>[  913.550444] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!
<30>[  913.550445] systemd[1]: Started text.
";
        let Kinship { same, more, count } = kinship(crash);
        assert_eq!((same, count), (Some(true), 2));
        let want = format!(
            "_BOOT_ID={BOOT}\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP=913550444\nPRIORITY=6\n\
             SYSLOG_IDENTIFIER=kernel\nMESSAGE=amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n\n\
             _BOOT_ID={BOOT}\n_TRANSPORT=kernel\n_SOURCE_MONOTONIC_TIMESTAMP=913550445\nPRIORITY=6\n\
             SYSLOG_IDENTIFIER=systemd\nSYSLOG_PID=1\nMESSAGE=Started text.\n\n"
        );
        assert_eq!(String::from_utf8(more).unwrap(), want);
    }

    #[test]
    fn a_crash_of_another_boot_is_separate() {
        let other = "<3>[  900.100000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n\
                     <3>[ 9000.100000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n";
        assert_eq!(kinship(other).same, Some(false));
        // All boots of a machine begin alike.
        let beginning = "<5>[    0.000000] Linux version 6.14.2 (builder@forge)\n";
        assert_eq!(kinship(beginning).same, None);
        let behind = kinship("<3>[ 9000.100000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n");
        assert_eq!((behind.same, behind.count), (None, 1));
        assert_eq!(kinship("a text\n"), Kinship::default());
    }

    fn is_orderly(log: &str) -> bool {
        Trace::read(&mut lines(log), Options::default()).unwrap().is_orderly()
    }

    #[test]
    fn last_words_show_that_a_machine_was_shut_down() {
        let head = "Mar 04 18:20:10 workbench";
        for (end, want) in [
            ("systemd-journald[412]: Journal stopped", true),
            ("systemd-shutdown[1]: Syncing filesystems and block devices.", true),
            ("systemd[1]: Reached target reboot.target - System Reboot.", true),
            ("systemd[1]: Reached target Power-Off.", true),
            ("kernel: [  913.550412] reboot: Restarting system", true),
            ("systemd[1]: Reached target graphical.target - Graphical Interface.", false),
            ("joe[77]: Journal stopped", false),
            // The initramfs has ended.
            (
                "systemd-journald[150]: Journal stopped\n\
                 Mar 04 18:20:11 workbench systemd-journald[412]: Journal started",
                false,
            ),
        ] {
            assert_eq!(is_orderly(&format!("{head} {end}\n")), want, "{end}");
        }
        assert!(!is_orderly(LOG));
    }
}
