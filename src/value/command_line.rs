//! A kernel command line.

/// The words of a command line; spaces in quotes do not separate words, as in `lib/cmdline.c`
/// (`next_arg`).
pub(crate) fn command_line_words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c.is_whitespace() && !quoted => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            c => word.push(c),
        }
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_words_together() {
        let line = "ro quiet  amdgpu.dcdebugmask=0x10 dyndbg=\"file a.c +p\" --";
        assert_eq!(
            command_line_words(line),
            ["ro", "quiet", "amdgpu.dcdebugmask=0x10", "dyndbg=file a.c +p", "--"]
        );
    }
}
