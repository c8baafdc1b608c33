//! Typed values from kernel messages: each parses and prints itself.
//!
//! This module depends on no other one and knows nothing about the log around a value.
//!
//! # Glossary
//!
//! The project's own terms, in the order of the data flow:
//!
//! - **input**: one log as it was given: a file, a pipe, a member of an archive, this machine's
//!   journal.
//! - **format**: how a log was printed or stored: `dmesg -T`, `journalctl -o json`, syslog, …
//!   ([`crate::record::LogFormat`]).
//! - **envelope**: the part of a line that is not the message: time, host, sender, priority.
//! - **record**: one message of a log without its envelope, with time, level, sender and boot.
//! - **boot**: one run of the kernel; a log may contain several.
//! - **machine**: one host; a log may mix the records of several.
//! - **prefix**: what a driver prints before its messages: `amdgpu 0000:03:00.0: amdgpu: `.
//! - **message**: an entry of `patterns/messages`: one text that the kernel or a program prints,
//!   and the event that it becomes.
//! - **event**: one thing that a log reports, in one or several records, with typed fields.
//! - **kind**: the type of an event; a row of the table in [`crate::kind`].
//! - **device**: a GPU in one boot, identified by its PCI address.
//! - **incident**: one failure of one GPU in one boot, from its first event to its end. An event
//!   that **opens** an incident is reason enough to report a failure.
//! - **outcome**: how an incident ended ([`Outcome`]).
//! - **fingerprint**: a hash that is equal for incidents of the same failure on any machine.
//! - **signature**: a known failure, described as a sequence of events; a file in
//!   `patterns/signatures`.
//! - **step**, **never**: an event that a signature requires, and one that it excludes.
//! - **fallback**: a signature that reports only what one line says, for incidents that no other
//!   one explains.
//! - **diagnosis**: a signature that matched an incident, with its evidence.
//! - **notice**: a signature that matched a whole boot or an event that is no failure: worth
//!   knowing, but not an incident.
//! - **evidence**: the events, and their lines, that a diagnosis is based on.
//! - **role**: whether a diagnosis is the root cause, the mechanism, a consequence or context of an
//!   incident ([`Role`]).
//! - **certainty**: how a diagnosis is known: stated by one message, inferred from several, or
//!   suspected ([`Certainty`]).
//! - **cause**: whether the log shows why the failure happened ([`Cause`]).
//! - **verdict**: the result for a whole log, and the base of the exit status: failure, warning,
//!   incomplete, clean, or no kernel log.
//! - **advice**, **action**: something a person can do; an action is advice filled in for one log.
//! - **fact**, **finding**: for `check`, what was read from the machine, and what is wrong with it.
//! - **token**: the replacement of a private value in a redacted log: `<mac-3>` ([`Token`]).
//!
//! The driver's terms:
//!
//! - **ring**: a queue of work for one engine ([`Ring`]).
//! - **fence**: a sequence number that a ring writes when a job is complete; waiters compare it.
//! - **hub**: a part of the chip that translates addresses ([`Hub`]).
//! - **vmid**: the number of an address space on a hub; 0 belongs to the driver.
//! - **pasid**: the number of a process's address space, the same on all devices.
//! - **MES, HWS**: firmware that schedules compute queues; MES since gfx11.
//! - **KIQ**: the queue through which the driver controls the command processors.
//! - **SMU, PSP, DMUB**: the processors for power management, for security and firmware loading,
//!   and for the display.
//! - **IP block**: a part of the chip with its own version, such as `gfx_v11_0`.
//! - **MODE1, MODE2, BACO**: ways to reset the chip ([`ResetMethod`]).
//! - **RAS**: detection of errors by the hardware, in memory and logic ([`RasKind`]).
//! - **XGMI, hive**: links between GPUs, and a group of linked GPUs.

mod advice;
mod chip;
mod command_line;
mod conclusion;
mod disagreement;
mod driver;
mod fault;
pub(crate) mod field;
mod hardware;
mod level;
mod named;
mod number;
mod pci;
mod private;
mod size;
mod text;
mod trouble;
mod words;

pub(crate) use advice::{AdvicePhase, DistributionFamily, Topic};
pub(crate) use chip::{GfxGeneration, GfxTarget, NotAGfxTarget};
pub(crate) use command_line::command_line_words;
pub(crate) use conclusion::{
    Cause, Certainty, FailureClass, Layer, Outcome, Role, Severity, Trust,
};
pub(crate) use disagreement::{Disagreement, Disagreements};
pub(crate) use driver::{
    DeviceKind, Hub, MesOpcode, ResetMethod, ResetSource, Ring, RingKind, UnmapRequest,
};
pub(crate) use fault::FaultBits;
pub(crate) use hardware::{AddressSpace, ChipFact, HardwareClass, MachineForm, Mention};
pub use level::Level;
pub(crate) use named::Named;
pub(crate) use number::{Errno, Hex, IpVersion, KernelVersion};
pub use number::{Micros, hexadecimal};
pub(crate) use pci::{NotAPciAddress, PciAddress, PciId};
pub use private::PrivateKind;
pub(crate) use private::Token;
pub(crate) use size::MemorySize;
pub(crate) use text::{Frame, Frames, Phrase, Text, Words, unique};
pub(crate) use trouble::{
    AerSeverity, DisplayWait, DmubStatus, EdidStatus, LockupKind, PciChannel, Phase, RasKind,
    ShaderErrorKind,
};
pub(crate) use words::{comment_of, words};
