//! Parts of sentences in failures and hints.

use std::collections::BTreeSet;
use std::io;

use crate::cli::report::private::Left;
use crate::cli::settings;
use crate::diagnosis::choice::{BootNumber, Clock};
use crate::document::counts::several;
use crate::event::sighting::{Instead, Sighting};
use crate::event::traceback::Unfinished;
use crate::input::{self, Hint, SYSTEM_JOURNAL};
use crate::pattern::source::Mistake;
use crate::value::{Named, PciAddress, PrivateKind};

/// The typed command line with an existing boot in place of a missing one.
pub(super) fn another_boot(asked: BootNumber, known: &str) -> String {
    let side = ["--good", "--bad"]
        .into_iter()
        .find(|option| settings::value_of(option).is_some_and(|value| value == asked.to_string()));
    match side {
        Some(option) => settings::retyped(&[(&[option], known)]),
        None => settings::retyped(&[(&["--boot", "-b"], known)]),
    }
}

/// A selection by a clock that the log has.
pub(super) fn another_time(clock: Clock) -> Hint {
    let advice = |text: &str| Hint::Advice(text.to_owned());
    match clock {
        Clock::SinceBoot => advice("this log has times of day; use one of these with --since"),
        Clock::Zone => advice("use --since with a date without an offset"),
        Clock::Date => advice("this log has times of day without a date: --since 18:35"),
        Clock::TimeOfDay => advice("this log has seconds since boot: --since 913.5s"),
        Clock::Any => Hint::Command(settings::typed_without("--since")),
    }
}

/// What an input lacks that is no log, and what it has.
pub(super) fn no_kernel_log(name: &str, has: &Instead) -> String {
    let input = input::called(name);
    let complete = if has.named.is_some() { "complete " } else { "" };
    let named = has.named.as_ref().map_or_else(String::new, |Sighting { line, word }| {
        format!(", although line {line} mentions {}", Named(word))
    });
    let traceback = has.traceback.map_or_else(String::new, |Unfinished { first, last }| {
        let lines = if first == last {
            format!("line {first}")
        } else {
            format!("lines {first} to {last}")
        };
        format!("; the Python traceback ({lines}) lacks its last line, which names the error")
    });
    format!(
        "no {complete}message of the kernel or of a GPU program that amdtriage knows in {input}{named}{traceback}"
    )
}

/// The first private value that is left in the files of a bundle.
pub(super) fn unclean(left: &[Left]) -> String {
    joined(&first(left.iter().map(ToString::to_string), 1))
}

/// The first private value that is left in a log.
pub(super) fn left(places: &[(PrivateKind, u64)]) -> String {
    joined(&first(places.iter().map(|(kind, line)| format!("{kind} on line {line}")), 3))
}

pub(super) fn boots(count: usize) -> String {
    match count {
        0 => "no boot was read".to_owned(),
        1 => "only one boot was read".to_owned(),
        count => format!("{count} boots were read"),
    }
}

pub(super) fn stored(count: usize) -> String {
    match count {
        0 => "it has none".to_owned(),
        1 => "it has only one boot".to_owned(),
        count => format!("it has {count} boots"),
    }
}

/// Why there are no more boots.
pub(super) fn kept(count: usize, persistent: bool) -> &'static str {
    if persistent || count == 0 { "" } else { ", kept in memory only" }
}

/// At most `most` of `names`, and the number of others.
pub(in crate::cli) fn first(names: impl Iterator<Item = String>, most: usize) -> Vec<String> {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(most);
    names.truncate(most);
    names.extend((more > 0).then(|| format!("{more} more")));
    names
}

/// `a, b and c`.
pub(super) fn joined(names: &[String]) -> String {
    match names {
        [one @ .., last] if !one.is_empty() => format!("{} and {last}", one.join(", ")),
        names => names.concat(),
    }
}

/// How a user gets access to what is restricted.
pub(super) fn opened(names: &[String], restricted: bool, again: Option<&str>) -> Hint {
    let Some(again) = again else {
        let text = "run amdtriage outside the container, or in one with CAP_SYSLOG";
        return Hint::Advice(text.to_owned());
    };
    let has = |known: &str| names.iter().any(|name| name == known);
    let command = format!("sudo {again}");
    let other = if has(SYSTEM_JOURNAL) {
        "to read it without sudo after the next login: sudo usermod -aG systemd-journal \"$USER\""
    } else if restricted && (has("dmesg") || has("/dev/kmsg")) {
        "to open it to all users until a reboot: sudo sysctl kernel.dmesg_restrict=0"
    } else {
        return Hint::Command(command);
    };
    Hint::CommandOr(command, other.to_owned())
}

/// How to get a build with columnar formats, and the alternative.
pub(super) fn with_columns() -> Hint {
    Hint::CommandOr(
        "cargo install --locked --path . --features columns".to_owned(),
        "run this in a clone of amdtriage; released packages have the feature. DuckDB, Polars and Spark also read \
         --format ndjson"
            .to_owned(),
    )
}

/// The existing GPUs, in a sentence.
pub(super) fn of_boot(boot: Option<BootNumber>) -> String {
    boot.map_or_else(String::new, |number| format!(" of boot {number}"))
}

pub(super) fn only(known: &BTreeSet<PciAddress>) -> String {
    let all = first(known.iter().map(ToString::to_string), 3).join(", ");
    if all.is_empty() { "; no line names a GPU".to_owned() } else { format!("; known: {all}") }
}

pub(super) fn meant(near: &[String]) -> String {
    let names: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => format!("; did you mean {one}?"),
        [some @ .., last] => format!("; did you mean {} or {last}?", some.join(", ")),
    }
}

/// What the system says of an error, without its number: `no such file or directory`.
pub(in crate::cli) fn plainly(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

/// Why a word is not a file: it is a command after options, or similar to one.
pub(super) fn no_command(word: &str, known: &str) -> String {
    if word == known {
        return format!("`{word}` is a command; commands come first, then options and files");
    }
    format!("unknown command `{word}`{}", meant(&[known.to_owned()]))
}

pub(super) fn as_kind(kind: Option<&str>) -> String {
    kind.map(|kind| format!(" as {kind}")).unwrap_or_default()
}

pub(super) fn listed(mistakes: &[Mistake]) -> String {
    let list: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
    format!("{} in pattern files\n\n{}", several(list.len(), "mistake"), list.join("\n\n"))
}
