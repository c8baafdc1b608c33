//! A second, unprivileged user, available if the tests run as root.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

/// `nobody`, on every system.
pub(crate) const NOBODY: u32 = 65_534;

/// Whether the tests run as root.
pub(crate) fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|it| it.uid() == 0)
}

/// Whether there is a second user; prints a note otherwise.
pub(crate) fn is_there(test: &str) -> bool {
    if !is_root() {
        eprintln!("{test}: skipped, since only root can act as a second user");
    }
    is_root()
}

/// A command that runs as that user.
pub(crate) fn command(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.uid(NOBODY).gid(NOBODY).current_dir("/");
    command
}

/// The program, run as that user.
pub(crate) fn program() -> Command {
    static REACHABLE: LazyLock<PathBuf> = LazyLock::new(|| {
        let path = PathBuf::from(env!("CARGO_BIN_EXE_amdtriage"));
        let is_open = |path: &Path| path.metadata().is_ok_and(|it| it.mode() & 0o001 != 0);
        if path.ancestors().all(is_open) {
            return path;
        }
        // A file that this process has open for writing cannot be executed, so another process
        // copies it.
        let folder = tempfile::tempdir().unwrap().keep();
        open_to_all(&folder);
        let copy = folder.join("amdtriage");
        assert!(Command::new("cp").arg(path).arg(&copy).status().unwrap().success());
        copy
    });
    command(&*REACHABLE)
}

/// Gives everybody access to a temporary directory.
pub(crate) fn open_to_all(folder: &Path) {
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
}
