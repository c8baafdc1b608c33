//! Findings about each GPU and its crash dumps.

use std::cmp::Ordering;

use super::{Judge, Occurrence};
use crate::host::{CrashRecords, Gpu, Link, Refusal, Runtime, Unread, Watch};
use crate::pattern::machine::Condition;
use crate::value::DeviceKind;

impl Judge<'_> {
    /// Checks the number of GPUs that the user expects.
    pub(super) fn number_of_gpus(&mut self, expected: usize) {
        let Ok(gpus) = &self.host.gpus else { return };
        let condition = match gpus.len().cmp(&expected) {
            Ordering::Less => Condition::GpusMissing,
            Ordering::Greater => Condition::GpusMore,
            Ordering::Equal => return,
        };
        let found = Occurrence::default().value("count", gpus.len()).value("expected", expected);
        let listed: Vec<String> = gpus.iter().map(|gpu| gpu.address.to_string()).collect();
        let listed = if listed.is_empty() { "no AMD GPU".to_owned() } else { listed.join(", ") };
        let found = found.evidence("/sys/bus/pci/devices", listed);
        self.add_all(condition, &found);
    }

    pub(super) fn gpus(&mut self) {
        for gpu in self.host.gpus.iter().flatten() {
            self.presence(gpu);
            self.driver(gpu);
            if let Ok(link) = &gpu.link {
                self.link(gpu, link);
            }
        }
        self.dumps();
        for CrashRecords { folder, files: count } in &self.host.saved.records {
            let found = Occurrence::default().value("count", count).value("place", folder);
            let found = found.evidence(folder, format!("{count} files"));
            self.add_all(Condition::RecordsWait, &found);
        }
    }

    fn found(&self, gpu: &Gpu) -> Occurrence {
        Occurrence::of(gpu.address).value_if_known("name", self.name(gpu.id))
    }

    fn presence(&mut self, gpu: &Gpu) {
        let at = |name: &str| format!("/sys/bus/pci/devices/{}/{name}", gpu.address);
        let found = self.found(gpu);
        if gpu.answers == Ok(false) {
            let found = found.clone().evidence(at("config"), "ff ff ff ff");
            self.add_all(Condition::GpuGone, &found);
        }
        if gpu.runtime == Ok(Runtime::Error) {
            let found = found.clone().evidence(at("power/runtime_status"), "error");
            self.add_all(Condition::PowerError, &found);
        }
        let tried = self.host.hung.iter().filter(|unread| unread.why == Refusal::TimedOut);
        let hung: Vec<&Unread> = tried.filter(|it| it.path.starts_with(&at(""))).collect();
        // In a saved copy of the files, a FIFO is what does not answer.
        if let Some(first) = hung.first()
            && matches!(self.host.watch, Watch::For(_))
        {
            let found = found.value("paths", &first.path);
            let found = hung.iter().fold(found, |all, it| all.evidence(&it.path, &it.why));
            self.add_all(Condition::FilesHang, &found);
        }
    }

    fn driver(&mut self, gpu: &Gpu) {
        if gpu.driver != Ok(None) || !gpu.is_whole() {
            return;
        }
        let path = format!("/sys/bus/pci/devices/{}/driver", gpu.address);
        let found = self.found(gpu).evidence(path, "no driver");
        match &self.host.module.held_off {
            Some(place) => self.add_all(Condition::HeldOff, &found.value("place", place)),
            None => self.add_all(Condition::NoDriver, &found),
        }
    }

    /// Speed alone proves nothing: an idle GPU lowers the speed of its link.
    fn link(&mut self, gpu: &Gpu, link: &Link) {
        let inside = self.chip(gpu.id).is_some_and(|chip| chip.kind == DeviceKind::Apu);
        if inside || link.now.width >= link.lanes() {
            return;
        }
        let at = |port, name: &str| format!("/sys/bus/pci/devices/{port}/{name}");
        let mut found = self
            .found(gpu)
            .evidence(at(link.port, "current_link_width"), link.now.width)
            .evidence(at(link.port, "max_link_width"), link.most.width)
            .value("port", link.port)
            .value_if_known("slot", link.slot)
            .value("width", link.now.width)
            .value("lanes", link.lanes());
        if let (Some(slot), Some(most)) = (link.slot, link.slot_most) {
            found = found.evidence(at(slot, "max_link_width"), most.width);
        }
        self.add_all(Condition::NarrowLink, &found);
    }

    /// Other devices leave dumps, too; only those of amdgpu GPUs count.
    fn dumps(&mut self) {
        for gpu in self.host.gpus.iter().flatten() {
            let dumps = self.host.saved.dumps.iter().flatten();
            let paths: Vec<&str> = dumps
                .filter(|dump| dump.device == Some(gpu.address))
                .map(|dump| dump.data.as_str())
                .collect();
            if paths.is_empty() {
                continue;
            }
            let found = Occurrence::of(gpu.address).value("count", paths.len());
            let found = found.value("paths", paths.join(", "));
            let found = paths.iter().fold(found, |all, path| all.evidence(*path, "waits"));
            self.add_all(Condition::DumpWaits, &found);
        }
    }
}
