use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::super::expression::compiled;
use super::super::prefix::Prefixes;
use super::super::step::{self, Span};
use super::*;

fn matched(format: &str, text: &str) -> Option<Vec<String>> {
    let format = Format::parse(format).unwrap();
    let mut spans = vec![None; format.captures().count()];
    let steps = format.steps(|field| (field == "opcode").then_some(Class::Word));
    let text_of = |span: Span| span.map_or("", |(from, to)| &text[from..to]).to_owned();
    step::matches(&steps, text, &mut spans).then(|| spans.into_iter().map(text_of).collect())
}

#[test]
fn formats_read_what_printf_writes() {
    for (format, text, want) in [
        ("ring %{ring:s} timeout", "ring gfx_0.0.0 timeout", &["gfx_0.0.0"][..]),
        ("STATUS:0x%{status:08X}", "STATUS:0x00000B3A", &["00000B3A"]),
        ("begin!. Source:  %{source:d}", "begin!. Source: 5", &["5"]),
        ("vmid:%{vmid:u} pasid:%{pasid:u}", "vmid:x pasid:xxxx", &["x", "xxxx"]),
        ("\t RW: 0x%{rw:lx}", "     RW: 0x1", &["1"]),
        ("100%% of %{_:s}", "100% of it", &["it"]),
        ("failed %{errno:d}", "failed -62 ", &["-62"]),
        ("msg=%{opcode:s}", "msg=REMOVE_QUEUE", &["REMOVE_QUEUE"]),
    ] {
        assert_eq!(matched(format, text).unwrap(), want, "{format}");
    }
    assert_eq!(matched("ring %{ring:s} timeout", "a ring gfx timeout"), None);
    assert_eq!(matched("msg=%{opcode:s}", "msg=MISC (QUERY_STATUS)"), None);
}

#[test]
fn a_process_name_may_be_empty_or_hold_blanks() {
    let format = "for process %{process:s} pid %{pid:d} thread %{thread:s} pid %{tid:d}";
    for (text, want) in [
        ("for process  pid 0 thread  pid 0", ["", "0", "", "0"]),
        ("for process pid 0 thread pid 0", ["", "0", "", "0"]),
        ("for process RDD Process pid 7 thread a:cs0 pid 8", ["RDD Process", "7", "a:cs0", "8"]),
    ] {
        assert_eq!(matched(format, text).unwrap(), want, "{text}");
    }
}

#[test]
fn an_invalid_format_is_an_error() {
    for (format, span) in
        [("ring %s", 5..7), ("%{ring}", 0..2), ("%{ring:q}", 0..2), ("%{a:s", 0..2)]
    {
        assert_eq!(Format::parse(format).unwrap_err().span, span, "{format}");
    }
}

#[test]
fn literals_are_taken_from_what_never_changes() {
    for (format, prefix, literal) in [
        ("MES failed to respond to msg=%{opcode:s}", "MES failed to respond to msg=", "respond"),
        ("\t RW: 0x%{rw:lx}", "RW: 0x", "RW:"),
        ("100%%  busy ", "100% busy", "busy"),
        ("%{a:s}: Killed process", "", "process"),
    ] {
        let read = Format::parse(format).unwrap();
        assert_eq!((read.prefix().as_str(), read.literal()), (prefix, literal), "{format}");
    }
}

#[test]
fn a_bound_conversion_prints_its_value_only() {
    let mut format = Format::parse("%{error:s} at %{place:s}, %{bits:#x}").unwrap();
    format.bind("error", "Link Training");
    format.bind("bits", "1f");
    assert_eq!((format.prefix().as_str(), format.literal()), ("Link Training at ", "Training"));
    let steps = format.steps(|_| None);
    let mut spans = vec![None; 3];
    assert!(step::matches(&steps, "Link  Training at 7, 0x1f", &mut spans));
    assert_eq!(spans, [Some((0, 14)), Some((18, 19)), Some((23, 25))]);
    assert!(!step::matches(&steps, "Link at 7, 0x1f", &mut spans));
}

/// An equivalent regular expression with one group for each conversion.
fn expression(format: &Format) -> String {
    let mut expression = String::from("^[ \\t]*");
    let mut parts = format.parts.as_slice();
    if let Some((Segment::Blank, rest)) = parts.split_first() {
        parts = rest;
    }
    let mut index = 0;
    while index < parts.len() {
        index += write(&mut expression, &parts[index..]);
    }
    expression.push_str("[ \\t]*$");
    expression
}

fn write(expression: &mut String, parts: &[Segment]) -> usize {
    match parts {
        [Segment::Blank, Segment::Capture(printed), Segment::Blank, _, ..]
            if printed.capture.conversion == Conversion::Text =>
        {
            expression.push_str("[ \\t]+(?:(.*?)[ \\t]+)?");
            return 3;
        }
        [Segment::Blank, _, ..] => expression.push_str("[ \\t]+"),
        [Segment::Literal(text), ..] => expression.push_str(&regex::escape(text)),
        [Segment::Capture(printed), rest @ ..] => {
            lead_in(expression, printed);
            expression.push_str(match printed.capture.conversion {
                Conversion::Decimal => "(-?[0-9]+|[xX*?#]+)",
                Conversion::Hexadecimal => "([0-9a-fA-F]+|[xX*?#]+)",
                Conversion::Text if printed.capture.field.as_deref() == Some("opcode") => {
                    "([A-Za-z][A-Za-z0-9_-]*)"
                }
                Conversion::Text if rest.is_empty() => "(.*)",
                Conversion::Text => "(.*?)",
            });
        }
        [Segment::Bound(printed, parts), ..] => {
            lead_in(expression, printed);
            let blank = |part: &Segment| part.fixed().map_or("[ \\t]+".to_owned(), regex::escape);
            expression.push('(');
            expression.extend(parts.iter().map(blank));
            expression.push(')');
        }
        [Segment::Blank] | [] => {}
    }
    1
}

fn lead_in(expression: &mut String, printed: &PrintedValue) {
    expression.push_str(if printed.padded { "[ ]*" } else { "" });
    expression.push_str(if printed.prefix { "(?:0x)?" } else { "" });
}

/// Parts of formats, and texts that they may print.
const PIECES: &[(&str, &[&str])] = &[
    (" ", &[" ", "  ", "\t", " \t ", ""]),
    (" ", &[" ", "\t "]),
    ("a", &["a"]),
    ("ab:", &["ab:", "ab"]),
    ("1f", &["1f"]),
    ("x0", &["x0"]),
    ("0x", &["0x"]),
    ("[é]", &["[é]"]),
    ("%%", &["%"]),
    ("%{_:s}", &["", "a", "a b", "ab: ab:", "12", " ", "é"]),
    ("%{name:s}", &["", "a", " a", "ab:", "\n"]),
    (" %{name:s} ", &[" a ", "  ", " ", " a b ", " \t a  "]),
    ("%{wide:8s}", &["", "  a", "a"]),
    ("%{opcode:s}", &["ADD_QUEUE", "a1f", "a-b"]),
    ("%{number:d}", &["12", "-5", "xx", "*", "0"]),
    ("%{number:5u}", &["   12", "1"]),
    ("%{number:08x}", &["1f", "xxxx", "0", "AB"]),
    ("%{number:#x}", &["0x1f", "1f", "0", "0xxx", "0x"]),
    ("%{number:#10x}", &["   0x1f"]),
    ("%{error:s}", &["a b", "a  b", "a b c"]),
];

/// A format, and a text that it prints or almost prints.
fn printed() -> impl Strategy<Value = (String, String)> {
    let noise =
        prop_oneof![6 => Just(""), 1 => select(vec!["a", " ", "1", "x", "\n", "0x", "ab:"])];
    let piece = (select(PIECES), any::<Index>(), noise);
    prop::collection::vec(piece, 0..9).prop_map(|pieces| {
        let format = pieces.iter().map(|((format, _), ..)| *format).collect();
        let text = |((_, texts), which, noise): &((_, &[&'static str]), Index, &str)| {
            [*which.get(texts), *noise].concat()
        };
        (format, pieces.iter().map(text).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn steps_do_what_a_regular_expression_does((text, printed) in printed()) {
        let mut format = Format::parse(&text).unwrap();
        format.bind("error", "a b");
        let regex = compiled(&expression(&format)).unwrap();
        let want = regex.captures(printed.as_bytes()).map(|captures| {
            let groups = captures.iter().skip(1);
            groups.map(|group| group.map(|group| (group.start(), group.end()))).collect::<Vec<_>>()
        });
        let steps = format.steps(|field| (field == "opcode").then_some(Class::Word));
        for free in [0, usize::MAX / 2] {
            let mut spans = vec![None; format.captures().count()];
            let got = step::matches_after(free, (0, 0), &steps, &printed, &mut spans);
            let got = got.then_some(spans);
            prop_assert_eq!(&got, &want, "{} {}", text, expression(&format));
        }
    }

    #[test]
    fn every_match_has_prefix_and_literal((text, printed) in printed()) {
        let mut format = Format::parse(&text).unwrap();
        format.bind("error", "a b");
        let mut spans = vec![None; format.captures().count()];
        if step::matches(&format.steps(|field| (field == "opcode").then_some(Class::Word)), &printed, &mut spans) {
            let prefixes = Prefixes::new(vec![(&format.prefix(), 0)]);
            let found = prefixes.of(printed.trim_start_matches([' ', '\t']));
            prop_assert!(prefixes.places(found.clone()).eq([0]), "{}", text);
            prop_assert!(printed.contains(format.literal()), "{}", text);
        }
    }
}

/// Texts that cause much backtracking, of maximum length. The matcher itself reports too many
/// attempts.
#[test]
fn hostile_texts_cost_time_in_proportion_to_their_length() {
    let long = |piece: &str| piece.repeat((1 << 16) / piece.len());
    for format in [
        "%{a:s} %{b:s} %{c:s} %{d:s} x%{e:d}y",
        "%{a:s}: %{b:s}: %{c:s}: %{d:s}: end",
        "for process %{a:s} pid %{b:d} thread %{c:s} pid %{d:d})",
        "%{a:s}%{b:s}%{c:s}%{d:d}%{e:d}%{f:x}%{g:s}y",
        "%{a:s}%{b:#x}%{c:8s} %{opcode:s}%{d:s} y",
        "a %{a:s} %{b:s} %{c:s} %{d:s} y",
        "%{a:s}  aab",
    ] {
        let format = Format::parse(format).unwrap();
        let steps = format.steps(|field| (field == "opcode").then_some(Class::Word));
        let mut spans = vec![None; format.captures().count()];
        for text in [" ", "a", "1", "1 ", "a: ", "x", "0x", " pid 1", "a \t", "aa", "\n", "1\n "] {
            for lead in ["", "for process", "a "] {
                let text = format!("{lead}{}", long(text));
                assert!(!step::matches(&steps, &text, &mut spans));
            }
        }
    }
}
