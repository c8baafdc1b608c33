//! The program: passes arguments and streams to the library, and returns its result as the exit
//! status.

use std::io::{self, BufWriter};
use std::process::ExitCode;

/// musl's own allocator returns memory to the kernel and requests it again too often.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let ending = amdtriage::cli::run(std::env::args_os(), &mut out, &mut io::stderr().lock());
    ExitCode::from(ending.status())
}
