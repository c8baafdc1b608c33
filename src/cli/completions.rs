//! What completes commands and options in a shell.

use std::io::Write;

use clap::CommandFactory;

use super::Ending;
use super::args::{Arguments, CompletionArguments};
use super::failure::Failure;

/// Prints the completions for a shell.
pub(super) fn run(
    arguments: &CompletionArguments,
    out: &mut impl Write,
) -> Result<Ending, Failure> {
    // Generating ends the program where it cannot write, and memory can be written to.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "amdtriage", &mut text);
    out.write_all(&text).and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(Ending::Fine)
}
