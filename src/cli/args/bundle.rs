//! Arguments for the archive of a bug report.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser};

use super::known::trackers;
use super::{CertaintyArguments, DistroArguments, Inputs, OUTPUT, PageArguments, PartArguments};

/// Suffixes of files of other types, which an archive must not have.
const OTHER_TYPES: [&str; 11] =
    ["7z", "bz2", "html", "json", "md", "rar", "tar", "txt", "xz", "zip", "zst"];

/// Reads the name of an archive.
fn archive() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        let suffix = path.extension().and_then(|suffix| suffix.to_str());
        if suffix.is_none_or(|suffix| !OTHER_TYPES.contains(&suffix)) {
            return Ok(path);
        }
        let right = path.with_extension("tar.gz");
        Err(format!("the archive is a tar.gz file; did you mean `{}`?", right.display()))
    })
}

/// Arguments of the attachment for a bug report.
#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BundleArguments {
    /// Where to read.
    #[command(flatten)]
    pub inputs: Inputs,

    /// Which part of the log it is about.
    #[command(flatten)]
    pub part: PartArguments,

    /// Which diagnoses it has.
    #[command(flatten)]
    pub certainty: CertaintyArguments,

    /// The issue tracker to write the report for
    ///
    /// Without this option the diagnosis decides: faults of the driver or the firmware go to
    /// drm-amd, those of the graphics libraries to mesa, those of the compute libraries to rocm.
    /// Distributions want faults of their own kernels.
    #[arg(long = "for", value_name = "TRACKER", value_parser = trackers(), help_heading = OUTPUT)]
    pub tracker: Option<String>,

    /// For which distribution commands are.
    #[command(flatten)]
    pub distro: DistroArguments,

    /// The archive to write [default: amdtriage-FINGERPRINT.tar.gz]
    ///
    /// It appears once it is complete, and only its owner can read it.
    #[arg(short, long, value_name = "NAME.tar.gz", conflicts_with_all = ["stdout", "dry_run"])]
    #[arg(value_parser = archive(), help_heading = OUTPUT)]
    pub output: Option<PathBuf>,

    /// Print the report for the tracker and write no archive
    ///
    /// It is shortened to the size limit of the tracker; the lines that prove the failure go last.
    #[arg(long, conflicts_with = "dry_run", help_heading = OUTPUT)]
    pub stdout: bool,

    /// List what the archive would contain, and what would be removed, and write nothing
    #[arg(long, help_heading = OUTPUT)]
    pub dry_run: bool,

    /// Write the value of each token to a private file
    ///
    /// Only its owner can read it, and it is never part of the archive.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub map: Option<PathBuf>,

    /// Also replace the names of programs, except common ones
    #[arg(long, help_heading = OUTPUT)]
    pub drop_process_names: bool,

    /// Print the name of the archive only
    #[arg(short, long, conflicts_with_all = ["stdout", "dry_run"], help_heading = OUTPUT)]
    pub quiet: bool,

    /// How it looks.
    #[command(flatten)]
    pub page: PageArguments,
}
