//! ROCm installations, and who may use the GPUs.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

use crate::host::json::OrNull;
use crate::host::reader::{Fact, Reader, if_there, value_after};
use crate::value::GfxTarget;

/// Groups with access to GPUs. Source: ROCm's installation guide, systemd's
/// `50-udev-default.rules`.
const GROUPS: [&str; 2] = ["render", "video"];
/// Maximum number of installations to read.
const INSTALLATIONS: usize = 16;

/// An installation of ROCm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Installation {
    /// Its directory: `/opt/rocm-6.4.1`.
    pub folder: String,
    /// The version; null if it could not be read.
    #[serde(with = "OrNull::<String>")]
    pub version: Fact<String>,
    /// The gfx targets for which its matrix library (rocBLAS) has code, from the names of its
    /// files; null if they could not be read.
    #[serde(rename = "gfx_targets", with = "OrNull::<BTreeSet<GfxTarget>>")]
    pub targets: Fact<BTreeSet<GfxTarget>>,
}

/// A file through which programs reach a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DeviceFile {
    /// The path: `/dev/kfd`.
    pub path: String,
    /// The permissions in octal; null if unknown.
    #[serde(serialize_with = "octal")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub mode: Fact<u32>,
    /// Its group, if that is `render`, `video` or `root`; otherwise null.
    pub group: Option<String>,
    /// Whether this process may open it; null if unknown.
    pub usable: Option<bool>,
}

/// A group that may open a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Membership {
    /// The name: `render` or `video`.
    #[serde(rename = "name")]
    pub group: &'static str,
    /// Whether this process is a member; null if unknown, or if there is no such group.
    pub member: Option<bool>,
}

/// ROCm, and who may use it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Rocm {
    /// The installations outside of the distribution's directories; null if they could not be read.
    #[serde(with = "OrNull::<Vec<Installation>>")]
    pub installations: Fact<Vec<Installation>>,
    /// `/dev/kfd` and the render nodes.
    pub devices: Vec<DeviceFile>,
    /// The groups with access to them.
    #[serde(rename = "groups")]
    pub memberships: Vec<Membership>,
}

fn octal<S: Serializer>(mode: &Fact<u32>, to: S) -> Result<S::Ok, S::Error> {
    mode.as_ref().ok().map(|mode| format!("{mode:04o}")).serialize(to)
}

impl Rocm {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let groups = reader.long_text("/etc/group", 4 << 20);
        let id = |name: &str| {
            let text = groups.as_deref().ok()?;
            text.lines().find_map(|line| {
                let (group, rest) = line.split_once(':')?;
                (group == name).then(|| rest.split(':').nth(1)?.parse::<u32>().ok())?
            })
        };
        let own = own_groups(reader);
        let memberships = GROUPS.map(|group| Membership {
            group,
            member: id(group).and_then(|id| Some(own.as_ref()?.contains(&id))),
        });
        let named: Vec<(u32, &str)> = GROUPS
            .iter()
            .filter_map(|group| Some((id(group)?, *group)))
            .chain([(0, "root")])
            .collect();
        let mut paths = vec!["/dev/kfd".to_owned()];
        let nodes = reader.entries("/dev/dri").into_iter();
        let nodes = nodes.filter(|name| name.starts_with("renderD"));
        paths.extend(nodes.map(|name| format!("/dev/dri/{name}")));
        let mut device = |path: String| {
            let status = reader.status(&path);
            let group = status.as_ref().ok().and_then(|status| {
                named.iter().find(|(id, _)| *id == status.group).map(|(_, name)| (*name).to_owned())
            });
            let usable = status.as_ref().ok().map(|status| status.usable);
            DeviceFile { path, mode: status.map(|status| status.mode), group, usable }
        };
        let devices = paths.into_iter().map(&mut device).collect();
        Self { installations: installations(reader), devices, memberships: memberships.into() }
    }
}

/// The groups of this process.
fn own_groups(reader: &mut Reader<'_>) -> Option<BTreeSet<u32>> {
    let text = reader.text("/proc/self/status").ok()?;
    let lines = [value_after(&text, "Groups:")?, value_after(&text, "Gid:")?];
    let words = lines.into_iter().flat_map(str::split_whitespace);
    Some(words.filter_map(|word| word.parse().ok()).collect())
}

fn installations(reader: &mut Reader<'_>) -> Fact<Vec<Installation>> {
    let names = if_there(reader.names("/opt"))?.unwrap_or_default();
    let versioned = names.iter().any(|name| name.starts_with("rocm-"));
    let mut found = Vec::new();
    for name in names.iter().filter(|name| *name == "rocm" || name.starts_with("rocm-")) {
        let folder = format!("/opt/{name}");
        // The plain name is usually a link to a versioned directory.
        if name == "rocm" && versioned && reader.link(&folder).is_ok() {
            continue;
        }
        if found.len() >= INSTALLATIONS {
            break;
        }
        found.push(Installation {
            version: reader.text(&format!("{folder}/.info/version")),
            targets: reader
                .names(&format!("{folder}/lib/rocblas/library"))
                .map(|names| targets(&names)),
            folder,
        });
    }
    Ok(found)
}

/// `TensileLibrary_lazy_gfx1100.dat`, `Kernels.so-000-gfx90a-xnack+.hsaco`.
fn targets(names: &[String]) -> BTreeSet<GfxTarget> {
    let target = |part: &str| {
        let end = part.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(part.len());
        format!("gfx{}", &part[..end]).parse().ok()
    };
    names.iter().flat_map(|name| name.split("gfx").skip(1)).filter_map(target).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_tell_targets() {
        let names = [
            "TensileLibrary_lazy_gfx1100.dat",
            "Kernels.so-000-gfx90a-xnack+.hsaco",
            "gfx.dat",
            "x",
        ];
        let found = targets(&names.map(str::to_owned));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found, ["gfx90a", "gfx1100"]);
    }
}
