//! Opens containers, with everything in them.

use std::io::{self, Read};
use std::time::SystemTime;

use super::archive::Archive;
use super::container::{self, Kind, NESTING_LIMIT};
use super::cost::{Budget, Limits};
#[cfg(feature = "system")]
use super::files::FileLocation;
use super::journal_error::JOURNALCTL;
#[cfg(not(feature = "system"))]
use super::journal_error::JournalError;
use super::{Compression, Container, Found, InputError, Source, UnpackError, Visit};

/// The location of a file that can be read again; without files there is none.
#[cfg(not(feature = "system"))]
type FileLocation<'a> = &'a std::convert::Infallible;

/// What is known about some bytes before they are read.
#[derive(Clone, Default)]
pub(super) struct Origin<'a> {
    pub(super) name: String,
    /// The file, if the bytes are all of it and can be read again.
    pub(super) place: Option<FileLocation<'a>>,
    pub(super) archive: Option<String>,
    pub(super) compression: Option<Compression>,
    pub(super) modified: Option<SystemTime>,
    pub(super) member: bool,
    /// The number of containers around them.
    pub(super) nesting: u32,
}

impl Origin<'_> {
    pub(super) fn new(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    pub(super) fn source<'r>(
        self,
        compression: Option<Compression>,
        reader: Box<dyn Read + 'r>,
    ) -> Source<'r> {
        Source {
            name: self.name,
            archive: self.archive,
            compression: compression.or(self.compression),
            journal: false,
            modified: self.modified,
            reader,
        }
    }

    pub(super) fn failed(&self, error: io::Error) -> InputError {
        InputError::from_read(&self.name, error).within(self.archive.as_deref())
    }
}

/// Opens an input with everything in it.
pub(super) struct Opener {
    /// The cost limits, reset for each file.
    pub(super) budget: Budget,
    /// The program for reading journals.
    pub(super) journalctl: &'static str,
}

impl Default for Opener {
    fn default() -> Self {
        Self::new(Limits::default(), JOURNALCTL)
    }
}

impl Opener {
    pub(super) fn new(limits: Limits, journalctl: &'static str) -> Self {
        Self { budget: Budget::new(limits), journalctl }
    }

    /// Passes the contents of `reader` to `visit`.
    pub(super) fn content<E>(
        &self,
        mut origin: Origin<'_>,
        reader: impl Read,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        let member = origin.member;
        let content = match container::unpacked(reader, &self.budget, origin.nesting) {
            Ok(content) => content,
            Err(error) => return visit(Found { member, source: Err(origin.failed(error)) }),
        };
        origin.compression = content.compression.or(origin.compression);
        origin.nesting += content.layers;
        if content.layers > 0 {
            origin.place = None;
        }
        let name = || origin.name.clone();
        let refused = match content.kind {
            Kind::Tar => return self.members(&origin, content.reader, visit),
            Kind::Text => {
                let source = Ok(origin.source(None, content.reader));
                return visit(Found { member, source });
            }
            Kind::Journal => {
                let source = self.journal(origin, content.reader);
                return visit(Found { member, source });
            }
            Kind::Empty => InputError::Empty { name: name() },
            Kind::Binary(what) => InputError::Binary { name: name(), what },
            Kind::Foreign(foreign) => InputError::Packed { name: name(), foreign },
        };
        visit(Found { member, source: Err(refused.within(origin.archive.as_deref())) })
    }

    /// Passes the files of an archive to `visit`.
    fn members<E>(
        &self,
        origin: &Origin<'_>,
        reader: Box<dyn Read + '_>,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        // The archive that can be named on a command line.
        let outermost = origin.archive.as_ref().unwrap_or(&origin.name);
        // Members before an error were passed already, so the error is passed like that of a
        // member.
        let failed = |error| {
            let error = InputError::from_read(&origin.name, error).within(Some(outermost));
            Found { member: true, source: Err(error) }
        };
        let nesting = origin.nesting + 1;
        if nesting > NESTING_LIMIT {
            return visit(failed(UnpackError::TooDeep(Container::Tar).raised()));
        }
        let mut archive = Archive::new(reader);
        loop {
            let member = match archive.next() {
                Ok(Some(member)) => member,
                Ok(None) => return Ok(()),
                Err(error) => return visit(failed(error)),
            };
            let name = format!("{}:{}", origin.name, member.path);
            if member.is_sparse {
                let sparse = InputError::Sparse { name }.within(Some(outermost));
                visit(Found { member: true, source: Err(sparse) })?;
                continue;
            }
            if !member.is_file {
                continue;
            }
            let inner = Origin {
                name,
                place: None,
                archive: Some(outermost.clone()),
                compression: origin.compression,
                modified: member.modified,
                member: true,
                nesting,
            };
            // A trait object, because nested archives would have an infinitely recursive type.
            let bytes: &mut dyn Read = &mut archive;
            self.content(inner, bytes, visit)?;
            if let Some(limit) = self.budget.over() {
                let rest = InputError::RestUnread { name: origin.name.clone(), limit };
                let source = Err(rest.within(Some(outermost)));
                return visit(Found { member: true, source });
            }
        }
    }
}

#[cfg(not(feature = "system"))]
impl Opener {
    /// There is no `journalctl` in this build.
    #[allow(
        clippy::unused_self,
        reason = "where there are programs, it is the opener's that reads journals"
    )]
    fn journal(
        &self,
        origin: Origin<'_>,
        _reader: Box<dyn Read + '_>,
    ) -> Result<Source<'static>, InputError> {
        Err(origin.failed(JournalError::NoProgram.raised()))
    }
}
