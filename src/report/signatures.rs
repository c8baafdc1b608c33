//! Lists of the contents of pattern files: signatures, advice, event kinds.

use std::io;

use serde::Serialize;

use super::json::{self, Head};
use super::listing::write_columns;
use crate::document::untrusted::Untrusted;
use crate::kind::Kind;
use crate::pattern::Patterns;
use crate::pattern::advice::{Advice, Trust};
use crate::pattern::signature::{Layer, Role, Scope, Severity, Signature, Status};

/// Writes one line for each signature, sorted by id.
pub(crate) fn write(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    let row = |signature: &&Signature| {
        [
            signature.id.clone(),
            roles(signature).join(", "),
            signature.severity.name().to_owned(),
            layers(signature).join(", "),
            signature.status.name().to_owned(),
            if signature.fallback { "fallback" } else { signature.scope.name() }.to_owned(),
            Untrusted(&signature.title).to_string(),
        ]
    };
    let heads = ["id", "role", "severity", "layer", "status", "scope", "title"];
    write_columns(heads, sorted(patterns).iter().map(row), out)
}

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PatternsListLine"))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ListLine<'p> {
    /// A signature.
    Signature {
        /// Its stable name.
        id: &'p str,
        /// What it is called.
        title: &'p str,
        /// The parts that it can play, most likely first.
        role: &'p [Role],
        /// How bad it is.
        severity: Severity,
        /// Where the cause sits, most likely first.
        layer: &'p [Layer],
        /// How well it is proven.
        status: Status,
        /// What it is matched against.
        scope: Scope,
        /// Whether it only says what a line says, where no other signature knows more.
        fallback: bool,
    },
    /// A piece of advice.
    Advice {
        /// Its stable name.
        id: &'p str,
        /// What to do, in one line.
        summary: &'p str,
        /// How well it is founded.
        trust: Trust,
        /// On what it is founded.
        source: &'p str,
    },
    /// A kind of event.
    Kind {
        /// The kind.
        kind: Kind,
        /// What it reports.
        about: &'static str,
        /// The names of its fields.
        fields: Vec<&'static str>,
    },
    /// The last line.
    Summary {
        #[serde(flatten)]
        head: Head<'p>,
        /// How many lines stand before it.
        count: usize,
    },
}

/// Writes one object a line.
pub(crate) fn write_objects(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    fn line(signature: &Signature) -> ListLine<'_> {
        let Signature { id, title, roles, layers, .. } = signature;
        ListLine::Signature {
            id,
            title,
            role: roles,
            severity: signature.severity,
            layer: layers,
            status: signature.status,
            scope: signature.scope,
            fallback: signature.fallback,
        }
    }
    write_lines(sorted(patterns).into_iter().map(line), patterns, out)
}

fn write_lines<'p>(
    lines: impl ExactSizeIterator<Item = ListLine<'p>>,
    patterns: &'p Patterns,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let summary = ListLine::Summary { head: Head::new(&patterns.digest), count: lines.len() };
    lines.chain([summary]).try_for_each(|line| json::line(&line, out))
}

fn sorted(patterns: &Patterns) -> Vec<&Signature> {
    let mut all: Vec<&Signature> = patterns.signatures.iter().collect();
    all.sort_by_key(|signature| &signature.id);
    all
}

fn roles(signature: &Signature) -> Vec<&'static str> {
    signature.roles.iter().map(|role: &Role| role.name()).collect()
}

fn layers(signature: &Signature) -> Vec<&'static str> {
    signature.layers.iter().map(|layer: &Layer| layer.name()).collect()
}

/// Writes one line for each piece of advice, sorted by id.
pub(crate) fn write_advice(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    let row = |advice: &&Advice| {
        let summary = Untrusted(&advice.summary).to_string();
        [advice.id.clone(), advice.trust.name().to_owned(), summary]
    };
    write_columns(["id", "trust", "summary"], sorted_advice(patterns).iter().map(row), out)
}

/// Writes one object for each piece of advice.
pub(crate) fn write_advice_objects(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    fn line(Advice { id, summary, trust, source, .. }: &Advice) -> ListLine<'_> {
        ListLine::Advice { id, summary, trust: *trust, source }
    }
    write_lines(sorted_advice(patterns).into_iter().map(line), patterns, out)
}

fn sorted_advice(patterns: &Patterns) -> Vec<&Advice> {
    let mut all: Vec<&Advice> = patterns.advice.iter().collect();
    all.sort_by_key(|advice| &advice.id);
    all
}

/// Writes one line for each event kind, in the order of the catalogue.
pub(crate) fn write_kinds(out: &mut dyn io::Write) -> io::Result<()> {
    let row = |kind: &Kind| [kind.name().to_owned(), kind.about().to_owned()];
    write_columns(["kind", "means"], Kind::ALL.iter().map(row), out)
}

/// Writes one object for each event kind.
pub(crate) fn write_kind_objects(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    let line = |kind: &Kind| ListLine::Kind {
        kind: *kind,
        about: kind.about(),
        fields: kind.fields().iter().map(|field| field.name).collect(),
    };
    write_lines(Kind::ALL.iter().map(line), patterns, out)
}
