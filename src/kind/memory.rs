//! Memory and its translation.

use super::row::prelude::*;
use crate::value::field::FaultStatus;
use crate::value::{AddressSpace, Disagreements, Errno, Hex, Hub, Phrase, Text, Words};

rows! {
    /// A GPU access to an address without a valid mapping, or one that its mapping forbids.
    PageFault: Failure { class: Fault,
        mark: Fault, begins: true, opens: Always, leaves: Working, recovery: Nothing, subject: Gpu,
        owner: AddressSpace, work: ByAddressSpace, proves: RegisterName, causes: RESET_OR_LOSS,
    } {
        /// The translation hub.
        hub: Hub,
        /// `retry` or `no-retry` (gfx9).
        retry: Text,
        /// `gfx10` if the first line has the format of the driver's code for gfx10 and later.
        layout: Text,
        /// The interrupt's source number.
        src_id: u32,
        /// The `ring:` byte of the interrupt; no ring number, and opaque.
        ring_byte: u32,
        /// The address space; 0 is the driver's and the firmware's own.
        vmid: u32,
        /// Who assigned that address space, which depends on the chip.
        space: AddressSpace,
        /// The process address space number, PASID; 0 if the access belongs to no process.
        pasid: u32,
        /// The process that owns the address space, cut to 15 bytes by the kernel.
        process: Text,
        /// The process id.
        pid: u32,
        /// The thread that submitted the work.
        thread: Text,
        /// Its thread id.
        tid: u32,
        /// The faulting address, page aligned.
        address: Hex,
        /// The faulting page number (gfx8 and older).
        page: u64,
        /// The interrupt's client number; not the engine.
        ih_client: u32,
        /// The interrupt client's name (gfx9, gfx10).
        ih_client_name: Text,
        /// The status register's name.
        register: Text,
        /// The status register.
        status: FaultStatus,
        /// The engine that made the access, as the driver names it, else as its tables name the
        /// number in the status register.
        client: Text,
        /// The names that the number in the status register has on the chips that are possible, if
        /// they differ.
        clients: Words,
        /// The engine's UTCL2 client number.
        cid: u32,
        /// More faults followed.
        more_faults: u32,
        /// The page-table walker's code.
        walker_error: u32,
        /// The missing permissions: bit 0 not valid, 1 read, 2 write, 3 execute.
        permission_faults: u32,
        /// No mapping at all levels.
        mapping_error: u32,
        /// 1 for a write.
        rw: u32,
        /// `read` or `write` in words (gfx8 and older).
        access: Text,
        /// The denied access in words, from the status register.
        tried: Phrase,
        /// `yes` for address 0 in the address space of a program, whose memory does not begin there.
        null: Text,
        /// `yes` for address 0 beside a status of zero: the register had been cleared after an
        /// earlier fault.
        emptied: Text,
        /// The protection bits (gfx8 and older).
        protections: Hex,
        /// The memory client's number (gfx8 and older).
        memory_client: u32,
        /// The interrupt's data word (gfx8 and older).
        src_data: Hex,
        /// The die that reported the fault.
        die: Text,
        /// Differences between the printed lines and the status register.
        disagrees: Disagreements,
    }
    /// A TLB flush failed.
    TlbFlushFailed: Failure { class: Hang,
        mark: Failure, begins: false, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// The process address space.
        pasid: u32,
        /// The error.
        errno: Errno,
    }
    /// A page fault that the driver could not handle.
    PageFaultUnhandled: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The error.
        errno: Errno,
    }
    /// As long as a program uses sparse memory, this GPU (gfx8 or older) does not report accesses
    /// to unmapped addresses. The driver prints it only the first time.
    PageFaultsOff: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// A buffer could not be mapped, moved, pinned or released.
    BufferError: Aftermath { class: Program, opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// What could not be done: `release`; `pin`, to put it where it was to stay; `bind`, to add it
        /// to the table through which the GPU accesses system memory (GART); `bounce`, to copy it through the kernel's buffer for devices (swiotlb); `user-memory`,
        /// to give the GPU memory that a program has allocated itself; or why it could not:
        /// `ring-off`, the copy engine is switched off.
        what: Text,
        /// The kernel's handle of the buffer or context.
        buffer: Hex,
        /// The GPU address where it begins.
        start: Hex,
        /// The process.
        pid: u32,
        /// The error.
        errno: Errno,
    }
    /// There was not enough memory for the GPU's work.
    OutOfMemory: Failure { class: OutOfMemory,
        mark: Failure, begins: false, opens: Always, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// What was asked for: `screen`, a buffer that was to be shown; `buffer` by a program;
        /// `vulkan`, memory of a device by a Vulkan program; `page-list` or `swap`, memory of the machine, by the memory manager for a buffer; null
        /// where work was to run.
        request: Text,
        /// The requested amount, in bytes.
        bytes: u64,
        /// The requested amount, in pages of 4 KiB.
        pages: u64 [Pages],
        /// The requested amount, in MiB.
        mib: u64 [MiB],
        /// The buffer that could not be placed.
        buffer: Hex,
        /// The requested memory pool: 0 system, 1 GTT, 2 VRAM.
        pool: u32,
        /// The error.
        errno: Errno,
    }
    /// The machine or a group of processes (cgroup) ran out of memory, and the kernel looks for a
    /// process to kill, or has killed one.
    OomKill: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// The process.
        process: Text,
        /// The process id.
        pid: u32,
        /// The reason: `Out of memory`, `Memory cgroup out of memory` …
        reason: Text,
        /// Its virtual memory, in KiB.
        total_kib: u64 [KiB],
        /// Its private resident memory, in KiB.
        anon_kib: u64 [KiB],
    }
    /// The amount of system memory that the GPU may use (GTT).
    GttSize: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The amount in MiB.
        mib: u64 [MiB],
    }
}
