//! Lines of programs without a message that report a failure and name the user-space driver of AMD
//! GPUs, or the software that computes on them.
//!
//! Nobody can list the sentences of all programs. Such a line is quoted, and the log is not judged.

use serde::Serialize;

use super::envelope::{Driver, Envelope};
use super::landmark;
use super::prose::Judge;
use super::sighting::Sightings;
use super::statement::Statement;
use crate::input::Words;
use crate::pattern::hardware::{KernelNames, ProgramWords};
use crate::pattern::later::Lazy;
use crate::pattern::prose::{Place, Prose};
use crate::record::{Origin, Record};
use crate::value::Mention;

/// Maximum number of lines to keep.
const MOST: usize = 8;
/// Longer lines are dumps of data, in bytes.
const LONGEST: usize = 400;
/// With these end questions and code.
const ENDS: [char; 5] = ['?', ';', '{', '}', ','];
/// The length of a commit's abbreviated and whole name.
const COMMIT: std::ops::RangeInclusive<usize> = 7..=40;

/// A line that nothing here explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "UnexplainedLine"))]
pub(crate) struct Complaint {
    /// The line number, from 1.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub(crate) line: u64,
    /// The text without time and host.
    pub(crate) text: String,
}

/// All of a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Complaints {
    /// The first ones.
    pub(crate) first: Vec<Complaint>,
    /// The number of all.
    pub(crate) count: u64,
}

impl Complaints {
    /// What is left of them with what else the log has: beside the GPU of another vendor nobody
    /// knows which one failed, and what fails in a build is no GPU.
    pub(super) fn beside(self, sightings: &Sightings) -> Self {
        let is_doubtful =
            |mention: &Mention| matches!(mention, Mention::AnotherVendor | Mention::Build);
        if sightings.mentions.iter().any(is_doubtful) { Self::default() } else { self }
    }

    pub(super) fn add(&mut self, line: u64, text: &str) {
        self.count += 1;
        if self.first.len() < MOST {
            self.first.push(Complaint { line, text: text.trim().to_owned() });
        }
    }
}

/// Searches lines. Nearly all of them cost only the search for names.
#[derive(Debug)]
pub(super) struct ComplaintSearch<'p> {
    names: Option<Words>,
    failures: Option<Words>,
    noise: Option<Words>,
    words: ProgramWords<'p>,
    prose: &'p Lazy<Vec<Prose>>,
}

impl<'p> ComplaintSearch<'p> {
    pub(super) fn new(names: &'p KernelNames, prose: &'p Lazy<Vec<Prose>>) -> Self {
        let words = names.program_words();
        let search = |words: &[&str]| Words::new(words.iter().copied(), []);
        Self {
            names: search(&words.software),
            failures: search(&words.failures()),
            noise: search(&words.noise),
            words,
            prose,
        }
    }

    /// Whether a line without a message is one of a program that reports such a failure.
    pub(super) fn is_one(&self, record: &Record<'_>) -> bool {
        let text = record.message;
        let holds = |words: &Option<Words>| {
            words.as_ref().is_some_and(|words| words.are_in(text.as_bytes()))
        };
        let is_told = holds(&self.names) && text.len() <= LONGEST && holds(&self.failures);
        if !is_told || holds(&self.noise) {
            return false;
        }
        match record.origin {
            Origin::Program { name, .. } => {
                !self.words.is_of_other_purpose(name) && self.is_printed(text, false)
            }
            Origin::Kernel => false,
            Origin::Unstated => !is_of_the_kernel(text) && self.is_printed(text, true),
        }
    }

    /// Whether a program reports a failure with a line, as opposed to a person who wrote it. Of a
    /// line of which nobody states who printed it, something in it must show that.
    fn is_printed(&self, text: &str, must_show: bool) -> bool {
        let line = text.trim().trim_start_matches(['>', ' ', '`']).trim_end_matches('`');
        let is_talk = || {
            let (judge, line) = (Judge::new(self.prose), line.to_lowercase());
            [Place::FirstPerson, Place::Sentence].iter().any(|place| judge.has(*place, &line))
        };
        let holds = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let names =
            |part: &str| self.names.as_ref().is_some_and(|names| names.are_in(part.as_bytes()));
        !self.words.markup.iter().any(|mark| line.starts_with(mark))
            && !line.ends_with(ENDS)
            && !is_of_a_commit(line)
            && !holds(&self.words.code)
            && !self.is_a_file(line)
            && Statement::read(line, &self.words, names).is_some_and(|statement| {
                !must_show || statement.is_shown || holds(&self.words.marks)
            })
            && !is_talk()
    }

    /// Whether the name is part of the name of a file, without a place in it.
    fn is_a_file(&self, line: &str) -> bool {
        let Some(found) = self.names.as_ref().and_then(|names| names.found_in(line)) else {
            return false;
        };
        let begins = line[..found.start].rfind(char::is_whitespace).map_or(0, |at| at + 1);
        let token = line[begins..].split_whitespace().next().unwrap_or_default();
        let token = token.trim_end_matches([':', ',', '.', ')', '"', '\'']);
        self.words.files.iter().any(|end| token.ends_with(end))
    }
}

/// Whether a line is of a list of commits: `a1b2c3d radv: …`.
fn is_of_a_commit(line: &str) -> bool {
    line.split_once(' ').is_some_and(|(first, _)| {
        COMMIT.contains(&first.len())
            && first.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

/// Whether the kernel's driver printed a text, or it is about its code.
fn is_of_the_kernel(text: &str) -> bool {
    let driver = Envelope::open(text).driver;
    !matches!(driver, Driver::None | Driver::Other) || landmark::names_source(text)
}

#[cfg(test)]
mod tests {
    use crate::event::log::tests::log;

    fn complaints(text: &str) -> Vec<(u64, String)> {
        let found = log(text).complaints;
        found.first.into_iter().map(|one| (one.line, one.text)).collect()
    }

    #[test]
    fn a_failure_of_the_user_space_driver_is_kept() {
        for line in [
            "radeonsi: can't create a shader",
            "radv: Failed to allocate hardware ctx.",
            "Failed to load HIP kernel from module, Invalid value in hipModuleLoadData (intern/cycles/device/hip/device_impl.cpp:312)",
            "rocblas error: cannot frobnicate: /opt/rocm/lib/librocblas.so",
            "../src/amd/common/ac_frob.c:12: cannot frob 3",
            "[    22.163] (EE) AMDGPU(0): frobbing failed",
            "Mar 14 08:01:46 host game[42]: radv: could not frob, error 3",
        ] {
            assert_eq!(
                complaints(line),
                [(1, line.rsplit("]: ").next().unwrap().to_owned())],
                "{line}"
            );
        }
    }

    #[test]
    fn talk_noise_code_and_other_drivers_are_not() {
        for line in [
            "radv fails with an error when I start the game",
            "I get an error from radeonsi: the game is closed",
            "# radv: error on RX 580",
            "Title: HIP error: unspecified launch failure",
            "[HIP] hipMemcpy error on gfx1100",
            "if (hipMalloc(&p, n) != hipSuccess) error(\"hipMalloc failed\");",
            "libGL error: failed to load driver: swrast",
            "amdgpu 0000:03:00.0: amdgpu: amdgpu_frob failed",
            "WARNING: radv is not a conformant Vulkan implementation, testing use only.",
            "anv: error: cannot frob",
            "radeonsi: 0 errors",
            // Of builds, packages and tests.
            "[1235/5000] Compiling C++ object src/amd/compiler/libaco.a.p/aco_abort.cpp.o",
            "[ 12%] Building HIP object src/CMakeFiles/rocblas.dir/error.cpp.o",
            "[1/200] /usr/bin/hipify-perl: error: hipMalloc unsupported",
            "torch/csrc/cuda/hipError.cpp: error: cannot convert",
            "E: Unable to locate package rocblas",
            "ERROR: No matching distribution found for hiprtc",
            "dpkg: error processing package libdrm_amdgpu1",
            "Run-time dependency libdrm_amdgpu found: NO (tried pkgconfig, failed)",
            "FAILED tests/test_hip.py::test_hipMemcpy - AssertionError: hipMemcpy returned 1",
            "rocblas_gemm.error: ok",
            // Of commits, release notes, documents, source and tables.
            "d4e5f60 radv/amdgpu: Failed to return the error code",
            "radeonsi: Assertion failure in si_shader",
            "hipErrorInvalidValue: 1",
            "hipGetLastError: 1200 calls, 0x10",
            "hipFree: Frees memory. Returns hipErrorInvalidDevicePointer if pointer is invalid",
            "HIP error handling (see hipGetErrorString())",
            "std::cerr << \"HIP error: \" << hipGetErrorString(err) << std::endl",
            "System: Ubuntu, hipcc 6.0, error-free",
            "Expected behaviour: no hipMalloc failure",
        ] {
            assert_eq!(complaints(line), [], "{line}");
        }
    }

    /// A line of the journal has a sender, but not every sender uses the GPU.
    #[test]
    fn programs_that_name_it_for_another_purpose_do_not_complain() {
        for line in [
            "sudo[77]: me : TTY=pts/0 ; COMMAND=/usr/bin/grep -ri error /var/log/hipcc.log",
            "buildbot[77]: [ 12%] Building HIP object src/rocblas.dir/error.cpp.o",
            "gitlab-runner[77]: commit message: radv: Failed to foo",
            "gdm-x[77]: (II) AMDGPU(0): EDID checksum error",
            "prometheus[77]: rocm_exporter radeonsi_gpu_errors_total 0",
            "exporter[77]: {\"hsa_error\":0,\"failed\":0}",
            "radeontop[7]: amdgpu_device_initialize ok, error 0",
            "node_exporter[9]: ts=2025 level=error msg=\"collector failed\" err=\"libdrm_amdgpu\"",
            "gnome-shell[9]: JS ERROR: Title \"radeonsi bug\"",
            "systemd-coredump[77]: #5  0x00007f abort_handler (radeonsi_dri.so + 0x1)",
        ] {
            let line = format!("Mar 14 08:01:46 host {line}");
            assert_eq!(complaints(&line), [], "{line}");
        }
    }

    /// What it reports may be of the other GPU, and what stands beside a build of the build.
    #[test]
    fn beside_another_vendor_s_gpu_or_a_build_nothing_is_kept() {
        let line = "radv: Failed to allocate hardware ctx.";
        assert_eq!(complaints(line).len(), 1);
        for beside in
            ["NVIDIA GeForce RTX 3060", "[842/1650] Compiling C++ object a.o", "diff --git a/x b/x"]
        {
            assert_eq!(complaints(&format!("{beside}\n{line}")), [], "{beside}");
        }
    }
}
