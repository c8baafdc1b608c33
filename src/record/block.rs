//! Entries of several lines: journal fields in export and verbose format, JSON objects. Assembles
//! an entry line by line.

use super::entry::Entry;
use super::json::{self, Object, Written};
use super::scan::Scan;
use super::stamp;
use super::{FormatFamily, LogFormat};

/// Maximum length of an object in bytes.
const OBJECT_LIMIT: usize = 1 << 20;

/// The result for a line.
#[derive(Debug, PartialEq)]
pub(super) enum Step {
    /// Not part of an entry.
    Foreign,
    /// Part of the current entry.
    Taken,
    /// The last line of the current entry.
    Complete,
    /// A bracket around entries.
    Structure,
    /// A line of a container's log.
    Container(Written),
    /// The last line of a text that looked like an entry and is not.
    GivenBack(GivenBack),
}

/// A text that looked like an entry.
#[derive(Debug, PartialEq)]
pub(super) struct GivenBack {
    /// Its lines with their numbers.
    pub(super) lines: Vec<(u64, String)>,
    /// Whether it is the remains of an entry.
    pub(super) damaged: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Idle,
    Export,
    Verbose(Field),
    Json(Depth),
    /// Between the objects of `dmesg -J`.
    List,
}

/// The field of a verbose entry that a continuation line belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Field {
    /// The column of its value.
    column: usize,
    is_message: bool,
}

/// The nesting of brackets in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Depth {
    brackets: u32,
    in_string: bool,
    escaped: bool,
    /// Whether it is within the list of `dmesg -J`.
    listed: bool,
}

/// Assembles entries.
#[derive(Debug, Default)]
pub(super) struct Block {
    state: State,
    /// The first line of the entry.
    first: u64,
    /// The first line of the entry that follows a complete one.
    upcoming: Option<u64>,
    form: LogFormat,
    pub(super) entry: Entry,
    text: String,
    /// The numbers of its lines.
    numbers: Vec<u64>,
    /// The field whose length-prefixed value follows.
    binary: Option<String>,
}

impl Block {
    /// Whether an object is incomplete.
    pub(super) fn is_in_object(&self) -> bool {
        matches!(self.state, State::Json(_))
    }

    /// Whether the next line may belong to the entry.
    pub(super) fn is_open(&self) -> bool {
        self.state != State::Idle
    }

    /// Whether a length-prefixed value follows this line.
    pub(super) fn wants_binary(&self) -> bool {
        self.binary.is_some()
    }

    /// Takes the value that [`Self::wants_binary`] requested.
    pub(super) fn binary(&mut self, value: &str) {
        if let Some(name) = self.binary.take() {
            self.entry.set(&name, value);
        }
    }

    /// No length-prefixed value follows the line.
    pub(super) fn no_binary(&mut self) {
        self.binary = None;
    }

    /// The line, format and fields of a complete entry.
    pub(super) fn complete(&self) -> (u64, LogFormat, &Entry) {
        (self.first, self.form, &self.entry)
    }

    /// Ends the entry as it is.
    pub(super) fn end(&mut self) -> Step {
        match std::mem::take(&mut self.state) {
            State::Export | State::Verbose(_) => Step::Complete,
            State::Json(depth) => {
                self.state = if depth.listed { State::List } else { State::Idle };
                self.give_back(true)
            }
            State::Idle | State::List => Step::Foreign,
        }
    }

    /// Whether the entry ends before this line.
    pub(super) fn ends_before(&self, line: &str) -> bool {
        let ended = match self.state {
            State::Export => line.starts_with("__CURSOR=") || !is_field(line),
            State::Verbose(_) => !line.starts_with("    ") && !line.trim().is_empty(),
            State::Json(depth) if !depth.listed => {
                // A line without indentation does not continue an object, except for a name after a
                // bracket on its own line.
                let named = line.trim_start().starts_with(['"', '}']);
                line.starts_with("{\"") || line == "{" || (self.text.trim() == "{" && !named)
            }
            State::Idle | State::Json(_) | State::List => false,
        };
        ended && !(self.state == State::Export && line.is_empty())
    }

    /// Handles a line.
    pub(super) fn line(&mut self, number: u64, line: &str) -> Step {
        self.first = self.upcoming.take().unwrap_or(self.first);
        match self.state {
            State::Idle => self.begin(number, line),
            State::Export => self.export(line),
            State::Verbose(field) => self.verbose(line, field),
            State::Json(depth) => self.json(number, line, depth),
            State::List => self.list(number, line),
        }
    }

    fn begin(&mut self, number: u64, line: &str) -> Step {
        self.first = number;
        match line.as_bytes().first() {
            Some(b'_') if begins_export(line) => {
                self.entry.clear();
                self.state = State::Export;
                self.form = LogFormat::JournalExport;
                self.export(line)
            }
            Some(b'{') => self.object(number, line),
            Some(b'[' | b',') => self.object(number, &line[1..]),
            Some(0x1E) => self.object(number, line.trim_start_matches('\u{1E}')),
            Some(b'd') if line.starts_with("data: {") => self.object(number, &line[6..]),
            _ => self.header(line),
        }
    }

    /// `NAME=value`; or `NAME`, followed by a length-prefixed value; or an empty line.
    fn export(&mut self, line: &str) -> Step {
        if line.is_empty() {
            self.state = State::Idle;
            return Step::Complete;
        }
        match line.split_once('=') {
            Some((name, value)) => self.entry.set(name, value),
            None => self.binary = Some(line.to_owned()),
        }
        Step::Taken
    }

    /// `Thu 2026-11-19 10:33:00.204097 CET [s=…;i=…;b=…;m=…;t=…;x=…]`.
    fn header(&mut self, line: &str) -> Step {
        let Some((_, ids)) = line.split_once(" [s=") else { return Step::Foreign };
        if stamp::full(&mut Scan::new(line)).is_none() {
            return Step::Foreign;
        }
        self.entry.clear();
        for id in ids.trim_end_matches(']').split(';') {
            match id.split_once('=') {
                Some(("b", boot)) => self.entry.set("_BOOT_ID", boot),
                Some(("t", clock)) => {
                    let micros = u64::from_str_radix(clock, 16).unwrap_or(0);
                    self.entry.set("__REALTIME_TIMESTAMP", &micros.to_string());
                }
                _ => {}
            }
        }
        self.form = LogFormat::JournalVerbose;
        self.state = State::Verbose(Field::default());
        Step::Taken
    }

    fn verbose(&mut self, line: &str, field: Field) -> Step {
        let inner = line.trim_start_matches(' ');
        let indent = line.len() - inner.len();
        let goes_on = field.column > 0 && indent >= field.column;
        match inner.split_once('=').filter(|(name, _)| indent == 4 && is_name(name) && !goes_on) {
            Some((name, value)) => {
                let field =
                    Field { column: indent + name.len() + 1, is_message: name == "MESSAGE" };
                self.state = State::Verbose(field);
                self.entry.set(name, value);
            }
            None if field.is_message => {
                self.entry.extend_message(indent.saturating_sub(field.column), inner);
            }
            None => {}
        }
        Step::Taken
    }

    /// A line that begins with a bracket: an object, the start of one, or neither.
    fn object(&mut self, number: u64, line: &str) -> Step {
        if line != "{" {
            match json::read(in_array(line), &mut self.entry) {
                Ok(object) => return self.found(object),
                Err(error) if error.is_eof() && worth(line) => {}
                Err(_) => return Step::Foreign,
            }
        }
        self.first = number;
        self.text.clear();
        self.numbers.clear();
        self.json(number, line, Depth::default())
    }

    fn found(&mut self, object: Object) -> Step {
        match object {
            Object::Journal => self.form = LogFormat::JournalJson,
            Object::Dmesg => self.form = LogFormat::DmesgJson,
            Object::Container(line) => return Step::Container(line),
            Object::Other => return Step::Foreign,
        }
        Step::Complete
    }

    fn json(&mut self, number: u64, line: &str, mut depth: Depth) -> Step {
        let bare = line.trim();
        if !depth.listed && bare.starts_with("\"dmesg\":") && bare.ends_with('[') {
            self.text.clear();
            self.state = State::List;
            return Step::Structure;
        }
        if self.text.len() + line.len() > OBJECT_LIMIT {
            self.state = State::Idle;
            return self.give_back(true);
        }
        // Strings do not contain line breaks, so a record that begins here ends a damaged one.
        if depth.listed && (depth.in_string || depth.brackets > 1) && matches!(bare, "{" | "},{") {
            let broken = self.give_back(true);
            self.open_listed(number);
            return broken;
        }
        // The next object of a list may begin on the last line of this one.
        let (line, next) = match bare.strip_prefix('}').map(|rest| rest.trim_start_matches(',')) {
            Some(rest) if depth.listed && !depth.in_string => ("}", rest.trim() == "{"),
            _ => (line, false),
        };
        depth.pass(line);
        self.text.push_str(line);
        self.text.push('\n');
        self.numbers.push(number);
        self.state = State::Json(depth);
        if depth.brackets > 0 {
            return Step::Taken;
        }
        self.state = if depth.listed { State::List } else { State::Idle };
        let text = std::mem::take(&mut self.text);
        let read = json::read(&text, &mut self.entry);
        self.text = text;
        let step = match read.map(|object| self.found(object)) {
            Ok(Step::Foreign) => self.give_back(false),
            Err(_) => self.give_back(true),
            Ok(step) => step,
        };
        if next {
            self.open_listed(number);
        }
        step
    }

    /// Begins an object of a list; the previous one may not have been processed yet.
    fn open_listed(&mut self, number: u64) {
        self.upcoming = Some(number);
        self.text.clear();
        self.text.push_str("{\n");
        self.numbers.clear();
        self.numbers.push(number);
        self.state = State::Json(Depth { brackets: 1, listed: true, ..Depth::default() });
    }

    fn list(&mut self, number: u64, line: &str) -> Step {
        match line.trim() {
            "{" => {
                self.open_listed(number);
                Step::Taken
            }
            "},{" => {
                self.open_listed(number);
                Step::Structure
            }
            "]" | "" | "," => Step::Structure,
            // The remains of a damaged object.
            bare if bare.starts_with('"') && is_of_object(bare) => {
                Step::GivenBack(GivenBack { lines: vec![(number, line.to_owned())], damaged: true })
            }
            "}" => {
                self.state = State::Idle;
                Step::Structure
            }
            _ => {
                self.state = State::Idle;
                Step::Foreign
            }
        }
    }

    fn give_back(&mut self, broken: bool) -> Step {
        let numbers = std::mem::take(&mut self.numbers).into_iter();
        let lines = numbers.zip(self.text.lines().map(str::to_owned)).collect();
        let ours = ["\"MESSAGE\"", "\"__REALTIME_TIMESTAMP\"", "\"msg\"", "\"log\""];
        let damaged = broken && ours.iter().any(|name| self.text.contains(name));
        Step::GivenBack(GivenBack { lines, damaged })
    }
}

impl Depth {
    fn pass(&mut self, line: &str) {
        for byte in line.bytes() {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = self.in_string,
                b'"' => self.in_string = !self.in_string,
                b'{' | b'[' if !self.in_string => self.brackets += 1,
                b'}' | b']' if !self.in_string => self.brackets = self.brackets.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// Whether a line looks like part of an object: a bracket, a name, or both.
pub(super) fn is_of_object(line: &str) -> bool {
    let bare = line.trim();
    let inner = bare.trim_start_matches(['{', '}', '[', ']', ',', ' ']);
    let name = inner.strip_prefix('"').and_then(|name| name.split_once('"'));
    inner.is_empty() || name.is_some_and(|(_, rest)| rest.trim_start().starts_with(':'))
}

/// The kind of entry that a line can begin, from its first and last characters.
pub(super) fn may_begin(line: &str) -> Option<FormatFamily> {
    let json = |is: bool| is.then_some(FormatFamily::Json);
    match line.as_bytes().first()? {
        b'{' | 0x1E => Some(FormatFamily::Json),
        b'_' => Some(FormatFamily::Export),
        b'd' => json(line.starts_with("data: {")),
        b'[' | b',' => json(line.as_bytes().get(1) == Some(&b'{')),
        b'0'..=b'9' => None,
        _ => (line.ends_with(']') && line.contains(" [s=")).then_some(FormatFamily::Verbose),
    }
}

/// An object without the comma after it in an array.
fn in_array(line: &str) -> &str {
    let line = line.trim_end();
    line.strip_suffix([',', ']']).filter(|line| line.ends_with('}')).unwrap_or(line)
}

/// Whether an incomplete object may become a record.
fn worth(line: &str) -> bool {
    let rest = line.get(1..).map_or("", str::trim_start);
    rest.is_empty() || rest.starts_with('"')
}

/// The first field of an entry in export format, or the remains of one.
fn begins_export(line: &str) -> bool {
    line.split_once('=').is_some_and(|(name, _)| {
        matches!(name, "__CURSOR" | "__MONOTONIC_TIMESTAMP") || Entry::wants(name)
    })
}

/// `NAME=value` or `NAME`, as the export form has it.
fn is_field(line: &str) -> bool {
    is_name(line.split_once('=').map_or(line, |(name, _)| name))
}

/// The name of a field of the journal.
fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    !name.is_empty() && name.len() <= 64 && name.bytes().all(plain)
}
