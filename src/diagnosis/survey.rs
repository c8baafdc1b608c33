//! What is asked of a log again and again, put together once.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::Observed;
use crate::event::log::Log;
use crate::kind::Event;
use crate::value::{GfxTarget, PciAddress};

use super::reach::Remembered;

/// A log, sorted for the questions that every incident asks.
#[derive(Debug)]
pub(super) struct Survey<'l> {
    /// The log.
    pub(super) log: &'l Log,
    /// The events of each GPU in each boot, and those that tell none.
    pub(super) by_device: BTreeMap<(usize, Option<PciAddress>), Vec<&'l Observed>>,
    /// What their incidents have in common.
    remembered: BTreeMap<(usize, Option<PciAddress>), Remembered>,
    /// The chip that ROCm is made to believe in, by boot.
    pub(super) overrides: BTreeMap<usize, Option<GfxTarget>>,
    /// How many GPUs each boot shows.
    pub(super) gpus: BTreeMap<usize, usize>,
    ignored: BTreeSet<(usize, &'l str)>,
}

impl<'l> Survey<'l> {
    /// Sorts `log`.
    pub(super) fn new(log: &'l Log) -> Self {
        let mut survey = Self {
            log,
            by_device: BTreeMap::new(),
            remembered: BTreeMap::new(),
            overrides: BTreeMap::new(),
            gpus: BTreeMap::new(),
            ignored: BTreeSet::new(),
        };
        for observed in &log.events {
            let boot = observed.boot;
            survey.by_device.entry((boot, observed.device)).or_default().push(observed);
            match &observed.event {
                Event::GfxOverride(forced) => {
                    survey.overrides.entry(boot).or_insert(forced.target);
                }
                Event::UnknownParameter(unknown) => {
                    let name = unknown.parameter.as_deref();
                    survey.ignored.extend(name.map(|name| (boot, name)));
                }
                _ => {}
            }
        }
        let remembered = survey.by_device.keys().map(|key| (*key, Remembered::default()));
        survey.remembered = remembered.collect();
        for device in log.devices.iter().filter(|device| device.address.is_some()) {
            *survey.gpus.entry(device.boot).or_default() += 1;
        }
        survey
    }

    /// The events of a GPU in a boot.
    pub(super) fn events(&self, boot: usize, device: Option<PciAddress>) -> &[&'l Observed] {
        self.by_device.get(&(boot, device)).map(Vec::as_slice).unwrap_or_default()
    }

    /// What a boot says of no GPU in particular, for one of its GPUs.
    pub(super) fn around(&self, boot: usize, device: Option<PciAddress>) -> &[&'l Observed] {
        if device.is_some() { self.events(boot, None) } else { &[] }
    }

    /// What the incidents of a GPU in a boot have in common.
    pub(super) fn remembered(
        &self,
        boot: usize,
        device: Option<PciAddress>,
    ) -> Option<&Remembered> {
        self.remembered.get(&(boot, device))
    }

    /// Whether the driver ignored its parameter `name` in a boot because it has none of that name.
    pub(super) fn ignores(&self, boot: usize, name: &str) -> bool {
        self.ignored.contains(&(boot, name))
    }
}
