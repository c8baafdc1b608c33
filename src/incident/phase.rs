//! What an event is to somebody who looks at the course of a whole log.

use crate::kind::{Event, Part};

/// A mark on a line of time. Of several in one place, the last of these says most: how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// A program's access or work went wrong.
    Fault,
    /// Something stopped working.
    Failure,
    /// A reset began.
    Reset,
    /// What was reset works again, by the driver's word.
    Back,
    /// It does not, by the driver's word.
    Lost,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Fault, Self::Failure, Self::Reset, Self::Back, Self::Lost];

    /// What an event of an incident marks; `None` for what is told but marks nothing.
    #[must_use]
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::PageFault(_)
            | Event::IommuFault(_)
            | Event::RocrMemoryFault(_)
            | Event::ShaderError(_)
            | Event::IllegalCommand(_)
            | Event::RasError(_) => Some(Self::Fault),
            Event::RingResetBegin(_)
            | Event::SoftResetBegin(_)
            | Event::ResetBegin(_)
            | Event::ResetMethodChosen(_)
            | Event::ResetHardwareDone(_) => Some(Self::Reset),
            Event::SoftRecovered(_)
            | Event::RingResetSucceeded(_)
            | Event::SoftResetSucceeded(_)
            | Event::ResetSucceeded(_) => Some(Self::Back),
            Event::ResetFailed(_)
            | Event::InitFailed(_)
            | Event::DiscoveryFailed(_)
            | Event::DeviceLost(_)
            | Event::GpuRetired(_)
            | Event::ThermalShutdown(_) => Some(Self::Lost),
            other => (other.kind().part() == Part::Failure).then_some(Self::Failure),
        }
    }
}
