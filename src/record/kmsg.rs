//! Records of `/dev/kmsg` (`Documentation/ABI/testing/dev-kmsg`), and of netconsole in extended
//! format (`Documentation/networking/netconsole.rst`).

use super::LogFormat;
use super::draft::Draft;
use super::envelope::{Priority, buffer_origin};
use super::flow::Time;
use crate::value::Micros;

/// The header of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    /// The sequence number.
    pub(super) sequence: u64,
    /// Whether the record continues the previous one, as in old kernels.
    pub(super) follows: bool,
    /// The offset of these bytes in the record, if netconsole sent it in fragments.
    pub(super) offset: Option<u32>,
}

/// Maximum length of a header.
const HEAD: usize = 257;

/// Parses `[release,]priority,sequence,microseconds,flags[,key=value…];text`. The text is still
/// escaped, see [`ESCAPE`].
pub(super) fn read(line: &str) -> Option<Draft<&str>> {
    let end = line.bytes().take(HEAD).position(|byte| byte == b';')?;
    let (head, text) = (&line[..end], &line[end + 1..]);
    let mut fields = head.split(',');
    let mut first = fields.next()?;
    // Only a release contains a point.
    if first.contains('.') {
        first = fields.next()?;
    }
    let number = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<u64>().ok()).flatten()
    };
    let priority = Priority::of(i64::try_from(number(first)?).ok()?)?;
    let sequence = number(fields.next()?)?;
    let clock = i64::try_from(number(fields.next()?)?).ok()?;
    // Kernels before 3.6 have no flags.
    let mut follows = false;
    let mut offset = None;
    for field in fields {
        match field.split_once('=') {
            None if matches!(field, "-" | "c" | "+") => follows = field == "+",
            Some(("ncfrag", place)) => {
                let (before, total) = place.split_once('/')?;
                number(total)?;
                offset = Some(u32::try_from(number(before)?).ok()?);
            }
            Some(_) => {}
            None => return None,
        }
    }
    let time = Time { monotonic: Some(Micros(clock)), ..Time::default() };
    let (origin, message) = buffer_origin(Some(priority), text);
    let header = Some(Header { sequence, follows, offset });
    let draft = Draft::new(LogFormat::Kmsg, time, origin, message);
    Some(Draft { priority: Some(priority), buffered: true, header, ..draft })
}

/// `KEY=value`, indented by one space: a property of the record above.
pub(super) fn detail(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!key.is_empty() && key.len() <= 64 && key.bytes().all(plain)).then_some((key, value))
}

/// The prefix of an escaped byte, before two digits: `\x0a` is a newline.
pub(super) const ESCAPE: &str = r"\x";

/// Whether a line can be such a record.
pub(super) fn may_begin(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (1..=18).contains(&digits) && matches!(line.get(digits), Some(b',' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_read_in_all_its_forms() {
        for (line, sequence, clock, follows, text) in [
            ("6,1234,5678901,-;text; more", 1234, 5_678_901, false, "text; more"),
            ("6,1234,5678901;text", 1234, 5_678_901, false, "text"),
            ("3,9,10,c,caller=T7;text", 9, 10, false, "text"),
            ("4,9,10,+;text", 9, 10, true, "text"),
            ("6.17.8-rc1,6,503,40,-,ncfrag=0/196;te", 503, 40, false, "te"),
        ] {
            let draft = read(line).unwrap();
            let header = draft.header.unwrap();
            assert_eq!((header.sequence, header.follows), (sequence, follows), "{line}");
            assert_eq!(draft.time.monotonic, Some(Micros(clock)), "{line}");
            assert_eq!(draft.message, text, "{line}");
        }
        let header = read("6.17.8,6,503,40,-,ncfrag=70/196;te").unwrap().header;
        assert_eq!(header.unwrap().offset, Some(70));
        for line in
            ["1,2,3 are numbers; so", "6,1,2,x;text", "6,+1,2,-;text", "999,1,2,-;text", ";"]
        {
            assert_eq!(read(line), None, "{line}");
        }
    }

    #[test]
    fn escapes_are_undone_and_nothing_else() {
        let text = |text: &str| super::super::scan::unescaped(text, ESCAPE);
        assert_eq!(text("a\\x0ab\\x5cx41\\xc3\\x9c").as_deref(), Some("a\nb\\x41Ü"));
        assert_eq!(text("\\xg1 \\x1").as_deref(), Some("\\xg1 \\x1"));
        assert_eq!(text("plain"), None);
    }
}
