//! The level of a message.

use super::words::words;

words! {
    /// The kernel's eight levels, 0 to 7 as in `include/linux/kern_levels.h`.
    pub Level {
        /// Emergency: the system is unusable.
        Emergency,
        /// Alert: action is needed immediately.
        Alert,
        /// Critical.
        Critical,
        /// An error.
        Error,
        /// A warning.
        Warning,
        /// Normal but worth noting.
        Notice,
        /// Information.
        Info,
        /// Debugging output.
        Debug,
    }
}
