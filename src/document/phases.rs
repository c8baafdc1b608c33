//! The presentation of each phase of a failure.

use crate::kind::Milestone;

use super::Tone;

/// The presentation of a phase. Each has a distinct word, character and shape, so that colours are
/// not needed.
#[derive(Clone, Copy)]
pub(crate) struct Shown {
    /// What it is called.
    pub(crate) word: &'static str,
    /// Its character in a text timeline.
    pub(crate) block: char,
    /// Its tone in a text timeline.
    pub(crate) tone: Tone,
    /// Its CSS class.
    pub(crate) class: &'static str,
    /// Its shape in SVG, around the point 0,0.
    pub(crate) shape: &'static str,
}

/// The presentation of `phase`.
pub(crate) const fn shown(phase: Milestone) -> Shown {
    let (word, block, tone, class, shape) = match phase {
        Milestone::Fault => ("fault", '▒', Tone::Warn, "mark fault", "M0-6L6 5H-6Z"),
        Milestone::Failure => ("failure", '█', Tone::Bad, "mark failure", "M-5-5H5V5H-5Z"),
        Milestone::Reset => ("reset", 'R', Tone::Warn, "mark reset", "M0-5A5 5 0 1 1-.1-5Z"),
        Milestone::Back => ("recovered", '+', Tone::Good, "mark back", "M-6 0L-2 5L6-5"),
        Milestone::Lost => ("not recovered", 'x', Tone::Bad, "mark lost", "M-5-5L5 5M5-5L-5 5"),
    };
    Shown { word, block, tone, class, shape }
}
