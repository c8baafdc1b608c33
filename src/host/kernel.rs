//! The kernel that runs, and what it was told when it started.

pub use crate::value::command_line_words as words;

use crate::value::KernelVersion;

use super::files::Why;
use super::reader::{Fact, Reader, Unread};

/// The kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its release, `6.12.48+deb13-amd64`. Source: `/proc/sys/kernel/osrelease`.
    pub release: Fact<String>,
    /// The bits of `/proc/sys/kernel/tainted`, which `kernel/panic.c` (`taint_flags`) names.
    pub tainted: Fact<u64>,
    /// What stands behind the kernel's name in the boot loader. Source: `/proc/cmdline`.
    pub command_line: Fact<String>,
    /// How many tasks the kernel found sleeping for longer than `hung_task_timeout_secs` since it
    /// started (`kernel/hung_task.c`, from 6.13 on).
    pub hung_tasks: Fact<u64>,
    /// What the distribution calls itself: `PRETTY_NAME` of `/etc/os-release`.
    pub distribution: Fact<String>,
}

impl Kernel {
    /// The part of the release that orders kernels.
    #[must_use]
    pub fn version(&self) -> Option<KernelVersion> {
        self.release.as_ref().ok()?.parse().ok()
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        // A sosreport and a plain copy of /proc may have the one or the other.
        let release = reader.text("/proc/sys/kernel/osrelease").or_else(|unread| {
            reader
                .read("/proc/version", |text| release(text).map(str::to_owned))
                .map_err(|_| unread)
        });
        Self {
            release,
            tainted: reader.value("/proc/sys/kernel/tainted"),
            command_line: reader.text("/proc/cmdline"),
            hung_tasks: reader.value("/proc/sys/kernel/hung_task_detect_count"),
            distribution: distribution(reader),
        }
    }
}

/// The release in `Linux version 6.12.48+deb13-amd64 (…`.
fn release(version: &str) -> Option<&str> {
    version.strip_prefix("Linux version ")?.split(' ').next()
}

fn distribution(reader: &mut Reader<'_>) -> Fact<String> {
    let path = "/etc/os-release";
    let text = reader.text(path).or_else(|_| reader.text("/usr/lib/os-release"))?;
    let malformed = || Unread { path: path.to_owned(), why: Why::Malformed };
    let named = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    named.map(|name| name.trim_matches(['"', '\'']).to_owned()).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_what_follows_the_words() {
        assert_eq!(release("Linux version 6.8.0-90-generic (b@h) #1"), Some("6.8.0-90-generic"));
        assert_eq!(release("FreeBSD"), None);
    }
}
