//! What the kernel prints with: macros and functions by name, how loud each is, and which argument
//! is the format.
//!
//! Here stands what is defined outside the folders that are read (`include/linux/printk.h`,
//! `dev_printk.h`, `include/drm/drm_print.h`), and what cannot be followed because a function does
//! it. A macro that a tree defines by means of these is followed through its definition; the last
//! part of the table is for trees from which the headers were left out.

use crate::value::Level;

/// How loud a call is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loudness {
    /// This loud.
    Known(Level),
    /// Nobody can tell from the call: a variable says it.
    Unknown,
    /// As loud as the line that it goes on with.
    Continues,
}

impl Loudness {
    /// Whether this can be a warning or worse.
    #[must_use]
    pub fn may_be_warning(self) -> bool {
        match self {
            Self::Known(level) => level <= Level::Warning,
            Self::Unknown => true,
            Self::Continues => false,
        }
    }
}

/// Where a call's level comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loud {
    /// From its name.
    Always(Loudness),
    /// From the `KERN_…` before its format; without one the kernel warns.
    InFormat,
    /// From this argument.
    Argument(usize),
}

/// Something that prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prints {
    /// Where its level comes from.
    pub loud: Loud,
    /// Which argument is the format, counted from 0.
    pub format: usize,
    /// Whether that argument is a condition instead, which is printed as it is written.
    pub is_condition: bool,
    /// The macro that the file may define to put something before the format.
    pub prefix: Option<&'static str>,
}

const EMERGENCY: Loud = Loud::Always(Loudness::Known(Level::Emergency));
const ALERT: Loud = Loud::Always(Loudness::Known(Level::Alert));
const CRITICAL: Loud = Loud::Always(Loudness::Known(Level::Critical));
const ERROR: Loud = Loud::Always(Loudness::Known(Level::Error));
const WARNING: Loud = Loud::Always(Loudness::Known(Level::Warning));
const NOTICE: Loud = Loud::Always(Loudness::Known(Level::Notice));
const INFO: Loud = Loud::Always(Loudness::Known(Level::Info));
const DEBUG: Loud = Loud::Always(Loudness::Known(Level::Debug));
const CONTINUES: Loud = Loud::Always(Loudness::Continues);

/// Each of these also exists with one of [`SUFFIXES`].
const TABLE: &[(&str, Loud, usize)] = &[
    ("printk", Loud::InFormat, 0),
    ("printk_deferred", Loud::InFormat, 0),
    ("pr_emerg", EMERGENCY, 0),
    ("pr_alert", ALERT, 0),
    ("pr_crit", CRITICAL, 0),
    ("pr_err", ERROR, 0),
    ("pr_warn", WARNING, 0),
    ("pr_warning", WARNING, 0),
    ("pr_notice", NOTICE, 0),
    ("pr_info", INFO, 0),
    ("pr_debug", DEBUG, 0),
    ("pr_devel", DEBUG, 0),
    ("pr_cont", CONTINUES, 0),
    ("dev_emerg", EMERGENCY, 1),
    ("dev_alert", ALERT, 1),
    ("dev_crit", CRITICAL, 1),
    ("dev_err", ERROR, 1),
    ("dev_err_probe", ERROR, 2),
    ("dev_warn", WARNING, 1),
    ("dev_warn_probe", WARNING, 2),
    ("dev_notice", NOTICE, 1),
    ("dev_info", INFO, 1),
    ("dev_dbg", DEBUG, 1),
    ("dev_vdbg", DEBUG, 1),
    ("dev_printk", Loud::Argument(0), 2),
    ("pci_emerg", EMERGENCY, 1),
    ("pci_err", ERROR, 1),
    ("pci_warn", WARNING, 1),
    ("pci_notice", NOTICE, 1),
    ("pci_info", INFO, 1),
    ("pci_dbg", DEBUG, 1),
    ("WARN", WARNING, 1),
    ("WARN_RATELIMIT", WARNING, 1),
    ("WARN_TAINT", WARNING, 2),
    ("dev_WARN", WARNING, 1),
    ("dev_WARN_ONCE", WARNING, 2),
    ("drm_WARN", WARNING, 2),
    ("drm_WARN_ON", WARNING, 1),
    ("panic", EMERGENCY, 0),
    ("DRM_ERROR", ERROR, 0),
    ("DRM_WARN", WARNING, 0),
    ("DRM_NOTE", NOTICE, 0),
    ("DRM_INFO", INFO, 0),
    ("DRM_DEBUG", DEBUG, 0),
    ("DRM_DEBUG_DRIVER", DEBUG, 0),
    ("DRM_DEBUG_KMS", DEBUG, 0),
    ("DRM_DEBUG_PRIME", DEBUG, 0),
    ("DRM_DEBUG_ATOMIC", DEBUG, 0),
    ("DRM_DEBUG_VBL", DEBUG, 0),
    ("DRM_DEBUG_LEASE", DEBUG, 0),
    ("DRM_DEBUG_DP", DEBUG, 0),
    ("DRM_DEV_ERROR", ERROR, 1),
    ("DRM_DEV_INFO", INFO, 1),
    ("DRM_DEV_DEBUG", DEBUG, 1),
    ("DRM_DEV_DEBUG_DRIVER", DEBUG, 1),
    ("DRM_DEV_DEBUG_KMS", DEBUG, 1),
    ("drm_emerg", EMERGENCY, 1),
    ("drm_err", ERROR, 1),
    ("drm_file_err", ERROR, 1),
    ("drm_warn", WARNING, 1),
    ("drm_notice", NOTICE, 1),
    ("drm_info", INFO, 1),
    ("drm_dbg", DEBUG, 1),
    ("drm_dbg_core", DEBUG, 1),
    ("drm_dbg_driver", DEBUG, 1),
    ("drm_dbg_kms", DEBUG, 1),
    ("drm_dbg_prime", DEBUG, 1),
    ("drm_dbg_atomic", DEBUG, 1),
    ("drm_dbg_vbl", DEBUG, 1),
    ("drm_dbg_state", DEBUG, 1),
    ("drm_dbg_lease", DEBUG, 1),
    ("drm_dbg_dp", DEBUG, 1),
    ("drm_dbg_drmres", DEBUG, 1),
    ("drm_dev_printk", Loud::Argument(1), 2),
    ("__drm_err", ERROR, 0),
    // Functions that print what they are given: amdgpu_ras.c, amdgpu_dm.
    ("amdgpu_ras_event_log_print", INFO, 2),
    ("amdgpu_ras_log", INFO, 2),
    // Defined in the driver's own headers.
    ("RAS_EVENT_LOG", INFO, 2),
    ("PP_ASSERT_WITH_CODE", WARNING, 1),
    ("PP_ASSERT", WARNING, 1),
    ("PP_DBG_LOG", DEBUG, 0),
    ("dm_error", ERROR, 0),
    ("dm_output_to_console", DEBUG, 0),
    ("DC_ERR", ERROR, 0),
    ("DC_LOG_ERROR", ERROR, 0),
    ("DC_LOG_WARNING", WARNING, 0),
];

const SUFFIXES: [&str; 4] = ["_once", "_ratelimited", "_ONCE", "_RATELIMITED"];

/// What `name` prints, if that is known.
#[must_use]
pub fn prints(name: &str) -> Option<Prints> {
    let exact = |name: &str| TABLE.iter().find(|(known, ..)| *known == name);
    let bare = || SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    let found = exact(name).or_else(|| exact(bare()?));
    if let Some(&(_, loud, format)) = found {
        let prefix = match name.split('_').next() {
            Some("pr") => Some("pr_fmt"),
            Some("dev") => Some("dev_fmt"),
            _ => None,
        };
        let is_condition = matches!(name, "drm_WARN_ON" | "drm_WARN_ON_ONCE");
        return Some(Prints { loud, format, is_condition, prefix });
    }
    // One for each part of the display code; all but two are for its developers.
    let display = name.strip_prefix("DC_LOG_")?;
    let prints = Prints { loud: DEBUG, format: 0, is_condition: false, prefix: None };
    (!display.is_empty()).then_some(prints)
}

/// The level that a `KERN_…` stands for; `None` where `name` is no such word.
#[must_use]
pub fn level(name: &str) -> Option<Loudness> {
    Some(Loudness::Known(match name {
        "KERN_EMERG" => Level::Emergency,
        "KERN_ALERT" => Level::Alert,
        "KERN_CRIT" => Level::Critical,
        "KERN_ERR" => Level::Error,
        "KERN_WARNING" | "KERN_DEFAULT" => Level::Warning,
        "KERN_NOTICE" => Level::Notice,
        "KERN_INFO" => Level::Info,
        "KERN_DEBUG" => Level::Debug,
        "KERN_CONT" => return Some(Loudness::Continues),
        _ => return None,
    }))
}

/// The text of macros that stand between string literals and are defined outside the folders that
/// are read.
#[must_use]
pub fn constant(name: &str) -> Option<&'static str> {
    Some(match name {
        "PRIu8" | "PRIu16" | "PRIu32" => "u",
        "PRId8" | "PRId16" | "PRId32" => "d",
        "PRIx8" | "PRIx16" | "PRIx32" => "x",
        "PRIX8" | "PRIX16" | "PRIX32" => "X",
        "PRIu64" => "llu",
        "PRId64" => "lld",
        "PRIx64" => "llx",
        "PRIX64" => "llX",
        "FW_BUG" => "[Firmware Bug]: ",
        "FW_WARN" => "[Firmware Warn]: ",
        "FW_INFO" => "[Firmware Info]: ",
        "HW_ERR" => "[Hardware Error]: ",
        "DRM_MODE_FMT" => "\"%s\": %d %d %d %d %d %d %d %d %d %d 0x%x 0x%x",
        "DRM_RECT_FMT" => "%dx%d%+d%+d",
        "DRM_RECT_FP_FMT" => "%d.%06ux%d.%06u%+d.%06u%+d.%06u",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_level_and_format() {
        for (name, loud, format, prefix) in [
            ("dev_err", ERROR, 1, Some("dev_fmt")),
            ("dev_err_ratelimited", ERROR, 1, Some("dev_fmt")),
            ("pr_warn_once", WARNING, 0, Some("pr_fmt")),
            ("WARN_ONCE", WARNING, 1, None),
            ("dev_WARN_ONCE", WARNING, 2, Some("dev_fmt")),
            ("drm_WARN_ONCE", WARNING, 2, None),
            ("DRM_ERROR_RATELIMITED", ERROR, 0, None),
            ("DRM_DEV_ERROR", ERROR, 1, None),
            ("DC_LOG_WARNING", WARNING, 0, None),
            ("DC_LOG_HW_HOTPLUG", DEBUG, 0, None),
            ("printk", Loud::InFormat, 0, None),
            ("WARN", WARNING, 1, None),
        ] {
            let want = Prints { loud, format, is_condition: false, prefix };
            assert_eq!(prints(name), Some(want), "{name}");
        }
        for name in ["WARN_ON", "drm_printf", "printk_ratelimit", "dev_name", "DC_LOG_", "once"] {
            assert_eq!(prints(name), None, "{name}");
        }
    }
}
