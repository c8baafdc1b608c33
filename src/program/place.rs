//! Finds the programs of the system.

use std::path::{Path, PathBuf};

/// The directories to search: only root can write there. The last one is ROCm's.
pub(super) const FOLDERS: [&str; 7] = [
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    // NixOS and Guix have their programs only here.
    "/run/current-system/sw/bin",
    "/run/current-system/profile/bin",
    "/opt/rocm/bin",
];

/// The path of a program; a name with a slash is already a path.
///
/// If this process has more privileges than its caller, the caller's `PATH` is not searched,
/// because a program in it would get these privileges. Otherwise `PATH` is searched first: the user
/// could run anything there anyway, and a container or a profile may have its own programs.
pub(super) fn found(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    let own = if is_privileged() { Vec::new() } else { folders_of_the_user() };
    let known = FOLDERS.iter().map(PathBuf::from);
    own.into_iter().chain(known).map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// Whether a program that a user names can be started: it is in the user's `PATH`, or a path.
pub(crate) fn is_known(name: &str) -> bool {
    if name.contains('/') {
        return is_program(Path::new(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)))
}

/// Whether this process has privileges that its caller may not have.
pub(crate) fn is_privileged() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    geteuid().is_root()
        || (getuid(), getgid()) != (geteuid(), getegid())
        || super::processes::has_capabilities()
}

/// The absolute directories of `PATH`.
fn folders_of_the_user() -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect()
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_where_only_root_writes() {
        let shell = found("sh").unwrap();
        assert!(shell.is_absolute() && is_program(&shell), "{shell:?}");
        assert_eq!(found("no-such-program-anywhere"), None);
        assert_eq!(found("/nowhere/program"), Some(PathBuf::from("/nowhere/program")));
    }
}
