//! Markdown output, parsed as a tracker does: all markup is from this program.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::common::{Fixture, Run, none};

/// HTML that this program writes.
const OURS: [&str; 5] = ["<details>", "</details>", "<summary>", "</summary>", "<!-- -->"];

/// Markup in `page` from other sources.
fn foreign(page: &str) -> Vec<String> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_MATH;
    let mut foreign = Vec::new();
    for event in Parser::new_ext(page, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let rest = OURS.iter().fold(html.to_string(), |html, ours| html.replace(ours, ""));
                if rest.contains('<') {
                    foreign.push(rest);
                }
            }
            Event::Start(Tag::Image { dest_url, .. }) => foreign.push(dest_url.to_string()),
            Event::Start(Tag::Link { dest_url, .. }) if !is_ours(&dest_url) => {
                foreign.push(dest_url.to_string());
            }
            Event::InlineMath(math) | Event::DisplayMath(math) => foreign.push(math.to_string()),
            _ => {}
        }
    }
    foreign
}

/// Links to references of signatures; no fixture's log contains these hosts.
fn is_ours(address: &str) -> bool {
    address.starts_with("https://") && !address.contains("evil")
}

fn page(log: Vec<u8>) -> String {
    Run::new(["--format", "markdown"]).input(log).output().stdout
}

#[test]
fn nothing_from_a_log_is_markup() {
    let mut wrong = Vec::new();
    for folder in ["hostile", "reports", "quiet"] {
        for fixture in Fixture::all(folder) {
            let found = foreign(&page(fixture.log));
            wrong.extend(found.into_iter().map(|found| format!("{}: {found}", fixture.name)));
        }
    }
    none(&wrong);
}

/// A line of a log does not end the collapsed block that contains it.
#[test]
fn hostile_lines_stay_in_their_fence() {
    let page = page(Fixture::read("reports/hostile-markup.log").log);
    let parser = Parser::new_ext(&page, Options::ENABLE_TABLES);
    let (mut depth, mut inside, mut code) = (0, false, Vec::<String>::new());
    for event in parser {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                inside = true;
                code.push(String::new());
            }
            Event::Html(html) => {
                depth += html.matches("<details>").count();
                depth -= html.matches("</details>").count();
            }
            Event::End(TagEnd::CodeBlock) => inside = false,
            Event::Text(text) if inside => code.last_mut().unwrap().push_str(&text),
            Event::Text(text) => assert!(!text.contains("@o"), "nobody is mentioned: {text}"),
            _ => {}
        }
    }
    assert_eq!(depth, 0, "{page}");
    assert!(code.iter().any(|block| block.contains("```</details>")), "{code:#?}");
}
