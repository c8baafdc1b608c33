//! What can be wrong with a machine now: `patterns/machine/*.toml`. Which fact is looked at is one of a
//! closed list; what it is called, how bad it is, what to do and where that is known from is data.

mod collected;
mod compared;
mod condition;

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::hardware::GfxPattern;
use super::signature::Severity;
use super::source::{At, Place, Sources, suggestion};
use super::template::Template;
use crate::value::KernelVersion;

pub use collected::{Collected, NamePattern, PackageGroup, PackageKind};
pub use compared::{BootWords, Compared, Concern};
pub use condition::Condition;

/// What everything of this kind says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// Its stable name.
    pub id: String,
    /// What it is called.
    pub title: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was found, in a sentence or two.
    pub summary: Template,
    /// What to do, by id.
    pub advice: Vec<String>,
    /// Where that is known from.
    pub source: String,
    /// Where to read more: URLs.
    pub references: Vec<String>,
}

/// A state of a machine that is worth knowing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    /// What it is.
    pub about: About,
    /// When it is there.
    pub when: Condition,
    /// How many there must be.
    pub at_least: usize,
    /// Which parameter of amdgpu is looked at.
    pub parameter: Option<String>,
    /// The values that count; of a worker, how the names begin that tell it.
    pub values: Vec<String>,
    /// The bits of a mask, or the letters of a taint, that count; none where all do.
    pub flags: Vec<String>,
}

/// Kernels with a fault that somebody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownKernel {
    /// What it is.
    pub about: About,
    /// The first release that has it.
    pub since: KernelVersion,
    /// The last one.
    pub until: KernelVersion,
    /// The chips that have it; none where all have.
    pub gfx: Vec<GfxPattern>,
    /// The signature that tells it in a log.
    pub signature: Option<String>,
}

/// A version of a firmware with a fault that somebody knows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownFirmware {
    /// What it is.
    pub about: About,
    /// The block, as the driver's file is called: `mes` for `mes_fw_version`.
    pub block: String,
    /// The versions.
    pub versions: Vec<u32>,
    /// The chips that it is of.
    pub gfx: Vec<GfxPattern>,
}

/// What a letter of the kernel's taint means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taint {
    /// The bit.
    pub bit: u8,
    /// The letter.
    pub letter: String,
    /// What it means.
    pub meaning: String,
}

/// Something that could not be judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gap {
    /// Its stable name, one that the program knows.
    pub id: String,
    /// What could not be judged.
    pub what: String,
    /// What would help.
    pub command: Option<String>,
}

/// The names of all gaps that the program knows.
pub const GAPS: [&str; 14] = [
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

/// What is known of machines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machines {
    /// States of a machine, in the order of the files.
    pub states: Vec<State>,
    /// Kernels with a known fault.
    pub kernels: Vec<KnownKernel>,
    /// Firmware with a known fault.
    pub firmware: Vec<KnownFirmware>,
    /// What taints mean.
    pub taints: Vec<Taint>,
    /// What cannot be judged.
    pub gaps: Vec<Gap>,
    /// What a report tells of one.
    pub collected: Collected,
    /// What two boots are compared by.
    pub compared: Compared,
}

/// Names in a file that something else must explain.
#[derive(Debug, Default)]
pub struct Named {
    /// The ids that the file gives.
    pub ids: Vec<At<String>>,
    /// Advice.
    pub advice: Vec<At<String>>,
    /// Signatures.
    pub signatures: Vec<At<String>>,
    /// Parameters of amdgpu.
    pub parameters: Vec<At<String>>,
}

/// The keys of which a file about machines has at least one.
pub const KEYS: [&str; 8] =
    ["state", "known_kernel", "known_firmware", "taint", "gap", "package", "variable", "boot_word"];

impl Machines {
    /// Adds what a file says. A mistake drops the entry that it stands in.
    pub fn read_file(
        &mut self,
        sources: &mut Sources<'_>,
        mut root: Fields<'_>,
        named: &mut Named,
    ) {
        for table in root.tables(sources, "state") {
            self.states.extend(state(sources, table, named));
        }
        for table in root.tables(sources, "known_kernel") {
            self.kernels.extend(known_kernel(sources, table, named));
        }
        for table in root.tables(sources, "known_firmware") {
            self.firmware.extend(known_firmware(sources, table, named));
        }
        for table in root.tables(sources, "taint") {
            self.taints.extend(taint(sources, table));
        }
        for table in root.tables(sources, "gap") {
            self.gaps.extend(gap(sources, table));
        }
        for table in root.tables(sources, "package") {
            self.collected.read_packages(sources, table);
        }
        for table in root.tables(sources, "variable") {
            self.collected.read_variables(sources, table);
        }
        for table in root.tables(sources, "boot_word") {
            self.compared.read_boot_words(sources, table);
        }
        root.finish(sources);
    }

    /// What is said of each state, kernel and firmware.
    pub fn abouts(&self) -> impl Iterator<Item = &About> {
        let states = self.states.iter().map(|state| &state.about);
        let kernels = self.kernels.iter().map(|known| &known.about);
        states.chain(kernels).chain(self.firmware.iter().map(|known| &known.about))
    }

    /// What cannot be judged, by its name.
    #[must_use]
    pub fn gap(&self, id: &str) -> Option<&Gap> {
        self.gaps.iter().find(|gap| gap.id == id)
    }

    /// All ids.
    pub fn ids(&self) -> impl Iterator<Item = &String> {
        self.abouts().map(|about| &about.id)
    }

    /// All advice that is given.
    pub fn advice(&self) -> impl Iterator<Item = &String> {
        self.abouts().flat_map(|about| &about.advice)
    }
}

/// What every entry has; its summary may name the `values`.
fn about(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    values: &[&str],
    named: &mut Named,
) -> Option<About> {
    let id = fields.required_text(sources, "id");
    let title = fields.required_text(sources, "title");
    let severity = fields.required_text(sources, "severity");
    let severity = severity.and_then(|text| read_severity(sources, &text));
    let summary = fields.required_text(sources, "summary");
    let summary = summary.and_then(|text| template(sources, &text, values));
    let source = fields.required_text(sources, "source");
    let advice = fields.texts(sources, "advice");
    let references = fields.texts(sources, "references");
    named.ids.extend(id.clone());
    named.advice.extend(advice.iter().cloned());
    let plain = |texts: Vec<At<String>>| texts.into_iter().map(|text| text.value).collect();
    Some(About {
        id: id?.value,
        title: title?.value,
        severity: severity?,
        summary: summary?,
        advice: plain(advice),
        source: source?.value,
        references: plain(references),
    })
}

fn read_severity(sources: &mut Sources<'_>, text: &At<String>) -> Option<Severity> {
    let all = [Severity::Info, Severity::Warning, Severity::Error, Severity::Critical];
    let found = all.into_iter().find(|one| one.name() == text.value);
    if found.is_none() {
        let what = format!("`{}` is no severity", text.value);
        sources.mistake_with_hint(&text.place, what, "one of info, warning, error, critical");
    }
    found
}

fn template(sources: &mut Sources<'_>, text: &At<String>, values: &[&str]) -> Option<Template> {
    let Ok(template) = Template::parse(&text.value) else {
        sources.mistake(&text.place, "a brace has no partner");
        return None;
    };
    for path in template.paths().filter(|path| !values.contains(path)) {
        let what = format!("nothing here is called `{path}`");
        let hint = if values.is_empty() {
            "this summary has no values".to_owned()
        } else {
            format!("known here: {}", values.join(", "))
        };
        sources.mistake_with_hint(&text.place, what, hint);
    }
    Some(template)
}

fn state(sources: &mut Sources<'_>, mut fields: Fields<'_>, named: &mut Named) -> Option<State> {
    let when = fields.required_text(sources, "when");
    let when = when.and_then(|text| condition(sources, &text));
    let values = when.map_or(&[][..], Condition::values);
    let about = about(sources, &mut fields, values, named);
    let at_least = fields.integer(sources, "at_least");
    let parameter = fields.text(sources, "parameter");
    let allowed = fields.texts(sources, "values");
    let flags = fields.texts(sources, "flags");
    let place = fields.place().clone();
    fields.finish(sources);
    let (when, about) = (when?, about?);
    let takes_one = matches!(when, Condition::Parameter | Condition::Mask);
    if parameter.is_some() != takes_one {
        let what =
            format!("`parameter` belongs to `when` = parameter or mask, this is {}", when.name());
        sources.mistake(&place, what);
    }
    if allowed.is_empty() == matches!(when, Condition::Parameter | Condition::ResetWaits) {
        sources.mistake(&place, "`values` belongs to `when` = parameter or reset-waits");
    }
    if !flags.is_empty() && !matches!(when, Condition::Mask | Condition::Tainted) {
        sources.mistake(&place, "`flags` belongs to `when` = mask or tainted");
    }
    if let Some(number) = at_least.as_ref().filter(|number| number.value < 1 || !when.counts()) {
        sources.mistake(&number.place, "`at_least` counts tasks, from 1 on");
    }
    named.parameters.extend(parameter.clone());
    let plain = |texts: Vec<At<String>>| texts.into_iter().map(|text| text.value).collect();
    Some(State {
        about,
        when,
        at_least: at_least.and_then(|number| usize::try_from(number.value).ok()).unwrap_or(1),
        parameter: parameter.map(|text| text.value),
        values: plain(allowed),
        flags: plain(flags),
    })
}

fn condition(sources: &mut Sources<'_>, text: &At<String>) -> Option<Condition> {
    let found = Condition::read(&text.value);
    if found.is_none() {
        let what = format!("nothing is looked at that is called `{}`", text.value);
        let names = Condition::ALL.map(Condition::name);
        let hint = suggestion(&text.value, names)
            .unwrap_or_else(|| format!("known here: {}", names.join(", ")));
        sources.mistake_with_hint(&text.place, what, hint);
    }
    found
}

fn known_kernel(
    sources: &mut Sources<'_>,
    mut fields: Fields<'_>,
    named: &mut Named,
) -> Option<KnownKernel> {
    let about = about(sources, &mut fields, &["kernel", "gpus"], named);
    let mut version = |key| {
        let text = fields.required_text(sources, key)?;
        read_version(sources, &text).map(|value| At { value, place: text.place })
    };
    let (since, until) = (version("since"), version("until"));
    let gfx = gfx(sources, &mut fields);
    let signature = fields.text(sources, "signature");
    fields.finish(sources);
    named.signatures.extend(signature.clone());
    let (since, until) = (since?, until?);
    if until.value < since.value {
        sources.mistake(&until.place, "`until` is older than `since`");
    }
    let signature = signature.map(|text| text.value);
    Some(KnownKernel { about: about?, since: since.value, until: until.value, gfx, signature })
}

fn read_version(sources: &mut Sources<'_>, text: &At<String>) -> Option<KernelVersion> {
    let read = text.value.parse();
    if let Err(error) = &read {
        sources.mistake(&text.place, format!("`{}` is {error}", text.value));
    }
    read.ok()
}

fn gfx(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Vec<GfxPattern> {
    let texts = fields.texts(sources, "gfx");
    let mut read = |text: At<String>| match text.value.parse::<GfxPattern>() {
        Ok(pattern) => Some(pattern),
        Err(error) => {
            sources.mistake(&text.place, format!("`{}` is {error}", text.value));
            None
        }
    };
    texts.into_iter().filter_map(&mut read).collect()
}

fn known_firmware(
    sources: &mut Sources<'_>,
    mut fields: Fields<'_>,
    named: &mut Named,
) -> Option<KnownFirmware> {
    let about = about(sources, &mut fields, &["device", "name", "block", "version"], named);
    let block = fields.required_text(sources, "block");
    let texts = fields.texts(sources, "versions");
    fields.require(sources, "versions", !texts.is_empty());
    let versions = texts.iter().filter_map(|text| word(sources, text)).collect();
    let gfx = gfx(sources, &mut fields);
    fields.require(sources, "gfx", !gfx.is_empty());
    fields.finish(sources);
    Some(KnownFirmware { about: about?, block: block?.value, versions, gfx })
}

/// A version as the driver prints it, `0x00000083`, with or without its zeros.
fn word(sources: &mut Sources<'_>, text: &At<String>) -> Option<u32> {
    let digits = text.value.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
    let read = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
    if read.is_none() {
        sources
            .mistake(&text.place, format!("`{}` is no version, which looks like 0x83", text.value));
    }
    read
}

fn taint(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Taint> {
    let bit = fields.integer(sources, "bit");
    fields.require(sources, "bit", bit.is_some());
    let letter = fields.required_text(sources, "letter");
    let meaning = fields.required_text(sources, "meaning");
    fields.finish(sources);
    let bit = bit?;
    let number = u8::try_from(bit.value).ok().filter(|number| *number < 64);
    if number.is_none() {
        sources.mistake(&bit.place, "a bit is a number from 0 to 63");
    }
    Some(Taint { bit: number?, letter: letter?.value, meaning: meaning?.value })
}

fn gap(sources: &mut Sources<'_>, mut fields: Fields<'_>) -> Option<Gap> {
    let id = fields.required_text(sources, "id");
    let what = fields.required_text(sources, "what");
    let command = fields.text(sources, "command").map(|text| text.value.trim().to_owned());
    fields.finish(sources);
    let id = id?;
    if !GAPS.contains(&id.value.as_str()) {
        let what = format!("the program knows no gap `{}`", id.value);
        sources.mistake_with_hint(&id.place, what, format!("known here: {}", GAPS.join(", ")));
    }
    Some(Gap { id: id.value, what: what?.value, command })
}

/// Reports parameters that no kernel has.
pub(super) fn check_parameters(
    sources: &mut Sources<'_>,
    named: &[At<String>],
    exists: impl Fn(&str) -> bool,
) {
    for name in named.iter().filter(|name| !exists(&name.value)) {
        let place: &Place = &name.place;
        sources.mistake(place, format!("amdgpu has no parameter `{}`", name.value));
    }
}

#[cfg(test)]
mod tests {
    use crate::builtin;
    use crate::pattern::source::SourceFile;

    /// What is wrong with a state of these lines beside those that each needs, and in which line.
    fn mistakes(table: &str, lines: &str) -> Vec<String> {
        let text = format!(
            "[[{table}]]\n{lines}\nid = \"own\"\ntitle = \"t\"\nseverity = \"info\"\nsource = \"s\"\n"
        );
        let text = if lines.contains("summary") { text } else { text + "summary = \"s\"\n" };
        let file = SourceFile { path: "own.toml".to_owned(), text };
        let found = builtin::patterns().extended(&[file]).err().unwrap_or_default();
        found.iter().map(|mistake| format!("{}: {}", mistake.line, mistake.what)).collect()
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        for (table, lines, want) in [
            ("state", "when = \"log-lost\"", ""),
            ("state", "when = \"gpu-gon\"", "2: nothing is looked at that is called `gpu-gon`"),
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
            ("state", "when = \"gpu-gone\"\nsummary = \"{device\"", "3: a brace has no partner"),
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
                "2: `frmware` is no kind of package",
                "4: `names` is missing",
                "7: `*` names too much: three characters must be told",
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
