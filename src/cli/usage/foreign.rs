//! Options of `dmesg`, `journalctl`, `grep`, `tail` and similar programs, and what they are here.

use super::{Mistake, command, first_right};
use crate::input::Hint;

/// The replacement for an option of another program.
enum Here {
    /// These words; the first form that the command accepts.
    Words(&'static [&'static [&'static str]]),
    /// A command.
    Command(&'static str),
    /// Nothing, for this reason; the corrected command goes without it.
    Nothing(&'static str),
    /// Nothing, and its value goes with it.
    NothingWithValue(&'static str),
    /// A command of another program.
    Program(&'static str),
    /// A redirection by the shell, for this reason.
    Redirected(&'static str),
}

/// All of them.
const FOREIGN: &[(&[&str], Here)] = &[
    (&["--json", "-j", "-J"], Here::Words(&[&["--format", "json"], &["--format", "ndjson"]])),
    (&["--jsonl", "--ndjson"], Here::Words(&[&["--format", "ndjson"], &["--format", "json"]])),
    (&["--html"], Here::Words(&[&["--format", "html"]])),
    (&["--markdown", "--md"], Here::Words(&[&["--format", "markdown"]])),
    (&["--prometheus"], Here::Words(&[&["--format", "prometheus"]])),
    (&["--toml"], Here::Words(&[&["--format", "toml"]])),
    (&["--csv", "--tsv", "--yaml", "--xml"], Here::Command("rows")),
    (&["-f", "--follow", "-w", "-W", "--follow-new"], Here::Command("follow")),
    (&["--file", "-F", "-i", "--input", "--directory", "-D"], Here::Words(&[&[]])),
    (&["-k", "--dmesg", "--kernel", "-x", "--decode"], Here::Words(&[&[]])),
    (&["-T", "--ctime", "--reltime", "-H", "--human"], Here::Words(&[&["--local"], &[]])),
    (&["--no-color", "--no-colour", "--nocolor"], Here::Words(&[&["--color", "never"], &[]])),
    (&["--colour", "-C"], Here::Words(&[&["--color", "always"], &[]])),
    (&["-u"], Here::Words(&[&["--utc"]])),
    (&["--gpu", "--pci", "--bdf", "-d"], Here::Words(&[&["--device"]])),
    (&["--short", "--summary", "--brief", "-s"], Here::Words(&[&["--quiet"]])),
    (&["--full", "-a", "-l"], Here::Words(&[&["--verbose"], &["--all"]])),
    (&["--out", "--write"], Here::Words(&[&["--output"]])),
    (&["--list-boots"], Here::Program("journalctl --list-boots")),
    (
        &["-n", "--lines", "--tail", "--head"],
        Here::NothingWithValue("the whole log is read; -S -10min shows the end of it"),
    ),
    (&["-r", "--reverse"], Here::Nothing("reports are in the order of time")),
    (
        &["-p", "--priority", "--level", "-t", "--identifier", "-g", "--grep", "--facility"],
        Here::NothingWithValue(
            "give amdtriage the whole log: lines that are filtered out cannot be diagnosed",
        ),
    ),
    (&["-o", "--output"], Here::Redirected("this command writes as it goes")),
    (&["--format"], Here::NothingWithValue("this command has one output format")),
    (&["--no-pager"], Here::Nothing("this command does not start a pager")),
    (&["--color"], Here::NothingWithValue("this command prints no colors")),
    (&["--utc", "--local"], Here::Nothing("this command does not show times")),
    (
        &["-b", "--boot", "-S", "--since", "-U", "--until", "--device"],
        Here::NothingWithValue("this command does not select parts of a log"),
    ),
    (&["--debug", "--log-level"], Here::Words(&[&["--verbose"], &[]])),
];

/// Recognises an option of another program.
pub(super) fn foreign(option: &str, typed: &[String]) -> Option<Mistake> {
    let name = option.split('=').next().unwrap_or_default();
    let (_, here) = FOREIGN.iter().find(|(names, _)| names.contains(&name))?;
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
    let without_value =
        || right(if value.is_some() { vec![alone()] } else { vec![without_next(), alone()] });
    let hint = match here {
        Here::Words(all) => Hint::Command(right(all.iter().map(|words| with(words)).collect())),
        Here::Command(name) => {
            let rest = |from: usize| {
                let start = ["amdtriage", name].map(str::to_owned);
                [&start, with(&[]).get(from..).unwrap_or_default()].concat()
            };
            // What was typed may begin with another command.
            let right = first_right([rest(1), rest(2)]);
            Hint::Command(right.unwrap_or_else(|| format!("amdtriage {name}")))
        }
        Here::Program(command) => Hint::Command((*command).to_owned()),
        Here::Nothing(why) => Hint::CommandOr(right(vec![alone()]), (*why).to_owned()),
        Here::NothingWithValue(why) => Hint::CommandOr(without_value(), (*why).to_owned()),
        Here::Redirected(why) => {
            let file = value.as_deref().or_else(|| Some(after.first()?.as_str()));
            let file = shell_words::quote(file.unwrap_or("report.txt"));
            Hint::CommandOr(format!("{} > {file}", without_value()), (*why).to_owned())
        }
    };
    Some(Mistake { sentence: format!("unknown option `{name}`"), hint })
}
