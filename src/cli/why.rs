//! `patterns explain`: why a signature was, or was not, said of a log.

use super::args::{Format, WhyArguments};
use super::failure::Failure;
use super::logs::Inquiry;
use super::streams::Streams;
use super::{Ending, patterns, settings};
use crate::diagnosis::choice::Choice;
use crate::diagnosis::verdict::Verdict;
use crate::diagnosis::why::why;
use crate::document::terminal;
use crate::pattern::source::nearest;
use crate::report::why::{self as page, Input};

pub(super) fn run(arguments: &WhyArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let patterns = patterns::loaded(&arguments.inputs.patterns)?;
    let id = &arguments.id;
    let found = patterns.signatures.iter().find(|signature| signature.id == *id);
    let signature = found.ok_or_else(|| {
        let ids = patterns.signatures.iter().map(|signature| signature.id.as_str());
        Failure::NoSignature { id: id.clone(), near: nearest(id, ids).map(str::to_owned) }
    })?;
    let (inputs, messages) = (&arguments.inputs, &mut streams.messages);
    let mut inquiry = Inquiry::read(inputs, &mut Choice::default(), false, &patterns, messages)?;
    inquiry.tell_what_is_no_log(inputs, messages);
    let of_use = inquiry.parts.iter().filter(|part| part.verdict() != Verdict::NoKernelLog);
    let answers: Vec<Input<'_>> = of_use
        .map(|part| Input {
            name: &part.name,
            log: &part.log,
            why: why(signature, &part.log, &patterns),
        })
        .collect();
    streams.write(|out| match arguments.format {
        Format::Json => page::json::write(signature, &answers, &patterns.digest, out),
        Format::Human => {
            terminal::write(&page::document(&answers), settings::look(arguments.color), out)
        }
    })?;
    Ok(Ending::of(inquiry.complete, false))
}
