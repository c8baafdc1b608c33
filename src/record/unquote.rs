//! Removes what mails, bug trackers, forums or chats add to lines: quote marks, backticks, code
//! fences, tags, entities, escapes, and colours that lost their escape character. Independent of
//! envelopes.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use memchr::{memchr, memchr3, memmem};

/// A line without these additions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unquoted<'a> {
    /// Without indentation.
    pub(super) text: &'a str,
    /// The number of spaces removed.
    pub(super) indent: usize,
    /// The depth of quoting.
    pub(super) quotes: usize,
}

/// HTML tags around lines of a log.
const TAGS: [&str; 22] = [
    "pre",
    "code",
    "details",
    "summary",
    "blockquote",
    "p",
    "br",
    "li",
    "div",
    "span",
    "td",
    "th",
    "tr",
    "table",
    "tbody",
    "samp",
    "tt",
    "b",
    "strong",
    "i",
    "em",
    "font",
];
/// Tags in square brackets, of forums, trackers and chats.
const FORUM_TAGS: [&str; 11] = [
    "[code]",
    "[/code]",
    "[quote]",
    "[/quote]",
    "[spoiler]",
    "[/spoiler]",
    "[b]",
    "[/b]",
    "{noformat}",
    "{code}",
    "{quote}",
];

/// Removes the additions of a line. `clean` is the buffer for text with replaced characters.
pub(super) fn unquoted<'a>(line: &'a str, clean: &'a mut String) -> Unquoted<'a> {
    let line = plain(line, clean);
    let first = line.as_bytes().first();
    // The start of nearly every line of a log, for which the rest can be skipped.
    let marked = first == Some(&b'[') && FORUM_TAGS.iter().any(|tag| line.starts_with(tag));
    if !marked && (first == Some(&b'[') || first.is_some_and(u8::is_ascii_alphanumeric)) {
        return Unquoted { text: without_end(line), indent: 0, quotes: 0 };
    }
    let (text, quotes) = without_quotes(unboxed(line));
    let inner = text.trim_start_matches([' ', '\t']);
    let indent = text.len() - inner.len();
    let text = without_end(without_back_quotes(without_stars(without_tags(inner))));
    Unquoted { text, indent, quotes }
}

/// Replaces entities and escapes by their characters.
fn plain<'a>(line: &'a str, clean: &'a mut String) -> &'a str {
    let entities = memchr3(b'&', 0xC2, 0xE2, line.as_bytes()).is_some();
    let tags = memchr(b'<', line.as_bytes()).is_some()
        && REPLACED.iter().any(|mark| memmem::find(line.as_bytes(), mark).is_some());
    let escapes = memchr(b'\\', line.as_bytes()).is_some()
        && ESCAPED.iter().any(|mark| memmem::find(line.as_bytes(), mark).is_some());
    let colours = NO_COLOUR.find(line.as_bytes()).is_some();
    if !entities && !escapes && !tags && !colours {
        return line;
    }
    clean.clear();
    replace(line, &Marks { escapes, tags, colours }, clean);
    clean
}

/// Ends a colour: each line of `dmesg --color` has it.
static NO_COLOUR: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("[0m"));

/// What else than entities is replaced in a line.
struct Marks {
    escapes: bool,
    tags: bool,
    colours: bool,
}

/// Shows that a line has Markdown escapes: the driver's messages contain none.
const ESCAPED: [&[u8]; 2] = [br"\*", br"\["];

/// Shows that a line has tags that must be replaced.
const REPLACED: [&[u8]; 2] = [b"ERROR</", b"><td>"];

/// HTML entities in logs; what Markdown makes of the driver's stars, and table cells; special
/// spaces, and zero-width characters.
const ENTITIES: [(&str, &str); 14] = [
    ("<em>ERROR</em>", "*ERROR*"),
    ("<i>ERROR</i>", "*ERROR*"),
    ("</td><td>", "\t"),
    ("</th><td>", "\t"),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&amp;", "&"),
    ("&quot;", "\""),
    ("&#39;", "'"),
    ("&nbsp;", " "),
    ("\u{A0}", " "),
    ("\u{202F}", " "),
    ("\u{AD}", ""),
    ("\u{200B}", ""),
];

fn replace(line: &str, marks: &Marks, clean: &mut String) {
    let mut rest = line;
    let next = |text: &str| {
        let entity = memchr3(b'&', 0xC2, 0xE2, text.as_bytes());
        let escape = memchr(b'\\', text.as_bytes()).filter(|_| marks.escapes);
        let tag = memchr(b'<', text.as_bytes()).filter(|_| marks.tags);
        let colour = memchr(b'[', text.as_bytes()).filter(|_| marks.colours);
        entity.into_iter().chain(escape).chain(tag).chain(colour).min()
    };
    while let Some(at) = next(rest) {
        let (before, here) = rest.split_at(at);
        clean.push_str(before);
        if let Some(behind) = after_colour(here).filter(|_| marks.colours) {
            let kept = ESCAPE_CHARACTERS.iter().find_map(|spelled| clean.strip_suffix(spelled));
            clean.truncate(kept.map_or(clean.len(), str::len));
            rest = behind;
            continue;
        }
        let known = ENTITIES.iter().find_map(|(from, to)| Some((*to, here.strip_prefix(from)?)));
        rest = if let Some((to, behind)) = known {
            clean.push_str(to);
            behind
        } else if let Some(behind) = here
            .strip_prefix('\\')
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()))
        {
            behind
        } else {
            let mut characters = here.chars();
            clean.extend(characters.next());
            characters.as_str()
        };
    }
    clean.push_str(rest);
}

/// How terminals, editors and daemons write an escape character.
const ESCAPE_CHARACTERS: [&str; 7] =
    ["^[", "\u{241B}", "\u{FFFD}", "#033", r"\033", r"\x1b", r"\u001b"];

/// The text after a colour, `[1;31m`.
fn after_colour(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?;
    let end = inside.bytes().position(|byte| !byte.is_ascii_digit() && byte != b';')?;
    inside.get(end..)?.strip_prefix('m')
}

/// `> > text`.
fn without_quotes(mut line: &str) -> (&str, usize) {
    let mut quotes = 0;
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
        quotes += 1;
    }
    (line, quotes)
}

/// A line of a box, as dialogs and terminal multiplexers draw it, without its sides and padding.
fn unboxed(line: &str) -> &str {
    const SIDES: [char; 2] = ['\u{2502}', '\u{2503}'];
    let Some(inner) = line.trim_start().strip_prefix(SIDES) else { return line };
    let inner = inner.trim_end().strip_suffix(SIDES).unwrap_or(inner);
    // One blank may belong to the message.
    let words = inner.trim_end();
    inner.get(..words.len() + 1).unwrap_or(words)
}

/// `<pre><code>text`.
fn without_tags<'a>(mut text: &'a str) -> &'a str {
    let rest = |text: &'a str| {
        if let Some(rest) = FORUM_TAGS.iter().find_map(|tag| text.strip_prefix(tag)) {
            return Some(rest);
        }
        let (tag, rest) = text.strip_prefix('<')?.split_once('>')?;
        is_tag(tag).then_some(rest)
    };
    while let Some(inner) = rest(text) {
        text = inner;
    }
    text
}

fn is_tag(inside: &str) -> bool {
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name = inside.split([' ', '/']).next().unwrap_or_default();
    TAGS.contains(&name)
}

/// `**text**`.
fn without_stars(text: &str) -> &str {
    let inner = text.strip_prefix("**").and_then(|text| text.strip_suffix("**"));
    // Bold text has no space next to the stars.
    inner
        .filter(|inner| !inner.starts_with(['*', ' ']) && !inner.ends_with(['*', ' ']))
        .unwrap_or(text)
}

/// A line in backticks, or in a code fence that begins on it.
fn without_back_quotes(text: &str) -> &str {
    let inner = text.trim_start_matches('`');
    let marks = text.len() - inner.len();
    let fence = marks >= 3 && (inner.is_empty() || !inner.contains([' ', '[']));
    // A word alone after a code fence is the name of a language.
    if marks == 0 || fence { text } else { inner.strip_suffix(&text[..marks]).unwrap_or(inner) }
}

/// `text</p>`, `text<br/>`, ```` text``` ````.
fn without_end(mut text: &str) -> &str {
    loop {
        let bare = text.trim_end();
        let inner = match bare.as_bytes().last() {
            Some(b'>') => bare.strip_suffix('>').and_then(|head| {
                let (before, tag) = head.rsplit_once('<')?;
                (tag.len() <= 12 && is_tag(tag)).then_some(before)
            }),
            Some(b'`') => bare.strip_suffix("```").filter(|inner| !inner.is_empty()),
            Some(b']' | b'}') => FORUM_TAGS.iter().find_map(|tag| bare.strip_suffix(tag)),
            _ => None,
        };
        let Some(inner) = inner else { return text };
        text = inner;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn surroundings_are_taken_off() {
        for (line, want) in [
            ("> > [    1.0] text", "[    1.0] text"),
            ("\u{2502}[    1.0] text      \u{2502}", "[    1.0] text "),
            (" \u{2503} [    1.0] text", "[    1.0] text"),
            ("\u{2502}\u{2003}\u{2502}", ""),
            ("    [    1.0] text", "[    1.0] text"),
            ("&lt;6&gt;[\u{A0}1.0] a &amp;lt; b", "<6>[ 1.0] a &lt; b"),
            ("<pre><code>[    1.0] text", "[    1.0] text"),
            ("<6>[    1.0] text", "<6>[    1.0] text"),
            ("a\u{200B}b — c", "ab — c"),
            ("[code][    1.0] text[/code]", "[    1.0] text"),
            ("{noformat}[    1.0] text{noformat}", "[    1.0] text"),
            ("**[    1.0] text**", "[    1.0] text"),
            ("**** text ****", "**** text ****"),
            ("** 12 printk messages dropped **", "** 12 printk messages dropped **"),
            ("<tr><td>1</td><td>[    1.0] text</td></tr>", "1\t[    1.0] text"),
            ("<span style=\"x\">[    1.0] text</span>", "[    1.0] text"),
            ("[drm:f [amdgpu]] <em>ERROR</em> text", "[drm:f [amdgpu]] *ERROR* text"),
            (r"[1.0] amdgpu: \[gfxhub\] page fault", "[1.0] amdgpu: [gfxhub] page fault"),
            ("`[    1.0] text`", "[    1.0] text"),
            ("```[    1.0] text", "[    1.0] text"),
            ("[    1.0] text```", "[    1.0] text"),
            ("```text", "```text"),
            ("```", "```"),
            ("<p>[    1.0] text</p>", "[    1.0] text"),
            ("[    1.0] text<br />", "[    1.0] text"),
            ("[    1.0] client <unknown>", "[    1.0] client <unknown>"),
            (r"\[drm:f \[amdgpu]] \*ERROR\* a\_b", "[drm:f [amdgpu]] *ERROR* a_b"),
            (r"symbol [\_SB.PC00]", r"symbol [\_SB.PC00]"),
            ("[32m[    1.0] [0m[33mamdgpu: [0mtext", "[    1.0] amdgpu: text"),
            ("^[[32m[    1.0] ^[[0m^[[1;31mtext^[[0m", "[    1.0] text"),
            (r"#033[32m[    1.0] #033[0mtext", "[    1.0] text"),
            ("[    1.0] text [10m]", "[    1.0] text [10m]"),
        ] {
            let mut clean = String::new();
            assert_eq!(unquoted(line, &mut clean).text, want, "{line}");
        }
    }
}
