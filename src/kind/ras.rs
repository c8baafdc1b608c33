//! Errors that the hardware finds in itself, and the links between GPUs.

use super::row::prelude::*;
use crate::value::{Errno, Hex, RasKind, Text};

rows! {
    /// The GPU reports an error in its memory or in its logic.
    RasError: Failure { class: Hardware,
        mark: Fault, begins: true, opens: UnlessRepaired, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, proves: Nothing, causes: NOTHING,
    } {
        /// How bad.
        kind: RasKind,
        /// The block: `umc`, `sdma`, `gfx`, `athub` …
        block: Text,
        /// What the driver did at once: `queues-removed` where it took the work off the GPU without a reset.
        handled: Text,
        /// How many.
        count: u64,
        /// The package.
        socket: u32,
        /// The die.
        die: u32,
        /// The memory controller.
        instance: u32,
        /// Its channel.
        channel: u32,
        /// The physical address.
        address: Hex,
        /// The interrupt's client.
        client: u32,
        /// The number that the lines of one event share.
        event_id: u64,
    }
    /// How many errors of a block have been counted, or were corrected without harm.
    RasTotal: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// How bad.
        kind: RasKind,
        /// The block.
        block: Text,
        /// How many.
        count: u64,
        /// The package.
        socket: u32,
        /// The die.
        die: u32,
    }
    /// An error as the hardware's banks hold it (ACA, MCA).
    RasBank: Aftermath { class: Hardware, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: MEMORY_ERROR } {
        /// The bank.
        index: u32,
        /// How many there are.
        total: u32,
        /// The status register.
        status: Hex,
        /// The address register.
        address: Hex,
        /// The first miscellaneous register.
        misc: Hex,
        /// The register that says which block it is.
        ipid: Hex,
        /// The syndrome register.
        syndrome: Hex,
    }
    /// Pages of video memory are known to be bad.
    BadPages: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// `near` or `reached`: how it stands with the number from which on the GPU is to be replaced.
        limit: Text,
        /// How many.
        pages: u32,
        /// From how many on the GPU is to be replaced.
        threshold: u32,
        /// The error of reading their table.
        errno: Errno,
    }
    /// The GPU has so many bad pages, or such errors, that it is not used any more.
    GpuRetired: Failure { class: Hardware,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp, subject: Gpu,
        owner: Nobody, proves: Nothing, causes: MEMORY_ERROR,
    } {
        /// How many bad pages.
        pages: u32,
        /// From how many on the GPU is to be replaced.
        threshold: u32,
    }
    /// The links between GPUs (XGMI) report an error or could not be set up.
    XgmiFailed: Failure { class: Hardware,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The GPU's number in its hive.
        node: Hex,
        /// The hive.
        hive: Hex,
        /// The error.
        errno: Errno,
    }
    /// A link between GPUs (XGMI, WAFL) reports an error; corrected ones are reported in the same words.
    XgmiError: Aftermath { class: Hardware, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: MEMORY_ERROR } {
        /// The error as the hardware names it.
        error: Text,
    }
    /// A GPU belongs to a hive of linked GPUs.
    XgmiNode: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The GPU's number in its hive.
        node: u32,
        /// The hive.
        hive: Hex,
    }
}
