//! Arguments for the format and destination of an answer. Each of these options is defined only
//! here.

use std::fmt::Debug;
use std::path::{Path, PathBuf};

use clap::builder::{PathBufValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use super::OUTPUT;
use crate::cli::settings;
use crate::document::terminal::Look;
use crate::report::time::Zone;

/// The names of formats, the same for every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    #[value(alias = "table")]
    Human,
    /// One JSON document
    Json,
    /// One JSON object per line
    Ndjson,
    /// Markdown to paste into an issue tracker
    Markdown,
    /// A self-contained HTML page without scripts
    Html,
    /// A draft of a pattern file
    Toml,
    /// Metrics for the textfile collector of the Prometheus node exporter
    Prometheus,
    /// An Apache Parquet file (needs a build with the feature `columns`)
    Parquet,
    /// An Apache Arrow IPC stream (needs a build with the feature `columns`)
    Arrow,
}

impl Format {
    /// Whether it is text that a person reads on a terminal.
    pub(crate) const fn is_for_people(self) -> bool {
        match self {
            Self::Human | Self::Markdown => true,
            Self::Json
            | Self::Ndjson
            | Self::Html
            | Self::Toml
            | Self::Prometheus
            | Self::Parquet
            | Self::Arrow => false,
        }
    }
}

/// The formats that a command offers, a type for each set of them.
pub(crate) trait Formats: Copy + Debug + PartialEq + Send + Sync + 'static {
    /// All of them by their names, the default first.
    const ALL: &'static [(Format, Self)];

    /// Whether it is text that a person reads on a terminal.
    fn is_for_people(self) -> bool {
        Self::ALL.iter().any(|(name, format)| *format == self && name.is_for_people())
    }
}

/// The forms of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageFormat {
    Human,
    Markdown,
    Html,
}

impl Formats for PageFormat {
    const ALL: &'static [(Format, Self)] = &[
        (Format::Human, Self::Human),
        (Format::Markdown, Self::Markdown),
        (Format::Html, Self::Html),
    ];
}

/// Which commands offer which formats: those of a page and others, or only others.
macro_rules! formats {
    ($($(#[$of:meta])* $name:ident: $([$page:ident])? $($format:ident)+;)+) => {$(
        $(#[$of])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum $name {
            $($page(PageFormat),)?
            $($format),+
        }

        impl Formats for $name {
            const ALL: &'static [(Format, Self)] = &[
                $((Format::Human, Self::$page(PageFormat::Human)),)?
                $((Format::$format, Self::$format),)+
                $(
                    (Format::Markdown, Self::$page(PageFormat::Markdown)),
                    (Format::Html, Self::$page(PageFormat::Html)),
                )?
            ];
        }
    )+};
}

formats! {
    /// Those of a single answer.
    AnswerFormat: [Page] Json;
    /// Those of a check.
    CheckFormat: [Page] Json Prometheus;
    /// Those of a report.
    ReportFormat: Human Json Ndjson Markdown Html;
    /// Those of rows.
    RowFormat: Ndjson Parquet Arrow;
    /// Those of a list.
    ListFormat: [Page] Ndjson;
    /// Those of lists from which pattern files begin.
    DraftFormat: [Page] Ndjson Toml;
    /// Those of a list of any length, which is written as it comes.
    StreamFormat: Human Ndjson;
}

/// The form of an answer, one of those that its command offers.
#[derive(Debug, Args)]
pub(crate) struct FormatArguments<F: Formats> {
    /// Output format
    #[arg(long, default_value = first::<F>(), value_name = "FORMAT", value_parser = among::<F>())]
    #[arg(help_heading = OUTPUT)]
    pub format: F,
}

/// How an answer is given.
#[derive(Debug, Args)]
pub(crate) struct AnswerArguments<F: Formats> {
    /// In which form.
    #[command(flatten)]
    pub form: FormatArguments<F>,

    /// Where it goes.
    #[command(flatten)]
    pub file: FileArguments,

    /// How it looks.
    #[command(flatten)]
    pub page: PageArguments,
}

impl<F: Formats> AnswerArguments<F> {
    /// The format.
    pub(crate) const fn format(&self) -> F {
        self.form.format
    }

    /// How text looks where it goes.
    pub(crate) fn look(&self) -> Look {
        match self.file.path() {
            Some(_) => settings::look_of_a_file(self.page.color),
            None => settings::look(self.page.color),
        }
    }
}

/// The word of the default format.
fn first<F: Formats>() -> String {
    let first = F::ALL.first().and_then(|(name, _)| name.to_possible_value());
    first.map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Reads one of the formats that a command offers.
fn among<F: Formats>() -> impl TypedValueParser<Value = F> {
    let values = F::ALL.iter().filter_map(|(name, _)| name.to_possible_value());
    PossibleValuesParser::new(values).try_map(|word| {
        let name = Format::from_str(&word, false)?;
        let offered = F::ALL.iter().find(|(offered, _)| *offered == name);
        offered.map(|(_, format)| *format).ok_or_else(|| format!("{name:?} is not offered here"))
    })
}

/// A file to write to.
#[derive(Debug, Default, Args)]
pub(crate) struct FileArguments {
    /// Write to a file instead of standard output (-)
    ///
    /// FILE appears, or is replaced, once the output is complete; until then an existing file keeps
    /// its content. amdtriage does not write through symbolic links, to devices (use the shell's
    /// `>`), or over an input. Colors are off unless --color=always is given.
    #[arg(short, long, value_name = "FILE", value_parser = file(), help_heading = OUTPUT)]
    pub output: Option<PathBuf>,
}

impl FileArguments {
    /// The file; nothing for standard output, which has the name `-`, too.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != Path::new("-"))
    }
}

/// Formats that `-o` chooses elsewhere.
const NO_FILES: [&str; 14] = [
    "arrow",
    "cat",
    "csv",
    "export",
    "html",
    "human",
    "json",
    "json-pretty",
    "markdown",
    "ndjson",
    "parquet",
    "short",
    "table",
    "verbose",
];

/// Reads the name of a file.
fn file() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| {
        match path.to_str().filter(|name| NO_FILES.contains(name)) {
            Some(name) => Err(format!("--format chooses a format; for a file: -o ./{name}")),
            None => Ok(path),
        }
    })
}

/// How text looks on a terminal.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct PageArguments {
    /// When to use colors
    #[arg(long, value_enum, default_value_t = When::Auto, value_name = "WHEN", help_heading = OUTPUT)]
    pub color: When,

    /// Do not start a pager
    ///
    /// On a terminal, text that does not fit the screen is shown in `$AMDTRIAGE_PAGER`, else
    /// `$PAGER`, else less.
    #[arg(long, help_heading = OUTPUT)]
    pub no_pager: bool,
}

/// Whether to say how the run goes.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct QuietArguments {
    /// Print no notes about the run, only errors
    #[arg(short, long, help_heading = OUTPUT)]
    pub quiet: bool,
}

/// The zone of times of day.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct ZoneArguments {
    /// Show times in UTC, if the log states their time zone
    ///
    /// Without --utc or --local, times are shown as the log prints them, so that a log gives the
    /// same report on every machine. JSON always has the times of the log.
    #[arg(long, conflicts_with = "local", help_heading = OUTPUT)]
    pub utc: bool,

    /// Show times in the local time zone (TZ), if the log states theirs
    #[arg(long, help_heading = OUTPUT)]
    pub local: bool,
}

impl ZoneArguments {
    /// The zone to show times of day in.
    pub(crate) fn zone(self) -> Zone {
        match (self.utc, self.local) {
            (true, _) => Zone::Utc,
            (false, true) => Zone::Other(settings::offset),
            (false, false) => Zone::AsPrinted,
        }
    }
}

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal, unless `NO_COLOR` is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_can_give_text_gives_it_unasked() {
        assert!(AnswerFormat::ALL[0].1.is_for_people());
        assert!(CheckFormat::ALL[0].1.is_for_people());
        assert!(ReportFormat::ALL[0].1.is_for_people());
        assert!(ListFormat::ALL[0].1.is_for_people());
        assert!(DraftFormat::ALL[0].1.is_for_people());
        assert!(StreamFormat::ALL[0].1.is_for_people());
        assert!(!RowFormat::ALL[0].1.is_for_people());
    }
}
