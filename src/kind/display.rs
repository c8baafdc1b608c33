//! The display.

use super::row::prelude::*;
use crate::value::{DisplayWait, DmubStatus, EdidStatus, Errno, Text};

rows! {
    /// The display driver reports the display hardware.
    DisplayCore: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The version.
        version: Text,
        /// The hardware: `DCN 3.2`.
        hardware: Text,
    }
    /// The display did not finish an update in time.
    DisplayTimeout: Failure { class: Display,
        mark: Failure, begins: true, opens: Always, leaves: Stuck, recovery: Nothing, subject: Gpu,
        owner: Nobody, work: Unclear, proves: Nothing, causes: TROUBLE,
    } {
        /// What was waited for.
        wait: DisplayWait,
        /// The object: `crtc`, `connector`, `plane`.
        object: Text,
        /// Its number.
        id: u32,
        /// The name.
        name: Text,
    }
    /// The display firmware (DMUB) does not work.
    DmubFailed: Failure { class: Display,
        mark: Failure, begins: true, opens: Always, leaves: StuckIfRepeated, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The status.
        status: DmubStatus,
        /// The driver's function that noticed.
        function: Text,
        /// The error.
        errno: Errno,
    }
    /// A link to a display could not be trained at the first attempt, or not at all.
    LinkTraining: Failure { class: Display,
        mark: Failure, begins: false, opens: AfterRetries, leaves: Working, recovery: Nothing,
        subject: Gpu, owner: Nobody, work: Unclear, proves: Nothing, causes: RESET_OR_LOSS,
    } {
        /// The link.
        link: u32,
        /// Which attempt.
        attempt: u32,
        /// Of how many.
        attempts: u32,
        /// The rate, as a number of the driver.
        rate: u32,
        /// How many lanes.
        lanes: u32,
        /// The reason, as a number of the driver.
        reason: u32,
        /// The driver's function.
        function: Text,
    }
    /// A display's description (EDID) could not be read.
    EdidFailed: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The connector.
        connector: Text,
        /// What reading it gave.
        status: EdidStatus,
    }
    /// A note of the display driver. Many of them are usual.
    DisplayNote: Context { recovery: Nothing, subject: Gpu, proves: Nothing } {
        /// The driver's function.
        function: Text,
        /// The line of its source file.
        source_line: u32,
        /// A time, in microseconds.
        microseconds: u32 [Microseconds],
        /// How often it tried.
        tries: u32,
        /// The link.
        link: u32,
        /// What the driver refused: `format`, or the `frame` of a compositor, which reports it.
        refused: Text,
        /// The reason that a compositor got.
        reason: Text,
        /// The pixel format.
        format: Text,
        /// The error.
        errno: Errno,
    }
    /// A compositor reports that a page flip timed out.
    PageflipTimeout: Aftermath { class: Display, opens: IfOurs, recovery: Nothing, subject: Gpu, proves: Nothing, causes: TROUBLE } {
        /// The driver that it blames.
        driver: Text,
    }
}
