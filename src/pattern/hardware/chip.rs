//! Chips, with their PCI ids, code names and products.

use serde::{Deserialize, Serialize};

use super::silicon::Silicon;
use crate::pattern::document::record;
use crate::value::{DeviceKind, GfxTarget, PciId};

record! {
    /// One chip.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Chip {
        /// Its public name: `Navi 31`.
        pub asic: String,
        /// Its names in the driver's modesetting line and in Mesa: `VEGA20`, `NAVI31`.
        pub code_names: Vec<String>,
        /// Its name in the part number of its video BIOS; chips that share a name are alike.
        pub bios: Vec<String>,
        /// Its gfx targets; several if the PCI ids do not determine it.
        pub gfx: Vec<GfxTarget> = required,
        /// The version of its graphics block (GC); several as with `gfx`.
        pub gc: Vec<String>,
        /// Discrete or integrated.
        pub kind: DeviceKind,
        /// The family with its facts.
        pub family: Option<String>,
        /// Its PCI ids with the products of each.
        pub devices: Vec<Device>,
        /// Its PCI ids without a known product.
        pub ids: Vec<PciId>,
    }
}

record! {
    /// One PCI id of a chip.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Device {
        /// The id.
        pub id: PciId,
        /// The product names as marketed, without `AMD`; may be empty.
        pub names: Vec<String>,
    }
}

/// Maximum number of products of one id to name.
const NAMED: usize = 4;

impl Device {
    /// The products in one line, `Radeon RX 7900 XTX/7900 XT/7900 GRE/7900M`, up to [`NAMED`].
    pub(crate) fn name(&self) -> Option<String> {
        let first = self.names.first()?;
        let mut name = first.clone();
        for other in self.names.iter().take(NAMED).skip(1) {
            name.push('/');
            name.push_str(without_common_words(first, other));
        }
        if self.names.len() > NAMED {
            name.push_str(" and others");
        }
        Some(name)
    }
}

/// `other` from the first word that differs from `first`.
fn without_common_words<'o>(first: &str, other: &'o str) -> &'o str {
    let mut rest = other;
    for word in first.split(' ') {
        match rest.split_once(' ') {
            Some((same, after)) if same == word => rest = after,
            _ => break,
        }
    }
    rest
}

impl Chip {
    /// The gfx target; `None` if there are several.
    pub(crate) fn target(&self) -> Option<GfxTarget> {
        match self.gfx[..] {
            [target] => Some(target),
            _ => None,
        }
    }

    /// Its graphics core.
    pub(crate) fn silicon(&self) -> Silicon<'_> {
        self.target().map_or(Silicon::OneOf(&self.gfx), Silicon::Target)
    }

    pub(crate) fn device(&self, id: PciId) -> Option<&Device> {
        self.devices.iter().find(|device| device.id == id)
    }

    /// Normalises names and ids for lookup.
    pub(super) fn arranged(mut self) -> Self {
        for name in self.devices.iter_mut().flat_map(|device| &mut device.names) {
            *name = plain(name);
        }
        let unnamed = self.ids.drain(..).map(|id| Device { id, names: Vec::new() });
        self.devices.extend(unnamed);
        self
    }
}

/// The first of `chips`, if all have the same gfx targets.
pub(super) fn same_target<'c>(mut chips: impl Iterator<Item = &'c Chip>) -> Option<&'c Chip> {
    let first = chips.next()?;
    chips.all(|chip| chip.gfx == first.gfx).then_some(first)
}

/// The chip whose product `text` names.
pub(super) fn named_in<'c>(chips: &'c [Chip], text: &str) -> Option<&'c Chip> {
    let text = plain(text).to_ascii_lowercase();
    let mut found: Vec<(usize, usize, &Chip)> = Vec::new();
    for chip in chips {
        for name in chip.devices.iter().flat_map(|device| &device.names) {
            let name = name.to_ascii_lowercase();
            found.extend(places(&text, &name).map(|start| (start, start + name.len(), chip)));
        }
    }
    // `Radeon RX 7600` is also part of `Radeon RX 7600 XT`.
    let inside = |a: &(usize, usize, &Chip), b: &(usize, usize, &Chip)| {
        b.0 <= a.0 && a.1 <= b.1 && a.1 - a.0 < b.1 - b.0
    };
    let whole = found.iter().filter(|name| !found.iter().any(|other| inside(name, other)));
    same_target(whole.map(|(_, _, chip)| *chip))
}

/// The positions of `name` in `text` as whole words.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let word = |c: char| c.is_alphanumeric();
    text.match_indices(name).map(|(start, _)| start).filter(move |&start| {
        !text[..start].ends_with(word) && !text[start + name.len()..].starts_with(word)
    })
}

/// The text with single spaces and without trademark signs, which programs use inconsistently.
fn plain(text: &str) -> String {
    let mut text = text.replace(['™', '®'], "");
    for sign in ["(TM)", "(tm)", "(R)"] {
        text = text.replace(sign, "");
    }
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
