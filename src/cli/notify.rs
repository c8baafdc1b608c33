//! Reports the state of the program to a service manager: ready, current status, stopping
//! (`sd_notify(3)`).

use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixDatagram};

/// The socket of a service manager, if there is one.
#[derive(Debug)]
pub(super) struct Manager {
    socket: Option<(UnixDatagram, SocketAddr)>,
    /// Whether it has a watchdog that needs regular signs of life.
    watches: bool,
}

impl Manager {
    /// Connects to `NOTIFY_SOCKET`; `watches`: `WATCHDOG_USEC` is set.
    pub(super) fn new(socket: Option<&str>, watches: bool) -> Self {
        let socket = socket.and_then(|name| {
            // A name that begins with @ is in the abstract namespace.
            let address = match name.strip_prefix('@') {
                Some(name) => SocketAddr::from_abstract_name(name).ok()?,
                None => SocketAddr::from_pathname(name).ok()?,
            };
            Some((UnixDatagram::unbound().ok()?, address))
        });
        Self { socket, watches }
    }

    /// Resets the watchdog, if there is one.
    pub(super) fn ping_watchdog(&self) {
        if self.watches {
            self.tell("WATCHDOG=1");
        }
    }

    /// Sends a state: `READY=1`, `STATUS=…`, `STOPPING=1`.
    pub(super) fn tell(&self, state: &str) {
        if let Some((socket, address)) = &self.socket {
            // An unresponsive manager is ignored.
            let _ = socket.send_to_addr(state.as_bytes(), address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manager_receives_messages() {
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
