//! Installed packages that concern a GPU, from the package manager's own files, and their recent
//! changes: trackers ask whether an update preceded the problem.

mod apk;
mod dpkg;
mod pacman;
mod portage;
mod rpm;

use serde::{Serialize, Serializer};

use chrono::{DateTime, NaiveDate};

use crate::host::files::Refusal;
use crate::host::json::OrNull;
use crate::host::reader::{Fact, Reader, Unread};
use crate::pattern::machine::{Collected, PackageKind};

/// Maximum size of a database or log to read, in bytes.
const LIMIT: usize = 64 << 20;
/// Maximum number of packages to report.
const PACKAGES: usize = 512;
/// Maximum number of changes to report, newest first.
const CHANGES: usize = 200;

/// The package manager whose database is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Database {
    /// Debian, Ubuntu.
    Dpkg,
    /// Arch.
    Pacman,
    /// Fedora, openSUSE, Red Hat.
    Rpm,
    /// Alpine.
    Apk,
    /// Gentoo.
    Portage,
}

/// An installed package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Package {
    /// Its relation to GPUs.
    pub kind: PackageKind,
    /// The name.
    pub name: String,
    /// The version, including the distribution's suffix.
    pub version: String,
    /// The date on which this version was installed; null if not recorded.
    #[serde(serialize_with = "iso_day")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub installed: Option<NaiveDate>,
}

impl Package {
    /// The package called `name`, if it concerns a GPU.
    fn of(
        collected: &Collected,
        name: &str,
        version: &str,
        installed: Option<NaiveDate>,
    ) -> Option<Self> {
        let kind = collected.package(name)?;
        Some(Self { kind, name: name.to_owned(), version: version.to_owned(), installed })
    }
}

/// A package change: an installation, update or removal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Change {
    /// The time as written in the log; local time if it states no zone.
    pub when: String,
    /// The package's relation to GPUs.
    pub kind: PackageKind,
    /// The name.
    pub name: String,
    /// The version before; null for an installation.
    pub from: Option<String>,
    /// The version after; null for a removal.
    pub to: Option<String>,
}

/// Packages that concern a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Packages {
    /// The package manager; null if no known one was found.
    pub database: Option<Database>,
    /// The installed packages, sorted by kind and name; null if they could not be read.
    #[serde(with = "OrNull::<Vec<Package>>")]
    pub installed: Fact<Vec<Package>>,
    /// Recent changes, newest last; null if they could not be read.
    #[serde(with = "OrNull::<Vec<Change>>")]
    pub changes: Fact<Vec<Change>>,
}

#[allow(
    clippy::ref_option,
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference to the field"
)]
fn iso_day<S: Serializer>(day: &Option<NaiveDate>, to: S) -> Result<S::Ok, S::Error> {
    day.map(|day| day.to_string()).serialize(to)
}

impl Packages {
    pub(super) fn read(reader: &mut Reader<'_>, collected: &Collected, runs: bool) -> Self {
        type Read = fn(&mut Reader<'_>, &Collected) -> Fact<Vec<Package>>;
        let by_files: [(Database, Read); 4] = [
            (Database::Dpkg, dpkg::installed),
            (Database::Pacman, pacman::installed),
            (Database::Apk, apk::installed),
            (Database::Portage, portage::installed),
        ];
        for (database, read) in by_files {
            let installed = read(reader, collected);
            // A foreign package manager may be installed as a tool.
            if matches!(&installed, Err(Unread { why: Refusal::Missing, .. }))
                || installed.as_ref().is_ok_and(Vec::is_empty)
            {
                continue;
            }
            let changes = match database {
                Database::Dpkg => dpkg::changes(reader, collected),
                Database::Pacman => pacman::changes(reader, collected),
                Database::Rpm | Database::Apk | Database::Portage => {
                    Err(Unread::new("/var/log", Refusal::Missing))
                }
            };
            return Self { database: Some(database), installed: installed.map(sorted), changes };
        }
        let installed = rpm::installed(reader, collected, runs);
        let missing = matches!(&installed, Err(Unread { why: Refusal::Missing, .. }));
        Self {
            database: (!missing).then_some(Database::Rpm),
            installed: installed.map(sorted),
            changes: Err(Unread::new("/var/lib/dnf", Refusal::Missing)),
        }
    }

    pub(crate) fn of(&self, kind: PackageKind) -> impl Iterator<Item = &Package> {
        self.installed.iter().flatten().filter(move |package| package.kind == kind)
    }
}

fn sorted(mut packages: Vec<Package>) -> Vec<Package> {
    packages.sort();
    packages.dedup();
    packages.truncate(PACKAGES);
    packages
}

/// Splits a name from version and release, which are the last two parts separated by hyphens.
fn name_and_version(text: &str) -> Option<(&str, &str)> {
    let release = text.rfind('-')?;
    let version = text[..release].rfind('-')?;
    Some((&text[..version], &text[version + 1..]))
}

fn newest(mut changes: Vec<Change>) -> Vec<Change> {
    let old = changes.len().saturating_sub(CHANGES);
    changes.drain(..old);
    changes
}

/// The UTC date of a time in seconds since 1970.
fn day(seconds: i64) -> Option<NaiveDate> {
    DateTime::from_timestamp(seconds, 0).map(|time| time.date_naive()).filter(|_| seconds > 0)
}
