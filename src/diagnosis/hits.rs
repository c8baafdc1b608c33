//! The signatures that match an incident, or all events of a GPU in one boot.

use super::run::Run;
use super::sequence::{Match, Scene, Search, search};
use super::silence::silencers;
use super::survey::Stream;
use crate::incident::Incident;
use crate::pattern::Patterns;
use crate::pattern::constraint::Known;
use crate::pattern::signature::{AsNotice, Scope, Signature};

/// A signature that matched, before the diagnoses of an incident are ordered.
#[derive(Clone)]
pub(crate) struct Hit<'l> {
    pub signature: &'l Signature,
    pub found: Match<'l>,
}

/// What signatures are matched with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MatchTarget {
    /// An incident.
    Incident,
    /// A granted request: a reset that someone requested and that worked.
    Request,
    /// All events of a GPU in one boot.
    Boot,
}

impl MatchTarget {
    pub(super) const fn of(incident: &Incident) -> Self {
        if incident.is_granted_request() { Self::Request } else { Self::Incident }
    }

    pub(super) fn suits(self, signature: &Signature) -> bool {
        let of_incidents = signature.scope != Scope::Boot;
        match self {
            Self::Incident => of_incidents && signature.notice != AsNotice::Only,
            Self::Request => of_incidents && signature.notice != AsNotice::Never,
            Self::Boot => signature.scope != Scope::Incident,
        }
    }
}

/// The signatures that match and are not suppressed.
pub(super) fn hits<'l>(
    patterns: &'l Patterns,
    against: MatchTarget,
    stream: Stream<'l>,
    events: &'l Run<'l>,
    not_evaluated: &mut Vec<String>,
) -> Vec<Hit<'l>> {
    let (known, scene) = (stream.known(), stream.scene(events));
    let mut hits = matching(patterns, against, known, scene, not_evaluated);
    let silent: Vec<bool> = hits.iter().map(|hit| !silencers(hit, &hits).is_empty()).collect();
    let loud = hits.drain(..).zip(silent).filter(|(_, silent)| !silent);
    loud.map(|(hit, _)| hit).collect()
}

/// The signatures that match.
pub(super) fn matching<'l>(
    patterns: &'l Patterns,
    against: MatchTarget,
    known: Known,
    scene: Scene<'l>,
    not_evaluated: &mut Vec<String>,
) -> Vec<Hit<'l>> {
    let mut hits = Vec::new();
    for signature in &patterns.signatures {
        if !against.suits(signature) || !signature.applies.allows(known) {
            continue;
        }
        match search(signature, scene) {
            Search::Found(found) => hits.push(Hit { signature, found: *found }),
            Search::Absent => {}
            Search::GaveUp => not_evaluated.push(signature.id.clone()),
        }
    }
    hits
}
