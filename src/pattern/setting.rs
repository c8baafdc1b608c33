//! The fields that a message fills in an event, by index: resolved once for each form, not for each
//! line.

use std::collections::BTreeMap;

use super::format::Capture;
use super::step::Span;
use crate::kind::Kind;
use crate::value::field::Conversion;

/// The fields that one form of a message sets in an event of one kind, in order.
#[derive(Debug)]
pub(super) struct Settings(Vec<Setting>);

/// A field, and the source of its text.
#[derive(Debug)]
struct Setting {
    /// The index of the field in its kind.
    place: usize,
    text: Source,
    conversion: Conversion,
    /// Whether a later setting of the same field takes precedence if it has a text.
    again: bool,
}

#[derive(Debug)]
enum Source {
    Constant(String),
    /// The capture with this index.
    Capture(usize),
}

impl Settings {
    /// The settings from `constants` and then `captures`, for events of `kind`.
    pub(super) fn new(
        kind: Kind,
        constants: &BTreeMap<String, String>,
        captures: &[Capture],
    ) -> Self {
        let mut settings = Vec::new();
        let mut add = |name: &str, text, conversion| {
            let Some(place) = kind.place(name) else { return };
            for earlier in
                settings.iter_mut().filter(|earlier: &&mut Setting| earlier.place == place)
            {
                earlier.again = true;
            }
            settings.push(Setting { place, text, conversion, again: false });
        };
        for (name, text) in constants {
            add(name, Source::Constant(text.clone()), Conversion::Text);
        }
        for (at, capture) in captures.iter().enumerate() {
            if let Some(name) = &capture.field {
                add(name, Source::Capture(at), capture.conversion);
            }
        }
        Self(settings)
    }

    /// The index of each field that is set, its text, and how to parse it; `spans` are the captures
    /// in `text`.
    pub(super) fn values<'s>(
        settings: Option<&'s Self>,
        text: &'s str,
        spans: &'s [Span],
    ) -> impl Iterator<Item = (usize, &'s str, Conversion)> + Clone {
        let said = move |setting: &'s Setting| match &setting.text {
            Source::Constant(constant) => Some(constant.as_str()),
            Source::Capture(at) => {
                let (from, to) = spans.get(*at).copied().flatten()?;
                text.get(from..to)
            }
        };
        let settings = settings.map(|settings| settings.0.as_slice()).unwrap_or_default();
        settings.iter().enumerate().filter_map(move |(at, setting)| {
            let found = said(setting)?;
            let same = |later: &&Setting| later.place == setting.place;
            let mut later = settings.iter().skip(at + 1).filter(same);
            let superseded = setting.again && later.any(|later| said(later).is_some());
            (!superseded).then_some((setting.place, found, setting.conversion))
        })
    }
}
