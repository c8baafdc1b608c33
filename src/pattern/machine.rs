//! What can be wrong with a machine: `patterns/machine/*.toml`. The facts that are checked form a
//! closed set in Rust; titles, severities, advice and sources are data.

mod collected;
mod compared;
mod condition;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::document::{Table, record};
use super::hardware::GfxPattern;
use super::source::{Noun, hint};
use super::source_anchor::SourceAnchor;
use super::template::Template;
use crate::value::{KernelVersion, Severity};

pub(crate) use collected::{Collected, PackageKind};
pub(crate) use compared::{Compared, Concern};
pub(crate) use condition::Condition;

record! {
    /// The keys that all such entries have.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct About {
        /// The stable identifier.
        pub id: String,
        /// The title.
        pub title: String,
        /// The severity.
        pub severity: Severity,
        /// The finding, in one or two sentences.
        pub summary: Template,
        /// Advice ids.
        pub advice: Vec<String>,
        /// The source of the claim.
        pub source: String,
        /// URLs for further reading.
        pub references: Vec<String>,
        /// The places in the kernel's source that support it.
        pub anchors: Vec<SourceAnchor>,
        /// The day on which it was last compared with its sources.
        pub checked: Option<DayChecked>,
        /// Whether its sources were not accessible then.
        pub unverified: bool,
    }
    check
}

/// A day: `2026-11-23`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct DayChecked(String);

/// The text is not a date.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no day, which looks like 2026-11-23")]
pub(crate) struct NotADay;

impl FromStr for DayChecked {
    type Err = NotADay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = |part: &str, digits: usize| {
            let all = part.len() == digits && part.bytes().all(|byte| byte.is_ascii_digit());
            part.parse::<u32>().ok().filter(|_| all)
        };
        let [year, month, day] = text.split('-').collect::<Vec<_>>()[..] else {
            return Err(NotADay);
        };
        let parts = number(year, 4).zip(number(month, 2)).zip(number(day, 2));
        let is_day = parts.is_some_and(|((year, month), day)| {
            let leaps = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let days = match month {
                1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
                4 | 6 | 9 | 11 => 30,
                2 => 28 + u32::from(leaps),
                _ => 0,
            };
            (1..=days).contains(&day)
        });
        is_day.then(|| Self(text.to_owned())).ok_or(NotADay)
    }
}

impl fmt::Display for DayChecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

record! {
    /// A state of a machine that is reported.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct State {
        /// What it is.
        pub about: About = inline,
        /// The condition.
        pub when: Condition,
        /// The minimum number of occurrences.
        pub at_least: usize = default(1),
        /// The amdgpu parameter that is checked.
        pub parameter: Option<String>,
        /// The values that match; for workers, prefixes of their names.
        pub values: Vec<String>,
        /// The bits of a mask, or the letters of a taint, that match; empty for all.
        pub flags: Vec<String>,
    }
    check
}

record! {
    /// Kernels with a known fault.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct KnownKernel {
        /// What it is.
        pub about: About = inline,
        /// The first release with the fault.
        pub since: KernelVersion,
        /// The last release with the fault.
        pub until: KernelVersion,
        /// The affected chips; empty for all.
        pub gfx: Vec<GfxPattern>,
        /// The signature that recognises it in a log.
        pub signature: Option<String>,
    }
    check
}

record! {
    /// Firmware versions with a known fault.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[serde(bound(deserialize = "'de: 'static"))]
    pub(crate) struct KnownFirmware {
        /// What it is.
        pub about: About = inline,
        /// The block, as in the driver's file name: `mes` for `mes_fw_version`.
        pub block: String,
        /// The versions.
        pub versions: Vec<FirmwareVersion> = required,
        /// The affected chips.
        pub gfx: Vec<GfxPattern> = required,
    }
    check
}

/// A version as the driver prints it, `0x00000083`; leading zeros are optional.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FirmwareVersion(pub u32);

/// The text is not a firmware version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no version, which looks like 0x83")]
pub(crate) struct NotAFirmwareVersion;

impl FromStr for FirmwareVersion {
    type Err = NotAFirmwareVersion;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        let read = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        read.map(Self).ok_or(NotAFirmwareVersion)
    }
}

record! {
    /// The meaning of a letter of the kernel's taint.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub(crate) struct Taint {
        /// The bit.
        pub bit: u8,
        /// The letter.
        pub letter: String,
        /// An explanation of its meaning.
        pub meaning: String,
    }
    check
}

record! {
    /// A check that was not possible.
    #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
    pub(crate) struct Gap {
        /// Its stable name, one of [`GAPS`].
        pub id: String,
        /// What could not be checked.
        pub what: String,
        /// A command that helps.
        pub command: Option<String> = trimmed,
    }
    check
}

/// All gaps that the program can report.
pub(crate) const GAPS: [&str; 14] = [
    "tasks",
    "tasks-cut",
    "kernel-tasks",
    "one-look",
    "wait-reason",
    "gpus",
    "gpu-asleep",
    "gpu-link",
    "firmware",
    "parameters",
    "kernel",
    "journal",
    "hung",
    "log",
];

/// All entries about machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(crate) struct Machines {
    /// States of a machine, in the order of the files.
    pub states: Vec<State>,
    /// Kernels with a known fault.
    pub kernels: Vec<KnownKernel>,
    /// Firmware with a known fault.
    pub firmware: Vec<KnownFirmware>,
    /// Meanings of taints.
    pub taints: Vec<Taint>,
    /// Gaps.
    pub gaps: Vec<Gap>,
    /// What a bug report collects.
    pub collected: Collected,
    /// What is relevant when two boots are compared.
    pub compared: Compared,
}

impl Machines {
    /// Adds the entries of a file.
    pub(super) fn add(&mut self, file: &Table<'_>) {
        file.collect("state", &mut self.states);
        file.collect("known_kernel", &mut self.kernels);
        file.collect("known_firmware", &mut self.firmware);
        file.collect("taint", &mut self.taints);
        file.collect("gap", &mut self.gaps);
        file.collect("package", &mut self.collected.packages);
        file.collect("variable", &mut self.collected.variables);
        file.collect("boot_word", &mut self.compared.boot_words);
    }

    /// The common keys of each state, kernel and firmware.
    pub(crate) fn abouts(&self) -> impl Iterator<Item = &About> {
        let states = self.states.iter().map(|state| &state.about);
        let kernels = self.kernels.iter().map(|known| &known.about);
        states.chain(kernels).chain(self.firmware.iter().map(|known| &known.about))
    }

    /// The gap with this name.
    pub(crate) fn gap(&self, id: &str) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.id == id)
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = &String> {
        self.abouts().map(|about| &about.id)
    }

    /// The anchors of all entries, each with the entry's name.
    pub(crate) fn anchors(&self) -> impl Iterator<Item = (&String, &SourceAnchor)> {
        self.abouts().flat_map(|about| about.anchors.iter().map(|anchor| (&about.id, anchor)))
    }

    /// All advice ids in use.
    pub(crate) fn advice(&self) -> impl Iterator<Item = &String> {
        self.abouts().flat_map(|about| &about.advice)
    }
}

impl About {
    #[allow(clippy::unused_self, reason = "`record!` calls it on what was read")]
    fn check(&self, table: &Table<'_>) {
        table.gives(Noun::State, "id");
        table.uses(Noun::Advice, "advice");
        let is_wrong = self.unverified && self.severity > Severity::Info;
        table.mistake_at("unverified", is_wrong, "what is not verified is `info` at most");
    }

    /// Facts about kernels and firmware become outdated, so each needs the day of its last check.
    fn check_day(&self, table: &Table<'_>) {
        if self.checked.is_none() && table.get("checked").is_none() {
            table.mistake("`checked` is missing: the day on which its sources were looked at");
        }
    }

    /// Reports placeholders in the summary other than `values`.
    fn check_summary(&self, table: &Table<'_>, values: &[&str]) {
        for path in self.summary.paths().filter(|path| !values.contains(path)) {
            let hint = if values.is_empty() {
                "this summary has no values".to_owned()
            } else {
                hint(path, values.iter().copied())
            };
            if let Some(summary) = table.get("summary") {
                summary.mistake_with_hint(format!("nothing here is called `{path}`"), hint);
            }
        }
    }
}

impl State {
    fn check(&self, table: &Table<'_>) {
        let when = self.when;
        self.about.check_summary(table, when.values());
        table.uses(Noun::Parameter, "parameter");
        let takes_one = matches!(when, Condition::Parameter | Condition::Mask);
        if self.parameter.is_some() != takes_one {
            let belongs = "`parameter` belongs to `when` = parameter or mask";
            table.mistake(format!("{belongs}, this is {}", when.name()));
        }
        if self.values.is_empty() == matches!(when, Condition::Parameter | Condition::ResetWaits) {
            table.mistake("`values` belongs to `when` = parameter or reset-waits");
        }
        if !self.flags.is_empty() && !matches!(when, Condition::Mask | Condition::Tainted) {
            table.mistake("`flags` belongs to `when` = mask or tainted");
        }
        let is_wrong = self.at_least < 1 || !when.counts();
        table.mistake_at("at_least", is_wrong, "`at_least` counts tasks, from 1 on");
    }
}

impl KnownKernel {
    fn check(&self, table: &Table<'_>) {
        self.about.check_summary(table, &["kernel", "gpus"]);
        self.about.check_day(table);
        table.uses(Noun::Signature, "signature");
        table.mistake_at("until", self.until < self.since, "`until` is older than `since`");
    }
}

impl KnownFirmware {
    fn check(&self, table: &Table<'_>) {
        self.about.check_summary(table, &["device", "name", "block", "version"]);
        self.about.check_day(table);
    }
}

impl Taint {
    fn check(&self, table: &Table<'_>) {
        table.mistake_at("bit", self.bit >= 64, "a bit is a number from 0 to 63");
    }
}

impl Gap {
    fn check(&self, table: &Table<'_>) {
        if let Some(id) = table.get("id").filter(|_| !GAPS.contains(&self.id.as_str())) {
            let what = format!("the program knows no gap `{}`", self.id);
            id.mistake_with_hint(what, hint(&self.id, GAPS));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::builtin;
    use crate::pattern::source::{self, SourceFile};

    /// The mistakes in a state with these lines (in addition to mandatory ones), and their lines.
    fn mistakes(table: &str, lines: &str) -> Vec<String> {
        let text = format!(
            "[[{table}]]\n{lines}\nid = \"own\"\ntitle = \"t\"\nseverity = \"info\"\nsource = \"s\"\n"
        );
        let is_dated = table == "state" || lines.contains("checked");
        let text = if is_dated { text } else { text + "checked = \"2026-11-23\"\n" };
        let text = if lines.contains("summary") { text } else { text + "summary = \"s\"\n" };
        source::tests::mistakes(&builtin::patterns(), &text)
    }

    #[test]
    fn a_mistake_is_reported_with_its_line() {
        for (table, lines, want) in [
            ("state", "when = \"log-lost\"", ""),
            ("state", "when = \"gpu-gon\"", "2: `gpu-gon` is no value of `when`"),
            (
                "state",
                "when = \"parameter\"",
                "1: `parameter` belongs to `when` = parameter or mask, this is parameter",
            ),
            (
                "state",
                "when = \"mask\"\nparameter = \"gfxoff\"",
                "3: amdgpu has no parameter `gfxoff`",
            ),
            (
                "state",
                "when = \"log-lost\"\nflags = [\"W\"]",
                "1: `flags` belongs to `when` = mask or tainted",
            ),
            ("state", "when = \"log-lost\"\nat_least = 3", "3: `at_least` counts tasks, from 1 on"),
            (
                "state",
                "when = \"log-lost\"\nsummary = \"{device}\"",
                "3: nothing here is called `device`",
            ),
            (
                "state",
                "when = \"gpu-gone\"\nsummary = \"{device\"",
                "3: a brace in this text has no partner",
            ),
            ("state", "when = \"gpu-gone\"\nadvice = [\"dmseg\"]", "3: there is no advice `dmseg`"),
            ("state", "when = \"gpu-gone\"\ncolour = \"red\"", "3: `colour` means nothing here"),
            (
                "known_kernel",
                "since = \"6.9\"\nuntil = \"6.8\"",
                "3: `until` is older than `since`",
            ),
            ("known_kernel", "since = \"6.9\"", "1: `until` is missing"),
            (
                "known_kernel",
                "since = \"6.9\"\nuntil = \"6.9\"\nchecked = \"2026-11-31\"",
                "4: `2026-11-31` is no day, which looks like 2026-11-23",
            ),
            (
                "known_kernel",
                "since = \"6.9\"\nuntil = \"6.9\"\nchecked = \"23.11.2026\"",
                "4: `23.11.2026` is no day, which looks like 2026-11-23",
            ),
            (
                "known_kernel",
                "since = \"6.9\"\nuntil = \"6.9\"\nsignature = \"x\"",
                "4: there is no signature `x`",
            ),
            (
                "known_firmware",
                "block = \"mes\"\nversions = [\"83\"]\ngfx = [\"gfx1150\"]",
                "3: `83` is no version, which looks like 0x83",
            ),
            (
                "known_firmware",
                "block = \"mes\"\nversions = [\"0x83\"]\ngfx = [\"navi\"]",
                "4: `navi` is not a gfx target or pattern, which look like gfx1100, gfx115* or gfx11",
            ),
        ] {
            let found = mistakes(table, lines);
            let first = found.first().map(String::as_str).unwrap_or_default();
            assert_eq!(first, want, "{lines}: {found:?}");
        }
    }

    /// Facts about versions have a date, and unverified ones are not alarming.
    #[test]
    fn what_is_known_of_versions_has_a_date() {
        let entry = |severity: &str, more: &str| {
            let text = format!(
                "[[known_kernel]]\nid = \"own\"\ntitle = \"t\"\nseverity = \"{severity}\"\nsource = \"s\"\n\
                 summary = \"s\"\nsince = \"6.9\"\nuntil = \"6.9\"\n{more}\n"
            );
            let found = source::tests::mistakes(&builtin::patterns(), &text);
            let what =
                |one: String| one.split_once(": ").map_or_else(String::new, |it| it.1.to_owned());
            found.into_iter().map(what).collect::<Vec<_>>()
        };
        let dated = "checked = \"2026-11-23\"";
        assert_eq!(entry("warning", dated), [""; 0]);
        let missing = "`checked` is missing: the day on which its sources were looked at";
        assert_eq!(entry("info", ""), [missing]);
        let unverified = format!("{dated}\nunverified = true");
        assert_eq!(entry("info", &unverified), [""; 0]);
        assert_eq!(entry("warning", &unverified), ["what is not verified is `info` at most"]);
    }

    #[test]
    fn what_is_collected_is_named() {
        let text = "[[package]]\nkind = \"frmware\"\nnames = [\"linux-firmware\"]\n[[package]]\nkind = \"mesa\"\n\
                    [[variable]]\nnames = [\"*\", \"HSA_*\"]";
        let file = SourceFile { path: "own.toml".to_owned(), text: text.to_owned() };
        let found = builtin::patterns().extended(&[file]).unwrap_err();
        let told: Vec<String> =
            found.iter().map(|mistake| format!("{}: {}", mistake.line, mistake.what)).collect();
        assert_eq!(
            told,
            [
                "2: `frmware` is no value of `kind`",
                "4: `names` is missing",
                "7: `*` matches too much: give at least three characters",
            ]
        );
    }

    #[test]
    fn bits_and_gaps_are_those_that_there_are() {
        let text = "[[taint]]\nbit = 64\nletter = \"Z\"\nmeaning = \"m\"\n[[gap]]\nid = \"gpu\"\nwhat = \"w\"";
        let file = SourceFile { path: "own.toml".to_owned(), text: text.to_owned() };
        let found = builtin::patterns().extended(&[file]).unwrap_err();
        let told: Vec<&str> = found.iter().map(|mistake| mistake.what.as_str()).collect();
        assert_eq!(told, ["a bit is a number from 0 to 63", "the program knows no gap `gpu`"]);
    }
}
