//! Who asked for a GPU reset, in words.

use crate::value::ResetSource;

/// Whether a reset source stands for a hang.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The driver found that work or firmware does not go on.
    Hang,
    /// The hardware reported an error in its memory or logic.
    HardwareError,
    /// A person or a tool asked for it.
    Request,
    /// The number does not tell.
    Untold,
}

/// What lies behind a source, by its callers in the driver.
///
/// Source: `AMDGPU_RESET_SRCS` in `amdgpu_reset.h` and the places that set it.
#[must_use]
pub const fn cause(source: ResetSource) -> Cause {
    match source {
        ResetSource::Unknown => Cause::Untold,
        ResetSource::Job | ResetSource::Mes | ResetSource::Hws | ResetSource::UserQueue => {
            Cause::Hang
        }
        ResetSource::Ras => Cause::HardwareError,
        ResetSource::User => Cause::Request,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_source_5_is_a_request() {
        for number in 0..=6 {
            let source = ResetSource::from_number(number).unwrap();
            assert_eq!(cause(source) == Cause::Request, number == 5, "{number}");
            assert_eq!(source.because().contains("debugfs"), number == 5, "{number}");
        }
    }
}
