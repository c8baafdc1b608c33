//! Details of a GPU: IP blocks, memory, power states, sensors, memory errors, displays.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::host::Gpu;
use crate::host::files::Why;
use crate::host::gpu::{hexadecimal, is_awake_now};
use crate::host::json::{OrNull, each_or_null};
use crate::host::reader::{Fact, Reader, Unread, if_there};
use crate::value::PciAddress;

use super::connector::{self, Connector};

/// Files about clocks and power. Some access the GPU, so they are read only if it is awake. Source:
/// `drivers/gpu/drm/amd/pm/amdgpu_pm.c`.
const STATES: [&str; 13] = [
    "power/control",
    "power_dpm_state",
    "power_dpm_force_performance_level",
    "pp_dpm_sclk",
    "pp_dpm_mclk",
    "pp_dpm_socclk",
    "pp_dpm_fclk",
    "pp_dpm_dcefclk",
    "pp_dpm_pcie",
    "pp_features",
    "pp_power_profile_mode",
    "current_compute_partition",
    "current_memory_partition",
];
/// Maximum number of dies, blocks and instances of a block to read.
const BLOCKS: usize = 64;

/// A block of the chip with its version, as the chip itself tells. Source: `amdgpu_discovery.c`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct IpBlock {
    /// Its name: `GC`, `MP1`, `UVD`.
    pub name: String,
    /// The die that it is on.
    pub die: u32,
    /// Which one of its kind.
    pub instance: u32,
    /// The version.
    #[serde(serialize_with = "dotted")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub version: [u32; 3],
}

/// How much of something there is, and is in use, in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Usage {
    /// All.
    #[serde(rename = "total_bytes", with = "OrNull::<u64>")]
    pub total: Fact<u64>,
    /// In use.
    #[serde(rename = "used_bytes", with = "OrNull::<u64>")]
    pub used: Fact<u64>,
}

/// Memory that a GPU uses. Source: `amdgpu_vram_mgr.c`, `amdgpu_gtt_mgr.c`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Memory {
    /// Its own.
    #[serde(serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub vram: Usage,
    /// What of its own the processor can see.
    #[serde(rename = "visible_vram", serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub visible: Usage,
    /// What of the machine's it can use.
    #[serde(serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub gtt: Usage,
    /// Who made its own: `samsung`.
    #[serde(rename = "vram_vendor", with = "OrNull::<String>")]
    pub vendor: Fact<String>,
}

/// What a sensor counts in. Source: `Documentation/hwmon/sysfs-interface.rst`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub(crate) enum Unit {
    /// Thousandths of a degree Celsius.
    MilliCelsius,
    /// Millionths of a watt.
    MicroWatt,
    /// Turns a minute.
    Rpm,
    /// Thousandths of a volt.
    MilliVolt,
    /// Hertz.
    Hertz,
}

impl Unit {
    /// Parses the value of a file.
    fn of(file: &str) -> Option<Self> {
        let (name, what) = file.split_once('_')?;
        let kind = name.trim_end_matches(|c: char| c.is_ascii_digit());
        Some(match (kind, what) {
            ("temp", "input" | "crit" | "emergency") => Self::MilliCelsius,
            ("power", "average" | "input" | "cap" | "cap_max" | "cap_default") => Self::MicroWatt,
            ("fan", "input") => Self::Rpm,
            ("in", "input") => Self::MilliVolt,
            ("freq", "input") => Self::Hertz,
            _ => return None,
        })
    }
}

/// What a sensor shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Sensor {
    /// The file: `temp1_input`.
    pub file: String,
    /// What it is called: `edge`, `junction`, `PPT`.
    pub label: Option<String>,
    /// What it shows.
    pub value: i64,
    /// In what.
    pub unit: Unit,
}

/// A GPU in detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Details {
    /// The PCI address.
    #[serde(skip)]
    pub address: PciAddress,
    /// The revision of its chip, which tells products with one PCI id apart.
    #[serde(skip)]
    pub revision: Fact<u8>,
    /// Whether it was awake when it was looked at.
    pub awake: bool,
    /// The number of its card: 1 for `card1`; `None` without a driver.
    pub card: Option<u32>,
    /// The number of its render node: 128 for `renderD128`.
    pub render: Option<u32>,
    /// Its blocks, from 5.17 on and of chips that tell them.
    #[serde(with = "OrNull::<Vec<IpBlock>>")]
    pub blocks: Fact<Vec<IpBlock>>,
    /// Its memory.
    #[serde(flatten)]
    pub memory: Memory,
    /// Clocks, power states and limits, by the names of the driver's files; those that it has.
    #[serde(serialize_with = "each_or_null")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Option<String>>"))]
    pub states: BTreeMap<&'static str, Fact<String>>,
    /// The table of overdrive; `None` where the driver has none, which is so unless somebody switched
    /// it on (`amdgpu.ppfeaturemask`).
    #[serde(with = "OrNull::<Option<String>>")]
    pub overdrive: Fact<Option<String>>,
    /// Its sensors.
    #[serde(with = "OrNull::<Vec<Sensor>>")]
    pub sensors: Fact<Vec<Sensor>>,
    /// Errors of its memory and of its blocks, by the names of the driver's files; `None` where it
    /// counts none.
    #[serde(with = "OrNull::<Option<BTreeMap<String, String>>>")]
    pub errors: Fact<Option<BTreeMap<String, String>>>,
    /// What is connected.
    #[serde(with = "OrNull::<Vec<Connector>>")]
    pub connectors: Fact<Vec<Connector>>,
}

fn dotted<S: Serializer>([major, minor, revision]: &[u32; 3], to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(&format_args!("{major}.{minor}.{revision}"))
}

fn where_known<S: Serializer>(usage: &Usage, to: S) -> Result<S::Ok, S::Error> {
    (usage.total.is_ok() || usage.used.is_ok()).then_some(usage).serialize(to)
}

impl Details {
    pub(super) fn read(reader: &mut Reader<'_>, gpu: &Gpu) -> Self {
        let folder = format!("/sys/bus/pci/devices/{}", gpu.address);
        let awake = is_awake_now(reader, gpu.address) && gpu.answers != Ok(false);
        let nodes = reader.entries(&format!("{folder}/drm"));
        let number = |prefix: &str| {
            nodes.iter().find_map(|name| name.strip_prefix(prefix)?.parse::<u32>().ok())
        };
        let card = number("card");
        let unread = |why: Why, name: &str| Unread::new(format!("{folder}/{name}"), why);
        let ready = |name: &str| if awake { Ok(()) } else { Err(unread(Why::Asleep, name)) };
        // The directory listing shows which files exist without opening any.
        let names = reader.entries(&folder);
        let connectors = match card {
            Some(card) => connector::read(reader, &format!("{folder}/drm/card{card}")),
            None => Err(unread(Why::Missing, "drm")),
        };
        Self {
            address: gpu.address,
            revision: reader
                .read(&format!("{folder}/revision"), |text| hexadecimal(text)?.try_into().ok()),
            card,
            render: number("renderD"),
            blocks: blocks(reader, &format!("{folder}/ip_discovery/die")),
            memory: Memory::read(reader, &folder),
            states: states(reader, &folder, &names, awake),
            overdrive: if names.iter().any(|name| name == "pp_od_clk_voltage") {
                ready("pp_od_clk_voltage")
                    .and_then(|()| reader.text(&format!("{folder}/pp_od_clk_voltage")).map(Some))
            } else {
                Ok(None)
            },
            sensors: ready("hwmon").and_then(|()| sensors(reader, &folder)),
            errors: ready("ras").and_then(|()| errors(reader, &folder)),
            connectors,
            awake,
        }
    }

    /// The version of the block with this name.
    pub(crate) fn block(&self, name: &str) -> Option<[u32; 3]> {
        self.blocks.iter().flatten().find(|block| block.name == name).map(|block| block.version)
    }
}

impl Memory {
    fn read(reader: &mut Reader<'_>, folder: &str) -> Self {
        let mut usage = |kind: &str| Usage {
            total: reader.value(&format!("{folder}/mem_info_{kind}_total")),
            used: reader.value(&format!("{folder}/mem_info_{kind}_used")),
        };
        Self {
            vram: usage("vram"),
            visible: usage("vis_vram"),
            gtt: usage("gtt"),
            vendor: reader.text(&format!("{folder}/mem_info_vram_vendor")),
        }
    }
}

fn states(
    reader: &mut Reader<'_>,
    folder: &str,
    names: &[String],
    awake: bool,
) -> BTreeMap<&'static str, Fact<String>> {
    let there = |file: &&&str| file.contains('/') || names.iter().any(|name| name == **file);
    let mut read = |file: &'static str| {
        let path = format!("{folder}/{file}");
        // Data that the kernel has cached wakes no device.
        let text = if awake || file.starts_with("power/") {
            reader.text(&path)
        } else {
            Err(Unread::new(path, Why::Asleep))
        };
        (file, text)
    };
    STATES.iter().filter(there).map(|file| read(file)).collect()
}

/// `die/0/GC/0/{major,minor,revision}`: names in capitals are links to numbers, next to a file with
/// a count.
fn blocks(reader: &mut Reader<'_>, folder: &str) -> Fact<Vec<IpBlock>> {
    let mut found = Vec::new();
    for die in reader.sorted::<u32>(folder)?.into_iter().take(BLOCKS) {
        let names = reader.names(&format!("{folder}/{die}"))?;
        let blocks =
            names.into_iter().filter(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
        for name in blocks.take(BLOCKS) {
            let instances: Vec<u32> = reader.sorted(&format!("{folder}/{die}/{name}"))?;
            for instance in instances.into_iter().take(BLOCKS) {
                let at = format!("{folder}/{die}/{name}/{instance}");
                let mut part = |part: &str| reader.value(&format!("{at}/{part}"));
                let version = [part("major")?, part("minor")?, part("revision")?];
                found.push(IpBlock { name: name.clone(), die, instance, version });
            }
        }
    }
    Ok(found)
}

fn sensors(reader: &mut Reader<'_>, folder: &str) -> Fact<Vec<Sensor>> {
    let folder = format!("{folder}/hwmon");
    let mut found = Vec::new();
    for device in reader.names(&folder)? {
        let at = format!("{folder}/{device}");
        for file in reader.names(&at)? {
            let Some(unit) = Unit::of(&file) else { continue };
            // A sensor that the chip does not have returns an error.
            let Ok(value) = reader.value(&format!("{at}/{file}")) else { continue };
            let name = file.split_once('_').map_or("", |(name, _)| name);
            let label = reader.text(&format!("{at}/{name}_label")).ok();
            found.push(Sensor { file, label, value, unit });
        }
    }
    Ok(found)
}

/// `ras/umc_err_count`: `ue: 0` and `ce: 0`. Source: `amdgpu_ras.c` (`amdgpu_ras_sysfs_read`).
fn errors(reader: &mut Reader<'_>, folder: &str) -> Fact<Option<BTreeMap<String, String>>> {
    let folder = format!("{folder}/ras");
    let Some(names) = if_there(reader.names(&folder))? else { return Ok(None) };
    let mut found = BTreeMap::new();
    for name in names {
        if name == "features" || name.ends_with("_err_count") {
            let text = reader.text(&format!("{folder}/{name}"))?;
            let words: Vec<&str> = text.split_whitespace().collect();
            found.insert(name, words.join(" "));
        }
    }
    Ok(Some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_say_what_a_sensor_counts_in() {
        for (file, unit) in [
            ("temp1_input", Some(Unit::MilliCelsius)),
            ("temp3_crit", Some(Unit::MilliCelsius)),
            ("temp1_label", None),
            ("power1_average", Some(Unit::MicroWatt)),
            ("fan1_input", Some(Unit::Rpm)),
            ("in0_input", Some(Unit::MilliVolt)),
            ("freq2_input", Some(Unit::Hertz)),
            ("pwm1", None),
            ("name", None),
        ] {
            assert_eq!(Unit::of(file), unit, "{file}");
        }
    }
}
