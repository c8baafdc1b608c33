//! Lines of programs without a message that report a failure and name the user-space driver of AMD
//! GPUs, or the software that computes on them.
//!
//! Nobody can list the sentences of all programs. Such a line is quoted, and the log is not judged.

use super::envelope::{Driver, Envelope};
use super::landmark;
use super::prose::Judge;
use crate::input::Words;
use crate::pattern::hardware::KernelNames;
use crate::pattern::later::Lazy;
use crate::pattern::prose::{Place, Prose};
use crate::record::{Origin, Record};

/// Maximum number of lines to keep.
const MOST: usize = 8;
/// Longer lines are dumps of data, in bytes.
const LONGEST: usize = 400;
/// A program's name before a colon has so many words at most.
const NAME_WORDS: usize = 4;
/// With these begin lines that people mark up, and code.
const MARKUP: [&str; 10] = ["#", "* ", "- ", "|", "<", "$ ", "//", "/*", "```", "+ "];
/// With these end questions and code.
const ENDS: [char; 5] = ['?', ';', '{', '}', ','];
/// What only code has.
const CODE: [&str; 9] =
    ["if (", "if(", "return ", "#include", "printf(", " == ", " != ", " && ", "() {"];
/// What people do not write: places in source code, calls, addresses.
const MARKS: [&str; 16] = [
    ".c:", ".cpp:", ".cc:", ".h:", ".hpp:", ".cu:", ".hip:", ".py:", ".rs:", "()", "::", " 0x",
    "(0x", "=0x", " code ", " (-",
];

/// A line that nothing here explains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// Its number.
    pub(crate) line: u64,
    /// Its text.
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
    harmless: Option<Words>,
    prose: &'p Lazy<Vec<Prose>>,
}

impl<'p> ComplaintSearch<'p> {
    pub(super) fn new(names: &KernelNames, prose: &'p Lazy<Vec<Prose>>) -> Self {
        let words =
            |words: &mut dyn Iterator<Item = &String>| Words::new(words.map(String::as_str), []);
        Self {
            names: words(&mut names.software()),
            failures: words(&mut names.program_failures()),
            harmless: words(&mut names.program_noise()),
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
        if !is_told || holds(&self.harmless) {
            return false;
        }
        match record.origin {
            Origin::Program { .. } => true,
            Origin::Kernel => false,
            Origin::Unstated => !is_of_the_kernel(text) && self.is_printed(text),
        }
    }

    /// Whether a program printed a line, as opposed to a person who wrote it.
    fn is_printed(&self, text: &str) -> bool {
        let line = text.trim().trim_start_matches(['>', ' ', '`']).trim_end_matches('`');
        let is_talk = || {
            let (judge, line) = (Judge::new(self.prose), line.to_lowercase());
            [Place::FirstPerson, Place::Sentence].iter().any(|place| judge.has(*place, &line))
        };
        !MARKUP.iter().any(|mark| line.starts_with(mark))
            && !line.ends_with(ENDS)
            && !CODE.iter().any(|mark| line.contains(mark))
            && (has_tag(line) || has_sender(line) || has_mark(line))
            && !is_talk()
    }
}

/// Whether the kernel's driver printed a text, or it is about its code.
fn is_of_the_kernel(text: &str) -> bool {
    let driver = Envelope::open(text).driver;
    !matches!(driver, Driver::None | Driver::Other) || landmark::names_source(text)
}

/// Whether a line begins with a tag that people do not put before a title: `[h264_amf @ 0x55]`,
/// `(EE)`, `[error]`.
fn has_tag(line: &str) -> bool {
    const LEVELS: [&str; 5] = ["EE", "error", "Error", "ERROR", "fatal"];
    let inside = |(open, close): (char, char)| Some(line.strip_prefix(open)?.split_once(close)?.0);
    let mut tags = [('[', ']'), ('(', ')')].into_iter().filter_map(inside);
    tags.any(|tag| {
        LEVELS.contains(&tag) || tag.contains(|c: char| c.is_ascii_digit() || "@/".contains(c))
    })
}

/// Whether the name of a program, of a part of it, or a level stands before a colon.
fn has_sender(line: &str) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    name.split_whitespace().count() <= NAME_WORDS
        && name.chars().all(|c| c.is_alphanumeric() || " ._-/()[]@+:".contains(c))
}

fn has_mark(line: &str) -> bool {
    MARKS.iter().any(|mark| line.contains(mark))
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
        ] {
            assert_eq!(complaints(line), [], "{line}");
        }
    }
}
