//! The blocks that the status registers of the graphics core report as busy.

use crate::pattern::hardware::{Bitfield, BitfieldKind, Fit, Hardware, Silicon};

/// The registers with one bit for each block.
const OF_BLOCKS: [BitfieldKind; 2] = [BitfieldKind::GrbmStatus, BitfieldKind::GrbmStatus2];

/// The blocks that are busy according to `registers`, if all layouts that the chip may have agree.
pub(crate) fn busy_blocks<'r>(
    registers: impl Iterator<Item = (&'r str, u32)>,
    silicon: Silicon<'_>,
    hardware: &Hardware,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut read = Vec::new();
    for (name, value) in registers {
        let kind = OF_BLOCKS.into_iter().find(|kind| is_called(*kind, name, hardware));
        let Some(kind) = kind.filter(|kind| !read.contains(kind)) else { continue };
        // Other blocks print some of the registers again, later.
        read.push(kind);
        found.extend(of_register(kind, value, silicon, hardware));
    }
    found
}

fn is_called(kind: BitfieldKind, name: &str, hardware: &Hardware) -> bool {
    let name = name.to_ascii_lowercase();
    hardware.bitfields(kind).any(|layout| layout.printed.contains(&name))
}

fn of_register(
    kind: BitfieldKind,
    value: u32,
    silicon: Silicon<'_>,
    hardware: &Hardware,
) -> Vec<String> {
    let fits = |layout: &&Bitfield| layout.fit(silicon, &[value]) != Fit::No;
    let mut layouts = hardware.bitfields(kind).filter(fits);
    let Some(first) = layouts.next() else { return Vec::new() };
    let mut busy = busy_in(first, value);
    for other in layouts {
        let also = busy_in(other, value);
        busy.retain(|block| also.contains(block));
    }
    busy.into_iter().map(str::to_owned).collect()
}

fn busy_in(layout: &Bitfield, value: u32) -> Vec<&str> {
    let set = layout.fields.iter().filter(|field| field.of(&[value]) != 0);
    // Layouts may name one bit differently; then the block is ambiguous.
    set.filter_map(|field| field.name.strip_suffix("_BUSY").filter(|name| !name.contains(' ')))
        .collect()
}
