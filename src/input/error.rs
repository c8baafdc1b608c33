//! Why an input cannot be read, and what the user can do about it.

use std::io;

use super::container::{Compression, Container, Foreign, MEMORY_LIMIT, UnpackError};
use super::cost::{JOURNAL_LIMIT, Limit};
use super::journal_error::JournalError;
use super::{
    DEPTH_LIMIT, DMESG_OUTPUT, JOURNAL_OF, LAST_BOOT, RING_BUFFER, STANDARD_INPUT, SYSTEM_JOURNAL,
    THIS_BOOT, called,
};
#[cfg(feature = "system")]
use crate::tree::is_outside;

/// What the user can do about a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// A command that can be typed.
    Command(String),
    /// A command, and an alternative in words.
    CommandOr(String, String),
    /// Advice in words.
    Advice(String),
}

impl Hint {
    /// The hint in the properties `command` or `advice` of a variant.
    #[must_use]
    pub fn of(variant: &impl strum::EnumProperty) -> Option<Self> {
        let command = variant.get_str("command").map(|text| Self::Command(text.to_owned()));
        command.or_else(|| Some(Self::Advice(variant.get_str("advice")?.to_owned())))
    }

    /// The lines of a message: only commands are labelled as help.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        match self {
            Self::Command(command) => vec![format!("help: {command}")],
            Self::CommandOr(command, note) => {
                vec![format!("help: {command}"), format!("note: {note}")]
            }
            Self::Advice(note) => vec![format!("note: {note}")],
        }
    }
}

/// Why an input cannot be read: a variant for each thing that the user can do about it.
#[derive(Debug, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
#[allow(missing_docs, reason = "the sentence says what its fields are")]
pub enum InputError {
    /// There is no such file.
    #[error("cannot read {called}: no such file or directory", called = called(.name))]
    NotFound { name: String },
    /// Permission denied.
    #[error("cannot read {called}: permission denied", called = called(.name))]
    Permission { name: String },
    /// A directory in place of a file.
    #[error("cannot read {called}: it is a directory", called = called(.name))]
    Directory { name: String },
    /// A directory or an archive without logs.
    #[error("{called} is {what} without logs", called = called(.name))]
    NoLogs { name: String, what: &'static str },
    /// An empty file.
    #[error("{called} is empty", called = called(.name))]
    Empty { name: String },
    /// Binary data that is not a known container.
    #[error("{called} is {what}, not a text log", called = called(.name))]
    Binary { name: String, what: &'static str },
    /// A container that needs another program.
    #[error("cannot read {called}: it is {foreign}", called = called(.name))]
    Packed { name: String, foreign: Foreign },
    /// A compressed file is truncated.
    #[error("{called} is a truncated {container}", called = called(.name))]
    Truncated { name: String, container: Container },
    /// A compressed file is corrupt.
    #[error("{called} is a damaged {container}", called = called(.name))]
    Corrupt { name: String, container: Container },
    /// Decompression needs more memory than [`MEMORY_LIMIT`].
    #[error("cannot unpack {called} within {MEMORY_LIMIT} MiB of memory", called = called(.name))]
    TooHungry { name: String, container: Container },
    /// Decompression exceeds a limit.
    #[error("{called} {limit}", called = called(.name))]
    TooLarge { name: String, container: Container, limit: Limit },
    /// Decompression exceeds a limit, together with everything before it.
    #[error("{called} was not read in full: its archive {limit}", called = called(.name))]
    Overrun { name: String, limit: Limit },
    /// The rest of an archive that was not read because of a limit.
    #[error("{called} {limit}, and the rest of it was not read", called = called(.name))]
    RestUnread { name: String, limit: Limit },
    /// A journal that would have to be copied, and is too large for that.
    #[error("cannot read {called}: it is a systemd journal of more than {} GiB", JOURNAL_LIMIT >> 30, called = called(.name))]
    TooLargeToCopy { name: String },
    /// A member of an archive is a sparse file.
    #[error("cannot read {called}: it is stored as a sparse file", called = called(.name))]
    Sparse { name: String },
    /// A link out of a directory.
    #[error("{called} is a link out of its directory and is not followed", called = called(.name))]
    LeadsOut { name: String },
    /// A directory below [`DEPTH_LIMIT`].
    #[error("{called} was not read: it is more than {DEPTH_LIMIT} directories deep", called = called(.name))]
    FolderTooDeep { name: String },
    /// A socket.
    #[error("cannot read {called}: it is a socket", called = called(.name))]
    Socket { name: String },
    /// /proc/kmsg, which removes each message when it is read, and never ends.
    #[error("cannot read {called}: it has no end, and reading takes messages from others", called = called(.name))]
    ReadOnce { name: String },
    /// Containers are nested too deeply.
    #[error("cannot unpack {called}: it is compressed too many times", called = called(.name))]
    TooDeep { name: String, container: Container },
    /// `journalctl` is needed and not installed.
    #[error("cannot read {called}: it is a systemd journal, and journalctl is not installed", called = called(.name))]
    NoJournalctl { name: String },
    /// `journalctl` could not be started.
    #[error("cannot start journalctl to read {called}: {said}", called = called(.name))]
    NotStarted { name: String, said: String },
    /// The temporary file for `journalctl` could not be created.
    #[error("cannot create a temporary file for {called}: {said}", called = called(.name))]
    NoSpool { name: String, said: String },
    /// A journal without entries.
    #[error("no entries in {called}", called = called(.name))]
    NoEntries { name: String },
    /// `journalctl` failed.
    #[error("journalctl cannot read {called}: {said}", called = called(.name))]
    Journal { name: String, said: String },
    /// An error in a member of an archive.
    #[error("{source}")]
    Member { archive: String, source: Box<Self> },
    /// Any other system error.
    #[error("cannot read {called}: {source}", called = called(.name))]
    Io { name: String, source: io::Error },
}

impl InputError {
    /// Translates a failed read of the input called `name`.
    #[must_use]
    pub fn from_read(name: &str, source: io::Error) -> Self {
        let name = name.to_owned();
        if let Some(error) = UnpackError::of(&source) {
            return match error {
                UnpackError::Truncated(container) => Self::Truncated { name, container },
                UnpackError::Corrupt(container) => Self::Corrupt { name, container },
                UnpackError::TooHungry(container) => Self::TooHungry { name, container },
                UnpackError::TooLarge(container, limit) => {
                    Self::TooLarge { name, container, limit }
                }
                UnpackError::TooLargeToCopy => Self::TooLargeToCopy { name },
                UnpackError::TooDeep(container) => Self::TooDeep { name, container },
            };
        }
        if let Some(error) = JournalError::of(&source) {
            return match error.clone() {
                JournalError::NoProgram => Self::NoJournalctl { name },
                error @ JournalError::Silent => {
                    let said = error.to_string();
                    let said = said.trim_start_matches("journalctl: ").to_owned();
                    Self::Journal { name, said }
                }
                JournalError::NotStarted(said) => Self::NotStarted { name, said },
                JournalError::NoEntries => Self::NoEntries { name },
                JournalError::Failed(said) => Self::Journal { name, said },
                JournalError::NoSpool(said) => Self::NoSpool { name, said },
            };
        }
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { name },
            io::ErrorKind::PermissionDenied => Self::Permission { name },
            io::ErrorKind::IsADirectory => Self::Directory { name },
            _ if is_outside(&source) => Self::LeadsOut { name },
            _ if is_of_a_socket(&source) => Self::Socket { name },
            _ => Self::Io { name, source },
        }
    }

    /// Whether a read failed because the input is damaged, as opposed to a system error: the rest
    /// of it cannot be recovered.
    #[must_use]
    pub fn is_damage(error: &io::Error) -> bool {
        UnpackError::of(error).is_some() || JournalError::of(error).is_some()
    }

    /// The same error, in a member of `archive`.
    #[must_use]
    pub fn within(self, archive: Option<&str>) -> Self {
        match archive {
            Some(archive) => Self::Member {
                archive: archive.to_owned(),
                source: Box::new(match self {
                    // This member reached the limit, but did not exceed it alone.
                    Self::TooLarge { name, limit, .. } if name != archive && limit.is_shared() => {
                        Self::Overrun { name, limit }
                    }
                    other => other,
                }),
            },
            None => self,
        }
    }

    /// A short code for programs: `not-found`, `gzip-cut`.
    #[must_use]
    pub fn code(&self) -> String {
        let word: &str = self.into();
        match self {
            Self::Truncated { container, .. } => format!("{}-cut", container.name()),
            Self::Corrupt { container, .. } => format!("{}-damaged", container.name()),
            Self::TooLarge { limit: Limit::Ratio, .. } => "too-dense".to_owned(),
            Self::TooLarge { limit: Limit::Time, .. } => "too-slow".to_owned(),
            Self::Member { source, .. } => source.code(),
            _ => word.to_owned(),
        }
    }

    /// The name of the input.
    #[must_use]
    pub fn input(&self) -> &str {
        match self {
            Self::Member { source, .. } => source.input(),
            Self::NotFound { name }
            | Self::Permission { name }
            | Self::Directory { name }
            | Self::NoLogs { name, .. }
            | Self::Empty { name }
            | Self::Binary { name, .. }
            | Self::Packed { name, .. }
            | Self::Truncated { name, .. }
            | Self::Corrupt { name, .. }
            | Self::TooHungry { name, .. }
            | Self::TooLarge { name, .. }
            | Self::Overrun { name, .. }
            | Self::RestUnread { name, .. }
            | Self::TooLargeToCopy { name }
            | Self::Sparse { name }
            | Self::LeadsOut { name }
            | Self::FolderTooDeep { name }
            | Self::Socket { name }
            | Self::ReadOnce { name }
            | Self::TooDeep { name, .. }
            | Self::NoJournalctl { name }
            | Self::NotStarted { name, .. }
            | Self::NoSpool { name, .. }
            | Self::NoEntries { name }
            | Self::Journal { name, .. }
            | Self::Io { name, .. } => name,
        }
    }

    /// Whether the input is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Empty { .. } | Self::NoEntries { .. } | Self::NoLogs { .. } => true,
            Self::Member { source, .. } => source.is_empty(),
            _ => false,
        }
    }

    /// Whether there is no journal to read, so that nothing is missing.
    #[must_use]
    pub const fn is_no_journal(&self) -> bool {
        matches!(self, Self::NoJournalctl { .. } | Self::NoEntries { .. })
    }

    /// Whether it was skipped on purpose, which is not a failure.
    #[must_use]
    pub const fn is_left_out(&self) -> bool {
        matches!(self, Self::LeadsOut { .. })
    }

    /// Whether the input was read and is not a log; in a directory such files are skipped.
    #[must_use]
    pub fn is_no_log(&self) -> bool {
        match self {
            Self::Empty { .. } | Self::Binary { .. } => true,
            Self::Member { source, .. } => source.is_no_log(),
            _ => false,
        }
    }

    /// What the user can do next; `None` if nothing helps, or if the name cannot be typed.
    #[must_use]
    pub fn hint(&self) -> Option<Hint> {
        Some(Hint::Command(match self {
            // A container without the device: its host has the log.
            Self::NotFound { name } if name == RING_BUFFER => return None,
            Self::NotFound { name } => format!("ls {}", quoted(&parent_folder(name))?),
            Self::Permission { name } if name == RING_BUFFER => "sudo amdtriage".to_owned(),
            Self::Permission { name } => format!("sudo amdtriage {}", quoted(name)?),
            Self::Directory { name } if name == STANDARD_INPUT => return None,
            Self::Directory { name } => format!("ls {}", quoted(name)?),
            Self::Empty { name } if name == STANDARD_INPUT => {
                "sudo amdtriage --this-machine".to_owned()
            }
            Self::Empty { .. } | Self::NoLogs { .. } => {
                "journalctl -k -b -1 | amdtriage".to_owned()
            }
            Self::Binary { .. } => "sudo dmesg > kernel.log".to_owned(),
            Self::Packed { name, foreign } => foreign.command(&quoted(name)?),
            Self::Socket { .. } | Self::ReadOnce { .. } => "sudo dmesg | amdtriage".to_owned(),
            Self::LeadsOut { name }
            | Self::FolderTooDeep { name }
            | Self::Sparse { name }
            | Self::Overrun { name, .. }
            | Self::TooLargeToCopy { name } => {
                format!("amdtriage {}", quoted(name)?)
            }
            Self::RestUnread { name, .. } => format!("tar -xf {}", quoted(name)?),
            Self::Member { archive, source } => return member_hint(archive, source),
            Self::Truncated { name, container } | Self::Corrupt { name, container } => {
                container.check(&quoted(name)?)
            }
            Self::TooHungry { name, container } => {
                format!("{} | amdtriage", hungry_command(*container, &quoted(name)?))
            }
            Self::TooLarge { name, container, .. } => {
                format!("{} | tail -n 1000000 | amdtriage", container.command(&quoted(name)?))
            }
            Self::TooDeep { name, container } => {
                format!("{} | amdtriage", container.command(&quoted(name)?))
            }
            Self::NotStarted { .. } => "journalctl --version".to_owned(),
            Self::NoEntries { name } | Self::Journal { name, .. } if is_no_file(name) => {
                "journalctl --verify".to_owned()
            }
            Self::NoEntries { name } | Self::Journal { name, .. } => {
                format!("journalctl --verify --file {}", quoted(name)?)
            }
            Self::NoJournalctl { name } => {
                return Some(Hint::Advice(format!(
                    "on a machine with systemd: journalctl --file {} -o export > journal.export",
                    quoted(name)?
                )));
            }
            Self::NoSpool { .. } => {
                let text = "set TMPDIR to a directory with enough space";
                return Some(Hint::Advice(text.to_owned()));
            }
            Self::Io { .. } => return None,
        }))
    }
}

/// The directory of a file.
fn parent_folder(name: &str) -> String {
    match name.rsplit_once('/') {
        None => ".".to_owned(),
        Some(("", _)) => "/".to_owned(),
        Some((folder, _)) => folder.to_owned(),
    }
}

/// How to extract a member of an archive.
fn member_hint(archive: &str, source: &InputError) -> Option<Hint> {
    let unpacked = format!("tar -xf {}", quoted(archive)?);
    match source {
        InputError::Io { .. } => None,
        InputError::NoSpool { .. } | InputError::NotStarted { .. } => source.hint(),
        InputError::Packed { name, foreign } => {
            let inner = name.strip_prefix(archive)?.strip_prefix(':')?;
            Some(Hint::Command(format!("{unpacked}; {}", foreign.command(&quoted(inner)?))))
        }
        _ => Some(Hint::Command(unpacked)),
    }
}

/// Without files nothing is outside a directory.
#[cfg(not(feature = "system"))]
const fn is_outside(_: &io::Error) -> bool {
    false
}

/// Without files nothing is a socket.
#[cfg(not(feature = "system"))]
const fn is_of_a_socket(_: &io::Error) -> bool {
    false
}

/// Opening a socket as a file has a distinct error.
#[cfg(feature = "system")]
fn is_of_a_socket(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ENXIO)
}

/// How to decompress with more memory.
fn hungry_command(container: Container, file: &str) -> String {
    match container {
        Container::Compressed(Compression::Zstd) => format!("zstd -dc --long=31 {file}"),
        other => other.command(file),
    }
}

/// Whether this is the name of a machine's own log.
pub(crate) fn is_no_file(name: &str) -> bool {
    [RING_BUFFER, THIS_BOOT, SYSTEM_JOURNAL, LAST_BOOT, DMESG_OUTPUT].contains(&name)
        || name.starts_with(JOURNAL_OF)
}

/// A path quoted for a shell, if it can be typed.
pub(crate) fn quoted(name: &str) -> Option<String> {
    let typed = |c: char| !c.is_control() && c != char::REPLACEMENT_CHARACTER;
    if name == STANDARD_INPUT {
        return Some("FILE".to_owned());
    }
    if is_no_file(name) || !name.chars().all(typed) {
        return None;
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@".contains(&byte);
    if !name.is_empty() && !name.starts_with('-') && name.bytes().all(plain) {
        return Some(name.to_owned());
    }
    let dashed = if name.starts_with('-') { "./" } else { "" };
    Some(format!("'{dashed}{}'", name.replace('\'', "'\\''")))
}

/// A command that prints a log, decompressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintCommand {
    file: String,
    compression: Option<Compression>,
}

impl PrintCommand {
    /// `None` if the name cannot be typed.
    #[must_use]
    pub fn new(name: &str, compression: Option<Compression>) -> Option<Self> {
        Some(Self { file: quoted(name)?, compression })
    }

    /// The command with its output piped through another program.
    #[must_use]
    pub fn through(&self, filter: &str) -> String {
        match self.compression {
            Some(compression) => {
                let unpack = Container::Compressed(compression).command(&self.file);
                format!("{unpack} | {filter}")
            }
            None => format!("{filter} {}", self.file),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_can_be_pasted_into_a_shell() {
        let cut = |name: &str, compression| {
            let container = Container::Compressed(compression);
            InputError::Truncated { name: name.to_owned(), container }.hint()
        };
        for (name, compression, want) in [
            ("kern.log.2.xz", Compression::Xz, "xz -t kern.log.2.xz"),
            ("my log.gz", Compression::Gzip, "gzip -t 'my log.gz'"),
            ("-a;b", Compression::Zstd, "zstd -t './-a;b'"),
            (STANDARD_INPUT, Compression::Gzip, "gzip -t FILE"),
            ("it's.bz2", Compression::Bzip2, "bzip2 -t 'it'\\''s.bz2'"),
        ] {
            assert_eq!(cut(name, compression), Some(Hint::Command(want.to_owned())));
        }
        let hint = |name: &str| InputError::NoEntries { name: name.to_owned() }.hint().unwrap();
        assert_eq!(hint(THIS_BOOT).lines(), ["help: journalctl --verify"]);
        let missing = InputError::NotFound { name: RING_BUFFER.to_owned() };
        assert_eq!(missing.hint(), None);
        for untyped in [THIS_BOOT, "a\u{1b}[2Jb", "a\nb", "a\u{FFFD}"] {
            assert_eq!(cut(untyped, Compression::Gzip), None);
        }
        for (foreign, want) in
            [(Foreign::Lz4, "lz4 -dc a.b | amdtriage"), (Foreign::Zip, "unzip -p a.b | amdtriage")]
        {
            let packed = |name: &str| InputError::Packed { name: name.to_owned(), foreign };
            assert_eq!(packed("a.b").hint().unwrap().lines(), [format!("help: {want}")]);
            let member = packed("x.tar:a.b").within(Some("x.tar")).hint().unwrap();
            assert_eq!(member.lines(), [format!("help: tar -xf x.tar; {want}")]);
        }
        let printed = PrintCommand::new("my log.gz", Some(Compression::Gzip)).unwrap();
        assert_eq!(printed.through("tac"), "zcat 'my log.gz' | tac");
        assert_eq!(PrintCommand::new("a.log", None).unwrap().through("tac"), "tac a.log");
    }

    #[test]
    fn a_member_is_had_by_unpacking_its_archive() {
        let container = Container::Compressed(Compression::Gzip);
        let error = InputError::Corrupt { name: "a b.tar:kern.log.gz".to_owned(), container };
        let error = error.within(Some("a b.tar"));
        assert_eq!(error.to_string(), "\"a b.tar:kern.log.gz\" is a damaged gzip file");
        assert_eq!(error.hint(), Some(Hint::Command("tar -xf 'a b.tar'".to_owned())));
    }
}
