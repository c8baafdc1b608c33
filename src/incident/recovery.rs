//! How far the recovery of a GPU has come, from the driver's own words only.

use crate::event::Observed;
use crate::kind::{Effect, Event, Kind};
use crate::record::Stamp;
use crate::value::{Phase, Ring};

use super::outcome::is_stuck;
use super::{is_canceled, is_left_to_others};

/// Where the recovery stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Stage {
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

/// How far a GPU was taken into service anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TakenBack {
    /// Its power controller works, and the other blocks are started next.
    Powered,
    /// The driver has it in service.
    InService,
}

/// A recovery as its lines tell it.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is one thing that a line said")]
pub(crate) struct Recovery {
    pub(super) stage: Stage,
    /// The one that runs was seen to begin.
    announced: bool,
    /// The driver said of the last one that it succeeded.
    said_success: bool,
    pub(super) vram_lost: bool,
    pub(super) context_lost: bool,
    /// A ring did not pass its test since the hardware was reset last.
    test_failed: bool,
    /// What the reset that runs could not start again, so that it brings nothing back whatever its end is.
    stopped: bool,
    /// The GPU does not answer any more.
    lost: bool,
    /// When work got stuck since it came back.
    pub(super) stuck_again: Option<(Stamp, u64)>,
    /// The driver has taken the GPU into service anew.
    taken_back: Option<TakenBack>,
    /// Rings were out of use before it came back.
    dead_before: bool,
    /// How often a part of it did not work since.
    dead_since: u32,
    switched_off: bool,
    /// The kernel says that something else has to bring the GPU back.
    left_to_others: bool,
    /// The driver gave the GPU up, or the machine is switched off to protect it.
    pub(super) given_up: bool,
}

impl Recovery {
    /// Whether a reset of the whole GPU has begun and not ended.
    pub(crate) const fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(..))
    }

    /// Whether one runs that was not seen to begin: nothing says that its end would be printed.
    pub(super) const fn is_unannounced(&self) -> bool {
        self.is_running() && !self.announced
    }

    /// Whether the reset that runs could not start a part of the GPU again. The driver says so at the end, too,
    /// but a log may not reach that far.
    pub(super) const fn has_stopped(&self) -> bool {
        self.is_running() && self.stopped
    }

    /// Whether a recovery brought the GPU back.
    pub(crate) const fn has_succeeded(&self) -> bool {
        matches!(self.stage, Stage::Succeeded)
    }

    /// Whether a recovery ended, in whatever way.
    pub(super) const fn has_ended(&self) -> bool {
        self.has_succeeded() || self.has_failed()
    }

    /// Whether a recovery ended, and the driver called it a success, rightly or not.
    pub(super) const fn has_said_success(&self) -> bool {
        self.has_succeeded() || (self.has_failed() && self.said_success)
    }

    /// Whether the GPU was taken into service anew, so that what fails next is another matter.
    pub(super) const fn taken_back(&self) -> Option<TakenBack> {
        self.taken_back
    }

    /// Whether the driver would have reset the GPU and was not allowed to, and nothing has reset it since.
    pub(super) const fn is_switched_off(&self) -> bool {
        self.switched_off
    }

    /// Whether the driver does not bring the GPU back, by the kernel's word.
    pub(super) const fn is_left_to_others(&self) -> bool {
        self.left_to_others
    }

    /// Whether a recovery ended without bringing the GPU back.
    pub(crate) const fn has_failed(&self) -> bool {
        matches!(self.stage, Stage::Failed)
    }

    /// Whether the GPU is of no use, so that it can come back only by being taken into service anew.
    pub(super) const fn is_gone(&self) -> bool {
        !self.is_running()
            && (self.lost || self.given_up || self.left_to_others || self.has_failed())
    }

    /// What was lost in another incident that turns out to be the same one.
    pub(super) const fn add_losses(&mut self, other: &Self) {
        self.vram_lost |= other.vram_lost;
        self.context_lost |= other.context_lost;
    }

    /// Takes the next line into account.
    pub(crate) fn see(&mut self, observed: &Observed) {
        let event = &observed.event;
        if self.has_succeeded() && is_stuck(event) {
            self.stuck_again.get_or_insert((observed.stamp, observed.sequence));
        }
        if fails_its_start(event) {
            self.taken_back = None;
        }
        match event.columns().recovery {
            Effect::Begins => {
                self.begins(observed);
                self.announced = true;
            }
            Effect::IsHalfWay => self.begins(observed),
            Effect::Skips if self.is_running() => self.stage = Stage::Succeeded,
            Effect::Succeeds => self.succeeds(),
            Effect::SucceedsInPart => self.succeeds_in_part(),
            Effect::ShowsADeadPart => self.has_a_dead_part(),
            Effect::ShowsADeadPartIfRing if event.get::<Ring>("ring").is_some() => {
                self.dead_before |= !self.has_succeeded();
                self.has_a_dead_part();
            }
            Effect::LosesTheGpu => {
                self.lost = true;
                self.was_no_success();
            }
            Effect::Fails => self.stage = Stage::Failed,
            Effect::FailsItsTest => {
                self.test_failed = true;
                self.was_no_success();
            }
            Effect::AsItsStepSays => match event.text("step") {
                Some("succeeded") if self.stage != Stage::Failed => self.stage = Stage::Succeeded,
                Some("failed") => self.stage = Stage::Failed,
                _ => {}
            },
            Effect::TakesTheGpuBackIfPowered if !is_powered(event) => {}
            Effect::TakesTheGpuBack => self.is_taken_back(TakenBack::InService),
            Effect::TakesTheGpuBackIfPowered => self.is_taken_back(TakenBack::Powered),
            Effect::GivesUpUnlessFallingAsleep if falls_asleep(event) => {}
            Effect::GivesUpIfStarting if !is_starting(event) => {}
            Effect::GivesUp | Effect::GivesUpUnlessFallingAsleep | Effect::GivesUpIfStarting => {
                self.given_up = true;
                self.stopped |= self.is_running();
                self.was_no_success();
            }
            Effect::LosesMemory => self.vram_lost = true,
            Effect::LosesContexts => self.context_lost = true,
            Effect::LosesContextsIfCanceled => self.context_lost |= is_canceled(event),
            Effect::IsSwitchedOff => self.switched_off = true,
            Effect::LeavesItToOthers if is_left_to_others(event) => {
                self.left_to_others = true;
                self.was_no_success();
            }
            Effect::Nothing
            | Effect::Skips
            | Effect::ShowsADeadPartIfRing
            | Effect::LeavesItToOthers => {}
        }
    }

    const fn begins(&mut self, observed: &Observed) {
        self.test_failed = false;
        self.stopped = false;
        self.said_success = false;
        self.dead_since = 0;
        if !self.is_running() {
            self.announced = false;
            self.stage = Stage::Running(observed.stamp, observed.sequence);
        }
    }

    const fn succeeds(&mut self) {
        self.said_success = true;
        (self.switched_off, self.left_to_others) = (false, false);
        self.stuck_again = None;
        self.stage = if self.test_failed { Stage::Failed } else { Stage::Succeeded };
    }

    fn succeeds_in_part(&mut self) {
        self.stuck_again = None;
        if self.stage == Stage::NotBegun {
            self.stage = Stage::Succeeded;
        }
    }

    /// The driver takes the GPU into service anew. That ends a loss. Of a reset that failed only the whole
    /// set-up is the end: a power controller is started in each attempt.
    fn is_taken_back(&mut self, how: TakenBack) {
        let in_service = how == TakenBack::InService;
        let out_of_use = self.lost || self.given_up || self.left_to_others;
        if out_of_use || (in_service && self.has_failed()) {
            (self.lost, self.given_up, self.stage) = (false, false, Stage::Succeeded);
            self.left_to_others = false;
            (self.stuck_again, self.switched_off) = (None, false);
        }
        self.taken_back = Some(how);
    }

    /// Rings were out of use before anything failed, and say nothing of a recovery.
    pub(super) const fn had_a_dead_part(&mut self) {
        self.dead_before = true;
    }

    /// A part of the GPU does not work. Behind a success, once can be the tail of something else; more often
    /// than that, it was none.
    const fn has_a_dead_part(&mut self) {
        const PROVEN: u32 = 3;
        if self.has_succeeded() {
            self.dead_since += 1;
            if self.dead_since >= PROVEN && !self.dead_before {
                self.was_no_success();
            }
        }
    }

    /// A recovery that said it succeeded did not.
    const fn was_no_success(&mut self) {
        if self.has_succeeded() {
            self.stage = Stage::Failed;
        }
    }
}

/// Whether the block that is ready is the power controller, without which none of the others is.
fn is_powered(event: &Event) -> bool {
    event.text("ip") == Some("smu") && event.get("phase") == Some(&Phase::End)
}

/// Whether the step of the kernel's power management that failed puts a device to sleep.
fn falls_asleep(event: &Event) -> bool {
    let waking = ["resume", "thaw", "restore"];
    event.text("action").is_some_and(|action| !waking.iter().any(|word| action.contains(word)))
}

/// Whether the step of a block's life that failed takes it into use.
fn is_starting(event: &Event) -> bool {
    const STARTS: [&str; 5] = ["early_init", "sw_init", "hw_init", "init", "resume"];
    event.text("phase").is_none_or(|phase| STARTS.contains(&phase))
}

/// Whether a GPU that is being set up, or woken up, does not get through it.
pub(super) fn fails_its_start(event: &Event) -> bool {
    let effect = event.columns().recovery;
    let gives_up = matches!(effect, Effect::GivesUp | Effect::FailsItsTest)
        || (effect == Effect::GivesUpIfStarting && is_starting(event))
        || (effect == Effect::GivesUpUnlessFallingAsleep && !falls_asleep(event));
    gives_up || matches!(event.kind(), Kind::PspFailed | Kind::FirmwareFailed | Kind::SmuNoAnswer)
}
