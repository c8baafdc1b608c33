//! Firmware files of the driver: those that override the distribution's, those for the chips of
//! this machine, and the copy in the initramfs.

use serde::Serialize;

use sha2::{Digest, Sha256};

use crate::host::files::Refusal;
use crate::host::json::OrNull;
use crate::host::programs::Release;
use crate::host::reader::{Fact, Reader, Unread};
use crate::host::{Gpu, Host};
use crate::pattern::hardware::Hardware;

use super::details::Details;

/// The directory of the driver's files.
const FOLDER: &str = "/lib/firmware/amdgpu";
/// Maximum length of a file to hash, in bytes; ten times the longest of the driver's.
const LONGEST: usize = 64 << 20;
/// Maximum number of files to list.
const FILES: usize = 256;

/// A firmware file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FirmwareFile {
    /// The path of the file.
    pub path: String,
    /// Its length in bytes.
    #[serde(rename = "bytes")]
    pub size: u64,
    /// The modification time in seconds since 1970, which for a distribution's file is when it was
    /// packaged.
    pub modified: i64,
    /// SHA-256 of the content, in hexadecimal; null if it is not needed or could not be read.
    pub sha256: Option<String>,
}

/// Firmware files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FirmwareFiles {
    /// Local files that override the distribution's; the kernel prefers them.
    /// Source: `drivers/base/firmware_loader/main.c` (`fw_path`).
    pub overlay: Vec<FirmwareFile>,
    /// The files for the chips of this machine; null if they could not be read.
    #[serde(with = "OrNull::<Vec<FirmwareFile>>")]
    pub of_chips: Fact<Vec<FirmwareFile>>,
    /// The initramfs, which contains a copy; null if none was found under the usual names.
    #[serde(with = "OrNull::<FirmwareFile>")]
    pub initramfs: Fact<FirmwareFile>,
}

impl FirmwareFiles {
    pub(super) fn read(
        reader: &mut Reader<'_>,
        host: &Host,
        hardware: &Hardware,
        details: &[Details],
    ) -> Self {
        let release = host.kernel.release.as_deref().ok().and_then(Release::read);
        let mut overlay = Vec::new();
        let own =
            release.as_ref().map(|release| format!("/lib/firmware/updates/{}", release.text()));
        for folder in own.into_iter().chain(["/lib/firmware/updates".to_owned()]) {
            let folder = format!("{folder}/amdgpu");
            for name in reader.entries(&folder) {
                overlay.extend(file(reader, format!("{folder}/{name}")));
            }
        }
        overlay.truncate(FILES);
        for file in &mut overlay {
            file.sha256 = hash(reader, &file.path);
        }
        let gpus = host.gpus.as_deref().unwrap_or_default();
        Self {
            overlay,
            of_chips: of_chips(reader, &prefixes(hardware, gpus, details)),
            initramfs: initramfs(reader, release.as_ref()),
        }
    }
}

fn file(reader: &mut Reader<'_>, path: String) -> Fact<FirmwareFile> {
    let status = reader.status(&path)?;
    Ok(FirmwareFile { path, size: status.size, modified: status.modified, sha256: None })
}

fn hash(reader: &mut Reader<'_>, path: &str) -> Option<String> {
    let (bytes, cut) = reader.long(path, LONGEST).ok()?;
    (!cut).then(|| crate::value::hexadecimal(&Sha256::digest(bytes)))
}

fn of_chips(reader: &mut Reader<'_>, prefixes: &[String]) -> Fact<Vec<FirmwareFile>> {
    let names = reader.names(FOLDER).or_else(|unread| {
        // For systems on which `/lib` is not a link to `/usr/lib`.
        reader.names("/usr/lib/firmware/amdgpu").map_err(|_| unread)
    })?;
    // A block of version 13.0.1 must not match files of 13.0.10.
    let begins = |name: &str, prefix: &String| {
        let rest = name.strip_prefix(prefix.as_str());
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let ours = names.iter().filter(|name| prefixes.iter().any(|prefix| begins(name, prefix)));
    Ok(ours.take(FILES).filter_map(|name| file(reader, format!("{FOLDER}/{name}")).ok()).collect())
}

/// The prefixes of the chips' files: the code name for older chips, `polaris10_`, the versions of
/// their blocks for newer ones, `gc_11_0_0_`. Source: `amdgpu_ucode.c`
/// (`amdgpu_ucode_ip_version_decode`).
fn prefixes(hardware: &Hardware, gpus: &[Gpu], details: &[Details]) -> Vec<String> {
    let mut prefixes = Vec::new();
    for gpu in gpus {
        let Some(chip) = hardware.chip_by_pci(gpu.id) else { continue };
        let names = chip.code_names.iter().filter(|name| !name.contains(' '));
        prefixes.extend(names.map(|name| name.to_ascii_lowercase()));
    }
    for block in details.iter().flat_map(|gpu| gpu.blocks.iter().flatten()) {
        let file = match block.name.as_str() {
            "GC" => "gc",
            "MP0" => "psp",
            "MP1" => "smu",
            "SDMA0" => "sdma",
            "UVD" | "VCN" => "vcn",
            "DMU" | "DCN" | "DCI" => "dcn",
            "VPE" => "vpe",
            "ISP" => "isp",
            _ => continue,
        };
        let [major, minor, revision] = block.version;
        prefixes.push(format!("{file}_{major}_{minor}_{revision}"));
    }
    prefixes.sort();
    prefixes.dedup();
    prefixes
}

/// The suffix of Arch's `linux-…` package, from the kernel's release: `6.12.58-1-lts`. The
/// initramfs is named after the package.
pub(super) fn arch_package(release: &str) -> Option<&'static str> {
    let ends = |name: &&str| release.strip_suffix(*name).is_some_and(|rest| rest.ends_with('-'));
    ["lts", "zen", "hardened", "rt", "cachyos"].into_iter().find(ends)
}

/// Looks for the names that Debian, Fedora, openSUSE and Arch use.
fn initramfs(reader: &mut Reader<'_>, release: Option<&Release>) -> Fact<FirmwareFile> {
    let Some(release) = release else { return Err(Unread::new("/boot", Refusal::Missing)) };
    let release = release.text();
    let package = arch_package(release).map(|name| format!("-{name}")).unwrap_or_default();
    file(reader, format!("/boot/initrd.img-{release}")).or_else(|unread| {
        let others = [
            format!("/boot/initramfs-{release}.img"),
            format!("/boot/initrd-{release}"),
            format!("/boot/initramfs-linux{package}.img"),
        ];
        others.into_iter().find_map(|path| file(reader, path).ok()).ok_or(unread)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::about::details::IpBlock;

    #[test]
    fn files_are_called_after_chips_and_blocks() {
        let hardware = &crate::builtin::patterns().hardware;
        assert!(prefixes(hardware, &[], &[]).is_empty());
        let version = [11, 0, 0];
        let block = |name: &str| IpBlock { name: name.to_owned(), die: 0, instance: 0, version };
        let mut details = Vec::new();
        details.extend(crate::host::about::tests::details(vec![
            block("GC"),
            block("THM"),
            block("GC"),
        ]));
        assert_eq!(prefixes(hardware, &[], &details), ["gc_11_0_0"]);
    }
}
