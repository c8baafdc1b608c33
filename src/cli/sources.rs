//! Finds the logs that a command reads, and reports problems with them.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use super::args::{Inputs, MachineArguments};
use super::failure::{Failure, first};
use super::machine::Asked;
use super::streams::Messages;
use super::{progress, system};
use crate::bundle;
use crate::diagnosis::choice::{BootNumber, Choice};
use crate::document::counts::several;
use crate::input::{self, Found, InputError, Source, ThisMachine};
use crate::report::status::Unread;
use crate::value::Named;

/// Maximum number of files of a directory or archive to name.
const NAMED: usize = 20;
/// Maximum number of links out of a directory to name.
const LEFT_OUT: usize = 5;

/// Why a log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The user named it.
    Asked,
    /// It is a file in a directory or an archive.
    Member,
    /// It is a machine's journal, in which a user may not see kernel messages.
    Machine,
}

/// What a command did with a log.
pub(super) struct LogOutcome {
    /// Whether it is a kernel log, or was named by the user.
    pub(super) of_use: bool,
    /// Why it was not read to its end.
    pub(super) cut: Option<Failure>,
}

/// Handles a log.
pub(super) type LogHandler<'t> = dyn FnMut(Source<'_>, Role) -> Result<LogOutcome, Failure> + 't;

/// What to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SourceRequest<'a> {
    StandardInput,
    Path(&'a Path),
    Machine,
}

/// Whether a machine's own log is read.
pub(super) fn reads_machine(inputs: &Inputs) -> bool {
    inputs.files.is_empty() && (inputs.machine.is_asked() || io::stdin().is_terminal())
}

/// The machine whose own log is read.
pub(super) fn machine(inputs: &Inputs) -> system::Machine<'_> {
    if reads_machine(inputs) {
        system::Machine::Own(inputs.machine.root.as_deref())
    } else {
        system::Machine::Unknown
    }
}

/// What the arguments name; without any, standard input if it is a pipe, else this machine's log.
fn wanted(files: &[PathBuf], machine: bool) -> Vec<SourceRequest<'_>> {
    match files {
        [] if machine => vec![SourceRequest::Machine],
        [] => vec![SourceRequest::StandardInput],
        files => files
            .iter()
            .map(|file| match file.as_path() {
                dash if dash == Path::new("-") => SourceRequest::StandardInput,
                path => SourceRequest::Path(path),
            })
            .collect(),
    }
}

/// The result of reading all inputs.
pub(super) struct Surveyed {
    /// Whether everything could be read.
    pub(super) complete: bool,
    /// The inputs that could not be read.
    pub(super) unread: Vec<Unread>,
}

/// Passes all requested logs to `take`.
///
/// If the only input cannot be read, the run fails. Selections that were applied while reading are
/// removed from `choice`, and times of this machine get its zone.
pub(super) fn each(
    inputs: &Inputs,
    choice: &mut Choice,
    messages: &mut Messages<'_>,
    take: &mut LogHandler<'_>,
) -> Result<Surveyed, Failure> {
    let wanted = wanted(&inputs.files, reads_machine(inputs));
    let said = inputs.form.input_format.is_some();
    let alone = wanted.len() == 1;
    let mut survey = Survey { alone, said, complete: true, unread: Vec::new(), messages, take };
    for wanted in wanted {
        match wanted {
            SourceRequest::Machine => {
                let Inputs { machine: MachineArguments { all_boots, root, .. }, more, .. } = inputs;
                let patterns = &more.patterns;
                let asked = Asked { all_boots: *all_boots, choice: &mut *choice, patterns };
                survey.machine(&ThisMachine::new(root.as_deref()), asked)?;
            }
            SourceRequest::StandardInput => {
                if inputs.head.is_empty() {
                    progress::wait_for_input(survey.messages);
                }
                survey.input(input::STANDARD_INPUT, "an archive", |visit| {
                    input::stdin(&inputs.head, visit)
                })?;
            }
            SourceRequest::Path(path) => match &inputs.machine.root {
                // A file of another machine.
                Some(root) => {
                    let name = root.join(path).display().to_string();
                    survey
                        .input(&name, "an archive", |visit| input::each_below(root, path, visit))?;
                }
                None => {
                    let what = if path.is_dir() { "a directory" } else { "an archive" };
                    let name = path.display().to_string();
                    survey.input(&name, what, |visit| input::each(path, visit))?;
                }
            },
        }
    }
    Ok(Surveyed { complete: survey.complete, unread: survey.unread })
}

/// The failure that `dmesg` wrote nothing into the pipe because it needs privileges.
fn nothing_from_dmesg(failure: Failure) -> Failure {
    match failure {
        Failure::Input(InputError::Empty { name })
            if name == input::STANDARD_INPUT
                && !input::is_root()
                && ThisMachine::new(None).is_restricted() =>
        {
            Failure::NothingFromDmesg
        }
        failure => failure,
    }
}

/// Passes the log of the last boot of this machine, or of the journal of the one below `root`, to
/// `take`; returns false if it could not be read completely.
pub(super) fn log_of_machine(
    root: Option<&Path>,
    messages: &mut Messages<'_>,
    take: &mut LogHandler<'_>,
) -> Result<bool, Failure> {
    let unread = Vec::new();
    let mut survey = Survey { alone: true, said: false, complete: true, unread, messages, take };
    let choice = &mut Choice { boot: Some(BootNumber(0)), ..Choice::default() };
    let asked = Asked { all_boots: false, choice, patterns: &[] };
    survey.machine(&ThisMachine::new(root), asked)?;
    Ok(survey.complete)
}

/// The results for the files of one directory or archive.
#[derive(Default)]
struct Tally {
    read: Vec<String>,
    passed_over: usize,
    /// Links that lead outside.
    left_out: usize,
    /// Whether the input is neither, or was reported as unreadable.
    settled: bool,
}

/// The state of reading all inputs.
pub(super) struct Survey<'a, 'm, 't> {
    /// Whether there is no other input.
    pub(super) alone: bool,
    /// Whether the user gave a format for all inputs.
    pub(super) said: bool,
    /// Whether everything could be read so far.
    pub(super) complete: bool,
    /// The inputs that could not be read.
    pub(super) unread: Vec<Unread>,
    pub(super) messages: &'a mut Messages<'m>,
    pub(super) take: &'a mut LogHandler<'t>,
}

impl Survey<'_, '_, '_> {
    fn input(
        &mut self,
        name: &str,
        what: &'static str,
        show: impl FnOnce(&mut input::Visit<'_, Failure>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut tally = Tally::default();
        show(&mut |found| self.found(found, &mut tally))?;
        let Tally { read, passed_over, left_out, settled } = tally;
        if left_out > LEFT_OUT {
            let more = several(left_out - LEFT_OUT, "more link");
            self.messages.say(&format!("{}: {more} out of it not followed", input::called(name)));
        }
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
            self.messages.say(&told);
        }
        Ok(())
    }

    fn found(&mut self, found: Found<'_>, tally: &mut Tally) -> Result<(), Failure> {
        let Found { member, source } = found;
        let name = source.as_ref().map(|source| source.name.clone()).unwrap_or_default();
        if member && bundle::is_about_a_log(&name) {
            tally.passed_over += 1;
            return Ok(());
        }
        let role = if member { Role::Member } else { Role::Asked };
        let taken = source.map_err(Failure::from).and_then(|source| (self.take)(source, role));
        match taken {
            Ok(LogOutcome { of_use, cut }) => {
                match (of_use, member) {
                    (true, true) => tally.read.push(name),
                    (true, false) => tally.settled = true,
                    (false, _) => tally.passed_over += 1,
                }
                self.cut(of_use, cut);
            }
            Err(Failure::Input(error)) if member && error.is_no_log() => tally.passed_over += 1,
            Err(Failure::Input(error)) if error.is_left_out() => {
                tally.left_out += 1;
                if tally.left_out <= LEFT_OUT {
                    self.messages.tell(&error.into());
                }
            }
            Err(failure) => {
                tally.settled = true;
                self.failed(failure, member)?;
            }
        }
        Ok(())
    }

    /// Reports why a log was not read to its end. For a file that is not a kernel log, a size limit
    /// is not reported, but damage is.
    pub(super) fn cut(&mut self, of_use: bool, cut: Option<Failure>) {
        if let Some(failure) = cut.filter(|cut| of_use || matches!(cut, Failure::Input(_))) {
            self.complete = false;
            self.messages.tell(&failure);
        }
    }

    /// Reports a failure, or ends the run if there is nothing else to read.
    pub(super) fn failed(&mut self, failure: Failure, member: bool) -> Result<(), Failure> {
        let failure = nothing_from_dmesg(failure);
        if (self.alone && !member) || matches!(failure, Failure::Output(_)) {
            return Err(failure);
        }
        self.complete = false;
        if let Failure::Input(error) = &failure {
            self.unread.push(Unread::of(error));
        }
        self.messages.tell(&failure);
        Ok(())
    }
}

/// Describes which files of `name` were read.
fn summary(name: &str, read: &[String], passed_over: usize) -> String {
    let inside = |file: &String| {
        let rest = file.strip_prefix(name).unwrap_or(file);
        Named(rest.strip_prefix([':', '/']).unwrap_or(rest)).to_string()
    };
    let told = first(read.iter().map(inside), NAMED);
    let read = if told.is_empty() { "nothing".to_owned() } else { told.join(", ") };
    let rest = match passed_over {
        0 => String::new(),
        count => format!("; {} without a kernel log skipped", several(count, "file")),
    };
    format!("{}: read {read}{rest}", input::called(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_gives_no_log() {
        let files = [PathBuf::from("-"), PathBuf::from("a.log")];
        let named = vec![SourceRequest::StandardInput, SourceRequest::Path(Path::new("a.log"))];
        for terminal in [true, false] {
            assert_eq!(wanted(&files, terminal), named);
        }
        assert_eq!(wanted(&[], false), [SourceRequest::StandardInput]);
        assert_eq!(wanted(&[], true), [SourceRequest::Machine]);
    }

    #[test]
    fn a_summary_is_short() {
        let read = |count| (0..count).map(|at| format!("a.tar:log/{at}")).collect::<Vec<_>>();
        assert_eq!(summary("a.tar", &read(2), 0), "a.tar: read log/0, log/1");
        assert_eq!(
            summary("a.tar", &read(1), 1),
            "a.tar: read log/0; 1 file without a kernel log skipped"
        );
        let many = summary("a.tar", &read(500), 9000);
        let end = ", log/19, 480 more; 9000 files without a kernel log skipped";
        assert!(many.ends_with(end), "{many}");
    }
}
