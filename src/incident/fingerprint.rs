//! The same bug gives the same short name, on any machine and in any run.

use sha2::{Digest, Sha256};

use super::Incident;
use crate::event::log::Log;
use crate::value::hexadecimal;

/// Fields that say what failed and not on which machine, in which process or how often.
const STABLE_FIELDS: [&str; 9] =
    ["hub", "client", "opcode", "operation", "request", "ring", "method", "ip", "errno"];

/// Sixteen hexadecimal digits over what the diagnoses are, which chip generation it is, and the kinds
/// of events in the order in which each came first.
#[must_use]
pub fn fingerprint(log: &Log, incident: &Incident, diagnoses: &[&str]) -> String {
    let device = log.device(incident.boot, incident.device);
    let generation = device.and_then(|device| device.generation);
    let mut parts: Vec<String> = diagnoses.iter().map(ToString::to_string).collect();
    parts.push(generation.map(|generation| generation.to_string()).unwrap_or_default());
    for observed in incident.events.iter().filter_map(|index| log.events.get(*index)) {
        let mut part = observed.event.kind().name().to_owned();
        for field in STABLE_FIELDS {
            if let Some(value) = observed.event.field(field) {
                part.extend([" ", field, "=", &value.to_string()]);
            }
        }
        if !parts.contains(&part) {
            parts.push(part);
        }
        // A storm adds nothing new after this many different events.
        if parts.len() > 64 {
            break;
        }
    }
    let digest = Sha256::digest(parts.join("\n"));
    let digits = hexadecimal(&digest);
    digits.get(..16).unwrap_or(&digits).to_owned()
}
