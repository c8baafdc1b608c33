//! A comparison for people: the result, differences, failures, and what cannot be decided.

use super::{
    Compared, MessageRow, SideRow, answer, difference_lines, failure_rows, gaps, is_good,
    message_sections, steps, words,
};
use crate::document::{
    Banner, Block, Column, Document, Fact, Item, List, Section, Table, Text, Tone, prose,
};
use crate::input::called;
use crate::report::files::common_folder;

/// The comparison as a document.
pub(crate) fn document(compared: &Compared<'_>) -> Document {
    let state = answer::state(compared.comparison);
    let names = [&compared.good, &compared.bad].map(|side| side.part.name.as_str());
    let folder = common_folder(names.into_iter());
    let mut blocks = vec![banner(compared, &state, folder), sides(compared, folder)];
    let lines = difference_lines(compared);
    if !lines.is_empty() {
        let facts = lines.iter().map(|line| Fact::new(&*line.label, &line.text)).collect();
        blocks.push(Section::new("What differs", vec![Block::Facts(facts)]).into());
    }
    blocks.extend(messages("What fails", &failure_rows(compared), 0));
    for section in message_sections(compared) {
        blocks.extend(messages(section.title, &section.rows, section.more));
    }
    let gaps = gaps::gaps(compared);
    if !gaps.is_empty() {
        let list = List::of(gaps).into();
        blocks.push(Section::new("What these logs do not show", vec![list]).into());
    }
    let steps = steps::steps(compared.comparison);
    if !steps.is_empty() {
        let items = steps.iter().map(|step| Item::new(Text::from(step))).collect();
        let list = List { first: Some(1), items }.into();
        blocks.push(Section::new("What to do", vec![list]).into());
    }
    let foot = Some(format!("Written by amdtriage {}.", env!("CARGO_PKG_VERSION")).into());
    Document { foot, ..Document::new(state, blocks) }
}

fn banner(compared: &Compared<'_>, state: &str, folder: &str) -> Block {
    let verdict = compared.comparison.verdict;
    let tone = match (verdict.is_worse(), is_good(verdict)) {
        (true, _) => Tone::Bad,
        (false, true) => Tone::Good,
        (false, false) => Tone::Warn,
    };
    Block::Banner(Banner {
        tone,
        state: state.to_owned(),
        about: Vec::from_iter((!folder.is_empty()).then(|| called(folder))),
        headline: Text::default(),
        lead: vec![answer::answer(compared).into()],
    })
}

/// Both sides, and what is compared; the logs are in `folder`.
fn sides(compared: &Compared<'_>, folder: &str) -> Block {
    let log = [&compared.good, &compared.bad].map(|side| words::side(side, folder));
    let rows = compared.sides();
    let first = [("log", log)].into_iter();
    let rest = rows.into_iter().map(|SideRow { label, good, bad }| (label, [good, bad]));
    let row =
        |(label, [good, bad]): (&str, [String; 2])| vec![label.into(), good.into(), bad.into()];
    let columns =
        vec![Column::words(""), Column::words("GOOD").labelled(), Column::words("BAD").labelled()];
    let rows = first.chain(rest).map(row).collect();
    Table { name: "What is compared".to_owned(), columns, rows, one_line: false }.into()
}

/// A number of occurrences, so that it is not read as a score.
fn times(count: &str) -> Text {
    let is_number = count.starts_with(|c: char| c.is_ascii_digit());
    if is_number { format!("{count}×").into() } else { count.into() }
}

fn messages(title: &'static str, rows: &[MessageRow], more: usize) -> Option<Block> {
    if rows.is_empty() {
        return None;
    }
    let row = |MessageRow { good, bad, line, what }: &MessageRow| {
        let what = Text::from(what.as_str());
        vec![times(good), times(bad), line.into(), what]
    };
    let columns = vec![
        Column::numbers("GOOD"),
        Column::numbers("BAD"),
        Column::numbers("Line"),
        Column::words("What"),
    ];
    let rows = rows.iter().map(row).collect();
    let table = Table { name: title.to_owned(), columns, rows, one_line: false }.into();
    let more = (more > 0).then(|| prose(format!("{more} more with -v")));
    Some(Section::new(title, [table].into_iter().chain(more).collect()).into())
}
