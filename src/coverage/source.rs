//! A C file without its preprocessor lines: the code that may be compiled, and the macros that the
//! file defines.

use super::token::{Kind, Token, Tokens};

/// A `#define`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Macro<'t> {
    pub name: &'t str,
    /// The names of its parameters; `None` for an object-like macro.
    pub parameters: Option<Vec<&'t str>>,
    /// Whether the last parameter is variadic.
    pub variadic: bool,
    /// Its replacement.
    pub body: Vec<Token<'t>>,
}

/// A parsed file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source<'t> {
    pub text: &'t str,
    /// The tokens without whitespace, comments, preprocessor lines and code under `#if 0`. Other
    /// conditionals are marked, because both of their branches are included.
    pub code: Vec<Token<'t>>,
    /// The macros, in order.
    pub macros: Vec<Macro<'t>>,
}

/// The state of a preprocessor conditional.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Branch {
    /// This branch is or may be compiled.
    Read,
    /// `#if 0`: this branch is not compiled, but one after `#else` is.
    Dead,
    /// Nested in a branch that is not compiled.
    Gone,
}

impl<'t> Source<'t> {
    /// Parses the file with index `file`, whose text is `text`.
    pub(crate) fn read(file: usize, text: &'t str) -> Self {
        let mut source = Self { text, ..Self::default() };
        let mut branches = Vec::new();
        let mut tokens = Tokens::new(file, text);
        let mut fresh = true;
        while let Some(token) = tokens.next() {
            match token.kind {
                Kind::Newline => fresh = true,
                Kind::Blank | Kind::Comment => {}
                Kind::Mark if fresh && token.text == "#" => {
                    let line: Vec<_> = tokens
                        .by_ref()
                        .take_while(|token| token.kind != Kind::Newline)
                        .filter(|token| token.kind != Kind::Comment)
                        .collect();
                    source.directive(&line, &mut branches);
                }
                _ => {
                    fresh = false;
                    if is_read(&branches) {
                        source.code.push(token);
                    }
                }
            }
        }
        source
    }

    /// Handles a preprocessor line without its `#`.
    fn directive(&mut self, line: &[Token<'t>], branches: &mut Vec<Branch>) {
        let blank = |token: &&Token<'_>| token.kind != Kind::Blank;
        let Some(name) = line.iter().find(blank) else { return };
        let behind = line.iter().skip_while(|token| token.at <= name.at);
        let words: Vec<Token<'t>> = behind.clone().filter(blank).copied().collect();
        let mark = |kind| Token { kind, ..*name };
        match name.text {
            "if" | "ifdef" | "ifndef" => {
                let branch = opened(is_read(branches), name.text, &words);
                branches.push(branch);
                self.code.push(mark(Kind::If));
            }
            "else" | "elif" => {
                // The other branch of any other conditional is read, too.
                if let Some(branch @ Branch::Dead) = branches.last_mut() {
                    *branch = Branch::Read;
                }
                self.code.push(mark(Kind::Else));
            }
            "endif" => {
                branches.pop();
                self.code.push(mark(Kind::EndIf));
            }
            "define" if is_read(branches) => {
                let exact: Vec<Token<'t>> = behind.copied().collect();
                self.macros.extend(define(&exact));
            }
            _ => {}
        }
    }
}

fn is_read(branches: &[Branch]) -> bool {
    branches.iter().all(|branch| *branch == Branch::Read)
}

/// The state after `#if CONDITION`.
fn opened(read: bool, name: &str, condition: &[Token<'_>]) -> Branch {
    let number = |number: &str| match condition {
        [one] => one.text == number,
        [open, one, close] => open.is("(") && one.text == number && close.is(")"),
        _ => false,
    };
    if !read {
        Branch::Gone
    } else if name == "if" && number("0") {
        Branch::Dead
    } else {
        Branch::Read
    }
}

/// Parses the rest of a `#define` line, including whitespace.
fn define<'t>(line: &[Token<'t>]) -> Option<Macro<'t>> {
    let start = line.iter().position(|token| token.kind == Kind::Word)?;
    let (name, rest) = line.get(start..)?.split_first()?;
    // Only a parenthesis directly after the name begins a parameter list.
    if rest.first().is_none_or(|token| !token.is("(")) {
        let body = significant(rest);
        return Some(Macro { name: name.text, parameters: None, variadic: false, body });
    }
    let close = rest.iter().position(|token| token.is(")"))?;
    let list = significant(rest.get(1..close)?);
    let dots = list.iter().filter(|token| token.is(".")).count() == 3;
    let mut parameters: Vec<&str> =
        list.iter().filter(|token| token.kind == Kind::Word).map(|token| token.text).collect();
    // `args...` names what is otherwise called `__VA_ARGS__`.
    let named = list.iter().rev().nth(3).is_some_and(|token| token.kind == Kind::Word);
    if dots && !named {
        parameters.push("__VA_ARGS__");
    }
    let body = significant(rest.get(close + 1..)?);
    Some(Macro { name: name.text, parameters: Some(parameters), variadic: dots, body })
}

fn significant<'t>(tokens: &[Token<'t>]) -> Vec<Token<'t>> {
    tokens.iter().filter(|token| token.kind != Kind::Blank).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        let source = Source::read(0, text);
        let of_code = source
            .code
            .iter()
            .filter(|token| !matches!(token.kind, Kind::If | Kind::Else | Kind::EndIf));
        of_code.map(|token| token.text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_never_compiled_is_not_read() {
        for (text, want) in [
            ("a\n#if 0\nb\n#endif\nc", "a c"),
            ("#if 0\nb\n#else\nc\n#endif", "c"),
            ("#if 0\n#ifdef X\nb\n#else\nc\n#endif\nd\n#endif\ne", "e"),
            ("#ifdef X\nb\n#else\nc\n#endif", "b c"),
            ("#if (0)\nb don't\n#endif\nc", "c"),
            ("/* a */ # if 0\nb\n# endif\nc", "c"),
            ("#define A \\\n b\nc", "c"),
            ("a # b", "a # b"),
            ("#endif\na", "a"),
        ] {
            assert_eq!(code(text), want, "{text}");
        }
    }

    #[test]
    fn macros_are_read_with_their_parameters() {
        let text = "#define A \"x\"\n#define B(f, ...) \\\n\tg(f, /* , */ ##__VA_ARGS__)\n\
                    #define C(f, args...) g(f, args)\n#define D (1)\n#if 0\n#define E\n#endif\n\
                    #define F() g()\n#define\n#define 1\n#define G(\n";
        let source = Source::read(0, text);
        let said: Vec<_> = source
            .macros
            .iter()
            .map(|one| (one.name, one.parameters.clone(), one.variadic, one.body.len()))
            .collect();
        assert_eq!(
            said,
            [
                ("A", None, false, 1),
                ("B", Some(vec!["f", "__VA_ARGS__"]), true, 8),
                ("C", Some(vec!["f", "args"]), true, 6),
                ("D", None, false, 3),
                ("F", Some(vec![]), false, 3),
            ]
        );
    }
}
