//! What the program will do: arguments, terminal and environment, resolved once.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Local};
use strum::VariantArray as _;

use super::args::When;
use crate::document::terminal::Look;
use crate::host::DisplayVariable;
use crate::host::about::Session;
use crate::value::Micros;

/// The width where no terminal says another.
const WIDTH: u16 = 80;

/// How a text looks on this terminal.
pub(crate) fn look(when: When) -> Look {
    let colour = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
    };
    Look { width: width(), colour }
}

pub(crate) fn program() -> std::io::Result<PathBuf> {
    // A file that was put in its place meanwhile is another program.
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { Ok(own) } else { std::env::current_exe() }
}

/// The height where no terminal says another.
const HEIGHT: u16 = 24;

/// The pager that somebody wants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pager {
    /// Nobody says which.
    Usual,
    /// None.
    None,
    /// This program, with its arguments.
    Command(Vec<String>),
}

/// What `$AMDTRIAGE_PAGER`, else `$PAGER` says.
pub(crate) fn pager() -> Pager {
    if is_dumb() {
        return Pager::None;
    }
    let Some(said) = variable("AMDTRIAGE_PAGER").or_else(|| variable("PAGER")) else {
        return Pager::Usual;
    };
    match shell_words::split(&said) {
        Ok(words) if words.is_empty() || words == ["cat"] => Pager::None,
        Ok(words) => Pager::Command(words),
        Err(_) => Pager::Usual,
    }
}

/// Whether somebody has said how `less` is to behave.
pub(crate) fn has_less_options() -> bool {
    variable("LESS").is_some()
}

/// What a program needs to know of the terminal, and nothing that makes it run or write anything.
pub(crate) fn of_a_terminal() -> Vec<(&'static str, String)> {
    let charset = if is_utf8() { "utf-8" } else { "ascii" };
    let own = [("LESSSECURE", "1".to_owned()), ("LESSCHARSET", charset.to_owned())];
    let term = variable("TERM").map(|term| ("TERM", term));
    own.into_iter().chain(term).collect()
}

/// Whether the locale has characters beyond ASCII (setlocale(3)).
pub(crate) fn is_utf8() -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable);
    let locale = said.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Lines of the terminal that is written to.
pub(crate) fn height() -> u16 {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let rows = terminal.map(|size| size.ws_row).filter(|rows| *rows > 0);
    let variable = || variable("LINES")?.parse().ok().filter(|rows| *rows > 0);
    rows.or_else(variable).unwrap_or(HEIGHT)
}

/// Columns of the terminal that is written to; where it is none, or does not tell, what `$COLUMNS` says.
pub(crate) fn width() -> u16 {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let terminal = terminal.map(|size| size.ws_col).filter(|columns| *columns > 0);
    let variable = || variable("COLUMNS")?.parse().ok().filter(|columns| *columns > 0);
    terminal.or_else(variable).unwrap_or(WIDTH)
}

/// The user's own folder of pattern files, where there is one.
pub(crate) fn pattern_folder() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folder = config.or_else(home)?.join("amdtriage").join("patterns");
    folder.is_dir().then_some(folder)
}

/// The folders of pattern files that this machine has: of packages, of its administrator, of the user.
pub(crate) fn pattern_folders() -> Vec<PathBuf> {
    let machine = ["/usr/share/amdtriage/patterns", "/etc/amdtriage/patterns"].map(PathBuf::from);
    let machine = machine.into_iter().filter(|folder| folder.is_dir());
    machine.chain(pattern_folder()).collect()
}

/// The time since 1970.
pub(crate) fn since_1970() -> Duration {
    now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The session that this program was started in, and where its display is.
pub(crate) fn session() -> (Session, BTreeMap<DisplayVariable, String>) {
    let said = |name: &str| variable(name).filter(|value| !value.is_empty());
    let session = Session { kind: said("XDG_SESSION_TYPE"), desktop: said("XDG_CURRENT_DESKTOP") };
    let display = DisplayVariable::VARIANTS.iter();
    (session, display.filter_map(|one| Some((*one, said(one.into())?))).collect())
}

/// The user who had this program run as root, and their group, where that is known: `sudo` names both, `pkexec`
/// the user's number, `doas` the user's name.
pub(crate) fn on_behalf_of() -> Option<(u32, Option<u32>)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    // The first that is there counts, also where it makes no sense: then it is not known who asked.
    if let Some(user) = variable("SUDO_UID") {
        return Some((id(&user)?, variable("SUDO_GID").and_then(|group| id(&group))));
    }
    if let Some(user) = variable("PKEXEC_UID") {
        let user = id(&user)?;
        return Some((user, user_where(|_, id| id == user).map(|(_, group)| group)));
    }
    let named = variable("DOAS_USER")?;
    user_where(|name, _| name == named).map(|(user, group)| (user, Some(group)))
}

/// A number of a user or group, as programs write it: digits and nothing else.
fn id(text: &str) -> Option<u32> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The first user of this machine that fits by name and number: the number, and that of the group (passwd(5)).
fn user_where(fits: impl Fn(&str, u32) -> bool) -> Option<(u32, u32)> {
    let users = crate::input::live::small_file("/etc/passwd".as_ref()).ok().flatten()?;
    let users = String::from_utf8_lossy(&users);
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, user) = (fields.next()?, fields.nth(1)?.parse().ok()?);
        let group = fields.next()?.parse().ok()?;
        fits(name, user).then_some((user, group))
    })
}

/// Where a service manager listens, if one has started this program.
pub(crate) fn notify_socket() -> Option<String> {
    variable("NOTIFY_SOCKET").filter(|name| !name.is_empty())
}

/// Whether the service manager wants to hear again and again that this program is alive.
pub(crate) fn is_watched() -> bool {
    variable("WATCHDOG_USEC").is_some_and(|time| !time.is_empty())
}

/// What was typed to start this program, as a shell takes it.
pub(crate) fn command_line() -> String {
    typed(typed_words().into_iter())
}

/// The words behind the name of this program.
pub(crate) fn typed_words() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// What was typed, with another value of the one of these options that is there; else with the first of them.
pub(crate) fn retyped(options: &[&str], value: &str) -> String {
    typed(with_value(typed_words(), options, value).into_iter())
}

/// The value that was typed behind an option.
pub(crate) fn value_of(option: &str) -> Option<String> {
    let words = typed_words();
    let at = words.iter().position(|word| word.split('=').next() == Some(option))?;
    let joined = words.get(at)?.split_once('=').map(|(_, value)| value.to_owned());
    joined.or_else(|| words.get(at + 1).cloned())
}

fn with_value(mut words: Vec<String>, options: &[&str], value: &str) -> Vec<String> {
    for at in 0..words.len() {
        let word = words[at].clone();
        let (name, joined) = word.split_once('=').map_or((word.as_str(), false), |it| (it.0, true));
        if !options.contains(&name) {
            continue;
        }
        match words.get_mut(at + 1) {
            Some(next) if !joined => value.clone_into(next),
            _ => words[at] = format!("{name}={value}"),
        }
        return words;
    }
    let option = options.first().copied().unwrap_or_default();
    words.splice(0..0, [option.to_owned(), value.to_owned()]);
    words
}

fn typed(arguments: impl Iterator<Item = String>) -> String {
    shell_words::join(std::iter::once("amdtriage".to_owned()).chain(arguments))
}

/// When a log was saved, by the clock of this machine's wall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Saved {
    /// Microseconds since 1970-01-01T00:00:00 in this machine's zone; `None` where no calendar has
    /// the time.
    pub local: Option<Micros>,
    /// What that time is, in words.
    pub by: &'static str,
}

/// When a log was saved that was written last at `modified`; what has no such time is saved now.
pub(crate) fn saved(modified: Option<SystemTime>) -> Saved {
    let by = if modified.is_some() { "the file's date" } else { "today's date" };
    Saved { local: local(modified.unwrap_or_else(now)), by }
}

/// How far east of UTC this machine's zone (TZ) is at a time in UTC, in seconds.
pub(crate) fn offset(utc: Micros) -> Option<i32> {
    let universal = DateTime::from_timestamp_micros(utc.0)?;
    Some(universal.with_timezone(&Local).offset().local_minus_utc())
}

/// An archive can name any time, and the calendar ends.
fn local(time: SystemTime) -> Option<Micros> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    let universal = DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    let offset = offset(Micros(universal.timestamp_micros()))?;
    let seconds = universal.timestamp().checked_add(i64::from(offset))?;
    seconds.checked_mul(1_000_000).map(Micros)
}

#[allow(clippy::disallowed_methods, reason = "a pipe has no time, and its log ends now")]
fn now() -> SystemTime {
    SystemTime::now()
}

fn is_set(name: &str) -> bool {
    variable(name).is_some_and(|value| !value.is_empty())
}

fn is_dumb() -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

#[allow(clippy::disallowed_methods, reason = "the one place that reads the environment")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_was_typed_can_be_typed_again() {
        let arguments = ["--boot=-1", "--since", "2026-03-04 18:35", "it's", ""];
        assert_eq!(
            typed(arguments.into_iter().map(str::to_owned)),
            r"amdtriage '--boot=-1' --since '2026-03-04 18:35' 'it'\''s' ''"
        );
    }

    #[test]
    fn an_option_gets_another_value() {
        for (typed, want) in [
            ("--boot 9 a.log", "--boot 2 a.log"),
            ("-b 9 a.log", "-b 2 a.log"),
            ("--boot=9 a.log", "--boot=2 a.log"),
            ("a.log", "--boot 2 a.log"),
        ] {
            let words = typed.split(' ').map(str::to_owned).collect();
            assert_eq!(with_value(words, &["--boot", "-b"], "2").join(" "), want);
        }
    }

    #[test]
    fn no_time_of_an_archive_is_too_far_away() {
        for seconds in [0, 1, 1 << 31, 1 << 40, 8_210_266_876_799, 1 << 50, i64::MAX as u64] {
            let time = UNIX_EPOCH.checked_add(Duration::from_secs(seconds)).unwrap();
            let known = saved(Some(time));
            assert_eq!(known.by, "the file's date");
            // No zone is a day away.
            if let Some(Micros(local)) = known.local {
                let away = local / 1_000_000 - i64::try_from(seconds).unwrap();
                assert!(away.abs() < 86_400, "{seconds}: {away}");
            }
        }
        assert!(saved(Some(UNIX_EPOCH - Duration::from_secs(1))).local.is_none());
        assert_eq!(saved(None).by, "today's date");
    }
}
