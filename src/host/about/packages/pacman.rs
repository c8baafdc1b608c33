//! Packages of Arch. Source: pacman's `lib/libalpm/be_local.c`.

use super::{Change, LIMIT, Package, day, name_and_version, newest};
use crate::host::reader::{Fact, Reader};
use crate::pattern::machine::Collected;

const FOLDER: &str = "/var/lib/pacman/local";

pub(super) fn installed(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Package>> {
    let names = reader.names(FOLDER)?;
    let package = |folder: &String| {
        let (name, version) = name_and_version(folder)?;
        let mut package = Package::of(collected, name, version, None)?;
        let text = reader.long_text(&format!("{FOLDER}/{folder}/desc"), 1 << 20).ok();
        let seconds = text.and_then(|text| value(&text, "%INSTALLDATE%")?.parse().ok());
        package.installed = seconds.and_then(day);
        Some(package)
    };
    Ok(names.iter().filter_map(package).collect())
}

/// The line after a key.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.lines();
    lines.find(|line| line.trim() == key)?;
    lines.next().map(str::trim)
}

pub(super) fn changes(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Change>> {
    let text = reader.long_text("/var/log/pacman.log", LIMIT)?;
    Ok(newest(text.lines().filter_map(|line| change(line, collected)).collect()))
}

/// `[2026-11-02T09:12:44+0100] [ALPM] upgraded mesa (1:25.2.5-1 -> 1:25.2.6-1)`
fn change(line: &str, collected: &Collected) -> Option<Change> {
    let (when, rest) = line.strip_prefix('[')?.split_once("] [ALPM] ")?;
    let (action, rest) = rest.split_once(' ')?;
    let (name, versions) = rest.split_once(" (")?;
    let versions = versions.trim_end().strip_suffix(')')?;
    let kind = collected.package(name)?;
    let text = |text: &str| Some(text.to_owned());
    let (from, to) = match action {
        "installed" => (None, text(versions)),
        "removed" => (text(versions), None),
        "upgraded" | "downgraded" => {
            let (from, to) = versions.split_once(" -> ")?;
            (text(from), text(to))
        }
        _ => return None,
    };
    Some(Change { when: when.to_owned(), kind, name: name.to_owned(), from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_name_and_version() {
        assert_eq!(
            name_and_version("linux-firmware-amdgpu-20251021-1"),
            Some(("linux-firmware-amdgpu", "20251021-1"))
        );
        assert_eq!(name_and_version("mesa-1:25.2.6-1"), Some(("mesa", "1:25.2.6-1")));
        assert_eq!(name_and_version("ALPM_DB_VERSION"), None);
        assert_eq!(
            value("%NAME%\nmesa\n\n%INSTALLDATE%\n1761000000\n", "%INSTALLDATE%"),
            Some("1761000000")
        );
        assert_eq!(value("%INSTALLDATE%", "%INSTALLDATE%"), None);
    }

    #[test]
    fn pacman_log_has_both_versions() {
        let collected = &crate::builtin::patterns().machines.collected;
        let read = |line: &str| change(line, collected).map(|it| (it.from, it.to));
        let text = |text: &str| Some(text.to_owned());
        for (line, want) in [
            (
                "[2026-11-02T09:12:44+0100] [ALPM] upgraded mesa (1 -> 2)",
                Some((text("1"), text("2"))),
            ),
            ("[2026-11-02T09:12:44+0100] [ALPM] installed mesa (2)", Some((None, text("2")))),
            ("[2026-11-02T09:12:44+0100] [ALPM] removed mesa (2)\r", Some((text("2"), None))),
            ("[2026-11-02T09:12:44+0100] [ALPM] reinstalled mesa (2)", None),
            ("[2026-11-02T09:12:44+0100] [PACMAN] Running 'pacman -Syu'", None),
            ("[2026-11-02T09:12:44+0100] [ALPM] upgraded bash (1 -> 2)", None),
        ] {
            assert_eq!(read(line), want, "{line}");
        }
    }
}
