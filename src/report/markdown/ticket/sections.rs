//! The parts of a report, and what becomes of them where there is no room.

use std::fmt::Write as _;

use crate::pattern::tracker::{Content, Section, Value};
use crate::report::bundle::missed;
use crate::report::counts::several;
use crate::report::markdown::MarkdownWriter;
use crate::report::markdown::escape::{Code, Inline, Instructive};
use crate::report::view::IncidentView;
use crate::report::words::{role_word, standing};

use super::Ticket;

/// A part, ready to be printed.
#[derive(Clone, Debug)]
pub(super) struct Written {
    heading: String,
    pub(super) text: String,
    weight: u8,
}

/// What stands in the place of a part for which there is no room.
const LEFT_OUT: &str =
    "_Left out here for its length; it is in report.md of the attached archive._\n\n";
/// The facts of the table of versions, with what they are called.
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

/// A part as the tracker takes it.
pub(super) fn written(ticket: &Ticket<'_>, section: &Section) -> Written {
    let part = marked_up(ticket, section);
    if !ticket.tracker.plain {
        return part;
    }
    Written { heading: plain(&part.heading), text: plain(&part.text), ..part }
}

/// Markdown as somebody would type it where nothing reads it. What stands between fences is as it is.
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

/// The characters that an escape stands for.
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
    let mut page = MarkdownWriter::default();
    if let Some(content) = section.content {
        write_content(ticket, content, &mut page);
    }
    for field in &section.fields {
        page.line(format_args!("- {}: {}", Inline(&field.label), value(ticket, field.value)));
    }
    if let Some(ask) = &section.ask {
        page.gap();
        page.line(format_args!("[{}]", Inline(ask)));
    }
    page.gap();
    // A heading of its own would be one too many: GitLab takes quick actions from anywhere.
    let bare = matches!(section.content, Some(Content::QuickLabels | Content::DebianHead));
    let heading = if bare { String::new() } else { heading };
    Written { text: format!("{heading}{}", page.text), heading, weight: section.weight() }
}

/// Gives up parts, the lightest last, until the page is no longer than `limit`; what proves the failure is
/// cut in its middle.
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

/// Takes lines out of the middle, so that at least `over` characters go.
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

/// What is known of something, or what is asked for.
fn value(ticket: &Ticket<'_>, value: Value) -> String {
    ticket.known(value).map_or_else(|| missing(value).to_owned(), |it| Inline(&it).to_string())
}

const fn missing(value: Value) -> &'static str {
    match value {
        Value::CustomKernel => {
            "[no, or where it comes from: a vanilla kernel, linux-zen, amd-staging-drm-next …]"
        }
        Value::Connections => "[DP, HDMI, DVI, USB-C, through a dock …]",
        Value::Displays => "[which monitors, resolution and refresh rate]",
        Value::FillIn => "[fill in, or remove this line]",
        _ => "[not known to the log: fill in]",
    }
}

fn write_content(ticket: &Ticket<'_>, content: Content, page: &mut MarkdownWriter) {
    match content {
        Content::Summary => summary(ticket, page),
        Content::Diagnosis => diagnosis(ticket, page),
        Content::Evidence => evidence(ticket, page),
        Content::Versions => versions(ticket, page),
        Content::Steps => {
            page.line(format_args!("1. [what was started, and how]"));
            page.line(format_args!("2. [what was done then, and how long it took to fail]"));
        }
        Content::Regression => {
            page.line(format_args!(
                "[Did it work before? Last good and first bad version of kernel, firmware or Mesa; or: it never worked; or: not known]"
            ));
        }
        Content::Tried => tried(ticket, page),
        Content::Attachments => attachments(ticket, page),
        Content::Gaps => gaps(ticket, page),
        Content::Duplicates => duplicates(ticket, page),
        Content::Rocminfo => match ticket.host.and_then(|host| host.rocminfo.as_deref()) {
            Some(text) => page.fenced(text, "text", ""),
            None => page.line(format_args!(
                "[rocminfo could not be asked; paste what it prints, if it does not hang]"
            )),
        },
        Content::DebianHead => {
            let version = ticket.host.and_then(|host| host.kernel_package.as_deref());
            let version = version.unwrap_or("[what dpkg -s says of the package of the kernel]");
            page.line(format_args!("Package: src:linux\nVersion: {version}\nSeverity: important"));
        }
        Content::QuickLabels => {
            for label in &ticket.tracker.labels {
                page.line(format_args!("/label ~{label}"));
            }
        }
    }
}

fn summary(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    match (ticket.part, ticket.finding()) {
        (Some(part), Some(finding)) => {
            let view = IncidentView::new(part, finding, 1);
            page.paragraph(&view.headline);
            if let Some(head) = finding.diagnoses.first() {
                page.paragraph(&head.summary);
            }
            for fact in view.facts.iter().filter(|fact| matches!(fact.label, "When" | "Owner")) {
                page.point(&format!("{}: {}", fact.label, fact.text));
            }
            let others = part.conclusions.findings.len() + part.conclusions.left_out;
            if others > 1 {
                page.point(&format!(
                    "{others} failures are in {}; this report is about one of them.",
                    part.name
                ));
            }
        }
        (Some(part), None) => page.paragraph(&crate::report::words::quiet(part)),
        (None, _) => page.paragraph("No kernel log could be read."),
    }
    page.gap();
    for ask in [
        "[What were you doing, what did you expect, and what did you see instead?]",
        "[How often does it happen: once, now and then, each time?]",
        "[Since when? Last good and first bad version of kernel, firmware or Mesa, if it worked before]",
    ] {
        page.line(format_args!("- {ask}"));
    }
}

fn diagnosis(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    let (Some(part), Some(finding)) = (ticket.part, ticket.finding()) else {
        return page.paragraph(match ticket.part {
            Some(_) => "No failure of a GPU is in it.",
            None => "No kernel log could be read, so nothing is known of a failure.",
        });
    };
    let view = IncidentView::new(part, finding, 1);
    page.paragraph(
        "Read out of the log by a program; the lines that say so are named. It is no proof of a cause in the code.",
    );
    if let Some(statements) = view.statements.first() {
        page.statements(statements);
    }
    page.course(&view.rows);
    for known in &finding.diagnoses {
        page.line(format_args!(
            "- {}: **{}** ({}): {}",
            role_word(known.role),
            Inline(&known.title),
            Code(&known.id),
            Inline(&known.summary)
        ));
    }
    if finding.diagnoses.is_empty() {
        page.paragraph(view.unexplained);
    }
    view.unsaid.iter().for_each(|text| page.point(text));
}

fn evidence(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    if ticket.lines.is_empty() {
        return page.paragraph("None.");
    }
    let name = ticket.part.map_or("the log", |part| part.name.as_str());
    page.paragraph(&format!(
        "Lines of {name}, as they follow each other but where it says otherwise; > marks those of the failure."
    ));
    let mut text = String::new();
    let mut next = None;
    for line in ticket.lines {
        if let Some(left_out) =
            next.map(|next: u64| line.number.saturating_sub(next)).filter(|it| *it > 0)
        {
            let _ = writeln!(text, "        [{} further on]", several(left_out, "line"));
        }
        next = Some(line.number + 1);
        let mark = if line.marked { '>' } else { ' ' };
        let _ = writeln!(text, "{mark}{:>6}: {}", line.number, line.text);
    }
    page.fenced(&text, "text", "");
}

fn versions(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    page.line(format_args!("| | |\n| --- | --- |"));
    for (label, value) in VERSIONS {
        page.line(format_args!("| {label} | {} |", self::value(ticket, value)));
    }
}

fn tried(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    let actions = ticket.finding().map(|finding| finding.actions()).unwrap_or_default();
    for action in actions.into_iter().filter(|action| action.advice.phase.is_remedy()) {
        let advice = &action.advice;
        let standing = standing(action.standing);
        let (summary, check) = (Inline(&advice.summary), Instructive(&advice.verify));
        page.line(format_args!("- [ ] {summary}{standing}. Seen to be active by: {check}"));
    }
    page.line(format_args!("- [ ] [anything else, and how you saw that it took effect]"));
}

fn attachments(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    for (name, what) in [
        ("report.html", "the diagnosis, for a browser"),
        ("amdtriage.json", "the same for programs"),
    ] {
        page.line(format_args!("- {}: {what}", Code(name)));
    }
    for file in ticket.files {
        page.line(format_args!("- {}: {}", Code(&file.name), Inline(&file.what)));
    }
    page.line(format_args!(
        "- {}: all of them with their sums, and where each comes from",
        Code("MANIFEST")
    ));
}

fn gaps(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    let mut gaps: Vec<String> = Vec::new();
    if let (Some(part), Some((boot, known))) = (ticket.part, ticket.boot()) {
        let log = &part.log;
        let line = known.command_line.as_deref().unwrap_or_default();
        let holds = [
            (!known.from_start, "the log does not begin with the start of the kernel"),
            (
                log.filtered,
                "the log went through a filter: only lines that name the driver are in it",
            ),
            (log.has_holes(boot), "the log itself says that lines are missing in it"),
            (
                known.package.is_some(),
                "the driver is not the kernel's own: it comes from a package (DKMS)",
            ),
            (
                line.contains("amdgpu.ppfeaturemask="),
                "amdgpu.ppfeaturemask is set, which is what switches overdrive on; try without it",
            ),
        ];
        gaps.extend(holds.into_iter().filter(|(holds, _)| *holds).map(|(_, gap)| gap.to_owned()));
    }
    gaps.extend(ticket.absent.iter().filter(|absent| !absent.minor).map(missed));
    if gaps.is_empty() {
        gaps.push("nothing that this program knows of".to_owned());
    }
    for gap in &gaps {
        page.point(gap);
    }
}

fn duplicates(ticket: &Ticket<'_>, page: &mut MarkdownWriter) {
    let mut words = Vec::new();
    if let Some(finding) = ticket.finding() {
        page.line(format_args!(
            "- Fingerprint (the same failure has the same one on other machines): {}",
            Code(&finding.fingerprint)
        ));
        words.push(finding.fingerprint.clone());
    }
    words.extend(ticket.search_words());
    for words in words {
        page.line(format_args!(
            "- Look for {} first: <{}>",
            Code(&words),
            ticket.tracker.search_for(&words)
        ));
    }
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
