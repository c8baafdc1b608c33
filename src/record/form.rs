//! The names of the forms in which a line can come.

/// How a line says who printed it and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `[ 2649.203914] text`: dmesg without options, a serial console, pstore.
    Dmesg,
    /// `[Thu Nov 19 10:33:00 2026] text`: dmesg -T.
    DmesgCtime,
    /// `2026-11-19T10:33:00,203914+01:00 text`: dmesg --time-format=iso.
    DmesgIso,
    /// `[ 2649.203914 <    0.000011>] text` or `[<    0.000011>] text`: dmesg -d.
    DmesgDelta,
    /// `[Nov19 10:33] text` and `[  +0.000011] text`: dmesg -H and -e.
    DmesgReltime,
    /// `<6>[ 2649.203914] text`: dmesg -r, /proc/kmsg.
    Raw,
    /// `Nov 19 10:33:00 host tag: text`: journalctl.
    JournalShort,
    /// `2026-11-19T10:33:00+01:00 host tag: text`: journalctl -o short-iso.
    JournalShortIso,
    /// `Thu 2026-11-19 10:33:00 CET host tag: text`: journalctl -o short-full and with-unit.
    JournalShortFull,
    /// `[ 2649.203914] host tag: text`: journalctl -o short-monotonic.
    JournalShortMonotonic,
    /// `1795080780.204097 host tag: text`: journalctl -o short-unix.
    JournalShortUnix,
    /// `Nov 19 10:33:01 host kernel: [ 2649.203914] text`: kern.log.
    Syslog,
    /// `2026-11-19T10:33:01.832685+01:00 host kernel: [ 2649.203914] text`: kern.log, newer.
    SyslogIso,
    /// A row of `ps`.
    ProcessListing,
    /// No envelope at all.
    #[default]
    Text,
}

impl Form {
    /// All of them, in the order of declaration.
    pub const ALL: [Self; 15] = [
        Self::Dmesg,
        Self::DmesgCtime,
        Self::DmesgIso,
        Self::DmesgDelta,
        Self::DmesgReltime,
        Self::Raw,
        Self::JournalShort,
        Self::JournalShortIso,
        Self::JournalShortFull,
        Self::JournalShortMonotonic,
        Self::JournalShortUnix,
        Self::Syslog,
        Self::SyslogIso,
        Self::ProcessListing,
        Self::Text,
    ];

    /// The name that is shown.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dmesg => "dmesg",
            Self::DmesgCtime => "dmesg-ctime",
            Self::DmesgIso => "dmesg-iso",
            Self::DmesgDelta => "dmesg-delta",
            Self::DmesgReltime => "dmesg-reltime",
            Self::Raw => "raw",
            Self::JournalShort => "journal-short",
            Self::JournalShortIso => "journal-short-iso",
            Self::JournalShortFull => "journal-short-full",
            Self::JournalShortMonotonic => "journal-short-monotonic",
            Self::JournalShortUnix => "journal-short-unix",
            Self::Syslog => "syslog",
            Self::SyslogIso => "syslog-iso",
            Self::ProcessListing => "process-listing",
            Self::Text => "text",
        }
    }
}

impl std::fmt::Display for Form {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
