//! Output of programs. A program is not run if it would block on a GPU that hangs, wake a suspended
//! one, or load a user's files as root.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{Attachment, Help, LIMIT};
use crate::host::about::firmware::arch_package;
use crate::host::about::{Asked, Details};
use crate::host::files::Refusal;
use crate::host::programs::{Program, Property, Release, Run};
use crate::host::reader::{Reader, value_after};
use crate::host::{Gpu, Host};
use crate::value::PciAddress;

/// The conditions under which programs run.
struct Circumstances<'a> {
    asked: &'a Asked,
    hangs: bool,
    /// Whether a GPU is suspended.
    sleeps: bool,
    /// Whether this process runs as root.
    root: bool,
}

/// Converts a program's output.
type Shape<'s> = &'s dyn Fn(&str) -> Result<String, Refusal>;
/// The same as a function pointer.
type Form = fn(&str) -> Result<String, Refusal>;

const AS_IT_IS: Form = |text| Ok(text.to_owned());
/// Removes ids that identify a single GPU.
const WITHOUT_IDS: Form = |text| Ok(kept(text, |line| !line.trim_start().starts_with("Uuid:")));
/// Removes boot ids, which identify the machine.
const WITHOUT_BOOT_IDS: Form = |text| Ok(without_boot_ids(text));
/// Keeps the driver's files in a list of an initramfs.
const ABOUT_AMDGPU: Form = |text| Ok(kept(text, |line| line.contains("amdgpu")));

/// A program whose output is attached: the program, the name of the attachment, the conversion of
/// its output, and its files in a sosreport below `/sos_commands`.
type Row = (Program, &'static str, Form, &'static [&'static str]);

const PROGRAMS: [Row; 9] = [
    (Program::Vulkaninfo, "vulkaninfo", AS_IT_IS, &["gpu/vulkaninfo_--summary"]),
    (Program::Glxinfo, "glxinfo", AS_IT_IS, &[]),
    (Program::Vainfo, "vainfo", AS_IT_IS, &[]),
    (Program::Rocminfo, "rocminfo", WITHOUT_IDS, &["gpu/rocminfo", "rocm/rocminfo"]),
    (Program::AmdSmi, "amd-smi", AS_IT_IS, &[]),
    (Program::RocmSmi, "rocm-smi", AS_IT_IS, &[]),
    (Program::Dkms, "dkms", AS_IT_IS, &["kernel/dkms_status", "dkms/dkms_status"]),
    (Program::JournalBoots, "journal-boots", WITHOUT_BOOT_IDS, JOURNAL_BOOTS),
    (Program::Fwupdmgr, "fwupd", gpu_devices, &["firmware/fwupdmgr_get-devices_--json"]),
];
const JOURNAL_BOOTS: &[&str] = &["logs/journalctl_--list-boots", "systemd/journalctl_--list-boots"];
/// The files of a sosreport that list all PCI functions and the contents of an initramfs.
const LSPCI: &[&str] = &["/sos_commands/pci/lspci_-nnvv", "/sos_commands/pci/lspci_-nvv", "/lspci"];
const INITRAMFS: &[&str] =
    &["/sos_commands/boot/lsinitrd", "/sos_commands/boot/lsinitramfs_-l_.initrd.img"];

pub(super) fn read(
    reader: &mut Reader<'_>,
    host: &Host,
    details: &[Details],
    asked: &Asked,
    hangs: &mut bool,
) -> Vec<Attachment> {
    let awake = |gpu: &&Gpu| details.iter().any(|it| it.address == gpu.address && it.awake);
    let mut driven = host.gpus.iter().flatten().filter(|gpu| gpu.is_driven());
    let sleeps = driven.any(|gpu| !awake(&gpu));
    let root = asked.runs && is_root(reader);
    let mut around = Circumstances { asked, hangs: *hangs, sleeps, root };
    let mut all = Vec::new();
    for gpu in host.gpus.iter().flatten() {
        all.push(lspci(reader, &around, gpu.address, awake(&gpu)));
    }
    for (program, name, shape, saved) in &PROGRAMS {
        let name = format!("host/{name}.txt");
        let saved: Vec<String> = saved.iter().map(|path| format!("/sos_commands/{path}")).collect();
        let attachment = asked_for(reader, &around, program, &name, shape, &saved);
        // The next program would block on the same GPU.
        let waited = attachment.content == Err(Refusal::TimedOut);
        around.hangs |= program.has(Property::OpensGpu) && waited;
        all.push(attachment);
    }
    *hangs = around.hangs;
    let release = host.kernel.release.as_deref().ok().and_then(Release::read);
    let arch = release.as_ref().and_then(|release| arch_package(release.text()));
    let arch = Program::Lsinitcpio(arch.and_then(Release::read));
    let programs = [release.map(Program::Lsinitramfs), Some(Program::Lsinitrd), Some(arch)];
    all.extend(initramfs(reader, &around, programs));
    all
}

/// Runs the first program that exists, or that this distribution should have.
fn initramfs(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    programs: [Option<Program>; 3],
) -> Option<Attachment> {
    let mut listed: Vec<Attachment> = Vec::new();
    for program in programs.into_iter().flatten() {
        let name = "host/initramfs.txt";
        listed.push(asked_for(reader, around, &program, name, &ABOUT_AMDGPU, INITRAMFS));
        if listed.last().is_some_and(|it| it.content != Err(Refusal::Missing)) {
            return listed.pop();
        }
    }
    listed.into_iter().next()
}

fn is_root(reader: &mut Reader<'_>) -> bool {
    let text = reader.text("/proc/self/status").unwrap_or_default();
    // The second number is the effective user id.
    value_after(&text, "Uid:").and_then(|ids| ids.split_whitespace().nth(1)) == Some("0")
}

/// The command line of a program.
fn command(program: &Program) -> String {
    let name = [program.name().to_owned()].into_iter();
    name.chain(program.arguments()).collect::<Vec<_>>().join(" ")
}

/// The reason for not running a program, if there is one.
fn refusal(around: &Circumstances<'_>, program: &Program) -> Option<Refusal> {
    let is_refused = |property: Property, refused: bool| refused && program.has(property);
    if !around.asked.runs {
        Some(Refusal::Elsewhere)
    } else if is_refused(Property::LoadsUsersFiles, around.root) {
        Some(Refusal::AsRoot)
    } else if is_refused(Property::NeedsSession, around.asked.display.is_empty()) {
        Some(Refusal::NoSession)
    } else if is_refused(Property::OpensGpu, around.hangs) {
        Some(Refusal::GpuHangs)
    } else if is_refused(Property::OpensGpu, around.sleeps) {
        Some(Refusal::Asleep)
    } else {
        None
    }
}

fn asked_for(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    program: &Program,
    name: &str,
    shape: Shape<'_>,
    saved: &[impl AsRef<str>],
) -> Attachment {
    let origin = command(program);
    let read = match refusal(around, program) {
        Some(Refusal::Elsewhere) => {
            for path in saved.iter().map(AsRef::as_ref) {
                if let Ok((output, cut)) = reader.long(path, 8 << 20) {
                    return Attachment::new(name, path, of_output(&output, cut, shape));
                }
            }
            Err(Refusal::Elsewhere)
        }
        Some(why) => Err(why),
        None => ran(reader, around, program, shape),
    };
    let missing = read == Err(Refusal::Missing) && program.has(Property::IsForAll);
    let mut attachment = Attachment::new(name, origin, read);
    if missing {
        attachment.help = Some(Help::Install(program.name()));
    }
    attachment
}

fn ran(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    program: &Program,
    shape: Shape<'_>,
) -> Result<(Vec<u8>, bool), Refusal> {
    let opens_gpu = program.has(Property::OpensGpu);
    let display = if opens_gpu { around.asked.display.clone() } else { BTreeMap::new() };
    let ran = reader.run(Run { program: program.clone(), display }).map_err(|unread| unread.why)?;
    of_output(&ran.output, ran.cut, shape)
}

fn of_output(output: &[u8], cut: bool, shape: Shape<'_>) -> Result<(Vec<u8>, bool), Refusal> {
    Ok((shaped(&String::from_utf8_lossy(output), shape)?.into_bytes(), cut))
}

fn shaped(output: &str, shape: Shape<'_>) -> Result<String, Refusal> {
    let text = shape(output)?;
    if text.trim().is_empty() {
        return Err(Refusal::Complained("it had nothing to say".to_owned()));
    }
    Ok(text)
}

fn lspci(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    address: PciAddress,
    awake: bool,
) -> Attachment {
    let program = Program::Lspci(address);
    let name = format!("host/lspci-{}.txt", address.to_string().replace(':', "-"));
    // Reading the configuration space of a suspended function resumes it.
    if !awake && refusal(around, &program).is_none() {
        return Attachment::new(name, command(&program), Err(Refusal::Asleep));
    }
    // A sosreport lists all functions.
    let shape: Shape<'_> = if around.asked.runs {
        &|text: &str| Ok(without_serials(text))
    } else {
        &|text: &str| paragraph(text, address)
    };
    asked_for(reader, around, &program, &name, shape, LSPCI)
}

/// The entry of one address in a list of all functions, without its serial number.
fn paragraph(text: &str, address: PciAddress) -> Result<String, Refusal> {
    let long = address.to_string();
    // A machine with one PCI domain omits it.
    let short = long.strip_prefix("0000:").unwrap_or(&long);
    let mut found = String::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with([' ', '\t']) {
            let first = line.split_once(' ').map_or(line, |(first, _)| first);
            inside = first == long || first == short;
        }
        if inside && found.len() < LIMIT {
            let _ = writeln!(found, "{line}");
        }
    }
    if found.is_empty() { Err(Refusal::Missing) } else { Ok(without_serials(&found)) }
}

/// Removes the serial number that a PCI Express device may have.
fn without_serials(text: &str) -> String {
    kept(text, |line| !line.contains("Device Serial Number"))
}

fn kept(text: &str, keep: impl Fn(&str) -> bool) -> String {
    let lines = text.lines().filter(|line| keep(line));
    lines.fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}

/// Removes the ids from a list of boots.
fn without_boot_ids(text: &str) -> String {
    let id = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().filter(|word| !id(word)).collect();
        words.join(" ")
    });
    lines.fold(String::new(), |all, line| all + &line + "\n")
}

/// Name and version of AMD GPUs; the rest of the list contains serial numbers.
fn gpu_devices(text: &str) -> Result<String, Refusal> {
    let json: Json = serde_json::from_str(text).map_err(|_| Refusal::Malformed)?;
    let mut found = String::new();
    for device in json.get("Devices").and_then(Json::as_array).ok_or(Refusal::Malformed)? {
        let field = |key: &str| device.get(key).and_then(Json::as_str).unwrap_or("?");
        let of_amd = |id: &Json| id.as_str().is_some_and(|id| id == "PCI:0x1002");
        let ids = device.get("VendorIds").and_then(Json::as_array);
        let ours =
            field("VendorId") == "PCI:0x1002" || ids.is_some_and(|ids| ids.iter().any(of_amd));
        if ours {
            let _ = writeln!(found, "{} {} ({})", field("Name"), field("Version"), field("Plugin"));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_left_out() {
        let boots = " -1 0123456789abcdef0123456789abcdef Sat 2026-11-21 09:00:00 UTC Sat 2026-11-21 10:00:00 UTC\n";
        let told = shaped(boots, &WITHOUT_BOOT_IDS).unwrap();
        assert_eq!(told, "-1 Sat 2026-11-21 09:00:00 UTC Sat 2026-11-21 10:00:00 UTC\n");
        let bus =
            "03:00.0 VGA\n\tDevice Serial Number aa\n\tLnkSta: x\n04:00.0 Audio\n\tLnkSta: y\n";
        let address = "0000:03:00.0".parse().unwrap();
        let told = shaped(bus, &|text| paragraph(text, address)).unwrap();
        assert_eq!(told, "03:00.0 VGA\n\tLnkSta: x\n");
        assert_eq!(shaped("", &|text| paragraph(text, address)), Err(Refusal::Missing));
        let json = r#"{"Devices":[{"Name":"Navi 31","Version":"022.001","Plugin":"amdgpu",
            "VendorId":"PCI:0x1002","Serial":"s3cret"},{"Name":"SSD","Serial":"x"}]}"#;
        assert_eq!(shaped(json, &gpu_devices).unwrap(), "Navi 31 022.001 (amdgpu)\n");
        assert_eq!(gpu_devices("no json"), Err(Refusal::Malformed));
        let told = shaped("  Uuid:  GPU-1\n  Name: gfx906\n", &WITHOUT_IDS);
        assert_eq!(told.unwrap(), "  Name: gfx906\n");
    }

    #[test]
    fn programs_are_not_run_where_that_would_hurt() {
        let free = Asked {
            runs: true,
            display: BTreeMap::from([(crate::host::DisplayVariable::Display, ":0".to_owned())]),
            ..Asked::default()
        };
        let plain = Circumstances { asked: &free, hangs: false, sleeps: false, root: false };
        let no_display = Asked { display: BTreeMap::new(), ..free.clone() };
        let elsewhere = Asked::default();
        for (around, program, want) in [
            (Circumstances { ..plain }, Program::Glxinfo, None),
            (
                Circumstances { asked: &no_display, ..plain },
                Program::Glxinfo,
                Some(Refusal::NoSession),
            ),
            (Circumstances { asked: &elsewhere, ..plain }, Program::Dkms, Some(Refusal::Elsewhere)),
            (Circumstances { hangs: true, ..plain }, Program::Rocminfo, Some(Refusal::GpuHangs)),
            (Circumstances { hangs: true, ..plain }, Program::Dkms, None),
            (Circumstances { sleeps: true, ..plain }, Program::Vulkaninfo, Some(Refusal::Asleep)),
            (Circumstances { root: true, ..plain }, Program::Vulkaninfo, Some(Refusal::AsRoot)),
            (Circumstances { root: true, ..plain }, Program::Rocminfo, None),
        ] {
            assert_eq!(refusal(&around, &program), want, "{program:?}");
        }
    }
}
