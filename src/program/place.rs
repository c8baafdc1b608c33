//! Where the programs of the system are.

use std::path::{Path, PathBuf};

/// Where they are looked for: only root writes there. The last is where ROCm puts its own.
pub(super) const FOLDERS: [&str; 7] = [
    "/usr/bin",
    "/bin",
    "/usr/sbin",
    "/sbin",
    // NixOS and Guix have theirs nowhere else.
    "/run/current-system/sw/bin",
    "/run/current-system/profile/bin",
    "/opt/rocm/bin",
];

/// The file of a program; a name with a slash is a path already.
///
/// With more rights than whoever has started us, the caller's `PATH` is not asked: what stands in its first
/// folder would have those rights. Without, it is, and before the folders: nothing is run there that the
/// user could not run as well, and a container or a profile may have its own programs.
pub(super) fn found(name: &str) -> Option<PathBuf> {
    if name.contains('/') {
        return Some(PathBuf::from(name));
    }
    let own = if is_privileged() { Vec::new() } else { folders_of_the_user() };
    let known = FOLDERS.iter().map(PathBuf::from);
    own.into_iter().chain(known).map(|folder| folder.join(name)).find(|path| is_program(path))
}

/// Whether a program that a user names can be started: it is in the user's `PATH`, or a path to it.
pub(crate) fn is_known(name: &str) -> bool {
    if name.contains('/') {
        return is_program(Path::new(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| is_program(&folder.join(name)))
}

/// Whether this process has rights that its caller may not have.
pub(crate) fn is_privileged() -> bool {
    use rustix::process::{getegid, geteuid, getgid, getuid};
    geteuid().is_root()
        || (getuid(), getgid()) != (geteuid(), getegid())
        || super::processes::has_capabilities()
}

/// Those of `PATH` that are the same wherever one stands.
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
