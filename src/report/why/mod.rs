//! Why a signature was, or was not, said of a log, for the person who writes it.

pub(crate) mod json;
mod words;

use std::io;

use owo_colors::Style;

use crate::document::counts::{joined, lines, several, sign};
use super::explain::words::condition;
use super::page::Page;
use crate::document::terminal::Look;
use super::time::moment;
use crate::document::untrusted::Untrusted;
use super::words::severity_style;
use crate::diagnosis::why::{
    Answer, Evaluation, Ground, Loose, Matched, Shown, StepAnswer, StepState, Why,
};
use crate::event::log::Log;
use crate::pattern::signature::{Scope, Signature};

/// What follows from one input.
#[derive(Debug)]
pub(crate) struct Input<'l> {
    /// What it is called.
    pub name: &'l str,
    /// What it says.
    pub log: &'l Log,
    /// The answer.
    pub why: Why<'l>,
}

/// Writes the answers for a person.
pub(crate) fn write(inputs: &[Input<'_>], look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    for (index, Input { name, log, why }) in inputs.iter().enumerate() {
        let signature = why.signature;
        if index == 0 {
            let title = format!("{}: {}", signature.id, signature.title);
            page.painted(&title, severity_style(signature.severity).bold());
        }
        if inputs.len() > 1 {
            page.gap();
            page.line(&format!("== {} ==", Untrusted(name)));
        }
        if let Some(loose) = &why.loose {
            page.nothing(signature, loose, log);
        }
        for held in &why.held {
            page.held(held, signature, log);
        }
        if why.more.all > 0 {
            page.gap();
            let (all, matched) = (why.more.all, why.more.matched);
            page.prose("", &format!("{all} more are not shown; it matches in {matched} of them."));
        }
    }
    out.write_all(page.text().as_bytes())
}

/// The width of the names at the margin.
const NAMES: usize = 12;

impl Page {
    /// A name, and sentences beside it.
    fn beside(&mut self, name: &str, texts: &[String]) {
        let name = Untrusted(name).to_string();
        let mut first = format!("    {name:<NAMES$}  ");
        for (index, text) in texts.iter().enumerate() {
            if index == 0 && name.chars().count() > NAMES {
                self.line(&format!("    {name}"));
                first = " ".repeat(NAMES + 6);
            }
            self.prose(&first, text);
            first = " ".repeat(NAMES + 6);
        }
    }

    fn section(&mut self, name: &str) {
        let name = self.paint(name, Style::new().bold());
        self.line(&format!("  {name}"));
    }

    /// A log without anything to hold the signature against.
    fn nothing(&mut self, signature: &Signature, loose: &[Loose<'_>], log: &Log) {
        self.gap();
        let what = if signature.scope == Scope::Boot { "event" } else { "incident" };
        self.prose("", &format!("does not match: there is no {what} in this log"));
        self.section("Events of the log that would fit its steps");
        for one in loose {
            let kinds = words::kinds(&one.step.wanted);
            let mut texts = vec![match (one.of_kind, one.fitting) {
                (0, _) => format!("none: no {kinds} event"),
                (all, 0) => {
                    format!("none: {} of {kinds}, with other fields", several(all, "event"))
                }
                (_, fitting) => several(fitting, "event"),
            }];
            texts.extend(one.examples.iter().map(|seen| words::seen(seen, log)));
            self.beside(&one.step.name, &texts);
        }
    }

    fn held(&mut self, held: &Evaluation<'_>, signature: &Signature, log: &Log) {
        self.heading(&Untrusted(&ground(held, log)).to_string());
        self.prose("  ", &words::answer(held, signature, log));
        self.beside("GPU", &[words::applicability(held, signature)]);
        self.section("Steps");
        for answer in &held.steps {
            self.beside(&answer.step.name, &step(answer, held, log));
        }
        if !held.nevers.is_empty() {
            self.section("What must not come");
        }
        for answer in &held.nevers {
            self.beside(&answer.never.name, &words::never(answer, log));
        }
        if let Answer::Matches(matched) = &held.answer {
            self.matched(matched, signature);
        }
    }

    fn matched(&mut self, matched: &Matched, signature: &Signature) {
        self.section("Certainty");
        self.beside("word", &[words::certainty(matched, signature)]);
        for (reason, counted) in &matched.reasons {
            let sign = sign(reason.by);
            let (name, not) = if *counted { ("", "") } else { ("not ", "not so: ") };
            self.beside(
                &format!("{name}{sign}"),
                &[format!("{} ({not}{})", reason.because, condition(&reason.when))],
            );
        }
        if let Shown::Diagnosis { before, .. } = &matched.shown
            && !before.is_empty()
        {
            self.section("What stands before it");
            for one in before {
                self.beside(&one.id, &[words::before(one)]);
            }
        }
        if !matched.actions.is_empty() {
            self.section("Actions");
        }
        for one in &matched.actions {
            self.beside(&one.advice, &[words::action(one)]);
        }
    }
}

/// Which incident or boot it is.
fn ground(held: &Evaluation<'_>, log: &Log) -> String {
    let events = || held.events.iter().map(|at| &log.events[*at]);
    let first = events().map(crate::event::Observed::line).min();
    let last = events().map(crate::event::Observed::last_line).max();
    let lines = first.zip(last).map(|(first, last)| lines(first, last));
    let time = events().next().and_then(|observed| moment(&observed.stamp));
    let device = held.ground.device();
    let device = device.map_or_else(|| "no GPU named".to_owned(), |device| format!("GPU {device}"));
    let name = match &held.ground {
        Ground::Incident { number: Some(number), .. } => format!("Incident {number}"),
        Ground::Incident { number: None, .. } => "A reset that was asked for".to_owned(),
        Ground::Boot { boot, .. } => format!("Boot {boot}"),
    };
    let outcome = match &held.ground {
        Ground::Incident { incident, .. } => Some(format!("outcome {}", incident.outcome.name())),
        Ground::Boot { .. } => None,
    };
    let time = time.map(|time| format!("at {time}"));
    let facts = [lines, Some(device), time, outcome].into_iter().flatten();
    format!("{name}: {}", joined(facts, ", "))
}

/// What became of a step.
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
            let not = if step.optional { "not there (need not be)" } else { "missing" };
            let mut texts = vec![format!("{not}: {}", words::missing(missing, held, step, log))];
            texts.extend(words::more(missing, log));
            texts
        }
        StepState::NotAsked { fitting: 0, .. } => {
            vec![format!("not asked; no {} event fits", words::kinds(&step.wanted))]
        }
        StepState::NotAsked { fitting, examples } => {
            let mut texts = vec![format!("not asked; {} would fit", several(*fitting, "event"))];
            texts.extend(examples.iter().map(|one| words::seen(one, log)));
            texts
        }
    }
}
