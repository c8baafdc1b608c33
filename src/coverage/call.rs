//! Calls that print, found in the code of a file: through the macros that a tree defines, down to
//! what the kernel prints with.

use std::collections::{BTreeMap, BTreeSet};

use super::format::pieces;
use super::function::Function;
use super::literal::{Wording, group, literal, wordings};
use super::macros::{Loud, Loudness, Prints, level, prints};
use super::source::{Macro, Source};
use super::token::{Kind, Token};
use crate::value::Level;

/// How many tokens the arguments of one call may have.
const LONGEST_CALL: usize = 1 << 12;
/// How many tokens the calls of a file may become while their macros are replaced.
const LONGEST_EXPANSION: usize = 1 << 22;
/// How many macros deep a call may lie.
const DEEPEST: usize = 16;
/// Shorter texts outside of calls are no messages.
const SHORTEST_TEXT: usize = 8;

/// A format that a file can print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The line of the call, or of the macro that holds the whole format.
    pub line: usize,
    /// The file that the line is in.
    pub file: usize,
    /// The function around the call; `None` in a macro.
    pub function: Option<String>,
    /// What is called, as it is written there.
    pub called: String,
    /// How loud.
    pub loudness: Loudness,
    /// What the file puts before such formats (`pr_fmt`), where it says so.
    pub prefix: Option<String>,
    /// What is printed.
    pub wording: Wording,
}

/// Everything that a file can print.
#[derive(Clone, Debug, Default)]
pub struct Scanned {
    /// The formats, in the order of the file.
    pub printed: Vec<Printed>,
    /// Texts that stand anywhere else, and may reach a log from there.
    pub texts: BTreeSet<String>,
    /// Calls that were not read to their end, because their macros or arguments have none.
    pub given_up: usize,
}

/// The macros of a tree's headers, or of one file, by name.
#[derive(Debug, Default)]
pub struct Macros<'t> {
    named: BTreeMap<&'t str, Vec<Macro<'t>>>,
    printing: BTreeSet<&'t str>,
}

impl<'t> Macros<'t> {
    /// Adds what a file defines.
    pub fn add(&mut self, macros: Vec<Macro<'t>>) {
        for one in macros {
            // Numbers and register names print nothing, and there are hundreds of thousands.
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

    /// Finds out which of them print, with the help of those in `headers`.
    pub fn follow(&mut self, headers: Option<&Self>) {
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

    fn all(&self, name: &str) -> &[Macro<'t>] {
        self.named.get(name).map_or(&[], Vec::as_slice)
    }
}

/// Finds what `source` prints. `headers` are the macros of all headers, `own` those of the file.
#[must_use]
pub fn scan<'t>(source: &Source<'t>, own: &Macros<'t>, headers: &Macros<'t>) -> Scanned {
    let mut scan = Scan {
        own,
        headers,
        prefixes: ["pr_fmt", "dev_fmt"].into_iter().map(|name| (name, prefix(name, own))).collect(),
        found: Scanned::default(),
        seen: BTreeSet::new(),
        budget: LONGEST_EXPANSION,
    };
    let mut function = Function::default();
    let mut before = None;
    for (at, token) in source.code.iter().enumerate() {
        let rest = source.code.get(at..).unwrap_or_default();
        function.see(source.text, rest);
        match token.kind {
            Kind::Word => {
                let outer =
                    Outer { call: None, function: function.name, is_inside: function.depth > 0 };
                scan.call(rest, outer, &mut Vec::new());
            }
            Kind::Text if before != Some(Kind::Text) => scan.text(rest),
            _ => {}
        }
        before = Some(token.kind);
    }
    scan.found
}

/// What `#define pr_fmt(fmt) "x: " fmt` puts before a format.
fn prefix(name: &str, own: &Macros<'_>) -> Option<String> {
    let one = own.all(name).last()?;
    let parameter = *one.parameters.as_ref()?.first()?;
    let before = one.body.iter().position(|token| token.text == parameter)?;
    let before: Vec<_> = one.body.get(..before)?.iter().filter(|t| !t.is("(")).copied().collect();
    literal(&before, &|name| body_of(own.all(name)))
}

fn body_of<'a, 't>(all: &'a [Macro<'t>]) -> Option<&'a [Token<'t>]> {
    all.iter().find(|one| one.parameters.is_none()).map(|one| one.body.as_slice())
}

/// Where a call stands that is being read.
#[derive(Clone, Copy)]
struct Outer<'s, 't> {
    /// The first and the last token of the call in the file, where this is the inside of its macro.
    call: Option<(Token<'t>, Token<'t>)>,
    function: Option<&'s str>,
    /// Whether this is the inside of a function or a macro, where nothing is declared.
    is_inside: bool,
}

struct Scan<'s, 't> {
    own: &'s Macros<'t>,
    headers: &'s Macros<'t>,
    prefixes: BTreeMap<&'static str, Option<String>>,
    found: Scanned,
    seen: BTreeSet<(usize, usize, Wording)>,
    budget: usize,
}

impl<'s, 't> Scan<'s, 't> {
    /// Reads the call that `tokens` begin with, if it is one that prints.
    fn call(&mut self, tokens: &[Token<'t>], outer: Outer<'_, 't>, active: &mut Vec<&'t str>) {
        let [word, open, ..] = tokens else { return };
        if word.kind != Kind::Word || !open.is("(") {
            return;
        }
        let meaning = self.meaning(word.text);
        let followed = self.followed(meaning).filter(|_| !active.contains(&meaning));
        let known = prints(meaning);
        if followed.is_none() && known.is_none() {
            return;
        }
        let behind = tokens.get(1..).unwrap_or_default();
        let behind = behind.get(..LONGEST_CALL).unwrap_or(behind);
        let Some(length) = group(behind) else {
            self.found.given_up += usize::from(outer.is_inside);
            return;
        };
        let arguments = arguments(behind.get(1..length - 1).unwrap_or_default());
        let last = behind.get(length - 1).copied().unwrap_or(*word);
        let outer = Outer { call: outer.call.or(Some((*word, last))), ..outer };
        match (followed, known) {
            (Some(macros), _) => self.expand(macros, &arguments, outer, active),
            (None, Some(prints)) => self.print(prints, *word, &arguments, outer),
            (None, None) => {}
        }
    }

    /// What `name` is another name for.
    fn meaning<'n>(&self, name: &'n str) -> &'n str
    where
        't: 'n,
    {
        let mut meaning = name;
        for _ in 0..DEEPEST {
            let alias = |all: &'s [Macro<'t>]| body_of(all).filter(|body| body.len() == 1);
            match alias(self.own.all(meaning)).or_else(|| alias(self.headers.all(meaning))) {
                Some([other]) if other.kind == Kind::Word => meaning = other.text,
                _ => break,
            }
        }
        meaning
    }

    /// The definitions of a macro that prints; a file's own come before those of headers.
    fn followed(&self, name: &str) -> Option<&'s [Macro<'t>]> {
        let (own, headers) = (self.own, self.headers);
        let of = |macros: &'s Macros<'t>| {
            let all = macros.all(name);
            let takes = all.iter().any(|one| one.parameters.is_some());
            (takes && macros.printing.contains(name)).then_some(all)
        };
        of(own).or_else(|| of(headers))
    }

    /// Reads what a call becomes when its macro is replaced.
    fn expand(
        &mut self,
        macros: &'s [Macro<'t>],
        arguments: &[&[Token<'t>]],
        outer: Outer<'_, 't>,
        active: &mut Vec<&'t str>,
    ) {
        for one in macros {
            let tokens = replaced(one, arguments);
            let left = self.budget.checked_sub(tokens.len()).filter(|_| active.len() < DEEPEST);
            let Some(left) = left else {
                self.found.given_up += 1;
                return;
            };
            self.budget = left;
            let before = self.found.printed.len();
            active.push(one.name);
            for at in 0..tokens.len() {
                let rest = tokens.get(at..).unwrap_or_default();
                self.call(rest, Outer { is_inside: true, ..outer }, active);
            }
            active.pop();
            // Of several definitions, which depend on how the kernel is configured, one counts.
            if self.found.printed.len() > before {
                return;
            }
        }
    }

    fn print(
        &mut self,
        prints: Prints,
        word: Token<'t>,
        arguments: &[&[Token<'t>]],
        outer: Outer<'_, 't>,
    ) {
        let Some(format) = arguments.get(prints.format).copied() else { return };
        let rest = arguments.get(prints.format + 1..).unwrap_or_default();
        let loudness = match prints.loud {
            Loud::Always(loudness) => loudness,
            Loud::InFormat => said_level(format).unwrap_or(Loudness::Known(Level::Warning)),
            Loud::Argument(at) => {
                let said = arguments.get(at).and_then(|tokens| said_level(tokens));
                said.unwrap_or(Loudness::Unknown)
            }
        };
        let (own, headers) = (self.own, self.headers);
        let bodies = |name: &str| body_of(own.all(name)).or_else(|| body_of(headers.all(name)));
        let (place, in_macro) = place(word, format, rest, outer.call);
        let called = outer.call.map_or(word, |(first, _)| if in_macro { word } else { first });
        for wording in wordings(format, &bodies) {
            let wording = match wording {
                // A declaration, or the definition of what is called.
                Wording::Variable(_) if !outer.is_inside => continue,
                Wording::Variable(text) => Wording::Variable(text),
                Wording::Literal(text) => {
                    Wording::Literal(with_literals(&text, rest).unwrap_or(text))
                }
            };
            if !self.seen.insert((place.file, place.at, wording.clone())) {
                continue;
            }
            self.found.printed.push(Printed {
                line: place.line,
                file: place.file,
                function: outer.function.filter(|_| !in_macro).map(str::to_owned),
                called: called.text.to_owned(),
                loudness,
                prefix: prints.prefix.and_then(|name| self.prefixes.get(name).cloned()).flatten(),
                wording,
            });
        }
    }

    /// Keeps the text that `tokens` begin with.
    fn text(&mut self, tokens: &[Token<'t>]) {
        let of_text = |token: &&Token<'_>| matches!(token.kind, Kind::Text | Kind::Word);
        let length = tokens.iter().take(64).take_while(of_text).count();
        let (own, headers) = (self.own, self.headers);
        let bodies = |name: &str| body_of(own.all(name)).or_else(|| body_of(headers.all(name)));
        let text = tokens.get(..length).and_then(|tokens| literal(tokens, &bodies));
        let text = text.filter(|text| text.len() >= SHORTEST_TEXT && text.contains(' '));
        self.found.texts.extend(text);
    }
}

/// The token to name as the place of a format, and whether that is the definition of a macro: it is
/// where nothing of the text comes from the call.
fn place<'t>(
    word: Token<'t>,
    format: &[Token<'t>],
    rest: &[&[Token<'t>]],
    call: Option<(Token<'t>, Token<'t>)>,
) -> (Token<'t>, bool) {
    let Some((first, last)) = call else { return (word, false) };
    let inside =
        |token: &Token<'_>| token.file == first.file && (first.at..=last.at).contains(&token.at);
    let texts = rest.iter().filter(|argument| is_text(argument)).copied().flatten();
    if inside(&word) || format.iter().chain(texts).any(inside) {
        return (first, false);
    }
    (format.first().copied().unwrap_or(word), true)
}

fn is_text(argument: &[Token<'_>]) -> bool {
    !argument.is_empty() && argument.iter().all(|token| token.kind == Kind::Text)
}

/// The level that one of the tokens names.
fn said_level(tokens: &[Token<'_>]) -> Option<Loudness> {
    tokens.iter().filter(|token| token.kind == Kind::Word).find_map(|token| level(token.text))
}

/// `format` with what its `%s` stand for, where the call itself says it.
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

/// The arguments between the parentheses of a call.
fn arguments<'s, 't>(tokens: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
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

/// The body of `one` with `arguments` for its parameters; longer than any budget where it has no
/// end.
fn replaced<'t>(one: &Macro<'t>, arguments: &[&[Token<'t>]]) -> Vec<Token<'t>> {
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
            tokens.extend(quoted.and_then(|name| stringified(*token, &argument(name.text)?)));
            continue;
        }
        let Some(argument) =
            Some(token).filter(|t| t.kind == Kind::Word).and_then(|t| argument(t.text))
        else {
            tokens.push(*token);
            continue;
        };
        // No further arguments: the comma before them goes, too.
        if argument.is_empty() && one.variadic && parameters.last() == Some(&token.text) {
            tokens.pop_if(|last| last.is(","));
        }
        tokens.extend(argument);
    }
    tokens
}

/// Arguments with commas between them, each where it stood.
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

/// An argument as text: itself where it is one word, else a `%s` for what it is written as.
fn stringified<'t>(mark: Token<'t>, argument: &[Token<'t>]) -> Option<Token<'t>> {
    match argument {
        [] => None,
        [single] => Some(Token { kind: Kind::Plain, ..*single }),
        _ => Some(Token { kind: Kind::Plain, text: "%s", ..mark }),
    }
}
