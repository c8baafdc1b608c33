//! Macros and their expansion.

use std::collections::{BTreeMap, BTreeSet};

use super::macros::prints;
use super::source::Macro;
use super::token::{Kind, Token};

/// Maximum number of tokens that the calls of a file may expand to.
pub(super) const LONGEST_EXPANSION: usize = 1 << 22;

/// The macros of a tree's headers, or of one file, by name.
#[derive(Debug, Default)]
pub(crate) struct Macros<'t> {
    named: BTreeMap<&'t str, Vec<Macro<'t>>>,
    printing: BTreeSet<&'t str>,
}

impl<'t> Macros<'t> {
    /// Adds the macros of a file.
    pub(crate) fn add(&mut self, macros: Vec<Macro<'t>>) {
        for one in macros {
            // Numbers and register names do not print, and there are hundreds of thousands.
            let of_use = match (&one.parameters, one.body.as_slice()) {
                (Some(_), body) => body.iter().any(|token| token.kind == Kind::Word),
                (None, [single]) => matches!(single.kind, Kind::Word | Kind::Text),
                (None, body) => body.iter().any(|token| token.kind == Kind::Text),
            };
            if of_use {
                self.named.entry(one.name).or_default().push(one);
            }
        }
    }

    /// Determines which macros print, considering those in `headers`.
    pub(crate) fn follow(&mut self, headers: Option<&Self>) {
        loop {
            let prints_by_name = |name: &str| {
                prints(name).is_some()
                    || self.printing.contains(name)
                    || headers.is_some_and(|headers| headers.printing.contains(name))
            };
            let one_prints = |one: &Macro<'_>| {
                one.body.iter().any(|token| {
                    token.kind == Kind::Word && token.text != one.name && prints_by_name(token.text)
                })
            };
            let more: Vec<&str> = self
                .named
                .iter()
                .filter(|(name, _)| !self.printing.contains(**name))
                .filter(|(_, all)| all.iter().any(one_prints))
                .map(|(name, _)| *name)
                .collect();
            if more.is_empty() {
                return;
            }
            self.printing.extend(more);
        }
    }

    /// The definitions of `name`.
    pub(super) fn all(&self, name: &str) -> &[Macro<'t>] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }

    /// Whether one of the definitions of `name` prints.
    pub(super) fn prints(&self, name: &str) -> bool {
        self.printing.contains(name)
    }
}

/// The body of a macro without parameters.
pub(super) fn body_of<'a, 't>(all: &'a [Macro<'t>]) -> Option<&'a [Token<'t>]> {
    all.iter().find(|one| one.parameters.is_none()).map(|one| one.body.as_slice())
}

/// The arguments between the parentheses of a call.
pub(super) fn arguments<'s, 't>(tokens: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
    let mut depth = 0_usize;
    let all = tokens.split(|token| {
        match token.text {
            "(" | "[" | "{" if token.kind == Kind::Mark => depth += 1,
            ")" | "]" | "}" if token.kind == Kind::Mark => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is(",")
    });
    all.collect()
}

/// The body of `one` with its parameters replaced by `arguments`; longer than any budget if
/// expansion does not end.
pub(super) fn replaced<'t>(one: &Macro<'t>, arguments: &[&[Token<'t>]]) -> Vec<Token<'t>> {
    let parameters = one.parameters.as_deref().unwrap_or_default();
    let argument = |name: &str| -> Option<Vec<Token<'t>>> {
        let at = parameters.iter().position(|parameter| *parameter == name)?;
        let all = arguments.get(at..).unwrap_or_default();
        let is_rest = one.variadic && at + 1 == parameters.len();
        let taken = if is_rest { all } else { all.get(..1).unwrap_or_default() };
        Some(joined(taken))
    };
    let mut tokens: Vec<Token<'t>> = Vec::new();
    let mut body = one.body.iter().peekable();
    while let Some(token) = body.next() {
        if tokens.len() > LONGEST_EXPANSION {
            break;
        }
        if token.is("#") {
            let quoted =
                body.next_if(|next| next.kind == Kind::Word && parameters.contains(&next.text));
            tokens.extend(quoted.and_then(|name| stringified(&argument(name.text)?)));
            continue;
        }
        let Some(argument) =
            Some(token).filter(|t| t.kind == Kind::Word).and_then(|t| argument(t.text))
        else {
            tokens.push(*token);
            continue;
        };
        // Without further arguments, the preceding comma is removed, too.
        if argument.is_empty() && one.variadic && parameters.last() == Some(&token.text) {
            tokens.pop_if(|last| last.is(","));
        }
        tokens.extend(argument);
    }
    tokens
}

/// Arguments separated by commas, each with its own location.
fn joined<'t>(arguments: &[&[Token<'t>]]) -> Vec<Token<'t>> {
    let mut tokens: Vec<Token<'t>> = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if let Some(last) = tokens.last().copied().filter(|_| at > 0) {
            tokens.push(Token { kind: Kind::Mark, text: ",", at: last.end(), ..last });
        }
        tokens.extend(*argument);
    }
    tokens
}

/// The operator `#`: an argument as text if it is one word, else `%s`.
fn stringified<'t>(argument: &[Token<'t>]) -> Option<Token<'t>> {
    match argument {
        [] => None,
        [single] => Some(Token { kind: Kind::Plain, ..*single }),
        [first, ..] => Some(Token { kind: Kind::Plain, text: "%s", ..*first }),
    }
}
