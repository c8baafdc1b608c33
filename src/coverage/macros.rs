//! The functions and macros with which the kernel prints: the level of each, and which argument is
//! the format.
//!
//! The table contains what is defined outside the directories that are read
//! (`include/linux/printk.h`, `dev_printk.h`, `include/drm/drm_print.h`), and functions, which
//! cannot be expanded. Macros that a tree defines with these are found by expansion; the last part
//! of the table is for trees without their headers.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::value::Level;

/// The level of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loudness {
    /// A fixed level.
    Known(Level),
    /// Unknown: a variable decides.
    Unknown,
    /// The level of the line that it continues.
    Continues,
}

impl Loudness {
    /// Whether it can be a warning or worse.
    pub(crate) fn may_be_warning(self) -> bool {
        match self {
            Self::Known(level) => level <= Level::Warning,
            Self::Unknown => true,
            Self::Continues => false,
        }
    }
}

/// How a call's level is determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loud {
    /// By its name.
    Always(Loudness),
    /// By the `KERN_…` before its format; the default is a warning.
    InFormat,
    /// By this argument.
    Argument(usize),
}

/// A function or macro that prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prints {
    /// How its level is determined.
    pub loud: Loud,
    /// The index of the format argument, from 0.
    pub format: usize,
    /// Whether that argument is a condition, whose source text is printed.
    pub is_condition: bool,
    /// The macro with which the file may add a prefix to the format.
    pub prefix: Option<&'static str>,
}

const fn always(level: Level) -> Loud {
    Loud::Always(Loudness::Known(level))
}

/// Level, index of the format argument, and names. Each name also exists with one of [`SUFFIXES`].
/// Includes functions that print their arguments (`amdgpu_ras.c`, `amdgpu_dm`) and macros of the
/// driver's own headers (`RAS_EVENT_LOG`, `PP_…`, `DC_…`, `dm_…`).
const TABLE: &[(Loud, usize, &str)] = &[
    (always(Level::Emergency), 0, "pr_emerg panic"),
    (always(Level::Emergency), 1, "dev_emerg pci_emerg drm_emerg"),
    (always(Level::Alert), 0, "pr_alert"),
    (always(Level::Alert), 1, "dev_alert"),
    (always(Level::Critical), 0, "pr_crit"),
    (always(Level::Critical), 1, "dev_crit"),
    (always(Level::Error), 0, "pr_err DRM_ERROR __drm_err dm_error DC_ERR DC_LOG_ERROR"),
    (always(Level::Error), 1, "dev_err pci_err DRM_DEV_ERROR drm_err drm_file_err"),
    (always(Level::Error), 2, "dev_err_probe"),
    (always(Level::Warning), 0, "pr_warn pr_warning DRM_WARN DC_LOG_WARNING"),
    (
        always(Level::Warning),
        1,
        "dev_warn pci_warn WARN WARN_RATELIMIT dev_WARN drm_WARN_ON drm_warn \
         PP_ASSERT_WITH_CODE PP_ASSERT",
    ),
    (always(Level::Warning), 2, "dev_warn_probe WARN_TAINT dev_WARN_ONCE drm_WARN"),
    (always(Level::Notice), 0, "pr_notice DRM_NOTE"),
    (always(Level::Notice), 1, "dev_notice pci_notice drm_notice"),
    (always(Level::Info), 0, "pr_info DRM_INFO"),
    (always(Level::Info), 1, "dev_info pci_info DRM_DEV_INFO drm_info"),
    (always(Level::Info), 2, "amdgpu_ras_event_log_print amdgpu_ras_log RAS_EVENT_LOG"),
    (
        always(Level::Debug),
        0,
        "pr_debug pr_devel DRM_DEBUG DRM_DEBUG_DRIVER DRM_DEBUG_KMS DRM_DEBUG_PRIME \
         DRM_DEBUG_ATOMIC DRM_DEBUG_VBL DRM_DEBUG_LEASE DRM_DEBUG_DP PP_DBG_LOG \
         dm_output_to_console",
    ),
    (
        always(Level::Debug),
        1,
        "dev_dbg dev_vdbg pci_dbg DRM_DEV_DEBUG DRM_DEV_DEBUG_DRIVER DRM_DEV_DEBUG_KMS \
         drm_dbg drm_dbg_core drm_dbg_driver drm_dbg_kms drm_dbg_prime drm_dbg_atomic \
         drm_dbg_vbl drm_dbg_state drm_dbg_lease drm_dbg_dp drm_dbg_drmres",
    ),
    (Loud::Always(Loudness::Continues), 0, "pr_cont"),
    (Loud::InFormat, 0, "printk printk_deferred"),
    (Loud::Argument(0), 2, "dev_printk"),
    (Loud::Argument(1), 2, "drm_dev_printk"),
];

/// [`TABLE`] by name.
static BY_NAME: LazyLock<HashMap<&str, (Loud, usize)>> = LazyLock::new(|| {
    let named = |&(loud, format, names): &(Loud, usize, &'static str)| {
        names.split(' ').map(move |name| (name, (loud, format)))
    };
    TABLE.iter().flat_map(named).collect()
});

const SUFFIXES: [&str; 4] = ["_once", "_ratelimited", "_ONCE", "_RATELIMITED"];

/// How `name` prints, if it is known to print.
pub(crate) fn prints(name: &str) -> Option<Prints> {
    let bare = || SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    let found = BY_NAME.get(name).or_else(|| BY_NAME.get(bare()?));
    let Some(&(loud, format)) = found else {
        // One for each part of the display code; all but two are debug output.
        let display = name.strip_prefix("DC_LOG_").filter(|part| !part.is_empty());
        let loud = always(Level::Debug);
        return display.map(|_| Prints { loud, format: 0, is_condition: false, prefix: None });
    };
    let prefix = match name.split_once('_') {
        Some(("pr", _)) => Some("pr_fmt"),
        Some(("dev", _)) => Some("dev_fmt"),
        _ => None,
    };
    let is_condition = matches!(name, "drm_WARN_ON" | "drm_WARN_ON_ONCE");
    Some(Prints { loud, format, is_condition, prefix })
}

/// Macros with lower-case names that occur in conditions whose text is printed.
const LOWER_CASE: [&str; 5] =
    ["check_add_overflow", "check_sub_overflow", "hweight8", "hweight32", "hweight64"];

/// Whether the preprocessor may replace `name` in a condition: names in capitals are macros, or
/// constants of an enum, which are printed as they are.
pub(crate) fn is_replaced(name: &str) -> bool {
    let is_capital = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    is_capital || LOWER_CASE.contains(&name)
}

/// The level of a `KERN_…` macro; `None` if `name` is not one.
pub(crate) fn level(name: &str) -> Option<Loudness> {
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

/// The text of macros that occur between string literals and are defined outside the directories
/// that are read.
pub(crate) fn constant(name: &str) -> Option<&'static str> {
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
            ("dev_err", always(Level::Error), 1, Some("dev_fmt")),
            ("dev_err_ratelimited", always(Level::Error), 1, Some("dev_fmt")),
            ("pr_warn_once", always(Level::Warning), 0, Some("pr_fmt")),
            ("WARN_ONCE", always(Level::Warning), 1, None),
            ("dev_WARN_ONCE", always(Level::Warning), 2, Some("dev_fmt")),
            ("drm_WARN_ONCE", always(Level::Warning), 2, None),
            ("DRM_ERROR_RATELIMITED", always(Level::Error), 0, None),
            ("DRM_DEV_ERROR", always(Level::Error), 1, None),
            ("DC_LOG_WARNING", always(Level::Warning), 0, None),
            ("DC_LOG_HW_HOTPLUG", always(Level::Debug), 0, None),
            ("printk", Loud::InFormat, 0, None),
            ("WARN", always(Level::Warning), 1, None),
        ] {
            let want = Prints { loud, format, is_condition: false, prefix };
            assert_eq!(prints(name), Some(want), "{name}");
        }
        for name in ["WARN_ON", "drm_printf", "printk_ratelimit", "dev_name", "DC_LOG_", "once"] {
            assert_eq!(prints(name), None, "{name}");
        }
    }
}
