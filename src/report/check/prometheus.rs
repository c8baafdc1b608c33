//! Metrics for the textfile collector of Prometheus' node exporter.
//!
//! Format: <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use super::{Checkup, LogAnswer};
use crate::document::untrusted::Untrusted;
use crate::health::{MachineVerdict, of_a_gpu};
use crate::host::{Gpu, Link, Rate, Runtime};
use crate::pattern::hardware::Chip;
use crate::pattern::signature::Severity;
use crate::report::ReportPart;

/// Writes all metrics.
pub(crate) fn write(checkup: &Checkup<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut metrics = Metrics::default();
    metrics.answer(checkup);
    metrics.findings(checkup);
    metrics.tasks(checkup);
    metrics.gpus(checkup);
    out.write_all(metrics.text.as_bytes())
}

#[derive(Default)]
struct Metrics {
    text: String,
}

/// Names and values of labels.
type Labels<'l> = &'l [(&'static str, &'l str)];

impl Metrics {
    /// Begins a metric; all of its values must follow.
    fn begin(&mut self, name: &str, help: &str) {
        self.begin_as("gauge", name, help);
    }

    fn begin_as(&mut self, kind: &str, name: &str, help: &str) {
        let _ = writeln!(self.text, "# HELP amdtriage_{name} {help}");
        let _ = writeln!(self.text, "# TYPE amdtriage_{name} {kind}");
    }

    fn value(&mut self, name: &str, labels: Labels<'_>, value: u64) {
        let labels: Vec<String> =
            labels.iter().map(|(label, text)| format!("{label}=\"{}\"", escaped(text))).collect();
        let labels =
            if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.text, "amdtriage_{name}{labels} {value}");
    }

    fn only(&mut self, name: &str, help: &str, value: u64) {
        self.begin(name, help);
        self.value(name, &[], value);
    }

    fn answer(&mut self, checkup: &Checkup<'_>) {
        self.begin("check_info", "Version of amdtriage and digest of its patterns.");
        let labels = [
            ("version", env!("CARGO_PKG_VERSION")),
            ("patterns", checkup.patterns.digest.as_str()),
        ];
        self.value("check_info", &labels, 1);
        self.begin("verdict", "State of the machine: 1 for the verdict that applies.");
        let verdicts = [
            MachineVerdict::Clean,
            MachineVerdict::Warning,
            MachineVerdict::Failure,
            MachineVerdict::Unknown,
        ];
        for verdict in verdicts {
            let holds = checkup.verdict() == verdict;
            self.value("verdict", &[("verdict", verdict.name())], holds.into());
        }
        self.only(
            "not_judged",
            "Checks that could not be made.",
            checkup.not_judged().len() as u64,
        );
        let read = matches!(checkup.log, LogAnswer::Read { .. });
        self.only("log_read", "Whether the kernel log was read.", read.into());
        if let LogAnswer::Read { part, .. } = &checkup.log {
            let count = part.conclusions.findings.len() + part.conclusions.left_out;
            self.only(
                "log_incidents",
                "GPU failures in the kernel log of this boot.",
                count as u64,
            );
            self.incidents(part);
        }
        if let Some(at) = checkup.incident().and_then(|incident| incident.timestamp) {
            let help = "Start of the last failure in the kernel log from which a GPU did not \
                        recover, else of the last failure, else of the last incident.";
            self.only("log_incident_timestamp_seconds", help, at);
        }
    }

    /// The number of occurrences of each failure, so that two in one boot are distinct. It restarts
    /// with each boot, as counters may.
    fn incidents(&mut self, part: &ReportPart) {
        let mut counts: BTreeMap<(String, &str), u64> = BTreeMap::new();
        for finding in &part.conclusions.findings {
            let device = finding.incident.device.map(|device| device.to_string());
            let signature = finding.diagnoses.first().map_or("", |known| known.id.as_str());
            *counts.entry((device.unwrap_or_default(), signature)).or_default() += 1;
        }
        if counts.is_empty() {
            return;
        }
        let help = "GPU failures in the kernel log of this boot, by signature.";
        self.begin_as("counter", "incidents_total", help);
        for ((gpu, signature), count) in counts {
            self.value("incidents_total", &[("signature", signature), ("gpu", &gpu)], count);
        }
    }

    fn findings(&mut self, checkup: &Checkup<'_>) {
        let findings = &checkup.health.findings;
        self.begin("findings", "Findings, by severity.");
        for severity in [Severity::Info, Severity::Warning, Severity::Error, Severity::Critical] {
            let count = findings.iter().filter(|finding| finding.severity == severity).count();
            self.value("findings", &[("severity", severity.name())], count as u64);
        }
        if findings.is_empty() {
            return;
        }
        // Two values with the same labels are an error.
        let mut all: Vec<(String, &str, &str)> = findings
            .iter()
            .map(|finding| {
                let device = finding.device.map(|device| device.to_string()).unwrap_or_default();
                (device, finding.id.as_str(), finding.severity.name())
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        self.begin("finding", "1 for each finding.");
        for (device, id, severity) in &all {
            let labels = [("id", *id), ("severity", *severity), ("device", device.as_str())];
            self.value("finding", &labels, 1);
        }
    }

    fn tasks(&mut self, checkup: &Checkup<'_>) {
        let Ok(tasks) = &checkup.host.tasks else { return };
        self.begin("uninterruptible_tasks", "Tasks in state D, by whether they wait for a GPU.");
        let of_gpu = of_a_gpu(checkup.host).len();
        let others = tasks.waiting.len() - of_gpu;
        self.value("uninterruptible_tasks", &[("gpu", "true")], of_gpu as u64);
        self.value("uninterruptible_tasks", &[("gpu", "false")], others as u64);
    }

    fn gpus(&mut self, checkup: &Checkup<'_>) {
        if let Ok(gpus) = &checkup.host.gpus {
            self.only("gpus", "AMD GPUs in the machine.", gpus.len() as u64);
        }
        let gpus = checkup.gpus();
        if gpus.is_empty() {
            return;
        }
        self.begin("gpu_info", "Chip and driver of a GPU.");
        for gpu in gpus {
            let (address, id) = (gpu.address.to_string(), gpu.id.to_string());
            let chip = checkup.chip(gpu);
            let target = chip.and_then(Chip::target).map(|gfx| gfx.to_string());
            let driver = gpu.driver.as_ref().ok().and_then(Option::as_deref);
            let labels = [
                ("device", address.as_str()),
                ("pci_id", id.as_str()),
                ("asic", chip.map_or("", |chip| chip.asic.as_str())),
                ("gfx_target", target.as_deref().unwrap_or_default()),
                ("driver", driver.unwrap_or_default()),
            ];
            self.value("gpu_info", &labels, 1);
        }
        let vram = |gpu: &Gpu| gpu.vram_bytes.clone().ok();
        self.of_gpus(gpus, "gpu_vram_bytes", "Video memory of a GPU.", vram);
        let suspended =
            |gpu: &Gpu| gpu.runtime.as_ref().ok().map(|is| u64::from(*is == Runtime::Suspended));
        self.of_gpus(gpus, "gpu_suspended", "Whether a GPU is powered off while idle.", suspended);
        let dumps = |gpu: &Gpu| {
            let dumps = checkup.host.saved.dumps.as_ref().ok()?;
            Some(dumps.iter().filter(|dump| dump.device == Some(gpu.address)).count() as u64)
        };
        self.of_gpus(gpus, "gpu_coredumps", "Pending crash dumps of a GPU.", dumps);
        self.links(gpus);
    }

    fn links(&mut self, gpus: &[Gpu]) {
        let of_link = |of: fn(&Link) -> u64| move |gpu: &Gpu| gpu.link.as_ref().ok().map(of);
        let width = of_link(|link| link.now.width.into());
        self.of_gpus(gpus, "gpu_link_lanes", "Lanes that the PCIe link of a card uses.", width);
        let lanes = of_link(|link| link.lanes().into());
        self.of_gpus(gpus, "gpu_link_lanes_max", "Lanes that both ends of the link have.", lanes);
        let speed = of_link(|link| transfers(link.now));
        let help = "Speed of the link now; an idle GPU slows it down.";
        self.of_gpus(gpus, "gpu_link_transfers_per_second", help, speed);
    }

    /// A metric for the GPUs with a known value.
    fn of_gpus(&mut self, gpus: &[Gpu], name: &str, help: &str, of: impl Fn(&Gpu) -> Option<u64>) {
        let known: Vec<(String, u64)> =
            gpus.iter().filter_map(|gpu| Some((gpu.address.to_string(), of(gpu)?))).collect();
        if known.is_empty() {
            return;
        }
        self.begin(name, help);
        for (device, value) in known {
            self.value(name, &[("device", &device)], value);
        }
    }
}

fn transfers(rate: Rate) -> u64 {
    u64::from(rate.speed) * 1_000_000
}

/// Escapes a label value.
fn escaped(text: &str) -> String {
    // Made harmless first, because that adds backslashes.
    Untrusted(text).to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_label_ends_before_its_end() {
        let mut metrics = Metrics::default();
        metrics.value("a", &[("b", "x\"} 9\n\\\u{1b}[0m")], 1);
        assert_eq!(metrics.text, "amdtriage_a{b=\"x\\\"} 9\\\\u{a}\\\\\\\\u{1b}[0m\"} 1\n");
    }
}
