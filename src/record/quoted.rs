//! Detects records that are repeated because a reply quotes them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::flow::Time;
use crate::value::Micros;

/// Maximum number of records to remember; no mail has more.
const LIMIT: usize = 10_000;

/// The first records of an input, and their depth of quoting.
#[derive(Debug, Default)]
pub(super) struct Quoted {
    /// Keys of records that are not quoted, until the first quotation needs them.
    plain: Vec<u64>,
    known: HashMap<u64, usize>,
}

impl Quoted {
    /// Remembers a record that is not quoted.
    pub(super) fn remember(&mut self, clock: Option<Micros>, wall: Option<Micros>, message: &str) {
        if !self.is_full() && (clock, wall) != (None, None) {
            self.plain.push(key(clock, wall, message));
        }
    }

    /// Whether a record with this depth of quoting is a repetition.
    pub(super) fn is_again(&mut self, quotes: usize, time: &Time, message: &str) -> bool {
        let (clock, wall) = (time.monotonic, time.wall.map(|wall| wall.local));
        if quotes == 0 {
            self.remember(clock, wall, message);
            return false;
        }
        if (clock, wall) == (None, None) {
            return false;
        }
        let full = self.is_full();
        for plain in self.plain.drain(..) {
            self.known.entry(plain).or_insert(0);
        }
        let key = key(clock, wall, message);
        match self.known.get(&key) {
            Some(known) => *known != quotes,
            None => {
                if !full {
                    self.known.insert(key, quotes);
                }
                false
            }
        }
    }

    fn is_full(&self) -> bool {
        self.plain.len() + self.known.len() >= LIMIT
    }
}

fn key(clock: Option<Micros>, wall: Option<Micros>, message: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (clock, wall, message).hash(&mut hasher);
    hasher.finish()
}
