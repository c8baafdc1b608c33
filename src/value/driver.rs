//! The driver's enumerations, as it prints them. The sets are closed; a number without a name in
//! any checked kernel stays a number.

use std::fmt;

use super::text::Text;
use super::words::words;

words! {
    /// Discrete card or part of a processor. These differ in reset method, memory and power.
    pub DeviceKind {
        /// A card with its own memory.
        Dgpu,
        /// Part of a processor (APU) that uses system memory.
        Apu,
    }
}

/// The translation hub that reported a page fault: graphics and compute, or multimedia and display.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
pub(crate) enum Hub {
    /// `gfxhub`: shaders, command processors and, from gfx10 on, the copy engines.
    #[serde(rename = "gfxhub")]
    Gfx,
    /// `mmhub`: video, display and, up to gfx9, the copy engines.
    #[serde(rename = "mmhub")]
    Mm,
}

impl Hub {
    /// Parses `gfxhub`, `gfxhub0`, `mmhub1` …; the instance number is dropped.
    pub(crate) fn read(text: &str) -> Option<Self> {
        match text.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "gfxhub" => Some(Self::Gfx),
            "mmhub" => Some(Self::Mm),
            _ => None,
        }
    }
}

impl Hub {
    /// All words.
    pub(crate) const fn names() -> &'static [&'static str] {
        &["gfxhub", "mmhub"]
    }
}

impl fmt::Display for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gfx => "gfxhub",
            Self::Mm => "mmhub",
        })
    }
}

/// What the driver asked the scheduler firmware (MES) to do.
///
/// Source: `mes_v11_api_def.h`, `mes_v12_api_def.h`, `mes_api_def.h`; the numbers are the same in
/// all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MesOpcode {
    /// A number with a name.
    Known(&'static str),
    /// A number that no checked kernel names.
    Number(u32),
}

/// Names by number.
const MES_OPCODES: [&str; 21] = [
    "SET_HW_RSRC",
    "SET_SCHEDULING_CONFIG",
    "ADD_QUEUE",
    "REMOVE_QUEUE",
    "PERFORM_YIELD",
    "SET_GANG_PRIORITY_LEVEL",
    "SUSPEND",
    "RESUME",
    "RESET",
    "SET_LOG_BUFFER",
    "CHANGE_GANG_PRORITY",
    "QUERY_SCHEDULER_STATUS",
    "PROGRAM_GDS",
    "SET_DEBUG_VMID",
    "MISC",
    "UPDATE_ROOT_PAGE_TABLE",
    "AMD_LOG",
    "SET_SE_MODE",
    "SET_GANG_SUBMIT",
    "SET_HW_RSRC_1",
    "INVALIDATE_TLBS",
];

impl MesOpcode {
    /// Parses the name that kernels since 6.10 print, or the number that older ones do.
    pub(crate) fn read(text: &str) -> Option<Self> {
        if let Ok(number) = text.parse::<u32>() {
            let known = usize::try_from(number).ok().and_then(|n| MES_OPCODES.get(n));
            return Some(known.map_or(Self::Number(number), |name| Self::Known(name)));
        }
        MES_OPCODES.iter().find(|name| **name == text).map(|name| Self::Known(name))
    }

    /// All names, for checking pattern files.
    pub(crate) const fn names() -> &'static [&'static str] {
        &MES_OPCODES
    }
}

impl fmt::Display for MesOpcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(name) => f.write_str(name),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

words! {
    /// Who asked for a GPU reset: `enum AMDGPU_RESET_SRCS` of `amdgpu_reset.h`, printed since 6.18.
    /// The enumeration was only extended at its end, so a number means the same in every kernel.
    #[derive(strum::FromRepr)]
    #[repr(u32)]
    pub(crate) ResetSource {
        /// 0: the caller did not say (PCI error handling, SR-IOV, sysfs).
        Unknown = 0,
        /// 1: a job did not finish in time.
        Job = 1,
        /// 2: recovery from a hardware memory error.
        Ras = 2,
        /// 3: the compute driver, because MES did not answer.
        Mes = 3,
        /// 4: the compute driver, because the hardware scheduler did not answer.
        Hws = 4,
        /// 5: somebody read `amdgpu_gpu_recover` in debugfs.
        User = 5,
        /// 6: a user queue hung.
        UserQueue = 6,
    }
}

impl ResetSource {
    /// The reason for the reset, as a clause after "because": `a job did not finish in time`.
    pub(crate) const fn because(self) -> &'static str {
        match self {
            Self::Unknown => {
                "some part of the driver asked for it without saying why, such as PCI error handling"
            }
            Self::Job => "a job did not finish in time",
            Self::Ras => "the hardware reported a memory error that cannot be corrected",
            Self::Mes => "the compute driver got no answer from MES, the scheduler firmware",
            Self::Hws => "the compute driver got no answer from the hardware scheduler",
            Self::User => {
                "a person or tool asked for it (Source 5: somebody read amdgpu_gpu_recover in debugfs)"
            }
            Self::UserQueue => "a queue that a program feeds by itself did not go on",
        }
    }
}

words! {
    /// How the hardware is reset: `enum amd_reset_method`.
    pub(crate) ResetMethod in "UPPERCASE" {
        /// The whole chip through PSP or SMU; video memory is lost.
        Mode1,
        /// Graphics and copy engines only; memory is kept. Usual on APUs.
        Mode2,
        /// Bus active, chip off: the chip is powered down and up again.
        Baco,
        /// A PCI function reset.
        Pci,
        /// The link is reset (6.16 and later).
        Link,
    }
}

words! {
    /// Which queue or register request the scheduler firmware failed, named by the line that
    /// follows its silence.
    pub(crate) UnmapRequest {
        /// A queue of the kernel driver could not be detached.
        UnmapLegacyQueue,
        /// A compute queue could not be added.
        AddQueue,
        /// A compute queue could not be removed.
        RemoveQueue,
        /// Queues could not be suspended.
        Suspend,
        /// Queues could not be resumed.
        Resume,
        /// A queue could not be reset.
        ResetQueue,
        /// A register could not be written and waited for (TLB flush, HDP flush).
        RegisterWait,
    }
}

words! {
    /// The engine that a ring feeds.
    pub(crate) RingKind {
        /// Graphics.
        Graphics,
        /// Compute.
        Compute,
        /// Copy engine.
        Sdma,
        /// Video decoding and encoding (VCN, UVD, VCE).
        Video,
        /// JPEG decoding.
        Jpeg,
        /// Video processing.
        Vpe,
        /// The driver's own control queue or the scheduler firmware's.
        Control,
        /// A name that none of these fits.
        Other,
    }
}

/// A ring as the driver names it: `gfx_0.0.0`, `comp_1.0.0`, `sdma0`, `vcn_unified_0`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ring(pub Text);

impl Ring {
    /// The engine behind the ring, from the prefix of its name.
    pub(crate) fn kind(&self) -> RingKind {
        let prefixes = [
            ("gfx", RingKind::Graphics),
            ("comp", RingKind::Compute),
            ("sdma", RingKind::Sdma),
            ("page", RingKind::Sdma),
            ("jpeg", RingKind::Jpeg),
            ("vcn", RingKind::Video),
            ("uvd", RingKind::Video),
            ("vce", RingKind::Video),
            ("vpe", RingKind::Vpe),
            ("kiq", RingKind::Control),
            ("mes", RingKind::Control),
        ];
        let found = prefixes.iter().find(|(prefix, _)| self.0.starts_with(prefix));
        found.map_or(RingKind::Other, |(_, kind)| *kind)
    }
}

impl fmt::Display for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_opcode_is_the_same_by_name_and_by_number() {
        assert_eq!(MesOpcode::read("3"), MesOpcode::read("REMOVE_QUEUE"));
        assert_eq!(MesOpcode::read("14").unwrap().to_string(), "MISC");
        assert_eq!(MesOpcode::read("99"), Some(MesOpcode::Number(99)));
        assert_eq!(MesOpcode::read("NONSENSE"), None);
    }

    #[test]
    fn a_reset_source_keeps_its_number() {
        for number in 0..=6 {
            assert_eq!(ResetSource::from_repr(number).unwrap() as u32, number);
        }
        assert_eq!(ResetSource::from_repr(7), None);
    }

    #[test]
    fn rings_name_their_engine() {
        for (ring, kind) in [
            ("gfx_0.0.0", RingKind::Graphics),
            ("comp_1.0.0", RingKind::Compute),
            ("sdma0", RingKind::Sdma),
            ("vcn_unified_0", RingKind::Video),
            ("mes_kiq_3.1.0", RingKind::Control),
            ("cper", RingKind::Other),
        ] {
            assert_eq!(Ring(ring.into()).kind(), kind, "{ring}");
        }
    }
}
