//! The formats of lines. A new one is a variant here; its reader is in the table of `envelopes.rs`
//! or, for entries of several lines, in `reader/`.

/// The format in which a line states its time and sender.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    strum::VariantArray,
)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum LogFormat {
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
    /// A header, then one field per line: journalctl -o verbose.
    JournalVerbose,
    /// One field per line, or with its length, entries separated by an empty line: journalctl -o
    /// export.
    JournalExport,
    /// One object per entry: journalctl -o json and similar.
    JournalJson,
    /// One JSON document: dmesg -J.
    DmesgJson,
    /// `6,1234,5678901,-;text`: /dev/kmsg and extended netconsole.
    Kmsg,
    /// `11-19 10:33:10.443     0     0 E text`: logcat -b kernel.
    Logcat,
    /// `Nov 19 10:33:01 host kernel: [ 2649.203914] text`: kern.log.
    Syslog,
    /// `2026-11-19T10:33:01.832685+01:00 host kernel: [ 2649.203914] text`: kern.log, newer.
    SyslogIso,
    /// A row of `ps`.
    ProcessListing,
    /// A row of a table, as exported by log stores and spreadsheets.
    Csv,
    /// Text without time and sender.
    #[default]
    Text,
}

impl LogFormat {
    /// All formats, in the order of declaration.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// Whether dmesg or a console prints a record without text as an empty line in this format.
    pub(super) const fn is_dmesg(self) -> bool {
        matches!(
            self,
            Self::Dmesg
                | Self::DmesgCtime
                | Self::DmesgIso
                | Self::DmesgDelta
                | Self::DmesgReltime
                | Self::Raw
        )
    }

    /// Whether each line is a record that can be read independently of others.
    pub(super) const fn is_a_line(self) -> bool {
        match self {
            Self::Dmesg
            | Self::DmesgCtime
            | Self::DmesgIso
            | Self::Raw
            | Self::JournalShort
            | Self::JournalShortIso
            | Self::JournalShortFull
            | Self::JournalShortMonotonic
            | Self::JournalShortUnix
            | Self::Logcat
            | Self::Syslog
            | Self::SyslogIso
            | Self::Text => true,
            Self::DmesgDelta
            | Self::DmesgReltime
            | Self::JournalVerbose
            | Self::JournalExport
            | Self::JournalJson
            | Self::DmesgJson
            | Self::Kmsg
            | Self::ProcessListing
            | Self::Csv => false,
        }
    }

    /// Whether a line contains the host name.
    pub(super) const fn names_host(self) -> bool {
        self.is_journal() || matches!(self, Self::Syslog | Self::SyslogIso | Self::Csv)
    }

    /// Whether it is a format in which journalctl prints the sender of a line.
    pub(super) const fn is_journal(self) -> bool {
        matches!(
            self,
            Self::JournalShort
                | Self::JournalShortIso
                | Self::JournalShortFull
                | Self::JournalShortMonotonic
                | Self::JournalShortUnix
        )
    }

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
            Self::JournalVerbose => "journal-verbose",
            Self::JournalExport => "journal-export",
            Self::JournalJson => "journal-json",
            Self::DmesgJson => "dmesg-json",
            Self::Kmsg => "kmsg",
            Self::Logcat => "logcat",
            Self::Syslog => "syslog",
            Self::SyslogIso => "syslog-iso",
            Self::ProcessListing => "process-listing",
            Self::Csv => "csv",
            Self::Text => "text",
        }
    }
}

/// The format of an input, as the user can give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatFamily {
    /// Any form of dmesg, a console, pstore.
    Dmesg,
    /// Records of /dev/kmsg, or extended netconsole.
    Kmsg,
    /// Short formats of journalctl, or files of a syslog daemon: a time, a host, a tag.
    Syslog,
    /// Formats in JSON.
    Json,
    /// The journal's export format.
    Export,
    /// The journal's verbose format.
    Verbose,
    /// Android's logcat.
    Logcat,
    /// Only messages of the kernel.
    Text,
}

impl std::fmt::Display for LogFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
