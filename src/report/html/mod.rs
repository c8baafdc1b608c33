//! The report as one HTML document, to be opened anywhere and attached to anything: it loads nothing,
//! runs nothing, and holds everything there is to say; what few people read is folded.

mod incident;
mod markup;
mod notices;
mod policy;
mod svg;

use std::io;

use markup::{Depth, Markup};

use super::certainty::Statements;
use super::counts::several;
use super::view::{Ends, Evidence, Fact, IncidentView, PartView};
use super::{Report, ReportPart};
use crate::diagnosis::verdict::Verdict;
use crate::pattern::signature::Severity;

/// So many incidents of a log are told in full: of more, the first and the last of them.
const TOLD: Ends = Ends { first: 80, last: 20 };
/// So many digits of the digest of the patterns tell them apart.
const DIGEST: usize = 12;

/// Writes `report`.
///
/// # Errors
/// What the writer returns.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let views: Vec<PartView<'_>> = report.parts.iter().map(PartView::new).collect();
    let mut page = Markup::default();
    page.head(&title(&views));
    page.raw("<body>\n<a class=\"skip\" href=\"#report\">Skip to the report</a>\n");
    let several = views.len() > 1;
    if several {
        page.contents(&views);
    }
    page.raw("<main id=\"report\">\n");
    let depth = if several { Depth::TOP.below() } else { Depth::TOP };
    for (at, (view, part)) in views.iter().zip(&report.parts).enumerate() {
        page.part(view, part, Position { input: at + 1, depth });
    }
    page.raw("</main>\n");
    page.foot(&report.patterns);
    page.raw("</body>\n</html>\n");
    out.write_all(page.as_str().as_bytes())
}

/// Where in the document something stands.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The number of the input, from 1.
    input: usize,
    /// How deep the heading of that stands.
    depth: Depth,
}

impl Position {
    fn below(self) -> Self {
        Self { depth: self.depth.below(), ..self }
    }

    fn id(self) -> String {
        format!("log-{}", self.input)
    }

    fn incident(self, number: usize) -> String {
        format!("log-{}-incident-{number}", self.input)
    }
}

fn title(views: &[PartView<'_>]) -> String {
    match views {
        [only] => only.answer(),
        views => heading(views.len()),
    }
}

fn heading(count: usize) -> String {
    format!("Reports on {count} logs")
}

/// The answer in two words.
const fn verdict(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Failure => ("bad", "Failure found"),
        Verdict::Warning => ("warn", "Worth knowing"),
        Verdict::Clean => ("good", "No failure found"),
        Verdict::Incomplete => ("warn", "Not all could be read"),
        Verdict::NoKernelLog => ("warn", "No kernel log"),
    }
}

const fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical | Severity::Error => "bad",
        Severity::Warning => "warn",
        Severity::Info => "quiet",
    }
}

impl Markup {
    fn head(&mut self, title: &str) {
        self.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        let policy = [("http-equiv", "Content-Security-Policy"), ("content", &policy::policy())];
        self.open("meta", &policy);
        self.raw(
            "\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n",
        );
        self.element("title", &[], &format!("{title} - amdtriage"));
        self.raw("<style>");
        self.raw(policy::STYLE);
        self.raw("</style>\n</head>\n");
    }

    fn contents(&mut self, views: &[PartView<'_>]) {
        self.raw("<header class=\"top\">\n");
        self.heading(Depth::TOP, &heading(views.len()));
        self.raw("<nav aria-label=\"Logs\">\n<ol>\n");
        for (at, view) in views.iter().enumerate() {
            let (class, word) = verdict(view.verdict);
            let place = Position { input: at + 1, depth: Depth::TOP };
            self.raw("<li>");
            self.inline("a", &[("href", &format!("#{}", place.id()))], view.name);
            self.raw(" ");
            self.inline("span", &[("class", class)], &format!("{word}."));
            self.raw(" ");
            self.text(&view.answer());
            self.raw("</li>\n");
        }
        self.raw("</ol>\n</nav>\n</header>\n");
    }

    fn part(&mut self, view: &PartView<'_>, part: &ReportPart, place: Position) {
        self.open("section", &[("class", "log"), ("id", &place.id())]);
        self.raw("\n");
        self.answer(view, place);
        match view.incidents.as_slice() {
            [] => view.quiet.iter().flat_map(|quiet| &quiet.about).for_each(|facts| {
                self.facts(facts);
            }),
            [only] => {
                self.facts(&only.facts);
                self.timeline(view, place.below());
                self.incident(only, place.below());
            }
            _ => {
                self.overview(view, place.below());
                self.timeline(view, place.below());
                self.incidents(view, place.below());
            }
        }
        self.notices(&view.notices, &part.log, place.below());
        self.unknown(&part.log.unknown, place.below());
        self.heading(place.depth.below(), "What was read");
        self.element("p", &[("class", "read")], &view.reading);
        self.close("section");
    }

    /// What answers, in front of everything.
    fn answer(&mut self, view: &PartView<'_>, place: Position) {
        let (class, word) = verdict(view.verdict);
        self.open("header", &[("class", &format!("answer {class}"))]);
        self.raw("\n<p class=\"verdict\">");
        self.inline("span", &[("class", class)], word);
        self.raw(" ");
        self.inline("span", &[("class", "name")], view.name);
        self.raw("</p>\n");
        match view.incidents.as_slice() {
            [] => self.heading(place.depth, &view.answer()),
            [only] => {
                self.heading(place.depth, &only.headline);
                self.certainty(only);
            }
            _ => self.heading(place.depth, &format!("{} in this log", view.counted)),
        }
        self.close("header");
    }

    fn certainty(&mut self, incident: &IncidentView<'_>) {
        if let Some(statements) = incident.statements.first() {
            self.statements(statements);
        }
    }

    /// How something is known, and what is known of its cause.
    fn statements(&mut self, statements: &Statements) {
        let text = statements.line();
        self.element("p", &[("class", "certainty")], &text);
    }

    fn facts(&mut self, facts: &[Fact]) {
        self.raw("<dl class=\"facts\">\n");
        for Fact { label, text } in facts {
            self.raw("<div>");
            self.inline("dt", &[], label);
            self.inline("dd", &[], text);
            self.raw("</div>\n");
        }
        self.raw("</dl>\n");
    }

    fn overview(&mut self, view: &PartView<'_>, place: Position) {
        self.heading(place.depth, "Overview");
        self.table("Overview of the incidents", "overview", &["No.", "Line", "How bad", "What"]);
        for incident in &view.incidents {
            let severity = incident.finding.severity;
            let line = incident.line.map(|line| line.to_string()).unwrap_or_default();
            self.raw("<tr>");
            self.numbers([incident.number.to_string(), line]);
            self.raw("<td>");
            self.inline("span", &[("class", severity_class(severity))], severity.name());
            self.raw("</td><td>");
            if TOLD.has(incident.number, view.incidents.len()) {
                let address = format!("#{}", place.incident(incident.number));
                self.inline("a", &[("href", &address)], &incident.headline);
            } else {
                self.text(&incident.headline);
            }
            self.raw("</td></tr>\n");
        }
        self.end_table();
        let silent = TOLD.hidden(view.incidents.len());
        if silent > 0 {
            self.note(&format!(
                "{silent} of them in the middle are not told below; JSON has them."
            ));
        }
    }

    fn timeline(&mut self, view: &PartView<'_>, place: Position) {
        if let Some(chart) = &view.chart {
            self.heading(place.depth, "Timeline");
            self.chart(chart, view.incidents.len() > 1);
        }
    }

    fn incidents(&mut self, view: &PartView<'_>, place: Position) {
        self.heading(place.depth, "Incidents");
        let all = view.incidents.len();
        for incident in view.incidents.iter().filter(|one| TOLD.has(one.number, all)) {
            let open: &[_] = if incident.number == 1 { &[("open", "")] } else { &[] };
            self.open("details", &[&[("class", "incident")], open].concat());
            self.raw("<summary>");
            let headline = format!("{}. {}", incident.number, incident.headline);
            self.heading(place.depth.below(), &headline);
            self.raw("</summary>\n");
            // A browser that follows a link to what is folded unfolds it.
            self.open("div", &[("class", "told"), ("id", &place.incident(incident.number))]);
            self.raw("\n");
            self.certainty(incident);
            self.facts(&incident.facts);
            self.incident(incident, place.below().below());
            self.raw("</div></details>\n");
        }
    }

    /// The lines that prove something, folded.
    fn evidence(&mut self, evidence: &Evidence<'_>) {
        let shown = &evidence.shown;
        if shown.is_empty() {
            return;
        }
        self.fold("evidence", &format!("Evidence: {}", several(evidence.all, "event")));
        self.raw("<pre tabindex=\"0\">");
        for observed in shown {
            self.inline("span", &[("class", "line")], &format!("{:>6}", observed.line()));
            self.raw("  ");
            self.text(&observed.text);
            self.raw("\n");
        }
        self.raw("</pre>\n");
        if evidence.all > shown.len() {
            self.note(&format!("{} events are left out here.", evidence.all - shown.len()));
        }
        self.close("details");
    }

    fn foot(&mut self, patterns: &str) {
        let digest: String = patterns.chars().take(DIGEST).collect();
        self.raw("<footer>\n<p>");
        self.text(&format!("Written by amdtriage {}", env!("CARGO_PKG_VERSION")));
        self.raw(", patterns ");
        self.inline("code", &[], &digest);
        self.raw(
            ". This file is complete: it loads nothing and runs no script. It quotes lines of the log, \
             which can name people, programs and machines: go through it before you publish it.</p>\n\
             </footer>\n",
        );
    }
}
