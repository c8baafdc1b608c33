use super::*;
use crate::event::gate::Prefilter;

const TIMEOUT: &str =
    "amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3";
const RESET: &str = "amdgpu: GPU reset begin!";
const FAULT: &str = "Memory access fault by GPU node-1 (Agent handle: 0x55d0c8c0) on address 0x7f12000. Reason: Unknown.";
const LOST: &str = "radv/amdgpu: The CS has been cancelled because the context is lost.";
const BARE: &str = "ring gfx_0.0.0 timeout, signaled seq=10, emitted seq=12";
const IB: &str = "IB test failed on gfx_0.0.0 (-110).";
const MES: &str = "MES failed to respond to msg=REMOVE_QUEUE";
const FLIP: &str = "[drm] *ERROR* [CRTC:80:crtc-0] flip_done timed out";

/// `S` in a text is the message, or one of those above by its first letter.
fn text(template: &str) -> (String, &'static str) {
    let messages = [
        ("{T}", TIMEOUT),
        ("{R}", RESET),
        ("{F}", FAULT),
        ("{L}", LOST),
        ("{D}", FLIP),
        ("{B}", BARE),
        ("{M}", MES),
        ("{I}", IB),
    ];
    let found = messages.into_iter().find(|(mark, _)| template.contains(mark));
    let (mark, message) = found.expect("a message");
    (template.replace(mark, message), message)
}

fn check(introduction: &str, template: &str, want: &str) {
    let patterns = crate::builtin::patterns();
    let (reader, gate) = (Reader::new(&patterns), Prefilter::new(patterns.matcher()));
    let (text, message) = text(template);
    let found = match reader.said(introduction, &text, &gate) {
        Said::Nothing => "nothing",
        Said::Mention => "mention",
        Said::Message { message: found, .. } => {
            assert_eq!(found, message, "{text}");
            "message"
        }
    };
    assert_eq!(found, want, "{introduction} {text}");
}

#[test]
fn what_a_person_saw_is_a_message() {
    for template in [
        "dmesg says: {T} (RX 6800)",
        "The log shows {T} when playing games.",
        "[Bug]: {T} after resume",
        "[Issue]: GPUs not recognized ({R})",
        "I got {R} and then the screen went black",
        "journalctl shows «{R}» a few times per day",
        "Im Log steht „{R}“, danach ist der Bildschirm schwarz.",
        "Résumé : « {R} » puis plus rien",
        "the error was <{R}> so I rebooted",
        "ログに「{R}」と出ました",
        "{\"log\": \"{T}\"}",
        "{\"lines\":[\"{T}\"],\"host\":\"x\"}",
        "journalctl -b -1: {R}",
        "If I open it, I get {R} each time",
        "time=\"10:00\" level=error msg=\"{T}\" node=a1",
        "| error in dmesg | {T} |",
        "<p>Every boot: <code>{R}</code> and then a blank screen.</p>",
        "{T} happens when I open a second window",
        "В журнале: {T} после игры",
        "Even without overclock I get `{T}`.",
        "It can't be the RAM. dmesg says {R}",
        "Not the CPU, but {R}",
        "no display after resume: {R}",
        "at 100% load: {R}",
        "at 100%CPU: {R}",
        "If I plug in a monitor, the kernel prints {T} and dies.",
        "Does anyone else have this? {T}",
        "How do I fix \"{R}\" on my machine?",
        "I ran `journalctl | grep amdgpu` and it shows {R}",
        "[Issue]: {F}",
        "Same hang after removing nvidia: {T}",
        "it printed \"{F}\" after ten steps",
        "In the terminal: {L} Then it froze.",
        "it's the same thing: {D} from amdgpu, every time",
        "{B} (RX 6800) froze",
        "my screen froze: {B}",
        "my screen froze, {B} (RX 6800)",
        "dmesg says {M} then black screen",
        "Nach dem Aufwachen {B} und dann nichts mehr",
        "no dmesg aparece {B} e depois o ecrã fica verde",
        "anyone else get {I} at boot? My 6950 XT does",
    ] {
        check("", template, "message");
    }
}

#[test]
fn talk_about_a_message_is_none() {
    for template in [
        "The message `{T}` means that a job did not finish in time.",
        "The message {B} means that a job did not finish in time.",
        "If you see {M}, update your firmware.",
        "anyone know what {M} means?",
        "When the GPU hangs, you will see a line like {T} in dmesg.",
        "- Fix `{T}` after resume",
        "Fixes: {R}",
        "* drm/amdgpu: avoid \"{R}\" spam during suspend",
        "    pattern: \"{T}\"",
        "    regex: '.*{R}.*'",
        "failregex = {R}",
        "{\"pattern\": \"{R}\", \"severity\": \"critical\"}",
        "{job=\"syslog\"} |= \"{R}\"",
        "if [[ $line == *\"{R}\"* ]]; then",
        "  *\"{R}\"*) notify ;;",
        "if \"{R}\" in line:",
        "if (strstr(buf, \"{R}\"))",
        "assert!(text.contains(\"{R}\"));",
        "dev_err(dev, \"ring %s timeout\\n\", {R}",
        "patterns = [\"{R}\"]",
        "// {R}",
        "`{T}` is not in my log",
        "{R} is gone since 6.12",
        "\"{T}\" no longer appears",
        "I do not see {R}",
        "it doesn't print `{R}` any more",
        "I don’t see: `{R}`",
        "anyone know what `{T}` means?",
        "Has anyone seen `{R}`?",
        "if you see {R}, then update your firmware",
        "    {T}=<N>",
        "log = \"[  100.000000] {T}\\n\"",
        "\t{ \"{R}\", EV_RESET_BEGIN },",
        "le message « {R} » signifie que …",
        "Please grep for \"{R}\" and tell us.",
        "journalctl -k | grep -c '{R}'",
        "logger -p kern.err \"{T}\"",
        "For example, `{R}`",
        "If the program aborts with {F}, rebuild it.",
        "If PyTorch prints \"{F}\", set the variable.",
        "* [GPU] Recognize \"{R}\" as critical",
        "[[ \"$l\" =~ \"{R}\" ]] && beep",
        "journalctl -k -g \"{R}\"",
        "`{R}` was never printed",
        "msm_dpu ae01000.display-controller: {D}",
        "On my Raspberry Pi: \"{D}\" with vc4",
        "fl2000 1-2:1.1: {D}",
    ] {
        check("", template, "mention");
    }
}

#[test]
fn what_a_line_before_announces_is_known() {
    for (introduction, template, want) in [
        ("| Message | Meaning |", "| `{R}` | The driver starts a reset |", "mention"),
        ("| what | value |", "| error | {R} |", "message"),
        ("A typical hang looks like this:", "{T}", "mention"),
        ("For example:", "{T}", "mention"),
        ("The last lines before the freeze were:", "{T}", "nothing"),
        ("My log has many, for example:", "{T}", "nothing"),
        ("I cannot do anything when this happens:", "{T}", "nothing"),
        ("const PATTERNS: &[&str] = &[", "    \"{R}\",", "mention"),
        ("\"lines\": [", "\"{R}\",", "message"),
    ] {
        check(introduction, template, want);
    }
}

#[test]
fn a_denial_before_a_log_is_of_its_lines_or_of_something_else() {
    for introduction in [
        "No output on the monitor:",
        "No picture after resume:",
        "Kernel 6.9, no extra parameters:",
        "Fedora 40 with no changes to the kernel command line:",
        "Then no display and these lines:",
        "Nothing helped:",
        "It never recovers:",
        "The reset does not succeed:",
        "GPU reset fails, no recovery:",
        "dmesg (no other errors):",
        "dmesg shows no other errors than:",
        "Full log, nothing removed:",
        "no longer boots:",
        "Isn't fixed in 6.10:",
        "There is no keyboard input any more and the journal has:",
        "The GPU does not start:",
        "The card does not work any more after an update of linux-firmware:",
        "Games won't start:",
        "Vulkan works, ROCm does not:",
        "In a clean test (plain image, no instrumentation) the kernel named the process that faulted:",
        "I can't use the desktop any more:",
    ] {
        check(introduction, "{R}", "nothing");
    }
    for introduction in [
        "There are no lines such as:",
        "There are no such lines:",
        "I have never seen lines like these:",
        "I do not see them any more:",
        "dmesg does not show:",
        "The log has no error like this:",
        "no more:",
        "dmesg has no:",
        "There was no ring timeout like:",
        "Without the option there would be:",
        "These messages no longer appear:",
        "grep for:",
    ] {
        check(introduction, "{R}", "mention");
    }
}

#[test]
fn the_names_of_blocks_are_no_placeholders() {
    let patterns = crate::builtin::patterns();
    let (reader, gate) = (Reader::new(&patterns), Prefilter::new(patterns.matcher()));
    for (text, said) in [
        ("- [drm] add ip block number 3 <psp>", false),
        ("    amdgpu 0000:<bus>:00.0: amdgpu: GPU reset begin!", false),
        ("- amdgpu: ring <name> timeout", true),
    ] {
        assert_eq!(reader.said("", text, &gate) == Said::Mention, said, "{text}");
    }
}

#[test]
fn a_line_of_the_driver_is_left_as_it_is() {
    for template in ["{T}", "{T}.", "{R} <-- here", "{F}", "42%|####    | {F}"] {
        check("", template, "nothing");
    }
    let patterns = crate::builtin::patterns();
    let (reader, gate) = (Reader::new(&patterns), Prefilter::new(patterns.matcher()));
    for text in [
        "ring of the amdgpu: it timed out",
        "Revert \"drm/amdgpu: ring gfx timeout handling\"",
        "[drm] ring .* timeout",
        "ring buffer: clock timeout",
    ] {
        assert_eq!(reader.said("", text, &gate), Said::Nothing, "{text}");
    }
    let far = format!("{} {TIMEOUT} {}", "many words".repeat(1000), "more words".repeat(1000));
    assert!(matches!(reader.said("", &far, &gate), Said::Message { .. }));
}

#[test]
fn a_title_begins_with_a_message() {
    const HIP: &str = "RuntimeError: HIP error: invalid device function";
    let patterns = crate::builtin::patterns();
    let (reader, gate) = (Reader::new(&patterns), Prefilter::new(patterns.matcher()));
    for (introduction, title, is_sure, want) in [
        ("", HIP, true, Some(HIP)),
        ("", HIP, false, None),
        ("", BARE, false, Some(BARE)),
        ("", FAULT, false, Some(FAULT)),
        ("", "RuntimeError: HIP error: invalid device function on RX 6600", true, Some(HIP)),
        ("", "RuntimeError: HIP error: invalid device function means that", true, None),
        ("For example:", HIP, true, None),
        ("", "ring <name> timeout, signaled seq=<N>, emitted seq=<N>", true, None),
        ("", "GPU reset begin!", true, None),
        ("", "HIP out of memory with every model", true, None),
        ("", "ROCm does not work", true, None),
    ] {
        assert_eq!(reader.titled(introduction, title, is_sure, &gate), want, "{title}");
    }
}

/// People copy the place of a crash from the screen into a sentence.
#[test]
fn the_place_of_a_crash_in_the_driver_is_found_in_a_sentence() {
    let patterns = crate::builtin::patterns();
    let (reader, gate) = (Reader::new(&patterns), Prefilter::new(patterns.matcher()));
    let found = |text| match reader.said("", text, &gate) {
        Said::Message { message, .. } => Some(message),
        Said::Nothing | Said::Mention => None,
    };
    let place = "RIP 0010:uvd_v3_1_sw_init+0x9e/0xb0 [amdgpu]";
    assert_eq!(found("Panic: RIP 0010:uvd_v3_1_sw_init+0x9e/0xb0 [amdgpu]"), Some(place));
    for text in [
        "Panic: RIP 0010:i915_gem_init+0x9e/0xb0 [i915]",
        "Is the crash in uvd_v3_1_sw_init known?",
        "RIP my GPU [amdgpu]",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}
