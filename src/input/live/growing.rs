//! A growing file, which may be replaced by another one of the same name, or truncated.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::inotify;

use super::super::machine;
use super::rotated::{LeftOff, Resumed};
use super::written::Written;
use super::{Feed, LOOK, Mark, Sender, drain, is_readable, ring_buffer, rotated};

/// How long a replaced file is still read, because its writer notices the replacement late.
const AFTER: Duration = Duration::from_secs(10);
/// Maximum number of replaced files to read at the same time.
const MOST_REPLACED: usize = 16;

/// A growing file. It may be replaced by another one of the same name, or truncated, as `logrotate`
/// does. Continues at `from`, if given.
///
/// # Errors
/// If it cannot be opened.
pub fn file(path: &Path, from: Option<LeftOff>) -> io::Result<Feed> {
    let mut file = File::open(path)?;
    let found = file.metadata()?;
    if machine::is_ring_buffer(&found) {
        return ring_buffer();
    }
    if !found.is_file() {
        // A pipe has no existing content.
        return Ok(Feed::new(move |sender| {
            if sender.mark(Mark::CaughtUp) {
                drain(&mut file, sender)?;
            }
            Ok(())
        }));
    }
    let path = path.to_owned();
    let mut feed =
        Feed::new(move |sender| match Growing::begun(path, file, from.as_ref(), sender)? {
            Some(growing) => growing.pump(sender),
            None => Ok(()),
        });
    feed.has_places = true;
    Ok(feed)
}

struct Growing {
    path: PathBuf,
    /// The file that has the name now.
    current: Written,
    /// Files that had the name before, oldest first, and until when to read them.
    replaced: VecDeque<(Written, Instant)>,
    /// The number of files so far.
    numbered: u64,
}

impl Growing {
    /// Sends the files since `from`, starting where reading stopped; returns `None` if the receiver
    /// is gone.
    fn begun(
        path: PathBuf,
        file: File,
        from: Option<&LeftOff>,
        sender: &Sender,
    ) -> io::Result<Option<Self>> {
        let Resumed { files, is_incomplete } = match from {
            Some(from) => rotated::resumed(&path, file, from),
            None => Resumed { files: vec![(file, None)], is_incomplete: false },
        };
        let numbered = files.len() as u64;
        let mut begun = VecDeque::new();
        for (number, (file, known)) in (0..).zip(files) {
            let mut file = Written::new(number, file);
            if let Some(end) = known
                && !(file.read_up_to(end, sender)? && file.tell_place(sender))
            {
                return Ok(None);
            }
            begun.push_back((file, Instant::now() + AFTER));
        }
        let Some((current, _)) = begun.pop_back() else {
            unreachable!("the file that has the name is among them")
        };
        let listens = (!is_incomplete || sender.mark(Mark::Lost))
            && (from.is_none() || sender.mark(Mark::Remembered));
        Ok(listens.then_some(Self { path, current, replaced: begun, numbered }))
    }

    /// A file that was not read yet.
    fn numbered(&mut self, file: File) -> Written {
        let number = self.numbered;
        self.numbered += 1;
        Written::new(number, file)
    }

    fn pump(mut self, sender: &Sender) -> io::Result<()> {
        let changes = Changes::of(&self.path);
        let listens = self.read_replaced(sender)
            && self.current.read(sender)?
            && self.current.tell_place(sender)
            && sender.mark(Mark::CaughtUp);
        if !listens {
            return Ok(());
        }
        loop {
            changes.wait();
            if !self.read_replaced(sender) || !self.read_current(sender)? {
                return Ok(());
            }
        }
    }

    /// Reads the file that has the name now; returns false if the receiver is gone.
    fn read_current(&mut self, sender: &Sender) -> io::Result<bool> {
        if self.current.is_another()? && !self.begin_anew(sender)? {
            return Ok(false);
        }
        if !self.current.read(sender)? {
            return Ok(false);
        }
        // A new file may get its permissions a moment later.
        let Some(next) = self.is_rotated()?.then(|| File::open(&self.path).ok()).flatten() else {
            return Ok(true);
        };
        // What was written to the old file is read first.
        if !self.current.read(sender)? || !sender.mark(Mark::Rotated) {
            return Ok(false);
        }
        let until = Instant::now() + AFTER;
        for file in rotated::between(&self.path, &self.current, &next)?.into_iter().chain([next]) {
            let file = self.numbered(file);
            self.replaced.push_back((std::mem::replace(&mut self.current, file), until));
        }
        Ok(self.read_replaced(sender) && self.current.read(sender)?)
    }

    /// Sends what is still written to replaced files.
    fn read_replaced(&mut self, sender: &Sender) -> bool {
        let now = Instant::now();
        let surplus = self.replaced.len().saturating_sub(MOST_REPLACED);
        for (place, (file, until)) in self.replaced.iter_mut().enumerate() {
            let listens = file.read(sender).unwrap_or_else(|_| {
                // The file was deleted on another machine (NFS): nothing more can be read.
                *until = now;
                true
            });
            if place < surplus {
                *until = now;
            }
            let is_over = *until <= now;
            if !listens || (is_over && !(file.end_line(sender) && file.send_closed(sender))) {
                return false;
            }
        }
        self.replaced.retain(|(_, until)| *until > now);
        true
    }

    /// Continues at the start of a truncated file. The unread rest may be in a copy.
    fn begin_anew(&mut self, sender: &Sender) -> io::Result<bool> {
        let anew = self.current.anew(self.numbered)?;
        self.numbered += 1;
        let copy = rotated::copy_of(&self.path, &self.current);
        let mut cut = std::mem::replace(&mut self.current, anew);
        let handed_on = match copy {
            Some(copy) => {
                // A copy does not grow.
                self.replaced.push_back((cut.moved_to(copy), Instant::now()));
                self.read_replaced(sender)
            }
            None => cut.end_line(sender) && cut.send_closed(sender),
        };
        Ok(handed_on && sender.mark(Mark::Truncated))
    }

    /// Whether another file has its name. In between the name may be unused.
    fn is_rotated(&self) -> io::Result<bool> {
        let named = fs::metadata(&self.path).ok().filter(fs::Metadata::is_file);
        let Some(named) = named else { return Ok(false) };
        Ok((named.dev(), named.ino()) != self.current.key()?)
    }
}

/// Notifies about changes of a file or its directory.
struct Changes(Option<rustix::fd::OwnedFd>);

impl Changes {
    fn of(path: &Path) -> Self {
        let watched = || {
            let notes = inotify::init(inotify::CreateFlags::CLOEXEC)?;
            let flags = inotify::WatchFlags::MODIFY
                | inotify::WatchFlags::CREATE
                | inotify::WatchFlags::MOVED_TO;
            inotify::add_watch(&notes, rotated::folder_of(path), flags)?;
            Ok::<_, rustix::io::Errno>(notes)
        };
        Self(watched().ok())
    }

    /// Waits for a change, or until the polling interval has passed.
    fn wait(&self) {
        let Some(notes) = &self.0 else { return thread::sleep(LOOK / 10) };
        is_readable(notes, LOOK);
        let mut room = [const { std::mem::MaybeUninit::uninit() }; 4096];
        let mut changes = inotify::Reader::new(notes, &mut room);
        // The contents of notifications are not needed.
        while is_readable(notes, Duration::ZERO) && changes.next().is_ok() {}
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;
    use std::io::{Read as _, Write as _};

    use super::super::Waited;
    use super::*;

    /// The bytes and marks until nothing comes for a while.
    fn bytes_and_marks(feed: &mut Feed) -> String {
        let mut told = String::new();
        let mut quiet = 0;
        while quiet < 15 {
            match feed.wait(Duration::from_millis(100)) {
                Waited::Nothing => quiet += 1,
                Waited::Mark(Mark::Read { .. } | Mark::Left { .. }) => {}
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
        let mut feed = file(&path, None).unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "one\n<CaughtUp>");
        fs::rename(&path, folder.path().join("log.1")).unwrap();
        fs::write(&path, "two\n").unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "<Rotated>two\n");
        old.write_all(b"late\nla").unwrap();
        old.write_all(b"ter\n").unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "late\nlater\n");
    }

    /// A line that is cut at a rotation is sent complete, and so are lines of the new file.
    #[test]
    fn a_line_that_is_cut_at_a_rotation_is_whole() {
        const LINE: &str = "[1.0] a line\n";
        let folder = tempfile::tempdir().unwrap();
        for cut in 0..=LINE.len() {
            let path = folder.path().join(format!("log{cut}x"));
            let mut old = File::create(&path).unwrap();
            old.write_all(b"first\n").unwrap();
            old.write_all(&LINE.as_bytes()[..cut]).unwrap();
            let mut feed = file(&path, None).unwrap();
            assert_eq!(next_lines(&mut feed, 1 + cut / LINE.len()).first().unwrap(), "first");
            fs::rename(&path, folder.path().join(format!("log{cut}x.1"))).unwrap();
            // The new file begins with an incomplete line.
            fs::write(&path, "new\nhalf").unwrap();
            assert_eq!(next_lines(&mut feed, 1), ["new"], "cut at {cut}");
            old.write_all(&LINE.as_bytes()[cut..]).unwrap();
            old.write_all(b"last\n").unwrap();
            let rest = next_lines(&mut feed, if cut < LINE.len() { 2 } else { 1 });
            assert_eq!(rest.last().unwrap(), "last", "cut at {cut}");
            assert!(cut == LINE.len() || rest[0] == LINE.trim_end(), "cut at {cut}: {rest:?}");
        }
    }

    #[test]
    fn no_line_is_lost_in_ten_rotations() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut feed = file_with(&path, "0 begin\n");
        assert_eq!(next_lines(&mut feed, 1), ["0 begin"]);
        for turn in 1..=10 {
            for older in (1..turn).rev() {
                let name = |number: u32| folder.path().join(format!("log.{number}"));
                fs::rename(name(older), name(older + 1)).unwrap();
            }
            let old = File::options().append(true).open(&path).unwrap();
            write_lines(&old, turn, 0..50, "\n");
            fs::rename(&path, folder.path().join("log.1")).unwrap();
            write_lines(&old, turn, 50..60, "\n");
            // The last line is never completed.
            write_lines(&File::create(&path).unwrap(), turn, 60..100, "\n");
            write_lines(&old, turn, 100..101, "");
        }
        let mut lines = next_lines(&mut feed, 10 * 101);
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), 10 * 101);
    }

    #[test]
    fn no_line_is_lost_in_ten_copies() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut feed = file_with(&path, "0 begin\n");
        assert_eq!(next_lines(&mut feed, 1), ["0 begin"]);
        let log = File::options().append(true).open(&path).unwrap();
        for turn in 1..=10 {
            write_lines(&log, turn, 0..50, "\n");
            // Reading stops here; the rest is only in the copy, unless reading was faster.
            let lines = next_lines(&mut feed, 50);
            assert_eq!((lines[0].clone(), lines[49].clone()), (line(turn, 0), line(turn, 49)));
            write_lines(&log, turn, 50..100, "\n");
            for older in (1..turn).rev() {
                let name = |number: u32| folder.path().join(format!("log.{number}"));
                fs::rename(name(older), name(older + 1)).unwrap();
            }
            fs::copy(&path, folder.path().join("log.1")).unwrap();
            log.set_len(0).unwrap();
            let lines = next_lines(&mut feed, 50);
            assert_eq!((lines[0].clone(), lines[49].clone()), (line(turn, 50), line(turn, 99)));
        }
    }

    /// A writer without `O_APPEND` leaves NUL bytes in a truncated file.
    #[test]
    fn nul_bytes_at_the_beginning_of_a_file_are_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = File::create(&path).unwrap();
        log.write_all(format!("{}\nfirst\n", "x".repeat(200_000)).as_bytes()).unwrap();
        let mut feed = file(&path, None).unwrap();
        assert_eq!(next_lines(&mut feed, 2)[1], "first");
        for turn in 0..3 {
            log.set_len(0).unwrap();
            log.write_all(format!("{turn} one\n").as_bytes()).unwrap();
            assert_eq!(
                bytes_and_marks(&mut feed).replace("<CaughtUp>", ""),
                format!("<Truncated>{turn} one\n")
            );
            log.write_all(b"two\n").unwrap();
            assert_eq!(bytes_and_marks(&mut feed), "two\n");
        }
        // The same when it is read for the first time.
        let mut feed = file(&path, None).unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "2 one\ntwo\n<CaughtUp>");
    }

    /// A line without an end uses limited memory.
    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut feed = file_with(&path, &"x".repeat(3 << 20));
        let lines = next_lines(&mut feed, 2);
        assert!(lines.iter().all(|line| line.len() < 2 << 20));
    }

    fn file_with(path: &Path, text: &str) -> Feed {
        fs::write(path, text).unwrap();
        file(path, None).unwrap()
    }

    fn line(turn: u32, number: u32) -> String {
        format!("[{turn}.{number}] a line of turn {turn}")
    }

    fn write_lines(mut file: &File, turn: u32, numbers: std::ops::Range<u32>, end: &str) {
        for number in numbers {
            file.write_all(format!("{}{end}", line(turn, number)).as_bytes()).unwrap();
        }
    }

    /// The next complete lines.
    #[track_caller]
    fn next_lines(feed: &mut Feed, count: usize) -> Vec<String> {
        let mut text = Vec::new();
        let until = Instant::now() + Duration::from_secs(60);
        while memchr::memchr_iter(b'\n', &text).count() < count {
            assert!(Instant::now() < until, "{}", String::from_utf8_lossy(&text));
            if feed.wait(Duration::from_millis(100)) == Waited::Ready {
                let mut block = [0; 4096];
                if let Ok(read) = feed.read(&mut block) {
                    text.extend_from_slice(&block[..read]);
                }
            }
        }
        assert!(text.ends_with(b"\n"));
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_file_that_was_cut_and_written_anew_is_known_by_its_head() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        fs::write(&path, "first line\nhalf a l").unwrap();
        let mut feed = file(&path, None).unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "first line\n<CaughtUp>");
        // Longer than the part that was read.
        fs::write(&path, "another line, and more than before\n").unwrap();
        assert_eq!(
            bytes_and_marks(&mut feed),
            "half a l\n<Truncated>another line, and more than before\n"
        );
        fs::write(&path, "short\n").unwrap();
        assert_eq!(bytes_and_marks(&mut feed), "<Truncated>short\n");
    }
}
