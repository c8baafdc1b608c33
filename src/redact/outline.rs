//! The classes of the bytes of a text, as bit sets. They show in one pass where an address, an id
//! or an encoding may begin; most lines have few such positions.

/// Letters, digits and `_`.
const WORD: usize = 0;
/// Hexadecimal digits.
const HEX: usize = 1;
/// Separators within addresses and ids.
const MARK: usize = 2;
/// Separators within mail addresses and domain names.
const SIGN: usize = 3;
/// First bytes of encodings, except hexadecimal digits.
const CODE: usize = 4;
const CLASSES: usize = 5;

/// For each byte the set of its classes: the lowest bit of byte `class` of the number.
const CLASS: [u64; 256] = {
    let mut class = [0; 256];
    let mut byte = 0_u8;
    loop {
        let is = [
            byte.is_ascii_alphanumeric() || byte == b'_',
            byte.is_ascii_hexdigit(),
            matches!(byte, b':' | b'-' | b'.' | b'_'),
            matches!(byte, b'@' | b'.'),
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

/// The classes of the bytes of a text, in blocks of 64 bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    blocks: Vec<[u64; CLASSES]>,
    /// Where in the text the first block begins.
    from: usize,
}

impl Outline {
    /// Of a text from a position on that no word stands before.
    pub(super) fn of(text: &[u8], from: usize) -> Self {
        Self { blocks: text[from..].chunks(64).map(block).collect(), from }
    }

    /// Positions at which a value with a shape may begin, and each `@` and `.` after a word.
    pub(super) fn values(&self) -> impl Iterator<Item = usize> {
        self.places(|at| {
            let marked = [1, 2, 3, 4, 8].iter().fold(0, |all, &by| all | at.ahead(MARK, by));
            at.starts() & at.ahead(HEX, 0) & (marked | at.ahead(HEX, 31))
                | at.ahead(SIGN, 0) & at.behind_word()
        })
    }

    /// Positions at which an encoding may begin.
    pub(super) fn codes(&self) -> impl Iterator<Item = usize> {
        self.places(|at| {
            let all = |by: &[u32]| by.iter().fold(!0, |all, &by| all & at.ahead(HEX, by));
            let long = || all(&[1, 2, 3, 4, 5, 6, 7]);
            let pairs = || {
                let words = [2, 5, 8, 11].iter().fold(0, |any, &by| any | at.ahead(WORD, by));
                all(&[1, 3, 4, 6, 7, 9, 10, 12, 13]) & !words
            };
            let digits = at.starts() & at.ahead(HEX, 0);
            at.ahead(CODE, 0) | if digits == 0 { 0 } else { digits & (long() | pairs()) }
        })
    }

    fn places(&self, bits: impl Fn(At<'_>) -> u64) -> impl Iterator<Item = usize> {
        (0..self.blocks.len()).flat_map(move |block| {
            let mut left = bits(At { blocks: &self.blocks, block });
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(self.from + block * 64 + bit)
            })
        })
    }
}

/// A block and its neighbours.
#[derive(Clone, Copy)]
struct At<'o> {
    blocks: &'o [[u64; CLASSES]],
    block: usize,
}

impl At<'_> {
    /// The positions with a byte of a class `by` positions later.
    fn ahead(self, class: usize, by: u32) -> u64 {
        let here = self.blocks[self.block][class] >> by;
        match self.blocks.get(self.block + 1) {
            Some(next) if by > 0 => here | next[class] << (64 - by),
            _ => here,
        }
    }

    /// The positions after a byte of a word.
    fn behind_word(self) -> u64 {
        let before = self.block.checked_sub(1).map_or(0, |before| self.blocks[before][WORD] >> 63);
        self.blocks[self.block][WORD] << 1 | before
    }

    /// The first positions of words.
    fn starts(self) -> u64 {
        self.blocks[self.block][WORD] & !self.behind_word()
    }
}

/// The classes of up to 64 bytes.
fn block(bytes: &[u8]) -> [u64; CLASSES] {
    let mut block = [0; CLASSES];
    let mut add = |index: usize, sum: u64| {
        for (bits, of_class) in block.iter_mut().zip(sum.to_le_bytes()) {
            *bits |= u64::from(of_class) << (8 * index);
        }
    };
    let (eights, rest) = bytes.as_chunks::<8>();
    eights.iter().enumerate().for_each(|(index, eight)| add(index, sum(eight)));
    if !rest.is_empty() {
        add(eights.len(), sum(rest));
    }
    block
}

/// A number whose byte `class` has a bit for each of up to eight bytes.
#[inline]
fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |sum, &byte| sum << 1 | CLASS[usize::from(byte)])
}
