//! The program: hands arguments and streams to the library and turns its answer into an exit status.

use std::io::{self, BufWriter};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    let ending = amdtriage::cli::run(std::env::args_os(), &mut out, &mut io::stderr().lock());
    ExitCode::from(ending.status())
}
