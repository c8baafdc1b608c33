//! What a person types to get the attachment for a bug report.

use std::path::PathBuf;

use clap::Args;

use super::{ChoiceArguments, DistroArguments, Inputs, OUTPUT};

/// Arguments of the attachment for a bug report.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BundleArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which failure it is about.
    #[command(flatten)]
    pub choice: ChoiceArguments,

    /// The tracker that the report goes to
    ///
    /// Without it the diagnosis decides: a fault of the driver or the firmware goes to drm-amd, one of the
    /// graphics libraries to mesa, one of the compute libraries to rocm. Distributions want faults of their
    /// own kernels.
    #[arg(long = "for", value_name = "TRACKER", help_heading = OUTPUT)]
    pub tracker: Option<String>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// The archive to write; amdtriage-FINGERPRINT.tar.gz if nothing is said
    ///
    /// It gets its name once it is whole, and nobody else may read it.
    #[arg(short, long, value_name = "NAME.tar.gz", conflicts_with_all = ["stdout", "dry_run"])]
    #[arg(help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// Print the page for the tracker and make no archive
    ///
    /// It is cut to what the tracker takes, the lines that prove the failure last.
    #[arg(long, conflicts_with = "dry_run", help_heading = OUTPUT)]
    pub stdout: bool,

    /// Say what would be in the archive, and what would be taken out of it, and make none
    #[arg(long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Write what each token stands for into a file, for yourself alone
    ///
    /// Nobody else may read the file, and it never is part of the archive.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub map: Option<PathBuf>,

    /// Take out the names of programs, too, but for those that everybody has
    #[arg(long, help_heading = OUTPUT)]
    pub drop_process_names: bool,
}
