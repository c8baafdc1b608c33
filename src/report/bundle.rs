//! The MANIFEST of a bundle, and the preview for the user who is about to send it.

use std::fmt::Write as _;
use std::path::Path;

use crate::bundle::{Absent, Member};
use crate::pattern::tracker::Tracker;
use crate::redact::Count;

use crate::document::counts::{any, several, times};
use crate::document::untrusted::Untrusted;
use crate::document::{Column, Document, List, Section, Table, facts, prose, section};

/// The contents of a bundle, before it is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made<'m> {
    /// The tracker.
    pub tracker: &'m Tracker,
    /// Why this tracker.
    pub because: &'m str,
    /// A title for the report.
    pub title: &'m str,
    /// The files.
    pub members: &'m [Member],
    /// What is missing.
    pub absent: &'m [Absent],
    /// The number of replaced values and occurrences, by kind.
    pub counts: &'m [Count],
    /// SHA-256 of the patterns.
    pub patterns: &'m str,
}

/// The list of files in the bundle, in the format of `sha256sum -c`.
pub(crate) fn manifest(made: &Made<'_>) -> String {
    let mut text = format!(
        "# {} {}, patterns {}\n# Check the files with: sha256sum -c MANIFEST\n",
        env!("CARGO_PKG_NAME"),
        env!("CARGO_PKG_VERSION"),
        made.patterns
    );
    for member in made.members {
        let Member { name, what, origin, content, .. } = member;
        let (what, origin) = (Untrusted(what), Untrusted(origin));
        let _ = write!(
            text,
            "#\n# {what}\n# from: {origin}; {} bytes\n{}  {name}\n",
            content.len(),
            member.digest()
        );
    }
    text.push_str("#\n# Not in it:\n");
    if made.absent.is_empty() {
        text.push_str("# nothing that should be\n");
    }
    for absent in made.absent {
        let _ = writeln!(text, "# {}", Untrusted(&missed(absent)));
    }
    text.push_str("#\n# Taken out as private, and replaced by tokens:\n");
    for line in taken_out(made.counts) {
        let _ = writeln!(text, "# {line}");
    }
    text
}

/// The preview for the user. `written` is the path and size of the archive; `None` if it was not
/// written.
pub(crate) fn preview(made: &Made<'_>, written: Option<(&Path, u64)>) -> Document {
    let lead = match written {
        Some((path, bytes)) => format!("Written: {} ({})", path.display(), size(bytes)),
        None => "Nothing is written. The archive would have:".to_owned(),
    };
    let columns = [Column::words(""), Column::numbers(""), Column::words("")];
    let rows = made.members.iter().map(|Member { name, what, content, .. }| {
        vec![name.into(), size(content.len() as u64).into(), what.into()]
    });
    let files = Section::new(lead, vec![Table::of_lines("Files", columns, rows).into()]);
    let (minor, major): (Vec<&Absent>, Vec<&Absent>) =
        made.absent.iter().partition(|absent| absent.minor);
    let minor = any(minor.iter().map(|absent| &absent.what), ", ")
        .map(|names| format!("not there, or not to be had here: {names}"));
    let absent = List::of(major.into_iter().map(missed).chain(minor));
    let Tracker { id, name, file_at, attach, notes, .. } = made.tracker;
    let all = [
        ("because", made.because),
        ("title", made.title),
        ("text", "report.md, with what is in [square brackets] filled in"),
        ("at", file_at),
        ("attach", attach),
    ];
    let all = all.into_iter().chain(notes.iter().map(|note| ("note", note.as_str())));
    let last = "Nothing was sent anywhere. Review the files before you send them: no program can \
                recognize everything that is private.";
    let sections = [
        section("Not in it:", vec![absent.into()]),
        section("Taken out as private:", vec![List::of(taken_out(made.counts)).into()]),
        section(format!("Report it to: {id} ({name})"), vec![facts(all)]),
    ];
    let blocks = [files.into()].into_iter().chain(sections.into_iter().flatten());
    Document::new("Bug report", blocks.chain([prose(last)]).collect())
}

/// What is missing, why, and what the user can do about it.
pub(super) fn missed(absent: &Absent) -> String {
    let Absent { what, why, help, .. } = absent;
    let help = help.as_ref().map(|help| format!("; {help}")).unwrap_or_default();
    format!("{what}: {why}{help}")
}

fn taken_out(counts: &[Count]) -> Vec<String> {
    if counts.is_empty() {
        return vec!["nothing was found that is".to_owned()];
    }
    let line = |&Count { kind, values, replaced }: &Count| {
        format!("{kind}: {}, {}", several(values, "value"), times(replaced))
    };
    counts.iter().map(line).collect()
}

/// A size in a readable unit.
fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
