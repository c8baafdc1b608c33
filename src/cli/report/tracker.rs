//! Selects the failure to report and the tracker for it.

use std::cmp::Reverse;

use crate::cli::failure::Failure;
use crate::diagnosis::{Finding, Owner};
use crate::pattern::Patterns;
use crate::pattern::signature::Layer;
use crate::pattern::source::suggestion;
use crate::pattern::tracker::Tracker;
use crate::record::Stamp;
use crate::report::ReportPart;

/// The tracker if the layer of the cause is unknown.
const USUAL: &str = "drm-amd";

/// The tracker that the user named.
pub(super) fn named<'p>(patterns: &'p Patterns, name: &str) -> Result<&'p Tracker, Failure> {
    patterns.tracker(name).ok_or_else(|| {
        let known: Vec<String> = patterns.trackers.iter().map(|one| one.id.clone()).collect();
        let lower = name.to_ascii_lowercase();
        let begins = known.iter().find(|one| one.starts_with(&lower) || lower.starts_with(*one));
        let meant =
            begins.cloned().or_else(|| suggestion(&lower, known.iter().map(String::as_str)));
        Failure::NoSuchTracker { name: name.to_owned(), known, meant }
    })
}

/// Identifies a failure, to find it again in a reduced log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) log: usize,
    fingerprint: String,
    first: Option<Stamp>,
}

/// The failure to report: the most severe one; of several, the first in the last boot that has one
/// as severe, because later ones may be consequences.
pub(super) fn subject<'a>(parts: impl Iterator<Item = &'a ReportPart>) -> Option<Subject> {
    let all = parts.enumerate().flat_map(|(log, part)| {
        part.conclusions.findings.iter().enumerate().map(move |(at, one)| (log, part, at, one))
    });
    let worst = all.max_by_key(|(log, _, at, finding)| {
        (finding.severity, *log, finding.incident.boot, Reverse(*at))
    });
    worst.map(|(log, part, _, finding)| Subject {
        log,
        fingerprint: finding.fingerprint.clone(),
        first: first(part, finding),
    })
}

/// The process whose work failed.
pub(super) fn owner<'a>(parts: impl Iterator<Item = &'a ReportPart> + Clone) -> Option<&'a Owner> {
    let subject = subject(parts.clone())?;
    let part = parts.into_iter().nth(subject.log)?;
    part.conclusions.findings.get(subject.within(part)?)?.owner.as_ref()
}

fn first(part: &ReportPart, finding: &Finding) -> Option<Stamp> {
    let at = finding.incident.events.first()?;
    // Elapsed time counts from the first line, which may differ in a reduced log.
    part.log.events.get(*at).map(|event| Stamp { passed: None, ..event.stamp })
}

impl Subject {
    /// Its index in the findings of `part`.
    pub(super) fn within(&self, part: &ReportPart) -> Option<usize> {
        let findings = &part.conclusions.findings;
        let same = |finding: &Finding| finding.fingerprint == self.fingerprint;
        findings
            .iter()
            .position(|finding| same(finding) && first(part, finding) == self.first)
            .or_else(|| findings.iter().position(same))
    }
}

/// The tracker, and why it was selected.
pub(super) fn chosen<'p>(
    said: Option<&str>,
    finding: Option<&Finding>,
    patterns: &'p Patterns,
) -> Result<(&'p Tracker, String), Failure> {
    if let Some(name) = said {
        return Ok((named(patterns, name)?, "it was asked for".to_owned()));
    }
    let head = finding.and_then(|finding| finding.diagnoses.first());
    let layers = head.map(|head| head.layers.as_slice()).unwrap_or_default();
    let taker = |layer: &Layer| {
        let takes = |tracker: &&Tracker| tracker.layers.contains(layer);
        Some((*layer, patterns.trackers.iter().find(takes)?))
    };
    match (layers.iter().find_map(taker), head) {
        (Some((layer, tracker)), Some(head)) => {
            let first = match layers.first() {
                Some(Layer::Application) => {
                    "; if the program that failed has a tracker of its own, that one comes first"
                }
                Some(Layer::Hardware) => {
                    "; for a replacement, ask the vendor or seller of the card first"
                }
                _ => "",
            };
            let because =
                format!("the cause of {} is most likely in the {}{first}", head.id, place(layer));
            Ok((tracker, because))
        }
        _ => {
            let because =
                "no diagnosis says where the cause is, and the driver's developers read the driver's log"
                    .to_owned();
            Ok((named(patterns, USUAL)?, because))
        }
    }
}

const fn place(layer: Layer) -> &'static str {
    match layer {
        Layer::Application => "program",
        Layer::Mesa => "graphics libraries",
        Layer::Rocm => "compute libraries",
        Layer::Firmware => "GPU's firmware",
        Layer::Kernel => "driver",
        Layer::Hardware => "hardware",
        Layer::Settings => "settings of the machine",
    }
}
