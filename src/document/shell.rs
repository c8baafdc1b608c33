//! Wraps shell commands so that they can still be copied.

use super::width::columns;

/// The indentation of continuation lines.
const INDENT: &str = "  ";

/// Breaks `command` into lines of at most `width` columns: after `&&`, `||`, `|` and `;`, where a shell
/// continues with the next line, else at a space with a backslash. Quoted text is not broken.
pub(crate) fn folded(command: &str, width: usize) -> Vec<String> {
    if columns(command) <= width {
        return vec![command.to_owned()];
    }
    let words = words(command);
    let mut lines = Vec::new();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        let indent = if lines.is_empty() { "" } else { INDENT };
        let count = fitting(rest, width.saturating_sub(indent.len()));
        let (line, behind) = rest.split_at(count);
        let goes_on = behind.is_empty() || line.last().is_some_and(|word| continues(word));
        let end = if goes_on { "" } else { " \\" };
        lines.push(format!("{indent}{}{end}", line.join(" ")));
        rest = behind;
    }
    lines
}

/// The number of `words` for one line: up to a word after which a shell continues with the next
/// line, if there is one.
fn fitting(words: &[&str], width: usize) -> usize {
    let mut used = 0;
    let mut fits = 0;
    for (index, word) in words.iter().enumerate() {
        used += columns(word) + usize::from(index > 0);
        let room = if index + 1 == words.len() || continues(word) { 0 } else { 2 };
        if used + room > width {
            break;
        }
        fits = index + 1;
    }
    let by_itself = words[..fits].iter().rposition(|word| continues(word));
    match by_itself {
        Some(at) if fits < words.len() => at + 1,
        _ => fits.max(1),
    }
}

/// Whether a shell continues with the next line after this word.
fn continues(word: &str) -> bool {
    let ends_a_command = word.ends_with(';') && !word.ends_with("\\;") && !word.ends_with(";;");
    matches!(word, "&&" | "||" | "|") || ends_a_command
}

/// The words of a line, with quotes and quoted text intact.
fn words(command: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let (mut start, mut quote, mut escaped) = (0, None, false);
    for (at, c) in command.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (None | Some('"'), '\\') => escaped = true,
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            (None, ' ') => {
                words.push(&command[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&command[start..]);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folded_command_is_the_same_command() {
        let command =
            "sudo apt update && sudo apt install -t trixie-backports 'a  b' \"c d\" | tee x";
        let lines = folded(command, 40);
        let want = [
            "sudo apt update &&",
            "  sudo apt install -t trixie-backports \\",
            "  'a  b' \"c d\" | tee x",
        ];
        assert_eq!(lines, want);
        let reboot = folded("(sync &); sleep 10; sudo systemctl reboot -i", 40);
        assert_eq!(reboot, ["(sync &); sleep 10;", "  sudo systemctl reboot -i"]);
        for (command, want) in [("uname -r", "uname -r"), ("", "")] {
            assert_eq!(folded(command, 40), [want]);
        }
        assert_eq!(folded("averylongword b", 5), ["averylongword \\", "  b"]);
    }
}
