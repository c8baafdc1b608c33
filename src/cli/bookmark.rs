//! The position in a log at which the next run continues.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::input::live::{FilePlace, LeftOff};

/// Maximum number of machines whose boot starts are remembered.
const MACHINES: usize = 64;
/// Maximum number of earlier files to read again because an incident began in them.
const FILES: usize = 16;

/// How much of a log counts as reported already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    Nothing,
    /// Everything that exists at the start.
    Beginning,
    /// The entries of a journal up to this one, and what resulted from the passage of time up to a
    /// time in microseconds since 1970.
    UpTo(Entry, u64),
    /// The lines of files up to [`Mark::Remembered`].
    UpToMark {
        /// The time of the last of them, in microseconds since 1970.
        stored: u64,
        /// The time up to which the passage of time was considered, in microseconds since 1970.
        told: u64,
    },
}

impl Silence {
    /// What was reported of a log with this bookmark.
    pub(super) fn up_to(place: Bookmark) -> Self {
        if place.is_of_files() {
            return Self::UpToMark { stored: place.last.stored, told: place.told };
        }
        Self::UpTo(place.last, place.told)
    }

    /// Whether this line begins an entry after the last reported one, which the journal may have
    /// deleted.
    pub(super) fn ends_before(&self, line: &str) -> bool {
        let Self::UpTo(entry, _) = self else { return false };
        let cursor = line.strip_prefix("__CURSOR=");
        cursor.and_then(stored).is_some_and(|stored| stored > entry.stored)
    }
}

/// The time of the entry with this cursor, in microseconds since 1970: the field `t`, in
/// hexadecimal (`sd_journal_get_cursor()` of systemd's `src/libsystemd/sd-journal/sd-journal.c`).
fn stored(cursor: &str) -> Option<u64> {
    let field = cursor.split(';').find_map(|field| field.strip_prefix("t="))?;
    u64::from_str_radix(field, 16).ok()
}

/// A time in microseconds, as stored.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// An entry of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Entry {
    /// Its cursor in journalctl.
    pub(super) cursor: String,
    /// Its time, in microseconds since 1970.
    pub(super) stored: u64,
}

/// A position in a journal, or in the files of a log, whose entries have no cursors.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Bookmark {
    /// The first entry of the boots that are being read.
    pub(super) begin: Entry,
    /// The last entry that was read.
    pub(super) last: Entry,
    /// By machine id: the boot, and its first entry.
    #[serde(default)]
    pub(super) boots: BTreeMap<String, (String, Entry)>,
    /// The time up to which the passage of time was considered, in microseconds since 1970.
    #[serde(default)]
    pub(super) told: u64,
    /// The positions in the files of a log, in the order in which they had its name: files that are
    /// being read, and files with the start of an open incident.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) files: BTreeMap<u64, FilePlace>,
    /// Files that are no longer read.
    #[serde(skip)]
    pub(super) left: BTreeSet<u64>,
    /// The boot and machine of the current entry.
    #[serde(skip)]
    pub(super) at_hand: (Option<String>, String),
}

impl Bookmark {
    /// Whether it is a position in files.
    pub(super) fn is_of_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// The positions in the files of a log.
    pub(super) fn left_off(&self) -> LeftOff {
        LeftOff { places: self.files.values().cloned().collect(), at: self.told }
    }

    /// Records the position in a file.
    pub(super) fn reach(&mut self, file: u64, place: &FilePlace) {
        self.files.insert(file, place.clone());
    }

    /// Records that a file is no longer read.
    pub(super) fn mark_closed(&mut self, file: u64) {
        self.left.insert(file);
    }

    /// Drops files that are no longer needed; few remain while an incident is open.
    pub(super) fn forget_files(&mut self, an_incident_is_open: bool) {
        let Self { files, left, .. } = self;
        files.retain(|file, _| an_incident_is_open || !left.contains(file));
        while files.len() > FILES {
            files.pop_first();
        }
        left.retain(|file| files.contains_key(file));
    }

    /// Reads a line of an entry in export format.
    pub(super) fn see(&mut self, line: &str) {
        if let Some(cursor) = line.strip_prefix("__CURSOR=") {
            cursor.clone_into(&mut self.last.cursor);
            self.at_hand = (None, String::new());
        } else if let Some(stored) = line.strip_prefix("__REALTIME_TIMESTAMP=") {
            self.last.stored = stored.parse().unwrap_or_default();
        } else if let Some(boot) = line.strip_prefix("_BOOT_ID=") {
            self.at_hand.0 = Some(boot.to_owned());
        } else if let Some(machine) = line.strip_prefix("_MACHINE_ID=") {
            machine.clone_into(&mut self.at_hand.1);
        } else if line.is_empty() {
            self.end_entry();
        }
    }

    /// Ends the current entry; only then are all its fields known, because their order is
    /// arbitrary.
    fn end_entry(&mut self) {
        let (boot, machine) = std::mem::take(&mut self.at_hand);
        let Some(boot) = boot else { return };
        if self.boots.get(&machine).is_some_and(|(known, _)| *known == boot)
            || (self.boots.len() >= MACHINES && !self.boots.contains_key(&machine))
        {
            return;
        }
        self.boots.insert(machine, (boot, self.last.clone()));
        let begins = self.boots.values().map(|(_, begin)| begin);
        if let Some(first) = begins.min_by_key(|begin| begin.stored) {
            self.begin = first.clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restart reads from the start of the oldest current boot, because each may have an open
    /// incident.
    #[test]
    fn the_boots_of_several_machines_begin_where_the_first_does() {
        let mut place = Bookmark::default();
        let mut entry = |cursor: u64, machine: &str, boot: &str| {
            for line in [
                format!("__CURSOR={cursor}"),
                format!("__REALTIME_TIMESTAMP={cursor}"),
                format!("_BOOT_ID={boot}"),
                format!("_MACHINE_ID={machine}"),
                String::new(),
            ] {
                place.see(&line);
            }
            place.begin.cursor.clone()
        };
        assert_eq!(entry(1, "a", "a1"), "1");
        assert_eq!(entry(2, "b", "b1"), "1");
        assert_eq!(entry(3, "a", "a1"), "1");
        assert_eq!(entry(4, "a", "a2"), "2");
        assert_eq!(entry(5, "b", "b2"), "4");
    }

    /// Positions stored before files were supported can be read.
    #[test]
    fn places_of_journals_are_stored_as_before() {
        let text = r#"{"begin":{"cursor":"a","stored":1},"last":{"cursor":"b","stored":2},"boots":{},"told":3}"#;
        let place: Bookmark = serde_json::from_str(text).unwrap();
        assert!(!place.is_of_files());
        assert_eq!(serde_json::to_string(&place).unwrap(), text);
    }

    /// A file that was rotated away is remembered while an incident that began in it is open.
    #[test]
    fn a_file_is_remembered_as_long_as_an_incident_in_it_is_open() {
        let text = r#"{"device":1,"inode":2,"start":0,"head_length":0,"head":"","offset":3}"#;
        let file: FilePlace = serde_json::from_str(text).unwrap();
        let files = (0..40).map(|number| (number, file.clone())).collect();
        let mut place = Bookmark { files, left: (0..38).collect(), ..Bookmark::default() };
        place.forget_files(true);
        assert_eq!(place.files.keys().copied().collect::<Vec<_>>(), (24..40).collect::<Vec<_>>());
        place.forget_files(false);
        assert_eq!(place.files.keys().copied().collect::<Vec<_>>(), [38, 39]);
    }

    #[test]
    fn a_place_that_is_gone_is_known_by_its_time() {
        let cursor = "s=a1;i=1;b=aa;m=f4240;t=64b9fe69a0240;x=da";
        assert_eq!(stored(cursor), Some(1_772_000_001_000_000));
        let entry = |stored| Silence::UpTo(Entry { cursor: "gone".to_owned(), stored }, 0);
        let line = format!("__CURSOR={cursor}");
        assert!(entry(1_772_000_000_999_999).ends_before(&line));
        assert!(!entry(1_772_000_001_000_000).ends_before(&line));
        assert!(!entry(0).ends_before("MESSAGE=t=64b9fe69a0240"));
        assert!(!Silence::Beginning.ends_before(&line));
    }
}
