//! Values that are text or lists of words.

use std::fmt;

/// Text from the log: a name of up to 24 bytes, which most are, needs no memory of its own.
pub(crate) type Text = compact_str::CompactString;

/// One line of a kernel stack: `amdgpu_job_timedout+0x10/0x20 [amdgpu]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The function, without offsets and compiler suffixes.
    pub function: String,
    /// The module that the function belongs to, where the log names one.
    pub module: Option<String>,
}

impl Frame {
    /// Reads a stack line; `None` where the text is no frame.
    ///
    /// Lines that begin with `?` are what the unwinder found on the stack without trusting it, so
    /// they are no evidence and not read.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let (symbol, rest) = text.split_once("+0x")?;
        let (offsets, module) = rest.split_once(' ').map_or((rest, None), |(o, m)| (o, Some(m)));
        // FreeBSD prints no size.
        let (offset, size) = offsets.split_once("/0x").unwrap_or((offsets, "0"));
        let hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
        let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        if symbol.is_empty() || !symbol.chars().all(name) || !hex(offset) || !hex(size) {
            return None;
        }
        let module =
            module.and_then(|part| part.trim().strip_prefix('[')?.split([']', ' ']).next());
        let function = symbol.split_once('.').map_or(symbol, |(function, _)| function);
        Some(Self { function: function.to_owned(), module: module.map(str::to_owned) })
    }
}

/// A kernel stack, innermost function first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frames(pub Vec<Frame>);

impl Frames {
    /// The frames of the GPU driver, innermost first. Where it is built into the kernel, none is marked.
    pub(crate) fn of_the_driver(&self) -> impl Iterator<Item = &Frame> {
        let is_ours = |frame: &&Frame| match frame.module.as_deref() {
            Some(module) => module == "amdgpu",
            None => frame.function.starts_with("amdgpu_"),
        };
        self.0.iter().filter(is_ours)
    }
}

impl fmt::Display for Frames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, frame) in self.0.iter().enumerate() {
            let gap = if index == 0 { "" } else { " < " };
            write!(f, "{gap}{}", frame.function)?;
        }
        Ok(())
    }
}

/// Words of this program about a value: they need no quotation marks in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Phrase(pub String);

/// Names that an event collects line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words(pub Vec<String>);

/// Each of `all` once, where it stands first.
pub(crate) fn unique<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    all.into_iter().fold(Vec::new(), |mut unique, one| {
        if !unique.contains(&one) {
            unique.push(one);
        }
        unique
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_without_offsets_and_suffixes() {
        let read = Frame::read("  amdgpu_vm_fini.part.0+0x1a/0x40 [amdgpu 3c1f]").unwrap();
        assert_eq!(read.function, "amdgpu_vm_fini");
        assert_eq!(read.module.as_deref(), Some("amdgpu"));
        assert_eq!(Frame::read("schedule+0x5e/0xd0").unwrap().module, None);
        assert_eq!(Frame::read("amdgpu_irq_put+0x1a3").unwrap().function, "amdgpu_irq_put");
    }

    #[test]
    fn what_the_unwinder_does_not_trust_is_no_frame() {
        for no in ["? schedule+0x5e/0xd0", "<TASK>", "Call Trace:", "foo+0x/0x1", "a b+0x1/0x2", ""]
        {
            assert_eq!(Frame::read(no), None, "{no}");
        }
    }
}
