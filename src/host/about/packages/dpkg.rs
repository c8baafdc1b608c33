//! Packages of Debian and Ubuntu. Source: deb-control(5), dpkg(1) (`--log`).

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use super::{Change, LIMIT, Package, day, newest};
use crate::host::reader::{Fact, Reader, value_after};
use crate::pattern::machine::Collected;

const STATUS: &str = "/var/lib/dpkg/status";
/// The number of rotated logs to read; older ones are not useful.
const LOGS: usize = 6;

pub(super) fn installed(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Package>> {
    // The output of `dpkg -l` in a sosreport.
    let text = match reader.long_text(STATUS, LIMIT) {
        Ok(text) => text,
        Err(unread) => {
            let list = reader.long_text("/installed-debs", LIMIT).map_err(|_| unread)?;
            return Ok(listed(&list, collected));
        }
    };
    let mut packages = Vec::new();
    for (mut package, architecture) in paragraphs(&text, collected) {
        // The list of a package's files is written when it is unpacked, so its time is the time of
        // installation.
        let plain = format!("/var/lib/dpkg/info/{}.list", package.name);
        let with = architecture.map(|it| format!("/var/lib/dpkg/info/{}:{it}.list", package.name));
        let mut paths = with.into_iter().chain([plain]);
        let written = paths.find_map(|path| reader.status(&path).ok());
        package.installed = written.and_then(|it| day(it.modified));
        packages.push(package);
    }
    Ok(packages)
}

/// The installed packages, each with its architecture.
fn paragraphs<'t>(text: &'t str, collected: &Collected) -> Vec<(Package, Option<&'t str>)> {
    let package = |paragraph: &'t str| {
        let name = value_after(paragraph, "Package: ").filter(|name| is_name(name))?;
        let package = Package::of(collected, name, value_after(paragraph, "Version: ")?, None)?;
        let is_installed = value_after(paragraph, "Status: ")?.ends_with(" installed");
        let architecture = value_after(paragraph, "Architecture: ").filter(|it| is_name(it));
        is_installed.then_some((package, architecture))
    };
    text.split("\n\n").filter_map(package).collect()
}

/// Whether the name is safe as part of a path.
fn is_name(name: &str) -> bool {
    !name.starts_with('.')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_'))
}

/// `ii  mesa-vulkan-drivers:amd64  25.2.1-1  amd64  …`
fn listed(text: &str, collected: &Collected) -> Vec<Package> {
    let package = |line: &str| {
        let mut words = line.strip_prefix("ii ")?.split_whitespace();
        let (name, version) = (words.next()?, words.next()?);
        let name = name.split(':').next().unwrap_or(name);
        Package::of(collected, name, version, None)
    };
    text.lines().filter_map(package).collect()
}

pub(super) fn changes(reader: &mut Reader<'_>, collected: &Collected) -> Fact<Vec<Change>> {
    let path = "/var/log/dpkg.log";
    let newest_log = reader.long_text(path, LIMIT);
    let mut texts = Vec::new();
    for number in 1..LOGS {
        if let Ok(text) = reader.long_text(&format!("{path}.{number}"), LIMIT) {
            texts.push(text);
        } else if let Ok((bytes, false)) = reader.long(&format!("{path}.{number}.gz"), LIMIT) {
            texts.push(unpacked(&bytes));
        }
    }
    texts.reverse();
    match newest_log {
        Ok(text) => texts.push(text),
        Err(unread) if texts.is_empty() => return Err(unread),
        Err(_) => {}
    }
    let lines = texts.iter().flat_map(|text| text.lines());
    Ok(newest(lines.filter_map(|line| change(line, collected)).collect()))
}

/// The text of a compressed log, as far as it can be decompressed.
fn unpacked(bytes: &[u8]) -> String {
    let mut all = Vec::new();
    let _ = MultiGzDecoder::new(bytes).take(LIMIT as u64).read_to_end(&mut all);
    String::from_utf8_lossy(&all).into_owned()
}

/// `2026-11-02 09:12:44 upgrade linux-firmware:all 20250901-1 20251021-1`
fn change(line: &str, collected: &Collected) -> Option<Change> {
    let mut words = line.split(' ');
    let (date, time, action) = (words.next()?, words.next()?, words.next()?);
    if !matches!(action, "install" | "upgrade" | "remove") {
        return None;
    }
    let name = words.next()?;
    let name = name.split(':').next().unwrap_or(name);
    let kind = collected.package(name)?;
    let mut version = || {
        let version = words.next()?.trim();
        (version != "<none>").then(|| version.to_owned())
    };
    let (from, to) = (version(), version());
    Some(Change { when: format!("{date} {time}"), kind, name: name.to_owned(), from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected() -> Collected {
        crate::builtin::patterns().machines.collected.clone()
    }

    #[test]
    fn only_what_is_installed_counts() {
        let text = "Package: mesa-vulkan-drivers\r\nStatus: install ok installed\nArchitecture: amd64\n\
                    Multi-Arch: same\nVersion: 25.2.1-1\nDescription: x\n Package: nested\n\n\
                    Package: libdrm2\nStatus: deinstall ok config-files\nVersion: 1\n\n\
                    Package: ../../mesa-x\nStatus: install ok installed\nVersion: 1\n\n\
                    Package: bash\nStatus: install ok installed\nVersion: 5\n\n\
                    Package: mesa-libs\nStatus: install ok installed\nVersion: 2";
        let found = paragraphs(text, &collected());
        let told: Vec<(&str, &str)> = found
            .iter()
            .map(|(package, _)| (package.name.as_str(), package.version.as_str()))
            .collect();
        assert_eq!(told, [("mesa-vulkan-drivers", "25.2.1-1"), ("mesa-libs", "2")]);
    }

    #[test]
    fn dpkg_log_has_both_versions() {
        let read = |line| change(line, &collected()).map(|it| (it.when, it.name, it.from, it.to));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("2026-11-02 09:12:44 upgrade linux-firmware:all 1 2"),
            Some((
                "2026-11-02 09:12:44".to_owned(),
                "linux-firmware".to_owned(),
                text("1"),
                text("2")
            ))
        );
        let (_, _, from, to) =
            read("2026-11-02 09:12:44 install mesa-libs:amd64 <none> 2").unwrap();
        assert_eq!((from, to), (None, text("2")));
        assert_eq!(read("2026-11-02 09:12:44 status installed linux-firmware:all 2"), None);
        assert_eq!(read("2026-11-02 09:12:44 upgrade bash:amd64 1 2"), None);
    }

    #[test]
    fn a_damaged_log_is_read_up_to_the_damage() {
        use std::io::Write as _;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"one\ntwo\n").unwrap();
        let mut packed = packed.finish().unwrap();
        assert_eq!(unpacked(&packed), "one\ntwo\n");
        packed.truncate(packed.len() - 6);
        assert_eq!(unpacked(&packed), "one\ntwo\n");
        assert_eq!(unpacked(b"no gzip"), "");
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "(?s).{0,200}") {
            let collected = Collected::default();
            let _ = paragraphs(&text, &collected);
            let _ = listed(&text, &collected);
            let _ = change(&text, &collected);
        }
    }
}
