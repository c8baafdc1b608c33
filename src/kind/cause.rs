//! What can have caused an event, by its kind: the values of the column `causes`.
//!
//! Each value is a list of sets of kinds. A kind is in a set if, by the driver's source, such an
//! event can lead to the other one; whether it did is decided from time and device.

use super::Kind;

/// Kinds of event any of which can be the cause.
pub(crate) type Causes = &'static [&'static [Kind]];

/// Accesses to unmapped memory.
const FAULTS: &[Kind] = &[Kind::PageFault, Kind::IommuFault];

/// Work that the hardware rejects.
const BAD_WORK: &[Kind] = &[Kind::IllegalCommand, Kind::ShaderError];

/// Uncorrectable memory errors.
const MEMORY_ERRORS: &[Kind] = &[Kind::RasError];

/// Something that hangs.
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

/// Recoveries of a ring or of the whole GPU, from start to end.
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

/// The GPU is gone, or was taken out of service.
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

/// A reset that someone requested.
const ORDERS: &[Kind] = &[Kind::ResetRequested];

/// Nothing that a log can show.
pub(super) const NOTHING: Causes = &[];
/// An access to unmapped memory.
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
/// A hang, its recovery, or the loss of the GPU, possibly with the memory error behind it.
pub(super) const HANG_OR_RESET: Causes = &[HANGS, RESETS, LOSSES, MEMORY_ERRORS];
/// Anything that fails on a GPU.
pub(super) const TROUBLE: Causes =
    &[FAULTS, BAD_WORK, MEMORY_ERRORS, HANGS, RESETS, LOSSES, BUS_ERRORS];
/// Anything that fails on a GPU, or a requested reset.
pub(super) const TROUBLE_OR_ORDER: Causes =
    &[FAULTS, BAD_WORK, MEMORY_ERRORS, HANGS, RESETS, LOSSES, BUS_ERRORS, ORDERS];
