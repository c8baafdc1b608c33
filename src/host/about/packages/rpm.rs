//! Packages of Fedora, openSUSE and Red Hat. The database is read with `rpm`, because its format
//! has changed three times.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::{LIMIT, Package, day, name_and_version};
use crate::host::files::Refusal;
use crate::host::programs::{Program, Run};
use crate::host::reader::{Fact, Reader, Unread};
use crate::pattern::machine::Collected;

/// The directories of the database.
const FOLDERS: [&str; 3] = ["/usr/lib/sysimage/rpm", "/var/lib/rpm", "/usr/share/rpm"];

pub(super) fn installed(
    reader: &mut Reader<'_>,
    collected: &Collected,
    runs: bool,
) -> Fact<Vec<Package>> {
    // The output of `rpm -qa` in a sosreport.
    if let Ok(text) = reader.long_text("/installed-rpms", LIMIT) {
        return Ok(text.lines().filter_map(|line| listed(line, collected)).collect());
    }
    let Some(folder) = FOLDERS.into_iter().find(|folder| reader.names(folder).is_ok()) else {
        return Err(Unread::new("/var/lib/rpm", Refusal::Missing));
    };
    if !runs {
        return Err(Unread::new(folder, Refusal::Elsewhere));
    }
    let run = Run { program: Program::Rpm, display: BTreeMap::new() };
    let ran = reader.run(run).map_err(|unread| match unread.why {
        // The database exists, but `rpm` does not.
        Refusal::Missing => {
            Unread::new(unread.path, Refusal::Failed("the program rpm is not there".to_owned()))
        }
        _ => unread,
    })?;
    let text = String::from_utf8_lossy(&ran.output);
    Ok(text.lines().filter_map(|line| queried(line, collected)).collect())
}

/// Parses a line of [`Program::Rpm`].
fn queried(line: &str, collected: &Collected) -> Option<Package> {
    let mut fields = line.split('\t');
    let (name, version, seconds) = (fields.next()?, fields.next()?, fields.next()?);
    Package::of(collected, name, version, seconds.trim().parse().ok().and_then(day))
}

/// `mesa-dri-drivers-25.2.5-1.fc43.x86_64    Sun Nov  2 09:12:44 2026`
fn listed(line: &str, collected: &Collected) -> Option<Package> {
    let (package, date) = line.split_once(char::is_whitespace)?;
    let (package, _) = package.rsplit_once('.')?;
    let (name, version) = name_and_version(package)?;
    let words: Vec<&str> = date.split_whitespace().collect();
    let installed = match words.as_slice() {
        [_, month, day, _, .., year] => {
            NaiveDate::parse_from_str(&format!("{day} {month} {year}"), "%d %b %Y").ok()
        }
        _ => None,
    };
    Package::of(collected, name, version, installed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_lists_tell_the_same() {
        let collected = &crate::builtin::patterns().machines.collected;
        let date = NaiveDate::from_ymd_opt(2025, 11, 2);
        let one = queried("mesa-dri-drivers\t25.2.5-1.fc43\t1762074764", collected).unwrap();
        let other = listed(
            "mesa-dri-drivers-25.2.5-1.fc43.x86_64      Sun Nov  2 09:12:44 2025",
            collected,
        );
        assert_eq!((one.version.as_str(), one.installed), ("25.2.5-1.fc43", date));
        assert_eq!(other, Some(one));
        for no in ["", "mesa", "bash\t5\t1", "mesa-libs\t1"] {
            assert_eq!(queried(no, collected), None, "{no}");
        }
        assert_eq!(listed("gpg-pubkey-1-2 Sun", collected), None);
        let undated = listed("amd-gpu-firmware-20251021-1.noarch \tyesterday", collected).unwrap();
        assert_eq!(undated.installed, None);
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,100}") {
            let _ = (queried(&text, &Collected::default()), listed(&text, &Collected::default()));
        }
    }
}
