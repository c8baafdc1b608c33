//! Measures how much private data is left in a redacted log: `private.txt` has a line for each way
//! in which logs identify somebody.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io::Read as _;
use std::sync::LazyLock;

use regex::Regex;

use super::super::common::{Run, files_below, none, root};
use super::values::{Maker, dressed};
use super::{PATTERNS, redactor};

/// The accepted percentage of values that are left.
const MOST: usize = 2;
/// The host of all lines.
const HOST: &str = "mainframe7";

/// A line with planted values.
struct Line {
    /// The kind of place.
    place: String,
    text: String,
    /// Each placeholder with its value.
    values: Vec<(String, String)>,
    /// Why a value may be left in it.
    reason: Option<String>,
}

impl Line {
    /// The values that are left after redaction.
    fn left<'l>(&'l self, redacted: &'l str) -> impl Iterator<Item = &'l (String, String)> {
        let redacted = redacted.to_lowercase();
        self.values.iter().filter(move |(_, value)| redacted.contains(&value.to_lowercase()))
    }
}

/// The lines of the list, with a value for each placeholder.
fn lines() -> Vec<Line> {
    let text = std::fs::read_to_string(root("tests/redaction/private.txt")).unwrap();
    let mut maker = Maker::new();
    let mut last = HashMap::new();
    let (mut place, mut reason, mut lines) = (String::new(), None, Vec::new());
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            name.clone_into(&mut place);
            last.clear();
        } else if let Some(why) = line.strip_prefix("#? ") {
            reason = Some(why.to_owned());
        } else if line.is_empty() {
            last.clear();
        } else if !line.starts_with('#') {
            let (text, values) = planted(line, &mut maker, &mut last);
            lines.push(Line { place: place.clone(), text, values, reason: reason.take() });
        }
    }
    lines
}

fn planted(
    line: &str,
    maker: &mut Maker,
    last: &mut HashMap<String, String>,
) -> (String, Vec<(String, String)>) {
    let mut parts = line.split('«');
    let mut text = parts.next().unwrap().to_owned();
    let mut values = Vec::new();
    for part in parts {
        let (mark, rest) = part.split_once('»').unwrap();
        let value = if let Some(known) = mark.strip_prefix('=') {
            let (name, clothes) = known.split_once('.').unwrap_or((known, ""));
            dressed(&last[name], clothes)
        } else {
            let value = maker.make(mark);
            last.insert(mark.to_owned(), value.clone());
            value
        };
        text += &value;
        text += rest;
        values.push((mark.to_owned(), value));
    }
    (text, values)
}

/// The lines as a log.
fn log(lines: &[Line], head: impl Fn(usize) -> String) -> String {
    let one = |(at, line): (usize, &Line)| match line.text.strip_prefix('|') {
        Some(bare) => format!("{bare}\n"),
        None => format!("{}{}\n", head(at), line.text),
    };
    lines.iter().enumerate().map(one).collect()
}

fn short(_: usize) -> String {
    format!("Mar 04 18:20:10 {HOST} ")
}

/// Counts the values that are left. Fails if there are too many, or more than the list gives a
/// reason for.
#[expect(clippy::print_stdout, reason = "the score, for who asks with --nocapture")]
fn score(name: &str, lines: &[Line], redacted: &str) {
    assert_eq!(redacted.lines().count(), lines.len(), "{name}");
    let (mut left, mut unexplained) = (Vec::new(), Vec::new());
    let mut places: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (line, redacted) in lines.iter().zip(redacted.lines()) {
        let of_place = places.entry(&line.place).or_default();
        of_place.1 += line.values.len();
        for (mark, value) in line.left(redacted) {
            of_place.0 += 1;
            let said = format!("{mark} {value} in {}\n    {redacted}", line.text);
            if line.reason.is_none() {
                unexplained.push(said.clone());
            }
            left.push(said);
        }
    }
    let all: usize = lines.iter().map(|line| line.values.len()).sum();
    let table: Vec<String> =
        places.iter().map(|(place, (left, all))| format!("{left} of {all}: {place}")).collect();
    println!("{name}: {} of {all} left\n{}", left.len(), table.join("\n"));
    assert!(
        left.len() * 100 <= all * MOST,
        "{name}: {} of {all} are left:\n{}",
        left.len(),
        left.join("\n")
    );
    none(&unexplained);
}

#[test]
fn the_list_is_long_and_no_value_is_there_twice() {
    let lines = lines();
    let new = |(mark, _): &&(String, String)| !mark.starts_with('=');
    let all: Vec<&str> = lines
        .iter()
        .flat_map(|line| &line.values)
        .filter(new)
        .map(|(_, value)| value.as_str())
        .collect();
    let kinds: BTreeSet<(&str, &str)> = lines
        .iter()
        .flat_map(|line| line.values.iter().map(|(mark, _)| (mark.as_str(), line.place.as_str())))
        .collect();
    assert!(all.len() >= 500 && kinds.len() >= 130, "{} {}", all.len(), kinds.len());
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
}

#[test]
fn of_all_that_is_private_little_is_left() {
    let lines = lines();
    let log = log(&lines, short);
    let mut redactor = redactor();
    for line in log.lines() {
        redactor.learn(line);
    }
    let redacted: String =
        log.lines().map(|line| redactor.redact(line).into_owned() + "\n").collect();
    score("library", &lines, &redacted);
    let output = Run::new(["redact"]).input(log).output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    score("program", &lines, &output.stdout);
}

/// The contents of an archive are redacted by the same rules, and then reduced.
#[test]
fn of_all_that_is_private_little_is_in_a_bundle() {
    // Only the boot of the failure is kept, so none of these lines may begin another boot.
    let mut lines = lines();
    lines.retain(|line| !line.text.contains("-- Boot ") && !line.text.contains("Linux version "));
    let failure = "amdgpu 0000:2d:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=88120, emitted seq=88122";
    let head = |at: usize| format!("[{:5}.000000] ", 100 + at);
    let log = format!("{}{}{failure}\n", log(&lines, head), head(900));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.txt"), log).unwrap();
    let words = ["report", "log.txt", "-o", "report.tar.gz"];
    let output = Run::new(words).folder(folder.path()).output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    let file = std::fs::File::open(folder.path().join("report.tar.gz")).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let mut text = String::new();
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        if bytes.starts_with(&[0x1F, 0x8B]) {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(bytes.as_slice()).read_to_end(&mut unpacked).unwrap();
            bytes = unpacked;
        }
        text += &String::from_utf8_lossy(&bytes).to_lowercase();
    }
    assert!(text.contains(failure) && text.contains("not responding, still trying"));
    let all = lines.iter().flat_map(|line| &line.values);
    let left: Vec<&str> = all
        .clone()
        .filter(|(_, value)| text.contains(&value.to_lowercase()))
        .map(|(_, value)| value.as_str())
        .collect();
    assert!(left.len() * 100 <= all.count() * MOST, "{}: {}", left.len(), left.join("\n"));
}

/// The replaced values in a line: kind and text.
fn replaced<'l>(line: &'l str, redacted: &'l str) -> Vec<(&'l str, &'l str)> {
    static TOKEN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"<([a-z0-9]+)-(?:\d+|more)>").unwrap());
    let (mut list, mut from, mut at) = (Vec::new(), 0, 0);
    let tokens: Vec<_> = TOKEN.captures_iter(redacted).collect();
    for (index, token) in tokens.iter().enumerate() {
        let whole = token.get(0).unwrap();
        from += whole.start() - at;
        at = whole.end();
        let end = tokens.get(index + 1).map_or(redacted.len(), |next| next.get(0).unwrap().start());
        let behind = &redacted[at..end];
        let rest = &line[from..];
        // A token that was in the original line.
        let length = if rest.starts_with(whole.as_str()) {
            from += whole.len();
            continue;
        } else if end == redacted.len() {
            rest.len() - behind.len()
        } else {
            rest.match_indices(behind).map(|(at, _)| at).find(|at| *at > 0).unwrap_or(rest.len())
        };
        list.push((token.get(1).unwrap().as_str(), &rest[..length]));
        from += length;
    }
    list
}

/// What is replaced in ordinary lines; each case was checked manually.
#[test]
fn of_ordinary_lines_every_word_stays() {
    let known = std::fs::read_to_string(root("tests/redaction/replaced.txt")).unwrap();
    let known: BTreeSet<&str> = known.lines().collect();
    let folders = ["fixtures/quiet", "fixtures/signatures", "fixtures/boots"];
    let files = folders.iter().flat_map(|folder| files_below(&root(folder)));
    let mut logs: Vec<Vec<String>> = files
        .filter(|file| file.extension().is_some_and(|end| end == "log"))
        .map(|file| {
            let bytes = std::fs::read(file).unwrap();
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
        })
        .collect();
    logs.push(PATTERNS.messages.iter().flat_map(|message| message.samples.clone()).collect());
    assert!(logs.iter().map(Vec::len).sum::<usize>() >= 10_000);
    let mut wrong = BTreeSet::new();
    for log in &logs {
        let mut redactor = redactor();
        for line in log {
            redactor.learn(line);
        }
        for line in log {
            let redacted = redactor.redact(line);
            for (kind, value) in replaced(line, &redacted) {
                let said = format!("{kind}\t{value}");
                if !known.contains(said.as_str()) {
                    wrong.insert(format!("{said}\t{line}"));
                }
            }
        }
    }
    none(&wrong.into_iter().collect::<Vec<_>>());
}

/// Beyond a limit values of a kind share a token, and the run succeeds.
#[test]
fn very_many_addresses_are_replaced() {
    let address =
        |at: usize| format!("198.{}.{}.{}", 18 + at / 62_500, at / 250 % 250, 1 + at % 250);
    let line = |at: usize| {
        format!(
            "[{at:5}.000000] [UFW BLOCK] IN=eth0 OUT= SRC={} DST=224.0.0.251 LEN=40\n",
            address(at)
        )
    };
    let log: String = (0..12_000).map(line).collect();
    let output = Run::new(["redact"]).input(log).output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert!(!output.stdout.contains("198.18."));
    assert_eq!(output.stdout.matches("<ipv4-more>").count(), 2_000);
    assert!(output.stderr.contains("the others share <ipv4-more>"), "{}", output.stderr);
}

#[test]
fn very_many_logs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for at in 0..1_500 {
        let line = format!("Mar 04 18:20:10 {HOST} kernel: usb 1-2: SerialNumber: S{at:010}\n");
        std::fs::write(folder.path().join(format!("{at}.log")), line).unwrap();
    }
    let output = Run::new(["redact", &folder.path().display().to_string()]).output();
    assert_eq!(output.status, 0, "{}", output.stderr);
    assert_eq!(output.stdout.lines().count(), 1_500);
    assert!(!output.stdout.contains(HOST));
}
