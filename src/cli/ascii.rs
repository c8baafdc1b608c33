//! Restricts output to ASCII for terminals whose locale has no other characters: the program's own
//! characters get a counterpart, and those from a log are escaped.

use std::io::{self, Write};

/// A writer that passes on only ASCII.
pub(super) struct Ascii<W> {
    out: W,
    /// The bytes of an incomplete character.
    begun: Vec<u8>,
}

impl<W: Write> Ascii<W> {
    pub(super) const fn new(out: W) -> Self {
        Self { out, begun: Vec::new() }
    }

    fn text(&mut self, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| !c.is_ascii()) {
            let (plain, other) = rest.split_at(at);
            self.out.write_all(plain.as_bytes())?;
            let mut characters = other.chars();
            if let Some(character) = characters.next() {
                self.character(character)?;
            }
            rest = characters.as_str();
        }
        self.out.write_all(rest.as_bytes())
    }

    fn character(&mut self, character: char) -> io::Result<()> {
        match counterpart(character) {
            Some(text) => self.out.write_all(text.as_bytes()),
            None => write!(self.out, "{}", character.escape_unicode()),
        }
    }
}

/// The ASCII counterpart of a character that this program prints.
const fn counterpart(character: char) -> Option<&'static str> {
    Some(match character {
        '…' => "...",
        '–' | '—' | '−' | '─' => "-",
        '×' => "x",
        '→' => "->",
        '←' => "<-",
        '≥' => ">=",
        '≤' => "<=",
        '±' => "+/-",
        'µ' | 'μ' => "u",
        '°' => " deg",
        '·' | '•' => "*",
        '│' => "|",
        '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' => "+",
        '█' | '▓' | '▒' | '░' => "#",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '\u{a0}' => " ",
        _ => return None,
    })
}

impl<W: Write> Write for Ascii<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        for chunk in all.utf8_chunks() {
            self.text(chunk.valid())?;
            let invalid = chunk.invalid();
            // An incomplete character waits for its remaining bytes.
            if is_beginning(invalid) && all.ends_with(invalid) {
                invalid.clone_into(&mut self.begun);
            } else {
                for byte in invalid {
                    write!(self.out, "\\x{byte:02x}")?;
                }
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Whether the bytes are the beginning of a character.
fn is_beginning(bytes: &[u8]) -> bool {
    let incomplete = std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none());
    !bytes.is_empty() && incomplete
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_without_utf_8_gets_ascii() {
        for (text, want) in [
            ("a … b → c 5× ▒", "a ... b -> c 5x #"),
            ("größer", "gr\\u{f6}\\u{df}er"),
            ("plain\n", "plain\n"),
        ] {
            let mut out = Vec::new();
            let mut filter = Ascii::new(&mut out);
            // The result does not depend on how the bytes are split.
            for byte in text.bytes() {
                filter.write_all(&[byte]).unwrap();
            }
            drop(filter);
            assert_eq!(String::from_utf8(out).unwrap(), want);
        }
        let mut out = Vec::new();
        Ascii::new(&mut out).write_all(b"a\xffb").unwrap();
        assert_eq!(out, b"a\\xffb");
    }
}
