//! The table of one-line envelopes. To add one, add an entry and a function that reads it; the
//! variant is in [`super::LogFormat`].

use super::draft::Draft;
use super::envelope::Context;
use super::{FormatFamily, dmesg, kmsg, syslog, talos};

/// An envelope, or several that begin alike.
struct Envelope {
    family: FormatFamily,
    /// Whether a line can have it, judged by its first bytes: most lines are tried with one
    /// envelope only.
    may_begin: fn(&[u8]) -> bool,
    read: for<'a> fn(&'a str, Context<'_>) -> Option<Draft<&'a str>>,
}

/// In the order in which they are tried.
const ENVELOPES: [Envelope; 7] = [
    Envelope {
        family: FormatFamily::Logcat,
        may_begin: |line| begins_with_digit(line) && line.get(2) == Some(&b'-'),
        read: |line, _| syslog::logcat(line),
    },
    Envelope {
        family: FormatFamily::Kmsg,
        may_begin: kmsg::may_begin,
        read: |line, _| kmsg::read(line),
    },
    Envelope {
        family: FormatFamily::Syslog,
        may_begin: |line| {
            matches!(line, [b'<' | b'A'..=b'Z', ..])
                || begins_with_digit(line) && !has_comma_of_iso(line)
        },
        read: syslog::read,
    },
    Envelope {
        family: FormatFamily::Dmesg,
        may_begin: |line| {
            matches!(line, [b'[' | b'<' | b'a'..=b'z' | 0x80.., ..]) || has_comma_of_iso(line)
        },
        read: dmesg::read,
    },
    // Names of months or days in other languages.
    Envelope {
        family: FormatFamily::Syslog,
        may_begin: |line| matches!(line, [b'a'..=b'z' | 0x80.., ..]),
        read: syslog::read,
    },
    Envelope {
        family: FormatFamily::Syslog,
        may_begin: |line| line.starts_with(b"["),
        read: |line, context| dmesg::read(line, context).filter(|draft| draft.form.is_journal()),
    },
    Envelope {
        family: FormatFamily::Dmesg,
        may_begin: |line| line.first().is_some_and(u8::is_ascii_alphanumeric),
        read: |line, _| talos::read(line),
    },
];

fn begins_with_digit(line: &[u8]) -> bool {
    line.first().is_some_and(u8::is_ascii_digit)
}

/// Whether a comma follows the seconds of an ISO time, as in dmesg.
fn has_comma_of_iso(line: &[u8]) -> bool {
    begins_with_digit(line) && line.get(19) == Some(&b',')
}

/// Removes the envelope of a line: any, or one of the family that the user gave.
pub(super) fn read<'a>(
    line: &'a str,
    only: Option<FormatFamily>,
    context: Context<'_>,
) -> Option<Draft<&'a str>> {
    let bytes = line.as_bytes();
    let mut asked = ENVELOPES.iter().filter(|envelope| {
        only.is_none_or(|only| only == envelope.family) && (envelope.may_begin)(bytes)
    });
    asked.find_map(|envelope| (envelope.read)(line, context))
}
