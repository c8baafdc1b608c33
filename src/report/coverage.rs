//! What the catalogue of messages lacks for a kernel, and what it has in excess: as lines with file
//! and line number for editors, or as objects.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use serde::Serialize;

use super::draft::{Draft, free, words};
use super::json::{self, Head};
use super::listing::write_columns;
use crate::coverage::anchors::{AnchorCount, LostAnchor, NotHeld};
use crate::coverage::claims::{Claim, WrongClaim};
use crate::coverage::elsewhere::SharedWords;
use crate::coverage::format::{Conversion, pieces};
use crate::coverage::macros::Loudness;
use crate::coverage::tree::{DRIVER, Unread};
use crate::coverage::{Count, Coverage, Missing, PlaceInSource};
use crate::document::untrusted::Untrusted;

/// Writes lists with headings, and the counts at the end.
pub(crate) fn write(coverage: &Coverage, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "Linux {}: {} files read", coverage.version, coverage.files)?;
    places("Printed as a warning or worse, and no message", &coverage.unmatched, escaped, out)?;
    places(
        "Printed as a warning or worse, and the call does not say what",
        &coverage.variable,
        str::to_owned,
        out,
    )?;
    let (expected, lost): (Vec<_>, Vec<_>) =
        coverage.missing.iter().partition(|missing| missing.is_expected);
    absent("Messages that this kernel does not print", &lost, out)?;
    absent("Messages of other kernels, not printed by this one", &expected, out)?;
    wrong(&coverage.wrong, out)?;
    shared(&coverage.shared, out)?;
    anchors(&coverage.anchors.lost, out)?;
    if !coverage.unread.is_empty() {
        heading("Not read", out)?;
        for Unread { path, why } in &coverage.unread {
            writeln!(out, "{}: {}", Untrusted(path), Untrusted(why))?;
        }
    }
    heading("Counts", out)?;
    counts(coverage, out)?;
    for (count, what) in [
        (coverage.continuing, "go on with a line that another call began"),
        (coverage.given_up, "were not followed to their end"),
    ] {
        if count > 0 {
            writeln!(out, "Not counted: calls that {what}: {count}")?;
        }
    }
    let AnchorCount { held, lost, other_kernels } = coverage.anchors.count;
    writeln!(out, "Anchors: {held} correct, {lost} wrong, {other_kernels} for other kernels")
}

fn heading(text: &str, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "\n== {text} ==")
}

/// One line for each text, with the first of its places.
fn places(
    title: &str,
    all: &[PlaceInSource],
    shown: impl Fn(&str) -> String,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    let mut times: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for place in all {
        *times.entry((word(place.loudness), &place.text)).or_default() += 1;
    }
    heading(title, out)?;
    for place in all {
        // The count is shown with the first place.
        let Some(times) = times.remove(&(word(place.loudness), place.text.as_str())) else {
            continue;
        };
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
        writeln!(out, "{}", Untrusted(&line))?;
    }
    Ok(())
}

fn absent(title: &str, all: &[&Missing], out: &mut dyn io::Write) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    heading(title, out)?;
    for missing in all {
        let kernel = missing.kernel.map(|range| format!(" ({range})")).unwrap_or_default();
        let file = if missing.has_file { "" } else { "; the file is not there" };
        let line = format!("{}{kernel}: {}{file}", missing.message, missing.source);
        writeln!(out, "{}", Untrusted(&line))?;
    }
    Ok(())
}

fn wrong(all: &[WrongClaim], out: &mut dyn io::Write) -> io::Result<()> {
    for (claim, title) in [
        (Claim::Level, "Messages that this kernel prints at another level"),
        (Claim::Source, "Messages that this kernel prints elsewhere than `source` says"),
        (Claim::Kernel, "Messages that this kernel prints although their `kernel` excludes it"),
    ] {
        let of_claim: Vec<_> = all.iter().filter(|one| one.claim == claim).collect();
        if of_claim.is_empty() {
            continue;
        }
        heading(title, out)?;
        for WrongClaim { message, says, place, .. } in of_claim {
            let function = place.function.as_ref().map(|name| format!(" in {name}"));
            let line = format!(
                "{}:{}: {message} ({says}): {}: {} ({}{})",
                place.path,
                place.line,
                word(place.loudness),
                escaped(&place.text),
                place.called,
                function.unwrap_or_default(),
            );
            writeln!(out, "{}", Untrusted(&line))?;
        }
    }
    Ok(())
}

fn shared(all: &[SharedWords], out: &mut dyn io::Write) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    heading("Messages not marked as shared, whose words others print, too", out)?;
    for SharedWords { message, format, path, line, text } in all {
        let line = format!("{path}:{line}: {message}: {}: {}", escaped(format), escaped(text));
        writeln!(out, "{}", Untrusted(&line))?;
    }
    Ok(())
}

fn anchors(all: &[LostAnchor], out: &mut dyn io::Write) -> io::Result<()> {
    if all.is_empty() {
        return Ok(());
    }
    heading("Anchors that are wrong for this kernel", out)?;
    for LostAnchor { of, id, files, symbol, kernel, why } in all {
        let kernel = kernel.map(|range| format!(" ({range})")).unwrap_or_default();
        let why = match why {
            NotHeld::NoFile => "the file is not there",
            NotHeld::NoSymbol => "it is not in the file",
            NotHeld::IsThere => "it is there, and should not be",
        };
        let files = files.join(", ");
        let line = format!("{} {id}{kernel}: {files}: {symbol}; {why}", of.name());
        writeln!(out, "{}", Untrusted(&line))?;
    }
    Ok(())
}

fn counts(coverage: &Coverage, out: &mut dyn io::Write) -> io::Result<()> {
    let total = coverage.total();
    let folders = coverage.folders.iter().map(|(name, count)| (name.as_str(), count));
    let row = |(name, count): (&str, &Count)| {
        [
            format!(" {}", Untrusted(name)),
            count.formats.to_string(),
            count.warnings.to_string(),
            count.matched.to_string(),
            percent(count).map_or_else(|| "-".to_owned(), |percent| format!("{percent:.1} %")),
            count.variable.to_string(),
        ]
    };
    let heads = [" folder", ">formats", ">warnings", ">matched", ">share", ">no literal"];
    write_columns(heads, folders.chain([("all", &total)]).map(row), out)
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
    /// What was read.
    Kernel {
        /// The kernel's version.
        version: String,
        /// How many files were read.
        files: usize,
    },
    /// A warning that is no message.
    Unmatched(&'c PlaceInSource),
    /// A warning of which the call does not say what is printed.
    NoLiteral(&'c PlaceInSource),
    /// A message that is not printed.
    Missing(&'c Missing),
    /// What a message says of itself and the source contradicts.
    WrongClaim(&'c WrongClaim),
    /// A message that is not marked as shared, and whose words others print, too.
    SharedWords(&'c SharedWords),
    /// A place in the source that pattern files rest on, and that does not hold.
    Anchor(&'c LostAnchor),
    /// A file that was not read.
    Unread(&'c Unread),
    /// What was counted in a folder.
    Folder {
        /// The folder, from the tree's root.
        path: &'c str,
        #[serde(flatten)]
        count: CountObject<'c>,
    },
    /// The last line: what was counted in all.
    Summary {
        #[serde(flatten)]
        head: Head<'c>,
        #[serde(flatten)]
        count: CountObject<'c>,
        /// Calls that only go on with a line.
        continuing: usize,
        /// Calls that were not read to their end.
        given_up: usize,
        /// The places in the source that pattern files rest on.
        anchors: AnchorCount,
    },
}

/// Counts with their share.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct CountObject<'c> {
    #[serde(flatten)]
    count: &'c Count,
    /// How many of a hundred warnings are messages; null where there are none.
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
