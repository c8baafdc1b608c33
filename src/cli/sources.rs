//! Which logs a command reads, and what is said while it does.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use super::args::Inputs;
use super::failure::Failure;
use super::tell;
use crate::input::{self, Found, InputError, Source};
use crate::report::untrusted::Untrusted;

/// How many files of a folder or an archive are named at most.
const NAMED: usize = 20;

/// Why a log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Somebody said that it is a log.
    Asked,
    /// It is one of the files of a folder or an archive.
    Member,
    /// It is this machine's journal, of which a user may see no kernel message.
    Machine,
}

/// What a command made of a log.
pub(super) struct Taken {
    /// Whether it is a log of the kernel's, or at least asked for.
    pub(super) of_use: bool,
    /// Why not all of it was read.
    pub(super) cut: Option<Failure>,
}

/// What a command does with a log.
type Take<'t> = dyn FnMut(Source<'_>, Role) -> Result<Taken, Failure> + 't;

/// What is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted<'a> {
    StandardInput,
    Path(&'a Path),
    Machine,
}

/// What the arguments ask for; without any, what comes through a pipe, else this machine's log.
fn wanted(files: &[PathBuf], terminal: bool) -> Vec<Wanted<'_>> {
    match files {
        [] if terminal => vec![Wanted::Machine],
        [] => vec![Wanted::StandardInput],
        files => files
            .iter()
            .map(|file| match file.as_path() {
                dash if dash == Path::new("-") => Wanted::StandardInput,
                path => Wanted::Path(path),
            })
            .collect(),
    }
}

/// Shows all logs that are asked for to `take`; false where something could not be read.
///
/// A single input that cannot be read ends the run.
pub(super) fn each(
    inputs: &Inputs,
    messages: &mut impl Write,
    take: &mut Take<'_>,
) -> Result<bool, Failure> {
    let wanted = wanted(&inputs.files, io::stdin().is_terminal());
    let said = inputs.input_format.is_some();
    let mut survey = Survey { alone: wanted.len() == 1, said, complete: true, messages, take };
    for wanted in wanted {
        match wanted {
            Wanted::Machine => survey.machine(input::this_boot, input::ring_buffer)?,
            Wanted::StandardInput => {
                survey.input(input::STANDARD_INPUT, "an archive", |visit| input::stdin(visit))?;
            }
            Wanted::Path(path) => {
                let what = if path.is_dir() { "a folder" } else { "an archive" };
                survey
                    .input(&path.display().to_string(), what, |visit| input::each(path, visit))?;
            }
        }
    }
    Ok(survey.complete)
}

/// Shows this machine's log to `take`; false where not all of it could be read.
pub(super) fn this_machine(
    messages: &mut impl Write,
    take: &mut Take<'_>,
) -> Result<bool, Failure> {
    let mut survey = Survey { alone: true, said: false, complete: true, messages, take };
    survey.machine(input::this_boot, input::ring_buffer)?;
    Ok(survey.complete)
}

/// What became of the files of one folder or archive.
#[derive(Default)]
struct Tally {
    read: Vec<String>,
    passed_over: usize,
    /// Whether the input turned out to be neither, or was said to be unreadable.
    settled: bool,
}

struct Survey<'a, 't, W> {
    /// Whether there is no other input.
    alone: bool,
    /// Whether somebody said which format all inputs have.
    said: bool,
    complete: bool,
    messages: &'a mut W,
    take: &'a mut Take<'t>,
}

impl<W: Write> Survey<'_, '_, W> {
    fn input(
        &mut self,
        name: &str,
        what: &'static str,
        show: impl FnOnce(&mut input::Visit<'_, Failure>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut tally = Tally::default();
        show(&mut |found| self.found(found, &mut tally))?;
        let Tally { read, passed_over, settled } = tally;
        if read.is_empty() && !settled {
            let name = name.to_owned();
            let failure = if self.said {
                Failure::NoLogsOfFormat { name, what }
            } else {
                InputError::NoLogs { name, what }.into()
            };
            return self.failed(failure, false);
        }
        if !read.is_empty() || passed_over > 0 {
            let told = summary(name, &read, passed_over);
            let _ = writeln!(self.messages, "amdtriage: {}", Untrusted(&told));
        }
        Ok(())
    }

    fn found(&mut self, found: Found<'_>, tally: &mut Tally) -> Result<(), Failure> {
        let Found { member, source } = found;
        let name = source.as_ref().map(|source| source.name.clone()).unwrap_or_default();
        let role = if member { Role::Member } else { Role::Asked };
        let taken = source.map_err(Failure::from).and_then(|source| (self.take)(source, role));
        match taken {
            Ok(Taken { of_use, cut }) => {
                match (of_use, member) {
                    (true, true) => tally.read.push(name),
                    (true, false) => tally.settled = true,
                    (false, _) => tally.passed_over += 1,
                }
                self.cut(of_use, cut);
            }
            Err(Failure::Input(error)) if member && error.is_no_log() => tally.passed_over += 1,
            Err(failure) => {
                tally.settled = true;
                self.failed(failure, member)?;
            }
        }
        Ok(())
    }

    /// Says why not all of a log was read. Where a file is no kernel log, that it is longer than those
    /// is nothing to know; that it is damaged is.
    fn cut(&mut self, of_use: bool, cut: Option<Failure>) {
        if let Some(failure) = cut.filter(|cut| of_use || matches!(cut, Failure::Input(_))) {
            self.complete = false;
            tell(&failure, self.messages);
        }
    }

    /// Says what failed, or ends the run where nothing else is to be read.
    fn failed(&mut self, failure: Failure, member: bool) -> Result<(), Failure> {
        if (self.alone && !member) || matches!(failure, Failure::Output(_)) {
            return Err(failure);
        }
        self.complete = false;
        tell(&failure, self.messages);
        Ok(())
    }

    /// This boot's log: the journal has more, the kernel's own buffer is always there.
    fn machine(
        &mut self,
        journal: impl FnOnce() -> Result<Source<'static>, InputError>,
        ring_buffer: impl FnOnce() -> Result<Source<'static>, InputError>,
    ) -> Result<(), Failure> {
        self.announce(input::THIS_BOOT);
        // Users may see their own programs' entries alone, which is no kernel log.
        match journal().map_err(Failure::from).and_then(|log| (self.take)(log, Role::Machine)) {
            Ok(Taken { of_use, cut }) => {
                self.cut(of_use, cut);
                if of_use {
                    return Ok(());
                }
            }
            // There is nothing to be read, as on machines without systemd.
            Err(Failure::Input(error)) if error.is_no_journal() => {}
            Err(failure) => self.failed(failure, true)?,
        }
        self.announce(input::RING_BUFFER);
        let Taken { of_use, cut } = (self.take)(ring_buffer()?, Role::Asked)?;
        self.cut(of_use, cut);
        Ok(())
    }

    fn announce(&mut self, name: &str) {
        let _ = writeln!(self.messages, "amdtriage: reading {name}");
    }
}

/// Which files of `name` were read.
fn summary(name: &str, read: &[String], passed_over: usize) -> String {
    let inside = |file: &String| {
        let rest = file.strip_prefix(name).unwrap_or(file);
        rest.strip_prefix([':', '/']).unwrap_or(rest).to_owned()
    };
    let mut told: Vec<String> = read.iter().take(NAMED).map(inside).collect();
    if read.len() > NAMED {
        told.push(format!("{} more", read.len() - NAMED));
    }
    let read = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
    let rest = match passed_over {
        0 => String::new(),
        1 => "; 1 file without a kernel log passed over".to_owned(),
        count => format!("; {count} files without a kernel log passed over"),
    };
    format!("{name}: read {read}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gives_no_log() {
        let files = [PathBuf::from("-"), PathBuf::from("a.log")];
        let named = vec![Wanted::StandardInput, Wanted::Path(Path::new("a.log"))];
        for terminal in [true, false] {
            assert_eq!(wanted(&files, terminal), named);
        }
        assert_eq!(wanted(&[], false), [Wanted::StandardInput]);
        assert_eq!(wanted(&[], true), [Wanted::Machine]);
    }

    fn log(name: &str) -> Source<'static> {
        Source {
            name: name.to_owned(),
            archive: None,
            compression: None,
            journal: false,
            modified: None,
            reader: Box::new(io::empty()),
        }
    }

    /// What is read of a machine, and what is said.
    fn machine(
        journal: Result<Source<'static>, InputError>,
        of_use: bool,
        ring_buffer: Result<Source<'static>, InputError>,
    ) -> (Vec<String>, String, Result<bool, Failure>) {
        let (mut taken, mut messages) = (Vec::new(), Vec::new());
        let mut take = |source: Source<'_>, role: Role| {
            taken.push(source.name);
            Ok(Taken { of_use: of_use || role == Role::Asked, cut: None })
        };
        let mut survey = Survey {
            alone: true,
            said: false,
            complete: true,
            messages: &mut messages,
            take: &mut take,
        };
        let done = survey.machine(|| journal, || ring_buffer).map(|()| survey.complete);
        (taken, String::from_utf8(messages).unwrap(), done)
    }

    #[test]
    fn a_machine_shows_its_journal_or_else_the_ring_buffer() {
        let none = || Err(InputError::NoJournalctl { name: input::THIS_BOOT.to_owned() });
        let told = "amdtriage: reading this boot's journal\n";
        let (taken, messages, done) = machine(Ok(log("journal")), true, none());
        assert!(taken == ["journal"] && messages == told && done.is_ok());

        let told = format!("{told}amdtriage: reading the kernel's ring buffer\n");
        let (taken, messages, done) = machine(none(), true, Ok(log("ring")));
        assert!(taken == ["ring"] && messages == told && done.is_ok());
        // Without the right to read the system's journal.
        let (taken, _, done) = machine(Ok(log("journal")), false, Ok(log("ring")));
        assert!(taken == ["journal", "ring"] && done.is_ok());

        let refused = InputError::Permission { name: input::RING_BUFFER.to_owned() };
        let (_, _, done) = machine(none(), true, Err(refused));
        let hint = done.unwrap_err().hint().unwrap();
        assert_eq!(hint, "sudo amdtriage reads it as root");
    }

    fn broken() -> InputError {
        let name = input::THIS_BOOT.to_owned();
        InputError::Journal { name, said: "Bad message".to_owned() }
    }

    #[test]
    fn a_journal_that_cannot_be_read_is_not_left_in_silence() {
        let (taken, messages, done) = machine(Err(broken()), true, Ok(log("ring")));
        assert_eq!(taken, ["ring"]);
        assert!(messages.contains("journalctl cannot read this boot's journal: Bad message"));
        assert!(!done.unwrap());
        for silent in [
            InputError::NoJournalctl { name: input::THIS_BOOT.to_owned() },
            InputError::NoEntries { name: input::THIS_BOOT.to_owned() },
        ] {
            let (taken, messages, done) = machine(Err(silent), true, Ok(log("ring")));
            assert!(taken == ["ring"] && messages.lines().count() == 2 && done.unwrap());
        }
    }

    /// What came before the failure is kept, and the boot is not read twice.
    #[test]
    fn a_journal_that_fails_behind_its_kernel_messages_is_all_that_is_read() {
        let (mut taken, mut messages) = (Vec::new(), Vec::new());
        let mut take = |source: Source<'_>, _: Role| {
            taken.push(source.name);
            Ok(Taken { of_use: true, cut: Some(broken().into()) })
        };
        let mut survey = Survey {
            alone: true,
            said: false,
            complete: true,
            messages: &mut messages,
            take: &mut take,
        };
        survey.machine(|| Ok(log("journal")), || Ok(log("ring"))).unwrap();
        assert!(!survey.complete);
        assert_eq!(taken, ["journal"]);
        assert!(String::from_utf8(messages).unwrap().contains("Bad message"));
    }

    #[test]
    fn a_summary_is_short() {
        let read = |count| (0..count).map(|at| format!("a.tar:log/{at}")).collect::<Vec<_>>();
        assert_eq!(summary("a.tar", &read(2), 0), "a.tar: read log/0, log/1");
        assert_eq!(
            summary("a.tar", &read(1), 1),
            "a.tar: read log/0; 1 file without a kernel log passed over"
        );
        let many = summary("a.tar", &read(500), 9000);
        let end = ", log/19, 480 more; 9000 files without a kernel log passed over";
        assert!(many.ends_with(end), "{many}");
    }
}
