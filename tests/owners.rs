//! The ownership of output files if another user has put something in the way. The other user is
//! `nobody`, which needs root.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::common::other_user::{self, NOBODY};
use super::common::{Output, Run};

const LOG: &str = "Mar  4 18:20:10 ada kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n";

struct Shared(TempDir);

impl Shared {
    /// A directory with these permissions and this owner.
    fn new(mode: u32, owner: u32) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("shared");
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        chown(&path, Some(owner), Some(owner)).unwrap();
        other_user::open_to_all(folder.path());
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join("shared").join(name)
    }

    /// A file that the other user created first.
    fn planted(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, "planted").unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o644)).unwrap();
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        path
    }
}

fn redacted(folder: &Path, map: &Path, asked_by: &[(&str, &str)]) -> Output {
    let output = folder.join("redacted.log");
    let arguments = ["redact", "-o", output.to_str().unwrap(), "--map", map.to_str().unwrap()];
    let run = Run::new(arguments).input(LOG);
    asked_by.iter().fold(run, |run, (name, value)| run.variable(name, value)).output()
}

#[track_caller]
fn owner_and_rights(path: &Path) -> (u32, u32) {
    let found = fs::symlink_metadata(path).unwrap();
    (found.uid(), found.mode() & 0o777)
}

#[test]
fn who_was_there_first_does_not_own_the_list_of_secrets() {
    if !other_user::is_there("who_was_there_first_does_not_own_the_list_of_secrets") {
        return;
    }
    for (mode, owner) in [(0o1777, 0), (0o777, 0), (0o755, NOBODY)] {
        let shared = Shared::new(mode, owner);
        let map = shared.planted("map.txt");
        let output = redacted(shared.0.path(), &map, &[]);
        assert_eq!(output.status, 2, "{mode:o}: {}", output.stderr);
        assert!(
            output.stderr.contains("belongs to another user, in a directory"),
            "{}",
            output.stderr
        );
        assert_eq!(fs::read_to_string(&map).unwrap(), "planted");
        // An unused name is accepted.
        let free = shared.path("free.txt");
        let output = redacted(shared.0.path(), &free, &[]);
        assert_eq!(output.status, 0, "{}", output.stderr);
        assert_eq!(owner_and_rights(&free), (0, 0o600), "{mode:o}");
    }
    // In root's own directory, files that others own become root's again.
    let own = Shared::new(0o755, 0);
    let map = own.planted("map.txt");
    assert_eq!(redacted(own.0.path(), &map, &[]).status, 0);
    assert_eq!(owner_and_rights(&map), (0, 0o600));
}

#[test]
fn a_file_belongs_to_who_asked() {
    if !other_user::is_there("a_file_belongs_to_who_asked") {
        return;
    }
    let nobody = NOBODY.to_string();
    for asked_by in [
        &[("SUDO_UID", nobody.as_str()), ("SUDO_GID", &nobody)][..],
        &[("PKEXEC_UID", &nobody)],
        &[("DOAS_USER", "nobody")],
    ] {
        let shared = Shared::new(0o755, NOBODY);
        // The user's own files are replaced: the log keeps its permissions, the token map is always
        // private.
        let log = shared.0.path().join("redacted.log");
        fs::write(&log, "of yesterday").unwrap();
        fs::set_permissions(&log, PermissionsExt::from_mode(0o640)).unwrap();
        chown(&log, Some(NOBODY), None).unwrap();
        let map = shared.planted("map.txt");
        let output = redacted(shared.0.path(), &map, asked_by);
        assert_eq!(output.status, 0, "{asked_by:?}: {}", output.stderr);
        assert_eq!(owner_and_rights(&map), (NOBODY, 0o600), "{asked_by:?}");
        assert_eq!(owner_and_rights(&log), (NOBODY, 0o640), "{asked_by:?}");
    }
}

#[test]
fn no_folder_is_found_through_another_user_s_link() {
    if !other_user::is_there("no_folder_is_found_through_another_user_s_link") {
        return;
    }
    let shared = Shared::new(0o755, NOBODY);
    fs::create_dir(shared.0.path().join("goal")).unwrap();
    let link = shared.path("link");
    symlink("../goal", &link).unwrap();
    // The user's own link is not dangerous.
    assert_eq!(redacted(shared.0.path(), &link.join("map.txt"), &[]).status, 0);
    fs::remove_file(shared.0.path().join("goal/map.txt")).unwrap();
    std::os::unix::fs::lchown(&link, Some(NOBODY), Some(NOBODY)).unwrap();
    let output = redacted(shared.0.path(), &link.join("map.txt"), &[]);
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("symbolic link of another user"), "{}", output.stderr);
    assert!(!shared.0.path().join("goal/map.txt").exists());
}

/// A cursor file is treated like any other output file.
#[test]
fn a_cursor_file_is_not_taken_from_another_user() {
    if !other_user::is_there("a_cursor_file_is_not_taken_from_another_user") {
        return;
    }
    let shared = Shared::new(0o1777, 0);
    let cursor = shared.planted("cursor");
    let output = Run::new(["follow", "--cursor-file", cursor.to_str().unwrap()]).output();
    assert_eq!(output.status, 2, "{}", output.stderr);
    assert!(output.stderr.contains("belongs to another user, in a directory"), "{}", output.stderr);
    assert_eq!(fs::read_to_string(&cursor).unwrap(), "planted");
}
