//! Objects in JSON that carry a record: of `journalctl -o json`, of `dmesg -J`, of docker's log files.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::entry::Entry;
use super::wrapper::Stream;
use crate::input::plain_text;

/// What an object turned out to be.
#[derive(Debug, PartialEq)]
pub(super) enum Object {
    /// An entry of the journal: its fields are in the [`Entry`].
    Journal,
    /// A record of `dmesg -J`: it is in the [`Entry`].
    Dmesg,
    /// A line that a container wrote.
    Container(Written),
    /// Something else.
    Other,
}

/// A line of a container's log, with its line end unless it goes on in the next object.
#[derive(Debug, PartialEq)]
pub(super) struct Written {
    pub(super) stream: Stream,
    pub(super) text: String,
}

/// Reads one object into `entry`.
///
/// # Errors
/// If the text is no JSON object; [`serde_json::Error::is_eof`] if only its end is missing.
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

/// What is no field of the journal.
#[derive(Default)]
struct Found {
    message: Option<String>,
    seconds: Option<f64>,
    number: Option<i64>,
    facility: Option<String>,
    level: Option<String>,
    line: Option<String>,
    stream: Option<Stream>,
    /// A priority stands beside it, as in every record of dmesg.
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
                name if Entry::wants(name) => match map.next_value_seed(Value)? {
                    Scalar::Text(text) => self.0.set(name, &text),
                    Scalar::Number(number) => self.0.set(name, &number.to_string()),
                    Scalar::Null if name == "MESSAGE" => self.0.leave_out_message(),
                    Scalar::Null | Scalar::Other => {}
                },
                "msg" => found.message = map.next_value_seed(Value)?.text(),
                "time" => found.seconds = map.next_value_seed(Value)?.number(),
                "fac" => found.facility = map.next_value_seed(Value)?.text(),
                "pri" => {
                    found.dmesg = true;
                    match map.next_value_seed(Value)? {
                        Scalar::Text(text) => found.level = Some(text.into_owned()),
                        #[allow(clippy::cast_possible_truncation, reason = "a priority is small")]
                        Scalar::Number(number) => found.number = Some(number as i64),
                        Scalar::Null | Scalar::Other => {}
                    }
                }
                "log" => found.line = map.next_value_seed(Value)?.text(),
                "stream" => {
                    let error = map.next_value_seed(Value)?.text().as_deref() == Some("stderr");
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

/// A value as far as it matters here.
enum Scalar<'de> {
    Text(Cow<'de, str>),
    Number(f64),
    Null,
    Other,
}

impl Scalar<'_> {
    fn text(self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }

    fn number(self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }
}

struct Value;

impl<'de> DeserializeSeed<'de> for Value {
    type Value = Scalar<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Scalar<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value {
    type Value = Scalar<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Text(plain_text(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Text(plain_text(Cow::Owned(text.to_owned()))))
    }

    #[allow(clippy::cast_precision_loss, reason = "no value here has more than 52 bits")]
    fn visit_u64<E>(self, number: u64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number as f64))
    }

    #[allow(clippy::cast_precision_loss, reason = "no value here has more than 52 bits")]
    fn visit_i64<E>(self, number: i64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Number(number))
    }

    fn visit_unit<E>(self) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Scalar<'de>, E> {
        Ok(Scalar::Other)
    }

    /// The bytes of a text that is no UTF-8 or holds control characters, or the first of several
    /// values of one field.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Scalar<'de>, A::Error> {
        let mut bytes = Vec::new();
        let mut first = None;
        while let Some(value) = sequence.next_element_seed(Value)? {
            match value {
                Scalar::Number(number) if (0.0..256.0).contains(&number) => {
                    #[allow(
                        clippy::cast_possible_truncation,
                        clippy::cast_sign_loss,
                        reason = "a byte, by the range above"
                    )]
                    bytes.push(number as u8);
                }
                Scalar::Text(text) => first = first.or(Some(text)),
                _ => {}
            }
        }
        let text = || plain_text(Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()));
        Ok(Scalar::Text(first.unwrap_or_else(text)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Scalar<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Scalar::Other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Form;

    fn object(text: &str) -> (Object, Option<String>) {
        let mut entry = Entry::default();
        let object = read(text, &mut entry).unwrap();
        (object, entry.envelope(Form::JournalJson).map(|envelope| envelope.message.to_owned()))
    }

    #[test]
    fn a_message_comes_in_many_ways() {
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
    fn what_is_cut_is_told_from_what_is_wrong() {
        let mut entry = Entry::default();
        assert!(read("{\n\"MESSAGE\"", &mut entry).unwrap_err().is_eof());
        assert!(!read("{so it goes}", &mut entry).unwrap_err().is_eof());
        assert!(!read("{\"a\":1} b", &mut entry).unwrap_err().is_eof());
    }
}
