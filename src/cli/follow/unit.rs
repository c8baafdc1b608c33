//! The unit that runs this program as a service of systemd.

use std::io;

use crate::cli::Ending;
use crate::cli::failure::Failure;
use crate::cli::streams::Streams;

/// The unit for systemd: it may read the logs and write its cursor, and nothing else.
const UNIT: &str = include_str!("../../../contrib/systemd/amdtriage.service");
/// The program that it starts.
const INSTALLED: &str = "/usr/bin/amdtriage";
/// Folders that the unit does not see, or that do not outlive a login.
const OF_USERS: [&str; 5] = ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"];

/// Writes a unit that runs this very program.
pub(super) fn write(streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    let program = std::env::current_exe().map_err(Failure::Unit)?;
    // A blank or a sign of systemd's own would have to be written in another way.
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+".contains(c);
    let program = program.to_str().filter(|path| path.chars().all(plain));
    let program = program.ok_or_else(|| Failure::Unit(io::ErrorKind::InvalidFilename.into()))?;
    if OF_USERS.iter().any(|folder| program.starts_with(folder)) {
        return Err(Failure::UnitOfAUser { program: program.to_owned() });
    }
    streams.write(|out| write!(out, "{}", UNIT.replace(INSTALLED, program)))?;
    Ok(Ending::Fine)
}
