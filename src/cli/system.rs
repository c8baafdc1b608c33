//! Whose commands are shown: those of the distribution that somebody names, or of the machine that is read.

use std::path::Path;

use super::settings;
use crate::host;
use crate::host::Kernel;
use crate::host::process::Process;
use crate::pattern::Patterns;
use crate::pattern::distribution::System;

/// A machine whose own log is read.
pub(super) enum Machine<'a> {
    /// None: a log may come from anywhere.
    Unknown,
    /// This one, or that whose files are below a folder.
    Own(Option<&'a Path>),
}

/// Has advice say what to type there. A distribution of which nothing is known leaves it to the log's lines.
pub(super) fn assume(patterns: &mut Patterns, named: Option<&System>, machine: &Machine<'_>) {
    let kernel = match machine {
        Machine::Unknown => None,
        Machine::Own(root) => settings::program().ok().map(|program| {
            let mut files = Process::new(program, root.map(Path::to_owned));
            host::kernel(&mut files)
        }),
    };
    assume_machine(patterns, named, kernel.as_ref());
}

/// The same where the machine was read already.
pub(super) fn assume_machine(
    patterns: &mut Patterns,
    named: Option<&System>,
    kernel: Option<&Kernel>,
) {
    let own = kernel.and_then(|kernel| {
        let distribution = kernel.distribution.as_ref().ok()?;
        let release = kernel.release.as_deref().ok();
        patterns.distributions.of_machine(distribution.names(), release)
    });
    let told = match named {
        Some(System { family, distribution: None }) => {
            own.filter(|own| own.family == *family).or_else(|| Some(System::of_family(*family)))
        }
        Some(named) => Some(named.clone()),
        None => own,
    };
    patterns.distributions.assume(told);
}
