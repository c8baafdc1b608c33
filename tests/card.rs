//! The first screen: 24 lines of 80 or 40 columns with the prompt, quoted lines of the log, and something
//! to do.

use super::common::{Fixture, Run, none};
use super::contradictions::{flat, logs};

/// The height of a terminal, without a line for the prompt.
const LINES: usize = 23;

/// Logs whose first screen is higher than a terminal of 40 columns: those with a table of several
/// GPUs or incidents, or with more than one thing to do now.
const HIGH_AT_40: [&str; 8] = [
    "reports/eight-gpus.log",
    "reports/five-incidents.log",
    "signatures/mes-misc-timeout/hit-series-before-a-hang.log",
    "signatures/ring-reset-escalation/hit-mes-and-pipe.log",
    "signatures/ring-timeout-reset/hit-mes-silent-in-its-recovery.log",
    "signatures/runpm-resume-failure/hit-two-accelerators.log",
    "signatures/state-saved-alone/miss-before-a-fault.log",
    "signatures/user-memory-refused/hit-read-only.log",
];

fn wide(line: &str) -> usize {
    line.chars().count()
}

/// Problems of the first screen of a log.
fn of_card(name: &str, log: &[u8]) -> Vec<String> {
    let output = Run::json(log).output();
    // There is no report on an input that is not a log.
    if output.stdout.is_empty() {
        return Vec::new();
    }
    let failed = !output.json()["incidents"].list().is_empty();
    let at = |columns: usize| {
        let run = Run::human(log).variable("COLUMNS", &columns.to_string());
        (columns, run.output().stdout)
    };
    let (_, card) = at(80);
    if !failed && !card.starts_with("PROBLEM") {
        return Vec::new();
    }
    let mut wrong: Vec<String> = [(80, card.clone()), at(40)]
        .iter()
        .flat_map(|(at, card)| of_size(name, *at, card))
        .collect();
    // Lines in another character set or a wrapped paste differ from the file.
    let plain = !["formats/", "hostile/"].iter().any(|folder| name.contains(folder));
    if plain && failed && !quotes(&card, log) {
        wrong.push(format!("{name}: no line is quoted:\n{card}"));
    }
    wrong
}

/// Problems of a first screen with this number of columns.
fn of_size(name: &str, columns: usize, card: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let lines = card.lines().count();
    let is_known = columns == 40 && HIGH_AT_40.contains(&name);
    if (lines > LINES) != is_known {
        wrong.push(format!("{name}: {lines} lines at {columns} columns"));
    }
    let too_wide = card.lines().filter(|line| wide(line) > columns);
    wrong.extend(too_wide.map(|line| format!("{name}: {} columns: {line}", wide(line))));
    let steps = card.lines().any(|line| line.starts_with("  1  ") || line.starts_with("Try  "));
    if !steps {
        wrong.push(format!("{name}: nothing to try at {columns} columns:\n{card}"));
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
        let found = words.iter().filter(|word| near.contains(**word)).count();
        // A step of a call trace is one word.
        found > 1 || (found == 1 && words.len() == 1)
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

/// A card as its words, without line ends.
fn words_of(log: &str) -> String {
    let card = Run::human(log).output().stdout;
    card.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_process_is_named_and_with_the_desktop_the_session_ends() {
    let hang = |process: &str| {
        words_of(&format!(
            "[  400.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3\n\
             [  400.000010] amdgpu 0000:03:00.0: amdgpu:  Process {process} thread x:cs0 pid 12\n\
             [  400.000020] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"
        ))
    };
    let game = hang("game.exe pid 4711");
    assert!(game.contains("work of game.exe (pid 4711), not necessarily at fault"), "{game}");
    let sway = hang("sway pid 9");
    assert!(sway.contains("work of sway (pid 9), the desktop: if that crashes"), "{sway}");
    assert!(!hang(" pid 0").contains("was running work"));
}

/// Of equally severe incidents the one whose reset has no end leads, and a recovery ends an incident.
#[test]
fn what_is_not_over_is_worse_than_what_recovered() {
    let card = words_of(
        "[  400.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx timeout, signaled seq=1, emitted seq=3\n\
         [  400.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n\
         [  401.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n\
         [  425.000000] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Failed to initialize parser -125!\n\
         [  450.000000] amdgpu 0000:03:00.0: amdgpu: ring vce0 timeout, signaled seq=568, emitted seq=570\n\
         [  450.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n",
    );
    assert!(card.starts_with("2 INCIDENTS. WORST: GPU HANG, OUTCOME NOT IN THE LOG"), "{card}");
    assert!(card.contains(" 2. "), "{card}");
}

#[test]
fn a_gpu_without_memory_needs_no_reset() {
    let card = words_of(
        "[  400.000000] [drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!\n",
    );
    assert!(card.starts_with("WARNING: OUT OF MEMORY 6 min"), "{card}");
    assert!(card.contains("The log shows no hang or reset afterwards."), "{card}");
}

/// What is wrong is said once.
#[test]
fn a_problem_is_said_once() {
    let card = words_of(
        "[    2.000000] kfd kfd: amdgpu: skipped device 1002:687f, PCI rejects atomics 731<0\n",
    );
    assert!(card.starts_with("PROBLEM FOUND, NO GPU FAILURE The compute driver"), "{card}");
    assert_eq!(card.matches("atomic operations").count(), 1, "{card}");
}

/// A panic after a failure of the GPU has its reason, and is not blamed on the GPU without one.
#[test]
fn a_panic_is_quoted_with_its_reason() {
    let card = words_of(
        "[    3.200000] [drm] amdgpu kernel modesetting enabled.\n\
         [    3.500000] amdgpu 0000:04:00.0: Direct firmware load for amdgpu/psp_13_0_8_toc.bin failed with error -2\n\
         [    3.523000] [drm:amdgpu_device_ip_init] *ERROR* sw_init of IP block <psp> failed -2\n\
         [    3.538000] amdgpu 0000:04:00.0: amdgpu: Fatal error during GPU init\n\
         [   12.538000] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\n",
    );
    let reason = "(panic, line 5: \"VFS: Unable to mount root fs on unknown-block(0,0)\")";
    assert!(card.contains(reason), "{card}");
    assert!(card.contains("The log does not connect that with the GPU."), "{card}");
    let cause =
        "Cause: the missing firmware file amdgpu/psp_13_0_8_toc.bin (line 2), one of the block psp";
    assert!(card.contains(cause), "{card}");
}

/// Of several GPUs each has a row, and a row is never replaced by a remark of its own size.
#[test]
fn each_gpu_has_a_row() {
    let hang = |at: usize, gpu: &str, ring: &str| {
        format!(
            "[{at}.000000] amdgpu 0000:{gpu}:00.0: amdgpu: ring {ring} timeout, signaled seq=1, emitted seq=3\n\
             [{at}.100000] amdgpu 0000:{gpu}:00.0: amdgpu: GPU reset begin!\n\
             [{at}.900000] amdgpu 0000:{gpu}:00.0: amdgpu: GPU reset({at}) succeeded!\n"
        )
    };
    let rings = ["gfx", "sdma0", "vcn_dec_0", "comp_1.0.0", "vce0", "jpeg_dec_0"];
    let first = rings.iter().enumerate().map(|(at, ring)| hang((at + 1) * 1000, "03", ring));
    let log: String = first.chain([hang(9_000, "0e", "gfx")]).collect();
    let card = Run::human(log).variable("COLUMNS", "40").output().stdout;
    assert!(card.contains("03:00.0") && card.contains("0e:00.0"), "{card}");
    assert!(!card.contains("… 1 more") && !card.contains("…  1 more"), "{card}");
}

/// An incident of lines without a time says so in the table.
#[test]
fn a_row_without_a_time_says_so() {
    let card = words_of(
        "[  400.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx timeout, signaled seq=1, emitted seq=3\n\
         [  401.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n\
         amdgpu 0000:04:00.0: [drm] *ERROR* [CRTC:79:crtc-0] flip_done timed out\n",
    );
    assert!(card.contains("no time in log"), "{card}");
}

/// A later success of another ring is not the result of the recovery that failed.
#[test]
fn a_recovery_that_begins_again_after_a_failed_one_is_not_over() {
    let driver = "amdgpu 0000:06:00.0: amdgpu:";
    let job = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring";
    let log = format!(
        "[  100.000000] {job} gfx timeout, signaled seq=10, emitted seq=12\n\
         [  100.000200] {driver} GPU reset begin!\n\
         [  100.900000] {driver} GPU reset(2) failed\n\
         [  100.900100] {driver} GPU reset end with ret = -110\n\
         [  111.000000] {job} gfx timeout, but soft recovered\n\
         [  150.000000] {job} sdma0 timeout, signaled seq=21, emitted seq=23\n\
         [  150.000200] {driver} GPU reset begin!\n"
    );
    let card = flat(&Run::human(log.clone()).output().stdout);
    assert!(card.starts_with("GPU HANG, RECOVERY FAILED"), "{card}");
    assert!(card.contains("GPU reset(2) failed"), "{card}");
    assert!(card.contains("does not show how the next one ended"), "{card}");
    let succeeded = log.replace("ring gfx timeout, but soft recovered", "x")
        + &format!(
            "[  151.000000] {driver} GPU reset(3) succeeded!\n\
             [  190.000000] {job} sdma0 timeout, signaled seq=31, emitted seq=33\n\
             [  190.000200] {driver} GPU reset begin!\n"
        );
    let card = flat(&Run::human(succeeded).output().stdout);
    assert!(!card.contains("RECOVERY FAILED"), "{card}");
}

/// Restarting what crashed is no advice where it only leads to the next hang.
#[test]
fn what_comes_back_within_minutes_is_not_just_restarted() {
    let hang = |at: u32| {
        let driver = "amdgpu 0000:06:00.0: amdgpu:";
        format!(
            "[  {at}.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx timeout, signaled seq={at}0, emitted seq={at}2\n\
             [  {at}.000200] {driver} GPU reset begin!\n\
             [  {at}.900000] {driver} MODE1 reset\n\
             [  {at}.950000] {driver} GPU reset({at}) succeeded!\n"
        )
    };
    let end = "[  900.000000] usb 1-1: new device\n";
    let card = |log: String| flat(&Run::human(log).output().stdout);
    let again = card([hang(100), hang(300), hang(500), end.to_owned()].concat());
    assert!(again.contains("stop what uses the GPU, or reboot"), "{again}");
    let once = card([hang(100), end.to_owned()].concat());
    assert!(once.contains("Restart what crashed"), "{once}");
}

/// The page of several incidents begins with what to do about the worst one, and expands it alone.
#[test]
fn the_page_of_several_begins_with_the_worst() {
    let fixture =
        Fixture::all("reports").into_iter().find(|one| one.name.contains("five-incidents"));
    let page = Run::new(["--format", "html"]).input(fixture.unwrap().log).output().stdout;
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing:\n{page}"));
    let (now, lines, overview) = (at(">Now</h2>"), at(">Lines of the log"), at(">Overview</h2>"));
    assert!(now < lines && lines < overview, "{page}");
    assert_eq!(page.matches("open=\"\"").count(), 1, "{page}");
    let (_, expanded) = page.split_once("open=\"\"").unwrap();
    assert!(expanded.starts_with("><summary>3. "), "{page}");
}

/// References say more about the same log.
#[test]
fn references_of_a_file_can_be_copied() {
    let folder = tempfile::tempdir().unwrap();
    let log = Fixture::read("signatures/mes-remove-queue-timeout/hit-apu-mode2.log").log;
    std::fs::write(folder.path().join("my log.txt"), log).unwrap();
    let card = |arguments: &[&str]| {
        let run = Run::new(["--color", "never"].iter().chain(arguments));
        run.argument("my log.txt").folder(folder.path()).output().stdout
    };
    let unknown = card(&[]);
    assert!(unknown.contains("amdtriage --distro ubuntu 'my log.txt'"), "{unknown}");
    assert!(unknown.contains("amdtriage report 'my log.txt': bug report"), "{unknown}");
    let any = card(&["--distro", "any"]);
    assert!(any.contains("Commands: amdtriage explain "), "{any}");
    assert!(!any.contains("--distro"), "{any}");
}

/// What a person quotes in a sentence is no line of the kernel, also with the driver's name in it.
#[test]
fn a_quoted_message_with_the_driver_s_name_is_no_line_of_the_log() {
    let card = |text: &str| flat(&Run::human(text).output().stdout);
    let quoted = card("I see `amdgpu: GPU reset(1) failed` sometimes.\n");
    assert!(!quoted.contains("Stated by the kernel"), "{quoted}");
    let line = card("amdgpu 0000:03:00.0: amdgpu: GPU reset(1) failed\n");
    assert!(line.contains("Stated by the kernel"), "{line}");
}

/// What happens before the failure, such as the reset with which the machine goes to sleep, is not its
/// recovery.
#[test]
fn a_reset_before_the_failure_is_not_its_recovery() {
    let test = "[  133.500000] amdgpu 0000:09:00.0: [drm:amdgpu_ib_ring_tests [amdgpu]] *ERROR* IB test failed on gfx_0.0.0 (-110).\n";
    let reset = "[  130.100000] amdgpu 0000:09:00.0: amdgpu: MODE1 reset\n";
    let card = words_of(&format!(
        "[  130.000000] PM: suspend entry (deep)\n{reset}{test}[  133.600000] PM: suspend exit\n"
    ));
    assert!(card.starts_with("GPU SLEEP OR WAKE FAILURE"), "{card}");
    assert!(card.contains("After waking up, the ring gfx_0.0.0 failed its test"), "{card}");
    assert!(!card.contains("began a reset") && !card.contains("MODE1"), "{card}");
    let card = words_of(&format!("{reset}{test}"));
    assert!(!card.contains("began a reset"), "{card}");
}

/// A dump of the GPU's state after a recovery shows that it does not work again.
#[test]
fn a_gpu_that_begins_to_fail_again_is_not_said_to_work() {
    let card = words_of(
        "[ 1201.101500] amdgpu 0000:c4:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1801, emitted seq=1803\n\
         [ 1201.102000] amdgpu 0000:c4:00.0: amdgpu: Starting gfx_0.0.0 ring reset\n\
         [ 1201.302000] amdgpu 0000:c4:00.0: amdgpu: Ring gfx_0.0.0 reset succeeded\n\
         [ 1690.100000] amdgpu 0000:c4:00.0: amdgpu: Dumping IP State\n",
    );
    assert!(card.starts_with("GPU HANG, FAILS AGAIN"), "{card}");
    assert!(card.contains("began to fail again (line 4, 1690.100000)"), "{card}");
    assert!(!card.contains("works again") && !card.contains("Also noted"), "{card}");
}

/// A page fault after which a reset began and did not succeed is a hang for whoever uses the GPU.
#[test]
fn a_hang_after_a_page_fault_leads() {
    let log = |end: &str| {
        words_of(&format!(
            "[   10.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:5 pasid:32818)\n\
             [   10.000001] amdgpu 0000:03:00.0: amdgpu:  in process ffmpeg pid 31056 thread ffmpeg:cs0 pid 31058)\n\
             [   10.000002] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x0000f713c6ee9000 from client 10\n\
             [   20.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1754428, emitted seq=1754430\n\
             [   20.000001] amdgpu 0000:03:00.0: amdgpu: Process information: process firefox pid 2934 thread firefox:cs0 pid 3800\n\
             [   20.000002] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n{end}"
        ))
    };
    let open = log("");
    assert!(open.starts_with("GPU HANG, OUTCOME NOT IN THE LOG"), "{open}");
    assert!(open.contains("Work of firefox on gfx_0.0.0 then did not finish in time"), "{open}");
    assert!(!open.contains("Restart the program that failed"), "{open}");
    let back = log("[   22.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!\n");
    assert!(back.starts_with("GPU PAGE FAULT, RECOVERED"), "{back}");
}

/// The process of a job that hung after a fault did not make that access, and a fault after a hang
/// is not what came first.
#[test]
fn a_fault_without_a_process_is_not_the_waiting_program() {
    const FAULT: &str =
        "amdgpu 0000:0b:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:6 pasid:32780)\n";
    const TIMEOUT: &str = "amdgpu 0000:0b:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=16, emitted seq=18\n\
         [  111.000010] amdgpu 0000:0b:00.0: amdgpu: Process information: process Xorg pid 4823 thread Xorg:cs0 pid 4823\n";
    let card = words_of(&format!("[  100.000000] {FAULT}[  111.000000] {TIMEOUT}"));
    assert!(card.contains("The lines of the fault do not name the program."), "{card}");
    assert!(card.contains("Work of Xorg on gfx_0.0.0 then did not finish in time"), "{card}");
    assert!(!card.contains("running work of Xorg"), "{card}");
    let turned = words_of(&format!("[  111.000000] {TIMEOUT}[  112.000000] {FAULT}"));
    assert!(!turned.contains("then did not finish"), "{turned}");
}

/// Of incidents that are equally bad, the one of which the log says most is shown.
#[test]
fn of_equally_bad_incidents_the_one_with_a_name_is_shown() {
    let card = words_of(
        "[   10.000000] amdgpu 0000:8b:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32770)\n\
         [   10.000001] amdgpu 0000:8b:00.0: amdgpu:   in page starting at address 0x0000000000201000 from IH client 0x1b (UTCL2)\n\
         [   10.000002] amdgpu 0000:88:00.0: amdgpu: [gfxhub0] no-retry page fault (src_id:0 ring:24 vmid:8 pasid:32770, for process python3 pid 856757 thread python3 pid 856757)\n\
         [   10.000003] amdgpu 0000:88:00.0: amdgpu:   in page starting at address 0x0000000000201000 from IH client 0x1b (UTCL2)\n",
    );
    assert!(card.contains("python3 (pid 856757)"), "{card}");
}

/// A request that MES does not answer in the reset, and the driver's function in which a task is stuck.
#[test]
fn the_request_and_the_function_that_are_stuck_are_named() {
    let card = words_of(
        "[   10.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=16060, emitted seq=16062\n\
         [   10.000010] amdgpu 0000:0a:00.0: amdgpu: GPU reset begin!\n\
         [   10.100000] [drm:mes_v11_0_submit_pkt_and_poll_completion.constprop.0 [amdgpu]] *ERROR* MES failed to response msg=3\n",
    );
    assert!(card.contains("(MES) did not respond to REMOVE_QUEUE (line 3)"), "{card}");
    let card = words_of(
        "[  900.000000] INFO: task kworker/12:1H:282917 blocked for more than 120 seconds.\n\
         [  900.000010] Workqueue: events_highpri dm_irq_work_func [amdgpu]\n\
         [  900.000020] Call Trace:\n\
         [  900.000030]  __schedule+0x268/0x680\n\
         [  900.000040]  __mutex_lock.constprop.0+0x309/0x4d0\n\
         [  900.000050]  handle_hpd_irq+0x71/0x160 [amdgpu]\n",
    );
    assert!(card.contains("It is stuck in handle_hpd_irq."), "{card}");
}

/// The cause is not denied where the report names it.
#[test]
fn a_cause_that_is_named_is_the_cause() {
    let card = words_of(
        "[    3.000000] amdgpu 0000:01:00.0: amdgpu: Unable to locate a BIOS ROM\n\
         [    3.000010] amdgpu 0000:01:00.0: amdgpu: Fatal error during GPU init\n\
         [    3.000020] amdgpu 0000:01:00.0: probe with driver amdgpu failed with error -22\n",
    );
    assert!(card.contains("Cause: no video BIOS (line 1)."), "{card}");
    assert!(!card.contains("not in this log"), "{card}");
}

/// What a line says is counted over the incident, whatever stands between its repetitions.
#[test]
fn repetitions_are_counted_over_the_incident() {
    let flip = |time: u32, name: &str| {
        format!("[{time:5}.000000] amdgpu 0000:03:00.0: [drm] *ERROR* {name}flip_done timed out\n")
    };
    let between = ["[CRTC:79:crtc-0] ", "[CONNECTOR:95:DP-1] ", "[PLANE:76:plane-3] "];
    let mut log = flip(100, "");
    for (at, name) in (1_u32..).zip(between) {
        log.push_str(&flip(100 + 10 * at, name));
    }
    log.push_str(&flip(140, ""));
    let card = Run::human(log).output().stdout;
    assert!(
        card.lines()
            .any(|line| line.contains("flip_done timed out") && line.trim_end().ends_with("x2")),
        "{card}"
    );
}

/// A probe that failed is final, also where only a title has the line.
#[test]
fn a_probe_that_failed_is_final() {
    let card =
        words_of("# \"amdgpu: probe of 0000:00:09.0 failed with error -22\" in a guest\n\nHi!\n");
    assert!(card.starts_with("GPU DID NOT START"), "{card}");
}

/// A job is only late if all submitted work has finished when its timeout is reported.
#[test]
fn a_job_that_had_finished_is_late() {
    let card = |emitted: u32| {
        words_of(&format!(
            "[   10.000000] amdgpu 0000:08:00.0: amdgpu: ring gfx_0.1.0 timeout, signaled seq=59268, emitted seq={emitted}\n\
             [   10.000010] amdgpu 0000:08:00.0: amdgpu: Starting gfx_0.1.0 ring reset\n"
        ))
    };
    assert!(card(59268).contains("signaled seq and emitted seq are equal"));
    assert!(!card(59270).contains("are equal"));
}
