//! A file that is written to: it may be replaced by another one of the same name, or cut off and begun anew.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::inotify;

use super::super::machine;
use super::{BLOCK, Feed, LOOK, Mark, Sender, drain, is_readable, ring_buffer};

/// So long a file is read on that was replaced: who writes it learns of that later.
const AFTER: Duration = Duration::from_secs(10);
/// So many bytes at the beginning of a file tell whether it is still the same.
const HEAD: usize = 1024;

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
    Ok(Feed::new(move |sender| Growing::new(path, file).pump(sender)))
}

struct Growing {
    path: PathBuf,
    file: File,
    /// The bytes with which it begins.
    head: Vec<u8>,
    /// The one that it has replaced, up to when that is read, and what came of a line of it.
    old: Option<(File, Instant, Vec<u8>)>,
    /// Whether what was handed on ends with a line.
    at_a_line: bool,
}

impl Growing {
    fn new(path: PathBuf, file: File) -> Self {
        Self { path, file, head: Vec::new(), old: None, at_a_line: true }
    }

    fn pump(mut self, sender: &Sender) -> io::Result<()> {
        let changes = Changes::of(&self.path);
        if !self.read(sender)? || !sender.mark(Mark::CaughtUp) {
            return Ok(());
        }
        loop {
            changes.wait();
            if !self.old(sender)? || !self.current(sender)? {
                return Ok(());
            }
        }
    }

    /// Reads on, in the file that has the name by now; false where nobody listens any more.
    fn current(&mut self, sender: &Sender) -> io::Result<bool> {
        if self.is_another()? {
            self.file.rewind()?;
            self.head.clear();
            if !self.line_ends(sender) || !sender.mark(Mark::Truncated) {
                return Ok(false);
            }
        }
        if !self.read(sender)? {
            return Ok(false);
        }
        // A new file may get its rights a moment later.
        let Some(next) = self.is_rotated()?.then(|| File::open(&self.path).ok()).flatten() else {
            return Ok(true);
        };
        // What was written before it was there is read first.
        if !self.read(sender)? || !self.line_ends(sender) || !sender.mark(Mark::Rotated) {
            return Ok(false);
        }
        let old = std::mem::replace(&mut self.file, next);
        self.old = Some((old, Instant::now() + AFTER, Vec::new()));
        self.head.clear();
        self.read(sender)
    }

    /// Hands on what is new in the file.
    fn read(&mut self, sender: &Sender) -> io::Result<bool> {
        if self.head.len() < HEAD {
            self.head = head(&self.file)?;
        }
        let mut last = Last { file: &mut self.file, byte: None };
        let listens = drain(&mut last, sender)?;
        if let Some(byte) = last.byte {
            self.at_a_line = byte == b'\n';
        }
        Ok(listens)
    }

    /// Hands on what somebody still writes into the file that was replaced, by lines and between lines.
    fn old(&mut self, sender: &Sender) -> io::Result<bool> {
        let Some((file, until, rest)) = &mut self.old else { return Ok(true) };
        let mut block = vec![0; BLOCK];
        loop {
            let count = file.read(&mut block)?;
            rest.extend_from_slice(block.get(..count).unwrap_or_default());
            if count == 0 || rest.len() > BLOCK {
                break;
            }
        }
        let over = Instant::now() > *until;
        let end = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let mut listens = true;
        if self.at_a_line && end > 0 {
            listens = sender.bytes(rest.get(..end).unwrap_or_default());
            rest.drain(..end);
        }
        if over && (rest.is_empty() || end == 0) {
            self.old = None;
        }
        Ok(listens)
    }

    /// Ends a line that was cut off in the middle: the rest of it will not come.
    fn line_ends(&mut self, sender: &Sender) -> bool {
        let done = self.at_a_line || sender.bytes(b"\n");
        self.at_a_line = true;
        done
    }

    /// Whether the file is shorter than what was read of it, or begins with other bytes: it was cut off and
    /// begun anew.
    fn is_another(&mut self) -> io::Result<bool> {
        if self.file.metadata()?.len() < self.file.stream_position()? {
            return Ok(true);
        }
        let now = head(&self.file)?;
        Ok(now.get(..self.head.len()) != Some(self.head.as_slice()))
    }

    /// Whether another file has its name. Between the two there may be none.
    fn is_rotated(&self) -> io::Result<bool> {
        let named = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file);
        let Some(named) = named else { return Ok(false) };
        let own = self.file.metadata()?;
        Ok((named.dev(), named.ino()) != (own.dev(), own.ino()))
    }
}

/// The bytes with which a file begins.
fn head(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD];
    let count = file.read_at(&mut head, 0)?;
    head.truncate(count);
    Ok(head)
}

/// Reads a file and knows the byte that came last.
struct Last<'f> {
    file: &'f mut File,
    byte: Option<u8>,
}

impl Read for Last<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        if let Some(byte) = count.checked_sub(1).and_then(|at| buffer.get(at)) {
            self.byte = Some(*byte);
        }
        Ok(count)
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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::Write as _;

    use super::super::Waited;
    use super::*;

    /// What comes, with marks between, until nothing comes for a while.
    fn told(feed: &mut Feed) -> String {
        let mut told = String::new();
        let mut quiet = 0;
        while quiet < 15 {
            match feed.wait(Duration::from_millis(100)) {
                Waited::Nothing => quiet += 1,
                Waited::Mark(mark) => write!(told, "<{mark:?}>").unwrap(),
                Waited::Ready => {
                    let mut block = [0; 4096];
                    if let Ok(count) = feed.read(&mut block) {
                        told.push_str(std::str::from_utf8(&block[..count]).unwrap());
                        quiet = 0;
                    }
                }
            }
        }
        told
    }

    #[test]
    fn a_file_is_read_on_after_it_was_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut old = File::create(&path).unwrap();
        old.write_all(b"one\n").unwrap();
        let mut feed = file(&path).unwrap();
        assert_eq!(told(&mut feed), "one\n<CaughtUp>");
        fs::rename(&path, folder.path().join("log.1")).unwrap();
        fs::write(&path, "two\n").unwrap();
        assert_eq!(told(&mut feed), "<Rotated>two\n");
        old.write_all(b"late\nla").unwrap();
        old.write_all(b"ter\n").unwrap();
        assert_eq!(told(&mut feed), "late\nlater\n");
    }

    #[test]
    fn a_file_that_was_cut_and_written_anew_is_known_by_its_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "first line\nhalf a l").unwrap();
        let mut feed = file(&path).unwrap();
        assert_eq!(told(&mut feed), "first line\nhalf a l<CaughtUp>");
        // Longer than what was read of it.
        fs::write(&path, "another line, and more than before\n").unwrap();
        assert_eq!(told(&mut feed), "\n<Truncated>another line, and more than before\n");
        fs::write(&path, "short\n").unwrap();
        assert_eq!(told(&mut feed), "<Truncated>short\n");
    }
}
