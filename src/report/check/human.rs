//! The result of `check` for people: the verdict, findings with advice, the GPUs, and what could
//! not be judged.

use super::{Checkup, LogAnswer};
use crate::diagnosis::verdict::Verdict;
use crate::document::{
    Banner, Block, Column, Document, Fact as Row, Frame, Item, List, Section, Table, Text, Tone,
    prose,
};
use crate::health::{MachineFinding, MachineVerdict, NotJudged, of_a_gpu};
use crate::host::{Fact, Gpu, Link, Rate, Refusal};
use crate::input::called;
use crate::pattern::advice::Advice;
use crate::pattern::hardware::Chip;
use crate::pattern::signature::Severity;
use crate::report::pieces::step;
use crate::report::whole::Extent;
use crate::report::words::tone;

/// Number of evidence items of a finding without `--verbose`.
const EVIDENCE: usize = 3;
/// Number of actions of a finding without `--verbose`.
const ACTIONS: usize = 2;

/// The result as a document; with `whole`, nothing is left out.
pub(crate) fn document(checkup: &Checkup<'_>, whole: bool) -> Document {
    let answer = checkup.answer();
    let (tone, state) = state(checkup);
    let banner = Banner {
        tone,
        state: state.to_owned(),
        about: Vec::new(),
        headline: answer.as_str().into(),
        lead: Vec::from_iter(checkup.if_missing().map(if_missing)),
    };
    let mut blocks = vec![Block::Banner(banner)];
    blocks.append(&mut findings(checkup, whole));
    blocks.extend(gpus(checkup, whole));
    blocks.push(machine(checkup));
    blocks.extend(not_judged(&checkup.not_judged()));
    let foot = Some(format!("Written by amdtriage {}.", env!("CARGO_PKG_VERSION")).into());
    Document { foot, ..Document::new(answer, blocks) }
}

fn if_missing(command: &str) -> Text {
    Text::from("If there should be one: ").and(Text::code(command))
}

fn state(checkup: &Checkup<'_>) -> (Tone, &'static str) {
    match checkup.verdict() {
        MachineVerdict::Clean if checkup.if_missing().is_some() => (Tone::Warn, "No AMD GPU found"),
        MachineVerdict::Clean => (Tone::Good, "Healthy"),
        MachineVerdict::Warning => (Tone::Warn, "Warning"),
        MachineVerdict::Failure => (Tone::Bad, "Failure"),
        MachineVerdict::Unknown => (Tone::Warn, "Unknown"),
    }
}

fn few(whole: bool, few: usize) -> usize {
    if whole { usize::MAX } else { few }
}

fn more(hidden: usize) -> Option<Block> {
    (hidden > 0).then(|| prose(format!("{hidden} more with -v")))
}

fn findings(checkup: &Checkup<'_>, whole: bool) -> Vec<Block> {
    let (bad, hints): (Vec<&MachineFinding>, Vec<&MachineFinding>) =
        checkup.health.findings.iter().partition(|finding| finding.severity >= Severity::Warning);
    let mut told = Vec::new();
    let [mut bad, hints] = [bad, hints].map(|findings| {
        let cards = findings.into_iter().map(|one| Block::from(finding(one, &mut told, whole)));
        cards.collect::<Vec<_>>()
    });
    bad.extend(checkup.incident().map(|incident| Block::from(incident.card())));
    [("What was found", bad), ("Worth knowing, nothing wrong", hints)]
        .into_iter()
        .filter(|(_, cards)| !cards.is_empty())
        .map(|(heading, cards)| Section::new(heading, cards).into())
        .collect()
}

/// A finding. Advice in `told` was shown for an earlier finding and is not repeated.
fn finding<'f>(finding: &'f MachineFinding, told: &mut Vec<&'f Advice>, whole: bool) -> Section {
    let severity = finding.severity;
    let title = Text::toned(tone(severity), severity.name())
        .and(format!(": {} (", finding.title))
        .and(Text::code(&*finding.id))
        .and(")");
    let mut body = vec![prose(&finding.summary)];
    let shown = few(whole, EVIDENCE);
    let evidence = finding.evidence.iter().take(shown);
    let evidence = evidence.map(|one| Text::code(&*one.path).and(format!(" = {}", one.value)));
    body.push(List::of(evidence.collect::<Vec<_>>()).into());
    body.extend(more(finding.evidence.len().saturating_sub(shown)));
    // Findings that are only informative have no actions.
    let actions = few(whole, if severity == Severity::Info { 0 } else { ACTIONS });
    let mut items = Vec::new();
    for action in finding.actions.iter().take(actions) {
        if told.contains(&&*action.advice) {
            items.push(Item::new(format!("{}: see above", action.advice.summary)));
        } else {
            items.push(step(action, &Extent::TERMINAL.scale));
            told.push(&action.advice);
        }
    }
    if !items.is_empty() {
        body.push(List { first: Some(1), items }.into());
    }
    body.extend(more(finding.actions.len().saturating_sub(actions)));
    if whole {
        body.push(Block::Facts(vec![Row::new("Source", &finding.source)]));
        body.push(List::of(finding.references.iter().map(Text::address)).into());
    }
    Section::new(title, body).framed(Frame::Card)
}

fn gpus(checkup: &Checkup<'_>, whole: bool) -> Option<Block> {
    if checkup.gpus().is_empty() {
        return None;
    }
    let row = |gpu: &Gpu| {
        let name = checkup.name(gpu).unwrap_or_else(|| gpu.id.to_string());
        let target = checkup.chip(gpu).and_then(Chip::target);
        let target = target.map(|target| format!(" ({target})")).unwrap_or_default();
        let cells = [
            gpu.address.to_string(),
            format!("{name}{target}"),
            driver(gpu),
            power(gpu),
            link(&gpu.link),
        ];
        cells.map(Text::from).to_vec()
    };
    let columns = ["Address", "GPU", "Driver", "Power", "Link"].map(Column::words).to_vec();
    let rows = checkup.gpus().iter().map(row).collect();
    let mut body = vec![Table { name: "GPUs".to_owned(), columns, rows, one_line: false }.into()];
    if whole {
        body.extend(checkup.gpus().iter().map(|gpu| Block::Facts(details(gpu))));
    }
    Some(Section::new("GPUs", body).into())
}

fn details(gpu: &Gpu) -> Vec<Row> {
    let mut texts = Vec::new();
    if let Ok(vbios) = &gpu.vbios {
        texts.push(format!("VBIOS {vbios}"));
    }
    if let Ok(firmware) = &gpu.firmware {
        let versions: Vec<String> =
            firmware.iter().map(|(block, version)| format!("{block} {version:#010x}")).collect();
        texts.push(format!("firmware: {}", versions.join(", ")));
    }
    if let Ok(methods) = &gpu.reset_methods {
        texts.push(format!("reset methods: {}", methods.join(", ")));
    }
    texts.extend(gpu.resets.iter().map(|(block, mask)| format!("{block} resets: {mask}")));
    texts.into_iter().map(|text| Row::new(gpu.address.to_string(), text)).collect()
}

fn machine(checkup: &Checkup<'_>) -> Block {
    let kernel = &checkup.host.kernel;
    let release = kernel.release.as_deref().unwrap_or("unknown");
    let system = kernel.distribution.as_ref();
    let system = system.map(|it| format!(", {}", it.name)).unwrap_or_default();
    let mut facts = vec![
        Row::new("Kernel", format!("{release}{system}")),
        Row::new("Driver", driver_of(checkup)),
    ];
    if let Ok(tasks) = &checkup.host.tasks {
        let ties = of_a_gpu(checkup.host).len();
        let waiting = tasks.waiting.len();
        let all = tasks.seen;
        let text = format!(
            "{all}, {waiting} in uninterruptible sleep (state D), {ties} of these for a GPU"
        );
        facts.push(Row::new("Tasks", text));
    }
    let mut command = None;
    facts.push(match (&checkup.log, checkup.log_answer()) {
        (LogAnswer::Read { part, command: whole, .. }, Some(answer)) => {
            // An incident has a card with this command.
            if part.verdict() > Verdict::Clean && checkup.incident().is_none() {
                command = Some(Block::Command(format!("# The whole report on it\n{whole}")));
            }
            Row::new("Log", format!("{}: {answer}", called(&part.name)))
        }
        _ => Row::new("Log", "not read"),
    });
    let body = [Block::Facts(facts)].into_iter().chain(command).collect();
    Section::new("This machine", body).into()
}

fn not_judged(all: &[NotJudged]) -> Option<Block> {
    if all.is_empty() {
        return None;
    }
    let item = |NotJudged { what, why, command, .. }: &NotJudged| Item {
        body: command.clone().map(Block::Command).into_iter().collect(),
        ..Item::new(format!("{what}: {why}"))
    };
    let list = List { first: None, items: all.iter().map(item).collect() };
    Some(Section::new("Not judged", vec![list.into()]).into())
}

fn driver(gpu: &Gpu) -> String {
    match &gpu.driver {
        Ok(Some(driver)) => driver.clone(),
        Ok(None) => "none".to_owned(),
        Err(_) => "unknown".to_owned(),
    }
}

fn power(gpu: &Gpu) -> String {
    let runtime = gpu.runtime.as_ref().map_or("unknown", Into::into);
    match &gpu.power_state {
        Ok(state) if state != "unknown" => format!("{runtime}, {state}"),
        _ => runtime.to_owned(),
    }
}

fn link(link: &Fact<Link>) -> String {
    match link {
        Ok(link) => {
            let best = Rate { width: link.lanes(), speed: fastest(link) };
            if link.now == best {
                rate(link.now)
            } else {
                format!("{} of {}", rate(link.now), rate(best))
            }
        }
        Err(unread) if unread.why == Refusal::Asleep => "asleep".to_owned(),
        Err(_) => "unknown".to_owned(),
    }
}

fn fastest(link: &Link) -> u32 {
    link.slot_most.map_or(link.most.speed, |slot| slot.speed.min(link.most.speed))
}

/// `x16 at 2.5 GT/s`.
fn rate(rate: Rate) -> String {
    format!("x{} at {}.{} GT/s", rate.width, rate.speed / 1000, rate.speed % 1000 / 100)
}

fn driver_of(checkup: &Checkup<'_>) -> String {
    let module = &checkup.host.module;
    match (&module.loaded, &module.version) {
        (Ok(false), _) => "amdgpu is not loaded".to_owned(),
        (Ok(true), Ok(Some(version))) => format!("amdgpu {version}, of AMD's package"),
        (Ok(true), Ok(None)) => "amdgpu, the kernel's own".to_owned(),
        _ => "unknown".to_owned(),
    }
}
