//! The macros that a file can use: its own, and those of all headers.

use super::expand::{Macros, body_of};
use super::source::Macro;
use super::token::{Kind, Token};

/// Maximum length of a chain of macro aliases.
const LONGEST_ALIAS: usize = 16;

/// The macros of a file, which take precedence over those of headers.
#[derive(Clone, Copy)]
pub(super) struct Definitions<'s, 't> {
    pub(super) own: &'s Macros<'t>,
    pub(super) headers: &'s Macros<'t>,
}

impl<'s, 't> Definitions<'s, 't> {
    fn both(self) -> [&'s Macros<'t>; 2] {
        [self.own, self.headers]
    }

    /// The body of a macro without parameters.
    pub(super) fn body(self, name: &str) -> Option<&'s [Token<'t>]> {
        self.both().into_iter().find_map(|macros| body_of(macros.all(name)))
    }

    /// Resolves a macro that is an alias for another name.
    pub(super) fn meaning<'n>(self, name: &'n str) -> &'n str
    where
        't: 'n,
    {
        let alias = |name: &str| {
            let one = |macros: &'s Macros<'t>| match body_of(macros.all(name)) {
                Some([other]) => Some(other),
                _ => None,
            };
            self.both().into_iter().find_map(one).filter(|other| other.kind == Kind::Word)
        };
        let mut meaning = name;
        for _ in 0..LONGEST_ALIAS {
            let Some(other) = alias(meaning) else { break };
            meaning = other.text;
        }
        meaning
    }

    /// The definitions of a function-like macro that prints.
    pub(super) fn printing(self, name: &str) -> Option<&'s [Macro<'t>]> {
        let of = |macros: &'s Macros<'t>| {
            let all = macros.all(name);
            let takes = all.iter().any(|one| one.parameters.is_some());
            (takes && macros.prints(name)).then_some(all)
        };
        self.both().into_iter().find_map(of)
    }
}
