//! Lists of what the pattern files hold: signatures, advice, kinds of events.

use std::io;

use serde::Serialize;

use super::json;
use super::listing::write_columns;
use super::untrusted::Untrusted;
use crate::kind::Kind;
use crate::pattern::Patterns;
use crate::pattern::advice::Advice;
use crate::pattern::signature::{Layer, Role, Signature};

/// Writes one line a signature, in the order of their ids.
///
/// # Errors
/// What the writer returns.
pub fn write(patterns: &Patterns, out: &mut impl io::Write) -> io::Result<()> {
    let row = |signature: &&Signature| {
        [
            signature.id.clone(),
            roles(signature).join(", "),
            signature.severity.name().to_owned(),
            layers(signature).join(", "),
            signature.status.name().to_owned(),
            signature.scope.name().to_owned(),
            Untrusted(&signature.title).to_string(),
        ]
    };
    let heads = ["id", "role", "severity", "layer", "status", "scope", "title"];
    write_columns(heads, sorted(patterns).iter().map(row), out)
}

#[derive(Serialize)]
struct Object<'p> {
    id: &'p str,
    title: &'p str,
    role: Vec<&'static str>,
    severity: &'static str,
    layer: Vec<&'static str>,
    status: &'static str,
    scope: &'static str,
}

/// Writes one object a line.
///
/// # Errors
/// What the writer returns.
pub fn write_objects(patterns: &Patterns, out: &mut impl io::Write) -> io::Result<()> {
    sorted(patterns).into_iter().try_for_each(|signature| {
        let object = Object {
            id: &signature.id,
            title: &signature.title,
            role: roles(signature),
            severity: signature.severity.name(),
            layer: layers(signature),
            status: signature.status.name(),
            scope: signature.scope.name(),
        };
        json::line(&object, out)
    })
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

/// Writes one line a piece of advice, in the order of their ids.
///
/// # Errors
/// What the writer returns.
pub fn write_advice(patterns: &Patterns, out: &mut impl io::Write) -> io::Result<()> {
    let row = |advice: &&Advice| {
        let summary = Untrusted(&advice.summary).to_string();
        [advice.id.clone(), advice.trust.name().to_owned(), summary]
    };
    write_columns(["id", "trust", "summary"], sorted_advice(patterns).iter().map(row), out)
}

#[derive(Serialize)]
struct AdviceObject<'p> {
    id: &'p str,
    summary: &'p str,
    trust: &'static str,
    source: &'p str,
}

/// Writes one object a piece of advice.
///
/// # Errors
/// What the writer returns.
pub fn write_advice_objects(patterns: &Patterns, out: &mut impl io::Write) -> io::Result<()> {
    sorted_advice(patterns).into_iter().try_for_each(|advice| {
        let Advice { id, summary, trust, source, .. } = advice;
        json::line(&AdviceObject { id, summary, trust: trust.name(), source }, out)
    })
}

fn sorted_advice(patterns: &Patterns) -> Vec<&Advice> {
    let mut all: Vec<&Advice> = patterns.advice.iter().collect();
    all.sort_by_key(|advice| &advice.id);
    all
}

/// Writes one line a kind of event, in the order of the catalogue.
///
/// # Errors
/// What the writer returns.
pub fn write_kinds(out: &mut impl io::Write) -> io::Result<()> {
    let row = |kind: &Kind| [kind.name().to_owned(), kind.about().to_owned()];
    write_columns(["kind", "means"], Kind::ALL.iter().map(row), out)
}

#[derive(Serialize)]
struct KindObject {
    kind: &'static str,
    about: &'static str,
    fields: Vec<&'static str>,
}

/// Writes one object a kind of event.
///
/// # Errors
/// What the writer returns.
pub fn write_kind_objects(out: &mut impl io::Write) -> io::Result<()> {
    Kind::ALL.iter().try_for_each(|kind| {
        let fields = kind.fields().iter().map(|field| field.name).collect();
        json::line(&KindObject { kind: kind.name(), about: kind.about(), fields }, out)
    })
}
