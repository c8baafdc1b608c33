//! A prefilter for lines, by prefixes and literals that are derived from the messages.
//!
//! Most lines of most logs do not concern a GPU, and cost only this search.

use super::{envelope, landmark};
use crate::input::Words;
use crate::pattern::mark::PrefilterLiterals;
use crate::pattern::matcher::Matcher;
use crate::record::Origin;

/// Passes lines that may match a message.
#[derive(Debug)]
pub(crate) struct Prefilter<'p> {
    kernel: Class<'p>,
    program: Class<'p>,
    /// The driver's messages without prefix.
    bare: Class<'p>,
    /// The number of following lines that pass unconditionally, because they belong to a block.
    open: u32,
}

impl<'p> Prefilter<'p> {
    /// A prefilter for the messages of `matcher`.
    #[must_use]
    pub(crate) fn new(matcher: Matcher<'p>) -> Self {
        let (kernel, program) = (Class::new(matcher.kernel()), Class::new(matcher.program()));
        let bare = Class::new(matcher.bare());
        Self { kernel, program, bare, open: 0 }
    }

    /// Whether `text`, printed by `origin`, may match.
    pub(crate) fn passes(&mut self, origin: Origin<&str>, text: &str) -> bool {
        if self.open > 0 {
            self.open -= 1;
            return true;
        }
        self.is_marked(origin, text)
    }

    /// The number of following lines that pass unconditionally.
    pub(crate) const fn open(&self) -> u32 {
        self.open
    }

    /// Whether the next line passes unconditionally.
    #[must_use]
    pub(crate) const fn is_open(&self) -> bool {
        self.open > 0
    }

    /// Whether `text` may contain a message of a program.
    pub(super) fn may_be_of_a_program(&self, text: &str) -> bool {
        self.program.passes(text)
    }

    /// Whether `text` may contain a message of the driver without its name.
    pub(super) fn may_be_bare(&self, text: &str) -> bool {
        self.bare.passes(text)
    }

    fn is_marked(&self, origin: Origin<&str>, text: &str) -> bool {
        match origin {
            Origin::Kernel => self.kernel_passes(text),
            Origin::Program { .. } => self.program.passes(text),
            Origin::Unstated => {
                self.kernel_passes(text) || self.program.passes(text) || self.bare.passes(text)
            }
        }
    }

    fn kernel_passes(&self, text: &str) -> bool {
        envelope::may_open(text) || self.kernel.passes(text) || landmark::names_source(text)
    }

    /// Passes the next `lines` unconditionally: they belong to a block that has begun.
    pub(crate) fn keep(&mut self, lines: u32) {
        self.open = self.open.max(lines);
    }
}

/// The messages of one printer.
#[derive(Debug)]
struct Class<'p> {
    marks: &'p PrefilterLiterals,
    /// The literals, if there are any.
    literals: Option<Words>,
}

impl<'p> Class<'p> {
    fn new(marks: &'p PrefilterLiterals) -> Self {
        Self { marks, literals: Words::new(marks.literals(), []) }
    }

    fn passes(&self, text: &str) -> bool {
        let holds = |literals: &Words| literals.are_in(text.as_bytes());
        self.marks.begins(text) || self.literals.as_ref().is_some_and(holds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::message::Printer;

    const PROGRAM: Origin<&str> = Origin::Program { name: "game", pid: None };

    #[test]
    fn every_sample_of_every_message_passes() {
        let patterns = crate::builtin::patterns();
        for message in patterns.messages.iter().filter(|message| !message.joins || message.alone) {
            for sample in &message.samples {
                for printer in &message.from {
                    let (origin, line) = match printer {
                        Printer::Amdgpu | Printer::Drm => {
                            (Origin::Kernel, format!("[drm] {sample}"))
                        }
                        Printer::Ttm => (Origin::Kernel, format!("[TTM] {sample}")),
                        Printer::Pci => {
                            (Origin::Kernel, format!("pcieport 0000:00:01.1: {sample}"))
                        }
                        Printer::Iommu => (Origin::Kernel, format!("AMD-Vi: {sample}")),
                        Printer::VendorReset => {
                            (Origin::Kernel, format!("vfio-pci 0000:03:00.0: AMD_VEGA10: {sample}"))
                        }
                        Printer::Passthrough => {
                            (Origin::Kernel, format!("vfio-pci 0000:03:00.0: {sample}"))
                        }
                        Printer::Kernel => (Origin::Kernel, sample.clone()),
                        Printer::Program => (PROGRAM, sample.clone()),
                    };
                    for origin in [origin, Origin::Unstated] {
                        let passes = Prefilter::new(patterns.matcher()).passes(origin, &line);
                        assert!(passes, "{}: {line}", message.id);
                    }
                }
            }
        }
    }

    /// The lines above it, which open the gate, may be missing.
    #[test]
    fn a_step_of_a_call_trace_in_the_driver_passes() {
        let patterns = crate::builtin::patterns();
        for (text, passes) in [
            ("[<ffffffffc01ada71>] amdgpu_ctx_do_release+0xa1/0xd0 [amdgpu]", true),
            ("[<ffffffffc0013de4>] drm_release+0x254/0x500 [drm]", false),
        ] {
            let mut gate = Prefilter::new(patterns.matcher());
            assert_eq!(gate.passes(Origin::Kernel, text), passes, "{text}");
        }
    }

    #[test]
    fn a_block_passes_to_its_end() {
        let patterns = crate::builtin::patterns();
        let mut gate = Prefilter::new(patterns.matcher());
        let mut passes = |text| gate.passes(Origin::Kernel, text);
        assert!(!passes("__schedule+0x5e/0xd0"));
        gate.keep(2);
        let mut passes = |text| gate.passes(Origin::Kernel, text);
        assert!(passes("__schedule+0x5e/0xd0") && passes("x") && !passes("x"));
    }
}
