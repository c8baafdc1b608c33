//! Compares kernel, driver and firmware with known faults, and checks whether the log is stored.

use super::{Judge, Occurrence};
use crate::host::{Gpu, Journal};
use crate::pattern::hardware::{Fit, GfxPattern};
use crate::pattern::machine::{Condition, FirmwareVersion, KnownFirmware, KnownKernel, Taint};
use crate::value::Named;

impl Judge<'_> {
    pub(super) fn versions(&mut self) {
        self.kernel();
        self.firmware();
        self.dkms();
        self.taint();
        if let Ok(Journal::Volatile | Journal::Off) = self.host.saved.journal {
            let found =
                Occurrence::default().evidence("/var/log/journal", "not there, or not used");
            self.add_all(Condition::LogLost, &found);
        }
    }

    /// The amdgpu GPUs with a chip in `gfx`.
    fn driven(&self, gfx: &[GfxPattern]) -> Vec<&Gpu> {
        let fits = |gpu: &&Gpu| {
            let silicon = self.silicon(gpu.id);
            gfx.is_empty() || gfx.iter().any(|pattern| pattern.fit(silicon) == Fit::Yes)
        };
        self.host.gpus.iter().flatten().filter(|gpu| gpu.is_driven()).filter(fits).collect()
    }

    fn kernel(&mut self) {
        let (Some(version), Ok(release)) = (self.host.kernel.version(), &self.host.kernel.release)
        else {
            return;
        };
        // The driver of AMD's package is independent of the kernel version.
        if matches!(self.host.module.version, Ok(Some(_))) {
            return;
        }
        for known in &self.patterns.machines.kernels {
            let KnownKernel { about, since, until, gfx, .. } = known;
            let gpus = self.driven(gfx);
            if version < *since || version > *until || gpus.is_empty() {
                continue;
            }
            let addresses: Vec<String> = gpus.iter().map(|gpu| gpu.address.to_string()).collect();
            let about_all = match gpus[..] {
                [only] => Occurrence::of(only.address),
                _ => Occurrence::default(),
            };
            let found = about_all.named("kernel", release).value("gpus", addresses.join(", "));
            self.add(about, found.evidence("/proc/sys/kernel/osrelease", release));
        }
    }

    fn firmware(&mut self) {
        for known in &self.patterns.machines.firmware {
            let KnownFirmware { about, block, versions, gfx } = known;
            let read = |gpu: &Gpu| {
                let version = gpu.firmware.as_ref().ok()?.get(block)?;
                let path =
                    format!("/sys/bus/pci/devices/{}/fw_version/{block}_fw_version", gpu.address);
                let shown = format!("{version:#010x}");
                let found = Occurrence::of(gpu.address)
                    .value_if_known("name", self.name(gpu.id))
                    .value("block", block)
                    .value("version", &shown)
                    .evidence(path, shown);
                versions.contains(&FirmwareVersion(*version)).then_some(found)
            };
            let all: Vec<Occurrence> = self.driven(gfx).into_iter().filter_map(read).collect();
            for found in all {
                self.add(about, found);
            }
        }
    }

    fn dkms(&mut self) {
        let module = &self.host.module;
        if let Ok(Some(version)) = &module.version {
            let found = Occurrence::default().named("version", version);
            let found = found.evidence("/sys/module/amdgpu/version", version);
            self.add_all(Condition::DkmsRuns, &found);
        }
        let runs_in_tree = module.loaded == Ok(true) && module.version == Ok(None);
        let installed = module.dkms.as_ref().ok().and_then(|versions| versions.last());
        if let Some(version) = installed.filter(|_| runs_in_tree) {
            let found = Occurrence::default()
                .named("version", version)
                .value_if_known("kernel", self.host.kernel.release.as_deref().ok().map(Named))
                .evidence(format!("/var/lib/dkms/amdgpu/{version}"), "there")
                .evidence("/sys/module/amdgpu/version", "not there");
            self.add_all(Condition::DkmsBeside, &found);
        }
    }

    fn taint(&mut self) {
        let Ok(bits) = self.host.kernel.tainted else { return };
        let set: Vec<&Taint> = self
            .patterns
            .machines
            .taints
            .iter()
            .filter(|taint| bits >> taint.bit & 1 == 1)
            .collect();
        for state in self.states(Condition::Tainted) {
            let counts =
                |taint: &&&Taint| state.flags.is_empty() || state.flags.contains(&taint.letter);
            let found: Vec<&Taint> = set.iter().filter(counts).copied().collect();
            if found.is_empty() {
                continue;
            }
            let join = |part: fn(&Taint) -> &str| {
                found.iter().map(|taint| part(taint)).collect::<Vec<_>>().join(", ")
            };
            let found = Occurrence::default()
                .value("letters", join(|taint| &taint.letter))
                .value("meanings", join(|taint| &taint.meaning))
                .evidence("/proc/sys/kernel/tainted", bits);
            self.add(&state.about, found);
        }
    }
}
