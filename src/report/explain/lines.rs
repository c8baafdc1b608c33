//! What the lines of a log are, for a person.

use owo_colors::Style;

use super::words;
use crate::event::Observed;
use crate::event::envelope::Driver;
use crate::event::log::Log;
use crate::explain::lines::{By, EventFacts, Explained, Item, What};
use crate::kind::Event;
use crate::pattern::message::{Message, Printer};
use crate::document::counts::{distinct, joined, lines};
use crate::report::page::Page;
use crate::report::time::moment;
use crate::value::Level;
use crate::value::field::Value;

impl Page {
    pub(super) fn explained(&mut self, explained: &Explained<'_>) {
        let mut items = explained.items.iter().peekable();
        while let Some(item) = items.next() {
            self.gap();
            let facts = match &item.what {
                What::Event(facts) => Some(facts),
                _ => None,
            };
            if let Some((observed, facts)) =
                facts.and_then(|facts| Some((explained.log.events.get(facts.index)?, facts)))
            {
                self.event(item, observed, facts, &explained.log);
                continue;
            }
            let mut more = 0;
            let mut last = item.last_line;
            while let Some(next) = items.next_if(|next| is_other(item) && is_other(next)) {
                more += 1;
                last = last.max(next.last_line);
            }
            self.other(item, last, more);
        }
    }

    fn line_title(&mut self, first: u64, last: u64, what: &str) {
        let place = lines(first, last).replacen('l', "L", 1);
        self.painted(&format!("{place}: {what}"), Style::new().bold());
    }

    fn quoted(&mut self, text: &str) {
        for line in text.lines().take(3) {
            self.prose("  > ", line);
        }
    }

    fn event(&mut self, item: &Item<'_>, observed: &Observed, facts: &EventFacts<'_>, log: &Log) {
        let kind = observed.event.kind();
        let first = item.line.min(observed.line());
        self.line_title(first, item.last_line.max(first), &observed.means());
        self.quoted(&item.text);
        self.gap();
        self.fact("event", &format!("{}: {}", kind.name(), kind.about()));
        self.fact("part", words::part(kind.part()));
        self.fact("message", &messages(observed));
        self.fact("level", &level(item, observed));
        self.fact("time", &time(observed));
        self.fact("device", &device(observed, log));
        self.fact("printer", &printer(item, facts.message));
        if let Some(message) = facts.message {
            self.source(message);
        }
        self.fields(&observed.event);
        self.uses("Signatures that look for such an event", &facts.uses);
    }

    pub(super) fn source(&mut self, message: &Message) {
        if message.from != [Printer::Program] {
            self.fact("kernels", &words::kernels(message.kernel));
        }
        self.fact("source", &message.source);
    }

    fn fields(&mut self, event: &Event) {
        let mut rows = Vec::new();
        for definition in event.kind().fields() {
            let Some(value) = event.field(definition.name) else { continue };
            let about = words::phrase(definition.about);
            rows.push((definition.name.to_owned(), format!("{value} ({about})")));
            if let Value::Register(_, bits) = &value {
                rows.extend(
                    bits.iter().map(|(name, bits)| (format!("  {name}"), bits.to_string())),
                );
            }
        }
        self.rows("Fields", &rows);
    }

    fn other(&mut self, item: &Item<'_>, last: u64, more: usize) {
        let (what, message) = match &item.what {
            What::Event(_) => return,
            What::Continues(message) => (
                format!(
                    "goes on an event that has begun, but no such event stands here ({})",
                    message.id
                ),
                Some(*message),
            ),
            What::Bare(message) => (
                format!("the text of {} without the prefix that a log has", message.id),
                Some(*message),
            ),
            What::Unknown { .. } => (
                "recognised as a line of the driver, but the catalogue has no message for it"
                    .to_owned(),
                None,
            ),
            What::Other if more > 0 => ("no lines of amdgpu or anything near it".to_owned(), None),
            What::Other => ("not a line of amdgpu or anything near it".to_owned(), None),
        };
        self.line_title(item.line, last, &what);
        self.quoted(&item.text);
        if more > 0 {
            self.prose("  > ", "…");
        }
        if let Some(message) = message {
            self.gap();
            self.fact("means", &words::template(&message.means));
            self.fact("event", &joined(message.kinds.iter().map(|kind| kind.name()), " or "));
            self.source(message);
            let prefix = "Paste the whole line: without \"amdgpu 0000:03:00.0: \" or the like \
                          before it, nothing in a log tells that it is the driver's.";
            if matches!(item.what, What::Bare(_)) {
                self.fact("note", prefix);
            }
        }
        if let What::Unknown { shape, level } = &item.what {
            self.gap();
            self.fact("printer", &words::printed(&item.printed));
            self.fact("level", level.map_or("not told", Level::name));
            self.fact("format", &format!("perhaps \"{shape}\""));
        }
    }
}

const fn is_other(item: &Item<'_>) -> bool {
    matches!(item.what, What::Other)
}

/// The message of each line; of lines that say the same, once.
fn messages(observed: &Observed) -> String {
    distinct(observed.lines().map(|(_, id)| id.as_str())).join(", ")
}

fn level(item: &Item<'_>, observed: &Observed) -> String {
    let Some(level) = observed.level else { return String::new() };
    let by = if item.printed.level.is_some() { "as the log says" } else { "by its source" };
    format!("{}, {by}", level.name())
}

/// Who printed a line: as it says itself, else as its text tells.
fn printer(item: &Item<'_>, message: Option<&Message>) -> String {
    let unstated = item.printed.by == By::Unstated && item.printed.driver == Driver::None;
    match message.and_then(|message| message.from.first()) {
        Some(from) if unstated => format!("{}, by the text alone", words::printer(*from)),
        _ => words::printed(&item.printed),
    }
}

fn time(observed: &Observed) -> String {
    let unit = if observed.stamp.monotonic.is_some() { " s since boot" } else { "" };
    moment(&observed.stamp).map(|moment| moment + unit).unwrap_or_default()
}

fn device(observed: &Observed, log: &Log) -> String {
    let Some(address) = observed.device else { return "the line names none".to_owned() };
    let known = log.device(observed.boot, Some(address));
    let name = known.and_then(|device| device.name.clone().or_else(|| device.asic.clone()));
    let name = name.map(|name| format!(", {name}")).unwrap_or_default();
    let inferred =
        if observed.inferred { " (not in the line; the only one it can be)" } else { "" };
    format!("{address}{name}{inferred}")
}
