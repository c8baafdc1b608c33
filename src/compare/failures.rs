//! The incidents, notices and unknown lines of two boots.

use std::collections::{BTreeMap, BTreeSet};

use super::silence::since_boot;
use super::{Extent, GoodBad, GpuPair, Presence, Side, Silence};
use crate::diagnosis::{Finding, Notice};
use crate::event::unknown::Unknown;
use crate::incident::fingerprint::FingerprintInput;
use crate::incident::outcome::Outcome;
use crate::pattern::signature::Severity;
use crate::value::PciAddress;

/// One bug (equal fingerprints) with its incidents.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct IncidentRow<'l> {
    /// The incidents in the good boot, in order.
    pub good: Vec<&'l Finding>,
    pub bad: Vec<&'l Finding>,
    /// The number of incidents in the good boot with the same first diagnosis and another
    /// fingerprint; only if the bug is new.
    pub same_head_in_good: usize,
    /// Whether the GPU always recovered in the good boot, and at least once did not in the bad one.
    pub is_worse: bool,
    /// If only one boot has it: what its absence in the other one proves.
    pub silence: Silence,
}

impl<'l> IncidentRow<'l> {
    /// Which boots have it.
    pub(crate) fn presence(&self) -> Presence {
        Presence::of(!self.good.is_empty(), !self.bad.is_empty())
    }

    /// The first incident in the bad boot; if it is gone, in the good boot.
    pub(crate) fn first(&self) -> Option<&'l Finding> {
        self.bad.first().or(self.good.first()).copied()
    }

    /// Whether it is a failure in the bad boot, by the severity threshold of the verdict.
    pub(crate) fn is_failure(&self) -> bool {
        self.bad.iter().any(|finding| finding.severity >= Severity::Error)
    }

    /// Whether it affects other GPUs than in the good boot; `pairs` says which GPUs correspond.
    pub(crate) fn is_elsewhere(&self, pairs: &[GpuPair<'_>]) -> bool {
        let devices = |findings: &[&'l Finding]| -> BTreeSet<PciAddress> {
            findings.iter().filter_map(|finding| finding.incident.device).collect()
        };
        let (good, bad) = (devices(&self.good), devices(&self.bad));
        let pairs = pairs.iter().filter(|pair| pair.is_one_chip()).map(GpuPair::address);
        let known =
            |pair: GoodBad<PciAddress>| pair.good.is_none_or(|address| good.contains(&address));
        let there: BTreeSet<PciAddress> =
            pairs.filter(|pair| known(*pair)).filter_map(|pair| pair.bad).collect();
        !good.is_empty() && !bad.is_empty() && bad.is_disjoint(&there)
    }
}

/// The incidents of one bug in one boot.
struct Bug<'l> {
    story: FingerprintInput,
    findings: Vec<&'l Finding>,
}

/// The bugs of a boot, in order of first appearance.
fn bugs(side: Side<'_>) -> Vec<Bug<'_>> {
    let mut bugs: Vec<Bug<'_>> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let here = |finding: &&Finding| finding.incident.boot == side.boot;
    for finding in side.conclusions.findings.iter().filter(here) {
        let place = *places.entry(&finding.fingerprint).or_insert(bugs.len());
        match bugs.get_mut(place) {
            Some(bug) => bug.findings.push(finding),
            None => bugs.push(Bug {
                story: FingerprintInput::of(side.log, &finding.incident),
                findings: vec![finding],
            }),
        }
    }
    bugs
}

fn head(finding: &Finding) -> Option<&str> {
    finding.diagnoses.first().map(|diagnosis| diagnosis.id.as_str())
}

/// The number of incidents for each first diagnosis.
fn heads<'l>(bugs: &[Bug<'l>]) -> BTreeMap<&'l str, usize> {
    let mut heads = BTreeMap::new();
    for id in bugs.iter().flat_map(|bug| &bug.findings).filter_map(|finding| head(finding)) {
        *heads.entry(id).or_insert(0) += 1;
    }
    heads
}

/// The bugs of both boots, new ones first.
pub(super) fn incidents<'l>(
    good: Side<'l>,
    bad: Side<'l>,
    extents: &(Extent, Extent),
) -> Vec<IncidentRow<'l>> {
    let (of_good, of_bad) = (bugs(good), bugs(bad));
    let heads = heads(&of_good);
    // If the chip is not in one of the logs, its fingerprint differs; such bugs are matched by
    // their other parts.
    let mut by_parts: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (place, bug) in of_good.iter().enumerate() {
        by_parts.entry(bug.story.parts.clone()).or_default().push(place);
    }
    let mut of_good: Vec<Option<Bug<'l>>> = of_good.into_iter().map(Some).collect();
    let mut rows = Vec::new();
    for bug in of_bad {
        let places = by_parts.get(&bug.story.parts).map(Vec::as_slice).unwrap_or_default();
        let same = places.iter().copied().find(|place| {
            of_good[*place].as_ref().is_some_and(|other| other.story.is_like(&bug.story))
        });
        let same = same.and_then(|place| of_good[place].take());
        let kin = bug.findings.first().and_then(|finding| heads.get(head(finding)?));
        let kin = kin.copied().filter(|_| same.is_none()).unwrap_or(0);
        let of_good = same.map(|bug| bug.findings).unwrap_or_default();
        let silence = silence(&extents.0, bad, &bug.findings);
        rows.push(row(of_good, bug.findings, kin, silence));
    }
    for bug in of_good.into_iter().flatten() {
        let silence = silence(&extents.1, good, &bug.findings);
        rows.push(row(bug.findings, Vec::new(), 0, silence));
    }
    rows.sort_by_key(IncidentRow::presence);
    rows
}

fn row<'l>(
    good: Vec<&'l Finding>,
    bad: Vec<&'l Finding>,
    kin: usize,
    silence: Silence,
) -> IncidentRow<'l> {
    let back = |finding: &&Finding| came_back(finding.incident.outcome);
    let always = good.iter().all(|finding| back(finding) == Some(true));
    let once_not = bad.iter().any(|finding| back(finding) == Some(false));
    let is_worse = !good.is_empty() && always && once_not;
    IncidentRow { good, bad, same_head_in_good: kin, is_worse, silence }
}

/// Whether the GPU was usable afterwards; `None` if the log does not show it.
const fn came_back(outcome: Outcome) -> Option<bool> {
    match outcome {
        Outcome::Recovered | Outcome::RecoveredContextLost | Outcome::VramLost | Outcome::None => {
            Some(true)
        }
        Outcome::Failed | Outcome::NeverCompleted | Outcome::Hung => Some(false),
        Outcome::Unknown => None,
    }
}

/// What it proves that the log with this extent does not have the other's incidents.
fn silence(extent: &Extent, side: Side<'_>, findings: &[&Finding]) -> Silence {
    let first = findings.first().and_then(|finding| finding.incident.events.first());
    let stamp = first.and_then(|at| side.log.events.get(*at)).map(|observed| observed.stamp);
    extent.silence(stamp.and_then(|stamp| since_boot(side, &stamp)))
}

/// The notices of one signature.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NoticeRow<'l> {
    /// The first one in the bad boot; if it is gone, in the good boot.
    pub first: &'l Notice,
    /// How often it is in the good boot.
    pub good: usize,
    /// How often it is in the bad boot.
    pub bad: usize,
}

impl NoticeRow<'_> {
    /// Which boots have it.
    pub(crate) const fn presence(&self) -> Presence {
        Presence::of(self.good > 0, self.bad > 0)
    }
}

/// The notices of both boots: new ones first, harmless ones last.
pub(super) fn notices<'l>(good: Side<'l>, bad: Side<'l>) -> Vec<NoticeRow<'l>> {
    let mut rows: Vec<NoticeRow<'l>> = Vec::new();
    let mut places: BTreeMap<&'l str, usize> = BTreeMap::new();
    for (side, is_bad) in [(bad, true), (good, false)] {
        let here = |notice: &&Notice| notice.boot == side.boot;
        for notice in side.conclusions.notices.iter().filter(here) {
            let place = *places.entry(&notice.diagnosis.id).or_insert(rows.len());
            if place == rows.len() {
                rows.push(NoticeRow { first: notice, good: 0, bad: 0 });
            }
            let row = &mut rows[place];
            *(if is_bad { &mut row.bad } else { &mut row.good }) += 1;
        }
    }
    rows.sort_by_key(|row| (row.presence(), row.first.benign));
    rows
}

/// The new driver lines without a known message, errors first. Shapes are counted for each log and
/// not for each boot: in a log with several boots, only those that first appear in this boot are
/// listed.
pub(super) fn unknown<'l>(good: Side<'l>, bad: Side<'l>) -> Option<Vec<&'l Unknown>> {
    let start = |boot: usize| bad.log.reading.boots.get(boot).map(|boot| boot.first_sequence);
    let first = start(bad.boot).filter(|_| bad.boot > 0).unwrap_or(0);
    let end = start(bad.boot + 1).unwrap_or(u64::MAX);
    let new = bad.log.unknown.by_level().into_iter();
    let new = new.filter(|unknown| (first..end).contains(&unknown.sequence));
    if std::ptr::eq(good.log, bad.log) {
        // A shape that first appears after the good boot is not in it.
        return (good.boot < bad.boot).then(|| new.collect());
    }
    let known = good.log.unknown.by_level();
    let known: BTreeSet<&str> = known.into_iter().map(|unknown| unknown.shape.as_str()).collect();
    Some(new.filter(|unknown| !known.contains(unknown.shape.as_str())).collect())
}
