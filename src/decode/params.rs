//! Masks in module parameters: which bits were changed, and their meaning.

use crate::pattern::hardware::{Hardware, MaskBit, Parameter};
use crate::value::KernelVersion;

/// A mask compared with the driver's default. The lists are in the order of the bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MaskReading<'h> {
    pub value: u32,
    /// The driver's default; `None` for kernels that were not checked. Then no bit is listed as
    /// added or cleared.
    pub default: Option<u32>,
    /// Bits that are set in the value but not in the default.
    pub added: Vec<&'h MaskBit>,
    /// Bits that are set in the default but not in the value.
    pub cleared: Vec<&'h MaskBit>,
    /// Bits that are set in the value but have no effect in this kernel.
    pub without_effect: Vec<&'h MaskBit>,
    /// Bits that differ from the default and have no name in any kernel.
    pub unnamed: u32,
}

/// Decodes the value of `parameter`. `None` if it is not a number, or if the parameter is not a
/// mask with known bits.
pub(crate) fn mask_reading<'h>(
    parameter: &'h Parameter,
    value: &str,
    kernel: Option<KernelVersion>,
) -> Option<MaskReading<'h>> {
    let mask = parameter.mask.as_ref()?;
    let value = kernel_number(value)?;
    let default = mask.default_in(kernel);
    let changed = default.map_or(0, |default| value ^ default);
    let (mut added, mut cleared, mut without_effect) = (Vec::new(), Vec::new(), Vec::new());
    let mut unnamed = changed;
    for bit in &mask.bits {
        unnamed &= !bit.bit;
        // An unknown kernel counts as a new one; bits whose meaning was removed are omitted.
        let there = bit.span.holds(kernel).or(kernel.is_none().then_some(bit.span.until.is_none()));
        if there == Some(false) {
            if value & bit.bit == bit.bit && !has_meaning(&mask.bits, bit.bit, kernel) {
                without_effect.push(bit);
            }
        } else if value & changed & bit.bit != 0 {
            added.push(bit);
        } else if !value & changed & bit.bit != 0 {
            cleared.push(bit);
        }
    }
    without_effect.dedup_by_key(|bit| bit.bit);
    Some(MaskReading { value, default, added, cleared, without_effect, unnamed })
}

/// Whether `bit` may have a meaning in `kernel`: the meaning of a bit can change.
fn has_meaning(bits: &[MaskBit], bit: u32, kernel: Option<KernelVersion>) -> bool {
    bits.iter().any(|other| other.bit & bit != 0 && other.span.holds(kernel) != Some(false))
}

/// [`mask_reading`] of the parameter called `name`.
pub(crate) fn named_mask_reading<'h>(
    hardware: &'h Hardware,
    name: &str,
    value: &str,
    kernel: Option<KernelVersion>,
) -> Option<MaskReading<'h>> {
    mask_reading(hardware.parameter(name)?, value, kernel)
}

/// Parses a number as the kernel does for parameters (`kstrtouint` with base 0): hexadecimal with
/// `0x`, octal with `0`, else decimal.
pub(crate) fn kernel_number(text: &str) -> Option<u32> {
    let lower = text.trim().to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None if lower.len() > 1 && lower.starts_with('0') => (&lower[1..], 8),
        None => (lower.as_str(), 10),
    };
    // `from_str_radix` would accept a sign after the prefix.
    let signed = digits.starts_with(['+', '-']);
    u32::from_str_radix(digits, radix).ok().filter(|_| !signed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::hardware::tests::built_in;

    fn reading(name: &str, value: &str, kernel: &str) -> MaskReading<'static> {
        named_mask_reading(built_in(), name, value, kernel.parse().ok()).unwrap()
    }

    fn names(bits: &[&MaskBit]) -> String {
        bits.iter().map(|bit| bit.name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn power_feature_masks_are_compared_with_the_default() {
        for (value, cleared, added) in [
            ("0xfff7bfff", "", ""),
            ("0xffffffff", "", "OVERDRIVE GFX_DCS"),
            ("4294967295", "", "OVERDRIVE GFX_DCS"),
            ("0xfff7ffff", "", "OVERDRIVE"),
            ("0xffff7fff", "GFXOFF", "OVERDRIVE GFX_DCS"),
            ("0xfff73fff", "GFXOFF", ""),
            ("0xfffd7fff", "GFXOFF STUTTER_MODE", "OVERDRIVE GFX_DCS"),
            ("0xfffd3fff", "GFXOFF STUTTER_MODE", "GFX_DCS"),
            ("0xffffbfff", "", "GFX_DCS"),
        ] {
            for kernel in ["6.12.3", "unknown"] {
                let found = reading("amdgpu.ppfeaturemask", value, kernel);
                assert_eq!(
                    (names(&found.cleared), names(&found.added)),
                    (cleared.into(), added.into()),
                    "{value}"
                );
                assert_eq!((found.default, found.unnamed), (Some(0xfff7_bfff), 0), "{value}");
            }
        }
    }

    #[test]
    fn the_default_is_that_of_the_kernel() {
        assert_eq!(names(&reading("ppfeaturemask", "0xffffffff", "5.4.290").added), "OVERDRIVE");
        assert_eq!(names(&reading("ppfeaturemask", "0xffffffff", "4.16").added), "");
        let unchecked = reading("ppfeaturemask", "0x0", "5.12");
        assert_eq!((unchecked.default, names(&unchecked.cleared)), (None, String::new()));
        assert_eq!(reading("ppfeaturemask", "0x7ff7bfff", "6.12").unnamed, 0x8000_0000);
    }

    #[test]
    fn display_bits_count_from_the_kernel_that_has_them() {
        for (value, kernel, added, without_effect) in [
            ("0x10", "5.15", "", "DC_DISABLE_PSR"),
            ("0x10", "6.1", "DC_DISABLE_PSR", ""),
            ("0x10", "6.6", "DC_DISABLE_PSR DC_DISABLE_REPLAY", ""),
            ("0x10", "6.8", "DC_DISABLE_PSR", ""),
            ("0x600", "6.12", "DC_DISABLE_PSR_SU DC_DISABLE_REPLAY", ""),
            ("0x610", "6.12", "DC_DISABLE_PSR DC_DISABLE_PSR_SU DC_DISABLE_REPLAY", ""),
            ("0x600", "6.6", "", "DC_DISABLE_PSR_SU DC_DISABLE_REPLAY"),
            ("0x20000", "6.15", "DC_DISABLE_SUBVP", ""),
            ("0x20000", "6.16", "DC_DISABLE_SUBVP_FAMS", ""),
            ("0x20000", "6.12", "", "DC_DISABLE_SUBVP"),
            ("0x1000", "6.11", "", "DC_DISABLE_IPS_DYNAMIC"),
            ("0x1000", "6.12", "DC_DISABLE_IPS_DYNAMIC", ""),
            ("0x610", "unknown", "DC_DISABLE_PSR DC_DISABLE_PSR_SU DC_DISABLE_REPLAY", ""),
        ] {
            let found = reading("dcdebugmask", value, kernel);
            assert_eq!(names(&found.added), added, "{value} {kernel}");
            assert_eq!(names(&found.without_effect), without_effect, "{value} {kernel}");
        }
    }

    #[test]
    fn what_is_no_mask_is_not_read() {
        for (name, value) in [
            ("ppfeaturemask", "all"),
            ("ppfeaturemask", "-1"),
            ("ppfeaturemask", "0x-1"),
            ("runpm", "1"),
        ] {
            assert_eq!(named_mask_reading(built_in(), name, value, None), None, "{name}={value}");
        }
        assert_eq!(reading("dcdebugmask", "020", "6.12").value, 0x10);
    }
}
