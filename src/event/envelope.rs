//! The prefixes that the driver and the DRM core put before a message, in all generations.

use memchr::memchr;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while, take_while1};
use nom::character::complete::{char, digit1, space0};
use nom::combinator::opt;
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

use crate::pattern::message::Printer;
use crate::value::PciAddress;

/// A kernel message without its prefixes, and what they state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Envelope<'t> {
    /// The sender.
    pub(crate) driver: Driver,
    /// The device that it is about.
    pub(crate) device: Option<PciAddress>,
    /// The driver that the kernel names before the device.
    pub(crate) named: Option<&'t str>,
    /// The driver's function that printed it, without compiler suffixes.
    pub(crate) function: Option<&'t str>,
    /// The number in `{17}`, which the lines of one memory error share.
    pub(crate) event_id: Option<u64>,
    /// The message.
    pub(crate) body: &'t str,
}

/// The driver that a prefix names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Driver {
    /// amdgpu or its compute part.
    Amdgpu,
    /// A DRM driver; the prefix does not name it.
    Drm,
    /// The memory manager (TTM).
    Ttm,
    /// The PCI core, about a port or a device without a driver.
    Bus,
    /// The IOMMU driver, without the device of another driver.
    Iommu,
    /// The module vendor-reset, which resets a GPU for a virtual machine.
    VendorReset,
    /// `vfio-pci`, which has a device for a virtual machine; the PCI core prints its name, too.
    Passthrough,
    /// Another driver's device or module.
    Other,
    /// The text has no driver's prefix.
    None,
}

/// Prefixes of functions of other DRM drivers.
const OTHERS_FUNCTIONS: [&str; 9] =
    ["i915_", "intel_", "xe_", "nouveau_", "nv_drm_", "radeon_", "vmw_", "ast_", "virtio_gpu_"];

/// The names before the address of a device that people shorten, so that it might be a time.
const NAMED_IN_TEXTS: [&str; 6] =
    ["amdgpu", "radeon", "vfio-pci", "pci", "pcieport", "snd_hda_intel"];

/// Prefixes of amdgpu's functions that no other DRM driver has: radeon's are named after its chips.
const OWN_FUNCTIONS: [&str; 11] = [
    "amdgpu_", "psp_", "gfx_v", "gfxhub_v", "gmc_v", "mmhub_v", "sdma_v", "mes_v", "vcn_v",
    "jpeg_v", "kfd_",
];

impl Driver {
    /// The printers whose messages may follow this prefix.
    #[must_use]
    pub(crate) const fn printers(self) -> &'static [Printer] {
        match self {
            Self::Amdgpu => &[Printer::Amdgpu, Printer::Drm, Printer::Pci, Printer::Iommu],
            Self::Drm => &[Printer::Amdgpu, Printer::Drm],
            Self::Ttm => &[Printer::Ttm],
            Self::Bus => &[Printer::Pci],
            Self::Iommu => &[Printer::Iommu],
            Self::VendorReset => &[Printer::VendorReset],
            Self::Passthrough => &[Printer::Passthrough],
            Self::Other => &[],
            Self::None => &[Printer::Kernel],
        }
    }
}

impl<'t> Envelope<'t> {
    /// Parses the prefixes of `text`.
    #[must_use]
    pub(crate) fn open(text: &'t str) -> Self {
        let mut envelope = Self {
            driver: Driver::None,
            device: None,
            named: None,
            function: None,
            event_id: None,
            body: text.trim_start(),
        };
        envelope.take_device();
        envelope.take_freebsd_device();
        envelope.take_iommu();
        while envelope.take_prefix() {}
        envelope.take_request_of_reset();
        envelope.take_file_owner();
        envelope
    }

    /// `amdgpu 0000:03:00.0: `, or another driver's.
    fn take_device(&mut self) {
        let Some((name, rest)) = first_word(self.body) else { return };
        let of_a_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(of_a_name) {
            return;
        }
        let Some((address, rest)) = first_word(rest) else { return };
        let Some(address) = address.strip_suffix(':') else { return };
        let shortened =
            || PciAddress::as_written(address).filter(|_| NAMED_IN_TEXTS.contains(&name));
        // A GPU is the first function of its card.
        let without_function = || format!("{address}.0").parse().ok().filter(|_| name == "amdgpu");
        let device = address.parse().ok().or_else(shortened).or_else(without_function);
        if device.is_none() && !(name == "amdgpu" && is_masked(address)) {
            return;
        }
        self.named = Some(name);
        self.driver = match name {
            "amdgpu" => Driver::Amdgpu,
            "pci" | "pcieport" | "pciehp" => Driver::Bus,
            "vfio-pci" => Driver::Passthrough,
            _ => Driver::Other,
        };
        self.device = device;
        self.body = rest.trim_start();
    }

    /// `drmn0: `, a device of FreeBSD's port of the DRM drivers; it does not name the driver.
    fn take_freebsd_device(&mut self) {
        let Some(rest) = self.body.strip_prefix("drmn") else { return };
        let number = rest.bytes().take_while(u8::is_ascii_digit).count();
        let rest = rest.get(number..).and_then(|rest| rest.strip_prefix(": "));
        if let Some(rest) = rest.filter(|_| number > 0) {
            self.learn(Driver::Drm);
            self.body = rest.trim_start();
        }
    }

    /// `iommu ivhd0: `, the IOMMU itself, which precedes `AMD-Vi: `.
    fn take_iommu(&mut self) {
        let Some(rest) = self.body.strip_prefix("iommu ivhd") else { return };
        if let Some((_, rest)) =
            rest.split_once(": ").filter(|(_, rest)| rest.starts_with("AMD-Vi: "))
        {
            self.body = rest;
        }
    }

    /// One of the prefixes that may follow each other; false if there is none.
    fn take_prefix(&mut self) -> bool {
        // Most messages have none of them, which their first byte shows.
        let prefixes: &[(&str, Driver)] = match self.body.as_bytes().first() {
            // A message may begin with a line feed, and editors remove the space before it.
            Some(b'a') => &[
                ("amdgpu: ", Driver::Amdgpu),
                ("amdgpu:\n", Driver::Amdgpu),
                ("amdkfd: ", Driver::Amdgpu),
            ],
            Some(b'k') => &[("kfd kfd: ", Driver::Amdgpu), ("kfd: ", Driver::Amdgpu)],
            Some(b'A') if self.take_chip_to_reset() => return true,
            Some(b'A') => &[("AER: ", Driver::Bus), ("AMD-Vi: ", Driver::Iommu)],
            Some(b'D') => &[("DPC: ", Driver::Bus)],
            Some(b'd') => return self.take_flat_function(),
            Some(b'p') => &[("pciehp: ", Driver::Bus)],
            Some(b'[') => &[
                ("[drm] ", Driver::Drm),
                ("[powerplay] ", Driver::Amdgpu),
                ("[powerplay]\n", Driver::Amdgpu),
                ("[TTM] ", Driver::Ttm),
                ("[TTM DEVICE] ", Driver::Ttm),
                // Of the display core's prefixes (logger_types.h) those that nothing else has.
                ("[HW_LINK_TRAINING]:", Driver::Amdgpu),
                ("[HW_AUDIO]:", Driver::Amdgpu),
                ("[BANDWIDTH_CALCS]:", Driver::Amdgpu),
                ("[AutoDPMTest]: ", Driver::Amdgpu),
            ],
            Some(b'*') => &[("*ERROR* ", Driver::Drm)],
            // Markdown interprets the asterisks, and some programs print underscores for them.
            Some(b'_') => &[("_ERROR_ ", Driver::Drm)],
            Some(b'E') if self.driver != Driver::None => &[("ERROR ", Driver::Drm)],
            Some(b'{') => return self.take_event_number(),
            Some(b'\\' | b'#') => return self.take_line_feed(),
            _ => return false,
        };
        for (prefix, driver) in prefixes {
            if let Some(rest) = self.body.strip_prefix(prefix) {
                if *prefix == "amdgpu: " && self.named.is_some() {
                    // The name before the device is that of the driver which has it by now.
                    self.driver = Driver::Amdgpu;
                }
                self.learn(*driver);
                self.body = rest.trim_start();
                return true;
            }
        }
        self.take_function()
    }

    /// The line feed with which old messages begin, as log daemons write it.
    fn take_line_feed(&mut self) -> bool {
        let rest = [r"\x0a", "#012"].iter().find_map(|escape| self.body.strip_prefix(escape));
        let Some(rest) = rest.filter(|_| self.driver != Driver::None) else { return false };
        self.body = rest.trim_start();
        true
    }

    /// A later prefix is more specific than an earlier one, but another vendor's line remains that
    /// vendor's.
    fn learn(&mut self, driver: Driver) {
        self.driver = match (self.driver, driver) {
            (Driver::Other | Driver::Bus | Driver::Passthrough, _) => self.driver,
            (Driver::Amdgpu, Driver::Drm | Driver::Iommu | Driver::Bus) => Driver::Amdgpu,
            // Without a device before it, this is not the bus.
            (Driver::None, Driver::Bus) => Driver::None,
            (_, later) => later,
        };
    }

    /// `[drm:function]`, `[drm:function [module]]`.
    fn take_function(&mut self) -> bool {
        let Ok((rest, (function, module))) = drm_function(self.body) else { return false };
        self.function = Some(function);
        self.body = rest;
        self.learn(match module {
            Some("amdgpu") => Driver::Amdgpu,
            // A built-in driver is not named here, but its function names identify it.
            None if OTHERS_FUNCTIONS.iter().any(|prefix| function.starts_with(prefix)) => {
                Driver::Other
            }
            None if OWN_FUNCTIONS.iter().any(|prefix| function.starts_with(prefix)) => {
                Driver::Amdgpu
            }
            None | Some("drm" | "drm_kms_helper" | "gpu_sched" | "drm_display_helper") => {
                Driver::Drm
            }
            Some(_) => Driver::Other,
        });
        true
    }

    /// `drm:function amdgpu ERROR `, or `drm ` after the driver's name: copies that lost the
    /// brackets and asterisks.
    fn take_flat_function(&mut self) -> bool {
        if let Some(rest) = self.body.strip_prefix("drm ").filter(|_| self.driver != Driver::None) {
            self.body = rest.trim_start();
            return true;
        }
        if self.body.starts_with("drm ERROR :") {
            return self.take_function();
        }
        let Some((name, rest)) = self.body.strip_prefix("drm:").and_then(first_word) else {
            return false;
        };
        let Some(rest) = rest.strip_prefix("amdgpu ") else { return false };
        self.function = name.split('.').next();
        self.learn(Driver::Amdgpu);
        self.body = rest.trim_start();
        true
    }

    /// `AMD_NAVI10: ` behind a device, the chip as the module vendor-reset names it, whichever driver has the device.
    ///
    /// Source: `vr_info()` of `src/vendor-reset-dev.h`, `src/device-db.h`
    /// (github.com/gnif/vendor-reset).
    fn take_chip_to_reset(&mut self) -> bool {
        let chip = self.body.strip_prefix("AMD_").and_then(|rest| rest.split_once(": "));
        let is_name =
            |name: &str| name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit());
        let Some((_, rest)) = chip.filter(|(name, _)| self.device.is_some() && is_name(name))
        else {
            return false;
        };
        self.driver = Driver::VendorReset;
        self.body = rest.trim_start();
        true
    }

    /// What vendor-reset prints without the chip, about a device that a virtual machine gets: its
    /// requests to the power controller.
    ///
    /// Source: `smu_wait()`, `smum_send_msg_to_smc_with_parameter()` of `src/amd/common.c`
    /// (gnif/vendor-reset).
    fn take_request_of_reset(&mut self) {
        const REQUESTS: [&str; 3] =
            ["SMU error 0x", "Failed to send message 0x", "Could not reset w/ PPSMC_MSG_"];
        let is_passed_on = matches!(self.named, Some("vfio-pci" | "pci-stub"));
        if is_passed_on && REQUESTS.iter().any(|request| self.body.starts_with(request)) {
            self.driver = Driver::VendorReset;
        }
    }

    /// `{17}`, the number of a RAS event; not a level.
    fn take_event_number(&mut self) -> bool {
        let number = delimited(char('{'), digit1::<_, ()>, (char('}'), space0));
        let Ok((rest, number)) = { number }.parse(self.body) else { return false };
        // The firmware's reports (APEI) have sections that are numbered alike.
        if self.device.is_none() && rest.starts_with("[Hardware Error]:  ") {
            return false;
        }
        self.event_id = number.parse().ok();
        self.body = rest;
        true
    }

    /// `comm: NAME pid: N client-id:N client: NAME ... `, which the DRM core writes before errors
    /// of a program's calls.
    fn take_file_owner(&mut self) {
        let owned = self.body.starts_with("comm: ") && self.body.contains(" client-id:");
        if owned && let Some((_, rest)) = self.body.split_once(" ... ") {
            self.body = rest;
        }
    }
}

/// `0000:xx:00.0`: an address in which a person has replaced digits.
fn is_masked(address: &str) -> bool {
    let is_mask = |byte: u8| matches!(byte, b'x' | b'X' | b'?' | b'*');
    let domains = ["0000:", "xxxx:", "XXXX:", "????:", "****:"];
    let short = domains.iter().find_map(|domain| address.strip_prefix(domain)).unwrap_or(address);
    let &[bus, bus_low, b':', device, device_low, b'.', function] = short.as_bytes() else {
        return false;
    };
    let digits = [bus, bus_low, device, device_low, function];
    digits.into_iter().any(is_mask)
        && digits.into_iter().all(|digit| digit.is_ascii_hexdigit() || is_mask(digit))
}

/// The text before and after the first space. Three times as fast as `split_once`, which decodes
/// characters; this runs twice for each line of a driver.
fn first_word(text: &str) -> Option<(&str, &str)> {
    let blank = memchr(b' ', text.as_bytes())?;
    Some((text.get(..blank)?, text.get(blank + 1..)?))
}

/// Whether `text` may have a prefix that names a GPU driver, or one that may precede such a prefix.
/// Runs for each line of the kernel, so it checks one byte first.
#[must_use]
pub(crate) fn may_open(text: &str) -> bool {
    let text = text.trim_start();
    let begins = |leads: &[&str]| leads.iter().any(|lead| text.starts_with(lead));
    match text.as_bytes().first() {
        Some(b'a') => begins(&["amdgpu", "amdkfd: ", "amdxdna "]),
        Some(b'A') => begins(&["AMD-Vi: "]),
        Some(b'd') => begins(&["drmn", "drm:", "drm ERROR :"]),
        Some(b'p') => begins(&["pci"]),
        Some(b'k') => begins(&["kfd"]),
        Some(b'[') => begins(&[
            "[drm",
            "[TTM",
            "[powerplay] ",
            "[fglrx",
            "[HW_LINK_TRAINING]:",
            "[HW_AUDIO]:",
            "[BANDWIDTH_CALCS]:",
            "[AutoDPMTest]: ",
        ]),
        Some(b'*') => begins(&["*ERROR* "]),
        Some(b'c') => begins(&["comm: "]),
        // Only the DRM core prints this; some old kernels omit its prefix.
        Some(b'i') => begins(&["iommu ivhd", "i915 "]),
        // Drivers of other GPUs in the same machine: if one is present, lines without a device may
        // be its own.
        Some(b'f') => begins(&["fglrx"]),
        Some(b'g') => begins(&["gim "]),
        Some(b'n') => begins(&["nouveau "]),
        Some(b'r') => begins(&["radeon "]),
        Some(b'v') => begins(&["vfio-pci "]),
        Some(b'x') => begins(&["xe "]),
        Some(b'I') => begins(&["Initialized amdgpu "]),
        Some(b'{') => true,
        _ => false,
    }
}

/// The function and the module of `[drm:function.isra.0 [module version]] `, and of FreeBSD's
/// `[drm ERROR :function] `, of which a title may have lost the first bracket.
///
/// Source: `__drm_printk()` and `drm_dev_printk()` of `drivers/gpu/drm/drm_print.c` print the
/// caller with `%ps`, which adds the module; compilers add suffixes.
fn drm_function(text: &str) -> IResult<&str, (&str, Option<&str>), ()> {
    let name = || take_while1(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let suffix = take_while(|c: char| !matches!(c, ' ' | ']'));
    let version = take_while(|c: char| c != ']');
    let module = delimited(tag(" ["), name(), (version, char(']')));
    let (text, found) = delimited(
        alt((tag("[drm:"), tag("[drm ERROR :"), tag("drm ERROR :"))),
        (terminated(name(), suffix), opt(module)),
        char(']'),
    )
    .parse(text)?;
    let (text, _) = space0(text)?;
    Ok((text, found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_generation_of_prefix_is_taken_off() {
        let bdf = "0000:03:00.0";
        for (text, driver, device) in [
            ("amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", Driver::Amdgpu, true),
            ("amdgpu 0000:03:00.0: GPU reset begin!", Driver::Amdgpu, true),
            ("amdgpu 0000:03:00.0: [drm] *ERROR* GPU reset begin!", Driver::Amdgpu, true),
            (
                "amdgpu 0000:03:00.0: [drm:gfx_v11_0_x [amdgpu]] *ERROR* GPU reset begin!",
                Driver::Amdgpu,
                true,
            ),
            (
                "[drm:amdgpu_job_timedout.isra.0 [amdgpu]] *ERROR* GPU reset begin!",
                Driver::Amdgpu,
                false,
            ),
            ("[drm:amdgpu_job_timedout] *ERROR* GPU reset begin!", Driver::Amdgpu, false),
            ("amdgpu: GPU reset begin!", Driver::Amdgpu, false),
            ("amdgpu 0000:03:00: GPU reset begin!", Driver::Amdgpu, true),
            ("kfd kfd: amdgpu: GPU reset begin!", Driver::Amdgpu, false),
            ("kfd kfd: GPU reset begin!", Driver::Amdgpu, false),
            ("amdgpu: [powerplay] GPU reset begin!", Driver::Amdgpu, false),
            ("amdgpu:\n GPU reset begin!", Driver::Amdgpu, false),
            ("amdgpu: [powerplay]\n GPU reset begin!", Driver::Amdgpu, false),
            ("[drm] GPU reset begin!", Driver::Drm, false),
            ("[TTM] GPU reset begin!", Driver::Ttm, false),
            ("amdgpu 0000:03:00.0: {17}GPU reset begin!", Driver::Amdgpu, true),
            (
                "amdgpu 0000:03:00.0: [drm] *ERROR* comm: a b pid: 77 client-id:5 client: Unset ... GPU reset begin!",
                Driver::Amdgpu,
                true,
            ),
            ("amdgpu 0000:03:00.0: amdgpu: drm GPU reset begin!", Driver::Amdgpu, true),
            ("drmn0: GPU reset begin!", Driver::Drm, false),
            ("drm:amdgpu_job_timedout.isra.0 amdgpu ERROR GPU reset begin!", Driver::Amdgpu, false),
            ("drm ERROR :amdgpu_job_timedout] GPU reset begin!", Driver::Amdgpu, false),
            ("[drm ERROR :amdgpu_job_timedout] GPU reset begin!", Driver::Amdgpu, false),
            ("drmn1: amdgpu: GPU reset begin!", Driver::Amdgpu, false),
            ("drmn0: [drm:amdgpu_job_timedout] *ERROR* GPU reset begin!", Driver::Amdgpu, false),
            (r"amdgpu 0000:03:00.0: amdgpu: \x0aGPU reset begin!", Driver::Amdgpu, true),
            ("amdgpu: [powerplay] #012 GPU reset begin!", Driver::Amdgpu, false),
            ("AMD-Vi: GPU reset begin!", Driver::Iommu, false),
            ("iommu ivhd1: AMD-Vi: GPU reset begin!", Driver::Iommu, false),
            ("amdgpu 0000:03:00.0: AMD-Vi: GPU reset begin!", Driver::Amdgpu, true),
            ("nvme 0000:00:02.0: AMD-Vi: GPU reset begin!", Driver::Other, true),
            ("pcieport 0000:00:02.0: GPU reset begin!", Driver::Bus, true),
            ("i915 0000:00:02.0: [drm] GPU reset begin!", Driver::Other, true),
            ("[drm:nv_drm_x [nvidia_drm]] *ERROR* GPU reset begin!", Driver::Other, false),
            ("[drm:intel_cpu_fifo_underrun] *ERROR* GPU reset begin!", Driver::Other, false),
            ("vfio-pci 0000:03:00.0: AMD_NAVI10: GPU reset begin!", Driver::VendorReset, true),
            ("vfio-pci 0000:03:00.0: amdgpu: GPU reset begin!", Driver::Amdgpu, true),
            ("amdgpu 0000:03:00.0: AMD_VEGA20: GPU reset begin!", Driver::VendorReset, true),
        ] {
            let found = Envelope::open(text);
            assert_eq!(found.body, "GPU reset begin!", "{text}");
            assert_eq!(found.driver, driver, "{text}");
            assert_eq!(found.device, device.then(|| bdf_or(text, bdf)), "{text}");
        }
    }

    /// What vendor-reset asks the power controller has no name of the chip.
    #[test]
    fn requests_of_vendor_reset_are_known_by_their_words() {
        for (text, driver) in [
            ("vfio-pci 0000:21:00.0: SMU error 0x0", Driver::VendorReset),
            ("vfio-pci 0000:21:00.0: Failed to send message 0x6: return 0x0", Driver::VendorReset),
            ("vfio-pci 0000:21:00.0: enabling device (0000 -> 0003)", Driver::Passthrough),
            ("mpt3sas 0000:21:00.0: Failed to send message 0x6: return 0x0", Driver::Other),
        ] {
            assert_eq!(Envelope::open(text).driver, driver, "{text}");
        }
    }

    fn bdf_or(text: &str, bdf: &str) -> PciAddress {
        let address = if text.contains("0000:00:02.0") { "0000:00:02.0" } else { bdf };
        address.parse().unwrap()
    }

    #[test]
    fn an_address_of_which_digits_are_masked_names_no_device() {
        for text in [
            "amdgpu 0000:xx:00.0: GPU reset begin!",
            "amdgpu XX:XX.X: amdgpu: GPU reset begin!",
            "amdgpu XXXX:XX:XX.X: amdgpu: GPU reset begin!",
        ] {
            let envelope = Envelope::open(text);
            assert_eq!(envelope.driver, Driver::Amdgpu, "{text}");
            assert_eq!((envelope.device, envelope.body), (None, "GPU reset begin!"), "{text}");
        }
        for text in ["amdgpu 0000:<bus>:00.0: GPU reset begin!", "nvme 0000:xx:00.0: gone"] {
            assert_eq!(Envelope::open(text).body, text);
        }
    }

    #[test]
    fn text_without_prefix_stays_as_it_is() {
        for text in [
            "Linux version 6.8.0",
            "INFO: task a:1 blocked",
            "usb 1-2: new device",
            "",
            "{",
            "[drm:",
        ] {
            let found = Envelope::open(text);
            assert_eq!((found.body, found.driver, found.device), (text, Driver::None, None));
        }
    }
}
