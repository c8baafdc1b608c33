//! The result for an input without an incident.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::quotes::{brief, briefs, plain};
use super::{QUOTES, identity};
use crate::diagnosis::action::Action;
use crate::diagnosis::{Diagnosis, Notice};
use crate::document::{Evidence, Fact, Quote};
use crate::event::device::Device;
use crate::report::ReportPart;
use crate::report::words::{beside_the_problem, quiet, short_gpu};

/// Maximum number of GPUs to describe.
const GPUS: usize = 32;

/// The result for an input without an incident.
#[derive(Debug)]
pub(in crate::report) struct Quiet {
    /// One sentence.
    pub(in crate::report) answer: String,
    /// The GPUs and kernels.
    pub(in crate::report) about: Vec<Vec<Fact>>,
    /// The driver's first error line without a known message and the first one of each message
    /// that no conclusion rests on, and the failures of programs that are not known, which the
    /// result does not cover; or else the first line of a
    /// note.
    pub(in crate::report) quoted: Vec<Quote>,
    /// The worst of what is wrong, where nothing failed.
    pub(in crate::report) problem: Option<Problem>,
}

/// What is wrong with a GPU that did not fail.
#[derive(Debug)]
pub(in crate::report) struct Problem {
    /// The GPU, in a few words.
    pub(in crate::report) gpu: Option<String>,
    /// Whether the log does not show the cause, so that the GPU may have failed.
    pub(in crate::report) is_unexplained: bool,
    /// Whether the GPU may be unusable because of it.
    pub(in crate::report) may_stop_the_gpu: bool,
    /// In a few sentences.
    pub(in crate::report) summary: String,
    /// What is said besides it.
    pub(in crate::report) beside: Option<String>,
    /// The lines that show it.
    pub(in crate::report) quotes: Vec<Quote>,
    /// What to do about it.
    pub(in crate::report) actions: Vec<Action>,
}

impl Problem {
    fn new(notice: &Notice, part: &ReportPart) -> Self {
        let log = &part.log;
        let Diagnosis { summary, proof, telling, actions, .. } = &notice.diagnosis;
        // What decides is quoted with the first line of the proof.
        let mut lines: Vec<usize> =
            proof.iter().take(1).chain(telling).chain(proof).copied().collect();
        let mut known = BTreeSet::new();
        lines.retain(|at| known.insert(*at));
        lines.truncate(QUOTES);
        lines.sort_unstable();
        Self {
            may_stop_the_gpu: notice.diagnosis.may_stop_the_gpu(),
            is_unexplained: notice.diagnosis.is_unexplained(),
            gpu: notice.device.and(log.device(notice.boot, notice.device)).map(short_gpu),
            summary: summary.clone(),
            beside: beside_the_problem(part),
            quotes: log.at(&lines).flat_map(briefs).take(QUOTES).collect(),
            actions: actions.clone(),
        }
    }
}

impl Quiet {
    /// The sentence without the part that the words before it already contain.
    pub(in crate::report) fn without_state(&self) -> Cow<'_, str> {
        if let Some(rest) = self.answer.strip_prefix("No GPU failure found: ") {
            return rest.into();
        }
        match self.answer.strip_prefix("No failure found, and no ") {
            Some(rest) => format!("No {rest}").into(),
            None => self.answer.as_str().into(),
        }
    }

    /// The lines that are shown below the result.
    pub(in crate::report) fn evidence(&self) -> Option<Evidence> {
        let quotes = self.quoted.clone();
        (!quotes.is_empty()).then_some(Evidence { quotes, brief: true, more: 0 })
    }

    pub(super) fn new(part: &ReportPart) -> Self {
        // Several boots of a machine have the same GPUs.
        let of = |device: &Device| identity(&part.log, device.boot, Some(device));
        let mut known = BTreeSet::new();
        let (mut about, mut more) = (Vec::new(), 0);
        for facts in part.devices().map(of).filter(|facts| known.insert(facts.clone())) {
            if about.len() < GPUS {
                about.push(facts);
            } else {
                more += 1;
            }
        }
        let text = format!("{more} more, which are in the JSON report");
        about.extend((more > 0).then(|| vec![Fact::new("GPUs", text)]));
        let not_understood = part.log.unknown.first_error().map(|unknown| Quote {
            times: usize::try_from(unknown.count).unwrap_or(usize::MAX),
            ..plain(unknown.line, unknown.text.clone())
        });
        let cut_off = part.log.cut_off.as_ref().map(|cut| plain(cut.line, cut.text.clone()));
        // It can be the only error line.
        let cut_off = cut_off.filter(|cut| {
            not_understood.as_ref().is_none_or(|other: &Quote| other.line != cut.line)
        });
        let noted = part.conclusions.notices.iter().filter(|notice| notice.is_stated());
        let worst = part.conclusions.worst_problem();
        let noted = noted.flat_map(|notice| part.log.at(&notice.diagnosis.proof));
        let noted = noted.take(usize::from(worst.is_none())).flat_map(briefs);
        let uncovered = part.log.sightings.uncovered.iter();
        let complaints = part.log.complaints.first.iter();
        let complaints = complaints.chain(uncovered.filter_map(|one| one.first_error.as_ref()));
        let complaints = complaints.map(|one| plain(one.line, one.text.clone()));
        let mut quoted: Vec<Quote> = not_understood
            .into_iter()
            .chain(cut_off)
            .chain(unused(part))
            .chain(complaints)
            .collect();
        if quoted.is_empty() {
            quoted.extend(noted);
        }
        quoted.sort_by_key(|quote| quote.line);
        quoted.truncate(QUOTES);
        let problem = worst.map(|notice| Problem::new(notice, part));
        Self { answer: quiet(part), about, quoted, problem }
    }
}

/// The first error line of each message that no conclusion rests on, with the number of them.
fn unused(part: &ReportPart) -> Vec<Quote> {
    let mut quotes: BTreeMap<&str, Quote> = BTreeMap::new();
    for seen in part.log.at(&part.conclusions.unused_errors) {
        let quote = || Quote { times: 0, ..brief(seen) };
        quotes.entry(seen.message.as_str()).or_insert_with(quote).times += 1;
    }
    quotes.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Conclusions;
    use crate::event::log::tests::log;

    #[test]
    fn the_state_is_said_once() {
        for (line, said) in [
            (
                "[    1.000000] usb 1-1: new device\n",
                "No AMD GPU in this log: 1 record read, 1 of ",
            ),
            ("[    1.000000] amdgpu: x\n", "1 record read, at least 1 of them from amdgpu."),
        ] {
            let part = ReportPart::new("log".to_owned(), None, log(line), Conclusions::default());
            let quiet = Quiet::new(&part);
            assert!(quiet.without_state().starts_with(said), "{}", quiet.without_state());
        }
    }

    #[test]
    fn error_lines_without_a_meaning_are_counted_and_the_first_is_quoted() {
        let error = |time: u8, words: &str| {
            format!("[   {time}.000000] [drm:amdgpu_foo_bar [amdgpu]] *ERROR* {words}\n")
        };
        let asked = |text: &str| {
            let part = ReportPart::new("log".to_owned(), None, log(text), Conclusions::default());
            let quiet = Quiet::new(&part);
            (quiet.answer.clone(), quiet.evidence().map(|evidence| evidence.quotes[0].clone()))
        };
        let known =
            "[    9.000000] amdgpu 0000:03:00.0: amdgpu: SMU is initialized successfully!\n";
        let (answer, quote) = asked(known);
        assert!(!answer.contains("not understood") && quote.is_none(), "{answer}");
        let (first, second) = (error(12, "widget hang detected"), error(13, "gadget gone"));
        let (answer, quote) = asked(&[known, &first].concat());
        assert!(answer.contains(" 1 error line of the driver is not understood."), "{answer}");
        assert_eq!(quote.map(|quote| quote.line), Some(2));
        let (answer, quote) = asked(&[known, &first, &first, &second].concat());
        assert!(answer.contains(" 3 error lines of the driver are not understood."), "{answer}");
        assert_eq!(quote.map(|quote| (quote.line, quote.times)), Some((2, 2)));
    }

    /// Whoever pastes such a line asks what it means.
    #[test]
    fn an_error_that_no_diagnosis_explains_is_said_in_words() {
        let ib = "[    2.000000] amdgpu 0000:0a:00.0: amdgpu: failed to get a new IB (-12)\n";
        let answer = |text: &str| {
            let log = log(text);
            let conclusions = crate::diagnosis::conclusions(&log, &crate::builtin::patterns());
            quiet(&ReportPart::new("log".to_owned(), None, log, conclusions))
        };
        let said = answer(ib);
        assert!(
            said.contains("The driver reports an error (line 1): No space for the commands"),
            "{said}"
        );
        let said = answer(&[ib, &ib.replace("2.0", "3.0")].concat());
        assert!(said.contains("(line 1, 2 times)") && !said.contains("no known failure"), "{said}");
        let said =
            answer("[4711:4711:0101/1:FATAL:x.cc(448)] GPU process isn't usable. Goodbye.\n");
        assert!(said.starts_with("A browser gave up") && said.contains("(line 1)."), "{said}");
    }

    #[test]
    fn a_line_about_the_drivers_code_or_of_radeon_is_of_an_amd_gpu() {
        for (line, said) in [
            (
                "WARNING: CPU: 3 PID: 99 at drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c:123 amdgpu_vm_x+0x12/0x34 [amdgpu]",
                "1 line of the kernel names amdgpu's code",
            ),
            (
                "UBSAN: array-index-out-of-bounds in drivers/gpu/drm/amd/amdgpu/../pm/x.h:12:3",
                "1 line of the kernel names amdgpu's code",
            ),
            (
                "BUG: KASAN: slab-use-after-free in amdgpu_vm_x+0x12/0x34 [amdgpu]",
                "1 line of the kernel names amdgpu's code",
            ),
            ("radeon 0000:01:00.0: ring 0 stalled for more than 10000msec", "1 line is of radeon"),
            ("[drm:r600_ring_test [radeon]] *ERROR* radeon: ring 0 test failed", "of radeon"),
            ("[drm] Initialized radeon 2.50.0 20080528 for 0000:01:00.0 on minor 0", "of radeon"),
        ] {
            let log = log(&format!("[    1.000000] {line}\n"));
            let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
            let answer = Quiet::new(&part).answer;
            assert!(answer.contains(said) && !answer.contains("no AMD GPU"), "{answer}");
        }
        // The radeon module is also loaded on machines without such a GPU.
        let log = log("[    1.000000] [drm] radeon kernel modesetting enabled.\n");
        let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
        assert!(!Quiet::new(&part).answer.contains("radeon"));
    }

    /// Whoever has another GPU that failed is not told that no GPU did.
    #[test]
    fn lines_of_another_gpu_s_driver_are_mentioned() {
        for line in [
            "xe 0000:03:00.0: [drm] *ERROR* [CRTC:88:pipe A] flip_done timed out",
            "i915 0000:00:02.0: [drm] *ERROR* [CRTC:80:pipe A] flip_done timed out",
        ] {
            let log = log(&format!("[    1.000000] amdgpu: x\n[    2.000000] {line}\n"));
            let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
            assert_eq!(crate::report::words::state_of(&part), "No AMD GPU failure found");
            assert!(Quiet::new(&part).answer.contains("another GPU's driver"), "{line}");
        }
    }

    /// A log whose errors nobody here understands is not called free of failures.
    #[test]
    fn errors_of_a_driver_that_is_not_covered_are_not_judged() {
        let state = |line: &str| {
            let log = log(&format!("[    1.000000] {line}\n"));
            let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
            crate::report::words::state_of(&part)
        };
        assert_eq!(
            state("radeon 0000:01:00.0: ring 0 stalled for more than 10000msec"),
            "Not judged"
        );
        for line in [
            "radeon 0000:01:00.0: GPU fault detected: 146 0x0aec480c",
            "radeon 0000:01:05.0: disabling GPU acceleration",
            "[drm:r600_startup] *ERROR* Failed to load firmware!",
            "radeon 0000:01:00.0: GRBM_SOFT_RESET=0x00010001",
        ] {
            assert_eq!(state(line), "Not judged", "{line}");
        }
        assert_eq!(
            state("[drm] Initialized radeon 2.50.0 20080528 for 0000:01:00.0 on minor 0"),
            "No GPU failure found"
        );
        // People quote it inside a sentence.
        for line in [
            "Main error: *ERROR* radeon: ring 0 test failed (scratch(0x850C)=0xCAFEDEAD)",
            "VCE resume fails first, then si_resume [radeon] *ERROR* si startup failed on resume.",
        ] {
            let part = ReportPart::new("log".to_owned(), None, log(line), Conclusions::default());
            assert_eq!(crate::report::words::state_of(&part), "Not judged", "{line}");
            assert!(Quiet::new(&part).answer.contains("1 line is of radeon"), "{line}");
        }
        let log_of_talk = log("Back to radeon with 6.18.7, and it works.\n");
        assert!(!log_of_talk.has_kernel_messages());
        // Without an envelope it is a message of the kernel, too.
        let bare =
            log("radeon 0000:22:00.0: Direct firmware load for radeon/R700_rlc.bin failed\n");
        assert!(bare.has_kernel_messages());
    }

    /// Such a trace can be that of a crash, of a warning or of a task that hangs.
    #[test]
    fn a_trace_in_the_driver_without_its_first_lines_is_not_judged() {
        let frames = "[  100.000060]  amdgpu_device_suspend+0xe1/0x140 [amdgpu]\n\
                      [  100.000070]  pci_pm_suspend+0x7e/0x170\n";
        let part = |text: String| {
            let log = log(&text);
            let conclusions = crate::diagnosis::conclusions(&log, &crate::builtin::patterns());
            ReportPart::new("log".to_owned(), None, log, conclusions)
        };
        let open = part(frames.to_owned());
        assert_eq!(crate::report::words::state_of(&open), "Not judged");
        let answer = Quiet::new(&open).answer;
        assert!(
            answer.contains("A call trace inside the GPU driver") && answer.contains("Line 1: "),
            "{answer}"
        );
        for asked in ["sysrq: Show Blocked State", "SysRq : Show State", "NMI backtrace for cpu 3"]
        {
            let asked = part(format!("[   99.900000] {asked}\n{frames}"));
            assert_eq!(crate::report::words::state_of(&asked), "No GPU failure found");
        }
    }

    /// A log that ends within a line which may report a failure is not called free of failures.
    #[test]
    fn a_log_that_ends_within_an_error_is_not_judged() {
        let ready = "[    1.000000] [drm] Initialized amdgpu 3.57.0 for 0000:06:00.0 on minor 0\n";
        let part = |text: String| {
            ReportPart::new("log".to_owned(), None, log(&text), Conclusions::default())
        };
        for line in [
            "[drm:amdgpu_foo_bar [amdgpu]] *ERROR* Something quite unkno",
            "[drm:amdgpu_job_timedout [amdgpu]] *ERROR*",
            "[drm:amdgpu_job_timedout [amdgpu]] *ER",
            "[drm:amdgpu_job_timed",
            "amdgpu 0000:06:00.0: [drm:a",
            "amdgpu 0000:06:00.0: amdgpu: ring vcn_unified_0 time",
            "amdgpu 0000:06:00.0: amdgpu: ring vcn_unified_0",
            "amdgpu 0000:06:00.0: amdgpu: GPU reset(1",
        ] {
            let part_of = |end: &str| part(format!("{ready}[    2.000000] {line}{end}"));
            let cut = part_of("");
            assert_eq!(crate::report::words::state_of(&cut), "Not judged", "{line}");
            let quiet = Quiet::new(&cut);
            // One sentence for one line.
            let [is_cut, is_error] = ["The last line of the kernel, line 2, may", "not understood"]
                .map(|said| quiet.answer.contains(said));
            assert!(is_cut != is_error, "{line}: {}", quiet.answer);
            assert_eq!(quiet.quoted.first().map(|quote| quote.line), Some(2), "{line}");
            // The kernel's log goes on.
            let whole = part_of("\n[    3.000000] usb 1-1: new device\n");
            assert_eq!(crate::report::words::state_of(&whole), "No GPU failure found", "{line}");
        }
        for line in [
            "amdgpu 0000:06:00.0: amdgpu: frobbing block 3",
            "amdgpu 0000:06:00.0: amdgpu: enabling",
            "amdgpu 0000:06:00.0: amdgpu: SMU is initialized successfully!",
            "[drm:amdgpu_foo_bar [amdgpu]] *ERROR* The widget is gone!",
            "usb 1-1: new dev",
        ] {
            let part = part(format!("{ready}[    2.000000] {line}"));
            assert_eq!(crate::report::words::state_of(&part), "No GPU failure found", "{line}");
        }
    }

    #[test]
    fn any_number_of_gpus_is_told_of_briefly() {
        let line = |n: usize| {
            let address = format!("{:04x}:{:02x}:{:02x}.0", n >> 13, n >> 5 & 0xff, n & 31);
            format!("[    1.000000] amdgpu {address}: amdgpu: SMU is initialized successfully!\n")
        };
        for (gpus, told, more) in
            [(1, 1, None), (GPUS, GPUS, None), (3000, GPUS, Some("2968 more"))]
        {
            let log = log(&(0..gpus).map(line).collect::<String>());
            let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
            let about = Quiet::new(&part).about;
            let (last, all) =
                (&about[about.len() - 1][0], about.len() - usize::from(more.is_some()));
            assert_eq!(all, told);
            assert_eq!(
                last.label == "GPUs" && last.text.to_string().starts_with(more.unwrap_or("?")),
                more.is_some()
            );
        }
    }
}
