//! Errors in the command line: one line that names the error, and a corrected command.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, Parser};

use super::args::Arguments;
use crate::document::untrusted::Untrusted;
use crate::input::Hint;

/// The replacement for an option of another program.
enum Here {
    /// These words; the first form that the command accepts.
    Words(&'static [&'static [&'static str]]),
    /// A command.
    Command(&'static str),
    /// None; an explanation, or an alternative.
    Note(&'static str),
}

/// Options of `dmesg`, `journalctl`, `grep`, `tail` and similar programs.
const FOREIGN: &[(&[&str], Here)] = &[
    (&["--json", "-j", "-J"], Here::Words(&[&["--format", "json"], &["--format", "ndjson"]])),
    (&["--jsonl", "--ndjson"], Here::Words(&[&["--format", "ndjson"], &["--format", "json"]])),
    (&["--html"], Here::Words(&[&["--format", "html"]])),
    (&["--markdown", "--md"], Here::Words(&[&["--format", "markdown"]])),
    (&["--prometheus"], Here::Words(&[&["--format", "prometheus"]])),
    (&["--toml"], Here::Words(&[&["--format", "toml"]])),
    (
        &["--csv", "--tsv", "--yaml", "--xml"],
        Here::Note(
            "there is no such format; `amdtriage rows` prints a row of JSON for each log and incident",
        ),
    ),
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
    (&["--list-boots"], Here::Note("journalctl --list-boots lists the boots of this machine")),
    (
        &["-n", "--lines", "--tail", "--head"],
        Here::Note("the whole log is read; -S -10min shows the end of it"),
    ),
    (&["-r", "--reverse"], Here::Note("reports are in the order of time")),
    (
        &["-p", "--priority", "--level", "-t", "--identifier", "-g", "--grep", "--facility"],
        Here::Note("give amdtriage the whole log: lines that are filtered out cannot be diagnosed"),
    ),
    (
        &["-o", "--output"],
        Here::Note("this command writes as it goes; redirect it with the shell: > FILE"),
    ),
    (&["--format"], Here::Note("this command has one output format")),
    (&["--color", "--no-pager"], Here::Note("this command prints no pages and no colors")),
    (
        &["-b", "--boot", "-S", "--since", "-U", "--until", "--device", "--utc", "--local"],
        Here::Note("this command does not select parts of a log"),
    ),
    (&["--debug", "--log-level"], Here::Words(&[&["--verbose"], &[]])),
];

/// The error, and the correction.
pub(super) struct Mistake {
    sentence: String,
    hint: Hint,
}

impl Mistake {
    /// Interprets clap's `error`.
    pub(super) fn of(error: &Error, typed: &[OsString]) -> Self {
        let words = typed.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let typed: Vec<String> = std::iter::once("amdtriage".to_owned()).chain(words).collect();
        let wrong = text(error, ContextKind::InvalidArg).unwrap_or_default();
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(mistake) = foreign(&wrong, &typed)
        {
            return mistake;
        }
        let (sentence, note) = said(error);
        if error.kind() == ErrorKind::UnknownArgument
            && let Some(hint) = log_for_check(&wrong, &typed)
        {
            let sentence = "`check` takes no log: it examines this machine".to_owned();
            return Self { sentence, hint };
        }
        let corrected = match error.kind() {
            ErrorKind::ArgumentConflict => without_one(&typed),
            _ => corrected(error, &typed),
        };
        let help = corrected.unwrap_or_else(|| format!("{} --help", command(&typed)));
        let hint = match note {
            Some(note) => Hint::CommandOr(help, note),
            None => Hint::Command(help),
        };
        Self { sentence, hint }
    }

    /// The lines of the message.
    pub(super) fn lines(&self) -> Vec<String> {
        let sentence = format!("amdtriage: {}", Untrusted(&self.sentence));
        let hints = self.hint.lines().into_iter().map(|line| Untrusted(&line).to_string());
        std::iter::once(sentence).chain(hints).collect()
    }
}

/// Whether `words` are a valid command line.
fn is_right(words: &[String]) -> bool {
    match Arguments::try_parse_from(words) {
        Ok(_) => true,
        Err(error) => !error.use_stderr(),
    }
}

/// How a log is diagnosed that was given to a command for machines.
fn log_for_check(wrong: &str, typed: &[String]) -> Option<Hint> {
    let is_check = typed.get(1).is_some_and(|word| word == "check");
    let words = ["amdtriage".to_owned(), wrong.to_owned()];
    let is_log = !wrong.starts_with('-') && is_right(&words);
    (is_check && is_log).then(|| Hint::Command(shell_words::join(words)))
}

/// What was typed without the first option that is in the way of the others.
fn without_one(typed: &[String]) -> Option<String> {
    let options = (1..typed.len()).filter(|at| typed[*at].starts_with('-'));
    // With what follows it, which may be its value, or without.
    let candidates = options.flat_map(|at| [(at, at + 1), (at, at + 2)]);
    let mut candidates =
        candidates.filter_map(|(from, to)| Some([typed.get(..from)?, typed.get(to..)?].concat()));
    candidates.find(|words| is_right(words)).map(shell_words::join)
}

/// Recognises an option of another program.
fn foreign(option: &str, typed: &[String]) -> Option<Mistake> {
    let name = option.split('=').next().unwrap_or_default();
    let (_, here) = FOREIGN.iter().find(|(names, _)| names.contains(&name))?;
    let at =
        typed.iter().position(|word| word == option || word.split('=').next() == Some(name))?;
    let without = |words: &[&str]| {
        let mut all: Vec<String> = typed.get(..at).unwrap_or_default().to_vec();
        all.extend(words.iter().map(|word| (*word).to_owned()));
        let value = typed.get(at).and_then(|word| word.split_once('='));
        all.extend(value.map(|(_, value)| value.to_owned()));
        all.extend(typed.get(at + 1..).unwrap_or_default().iter().cloned());
        all
    };
    let sentence = format!("unknown option `{name}`");
    let help = format!("{} --help", command(typed));
    let hint = match here {
        Here::Words(all) => {
            let mut candidates = all.iter().map(|words| without(words));
            let right = candidates.find(|words| is_right(words));
            Hint::Command(right.map_or(help, shell_words::join))
        }
        Here::Command(name) => {
            let rest = |from: usize| {
                let mut words = vec!["amdtriage".to_owned(), (*name).to_owned()];
                words.extend(without(&[]).into_iter().skip(from));
                words
            };
            // What was typed may begin with another command.
            let right = [rest(1), rest(2)].into_iter().find(|words| is_right(words));
            Hint::Command(right.map_or_else(|| format!("amdtriage {name}"), shell_words::join))
        }
        Here::Note(note) => Hint::CommandOr(help, (*note).to_owned()),
    };
    Some(Mistake { sentence, hint })
}

/// clap's message in one line, and the possible values.
fn said(error: &Error) -> (String, Option<String>) {
    let all = error.to_string();
    let paragraph = all.split("\n\n").next().unwrap_or_default();
    let lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
    let (values, lines): (Vec<&str>, Vec<&str>) = lines
        .partition(|line| line.starts_with("[possible values") || line.starts_with("[subcomm"));
    let sentence = lines.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned();
    let sentence = sentence
        .replace("unexpected argument", "unknown argument")
        .replace("unrecognized subcommand", "unknown command")
        .replace("` found", "`")
        .replace("' found", "'")
        .replace("the following required arguments were not provided:", "missing")
        .replace('\'', "`");
    let meant = meant(error).map(|(_, meant)| format!("; did you mean `{meant}`?"));
    let sentence = format!("{sentence}{}", meant.unwrap_or_default());
    let values = values.first().map(|line| line.trim_matches(['[', ']']).to_owned());
    (sentence, values)
}

/// What was typed, and the suggestion.
fn meant(error: &Error) -> Option<(String, String)> {
    use ContextKind::{
        InvalidArg, InvalidSubcommand, InvalidValue, SuggestedArg, SuggestedSubcommand,
        SuggestedValue,
    };
    for (wrong, right) in [
        (InvalidValue, SuggestedValue),
        (InvalidSubcommand, SuggestedSubcommand),
        (InvalidArg, SuggestedArg),
    ] {
        if let (Some(wrong), Some(right)) = (text(error, wrong), text(error, right)) {
            // A deprecated option is never suggested.
            return Some((wrong, right)).filter(|(_, right)| right != "--min-confidence");
        }
    }
    None
}

fn text(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        // The last one is the most similar.
        ContextValue::Strings(texts) => texts.last().cloned(),
        _ => None,
    }
}

/// The command line with the suggestion applied, if that is valid.
fn corrected(error: &Error, typed: &[String]) -> Option<String> {
    let (wrong, right) = meant(error)?;
    let words: Vec<String> = typed
        .iter()
        .map(|word| match word.split_once('=') {
            _ if *word == wrong => right.clone(),
            Some((option, value)) if option == wrong => format!("{right}={value}"),
            Some((option, value)) if value == wrong => format!("{option}={right}"),
            _ => word.clone(),
        })
        .collect();
    (words != typed && is_right(&words)).then(|| shell_words::join(words))
}

/// The command whose help applies.
fn command(typed: &[String]) -> String {
    let program = <Arguments as clap::CommandFactory>::command();
    let mut here = &program;
    let mut names = vec!["amdtriage"];
    for word in typed.iter().skip(1) {
        let Some(found) = here.find_subcommand(word) else { break };
        names.push(found.get_name());
        here = found;
    }
    names.join(" ")
}

/// The intended command line up to a command, if `word` is similar to the name of a command.
pub(super) fn command_meant(word: &str) -> Option<Vec<String>> {
    let program = <Arguments as clap::CommandFactory>::command();
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for command in program.get_subcommands() {
        let name = command.get_name().to_owned();
        for inner in command.get_subcommands() {
            let inner = inner.get_name().to_owned();
            all.push((inner.clone(), vec![name.clone(), inner]));
        }
        all.push((name.clone(), vec![name]));
    }
    // Two transposed letters count as one error.
    let distance = |name: &str| strsim::osa_distance(word, name);
    let near = all.iter().map(|(name, _)| name).min_by_key(|name| distance(name))?.clone();
    if distance(&near) > (word.len() / 3).max(1) {
        return None;
    }
    // Top-level commands come before subcommands.
    all.into_iter().filter(|(name, _)| *name == near).map(|(_, path)| path).min_by_key(Vec::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(typed: &str) -> Vec<String> {
        let typed: Vec<OsString> = typed.split(' ').map(OsString::from).collect();
        let error = Arguments::try_parse_from(&typed).expect_err("it is wrong");
        Mistake::of(&error, &typed).lines()
    }

    #[test]
    fn a_wrong_command_line_is_set_right() {
        for (typed, sentence, help) in [
            ("amdtriage --json a.log", "unknown option `--json`", "amdtriage --format json a.log"),
            (
                "amdtriage events --json a",
                "unknown option `--json`",
                "amdtriage events --format ndjson a",
            ),
            ("amdtriage -f a.log", "unknown option `-f`", "amdtriage follow a.log"),
            ("amdtriage --html a", "unknown option `--html`", "amdtriage --format html a"),
            ("amdtriage --gpu=03:00.0 a", "unknown option `--gpu`", "amdtriage --device 03:00.0 a"),
            (
                "amdtriage --fromat json a",
                "unknown argument `--fromat`; did you mean `--format`?",
                "amdtriage --format json a",
            ),
            (
                "amdtriage patterns lst",
                "unknown command `lst`; did you mean `list`?",
                "amdtriage patterns list",
            ),
        ] {
            let told = lines(typed);
            assert_eq!(told[0], format!("amdtriage: {sentence}"), "{typed}");
            assert_eq!(told[1], format!("help: {help}"), "{typed}");
        }
        for (typed, help) in [
            ("amdtriage events -f a.log", "amdtriage follow a.log"),
            ("amdtriage -q -v a.log", "amdtriage -v a.log"),
            ("amdtriage check --short --format json", "amdtriage check --format json"),
            ("amdtriage check a.log", "amdtriage a.log"),
        ] {
            assert_eq!(lines(typed)[1], format!("help: {help}"), "{typed}");
        }
        let told = lines("amdtriage diff --format prometheus a b");
        assert!(told.iter().any(|line| line.starts_with("note: possible values: ")), "{told:?}");
        let told = lines("amdtriage --csv a");
        assert_eq!(told[1], "help: amdtriage --help");
        assert!(told[2].starts_with("note: there is no such format"), "{told:?}");
    }

    #[test]
    fn a_word_that_is_nearly_a_command_is_one() {
        for (word, meant) in [
            ("chekc", Some(vec!["check"])),
            ("lint", Some(vec!["patterns", "lint"])),
            ("explian", Some(vec!["explain"])),
            ("kern", None),
        ] {
            let got = command_meant(word);
            assert_eq!(
                got,
                meant.map(|path| path.into_iter().map(str::to_owned).collect()),
                "{word}"
            );
        }
    }
}
