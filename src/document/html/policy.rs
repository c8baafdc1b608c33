//! The content security policy: the document may use its own stylesheet and nothing else.

use sha2::{Digest, Sha256};

/// The one stylesheet.
pub(super) const STYLE: &str = concat!(include_str!("palette.css"), include_str!("style.css"));

/// The policy as text.
pub(super) fn policy() -> String {
    let digest = base64(&Sha256::digest(STYLE));
    format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
}

const ALPHABET: [u8; 64] = *b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for at in 0..4 {
            let digit = (bits >> (18 - 6 * at) & 0x3f) as usize;
            text.push(if at > three.len() { '=' } else { char::from(ALPHABET[digit]) });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, want) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
            ("\u{7ff}\u{7ff}", "37/fvw=="),
        ] {
            assert_eq!(base64(bytes.as_bytes()), want, "{bytes}");
        }
    }

    /// A stylesheet that an HTML parser reads differently would have another digest.
    #[test]
    fn the_style_is_what_a_browser_reads() {
        assert!(!STYLE.contains(['\r', '\0', '<']), "it ends the element or is read differently");
        for way_out in ["@import", "url(", "http"] {
            assert!(!STYLE.contains(way_out), "{way_out}");
        }
    }

    /// All colour pairs for text have enough contrast, light and dark.
    #[test]
    fn colours_are_far_enough_apart_to_read() {
        let (light, dark) = STYLE.split_once("prefers-color-scheme: dark").unwrap();
        for (scheme, style) in [("light", light), ("dark", dark)] {
            for ground in ["page", "card", "code"] {
                for ink in ["ink", "quiet", "link", "bad", "warn", "good", "cool"] {
                    let contrast = contrast(colour(style, ink), colour(style, ground));
                    assert!(contrast >= 4.5, "{scheme}: {ink} on {ground}: {contrast:.2}");
                }
            }
        }
    }

    fn colour(style: &str, name: &str) -> [f64; 3] {
        let (_, behind) = style.split_once(&format!("--{name}: #")).unwrap();
        [0, 2, 4].map(|at| f64::from(u8::from_str_radix(&behind[at..at + 2], 16).unwrap()))
    }

    /// The contrast ratio of the Web Content Accessibility Guidelines.
    fn contrast(one: [f64; 3], other: [f64; 3]) -> f64 {
        let light = |colour: [f64; 3]| {
            let [red, green, blue] = colour.map(|part| part / 255.0).map(|part| {
                if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * red + 0.7152 * green + 0.0722 * blue
        };
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }
}
