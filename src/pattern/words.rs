//! Search words: nearly every message contains one of them, and they are few enough to search a
//! block of lines for all of them at once. `patterns/words.toml` lists them; user-defined messages
//! add their own.

use super::message::{Message, Printer};

/// A literal for each of `messages` whose lines may contain none of `words`.
pub(super) fn missing<'m>(
    words: &[String],
    messages: impl Iterator<Item = &'m Message>,
) -> Vec<String> {
    let without = messages.filter(|message| !is_covered(words, message));
    let literals =
        without.flat_map(|message| message.forms.iter().map(|form| form.literal.clone()));
    literals.filter(|literal| !literal.is_empty()).collect()
}

/// Whether each line that may begin an event of this message contains one of `words`.
fn is_covered(words: &[String], message: &Message) -> bool {
    let joins = message.joins && !message.alone;
    joins || printed(message).all(|line| words.iter().any(|word| line.contains(word.as_str())))
}

/// The samples with the prefix of each printer.
fn printed(message: &Message) -> impl Iterator<Item = String> {
    message.from.iter().flat_map(move |printer| {
        let prefix = match printer {
            Printer::Amdgpu => "amdgpu 0000:03:00.0: ",
            Printer::Drm => "[drm] ",
            Printer::Ttm => "[TTM] ",
            Printer::Iommu => "AMD-Vi: ",
            Printer::VendorReset => "vfio-pci 0000:03:00.0: AMD_NAVI10: ",
            Printer::Passthrough => "vfio-pci 0000:03:00.0: ",
            Printer::Pci => "pcieport 0000:00:01.1: ",
            Printer::Kernel | Printer::Program => "",
        };
        message.samples.iter().map(move |sample| format!("{prefix}{sample}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages that are found only in inputs of which every line is read: those that report no
    /// failure alone, those of kernels older than the driver's own prefix, texts of warnings, whose
    /// block contains words, and lines of programs without a name of the driver.
    const ONLY_LINE_BY_LINE: &str = "\
        amdsmi-failed atombios-beeped blender-hip-failed blender-hip-illegal-address blender-hip-out-of-memory \
        cgs-register-space compositor-dumped-core compositor-service-ended container-kfd-missing \
        coredump-text-header ctx-priority-unset device-gart-pin-failed device-virtual-reset-waits \
        display-vblank-timeout drm-aspect-ratio drm-bits-per-pixel drm-config-inconsistent drm-edid-status-unknown \
        drm-framebuffer-busy drm-memory-not-freed drm-nomodeset drm-output-detect-invalid drm-panic-format \
        drm-panic-kind-unknown drm-property-room drm-update-outputs-added drm-vblank-left-on freebsd-panic \
        fw-block-kind-invalid fw-debian-hint gamescope-device-lost gart-already-set-up gart-already-set-up-r600 \
        gem-still-in-use gfx-imu-version-unknown gfx-soft-reset-not-idle ggml-out-of-memory ggml-vulkan-device-lost gl-context-lost \
        gpuvm-attach-invalid gpuvm-count-unbalanced gpuvm-fence-mismatch gpuvm-fence-replaced gpuvm-no-partition \
        gpuvm-userptr-placed gpuvm-userptr-state hibernate-enter hibernate-exit hip-call-failed \
        hip-call-failed-llama hip-call-failed-rccl hip-call-failed-rccl-old hip-device-assert hip-ecc-error \
        hip-illegal-address hip-illegal-state hip-invalid-device-function hip-invalid-image hip-launch-bounds \
        hip-launch-failure hip-launch-timeout hip-no-atomics-for-hostcall hip-no-device hip-no-kernel-image \
        hip-out-of-memory hsa-init-failed hung-task-hint hung-task-suppressed hwmgr-ctf-already hyprland-flip-awaited \
        journal-flush-requested journal-in-memory journal-on-disk kernel-dmi kernel-hardware-name \
        kernel-unknown-cmdline kfd-count-negative kfd-cp-unrecoverable kfd-create-queue-failed \
        kfd-debug-queue-type kfd-doorbell-unaligned kfd-event-age-wrapped kfd-event-nobody kfd-evict-debug \
        kfd-evict-queue-failed kfd-evicting-note kfd-evicting-note-debug kfd-family-unexpected kfd-fence-timeout \
        kfd-hiq-doorbell-not-zero \
        kfd-irq-no-pasid kfd-no-hiq-memory kfd-no-more-sdma kfd-no-more-vmid kfd-reset-wavefronts \
        kfd-reset-wavefronts-nohws kfd-runlist-execute-failed kfd-scheduler-halted-twice \
        kfd-scheduler-halted-twice-debug kfd-scheduler-stopped \
        kfd-svm-gpu-unknown kfd-svm-not-built kfd-svm-place-wrong kfd-svm-range-invalid kfd-svm-request-unexpected \
        kfd-topology-no-cpu kfd-wrong-thread kgd-sdma-engine llama-rocm-abort llama-rocm-device \
        llama-rocm-out-of-memory llama-vulkan-device mes-pipe-invalid miopen-build-failed miopen-status \
        ollama-discovery-failure ollama-inference-compute ollama-inference-compute-old oom-invoked oom-killed \
        oops-bug oops-fault-address oops-null-address oops-null-elsewhere oops-page-fault-elsewhere oops-rip oops-ubsan opengl-renderer param-dangerous param-invalid param-too-large param-unknown \
        radv-hang-detected radv-page-fault ras-bookkeeping-wrong ras-id-unexpected rlc-busy-gfx8 \
        rocblaslt-no-device rocm-program-out-of-memory rocminfo-init-failed rocminfo-kfd-missing rocminfo-kfd-no-access rocminfo-kfd-refused \
        rocminfo-name rocminfo-no-module rocminfo-not-member rocr-memory-fault-debug-agent s2idle-enter s2idle-exit \
        sched-show-task-54 sdma-quantum-clamped smu-i2c-busy smumgr-carrizo-timeout strace-kfd-missing \
        strace-kfd-no-access strace-kfd-refused sudo-gpu-reset \
        sync-eviction-fence torch-device-name torch-no-device torch-out-of-memory ttm-bind-nothing \
        ttm-userptr-no-pages \
        vkd3d-device-lost vm-cpu-update-small-bar vm-hub-invalid vulkaninfo-name \
        wayland-connection-broke wlroots-device-lost workqueue-hogged \
        dkms-bad-status gamescope-wait-failed hyprland-context-guilty hyprland-context-innocent \
        hyprland-context-lost llama-rocm-device-old rocblas-missing-arch-wrapped rocminfo-kfd-locked \
        strace-kfd-locked \
        comgr-header-missing compositor-frame-refused dracut-no-module hip-callback-status-aperture \
        hip-callback-status-exception hip-callback-status-fault hip-callback-status-instruction \
        hip-callback-status-isa hip-callback-status-other hip-callback-status-packet \
        hip-callback-status-resources miopen-database-exception miopen-database-sqlite \
        miopen-database-unwritable miopen-system-database module-part-refused rccl-failed rccl-failed-torch \
        rccl-iommu-missing rocm-smi-no-gpu rocm-smi-status rsmi-init-failed smithay-frame-cut \
        xorg-frame-refused xorg-present-failed ollama-runner-ended torch-out-of-memory-cut \
        cuda-words-call-failed cuda-words-illegal-address cuda-words-invalid-device-function \
        cuda-words-invalid-image cuda-words-launch-failure cuda-words-no-kernel-image cuda-words-out-of-memory \
        hip-named-call-failed miopen-error rccl-amd-iommu-missing \
        aco-error amf-component-failed amf-encoder-init-failed amf-library-missing amf-queue-failed \
        blender-hip-no-device blender-hip-no-kernel ggml-vulkan-allocation-failed intel-video-driver-on-amd \
        libva-radeonsi-failed llvm-cannot-select mesa-assertion mesa-driver-not-loaded mesa-loader-failed \
        mesa-virtio-not-connected radv-llvm-not-built va-call-failed va-not-initialised vulkan-out-of-memory \
        xorg-device-init-failed xorg-modesetting-unsupported \
        drm-edid-block-damaged drm-edid-checksum chromium-buffer-import \
        chromium-shared-image oops-ip-before-419 rocminfo-no-gpu strace-node-cgroup \
        strace-node-mode wsl-no-adapter \
        hsa-sample-init-failed hsa-sample-queue-failed ollama-memory-not-freed \
        apei-error apei-record page-allocation-failure \
        wlroots-gpu-reset gecko-device-reset kwin-pageflip-late library-crashed \
        irq-nobody-cared nmi-backtrace oops-own-checks oops-recursive sysrq-show \
        chromium-context-innocent chromium-context-guilty chromium-context-unknown";

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
        // One more word, or a shorter one, halves the speed of searching.
        assert!(patterns.words.len() <= 32 && patterns.words.iter().all(|word| word.len() >= 4));
    }
}
