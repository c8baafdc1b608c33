//! Signatures without fixtures.

use std::collections::BTreeSet;

use super::{Issue, LintLevel, Spot};
use crate::fixture::Fixture;
use crate::pattern::signature::{Signature, Status};

/// A fixture, and what its path says about it.
#[derive(Clone, Debug)]
pub struct Proof {
    /// Its path, as shown to users.
    pub(crate) path: String,
    /// The name of its directory, which may be a signature's.
    pub(crate) folder: String,
    /// The name of its file.
    pub(crate) file: String,
    pub(crate) fixture: Fixture,
}

impl Proof {
    /// Whether it counts as a fixture of the signature: it is in its directory, names it, or is a
    /// miss in a directory that is not named after a signature.
    fn is_for(&self, id: &str, all: &[Signature]) -> bool {
        if all.iter().any(|signature| signature.id == self.folder) {
            return self.folder == id;
        }
        self.fixture.wanted.names(id) || self.file.starts_with("miss-")
    }

    /// A contradiction between its path and its header.
    pub(crate) fn disagreement(&self, all: &[Signature]) -> Option<String> {
        let id = &self.folder;
        if !all.iter().any(|signature| signature.id == *id) {
            return None;
        }
        let named = self.fixture.wanted.names(id);
        match (self.file.starts_with("hit-"), self.file.starts_with("miss-")) {
            (true, _) if !named => Some(format!("it is called a hit, and its header lacks {id}")),
            (_, true) if named => Some(format!("it is called a miss, and its header names {id}")),
            _ => None,
        }
    }
}

pub(super) fn look(signatures: &[Signature], proofs: &[Proof], found: &mut Vec<Issue>) {
    for signature in signatures {
        let id = &signature.id;
        let own = || proofs.iter().filter(|proof| proof.is_for(id, signatures));
        let kernels: BTreeSet<&str> = own()
            .filter(|proof| proof.fixture.wanted.names(id))
            .map(|proof| proof.fixture.kernel.as_str())
            .collect();
        let mut say = |gravity, what: &str| {
            found.push(Issue::new(gravity, "unproven", id, Spot::Whole, what));
        };
        if kernels.is_empty() {
            say(LintLevel::Warning, "no fixture is a hit: nothing shows that it matches");
        }
        if own().all(|proof| proof.fixture.wanted.names(id)) {
            say(LintLevel::Warning, "no fixture is a miss: nothing shows that it keeps still");
        }
        if signature.status == Status::Stable && kernels.len() < 2 {
            say(LintLevel::Error, "it is stable without hits of two kernels");
        }
    }
}
