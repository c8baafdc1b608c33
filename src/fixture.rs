//! Fixtures: a header with the expected result, an empty line, and the log.
//!
//! `fixtures/README.md` describes the header.

use crate::diagnosis::Conclusions;
use crate::event::log::Log;
use crate::event::space::tell_spaces;
use crate::pattern::hardware::Hardware;
use crate::value::GfxTarget;

/// The words of a header. The first four are mandatory; each occurs once.
const WORDS: [&str; 7] = ["kernel", "gpu", "says", "why", "notices", "outcome", "chip"];
const REQUIRED: usize = 4;

/// A log and the expected result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fixture {
    /// The kernel that the log is meant to come from.
    pub kernel: String,
    /// The chip that is assumed if the log does not name it.
    pub chip: Option<GfxTarget>,
    /// The expected result.
    pub wanted: Said,
    /// The log without the header.
    pub log: Vec<u8>,
}

/// The result for a log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The ids of all diagnoses of all incidents, in the order shown.
    pub says: Vec<String>,
    /// The ids of all notices.
    pub notices: Vec<String>,
    /// The outcome of the first incident; `None` if it does not matter.
    pub outcome: Option<String>,
}

/// A difference between the expected and the actual result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The word of the header.
    pub word: &'static str,
    /// The expected value.
    pub wanted: String,
    pub said: String,
}

impl Said {
    /// The result for a log with these conclusions.
    pub(crate) fn of(conclusions: &Conclusions) -> Self {
        let diagnoses = conclusions.findings.iter().flat_map(|finding| &finding.diagnoses);
        let notices = conclusions.notices.iter().map(|notice| &notice.diagnosis);
        let first = conclusions.findings.first();
        Self {
            says: diagnoses.map(|diagnosis| diagnosis.id.clone()).collect(),
            notices: notices.map(|diagnosis| diagnosis.id.clone()).collect(),
            outcome: first.map(|finding| finding.incident.outcome.name().to_owned()),
        }
    }

    /// Whether the signature was reported.
    pub(crate) fn names(&self, id: &str) -> bool {
        self.says.iter().chain(&self.notices).any(|said| said == id)
    }
}

impl Fixture {
    /// Parses a fixture; `None` if the text has no header.
    pub(crate) fn read(bytes: &[u8]) -> Result<Option<Self>, String> {
        let mut fixture = Self::default();
        let mut rest = bytes;
        let mut seen = Vec::new();
        while let Some(behind) = rest.strip_prefix(b"# ") {
            let end = behind.iter().position(|byte| *byte == b'\n');
            let end = end.ok_or("the header has no end")?;
            let (line, next) = behind.split_at(end);
            let line = String::from_utf8_lossy(line);
            let Some((word, value)) = line.trim_end_matches('\r').split_once(": ").and_then(known)
            else {
                // Ordinary logs may begin like a header, too.
                return if seen.is_empty() {
                    Ok(None)
                } else {
                    Err(format!("no word in `{line}`"))
                };
            };
            fixture.take(word, value)?;
            seen.push(word);
            rest = next.get(1..).unwrap_or_default();
        }
        if seen.is_empty() {
            return Ok(None);
        }
        for word in &WORDS[..REQUIRED] {
            if seen.iter().filter(|known| *known == word).count() != 1 {
                return Err(format!("`{word}` stands in the header once"));
            }
        }
        let log = rest.strip_prefix(b"\r\n").or_else(|| rest.strip_prefix(b"\n"));
        log.ok_or("no empty line behind the header")?.clone_into(&mut fixture.log);
        Ok(Some(fixture))
    }

    fn take(&mut self, word: &str, value: &str) -> Result<(), String> {
        let ids = || {
            let words = value.split_whitespace();
            words.filter(|word| *word != "nothing").map(str::to_owned).collect()
        };
        match word {
            "kernel" => value.clone_into(&mut self.kernel),
            "says" => self.wanted.says = ids(),
            "notices" => self.wanted.notices = ids(),
            "outcome" => self.wanted.outcome = Some(value.to_owned()),
            "chip" => {
                let chip = value.parse().map_err(|error| format!("`chip: {value}` is {error}"))?;
                self.chip = Some(chip);
            }
            // `gpu` and `why` are for readers.
            _ => {}
        }
        Ok(())
    }

    /// Sets the fixture's chip on GPUs whose chip the log does not name, so that short logs can
    /// test signatures that depend on the chip.
    pub(crate) fn assume_chip(&self, log: &mut Log, hardware: &Hardware) {
        let Some(chip) = self.chip else { return };
        for device in log.devices.iter_mut().filter(|device| device.target.is_none()) {
            device.target = Some(chip);
            device.generation = Some(chip.generation());
            device.find_candidates(hardware);
        }
        tell_spaces(log, hardware);
    }

    /// The differences between the expected and the actual result.
    pub(crate) fn differences(&self, said: &Said) -> Vec<Difference> {
        let list =
            |ids: &[String]| if ids.is_empty() { "nothing".to_owned() } else { ids.join(" ") };
        let mut found = Vec::new();
        for (word, wanted, said) in [
            ("says", &self.wanted.says, &said.says),
            ("notices", &self.wanted.notices, &said.notices),
        ] {
            if wanted != said {
                found.push(Difference { word, wanted: list(wanted), said: list(said) });
            }
        }
        let outcome = self.wanted.outcome.as_ref();
        if let Some(wanted) = outcome.filter(|_| self.wanted.outcome != said.outcome) {
            let said = said.outcome.clone().unwrap_or_else(|| "nothing".to_owned());
            found.push(Difference { word: "outcome", wanted: wanted.clone(), said });
        }
        found
    }
}

/// A known header word and its value.
fn known<'t>((word, value): (&str, &'t str)) -> Option<(&'static str, &'t str)> {
    WORDS.iter().find(|known| **known == word).map(|word| (*word, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "# kernel: 6.8\n# gpu: gfx1100\n# says: a b\n# why: it is short\n";

    #[test]
    fn a_header_is_cut_off() {
        let fixture = Fixture::read(format!("{HEADER}\n[1.0] x\n").as_bytes()).unwrap().unwrap();
        assert_eq!((fixture.wanted.says.len(), fixture.log.as_slice()), (2, &b"[1.0] x\n"[..]));
        let quiet = HEADER.replace("a b", "nothing");
        assert!(
            Fixture::read(format!("{quiet}\n").as_bytes()).unwrap().unwrap().wanted.says.is_empty()
        );
        assert_eq!(Fixture::read(b"[1.0] x\n"), Ok(None));
        assert_eq!(Fixture::read(b"# dmesg\n[1.0] x\n"), Ok(None));
        assert_eq!(Fixture::read(b"# gpu: all of it"), Err("the header has no end".to_owned()));
    }

    #[test]
    fn a_header_with_mistakes_is_no_log() {
        for (text, told) in [
            (HEADER.to_owned(), "no empty line behind the header"),
            (HEADER.replace("# why: it is short\n", "\n"), "`why` stands in the header once"),
            (format!("{HEADER}# kernel: 6.9\n\n"), "`kernel` stands in the header once"),
            (format!("{HEADER}# cause: it\n\n"), "no word in `cause: it`"),
            (
                format!("{HEADER}# chip: gfx11O0\n\n"),
                "`chip: gfx11O0` is not a gfx target, which looks like gfx1100 or gfx90c",
            ),
        ] {
            assert_eq!(Fixture::read(text.as_bytes()), Err(told.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_differs_is_told_by_its_word() {
        let fixture = Fixture::read(format!("{HEADER}# outcome: failed\n\n").as_bytes());
        let fixture = fixture.unwrap().unwrap();
        let said = Said { says: vec!["a".to_owned()], ..Said::default() };
        let words: Vec<_> = fixture.differences(&said).into_iter().map(|one| one.word).collect();
        assert_eq!(words, ["says", "outcome"]);
        assert_eq!(fixture.differences(&fixture.wanted), []);
    }
}
