//! Recognises a Python traceback whose last line, which names the error, is missing: people copy a
//! part of it.

/// What ends the name of an exception.
const NAMES: [&str; 4] = ["Error", "Exception", "Interrupt", "Exit"];

/// The heading of frames: `Traceback (most recent call last):`, and faulthandler's
/// `Thread 0x1 (most recent call first):`.
const CALLS: &str = "(most recent call ";
const FIRST: &str = "(most recent call first)";
/// Maximum number of lines from a frame to the line with the error: its code, and what marks a part
/// of that.
const BEHIND: u64 = 3;

/// The traceback that the lines so far have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TracebackSearch {
    /// Its frames since the last line that names an error.
    open: Option<Unfinished>,
    /// Whether the frames are of a dump of a running program, which no error ends.
    is_dump: bool,
}

/// The frames of a traceback that no line with an error follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unfinished {
    /// The line of the first frame, from 1.
    pub(crate) first: u64,
    /// The line of the last frame.
    pub(crate) last: u64,
}

impl TracebackSearch {
    /// Looks at the next line.
    pub(super) fn see(&mut self, line: u64, text: &str) {
        if text.contains(CALLS) {
            self.is_dump = text.contains(FIRST);
        }
        if is_frame(text) && !self.is_dump {
            let first = self.open.map_or(line, |open| open.first);
            self.open = Some(Unfinished { first, last: line });
        } else if let Some(open) = self.open
            && (names_an_error(text) || line <= open.last + BEHIND && begins_with_a_class(text))
        {
            self.open = None;
        }
    }

    /// The traceback without an end.
    pub(super) const fn unfinished(&self) -> Option<Unfinished> {
        self.open
    }
}

/// Whether this is a frame: `  File "/usr/lib/python3/x.py", line 195, in run`.
///
/// Source: `traceback.py` of Python, `StackSummary.format_frame_summary`.
fn is_frame(text: &str) -> bool {
    let behind = text.split_once("File \"").and_then(|(_, rest)| rest.split_once("\", line "));
    behind.is_some_and(|(_, rest)| {
        let number = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        number.len() < rest.len() && number.starts_with(", in ")
    })
}

/// Whether this line names an exception, as the last line of a traceback does: `ValueError: x`,
/// `torch.OutOfMemoryError: HIP out of memory`, `KeyboardInterrupt`.
fn names_an_error(text: &str) -> bool {
    let is_name = |word: &str| NAMES.iter().any(|name| word.ends_with(name));
    let text = text.trim_end();
    text.split_whitespace().any(|word| word.strip_suffix(':').is_some_and(is_name))
        || text.rsplit(char::is_whitespace).next().is_some_and(is_name)
}

/// Whether the name of a class alone, or one before a colon, begins this line, which is not
/// indented: `StopIteration`, `json.decoder.JSONDecodeFail: x`.
fn begins_with_a_class(text: &str) -> bool {
    let name = text.trim_end().split_once(": ").map_or(text.trim_end(), |(name, _)| name);
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.split('.').all(is_word)
        && name
            .rsplit('.')
            .next()
            .is_some_and(|class| class.starts_with(|c: char| c.is_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME: &str = "(APIServer pid=29183)   File \"/x/runners.py\", line 195, in run";

    fn unfinished(lines: &[&str]) -> Option<(u64, u64)> {
        let mut search = TracebackSearch::default();
        for (line, text) in (1..).zip(lines) {
            search.see(line, text);
        }
        search.unfinished().map(|Unfinished { first, last }| (first, last))
    }

    #[test]
    fn a_traceback_without_its_last_line_is_unfinished() {
        let code = "(APIServer pid=29183)     return await main";
        assert_eq!(unfinished(&["# title", FRAME, code, FRAME, code, "```"]), Some((2, 4)));
        for error in [
            "RuntimeError: HIP error: invalid device function",
            "(EngineCore pid=7) torch.OutOfMemoryError: HIP out of memory.",
            "KeyboardInterrupt",
        ] {
            assert_eq!(unfinished(&[FRAME, code, error, "What else can I try?"]), None, "{error}");
        }
        let code = "    main()";
        for class in ["StopIteration", "json.decoder.JSONDecodeFail: x", "torch.cuda.Foo"] {
            assert_eq!(unfinished(&[FRAME, code, class]), None, "{class}");
        }
        assert_eq!(unfinished(&[FRAME, code, "", "", "Environment: Ubuntu"]), Some((1, 1)));
        let dump = "faulthandler: Thread 0x1 (most recent call first):";
        assert_eq!(unfinished(&[dump, FRAME]), None);
        let whole = "Traceback (most recent call last):";
        assert_eq!(unfinished(&[dump, FRAME, whole, FRAME]), Some((4, 4)));
        assert_eq!(unfinished(&["File \"x.py\" is missing, line 7, in my text"]), None);
    }
}
