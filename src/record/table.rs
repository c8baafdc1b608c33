//! Rows of a table, as log stores and spreadsheets export them: CSV, separated by commas,
//! semicolons or tabs. Independent of envelopes, which the text of a row may have.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::Wall;
use super::envelope::Priority;
use super::flow::Time;
use super::scan::Scan;
use super::stamp;

/// Follows the name of a program in a line of a log, and is in no heading.
static COLON: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(": "));
/// Possible separators of cells.
const SEPARATORS: [u8; 3] = *b",;\t";
/// Maximum length of the heading in bytes.
const LONGEST_HEAD: usize = 2000;
/// Maximum number of cells in a row.
const MOST_CELLS: usize = 64;
/// Maximum length of a cell with a date.
const LONGEST_DATE: usize = 40;
/// In a table without a heading, maximum length of the cells before the text.
const HEAD: usize = 240;

/// The meaning of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Time,
    Host,
    Program,
    Level,
    Text,
    /// Who wrote a message that is not from a log: a mail, a chat.
    Person,
    /// What such a message is about.
    Title,
    Other,
}

/// Who is named in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Machine,
    Person,
}

/// Names of columns in log stores and logging libraries.
const NAMES: [(Column, &str); 7] = [
    (
        Column::Time,
        "time timestamp @timestamp _time date datetime ts tsns date_time time_received \
         __realtime_timestamp",
    ),
    (Column::Host, "host hostname host.name host.hostname _hostname node machine nodename"),
    (
        Column::Program,
        "program process process.name appname app app_name ident identifier syslog_identifier \
         syslog.identifier syslog.appname tag programname facility syslog_facility source",
    ),
    (
        Column::Level,
        "level severity priority log.level loglevel detected_level level_name \
         syslog.severity.label",
    ),
    (
        Column::Text,
        "message msg _raw raw line log text event event.original log.message body content",
    ),
    (
        Column::Person,
        "author authorid author_id from sender to user user.name username user_name userid user_id",
    ),
    (Column::Title, "subject title"),
];

impl Column {
    fn named(name: &str) -> Self {
        let name = name.trim().to_lowercase();
        let called = |names: &str| names.split_ascii_whitespace().any(|known| known == name);
        NAMES.iter().find(|(_, names)| called(names)).map_or(Self::Other, |(column, _)| *column)
    }
}

/// The layout of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    separator: u8,
    columns: Vec<Column>,
}

/// A row.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    pub(super) time: Time,
    pub(super) host: Option<Cow<'a, str>>,
    pub(super) program: Option<Cow<'a, str>>,
    level: Option<Cow<'a, str>>,
    pub(super) text: Cow<'a, str>,
}

impl Table {
    /// From the row with the names of columns of a log.
    pub(super) fn headed(line: &str) -> Option<Self> {
        let is_of_log = |column: &Column| !matches!(column, Column::Person | Column::Title);
        Self::of_messages(line).filter(|table| table.columns.iter().all(is_of_log))
    }

    /// From the row with the names of columns of a log, or of mails or a chat.
    pub(crate) fn of_messages(line: &str) -> Option<Self> {
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        // A fast check excludes most lines.
        if line.len() > LONGEST_HEAD || COLON.find(line.as_bytes()).is_some() {
            return None;
        }
        let (separator, cells) = SEPARATORS.iter().find_map(|&separator| {
            let cells = cells(line, separator, MOST_CELLS)?;
            (cells.len() > 1).then_some((separator, cells))
        })?;
        let columns: Vec<Column> = cells.iter().map(|cell| Column::named(cell)).collect();
        let texts = columns.iter().filter(|column| **column == Column::Text).count();
        let has = |column| columns.contains(&column);
        let of_log = has(Column::Time) || has(Column::Program);
        (texts == 1 && of_log).then_some(Self { separator, columns })
    }

    /// From a row without a heading. `begins` returns whether a cell is a line of the kernel.
    pub(super) fn guessed(line: &str, begins: impl Fn(&str) -> bool) -> Option<Self> {
        let may_separate =
            |separator: &&u8| line.bytes().take(HEAD).any(|byte| byte == **separator);
        SEPARATORS.iter().filter(may_separate).find_map(|&separator| {
            let cells = cells(line, separator, MOST_CELLS)?;
            let text = cells.iter().position(|cell| begins(cell))?;
            let before = cells[..text].iter().map(|cell| cell.len()).sum::<usize>();
            let mut columns: Vec<Column> = cells.iter().map(|cell| Column::holding(cell)).collect();
            // In a text without quotes each separator seems to end it.
            let quoted = cells.len() == text + 1 || columns[text + 1..].contains(&Column::Time);
            if !quoted {
                columns.truncate(text + 1);
            }
            columns[text] = Column::Text;
            let of_log = columns.iter().any(|one| matches!(one, Column::Time | Column::Program));
            (of_log && before <= HEAD).then_some(Self { separator, columns })
        })
    }

    /// The names of machines and people in a row, with their positions in the line.
    pub(crate) fn names(&self, line: &str) -> Vec<(NameKind, Range<usize>, String)> {
        let names = |column: &Column| matches!(column, Column::Host | Column::Person);
        if !self.columns.iter().any(names) {
            return Vec::new();
        }
        let cells = raw_cells(line, self.separator, self.columns.len()).unwrap_or_default();
        let is_row = self.is_dated(&cells);
        let mut list = Vec::new();
        for (column, cell) in self.columns.iter().zip(&cells) {
            let name = cell.text.trim();
            let (who, name) = match column {
                // What else is in the row, and whether it is complete, does not matter.
                Column::Host => {
                    (NameKind::Machine, name.split_once(':').map_or(name, |(host, _port)| host))
                }
                Column::Person if is_row => (NameKind::Person, name),
                Column::Person
                | Column::Time
                | Column::Program
                | Column::Level
                | Column::Text
                | Column::Title
                | Column::Other => continue,
            };
            let start = name.as_ptr().addr() - line.as_ptr().addr();
            let text = RawCell { text: name, ..*cell }.plain().into_owned();
            let fits = match who {
                NameKind::Machine => is_word(&text),
                NameKind::Person => is_person(&text),
            };
            if fits {
                list.push((who, start..start + name.len(), text));
            }
        }
        list
    }

    /// Whether these are all cells of a row, with a date or a number where the time should be: text
    /// that is no row has commas, too.
    fn is_dated(&self, cells: &[RawCell<'_>]) -> bool {
        let is_date = |text: &str| {
            text.len() <= LONGEST_DATE && text.bytes().filter(u8::is_ascii_digit).count() >= 4
        };
        let mut times =
            self.columns.iter().zip(cells).filter(|(column, _)| **column == Column::Time);
        cells.len() == self.columns.len() && times.any(|(_, cell)| is_date(cell.text))
    }

    /// Parses the line as a row.
    pub(super) fn row<'a>(&self, line: &'a str) -> Option<Row<'a>> {
        let cells = cells(line, self.separator, self.columns.len())?;
        let mut row = Row {
            time: Time::default(),
            host: None,
            program: None,
            level: None,
            text: Cow::Borrowed(""),
        };
        if cells.len() != self.columns.len() {
            return None;
        }
        for (column, cell) in self.columns.iter().zip(cells) {
            match column {
                Column::Time if cell.trim().is_empty() => {}
                Column::Time => {
                    let read = time(cell.trim())?;
                    row.time = if row.time == Time::default() { read } else { row.time };
                }
                Column::Host => row.host = Some(cell).filter(|host| is_word(host)),
                Column::Program => {
                    row.program = Some(cell).filter(|name| is_word(name) && !is_collector(name));
                }
                Column::Level => row.level = Some(cell),
                Column::Text => row.text = cell,
                Column::Person | Column::Title | Column::Other => {}
            }
        }
        Some(row)
    }
}

impl Column {
    /// The meaning of a cell without a heading.
    fn holding(cell: &str) -> Self {
        let cell = cell.trim();
        if is_kernel(cell) {
            return Self::Program;
        }
        if Priority::named("kern", &cell.to_lowercase()).is_some() {
            return Self::Level;
        }
        match time(cell) {
            // A number may mean anything.
            Some(time) if time.wall.is_some() => Self::Time,
            _ => Self::Other,
        }
    }
}

impl Row<'_> {
    /// Whether the row names the kernel as its source; `None` if it names no source.
    pub(super) fn is_of_kernel(&self) -> Option<bool> {
        self.program.as_deref().map(is_kernel)
    }

    /// The priority of the row.
    pub(super) fn priority(&self) -> Option<Priority> {
        let level = self.level.as_deref()?.trim().to_lowercase();
        let number = || level.parse().ok().filter(|level| (0..8).contains(level));
        Priority::named("kern", &level).or_else(|| Priority::of(number()?))
    }
}

fn is_kernel(name: &str) -> bool {
    matches!(name.trim().trim_end_matches(':'), "kernel" | "kern" | "vmlinux")
}

/// Whether a source is the file or program through which a line was collected.
fn is_collector(name: &str) -> bool {
    const COLLECTORS: [&str; 9] =
        ["syslog", "rsyslog", "journal", "journald", "dmesg", "kmsg", "stdout", "stderr", "file"];
    name.contains(['/', '.', '\\']) || COLLECTORS.contains(&name)
}

fn is_word(cell: &str) -> bool {
    !cell.is_empty() && cell.len() <= 64 && !cell.contains(char::is_whitespace)
}

/// Whether a cell may be the name of a person or of an account.
fn is_person(cell: &str) -> bool {
    !cell.is_empty() && cell.len() <= 64 && !cell.contains(['\n', '\t'])
}

/// A cell as it is in the line, without its quotes.
#[derive(Clone, Copy, Debug)]
struct RawCell<'a> {
    text: &'a str,
    quoted: bool,
}

impl<'a> RawCell<'a> {
    /// What the cell says: quotes in quotes are doubled.
    fn plain(self) -> Cow<'a, str> {
        if self.quoted && self.text.contains("\"\"") {
            return self.text.replace("\"\"", "\"").into();
        }
        self.text.into()
    }
}

/// The cells of a row, at most `most`: the rest belongs to the last one. `None` if a quote does not
/// end at the end of a cell.
fn cells(line: &str, separator: u8, most: usize) -> Option<Vec<Cow<'_, str>>> {
    Some(raw_cells(line, separator, most)?.into_iter().map(RawCell::plain).collect())
}

fn raw_cells(line: &str, separator: u8, most: usize) -> Option<Vec<RawCell<'_>>> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        let quotes = rest.strip_prefix('"');
        let (text, behind) = match quotes {
            Some(inner) => quoted(inner, separator)?,
            None if cells.len() + 1 == most => (rest, None),
            None => match memchr::memchr(separator, rest.as_bytes()) {
                Some(at) => (&rest[..at], Some(&rest[at + 1..])),
                None => (rest, None),
            },
        };
        cells.push(RawCell { text, quoted: quotes.is_some() });
        match behind {
            Some(behind) if cells.len() < most => rest = behind,
            Some(_) => return None,
            None => return Some(cells),
        }
    }
}

/// The text after an opening quote, and the rest after the cell. Quotes in it are doubled. A text
/// may continue on the next line.
fn quoted(inner: &str, separator: u8) -> Option<(&str, Option<&str>)> {
    let mut from = 0;
    loop {
        let Some(end) = memchr::memchr(b'"', &inner.as_bytes()[from..]).map(|at| from + at) else {
            return Some((inner, None));
        };
        let behind = &inner[end + 1..];
        match behind.as_bytes().first() {
            None => return Some((&inner[..end], None)),
            Some(b'"') => from = end + 2,
            Some(&byte) if byte == separator => {
                return Some((&inner[..end], Some(&behind[1..])));
            }
            Some(_) => return None,
        }
    }
}

/// The time in a cell.
fn time(cell: &str) -> Option<Time> {
    if let Some(wall) = epoch(cell).or_else(|| date(cell)) {
        return Some(Time { wall: Some(wall), ..Time::default() });
    }
    let mut scan = Scan::new(cell);
    let monotonic = scan.seconds().filter(|_| scan.rest().is_empty())?;
    Some(Time { monotonic: Some(monotonic), ..Time::default() })
}

/// Seconds since 1970 with or without a fraction, or a finer unit.
fn epoch(cell: &str) -> Option<Wall> {
    if cell.contains('.') {
        let mut scan = Scan::new(cell);
        return stamp::unix(&mut scan).filter(|_| scan.rest().is_empty());
    }
    let number: i64 = cell.parse().ok()?;
    let micros = match cell.len() {
        10 => number.checked_mul(1_000_000)?,
        13 => number.checked_mul(1_000)?,
        16 => number,
        19 => number / 1_000,
        _ => return None,
    };
    (micros > 0).then(|| Wall::universal(micros))
}

/// A date with a time of day: `2026-11-19T10:33:00.204Z`, `Nov 19, 2026 @ 10:33:00.204`.
fn date(cell: &str) -> Option<Wall> {
    let mut scan = Scan::new(cell);
    if let Some((wall, _)) = scan.attempt(stamp::iso) {
        let zone = scan.rest().trim();
        let offset = wall.offset.or(matches!(zone, "UTC" | "GMT").then_some(0));
        let named = zone.len() <= 5 && zone.bytes().all(|byte| byte.is_ascii_alphabetic());
        return named.then_some(Wall { offset, ..wall });
    }
    let cell = cell.replace(" @ ", " ");
    let mut scan = Scan::new(&cell);
    stamp::loose(&mut scan).filter(|_| scan.rest().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Micros;

    /// The clock of a row, and its text.
    fn clock_and_text(table: &Table, line: &str) -> Option<(Option<Micros>, String)> {
        let row = table.row(line)?;
        Some((row.time.wall.map(|wall| wall.local), row.text.into_owned()))
    }

    #[test]
    fn columns_are_known_by_their_names() {
        for (header, line) in [
            ("time,source,level,message", "2026-11-19T10:33:00Z,x,err,\"a, \"\"b\"\"\""),
            ("@timestamp;host.name;message", "\"Nov 19, 2026 @ 10:33:00.000\";m;a, \"b\""),
            ("Date\tLine\ttsNs", "2026-11-19 10:33:00\t\"a, \"\"b\"\"\"\t1795080780000000000"),
            ("\"_time\",\"_raw\"", "\"2026-11-19T10:33:00.000+0000\",\"a, \"\"b\"\"\""),
            ("timestamp,body", "1795084380000,a, \"b\""),
        ] {
            let table = Table::headed(header).unwrap();
            let want = (Some(Micros(1_795_084_380_000_000)), "a, \"b\"".to_owned());
            assert_eq!(clock_and_text(&table, line), Some(want), "{header}");
        }
    }

    #[test]
    fn a_row_is_read_by_its_columns() {
        let begins = |cell: &str| cell.starts_with("amdgpu ");
        let line = "2026-11-19T10:33:00Z,kernel,err,amdgpu x: a, b";
        let table = Table::guessed(line, begins).unwrap();
        let row = table.row(line).unwrap();
        assert_eq!((row.is_of_kernel(), &*row.text), (Some(true), "amdgpu x: a, b"));
        assert!(row.priority().is_some());
        let other = table.row("2026-11-19T10:33:01Z,chat,info,hello").unwrap();
        assert_eq!((other.is_of_kernel(), &*other.text), (Some(false), "hello"));
        assert_eq!(table.row("Nobody,says,so,here"), None);
        let table = Table::headed("time,source,message").unwrap();
        let of = |line: &str| table.row(line).and_then(|row| row.is_of_kernel());
        assert_eq!(of("2026-11-19T10:33:01Z,kernel,a"), Some(true));
        assert_eq!(of("2026-11-19T10:33:01Z,chat,a"), Some(false));
        assert_eq!(of("2026-11-19T10:33:01Z,/var/log/kern.log,a"), None);
    }

    #[test]
    fn machines_and_people_in_rows_are_named() {
        let table = Table::of_messages("AuthorID,Author,Date,Content,host").unwrap();
        let row = r#"7,"Velda ""Q"" Marl",2026-03-04 18:20,"a, b",rig7:514"#;
        let names = table.names(row);
        let want = [
            (NameKind::Person, "7"),
            (NameKind::Person, "Velda \"Q\" Marl"),
            (NameKind::Machine, "rig7"),
        ];
        let told: Vec<_> = names.iter().map(|(who, _, name)| (*who, name.as_str())).collect();
        assert_eq!(told, want);
        assert_eq!(&row[names[1].1.clone()], "Velda \"\"Q\"\" Marl");
        for line in ["well, I think, so, do you, rig7", "7,Velda", "Velda"] {
            assert!(
                table.names(line).iter().all(|(who, _, _)| *who == NameKind::Machine),
                "{line}"
            );
        }
        let table = Table::of_messages("time,message").unwrap();
        assert_eq!(table.names("2026-11-19T10:33:00Z,a"), []);
    }

    #[test]
    fn other_tables_are_not_logs() {
        for header in
            ["time, and the message", "author,date,content", "id,message", "message", "a;b;c", ""]
        {
            assert_eq!(Table::headed(header), None, "{header}");
        }
        let begins = |cell: &str| cell.starts_with("amdgpu ");
        for line in ["gpu-hang,error,amdgpu x: a", "see, amdgpu x: a", "12,amdgpu x: a", "\"a\"b,c"]
        {
            assert_eq!(Table::guessed(line, begins), None, "{line}");
        }
    }
}
