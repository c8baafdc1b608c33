//! Checks that the anchors of pattern files exist in a kernel's source tree.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use serde::Serialize;

use super::contents::Contents;
use super::text;
use super::tree::{self, Tree, Unread};
use crate::pattern::Patterns;
use crate::pattern::constraint::KernelRange;
use crate::pattern::source_anchor::SourceAnchor;
use crate::value::words;

/// The file that defines the driver's parameters.
const PARAMETERS: &str = "drivers/gpu/drm/amd/amdgpu/amdgpu_drv.c";

words! {
    /// The pattern that refers to the source.
    pub(crate) Claimant {
        /// A signature.
        Signature,
        /// A piece of advice.
        Advice,
        /// A state of a machine, or a known fault.
        State,
        /// A table of the hardware's or the driver's numbers.
        Table,
        /// The table of the driver's parameters.
        Parameter,
    }
}

words! {
    /// Why an anchor is wrong.
    pub(crate) NotHeld {
        /// None of its files exists.
        NoFile,
        /// None of its files contains it.
        NoSymbol,
        /// It exists although it should not.
        IsThere,
    }
}

/// A wrong anchor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LostAnchor {
    /// The kind of entry that has the anchor.
    pub of: Claimant,
    /// The id of the entry: of a parameter its name, of a table its title or source.
    pub id: String,
    /// The files, from the tree's root.
    pub files: Vec<String>,
    /// The text that is searched for in them.
    pub symbol: String,
    /// The kernels for which it should exist.
    #[serde(serialize_with = "text")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub kernel: Option<KernelRange>,
    /// Why it is wrong.
    pub why: NotHeld,
}

/// The numbers of anchors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct AnchorCount {
    /// Correct anchors.
    pub held: usize,
    /// Wrong anchors.
    pub lost: usize,
    /// Anchors for other kernels, which were not checked.
    pub other_kernels: usize,
}

/// The result of checking the anchors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchors {
    pub count: AnchorCount,
    /// The wrong anchors, in the order of the patterns.
    pub lost: Vec<LostAnchor>,
}

/// An anchor, and the result of checking it.
struct Claim {
    /// The report if it is wrong.
    lost: LostAnchor,
    /// Whether it should exist in this kernel.
    is_wanted: bool,
    has_file: bool,
    is_found: bool,
}

/// Checks all anchors of `patterns` that apply to this kernel. Each file is read once.
pub(crate) fn check(tree: &Tree, patterns: &Patterns, unread: &mut Vec<Unread>) -> Anchors {
    let mut anchors = Anchors::default();
    let mut claims = claims(tree, patterns, &mut anchors.count);
    let mut by_file: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        for file in &claim.lost.files {
            by_file.entry(file.clone()).or_default().push(at);
        }
    }
    for (path, wanted) in by_file {
        let text = match file(tree, &path) {
            Ok(Some(text)) => text,
            Ok(None) => continue,
            Err(error) => {
                unread.push(Unread::new(&path, &error));
                continue;
            }
        };
        let contents = Contents::new(&path, &text);
        for claim in wanted {
            if let Some(claim) = claims.get_mut(claim) {
                claim.has_file = true;
                claim.is_found |= match claim.lost.of {
                    Claimant::Signature | Claimant::Advice | Claimant::State | Claimant::Table => {
                        contents.has(&claim.lost.symbol)
                    }
                    Claimant::Parameter => contents.parameters.contains(claim.lost.symbol.as_str()),
                };
            }
        }
    }
    for mut claim in claims {
        claim.lost.why = match (claim.is_wanted, claim.has_file, claim.is_found) {
            (true, _, true) | (false, _, false) => {
                anchors.count.held += 1;
                continue;
            }
            (true, true, false) => NotHeld::NoSymbol,
            (true, false, false) => NotHeld::NoFile,
            (false, _, true) => NotHeld::IsThere,
        };
        anchors.count.lost += 1;
        anchors.lost.push(claim.lost);
    }
    anchors
}

/// The anchors that apply to the kernel of `tree`; the others are counted.
fn claims(tree: &Tree, patterns: &Patterns, count: &mut AnchorCount) -> Vec<Claim> {
    let signatures = patterns.signatures.iter();
    let signatures = signatures.flat_map(|one| {
        one.anchors.iter().map(move |anchor| (Claimant::Signature, one.id.as_str(), anchor))
    });
    let advice = patterns.advice.iter();
    let advice = advice.flat_map(|one| {
        one.anchors.iter().map(move |anchor| (Claimant::Advice, one.id.as_str(), anchor))
    });
    let states =
        patterns.machines.anchors().map(|(id, anchor)| (Claimant::State, id.as_str(), anchor));
    let tables = patterns.hardware.anchors();
    let tables = tables.into_iter().map(|(id, anchor)| (Claimant::Table, id, anchor));
    let mut claims = Vec::new();
    for (of, id, SourceAnchor { files, symbol, kernel }) in
        signatures.chain(advice).chain(states).chain(tables)
    {
        if kernel.is_some_and(|range| !range.contains(tree.version)) {
            count.other_kernels += 1;
        } else {
            claims.push(Claim::new(of, id, files.clone(), symbol, *kernel));
        }
    }
    for parameter in &patterns.hardware.parameters {
        let name = &parameter.name;
        let Some(is_wanted) = parameter.exists_in(Some(tree.version)) else {
            count.other_kernels += 1;
            continue;
        };
        let files = vec![PARAMETERS.to_owned()];
        let claim = Claim::new(Claimant::Parameter, name, files, name, None);
        claims.push(Claim { is_wanted, ..claim });
    }
    claims
}

impl Claim {
    fn new(
        of: Claimant,
        id: &str,
        files: Vec<String>,
        symbol: &str,
        kernel: Option<KernelRange>,
    ) -> Self {
        let (id, symbol) = (id.to_owned(), symbol.to_owned());
        let lost = LostAnchor { of, id, files, symbol, kernel, why: NotHeld::NoFile };
        Self { lost, is_wanted: true, has_file: false, is_found: false }
    }
}

/// The text of a file of the tree; `None` if it does not exist. Symbolic links are not followed.
fn file(tree: &Tree, path: &str) -> io::Result<Option<String>> {
    if let Some(file) = tree.files.iter().find(|file| file.path == path) {
        return Ok(Some(file.text.clone()));
    }
    let place = tree.root.join(path);
    match fs::symlink_metadata(&place) {
        Ok(about) if about.is_file() => tree::text(&place, tree::LARGEST_FILE).map(Some),
        Ok(_) => Err(io::Error::other("no file")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
