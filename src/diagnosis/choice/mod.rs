//! Selects which conclusions to show. They are drawn from the whole log first, so that no selection
//! cuts off a cause, and what is left out is counted.

mod moment;

use std::collections::BTreeSet;
use std::fmt;
use std::ops::AddAssign;

use serde::Serialize;

use super::{Conclusions, Finding};
use crate::event::Observed;
use crate::event::device::Device;
use crate::event::log::{Boot, Log};
use crate::record::Record;
use crate::value::{Certainty, PciAddress};

pub use moment::Clock;
use moment::Limit;
pub(crate) use moment::Moment;

/// A selection by the user.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Choice {
    /// One GPU, and everything that names no GPU.
    pub device: Option<PciAddress>,
    pub boot: Option<BootNumber>,
    /// Everything from this time on.
    pub since: Option<Moment>,
    /// Everything up to this time.
    pub until: Option<Moment>,
    /// Diagnoses with at least this certainty.
    pub least: Option<Certainty>,
}

/// The number of a boot: 1 is the first, 0 the last, -1 the one before the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootNumber(pub i64);

impl BootNumber {
    /// Its index among `count` boots.
    pub(crate) fn place(self, count: usize) -> Option<usize> {
        let place = match usize::try_from(self.0) {
            Ok(number @ 1..) => number - 1,
            _ => {
                let back = usize::try_from(self.0.unsigned_abs()).ok()?;
                count.checked_sub(1)?.checked_sub(back)?
            }
        };
        (place < count).then_some(place)
    }
}

impl fmt::Display for BootNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a selection matches nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The log has no such boot.
    Boot {
        number: BootNumber,
        /// The number of boots.
        count: usize,
    },
    /// The log, or the selected boot, has no such GPU.
    Device {
        address: PciAddress,
        /// The selected boot.
        boot: Option<BootNumber>,
        /// The existing GPUs.
        known: BTreeSet<PciAddress>,
    },
    /// The log does not have the required clock.
    Clock {
        /// The time to compare.
        moment: Moment,
        /// The required clock.
        clock: Clock,
    },
    /// The log begins later or ends earlier.
    Time,
    /// The end of the selected time is before its start.
    Reversed {
        /// The start.
        since: Moment,
        /// The end.
        until: Moment,
    },
}

/// The selection, resolved for one log.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Window {
    /// The boots; `None` for all.
    boots: Option<BTreeSet<usize>>,
    device: Option<PciAddress>,
    since: Option<Limit>,
    until: Option<Limit>,
    least: Option<Certainty>,
}

/// The numbers of entries that are not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct LeftOut {
    /// Boots.
    pub boots: usize,
    /// GPUs, counted once per boot.
    pub devices: usize,
    /// Incidents.
    pub incidents: usize,
    /// Diagnoses of incidents that are shown.
    pub diagnoses: usize,
    /// Notices.
    pub notices: usize,
    /// Events.
    pub events: usize,
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: Self) {
        self.boots += other.boots;
        self.devices += other.devices;
        self.incidents += other.incidents;
        self.diagnoses += other.diagnoses;
        self.notices += other.notices;
        self.events += other.events;
    }
}

impl Choice {
    /// Whether everything is shown.
    pub(crate) fn is_everything(&self) -> bool {
        *self == Self::default()
    }

    /// Resolves the selection for `log`. Fails if it matches nothing.
    pub(crate) fn within(&self, log: &Log) -> Result<Window, Missing> {
        let boot = self.place(log)?;
        if let Some(address) = self.device {
            let known = addresses(log, boot);
            if !known.contains(&address) {
                return Err(Missing::Device { address, boot: self.boot, known });
            }
        }
        self.window(log, boot)
    }

    /// Resolves the selection for a `log` without PCI addresses, all of which may be about the
    /// selected GPU. Fails if it matches nothing.
    pub(crate) fn within_nameless(&self, log: &Log) -> Result<Window, Missing> {
        self.window(log, self.place(log)?)
    }

    /// The index of the selected boot.
    fn place(&self, log: &Log) -> Result<Option<usize>, Missing> {
        let count = log.boots.len();
        let place = |number: BootNumber| number.place(count).ok_or(Missing::Boot { number, count });
        self.boot.map(place).transpose()
    }

    fn window(&self, log: &Log, boot: Option<usize>) -> Result<Window, Missing> {
        let last = boot.unwrap_or(log.boots.len().saturating_sub(1));
        let missing = |moment: &Moment| {
            let moment = moment.clone();
            move |clock| Missing::Clock { moment, clock }
        };
        let since = self.since.as_ref();
        let since = since.map(|it| it.beginning(log, last).map_err(missing(it))).transpose()?;
        let until = self.until.as_ref();
        let until = until.map(|it| it.within(log, last).map_err(missing(it))).transpose()?;
        if let (Some(from), Some(to), Some((begin, end))) =
            (self.since.as_ref(), self.until.as_ref(), since.zip(until))
            && begin.is_behind(end)
        {
            return Err(Missing::Reversed { since: from.clone(), until: to.clone() });
        }
        let mut window =
            Window { boots: None, device: self.device, since, until, least: self.least };
        let boots = log.boots.iter().enumerate();
        let chosen = boots.filter(|(place, known)| {
            boot.is_none_or(|boot| boot == *place) && window.has_part_of(*place, known)
        });
        let boots: BTreeSet<usize> = chosen.map(|(place, _)| place).collect();
        if boots.is_empty() && !log.boots.is_empty() {
            return Err(Missing::Time);
        }
        window.boots = Some(boots);
        Ok(window)
    }
}

/// The addresses of GPUs in a log, or in one boot of it.
fn addresses(log: &Log, boot: Option<usize>) -> BTreeSet<PciAddress> {
    let here = |other: usize| boot.is_none_or(|boot| boot == other);
    let devices = log.devices.iter().filter(|device| here(device.boot));
    let events = log.events.iter().filter(|observed| here(observed.boot));
    let events = events.filter_map(|observed| observed.device);
    devices.filter_map(|device| device.address).chain(events).collect()
}

impl Window {
    /// Shows nothing.
    pub(crate) fn nothing() -> Self {
        Self { boots: Some(BTreeSet::new()), ..Self::default() }
    }

    /// Whether the boot at index `place` is shown.
    pub(crate) fn shows_boot(&self, place: usize) -> bool {
        self.boots.as_ref().is_none_or(|boots| boots.contains(&place))
    }

    /// Whether a GPU is shown. One without an address may be the selected one.
    pub(crate) fn shows_device(&self, device: &Device) -> bool {
        self.shows_boot(device.boot) && self.is_about(device.address.as_slice())
    }

    /// Whether an event is shown.
    pub(crate) fn shows_event(&self, observed: &Observed) -> bool {
        self.shows_boot(observed.boot)
            && self.is_about(observed.device.as_slice())
            && self.reaches(std::iter::once(observed))
    }

    /// Whether something with these events in a boot is shown.
    pub(crate) fn shows<'l>(
        &self,
        boot: usize,
        events: impl Iterator<Item = &'l Observed>,
    ) -> bool {
        let events: Vec<&Observed> = events.collect();
        let about = |observed: &&Observed| self.is_about(observed.device.as_slice());
        let about = events.is_empty() || events.iter().any(about);
        self.shows_boot(boot) && about && self.reaches(events.into_iter())
    }

    /// Whether a record is shown. A record that names no GPU does not count as one of the selected
    /// GPU.
    pub(crate) fn shows_record(&self, boot: usize, record: &Record<'_>) -> bool {
        let names = |device: PciAddress| {
            record.device == Some(device) || record.message.contains(&device.to_string())
        };
        self.shows_boot(boot)
            && self.device.is_none_or(names)
            && self.since.is_none_or(|limit| limit.begins_before(boot, &record.stamp))
            && self.until.is_none_or(|limit| limit.ends_after(boot, &record.stamp))
    }

    /// Removes from `conclusions` what is not shown, and counts what of `log` was left out.
    pub(crate) fn narrow(&self, log: &Log, conclusions: &mut Conclusions) -> LeftOut {
        let Conclusions { findings, notices, unused_errors, .. } = conclusions;
        let (incidents, noticed) = (findings.len(), notices.len());
        unused_errors.retain(|at| log.at(&[*at]).any(|observed| self.shows_event(observed)));
        findings.retain(|finding| {
            let Finding { incident, .. } = finding;
            self.shows_boot(incident.boot)
                && self.is_about(&incident.devices)
                && self.reaches(log.at(&incident.events))
        });
        notices.retain(|notice| {
            self.shows_boot(notice.boot)
                && self.is_about(notice.device.as_slice())
                && self.allows(notice.diagnosis.certainty)
                && self.reaches(log.at(&notice.diagnosis.evidence))
        });
        for finding in findings.iter_mut() {
            let all = finding.diagnoses.len();
            finding.diagnoses.retain(|diagnosis| self.allows(diagnosis.certainty));
            finding.unsure = all - finding.diagnoses.len();
        }
        let hidden = |shown: usize, all: usize| all - shown;
        LeftOut {
            boots: hidden(
                (0..log.boots.len()).filter(|at| self.shows_boot(*at)).count(),
                log.boots.len(),
            ),
            devices: log.devices.iter().filter(|device| !self.shows_device(device)).count(),
            incidents: hidden(findings.len(), incidents),
            diagnoses: findings.iter().map(|finding| finding.unsure).sum(),
            notices: hidden(notices.len(), noticed),
            events: log.events.iter().filter(|observed| !self.shows_event(observed)).count(),
        }
    }

    fn allows(&self, certainty: Certainty) -> bool {
        self.least.is_none_or(|least| certainty >= least)
    }

    fn is_about(&self, devices: &[PciAddress]) -> bool {
        self.device.is_none_or(|device| devices.is_empty() || devices.contains(&device))
    }

    fn has_part_of(&self, place: usize, boot: &Boot) -> bool {
        self.since.is_none_or(|since| since.begins_before(place, &boot.last))
            && self.until.is_none_or(|until| until.ends_after(place, &boot.first))
    }

    /// Whether one of `events` is within the time, or they lie on both sides of it.
    fn reaches<'l>(&self, events: impl Iterator<Item = &'l Observed>) -> bool {
        let (mut any, mut since, mut until) = (false, self.since.is_none(), self.until.is_none());
        for observed in events {
            let Observed { boot, stamp, .. } = observed;
            any = true;
            since = since || self.since.is_some_and(|limit| limit.begins_before(*boot, stamp));
            until = until || self.until.is_some_and(|limit| limit.ends_after(*boot, stamp));
        }
        !any || (since && until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boots_count_from_either_end() {
        for (number, count, want) in [
            (1, 3, Some(0)),
            (3, 3, Some(2)),
            (4, 3, None),
            (0, 3, Some(2)),
            (-1, 3, Some(1)),
            (-2, 3, Some(0)),
            (-3, 3, None),
            (0, 0, None),
            (i64::MIN, 3, None),
            (i64::MAX, 3, None),
        ] {
            assert_eq!(BootNumber(number).place(count), want, "{number} of {count}");
        }
    }
}
