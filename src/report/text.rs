//! The report for people, in all formats.

use std::io;

use super::view::PartView;
use super::whole::Extent;
use super::{Report, card, files, whole};
use crate::document::terminal::Look;
use crate::document::{Banner, Block, Document, Text, html, line, markdown, terminal};
use crate::input::called;

/// Options of a report on a terminal.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct TextOptions {
    /// The whole report, instead of the first screen.
    pub verbose: bool,
    /// Include harmless notices.
    pub all: bool,
    /// Include the driver's lines without a known message.
    pub unknown: bool,
    /// Include the timeline of the log even if there is only one incident.
    pub timeline: bool,
}

/// The number of digits of the patterns' digest to show.
const DIGEST: usize = 12;

/// Writes the report for a terminal.
///
/// # Errors
/// What the writer returns.
pub fn write(
    report: &Report,
    wanted: TextOptions,
    look: Look,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let TextOptions { verbose, all, unknown, timeline } = wanted;
    let document = match report.parts.as_slice() {
        _ if verbose || all || unknown || timeline => {
            let extent = Extent { harmless: all, unknown, timeline, ..Extent::TERMINAL };
            whole::document(report, &extent)
        }
        [only] => card::document(&PartView::new(only), look),
        _ => files::document(report),
    };
    terminal::write(&document, look, out)
}

/// Writes the result in one line for each input.
pub(crate) fn write_line(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for part in &report.parts {
        let headline = PartView::new(part).answer().into();
        let banner = Banner {
            tone: crate::document::Tone::Plain,
            state: String::new(),
            about: Vec::new(),
            headline,
            lead: Vec::new(),
        };
        let blocks = vec![Block::Banner(banner)];
        line::write(&Document::new(called(&part.name), blocks), out)?;
    }
    Ok(())
}

/// Writes the report for a tracker.
pub(crate) fn write_markdown(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let (name, version) = (env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    let foot = Some(format!("Written by {name} {version}.").into());
    let document = whole::document(report, &Extent::MARKDOWN);
    markdown::write(&Document { foot, ..document }, out)
}

/// Writes the report as HTML.
///
/// # Errors
/// What the writer returns.
pub fn write_html(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let digest: String = report.patterns.chars().take(DIGEST).collect();
    let foot = Text::from(format!("Written by amdtriage {}, patterns ", env!("CARGO_PKG_VERSION")))
        .and(Text::code(digest))
        .and(
            ". This file is complete: it loads nothing and runs no script. It quotes lines of the log, which \
             can name people, programs and machines: review it before you publish it.",
        );
    let document = whole::document(report, &Extent::HTML);
    html::write(&Document { foot: Some(foot), ..document }, out)
}
