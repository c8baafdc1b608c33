//! Packages of Arch. Source: pacman's `lib/libalpm/be_local.c`.

use super::{Change, LIMIT, Package, day, newest};
use crate::host::reader::{Fact, Reader};
use crate::pattern::machine::Collected;

const FOLDER: &str = "/var/lib/pacman/local";

pub(super) fn installed(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Package>> {
    let mut packages = Vec::new();
    for folder in reader.names(FOLDER)? {
        let Some((name, version)) = split(&folder) else { continue };
        let Some(kind) = collected.package(name) else { continue };
        let text = reader.long_text(&format!("{FOLDER}/{folder}/desc"), 1 << 20);
        let seconds = text.ok().and_then(|text| value(&text, "%INSTALLDATE%")?.parse().ok());
        let (name, version) = (name.to_owned(), version.to_owned());
        packages.push(Package { kind, name, version, installed: seconds.and_then(day) });
    }
    Ok(packages)
}

/// `mesa-1:25.2.6-1` is name, version and release.
fn split(folder: &str) -> Option<(&str, &str)> {
    let release = folder.rfind('-')?;
    let version = folder[..release].rfind('-')?;
    Some((&folder[..version], &folder[version + 1..]))
}

/// The line behind a key.
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
            split("linux-firmware-amdgpu-20251021-1"),
            Some(("linux-firmware-amdgpu", "20251021-1"))
        );
        assert_eq!(split("mesa-1:25.2.6-1"), Some(("mesa", "1:25.2.6-1")));
        assert_eq!(split("ALPM_DB_VERSION"), None);
        assert_eq!(
            value("%NAME%\nmesa\n\n%INSTALLDATE%\n1761000000\n", "%INSTALLDATE%"),
            Some("1761000000")
        );
        assert_eq!(value("%INSTALLDATE%", "%INSTALLDATE%"), None);
    }

    #[test]
    fn a_log_tells_from_which_to_which() {
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
