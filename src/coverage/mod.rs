//! Compares a kernel's source with the catalogue of messages: warnings without a message, messages
//! that are no longer printed, messages whose words also occur elsewhere, and citations of
//! signatures that do not exist.
//!
//! ```text
//! tree -> token -> source -> call (expand, literal, macros) -> compare (format) -> claims
//! \-> elsewhere: the words of messages in all other files
//! \-> anchors: the places that pattern files cite (contents)
//! ```
//!
//! For maintainers of `patterns/messages`. C is parsed only as far as printing calls require, and
//! nothing is compiled: both branches of each `#ifdef` are read, and texts that are not in the
//! source are counted as such.

pub(crate) mod anchors;
mod argument;
pub(crate) mod call;
pub(crate) mod claims;
pub(crate) mod compare;
mod contents;
mod definitions;
pub(crate) mod elsewhere;
pub(crate) mod expand;
pub(crate) mod format;
mod function;
pub(crate) mod literal;
pub(crate) mod macros;
pub(crate) mod source;
pub(crate) mod token;
pub mod tree;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use anchors::Anchors;
use call::{PrintedFormat, scan};
use claims::{Claims, WrongClaim, cited};
use compare::{Catalogue, Likeness, lines};
use elsewhere::SharedWords;
use expand::Macros;
use literal::Wording;
use macros::Loudness;
use source::Source;
use tree::{Tree, Unread, folder};

use crate::pattern::Patterns;
use crate::pattern::constraint::KernelRange;
use crate::value::KernelVersion;

/// A format of the kernel and where it is printed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PlaceInSource {
    /// The file, from the tree's root.
    pub path: String,
    /// The line number, from 1.
    pub line: usize,
    /// The function; `None` in a macro.
    pub function: Option<String>,
    /// The function or macro that is called.
    pub called: String,
    /// The log level.
    #[serde(rename = "level", serialize_with = "known_level")]
    #[cfg_attr(test, schemars(with = "Option<crate::value::Level>"))]
    pub loudness: Loudness,
    /// The format, or the expression that it is a value of.
    pub text: String,
}

/// A message whose text is not in the tree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "MissingMessage"))]
pub(crate) struct Missing {
    /// Its id.
    pub message: String,
    /// The place that it refers to.
    pub source: String,
    /// Whether the file is in the tree.
    pub has_file: bool,
    /// The kernels that it says have it.
    #[serde(serialize_with = "text")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub kernel: Option<KernelRange>,
    /// Whether this kernel is none of them.
    pub is_expected: bool,
}

/// What was counted in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FolderCount"))]
pub(crate) struct Count {
    /// Formats of any level.
    pub formats: usize,
    /// Those that can be a warning or worse.
    pub warnings: usize,
    /// Those of the warnings that are a message of the catalogue.
    pub matched: usize,
    /// Warnings whose format is no literal, which are not among the others.
    #[serde(rename = "no_literal")]
    pub variable: usize,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde calls it with a reference to the field"
)]
fn known_level<S: Serializer>(loudness: &Loudness, to: S) -> Result<S::Ok, S::Error> {
    match loudness {
        Loudness::Known(level) => level.serialize(to),
        Loudness::Unknown | Loudness::Continues => to.serialize_none(),
    }
}

#[allow(clippy::ref_option, reason = "serde calls it with a reference to the field")]
fn text<S: Serializer>(kernel: &Option<KernelRange>, to: S) -> Result<S::Ok, S::Error> {
    kernel.map(|range| range.to_string()).serialize(to)
}

impl Count {
    fn add(&mut self, other: &Self) {
        self.formats += other.formats;
        self.warnings += other.warnings;
        self.matched += other.matched;
        self.variable += other.variable;
    }
}

/// How much of what a kernel prints is in the catalogue.
#[derive(Clone, Debug)]
pub(crate) struct Coverage {
    /// The kernel's version.
    pub version: KernelVersion,
    /// The number of files read.
    pub files: usize,
    /// Warnings without a message.
    pub unmatched: Vec<PlaceInSource>,
    /// Warnings whose text is not in the call.
    pub variable: Vec<PlaceInSource>,
    /// Messages that are not printed.
    pub missing: Vec<Missing>,
    /// What messages say of themselves and the source contradicts.
    pub wrong: Vec<WrongClaim>,
    /// Messages not marked as shared whose words also occur elsewhere.
    pub shared: Vec<SharedWords>,
    /// The anchors of pattern files.
    pub anchors: Anchors,
    /// Files that were not read.
    pub unread: Vec<Unread>,
    /// The number of calls that only continue a line.
    pub continuing: usize,
    /// The number of calls that were abandoned.
    pub given_up: usize,
    pub folders: BTreeMap<String, Count>,
}

impl Coverage {
    /// The sum of the counts of all directories.
    pub(crate) fn total(&self) -> Count {
        let mut total = Count::default();
        self.folders.values().for_each(|count| total.add(count));
        total
    }
}

/// Compares what `tree` can print with the messages of `patterns`.
pub(crate) fn measure(tree: &Tree, patterns: &Patterns) -> Coverage {
    let TreeTexts { printed, texts, given_up } = printed(tree);
    let mut coverage = Coverage {
        version: tree.version,
        files: tree.files.len(),
        unmatched: Vec::new(),
        variable: Vec::new(),
        missing: Vec::new(),
        wrong: Vec::new(),
        shared: Vec::new(),
        anchors: Anchors::default(),
        unread: tree.unread.clone(),
        continuing: 0,
        given_up,
        folders: BTreeMap::new(),
    };
    let mut comparison = Comparison {
        catalogue: Catalogue::new(patterns, |_| true),
        known: BTreeMap::new(),
        present: BTreeSet::new(),
        claims: Claims::default(),
    };
    for one in &printed {
        coverage.take(tree, one, &mut comparison);
    }
    // A macro's text may be in another file than the call through which it was found.
    for places in [&mut coverage.unmatched, &mut coverage.variable] {
        places.sort_by(|one, other| (&one.path, one.line).cmp(&(&other.path, other.line)));
    }
    coverage.wrong = comparison.claims.wrong(tree, patterns);
    coverage.missing = missing(tree, patterns, comparison.present, &texts);
    coverage.shared = elsewhere::search(&tree.root, patterns, &mut coverage.unread);
    coverage.anchors = anchors::check(tree, patterns, &mut coverage.unread);
    coverage
}

/// What the files of a tree print.
struct TreeTexts {
    printed: Vec<PrintedFormat>,
    texts: BTreeSet<String>,
    given_up: usize,
}

fn printed(tree: &Tree) -> TreeTexts {
    let mut headers = Macros::default();
    for (at, file) in tree.files.iter().enumerate().filter(|(_, file)| file.is_header()) {
        headers.add(Source::read(at, &file.text).macros);
    }
    headers.follow(None);
    let mut found = TreeTexts { printed: Vec::new(), texts: BTreeSet::new(), given_up: 0 };
    let mut seen = BTreeSet::new();
    for (at, file) in tree.files.iter().enumerate() {
        let mut source = Source::read(at, &file.text);
        let mut own = Macros::default();
        own.add(std::mem::take(&mut source.macros));
        own.follow(Some(&headers));
        let scanned = scan(&source, &own, &headers);
        // A header's macro is found through many files.
        let new = scanned
            .printed
            .into_iter()
            .filter(|one| one.file == at || seen.insert((one.file, one.line, one.wording.clone())));
        found.printed.extend(new);
        found.texts.extend(scanned.texts);
        found.given_up += scanned.given_up;
    }
    found
}

/// The catalogue, and which of its messages were found.
struct Comparison<'p> {
    catalogue: Catalogue<'p>,
    /// Cached results: many texts occur in several files.
    known: BTreeMap<String, Found>,
    /// The messages that are printed.
    present: BTreeSet<usize>,
    claims: Claims,
}

/// The messages that a text is.
#[derive(Clone, Debug, Default)]
struct Found {
    /// Whether its first line is a message.
    is_known: bool,
    /// The messages that its lines are.
    alike: BTreeSet<Likeness>,
}

impl Comparison<'_> {
    /// Whether what is printed at `place` is a message, with or without the prefix of its file.
    fn is_known(&mut self, place: &PlaceInSource, prefix: Option<&str>) -> bool {
        let with_prefix = prefix.map(|prefix| self.found(&format!("{prefix}{}", place.text)));
        let alone = self.found(&place.text);
        let all = [Some(alone), with_prefix];
        for found in all.iter().flatten() {
            self.claims.add(&found.alike, place);
        }
        all.iter().flatten().any(|found| found.is_known)
    }

    /// The messages that a text is. Marks them as present.
    fn found(&mut self, text: &str) -> Found {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        let mut of_text = Found::default();
        for (at, line) in lines(text).iter().enumerate() {
            let alike = self.catalogue.alike(line);
            let recognised = self.catalogue.recognised(line);
            of_text.is_known |= at == 0 && !(alike.is_empty() && recognised.is_empty());
            let recognised = recognised.into_iter().map(|message| Likeness { message, same: None });
            of_text.alike.extend(alike.into_iter().chain(recognised));
        }
        self.present.extend(of_text.alike.iter().map(|like| like.message));
        self.known.insert(text.to_owned(), of_text.clone());
        of_text
    }
}

impl Coverage {
    /// Counts a format, and lists it if it is a warning without a message.
    fn take(&mut self, tree: &Tree, one: &PrintedFormat, comparison: &mut Comparison<'_>) {
        let path = tree.files.get(one.file).map_or("", |file| &file.path);
        let count = self.folders.entry(folder(path).to_owned()).or_default();
        let is_warning = one.loudness.may_be_warning();
        match &one.wording {
            _ if one.loudness == Loudness::Continues => self.continuing += 1,
            Wording::Variable(text) => {
                if is_warning {
                    count.variable += 1;
                    self.variable.push(place(path, one, text));
                }
            }
            Wording::Literal(text) => {
                let place = place(path, one, text);
                let is_known = comparison.is_known(&place, one.prefix.as_deref());
                count.formats += 1;
                count.warnings += usize::from(is_warning);
                count.matched += usize::from(is_warning && is_known);
                if is_warning && !is_known {
                    self.unmatched.push(place);
                }
            }
        }
    }
}

fn place(path: &str, one: &PrintedFormat, text: &str) -> PlaceInSource {
    PlaceInSource {
        path: path.to_owned(),
        line: one.line,
        function: one.function.clone(),
        called: one.called.clone(),
        loudness: one.loudness,
        text: text.to_owned(),
    }
}

/// The messages whose source is in the directories that were read and that are not in `present`.
/// `texts` are searched, too, because a text may be passed to a printing call.
fn missing(
    tree: &Tree,
    patterns: &Patterns,
    mut present: BTreeSet<usize>,
    texts: &BTreeSet<String>,
) -> Vec<Missing> {
    let files = |source: &str| -> Vec<String> {
        cited(source).into_iter().map(|(file, _)| file.to_owned()).collect()
    };
    let rest = Catalogue::new(patterns, |message| !present.contains(&message));
    for line in texts.iter().flat_map(|text| lines(text)) {
        present.extend(rest.alike(&line).iter().map(|like| like.message));
    }
    let absent = patterns.messages.iter().enumerate().filter(|(at, _)| !present.contains(at));
    let of_tree = absent.map(|(_, message)| (message, files(&message.source)));
    let mut missing: Vec<Missing> = of_tree
        .filter(|(_, files)| !files.is_empty())
        .map(|(message, files)| Missing {
            message: message.id.clone(),
            source: message.source.clone(),
            has_file: tree.files.iter().any(|file| files.contains(&file.path)),
            kernel: message.kernel,
            is_expected: message.kernel.is_some_and(|range| !range.contains(tree.version)),
        })
        .collect();
    missing.sort_by(|one, other| (&one.source, &one.message).cmp(&(&other.source, &other.message)));
    missing
}
