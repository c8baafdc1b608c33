//! This machine's own log: the boots in the journal, the kernel's ring buffer, and why a source
//! cannot be read.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::NaiveDateTime;

use super::journal::{Entries, Export, of_machine};
use super::journal_error::{JOURNALCTL, JournalError};
use super::journals::Journals;
use super::{
    DMESG_OUTPUT, InputError, JOURNAL_OF, Origin, RING_BUFFER, SYSTEM_JOURNAL, Source, container,
    machine,
};
use crate::tree::{Outside, Tree};
use crate::value::Micros;

/// The program that prints the ring buffer, if its device is missing.
const DMESG: &str = "dmesg";
/// Maximum size of the list of boots in bytes: ten boots a day for 50 years.
const LIST_LIMIT: u64 = 16 << 20;
/// Maximum number of machine directories to examine.
const FOLDERS: usize = 1_000;

/// A machine whose log is read.
#[derive(Clone, Debug)]
pub struct ThisMachine {
    /// The root of its disk.
    disk: PathBuf,
    /// The contents of the disk, if it exists.
    tree: Option<Arc<Tree>>,
    /// Whether it is the running machine.
    runs: bool,
    journalctl: String,
    dmesg: String,
    ring_buffer: PathBuf,
}

/// A boot with entries in the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredBoot {
    /// Its id.
    pub id: String,
    /// The time of its first entry, in microseconds since 1970 in UTC, with a resolution of
    /// seconds.
    pub first: Option<Micros>,
    /// The time of its last entry.
    pub last: Option<Micros>,
}

/// The boots in the journal.
#[derive(Debug, Default)]
pub struct StoredBoots {
    /// Oldest first.
    pub all: Vec<StoredBoot>,
    /// The index of the current boot; on another machine's disk, of the last one.
    pub this: Option<usize>,
    /// Whether the journal is persistent.
    pub persistent: bool,
    /// Why it cannot be read completely.
    pub unread: Option<Unread>,
}

/// A part of this machine's log that is not read.
#[derive(Debug)]
pub struct Unread {
    /// The name.
    pub name: String,
    /// The reason.
    pub why: WhyUnread,
}

/// Why a part of this machine's log is not read.
#[derive(Debug)]
pub enum WhyUnread {
    /// Permission denied.
    NoRight,
    /// It does not exist.
    Missing,
    /// Another error.
    Failed(InputError),
}

impl Unread {
    fn new(name: &str, why: WhyUnread) -> Self {
        Self { name: name.to_owned(), why }
    }

    /// Whether more privileges would help.
    #[must_use]
    pub const fn is_closed(&self) -> bool {
        matches!(self.why, WhyUnread::NoRight)
    }
}

/// The ring buffer of the current boot.
#[derive(Debug)]
pub struct KernelBuffer {
    /// The first accessible source.
    pub source: Option<Source<'static>>,
    /// The inaccessible sources before it, or all of them.
    pub unread: Vec<Unread>,
}

/// A range of boots in the journal, and the continuation after the journal of the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// The ids of the boots; empty for all.
    pub boots: Vec<String>,
    /// Further entries in export format.
    pub more: Vec<u8>,
}

impl ThisMachine {
    /// The machine whose disk is mounted at `root`, else the running one.
    #[must_use]
    pub fn new(root: Option<&Path>) -> Self {
        Self {
            disk: root.unwrap_or(Path::new("/")).to_owned(),
            tree: on(root.unwrap_or(Path::new("/"))),
            runs: root.is_none(),
            journalctl: JOURNALCTL.to_owned(),
            dmesg: DMESG.to_owned(),
            ring_buffer: PathBuf::from(machine::RING_BUFFER),
        }
    }

    /// The same with other programs.
    #[cfg(test)]
    pub(crate) fn with(root: &Path, journalctl: &str, dmesg: &str) -> Self {
        Self {
            disk: root.to_owned(),
            tree: on(root),
            runs: true,
            journalctl: journalctl.to_owned(),
            dmesg: dmesg.to_owned(),
            ring_buffer: root.join("dev/kmsg"),
        }
    }

    /// The root of its disk, if it is not the running machine.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        (!self.runs).then_some(&self.disk)
    }

    /// Whether it is the machine that runs.
    #[must_use]
    pub const fn runs(&self) -> bool {
        self.runs
    }

    /// The name of a file of the machine; `path` is relative to its root.
    pub(super) fn name(&self, path: &Path) -> String {
        self.disk.join(path).display().to_string()
    }

    /// The contents of its disk.
    pub(super) fn tree(&self) -> io::Result<&Arc<Tree>> {
        self.tree.as_ref().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn file(&self, path: &str) -> io::Result<File> {
        self.tree()?.file(path.as_ref())
    }

    /// Whether `kernel.dmesg_restrict` restricts the ring buffer to privileged users.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        self.runs() && first_line(self.file("proc/sys/kernel/dmesg_restrict")) == "1"
    }

    /// The boot time of the running kernel, in microseconds since 1970 in UTC.
    #[must_use]
    pub fn began(&self) -> Option<Micros> {
        // The line with interrupt counts before it can be long.
        let file = self.file("proc/stat").ok().filter(|_| self.runs())?;
        let text = io::read_to_string(file.take(1 << 20)).ok()?;
        let seconds = text.lines().find_map(|line| line.strip_prefix("btime "))?;
        Some(Micros::seconds(seconds.trim().parse().ok()?))
    }

    /// The boots in the journal.
    #[must_use]
    pub fn stored_boots(&self) -> StoredBoots {
        let below = |root: &Path| format!("{JOURNAL_OF}{}", root.display());
        let name = &self.root().map_or_else(|| SYSTEM_JOURNAL.to_owned(), below);
        let persistent = self.keeps_boots();
        let (text, said) = match self.listing() {
            Ok(found) => found,
            Err(error) => {
                let why = why_unread(name, error);
                let unread = Some(Unread::new(name, why));
                return StoredBoots { persistent, unread, ..StoredBoots::default() };
            }
        };
        let all: Vec<StoredBoot> = text.lines().filter_map(stored_boot).collect();
        let last = all.len().checked_sub(1);
        let running =
            Some(first_line(self.file("proc/sys/kernel/random/boot_id")).replace('-', ""))
                .filter(|id| self.runs() && !id.is_empty());
        let this = match running {
            Some(id) => all.iter().position(|boot| boot.id == id),
            None => last,
        };
        // journalctl prints a note if the user sees only their own entries.
        let unread = is_closed(&said).then(|| Unread::new(name, WhyUnread::NoRight));
        StoredBoots { all, this, persistent, unread }
    }

    /// The list of boots, and journalctl's messages.
    fn listing(&self) -> io::Result<(String, String)> {
        let launch = Export::launch(&self.journalctl)?.arguments(["--no-pager", "--list-boots"]);
        let journals = self.journals()?;
        let mut export = Export::of(of_machine(launch, &journals)?)?;
        let mut text = String::new();
        export.by_ref().take(LIST_LIMIT).read_to_string(&mut text)?;
        Ok((text, export.first_error_line()))
    }

    /// The machine's journals.
    fn journals(&self) -> io::Result<Journals> {
        if self.runs() { Ok(Journals::Own) } else { Journals::on(self.tree()?) }
    }

    /// Whether the journal is stored on disk: `journald` creates a directory for the machine.
    fn keeps_boots(&self) -> bool {
        let folder = Path::new("var/log/journal");
        let Ok(tree) = self.tree() else { return false };
        let is_folder = |name: OsString| tree.names(&folder.join(name), 1).is_ok();
        tree.names(folder, FOLDERS).is_ok_and(|names| names.into_iter().any(is_folder))
    }

    /// The journal of some boots, as one log called `name`.
    ///
    /// # Errors
    ///
    /// If `journalctl` is missing, fails, or finds no entries.
    pub fn journal(
        &self,
        name: &str,
        segments: Vec<Segment>,
    ) -> Result<Source<'static>, InputError> {
        let chain = Chain { machine: self.clone(), left: segments.into(), open: None };
        // The first bytes show whether the program works.
        match container::peeked(chain) {
            Ok((_, reader)) => {
                let source = Origin::new(name.to_owned()).source(None, reader);
                Ok(Source { journal: true, ..source })
            }
            Err(error) => Err(InputError::from_read(name, error)),
        }
    }

    /// The ring buffer of the current boot: the device, else the output of `dmesg`.
    #[must_use]
    pub fn kernel_buffer(&self) -> KernelBuffer {
        let mut unread = Vec::new();
        if !self.runs() {
            return KernelBuffer { source: None, unread };
        }
        let origin = |name: &str| Origin::new(name.to_owned());
        match machine::ring_buffer_at(&self.ring_buffer) {
            Ok(records) => {
                let source = Some(origin(RING_BUFFER).source(None, Box::new(records)));
                return KernelBuffer { source, unread };
            }
            Err(error) => {
                unread.push(Unread::new(machine::RING_BUFFER, why_unread(RING_BUFFER, error)));
            }
        }
        // dmesg uses another interface, and may have more privileges. Every version has this
        // option, which prints level and time.
        let started =
            Export::launch(&self.dmesg).and_then(|dmesg| Export::of(dmesg.arguments(["-r"])));
        match started.and_then(container::peeked) {
            Ok((_, reader)) => {
                let source = Some(origin(DMESG_OUTPUT).source(None, reader));
                KernelBuffer { source, unread }
            }
            Err(error) => {
                unread.push(Unread::new(DMESG, why_unread(DMESG, error)));
                KernelBuffer { source: None, unread }
            }
        }
    }
}

/// Whether this program runs as root, so that `sudo` does not help.
#[must_use]
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|it| std::os::unix::fs::MetadataExt::uid(&it) == 0)
}

/// Whether an error message means that privileges are missing.
fn is_closed(said: &str) -> bool {
    let said = said.to_ascii_lowercase();
    ["permission denied", "not permitted", "insufficient permissions", "not seeing messages"]
        .iter()
        .any(|words| said.contains(words))
}

/// Why the source called `name` cannot be read.
fn why_unread(name: &str, error: io::Error) -> WhyUnread {
    let journal = JournalError::of(&error).cloned();
    match journal {
        Some(JournalError::NoProgram | JournalError::NoEntries) => WhyUnread::Missing,
        Some(JournalError::Failed(said)) if is_closed(&said) => WhyUnread::NoRight,
        Some(JournalError::Failed(said)) if said.starts_with("No journal files") => {
            WhyUnread::Missing
        }
        Some(JournalError::Failed(said)) if name == DMESG => WhyUnread::Failed(InputError::Io {
            name: name.to_owned(),
            source: io::Error::other(said),
        }),
        _ => match error.kind() {
            io::ErrorKind::PermissionDenied => WhyUnread::NoRight,
            io::ErrorKind::NotFound => WhyUnread::Missing,
            _ => WhyUnread::Failed(InputError::from_read(name, error)),
        },
    }
}

/// The contents of a disk.
fn on(root: &Path) -> Option<Arc<Tree>> {
    Tree::open(root, Outside::IsRoot).ok().map(Arc::new)
}

/// The first line of a file; empty if it cannot be read.
fn first_line(file: io::Result<File>) -> String {
    let mut text = String::new();
    let read = file.and_then(|file| file.take(256).read_to_string(&mut text));
    let line = text.lines().next().filter(|_| read.is_ok());
    line.unwrap_or_default().trim().to_owned()
}

/// Parses a line of `journalctl --list-boots`: a number, an id, and two times, with or without a
/// dash.
fn stored_boot(line: &str) -> Option<StoredBoot> {
    let mut words = line.split_whitespace();
    let _: i64 = words.next()?.parse().ok()?;
    let id =
        words.next().filter(|id| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()))?;
    let rest: Vec<&str> = words.collect();
    let mut times = rest.windows(2).filter_map(|pair| time(&pair.join(" ")));
    Some(StoredBoot { id: id.to_owned(), first: times.next(), last: times.next() })
}

/// Parses `2026-11-18 20:15:03`, in UTC as requested.
fn time(text: &str) -> Option<Micros> {
    let time = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").ok()?;
    Some(Micros(time.and_utc().timestamp_micros()))
}

/// Several runs of `journalctl`, concatenated.
struct Chain {
    machine: ThisMachine,
    left: VecDeque<Segment>,
    open: Option<Box<dyn Read>>,
}

impl Read for Chain {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(open) = &mut self.open {
                match open.read(buffer)? {
                    0 if !buffer.is_empty() => self.open = None,
                    count => return Ok(count),
                }
            }
            let Some(Segment { boots, more }) = self.left.pop_front() else { return Ok(0) };
            let entries = Entries::Boots { journals: self.machine.journals()?, ids: boots };
            let journal = Export::start(&self.machine.journalctl, entries)?;
            self.open = Some(Box::new(journal.chain(Cursor::new(more))));
        }
    }
}

#[cfg(test)]
mod tests;
