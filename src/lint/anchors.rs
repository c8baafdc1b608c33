//! Kernel names that a signature cites without an anchor.

use super::{Issue, LintLevel, Spot};
use crate::pattern::Patterns;
use crate::pattern::citation::{Citation, citations, has_words};
use crate::pattern::signature::Signature;

/// The part of a URL of the kernel's repository before the file's path.
const TREE: &str = "/torvalds/linux.git/tree/";

pub(super) fn look(patterns: &Patterns, signature: &Signature, found: &mut Vec<Issue>) {
    let mut warn = |spot, what: String| {
        found.push(Issue::new(LintLevel::Warning, "no-anchor", &signature.id, spot, what));
    };
    for citation in signature.cited.iter().filter(|one| !is_anchored(patterns, signature, one)) {
        warn(Spot::Whole, sentence("a comment", citation));
    }
    for (name, spot, text) in texts(signature) {
        let all = citations(&text);
        for citation in all.iter().filter(|one| !is_anchored(patterns, signature, one)) {
            warn(spot, sentence(name, citation));
        }
    }
    for link in &signature.references {
        let Some((_, path)) = link.split_once(TREE) else { continue };
        let path = path.split(['?', '#']).next().unwrap_or(path);
        if !signature.anchors.iter().any(|anchor| anchor.files.iter().any(|file| file == path)) {
            let what = format!("a reference names {path}, and no anchor says what in it is meant");
            warn(Spot::Key("references"), what);
        }
    }
}

fn sentence(name: &str, citation: &Citation) -> String {
    let cited = match citation {
        Citation::Name(name) => name.clone(),
        Citation::Parameter(name) => format!("amdgpu.{name}"),
        Citation::Message(words) => format!("\"{words}\""),
    };
    format!("{name} cites {cited}, and no anchor says where it is")
}

/// All texts for users, with their location in the file.
fn texts(signature: &Signature) -> Vec<(&'static str, Spot, String)> {
    let text = &signature.text;
    let mut texts = vec![
        ("`title`", Spot::Key("title"), signature.title.clone()),
        ("`summary`", Spot::Key("text"), text.summary.words()),
        ("`explain`", Spot::Key("text"), text.explain.words()),
    ];
    let detail = text.detail.iter();
    texts.extend(detail.map(|one| ("`detail`", Spot::Key("text"), one.words())));
    let unsaid = signature.unsaid.iter().enumerate();
    texts.extend(
        unsaid.map(|(at, one)| ("this question", Spot::Table("unsaid", at), one.text.words())),
    );
    let reasons = signature.confidence.reasons.iter();
    texts.extend(reasons.map(|one| ("a `because`", Spot::Key("confidence"), one.because.clone())));
    let cases = signature.cause_if.iter().flat_map(|case| &case.candidates);
    let candidates = signature.candidates.iter().chain(cases);
    texts.extend(candidates.map(|one| ("`candidates`", Spot::Key("candidates"), one.clone())));
    let cases = signature.cause_if.iter().filter_map(|case| case.shown.as_ref());
    let shown = signature.shown.iter().chain(cases);
    texts.extend(shown.map(|one| ("`shown`", Spot::Key("cause"), one.words())));
    texts
}

/// Whether the name is in an anchor, a driver parameter, or a message of the catalogue; the latter
/// two have their own sources.
fn is_anchored(patterns: &Patterns, signature: &Signature, citation: &Citation) -> bool {
    let symbol =
        |is_it: &dyn Fn(&str) -> bool| signature.anchors.iter().any(|anchor| is_it(&anchor.symbol));
    match citation {
        Citation::Name(name) => symbol(&|symbol| symbol == name),
        Citation::Parameter(name) => {
            patterns.hardware.parameter(name).is_some() || symbol(&|symbol| symbol == name)
        }
        Citation::Message(words) => {
            let is_it = |text: &str| has_words(text, words);
            let of_message = patterns.messages.iter().any(|message| {
                message.formats().into_iter().any(is_it)
                    || message.samples.iter().any(|sample| is_it(sample))
            });
            of_message || symbol(&is_it)
        }
    }
}
