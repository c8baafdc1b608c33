//! The variables and files of each command, derived from its options.

use std::io::{self, Write};

use clap::Command;

use super::escaped;

/// A variable or a file, and the commands that use it.
struct Entry {
    users: Users,
    name: &'static str,
    text: &'static str,
}

/// The commands that use something.
enum Users {
    /// Many; the program's own page describes it for all.
    Many,
    /// Those with this option.
    With(&'static str),
}

const fn entry(users: Users, name: &'static str, text: &'static str) -> Entry {
    Entry { users, name, text }
}

const ENVIRONMENT: [Entry; 12] = [
    entry(
        Users::Many,
        "AMDTRIAGE_PAGER, PAGER",
        "The pager for text that does not fit the terminal; the first one that is set is used. If neither is set, it \
         is less(1). No shell is involved. An empty value or cat means no pager. As root, only less from the \
         directories of the system is used, with LESSSECURE=1.",
    ),
    entry(Users::Many, "LESS", "Options of less. If unset, amdtriage sets it to FRX."),
    entry(
        Users::Many,
        "COLUMNS",
        "The width of the output if it does not go to a terminal. If unset, text has 80 columns, and rows of lists are \
         lines of any length. On a narrow page, tables wrap, leave out secondary columns, or put columns below \
         each other.",
    ),
    entry(Users::Many, "NO_COLOR", "If set and not empty, --color=auto uses no colors."),
    entry(Users::Many, "TERM", "If it is dumb, amdtriage uses no colors and no pager."),
    entry(
        Users::Many,
        "LC_ALL, LC_CTYPE, LANG",
        "If the first of these that is not empty does not name UTF-8, text on a terminal is ASCII.",
    ),
    entry(Users::Many, "TZ", "The time zone of --local."),
    entry(
        Users::Many,
        "XDG_CONFIG_HOME",
        "The directory of the configuration, instead of ~/.config.",
    ),
    entry(Users::Many, "TMPDIR", "The directory for temporary files, instead of /tmp."),
    entry(
        Users::Many,
        "SUDO_UID, SUDO_GID, PKEXEC_UID, DOAS_USER",
        "As root, files that are written belong to the user that these name.",
    ),
    entry(
        Users::With("cursor_file"),
        "NOTIFY_SOCKET",
        "The socket of the service manager that is notified of the start, sd_notify(3).",
    ),
    entry(
        Users::With("tracker"),
        "XDG_SESSION_TYPE, XDG_CURRENT_DESKTOP, DISPLAY, WAYLAND_DISPLAY",
        "The session that the report names, and where programs that describe the GPU find the display.",
    ),
];

/// The systemd journal, and the ring buffer.
const JOURNAL: (&str, &str) =
    ("/var/log/journal/, /run/log/journal/", "The systemd journal, read through journalctl(1).");
const RING_BUFFER: (&str, &str) =
    ("/dev/kmsg", "The kernel ring buffer, read if the journal has no kernel messages.");

const FILES: [Entry; 18] = [
    entry(
        Users::Many,
        "/usr/share/amdtriage/patterns/, /etc/amdtriage/patterns/",
        "Pattern files of packages and of the administrator, loaded in every run.",
    ),
    entry(
        Users::Many,
        "~/.config/amdtriage/patterns/",
        "Pattern files of the user, loaded in every run; amdtriage-patterns(5).",
    ),
    entry(Users::With("this_machine"), JOURNAL.0, JOURNAL.1),
    entry(Users::With("this_machine"), RING_BUFFER.0, RING_BUFFER.1),
    // `check`, `diff` and `run` read this machine's log without that option.
    entry(Users::With("save_coredumps"), JOURNAL.0, JOURNAL.1),
    entry(Users::With("save_coredumps"), RING_BUFFER.0, RING_BUFFER.1),
    entry(Users::With("good"), JOURNAL.0, JOURNAL.1),
    entry(Users::With("gate"), JOURNAL.0, JOURNAL.1),
    entry(Users::With("gate"), RING_BUFFER.0, RING_BUFFER.1),
    entry(
        Users::With("all_boots"),
        "/var/lib/systemd/pstore/, /sys/fs/pstore/",
        "Kernel logs that were saved in a crash, systemd-pstore(8).",
    ),
    entry(Users::With("save_coredumps"), "/proc, /sys", "The state of the machine and its GPUs."),
    entry(
        Users::With("save_coredumps"),
        "/sys/class/devcoredump/",
        "Crash dumps of GPUs, which the kernel deletes after a few minutes.",
    ),
    entry(
        Users::With("save_coredumps"),
        "sos_commands/kernel/dmesg, var/log/dmesg",
        "The kernel log of another machine, below the directory of --root.",
    ),
    entry(Users::With("tracker"), "/proc, /sys", "What the report says about the machine."),
    entry(
        Users::With("tracker"),
        "amdtriage-FINGERPRINT.tar.gz",
        "The archive, in the current directory.",
    ),
    entry(
        Users::With("shell"),
        "~/.local/share/bash-completion/completions/amdtriage",
        "Where bash looks for completions.",
    ),
    entry(Users::With("shell"), "~/.zfunc/_amdtriage", "A usual place of completions for zsh."),
    entry(
        Users::With("shell"),
        "~/.config/fish/completions/amdtriage.fish",
        "Where fish looks for completions.",
    ),
];

/// Which page is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PageOf {
    Program,
    Command,
}

/// Writes the sections.
pub(super) fn write(command: &Command, page: PageOf, text: &mut Vec<u8>) -> io::Result<()> {
    let elsewhere = "The variables that all commands share are described in\n.BR amdtriage (1).";
    section("ENVIRONMENT", "B", &ENVIRONMENT, (command, page), elsewhere, text)?;
    let elsewhere =
        "The pattern files that are loaded in every run are listed in\n.BR amdtriage (1).";
    section("FILES", "I", &FILES, (command, page), elsewhere, text)
}

fn section(
    title: &str,
    font: &str,
    entries: &[Entry],
    (command, page): (&Command, PageOf),
    elsewhere: &str,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    writeln!(text, ".SH {title}")?;
    let mut told: Vec<&str> = Vec::new();
    for Entry { users, name, text: says } in entries {
        let here = match users {
            Users::Many => page == PageOf::Program,
            Users::With(option) => has(command, option),
        };
        if !here || told.contains(name) {
            continue;
        }
        told.push(name);
        writeln!(text, ".TP\n.{font} {}\n{}", escaped(name), escaped(says))?;
    }
    match page {
        PageOf::Program => Ok(()),
        PageOf::Command if told.is_empty() => writeln!(text, "{elsewhere}"),
        PageOf::Command => writeln!(text, ".PP\n{elsewhere}"),
    }
}

/// Whether a command or a subcommand has an option.
fn has(command: &Command, option: &str) -> bool {
    let below = || command.get_subcommands().any(|one| has(one, option));
    let own = command.get_arguments().any(|argument| argument.get_id() == option);
    // The program's own page is about running it without a command.
    own || (command.get_name() == "patterns" && below())
}
