//! Reads lines like a log and explains each.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use super::{Use, uses_of};
use crate::event::Observed;
use crate::event::envelope::{Driver, Envelope};
use crate::event::log::Log;
use crate::event::shape::shape;
use crate::event::unknown::level;
use crate::input::Lines;
use crate::pattern::Patterns;
use crate::pattern::message::{Message, Printer};
use crate::record::{self, Options, Origin, Record};
use crate::value::Level;

/// Every source that prints messages.
const ANYBODY: [Printer; 9] = [
    Printer::Amdgpu,
    Printer::Drm,
    Printer::Ttm,
    Printer::Pci,
    Printer::Iommu,
    Printer::VendorReset,
    Printer::Passthrough,
    Printer::Kernel,
    Printer::Program,
];

/// Lines with their explanations.
#[derive(Debug)]
pub(crate) struct Explained<'p> {
    /// The lines, read as a log.
    pub log: Log,
    /// The explanation of each, in order.
    pub items: Vec<Item<'p>>,
}

/// The explanation of one line, or of the lines of one event.
#[derive(Clone, Debug)]
pub(crate) struct Item<'p> {
    /// The first line.
    pub line: u64,
    pub last_line: u64,
    /// Its text without time and host.
    pub text: String,
    /// Who printed it.
    pub printed: LineSource,
    pub what: What<'p>,
}

/// The source of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineSource {
    /// The kernel, a program, or unknown.
    pub by: By,
    /// The driver whose prefix it has.
    pub driver: Driver,
    /// The driver's function, if the prefix names it.
    pub function: Option<String>,
    /// Its level, if the log has it.
    pub level: Option<Level>,
}

/// The source of a line, according to its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Kernel,
    Program(String, Option<u32>),
    /// The line does not name it.
    Unstated,
    /// A row of a process listing.
    Listing,
}

/// What a line is.
#[derive(Clone, Debug)]
pub(crate) enum What<'p> {
    Event(EventFacts<'p>),
    /// A line that continues an event whose first line is missing.
    Continues(&'p Message),
    /// A message without the prefix that identifies its driver.
    Bare(&'p Message),
    /// A line of the driver that no message matches.
    Unknown {
        /// Its likely printf format.
        shape: String,
        /// Its level, from the log or from its prefix.
        level: Option<Level>,
    },
    /// Neither from the driver nor related to it.
    Other,
}

/// What is known about an event in addition to its fields.
#[derive(Clone, Debug)]
pub(crate) struct EventFacts<'p> {
    /// Its index in the log's events.
    pub index: usize,
    /// The message that began it; `None` for rows of a process listing.
    pub message: Option<&'p Message>,
    /// The signatures that require such an event, given its values.
    pub uses: Vec<Use<'p>>,
}

impl<'p> Explained<'p> {
    /// Reads `text` as a log.
    pub(crate) fn read(text: &[u8], options: Options, patterns: &'p Patterns) -> io::Result<Self> {
        let log = Log::read(&mut Lines::new(text), options, patterns)?;
        let mut events = BTreeMap::new();
        let mut joined = BTreeSet::new();
        for (index, observed) in log.events.iter().enumerate() {
            joined.extend(observed.lines().map(|(line, _)| line));
            events.insert(observed.sequence, index);
        }
        let mut items = Vec::new();
        record::read(&mut Lines::new(text), options, |read| {
            let Some(record) = read.record() else { return };
            let printed = LineSource::of(record);
            if let Some(index) = events.get(&record.sequence) {
                let Some(observed) = log.events.get(*index) else { return };
                let facts = facts(*index, observed, patterns);
                let item = Item::new(record, printed, What::Event(facts));
                items.push(Item { last_line: observed.last_line(), ..item });
            } else if !joined.contains(&record.line) {
                let what = what(record, patterns);
                items.push(Item::new(record, printed, what));
            }
        })?;
        Ok(Self { log, items })
    }

    /// Whether any of the lines could be explained.
    pub(crate) fn is_understood(&self) -> bool {
        let understood = |item: &Item<'_>| match item.what {
            What::Event(_) | What::Continues(_) | What::Bare(_) => true,
            What::Unknown { .. } | What::Other => false,
        };
        self.items.iter().any(understood)
    }

    /// Whether a line is from the driver and no message matches it.
    pub(crate) fn has_unknown(&self) -> bool {
        self.items.iter().any(|item| matches!(item.what, What::Unknown { .. }))
    }
}

impl<'p> Item<'p> {
    fn new(record: &Record<'_>, printed: LineSource, what: What<'p>) -> Self {
        Self {
            line: record.line,
            last_line: record.line,
            text: record.message.to_owned(),
            printed,
            what,
        }
    }
}

impl LineSource {
    fn of(record: &Record<'_>) -> Self {
        let by = match record.origin {
            _ if record.process.is_some() => By::Listing,
            Origin::Kernel => By::Kernel,
            Origin::Program { name, pid } => By::Program(name.to_owned(), pid),
            Origin::Unstated => By::Unstated,
        };
        let envelope = Envelope::open(record.message);
        let is_program = matches!(by, By::Program(..) | By::Listing);
        let function = envelope.function.map(str::to_owned).filter(|_| !is_program);
        let driver = if is_program { Driver::None } else { envelope.driver };
        Self { by, driver, function, level: record.level }
    }
}

fn facts<'p>(index: usize, observed: &Observed, patterns: &'p Patterns) -> EventFacts<'p> {
    let message = patterns.messages.iter().find(|message| observed.message.as_str() == message.id);
    EventFacts { index, message, uses: uses_of(&observed.event, patterns) }
}

/// Explains a record that is neither an event nor a part of one.
fn what<'p>(record: &Record<'_>, patterns: &'p Patterns) -> What<'p> {
    let matcher = patterns.matcher();
    let envelope = Envelope::open(record.message);
    let found = matcher.find(envelope.body, envelope.driver.printers(), false);
    let is_program = matches!(record.origin, Origin::Program { .. });
    match found.filter(|_| !is_program) {
        Some(found) => return What::Continues(found.message),
        None if is_program || record.process.is_some() => return What::Other,
        None => {}
    }
    match envelope.driver {
        Driver::Amdgpu | Driver::Drm | Driver::Ttm => {
            What::Unknown { shape: shape(envelope.body), level: level(record, &envelope) }
        }
        Driver::Bus | Driver::Iommu | Driver::VendorReset | Driver::Passthrough | Driver::Other => {
            What::Other
        }
        Driver::None => {
            let found = matcher.find(envelope.body, &ANYBODY, true);
            found.map_or(What::Other, |found| What::Bare(found.message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;

    fn what_is(text: &str) -> Vec<String> {
        let patterns = crate::builtin::patterns();
        let explained = Explained::read(text.as_bytes(), Options::default(), &patterns).unwrap();
        let name = |item: &Item<'_>| match &item.what {
            What::Event(facts) => {
                let observed = &explained.log.events[facts.index];
                assert_eq!(facts.message.map(|m| m.id.as_str()), Some(observed.message.as_str()));
                format!("{}-{} {}", item.line, item.last_line, observed.event.kind().name())
            }
            What::Continues(message) => format!("continues {}", message.id),
            What::Bare(message) => format!("bare {}", message.id),
            What::Unknown { shape, .. } => format!("unknown {shape}"),
            What::Other => "other".to_owned(),
        };
        explained.items.iter().map(name).collect()
    }

    #[test]
    fn each_line_is_said_what_it_is() {
        let log = "\
[    1.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=5, emitted seq=7
[    1.000001] amdgpu 0000:03:00.0: amdgpu:  Process game pid 7 thread game:cs0 pid 8
[    1.000002] usb 1-1: new device
[    1.000003] amdgpu 0000:03:00.0: amdgpu: cannot frob 7
[    1.000004] GPU reset begin!
";
        assert_eq!(
            what_is(log),
            ["1-2 ring-timeout", "other", "unknown cannot frob %{_:d}", "5-5 reset-begin"]
        );
        // Others print this, too.
        assert_eq!(
            what_is("[    1.000004] device lost from bus!\n"),
            ["bare device-lost-from-bus"]
        );
        let second = log.lines().nth(1).unwrap();
        assert!(what_is(second)[0].starts_with("continues "), "{:?}", what_is(second));
    }

    #[test]
    fn signatures_are_those_whose_demands_the_values_meet() {
        let patterns = crate::builtin::patterns();
        let uses = |opcode: &str| {
            let line =
                format!("amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg={opcode}");
            let explained =
                Explained::read(line.as_bytes(), Options::default(), &patterns).unwrap();
            let What::Event(facts) = &explained.items[0].what else { panic!("an event: {line}") };
            assert_eq!(explained.log.events[0].event.kind(), Kind::MesTimeout);
            facts.uses.iter().any(|one| one.signature.id == "gfx11-mes-hang")
        };
        assert!(uses("REMOVE_QUEUE"));
        assert!(!uses("INVALIDATE_TLBS"));
    }
}
