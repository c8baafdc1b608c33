//! Lists of the contents of pattern files: signatures, advice, event kinds.

use std::io;

use serde::Serialize;

use super::json::{self, Head};
use crate::document::{Column, Table, Text};
use crate::kind::Kind;
use crate::pattern::Patterns;
use crate::pattern::advice::{Advice, Trust};
use crate::pattern::signature::{Layer, Role, Scope, Severity, Signature, Status};

/// A list of words.
fn table<const N: usize>(
    name: &str,
    columns: [Column; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> Table {
    let rows = rows.into_iter().map(|row| row.map(Text::from).to_vec());
    Table::of_lines(name, columns, rows)
}

/// One row for each signature, sorted by id.
pub(crate) fn signatures(patterns: &Patterns) -> Table {
    let row = |signature: &Signature| {
        [
            signature.id.clone(),
            roles(signature).join(", "),
            signature.severity.name().to_owned(),
            layers(signature).join(", "),
            signature.status.name().to_owned(),
            if signature.fallback { "fallback" } else { signature.scope.name() }.to_owned(),
            signature.title.clone(),
        ]
    };
    let columns = [
        Column::words("Id"),
        Column::words("Role").spare(),
        Column::words("Severity"),
        Column::words("Layer").spare(),
        Column::words("Status").spare(),
        Column::words("Scope").spare(),
        Column::words("Title"),
    ];
    table("Signatures", columns, sorted(patterns).into_iter().map(row))
}

/// One row for each piece of advice, sorted by id.
pub(crate) fn advice(patterns: &Patterns) -> Table {
    let row = |advice: &Advice| {
        [advice.id.clone(), advice.trust.name().to_owned(), advice.summary.clone()]
    };
    table(
        "Advice",
        ["Id", "Trust", "Summary"].map(Column::words),
        sorted_advice(patterns).into_iter().map(row),
    )
}

/// One row for each event kind, in the order of the catalogue.
pub(crate) fn kinds() -> Table {
    let row = |kind: &Kind| vec![kind.name().into(), Text::marked(kind.about())];
    let columns = ["Kind", "Meaning"].map(Column::words);
    Table::of_lines("Event kinds", columns, Kind::ALL.iter().map(row))
}

/// One line.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PatternsListLine"))]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ListLine<'p> {
    /// A signature.
    Signature {
        /// The stable identifier.
        id: &'p str,
        /// The title.
        title: &'p str,
        /// The parts that it can play, most likely first.
        role: &'p [Role],
        /// The severity.
        severity: Severity,
        /// The layers in which the cause may be, most likely first.
        layer: &'p [Layer],
        /// How well it is proven.
        status: Status,
        /// The scope: what it is matched against.
        scope: Scope,
        /// Whether it only restates a line, and is used if no other signature matches.
        fallback: bool,
    },
    /// A piece of advice.
    Advice {
        /// The stable identifier.
        id: &'p str,
        /// The action in one line.
        summary: &'p str,
        /// How well it is founded.
        trust: Trust,
        /// The source of the advice.
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
        /// The number of preceding lines.
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

/// Writes one object for each event kind.
pub(crate) fn write_kind_objects(patterns: &Patterns, out: &mut dyn io::Write) -> io::Result<()> {
    let line = |kind: &Kind| ListLine::Kind {
        kind: *kind,
        about: kind.about(),
        fields: kind.fields().iter().map(|field| field.name).collect(),
    };
    write_lines(Kind::ALL.iter().map(line), patterns, out)
}
