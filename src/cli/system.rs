//! Whose commands are shown: those of the distribution that somebody names, or of the machine that is read.

use std::path::Path;

use super::settings;
use crate::host;
use crate::host::OsRelease;
use crate::host::process::Process;
use crate::pattern::Patterns;
use crate::pattern::distribution::System;
use crate::value::DistributionFamily;

/// A machine whose own log is read.
pub(super) enum Machine<'a> {
    /// None: a log may come from anywhere.
    Unknown,
    /// This one, or that whose files are below a folder.
    Own(Option<&'a Path>),
}

/// Has advice say what to type there. A distribution of which nothing is known leaves it to the log's lines.
pub(super) fn assume(
    patterns: &mut Patterns,
    named: Option<DistributionFamily>,
    machine: &Machine<'_>,
) {
    let release = match machine {
        Machine::Unknown => None,
        Machine::Own(root) => settings::program().ok().and_then(|program| {
            let mut files = Process::new(program, root.map(Path::to_owned));
            host::distribution(&mut files).ok()
        }),
    };
    assume_release(patterns, named, release.as_ref());
}

/// The same where the machine was read already.
pub(super) fn assume_release(
    patterns: &mut Patterns,
    named: Option<DistributionFamily>,
    release: Option<&OsRelease>,
) {
    let own = release.and_then(|release| patterns.distributions.of_names(release.names()));
    let told = match named {
        Some(family) => {
            own.filter(|own| own.family == family).or_else(|| Some(System::of_family(family)))
        }
        None => own,
    };
    patterns.distributions.assume(told);
}
