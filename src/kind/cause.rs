//! What can have caused an event, by its kind: the values of the column `causes`.
//!
//! Each is a list of sets. That a kind is in one of them says that such an event can lead to the other one,
//! by the driver's source; that it did is for time and place to tell.

use super::Kind;

/// Kinds of event any of which can be the cause.
pub(crate) type Causes = &'static [&'static [Kind]];

/// Accesses to memory that is not there.
const FAULTS: &[Kind] = &[Kind::PageFault, Kind::IommuFault];

/// Work that the hardware refuses.
const BAD_WORK: &[Kind] = &[Kind::IllegalCommand, Kind::ShaderError];

/// Memory errors that could not be repaired.
const MEMORY_ERRORS: &[Kind] = &[Kind::RasError];

/// What does not get on with its work.
const HANGS: &[Kind] = &[
    Kind::MesTimeout,
    Kind::MesRequestFailed,
    Kind::MesUnrecoverable,
    Kind::MesRingFull,
    Kind::MesFailed,
    Kind::RingTimeout,
    Kind::KiqFailed,
    Kind::HwsHang,
    Kind::QueueHung,
    Kind::KfdQueueFailed,
    Kind::UserQueueFailed,
    Kind::IpBlockHung,
    Kind::VideoNotResponding,
    Kind::SdmaFailed,
    Kind::SmuNoAnswer,
    Kind::SmuFailure,
    Kind::TlbFlushFailed,
];

/// Recoveries, of a ring or the whole GPU, from their begin to their end.
const RESETS: &[Kind] = &[
    Kind::SoftRecovered,
    Kind::RingResetBegin,
    Kind::RingResetSucceeded,
    Kind::RingResetFailed,
    Kind::SoftResetBegin,
    Kind::SoftResetSucceeded,
    Kind::SoftResetFailed,
    Kind::ResetBegin,
    Kind::ResetMethodChosen,
    Kind::ResetMethodFailed,
    Kind::ResetStepFailed,
    Kind::ResetHardwareDone,
    Kind::VramLost,
    Kind::ResetSucceeded,
    Kind::ResetFailed,
    Kind::EmergencyRestart,
];

/// The GPU is gone, or taken out of use.
const LOSSES: &[Kind] = &[
    Kind::DeviceLost,
    Kind::PciErrorState,
    Kind::PcieContained,
    Kind::DeviceSleepFailed,
    Kind::ThermalShutdown,
    Kind::GpuRetired,
];

/// Errors of the bus.
const BUS_ERRORS: &[Kind] = &[Kind::PcieError, Kind::DeviceLost, Kind::PcieContained];

/// Somebody who asks for it.
const ORDERS: &[Kind] = &[Kind::ResetRequested];

/// Nothing that a log shows.
pub(super) const NOTHING: Causes = &[];
/// An access to memory that is not there.
pub(super) const FAULT: Causes = &[FAULTS];
/// A memory error.
pub(super) const MEMORY_ERROR: Causes = &[MEMORY_ERRORS];
/// Heat.
pub(super) const HEAT: Causes = &[&[Kind::OverTemperature]];
/// An error of the bus.
pub(super) const BUS_ERROR: Causes = &[BUS_ERRORS];
/// The loss of the GPU.
pub(super) const LOSS: Causes = &[LOSSES];
/// Something that hangs.
pub(super) const HANG: Causes = &[HANGS];
/// A recovery.
pub(super) const RESET: Causes = &[RESETS];
/// A recovery, or the loss of the GPU.
pub(super) const RESET_OR_LOSS: Causes = &[RESETS, LOSSES];
/// What hangs, its recovery, or the loss of the GPU, with or without the memory error behind it.
pub(super) const HANG_OR_RESET: Causes = &[HANGS, RESETS, LOSSES, MEMORY_ERRORS];
/// Whatever goes wrong with a GPU.
pub(super) const TROUBLE: Causes =
    &[FAULTS, BAD_WORK, MEMORY_ERRORS, HANGS, RESETS, LOSSES, BUS_ERRORS];
/// Whatever goes wrong with a GPU, or somebody who asks for it.
pub(super) const TROUBLE_OR_ORDER: Causes =
    &[FAULTS, BAD_WORK, MEMORY_ERRORS, HANGS, RESETS, LOSSES, BUS_ERRORS, ORDERS];
