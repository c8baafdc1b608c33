//! What to do now, and what to try.

use super::again::Again;
use super::richness::Richness;
use crate::diagnosis::action::Action;
use crate::document::shell::folded;
use crate::document::{Block, Fact, Item, List, Section, Text, prose};
use crate::pattern::advice::Advice;
use crate::report::commands::{differ, typed};
use crate::report::words::trust;
use crate::value::{AdvicePhase, DistributionFamily};

/// The actions to try, with a heading, and a reference to the commands that do not fit.
pub(super) fn to_try(
    heading: &'static str,
    all: Vec<&Action>,
    richness: Richness,
    again: &Again<'_>,
) -> Option<Block> {
    let new = all.into_iter().filter(|action| action.is_new()).take(richness.steps);
    let steps: Vec<(&Action, Option<String>)> = new
        .enumerate()
        .map(|(at, action)| {
            let fits = at < richness.commands;
            (action, fits.then(|| command(action, richness.lines)).flatten())
        })
        .collect();
    let without = steps
        .iter()
        .filter(|(action, shown)| shown.is_none() && !action.advice.commands.is_empty());
    let without: Vec<&Advice> = without.map(|(action, _)| &*action.advice).collect();
    let items: Vec<Item> =
        steps.iter().map(|(action, shown)| step(action, shown.clone())).collect();
    if items.is_empty() {
        return None;
    }
    let mut body = vec![Block::from(List { first: Some(1), items })];
    body.extend((!without.is_empty()).then(|| prose(where_commands_are(&without, again))));
    Some(Section::new(heading, body).into())
}

/// The first thing to try, where there is no room for a list.
pub(super) fn first_to_try(all: Vec<&Action>, again: &Again<'_>) -> Option<Fact> {
    let first = all.into_iter().find(|action| action.is_new())?;
    let how = again.explain(&[&*first.advice]);
    Some(Fact::new("Try", Text::from(format!("{}: ", first.advice.summary)).and(how)))
}

/// A reference to the commands of `advice`.
fn where_commands_are(advice: &[&Advice], again: &Again<'_>) -> Text {
    let by_distribution = advice.iter().any(|one| differ(&one.commands));
    let command = again.for_a_distribution().filter(|_| by_distribution);
    // A command that is copied has nothing after it.
    match command {
        Some(command) => Text::from("Commands (or fedora, arch, debian): ").and(command),
        None => Text::from("Commands: ").and(again.explain(advice)),
    }
}

/// What to do now, and on a line of its own, to be copied, the command if that is one line.
pub(super) fn at_once(action: &Action, richness: Richness, again: &Again<'_>) -> Vec<Text> {
    let summary = format!("{}.", action.advice.summary.trim_end_matches('.'));
    let explain = || again.explain(&[&*action.advice]);
    let [first, rest @ ..] = action.advice.commands.as_slice() else { return vec![summary.into()] };
    let plain = first.comment.is_none() && first.is_for(DistributionFamily::Any);
    if !plain || first.text.contains('\n') || first.text.len() > BESIDE {
        return vec![Text::from(format!("{summary} How: ")).and(explain())];
    }
    let elsewhere = action.advice.phase == AdvicePhase::Collect && again.is_of_a_file();
    let summary = if elsewhere { format!("{summary} On the log's machine:") } else { summary };
    let mut lines = vec![summary.into(), Text::code(&*first.text)];
    if !rest.is_empty() && richness.remarks {
        lines.push(Text::from("If that fails: ").and(explain()));
    }
    lines
}

/// A thing to try.
fn step(action: &Action, command: Option<String>) -> Item {
    Item {
        title: action.advice.summary.as_str().into(),
        tag: Some(trust(action.advice.trust).to_owned()),
        body: command.map(Block::Command).into_iter().collect(),
    }
}

/// The commands, if they are the same for every distribution and have at most `lines` lines.
fn command(action: &Action, lines: usize) -> Option<String> {
    let commands = &action.advice.commands;
    if commands.is_empty() || differ(commands) {
        return None;
    }
    let text = typed(commands);
    let fits = |line: &str| folded(line, ROOM).iter().all(|part| part.chars().count() <= ROOM);
    let shown: usize = text.lines().map(|line| folded(line, ROOM).len()).sum();
    (shown <= lines && text.lines().all(fits)).then_some(text)
}

/// Maximum length of a command next to a sentence.
const BESIDE: usize = 50;
/// The columns for a command of a step.
const ROOM: usize = 74;
