//! The GPUs on the PCI bus and the bridges above them, from data that the kernel has cached: no
//! device is woken.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Attachment;
use crate::host::Host;
use crate::host::files::Refusal;
use crate::host::link::way;
use crate::host::reader::Reader;
use crate::value::PciAddress;

/// The facts about each function, by file name. None of them accesses the device, except for the
/// link status, which the kernel reads if the port is awake. Source: `drivers/pci/pci-sysfs.c`.
const FACTS: [&str; 10] = [
    "class",
    "revision",
    "subsystem_vendor",
    "subsystem_device",
    "irq",
    "numa_node",
    "power_state",
    "reset_method",
    "enable",
    "power/runtime_status",
];
const LINK: [&str; 4] =
    ["current_link_speed", "current_link_width", "max_link_speed", "max_link_width"];

pub(super) fn tree(reader: &mut Reader<'_>, host: &Host) -> Attachment {
    let mut text = String::new();
    let mut written = BTreeSet::new();
    for gpu in host.gpus.iter().flatten() {
        let folder = format!("/sys/bus/pci/devices/{}", gpu.address);
        let mut way = way(&reader.link(&folder).unwrap_or_default(), gpu.address);
        way.push(gpu.address);
        for (depth, address) in way.into_iter().enumerate() {
            if written.insert(address) {
                function(reader, &mut text, address, depth, gpu.is_awake());
            }
        }
    }
    let content = match &host.gpus {
        Err(unread) => Err(unread.why.clone()),
        Ok(_) if text.is_empty() => Err(Refusal::Missing),
        Ok(_) => Ok(text),
    };
    Attachment::of_text("host/pci.txt", "/sys/bus/pci/devices", content)
}

fn function(
    reader: &mut Reader<'_>,
    text: &mut String,
    address: PciAddress,
    depth: usize,
    awake: bool,
) {
    let folder = format!("/sys/bus/pci/devices/{address}");
    let indent = "  ".repeat(depth);
    let id = |text: &str| text.strip_prefix("0x").map(str::to_owned);
    let [vendor, device] = ["vendor", "device"].map(|name| {
        reader.read(&format!("{folder}/{name}"), id).unwrap_or_else(|_| "?".to_owned())
    });
    let driver = reader.link_name(&format!("{folder}/driver"));
    let driver = driver.unwrap_or_else(|_| "none".to_owned());
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{indent}{address} [{vendor}:{device}] driver {driver}");
    let link = LINK.iter().filter(|_| awake);
    for file in FACTS.iter().chain(link) {
        if let Ok(value) = reader.text(&format!("{folder}/{file}")) {
            let name = file.rsplit_once('/').map_or(*file, |(_, name)| name);
            let _ = writeln!(text, "{indent}  {name}: {value}");
        }
    }
    if awake {
        for name in ["aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"] {
            // A table of counters; those that are 0 are omitted.
            if let Ok(table) = reader.text(&format!("{folder}/{name}")) {
                let counted = table.lines().filter(|line| !line.ends_with(" 0"));
                for line in counted {
                    let _ = writeln!(text, "{indent}  {name}: {line}");
                }
            }
        }
    }
    if let Ok(table) = reader.text(&format!("{folder}/resource")) {
        let regions = table.lines().enumerate().filter_map(|(number, line)| {
            let mut words = line.split(' ');
            let mut hex = || u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok();
            let (start, end) = (hex()?, hex()?);
            let size = end.checked_sub(start)?.checked_add(1)?;
            (end != 0).then_some((number, start, size))
        });
        for (number, start, size) in regions {
            let _ = writeln!(text, "{indent}  region {number}: {size:#x} bytes at {start:#x}");
        }
    }
}
