//! What a GPU is in tests that look at one thing about it.

use super::*;
use crate::host::files::{Answer, Question, Why};
use crate::host::gpu::Gpu;

/// A machine without anything.
struct Nothing;

impl Files for Nothing {
    fn ask(&mut self, _: &Question) -> Answer {
        Answer::Refused(Why::Missing)
    }
}

/// A GPU with these blocks, and nothing else.
pub(super) fn details(blocks: Vec<IpBlock>) -> Option<Details> {
    let mut files = Nothing;
    let mut reader = Reader::new(&mut files);
    let id = "1002:744c".parse().ok()?;
    let gpu = Gpu::read(&mut reader, "0000:03:00.0".parse().ok()?, id);
    Some(Details { blocks: Ok(blocks), ..Details::read(&mut reader, &gpu) })
}
