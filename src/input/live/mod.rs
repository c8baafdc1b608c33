//! Logs that still grow: bytes as they come, from a pipe, a file that is written to and rotated, the
//! kernel's ring buffer or a journal. A thread waits for them, so that whoever reads can wait for the
//! clock, too.
#![allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]

mod growing;
mod journal;
mod rotated;
mod written;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::machine;
use crate::program::Group;

pub use growing::file;
pub use journal::{JournalFrom, journal, journal_shows_the_kernel};
pub use rotated::LeftOff;
pub use written::FilePlace;

/// So many pieces wait at most; whoever writes more waits, too.
const WAITING: usize = 64;
/// How many bytes are read at once.
const BLOCK: usize = 64 << 10;
/// How often a file is looked at of whose changes nothing is told: file systems over a network.
const LOOK: Duration = Duration::from_secs(1);
/// How long the rest of a value may be on its way.
const REST: Duration = Duration::from_secs(2);

/// What happened to a log besides that it grew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mark {
    /// All of what was there at the beginning has come.
    CaughtUp,
    /// All has come that was read before, up to where it was left off.
    Remembered,
    /// A file that was read before is not there any more; what was written to it since then is gone.
    Lost,
    /// What has come of the file with this number is all that stands before this place.
    Read {
        /// Files are numbered in the order in which they had the name.
        file: u64,
        /// The place.
        place: FilePlace,
    },
    /// The file with this number is not read any more.
    Left {
        /// See there.
        file: u64,
    },
    /// The file was replaced by a new one; it is read on from the beginning of that.
    Rotated,
    /// The file was cut off and begun anew; it is read on from its beginning. What was written to it just
    /// before may be gone.
    Truncated,
    /// The program that reads the journal has ended, for this reason; it is started again.
    Interrupted(String),
    /// It runs again, and goes on behind the last entry that has come.
    Resumed,
    /// Somebody asks for the patterns to be loaded again.
    Reload,
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

    /// Asks for the patterns to be loaded again, from another thread.
    pub fn reload(&self) {
        let _ = self.0.send(Piece::Mark(Mark::Reload));
    }

    /// Hands bytes on; false where nobody listens any more.
    fn bytes(&self, bytes: impl Into<Vec<u8>>) -> bool {
        self.0.send(Piece::Bytes(bytes.into())).is_ok()
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
    /// Whether it says which [`FilePlace`] it has come to.
    pub has_places: bool,
    /// The program that the bytes come from.
    source: Source,
}

/// The program that bytes come from at the moment.
#[derive(Clone, Debug, Default)]
struct Source(Arc<Mutex<Option<Group>>>);

impl Source {
    fn is(&self, group: Option<Group>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = group;
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(group) = *self.source.0.lock().unwrap_or_else(PoisonError::into_inner) {
            group.end();
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
        let (bytes, source) = (Vec::new(), Source::default());
        let (wants_rest, has_places) = (false, false);
        Self { pieces, sender, bytes, at: 0, marks, ended, wants_rest, has_places, source }
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
        if head.is_empty() || sender.bytes(head) {
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
