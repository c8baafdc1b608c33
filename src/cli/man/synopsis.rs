//! The synopsis of a page: each option with its value.

use std::io::{self, Write};

use clap::{Arg, Command};

use super::escaped;

/// Writes the section.
pub(super) fn write(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    writeln!(text, ".SH SYNOPSIS\n\\fB{}\\fR", escaped(name))?;
    let shown = command.get_arguments().filter(|argument| !argument.is_hide_set());
    let (arguments, options): (Vec<&Arg>, Vec<&Arg>) =
        shown.partition(|argument| argument.is_positional());
    for option in options {
        writeln!(text, "[{}]", self::option(option))?;
    }
    for argument in arguments {
        writeln!(text, "{}", self::argument(argument))?;
    }
    match (command.has_subcommands(), command.is_subcommand_required_set()) {
        (false, _) => Ok(()),
        (true, true) => writeln!(text, "\\fICOMMAND\\fR [\\fIARGUMENT\\fR]..."),
        (true, false) => {
            writeln!(text, ".br\n\\fB{name}\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR]...")
        }
    }
}

/// `-o|--output FILE`.
fn option(option: &Arg) -> String {
    let short = option.get_short().map(|short| format!("\\-{short}"));
    let long = option.get_long().map(|long| escaped(&format!("--{long}")));
    let names = short.into_iter().chain(long).map(|name| format!("\\fB{name}\\fR"));
    let names = names.collect::<Vec<_>>().join("|");
    match values(option) {
        Some(values) if option.get_action().takes_values() => format!("{names} {values}"),
        _ => names,
    }
}

/// `[FILE]...`.
fn argument(argument: &Arg) -> String {
    if argument.get_value_names().is_some_and(|names| names.len() > 1) {
        let names = argument.get_value_names().unwrap_or_default().iter();
        let each = names.map(|name| format!("[\\fI{}\\fR]", escaped(name)));
        return each.collect::<Vec<_>>().join(" ");
    }
    let value = values(argument).unwrap_or_default();
    let many = argument.get_num_args().is_some_and(|count| count.max_values() > 1);
    let many = if many { "..." } else { "" };
    let separated = if argument.is_last_set() { "[\\-\\-] " } else { "" };
    if argument.is_required_set() {
        format!("{separated}{value}{many}")
    } else {
        format!("{separated}[{value}]{many}")
    }
}

fn values(argument: &Arg) -> Option<String> {
    let names = argument.get_value_names()?;
    let names = names.iter().map(|name| format!("\\fI{}\\fR", escaped(name)));
    Some(names.collect::<Vec<_>>().join(" "))
}
