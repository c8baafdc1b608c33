//! `decode`: what a value from a log means.

use std::ffi::OsString;

use super::args::{AnswerFormat, DecodeArguments};
use super::failure::{Failure, PathAsked};
use super::streams::{Destination, Streams};
use super::{Ending, pages, patterns};
use crate::decode::{Context, Unknown, readings};
use crate::report::decode;

/// Removes the sign of error names after `decode` and `explain`: `-ETIME` is the notation of the kernel's source,
/// and not a series of short options.
pub(super) fn without_signs(
    arguments: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    let mut behind = false;
    arguments.into_iter().enumerate().map(move |(index, argument)| {
        let Some(text) = argument.to_str() else { return argument };
        behind |= index == 1 && ["decode", "explain"].contains(&text);
        let name = text.strip_prefix("-E").filter(|_| behind);
        let is_name = |rest: &&str| {
            rest.len() > 1 && rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
        };
        match name.filter(is_name) {
            Some(rest) => format!("E{rest}").into(),
            None => argument,
        }
    })
}

/// Runs the command.
pub(super) fn run(
    arguments: &DecodeArguments,
    streams: &mut Streams<'_>,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.more.patterns)?;
    let text = arguments.value.join(" ");
    let context = Context {
        hardware: &patterns.hardware,
        silicon: arguments.gfx.map(Into::into).unwrap_or_default(),
        kernel: arguments.kernel,
        hub: arguments.hub.map(Into::into),
        register: arguments.register.as_deref(),
    };
    let found = readings(&text, arguments.kind, &context).map_err(|unknown| {
        let value = text.clone();
        match unknown {
            Unknown::Value => {
                PathAsked::Decode.of(&value).unwrap_or(Failure::Undecodable { value, kind: None })
            }
            Unknown::OfKind(kind) => Failure::Undecodable { value, kind: Some(kind.name()) },
            Unknown::NotOnChip(kind) => Failure::NotOnChip { value, kind: kind.name() },
        }
    })?;
    let DecodeArguments { answer, quiet, .. } = arguments;
    let to = Destination::of_answer(answer, &[])?;
    let look = answer.look();
    streams.write_to(to, |out| match answer.format() {
        AnswerFormat::Page(format) => {
            pages::write(&decode::document(&found), format, *quiet, look, out)
        }
        AnswerFormat::Json => decode::write_json(&text, &found, &patterns.digest, out),
    })?;
    Ok(Ending::Fine)
}
