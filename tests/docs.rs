//! The documentation is true.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use amdtriage::cli::failure::{Failure, PathAsked};
use amdtriage::cli::output::NotAFile;
use amdtriage::cli::report::private::Left;
use amdtriage::coverage::tree::NotATree;
use amdtriage::diagnosis::choice::{BootNumber, Clock};
use amdtriage::event::Instead;
use amdtriage::host::Refusal;
use amdtriage::input::{Compression, Container, Foreign, Hint, InputError, Limit, PrintCommand};
use amdtriage::inquiry::LogFailure;
use amdtriage::redact::Kind;

use super::common::{Run, child, files_below, none, root};

fn text(path: &str) -> String {
    fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names and texts of the files in a folder.
fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    entries.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn the_man_pages_are_what_the_program_writes() {
    let printed = Run::new(["man"]).output();
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    let folder = tempfile::tempdir().unwrap();
    let output = Run::new(["man", "--dir"]).argument(folder.path()).output();
    assert_eq!((output.status, output.told().trim()), (0, "[exit status 0]"));
    let (stored, written) = (pages(&root("man")), pages(folder.path()));
    assert_eq!(written["amdtriage.1"], printed.stdout);
    assert!(stored.keys().eq(written.keys()), "{:?} and {:?}", stored.keys(), written.keys());
    let stale: Vec<String> = stored
        .into_iter()
        .filter(|(name, page)| written[name] != *page)
        .map(|(name, _)| name)
        .collect();
    assert!(stale.is_empty(), "{stale:?} are stale: cargo run -- man --dir man renews them");
}

/// The first page links to the others and does not repeat them.
#[test]
fn each_command_has_a_page() {
    let all = pages(&root("man"));
    let first = &all["amdtriage.1"];
    for (command, option) in [
        ("records", "not records"),
        ("events", "ndjson"),
        ("explain", "json"),
        ("patterns", "The signature"),
        ("patterns", "kernel source tree"),
        ("check", "crash dumps"),
        ("diff", "the last one with an incident"),
        ("decode", "The hub of a page fault"),
        ("schema", "records"),
        ("completions", "elvish"),
        ("man", "output"),
    ] {
        assert!(first.contains(&format!(".BR amdtriage\\-{command} (1)")), "{command}");
        assert!(all[&format!("amdtriage-{command}.1")].contains(option), "{command}: {option}");
    }
    assert!(!first.contains(".SS"), "the first page has the options of no command");
}

/// The sections of a page, by the conventions of man-pages(7).
#[test]
fn each_page_has_its_sections() {
    let mut wrong = Vec::new();
    let all = pages(&root("man"));
    for (name, text) in all.iter().filter(|(name, _)| name.ends_with(".1")) {
        let has = |title: &str| text.contains(&format!("\n.SH {title}\n"));
        let quiet = ["amdtriage-man.1", "amdtriage-schema.1"].contains(&name.as_str());
        for title in ["NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "FILES", "EXAMPLES"] {
            // These two commands read no file.
            let needless = quiet && title == "FILES";
            if !has(title) && !needless {
                wrong.push(format!("{name} has no {title}"));
            }
        }
        if text.contains("Exit status: ") && name != "amdtriage-patterns.1" {
            wrong.push(format!("{name} tells of exit statuses in its description"));
        }
    }
    none(&wrong);
}

#[test]
fn man_pages_name_no_page_that_is_not_there() {
    let all = pages(&root("man"));
    let mut wrong = Vec::new();
    for (page, text) in &all {
        let text = text.replace("\\-", "-").replace(" (", "(").replace("\\fR(", "(");
        let words = text.split(|c: char| !c.is_alphanumeric() && !"-()".contains(c));
        let named = words.filter_map(|word| word.strip_suffix(')')?.split_once('('));
        let ours = named.filter(|(name, _)| name.starts_with("amdtriage"));
        let missing = ours.filter(|(name, number)| !all.contains_key(&format!("{name}.{number}")));
        wrong.extend(missing.map(|(name, number)| format!("{page}: {name}({number})")));
        if !text.contains(".SH SEE ALSO\n.BR amdtriage") {
            wrong.push(format!("{page} names no other page"));
        }
    }
    none(&wrong);
}

/// Formats the pages with man, if installed.
#[test]
fn man_pages_are_formatted_without_a_warning() {
    let mut wrong = Vec::new();
    for name in pages(&root("man")).keys() {
        let path = root("man").join(name);
        let mut groff = Command::new("groff");
        let groff = child::run(groff.args(["-man", "-Tutf8", "-ww"]).arg(&path));
        let Ok(groff) = groff else {
            eprintln!("skipped: no groff");
            return;
        };
        let told = String::from_utf8(groff.stderr).unwrap();
        if !told.is_empty() {
            wrong.push(format!("{name}: {told}"));
        }
    }
    none(&wrong);
}

/// Shells can read the completions, which complete options and commands.
#[test]
fn completions_are_there_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = Run::new(["completions", shell]).output();
        assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{shell}");
        for word in ["min-certainty", "explain", "coverage"] {
            assert!(output.stdout.contains(word), "{shell}: {word}");
        }
        // Names: a signature, an event kind, a piece of advice, a tracker, a driver parameter.
        let names =
            ["gfx11-mes-hang", "page-fault", "fw-update", "drm-amd", "amdgpu.ppfeaturemask"];
        for name in names.into_iter().filter(|_| ["bash", "zsh", "fish"].contains(&shell)) {
            assert!(output.stdout.contains(name), "{shell}: {name}");
        }
    }
    let script = "eval \"$(\"$0\" completions bash)\"; COMP_WORDS=(amdtriage --outp); COMP_CWORD=1; \
                  _amdtriage amdtriage --outp amdtriage; echo \"${COMPREPLY[*]}\"";
    let mut bash = Command::new("bash");
    let bash = child::run(bash.args(["-c", script, env!("CARGO_BIN_EXE_amdtriage")]));
    assert_eq!(String::from_utf8(bash.unwrap().stdout).unwrap(), "--output\n");
}

/// A command of a console block with its output.
struct Example {
    command: String,
    output: String,
}

/// The console blocks of a Markdown text.
fn examples(markdown: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    let mut lines = markdown.lines();
    while lines.by_ref().any(|line| line.trim() == "```console") {
        for line in lines.by_ref().take_while(|line| line.trim() != "```") {
            if let Some(command) = line.strip_prefix("$ ") {
                examples.push(Example { command: command.to_owned(), output: String::new() });
            } else if let Some(example) = examples.last_mut() {
                example.output.push_str(line);
                example.output.push('\n');
            }
        }
    }
    examples
}

/// The pages of `docs/`.
fn documents() -> Vec<String> {
    pages(&root("docs")).into_keys().map(|name| format!("docs/{name}")).collect()
}

/// Whether a command changes the machine or needs a particular one, so that it is not run.
fn is_passed_over(command: &str) -> bool {
    ["cargo", "git", "sudo", "dmesg", "journalctl"]
        .contains(&command.split(' ').next().unwrap_or_default())
}

#[test]
fn the_examples_in_the_documents_are_true() {
    let pages = ["README.md".to_owned()].into_iter().chain(documents());
    let examples: Vec<Example> = pages.flat_map(|page| examples(&text(&page))).collect();
    let mut wrong = Vec::new();
    for Example { command, output } in examples.iter().filter(|one| !is_passed_over(&one.command)) {
        let mut words = command.split_whitespace();
        if words.next() != Some("amdtriage") || command.contains(['|', '>', '\'', '"', '$']) {
            wrong.push(format!("this test cannot run `{command}`"));
            continue;
        }
        let got = Run::new(words).output();
        let got = got.stdout + &got.stderr;
        // A long output is shown up to this line.
        let shown = output.trim_end().strip_suffix("\n…");
        let same = shown.map_or_else(
            || got.trim_end() == output.trim_end(),
            |beginning| got.starts_with(&format!("{beginning}\n")),
        );
        if !same {
            wrong.push(format!("{command}\n{}", difference(output, &got)));
        }
    }
    none(&wrong);
    assert!(examples.len() > 1, "the README shows what the program says");
}

/// The first difference.
fn difference(want: &str, got: &str) -> String {
    let mut lines = want.lines().zip(got.lines());
    let found = lines.find(|(want, got)| want != got);
    found.map_or_else(
        || format!("want {} lines, got {}", want.lines().count(), got.lines().count()),
        |(want, got)| format!("want {want}\ngot  {got}"),
    )
}

#[test]
fn the_checks_run_what_the_guide_says() {
    let guide = text("docs/contribute.md");
    let checks = text(".ci/run");
    for command in [
        "cargo fmt --check",
        "cargo deny check bans licenses sources",
        "cargo clippy --all-targets -- -D warnings",
        "cargo test",
        "cargo test --features columns --test all columns",
        "fixtures/formats/make --check",
    ] {
        assert!(guide.contains(command), "docs/contribute.md does not say {command}");
        assert!(checks.lines().any(|line| line == command), ".ci/run does not run {command}");
    }
}

/// Messages on Debian for a user who is not root and has no `sudo`.
#[cfg(unix)]
#[test]
fn the_checks_say_what_root_has_to_install() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    // A shell writes the script: a file that this process has open for writing cannot be executed.
    let script = "cd \"$0\" && mkdir -p .ci fixtures/formats bin && cp \"$1\" .ci/run && \
                  stub() { printf '#!%s\\necho %s\\n' \"$(command -v sh)\" \"$2\" > \"$1\"; chmod 755 \"$1\"; } && \
                  for name in cargo apt-get python3; do stub bin/$name; done; stub bin/id 1000; \
                  stub fixtures/formats/make 'rsyslog util-linux-locales'; \
                  for name in dirname env sh; do ln -s \"$(command -v $name)\" bin/$name; done";
    let mut shell = Command::new("bash");
    shell.args(["-c", script, &path(""), &root(".ci/run").display().to_string()]);
    assert!(child::run(&mut shell).unwrap().status.success());
    let bash = child::run(Command::new("sh").args(["-c", "command -v bash"])).unwrap().stdout;
    let bash = String::from_utf8(bash).unwrap();
    let mut checks = Command::new(bash.trim());
    let output = child::run(checks.arg(path(".ci/run")).env("PATH", path("bin"))).unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains(" apt-get -qq install ") && told.contains("RUNLEVEL=1"), "{told}");
    assert!(told.trim_end().ends_with(" --reinstall rsyslog util-linux-locales"), "{told}");
}

/// The script that compares two builds, with one log.
#[cfg(unix)]
#[test]
fn a_program_says_the_same_as_itself() {
    let folder = tempfile::tempdir().unwrap();
    let program = env!("CARGO_BIN_EXE_amdtriage");
    let mut script = Command::new("python3");
    script
        .arg(root("tests/net"))
        .args(["--bin", program, "--against", program, "--only", "formats/dmesg.log"])
        .env("AMDTRIAGE_NET_CACHE", folder.path());
    let Ok(output) = child::run(&mut script) else {
        eprintln!("skipped: no python3");
        return;
    };
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{told}");
    let runs: u32 = told.strip_suffix(" runs, 0 differ\n").unwrap().parse().unwrap();
    assert!(runs > 20, "{told}");
}

#[test]
fn the_changelog_has_this_version_or_what_comes_next() {
    let changelog = text("CHANGELOG.md");
    let version = format!("## [{}]", env!("CARGO_PKG_VERSION"));
    let has = |head: &str| changelog.lines().any(|line| line.starts_with(head));
    assert!(has("## [Unreleased]") || has(&version), "CHANGELOG.md has neither");
}

#[test]
fn the_readme_and_the_changelog_name_every_signature() {
    let changelog = text("CHANGELOG.md");
    let signatures = amdtriage::builtin::patterns().signatures;
    // The ids of fallbacks are those of event kinds with a suffix.
    let full = signatures.iter().filter(|signature| !signature.fallback);
    let ids = full.map(|signature| &signature.id);
    let mut wrong: Vec<String> = ids.filter(|id| !changelog.contains(*id)).cloned().collect();
    let fallbacks = signatures.iter().filter(|signature| signature.fallback);
    wrong.extend(fallbacks.map(|one| one.id.clone()).filter(|id| !id.ends_with("-unexplained")));
    none(&wrong);
}

/// Every file that the repository's texts link to exists.
#[test]
fn links_between_files_lead_somewhere() {
    let mut wrong = Vec::new();
    let others =
        ["README.md", "SECURITY.md", "CHANGELOG.md", "patterns/README.md", "fixtures/README.md"];
    for page in others.map(str::to_owned).into_iter().chain(documents()) {
        let page = page.as_str();
        let text = text(page);
        let folder = root(page).parent().unwrap().to_owned();
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !path.contains("://") && !folder.join(path).exists() {
                wrong.push(format!("{page}: {target}"));
            }
        }
    }
    none(&wrong);
}

/// Failures of `follow` and `run`.
fn failures_beside_a_machine() -> [Failure; 14] {
    let error = || io::Error::other("the disk is gone");
    let name = || "kern.log".to_owned();
    [
        Failure::NoSuchCommand {
            word: "chekc".to_owned(),
            meant_name: "check".to_owned(),
            again: "amdtriage check".to_owned(),
        },
        Failure::NothingFromDmesg,
        Failure::NotACommand { text: "'open".to_owned() },
        Failure::NoColumns { encoding: "Parquet" },
        Failure::BinaryOnTerminal { encoding: "Parquet" },
        Failure::NoSuchProgram { program: "alert".to_owned() },
        Failure::NotExecutable { program: "./alert".to_owned() },
        Failure::UnitOfAUser { program: "/home/ada/amdtriage".to_owned() },
        Failure::UnknownOption { option: "--quite".to_owned() },
        Failure::NoCursor { name: name() },
        Failure::CursorFile { path: PathBuf::from("cursor"), source: error() },
        Failure::NotRun { text: "make check".to_owned(), source: error() },
        Failure::Signals(error()),
        Failure::Unit(error()),
    ]
}

/// Failures of writing a file.
fn refused() -> [Failure; 6] {
    [
        NotAFile::Link,
        NotAFile::Folder,
        NotAFile::Device,
        NotAFile::Input,
        NotAFile::Nameless,
        NotAFile::OtherOutput,
    ]
    .map(|why| Failure::OutputRefused { path: PathBuf::from("report.txt"), why })
}

/// Failures of `diff` and `report`.
fn failures_of_a_report() -> [Failure; 7] {
    let name = || "kern.log".to_owned();
    let left = Left { kind: Kind::Host, member: "kernel.log.gz".to_owned(), line: 7, column: 1 };
    [
        Failure::OneBoot { name: name() },
        Failure::SameBoot { name: name() },
        Failure::OnePipe,
        Failure::Unclean { left: vec![left; 2] },
        Failure::NoSuchTracker {
            name: "drm-and".to_owned(),
            known: vec!["drm-amd".to_owned(), "mesa".to_owned()],
            meant: Some("drm-amd".to_owned()),
        },
        Failure::PrivateLeft { places: vec![(Kind::Mac, 7); 9] },
        Failure::Spool(io::Error::other("the disk is gone")),
    ]
}

/// Errors of a limit.
fn at_limit(limit: Limit) -> Vec<InputError> {
    let name = || "kern.log".to_owned();
    let gzip = Container::Compressed(Compression::Gzip);
    let too_large = |container| InputError::TooLarge { name: name(), container, limit };
    let mut errors =
        [gzip, Container::Tar, Container::Journal].map(too_large).into_iter().collect::<Vec<_>>();
    errors.push(InputError::Overrun { name: name(), limit });
    errors.push(InputError::RestUnread { name: name(), limit });
    errors
}

fn failures() -> Vec<Failure> {
    let name = || "kern.log".to_owned();
    let error = || io::Error::other("the disk is gone");
    let address = |bus: u8| format!("0000:{bus:02x}:00.0").parse().unwrap();
    let printed_by = || PrintCommand::new(&name(), None);
    let mut inputs = vec![
        InputError::NotFound { name: name() },
        InputError::Permission { name: name() },
        InputError::Directory { name: name() },
        InputError::NoLogs { name: name(), what: "a folder" },
        InputError::Empty { name: name() },
        InputError::Binary { name: name(), what: "a PNG image" },
        InputError::Packed { name: name(), foreign: Foreign::Lz4 },
        InputError::Packed { name: name(), foreign: Foreign::Zip },
        InputError::Packed { name: "a.tar:b.zip".to_owned(), foreign: Foreign::Zip }
            .within(Some("a.tar")),
        InputError::TooLargeToCopy { name: name() },
        InputError::Sparse { name: name() },
        InputError::FolderTooDeep { name: name() },
        InputError::LeadsOut { name: name() },
        InputError::Socket { name: name() },
        InputError::ReadOnce { name: name() },
        InputError::NotStarted { name: name(), said: "Exec format error".to_owned() },
        InputError::NoSpool { name: name(), said: "No space left on device".to_owned() },
        InputError::NoEntries { name: name() },
        InputError::NoJournalctl { name: name() },
        InputError::Journal { name: name(), said: "No data available".to_owned() },
        InputError::Empty { name: name() }.within(Some("logs.tar")),
        InputError::Io { name: name(), source: error() },
        InputError::Io { name: name(), source: error() }.within(Some("logs.tar")),
    ];
    let compressions = [Compression::Gzip, Compression::Zstd, Compression::Xz, Compression::Bzip2];
    let containers = compressions.map(Container::Compressed);
    for container in containers.into_iter().chain([Container::Tar]) {
        inputs.extend([
            InputError::Truncated { name: name(), container },
            InputError::Corrupt { name: name(), container },
            InputError::TooHungry { name: name(), container },
            InputError::TooDeep { name: name(), container },
        ]);
    }
    inputs.extend(Limit::ALL.into_iter().flat_map(at_limit));
    let mut failures: Vec<Failure> = inputs.into_iter().map(Failure::Input).collect();
    failures.extend([
        Failure::NoKernelLog { name: name(), said: false, has: Instead::default() },
        Failure::NoKernelLog { name: name(), said: true, has: Instead::default() },
        Failure::NoLogsOfFormat { name: name(), what: "a folder" },
        Failure::Log(LogFailure::Directionless { name: name(), printed_by: printed_by() }),
        Failure::Log(LogFailure::Interleaved { name: name() }),
        Failure::Log(LogFailure::NewestOnly { name: name(), printed_by: printed_by() }),
        Failure::Log(LogFailure::Stopped {
            name: name(),
            said: error().to_string(),
            printed_by: printed_by(),
        }),
        Failure::PatternFolder { path: PathBuf::from("own"), source: error() },
        Failure::NoPatternFolder,
        Failure::NoFixtures { path: PathBuf::from("own") },
        Failure::Fixture { path: PathBuf::from("own/a.log"), what: "no word in `x`".to_owned() },
        Failure::NoSignature { id: "pagefault".to_owned(), near: None },
        Failure::NotAKernelTree { path: PathBuf::from("linux"), lacks: NotATree::Folder },
        Failure::NotAKernelTree { path: PathBuf::from("linux"), lacks: NotATree::Version },
        Failure::NotAKernelTree { path: PathBuf::from("linux"), lacks: NotATree::Driver },
        Failure::Patterns(Vec::new()),
        Failure::UnknownName { id: "pagefault".to_owned(), near: vec!["page-fault".to_owned()] },
        Failure::UnknownName { id: "xyzzy".to_owned(), near: Vec::new() },
        Failure::NothingAsked,
        Failure::NotExplained { unknown: true },
        Failure::NotExplained { unknown: false },
        Failure::TooMuch { name: name() },
        Failure::PathAsked { path: name(), what: "file", asked: PathAsked::Explain },
        Failure::PathAsked { path: "logs".to_owned(), what: "directory", asked: PathAsked::Decode },
        Failure::PathAsked { path: name(), what: "file", asked: PathAsked::Signature },
        Failure::Undecodable { value: "x".repeat(5000), kind: None },
        Failure::Undecodable { value: "42".to_owned(), kind: Some("reset-source") },
        Failure::NotOnChip { value: "x".repeat(5000), kind: "sq-wave-trapsts" },
        Failure::NoSuchBoot { number: BootNumber(5), count: 0 },
        Failure::NoSuchBoot { number: BootNumber(-9), count: 2 },
        Failure::NoSuchDevice { address: address(1), boot: None, known: BTreeSet::new() },
        Failure::NoSuchDevice {
            address: address(9),
            boot: Some(BootNumber(-1)),
            known: (1..9).map(address).collect(),
        },
        Failure::NoSuchTime { name: name() },
        Failure::Reversed { since: "18:35".parse().unwrap(), until: "17:00".parse().unwrap() },
        Failure::OutputFile { path: PathBuf::from("report.txt"), source: error() },
        Failure::NotAMachine { path: PathBuf::from("report.txt") },
        Failure::NoReader(error()),
        Failure::Dump {
            path: "/sys/class/devcoredump/devcd1/data".to_owned(),
            why: Refusal::Denied,
        },
        Failure::Output(error()),
    ]);
    failures.extend(failures_beside_a_machine());
    failures.extend(failures_of_a_report());
    failures.extend(failures_of_clocks());
    failures.extend(refused());
    failures.extend(machine_failures());
    failures
}

/// Times of a clock that the log does not have.
fn failures_of_clocks() -> [Failure; 5] {
    let clocks = [Clock::Date, Clock::Zone, Clock::TimeOfDay, Clock::SinceBoot, Clock::Any];
    let moment = || "2026-03-04 18:35:23+01:00".parse().unwrap();
    clocks.map(|clock| Failure::NoSuchClock {
        name: "kern.log".to_owned(),
        moment: moment(),
        clock,
    })
}

/// Failures of reading a machine's log.
fn machine_failures() -> [Failure; 7] {
    [
        Failure::BootNotStored { number: BootNumber(-2), count: 1, persistent: false },
        Failure::BootNotStored { number: BootNumber(9), count: 4, persistent: true },
        Failure::Closed {
            names: ["the system's journal", "/dev/kmsg", "dmesg"].map(str::to_owned).to_vec(),
            restricted: true,
            again: Some("amdtriage --all-boots".to_owned()),
        },
        Failure::Closed { names: vec!["dmesg".to_owned()], restricted: true, again: None },
        Failure::NoLogHere,
        Failure::NoJournalAt { path: PathBuf::from("/mnt") },
        Failure::NoJournalFiles { path: PathBuf::from("logs") },
    ]
}

/// Allowed beginnings of a hint: something to type.
const COMMANDS: [&str; 22] = [
    "TMPDIR=/var/tmp",
    "amdtriage",
    "bzip2",
    "cargo",
    "cat",
    "chmod",
    "command",
    "curl",
    "dmesg",
    "gzip",
    "journalctl",
    "ls",
    "lz4",
    "man",
    "sudo",
    "tac",
    "tail",
    "tar",
    "unzip",
    "xz",
    "zcat",
    "zstd",
];

/// A new kind of failure fails to compile until it is added to [`failures`].
const fn is_listed(failure: &Failure) -> bool {
    match failure {
        Failure::Input(error) => match error {
            InputError::NotFound { .. }
            | InputError::Permission { .. }
            | InputError::Directory { .. }
            | InputError::NoLogs { .. }
            | InputError::Empty { .. }
            | InputError::Binary { .. }
            | InputError::Packed { .. }
            | InputError::Overrun { .. }
            | InputError::RestUnread { .. }
            | InputError::TooLargeToCopy { .. }
            | InputError::Sparse { .. }
            | InputError::FolderTooDeep { .. }
            | InputError::LeadsOut { .. }
            | InputError::Socket { .. }
            | InputError::ReadOnce { .. }
            | InputError::NotStarted { .. }
            | InputError::NoSpool { .. }
            | InputError::NoEntries { .. }
            | InputError::Truncated { .. }
            | InputError::Corrupt { .. }
            | InputError::TooHungry { .. }
            | InputError::TooLarge { .. }
            | InputError::TooDeep { .. }
            | InputError::NoJournalctl { .. }
            | InputError::Journal { .. }
            | InputError::Member { .. }
            | InputError::Io { .. } => true,
        },
        Failure::NoSuchCommand { .. }
        | Failure::NothingFromDmesg
        | Failure::NoKernelLog { .. }
        | Failure::NoLogsOfFormat { .. }
        | Failure::Log(
            LogFailure::Input(_)
            | LogFailure::Directionless { .. }
            | LogFailure::Interleaved { .. }
            | LogFailure::NewestOnly { .. }
            | LogFailure::Stopped { .. },
        )
        | Failure::PatternFolder { .. }
        | Failure::NoPatternFolder
        | Failure::NoFixtures { .. }
        | Failure::Fixture { .. }
        | Failure::NoSignature { .. }
        | Failure::NotAKernelTree { .. }
        | Failure::Patterns(_)
        | Failure::UnknownName { .. }
        | Failure::PathAsked { .. }
        | Failure::NothingAsked
        | Failure::NotExplained { .. }
        | Failure::TooMuch { .. }
        | Failure::Undecodable { .. }
        | Failure::NotOnChip { .. }
        | Failure::NoSuchBoot { .. }
        | Failure::NoSuchDevice { .. }
        | Failure::BootNotStored { .. }
        | Failure::Closed { .. }
        | Failure::NoLogHere
        | Failure::NoJournalAt { .. }
        | Failure::NoJournalFiles { .. }
        | Failure::NoSuchClock { .. }
        | Failure::NoSuchTime { .. }
        | Failure::NotACommand { .. }
        | Failure::NoSuchProgram { .. }
        | Failure::NotExecutable { .. }
        | Failure::UnitOfAUser { .. }
        | Failure::UnknownOption { .. }
        | Failure::NoColumns { .. }
        | Failure::BinaryOnTerminal { .. }
        | Failure::NoCursor { .. }
        | Failure::CursorFile { .. }
        | Failure::NotRun { .. }
        | Failure::Signals(_)
        | Failure::Unit(_)
        | Failure::Reversed { .. }
        | Failure::OutputFile { .. }
        | Failure::OutputRefused { .. }
        | Failure::OneBoot { .. }
        | Failure::SameBoot { .. }
        | Failure::OnePipe
        | Failure::NotAMachine { .. }
        | Failure::NoReader(_)
        | Failure::Dump { .. }
        | Failure::Spool(_)
        | Failure::PrivateLeft { .. }
        | Failure::Unclean { .. }
        | Failure::NoSuchTracker { .. }
        | Failure::Output(_) => true,
    }
}

#[test]
fn every_message_is_a_sentence_and_every_hint_a_command() {
    let mut wrong = Vec::new();
    for failure in failures() {
        assert!(is_listed(&failure));
        let sentence = failure.to_string();
        let sentence = sentence.trim_end();
        if sentence.ends_with(['.', '!', ':']) || sentence.contains('\n') || sentence.len() > 120 {
            wrong.push(format!("no sentence without full stop: {sentence}"));
        }
        let hint = match failure.hint() {
            Some(Hint::Command(hint) | Hint::CommandOr(hint, _)) => hint,
            Some(Hint::Advice(_)) | None => continue,
        };
        let first = hint.split(' ').next().unwrap_or_default();
        // A command does not end with a full stop, except for the directory `.`.
        let sentence_like = hint.ends_with('.') && !hint.ends_with(" .");
        if !COMMANDS.contains(&first) || sentence_like || hint.contains('\n') {
            wrong.push(format!("does not begin with what to type: {hint} ({sentence})"));
        }
    }
    none(&wrong);
}

/// Every failure that the user can resolve has a hint.
#[test]
fn every_failure_has_a_hint() {
    let silent = failures().into_iter().filter(|failure| failure.hint().is_none());
    let mut wrong: Vec<String> = silent.map(|failure| failure.to_string()).collect();
    // Failures of the system have no hint.
    wrong.retain(|sentence| !sentence.ends_with("the disk is gone"));
    none(&wrong);
}

/// Modules depend only on those above them in the table of `src/lib.rs`.
#[test]
fn modules_depend_on_those_above_them() {
    let map = fs::read_to_string(root("src/lib.rs")).unwrap();
    let rows = map.lines().filter_map(|line| line.strip_prefix("//! | [`")?.split('`').next());
    let modules: Vec<&str> = rows.collect();
    let mut wrong = Vec::new();
    for path in files_below(&root("src")) {
        let own = path.strip_prefix(root("src")).unwrap().iter().next().unwrap();
        let own = own.to_str().unwrap().trim_end_matches(".rs");
        let Some(place) = modules.iter().position(|module| *module == own) else { continue };
        let text = fs::read_to_string(&path).unwrap_or_default();
        let code = text.split("\n#[cfg(test)]\nmod tests").next().unwrap();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        for name in lines.flat_map(|line| line.split("crate::").skip(1)) {
            let name = name.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap();
            let below = modules.iter().position(|module| *module == name);
            let is_test = path.components().any(|part| part.as_os_str() == "tests")
                || path.ends_with("tests.rs");
            if !is_test && below.is_some_and(|below| below > place) {
                wrong.push(format!("{}: crate::{name}", path.display()));
            }
        }
    }
    none(&wrong);
}
