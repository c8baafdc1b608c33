//! Which fields of an event a message fills, by their place: found once a form, not once a line.

use std::collections::BTreeMap;

use super::format::Capture;
use super::step::Span;
use crate::kind::Kind;
use crate::value::field::Conversion;

/// What one form of a message sets in an event of one kind, in order.
#[derive(Debug)]
pub(super) struct Settings(Vec<Setting>);

/// A field, and where its text comes from.
#[derive(Debug)]
struct Setting {
    /// The place of the field among those of the kind.
    place: usize,
    text: Source,
    conversion: Conversion,
    /// Whether another setting of the same field follows, which has the last word where it has a text.
    again: bool,
}

#[derive(Debug)]
enum Source {
    Constant(String),
    /// The capture of this number.
    Capture(usize),
}

impl Settings {
    /// What `constants` and then `captures` set in an event of `kind`.
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

    /// The place of each field that `settings` set, the text, and how that is read, where the captures
    /// of `text` are `spans`.
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
