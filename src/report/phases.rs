//! How each phase of a failure is shown.

use owo_colors::Style;

use crate::kind::Milestone;

/// How one phase is shown. Each has a word, a character and a shape of its own, so that nothing depends on
/// colours.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    /// What it is called.
    pub(super) word: &'static str,
    /// Its character in a line of text.
    pub(super) block: char,
    /// Its colour there.
    pub(super) style: Style,
    /// Its class in HTML.
    pub(super) class: &'static str,
    /// Its shape in SVG, around the point 0,0.
    pub(super) shape: &'static str,
}

/// How `phase` is shown.
pub(super) const fn shown(phase: Milestone) -> Shown {
    let plain = Style::new();
    let (word, block, style, class, shape) = match phase {
        Milestone::Fault => ("fault", '▒', plain.yellow(), "mark fault", "M0-6L6 5H-6Z"),
        Milestone::Failure => ("failure", '█', plain.red(), "mark failure", "M-5-5H5V5H-5Z"),
        Milestone::Reset => ("reset", 'R', plain.yellow(), "mark reset", "M0-5A5 5 0 1 1-.1-5Z"),
        Milestone::Back => ("came back", '+', plain.green(), "mark back", "M-6 0L-2 5L6-5"),
        Milestone::Lost => {
            ("did not come back", 'x', plain.red().bold(), "mark lost", "M-5-5L5 5M5-5L-5 5")
        }
    };
    Shown { word, block, style, class, shape }
}
