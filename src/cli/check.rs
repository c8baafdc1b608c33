//! `check`: the current state of a machine, independent of failures in its log.

use std::ffi::OsString;
use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::args::{CheckArguments, CheckFormat, ExitAs, FailOn, Inputs, PageFormat};
use super::failure::Failure;
use super::logs::options;
use super::output::{self, Target};
use super::sources::{self, LogOutcome};
use super::streams::{Destination, Messages, Streams};
use super::{Ending, pages, patterns, settings, system};
use crate::diagnosis::verdict::Verdict;
use crate::document::untrusted::Untrusted;
use crate::health::{self, MachineVerdict};
use crate::host::process::Process;
use crate::host::{Answer, Dump, Files, Host, Question, Refusal, Watch};
use crate::input::Source;
use crate::inquiry::{LogFailure, Understood, understood};
use crate::pattern::Patterns;
use crate::report::ReportPart;
use crate::report::check::{Checkup, LogAnswer, human, json, prometheus, short};

/// The kernel log of the current boot in a sosreport.
pub(super) const LOGS: [&str; 2] = ["/sos_commands/kernel/dmesg", "/var/log/dmesg"];
/// Maximum size of a log to read, in bytes.
const LOG_LIMIT: u64 = 64 << 20;
/// Maximum size of a dump to copy, in bytes.
const DUMP_LIMIT: u64 = 4 << 30;
/// The size of one read, in bytes.
const PIECE: u32 = 1 << 20;
/// The driver formats a dump while it is read, which takes long.
pub(super) const PATIENCE_FOR_DUMPS: Duration = Duration::from_secs(30);

/// Runs the command.
pub(super) fn run(
    arguments: &CheckArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let nagios = arguments.short && arguments.fail_on.is_none();
    let exit = arguments.exit.unwrap_or(if nagios { ExitAs::Nagios } else { ExitAs::Report });
    let fail_on = arguments.fail_on.unwrap_or(FailOn::Failure);
    let exit = (exit, fail_on);
    match looked(arguments, exit, streams) {
        Err(failure) if arguments.short && !matches!(failure, Failure::Output(_)) => {
            streams.messages.tell(&failure);
            unknown(exit, &failure.to_string(), streams)
        }
        done => done,
    }
}

/// The exit status that `check --short` was to have, in arguments that were refused.
pub(super) fn short_exit(typed: &[OsString]) -> Option<(ExitAs, FailOn)> {
    let [_, command, options @ ..] = typed else { return None };
    let has = |wanted: &str| options.iter().any(|option| option == wanted);
    if command != "check" || !has("--short") {
        return None;
    }
    let is_nagios = !has("--exit") && !has("--fail-on");
    Some((if is_nagios { ExitAs::Nagios } else { ExitAs::Report }, FailOn::Failure))
}

/// Prints the line that monitoring needs in any case.
pub(super) fn unknown(
    exit: (ExitAs, FailOn),
    why: &str,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let why = why.lines().next().unwrap_or_default();
    streams.write(|out| writeln!(out, "UNKNOWN: {}", Untrusted(why)))?;
    Ok(ending(exit, MachineVerdict::Unknown, false))
}

fn looked(
    arguments: &CheckArguments,
    exit: (ExitAs, FailOn),
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    if let Some(root) = arguments.root.as_ref().filter(|root| !root.is_dir()) {
        return Err(Failure::NotAMachine { path: root.clone() });
    }
    let CheckArguments { answer, root, .. } = arguments;
    let to = Destination::of_answer(answer, root.as_slice())?;
    let mut patterns = patterns::loaded(&arguments.more.patterns)?;
    let program = settings::program().map_err(Failure::NoReader)?;
    let mut files = Process::new(program, arguments.root.clone());
    let watch = if arguments.root.is_some() { Watch::Once } else { Watch::RUNNING };
    let host = Host::read(&mut files, &patterns.hardware, watch);
    system::assume_machine(&mut patterns, arguments.distro.distro.as_ref(), Some(&host.kernel));
    let mut complete = true;
    if let Some(folder) = &arguments.save_coredumps {
        complete = save(&host, files.patient(PATIENCE_FOR_DUMPS), folder, &mut streams.messages)?;
    }
    let health = health::judged(&host, &patterns, arguments.expect_gpus);
    let log = match (&arguments.root, arguments.short || arguments.quiet) {
        (Some(root), _) => saved_log(&mut files, root, &patterns),
        (None, true) => own_log(&patterns, &mut Messages::new(&mut io::sink())),
        (None, false) => own_log(&patterns, &mut streams.messages),
    };
    let expected = arguments.expect_gpus;
    let checkup = Checkup { patterns: &patterns, host: &host, health: &health, log, expected };
    streams.write_to(to, |out| write(arguments, &checkup, out))?;
    // A failure that was diagnosed ends a check as it ends a report, also if it is over.
    let verdict = match (exit.0, checkup.log_verdict()) {
        (ExitAs::Report, Some(Verdict::Failure)) => MachineVerdict::Failure,
        (ExitAs::Report | ExitAs::Nagios | ExitAs::Npd | ExitAs::Written, _) => checkup.verdict(),
    };
    Ok(ending(exit, verdict, complete))
}

fn write(arguments: &CheckArguments, checkup: &Checkup<'_>, out: &mut dyn Write) -> io::Result<()> {
    let CheckArguments { answer, verbose, .. } = arguments;
    let shown = || human::document(checkup, *verbose);
    match answer.format() {
        CheckFormat::Page(PageFormat::Human) if arguments.short || arguments.quiet => {
            let for_nagios = arguments.short && arguments.exit != Some(ExitAs::Npd);
            short::write(checkup, for_nagios, out)
        }
        CheckFormat::Page(format) => pages::write(&shown(), format, false, answer.look(), out),
        CheckFormat::Json => json::write(checkup, out),
        CheckFormat::Prometheus => prometheus::write(checkup, out),
    }
}

/// The exit codes differ in the meaning of 2, and node-problem-detector has none between success
/// and failure: a warning must not mark a node as failed.
const fn ending(
    (exit, fail_on): (ExitAs, FailOn),
    verdict: MachineVerdict,
    complete: bool,
) -> Ending {
    let [clean, warning, failure, unknown] = match exit {
        ExitAs::Nagios => [0, 1, 2, 3],
        ExitAs::Npd => [0, 0, 1, 2],
        ExitAs::Report | ExitAs::Written if !complete => return Ending::CouldNot,
        ExitAs::Written => [0; 4],
        ExitAs::Report => {
            let of_a_log = match verdict {
                MachineVerdict::Clean => Verdict::Clean,
                MachineVerdict::Warning => Verdict::Warning,
                MachineVerdict::Failure => Verdict::Failure,
                MachineVerdict::Unknown => return Ending::CouldNot,
            };
            return Ending::of(true, fail_on.fails(of_a_log));
        }
    };
    Ending::Status(match verdict {
        MachineVerdict::Clean => clean,
        MachineVerdict::Warning => warning,
        MachineVerdict::Failure => failure,
        MachineVerdict::Unknown => unknown,
    })
}

/// The kernel log of this boot.
fn own_log(patterns: &Patterns, messages: &mut Messages<'_>) -> LogAnswer {
    match log_of_machine(None, patterns, messages) {
        (_, Some((part, cut))) => {
            LogAnswer::Read { part: Box::new(part), cut, command: "sudo amdtriage".to_owned() }
        }
        (Err(failure), None) => LogAnswer::Unread(failure.to_string()),
        (Ok(_), None) => LogAnswer::Unread("no kernel message is in it".to_owned()),
    }
}

/// A log, and why it was not read to its end.
type ReadLog = (ReportPart, Option<String>);

/// The log of this machine, or the journal of the one below `root`.
fn log_of_machine(
    root: Option<&Path>,
    patterns: &Patterns,
    messages: &mut Messages<'_>,
) -> (Result<bool, Failure>, Option<ReadLog>) {
    let mut read = None;
    let done = sources::log_of_machine(root, messages, &mut |source, _| {
        // Saved crashes are of earlier boots.
        let may_be_it = root.is_none() || source.journal;
        let (part, failure) = part(source, patterns)?;
        let of_use = may_be_it && part.verdict() != Verdict::NoKernelLog;
        if of_use {
            read = Some((part, failure.map(|failure| failure.to_string())));
        }
        Ok(LogOutcome { of_use, cut: None })
    });
    (done, read)
}

/// Where the kernel log of the last boot may be below a root.
#[derive(Clone, Copy)]
enum SavedLog {
    File(&'static str),
    Journal,
}

/// These places, the best first: Debian writes /var/log/dmesg at the start of a boot.
const SAVED_LOGS: [SavedLog; 3] =
    [SavedLog::File(LOGS[0]), SavedLog::Journal, SavedLog::File(LOGS[1])];

/// The kernel log among the files of another machine.
fn saved_log(files: &mut Process, root: &Path, patterns: &Patterns) -> LogAnswer {
    let mut unread = Vec::new();
    for place in SAVED_LOGS {
        let read = match place {
            SavedLog::File(path) => log_file(files, root, path, patterns),
            SavedLog::Journal => saved_journal(root, patterns),
        };
        match read {
            Ok(Some(read)) => return read,
            Ok(None) => {}
            Err(why) => unread.push(why),
        }
    }
    if unread.is_empty() {
        let [saved, other] = LOGS;
        return LogAnswer::Elsewhere(format!("no {saved}, {other} or journal"));
    }
    LogAnswer::Unread(unread.join("; "))
}

/// The log in a file; `None` if there is no file.
fn log_file(
    files: &mut Process,
    root: &Path,
    path: &'static str,
    patterns: &Patterns,
) -> Result<Option<LogAnswer>, String> {
    let mut bytes = Vec::new();
    match copy(files, path, LOG_LIMIT, &mut bytes) {
        Ok(0) => return Err(format!("{path} is empty")),
        Ok(_) => {}
        Err(Stop::Unread(Refusal::Missing)) => return Ok(None),
        Err(Stop::Unread(why)) => return Err(format!("{path}: {why}")),
        Err(Stop::Unwritten(error)) => return Err(format!("{path}: {error}")),
    }
    let source = Source {
        name: path.to_owned(),
        archive: None,
        compression: None,
        journal: false,
        modified: None,
        reader: Box::new(Cursor::new(bytes)),
    };
    match part(source, patterns) {
        Ok((part, _)) if part.verdict() == Verdict::NoKernelLog => {
            Err(format!("no kernel message is in {path}"))
        }
        Ok((part, cut)) => {
            let cut = cut.map(|failure| failure.to_string());
            let command = command(root, Some(path.trim_start_matches('/')));
            Ok(Some(LogAnswer::Read { part: Box::new(part), cut, command }))
        }
        Err(failure) => Err(failure.to_string()),
    }
}

/// The journal of the last boot; `None` if there is no journal.
fn saved_journal(root: &Path, patterns: &Patterns) -> Result<Option<LogAnswer>, String> {
    match log_of_machine(Some(root), patterns, &mut Messages::new(&mut io::sink())) {
        (_, Some((part, cut))) => {
            let command = command(root, None);
            Ok(Some(LogAnswer::Read { part: Box::new(part), cut, command }))
        }
        (Err(Failure::NoJournalAt { .. }), None) => Ok(None),
        (Err(failure), None) => Err(failure.to_string()),
        (Ok(_), None) => Err("no kernel message is in the journal".to_owned()),
    }
}

/// The command for the report on a log below a root.
fn command(root: &Path, log: Option<&str>) -> String {
    match log {
        Some(log) => shell_words::join(["amdtriage", &root.join(log).display().to_string()]),
        None => shell_words::join(["amdtriage", "--root", &root.display().to_string()]),
    }
}

fn part(source: Source<'_>, patterns: &Patterns) -> Result<Understood, LogFailure> {
    let inputs = Inputs::default();
    let options = options(inputs.form.input_format, &source).0;
    understood(source, options, patterns)
}

/// Copies the dumps; returns false if one could not be copied.
fn save(
    host: &Host,
    files: &mut Process,
    folder: &Path,
    messages: &mut Messages<'_>,
) -> Result<bool, Failure> {
    let dumps = host.saved.dumps.as_deref().unwrap_or_default();
    let ours =
        |dump: &&Dump| host.gpus.iter().flatten().any(|gpu| Some(gpu.address) == dump.device);
    let dumps: Vec<&Dump> = dumps.iter().filter(ours).collect();
    if dumps.is_empty() {
        messages.say("no crash dump of an AMD GPU waits");
        return Ok(true);
    }
    let failed = |source| Failure::OutputFile { path: folder.to_owned(), source };
    output::make_folder(folder).map_err(failed)?;
    let mut complete = true;
    for dump in dumps {
        match save_one(dump, files, folder) {
            Ok((path, bytes)) => {
                messages.say(&format!(
                    "saved {bytes} bytes of {} as {}",
                    dump.name,
                    path.display()
                ));
            }
            Err(failure) => {
                complete = false;
                messages.tell(&failure);
            }
        }
    }
    Ok(complete)
}

fn save_one(dump: &Dump, files: &mut Process, folder: &Path) -> Result<(PathBuf, u64), Failure> {
    let path = free_name(dump, folder);
    let (mut bytes, mut unread) = (0, None);
    let target = Target::new(&path, &[])?.secret();
    let written = target.replace(|file| {
        match copy(files, &dump.data, DUMP_LIMIT, file) {
            Ok(count) => bytes = count,
            Err(Stop::Unread(why)) => {
                unread = Some(why);
                return Err(io::ErrorKind::Interrupted.into());
            }
            Err(Stop::Unwritten(error)) => return Err(error),
        }
        Ok(())
    });
    match unread {
        Some(why) => Err(Failure::Dump { path: dump.data.clone(), why }),
        None => written.map(|()| (path, bytes)),
    }
}

/// An unused name: an earlier dump of the same name is a different one.
fn free_name(dump: &Dump, folder: &Path) -> PathBuf {
    let device = dump.device.map(|device| device.to_string().replace(':', "-")).unwrap_or_default();
    output::free_name(|number| match number {
        0 => folder.join(format!("{}-{device}.devcoredump", dump.name)),
        number => folder.join(format!("{}-{device}-{number}.devcoredump", dump.name)),
    })
}

/// Why copying stopped.
pub(super) enum Stop {
    Unread(Refusal),
    Unwritten(io::Error),
}

/// Copies a file piece by piece, up to a limit.
pub(super) fn copy(
    files: &mut Process,
    path: &str,
    limit: u64,
    to: &mut dyn Write,
) -> Result<u64, Stop> {
    let mut offset = 0;
    while offset < limit {
        let question = Question::Read { path: path.to_owned(), offset, limit: PIECE };
        let bytes = match files.ask(&question) {
            Answer::Bytes(bytes) if bytes.is_empty() => break,
            Answer::Bytes(bytes) => bytes,
            Answer::Refused(why) => return Err(Stop::Unread(why)),
            _ => return Err(Stop::Unread(Refusal::Malformed)),
        };
        to.write_all(&bytes).map_err(Stop::Unwritten)?;
        offset += bytes.len() as u64;
    }
    Ok(offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_watcher_gets_its_own_numbers() {
        let all = [
            MachineVerdict::Clean,
            MachineVerdict::Warning,
            MachineVerdict::Failure,
            MachineVerdict::Unknown,
        ];
        for (exit, want) in [
            (ExitAs::Report, [0, 0, 1, 2]),
            (ExitAs::Nagios, [0, 1, 2, 3]),
            (ExitAs::Npd, [0, 0, 1, 2]),
        ] {
            let exit = (exit, FailOn::Failure);
            assert_eq!(all.map(|verdict| ending(exit, verdict, true).status()), want, "{exit:?}");
        }
        let on = |fail_on| (ExitAs::Report, fail_on);
        assert_eq!(ending(on(FailOn::Failure), MachineVerdict::Clean, false).status(), 2);
        for (fail_on, want) in [(FailOn::Warning, [0, 1, 1, 2]), (FailOn::Never, [0, 0, 0, 2])] {
            let status = |verdict| ending(on(fail_on), verdict, true).status();
            assert_eq!(all.map(status), want, "{fail_on:?}");
        }
    }
}
