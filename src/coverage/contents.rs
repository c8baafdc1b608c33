//! An index of a source file, to look up citations: names, texts, expressions, module parameters.

use std::collections::BTreeSet;

use super::literal::decoded;
use super::macros::constant;
use super::token::{Kind, Token, Tokens};
use super::tree;

/// An index of a source file.
#[derive(Default)]
pub(super) struct Contents<'t> {
    /// The identifiers in its code.
    names: BTreeSet<&'t str>,
    /// Its string literals with whitespace collapsed; for a file that is not C, its whole text.
    texts: Vec<String>,
    /// Its code as [`spelt`].
    code: String,
    /// Its module parameters.
    pub parameters: BTreeSet<&'t str>,
}

impl<'t> Contents<'t> {
    pub(super) fn new(path: &str, text: &'t str) -> Self {
        let mut contents = Self::default();
        if !tree::is_code(path) {
            contents.texts.push(folded(text));
            return contents;
        }
        let mut joined = String::new();
        // The last two tokens that are not whitespace.
        let mut before: [Option<Token<'t>>; 2] = [None, None];
        for token in Tokens::new(0, text) {
            match token.kind {
                Kind::Blank | Kind::Newline | Kind::Comment => continue,
                Kind::Text => {
                    joined.push_str(&decoded(token.text));
                    before = [before[1], Some(token)];
                    continue;
                }
                Kind::Word => {
                    contents.names.insert(token.text);
                    if is_parameter(before) {
                        contents.parameters.insert(token.text);
                    }
                    if let Some(constant) = constant(token.text).filter(|_| !joined.is_empty()) {
                        joined.push_str(constant);
                    } else {
                        contents.literal(&mut joined);
                    }
                }
                Kind::Number
                | Kind::Character
                | Kind::Mark
                | Kind::If
                | Kind::Else
                | Kind::EndIf
                | Kind::Plain => contents.literal(&mut joined),
            }
            spell(&mut contents.code, &token);
            before = [before[1], Some(token)];
        }
        contents.literal(&mut joined);
        contents
    }

    fn literal(&mut self, joined: &mut String) {
        if !joined.is_empty() {
            self.texts.push(folded(&std::mem::take(joined)));
        }
    }

    /// Whether the code contains this name or expression, or a text contains these words.
    pub(super) fn has(&self, symbol: &str) -> bool {
        let symbol = folded(symbol);
        self.names.contains(symbol.as_str())
            || self.texts.iter().any(|text| holds(text, &symbol))
            || is_expression(&symbol) && holds(&self.code, &spelt(&symbol))
    }
}

/// Whether a name follows `module_param_named(` or a similar macro.
fn is_parameter([call, open]: [Option<Token<'_>>; 2]) -> bool {
    let is_call = call.is_some_and(|call| call.text.starts_with("module_param"));
    is_call && open.is_some_and(|open| open.is("("))
}

/// Whether a citation is code as opposed to words.
fn is_expression(symbol: &str) -> bool {
    symbol.contains(['(', '=', '*', '[', '<', '>'])
}

/// Code with spaces only between two words.
fn spelt(code: &str) -> String {
    let mut spelt = String::new();
    for token in Tokens::new(0, code) {
        if !matches!(token.kind, Kind::Blank | Kind::Newline | Kind::Comment) {
            spell(&mut spelt, &token);
        }
    }
    spelt
}

/// Appends a token to code as [`spelt`].
fn spell(code: &mut String, token: &Token<'_>) {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if code.ends_with(is_name) && token.text.starts_with(is_name) {
        code.push(' ');
    }
    code.push_str(token.text);
}

fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether `text` contains `words`, not as part of longer names.
fn holds(text: &str, words: &str) -> bool {
    let is_name = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let begins = is_name(words.chars().next());
    let ends = is_name(words.chars().next_back());
    text.match_indices(words).any(|(at, _)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let behind = text.get(at + words.len()..).and_then(|text| text.chars().next());
        !(begins && is_name(before) || ends && is_name(behind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_of_code_are_found_and_comments_are_not() {
        let text = "/* only_here() */\n#define SAMPLE_ON(x) sample_on(x)\nint f(void)\n{\n\
                    \tpr_err(\"ring %s \"\n\t       \"is  on fire\\n\");\n}\n\
                    module_param_named(sample, amdgpu_sample, int, 0444);\n";
        let contents = Contents::new("drivers/a.c", text);
        for (symbol, want) in [
            ("SAMPLE_ON", true),
            ("sample_on", true),
            ("only_here", false),
            ("sample_o", false),
            ("ring %s is on fire", true),
            ("fire", true),
            ("fir", false),
            ("amdgpu_sample", true),
            ("SAMPLE_ON(x)", true),
            ("f(int)", false),
            ("f( void )", true),
            ("int f(void)", true),
        ] {
            assert_eq!(contents.has(symbol), want, "{symbol}");
        }
        assert_eq!(contents.parameters, BTreeSet::from(["sample"]));
    }

    #[test]
    fn other_files_are_text() {
        let contents = Contents::new("Documentation/a.rst", "It is\n  on fire_now, `b_c`.\n");
        for (symbol, want) in [("is on", true), ("on fire", false), ("b_c", true)] {
            assert_eq!(contents.has(symbol), want, "{symbol}");
        }
    }
}
