//! Facts about a machine that could not be read, and how to get them.

use super::HostFacts;
use crate::host::about::Help;
use crate::host::{Fact, Refusal};

/// A missing fact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingFact {
    pub(crate) what: String,
    /// Its source: a path, or a command.
    pub(crate) origin: String,
    /// The reason.
    pub why: Refusal,
    /// How to get it.
    pub help: Option<Help>,
}

/// How to get it, in words.
pub(crate) fn help(help: Help) -> String {
    match help {
        Help::Root => "run it with sudo".to_owned(),
        Help::User => "run it as the user of the desktop session, without sudo".to_owned(),
        Help::Install(program) => format!("install the program {program}"),
        Help::Wake => "run it while a program uses the GPU".to_owned(),
        Help::Restart => "run it again after a restart".to_owned(),
        Help::There => "run it on the machine itself".to_owned(),
    }
}

#[derive(Default)]
struct MissingFacts(Vec<MissingFact>);

impl MissingFacts {
    fn add<T>(&mut self, what: &str, fact: &Fact<T>) {
        if let Err(unread) = fact {
            self.0.push(MissingFact {
                what: what.to_owned(),
                origin: unread.path.clone(),
                why: unread.why.clone(),
                help: Help::against(&unread.why),
            });
        }
    }

    /// Adds a missing fact, unless it does not exist on this machine.
    fn add_if_there<T>(&mut self, what: &str, fact: &Fact<T>) {
        if fact.as_ref().is_err_and(|unread| unread.why != Refusal::Missing) {
            self.add(what, fact);
        }
    }
}

pub(super) fn of(facts: HostFacts<'_>) -> Vec<MissingFact> {
    let mut lacks = MissingFacts::default();
    let (host, about) = (facts.host, facts.about);
    let system = &about.system;
    lacks.add("kernel", &system.kernel);
    lacks.add("distribution", &system.release);
    lacks.add("processor", &system.processor);
    lacks.add("memory", &system.memory);
    lacks.add("taint of the kernel", &system.taint);
    lacks.add("version of the BIOS", &system.board.bios_version);
    lacks.add("packages", &about.packages.installed);
    lacks.add_if_there("changes of packages", &about.packages.changes);
    lacks.add("GPUs", &host.gpus);
    for (gpu, details) in facts.gpus() {
        let what = |name: &str| format!("{name} of {}", gpu.address);
        lacks.add(&what("board"), &gpu.board);
        if gpu.is_driven() {
            lacks.add(&what("VBIOS"), &gpu.vbios);
            lacks.add(&what("firmware versions"), &gpu.firmware);
            lacks.add(&what("video memory"), &gpu.vram_bytes);
        }
        lacks.add(&what("revision"), &details.revision);
        lacks.add_if_there(&what("versions of blocks"), &details.blocks);
        lacks.add_if_there(&what("sensors"), &details.sensors);
        lacks.add_if_there(&what("memory errors"), &details.errors);
        lacks.add_if_there(&what("overdrive"), &details.overdrive);
        lacks.add_if_there(&what("displays"), &details.connectors);
        for (name, state) in &details.states {
            lacks.add_if_there(&what(name), state);
        }
    }
    lacks.add("nodes of the compute driver", &about.kfd);
    lacks.add("compute stack", &about.rocm.installations);
    lacks.add_if_there("firmware files", &about.firmware_files.of_chips);
    lacks.add_if_there("initramfs", &about.firmware_files.initramfs);
    if let Some(process) = &about.failing_process {
        lacks.add(&format!("environment of process {}", process.id), &process.variables);
    }
    for attachment in &about.attachments {
        if let Err(why) = &attachment.content {
            lacks.0.push(MissingFact {
                what: attachment.name.clone(),
                origin: attachment.origin.clone(),
                why: why.clone(),
                help: attachment.help,
            });
        }
    }
    lacks.0
}
