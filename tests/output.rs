//! Output files: complete or absent, and never in place of something else.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use super::common::{Fixture, Output, Run, child};

const LOG: &str = "formats/dmesg.log";

/// Runs the program in a directory with a log.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    fs::write(folder.join("dmesg.txt"), Fixture::read(LOG).log).unwrap();
    Run::new(arguments).folder(folder).output()
}

/// The names of other files in `folder`.
fn others(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name != "dmesg.txt").collect()
}

#[test]
fn a_file_holds_what_standard_output_would() {
    let folder = tempfile::tempdir().unwrap();
    for format in
        [&["--format", "human"][..], &["--format", "json"], &["--format", "html"], &["-q"]]
    {
        let arguments =
            |more: &[&'static str]| [format, more, &["dmesg.txt", "dmesg.txt"]].concat();
        let shown = run(folder.path(), &arguments(&[]));
        let output = run(folder.path(), &arguments(&["-o", "report"]));
        assert_eq!(
            (output.status, output.stdout.as_str()),
            (shown.status, ""),
            "{}",
            output.stderr
        );
        let written = fs::read_to_string(folder.path().join("report")).unwrap();
        assert_eq!(written, shown.stdout, "{format:?}");
        assert_eq!(others(folder.path()), ["report"]);
    }
    let painted = run(folder.path(), &["--color", "always", "-o", "report", "dmesg.txt"]);
    assert_eq!(painted.status, 1);
    assert!(fs::read_to_string(folder.path().join("report")).unwrap().contains('\u{1b}'));
}

#[track_caller]
fn assert_refused(output: &Output, told: &str) {
    assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{}", output.stderr);
    assert!(output.stderr.starts_with(&format!("amdtriage: {told}")), "{}", output.stderr);
    assert!(output.stderr.contains("\nnote: "), "{}", output.stderr);
}

#[test]
fn only_a_plain_file_is_replaced_and_no_log() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("logs")).unwrap();
    let log = Fixture::read(LOG).log;
    for (target, told) in [
        ("logs", "cannot write logs: it is a directory"),
        ("dmesg.txt", "cannot write dmesg.txt: it is one of the inputs"),
        ("./logs/../dmesg.txt", "cannot write ./logs/../dmesg.txt: it is one of the inputs"),
        ("..", "cannot write ..: it has no file name"),
        ("nowhere/report", "cannot write nowhere/report: "),
    ] {
        assert_refused(&run(folder.path(), &["-o", target, "dmesg.txt"]), told);
        assert_eq!(fs::read(folder.path().join("dmesg.txt")).unwrap(), log);
        assert_eq!(others(folder.path()), ["logs"]);
    }
}

/// No command overwrites its input, with any option.
#[test]
fn nothing_that_is_read_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("root/etc")).unwrap();
    fs::create_dir(folder.path().join("patterns")).unwrap();
    let files = ["run.log", "root/etc/hostname", "patterns/own.toml"];
    for file in files {
        fs::write(folder.path().join(file), "").unwrap();
    }
    for line in [
        "run -o run.log --log run.log -- true",
        "check -o root/etc/hostname --root root",
        "report -o root/etc/hostname --root root",
        "-o patterns/own.toml --patterns patterns dmesg.txt",
        "patterns explain vram-lost -o patterns/own.toml --patterns patterns dmesg.txt",
        "diff -o dmesg.txt dmesg.txt run.log",
        "diff -o root/etc/hostname root dmesg.txt",
        "follow --cursor-file run.log run.log",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = run(folder.path(), &arguments);
        assert_eq!(output.status, 2, "{line}: {}", output.stderr);
        assert!(output.stderr.contains("it is one of the inputs"), "{line}: {}", output.stderr);
    }
}

/// An existing file is kept if there is no output. The input may be a directory that contains the
/// file.
#[test]
fn no_log_in_a_folder_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    assert_refused(
        &run(folder.path(), &["-o", "dmesg.txt", "."]),
        "cannot write dmesg.txt: it is one of the inputs",
    );
    let log = fs::read(folder.path().join("dmesg.txt")).unwrap();
    assert_eq!(log, Fixture::read(LOG).log);
    assert_eq!(run(folder.path(), &["-o", "report", "."]).status, 1);
    assert_eq!(others(folder.path()), ["report"]);
}

#[test]
fn without_a_report_a_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report");
    fs::write(&path, "of yesterday").unwrap();
    for input in ["nowhere.txt", "empty.txt"] {
        fs::write(folder.path().join("empty.txt"), "").unwrap();
        let output = run(folder.path(), &["-o", "report", input]);
        assert_eq!(output.status, 2, "{}", output.stderr);
        assert_eq!(fs::read_to_string(&path).unwrap(), "of yesterday");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::process::Command;

    use super::*;

    #[test]
    fn nothing_is_written_through_a_link_or_to_a_device() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("victim"), "precious").unwrap();
        symlink("victim", path("link")).unwrap();
        symlink("nowhere", path("dangling")).unwrap();
        for (target, told) in [
            ("link", "cannot write link: it is a symbolic link"),
            ("dangling", "cannot write dangling: it is a symbolic link"),
            ("/dev/null", "cannot write /dev/null: it is not a regular file"),
        ] {
            assert_refused(&run(folder.path(), &["-o", target, "dmesg.txt"]), told);
        }
        // Where it exists, it is a link to standard output.
        if fs::symlink_metadata("/dev/stdout").is_ok() {
            let output = run(folder.path(), &["-o", "/dev/stdout", "dmesg.txt"]);
            assert_refused(&output, "cannot write /dev/stdout: it is a symbolic link");
        }
        assert_eq!(fs::read_to_string(path("victim")).unwrap(), "precious");
        assert!(!path("nowhere").exists());
        // A hard link to the log is the same file.
        fs::hard_link(path("dmesg.txt"), path("again")).unwrap();
        let output = run(folder.path(), &["-o", "again", "dmesg.txt"]);
        assert_refused(&output, "cannot write again: it is one of the inputs");
    }

    /// The permissions of a file written with this umask.
    fn mode(folder: &Path, umask: &str) -> u32 {
        fs::write(folder.join("dmesg.txt"), Fixture::read(LOG).log).unwrap();
        let script = format!("umask {umask}; exec \"$0\" -o report dmesg.txt");
        let program = env!("CARGO_BIN_EXE_amdtriage");
        let mut shell = Command::new("sh");
        let output = child::run(shell.args(["-c", &script, program]).current_dir(folder)).unwrap();
        assert_eq!(output.status.code(), Some(1));
        fs::metadata(folder.join("report")).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_new_file_has_a_new_files_permissions_and_a_replaced_one_its_own() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(mode(folder.path(), "022"), 0o644);
        assert_eq!(mode(folder.path(), "077"), 0o644);
        fs::set_permissions(folder.path().join("report"), PermissionsExt::from_mode(0o640))
            .unwrap();
        assert_eq!(mode(folder.path(), "000"), 0o640);
        fs::remove_file(folder.path().join("report")).unwrap();
        assert_eq!(mode(folder.path(), "077"), 0o600);
    }

    /// If the disk is full, the existing file is kept.
    #[test]
    fn a_report_that_cannot_be_written_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("dmesg.txt"), Fixture::read(LOG).log).unwrap();
        fs::write(folder.path().join("report"), "of yesterday").unwrap();
        // Blocks of 512 or 1024 bytes; the signal for the limit is turned into an error.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --format json -o report dmesg.txt";
        let program = env!("CARGO_BIN_EXE_amdtriage");
        let mut shell = Command::new("sh");
        let shell = shell.args(["-c", script, program]).current_dir(folder.path());
        let output = child::run(shell).unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.starts_with("amdtriage: cannot write report: "), "{told}");
        assert_eq!(fs::read_to_string(folder.path().join("report")).unwrap(), "of yesterday");
        assert_eq!(others(folder.path()), ["report"]);
    }
}

/// The output on a terminal with this width. `script` is part of util-linux.
#[cfg(target_os = "linux")]
fn on_a_terminal(columns: u16, variable: &str, arguments: &[&str]) -> String {
    let program = shell_words::join([env!("CARGO_BIN_EXE_amdtriage")].iter().chain(arguments));
    let output = Command::new("script")
        .args(["--quiet", "--return", "--command"])
        .arg(format!("stty cols {columns} && COLUMNS={variable} {program}"))
        .arg("/dev/null")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().replace("\r\n", "\n")
}

/// The terminal's width takes precedence over `$COLUMNS`.
#[test]
#[cfg(target_os = "linux")]
fn a_text_is_as_wide_as_the_terminal() {
    let arguments = ["explain", "gfx11-mes-hang", "--color", "never", "--no-pager"];
    let piped = |columns: &str| Run::new(arguments).variable("COLUMNS", columns).output().stdout;
    assert_ne!(piped("50"), piped("90"));
    for (columns, variable, want) in [(50, "90", "50"), (90, "50", "90"), (0, "70", "70")] {
        assert_eq!(on_a_terminal(columns, variable, &arguments), piped(want), "{columns}");
    }
    assert_eq!(piped("wide"), piped("80"));
}
