//! `diff`: compares two boots, of two logs or of one.

use std::convert::Infallible;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};

use super::args::{AnswerFormat, DiffArguments, Inputs, MachineArguments};
use super::failure::Failure;
use super::logs::Inquiry;
use super::streams::{Destination, Messages, Streams};
use super::{Ending, pages, patterns};
use crate::compare::chosen::{self, NoBoot, SelectedBoot, SelectionReason, Wish};
use crate::compare::{Machine, compare};
use crate::diagnosis::choice::{BootNumber, Choice};
use crate::diagnosis::verdict::Verdict;
use crate::event::sighting::Instead;
use crate::input;
use crate::pattern::Patterns;
use crate::report::ReportPart;
use crate::report::compare::{Compared, ComparedSide, human, json};

/// The file with facts about the machine in a bundle; and the maximum number of its bytes to read.
const HOST_FACTS: &str = "/host.json";
const MOST_FACTS: u64 = 8 << 20;

/// Runs the command.
pub(super) fn run(arguments: &DiffArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let inputs: Vec<PathBuf> = arguments.files.iter().chain(&arguments.root).cloned().collect();
    let to = Destination::of_answer(&arguments.answer, &inputs)?;
    let patterns = patterns::loaded(&arguments.more.patterns)?;
    let messages = &mut streams.messages;
    let mut reader = Reader { arguments, patterns: &patterns, complete: true };
    let (good, bad) = match arguments.files.as_slice() {
        [good, bad] if is_pipe(good) && is_pipe(bad) => return Err(Failure::OnePipe),
        [good, bad] => {
            let good = reader.file(good, messages)?.boot(arguments.good, Wish::Good)?;
            (good, Some(reader.file(bad, messages)?.boot(arguments.bad, Wish::Bad)?))
        }
        [one] => (reader.file(one, messages)?, None),
        _ => reader.machine(messages)?,
    };
    let (of_good, of_bad) = match &bad {
        Some(bad) => (good.named(), bad.named()),
        None => good.twice(arguments)?,
    };
    if is_one_file(&arguments.files) && of_good.chosen.boot == of_bad.chosen.boot {
        messages.say("GOOD and BAD are the same boot of the same file");
    }
    let comparison = compare(of_good.side(), of_bad.side(), &patterns.machines.compared);
    let compared = Compared {
        patterns: &patterns.digest,
        good: of_good,
        bad: of_bad,
        comparison: &comparison,
        all: arguments.all,
        verbose: arguments.verbose,
    };
    streams.write_to(to, |out| write(&compared, arguments, out))?;
    Ok(Ending::of(reader.complete, comparison.verdict.is_worse()))
}

fn write(
    compared: &Compared<'_>,
    arguments: &DiffArguments,
    out: &mut dyn Write,
) -> io::Result<()> {
    let DiffArguments { answer, quiet, .. } = arguments;
    match answer.format() {
        AnswerFormat::Page(format) => {
            pages::write(&human::document(compared), format, *quiet, answer.look(), out)
        }
        AnswerFormat::Json => json::write(compared, out),
    }
}

fn is_pipe(path: &Path) -> bool {
    path == Path::new("-")
}

/// Whether GOOD and BAD are two names of one file.
fn is_one_file(files: &[PathBuf]) -> bool {
    let whole = |path: &PathBuf| path.canonicalize().ok();
    matches!(files, [good, bad] if whole(good).is_some_and(|good| Some(good) == whole(bad)))
}

/// The facts about the machine in the bundle at `path`; `None` if it is not a bundle or does not
/// have the file.
fn machine(path: &Path) -> Option<Machine> {
    if is_pipe(path) {
        return None;
    }
    let mut machine = None;
    let visited: Result<(), Infallible> = input::each(path, &mut |found| {
        let facts = found.source.ok().filter(|source| source.name.ends_with(HOST_FACTS));
        if let (Some(source), None) = (facts.filter(|_| found.member), &machine) {
            let mut text = Vec::new();
            // An unreadable file is ignored here; it was reported when the log was read.
            let _ = source.reader.take(MOST_FACTS).read_to_end(&mut text);
            machine = Machine::read(&text);
        }
        Ok(())
    });
    let Ok(()) = visited;
    machine
}

/// A log.
struct Input {
    part: ReportPart,
    /// The number of other logs in the input.
    others: usize,
    /// The machine, if the input is a bundle with facts about it.
    machine: Option<Machine>,
    /// The selected boot; the first one until it is selected.
    chosen: SelectedBoot,
}

impl Input {
    fn named(&self) -> ComparedSide<'_> {
        let Self { part, others, chosen, machine } = self;
        ComparedSide { part, chosen: *chosen, others: *others, machine: machine.as_ref() }
    }

    fn boot(mut self, asked: Option<BootNumber>, wish: Wish) -> Result<Self, Failure> {
        let ReportPart { log, conclusions, .. } = &self.part;
        let chosen = chosen::one(log, conclusions, asked, wish);
        self.chosen = chosen.map_err(|error| self.failure(error))?;
        Ok(self)
    }

    /// Selects two of its boots.
    fn twice(
        &self,
        arguments: &DiffArguments,
    ) -> Result<(ComparedSide<'_>, ComparedSide<'_>), Failure> {
        let ReportPart { log, conclusions, .. } = &self.part;
        let both = chosen::two(log, conclusions, arguments.good, arguments.bad);
        let (good, bad) = both.map_err(|error| self.failure(error))?;
        let named = |chosen| ComparedSide { chosen, ..self.named() };
        Ok((named(good), named(bad)))
    }

    fn failure(&self, error: NoBoot) -> Failure {
        let name = self.part.name.clone();
        match error {
            NoBoot::Missing(number) => {
                Failure::NoSuchBoot { number, count: self.part.log.boots.len() }
            }
            NoBoot::One => Failure::OneBoot { name },
            NoBoot::Same => Failure::SameBoot { name },
        }
    }
}

/// Reads the two sides.
struct Reader<'a> {
    arguments: &'a DiffArguments,
    patterns: &'a Patterns,
    /// Whether everything was read.
    complete: bool,
}

impl Reader<'_> {
    fn file(&mut self, path: &Path, messages: &mut Messages<'_>) -> Result<Input, Failure> {
        let inputs = self.inputs(vec![path.to_owned()], MachineArguments::default());
        let name = path.display().to_string();
        let input = self.read(&inputs, &mut Choice::default(), &name, messages)?;
        Ok(Input { machine: machine(path), ..input })
    }

    /// Two boots of this machine's journal: the requested ones, or all to select from.
    fn machine(&mut self, messages: &mut Messages<'_>) -> Result<(Input, Option<Input>), Failure> {
        let name = "this machine";
        let root = self.arguments.root.clone();
        let machine = |all_boots| MachineArguments { this_machine: true, all_boots, root };
        let (Some(good), Some(bad)) = (self.arguments.good, self.arguments.bad) else {
            let inputs = self.inputs(Vec::new(), machine(true));
            let all = self.read(&inputs, &mut Choice::default(), name, messages)?;
            return Ok((all, None));
        };
        if good == bad {
            return Err(Failure::SameBoot { name: name.to_owned() });
        }
        let inputs = self.inputs(Vec::new(), machine(false));
        let mut boot = |number| -> Result<Input, Failure> {
            let mut choice = Choice { boot: Some(number), ..Choice::default() };
            let mut input = self.read(&inputs, &mut choice, name, messages)?;
            let boot = input.part.log.boots.len().saturating_sub(1);
            input.chosen = SelectedBoot { boot, why: SelectionReason::Asked(number) };
            Ok(input)
        };
        Ok((boot(good)?, Some(boot(bad)?)))
    }

    fn inputs(&self, files: Vec<PathBuf>, machine: MachineArguments) -> Inputs {
        let DiffArguments { input, more, .. } = self.arguments;
        Inputs { files, machine, form: *input, more: more.clone(), head: Vec::new() }
    }

    /// The log of an input with most records of the driver.
    fn read(
        &mut self,
        inputs: &Inputs,
        choice: &mut Choice,
        name: &str,
        messages: &mut Messages<'_>,
    ) -> Result<Input, Failure> {
        let Inquiry { mut parts, complete, .. } =
            Inquiry::read(inputs, choice, false, self.patterns, messages)?;
        self.complete &= complete;
        parts.retain(|part| part.verdict() != Verdict::NoKernelLog);
        let others = parts.len().saturating_sub(1);
        // The first of several with the same number. A report quotes lines of its log, some of them
        // repeatedly and without times.
        let most = parts.into_iter().rev().max_by_key(|part| {
            let timed = part.log.boots.iter().any(|boot| !boot.last.is_timeless());
            (timed, part.log.driver_records)
        });
        let chosen = SelectedBoot { boot: 0, why: SelectionReason::Only };
        most.map(|part| Input { part, others, chosen, machine: None })
            .ok_or_else(|| inputs.no_kernel_log(name, Instead::default()))
    }
}
