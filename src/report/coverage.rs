//! The differences between the message catalogue and a kernel: as lines with file and line number
//! for editors, or as objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Serialize;

use super::draft::{Draft, free, words};
use super::json::{self, Head};
use crate::coverage::anchors::{AnchorCount, LostAnchor, NotHeld};
use crate::coverage::claims::{Claim, WrongClaim};
use crate::coverage::elsewhere::SharedWords;
use crate::coverage::format::{Conversion, pieces};
use crate::coverage::macros::Loudness;
use crate::coverage::tree::{DRIVER, Unread};
use crate::coverage::{Count, Coverage, Missing, PlaceInSource};
use crate::document::{Block, Column, Document, Table, Text, prose, section};

/// Lists with headings, and the counts at the end.
pub(crate) fn document(coverage: &Coverage) -> Document {
    let read = format!("Linux {}: {} files read", coverage.version, coverage.files);
    let (expected, lost): (Vec<_>, Vec<_>) =
        coverage.missing.iter().partition(|missing| missing.is_expected);
    let unread = |Unread { path, why }: &Unread| format!("{path}: {why}");
    let of = |claim: Claim| coverage.wrong.iter().filter(move |one| one.claim == claim);
    let lists = [
        ("Printed as a warning or worse, and no message", places(&coverage.unmatched, escaped)),
        (
            "Printed as a warning or worse, and the call does not say what",
            places(&coverage.variable, str::to_owned),
        ),
        ("Messages that this kernel does not print", lines(lost, absent)),
        ("Messages of other kernels, not printed by this one", lines(expected, absent)),
        ("Messages that this kernel prints at another level", lines(of(Claim::Level), wrong)),
        (
            "Messages that this kernel prints elsewhere than `source` says",
            lines(of(Claim::Source), wrong),
        ),
        (
            "Messages that this kernel prints although their `kernel` excludes it",
            lines(of(Claim::Kernel), wrong),
        ),
        (
            "Messages not marked as shared, whose words others print, too",
            lines(&coverage.shared, shared),
        ),
        ("Anchors that are wrong for this kernel", lines(&coverage.anchors.lost, anchor)),
        ("Not read", lines(&coverage.unread, unread)),
        ("Counts", counts(coverage)),
    ];
    let lists = lists.into_iter().filter_map(|(title, body)| section(title, body));
    let blocks = [prose(read)].into_iter().chain(lists).collect();
    Document::new(format!("Messages of Linux {}", coverage.version), blocks)
}

/// One line for each.
fn lines<T>(all: impl IntoIterator<Item = T>, line: impl Fn(T) -> String) -> Vec<Block> {
    vec![Block::Lines(all.into_iter().map(|one| line(one).into()).collect())]
}

/// One line for each text, with the first of its places.
fn places(all: &[PlaceInSource], shown: impl Fn(&str) -> String) -> Vec<Block> {
    let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for place in all {
        *times.entry((word(place.loudness), &place.text)).or_default() += 1;
    }
    let lines = all.iter().filter_map(|place| {
        // The count is shown with the first place.
        let times = times.remove(&(word(place.loudness), place.text.as_str()))?;
        let function = place.function.as_ref().map(|name| format!(" in {name}"));
        let more = if times > 1 { format!(", {times} places") } else { String::new() };
        let line = format!(
            "{}:{}: {}: {} ({}{}{more})",
            place.path,
            place.line,
            word(place.loudness),
            shown(&place.text),
            place.called,
            function.unwrap_or_default(),
        );
        Some(line.into())
    });
    vec![Block::Lines(lines.collect())]
}

fn absent(missing: &Missing) -> String {
    let kernel = missing.kernel.map(|range| format!(" ({range})")).unwrap_or_default();
    let file = if missing.has_file { "" } else { "; the file is not there" };
    format!("{}{kernel}: {}{file}", missing.message, missing.source)
}

fn wrong(WrongClaim { message, says, place, .. }: &WrongClaim) -> String {
    let function = place.function.as_ref().map(|name| format!(" in {name}"));
    format!(
        "{}:{}: {message} ({says}): {}: {} ({}{})",
        place.path,
        place.line,
        word(place.loudness),
        escaped(&place.text),
        place.called,
        function.unwrap_or_default(),
    )
}

fn shared(SharedWords { message, format, path, line, text }: &SharedWords) -> String {
    format!("{path}:{line}: {message}: {}: {}", escaped(format), escaped(text))
}

fn anchor(LostAnchor { of, id, files, symbol, kernel, why }: &LostAnchor) -> String {
    let kernel = kernel.map(|range| format!(" ({range})")).unwrap_or_default();
    let why = match why {
        NotHeld::NoFile => "the file is not there",
        NotHeld::NoSymbol => "it is not in the file",
        NotHeld::IsThere => "it is there, and should not be",
    };
    format!("{} {id}{kernel}: {}: {symbol}; {why}", of.name(), files.join(", "))
}

/// The counts of each folder, and of the rest.
fn counts(coverage: &Coverage) -> Vec<Block> {
    let total = coverage.total();
    let folders = coverage.folders.iter().map(|(name, count)| (name.as_str(), count));
    let row = |(name, count): (&str, &Count)| {
        let share = percent(count).map_or_else(|| "-".to_owned(), |share| format!("{share:.1} %"));
        let [formats, warnings, matched, variable] =
            [count.formats, count.warnings, count.matched, count.variable].map(|n| n.to_string());
        [name.to_owned(), formats, warnings, matched, share, variable].map(Text::from).to_vec()
    };
    let columns = [
        Column::words("Folder"),
        Column::numbers("Formats"),
        Column::numbers("Warnings"),
        Column::numbers("Matched"),
        Column::numbers("Share"),
        Column::numbers("No literal"),
    ];
    let table = Table::of_lines("Counts", columns, folders.chain([("all", &total)]).map(row));
    let not_counted = [
        (coverage.continuing, "go on with a line that another call began"),
        (coverage.given_up, "were not followed to their end"),
    ];
    let not_counted = not_counted.into_iter().filter(|(count, _)| *count > 0);
    let not_counted =
        not_counted.map(|(count, what)| format!("Not counted: calls that {what}: {count}"));
    let AnchorCount { held, lost, other_kernels } = coverage.anchors.count;
    let anchors =
        format!("Anchors: {held} correct, {lost} wrong, {other_kernels} for other kernels");
    [table.into()].into_iter().chain(not_counted.chain([anchors]).map(prose)).collect()
}

/// The percentage of warnings with a message.
#[allow(clippy::cast_precision_loss, reason = "no kernel prints as many formats")]
fn percent(count: &Count) -> Option<f64> {
    (count.warnings > 0).then(|| count.matched as f64 * 100.0 / count.warnings as f64)
}

fn word(loudness: Loudness) -> &'static str {
    match loudness {
        Loudness::Known(level) => level.name(),
        Loudness::Unknown => "unknown level",
        Loudness::Continues => "continues",
    }
}

/// A format as a C literal, without the line end.
fn escaped(text: &str) -> String {
    let text = text.trim_end_matches('\n');
    text.replace('\\', "\\\\").replace('\n', "\\n").replace('\t', "\\t")
}

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PatternsCoverageLine"))]
#[serde(tag = "type", rename_all = "kebab-case")]
pub(super) enum CoverageLine<'c> {
    /// The kernel tree that was read.
    Kernel {
        /// The kernel's version.
        version: String,
        /// The number of files read.
        files: usize,
    },
    /// A warning without a message in the catalogue.
    Unmatched(&'c PlaceInSource),
    /// A warning whose call does not contain the format.
    NoLiteral(&'c PlaceInSource),
    /// A message that this kernel does not print.
    Missing(&'c Missing),
    /// A property of a message that the source contradicts.
    WrongClaim(&'c WrongClaim),
    /// A message that is not marked as shared although other code prints its words, too.
    SharedWords(&'c SharedWords),
    /// A reference of the pattern files to the source that is wrong.
    Anchor(&'c LostAnchor),
    /// A file that was not read.
    Unread(&'c Unread),
    /// The counts of a folder.
    Folder {
        /// The folder, from the tree's root.
        path: &'c str,
        #[serde(flatten)]
        count: CountObject<'c>,
    },
    /// The last line: the total counts.
    Summary {
        #[serde(flatten)]
        head: Head<'c>,
        #[serde(flatten)]
        count: CountObject<'c>,
        /// Calls that only continue a line.
        continuing: usize,
        /// Calls that were not followed to their end.
        given_up: usize,
        /// The references of pattern files to the source.
        anchors: AnchorCount,
    },
}

/// Counts with their share.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CountObject<'c> {
    #[serde(flatten)]
    count: &'c Count,
    /// The percentage of warnings with a message; null if there are no warnings.
    percent: Option<f64>,
}

impl<'c> From<&'c Count> for CountObject<'c> {
    fn from(count: &'c Count) -> Self {
        Self { count, percent: percent(count).map(|percent| (percent * 10.0).round() / 10.0) }
    }
}

/// Writes a message of a pattern file for each warning without one, with TODO for what its author
/// must decide. `taken` are the existing ids.
pub(crate) fn write_drafts<'t>(
    coverage: &Coverage,
    taken: impl IntoIterator<Item = &'t str>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut taken: BTreeSet<String> = taken.into_iter().map(str::to_owned).collect();
    let mut seen = BTreeSet::new();
    writeln!(
        out,
        "# Printed by Linux {} as a warning or worse, and no message yet.",
        coverage.version
    )?;
    for place in coverage.unmatched.iter().filter(|place| seen.insert(&place.text)) {
        let format = named(&place.text);
        let words = words(&format);
        if words.is_empty() {
            // A format without words would match anything.
            continue;
        }
        let function = place.function.as_deref().unwrap_or("MACRO");
        let draft = Draft {
            id: free(words, &mut taken),
            level: match place.loudness {
                Loudness::Known(level) => Some(level),
                Loudness::Unknown | Loudness::Continues => None,
            },
            printer: printer(&place.path),
            format: &format,
            is_shared: false,
            source: format!("{} {function}", place.path),
            sample: None,
        };
        write!(out, "\n{draft}")?;
    }
    Ok(())
}

/// The printer of the lines of a file.
fn printer(path: &str) -> &'static str {
    if path.starts_with(DRIVER) {
        "[\"amdgpu\"]"
    } else if path.starts_with("drivers/gpu/drm/ttm/") {
        "[\"ttm\"]"
    } else {
        "[\"drm\"]"
    }
}

/// A format with an ignored name for each conversion.
fn named(text: &str) -> String {
    let piece = |(text, conversion): (&str, Option<Conversion>)| match conversion {
        None => text.to_owned(),
        // A width from an argument is not printed.
        Some(_) => format!("%{{_:{}}}", text.trim_start_matches('%').replace(['*', '.'], "")),
    };
    pieces(text.trim_end_matches('\n')).into_iter().map(piece).collect()
}

/// Writes one object for each place. `patterns` is the digest of the patterns.
pub(crate) fn write_objects(
    coverage: &Coverage,
    patterns: &str,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let total = coverage.total();
    let folders = coverage.folders.iter();
    let kernel =
        CoverageLine::Kernel { version: coverage.version.to_string(), files: coverage.files };
    let summary = CoverageLine::Summary {
        head: Head::new(patterns),
        count: (&total).into(),
        continuing: coverage.continuing,
        given_up: coverage.given_up,
        anchors: coverage.anchors.count,
    };
    std::iter::once(kernel)
        .chain(coverage.unmatched.iter().map(CoverageLine::Unmatched))
        .chain(coverage.variable.iter().map(CoverageLine::NoLiteral))
        .chain(coverage.missing.iter().map(CoverageLine::Missing))
        .chain(coverage.wrong.iter().map(CoverageLine::WrongClaim))
        .chain(coverage.shared.iter().map(CoverageLine::SharedWords))
        .chain(coverage.anchors.lost.iter().map(CoverageLine::Anchor))
        .chain(coverage.unread.iter().map(CoverageLine::Unread))
        .chain(folders.map(|(path, count)| CoverageLine::Folder { path, count: count.into() }))
        .chain([summary])
        .try_for_each(|line| json::line(&line, out))
}
