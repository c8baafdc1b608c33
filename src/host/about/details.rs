//! Details of a GPU: IP blocks, memory, power states, sensors, memory errors, displays.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::host::Gpu;
use crate::host::files::Refusal;
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

/// An IP block, from the discovery table of the chip. Source: `amdgpu_discovery.c`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct IpBlock {
    /// Its name: `GC`, `MP1`, `UVD`.
    pub name: String,
    /// The die that it is on.
    pub die: u32,
    /// The instance number among blocks of this name.
    pub instance: u32,
    /// The version: `11.0.3`.
    #[serde(serialize_with = "dotted")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub version: [u32; 3],
}

/// The size of a memory pool, and how much of it is in use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Usage {
    /// The size in bytes; null if unknown.
    #[serde(rename = "total_bytes", with = "OrNull::<u64>")]
    pub total: Fact<u64>,
    /// The bytes in use; null if unknown.
    #[serde(rename = "used_bytes", with = "OrNull::<u64>")]
    pub used: Fact<u64>,
}

/// Memory that a GPU uses. Source: `amdgpu_vram_mgr.c`, `amdgpu_gtt_mgr.c`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Memory {
    /// The video memory; null if unknown.
    #[serde(serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub vram: Usage,
    /// The video memory that the CPU can access (BAR); null if unknown.
    #[serde(rename = "visible_vram", serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub visible: Usage,
    /// The system memory that the GPU can use (GTT); null if unknown.
    #[serde(serialize_with = "where_known")]
    #[cfg_attr(test, schemars(with = "Option<Usage>"))]
    pub gtt: Usage,
    /// The manufacturer of the video memory: `samsung`; null if unknown.
    #[serde(rename = "vram_vendor", with = "OrNull::<String>")]
    pub vendor: Fact<String>,
}

/// The unit of a sensor. Source: `Documentation/hwmon/sysfs-interface.rst`.
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
    /// Revolutions per minute.
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

/// The reading of a sensor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Sensor {
    /// The file: `temp1_input`.
    pub file: String,
    /// The driver's label: `edge`, `junction`, `PPT`; null if it has none.
    pub label: Option<String>,
    /// The value, in `unit`.
    pub value: i64,
    /// The unit of `value`.
    pub unit: Unit,
}

/// A GPU in detail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Details {
    /// The PCI address.
    #[serde(skip)]
    pub address: PciAddress,
    /// The revision of the chip, which distinguishes products with the same PCI id.
    #[serde(skip)]
    pub revision: Fact<u8>,
    /// Whether it was awake when it was read.
    pub awake: bool,
    /// The number of its DRM card: 1 for `card1`; null without a driver.
    pub card: Option<u32>,
    /// The number of its render node: 128 for `renderD128`; null without a driver.
    pub render: Option<u32>,
    /// The IP blocks; null before kernel 5.17 and for chips without a discovery table.
    #[serde(with = "OrNull::<Vec<IpBlock>>")]
    pub blocks: Fact<Vec<IpBlock>>,
    /// The memory that it can use.
    #[serde(flatten)]
    pub memory: Memory,
    /// Clocks, power states and limits, by the names of the driver's files; null for a file that
    /// could not be read.
    #[serde(serialize_with = "each_or_null")]
    #[cfg_attr(test, schemars(with = "BTreeMap<String, Option<String>>"))]
    pub states: BTreeMap<&'static str, Fact<String>>,
    /// The overdrive table; null if the driver has none, as is usual unless overdrive was enabled
    /// (`amdgpu.ppfeaturemask`).
    #[serde(with = "OrNull::<Option<String>>")]
    pub overdrive: Fact<Option<String>>,
    /// The sensors; null if they could not be read, for example of a GPU that is asleep.
    #[serde(with = "OrNull::<Vec<Sensor>>")]
    pub sensors: Fact<Vec<Sensor>>,
    /// Error counts of its memory and blocks (RAS), by the names of the driver's files; null if the
    /// driver does not count errors.
    #[serde(with = "OrNull::<Option<BTreeMap<String, String>>>")]
    pub errors: Fact<Option<BTreeMap<String, String>>>,
    /// The display connectors; null if they could not be read.
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
        let unread = |why: Refusal, name: &str| Unread::new(format!("{folder}/{name}"), why);
        let ready = |name: &str| if awake { Ok(()) } else { Err(unread(Refusal::Asleep, name)) };
        // The directory listing shows which files exist without opening any.
        let names = reader.entries(&folder);
        let connectors = match card {
            Some(card) => connector::read(reader, &format!("{folder}/drm/card{card}")),
            None => Err(unread(Refusal::Missing, "drm")),
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
            Err(Unread::new(path, Refusal::Asleep))
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
