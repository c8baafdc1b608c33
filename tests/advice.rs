//! Recommended commands: none that is known to be wrong, and none that the driver does not support.

use std::collections::BTreeSet;

use amdtriage::builtin::patterns;

use super::common::{Fixture, Run, none};
use super::properties::report;

/// Settings in circulation that have no effect or do harm; each was checked in the driver's source.
const WRONG: [(&str, &str); 19] = [
    ("gfxoff=", "there is no such parameter; GFXOFF is a bit of ppfeaturemask"),
    ("gtt_size", "there is no such parameter"),
    ("gttsize", "deprecated; ttm.pages_limit sets what it set"),
    ("vm_fragment_size", "the default is the largest sensible value"),
    ("noretry=0", "it switches retries of faults on, and is no remedy for them"),
    ("amdgpu.mes", "gfx11 and later cannot do without MES, and no code reads it any more"),
    ("reset_method=4", "LINK since 6.16, and refused; BACO before"),
    ("reset_method=5", "never accepted at start"),
    ("ppfeaturemask=0xffffffff", "it switches overdrive on and taints the kernel"),
    ("gpu_recovery=1", "that is what the driver does by itself"),
    ("gpu_recovery=0", "a hang then stays until power-off"),
    ("tmz=0", "not enabled where people set it"),
    ("amdgpu.dpm=0", "without power management the chip is slow and hot, or does not start"),
    ("HSA_OVERRIDE_GFX_VERSION=", "it makes ROCm run code for another chip"),
    ("ROC_ENABLE_PRE_VEGA", "gone from ROCm"),
    ("iommu=off", "devices can then write anywhere"),
    ("mitigations=off", "has nothing to do with GPUs"),
    ("chmod 777", "gives everybody everything"),
    ("| sh", "runs what somebody else may change"),
];

#[test]
fn nobody_is_told_to_set_what_was_found_wrong() {
    let mut told = Vec::new();
    for advice in &patterns().advice {
        for line in advice.commands.iter().flat_map(|one| one.text.lines()) {
            for (wrong, why) in WRONG.iter().filter(|(wrong, _)| line.contains(wrong)) {
                told.push(format!("{}: `{line}` has {wrong}: {why}", advice.id));
            }
        }
        if let Some(sets) = &advice.sets {
            let set = format!("{}={}", sets.parameter, sets.value);
            for (wrong, why) in WRONG.iter().filter(|(wrong, _)| set.contains(wrong)) {
                told.push(format!("{}: sets {wrong}: {why}", advice.id));
            }
        }
    }
    none(&told);
}

#[test]
fn every_parameter_in_a_command_is_one_of_the_driver() {
    let patterns = patterns();
    let mut wrong = Vec::new();
    for advice in &patterns.advice {
        for word in advice.commands.iter().flat_map(|one| one.text.split_whitespace()) {
            let word = word.trim_matches(['"', '\'', '`', ',', '.']);
            let Some((name, _)) = word.strip_prefix("amdgpu.").and_then(|set| set.split_once('='))
            else {
                continue;
            };
            let known = patterns.hardware.parameter(name);
            if known.is_none_or(|parameter| parameter.exists_in(None) == Some(false)) {
                wrong.push(format!("{}: amdgpu.{name}", advice.id));
            }
        }
    }
    none(&wrong);
}

/// Every claim has a source.
#[test]
fn every_claim_says_where_it_comes_from() {
    let patterns = patterns();
    let advice = patterns.advice.iter().filter(|advice| advice.source.len() < 8);
    let advice = advice.map(|advice| format!("advice {}", advice.id));
    let signatures = patterns.signatures.iter().filter(|signature| signature.references.is_empty());
    let signatures = signatures.map(|signature| format!("signature {}", signature.id));
    let messages = patterns.messages.iter().filter(|message| message.source.len() < 4);
    let messages = messages.map(|message| format!("message {}", message.id));
    let wrong: Vec<String> = advice.chain(signatures).chain(messages).collect();
    none(&wrong);
}

/// Advice with a command for one distribution has one for every distribution.
#[test]
fn what_has_a_command_for_one_distribution_has_one_for_each() {
    let families =
        ["apt", "dnf", "pacman", "rpm-ostree", "zypper", "nix", "steamos", "gentoo", "freebsd"];
    let patterns = patterns();
    let ids = patterns.advice.iter().map(|advice| advice.id.as_str());
    let words: Vec<&str> = ["explain", "--format", "json"].into_iter().chain(ids).collect();
    let explained = Run::new(words).output().json();
    let all = explained["explanations"].list().iter();
    let mut missing = Vec::new();
    for advice in all.filter(|one| one.keys().contains(&"commands")) {
        let has = advice["commands"].each("family");
        let some = has.iter().any(|family| *family != "any");
        let lacks = families.iter().filter(|family| some && !has.contains(family));
        missing.extend(lacks.map(|family| format!("{}: {family}", advice["id"].text())));
    }
    none(&missing);
}

/// The first advice is that of the first diagnosis that has any, and the rest is in the order of
/// phases.
#[test]
fn the_first_advice_is_that_of_the_first_diagnosis() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for fixture in Fixture::all("signatures") {
        let report = report(&fixture.log);
        for finding in &report.parts[0].conclusions.findings {
            let shown = finding.actions();
            let heads = finding.diagnoses.iter();
            let mut heads = heads.filter(|one| !one.actions.iter().all(|action| !action.is_new()));
            let Some((head, first)) = heads.next().zip(shown.first()) else { continue };
            seen += 1;
            if head.actions.iter().all(|own| own.advice.id != first.advice.id) {
                wrong.push(format!("{}: {} is not of {}", fixture.name, first.advice.id, head.id));
            }
            let ids: BTreeSet<&str> = shown.iter().map(|one| one.advice.id.as_str()).collect();
            if ids.len() != shown.len() {
                wrong.push(format!("{}: something is advised twice", fixture.name));
            }
            let on = ["Overdrive is enabled", "ppfeaturemask=0xffff"];
            if ids.contains("od-off") && on.iter().all(|on| !fixture.text().contains(on)) {
                wrong.push(format!("{}: od-off without overdrive", fixture.name));
            }
        }
    }
    none(&wrong);
    assert!(seen > 200, "{seen}");
}

const LINES: &str = "\
[  100.000000] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3
[  100.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  102.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset(1) succeeded!
";

/// The commands of a piece of advice after a ring timeout on a kernel of this release.
fn commands(release: &str, words: &[&str]) -> Vec<(String, String)> {
    let text = format!("[    0.000000] Linux version {release} (a@b) (gcc) #1\n{LINES}");
    let args = ["--format", "json", "-"].iter().chain(words).copied();
    let report = Run::new(args).input(text).output().json();
    let incident = &report["incidents"].list()[0];
    let actions = incident["diagnoses"].list()[0]["actions"].list();
    let update = actions.iter().find(|action| action["id"].text() == "kern-update");
    let Some(update) = update else { panic!("no kern-update: {report:?}") };
    let pairs = update["commands"].list().iter();
    pairs.map(|one| (one["family"].text().to_owned(), one["command"].text().to_owned())).collect()
}

#[test]
fn a_log_gets_the_commands_of_its_distribution() {
    let families = |release, words: &[&str]| {
        commands(release, words).into_iter().map(|(family, _)| family).collect::<Vec<_>>()
    };
    assert_eq!(families("6.17.8-300.fc43.x86_64", &[]), ["dnf"]);
    assert_eq!(families("6.17.7-ba25.fc43.x86_64", &[]), ["rpm-ostree"]);
    assert_eq!(families("6.17.9-arch1-1", &[]), ["pacman"]);
    assert!(families("6.17.8", &[]).len() >= 8);
    // An option takes precedence; within its family the log's lines decide.
    assert_eq!(families("6.17.9-arch1-1", &["--distro", "nix"]), ["nix"]);
    assert!(families("6.17.9-arch1-1", &["--distro", "any"]).len() >= 8);
    assert!(families("6.17.9-arch1-1", &["--distro", "apt"]).len() > 1);
    let debian = commands("6.12.48+deb13-amd64", &["--distro", "apt"]);
    assert!(debian.len() == 1 && debian[0].1.contains("backports"), "{debian:?}");
    let tumbleweed = commands("6.17.7-1-default", &[]);
    assert_eq!(tumbleweed, [("zypper".to_owned(), "sudo zypper dup".to_owned())]);
    assert!(families("6.12.58-1-lts", &[]).len() >= 8);
}

const FAULT: &str = "\
[  100.000000] amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8 pasid:32770)
[  100.000100] amdgpu 0000:03:00.0: amdgpu:   in page starting at address 0x00007e5500a00000 from client 10
[  100.000200] amdgpu 0000:03:00.0: amdgpu: GCVM_L2_PROTECTION_FAULT_STATUS:0x00800932
[  100.000300] amdgpu 0000:03:00.0: amdgpu: \t Faulty UTCL2 client ID: CLIENT
";
const RESET: &str = "[  100.100000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";

/// The ids of what is advised after these lines.
fn advised(text: &str) -> Vec<String> {
    let report = Run::new(["--format", "json", "-"]).input(text.to_owned()).output().json();
    let diagnoses = report["incidents"].list()[0]["diagnoses"].list().iter();
    let actions = diagnoses.flat_map(|one| one["actions"].each("id"));
    actions.map(str::to_owned).collect()
}

/// A graphics library is at fault only where a program that draws may be.
#[test]
fn advice_about_mesa_needs_a_program_that_may_draw() {
    let timeout = |ring: &str, process: &str| {
        format!(
            "[  100.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring {ring} timeout, signaled seq=1, emitted seq=3
[  100.000100] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* Process information: process {process}
{RESET}"
        )
    };
    let evicted = "[  100.050000] amdgpu 0000:03:00.0: amdgpu: Failed to evict queue 1\n";
    let unnamed = "[  100.000000] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=1, emitted seq=3\n";
    // Without its first line, a fault has its address space in the status word.
    let (_, cut) = FAULT.split_once('\n').expect("two lines");
    for (text, has) in [
        (timeout("gfx_0.0.0", "game.exe pid 7 thread game:cs0 pid 8"), true),
        (timeout("gfx_0.0.0", " pid 0 thread  pid 0"), true),
        (timeout("sdma0", " pid 0 thread  pid 0"), false),
        (timeout("sdma0", "game.exe pid 7 thread game:cs0 pid 8"), true),
        (timeout("comp_1.0.0", "xmrig pid 7 thread xmrig pid 8"), false),
        (format!("{unnamed}{RESET}"), true),
        (format!("{unnamed}{evicted}{RESET}"), false),
        (cut.to_owned(), false),
    ] {
        let ids = advised(&text);
        assert_eq!(ids.iter().any(|id| id == "mesa-update"), has, "{text}{ids:?}");
    }
}

/// What each log of a kind gets, and what it does not get.
#[test]
fn advice_needs_what_it_is_about() {
    let lost = "[  100.000000] amdgpu 0000:03:00.0: amdgpu: device lost from bus!\n";
    let at_work = format!(
        "[   99.000000] amdgpu 0000:03:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE\n{lost}"
    );
    let flip =
        "[  100.000000] amdgpu 0000:03:00.0: [drm] *ERROR* [CRTC:80:crtc-0] flip_done timed out\n";
    let panel =
        format!("[    2.000000] amdgpu 0000:03:00.0: [drm] Cannot find any crtc for eDP-1\n{flip}");
    let crashed = format!(
        "{RESET}[  100.300000] BUG: unable to handle page fault for address: ffff90cf1c6b1060\n"
    );
    let no_code = |program: &str, path: &str| {
        format!(
            "{program}\nrocBLAS error: Cannot read {path}/TensileLibrary.dat: No such file or directory for GPU arch : gfx1103\n"
        )
    };
    for (text, advice, has) in [
        (lost.to_owned(), "runpm0", true),
        (at_work, "runpm0", false),
        (flip.to_owned(), "psr-off", false),
        (panel, "psr-off", true),
        (RESET.to_owned(), "restart-session", false),
        (crashed, "restart-session", false),
        (no_code("import torch", "/opt/rocm/lib"), "vulkan", false),
        (no_code("llama-server -m model.gguf", "/opt/rocm/lib"), "vulkan", true),
    ] {
        let report = Run::new(["--format", "json", "-"]).input(text.clone()).output().json();
        let incidents = report["incidents"].list().iter();
        let told =
            incidents.flat_map(|one| one["diagnoses"].list()).chain(report["notices"].list());
        let ids: Vec<&str> = told.flat_map(|one| one["actions"].each("id")).collect();
        assert_eq!(ids.contains(&advice), has, "{text}{ids:?}");
    }
}

/// Commands of Linux are of no use on Windows.
#[test]
fn a_log_from_windows_gets_no_commands() {
    let text = "rocBLAS error: Cannot read C:\\Program Files\\AMD\\ROCm\\6.1\\bin\\/rocblas/library/TensileLibrary.dat: \
                No such file or directory for GPU arch : gfx1103\n";
    let report = Run::new(["--format", "json", "-"]).input(text.to_owned()).output().json();
    let notice = &report["notices"].list()[0];
    let actions = notice["actions"].list();
    assert!(!actions.is_empty(), "{}", notice["id"].text());
    for action in actions {
        assert!(action["commands"].list().is_empty(), "{}", action["id"].text());
    }
}

/// The command processor reads queues; a program's code is not at fault.
#[test]
fn advice_about_code_needs_an_access_by_code() {
    for (client, has) in [("TCP (0x8)", true), ("SQC (inst) (0x9)", true), ("CPF (0x4)", false)] {
        let ids = advised(&FAULT.replace("CLIENT", client));
        assert_eq!(ids.iter().any(|id| id == "rocm-native"), has, "{client}: {ids:?}");
    }
}

/// Releases become outdated; commands ask the machine for its own.
#[test]
fn no_command_names_a_release_of_debian() {
    let mut named = Vec::new();
    for advice in &patterns().advice {
        for command in &advice.commands {
            let release =
                ["bookworm", "trixie", "forky"].iter().find(|it| command.text.contains(**it));
            named.extend(release.map(|release| format!("{}: {release}", advice.id)));
        }
    }
    none(&named);
}

#[test]
fn a_family_that_does_not_exist_is_refused_with_the_one_that_was_meant() {
    let output = Run::new(["--distro", "pacmann", "-"]).input(LINES).output();
    assert_eq!(output.status, 2);
    let said = &output.stderr;
    assert!(said.contains("did you mean `pacman`?") && said.contains("rpm-ostree"), "{said}");
}

#[test]
fn people_see_one_command_where_the_distribution_is_known() {
    let text = |words: &[&str]| {
        Run::new(["-v", "-"].iter().chain(words).copied()).input(LINES).output().stdout
    };
    let known = text(&["--distro", "pacman"]);
    assert!(known.contains("sudo pacman -Syu"), "{known}");
    assert!(!known.contains("dnf upgrade") && !known.contains("# Arch"), "{known}");
    let open = text(&[]);
    assert!(
        !open.contains("sudo pacman") && open.contains("amdtriage explain kern-update"),
        "{open}"
    );
}

/// A person who mentions a virtual machine may mean another one, or that there is none: that takes no advice away.
#[test]
fn talk_about_a_virtual_machine_only_adds_advice() {
    let log = "[    3.6] amdgpu 0000:06:00.0: amdgpu: PSP load sos failed!\n\
               [    3.7] amdgpu 0000:06:00.0: amdgpu: hw_init of IP block <psp> failed -22\n\
               [    3.8] amdgpu 0000:06:00.0: amdgpu: amdgpu_device_ip_init failed\n\
               [    3.9] amdgpu 0000:06:00.0: amdgpu: Fatal error during GPU init\n";
    let told = |before: &str| {
        let report = Run::json(format!("{before}\n{log}")).output().json();
        let diagnoses = report["incidents"].list()[0]["diagnoses"].list();
        let actions = diagnoses.iter().flat_map(|one| one["actions"].each("id"));
        actions.map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let plain = told("This is a desktop.");
    assert!(plain.contains("power-off") && !plain.contains("host-power-off"), "{plain:?}");
    assert!(told("I have not tried it in a VM yet.").is_superset(&plain));
    let guest = told("[    0.0] Hypervisor detected: KVM");
    assert!(guest.contains("host-power-off") && !guest.contains("power-off"), "{guest:?}");
}
