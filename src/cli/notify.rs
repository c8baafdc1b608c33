//! What a service manager is told: that the program is ready, what it does, and that it ends
//! (`sd_notify(3)`).

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The socket that a service manager listens on, if there is one.
#[derive(Debug)]
pub(super) struct Manager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// Whether it wants to hear again and again that the program is alive.
    watches: bool,
}

impl Manager {
    /// The one that `NOTIFY_SOCKET` names; `watches` says whether it has set `WATCHDOG_USEC`.
    pub(super) fn new(socket: Option<&str>, watches: bool) -> Self {
        let socket = socket.and_then(|name| {
            // A name that begins with @ is no file.
            let address = match name.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name).ok()?,
                None => SocketAddr::from_pathname(name).ok()?,
            };
            Some((UnixDatagram::unbound().ok()?, address))
        });
        Self { socket, watches }
    }

    /// Tells one that wants to hear it that the program is alive.
    pub(super) fn is_alive(&self) {
        if self.watches {
            self.tell("WATCHDOG=1");
        }
    }

    /// Tells it something: `READY=1`, `STATUS=…`, `STOPPING=1`.
    pub(super) fn tell(&self, state: &str) {
        if let Some((socket, address)) = &self.socket {
            // A manager that does not listen is no reason to stop.
            let _ = socket.send_to_addr(state.as_bytes(), address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_hears_what_it_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        Manager::new(path.to_str(), false).tell("READY=1\nSTATUS=it follows");
        let mut heard = [0; 64];
        let count = socket.recv(&mut heard).unwrap();
        assert_eq!(&heard[..count], b"READY=1\nSTATUS=it follows");
        Manager::new(None, true).tell("READY=1");
        Manager::new(Some("/nowhere/at/all"), true).tell("READY=1");
    }
}
