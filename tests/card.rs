//! The first screen: 24 lines of 80 columns with the prompt, quoted lines of the log, and something
//! to do.

use super::common::{Fixture, Run, none};
use super::contradictions::logs;

/// The height of a terminal, without a line for the prompt.
const LINES: usize = 23;
const COLUMNS: usize = 80;

fn wide(line: &str) -> usize {
    line.chars().count()
}

/// Problems of the first screen of a log.
fn of_card(name: &str, log: &[u8]) -> Vec<String> {
    let output = Run::json(log).output();
    // There is no report on an input that is not a log.
    if output.stdout.is_empty() || output.json()["incidents"].list().is_empty() {
        return Vec::new();
    }
    let card = Run::human(log).output().stdout;
    let mut wrong = Vec::new();
    let lines = card.lines().count();
    if lines > LINES {
        wrong.push(format!("{name}: {lines} lines"));
    }
    let too_wide = card.lines().filter(|line| wide(line) > COLUMNS);
    wrong.extend(too_wide.map(|line| format!("{name}: {} columns: {line}", wide(line))));
    let steps = card.lines().any(|line| line.starts_with("  1  ") || line.starts_with("Try  "));
    if !steps {
        wrong.push(format!("{name}: nothing to try:\n{card}"));
    }
    // Lines in another character set or a wrapped paste differ from the file.
    let plain = !["formats/", "hostile/"].iter().any(|folder| name.contains(folder));
    if plain && !quotes(&card, log) {
        wrong.push(format!("{name}: no line is quoted:\n{card}"));
    }
    wrong
}

/// Whether each quoted line is in the log, at its number.
fn quotes(card: &str, log: &[u8]) -> bool {
    let log = String::from_utf8_lossy(log);
    let number = |line: &str| line.split_whitespace().next()?.parse::<usize>().ok();
    card.lines().any(|line| {
        let Some(at) = number(line).filter(|_| line.starts_with("  ")) else { return false };
        let Some((_, text)) = line.trim_start().split_once("  ") else { return false };
        let words = text.split_whitespace().filter(|word| word.len() > 3 && word.is_ascii());
        let words: Vec<&str> = words.filter(|word| !word.starts_with('[')).take(3).collect();
        // A record may begin before its most informative line.
        let near = log.lines().skip(at.saturating_sub(1)).take(3);
        let near = near.collect::<Vec<_>>().join("\n");
        words.len() > 1 && words.iter().filter(|word| near.contains(**word)).count() > 1
    })
}

#[test]
fn the_first_screen_of_any_failure_fits_and_quotes_a_line() {
    let wrong: Vec<String> = logs().iter().flat_map(|(name, log)| of_card(name, log)).collect();
    none(&wrong);
}

/// The first command is for the distribution of the log.
#[test]
fn the_first_command_is_for_the_distribution_of_the_log() {
    for (release, tool) in [
        ("6.17.9-arch1-1", "sudo pacman"),
        ("6.17.8-300.fc43.x86_64", "sudo dnf"),
        ("6.8.0-45-generic", "sudo apt"),
    ] {
        let log = format!(
            "[    0.000000] Linux version {release} (a@b) (gcc) #1 SMP\n\
             [   10.000000] [drm] initializing kernel modesetting (IP DISCOVERY 0x1002:0x744C 0x1002:0x0E3B 0xC8).\n\
             [ 1000.000000] amdgpu 0000:2d:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n\
             [ 1000.100000] amdgpu 0000:2d:00.0: amdgpu: GPU reset begin!\n\
             [ 1001.000000] amdgpu 0000:2d:00.0: amdgpu: GPU reset(1) succeeded!\n"
        );
        let card = Run::human(log).output().stdout;
        let first = card
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("sudo ") || line.starts_with("amdtriage "));
        assert!(first.is_some_and(|line| line.starts_with(tool)), "{release}: {first:?}\n{card}");
    }
}

/// Of several incidents, equal ones are listed once, and the worst is shown.
#[test]
fn of_several_incidents_the_worst_is_shown() {
    let fixture =
        Fixture::all("reports").into_iter().find(|one| one.name.contains("five-incidents"));
    let card = Run::human(fixture.unwrap().log).output().stdout;
    let mut lines = card.lines();
    let first = lines.next().unwrap();
    assert!(first.starts_with("5 INCIDENTS") && first.contains("NO END OF THE RECOVERY"), "{card}");
    assert!(card.contains("\n3. "), "the third is the worst:\n{card}");
}

/// The page of a GPU that is limited, but did not fail, begins with what is wrong and what to do.
#[test]
fn the_page_of_a_problem_says_what_is_wrong_and_what_to_do() {
    let problem = |(_, log): &(String, Vec<u8>)| {
        Run::human(log.clone()).output().stdout.starts_with("PROBLEM")
    };
    let (name, log) = logs().into_iter().find(problem).expect("a fixture shows a problem");
    let page = Run::new(["--format", "markdown"]).input(log).output().stdout;
    let (before, wrong) =
        page.split_once("What is wrong\n").unwrap_or_else(|| panic!("{name}:\n{page}"));
    assert!(!before.contains("Also noted"), "{name}:\n{page}");
    let wrong = wrong.split("Also noted").next().unwrap_or_default();
    assert!(wrong.contains("What to do\n") && wrong.contains("1. "), "{name}:\n{page}");
}
