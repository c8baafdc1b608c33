//! Kernel, driver and firmware, held against what is known of them, and what becomes of the log.

use super::{Evidence, Found, Judge};
use crate::host::{Gpu, Journal};
use crate::pattern::hardware::{Fit, GfxPattern};
use crate::pattern::machine::{Condition, FirmwareVersion, KnownFirmware, KnownKernel, Taint};

impl Judge<'_> {
    pub(super) fn versions(&mut self) {
        self.kernel();
        self.firmware();
        self.dkms();
        self.taint();
        if let Ok(Journal::Volatile | Journal::Off) = self.host.saved.journal {
            self.add_all(Condition::LogLost, || Found {
                evidence: vec![Evidence::new("/var/log/journal", "not there, or not used")],
                ..Found::default()
            });
        }
    }

    /// The GPUs that our driver drives and whose chip is one of `gfx`.
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
        // The driver of AMD's package does not come with the kernel.
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
            let found = Found {
                device: if let [only] = gpus[..] { Some(only.address) } else { None },
                values: vec![
                    ("kernel", Some(release.clone())),
                    ("gpus", Some(addresses.join(", "))),
                ],
                evidence: vec![Evidence::new("/proc/sys/kernel/osrelease", release.clone())],
            };
            self.add(about, found);
        }
    }

    fn firmware(&mut self) {
        for known in &self.patterns.machines.firmware {
            let KnownFirmware { about, block, versions, gfx } = known;
            let known_bad = |one: &&u32| versions.contains(&FirmwareVersion(**one));
            let mut all = Vec::new();
            for gpu in self.driven(gfx) {
                let Ok(firmware) = &gpu.firmware else { continue };
                let Some(version) = firmware.get(block).filter(known_bad) else { continue };
                let version = format!("{version:#010x}");
                let path =
                    format!("/sys/bus/pci/devices/{}/fw_version/{block}_fw_version", gpu.address);
                all.push(Found {
                    device: Some(gpu.address),
                    values: vec![
                        ("name", self.name(gpu.id)),
                        ("block", Some(block.clone())),
                        ("version", Some(version.clone())),
                    ],
                    evidence: vec![Evidence::new(path, version)],
                });
            }
            for found in all {
                self.add(about, found);
            }
        }
    }

    fn dkms(&mut self) {
        let module = &self.host.module;
        if let Ok(Some(version)) = &module.version {
            self.add_all(Condition::DkmsRuns, || Found {
                values: vec![("version", Some(version.clone()))],
                evidence: vec![Evidence::new("/sys/module/amdgpu/version", version.clone())],
                ..Found::default()
            });
        }
        let runs_in_tree = module.loaded == Ok(true) && module.version == Ok(None);
        let installed = module.dkms.as_ref().ok().and_then(|versions| versions.last());
        if let Some(version) = installed.filter(|_| runs_in_tree) {
            let kernel = self.host.kernel.release.clone().ok();
            let path = format!("/var/lib/dkms/amdgpu/{version}");
            self.add_all(Condition::DkmsBeside, || Found {
                values: vec![("version", Some(version.clone())), ("kernel", kernel.clone())],
                evidence: vec![
                    Evidence::new(path.clone(), "there"),
                    Evidence::new("/sys/module/amdgpu/version", "not there"),
                ],
                ..Found::default()
            });
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
                Some(found.iter().map(|taint| part(taint)).collect::<Vec<_>>().join(", "))
            };
            let values = vec![
                ("letters", join(|taint| &taint.letter)),
                ("meanings", join(|taint| &taint.meaning)),
            ];
            let evidence = vec![Evidence::new("/proc/sys/kernel/tainted", bits.to_string())];
            self.add(&state.about, Found { device: None, values, evidence });
        }
    }
}
