//! Power management and heat.

use super::row::prelude::*;
use crate::value::{Errno, Hex, Phase, Text};

rows! {
    /// The interface numbers of power firmware (SMU) and driver.
    SmuVersions: Context { recovery: Nothing, subject: Gpu, proves: SmuVersion } {
        /// The interface number that the driver was built for.
        driver_if: Hex,
        /// The interface number that the firmware reports.
        fw_if: Hex,
        /// The firmware's program number.
        fw_program: u32,
        /// The firmware's version.
        fw_version: Hex,
        /// First part of the version.
        major: u32,
        /// Second part.
        minor: u32,
        /// Third part.
        debug: u32,
    }
    /// The interface versions of driver and power firmware differ.
    SmuMismatch: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// The power-management controller (SMU) does not respond, or responds with an error.
    SmuNoAnswer: Failure { class: Power,
        mark: Failure, begins: true, opens: UnlessRefused, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The message, by name.
        message: Text,
        /// The message, by number.
        index: u32,
        /// The message register.
        message_register: Hex,
        /// The message's argument.
        parameter: Hex,
        /// The response register.
        response: Hex,
    }
    /// An operation failed because of the power-management controller (SMU).
    SmuFailure: Failure { class: Power,
        mark: Failure, begins: false, opens: UnlessAwake, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The operation.
        what: Text,
    }
    /// The power or the clock gating of an IP block could not be switched.
    PowerGatingFailed: Aftermath { class: Power,
        opens: Never, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE,
    } {
        /// The IP block.
        ip: Text,
        /// `enable` or `disable`.
        action: Text,
        /// The error.
        errno: Errno,
    }
    /// Overclocking controls are switched on.
    OverdriveEnabled: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {}
    /// The GPU is too hot.
    OverTemperature: Failure { class: Heat,
        mark: Failure, begins: true, opens: Always, leaves: Unclear, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: NOTHING,
    } {
        /// Who noticed: `software`, `hardware`.
        noticed_by: Text,
    }
    /// The driver shuts the machine down, so that the GPU takes no damage.
    ThermalShutdown: Failure { class: Heat,
        mark: Lost, begins: true, opens: Always, leaves: Unclear, recovery: GivesUp, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: HEAT,
    } {
        /// Who noticed: `software`, `hardware`.
        noticed_by: Text,
    }
    /// The GPU runs slower to stay within its limits.
    Throttled: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The limits.
        reasons: Text,
    }
    /// A note about heat.
    ThermalNote: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The limit, in degrees Celsius.
        limit: u32 [Celsius],
        /// The change of the limit.
        offset: i32,
        /// The interrupt's source.
        source: u32,
    }
    /// The method of runtime power management.
    RuntimePm: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// `BACO`, `BAMACO`, `BOCO`, `none` or `off`.
        method: Text,
    }
    /// A power setting that has no effect or costs energy.
    PowerNote: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// `step` if a step of the power management failed.
        what: Text,
        /// The error.
        errno: Errno,
    }
    /// The machine suspends or resumes.
    SystemSleep: Context { recovery: Nothing, subject: Machine, proves: Nothing } {
        /// `begin` or `end`.
        phase: Phase,
        /// `s2idle`, `deep` or, for hibernation, `disk`.
        kind: Text,
    }
    /// The device could not be put to sleep or woken up.
    DeviceSleepFailed: Failure { class: Sleep,
        mark: Failure, begins: true, opens: Always, leaves: Unclear,
        recovery: OutOfServiceUnlessSuspending, subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// What failed: `suspend`, `resume async`, a function.
        action: Text,
        /// The error.
        errno: Errno,
    }
}
