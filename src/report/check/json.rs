//! How a machine is, as one JSON document: `null` for what is unknown.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;

use super::{Checkup, LogAnswer};
use crate::diagnosis::verdict::Verdict;
use crate::health::{Finding, MachineVerdict, NotJudged};
use crate::host::{Gpu, Host, Journal, Link, Rate, Runtime, Setting, Task, Tie, Unread};
use crate::pattern::hardware::Chip;
use crate::pattern::signature::Severity;
use crate::report::json::{ActionObject, SCHEMA_VERSION, Tool, action, whole};
use crate::report::word::Word;
use crate::value::{GfxTarget, PciAddress, PciId};

/// Writes the document.
///
/// # Errors
/// What the writer returns.
pub fn write(checkup: &Checkup<'_>, out: &mut impl io::Write) -> io::Result<()> {
    whole(&document(checkup), out)
}

/// How a machine is: what is wrong, what it has, and what could not be judged.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Check"))]
pub(in crate::report) struct CheckDocument<'c> {
    /// Rises only with a change that breaks programs.
    #[cfg_attr(test, schemars(extend("const" = SCHEMA_VERSION)))]
    schema_version: u32,
    /// What wrote it.
    tool: Tool<'c>,
    /// The answer in one word.
    verdict: Word<MachineVerdict>,
    /// The answer in a sentence.
    answer: String,
    /// The machine.
    host: HostObject<'c>,
    /// Its GPUs of AMD; null where they could not be read.
    gpus: Option<Vec<GpuObject<'c>>>,
    /// Its tasks; null where they could not be read.
    tasks: Option<TasksObject<'c>>,
    /// What was found, the worst first.
    findings: Vec<MachineFindingObject<'c>>,
    /// What the kernel's log of this boot says; null where it was not read.
    log: Option<LogObject>,
    /// What could not be judged.
    not_judged: Vec<NotJudgedObject>,
    /// Paths whose reading did not end, and those that were not tried for that reason.
    unread: Vec<UnreadObject<'c>>,
}

/// A machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HostObject<'c> {
    /// The kernel's release.
    kernel: Option<&'c str>,
    /// What the distribution calls itself.
    distribution: Option<&'c str>,
    /// The bits of the kernel's taint.
    tainted: Option<u64>,
    /// What the boot loader told the kernel.
    command_line: Option<&'c str>,
    /// How many tasks the kernel found sleeping for minutes since it started.
    hung_tasks: Option<u64>,
    /// The driver.
    driver: DriverObject<'c>,
    /// What becomes of the log.
    journal: Option<Word<Journal>>,
    /// Device coredumps that wait, of any device.
    coredumps: Option<Vec<CoredumpObject<'c>>>,
    /// Folders with crash records of earlier boots.
    crash_records: Vec<CrashRecordsObject<'c>>,
}

/// The amdgpu module.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DriverObject<'c> {
    /// Whether it is loaded.
    loaded: Option<bool>,
    /// Its version, which AMD's package has and the kernel's own driver has not.
    version: Option<&'c str>,
    /// The letters of its taint.
    taint: Option<&'c str>,
    /// The values in force; null for those that could not be read.
    parameters: BTreeMap<&'c str, Option<&'c str>>,
    /// What somebody set, in the order in which it is applied.
    settings: Vec<SettingObject<'c>>,
    /// The versions of AMD's package that DKMS has.
    dkms: Option<&'c [String]>,
    /// A module for this kernel that was not built with it.
    built: Option<&'c str>,
}

/// A parameter as somebody set it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SettingObject<'c> {
    /// Its name, without `amdgpu.`.
    name: &'c str,
    /// Its value; null where it is only named.
    value: Option<&'c str>,
    /// Where: a file with its line, or `/proc/cmdline`.
    place: String,
}

/// A crash dump that waits.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CoredumpObject<'c> {
    /// The file that holds it.
    path: &'c str,
    /// The PCI function that it is of; null for another device.
    device: Option<PciAddress>,
}

/// Crash records that wait.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CrashRecordsObject<'c> {
    /// Where.
    folder: &'c str,
    /// How many files are there.
    files: usize,
}

/// A GPU.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct GpuObject<'c> {
    /// Where it sits.
    pci_address: PciAddress,
    /// What it is.
    pci_id: PciId,
    /// The board, as its maker numbers it.
    board: Option<PciId>,
    /// The silicon's public name.
    asic: Option<&'c str>,
    /// What it is sold as.
    name: Option<String>,
    /// Its instruction set.
    gfx_target: Option<GfxTarget>,
    /// The driver that it is bound to; null for none, and where that is unknown.
    driver: Option<&'c str>,
    /// Whether the machine's firmware showed its picture on it.
    boot_display: Option<bool>,
    /// Whether it is powered.
    runtime: Option<Word<Runtime>>,
    /// Its power state on the bus.
    power_state: Option<&'c str>,
    /// Whether it answers on the bus; null where it is powered off and was not asked.
    answers: Option<bool>,
    /// The link between the card and the machine.
    link: Option<LinkObject>,
    /// How it can be reset as a PCI function.
    reset_methods: Option<&'c [String]>,
    /// What the driver can reset, by block.
    resets: &'c BTreeMap<String, String>,
    /// Its video memory in bytes.
    vram_bytes: Option<u64>,
    /// The name of its own firmware in flash.
    vbios: Option<&'c str>,
    /// The versions of the firmware that the driver loaded, by block, in hexadecimal.
    firmware: Option<BTreeMap<&'c str, String>>,
}

/// The link of a card.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LinkObject {
    /// Its lower end: the card's own switch, or the GPU.
    port: PciAddress,
    /// Its upper end.
    slot: Option<PciAddress>,
    /// What it does now.
    now: RateObject,
    /// What the lower end can do.
    port_max: RateObject,
    /// What the upper end can do.
    slot_max: Option<RateObject>,
}

/// Width and speed of a link.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RateObject {
    /// Lanes.
    width: u32,
    /// Million transfers a second on each lane.
    speed_mt_s: u32,
}

/// The tasks.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TasksObject<'c> {
    /// How many there are, threads counted.
    seen: usize,
    /// Those in state D whenever they were looked at.
    waiting: Vec<TaskObject<'c>>,
}

/// A task in state D.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskObject<'c> {
    /// Its number.
    id: u32,
    /// The process that it is a thread of.
    process: u32,
    /// Its name.
    name: &'c str,
    /// The function that it waits in; null where that was not told.
    wait_channel: Option<&'c str>,
    /// Its kernel stack, innermost function first; null where it could not be read.
    stack: Option<Vec<&'c str>>,
    /// What ties it to an AMD GPU; null where nothing does that could be read.
    tie: Option<Word<Tie>>,
    /// How long it was seen to wait, in milliseconds; 0 where it was looked at once.
    watched_ms: u64,
}

/// Something that is wrong, or worth knowing.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MachineFindingObject<'c> {
    /// Its stable name.
    id: &'c str,
    /// How bad it is.
    severity: Word<Severity>,
    /// The GPU that it is about; null where it is about none, or about several.
    device: Option<PciAddress>,
    /// What it is called.
    title: &'c str,
    /// What was found.
    summary: &'c str,
    /// What proves it.
    evidence: Vec<FactObject<'c>>,
    /// What to do.
    actions: Vec<ActionObject<'c>>,
    /// Where it is known from that this means something.
    source: &'c str,
    /// Where to read more.
    references: &'c [String],
}

/// Something that was read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FactObject<'c> {
    /// Where.
    path: &'c str,
    /// What stands there.
    value: &'c str,
}

/// What the kernel's log says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LogObject {
    /// What it is called.
    name: String,
    /// Its verdict.
    verdict: Word<Verdict>,
    /// What it says, in a sentence.
    answer: String,
    /// How many failures it has.
    incidents: usize,
}

/// Something that could not be judged.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct NotJudgedObject {
    /// Its stable name.
    id: String,
    /// What could not be judged.
    what: String,
    /// Why.
    why: String,
    /// What would help.
    command: Option<String>,
}

/// A path that could not be read.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct UnreadObject<'c> {
    /// The path.
    path: &'c str,
    /// Why, in one word.
    why: &'static str,
}

fn document<'c>(checkup: &'c Checkup<'_>) -> CheckDocument<'c> {
    let host = checkup.host;
    let gpus = host.gpus.as_ref().ok();
    CheckDocument {
        schema_version: SCHEMA_VERSION,
        tool: Tool::new(&checkup.patterns.digest),
        verdict: Word(checkup.verdict()),
        answer: checkup.answer(),
        host: machine(host),
        gpus: gpus.map(|gpus| gpus.iter().map(|one| gpu(checkup, one)).collect()),
        tasks: host.tasks.as_ref().ok().map(|tasks| TasksObject {
            seen: tasks.seen,
            waiting: tasks.waiting.iter().map(task).collect(),
        }),
        findings: checkup.health.findings.iter().map(finding).collect(),
        log: log(checkup),
        not_judged: checkup.not_judged().into_iter().map(not_judged).collect(),
        unread: host.hung.iter().map(unread).collect(),
    }
}

fn text<E>(fact: &Result<String, E>) -> Option<&str> {
    fact.as_deref().ok()
}

fn machine(host: &Host) -> HostObject<'_> {
    let dumps = host.saved.dumps.as_ref().ok();
    let dumps = dumps.map(|dumps| {
        dumps.iter().map(|dump| CoredumpObject { path: &dump.data, device: dump.device }).collect()
    });
    let records = host.saved.records.iter();
    HostObject {
        kernel: text(&host.kernel.release),
        distribution: host.kernel.distribution.as_ref().ok().map(|it| it.name.as_str()),
        tainted: host.kernel.tainted.clone().ok(),
        command_line: text(&host.kernel.command_line),
        hung_tasks: host.kernel.hung_tasks.clone().ok(),
        driver: driver(host),
        journal: host.saved.journal.clone().ok().map(Word),
        coredumps: dumps,
        crash_records: records
            .map(|(folder, files)| CrashRecordsObject { folder, files: *files })
            .collect(),
    }
}

fn driver(host: &Host) -> DriverObject<'_> {
    let module = &host.module;
    let parameters = module.parameters.iter();
    DriverObject {
        loaded: module.loaded.clone().ok(),
        version: module.version.as_ref().ok().and_then(Option::as_deref),
        taint: text(&module.taint),
        parameters: parameters.map(|(name, value)| (name.as_str(), text(value))).collect(),
        settings: module.settings.iter().map(setting).collect(),
        dkms: module.dkms.as_deref().ok(),
        built: module.built.as_deref(),
    }
}

fn setting(setting: &Setting) -> SettingObject<'_> {
    SettingObject {
        name: &setting.name,
        value: setting.value.as_deref(),
        place: setting.place.to_string(),
    }
}

fn gpu<'c>(checkup: &'c Checkup<'_>, gpu: &'c Gpu) -> GpuObject<'c> {
    let chip = checkup.chip(gpu);
    let firmware = gpu.firmware.as_ref().ok();
    let version =
        |(block, version): (&'c String, &u32)| (block.as_str(), format!("{version:#010x}"));
    GpuObject {
        pci_address: gpu.address,
        pci_id: gpu.id,
        board: gpu.board.clone().ok(),
        asic: chip.map(|chip| chip.asic.as_str()),
        name: checkup.name(gpu),
        gfx_target: chip.and_then(Chip::target),
        driver: gpu.driver.as_ref().ok().and_then(Option::as_deref),
        boot_display: gpu.is_boot_display,
        runtime: gpu.runtime.clone().ok().map(Word),
        power_state: text(&gpu.power_state),
        answers: gpu.answers.clone().ok(),
        link: gpu.link.as_ref().ok().map(link),
        reset_methods: gpu.reset_methods.as_deref().ok(),
        resets: &gpu.resets,
        vram_bytes: gpu.vram_bytes.clone().ok(),
        vbios: text(&gpu.vbios),
        firmware: firmware.map(|firmware| firmware.iter().map(version).collect()),
    }
}

fn link(link: &Link) -> LinkObject {
    LinkObject {
        port: link.port,
        slot: link.slot,
        now: rate(link.now),
        port_max: rate(link.most),
        slot_max: link.slot_most.map(rate),
    }
}

const fn rate(rate: Rate) -> RateObject {
    RateObject { width: rate.width, speed_mt_s: rate.speed }
}

fn task(task: &Task) -> TaskObject<'_> {
    let stack = task.stack.as_ref().ok();
    TaskObject {
        id: task.id,
        process: task.process,
        name: &task.name,
        wait_channel: task.wait_channel.as_ref().ok().and_then(Option::as_deref),
        stack: stack.map(|stack| stack.0.iter().map(|frame| frame.function.as_str()).collect()),
        tie: task.tie.map(Word),
        watched_ms: u64::try_from(task.watched.as_millis()).unwrap_or(u64::MAX),
    }
}

fn finding(finding: &Finding) -> MachineFindingObject<'_> {
    MachineFindingObject {
        id: &finding.id,
        severity: Word(finding.severity),
        device: finding.device,
        title: &finding.title,
        summary: &finding.summary,
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| FactObject { path: &evidence.path, value: &evidence.value })
            .collect(),
        actions: finding.actions.iter().map(action).collect(),
        source: &finding.source,
        references: &finding.references,
    }
}

fn log(checkup: &Checkup<'_>) -> Option<LogObject> {
    let LogAnswer::Read { part, .. } = &checkup.log else { return None };
    Some(LogObject {
        name: part.name.clone(),
        verdict: Word(part.verdict()),
        answer: checkup.log_answer()?,
        incidents: part.conclusions.findings.len() + part.conclusions.left_out,
    })
}

fn not_judged(one: NotJudged) -> NotJudgedObject {
    let NotJudged { id, what, why, command } = one;
    NotJudgedObject { id, what, why, command }
}

fn unread(unread: &Unread) -> UnreadObject<'_> {
    UnreadObject { path: &unread.path, why: (&unread.why).into() }
}
