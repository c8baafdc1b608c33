//! `patterns explain`: why a signature was, or was not, said of a log.

use std::io::Write;

use super::args::{Format, WhyArguments};
use super::failure::Failure;
use super::{Ending, Inquiry, parts, patterns, settings, tell};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::verdict::Verdict;
use crate::diagnosis::why::why;
use crate::pattern::source::nearest;
use crate::report::why::{self as page, Input};

pub(super) fn run(
    arguments: &WhyArguments,
    out: &mut impl Write,
    messages: &mut impl Write,
) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.inputs.patterns)?;
    let id = &arguments.id;
    let found = patterns.signatures.iter().find(|signature| signature.id == *id);
    let signature = found.ok_or_else(|| {
        let ids = patterns.signatures.iter().map(|signature| signature.id.as_str());
        Failure::NoSignature { id: id.clone(), near: nearest(id, ids).map(str::to_owned) }
    })?;
    let Inquiry { parts, mut complete, .. } =
        parts(&arguments.inputs, &mut Choice::default(), false, &patterns, messages)?;
    for part in parts.iter().filter(|part| part.verdict() == Verdict::NoKernelLog) {
        complete = false;
        let said = arguments.inputs.input_format.is_some();
        tell(&Failure::NoKernelLog { name: part.name.clone(), said }, messages);
    }
    let of_use = parts.iter().filter(|part| part.verdict() != Verdict::NoKernelLog);
    let answers: Vec<Input<'_>> = of_use
        .map(|part| Input {
            name: &part.name,
            log: &part.log,
            why: why(signature, &part.log, &patterns),
        })
        .collect();
    let written = match arguments.format {
        Format::Json => page::json::write(signature, &answers, &patterns.digest, out),
        Format::Human => page::write(&answers, settings::look(arguments.color, false, false), out),
    };
    written.and_then(|()| out.flush()).map_err(Failure::Output)?;
    Ok(if complete { Ending::Fine } else { Ending::CouldNot })
}
