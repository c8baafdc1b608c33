//! Interprets the arguments of a printing call: its level and its format.

use super::format::pieces;
use super::literal::{Wording, group, literal, written};
use super::macros::{Loud, Loudness, is_replaced, level};
use super::token::{Kind, Token};
use crate::value::Level;

/// The text that a call prints if its argument is a condition (`drm_WARN_ON`). The preprocessor
/// replaces macros before it makes a text of the condition: `%s` stands for what they become, on
/// both sides of their arguments.
pub(super) fn condition(word: Token<'_>, tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut end = None;
    // The parentheses around the arguments of macros.
    let (mut opening, mut closing) = (Vec::new(), Vec::new());
    for (at, token) in tokens.iter().enumerate() {
        if end.is_some_and(|end| end != (token.file, token.at)) {
            text.push(' ');
        }
        end = Some((token.file, token.end()));
        if token.kind == Kind::Word && is_replaced(token.text) {
            text.push_str("%s");
            let behind = tokens.get(at + 1..).unwrap_or_default();
            if let Some(length) = group(behind).filter(|length| *length > 1) {
                opening.push(at + 1);
                closing.push(at + length);
            }
        } else if closing.contains(&at) {
            text.push_str("%s");
        } else if !opening.contains(&at) {
            text.push_str(&token.text.replace('%', "%%"));
        }
    }
    format!("{}({text})", word.text)
}

/// The level of a call.
pub(super) fn loudness(loud: Loud, format: &[Token<'_>], arguments: &[&[Token<'_>]]) -> Loudness {
    match loud {
        Loud::Always(loudness) => loudness,
        Loud::InFormat => named_level(format).unwrap_or(Loudness::Known(Level::Warning)),
        Loud::Argument(at) => {
            arguments.get(at).and_then(|tokens| named_level(tokens)).unwrap_or(Loudness::Unknown)
        }
    }
}

/// The format of a call with a literal, and the arguments that are part of it.
pub(super) fn wording_of<'s, 't>(
    text: &str,
    format: &[Token<'t>],
    rest: &[&'s [Token<'t>]],
) -> (Wording, Vec<&'s [Token<'t>]>) {
    let text = with_literals(text, rest).unwrap_or_else(|| text.to_owned());
    if pieces(&text)
        .iter()
        .any(|(piece, value)| value.is_none() && piece.contains(char::is_alphanumeric))
    {
        return (Wording::Literal(text), rest.iter().filter(|one| is_text(one)).copied().collect());
    }
    // `"%s\n"` alone is no better than a variable.
    let all: Vec<String> = [format].into_iter().chain(rest.iter().copied()).map(written).collect();
    (Wording::Variable(all.join(", ")), rest.to_vec())
}

fn is_text(argument: &[Token<'_>]) -> bool {
    !argument.is_empty() && argument.iter().all(|token| token.kind == Kind::Text)
}

fn named_level(tokens: &[Token<'_>]) -> Option<Loudness> {
    tokens.iter().filter(|token| token.kind == Kind::Word).find_map(|token| level(token.text))
}

/// `format` with its `%s` replaced by literal arguments of the call.
fn with_literals(format: &str, arguments: &[&[Token<'_>]]) -> Option<String> {
    if !arguments.iter().any(|argument| is_text(argument)) {
        return None;
    }
    let mut text = String::new();
    let mut arguments = arguments.iter();
    for (piece, conversion) in pieces(format) {
        let Some(conversion) = conversion else {
            text.push_str(piece);
            continue;
        };
        let argument = arguments.nth(conversion.widths);
        let literal = argument
            .filter(|argument| piece == "%s" && is_text(argument))
            .and_then(|argument| literal(argument, &|_| None));
        text.push_str(&literal.map_or_else(|| piece.to_owned(), |text| text.replace('%', "%%")));
    }
    Some(text)
}
