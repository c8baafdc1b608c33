use std::io::Read as _;
use std::os::unix::fs::symlink;

use super::*;

fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    fs::create_dir_all(root.join("etc/deep")).unwrap();
    fs::create_dir_all(root.join("usr/lib")).unwrap();
    fs::write(root.join("etc/name"), "inside").unwrap();
    fs::write(root.join("usr/lib/os-release"), "release").unwrap();
    fs::write(folder.path().join("name"), "outside").unwrap();
    folder
}

/// The content of `path`, which is the same with the kernel's resolution and step by step.
fn read(folder: &tempfile::TempDir, path: &str, outside: Outside) -> Result<String, Errno> {
    let open = || Tree::open(&folder.path().join("root"), outside).unwrap();
    let text = |tree: Tree| {
        let mut text = String::new();
        let read = tree.file(Path::new(path)).and_then(|mut file| file.read_to_string(&mut text));
        read.map(|_| text).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::INVAL))
    };
    let [one, other] = [text(open()), text(open().by_steps())];
    assert_eq!(one, other, "{path}");
    one
}

#[test]
fn no_link_leads_out() {
    let folder = made();
    let outside = folder.path().join("name").display().to_string();
    let inside = || Ok("inside".to_owned());
    for (at, (target, of_root, of_folder)) in [
        ("name", inside(), inside()),
        ("deep/../name", inside(), inside()),
        ("../usr/lib/os-release", Ok("release".to_owned()), Ok("release".to_owned())),
        ("/etc/name", inside(), Err(Errno::XDEV)),
        ("../../../../etc/name", inside(), Err(Errno::XDEV)),
        (&*outside, Err(Errno::NOENT), Err(Errno::XDEV)),
        ("../../name", Err(Errno::NOENT), Err(Errno::XDEV)),
        ("/", Err(Errno::ISDIR), Err(Errno::XDEV)),
        ("name/", Err(Errno::NOTDIR), Err(Errno::NOTDIR)),
    ]
    .into_iter()
    .enumerate()
    {
        // Paths of the standard library have no trailing slash.
        if target.ends_with("e/") {
            continue;
        }
        symlink(target, folder.path().join(format!("root/etc/link{at}"))).unwrap();
        let path = format!("etc/link{at}");
        assert_eq!(read(&folder, &path, Outside::IsRoot), of_root, "{target}");
        assert_eq!(read(&folder, &path, Outside::IsRefused), of_folder, "{target}");
    }
    symlink("/etc", folder.path().join("root/etc/deep/up")).unwrap();
    assert_eq!(read(&folder, "etc/deep/up/name", Outside::IsRoot), inside());
    assert_eq!(read(&folder, "/etc/name", Outside::IsRoot), inside());
    assert_eq!(read(&folder, "/../../name", Outside::IsRoot), Err(Errno::NOENT));
}

#[test]
fn circles_end_and_pipes_keep_nobody() {
    let folder = made();
    symlink("b", folder.path().join("root/a")).unwrap();
    symlink("a", folder.path().join("root/b")).unwrap();
    assert_eq!(read(&folder, "a", Outside::IsRoot), Err(Errno::LOOP));
    let pipe = folder.path().join("root/pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(read(&folder, "pipe", Outside::IsRoot), Err(Errno::INVAL));
}

#[test]
fn names_links_and_what_is_known_of_files() {
    let folder = made();
    symlink("../usr/lib/os-release", folder.path().join("root/etc/os-release")).unwrap();
    let open = || Tree::open(&folder.path().join("root"), Outside::IsRoot).unwrap();
    for tree in [open(), open().by_steps()] {
        let path = Path::new("etc/os-release");
        assert_eq!(tree.names(Path::new("etc"), 10).unwrap(), ["deep", "name", "os-release"]);
        assert_eq!(tree.names(Path::new(""), 10).unwrap(), ["etc", "usr"]);
        assert_eq!(tree.names(Path::new("/etc"), 2).unwrap().len(), 2);
        assert_eq!(tree.link(path).unwrap(), Path::new("../usr/lib/os-release"));
        assert!(tree.link(Path::new("etc/name")).is_err());
        assert_eq!(tree.status(path).unwrap().st_size, 7);
        assert_eq!(tree.own_status(path).unwrap().st_size, 21);
        assert!(tree.may(path, Access::READ_OK) && !tree.may(Path::new("no"), Access::READ_OK));
        assert!(tree.names(Path::new("etc/name"), 10).is_err());
    }
}
