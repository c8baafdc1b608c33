//! Builds an HTML document.
//!
//! Markup is `&'static str`, so it cannot come from a log; all other text is written by
//! [`Escaped`].

use std::fmt::{self, Write as _};

use crate::document::untrusted::Untrusted;

/// Text escaped for an element or a quoted attribute: HTML's five special characters become
/// references, and [`Untrusted`] makes harmful characters visible.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escaped<'a>(pub(super) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(References(f), "{}", Untrusted(self.0))
    }
}

/// Replaces HTML's special characters by references.
struct References<'f, 'b>(&'f mut fmt::Formatter<'b>);

impl fmt::Write for References<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.chars().try_for_each(|c| self.write_char(c))
    }

    fn write_char(&mut self, c: char) -> fmt::Result {
        match c {
            '&' => self.0.write_str("&amp;"),
            '<' => self.0.write_str("&lt;"),
            '>' => self.0.write_str("&gt;"),
            '"' => self.0.write_str("&quot;"),
            '\'' => self.0.write_str("&#39;"),
            c => self.0.write_char(c),
        }
    }
}

/// The name and value of an attribute.
pub(super) type Attribute<'a> = (&'static str, &'a str);

/// The depth of a heading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Depth(usize);

impl Depth {
    /// The depth of the document's own heading.
    pub(super) const TOP: Self = Self(0);

    /// The depth of the sections below.
    pub(super) const fn below(self) -> Self {
        Self(self.0 + 1)
    }

    /// The heading element for this depth.
    pub(super) const fn tag(self) -> &'static str {
        match self.0 {
            0 => "h1",
            1 => "h2",
            2 => "h3",
            3 => "h4",
            4 => "h5",
            _ => "h6",
        }
    }
}

/// A document under construction.
#[derive(Debug, Default)]
pub(super) struct Markup {
    text: String,
}

impl Markup {
    /// The document so far.
    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Appends constant markup.
    pub(super) fn raw(&mut self, markup: &'static str) {
        self.text.push_str(markup);
    }

    /// Appends text, escaped.
    pub(super) fn text(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = write!(self.text, "{}", Escaped(text));
    }

    /// Appends a start tag.
    pub(super) fn open(&mut self, name: &'static str, attributes: &[Attribute<'_>]) {
        self.raw("<");
        self.raw(name);
        for (attribute, value) in attributes {
            self.raw(" ");
            self.raw(attribute);
            self.raw("=\"");
            self.text(value);
            self.raw("\"");
        }
        self.raw(">");
    }

    /// Appends an end tag and a line break.
    pub(super) fn close(&mut self, name: &'static str) {
        self.end(name);
        self.raw("\n");
    }

    /// Appends an element that contains only text, on a line of its own.
    pub(super) fn element(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.inline(name, attributes, text);
        self.raw("\n");
    }

    /// Appends an element that contains only text, within a line.
    pub(super) fn inline(&mut self, name: &'static str, attributes: &[Attribute<'_>], text: &str) {
        self.open(name, attributes);
        self.text(text);
        self.end(name);
    }

    /// Begins a collapsed block; ends with `</details>`.
    pub(super) fn fold(&mut self, class: &'static str, summary: &str) {
        self.open("details", &[("class", class)]);
        self.element("summary", &[], summary);
    }

    /// Begins a table that scrolls within itself on narrow screens; ends with [`Self::end_table`].
    /// `name` is for screen readers.
    pub(super) fn table(&mut self, name: &str, class: &'static str, columns: &[&str]) {
        let frame =
            [("class", "scroll"), ("tabindex", "0"), ("role", "region"), ("aria-label", name)];
        self.open("div", &frame);
        self.open("table", &[("class", class)]);
        self.raw("\n<thead><tr>");
        for column in columns {
            self.inline("th", &[("scope", "col")], column);
        }
        self.raw("</tr></thead>\n<tbody>\n");
    }

    /// Appends a remark of this program.
    pub(super) fn note(&mut self, text: &str) {
        self.element("p", &[("class", "note")], text);
    }

    pub(super) fn end_table(&mut self) {
        self.raw("</tbody></table></div>\n");
    }

    /// Appends a link to another site if its address is allowed, else the plain address.
    pub(super) fn link(&mut self, address: &str) {
        if address.starts_with("https://") {
            self.inline("a", &[("href", address), ("rel", "noreferrer")], address);
        } else {
            self.text(address);
        }
    }

    /// Appends an end tag within a line.
    pub(super) fn end(&mut self, name: &'static str) {
        self.raw("</");
        self.raw(name);
        self.raw(">");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_means_something_to_html_gets_through() {
        for (text, want) in [
            ("plain, Grüße 漢字", "plain, Grüße 漢字"),
            ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
            ("</style></pre><!-- ]]>", "&lt;/style&gt;&lt;/pre&gt;&lt;!-- ]]&gt;"),
            ("&#x3c;b&#62; &lt;", "&amp;#x3c;b&amp;#62; &amp;lt;"),
            ("\" onload='x'", "&quot; onload=&#39;x&#39;"),
            ("\u{1b}[31m\u{202e}\u{200b}\0\n", "\\u{1b}[31m\\u{202e}\\u{200b}\\u{0}\\u{a}"),
        ] {
            assert_eq!(Escaped(text).to_string(), want);
        }
    }

    #[test]
    fn attributes_are_escaped_and_only_https_is_a_link() {
        let mut page = Markup::default();
        page.open("p", &[("title", "\"><b>")]);
        assert_eq!(page.as_str(), "<p title=\"&quot;&gt;&lt;b&gt;\">");
        for address in ["javascript:alert(1)", "http://host/", "//host/", "HTTPS://host/", ""] {
            let mut page = Markup::default();
            page.link(address);
            assert_eq!(page.as_str(), address);
        }
        let mut page = Markup::default();
        page.link("https://host/?a&b");
        let text = "https://host/?a&amp;b";
        assert_eq!(page.as_str(), format!("<a href=\"{text}\" rel=\"noreferrer\">{text}</a>"));
    }
}
