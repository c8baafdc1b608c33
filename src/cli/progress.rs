//! A progress line on the terminal, overwritten repeatedly and removed at the end.

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};

use super::streams::Messages;
use crate::document::untrusted::Untrusted;
use crate::input::Source;

/// The delay before progress is shown.
const PATIENCE: Duration = Duration::from_secs(1);
/// The interval between updates.
const PAUSE: Duration = Duration::from_millis(200);
/// Maximum length of a name; of a longer one the end is shown.
const LONGEST_NAME: usize = 40;

/// Whether progress should be shown.
pub(super) fn is_wanted(quiet: bool) -> bool {
    !quiet && io::stderr().is_terminal()
}

/// Tells the user that the program waits for standard input, after some time without input.
pub(super) fn wait_for_input(messages: &mut Messages<'_>) {
    if !io::stderr().is_terminal() {
        return;
    }
    let stdin = io::stdin();
    let mut poll = [PollFd::new(&stdin, PollFlags::IN)];
    let patience = Timespec { tv_sec: 1, tv_nsec: 0 };
    if rustix::event::poll(&mut poll, Some(&patience)) == Ok(0) {
        messages.say("waiting for standard input (Ctrl+C to stop)");
    }
}

/// Wraps a source so that its progress is shown.
pub(super) fn watched(source: Source<'_>) -> Source<'_> {
    // For compressed input only the compressed size is known.
    let plain = source.compression.is_none() && source.archive.is_none() && !source.journal;
    let known = fs::metadata(&source.name).ok().filter(|known| plain && known.is_file());
    let total = known.map(|known| known.len());
    let reader = Box::new(Watched::new(source.reader, &source.name, total));
    Source { reader, ..source }
}

/// A reader that shows its progress; dropping it removes the line.
struct Watched<'a, W: Write> {
    reader: Box<dyn Read + 'a>,
    name: String,
    read: u64,
    /// The total size, if known.
    total: Option<u64>,
    /// The time of the next update.
    next: Instant,
    /// The width of the line.
    width: usize,
    out: W,
}

impl<'a> Watched<'a, io::Stderr> {
    /// Wraps `reader`, which has `total` bytes.
    fn new(reader: Box<dyn Read + 'a>, name: &str, total: Option<u64>) -> Self {
        Self::with(reader, name, total, io::stderr(), Instant::now() + PATIENCE)
    }
}

impl<'a, W: Write> Watched<'a, W> {
    fn with(
        reader: Box<dyn Read + 'a>,
        name: &str,
        total: Option<u64>,
        out: W,
        next: Instant,
    ) -> Self {
        Self { reader, name: shortened(name), read: 0, total, next, width: 0, out }
    }

    /// Overwrites the line with `text`. Errors are ignored.
    fn show(&mut self, text: &str) {
        let width = text.chars().count();
        let rest = self.width.saturating_sub(width);
        let _ = write!(self.out, "\r{text}{:rest$}\r", "").and_then(|()| self.out.flush());
        self.width = width;
    }
}

impl<W: Write> Read for Watched<'_, W> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        self.read += count as u64;
        let now = Instant::now();
        if now >= self.next {
            self.next = now + PAUSE;
            self.show(&progress_line(&self.name, self.read, self.total));
        }
        Ok(count)
    }
}

impl<W: Write> Drop for Watched<'_, W> {
    fn drop(&mut self) {
        if self.width > 0 {
            self.show("");
        }
    }
}

fn progress_line(name: &str, read: u64, total: Option<u64>) -> String {
    let mebibytes = |bytes: u64| bytes >> 20;
    let total = total.filter(|total| *total >= read);
    let of = total.map(|total| format!(" of {}", mebibytes(total))).unwrap_or_default();
    format!("amdtriage: {name}: {}{of} MiB read", mebibytes(read))
}

/// Shortens a name to fit the line.
fn shortened(name: &str) -> String {
    let name = Untrusted(name).to_string();
    let surplus = name.chars().count().saturating_sub(LONGEST_NAME);
    if surplus == 0 {
        return name;
    }
    std::iter::once('…').chain(name.chars().skip(surplus + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_line_has_name_and_amount() {
        for (read, total, want) in [
            (0, None, "amdtriage: kern.log: 0 MiB read"),
            (120 << 20, Some(512 << 20), "amdtriage: kern.log: 120 of 512 MiB read"),
            // A growing file has no total.
            (120 << 20, Some(100 << 20), "amdtriage: kern.log: 120 MiB read"),
        ] {
            assert_eq!(progress_line("kern.log", read, total), want);
        }
        assert_eq!(shortened("\u{1b}[2Jkern.log"), "\\u{1b}[2Jkern.log");
        let long = shortened(&format!("{}/kern.log", "folder/".repeat(20)));
        assert!(long.starts_with('…') && long.ends_with("/kern.log"), "{long}");
        assert_eq!(long.chars().count(), LONGEST_NAME);
    }

    /// The output for an input of `total` bytes, read one byte at a time.
    fn written(next: Instant) -> String {
        let mut out = Vec::new();
        let reader = Box::new(&b"abc"[..]);
        let mut watched = Watched::with(reader, "kern.log", Some(3), &mut out, next);
        let mut byte = [0];
        while watched.read(&mut byte).unwrap() > 0 {
            watched.next = watched.next.min(next);
        }
        drop(watched);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_line_is_gone_in_the_end() {
        let shown = written(Instant::now());
        let last = shown.rsplit("\r\r").next().unwrap();
        assert!(shown.starts_with("\ramdtriage: kern.log: 0 of 0 MiB read\r"), "{shown:?}");
        assert_eq!(last.trim_matches([' ', '\r']), "", "{shown:?}");
        assert!(!shown.contains('\n'));
        // Nothing is shown for fast inputs.
        assert_eq!(written(Instant::now() + PATIENCE), "");
    }
}
