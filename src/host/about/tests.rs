//! Simulated machines: one without any file, and one with arbitrary files.

use super::details::IpBlock;
use super::*;
use crate::host::files::{Answer, Question, Refusal, Status};
use crate::host::gpu::Gpu;
use crate::host::programs::Ran;

/// A machine without any file.
struct Nothing;

impl Files for Nothing {
    fn ask(&mut self, _: &Question) -> Answer {
        Answer::Refused(Refusal::Missing)
    }
}

/// A GPU with these blocks and nothing else.
pub(super) fn details(blocks: Vec<IpBlock>) -> Option<Details> {
    let mut files = Nothing;
    let mut reader = Reader::new(&mut files);
    let id = "1002:744c".parse().ok()?;
    let gpu = Gpu::read(&mut reader, "0000:03:00.0".parse().ok()?, id);
    Some(Details { blocks: Ok(blocks), ..Details::read(&mut reader, &gpu) })
}

/// A machine on which every file and directory has the same content.
struct Chaos {
    bytes: Vec<u8>,
    names: Vec<String>,
}

impl Files for Chaos {
    fn ask(&mut self, question: &Question) -> Answer {
        match question {
            Question::Read { offset: 1.., .. } => Answer::Bytes(Vec::new()),
            Question::Read { limit, .. } => {
                let most = usize::try_from(*limit).unwrap_or(usize::MAX).min(self.bytes.len());
                Answer::Bytes(self.bytes[..most].to_vec())
            }
            Question::List(_) => Answer::Names(self.names.clone()),
            Question::Link(_) => Answer::Target(self.names.join("/")),
            Question::Status(_) => {
                let status =
                    Status { mode: 0, group: 0, size: u64::MAX, modified: i64::MAX, usable: true };
                Answer::Status(status)
            }
            Question::Run(_) => Answer::Ran(Ran { output: self.bytes.clone(), cut: true }),
        }
    }
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config {
        cases: 48, failure_persistence: None, ..Default::default()
    })]

    /// No file content and no file name makes reading panic.
    #[test]
    fn no_machine_makes_reading_panic(
        text in "([a-zA-Z%:=0-9 \\-\\n\\[\\]().x>]{0,6}(processor:|simd_count 1\n|gfx_target_version |location_id |Package: mesa|Version: |0x1002\n|MemTotal: |installed|GC|\u{0}|\u{fffd}|HSA_|ada:x:1000:1:){0,2}){0,12}|0x1002|active|(?s).{0,64}",
        name in "[a-z0-9.:_ \\-]{0,12}|(?s).{0,6}",
    ) {
        let names = ["0", "0000:03:00.0", "GC", "card1", "card1-DP-1", "renderD128", "rocm-6", "hwmon3", "temp1_input", "amdgpu.conf", &name];
        let names = names.map(str::to_owned).to_vec();
        let patterns = crate::builtin::patterns();
        // A GPU is recognised by its vendor id alone.
        for bytes in [text.into_bytes(), b"0x1002".to_vec(), b"0x03000".to_vec()] {
            let mut files = Chaos { bytes, names: names.clone() };
            let mut host = Host::read(&mut files, &patterns.hardware, crate::host::Watch::Once);
            if let Some(gpu) = details(Vec::new()).map(|details| details.address) {
                let mut reader = Reader::new(&mut files);
                let id = crate::value::PciId { vendor: 0x1002, device: 0x744c };
                host.gpus = Ok(vec![Gpu::read(&mut reader, gpu, id)]);
            }
            for runs in [false, true] {
                let asked = Asked { runs, process: Some(1), ..Asked::default() };
                let about = About::read(&mut files, &host, &patterns, &asked);
                assert!(!about.attachments.is_empty());
            }
            let _ = Private::read(&mut files);
        }
    }
}
