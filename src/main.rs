//! The program: hands arguments and streams to the library and turns its answer into an exit status.

use std::io::{self, BufWriter};
use std::process::ExitCode;

/// musl's own gives memory back to the kernel and asks for it again all the time.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let ending = amdtriage::cli::run(std::env::args_os(), &mut out, &mut io::stderr().lock());
    ExitCode::from(ending.status())
}
