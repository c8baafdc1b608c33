//! How an incident ended, from the driver's own words only.

use crate::event::Observed;
use crate::event::log::{Coverage, Log};
use crate::kind::{Event, Part};
use crate::record::Stamp;
pub use crate::value::Outcome;

use crate::value::Micros;

use super::{ECANCELED, is_context_loss};

/// A recovery without an end is called unfinished when the log goes on for so long.
const UNFINISHED_AFTER: Micros = Micros::seconds(60);

/// Where the recovery stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// None is seen.
    #[default]
    NotBegun,
    /// A reset of the whole GPU has begun.
    Running(Stamp, u64),
    /// It came back.
    Succeeded,
    /// It did not.
    Failed,
}

/// A recovery as its lines tell it.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a line said")]
pub struct Recovery {
    stage: Stage,
    vram_lost: bool,
    context_lost: bool,
    /// A ring did not pass its test since the hardware was reset last.
    test_failed: bool,
    switched_off: bool,
    /// The driver gave the GPU up, or the machine is switched off to protect it.
    given_up: bool,
}

impl Recovery {
    /// Whether a reset of the whole GPU has begun and not ended.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(..))
    }

    /// Whether a recovery brought the GPU back.
    #[must_use]
    pub const fn has_succeeded(&self) -> bool {
        matches!(self.stage, Stage::Succeeded)
    }

    /// Whether a recovery ended without bringing the GPU back.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        matches!(self.stage, Stage::Failed)
    }

    /// What was lost in another incident that turns out to be the same one.
    pub(super) const fn add_losses(&mut self, other: &Self) {
        self.vram_lost |= other.vram_lost;
        self.context_lost |= other.context_lost;
    }

    /// Takes the next line into account.
    pub fn see(&mut self, observed: &Observed) {
        match &observed.event {
            // The second is half way: the driver's own set-up and tests are still to come.
            Event::ResetBegin(_) | Event::ResetHardwareDone(_) => {
                self.test_failed = false;
                if !self.is_running() {
                    self.stage = Stage::Running(observed.stamp, observed.sequence);
                }
            }
            Event::ResetSkipped(_) if self.is_running() => self.stage = Stage::Succeeded,
            Event::ResetSucceeded(_) => {
                self.stage = if self.test_failed { Stage::Failed } else { Stage::Succeeded };
            }
            Event::SoftRecovered(_)
            | Event::RingResetSucceeded(_)
            | Event::SoftResetSucceeded(_) => {
                // Inside a reset, or after one that failed, it is no sign of health.
                if self.stage == Stage::NotBegun {
                    self.stage = Stage::Succeeded;
                }
            }
            Event::ResetFailed(_) => self.stage = Stage::Failed,
            Event::RingTestFailed(_) => {
                self.test_failed = true;
                if self.stage == Stage::Succeeded {
                    self.stage = Stage::Failed;
                }
            }
            Event::PciRecovery(recovery) => match recovery.step.as_deref() {
                Some("succeeded") if self.stage != Stage::Failed => self.stage = Stage::Succeeded,
                Some("failed") => self.stage = Stage::Failed,
                _ => {}
            },
            Event::DriverReady(_) => self.given_up = false,
            event if gives_up(event) => {
                self.given_up = true;
                if self.stage == Stage::Succeeded {
                    self.stage = Stage::Failed;
                }
            }
            Event::VramLost(_) => self.vram_lost = true,
            Event::RecoveryDisabled(_) => self.switched_off = true,
            Event::RocrHwException(_) => self.context_lost = true,
            event => self.context_lost |= is_context_loss(event),
        }
    }
}

/// How the incident with these events ended.
#[must_use]
pub fn outcome(recovery: &Recovery, events: &[&Observed], log: &Log) -> Outcome {
    match recovery.stage {
        Stage::Succeeded if recovery.vram_lost => Outcome::VramLost,
        Stage::Succeeded if recovery.context_lost => Outcome::RecoveredContextLost,
        Stage::Succeeded => Outcome::Recovered,
        Stage::Failed => Outcome::Failed,
        Stage::Running(begun, sequence) => {
            let boot = events.first().map_or(0, |observed| observed.boot);
            match log.coverage(boot, sequence, &begun, UNFINISHED_AFTER) {
                Coverage::Past => Outcome::NeverCompleted,
                Coverage::Ends | Coverage::Broken => Outcome::Unknown,
            }
        }
        Stage::NotBegun => without_recovery(recovery, events, log),
    }
}

fn without_recovery(recovery: &Recovery, events: &[&Observed], log: &Log) -> Outcome {
    let any = |test: fn(&Event) -> bool| events.iter().any(|observed| test(&observed.event));
    if recovery.given_up {
        return Outcome::Failed;
    }
    if recovery.switched_off || any(|event| matches!(event, Event::HungTask(_))) || crowd(events) {
        return Outcome::Hung;
    }
    // The display firmware says a single such line now and then and goes on.
    let display = events.iter().filter(|o| matches!(o.event, Event::DmubFailed(_))).count();
    if any(hung_work) || display > 1 {
        let Some(last) = events.last() else { return Outcome::Unknown };
        return match log.coverage(last.boot, last.sequence, &last.stamp, UNFINISHED_AFTER) {
            Coverage::Past => Outcome::Hung,
            Coverage::Ends | Coverage::Broken => Outcome::Unknown,
        };
    }
    let mut failures = events.iter().filter(|o| o.event.kind().part() == Part::Failure).peekable();
    if failures.peek().is_some() && failures.all(|observed| leaves_the_gpu_working(&observed.event))
    {
        return Outcome::None;
    }
    let lost = |observed: &&Observed| is_context_loss(&observed.event);
    if events.iter().all(lost) && any(is_refusal_of_the_driver) {
        // The refusal proves a reset whose lines are not here.
        return Outcome::RecoveredContextLost;
    }
    Outcome::Unknown
}

/// Whether the driver itself says that a context is gone, in its own line or with the error that it gave
/// to a program. What a program says in words of its own shows nothing of the driver.
fn is_refusal_of_the_driver(event: &Event) -> bool {
    let errno = match event {
        Event::SubmissionRejected(rejected) => rejected.errno,
        Event::ContextLost(lost) => lost.errno,
        _ => None,
    };
    errno == Some(ECANCELED)
}

/// A single task may sleep for a moment while a process listing is made; several at once are stuck.
fn crowd(events: &[&Observed]) -> bool {
    const CROWD: usize = 3;
    let stuck = |observed: &&&Observed| matches!(observed.event, Event::BlockedTask(_));
    events.iter().filter(stuck).count() >= CROWD
}

/// Work that the driver gave up; where the last job is done by the time of the report, it was late.
fn hung_work(event: &Event) -> bool {
    match event {
        Event::RingTimeout(timeout) => {
            timeout.signaled.is_none() || timeout.signaled != timeout.emitted
        }
        Event::HwsHang(_)
        | Event::QueueHung(_)
        | Event::VideoNotResponding(_)
        | Event::DisplayTimeout(_)
        | Event::DeviceLost(_) => true,
        _ => false,
    }
}

/// What says that the GPU is not used any more: it could not be started or woken up, is withdrawn, or
/// the machine is switched off.
fn gives_up(event: &Event) -> bool {
    const STARTS: [&str; 5] = ["early_init", "sw_init", "hw_init", "init", "resume"];
    match event {
        Event::InitFailed(_)
        | Event::DiscoveryFailed(_)
        | Event::GpuRetired(_)
        | Event::ThermalShutdown(_) => true,
        // A GPU that could not be put to sleep goes on working.
        Event::DeviceSleepFailed(failed) => failed.action.as_deref().is_none_or(is_waking),
        Event::IpBlockFailed(failed) => {
            failed.phase.as_deref().is_none_or(|phase| STARTS.contains(&phase))
        }
        _ => false,
    }
}

/// Whether a step of the kernel's power management wakes a device.
fn is_waking(action: &str) -> bool {
    ["resume", "thaw", "restore"].iter().any(|word| action.contains(word))
}

/// Failures of a program's work that the GPU itself survives.
const fn leaves_the_gpu_working(event: &Event) -> bool {
    matches!(
        event,
        Event::PageFault(_)
            | Event::RocrMemoryFault(_)
            | Event::RocrMemoryInUse(_)
            | Event::HsaError(_)
            | Event::RunnerCrash(_)
            | Event::KfdQueueFailed(_)
            | Event::OutOfMemory(_)
            | Event::LinkTraining(_)
            | Event::IommuFault(_)
            | Event::ShaderError(_)
    )
}
