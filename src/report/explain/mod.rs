//! Explanations for a person: a page for each name, a paragraph for each line.

pub(crate) mod json;
mod lines;
pub(super) mod words;

use std::io;

use owo_colors::Style;

use super::commands::typed;
use crate::document::counts::{any, joined};
use super::page::Page;
use crate::document::terminal::Look;
use crate::document::untrusted::Untrusted;
use super::words::{severity_style, trust};
use crate::explain::{
    AdviceEntry, Answer, FindingEntry, KindEntry, MessageEntry, SignatureEntry, Subject, Use,
};
use crate::pattern::advice::Advice;
use crate::pattern::constraint::Condition;
use crate::pattern::message::Message;
use crate::pattern::signature::{Signature, Unsaid};

/// Writes what was asked.
pub(crate) fn write(answer: &Answer<'_>, look: Look, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = Page::new(look);
    for subject in &answer.subjects {
        page.gap();
        match subject {
            Subject::Kind(entry) => page.kind(entry),
            Subject::Message(entry) => page.message(entry),
            Subject::Signature(entry) => page.signature(entry),
            Subject::Advice(entry) => page.advice(entry),
            Subject::Finding(entry) => page.of_a_machine(entry),
        }
    }
    if let Some(lines) = &answer.lines {
        page.explained(lines);
    }
    out.write_all(page.text().as_bytes())
}

impl Page {
    /// The name and what it is the name of.
    fn title(&mut self, id: &str, what: &str, style: Style) {
        self.painted(&format!("{id}: {what}"), style.bold());
    }

    /// A row of a list of facts.
    fn fact(&mut self, name: &str, text: &str) {
        if !text.is_empty() {
            self.prose(&label(name), text);
        }
    }

    /// Rows under a heading, their names in a column of their own.
    fn rows(&mut self, heading: &str, rows: &[(String, String)]) {
        if rows.is_empty() {
            return;
        }
        self.heading(heading);
        let widest = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        // A very long name must not push all others' texts to the margin.
        let width = widest.min(usize::from(self.look.width) / 3);
        for (name, text) in rows {
            let name = Untrusted(name).to_string();
            if name.chars().count() > width {
                self.line(&format!("  {name}"));
                self.prose(&format!("  {:width$}  ", ""), text);
            } else {
                self.prose(&format!("  {name:<width$}  "), text);
            }
        }
    }

    fn uses(&mut self, heading: &str, uses: &[Use<'_>]) {
        let row = |one: &Use<'_>| {
            let Use { signature, step, place } = one;
            let title = format!("{} ({}, as {step})", signature.title, words::place(*place));
            (signature.id.clone(), title)
        };
        self.rows(heading, &uses.iter().map(row).collect::<Vec<_>>());
    }

    fn kind(&mut self, entry: &KindEntry<'_>) {
        let kind = entry.kind;
        self.title(kind.name(), "a kind of event", Style::new());
        self.prose("  ", kind.about());
        self.gap();
        self.fact("part", words::part(kind.part()));
        let field = |field: &crate::kind::FieldDefinition| {
            let holds = words::holds(field.kind);
            let about = field.about.to_owned();
            let text = if holds.is_empty() { about } else { format!("{about} ({holds})") };
            (field.name.to_owned(), text)
        };
        self.rows("Fields", &kind.fields().iter().map(field).collect::<Vec<_>>());
        if !entry.messages.is_empty() {
            self.heading("Messages that become it");
        }
        for message in &entry.messages {
            self.printed_as(message);
        }
        self.uses("Signatures that look for it", &entry.uses);
    }

    /// One message in the list of a kind.
    fn printed_as(&mut self, message: &Message) {
        let joins =
            if message.joins && !message.alone { " (goes on one that has begun)" } else { "" };
        self.prose("  ", &format!("{}{joins}", message.id));
        for format in message.formats() {
            self.prose("      ", format);
        }
        let kernels = words::kernels(message.kernel);
        self.prose("    ", &format!("kernels: {kernels}; {}", message.source));
    }

    fn message(&mut self, entry: &MessageEntry<'_>) {
        let message = entry.message;
        self.title(&message.id, "a message", Style::new());
        self.prose("  ", &words::template(&message.means));
        self.gap();
        self.fact("event", &joined(message.kinds.iter().map(|kind| kind.name()), " or "));
        for kind in message.kinds.iter().take(1) {
            self.fact("part", words::part(kind.part()));
        }
        self.fact("level", message.level.map_or("not told", crate::value::Level::name));
        let printers = message.from.iter().map(|from| words::printer(*from));
        self.fact("printer", &joined(printers, ", "));
        self.source(message);
        self.fact("reading", &reading(message));
        let constants = message.constants.iter();
        let constants = constants.map(|(name, value)| format!("{name} = {value}"));
        self.fact("sets", &joined(constants, ", "));
        self.heading("Printed as");
        for format in message.formats() {
            self.prose("  ", format);
        }
        self.heading("For example");
        for sample in &message.samples {
            self.prose("  ", sample);
        }
        self.uses("Signatures that look for such an event", &entry.uses);
    }

    fn signature(&mut self, entry: &SignatureEntry<'_>) {
        let signature = entry.signature;
        self.title(&signature.id, "a signature", severity_style(signature.severity));
        self.prose("  ", &signature.title);
        self.gap();
        self.signature_facts(signature);
        self.heading("What happened, as a report says it");
        self.prose("  ", &words::template(&signature.text.summary));
        self.heading("What it means");
        for (index, paragraph) in words::template(&signature.text.explain).split("\n\n").enumerate()
        {
            if index > 0 {
                self.gap();
            }
            self.prose("  ", paragraph);
        }
        let steps: Vec<_> =
            signature.steps.iter().map(|step| (step.name.clone(), words::step(step))).collect();
        self.rows("What it looks for, in this order", &steps);
        let nevers = signature.nevers.iter();
        let nevers: Vec<_> =
            nevers.map(|never| (never.name.clone(), words::never(never))).collect();
        self.rows("What must not come", &nevers);
        self.certainty(signature);
        self.cause(signature);
        self.unsaid_by(signature);
        let actions = entry.actions.iter();
        self.advised(actions.map(|(action, advice)| (action.when.as_ref(), advice)));
        self.read_on(&signature.references);
    }

    fn signature_facts(&mut self, signature: &Signature) {
        let severities = signature.severity_if.iter();
        let severities = severities.map(|other| {
            format!("{} where {}", other.severity.name(), words::condition(&other.when))
        });
        let severity = std::iter::once(signature.severity.name().to_owned()).chain(severities);
        self.fact("severity", &joined(severity, "; "));
        let roles = signature.roles.iter().map(|role| role.name());
        self.fact("role", &joined(roles, ", or where another diagnosis explains it "));
        self.fact("layer", &joined(signature.layers.iter().map(|layer| layer.name()), ", "));
        self.fact("status", words::status(signature.status));
        self.fact("applies", &words::applies(&signature.applies));
        self.fact("looks at", words::scope(signature.scope));
        self.fact("silent", &silencers(signature));
    }

    fn certainty(&mut self, signature: &Signature) {
        let confidence = &signature.confidence;
        self.heading("How it is known");
        self.prose("  ", words::certainty(signature.certainty));
        if !signature.less_certain.is_empty() {
            let conditions = joined(signature.less_certain.iter().map(words::condition), ", or ");
            self.prose("  ", &format!("One word less where {conditions}."));
        }
        for reason in &confidence.reasons {
            self.reason("  ", reason.by, &reason.because);
        }
    }

    fn cause(&mut self, signature: &Signature) {
        self.heading("What is known of its cause");
        self.prose("  ", &words::cause(signature.cause, &signature.candidates));
        for other in &signature.cause_if {
            let (when, cause) =
                (words::condition(&other.when), words::cause(other.cause, &other.candidates));
            self.prose("  ", &format!("Where {when}: {cause}"));
        }
    }

    fn unsaid_by(&mut self, signature: &Signature) {
        let text = |unsaid: &Unsaid| {
            let when = unsaid.when.as_ref();
            let when = when.map(|when| format!(" (where {})", words::condition(when)));
            format!("{}{}", words::template(&unsaid.text), when.unwrap_or_default())
        };
        let unsaid: Vec<String> = signature.unsaid.iter().map(text).collect();
        self.list("What a log does not show of it", unsaid.iter().map(String::as_str));
    }

    /// What to do, each with the condition under which it is advised.
    fn advised<'p>(
        &mut self,
        actions: impl IntoIterator<Item = (Option<&'p Condition>, &'p Advice)>,
    ) {
        for (number, (when, advice)) in (1..).zip(actions) {
            if number == 1 {
                self.heading("What to do");
            }
            let Advice { id, summary, trust: founded, .. } = advice;
            let text = format!("{summary} ({id}) [{}]", trust(*founded));
            self.prose(&format!("  {number}. "), &text);
            if let Some(when) = when {
                self.prose("     ", &format!("only where {}", words::condition(when)));
            }
        }
    }

    fn read_on(&mut self, references: &[String]) {
        if !references.is_empty() {
            self.heading("Where to read on");
        }
        self.references("  ", references);
    }

    fn of_a_machine(&mut self, entry: &FindingEntry<'_>) {
        let FindingEntry { about, actions } = entry;
        self.title(&about.id, "what amdtriage check may find", Style::new());
        self.prose("  ", &about.title);
        self.gap();
        self.prose("  ", &words::template(&about.summary));
        self.gap();
        self.fact("severity", about.severity.name());
        self.fact("source", &about.source);
        self.advised(actions.iter().map(|advice| (None, advice)));
        self.read_on(&about.references);
    }

    fn advice(&mut self, entry: &AdviceEntry<'_>) {
        let advice = &entry.advice;
        self.title(&advice.id, "advice", Style::new());
        self.prose("  ", &advice.summary);
        self.gap();
        self.fact("why", &advice.why);
        self.fact("risk", &advice.risk);
        self.instruction(&label("check"), &advice.verify);
        self.fact("trust", trust(advice.trust));
        self.fact("source", &advice.source);
        let sets = advice.sets.as_ref();
        let sets = sets.map(|sets| format!("{}={}", sets.parameter, sets.value));
        self.fact("sets", &sets.unwrap_or_default());
        self.fact("removes", advice.removes.as_deref().unwrap_or_default());
        self.fact("when", words::phase(advice.phase));
        self.fact(
            "only",
            if advice.while_running { "while the boot that failed still runs" } else { "" },
        );
        self.fact("classes", &joined(advice.classes.iter().map(|class| class.name()), ", "));
        let ruled_out = advice.not_when.iter().map(|one| match one {
            Condition::Not(wanted) => format!("given only where {}", words::condition(wanted)),
            other => format!("not given where {}", words::condition(other)),
        });
        self.fact("but", &joined(ruled_out, "; "));
        if !advice.commands.is_empty() {
            self.heading("What to type");
            self.command("  ", &typed(&advice.commands));
        }
        let signatures = entry.signatures.iter();
        let rows: Vec<_> = signatures.map(|one| (one.id.clone(), one.title.clone())).collect();
        self.rows("Signatures that advise it", &rows);
    }
}

/// What stands before a fact.
fn label(name: &str) -> String {
    format!("  {name:<9} ")
}

/// How the lines of a message are put together.
fn reading(message: &Message) -> String {
    let joins = match (message.joins, message.alone) {
        (true, false) => Some("goes on an event that has begun; without one it says nothing"),
        (true, true) => Some("goes on an event that has begun, or begins one"),
        (false, _) => None,
    };
    let keeps = (message.keeps > 0).then_some("more lines of the same block follow it");
    let anywhere = message.anywhere.then_some("may stand inside a line");
    joined(joins.into_iter().chain(keeps).chain(anywhere), "; ")
}

fn silencers(signature: &Signature) -> String {
    if signature.fallback {
        return "where any other signature says how the GPU failed".to_owned();
    }
    let others = any(&signature.unless, ", ");
    others.map(|others| format!("where one of these matches: {others}")).unwrap_or_default()
}
