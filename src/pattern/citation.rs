//! Finds what a text cites of the kernel: identifiers, driver parameters, messages.

use serde::{Deserialize, Serialize};

/// Prefixes of identifiers in the driver and the subsystems below it.
const PREFIXES: [&str; 24] = [
    "amdgpu_",
    "amdkfd_",
    "dc_",
    "dma_fence_",
    "dmub_",
    "drm_",
    "gfx_v",
    "gfxhub_v",
    "gmc_v",
    "ih_v",
    "jpeg_v",
    "kfd_",
    "kgd2kfd_",
    "mes_v",
    "mmhub_v",
    "nbio_v",
    "psp_",
    "sdma_v",
    "smu_",
    "soc15_",
    "svm_range_",
    "ttm_",
    "vcn_v",
    "vpe_v",
];
/// Suffixes of `amdgpu.` that make it a file name.
const ENDINGS: [&str; 6] = ["c", "h", "ko", "conf", "rst", "toml"];
/// Placeholders for values in quoted messages.
const GAPS: [&str; 2] = ["(number)", "…"];

/// A citation of the kernel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Citation {
    /// A function or another identifier.
    Name(String),
    /// A parameter, without `amdgpu.`.
    Parameter(String),
    /// Quoted words that are long enough to be a message.
    Message(String),
}

/// The citations in `text`, sorted.
pub(crate) fn citations(text: &str) -> Vec<Citation> {
    let mut found: Vec<Citation> = names(text);
    for line in text.lines() {
        let quotes = line.split('"').skip(1).step_by(2);
        let messages = quotes.filter(|quote| is_message(quote));
        found.extend(messages.map(|quote| Citation::Message(quote.to_owned())));
    }
    found.sort();
    found.dedup();
    found
}

/// The citations in comments of a pattern file that have lines of their own.
pub(super) fn in_comments(file: &str) -> Vec<Citation> {
    let mut text = String::new();
    for line in file.lines().map(str::trim) {
        match line.strip_prefix('#') {
            // A quotation may continue on the next line.
            Some(comment) => text.extend([comment.trim_start_matches('#').trim(), " "]),
            None => text.push('\n'),
        }
    }
    citations(&text)
}

/// Whether `text` contains the words of a quote, in order, with anything in place of a value.
pub(crate) fn has_words(text: &str, quote: &str) -> bool {
    let quote = GAPS.iter().fold(quote.to_owned(), |quote, gap| quote.replace(gap, "\n"));
    let mut parts = quote.lines().map(str::trim).filter(|part| !part.is_empty());
    parts.try_fold(text, |rest, part| rest.split_once(part).map(|(_, behind)| behind)).is_some()
}

fn names(text: &str) -> Vec<Citation> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(is_word).map(|found| at + found) {
        let rest = &text[start..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        at = start + word.len();
        let behind = &text[at..];
        // Paths, parts of longer names, options of a program.
        if text[..start].ends_with(['/', '.', '-', '$']) {
            continue;
        }
        let second = behind.strip_prefix('.').filter(|rest| rest.starts_with(is_word));
        let second = second.map(|rest| &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())]);
        match second {
            Some(name) if word == "amdgpu" && !ENDINGS.contains(&name) => {
                found.push(Citation::Parameter(name.to_owned()));
            }
            None if is_name(word, behind) => found.push(Citation::Name(word.to_owned())),
            // An ordinary word, a file, or the name of a ring.
            Some(_) | None => {}
        }
    }
    found
}

fn is_name(word: &str, behind: &str) -> bool {
    let is_one = word.contains('_') && !word.ends_with('_');
    let is_code = behind.starts_with("()") || PREFIXES.iter().any(|one| word.starts_with(one));
    is_one && word.starts_with(|c: char| c.is_ascii_lowercase()) && is_code
}

/// Whether a quote is a message: four words, or three that begin like a sentence.
fn is_message(quote: &str) -> bool {
    let quote = GAPS.iter().fold(quote.trim().to_owned(), |quote, gap| quote.replace(gap, " "));
    let words = quote.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count();
    words > 3 || words == 3 && quote.starts_with(char::is_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parameters_and_messages_are_cited() {
        let name = |name: &str| Citation::Name(name.to_owned());
        let parameter = |name: &str| Citation::Parameter(name.to_owned());
        let message = |words: &str| Citation::Message(words.to_owned());
        for (text, want) in [
            (
                "asks amdgpu_device_should_use_aspm first.",
                vec![name("amdgpu_device_should_use_aspm")],
            ),
            ("then hung_task_check() says so", vec![name("hung_task_check")]),
            ("set amdgpu.runpm=0, or amdgpu.dc", vec![parameter("dc"), parameter("runpm")]),
            ("it says \"ring … timed out (number)\"", vec![]),
            (
                "it says \"The ring timed out (number)\"",
                vec![message("The ring timed out (number)")],
            ),
            ("it says \"Illegal register access\"", vec![message("Illegal register access")]),
        ] {
            assert_eq!(citations(text), want, "{text}");
        }
    }

    #[test]
    fn what_only_looks_so_is_not_cited() {
        for text in [
            "mes_v11_0.c, drivers/gpu/drm_drv, gfx_0.0.0 and drm_sched_*",
            "/etc/modprobe.d/amdgpu.conf and amdgpu.c",
            "mem_info_gtt_used, HSA_OVERRIDE_GFX_VERSION, mes_before",
            "\"no such device\", \"out of memory\", \"GPU Hang\" and \"",
            "one \"mark\nalone, another one\" here",
        ] {
            assert_eq!(citations(text), [], "{text}");
        }
    }

    #[test]
    fn comments_are_read_over_their_lines() {
        let file = "# it says \"the ring\n# is on fire\"\nformat = \"no drm_dev_enter()\"\n";
        assert_eq!(in_comments(file), [Citation::Message("the ring is on fire".to_owned())]);
    }

    #[test]
    fn a_quote_is_found_in_a_format() {
        for (text, quote, want) in [
            ("GPU reset(%d) succeeded!", "GPU reset(number) succeeded!", true),
            (
                "Freeing queue vital buffer 0x%lx, queue evicted",
                "vital buffer …, queue evicted",
                true,
            ),
            ("queue evicted, vital buffer", "vital buffer …, queue evicted", false),
        ] {
            assert_eq!(has_words(text, quote), want, "{quote}");
        }
    }
}
