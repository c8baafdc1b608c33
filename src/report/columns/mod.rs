//! Rows as a Parquet file, or as a stream of Arrow, with the columns of the JSON Schema of rows.
//!
//! What is in memory does not grow with the number of logs: a batch and the group of rows that it goes into.

mod batches;

use std::io;
use std::mem;

use arrow_array::RecordBatch;
use arrow_ipc::writer::StreamEncoder;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::rows::{Encoding, Row};
use batches::Batches;

/// What reads a Parquet file in parallel does so by groups of this many rows. More of them are more memory here.
const GROUP: usize = 1 << 16;

/// Or of as many as take this much, in bytes.
const GROUP_BYTES: usize = 32 << 20;

/// Makes bytes of batches.
enum Encoder {
    /// What it writes to is emptied after each batch: it takes nothing that stays in its thread, as standard output does.
    Parquet(Box<ArrowWriter<Vec<u8>>>),
    Arrow(Box<StreamEncoder>),
}

impl Encoder {
    fn new(encoding: Encoding, schema: SchemaRef) -> io::Result<Self> {
        match encoding {
            Encoding::Parquet => {
                let writer = ArrowWriter::try_new(Vec::new(), schema, Some(properties()));
                writer.map(Box::new).map(Self::Parquet).map_err(io::Error::other)
            }
            Encoding::Arrow => {
                let encoder = StreamEncoder::try_new(&schema);
                encoder.map(Box::new).map(Self::Arrow).map_err(io::Error::other)
            }
        }
    }

    fn write(&mut self, batch: &RecordBatch, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => {
                writer.write(batch).map_err(io::Error::other)?;
                out.write_all(&mem::take(writer.inner_mut()))
            }
            Self::Arrow(encoder) => {
                let buffers = encoder.encode(batch).map_err(io::Error::other)?;
                buffers.iter().try_for_each(|bytes| out.write_all(bytes))
            }
        }
    }

    /// Writes the end, without which no reader takes what there is for whole.
    fn finish(self, out: &mut dyn io::Write) -> io::Result<()> {
        match self {
            Self::Parquet(writer) => out.write_all(&writer.into_inner().map_err(io::Error::other)?),
            Self::Arrow(encoder) => {
                let buffers = encoder.finish().map_err(io::Error::other)?;
                buffers.iter().try_for_each(|bytes| out.write_all(bytes))
            }
        }
    }
}

fn properties() -> WriterProperties {
    WriterProperties::builder()
        .set_compression(Compression::GZIP(GzipLevel::default()))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(GROUP))
        .set_max_row_group_bytes(Some(GROUP_BYTES))
        .build()
}

/// Rows that are written in columns.
pub(crate) struct Columns<'o> {
    batches: Batches,
    encoder: Encoder,
    out: &'o mut dyn io::Write,
}

impl<'o> Columns<'o> {
    pub(crate) fn new(encoding: Encoding, out: &'o mut dyn io::Write) -> io::Result<Self> {
        let batches = Batches::new()?;
        let encoder = Encoder::new(encoding, batches.schema())?;
        Ok(Self { batches, encoder, out })
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.batches.add(row)?;
        if self.batches.is_full() { self.give() } else { Ok(()) }
    }

    /// Writes what was gathered.
    fn give(&mut self) -> io::Result<()> {
        match self.batches.taken()? {
            Some(batch) => self.encoder.write(&batch, &mut *self.out),
            None => Ok(()),
        }
    }

    /// Writes what is left, and the end.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.give()?;
        self.encoder.finish(&mut *self.out)?;
        self.out.flush()
    }
}
