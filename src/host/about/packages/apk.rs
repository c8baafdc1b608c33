//! Packages of Alpine. Source: apk-tools' `src/package.c`.

use super::{LIMIT, Package};
use crate::host::reader::{Fact, Reader};
use crate::pattern::machine::Collected;

pub(super) fn installed(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Package>> {
    let text = reader.long_text("/lib/apk/db/installed", LIMIT).or_else(|unread| {
        reader.long_text("/usr/lib/apk/db/installed", LIMIT).map_err(|_| unread)
    })?;
    Ok(packages(&text, collected))
}

/// Parses entries: `P:` is the name, followed by the version in `V:`.
fn packages(text: &str, collected: &Collected) -> Vec<Package> {
    let mut name = None;
    let package = |line: &str| {
        if let Some(text) = line.strip_prefix("P:") {
            name = Some(text.trim().to_owned());
            return None;
        }
        let version = line.strip_prefix("V:")?.trim();
        Package::of(collected, &name.take()?, version, None)
    };
    text.lines().filter_map(package).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_follows_the_name() {
        let text =
            "C:Q1x=\nP:mesa-dri-gallium\nV:25.2.5-r0\nA:x86_64\n\nP:bash\nV:5\n\nV:9\nP:mesa-gl\n";
        let found = packages(text, &crate::builtin::patterns().machines.collected);
        let told: Vec<(&str, &str)> =
            found.iter().map(|it| (it.name.as_str(), it.version.as_str())).collect();
        assert_eq!(told, [("mesa-dri-gallium", "25.2.5-r0")]);
    }
}
