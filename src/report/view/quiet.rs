//! What is said of an input without an incident.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::identity;
use crate::document::Fact;
use crate::event::device::Device;
use crate::report::ReportPart;
use crate::report::words::quiet;

/// So many GPUs are told of.
const GPUS: usize = 32;

/// The answer about an input without an incident.
#[derive(Debug)]
pub(in crate::report) struct Quiet {
    /// One sentence.
    pub(in crate::report) answer: String,
    /// What it is about, one GPU and kernel each.
    pub(in crate::report) about: Vec<Vec<Fact>>,
}

impl Quiet {
    /// The sentence without what the words in front of it say already.
    pub(in crate::report) fn without_state(&self) -> Cow<'_, str> {
        if let Some(rest) = self.answer.strip_prefix("No GPU failure found: ") {
            return rest.into();
        }
        match self.answer.strip_prefix("No failure found, and no ") {
            Some(rest) => format!("No {rest}").into(),
            None => self.answer.as_str().into(),
        }
    }

    pub(super) fn new(part: &ReportPart) -> Self {
        // A machine that was booted often is still the same one.
        let of = |device: &Device| identity(&part.log, device.boot, Some(device));
        let mut known = BTreeSet::new();
        let (mut about, mut more) = (Vec::new(), 0);
        for facts in part.devices().map(of).filter(|facts| known.insert(facts.clone())) {
            if about.len() < GPUS {
                about.push(facts);
            } else {
                more += 1;
            }
        }
        let text = format!("{more} more, which are in the JSON report");
        about.extend((more > 0).then(|| vec![Fact::new("GPUs", text)]));
        Self { answer: quiet(part), about }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Conclusions;
    use crate::event::log::tests::log;

    #[test]
    fn the_state_is_said_once() {
        for (line, said) in [
            (
                "[    1.000000] usb 1-1: new device\n",
                "No AMD GPU in this log: 1 records read, 1 of ",
            ),
            ("[    1.000000] amdgpu: x\n", "1 records read, 1 of them from amdgpu."),
        ] {
            let part = ReportPart::new("log".to_owned(), None, log(line), Conclusions::default());
            let quiet = Quiet::new(&part);
            assert!(quiet.without_state().starts_with(said), "{}", quiet.without_state());
        }
    }

    #[test]
    fn any_number_of_gpus_is_told_of_briefly() {
        let line = |n: usize| {
            let address = format!("{:04x}:{:02x}:{:02x}.0", n >> 13, n >> 5 & 0xff, n & 31);
            format!("[    1.000000] amdgpu {address}: amdgpu: SMU is initialized successfully!\n")
        };
        for (gpus, told, more) in
            [(1, 1, None), (GPUS, GPUS, None), (3000, GPUS, Some("2968 more"))]
        {
            let log = log(&(0..gpus).map(line).collect::<String>());
            let part = ReportPart::new("log".to_owned(), None, log, Conclusions::default());
            let about = Quiet::new(&part).about;
            let (last, all) =
                (&about[about.len() - 1][0], about.len() - usize::from(more.is_some()));
            assert_eq!(all, told);
            assert_eq!(
                last.label == "GPUs" && last.text.to_string().starts_with(more.unwrap_or("?")),
                more.is_some()
            );
        }
    }
}
