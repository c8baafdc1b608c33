//! Where a log comes from: a file, a folder or standard input becomes a stream of unpacked bytes.
//!
//! The only module that opens files. It looks at bytes no further than it takes to say what kind
//! of container they are; what lines mean is for [`crate::record`].

mod charset;
mod container;
mod text;

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

pub use container::{Compression, Foreign, UNPACKED_LIMIT, UnpackError};
pub use text::{LINE_LIMIT, Line, Lines, Skipped, plain_text};

/// How deep [`walk`] goes into a folder.
const DEPTH_LIMIT: usize = 16;

/// One input, unpacked, ready to be read.
pub struct Source {
    /// What to call it in messages: the path as it was given, or `-`.
    pub name: String,
    /// How it was packed.
    pub compression: Option<Compression>,
    /// The unpacked bytes, from the first one on.
    pub reader: Box<dyn Read>,
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("compression", &self.compression)
            .finish_non_exhaustive()
    }
}

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
    /// A folder in which no file is a log.
    #[error("{name} is a folder without logs")]
    NoLogs {
        /// The path as given.
        name: String,
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
    /// The end of a gzip file is missing.
    #[error("{name} is a gzip file whose end is missing")]
    Truncated {
        /// The path as given.
        name: String,
    },
    /// A gzip file that contradicts itself.
    #[error("{name} is a damaged gzip file")]
    Corrupt {
        /// The path as given.
        name: String,
    },
    /// It unpacks to more than [`UNPACKED_LIMIT`].
    #[error("{name} unpacks to more than {} GiB", UNPACKED_LIMIT >> 30)]
    TooLarge {
        /// The path as given.
        name: String,
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
        let inner = source.get_ref().and_then(|inner| inner.downcast_ref::<UnpackError>());
        match (inner, source.kind()) {
            (Some(UnpackError::Truncated), _) => Self::Truncated { name },
            (Some(UnpackError::Corrupt), _) => Self::Corrupt { name },
            (Some(UnpackError::TooLarge), _) => Self::TooLarge { name },
            (None, io::ErrorKind::NotFound) => Self::NotFound { name },
            (None, io::ErrorKind::PermissionDenied) => Self::Permission { name },
            (None, io::ErrorKind::IsADirectory) => Self::Directory { name },
            (None, _) => Self::Io { name, source },
        }
    }

    /// Whether the input was read and merely is no log, so that a folder can be gone through
    /// without stopping here.
    #[must_use]
    pub fn is_no_log(&self) -> bool {
        matches!(self, Self::Empty { .. } | Self::Binary { .. } | Self::Packed { .. })
    }

    /// What to do next, beginning with what to type.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotFound { .. } => {
                "journalctl -k -b -1 > last-boot.log saves the log of the boot before this one"
                    .to_owned()
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
            Self::Truncated { name } | Self::Corrupt { name } => {
                format!("zcat {} | amdtriage reads what can still be unpacked", quoted(name))
            }
            Self::TooLarge { name } => {
                format!(
                    "zcat {} | tail -n 1000000 | amdtriage reads the last million lines",
                    quoted(name)
                )
            }
            Self::Io { .. } => return None,
        })
    }
}

/// What an input without a file is called.
pub const STANDARD_INPUT: &str = "standard input";

/// A path as a shell takes it.
fn quoted(name: &str) -> String {
    if name == STANDARD_INPUT {
        return "FILE".to_owned();
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@".contains(&byte);
    if !name.is_empty() && !name.starts_with('-') && name.bytes().all(plain) {
        return name.to_owned();
    }
    let dashed = if name.starts_with('-') { "./" } else { "" };
    format!("'{dashed}{}'", name.replace('\'', "'\\''"))
}

/// Opens one file.
///
/// # Errors
///
/// Says why the file is no readable log; see [`InputError`].
#[allow(clippy::disallowed_methods, reason = "this module is the one that opens files")]
pub fn open(path: &Path) -> Result<Source, InputError> {
    let name = path.display().to_string();
    let found = fs::metadata(path).map_err(|error| InputError::from_read(&name, error))?;
    if found.is_dir() {
        return Err(InputError::Directory { name });
    }
    let file = fs::File::open(path).map_err(|error| InputError::from_read(&name, error))?;
    source(name, file)
}

/// Takes what another program writes.
///
/// # Errors
///
/// Says why the bytes are no readable log; see [`InputError`].
pub fn standard_input(reader: impl Read + 'static) -> Result<Source, InputError> {
    source(STANDARD_INPUT.to_owned(), reader)
}

fn source(name: String, reader: impl Read + 'static) -> Result<Source, InputError> {
    match container::unpacked(reader) {
        Ok(container::Content { compression, reader, kind }) => match kind {
            container::Kind::Text => Ok(Source { name, compression, reader }),
            container::Kind::Empty => Err(InputError::Empty { name }),
            container::Kind::Binary(what) => Err(InputError::Binary { name, what }),
            container::Kind::Foreign(foreign) => Err(InputError::Packed { name, foreign }),
        },
        Err(error) => Err(InputError::from_read(&name, error)),
    }
}

/// The regular files below a folder, sorted by path.
///
/// Links to folders are not followed, so the walk ends; folders that cannot be read are left out.
/// Which of the files are logs only [`open`] can tell, see [`InputError::is_no_log`].
///
/// # Errors
///
/// If `path` itself cannot be read, or nothing is in it.
pub fn walk(path: &Path) -> Result<Vec<PathBuf>, InputError> {
    let name = path.display().to_string();
    let entries = fs::read_dir(path).map_err(|error| InputError::from_read(&name, error))?;
    let mut files = Vec::new();
    let mut folders = vec![(entries, 0)];
    while let Some((entries, depth)) = folders.pop() {
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() && depth < DEPTH_LIMIT {
                folders.extend(fs::read_dir(&path).ok().map(|entries| (entries, depth + 1)));
            } else if kind.is_file() || (kind.is_symlink() && path.is_file()) {
                files.push(path);
            }
        }
    }
    if files.is_empty() {
        return Err(InputError::NoLogs { name });
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    fn read(bytes: Vec<u8>) -> Result<Vec<u8>, InputError> {
        let mut source = standard_input(io::Cursor::new(bytes))?;
        let mut all = Vec::new();
        source
            .reader
            .read_to_end(&mut all)
            .map_err(|error| InputError::from_read(STANDARD_INPUT, error))?;
        Ok(all)
    }

    #[test]
    fn containers_are_known_by_their_bytes() {
        let text = b"[    1.000000] one\n".repeat(40);
        let members = [gzip(&text), gzip(b"two\n")].concat();
        assert_eq!(read(text.clone()).unwrap(), text);
        assert_eq!(read(members).unwrap(), [text.as_slice(), b"two\n"].concat());
    }

    #[test]
    fn each_failure_is_told_apart() {
        let mut cut = gzip(&b"[    1.000000] one\n".repeat(4000));
        cut.truncate(cut.len() - 12);
        let mut wrong = gzip(&b"[    1.000000] one\n".repeat(4000));
        let at = wrong.len() - 6;
        wrong[at] ^= 0xFF;
        for (bytes, want) in [
            (Vec::new(), "standard input is empty"),
            (gzip(b""), "standard input is empty"),
            (b"\x89PNG\r\n\x1a\n....".to_vec(), "standard input is a PNG image, not a text log"),
            (b"\x7fELF\x02\x01\x01".to_vec(), "standard input is a program, not a text log"),
            (
                b"\xFD7zXZ\0....".to_vec(),
                "standard input is an xz file, which is not read directly",
            ),
            (
                b"LPKSHHRH\0\0\0\0".to_vec(),
                "standard input is a systemd journal, which is not read directly",
            ),
            (cut, "standard input is a gzip file whose end is missing"),
            (wrong, "standard input is a damaged gzip file"),
            (
                (0..=255).cycle().take(4096).collect(),
                "standard input is binary data, not a text log",
            ),
        ] {
            let error = read(bytes).unwrap_err();
            assert_eq!(error.to_string(), want);
            assert!(error.hint().is_some(), "{error:?}");
        }
    }

    #[test]
    fn a_run_of_zero_bytes_after_a_power_loss_is_no_reason_to_refuse_a_log() {
        let text =
            [vec![0; 4096], b"Nov 19 10:33:11 h kernel: [ 2660.018834] text\n".to_vec()].concat();
        assert_eq!(read(text.clone()).unwrap(), text);
    }

    #[test]
    fn hints_can_be_pasted_into_a_shell() {
        let packed = |name: &str| {
            InputError::Packed { name: name.to_owned(), foreign: Foreign::Xz }.hint().unwrap()
        };
        assert_eq!(packed("kern.log.2.xz"), "xz -dc kern.log.2.xz | amdtriage");
        assert_eq!(packed("my log.xz"), "xz -dc 'my log.xz' | amdtriage");
        assert_eq!(packed("-a;b"), "xz -dc './-a;b' | amdtriage");
    }

    #[test]
    fn a_folder_gives_its_files_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        assert!(matches!(walk(folder.path()), Err(InputError::NoLogs { .. })));
        fs::create_dir(path("b")).unwrap();
        for name in ["b/z.log", "c.log", "a.log"] {
            fs::write(path(name), "text\n").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink(folder.path(), path("b/loop")).unwrap();
        assert_eq!(walk(folder.path()).unwrap(), [path("a.log"), path("b/z.log"), path("c.log")]);
        assert!(matches!(open(folder.path()), Err(InputError::Directory { .. })));
        assert!(matches!(open(&path("none")), Err(InputError::NotFound { .. })));
    }
}
