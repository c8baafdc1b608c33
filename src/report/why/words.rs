//! Describes the results of [`crate::diagnosis::why`] in words.

use crate::diagnosis::action::ActionStatus;
use crate::diagnosis::sequence::Absence;
use crate::diagnosis::why::{
    ActionAnswer, Ahead, Answer, Before, Differing, Displaced, Elsewhere, Evaluation, First,
    Hindrance, Inconclusive, MatchScope, Matched, Missing, Near, NeverAnswer, NeverState, Seen,
    Shown, StepAnswer, StepState, Whereabouts,
};
use crate::document::counts::{distinct, exact, joined, lines, several, shortened};
use crate::event::log::Log;
use crate::kind::Kind;
use crate::pattern::constraint::{Condition, Test};
use crate::pattern::signature::{EventMatcher, IfUnknown, Signature, Step};
use crate::report::explain::words::{applies, choice, condition, kernels, listed, range, window};
use crate::value::{DeviceKind, Micros, Named};

/// The kinds of an event, `reset-begin or reset-end`.
pub(super) fn kinds(wanted: &EventMatcher) -> String {
    distinct(wanted.all_kinds().into_iter().map(Kind::name)).join(" or ")
}

fn line(log: &Log, event: usize) -> String {
    format!("line {}", log.events[event].line())
}

/// `line 3: GPU reset begin!`, with the examined fields.
pub(super) fn seen(seen: &Seen, log: &Log) -> String {
    let observed = &log.events[seen.event];
    let fields = values(&seen.fields);
    let fields = if fields.is_empty() { fields } else { format!(" ({fields})") };
    let lines = lines(observed.first_line(), observed.last_line());
    format!("{lines}: {}{fields}", observed.text.trim())
}

/// `ring is sdma0, pid is not told`.
fn values(fields: &[(String, Option<String>)]) -> String {
    let told = |(name, value): &(String, Option<String>)| match value {
        Some(value) => format!("{name} is {}", Named(&short(value))),
        None => format!("{name} is missing"),
    };
    joined(fields.iter().map(told), ", ")
}

/// The beginning of a long value, such as a stack.
fn short(value: &str) -> String {
    shortened(value, 60)
}

/// What is searched for a step: an incident or a boot.
const fn place(held: &Evaluation<'_>, step: &Step) -> &'static str {
    match held.scope {
        MatchScope::Incident { .. } if !step.whole_boot => "in this incident",
        MatchScope::Incident { .. } | MatchScope::Boot { .. } => "of this GPU in this boot",
    }
}

/// The result for one incident or boot in a sentence, the first reason first.
pub(super) fn answer(held: &Evaluation<'_>, signature: &Signature, log: &Log) -> String {
    match &held.answer {
        Answer::Matches(matched) => {
            format!("matches, {}: {}", matched.certainty, shown(&matched.shown))
        }
        Answer::No(First::OtherGpu) => {
            format!(
                "does not match: it is for {}, and this is {}",
                applies(&signature.applies),
                chip(held)
            )
        }
        Answer::No(First::Step(index)) => {
            let StepAnswer { step, state, .. } = &held.steps[*index];
            let StepState::Missing(what) = state else {
                unreachable!("the step that decides is one that is missing")
            };
            let missing = missing(what, held, step, log);
            format!("does not match: step `{}` is missing: {missing}", step.name)
        }
        Answer::No(First::Never(index)) => {
            let refuted = held.nevers.get(*index).map(|never| refuted(never, log));
            format!("does not match: {}", refuted.unwrap_or_default())
        }
        Answer::No(First::GaveUp) => "not evaluated: too many events to compare".to_owned(),
    }
}

/// How it is known, and why not with more certainty.
pub(super) fn certainty(matched: &Matched, signature: &Signature) -> String {
    let (word, whole) = (matched.certainty, signature.certainty);
    if word == whole {
        return word.to_string();
    }
    let conditions = joined(signature.less_certain.iter().map(condition), ", or ");
    format!("{word} instead of {whole}, because {conditions}")
}

fn shown(shown: &Shown) -> String {
    match shown {
        Shown::Silenced(by) => {
            format!("but suppressed, because {} matches as well", by.join(" and "))
        }
        Shown::Diagnosis { role, rank, of, .. } => {
            format!("diagnosis {rank} of {of} of this incident, as {}", role.name())
        }
        Shown::Notice { benign: false } => "shown as a notice".to_owned(),
        Shown::Notice { benign: true } => "a notice, shown with --all".to_owned(),
        Shown::NotAskedFor => {
            "but not shown, because this is a failure and not a requested reset".to_owned()
        }
        Shown::Granted => {
            "but not shown, because this reset was requested and succeeded".to_owned()
        }
        Shown::SaidAlready => {
            "but not shown, because an incident of this GPU already has it".to_owned()
        }
    }
}

/// Why a never excludes the match.
fn refuted(answer: &NeverAnswer<'_>, log: &Log) -> String {
    let never = answer.never;
    let limit = window(&never.window);
    match &answer.judged {
        Some(NeverState { by: Some(by), .. }) => format!(
            "`{}` must not occur{}, but it occurred at {}",
            never.name,
            limit.trim_start_matches(','),
            line(log, by.event)
        ),
        Some(state) => format!(
            "unknown whether `{}` occurred: {}; {}",
            never.name,
            inconclusive(state),
            what_then(state, &never.unknown)
        ),
        None => format!("`{}` occurred", never.name),
    }
}

/// The result for a never.
pub(super) fn never(answer: &NeverAnswer<'_>, log: &Log) -> Vec<String> {
    let demand = format!("{}{}", kinds(&answer.never.wanted), window(&answer.never.window));
    let Some(state) = &answer.judged else {
        return vec![format!("not checked: {demand}")];
    };
    match (state.absence, &state.by, state.anchor) {
        (_, Some(by), _) => vec![format!("occurred: {demand}"), seen(by, log)],
        (Absence::Shown | Absence::Refuted, None, None) => {
            vec![format!("absent, because its step did not match: {demand}")]
        }
        (Absence::Unknown, ..) => vec![
            format!("unknown: {demand}"),
            format!("{}; {}", inconclusive(state), what_then(state, &answer.never.unknown)),
        ],
        (Absence::Shown | Absence::Refuted, None, Some(_)) => {
            let on = state.seen.map(|span| format!("; the log goes on for {}", exact(span)));
            vec![format!("absent: {demand}{}", on.unwrap_or_default())]
        }
    }
}

fn inconclusive(state: &NeverState) -> String {
    let on = state.seen.map(|span| format!(" {} later", exact(span))).unwrap_or_default();
    match state.inconclusive {
        Some(Inconclusive::Filtered) => "the log was filtered".to_owned(),
        Some(Inconclusive::Ends) => format!("the log ends{on}, too early"),
        Some(Inconclusive::Broken) => "lines are missing from the log".to_owned(),
        Some(Inconclusive::BeginsLate) => "the log begins too late".to_owned(),
        Some(Inconclusive::NoPlace) => "it is tied to no step".to_owned(),
        None => "the log does not show it".to_owned(),
    }
}

fn what_then(state: &NeverState, unknown: &IfUnknown) -> String {
    match (unknown, state.bearable) {
        (IfUnknown::Accept, _) => "the signature can still match".to_owned(),
        (IfUnknown::Reject, _) => "the signature then does not match".to_owned(),
        (IfUnknown::Needs(step), true) => {
            format!("the signature still matches because step `{step}` did")
        }
        (IfUnknown::Needs(step), false) => {
            format!("the signature then needs step `{step}`, which did not match")
        }
    }
}

/// Why a step did not match, in one sentence.
pub(super) fn missing(missing: &Missing, held: &Evaluation<'_>, step: &Step, log: &Log) -> String {
    match missing {
        Missing::NoEvent { .. } => {
            format!("no {} event {}", kinds(&step.wanted), place(held, step))
        }
        Missing::Differs { of_kind, near } => {
            let one = match lacking(near) {
                Some(field) => Some(without_field(field, *of_kind, near, log)),
                None => near.first().map(|near| differs(near, log)),
            };
            let one = one.map(|one| format!(", but {one}"));
            let kinds = kinds(&step.wanted);
            let events = several(*of_kind, &format!("{kinds} event"));
            format!("{events} {}{}", place(held, step), one.unwrap_or_default())
        }
        Missing::Displaced { fitting, how, anchor, near } => {
            let by =
                anchor.as_ref().map(|(name, at)| format!("step `{name}` ({})", line(log, *at)));
            displaced(*fitting, how, &by.unwrap_or_default(), near, log)
        }
        Missing::NoAnchor(name) => format!("it is tied to step `{name}`, which did not match"),
    }
}

/// The field that all the nearest events lack, if that is all that is wrong with them.
fn lacking(near: &[Differing]) -> Option<&str> {
    let name = lacking_alone(near.first()?)?;
    near.iter().all(|one| lacking_alone(one) == Some(name)).then_some(name)
}

/// The field that an event lacks, if nothing else is wrong with it.
fn lacking_alone(one: &Differing) -> Option<&str> {
    match one.fields.as_slice() {
        [(name, None, _)] => Some(name),
        _ => None,
    }
}

/// `the field pipe is missing from lines 29, 31, 33; 2 more differ as well`.
fn without_field(field: &str, of_kind: usize, near: &[Differing], log: &Log) -> String {
    let numbers = joined(near.iter().map(|one| log.events[one.event].line()), ", ");
    let lines = if near.len() == 1 { "line" } else { "lines" };
    let more = match of_kind.saturating_sub(near.len()) {
        0 => String::new(),
        1 => "; 1 more differs as well".to_owned(),
        more => format!("; {more} more differ as well"),
    };
    format!("the field `{field}` is missing from {lines} {numbers}{more}")
}

/// `vmid was 0 instead of from 1 to 7 (line 7)`.
pub(super) fn differs(near: &Differing, log: &Log) -> String {
    let each = near.fields.iter().map(|(name, value, test)| {
        let Some(value) = value.as_deref().map(|value| Named(&short(value)).to_string()) else {
            return format!("{name} is missing");
        };
        match test {
            Test::IsNot(_) => format!("{name} was {value}, which it must not be"),
            _ => format!("{name} was {value} instead of {}", instead(test)),
        }
    });
    format!("{} ({})", joined(each, " and "), line(log, near.event))
}

/// The value that a field should have had.
fn instead(test: &Test) -> String {
    match test {
        Test::Is(operands) => choice(operands),
        Test::Maybe(operands) => format!("{} or missing", choice(operands)),
        Test::IsNot(operands) => format!("anything but {}", listed(operands)),
        Test::Between(min, max) => range(*min, *max),
        Test::Length(min, max) => format!("a list whose length is {}", range(*min, *max)),
        Test::Known(true) => "any value".to_owned(),
        Test::Known(false) => "missing".to_owned(),
        Test::Fits(expression) => format!("a match of /{}/", expression.text()),
        Test::Misfits(expression) => format!("no match of /{}/", expression.text()),
    }
}

fn displaced(fitting: usize, how: &Displaced, by: &str, near: &[Near], log: &Log) -> String {
    let first = near.first();
    let at = first.map(|near| format!(" ({})", line(log, near.seen.event))).unwrap_or_default();
    let fit = if fitting == 1 { "1 event fits" } else { "events fit" };
    let count = if fitting == 1 { String::new() } else { format!("{fitting} ") };
    let off = first.map(|near| format!(": {}", distance(near))).unwrap_or_default();
    match how {
        Displaced::Order { before } => {
            let side = if *before { "before" } else { "after" };
            format!("{count}{fit}{at}, but not {side} {by}{off}")
        }
        Displaced::TooFar { limit } => {
            format!("{count}{fit}{at}, but not within {} of {by}{off}", exact(*limit))
        }
        Displaced::NotSame(same) => {
            let names = joined(same.iter().map(|(name, _)| name), " and ");
            let theirs = first.map(|near| values(&near.seen.fields)).unwrap_or_default();
            format!(
                "{count}{fit}{at}, but not with the same {names} as {by}: {theirs}, there {}",
                values(same)
            )
        }
        Displaced::TooFew { found, wanted } => {
            let within = wanted.within.map(|limit| format!(" within {}", exact(limit)));
            let within = within.unwrap_or_default();
            format!("{found} of the {} events required{within}", wanted.min)
        }
    }
}

/// `the first is 7.2 s after it`.
fn distance(near: &Near) -> String {
    let side = match near.behind {
        Some(true) => "after it",
        Some(false) => "before it",
        None => return "there is no other".to_owned(),
    };
    match near.distance {
        Some(far) => format!("the first is {} {side}", exact(Micros(far.0.abs()))),
        None => format!("the first is {side}"),
    }
}

/// Further details about why a step did not match, one per line.
pub(super) fn more(missing: &Missing, log: &Log) -> Vec<String> {
    match missing {
        Missing::NoEvent { elsewhere } => {
            elsewhere.iter().map(|one| self::elsewhere(*one, log)).collect()
        }
        Missing::Differs { near, .. } if lacking(near).is_some() => Vec::new(),
        Missing::Differs { near, .. } => near.iter().skip(1).map(|n| differs(n, log)).collect(),
        Missing::Displaced { near, .. } => near.iter().map(|near| seen(&near.seen, log)).collect(),
        Missing::NoAnchor(_) => Vec::new(),
    }
}

fn elsewhere(one: Elsewhere, log: &Log) -> String {
    let place = match one.place {
        Whereabouts::Outside => "is outside of this incident",
        Whereabouts::OtherGpu => "is of another GPU",
        Whereabouts::NoGpu => "does not name its GPU",
        Whereabouts::OtherBoot => "is of another boot",
    };
    format!("{} would fit and {place}", line(log, one.event))
}

/// What the log shows about the GPU.
pub(super) fn chip(held: &Evaluation<'_>) -> String {
    let Some(device) = held.device else { return "a GPU that the log does not name".to_owned() };
    let target = device.target.map(|target| target.to_string());
    let generation = device.generation.map(|generation| format!("{generation} generation"));
    let chip = target.or(generation).unwrap_or_else(|| "a chip that the log does not name".into());
    let kind = device.kind.map(|kind| match kind {
        DeviceKind::Apu => ", part of a processor",
        DeviceKind::Dgpu => ", a card",
    });
    let asic = device.asic.as_deref().map(|asic| format!(" ({asic})")).unwrap_or_default();
    format!("{chip}{asic}{}", kind.unwrap_or_default())
}

/// Whether the signature applies to this GPU.
pub(super) fn applicability(held: &Evaluation<'_>, signature: &Signature) -> String {
    let verdict = if held.applies.allows() { "fits" } else { "does not fit" };
    let kernel = match (held.applies.kernel, signature.applies.kernel) {
        (Some(false), range) => {
            format!("; the kernel is not one of {}, which does not rule it out", kernels(range))
        }
        _ => String::new(),
    };
    format!("{}; {verdict}: {}{kernel}", chip(held), applies(&signature.applies))
}

/// Why another diagnosis comes before this one.
pub(super) fn before(before: &Before) -> String {
    match &before.why {
        Ahead::Leads => "its signature ranks first".to_owned(),
        Ahead::Role(first, second) => {
            format!("it is a {}, and this a {}", first.name(), second.name())
        }
        Ahead::Earlier(Some(far)) if far.0 > 0 => format!("it begins {} earlier", exact(*far)),
        Ahead::Earlier(_) => "it begins in an earlier line".to_owned(),
        Ahead::IsReported => "this is only what a program reported of it".to_owned(),
        Ahead::Blame(first, second) => {
            format!("both begin together, and its blame is {first}, not {second}")
        }
    }
}

/// The result for an action.
pub(super) fn action(action: &ActionAnswer) -> String {
    let told = |standing| match standing {
        ActionStatus::Suggested => "suggested",
        ActionStatus::AlreadyActive => "in force already",
        ActionStatus::NoEffect => "set already, and the driver ignored it",
    };
    if let Some(standing) = action.standing {
        return told(standing).to_owned();
    }
    let unmet = action.condition.as_ref();
    let unmet = unmet.map(|unmet| format!("condition not met: {}", condition(unmet)));
    let hindered = action.hindrance.as_ref().map(|hindrance| match hindrance {
        Hindrance::BootIsOver => "that boot has ended".to_owned(),
        Hindrance::NoParameter(name) => {
            format!("the driver of this kernel has no parameter {name}")
        }
        Hindrance::OtherHardware => "it is for other classes of hardware".to_owned(),
        Hindrance::RuledOut(Condition::Not(wanted)) => {
            format!("it is given only where {}", condition(wanted))
        }
        Hindrance::RuledOut(ruled_out) => format!("it is not given where {}", condition(ruled_out)),
    });
    format!("left out: {}", joined(unmet.into_iter().chain(hindered), "; "))
}
