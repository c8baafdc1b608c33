//! A value that a user copied from a log: a number or word, with the text before it.

/// A number as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i64,
    /// Written in hexadecimal: with `0x`, or as the eight digits of a register without it.
    pub(super) hex: bool,
    /// Written with `0x`.
    pub(super) prefixed: bool,
    /// How many digits were written.
    pub(super) digits: usize,
}

impl Number {
    /// Reads a whole word.
    pub(super) fn read(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        let (digits, prefixed) = match lower.strip_prefix("0x") {
            Some(digits) => (digits, true),
            None => (lower.as_str(), false),
        };
        let hex = prefixed || (digits.len() == 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let value = if hex {
            // `from_str_radix` would accept a sign after the prefix.
            let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
            i64::from_str_radix(digits, 16).ok().filter(|_| all)?
        } else {
            digits.parse().ok().filter(|_| !digits.starts_with('+'))?
        };
        Some(Self { value, hex, prefixed, digits: digits.len() })
    }

    /// Reads a whole word that is hexadecimal, with `0x` or without.
    pub(super) fn hexadecimal(text: &str) -> Option<Self> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        let all = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let value = i64::from_str_radix(digits, 16).ok().filter(|_| all)?;
        let prefixed = digits.len() < text.len();
        Some(Self { value, hex: true, prefixed, digits: digits.len() })
    }

    /// The number as a register.
    pub(super) fn word(self) -> Option<u32> {
        u32::try_from(self.value).ok()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The whole text, with single spaces.
    pub(super) text: String,
    /// The text before the value, in lower case: `msg`, `from client`.
    pub(super) key: Option<String>,
    /// The value: the whole text if it has no key.
    pub(super) value: String,
    /// The text in brackets after the value: the `WAIT_REG_MEM` of `MISC (WAIT_REG_MEM)`.
    pub(super) bracket: Option<String>,
}

/// Maximum length of a text, in bytes.
const LONGEST: usize = 4096;

impl Asked {
    /// Parses a text; `None` if it is empty or longer than [`LONGEST`].
    pub(super) fn read(text: &str) -> Option<Self> {
        if text.len() > LONGEST {
            return None;
        }
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let quoted = |c: char| matches!(c, ',' | ';' | '`' | '"' | '\'');
        let text = text.trim_matches(quoted).trim_end_matches(['!', '.', '?']).to_owned();
        if text.is_empty() {
            return None;
        }
        let (outer, bracket) = bracketed(&text);
        let (key, value) = keyed(outer);
        let key = key.map(|key| key.trim().to_ascii_lowercase()).filter(|key| !key.is_empty());
        let (value, bracket) = (value.trim().to_owned(), bracket.map(str::to_owned));
        Some(Self { text, key, value, bracket })
    }

    /// The words of the value.
    pub(super) fn words(&self) -> impl Iterator<Item = &str> {
        self.value.split([' ', ',', '/']).filter(|word| !word.is_empty())
    }

    /// The value as one number.
    pub(super) fn number(&self) -> Option<Number> {
        Number::read(&self.value)
    }

    /// The value as the words of a 32-bit or 64-bit register in hexadecimal, the low word first.
    pub(super) fn long(&self) -> Option<[u32; 2]> {
        let lower = self.value.to_ascii_lowercase();
        let digits = lower.strip_prefix("0x")?;
        let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let value = u64::from_str_radix(digits, 16).ok().filter(|_| all)?;
        let half = |shift: u32| u32::try_from(value >> shift & u64::from(u32::MAX)).ok();
        Some([half(0)?, half(32)?])
    }

    /// The text in brackets after the value, as one number.
    pub(super) fn number_in_bracket(&self) -> Option<Number> {
        Number::read(self.bracket.as_deref()?)
    }

    /// The value with the text in brackets after it: `SQC (data)`.
    pub(super) fn whole(&self) -> Option<String> {
        Some(format!("{} ({})", self.value, self.bracket.as_ref()?))
    }

    /// All words as registers, if all of them are hexadecimal.
    pub(super) fn registers(&self) -> Option<Vec<u32>> {
        let read = |word| Number::read(word).filter(|number| number.hex)?.word();
        let registers: Option<Vec<u32>> = self.words().map(read).collect();
        registers.filter(|registers| !registers.is_empty())
    }
}

/// Splits `state(2)` and `MISC (WAIT_REG_MEM)` at their bracket.
fn bracketed(text: &str) -> (&str, Option<&str>) {
    let split = text.strip_suffix(')').and_then(|rest| rest.rsplit_once('('));
    match split {
        Some((outer, inner)) if !outer.trim().is_empty() && !inner.is_empty() => {
            (outer.trim_end(), Some(inner))
        }
        _ => (text, None),
    }
}

/// Splits off the key of a value: before the last `=`, else before the last colon, else before the
/// last space that precedes a number.
fn keyed(text: &str) -> (Option<&str>, &str) {
    // Two numbers with a colon are a PCI id, not a key and a value.
    let chip = text.split_once(':').is_some_and(|(first, _)| {
        Number::read(first).is_some() || text.parse::<crate::value::PciId>().is_ok()
    });
    let at = |separator| text.rsplit_once(separator).filter(|(_, value)| !value.is_empty());
    let number = |(key, value): (_, _)| Number::read(value).map(|_| (key, value));
    let split = at('=').or_else(|| at(':').filter(|_| !chip)).or_else(|| {
        // Two adjacent registers are not a key and a value.
        let (key, value) = at(' ').and_then(number)?;
        Number::read(key.rsplit(' ').next()?).is_none().then_some((key, value))
    });
    split.map_or((None, text), |(key, value)| (Some(key), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_split_from_the_text_before_it() {
        for (text, key, value, bracket) in [
            ("0x00801031", None, "0x00801031", None),
            ("GCVM_L2_X:0x00801031", Some("gcvm_l2_x"), "0x00801031", None),
            ("GPU reset begin!. Source:  5", Some("gpu reset begin!. source"), "5", None),
            ("msg=3", Some("msg"), "3", None),
            ("msg=MISC (WAIT_REG_MEM)", Some("msg"), "MISC", Some("WAIT_REG_MEM")),
            ("ring:24", Some("ring"), "24", None),
            ("from client 0x1b (UTCL2)", Some("from client"), "0x1b", Some("UTCL2")),
            ("state(2)", None, "state", Some("2")),
            ("1002:744c", None, "1002:744c", None),
            ("-110", None, "-110", None),
            ("ret -110", Some("ret"), "-110", None),
            ("0x10080002 0x000000a0", None, "0x10080002 0x000000a0", None),
            ("status/mask=00004000/00000000", Some("status/mask"), "00004000/00000000", None),
            ("REMOVE_QUEUE,", None, "REMOVE_QUEUE", None),
            ("a:", None, "a:", None),
        ] {
            let asked = Asked::read(text).unwrap();
            let got = (asked.key.as_deref(), asked.value.as_str(), asked.bracket.as_deref());
            assert_eq!(got, (key, value, bracket), "{text}");
        }
        assert_eq!(Asked::read(" , "), None);
        assert_eq!(Asked::read(&"x".repeat(5000)), None);
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (text, value, hex) in [
            ("0x1B", Some(0x1b), true),
            ("27", Some(27), false),
            ("-62", Some(-62), false),
            ("00004000", Some(0x4000), true),
            ("0x", None, false),
            ("0x-1", None, false),
            ("+1", None, false),
            ("744c", None, false),
            ("0xffffffffffffffff", None, false),
        ] {
            let number = Number::read(text);
            assert_eq!(number.map(|number| number.value), value, "{text}");
            assert_eq!(number.is_some_and(|number| number.hex), hex, "{text}");
        }
    }
}
