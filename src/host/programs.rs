//! The programs that may be run, with their arguments and time limits. The set is closed: neither a
//! pattern file nor a question can name another program.

use std::collections::BTreeMap;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::files::Refusal;
use crate::program::{Launch, Said, answered};
use crate::value::PciAddress;

/// Maximum length of a program's output in bytes.
const LIMIT: u64 = 8 << 20;
/// Maximum length of an error message to show, in characters.
const SHOWN: usize = 200;

/// The release of a kernel, as used in file names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release(String);

impl Release {
    /// Parses a release; `None` if it is not safe as part of a path or looks like an option.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | '~');
        let begins = text.starts_with(|c: char| c.is_ascii_alphanumeric());
        (begins && text.chars().all(plain)).then(|| Self(text.to_owned()))
    }

    pub(crate) fn text(&self) -> &str {
        &self.0
    }
}

/// A program that may be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Program {
    /// A PCI function with its capabilities.
    Lspci(PciAddress),
    /// Versions and devices of Vulkan.
    Vulkaninfo,
    /// Version and device of OpenGL.
    Glxinfo,
    /// Video decoding capabilities.
    Vainfo,
    /// The devices that the compute runtime sees.
    Rocminfo,
    /// Versions of AMD SMI and its library.
    AmdSmi,
    /// The same from ROCm SMI.
    RocmSmi,
    /// Out-of-tree modules, and the kernels that they are built for.
    Dkms,
    /// All packages of an RPM database with their times of installation.
    Rpm,
    /// The start and end of each boot in the journal.
    JournalBoots,
    /// Devices whose firmware fwupd can update.
    Fwupdmgr,
    /// The files in an initramfs of Debian and Ubuntu.
    Lsinitramfs(Release),
    /// The files in the running kernel's dracut initramfs.
    Lsinitrd,
    /// The files in an Arch initramfs, for the kernel package with this suffix; `None` for `linux`.
    Lsinitcpio(Option<Release>),
}

/// A property that decides whether a program can be run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// It opens a GPU: it blocks on one that hangs, and wakes a suspended one.
    OpensGpu,
    /// It needs a desktop session.
    NeedsSession,
    /// It loads layers and drivers from directories and variables that a user controls.
    LoadsUsersFiles,
    /// It is useful on every machine with a GPU, so that installing it is recommended.
    IsForAll,
    /// It prints a long list of files, which is reduced to those of the driver.
    ListsFiles,
}

/// The name of a program, its arguments, its time limit in seconds, and its properties.
type Row = (&'static str, Vec<String>, u64, &'static [Property]);

impl Program {
    fn row(&self) -> Row {
        use Property::{IsForAll, ListsFiles, LoadsUsersFiles, NeedsSession, OpensGpu};
        let row = |name, arguments: &[&str], seconds, properties| -> Row {
            (name, arguments.iter().map(|one| (*one).to_owned()).collect(), seconds, properties)
        };
        let rpm = "%{NAME}\\t%{VERSION}-%{RELEASE}\\t%{INSTALLTIME}\\n";
        match self {
            Self::Lspci(gpu) => {
                row("lspci", &["-vvv", "-nn", "-k", "-s", &gpu.to_string()], 2, &[IsForAll])
            }
            Self::Vulkaninfo => {
                row("vulkaninfo", &["--summary"], 10, &[OpensGpu, LoadsUsersFiles, IsForAll])
            }
            Self::Glxinfo => {
                row("glxinfo", &["-B"], 2, &[OpensGpu, NeedsSession, LoadsUsersFiles, IsForAll])
            }
            Self::Vainfo => row("vainfo", &[], 2, &[OpensGpu, LoadsUsersFiles]),
            Self::Rocminfo => row("rocminfo", &[], 10, &[OpensGpu]),
            Self::AmdSmi => row("amd-smi", &["version"], 5, &[OpensGpu]),
            Self::RocmSmi => row("rocm-smi", &["--version"], 5, &[OpensGpu]),
            Self::Dkms => row("dkms", &["status"], 5, &[]),
            Self::Rpm => row("rpm", &["-qa", "--qf", rpm], 5, &[]),
            Self::JournalBoots => {
                row("journalctl", &["--list-boots", "--no-pager", "--quiet"], 5, &[])
            }
            // fwupd's daemon asks each GPU for the version of its flash.
            Self::Fwupdmgr => row("fwupdmgr", &["get-devices", "--json"], 5, &[OpensGpu]),
            Self::Lsinitramfs(Release(release)) => {
                row("lsinitramfs", &[&format!("/boot/initrd.img-{release}")], 10, &[ListsFiles])
            }
            Self::Lsinitrd => row("lsinitrd", &[], 10, &[ListsFiles]),
            Self::Lsinitcpio(package) => {
                let ending = package.iter().map(|Release(name)| format!("-{name}"));
                let path = format!("/boot/initramfs-linux{}.img", ending.collect::<String>());
                row("lsinitcpio", &[&path], 10, &[ListsFiles])
            }
        }
    }

    /// The name of the program.
    pub(crate) fn name(&self) -> &'static str {
        self.row().0
    }

    /// Its arguments.
    pub(crate) fn arguments(&self) -> Vec<String> {
        self.row().1
    }

    /// Its time limit.
    pub(crate) fn patience(&self) -> Duration {
        Duration::from_secs(self.row().2)
    }

    /// Whether it has a property.
    #[must_use]
    pub fn has(&self, property: Property) -> bool {
        self.row().3.contains(&property)
    }
}

/// An environment variable that locates the session.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum DisplayVariable {
    /// `DISPLAY`
    Display,
    /// `WAYLAND_DISPLAY`
    #[strum(serialize = "WAYLAND_DISPLAY")]
    Wayland,
    /// `XDG_RUNTIME_DIR`
    #[strum(serialize = "XDG_RUNTIME_DIR")]
    RuntimeFolder,
    /// `XAUTHORITY`
    #[strum(serialize = "XAUTHORITY")]
    Authority,
}

/// A program to be run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The program.
    pub program: Program,
    /// The variables that locate the session.
    pub(crate) display: BTreeMap<DisplayVariable, String>,
}

/// The output of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ran {
    /// Standard output.
    pub output: Vec<u8>,
    /// Whether it was cut at the limit.
    pub cut: bool,
}

impl Run {
    /// Runs it: without a shell, without input, with a minimal environment.
    pub(super) fn answered(&self) -> Result<Ran, Refusal> {
        let program = &self.program;
        let launch = Launch::system(program.name())?.arguments(program.arguments());
        let variables = self.display.iter();
        let launch = variables
            .fold(launch, |launch, (name, value)| launch.variable(<&str>::from(name), value));
        let Ran { output, cut } = finished(launch, program.patience())?;
        if !program.has(Property::ListsFiles) {
            return Ok(Ran { output, cut });
        }
        let lines = output.split_inclusive(|byte| *byte == b'\n');
        let kept = lines.filter(|line| memchr::memmem::find(line, b"amdgpu").is_some());
        Ok(Ran { output: kept.flatten().copied().collect(), cut })
    }
}

/// Collects the output of a program until it ends or its time is over.
fn finished(launch: Launch, patience: Duration) -> Result<Ran, Refusal> {
    let said = answered(launch, LIMIT, patience).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => Refusal::TimedOut,
        _ => error.into(),
    })?;
    let Said { output, cut, complaint, succeeded } = said;
    if succeeded {
        Ok(Ran { output, cut })
    } else {
        Err(Refusal::Complained(complained(&complaint, &output)))
    }
}

/// The first line of a program's error message.
fn complained(complaint: &[u8], output: &[u8]) -> String {
    let all = [complaint, output].map(String::from_utf8_lossy);
    let line =
        all.iter().flat_map(|text| text.lines()).map(str::trim).find(|line| !line.is_empty());
    let line: String = line.unwrap_or_default().chars().take(SHOWN).collect();
    if line.is_empty() {
        "it failed and did not say why".to_owned()
    } else {
        format!("it said: {line}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    fn of(script: &str) -> Launch {
        Launch::system("/bin/sh").unwrap().arguments(["-c", script])
    }

    fn shell(script: &str, patience: Duration) -> (Result<Ran, Refusal>, Duration) {
        let start = Instant::now();
        let ran = finished(of(script), patience);
        (ran, start.elapsed())
    }

    const SHORT: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(20);

    #[test]
    fn a_program_that_never_ends_is_ended_with_all_it_started() {
        for script in [
            "echo a; sleep 1000",
            "sleep 1000 & echo b",
            "exec >&- 2>&-; sleep 1000",
            "trap '' TERM; sleep 1000",
        ] {
            let (ran, took) = shell(script, SHORT);
            assert_eq!(ran, Err(Refusal::TimedOut), "{script}");
            assert!(took < Duration::from_secs(5), "{script}: {took:?}");
        }
    }

    #[test]
    fn output_has_a_bound() {
        let (ran, _) = shell("yes", LONG);
        let ran = ran.unwrap();
        assert_eq!((ran.output.len() as u64, ran.cut), (LIMIT, true));
        // An error message beyond its limit does not block the program.
        let (ran, took) = shell("yes >&2 | head -c 100000; echo end", LONG);
        assert!(ran.unwrap().output.ends_with(b"end\n") && took < LONG);
    }

    #[test]
    fn failures_of_programs_are_reported() {
        let why = |script| shell(script, LONG).0.unwrap_err();
        let told = |text: &str| Refusal::Complained(text.to_owned());
        assert_eq!(why("echo no display >&2; exit 1"), told("it said: no display"));
        assert_eq!(why("exit 3"), told("it failed and did not say why"));
        let missing = Launch::system("/nonexistent/program").unwrap();
        assert_eq!(finished(missing, LONG), Err(Refusal::Missing));
    }

    #[test]
    fn nothing_of_ours_is_handed_on() {
        let ran = finished(of("/usr/bin/env; cat; pwd"), LONG).unwrap();
        let said = String::from_utf8(ran.output).unwrap();
        let mut lines: Vec<&str> = said.lines().filter(|line| !line.starts_with("_=")).collect();
        lines.sort_unstable();
        let [root, language, path, here] = lines[..] else { panic!("{lines:?}") };
        assert_eq!([root, language, here], ["/", "LC_ALL=C", "PWD=/"]);
        assert!(path.starts_with("PATH=/usr/bin:/bin:"), "{path}");
    }
}
