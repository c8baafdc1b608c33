//! printf formats reduced to what they print, with or without names for conversions, and the
//! similarity of two of them.

/// The kind of output of a conversion.
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
    /// The kind of its output.
    pub value: Value,
    /// Whether it prints `0x` first.
    pub prefix: bool,
    /// The number of arguments for its width and precision.
    pub widths: usize,
}

/// One element of a format's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    Blank,
    Literal(char),
    Value(Value),
}

/// Splits a format into literal text, each with the conversion that follows it.
pub(crate) fn pieces(format: &str) -> Vec<(&str, Option<Conversion>)> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while !rest.is_empty() {
        let (length, conversion) = if rest.starts_with("%%") {
            (2, None)
        } else if let Some((length, conversion)) = conversion(rest) {
            (length, Some(conversion))
        } else {
            // A percent sign without a conversion is literal.
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

/// The conversion at the beginning of `text`, and its length.
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

/// The part after the percent sign.
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
            // Kernel extensions: `%pd` prints a name, `%px` an address.
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

/// The output of a format: whitespace collapsed and trimmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    symbols: Vec<Symbol>,
}

impl Shape {
    /// The shape of a format's output.
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

    /// The shape of a log line.
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

    /// The number of literal characters.
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

    /// The number of literal characters that two shapes share if both can print the same line;
    /// `None` if they cannot.
    pub(crate) fn common(&self, other: &Self) -> Option<usize> {
        let (left, right) = (&self.symbols, &other.symbols);
        // Dynamic programming over pairs of positions, row by row. A conversion may match several
        // symbols, so each pair has up to five transitions.
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

/// The possible transitions from a pair of symbols.
struct Steps {
    /// Advance both; the value is the number of common characters.
    both: Option<usize>,
    /// Advance only the left one.
    left: bool,
    /// Advance only the right one.
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
        // A text may be empty, and a conversion may match further symbols.
        Self {
            both,
            left: is_text(left) || takes(right, left),
            right: is_text(right) || takes(left, right),
        }
    }
}

impl Value {
    /// Whether it can print `symbol` or a part of it.
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

/// A line that a format can print, with `text` for its `%s`.
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
    fn conversions_are_distinguished_from_text() {
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
