//! The systemd unit for running this program as a service.

use std::io;

use crate::cli::Ending;
use crate::cli::failure::Failure;
use crate::cli::streams::Streams;

/// The unit: it may read logs and write its cursor, and nothing else.
const UNIT: &str = include_str!("../../../contrib/systemd/amdtriage.service");
/// The program in the unit.
const INSTALLED: &str = "/usr/bin/amdtriage";
/// Directories that the unit cannot see, or that vanish after logout.
const OF_USERS: [&str; 5] = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"];

/// Writes a unit that runs this program.
pub(super) fn write(streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let program = std::env::current_exe().map_err(Failure::Unit)?;
    // Spaces and systemd's special characters would need escaping.
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let program = program.to_str().filter(|path| path.chars().all(plain));
    let program = program.ok_or_else(|| Failure::Unit(io::ErrorKind::InvalidFilename.into()))?;
    if OF_USERS.iter().any(|folder| program.starts_with(folder)) {
        return Err(Failure::UnitOfAUser { program: program.to_owned() });
    }
    streams.write(|out| write!(out, "{}", UNIT.replace(INSTALLED, program)))?;
    Ok(Ending::Fine)
}
