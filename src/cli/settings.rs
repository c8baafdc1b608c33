//! Settings from arguments, terminal and environment, resolved once.

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

/// The properties of a file, which has no width but that of `$COLUMNS`.
pub(crate) fn look_of_a_file(when: When) -> Look {
    Look { width: wanted_width(), colour: when == When::Always }
}

/// The properties of this terminal.
pub(crate) fn look(when: When) -> Look {
    let colour = match when {
        When::Always => true,
        When::Never => false,
        When::Auto => std::io::stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb(),
    };
    Look { width: width(), colour }
}

pub(crate) fn program() -> std::io::Result<PathBuf> {
    // If the file was replaced meanwhile, it is another program.
    let own = PathBuf::from("/proc/self/exe");
    if own.exists() { Ok(own) } else { std::env::current_exe() }
}

/// The default height in lines.
const HEIGHT: u16 = 24;

/// The pager to use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pager {
    /// The default.
    Usual,
    /// No pager.
    None,
    /// This program, with arguments.
    Command(Vec<String>),
}

/// The pager from `$AMDTRIAGE_PAGER`, else `$PAGER`.
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

/// Whether the user has set options for `less`.
pub(crate) fn has_less_options() -> bool {
    variable("LESS").is_some()
}

/// Variables about the terminal for other programs; none of them makes a program run or write
/// anything.
pub(crate) fn of_a_terminal() -> Vec<(&'static str, String)> {
    let charset = if is_utf8() { "utf-8" } else { "ascii" };
    let own = [("LESSSECURE", "1".to_owned()), ("LESSCHARSET", charset.to_owned())];
    let term = variable("TERM").map(|term| ("TERM", term));
    own.into_iter().chain(term).collect()
}

/// Whether the locale's encoding is UTF-8 (setlocale(3)).
pub(crate) fn is_utf8() -> bool {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(variable);
    let locale = said.into_iter().find(|value| !value.is_empty()).unwrap_or_default();
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// The height of the output terminal.
pub(crate) fn height() -> u16 {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let rows = terminal.map(|size| size.ws_row).filter(|rows| *rows > 0);
    let variable = || variable("LINES")?.parse().ok().filter(|rows| *rows > 0);
    rows.or_else(variable).unwrap_or(HEIGHT)
}

/// The width of the output terminal; if there is none, `$COLUMNS`.
fn width() -> Option<u16> {
    let terminal = rustix::termios::tcgetwinsize(std::io::stdout()).ok();
    let terminal = terminal.map(|size| size.ws_col).filter(|columns| *columns > 0);
    terminal.or_else(wanted_width)
}

fn wanted_width() -> Option<u16> {
    variable("COLUMNS")?.parse().ok().filter(|columns| *columns > 0)
}

/// The user's directory of pattern files, if it exists.
pub(crate) fn pattern_folder() -> Option<PathBuf> {
    let config = variable("XDG_CONFIG_HOME").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    let home = || variable("HOME").map(|home| PathBuf::from(home).join(".config"));
    let folder = config.or_else(home)?.join("amdtriage").join("patterns");
    folder.is_dir().then_some(folder)
}

/// The directories of pattern files on this machine: of packages, of the administrator, of the
/// user.
pub(crate) fn pattern_folders() -> Vec<PathBuf> {
    let machine = ["/usr/share/amdtriage/patterns", "/etc/amdtriage/patterns"].map(PathBuf::from);
    let machine = machine.into_iter().filter(|folder| folder.is_dir());
    machine.chain(pattern_folder()).collect()
}

/// The time since 1970.
pub(crate) fn since_1970() -> Duration {
    now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// The session of this program, and the variables that locate its display.
pub(crate) fn session() -> (Session, BTreeMap<DisplayVariable, String>) {
    let said = |name: &str| variable(name).filter(|value| !value.is_empty());
    let session = Session { kind: said("XDG_SESSION_TYPE"), desktop: said("XDG_CURRENT_DESKTOP") };
    let display = DisplayVariable::VARIANTS.iter();
    (session, display.filter_map(|one| Some((*one, said(one.into())?))).collect())
}

/// The user and group who ran this program as root, if known: `sudo` gives both, `pkexec` the
/// user's id, `doas` the user's name.
pub(crate) fn on_behalf_of() -> Option<(u32, Option<u32>)> {
    if !rustix::process::geteuid().is_root() {
        return None;
    }
    // The first variable that exists counts, even if it is invalid: then the user is unknown.
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

/// A user or group id: only digits.
fn id(text: &str) -> Option<u32> {
    text.bytes().all(|digit| digit.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

/// The ids of the first user whose name and id fit, and of the group (passwd(5)).
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

/// The service manager's socket, if one started this program.
pub(crate) fn notify_socket() -> Option<String> {
    variable("NOTIFY_SOCKET").filter(|name| !name.is_empty())
}

/// Whether the service manager has a watchdog.
pub(crate) fn is_watched() -> bool {
    variable("WATCHDOG_USEC").is_some_and(|time| !time.is_empty())
}

/// The typed command line, quoted for a shell.
pub(crate) fn command_line() -> String {
    typed(typed_words().into_iter())
}

/// The arguments after the name of this program.
pub(crate) fn typed_words() -> Vec<String> {
    let words = std::env::args_os().skip(1);
    words.map(|word| word.to_string_lossy().into_owned()).collect()
}

/// The typed command line with another value for each of these options: for the name of it that is
/// present, else with its first name added.
pub(crate) fn retyped(options: &[(&[&str], &str)]) -> String {
    let words =
        options.iter().fold(typed_words(), |words, (names, value)| with_value(words, names, value));
    typed(words.into_iter())
}

/// The typed command line with `right` in place of the word `wrong`.
pub(crate) fn typed_with(wrong: &str, right: &str) -> String {
    let words = typed_words().into_iter();
    typed(words.map(|word| if word == wrong { right.to_owned() } else { word }))
}

/// The typed command line without an option and its value.
pub(crate) fn typed_without(option: &str) -> String {
    typed(without(typed_words(), option).into_iter())
}

fn without(mut words: Vec<String>, option: &str) -> Vec<String> {
    let is_it = |word: &String| word.split('=').next() == Some(option);
    if let Some(at) = words.iter().position(is_it) {
        let to = at + if words[at].contains('=') { 1 } else { 2 };
        words.drain(at..to.min(words.len()));
    }
    words
}

/// The typed value of an option.
pub(crate) fn value_of(option: &str) -> Option<String> {
    let words = typed_words();
    let attached = |word: &String| {
        let value = word.strip_prefix(option).filter(|_| !option.starts_with("--"))?;
        (!value.is_empty() && !value.starts_with('=')).then(|| value.to_owned())
    };
    if let Some(value) = words.iter().find_map(attached) {
        return Some(value);
    }
    let at = words.iter().position(|word| word.split('=').next() == Some(option))?;
    let joined = words.get(at)?.split_once('=').map(|(_, value)| value.to_owned());
    joined.or_else(|| words.get(at + 1).cloned())
}

fn with_value(mut words: Vec<String>, options: &[&str], value: &str) -> Vec<String> {
    for at in 0..words.len() {
        let word = words[at].clone();
        let (name, joined) = word.split_once('=').map_or((word.as_str(), false), |it| (it.0, true));
        // A short option can have its value in the same word.
        let short = word.split_at_checked(2).filter(|(short, value)| {
            !short.starts_with("--") && !value.is_empty() && options.contains(short)
        });
        if let Some((short, _)) = short {
            words[at] = format!("{short}{value}");
            return words;
        }
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

/// The time at which a log was saved, by this machine's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Saved {
    /// Microseconds since 1970-01-01T00:00:00 in this machine's zone; `None` if it is not a valid
    /// date.
    pub local: Option<Micros>,
    /// The meaning of the time, in words.
    pub by: &'static str,
}

/// The time of a log that was last written at `modified`; now, if unknown.
pub(crate) fn saved(modified: Option<SystemTime>) -> Saved {
    let by = if modified.is_some() { "the file's date" } else { "today's date" };
    Saved { local: local(modified.unwrap_or_else(now)), by }
}

/// The offset of this machine's zone (TZ) from UTC at a time in UTC, in seconds.
pub(crate) fn offset(utc: Micros) -> Option<i32> {
    let universal = DateTime::from_timestamp_micros(utc.0)?;
    Some(universal.with_timezone(&Local).offset().local_minus_utc())
}

/// An archive may contain times outside the calendar.
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
            ("-b9 a.log", "-b2 a.log"),
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
            // No offset is a whole day.
            if let Some(Micros(local)) = known.local {
                let away = local / 1_000_000 - i64::try_from(seconds).unwrap();
                assert!(away.abs() < 86_400, "{seconds}: {away}");
            }
        }
        assert!(saved(Some(UNIX_EPOCH - Duration::from_secs(1))).local.is_none());
        assert_eq!(saved(None).by, "today's date");
    }
}
