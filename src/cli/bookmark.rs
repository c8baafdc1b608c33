//! Where reading a log stands, so that the next run goes on there.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::input::live::{FilePlace, LeftOff};

/// Of so many machines it is remembered where their boots began.
const MACHINES: usize = 64;
/// So many files are read again at most because an incident began in one of them.
const FILES: usize = 16;

/// How much of a log counts as told already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    Nothing,
    /// What is there at the beginning.
    Beginning,
    /// The entries of a journal up to this one, and what the clock brought up to a time in microseconds
    /// since 1970.
    UpTo(Entry, u64),
    /// The lines of files up to [`Mark::Remembered`].
    UpToMark {
        /// When the last of them came, in microseconds since 1970.
        stored: u64,
        /// Up to when the clock was told, likewise.
        told: u64,
    },
}

impl Silence {
    /// What was told of a log of which `place` was remembered.
    pub(super) fn up_to(place: Bookmark) -> Self {
        if place.is_of_files() {
            return Self::UpToMark { stored: place.last.stored, told: place.told };
        }
        Self::UpTo(place.last, place.told)
    }

    /// Whether this line begins an entry behind the one up to which all was told, which the journal need
    /// not have any more.
    pub(super) fn ends_before(&self, line: &str) -> bool {
        let Self::UpTo(entry, _) = self else { return false };
        let cursor = line.strip_prefix("__CURSOR=");
        cursor.and_then(stored).is_some_and(|stored| stored > entry.stored)
    }
}

/// When the entry with this cursor was stored, in microseconds since 1970: the field `t`, in hexadecimal
/// (`sd_journal_get_cursor()` of systemd's `src/libsystemd/sd-journal/sd-journal.c`).
fn stored(cursor: &str) -> Option<u64> {
    let field = cursor.split(';').find_map(|field| field.strip_prefix("t="))?;
    u64::from_str_radix(field, 16).ok()
}

/// A time as it is stored, in microseconds.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// An entry of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Entry {
    /// What journalctl calls it.
    pub(super) cursor: String,
    /// When it was stored, in microseconds since 1970.
    pub(super) stored: u64,
}

/// Where in a journal, or in the files of a log, reading stands. The entries of files have no cursors.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) struct Bookmark {
    /// The first entry of the boots that are being read.
    pub(super) begin: Entry,
    /// The entry that was read last.
    pub(super) last: Entry,
    /// The boot of each machine, by the machine's id, and its first entry.
    #[serde(default)]
    pub(super) boots: BTreeMap<String, (String, Entry)>,
    /// Up to when the clock was told, in microseconds since 1970.
    #[serde(default)]
    pub(super) told: u64,
    /// How far the files of a log were read, in the order in which they had its name: those that are being read, and
    /// those in which an incident began that is not over.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) files: BTreeMap<u64, FilePlace>,
    /// Those of them that are not read any more.
    #[serde(skip)]
    pub(super) left: BTreeSet<u64>,
    /// The boot and the machine of the entry at hand.
    #[serde(skip)]
    pub(super) at_hand: (Option<String>, String),
}

impl Bookmark {
    /// Whether it is one of a log in files.
    pub(super) fn is_of_files(&self) -> bool {
        !self.files.is_empty()
    }

    /// Where the files of a log were left off.
    pub(super) fn left_off(&self) -> LeftOff {
        LeftOff { places: self.files.values().cloned().collect(), at: self.told }
    }

    /// A file was read up to this place.
    pub(super) fn reach(&mut self, file: u64, place: &FilePlace) {
        self.files.insert(file, place.clone());
    }

    /// A file is not read any more.
    pub(super) fn is_left(&mut self, file: u64) {
        self.left.insert(file);
    }

    /// Drops the files of which nothing is needed any more; while an incident is open, those are few.
    pub(super) fn forget_files(&mut self, an_incident_is_open: bool) {
        let Self { files, left, .. } = self;
        files.retain(|file, _| an_incident_is_open || !left.contains(file));
        while files.len() > FILES {
            files.pop_first();
        }
        left.retain(|file| files.contains_key(file));
    }

    /// Takes note of a line of an entry in its export form.
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

    /// The entry at hand is complete: the order of its fields is nobody's promise.
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

    /// A restart reads from where the oldest boot begins that goes on: an incident may be open in each of them.
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

    /// What was stored before files had places is read, and a journal's place says nothing of files.
    #[test]
    fn places_of_journals_are_stored_as_before() {
        let text = r#"{"begin":{"cursor":"a","stored":1},"last":{"cursor":"b","stored":2},"boots":{},"told":3}"#;
        let place: Bookmark = serde_json::from_str(text).unwrap();
        assert!(!place.is_of_files());
        assert_eq!(serde_json::to_string(&place).unwrap(), text);
    }

    /// An incident began in a file that was rotated away since; without it, nobody knows what the rest of it is.
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
