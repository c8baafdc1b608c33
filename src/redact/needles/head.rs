//! The comparison of a text with a string in small letters, by their first bytes at once.

/// Number of first bytes that are compared at once.
pub(super) const HEAD: usize = 8;

/// Whether a text begins with a string in small letters, if their first [`HEAD`] bytes are the same.
pub(super) fn begins_with(text: &[u8], small: &[u8]) -> bool {
    let rest = small.get(HEAD..).unwrap_or_default();
    text.len() >= small.len()
        && text[small.len() - rest.len()..][..rest.len()].eq_ignore_ascii_case(rest)
}

/// Whether a string in small letters is behind a text in the alphabet, if their first [`HEAD`] bytes are the same.
pub(super) fn is_behind(small: &[u8], text: &[u8]) -> bool {
    let text = text.iter().skip(HEAD).map(u8::to_ascii_lowercase);
    small.iter().copied().skip(HEAD).gt(text)
}

/// The first bytes of a text in small letters, as a number that is ordered as they are.
#[inline]
pub(super) fn head(text: &[u8]) -> u64 {
    let first = text.first_chunk::<HEAD>().copied().unwrap_or_else(|| {
        let mut first = [0; HEAD];
        first.iter_mut().zip(text).for_each(|(to, &from)| *to = from);
        first
    });
    small(u64::from_be_bytes(first))
}

/// Eight bytes with small letters instead of capitals.
#[inline]
fn small(bytes: u64) -> u64 {
    let all = |byte| u64::from_ne_bytes([byte; 8]);
    let low = bytes & all(0x7F);
    // The highest bit of each byte tells whether it is at least `A`, or more than `Z`.
    let (from_a, above_z) = (low + all(0x80 - b'A'), low + all(0x7F - b'Z'));
    let capitals = (from_a ^ above_z) & !bytes & all(0x80);
    bytes | capitals >> 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capitals_become_small_letters() {
        for byte in 0..=u8::MAX {
            let bytes = [byte, b'Z', 0, 0xFF, b'A', byte, b'@', b'['];
            let want = u64::from_be_bytes(bytes.map(|byte| byte.to_ascii_lowercase()));
            assert_eq!(small(u64::from_be_bytes(bytes)), want);
        }
    }
}
