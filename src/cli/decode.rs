//! `decode`: what a value out of a log means.

use std::ffi::OsString;
use std::io::Write;

use super::args::{DecodeArguments, DecodeFormat};
use super::failure::Failure;
use super::{Ending, patterns, settings};
use crate::decode::{Context, Unknown, readings};
use crate::report::decode;

/// Takes the sign off names of errors behind `decode`: `-ETIME` is how the kernel's source writes
/// one, and no row of short options.
pub(super) fn without_signs(
    arguments: impl IntoIterator<Item = OsString>,
) -> impl Iterator<Item = OsString> {
    let mut behind = false;
    arguments.into_iter().enumerate().map(move |(index, argument)| {
        let Some(text) = argument.to_str() else { return argument };
        behind |= index == 1 && text == "decode";
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

/// Says what the value can be.
pub(super) fn run(arguments: &DecodeArguments, out: &mut impl Write) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.patterns)?;
    let text = arguments.value.join(" ");
    let context = Context {
        hardware: &patterns.hardware,
        silicon: arguments.gfx.map(Into::into).unwrap_or_default(),
        kernel: arguments.kernel,
        hub: arguments.hub.map(Into::into),
        register: arguments.register.as_deref(),
    };
    let found = readings(&text, arguments.kind, &context).map_err(|unknown| {
        let kind = match unknown {
            Unknown::Value => None,
            Unknown::OfKind(kind) => Some(kind.name()),
        };
        Failure::Undecodable { value: text.clone(), kind }
    })?;
    let written = match arguments.format {
        DecodeFormat::Json => decode::write_json(&text, &found, out),
        DecodeFormat::Human => {
            let look = settings::look(arguments.color, false, false);
            decode::write(&found, look, out)
        }
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(Ending::Fine)
}
