//! Arguments for `rows`.

use std::path::PathBuf;

use clap::Args;

use super::output::RowFormat;
use super::{
    FileArguments, FormatArguments, InputFormatArguments, OUTPUT, PatternArguments, QuietArguments,
};

/// Arguments of `rows`.
#[derive(Debug, Args)]
pub(crate) struct RowArguments {
    /// Logs, journal files, archives, or directories of them; `-` is standard input
    ///
    /// Standard input is a log, a tar archive of logs, or frames: one JSON object per line,
    /// `{"key":"NAME","data_b64":"BASE64"}`, each with a file of its own, which may be compressed
    /// or an archive.
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    pub files: Vec<PathBuf>,

    /// In which format logs are.
    #[command(flatten)]
    pub input: InputFormatArguments,

    /// More pattern files.
    #[command(flatten)]
    pub more: PatternArguments,

    /// In which form.
    #[command(flatten)]
    pub form: FormatArguments<RowFormat>,

    /// Do not begin with the row that shows the types of the columns (ndjson)
    ///
    /// The first row has a value in each column: its `row` is `types`, its texts are empty, and its
    /// numbers are 0. Polars and DuckDB find the type of a column in the first 100 or 20,480 rows;
    /// without this row, Polars fails and DuckDB reads null in all rows if so many logs without a
    /// failure come first.
    #[arg(long, help_heading = OUTPUT)]
    pub no_types: bool,

    /// Where it goes.
    #[command(flatten)]
    pub file: FileArguments,

    /// Whether notes are wanted.
    #[command(flatten)]
    pub quiet: QuietArguments,
}

impl RowArguments {
    /// Everything that is read, which must not be overwritten.
    pub(crate) fn read(&self) -> Vec<PathBuf> {
        self.files.iter().chain(&self.more.patterns).cloned().collect()
    }
}
