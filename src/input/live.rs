//! Logs that still grow: bytes as they come, from a pipe, a file that is written to and rotated, the
//! kernel's ring buffer or a journal. A thread waits for them, so that whoever reads can wait for the
//! clock, too.
#![allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use memchr::memmem;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify;

use super::journal::{Entries, Export, JOURNALCTL, option};
use super::machine;
use crate::program::Group;

/// So many pieces wait at most; whoever writes more waits, too.
const WAITING: usize = 64;
/// How many bytes are read at once.
const BLOCK: usize = 64 << 10;
/// How often a file is looked at of whose changes nothing is told: file systems over a network.
const LOOK: Duration = Duration::from_secs(1);
/// A journal of which nothing came for so long has no more for now; before the first entry it is given
/// more time.
const MOMENT: Duration = Duration::from_millis(300);
const START: Duration = Duration::from_secs(5);
/// How long the rest of a value may be on its way.
const REST: Duration = Duration::from_secs(2);

/// What happened to a log besides that it grew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// All of what was there at the beginning has come.
    CaughtUp,
    /// The file was replaced by a new one, or begun anew; it is read on from the beginning of that.
    Rotated,
    /// Somebody asks for the end.
    Stop,
}

enum Piece {
    Bytes(Vec<u8>),
    Mark(Mark),
    End(io::Result<()>),
}

/// What the thread that waits hands its pieces to.
#[derive(Clone)]
pub struct Sender(SyncSender<Piece>);

impl Sender {
    /// Asks for the end, from another thread.
    pub fn stop(&self) {
        // Whoever listens no longer has ended already.
        let _ = self.0.send(Piece::Mark(Mark::Stop));
    }

    /// Hands bytes on; false where nobody listens any more.
    fn bytes(&self, bytes: &[u8]) -> bool {
        self.0.send(Piece::Bytes(bytes.to_vec())).is_ok()
    }

    fn mark(&self, mark: Mark) -> bool {
        self.0.send(Piece::Mark(mark)).is_ok()
    }
}

/// Whether something came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waited {
    /// There is something to read, or the end.
    Ready,
    /// Nothing came in that time.
    Nothing,
    /// Something happened.
    Mark(Mark),
}

/// The bytes of a log that grows. A read that would have to wait fails with
/// [`io::ErrorKind::WouldBlock`].
pub struct Feed {
    pieces: Receiver<Piece>,
    sender: Sender,
    bytes: Vec<u8>,
    at: usize,
    marks: VecDeque<Mark>,
    ended: Option<io::Result<()>>,
    /// Whether a read waits for the rest of something.
    pub wants_rest: bool,
    /// The program that the bytes come from.
    child: Option<Group>,
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(child) = self.child {
            child.end();
        }
    }
}

impl Feed {
    /// Starts a thread that runs `pump`.
    fn new(pump: impl FnOnce(&Sender) -> io::Result<()> + Send + 'static) -> Self {
        let (sender, pieces) = mpsc::sync_channel(WAITING);
        let sender = Sender(sender);
        let own = sender.clone();
        thread::spawn(move || {
            let ended = pump(&own);
            let _ = own.0.send(Piece::End(ended));
        });
        let (marks, ended) = (VecDeque::new(), None);
        let (bytes, child) = (Vec::new(), None);
        Self { pieces, sender, bytes, at: 0, marks, ended, wants_rest: false, child }
    }

    /// For those who want to stop it.
    #[must_use]
    pub fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// Waits until there is something to read, or for so long.
    pub fn wait(&mut self, time: Duration) -> Waited {
        if let Some(mark) = self.marks.pop_front() {
            return Waited::Mark(mark);
        }
        if self.at < self.bytes.len() || self.ended.is_some() {
            return Waited::Ready;
        }
        match self.pieces.recv_timeout(time) {
            Ok(piece) => self.take(piece),
            Err(RecvTimeoutError::Timeout) => return Waited::Nothing,
            Err(RecvTimeoutError::Disconnected) => self.ended = Some(Ok(())),
        }
        self.marks.pop_front().map_or(Waited::Ready, Waited::Mark)
    }

    fn take(&mut self, piece: Piece) {
        match piece {
            Piece::Bytes(bytes) => (self.bytes, self.at) = (bytes, 0),
            Piece::Mark(mark) => self.marks.push_back(mark),
            Piece::End(ended) => self.ended = Some(ended),
        }
    }
}

impl Read for Feed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let until = Instant::now() + REST;
        while self.at == self.bytes.len() {
            // What happened between two pieces stands between them.
            if !self.marks.is_empty() && !self.wants_rest {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            if let Some(ended) = &mut self.ended {
                return std::mem::replace(ended, Ok(())).map(|()| 0);
            }
            if self.wants_rest {
                let rest = until.saturating_duration_since(Instant::now());
                match self.pieces.recv_timeout(rest) {
                    Ok(piece) => self.take(piece),
                    Err(_) => return Ok(0),
                }
                continue;
            }
            match self.pieces.try_recv() {
                Ok(piece) => self.take(piece),
                Err(TryRecvError::Empty) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(TryRecvError::Disconnected) => self.ended = Some(Ok(())),
            }
        }
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.read(buffer)?;
        self.at += count;
        Ok(count)
    }
}

/// Standard input, behind `head`, which was read of it already.
///
/// # Errors
/// If it cannot be read beside this thread.
pub fn standard_input(head: Vec<u8>) -> io::Result<Feed> {
    let copy = std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?;
    Ok(Feed::new(move |sender| {
        if head.is_empty() || sender.bytes(&head) {
            drain(&mut File::from(copy), sender)?;
        }
        Ok(())
    }))
}

/// The beginning of what comes through a pipe.
#[derive(Debug)]
pub enum Head {
    /// All of it, or so much that the rest can be waited for; there may be more behind it.
    Begun(Vec<u8>),
    /// Text that has stopped coming, though the pipe is open still.
    Stays(Vec<u8>),
}

/// Reads standard input until it ends, until much has come, or until nothing comes for a while behind
/// something. Nothing is read of what is no pipe.
///
/// # Errors
/// If it cannot be read.
pub fn head_of_standard_input() -> io::Result<Head> {
    /// Who writes a log that is there already does not rest for so long.
    const PAUSE: Duration = Duration::from_secs(2);
    /// Whoever follows a log has no more than the kernel keeps of it.
    const MUCH: usize = 32 << 20;
    let mut input = File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?);
    let mut head = Vec::new();
    if !is_a_pipe(&input)? {
        return Ok(Head::Begun(head));
    }
    let mut block = vec![0; BLOCK];
    while head.len() < MUCH {
        if !is_readable(&input, PAUSE) {
            if head.ends_with(b"\n") && !head.contains(&0) {
                return Ok(Head::Stays(head));
            }
            continue;
        }
        match input.read(&mut block) {
            Ok(0) => break,
            Ok(count) => head.extend_from_slice(block.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Head::Begun(head))
}

fn is_a_pipe(input: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileTypeExt;
    let kind = input.metadata()?.file_type();
    Ok(kind.is_fifo() || kind.is_socket())
}

/// Hands on all that comes up to the end; false where nobody listens any more.
fn drain(reader: &mut impl Read, sender: &Sender) -> io::Result<bool> {
    let mut block = vec![0; BLOCK];
    loop {
        match reader.read(&mut block) {
            Ok(0) => return Ok(true),
            Ok(count) => {
                if !sender.bytes(block.get(..count).unwrap_or_default()) {
                    return Ok(false);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A file that is written to. It may be replaced by another one of the same name, or cut off and begun
/// anew, as `logrotate` does.
///
/// # Errors
/// If it cannot be opened.
pub fn file(path: &Path) -> io::Result<Feed> {
    let mut file = File::open(path)?;
    let found = file.metadata()?;
    if machine::is_ring_buffer(&found) {
        return ring_buffer();
    }
    if !found.is_file() {
        // What comes through a pipe was not there before.
        return Ok(Feed::new(move |sender| {
            if sender.mark(Mark::CaughtUp) {
                drain(&mut file, sender)?;
            }
            Ok(())
        }));
    }
    let path = path.to_owned();
    Ok(Feed::new(move |sender| Growing { path, file }.pump(sender)))
}

struct Growing {
    path: PathBuf,
    file: File,
}

impl Growing {
    fn pump(mut self, sender: &Sender) -> io::Result<()> {
        let changes = Changes::of(&self.path);
        if !drain(&mut self.file, sender)? || !sender.mark(Mark::CaughtUp) {
            return Ok(());
        }
        loop {
            changes.wait();
            if !drain(&mut self.file, sender)? {
                return Ok(());
            }
            if self.is_rotated()? {
                // A new file may get its rights a moment later.
                let Ok(next) = File::open(&self.path) else { continue };
                // What was written before it was there is read to its end.
                if !drain(&mut self.file, sender)? || !sender.mark(Mark::Rotated) {
                    return Ok(());
                }
                self.file = next;
            } else if self.file.metadata()?.len() < self.file.stream_position()? {
                self.file.rewind()?;
                if !sender.mark(Mark::Rotated) {
                    return Ok(());
                }
            }
        }
    }

    /// Whether another file has its name. Between the two there may be none.
    fn is_rotated(&self) -> io::Result<bool> {
        use std::os::unix::fs::MetadataExt;
        let named = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file);
        let Some(named) = named else { return Ok(false) };
        let own = self.file.metadata()?;
        Ok((named.dev(), named.ino()) != (own.dev(), own.ino()))
    }
}

/// Tells when a file, or the folder that it stands in, changes.
struct Changes(Option<rustix::fd::OwnedFd>);

impl Changes {
    fn of(path: &Path) -> Self {
        let watched = || {
            let notes = inotify::init(inotify::CreateFlags::CLOEXEC)?;
            let flags = inotify::WatchFlags::MODIFY
                | inotify::WatchFlags::CREATE
                | inotify::WatchFlags::MOVED_TO;
            let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            inotify::add_watch(&notes, folder.unwrap_or(Path::new(".")), flags)?;
            Ok::<_, rustix::io::Errno>(notes)
        };
        Self(watched().ok())
    }

    /// Waits for a change, or for as long as nobody should rely on being told.
    fn wait(&self) {
        let Some(notes) = &self.0 else { return thread::sleep(LOOK / 10) };
        is_readable(notes, LOOK);
        let mut room = [const { std::mem::MaybeUninit::uninit() }; 4096];
        let mut changes = inotify::Reader::new(notes, &mut room);
        // What changed is looked at anyway.
        while is_readable(notes, Duration::ZERO) && changes.next().is_ok() {}
    }
}

/// Whether there is something to read within `time`.
pub(super) fn is_readable(fd: &impl rustix::fd::AsFd, time: Duration) -> bool {
    let time = Timespec::try_from(time).ok();
    let mut fds = [PollFd::new(fd, PollFlags::IN)];
    poll(&mut fds, time.as_ref()).is_ok_and(|count| count > 0)
}

/// This machine's ring buffer. What the kernel overwrites before it is read is counted by the numbers of
/// the records.
///
/// # Errors
/// If it may not be read.
pub fn ring_buffer() -> io::Result<Feed> {
    let mut records = machine::ring_buffer()?;
    Ok(Feed::new(move |sender| {
        if !drain(&mut records, sender)? || !sender.mark(Mark::CaughtUp) {
            return Ok(());
        }
        loop {
            is_readable(records.device(), LOOK);
            if !drain(&mut records, sender)? {
                return Ok(());
            }
        }
    }))
}

/// What a small file holds; nothing where there is none.
///
/// # Errors
/// If it cannot be read, or is not small.
pub fn small_file(path: &Path) -> io::Result<Option<Vec<u8>>> {
    /// A place in a journal needs far less.
    const MOST: u64 = 64 << 10;
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = Vec::new();
    file.take(MOST + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MOST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(text))
}

/// Which entries of a journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalFrom {
    /// A folder or a file of it; this machine's own where there is none.
    pub place: Option<PathBuf>,
    /// The entry to begin at; the beginning of the current boot, or of a folder, where there is none.
    pub cursor: Option<String>,
}

/// A journal. It counts as caught up when nothing comes for a moment.
///
/// # Errors
/// If `journalctl` cannot be started.
pub fn journal(from: &JournalFrom) -> io::Result<Feed> {
    let export = Export::start(JOURNALCTL, Entries::Followed(arguments(from)))?;
    let child = export.group();
    let mut feed = Feed::new(move |sender| follow(export, sender));
    feed.child = child;
    Ok(feed)
}

/// Whether this machine's journal shows whoever asks a message of the kernel's: users without rights see
/// their own programs' entries alone.
#[must_use]
pub fn journal_shows_the_kernel() -> bool {
    let options = ["-k", "-b", "-n", "1"].map(OsString::from);
    let export = Export::start(JOURNALCTL, Entries::Followed(options.into()));
    export.is_ok_and(|mut export| export.read(&mut [0; 1]).is_ok_and(|count| count > 0))
}

fn follow(mut export: Export, sender: &Sender) -> io::Result<()> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let (mut begun, mut caught_up) = (false, false);
    let mut block = vec![0; BLOCK];
    loop {
        if !caught_up && !is_readable(export.stdout(), if begun { MOMENT } else { START }) {
            caught_up = true;
            if !sender.mark(Mark::CaughtUp) {
                return Ok(());
            }
        }
        let count = export.read(&mut block)?;
        begun = true;
        let bytes = block.get(..count).unwrap_or_default();
        if count == 0 || !sender.bytes(bytes) {
            return Ok(());
        }
        // Of a journal that never rests, what is stored from now on is new.
        if !caught_up && last_stored(bytes).is_some_and(|stored| stored >= now.as_micros()) {
            caught_up = true;
            if !sender.mark(Mark::CaughtUp) {
                return Ok(());
            }
        }
    }
}

/// When the last entry of these bytes was stored, in microseconds since 1970.
fn last_stored(bytes: &[u8]) -> Option<u128> {
    const FIELD: &[u8] = b"\n__REALTIME_TIMESTAMP=";
    let at = memmem::rfind(bytes, FIELD)? + FIELD.len();
    let digits = bytes.get(at..)?.split(|byte| !byte.is_ascii_digit()).next()?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}

fn arguments(from: &JournalFrom) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["-f", "-n", "all"].map(OsString::from).into();
    match &from.place {
        Some(place) if place.is_dir() => arguments.push(option("--directory=", place)),
        Some(place) => arguments.push(option("--file=", place)),
        None => {}
    }
    if let Some(cursor) = &from.cursor {
        arguments.push(format!("--cursor={cursor}").into());
    }
    // Whoever follows is shown the last boot alone, unless journals are merged. Those of other machines,
    // which may be kept beside this one's, are no part of its story.
    match (&from.cursor, &from.place) {
        (None, None) => arguments.push("-b".into()),
        (Some(_), None) => {
            arguments.push("-m".into());
            let id = fs::read_to_string("/etc/machine-id").unwrap_or_default();
            if !id.trim().is_empty() {
                arguments.push(format!("_MACHINE_ID={}", id.trim()).into());
            }
        }
        (_, Some(_)) => arguments.push("-m".into()),
    }
    arguments
}
