//! Pattern files: the knowledge of amdtriage, read from TOML and checked.
//!
//! This module knows the event kinds and their fields, and nothing of logs. It is compiled twice:
//! into the library, and into the build script, so that a built-in file with a mistake fails the
//! build.

pub mod advice;
mod anchor;
pub mod constraint;
pub mod expression;
pub mod fields;
pub mod form;
pub mod format;
pub mod hardware;
pub mod instruction;
pub mod machine;
pub mod mark;
pub mod matcher;
pub mod message;
mod prefix;
pub mod privacy;
mod setting;
pub mod signature;
mod signature_file;
pub mod source;
mod step;
pub mod template;
pub mod tracker;
mod wanted_file;

use std::collections::BTreeSet;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use advice::Advice;
use fields::Fields;
use hardware::Hardware;
use machine::Machines;
use matcher::{Index, Matcher};
use message::Message;
use privacy::Privacy;
use signature::Signature;
use source::{At, Mistake, Place, SourceFile, Sources, suggestion};
use tracker::Tracker;

/// Everything that pattern files say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patterns {
    /// What is printed.
    pub messages: Vec<Message>,
    /// What goes wrong.
    pub signatures: Vec<Signature>,
    /// What to do.
    pub advice: Vec<Advice>,
    /// Chips, register layouts, client names, driver parameters.
    pub hardware: Hardware,
    /// What can be wrong with a machine now.
    pub machines: Machines,
    /// Where bugs are reported.
    pub trackers: Vec<Tracker>,
    /// What is private in a log.
    pub privacy: Privacy,
    /// SHA-256 over the paths and texts of all files, in hexadecimal.
    pub digest: String,
    /// Where to look for which message.
    #[serde(skip)]
    index: Prepared,
}

/// What is built of patterns when it is first needed. It says nothing that they do not say, and a
/// copy of them may be added to, so neither a comparison nor a copy includes it.
#[derive(Debug, Default)]
struct Prepared(OnceLock<Index>);

impl Clone for Prepared {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Prepared {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Patterns {
    /// All messages, ready to be looked up.
    #[must_use]
    pub fn matcher(&self) -> Matcher<'_> {
        let index = self.index.0.get_or_init(|| Index::new(&self.messages));
        Matcher::new(&self.messages, index)
    }

    /// The advice called `id`.
    #[must_use]
    pub fn advice(&self, id: &str) -> Option<&Advice> {
        self.advice.iter().find(|advice| advice.id == id)
    }

    /// The tracker called `id`.
    #[must_use]
    pub fn tracker(&self, id: &str) -> Option<&Tracker> {
        self.trackers.iter().find(|tracker| tracker.id == id)
    }

    /// Adds what `files` say.
    ///
    /// # Errors
    /// All mistakes of all files; nothing is added then.
    pub fn extended(&self, files: &[SourceFile]) -> Result<Self, Vec<Mistake>> {
        let mut sources = Sources::new(files);
        let mut loader = Loader { patterns: self.clone(), ..Loader::default() };
        for file in 0..files.len() {
            loader.read(&mut sources, file);
        }
        loader.check(&mut sources, self);
        let mistakes = sources.into_mistakes();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        loader.patterns.digest = digest(&self.digest, files);
        Ok(loader.patterns)
    }
}

fn digest(before: &str, files: &[SourceFile]) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(before);
    for file in files {
        // Lengths keep the end of one text from being taken for the start of the next.
        for part in [&file.path, &file.text] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    crate::value::hexadecimal(&hash.finalize())
}

/// What has been read so far, with the names that must be explained by other files.
#[derive(Default)]
struct Loader {
    patterns: Patterns,
    messages: Vec<At<String>>,
    signatures: Vec<At<String>>,
    advice: Vec<At<String>>,
    signatures_named: Vec<At<String>>,
    advice_named: Vec<At<String>>,
    settings: Vec<At<String>>,
    machines: machine::Named,
    trackers: Vec<At<String>>,
}

impl Loader {
    fn read(&mut self, sources: &mut Sources<'_>, file: usize) {
        let Some(table) = fields::parse(sources, file) else { return };
        let root = Fields::new(table.get_ref(), file, table.span().start..table.span().start);
        let has = |key: &str| table.get_ref().contains_key(key);
        if has("message") {
            self.read_messages(sources, root);
        } else if has("advice") {
            self.read_advice(sources, root);
        } else if has("id") || has("step") || has("title") {
            self.read_signature(sources, root);
        } else if machine::KEYS.into_iter().any(has) {
            self.patterns.machines.read_file(sources, root, &mut self.machines);
        } else if has("tracker") {
            self.read_trackers(sources, root);
        } else if privacy::KEYS.into_iter().any(has) {
            self.patterns.privacy.read_file(sources, root);
        } else if table.get_ref().is_empty() {
            let what =
                "this file holds no message, advice, signature, state, tracker or hardware table";
            sources.mistake(&Place { file, span: 0..0 }, what);
        } else {
            self.patterns.hardware.read_file(sources, file, root);
        }
    }

    fn read_messages(&mut self, sources: &mut Sources<'_>, mut root: Fields<'_>) {
        for fields in root.tables(sources, "message") {
            if let Some(message) = Message::read(sources, fields) {
                self.messages.push(At { value: message.value.id.clone(), place: message.place });
                self.patterns.messages.push(message.value);
            }
        }
        root.finish(sources);
    }

    fn read_advice(&mut self, sources: &mut Sources<'_>, mut root: Fields<'_>) {
        for fields in root.tables(sources, "advice") {
            if let Some((advice, setting)) = Advice::read(sources, fields) {
                self.advice.push(At { value: advice.value.id.clone(), place: advice.place });
                let parameter = advice.value.sets.as_ref().map(|sets| sets.parameter.clone());
                self.settings
                    .extend(parameter.zip(setting).map(|(value, place)| At { value, place }));
                self.patterns.advice.push(advice.value);
            }
        }
        root.finish(sources);
    }

    fn read_trackers(&mut self, sources: &mut Sources<'_>, mut root: Fields<'_>) {
        for fields in root.tables(sources, "tracker") {
            if let Some(At { value, place }) = Tracker::read(sources, fields) {
                self.trackers.push(At { value: value.id.clone(), place });
                self.patterns.trackers.push(value);
            }
        }
        root.finish(sources);
    }

    fn read_signature(&mut self, sources: &mut Sources<'_>, root: Fields<'_>) {
        if let Some(loaded) = signature_file::read(sources, root) {
            let At { value, place } = loaded.signature;
            self.signatures.push(At { value: value.id.clone(), place });
            self.signatures_named.extend(loaded.signatures);
            self.advice_named.extend(loaded.advice);
            self.patterns.signatures.push(value);
        }
    }

    fn check(&self, sources: &mut Sources<'_>, before: &Patterns) {
        fn ids<T>(of: &[T], id: impl Fn(&T) -> &String) -> Vec<String> {
            of.iter().map(|one| id(one).clone()).collect()
        }
        let known = ids(&before.messages, |message| &message.id);
        unique(sources, "message", &known, &self.messages);
        let known = ids(&before.signatures, |signature| &signature.id);
        unique(sources, "signature", &known, &self.signatures);
        let known = ids(&before.advice, |advice| &advice.id);
        unique(sources, "advice", &known, &self.advice);
        let signatures = ids(&self.patterns.signatures, |signature| &signature.id);
        explained(sources, "signature", &signatures, &self.signatures_named);
        let advice = ids(&self.patterns.advice, |advice| &advice.id);
        explained(sources, "advice", &advice, &self.advice_named);
        let known: Vec<String> = before.machines.ids().cloned().collect();
        unique(sources, "state", &known, &self.machines.ids);
        let known = ids(&before.trackers, |tracker| &tracker.id);
        unique(sources, "tracker", &known, &self.trackers);
        explained(sources, "advice", &advice, &self.machines.advice);
        explained(sources, "signature", &signatures, &self.machines.signatures);
        machine::check_parameters(sources, &self.machines.parameters, |name| {
            let parameter = self.patterns.hardware.parameter(name);
            parameter.is_some_and(|parameter| parameter.exists_in(None) != Some(false))
        });
        for setting in &self.settings {
            self.check_setting(sources, setting);
        }
        self.check_samples(sources, before.messages.len());
    }

    /// Advice never sets a parameter that the driver does not have.
    fn check_setting(&self, sources: &mut Sources<'_>, setting: &At<String>) {
        let Some(name) = setting.value.strip_prefix("amdgpu.") else { return };
        let parameter = self.patterns.hardware.parameter(name);
        if parameter.is_none_or(|parameter| parameter.exists_in(None) == Some(false)) {
            let what = format!("amdgpu has no parameter `{name}`");
            sources.mistake(&setting.place, what);
        }
    }

    /// Each sample of a new message belongs to that message and to no other.
    fn check_samples(&self, sources: &mut Sources<'_>, old: usize) {
        let index = Index::new(&self.patterns.messages);
        let matcher = Matcher::new(&self.patterns.messages, &index);
        let new = self.patterns.messages.iter().enumerate().skip(old);
        for ((index, message), id) in new.zip(&self.messages) {
            for sample in &message.samples {
                let found = matcher.all(sample, &message.from);
                let others = found.iter().filter(|other| **other != index);
                let others: Vec<_> =
                    others.filter_map(|other| self.patterns.messages.get(*other)).collect();
                if !found.contains(&index) {
                    let what = format!("`{}` does not match its sample `{sample}`", message.id);
                    sources.mistake(&id.place, what);
                }
                for other in others {
                    let what = format!("the sample `{sample}` is matched by `{}` too", other.id);
                    sources.mistake(&id.place, what);
                }
            }
        }
    }
}

fn unique(sources: &mut Sources<'_>, what: &str, before: &[String], ids: &[At<String>]) {
    let mut seen: BTreeSet<&str> = before.iter().map(String::as_str).collect();
    for id in ids {
        if !seen.insert(&id.value) {
            sources.mistake(&id.place, format!("there is a {what} `{}` already", id.value));
        }
        let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !id.value.chars().all(good) {
            sources.mistake(&id.place, "an id has lower-case letters, digits and hyphens only");
        }
    }
}

fn explained(sources: &mut Sources<'_>, what: &str, known: &[String], named: &[At<String>]) {
    for name in named.iter().filter(|name| !known.contains(&name.value)) {
        let sentence = format!("there is no {what} `{}`", name.value);
        match suggestion(&name.value, known.iter().map(String::as_str)) {
            Some(hint) => sources.mistake_with_hint(&name.place, sentence, hint),
            None => sources.mistake(&name.place, sentence),
        }
    }
}
