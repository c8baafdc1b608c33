//! The running kernel and its command line.

use serde::{Serialize, Serializer};

pub(crate) use crate::value::command_line_words as words;

use crate::value::KernelVersion;

use super::files::Refusal;
use super::json::OrNull;
use super::reader::{Fact, Reader, Unread};

/// The distribution's own description. Source: os-release(5).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Distribution"))]
pub(crate) struct OsRelease {
    /// `PRETTY_NAME`, or `NAME`: `Debian GNU/Linux 13 (trixie)`.
    pub name: String,
    /// `ID`: `debian`.
    pub id: Option<String>,
    /// `ID_LIKE`: the distributions that it is based on.
    pub like: Vec<String>,
    /// `VERSION_ID`: `13`; null for a rolling release.
    pub version: Option<String>,
    /// `VARIANT_ID`: `silverblue`.
    pub variant: Option<String>,
}

/// The running kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Kernel {
    /// Its release, `6.12.48+deb13-amd64`. Source: `/proc/sys/kernel/osrelease`.
    #[serde(rename = "kernel", with = "OrNull::<String>")]
    pub release: Fact<String>,
    /// The distribution; in JSON, its name.
    #[serde(serialize_with = "name")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub distribution: Fact<OsRelease>,
    /// The bits of `/proc/sys/kernel/tainted`, which `kernel/panic.c` (`taint_flags`) names.
    #[serde(with = "OrNull::<u64>")]
    pub tainted: Fact<u64>,
    /// The kernel command line. Source: `/proc/cmdline`.
    #[serde(with = "OrNull::<String>")]
    pub command_line: Fact<String>,
    /// The number of tasks that have slept for longer than `hung_task_timeout_secs` since the boot
    /// (`kernel/hung_task.c`, since 6.13).
    #[serde(with = "OrNull::<u64>")]
    pub hung_tasks: Fact<u64>,
}

fn name<S: Serializer>(distribution: &Fact<OsRelease>, to: S) -> Result<S::Ok, S::Error> {
    distribution.as_ref().ok().map(|release| &release.name).serialize(to)
}

impl Kernel {
    /// The version, for comparisons.
    pub(crate) fn version(&self) -> Option<KernelVersion> {
        self.release.as_ref().ok()?.parse().ok()
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        // A sosreport or a copy of /proc may have only one of the files.
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

/// The distribution's `os-release`.
fn distribution(reader: &mut Reader<'_>) -> Fact<OsRelease> {
    let path = "/etc/os-release";
    let text = reader.text(path).or_else(|_| reader.text("/usr/lib/os-release"))?;
    OsRelease::read(&text).ok_or_else(|| Unread::new(path, Refusal::Malformed))
}

impl OsRelease {
    /// The names that identify the distribution, most specific first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.variant.iter().chain(&self.id);
        own.chain(&self.like).map(String::as_str)
    }

    fn read(text: &str) -> Option<Self> {
        let value = |key: &str| {
            let mut lines = text.lines().filter_map(|line| line.trim().split_once('='));
            let (_, value) = lines.find(|(name, _)| *name == key)?;
            let value = value.trim().trim_matches(['"', '\'']).to_owned();
            (!value.is_empty()).then_some(value)
        };
        Some(Self {
            name: value("PRETTY_NAME").or_else(|| value("NAME"))?,
            id: value("ID"),
            like: value("ID_LIKE")
                .map(|all| all.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default(),
            version: value("VERSION_ID"),
            variant: value("VARIANT_ID"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_what_follows_the_words() {
        assert_eq!(release("Linux version 6.8.0-90-generic (b@h) #1"), Some("6.8.0-90-generic"));
        assert_eq!(release("FreeBSD"), None);
    }

    #[test]
    fn os_release_is_parsed() {
        let text = "NAME=\"Fedora Linux\"\r\nID=fedora\nVERSION_ID='43'\nVARIANT_ID=kde\nPRETTY_NAME=\"\"\n";
        let release = OsRelease::read(text).unwrap();
        assert_eq!(release.name, "Fedora Linux");
        let rest = (release.id.as_deref(), release.version.as_deref(), release.variant.as_deref());
        assert_eq!(rest, (Some("fedora"), Some("43"), Some("kde")));
        assert_eq!(OsRelease::read("ID=x\n"), None);
    }
}
