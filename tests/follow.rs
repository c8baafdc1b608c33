//! `follow`: pipes, files, journals, the kernel's ring buffer. The tests wait for expected output
//! for as long as slow machines need, and measure no times.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, LazyLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::common::child::{self, PATIENCE};
use super::common::{Json, Output, Run};

const A: &str = "amdgpu 0000:03:00.0: amdgpu: ";
/// How long to wait for something that must not happen.
const A_MOMENT: Duration = Duration::from_millis(600);

fn line(at: f64, text: &str) -> String {
    format!("[{at:12.6}] {A}{text}\n")
}

const TIMEOUT: &str = "ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
const BEGIN: &str = "GPU reset begin!";

fn done(number: u32) -> String {
    format!("GPU reset({number}) succeeded!")
}

/// A running program.
struct Live {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    messages: Receiver<String>,
}

impl Live {
    fn new(arguments: &[&str]) -> Self {
        Self::with(arguments, &[])
    }

    fn with(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut program = Command::new(env!("CARGO_BIN_EXE_amdtriage"));
        program
            .args(arguments)
            .env("COLUMNS", "80")
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = child::start(&mut program).unwrap();
        let stdin = child.stdin.take();
        let lines = lines_of(child.stdout.take().unwrap());
        let messages = lines_of(child.stderr.take().unwrap());
        Self { child, stdin, lines, messages }
    }

    /// Waits until the existing log was read.
    fn caught_up(&self) {
        while !self.messages.recv_timeout(PATIENCE).unwrap().contains("in the existing lines") {}
    }

    /// Waits for a message with `text`.
    #[track_caller]
    fn hears(&self, text: &str) {
        while !self.messages.recv_timeout(PATIENCE).expect(text).contains(text) {}
    }

    fn say(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
        stdin.flush().unwrap();
    }

    /// Waits for a line with `text`, and returns it.
    #[track_caller]
    fn expect(&self, text: &str) -> String {
        let mut before = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(text) => return line,
                Ok(line) => before.push(line),
                Err(why) => panic!("no {text:?} came ({why}), but:\n{}", before.join("\n")),
            }
        }
    }

    /// All lines within [`A_MOMENT`].
    fn a_moment(&self) -> Vec<String> {
        thread::sleep(A_MOMENT);
        self.lines.try_iter().collect()
    }

    /// Ends the input, and returns the remaining output with the exit status.
    fn end(mut self) -> (Vec<String>, i32) {
        self.stdin = None;
        self.ended()
    }

    /// The output until the program ends, with the exit status.
    fn ended(&mut self) -> (Vec<String>, i32) {
        let rest = child::rest(&self.lines);
        (rest, child::status(&mut self.child).code().unwrap())
    }

    fn signal(&self, name: &str) {
        let status = child::run(Command::new("kill").args([name, &self.child.id().to_string()]))
            .unwrap()
            .status;
        assert!(status.success());
    }
}

/// The lines as they come.
fn lines_of(from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || {
        let mut read = BufReader::new(from).lines().map_while(Result::ok);
        // A test that does not read any more has seen enough.
        let _ = read.try_for_each(|line| sender.send(line));
    });
    lines
}

impl Drop for Live {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn events_come_line_by_line_and_an_incident_is_told_when_it_is_clear_and_when_it_is_over() {
    let mut live = Live::new(&["follow"]);
    live.say("[    1.000000] usb 1-1: new device\n");
    live.say(&line(10.0, TIMEOUT));
    let told = live.expect("ring-timeout");
    assert!(told.starts_with("   10.000000  0000:03:00.0  ring-timeout "), "{told}");
    live.say(&line(10.5, BEGIN));
    live.expect("reset-begin");
    live.expect("INCIDENT 1, STILL OPEN");
    live.say(&line(12.0, &done(1)));
    live.expect("reset-succeeded");
    // Its end follows from the log's clock, before the wall clock shows it.
    live.say("[   60.000000] usb 1-1: new device\n");
    live.expect("INCIDENT 1, OVER");
    live.expect("If it happens again");
    live.say(&line(90.0, TIMEOUT));
    live.expect("ring-timeout");
    let (rest, status) = live.end();
    assert_eq!(status, 1);
    assert!(rest.iter().any(|line| line.starts_with("INCIDENT 2, OVER")), "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains("INCIDENT 1")), "told once: {rest:?}");
}

/// `dmesg -w | amdtriage`, without options.
#[test]
fn a_pipe_that_stays_open_is_followed_and_ends_with_the_report() {
    let mut live = Live::new(&[]);
    live.say(&line(10.0, TIMEOUT));
    live.expect("ring-timeout");
    live.say(&[line(10.5, BEGIN), line(12.0, &done(1))].concat());
    live.expect("reset-succeeded");
    let (rest, status) = live.end();
    assert_eq!(status, 1);
    let reports = rest.iter().filter(|line| line.starts_with("-v: details")).count();
    assert_eq!(reports, 1, "{rest:?}");
    assert!(rest.last().is_some_and(|line| line.starts_with("-v: details")), "{rest:?}");
}

/// A fault of several lines is one event, which is reported again when it has grown.
#[test]
fn an_event_that_grows_is_told_again() {
    let mut live = Live::new(&["follow", "--format", "ndjson"]);
    live.say(&line(10.0, "[gfxhub] page fault (src_id:0 ring:24 vmid:3 pasid:32770)"));
    let first = live.expect("page-fault");
    assert!(first.starts_with("{\"type\":\"event\",\"again\":false,"), "{first}");
    live.say(&line(
        10.000_01,
        "  in page starting at address 0x0000000000201000 from client 0x1b (UTCL2)",
    ));
    let more = live.expect("\"again\":true");
    assert!(more.contains("0x0000000000201000"), "{more}");
    drop(live.end());
}

#[test]
fn what_is_written_for_programs_is_as_the_schema_says() {
    let text = [line(10.0, TIMEOUT), line(10.5, BEGIN), line(12.0, &done(1))].concat();
    let Output { stdout, status, .. } =
        Run::new(["follow", "--format", "ndjson"]).input(text).output();
    assert_eq!(status, 1);
    let kinds: Vec<bool> =
        stdout.lines().map(|line| line.starts_with("{\"type\":\"event\"")).collect();
    assert_eq!(kinds, [true, true, true, false], "{stdout}");
    assert!(stdout.contains("{\"type\":\"incident\",\"state\":\"closed\",\"id\":1,"), "{stdout}");
    assert!(stdout.contains("\"outcome\":\"recovered\""), "{stdout}");
}

#[test]
fn what_only_repeats_is_counted() {
    let again = [10.0, 10.1, 10.2, 10.3].map(|at| line(at, TIMEOUT) + &line(at, BEGIN)).concat();
    let text = again + &line(12.0, &done(1)) + &line(80.0, TIMEOUT) + &line(80.5, BEGIN);
    let Output { stdout, .. } = Run::new(["follow"]).input(text).output();
    let lines: Vec<&str> = stdout.lines().collect();
    let events = |kind: &str| lines.iter().filter(|line| line.contains(kind)).count();
    assert_eq!((events(" ring-timeout "), events(" reset-begin ")), (3, 3), "{stdout}");
    let counted = lines.iter().filter(|line| line.contains("  3 more: ")).count();
    assert_eq!(counted, 2, "{stdout}");
}

#[test]
fn a_healthy_log_tells_nothing() {
    let text = fs::read("fixtures/quiet/desktop-navi31.log").unwrap();
    let output = Run::new(["follow"]).input(text).output();
    assert_eq!((output.status, output.stdout.as_str()), (0, ""));
    assert_eq!(output.stderr, "amdtriage: following standard input\n");
}

fn append(path: &Path, text: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
}

#[test]
fn a_file_is_followed_through_its_rotations() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kern.log");
    append(&path, &[line(5.0, TIMEOUT), line(5.5, BEGIN), line(6.0, &done(1))].concat());
    append(&path, "[   50.000000] usb 1-1: new device\n");
    let live = Live::new(&["follow", path.to_str().unwrap()]);
    live.caught_up();
    // Existing lines are not reported.
    assert_eq!(live.a_moment(), [""; 0]);
    append(&path, &line(100.0, TIMEOUT));
    live.expect("  100.000000");
    // An incomplete line is held back.
    let half = line(101.0, BEGIN);
    append(&path, &half[..40]);
    assert!(!live.a_moment().iter().any(|line| line.contains("reset-begin")));
    append(&path, &half[40..]);
    live.expect("reset-begin");
    fs::rename(&path, folder.path().join("kern.log.1")).unwrap();
    append(&folder.path().join("kern.log.1"), &line(102.0, "MODE1 reset"));
    live.expect("  102.000000");
    append(&path, &line(103.0, &done(2)));
    live.expect("  103.000000");
    // Log rotation with copytruncate.
    File::create(&path).unwrap();
    // The file must be shorter than before, because nothing else shows the truncation.
    append(&path, &line(200.0, "MODE1 reset"));
    live.expect("  200.000000");
    live.signal("-TERM");
}

/// The time since the last existing line counts.
#[test]
fn what_was_over_long_ago_is_not_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kern.log");
    append(&path, &[line(5.0, TIMEOUT), line(5.5, BEGIN), line(6.0, &done(1))].concat());
    let file = OpenOptions::new().append(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(3600)).unwrap();
    let live = Live::new(&["follow", path.to_str().unwrap()]);
    live.caught_up();
    // It would end 5 s after its last line.
    thread::sleep(Duration::from_secs(7));
    live.signal("-TERM");
    assert_eq!(child::rest(&live.lines), [""; 0]);
}

/// A FIFO has no end to wait for.
#[test]
fn a_pipe_with_a_name_is_followed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    assert!(child::run(Command::new("mkfifo").arg(&path)).unwrap().status.success());
    let live = Live::new(&["follow", path.to_str().unwrap()]);
    let mut pipe = OpenOptions::new().write(true).open(&path).unwrap();
    pipe.write_all(line(10.0, TIMEOUT).as_bytes()).unwrap();
    live.expect("ring-timeout");
}

/// Each of many incidents is reported once when it is over.
#[test]
fn many_incidents_are_told_once_each() {
    let one = |number: u32| {
        let at = f64::from(number) * 20.0;
        [line(at, TIMEOUT), line(at + 0.5, BEGIN), line(at + 1.0, &done(number))].concat()
    };
    let mut live = Live::new(&["follow", "--quiet", "--format", "ndjson"]);
    live.say(&(1..=300).map(one).collect::<String>());
    live.expect("\"id\":299,");
    for at in 0..3 {
        thread::sleep(A_MOMENT / 3);
        live.say(&format!("[{:12.6}] usb 1-1: new device\n", 6500.0 + f64::from(at)));
    }
    live.expect("\"state\":\"closed\",\"id\":300,");
    let (rest, _) = live.end();
    assert_eq!(rest, [""; 0]);
}

#[test]
fn a_signal_ends_it_and_what_is_open_stays_open() {
    let mut live = Live::new(&["follow"]);
    live.say(&[line(10.0, TIMEOUT), line(10.5, BEGIN)].concat());
    live.expect("STILL OPEN");
    live.signal("-INT");
    let (rest, status) = live.ended();
    assert!(!rest.iter().any(|line| line.contains(", OVER")), "{rest:?}");
    assert_eq!(status, 1);
    live.hears("stopped while incident 1 is open");
}

/// What is over, or of a GPU that nobody asked for, is not open.
#[test]
fn only_what_is_open_is_named_at_a_signal() {
    let text = [line(10.0, TIMEOUT), line(10.5, BEGIN), line(12.0, &done(1))].concat();
    let open = [line(100.0, TIMEOUT), line(100.5, BEGIN)].concat();
    let other = open.replace("0000:03:00.0", "0000:83:00.0");
    for (device, named) in [("0000:83:00.0", "incident 2 is"), ("0000:03:00.0", "incident 3 is")] {
        let mut live = Live::new(&["follow", "--device", device, "--format", "ndjson"]);
        live.say(&[text.as_str(), &other, &open].concat());
        live.expect("\"state\":\"open\"");
        live.signal("-TERM");
        let (rest, _) = live.ended();
        let notice = format!("{{\"type\":\"notice\",\"text\":\"stopped while {named} open\"}}");
        assert!(rest.contains(&notice), "{rest:?}");
    }
}

/// Its conclusions may still change, but nobody would hear of it otherwise.
#[test]
fn a_failure_just_before_a_signal_is_told() {
    let mut live = Live::new(&["follow", "--format", "ndjson"]);
    live.say(&line(10.0, TIMEOUT));
    live.expect(TIMEOUT);
    live.signal("-TERM");
    let (rest, status) = live.ended();
    assert_eq!(status, 1);
    assert!(rest.iter().any(|line| line.contains(r#""state":"open""#)), "{rest:?}");
}

/// Machines that boot at the same time are not one that changes its name.
#[test]
fn the_machine_is_named_also_if_many_boot_together() {
    let host = |number: usize| format!("node{number:05}");
    let written =
        |number| format!("Mar  4 10:00:00 {} kernel: {}", host(number), line(100.0, TIMEOUT));
    let log: String = (0..70).map(written).collect();
    let mut live = Live::new(&["follow", "--quiet"]);
    live.say(&log);
    let (lines, _) = live.end();
    for number in 0..64 {
        let heading = format!("({})", host(number));
        assert!(lines.iter().any(|line| line.contains(&heading)), "{heading} in {lines:?}");
    }
    let told = Run::new(["follow", "--format", "ndjson"]).input(log).output();
    let notice = |line: &&str| line.contains(r#""type":"notice""#) && line.contains("machines");
    assert_eq!(told.stdout.lines().filter(notice).count(), 1, "{}", told.stdout);
}

#[test]
fn a_closed_pipe_ends_it_quietly() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_amdtriage"));
    program
        .args(["follow", "--all"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = child::start(&mut program).unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(line(10.0, TIMEOUT).as_bytes()).unwrap();
    drop(stdin);
    let output = child::end(child);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stderr, b"amdtriage: following standard input\n");
}

#[test]
fn a_command_is_run_with_the_news() {
    let folder = tempfile::tempdir().unwrap();
    for (on, want) in [("event", 3), ("incident", 1)] {
        let path = folder.path().join(on);
        let command = format!("tee -a '{}'", path.display());
        let text = [line(10.0, TIMEOUT), line(10.5, BEGIN), line(12.0, &done(1))].concat();
        let arguments = ["follow", "--quiet", "--exec", &command, "--on", on];
        let path_variable = std::env::var("PATH").unwrap();
        Run::new(arguments).input(text).variable("PATH", &path_variable).output();
        let got = fs::read_to_string(&path).unwrap();
        assert_eq!(got.lines().count(), want, "{got}");
        assert!(got.lines().all(|line| line.starts_with("{\"type\":\"")), "{got}");
    }
}

/// A hook learns that a GPU did not recover after all.
#[test]
fn a_command_is_run_again_if_more_is_known_of_what_was_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("news");
    let command = format!("tee -a '{}'", path.display());
    let mut live = Live::new(&["follow", "--exec", &command]);
    live.say(&[line(10.0, TIMEOUT), line(10.5, BEGIN), line(12.0, &done(1))].concat());
    live.say("[   50.000000] usb 1-1: new device\n");
    live.expect("INCIDENT 1, OVER:");
    live.say("[   60.000000] [drm:x [amdgpu]] *ERROR* Failed to initialize parser -125!\n");
    live.expect("INCIDENT 1, OVER, MORE IS KNOWN:");
    drop(live.end());
    let got = fs::read_to_string(&path).unwrap();
    let states: Vec<&str> = got.lines().filter_map(|line| line.split('"').nth(7)).collect();
    assert_eq!(states, ["closed", "revised"], "{got}");
}

/// A machine that is switched off with a hung GPU raises an alarm first.
#[test]
fn a_command_is_run_for_what_is_open_at_a_signal() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("news");
    let command = format!("tee -a '{}'", path.display());
    let mut live = Live::new(&["follow", "--quiet", "--exec", &command]);
    live.say(&[line(10.0, TIMEOUT), line(10.5, BEGIN)].concat());
    live.expect("STILL OPEN");
    assert!(!path.exists());
    live.signal("-TERM");
    assert_eq!(live.ended().1, 1);
    let got = fs::read_to_string(&path).unwrap();
    assert!(got.starts_with(r#"{"type":"incident","state":"open","id":1,"#), "{got}");
    assert_eq!(got.lines().count(), 1, "{got}");
}

/// SIGHUP loads added patterns; one with a mistake changes nothing.
#[test]
fn a_hangup_loads_the_patterns_again() {
    let folder = tempfile::tempdir().unwrap();
    let add = |word: &str, event: &str| {
        let text = format!(
            "[[message]]\nid = \"own-{word}\"\nevent = \"{event}\"\nfrom = [\"amdgpu\"]\n\
             format = \"{word} %{{ring:s}}\"\nmeans = \"Own\"\nsource = \"a program\"\nsample = [\"{word} gfx\"]\n"
        );
        fs::write(folder.path().join(format!("{word}.toml")), text).unwrap();
    };
    add("first", "ring-timeout");
    let mut live = Live::new(&["follow", "--patterns", folder.path().to_str().unwrap()]);
    live.say(&line(5.0, "second gfx"));
    live.say(&[line(10.0, TIMEOUT), line(10.5, BEGIN)].concat());
    live.expect("INCIDENT 1, STILL OPEN");
    add("second", "soft-recovered");
    live.signal("-HUP");
    live.hears("the patterns were loaded again");
    live.say(&line(11.0, "second gfx"));
    live.expect("   11.000000");
    add("third", "no-such-event");
    live.signal("-HUP");
    live.hears("third.toml");
    live.hears("going on with the patterns that were loaded before");
    live.say(&line(12.0, &done(1)));
    live.say("[   60.000000] usb 1-1: new device\n");
    live.expect("INCIDENT 1, OVER");
    live.signal("-TERM");
    assert_eq!(live.ended().1, 1);
}

/// A monitor that does not start again after a reboot watches nothing.
#[test]
fn a_broken_pattern_file_of_the_machine_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let patterns = folder.path().join("amdtriage/patterns");
    fs::create_dir_all(&patterns).unwrap();
    let own = "[[message]]\nid = \"own\"\nevent = \"ring-timeout\"\nfrom = [\"amdgpu\"]\n\
               format = \"own %{ring:s}\"\nmeans = \"Own\"\nsource = \"a program\"\nsample = [\"own gfx\"]\n";
    fs::write(patterns.join("good.toml"), own).unwrap();
    fs::write(patterns.join("broken.toml"), "id = [").unwrap();
    symlink("/nowhere", patterns.join("dangling.toml")).unwrap();
    let run = |arguments: &[&str]| {
        let run = Run::new(arguments.iter().copied()).input(line(5.0, "own gfx"));
        run.variable("XDG_CONFIG_HOME", folder.path().to_str().unwrap()).output()
    };
    let output = run(&["follow", "--format", "ndjson"]);
    assert_eq!(output.status, 1, "{}", output.stderr);
    for name in ["broken.toml", "dangling.toml"] {
        assert!(output.stderr.contains(name), "{}", output.stderr);
        let is_it = |line: &str| line.starts_with("{\"type\":\"notice\"") && line.contains(name);
        assert!(output.stdout.lines().any(is_it), "{}", output.stdout);
    }
    assert!(output.stdout.contains("\"message\":\"own\""), "{}", output.stdout);
    // Somebody waits for the answer of another command.
    assert_eq!(run(&["events"]).status, 2);
    let asked = ["follow", "--patterns", patterns.to_str().unwrap()];
    let output = Run::new(asked).input("").output();
    assert_eq!(output.status, 2, "{}", output.stdout);
}

/// A failing hook is reported at once to people and programs.
#[test]
fn a_command_that_fails_is_told() {
    let text = [line(10.0, TIMEOUT), line(10.5, BEGIN), line(12.0, &done(1))];
    let text = text.map(|line| format!("Mar  4 10:00:00 node1 kernel: {line}")).concat();
    let path_variable = std::env::var("PATH").unwrap();
    for (command, told) in
        [("false", "exit status: 1"), ("sleep 60", "killed after 1 s (--exec-timeout)")]
    {
        let arguments = ["follow", "--format", "ndjson", "--exec", command, "--exec-timeout", "1"];
        let run = Run::new(arguments).input(text.clone()).variable("PATH", &path_variable);
        let output = run.output();
        let said = format!("amdtriage: --exec: incident 1 (node1): {told}");
        assert!(output.stderr.contains(&said), "{}", output.stderr);
        let object = format!(
            "{{\"type\":\"hook\",\"incident\":1,\"host\":\"node1\",\"command\":\"{command}\",\"error\":\"{told}\"}}\n"
        );
        assert!(output.stdout.contains(&object), "{}", output.stdout);
    }
}

#[test]
fn a_service_manager_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let live = Live::with(&["follow"], &[("NOTIFY_SOCKET", path.to_str().unwrap())]);
    let heard = || {
        let mut text = [0; 256];
        let count = socket.recv(&mut text).unwrap();
        String::from_utf8_lossy(&text[..count]).into_owned()
    };
    assert_eq!(heard(), "READY=1");
    drop(live.end());
    assert_eq!(heard(), "STOPPING=1");
}

/// Only if the test may read it; its content is private.
#[test]
fn the_ring_buffer_is_followed_where_it_may_be_read() {
    if File::open("/dev/kmsg").is_err() {
        return;
    }
    let live = Live::new(&["follow", "--this-machine", "--format", "ndjson"]);
    live.caught_up();
    assert_eq!(live.a_moment(), [""; 0], "what is there is not told");
    live.signal("-TERM");
    assert_eq!(child::rest(&live.lines), [""; 0]);
}

/// A run that was ended continues in the files of a log, whatever happened to them meanwhile.
mod cursor_of_files {
    use super::*;

    /// A log and its cursor file.
    struct Place {
        folder: tempfile::TempDir,
        log: PathBuf,
        cursor: PathBuf,
    }

    impl Place {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let [log, cursor] = ["kern.log", "cursor"].map(|name| folder.path().join(name));
            append(&log, "[    1.000000] Linux version 6.8.0-90-generic (a@b) (gcc) #91\n");
            append(&log, &line(5.0, "SMU is initialized successfully!"));
            Self { folder, log, cursor }
        }

        fn follow(&self) -> Live {
            self.follow_as("human")
        }

        fn follow_as(&self, format: &str) -> Live {
            let [log, cursor] = [&self.log, &self.cursor].map(|path| path.to_str().unwrap());
            Live::new(&["follow", log, "--cursor-file", cursor, "--format", format])
        }

        /// The state after the run was killed during an incident.
        fn left_in_an_incident(&self) {
            let mut live = self.follow();
            live.caught_up();
            append(&self.log, &[line(100.0, TIMEOUT), line(100.5, BEGIN)].concat());
            live.expect("reset-begin");
            live.expect("INCIDENT 1, STILL OPEN");
            thread::sleep(A_MOMENT);
            assert!(fs::read_to_string(&self.cursor).unwrap().contains("\"offset\""));
            live.child.kill().unwrap();
        }

        fn rotate(&self, number: u32) {
            for number in (0..number).rev() {
                let name = |number| match number {
                    0 => self.log.clone(),
                    _ => self.folder.path().join(format!("kern.log.{number}")),
                };
                fs::rename(name(number), name(number + 1)).unwrap();
            }
        }

        fn append(&self, text: &[String]) {
            append(&self.log, &text.concat());
        }

        /// The rest of an open incident is reported, and nothing twice.
        fn tells_the_rest(&self, incidents: u32) {
            let live = self.follow();
            let first = live.lines.recv_timeout(PATIENCE).unwrap();
            assert!(first.starts_with("  101.000000"), "the rest of what was begun: {first}");
            for number in 1..=incidents {
                live.expect(&format!("INCIDENT {number}, OVER"));
            }
            thread::sleep(A_MOMENT);
            live.signal("-TERM");
            drop(live);
            let live = self.follow();
            live.caught_up();
            assert_eq!(live.a_moment(), [""; 0], "nothing is told twice");
            assert!(!live.messages.try_iter().any(|said| said.contains("lost")));
        }
    }

    /// Writes lines without a pause, some of them the driver's, until told to stop; returns the
    /// times of these.
    fn storm(path: &Path, is_over: Arc<AtomicBool>) -> thread::JoinHandle<Vec<String>> {
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        let begun = Instant::now();
        thread::spawn(move || {
            let mut times = Vec::new();
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let at = 100.0 + begun.elapsed().as_secs_f64();
                let mut lines = format!("[{at:12.6}] usb 1-1: new device\n").repeat(20);
                if number % 25 == 0 {
                    times.push(format!("{at:.6}"));
                    lines += &match number / 25 % 3 {
                        0 => line(at, TIMEOUT),
                        1 => line(at, BEGIN),
                        _ => line(at, &done(number)),
                    };
                }
                file.write_all(lines.as_bytes()).unwrap();
                thread::sleep(Duration::from_millis(1));
            }
            times
        })
    }

    /// The time of an event of the storm.
    fn time(line: &str) -> Option<String> {
        let object = Json::read(line).ok().filter(|object| object["type"].text() == "event")?;
        let seconds = object["time"]["monotonic_us"].number() / 1e6;
        (seconds >= 100.0).then(|| format!("{seconds:.6}"))
    }

    /// Without pauses the position cannot be saved after every line. Nothing is lost, and only the
    /// last second (three seconds on a busy machine) is reported again.
    #[test]
    fn a_run_that_is_killed_in_a_storm_repeats_little() {
        let place = Place::new();
        place.follow().caught_up();
        let is_over = Arc::new(AtomicBool::new(false));
        let mut told = BTreeSet::new();
        let mut live = place.follow_as("ndjson");
        live.caught_up();
        let storm = storm(&place.log, Arc::clone(&is_over));
        for _ in 0..2 {
            let begun = Instant::now();
            let mut last = String::new();
            while begun.elapsed() < Duration::from_secs(5) {
                last = live
                    .lines
                    .recv_timeout(PATIENCE)
                    .ok()
                    .as_deref()
                    .and_then(time)
                    .unwrap_or(last);
                told.extend((!last.is_empty()).then(|| last.clone()));
            }
            live.child.kill().unwrap();
            told.extend(child::rest(&live.lines).iter().filter_map(|line| time(line)));
            let last: f64 = told.last().unwrap().parse().unwrap();
            live = place.follow_as("ndjson");
            let again = loop {
                if let Some(time) = time(&live.lines.recv_timeout(PATIENCE).unwrap()) {
                    break time;
                }
            };
            let repeated = last - again.parse::<f64>().unwrap();
            assert!(repeated < 3.0, "{repeated} s are told again");
            told.insert(again);
        }
        is_over.store(true, Ordering::Relaxed);
        let times = storm.join().unwrap();
        while told.last() != times.last() {
            told.extend(time(&live.lines.recv_timeout(PATIENCE).unwrap()));
        }
        assert_eq!(times.into_iter().collect::<BTreeSet<_>>(), told);
    }

    fn later() -> String {
        "[  300.000000] usb 1-1: new device\n".to_owned()
    }

    #[test]
    fn a_run_that_is_killed_goes_on_where_it_was() {
        let place = Place::new();
        place.left_in_an_incident();
        place.append(&[line(101.0, &done(1)), line(200.0, TIMEOUT), line(200.5, BEGIN)]);
        place.append(&[line(201.0, &done(2)), later()]);
        place.tells_the_rest(2);
    }

    #[test]
    fn it_goes_on_in_files_that_were_rotated_meanwhile() {
        let place = Place::new();
        place.left_in_an_incident();
        place.append(&[line(101.0, &done(1))]);
        place.rotate(1);
        place.append(&[line(200.0, TIMEOUT)]);
        place.rotate(2);
        place.append(&[line(200.5, BEGIN), line(201.0, &done(2)), later()]);
        place.tells_the_rest(2);
    }

    /// The start of an incident is in another file than its end.
    #[test]
    fn an_incident_that_began_before_a_rotation_is_told_when_it_is_over() {
        let place = Place::new();
        let mut live = place.follow();
        live.caught_up();
        place.append(&[line(100.0, TIMEOUT), line(100.5, BEGIN)]);
        live.expect("INCIDENT 1, STILL OPEN");
        place.rotate(1);
        place.append(&[line(100.7, "MODE1 reset")]);
        live.expect("  100.700000");
        thread::sleep(A_MOMENT);
        live.child.kill().unwrap();
        drop(live);
        place.append(&[line(101.0, &done(1)), later()]);
        place.tells_the_rest(1);
    }

    #[test]
    fn it_goes_on_in_a_copy() {
        let place = Place::new();
        place.left_in_an_incident();
        place.append(&[line(101.0, &done(1))]);
        fs::copy(&place.log, place.folder.path().join("kern.log.1")).unwrap();
        OpenOptions::new().write(true).open(&place.log).unwrap().set_len(0).unwrap();
        place.append(&[line(200.0, TIMEOUT), line(200.5, BEGIN), line(201.0, &done(2)), later()]);
        place.tells_the_rest(2);
    }

    #[test]
    fn a_file_that_is_gone_is_told() {
        let place = Place::new();
        place.left_in_an_incident();
        fs::remove_file(&place.log).unwrap();
        place.append(&[line(200.0, TIMEOUT), line(200.5, BEGIN)]);
        let live = place.follow();
        live.expect("  200.000000");
        live.hears("is not there any more");
    }

    #[test]
    fn a_damaged_cursor_file_or_another_ones_is_begun_anew() {
        let journal = r#"{"begin":{"cursor":"a","stored":1},"last":{"cursor":"b","stored":2}}"#;
        for (text, told) in [("{\"fi", "is damaged"), (journal, "belongs to another log")] {
            let place = Place::new();
            fs::write(&place.cursor, text).unwrap();
            let live = place.follow();
            live.hears(told);
            live.caught_up();
            place.append(&[line(100.0, TIMEOUT)]);
            live.expect("  100.000000");
        }
    }
}

/// A journal written by systemd's own program.
mod journal {
    use super::*;

    const WRITER: &str = "/lib/systemd/systemd-journal-remote";
    const BOOT: &str = "0123456789abcdef0123456789abcdef";

    /// The boot time, in microseconds since 1970, such that now is about second 100.
    static BOOTED: LazyLock<f64> = LazyLock::new(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        (now.as_secs_f64() - 105.0) * 1e6
    });

    fn is_missing() -> bool {
        // Installed by .ci/run; without it these tests are skipped.
        !Path::new(WRITER).exists()
    }

    fn entry(at: f64, text: &str) -> String {
        let micros = format!("{:.0}", at * 1e6);
        format!(
            "__REALTIME_TIMESTAMP={:.0}\n__MONOTONIC_TIMESTAMP={micros}\n_BOOT_ID={BOOT}\n\
             _TRANSPORT=kernel\nSYSLOG_FACILITY=0\nSYSLOG_IDENTIFIER=kernel\nPRIORITY=3\n\
             _SOURCE_MONOTONIC_TIMESTAMP={micros}\nMESSAGE={text}\n\n",
            *BOOTED + at * 1e6
        )
    }

    fn store(folder: &Path, entries: &[(f64, String)]) {
        let text: String = entries.iter().map(|(at, text)| entry(*at, text)).collect();
        write_journal(folder, &text);
    }

    fn write_journal(folder: &Path, text: &str) {
        write_journal_file(&folder.join("system.journal"), text);
    }

    fn write_journal_file(path: &Path, text: &str) {
        let mut writer = Command::new(WRITER)
            .args(["--split-mode=none", "-o"])
            .arg(path)
            .arg("-")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        writer.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        assert!(child::end(writer).status.success());
    }

    fn ours(at: f64, text: &str) -> (f64, String) {
        (at, format!("{A}{text}"))
    }

    /// The last report may be from the previous boot.
    #[test]
    fn a_boot_that_ended_meanwhile_is_told() {
        if is_missing() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        fs::create_dir(&journal).unwrap();
        let cursor = folder.path().join("cursor");
        let banner = |at| (at, "Linux version 6.8.0-90-generic (a@b) (gcc) #91".to_owned());
        store(&journal, &[banner(1.0), ours(5.0, "SMU is initialized successfully!")]);
        let arguments =
            ["follow", journal.to_str().unwrap(), "--cursor-file", cursor.to_str().unwrap()];
        let live = Live::new(&arguments);
        live.caught_up();
        (0..600).take_while(|_| !cursor.exists()).for_each(|_| thread::sleep(PATIENCE / 600));
        drop(live);
        store(&journal, &[ours(100.0, TIMEOUT), ours(100.5, BEGIN)]);
        let next = "fedcba9876543210fedcba9876543210";
        let text = entry(500.0, &banner(1.0).1).replace(BOOT, next);
        write_journal(&journal, &text.replace("TIMESTAMP=500000000\n", "TIMESTAMP=1000000\n"));
        let live = Live::new(&arguments);
        live.expect("reset-begin");
        live.expect("INCIDENT 1, OVER");
        live.expect("never");
    }

    /// A full disk does not end the run.
    #[test]
    fn a_cursor_file_that_cannot_be_written_ends_nothing() {
        if is_missing() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let [journal, places] = ["journal", "places"].map(|name| folder.path().join(name));
        for path in [&journal, &places] {
            fs::create_dir(path).unwrap();
        }
        let cursor = places.join("cursor");
        store(&journal, &[ours(5.0, "SMU is initialized successfully!")]);
        let live = Live::new(&[
            "follow",
            journal.to_str().unwrap(),
            "--cursor-file",
            cursor.to_str().unwrap(),
        ]);
        live.caught_up();
        (0..600).take_while(|_| !cursor.exists()).for_each(|_| thread::sleep(PATIENCE / 600));
        fs::remove_dir_all(&places).unwrap();
        store(&journal, &[ours(100.0, TIMEOUT)]);
        live.expect("ring-timeout");
        let told = live.messages.recv_timeout(PATIENCE).unwrap();
        assert!(told.contains("going on without it, and trying again"), "{told}");
        store(&journal, &[ours(100.5, BEGIN), ours(101.0, &done(1))]);
        live.expect("reset-succeeded");
        assert_eq!(live.messages.try_iter().collect::<Vec<_>>(), [""; 0], "said once");
    }

    /// Journals of several machines.
    #[test]
    fn the_machines_of_a_folder_are_kept_apart() {
        if is_missing() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let of = |machine: u32, at: f64, text: &str| {
            let boot = format!("{machine:032x}");
            let fields = format!("_MACHINE_ID={:032x}\n_HOSTNAME=node{machine}\n", machine + 100);
            let text = entry(at, &format!("{A}{text}")).replace(BOOT, &boot);
            text.replace("_TRANSPORT=", &format!("{fields}_TRANSPORT="))
        };
        let store = |machine: u32, at: f64, text: &str| {
            let path = folder.path().join(format!("remote-{machine}.journal"));
            write_journal_file(&path, &of(machine, at, text));
        };
        store(1, 5.0, "SMU is initialized successfully!");
        store(2, 5.0, "SMU is initialized successfully!");
        let live = Live::new(&["follow", folder.path().to_str().unwrap(), "--format", "ndjson"]);
        live.caught_up();
        store(1, 100.0, TIMEOUT);
        store(2, 101.0, BEGIN);
        store(2, 101.5, &done(1));
        let told = live.expect("\"event\":\"reset-succeeded\"");
        assert!(told.contains("\"host\":\"node2\""), "{told}");
        let hang = live.expect("\"ring-timeout-");
        assert!(hang.contains("\"host\":\"node1\""), "{hang}");
        assert!(
            hang.contains("\"outcome\":\"unknown\""),
            "the reset is of the other machine: {hang}"
        );
    }

    #[test]
    fn a_damaged_cursor_file_is_begun_anew() {
        if is_missing() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        fs::create_dir(&journal).unwrap();
        store(&journal, &[ours(5.0, TIMEOUT)]);
        let cursor = folder.path().join("cursor");
        fs::write(&cursor, "").unwrap();
        let live = Live::new(&[
            "follow",
            journal.to_str().unwrap(),
            "--cursor-file",
            cursor.to_str().unwrap(),
        ]);
        live.hears("is damaged");
        live.caught_up();
    }

    /// After being killed and restarted, it reports each incident once, including those that began
    /// and ended meanwhile.
    #[test]
    fn a_run_that_is_killed_goes_on_where_it_was() {
        if is_missing() {
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal");
        fs::create_dir(&journal).unwrap();
        let cursor = folder.path().join("cursor");
        let banner = (1.0, "Linux version 6.8.0-90-generic (a@b) (gcc) #91".to_owned());
        store(&journal, &[banner, ours(5.0, "SMU is initialized successfully!")]);
        let arguments =
            ["follow", journal.to_str().unwrap(), "--cursor-file", cursor.to_str().unwrap()];
        let mut live = Live::new(&arguments);
        // It is running once it has saved its position.
        (0..600).take_while(|_| !cursor.exists()).for_each(|_| thread::sleep(PATIENCE / 600));
        store(&journal, &[ours(100.0, TIMEOUT), ours(100.5, BEGIN)]);
        live.expect("reset-begin");
        live.expect("INCIDENT 1, STILL OPEN");
        thread::sleep(A_MOMENT);
        live.child.kill().unwrap();
        drop(live);
        let meanwhile = [
            ours(101.0, &done(1)),
            ours(200.0, TIMEOUT),
            ours(200.5, BEGIN),
            ours(201.0, &done(2)),
            (300.0, "usb 1-1: new device".to_owned()),
        ];
        store(&journal, &meanwhile);
        let live = Live::new(&arguments);
        let first = live.lines.recv_timeout(PATIENCE).unwrap();
        assert!(first.starts_with("  101.000000"), "the rest of what was begun: {first}");
        live.expect("INCIDENT 1, OVER");
        live.expect("INCIDENT 2, OVER");
        thread::sleep(A_MOMENT);
        live.signal("-TERM");
        drop(live);
        let live = Live::new(&arguments);
        thread::sleep(A_MOMENT);
        assert_eq!(live.a_moment(), [""; 0], "nothing is told twice");
    }
}

#[test]
fn a_unit_starts_this_program() {
    let output = Run::new(["follow", "--print-unit"]).output();
    // A clone in a directory of a user builds a program that a service does not see.
    let of_users = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"];
    if of_users.iter().any(|folder| env!("CARGO_BIN_EXE_amdtriage").starts_with(folder)) {
        assert_eq!(output.status, 2, "{}", output.stdout);
        assert!(output.stderr.contains("a service does not see the directories of users"));
        return;
    }
    assert_eq!((output.status, output.stderr.as_str()), (0, ""));
    let start = format!("ExecStart={} follow --this-machine ", env!("CARGO_BIN_EXE_amdtriage"));
    assert!(output.stdout.contains(&start), "{}", output.stdout);
    // systemd's own check of the unit, if installed.
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("amdtriage-test.service");
    fs::write(&unit, &output.stdout).unwrap();
    let Ok(verified) = child::run(Command::new("systemd-analyze").arg("verify").arg(&unit)) else {
        return;
    };
    let said = String::from_utf8_lossy(&verified.stderr);
    // The manual need not be installed here.
    let wrong =
        said.lines().find(|line| line.contains("amdtriage-test") && !line.contains("'man "));
    assert_eq!(wrong, None);
    let offline = ["security", "--offline=true", "--threshold=20"];
    let judged = child::run(Command::new("systemd-analyze").args(offline).arg(&unit)).unwrap();
    assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
}

#[test]
fn what_cannot_be_followed_is_refused() {
    for (arguments, told) in [
        (
            &["follow", "/nowhere/kern.log"][..],
            "cannot read /nowhere/kern.log: no such file or directory",
        ),
        (&["follow", "--exec", "'open"], "cannot run `'open`: not a command line"),
        (&["follow", "--exec", "no-such-program"], "cannot run `no-such-program`: no such program"),
        (
            &["follow", "--cursor-file", "/tmp/none"],
            "--cursor-file needs a journal or a file, and standard input is neither",
        ),
    ] {
        let output = Run::new(arguments).output();
        assert_eq!((output.status, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(told), "{}", output.stderr);
    }
}
