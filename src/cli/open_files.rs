//! The limit on open files: each of many logs is kept in a file.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Maximum number of open files to request.
const MOST: u64 = 65_536;

/// Raises the limit as far as the system allows. If that is not sufficient, opening fails with an
/// error.
pub(super) fn allow_many() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MOST, |maximum| maximum.min(MOST));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
