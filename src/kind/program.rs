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
        /// The PCI address.
        pci_address: PciAddress,
        /// The target.
        target: GfxTarget,
    }
    /// A program's note that is no failure.
    ProgramNote: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// What it is about: `driver-version-file`; of a browser, `buffer-import` and
        /// `shared-image`, which it could not do or make, and `gpu-restart`, of its helper process.
        note: Text,
        /// The file that it is about.
        file: Text,
        /// The kernel that it is about.
        kernel: Text,
    }
    /// The storage of the journal.
    JournalStorage: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// `flush` if it is moved to disk; `memory` or `disk` if it states where it is stored.
        place: Text,
        /// The folder.
        path: Text,
    }
    /// A browser's GPU process ended.
    GpuProcessExit: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// Its exit code.
        exit_code: u32,
    }
    /// A program crashed in a library through which programs use an AMD GPU.
    LibraryCrash: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// The program.
        program: Text,
        /// The process id.
        pid: u32,
        /// How: `segfault`, `general protection fault` or `invalid opcode`.
        how: Text,
        /// The library.
        library: Text,
    }
    /// The display server or compositor ended, or its clients lost the connection.
    SessionLost: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// The program, where it is named.
        program: Text,
        /// The process id.
        pid: u32,
        /// How it is known: `crash`, `service` or `clients`.
        how: Text,
    }
    /// A program could not open the GPU.
    GpuNotOpened: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// What could not be opened: `radeonsi`, `radv`, `radeonsi_drv_video`, `va-api`, `iHD`,
        /// `AMF`, or `libdrm` for the GPU itself, `strace` for its device file.
        driver: Text,
        /// The file that is missing or does not fit.
        file: Text,
        /// The reason, in the words of the line.
        reason: Text,
        /// The folders that were searched.
        searched: Text,
        /// The error.
        errno: Errno,
    }
    /// The X server found no kernel driver for a GPU.
    XServerRefused: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {}
    /// The user-space driver of the GPU stopped the program: its compiler met something that it
    /// cannot do, or a setting that it was not built for.
    UserDriverStopped: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// Its part: a folder below `src/amd` of Mesa's source, `radeonsi`, or `llvm`.
        part: Text,
        /// The source file.
        file: Text,
        /// The line in the source file.
        source_line: u32,
        /// The reason: `assertion`, `compiler`, `instruction` or `no-llvm`.
        reason: Text,
    }
    /// A call of the library for video failed (VA-API, AMF).
    VideoCallFailed: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The library: `VA-API` or `AMF`.
        library: Text,
        /// The call.
        call: Text,
        /// The number or name of the error.
        status: Text,
    }
    /// A program's GPUs could not exchange data.
    CommunicationFailed: Failure { class: Program,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Program, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The reason that the library gives.
        reason: Text,
    }
    /// A program was denied a GPU context.
    ContextRefused: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: HANG_OR_RESET } {
        /// The error.
        errno: Errno,
    }
    /// A user or a program requested a GPU reset.
    ResetRequested: Step {
        mark: None, opens: Never, recovery: Nothing, subject: Machine, proves: Nothing,
    } {
        /// With this command.
        command: Text,
    }
}
