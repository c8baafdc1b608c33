//! Names in the kernel that identify the driver of a line or a stack.

use serde::{Deserialize, Serialize};

use crate::pattern::document::{Table, record};
use crate::pattern::glob::Glob;
use crate::value::{Frame, Frames, GfxGeneration, Mention};

/// Functions, modules, work queues and IP blocks, by driver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KernelNames {
    pub(super) all: Vec<Names>,
    pub(super) generations: Vec<GenerationNames>,
    pub(super) uncovered: Vec<UncoveredDriver>,
    pub(super) mentions: Vec<MentionWords>,
    pub(super) firmware: Vec<FirmwareNames>,
}

record! {
    /// The firmware files of a block.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct FirmwareNames {
        /// How the block's name begins.
        block: String = required,
        /// What the names of its files have between `_`, or before `.bin`.
        files: Vec<String> = required,
    }
}

record! {
    /// Words that tell something wherever they are.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct MentionWords {
        /// What they tell.
        of: Mention,
        /// The words.
        words: Vec<String> = required,
    }
}

record! {
    /// Names that show whether a stack belongs to an AMD GPU.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct Names {
        /// Prefixes of names in the driver and the subsystems below it.
        gpu: Vec<String>,
        /// Drivers of other GPUs.
        other_drivers: Vec<String>,
        /// The same of modules that work for the drivers of all GPUs.
        gpu_shared: Vec<String>,
        /// Modules that only AMD's driver package (DKMS) has.
        package_modules: Vec<String>,
        /// Words that the driver prints only of a virtual function.
        virtual_words: Vec<String>,
        /// Words of lines that name an AMD GPU or a driver of one.
        gpu_words: Vec<String>,
        /// Names and words of failures of a GPU, in lines that may be cut or shortened.
        failure_words: Vec<String>,
        /// Names of the user-space driver and of software that computes on AMD GPUs, in lines of
        /// programs that nothing else explains.
        software: Vec<String>,
        /// How their statements of a failure begin, and with which words they say that something
        /// failed.
        program_failures: Vec<String>,
        /// The words with which they say it behind what failed.
        program_verdicts: Vec<String>,
        /// How they call the level of a failure.
        program_levels: Vec<String>,
        /// What people do not write: places in source code, calls, addresses.
        program_marks: Vec<String>,
        /// How lines begin that people mark up.
        program_markup: Vec<String>,
        /// What only code has.
        program_code: Vec<String>,
        /// How the names of files end that are not printed as a place of a failure.
        program_files: Vec<String>,
        /// Programs that print such names for another purpose, with `*` for any characters.
        program_others: Vec<String>,
        /// Words of such lines that report no failure, or an ordinary one.
        program_noise: Vec<String>,
        /// Prefixes of functions that wait for work of any GPU.
        fences: Vec<String>,
        /// Programs with which the session ends.
        desktops: Vec<String>,
        /// Programs that compute on the GPU and draw nothing, with `*` for any characters.
        compute_programs: Vec<String>,
    }
}

record! {
    /// A driver of AMD GPUs whose messages are not in the catalogue.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct UncoveredDriver {
        /// Its name before a device and in brackets.
        pub(crate) name: String = required,
        /// What it is, in a few words.
        pub(crate) is: String = required,
        /// Further beginnings of its lines.
        pub(crate) begins: Vec<String>,
        /// Parts of its errors by which they are known inside what a person writes.
        pub(crate) quoted: Vec<String>,
        /// Ends of its lines that show a failure without a word for one.
        pub(crate) fails: Vec<String>,
        /// Whether it drives something else than a GPU. Only its errors are counted, and they leave
        /// the verdict as it is.
        pub(crate) beside: bool,
    }
}

record! {
    /// Prefixes of the block names of a generation.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(super) struct GenerationNames {
        gfx: u8,
        names: Vec<String> = required,
        /// The versions of the graphics block to which they belong, if not to all of the
        /// generation.
        gc: Vec<String>,
    }
    check
}

impl GenerationNames {
    fn check(&self, table: &Table<'_>) {
        let is_wrong = !(6..=20).contains(&self.gfx);
        table.mistake_at("gfx", is_wrong, "a generation is a number from 6 to 20");
    }
}

/// The words by which a failure of a program that uses an AMD GPU is known, as described for the
/// lists in pattern files.
#[derive(Debug)]
pub(crate) struct ProgramWords<'p> {
    pub(crate) software: Vec<&'p str>,
    pub(crate) beginnings: Vec<&'p str>,
    pub(crate) verdicts: Vec<&'p str>,
    pub(crate) levels: Vec<&'p str>,
    pub(crate) noise: Vec<&'p str>,
    pub(crate) marks: Vec<&'p str>,
    pub(crate) markup: Vec<&'p str>,
    pub(crate) code: Vec<&'p str>,
    pub(crate) files: Vec<&'p str>,
    others: Vec<&'p str>,
}

impl ProgramWords<'_> {
    /// Words one of which any such line has. A verdict may be last in its line.
    pub(crate) fn failures(&self) -> Vec<&str> {
        let verdicts = self.verdicts.iter().map(|verdict| verdict.trim_end_matches('.'));
        self.beginnings.iter().chain(&self.levels).copied().chain(verdicts).collect()
    }

    /// Whether a program prints such names for another purpose than the use of a GPU.
    pub(crate) fn is_of_other_purpose(&self, program: &str) -> bool {
        let name = program.rsplit('/').next().unwrap_or(program);
        self.others.iter().any(|other| Glob::new(other).matches(name))
    }
}

impl KernelNames {
    /// The generation that the name of a function or IP block proves: `gfx_v11_0_…` is gfx11.
    pub(crate) fn generation_of(&self, name: &str) -> Option<GfxGeneration> {
        self.named(name).map(|known| GfxGeneration(known.gfx))
    }

    /// The versions of the graphics block that the name of a function or IP block proves; none if
    /// all of a generation have it.
    pub(super) fn versions_of(&self, name: &str) -> &[String] {
        self.named(name).map(|known| known.gc.as_slice()).unwrap_or_default()
    }

    fn named(&self, name: &str) -> Option<&GenerationNames> {
        let begins = |known: &&GenerationNames| known.names.iter().any(|one| name.starts_with(one));
        self.generations.iter().find(begins)
    }

    /// Whether the block cannot be set up without a firmware file of this name.
    pub(crate) fn is_firmware_of(&self, file: &str, block: &str) -> bool {
        let name = file.rsplit('/').next().unwrap_or_default().trim_end_matches(".bin");
        let known = self.firmware.iter().find(|known| block.starts_with(known.block.as_str()));
        known.is_some_and(|known| {
            name.split('_').any(|part| known.files.iter().any(|one| one == part))
        })
    }

    /// Whether only AMD's driver package has a module of this name.
    pub(crate) fn is_of_the_package(&self, module: &str) -> bool {
        self.all.iter().flat_map(|names| &names.package_modules).any(|name| name == module)
    }

    /// Whether the driver prints such a line only of a virtual function.
    pub(crate) fn is_of_a_virtual_function(&self, body: &str) -> bool {
        let mut words = self.all.iter().flat_map(|names| &names.virtual_words);
        words.any(|word| body.contains(word.as_str()))
    }

    /// Whether `driver` drives GPUs of another vendor.
    pub(crate) fn is_another_driver(&self, driver: &str) -> bool {
        self.other_drivers().any(|other| other == driver)
    }

    /// The drivers of other vendors' GPUs.
    pub(crate) fn other_drivers(&self) -> impl Iterator<Item = &String> {
        self.all.iter().flat_map(|names| &names.other_drivers)
    }

    /// Drivers of AMD GPUs whose messages are not in the catalogue.
    pub(crate) fn uncovered(&self) -> impl Iterator<Item = &UncoveredDriver> {
        self.uncovered.iter()
    }

    /// Words that tell something wherever they are, and what.
    pub(crate) fn mentions(&self) -> impl Iterator<Item = (&str, Mention)> {
        self.mentions.iter().flat_map(|one| one.words.iter().map(|word| (word.as_str(), one.of)))
    }

    /// Words of lines that name an AMD GPU or a driver of one.
    pub(crate) fn gpu_words(&self) -> impl Iterator<Item = &String> {
        self.all.iter().flat_map(|names| &names.gpu_words)
    }

    /// The words by which a failure of a program is known.
    pub(crate) fn program_words(&self) -> ProgramWords<'_> {
        let all = |list: fn(&Names) -> &Vec<String>| -> Vec<&str> {
            self.all.iter().flat_map(list).map(String::as_str).collect()
        };
        ProgramWords {
            software: all(|names| &names.software),
            beginnings: all(|names| &names.program_failures),
            verdicts: all(|names| &names.program_verdicts),
            levels: all(|names| &names.program_levels),
            noise: all(|names| &names.program_noise),
            marks: all(|names| &names.program_marks),
            markup: all(|names| &names.program_markup),
            code: all(|names| &names.program_code),
            files: all(|names| &names.program_files),
            others: all(|names| &names.program_others),
        }
    }

    /// Whether a stack is in code that works for the drivers of all GPUs, and in no function of
    /// another one.
    pub(crate) fn are_shared(&self, stack: &Frames) -> bool {
        let prefixes = self.all.iter().flat_map(|names| &names.gpu_shared);
        let fits = |name: &str| prefixes.clone().any(|prefix| name.starts_with(prefix));
        let is_shared = |frame: &Frame| frame.module.as_deref().is_some_and(fits);
        stack.0.iter().any(is_shared) && !self.are_anothers(stack)
    }

    /// Names and words of failures of a GPU.
    pub(crate) fn failure_words(&self) -> impl Iterator<Item = &String> {
        self.all.iter().flat_map(|names| &names.failure_words)
    }

    /// Whether a task with this stack, or these other names, is working on an amdgpu GPU.
    pub(crate) fn are_of_a_gpu(&self, stack: Option<&Frames>, beside: &[Option<&str>]) -> bool {
        let frames = stack.map(|stack| stack.0.as_slice()).unwrap_or_default();
        if stack.is_some_and(|stack| self.are_anothers(stack)) {
            return false;
        }
        let prefixes = self.all.iter().flat_map(|names| &names.gpu);
        let ours = |name: &str| prefixes.clone().any(|prefix| name.starts_with(prefix));
        frames
            .iter()
            .any(|frame| ours(&frame.function) || frame.module.as_deref().is_some_and(ours))
            || beside.iter().flatten().any(|name| ours(name))
    }

    /// Whether a stack contains a function of another GPU driver.
    pub(crate) fn are_anothers(&self, stack: &Frames) -> bool {
        stack.0.iter().any(|frame| self.is_anothers(frame))
    }

    /// Whether the session ends with `program`.
    pub(crate) fn is_a_desktop(&self, program: &str) -> bool {
        self.all.iter().flat_map(|names| &names.desktops).any(|name| name == program)
    }

    /// Whether `program` computes on the GPU and draws nothing.
    pub(crate) fn is_a_compute_program(&self, program: &str) -> bool {
        let mut names = self.all.iter().flat_map(|names| &names.compute_programs);
        names.any(|name| Glob::new(name).matches(program))
    }

    /// Whether `function` waits for work of any GPU.
    pub(crate) fn is_a_fence(&self, function: &str) -> bool {
        self.all.iter().flat_map(|names| &names.fences).any(|prefix| function.starts_with(prefix))
    }

    fn is_anothers(&self, frame: &Frame) -> bool {
        self.other_drivers().any(|driver| match &frame.module {
            Some(module) => module == driver,
            None => frame.function.strip_prefix(driver).is_some_and(|rest| rest.starts_with('_')),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::hardware::tests::built_in;

    #[test]
    fn some_blocks_tell_more_than_the_generation() {
        let names = &built_in().names;
        assert_eq!(names.versions_of("mes_v12_0_0"), ["12.0.0", "12.0.1"]);
        assert_eq!(names.versions_of("gfx_v12_1"), ["12.1.0"]);
        assert!(names.versions_of("gfx_v11_0").is_empty());
    }

    #[test]
    fn only_blocks_of_one_generation_prove_it() {
        let names = &built_in().names;
        for (name, generation) in [
            ("gfx_v11_0_cp_gfx_enable", Some(11)),
            ("mes_v12_1_submit", Some(12)),
            ("gfx_v9_4_3", Some(9)),
            ("sdma_v6_0", Some(11)),
            ("gmc_v10_0_process_interrupt", Some(10)),
            ("amdgpu_job_timedout", None),
            ("vcn_v4_0", None),
            ("gfx_v", None),
        ] {
            assert_eq!(names.generation_of(name), generation.map(GfxGeneration), "{name}");
        }
    }

    #[test]
    fn a_stack_with_another_driver_is_not_ours() {
        let frame = |text: &str| Frame::read(text).unwrap();
        let names = &built_in().names;
        let ttm = frame("ttm_bo_wait_ctx+0x1d0/0x250 [ttm]");
        let nouveau = frame("nouveau_gem_ioctl_cpu_prep+0x10/0x20 [nouveau]");
        assert!(names.are_of_a_gpu(Some(&Frames(vec![ttm.clone()])), &[]));
        assert!(!names.are_of_a_gpu(Some(&Frames(vec![ttm, nouveau])), &[]));
        assert!(names.are_of_a_gpu(None, &[None, Some("amdgpu-reset-dev")]));
        assert!(!names.are_of_a_gpu(None, &[Some("nfsd")]));
    }
}
