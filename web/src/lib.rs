//! amdtriage as a module of WebAssembly: the page's worker calls what is exported here, and hands in and takes out
//! bytes by what is imported.
//!
//! There is no more of a boundary than numbers: a file is known by its place in the list that the page holds, and
//! its name is put into a buffer first. One thing is done at a time, in one worker.

use std::cell::RefCell;
use std::io::{self, Read, Write};

use amdtriage::page::{Chosen, Form, Page, Redaction};

// What the worker does for us. A pointer and a length say where bytes are or go to.
#[link(wasm_import_module = "page")]
unsafe extern "C" {
    /// Begins a file anew.
    safe fn rewind(file: u32);
    /// Puts the next bytes of a file at a place: how many, none at its end, less than none where it cannot be read.
    safe fn read(file: u32, to: *mut u8, length: usize) -> i32;
    /// Takes bytes of the answer.
    safe fn write(from: *const u8, length: usize);
    /// What was taken until now is one whole log.
    safe fn end_log();
    /// Takes a sentence for the one who waits.
    safe fn say(from: *const u8, length: usize);
}

/// How many bytes of the answer are handed over at once.
const PIECE: usize = 256 << 10;

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

#[derive(Default)]
struct State {
    /// Where the worker puts the name of a file.
    name: Vec<u8>,
    page: Option<Page>,
    redaction: Option<Redaction>,
}

/// A file that the page holds, read from its beginning.
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

/// The answer, as the worker collects it.
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
    fn chosen(&self, modified: i64, offset: i32) -> Chosen {
        let name = String::from_utf8_lossy(&self.name).into_owned();
        Chosen { name, modified: modified.saturating_mul(1_000), offset }
    }
}

/// Says why the program stopped, should it have a mistake.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    std::panic::set_hook(Box::new(|panic| tell(&format!("amdtriage has a bug: {panic}"))));
    STATE.with_borrow_mut(|state| *state = State { page: Some(Page::new()), ..State::default() });
}

/// Where the name of a file goes, so many bytes of UTF-8.
#[unsafe(no_mangle)]
pub extern "C" fn name(length: usize) -> *mut u8 {
    STATE.with_borrow_mut(|state| {
        state.name.clear();
        state.name.resize(length, 0);
        state.name.as_mut_ptr()
    })
}

/// Reads the file that was named, last written at `modified` ms since 1970, `offset` seconds east of UTC.
#[unsafe(no_mangle)]
pub extern "C" fn triage(file: u32, modified: i64, offset: i32) {
    STATE.with_borrow_mut(|state| {
        let chosen = state.chosen(modified, offset);
        let Some(page) = &mut state.page else { return };
        let before = page.said().len();
        page.read(&chosen, File::open(file));
        page.said().iter().skip(before).for_each(|said| tell(said));
    });
}

/// Writes the report on all that was read: 0 for JSON, 1 for HTML, else Markdown.
#[unsafe(no_mangle)]
pub extern "C" fn report(form: u32) {
    let form = match form {
        0 => Form::Json,
        1 => Form::Html,
        _ => Form::Markdown,
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

/// Whether anything is in the report: 1, or 0.
#[unsafe(no_mangle)]
pub extern "C" fn has_logs() -> u32 {
    STATE.with_borrow(|state| state.page.as_ref().is_some_and(|page| !page.is_empty()).into())
}

/// Shows the file that was named to what takes out private values: 1, 2 where it is no log, 0 where that cannot be.
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

/// Writes each log of the file that was named without private values; 0 where that cannot be.
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

/// Says what is to be known of all that was written.
#[unsafe(no_mangle)]
pub extern "C" fn tell_excess() {
    STATE.with_borrow(|state| {
        if let Some(excess) = state.redaction.as_ref().and_then(Redaction::excess) {
            tell(&excess);
        }
    });
}

/// Looks again at what was written, which the page holds as a file: 0 where something private is left.
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
