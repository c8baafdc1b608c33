//! Bytes become logs: each container is opened, with what is in it.

use std::io::{self, Read};
use std::time::SystemTime;

use super::archive::Archive;
use super::container::{self, Kind, NESTING_LIMIT};
use super::cost::{Budget, Limits};
#[cfg(feature = "system")]
use super::files::Place;
use super::journal_error::JOURNALCTL;
#[cfg(not(feature = "system"))]
use super::journal_error::JournalError;
use super::{Compression, Container, Found, InputError, Source, UnpackError, Visit};

/// Where a file stands that can be read again: without files, nowhere.
#[cfg(not(feature = "system"))]
type Place<'a> = &'a std::convert::Infallible;

/// What is known of some bytes before one of them is read.
#[derive(Clone, Default)]
pub(super) struct Origin<'a> {
    pub(super) name: String,
    /// The file, if the bytes are all of it and can be read again.
    pub(super) place: Option<Place<'a>>,
    pub(super) archive: Option<String>,
    pub(super) compression: Option<Compression>,
    pub(super) modified: Option<SystemTime>,
    pub(super) member: bool,
    /// How many containers were opened to get here.
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

/// Opens one input with all that is in it.
pub(super) struct Opener {
    /// What unpacking may cost, of each file anew.
    pub(super) budget: Budget,
    /// The program that reads journals.
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

    /// Shows what is in `reader`.
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

    /// Shows the files of an archive.
    fn members<E>(
        &self,
        origin: &Origin<'_>,
        reader: Box<dyn Read + '_>,
        visit: &mut Visit<'_, E>,
    ) -> Result<(), E> {
        // The one that can be named on a command line.
        let outermost = origin.archive.as_ref().unwrap_or(&origin.name);
        // What was found before a failure counts, so it is shown like that of one member.
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
            // A trait object, since an archive in an archive in … has no type with an end.
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
    /// There is no `journalctl` to read a journal file.
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
