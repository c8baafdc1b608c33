//! The text of a format argument: adjacent literals, macros between them, both branches of `?:`.

use super::macros::{constant, level};
use super::token::{Kind, Token};

/// Maximum nesting of macros.
const DEPTH: usize = 8;
/// Maximum number of tokens of a format; far more than the kernel's have.
const STEPS: usize = 1 << 12;

/// What a call prints.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wording {
    /// This format.
    Literal(String),
    /// The value of this expression, unknown until run time.
    Variable(String),
}

/// Looks up the body of a macro without parameters by its name.
pub(crate) type Bodies<'a, 't> = dyn Fn(&str) -> Option<&'a [Token<'t>]> + 'a;

/// All texts that the expression `tokens` can be.
pub(crate) fn wordings(tokens: &[Token<'_>], bodies: &Bodies<'_, '_>) -> Vec<Wording> {
    // Each branch is shorter than the whole expression, so this ends. The stack is explicit,
    // because files may nest arbitrarily deep.
    let mut found = Vec::new();
    let mut open = vec![tokens];
    while let Some(tokens) = open.pop() {
        let tokens = unwrapped(tokens);
        if let Some((then, other)) = sides(tokens) {
            open.extend([other, then]);
        } else {
            found.push(
                literal(tokens, bodies)
                    .map_or_else(|| Wording::Variable(written(tokens)), Wording::Literal),
            );
        }
    }
    found
}

/// The text of adjacent literals; `None` if a part is not literal.
pub(crate) fn literal(tokens: &[Token<'_>], bodies: &Bodies<'_, '_>) -> Option<String> {
    let mut reading = LiteralScan { bodies, text: String::new(), is_text: false, steps: STEPS };
    reading.take(tokens, DEPTH)?;
    reading.is_text.then_some(reading.text)
}

/// A text under construction.
struct LiteralScan<'r, 'a, 't> {
    bodies: &'r Bodies<'a, 't>,
    text: String,
    /// Whether it contains a literal.
    is_text: bool,
    /// The remaining number of tokens: nested macros can expand without practical end.
    steps: usize,
}

impl LiteralScan<'_, '_, '_> {
    fn take(&mut self, tokens: &[Token<'_>], depth: usize) -> Option<()> {
        let mut rest = unwrapped(tokens);
        while let Some((token, behind)) = rest.split_first() {
            rest = behind;
            self.steps = self.steps.checked_sub(1)?;
            match token.kind {
                Kind::Text => {
                    self.text.push_str(&decoded(token.text));
                    self.is_text = true;
                }
                Kind::Plain => self.text.push_str(token.text),
                Kind::Word if level(token.text).is_some() => {}
                Kind::Word => {
                    self.word(token.text, depth)?;
                    if rest.first().is_some_and(|next| next.is("(")) {
                        rest = rest.get(group(rest)?..)?;
                    }
                }
                Kind::If | Kind::Else | Kind::EndIf => {}
                _ => return None,
            }
        }
        Some(())
    }

    fn word(&mut self, name: &str, depth: usize) -> Option<()> {
        let (length, was_text) = (self.text.len(), self.is_text);
        if let Some(text) = constant(name) {
            self.text.push_str(text);
            return Some(());
        }
        if let Some((body, depth)) = (self.bodies)(name).zip(depth.checked_sub(1)) {
            self.is_text = false;
            if self.take(body, depth).is_some() && self.is_text {
                return Some(());
            }
            self.is_text = was_text;
            self.text.truncate(length);
        }
        // An unknown macro between literals prints something.
        self.text.push_str("%s");
        (self.steps > 0).then_some(())
    }
}

/// The number of tokens of the group at the beginning of `tokens`, including parentheses.
pub(super) fn group(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

/// `tokens` without enclosing parentheses.
fn unwrapped<'s, 't>(mut tokens: &'s [Token<'t>]) -> &'s [Token<'t>] {
    while let [open, inner @ .., _] = tokens {
        if !open.is("(") || group(tokens) != Some(tokens.len()) {
            break;
        }
        tokens = inner;
    }
    tokens
}

/// The two branches if `tokens` are a `?:` expression.
fn sides<'s, 't>(tokens: &'s [Token<'t>]) -> Option<(&'s [Token<'t>], &'s [Token<'t>])> {
    let mut depth = 0_usize;
    let mut question = None;
    let mut nested = 0_usize;
    for (at, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Mark) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.saturating_sub(1),
            "?" if depth == 0 && question.is_none() => question = Some(at),
            "?" if depth == 0 => nested += 1,
            ":" if depth == 0 && nested > 0 => nested -= 1,
            ":" if depth == 0 => {
                let question = question?;
                return Some((tokens.get(question + 1..at)?, tokens.get(at + 1..)?));
            }
            _ => {}
        }
    }
    None
}

/// Tokens as written, except for line ends and comments.
pub(crate) fn written(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut end = None;
    for token in tokens {
        if end.is_some_and(|end| end != (token.file, token.at)) {
            text.push(' ');
        }
        text.push_str(token.text);
        end = Some((token.file, token.end()));
    }
    text
}

/// The value of a string literal.
pub(super) fn decoded(literal: &str) -> String {
    let inner = literal.strip_prefix('"').unwrap_or(literal);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    let mut text = String::new();
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            text.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some(c @ ('\\' | '"' | '\'' | '?')) => text.push(c),
            Some('x') => while chars.next_if(char::is_ascii_hexdigit).is_some() {},
            Some('0'..='7') => while chars.next_if(|c| ('0'..='7').contains(c)).is_some() {},
            // Bells and line continuations print nothing.
            Some('\r') => while chars.next_if(|c| *c == '\n').is_some() {},
            Some(' ') => while chars.next_if(|c| c.is_whitespace()).is_some() {},
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::source::Source;

    fn read(text: &str) -> Vec<Wording> {
        let defines = "#define TAG \"[x] \"\n#define BOTH (TAG \"y \")\n#define LOOP LOOP LOOP\n";
        let defines = Source::read(0, defines);
        let bodies = |name: &str| {
            let found = defines.macros.iter().find(|one| one.name == name)?;
            Some(found.body.as_slice())
        };
        wordings(&Source::read(1, text).code, &bodies)
    }

    fn literals(text: &str) -> Vec<String> {
        let said = |wording| match wording {
            Wording::Literal(text) => text,
            Wording::Variable(text) => format!("variable {text}"),
        };
        read(text).into_iter().map(said).collect()
    }

    #[test]
    fn literals_are_joined_and_macros_between_them_replaced() {
        for (text, want) in [
            (r#""a" "b""#, &["ab"][..]),
            ("\"a\"\n  /* \"no\" */ \"b\"", &["ab"]),
            (r#""a %" PRIx64 " b""#, &["a %llx b"]),
            (r#"TAG "b""#, &["[x] b"]),
            (r#"BOTH "b""#, &["[x] y b"]),
            (r#"KERN_ERR "b\n""#, &["b\n"]),
            (r#""a" UNKNOWN(1, 2) "b""#, &["a%sb"]),
            (r#"("a" "b")"#, &["ab"]),
            (r#"x > 1 ? "a" : "b""#, &["a", "b"]),
            (r#"(x ? "a" : y ? "b" : z)"#, &["a", "b", "variable z"]),
            (r#""tab\t quote\" \x1b\033[1m end""#, &["tab\t quote\" [1m end"]),
            ("\"a \\\n b\"", &["a  b"]),
            ("fmt", &["variable fmt"]),
            ("name[ i ]->text", &["variable name[ i ]->text"]),
            (r#"f("a")"#, &["variable f(\"a\")"]),
            ("", &["variable "]),
        ] {
            assert_eq!(literals(text), want, "{text}");
        }
        // A macro that refers to itself does not loop.
        assert_eq!(read("LOOP \"a\"").len(), 1);
    }
}
