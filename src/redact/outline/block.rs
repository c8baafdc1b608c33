//! The classes of 64 bytes of a text.

/// Letters, digits and `_`.
pub(super) const WORD: usize = 0;
/// Hexadecimal digits.
pub(super) const HEX: usize = 1;
pub(super) const COLON: usize = 2;
pub(super) const DASH: usize = 3;
pub(super) const DOT: usize = 4;
pub(super) const AT_SIGN: usize = 5;
/// Letters.
pub(super) const LETTER: usize = 6;
/// First bytes of encodings, except hexadecimal digits.
pub(super) const CODE: usize = 7;
const CLASSES: usize = 8;

/// For each byte the set of its classes: the lowest bit of byte `class` of the number.
const CLASS: [u64; 256] = {
    let mut class = [0; 256];
    let mut byte = 0_u8;
    loop {
        let is = [
            byte.is_ascii_alphanumeric() || byte == b'_',
            byte.is_ascii_hexdigit(),
            byte == b':',
            byte == b'-',
            byte == b'.',
            byte == b'@',
            byte.is_ascii_alphabetic(),
            matches!(byte, b'%' | b'\\' | b'&' | b'=' | b'[' | 0x1B | 0xC2 | 0xE2 | 0xEF),
        ];
        let mut index = 0;
        while index < CLASSES {
            class[byte as usize] |= (is[index] as u64) << (8 * index);
            index += 1;
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    class
};

/// The classes of 64 bytes: one bit for each byte.
pub(super) type Block = [u64; CLASSES];
pub(super) const NOTHING: Block = [0; CLASSES];

/// The classes of up to 64 bytes.
pub(super) fn block(bytes: &[u8]) -> Block {
    let (eights, rest) = bytes.as_chunks::<8>();
    // Without a loop that stores the rows, which would have to be read again at once.
    transposed(std::array::from_fn(|row| match eights.get(row) {
        Some(eight) => classes(eight),
        None if row == eights.len() => classes(rest),
        None => 0,
    }))
}

/// A number whose byte `class` has a bit for each of up to eight bytes.
#[inline]
fn classes(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 1 | CLASS[usize::from(byte)])
}

/// Byte `b` of row `a` becomes byte `a` of row `b`: squares of one, two and four bytes change
/// their places.
#[inline]
fn transposed(mut rows: [u64; 8]) -> [u64; 8] {
    for (width, kept) in [(1, 0x00FF_00FF_00FF_00FF), (2, 0x0000_FFFF_0000_FFFF), (4, 0xFFFF_FFFF)]
    {
        for row in (0..8).filter(|row| row & width == 0) {
            let (low, high) = (rows[row], rows[row + width]);
            rows[row] = low & kept | (high & kept) << (8 * width);
            rows[row + width] = low >> (8 * width) & kept | high & !kept;
        }
    }
    rows
}
