//! An answer in one line.

use std::io;

use super::untrusted::Untrusted;
use super::{Block, Document};

/// Writes the banners of `document`, a line each.
pub(crate) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    for block in &document.blocks {
        let Block::Banner(banner) = block else { continue };
        let lead: Vec<String> = banner.lead.iter().map(ToString::to_string).collect();
        let parts = [document.title.clone(), banner.headline.to_string()];
        let head = parts.iter().filter(|part| !part.is_empty());
        let head: Vec<&str> = head.map(String::as_str).collect();
        let text = [head.join(": "), lead.join(" ")].join(" ");
        writeln!(out, "{}", Untrusted(text.trim_end()))?;
    }
    Ok(())
}
