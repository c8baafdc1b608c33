//! Recognises texts that only the kernel prints by their words alone, without an envelope.

use std::sync::LazyLock;

use memchr::memmem::{self, Finder};

use super::envelope::{Driver, Envelope, may_open};
use crate::pattern::matcher::Matcher;
use crate::pattern::message::Printer;
use crate::value::PciAddress;

/// The length of the driver's prefixes at the start of `text`.
pub(crate) fn prefix(text: &str) -> Option<usize> {
    let envelope = may_open(text).then(|| Envelope::open(text))?;
    names_a_driver(&envelope).then(|| text.len() - envelope.body.len())
}

/// Whether the prefixes prove that the kernel printed the line.
const fn names_a_driver(envelope: &Envelope<'_>) -> bool {
    match envelope.driver {
        Driver::Amdgpu | Driver::Drm | Driver::Ttm | Driver::Iommu | Driver::VendorReset => true,
        Driver::Bus | Driver::Passthrough | Driver::Other => envelope.device.is_some(),
        Driver::None => false,
    }
}

/// Whether `text` is a kernel message about a GPU, or begins as only such messages do.
pub(crate) fn is_kernel_text(matcher: Matcher<'_>, text: &str) -> bool {
    let envelope = Envelope::open(text);
    if may_open(text) && names_a_driver(&envelope) {
        return true;
    }
    let found = |printers: &[Printer]| matcher.find(envelope.body, printers, false);
    envelope.driver == Driver::None
        && (found(&[Printer::Kernel]).is_some_and(|found| !found.message.shared)
            || found(&Printer::DRIVER).is_some_and(|found| !found.message.shared))
}

/// Whether `text` begins like a line of the driver but is not a complete message.
pub(crate) fn is_unfinished(matcher: Matcher<'_>, text: &str) -> bool {
    let envelope = Envelope::open(text);
    match envelope.driver {
        Driver::Amdgpu | Driver::Drm | Driver::Ttm => {
            matcher.find(envelope.body, envelope.driver.printers(), false).is_none()
        }
        // A line may end within the prefixes.
        Driver::None => {
            text.starts_with("amdgpu") || text.starts_with("[drm:") && !text.contains(']')
        }
        Driver::Bus | Driver::Iommu | Driver::VendorReset | Driver::Passthrough | Driver::Other => {
            false
        }
    }
}

/// Whether `text` is a complete message of a GPU program.
pub(crate) fn is_of_a_program(matcher: Matcher<'_>, text: &str) -> bool {
    matcher.find(text, &[Printer::Program], false).is_some()
}

/// Whether a text contains the driver's prefix with a device.
pub(super) fn names_device(text: &str) -> bool {
    const NAME: &str = "amdgpu ";
    names_amd(text)
        && memmem::find_iter(text.as_bytes(), NAME).any(|at| {
            let behind = text.get(at + NAME.len()..).unwrap_or_default();
            behind
                .split_once(": ")
                .is_some_and(|(address, _)| PciAddress::as_written(address).is_some())
        })
}

/// Whether a text names a file of the driver's source or its module, as the kernel's warnings do:
/// `drivers/gpu/drm/amd/amdgpu/amdgpu_vm.c:123`, `amdgpu_vm_fini+0x1f/0x40 [amdgpu]`, or with the
/// module's build id `[amdgpu bd2da7…]`; or the work queue of its resets, `Workqueue: amdgpu-reset-dev …`.
pub(super) fn names_source(text: &str) -> bool {
    const NAMES: [&str; 4] =
        ["drivers/gpu/drm/amd/", " [amdgpu]", " [amdgpu ", "Workqueue: amdgpu-reset-"];
    names_amd(text) && NAMES.iter().any(|name| text.contains(name))
}

/// A fast check whether a text may name the driver or its source.
fn names_amd(text: &str) -> bool {
    static NAME: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("amd"));
    NAME.find(text.as_bytes()).is_some()
}

/// Whether a source file belongs to the driver: in the kernel tree, or in AMD's package, which is
/// built below `/tmp/amd.XXXXXXXX/`, `/var/lib/dkms/amdgpu/`, `/var/lib/dkms/amdgpu-17.40/` or
/// `/usr/src/amdgpu-6.3/`.
pub(super) fn is_driver_source(file: &str) -> bool {
    let in_package = |(before, behind): (&str, &str)| {
        before.ends_with("/tmp")
            && behind.split_once('/').is_some_and(|(_, path)| path.starts_with("amd/"))
    };
    file.contains("gpu/drm/amd/")
        || file.contains("/dkms/amdgpu")
        || file.contains("/usr/src/amdgpu-")
        || file.split_once("/amd.").is_some_and(in_package)
}

/// The version of AMD's package in the path of a file of its source:
/// `/var/lib/dkms/amdgpu/6.12.12-2164967.24.04/build/…`.
pub(super) fn package_version(file: &str) -> Option<&str> {
    let (_, behind) = file.split_once("/dkms/amdgpu/")?;
    behind.split_once('/').map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_driver_is_known_by_its_name_and_by_its_words() {
        let patterns = crate::builtin::patterns();
        for (text, named, known) in [
            ("amdgpu 0000:03:00.0: amdgpu: any words", Some(29), true),
            ("[drm] any words", Some(6), true),
            ("GPU reset(2) succeeded!", None, true),
            ("ring gfx_0.0.0 timeout, signaled seq=1, emitted seq=3", None, true),
            ("Failed to initialize parser -125!", None, true),
            ("device lost from bus!", None, false),
            ("Cannot find any crtc or sizes", None, false),
            ("usb 1-1: new device", None, false),
            ("kernel: amdgpu 0000:03:00.0: amdgpu: any words", None, false),
            ("and then it failed", None, false),
        ] {
            assert_eq!(prefix(text), named, "{text}");
            assert_eq!(is_kernel_text(patterns.matcher(), text), known, "{text}");
        }
        for (text, unfinished) in [
            ("amdgpu 0000:03:00.0: amdgpu: ring", true),
            ("[drm:amdgpu_job_timedout", true),
            ("amdgpu", true),
            ("amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", false),
            ("nouveau 0000:03:00.0: ring", false),
            ("usb 1-1: new device", false),
        ] {
            assert_eq!(is_unfinished(patterns.matcher(), text), unfinished, "{text}");
        }
        assert!(names_source("UBSAN: x in drivers/gpu/drm/amd/amdgpu/x.h:12:3"));
        assert!(names_source("Workqueue: amdgpu-reset-dev drm_sched_job_timedout [gpu_sched]"));
        assert!(names_source("BUG: KASAN: x in amdgpu_vm_fini+0x1f/0x40 [amdgpu]"));
        assert!(names_source("dc_commit_streams+0x280/0x3c0 [amdgpu bd2da7375b25]"));
        assert!(!names_source(
            "WARNING: CPU: 3 PID: 99 at drivers/gpu/drm/i915/x.c:1 x+0x1/0x2 [i915]"
        ));
        for (file, ours) in [
            ("drivers/gpu/drm/amd/amdgpu/../pm/x.c", true),
            ("/tmp/amd.b2XyZ3ab/amd/amdgpu/amdgpu_xcp.c", true),
            ("/var/lib/dkms/amdgpu/6.14.14/build/amd/amdkfd/kfd_svm.c", true),
            ("/var/lib/dkms/amdgpu-17.40/492261/build/amd/amdgpu/amdgpu_vm.c", true),
            ("/usr/src/amdgpu-6.3.6-1718217.22.04/amd/amdgpu/amdgpu_vm.c", true),
            ("/tmp/build/amd.c", false),
            ("drivers/gpu/drm/i915/x.c", false),
        ] {
            assert_eq!(is_driver_source(file), ours, "{file}");
        }
        let version = package_version("/var/lib/dkms/amdgpu/6.14.14/build/amd/amdkfd/kfd_svm.c");
        assert_eq!(version, Some("6.14.14"));
        assert!(names_device("seen: amdgpu 0000:03:00.0: x") && !names_device("amdgpu is loaded"));
    }
}
