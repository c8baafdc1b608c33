//! The GPUs, one by one, and what they left behind.

use super::{Evidence, Found, Judge};
use crate::host::{Gpu, Link, Runtime, Watch, Why};
use crate::pattern::machine::Condition;
use crate::value::DeviceKind;

impl Judge<'_> {
    pub(super) fn gpus(&mut self) {
        for gpu in self.host.gpus.iter().flatten() {
            self.presence(gpu);
            self.driver(gpu);
            if let Ok(link) = &gpu.link {
                self.link(gpu, link);
            }
        }
        self.dumps();
        for (folder, count) in &self.host.saved.records {
            let place = || Some(folder.clone());
            self.add_all(Condition::RecordsWait, || Found {
                values: vec![("count", Some(count.to_string())), ("place", place())],
                evidence: vec![Evidence::new(folder.clone(), format!("{count} files"))],
                ..Found::default()
            });
        }
    }

    fn found(&self, gpu: &Gpu, evidence: Vec<Evidence>) -> Found {
        Found { device: Some(gpu.address), values: vec![("name", self.name(gpu.id))], evidence }
    }

    fn presence(&mut self, gpu: &Gpu) {
        if gpu.answers == Ok(false) {
            let found = self.found(gpu, vec![at(gpu, "config", "ff ff ff ff")]);
            self.add_one(Condition::GpuGone, found);
        }
        if gpu.runtime == Ok(Runtime::Error) {
            let found = self.found(gpu, vec![at(gpu, "power/runtime_status", "error")]);
            self.add_one(Condition::PowerError, found);
        }
        // In files that somebody saved, what does not answer is a pipe.
        let mine = format!("/sys/bus/pci/devices/{}/", gpu.address);
        let tried = self.host.hung.iter().filter(|unread| unread.why == Why::TimedOut);
        let hung = tried.filter(|unread| unread.path.starts_with(&mine));
        let hung: Vec<Evidence> =
            hung.map(|unread| Evidence::new(unread.path.clone(), unread.why.to_string())).collect();
        if !hung.is_empty() && matches!(self.host.watch, Watch::For(_)) {
            let paths = hung.first().map(|first| first.path.clone());
            let mut found = self.found(gpu, hung);
            found.values.push(("paths", paths));
            self.add_one(Condition::FilesHang, found);
        }
    }

    fn add_one(&mut self, when: Condition, found: Found) {
        if let Some(state) = self.states(when).next() {
            self.add(&state.about, found);
        }
    }

    fn driver(&mut self, gpu: &Gpu) {
        if gpu.driver != Ok(None) || !gpu.is_whole() {
            return;
        }
        let mut found = self.found(gpu, vec![at(gpu, "driver", "no driver")]);
        match &self.host.module.held_off {
            Some(place) => {
                found.values.push(("place", Some(place.to_string())));
                self.add_one(Condition::HeldOff, found);
            }
            None => self.add_one(Condition::NoDriver, found),
        }
    }

    /// Speed alone says nothing: an idle GPU slows its link down.
    fn link(&mut self, gpu: &Gpu, link: &Link) {
        let inside = self.chip(gpu.id).is_some_and(|chip| chip.kind == DeviceKind::Apu);
        if inside || link.now.width >= link.lanes() {
            return;
        }
        let of = |port, name: &str, width: u32| {
            Evidence::new(format!("/sys/bus/pci/devices/{port}/{name}"), width.to_string())
        };
        let mut evidence = vec![
            of(link.port, "current_link_width", link.now.width),
            of(link.port, "max_link_width", link.most.width),
        ];
        if let (Some(slot), Some(most)) = (link.slot, link.slot_most) {
            evidence.push(of(slot, "max_link_width", most.width));
        }
        let mut found = self.found(gpu, evidence);
        found.values.extend([
            ("port", Some(link.port.to_string())),
            ("slot", link.slot.map(|slot| slot.to_string())),
            ("width", Some(link.now.width.to_string())),
            ("lanes", Some(link.lanes().to_string())),
        ]);
        self.add_one(Condition::NarrowLink, found);
    }

    /// Other devices leave dumps, too: only those of our GPUs are ours.
    fn dumps(&mut self) {
        let addresses: Vec<_> = self.host.gpus.iter().flatten().map(|gpu| gpu.address).collect();
        for address in addresses {
            let dumps = self.host.saved.dumps.iter().flatten();
            let paths: Vec<&str> = dumps
                .filter(|dump| dump.device == Some(address))
                .map(|dump| dump.data.as_str())
                .collect();
            if paths.is_empty() {
                continue;
            }
            let evidence = paths.iter().map(|path| Evidence::new(*path, "waits")).collect();
            let values =
                vec![("count", Some(paths.len().to_string())), ("paths", Some(paths.join(", ")))];
            self.add_one(Condition::DumpWaits, Found { device: Some(address), values, evidence });
        }
    }
}

fn at(gpu: &Gpu, name: &str, value: &str) -> Evidence {
    Evidence::new(format!("/sys/bus/pci/devices/{}/{name}", gpu.address), value)
}
