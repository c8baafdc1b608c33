//! What a person types to have a machine's own log read.

use std::path::PathBuf;

use clap::Args;

use super::INPUT;

/// Which machine's own log is read, and how far back.
#[derive(Debug, Default, Args)]
pub(crate) struct MachineArguments {
    /// Read this machine's own log, also where standard input is no terminal
    ///
    /// In scripts, cron jobs and over ssh. On a terminal it is what is done without FILE.
    #[arg(long, conflicts_with = "files", help_heading = INPUT)]
    pub this_machine: bool,

    /// Read all boots that this machine's journal has
    ///
    /// Also where standard input is no terminal. Of FILE all boots are read in any case.
    #[arg(long, conflicts_with = "files", help_heading = INPUT)]
    pub all_boots: bool,

    /// Read the log of the machine whose disk is mounted at DIR
    ///
    /// For one that does not start any more. Its last boot is read as this machine's current one is, from
    /// its journal alone.
    #[arg(long, value_name = "DIR", conflicts_with = "files", help_heading = INPUT)]
    pub root: Option<PathBuf>,
}

impl MachineArguments {
    /// Whether a machine's own log is asked for, whatever standard input is.
    pub(crate) const fn is_asked(&self) -> bool {
        self.this_machine || self.all_boots || self.root.is_some()
    }
}
