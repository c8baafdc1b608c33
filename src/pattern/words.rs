//! The words of which nearly every line holds one that is a message: few enough to be looked for in a block
//! of lines at once. `patterns/words.toml` names them; messages of somebody's own bring what they need.

use super::message::{Message, Printer};

/// A literal for each of `messages` of which a line may hold none of `words`.
pub(super) fn missing<'m>(
    words: &[String],
    messages: impl Iterator<Item = &'m Message>,
) -> Vec<String> {
    let without = messages.filter(|message| !is_covered(words, message));
    let literals =
        without.flat_map(|message| message.forms.iter().map(|form| form.literal.clone()));
    literals.filter(|literal| !literal.is_empty()).collect()
}

/// Whether each line that may begin an event of this message holds one of `words`.
fn is_covered(words: &[String], message: &Message) -> bool {
    let joins = message.joins && !message.alone;
    joins || printed(message).all(|line| words.iter().any(|word| line.contains(word.as_str())))
}

/// The samples with what each printer puts before them.
fn printed(message: &Message) -> impl Iterator<Item = String> {
    message.from.iter().flat_map(move |printer| {
        let prefix = match printer {
            Printer::Amdgpu => "amdgpu 0000:03:00.0: ",
            Printer::Drm => "[drm] ",
            Printer::Ttm => "[TTM] ",
            Printer::Iommu => "AMD-Vi: ",
            Printer::Pci => "pcieport 0000:00:01.1: ",
            Printer::Kernel | Printer::Program => "",
        };
        message.samples.iter().map(move |sample| format!("{prefix}{sample}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is looked for only in an input of which each line is read: what tells of no failure by itself,
    /// and what only kernels print that are older than the driver's own prefix.
    const ONLY_LINE_BY_LINE: &str = "\
        kfd-create-queue-failed kfd-no-more-vmid kfd-no-more-sdma kfd-reset-wavefronts \
        kfd-reset-wavefronts-nohws compositor-dumped-core compositor-service-ended \
        wayland-connection-broke display-vblank-timeout rlc-busy-gfx8 fw-debian-hint \
        gfx-soft-reset-not-idle sched-show-task-54 kernel-dmi kernel-hardware-name journal-flush-requested \
        journal-in-memory journal-on-disk kfd-fence-timeout kfd-cp-unrecoverable \
        kfd-hiq-doorbell-not-zero kfd-runlist-execute-failed kfd-evict-queue-failed \
        workqueue-hogged hung-task-hint hung-task-suppressed oom-invoked oom-killed \
        drm-nomodeset ollama-discovery-failure ollama-inference-compute \
        ollama-inference-compute-old oops-warning-72 oops-rip param-invalid param-too-large \
        param-dangerous kernel-unknown-cmdline param-unknown s2idle-enter s2idle-exit \
        sudo-gpu-reset torch-device-name llama-rocm-device llama-vulkan-device opengl-renderer \
        vulkaninfo-name rocminfo-name coredump-text-header";

    #[test]
    fn nearly_every_message_holds_a_word() {
        let patterns = crate::builtin::patterns();
        let without: Vec<&str> = { patterns.messages.iter() }
            .filter(|message| !is_covered(&patterns.words, message))
            .map(|message| message.id.as_str())
            .collect();
        let mut without = without;
        let mut known: Vec<&str> = ONLY_LINE_BY_LINE.split_ascii_whitespace().collect();
        without.sort_unstable();
        known.sort_unstable();
        assert_eq!(without, known);
        // One more, or one that is shorter, and each block is looked through at half the speed.
        assert!(patterns.words.len() <= 32 && patterns.words.iter().all(|word| word.len() >= 4));
    }
}
