//! Packages of Gentoo. Source: Package Manager Specification, `/var/db/pkg`.

use super::{Package, day};
use crate::host::reader::{Fact, Reader};
use crate::pattern::machine::Collected;

const FOLDER: &str = "/var/db/pkg";

pub(super) fn installed(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Package>> {
    let mut packages = Vec::new();
    for category in reader.names(FOLDER)? {
        for folder in reader.entries(&format!("{FOLDER}/{category}")) {
            let package = split(&folder)
                .and_then(|(name, version)| Package::of(collected, name, version, None));
            let Some(package) = package else { continue };
            let written = reader.status(&format!("{FOLDER}/{category}/{folder}")).ok();
            packages
                .push(Package { installed: written.and_then(|it| day(it.modified)), ..package });
        }
    }
    Ok(packages)
}

/// Splits name and version: the version begins at the first hyphen that a digit follows.
fn split(folder: &str) -> Option<(&str, &str)> {
    let digit = |at: &usize| folder[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let at = folder.match_indices('-').map(|(at, _)| at).find(digit)?;
    Some((&folder[..at], &folder[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_name_and_version() {
        for (folder, want) in [
            ("mesa-25.2.5-r1", Some(("mesa", "25.2.5-r1"))),
            ("linux-firmware-20251021", Some(("linux-firmware", "20251021"))),
            ("mesa", None),
            ("-", None),
        ] {
            assert_eq!(split(folder), want, "{folder}");
        }
    }
}
