//! The driver's lines without a known message: for people, for programs, and as drafts of messages.

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;

use super::Report;
use super::draft::{Draft, free, words};
use super::json::line;
use super::listing::by_input;
use crate::document::{Column, Document, Table, prose};
use crate::event::envelope::Driver;
use crate::event::unknown::{Unknown, Unknowns};
use crate::value::Level;

/// Lines of the same shape.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct UnknownObject<'r> {
    /// The text, with printf conversions in place of values.
    shape: &'r str,
    /// Their number.
    #[cfg_attr(test, schemars(range(min = 1)))]
    count: u64,
    /// The log level; null if the log does not state it.
    level: Option<Level>,
    /// The first line.
    first: InputLine,
    /// The text of the first line, without time and sender.
    text: &'r str,
    /// Which part of the kernel prints them.
    from: Printer,
    /// The kernel function that the lines name.
    function: Option<&'r str>,
}

/// A line of an input.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct InputLine {
    /// The input, as an index into `inputs`.
    input: usize,
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
}

/// The part of the kernel that prints a line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DriverPart"))]
#[serde(rename_all = "lowercase")]
enum Printer {
    /// The driver.
    Amdgpu,
    /// The DRM core, or the driver through it.
    Drm,
    /// The memory manager (TTM).
    Ttm,
}

/// All shapes in all inputs.
pub(super) fn objects(report: &Report) -> impl Iterator<Item = UnknownObject<'_>> {
    report.parts.iter().enumerate().flat_map(|(input, part)| {
        part.log.unknown.by_level().into_iter().map(move |unknown| UnknownObject {
            shape: &unknown.shape,
            count: unknown.count,
            level: unknown.level,
            first: InputLine { input, line: unknown.line },
            text: &unknown.text,
            from: from(unknown.driver),
            function: unknown.function.as_deref(),
        })
    })
}

const fn from(driver: Driver) -> Printer {
    match driver {
        Driver::Drm => Printer::Drm,
        Driver::Ttm => Printer::Ttm,
        // No other lines are kept.
        Driver::Amdgpu
        | Driver::Bus
        | Driver::Iommu
        | Driver::VendorReset
        | Driver::Passthrough
        | Driver::Other
        | Driver::None => Printer::Amdgpu,
    }
}

/// Writes one object a line.
pub(crate) fn write_objects(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    objects(report).try_for_each(|object| line(&object, out))
}

/// All shapes for people.
pub(crate) fn document(report: &Report, several: bool) -> Document {
    by_input(report, several, "Lines without a known meaning", |part| {
        let unknown = &part.log.unknown;
        if unknown.is_empty() {
            return vec![prose("No lines without a known meaning found.")];
        }
        let columns = [
            Column::words("Level"),
            Column::numbers("Lines"),
            Column::numbers("First"),
            Column::words("Shape"),
        ];
        let rows = unknown.by_level().into_iter().map(|one| {
            let level = one.level.map_or("-", Level::name);
            let numbers = [one.count, one.line].map(|number| number.to_string().into());
            [level.into()].into_iter().chain(numbers).chain([one.shape.as_str().into()]).collect()
        });
        let table = Table::of_lines("Lines without a known meaning", columns, rows).into();
        let beyond = unknown.beyond();
        let more = (beyond > 0)
            .then(|| prose(format!("{beyond} lines of further shapes are not listed.")));
        [table].into_iter().chain(more).collect()
    })
}

/// A sentence with the number of unknown error lines; `None` if there are none. With `counted`, the
/// result has the number already, and only the command to list them is given.
pub(super) fn remark(unknown: &Unknowns, counted: bool) -> Option<String> {
    match unknown.errors() {
        0 => None,
        _ if counted => Some("--unknown lists all lines without a known meaning.".to_owned()),
        1 => {
            Some("1 error line of the driver has no known meaning: --unknown shows it.".to_owned())
        }
        count => Some(format!(
            "{count} error lines of the driver have no known meaning: --unknown shows them."
        )),
    }
}

/// Writes a draft of a message for each shape. `taken` are the existing ids.
pub(crate) fn write_toml<'t>(
    report: &Report,
    taken: impl IntoIterator<Item = &'t str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut taken: BTreeSet<String> = taken.into_iter().map(str::to_owned).collect();
    let mut seen = BTreeSet::new();
    let mut first = true;
    for unknown in report.parts.iter().flat_map(|part| part.log.unknown.by_level()) {
        if !seen.insert(&unknown.shape) {
            continue;
        }
        let words = words(&unknown.shape);
        if words.is_empty() {
            // A shape without words would match anything.
            continue;
        }
        let gap = if first { "" } else { "\n" };
        first = false;
        write!(out, "{gap}{}", draft(unknown, free(words, &mut taken)))?;
    }
    Ok(())
}

fn draft(unknown: &Unknown, id: String) -> Draft<'_> {
    let printer = match unknown.driver {
        // Many of the driver's lines have only the prefix of the DRM core.
        Driver::Drm => "[\"amdgpu\", \"drm\"]",
        Driver::Ttm => "[\"ttm\"]",
        _ => "[\"amdgpu\"]",
    };
    let function = unknown.function.as_deref().unwrap_or("FUNCTION");
    Draft {
        id,
        level: unknown.level,
        printer,
        format: &unknown.shape,
        is_shared: true,
        source: format!("TODO FILE {function}"),
        sample: Some(&unknown.body),
    }
}
