//! Selects the distribution whose commands are shown: from the user, or from the machine that is
//! read.

use std::path::Path;

use super::settings;
use crate::host;
use crate::host::Kernel;
use crate::host::process::Process;
use crate::pattern::Patterns;
use crate::pattern::distribution::System;

/// The machine whose log is read.
pub(super) enum Machine<'a> {
    /// Unknown: a log may come from anywhere.
    Unknown,
    /// This one, or the one whose files are below a directory.
    Own(Option<&'a Path>),
}

/// Sets the distribution for advice. If it is unknown, the log's lines decide.
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

/// The same for a machine that was read already.
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
