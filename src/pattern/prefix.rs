//! A tree of prefixes, to find all formats that a text begins with in one pass.

use std::ops::Range;

use memchr::memchr;
use serde::{Deserialize, Serialize};

/// Up to this length a loop is faster than a call of memcmp, in bytes.
const FEW: usize = 4;

/// A tree of prefixes. A space in a prefix matches any run of spaces and tabs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Prefixes {
    /// All labels, concatenated.
    text: Vec<u8>,
    nodes: Vec<Node>,
    /// The first byte of each node's label.
    firsts: Vec<u8>,
    places: Vec<u32>,
}

/// A node: the common beginning of several prefixes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Node {
    /// The text that it appends to its parent.
    label: Range<usize>,
    /// Its children.
    below: Range<usize>,
    /// The indices of the prefixes that end here or above, sorted.
    places: Range<usize>,
    /// The length of the prefixes that end here.
    depth: usize,
}

/// The prefixes that a text begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Beginnings<'p> {
    /// Their indices, sorted.
    pub(super) places: &'p [u32],
    /// The length of the longest one.
    pub(super) longest: usize,
    /// The end of the longest one in the text, including spaces if it ends with one.
    pub(super) end: usize,
}

impl Prefixes {
    /// Builds the tree of `prefixes`, each with its position in the order of trial.
    pub(super) fn new(mut prefixes: Vec<(&str, u32)>) -> Self {
        prefixes.sort_unstable();
        let root = Node::default();
        let mut tree =
            Self { text: Vec::new(), nodes: vec![root], firsts: vec![0], places: Vec::new() };
        tree.fill(0, &prefixes, 0, &[]);
        tree
    }

    /// Fills node `at`, which all of `prefixes` reach with their first `depth` bytes, and its
    /// children. `above` are the indices of shorter prefixes.
    fn fill(&mut self, at: usize, prefixes: &[(&str, u32)], depth: usize, above: &[u32]) {
        let ends = prefixes.partition_point(|(prefix, _)| prefix.len() == depth);
        let (here, longer) = prefixes.split_at(ends);
        let mut places: Vec<u32> = above.to_vec();
        places.extend(here.iter().map(|(_, place)| *place));
        places.sort_unstable();
        let from = self.places.len();
        self.places.extend_from_slice(&places);
        let first = |prefix: &&(&str, u32)| prefix.0.as_bytes().get(depth).copied();
        let groups: Vec<_> = longer.chunk_by(|one, other| first(&one) == first(&other)).collect();
        let below = self.nodes.len()..self.nodes.len() + groups.len();
        if let Some(node) = self.nodes.get_mut(at) {
            node.places = from..from + places.len();
            node.below = below.clone();
            node.depth = depth;
        }
        self.nodes.resize(below.end, Node::default());
        self.firsts.extend(groups.iter().filter_map(|group| group.first().and_then(|p| first(&p))));
        for (index, group) in below.zip(groups) {
            let shared = shared(group);
            let label = group.first().and_then(|(prefix, _)| prefix.as_bytes().get(depth..shared));
            let start = self.text.len();
            self.text.extend_from_slice(label.unwrap_or_default());
            if let Some(node) = self.nodes.get_mut(index) {
                node.label = start..self.text.len();
            }
            self.fill(index, group, shared, &places);
        }
    }

    /// The prefixes that `text` begins with.
    pub(super) fn of(&self, text: &str) -> Beginnings<'_> {
        let mut rest = text.as_bytes();
        let mut node = self.nodes.first();
        while let Some(next) = node.and_then(|node| self.below(node, *rest.first()?)) {
            let label = self.text.get(next.label.clone()).unwrap_or_default();
            let Some(behind) = behind(rest, label) else { break };
            rest = behind;
            node = Some(next);
        }
        Beginnings {
            places: node.and_then(|node| self.places.get(node.places.clone())).unwrap_or_default(),
            longest: node.map_or(0, |node| node.depth),
            end: text.len() - rest.len(),
        }
    }

    /// The indices of the prefixes that `text` begins with, and of those that begin with `text`.
    pub(super) fn meeting(&self, text: &str) -> Vec<u32> {
        let mut rest = text.as_bytes();
        let Some(mut node) = self.nodes.first() else { return Vec::new() };
        let here = |node: &Node| self.places.get(node.places.clone()).unwrap_or_default().to_vec();
        while let Some(first) = rest.first() {
            let Some(next) = self.below(node, *first) else { return here(node) };
            let label = self.text.get(next.label.clone()).unwrap_or_default();
            match behind(rest, label) {
                Some(behind) => (rest, node) = (behind, next),
                None if label.starts_with(rest) => return self.under(next),
                None => return here(node),
            }
        }
        self.under(node)
    }

    /// The indices of all prefixes below a node.
    fn under(&self, node: &Node) -> Vec<u32> {
        let mut places = Vec::new();
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            places.extend_from_slice(self.places.get(node.places.clone()).unwrap_or_default());
            nodes.extend(self.nodes.get(node.below.clone()).unwrap_or_default());
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    fn below(&self, node: &Node, first: u8) -> Option<&Node> {
        let first = if first == b'\t' { b' ' } else { first };
        let firsts = self.firsts.get(node.below.clone())?;
        // Most nodes have two children, for which a search is not worthwhile.
        let found = match firsts.len() {
            ..=FEW => firsts.iter().position(|other| *other == first)?,
            _ => memchr(first, firsts)?,
        };
        self.nodes.get(node.below.start + found)
    }
}

/// The length of the common beginning of `sorted`.
fn shared(sorted: &[(&str, u32)]) -> usize {
    let (Some((first, _)), Some((last, _))) = (sorted.first(), sorted.last()) else { return 0 };
    first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count()
}

/// The rest of `text` after `label`, if it begins with it. A space in the label matches any run of
/// spaces and tabs.
pub(super) fn behind<'t>(text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    // Most texts differ in the first bytes, which needs no call.
    let differs = matches!((text, label), ([a, b, ..], [x, y, ..]) if a != x || b != y);
    let rest = if differs { None } else { text.strip_prefix(label) };
    let Some(rest) = rest else { return behind_folded(text, label) };
    Some(if label.ends_with(b" ") { unblanked(rest) } else { rest })
}

/// As [`behind`], if the text has other whitespace than the label.
fn behind_folded<'t>(mut text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    for byte in label {
        let (first, rest) = text.split_first()?;
        text = match (byte, first) {
            (b' ', b' ' | b'\t') => unblanked(rest),
            _ if byte == first => rest,
            _ => return None,
        };
    }
    Some(text)
}

/// `text` without leading spaces and tabs.
fn unblanked(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    text.get(blanks..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_prefixes_of_a_text_are_found_in_order() {
        let prefixes = ["ring ", "[", "ring reset", "ring", "RW: 0x", "", "r", "é", "è"];
        let tree = Prefixes::new(prefixes.into_iter().zip(0..).collect());
        for (text, want) in [
            ("ring gfx", &[0, 3, 5, 6][..]),
            ("ring \t reset(1)", &[0, 2, 3, 5, 6]),
            ("rings", &[3, 5, 6]),
            ("RW:\t0x1", &[4, 5]),
            ("RW:0x1", &[5]),
            ("è1", &[5, 8]),
            ("ê", &[5]),
            ("", &[5]),
        ] {
            assert_eq!(tree.of(text).places, want, "{text}");
        }
    }

    #[test]
    fn where_the_longest_prefix_ends_is_known() {
        let tree = Prefixes::new(vec![("ring ", 0), ("ring reset", 1), ("ring", 2)]);
        for (text, longest, end) in
            [("ring  gfx", 5, 6), ("ring \t reset(1)", 10, 12), ("rings", 4, 4), ("rin", 0, 0)]
        {
            let found = tree.of(text);
            assert_eq!((found.longest, found.end), (longest, end), "{text}");
        }
    }
}
