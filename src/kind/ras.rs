//! Errors that the hardware finds in itself, and the links between GPUs.

use super::row::prelude::*;
use crate::value::{Errno, Hex, RasKind, Text};

rows! {
    /// The GPU reports an error in its memory or in its logic.
    RasError: Failure { class: Hardware,
        mark: Fault, begins: true, opens: UnlessRepaired, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// The kind of error.
        kind: RasKind,
        /// The block: `umc`, `sdma`, `gfx`, `athub` …
        block: Text,
        /// What the driver did at once: `queues-removed` where it took the work off the GPU without
        /// a reset.
        handled: Text,
        /// The number of errors.
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
        /// The kind of error.
        kind: RasKind,
        /// The block.
        block: Text,
        /// The number of errors.
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
        /// Their number.
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
        /// `near` or `reached`: the state of the threshold for replacing the GPU.
        limit: Text,
        /// The number of pages.
        pages: u32,
        /// The threshold for replacing the GPU, in pages.
        threshold: u32,
        /// The error number (errno) from reading their table.
        errno: Errno,
    }
    /// The GPU is taken out of service because of bad pages or errors.
    GpuRetired: Failure { class: Hardware,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: MEMORY_ERROR,
    } {
        /// How many bad pages.
        pages: u32,
        /// The threshold for replacing the GPU, in pages.
        threshold: u32,
    }
    /// The links between GPUs (XGMI) report an error or could not be set up.
    XgmiFailed: Failure { class: Hardware,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The GPU's number in its hive.
        node: Hex,
        /// The hive.
        hive: Hex,
        /// The error.
        errno: Errno,
    }
    /// A link between GPUs (XGMI, WAFL) reports an error; corrected ones are reported in the same
    /// words.
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
