//! printf formats by what they print, whether their conversions have names or not, and how alike
//! two of them are.

/// What a conversion prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// Decimal digits.
    Number,
    /// Hexadecimal digits.
    Hex,
    /// Anything.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Conversion {
    /// What it prints.
    pub value: Value,
    /// Whether `0x` comes before it.
    pub prefix: bool,
    /// How many arguments say its width and precision.
    pub widths: usize,
}

/// One step of what a format prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Blank,
    Literal(char),
    Value(Value),
}

/// The parts of a format: text as it was written, and conversions.
pub(crate) fn pieces(format: &str) -> Vec<(&str, Option<Conversion>)> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        let (length, conversion) = if rest.starts_with("%%") {
            (2, None)
        } else if let Some((length, conversion)) = conversion(rest) {
            (length, Some(conversion))
        } else {
            // A percent sign that begins no conversion is printed.
            let skipped = rest.chars().next().map_or(0, char::len_utf8);
            let next = rest.get(skipped..).and_then(|rest| rest.find('%'));
            (next.map_or(rest.len(), |next| skipped + next), None)
        };
        let (piece, behind) = rest.split_at(length);
        pieces.push((piece, conversion));
        rest = behind;
    }
    pieces
}

/// The conversion that `text` begins with, and its length.
fn conversion(text: &str) -> Option<(usize, Conversion)> {
    let behind = text.strip_prefix('%')?;
    if let Some(named) = behind.strip_prefix('{') {
        let inner = &named[..named.find('}')?];
        let (_, letters) = inner.split_once(':')?;
        let (length, conversion) = unnamed(letters)?;
        return (length == letters.len()).then_some((inner.len() + 3, conversion));
    }
    unnamed(behind).map(|(length, conversion)| (length + 1, conversion))
}

/// What stands behind the percent sign.
fn unnamed(text: &str) -> Option<(usize, Conversion)> {
    let rest = text.trim_start_matches(['-', '+', ' ', '#', '0']);
    let flags = &text[..text.len() - rest.len()];
    let bare = rest.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '*'));
    let widths = rest[..rest.len() - bare.len()].matches('*').count();
    let letters = bare.trim_start_matches(['h', 'l', 'L', 'q', 'z', 'j', 't', 'Z']);
    let letter = letters.chars().next()?;
    let mut length = text.len() - letters.len() + letter.len_utf8();
    let value = match letter {
        'd' | 'i' | 'u' | 'o' => Value::Number,
        'x' | 'X' => Value::Hex,
        's' | 'c' | 'e' | 'f' | 'g' | 'a' => Value::Text,
        'p' => {
            // The kernel's own: `%pd` prints a name, `%px` an address.
            let kinds = &letters[1..];
            let end = kinds.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(kinds.len());
            length += end;
            if matches!(&kinds[..end], "" | "x" | "K") { Value::Hex } else { Value::Text }
        }
        _ => return None,
    };
    let prefix = value == Value::Hex && flags.contains('#');
    Some((length, Conversion { value, prefix, widths }))
}

/// What a format prints: blanks folded, none at its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    symbols: Vec<Symbol>,
}

impl Shape {
    /// The shape of what a format prints.
    pub(crate) fn of_format(format: &str) -> Self {
        let mut shape = Self { symbols: Vec::new() };
        for (piece, conversion) in pieces(format) {
            let Some(conversion) = conversion else {
                shape.literal(if piece == "%%" { "%" } else { piece });
                continue;
            };
            if conversion.prefix {
                shape.literal("0x");
            }
            shape.symbols.push(Symbol::Value(conversion.value));
        }
        shape.trimmed()
    }

    /// The shape of a line of a log.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut shape = Self { symbols: Vec::new() };
        shape.literal(text);
        shape.trimmed()
    }

    fn literal(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                c if c.is_whitespace() && self.symbols.last() == Some(&Symbol::Blank) => {}
                c if c.is_whitespace() => self.symbols.push(Symbol::Blank),
                c => self.symbols.push(Symbol::Literal(c)),
            }
        }
    }

    fn trimmed(mut self) -> Self {
        self.symbols.pop_if(|last| *last == Symbol::Blank);
        if self.symbols.first() == Some(&Symbol::Blank) {
            self.symbols.remove(0);
        }
        self
    }

    /// How many characters are always the same.
    pub(crate) fn literals(&self) -> usize {
        self.symbols.iter().filter(|symbol| matches!(symbol, Symbol::Literal(_))).count()
    }

    /// The words of its literal text.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![String::new()];
        for symbol in &self.symbols {
            match (symbol, words.last_mut()) {
                (Symbol::Literal(c), Some(word)) if c.is_alphabetic() => word.push(*c),
                _ => words.push(String::new()),
            }
        }
        words.retain(|word| word.len() > 1);
        words.sort();
        words.dedup();
        words
    }

    /// How many literal characters two shapes have in common where both can print the same line;
    /// `None` where they cannot.
    pub(crate) fn common(&self, other: &Self) -> Option<usize> {
        let (left, right) = (&self.symbols, &other.symbols);
        // The best way to every pair of places, row by row. A value takes in what it can print, so
        // there are five ways on from each pair.
        let mut row: Vec<Option<usize>> = vec![None; right.len() + 1];
        row[0] = Some(0);
        for at in 0..=left.len() {
            let mut below: Vec<Option<usize>> = vec![None; right.len() + 1];
            for to in 0..=right.len() {
                let Some(so_far) = row[to] else { continue };
                let steps = Steps::of(left.get(at).copied(), right.get(to).copied());
                if let Some(gain) = steps.both {
                    below[to + 1] = below[to + 1].max(Some(so_far + gain));
                }
                if steps.left {
                    below[to] = below[to].max(Some(so_far));
                }
                if steps.right {
                    row[to + 1] = row[to + 1].max(Some(so_far));
                }
            }
            if at < left.len() {
                row = below;
            }
        }
        row[right.len()]
    }
}

/// Which ways lead on from a pair of symbols.
struct Steps {
    /// Past both; the gain is what they have in common.
    both: Option<usize>,
    /// Past the left one alone.
    left: bool,
    /// Past the right one alone.
    right: bool,
}

impl Steps {
    fn of(left: Option<Symbol>, right: Option<Symbol>) -> Self {
        let is_text = |symbol| symbol == Some(Symbol::Value(Value::Text));
        let takes = |taker: Option<Symbol>, taken: Option<Symbol>| matches!((taker, taken), (Some(Symbol::Value(value)), Some(taken)) if value.takes(taken));
        let both = match (left, right) {
            (Some(Symbol::Literal(one)), Some(Symbol::Literal(other))) if one == other => Some(1),
            (Some(Symbol::Blank), Some(Symbol::Blank)) => Some(0),
            _ if takes(left, right) || takes(right, left) => Some(0),
            _ => None,
        };
        // A text may be empty; what a value takes in, it may take in more of.
        Self {
            both,
            left: is_text(left) || takes(right, left),
            right: is_text(right) || takes(left, right),
        }
    }
}

impl Value {
    /// Whether it may print `symbol`, or a part of itself be that.
    const fn takes(self, symbol: Symbol) -> bool {
        match (self, symbol) {
            (Self::Text, _)
            | (Self::Number, Symbol::Value(Self::Number))
            | (Self::Hex, Symbol::Value(Self::Hex)) => true,
            (Self::Number, Symbol::Literal(c)) => c.is_ascii_digit() || c == '-',
            (Self::Hex, Symbol::Literal(c)) => c.is_ascii_hexdigit(),
            (Self::Number | Self::Hex, _) => false,
        }
    }
}

/// A line that a format may print, with `text` for its texts.
pub(crate) fn example(format: &str, text: &str) -> String {
    let mut line = String::new();
    for (piece, conversion) in pieces(format) {
        let Some(Conversion { value, prefix, .. }) = conversion else {
            line.push_str(if piece == "%%" { "%" } else { piece });
            continue;
        };
        if prefix {
            line.push_str("0x");
        }
        line.push_str(match value {
            Value::Number => "3",
            Value::Hex => "1f",
            Value::Text => text,
        });
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn common(left: &str, right: &str) -> Option<usize> {
        let (left, right) = (Shape::of_format(left), Shape::of_format(right));
        let found = left.common(&right);
        assert_eq!(found, right.common(&left));
        found
    }

    #[test]
    fn formats_are_compared_by_what_they_print() {
        for (kernel, ours, want) in [
            ("ring %s timeout\n", "ring %{ring:s} timeout", Some(11)),
            ("a: %lld", "a: %{n:d}", Some(2)),
            ("a: %08llx", "a: %{n:X}", Some(2)),
            ("a: %#x", "a: 0x%{n:08X}", Some(4)),
            ("a: %#x", "a: %{n:#x}", Some(4)),
            ("a: %p", "a: %{n:x}", Some(2)),
            ("\t a  b\t", "a b", Some(2)),
            ("GPU reset begin!", "GPU %{action:s} begin!", Some(9)),
            ("resetting with %s", "resetting with MODE1", Some(13)),
            ("msg=%d done", "msg=14 done", Some(8)),
            ("100%% of %s", "100%% of %{_:s}", Some(6)),
            ("a: %d", "a: %{n:x}", None),
            ("a: %d", "a: word", None),
            ("a b", "a c", None),
            ("a b", "a", None),
            ("%s: %d", "a %{x:s} b: 3", Some(1)),
            ("%pd4 open", "%{name:s} open", Some(4)),
            ("", "", Some(0)),
        ] {
            assert_eq!(common(kernel, ours), want, "{kernel} | {ours}");
        }
    }

    #[test]
    fn conversions_are_told_from_text() {
        let said = |format| {
            pieces(format).into_iter().map(|(piece, c)| (piece, c.is_some())).collect::<Vec<_>>()
        };
        assert_eq!(said("a%-5sb"), [("a", false), ("%-5s", true), ("b", false)]);
        assert_eq!(said("%*phN%%"), [("%*phN", true), ("%%", false)]);
        assert_eq!(
            said("5% of 100%"),
            [("5", false), ("% o", true), ("f 100", false), ("%", false)]
        );
        assert_eq!(said("%{ring:s}!"), [("%{ring:s}", true), ("!", false)]);
        assert_eq!(said("%!é%"), [("%!é", false), ("%", false)]);
        assert_eq!(example("a %s %d %#x%%", "b"), "a b 3 0x1f%");
    }

    proptest! {
        #[test]
        fn any_text_is_some_format(text in "(\\PC|[%sdxp0*.{}:#]){0,60}") {
            let joined: String = pieces(&text).into_iter().map(|(piece, _)| piece).collect();
            prop_assert_eq!(&joined, &text);
            let shape = Shape::of_format(&text);
            prop_assert_eq!(shape.common(&shape), Some(shape.literals()));
            let _ = example(&text, "b");
        }
    }
}
