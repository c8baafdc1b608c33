//! The incident of this boot's log that a check reports.

use serde::Serialize;

use crate::diagnosis::Finding;
use crate::document::{Block, Frame, Item, List, Section, Text, prose};
use crate::pattern::signature::Severity;
use crate::record::Stamp;
use crate::report::ReportPart;
use crate::report::time::{Time, Zone, in_short};
use crate::report::view::IncidentView;
use crate::report::words::tone;
use crate::value::{Outcome, PciAddress};

/// An incident in the kernel log: the last failure from which a GPU did not recover, else the last
/// failure, else the last incident.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct LogIncident<'c> {
    /// The id of the signature of what broke first.
    diagnosis: Option<&'c str>,
    /// The severity.
    severity: Severity,
    /// The GPU that failed first; null if the log does not name one.
    device: Option<PciAddress>,
    /// The outcome.
    outcome: Outcome,
    /// Whether the GPU works again, as far as the log shows.
    over: bool,
    /// The time of its first line.
    time: Option<Time>,
    /// The command for the whole report, with what to do.
    command: &'c str,
    /// Whether the log has no other incident.
    #[serde(skip)]
    pub(super) is_only: bool,
    /// The time in words.
    #[serde(skip)]
    pub(super) when: Option<String>,
    /// The time in seconds since 1970, if the log shows date and zone.
    #[serde(skip)]
    pub(super) timestamp: Option<u64>,
    /// The incident for people.
    #[serde(skip)]
    view: IncidentView<'c>,
}

impl<'c> LogIncident<'c> {
    /// The incident of `part`, if it has one.
    pub(super) fn of(part: &'c ReportPart, command: &'c str) -> Option<Self> {
        let findings = &part.conclusions.findings;
        let works = |finding: &Finding| finding.incident.outcome.is_usable() == Some(true);
        let lasting = |finding: &Finding| finding.is_failure() && !works(finding);
        let worst = findings.iter().rposition(lasting);
        let at = worst.or_else(|| findings.iter().rposition(Finding::is_failure));
        let at = at.or_else(|| findings.len().checked_sub(1))?;
        let finding = findings.get(at)?;
        let stamp = part.log.at(&finding.incident.events).next().map(|observed| observed.stamp);
        Some(Self {
            diagnosis: finding.diagnoses.first().map(|known| known.id.as_str()),
            severity: finding.severity,
            device: finding.incident.device,
            outcome: finding.incident.outcome,
            over: works(finding),
            time: stamp.as_ref().map(Time::certain),
            command,
            is_only: findings.len() == 1,
            when: stamp.and_then(|stamp| in_short(&stamp, part.zone)),
            timestamp: stamp.as_ref().and_then(since_1970),
            view: IncidentView::new(part, finding, at + 1),
        })
    }

    /// A card with what happened, when, and the next step.
    pub(super) fn card(&self) -> Section {
        let mut title = Text::toned(tone(self.severity), self.severity.name());
        title = match self.view.finding.diagnoses.first() {
            Some(known) => {
                title.and(format!(": {} (", known.title)).and(Text::code(&*known.id)).and(")")
            }
            None => title.and(format!(": {}", self.view.title)),
        };
        let when = self.when.as_ref().map(|when| format!(", {when}")).unwrap_or_default();
        let gpu = self.device.map(|device| format!(", GPU {device}")).unwrap_or_default();
        let told = format!("In this boot's log{when}{gpu}. {}", self.view.consequence);
        let step = Item {
            body: vec![Block::Command(self.command.to_owned())],
            ..Item::new("Read the whole report, which says what to do")
        };
        let body = vec![prose(told), List { first: Some(1), items: vec![step] }.into()];
        Section::new(title, body).framed(Frame::Card)
    }
}

fn since_1970(stamp: &Stamp) -> Option<u64> {
    let wall = Zone::Utc.of(stamp.wall?);
    let seconds = wall.local.0 / 1_000_000;
    (wall.offset == Some(0)).then(|| u64::try_from(seconds).ok()).flatten()
}
