//! A tree of prefixes, to find all formats that a text begins with in one pass.

use std::ops::Range;

use memchr::memchr;
use serde::{Deserialize, Serialize};

use super::rows::{Bytes, Rows, number, range};

/// Up to this number of children, a loop is faster than a call of memchr.
const FEW: usize = 4;

/// A tree of prefixes. A space in a prefix matches any run of spaces and tabs.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(super) struct Prefixes {
    /// All labels, concatenated.
    text: Bytes,
    nodes: Rows<{ Node::NUMBERS }>,
    /// The first byte of each node's label.
    firsts: Bytes,
    places: Rows<1>,
}

/// A node: the common beginning of several prefixes.
#[derive(Clone, Debug, Default)]
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

impl Node {
    /// The number of numbers in its stored form.
    const NUMBERS: usize = 7;

    fn row(&self) -> [u32; Self::NUMBERS] {
        let Self { label, below, places, depth } = self;
        let ends = |range: &Range<usize>| [number(range.start), number(range.end)];
        let ([label, label_end], [below, below_end]) = (ends(label), ends(below));
        let [places, places_end] = ends(places);
        [label, label_end, below, below_end, places, places_end, number(*depth)]
    }

    const fn read(row: [u32; Self::NUMBERS]) -> Self {
        let [label, label_end, below, below_end, places, places_end, depth] = row;
        Self {
            label: range(label, label_end),
            below: range(below, below_end),
            places: range(places, places_end),
            depth: depth as usize,
        }
    }
}

/// The prefixes that a text begins with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Beginnings {
    /// The range of their indices in [`Prefixes::places`].
    places: Range<usize>,
    /// The length of the longest one.
    pub(super) longest: usize,
    /// The end of the longest one in the text, including spaces if it ends with one.
    pub(super) end: usize,
}

impl Prefixes {
    /// Builds the tree of `prefixes`, each with its position in the order of trial.
    pub(super) fn new(mut prefixes: Vec<(&str, u32)>) -> Self {
        prefixes.sort_unstable();
        let mut tree = Self::default();
        tree.add(b"");
        tree.fill(0, &prefixes, 0, &[]);
        tree
    }

    /// Adds a node that adds `label` to the one above it.
    fn add(&mut self, label: &[u8]) {
        let [from, to] = self.text.push(label);
        self.nodes.push(Node { label: range(from, to), ..Node::default() }.row());
        self.firsts.push(&[label.first().copied().unwrap_or_default()]);
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
        for place in &places {
            self.places.push([*place]);
        }
        let first = |prefix: &&(&str, u32)| prefix.0.as_bytes().get(depth).copied();
        let groups: Vec<_> = longer.chunk_by(|one, other| first(&one) == first(&other)).collect();
        let below = self.nodes.len()..self.nodes.len() + groups.len();
        if let Some(mut node) = self.node(at) {
            node.places = from..from + places.len();
            node.below = below.clone();
            node.depth = depth;
            self.nodes.set(at, node.row());
        }
        for group in &groups {
            let label =
                group.first().and_then(|(prefix, _)| prefix.as_bytes().get(depth..shared(group)));
            self.add(label.unwrap_or_default());
        }
        for (index, group) in below.zip(groups) {
            self.fill(index, group, shared(group), &places);
        }
    }

    fn node(&self, at: usize) -> Option<Node> {
        self.nodes.get(at).map(Node::read)
    }

    /// The prefixes that `text` begins with.
    pub(super) fn of(&self, text: &str) -> Beginnings {
        let mut rest = text.as_bytes();
        let mut node = self.node(0).unwrap_or_default();
        while let Some(next) = rest.first().and_then(|first| self.below(&node, *first)) {
            let Some(behind) = rest_after(rest, self.text.get(next.label.clone())) else { break };
            rest = behind;
            node = next;
        }
        let Node { places, depth, .. } = node;
        Beginnings { places, longest: depth, end: text.len() - rest.len() }
    }

    /// The places of the prefixes that a text begins with, in their order.
    pub(super) fn places(&self, found: Beginnings) -> impl Iterator<Item = u32> + Clone + '_ {
        self.places.of(found.places).map(|[place]| place)
    }

    /// The indices of the prefixes that `text` begins with, and of those that begin with `text`.
    pub(super) fn meeting(&self, text: &str) -> Vec<u32> {
        let mut rest = text.as_bytes();
        let Some(mut node) = self.node(0) else { return Vec::new() };
        let here = |node: &Node| self.places.of(node.places.clone()).map(|[place]| place).collect();
        while let Some(first) = rest.first() {
            let Some(next) = self.below(&node, *first) else { return here(&node) };
            let label = self.text.get(next.label.clone());
            match rest_after(rest, label) {
                Some(behind) => (rest, node) = (behind, next),
                None if label.starts_with(rest) => return self.under(next),
                None => return here(&node),
            }
        }
        self.under(node)
    }

    /// The indices of all prefixes below a node.
    fn under(&self, node: Node) -> Vec<u32> {
        let mut places = Vec::new();
        let mut nodes = vec![node];
        while let Some(node) = nodes.pop() {
            places.extend(self.places.of(node.places).map(|[place]| place));
            nodes.extend(self.nodes.of(node.below).map(Node::read));
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    fn below(&self, node: &Node, first: u8) -> Option<Node> {
        let first = if first == b'\t' { b' ' } else { first };
        let firsts = self.firsts.get(node.below.clone());
        // Most nodes have two children, for which a search is not worthwhile.
        let found = match firsts.len() {
            ..=FEW => firsts.iter().position(|other| *other == first)?,
            _ => memchr(first, firsts)?,
        };
        self.node(node.below.start + found)
    }
}

/// The length of the common beginning of `sorted`.
fn shared(sorted: &[(&str, u32)]) -> usize {
    let (Some((first, _)), Some((last, _))) = (sorted.first(), sorted.last()) else { return 0 };
    first.bytes().zip(last.bytes()).take_while(|(one, other)| one == other).count()
}

/// The rest of `text` after `label`, if it begins with it. A space in the label matches any run of
/// spaces and tabs.
pub(super) fn rest_after<'t>(text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
    // Most texts differ in the first bytes, which needs no call.
    let differs = matches!((text, label), ([a, b, ..], [x, y, ..]) if a != x || b != y);
    let rest = if differs { None } else { text.strip_prefix(label) };
    let Some(rest) = rest else { return rest_after_folded(text, label) };
    Some(if label.ends_with(b" ") { unblanked(rest) } else { rest })
}

/// As [`rest_after`], if the text has other whitespace than the label.
fn rest_after_folded<'t>(mut text: &'t [u8], label: &[u8]) -> Option<&'t [u8]> {
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
            assert_eq!(tree.places(tree.of(text)).collect::<Vec<_>>(), want, "{text}");
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
