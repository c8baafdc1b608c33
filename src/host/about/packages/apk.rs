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

/// `P:` is the name and `V:` the version behind it.
fn packages(text: &str, collected: &Collected) -> Vec<Package> {
    let (mut found, mut name) = (Vec::new(), None);
    for line in text.lines() {
        if let Some(text) = line.strip_prefix("P:") {
            name = Some(text.trim());
        } else if let Some(version) = line.strip_prefix("V:")
            && let Some(name) = name.take()
            && let Some(kind) = collected.package(name)
        {
            let (name, version) = (name.to_owned(), version.trim().to_owned());
            found.push(Package { kind, name, version, installed: None });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_version_behind_it() {
        let text =
            "C:Q1x=\nP:mesa-dri-gallium\nV:25.2.5-r0\nA:x86_64\n\nP:bash\nV:5\n\nV:9\nP:mesa-gl\n";
        let found = packages(text, &crate::builtin::patterns().machines.collected);
        let told: Vec<(&str, &str)> =
            found.iter().map(|it| (it.name.as_str(), it.version.as_str())).collect();
        assert_eq!(told, [("mesa-dri-gallium", "25.2.5-r0")]);
    }
}
