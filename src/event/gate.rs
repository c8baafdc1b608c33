//! Which lines can matter, told by how they begin and by a few literals that are derived from the
//! message patterns.
//!
//! Most lines of most logs have nothing to do with a GPU. Such a line costs this search and no more.

use memchr::memmem::Finder;

use super::envelope;
use crate::pattern::mark::Marks;
use crate::pattern::matcher::Matcher;
use crate::record::Origin;

/// Up to so many literals are searched for faster one by one than all at once.
const FEW: usize = 3;

/// Lets lines through that one of the messages might match.
#[derive(Debug)]
pub(crate) struct Gate<'p> {
    kernel: Class<'p>,
    program: Class<'p>,
    /// The driver's messages, of which nothing but the words is left.
    bare: Class<'p>,
    /// How many of the next lines belong to a block and pass unseen.
    open: u32,
}

impl<'p> Gate<'p> {
    /// A gate for the messages of `matcher`.
    #[must_use]
    pub(crate) fn new(matcher: Matcher<'p>) -> Self {
        let (kernel, program) = (Class::new(matcher.kernel()), Class::new(matcher.program()));
        let bare = Class::new(matcher.bare());
        Self { kernel, program, bare, open: 0 }
    }

    /// Whether `text`, printed by `origin`, is worth a closer look.
    pub(crate) fn passes(&mut self, origin: Origin<&str>, text: &str) -> bool {
        if self.open > 0 {
            self.open -= 1;
            return true;
        }
        self.is_marked(origin, text)
    }

    /// How many of the next lines pass unseen.
    pub(crate) const fn open(&self) -> u32 {
        self.open
    }

    /// Whether the next line passes unseen.
    #[must_use]
    pub(crate) const fn is_open(&self) -> bool {
        self.open > 0
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
        envelope::may_open(text) || self.kernel.passes(text)
    }

    /// Lets the next `lines` through: they belong to a block that has begun.
    pub(crate) fn keep(&mut self, lines: u32) {
        self.open = self.open.max(lines);
    }
}

/// The messages of one printer.
#[derive(Debug)]
struct Class<'p> {
    marks: &'p Marks,
    /// The literals, where they are few.
    few: Option<Vec<Finder<'p>>>,
}

impl<'p> Class<'p> {
    fn new(marks: &'p Marks) -> Self {
        let literals = marks.literals();
        let finders = || literals.iter().map(|literal| Finder::new(literal.as_bytes())).collect();
        Self { marks, few: (literals.len() <= FEW).then(finders) }
    }

    fn passes(&self, text: &str) -> bool {
        if self.marks.begins(text) {
            return true;
        }
        match &self.few {
            Some(few) => few.iter().any(|finder| finder.find(text.as_bytes()).is_some()),
            // Where there are too many to be compiled, everything passes.
            None => self.marks.expression().is_none_or(|literals| literals.is_match(text)),
        }
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
                        Printer::Kernel => (Origin::Kernel, sample.clone()),
                        Printer::Program => (PROGRAM, sample.clone()),
                    };
                    for origin in [origin, Origin::Unstated] {
                        let passes = Gate::new(patterns.matcher()).passes(origin, &line);
                        assert!(passes, "{}: {line}", message.id);
                    }
                }
            }
        }
    }

    #[test]
    fn a_block_passes_to_its_end() {
        let patterns = crate::builtin::patterns();
        let mut gate = Gate::new(patterns.matcher());
        let mut passes = |text| gate.passes(Origin::Kernel, text);
        assert!(!passes("__schedule+0x5e/0xd0"));
        gate.keep(2);
        let mut passes = |text| gate.passes(Origin::Kernel, text);
        assert!(passes("__schedule+0x5e/0xd0") && passes("x") && !passes("x"));
    }
}
