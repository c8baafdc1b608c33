//! Errors in the command line: one line that names the error, and a corrected command.

mod foreign;
mod surplus;

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Error, Parser};

use super::args::Arguments;
use crate::document::counts::joined;
use crate::document::untrusted::Untrusted;
use crate::input::Hint;

use super::settings;
use foreign::foreign;
use surplus::surplus;

/// Values for options whose values are not a list, and the option if it has another name now.
const EXAMPLES: [(&[&str], &[&str]); 9] = [
    (&["--boot", "-b"], &["--boot", "0"]),
    (&["--save-coredumps"], &["--save-coredumps", "."]),
    (&["--expect-gpus"], &["--expect-gpus", "1"]),
    (&["--for"], &["--for", "drm-amd"]),
    (&["--since", "-S"], &["--since", "-10min"]),
    (&["--until", "-U"], &["--until", "-1min"]),
    (&["--gfx"], &["--gfx", "gfx1100"]),
    (&["--distro"], &["--distro", "ubuntu"]),
    (&["--min-confidence"], &["--min-certainty", "inferred"]),
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
        let (sentence, values) = message_and_values(error);
        let extra = match error.kind() {
            ErrorKind::UnknownArgument => Some(wrong),
            ErrorKind::TooManyValues => text(error, ContextKind::InvalidValue),
            _ => None,
        };
        if let Some(mistake) = extra.and_then(|extra| surplus(&extra, &typed)) {
            return mistake;
        }
        // A sentence of a value's own parser can name the command to use.
        if let Some((sentence, command)) = sentence.split_once("; for a list: ") {
            let hint = Hint::Command(command.to_owned());
            return Self { sentence: sentence.to_owned(), hint };
        }
        let corrected = match error.kind() {
            ErrorKind::ArgumentConflict => without_one(&typed),
            ErrorKind::MissingRequiredArgument => with_what_is_missing(error, &typed),
            _ => with_another_word(error, &sentence, &typed),
        };
        let help = corrected.unwrap_or_else(|| format!("{} --help", command(&typed)));
        let hint = match values {
            Some(values) => Hint::CommandOr(help, values),
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

/// The first valid command line.
fn first_right(candidates: impl IntoIterator<Item = Vec<String>>) -> Option<String> {
    candidates.into_iter().find(|words| is_right(words)).map(|words| line(&words))
}

/// Words as a line for a shell.
fn line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=,@%+-".contains(c);
    let word = |word: &String| match word.as_str() {
        word if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        word => shell_words::quote(word).into_owned(),
    };
    joined(words.iter().map(word), " ")
}

/// What was typed without the first option that is in the way of the others; `-q` says least.
fn without_one(typed: &[String]) -> Option<String> {
    let mut options: Vec<usize> =
        (1..typed.len()).filter(|at| typed[*at].starts_with('-')).collect();
    options.sort_by_key(|at| !["-q", "--quiet"].contains(&typed[*at].as_str()));
    let candidates = options.into_iter().filter_map(|at| {
        let to = at + 1 + usize::from(has_value(&typed[at]));
        Some([typed.get(..at)?, typed.get(to..)?].concat())
    });
    first_right(candidates)
}

/// Whether the next word is the value of this option.
fn has_value(option: &str) -> bool {
    let program = <Arguments as clap::CommandFactory>::command();
    let inner = program.get_subcommands().flat_map(clap::Command::get_subcommands);
    let mut all = [&program].into_iter().chain(program.get_subcommands()).chain(inner);
    let is_it = |arg: &&clap::Arg| match option.strip_prefix("--") {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|short| option == format!("-{short}")),
    };
    let found = all.find_map(|command| command.get_arguments().find(is_it));
    found.is_some_and(|arg| arg.get_action().takes_values())
}

/// What was typed with the option or the word that it lacks.
fn with_what_is_missing(error: &Error, typed: &[String]) -> Option<String> {
    let missing = text(error, ContextKind::InvalidArg)?;
    let with = |word: &str| [typed, &[word.to_owned()]].concat();
    if missing.starts_with("--") {
        return first_right([with(&missing)]);
    }
    // The first of the values that are allowed, as an example.
    let error = Arguments::try_parse_from(with("")).err()?;
    with_another_word(&error, "", &with(""))
}

/// What was typed with a suggested word, an allowed value or an example in place of the wrong one.
fn with_another_word(error: &Error, sentence: &str, typed: &[String]) -> Option<String> {
    let mut candidates = Vec::new();
    candidates.extend(meant(error).map(|(wrong, right)| replaced(typed, &wrong, &right)));
    if let Some(wrong) = text(error, ContextKind::InvalidValue) {
        let quoted = sentence.split_once("did you mean `");
        let quoted = quoted.and_then(|(_, rest)| rest.split_once('`'));
        candidates.extend(quoted.map(|(right, _)| replaced(typed, &wrong, right)));
        let option = text(error, ContextKind::InvalidArg).unwrap_or_default();
        let option = option.split(' ').next().unwrap_or_default();
        candidates.extend(in_a_file(option, &wrong, typed));
        candidates.extend(allowed(error).iter().map(|value| replaced(typed, &wrong, value)));
        candidates.extend(time_meant(option, &wrong).map(|right| replaced(typed, &wrong, &right)));
        candidates.extend(example(option, typed));
    }
    candidates.retain(|words| words != typed);
    // The value of a corrected option can be wrong, too.
    let with_value = |words: &Vec<String>| {
        let error = Arguments::try_parse_from(words).err()?;
        let wrong = text(&error, ContextKind::InvalidValue)?;
        first_right(allowed(&error).iter().map(|value| replaced(words, &wrong, value)))
    };
    let first = candidates.iter().find_map(with_value);
    first_right(candidates).or(first)
}

/// `words` with `right` in place of the word or value `wrong`.
fn replaced(words: &[String], wrong: &str, right: &str) -> Vec<String> {
    let word = |word: &String| match word.split_once('=') {
        _ if word == wrong => right.to_owned(),
        Some((option, value)) if option == wrong => format!("{right}={value}"),
        Some((option, value)) if value == wrong => format!("{option}={right}"),
        _ => word.clone(),
    };
    words.iter().map(word).collect()
}

/// The values that are allowed, those that resemble the wrong one first.
fn allowed(error: &Error) -> Vec<String> {
    let mut values = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => values.clone(),
        _ => Vec::new(),
    };
    let wrong = text(error, ContextKind::InvalidValue).unwrap_or_default();
    let alike = |value: &String| {
        wrong.len() > 1 && (value.ends_with(&wrong) || wrong.ends_with(value.as_str()))
    };
    values.sort_by_key(|value| !alike(value));
    values
}

/// For `-o json`: the format, or a file of that name.
fn in_a_file(option: &str, value: &str, typed: &[String]) -> Vec<Vec<String>> {
    let at = typed.iter().position(|word| word == value).filter(|_| option == "--output");
    let Some(at) = at.filter(|at| *at > 0) else { return Vec::new() };
    let with = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        [&typed[..at - 1], &words, &typed[at + 1..]].concat()
    };
    vec![with(&["--format", value]), with(&["-o", &format!("./{value}")])]
}

/// A time of the form that other programs take, as it is here: `yesterday`, `10m`.
fn time_meant(option: &str, value: &str) -> Option<String> {
    let is_time = ["--since", "-S", "--until", "-U"].contains(&option);
    let end = value.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = value.split_at(end);
    match unit {
        _ if !is_time => None,
        "today" | "yesterday" if number.is_empty() => Some("-1d".to_owned()),
        _ if number.is_empty() => None,
        "m" | "min" => Some(format!("-{number}min")),
        "h" | "d" => Some(format!("-{value}")),
        _ => None,
    }
}

/// What was typed with an example of a value for `option`.
fn example(option: &str, typed: &[String]) -> Option<Vec<String>> {
    let (names, right) = EXAMPLES.iter().find(|(names, _)| names.contains(&option))?;
    let is_it = |word: &String| names.contains(&word.split('=').next().unwrap_or_default());
    let at = typed.iter().position(is_it)?;
    let to = at + if typed[at].contains('=') { 1 } else { 2 };
    let right: Vec<String> = right.iter().map(|word| (*word).to_owned()).collect();
    Some([typed.get(..at)?, &right, typed.get(to..).unwrap_or_default()].concat())
}

/// clap's message in one line, and the possible values.
fn message_and_values(error: &Error) -> (String, Option<String>) {
    let all = error.to_string();
    let paragraph = all.split("\n\n").next().unwrap_or_default();
    let lines = paragraph.lines().map(str::trim).filter(|line| !line.is_empty());
    let (values, lines): (Vec<&str>, Vec<&str>) = lines
        .partition(|line| line.starts_with("[possible values") || line.starts_with("[subcomm"));
    let sentence = lines.join(" ");
    let sentence = sentence.strip_prefix("error: ").unwrap_or(&sentence).to_owned();
    let sentence = sentence
        .replace("unexpected argument '-", "unknown option '-")
        .replace("unexpected argument", "unknown argument")
        .replace("unrecognized subcommand", "unknown command")
        .replace("` found", "`")
        .replace("' found", "'")
        .replace("the following required arguments were not provided:", "missing")
        .replace('\'', "`")
        .replace("invalid digit found in string", "not a number")
        .replace("invalid float literal", "not a number")
        .replace("cannot parse integer from empty string", "not a number")
        .replace("number too large to fit in target type", "too large a number");
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

/// The command that was typed, with `amdtriage` before it.
pub(super) fn typed_command() -> String {
    command(&typed_words())
}

fn typed_words() -> Vec<String> {
    std::iter::once("amdtriage".to_owned()).chain(settings::typed_words()).collect()
}

/// What was typed, about this machine in place of an empty standard input.
pub(super) fn of_this_machine() -> String {
    let typed: Vec<String> = typed_words().into_iter().filter(|word| word != "-").collect();
    let asked = first_right([[&*typed, &["--this-machine".to_owned()]].concat()]);
    match command(&typed).as_str() {
        "amdtriage explain" => "dmesg | tail -n 20 | amdtriage explain".to_owned(),
        _ => asked.map_or_else(
            || format!("sudo dmesg | {}", line(&typed)),
            |right| format!("sudo {right}"),
        ),
    }
}

/// Whether `name` is a command.
pub(super) fn is_command(name: &str) -> bool {
    let program = <Arguments as clap::CommandFactory>::command();
    program.get_subcommands().any(|command| command.get_name() == name)
}

/// Words that are no commands, and what they are here.
const SYNONYMS: [(&str, &[&str]); 4] = [
    ("version", &["--version"]),
    ("usage", &["help"]),
    ("why", &["patterns", "explain"]),
    ("signatures", &["patterns", "list"]),
];

/// What was typed with the command `right` first, in place of `wrong`; without what it does not
/// accept.
pub(super) fn with_command_first(wrong: &str, right: &[String]) -> String {
    let mut rest = settings::typed_words();
    if let Some(at) = rest.iter().position(|word| word == wrong) {
        rest.remove(at);
    }
    let start = [&["amdtriage".to_owned()], right].concat();
    first_right([[start.clone(), rest].concat()]).unwrap_or_else(|| line(&start))
}

/// The intended command line up to a command, if `word` is similar to the name of a command.
pub(super) fn command_meant(word: &str) -> Option<Vec<String>> {
    if let Some((_, right)) = SYNONYMS.iter().find(|(known, _)| *known == word) {
        return Some(right.iter().map(|word| (*word).to_owned()).collect());
    }
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
                "unknown option `--fromat`; did you mean `--format`?",
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
            (
                "amdtriage explain page-fault --format json -q",
                "amdtriage explain page-fault --format json",
            ),
            ("amdtriage --colour never a.log", "amdtriage --color never a.log"),
            ("amdtriage --colour a.log", "amdtriage --color always a.log"),
            ("amdtriage diff --boot 1 a b", "amdtriage diff --bad 0 --good 1 a b"),
            ("amdtriage diff a b c", "amdtriage diff a b"),
            ("amdtriage follow a b", "amdtriage follow a"),
            ("amdtriage man report", "amdtriage help report"),
            ("amdtriage schema events b", "amdtriage schema events"),
            ("amdtriage check -b -1", "sudo amdtriage -b -1"),
            ("amdtriage report --format markdown f", "amdtriage report --stdout f"),
            ("amdtriage follow -n 10", "amdtriage follow"),
            ("amdtriage report -o x.zip", "amdtriage report -o x.tar.gz"),
            ("amdtriage check --short --format json", "amdtriage check --format json"),
            ("amdtriage check a.log", "amdtriage a.log"),
            ("amdtriage -p err a.log", "amdtriage a.log"),
            ("amdtriage -n 50 a.log", "amdtriage a.log"),
            ("amdtriage --lines=50 a.log", "amdtriage a.log"),
            ("amdtriage --csv a.log", "amdtriage rows a.log"),
            ("amdtriage --list-boots", "journalctl --list-boots"),
            ("amdtriage follow -o f a.log", "amdtriage follow a.log > f"),
            ("amdtriage redact --color=never a.log", "amdtriage redact a.log"),
            ("amdtriage redact --format json a.log", "amdtriage redact a.log"),
            ("amdtriage --color=maybe a.log", "amdtriage --color=auto a.log"),
            ("amdtriage -o json a.log", "amdtriage --format json a.log"),
            ("amdtriage redact -o json a.log", "amdtriage redact -o ./json a.log"),
            ("amdtriage events --format json a.log", "amdtriage events --format ndjson a.log"),
            ("amdtriage events --fromat json a.log", "amdtriage events --format ndjson a.log"),
            ("amdtriage events --format toml a", "amdtriage events --format toml a --unknown"),
            ("amdtriage events --kind page-falt a.log", "amdtriage events --kind page-fault a.log"),
            ("amdtriage events --kind foo a.log", "amdtriage patterns list kinds"),
            ("amdtriage report -o x --stdout a.log", "amdtriage report --stdout a.log"),
            ("amdtriage --since foo a.log", "amdtriage --since -10min a.log"),
            ("amdtriage --boot last a.log", "amdtriage --boot 0 a.log"),
            ("amdtriage --min-confidence 3 a.log", "amdtriage --min-certainty inferred a.log"),
            ("amdtriage -S yesterday a.log", "amdtriage -S -1d a.log"),
            ("amdtriage -S 10m a.log", "amdtriage -S -10min a.log"),
            ("amdtriage --until=2h a.log", "amdtriage --until=-2h a.log"),
            ("amdtriage check --save-coredumps", "amdtriage check --save-coredumps ."),
            ("amdtriage check --expect-gpus two", "amdtriage check --expect-gpus 1"),
            ("amdtriage report --for", "amdtriage report --for drm-amd"),
            ("amdtriage check --watch", "amdtriage follow"),
            ("amdtriage explain --all", "amdtriage patterns list"),
            ("amdtriage --tail Cargo.toml", "amdtriage Cargo.toml"),
            ("amdtriage completions", "amdtriage completions bash"),
            ("amdtriage completions foo", "amdtriage completions bash"),
        ] {
            assert_eq!(lines(typed)[1], format!("help: {help}"), "{typed}");
        }
        let told = lines("amdtriage diff --format prometheus a b");
        assert!(told.iter().any(|line| line.starts_with("note: possible values: ")), "{told:?}");
        let told = lines("amdtriage -p err a.log");
        assert!(told[2].starts_with("note: give amdtriage the whole log"), "{told:?}");
    }

    #[test]
    fn a_word_that_is_nearly_a_command_is_one() {
        for (word, meant) in [
            ("chekc", Some(vec!["check"])),
            ("lint", Some(vec!["patterns", "lint"])),
            ("explian", Some(vec!["explain"])),
            ("version", Some(vec!["--version"])),
            ("why", Some(vec!["patterns", "explain"])),
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
