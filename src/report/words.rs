//! Wording of a report: outcomes, roles, trackers.

use super::ReportPart;
use super::state::ending;
use crate::diagnosis::action::ActionStatus;
use crate::diagnosis::verdict::Verdict;
use crate::diagnosis::{Finding, Notice};
use crate::document::Tone;
use crate::document::counts::{any, joined, several};
use crate::event::Observed;
use crate::event::device::{ChipEvidence, Device};
use crate::event::log::{Boot, Log};
use crate::event::sighting::{Sighting, Uncovered};
use crate::kind::Kind;
use crate::pattern::advice::Trust;
use crate::pattern::signature::{Role, Severity};
use crate::value::{DeviceKind, Level, Named};

/// The failure in a sentence.
pub(super) fn title(finding: &Finding) -> &str {
    let nameless = match finding.unsure {
        0 => "Something failed that no signature explains",
        _ => "Something failed, and no diagnosis is as certain as requested",
    };
    finding.diagnoses.first().map_or(nameless, |head| &head.title)
}

/// One sentence: the GPU, the failure, and the outcome.
pub(super) fn headline(finding: &Finding, log: &Log) -> String {
    let gpu = finding.incident.device.map(|device| format!("GPU {device}: ")).unwrap_or_default();
    let title = title(finding).trim_end_matches('.');
    let ending = if finding.is_only_told_by_programs(log) {
        "Only a program reports it."
    } else {
        ending(finding.class(log), finding.incident.outcome, finding.aftermath)
    };
    format!("{gpu}{title}. {ending}")
}

/// The tone for a severity.
pub(super) const fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Critical | Severity::Error => Tone::Bad,
        Severity::Warning => Tone::Warn,
        Severity::Info => Tone::Quiet,
    }
}

/// A GPU in a few words: `Radeon RX 7900 XTX (gfx1100) at 0c:00.0`.
pub(super) fn short_gpu(device: &Device) -> String {
    let target = device.target.map(|target| target.to_string());
    let target = target.or_else(|| Some(device.generation?.to_string()));
    // Names of several products that share an id are too long.
    let name = device.called().filter(|name| !name.contains('/'));
    let name = name.or_else(|| device.asic.clone());
    let what = match (name, target) {
        (Some(name), Some(target)) => format!("{name} ({target})"),
        (Some(name), None) => name,
        (None, Some(target)) => format!("{target} GPU"),
        (None, None) => "GPU".to_owned(),
    };
    let at = device.address.map(|address| {
        let address = address.to_string();
        format!(" at {}", address.strip_prefix("0000:").unwrap_or(&address))
    });
    format!("{what}{}", at.unwrap_or_default())
}

/// Refers to the actions of another incident.
pub(super) fn same_as_after(number: usize) -> String {
    format!("The same as for incident {number}.")
}

/// The problem if nothing failed, and the number of others.
fn problem(part: &ReportPart, worst: &Notice) -> String {
    let gpu = worst.device.map(|device| format!("GPU {device}: ")).unwrap_or_default();
    let title = worst.diagnosis.title.trim_end_matches('.');
    let more = more_problems(part).map(|more| format!(" {more}")).unwrap_or_default();
    // Lines of a driver that is not judged may show one.
    let is_open = worst.diagnosis.leaves_open() || uncovered(&part.log).is_some();
    let reassurance = if is_open { "" } else { " This log shows no GPU failure." };
    format!("{gpu}{title}.{reassurance}{more}")
}

/// The number of problems besides the worst.
fn more_problems(part: &ReportPart) -> Option<String> {
    match part.conclusions.problems().count() {
        0 | 1 => None,
        2 => Some("There is one more problem.".to_owned()),
        count => Some(format!("There are {} more problems.", count - 1)),
    }
}

/// What is said besides the worst problem.
pub(super) fn beside_the_problem(part: &ReportPart) -> Option<String> {
    let log = &part.log;
    let windows = "The log is from Windows: commands of Linux are left out.";
    let windows = log.is_of_windows().then(|| windows.to_owned());
    let errors = [not_understood(log), cut_off(log), unused(part), complaints(log)];
    let all = [more_problems(part), of_source(log)].into_iter().chain(errors);
    let all = all.chain([uncovered(log), windows]);
    any(all.flatten(), " ")
}

/// The result for a log without an incident.
pub(super) fn quiet(part: &ReportPart) -> String {
    let log = &part.log;
    // Where only programs report, it is the result.
    let beside = complaints(log).filter(|_| !is_only_complaint(log));
    let errors = [not_understood(log), cut_off(log), open(part), unused(part), beside];
    let others = [uncovered(log), of_others(log), sighted(part)];
    let remarks = [of_source(log)].into_iter().chain(errors).chain(others);
    joined([nothing_failed(part)].into_iter().chain(remarks.flatten()), " ")
}

fn nothing_failed(part: &ReportPart) -> String {
    let log = &part.log;
    if let Some(worst) = part.conclusions.worst_problem() {
        return problem(part, worst);
    }
    match part.verdict() {
        Verdict::NoKernelLog if log.sightings.first.is_some() => {
            "This input has no complete message of the kernel or of a GPU program that amdtriage knows."
                .to_owned()
        }
        Verdict::NoKernelLog => {
            "This input has no message of the kernel or of a GPU program that amdtriage knows."
                .to_owned()
        }
        Verdict::Incomplete if log.unattributed > 0 => format!(
            "No failure in what could be read; {} lines name amdgpu and a GPU and could not be read.",
            log.unattributed
        ),
        Verdict::Incomplete if log.is_whole() && is_of_programs(log) => by_programs(log),
        Verdict::Incomplete if log.is_whole() => {
            format!("{} read{}.", several(log.reading.records, "record"), of_the_driver(log))
        }
        Verdict::Incomplete => format!(
            "No failure in what was read, but the input was not read to its end: {} records{}.",
            log.reading.records,
            of_the_driver(log)
        ),
        _ if part.conclusions.left_out > 0 => format!(
            "The selection cannot be judged: this log has {} more incidents than are diagnosed. Cut the log down \
             to the time you want.",
            part.conclusions.left_out
        ),
        _ if part.left_out.is_some() => format!(
            "No GPU failure found in the selection. The whole log has {} records{}{}.",
            log.reading.records,
            of_the_driver(log),
            match part.left_out.map_or(0, |left_out| left_out.incidents) {
                0 => String::new(),
                1 => "; 1 incident is not selected".to_owned(),
                count => format!("; {count} incidents are not selected"),
            }
        ),
        _ if is_of_programs(log) => by_programs(log),
        _ if log.has_no_gpu() && log.is_of_a_freebsd_driver() => format!(
            "No GPU failure found: {} read, of amdgpu or radeon (FreeBSD's lines do not say which).",
            several(log.reading.records, "record"),
        ),
        _ if log.has_no_gpu() && log.is_of_an_unnamed_driver() => format!(
            "No GPU failure found: {} read; some are of a graphics driver, but do not say which one.",
            several(log.reading.records, "record"),
        ),
        _ if log.has_no_gpu() => format!(
            "No failure found, and no AMD GPU in this log: {} read, {} of them from the kernel.",
            several(log.reading.records, "record"),
            log.reading.kernel_records
        ),
        _ => format!(
            "No GPU failure found: {} read{}.",
            several(log.reading.records, "record"),
            of_the_driver(log)
        ),
    }
}

/// Maximum number of errors to explain that no diagnosis rests on.
const EXPLAINED: usize = 2;

/// The number of lines that begin with the driver's name. Where none does, the log can have lines
/// of it under the name of the DRM core.
fn of_the_driver(log: &Log) -> String {
    match log.driver_records {
        0 if log.events.is_empty() && log.devices.iter().all(|device| device.is_only_listed) => {
            ", none of them from amdgpu".to_owned()
        }
        0 => String::new(),
        count => format!(", at least {count} of them from amdgpu"),
    }
}

/// Reports that the kernel names the driver's source or module, although the driver itself printed
/// nothing.
fn of_source(log: &Log) -> Option<String> {
    let lines = match log.source_records {
        0 => return None,
        1 => "1 line of the kernel names amdgpu's code".to_owned(),
        count => format!("{count} lines of the kernel name amdgpu's code"),
    };
    (log.driver_records == 0).then(|| format!("{lines}."))
}

/// The titles of notices because of which the log is not judged; `None` if there are none.
fn open(part: &ReportPart) -> Option<String> {
    let each = part.conclusions.unjudged().map(|notice| {
        let first = notice.diagnosis.proof.first().and_then(|at| part.log.events.get(*at));
        let line = first.map(|seen| format!("Line {}: ", seen.line())).unwrap_or_default();
        format!("{line}{}.", notice.diagnosis.title)
    });
    any(each, " ")
}

/// The number of the driver's error lines without a known message; `None` if there are none.
fn not_understood(log: &Log) -> Option<String> {
    match log.unknown.errors() {
        0 => None,
        1 => Some("1 error line of the driver is not understood.".to_owned()),
        count => Some(format!("{count} error lines of the driver are not understood.")),
    }
}

/// The line with which the kernel's lines end, if it may be an error of the driver.
fn cut_off(log: &Log) -> Option<String> {
    // One that is counted as an error is not mentioned twice.
    let line = log.cut_off.as_ref().filter(|cut| !cut.is_error)?.line;
    Some(format!("The last line of the kernel, line {line}, may be an error whose end is missing."))
}

/// What the driver's error lines report that no conclusion rests on: the meaning of the first
/// messages, and the number of other lines; `None` if there are none.
pub(super) fn unused(part: &ReportPart) -> Option<String> {
    let mut messages: Vec<(&Observed, usize)> = Vec::new();
    for seen in part.log.at(&part.conclusions.unused_errors) {
        match messages.iter_mut().find(|(first, _)| first.message == seen.message) {
            Some((_, times)) => *times += 1,
            None => messages.push((seen, 1)),
        }
    }
    let all: usize = messages.iter().map(|(_, times)| times).sum();
    messages.retain(|(seen, _)| !seen.means().is_empty());
    messages.truncate(EXPLAINED);
    let explained: usize = messages.iter().map(|(_, times)| times).sum();
    let each = messages.into_iter().map(|(seen, times)| reported(seen, times));
    let others = match (all - explained, explained) {
        (0, _) => None,
        (1, 0) => Some("1 error line of the driver fits no known failure.".to_owned()),
        (count, 0) => Some(format!("{count} error lines of the driver fit no known failure.")),
        (1, _) => Some("1 more error line of the driver fits no known failure.".to_owned()),
        (count, _) => Some(format!("{count} more error lines of the driver fit no known failure.")),
    };
    any(each.chain(others), " ")
}

/// The meaning of an error that no diagnosis explains, with the number of such lines.
fn reported(seen: &Observed, times: usize) -> String {
    let line = seen.line();
    let lines = match times {
        1 => format!("line {line}"),
        times => format!("line {line}, {times} times"),
    };
    format!("The driver reports an error ({lines}): {}.", seen.means().trim_end_matches('.'))
}

/// The lines of programs that report a failure that is not known; `None` if there are none.
fn complaints(log: &Log) -> Option<String> {
    let first = log.complaints.first.first()?.line;
    // Skimmed lines are not searched for them.
    let least = if log.reading.skimmed > 0 { "at least " } else { "" };
    Some(match log.complaints.count {
        1 => format!("A program reports a failure that amdtriage does not know (line {first})."),
        count => format!(
            "Programs report failures that amdtriage does not know ({least}{count} lines, the first is line {first})."
        ),
    })
}

/// Whether nothing is reported but failures of programs that are not known.
fn is_only_complaint(log: &Log) -> bool {
    log.complaints.count > 0 && !log.has_kernel_messages() && log.of_any_vendor().is_none()
}

/// The number of lines from drivers of AMD GPUs that are not supported; `None` if there are none.
pub(super) fn uncovered(log: &Log) -> Option<String> {
    let each = log.sightings.uncovered.iter().map(
        |Uncovered { driver, is, lines, errors: _, first_error: _ }| {
            let lines = match lines {
                1 => "1 line is".to_owned(),
                count => format!("{count} lines are"),
            };
            format!("{lines} of {driver}, {is}: its failures are not recognized here.")
        },
    );
    any(each, " ")
}

/// Mentions the drivers of other GPUs, whose failures are not recognised.
fn of_others(log: &Log) -> Option<String> {
    let said = "Lines of another GPU's driver are in this log; they are not judged.";
    is_beside_others(log).then(|| said.to_owned())
}

/// Whether lines of the driver of another vendor's GPU are in a log. Drivers of AMD GPUs that are
/// not in the catalogue are said to be that.
fn is_beside_others(log: &Log) -> bool {
    log.has_other_drivers && log.sightings.uncovered.is_empty()
}

/// What programs report, of no GPU in particular, in a log without lines of the kernel.
fn by_programs(log: &Log) -> String {
    let by_a_tool = |seen: &Observed| {
        matches!(seen.event.kind(), Kind::KfdUnavailable | Kind::ManagementFailed)
    };
    let reported = match log.of_any_vendor() {
        None if is_only_complaint(log) => complaints(log).unwrap_or_default(),
        None => match log.events.iter().find(|seen| is_failure_of_a_program(seen)) {
            Some(seen) => format!("{} (line {}).", seen.means(), seen.begins),
            None => "No failure in these lines of programs.".to_owned(),
        },
        Some(seen) if by_a_tool(seen) => {
            format!("AMD's tools print line {} on machines without an AMD GPU, too.", seen.begins)
        }
        Some(seen) => {
            format!("Line {} reports a failure that GPUs of any vendor can have.", seen.begins)
        }
    };
    format!("{reported} What the GPU did is in the kernel's log, of which no line is here.")
}

/// Whether no line is of the kernel: its core names the driver's code in lines without a time, too.
const fn is_of_programs(log: &Log) -> bool {
    !log.has_kernel_messages() && log.source_records == 0
}

/// Whether a program reports a failure of its own with it.
fn is_failure_of_a_program(seen: &Observed) -> bool {
    seen.is_stated_by_a_program()
        && seen.level.is_some_and(|level| level <= Level::Error)
        && seen.event.class().is_some()
        && !seen.means().is_empty()
}

/// The line that names an AMD GPU, if nothing else shows one.
fn sighted(part: &ReportPart) -> Option<String> {
    let log = &part.log;
    let Sighting { line, word } = log.sightings.first.as_ref()?;
    let is_alone = log.has_no_driver()
        && log.sightings.uncovered.is_empty()
        && part.conclusions.worst_problem().is_none();
    is_alone.then(|| format!("Line {line} mentions {}: this may be about an AMD GPU.", Named(word)))
}

/// The number of incidents.
pub(super) fn counted(part: &ReportPart) -> String {
    let (shown, beyond) = (part.conclusions.findings.len(), part.conclusions.left_out);
    match (part.left_out.map_or(0, |left_out| left_out.incidents), beyond) {
        (0, 0) => format!("{shown} incidents"),
        (0, beyond) => format!("{} incidents ({shown} of them diagnosed)", shown + beyond),
        (hidden, beyond) => format!("{shown} of {} incidents", shown + hidden + beyond),
    }
}

/// Maximum number of possible targets to list.
const NAMED_TARGETS: usize = 3;

/// A GPU.
pub(super) fn gpu(device: &Device) -> String {
    gpu_among(&[], device)
}

/// One of the GPUs of a log.
pub(super) fn gpu_among(all: &[Device], device: &Device) -> String {
    let address = device.address.map(|address| address.to_string());
    let name = device.called();
    let proof = match device.evidence {
        Some(ChipEvidence::ProductName | ChipEvidence::Target) => {
            Some("as a program names it".to_owned())
        }
        _ => None,
    };
    let part = device.virtual_function.then(|| "a part of a GPU (virtual function)".to_owned());
    let asic = device.asic.clone();
    let pieces = [address, name, asic, Some(target(all, device)), proof, part, memory(device)];
    joined(pieces.into_iter().flatten(), ", ")
}

/// The gfx target, or what is known about it.
fn target(all: &[Device], device: &Device) -> String {
    if let Some(target) = device.target {
        return target.to_string();
    }
    let candidates = &device.candidates;
    match device.generation {
        Some(_) if (1..=NAMED_TARGETS).contains(&candidates.len()) => {
            format!("{} (the log does not show which)", joined(candidates, " or "))
        }
        Some(generation) => format!("{generation} generation (the log does not name the chip)"),
        // Lines that name a chip and no address, in what may be an excerpt of the same boot.
        None if all.iter().any(|other| other.target.is_some()) => {
            "chip not named with this address".to_owned()
        }
        None => "chip not named in this log".to_owned(),
    }
}

/// The size and type of video memory.
fn memory(device: &Device) -> Option<String> {
    let mib = device.vram_mib?;
    let size =
        if mib < 1024 { format!("{mib} MiB") } else { format!("{} GiB", (mib + 512) / 1024) };
    let kind = device.memory.as_deref().map(|kind| format!(" {}", Named(kind)));
    let kind = kind.unwrap_or_default();
    Some(match device.kind {
        Some(DeviceKind::Apu) => format!("{size} of system memory set aside"),
        _ => format!("{size}{kind}"),
    })
}

/// The driver, if the log shows more than the kernel's release.
pub(super) fn driver(boot: &Boot) -> Option<String> {
    let interface =
        boot.interface.map(|[major, minor, patch]| format!("amdgpu {major}.{minor}.{patch}"));
    let package = boot.package.as_ref().map(|package| match &package.version {
        Some(version) => {
            format!("not the kernel's own but a package (DKMS), version {}", Named(version))
        }
        None => "not the kernel's own but a package (DKMS)".to_owned(),
    });
    any([interface, package].into_iter().flatten(), ", ")
}

/// The firmware versions that the log has.
pub(super) fn firmware(device: &Device) -> Option<String> {
    let known = device.firmware.iter().map(|(block, version)| match block.as_str() {
        "smu" => format!("SMU {}", dotted(version)),
        block => format!("{} {}", Named(&block.to_uppercase()), Named(version)),
    });
    any(known, ", ")
}

/// A firmware version in the driver's dotted notation: 0x004e7300 is 78.115.0.
pub(super) fn dotted(version: &str) -> String {
    let value = version.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    value.map_or_else(
        || Named(version).to_string(),
        |value| format!("{}.{}.{}", (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff),
    )
}

pub(super) const fn role_word(role: Role) -> &'static str {
    match role {
        Role::RootCause => "cause",
        Role::Mechanism => "mechanism",
        Role::Consequence => "effect",
        Role::Context => "note",
    }
}

/// The explanation of an incident without a diagnosis.
pub(super) const fn unexplained(finding: &Finding) -> &'static str {
    match finding.unsure {
        0 => UNEXPLAINED,
        _ => "All diagnoses of these lines are less certain than requested.",
    }
}

const UNEXPLAINED: &str = "No known failure fits these lines. They are real messages of the \
     driver, but amdtriage does not know what they mean together.";

/// The remark about advice that is in effect already.
pub(super) const fn standing(standing: ActionStatus) -> &'static str {
    match standing {
        ActionStatus::Suggested => "",
        ActionStatus::AlreadyActive => " (in force already, by this log)",
        ActionStatus::NoEffect => " (set already, and without effect)",
    }
}

pub(super) const fn trust(trust: Trust) -> &'static str {
    match trust {
        Trust::A => "documented",
        Trust::B => "reported by users",
        Trust::C => "one report",
    }
}

/// The state of a log in a few words.
pub(super) const fn verdict_state(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Failure => "Failure found",
        Verdict::Warning => "Problem found",
        Verdict::Clean => "No GPU failure found",
        Verdict::Incomplete => "Not all could be read",
        Verdict::NoKernelLog => "No kernel log",
    }
}

/// The verdict on an input in a few words.
pub(super) fn state_of(part: &ReportPart) -> &'static str {
    match part.verdict() {
        Verdict::Incomplete if part.log.is_whole() => "Not judged",
        // The failure may be of the other GPU.
        Verdict::Clean if is_beside_others(&part.log) => "No AMD GPU failure found",
        verdict => verdict_state(verdict),
    }
}

/// The tone for a verdict.
pub(super) const fn verdict_tone(verdict: Verdict) -> Tone {
    match verdict {
        Verdict::Failure => Tone::Bad,
        Verdict::Clean => Tone::Good,
        Verdict::Warning | Verdict::Incomplete | Verdict::NoKernelLog => Tone::Warn,
    }
}

/// The tone for a role.
pub(super) const fn role_tone(role: Role) -> Tone {
    match role {
        Role::RootCause => Tone::Bad,
        Role::Mechanism => Tone::Warn,
        Role::Consequence => Tone::Cool,
        Role::Context => Tone::Quiet,
    }
}
