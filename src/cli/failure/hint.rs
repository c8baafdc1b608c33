//! What the user can do after a failure: a command that can be copied, where there is one.

use std::path::Path;

use super::Failure;
use super::words::{another_boot, another_time, opened, with_columns};
use crate::cli::{settings, usage};
use crate::input::{Hint, InputError, STANDARD_INPUT, is_root, quoted};
use crate::pattern::source::nearest;

impl Failure {
    /// What the user can do next: specific to the case, or else general for the variant.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        Some(Hint::Command(match self {
            Self::Input(error) => return of_input(error),
            Self::Log(failure) => return failure.hint(),
            Self::NoSuchCommand { again, .. } => again.clone(),
            Self::NoKernelLog { said: true, .. } | Self::NoLogsOfFormat { .. } => {
                settings::typed_without("--input-format")
            }
            Self::PatternFolder { path, .. } => {
                let note = "pattern files are .toml files in a directory";
                return listing(path, note);
            }
            Self::NotAKernelTree { path, .. } => {
                let note = "--kernel takes the directory that a linux-*.tar.xz unpacks to";
                return listing(path, note);
            }
            Self::NoJournalAt { path } => {
                return listing(path, "a journal is below var/log/journal of that disk");
            }
            Self::NotAMachine { path } => {
                let note =
                    "--root takes the directory that a sosreport unpacks to, or a mounted disk";
                return listing(path, note);
            }
            Self::PathAsked { path, asked, .. } => return asked.hint(path),
            Self::NoSignature { near: Some(near), id } => settings::typed_with(id, near),
            Self::TooMuch { name } => format!("amdtriage events {}", quoted(name)?),
            Self::NotOnChip { .. } => settings::typed_without("--gfx"),
            Self::OneBoot { name } if Path::new(name).is_file() => {
                format!("amdtriage diff good.log {}", quoted(name)?)
            }
            Self::OneBoot { .. } | Self::OnePipe => {
                let note = "amdtriage diff GOOD BAD compares two files";
                return Some(Hint::CommandOr("amdtriage diff --help".to_owned(), note.to_owned()));
            }
            Self::NoKernelLog { .. } if usage::typed_command() != "amdtriage" => {
                format!("{} --help", usage::typed_command())
            }
            Self::NoKernelLog { .. } => {
                let note = "for what came before the last start: sudo amdtriage --boot -1";
                return Some(Hint::CommandOr("sudo dmesg | amdtriage".to_owned(), note.to_owned()));
            }
            Self::OutputFile { path, .. } => return Some(elsewhere(path)),
            Self::NoSuchTime { name } => format!("amdtriage records {}", quoted(name)?),
            Self::NoCursor { .. } => settings::typed_without("--cursor-file"),
            Self::NotRun { text, .. } if Path::new(text).is_file() => {
                format!("amdtriage {}", quoted(text)?)
            }
            Self::NotRun { text: program, .. } | Self::NoSuchProgram { program } => {
                format!("command -v {}", quoted(program.split(' ').next()?)?)
            }
            Self::NotExecutable { program } => format!("chmod +x {}", quoted(program)?),
            Self::Spool(_) => format!("TMPDIR=/var/tmp {}", settings::command_line()),
            Self::UnknownName { near, .. } if !near.is_empty() => {
                format!("amdtriage explain {}", near.first()?)
            }
            Self::NotExplained { unknown: true } => {
                "dmesg | amdtriage events --unknown --format toml".to_owned()
            }
            Self::NoSuchBoot { number, count } => {
                another_boot(*number, &(*count).max(1).to_string())
            }
            Self::BootNotStored { persistent: true, .. } => "journalctl --list-boots".to_owned(),
            Self::Closed { names, restricted, again } => {
                return Some(opened(names, *restricted, again.as_deref()));
            }
            Self::NoSuchDevice { known, .. } if !known.is_empty() => {
                settings::retyped(&[(&["--device"], &known.first()?.to_string())])
            }
            Self::NoSuchDevice { .. } => settings::typed_without("--device"),
            Self::NoSuchClock { clock, .. } => return Some(another_time(*clock)),
            Self::Reversed { since, until } => {
                let (since, until) = (since.to_string(), until.to_string());
                settings::retyped(&[(&["--since", "-S"], &until), (&["--until", "-U"], &since)])
            }
            Self::OutputRefused { why, .. } => return Hint::of(why),
            Self::NoColumns { .. } => return Some(with_columns()),
            Self::BinaryOnTerminal { encoding } => {
                format!("{} > rows.{}", settings::command_line(), encoding.to_lowercase())
            }
            Self::NoSuchTracker { meant, .. } => {
                settings::retyped(&[(&["--for"], meant.as_deref().unwrap_or("drm-amd"))])
            }
            variant => return Hint::of(variant),
        }))
    }
}

/// What the user can do if an input cannot be read.
fn of_input(error: &InputError) -> Option<Hint> {
    Some(Hint::Command(match error {
        InputError::Permission { .. } if !is_root() => {
            format!("sudo {}", settings::command_line())
        }
        InputError::NotFound { name } if is_address(name) => {
            let command = format!("curl -L {} | amdtriage", quoted(name)?);
            let note = "amdtriage does not use the network".to_owned();
            return Some(Hint::CommandOr(command, note));
        }
        InputError::NotFound { name } if unquoted(name).is_some() => unquoted(name)?,
        InputError::Empty { name } | InputError::NoLogs { name, .. }
            if name != STANDARD_INPUT && usage::typed_command() == "amdtriage diff" =>
        {
            "journalctl -k -b -1 > bad.log".to_owned()
        }
        InputError::NotFound { name } if nearest_file(name).is_some() => {
            settings::typed_with(name, &nearest_file(name)?)
        }
        InputError::Empty { name } if name == STANDARD_INPUT => usage::of_this_machine(),
        error => return error.hint(),
    }))
}

/// The command line with the output in the current directory.
fn elsewhere(path: &Path) -> Hint {
    let note = "choose a path in an existing directory that you may write to".to_owned();
    let typed = path.display().to_string();
    let options = ["--output", "-o", "--map", "--cursor-file", "--dir"];
    let is_typed = |option: &&&str| settings::value_of(option).is_some_and(|value| value == typed);
    match (options.iter().find(is_typed), path.file_name()) {
        (Some(option), Some(name)) if path.parent() != Some(Path::new("")) => {
            let here = name.to_string_lossy();
            Hint::CommandOr(settings::retyped(&[(&[option], &here)]), note)
        }
        _ => Hint::Advice(note),
    }
}

/// Whether it is an address of the web.
fn is_address(name: &str) -> bool {
    ["https://", "http://"].iter().any(|scheme| name.starts_with(scheme))
}

/// Maximum number of words of a name on either side: there can be thousands of arguments.
const WORDS: usize = 8;

/// The command for a file whose name has spaces, and of which `name` is a part that was typed
/// without quotes.
fn unquoted(name: &str) -> Option<String> {
    let typed = settings::typed_words();
    let at = typed.iter().position(|word| word == name)?;
    let end = typed.len().min(at + WORDS);
    let from = at.saturating_sub(WORDS)..=at;
    let whole = from.flat_map(|from| (at..end).map(move |to| (from, to)));
    let mut whole =
        whole.filter(|(from, to)| from < to).map(|(from, to)| typed[from..=to].join(" "));
    let file = whole.find(|joined| Path::new(joined).is_file())?;
    Some(format!("amdtriage {}", quoted(&file)?))
}

/// The file with the name most similar to that of `path`, in its directory.
fn nearest_file(path: &str) -> Option<String> {
    let path = Path::new(path);
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let files = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names: Vec<String> =
        files.flatten().filter_map(|it| it.file_name().into_string().ok()).collect();
    let near = nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(near).display().to_string())
}

/// The contents of a directory, or of the one that it should be in, and what it should be.
fn listing(path: &Path, note: &str) -> Option<Hint> {
    let there = path.ancestors().find(|path| path.is_dir()).unwrap_or(Path::new("."));
    let command = format!("ls {}", quoted(&there.display().to_string())?);
    Some(Hint::CommandOr(command, note.to_owned()))
}
