//! Options of `dmesg`, `journalctl`, `grep`, `tail` and similar programs, and what they are here.

use super::{Mistake, command, first_right};
use crate::input::Hint;

/// The replacement for an option of another program.
enum Replacement {
    /// These words; the first form that the command accepts.
    Words(&'static [&'static [&'static str]]),
    /// A command.
    Command(&'static str),
    /// Nothing, for this reason; the corrected command goes without it.
    Nothing(&'static str),
    /// Nothing, and its value goes with it.
    NothingWithValue(&'static str),
    /// These words in place of the option and its value, for this reason.
    InsteadOfValue(&'static str, &'static str),
    /// The default command, as root.
    Default,
    /// A command of another program.
    Program(&'static str),
    /// A redirection by the shell, for this reason.
    Redirected(&'static str),
}

/// All of them.
const FOREIGN: &[(&[&str], Replacement)] = &[
    (
        &["--json", "-j", "-J"],
        Replacement::Words(&[&["--format", "json"], &["--format", "ndjson"]]),
    ),
    (
        &["--jsonl", "--ndjson"],
        Replacement::Words(&[&["--format", "ndjson"], &["--format", "json"]]),
    ),
    (&["--html"], Replacement::Words(&[&["--format", "html"]])),
    (&["--markdown", "--md"], Replacement::Words(&[&["--format", "markdown"]])),
    (&["--prometheus"], Replacement::Words(&[&["--format", "prometheus"]])),
    (&["--toml"], Replacement::Words(&[&["--format", "toml"]])),
    (&["--csv", "--tsv", "--yaml", "--xml"], Replacement::Command("rows")),
    (&["-f", "--follow", "-w", "-W", "--follow-new"], Replacement::Command("follow")),
    (&["--file", "-F", "-i", "--input", "--directory", "-D"], Replacement::Words(&[&[]])),
    (&["-k", "--dmesg", "--kernel", "-x", "--decode"], Replacement::Words(&[&[]])),
    (&["-T", "--ctime", "--reltime", "-H", "--human"], Replacement::Words(&[&["--local"], &[]])),
    (
        &["--no-color", "--no-colour", "--nocolor"],
        Replacement::Words(&[&["--color", "never"], &[]]),
    ),
    (&["--colour", "-C"], Replacement::Words(&[&["--color"], &["--color", "always"], &[]])),
    (&["-u"], Replacement::Words(&[&["--utc"]])),
    (&["--gpu", "--pci", "--bdf", "-d"], Replacement::Words(&[&["--device"]])),
    (&["--short", "--summary", "--brief", "-s"], Replacement::Words(&[&["--quiet"]])),
    (&["--full", "-a", "-l"], Replacement::Words(&[&["--verbose"], &["--all"]])),
    (&["--out", "--write"], Replacement::Words(&[&["--output"]])),
    (&["--list-boots"], Replacement::Program("journalctl --list-boots")),
    (
        &["-n", "--lines", "--tail", "--head"],
        Replacement::NothingWithValue("the whole log is read; amdtriage -S -10min shows its end"),
    ),
    (&["-r", "--reverse"], Replacement::Nothing("reports are in the order of time")),
    (
        &["-p", "--priority", "--level", "-t", "--identifier", "-g", "--grep", "--facility"],
        Replacement::NothingWithValue(
            "give amdtriage the whole log: lines that are filtered out cannot be diagnosed",
        ),
    ),
    (&["-o", "--output"], Replacement::Redirected("this command writes as it goes")),
    (&["--format"], Replacement::NothingWithValue("this command has one output format")),
    (&["--no-pager"], Replacement::Nothing("this command does not start a pager")),
    (&["--color"], Replacement::NothingWithValue("this command prints no colors")),
    (&["--utc", "--local"], Replacement::Nothing("this command does not show times")),
    (
        &["-b", "--boot", "-S", "--since", "-U", "--until", "--device"],
        Replacement::NothingWithValue("this command does not select parts of a log"),
    ),
    (&["--debug", "--log-level"], Replacement::Words(&[&["--verbose"], &[]])),
];

/// Options that are something else for one command.
const OF_ONE_COMMAND: &[(&str, &[&str], Replacement)] = &[
    (
        "amdtriage follow",
        &["-n", "--lines", "--tail", "--head"],
        Replacement::NothingWithValue("only new lines are reported; --from-start shows the rest"),
    ),
    ("amdtriage diff", &["-b", "--boot"], Replacement::Words(&[&["--bad", "0", "--good"]])),
    (
        "amdtriage diff",
        &["-S", "--since", "-U", "--until", "--device"],
        Replacement::NothingWithValue("diff compares whole boots; --good and --bad select them"),
    ),
    (
        "amdtriage check",
        &["-b", "--boot", "-S", "--since", "-U", "--until", "--device"],
        Replacement::Default,
    ),
    (
        "amdtriage check",
        &["--watch", "--follow", "-w", "-f"],
        Replacement::Program("amdtriage follow"),
    ),
    ("amdtriage explain", &["--all", "--list"], Replacement::Program("amdtriage patterns list")),
    (
        "amdtriage report",
        &["--format"],
        Replacement::InsteadOfValue(
            "--stdout",
            "the archive has the report as Markdown, HTML and JSON; --stdout prints the Markdown",
        ),
    ),
];

/// Recognises an option of another program.
pub(super) fn foreign(option: &str, typed: &[String]) -> Option<Mistake> {
    let name = option.split('=').next().unwrap_or_default();
    let typed_command = command(typed);
    let special = OF_ONE_COMMAND
        .iter()
        .find(|(command, names, _)| *command == typed_command && names.contains(&name));
    let usual = || FOREIGN.iter().find(|(names, _)| names.contains(&name));
    let here = special.map(|(.., here)| here).or_else(|| usual().map(|(_, here)| here))?;
    let at =
        typed.iter().position(|word| word == option || word.split('=').next() == Some(name))?;
    let before = typed.get(..at).unwrap_or_default();
    let after = typed.get(at + 1..).unwrap_or_default();
    let value = typed.get(at).and_then(|word| word.split_once('='));
    let value = value.map(|(_, value)| value.to_owned());
    let with = |words: &[&str]| {
        let words = words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        [before, &words, value.as_slice(), after].concat()
    };
    let alone = || [before, after].concat();
    let without_next = || [before, after.get(1..).unwrap_or_default()].concat();
    let help = || format!("{} --help", command(typed));
    let right = |candidates: Vec<Vec<String>>| first_right(candidates).unwrap_or_else(help);
    // What follows may be a log instead of the value.
    let is_log = after.first().is_some_and(|next| std::path::Path::new(next).is_file());
    let without_value = || {
        right(match value {
            Some(_) => vec![alone()],
            None if is_log => vec![alone(), without_next()],
            None => vec![without_next(), alone()],
        })
    };
    let hint = match here {
        Replacement::Words(all) => {
            Hint::Command(right(all.iter().map(|words| with(words)).collect()))
        }
        Replacement::Command(name) => {
            let rest = |from: usize| {
                let start = ["amdtriage", name].map(str::to_owned);
                [&start, with(&[]).get(from..).unwrap_or_default()].concat()
            };
            // What was typed may begin with another command.
            let right = first_right([rest(1), rest(2)]);
            Hint::Command(right.unwrap_or_else(|| format!("amdtriage {name}")))
        }
        Replacement::Program(command) => Hint::Command((*command).to_owned()),
        Replacement::Nothing(why) => Hint::CommandOr(right(vec![alone()]), (*why).to_owned()),
        Replacement::NothingWithValue(why) => Hint::CommandOr(without_value(), (*why).to_owned()),
        Replacement::InsteadOfValue(word, why) => {
            let rest = after.get(usize::from(value.is_none())..).unwrap_or_default();
            let words = [before, &[(*word).to_owned()], rest].concat();
            Hint::CommandOr(right(vec![words]), (*why).to_owned())
        }
        Replacement::Default => {
            let start = ["amdtriage".to_owned()];
            let words = [&start, typed.get(2..).unwrap_or_default()].concat();
            let right = first_right([words]);
            Hint::Command(right.map_or_else(help, |right| format!("sudo {right}")))
        }
        Replacement::Redirected(why) => {
            let file = value.as_deref().or_else(|| Some(after.first()?.as_str()));
            let file = shell_words::quote(file.unwrap_or("report.txt"));
            Hint::CommandOr(format!("{} > {file}", without_value()), (*why).to_owned())
        }
    };
    Some(Mistake { sentence: format!("unknown option `{name}`"), hint })
}
