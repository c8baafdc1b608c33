//! The status word of a page fault, field by field.

use super::asked::Asked;
use super::client::{self, Named};
use super::vm_fault::{self, Origin, denied_access};
use super::{Cause, Context, Kind, Part, Ranked, Reading, is_fault_register};
use crate::pattern::hardware::{Bits, FaultFields, FaultLayout, GfxPattern, Permission, Silicon};
use crate::value::{FaultBits, Hub};

const HEADERS: &str = "drivers/gpu/drm/amd/include/asic_reg";

/// Reads a status word in each layout that it may have.
pub(super) fn read(asked: &Asked, context: &Context<'_>, cause: Cause) -> Vec<Ranked> {
    let Some(number) = asked.number() else { return Vec::new() };
    let Some(raw) = number.word() else { return Vec::new() };
    let bare = cause == Cause::Shape && context.register.is_none();
    // The driver prints all eight digits.
    if bare && !(number.hex && number.digits == 8) {
        return Vec::new();
    }
    let rank = match (bare, number.prefixed) {
        (true, true) => 1,
        (true, false) => 2,
        (false, _) => 0,
    };
    if let Some(reading) = meaningless(raw) {
        return vec![(rank, reading)];
    }
    let key = asked.key.as_deref().filter(|key| is_fault_register(key));
    let printed = key.and_then(|key| key.rsplit(' ').next()).map(str::to_ascii_uppercase);
    let said = context.register.map(str::to_ascii_uppercase);
    let register = said.as_deref().or(printed.as_deref());
    let origin = Origin { register, hub: context.hub, silicon: context.silicon };
    let groups = groups(raw, origin, context);
    let one = groups.len() == 1;
    groups.iter().map(|group| (rank, reading(raw, group, one, origin, context))).collect()
}

/// Words of which all bits are alike.
fn meaningless(raw: u32) -> Option<Reading> {
    let (summary, note) = match raw {
        0 => (
            "page-fault status 0x00000000: it says nothing",
            "the register had not been latched or was read too late; kernels up to 6.12 print a block of zeros all the same, and the CB/DB or CB in it is entry 0 of a table, no evidence against that block",
        ),
        u32::MAX => (
            "page-fault status 0xffffffff: the device does not answer on its bus",
            "reads of a device that is off the bus, without power or in a reset end with all bits set; nothing in the word is a field",
        ),
        _ => return None,
    };
    Some(Reading {
        kind: Kind::FaultStatus,
        summary: summary.to_owned(),
        assumes: None,
        fields: Vec::new(),
        notes: vec![note.to_owned()],
        source: "drivers/gpu/drm/amd/amdgpu/gmc_v9_0.c to gmc_v12_0.c process_interrupt".to_owned(),
    })
}

/// The layouts that the word may have; those together in which it says the same.
fn groups<'h>(raw: u32, origin: Origin<'_>, context: &Context<'h>) -> Vec<Vec<&'h FaultLayout>> {
    let fits = context.hardware.fault_layouts(None, origin.hub(), Silicon::Unknown);
    let possible: Vec<&FaultLayout> = origin.layouts(context.hardware).collect();
    let mut groups: Vec<Vec<&FaultLayout>> = Vec::new();
    for layout in fits.filter(|layout| possible.contains(layout)) {
        let core = vm_fault::core(&vm_fault::fields(raw, layout));
        let same = |group: &&mut Vec<&FaultLayout>| {
            group.first().is_some_and(|first| vm_fault::core(&vm_fault::fields(raw, first)) == core)
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(layout),
            None => groups.push(vec![layout]),
        }
    }
    groups
}

fn reading(
    raw: u32,
    layouts: &[&FaultLayout],
    one: bool,
    origin: Origin<'_>,
    context: &Context<'_>,
) -> Reading {
    let mut bits = layouts.first().map(|first| vm_fault::fields(raw, first)).unwrap_or_default();
    for other in layouts {
        vm_fault::keep_agreed(&mut bits, &vm_fault::fields(raw, other));
    }
    let chips: Vec<GfxPattern> = layouts.iter().flat_map(|layout| layout.gfx.clone()).collect();
    let denied = layouts.first().map(|first| vm_fault::denied(bits.permission_faults, first));
    let denied = denied.unwrap_or_default();
    let clients = Clients::of(&bits, &chips, origin, context);
    let access =
        denied_access(&denied, bits.write).unwrap_or(if bits.write { "a write" } else { "a read" });
    let mut fields = core_parts(&bits, layouts, &denied, &clients);
    fields.extend(upper_parts(&bits, layouts));
    let sources: Vec<&str> = layouts.iter().map(|layout| layout.source.as_str()).collect();
    let known = matches!(origin.silicon, Silicon::Target(_)) || (one && origin.register.is_some());
    Reading {
        kind: Kind::FaultStatus,
        summary: format!("page-fault status 0x{raw:08x}: {access}{}", clients.by),
        assumes: (!known).then(|| format!("a chip of {}", short(&chips))),
        fields,
        notes: notes(&bits, &clients),
        source: format!("{HEADERS}: {}", sources.join(", ")),
    }
}

/// The patterns, each once and without those that another one holds.
fn short(chips: &[GfxPattern]) -> String {
    let mut kept: Vec<&GfxPattern> = Vec::new();
    for chip in chips {
        let wider = |other: &GfxPattern| {
            other != chip && other.meets(chip) && other.to_string().len() < chip.to_string().len()
        };
        if !kept.contains(&chip) && !chips.iter().any(wider) {
            kept.push(chip);
        }
    }
    kept.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Who made the access, as far as hub and chip are known.
struct Clients {
    /// ` by TCP`, where there is one answer for the hub that is known or likelier.
    by: String,
    text: String,
    note: Option<String>,
}

impl Clients {
    fn of(
        bits: &FaultBits,
        chips: &[GfxPattern],
        origin: Origin<'_>,
        context: &Context<'_>,
    ) -> Self {
        let hubs = origin.hub().map_or_else(|| vec![Hub::Gfx, Hub::Mm], |hub| vec![hub]);
        let mut said = Vec::new();
        let (mut by, mut open) = (String::new(), false);
        for hub in &hubs {
            let named = client::names(context, (*hub).into(), chips, bits.client_id, bits.write);
            if let [Named { name: Some(name), .. }] = &named[..] {
                let engine = client::engine(name, context);
                let engine = engine.map(|engine| format!(": {engine}")).unwrap_or_default();
                said.push(format!("{name} on {hub}{engine}"));
                if hubs.len() == 1 || *hub == Hub::Gfx {
                    by = format!(" by {name}");
                }
            } else if named.iter().any(|one| one.name.is_some()) {
                open = true;
                said.push(format!("on {hub} {}", by_chip(&named)));
            }
        }
        let hub_open = hubs.len() > 1 && !said.is_empty();
        if hub_open && !by.is_empty() {
            by.push_str(" if on gfxhub");
        }
        let note = (open || hub_open).then(|| {
            let missing = if hub_open { "--hub or --register" } else { "--gfx" };
            format!("the client's name depends on hub and chip: {missing} decides")
        });
        let text = if said.is_empty() { "no name is known".to_owned() } else { said.join("; ") };
        Self { by, text, note }
    }
}

/// So many different names are told.
const NAMES: usize = 5;

fn by_chip(named: &[Named]) -> String {
    let with_name = named.iter().filter_map(|one| Some((one.name.as_deref()?, one.chips())));
    let mut list: Vec<String> = with_name.map(|(name, gfx)| format!("{name} ({gfx})")).collect();
    if list.len() > NAMES {
        list.truncate(NAMES);
        list.push("and others".to_owned());
    }
    list.join(", ")
}

/// Where a field is, if all layouts have it there.
fn place(layouts: &[&FaultLayout], field: impl Fn(&FaultFields) -> Option<Bits>) -> Option<String> {
    let mut places = layouts.iter().map(|layout| field(&layout.fields));
    let first = places.next()??;
    places.all(|other| other == Some(first)).then(|| first.to_string())
}

fn flag(name: &str, bits: Option<String>, set: bool, yes: &str, no: &str) -> Part {
    Part { bits, ..Part::new(name, u8::from(set).to_string()).means(if set { yes } else { no }) }
}

fn core_parts(
    bits: &FaultBits,
    layouts: &[&FaultLayout],
    denied: &[Permission],
    clients: &Clients,
) -> Vec<Part> {
    let at = |field: fn(&FaultFields) -> Option<Bits>| place(layouts, field);
    let has = |field: fn(&FaultFields) -> Option<Bits>| {
        layouts.iter().all(|l| field(&l.fields).is_some())
    };
    let number = |name: &str, bits, value: u64, text: String| Part {
        bits,
        ..Part::new(name, format!("0x{value:x}")).means(text)
    };
    let mut parts = Vec::new();
    if has(|l| l.more_faults) {
        let (yes, no) = ("more faults came after this one", "no fault came after this one");
        parts.push(flag("MORE_FAULTS", at(|l| l.more_faults), bits.more_faults, yes, no));
    }
    if has(|l| l.walker_error) {
        let text = match bits.walker_error {
            0 => "the page tables were read without error",
            _ => "an error on the way through the page tables; the codes have no published names",
        };
        let value = bits.walker_error.into();
        parts.push(number("WALKER_ERROR", at(|l| l.walker_error), value, text.to_owned()));
    }
    let permissions = permission_text(bits.permission_faults, denied);
    let value = bits.permission_faults.into();
    parts.push(number("PERMISSION_FAULTS", at(|l| l.permission_faults), value, permissions));
    if has(|l| l.mapping_error) {
        let (yes, no) = ("the page tables have no way to the address", "no error of this kind");
        parts.push(flag("MAPPING_ERROR", at(|l| l.mapping_error), bits.mapping_error, yes, no));
    }
    let id = bits.client_id.into();
    parts.push(number("CID", at(|l| l.client_id), id, clients.text.clone()));
    parts.push(flag("RW", at(|l| l.write), bits.write, "a write", "a read"));
    parts.push(flag("ATOMIC", at(|l| l.atomic), bits.atomic, "an atomic access", "not atomic"));
    let owner = if bits.vmid == 0 {
        "the driver's and the firmware's own address space"
    } else {
        "the address space of a program; vmid: of the header says the same"
    };
    let vmid = Part::new("VMID", bits.vmid.to_string()).means(owner);
    parts.push(Part { bits: at(|l| l.vmid), ..vmid });
    parts
}

fn permission_text(value: u8, denied: &[Permission]) -> String {
    let word = |permission: &Permission| match permission {
        Permission::Valid => "the page is not valid",
        Permission::Read => "reading is not allowed",
        Permission::Write => "writing is not allowed",
        Permission::Execute => "executing is not allowed",
        Permission::Range => "the address is out of range",
        Permission::Directory => "the page directory has no entry",
    };
    match (value, denied) {
        (0, _) => "nothing was denied".to_owned(),
        (_, []) => "bits whose meaning is not documented".to_owned(),
        _ => denied.iter().map(word).collect::<Vec<_>>().join(", "),
    }
}

/// The bits of which the chip is known well enough.
fn upper_parts(bits: &FaultBits, layouts: &[&FaultLayout]) -> Vec<Part> {
    let at = |field: fn(&FaultFields) -> Option<Bits>| place(layouts, field);
    let mut parts = Vec::new();
    let (yes, no) = ("from a virtual machine (SR-IOV)", "not from a virtual function");
    parts.extend(bits.vf.map(|set| flag("VF", at(|l| l.vf), set, yes, no)));
    parts.extend(bits.vfid.map(|id| {
        let part = Part::new("VFID", id.to_string()).means("which virtual function, where VF is 1");
        Part { bits: at(|l| l.vfid), ..part }
    }));
    let (yes, no) = ("a page of a partially resident texture", "no partially resident texture");
    parts.extend(bits.prt.map(|set| flag("PRT", at(|l| l.prt), set, yes, no)));
    let (yes, no) = ("a memory error that cannot be corrected", "no uncorrected memory error");
    parts.extend(bits.uce.map(|set| flag("UCE", at(|l| l.uce), set, yes, no)));
    let (yes, no) = ("data that is marked as bad (poison)", "no bad data");
    parts.extend(bits.fed.map(|set| flag("FED", at(|l| l.fed), set, yes, no)));
    let reserved = bits.reserved.filter(|reserved| *reserved != 0);
    parts.extend(reserved.map(|reserved| {
        let text = "bits that no field of this chip holds; the word may be of another chip";
        Part::new("reserved", format!("0x{reserved:08x}")).means(text)
    }));
    parts
}

fn notes(bits: &FaultBits, clients: &Clients) -> Vec<String> {
    let mut notes: Vec<String> = clients.note.iter().cloned().collect();
    if bits.more_faults {
        notes.push(
            "the word holds the first fault; header and address can be those of a later one"
                .to_owned(),
        );
    }
    if bits.vmid == 0 && bits.mapping_error && bits.walker_error != 0 {
        notes.push("driver or firmware reached for an address that nobody had set up, often an echo of a hang or reset".to_owned());
    }
    if bits.fed == Some(true) || bits.uce == Some(true) {
        notes.push("a memory error, not a wrong address: look for RAS messages near it".to_owned());
    }
    notes
}
