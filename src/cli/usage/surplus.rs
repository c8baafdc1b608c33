//! Arguments after the last one that a command takes.

use super::{Mistake, command, first_right, is_command, line};
use crate::input::Hint;

/// What commands with a limited number of arguments take.
const TAKEN: [(&str, &str); 7] = [
    ("amdtriage check", "takes no log: it examines this machine"),
    ("amdtriage completions", "takes one shell"),
    ("amdtriage diff", "compares two logs"),
    ("amdtriage follow", "watches one log"),
    ("amdtriage man", "prints the page of amdtriage itself"),
    ("amdtriage patterns list", "takes one kind of name"),
    ("amdtriage schema", "prints the schema of one output"),
];

/// Recognises such an argument.
pub(super) fn surplus(wrong: &str, typed: &[String]) -> Option<Mistake> {
    if wrong.starts_with('-') {
        return None;
    }
    let command = command(typed);
    let (_, takes) = TAKEN.iter().find(|(name, _)| *name == command)?;
    let name = command.strip_prefix("amdtriage ").unwrap_or(&command);
    let at = typed.iter().rposition(|word| word == wrong)?;
    let without = [typed.get(..at)?, typed.get(at + 1..)?].concat();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let right = match name {
        "check" => first_right([words(&["amdtriage", wrong])]),
        "man" if is_command(wrong) => Some(line(&words(&["amdtriage", "help", wrong]))),
        _ => first_right([without]),
    };
    let help = right.unwrap_or_else(|| format!("{command} --help"));
    Some(Mistake { sentence: format!("`{name}` {takes}"), hint: Hint::Command(help) })
}
