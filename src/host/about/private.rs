//! Private values of this machine, which redaction searches for and replaces. They are used for
//! nothing else.

use std::collections::BTreeSet;
use std::fmt;

use crate::host::files::Files;
use crate::host::reader::Reader;

/// Maximum number of devices of a kind to read.
const DEVICES: usize = 256;
/// Maximum number of users to read.
const USERS: usize = 4096;
/// User ids of people, according to login.defs(5) and systemd's `uid-range`.
const PEOPLE: std::ops::Range<u32> = 1000..60_000;

/// The kind of a private value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PrivateKind {
    /// The name of the machine.
    HostName,
    /// A login name.
    UserName,
    /// A part of a person's full name.
    PersonName,
    /// A home directory.
    Home,
    /// The machine's id.
    MachineId,
    /// The id of this boot.
    BootId,
    /// The serial number of the machine, its board or its case.
    BoardSerial,
    /// The machine's UUID.
    BoardUuid,
    /// The serial number or unique id of a GPU.
    GpuSerial,
    /// The serial number of a battery.
    BatterySerial,
    /// The serial number or world-wide name of a disk.
    DiskSerial,
    /// The address of a network device.
    MacAddress,
    /// The address of a Bluetooth device, of this machine or of one that it knows.
    BluetoothAddress,
    /// The serial number of a USB device.
    UsbSerial,
}

/// Private values.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Private {
    /// Each distinct value with its kind, sorted.
    pub values: BTreeSet<(PrivateKind, String)>,
}

/// Omits the values, so that they are never printed by accident.
impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kinds: Vec<PrivateKind> = self.values.iter().map(|(kind, _)| *kind).collect();
        f.debug_struct("Private").field("kinds", &kinds).finish_non_exhaustive()
    }
}

/// Files that contain such a value; `*` matches each name in a directory.
const FILES: [(PrivateKind, &str); 21] = [
    (PrivateKind::HostName, "/proc/sys/kernel/hostname"),
    (PrivateKind::HostName, "/etc/hostname"),
    (PrivateKind::MachineId, "/etc/machine-id"),
    (PrivateKind::MachineId, "/var/lib/dbus/machine-id"),
    (PrivateKind::BootId, "/proc/sys/kernel/random/boot_id"),
    (PrivateKind::BoardSerial, "/sys/class/dmi/id/product_serial"),
    (PrivateKind::BoardSerial, "/sys/class/dmi/id/board_serial"),
    (PrivateKind::BoardSerial, "/sys/class/dmi/id/chassis_serial"),
    (PrivateKind::BoardSerial, "/sys/class/dmi/id/board_asset_tag"),
    (PrivateKind::BoardSerial, "/sys/class/dmi/id/chassis_asset_tag"),
    (PrivateKind::BoardUuid, "/sys/class/dmi/id/product_uuid"),
    (PrivateKind::GpuSerial, "/sys/bus/pci/devices/*/unique_id"),
    (PrivateKind::GpuSerial, "/sys/bus/pci/devices/*/serial_number"),
    (PrivateKind::BatterySerial, "/sys/class/power_supply/*/serial_number"),
    (PrivateKind::DiskSerial, "/sys/block/*/device/serial"),
    (PrivateKind::DiskSerial, "/sys/block/*/device/wwid"),
    (PrivateKind::DiskSerial, "/sys/block/*/wwid"),
    (PrivateKind::DiskSerial, "/sys/block/*/serial"),
    (PrivateKind::UsbSerial, "/sys/bus/usb/devices/*/serial"),
    (PrivateKind::MacAddress, "/sys/class/net/*/address"),
    (PrivateKind::BluetoothAddress, "/sys/class/bluetooth/*/address"),
];

impl Private {
    /// Reads the values that this user may read.
    pub fn read(files: &mut dyn Files) -> Self {
        let mut reader = Reader::new(files);
        let mut private = Self::default();
        for (kind, path) in FILES {
            match path.split_once("/*/") {
                None => private.file(&mut reader, kind, path),
                Some((folder, file)) => {
                    for name in reader.entries(folder).iter().take(DEVICES) {
                        private.file(&mut reader, kind, &format!("{folder}/{name}/{file}"));
                    }
                }
            }
        }
        private.users(&mut reader);
        private.bluetooth(&mut reader);
        private
    }

    fn add(&mut self, kind: PrivateKind, value: &str) {
        let value = value.trim();
        if is_telling(value) {
            self.values.insert((kind, value.to_owned()));
        }
    }

    fn file(&mut self, reader: &mut Reader<'_>, kind: PrivateKind, path: &str) {
        if let Ok((bytes, _)) = reader.long(path, 4096) {
            let text = String::from_utf8_lossy(&bytes);
            self.add(kind, text.trim_matches(|c: char| c == '\0' || c.is_whitespace()));
        }
    }

    fn users(&mut self, reader: &mut Reader<'_>) {
        let Ok(text) = reader.long_text("/etc/passwd", 4 << 20) else { return };
        for line in text.lines().take(USERS) {
            let fields: Vec<&str> = line.split(':').collect();
            let [login, _, id, _, full, home, ..] = fields.as_slice() else { continue };
            if !id.parse::<u32>().is_ok_and(|id| PEOPLE.contains(&id)) {
                continue;
            }
            self.add(PrivateKind::UserName, login);
            if home.starts_with("/home/") {
                self.add(PrivateKind::Home, home);
            }
            // The fields after the first comma are office and telephone numbers.
            let name = full.split(',').next().unwrap_or_default();
            for word in name.split_whitespace().filter(|word| word.chars().count() > 2) {
                self.add(PrivateKind::PersonName, word);
            }
        }
    }

    /// Newer kernels show the address of a Bluetooth device only in the directory where its keys
    /// are stored: each adapter has a directory named after it, which contains those of paired
    /// devices.
    fn bluetooth(&mut self, reader: &mut Reader<'_>) {
        let keys = "/var/lib/bluetooth";
        for own in reader.entries(keys).into_iter().take(DEVICES) {
            let known = reader.entries(&format!("{keys}/{own}")).into_iter().take(DEVICES);
            for name in known.chain([own]).filter(|name| is_address(name)) {
                self.add(PrivateKind::BluetoothAddress, &name);
            }
        }
    }
}

/// `D8:BB:C1:00:00:02`
fn is_address(name: &str) -> bool {
    let hex = |part: &str| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split(':').count() == 6 && name.split(':').all(hex)
}

/// Whether the value identifies something. Values that many machines share are not private, and
/// replacing them would make a log useless.
fn is_telling(value: &str) -> bool {
    const COMMON: [&str; 13] = [
        "localhost",
        "localhost.localdomain",
        "(none)",
        "default string",
        "to be filled by o.e.m.",
        "system serial number",
        "not specified",
        "none",
        "not applicable",
        "unknown",
        "n/a",
        "no asset tag",
        "asset tag",
    ];
    let zeros = value.chars().all(|c| matches!(c, '0' | ':' | '-' | 'x' | 'f' | 'F' | '.' | ' '));
    value.chars().count() > 1 && !zeros && !COMMON.contains(&value.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_texts_are_no_secret() {
        for (value, telling) in [
            ("00:00:00:00:00:00", false),
            ("ff:ff:ff:ff:ff:ff", false),
            ("To Be Filled By O.E.M.", false),
            ("localhost", false),
            ("x", false),
            ("", false),
            ("de:ad:00:00:00:01", true),
            ("ada", true),
        ] {
            assert_eq!(is_telling(value), telling, "{value}");
        }
    }

    #[test]
    fn debug_output_omits_private_values() {
        let mut private = Private::default();
        private.add(PrivateKind::UserName, "lovelace");
        let told = format!("{private:?}");
        assert!(told.contains("UserName") && !told.contains("lovelace"), "{told}");
    }
}
