//! How much a first screen shows, from most to least, until it fits.

/// How much of an incident is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Richness {
    pub(super) quotes: usize,
    /// The number of things to try.
    pub(super) steps: usize,
    /// The number of those that are shown with commands; for the others, a reference is shown.
    pub(super) commands: usize,
    /// The most lines of commands that are shown for one of them.
    pub(super) lines: usize,
    /// The number of rows in a table of incidents.
    pub(super) rows: usize,
    /// Whether secondary remarks are shown.
    pub(super) remarks: bool,
    /// The number of references to further output.
    pub(super) references: usize,
    /// Whether sentences that say little are left out: that the cause is not in the log, how long
    /// errors went on, what was read.
    pub(super) terse: bool,
    /// Whether blank lines separate the parts.
    pub(super) gaps: bool,
}

const fn level([quotes, steps, commands, lines, rows]: [usize; 5], remarks: bool) -> Richness {
    Richness {
        quotes,
        steps,
        commands,
        lines,
        rows,
        remarks,
        references: 3,
        terse: false,
        gaps: true,
    }
}

/// The quotes, things to try, those with commands, their lines, and the rows of a table.
const LEVELS: [Richness; 13] = [
    level([3, 3, 3, 8, 8], true),
    level([3, 3, 3, 3, 8], true),
    level([3, 3, 3, 3, 8], false),
    level([3, 3, 1, 8, 6], false),
    level([3, 3, 1, 3, 6], false),
    level([2, 3, 1, 3, 5], false),
    level([2, 2, 1, 3, 4], false),
    level([2, 1, 1, 3, 4], false),
    level([3, 1, 0, 0, 3], false),
    level([2, 1, 0, 0, 3], false),
    level([2, 0, 0, 0, 2], false),
    level([1, 1, 0, 0, 2], false),
    level([1, 0, 0, 0, 2], false),
];

/// With fewer things to try, a screen is terse instead.
const AMPLE: usize = 8;
/// From here on a screen is terse, and at last without blank lines.
const TERSE: usize = 3;

/// From most to least; the first that fits is used.
pub(super) fn levels() -> impl Iterator<Item = Richness> {
    let one_reference = |level: &Richness| Richness { references: 1, ..*level };
    let ample = LEVELS[..AMPLE].iter().flat_map(move |level| [*level, one_reference(level)]);
    let terse =
        LEVELS[TERSE..].iter().map(move |level| Richness { terse: true, ..one_reference(level) });
    let tight = terse.clone().map(|level| Richness { gaps: false, ..level });
    ample.chain(terse).chain(tight)
}
