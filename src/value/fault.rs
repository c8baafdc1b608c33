//! The fields of a page fault's status register.

use super::Hex;
use super::field::Value;

/// The fields of a GPUVM protection fault status register, any generation.
///
/// Source: `VM_L2_PROTECTION_FAULT_STATUS` of the `gc` and `mmhub` register headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "they are the bits of a register")]
pub(crate) struct FaultBits {
    /// Further faults happened after the one that the register holds.
    pub more_faults: bool,
    /// The page-table walker's code; its values have no published names.
    pub walker_error: u8,
    /// What the page-table entry did not allow, one bit each.
    pub permission_faults: u8,
    /// The address is unmapped at all levels.
    pub mapping_error: bool,
    /// The UTCL2 client that made the access.
    pub client_id: u16,
    /// The client's name on this hub and generation.
    pub client: Option<String>,
    /// A write, not a read.
    pub write: bool,
    /// An atomic operation.
    pub atomic: bool,
    /// The address space; 0 is that of driver and firmware.
    pub vmid: u8,
    /// The access came from a virtual function (SR-IOV). This and the fields below are `None` if
    /// the register has no such bit, or if the chip is not known well enough.
    pub vf: Option<bool>,
    /// Which virtual function.
    pub vfid: Option<u8>,
    /// The page belongs to a partially resident texture.
    pub prt: Option<bool>,
    /// The page walk stopped at an uncorrectable memory error.
    pub uce: Option<bool>,
    /// The access read poisoned data.
    pub fed: Option<bool>,
    /// Set bits that no field covers.
    pub reserved: Option<u32>,
}

impl FaultBits {
    /// The fields by name, in the order of the register.
    pub(crate) fn values(&self) -> Vec<(&'static str, Value)> {
        let number = |n: u64| Value::Hex(Hex { value: n, digits: 1 });
        let mut values = vec![
            ("more_faults", Value::Number(i64::from(self.more_faults))),
            ("walker_error", number(u64::from(self.walker_error))),
            ("permission_faults", number(u64::from(self.permission_faults))),
            ("mapping_error", Value::Number(i64::from(self.mapping_error))),
            ("client_id", number(u64::from(self.client_id))),
        ];
        values.extend(self.client.clone().map(|name| ("client", Value::Text(name))));
        values.extend([
            ("access", Value::Word(if self.write { "write" } else { "read" }.to_owned())),
            ("atomic", Value::Number(i64::from(self.atomic))),
            ("vmid", Value::Number(i64::from(self.vmid))),
        ]);
        let flag = |set: bool| Value::Number(i64::from(set));
        values.extend(self.vf.map(|vf| ("vf", flag(vf))));
        values.extend(self.vfid.map(|vfid| ("vfid", Value::Number(i64::from(vfid)))));
        values.extend(self.prt.map(|prt| ("prt", flag(prt))));
        values.extend(self.uce.map(|uce| ("uce", flag(uce))));
        values.extend(self.fed.map(|fed| ("fed", flag(fed))));
        let reserved = self.reserved.filter(|bits| *bits != 0);
        values.extend(reserved.map(|bits| ("reserved", Value::Hex(Hex::register(bits)))));
        values
    }
}
