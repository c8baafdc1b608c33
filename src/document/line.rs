//! Renders a document as one line for each answer.

use std::io;

use super::counts::joined;
use super::untrusted::Untrusted;
use super::{Banner, Block, Document};

/// Writes one line for each banner of `document`; without banners, for each section heading; else
/// the first block.
pub(crate) fn write(document: &Document, out: &mut dyn io::Write) -> io::Result<()> {
    let banners = document.blocks.iter().filter_map(|block| match block {
        Block::Banner(banner) => Some(self::banner(document, banner)),
        _ => None,
    });
    let parts = document.blocks.iter().filter_map(|block| match block {
        Block::Section(section) => Some(section.title.to_string()),
        _ => None,
    });
    let first = document.blocks.iter().find_map(|block| match block {
        Block::Prose(text) => Some(text.to_string()),
        _ => None,
    });
    let all = [banners.collect(), parts.collect(), Vec::from_iter(first)];
    let lines = all.into_iter().find(|lines: &Vec<String>| !lines.is_empty()).unwrap_or_default();
    lines.iter().try_for_each(|line| writeln!(out, "{}", Untrusted(line.trim())))
}

fn banner(document: &Document, banner: &Banner) -> String {
    let lead = banner.lead.iter().map(ToString::to_string);
    let headline = banner.headline.to_string();
    let named = ![&headline, &banner.state, ""].contains(&document.title.as_str());
    let name = if named { format!("{}: ", document.title) } else { String::new() };
    format!(
        "{name}{}",
        joined([headline].into_iter().chain(lead).filter(|text| !text.is_empty()), " ")
    )
}
