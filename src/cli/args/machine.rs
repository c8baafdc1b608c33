//! Arguments for reading a machine's own log.

use std::path::PathBuf;

use clap::Args;

use super::INPUT;

/// Which machine's own log is read, and how far back.
#[derive(Debug, Default, Args)]
pub(crate) struct MachineArguments {
    /// Read this machine's log even if standard input is not a terminal
    ///
    /// For scripts, cron jobs and ssh. On a terminal this is the default without FILE.
    #[arg(long, conflicts_with = "files", help_heading = INPUT)]
    pub this_machine: bool,

    /// Read all boots in this machine's journal
    ///
    /// Also if standard input is not a terminal. Of FILE, all boots are always read.
    #[arg(long, conflicts_with = "files", help_heading = INPUT)]
    pub all_boots: bool,

    /// Read the log of the machine whose disk is mounted at DIR
    ///
    /// For a machine that no longer starts. Reads the last boot in its journal.
    #[arg(long, value_name = "DIR", conflicts_with = "files", help_heading = INPUT)]
    #[arg(value_hint = clap::ValueHint::DirPath)]
    pub root: Option<PathBuf>,
}

impl MachineArguments {
    /// Whether a machine's own log is asked for, whatever standard input is.
    pub(crate) const fn is_asked(&self) -> bool {
        self.this_machine || self.all_boots || self.root.is_some()
    }
}
