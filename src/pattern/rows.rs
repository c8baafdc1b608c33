//! Tables of numbers and texts that are used in their stored form: rebuilding them would take
//! longer than reading a short log.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The size of a number in bytes.
const NUMBER: usize = size_of::<u32>();

/// Bytes from the program's binary, or built when pattern files were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Bytes(Cow<'static, [u8]>);

impl Bytes {
    /// The bytes in `range`; empty if it exceeds the end.
    pub(super) fn get(&self, range: Range<usize>) -> &[u8] {
        self.0.get(range).unwrap_or_default()
    }

    /// Appends `bytes`, and returns their range.
    pub(super) fn push(&mut self, bytes: &[u8]) -> [u32; 2] {
        let from = self.0.len();
        self.0.to_mut().extend_from_slice(bytes);
        [number(from), number(self.0.len())]
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de: 'static> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'static [u8]>::deserialize(deserializer).map(|bytes| Self(Cow::Borrowed(bytes)))
    }
}

/// Rows of `N` numbers.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(super) struct Rows<const N: usize>(Bytes);

impl<const N: usize> Rows<N> {
    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.0.0.len() / (N * NUMBER)
    }

    /// The row at index `at`.
    pub(super) fn get(&self, at: usize) -> Option<[u32; N]> {
        let from = at.checked_mul(N * NUMBER)?;
        read(self.0.0.get(from..from.checked_add(N * NUMBER)?)?)
    }

    /// The rows in `range`; none if it exceeds the end.
    pub(super) fn of(
        &self,
        range: Range<usize>,
    ) -> impl DoubleEndedIterator<Item = [u32; N]> + Clone + '_ {
        let size = N * NUMBER;
        let bytes = self.0.get(range.start.saturating_mul(size)..range.end.saturating_mul(size));
        bytes.chunks_exact(size).filter_map(read)
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: [u32; N]) {
        for number in row {
            self.0.push(&number.to_le_bytes());
        }
    }

    /// Replaces the row at index `at`.
    pub(super) fn set(&mut self, at: usize, row: [u32; N]) {
        let places = self.0.0.to_mut().chunks_exact_mut(NUMBER).skip(at * N);
        for (place, number) in places.zip(row) {
            place.copy_from_slice(&number.to_le_bytes());
        }
    }
}

impl<const N: usize> FromIterator<[u32; N]> for Rows<N> {
    fn from_iter<I: IntoIterator<Item = [u32; N]>>(rows: I) -> Self {
        let mut all = Self::default();
        for row in rows {
            all.push(row);
        }
        all
    }
}

fn read<const N: usize>(bytes: &[u8]) -> Option<[u32; N]> {
    let numbers: &[[u8; NUMBER]; N] = bytes.as_chunks().0.try_into().ok()?;
    Some(numbers.map(u32::from_le_bytes))
}

/// A position in a table; tables are smaller than 4 GiB.
pub(super) fn number(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}

/// The range that two numbers of a row describe.
pub(super) const fn range(from: u32, to: u32) -> Range<usize> {
    from as usize..to as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_as_they_were_stored() {
        let mut rows: Rows<3> = [[1, 2, 3], [4, 5, 6], [7, 8, u32::MAX]].into_iter().collect();
        rows.set(1, [9, 9, 9]);
        let stored: &'static [u8] = Box::leak(postcard::to_stdvec(&rows).unwrap().into());
        let read: Rows<3> = postcard::from_bytes(stored).unwrap();
        assert_eq!(read.len(), 3);
        assert_eq!(read.get(2), Some([7, 8, u32::MAX]));
        assert_eq!((read.get(3), read.get(usize::MAX)), (None, None));
        assert_eq!(read.of(0..2).collect::<Vec<_>>(), [[1, 2, 3], [9, 9, 9]]);
        assert_eq!(read.of(2..4).count(), 0);
    }
}
