//! What a mail, a tracker, a forum or a chat puts around the lines of a log: quote marks, back quotes,
//! fences, tags, entities, escapes. Knows no envelope.

use memchr::{memchr, memchr3, memmem};

/// A line with what surrounds it taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unquoted<'a> {
    /// Without indent.
    pub(super) text: &'a str,
    /// How many blanks were taken off.
    pub(super) indent: usize,
    /// How many times it was quoted.
    pub(super) quotes: usize,
}

/// Tags that stand around lines of a log on a page, and end them.
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
/// The same of forums, trackers and chats, in the brackets that they have there.
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

/// Takes off what surrounds a line. `clean` holds the text if a character has to be replaced.
pub(super) fn unquoted<'a>(line: &'a str, clean: &'a mut String) -> Unquoted<'a> {
    let line = plain(line, clean);
    let first = line.as_bytes().first();
    // How nearly every line of a log begins; what is below need not be asked.
    let marked = first == Some(&b'[') && FORUM_TAGS.iter().any(|tag| line.starts_with(tag));
    if !marked && (first == Some(&b'[') || first.is_some_and(u8::is_ascii_alphanumeric)) {
        return Unquoted { text: without_end(line), indent: 0, quotes: 0 };
    }
    let (text, quotes) = without_quotes(line);
    let inner = text.trim_start_matches([' ', '\t']);
    let indent = text.len() - inner.len();
    let text = without_end(without_back_quotes(without_stars(without_tags(inner))));
    Unquoted { text, indent, quotes }
}

/// Entities and escapes written as the characters that they stand for.
fn plain<'a>(line: &'a str, clean: &'a mut String) -> &'a str {
    let entities = memchr3(b'&', 0xC2, 0xE2, line.as_bytes()).is_some();
    let tags = memchr(b'<', line.as_bytes()).is_some()
        && REPLACED.iter().any(|mark| memmem::find(line.as_bytes(), mark).is_some());
    let escapes = memchr(b'\\', line.as_bytes()).is_some()
        && ESCAPED.iter().any(|mark| memmem::find(line.as_bytes(), mark).is_some());
    if !entities && !escapes && !tags {
        return line;
    }
    clean.clear();
    replace(line, escapes, tags, clean);
    clean
}

/// What shows that a line has the escapes of Markdown: the driver's own words hold none.
const ESCAPED: [&[u8]; 2] = [br"\*", br"\["];

/// What shows that a line has tags for which something is put.
const REPLACED: [&[u8]; 2] = [b"ERROR</", b"><td>"];

/// The six entities that a page writes for a log's characters, once; what Markdown makes of the stars of the driver, and
/// cells of a table; blanks that are not blanks, and characters without a width.
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

fn replace(line: &str, escapes: bool, tags: bool, clean: &mut String) {
    let mut rest = line;
    let next = |text: &str| {
        let entity = memchr3(b'&', 0xC2, 0xE2, text.as_bytes());
        let escape = memchr(b'\\', text.as_bytes()).filter(|_| escapes);
        let tag = memchr(b'<', text.as_bytes()).filter(|_| tags);
        entity.into_iter().chain(escape).chain(tag).min()
    };
    while let Some(at) = next(rest) {
        let (before, here) = rest.split_at(at);
        clean.push_str(before);
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

/// `> > text`.
fn without_quotes(mut line: &str) -> (&str, usize) {
    let mut quotes = 0;
    while let Some(rest) = line.strip_prefix('>') {
        line = rest.strip_prefix(' ').unwrap_or(rest);
        quotes += 1;
    }
    (line, quotes)
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
    // Of bold text no blank stands beside the stars.
    inner
        .filter(|inner| !inner.starts_with(['*', ' ']) && !inner.ends_with(['*', ' ']))
        .unwrap_or(text)
}

/// A line in back quotes, or in a fence that begins on it.
fn without_back_quotes(text: &str) -> &str {
    let inner = text.trim_start_matches('`');
    let marks = text.len() - inner.len();
    let fence = marks >= 3 && (inner.is_empty() || !inner.contains([' ', '[']));
    // What stands alone behind a fence is the name of a language.
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
        ] {
            let mut clean = String::new();
            assert_eq!(unquoted(line, &mut clean).text, want, "{line}");
        }
    }
}
