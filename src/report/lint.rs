//! What is wrong with pattern files, one line each, as compilers write it.

use std::io;

use serde::Serialize;

use super::counts::several;
use super::json;
use super::untrusted::Untrusted;
use crate::lint::{Finding, Gravity, Place};

/// A finding, and where it stands.
#[derive(Clone, Debug)]
pub struct Located {
    /// What is wrong.
    pub finding: Finding,
    /// Where; built-in files keep no places.
    pub place: Option<Place>,
}

/// Writes one line a finding, and how many there are.
///
/// # Errors
/// What the writer returns.
pub fn write(all: &[Located], signatures: usize, out: &mut impl io::Write) -> io::Result<()> {
    for Located { finding, place } in all {
        let Finding { id, gravity, rule, what, .. } = finding;
        let place = place.as_ref().map(|Place { path, line }| format!("{path}:{line}: "));
        let place = place.unwrap_or_default();
        let line = format!("{place}{}: {id}: {what} [{rule}]", gravity.name());
        writeln!(out, "{}", Untrusted(&line))?;
    }
    let count = |gravity| all.iter().filter(|told| told.finding.gravity == gravity).count();
    let (errors, warnings) = (count(Gravity::Error), count(Gravity::Warning));
    let found = match (errors, warnings) {
        (0, 0) => "nothing found".to_owned(),
        _ => format!("{}, {}", several(errors, "error"), several(warnings, "warning")),
    };
    writeln!(out, "{}: {found}", several(signatures, "signature"))
}

#[derive(Serialize)]
struct Object<'t> {
    severity: &'static str,
    rule: &'static str,
    id: &'t str,
    path: Option<&'t str>,
    line: Option<usize>,
    what: &'t str,
}

/// Writes one object a finding.
///
/// # Errors
/// What the writer returns.
pub fn write_objects(all: &[Located], out: &mut impl io::Write) -> io::Result<()> {
    all.iter().try_for_each(|Located { finding, place }| {
        let object = Object {
            severity: finding.gravity.name(),
            rule: finding.rule,
            id: &finding.id,
            path: place.as_ref().map(|place| place.path.as_str()),
            line: place.as_ref().map(|place| place.line),
            what: &finding.what,
        };
        json::line(&object, out)
    })
}
