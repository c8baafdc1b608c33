//! Tracks the enclosing function of a token, from braces in kernel style.

use super::token::{Kind, Token};

/// The function around the current token.
#[derive(Debug, Default)]
pub(super) struct Function<'t> {
    pub(super) name: Option<&'t str>,
    /// The number of open braces.
    pub(super) depth: usize,
    /// The name of the function if a body follows.
    declared: Option<&'t str>,
    parentheses: usize,
    /// The number of open braces at the start of each preprocessor conditional.
    conditions: Vec<usize>,
}

impl<'t> Function<'t> {
    /// Advances to the token at the beginning of `rest`; `text` is the whole file.
    pub(super) fn see(&mut self, text: &str, rest: &[Token<'t>]) {
        let Some(token) = rest.first() else { return };
        match token.kind {
            Kind::If => self.conditions.push(self.depth),
            // Both branches of a conditional may open a brace that is closed once.
            Kind::Else => self.depth = self.conditions.last().copied().unwrap_or(self.depth),
            Kind::EndIf => {
                self.conditions.pop();
            }
            Kind::Mark => self.mark(token, is_line_start(text, token.at)),
            Kind::Word if self.depth == 0 && self.parentheses == 0 => {
                let called = rest.get(1).is_some_and(|next| next.is("("));
                // Attributes begin with underscores, before or after the name.
                if called && (self.declared.is_none() || !token.text.starts_with("__")) {
                    self.declared = Some(token.text);
                }
            }
            _ => {}
        }
    }

    fn mark(&mut self, token: &Token<'t>, is_line_start: bool) {
        match token.text {
            "{" => {
                // A function body begins in the first column, regardless of the brace count.
                if is_line_start {
                    self.depth = 0;
                }
                if self.depth == 0 {
                    self.name = self.declared.take();
                    self.parentheses = 0;
                }
                self.depth += 1;
            }
            "}" => {
                self.depth = if is_line_start { 0 } else { self.depth.saturating_sub(1) };
                if self.depth == 0 {
                    self.name = None;
                    self.declared = None;
                    self.parentheses = 0;
                }
            }
            _ if self.depth > 0 => {}
            "(" => self.parentheses += 1,
            ")" => self.parentheses = self.parentheses.saturating_sub(1),
            ";" | "=" if self.parentheses == 0 => self.declared = None,
            _ => {}
        }
    }
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text.as_bytes().get(at - 1) == Some(&b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::source::Source;

    /// The function around each `x` of a text.
    fn around(text: &str) -> Vec<Option<&str>> {
        let source = Source::read(0, text);
        let mut function = Function::default();
        let mut found = Vec::new();
        for at in 0..source.code.len() {
            function.see(text, &source.code[at..]);
            if source.code[at].text == "x" {
                found.push(function.name);
            }
        }
        found
    }

    #[test]
    fn functions_are_found_in_kernel_style() {
        for (text, want) in [
            ("int f(int a)\n{\n\tx;\n}\nx;\n", &[Some("f"), None][..]),
            ("static int __init f(void) {\n\tif (a) { x; }\n}\n", &[Some("f")]),
            ("__printf(1, 2)\nvoid f(char *a, ...)\n{\n\tx;\n}\n", &[Some("f")]),
            ("void f(int a) __releases(b)\n{\n\tx;\n}\n", &[Some("f")]),
            ("int g(void);\nstruct s t = {\n\t.a = x,\n};\n", &[None]),
            ("int g(void);\nint (*all[])(int) = {\n\tx,\n};\n", &[None]),
            ("void f(void (*cb)(int))\n{\n\tx;\n}\nvoid g()\n{\nx;\n}\n", &[Some("f"), Some("g")]),
            (
                "void f(void)\n{\n#ifdef A\n\tif (a) {\n#else\n\tif (b) {\n#endif\n\t\tx;\n\t}\n}\n\
                 void g(void)\n{\n\tx;\n}\n",
                &[Some("f"), Some("g")],
            ),
            // Unbalanced braces affect only one function.
            ("void f(void)\n{\n\tif (a) {\n}\nvoid g(void)\n{\n\tx;\n}\n", &[Some("g")]),
        ] {
            assert_eq!(around(text), want, "{text}");
        }
    }
}
