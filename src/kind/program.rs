//! Programs.

use super::row::prelude::*;
use crate::value::{Errno, GfxTarget, PciAddress, Text};

rows! {
    /// A program names the GPU that it uses.
    GpuName: Context { recovery: Nothing, subject: GpuOfProgram, proves: Name } {
        /// The marketing name.
        name: Text,
        /// The code name that the driver reports.
        code_name: Text,
        /// Where it sits.
        pci_address: PciAddress,
        /// The target.
        target: GfxTarget,
    }
    /// Where the journal keeps what it is told.
    JournalStorage: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// `flush` where it is told to go over to the disk, `memory` or `disk` where it says what it
        /// writes to.
        place: Text,
        /// The folder.
        path: Text,
    }
    /// A browser's GPU process ended.
    GpuProcessExit: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// Its exit code.
        exit_code: u32,
    }
    /// The program that draws the desktop ended, or its clients say that it is gone.
    SessionLost: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// The program, where it is named.
        program: Text,
        /// Its process id.
        pid: u32,
        /// How it is known: `crash`, `service` or `clients`.
        how: Text,
    }
    /// A program got no GPU context.
    ContextRefused: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// The error.
        errno: Errno,
    }
    /// Somebody asked for a reset of a GPU.
    ResetRequested: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Machine, proves: Nothing,
    } {
        /// With this command.
        command: Text,
    }
}
