//! Advice: what a person can do, each piece written once.

use serde::{Deserialize, Serialize};

use super::fields::Fields;
use super::instruction::Instruction;
use super::source::{At, Place, Sources};
pub use crate::value::Trust;

/// A kernel parameter that a piece of advice sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Setting {
    /// The parameter as it stands on the kernel's command line: `amdgpu.runpm`, `iommu`.
    pub parameter: String,
    /// Its value.
    pub value: String,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Advice {
    /// Its stable name.
    pub id: String,
    /// What to do, in one line.
    pub summary: String,
    /// What to type; lines that begin with `#` say for whom. `{device}` is the PCI address.
    pub command: Option<String>,
    /// Why it may help.
    pub why: String,
    /// What it may cost.
    pub risk: String,
    /// How to see that it took effect.
    pub verify: Instruction,
    /// How well it is founded.
    pub trust: Trust,
    /// On what: a document, a file of the kernel's source, or who says so.
    pub source: String,
    /// What it sets, where a log can show that it is set already.
    pub sets: Option<Setting>,
    /// Whether it is of use only while the boot that failed still runs.
    pub now: bool,
    /// Whether it only collects what is known, so that nobody can have tried it as a remedy.
    pub collects: bool,
}

impl Advice {
    /// The advice with the PCI address of the GPU that it is for.
    #[must_use]
    pub fn filled(&self, device: &str) -> Self {
        let here = |text: &str| text.replace("{device}", device);
        Self {
            summary: here(&self.summary),
            command: self.command.as_deref().map(here),
            why: here(&self.why),
            risk: here(&self.risk),
            verify: self.verify.map(here),
            ..self.clone()
        }
    }

    /// Reads one `[[advice]]`; where it sets a parameter, that comes with its place.
    pub fn read(
        sources: &mut Sources<'_>,
        mut fields: Fields<'_>,
    ) -> Option<(At<Self>, Option<Place>)> {
        let id = fields.required_text(sources, "id");
        let mut required = |sources: &mut Sources<'_>, key| {
            fields.required_text(sources, key).map(|at| at.value).unwrap_or_default()
        };
        let summary = required(sources, "summary");
        let why = required(sources, "why");
        let risk = required(sources, "risk");
        let source = required(sources, "source");
        let verify = instruction(sources, &mut fields, "verify");
        let command = fields.text(sources, "command").map(|at| at.value.trim_end().to_owned());
        let trust = trust(sources, &mut fields);
        let now = fields.flag(sources, "now");
        let collects = fields.flag(sources, "collects");
        let sets = setting(sources, &mut fields);
        fields.finish(sources);
        let id = id?;
        let place = sets.as_ref().map(|sets| sets.place.clone());
        let sets = sets.map(|sets| sets.value);
        let (id, advice_place) = (id.value, id.place);
        let (trust, verify) = (trust?, verify?);
        let advice =
            Self { id, summary, command, why, risk, verify, trust, source, sets, now, collects };
        Some((At { value: advice, place: advice_place }, place))
    }
}

fn instruction(
    sources: &mut Sources<'_>,
    fields: &mut Fields<'_>,
    key: &'static str,
) -> Option<Instruction> {
    let text = fields.required_text(sources, key)?;
    match Instruction::parse(&text.value) {
        Ok(instruction) => Some(instruction),
        Err(why) => {
            sources.mistake(&text.place, format!("`{key}`: {why}"));
            None
        }
    }
}

fn trust(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Option<Trust> {
    let text = fields.required_text(sources, "trust")?;
    match text.value.as_str() {
        "A" => Some(Trust::A),
        "B" => Some(Trust::B),
        "C" => Some(Trust::C),
        other => {
            sources
                .mistake(&text.place, format!("`{other}` is no trust grade; they are A, B and C"));
            None
        }
    }
}

fn setting(sources: &mut Sources<'_>, fields: &mut Fields<'_>) -> Option<At<Setting>> {
    let mut table = fields.table(sources, "sets")?;
    let place = table.place().clone();
    let parameter = table.required_text(sources, "parameter");
    let value = table.required_text(sources, "value");
    table.finish(sources);
    Some(At { value: Setting { parameter: parameter?.value, value: value?.value }, place })
}
