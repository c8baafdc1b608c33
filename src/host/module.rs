//! The amdgpu module: which one is loaded, and its current and configured parameters.

use std::collections::BTreeMap;

use serde::Serialize;

use super::json::{OrNull, each_or_null, text};
use super::kernel::{Kernel, words};
use super::reader::{Fact, Reader, if_there};

/// The directories of module options, the one with the highest priority first. A file hides those
/// of the same name in later directories. Source: modprobe.d(5).
pub(super) const FOLDERS: [&str; 4] =
    ["/etc/modprobe.d", "/run/modprobe.d", "/usr/lib/modprobe.d", "/lib/modprobe.d"];

/// Where a setting is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SettingOrigin {
    /// On the kernel command line.
    CommandLine,
    /// In a modprobe configuration file.
    File {
        path: String,
        /// The line number, from 1.
        line: usize,
    },
}

impl std::fmt::Display for SettingOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CommandLine => f.write_str("/proc/cmdline"),
            Self::File { path, line } => write!(f, "{path}:{line}"),
        }
    }
}

/// A configured parameter of amdgpu.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Setting {
    /// Its name, with underscores, without `amdgpu.`.
    pub name: String,
    /// Its value; null if only the name is given, which turns it on.
    pub value: Option<String>,
    /// Where it is set: `/proc/cmdline`, or the path and line of a modprobe file.
    #[serde(serialize_with = "text")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub place: SettingOrigin,
}

/// The amdgpu kernel module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "DriverModule"))]
pub(crate) struct Module {
    /// Whether it is loaded.
    #[serde(with = "OrNull::<bool>")]
    pub loaded: Fact<bool>,
    /// The version; only AMD's own package states one.
    #[serde(with = "OrNull::<Option<String>>")]
    pub version: Fact<Option<String>>,
    /// The taint letters: `OE` for an out-of-tree module.
    #[serde(with = "OrNull::<String>")]
    pub taint: Fact<String>,
    /// The parameters in effect, by name.
    #[serde(serialize_with = "each_or_null")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Option<String>>"))]
    pub parameters: BTreeMap<String, Fact<String>>,
    /// The configured parameters, in the order in which modprobe applies them: the last one of a
    /// name counts.
    pub settings: Vec<Setting>,
    /// The setting that prevents the module from being loaded.
    #[serde(skip)]
    pub held_off: Option<SettingOrigin>,
    /// The versions of AMD's driver package that are registered with DKMS.
    #[serde(with = "OrNull::<Vec<String>>")]
    pub dkms: Fact<Vec<String>>,
    /// The path of an out-of-tree amdgpu module for this kernel; null if there is none.
    pub built: Option<String>,
}

impl Module {
    pub(super) fn read(reader: &mut Reader<'_>, kernel: &Kernel) -> Self {
        let folder = "/sys/module/amdgpu";
        let names = reader.entries(&format!("{folder}/parameters")).into_iter();
        let value = |name: String| {
            let value = reader.text(&format!("{folder}/parameters/{name}"));
            (name, value)
        };
        let parameters = names.map(value).collect();
        let mut options = Options::default();
        options.read(reader);
        if let Ok(line) = &kernel.command_line {
            options.add_command_line(line);
        }
        // A kernel with amdgpu built in has the directory, too.
        let loaded = reader.names("/sys/module").map(|all| all.iter().any(|one| one == "amdgpu"));
        Self {
            loaded,
            version: if_there(reader.text(&format!("{folder}/version"))),
            taint: reader.text(&format!("{folder}/taint")),
            parameters,
            settings: options.settings,
            held_off: options.held_off,
            dkms: dkms(reader),
            built: kernel.release.as_ref().ok().and_then(|release| built(reader, release)),
        }
    }

    /// The current value of a parameter.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.parameters.get(name)?.as_deref().ok()
    }
}

/// The configured options of amdgpu.
#[derive(Debug, Default)]
struct Options {
    settings: Vec<Setting>,
    held_off: Option<SettingOrigin>,
}

impl Options {
    fn read(&mut self, reader: &mut Reader<'_>) {
        for path in reader.drop_ins(&FOLDERS.map(str::to_owned)) {
            if let Ok(text) = reader.text(&path) {
                self.add_file(&path, &text);
            }
        }
    }

    fn add_file(&mut self, path: &str, text: &str) {
        let mut lines = text.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            let mut line = line.to_owned();
            while line.ends_with('\\') {
                line.pop();
                let Some((_, more)) = lines.next() else { break };
                line.push_str(more);
            }
            let place = || SettingOrigin::File { path: path.to_owned(), line: number + 1 };
            let words = words(&line);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            match words.as_slice() {
                ["options", "amdgpu", options @ ..] => {
                    for option in options.iter().take_while(|option| !option.starts_with('#')) {
                        self.add(option, place());
                    }
                }
                ["blacklist", "amdgpu", ..]
                | ["install", "amdgpu", "/bin/true" | "/bin/false", ..] => {
                    self.held_off = Some(place());
                }
                _ => {}
            }
        }
    }

    fn add_command_line(&mut self, line: &str) {
        for word in words(line) {
            let (name, value) = word.split_once('=').unwrap_or((&word, ""));
            match name {
                "nomodeset" => self.held_off = Some(SettingOrigin::CommandLine),
                "modprobe.blacklist" | "module_blacklist" | "rd.driver.blacklist"
                    if value.split(',').any(|module| module == "amdgpu") =>
                {
                    self.held_off = Some(SettingOrigin::CommandLine);
                }
                _ => {
                    if let Some(option) = word.strip_prefix("amdgpu.") {
                        self.add(option, SettingOrigin::CommandLine);
                    }
                }
            }
        }
    }

    fn add(&mut self, option: &str, place: SettingOrigin) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (option, None),
        };
        // The kernel treats `-` and `_` alike: kernel/params.c `dash2underscore`.
        let name = name.replace('-', "_");
        // These are handled by the kernel for any module: kernel/module/main.c
        // `unknown_module_param_cb`.
        if matches!(name.as_str(), "dyndbg" | "async_probe") {
            return;
        }
        self.settings.push(Setting { name, value, place });
    }
}

/// The versions below `/var/lib/dkms/amdgpu`, without the links to what was built.
fn dkms(reader: &mut Reader<'_>) -> Fact<Vec<String>> {
    let names = if_there(reader.names("/var/lib/dkms/amdgpu"))?.unwrap_or_default();
    Ok(names.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_digit())).collect())
}

/// The directories of out-of-tree modules: Debian and Ubuntu, Fedora, openSUSE.
fn built(reader: &mut Reader<'_>, release: &str) -> Option<String> {
    // The release becomes part of a path.
    if release.is_empty() || release.contains(['/', '\0']) || release.starts_with('.') {
        return None;
    }
    ["updates/dkms", "extra", "updates"].into_iter().find_map(|folder| {
        let folder = format!("/lib/modules/{release}/{folder}");
        let names = reader.entries(&folder);
        let found = names.iter().find(|name| name.starts_with("amdgpu.ko"))?;
        Some(format!("{folder}/{found}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings_of(options: &Options) -> Vec<String> {
        let told = |one: &Setting| {
            format!("{}={} {}", one.name, one.value.as_deref().unwrap_or("-"), one.place)
        };
        options.settings.iter().map(told).collect()
    }

    #[test]
    fn options_are_read_as_modprobe_reads_them() {
        let mut options = Options::default();
        let text = "# options amdgpu a=1\noptions amdgpu ppfeaturemask=0xffffffff \\\n  runpm=0\n\
                    options radeon b=1\noptions amdgpu dc # c=1\nblacklist amdgpu";
        options.add_file("/etc/modprobe.d/a.conf", text);
        assert_eq!(
            settings_of(&options),
            [
                "ppfeaturemask=0xffffffff /etc/modprobe.d/a.conf:2",
                "runpm=0 /etc/modprobe.d/a.conf:2",
                "dc=- /etc/modprobe.d/a.conf:5",
            ]
        );
        let place = SettingOrigin::File { path: "/etc/modprobe.d/a.conf".to_owned(), line: 6 };
        assert_eq!(options.held_off, Some(place));
    }

    #[test]
    fn the_command_line_overrides_modprobe_files() {
        let mut options = Options::default();
        options.add_command_line(
            "ro amdgpu.gpu-recovery=1 amdgpu.dyndbg=+p amdgpux.b=2 module_blacklist=a,amdgpu",
        );
        assert_eq!(settings_of(&options), ["gpu_recovery=1 /proc/cmdline"]);
        assert_eq!(options.held_off, Some(SettingOrigin::CommandLine));
    }
}
