//! A growing journal: `journalctl` reads it, and is restarted when it ends.
#![allow(clippy::disallowed_methods, reason = "this module opens files")]

use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use memchr::memmem;

use super::super::journal::{Entries, Export, option};
use super::super::journal_error::JOURNALCTL;
use super::{BLOCK, Feed, Mark, Sender, Source, is_readable};

/// If nothing comes for this time, the journal is considered read; before the first entry it gets
/// more time.
const MOMENT: Duration = Duration::from_millis(300);
const START: Duration = Duration::from_secs(5);
/// The delay before a reader that ended is restarted; doubled after each failure.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// An incomplete entry is held back up to this length.
const LONGEST_REST: usize = 1 << 20;

/// The entries of a journal to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JournalFrom {
    /// A directory or file; `None` for this machine's journal.
    pub place: Option<PathBuf>,
    /// The cursor of the first entry; `None` for the start of the current boot, or of the
    /// directory.
    pub cursor: Option<String>,
    /// The cursor of the entry after which to start, in place of `cursor`.
    pub after: Option<String>,
}

/// A growing journal. It is considered read when nothing comes for a moment. If `journalctl` ends,
/// it is restarted after the last entry.
///
/// # Errors
/// If `journalctl` cannot be started.
pub fn journal(from: &JournalFrom) -> io::Result<Feed> {
    journal_of(JOURNALCTL, from)
}

/// The same with a program other than [`JOURNALCTL`], for tests.
fn journal_of(program: &str, from: &JournalFrom) -> io::Result<Feed> {
    let export = Export::start(program, Entries::Followed(arguments(from)))?;
    let source = Source::default();
    source.is(export.group());
    let reading = JournalPump {
        program: program.to_owned(),
        from: from.clone(),
        source: source.clone(),
        last: None,
        caught_up: false,
        is_interrupted: false,
    };
    let mut feed = Feed::new(move |sender| reading.pump(export, sender));
    feed.source = source;
    Ok(feed)
}

/// Whether this machine's journal shows kernel messages to this user: unprivileged users see only
/// their own entries.
#[must_use]
pub fn journal_shows_the_kernel() -> bool {
    let options = ["-k", "-b", "-n", "1"].map(OsString::from);
    let export = Export::start(JOURNALCTL, Entries::Followed(options.into()));
    export.is_ok_and(|mut export| export.read(&mut [0; 1]).is_ok_and(|count| count > 0))
}

/// The state of reading a journal.
struct JournalPump {
    program: String,
    from: JournalFrom,
    source: Source,
    /// The cursor of the last complete entry.
    last: Option<String>,
    caught_up: bool,
    /// Whether the end of the program was reported, and nothing came since.
    is_interrupted: bool,
}

impl JournalPump {
    fn pump(mut self, mut export: Export, sender: &Sender) -> io::Result<()> {
        let mut pause = PAUSE;
        loop {
            let before = self.last.clone();
            let ended = self.follow(&mut export, sender);
            let why = match ended {
                Ok(Stopped::NobodyListens) => return Ok(()),
                Ok(Stopped::Ended) => export.first_error_line(),
                // Without any entry so far, it is not a journal or may not be read.
                Err(error) if self.last.is_none() => return Err(error),
                Err(error) => error.to_string(),
            };
            let Some(last) = self.last.clone() else { return Ok(()) };
            self.source.is(None);
            if self.last != before {
                pause = PAUSE;
                self.is_interrupted = false;
            }
            // Reported once, even if the program ends repeatedly.
            if !std::mem::replace(&mut self.is_interrupted, true)
                && !sender.mark(Mark::Interrupted(why))
            {
                return Ok(());
            }
            let from = JournalFrom { after: Some(last), ..self.from.clone() };
            export = loop {
                thread::sleep(pause);
                pause = (pause * 2).min(LONGEST_PAUSE);
                if let Ok(export) =
                    Export::start(&self.program, Entries::Followed(arguments(&from)))
                {
                    break export;
                }
            };
            self.source.is(export.group());
        }
    }

    /// Sends complete entries.
    fn follow(&mut self, export: &mut Export, sender: &Sender) -> io::Result<Stopped> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut begun = self.last.is_some();
        let mut block = vec![0; BLOCK];
        let mut held = Vec::new();
        loop {
            if !self.caught_up && !is_readable(export.stdout(), if begun { MOMENT } else { START })
            {
                self.caught_up = true;
                if !sender.mark(Mark::CaughtUp) {
                    return Ok(Stopped::NobodyListens);
                }
            }
            let count = export.read(&mut block)?;
            if count == 0 {
                return Ok(Stopped::Ended);
            }
            begun = true;
            held.extend_from_slice(block.get(..count).unwrap_or_default());
            let end = memmem::rfind(&held, b"\n\n").map(|at| at + 2);
            let end = end.or((held.len() > LONGEST_REST).then_some(held.len()));
            let Some(whole) = end.and_then(|end| held.get(..end)) else { continue };
            if let Some(cursor) = last_cursor(whole) {
                self.last = Some(cursor);
                if std::mem::take(&mut self.is_interrupted) && !sender.mark(Mark::Resumed) {
                    return Ok(Stopped::NobodyListens);
                }
            }
            // For a journal that is never idle, entries stored from now on are new.
            let is_new = last_stored(whole).is_some_and(|stored| stored >= now.as_micros());
            if !sender.bytes(whole) {
                return Ok(Stopped::NobodyListens);
            }
            held.drain(..whole.len());
            if !self.caught_up && is_new {
                self.caught_up = true;
                if !sender.mark(Mark::CaughtUp) {
                    return Ok(Stopped::NobodyListens);
                }
            }
        }
    }
}

/// Why reading ended.
enum Stopped {
    NobodyListens,
    Ended,
}

/// The cursor of the last entry in these bytes.
fn last_cursor(bytes: &[u8]) -> Option<String> {
    const FIELD: &[u8] = b"__CURSOR=";
    let at = memmem::rfind_iter(bytes, FIELD)
        .find(|at| *at == 0 || bytes.get(at - 1) == Some(&b'\n'))?
        + FIELD.len();
    let line = bytes.get(at..)?.split(|byte| *byte == b'\n').next()?;
    std::str::from_utf8(line).ok().map(str::to_owned)
}

/// The time of the last entry in these bytes, in microseconds since 1970.
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
    match (&from.after, &from.cursor) {
        (Some(after), _) => arguments.push(format!("--after-cursor={after}").into()),
        (None, Some(cursor)) => arguments.push(format!("--cursor={cursor}").into()),
        (None, None) => {}
    }
    // journalctl follows only the last boot unless it merges journals. Those of other machines,
    // which may be stored here, too, do not belong to this log.
    match (from.after.as_ref().or(from.cursor.as_ref()), &from.place) {
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::super::journal::stand_in;
    use super::super::Waited;
    use super::*;

    /// All bytes and marks up to the first wanted mark.
    fn up_to(feed: &mut Feed, wanted: impl Fn(&Mark) -> bool) -> (String, Vec<Mark>) {
        let (mut text, mut marks) = (Vec::new(), Vec::new());
        let until = Instant::now() + Duration::from_secs(20);
        while Instant::now() < until {
            match feed.wait(Duration::from_millis(50)) {
                Waited::Mark(mark) => {
                    let done = wanted(&mark);
                    marks.push(mark);
                    if done {
                        break;
                    }
                }
                Waited::Ready => {
                    let mut block = [0; 4096];
                    if let Ok(count) = feed.read(&mut block) {
                        text.extend_from_slice(&block[..count]);
                    }
                }
                Waited::Nothing => {}
            }
        }
        (String::from_utf8(text).unwrap(), marks)
    }

    #[test]
    fn an_ended_reader_is_restarted_after_its_last_entry() {
        let folder = tempfile::tempdir().unwrap();
        let script = "case \"$*\" in\n*after-cursor=one*) printf '__CURSOR=two\\nMESSAGE=b\\n\\n'; sleep 60;;\n\
                      *) printf '__CURSOR=one\\nMESSAGE=a\\n\\n__CURSOR=half\\nMESS'; kill -9 $$;;\nesac";
        let program = stand_in(folder.path(), script);
        let mut feed = journal_of(&program, &JournalFrom::default()).unwrap();
        let (text, marks) = up_to(&mut feed, |mark| *mark == Mark::Resumed);
        assert_eq!(text, "__CURSOR=one\nMESSAGE=a\n\n");
        assert!(matches!(marks.as_slice(), [.., Mark::Interrupted(_), Mark::Resumed]), "{marks:?}");
        let (text, _) = up_to(&mut feed, |mark| *mark == Mark::CaughtUp);
        assert_eq!(text, "__CURSOR=two\nMESSAGE=b\n\n");
    }

    /// A reader that ends repeatedly is restarted at growing intervals, and that is reported once.
    #[test]
    fn a_reader_that_ends_again_and_again_is_given_time() {
        let folder = tempfile::tempdir().unwrap();
        let starts = folder.path().join("starts");
        let script = format!(
            "echo x >> {}\ncase \"$*\" in\n*after-cursor*) exit 1;;\n*) printf '__CURSOR=one\\nMESSAGE=a\\n\\n';;\nesac",
            starts.display()
        );
        let program = stand_in(folder.path(), &script);
        let mut feed = journal_of(&program, &JournalFrom::default()).unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        let mut interrupted = 0;
        while Instant::now() < until {
            match feed.wait(Duration::from_millis(100)) {
                Waited::Mark(Mark::Interrupted(_)) => interrupted += 1,
                Waited::Ready => drop(feed.read(&mut [0; 4096])),
                Waited::Mark(_) | Waited::Nothing => {}
            }
        }
        let starts = fs::read_to_string(&starts).unwrap().lines().count();
        assert!(starts <= 4, "{starts} starts");
        assert_eq!(interrupted, 1);
    }

    #[test]
    fn a_reader_that_never_gives_an_entry_is_not_started_again() {
        let folder = tempfile::tempdir().unwrap();
        let program = stand_in(folder.path(), "echo no such file >&2; exit 1");
        let mut feed = journal_of(&program, &JournalFrom::default()).unwrap();
        while feed.wait(Duration::from_secs(20)) != Waited::Ready {}
        let error = feed.read(&mut [0; 16]).unwrap_err();
        assert!(error.to_string().contains("no such file"), "{error}");
    }
}
