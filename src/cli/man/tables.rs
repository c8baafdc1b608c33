//! The variables and files of each command, derived from its options.

use std::io::{self, Write};

use clap::Command;

use super::escaped;

/// A variable or a file, and the option that a command using it has.
struct Entry {
    option: &'static str,
    name: &'static str,
    text: &'static str,
}

const fn entry(option: &'static str, name: &'static str, text: &'static str) -> Entry {
    Entry { option, name, text }
}

const ENVIRONMENT: [Entry; 13] = [
    entry(
        "no_pager",
        "AMDTRIAGE_PAGER, PAGER",
        "The pager for text that does not fit the terminal; the first one that is set is used. If neither is set, it \
         is less(1). No shell is involved. An empty value or cat means no pager. As root, only less from the \
         directories of the system is used, with LESSSECURE=1.",
    ),
    entry("no_pager", "LESS", "Options of less. If unset, amdtriage sets it to FRX."),
    entry("no_pager", "COLUMNS", "The width of text if standard output is not a terminal."),
    entry("color", "NO_COLOR", "If set and not empty, --color=auto uses no colors."),
    entry("color", "TERM", "If it is dumb, amdtriage uses no colors and no pager."),
    entry(
        "no_pager",
        "LC_ALL, LC_CTYPE, LANG",
        "If the first of these that is not empty does not name UTF-8, text on a terminal is ASCII.",
    ),
    entry("local", "TZ", "The time zone of --local."),
    entry(
        "patterns",
        "XDG_CONFIG_HOME",
        "The directory of the configuration, instead of ~/.config.",
    ),
    entry(
        "folders",
        "XDG_CONFIG_HOME",
        "The directory of the configuration, instead of ~/.config.",
    ),
    entry("files", "TMPDIR", "The directory for temporary files, instead of /tmp."),
    entry(
        "output",
        "SUDO_UID, SUDO_GID, PKEXEC_UID, DOAS_USER",
        "As root, files that are written belong to the user that these name.",
    ),
    entry(
        "cursor_file",
        "NOTIFY_SOCKET",
        "The socket of the service manager that is notified of the start, sd_notify(3).",
    ),
    entry(
        "tracker",
        "XDG_SESSION_TYPE, XDG_CURRENT_DESKTOP, DISPLAY, WAYLAND_DISPLAY",
        "The session that the report names, and where programs that describe the GPU find the display.",
    ),
];

const FILES: [Entry; 13] = [
    entry(
        "patterns",
        "/usr/share/amdtriage/patterns/, /etc/amdtriage/patterns/",
        "Pattern files of packages and of the administrator, loaded in every run.",
    ),
    entry(
        "patterns",
        "~/.config/amdtriage/patterns/",
        "Pattern files of the user, loaded in every run; amdtriage-patterns(5).",
    ),
    entry(
        "folders",
        "~/.config/amdtriage/patterns/",
        "Pattern files of the user; amdtriage-patterns(5).",
    ),
    entry(
        "this_machine",
        "/var/log/journal/, /run/log/journal/",
        "The systemd journal, read through journalctl(1).",
    ),
    entry(
        "this_machine",
        "/dev/kmsg",
        "The kernel ring buffer, read if the journal has no kernel messages.",
    ),
    entry(
        "all_boots",
        "/var/lib/systemd/pstore/, /sys/fs/pstore/",
        "Kernel logs that were saved in a crash, systemd-pstore(8).",
    ),
    entry("save_coredumps", "/proc, /sys", "The state of the machine and its GPUs."),
    entry(
        "save_coredumps",
        "/sys/class/devcoredump/",
        "Crash dumps of GPUs, which the kernel deletes after a few minutes.",
    ),
    entry("tracker", "/proc, /sys", "What the report says about the machine."),
    entry("tracker", "amdtriage-FINGERPRINT.tar.gz", "The archive, in the current directory."),
    entry(
        "shell",
        "~/.local/share/bash-completion/completions/amdtriage",
        "Where bash looks for completions.",
    ),
    entry("shell", "~/.zfunc/_amdtriage", "A usual place of completions for zsh."),
    entry(
        "shell",
        "~/.config/fish/completions/amdtriage.fish",
        "Where fish looks for completions.",
    ),
];

/// Writes the sections.
pub(super) fn write(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    section("ENVIRONMENT", "B", &ENVIRONMENT, command, text)?;
    section("FILES", "I", &FILES, command, text)
}

fn section(
    title: &str,
    font: &str,
    entries: &[Entry],
    command: &Command,
    text: &mut Vec<u8>,
) -> io::Result<()> {
    let mut told: Vec<&str> = Vec::new();
    for Entry { option, name, text: says } in entries {
        if !has(command, option) || told.contains(name) {
            continue;
        }
        if told.is_empty() {
            writeln!(text, ".SH {title}")?;
        }
        told.push(name);
        writeln!(text, ".TP\n.{font} {}\n{}", escaped(name), escaped(says))?;
    }
    Ok(())
}

/// Whether a command or a subcommand has an option.
fn has(command: &Command, option: &str) -> bool {
    let below = || command.get_subcommands().any(|one| has(one, option));
    let own = command.get_arguments().any(|argument| argument.get_id() == option);
    // The program's own page is about running it without a command.
    own || (command.get_name() == "patterns" && below())
}
