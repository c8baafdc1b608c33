//! Fingerprints: a short hash that is equal for the same bug on any machine and in any run.

use std::fmt;

use sha2::{Digest, Sha256};

use super::Incident;
use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::{Event, Kind, Part};
use crate::value::{Frames, GfxGeneration, Ring, hexadecimal};

/// The version of the input to the hash.
const VERSION: u32 = 3;

/// Fields that say what failed, as opposed to on which machine, in which process or how often.
const STABLE_FIELDS: [&str; 16] = [
    "hub",
    "client",
    "opcode",
    "operation",
    "request",
    "method",
    "source",
    "ip",
    "errno",
    "kind",
    "block",
    "wait",
    "status",
    "severity",
    "noticed_by",
    "what",
];

/// The number of innermost driver functions that distinguish bugs.
const FRAMES: usize = 3;

/// Maximum number of distinct events; further ones of a storm add nothing.
const MOST_PARTS: usize = 64;

/// What makes two events equal on any machine and in any run: the kind, and the parts of the chip
/// and error numbers in it. Processes, addresses and times do not count, and a ring only by its
/// engine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Likeness {
    pub kind: Kind,
    /// The fields that count, with their printed values.
    pub marks: Vec<(&'static str, String)>,
}

impl Likeness {
    /// The likeness of `event`.
    pub(crate) fn of(event: &Event) -> Self {
        let mut marks = Vec::new();
        for field in STABLE_FIELDS {
            if let Some(value) = event.field(field).filter(|value| is_no_address(field, value)) {
                marks.push((field, value.to_string()));
            }
        }
        if let Some(ring) = event.field("ring") {
            marks.push(("ring", Ring(ring.to_string().into()).kind().to_string()));
        }
        // For a waiting task the stack shows what it waits for; for a crash it shows which bug it
        // is.
        if let (Kind::KernelOops | Kind::Lockup, Some(stack)) =
            (event.kind(), event.get::<Frames>("stack"))
        {
            let functions = stack.of_the_driver().take(FRAMES);
            marks.extend(functions.map(|frame| ("function", frame.function.clone())));
        }
        Self { kind: event.kind(), marks }
    }
}

impl fmt::Display for Likeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.name())?;
        self.marks.iter().try_for_each(|(field, value)| write!(f, " {field}={value}"))
    }
}

/// The input to a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FingerprintInput {
    /// The generation of the chip, if the log shows it.
    pub generation: Option<GfxGeneration>,
    /// The distinct failures up to the first reset.
    pub parts: Vec<Likeness>,
}

impl FingerprintInput {
    /// The story of `incident`.
    pub(crate) fn of(log: &Log, incident: &Incident) -> Self {
        let device = log.device(incident.boot, incident.device);
        let generation = device.and_then(|device| device.generation);
        let events = incident.events.iter().filter_map(|index| log.events.get(*index));
        let mut parts = Vec::new();
        for observed in distinguishing_events(events.collect()) {
            let part = Likeness::of(&observed.event);
            if !parts.contains(&part) {
                parts.push(part);
            }
            if parts.len() >= MOST_PARTS {
                break;
            }
        }
        Self { generation, parts }
    }

    /// Whether it may be the same bug: the same failures, on the same generation as far as known.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let generations = self.generation.zip(other.generation);
        generations.is_none_or(|(one, other)| one == other) && self.parts == other.parts
    }

    /// `3-` and sixteen hexadecimal digits.
    fn fingerprint(&self) -> String {
        let generation = self.generation.map(|generation| generation.to_string());
        let parts = self.parts.iter().map(ToString::to_string);
        let lines: Vec<String> =
            std::iter::once(generation.unwrap_or_default()).chain(parts).collect();
        let digits = hexadecimal(&Sha256::digest(lines.join("\n")));
        format!("{VERSION}-{}", digits.get(..16).unwrap_or(&digits))
    }
}

/// The fingerprint of an incident: `3-` and sixteen hexadecimal digits, a hash of the chip's
/// generation and the distinct failures up to the first reset, with the parts of the chip and
/// errors in them.
///
/// Events after a reset differ from run to run, and so do queues, so a ring counts only by its
/// engine. Diagnoses do not count, so that fingerprints remain stable when signatures are added.
pub(crate) fn fingerprint(log: &Log, incident: &Incident) -> String {
    FingerprintInput::of(log, incident).fingerprint()
}

/// The failures up to the first reset of the GPU; all events, if the reset comes first.
fn distinguishing_events(events: Vec<&Observed>) -> Vec<&Observed> {
    let reset = events.iter().position(|observed| observed.event.kind() == Kind::ResetBegin);
    let until = reset.map_or(events.len(), |at| at + 1);
    let before = events.iter().take(until);
    let failures: Vec<&Observed> =
        before.filter(|observed| observed.event.kind().part() == Part::Failure).copied().collect();
    let only_reset = failures.iter().all(|observed| observed.event.kind() == Kind::ResetBegin);
    if only_reset { events } else { failures }
}

/// Registers and PCI addresses say where and when, not what.
fn is_no_address(field: &str, value: &crate::value::field::Value) -> bool {
    use crate::value::field::Value;
    match value {
        Value::Hex(_) | Value::Register(..) => false,
        Value::Text(_) => field != "source",
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::log::tests::log;
    use crate::incident::incidents;

    const BUG: &str = "\
[   10.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process game pid 7 thread game:cs0 pid 8)
[   10.000003] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000000000201000 from client 0x1b (UTCL2)
[   10.000004] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: TCP (0x8)
[   20.000000] amdgpu 0000:03:00.0: amdgpu: ring comp_1.0.0 timeout, signaled seq=1, emitted seq=3
[   20.000001] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[   21.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";

    fn of(text: &str) -> String {
        let log = log(text);
        let incidents = incidents(&log);
        assert_eq!(incidents.len(), 1, "{text}");
        fingerprint(&log, &incidents[0])
    }

    #[test]
    fn another_machine_gives_the_same_name() {
        let there = BUG
            .replace("0000:03:00.0", "0000:c4:00.0")
            .replace("game", "other")
            .replace("pid 7", "pid 4711")
            .replace("pasid:32770", "pasid:32999")
            .replace("201000", "7f0000")
            .replace("comp_1.0.0", "comp_1.3.1")
            .replace("[   1", "[ 5551")
            .replace("[   2", "[ 5552");
        assert_eq!(of(BUG), of(&there));
        let cut = BUG.replace("[   21.000000]", "[   21.000000] usb 1-1: text\n[   21.000000]");
        let refused =
            "[   22.000000] amdgpu 0000:03:00.0: amdgpu: Failed to initialize parser -125!\n";
        assert_eq!(of(BUG), of(&format!("{cut}{refused}")), "what follows does not count");
        assert!(of(BUG).starts_with("3-"));
    }

    #[test]
    fn another_failure_gives_another_name() {
        for (what, instead) in [
            ("comp_1.0.0", "sdma0"),
            ("TCP (0x8)", "CPC (0x5)"),
            ("[gfxhub]", "[mmhub]"),
            ("GPU reset begin!", "GPU reset begin!. Source:  3"),
        ] {
            assert_ne!(of(BUG), of(&BUG.replace(what, instead)), "{instead}");
        }
    }
    #[test]
    fn two_mistakes_of_the_driver_are_two() {
        let oops = |function: &str, address: &str| {
            of(&format!(
                "\
[   10.000000] BUG: kernel NULL pointer dereference, address: {address}
[   10.000001] RIP: 0010:{function}+0x12/0x60 [amdgpu]
[   10.000002]  dc_state_destruct+0x6c/0xe0 [amdgpu]
[   10.000003]  process_one_work+0x17b/0x330
"
            ))
        };
        let one = oops("dc_stream_release", "0000000000000010");
        assert_eq!(one, oops("dc_stream_release", "0000000000000018"));
        assert_ne!(one, oops("amdgpu_vm_fini", "0000000000000010"));
    }
}
