//! Compares what each message says of itself, its level, its place in the source and its kernels,
//! with the calls that print its text.
//!
//! Only calls with the same words contradict a message: of a text that is merely similar it is not
//! known whether it is the message. For its place, a similar text is enough.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::PlaceInSource;
use super::compare::Likeness;
use super::macros::Loudness;
use super::tree::{Tree, is_read};
use crate::pattern::Patterns;
use crate::value::Level;

/// What a message says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Claim {
    /// Its level.
    Level,
    /// Its file and function.
    Source,
    /// The kernels that have it.
    Kernel,
}

/// A statement of a message that the source contradicts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct WrongClaim {
    /// The message's id.
    pub message: String,
    /// What is wrong.
    pub claim: Claim,
    /// What the message says.
    pub says: String,
    /// A place that contradicts it.
    pub place: PlaceInSource,
}

/// The places that print each message.
#[derive(Debug, Default)]
pub(super) struct Claims {
    places: BTreeMap<usize, Places>,
}

/// The places that print a message.
#[derive(Debug, Default)]
struct Places {
    /// With the same words, by the index of the form.
    same: BTreeMap<usize, Vec<PlaceInSource>>,
    /// With similar words.
    similar: Vec<PlaceInSource>,
}

impl Claims {
    /// Records that `place` prints these messages.
    pub(super) fn add(&mut self, messages: &BTreeSet<Likeness>, place: &PlaceInSource) {
        for Likeness { message, same } in messages {
            let places = self.places.entry(*message).or_default();
            match same {
                Some(form) => places.same.entry(*form).or_default().push(place.clone()),
                None => places.similar.push(place.clone()),
            }
        }
    }

    /// The statements that `tree` contradicts, in the order of messages.
    pub(super) fn wrong(&self, tree: &Tree, patterns: &Patterns) -> Vec<WrongClaim> {
        let mut all = Vec::new();
        for (at, places) in &self.places {
            let Some(message) = patterns.messages.get(*at) else { continue };
            let Some(first) = places.same.values().flatten().next() else { continue };
            let mut add = |claim, says: String, place: &PlaceInSource| {
                let (message, place) = (message.id.clone(), place.clone());
                all.push(WrongClaim { message, claim, says, place });
            };
            if let Some(range) = message.kernel.filter(|range| !range.contains(tree.version)) {
                // The other statements are about other kernels.
                if let Some(place) = places.shown(message.level) {
                    add(Claim::Kernel, range.to_string(), place);
                }
                continue;
            }
            if let Some(level) = message.level {
                for place in places.same.values().filter_map(|places| other_level(level, places)) {
                    add(Claim::Level, level.name().to_owned(), place);
                }
            }
            if places.is_elsewhere(&message.source) {
                add(Claim::Source, message.source.clone(), first);
            }
        }
        all.sort_by(|one, other| (one.claim, &one.message).cmp(&(other.claim, &other.message)));
        all.dedup();
        all
    }
}

/// The first of the places that print a form, if none prints it at `level`.
fn other_level(level: Level, places: &[PlaceInSource]) -> Option<&PlaceInSource> {
    let may_be = |place: &PlaceInSource| match place.loudness {
        Loudness::Known(known) => known == level,
        Loudness::Unknown | Loudness::Continues => true,
    };
    places.first().filter(|_| !places.iter().any(may_be))
}

impl Places {
    /// The first place that usual logs show: many messages were debug output in other kernels.
    fn shown(&self, level: Option<Level>) -> Option<&PlaceInSource> {
        let is_shown = |place: &&PlaceInSource| {
            place.loudness != Loudness::Known(Level::Debug) || level == Some(Level::Debug)
        };
        self.same.values().flatten().find(is_shown)
    }

    /// Whether none of the places is in `source`.
    fn is_elsewhere(&self, source: &str) -> bool {
        let cited = cited(source);
        let is_cited = |place: &PlaceInSource| {
            // The text of a macro has no function.
            let Some(function) = place.function.as_deref() else { return true };
            cited.iter().any(|(file, functions)| {
                *file == place.path && (functions.is_empty() || functions.contains(&function))
            })
        };
        !cited.is_empty() && !self.same.values().flatten().chain(&self.similar).any(is_cited)
    }
}

/// The files of `source` that are compared, each with the functions named after it.
pub(super) fn cited(source: &str) -> Vec<(&str, Vec<&str>)> {
    let mut cited: Vec<(&str, Vec<&str>)> = Vec::new();
    for word in source.split([' ', ',', ';']).filter(|word| !word.is_empty()) {
        if is_read(word) {
            cited.push((word, Vec::new()));
        } else if let Some((_, functions)) = cited.last_mut() {
            functions.push(word);
        }
    }
    cited
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_and_functions_of_a_source_are_distinguished() {
        let ring = "drivers/gpu/drm/amd/amdgpu/amdgpu_ring.c";
        let sched = "drivers/gpu/drm/scheduler/sched_main.c";
        for (source, want) in [
            (format!("{ring} one"), vec![(ring, vec!["one"])]),
            (
                format!("{ring} one, two; {sched}"),
                vec![(ring, vec!["one", "two"]), (sched, vec![])],
            ),
            ("kernel/hung_task.c check_hung_task".to_owned(), vec![]),
        ] {
            assert_eq!(cited(&source), want, "{source}");
        }
    }

    /// The preprocessor has replaced the macros of a condition before the kernel prints it, so a
    /// message with the name of one matches no line. The constants of enums stay.
    #[test]
    fn no_message_has_a_macro_in_a_condition() {
        const OF_ENUMS: [&str; 1] = ["DRIVER_MODESET"];
        for message in crate::builtin::patterns().messages.iter() {
            let conditions = message.formats().into_iter().filter_map(|format| {
                let (name, condition) = format.split_once('(')?;
                name.starts_with("drm_WARN_ON").then_some(condition)
            });
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            for word in conditions.flat_map(|text| text.split(move |c| !is_word(c))) {
                let is_number = word.starts_with(|c: char| c.is_ascii_digit());
                let is_macro = super::super::macros::is_replaced(word);
                assert!(
                    is_number || !is_macro || OF_ENUMS.contains(&word),
                    "{}: {word}",
                    message.id
                );
            }
        }
    }
}
