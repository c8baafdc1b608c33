//! The list of signatures.

use std::io;

use serde::Serialize;

use super::json;
use super::listing::write_columns;
use super::untrusted::Untrusted;
use crate::pattern::Patterns;
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
