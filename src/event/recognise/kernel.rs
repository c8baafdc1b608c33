//! Recognises a line of the kernel: its prefixes, its message, and what both prove.

use super::begin::{Attribution, JOIN_RECORDS};
use super::{CutOff, Recogniser};
use crate::event::envelope::{Driver, Envelope};
use crate::event::sighting::reports_an_error;
use crate::event::unknown::level;
use crate::event::{landmark, tail};
use crate::kind::Part;
use crate::pattern::cut::End;
use crate::pattern::hardware::UncoveredDriver;
use crate::pattern::matcher::Found;
use crate::pattern::message::{Message, Printer};
use crate::record::{Level, Origin, Record};
use crate::value::PciAddress;

impl<'p> Recogniser<'p> {
    pub(super) fn see_kernel(&mut self, record: &Record<'_>) -> bool {
        let mut envelope = Envelope::open(record.message);
        let ours = envelope.driver == Driver::Amdgpu;
        let names_gpu = ours || envelope.driver == Driver::VendorReset;
        let of_source = envelope.driver == Driver::None && landmark::names_source(record.message);
        self.result.source_records += u64::from(of_source);
        if let Some(driver) = self.uncovered(record.message, &envelope) {
            let is_error = record.level.is_some_and(|level| level <= Level::Error)
                || reports_an_error(record.message)
                || driver.fails.iter().any(|end| record.message.trim_end().ends_with(end));
            if is_error || !driver.beside {
                self.result.sightings.count(driver, (record.line, record.message), is_error);
            }
        }
        // If the text names no device, the record may carry that of the driver that printed it.
        let beside = record.device.filter(|device| ours || self.result.facts.knows(*device));
        envelope.device = envelope.device.or(beside);
        if envelope.device.is_some_and(|device| !self.result.facts.has_room(device)) {
            self.result.driver_records += u64::from(ours);
            self.result.dropped_events += 1;
            return true;
        }
        let names = || !names_gpu && landmark::names_device(record.message);
        self.result.unattributed += u64::from(names());
        self.result.driver_records += u64::from(ours);
        if names_gpu {
            self.result.facts.see(record.sequence, envelope.device);
        }
        self.result.facts.see(record.sequence, initialised(envelope.body));
        self.learn_function(record.sequence, &envelope);
        self.learn_modules(record.sequence, envelope.body);
        let (body, printers) = (envelope.body, envelope.driver.printers());
        let mut closed = String::new();
        let found = self
            .found(record, body, printers, &envelope)
            .or_else(|| self.found_in_part(body, &envelope, &mut closed))
            .or_else(|| self.found_cut(record, &envelope));
        let Some(found) = found else { return false };
        let device = envelope.device.filter(|_| names_gpu || beside.is_some());
        let from = &found.message.from;
        let bare = envelope.driver == Driver::None && !from.contains(&Printer::Kernel);
        let of_core = || [Printer::Drm, Printer::Ttm].iter().any(|core| from.contains(core));
        let place = Attribution {
            device,
            printed: envelope.device.or(record.device),
            shared: matches!(envelope.driver, Driver::Drm | Driver::Ttm)
                || envelope.driver == Driver::None && of_core(),
            of_any_vendor: false,
            needs: None,
            names_driver: ours,
            continues: bare && found.message.shared && !self.is_beside_bare(record),
            of_source,
            event_id: envelope.event_id,
        };
        self.take(record, place, None, &found);
        self.room = found.into_room();
        self.result.cut_off = None;
        true
    }

    /// Counts a line that is no message.
    pub(super) fn count_unknown(&mut self, record: &Record<'_>) {
        let envelope = Envelope::open(record.message);
        self.result.unknown_driver_lines += u64::from(envelope.driver == Driver::Amdgpu);
        self.result.unknown.add(record, &envelope);
        if envelope.driver != Driver::None || record.origin == Origin::Kernel {
            let cut_off = || CutOff {
                line: record.line,
                text: record.message.trim().to_owned(),
                is_error: level(record, &envelope).is_some_and(|level| level <= Level::Error),
            };
            self.result.cut_off = self.may_begin_an_error(record, &envelope).then(cut_off);
        }
    }

    /// Whether a line without a message may be the beginning of an error of the driver, whose end is
    /// missing: texts are often cut where they are copied.
    fn may_begin_an_error(&self, record: &Record<'_>, envelope: &Envelope<'_>) -> bool {
        const MARK: &str = "*ERROR*";
        /// The driver's name, which may follow that of the device.
        const NAME: &str = "amdgpu:";
        const ENDS: [char; 8] = ['.', '!', '?', ')', ']', '}', '"', '\''];
        let body = envelope.body.trim_end();
        // The name of a function is before errors, and in logs of developers.
        let ours = envelope.driver == Driver::Amdgpu;
        let is_open = |text: &str, start| text.starts_with(start) && !text.contains(']');
        if is_open(record.message, "[drm:amdgpu_") || ours && is_open(body, "[drm:") {
            return true;
        }
        if !ours || body.ends_with(ENDS) {
            return false;
        }
        level(record, envelope).is_some_and(|level| level <= Level::Error)
            || !body.is_empty() && MARK.starts_with(body)
            || record.level.is_none()
                && !NAME.starts_with(body)
                && body.contains(' ')
                && self.matcher.may_begin(body, envelope.driver.printers(), reports_a_failure)
    }

    /// The message of a line of the kernel. In a copy that lacks the driver's name, a message
    /// counts if only the driver prints it, or if it closely follows such a message.
    pub(super) fn found<'t>(
        &mut self,
        record: &Record<'_>,
        body: &'t str,
        printers: &[Printer],
        envelope: &Envelope<'_>,
    ) -> Option<Found<'p, 't>> {
        let found = self.matcher.find_with(&mut self.room, body, printers, false);
        // Beside messages of the driver without its name, what only continues something else may be
        // one of them.
        let continues = |found: &Found<'_, '_>| found.message.joins && !found.message.alone;
        let may_be_bare = found.as_ref().is_none_or(continues) && self.is_beside_bare(record);
        if found.is_some() && !may_be_bare || envelope.driver != Driver::None {
            return found;
        }
        let bare = self.found_bare(record, body);
        bare.filter(|bare| found.is_none() || !bare.message.joins).or(found)
    }

    /// The driver's message of a line without its name.
    fn found_bare<'t>(&mut self, record: &Record<'_>, body: &'t str) -> Option<Found<'p, 't>> {
        // Of lines that the kernel certainly printed, only those count that the prefilter accepts
        // for their beginning, and those that continue the event just before.
        let alone = self.matcher.kernel().begins(body) || self.is_beside_bare(record);
        let follows = self.device_before(record).is_some();
        let printers: &[Printer] = match record.origin {
            Origin::Kernel if alone || follows => &[Printer::Amdgpu],
            Origin::Kernel => return None,
            Origin::Unstated | Origin::Program { .. } => &Printer::DRIVER,
        };
        let bare = self.matcher.find_with(&mut self.room, body, printers, false)?;
        if record.origin == Origin::Kernel && !alone && !bare.message.joins {
            return None;
        }
        if !bare.message.shared {
            self.bare = Some(record.sequence);
            self.gate.keep(BESIDE);
        }
        let goes_on = bare.message.joins && record.origin == Origin::Unstated;
        (goes_on || follows && bare.message.joins || self.is_beside_bare(record)).then_some(bare)
    }

    /// The driver's message at the start of a text with something appended, or the message of a
    /// text that lacks its last character; `closed` receives the completed text.
    fn found_in_part<'t>(
        &mut self,
        body: &'t str,
        envelope: &Envelope<'_>,
        closed: &'t mut String,
    ) -> Option<Found<'p, 't>> {
        if !matches!(envelope.driver, Driver::Amdgpu | Driver::Drm | Driver::Ttm) {
            return None;
        }
        let (matcher, room, printers) = (self.matcher, &mut self.room, envelope.driver.printers());
        let mut find = |text: &str| matcher.find_with(room, text, printers, false).is_some();
        let head = tail::without(body).find(|head| find(head));
        let whole = match head {
            Some(head) => head,
            None => {
                *closed = tail::closed(body).find(|text| find(text))?;
                closed
            }
        };
        self.matcher.find_with(&mut self.room, whole, printers, false)
    }

    /// The driver's message of which a terminal or column kept only the beginning: truncated within
    /// a word, with a mark like that of `journalctl`, or after enough words to be unambiguous.
    fn found_cut<'t>(&self, record: &Record<'_>, envelope: &Envelope<'t>) -> Option<Found<'p, 't>> {
        let is_ours = matches!(envelope.driver, Driver::Amdgpu | Driver::Drm);
        let text = envelope.body.trim_end_matches(['…', '.', '>']).trim_end();
        if !is_ours || text.len() > LONGEST_CUT {
            return None;
        }
        let is_marked = record.cut || envelope.body.ends_with(['…', '>']);
        let ends: &[End] = match envelope.driver {
            _ if is_marked => &[End::Marked],
            _ if !is_inside_a_word(text) => &[],
            Driver::Amdgpu => &[End::InWord, End::Unmarked],
            _ => &[End::InWord],
        };
        let printers = envelope.driver.printers();
        let by_function = || {
            let function = envelope.function.filter(|_| envelope.driver == Driver::Amdgpu)?;
            self.matcher.begun(text, (End::OfFunction, Some(function)), printers)
        };
        let by_text = |end: &End| self.matcher.begun(text, (*end, None), printers);
        ends.iter().find_map(by_text).or_else(by_function)
    }

    /// Whether a line without a prefix was recognised as the driver's shortly before.
    pub(super) fn is_beside_bare(&self, record: &Record<'_>) -> bool {
        self.bare.is_some_and(|last| record.sequence.saturating_sub(last) <= JOIN_RECORDS)
    }

    /// The driver of AMD GPUs outside the catalogue that printed a line: `radeon 0000:01:00.0: `,
    /// `[drm:r600_ring_test [radeon]]`, `Initialized radeon `.
    fn uncovered(&self, text: &str, envelope: &Envelope<'_>) -> Option<&'p UncoveredDriver> {
        if matches!(envelope.driver, Driver::Amdgpu | Driver::VendorReset) {
            return None;
        }
        let begun = || envelope.body.strip_prefix("Initialized ")?.split(' ').next();
        let module = || {
            envelope.function?;
            Some(text.split_once("]]")?.0.rsplit_once(" [")?.1)
        };
        let names = [envelope.named, begun(), module()];
        let begins =
            |other: &String| text.starts_with(other) || envelope.body.starts_with(other.as_str());
        self.kernel_names.uncovered().find(|UncoveredDriver { name, begins: others, .. }| {
            names.contains(&Some(name)) || others.iter().any(begins)
        })
    }

    /// Counts an error of such a driver that a person quotes inside a line that is no message.
    pub(super) fn see_quoted(&mut self, line: u64, text: &str) {
        let is_quoted = |mark: &String| text.contains(mark.as_str());
        let driver = self.kernel_names.uncovered().find(|one| one.quoted.iter().any(is_quoted));
        let is_counted = || self.uncovered(text, &Envelope::open(text)).is_some();
        if let Some(driver) = driver.filter(|_| !is_counted()) {
            self.result.sightings.count(driver, (line, text), true);
        }
    }

    /// Evaluates the list of modules after a warning or crash: if another GPU's driver is loaded
    /// and amdgpu is not, lines without a driver's name are not amdgpu's. Some modules show AMD's
    /// driver package.
    fn learn_modules(&mut self, sequence: u64, body: &str) {
        let Some(list) = body.strip_prefix("Modules linked in: ") else { return };
        let names = || list.split(' ').map(|name| name.split('(').next().unwrap_or(name));
        let another = names().any(|name| self.kernel_names.is_another_driver(name));
        if another && !names().any(|name| name == "amdgpu") {
            self.result.facts.see_another_driver(sequence);
        }
        if names().any(|name| self.kernel_names.is_of_the_package(name)) {
            self.result.facts.learn_package(sequence);
        }
    }

    /// Evaluates the names of the driver and the function that printed a line.
    pub(super) fn learn_function(&mut self, sequence: u64, envelope: &Envelope<'_>) {
        let facts = &mut self.result.facts;
        let another = |name: &str| self.kernel_names.is_another_driver(&name.replace('-', "_"));
        if envelope.driver == Driver::Other && envelope.named.is_some_and(another) {
            facts.see_another_driver(sequence);
            return;
        }
        let is_ours = envelope.driver == Driver::Amdgpu;
        if is_ours && self.kernel_names.is_of_a_virtual_function(envelope.body) {
            facts.learn_virtual(sequence, envelope.device);
        }
        let Some(function) = envelope.function else { return };
        if envelope.driver == Driver::Other {
            facts.see_another_driver(sequence);
            return;
        }
        if let Some(generation) = self.kernel_names.generation_of(function) {
            facts.learn(sequence, envelope.device, generation);
        }
        if function.starts_with("xgpu_") {
            facts.learn_virtual(sequence, envelope.device);
        }
    }
}

/// Maximum distance in lines from a line that only the driver prints to one that is attributed to
/// the driver for that reason.
const BESIDE: u32 = 48;
const _: () = assert!(BESIDE as u64 == JOIN_RECORDS);
/// Maximum length of a truncated line: terminals and columns are narrower.
const LONGEST_CUT: usize = 300;

/// Whether a message is of an error or a failure, some of which the driver prints as information.
fn reports_a_failure(message: &Message) -> bool {
    message.level.is_some_and(|level| level <= Level::Error)
        || message.kinds.iter().any(|kind| kind.part() == Part::Failure)
}

fn is_inside_a_word(text: &str) -> bool {
    text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

/// The GPU in `Initialized amdgpu 3.61.0 for 0000:03:00.0 on minor 1`
/// (`drivers/gpu/drm/drm_drv.c`).
fn initialised(body: &str) -> Option<PciAddress> {
    let rest = body.strip_prefix("Initialized amdgpu ")?;
    rest.split_once(" for ")?.1.split(' ').next()?.parse().ok()
}
