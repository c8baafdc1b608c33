//! Why an input cannot be read, and what to do about it.

use std::io;

use super::container::{
    Compression, Container, Foreign, MEMORY_LIMIT, UNPACKED_LIMIT, UnpackError,
};
use super::journal::JournalError;
use super::{RING_BUFFER, STANDARD_INPUT, THIS_BOOT};

/// Why an input cannot be read, one variant for each thing that a person can do about it.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// There is no such file.
    #[error("{name} does not exist")]
    NotFound {
        /// The path as given.
        name: String,
    },
    /// The file belongs to somebody else.
    #[error("no permission to read {name}")]
    Permission {
        /// The path as given.
        name: String,
    },
    /// A folder where a file is expected.
    #[error("{name} is a folder")]
    Directory {
        /// The path as given.
        name: String,
    },
    /// A folder or an archive in which no file is a log.
    #[error("{name} is {what} without logs")]
    NoLogs {
        /// The path as given.
        name: String,
        /// What it is, with its article.
        what: &'static str,
    },
    /// Not a single byte.
    #[error("{name} is empty")]
    Empty {
        /// The path as given.
        name: String,
    },
    /// Something else than text, and nothing that could be unpacked to text.
    #[error("{name} is {what}, not a text log")]
    Binary {
        /// The path as given.
        name: String,
        /// What it is instead.
        what: &'static str,
    },
    /// Text may be inside, but another program has to take it out.
    #[error("{name} is {foreign}, which is not read directly")]
    Packed {
        /// The path as given.
        name: String,
        /// What it is packed as.
        foreign: Foreign,
    },
    /// The end of a packed file is missing.
    #[error("{name} is {} whose end is missing", container.with_article())]
    Truncated {
        /// The path as given.
        name: String,
        /// What it is packed in.
        container: Container,
    },
    /// A packed file that contradicts itself.
    #[error("{name} is a damaged {container}")]
    Corrupt {
        /// The path as given.
        name: String,
        /// What it is packed in.
        container: Container,
    },
    /// Unpacking takes more memory than [`MEMORY_LIMIT`].
    #[error("{name} takes more than {MEMORY_LIMIT} MiB of memory to unpack")]
    TooHungry {
        /// The path as given.
        name: String,
        /// What it is packed in.
        container: Container,
    },
    /// It unpacks to more than [`UNPACKED_LIMIT`].
    #[error("{name} unpacks to more than {} GiB", UNPACKED_LIMIT >> 30)]
    TooLarge {
        /// The path as given.
        name: String,
        /// What it is packed in.
        container: Container,
    },
    /// More than a few containers lie one in another.
    #[error("{name} is packed too many times")]
    TooDeep {
        /// The path as given.
        name: String,
        /// The container that was one too many.
        container: Container,
    },
    /// `journalctl` is needed and not there.
    #[error("{name} is a systemd journal, and journalctl, which reads those, is not installed")]
    NoJournalctl {
        /// The path as given.
        name: String,
    },
    /// `journalctl` could not read a journal.
    #[error("journalctl cannot read {name}: {said}")]
    Journal {
        /// The path as given.
        name: String,
        /// What it said.
        said: String,
    },
    /// One of these befell a member of an archive.
    #[error("{source}")]
    Member {
        /// The archive, as given.
        archive: String,
        /// What befell it.
        source: Box<Self>,
    },
    /// Anything else that the system reports.
    #[error("cannot read {name}: {source}")]
    Io {
        /// The path as given.
        name: String,
        /// What the system said.
        source: io::Error,
    },
}

impl InputError {
    /// Says what a failed read of the input called `name` means.
    #[must_use]
    pub fn from_read(name: &str, source: io::Error) -> Self {
        let name = name.to_owned();
        if let Some(error) = UnpackError::of(&source) {
            return match error {
                UnpackError::Truncated(container) => Self::Truncated { name, container },
                UnpackError::Corrupt(container) => Self::Corrupt { name, container },
                UnpackError::TooHungry(container) => Self::TooHungry { name, container },
                UnpackError::TooLarge(container) => Self::TooLarge { name, container },
                UnpackError::TooDeep(container) => Self::TooDeep { name, container },
            };
        }
        match (JournalError::of(&source), source.kind()) {
            (Some(JournalError::NoProgram), _) => Self::NoJournalctl { name },
            (Some(JournalError::Failed(said)), _) => Self::Journal { name, said: said.clone() },
            (None, io::ErrorKind::NotFound) => Self::NotFound { name },
            (None, io::ErrorKind::PermissionDenied) => Self::Permission { name },
            (None, io::ErrorKind::IsADirectory) => Self::Directory { name },
            (None, _) => Self::Io { name, source },
        }
    }

    /// Whether a read failed because of what the input is, and not because of the system: the rest of
    /// it is lost for good.
    #[must_use]
    pub fn is_damage(error: &io::Error) -> bool {
        UnpackError::of(error).is_some() || JournalError::of(error).is_some()
    }

    /// The same, of a member of `archive`.
    #[must_use]
    pub fn within(self, archive: Option<&str>) -> Self {
        match archive {
            Some(archive) => Self::Member { archive: archive.to_owned(), source: Box::new(self) },
            None => self,
        }
    }

    /// Whether the input was read and merely is no log, so that a folder can be gone through
    /// without stopping here.
    #[must_use]
    pub fn is_no_log(&self) -> bool {
        match self {
            Self::Empty { .. } | Self::Binary { .. } | Self::Packed { .. } => true,
            Self::Member { source, .. } => source.is_no_log(),
            _ => false,
        }
    }

    /// What to do next, beginning with what to type.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotFound { .. } => {
                "journalctl -k -b -1 > last-boot.log saves the log of the boot before this one"
                    .to_owned()
            }
            Self::Permission { name } if name == RING_BUFFER => {
                "sudo amdtriage reads it as root".to_owned()
            }
            Self::Permission { name } => {
                format!("sudo amdtriage {} reads it as root", quoted(name))
            }
            Self::Directory { name } => format!("ls {} shows what is in it", quoted(name)),
            Self::NoLogs { .. } => {
                "journalctl -k -b -1 > last-boot.log writes a log that can be read".to_owned()
            }
            Self::Empty { .. } => {
                "journalctl -k -b -1 | amdtriage reads the boot before this one".to_owned()
            }
            Self::Binary { .. } => "dmesg > kernel.log writes the log as text".to_owned(),
            Self::Packed { name, foreign } => foreign.command(&quoted(name)),
            Self::Truncated { name, container } | Self::Corrupt { name, container } => format!(
                "{} | amdtriage reads what can still be unpacked",
                container.command(&quoted(name))
            ),
            Self::TooHungry { name, container } => {
                format!("{} | amdtriage", hungry_command(*container, &quoted(name)))
            }
            Self::TooLarge { name, container } => format!(
                "{} | tail -n 1000000 | amdtriage reads the last million lines",
                container.command(&quoted(name))
            ),
            Self::TooDeep { name, container } => {
                format!("{} | amdtriage", container.command(&quoted(name)))
            }
            Self::NoJournalctl { name } => format!(
                "journalctl --file {} -o export > journal.export on a machine that has it, or install \
                 the package systemd",
                quoted(name)
            ),
            Self::Journal { name, .. } => {
                format!("journalctl --verify --file {} says what is wrong with it", quoted(name))
            }
            Self::Member { archive, source } => match **source {
                Self::Io { .. } => return None,
                _ => format!("tar -xf {} gives its files one by one", quoted(archive)),
            },
            Self::Io { .. } => return None,
        })
    }
}

/// How to unpack what takes much memory.
fn hungry_command(container: Container, file: &str) -> String {
    match container {
        Container::Compressed(Compression::Zstd) => format!("zstd -dc --long=31 {file}"),
        other => other.command(file),
    }
}

/// A path as a shell takes it.
fn quoted(name: &str) -> String {
    if [STANDARD_INPUT, RING_BUFFER, THIS_BOOT].contains(&name) {
        return "FILE".to_owned();
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@".contains(&byte);
    if !name.is_empty() && !name.starts_with('-') && name.bytes().all(plain) {
        return name.to_owned();
    }
    let dashed = if name.starts_with('-') { "./" } else { "" };
    format!("'{dashed}{}'", name.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_can_be_pasted_into_a_shell() {
        let cut = |name: &str, compression| {
            let container = Container::Compressed(compression);
            InputError::Truncated { name: name.to_owned(), container }.hint().unwrap()
        };
        let rest = " | amdtriage reads what can still be unpacked";
        for (name, compression, want) in [
            ("kern.log.2.xz", Compression::Xz, "xz -dc kern.log.2.xz"),
            ("my log.gz", Compression::Gzip, "zcat 'my log.gz'"),
            ("-a;b", Compression::Zstd, "zstd -dc './-a;b'"),
            (STANDARD_INPUT, Compression::Bzip2, "bzip2 -dc FILE"),
        ] {
            assert_eq!(cut(name, compression), format!("{want}{rest}"));
        }
        let packed = InputError::Packed { name: "a.lz4".to_owned(), foreign: Foreign::Lz4 };
        assert_eq!(packed.hint().unwrap(), "lz4 -dc a.lz4 | amdtriage");
    }

    #[test]
    fn a_member_is_had_by_unpacking_its_archive() {
        let container = Container::Compressed(Compression::Gzip);
        let error = InputError::Corrupt { name: "a b.tar:kern.log.gz".to_owned(), container };
        let error = error.within(Some("a b.tar"));
        assert_eq!(error.to_string(), "a b.tar:kern.log.gz is a damaged gzip file");
        assert_eq!(error.hint().unwrap(), "tar -xf 'a b.tar' gives its files one by one");
    }
}
