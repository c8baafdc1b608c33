//! Saved crash data: device coredumps, pstore records, and whether the log survives a reboot.

use serde::Serialize;

use crate::value::PciAddress;

use super::files::Refusal;
use super::json::OrNull;
use super::reader::{Fact, Reader, Unread, if_there};

/// The directory of device coredumps. The kernel deletes each after five minutes
/// (`drivers/base/devcoredump.c`, `DEVCD_TIMEOUT`).
const DUMPS: &str = "/sys/class/devcoredump";
/// The directories of crash records.
const RECORDS: [&str; 2] = ["/sys/fs/pstore", "/var/lib/systemd/pstore"];

/// A pending device coredump.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Dump {
    /// Its name: `devcd1`.
    #[serde(skip)]
    pub name: String,
    /// The path of the file.
    #[serde(rename = "path")]
    pub data: String,
    /// The PCI function that it describes; null for another kind of device.
    pub device: Option<PciAddress>,
}

/// Whether the journal survives a reboot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Journal {
    /// It is stored on disk.
    Persistent,
    /// It is kept in memory.
    Volatile,
    /// It is not stored.
    Off,
    /// The system does not use systemd.
    Absent,
}

/// Saved crash records of earlier boots.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct CrashRecords {
    /// The directory with the records.
    pub folder: String,
    /// The number of files.
    pub files: usize,
}

/// Saved data about failures.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Saved {
    /// Where the journal is stored; null if unknown.
    #[serde(with = "OrNull::<Journal>")]
    pub journal: Fact<Journal>,
    /// The pending device coredumps, of any device; null if they could not be read.
    #[serde(rename = "coredumps", with = "OrNull::<Vec<Dump>>")]
    pub dumps: Fact<Vec<Dump>>,
    /// The directories with crash records.
    #[serde(rename = "crash_records")]
    pub records: Vec<CrashRecords>,
    /// The directories of crash records that could not be read.
    #[serde(skip)]
    pub records_unread: Vec<Unread>,
}

impl Saved {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let (mut records, mut records_unread) = (Vec::new(), Vec::new());
        for folder in RECORDS {
            match if_there(reader.names(folder)) {
                Ok(Some(names)) if !names.is_empty() => {
                    records.push(CrashRecords { folder: folder.to_owned(), files: names.len() });
                }
                Ok(_) => {}
                Err(unread) => records_unread.push(unread),
            }
        }
        Self { dumps: dumps(reader), records, records_unread, journal: journal(reader) }
    }
}

fn dumps(reader: &mut Reader<'_>) -> Fact<Vec<Dump>> {
    // Kernels that support coredumps create the directory with the first dump.
    let names = if_there(reader.names(DUMPS))?.unwrap_or_default();
    let dump = |name: String| {
        let device = reader.link_name(&format!("{DUMPS}/{name}/failing_device"));
        let device = device.ok().and_then(|name| name.parse().ok());
        Dump { data: format!("{DUMPS}/{name}/data"), device, name }
    };
    // The directory also contains `disabled`.
    let waiting = names.into_iter().filter(|name| name.starts_with("devcd"));
    Ok(waiting.map(dump).collect())
}

/// By journald.conf(5), `Storage=` defaults to `auto`, which stores on disk if the directory
/// exists.
fn journal(reader: &mut Reader<'_>) -> Fact<Journal> {
    // In a sosreport, its command output is more reliable than its directories.
    if reader.names("/sos_commands").is_ok() {
        return Err(Unread::new("/var/log/journal", Refusal::Missing));
    }
    match storage(reader).as_deref() {
        Some("persistent") => Ok(Journal::Persistent),
        Some("volatile") => Ok(Journal::Volatile),
        Some("none") => Ok(Journal::Off),
        _ => match reader.names("/var/log/journal") {
            // A directory that cannot be read exists nevertheless.
            Ok(_) | Err(Unread { why: Refusal::Denied, .. }) => Ok(Journal::Persistent),
            Err(Unread { why: Refusal::Missing, .. }) => Ok(without_folder(reader)),
            Err(unread) => Err(unread),
        },
    }
}

fn without_folder(reader: &mut Reader<'_>) -> Journal {
    let there = |path: &&str| reader.names(path).is_ok();
    let systemd = ["/run/systemd/journal", "/run/log/journal"].iter().any(there);
    if systemd { Journal::Volatile } else { Journal::Absent }
}

/// The last `Storage=` in the main file and its drop-ins, in the order of their names.
fn storage(reader: &mut Reader<'_>) -> Option<String> {
    let main = ["/etc/systemd", "/run/systemd", "/usr/local/lib/systemd", "/usr/lib/systemd"];
    let first = main.iter().find_map(|folder| reader.text(&format!("{folder}/journald.conf")).ok());
    let mut texts: Vec<String> = first.into_iter().collect();
    let folders = main.map(|folder| format!("{folder}/journald.conf.d"));
    texts.extend(reader.drop_ins(&folders).iter().filter_map(|path| reader.text(path).ok()));
    let said = texts.iter().flat_map(|text| text.lines());
    let value = said.filter_map(|line| line.trim().strip_prefix("Storage=")).next_back();
    value.map(|value| value.trim().to_ascii_lowercase())
}
