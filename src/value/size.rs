//! Amounts of memory, as programs print them: `978.00 MiB`.

use std::fmt;

use super::field::{Conversion, Field, FieldKind, Shape, Value};

/// The units, largest first.
const UNITS: [(&str, u64); 4] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// An amount of memory in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemorySize(u64);

impl Field for MemorySize {
    const KIND: FieldKind = FieldKind::Number;
    const SHAPE: Shape = u64::SHAPE;

    fn read(text: &str, _: Conversion) -> Option<Self> {
        let (digits, unit) = text.split_once(' ').unwrap_or((text, "bytes"));
        let known = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, bytes)| *bytes);
        let unit = known.or_else(|| (unit == "bytes").then_some(1))?;
        let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
        let tens = 10_u64.checked_pow(u32::try_from(part.len()).ok()?)?;
        let part = part.parse::<u64>().ok()?.checked_mul(unit)?.checked_div(tens)?;
        whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part).map(Self)
    }

    fn value(&self) -> Value {
        self.0.value()
    }

    fn in_words(&self) -> String {
        self.to_string()
    }
}

/// In the largest unit of which there is one, with at most two decimals: `15.98 GiB`.
impl fmt::Display for MemorySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((name, unit)) = UNITS.iter().find(|(_, unit)| self.0 >= *unit) else {
            return write!(f, "{} bytes", self.0);
        };
        // Rounded, so that what was printed comes back.
        let hundredths = (u128::from(self.0) * 100 + u128::from(*unit) / 2) / u128::from(*unit);
        let (whole, part) = (hundredths / 100, hundredths % 100);
        match (part % 10, part) {
            (_, 0) => write!(f, "{whole} {name}"),
            (0, part) => write!(f, "{whole}.{} {name}", part / 10),
            (_, part) => write!(f, "{whole}.{part:02} {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_is_shown_in_its_largest_unit() {
        for (printed, want) in [
            ("978.00 MiB", "978 MiB"),
            ("15.98 GiB", "15.98 GiB"),
            ("67584.00 MiB", "66 GiB"),
            ("0 bytes", "0 bytes"),
            ("2147483648", "2 GiB"),
            ("1.50 KiB", "1.5 KiB"),
        ] {
            let read = MemorySize::read(printed, Conversion::Text).map(|size| size.to_string());
            assert_eq!(read.as_deref(), Some(want), "{printed}");
        }
        for wrong in ["", "12 GB", "x MiB", "1.2.3 GiB", "99999999999999999999 TiB"] {
            assert_eq!(MemorySize::read(wrong, Conversion::Text), None, "{wrong}");
        }
    }
}
