//! Explanations of log lines, for people.

use super::words;
use crate::document::counts::{distinct, joined, lines};
use crate::document::{Block, Section, facts};
use crate::event::Observed;
use crate::event::envelope::Driver;
use crate::event::log::Log;
use crate::explain::lines::{By, EventFacts, Explained, Item, What};
use crate::kind::Event;
use crate::pattern::message::{Message, Printer};
use crate::report::time::moment;
use crate::value::Level;
use crate::value::field::Value;

/// A section for each line; one for adjacent lines that are not from the driver.
pub(super) fn explained(explained: &Explained<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut items = explained.items.iter().peekable();
    while let Some(item) = items.next() {
        let facts = match &item.what {
            What::Event(facts) => Some(facts),
            _ => None,
        };
        if let Some((observed, facts)) =
            facts.and_then(|facts| Some((explained.log.events.get(facts.index)?, facts)))
        {
            blocks.push(event(item, observed, facts, &explained.log).into());
            continue;
        }
        let mut more = 0;
        let mut last = item.last_line;
        while let Some(next) = items.next_if(|next| is_other(item) && is_other(next)) {
            more += 1;
            last = last.max(next.last_line);
        }
        blocks.extend(other(item, last, more).map(Block::from));
    }
    blocks
}

fn title(first: u64, last: u64, what: &str) -> String {
    format!("{}: {what}", lines(first, last).replacen('l', "L", 1))
}

fn quoted(text: &str, more: usize) -> Block {
    let more = (more > 0).then_some("…");
    let all: Vec<&str> = text.lines().take(3).chain(more).collect();
    Block::Listing(joined(all.iter().map(|line| format!("> {line}")), "\n"))
}

fn event(item: &Item<'_>, observed: &Observed, about: &EventFacts<'_>, log: &Log) -> Section {
    let kind = observed.event.kind();
    let first = item.line.min(observed.first_line());
    let mut known = vec![
        ("event", format!("{}: {}", kind.name(), kind.about())),
        ("part", words::part_of(observed).to_owned()),
        ("message", messages(observed)),
        ("level", level(item, observed)),
        ("time", time(observed)),
        ("device", device(observed, log)),
        ("printer", printer(item, about.message)),
    ];
    known.extend(about.message.into_iter().flat_map(source));
    let body = [quoted(&item.text, 0), facts(known)].into_iter();
    let uses = super::uses("Signatures that look for such an event", &about.uses);
    let title = title(first, item.last_line.max(first), &observed.means());
    Section::new(title, body.chain(fields(&observed.event)).chain(uses).collect())
}

/// The place in the kernel's source that prints a message.
pub(super) fn source(message: &Message) -> Vec<(&'static str, String)> {
    let of_kernel = message.from != [Printer::Program];
    let kernels = of_kernel.then(|| ("kernels", words::kernels(message.kernel)));
    kernels.into_iter().chain([("source", message.source.clone())]).collect()
}

fn fields(event: &Event) -> Option<Block> {
    let mut rows = Vec::new();
    for definition in event.kind().fields() {
        let Some(value) = event.field(definition.name) else { continue };
        let about = words::phrase(definition.about);
        let said = match value {
            Value::Text(_) | Value::List(_) => event.field_in_words(definition.name),
            _ => Some(value.to_string()),
        };
        let said = said.unwrap_or_default();
        rows.push((definition.name.to_owned(), format!("{said} ({about})")));
        if let Value::Register(_, bits) = &value {
            rows.extend(bits.iter().map(|(name, bits)| (format!("  {name}"), bits.to_string())));
        }
    }
    super::rows("Fields", rows)
}

fn other(item: &Item<'_>, last: u64, more: usize) -> Option<Section> {
    let (what, message) = match &item.what {
        What::Event(_) => return None,
        What::Continues(message) => (
            format!("continues an event whose first line is missing here ({})", message.id),
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
        What::Other if more > 0 => ("no lines of amdgpu or related code".to_owned(), None),
        What::Other => ("not a line of amdgpu or related code".to_owned(), None),
    };
    let mut known = Vec::new();
    if let Some(message) = message {
        known.push(("means", words::template(&message.means)));
        known.push(("event", joined(message.kinds.iter().map(|kind| kind.name()), " or ")));
        known.extend(source(message));
        if matches!(item.what, What::Bare(_)) {
            let prefix = "Paste the whole line: without a prefix such as \"amdgpu 0000:03:00.0: \" \
                          nothing shows that it is the driver's.";
            known.push(("note", prefix.to_owned()));
        }
    }
    if let What::Unknown { shape, level } = &item.what {
        known.push(("printer", words::printed(&item.printed)));
        known.push(("level", level.map_or("not known", Level::name).to_owned()));
        known.push(("format", format!("perhaps \"{shape}\"")));
    }
    let body = vec![quoted(&item.text, more), facts(known)];
    Some(Section::new(title(item.line, last, &what), body))
}

const fn is_other(item: &Item<'_>) -> bool {
    matches!(item.what, What::Other)
}

/// The message of each line; equal ones once.
fn messages(observed: &Observed) -> String {
    distinct(observed.lines().map(|(_, id)| id.as_str())).join(", ")
}

fn level(item: &Item<'_>, observed: &Observed) -> String {
    let Some(level) = observed.level else { return String::new() };
    let by = if item.printed.level.is_some() { "as the log says" } else { "by its source" };
    format!("{}, {by}", level.name())
}

/// The source of a line: from its envelope, else from its text.
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
    let name = known.and_then(|device| device.called().or_else(|| device.asic.clone()));
    let name = name.map(|name| format!(", {name}")).unwrap_or_default();
    let inferred =
        if observed.inferred { " (not in the line; the only one it can be)" } else { "" };
    format!("{address}{name}{inferred}")
}
