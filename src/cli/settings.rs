//! What the program will do: arguments, terminal and environment, resolved once.

use std::io::IsTerminal;
use std::path::PathBuf;

use super::args::{ReportArguments, When};
use crate::report::page::Look;

/// The width where no terminal says another.
const WIDTH: u16 = 80;

/// How the report looks on this terminal.
#[must_use]
pub fn look(arguments: &ReportArguments) -> Look {
    let colour = match arguments.color {
        When::Always => true,
        When::Never => false,
        When::Auto => std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
    };
    Look { width: width(), colour, verbose: arguments.verbose, all: arguments.all }
}

/// Columns of the terminal.
#[must_use]
pub fn width() -> u16 {
    let told = variable("COLUMNS").and_then(|columns| columns.parse().ok());
    told.filter(|columns| *columns > 0).unwrap_or(WIDTH)
}

/// The user's own folder of pattern files, where there is one.
#[must_use]
pub fn pattern_folder() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folder = config.or_else(home)?.join("amdtriage").join("patterns");
    folder.is_dir().then_some(folder)
}

fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.is_empty())
}

fn is_dumb() -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

#[allow(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
