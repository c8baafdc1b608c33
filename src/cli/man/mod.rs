//! The man pages: one for the program with all commands, one for each command, and one for the
//! format of pattern files, from `patterns/README.md`.

mod markdown;
mod synopsis;
mod tables;

use std::io::{self, Write};
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::Ending;
use super::args::{Arguments, ManArguments};
use super::failure::Failure;
use super::output::{Target, make_folder};
use super::streams::{Destination, Streams};
use tables::PageOf;

/// The description of pattern files.
const README: &str = include_str!("../../../patterns/README.md");

/// What the page about pattern files has before and after that.
const BEFORE: &str = r#".TH amdtriage\-patterns 5 "" "amdtriage"
.SH NAME
amdtriage\-patterns \- messages, failure signatures and advice in TOML files
.SH DESCRIPTION
"#;
const AFTER: &str = r".SH FIXTURES
A signature is proven by logs:
.I hit\-WHY.log
must be diagnosed,
.I miss\-WHY.log
is similar and must not be.
They are in a directory with the name of the signature, or next to the .toml files, and begin with
a header that ends at an empty line:
.PP
.RS 4
.nf
# kernel: 6.8
# gpu: gfx1100
# says: own\-hang
# outcome: recovered
# why: the shortest log of this failure
.fi
.RE
.PP
.B says
lists the diagnoses in their order, or is
.BR nothing ;
.B notices
lists the notices;
.B chip
is the gfx target to assume if the log does not identify the chip.
.SH FILES
.TP
.I ~/.config/amdtriage/patterns
Pattern files of the user, loaded in every run.
.B $XDG_CONFIG_HOME
replaces
.IR ~/.config .
.SH SEE ALSO
.BR amdtriage (1),
.BR amdtriage\-patterns (1)
";

/// Related pages of other programs.
const OTHERS: [&str; 3] = ["dmesg(1)", "journalctl(1)", "less(1)"];

/// The beginning of the part of a description that is about exit statuses.
const STATUS: &str = "Exit status: ";

/// A man page and its name.
struct Page {
    /// Its name with its section: `amdtriage.1`.
    file: String,
    text: Vec<u8>,
}

/// Prints the page of the program, or writes all pages to a directory.
pub(super) fn run(arguments: &ManArguments, streams: &mut Streams<'_>) -> Result<Ending, Failure> {
    match &arguments.dir {
        Some(folder) => write_all(folder)?,
        None => {
            let to = Destination::file(&arguments.file, &[])?;
            streams.write_to(to, |out| out.write_all(&whole()?.text))?;
        }
    }
    Ok(Ending::Fine)
}

fn write_all(folder: &Path) -> Result<(), Failure> {
    let failed = |source| Failure::OutputFile { path: folder.to_owned(), source };
    make_folder(folder).map_err(failed)?;
    for page in pages().map_err(Failure::Output)? {
        let path = folder.join(&page.file);
        Target::new(&path, &[])?.replace(|file| file.write_all(&page.text))?;
    }
    Ok(())
}

fn pages() -> io::Result<Vec<Page>> {
    let program = Arguments::command();
    let commands = program.get_subcommands().map(of_command);
    std::iter::once(whole()).chain(commands).chain([Ok(of_files())]).collect()
}

/// The page of the program, with references to those of its commands.
fn whole() -> io::Result<Page> {
    let command = Arguments::command();
    let page = Man::new(plain(&command));
    let mut text = head(&page, &command)?;
    writeln!(text, ".SH COMMANDS\nEach command has a page of its own.")?;
    for one in command.get_subcommands() {
        let about = one.get_about().map(ToString::to_string).unwrap_or_default();
        let name = one.get_name();
        writeln!(text, ".TP\n.BR amdtriage\\-{name} (1)\n{}", escaped(&about))?;
    }
    tail(&command, PageOf::Program, &mut text)?;
    page.render_version_section(&mut text)?;
    let others = command.get_subcommands().map(|one| format!("amdtriage-{}(1)", one.get_name()));
    let others = others.chain(["amdtriage-patterns(5)".to_owned()]);
    see_also(others.chain(OTHERS.map(str::to_owned)), &mut text)?;
    Ok(Page { file: "amdtriage.1".to_owned(), text })
}

/// The sections at the beginning of every page.
fn head(page: &Man, command: &Command) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    synopsis::write(command, &mut text)?;
    writeln!(text, ".SH DESCRIPTION")?;
    description(command, &mut text)?;
    page.render_options_section(&mut text)?;
    Ok(text)
}

/// The long description without its first paragraph, which is the name's, and without exit
/// statuses; without a long one, the short one.
fn description(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let long = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let long = long.split(STATUS).next().unwrap_or_default();
    let mut paragraphs: Vec<&str> = long.trim_end().split("\n\n").skip(1).collect();
    let short = command.get_about().map(ToString::to_string).unwrap_or_default();
    if paragraphs.is_empty() {
        paragraphs.push(&short);
    }
    let paragraphs = paragraphs.into_iter().map(escaped).collect::<Vec<_>>();
    writeln!(text, "{}", paragraphs.join("\n.PP\n"))
}

/// The sections after the options.
fn tail(command: &Command, page: PageOf, text: &mut Vec<u8>) -> io::Result<()> {
    status(command, text)?;
    tables::write(command, page, text)?;
    examples(command, text)
}

/// The page of a command and its subcommands.
fn of_command(command: &Command) -> io::Result<Page> {
    let name = format!("amdtriage-{}", command.get_name());
    let typed = format!("amdtriage {}", command.get_name());
    let named = command.clone().version(env!("CARGO_PKG_VERSION")).disable_version_flag(true);
    let named = named.display_name(name.clone()).bin_name(typed.clone());
    let page = Man::new(plain(&named));
    let mut text = head(&page, &named)?;
    if command.has_subcommands() {
        writeln!(text, ".SH COMMANDS")?;
        commands_of(command, &typed, &mut text)?;
    }
    tail(command, PageOf::Command, &mut text)?;
    let format = (command.get_name() == "patterns").then(|| "amdtriage-patterns(5)".to_owned());
    see_also(std::iter::once("amdtriage(1)".to_owned()).chain(format), &mut text)?;
    Ok(Page { file: format!("{name}.1"), text })
}

/// The page of the format of pattern files.
fn of_files() -> Page {
    let text = [BEFORE, &markdown::roff(README), AFTER].concat();
    Page { file: "amdtriage-patterns.5".to_owned(), text: text.into_bytes() }
}

/// A section with options for each subcommand of the command called `name`.
fn commands_of(command: &Command, name: &str, text: &mut Vec<u8>) -> io::Result<()> {
    for command in command.get_subcommands().filter(|one| one.get_name() != "help") {
        writeln!(text, ".SS {name} {}", command.get_name())?;
        let about = command.get_long_about().or(command.get_about());
        for paragraph in about.map(ToString::to_string).unwrap_or_default().split("\n\n") {
            writeln!(text, "{}\n.PP", escaped(paragraph))?;
        }
        write!(text, "{}", options(command)?)?;
    }
    Ok(())
}

/// The section about exit statuses, from the end of the description.
fn status(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let about = command.get_long_about().map(ToString::to_string).unwrap_or_default();
    let Some((_, status)) = about.split_once(STATUS) else { return Ok(()) };
    writeln!(text, ".SH EXIT STATUS")?;
    let status = status.split("\n\n").next().unwrap_or_default().trim_end_matches('.');
    for sentence in status.split(". ") {
        let (lead, entries) = match sentence.split_once(": ") {
            Some((lead, entries)) if starts_with_digit(entries) => (Some(lead), entries),
            _ => (None, sentence),
        };
        if let Some(lead) = lead {
            writeln!(text, ".PP\n{}:", escaped(lead))?;
        }
        for entry in entries.split("; ") {
            match entry.split_once(' ') {
                Some((number, rest)) if starts_with_digit(number) => {
                    writeln!(text, ".TP\n.B {number}\n{}", escaped(&capital(rest)))?;
                }
                _ => writeln!(text, ".PP\n{}.", escaped(&capital(entry)))?,
            }
        }
    }
    Ok(())
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// Escapes text for roff.
fn escaped(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-").replace('\n', " ");
    // A line that begins with one of these would be a roff request.
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

/// The options of a command, without the header of a page.
fn options(command: &Command) -> io::Result<String> {
    let mut options = Vec::new();
    Man::new(plain(command)).render_options_section(&mut options)?;
    let options = String::from_utf8_lossy(&options);
    let (_, options) = options.split_once(".SH OPTIONS\n").unwrap_or_default();
    Ok(options.to_owned())
}

/// A command whose options are under one heading, because pages have sections, and without its exit
/// statuses. The version has no commit, so that pages are independent of the commit.
fn plain(command: &Command) -> Command {
    let plain = command.clone().mut_args(|argument| argument.help_heading(None::<&'static str>));
    let plain = plain.long_version(None::<&'static str>);
    match command.get_long_about().map(ToString::to_string) {
        Some(about) => match about.split_once(STATUS) {
            Some((about, _)) => plain.long_about(about.trim_end().to_owned()),
            None => plain,
        },
        None => plain,
    }
}

/// The examples after the options. Line breaks are preserved.
fn examples(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let Some(examples) = command.get_after_long_help().or(command.get_after_help()) else {
        return Ok(());
    };
    let examples = examples.to_string();
    let lines = examples.lines().filter(|line| *line != "Examples:");
    writeln!(text, ".SH EXAMPLES\n.nf")?;
    for line in lines {
        let line = line.strip_prefix("  ").unwrap_or(line);
        let line = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        // A line that begins with a point would be a roff request.
        let guard = if line.starts_with('.') { "\\&" } else { "" };
        writeln!(text, "{guard}{line}")?;
    }
    writeln!(text, ".fi")
}

/// References to other pages: `amdtriage-events(1)`.
fn see_also(pages: impl Iterator<Item = String>, text: &mut Vec<u8>) -> io::Result<()> {
    let page = |page: String| match page.split_once('(') {
        Some((name, section)) => format!(".BR {} ({section}", name.replace('-', "\\-")),
        None => format!(".B {page}"),
    };
    writeln!(text, ".SH SEE ALSO\n{}", pages.map(page).collect::<Vec<_>>().join(" ,\n"))
}
