//! Compares a fault status word with the fields that the driver printed from it.
//!
//! Both come from one register, so they differ only if the log mixes the lines of two faults, if it
//! was edited, or if the word is from another chip than assumed. The header line is the exception:
//! it is made from the interrupt, while the register keeps the first fault until it is read
//! (`amdgpu_vm_update_fault_cache` and the `process_interrupt` functions of `gmc_v*_0.c`).

use crate::value::field::Value;
use crate::value::{Disagreement, FaultBits, Hex};

/// The fields of a status word as the lines of a page fault print them; `None` if no line does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PrintedFields<'p> {
    /// `MORE_FAULTS:`.
    pub more_faults: Option<u32>,
    /// `WALKER_ERROR:`.
    pub walker_error: Option<u32>,
    /// `PERMISSION_FAULTS:`; on gfx8 and older the protection bits.
    pub permission_faults: Option<u32>,
    /// `MAPPING_ERROR:`.
    pub mapping_error: Option<u32>,
    /// The number after `Faulty UTCL2 client ID:`; on gfx8 and older the memory client.
    pub client_id: Option<u32>,
    /// The client's name, which precedes the number.
    pub client: Option<&'p str>,
    /// `RW:`.
    pub write: Option<bool>,
    /// `vmid:` of the header.
    pub vmid: Option<u32>,
}

const MIXED: &str =
    "the lines of two faults are mixed, the log was changed, or the word is from another chip";
const TABLE: &str = "the driver's table of names and the one for this chip differ";
const FIRST: &str = "the word describes the first of several faults (MORE_FAULTS is set), and the header can be that of a later one";
const HEADER: &str = "the header and the word belong to two faults";

/// The fields in which the printed lines differ from the word.
pub(crate) fn disagreements(bits: &FaultBits, printed: &PrintedFields<'_>) -> Vec<Disagreement> {
    let mut found = Vec::new();
    let mut compare = |field, printed: Option<u32>, decoded: u32, legitimate, note| {
        if let Some(printed) = printed.filter(|printed| *printed != decoded) {
            let (printed, decoded) = (shown(field, printed), shown(field, decoded));
            found.push(Disagreement { field, printed, decoded, legitimate, note });
        }
    };
    let same = [
        ("more_faults", printed.more_faults, u32::from(bits.more_faults)),
        ("walker_error", printed.walker_error, u32::from(bits.walker_error)),
        ("permission_faults", printed.permission_faults, u32::from(bits.permission_faults)),
        ("mapping_error", printed.mapping_error, u32::from(bits.mapping_error)),
        ("client_id", printed.client_id, u32::from(bits.client_id)),
        ("access", printed.write.map(u32::from), u32::from(bits.write)),
    ];
    for (field, printed, decoded) in same {
        compare(field, printed, decoded, false, MIXED);
    }
    let note = if bits.more_faults { FIRST } else { HEADER };
    compare("vmid", printed.vmid, u32::from(bits.vmid), bits.more_faults, note);
    found.extend(other_name(bits, printed));
    found
}

/// Two names for one number. If the numbers differ, that is reported already; `unknown` is what
/// drivers print if they have no name.
fn other_name(bits: &FaultBits, printed: &PrintedFields<'_>) -> Option<Disagreement> {
    let same_number = printed.client_id.is_none_or(|id| id == u32::from(bits.client_id));
    let name =
        printed.client.filter(|name| same_number && !name.eq_ignore_ascii_case("unknown"))?;
    let known = bits.client.as_deref().filter(|known| !known.eq_ignore_ascii_case(name))?;
    Some(Disagreement {
        field: "client",
        printed: Value::Text(name.to_owned()),
        decoded: Value::Text(known.to_owned()),
        legitimate: false,
        note: TABLE,
    })
}

/// The value as the decoded word shows the field.
fn shown(field: &str, number: u32) -> Value {
    match field {
        "access" => Value::Word(if number == 0 { "read" } else { "write" }.to_owned()),
        "more_faults" | "mapping_error" | "vmid" => Value::Number(i64::from(number)),
        _ => Value::Hex(Hex { value: u64::from(number), digits: 1 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0x00801031 on gfx11.
    fn bits() -> FaultBits {
        FaultBits {
            more_faults: true,
            permission_faults: 3,
            client_id: 8,
            client: Some("TCP".to_owned()),
            vmid: 8,
            ..FaultBits::default()
        }
    }

    const SAME: PrintedFields<'_> = PrintedFields {
        more_faults: Some(1),
        walker_error: Some(0),
        permission_faults: Some(3),
        mapping_error: Some(0),
        client_id: Some(8),
        client: Some("TCP"),
        write: Some(false),
        vmid: Some(8),
    };

    fn rendered(bits: &FaultBits, printed: &PrintedFields<'_>) -> Vec<String> {
        let one = |d: Disagreement| {
            format!("{}: {} for {}, {}", d.field, d.printed, d.decoded, d.legitimate)
        };
        disagreements(bits, printed).into_iter().map(one).collect()
    }

    #[test]
    fn what_agrees_or_is_not_printed_is_no_disagreement() {
        assert_eq!(disagreements(&bits(), &SAME), []);
        assert_eq!(disagreements(&bits(), &PrintedFields::default()), []);
        let unnamed = PrintedFields { client: Some("unknown"), ..SAME };
        assert_eq!(disagreements(&bits(), &unnamed), []);
        let lower = PrintedFields { client: Some("tcp"), client_id: None, ..SAME };
        assert_eq!(disagreements(&bits(), &lower), []);
    }

    #[test]
    fn each_difference_is_reported() {
        let other = PrintedFields {
            more_faults: Some(0),
            walker_error: Some(5),
            permission_faults: Some(5),
            mapping_error: Some(1),
            client_id: Some(5),
            client: Some("CPC"),
            write: Some(true),
            vmid: Some(3),
        };
        assert_eq!(
            rendered(&bits(), &other),
            [
                "more_faults: 0 for 1, false",
                "walker_error: 0x5 for 0x0, false",
                "permission_faults: 0x5 for 0x3, false",
                "mapping_error: 1 for 0, false",
                "client_id: 0x5 for 0x8, false",
                "access: write for read, false",
                "vmid: 3 for 8, true",
            ]
        );
        let renamed = PrintedFields { client: Some("CPG"), ..SAME };
        assert_eq!(rendered(&bits(), &renamed), ["client: CPG for TCP, false"]);
    }

    #[test]
    fn another_address_space_is_legitimate_only_where_more_faults_came() {
        let single = FaultBits { more_faults: false, ..bits() };
        let header = PrintedFields { vmid: Some(3), ..PrintedFields::default() };
        assert_eq!(rendered(&single, &header), ["vmid: 3 for 8, false"]);
        assert_eq!(rendered(&bits(), &header), ["vmid: 3 for 8, true"]);
    }
}
