//! `report`: creates the archive for a bug report: reads, redacts, verifies, and writes one file.

mod logs;
mod machine;
pub mod private;
mod tracker;

use std::io;
use std::path::PathBuf;

use super::args::{BundleArguments, FileArguments, Inputs, MachineArguments, ReportFormat};
use super::check::LOGS;
use super::failure::Failure;
use super::open_files::allow_many;
use super::output::{self, Target};
use super::streams::{Destination, Streams};
use super::{Ending, choice, patterns, settings, sources, system};
use crate::bundle::{Absent, FOLDER, Member, Mentioned, pack};
use crate::document::terminal;
use crate::document::untrusted::Untrusted;
use crate::input::{is_file_below, is_root};
use crate::pattern::Patterns;
use crate::pattern::tracker::Tracker;
use crate::redact::{Count, Options, Redactor};
use crate::report::bundle::{Made, manifest, preview};
use crate::report::redact::{excess, write_map};
use crate::report::ticket::{HostAnswers, QuotedLine, Ticket};
use crate::report::{Report, ReportPart, json, text};

use logs::{Clean, Collected, Kept};
use machine::Machine;

/// The suffix of an archive's name.
const ENDING: &str = ".tar.gz";
/// Maximum compressed size of the report in all formats and the list of files, in bytes.
const PAGES: u64 = 1 << 20;
/// Maximum number of events to list; the log contains the others.
const EVENTS: usize = 20_000;

/// Runs the command.
pub(super) fn run(
    arguments: &BundleArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    allow_many();
    let mut patterns = patterns::loaded(&arguments.inputs.more.patterns)?;
    system::assume(
        &mut patterns,
        arguments.distro.distro.as_ref(),
        &sources::machine(&arguments.inputs),
    );
    if let Some(name) = &arguments.tracker {
        tracker::named(&patterns, name)?;
    }
    let BundleArguments { inputs, output, map, .. } = arguments;
    let (target, map) = output::pair(output.as_deref(), map.as_deref(), &inputs.read())?;
    let mut redactor =
        Redactor::new(&patterns, Options { drop_process_names: arguments.drop_process_names });
    let messages = &mut streams.messages;
    messages.set_quiet(arguments.quiet);
    // Short-lived files first.
    let of_machine = sources::reads_machine(&arguments.inputs);
    let root = arguments.inputs.machine.root.as_deref();
    let mut machine =
        of_machine.then(|| Machine::read(root, &patterns, &mut redactor)).transpose()?;
    let mut wanted = arguments.certainty.choice(&arguments.part);
    let collected =
        match logs::collect(&arguments.inputs, &mut wanted, &patterns, &mut redactor, messages) {
            // Facts about the machine are useful without its log, too.
            Err(failure) if of_machine => match saved_log(&arguments.inputs) {
                Some(inputs) => {
                    logs::collect(&inputs, &mut wanted, &patterns, &mut redactor, messages)?
                }
                None => {
                    messages.tell(&failure);
                    Collected::default()
                }
            },
            collected => collected?,
        };
    let mut complete = collected.complete;
    let mut cleans = Vec::new();
    for raw in collected.logs {
        cleans.push(Clean::made(raw, &patterns, &mut redactor)?);
    }
    // An archive of which no log can be read helps nobody.
    if !of_machine
        && let [first, ..] = &*cleans
        && cleans.iter().all(Clean::is_no_log)
    {
        return Err(first.refused());
    }
    complete &= choice::narrow(&mut cleans, &wanted, messages)?;
    let owner = tracker::owner(cleans.iter().map(|clean| &clean.part));
    if let (Some(machine), Some(owner), None) = (&mut machine, owner, root) {
        machine.ask_of(owner, &patterns);
    }
    let given = MachineFiles {
        absent: machine.iter().flat_map(|one| one.absent(&patterns, &mut redactor)).collect(),
        answers: match &machine {
            Some(machine) => Some(machine.answers(&patterns, &mut redactor)?),
            None => None,
        },
        members: match &machine {
            Some(machine) => machine.members(&patterns, &mut redactor)?,
            None => Vec::new(),
        },
    };
    let bundle = Bundle::made(arguments.tracker.as_deref(), &patterns, cleans, given)?;
    let left = private::left(&redactor, &bundle.members).map_err(Failure::Spool)?;
    if !left.is_empty() {
        return Err(Failure::Unclean { left });
    }
    bundle.given(arguments, &patterns, &redactor, target, streams)?;
    if let Some(excess) = excess(&redactor.excess()) {
        streams.messages.say(&excess);
    }
    if let Some(map) = map.filter(|_| !arguments.dry_run) {
        map.replace(|file| write_map(&redactor.mapping(), file))?;
    }
    Ok(Ending::of(complete, false))
}

/// The log among the files of another machine, if it has no journal.
fn saved_log(inputs: &Inputs) -> Option<Inputs> {
    let root = inputs.machine.root.as_ref()?;
    let mut logs = LOGS.iter().map(|log| PathBuf::from(log.trim_start_matches('/')));
    let log = logs.find(|log| is_file_below(root, log))?;
    let machine = MachineArguments { root: Some(root.clone()), ..MachineArguments::default() };
    Some(Inputs { files: vec![log], machine, more: inputs.more.clone(), ..Inputs::default() })
}

/// The redacted files of a machine.
struct MachineFiles {
    answers: Option<HostAnswers>,
    members: Vec<Member>,
    absent: Vec<Absent>,
}

/// The contents of an archive.
struct Bundle<'p> {
    tracker: &'p Tracker,
    because: String,
    members: Vec<Member>,
    absent: Vec<Absent>,
    /// The page, reduced to the tracker's limit.
    page: Vec<u8>,
    title: String,
    /// The fingerprint of the reported failure.
    fingerprint: Option<String>,
    /// The time of the end of the log, in seconds since 1970.
    modified: u64,
}

impl<'p> Bundle<'p> {
    fn made(
        said: Option<&str>,
        patterns: &'p Patterns,
        cleans: Vec<Clean>,
        given: MachineFiles,
    ) -> Result<Self, Failure> {
        let subject = tracker::subject(cleans.iter().map(|clean| &clean.part));
        let several = cleans.len() > 1;
        let limit = (logs::LIMIT / cleans.len().max(1) as u64).max(logs::LEAST);
        let mut logs: Vec<Kept> = Vec::new();
        for (number, clean) in (1..).zip(cleans) {
            let number = if several { format!("-{number}") } else { String::new() };
            logs.push(clean.kept(&format!("kernel{number}.log.gz"), limit, patterns)?);
        }
        let mut absent = absent(&logs, given.answers.is_none());
        absent.extend(given.absent);
        let mentioned =
            logs.iter().map(|log| log.mentioned.clone()).fold(Mentioned::default(), Mentioned::or);
        let place = subject.as_ref().map_or(logs.len().saturating_sub(1), |subject| subject.log);
        let log = logs.get(place);
        let at = subject.zip(log).and_then(|(subject, log)| subject.within(&log.part));
        let lines: Vec<QuotedLine> = match (log, at) {
            (Some(log), Some(at)) => log.lines(at).map_err(Failure::Spool)?,
            _ => Vec::new(),
        };
        let (mut members, parts): (Vec<Member>, Vec<ReportPart>) =
            logs.into_iter().map(|log| (log.member, log.part)).unzip();
        members.extend(given.members);
        let modified = parts.iter().filter_map(logs::ended).max().unwrap_or(0);
        let report = Report { patterns: patterns.digest.clone(), parts, unread: Vec::new() };
        let part = report.parts.get(place);
        let finding = part.zip(at).and_then(|(part, at)| part.conclusions.findings.get(at));
        let (tracker, because) = tracker::chosen(said, finding, patterns)?;
        fit(&mut members, &mut absent, tracker.attachment_mib << 20).map_err(Failure::Output)?;
        let ticket = Ticket {
            tracker,
            because: &because,
            part,
            finding: at,
            lines: &lines,
            mentioned: &mentioned,
            host: given.answers.as_ref(),
            files: &members,
            absent: &absent,
        };
        let title = ticket.title();
        let fingerprint = finding.map(|finding| finding.fingerprint.clone());
        let (mut whole, mut page) = (Vec::new(), Vec::new());
        ticket.write(None, &mut whole).map_err(Failure::Output)?;
        ticket.write(Some(tracker.characters), &mut page).map_err(Failure::Output)?;
        let pages = pages(&report, whole).map_err(Failure::Output)?;
        members.splice(0..0, pages);
        Ok(Self { tracker, because, members, absent, page, title, fingerprint, modified })
    }

    /// Outputs what the arguments request.
    fn given(
        mut self,
        arguments: &BundleArguments,
        patterns: &Patterns,
        redactor: &Redactor,
        target: Option<Target<'_>>,
        streams: &mut Streams<'_>,
    ) -> Result<(), Failure> {
        let counts = redactor.counts();
        let nowhere = FileArguments::default();
        let to = Destination::of(&nowhere, arguments.page, ReportFormat::Markdown, &[])?;
        if arguments.stdout {
            return streams.write_to(to, |out| out.write_all(&self.page));
        }
        let mut written = None;
        if !arguments.dry_run {
            let listed = manifest(&self.summary(patterns, &counts));
            self.members.push(Member {
                name: "MANIFEST".to_owned(),
                what: "all files with checksum and origin".to_owned(),
                origin: "made of the other files".to_owned(),
                content: listed.into_bytes(),
                is_page: true,
            });
            let name = format!("{FOLDER}{}", self.fingerprint.as_deref().unwrap_or("report"));
            let bytes = pack(&name, &self.members, self.modified).map_err(Failure::Output)?;
            let free = free_name(&name);
            let (target, path) = match (target, &arguments.output) {
                (Some(target), Some(path)) => (target, path.clone()),
                _ => (Target::new(&free, &arguments.inputs.read())?, free.clone()),
            };
            target.secret().replace(|file| file.write_all(&bytes))?;
            written = Some((path, bytes.len() as u64));
        }
        let written = written.as_ref().map(|(path, bytes)| (path.as_path(), *bytes));
        if let (true, Some((path, _))) = (arguments.quiet, written) {
            let name = path.display().to_string();
            return streams.write_to(to.unpaged(), |out| writeln!(out, "{}", Untrusted(&name)));
        }
        let document = preview(&self.summary(patterns, &counts), written);
        let look = settings::look(arguments.page.color);
        streams.write_to(to, |out| terminal::write(&document, look, out))
    }

    fn summary<'m>(&'m self, patterns: &'m Patterns, counts: &'m [Count]) -> Made<'m> {
        Made {
            tracker: self.tracker,
            because: &self.because,
            title: &self.title,
            members: &self.members,
            absent: &self.absent,
            counts,
            patterns: &patterns.digest,
        }
    }
}

/// Leaves out coredumps if the archive would exceed the tracker's limit: they can be sent
/// separately.
fn fit(members: &mut Vec<Member>, absent: &mut Vec<Absent>, limit: u64) -> io::Result<()> {
    let bytes = pack("bundle", members, 0)?.len() as u64;
    let is_dump = |member: &Member| member.name.starts_with(machine::DUMP);
    if bytes + PAGES <= limit || !members.iter().any(is_dump) {
        return Ok(());
    }
    members.retain(|member| !is_dump(member));
    absent.push(Absent {
        what: "the crash dump that waits".to_owned(),
        why: format!("with it the archive would have {} MB", bytes / 1_000_000),
        help: Some("save it with sudo amdtriage check --save-coredumps DIR".to_owned()),
        minor: false,
    });
    Ok(())
}

/// What is missing from a bundle without logs, or with only logs.
fn absent(logs: &[Kept], of_logs_alone: bool) -> Vec<Absent> {
    let none = logs.is_empty().then(|| Absent {
        what: "the kernel's log".to_owned(),
        why: "none could be read".to_owned(),
        help: (!is_root()).then(|| "run it with sudo".to_owned()),
        minor: false,
    });
    let alone = of_logs_alone.then(|| Absent {
        what: "facts about this machine (packages, firmware files, settings, displays)".to_owned(),
        why: "the report was made from saved logs".to_owned(),
        help: Some("amdtriage report without a file, on the machine itself, has it".to_owned()),
        minor: false,
    });
    none.into_iter().chain(alone).collect()
}

/// The report in its three formats.
fn pages(report: &Report, page: Vec<u8>) -> io::Result<[Member; 3]> {
    let (mut object, mut browser) = (Vec::new(), Vec::new());
    // Parts that are not shown are not included.
    let events: usize = report.parts.iter().map(|part| part.log.events.len()).sum();
    let include = json::Include { events: events <= EVENTS, unknown: true };
    json::write(report, include, &mut object)?;
    text::write_html(report, &mut browser)?;
    let member = |name: &str, what: &str, content| Member {
        name: name.to_owned(),
        what: what.to_owned(),
        origin: "made of the other files in this archive".to_owned(),
        content,
        is_page: true,
    };
    Ok([
        member("report.md", "the report, to be pasted into the tracker", page),
        member("report.html", "the diagnosis, for a browser", browser),
        member(
            "amdtriage.json",
            if events <= EVENTS {
                "the same with every event, for programs"
            } else {
                "the same, for programs"
            },
            object,
        ),
    ])
}

/// An unused name, so that earlier reports are kept.
fn free_name(name: &str) -> PathBuf {
    output::free_name(|number| match number {
        0 => PathBuf::from(format!("{name}{ENDING}")),
        number => PathBuf::from(format!("{name}-{number}{ENDING}")),
    })
}
