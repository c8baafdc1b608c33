//! Events and the values of their fields.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::Base;
use crate::event::{MessageName, Observed};
use crate::kind::{Event, Kind};
use crate::report::time::Time;
use crate::value::field::Value;
use crate::value::{Level, PciAddress};

/// The event of a log that is the only input.
pub(in crate::report) fn single(observed: &Observed) -> EventObject<'_> {
    event(observed, &Base { input: 0, boot: 0 })
}

/// An event that the log reports.
#[derive(Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(extend("allOf" = [{ "$ref": "#/$defs/EventFields" }]))
)]
pub(in crate::report) struct EventObject<'r> {
    /// The event kind.
    event: Kind,
    /// The id of the message with which it begins.
    message: &'r str,
    /// All its lines, each with the id of its message, in order of time.
    #[cfg_attr(test, schemars(with = "Vec<(u64, String)>"))]
    messages: Vec<(u64, &'r MessageName)>,
    /// The input that contains it, as an index into `inputs`.
    input: usize,
    /// The number of its first line, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    line: u64,
    /// The numbers of its first and last line, from 1.
    lines: [u64; 2],
    /// The boot, as the `index` of an entry of `boots`.
    boot: usize,
    /// The time of its first line.
    time: Time,
    /// The log level: that of the log, else that of the kernel source; null if both are unknown.
    level: Option<Level>,
    /// The GPU; null if it concerns none, or if it is unknown which.
    device: Option<PciAddress>,
    /// Whether the GPU is inferred from nearby lines and not named by the event itself.
    device_inferred: bool,
    /// The values in its lines; values that they do not contain are absent.
    fields: FieldsObject<'r>,
    /// The text of its first line, without time and sender.
    text: &'r str,
}

pub(super) struct FieldsObject<'r>(&'r Event);

impl Serialize for FieldsObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for definition in self.0.kind().fields() {
            if let Some(value) = self.0.field(definition.name) {
                map.serialize_entry(definition.name, &ValueObject(&value))?;
            }
        }
        map.end()
    }
}

struct ValueObject<'v>(&'v Value);

impl Serialize for ValueObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Number(number) => serializer.serialize_i64(*number),
            Value::Errno(errno) => serializer.serialize_i32(errno.0),
            Value::Hex(hex) => serializer.collect_str(hex),
            Value::Word(text) | Value::Text(text) => serializer.serialize_str(text),
            Value::List(words) => words.serialize(serializer),
            Value::Records(records) => {
                serializer.collect_seq(records.iter().map(|values| NamedValues(values)))
            }
            Value::Register(raw, bits) => {
                let mut map = serializer.serialize_map(Some(bits.len() + 1))?;
                map.serialize_entry("raw", &raw.to_string())?;
                for (name, value) in bits {
                    map.serialize_entry(name, &ValueObject(value))?;
                }
                map.end()
            }
        }
    }
}

struct NamedValues<'v>(&'v [(&'static str, Value)]);

impl Serialize for NamedValues<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (*name, ValueObject(value))))
    }
}

pub(super) fn event<'r>(observed: &'r Observed, base: &Base) -> EventObject<'r> {
    EventObject {
        event: observed.event.kind(),
        message: observed.message.as_str(),
        messages: observed.lines().collect(),
        input: base.input,
        line: observed.first_line(),
        lines: [observed.first_line(), observed.last_line()],
        boot: base.boot + observed.boot,
        time: Time::certain(&observed.stamp),
        level: observed.level,
        device: observed.device,
        device_inferred: observed.inferred,
        fields: FieldsObject(&observed.event),
        text: &observed.text,
    }
}
