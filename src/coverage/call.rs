//! Finds printing calls in the code of a file, through the macros that the tree defines, down to
//! the functions of [`super::macros`].

use std::collections::{BTreeMap, BTreeSet};

use super::argument::{condition, loudness, wording_of};
use super::definitions::Definitions;
use super::expand::{LONGEST_EXPANSION, Macros, arguments, body_of, replaced};
use super::function::Function;
use super::literal::{Wording, group, literal, wordings};
use super::macros::{Loudness, Prints, prints};
use super::source::{Macro, Source};
use super::token::{Kind, Token};

/// Maximum number of tokens in the arguments of a call.
const LONGEST_CALL: usize = 1 << 12;
/// Maximum depth of macro expansion for a call.
const DEEPEST: usize = 16;
/// Minimum length of a text outside calls to count as a possible message.
const SHORTEST_TEXT: usize = 4;

/// A format that a file can print.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PrintedFormat {
    /// The line of the call, or of the macro that contains the whole format.
    pub line: usize,
    /// The file of the line.
    pub file: usize,
    /// The enclosing function; `None` in a macro.
    pub function: Option<String>,
    /// The called function or macro, as written.
    pub called: String,
    /// Its level.
    pub loudness: Loudness,
    /// The prefix that the file adds to such formats (`pr_fmt`), if any.
    pub prefix: Option<String>,
    pub wording: Wording,
}

/// Everything that a file can print.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanned {
    /// The formats, in the order of the file.
    pub printed: Vec<PrintedFormat>,
    /// Texts outside calls, which may be printed indirectly.
    pub texts: BTreeSet<String>,
    /// The number of calls that were abandoned, because macro expansion or their arguments did not
    /// end.
    pub given_up: usize,
}

/// Finds everything that `source` prints. `headers` are the macros of all headers, `own` those of
/// the file.
pub(crate) fn scan<'t>(source: &Source<'t>, own: &Macros<'t>, headers: &Macros<'t>) -> Scanned {
    let mut scan = Scan {
        definitions: Definitions { own, headers },
        prefixes: ["pr_fmt", "dev_fmt"].into_iter().map(|name| (name, prefix(name, own))).collect(),
        found: Scanned::default(),
        seen: BTreeSet::new(),
        budget: LONGEST_EXPANSION,
    };
    let mut function = Function::default();
    let mut before = None;
    for (at, token) in source.code.iter().enumerate() {
        let rest = &source.code[at..];
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

/// The prefix `x: ` of `#define pr_fmt(fmt) "x: " fmt`.
fn prefix(name: &str, own: &Macros<'_>) -> Option<String> {
    let one = own.all(name).last()?;
    let parameter = *one.parameters.as_ref()?.first()?;
    let before = one.body.iter().position(|token| token.text == parameter)?;
    let before: Vec<_> = one.body.get(..before)?.iter().filter(|t| !t.is("(")).copied().collect();
    literal(&before, &|name| body_of(own.all(name)))
}

/// The first and last token of a call in its file.
type Call<'t> = (Token<'t>, Token<'t>);

/// The context of the code being read.
#[derive(Clone, Copy)]
struct Outer<'s, 't> {
    /// The call in the file, if this is the body of its macro.
    call: Option<Call<'t>>,
    function: Option<&'s str>,
    /// Whether this is the body of a function or a macro, where nothing is declared.
    is_inside: bool,
}

struct Scan<'s, 't> {
    definitions: Definitions<'s, 't>,
    prefixes: BTreeMap<&'static str, Option<String>>,
    found: Scanned,
    seen: BTreeSet<(usize, usize, Wording)>,
    budget: usize,
}

impl<'s, 't> Scan<'s, 't> {
    /// Reads the call at the beginning of `tokens`, if it prints.
    fn call(&mut self, tokens: &[Token<'t>], outer: Outer<'_, 't>, active: &mut Vec<&'t str>) {
        let [word, open, ..] = tokens else { return };
        if word.kind != Kind::Word || !open.is("(") {
            return;
        }
        // This token is an argument of the call and is read in its own place.
        if outer.call.is_some_and(|call| is_in(call, word) && is_in(call, open)) {
            return;
        }
        let meaning = self.definitions.meaning(word.text);
        let followed = self.definitions.printing(meaning).filter(|_| !active.contains(&meaning));
        let known = prints(meaning);
        if followed.is_none() && known.is_none() {
            return;
        }
        let behind = &tokens[1..];
        let behind = behind.get(..LONGEST_CALL).unwrap_or(behind);
        let Some(length) = group(behind) else {
            self.found.given_up += usize::from(outer.is_inside);
            return;
        };
        let arguments = arguments(&behind[1..length - 1]);
        let outer = Outer { call: outer.call.or(Some((*word, behind[length - 1]))), ..outer };
        match (followed, known) {
            (Some(macros), _) => self.expand(macros, &arguments, outer, active),
            (None, Some(prints)) => self.print(prints, *word, &arguments, outer),
            (None, None) => {}
        }
    }

    /// Reads the expansion of a call's macro.
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
                self.call(&tokens[at..], Outer { is_inside: true, ..outer }, active);
            }
            active.pop();
            // Of several definitions, which depend on the kernel's configuration, the first that
            // prints counts.
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
        let rest = &arguments[prints.format + 1..];
        let loudness = loudness(prints.loud, format, arguments);
        let definitions = self.definitions;
        let wordings = if prints.is_condition {
            vec![Wording::Literal(condition(word, format))]
        } else {
            wordings(format, &|name| definitions.body(name))
        };
        for wording in wordings {
            let (wording, used) = match wording {
                // A declaration, or the definition of the called function.
                Wording::Variable(_) if !outer.is_inside => continue,
                Wording::Variable(text) => (Wording::Variable(text), Vec::new()),
                Wording::Literal(text) => wording_of(&text, format, rest),
            };
            let (place, in_macro) = place(word, format, &used, outer.call);
            if !self.seen.insert((place.file, place.at, wording.clone())) {
                continue;
            }
            let called = outer.call.filter(|_| !in_macro).map_or(word, |(first, _)| first);
            self.found.printed.push(PrintedFormat {
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

    /// Records the text at the beginning of `tokens`.
    fn text(&mut self, tokens: &[Token<'t>]) {
        let of_text = |token: &&Token<'_>| matches!(token.kind, Kind::Text | Kind::Word);
        let length = tokens.iter().take(64).take_while(of_text).count();
        let definitions = self.definitions;
        let text = literal(&tokens[..length], &|name| definitions.body(name));
        let text = text.filter(|text| text.len() >= SHORTEST_TEXT && text.contains(' '));
        self.found.texts.extend(text);
    }
}

/// The token that is reported as the place of a format, and whether it is in the definition of a
/// macro, which is the case if no part of the format comes from the call.
fn place<'t>(
    word: Token<'t>,
    format: &[Token<'t>],
    used: &[&[Token<'t>]],
    call: Option<Call<'t>>,
) -> (Token<'t>, bool) {
    let Some(call) = call else { return (word, false) };
    let used = used.iter().copied().flatten();
    if is_in(call, &word) || format.iter().chain(used).any(|token| is_in(call, token)) {
        return (call.0, false);
    }
    (format.first().copied().unwrap_or(word), true)
}

fn is_in((first, last): Call<'_>, token: &Token<'_>) -> bool {
    token.file == first.file && (first.at..=last.at).contains(&token.at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn scanned(text: &str) -> Scanned {
        let mut source = Source::read(0, text);
        let mut own = Macros::default();
        own.add(std::mem::take(&mut source.macros));
        own.follow(None);
        scan(&source, &own, &Macros::default())
    }

    /// The formats that a function with this body prints, given these definitions.
    fn printed(defines: &str, body: &str) -> Vec<String> {
        let found = scanned(&format!("{defines}\nvoid f(void)\n{{\n{body}\n}}\n")).printed;
        let said = found.into_iter().map(|one| {
            let level = match one.loudness {
                Loudness::Known(level) => level.name(),
                Loudness::Unknown => "unknown",
                Loudness::Continues => "continues",
            };
            match one.wording {
                Wording::Literal(text) => format!("{level} {}: {text}", one.called),
                Wording::Variable(text) => format!("{level} {} variable {text}", one.called),
            }
        });
        said.collect()
    }

    #[test]
    fn calls_are_found_with_level_and_format() {
        for (body, want) in [
            (r#"dev_err(a, "b %d", c);"#, &["error dev_err: b %d"][..]),
            ("dev_err(f(a, b), (c), d);", &["error dev_err variable c"]),
            (r#"pr_warn_once("a" "b");"#, &["warning pr_warn_once: ab"]),
            (r#"printk(KERN_INFO "a" "b");"#, &["info printk: ab"]),
            (r#"printk("a");"#, &["warning printk: a"]),
            (r#"dev_printk(KERN_ERR, a, "b");"#, &["error dev_printk: b"]),
            (r#"dev_printk(a, b, "c");"#, &["unknown dev_printk: c"]),
            (
                "if (drm_WARN_ON(a, b %\n\tc)) return;",
                &["warning drm_WARN_ON: drm_WARN_ON(b %% c)"],
            ),
            (
                "drm_WARN_ON(a, b >= SIZE(c) + ONE || d);",
                &["warning drm_WARN_ON: drm_WARN_ON(b >= %sc%s + %s || d)"],
            ),
            (r#"if (WARN_ONCE(a, "b")) return;"#, &["warning WARN_ONCE: b"]),
            (r#"pr_err("%s: a", "b%");"#, &["error pr_err: b%%: a"]),
            (r#"pr_err("%*d %s %s", 1, 2, "b", c);"#, &["error pr_err: %*d b %s"]),
            (r#"pr_err("%s\n", text);"#, &[r#"error pr_err variable "%s\n", text"#]),
            (r#"drm_printf(p, "a"); s.pr_err = 1; pr_err"#, &[]),
            (r#"pr_err("a""#, &[]),
        ] {
            assert_eq!(printed("", body), want, "{body}");
        }
    }

    #[test]
    fn macros_are_followed_to_what_they_print() {
        let defines = r#"
#define one(d, fmt, ...) dev_warn((d)->dev, "[x] " fmt, ##__VA_ARGS__)
#define two(fmt, args...) one(self, fmt, args)
#define check(cond, msg, code) do { if (!(cond)) { pr_err("%s\n", msg); code; } } while (0)
#define fixed(a) do { if (a) DRM_ERROR("all of it"); } while (0)
#define other pr_info
#define dump(reg) pr_info(#reg " is %d", read(reg))
#define silent(fmt, ...) do { } while (0)
#define loop(a) loop(a)
#define left(a) right(a), pr_err("left " a)
#define right(a) left(a)
"#;
        for (body, want) in [
            (r#"one(a, "b %d", c);"#, &["warning one: [x] b %d"][..]),
            (r#"two("b"); two("c %d", d);"#, &["warning two: [x] b", "warning two: [x] c %d"]),
            (r#"check(a, "b", return);"#, &["error check: b\n"]),
            (
                r#"check(a, b, pr_err("c"));"#,
                &["error check variable \"%s\\n\", b", "error pr_err: c"],
            ),
            ("fixed(1); fixed(2);", &["error DRM_ERROR: all of it"]),
            (r#"other("a");"#, &["info other: a"]),
            ("dump(STATUS); dump(a + b);", &["info dump: STATUS is %d", "info dump: %s is %d"]),
            (r#"silent("a"); loop(1);"#, &[]),
            (r#"left("a");"#, &["error left: left a"]),
        ] {
            assert_eq!(printed(defines, body), want, "{body}");
        }
    }

    #[test]
    fn a_prefix_is_the_text_before_the_parameter() {
        let text = "#define pr_fmt(fmt) \"a: \" fmt\n#define dev_fmt(f) \"%s: \" f, __func__\n\
                    void f(void)\n{\n\tpr_err(\"b\");\n\tdev_err(c, \"d\");\n\tDRM_ERROR(\"e\");\n}\n";
        let prefixes: Vec<_> = scanned(text).printed.into_iter().map(|one| one.prefix).collect();
        assert_eq!(prefixes, [Some("a: ".to_owned()), Some("%s: ".to_owned()), None]);
    }

    #[test]
    fn macros_without_end_are_given_up() {
        let double = (1..30).fold(String::new(), |text, n| {
            format!("{text}#define m{n}(a) m{}(a) m{}(a)\n", n - 1, n - 1)
        });
        let text =
            format!("#define m0(a) pr_err(a)\n{double}void f(void)\n{{\n\tm29(\"b\");\n}}\n");
        assert!(scanned(&text).given_up > 0);
        let open = format!("void f(void)\n{{\n{}}}\n", "pr_err(".repeat(20_000));
        assert_eq!(scanned(&open).given_up, 20_000);
    }

    proptest! {
        /// Scanning ends for any text.
        #[test]
        fn any_text_is_scanned(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "pr_err", "(", ")", ",", "\"a %s b\"", "{", "}", "\n#define m(a, ...) ", "m", "a",
                    "#", "##", "?", ":", "\n#if 0\n", "\n#else\n", "\n#endif\n", "__VA_ARGS__", "\n",
                    " ", "é", "\\", "'", "printk", "KERN_ERR", "WARN", "/*", "*/", "\n#define pr_fmt(a) ",
                ]),
                0..80,
            )
        ) {
            let text = parts.concat();
            for one in scanned(&text).printed {
                prop_assert!(one.line <= 1 + text.matches('\n').count());
            }
        }
    }
}
