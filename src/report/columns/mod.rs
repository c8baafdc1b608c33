//! Rows as a Parquet file or an Arrow stream, with the columns of the JSON Schema of rows.
//!
//! Memory does not grow with the number of logs: only a batch and a row group are held.

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

/// Rows in a row group, the unit of parallel reading. A larger group needs more memory here.
const GROUP: usize = 1 << 16;

/// Maximum size of a row group, in bytes.
const GROUP_BYTES: usize = 32 << 20;

/// Encodes batches.
enum Encoder {
    /// Writes to a buffer that is emptied after each batch, because it needs a writer that is
    /// `Send`, which standard output is not.
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

    /// Writes the end of the file, without which readers consider it incomplete.
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

/// Writes rows in columns.
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

    /// Writes the current batch.
    fn give(&mut self) -> io::Result<()> {
        match self.batches.taken()? {
            Some(batch) => self.encoder.write(&batch, &mut *self.out),
            None => Ok(()),
        }
    }

    /// Writes the last batch and the end of the file.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.give()?;
        self.encoder.finish(&mut *self.out)?;
        self.out.flush()
    }
}
