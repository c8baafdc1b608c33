//! The state of a GPU's recovery, from the driver's own messages only.

use crate::event::Observed;
use crate::kind::{Effect, Event, Kind};
use crate::record::Stamp;
use crate::value::{Micros, PciChannel, Phase, Ring, RingKind};

use super::outcome::is_stuck;
use super::{is_canceled, is_left_to_others};

/// The stage of a recovery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
    /// No recovery was seen.
    #[default]
    NotBegun,
    /// A reset of the whole GPU is running.
    Running(Stamp, u64),
    /// The GPU was recovered.
    Succeeded,
    /// The GPU was not recovered.
    Failed,
}

/// A job has at least this time to finish, unless a parameter shortens it.
///
/// Source: `amdgpu_lockup_timeout` of `amdgpu_drv.c` (7.3; ten seconds in 6.12).
const SHORTEST_WAIT: Micros = Micros::seconds(2);

/// What follows within this time follows at once.
const AT_ONCE: Micros = Micros(100_000);

/// A page fault after a recovery has done no harm if the log goes on without a failure for this
/// time, the longest that a job may take.
pub(super) const SETTLED_AFTER: Micros = Micros::seconds(10);

/// When work got stuck that is reported after a recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// After the recovery.
    Since,
    /// Before the recovery, which was one of another part of the GPU: its time limit ended later.
    Before,
}

/// How far a GPU was taken back into service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenBack {
    /// Its SMU works; the other blocks are started next.
    Powered,
    /// It is in service.
    InService,
}

/// The state of a recovery.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a line said")]
pub(crate) struct Recovery {
    pub(super) stage: Stage,
    /// Whether the start of the running one is in the log.
    announced: bool,
    /// Whether the driver reported success for the last one.
    said_success: bool,
    pub(super) vram_lost: bool,
    pub(super) context_lost: bool,
    /// Whether a ring failed its test since the last reset of the hardware.
    test_failed: bool,
    /// The number of compute rings that failed it.
    compute_failed: u32,
    /// Whether the running reset failed to restart something, so that it cannot succeed.
    stopped: bool,
    /// Whether the driver reported failure for the last one.
    said_failure: bool,
    /// Whether the driver was started again after a reset that had failed.
    set_up_again: bool,
    /// Whether the GPU no longer responds.
    lost: bool,
    /// The time at which work got stuck after the recovery.
    pub(super) stuck_again: Option<(Stamp, u64)>,
    /// The last time that a part of the GPU was recovered, if nothing else recovered the GPU.
    part_back: Option<Stamp>,
    /// The first page fault, if it came after that: its time.
    faulted_since: Option<Stamp>,
    /// Whether there was a page fault before.
    faulted_before: bool,
    /// The last recovery, if it was one of a ring: its time and the ring.
    ring_back: Option<(Stamp, Ring)>,
    /// Whether all jobs that are reported as stuck since then had got stuck before; `None` if none is.
    stuck_before: Option<bool>,
    /// How far the driver has taken the GPU back into service.
    taken_back: Option<TakenBack>,
    /// Whether rings were unusable before the recovery.
    dead_before: bool,
    /// How often a part did not work since the recovery.
    dead_since: u32,
    switched_off: bool,
    /// Whether the kernel says that something else must recover the GPU.
    left_to_others: bool,
    /// Whether the driver gave up on the GPU, or the machine was switched off to protect it.
    pub(super) given_up: bool,
}

impl Recovery {
    /// Whether a reset of the whole GPU is running.
    pub(crate) const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(..))
    }

    /// Whether a reset is running whose start is not in the log, so that its end may not be printed
    /// either.
    pub(super) const fn is_unannounced(&self) -> bool {
        self.is_running() && !self.announced
    }

    /// Whether the running reset failed to restart a part of the GPU. The driver reports that at
    /// the end, too, but a log may not reach that far.
    pub(super) const fn has_stopped(&self) -> bool {
        self.is_running() && self.stopped
    }

    /// Whether the GPU was recovered.
    pub(crate) const fn has_succeeded(&self) -> bool {
        matches!(self.stage, Stage::Succeeded)
    }

    /// Whether a recovery ended, successfully or not.
    pub(super) const fn has_ended(&self) -> bool {
        self.has_succeeded() || self.has_failed()
    }

    /// Whether a recovery ended and the driver reported success, rightly or not.
    pub(super) const fn has_said_success(&self) -> bool {
        self.has_succeeded() || (self.has_failed() && self.said_success)
    }

    /// Whether the GPU was taken back into service, so that the next failure is a new one.
    pub(super) const fn taken_back(&self) -> Option<TakenBack> {
        self.taken_back
    }

    /// Whether the driver was not allowed to reset the GPU, and nothing has reset it since.
    pub(super) const fn is_switched_off(&self) -> bool {
        self.switched_off
    }

    /// Whether the driver does not recover the GPU, according to the kernel.
    pub(super) const fn is_left_to_others(&self) -> bool {
        self.left_to_others
    }

    /// Whether a recovery ended without success.
    pub(crate) const fn has_failed(&self) -> bool {
        matches!(self.stage, Stage::Failed)
    }

    /// Whether the GPU is unusable until it is taken back into service.
    pub(super) const fn is_gone(&self) -> bool {
        !self.is_running()
            && (self.lost || self.given_up || self.left_to_others || self.has_failed())
    }

    /// Adds the losses of another incident that turns out to be the same one.
    pub(super) const fn add_losses(&mut self, other: &Self) {
        self.vram_lost |= other.vram_lost;
        self.context_lost |= other.context_lost;
    }

    /// What got stuck after the recovery.
    pub(crate) fn stuck_again(&self) -> Option<Stuck> {
        self.stuck_again.filter(|_| self.has_succeeded())?;
        Some(if self.stuck_before == Some(true) { Stuck::Before } else { Stuck::Since })
    }

    /// Whether what is reported as stuck had got stuck before the recovery of a ring: a job of
    /// another ring, whose time limit ends so soon after it.
    fn was_stuck_before(&self, observed: &Observed) -> bool {
        let Some((back, ring)) = &self.ring_back else { return false };
        let is_soon = back.elapsed(&observed.stamp).is_some_and(|span| span < SHORTEST_WAIT);
        let other = observed.event.get::<Ring>("ring").is_some_and(|other| other != ring);
        is_soon && other && observed.event.kind() == Kind::RingTimeout
    }

    /// Updates the state with the next event.
    pub(crate) fn see(&mut self, observed: &Observed) {
        let event = &observed.event;
        if self.has_succeeded() && (is_stuck(event) || begins_a_dump(event)) {
            if is_stuck(event) {
                let before = self.was_stuck_before(observed);
                self.stuck_before = Some(before && self.stuck_before.unwrap_or(true));
            }
            self.stuck_again.get_or_insert((observed.stamp, observed.sequence));
        }
        if event.kind() == Kind::PageFault {
            self.note_fault(observed);
        }
        if fails_its_start(event) {
            self.taken_back = None;
        }
        match event.columns().recovery {
            Effect::Begins => {
                self.begin_reset(observed);
                self.announced = true;
            }
            Effect::InProgressIfRestoring
                if !is_restoring(event) || self.stage != Stage::NotBegun => {}
            Effect::InProgress | Effect::InProgressIfRestoring => self.begin_reset(observed),
            Effect::Skips if self.is_running() => self.stage = Stage::Succeeded,
            Effect::Succeeds => self.succeeds(),
            Effect::SucceedsInPart => self.succeeds_in_part(observed),
            Effect::PartFailed => self.note_dead_part(),
            Effect::ShowsADeadPartIfRing if event.get::<Ring>("ring").is_some() => {
                self.dead_before |= !self.has_succeeded();
                self.note_dead_part();
            }
            Effect::LosesTheGpu => {
                self.lost = true;
                self.revoke_success();
            }
            Effect::Fails => self.fails(),
            Effect::FailsItsTest if is_of_compute(event) && self.compute_failed < FEW => {
                self.compute_failed += 1;
            }
            Effect::FailsItsTest => {
                self.test_failed = true;
                self.revoke_success();
            }
            Effect::PerStepField => match event.text("step") {
                Some("succeeded") if self.stage != Stage::Failed => self.stage = Stage::Succeeded,
                Some("failed") => self.fails(),
                _ => {}
            },
            Effect::TakesTheGpuBackIfPowered if !is_powered(event) => {}
            Effect::TakesTheGpuBack => self.take_back(TakenBack::InService, observed),
            Effect::TakesTheGpuBackIfPowered => self.take_back(TakenBack::Powered, observed),
            Effect::OutOfServiceUnlessSuspending if falls_asleep(event) => {}
            Effect::GivesUpIfStarting if !is_starting(event) => {}
            Effect::GivesUpIfDead if !is_dead(event) => {}
            Effect::GivesUp
            | Effect::OutOfServiceUnlessSuspending
            | Effect::GivesUpIfStarting
            | Effect::GivesUpIfDead => {
                self.given_up = true;
                self.stopped |= self.is_running();
                self.revoke_success();
            }
            Effect::LosesMemory => self.vram_lost = true,
            Effect::LosesContexts => self.context_lost = true,
            Effect::LosesContextsIfCanceled => self.context_lost |= is_canceled(event),
            Effect::IsSwitchedOff => self.switched_off = true,
            Effect::ExternalRecovery if is_left_to_others(event) => {
                self.left_to_others = true;
                self.revoke_success();
            }
            Effect::Nothing
            | Effect::Skips
            | Effect::ShowsADeadPartIfRing
            | Effect::ExternalRecovery => {}
        }
    }

    const fn begin_reset(&mut self, observed: &Observed) {
        self.test_failed = false;
        self.compute_failed = 0;
        self.stopped = false;
        (self.said_success, self.said_failure, self.set_up_again) = (false, false, false);
        self.dead_since = 0;
        if !self.is_running() {
            self.announced = false;
            self.stage = Stage::Running(observed.stamp, observed.sequence);
        }
    }

    fn succeeds(&mut self) {
        self.said_success = true;
        (self.switched_off, self.left_to_others) = (false, false);
        (self.stuck_again, self.stuck_before, self.ring_back) = (None, None, None);
        (self.part_back, self.faulted_since) = (None, None);
        self.stage = if self.test_failed { Stage::Failed } else { Stage::Succeeded };
    }

    const fn fails(&mut self) {
        self.said_failure = true;
        self.stage = Stage::Failed;
    }

    fn succeeds_in_part(&mut self, observed: &Observed) {
        self.faulted_before |= self.faulted_since.is_some();
        let is_alone = !self.said_success && !self.set_up_again;
        (self.part_back, self.faulted_since) = (is_alone.then_some(observed.stamp), None);
        let ring = observed.event.get::<Ring>("ring").cloned();
        self.ring_back = ring.map(|ring| (observed.stamp, ring));
        (self.stuck_again, self.stuck_before) = (None, None);
        if self.stage == Stage::NotBegun {
            self.stage = Stage::Succeeded;
        }
    }

    /// A page fault after a part of the GPU was recovered is of later work, unless it follows at
    /// once; if there was none before, it was not what the recovery was for.
    fn note_fault(&mut self, observed: &Observed) {
        let is_later =
            |back: Stamp| back.elapsed(&observed.stamp).is_some_and(|span| span >= AT_ONCE);
        match self.part_back.filter(|_| !self.faulted_before && self.has_succeeded()) {
            Some(back) if is_later(back) => {
                self.faulted_since.get_or_insert(observed.stamp);
            }
            Some(_) | None => self.faulted_before |= self.faulted_since.is_none(),
        }
    }

    /// The first page fault, if it came after the recovery of a part of the GPU: its time.
    pub(crate) fn faulted_since(&self) -> Option<Stamp> {
        self.faulted_since.filter(|_| self.has_succeeded() && !self.switched_off)
    }

    /// Whether the GPU is in service because the driver was started again, after a reset that had
    /// failed.
    pub(crate) const fn is_set_up_again(&self) -> bool {
        self.has_succeeded() && self.set_up_again
    }

    /// The driver uses the GPU again. That ends a loss. After a failed reset only the complete
    /// setup counts, because each attempt starts the SMU.
    fn take_back(&mut self, how: TakenBack, observed: &Observed) {
        let in_service = how == TakenBack::InService;
        let needs_all = self.has_failed() && self.said_failure;
        let out_of_use = self.lost || self.given_up || self.left_to_others || self.has_failed();
        (self.part_back, self.faulted_since) = (None, None);
        self.taken_back = Some(how);
        if out_of_use && (in_service || !needs_all) {
            // Without times the line may be of another boot, which was pasted for comparison.
            let is_known = !observed.stamp.is_timeless();
            self.stage = if is_known { Stage::Succeeded } else { Stage::NotBegun };
            self.set_up_again = is_known && needs_all;
            (self.lost, self.given_up, self.left_to_others) = (false, false, false);
            (self.stuck_again, self.switched_off) = (None, false);
        }
    }

    /// Notes that rings were unusable before anything failed, so they prove nothing about a
    /// recovery.
    pub(super) const fn note_dead_before(&mut self) {
        self.dead_before = true;
    }

    /// A part of the GPU does not work. After a reported success, a single report may be a late
    /// one; more of them show that it did not succeed.
    const fn note_dead_part(&mut self) {
        const PROVEN: u32 = 3;
        if self.has_succeeded() {
            self.dead_since += 1;
            if self.dead_since >= PROVEN && !self.dead_before {
                self.revoke_success();
            }
        }
    }

    /// Revokes the success of a recovery that was only reported as successful.
    const fn revoke_success(&mut self) {
        if self.has_succeeded() {
            self.stage = Stage::Failed;
        }
    }
}

/// Whether the driver restores memory, which it does only within a reset.
fn is_restoring(event: &Event) -> bool {
    event.text("result") == Some("restores memory")
}

/// Whether the block that is ready is the SMU, which all other blocks need.
fn is_powered(event: &Event) -> bool {
    event.text("ip") == Some("smu") && event.get("phase") == Some(&Phase::End)
}

/// The number of compute rings that can fail their test while the GPU works: the driver takes each
/// out of use, and the others go on.
const FEW: u32 = 2;

/// Whether a ring is one of several for compute work.
fn is_of_compute(event: &Event) -> bool {
    event.get::<Ring>("ring").is_some_and(|ring| ring.kind() == RingKind::Compute)
}

/// Whether the driver collects the state of the chip: that is the first thing after a job timed
/// out.
pub(crate) fn begins_a_dump(event: &Event) -> bool {
    event.kind() == Kind::StateDump && event.get("phase") == Some(&Phase::Begin)
}

/// Whether the connection to a device is dead.
fn is_dead(event: &Event) -> bool {
    event.get("channel") == Some(&PciChannel::Dead)
}

/// Whether the failed step of power management suspends a device.
fn falls_asleep(event: &Event) -> bool {
    let waking = ["resume", "thaw", "restore"];
    event.text("action").is_some_and(|action| !waking.iter().any(|word| action.contains(word)))
}

/// Whether the failed step of a block's life cycle starts it.
fn is_starting(event: &Event) -> bool {
    const STARTS: [&str; 5] = ["early_init", "sw_init", "hw_init", "init", "resume"];
    event.text("phase").is_none_or(|phase| STARTS.contains(&phase))
}

/// Whether a GPU fails during setup or resume.
pub(super) fn fails_its_start(event: &Event) -> bool {
    let effect = event.columns().recovery;
    let gives_up = matches!(effect, Effect::GivesUp | Effect::FailsItsTest)
        || (effect == Effect::GivesUpIfStarting && is_starting(event))
        || (effect == Effect::OutOfServiceUnlessSuspending && !falls_asleep(event));
    gives_up || matches!(event.kind(), Kind::PspFailed | Kind::FirmwareFailed | Kind::SmuNoAnswer)
}
