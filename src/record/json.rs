//! JSON objects with a record: of `journalctl -o json`, of `dmesg -J`, of docker's log files.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};
use serde_json::{Number, Value};

use super::entry::Entry;
use super::wrapper::Stream;
use crate::input::plain_text;

/// The kind of an object.
#[derive(Debug, PartialEq)]
pub(super) enum Object {
    /// An entry of the journal, stored in the [`Entry`].
    Journal,
    /// A record of `dmesg -J`, stored in the [`Entry`].
    Dmesg,
    /// A line that a container wrote.
    Container(Written),
    /// Something else.
    Other,
}

/// A line of a container's log; ends with a line break unless the next object continues it.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub(super) stream: Stream,
    pub(super) text: String,
}

/// Parses an object into `entry`.
///
/// # Errors
/// If the text is not a JSON object; [`serde_json::Error::is_eof`] if it is truncated.
pub(super) fn read(text: &str, entry: &mut Entry) -> Result<Object, serde_json::Error> {
    entry.clear();
    let mut reader = serde_json::Deserializer::from_str(text);
    let found = reader.deserialize_map(Fields(entry))?;
    reader.end()?;
    let Found { message, seconds, number, facility, level, line, stream, dmesg } = found;
    if let (Some(text), Some(stream)) = (line, stream) {
        return Ok(Object::Container(Written { stream, text }));
    }
    if dmesg && message.is_some() {
        entry.set_kernel(message, seconds);
        entry.set_priority(number, facility.as_deref().zip(level.as_deref()));
        return Ok(Object::Dmesg);
    }
    Ok(if entry.has_message() { Object::Journal } else { Object::Other })
}

/// Keys that are not fields of the journal.
#[derive(Default)]
struct Found {
    message: Option<String>,
    seconds: Option<f64>,
    number: Option<i64>,
    facility: Option<String>,
    level: Option<String>,
    line: Option<String>,
    stream: Option<Stream>,
    /// Whether there is a priority, as in every record of dmesg.
    dmesg: bool,
}

struct Fields<'e>(&'e mut Entry);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let mut found = Found::default();
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match key.as_ref() {
                name if Entry::wants(name) => match map.next_value()? {
                    Value::Null if name == "MESSAGE" => self.0.leave_out_message(),
                    Value::Number(number) => self.0.set(name, &float(&number).to_string()),
                    value => {
                        if let Some(text) = text(value) {
                            self.0.set(name, &text);
                        }
                    }
                },
                "msg" => found.message = text(map.next_value()?),
                "time" => found.seconds = map.next_value::<Value>()?.as_f64(),
                "fac" => found.facility = text(map.next_value()?),
                "pri" => {
                    found.dmesg = true;
                    let value: Value = map.next_value()?;
                    #[allow(clippy::cast_possible_truncation, reason = "a priority is small")]
                    let number = value.as_f64().map(|number| number as i64);
                    (found.number, found.level) =
                        (number.or(found.number), text(value).or(found.level));
                }
                "log" => found.line = text(map.next_value()?),
                "stream" => {
                    let error = text(map.next_value()?).as_deref() == Some("stderr");
                    found.stream = Some(if error { Stream::Error } else { Stream::Out });
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }
}

/// The text of a value. A list contains the bytes of a text with invalid UTF-8 or control
/// characters, or the values of a repeated field, of which the first counts.
fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(plain_text(text.into()).into_owned()),
        Value::Array(values) => {
            let bytes: Vec<u8> = values.iter().filter_map(byte).collect();
            let bytes = || plain_text(String::from_utf8_lossy(&bytes)).into_owned();
            Some(values.iter().find_map(|value| text(value.clone())).unwrap_or_else(bytes))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
    }
}

fn float(number: &Number) -> f64 {
    number.as_f64().unwrap_or_else(|| unreachable!("it was read as one of 64 bits"))
}

fn byte(value: &Value) -> Option<u8> {
    let number = value.as_f64().filter(|number| (0.0..256.0).contains(number))?;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a byte, by the range above"
    )]
    Some(number as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::LogFormat;

    fn object(text: &str) -> (Object, Option<String>) {
        let mut entry = Entry::default();
        let object = read(text, &mut entry).unwrap();
        (object, entry.draft(LogFormat::JournalJson).map(|draft| draft.message.to_owned()))
    }

    #[test]
    fn messages_are_read_from_all_json_encodings() {
        let own = |text: &str| Some(text.to_owned());
        for (text, kind, message) in [
            (r#"{"MESSAGE":"a\nb","_TRANSPORT":"kernel"}"#, Object::Journal, own("a\nb")),
            (r#"{"MESSAGE":[97,27,91,51,49,109,98,255]}"#, Object::Journal, own("ab\u{FFFD}")),
            (r#"{"MESSAGE":null}"#, Object::Journal, own("")),
            (r#"{"MESSAGE":["one","two"]}"#, Object::Journal, own("one")),
            (r#"{"pri":6,"time":  3.25,"caller":"T1","msg":"x"}"#, Object::Dmesg, own("x")),
            (
                r#"{"log":"x\n","stream":"stdout","time":"t"}"#,
                Object::Container(Written { stream: Stream::Out, text: "x\n".into() }),
                None,
            ),
            (r#"{"level":"info","msg":"x"}"#, Object::Other, None),
            (r#"{"log":"x"}"#, Object::Other, None),
        ] {
            assert_eq!(object(text), (kind, message), "{text}");
        }
    }

    #[test]
    fn truncated_json_differs_from_invalid_json() {
        let mut entry = Entry::default();
        assert!(read("{\n\"MESSAGE\"", &mut entry).unwrap_err().is_eof());
        assert!(!read("{so it goes}", &mut entry).unwrap_err().is_eof());
        assert!(!read("{\"a\":1} b", &mut entry).unwrap_err().is_eof());
    }
}
