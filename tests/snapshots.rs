//! Snapshots of whole runs for people and programs, and of all help texts.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::common::{Fixture, Output, Run, snapshot};

/// A log of each family, a healthy machine, several inputs, a process listing, several boots.
const RUNS: [(&str, &[&str]); 11] = [
    ("mes", &["fixtures/signatures/gfx11-mes-hang/hit-mode1-after-silence.log"]),
    ("queue", &["fixtures/signatures/mes-remove-queue-timeout/hit-apu-mode2.log"]),
    ("page-fault", &["fixtures/signatures/compute-page-fault/hit-kernel-and-runtime.log"]),
    ("ring", &["fixtures/signatures/ring-timeout-reset/hit-baco.log"]),
    ("reset", &["fixtures/signatures/reset-never-completed/hit-log-goes-on.log"]),
    ("requested", &["fixtures/signatures/user-triggered-reset/hit-asked-for-and-worked.log"]),
    ("rocm", &["fixtures/signatures/rocm-memory-access-fault/hit-behind-a-progress-bar.log"]),
    ("quiet", &["fixtures/quiet/desktop-navi31.log"]),
    ("listing", &["fixtures/signatures/ttm-deadlock/hit-listing.log"]),
    ("boots", &["fixtures/boots/hang-then-clean-boot.log"]),
    (
        "several",
        &[
            "fixtures/formats/dmesg.log",
            "fixtures/quiet/laptop-phoenix.log",
            "fixtures/formats/process-listing.log",
        ],
    ),
];

/// Reports in every format: a log of each family, a healthy machine, eight GPUs, several boots.
const REPORTS: [(&str, &str); 8] = [
    ("mes", "fixtures/signatures/gfx11-mes-hang/hit-mode1-after-silence.log"),
    ("stuck", "fixtures/signatures/ttm-deadlock/hit-listing.log"),
    ("rocm", "fixtures/signatures/rocm-memory-access-fault/hit-behind-a-progress-bar.log"),
    ("runner", "fixtures/signatures/rocm-runner-crash/hit-library-named.log"),
    ("staged", "fixtures/reports/staged-in-a-report.log"),
    ("quiet", "fixtures/quiet/desktop-navi31.log"),
    ("eight", "fixtures/reports/eight-gpus.log"),
    ("five", "fixtures/reports/five-incidents.log"),
];

/// Reports with a timeline; `human__` has most of the others without it.
const SHOWN_WITH_TIMELINE: [(&str, &str); 7] = [
    ("mes", "80"),
    ("mes", "140"),
    ("stuck", "80"),
    ("runner", "80"),
    ("staged", "80"),
    ("eight", "80"),
    ("five", "80"),
];

/// The modification time of all logs: 2026-08-01T00:00:00Z.
const SAVED: Duration = Duration::from_secs(1_785_542_400);

/// Runs the program on copies without headers, in a directory where they have short names.
fn run(arguments: &[&str], files: &[&str]) -> Output {
    run_at("80", arguments, files)
}

/// The same on a terminal with this width.
fn run_at(columns: &str, arguments: &[&str], files: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut run = Run::new(arguments.iter().copied());
    for file in files {
        let fixture = Fixture::read(file.strip_prefix("fixtures/").unwrap());
        let name = file.rsplit('/').next().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, fixture.log).unwrap();
        // Determines the years of logs without them.
        let file = File::options().write(true).open(&path).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + SAVED).unwrap();
        run = run.argument(name);
    }
    run.variable("TZ", "UTC")
        .variable("COLUMNS", columns)
        .source(files.join(" "))
        .folder(folder.path())
        .output()
}

#[test]
fn reports_for_people() {
    for (name, files) in RUNS {
        let output = run(&["--color", "never"], files);
        output.snapshot(&format!("human__{name}"));
    }
}

#[test]
fn reports_at_two_widths() {
    for (name, file) in REPORTS {
        for columns in ["80", "140"] {
            let output = run_at(columns, &["--color", "never", "--timeline"], &[file]);
            let wide = |line: &&str| line.chars().count() > columns.parse().unwrap();
            // Commands are never wrapped, and URLs cannot be.
            let too_wide = output.stdout.lines().filter(wide);
            let quoted = |line: &&&str| {
                let text = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
                text.starts_with("  ") || text.contains("https://") || text.ends_with('\\')
            };
            let odd: Vec<&str> = too_wide.filter(|line| !quoted(&line)).collect();
            assert!(odd.is_empty(), "{name} at {columns}: {odd:#?}");
            if SHOWN_WITH_TIMELINE.contains(&(name, columns)) {
                output.snapshot(&format!("width{columns}__{name}"));
            }
        }
    }
}

#[test]
fn reports_for_trackers() {
    for (name, files) in in_every_format() {
        let output = run(&["--format", "markdown"], files);
        output.snapshot(&format!("markdown__{name}"));
    }
}

/// Of hundreds of incidents the middle ones are only counted.
#[test]
fn of_many_incidents_the_ends_are_told() {
    let one = |at: usize| {
        let at = at * 1_000;
        format!(
            "[{at:6}.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n\
             [{at:6}.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
             [{at:6}.900000] amdgpu 0000:03:00.0: amdgpu: GPU reset({at}) succeeded!\n"
        )
    };
    let log: String = (1..=60).map(one).collect();
    let told = |arguments: &[&str], mark: &str| {
        let output = Run::new(arguments).input(log.clone()).output();
        output.stdout.lines().filter(|line| line.starts_with(mark)).count()
    };
    assert_eq!(told(&["--color", "never", "-v"], "    Fingerprint"), 60);
    assert_eq!(told(&["--format", "markdown"], "| Fingerprint"), 5);
    let page = Run::human(log.clone()).output().stdout;
    assert!(page.contains("60 INCIDENTS") && page.contains("60×"), "{page}");
}

#[test]
fn reports_of_all_families_say_what_their_headers_say() {
    for fixture in Fixture::all("reports") {
        let report = fixture.report().json();
        assert_eq!(report.diagnosed(), fixture.says, "{}", fixture.name);
    }
}

#[test]
fn reports_with_everything() {
    let (_, files) = RUNS[0];
    let output = run(&["--color", "never", "-v", "--all"], files);
    output.snapshot("verbose__mes");
}

#[test]
fn reports_in_one_line() {
    let all: Vec<&str> = RUNS.iter().flat_map(|(_, files)| files.iter().copied()).collect();
    let output = run(&["-q"], &all);
    output.snapshot("line__all");
}

/// Reports in Markdown and HTML: a failure, a healthy machine, several inputs.
fn in_every_format() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    RUNS.into_iter().filter(|(name, _)| ["mes", "quiet", "several"].contains(name))
}

/// One report is in a snapshot; the schema and `json` check the others.
#[test]
fn reports_for_programs() {
    for (name, files) in RUNS {
        let output = run(&["--format", "json"], files);
        assert!(matches!(output.status, 0 | 1), "{name}: {}", output.stderr);
        if name == "ring" {
            output.snapshot("json__ring");
        }
    }
}

#[test]
fn reports_line_by_line() {
    let (_, files) = RUNS[10];
    run(&["--format", "ndjson", "--unknown"], files).snapshot("ndjson__several");
}

#[test]
fn reports_for_browsers() {
    for (name, files) in in_every_format() {
        let mut settings = insta::Settings::clone_current();
        settings.add_filter(r"(?s)<style>.*?</style>", "<style>[style]</style>");
        settings.add_filter(r"sha256-[A-Za-z0-9+/]{43}=", "sha256-[digest]");
        settings.add_filter(r"patterns <code>[0-9a-f]{12}<", "patterns <code>[digest]<");
        let output = run(&["--format", "html"], files);
        settings.bind(|| output.snapshot(&format!("html__{name}")));
    }
}

#[test]
fn lists_of_records_and_events() {
    let (_, files) = RUNS[2];
    for (list, format) in [("records", "table"), ("events", "table"), ("events", "ndjson")] {
        run(&[list, "--format", format], files).snapshot(&format!("{list}__{format}"));
    }
}

/// With colours, and on narrow screens.
#[test]
fn reports_fit_their_screen() {
    let (_, files) = RUNS[3];
    let painted = run(&["--color", "always"], files).stdout;
    let plain = run(&["--color", "never"], files).stdout;
    assert_ne!(painted, plain);
    assert_eq!(without_colours(&painted), plain);
    for columns in ["1", "20", "40", "200", "65535", "0", "wide"] {
        let log = Fixture::read(files[0].strip_prefix("fixtures/").unwrap()).log;
        let output = Run::human(log).variable("COLUMNS", columns).output();
        assert_eq!(output.status, 1, "{columns}: {}", output.stderr);
    }
}

fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |plain, part| plain + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Shows every change of an option.
#[test]
fn the_whole_help() {
    let mut all = String::new();
    let mut commands = vec![vec![]];
    for command in subcommands(&[]) {
        let of_command = subcommands(&[&command]);
        commands.push(vec![command.clone()]);
        commands.extend(of_command.into_iter().map(|one| vec![command.clone(), one]));
    }
    for command in commands {
        for flag in ["-h", "--help"] {
            let line: Vec<String> = command.iter().cloned().chain([flag.to_owned()]).collect();
            let output = Run::new(&line).variable("COLUMNS", "100").output();
            assert_eq!((output.status, output.stderr.as_str()), (0, ""), "{line:?}");
            writeln!(all, "$ amdtriage {}\n{}", line.join(" "), output.stdout).unwrap();
        }
    }
    snapshot("help", "COLUMNS=100 amdtriage [COMMAND] -h, and --help", &all);
}

/// The commands in the short help of a command.
fn subcommands(of: &[&str]) -> Vec<String> {
    let help = Run::new(of.iter().copied().chain(["-h"])).output().stdout;
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names = lines.take_while(|line| !line.is_empty()).filter_map(|line| {
        // Continuation lines of a description are indented further.
        line.strip_prefix("  ").filter(|rest| !rest.starts_with(' '))?.split(' ').next()
    });
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn a_version_is_the_crates() {
    let output = Run::new(["--version"]).output();
    let version = format!("amdtriage {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(Run::new(["-V"]).output().stdout, version);
    let digest = amdtriage::builtin::patterns().digest;
    assert!(output.stdout.starts_with(&version), "{}", output.stdout);
    assert!(output.stdout.ends_with(&format!("\npatterns {digest}\n")), "{}", output.stdout);
}

#[test]
fn a_wrong_argument_is_refused_on_standard_error() {
    for arguments in
        [&["--nonsense"][..], &["-q", "-v"], &["--format", "yaml"], &["events", "--all"]]
    {
        let output = Run::new(arguments).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.starts_with("amdtriage: "), "{}", output.stderr);
        assert!(output.stderr.contains("\nhelp: amdtriage"), "{}", output.stderr);
    }
}
