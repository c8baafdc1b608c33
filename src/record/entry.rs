//! An entry with named fields: of the journal (`systemd.journal-fields(7)`), in any format that
//! prints all fields, or of `dmesg -J`.

use super::draft::Draft;
use super::envelope::{Priority, device};
use super::flow::Time;
use super::pending::JOIN_LIMIT;
use super::{LogFormat, Origin, Wall};
use crate::value::{Micros, PciAddress};

/// The relevant fields of an entry. Reused for the next one.
#[derive(Debug, Default)]
pub(super) struct Entry {
    message: Option<String>,
    /// Whether the message exists, but was omitted by the printing program because of its length.
    left_out: bool,
    priority: Option<u8>,
    facility: Option<u8>,
    named: Option<Priority>,
    identifier: String,
    command: String,
    pid: Option<u32>,
    transport: Transport,
    kernel_clock: Option<Micros>,
    wall: Option<Micros>,
    device: Option<PciAddress>,
    boot_id: String,
    host: Option<String>,
    machine: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Transport {
    #[default]
    Unstated,
    Kernel,
    Other,
}

impl Entry {
    /// Whether the field is relevant.
    pub(super) fn wants(name: &str) -> bool {
        matches!(
            name,
            "MESSAGE"
                | "PRIORITY"
                | "SYSLOG_FACILITY"
                | "SYSLOG_IDENTIFIER"
                | "SYSLOG_PID"
                | "_PID"
                | "_COMM"
                | "_TRANSPORT"
                | "_SOURCE_MONOTONIC_TIMESTAMP"
                | "_SOURCE_BOOTTIME_TIMESTAMP"
                | "__REALTIME_TIMESTAMP"
                | "_KERNEL_DEVICE"
                | "_BOOT_ID"
                | "_HOSTNAME"
                | "_MACHINE_ID"
        )
    }

    /// Sets a field of the journal.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let micros = || value.parse().ok().filter(|micros| *micros >= 0).map(Micros);
        match name {
            "MESSAGE" => match &mut self.message {
                Some(_) => self.extend_message(0, value),
                None => self.message = Some(value.to_owned()),
            },
            "PRIORITY" => self.priority = value.parse().ok().filter(|level| *level < 8),
            "SYSLOG_FACILITY" => self.facility = value.parse().ok(),
            "SYSLOG_IDENTIFIER" => value.clone_into(&mut self.identifier),
            "_COMM" => value.clone_into(&mut self.command),
            "_PID" => self.pid = value.parse().ok().or(self.pid),
            "SYSLOG_PID" => self.pid = self.pid.or(value.parse().ok()),
            "_TRANSPORT" => {
                self.transport =
                    if value == "kernel" { Transport::Kernel } else { Transport::Other };
            }
            "_SOURCE_MONOTONIC_TIMESTAMP" => self.kernel_clock = micros(),
            "_SOURCE_BOOTTIME_TIMESTAMP" => self.kernel_clock = self.kernel_clock.or(micros()),
            "__REALTIME_TIMESTAMP" => self.wall = micros(),
            "_KERNEL_DEVICE" => self.device = device(value),
            "_BOOT_ID" => value.clone_into(&mut self.boot_id),
            "_HOSTNAME" => self.host = Some(value.to_owned()),
            "_MACHINE_ID" => self.machine = Some(value.to_owned()),
            _ => {}
        }
    }

    /// Marks the message as omitted.
    pub(super) fn leave_out_message(&mut self) {
        self.message.get_or_insert_default();
        self.left_out = true;
    }

    /// Adds a continuation line of the field `MESSAGE`.
    pub(super) fn extend_message(&mut self, blanks: usize, line: &str) {
        if let Some(message) = &mut self.message {
            if message.len() > JOIN_LIMIT {
                self.left_out = true;
                return;
            }
            message.push('\n');
            message.extend(std::iter::repeat_n(' ', blanks));
            message.push_str(line);
        }
    }

    /// Sets the text and the kernel time in seconds, from `dmesg -J`.
    pub(super) fn set_kernel(&mut self, message: Option<String>, seconds: Option<f64>) {
        self.message = message;
        self.transport = Transport::Kernel;
        #[allow(clippy::cast_possible_truncation, reason = "a clock of 300 years is no clock")]
        let micros = |seconds: f64| Micros((seconds * 1e6).round() as i64);
        self.kernel_clock = seconds.filter(|seconds| (0.0..1e10).contains(seconds)).map(micros);
    }

    /// Sets the priority from `dmesg -J`: a number, or two names.
    pub(super) fn set_priority(&mut self, number: Option<i64>, names: Option<(&str, &str)>) {
        self.named = number
            .and_then(Priority::of)
            .or_else(|| names.and_then(|(facility, level)| Priority::named(facility, level)));
    }

    /// The entry's boot id; empty if unknown.
    pub(super) fn boot_id(&self) -> &str {
        &self.boot_id
    }

    /// Whether it contains a record.
    pub(super) fn has_message(&self) -> bool {
        self.message.is_some()
    }

    /// Whether the message was omitted.
    pub(super) fn is_left_out(&self) -> bool {
        self.left_out
    }

    /// Clears the fields and keeps the buffers.
    pub(super) fn clear(&mut self) {
        let Self { mut identifier, mut command, mut boot_id, .. } = std::mem::take(self);
        for buffer in [&mut identifier, &mut command, &mut boot_id] {
            buffer.clear();
        }
        *self = Self { identifier, command, boot_id, ..Self::default() };
    }

    /// The record.
    pub(super) fn draft(&self, form: LogFormat) -> Option<Draft<&str>> {
        let message = self.message.as_deref()?;
        let priority = self.named.or_else(|| {
            let number = i64::from(self.facility.unwrap_or(0)) * 8 + i64::from(self.priority?);
            Priority::of(number)
        });
        let kernel = match self.transport {
            Transport::Kernel => true,
            Transport::Other => false,
            Transport::Unstated => self.identifier == "kernel",
        };
        let (origin, message) = self.origin(kernel, priority, message);
        let time = Time {
            monotonic: self.kernel_clock.filter(|_| kernel),
            wall: self.wall.map(|wall| Wall::universal(wall.0)),
            ..Time::default()
        };
        let device = self.device;
        let bare = Draft::new(form, time, origin, message);
        let (host, machine) = (self.host.as_deref(), self.machine.as_deref());
        Some(Draft { priority, host, machine, buffered: kernel, device, ..bare })
    }

    fn origin<'a>(
        &'a self,
        kernel: bool,
        priority: Option<Priority>,
        message: &'a str,
    ) -> (Origin<&'a str>, &'a str) {
        let name = [&self.identifier, &self.command].into_iter().find(|name| !name.is_empty());
        match name {
            Some(name) if name == "kernel" && kernel => (Origin::Kernel, message),
            Some(name) => (Origin::Program { name, pid: self.pid }, message),
            // dmesg leaves the program's name in the text; the journal removes it.
            None if kernel => super::envelope::buffer_origin(priority, message),
            None if self.pid.is_some() => {
                (Origin::Program { name: "unknown", pid: self.pid }, message)
            }
            None => (Origin::Unstated, message),
        }
    }
}
