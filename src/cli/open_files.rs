//! How many files may be open at once: of many logs, each is kept in one of its own.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than anybody gives at once.
const MOST: u64 = 65_536;

/// Allows as many as the system lets this process have. Where that is not more, a file too many is told as such.
pub(super) fn allow_many() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(MOST, |maximum| maximum.min(MOST));
    if current.is_some_and(|current| current < wanted) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}
