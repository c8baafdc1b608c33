//! Where to report a failure.

use crate::pattern::Patterns;
use crate::value::Layer;

/// Where to report a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Destination {
    /// Whether the program has its own tracker, which comes first.
    pub(crate) own: bool,
    /// The URL for a new report.
    pub(crate) address: String,
}

impl Destination {
    /// The tracker for a bug in one of `layers`, most likely first.
    pub(super) fn of(layers: &[Layer], patterns: &Patterns) -> Option<Self> {
        let taker = |layer| patterns.trackers.iter().find(|one| one.layers.contains(layer));
        let address = layers.iter().find_map(taker)?.file_at.clone();
        Some(Self { own: layers.first() == Some(&Layer::Application), address })
    }
}
