//! Files of the driver in debugfs, which only root can read, by a fixed list.
//!
//! Some files there are commands: reading `amdgpu_gpu_recover` resets the GPU, others evict its
//! memory or run tests. So directories are not listed, and only the files below are opened. Source:
//! Documentation/gpu/amdgpu/debugfs.rst, `amdgpu_debugfs.c`.

use crate::host::about::{Connector, Details};
use crate::host::files::Refusal;
use crate::host::reader::Reader;

use super::{Attachment, LIMIT};

/// The directory of the cards.
const FOLDER: &str = "/sys/kernel/debug/dri";

/// A file that may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct File {
    name: &'static str,
    /// Whether reading it accesses the GPU, which wakes a suspended GPU and blocks on one that
    /// hangs.
    asks: bool,
    /// Whether it contains a 4-byte number instead of text.
    binary: bool,
}

const fn remembered(name: &'static str) -> File {
    File { name, asks: false, binary: false }
}

const fn asked(name: &'static str) -> File {
    File { name, asks: true, binary: false }
}

/// Files of a card. Those that name other processes (`amdgpu_gem_info`, `amdgpu_vm_info`) are
/// excluded.
const OF_A_CARD: [File; 7] = [
    remembered("amdgpu_firmware_info"),
    remembered("amdgpu_fence_info"),
    remembered("ttm_page_pool"),
    remembered("state"),
    asked("amdgpu_pm_info"),
    File { name: "amdgpu_gfxoff_status", asks: true, binary: true },
    asked("amdgpu_dm_dmub_tracebuffer"),
];

/// Files of a connector.
const OF_A_CONNECTOR: [File; 2] = [asked("link_settings"), asked("psr_state")];

/// The names of all files that may be read; those of a connector include its directory.
#[must_use]
pub fn files() -> Vec<&'static str> {
    OF_A_CARD.iter().chain(&OF_A_CONNECTOR).map(|file| file.name).collect()
}

/// All files of all cards.
pub(super) fn read(reader: &mut Reader<'_>, details: &[Details], hangs: bool) -> Vec<Attachment> {
    let mut all = Vec::new();
    for gpu in details {
        let Some(card) = gpu.card else { continue };
        let short = gpu.address.to_string().replace(':', "-");
        let refusal = |file: &File| match (file.asks, gpu.awake) {
            (true, _) if hangs => Some(Refusal::GpuHangs),
            (true, false) => Some(Refusal::Asleep),
            _ => None,
        };
        // Older kernels have only the number, newer ones have both names.
        let folder = format!("{FOLDER}/{card}");
        // Without root or debugfs one entry reports that for all files. This check opens nothing.
        if let Err(unread) = reader.status(&folder) {
            all.push(Attachment::new(format!("debugfs/{short}"), folder, Err(unread.why)));
            continue;
        }
        let connectors = gpu.connectors.iter().flatten();
        let connectors = connectors.filter(|it| it.is_connected() && plain(it));
        let of_connectors = connectors.flat_map(|connector| {
            let name = connector.name.as_str();
            OF_A_CONNECTOR.map(|file| (format!("{short}-{name}"), format!("{name}/"), file))
        });
        let of_the_card = OF_A_CARD.map(|file| (short.clone(), String::new(), file));
        for (begin, below, file) in of_the_card.into_iter().chain(of_connectors) {
            let path = format!("{folder}/{below}{}", file.name);
            let name = format!("debugfs/{begin}-{}.txt", file.name);
            all.push(one(reader, name, &path, file, refusal(&file)));
        }
    }
    all
}

/// Whether the connector's name is safe as part of a path.
fn plain(connector: &Connector) -> bool {
    let good = |c: char| c.is_ascii_alphanumeric() || c == '-';
    !connector.name.is_empty() && connector.name.chars().all(good)
}

fn one(
    reader: &mut Reader<'_>,
    name: String,
    path: &str,
    file: File,
    refusal: Option<Refusal>,
) -> Attachment {
    let read = match refusal {
        Some(why) => Err(why),
        None => reader.long(path, LIMIT).map_err(|unread| unread.why),
    };
    let read = read.map(|(bytes, cut)| match <[u8; 4]>::try_from(bytes.as_slice()) {
        Ok(word) if file.binary => (format!("{}\n", u32::from_ne_bytes(word)).into_bytes(), cut),
        _ => (bytes, cut),
    });
    Attachment::new(name, path, read)
}
