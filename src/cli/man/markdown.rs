//! Converts Markdown to roff, as far as `patterns/README.md` uses it: headings, paragraphs, lists,
//! tables with two columns, fenced code, and code or strong text in a line.

use super::escaped;

/// The beginning of the line below the names of a table's columns.
const RULE: &str = "| --";

/// The body of a page. The first heading, which is the title, is left out.
pub(super) fn roff(markdown: &str) -> String {
    let mut page = String::new();
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim_start();
        if lines.peek().is_some_and(|next| next.starts_with(RULE)) {
            // The names of the columns, which the page does not need.
        } else if text.starts_with("```") {
            let indent = line.len() - text.len();
            let code = lines.by_ref().take_while(|line| line.trim() != "```");
            page += &preformatted(code.map(|line| line.get(indent..).unwrap_or_default()));
        } else if let Some(block) = block(text) {
            page += &block;
            page.push('\n');
        }
    }
    page
}

/// A line that is a block: a heading, a row of a table, an entry of a list, a paragraph.
fn block(text: &str) -> Option<String> {
    if text.is_empty() || text.starts_with("# ") || text.starts_with(RULE) {
        return None;
    }
    if let Some(heading) = text.strip_prefix("## ") {
        return Some(format!(".SH {}", escaped(&heading.to_uppercase())));
    }
    if let Some((key, meaning)) = row(text) {
        return Some(format!(".TP\n{}\n{}", inline(key), inline(meaning)));
    }
    if let Some(entry) = text.strip_prefix("- ") {
        return Some(format!(".IP \\(bu 2\n{}", inline(entry)));
    }
    match text.split_once(". ") {
        Some((number, entry)) if number.parse::<u8>().is_ok() => {
            Some(format!(".IP {number}. 4\n{}", inline(entry)))
        }
        _ => Some(format!(".PP\n{}", inline(text))),
    }
}

/// The cells of a row with two columns.
fn row(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("| ")?.strip_suffix(" |")?.split_once(" | ")
}

fn preformatted<'t>(lines: impl Iterator<Item = &'t str>) -> String {
    let lines = lines.map(|line| format!("{}\n", characters(line).replace('\'', "\\(aq")));
    format!(".PP\n.RS 4\n.nf\n{}.fi\n.RE\n", lines.collect::<String>())
}

/// A text with `code` and **strong** parts in bold type.
fn inline(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(index, part)| {
        if index % 2 == 1 {
            return format!("\\fB{}\\fR", characters(part));
        }
        let strong = part.split("**").enumerate().map(|(index, part)| {
            let part = characters(part);
            if index % 2 == 1 { format!("\\fB{part}\\fR") } else { part }
        });
        strong.collect()
    });
    parts.collect()
}

/// Escapes text for roff, and replaces characters that old formatters cannot print.
fn characters(text: &str) -> String {
    escaped(text).replace('«', "\\(Fo").replace('»', "\\(Fc").replace('…', "...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_requests() {
        for (markdown, expected) in [
            ("# Title\n\n## Two words", ".SH TWO WORDS\n"),
            ("a `b-c` **d** `**`", ".PP\na \\fBb\\-c\\fR \\fBd\\fR \\fB**\\fR\n"),
            ("- one\n- two", ".IP \\(bu 2\none\n.IP \\(bu 2\ntwo\n"),
            ("12. one", ".IP 12. 4\none\n"),
            ("| k | m |\n| --- | --- |\n| `a` | b | c |", ".TP\n\\fBa\\fR\nb | c\n"),
            (
                "   ```toml\n   a = '.'\n     b\n   ```",
                ".PP\n.RS 4\n.nf\na = \\(aq.\\(aq\n  b\n.fi\n.RE\n",
            ),
            ("```\n.x \\ «y»\n```", ".PP\n.RS 4\n.nf\n\\&.x \\e \\(Foy\\(Fc\n.fi\n.RE\n"),
        ] {
            assert_eq!(roff(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn no_line_of_the_page_about_patterns_is_an_unknown_request() {
        for line in roff(super::super::README).lines().filter(|line| line.starts_with('.')) {
            let request = line.split(' ').next().unwrap_or(line);
            assert!(
                [".SH", ".TP", ".IP", ".PP", ".RS", ".RE", ".nf", ".fi"].contains(&request),
                "{line}"
            );
        }
    }
}
