//! The sections of a report, and how they are shortened.

use std::fmt::Write as _;

use crate::document::counts::several;
use crate::document::markdown;
use crate::document::markdown::escape::Inline;
use crate::document::{Block, Fact, Item, List, Text, prose};
use crate::input::called;
use crate::pattern::tracker::{Content, Section, Value};
use crate::report::bundle::missed;
use crate::report::pieces::course_table;
use crate::report::view::{Ends, IncidentView};
use crate::report::words::{role_word, standing};

use super::Ticket;

/// A section, rendered.
#[derive(Clone, Debug)]
pub(super) struct Written {
    heading: String,
    pub(super) text: String,
    weight: u8,
}

/// Replaces a section that was left out.
const LEFT_OUT: &str =
    "_Left out here for its length; it is in report.md of the attached archive._\n\n";
/// The rows of the table of versions.
const VERSIONS: [(&str, Value); 15] = [
    ("Kernel", Value::Kernel),
    ("Driver", Value::Driver),
    ("Distribution", Value::Distribution),
    ("CPU", Value::Cpu),
    ("Memory", Value::Memory),
    ("Board and BIOS", Value::Board),
    ("GPU", Value::Gpu),
    ("Firmware", Value::Firmware),
    ("Mesa", Value::Mesa),
    ("ROCm", Value::Rocm),
    ("Desktop and session", Value::Desktop),
    ("Displays", Value::Displays),
    ("Connected by", Value::Connections),
    ("Parameters that are not the default", Value::Parameters),
    ("Taint", Value::Taint),
];

/// A section in the tracker's format.
pub(super) fn written(ticket: &Ticket<'_>, section: &Section) -> Written {
    let part = marked_up(ticket, section);
    if !ticket.tracker.plain {
        return part;
    }
    Written { heading: plain(&part.heading), text: plain(&part.text), ..part }
}

/// Removes Markdown escapes, for trackers without Markdown; code blocks are unchanged.
pub(super) fn plain(text: &str) -> String {
    let (mut plain, mut fence) = (String::with_capacity(text.len()), None);
    for line in text.split_inclusive('\n') {
        let marks = line.bytes().take_while(|byte| *byte == b'`').count();
        match fence {
            None if marks >= 3 => fence = Some(marks),
            Some(open) if marks == open && line.trim_end().len() == open => fence = None,
            Some(_) => plain.push_str(line),
            None if line.starts_with("| ---") || line == "| | |\n" => {}
            None => unescape(line, &mut plain),
        }
    }
    plain
}

/// The characters of an escape.
fn unescape(line: &str, plain: &mut String) {
    let line = line.replace("<!-- -->", "").replace("**", "");
    let line = line.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => plain.extend(chars.next()),
            '`' => {}
            c => plain.push(c),
        }
    }
}

fn marked_up(ticket: &Ticket<'_>, section: &Section) -> Written {
    let heading = format!("{} {}\n\n", "#".repeat(section.level), Inline(&section.heading));
    let mut blocks = Vec::new();
    let mut text = String::new();
    match section.content {
        // Commands for the tracker are not text.
        Some(Content::DebianHead) => text = debian_head(ticket),
        Some(Content::QuickLabels) => text = quick_labels(ticket),
        Some(content) => blocks = content_of(ticket, content),
        None => {}
    }
    let fields = section.fields.iter();
    let fields = fields.map(|field| format!("{}: {}", field.label, value(ticket, field.value)));
    blocks.push(List::of(fields).into());
    blocks.extend(section.ask.as_ref().map(|ask| prose(format!("[{ask}]"))));
    text.push_str(&markdown::text(&blocks, section.level + 1));
    if !text.ends_with("\n\n") {
        text.push('\n');
    }
    // Without a heading: GitLab reads quick actions anywhere.
    let bare = matches!(section.content, Some(Content::QuickLabels | Content::DebianHead));
    let heading = if bare { String::new() } else { heading };
    Written { text: format!("{heading}{text}"), heading, weight: section.weight() }
}

/// Removes sections by weight until the page is no longer than `limit`; the evidence is cut in its
/// middle.
pub(super) fn cut(written: &mut [Written], limit: usize) {
    let length =
        |written: &[Written]| written.iter().map(|part| part.text.chars().count()).sum::<usize>();
    while length(written) > limit {
        let heaviest = written
            .iter_mut()
            .filter(|part| part.weight > 1 && !part.text.ends_with(LEFT_OUT))
            .max_by_key(|part| (part.weight, part.text.len()));
        let Some(part) = heaviest else { break };
        part.text = format!("{}{LEFT_OUT}", part.heading);
        if part.text.is_empty() {
            break;
        }
    }
    let over = length(written).saturating_sub(limit);
    if over > 0
        && let Some(longest) = written.iter_mut().max_by_key(|part| part.text.len())
    {
        longest.text = shortened(&longest.text, over);
    }
}

/// Removes lines from the middle, at least `over` characters.
fn shortened(text: &str, over: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let note = "[... lines left out here for their length; the archive has them ...]";
    let middle = lines.len() / 2;
    let (mut first, mut last, mut gone) = (middle, middle, 0);
    let wanted = over + note.len() + 1;
    while gone < wanted && (first > 0 || last < lines.len()) {
        let forward = last < lines.len() && (first == 0 || last - middle <= middle - first);
        let at = if forward { last } else { first - 1 };
        gone += lines.get(at).map_or(0, |line| line.chars().count() + 1);
        if forward { last += 1 } else { first -= 1 }
    }
    let (begin, end) = (lines.get(..first), lines.get(last..));
    let kept = begin.into_iter().flatten().chain([&note]).chain(end.into_iter().flatten());
    kept.fold(String::new(), |mut text, line| {
        text.push_str(line);
        text.push('\n');
        text
    })
}

/// The value of a fact, or a question for it.
fn value(ticket: &Ticket<'_>, value: Value) -> String {
    ticket.known(value).unwrap_or_else(|| missing(value).to_owned())
}

const fn missing(value: Value) -> &'static str {
    match value {
        Value::CustomKernel => {
            "[no, or where it comes from: a vanilla kernel, linux-zen, amd-staging-drm-next …]"
        }
        Value::Connections => "[DP, HDMI, DVI, USB-C, through a dock …]",
        Value::Displays => "[which monitors, resolution and refresh rate]",
        Value::FillIn => "[fill in, or remove this line]",
        _ => "[not in the log: fill in]",
    }
}

fn content_of(ticket: &Ticket<'_>, content: Content) -> Vec<Block> {
    match content {
        Content::Summary => summary(ticket),
        Content::Diagnosis => diagnosis(ticket),
        Content::Evidence => evidence(ticket),
        Content::Versions => versions(ticket),
        Content::Steps => {
            let steps = [
                "[what was started, and how]",
                "[what was done then, and how long it took to fail]",
            ];
            vec![List { first: Some(1), ..List::of(steps) }.into()]
        }
        Content::Regression => vec![prose(
            "[Did it work before? Last good and first bad version of kernel, firmware or Mesa; or: it never worked; or: not known]",
        )],
        Content::Tried => tried(ticket),
        Content::Attachments => attachments(ticket),
        Content::Gaps => gaps(ticket),
        Content::Duplicates => duplicates(ticket),
        Content::Rocminfo => match ticket.host.and_then(|host| host.rocminfo.as_deref()) {
            Some(text) => vec![Block::Listing(text.to_owned())],
            None => {
                vec![prose("[rocminfo could not be run; paste its output, if it does not hang]")]
            }
        },
        Content::DebianHead | Content::QuickLabels => {
            unreachable!("what a tracker reads is no part of a document")
        }
    }
}

/// The pseudo-headers of Debian's bug tracker.
fn debian_head(ticket: &Ticket<'_>) -> String {
    let version = ticket.host.and_then(|host| host.kernel_package.as_deref());
    let version = version.unwrap_or("[what dpkg -s says of the package of the kernel]");
    format!("Package: src:linux\nVersion: {}\nSeverity: important\n", Inline(version))
}

/// The quick actions of GitLab.
fn quick_labels(ticket: &Ticket<'_>) -> String {
    ticket.tracker.labels.iter().fold(String::new(), |mut text, label| {
        let _ = writeln!(text, "/label ~{label}");
        text
    })
}

fn summary(ticket: &Ticket<'_>) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut points = Vec::new();
    match (ticket.part, ticket.finding()) {
        (Some(part), Some(finding)) => {
            let view = IncidentView::new(part, finding, 1);
            blocks.push(prose(&view.headline));
            blocks.extend(finding.diagnoses.first().map(|head| prose(&head.summary)));
            let told = |fact: &&Fact| matches!(fact.label.as_str(), "When" | "Process");
            points.extend(
                view.facts.iter().filter(told).map(|fact| format!("{}: {}", fact.label, fact.text)),
            );
            let others = part.conclusions.findings.len() + part.conclusions.left_out;
            if others > 1 {
                points.push(format!(
                    "{others} failures are in {}; this report is about one of them.",
                    called(&part.name)
                ));
            }
        }
        (Some(part), None) => blocks.push(prose(crate::report::words::quiet(part))),
        (None, _) => blocks.push(prose("No kernel log could be read.")),
    }
    points.extend(
        [
            "[What were you doing, what did you expect, and what did you see instead?]",
            "[How often does it happen: once, now and then, each time?]",
            "[Since when? Last good and first bad version of kernel, firmware or Mesa, if it worked before]",
        ]
        .map(str::to_owned),
    );
    blocks.push(List::of(points).into());
    blocks
}

/// Rows of the timeline in a ticket.
const ROWS: Ends = Ends { first: 30, last: 30 };

fn diagnosis(ticket: &Ticket<'_>) -> Vec<Block> {
    let (Some(part), Some(finding)) = (ticket.part, ticket.finding()) else {
        return vec![prose(match ticket.part {
            Some(part) if part.conclusions.problems().any(|it| it.diagnosis.leaves_open()) => {
                "It shows a problem, and not whether the GPU works; the summary says which."
            }
            Some(_) => "It shows no GPU failure.",
            None => "No kernel log could be read, so nothing is known of a failure.",
        })];
    };
    let view = IncidentView::new(part, finding, 1);
    let mut blocks = vec![prose(
        "Extracted from the log by a program, with line numbers. It does not prove a cause in the code.",
    )];
    blocks.extend(view.statements.first().map(|statements| prose(statements.line())));
    blocks.push(course_table(&view.rows, ROWS).into());
    if finding.diagnoses.is_empty() {
        blocks.push(prose(view.unexplained));
    }
    let known = finding.diagnoses.iter().map(|known| {
        let title = Text::from(format!("{}: ", role_word(known.role)));
        let title = title.and(Text::strong(&*known.title)).and(" (").and(Text::code(&*known.id));
        title.and(format!("): {}", known.summary))
    });
    blocks.push(List::of(known.collect::<Vec<_>>()).into());
    if !view.unsaid.is_empty() {
        blocks.push(prose(Text::strong("What the log does not show")));
        blocks.push(List::of(view.unsaid.iter().copied()).into());
    }
    blocks
}

fn evidence(ticket: &Ticket<'_>) -> Vec<Block> {
    if ticket.lines.is_empty() {
        return vec![prose("None.")];
    }
    let name = ticket.part.map_or("the log".to_owned(), |part| called(&part.name));
    let about =
        format!("Lines of {name}, consecutive unless marked; > marks those of the failure.");
    let mut text = String::new();
    let mut next = None;
    for line in ticket.lines {
        if let Some(left_out) =
            next.map(|next: u64| line.number.saturating_sub(next)).filter(|it| *it > 0)
        {
            let _ = writeln!(text, "        [{} left out]", several(left_out, "line"));
        }
        next = Some(line.number + 1);
        let mark = if line.marked { '>' } else { ' ' };
        let _ = writeln!(text, "{mark}{:>6}: {}", line.number, line.text);
    }
    vec![prose(about), Block::Listing(text)]
}

fn versions(ticket: &Ticket<'_>) -> Vec<Block> {
    let facts =
        VERSIONS.iter().map(|(label, value)| Fact::new(*label, self::value(ticket, *value)));
    vec![Block::Facts(facts.collect())]
}

/// What the reporter may have tried, as questions.
fn tried(ticket: &Ticket<'_>) -> Vec<Block> {
    let actions = ticket.finding().map(|finding| finding.actions()).unwrap_or_default();
    let remedies = actions.into_iter().filter(|action| action.advice.phase.is_remedy());
    let each = remedies.map(|action| {
        let standing = standing(action.standing);
        format!(
            "[Tried, and what happened, or remove this line] {}{standing}",
            action.advice.summary
        )
    });
    let rest = "[anything else, and how you saw that it took effect]".to_owned();
    vec![List::of(each.chain([rest]).collect::<Vec<_>>()).into()]
}

fn attachments(ticket: &Ticket<'_>) -> Vec<Block> {
    let ours = [
        ("report.html", "the diagnosis, for a browser"),
        ("amdtriage.json", "the same for programs"),
    ];
    let files = ticket.files.iter().map(|file| (file.name.as_str(), file.what.as_str()));
    let last = ("MANIFEST", "all of them with checksum and origin");
    let all = ours.into_iter().chain(files).chain([last]);
    let items = all.map(|(name, what)| Item::new(Text::code(name).and(format!(": {what}"))));
    vec![List { first: None, items: items.collect() }.into()]
}

fn gaps(ticket: &Ticket<'_>) -> Vec<Block> {
    let mut gaps: Vec<String> = Vec::new();
    if let (Some(part), Some((boot, known))) = (ticket.part, ticket.boot()) {
        let log = &part.log;
        let line = known.command_line.as_deref().unwrap_or_default();
        let holds = [
            (!known.from_start, "the log does not begin with the start of the kernel"),
            (log.filtered, "the log is filtered: only lines that name the driver are in it"),
            (log.has_holes(boot), "the log reports that lines are missing from it"),
            (
                known.package.is_some(),
                "the driver is not the kernel's own: it comes from a package (DKMS)",
            ),
            (
                line.contains("amdgpu.ppfeaturemask="),
                "amdgpu.ppfeaturemask is set, which can turn overclocking (overdrive) on; try without it",
            ),
        ];
        gaps.extend(holds.into_iter().filter(|(holds, _)| *holds).map(|(_, gap)| gap.to_owned()));
    }
    gaps.extend(ticket.absent.iter().filter(|absent| !absent.minor).map(missed));
    if gaps.is_empty() {
        gaps.push("none known".to_owned());
    }
    vec![List::of(gaps).into()]
}

fn duplicates(ticket: &Ticket<'_>) -> Vec<Block> {
    let mut items = Vec::new();
    let mut words = Vec::new();
    if let Some(finding) = ticket.finding() {
        let text = "Fingerprint (equal for the same failure on other machines): ";
        items.push(Item::new(Text::from(text).and(Text::code(&*finding.fingerprint))));
        words.push(finding.fingerprint.clone());
    }
    words.extend(ticket.search_words());
    items.extend(words.iter().map(|words| {
        let search = Text::from("Search for ").and(Text::code(words.as_str())).and(" first: ");
        Item::new(search.and(Text::address(ticket.tracker.search_for(words))))
    }));
    vec![List { first: None, items }.into()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_markup_and_logs_stay_as_they_are() {
        let page = "- GPU: 0000:<!-- -->c4:00.0 \\[1002:744c\\] gfx\\_0 `x`\n```text\n> a_b `c` \\d &lt;\n```\n| | |\n| --- | --- |\n| Kernel | 6.1 |\n";
        let want =
            "- GPU: 0000:c4:00.0 [1002:744c] gfx_0 x\n> a_b `c` \\d &lt;\n| Kernel | 6.1 |\n";
        assert_eq!(plain(page), want);
    }

    fn part(heading: &str, text: &str, weight: u8) -> Written {
        Written { heading: heading.to_owned(), text: format!("{heading}{text}"), weight }
    }

    #[test]
    fn what_proves_a_failure_is_the_last_to_go() {
        let proof: String =
            (0..100).map(|line| format!("line {line}\n")).collect::<Vec<_>>().concat();
        let all = [
            part("# a\n", &"summary ".repeat(20), 1),
            part("# b\n", &proof, 0),
            part("# c\n", &"tried ".repeat(200), 6),
            part("# d\n", &"told ".repeat(200), 5),
        ];
        let length =
            |parts: &[Written]| parts.iter().map(|part| part.text.chars().count()).sum::<usize>();
        for limit in [3_500, 2_500, 1_500, 900, 500] {
            let mut parts = all.clone();
            cut(&mut parts, limit);
            assert!(length(&parts) <= limit, "{limit}: {}", length(&parts));
            assert!(parts[1].text.contains("line 0\n") && parts[1].text.contains("line 99\n"));
            assert_eq!(parts[1].text.contains("line 50\n"), limit > 1_000, "{limit}");
        }
    }
}
