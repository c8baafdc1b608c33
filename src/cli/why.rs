//! `patterns explain`: why a signature was or was not reported for a log.

use super::args::{AnswerFormat, WhyArguments};
use super::failure::{Failure, PathAsked};
use super::logs::Inquiry;
use super::streams::{Destination, Streams};
use super::{Ending, choice, pages, patterns};
use crate::diagnosis::choice::Window;
use crate::diagnosis::verdict::Verdict;
use crate::diagnosis::why::why;
use crate::pattern::source::nearest;
use crate::report::ReportPart;
use crate::report::why::{self as page, Input};

pub(super) fn run(arguments: &WhyArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let answer = &arguments.answer;
    let to = Destination::of_answer(answer, &arguments.inputs.read())?;
    let patterns = patterns::loaded(&arguments.inputs.more.patterns)?;
    let id = &arguments.id;
    let found = patterns.signatures.iter().find(|signature| signature.id == *id);
    let signature = found.ok_or_else(|| {
        let ids = patterns.signatures.iter().map(|signature| signature.id.as_str());
        let near = nearest(id, ids).map(str::to_owned);
        PathAsked::Signature.of(id).unwrap_or(Failure::NoSignature { id: id.clone(), near })
    })?;
    let WhyArguments { inputs, quiet, .. } = arguments;
    let messages = &mut streams.messages;
    messages.set_quiet(quiet.quiet);
    let mut wanted = arguments.part.choice();
    let mut inquiry = Inquiry::read(inputs, &mut wanted, quiet.quiet, &patterns, messages)?;
    let mut windows = Vec::new();
    let keep = |_: &mut ReportPart, window| windows.push(window);
    inquiry.complete &= choice::within(&mut inquiry.parts, &wanted, messages, keep)?;
    inquiry.tell_what_is_no_log(inputs, messages);
    let windows = windows.into_iter().chain(std::iter::repeat(Window::default()));
    let of_use = inquiry.parts.iter().zip(windows);
    let of_use = of_use.filter(|(part, _)| part.verdict() != Verdict::NoKernelLog);
    let answers: Vec<Input<'_>> = of_use
        .map(|(part, window)| {
            let mut why = why(signature, &part.log, &patterns);
            why.held.retain(|held| window.shows(held.scope.boot(), part.log.at(&held.events)));
            Input { name: &part.name, log: &part.log, why }
        })
        .collect();
    let look = answer.look();
    streams.write_to(to, |out| match answer.format() {
        AnswerFormat::Page(format) => {
            pages::write(&page::document(&answers), format, quiet.quiet, look, out)
        }
        AnswerFormat::Json => page::json::write(signature, &answers, &patterns.digest, out),
    })?;
    Ok(Ending::of(inquiry.complete, false))
}
