//! The configuration of the kernel and its modules.

use std::fmt::Write as _;

use super::Attachment;
use crate::host::Host;
use crate::host::files::Refusal;
use crate::host::module::FOLDERS;
use crate::host::reader::{Reader, is_conf};

/// Modules whose settings concern a GPU.
const MODULES: [&str; 6] = ["amdgpu", "ttm", "drm", "drm_kms_helper", "radeon", "amdkcl"];

pub(super) fn command_line(host: &Host) -> Attachment {
    let line = host.kernel.command_line.clone().map(|line| format!("{line}\n"));
    Attachment::of_text("host/cmdline.txt", "/proc/cmdline", line.map_err(|unread| unread.why))
}

/// `amdgpu.runpm = -1`, one a line.
pub(super) fn parameters(reader: &mut Reader<'_>, host: &Host) -> Attachment {
    let mut text = String::new();
    let mut line = |module: &str, name: &str, value: Result<&str, &Refusal>| {
        // Writing to a string cannot fail.
        let _ = match value {
            Ok(value) => writeln!(text, "{module}.{name} = {value}"),
            Err(why) => writeln!(text, "{module}.{name}: {why}"),
        };
    };
    for (name, value) in &host.module.parameters {
        line("amdgpu", name, value.as_deref().map_err(|unread| &unread.why));
    }
    for module in MODULES.into_iter().filter(|module| *module != "amdgpu") {
        let folder = format!("/sys/module/{module}/parameters");
        for name in reader.entries(&folder) {
            let value = reader.text(&format!("{folder}/{name}"));
            line(module, &name, value.as_deref().map_err(|unread| &unread.why));
        }
    }
    let content = if text.is_empty() { Err(Refusal::Missing) } else { Ok(text) };
    Attachment::of_text("host/parameters.txt", "/sys/module/{amdgpu,ttm,drm}/parameters", content)
}

/// The lines of all files that name one of the modules, each with its file and line number.
pub(super) fn modprobe(reader: &mut Reader<'_>) -> Attachment {
    let mut text = String::new();
    let mut unread = None;
    for folder in FOLDERS {
        for name in reader.entries(folder).into_iter().filter(|name| is_conf(name)) {
            let path = format!("{folder}/{name}");
            let file = match reader.long_text(&path, 1 << 20) {
                Ok(file) => file,
                Err(failed) => {
                    unread = unread.or(Some(failed.why));
                    continue;
                }
            };
            for (number, line) in file.lines().enumerate().filter(|(_, line)| concerns(line)) {
                let _ = writeln!(text, "{path}:{}: {line}", number + 1);
            }
        }
    }
    let content = match (text.is_empty(), unread) {
        (true, Some(why)) => Err(why),
        (true, None) => Ok("no line concerns a GPU's driver\n".to_owned()),
        (false, _) => Ok(text),
    };
    Attachment::of_text("host/modprobe.d.txt", "/etc/modprobe.d, /usr/lib/modprobe.d", content)
}

/// Whether a line is a setting of a module. Comments are excluded, because they may contain
/// anything.
fn concerns(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let module = |word: &str| MODULES.contains(&word.replace('-', "_").as_str());
    match words.next() {
        Some("options" | "blacklist" | "install" | "remove" | "softdep" | "alias") => {
            words.any(module)
        }
        // The continuation line of a setting.
        Some(word) => !word.starts_with('#') && word.starts_with("amdgpu."),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_about_the_driver_are_taken() {
        for (line, want) in [
            ("options amdgpu ppfeaturemask=0xffffffff", true),
            ("blacklist radeon", true),
            ("options drm-kms-helper poll=0", true),
            ("softdep amdgpu pre: amdkcl", true),
            ("# options amdgpu dc=0", false),
            ("options nvidia NVreg_X=1", false),
            ("options cfg80211 ieee80211_regdom=DE", false),
            ("", false),
        ] {
            assert_eq!(concerns(line), want, "{line}");
        }
    }
}
