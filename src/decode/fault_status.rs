//! The status word of a page fault, field by field.

use super::asked::Asked;
use super::client::{self, ClientName};
use super::vm_fault::{self, Origin, denied_access};
use super::{Cause, Context, Detail, Interpretation, Kind, Ranked, is_fault_register, joined};
use crate::pattern::hardware::{Bits, FaultFields, FaultLayout, GfxPattern, Permission, Silicon};
use crate::value::{FaultBits, Hub, unique};

const HEADERS: &str = "drivers/gpu/drm/amd/include/asic_reg";

/// Reads a status word in each layout that is possible.
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

/// Words whose bits are all equal.
fn meaningless(raw: u32) -> Option<Interpretation> {
    let (summary, note) = match raw {
        0 => (
            "page-fault status 0x00000000: it says nothing",
            "the register had not been latched or was read too late; kernels up to 6.12 print a block of zeros all the same, and the CB/DB or CB in it is entry 0 of a table, no evidence against that block",
        ),
        u32::MAX => (
            "page-fault status 0xffffffff: the device does not respond on its bus",
            "a read from a device that is off the bus, without power or in reset returns all bits set; the word has no fields",
        ),
        _ => return None,
    };
    let source = "drivers/gpu/drm/amd/amdgpu/gmc_v9_0.c to gmc_v12_0.c process_interrupt";
    let notes = vec![note.to_owned()];
    Some(Interpretation {
        notes,
        ..Interpretation::new(Kind::FaultStatus, summary, Vec::new(), source)
    })
}

/// The possible layouts, grouped by those in which the word has the same fields.
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
) -> Interpretation {
    let [first, others @ ..] = layouts else { unreachable!("a group has a layout") };
    let mut bits = vm_fault::fields(raw, first);
    for other in others {
        vm_fault::keep_agreed(&mut bits, &vm_fault::fields(raw, other));
    }
    let chips: Vec<GfxPattern> = layouts.iter().flat_map(|layout| layout.gfx.clone()).collect();
    let denied = vm_fault::denied(bits.permission_faults, first);
    let clients = Clients::of(&bits, &chips, origin, context);
    let access =
        denied_access(&denied, bits.write).unwrap_or(if bits.write { "a write" } else { "a read" });
    let all = Layouts(layouts);
    let mut fields = core_parts(&bits, &all, &denied, &clients);
    fields.extend(upper_parts(&bits, &all));
    let sources = joined(layouts.iter().map(|layout| &layout.source));
    let known = matches!(origin.silicon, Silicon::Target(_)) || (one && origin.register.is_some());
    let summary = format!("page-fault status 0x{raw:08x}: {access}{}", clients.by);
    Interpretation {
        assumes: (!known).then(|| format!("a chip of {}", short(&chips))),
        notes: notes(&bits, &clients),
        ..Interpretation::new(Kind::FaultStatus, summary, fields, format!("{HEADERS}: {sources}"))
    }
}

/// The patterns without duplicates and without those that another one includes.
fn short(chips: &[GfxPattern]) -> String {
    let is_widest = |chip: &&GfxPattern| {
        let is_wider = |other: &GfxPattern| {
            other != *chip && other.meets(chip) && other.to_string().len() < chip.to_string().len()
        };
        !chips.iter().any(is_wider)
    };
    joined(unique(chips.iter().filter(is_widest)))
}

/// The client that made the access, as far as hub and chip are known.
struct Clients {
    /// ` by TCP`, if there is one answer for the known or likelier hub.
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
            if let [ClientName { name: Some(name), .. }] = &named[..] {
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

/// Maximum number of different names to show.
const NAMES: usize = 5;

fn by_chip(named: &[ClientName]) -> String {
    let with_name = named.iter().filter_map(|one| Some((one.name.as_deref()?, one.chips())));
    let mut list: Vec<String> = with_name.map(|(name, gfx)| format!("{name} ({gfx})")).collect();
    if list.len() > NAMES {
        list.truncate(NAMES);
        list.push("and others".to_owned());
    }
    list.join(", ")
}

/// A field of a layout.
type Field = fn(&FaultFields) -> Option<Bits>;

/// Possible layouts of a word, all of which give it the same fields.
struct Layouts<'l>(&'l [&'l FaultLayout]);

impl Layouts<'_> {
    fn have(&self, field: Field) -> bool {
        self.0.iter().all(|layout| field(&layout.fields).is_some())
    }

    /// A part; with its bit positions if all layouts agree on them.
    fn part(&self, name: &str, field: Field, value: impl Into<String>, means: &str) -> Detail {
        let mut places = self.0.iter().map(|layout| field(&layout.fields));
        let first = places.next().flatten();
        let bits = first.filter(|_| places.all(|other| other == first));
        Detail { bits: bits.map(|bits| bits.to_string()), ..Detail::new(name, value).means(means) }
    }

    fn flag(&self, name: &str, field: Field, set: bool, [yes, no]: [&str; 2]) -> Detail {
        self.part(name, field, u8::from(set).to_string(), if set { yes } else { no })
    }
}

fn core_parts(
    bits: &FaultBits,
    layouts: &Layouts<'_>,
    denied: &[Permission],
    clients: &Clients,
) -> Vec<Detail> {
    let hex = |value: u16| format!("0x{value:x}");
    let outcome_of_walk = match bits.walker_error {
        0 => "the page tables were read without error",
        _ => "an error on the way through the page tables; the codes have no published names",
    };
    let owner = match bits.vmid {
        0 => "the driver's and the firmware's own address space",
        _ => "the address space of a program; vmid: of the header says the same",
    };
    let more = ["more faults came after this one", "no fault came after this one"];
    let mapping = ["the page tables have no way to the address", "no error of this kind"];
    let permissions = permission_text(bits.permission_faults, denied);
    let (walker, denials) = (hex(bits.walker_error.into()), hex(bits.permission_faults.into()));
    let parts = [
        (layouts.have(|l| l.more_faults))
            .then(|| layouts.flag("MORE_FAULTS", |l| l.more_faults, bits.more_faults, more)),
        (layouts.have(|l| l.walker_error))
            .then(|| layouts.part("WALKER_ERROR", |l| l.walker_error, walker, outcome_of_walk)),
        Some(layouts.part("PERMISSION_FAULTS", |l| l.permission_faults, denials, &permissions)),
        (layouts.have(|l| l.mapping_error)).then(|| {
            layouts.flag("MAPPING_ERROR", |l| l.mapping_error, bits.mapping_error, mapping)
        }),
        Some(layouts.part("CID", |l| l.client_id, hex(bits.client_id), &clients.text)),
        Some(layouts.flag("RW", |l| l.write, bits.write, ["a write", "a read"])),
        Some(layouts.flag("ATOMIC", |l| l.atomic, bits.atomic, ["an atomic access", "not atomic"])),
        Some(layouts.part("VMID", |l| l.vmid, bits.vmid.to_string(), owner)),
    ];
    parts.into_iter().flatten().collect()
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

/// The bits above the core fields, if the chip is known well enough.
fn upper_parts(bits: &FaultBits, layouts: &Layouts<'_>) -> Vec<Detail> {
    let flag = |name, field: Field, set: Option<bool>, texts| {
        set.map(|set| layouts.flag(name, field, set, texts))
    };
    let vf = ["from a virtual machine (SR-IOV)", "not from a virtual function"];
    let vfid = "which virtual function, where VF is 1";
    let prt = ["a page of a partially resident texture", "no partially resident texture"];
    let uce = ["a memory error that cannot be corrected", "no uncorrected memory error"];
    let fed = ["data that is marked as bad (poison)", "no bad data"];
    let reserved = "bits outside of this chip's fields; the word may be from another chip";
    let parts = [
        flag("VF", |l| l.vf, bits.vf, vf),
        bits.vfid.map(|id| layouts.part("VFID", |l| l.vfid, id.to_string(), vfid)),
        flag("PRT", |l| l.prt, bits.prt, prt),
        flag("UCE", |l| l.uce, bits.uce, uce),
        flag("FED", |l| l.fed, bits.fed, fed),
        bits.reserved
            .filter(|set| *set != 0)
            .map(|set| Detail::new("reserved", format!("0x{set:08x}")).means(reserved)),
    ];
    parts.into_iter().flatten().collect()
}

fn notes(bits: &FaultBits, clients: &Clients) -> Vec<String> {
    let mut notes: Vec<String> = clients.note.iter().cloned().collect();
    if bits.more_faults {
        notes.push(
            "the word describes the first fault; header and address can be those of a later one"
                .to_owned(),
        );
    }
    if bits.vmid == 0 && bits.mapping_error && bits.walker_error != 0 {
        notes.push("driver or firmware accessed an address that was not set up, often an after-effect of a hang or reset".to_owned());
    }
    if bits.fed == Some(true) || bits.uce == Some(true) {
        notes.push("a memory error, not a wrong address: look for RAS messages near it".to_owned());
    }
    notes
}
