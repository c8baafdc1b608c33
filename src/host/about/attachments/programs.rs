//! What programs print. None is run that would wait for a GPU that hangs, wake one that sleeps, or load
//! a user's files as root.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value as Json;

use super::{Attachment, Help, LIMIT};
use crate::host::about::firmware::arch_package;
use crate::host::about::{Asked, Details};
use crate::host::files::Why;
use crate::host::programs::{Program, Ran, Release, Run};
use crate::host::reader::Reader;
use crate::host::{Gpu, Host};
use crate::value::PciAddress;

/// Around whom a program is run.
struct Circumstances<'a> {
    asked: &'a Asked,
    hangs: bool,
    /// Whether a GPU sleeps.
    sleeps: bool,
    /// Whether this process is root's.
    root: bool,
}

/// What becomes of a program's output.
#[derive(Clone, Copy)]
enum Shape {
    /// Nothing.
    AsItIs,
    /// The serial number that a PCI Express device may have is left out.
    WithoutSerials,
    /// The ids that no two GPUs share are left out.
    WithoutIds,
    /// The ids of boots, which are the machine's own, are left out.
    WithoutBootIds,
    /// Lines about the driver's files are kept.
    AboutAmdgpu,
    /// Name and version of the devices that are AMD's GPUs are kept; the rest has serial numbers.
    GpuDevices,
}

impl Shape {
    /// The text in this shape; `None` where it is not of the form that is expected.
    fn of(self, text: &str) -> Option<String> {
        Some(match self {
            Self::AsItIs => text.to_owned(),
            Self::WithoutSerials => kept(text, |line| !line.contains("Device Serial Number")),
            Self::WithoutIds => kept(text, |line| !line.trim_start().starts_with("Uuid:")),
            Self::AboutAmdgpu => kept(text, |line| line.contains("amdgpu")),
            Self::WithoutBootIds => without_boot_ids(text),
            Self::GpuDevices => gpu_devices(text)?,
        })
    }
}

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
        all.push(lspci(reader, &around, gpu.address, details));
    }
    for (program, name, shape) in [
        (Program::Vulkaninfo, "host/vulkaninfo.txt", Shape::AsItIs),
        (Program::Glxinfo, "host/glxinfo.txt", Shape::AsItIs),
        (Program::Vainfo, "host/vainfo.txt", Shape::AsItIs),
        (Program::Rocminfo, "host/rocminfo.txt", Shape::WithoutIds),
        (Program::AmdSmi, "host/amd-smi.txt", Shape::AsItIs),
        (Program::RocmSmi, "host/rocm-smi.txt", Shape::AsItIs),
        (Program::Dkms, "host/dkms.txt", Shape::AsItIs),
        (Program::JournalBoots, "host/journal-boots.txt", Shape::WithoutBootIds),
        (Program::Fwupdmgr, "host/fwupd.txt", Shape::GpuDevices),
    ] {
        let attachment = asked_for(reader, &around, &program, name, shape);
        // The next one would wait as long for the same GPU.
        around.hangs |= program.opens_gpu() && attachment.content == Err(Why::TimedOut);
        all.push(attachment);
    }
    *hangs = around.hangs;
    let release = host.kernel.release.as_deref().ok().and_then(Release::read);
    let arch = release.as_ref().and_then(|release| arch_package(release.text()));
    let arch = Program::Lsinitcpio(arch.and_then(Release::read));
    let programs = [release.map(Program::Lsinitramfs), Some(Program::Lsinitrd), Some(arch)];
    all.push(initramfs(reader, &around, programs));
    all
}

/// With the first program that there is.
fn initramfs(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    programs: [Option<Program>; 3],
) -> Attachment {
    let name = "host/initramfs.txt";
    let mut first = None;
    for program in programs.into_iter().flatten() {
        let listed = asked_for(reader, around, &program, name, Shape::AsItIs);
        if listed.content != Err(Why::Missing) {
            return listed;
        }
        first = first.or(Some(listed));
    }
    first.unwrap_or_else(|| Attachment::new(name, "/boot", Err(Why::Missing)))
}

fn is_root(reader: &mut Reader<'_>) -> bool {
    let text = reader.text("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Uid:"));
    // The second number is the one that counts.
    line.and_then(|line| line.split_whitespace().nth(1)).is_some_and(|id| id == "0")
}

/// How a program is called by hand.
fn command(program: &Program) -> String {
    let arguments = program.arguments();
    let words = [program.name()].into_iter().chain(arguments.iter().map(String::as_str));
    words.collect::<Vec<_>>().join(" ")
}

/// Why a program is not run, if it is not.
fn refusal(around: &Circumstances<'_>, program: &Program) -> Option<Why> {
    if !around.asked.runs {
        Some(Why::Elsewhere)
    } else if program.loads_users_files() && around.root {
        Some(Why::AsRoot)
    } else if program.needs_session() && around.asked.display.is_empty() {
        Some(Why::NoSession)
    } else if program.opens_gpu() && around.hangs {
        Some(Why::GpuHangs)
    } else if program.opens_gpu() && around.sleeps {
        Some(Why::Asleep)
    } else {
        None
    }
}

fn asked_for(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    program: &Program,
    name: &str,
    shape: Shape,
) -> Attachment {
    match refusal(around, program) {
        Some(Why::Elsewhere) => saved(reader, program, name, shape),
        Some(why) => Attachment::new(name, command(program), Err(why)),
        None => ran(reader, around, program, name, shape),
    }
}

fn ran(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    program: &Program,
    name: &str,
    shape: Shape,
) -> Attachment {
    let display = if program.opens_gpu() { around.asked.display.clone() } else { BTreeMap::new() };
    let run = Run { program: program.clone(), display };
    let (content, cut) = match reader.run(run) {
        Ok(Ran { output, cut }) => (shaped(&output, shape), cut),
        Err(unread) => (Err(unread.why), false),
    };
    let missing = content == Err(Why::Missing);
    let attachment = Attachment::new(name, command(program), content);
    Attachment {
        cut: attachment.cut || cut,
        help: if missing && program.is_for_all() {
            Some(Help::Install(program.name()))
        } else {
            attachment.help
        },
        ..attachment
    }
}

fn shaped(output: &[u8], shape: Shape) -> Result<Vec<u8>, Why> {
    let text = shape.of(&String::from_utf8_lossy(output)).ok_or(Why::Malformed)?;
    if text.trim().is_empty() {
        return Err(Why::Complained("it had nothing to say".to_owned()));
    }
    Ok(text.into_bytes())
}

/// What a sosreport has of a program.
fn saved(reader: &mut Reader<'_>, program: &Program, name: &str, shape: Shape) -> Attachment {
    let paths: &[&str] = match program {
        Program::Lspci(_) => {
            &["/sos_commands/pci/lspci_-nnvv", "/sos_commands/pci/lspci_-nvv", "/lspci"]
        }
        Program::Dkms => &["/sos_commands/kernel/dkms_status", "/sos_commands/dkms/dkms_status"],
        Program::JournalBoots => &[
            "/sos_commands/logs/journalctl_--list-boots",
            "/sos_commands/systemd/journalctl_--list-boots",
        ],
        Program::Vulkaninfo => &["/sos_commands/gpu/vulkaninfo_--summary"],
        Program::Rocminfo => &["/sos_commands/gpu/rocminfo", "/sos_commands/rocm/rocminfo"],
        Program::Fwupdmgr => &["/sos_commands/firmware/fwupdmgr_get-devices_--json"],
        Program::Lsinitramfs(_) | Program::Lsinitrd | Program::Lsinitcpio(_) => {
            &["/sos_commands/boot/lsinitrd", "/sos_commands/boot/lsinitramfs_-l_.initrd.img"]
        }
        _ => &[],
    };
    for path in paths {
        if let Ok((bytes, cut)) = reader.long(path, 8 << 20) {
            let content = match program {
                Program::Lspci(address) => paragraph(&bytes, *address),
                Program::Lsinitramfs(_) | Program::Lsinitrd | Program::Lsinitcpio(_) => {
                    shaped(&bytes, Shape::AboutAmdgpu)
                }
                _ => shaped(&bytes, shape),
            };
            let attachment = Attachment::new(name, *path, content);
            return Attachment { cut: attachment.cut || cut, ..attachment };
        }
    }
    Attachment::new(name, command(program), Err(Why::Elsewhere))
}

fn lspci(
    reader: &mut Reader<'_>,
    around: &Circumstances<'_>,
    address: PciAddress,
    details: &[Details],
) -> Attachment {
    let program = Program::Lspci(address);
    let name = format!("host/lspci-{}.txt", address.to_string().replace(':', "-"));
    let awake = details.iter().any(|gpu| gpu.address == address && gpu.awake);
    match refusal(around, &program) {
        // The configuration space of a function that is powered off is read by powering it on.
        None if !awake => Attachment::new(name, command(&program), Err(Why::Asleep)),
        _ => asked_for(reader, around, &program, &name, Shape::WithoutSerials),
    }
}

/// Of a list of all functions the one at an address, without its serial number.
fn paragraph(bytes: &[u8], address: PciAddress) -> Result<Vec<u8>, Why> {
    let text = String::from_utf8_lossy(bytes);
    let long = address.to_string();
    // A machine with one domain leaves it out.
    let short = long.strip_prefix("0000:").unwrap_or(&long);
    let mut found = String::new();
    let mut inside = false;
    for line in text.lines() {
        if !line.starts_with([' ', '\t']) {
            let first = line.split(' ').next().unwrap_or_default();
            inside = first == long || first == short;
        }
        if inside && found.len() < LIMIT {
            let _ = writeln!(found, "{line}");
        }
    }
    if found.is_empty() {
        Err(Why::Missing)
    } else {
        shaped(found.as_bytes(), Shape::WithoutSerials)
    }
}

fn kept(text: &str, keep: impl Fn(&str) -> bool) -> String {
    let lines = text.lines().filter(|line| keep(line));
    lines.fold(String::new(), |mut all, line| {
        let _ = writeln!(all, "{line}");
        all
    })
}

/// Boots as numbers and times; the ids are the machine's own.
fn without_boot_ids(text: &str) -> String {
    let id = |word: &&str| word.len() == 32 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lines = text.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().filter(|word| !id(word)).collect();
        words.join(" ")
    });
    lines.fold(String::new(), |all, line| all + &line + "\n")
}

/// Name and version of the devices that are AMD's GPUs; the rest of the list has serial numbers.
fn gpu_devices(text: &str) -> Option<String> {
    let json: Json = serde_json::from_str(text).ok()?;
    let mut found = String::new();
    for device in json.get("Devices")?.as_array()? {
        let field = |key: &str| device.get(key).and_then(Json::as_str).unwrap_or("?");
        let of_amd = |id: &Json| id.as_str().is_some_and(|id| id == "PCI:0x1002");
        let ids = device.get("VendorIds").and_then(Json::as_array);
        let ours =
            field("VendorId") == "PCI:0x1002" || ids.is_some_and(|ids| ids.iter().any(of_amd));
        if ours {
            let _ = writeln!(found, "{} {} ({})", field("Name"), field("Version"), field("Plugin"));
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_private_is_left_out() {
        let boots = " -1 0123456789abcdef0123456789abcdef Sat 2026-11-21 09:00:00 UTC Sat 2026-11-21 10:00:00 UTC\n";
        let told = Shape::WithoutBootIds.of(boots).unwrap();
        assert_eq!(told, "-1 Sat 2026-11-21 09:00:00 UTC Sat 2026-11-21 10:00:00 UTC\n");
        let bus =
            "03:00.0 VGA\n\tDevice Serial Number aa\n\tLnkSta: x\n04:00.0 Audio\n\tLnkSta: y\n";
        let address = "0000:03:00.0".parse().unwrap();
        let told = String::from_utf8(paragraph(bus.as_bytes(), address).unwrap()).unwrap();
        assert_eq!(told, "03:00.0 VGA\n\tLnkSta: x\n");
        assert_eq!(paragraph(b"", address), Err(Why::Missing));
        let json = r#"{"Devices":[{"Name":"Navi 31","Version":"022.001","Plugin":"amdgpu",
            "VendorId":"PCI:0x1002","Serial":"s3cret"},{"Name":"SSD","Serial":"x"}]}"#;
        assert_eq!(Shape::GpuDevices.of(json).unwrap(), "Navi 31 022.001 (amdgpu)\n");
        assert_eq!(Shape::GpuDevices.of("no json"), None);
        assert_eq!(
            Shape::WithoutIds.of("  Uuid:  GPU-1\n  Name: gfx906\n").unwrap(),
            "  Name: gfx906\n"
        );
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
            (Circumstances { asked: &no_display, ..plain }, Program::Glxinfo, Some(Why::NoSession)),
            (Circumstances { asked: &elsewhere, ..plain }, Program::Dkms, Some(Why::Elsewhere)),
            (Circumstances { hangs: true, ..plain }, Program::Rocminfo, Some(Why::GpuHangs)),
            (Circumstances { hangs: true, ..plain }, Program::Dkms, None),
            (Circumstances { sleeps: true, ..plain }, Program::Vulkaninfo, Some(Why::Asleep)),
            (Circumstances { root: true, ..plain }, Program::Vulkaninfo, Some(Why::AsRoot)),
            (Circumstances { root: true, ..plain }, Program::Rocminfo, None),
        ] {
            assert_eq!(refusal(&around, &program), want, "{program:?}");
        }
    }
}
