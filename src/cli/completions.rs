//! What completes commands and options in a shell.

use clap::CommandFactory;

use super::Ending;
use super::args::{Arguments, CompletionArguments};
use super::failure::Failure;
use super::streams::{Destination, Streams};

/// Prints the completions for a shell.
pub(super) fn run(
    arguments: &CompletionArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    // Generating ends the program where it cannot write, and memory can be written to.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "amdtriage", &mut text);
    let to = Destination::file(&arguments.file, &[])?;
    streams.write_to(to, |out| out.write_all(&text))?;
    Ok(Ending::Fine)
}
