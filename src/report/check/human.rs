//! How a machine is, for a person: the answer first, then what was found and what to do, the GPUs, and
//! what could not be judged.

use std::io;

use owo_colors::Style;

use super::{Checkup, LogAnswer};
use crate::diagnosis::verdict::Verdict;
use crate::health::{MachineFinding, MachineVerdict, NotJudged, of_a_gpu};
use crate::host::{Fact, Gpu, Link, Rate, Watch, Why};
use crate::pattern::advice::Advice;
use crate::pattern::hardware::Chip;
use crate::pattern::signature::Severity;
use crate::report::page::{Look, Page};
use crate::report::untrusted::Untrusted;
use crate::report::words::severity_style;

/// So much evidence of a finding is shown unless all is asked for.
const EVIDENCE: usize = 3;
/// So many actions of a finding are shown unless all are asked for.
const ACTIONS: usize = 2;

/// Writes the page.
pub(crate) fn write(checkup: &Checkup<'_>, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    page.painted(&checkup.answer(), style(checkup.verdict()));
    page.findings(&checkup.health.findings);
    page.gpus(checkup);
    page.machine(checkup);
    page.not_judged(&checkup.not_judged());
    out.write_all(page.text().as_bytes())
}

fn style(verdict: MachineVerdict) -> Style {
    match verdict {
        MachineVerdict::Clean => Style::new().green().bold(),
        MachineVerdict::Warning => severity_style(Severity::Warning).bold(),
        MachineVerdict::Failure => severity_style(Severity::Critical).bold(),
        MachineVerdict::Unknown => Style::new().yellow().bold(),
    }
}

impl Page {
    fn findings(&mut self, findings: &[MachineFinding]) {
        let (bad, hints): (Vec<&MachineFinding>, Vec<&MachineFinding>) =
            findings.iter().partition(|finding| finding.severity >= Severity::Warning);
        let mut told = Vec::new();
        for (heading, findings) in
            [("What was found", bad), ("Worth knowing, nothing wrong", hints)]
        {
            if !findings.is_empty() {
                self.heading(heading);
            }
            for finding in findings {
                self.finding(finding, &mut told);
            }
        }
    }

    /// What to do is told once, in `told`: several findings ask for the same.
    fn finding<'f>(&mut self, finding: &'f MachineFinding, told: &mut Vec<&'f Advice>) {
        let severity = finding.severity;
        let word = self.paint(severity.name(), severity_style(severity));
        let title = format!("{} ({})", finding.title, finding.id);
        if self.look.colour {
            // The word's colour would be counted as width.
            self.line(&format!("  - {word}: {}", Untrusted(&title)));
        } else {
            self.prose("  - ", &format!("{word}: {title}"));
        }
        self.prose("    ", &finding.summary);
        let shown = self.few(EVIDENCE);
        for evidence in finding.evidence.iter().take(shown) {
            self.prose("      ", &format!("{} = {}", evidence.path, evidence.value));
        }
        self.more("      ", finding.evidence.len().saturating_sub(shown));
        // What is only worth knowing asks for nothing.
        let actions = self.few(if severity == Severity::Info { 0 } else { ACTIONS });
        for (index, action) in finding.actions.iter().take(actions).enumerate() {
            if told.contains(&&*action.advice) {
                self.prose(
                    &format!("  {}. ", index + 1),
                    &format!("{}: see above", action.advice.summary),
                );
            } else {
                self.action(index + 1, action);
                told.push(&action.advice);
            }
        }
        self.more("      ", finding.actions.len().saturating_sub(actions));
        if self.look.verbose {
            self.prose("      from: ", &finding.source);
            self.references("      ", &finding.references);
        }
    }

    fn gpus(&mut self, checkup: &Checkup<'_>) {
        if checkup.gpus().is_empty() {
            return;
        }
        self.heading("GPUs");
        let head = ["address", "GPU", "driver", "power", "link"].map(str::to_owned);
        let row = |gpu: &Gpu| {
            let name = checkup.name(gpu).unwrap_or_else(|| gpu.id.to_string());
            let target = checkup.chip(gpu).and_then(Chip::target);
            let target = target.map(|target| format!(" ({target})")).unwrap_or_default();
            let cells = [format!("{name}{target}"), driver(gpu), power(gpu), link(&gpu.link)];
            let [name, driver, power, link] = cells.map(|cell| Untrusted(&cell).to_string());
            [gpu.address.to_string(), name, driver, power, link]
        };
        self.table("  ", [head].into_iter().chain(checkup.gpus().iter().map(row)));
        if self.look.verbose {
            checkup.gpus().iter().for_each(|gpu| self.details(gpu));
        }
    }

    fn details(&mut self, gpu: &Gpu) {
        let label = format!("  {}  ", gpu.address);
        if let Ok(vbios) = &gpu.vbios {
            self.prose(&label, &format!("VBIOS {vbios}"));
        }
        if let Ok(firmware) = &gpu.firmware {
            let versions: Vec<String> = firmware
                .iter()
                .map(|(block, version)| format!("{block} {version:#010x}"))
                .collect();
            self.prose(&label, &format!("firmware: {}", versions.join(", ")));
        }
        if let Ok(methods) = &gpu.reset_methods {
            self.prose(&label, &format!("can be reset by: {}", methods.join(", ")));
        }
        for (block, mask) in &gpu.resets {
            self.prose(&label, &format!("{block} resets: {mask}"));
        }
    }

    fn machine(&mut self, checkup: &Checkup<'_>) {
        self.heading("This machine");
        let kernel = &checkup.host.kernel;
        let release = kernel.release.as_deref().unwrap_or("unknown");
        let system = kernel.distribution.as_ref();
        let system = system.map(|it| format!(", {}", it.name)).unwrap_or_default();
        self.prose("  kernel    ", &format!("{release}{system}"));
        self.prose("  driver    ", &driver_of(checkup));
        if let Ok(tasks) = &checkup.host.tasks {
            let ties = of_a_gpu(checkup.host).len();
            let waiting = tasks.waiting.len();
            let all = tasks.seen;
            self.prose(
                "  tasks     ",
                &format!("{all}, {waiting} of them in a sleep that nothing interrupts (state D), {ties} of these for a GPU"),
            );
        }
        match (&checkup.log, checkup.log_answer()) {
            (LogAnswer::Read { part, .. }, Some(answer)) => {
                self.prose("  log       ", &format!("{}: {answer}", part.name));
                let own = matches!(checkup.host.watch, Watch::For(_));
                if own && part.verdict() > Verdict::Clean {
                    self.command("            ", "# All of it\nsudo amdtriage");
                }
            }
            _ => self.prose("  log       ", "not read"),
        }
    }

    fn not_judged(&mut self, all: &[NotJudged]) {
        if all.is_empty() {
            return;
        }
        self.heading("Not judged");
        for NotJudged { what, why, command, .. } in all {
            self.prose("  - ", &format!("{what}: {why}"));
            self.command("      ", command.as_deref().unwrap_or_default());
        }
    }
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
        Err(unread) if unread.why == Why::Asleep => "asleep".to_owned(),
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
