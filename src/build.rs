//! Checks the built-in pattern files and stores them in binary form for the library to embed.
//!
//! A mistake in one of them fails the build with its file, line and column.

#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "the library uses the rest of these modules"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads files and its environment, and asks git"
)]
#![allow(clippy::print_stderr, clippy::print_stdout, reason = "so a build script talks to cargo")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

mod kind;
mod pattern;
mod value;

use pattern::Patterns;
use pattern::source::SourceFile;

fn main() -> ExitCode {
    println!("cargo::rerun-if-changed=patterns");
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let mut paths = Vec::new();
    collect(Path::new("patterns"), &mut paths).map_err(|error| format!("patterns: {error}"))?;
    paths.sort();
    let files: Vec<SourceFile> = paths.iter().map(|path| read(path)).collect::<Result<_, _>>()?;
    let patterns = Patterns::default().extended(&files).map_err(|mistakes| {
        let list: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        format!("{}\n\n{} mistakes in the built-in pattern files", list.join("\n\n"), list.len())
    })?;
    println!("cargo::rustc-env=AMDTRIAGE_PATTERNS={}", patterns.digest);
    if let Some(commit) = commit() {
        println!("cargo::rustc-env=AMDTRIAGE_COMMIT={commit}");
    }
    // Builds the index, which is stored with the patterns.
    let _ = patterns.matcher();
    let stored = postcard::to_stdvec(&patterns).map_err(|error| error.to_string())?;
    let out = std::env::var("OUT_DIR").map_err(|error| error.to_string())?;
    fs::write(Path::new(&out).join("patterns.bin"), stored).map_err(|error| error.to_string())
}

/// The commit of a release build: from the packager, else from git. Development builds have none,
/// because each commit would cause a rebuild.
fn commit() -> Option<String> {
    println!("cargo::rerun-if-env-changed=AMDTRIAGE_COMMIT");
    if let Ok(said) = std::env::var("AMDTRIAGE_COMMIT") {
        return Some(said).filter(|said| !said.is_empty());
    }
    if std::env::var("PROFILE").as_deref() != Ok("release") || !Path::new(".git").exists() {
        return None;
    }
    println!("cargo::rerun-if-changed=.git/logs/HEAD");
    let git = Command::new("git").args(["log", "-1", "--format=%h (%cs)"]).output().ok()?;
    let said = String::from_utf8(git.stdout).ok()?.trim().to_owned();
    Some(said).filter(|said| git.status.success() && !said.is_empty())
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "toml") {
            paths.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<SourceFile, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(SourceFile { path: path.display().to_string(), text })
}
