//! The values that kernel messages carry, each as a type that reads and prints itself.
//!
//! Nothing here knows where a value was found; the module stands before all others.
//!
//! # Glossary
//!
//! Ours:
//!
//! - **record**: one message of a log, with its time, level and boot; its envelope is taken off.
//! - **envelope**: what stands around a message: time and host of the log, then the driver's prefixes.
//! - **message**: an entry of `patterns/messages`: a text that the kernel or a program prints.
//! - **event**: one thing that a log reports, of one or several lines, with typed fields.
//! - **kind**: what sort of event it is; a row of the table in [`crate::kind`].
//! - **incident**: one failure of one GPU in one boot, from its first sign to its end.
//! - **outcome**: how an incident ended ([`Outcome`]).
//! - **signature**: a sequence of events that is known to be one failure; a file of `patterns/signatures`.
//! - **diagnosis**: what one signature says of one incident.
//! - **notice**: a diagnosis that is no failure.
//! - **evidence**: the lines that prove a diagnosis.
//! - **verdict**: the whole answer in one word.
//! - **boot**: one run of the kernel; a log may have several.
//! - **device**: a GPU in one boot, known by its PCI address.
//!
//! The driver's:
//!
//! - **ring**: a queue of work for one engine ([`Ring`]).
//! - **fence**: a number that a ring writes when a job is done; waiters compare it.
//! - **hub**: a part of the chip that translates addresses ([`Hub`]).
//! - **vmid**: the number of an address space on a hub; 0 is the driver's own.
//! - **pasid**: the number of a process's address space, the same on all devices.
//! - **MES, HWS**: firmware that schedules compute queues; MES from gfx11 on.
//! - **KIQ**: the queue through which the driver reaches the command processors.
//! - **SMU, PSP, DMUB**: the processors for power, for security and firmware, for the display.
//! - **IP block**: a part of the chip with a version of its own, such as `gfx_v11_0`.
//! - **MODE1, MODE2, BACO**: ways to reset the chip ([`ResetMethod`]).
//! - **RAS**: errors that the hardware finds in itself, in memory and logic ([`RasKind`]).
//! - **XGMI, hive**: links between GPUs, and the GPUs that they link.

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
mod text;
mod trouble;
mod words;

pub(crate) use advice::{AdvicePhase, DistributionFamily};
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
pub(crate) use hardware::{AddressSpace, ChipFact, HardwareClass, MachineForm};
pub use level::Level;
pub(crate) use named::Named;
pub(crate) use number::{Errno, Hex, IpVersion, KernelVersion};
pub use number::{Micros, hexadecimal};
pub(crate) use pci::{NotAPciAddress, PciAddress, PciId};
pub use private::PrivateKind;
pub(crate) use private::Token;
pub(crate) use text::{Frame, Frames, Phrase, Text, Words, unique};
pub(crate) use trouble::{
    AerSeverity, DisplayWait, DmubStatus, LockupKind, PciChannel, Phase, RasKind, ShaderErrorKind,
};
pub(crate) use words::{comment_of, words};
