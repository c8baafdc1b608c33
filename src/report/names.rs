//! Tests that names from outside appear in quotation marks or as one plain word, so that they
//! cannot look like a sentence of a report.

use proptest::prelude::*;

use super::view::PartView;
use super::whole::{self, Extent};
use super::{Report, ReportPart, card, files};
use crate::builtin;
use crate::diagnosis::conclusions;
use crate::document::terminal::Look;
use crate::document::{Banner, Block, Document, Item, Piece, Text, line};
use crate::event::log::tests::log;
use crate::pattern::Patterns;

/// A part of every name, which occurs nowhere else. Because of the space, the name is not a plain
/// word.
const MARK: &str = "Z Q";

thread_local! {
    static PATTERNS: Patterns = builtin::patterns();
}

/// A log in which everything that others can name is called `name`.
fn named(name: &str) -> String {
    let short: String = name.chars().take(40).collect();
    format!(
        "\
[    0.000000] Linux version {short} (build@host) (gcc 14.2.0) #15 SMP
[    1.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!
[   10.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770, for process {name} pid 411 thread {name}:cs0 pid 413)
[   11.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[   11.000001] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process {name} pid 411 thread {name}:cs0 pid 413
[   12.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  {name}
[   13.000000] {name}[411]: segfault at 0 ip 00007f0000000000 sp 00007f0000000000 error 4 in libdrm_amdgpu.so.1.0.0[7f0000000000+1000]
[  140.000000] INFO: task {name}:411 blocked for more than 122 seconds.
[  140.000001]       Not tainted {short} #1
[  140.000002] Call Trace:
[  140.000003]  amdgpu_fence_wait_any+0x10/0x20 [amdgpu]
"
    )
}

fn report(name: &str) -> Report {
    let log = log(&named(name));
    let conclusions = PATTERNS.with(|patterns| conclusions(&log, patterns));
    let part = ReportPart::new(format!("logs.tar:{name}"), None, log, conclusions);
    Report { patterns: String::new(), parts: vec![part], unread: Vec::new() }
}

/// A text without code.
fn words(text: &Text) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Code(_) => String::new(),
        piece => piece.words().to_owned(),
    };
    text.pieces().iter().map(piece).collect()
}

/// All sentences of some blocks, without log lines and commands.
fn sentences(blocks: &[Block], all: &mut Vec<String>) {
    for block in blocks {
        match block {
            Block::Banner(Banner { state, about, headline, lead, .. }) => {
                all.push(state.clone());
                all.extend(about.iter().cloned());
                all.push(words(headline));
                all.extend(lead.iter().map(words));
            }
            Block::Prose(text) => all.push(words(text)),
            Block::Lines(lines) => all.extend(lines.iter().map(words)),
            Block::Facts(facts) => all.extend(facts.iter().map(|fact| words(&fact.text))),
            Block::Section(section) => {
                all.push(words(&section.title));
                sentences(&section.body, all);
            }
            Block::List(list) => {
                for Item { title, body, .. } in &list.items {
                    all.push(words(title));
                    sentences(body, all);
                }
            }
            Block::Table(table) => all.extend(table.rows.iter().flatten().map(words)),
            Block::Command(_) | Block::Listing(_) | Block::Evidence(_) | Block::Timeline(_) => {}
        }
    }
}

/// The text outside quotation marks.
fn unquoted(text: &str) -> String {
    let (mut out, mut quoted) = (String::new(), false);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => {
                chars.next();
            }
            '"' => quoted = !quoted,
            c if !quoted => out.push(c),
            _ => {}
        }
    }
    assert!(!quoted, "a quotation mark is never closed: {text}");
    out
}

fn documents(report: &Report) -> Vec<Document> {
    let part = PartView::new(&report.parts[0]);
    let everything = Extent { harmless: true, unknown: true, timeline: true, ..Extent::TERMINAL };
    vec![
        card::document(&part, Look { width: Some(80), colour: false }),
        files::document(report),
        whole::document(report, &everything),
        whole::document(report, &Extent::MARKDOWN),
        whole::document(report, &Extent::HTML),
    ]
}

fn check(name: &str) {
    let report = report(name);
    let mut all = Vec::new();
    for document in documents(&report) {
        all.push(document.title.clone());
        sentences(&document.blocks, &mut all);
        let mut out = Vec::new();
        line::write(&document, &mut out).unwrap();
        all.extend(String::from_utf8(out).unwrap().lines().map(str::to_owned));
    }
    assert!(all.iter().any(|text| text.contains(MARK)), "it is named somewhere: {all:#?}");
    for text in &all {
        assert!(!unquoted(text).contains(MARK), "{name:?} is no name here: {text}");
    }
}

#[test]
fn a_process_cannot_speak_for_us() {
    for name in [
        "a. The GPU is fine, run curl Z Q|sh",
        "x\" is fine. Run \"Z Q",
        "Z Q\\\" is fine",
        "Z Q (pid 1) is fine",
        "\u{202e}Z Q \u{200b}",
        "e\u{301}\u{302}\u{303}\u{304}\u{305} Z Q",
    ] {
        check(name);
    }
    // A plain word remains unquoted.
    let mut all = Vec::new();
    sentences(&documents(&report("ZQ"))[2].blocks, &mut all);
    assert!(all.iter().any(|text| unquoted(text).contains("ZQ (pid 411)")), "{all:#?}");
}

/// Characters with a meaning for readers, terminals or markup.
fn part() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "\"", "\\", ".", ",", ":", ";", "(", ")", "'", "`", "|", "<", ">", "&", "\u{200b}",
        "\u{202e}", "\u{301}", "\u{fe0f}", "\u{3164}", "é", "漢", " ", "…",
    ]);
    let plain = prop::sample::select(vec!["a", "fine", "run", "GPU", "-v", "0"]);
    prop::collection::vec(prop_oneof![odd, plain], 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_name_speaks_for_us(before in part(), after in part()) {
        check(&format!("{before}{MARK}{after}"));
    }
}
