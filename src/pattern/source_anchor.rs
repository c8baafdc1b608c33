//! Anchors: the places in the kernel's source that support the claims of pattern files. `patterns
//! coverage` checks that they still exist.

use serde::{Deserialize, Serialize};

use super::constraint::KernelRange;
use super::document::{Table, record};
use super::source::hint;

/// The directories at the root of the kernel's source.
const FOLDERS: [&str; 23] = [
    "Documentation",
    "arch",
    "block",
    "certs",
    "crypto",
    "drivers",
    "fs",
    "include",
    "init",
    "io_uring",
    "ipc",
    "kernel",
    "lib",
    "mm",
    "net",
    "rust",
    "samples",
    "scripts",
    "security",
    "sound",
    "tools",
    "usr",
    "virt",
];

record! {
    /// A place in the kernel's source.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct SourceAnchor {
        /// The file, relative to the tree's root; of several, any one must contain the symbol.
        pub files: Vec<String> as "file" = required,
        /// An identifier outside comments, or words of a string literal.
        pub symbol: String,
        /// The kernels that the claim is about; `None` for all.
        pub kernel: Option<KernelRange>,
    }
    check
}

impl SourceAnchor {
    fn check(&self, table: &Table<'_>) {
        for node in table.items("file") {
            let Some(path) = node.text().filter(|path| !path.trim().is_empty()) else { continue };
            let Some((folder, _)) = path.split_once('/').filter(|_| is_plain(path)) else {
                node.mistake("a `file` is a path from the root of the kernel's source");
                continue;
            };
            if !FOLDERS.contains(&folder) {
                let what = format!("the kernel's source has no folder `{folder}`");
                node.mistake_with_hint(what, hint(folder, FOLDERS));
            }
        }
        let symbol = &self.symbol;
        let is_bent = symbol.trim() != symbol || symbol.contains(char::is_control);
        let what = "a `symbol` is one line without blanks at its ends";
        table.mistake_at("symbol", !symbol.trim().is_empty() && is_bent, what);
    }
}

/// Whether a path is relative and has no `.` or `..` components.
fn is_plain(path: &str) -> bool {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    path.split('/').all(is_name) && !path.contains(|c: char| c == '\\' || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_leads_down() {
        for (path, want) in [
            ("drivers/gpu/drm/drm_drv.c", true),
            ("/drivers/gpu", false),
            ("drivers//gpu", false),
            ("drivers/../../etc/passwd", false),
            ("./drivers/a.c", false),
            ("drivers/a.c/", false),
            ("drivers\\a.c", false),
        ] {
            assert_eq!(is_plain(path), want, "{path}");
        }
    }
}
