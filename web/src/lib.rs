//! amdtriage as a WebAssembly module: the page's worker calls the exported functions, and passes
//! bytes through the imported ones.
//!
//! Only numbers cross the boundary: a file is identified by its index in the page's list, and its
//! name is written into a buffer first. The worker does one thing at a time.

use std::cell::RefCell;
use std::io::{self, Read, Write};

use amdtriage::page::{ChosenFile, Page, PageFormat, Redaction};

// Functions of the worker. A pointer and a length describe a buffer.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Rewinds a file.
    safe fn rewind(file: u32);
    /// Reads the next bytes of a file: returns their number, 0 at its end, a negative number on an
    /// error.
    safe fn read(file: u32, to: *mut u8, length: usize) -> i32;
    /// Appends bytes to the answer.
    safe fn write(from: *const u8, length: usize);
    /// Marks the end of a log in the answer.
    safe fn end_log();
    /// Shows a message to the user.
    safe fn say(from: *const u8, length: usize);
}

/// The size of one write of the answer, in bytes.
const PIECE: usize = 256 << 10;

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

#[derive(Default)]
struct State {
    /// The buffer for the name of a file.
    name: Vec<u8>,
    page: Option<Page>,
    redaction: Option<Redaction>,
}

/// A file of the page, read from its beginning.
struct File(u32);

impl File {
    fn open(file: u32) -> Self {
        rewind(file);
        Self(file)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = read(self.0, buffer.as_mut_ptr(), buffer.len());
        usize::try_from(count).map_err(|_| io::Error::other("the browser cannot read it"))
    }
}

/// The answer, collected by the worker.
struct Answer;

impl Write for Answer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write(bytes.as_ptr(), bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn tell(sentence: &str) {
    say(sentence.as_ptr(), sentence.len());
}

impl State {
    fn chosen(&self, modified: i64, offset: i32) -> ChosenFile {
        let name = String::from_utf8_lossy(&self.name).into_owned();
        ChosenFile { name, modified: modified.saturating_mul(1_000), offset }
    }
}

/// Initialises the module, and reports panics.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    std::panic::set_hook(Box::new(|panic| tell(&format!("amdtriage has a bug: {panic}"))));
    STATE.with_borrow_mut(|state| *state = State { page: Some(Page::new()), ..State::default() });
}

/// The buffer for the name of a file, with this length in UTF-8 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn name(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.name.clear();
        state.name.resize(length, 0);
        state.name.as_mut_ptr()
    })
}

/// Reads the named file, last modified at `modified` ms since 1970, `offset` seconds east of UTC.
#[unsafe(no_mangle)]
pub extern "C" fn triage(file: u32, modified: i64, offset: i32) {
    STATE.with_borrow_mut(|state| {
        let chosen = state.chosen(modified, offset);
        let Some(page) = &mut state.page else { return };
        let before = page.messages().len();
        page.read(&chosen, File::open(file));
        page.messages().iter().skip(before).for_each(|said| tell(said));
    });
}

/// Writes the report: 0 for JSON, 1 for HTML, else Markdown.
#[unsafe(no_mangle)]
pub extern "C" fn report(form: u32) {
    let form = match form {
        0 => PageFormat::Json,
        1 => PageFormat::Html,
        _ => PageFormat::Markdown,
    };
    STATE.with_borrow(|state| {
        let mut out = io::BufWriter::with_capacity(PIECE, Answer);
        let written =
            state.page.as_ref().map(|page| page.write(form, &mut out).and_then(|()| out.flush()));
        if let Some(Err(error)) = written {
            tell(&error.to_string());
        }
    });
}

/// Whether the report contains a log: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn has_logs() -> u32 {
    STATE.with_borrow(|state| state.page.as_ref().is_some_and(|page| !page.is_empty()).into())
}

/// Learns private values from the named file: 1, 2 if it is not a log, 0 on an error.
#[unsafe(no_mangle)]
pub extern "C" fn learn(file: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        let chosen = state.chosen(0, 0);
        let redaction = state.redaction.get_or_insert_default();
        match redaction.learn(&chosen, File::open(file)) {
            Ok(true) => 1,
            Ok(false) => 2,
            Err(why) => done(Err(why)),
        }
    })
}

/// Writes each log of the named file, redacted; 0 on an error.
#[unsafe(no_mangle)]
pub extern "C" fn redact(file: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        let chosen = state.chosen(0, 0);
        let redaction = state.redaction.get_or_insert_default();
        let mut out = io::BufWriter::with_capacity(PIECE, Answer);
        let mut ended = |out: &mut io::BufWriter<Answer>| {
            out.flush()?;
            end_log();
            Ok(())
        };
        done(redaction.write(&chosen, File::open(file), &mut out, &mut ended))
    })
}

/// Reports warnings about the output.
#[unsafe(no_mangle)]
pub extern "C" fn tell_excess() {
    STATE.with_borrow(|state| {
        if let Some(excess) = state.redaction.as_ref().and_then(Redaction::excess) {
            tell(&excess);
        }
    });
}

/// Verifies the output, which the page passes as a file: 0 if private values are left.
#[unsafe(no_mangle)]
pub extern "C" fn look_again(file: u32) -> u32 {
    STATE.with_borrow_mut(|state| {
        let redaction = state.redaction.get_or_insert_default();
        match redaction.left(File::open(file)) {
            Ok(lines) if lines.is_empty() => 1,
            Ok(lines) => {
                let lines: Vec<String> = lines.iter().take(20).map(u64::to_string).collect();
                tell(&format!("private data would be left in line {}", lines.join(", ")));
                0
            }
            Err(error) => done(Err(error)),
        }
    })
}

fn done(outcome: Result<(), String>) -> u32 {
    match outcome {
        Ok(()) => 1,
        Err(why) => {
            tell(&why);
            0
        }
    }
}
