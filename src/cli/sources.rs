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

/// What a command does with a log. It is told whether the log is one of the files of a folder or an
/// archive, and says whether it was of use.
type Take<'t> = dyn FnMut(Source<'_>, bool) -> Result<bool, Failure> + 't;

/// What is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted<'a> {
    StandardInput,
    Path(&'a Path),
}

/// What the arguments ask for; without any, what comes through a pipe.
fn wanted(files: &[PathBuf], terminal: bool) -> Result<Vec<Wanted<'_>>, Failure> {
    Ok(match files {
        [] if terminal => return Err(Failure::NoInput),
        [] => vec![Wanted::StandardInput],
        files => files
            .iter()
            .map(|file| match file.as_path() {
                dash if dash == Path::new("-") => Wanted::StandardInput,
                path => Wanted::Path(path),
            })
            .collect(),
    })
}

/// Shows all logs that are asked for to `take`; false where something could not be read.
///
/// A single input that cannot be read ends the run.
pub(super) fn each(
    inputs: &Inputs,
    messages: &mut impl Write,
    take: &mut Take<'_>,
) -> Result<bool, Failure> {
    let wanted = wanted(&inputs.files, io::stdin().is_terminal())?;
    let mut survey = Survey { alone: wanted.len() == 1, complete: true, messages, take };
    for wanted in wanted {
        match wanted {
            Wanted::StandardInput => {
                let show = |visit: &mut input::Visit<'_, Failure>| {
                    input::standard_input(io::stdin().lock(), visit)
                };
                survey.input(input::STANDARD_INPUT, "an archive", show)?;
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
            return self.failed(InputError::NoLogs { name: name.to_owned(), what }.into(), false);
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
        let taken = source.map_err(Failure::from).and_then(|source| (self.take)(source, member));
        match taken {
            Ok(true) if member => tally.read.push(name),
            Ok(true) => tally.settled = true,
            Ok(false) => tally.passed_over += 1,
            Err(Failure::Input(error)) if member && error.is_no_log() => tally.passed_over += 1,
            Err(failure) => {
                tally.settled = true;
                self.failed(failure, member)?;
            }
        }
        Ok(())
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
            assert_eq!(wanted(&files, terminal).unwrap(), named);
        }
        assert_eq!(wanted(&[], false).unwrap(), [Wanted::StandardInput]);
        assert!(wanted(&[], true).is_err());
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
