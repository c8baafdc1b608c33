//! JSON serialisation without characters that could control the terminal.

use std::io;

use serde::Serialize;

use crate::document::untrusted::is_harmful;

/// Writes one document.
pub(in crate::report) fn whole(
    document: &impl Serialize,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Harmless::default());
    document.serialize(&mut serializer)?;
    writeln!(out)
}

/// Writes one object on a line of its own.
pub(in crate::report) fn line(object: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Plain);
    object.serialize(&mut serializer)?;
    writeln!(out)
}

/// A pretty formatter that escapes harmful characters.
#[derive(Default)]
struct Harmless<'i> {
    pretty: serde_json::ser::PrettyFormatter<'i>,
}

/// The same on one line.
struct Plain;

fn write_harmless<W: ?Sized + io::Write>(out: &mut W, fragment: &str) -> io::Result<()> {
    let mut rest = fragment;
    while let Some(at) = rest.find(is_harmful) {
        out.write_all(&rest.as_bytes()[..at])?;
        let Some(c) = rest[at..].chars().next() else { break };
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(out, "\\u{unit:04x}")?;
        }
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_all(rest.as_bytes())
}

impl serde_json::ser::Formatter for Plain {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_harmless(out, text)
    }
}

/// Forwards everything but strings to the pretty formatter.
macro_rules! forward {
    ($($name:ident($($argument:ident: $Type:ty),*);)*) => { $(
        fn $name<W: ?Sized + io::Write>(&mut self, out: &mut W $(, $argument: $Type)*) -> io::Result<()> {
            self.pretty.$name(out $(, $argument)*)
        }
    )* };
}

impl serde_json::ser::Formatter for Harmless<'_> {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        text: &str,
    ) -> io::Result<()> {
        write_harmless(out, text)
    }

    forward! {
        begin_array();
        end_array();
        begin_array_value(first: bool);
        end_array_value();
        begin_object();
        end_object();
        begin_object_key(first: bool);
        begin_object_value();
        end_object_value();
    }
}
