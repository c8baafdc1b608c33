//! Selects the two or three lines that show what happened: the failure, the driver's reaction, and
//! the outcome.

use super::event_rows::Row;
use crate::diagnosis::Finding;
use crate::diagnosis::aftermath::Last;
use crate::document::Quote;
use crate::event::log::Log;
use crate::event::{Observed, QuotedLine};
use crate::kind::{Effect, Kind, Milestone};
use crate::pattern::signature::{Certainty, Role};
use crate::record::Stamp;
use crate::report::time::{moment, time_of_day};
use crate::value::FailureClass;
use crate::value::field::Value;

/// A quoted line, and the number of similar ones.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Telling<'r> {
    /// The number of more informative lines.
    pub(in crate::report) rank: usize,
    /// Whether it is about another GPU than the one that stands above it.
    of_another: bool,
    observed: &'r Observed,
    /// A continuation line of the event, quoted in place of the first line.
    further: Option<&'r QuotedLine>,
    times: usize,
}

impl Telling<'_> {
    /// The line as in the log, without its envelope.
    pub(in crate::report) fn whole(self) -> Quote {
        self.further.map_or_else(|| quote(self.observed, self.times), quote_of_further)
    }

    /// The same without the names of driver, function and GPU, which stand above the quotes.
    pub(in crate::report) fn bare(self) -> Quote {
        let Quote { line, text, shorter, times, keep } = self.brief();
        Quote {
            line,
            text: shorter.into_iter().next().unwrap_or(text),
            shorter: Vec::new(),
            times,
            keep,
        }
    }

    /// The informative part of the line, for a screen: without the date, and without the repeated
    /// names of driver and function.
    pub(in crate::report) fn brief(self) -> Quote {
        if let Some(further) = self.further {
            return quote_of_further(further);
        }
        let Self { observed, times, .. } = self;
        let time = time_in_short(&observed.stamp).map(|time| format!("[{time}] "));
        let text = without_event_number(&without_prefix(&in_one_line(&observed.text)));
        let before = format!("{}{}", time.unwrap_or_default(), printer(observed));
        let without_device = without_device(&text).filter(|_| !self.of_another).unwrap_or(&text);
        // What it says matters more than its mark and its time.
        let bare = without_device.strip_prefix("*ERROR* ").unwrap_or(without_device);
        let bare = format!("{}{bare}", printer(observed));
        let mut shorter = vec![format!("{before}{without_device}"), bare];
        let spares =
            [without_handle, without_port, without_reason, without_folder, without_processor];
        for spare in spares {
            let next = shorter.last().and_then(|text| spare(text));
            shorter.extend(next);
        }
        let text = format!("{before}{text}");
        Quote { line: observed.line(), text, shorter, keep: deciding(observed), times }
    }
}

/// The same of an event alone.
pub(super) fn brief(observed: &Observed) -> Quote {
    Telling { rank: 0, of_another: true, observed, further: None, times: 1 }.brief()
}

/// The same, after what a warning of the kernel says in its own words.
pub(super) fn briefs(observed: &Observed) -> impl Iterator<Item = Quote> {
    let words = observed.quoted.iter().filter(|line| line.line < observed.first_line());
    words.map(quote_of_further).chain([brief(observed)])
}

/// A quote of the first line of `observed`; `times` is the number of similar ones.
pub(in crate::report) fn quote(observed: &Observed, times: usize) -> Quote {
    let time = moment(&observed.stamp).map(|time| format!("[{time}] ")).unwrap_or_default();
    let text = format!("{time}{}{}", printer(observed), in_one_line(&observed.text));
    Quote { times, ..plain(observed.line(), text) }
}

/// The first line of `observed`, and those further ones that are worth quoting.
pub(in crate::report) fn quotes(observed: &Observed) -> impl Iterator<Item = Quote> {
    let (before, behind): (Vec<_>, Vec<_>) =
        observed.quoted.iter().partition(|line| line.line < observed.first_line());
    let before = before.into_iter().map(quote_of_further);
    before.chain([quote(observed, 1)]).chain(behind.into_iter().map(quote_of_further))
}

fn quote_of_further(further: &QuotedLine) -> Quote {
    // Dumps pad their columns.
    let text = further.text.split_whitespace().collect::<Vec<_>>().join(" ");
    plain(further.line, text)
}

/// A line as it is, once.
pub(super) const fn plain(line: u64, text: String) -> Quote {
    Quote { line, text, shorter: Vec::new(), keep: Vec::new(), times: 1 }
}

/// What a program's line says, which may be anywhere in it: first a value in one word, such as the
/// name of an error, then the words by which it was recognised. A line of the kernel begins with
/// what it says.
fn deciding(observed: &Observed) -> Vec<String> {
    if !observed.is_stated_by_a_program() {
        return Vec::new();
    }
    let fields = observed.event.kind().fields().iter();
    let values = fields.filter_map(|field| match observed.event.field(field.name)? {
        Value::Text(text) | Value::Word(text) => Some(text),
        Value::Number(_)
        | Value::Hex(_)
        | Value::Register(..)
        | Value::Errno(_)
        | Value::List(_)
        | Value::Records(_) => None,
    });
    let place = |word: &String| observed.text.find(word.as_str());
    let words = observed.message.words().map(str::to_owned).filter(|word| place(word).is_some());
    let words = words.min_by_key(|word| place(word));
    let mut values = values.filter(|value| !value.contains(' ') && place(value).is_some());
    values.next().into_iter().chain(words).collect()
}

/// The text without the number by which the ROCm runtime knows an agent.
fn without_handle(text: &str) -> Option<String> {
    let (before, rest) = text.split_once(" (Agent handle: ")?;
    Some(format!("{before}{}", rest.split_once(')')?.1))
}

/// The text without the name of a PCI port.
fn without_port(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("pcieport ")?;
    Some(rest.split_once(": ")?.1.to_owned())
}

/// A memory access fault without its reason, which is the same in nearly all of them.
fn without_reason(text: &str) -> Option<String> {
    let (before, _) = text.split_once(". Reason: ")?;
    before.contains("Memory access fault by GPU").then(|| format!("{before}."))
}

/// A warning of the kernel without the folder of its source file.
fn without_folder(text: &str) -> Option<String> {
    let is_place = |word: &&str| {
        word.rsplit_once(':').is_some_and(|(file, line)| {
            file.contains('/') && !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let place = text.strip_prefix("WARNING: ")?.split(' ').find(is_place)?;
    let (_, file) = place.rsplit_once('/')?;
    Some(text.replacen(place, file, 1))
}

/// A warning of the kernel without processor and task, which newer kernels print at its end; the
/// place remains.
fn without_processor(text: &str) -> Option<String> {
    let rest = text.strip_prefix("WARNING: ")?;
    if let Some((_, place)) = rest.strip_prefix("CPU: ").and_then(|rest| rest.split_once(" at ")) {
        return Some(format!("WARNING: {place}"));
    }
    let (place, _) = rest.split_once(", CPU#")?;
    Some(format!("WARNING: {place}"))
}

/// A message in one line: some of the driver's contain a line feed.
fn in_one_line(text: &str) -> String {
    text.trim().lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

fn printer(observed: &Observed) -> String {
    observed.program.as_ref().map(|program| format!("{}: ", program.name)).unwrap_or_default()
}

fn time_in_short(stamp: &Stamp) -> Option<String> {
    const MILLISECOND: i64 = 1_000;
    let since_boot = stamp.monotonic.map(|time| {
        let rounded = time.0 / MILLISECOND;
        format!("{}.{:03}", rounded / 1_000, rounded.rem_euclid(1_000))
    });
    since_boot.or_else(|| time_of_day(stamp))
}

/// The text without driver and address, which stand above the quotes.
fn without_device(text: &str) -> Option<&str> {
    let (device, rest) = text.strip_prefix("amdgpu ")?.split_once(": ")?;
    device.bytes().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(&byte)).then_some(rest)
}

/// Removes the second driver name of `amdgpu 0000:03:00.0: amdgpu: text`, the prefix of
/// `[drm:function [amdgpu]] text`, and remains of a progress bar before a line.
fn without_prefix(text: &str) -> String {
    if let Some((_, rest)) = text
        .strip_prefix("[drm:")
        .and_then(|rest| rest.split_once("] "))
        .filter(|(function, _)| function.len() < 120)
    {
        return rest.trim_start_matches("] ").to_owned();
    }
    // FreeBSD's form of the same.
    if let Some((_, rest)) =
        text.strip_prefix("[drm ERROR :").and_then(|rest| rest.split_once("] "))
    {
        return rest.to_owned();
    }
    if let Some((device, rest)) = text.split_once(": amdgpu: ")
        && device.starts_with("amdgpu ")
    {
        return format!("{device}: {}", without_prefix(rest));
    }
    if let Some((device, rest)) = text.split_once(": [drm:")
        && device.starts_with("amdgpu ")
    {
        return format!("{device}: {}", without_prefix(&format!("[drm:{rest}")));
    }
    match text.rsplit_once("it/s]") {
        Some((_, rest)) if !rest.is_empty() => rest.to_owned(),
        _ => text.to_owned(),
    }
}

/// Removes the number of a hardware error (`{1}`), which joins its lines.
fn without_event_number(text: &str) -> String {
    let numbered = text.split_once('{').and_then(|(before, rest)| {
        let (number, after) = rest.split_once('}')?;
        let is_prefix = before.is_empty() || before.ends_with(": ");
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        (is_prefix && is_number).then(|| format!("{before}{after}"))
    });
    numbered.unwrap_or_else(|| text.to_owned())
}

/// At most `most` lines of `finding`, whose timeline is `rows`, in the order of the log.
pub(super) fn telling<'r>(
    log: &'r Log,
    finding: &Finding,
    rows: &[Row],
    most: usize,
) -> Vec<Telling<'r>> {
    let mut chosen: Vec<Place> = Vec::new();
    for place in in_order_of_use(log, finding, rows) {
        if chosen.len() < most && !chosen.iter().any(|known| known.first == place.first) {
            chosen.push(place);
        }
    }
    count_all(&mut chosen, rows);
    let is_of_another = |line: &Telling<'_>| {
        line.observed.device.is_some_and(|device| Some(device) != finding.incident.device)
    };
    let lines = chosen.into_iter().flat_map(|place| at(log, place)).take(most).enumerate();
    let mut lines: Vec<Telling<'r>> = lines
        .map(|(rank, line)| Telling { rank, of_another: is_of_another(&line), ..line })
        .collect();
    // In a journal printed newest first, this is not the order of its lines.
    lines.sort_by_key(|line| line.observed.sequence);
    lines
}

/// Counts what looks the same over the whole incident, unless several lines of it are quoted.
fn count_all(chosen: &mut [Place], rows: &[Row]) {
    let row = |place: &Place| rows.iter().find(|row| row.first == place.first);
    let shown: Vec<Option<&Row>> = chosen.iter().map(row).collect();
    for (place, own) in chosen.iter_mut().zip(&shown) {
        let Some(own) = own else { continue };
        let quoted = shown.iter().flatten().filter(|other| other.is_like(own)).count();
        if quoted == 1 {
            place.count = own.count_in(rows);
        }
    }
}

/// An event to quote, and the number of similar ones.
#[derive(Clone, Copy, Debug)]
struct Place {
    first: usize,
    count: usize,
}

impl From<&Row> for Place {
    fn from(row: &Row) -> Self {
        Self { first: row.first, count: row.count }
    }
}

/// The lines of an event: continuation lines, if they are more informative than the first line.
/// That of a crash says what happened, and the others where.
fn at(log: &Log, Place { first, count }: Place) -> Vec<Telling<'_>> {
    let observed = &log.events[first];
    let telling = |further| Telling { rank: 0, of_another: false, observed, further, times: count };
    if observed.quoted.is_empty() {
        return vec![telling(None)];
    }
    let further = observed.quoted.iter().map(|line| telling(Some(line)));
    let is_crash = observed.event.class() == Some(FailureClass::Crash);
    is_crash.then(|| telling(None)).into_iter().chain(further).collect()
}

/// The lines by importance: the failure, what decides by its signature, the outcome, how it failed,
/// the rest of the proof, the driver's reaction, and other evidence.
fn in_order_of_use(log: &Log, finding: &Finding, rows: &[Row]) -> Vec<Place> {
    let first = finding.diagnoses.first();
    let proof = first.map_or(&[][..], |head| &head.proof);
    let is_proof = |row: &&Row| proof.binary_search(&row.first).is_ok();
    let is_back = |row: &&Row| row.mark == Some(Milestone::Back);
    let fails = |row: &&Row| {
        matches!(row.mark, Some(Milestone::Fault | Milestone::Failure | Milestone::Lost))
    };
    let head = rows.iter().filter(is_proof).find(fails);
    let head = head.or_else(|| rows.iter().filter(is_proof).find(|row| !is_back(row)));
    let head = head.or_else(|| rows.iter().find(is_proof));
    // What failed first, where the diagnosis is about something later.
    let begin = rows.iter().find(|row| fails(row) && !is_stated_by_a_program(row, log));
    let begin = begin.filter(|row| {
        head.is_some_and(|head| row.first < head.first && kind(row, log) != kind(head, log))
    });
    let after = head.map_or(0, |head| head.first);
    let reset = rows.iter().find(|row| row.mark == Some(Milestone::Reset) && row.first > after);
    let how = finding.diagnoses.iter().skip(1).filter_map(|one| {
        let mut proof = rows.iter().filter(|row| one.proof.binary_search(&row.first).is_ok());
        match one.role {
            Role::RootCause | Role::Mechanism => proof.find(|row| !is_back(row)),
            Role::Consequence => proof.find(|row| row.mark == Some(Milestone::Lost)),
            Role::Context => None,
        }
    });
    let proven = rows.iter().filter(is_proof);
    // What names the GPU in the heading, if the first line names another one.
    let device = finding.incident.device;
    let names = |row: &Row| log.events.get(row.first).and_then(|observed| observed.device);
    let is_of_another = head.and_then(names).is_some_and(|other| Some(other) != device);
    let evidence = first.map_or(&[][..], |head| &head.evidence);
    let is_own = |row: &&Row| names(row) == device && evidence.binary_search(&row.first).is_ok();
    let own = rows.iter().find(is_own).filter(|_| is_of_another);
    // What follows from several lines is shown by several.
    let needed = first.is_some_and(|head| head.certainty == Certainty::Inferred);
    let needed = rows.iter().filter(is_proof).filter(|_| needed);
    // It may be a line of the boot that is in no incident.
    let decides = first.map_or(&[][..], |head| &head.telling).iter().map(|at| {
        let row = rows.iter().find(|row| row.first == *at);
        row.map_or(Place { first: *at, count: 1 }, Place::from)
    });
    let best = own.into_iter().chain(begin).chain(end(log, finding, rows)).chain(needed);
    let best = best.chain(how).chain(proven).chain(reset);
    let roles = rows.iter().filter(|row| row.role.is_some());
    let marks = rows.iter().filter(|row| row.mark.is_some());
    let others = best.chain(roles).chain(marks).chain(rows).map(Place::from);
    head.map(Place::from).into_iter().chain(decides).chain(others).collect()
}

/// The kind of the events of a row.
fn kind(row: &Row, log: &Log) -> Option<Kind> {
    log.events.get(row.first).map(|observed| observed.event.kind())
}

/// Whether a program printed it: it comes after its subject.
fn is_stated_by_a_program(row: &Row, log: &Log) -> bool {
    log.events.get(row.first).is_some_and(Observed::is_stated_by_a_program)
}

/// The row on which the sentence about the outcome rests.
fn end<'r>(log: &Log, finding: &Finding, rows: &'r [Row]) -> Option<&'r Row> {
    // The kernel's own repair of a device has the same line for both results.
    let ends_a_repair = |row: &&Row| {
        log.events.get(row.first).is_some_and(|observed| {
            observed.event.columns().recovery == Effect::PerStepField
                && matches!(observed.event.text("step"), Some("succeeded" | "failed"))
        })
    };
    let last = |marks: &[Milestone]| {
        rows.iter().rfind(|row| row.mark.is_some_and(|mark| marks.contains(&mark)))
    };
    if let Some(dump) = finding.aftermath.dump {
        return rows.iter().find(|row| row.first == dump);
    }
    match finding.aftermath.last {
        Last::HardwareDone | Last::Begun => last(&[Milestone::Reset]),
        Last::PartFailed | Last::StuckAgain | Last::StuckElsewhere => last(&[Milestone::Failure]),
        Last::BegunAgain => last(&[Milestone::Lost]),
        Last::Nothing | Last::Success | Last::SetUpAgain | Last::FaultedSince => {
            last(&[Milestone::Back, Milestone::Lost]).or_else(|| rows.iter().rfind(ends_a_repair))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_of_two_lines_is_quoted_in_one() {
        let text = "[ powerplay ] \n failed to send message 18b ret is 0\n";
        assert_eq!(in_one_line(text), "[ powerplay ] failed to send message 18b ret is 0");
    }

    #[test]
    fn details_are_spared_where_there_is_no_room() {
        let fault = "Memory access fault by GPU node-1 (Agent handle: 0x22) on address 0x7f2a10200000. Reason: Unknown.";
        let bare = without_handle(fault).unwrap();
        assert_eq!(
            bare,
            "Memory access fault by GPU node-1 on address 0x7f2a10200000. Reason: Unknown."
        );
        let short = "Memory access fault by GPU node-1 on address 0x7f2a10200000.";
        assert_eq!(without_reason(&bare).as_deref(), Some(short));
        let port = "[942.180] pcieport 0000:00:1c.4: PCIe Bus Error: severity=Uncorrected (Fatal)";
        let bare = "PCIe Bus Error: severity=Uncorrected (Fatal)";
        assert_eq!(without_port(port).as_deref(), Some(bare));
        assert_eq!(without_port("ring gfx timeout"), None);
    }

    #[test]
    fn a_warning_keeps_its_file_and_function() {
        let kept = "WARNING: dmub_psr.c:224 dmub_psr_enable+0x101/0x110 [amdgpu]";
        let old = "WARNING: CPU: 7 PID: 238 at drivers/gpu/drm/amd/amdgpu/../display/dc/dce/dmub_psr.c:224 dmub_psr_enable+0x101/0x110 [amdgpu]";
        let old = without_processor(&without_folder(old).unwrap());
        assert_eq!(old.as_deref(), Some(kept));
        let kept = "WARNING: dmub_replay.c:84 at dmub_replay_enable+0xf0/0x100 [amdgpu]";
        let new = "WARNING: drivers/gpu/drm/amd/amdgpu/../display/dc/dce/dmub_replay.c:84 at dmub_replay_enable+0xf0/0x100 [amdgpu], CPU#3: kworker/3:1/120";
        let new = without_processor(&without_folder(new).unwrap());
        assert_eq!(new.as_deref(), Some(kept));
        assert_eq!(without_folder("WARNING: suspicious RCU usage"), None);
        assert_eq!(without_processor("ring gfx timeout, CPU#3"), None);
    }

    #[test]
    fn a_brief_line_keeps_what_says_something() {
        for (line, want) in [
            ("amdgpu 0000:03:00.0: amdgpu: MODE1 reset", "amdgpu 0000:03:00.0: MODE1 reset"),
            ("[drm:mes_v11_0_submit [amdgpu]] *ERROR* MES failed", "*ERROR* MES failed"),
            ("[drm] VRAM is lost", "[drm] VRAM is lost"),
            ("[drm ERROR :amdgpu_job_timedout] ring gfx timeout", "ring gfx timeout"),
            (
                "amdgpu 0000:03:00.0: [drm:amdgpu_ring_test_helper [amdgpu]] *ERROR* ring x failed",
                "amdgpu 0000:03:00.0: *ERROR* ring x failed",
            ),
            ("12%|#2 | 66/546 [00:21<02:31, 3.17it/s]Memory access fault", "Memory access fault"),
        ] {
            assert_eq!(without_prefix(line), want);
        }
    }
}
