//! Rows of `ps`; the header gives the columns.

use super::Process;

/// The columns of a listing, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    count: usize,
    pid: usize,
    state: Option<usize>,
    wait_channel: Option<usize>,
}

/// The columns of `ps aux`, whose rows are recognised without their header, because searches cut it
/// off.
const AUX: Columns = Columns { count: 11, pid: 1, state: Some(7), wait_channel: None };

impl Columns {
    /// Parses a header, `USER PID … STAT START TIME COMMAND`.
    pub(super) fn of(header: &str) -> Option<Self> {
        if !header.contains("PID") {
            return None;
        }
        let is_name = |word: &str| {
            word.bytes().all(|byte| byte.is_ascii_uppercase() || b"%_/+".contains(&byte))
        };
        let (mut pid, mut state, mut wait_channel, mut count, mut last) = (None, None, None, 0, "");
        for (column, word) in header.split_ascii_whitespace().enumerate() {
            if !is_name(word) {
                return None;
            }
            match word {
                "PID" => pid = Some(column),
                "STAT" | "S" => state = Some(column),
                "WCHAN" => wait_channel = Some(column),
                _ => {}
            }
            (count, last) = (column + 1, word);
        }
        let pid = pid.filter(|_| matches!(last, "COMMAND" | "CMD" | "ARGS" | "COMM" | "UCMD"))?;
        Some(Self { count, pid, state, wait_channel })
    }

    /// Parses a row; `None` if the line is not a row, so that the listing has ended.
    pub(super) fn row<'a>(&self, line: &'a str) -> Option<Process<&'a str>> {
        let (mut pid, mut state, mut wait_channel) = (None, "", None);
        let mut rest = line.trim_start();
        for column in 0..self.count.checked_sub(1)? {
            let (word, behind) = rest.split_once([' ', '\t'])?;
            rest = behind.trim_start();
            if column == self.pid {
                pid = Some(word.parse().ok()?);
            } else if Some(column) == self.state {
                state = Some(word).filter(|word| is_state(word))?;
            } else if Some(column) == self.wait_channel {
                wait_channel = Some(word).filter(|&word| word != "-" && word != "0");
            }
        }
        let command = rest.trim_end();
        (!command.is_empty()).then_some(Process { pid: pid?, state, wait_channel, command })
    }
}

/// Parses a row of `ps aux` without a header.
pub(super) fn bare_row(line: &str) -> Option<Process<&str>> {
    // The second word is a number; nearly all other texts fail here.
    let mut words = line.split_ascii_whitespace().skip(1);
    let number = |word: Option<&str>| {
        word.is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let share = |word: Option<&str>| word.is_some_and(|word| word.parse::<f32>().is_ok());
    let shaped = number(words.next())
        && share(words.next())
        && share(words.next())
        && number(words.next())
        && number(words.next());
    if shaped { AUX.row(line) } else { None }
}

/// `D`, `Ssl+`, `I<`: a letter for the state (`PROCESS STATE CODES` of ps(1)), then flags.
fn is_state(word: &str) -> bool {
    let mut bytes = word.bytes();
    bytes.next().is_some_and(|byte| b"DIRSTtWXZLNPU".contains(&byte))
        && word.len() <= 6
        && bytes.all(|byte| b"<NLsl+EWVXx".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_decides_which_column_is_which() {
        let columns = Columns::of("    PID STAT WCHAN                            COMMAND").unwrap();
        let row = columns.row("   4720 D+   dma_fence_wait       game.exe -w 1").unwrap();
        let want = Process {
            pid: 4720,
            state: "D+",
            wait_channel: Some("dma_fence_wait"),
            command: "game.exe -w 1",
        };
        assert_eq!(row, want);
        for no in ["USER NAME COMMAND", "PID of the COMMAND", "", "PID STAT"] {
            assert_eq!(Columns::of(no), None, "{no}");
        }
        for no in ["", "4720", "pid D x y", "4720 ok so then"] {
            assert_eq!(columns.row(no), None, "{no}");
        }
    }

    #[test]
    fn a_row_of_ps_aux_is_known_without_its_header() {
        let row = bare_row("root 291 0.0 0.0 0 0 ? D< 09:48 0:01 [kworker/u64:5+ttm]").unwrap();
        assert_eq!((row.pid, row.state, row.command), (291, "D<", "[kworker/u64:5+ttm]"));
        assert_eq!(
            bare_row("took 291 ms and 0.0 more than it should have in all of the time"),
            None
        );
    }
}
