//! Pattern files: the knowledge of amdtriage, read from TOML and checked.
//!
//! Depends on event kinds and their fields, and not on logs. It is compiled twice: into the
//! library, and into the build script, so that a mistake in a built-in file fails the build. Load
//! user files with [`Patterns::extended`].

pub(crate) mod advice;
mod anchor;
pub(crate) mod citation;
pub(crate) mod constraint;
pub(crate) mod cut;
pub(crate) mod distribution;
pub(crate) mod document;
pub(crate) mod expression;
pub(crate) mod form;
pub(crate) mod format;
pub(crate) mod glob;
pub(crate) mod hardware;
pub(crate) mod instruction;
pub(crate) mod later;
pub(crate) mod machine;
pub(crate) mod mark;
pub(crate) mod matcher;
pub(crate) mod message;
mod prefix;
pub(crate) mod privacy;
pub(crate) mod prose;
pub(crate) mod reading;
mod rows;
mod setting;
pub mod signature;
mod signature_check;
pub mod source;
pub(crate) mod source_anchor;
mod step;
pub(crate) mod template;
pub(crate) mod term;
pub(crate) mod tracker;
mod wanted;
mod words;

use std::sync::OnceLock;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;
use toml::de::DeTable;

use advice::Advice;
use distribution::Distributions;
use document::{Record as _, Table};
use hardware::{GfxPattern, Hardware};
use later::{Lazy, LazyList};
use machine::Machines;
use matcher::{Index, Matcher};
use message::Message;
use privacy::Privacy;
use prose::Prose;
use signature::Signature;
use source::{FileSpan, Mistake, Name, Noun, SourceFile, Sources, suggestion};
use term::Term;
use tracker::Tracker;

/// The contents of all pattern files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub struct Patterns {
    /// Messages.
    pub messages: LazyList<Message>,
    /// Signatures.
    pub signatures: Lazy<Vec<Signature>>,
    /// Advice.
    pub advice: Lazy<Vec<Advice>>,
    /// Chips, register layouts, client names, driver parameters.
    pub hardware: Hardware,
    /// How to recognise distributions, and their commands.
    pub(crate) distributions: Lazy<Distributions>,
    /// States and versions of machines that `check` reports.
    pub(crate) machines: Lazy<Machines>,
    /// Bug trackers.
    pub(crate) trackers: Lazy<Vec<Tracker>>,
    /// Terms and what they mean.
    pub(crate) glossary: Lazy<Vec<Term>>,
    /// Rules for redaction.
    pub(crate) privacy: Lazy<Privacy>,
    /// Words that distinguish prose about a message from a quoted message.
    pub(crate) prose: Lazy<Vec<Prose>>,
    /// Search words: nearly every line that is a message contains one of them.
    pub(crate) words: Vec<String>,
    /// SHA-256 over the paths and texts of all files, in hexadecimal.
    pub digest: String,
    /// The index of messages.
    index: Prepared,
}

/// A lazily built index. It is derived from the patterns and becomes stale if they are extended, so
/// comparing and cloning ignore it. It is serialised if it exists, because building takes far
/// longer than reading it.
#[derive(Debug, Default)]
struct Prepared(OnceLock<Index>);

impl Serialize for Prepared {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.get().serialize(serializer)
    }
}

impl<'de: 'static> Deserialize<'de> for Prepared {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let index = Option::<Index>::deserialize(deserializer)?;
        Ok(Self(index.map(OnceLock::from).unwrap_or_default()))
    }
}

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
    /// The messages with their index.
    #[must_use]
    pub fn matcher(&self) -> Matcher<'_> {
        let index = self.index.0.get_or_init(|| Index::new(&self.messages));
        Matcher::new(&self.messages, index)
    }

    /// The advice called `id`.
    pub(crate) fn advice(&self, id: &str) -> Option<&Advice> {
        self.advice.iter().find(|advice| advice.id == id)
    }

    /// The tracker called `id`.
    pub(crate) fn tracker(&self, id: &str) -> Option<&Tracker> {
        self.trackers.iter().find(|tracker| tracker.id == id)
    }

    /// Adds the contents of `files`.
    ///
    /// # Errors
    /// All mistakes in all files; nothing is added then.
    pub fn extended(&self, files: &[SourceFile]) -> Result<Self, Vec<Mistake>> {
        let sources = Sources::new(files, &self.hardware.checked);
        let documents: Vec<Option<Spanned<DeTable<'_>>>> =
            (0..files.len()).map(|file| parse(&sources, file)).collect();
        let mut loader =
            Loader { patterns: self.clone(), messages: Vec::new(), silenced: Vec::new() };
        for (file, document) in documents.iter().enumerate() {
            if let Some(document) = document {
                loader.read(&Table::root(&sources, file, document.get_ref()));
            }
        }
        loader.check_samples(self.messages.len());
        loader.check_names(&sources, self);
        let Loader { mut patterns, silenced, .. } = loader;
        patterns.signatures.retain(|signature| !silenced.contains(&signature.id));
        let mistakes = sources.into_mistakes();
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let added = patterns.messages.iter().skip(self.messages.len());
        let missing = words::missing(&patterns.words, added);
        if !self.words.is_empty() {
            patterns.words.extend(missing);
        }
        patterns.digest = digest(&self.digest, files);
        Ok(patterns)
    }

    /// All names that `noun` can refer to.
    fn names(&self, noun: Noun) -> Vec<&str> {
        match noun {
            Noun::Message => self.messages.iter().map(|message| message.id.as_str()).collect(),
            Noun::Signature => self.signatures.iter().map(|one| one.id.as_str()).collect(),
            Noun::Advice => self.advice.iter().map(|advice| advice.id.as_str()).collect(),
            Noun::State => self.machines.ids().map(String::as_str).collect(),
            Noun::Term => self.glossary.iter().map(|term| term.id.as_str()).collect(),
            Noun::Tracker => self.trackers.iter().map(|tracker| tracker.id.as_str()).collect(),
            Noun::Parameter => {
                let parameters = self.hardware.parameters.iter();
                let real = parameters.filter(|one| one.exists_in(None) != Some(false));
                real.map(|parameter| parameter.name.as_str()).collect()
            }
            Noun::Chip => Vec::new(),
            Noun::Distribution => self.distributions.ids().collect(),
            Noun::Family => {
                self.hardware.families.iter().map(|family| family.name.as_str()).collect()
            }
        }
    }
}

/// Parses one file; `None` if it is not TOML, which is reported.
fn parse<'t>(sources: &Sources<'t>, file: usize) -> Option<Spanned<DeTable<'t>>> {
    let text = &sources.files.get(file)?.text;
    let (table, errors) = DeTable::parse_recoverable(text);
    let is_toml = errors.is_empty();
    for error in errors {
        let span = error.span().unwrap_or(0..0);
        sources.mistake(FileSpan::new(file, &span), error.message().trim(), None);
    }
    // Mistakes that follow from a syntax error are not reported.
    is_toml.then_some(table)
}

fn digest(before: &str, files: &[SourceFile]) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(before);
    for file in files {
        // Lengths are hashed, too, so that text cannot move between fields unnoticed.
        for part in [&file.path, &file.text] {
            hash.update(part.len().to_le_bytes());
            hash.update(part);
        }
    }
    crate::value::hexadecimal(&hash.finalize())
}

/// The entries read so far.
struct Loader<'t> {
    patterns: Patterns,
    /// The tables of the new messages.
    messages: Vec<Table<'t>>,
    /// Ids of signatures that are removed.
    silenced: Vec<String>,
}

impl<'t> Loader<'t> {
    /// Reads a file: a signature, or other tables.
    fn read(&mut self, file: &Table<'t>) {
        if file.has_one_of(&["id", "step", "title"]) {
            let mut signature = Signature::from_table(file);
            signature.cited = file.text().map(citation::in_comments).unwrap_or_default().into();
            if signature.replaces {
                self.remove_replaced(&signature.id, file);
            }
            self.patterns.signatures.push(signature);
        } else if file.is_empty() {
            file.mistake(
                "this file has no message, advice, signature, state, tracker, distribution or hardware table",
            );
        } else {
            let openings = form::openings(file);
            for entry in file.list("message") {
                let mut message = Message::from_table(&entry);
                message.forms = form::forms(&entry, &message.kinds, &openings);
                entry.finish();
                self.patterns.messages.push(message);
                self.messages.push(entry);
            }
            file.collect("words", &mut self.patterns.words);
            file.uses(Noun::Signature, "silence");
            file.collect("silence", &mut self.silenced);
            file.collect("advice", &mut self.patterns.advice);
            file.collect("tracker", &mut self.patterns.trackers);
            file.collect("prose", &mut self.patterns.prose);
            file.collect("term", &mut self.patterns.glossary);
            self.patterns.machines.add(file);
            self.patterns.privacy.add(file);
            self.patterns.hardware.add(file);
            self.patterns.distributions.add(file);
        }
        file.finish();
    }

    /// Removes the signature that another one replaces.
    fn remove_replaced(&mut self, id: &str, file: &Table<'_>) {
        let signatures = &mut self.patterns.signatures;
        match signatures.iter().position(|other| other.id == id && !other.replaces) {
            Some(place) => {
                signatures.remove(place);
            }
            None => {
                let what = format!("there is no signature `{id}` to replace");
                let hint = suggestion(id, signatures.iter().map(|other| other.id.as_str()));
                let place = file.get("id").map_or(file.place, |id| id.place);
                file.sources.mistake(place, what, hint);
            }
        }
    }

    /// Checks that all references have a definition, and that no name is defined twice.
    fn check_names(&self, sources: &Sources<'_>, before: &Patterns) {
        let given = sources.given.borrow();
        for (at, name) in given.iter().enumerate() {
            let same = |other: &Name| other.noun == name.noun && other.text == name.text;
            let is_old = match name.noun {
                // Includes names that no kernel has.
                Noun::Parameter => before.hardware.parameter(&name.text).is_some(),
                noun => before.names(noun).contains(&name.text.as_str()),
            };
            if is_old || given.iter().take(at).any(same) {
                let noun: &str = name.noun.into();
                let what = format!("there is a {noun} `{}` already", name.text);
                sources.mistake(name.place, what, None);
            }
            let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if name.noun != Noun::Parameter && !name.text.chars().all(good) {
                let what = "an id has lower-case letters, digits and hyphens only";
                sources.mistake(name.place, what, None);
            }
        }
        for name in sources.used.borrow().iter() {
            if name.noun == Noun::Chip {
                self.check_chip(sources, name);
                continue;
            }
            let known = self.patterns.names(name.noun);
            if !known.contains(&name.text.as_str()) {
                let what = match name.noun {
                    Noun::Parameter => format!("amdgpu has no parameter `{}`", name.text),
                    noun => format!("there is no {} `{}`", <&str>::from(noun), name.text),
                };
                sources.mistake(name.place, what, suggestion(&name.text, known));
            }
        }
    }

    /// A pattern for gfx targets must match some chip.
    fn check_chip(&self, sources: &Sources<'_>, name: &Name) {
        let Ok(pattern) = name.text.parse::<GfxPattern>() else {
            unreachable!("it was printed by a pattern")
        };
        let hardware = &self.patterns.hardware;
        if !hardware.chips.is_empty() && !hardware.knows(&pattern) {
            let targets = hardware.chips.iter().flat_map(|chip| &chip.gfx);
            let targets: Vec<String> = targets.map(ToString::to_string).collect();
            let hint = suggestion(&name.text, targets.iter().map(String::as_str));
            sources.mistake(name.place, format!("no known chip is a {}", name.text), hint);
        }
    }

    /// Each sample of a new message must match that message and no other.
    fn check_samples(&self, old: usize) {
        let messages = &self.patterns.messages;
        let index = Index::new(messages);
        let matcher = Matcher::new(messages, &index);
        let new = messages.iter().enumerate().skip(old);
        // A message without forms has a mistake that would cause all others.
        let formed = new.zip(&self.messages).filter(|((_, message), _)| !message.forms.is_empty());
        for ((place, message), table) in formed {
            for node in table.items("sample") {
                let Some(sample) = node.text() else { continue };
                let found = matcher.all(sample, &message.from);
                if !found.contains(&place) {
                    node.mistake(format!("`{}` does not match its sample", message.id));
                }
                let others = found.iter().filter(|other| **other != place);
                for other in others.filter_map(|other| messages.get(*other)) {
                    node.mistake(format!("this sample is matched by `{}` too", other.id));
                }
            }
        }
    }
}
