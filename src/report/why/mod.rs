//! The result of `patterns explain`: why a signature was or was not reported for a log.

pub(crate) mod json;
mod words;

use super::explain::words::condition;
use super::time::moment;
use super::words::tone;
use crate::diagnosis::why::{
    Answer, Evaluation, Explanation, MatchScope, Matched, Shown, StepAnswer, StepState,
    UnanchoredMatches,
};
use crate::document::counts::{joined, lines, several, sign};
use crate::document::{Block, Document, Fact, Section, Text, prose, section};
use crate::event::log::Log;
use crate::pattern::signature::{Scope, Signature};

/// The result for one input.
#[derive(Debug)]
pub(crate) struct Input<'l> {
    /// The name of the input.
    pub name: &'l str,
    /// The log that was read from it.
    pub log: &'l Log,
    /// Why the signature was or was not reported.
    pub why: Explanation<'l>,
}

/// The results as a document.
pub(crate) fn document(inputs: &[Input<'_>]) -> Document {
    let name = inputs.first().map_or("", |input| &*input.why.signature.id);
    let title = inputs.first().map(|input| {
        let signature = input.why.signature;
        let id = Text::code(&*signature.id).and(": ");
        prose(id.and(Text::toned(tone(signature.severity), &*signature.title)))
    });
    let several = inputs.len() > 1;
    let each = inputs.iter().flat_map(|input| {
        let blocks = answers(&input.why, input.log);
        if several { vec![Section::new(input.name, blocks).into()] } else { blocks }
    });
    Document::new(name, title.into_iter().chain(each).collect())
}

fn answers(why: &Explanation<'_>, log: &Log) -> Vec<Block> {
    let signature = why.signature;
    let loose = why.unanchored.iter().flat_map(|loose| nothing(signature, loose, log));
    let held = why.held.iter().map(|held| self::held(held, signature, log));
    let (all, matched) = (why.more.all, why.more.matched);
    let more = (all > 0)
        .then(|| prose(format!("{all} more are not shown; it matches in {matched} of them.")));
    loose.chain(held).chain(more).collect()
}

/// A name with sentences next to it.
fn named_facts(name: &str, texts: Vec<String>) -> impl Iterator<Item = Fact> + use<> {
    let names = std::iter::once(name.to_owned()).chain(std::iter::repeat(String::new()));
    names.zip(texts).map(|(name, text)| Fact::new(name, text)).collect::<Vec<_>>().into_iter()
}

/// The result for a log without anything to match the signature with.
fn nothing(signature: &Signature, loose: &[UnanchoredMatches<'_>], log: &Log) -> Vec<Block> {
    let what = if signature.scope == Scope::Boot { "event" } else { "incident" };
    let facts = loose.iter().flat_map(|one| {
        let kinds = words::kinds(&one.step.wanted);
        let mut texts = vec![match (one.of_kind, one.fitting) {
            (0, _) => format!("none: no {kinds} event"),
            (all, 0) => format!("none: {} of {kinds}, with other fields", several(all, "event")),
            (_, fitting) => several(fitting, "event"),
        }];
        texts.extend(one.examples.iter().map(|seen| words::seen(seen, log)));
        named_facts(&one.step.name, texts)
    });
    let title = "Events of the log that would fit its steps";
    vec![
        prose(format!("does not match: there is no {what} in this log")),
        Section::new(title, vec![Block::Facts(facts.collect())]).into(),
    ]
}

fn held(held: &Evaluation<'_>, signature: &Signature, log: &Log) -> Block {
    let steps = held.steps.iter();
    let steps = steps.flat_map(|answer| named_facts(&answer.step.name, step(answer, held, log)));
    let nevers = held.nevers.iter();
    let nevers =
        nevers.flat_map(|answer| named_facts(&answer.never.name, words::never(answer, log)));
    let gpu = Fact::new("GPU", words::applicability(held, signature));
    let mut body = vec![
        prose(words::answer(held, signature, log)),
        Block::Facts(vec![gpu]),
        Section::new("Steps", vec![Block::Facts(steps.collect())]).into(),
    ];
    body.extend(section("What must not occur", vec![Block::Facts(nevers.collect())]));
    if let Answer::Matches(matched) = &held.answer {
        body.append(&mut matched_parts(matched, signature));
    }
    Section::new(ground(held, log), body).into()
}

fn matched_parts(matched: &Matched, signature: &Signature) -> Vec<Block> {
    let word = Fact::new("word", words::certainty(matched, signature));
    let reasons = matched.reasons.iter().map(|(reason, counted)| {
        let when = condition(&reason.when);
        let text = match *counted {
            true if reason.because == when => when,
            true => format!("{} ({when})", reason.because),
            false => format!("does not apply: {when}"),
        };
        Fact::new(sign(reason.by), text)
    });
    let certainty = [word].into_iter().chain(reasons).collect();
    let before = match &matched.shown {
        Shown::Diagnosis { before, .. } => before.as_slice(),
        _ => &[],
    };
    let before = before.iter().map(|one| Fact::new(&*one.id, words::before(one))).collect();
    let actions = matched.actions.iter();
    let actions = actions.map(|one| Fact::new(&*one.advice, words::action(one))).collect();
    [("Certainty", certainty), ("What ranks before it", before), ("Actions", actions)]
        .into_iter()
        .filter_map(|(title, facts)| section(title, vec![Block::Facts(facts)]))
        .collect()
}

/// The incident or boot.
fn ground(held: &Evaluation<'_>, log: &Log) -> String {
    let events = || held.events.iter().map(|at| &log.events[*at]);
    let first = events().map(crate::event::Observed::line).min();
    let last = events().map(crate::event::Observed::last_line).max();
    let lines = first.zip(last).map(|(first, last)| lines(first, last));
    let time = events().next().and_then(|observed| moment(&observed.stamp));
    let device = held.scope.device();
    let device = device.map_or_else(|| "no GPU named".to_owned(), |device| format!("GPU {device}"));
    let name = match &held.scope {
        MatchScope::Incident { number: Some(number), .. } => format!("Incident {number}"),
        MatchScope::Incident { number: None, .. } => "A requested reset".to_owned(),
        MatchScope::Boot { boot, .. } => format!("Boot {boot}"),
    };
    let outcome = match &held.scope {
        MatchScope::Incident { incident, .. } => {
            Some(format!("outcome {}", incident.outcome.name()))
        }
        MatchScope::Boot { .. } => None,
    };
    let time = time.map(|time| format!("at {time}"));
    let facts = [lines, Some(device), time, outcome].into_iter().flatten();
    format!("{name}: {}", joined(facts, ", "))
}

/// The result for a step.
fn step(answer: &StepAnswer<'_>, held: &Evaluation<'_>, log: &Log) -> Vec<String> {
    let step = answer.step;
    let more =
        |times: usize, shown: usize| (times > shown).then(|| format!("and {} more", times - shown));
    match &answer.state {
        StepState::Found { times, examples } => {
            let mut texts: Vec<String> = examples.iter().map(|one| words::seen(one, log)).collect();
            if let Some(first) = texts.first_mut() {
                *first = format!("found: {first}");
            }
            texts.extend(more(*times, examples.len()));
            texts
        }
        StepState::Missing(missing) => {
            let not = if step.optional { "not found (optional)" } else { "missing" };
            let mut texts = vec![format!("{not}: {}", words::missing(missing, held, step, log))];
            texts.extend(words::more(missing, log));
            texts
        }
        StepState::NotAsked { fitting: 0, .. } => {
            vec![format!("not checked; no {} event fits", words::kinds(&step.wanted))]
        }
        StepState::NotAsked { fitting, examples } => {
            let mut texts = vec![format!("not checked; {} would fit", several(*fitting, "event"))];
            texts.extend(examples.iter().map(|one| words::seen(one, log)));
            texts
        }
    }
}
