//! Facts for the fields of trackers.

use super::HostFacts;
use super::table;
use crate::document::counts::any;
use crate::pattern::machine::PackageKind;
use crate::pattern::tracker::Value;
use crate::report::ticket::HostAnswers;

/// The attachment with the output of `rocminfo`.
const ROCMINFO: &str = "host/rocminfo.txt";

impl HostFacts<'_> {
    /// The facts for the fields of trackers, not redacted.
    pub(crate) fn answers(self) -> HostAnswers {
        let known = |value: &Value| Some((*value, self.value(*value)?));
        HostAnswers {
            values: Value::ALL.iter().filter_map(known).collect(),
            rocminfo: self.rocminfo(),
            kernel_package: self.kernel_package(),
            chip: self.only_chip(),
        }
    }

    fn value(self, value: Value) -> Option<String> {
        let facts = self;
        let text = match value {
            Value::Cpu => table::processor(facts),
            Value::Gpu => joined(facts.gpus().map(|(gpu, details)| {
                let chip = Some(table::chip(facts, gpu, details)).filter(|chip| !chip.is_empty());
                let chip = chip.map(|chip| format!(" ({chip})")).unwrap_or_default();
                let vbios = gpu.vbios.as_ref().map(|vbios| format!(", VBIOS {vbios}"));
                Some(format!(
                    "{}{chip}{}",
                    table::name(facts, gpu, details),
                    vbios.unwrap_or_default()
                ))
            })),
            Value::Memory => table::memory(facts),
            Value::Board => joined([
                Some(table::board(facts)),
                table::bios(facts).map(|it| format!("BIOS {it}")),
            ]),
            Value::Displays => joined(facts.gpus().map(|(_, details)| table::displays(details))),
            Value::Connections => table::connections(facts),
            Value::Distribution => table::distribution(facts),
            Value::Kernel => Some(table::kernel(facts)),
            Value::Driver => table::driver(facts),
            Value::Firmware => {
                let versions = joined(facts.gpus().map(|(gpu, _)| table::firmware(gpu)));
                let package = table::packages(facts, PackageKind::Firmware);
                joined([Some(package), versions])
            }
            Value::Mesa => Some(table::packages(facts, PackageKind::Mesa)),
            Value::Rocm => Some(table::rocm(facts)),
            Value::Desktop => Some(table::desktop(facts)),
            Value::XServer => Some(table::packages(facts, PackageKind::Xorg)),
            Value::Parameters => table::parameters(facts),
            Value::Taint => table::taint(facts),
            Value::CustomKernel | Value::FillIn => None,
        };
        text.filter(|text| !text.is_empty())
    }

    /// The chip of a machine with one GPU: `Navi 31 (gfx1100)`.
    fn only_chip(self) -> Option<String> {
        let mut gpus = self.gpus();
        let (gpu, _) = gpus.next().filter(|_| self.gpus().count() == 1)?;
        let asic = &self.chip(gpu)?.asic;
        Some(match self.target(gpu) {
            Some(target) => format!("{asic} ({target})"),
            None => asic.clone(),
        })
    }

    fn rocminfo(self) -> Option<String> {
        let all = &self.about.attachments;
        let content = all.iter().find(|one| one.name == ROCMINFO)?.content.as_ref().ok()?;
        Some(String::from_utf8_lossy(content).into_owned())
    }

    fn kernel_package(self) -> Option<String> {
        let release = self.host.kernel.release.as_deref().ok()?;
        let mut packages = self.about.packages.of(PackageKind::Kernel);
        let package = packages.find(|package| package.name == format!("linux-image-{release}"))?;
        Some(package.version.clone())
    }
}

fn joined(parts: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    any(parts.into_iter().flatten().filter(|part| !part.is_empty()), "; ")
}
