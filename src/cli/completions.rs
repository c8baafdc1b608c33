//! Shell completions.

use clap::{Command, CommandFactory};
use clap_complete::Shell;

use super::Ending;
use super::args::{Arguments, CompletionArguments};
use super::failure::Failure;
use super::streams::{Destination, Streams};

/// Completions for positional arguments of a command and its subcommands, which clap's generator
/// for fish omits. `seen` is fish's condition for this command.
fn values(command: &Command, seen: &str) -> String {
    let mut text = String::new();
    for argument in command.get_positionals() {
        let values = argument.get_value_parser().possible_values();
        let values: Vec<String> =
            values.into_iter().flatten().map(|value| value.get_name().to_owned()).collect();
        if !values.is_empty() && !seen.is_empty() {
            let values = values.join(" ");
            text += &["complete -c amdtriage -n \"", seen, "\" -f -a \"", &values, "\"\n"].concat();
        }
    }
    for one in command.get_subcommands() {
        let name = one.get_name();
        let and = if seen.is_empty() { "" } else { "; and " };
        let own = format!("{seen}{and}__fish_seen_subcommand_from {name}");
        text.push_str(&values(one, &own));
    }
    text
}

/// Prints the completions for a shell.
pub(super) fn run(
    arguments: &CompletionArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    // The generator panics if it cannot write, so it writes to memory.
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "amdtriage", &mut text);
    if arguments.shell == Shell::Fish {
        text.extend(values(&Arguments::command(), "").into_bytes());
    }
    let to = Destination::file(&arguments.file, &[])?;
    streams.write_to(to, |out| out.write_all(&text))?;
    Ok(Ending::Fine)
}
