//! The classes of the bytes of a text, as bit sets. They show in one pass where an address, an id
//! or an encoding may begin; most lines have few such positions.

mod block;

use block::{AT_SIGN, Block, CODE, COLON, DASH, DOT, HEX, LETTER, NOTHING, WORD, block};

/// The classes of the bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outline {
    blocks: Vec<Block>,
    /// Where in the text the first block begins.
    from: usize,
}

impl Outline {
    /// Of a text from a position on that no word stands before.
    pub(super) fn of(text: &[u8], from: usize) -> Self {
        Self { blocks: text[from..].chunks(64).map(block).collect(), from }
    }

    /// Positions at which a value with a shape may begin, and each `@` and `.` that may stand in
    /// a mail address or before the last part of a domain name.
    pub(super) fn values(&self) -> impl Iterator<Item = usize> {
        self.places(|at| {
            let digits = at.starts() & at.here(HEX);
            let of_word = if digits == 0 { 0 } else { digits & at.shapes() };
            let signs = at.here(AT_SIGN) | at.here(DOT) & ahead(at.on(LETTER), 1);
            of_word | signs & at.behind(WORD)
        })
    }

    /// Positions at which an encoding may begin.
    pub(super) fn codes(&self) -> impl Iterator<Item = usize> {
        self.places(|at| {
            let digits = at.starts() & at.here(HEX);
            let encoded = if digits == 0 { 0 } else { digits & (at.long() | at.pairs()) };
            at.here(CODE) | encoded
        })
    }

    /// The first positions of words that begin with at least eight hexadecimal digits.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.places(|at| at.starts() & at.long())
    }

    fn places(&self, bits: impl Fn(At<'_>) -> u64) -> impl Iterator<Item = usize> {
        let block = |index: usize| self.blocks.get(index).unwrap_or(&NOTHING);
        (0..self.blocks.len()).flat_map(move |index| {
            let before = block(index.wrapping_sub(1));
            let mut left = bits(At { before, here: block(index), next: block(index + 1) });
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(self.from + index * 64 + bit)
            })
        })
    }
}

/// A block and its neighbours.
#[derive(Clone, Copy)]
struct At<'o> {
    before: &'o Block,
    here: &'o Block,
    next: &'o Block,
}

impl At<'_> {
    /// The positions with a byte of a class.
    #[inline]
    fn here(self, class: usize) -> u64 {
        self.here[class]
    }

    /// The same from this block on, and in the next one.
    #[inline]
    fn on(self, class: usize) -> u128 {
        u128::from(self.here[class]) | u128::from(self.next[class]) << 64
    }

    /// The positions after a byte of a class.
    #[inline]
    fn behind(self, class: usize) -> u64 {
        self.here[class] << 1 | self.before[class] >> 63
    }

    /// The first positions of words.
    #[inline]
    fn starts(self) -> u64 {
        self.here(WORD) & !self.behind(WORD)
    }

    /// The positions behind which separators stand as in an address or an id, in one of the
    /// spellings that `shape` knows, or many digits.
    #[inline]
    fn shapes(self) -> u64 {
        let [hex, colon, dash, dot] = [HEX, COLON, DASH, DOT].map(|class| self.on(class));
        let marks = colon | dash;
        // `00:11:22:aa:bb:cc`, `6e.31.76.81.3e.02`, `8a68.ef78.6e4d`, `fe80:`, `2001-`.
        let [one, two, three, four, five, six, seven] =
            [1, 2, 3, 4, 5, 6, 7].map(|by| ahead(dot, by));
        let mac = ahead(marks, 2) & ahead(marks, 5) | two & five | four & ahead(dot, 9);
        let few = ahead(hex, 2) & ahead(hex, 3);
        let ipv6 = ahead(marks, 4) & few;
        // `10.0.0.5`, `ip-10-0-0-5`.
        let ipv4 = one & (three | four | five) | two & (four | six) | three & (five | six | seven);
        let dashed = ahead(dash, 1) | ahead(dash, 2) | ahead(dash, 3);
        let dashed = dashed & (self.behind(DASH) | self.behind(DOT));
        // `123e4567-`, `123e4567_`, `123e4567:`, and ids without separators.
        let line = self.on(WORD) & !self.on(LETTER) & !hex;
        let id = ahead(marks | line, 8) | ahead(hex, 16) & ahead(hex, 31);
        mac | ipv6 | ipv4 | dashed | id & few & ahead(hex, 7)
    }

    /// The positions of eight hexadecimal digits in a row.
    #[inline]
    fn long(self) -> u64 {
        let one = self.on(HEX);
        let two = one & one >> 1;
        let four = two & two >> 2;
        ahead(four, 0) & ahead(four, 4)
    }

    /// The positions of five pairs of hexadecimal digits with something between them.
    #[inline]
    fn pairs(self) -> u64 {
        let (hex, word) = (self.on(HEX), self.on(WORD));
        let pair = hex & hex >> 1 & !(word >> 2);
        ahead(pair, 0)
            & ahead(pair, 3)
            & ahead(pair, 6)
            & ahead(pair, 9)
            & ahead(hex & hex >> 1, 12)
    }
}

#[inline]
fn ahead(bits: u128, by: u32) -> u64 {
    u64::try_from(bits >> by & u128::from(u64::MAX)).unwrap_or(0)
}
