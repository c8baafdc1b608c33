//! The format of rows: lines, or columns if this build supports them.

use std::io::{self, IsTerminal as _, Write};

use crate::cli::args::{RowArguments, RowFormat};
use crate::cli::failure::Failure;
#[cfg(feature = "columns")]
use crate::report::columns::Columns;
use crate::report::rows::{Encoding, Row, write_types};

/// The requested format.
#[derive(Clone, Copy)]
pub(super) enum RowLayout {
    Lines,
    Columns(Encoding),
}

impl RowLayout {
    /// Rejects impossible formats and destinations before anything is read.
    pub(super) fn asked(arguments: &RowArguments) -> Result<Self, Failure> {
        match arguments.form.format {
            RowFormat::Ndjson => Ok(Self::Lines),
            RowFormat::Parquet => Self::in_columns(Encoding::Parquet, arguments),
            RowFormat::Arrow => Self::in_columns(Encoding::Arrow, arguments),
        }
    }

    fn in_columns(encoding: Encoding, arguments: &RowArguments) -> Result<Self, Failure> {
        if !cfg!(feature = "columns") {
            return Err(Failure::NoColumns { encoding: encoding.into() });
        }
        if arguments.file.path().is_none() && io::stdout().is_terminal() {
            return Err(Failure::BinaryOnTerminal { encoding: encoding.into() });
        }
        Ok(Self::Columns(encoding))
    }

    pub(super) fn writer(self, out: &mut dyn Write) -> io::Result<Writer<'_>> {
        match self {
            Self::Lines => Ok(Writer::Lines(out)),
            #[cfg(feature = "columns")]
            Self::Columns(encoding) => {
                Columns::new(encoding, out).map(Box::new).map(Writer::Columns)
            }
            #[cfg(not(feature = "columns"))]
            Self::Columns(encoding) => {
                Err(io::Error::new(io::ErrorKind::Unsupported, <&str>::from(encoding)))
            }
        }
    }
}

/// Writes rows.
pub(super) enum Writer<'o> {
    Lines(&'o mut dyn Write),
    #[cfg(feature = "columns")]
    Columns(Box<Columns<'o>>),
}

impl Writer<'_> {
    /// Writes a row that shows the types of all columns, in formats that have no types of their own.
    pub(super) fn types(&mut self, patterns: &str) -> io::Result<()> {
        match self {
            Self::Lines(out) => write_types(patterns, *out),
            #[cfg(feature = "columns")]
            Self::Columns(_) => Ok(()),
        }
    }

    pub(super) fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        match self {
            Self::Lines(out) => row.write(*out),
            #[cfg(feature = "columns")]
            Self::Columns(columns) => columns.add(row),
        }
    }

    /// Flushes the rows of a log, in formats in which rows are independent.
    pub(super) fn end_of_log(&mut self) -> io::Result<()> {
        match self {
            Self::Lines(out) => out.flush(),
            #[cfg(feature = "columns")]
            Self::Columns(_) => Ok(()),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Lines(out) => out.flush(),
            #[cfg(feature = "columns")]
            Self::Columns(columns) => columns.finish(),
        }
    }
}
