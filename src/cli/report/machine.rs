//! Facts and files of this machine, read before its log, because a coredump is deleted after
//! minutes.

use std::io::BufReader;
use std::path::Path;

use crate::bundle::{Absent, Member};
use crate::cli::check::{PATIENCE_FOR_DUMPS, Stop, copy};
use crate::cli::failure::Failure;
use crate::cli::settings;
use crate::diagnosis::Owner;
use crate::host::about::{About, Asked, Private, PrivateKind, failing_process};
use crate::host::process::Process;
use crate::host::{Answer, Files, Host, Question, Refusal, Watch};
use crate::input::Utf8;
use crate::pattern::Patterns;
use crate::redact::{Findings, Kind, Redactor, stream};
use crate::report::host::{HostFacts, help, json, table};
use crate::report::ticket::HostAnswers;

/// The prefix of the names of coredumps.
pub(super) const DUMP: &str = "devcoredump-";
/// Maximum size of a coredump to include, in bytes.
const DUMP_LIMIT: u64 = 256 << 20;
/// Maximum size of a saved crash file to include, in bytes.
const RECORD_LIMIT: u64 = 4 << 20;
/// Maximum number of saved crash files to include.
const RECORDS: usize = 64;

/// A machine and its files.
pub(super) struct Machine {
    pub(super) host: Host,
    pub(super) about: About,
    /// The files, not redacted yet.
    files: Vec<Member>,
    absent: Vec<Absent>,
}

impl Machine {
    /// Reads this machine, or the one whose disk is at `root`, and learns its private values.
    pub(super) fn read(
        root: Option<&Path>,
        patterns: &Patterns,
        redactor: &mut Redactor,
    ) -> Result<Self, Failure> {
        if let Some(root) = root.filter(|root| !root.is_dir()) {
            return Err(Failure::NotAMachine { path: root.to_owned() });
        }
        let program = settings::program().map_err(Failure::NoReader)?;
        let mut files = Process::new(program, root.map(Path::to_owned));
        let watch = if root.is_some() { Watch::Once } else { Watch::RUNNING };
        let host = Host::read(&mut files, &patterns.hardware, watch);
        let mut machine = Self::empty(host, &mut files, patterns, root.is_none());
        machine.dumps(&mut files);
        machine.records(&mut files);
        for (kind, value) in &Private::read(&mut files).values {
            // For a directory only its name is private.
            let value = match kind {
                PrivateKind::Home => value.rsplit('/').next().unwrap_or_default(),
                _ => value,
            };
            redactor.know(of_ours(*kind), value);
        }
        for file in &machine.files {
            let text = BufReader::new(Utf8::new(file.content.as_slice()));
            stream::learn(redactor, text).map_err(Failure::Spool)?;
        }
        Ok(machine)
    }

    fn empty(host: Host, files: &mut Process, patterns: &Patterns, runs: bool) -> Self {
        let (session, display) = settings::session();
        let asked = Asked { runs, session, display, process: None };
        let about = About::read(files, &host, patterns, &asked);
        let mut machine = Self { host, about, files: Vec::new(), absent: Vec::new() };
        for attachment in &machine.about.attachments {
            let Ok(content) = &attachment.content else { continue };
            let cut = if attachment.cut { " (its beginning)" } else { "" };
            machine.files.push(Member {
                name: attachment.name.clone(),
                what: format!("what {} says{cut}", attachment.origin),
                origin: attachment.origin.clone(),
                content: content.clone(),
                is_page: false,
            });
        }
        machine
    }

    /// Collects coredumps.
    fn dumps(&mut self, files: &mut Process) {
        let dumps = self.host.saved.dumps.clone().unwrap_or_default();
        let gpus = self.host.gpus.clone().unwrap_or_default();
        let ours =
            dumps.iter().filter(|dump| gpus.iter().any(|gpu| Some(gpu.address) == dump.device));
        for (number, dump) in (1..).zip(ours) {
            files.patient(PATIENCE_FOR_DUMPS);
            let mut content = Vec::new();
            match copy(files, &dump.data, DUMP_LIMIT, &mut content) {
                Ok(_) => self.files.push(Member {
                    name: format!("{DUMP}{number}.txt"),
                    what: "the state of the GPU as the driver saved it".to_owned(),
                    origin: dump.data.clone(),
                    content,
                    is_page: false,
                }),
                Err(Stop::Unread(why)) => self.absent.push(Absent {
                    what: "the crash dump that waits".to_owned(),
                    help: (why == Refusal::Denied)
                        .then(|| "run it with sudo within five minutes after the crash".to_owned()),
                    why: why.to_string(),
                    minor: false,
                }),
                Err(Stop::Unwritten(_)) => {}
            }
        }
    }

    /// Collects crash records that the firmware or the disk has stored.
    fn records(&mut self, files: &mut Process) {
        let folders: Vec<String> =
            self.host.saved.records.iter().map(|one| one.folder.clone()).collect();
        let mut taken = 0;
        for folder in folders {
            let Answer::Names(names) = files.ask(&Question::List(folder.clone())) else {
                continue;
            };
            for name in names {
                let path = format!("{folder}/{name}");
                let mut content = Vec::new();
                if taken >= RECORDS
                    || copy(files, &path, RECORD_LIMIT, &mut content).is_err()
                    || content.is_empty()
                {
                    continue;
                }
                taken += 1;
                self.files.push(Member {
                    name: format!("pstore/{taken}.txt"),
                    what: "what was saved of a crash".to_owned(),
                    origin: path,
                    content,
                    is_page: false,
                });
            }
        }
        self.absent.extend(self.host.saved.records_unread.iter().map(|unread| Absent {
            what: "what was saved of crashes".to_owned(),
            why: format!("{}: {}", unread.path, unread.why),
            help: (unread.why == Refusal::Denied).then(|| "run it with sudo".to_owned()),
            minor: false,
        }));
    }

    /// Reads the environment of the process whose work failed, if it still runs.
    pub(super) fn ask_of(&mut self, owner: &Owner, patterns: &Patterns) {
        let (Some(id), Ok(program)) = (owner.pid, settings::program()) else { return };
        let mut files = Process::new(program, None);
        self.about.failing_process = failing_process(&mut files, patterns, id, &owner.name);
    }

    pub(super) const fn facts<'m>(&'m self, patterns: &'m Patterns) -> HostFacts<'m> {
        HostFacts { host: &self.host, about: &self.about, patterns }
    }

    /// The redacted files.
    pub(super) fn members(
        &self,
        patterns: &Patterns,
        redactor: &mut Redactor,
    ) -> Result<Vec<Member>, Failure> {
        let mut object = Vec::new();
        json::write(self.facts(patterns), &mut object).map_err(Failure::Output)?;
        let facts = Member {
            name: "host.json".to_owned(),
            what: "hardware, software and settings of the machine, for programs".to_owned(),
            origin: "/proc, /sys and the package manager's database".to_owned(),
            content: object,
            is_page: false,
        };
        let table = {
            let mut clean = |text: &str| redactor.redact(text).into_owned();
            table::markdown(self.facts(patterns), &mut clean)
        };
        let table = Member {
            name: "host.md".to_owned(),
            what: "the same as a table, to be pasted".to_owned(),
            origin: facts.origin.clone(),
            content: table.into_bytes(),
            is_page: true,
        };
        let all = std::iter::once(&facts).chain(&self.files);
        let all = all.map(|file| {
            Ok(Member {
                origin: redactor.redact(&file.origin).into_owned(),
                what: redactor.redact(&file.what).into_owned(),
                content: redacted(&file.content, redactor)?,
                name: file.name.clone(),
                is_page: false,
            })
        });
        let mut members = all.collect::<Result<Vec<Member>, Failure>>()?;
        members.insert(1, table);
        Ok(members)
    }

    /// Redacted values for the fields of trackers.
    pub(super) fn answers(
        &self,
        patterns: &Patterns,
        redactor: &mut Redactor,
    ) -> Result<HostAnswers, Failure> {
        let mut told = self.facts(patterns).answers();
        for value in told.values.values_mut() {
            *value = redactor.redact(value).into_owned();
        }
        if let Some(text) = &mut told.rocminfo {
            *text = String::from_utf8_lossy(&redacted(text.as_bytes(), redactor)?).into_owned();
        }
        Ok(told)
    }

    /// What could not be obtained.
    pub(super) fn absent(&self, patterns: &Patterns, redactor: &mut Redactor) -> Vec<Absent> {
        let lacks = self.facts(patterns).lacks();
        let lacks = lacks.into_iter().map(|lack| Absent {
            what: lack.what,
            minor: matches!(lack.why, Refusal::Missing | Refusal::Elsewhere),
            why: format!("{}: {}", lack.origin, lack.why),
            help: lack.help.map(help),
        });
        let mut clean = |text: &str| redactor.redact(text).into_owned();
        self.absent
            .iter()
            .cloned()
            .chain(lacks)
            .map(|absent| Absent {
                what: clean(&absent.what),
                why: clean(&absent.why),
                help: absent.help.as_deref().map(&mut clean),
                minor: absent.minor,
            })
            .collect()
    }
}

/// The corresponding kind for redaction.
const fn of_ours(kind: PrivateKind) -> Kind {
    match kind {
        PrivateKind::HostName => Kind::Host,
        PrivateKind::UserName | PrivateKind::PersonName | PrivateKind::Home => Kind::User,
        PrivateKind::MachineId => Kind::Machine,
        PrivateKind::BootId => Kind::Boot,
        PrivateKind::BoardSerial | PrivateKind::GpuSerial | PrivateKind::BatterySerial => {
            Kind::Serial
        }
        PrivateKind::BoardUuid => Kind::Uuid,
        PrivateKind::DiskSerial => Kind::Disk,
        PrivateKind::MacAddress | PrivateKind::BluetoothAddress => Kind::Mac,
        PrivateKind::UsbSerial => Kind::Usb,
    }
}

/// Redacts a text.
fn redacted(content: &[u8], redactor: &mut Redactor) -> Result<Vec<u8>, Failure> {
    let mut clean = Vec::with_capacity(content.len());
    let text = BufReader::new(Utf8::new(content));
    stream::redact(redactor, Findings::default(), text, &mut clean).map_err(Failure::Spool)?;
    Ok(clean)
}
