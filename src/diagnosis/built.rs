//! Turns a signature that matched into a diagnosis.

use super::action::actions;
use super::certainty::{cause, certainty};
use super::confidence::{Circumstances, confidence, fits, holds};
use super::destination::Destination;
use super::evidence::evidence;
use super::hits::Hit;
use super::survey::Stream;
use super::{Diagnosis, words};
use crate::event::Observed;
use crate::kind::Kind;
use crate::pattern::Patterns;
use crate::pattern::signature::{Role, Severity};
use crate::value::{FailureClass, PciAddress};

pub(super) fn build(
    own: &[usize],
    patterns: &Patterns,
    hit: &Hit<'_>,
    role: Role,
    conditions: &Circumstances,
    stream: Stream<'_>,
) -> Diagnosis {
    let Hit { signature, found } = hit;
    let (shown, evidence_events) = evidence(found, |_| true, own, stream);
    let is_mandatory = |name: &str| signature.step(name).is_some_and(|step| !step.optional);
    let (proof, _) = evidence(found, is_mandatory, own, stream);
    let (match_score, reasons) = confidence(&signature.confidence, found, conditions);
    let shown_stream = Stream { device: device_of(&proof, stream), ..stream };
    let stream = Stream { device: shown_stream.device.or(stream.device), ..stream };
    let value = |path: &str| words::value(path, found, shown_stream);
    Diagnosis {
        id: signature.id.clone(),
        title: signature.title.clone(),
        role,
        severity: severity_of(hit, conditions),
        class: signature.class.or_else(|| class_of(&proof, stream)),
        fallback: signature.fallback,
        repeats: signature.repeats,
        sums_up: signature.sums_up,
        leaves_unjudged: signature
            .unjudged_if
            .as_ref()
            .is_some_and(|when| holds(when, found, conditions)),
        certainty: certainty(signature, found, conditions),
        cause: cause(signature, found, conditions, value),
        match_score,
        reasons,
        summary: signature.text.summary.filled(value),
        detail: signature.text.detail.as_ref().map(|text| text.filled(value)),
        explain: signature.text.explain.filled(value),
        unsaid: signature
            .unsaid
            .iter()
            .filter(|unsaid| fits(unsaid.when.as_ref(), found, conditions))
            .map(|unsaid| unsaid.text.filled(value))
            .collect(),
        layers: signature.layers.clone(),
        destination: Destination::of(&signature.layers, patterns),
        evidence: shown,
        evidence_events,
        proof,
        telling: telling(hit, stream),
        actions: actions(signature, patterns, found, conditions, stream),
        references: signature.references.to_vec(),
    }
}

/// The first event of each step that is to be quoted, in the order of the file.
fn telling(Hit { signature, found }: &Hit<'_>, stream: Stream<'_>) -> Vec<usize> {
    let quoted = signature.steps.iter().filter(|step| step.quoted);
    let first = quoted.filter_map(|step| found.steps.get(step.name.as_str())?.first());
    first.filter_map(|observed| stream.log().position(observed.sequence)).collect()
}

/// The class of failure of the first event of its proof.
fn class_of(proof: &[usize], stream: Stream<'_>) -> Option<FailureClass> {
    stream.survey.log.at(proof).find_map(|observed| observed.event.class())
}

/// The GPU of a diagnosis: of several that fail together, the one that its proof names; `None` if
/// the proof names none. The alarm of a memory error reaches all GPUs of a hive; whose error it is
/// was decided for the incident.
fn device_of(proof: &[usize], stream: Stream<'_>) -> Option<PciAddress> {
    let log = stream.log();
    let is_alarm = |observed: &Observed| observed.event.kind() == Kind::RasError;
    if stream.device.is_some() && log.at(proof).all(is_alarm) {
        return stream.device;
    }
    let mut named = log.at(proof).filter_map(|observed| observed.device);
    let mut gpus =
        log.devices.iter().filter(|gpu| gpu.boot == stream.boot && gpu.address.is_some());
    match named.next() {
        Some(first) if named.all(|device| device == first) => Some(first),
        None if gpus.nth(1).is_some() => None,
        _ => stream.device,
    }
}

/// The severity in these circumstances.
pub(super) fn severity_of(hit: &Hit<'_>, conditions: &Circumstances) -> Severity {
    let Hit { signature, found } = hit;
    let mut other = signature.severity_if.iter();
    other
        .find(|other| holds(&other.when, found, conditions))
        .map_or(signature.severity, |other| other.severity)
}
